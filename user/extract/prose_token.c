// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words. A chunk is what stands between spaces, brackets and quotes; what it
 * looks like says what it is: a path, a host, a variable, or words.
 */
#include "prose.h"

#include <ctype.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/text.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' ||
	       (unsigned char)c >= 0x80;
}

static struct token *push(struct prose *prose, struct sentence *sentence,
			  enum token_kind kind, size_t from, size_t to)
{
	struct token *token = &sentence->list[sentence->nr++];

	*token = (struct token){
		.kind = kind,
		.from = from,
		.to = to,
		.text = "",
		.lower = "",
		.act = ACT_NONE,
		.noun = ACT_NONE,
	};
	(void)prose;
	return token;
}

static void push_mark(struct prose *prose, struct sentence *sentence, char mark,
		      size_t from, size_t to)
{
	push(prose, sentence, TOKEN_MARK, from, to)->mark = mark;
}

static bool full(const struct sentence *sentence)
{
	/* A chunk adds few. */
	return sentence->nr + 8 >= PROSE_MAX_TOKENS;
}

/* ---- what a chunk looks like */

static bool is_suffix(const char *text, size_t length)
{
	static const char known[] =
		"c h cc cpp cxx hpp hh m mm rs go py pyc pyi rb pl pm sh bash "
		"zsh fish ps1 bat cmd js mjs cjs jsx ts mts cts tsx vue svelte "
		"java kt kts scala groovy gradle swift dart lua php cs fs vb "
		"ex exs erl hs ml clj r jl zig nim sql proto graphql json "
		"json5 "
		"jsonl yaml yml toml ini cfg conf cnf config xml html htm css "
		"scss less md mdx mdc rst txt text log lock csv tsv env pem "
		"key "
		"crt cer der csr p12 pfx jks kdbx gpg asc pub zip tar gz tgz "
		"bz2 "
		"xz 7z rar jar war so dll dylib o a exe bin out deb rpm apk "
		"iso "
		"img db sqlite sqlite3 dump bak pcap service timer socket "
		"mount "
		"rules list plist properties tf tfvars tfstate service-account "
		"ipynb pdf png jpg jpeg gif svg ico webp mp3 mp4 doc docx xls "
		"xlsx ppt pptx tmpl tpl j2 jinja mk cmake patch diff snap test "
		"enc kubeconfig history";
	char lower[16];

	if (!length || length >= sizeof(lower))
		return false;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return signature_names(known, lower, length);
}

static bool is_domain(const char *text, size_t length)
{
	static const char known[] =
		"com org net io dev edu gov mil int info biz co uk de fr nl eu "
		"us ca au jp cn ru ch at se no fi dk pl it es br in kr me tv "
		"app "
		"ai cloud sh xyz site online tech invalid example test local "
		"internal onion page link to gg so ly id is";
	char lower[16];

	if (!length || length >= sizeof(lower))
		return false;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return signature_names(known, lower, length);
}

/* "192.0.2.1", also with a port or a prefix length */
static bool is_address(const char *text, size_t length)
{
	size_t dots = 0, digits = 0, i = 0;

	for (; i < length; i++) {
		if (text[i] == '.' && digits && dots < 3) {
			dots++;
			digits = 0;
		} else if (isdigit((unsigned char)text[i]) && digits < 3) {
			digits++;
		} else {
			break;
		}
	}
	if (dots != 3 || !digits)
		return false;
	return i == length || text[i] == ':' || text[i] == '/';
}

/* "example.com", "host.example:8080", "localhost:3000" */
static bool is_host(const char *text, size_t length)
{
	size_t end = 0, dot = 0, colon;

	if (is_address(text, length))
		return true;
	while (end < length && (isalnum((unsigned char)text[end]) ||
				text[end] == '-' || text[end] == '.')) {
		if (text[end] == '.')
			dot = end;
		end++;
	}
	colon = end;
	if (colon < length) {
		if (text[colon] != ':' || colon + 1 == length)
			return false;
		for (size_t i = colon + 1; i < length; i++)
			if (!isdigit((unsigned char)text[i]))
				return false;
	}
	if (end == 9 && !memcmp(text, "localhost", 9))
		return true;
	if (!dot || dot + 1 >= end || *text == '.' || memchr(text, '_', end) ||
	    !is_domain(text + dot + 1, end - dot - 1))
		return false;
	/* "Node.js" and "setup.sh" are none, "install.sh" neither. */
	return colon < length || !is_suffix(text + dot + 1, end - dot - 1);
}

