// SPDX-License-Identifier: GPL-2.0-only
/*
 * record_compare A B - are two saved records equal after normalisation? Says
 * where they differ; exit status 0: equal, 1: not, 2: not readable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static size_t nr_differences;

static void say(const char *path, const json_t *a, const json_t *b)
{
	char *x = json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT);
	char *y = json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT);

	if (nr_differences++ < 20)
		printf("%s\n  %.300s\n  %.300s\n", path, x ? x : "(nothing)",
		       y ? y : "(nothing)");
	free(x);
	free(y);
}

static void compare(const char *path, const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;
	char *below;
	size_t i;

	if (json_equal(a, b))
		return;
	if (json_is_object(a) && json_is_object(b) &&
	    json_object_size(a) == json_object_size(b)) {
		json_object_foreach((json_t *)a, key, value)
		{
			below = xasprintf("%s.%s", path, key);
			compare(below, value, json_object_get(b, key));
			free(below);
		}
	} else if (json_is_array(a) && json_is_array(b) &&
		   json_array_size(a) == json_array_size(b)) {
		json_array_foreach(a, i, value)
		{
			below = xasprintf("%s[%zu]", path, i);
			compare(below, value, json_array_get(b, i));
			free(below);
		}
	} else {
		say(path, a, b);
	}
}

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *json = json_load_file(path, JSON_ALLOW_NUL, &error), *normal;

	if (!json) {
		fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
		exit(2);
	}
	normal = record_normalise(json);
	json_decref(json);
	return normal;
}

int main(int argc, char **argv)
{
	json_t *a, *b;

	if (argc != 3)
		return 2;
	a = load(argv[1]);
	b = load(argv[2]);
	compare("record", a, b);
	json_decref(a);
	json_decref(b);
	return !!nr_differences;
}
