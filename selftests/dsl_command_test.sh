#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# aletheia check and aletheia fmt: output, exit status, what they leave alone.
# shellcheck disable=SC2016,SC2317 # functions are called by their names
set -u

aletheia=$TEST_BUILD/aletheia
data=$TEST_SOURCE/selftests/data/dsl
work=$(mktemp -d /tmp/aletheia-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
nr=0 failed=0

# test_that NAME COMMAND...: its output is shown if it fails.
test_that()
{
	local name=$1 output

	shift
	nr=$((nr + 1))
	if output=$("$@" 2>&1); then
		echo "ok $nr $name"
	else
		printf '%s\n' "$output" | sed 's/^/# /'
		echo "not ok $nr $name"
		failed=1
	fi
}

# gives STATUS STDOUT STDERR COMMAND...: exactly these.
gives()
{
	local status=$1 out=$2 err=$3 is

	shift 3
	"$@" > out 2> err
	is=$?
	[ "$is" = "$status" ] || echo "status $is, not $status"
	diff -u <(printf %s "$out") out
	diff -u <(printf %s "$err") err
	[ "$is" = "$status" ] && cmp -s <(printf %s "$out") out &&
		cmp -s <(printf %s "$err") err
}

good='setup "t" {
  agent as user
}
'
loose='setup "t" { agent as user } # c
'
tight='setup "t" {
  agent as user
} # c
'
printf %s "$good" > good.sdl
printf %s "$loose" > loose.sdl
echo 'setup "t" { agent as usr }' > bad.sdl
bad='bad.sdl:1:22: expected "user" or "root", found "usr"
    setup "t" { agent as usr }
                         ^~~
'

checks_each_file()
{
	gives 0 $'good.sdl: ok\nloose.sdl: ok\n' '' \
		"$aletheia" check good.sdl loose.sdl &&
	gives 65 $'good.sdl: ok\nloose.sdl: ok\n' "$bad" \
		"$aletheia" check good.sdl bad.sdl loose.sdl &&
	gives 0 '' '' "$aletheia" check -q good.sdl &&
	gives 65 '' "$bad" "$aletheia" check --quiet bad.sdl
}

checks_standard_input()
{
	gives 0 $'-: ok\n' '' "$aletheia" check - < good.sdl &&
	gives 65 '' "${bad/bad.sdl/<stdin>}" "$aletheia" check - < bad.sdl
}

refuses_what_is_no_text()
{
	mkdir -p dir && mkfifo fifo && : > empty.sdl &&
	truncate -s 4194305 large.sdl &&
	gives 65 '' $'aletheia: none.sdl: No such file or directory\n' \
		"$aletheia" check none.sdl &&
	gives 65 '' $'aletheia: dir: not a regular file\n' \
		"$aletheia" check dir &&
	gives 65 '' $'aletheia: fifo: not a regular file\n' \
		"$aletheia" check fifo &&
	gives 65 '' $'aletheia: large.sdl: larger than 4194304 bytes\n' \
		"$aletheia" check large.sdl &&
	! "$aletheia" check empty.sdl 2> /dev/null
}

# A name may hold anything; what is printed of it must not.
prints_names_harmlessly()
{
	local name=$'a\n\e[31m\xff.sdl'

	cp good.sdl "$name" &&
	gives 0 $'a\\n\\x1b[31m\\xff.sdl: ok\n' '' "$aletheia" check "$name" &&
	gives 0 $'a\\n\\x1b[31m\\xff.sdl: not canonical\n' '' \
		bash -c 'echo >> "$2"; "$1" fmt --check "$2"; [ $? = 1 ]' - \
		"$aletheia" "$name"
}