static bool is_variable(const char *text, size_t length)
{
	size_t from = 0;

	if (length > 1 && *text == '$') {
		from = text[1] == '{' ? 2 : 1;
		if (length - from > 4 && !strncasecmp(text + from, "env:", 4))
			from += 4;
		if (text[length - 1] == '}')
			length--;
	} else {
		return false;
	}
	for (size_t i = from; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return length > from && !isdigit((unsigned char)text[from]);
}

/* "DATABASE_URL": what in code is the name of a variable */
static bool is_constant(const char *text, size_t length)
{
	bool letter = false;

	for (size_t i = 0; i < length; i++) {
		letter = letter || isupper((unsigned char)text[i]);
		if (!isupper((unsigned char)text[i]) && text[i] != '_' &&
		    !isdigit((unsigned char)text[i]))
			return false;
	}
	return letter && length > 2 &&
	       (memchr(text, '_', length) || length > 4);
}

/* Could it be a path, byte by byte? */
static bool has_path_bytes(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (isspace((unsigned char)text[i]) ||
		    strchr("|;&\"'`!=\\^<>", text[i]))
			return false;
	return true;
}

static bool has_suffix(const char *text, size_t length)
{
	size_t dot = length;

	while (dot && text[dot - 1] != '.' && text[dot - 1] != '/')
		dot--;
	return dot > 1 && text[dot - 1] == '.' && dot < length &&
	       is_suffix(text + dot, length - dot);
}

/* @code: it stands in backquotes, where slashes are no "or" */
static bool is_path(const char *text, size_t length, bool code)
{
	size_t slashes = 0, words = 1;

	if (!length || length > AL_MAX_PATH || !has_path_bytes(text, length))
		return false;
	if (*text == '/') {
		size_t root = strcspn(text + 1, "/");

		if (root > length - 1)
			root = length - 1;
		/* "/review" is a command of an agent, "/docs/" the project's. */
		return length > 1 &&
		       (signature_value("roots", text + 1, root) ||
			strchr("*.{$<", text[1]) ||
			(!code && root + 2 < length));
	}
	if (*text == '~' && (length == 1 || text[1] == '/'))
		return true;
	if (!strncmp(text, "$HOME/", 6) || !strncmp(text, "${HOME}/", 8))
		return true;
	if (*text == '$' && memchr(text, '/', length))
		return code;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '/') {
			slashes++;
			words = i + 1 < length ? words + 1 : words;
		} else if (strchr("(),:?%@#", text[i])) {
			return false;
		}
	}
	if (!strncmp(text, "./", 2) || !strncmp(text, "../", 3))
		return true;
	if (*text == '.' && length > 1 && isalpha((unsigned char)text[1]) &&
	    (islower((unsigned char)text[1]) || slashes)) {
		if (!strncmp(text, ".env", 4) &&
		    (length == 4 || text[4] == '.'))
			return true;
		/* ".py files" are a kind of files, ".netrc" is one. */
		if (is_suffix(text + 1, length - 1))
			return false;
		return slashes || code || lexicon_name(text, length) ||
		       signature_value("listed-names", text, length);
	}
	if (lexicon_name(text, length))
		return code || memchr(text, '.', length) ||
		       memchr(text, '_', length);
	/* "tar.gz" is a kind of files. */
	if (has_suffix(text, length) && !memchr(text, '/', length) &&
	    !strncmp(text, "tar.", 4) && !code)
		return false;
	if (has_suffix(text, length))
		return isalnum((unsigned char)*text) ||
		       strchr("*_.<{[@", *text);
	if (signature_value("listed-names", text, length) && code)
		return true;
	if (!slashes)
		return false;
	if (code)
		return isalnum((unsigned char)*text) ||
		       strchr("*_.<{[@", *text);
	/* "src/lib/", "a/b/c"; "and/or", "read/write/execute" are words. */
	if (text[length - 1] == '/')
		return islower((unsigned char)*text);
	return false;
}

