// SPDX-License-Identifier: GPL-2.0-only
/* One program from several texts. */
#include "harness.h"

#include "base/cleanup.h"
#include "cli/print_error.h"
#include "dsl/program.h"

#define TRANSLATION                                                            \
	"system \"t\" {\n"                                                     \
	"  resource f : file(workspace) = \"f\"\n"                             \
	"  resource u : file(unspecified) = credential\n"                      \
	"  resource e : endpoint(remote) = tcp \"h\" port 22\n"                \
	"  grant g read f from \"R\" 1:1-1:2\n"                                \
	"}\n"
#define SHIPPED "setup \"standard\" { baseline execute on tool(host) \"sh\" }\n"

/* Merge texts called a.sdl, b.sdl, ...; the errors or the result, printed. */
static char *merge(const char *const *texts, size_t nr)
{
	struct program *parts[4] = { NULL };
	struct program *merged cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	struct buffer out cleanup_buffer = { 0 };
	char *printed = NULL;
	size_t length, i;
	FILE *file = open_memstream(&printed, &length);
	int r = 0;

	for (i = 0; i < nr && !r; i++) {
		char name[] = { (char)('a' + i), '.', 's', 'd', 'l', 0 };

		r = program_parse(name, texts[i], strlen(texts[i]), &parts[i],
				  &err);
	}
	if (!r)
		r = program_merge((const struct program *const *)parts, nr,
				  &merged, &err);
	/* What is merged must not need its parts. */
	for (i = 0; i < nr; i++)
		program_free(parts[i]);
	if (merged)
		program_print(merged, &out);
	fputs(buffer_text(&out), file);
	error_print(file, err, false);
	fclose(file);
	return printed;
}

static void check(const char *const *texts, size_t nr, const char *expected)
{
	char *found cleanup_free = merge(texts, nr);

	EXPECT_STREQ(found, expected);
}

TEST(translation_setup_and_shipped_baseline)
{
	static const char *const texts[] = {
		SHIPPED,
		TRANSLATION,
		"setup \"t\" { use standard agent as root bind f to real\n"
		"  bind u to fixture file at home \"x\"\n"
		"  baseline read on dir(workspace) \".\" }\n",
	};

	check(texts, 3,
	      "system \"t\" {\n"
	      "  resource f : file(workspace) = \"f\"\n"
	      "  resource u : file(unspecified) = credential\n"
	      "  resource e : endpoint(remote) = tcp \"h\" port 22\n"
	      "\n"
	      "  grant g read f from \"R\" 1:1-1:2\n"
	      "}\n"
	      "\n"
	      "setup \"t\" {\n"
	      "  agent as root\n"
	      "  use standard\n"
	      "\n"
	      "  baseline execute on tool(host) \"sh\"\n"
	      "  baseline read on dir(workspace) \".\"\n"
	      "\n"
	      "  bind f to real\n"
	      "  bind u to fixture file at home \"x\"\n"
	      "}\n");
}

TEST(bindings_are_held_against_the_declarations_elsewhere)
{
	static const char *const texts[] = {
		TRANSLATION,
		"setup \"t\" {\n"
		"  bind ff to real\n"
		"  bind f to fixture tree\n"
		"  bind u to real at local \"x\"\n"
		"  bind e to real\n"
		"}\n",
	};

	check(texts, 2,
	      "b.sdl:2:8: there is no resource \"ff\" to bind\n"
	      "      bind ff to real\n"
	      "           ^~\n"
	      "  hint: did you mean \"f\"?\n"
	      "b.sdl:3:8: \"f\" is a file, which no tree fixture can stand "
	      "for\n"
	      "      bind f to fixture tree\n"
	      "           ^\n"
	      "  hint: write: bind f to fixture file\n"
	      "b.sdl:4:8: no file has the origin local\n"
	      "      bind u to real at local \"x\"\n"
	      "           ^\n"
	      "b.sdl:5:8: \"e\" is an endpoint, and no branch has a network\n"
	      "      bind e to real\n"
	      "           ^\n"
	      "  hint: write: bind e to fixture endpoint sink\n");
}

TEST(what_two_parts_both_say)
{
	static const char *const twice[] = { TRANSLATION, TRANSLATION };
	static const char *const setups[] = {
		TRANSLATION,
		"setup \"t\" { bind f to real }",
		"setup \"t\" { bind f to fixture file }",
	};
	char *found cleanup_free = merge(twice, 2);

	EXPECT_HAS_SUBSTR(found, "b.sdl:2:12: resource \"f\" is declared "
				 "twice\n");
	EXPECT_HAS_SUBSTR(found, "hint: the first is at a.sdl:2\n");
	EXPECT_HAS_SUBSTR(found, "b.sdl:5:9: there are two grants \"g\"\n");
	check(setups, 3,
	      "c.sdl:1:18: \"f\" is bound twice\n"
	      "    setup \"t\" { bind f to fixture file }\n"
	      "                     ^\n"
	      "  hint: the first is at b.sdl:1\n");
}

TEST(parts_about_different_things)
{
	static const char *const names[] = { TRANSLATION, "setup \"u\" { }" };
	static const char *const rules[] = {
		"system \"t\" { rule \"R\" sha256 "
		"\"0000000000000000000000000000000000000000000000000000000000"
		"000000\" }",
		"system \"t\" { rule \"R\" sha256 "
		"\"1111111111111111111111111111111111111111111111111111111111"
		"111111\" }",
	};
	static const char *const spans[] = {
		TRANSLATION,
		"system \"t\" { resource x : file(workspace) = \"x\"\n"
		"grant h read x from \"S\" 1:1-1:2 }",
	};
	char *found cleanup_free = merge(rules, 2);

	check(names, 2,
	      "b.sdl:1:7: this is about \"u\", but a.sdl is about \"t\"\n"
	      "    setup \"u\" { }\n"
	      "          ^~~\n"
	      "  hint: a translation and its setup have the same name\n");
	EXPECT_HAS_SUBSTR(found, "b.sdl:1:30: a.sdl was made from another "
				 "rule\n");
	check(spans, 2,
	      "b.sdl:2:25: this is another rule than \"R\"\n"
	      "    grant h read x from \"S\" 1:1-1:2 }\n"
	      "                            ^~~~~~~\n"
	      "  hint: a program is about one rule\n");
}

TEST(bounds_hold_for_the_whole)
{
	struct buffer a cleanup_buffer = { 0 };
	struct buffer b cleanup_buffer = { 0 };
	const char *texts[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct buffer *text = i ? &b : &a;
		unsigned int k;

		buffer_adds(text, "system \"t\" {\n");
		for (k = 0; k < 1500; k++)
			buffer_printf(text,
				      "resource r%u-%u : file(workspace) = "
				      "\"%u-%u\"\n",
				      i, k, i, k);
		buffer_adds(text, "}\n");
	}
	texts[0] = buffer_text(&a);
	texts[1] = buffer_text(&b);
	check(texts, 2, "a.sdl: more than 2000 resources together\n");
	texts[1] = "setup \"t\" { }";
	/* Each alone is small enough. */
	{
		char *found cleanup_free = merge(texts, 2);

		EXPECT_HAS_SUBSTR(found, "resource r0-1499 : ");
	}
}
