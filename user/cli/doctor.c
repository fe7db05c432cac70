// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia doctor - what this machine can and cannot do, and what to do
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/companion.h"
#include "base/memory.h"
#include "branch/branch.h"
#include "cli/command.h"
#include "guard/guard.h"

/**
 * struct finding - one thing that was tried
 * @id:		for machines
 * @what:	for people
 * @needed:	without it no rule can be tested here (but perhaps in a VM)
 * @ok:		it works
 * @reason:	why not, owned
 * @hint:	what to do, owned
 */
struct finding {
	const char *id;
	const char *what;
	bool needed;
	bool ok;
	char *reason;
	char *hint;
};

struct report {
	struct finding findings[16];
	size_t nr;
	char **absent_hooks;
};

static struct finding *add(struct report *report, const char *id,
			   const char *what, bool needed)
{
	struct finding *finding = &report->findings[report->nr++];

	finding->id = id;
	finding->what = what;
	finding->needed = needed;
	finding->ok = true;
	return finding;
}

static void say_no(struct finding *finding, const char *reason,
		   const char *hint)
{
	finding->ok = false;
	finding->reason = xstrdup(reason);
	finding->hint = hint ? xstrdup(hint) : NULL;
}

static void take_error(struct finding *finding, struct error **err)
{
	say_no(finding, (*err)->message, (*err)->hint);
	error_done(err);
}

static void try_root(struct report *report)
{
	struct finding *finding =
		add(report, "root", "may make namespaces and load policies", true);

	if (geteuid())
		say_no(finding, "you are not root",
		       "run it as root, for example with sudo");
}

static void try_guard(struct report *report)
{
	struct finding *finding = add(report, "enforce",
				      "the kernel enforces (BPF LSM)", true);
	struct error *err = NULL;

	if (guard_probe(&err))
		take_error(finding, &err);
}

/* Everything that a test needs of namespaces, cgroups and overlayfs. */
static void try_branches(struct report *report)
{
	struct finding *finding =
		add(report, "branches",
		    "branches: cgroup v2, namespaces, overlayfs with index=on",
		    true);
	struct campaign *campaign = NULL;
	struct error *err = NULL;

	if (geteuid())
		say_no(finding, "only root can try", NULL);
	else if (campaign_open(&campaign, &err))
		take_error(finding, &err);
	campaign_close(campaign);
}

static void try_companion(struct report *report, const char *id,
			  const char *what, const char *name)
{
	struct finding *finding = add(report, id, what, !!strcmp(id, "vm"));
	char *path cleanup_free = NULL;
	struct error *err = NULL;

	if (companion_find(name, &path, &err))
		take_error(finding, &err);
}

static bool in_path(const char *name)
{
	char *path cleanup_free = xstrdup(getenv("PATH") ? getenv("PATH") : "");
	char *save = NULL, *directory;

	for (directory = strtok_r(path, ":", &save); directory;
	     directory = strtok_r(NULL, ":", &save)) {
		char *file cleanup_free = xasprintf("%s/%s", directory, name);

		if (!access(file, X_OK))
			return true;
	}
	return false;
}

static void try_vm(struct report *report)
{
	struct finding *finding;

	try_companion(report, "vm", "the VM's script", "vm");
	finding = add(report, "qemu", "a VM can run (qemu)", false);
	if (!in_path("qemu-system-x86_64"))
		say_no(finding, "qemu-system-x86_64 is not installed",
		       "install the package qemu-system-x86 (scripts/deps "
		       "does)");
}

/* Which hooks a loaded guard would lack here. */
static void list_hooks(struct report *report)
{
	struct guard *guard = NULL;
	const char *const *names;
	size_t nr = 0;

	if (guard_open(&guard, NULL))
		return;
	for (names = guard_not_represented(guard); names[nr]; nr++)
		;
	report->absent_hooks = xzalloc((nr + 1) * sizeof(*names));
	for (nr = 0; names[nr]; nr++)
		report->absent_hooks[nr] = xstrdup(names[nr]);
	guard_close(guard);
}

