/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command signatures: the shipped files are what their format says, and the
 * manual page names what there is.
 */
#include "harness.h"

#include "base/file.h"
#include "base/memory.h"
#include "extract/signature.h"

static void no_errors(struct error *err)
{
	for (; err; err = err->next)
		TH_LOG("%s:%u: %s", err->at.file ? err->at.file : "",
		       err->at.start.line, err->message);
}

TEST(shipped)
{
	struct error *err = NULL;

	EXPECT_EQ(signatures_check_shipped(&err), 0);
	no_errors(err);
	error_free(err);
}

TEST(look_up)
{
	const struct signature *git = signature_find("git", 3);
	const struct signature *clone;

	ASSERT_NOT_NULL(git);
	clone = signature_sub(git, "clone", 5);
	ASSERT_NOT_NULL(clone);
	EXPECT_TRUE(clone->owner == git);
	EXPECT_NULL(signature_sub(git, "clon", 4));
	EXPECT_NULL(signature_find("gi", 2));
	EXPECT_TRUE(signature_find("apt", 3) == signature_find("apt-get", 7));
	EXPECT_EQ(signature_find("cat", 3)->base, BASE_UTILITY);
	EXPECT_EQ(signature_find("cd", 2)->base, BASE_BUILTIN);
	EXPECT_EQ(signature_find("scp", 3)->base, BASE_NOT);
	EXPECT_STREQ(signature_value("schemes", "ssh", 3), "22");
	EXPECT_NULL(signature_value("schemes", "ss", 2));
	EXPECT_NULL(signature_value("no such table", "ssh", 3));
}

TEST(names)
{
	EXPECT_TRUE(signature_names("a bc d", "bc", 2));
	EXPECT_TRUE(signature_names("a bc d", "d", 1));
	EXPECT_FALSE(signature_names("a bc d", "b", 1));
	EXPECT_FALSE(signature_names("", "", 0));
	EXPECT_EQ(role_from_word("read", 4), ROLE_READ);
	EXPECT_EQ(role_from_word("rea", 3), -1);
}

TEST(wrong_files)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{ "commands:\n  \"a\": {args: reed}\n", "no role" },
		{ "commands:\n  \"a\": {options: -o=reed}\n", "no role" },
		{ "commands:\n  \"a\": {options: o=read}\n", "no option" },
		{ "commands:\n  \"a\": {style: odd}\n", "no such style" },
		{ "commands:\n  \"a\": {colour: red}\n", "no such field" },
		{ "commands:\n  \"a\": {base: odd}\n", "neither builtin" },
		{ "commands:\n  \"a\": [1]\n", "neither a mapping" },
		{ "commands:\n  \"a\": {sub: x}\n", "not a mapping" },
		{ "commands: 1\n", "not a mapping" },
		{ "table:\n  a: [1]\n", "not a text" },
		{ "- 1\n", "not a mapping" },
		{ "commands: {", "did not find" },
	};
	static const char right[] =
		"commands:\n  \"a\": {args: read..., sub: {\"b\": -}}\n"
		"table:\n  a b: c\n";
	struct error *err = NULL;

	EXPECT_EQ(signatures_check("right", right, strlen(right), &err), 0);
	no_errors(err);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		EXPECT_EQ(signatures_check("wrong", cases[i].text,
					   strlen(cases[i].text), &err),
			  -EINVAL)
		{
			TH_LOG("%s", cases[i].text);
		}
		ASSERT_NOT_NULL(err);
		EXPECT_HAS_SUBSTR(err->message, cases[i].message);
		error_free(err);
		err = NULL;
	}
}

/* The manual page has a line for each role and style, with its meaning. */
TEST(manual)
{
	static const char *const lines[] = {
#define X_(name, word, help) word "\n        " help,
		SIGNATURE_ROLES(X_) SIGNATURE_STYLES(X_)
#undef X_
	};
	struct buffer text = { 0 };
	struct error *err = NULL;

	ASSERT_EQ(file_read(AT_FDCWD,
			    TEST_SOURCE
			    "/Documentation/man/aletheia-signatures.5.rst",
			    1 << 20, &text, &err),
		  0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		EXPECT_HAS_SUBSTR(buffer_text(&text), lines[i]);
	buffer_done(&text);
}