/* "<user-home>/x", "/dev/bpfN": places to fill in become "~" and "*". */
static const char *fill_in(struct prose *prose, const char *text, size_t length,
			   size_t *ret)
{
	char *out = arena_alloc(prose->arena, length + 2);
	size_t nr = 0;

	for (size_t i = 0; i < length; i++) {
		size_t end = i;
		char close = text[i] == '<' ? '>' : text[i] == '{' ? '}' : 0;

		if (text[i] == '$' && i + 1 < length) {
			size_t name = text[i + 1] == '{' ? i + 2 : i + 1;
			const char *value;

			end = name;
			while (end < length &&
			       (isalnum((unsigned char)text[end]) ||
				text[end] == '_'))
				end++;
			value = signature_value("variables", text + name,
						end - name);
			if (end < length && text[end] == '}')
				end++;
			if (end > name) {
				out[nr++] = value && !i && *value == '~' ? '~'
									 : '*';
				i = end - 1;
				continue;
			}
		}
		if (!close) {
			out[nr++] = text[i];
			continue;
		}
		while (end < length && text[end] != close)
			end++;
		if (end == length) {
			out[nr++] = text[i];
			continue;
		}
		/* "{a,b}" is a choice and stays. */
		if (close == '}' && memchr(text + i, ',', end - i)) {
			memcpy(out + nr, text + i, end - i + 1);
			nr += end - i + 1;
		} else {
			bool home = false;

			for (size_t k = i; k + 4 <= end && !home; k++)
				home = !strncasecmp(text + k, "home", 4);
			out[nr++] = home && !i ? '~' : '*';
		}
		i = end;
	}
	if (nr > 6 && !memcmp(out, "/dev/", 5) &&
	    (out[nr - 1] == 'N' || out[nr - 1] == 'X'))
		out[nr - 1] = '*';
	if (nr > 1 && *out == '~' && out[1] == '*')
		memmove(out + 1, out + 2, nr-- - 1);
	*ret = nr;
	return out;
}

/* ---- tokens */

static void token_says(struct prose *prose, struct token *token,
		       const char *text, size_t length)
{
	token->text = arena_strndup(prose->arena, text, length);
	token->length = length;
}

/* Lower case, "’" as "'", and without "'s". */
static void token_word(struct prose *prose, struct token *token,
		       const char *text, size_t length)
{
	char *lower = arena_alloc(prose->arena, length + 1);
	const struct lexeme *lexeme;
	char base[AL_MAX_WORD + 2];
	size_t nr = 0;

	for (size_t i = 0; i < length; i++) {
		if (i + 2 < length && !memcmp(text + i, "\xe2\x80\x99", 3)) {
			lower[nr++] = '\'';
			i += 2;
			continue;
		}
		lower[nr++] = (char)tolower((unsigned char)text[i]);
	}
	lexeme = lexicon_word(lower, nr);
	if (!lexeme && nr > 2 && !memcmp(lower + nr - 2, "'s", 2)) {
		nr -= 2;
		lower[nr] = '\0';
		lexeme = lexicon_word(lower, nr);
		/* "process's" is no verb. */
		if (lexeme) {
			token->classes = lexeme->classes;
			token->common = lexeme->common;
			token->program = lexeme->program;
		}
	} else {
		token->act = lexicon_verb(lower, nr, &token->form, base);
		if (lexeme) {
			token->classes = lexeme->classes;
			token->common = lexeme->common;
			token->program = lexeme->program;
			token->noun = lexeme->noun;
		}
	}
	token->lower = lower;
	token->nr = nr;
	token->capital = isupper((unsigned char)*text);
}

/* "HISTFILE", "DATABASE_URL": where a sentence has capitals for a name only */
static bool names_variable(const char *text, size_t length)
{
	return is_constant(text, length) &&
	       (signature_value("variables", text, length) ||
		memchr(text, '_', length) || !strncmp(text, "HIST", 4));
}

