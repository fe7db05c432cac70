// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scripted agent, run as a program on rules made for the purpose.
 */
#include "harness.h"

#include <grp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"

#define AGENT TEST_BUILD "/aletheia-scripted"

/* Nobody: the tests may run as root, the agent never does. */
enum { NOBODY = 65534 };

/**
 * agent - a directory with rule.md, ws/ and solution/, and what came of a run
 * @dir:	the directory
 * @events:	what the agent said, an array
 * @status:	its exit status
 */
FIXTURE(agent)
{
	const char *dir;
	json_t *events;
	int status;
};

static char *in(const FIXTURE(agent) * self, const char *name)
{
	return xasprintf("%s/%s", self->dir, name);
}

static void put_n(const FIXTURE(agent) * self, const char *name,
		  const char *data, size_t length)
{
	char *path cleanup_free = in(self, name);
	int fd cleanup_close =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(fd_write_all(fd, data, length), 0);
}

static void put(const FIXTURE(agent) * self, const char *name, const char *text)
{
	put_n(self, name, text, strlen(text));
}

static bool there(const FIXTURE(agent) * self, const char *name)
{
	char *path cleanup_free = in(self, name);
	struct stat st;

	return !lstat(path, &st);
}

static void make(const FIXTURE(agent) * self, const char *name)
{
	char *path cleanup_free = in(self, name);

	ASSERT_EQ(mkdir(path, 0755), 0);
}

static struct stat status_of(const FIXTURE(agent) * self, const char *name)
{
	char *path cleanup_free = in(self, name);
	struct stat st = { 0 };

	EXPECT_EQ(lstat(path, &st), 0);
	return st;
}

static char *get(const FIXTURE(agent) * self, const char *name)
{
	char *path cleanup_free = in(self, name);
	struct buffer text = { 0 };

	if (file_read(AT_FDCWD, path, 1 << 20, &text, NULL))
		return xstrdup("(cannot be read)");
	buffer_add(&text, "", 0);
	return text.data;
}

#define EXPECT_FILE(self, name, text)                                          \
	do {                                                                   \
		char *have_ cleanup_free = get(self, name);                    \
		EXPECT_STREQ(have_, text);                                     \
	} while (0)

FIXTURE_SETUP(agent)
{
	self->dir = test_dir();
	make(self, "ws");
	make(self, "solution");
	put(self, "solution/answer", "42\n");
	put(self, "rule.md", "");
}

FIXTURE_TEARDOWN(agent)
{
	json_decref(self->events);
}

/* A child, its standard output in a pipe. */
static pid_t start(const FIXTURE(agent) * self, char *const *argv, int uid,
		   int *ret_output)
{
	int output[2];
	pid_t pid;

	ASSERT_EQ(pipe2(output, O_CLOEXEC), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		dup2(output[1], STDOUT_FILENO);
		if (chdir(self->dir) ||
		    (uid >= 0 &&
		     (setgroups(0, NULL) ||
		      setresgid((gid_t)uid, (gid_t)uid, (gid_t)uid) ||
		      setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid))))
			_exit(111);
		execv(argv[0], argv);
		_exit(112);
	}
	close(output[1]);
	*ret_output = output[0];
	return pid;
}

