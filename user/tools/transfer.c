// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia-transfer: the tool that a fixture installs under the name of a
 * transfer program, such as scp. It does for real what the upload half of such
 * a program does, by the same system calls, and nothing else:
 *
 *	NAME [OPTION]... FILE... [USER@]HOST:[PATH]
 *
 * opens and reads every FILE, looks HOST up, connects to port 22 (or -P PORT)
 * over TCP and sends, for each file, scp's header "C<mode> <size> <name>" and
 * the bytes. It does not encrypt, identifies nobody and expects no answer: the
 * other end is a sink. HOST may be a literal address, IPv6 in brackets.
 * Options of scp are accepted and, but for -P, ignored.
 *
 * Exit status: 0 all was sent; 1 something could not be opened, looked up,
 * connected to or sent, and a message says what; 2 wrong usage.
 *
 * HOST is looked up in /etc/hosts here: that is where a branch keeps its names,
 * and getaddrinfo() of a static program would load the host's NSS modules, for
 * which the guard has no reason to give access.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define HOSTS_FILE "/etc/hosts"

enum {
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	DEFAULT_PORT = 22,
	MAX_ADDRESSES = 16,
	/* How long to wait for the other end to take note of the end. */
	CLOSE_MILLISECONDS = 5000,
};

/* scp's options that take an argument. */
static const char with_argument[] = "cDFiJloPSX";

struct request {
	const char *self;
	char **files; /* borrowed from argv */
	int nr_files;
	char *host; /* borrowed from argv, cut out of it */
	uint16_t port;
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

__attribute__((format(printf, 2, 3))) static int
failed(const struct request *request, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", request->self);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return STATUS_FAILED;
}

/*
 * Where the path of a remote operand starts: after a colon that no slash
 * precedes, and for an IPv6 address after its closing bracket.
 */
static char *remote_path(char *operand)
{
	char *at = strchr(operand, '@');
	char *host = at && !memchr(operand, '/', (size_t)(at - operand))
			     ? at + 1
			     : operand;
	char *colon;

	if (*host == '[' && (colon = strstr(host, "]:")))
		return colon + 1;
	colon = strchr(host, ':');
	return colon && colon != host &&
			       !memchr(host, '/', (size_t)(colon - host))
		       ? colon
		       : NULL;
}

/* Cut the host out of "[user@]host:[path]"; NULL: the operand is local. */
static char *remote_host(char *operand)
{
	char *path = remote_path(operand);
	char *at;
	size_t length;

	if (!path)
		return NULL;
	*path = '\0';
	at = strrchr(operand, '@');
	if (at)
		operand = at + 1;
	length = strlen(operand);
	if (*operand == '[' && operand[length - 1] == ']') {
		operand[length - 1] = '\0';
		operand++;
	}
	return operand;
}

static bool port_parse(const char *text, uint16_t *ret)
{
	char *end;
	unsigned long port;

	errno = 0;
	port = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !port ||
	    port > UINT16_MAX)
		return false;
	*ret = (uint16_t)port;
	return true;
}

static int usage(const struct request *request)
{
	fprintf(stderr, "usage: %s [-P PORT] FILE... [USER@]HOST:[PATH]\n",
		request->self);
	return STATUS_USAGE;
}

/* Only argv[0] differs between the names that the tool is installed under. */
static int request_parse(int argc, char **argv, struct request *ret)
{
	int option, i;

	ret->self = argc && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1
		    : argc			  ? argv[0]
						  : "transfer";
	ret->port = DEFAULT_PORT;
	opterr = 0;
	while ((option = getopt(argc, argv,
				"346ABCOpqRrsTvc:D:F:i:J:l:o:P:S:X:")) != -1) {
		if (option == '?' && optopt && strchr(with_argument, optopt)) {
			failed(ret, "option -%c needs an argument", optopt);
			return STATUS_USAGE;
		}
		if (option == 'P' && !port_parse(optarg, &ret->port)) {
			failed(ret, "bad port \"%s\"", optarg);
			return STATUS_USAGE;
		}
	}
	ret->files = argv + optind;
	ret->nr_files = argc - optind - 1;
	if (ret->nr_files < 1)
		return usage(ret);
	for (i = 0; i < ret->nr_files; i++) {
		if (remote_path(ret->files[i])) {
			failed(ret, "%s: can only upload", ret->files[i]);
			return STATUS_USAGE;
		}
	}
	ret->host = remote_host(argv[argc - 1]);
	if (!ret->host)
		return usage(ret);
	return 0;
}

static bool address_parse(const char *text, uint16_t port, union address *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, text, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons(port);
		return true;
	}
	if (inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons(port);
		return true;
	}
	return false;
}