/* One word that is not code: letters, digits, and what holds them together. */
static void push_word(struct prose *prose, struct sentence *sentence,
		      size_t from, size_t to)
{
	const char *text = prose->segment->text;
	struct token *token;
	size_t digits = from;

	/* "#fetch", "@agent" */
	while (from + 1 < to && strchr("#@", text[from]))
		from++;
	digits = from;
	while (digits < to && (isdigit((unsigned char)text[digits]) ||
			       text[digits] == '.' || text[digits] == ','))
		digits++;
	if (digits == to) {
		token = push(prose, sentence, TOKEN_NUMBER, from, to);
		token_says(prose, token, text + from, to - from);
		return;
	}
	token = push(prose, sentence,
		     names_variable(text + from, to - from) ? TOKEN_VARIABLE
							    : TOKEN_WORD,
		     from, to);
	token_says(prose, token, text + from, to - from);
	if (token->kind == TOKEN_VARIABLE) {
		token->sure = !memchr(text + from, '_', to - from);
		return;
	}
	token_word(prose, token, text + from, to - from);
}

/* What a chunk or the inside of a code span is, other than words. */
static bool classify(struct prose *prose, const char *text, size_t length,
		     bool code, enum token_kind *ret)
{
	bool word = true;

	(void)prose;
	for (size_t i = 0; i < length && word; i++)
		word = isalpha((unsigned char)text[i]);
	if (word && !code)
		return false;
	if (url_scheme(text, length))
		*ret = TOKEN_URL;
	else if (is_variable(text, length))
		*ret = TOKEN_VARIABLE;
	else if (is_path(text, length, code))
		*ret = TOKEN_PATH;
	else if (is_host(text, length))
		*ret = TOKEN_HOST;
	else if (code && is_constant(text, length))
		*ret = TOKEN_VARIABLE;
	else
		return false;
	return true;
}

static void push_special(struct prose *prose, struct sentence *sentence,
			 enum token_kind kind, const char *text, size_t length,
			 size_t from, size_t to, bool code)
{
	struct token *token = push(prose, sentence, kind, from, to);

	if (kind == TOKEN_PATH)
		text = fill_in(prose, text, length, &length);
	if (kind == TOKEN_VARIABLE) {
		while (length && strchr("${", *text)) {
			text++;
			length--;
		}
		if (length > 4 && !strncasecmp(text, "env:", 4)) {
			text += 4;
			length -= 4;
		}
		if (length && text[length - 1] == '}')
			length--;
	}
	token_says(prose, token, text, length);
	token->code = code;
	token->sure = true;
}

/* A chunk with slashes or commas inside is several words. */
static void push_words(struct prose *prose, struct sentence *sentence,
		       size_t from, size_t to)
{
	const char *text = prose->segment->text;

	while (from < to && !full(sentence)) {
		size_t end = from;

		while (end < to && (isalnum((unsigned char)text[end]) ||
				    !strchr("/,+&|", text[end])))
			end++;
		if (end > from)
			push_word(prose, sentence, from, end);
		if (end < to)
			push_mark(prose, sentence, text[end] == ',' ? ',' : '/',
				  end, end + 1);
		from = end + 1;
	}
}

static bool is_abbreviation(const char *text, size_t length)
{
	static const char known[] = "e.g i.e etc vs approx incl cf no fig resp";
	char lower[8];

	if (length >= sizeof(lower))
		return false;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return signature_names(known, lower, length);
}

/* Does what follows a full stop begin a sentence? */
static bool begins(const char *text, size_t length, size_t at)
{
	if (at < length && !is_space(text[at]) && text[at] != '\n' &&
	    !strchr("\"')]", text[at]))
		return isupper((unsigned char)text[at]);
	while (at < length && (is_space(text[at]) || strchr("\"')]", text[at])))
		at++;
	return at >= length || !islower((unsigned char)text[at]);
}

