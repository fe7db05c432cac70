// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia test - from a manifest to a verdict
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/error_json.h"
#include "cli/vm.h"
#include "interpret/interpret.h"
#include "report/report.h"
#include "run/run.h"

#define MAX_RECORD_SIZE (1u << 30)

struct options {
	struct common common;
	const char *manifest;
	const char *output;
	const char *reasons;
	const char *kernel;
	unsigned int jobs;
	bool json;
	bool keep;
	bool inside; /* this is the run inside the VM */
	enum vm_mode vm;
};

enum {
	OPTION_FORMAT = 256,
	OPTION_VM,
	OPTION_KERNEL,
	OPTION_KEEP,
	OPTION_REASONS,
	OPTION_INSIDE,
};

static int parse_jobs(const char *text, unsigned int *ret)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || value < 1 || value > 256)
		return usage_error("--jobs needs a number from 1 to 256, not "
				   "\"%s\"", text);
	*ret = (unsigned int)value;
	return 0;
}

static int parse_option(int option, struct options *options)
{
	int mode;

	switch (option) {
	case OPTION_FORMAT:
		options->json = !strcmp(optarg, "json");
		if (!options->json && strcmp(optarg, "text"))
			return usage_error("--format is text or json, not "
					   "\"%s\"", optarg);
		return 0;
	case OPTION_VM:
		mode = vm_mode_parse(optarg);
		if (mode < 0)
			return usage_error("--vm is auto, always or never, not "
					   "\"%s\"", optarg);
		options->vm = (enum vm_mode)mode;
		return 0;
	case OPTION_KERNEL:
		options->kernel = optarg;
		return 0;
	case OPTION_KEEP:
		options->keep = true;
		return 0;
	case OPTION_REASONS:
		options->reasons = optarg;
		return 0;
	case OPTION_INSIDE:
		options->inside = true;
		options->vm = VM_NEVER;
		return 0;
	case 'o':
		options->output = optarg;
		return 0;
	case 'j':
		return parse_jobs(optarg, &options->jobs);
	default:
		return ERROR_USAGE;
	}
}

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option table[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "output", required_argument, NULL, 'o' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "reasons", required_argument, NULL, OPTION_REASONS },
		{ "keep", no_argument, NULL, OPTION_KEEP },
		{ "vm", required_argument, NULL, OPTION_VM },
		{ "kernel", required_argument, NULL, OPTION_KERNEL },
		{ "inside-vm", no_argument, NULL, OPTION_INSIDE },
		{ NULL, 0, NULL, 0 },
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int option, status;

	options->jobs = cpus > 0 ? (unsigned int)cpus : 1;
	options->kernel = "6.12";
	while ((option = getopt_long(argc, argv, COMMON_SHORT "o:j:", table,
				     NULL)) != -1) {
		if (common_option(option, &options->common)) {
			if (options->common.done)
				return options->common.status;
			continue;
		}
		status = parse_option(option, options);
		if (status)
			return status;
	}
	if (argc - optind > 1)
		return usage_error("one manifest at a time, not also \"%s\"",
				   argv[optind + 1]);
	options->manifest = argv[optind];
	if (!options->manifest)
		return usage_error("name a manifest, or a directory that holds "
				   "manifest.yaml");
	return 0;
}

/* One line per step; on a terminal it is overwritten by the next. */
static void print_progress(const char *what, size_t done, size_t total,
			   void *context)
{
	bool terminal = *(bool *)context;

	if (terminal)
		fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, total, what);
	else
		fprintf(stderr, "[%zu/%zu] %s\n", done, total, what);
	fflush(stderr);
}

static void print_kept(const char *directory, void *context)
{
	fprintf(stderr, "%sWhat the branches wrote is kept in %s\n",
		*(bool *)context ? "\r\033[K" : "", directory);
}

/* Who asked for JSON gets the errors that way as well. */
static int fail_test(const struct options *options, struct error **err)
{
	json_t *json;

	if (!options->json && !options->inside)
		return fail(err);
	json = errors_to_json(*err);
	if (options->inside) {
		json_dump_file(json, options->output, JSON_INDENT(2));
	} else {
		json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
		putchar('\n');
	}
	json_decref(json);
	return fail(err);
}

static int print_record(const struct options *options,
			const struct record *record)
{
	json_t *json;

	if (!options->json) {
		report_text(record, use_colour(stdout),
			    options->common.verbose, stdout);
		return 0;
	}
	json = record_to_json(record);
	if (json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII))
		clearerr(stdout); /* close_stdout() says why */
	putchar('\n');
	json_decref(json);
	return 0;
}

static int save_record(const struct options *options,
		       const struct record *record, struct error **err)
{
	json_t *json;
	char *text;
	int r;

	if (!options->output)
		return 0;
	json = record_to_json(record);
	text = json_dumps(json, JSON_INDENT(2));
	json_decref(json);
	if (!text)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "the record cannot be written as JSON");
	r = file_write_atomic(options->output, text, strlen(text), 0644, err);
	free(text);
	return r;
}