/* Read the agent's lines until it ends. Strays do not have its pipe. */
static void finish(FIXTURE(agent) * self, pid_t pid, int output)
{
	struct buffer text cleanup_buffer = { 0 };
	char *line, *rest = NULL;
	int status;

	ASSERT_EQ(fd_read_all(output, 16 << 20, &text), 0);
	close(output);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	self->status = WEXITSTATUS(status);
	json_decref(self->events);
	self->events = json_array();
	if (!text.data)
		return;
	for (line = strtok_r(text.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		json_t *event = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		ASSERT_NOT_NULL(event)
		{
			TH_LOG("not JSON: %s", line);
		}
		json_array_append_new(self->events, event);
	}
}

enum { MAX_ARGUMENTS = 32 };

/* Run the agent on the fixture's files with more arguments, NULL-ended. */
static void run(FIXTURE(agent) * self, ...)
{
	static const char *const fixed[] = {
		AGENT, "--rule",     "rule.md",	 "--workspace",
		"ws",  "--solution", "solution",
	};
	char *argv[MAX_ARGUMENTS + 1] = { NULL };
	size_t nr = 0, i;
	const char *word;
	va_list args;
	int output;
	pid_t pid;

	for (; nr < ARRAY_SIZE(fixed); nr++)
		argv[nr] = xstrdup(fixed[nr]);
	va_start(args, self);
	while ((word = va_arg(args, const char *)) && nr < MAX_ARGUMENTS)
		argv[nr++] = xstrdup(word);
	va_end(args);
	pid = start(self, argv, -1, &output);
	for (i = 0; i < nr; i++)
		free(argv[i]);
	finish(self, pid, output);
}

/* The events of a step, in order: number @nr, or NULL. */
static json_t *event(const FIXTURE(agent) * self, const char *step, size_t nr)
{
	json_t *value;
	size_t i;

	json_array_foreach(self->events, i, value)
	{
		const char *word =
			json_string_value(json_object_get(value, "step"));

		if (word && !strcmp(word, step) && !nr--)
			return value;
	}
	return NULL;
}

static size_t count(const FIXTURE(agent) * self, const char *step)
{
	size_t nr = 0;

	while (event(self, step, nr))
		nr++;
	return nr;
}

static const char *text_of(const json_t *value, const char *key)
{
	return json_string_value(json_object_get(value, key));
}

static long long number_of(const json_t *value, const char *key)
{
	return json_integer_value(json_object_get(value, key));
}

#define EXPECT_SCRIPT(self, nr, line_, status_, output_)                       \
	do {                                                                   \
		json_t *e_ = event(self, "script", nr);                        \
		EXPECT_EQ(number_of(e_, "line"), line_);                       \
		EXPECT_STREQ(text_of(e_, "status"), status_);                  \
		EXPECT_STREQ(text_of(e_, "output"), output_);                  \
	} while (0)

/* ---- which blocks are run, and by what */

TEST_F(agent, runs_command_blocks_in_order)
{
	put(self, "rule.md",
	    "# Rule\n"
	    "\n"
	    "```sh\n"
	    "echo one\n"
	    "```\n"
	    "\n"
	    "- in a list:\n"
	    "\n"
	    "  ~~~ Bash title=x\n"
	    "  echo ${BASH_VERSION:+two}\n"
	    "  ~~~\n"
	    "\n"
	    "text\n"
	    "\n"
	    "    echo three\n"
	    "\n"
	    "> ```\n"
	    "> echo four\n"
	    "> ```\n"
	    "\n"
	    "```{.python}\n"
	    "print('five')\n"
	    "```\n"
	    "```perl\n"
	    "print \"six\\n\"\n"
	    "```\n");
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_EQ(count(self, "script"), 6);
	EXPECT_SCRIPT(self, 0, 3, "exit 0", "one\\n");
	EXPECT_SCRIPT(self, 1, 9, "exit 0", "two\\n");
	EXPECT_SCRIPT(self, 2, 15, "exit 0", "three\\n");
	EXPECT_SCRIPT(self, 3, 17, "exit 0", "four\\n");
	EXPECT_SCRIPT(self, 4, 21, "exit 0", "five\\n");
	EXPECT_SCRIPT(self, 5, 24, "exit 0", "six\\n");
	EXPECT_EQ(count(self, "skipped"), 0);
	EXPECT_EQ(count(self, "end"), 1);
}

TEST_F(agent, runs_nothing_else)
{
	put(self, "rule.md",
	    "Use `touch span` and touch prose.\n"
	    "\n"
	    "<!--\n"
	    "touch comment\n"
	    "-->\n"
	    "\n"
	    "```yaml\n"
	    "touch yaml\n"
	    "```\n"
	    "```shellcode\n"
	    "touch shellcode\n"
	    "```\n"
	    "```sh\n"
	    "\n"
	    "```\n"
	    "```sh\n"
	    "touch block\n"
	    "```\n");
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_FALSE(there(self, "ws/span"));
	EXPECT_FALSE(there(self, "ws/prose"));
	EXPECT_FALSE(there(self, "ws/comment"));
	EXPECT_FALSE(there(self, "ws/yaml"));
	EXPECT_FALSE(there(self, "ws/shellcode"));
	EXPECT_TRUE(there(self, "ws/block"));
	EXPECT_EQ(count(self, "skipped"), 3);
	EXPECT_STREQ(text_of(event(self, "skipped", 0), "interpreter"), "yaml");
}

TEST_F(agent, takes_prompts_off)
{
	put(self, "rule.md",
	    "```console\n"
	    "$ echo one \\\n"
	    "> two\n"
	    "one two\n"
	    "> touch output\n"
	    "$ echo three\n"
	    "```\n"
	    "```sh\n"
	    "$ echo four\n"
	    "```\n"
	    "```sh\n"
	    "x='\n"
	    "$ echo five'; echo \"$x\"\n"
	    "```\n");
	run(self, NULL);
	EXPECT_SCRIPT(self, 0, 1, "exit 0", "one two\\nthree\\n");
	EXPECT_SCRIPT(self, 1, 8, "exit 0", "four\\n");
	EXPECT_SCRIPT(self, 2, 11, "exit 0", "\\n$ echo five\\n");
	EXPECT_FALSE(there(self, "ws/output"));
}

TEST_F(agent, reads_any_bytes)
{
	static const char rule[] = "\xef\xbb\xbf# x\xff\r\n"
				   "```sh\r\n"
				   "echo 'a\xfe\x01' b\\\r\n"
				   "c\r\n"
				   "```\r\n"
				   "```sh\n"
				   "echo d\0e\n"
				   "```\n"
				   "```sh\n"
				   "echo unclosed";

	put_n(self, "rule.md", rule, sizeof(rule) - 1);
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_SCRIPT(self, 0, 2, "exit 0", "a\\xfe\\x01 bc\\n");
	EXPECT_SCRIPT(self, 1, 6, "exit 0", "d\\u{fffd}e\\n");
	EXPECT_SCRIPT(self, 2, 9, "exit 0", "unclosed\\n");
}

TEST_F(agent, without_a_rule_there_is_the_solution)
{
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_EQ(count(self, "script"), 0);
	EXPECT_FILE(self, "ws/answer", "42\n");
}

TEST_F(agent, refuses_what_is_no_rule)
{
	static char big[(10 << 20) + 1];
	char *rule cleanup_free = in(self, "rule.md");

	memset(big, '\n', sizeof(big));
	put_n(self, "rule.md", big, sizeof(big));
	run(self, NULL);
	EXPECT_EQ(self->status, 65);
	EXPECT_FALSE(there(self, "ws/answer"));
	put_n(self, "rule.md", big, sizeof(big) - 1);
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_TRUE(there(self, "ws/answer"));

	ASSERT_EQ(unlink(rule), 0);
	run(self, NULL);
	EXPECT_EQ(self->status, 65);
	ASSERT_EQ(mkfifo(rule, 0644), 0);
	run(self, NULL);
	EXPECT_EQ(self->status, 65);
}

/* ---- how they are run */

TEST_F(agent, scripts_are_alone)
{
	put(self, "rule.md",
	    "```sh\n"
	    "pwd; readlink /proc/self/fd/0; cat\n"
	    "ls /proc/self/fd | wc -l\n"
	    "echo $(cut -d ' ' -f 1,5-8 /proc/$$/stat)\n"
	    "echo err >&2; echo \"$#\"\n"
	    "```\n");
	run(self, NULL);
	{
		json_t *script = event(self, "script", 0);
		char *pwd cleanup_free = in(self, "ws\\n/dev/null\\n4\\n");
		int pid, group, session, terminal, foreground;
		const char *output = text_of(script, "output");

		ASSERT_NOT_NULL(output);
		/* 0, 1, 2 and the one that ls opens */
		ASSERT_EQ(strncmp(output, pwd, strlen(pwd)), 0)
		{
			TH_LOG("%s", output);
		}
		ASSERT_EQ(sscanf(output + strlen(pwd), "%d %d %d %d %d", &pid,
				 &group, &session, &terminal, &foreground),
			  5);
		EXPECT_EQ(group, pid);
		EXPECT_EQ(session, pid);
		EXPECT_EQ(terminal, 0);
		EXPECT_HAS_SUBSTR(output, "\\nerr\\n0\\n");
	}
}

TEST_F(agent, goes_on_after_failure)
{
	static const char rule[] = "```sh\nexit 7\n```\n"
				   "```sh\nkill -9 $$\n```\n"
				   "```ruby\nexit 0\n```\n"
				   "```sh\necho last\n```\n";
	char *bin = in(self, "bin"), *sh = in(self, "bin/sh");

	/* Nothing but a shell can be found. */
	ASSERT_EQ(mkdir(bin, 0755), 0);
	ASSERT_EQ(symlink("/bin/sh", sh), 0);
	setenv("PATH", bin, 1);
	put(self, "rule.md", rule);
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_SCRIPT(self, 0, 1, "exit 7", "");
	EXPECT_SCRIPT(self, 1, 4, "signal 9", "");
	EXPECT_SCRIPT(self, 2, 7, "cannot start: No such file or directory",
		      "");
	EXPECT_SCRIPT(self, 3, 10, "exit 0", "last\\n");
	EXPECT_TRUE(there(self, "ws/answer"));
	free(bin);
	free(sh);
}

TEST_F(agent, stops_at_the_first_denial)
{
	put(self, "rule.md",
	    "```sh\ntrue\n```\n"
	    "```sh\ncat /nowhere\n```\n"
	    "```sh\ntouch later\n```\n");
	run(self, "--stop-at-first-denial", NULL);
	EXPECT_EQ(self->status, 3);
	EXPECT_EQ(count(self, "script"), 2);
	EXPECT_FALSE(there(self, "ws/later"));
	EXPECT_FALSE(there(self, "ws/answer"));
	EXPECT_EQ(number_of(event(self, "end", 0), "status"), 3);

	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_TRUE(there(self, "ws/later"));
	EXPECT_TRUE(there(self, "ws/answer"));

	/* Nothing fails, nothing stops. */
	put(self, "rule.md", "```sh\nrm later answer\n```\n");
	run(self, "--stop-at-first-denial", NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_TRUE(there(self, "ws/answer"));
}

/* A process whose number is in a file: is it alive? */
static bool lives(const FIXTURE(agent) * self, const char *name)
{
	char *text cleanup_free = get(self, name);
	char path[64];
	FILE *file cleanup_file = NULL;
	char state = 'X';

	snprintf(path, sizeof(path), "/proc/%d/stat", atoi(text));
	file = fopen(path, "re");
	if (file && fscanf(file, "%*d %*s %c", &state) != 1)
		return false;
	return file && state != 'Z' && state != 'X';
}

TEST_F(agent, ends_the_session_of_a_slow_script)
{
	put(self, "rule.md",
	    "```bash\n"
	    "set -m\n"
	    "sleep 100 & echo $! > group\n"
	    "set +m\n"
	    "sleep 100 & echo $! > child\n"
	    "setsid sh -c 'echo $$ > session; exec sleep 100' &\n"
	    "echo $$ > self\n"
	    "while ! [ -s session ]; do sleep 0.01; done\n"
	    "exec sleep 100\n"
	    "```\n"
	    "```sh\n"
	    "echo next\n"
	    "```\n");
	run(self, "--seconds", "2", NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_SCRIPT(self, 0, 1, "cut short", "");
	EXPECT_SCRIPT(self, 1, 11, "exit 0", "next\\n");
	EXPECT_FALSE(lives(self, "ws/self"));
	EXPECT_FALSE(lives(self, "ws/child"));
	EXPECT_FALSE(lives(self, "ws/group"));
	/* It made a session of its own, and the branch's end is its end. */
	EXPECT_TRUE(lives(self, "ws/session"));
}

TEST_F(agent, children_live_on)
{
	put(self, "rule.md",
	    "```sh\n"
	    "(while :; do echo talk; echo x >> talked; done) &\n"
	    "echo $! > talker\n"
	    "```\n"
	    "```sh\n"
	    "sleep 0.3; wc -l < talked > before; sleep 0.3\n"
	    "[ $(wc -l < talked) -gt $(cat before) ] && kill -0 $(cat talker)\n"
	    "```\n");
	run(self, NULL);
	EXPECT_SCRIPT(self, 1, 5, "exit 0", "");
	EXPECT_EQ(self->status, 0);
}

TEST_F(agent, output_is_bounded)
{
	struct buffer rule cleanup_buffer = { 0 };
	long long shown = 0;
	size_t i;

	for (i = 0; i < 60; i++)
		buffer_adds(&rule, "```sh\nhead -c 3000000 /dev/zero\n```\n");
	put_n(self, "rule.md", rule.data, rule.length);
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_EQ(count(self, "script"), 60);
	for (i = 0; i < 60; i++) {
		json_t *script = event(self, "script", i);
		size_t length = strlen(text_of(script, "output"));

		EXPECT_STREQ(text_of(script, "status"), "exit 0");
		EXPECT_EQ(number_of(script, "output_bytes"), 3000000);
		EXPECT_LE(length, 4 * 16384);
		shown += (long long)length;
	}
	/* A zero byte is shown as four. */
	EXPECT_EQ(shown, 4 * 512 * 1024);
}

TEST_F(agent, a_flood_does_not_stop_the_clock)
{
	put(self, "rule.md",
	    "```sh\nwhile :; do echo x; done\n```\n"
	    "```sh\ncat /dev/zero\n```\n");
	run(self, "--seconds", "1", NULL);
	EXPECT_STREQ(text_of(event(self, "script", 0), "status"), "cut short");
	EXPECT_STREQ(text_of(event(self, "script", 1), "status"), "cut short");
	EXPECT_TRUE(there(self, "ws/answer"));
}

TEST_F(agent, all_scripts_together_have_a_limit)
{
	put(self, "rule.md",
	    "```sh\nsleep 1.2\n```\n"
	    "```sh\nsleep 100\n```\n"
	    "```sh\ntouch third\n```\n");
	run(self, "--total-seconds", "2", NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_STREQ(text_of(event(self, "script", 0), "status"), "exit 0");
	EXPECT_STREQ(text_of(event(self, "script", 1), "status"), "cut short");
	EXPECT_EQ(number_of(event(self, "not-run", 0), "line"), 7);
	EXPECT_FALSE(there(self, "ws/third"));
	EXPECT_TRUE(there(self, "ws/answer"));
}

TEST_F(agent, a_script_may_be_too_long)
{
	enum { MOST = 32 * 4096 - 1 };
	struct buffer rule cleanup_buffer = { 0 };
	size_t i;

	/* ": ", x..., a line feed */
	buffer_adds(&rule, "```sh\n: ");
	for (i = 0; i < MOST - 3; i++)
		buffer_addc(&rule, 'x');
	buffer_adds(&rule, "\n```\n```sh\n: x");
	for (i = 0; i < MOST - 3; i++)
		buffer_addc(&rule, 'x');
	buffer_adds(&rule, "\n```\n```sh\necho after\n```\n");
	put_n(self, "rule.md", rule.data, rule.length);
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_SCRIPT(self, 0, 1, "exit 0", "");
	EXPECT_EQ(number_of(event(self, "not-run", 0), "line"), 4);
	EXPECT_STREQ(text_of(event(self, "not-run", 0), "why"), "too long");
	EXPECT_SCRIPT(self, 1, 7, "exit 0", "after\\n");
}

TEST_F(agent, scripts_cannot_look_into_the_agent)
{
	static const char *const words[] = {
		AGENT, "--rule", "rule.md", "--workspace", "ws",
	};
	char *argv[ARRAY_SIZE(words) + 1] = { NULL };
	int output, uid = geteuid() ? -1 : NOBODY;
	size_t i;
	pid_t pid;

	/* Other processes of the same user can be looked into. */
	put(self, "rule.md",
	    "```sh\n"
	    "sleep 5 & \n"
	    "ls /proc/$!/fd > /dev/null && echo other\n"
	    "ls /proc/$PPID/fd && echo agent\n"
	    "kill $!\n"
	    "```\n");
	ASSERT_EQ(chmod(self->dir, 0755), 0);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		argv[i] = xstrdup(words[i]);
	pid = start(self, argv, uid, &output);
	finish(self, pid, output);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		free(argv[i]);
	EXPECT_EQ(self->status, 0);
	EXPECT_HAS_SUBSTR(text_of(event(self, "script", 0), "output"),
			  "other\\n");
	EXPECT_HAS_NOT_SUBSTR(text_of(event(self, "script", 0), "output"),
			      "agent\\n");
}

/* ---- the solution */

TEST_F(agent, solution_is_laid_over)
{
	struct stat before, after;
	char *link cleanup_free = in(self, "solution/d/link");
	char *tool cleanup_free = in(self, "solution/d/tool");
	char target[32] = "";

	make(self, "solution/d");
	make(self, "solution/d/empty");
	put(self, "solution/d/tool", "#!/bin/sh\n");
	ASSERT_EQ(chmod(tool, 0755), 0);
	ASSERT_EQ(symlink("../answer", link), 0);
	make(self, "ws/d");
	put(self, "ws/d/tool", "something longer than the new text\n");
	put(self, "ws/d/kept", "kept\n");
	before = status_of(self, "ws/d/tool");
	run(self, NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_FILE(self, "ws/answer", "42\n");
	EXPECT_FILE(self, "ws/d/kept", "kept\n");
	EXPECT_FILE(self, "ws/d/tool", "#!/bin/sh\n");
	after = status_of(self, "ws/d/tool");
	/* Written in place, which needs no right to delete. */
	EXPECT_EQ(before.st_ino, after.st_ino);
	EXPECT_EQ(after.st_mode & 0777, 0755);
	EXPECT_EQ(status_of(self, "ws/answer").st_mode & 0777, 0644);
	EXPECT_TRUE(S_ISDIR(status_of(self, "ws/d/empty").st_mode));
	free(link);
	link = in(self, "ws/d/link");
	EXPECT_EQ(readlink(link, target, sizeof(target) - 1), 9);
	EXPECT_STREQ(target, "../answer");
	EXPECT_EQ(number_of(event(self, "solution", 0), "files"), 3);
}

/* The scripts turn every name of the solution into a way out. */
TEST_F(agent, solution_stays_in_the_workspace)
{
	make(self, "outside");
	put(self, "outside/file", "outside\n");
	put(self, "outside/other", "outside\n");
	make(self, "solution/dir");
	put(self, "solution/dir/file", "inside\n");
	put(self, "solution/symlink", "inside\n");
	put(self, "solution/hard", "inside\n");
	put(self, "solution/dangling", "inside\n");
	put(self, "solution/fifo", "inside\n");
	put(self, "solution/empty", "inside\n");
	put(self, "rule.md",
	    "```sh\n"
	    "ln -s ../outside dir\n"
	    "ln -s ../outside/file symlink\n"
	    "ln ../outside/other hard\n"
	    "ln -s ../outside/new dangling\n"
	    "mkfifo fifo; mkdir empty\n"
	    "```\n");
	run(self, NULL);
	EXPECT_SCRIPT(self, 0, 1, "exit 0", "");
	EXPECT_EQ(self->status, 0);
	EXPECT_FILE(self, "outside/file", "outside\n");
	EXPECT_FILE(self, "outside/other", "outside\n");
	EXPECT_FALSE(there(self, "outside/new"));
	EXPECT_FILE(self, "ws/dir/file", "inside\n");
	EXPECT_TRUE(S_ISDIR(status_of(self, "ws/dir").st_mode));
	EXPECT_FILE(self, "ws/symlink", "inside\n");
	EXPECT_FILE(self, "ws/hard", "inside\n");
	EXPECT_FILE(self, "ws/dangling", "inside\n");
	EXPECT_FILE(self, "ws/fifo", "inside\n");
	EXPECT_FILE(self, "ws/empty", "inside\n");
}

TEST_F(agent, what_is_refused_is_said)
{
	put(self, "solution/zoo", "zoo\n");
	put(self, "rule.md", "```sh\nmkdir answer && touch answer/x\n```\n");
	run(self, NULL);
	EXPECT_EQ(self->status, 4);
	EXPECT_STREQ(text_of(event(self, "refused", 0), "path"), "answer");
	EXPECT_EQ(number_of(event(self, "solution", 0), "refused"), 1);
	/* The rest is there all the same. */
	EXPECT_FILE(self, "ws/zoo", "zoo\n");
}

TEST_F(agent, solution_is_broken)
{
	char *fifo cleanup_free = in(self, "solution/fifo");

	ASSERT_EQ(mkfifo(fifo, 0644), 0);
	run(self, NULL);
	EXPECT_EQ(self->status, 78);
	EXPECT_STREQ(text_of(event(self, "solution-broken", 0), "path"),
		     "fifo");
}

TEST_F(agent, apply_completes_the_solution)
{
	put(self, "rule.md", "```sh\n[ ! -e answer ] && echo first\n```\n");
	run(self, "--", "sh", "-c", "cat answer > applied; pwd", NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_SCRIPT(self, 0, 1, "exit 0", "first\\n");
	EXPECT_STREQ(text_of(event(self, "apply", 0), "status"), "exit 0");
	EXPECT_HAS_SUBSTR(text_of(event(self, "apply", 0), "output"), "/ws\\n");
	EXPECT_FILE(self, "ws/applied", "42\n");

	run(self, "--", "sh", "-c", "exit 9", NULL);
	EXPECT_EQ(self->status, 4);
	EXPECT_STREQ(text_of(event(self, "apply", 0), "status"), "exit 9");
	run(self, "--", "/nowhere", NULL);
	EXPECT_EQ(self->status, 4);
	EXPECT_STREQ(text_of(event(self, "apply", 0), "status"),
		     "cannot start: No such file or directory");
}

/* ---- the command line */

TEST_F(agent, usage)
{
	run(self, "--seconds", "0", NULL);
	EXPECT_EQ(self->status, 64);
	run(self, "--seconds", "1x", NULL);
	EXPECT_EQ(self->status, 64);
	run(self, "--no-such-option", NULL);
	EXPECT_EQ(self->status, 64);
	run(self, "word", NULL);
	EXPECT_EQ(self->status, 64);
	EXPECT_FALSE(there(self, "ws/answer"));
	run(self, "--workspace", "nowhere", NULL);
	EXPECT_EQ(self->status, 78);
	run(self, "--solution", "rule.md", NULL);
	EXPECT_EQ(self->status, 78);
	run(self, "--seconds", "1", NULL);
	EXPECT_EQ(self->status, 0);
	EXPECT_TRUE(there(self, "ws/answer"));
}

/* Nobody listens: that is no reason to do less. */
TEST_F(agent, works_for_itself)
{
	int status, output[2];
	pid_t pid;

	put(self, "rule.md", "```sh\necho x\ntouch ran\n```\n");
	ASSERT_EQ(pipe2(output, O_CLOEXEC), 0);
	close(output[0]);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		dup2(output[1], STDOUT_FILENO);
		if (!chdir(self->dir))
			execl(AGENT, AGENT, "--rule", "rule.md", "--workspace",
			      "ws", "--solution", "solution", NULL);
		_exit(112);
	}
	close(output[1]);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_TRUE(there(self, "ws/ran"));
	EXPECT_TRUE(there(self, "ws/answer"));
}