/* Does the rest of a line of the hosts file hold the name? */
static bool line_names(char **rest, const char *host)
{
	const char *name;

	while ((name = strtok_r(NULL, " \t\n", rest)))
		if (!strcasecmp(name, host))
			return true;
	return false;
}

/* All addresses of the host, in the order of the file; their number or -1. */
static int host_addresses(const struct request *request,
			  union address ret[MAX_ADDRESSES])
{
	FILE *hosts cleanup_file = NULL;
	char *line cleanup_free = NULL;
	size_t room = 0;
	int nr = 0;

	if (address_parse(request->host, request->port, &ret[0]))
		return 1;
	hosts = fopen(HOSTS_FILE, "re");
	if (!hosts) {
		failed(request, "%s: %s", HOSTS_FILE, strerror(errno));
		return -1;
	}
	while (nr < MAX_ADDRESSES && getline(&line, &room, hosts) >= 0) {
		char *rest = NULL, *address;

		line[strcspn(line, "#")] = '\0';
		address = strtok_r(line, " \t\n", &rest);
		if (address && line_names(&rest, request->host) &&
		    address_parse(address, request->port, &ret[nr]))
			nr++;
	}
	if (!nr) {
		failed(request, "could not resolve hostname %s", request->host);
		return -1;
	}
	return nr;
}

/* A connected socket, or -1 after a message about every address tried. */
static int host_connect(const struct request *request)
{
	union address addresses[MAX_ADDRESSES];
	int nr = host_addresses(request, addresses);
	int i;

	for (i = 0; i < nr; i++) {
		const union address *a = &addresses[i];
		int fd =
			socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd >= 0 && !connect(fd, &a->any, sizeof(*a)))
			return fd;
		failed(request, "connect to host %s port %u: %s", request->host,
		       request->port, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static bool send_all(int socket, const char *data, size_t length)
{
	while (length) {
		ssize_t nr = send(socket, data, length, MSG_NOSIGNAL);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return false;
		data += nr;
		length -= (size_t)nr;
	}
	return true;
}

/* The header's name must not break its line. */
static bool send_header(int socket, int fd, const char *path)
{
	const char *base = strrchr(path, '/');
	char *header cleanup_free = NULL;
	struct stat st;
	char *p;

	if (fstat(fd, &st) ||
	    asprintf(&header, "C%04o %lld %s", (unsigned int)st.st_mode & 07777,
		     (long long)st.st_size, base ? base + 1 : path) < 0)
		return false;
	for (p = header; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	*p = '\n';
	return send_all(socket, header, (size_t)(p - header) + 1);
}

static int send_file(const struct request *request, int socket, int fd,
		     const char *path)
{
	char chunk[65536];

	if (!send_header(socket, fd, path))
		goto lost;
	for (;;) {
		ssize_t nr = read(fd, chunk, sizeof(chunk));

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return failed(request, "%s: %s", path, strerror(errno));
		if (!nr)
			return 0;
		if (!send_all(socket, chunk, (size_t)nr))
			goto lost;
	}
lost:
	return failed(request, "%s: lost connection: %s", path,
		      strerror(errno));
}

/* Everything is sent; was it also taken? A reset says no, silence is fine. */
static int finish(const struct request *request, int socket)
{
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	char answer[4096];
	ssize_t nr;

	if (shutdown(socket, SHUT_WR))
		return failed(request, "lost connection: %s", strerror(errno));
	while (poll(&ready, 1, CLOSE_MILLISECONDS) > 0) {
		nr = read(socket, answer, sizeof(answer));
		if (nr < 0 && errno != EINTR)
			return failed(request, "lost connection: %s",
				      strerror(errno));
		if (!nr)
			break;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct request request = { 0 };
	int *fds cleanup_free = NULL;
	int socket cleanup_close = -1;
	int status = request_parse(argc, argv, &request);
	int i, nr_open = 0;

	if (status)
		return status;
	fds = calloc((size_t)request.nr_files, sizeof(*fds));
	if (!fds)
		return failed(&request, "%s", strerror(ENOMEM));
	/* Like scp, send what can be read and fail for the rest. */
	for (i = 0; i < request.nr_files; i++) {
		fds[i] = open(request.files[i], O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			status = failed(&request, "%s: %s", request.files[i],
					strerror(errno));
		else
			nr_open++;
	}
	if (!nr_open)
		return status;
	socket = host_connect(&request);
	if (socket < 0)
		return STATUS_FAILED;
	for (i = 0; i < request.nr_files; i++)
		if (fds[i] >= 0 &&
		    send_file(&request, socket, fds[i], request.files[i]))
			status = STATUS_FAILED;
	return finish(&request, socket) ? STATUS_FAILED : status;
}
