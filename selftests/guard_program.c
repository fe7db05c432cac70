// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tests of the guard run: a program that succeeds, whatever it is
 * given, and needs nothing.
 */
int main(void)
{
	return 0;
}
