// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transfer tool against a listener on the loopback.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"

#define TOOL TEST_BUILD "/aletheia-transfer"

/**
 * transfer - a listener, a file, and what came of a run of the tool
 * @dir:	where the tool runs
 * @listener:	on 127.0.0.1 and, being dual-stack, on nothing else
 * @port:	as an argument
 * @status:	exit status of the tool
 * @said:	what it wrote to standard output and error
 * @got:	what arrived
 * @connected:	somebody connected
 */
FIXTURE(transfer)
{
	const char *dir;
	int listener;
	char port[8];
	int status;
	struct buffer said;
	struct buffer got;
	bool connected;
};

static char *in(const FIXTURE(transfer) * self, const char *name)
{
	return xasprintf("%s/%s", self->dir, name);
}

static void put(const FIXTURE(transfer) * self, const char *name,
		const char *data, size_t length)
{
	char *path cleanup_free = in(self, name);
	int fd cleanup_close = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0640);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(fd_write_all(fd, data, length), 0);
}

static int listener_open(int family, uint16_t *port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} a = { 0 };
	socklen_t length = family == AF_INET ? sizeof(a.v4) : sizeof(a.v6);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ASSERT_GE(fd, 0);
	a.any.sa_family = (sa_family_t)family;
	if (family == AF_INET)
		a.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		a.v6.sin6_addr = in6addr_loopback;
	if (bind(fd, &a.any, length) || listen(fd, 8) ||
	    getsockname(fd, &a.any, &length)) {
		close(fd);
		return -1;
	}
	*port = ntohs(family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	return fd;
}

FIXTURE_SETUP(transfer)
{
	uint16_t port;

	self->dir = test_dir();
	self->listener = listener_open(AF_INET, &port);
	ASSERT_GE(self->listener, 0);
	snprintf(self->port, sizeof(self->port), "%u", port);
	put(self, "artifact.tar", "archive\n", 8);
}

FIXTURE_TEARDOWN(transfer)
{
	buffer_done(&self->said);
	buffer_done(&self->got);
	close(self->listener);
}

/* In a child: run the tool, its output in a pipe. */
static pid_t start(const FIXTURE(transfer) * self, char *const *argv,
		   int *ret_said)
{
	int said[2];
	pid_t pid;

	ASSERT_EQ(pipe2(said, O_CLOEXEC), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		dup2(said[1], STDOUT_FILENO);
		dup2(said[1], STDERR_FILENO);
		if (!chdir(self->dir))
			execv(TOOL, argv);
		_exit(112);
	}
	close(said[1]);
	*ret_said = said[0];
	return pid;
}

/* Take one connection, if one comes before the tool ends. */
static void serve(FIXTURE(transfer) * self, int said)
{
	struct pollfd fds[2] = {
		{ .fd = self->listener, .events = POLLIN },
		{ .fd = said, .events = 0 },
	};
	int fd cleanup_close = -1;

	ASSERT_GE(poll(fds, 2, -1), 1);
	if (!(fds[0].revents & POLLIN))
		return;
	fd = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
	ASSERT_GE(fd, 0);
	self->connected = true;
	ASSERT_EQ(fd_read_all(fd, 64 << 20, &self->got), 0);
}

#define run(self, ...)                                                         \
	run_argv(self, (const char *const[]){ "scp", __VA_ARGS__, NULL })