misuse_costs_a_line()
{
	gives 64 '' $'aletheia: no file to check\nTry "aletheia check --help".\n' \
		"$aletheia" check &&
	gives 64 '' $'aletheia: no file to format ("-" is standard input)\nTry "aletheia fmt --help".\n' \
		"$aletheia" fmt &&
	gives 64 '' $'aletheia: either --write or --check\nTry "aletheia fmt --help".\n' \
		"$aletheia" fmt -w --check good.sdl &&
	gives 64 '' $'aletheia: standard input cannot be written\nTry "aletheia fmt --help".\n' \
		"$aletheia" fmt -w loose.sdl - &&
	gives 0 '' '' cmp loose.sdl <(printf %s "$loose")
}

formats_to_standard_output()
{
	gives 0 "$tight" '' "$aletheia" fmt loose.sdl &&
	gives 0 "$tight" '' "$aletheia" fmt - < loose.sdl &&
	gives 0 "$good$tight" '' "$aletheia" fmt good.sdl loose.sdl &&
	gives 65 "$good" "$bad" "$aletheia" fmt bad.sdl good.sdl &&
	gives 0 '' '' cmp loose.sdl <(printf %s "$loose")
}

says_what_is_not_canonical()
{
	gives 0 '' '' "$aletheia" fmt --check good.sdl &&
	gives 1 $'loose.sdl: not canonical\n' '' \
		"$aletheia" fmt --check good.sdl loose.sdl &&
	gives 1 '' '' "$aletheia" fmt --check -q loose.sdl &&
	gives 65 $'loose.sdl: not canonical\n' "$bad" \
		"$aletheia" fmt --check loose.sdl bad.sdl
}

writes_files()
{
	local before

	cp loose.sdl x.sdl && cp bad.sdl y.sdl && chmod 640 x.sdl &&
	ln -s x.sdl link.sdl && before=$(stat -c %i good.sdl) &&
	gives 65 '' "${bad/bad/y}" "$aletheia" fmt -w link.sdl y.sdl good.sdl &&
	gives 0 '' '' cmp x.sdl <(printf %s "$tight") &&
	gives 0 '' '' cmp y.sdl bad.sdl &&
	[ -L link.sdl ] && [ "$(stat -c %a x.sdl)" = 640 ] &&
	[ "$(stat -c %i good.sdl)" = "$before" ] &&
	gives 0 '' '' "$aletheia" fmt --check x.sdl &&
	[ "$(find . -name 'x.sdl*' | wc -l)" = 1 ]
}

a_full_disk_is_a_failure()
{
	[ -w /dev/full ] &&
	gives 70 '' $'aletheia: standard output: No space left on device\n' \
		bash -c '"$1" fmt "$2" > /dev/full' - "$aletheia" good.sdl
}

no_colour_where_there_is_no_terminal()
{
	gives 65 '' "$bad" "$aletheia" check bad.sdl &&
	script -qec "'$aletheia' check bad.sdl" /dev/null < /dev/null |
		grep -q $'\e' &&
	! NO_COLOR=1 script -qec "'$aletheia' check bad.sdl" /dev/null \
		< /dev/null | grep -q $'\e'
}

all_errors_of_a_file()
{
	local name=recovery

	cd "$data/errors" || return
	"$aletheia" check "$name.sdl" 2>&1 | cmp - "$name.expected" &&
	[ "$(grep -c '^recovery' "$name.expected")" -gt 5 ]
	local status=$?
	cd "$work" || return
	return "$status"
}

echo TAP version 13
echo 1..11
test_that 'check each file on its own' checks_each_file
test_that 'check standard input' checks_standard_input
test_that 'refuse what is no text' refuses_what_is_no_text
test_that 'print names harmlessly' prints_names_harmlessly
test_that 'misuse costs a line' misuse_costs_a_line
test_that 'fmt prints' formats_to_standard_output
test_that 'fmt --check says what is not canonical' says_what_is_not_canonical
test_that 'fmt -w writes files' writes_files
test_that 'a full disk is a failure' a_full_disk_is_a_failure
test_that 'no colour without a terminal' no_colour_where_there_is_no_terminal
test_that 'all errors of a file in one run' all_errors_of_a_file
exit $failed