/* What may end a chunk, or tell what it is. */
static bool is_plain(char c)
{
	static const char plain[256] = {
		['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['0' ... '9'] = 1,
		['-'] = 1,	   ['_'] = 1,	      ['.'] = 1,
		['/'] = 1,	   ['\''] = 1,	      ['$'] = 1,
	};

	return plain[(unsigned char)c];
}

/* The end of a chunk; brackets belong to the chunk in a path or URL only. */
static size_t chunk_end(const char *text, size_t from, size_t length)
{
	bool path = strchr("/~<$.", text[from]) != NULL;
	size_t end = from, limit = from + PROSE_MAX_WORD;
	bool url = false;
	int braces = 0, round = 0;

	if (limit > length)
		limit = length;
	for (; end < limit; end++) {
		char c = text[end];

		if (is_plain(c))
			continue;
		if (is_space(c) || c == '\n' || c == '`' || c == '"')
			break;
		if (c == ':' && end + 2 < length && text[end + 1] == '/' &&
		    text[end + 2] == '/')
			url = true;
		if (c == '{')
			braces++;
		else if (c == '}')
			braces--;
		else if (c == '(')
			round++;
		else if (c == ')')
			round--;
		if (url ? (c == ')' && round < 0) || strchr("<>", c) || !c
			: strchr("()", c) != NULL)
			break;
		if (!url && !path && (strchr("[]<>{}", c) || !c))
			break;
		if (!url && path && strchr("[];", c) && end > from)
			break;
		if (!url && (c == ',' || c == ';') && braces <= 0 &&
		    (end + 1 == length || is_space(text[end + 1]) ||
		     text[end + 1] == '\n'))
			break;
		if ((unsigned char)c == 0xe2 && end + 2 < length &&
		    (unsigned char)text[end + 1] == 0x80 &&
		    (unsigned char)text[end + 2] != 0x99)
			break;
	}
	return end;
}

/* @ret_stop: it ends in a full stop; the chunk's end without marks. */
static size_t chunk_trim(const char *text, size_t from, size_t end)
{
	while (end > from + 1 && strchr(".,:;!?'*_", text[end - 1]) &&
	       !(text[end - 1] == '*' && end > from + 1 &&
		 strchr("/.", text[end - 2])))
		end--;
	return end;
}

/* Characters outside of ASCII that are marks: how long, which; 0: none. */
static size_t wide_mark(const char *text, size_t length, char *ret)
{
	static const struct {
		const char *bytes;
		char mark;
	} known[] = {
		{ "\xe2\x80\x94", MARK_DASH },	/* em dash */
		{ "\xe2\x80\x93", MARK_DASH },	/* en dash */
		{ "\xe2\x86\x92", MARK_DASH },	/* arrow */
		{ "\xe2\x9d\x8c", MARK_WRONG }, /* cross mark */
		{ "\xe2\x9c\x97", MARK_WRONG },
		{ "\xe2\x9c\x98", MARK_WRONG },
		{ "\xe2\x9b\x94", MARK_WRONG },	    /* no entry */
		{ "\xf0\x9f\x9a\xab", MARK_WRONG }, /* prohibited */
		{ "\xe2\x9c\x85", ';' },	    /* check mark */
		{ "\xe2\x9c\x94", ';' },
		{ "\xe2\x80\x9c", 0 },
		{ "\xe2\x80\x9d", 0 },
		{ "\xe2\x80\x98", 0 },
		{ "\xe2\x80\xa6", 0 },
		{ "\xe2\x80\xa2", ';' },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t nr = strlen(known[i].bytes);

		if (nr <= length && !memcmp(text, known[i].bytes, nr)) {
			*ret = known[i].mark;
			return nr;
		}
	}
	return 0;
}

/* A code span at a backquote: where its text is, and its end; 0: none. */
static size_t span_end(struct prose *prose, size_t at, size_t *ret_from,
		       size_t *ret_to)
{
	const struct segment *segment = prose->segment;
	const char *text = segment->text, *close;
	size_t length = segment->length - at, limit = 4096;

	while (prose->inline_at < segment->nr_inlines) {
		const struct segment *span =
			&segment->inlines[prose->inline_at];
		size_t first = span->length ? span->origin[0] : span->start;

		if (first < segment->origin[at + (at + 1 < segment->length)]) {
			prose->inline_at++;
			continue;
		}
		if (span->length && at + span->length + 2 <= segment->length &&
		    text[at + 1 + span->length] == '`' &&
		    !memcmp(text + at + 1, span->text, span->length)) {
			prose->inline_at++;
			*ret_from = at + 1;
			*ret_to = at + 1 + span->length;
			return *ret_to + 1;
		}
		break;
	}
	if (length > limit)
		length = limit;
	close = length > 1 ? memchr(text + at + 1, '`', length - 1) : NULL;
	if (!close || close == text + at + 1)
		return 0;
	*ret_from = at + 1;
	*ret_to = (size_t)(close - text);
	return *ret_to + 1;
}

static void push_span(struct prose *prose, struct sentence *sentence, size_t at,
		      size_t from, size_t to, size_t end)
{
	const char *text = prose->segment->text;
	enum token_kind kind;
	struct token *token;

	while (from < to && isspace((unsigned char)text[from]))
		from++;
	while (to > from && isspace((unsigned char)text[to - 1]))
		to--;
	if (classify(prose, text + from, to - from, true, &kind)) {
		push_special(prose, sentence, kind, text + from, to - from, at,
			     end, true);
		return;
	}
	token = push(prose, sentence, TOKEN_SPAN, at, end);
	token_says(prose, token, text + from, to - from);
	token->code = true;
	/* One word can be part of a phrase: "the `root` group". */
	for (size_t i = from; i < to; i++)
		if (!is_name(text[i]) && text[i] != '.')
			return;
	if (to - from <= AL_MAX_WORD) {
		token_word(prose, token, text + from, to - from);
		token->act = ACT_NONE;
		token->noun = ACT_NONE;
		token->classes &= WORD_TOOLNOUN | WORD_SYSTEM;
	}
}

/* A chunk's tokens; true: the sentence ends with it. */
static bool push_chunk(struct prose *prose, struct sentence *sentence,
		       size_t from, size_t end)
{
	const char *text = prose->segment->text;
	size_t length = prose->segment->length;
	size_t to = chunk_trim(text, from, end);
	enum token_kind kind;
	bool number = true;

	for (size_t i = from; i < to; i++)
		number = number && isdigit((unsigned char)text[i]);
	if (to - from == 1 && (!is_name(text[from]) || text[from] == '-')) {
		if (text[from] == '/') {
			/* Between words it is an "or". */
			const struct token *before =
				sentence->nr ? &sentence->list[sentence->nr - 1]
					     : NULL;

			if (before && token_has(before, WORD_PREPOSITION))
				push_special(prose, sentence, TOKEN_PATH, "/",
					     1, from, to, false);
			else
				push_mark(prose, sentence, '/', from, to);
		} else if (text[from] == '-') {
			push_mark(prose, sentence, MARK_DASH, from, to);
		} else if (strchr(",;:", text[from])) {
			push_mark(prose, sentence, text[from], from, to);
		} else if (strchr(".!?", text[from])) {
			return begins(text, length, end);
		} else if (text[from] == '~') {
			push_special(prose, sentence, TOKEN_PATH, "~/", 2, from,
				     to, false);
		}
		return false;
	}
	if (to - from == 2 && !memcmp(text + from, "--", 2)) {
		push_mark(prose, sentence, MARK_DASH, from, to);
		return false;
	}
	if (number && to < end && text[to] == '.' && end - to == 1) {
		push_mark(prose, sentence, MARK_ITEM, from, end);
		return false;
	}
	if (classify(prose, text + from, to - from, false, &kind))
		push_special(prose, sentence, kind, text + from, to - from,
			     from, to, false);
	else
		push_words(prose, sentence, from, to);
	for (size_t i = to; i < end; i++) {
		if (text[i] == ',' || text[i] == ';' || text[i] == ':') {
			push_mark(prose, sentence, text[i], i, i + 1);
		} else if (strchr(".!?", text[i])) {
			if (is_abbreviation(text + from, to - from))
				continue;
			if (i + 1 == end)
				return begins(text, length, end);
		}
	}
	return false;
}

/* ---- phrases */

/* The longest phrase that begins at a token. */
static void find_phrase(struct sentence *sentence, size_t at)
{
	struct token *first = &sentence->list[at];
	const struct phrase *phrase = phrase_root();
	enum act act = ACT_NONE;
	size_t acts = 0;

	for (size_t i = at; i < sentence->nr && i < at + 12 && phrase; i++) {
		const struct token *token = &sentence->list[i];

		if (token->kind == TOKEN_MARK) {
			if (!strchr("()/", token->mark))
				break;
			phrase = phrase_next(phrase, &token->mark, 1);
		} else if (token->nr) {
			phrase = phrase_next(phrase, token->lower, token->nr);
		} else {
			phrase =
				phrase_next(phrase, token->text, token->length);
		}
		if (!phrase)
			break;
		if (phrase->thing) {
			first->thing = phrase->thing;
			first->things = i - at + 1;
		}
		if (phrase->act != ACT_NONE) {
			act = phrase->act;
			acts = i - at + 1;
		}
	}
	if (act != ACT_NONE && acts >= first->things) {
		/* "remote file copy" does not begin with a verb: a noun. */
		const struct token *last = &sentence->list[at + acts - 1];

		if (first->form == FORM_NONE)
			first->noun = act;
		else
			first->act = act;
		if (last->form == FORM_GERUND)
			first->form = FORM_GERUND;
		first->thing = NULL;
		first->things = 0;
		for (size_t i = at + 1; i < at + acts; i++) {
			struct token *token = &sentence->list[i];

			token->act = ACT_NONE;
			token->noun = ACT_NONE;
			token->classes = 0;
		}
	}
}

/* "turn the firewall off" */
static void find_particle(struct sentence *sentence, size_t at)
{
	struct token *first = &sentence->list[at];
	const struct phrase *phrase;

	phrase = phrase_next(phrase_root(), first->lower, first->nr);
	if (!phrase)
		return;
	for (size_t i = at + 2; i < sentence->nr && i < at + 7; i++) {
		struct token *token = &sentence->list[i];
		const struct phrase *last;

		if (token->kind == TOKEN_MARK)
			return;
		if (!token_is(token, "off") && !token_is(token, "on") &&
		    !token_is(token, "down") && !token_is(token, "up"))
			continue;
		last = phrase_next(phrase, token->lower, token->nr);
		if (last && last->act != ACT_NONE) {
			first->act = last->act;
			token->classes = 0;
		}
		return;
	}
}

static void find_phrases(struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->nr; i++) {
		struct token *token = &sentence->list[i];

		if (token->kind == TOKEN_MARK || token->kind == TOKEN_NUMBER)
			continue;
		find_phrase(sentence, i);
		if (token->nr && token->act == ACT_ORDINARY)
			find_particle(sentence, i);
		if (token->things > 1)
			i += token->things - 1;
	}
}