static void run_argv(FIXTURE(transfer) * self, const char *const *words)
{
	char *argv[16] = { NULL };
	int status, said cleanup_close = -1;
	size_t i;
	pid_t pid;

	buffer_done(&self->said);
	buffer_done(&self->got);
	self->connected = false;
	for (i = 0; words[i] && i < 15; i++)
		argv[i] = xstrdup(words[i]);
	pid = start(self, argv, &said);
	while (i)
		free(argv[--i]);
	serve(self, said);
	ASSERT_EQ(fd_read_all(said, 1 << 20, &self->said), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_TRUE(WIFEXITED(status));
	self->status = WEXITSTATUS(status);
}

TEST_F(transfer, sends_a_file)
{
	run(self, "-P", self->port, "artifact.tar", "user@localhost:");
	EXPECT_EQ(self->status, 0);
	EXPECT_STREQ(buffer_text(&self->said), "");
	EXPECT_STREQ(buffer_text(&self->got),
		     "C0640 8 artifact.tar\narchive\n");
}

TEST_F(transfer, sends_all_files_and_bytes)
{
	static char big[3 << 20];
	size_t i, header;

	for (i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 7 + i / 256);
	put(self, "big", big, sizeof(big));
	run(self, "-rpq", "-i", "key", "-o", "A=b", "-P", self->port, "big",
	    "./artifact.tar", "127.0.0.1:/tmp/x");
	EXPECT_EQ(self->status, 0);
	header = strlen("C0640 3145728 big\n");
	ASSERT_EQ(self->got.length,
		  header + sizeof(big) +
			  strlen("C0640 8 artifact.tar\narchive\n"));
	EXPECT_EQ(memcmp(self->got.data + header, big, sizeof(big)), 0);
	EXPECT_STREQ(self->got.data + header + sizeof(big),
		     "C0640 8 artifact.tar\narchive\n");
}

TEST_F(transfer, sends_over_ipv6)
{
	uint16_t port;
	int listener = listener_open(AF_INET6, &port);

	if (listener < 0)
		SKIP("no IPv6 on the loopback");
	close(self->listener);
	self->listener = listener;
	snprintf(self->port, sizeof(self->port), "%u", port);
	run(self, "-P", self->port, "artifact.tar", "[::1]:dir/x");
	EXPECT_EQ(self->status, 0);
	EXPECT_STREQ(buffer_text(&self->got),
		     "C0640 8 artifact.tar\narchive\n");
}

TEST_F(transfer, a_name_stays_in_the_header)
{
	put(self, "a\nC0777 1 b\x1b", "x", 1);
	run(self, "-P", self->port, "a\nC0777 1 b\x1b", "localhost:");
	EXPECT_EQ(self->status, 0);
	EXPECT_STREQ(buffer_text(&self->got), "C0640 1 a?C0777 1 b?\nx");
}

TEST_F(transfer, fails_without_the_file)
{
	run(self, "-P", self->port, "missing", "localhost:");
	EXPECT_EQ(self->status, 1);
	EXPECT_FALSE(self->connected);
	EXPECT_STREQ(buffer_text(&self->said),
		     "scp: missing: No such file or directory\n");
	/* What can be read is sent. */
	run(self, "-P", self->port, "missing", "artifact.tar", "localhost:");
	EXPECT_EQ(self->status, 1);
	EXPECT_STREQ(buffer_text(&self->got),
		     "C0640 8 artifact.tar\narchive\n");
	run(self, "-P", self->port, ".", "localhost:");
	EXPECT_EQ(self->status, 1);
	EXPECT_HAS_SUBSTR(buffer_text(&self->said), "Is a directory");
}

TEST_F(transfer, fails_without_the_host)
{
	run(self, "-P", self->port, "artifact.tar", "no-such-host.invalid:");
	EXPECT_EQ(self->status, 1);
	EXPECT_FALSE(self->connected);
	EXPECT_STREQ(buffer_text(&self->said),
		     "scp: could not resolve hostname no-such-host.invalid\n");
}

TEST_F(transfer, fails_without_a_listener)
{
	uint16_t port;
	int other = listener_open(AF_INET, &port);
	char text[8];

	/* A port that nobody has by now. */
	ASSERT_GE(other, 0);
	close(other);
	snprintf(text, sizeof(text), "%u", port);
	run(self, "-P", text, "artifact.tar", "127.0.0.1:");
	EXPECT_EQ(self->status, 1);
	EXPECT_HAS_SUBSTR(buffer_text(&self->said), "Connection refused");
}

/* The other end goes away with bytes unread. */
TEST_F(transfer, fails_when_the_connection_is_reset)
{
	static char big[8 << 20];
	char *argv[] = { xstrdup("scp"),	xstrdup("-P"),
			 xstrdup(self->port),	xstrdup("big"),
			 xstrdup("localhost:"), NULL };
	int said cleanup_close = -1;
	int fd, status;
	size_t i;
	pid_t pid;

	put(self, "big", big, sizeof(big));
	pid = start(self, argv, &said);
	for (i = 0; argv[i]; i++)
		free(argv[i]);
	fd = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
	ASSERT_GE(fd, 0);
	close(fd);
	ASSERT_EQ(fd_read_all(said, 1 << 20, &self->said), 0);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(WEXITSTATUS(status), 1);
	EXPECT_HAS_SUBSTR(buffer_text(&self->said), "lost connection");
}

TEST_F(transfer, usage)
{
	run(self, "artifact.tar");
	EXPECT_EQ(self->status, 2);
	run(self, "artifact.tar", "not-remote");
	EXPECT_EQ(self->status, 2);
	run(self, "host:artifact.tar", "host:");
	EXPECT_EQ(self->status, 2);
	EXPECT_HAS_SUBSTR(buffer_text(&self->said), "can only upload");
	run(self, "-P", "70000", "artifact.tar", "localhost:");
	EXPECT_EQ(self->status, 2);
	run(self, "-P");
	EXPECT_EQ(self->status, 2);
	EXPECT_FALSE(self->connected);
	/* A colon behind a slash is part of a file's name. */
	put(self, "a:b", "x", 1);
	run(self, "-P", self->port, "./a:b", "localhost:");
	EXPECT_EQ(self->status, 0);
	EXPECT_STREQ(buffer_text(&self->got), "C0640 1 a:b\nx");
}