static int test_here(const struct options *options, const struct input *input,
		     struct record **ret, struct error **err)
{
	bool terminal = isatty(STDERR_FILENO);
	struct run_options run = {
		.jobs = options->jobs,
		.keep = options->keep,
		.progress = options->common.quiet ? NULL : print_progress,
		.kept = print_kept,
		.context = &terminal,
	};
	struct reasons *reasons = NULL;
	int r;

	r = reasons_load(options->reasons, &reasons, err);
	if (!r)
		r = run_test(input, &run, ret, err);
	if (terminal && !options->common.quiet)
		fputs("\r\033[K", stderr);
	if (!r) {
		(*ret)->vm = options->inside;
		interpret_record(*ret, reasons);
	}
	reasons_free(reasons);
	return r;
}

/* A record, or, where nothing was judged, the errors that were printed. */
static int take_result(const struct options *options, const char *directory,
		       int status, struct record **ret, struct error **err)
{
	char *path cleanup_free = xasprintf("%s/record.json", directory);
	struct buffer text cleanup_buffer = { 0 };
	json_t *json;
	int r;

	r = file_read(AT_FDCWD, path, MAX_RECORD_SIZE, &text,
		      status > 2 ? NULL : err);
	if (status > 2) {
		if (options->json && !r)
			printf("%s\n", buffer_text(&text));
		return 0;
	}
	if (r)
		return r;
	json = json_loadb(buffer_text(&text), text.length, 0, NULL);
	if (!json)
		return error_set(err, ERROR_INTERNAL, EBADMSG,
				 "the VM left no readable record");
	r = record_from_json(json, ret, err);
	json_decref(json);
	return r;
}

/* In the VM the same program runs the same test and leaves its record. */
static int test_in_vm(const struct options *options, struct record **ret,
		      int *ret_status, struct error **err)
{
	char directory[] = "/tmp/aletheia.XXXXXX";
	char *jobs cleanup_free = xasprintf("%u", options->jobs);
	char *record cleanup_free = NULL;
	const char *arguments[16] = {
		"test", "--inside-vm", "-o", VM_OUTPUT "/record.json",
		"-j",	jobs,
	};
	size_t nr = 6;
	int r;

	if (!mkdtemp(directory))
		return error_set(err, ERROR_MACHINE, errno, "%s: %s", directory,
				 strerror(errno));
	record = xasprintf("%s/record.json", directory);
	if (options->common.quiet)
		arguments[nr++] = "-q";
	if (options->reasons) {
		arguments[nr++] = "--reasons";
		arguments[nr++] = options->reasons;
	}
	arguments[nr++] = "--";
	arguments[nr++] = options->manifest;
	r = vm_run(arguments, options->kernel, directory, ret_status, err);
	if (!r)
		r = take_result(options, directory, *ret_status, ret, err);
	unlink(record);
	rmdir(directory);
	return r;
}

static int run_here_or_in_vm(const struct options *options,
			     struct record **ret, int *ret_status,
			     struct error **err)
{
	struct error *reason cleanup_error = NULL;
	struct input *input cleanup_input = NULL;
	bool in_vm;
	int r;

	/* What is wrong in the inputs need not wait for a machine to boot. */
	r = input_load(options->manifest, &input, err);
	if (r)
		return r;
	if (options->inside)
		return test_here(options, input, ret, err);
	r = vm_wanted(options->vm, &in_vm, &reason, err);
	if (r || !in_vm)
		return r ? r : test_here(options, input, ret, err);
	if (options->keep) {
		r = error_set(err, ERROR_MACHINE, ENOTSUP,
			      "nothing can be kept of what runs in a VM");
		error_hint(err, "leave --keep out, or use --vm never on a "
				"machine whose kernel enforces");
		return r;
	}
	if (!options->common.quiet)
		fprintf(stderr,
			"aletheia: %s; running in a VM with a Debian %s kernel\n",
			reason ? reason->message : "asked to", options->kernel);
	return test_in_vm(options, ret, ret_status, err);
}

int command_test(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err cleanup_error = NULL;
	struct record *record = NULL;
	int status = 0, r;

	r = parse_options(argc, argv, &options);
	if (r || options.common.done)
		return r;
	r = run_here_or_in_vm(&options, &record, &status, &err);
	if (!r && !record) /* the one in the VM has said why */
		return status;
	if (!r)
		r = save_record(&options, record, &err);
	if (r == -EINTR)
		return 130;
	if (r) {
		record_free(record);
		return fail_test(&options, &err);
	}
	if (!options.inside)
		print_record(&options, record);
	status = verdict_exit(record->verdict, record_error_kind(record));
	record_free(record);
	return status;
}