static void print_text(const struct report *report)
{
	struct utsname uts;
	size_t i;

	if (!uname(&uts))
		printf("kernel %s, aletheia %s\n", uts.release, AL_VERSION);
	for (i = 0; i < report->nr; i++) {
		const struct finding *finding = &report->findings[i];

		printf("%-4s %s\n", finding->ok ? "yes" : "no", finding->what);
		if (finding->reason)
			printf("       because: %s\n", finding->reason);
		if (finding->hint)
			printf("       to do:   %s\n", finding->hint);
	}
	for (i = 0; report->absent_hooks && report->absent_hooks[i]; i++)
		printf("not represented here: %s (the kernel lacks the hook)\n",
		       report->absent_hooks[i]);
}

static void print_json(const struct report *report)
{
	json_t *checks = json_array(), *hooks = json_array(), *json;
	struct utsname uts = { .release = "" };
	size_t i;

	uname(&uts);
	for (i = 0; i < report->nr; i++) {
		const struct finding *finding = &report->findings[i];

		json_array_append_new(
			checks, json_pack("{s:s, s:s, s:b, s:b, s:s?, s:s?}",
					  "id", finding->id, "what",
					  finding->what, "needed",
					  finding->needed, "ok", finding->ok,
					  "reason", finding->reason, "hint",
					  finding->hint));
	}
	for (i = 0; report->absent_hooks && report->absent_hooks[i]; i++)
		json_array_append_new(hooks,
				      json_string(report->absent_hooks[i]));
	json = json_pack("{s:s, s:s, s:o, s:o}", "version", AL_VERSION, "kernel",
			 uts.release, "checks", checks, "not_represented",
			 hooks);
	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
}

static void report_done(struct report *report)
{
	size_t i;

	for (i = 0; i < report->nr; i++) {
		free(report->findings[i].reason);
		free(report->findings[i].hint);
	}
	for (i = 0; report->absent_hooks && report->absent_hooks[i]; i++)
		free(report->absent_hooks[i]);
	free(report->absent_hooks);
}

static int diagnose(bool json)
{
	struct report report = { .nr = 0 };
	bool here = true, in_vm = true;
	size_t i;

	try_root(&report);
	try_guard(&report);
	try_branches(&report);
	try_companion(&report, "scripted", "the scripted agent",
		      "aletheia-scripted");
	try_companion(&report, "transfer", "the bundled transfer tool",
		      "aletheia-transfer");
	try_vm(&report);
	for (i = 0; i < report.nr; i++) {
		if (!report.findings[i].needed)
			in_vm &= report.findings[i].ok;
		else
			here &= report.findings[i].ok;
	}
	if (here)
		list_hooks(&report);
	if (json)
		print_json(&report);
	else
		print_text(&report);
	report_done(&report);
	if (!json)
		printf("%s\n",
		       here  ? "Rules can be tested on this machine." :
		       in_vm ? "Rules can be tested in a VM on this machine "
			       "(--vm auto does so by itself)." :
			       "Rules cannot be tested on this machine yet.");
	return here || in_vm ? 0 : ERROR_MACHINE;
}

int command_doctor(int argc, char **argv)
{
	enum { OPTION_FORMAT = 256, OPTION_CAN_ENFORCE };
	static const struct option table[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "can-enforce", no_argument, NULL, OPTION_CAN_ENFORCE },
		{ NULL, 0, NULL, 0 },
	};
	struct common common = { 0 };
	bool json = false, can_enforce = false;
	int option;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, table, NULL)) !=
	       -1) {
		if (common_option(option, &common)) {
			if (common.done)
				return common.status;
			continue;
		}
		if (option == OPTION_CAN_ENFORCE) {
			can_enforce = true;
			continue;
		}
		json = !strcmp(optarg, "json");
		if (!json && strcmp(optarg, "text"))
			return usage_error("--format is text or json, not "
					   "\"%s\"", optarg);
	}
	if (optind < argc)
		return usage_error("doctor takes no argument, not \"%s\"",
				   argv[optind]);
	if (can_enforce)
		return guard_probe(NULL) ? ERROR_MACHINE : 0;
	return diagnose(json);
}