/* ---- */

/* Words that begin a sentence though no full stop is before them. */
static bool starts_anew(const struct token *token)
{
	return token->kind == TOKEN_WORD && token->capital &&
	       (token_is(token, "upon") || token_is(token, "note") ||
		token_is(token, "reference") || token_is(token, "references"));
}

bool sentence_next(struct prose *prose, struct sentence *ret)
{
	const struct segment *segment = prose->segment;
	const char *text = segment->text;
	size_t at = prose->at;

	*ret = (struct sentence){ .list = prose->tokens, .from = at };
	while (at < segment->length && !full(ret)) {
		size_t nr, from, to;
		char c = text[at], mark;

		if (c == '\n') {
			at++;
			if (ret->nr)
				break;
			continue;
		}
		if (!isalnum((unsigned char)c) &&
		    (is_space(c) || strchr("\"'[]{}<>*_|=", c))) {
			bool placeholder = c == '<' &&
					   at + 1 < segment->length &&
					   isalpha((unsigned char)text[at + 1]);

			if (!placeholder) {
				at++;
				continue;
			}
			from = at;
			while (from < segment->length && from - at < 64 &&
			       text[from] != '>' && text[from] != '\n')
				from++;
			if (from + 1 >= segment->length || text[from] != '>' ||
			    text[from + 1] != '/') {
				at++;
				continue;
			}
		}
		if (c == '(' || c == ')') {
			push_mark(prose, ret, c, at, at + 1);
			at++;
			continue;
		}
		if (c == '`') {
			size_t end = span_end(prose, at, &from, &to);

			if (end)
				push_span(prose, ret, at, from, to, end);
			at = end ? end : at + 1;
			continue;
		}
		nr = (unsigned char)c < 0x80
			     ? 0
			     : wide_mark(text + at, segment->length - at,
					 &mark);
		if (nr) {
			if (mark)
				push_mark(prose, ret, mark, at, at + nr);
			at += nr;
			continue;
		}
		to = chunk_end(text, at, segment->length);
		if (to == at)
			to = at + 1;
		nr = ret->nr;
		if (push_chunk(prose, ret, at, to)) {
			at = to;
			if (ret->nr)
				break;
			continue;
		}
		if (nr && ret->nr > nr && starts_anew(&ret->list[nr])) {
			ret->nr = nr;
			break;
		}
		at = to;
	}
	ret->to = at;
	prose->at = at;
	find_phrases(ret);
	return ret->nr > 0;
}
