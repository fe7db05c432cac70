// SPDX-License-Identifier: GPL-2.0-only
/*
 * vm-init: process 1 of the virtual machine that scripts/vm starts.
 *
 * It is linked statically and is the only program of the initial ramdisk. It
 * loads the modules packed beside it, says "ready" on the control port and
 * waits there for one request: what to run, where, with which environment.
 * Nothing of the host is mounted before the request arrives, so the machine
 * can be saved at that point and be restored later (9p cannot be migrated).
 *
 * The three virtio-serial ports:
 *   1  standard output of the command, raw
 *   2  standard error of the command, raw
 *   3  control: the request comes in, lines go out ("ready", "run", "exit N")
 *
 * A request is a sequence of NUL-terminated fields "key=value", ended by an
 * empty field. Values are bytes, nothing is quoted; see request_field().
 *
 * With arguments the same program serves the host: "vm-init tsc-khz" measures
 * the frequency of the time stamp counter, which the guest cannot do early
 * enough (see scripts/vm).
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* A request holds argv and environment; the host's ARG_MAX is 2 MiB. */
#define REQUEST_MAX (8U << 20)
#define FIELDS_MAX  (1U << 20)
#define SEED_MAX    64
/* What drivers/char/virtio_console.c takes in one write. */
#define CHUNK 32768

#define EXIT_NOEXEC 126
#define EXIT_NOENT  127

#define PORT_STDOUT  "/dev/vport0p1"
#define PORT_STDERR  "/dev/vport0p2"
#define PORT_CONTROL "/dev/vport0p3"

struct request {
	char *text;
	const char *cwd;
	const char *modules;
	const char *time;
	const char *seed;
	const char *disk;
	char **argv;
	size_t nr_args;
	char **env;
	size_t nr_env;
};

/* One direction of output: bytes go from a pipe to a port. */
struct stream {
	int in;
	int out;
	bool eof;
	size_t start;
	size_t end;
	char bytes[CHUNK];
};

static void fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void __attribute__((noreturn)) power_off(void)
{
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		LINUX_REBOOT_CMD_RESTART, NULL);
	for (;;)
		pause();
}

/*
 * Nothing can run in such a guest. The console is the only place to complain
 * to: the host sees qemu end and shows the console's tail.
 */
static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("vm-init: ", stdout);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	power_off();
}

static void make_dir(const char *path, mode_t mode)
{
	if (mkdir(path, mode) && errno != EEXIST)
		fail("mkdir %s: %m", path);
}

static void mount_on(const char *source, const char *target, const char *type,
		     unsigned long flags, const char *data)
{
	if (mount(source, target, type, flags, data))
		fail("mount %s on %s: %m", type ? type : source, target);
}

static int open_or_fail(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		fail("open %s: %m", path);
	return fd;
}

static void write_file(const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = open_or_fail(path, O_WRONLY);

	if (write(fd, text, length) != (ssize_t)length)
		fail("write %s to %s: %m", text, path);
	close(fd);
}

static int is_module(const struct dirent *entry)
{
	return strstr(entry->d_name, ".ko") != NULL;
}

/* The names carry the order: each module stands after what it needs. */
static void load_modules(const char *folder)
{
	struct dirent **list;
	int nr = scandir(folder, &list, is_module, alphasort);

	if (nr < 0)
		fail("%s: %m", folder);
	for (int i = 0; i < nr; i++) {
		char path[512];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		fd = open_or_fail(path, O_RDONLY);
		if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
			fail("load %s: %m", path);
		close(fd);
		free(list[i]);
	}
	free(list);
}

/* devtmpfs makes the node a moment after the driver found its device. */
static int open_port(const char *path, int flags)
{
	struct timespec pause_time = { .tv_nsec = 5000000 };
	int fd;

	for (int i = 0; i < 2000; i++) {
		fd = open(path, flags | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno != ENOENT && errno != ENXIO)
			break;
		nanosleep(&pause_time, NULL);
	}
	fail("open %s: %m", path);
}

static void tell(int control, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tell(int control, const char *format, ...)
{
	char line[64];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(control, line, (size_t)length) != length)
		fail("control port: %m");
}

static bool request_complete(const char *text, size_t length)
{
	return length >= 2 && !text[length - 1] && !text[length - 2];
}

static char *request_read(int control, size_t *ret_length)
{
	char *text = malloc(REQUEST_MAX);
	size_t length = 0;

	if (!text)
		fail("no memory for the request");
	while (!request_complete(text, length)) {
		ssize_t got;

		if (length == REQUEST_MAX)
			fail("the request is longer than %u bytes",
			     REQUEST_MAX);
		got = read(control, text + length, REQUEST_MAX - length);
		if (got < 0 && errno != EINTR)
			fail("read the request: %m");
		if (got == 0) {
			struct timespec pause_time = { .tv_nsec = 2000000 };

			/* The host's end is not connected (yet). */
			nanosleep(&pause_time, NULL);
		}
		if (got > 0)
			length += (size_t)got;
	}
	*ret_length = length;
	return text;
}

static bool field_is(char *field, const char *key, char **ret_value)
{
	size_t length = strlen(key);

	if (strncmp(field, key, length) || field[length] != '=')
		return false;
	*ret_value = field + length + 1;
	return true;
}

static void request_field(struct request *request, char *field)
{
	char *value;

	if (field_is(field, "arg", &value))
		request->argv[request->nr_args++] = value;
	else if (field_is(field, "env", &value))
		request->env[request->nr_env++] = value;
	else if (field_is(field, "cwd", &value))
		request->cwd = value;
	else if (field_is(field, "time", &value))
		request->time = value;
	else if (field_is(field, "seed", &value))
		request->seed = value;
	else if (field_is(field, "modules", &value))
		request->modules = value;
	else if (field_is(field, "disk", &value))
		request->disk = value;
	else
		fail("unknown request field %.32s", field);
}

static void request_parse(struct request *request, char *text, size_t length)
{
	size_t fields = 0;

	memset(request, 0, sizeof(*request));
	request->argv = calloc(FIELDS_MAX + 1, sizeof(char *));
	request->env = calloc(FIELDS_MAX + 1, sizeof(char *));
	if (!request->argv || !request->env)
		fail("no memory for the request");
	for (char *field = text; *field; field += strlen(field) + 1) {
		if (++fields > FIELDS_MAX)
			fail("the request has more than %u fields", FIELDS_MAX);
		request_field(request, field);
	}
	request->text = text;
	if (!request->cwd || !request->time || !request->seed ||
	    !request->modules || !request->nr_args || length > REQUEST_MAX)
		fail("the request is incomplete");
}

/* A restored machine continues at the time of its saving. */
static void set_time(const char *text)
{
	struct timespec now = { 0 };
	char *end;

	now.tv_sec = strtoll(text, &end, 10);
	if (*end == '.')
		now.tv_nsec = strtol(end + 1, NULL, 10) * 1000;
	if (clock_settime(CLOCK_REALTIME, &now))
		fail("set the time to %s: %m", text);
}

static int hex_digit(char c)
{
	if (!isxdigit((unsigned char)c))
		fail("the seed is not hexadecimal");
	return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/*
 * Machines restored from one snapshot would share their random numbers; the
 * host's seed is credited and the generator made to use it at once.
 */
static void stir_random(const char *hex)
{
	struct rand_pool_info *pool = calloc(1, sizeof(*pool) + SEED_MAX);
	size_t length = strlen(hex) / 2;
	unsigned char *bytes;
	int fd = open_or_fail("/dev/urandom", O_WRONLY);

	if (!pool || length < 32 || length > SEED_MAX)
		fail("the seed has %zu bytes", length);
	bytes = (unsigned char *)pool->buf;
	for (size_t i = 0; i < length; i++)
		bytes[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 |
					   hex_digit(hex[2 * i + 1]));
	pool->entropy_count = (int)length * 8;
	pool->buf_size = (int)length;
	if (ioctl(fd, RNDADDENTROPY, pool) || ioctl(fd, RNDRESEEDCRNG))
		fail("stir the random numbers: %m");
	free(pool);
	close(fd);
}

/*
 * The host's root, read-only, below a tmpfs that takes all writes. loose:
 * nobody else is expected to change these files while the machine lives.
 */
static void mount_root(void)
{
	make_dir("/lower", 0755);
	make_dir("/upper", 0755);
	make_dir("/new", 0755);
	mount_on("host", "/lower", "9p", MS_RDONLY,
		 "trans=virtio,version=9p2000.L,msize=512000,cache=loose");
	mount_on("upper", "/upper", "tmpfs", 0, "size=75%,mode=755");
	make_dir("/upper/files", 0755);
	make_dir("/upper/work", 0755);
	mount_on("root", "/new", "overlay", 0,
		 "lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work");
}

static void make_parents(const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		fail("no memory");
	for (char *p = copy + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		make_dir(copy, 0755);
		*p = '/';
	}
	make_dir(copy, 0755);
	free(copy);
}

static int tree_clone(const char *path)
{
	int tree, root = open_or_fail("/new", O_PATH | O_DIRECTORY);

	/* Relative to the new root: the path is one of the host's. */
	while (*path == '/')
		path++;
	tree = (int)syscall(SYS_open_tree, root, path,
			    OPEN_TREE_CLONE | O_CLOEXEC);
	if (tree < 0)
		fail("/%s: %m", path);
	close(root);
	return tree;
}

static void tree_attach(int tree, const char *path)
{
	make_parents(path);
	if (syscall(SYS_move_mount, tree, "", AT_FDCWD, path,
		    MOVE_MOUNT_F_EMPTY_PATH))
		fail("mount on %s: %m", path);
	close(tree);
}

/*
 * Here the guest has its own file systems, so a directory of the host that lies
 * below and is needed must be mounted again at its place.
 */
static bool is_covered(const char *path)
{
	static const char *const covered[] = {
		"/dev",	    "/dev/mqueue", "/dev/pts",
		"/dev/shm", "/io",	   "/mnt/disk",
		"/mnt/tmp", "/run",	   "/var/lib/containers",
		"/var/tmp",
	};
	bool below = false;

	for (size_t i = 0; i < sizeof(covered) / sizeof(*covered); i++) {
		size_t length = strlen(covered[i]);

		if (strncmp(path, covered[i], length))
			continue;
		if (!path[length])
			return false;
		below = below || path[length] == '/';
	}
	return below;
}

static void enter_root(void)
{
	mount_on("/dev", "/new/dev", NULL, MS_MOVE, NULL);
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fail("switch root: %m");
}

static void make_link(const char *target, const char *path)
{
	if (symlink(target, path) && errno != EEXIST)
		fail("symlink %s: %m", path);
}

static void mount_kernel_files(void)
{
	const unsigned long safe = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	mount_on("proc", "/proc", "proc", safe, NULL);
	mount_on("sysfs", "/sys", "sysfs", safe, NULL);
	mount_on("securityfs", "/sys/kernel/security", "securityfs", safe,
		 NULL);
	mount_on("debugfs", "/sys/kernel/debug", "debugfs", safe, NULL);
	mount_on("tracefs", "/sys/kernel/tracing", "tracefs", safe, NULL);
	mount_on("bpf", "/sys/fs/bpf", "bpf", safe, "mode=700");
	mount_on("cgroup2", "/sys/fs/cgroup", "cgroup2", safe, "nsdelegate");
	make_dir("/dev/pts", 0755);
	make_dir("/dev/shm", 01777);
	make_dir("/dev/mqueue", 0755);
	mount_on("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		 "gid=5,mode=620,ptmxmode=666");
	mount_on("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	mount_on("mqueue", "/dev/mqueue", "mqueue", safe, NULL);
	make_link("/proc/self/fd", "/dev/fd");
	make_link("fd/0", "/dev/stdin");
	make_link("fd/1", "/dev/stdout");
	make_link("fd/2", "/dev/stderr");
}

static void mount_scratch(const char *path, const char *data)
{
	make_parents(path);
	mount_on("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, data);
}

/*
 * Subjects of tests and container storage need a real file system of the
 * guest: an overlay cannot be the upper layer of another one.
 */
static void mount_scratches(const struct request *request)
{
	mount_scratch("/run", "mode=755");
	make_dir("/run/lock", 01777);
	mount_scratch("/var/tmp", "mode=1777");
	mount_scratch("/var/lib/containers", "mode=755");
	mount_scratch("/mnt/tmp", "mode=1777");
	make_dir("/io", 0755);
	mount_on("io", "/io", "9p", MS_NOSUID | MS_NODEV,
		 "trans=virtio,version=9p2000.L,msize=512000,cache=none");
	if (request->disk) {
		make_parents("/mnt/disk");
		mount_on("/dev/vda", "/mnt/disk", request->disk, MS_NOATIME,
			 NULL);
	}
}

/* The root may have no processes of its own while it hands controllers on. */
static void delegate_cgroups(void)
{
	const char *subtree = "/sys/fs/cgroup/cgroup.subtree_control";
	char names[256], word[80], *rest = names, *name;
	int fd = open_or_fail("/sys/fs/cgroup/cgroup.controllers", O_RDONLY);
	ssize_t got = read(fd, names, sizeof(names) - 1);

	if (got < 0)
		fail("cgroup.controllers: %m");
	close(fd);
	names[got] = '\0';
	make_dir("/sys/fs/cgroup/init", 0755);
	write_file("/sys/fs/cgroup/init/cgroup.procs", "1");
	while ((name = strsep(&rest, " \n"))) {
		if (!*name)
			continue;
		snprintf(word, sizeof(word), "+%s", name);
		write_file(subtree, word);
	}
}

static void bring_up_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		fail("loopback: %m");
	close(fd);
}

static void raise_limits(void)
{
	/* systemd's defaults, which programs of the host expect. */
	const struct rlimit files = { 1024, 524288 };

	if (setrlimit(RLIMIT_NOFILE, &files))
		fail("setrlimit: %m");
}

static void build_guest(const struct request *request)
{
	int modules, cwd = -1;
	struct utsname name;
	char path[256];

	if (request->disk)
		load_modules("/modules/disk");
	mount_root();
	modules = tree_clone(request->modules);
	if (is_covered(request->cwd))
		cwd = tree_clone(request->cwd);
	enter_root();
	mount_kernel_files();
	mount_scratches(request);
	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	tree_attach(modules, path);
	if (cwd >= 0)
		tree_attach(cwd, request->cwd);
	/* As systemd leaves it; also, pivot_root is refused without a parent. */
	if (mount(NULL, "/", NULL, MS_SHARED | MS_REC, NULL))
		fail("make / shared: %m");
	delegate_cgroups();
	bring_up_loopback();
	raise_limits();
	if (sethostname("vm", 2))
		fail("sethostname: %m");
}

/* The command's own standard error is the right place from here on. */
static void command_fails(const char *what, int status)
	__attribute__((noreturn));

static void command_fails(const char *what, int status)
{
	int error = errno;

	fputs("vm: cannot run the command: ", stderr);
	for (const char *p = what; *p; p++)
		putc(isprint((unsigned char)*p) ? *p : '?', stderr);
	fprintf(stderr, ": %s\n", strerror(error));
	_exit(status);
}

static void command_exec(const struct request *request, int out, int err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(EXIT_NOEXEC);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	umask(022);
	if (chdir(request->cwd))
		command_fails(request->cwd, EXIT_NOEXEC);
	clearenv();
	for (size_t i = 0; i < request->nr_env; i++)
		if (putenv(request->env[i]))
			command_fails(request->env[i], EXIT_NOEXEC);
	execvp(request->argv[0], request->argv);
	command_fails(request->argv[0],
		      errno == ENOENT ? EXIT_NOENT : EXIT_NOEXEC);
}

static pid_t command_start(const struct request *request,
			   struct stream *streams[2])
{
	int pipes[2][2];
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		if (pipe2(pipes[i], O_CLOEXEC) ||
		    fcntl(pipes[i][0], F_SETFL, O_NONBLOCK))
			fail("pipe: %m");
		streams[i]->in = pipes[i][0];
	}
	pid = fork();
	if (pid < 0)
		fail("fork: %m");
	if (!pid)
		command_exec(request, pipes[0][1], pipes[1][1]);
	close(pipes[0][1]);
	close(pipes[1][1]);
	return pid;
}

static void stream_fill(struct stream *stream)
{
	ssize_t got = read(stream->in, stream->bytes, sizeof(stream->bytes));

	if (got > 0) {
		stream->start = 0;
		stream->end = (size_t)got;
	} else if (got == 0) {
		stream->eof = true;
	} else if (errno != EAGAIN && errno != EINTR) {
		fail("read output: %m");
	}
}

static void stream_flush(struct stream *stream)
{
	ssize_t put = write(stream->out, stream->bytes + stream->start,
			    stream->end - stream->start);

	if (put > 0)
		stream->start += (size_t)put;
	else if (put < 0 && errno != EAGAIN && errno != EINTR)
		fail("write output: %m");
}

static bool stream_empty(const struct stream *stream)
{
	return stream->start == stream->end;
}

/* A closed pipe is always readable, so it is not asked about any more. */
static struct pollfd stream_poll(const struct stream *stream)
{
	struct pollfd poll = { .fd = -1 };

	if (!stream_empty(stream)) {
		poll.fd = stream->out;
		poll.events = POLLOUT;
	} else if (!stream->eof) {
		poll.fd = stream->in;
		poll.events = POLLIN;
	}
	return poll;
}

static void stream_serve(struct stream *stream)
{
	if (stream_empty(stream) && !stream->eof)
		stream_fill(stream);
	if (!stream_empty(stream))
		stream_flush(stream);
}

/*
 * Passes on what the command had written when it ended; what processes left
 * behind write later is not waited for. A port is writable again when the
 * host has taken everything.
 */
static void stream_drain(struct stream *stream)
{
	struct pollfd poll_out = { .fd = stream->out, .events = POLLOUT };

	do {
		if (stream_empty(stream) && !stream->eof)
			stream_fill(stream);
		if (stream_empty(stream))
			stream->eof = true;
		else if (poll(&poll_out, 1, -1) > 0)
			stream_flush(stream);
	} while (!stream->eof);
	while (poll(&poll_out, 1, -1) < 1)
		;
}

/* As process 1 it inherits and reaps every orphan. */
static bool reap(pid_t command, int *ret_status)
{
	bool ended = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*ret_status = WIFEXITED(status) ? WEXITSTATUS(status)
						: 128 + WTERMSIG(status);
		ended = true;
	}
	return ended;
}

static int command_run(const struct request *request)
{
	static struct stream out, err;
	struct stream *streams[2] = { &out, &err };
	struct signalfd_siginfo info;
	bool ended = false;
	sigset_t children;
	int status = 0, signals;
	pid_t pid;

	out.out = open_port(PORT_STDOUT, O_WRONLY | O_NONBLOCK);
	err.out = open_port(PORT_STDERR, O_WRONLY | O_NONBLOCK);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		fail("signalfd: %m");
	pid = command_start(request, streams);
	while (!ended) {
		struct pollfd polls[3] = {
			stream_poll(&out),
			stream_poll(&err),
			{ .fd = signals, .events = POLLIN },
		};

		if (poll(polls, 3, -1) < 0 && errno != EINTR)
			fail("poll: %m");
		stream_serve(&out);
		stream_serve(&err);
		if (polls[2].revents) {
			while (read(signals, &info, sizeof(info)) > 0)
				;
			ended = reap(pid, &status);
		}
	}
	stream_drain(&out);
	stream_drain(&err);
	return status;
}

static int guest_main(void)
{
	struct request request;
	size_t length;
	char *text;
	int control;

	make_dir("/dev", 0755);
	if (mount("dev", "/dev", "devtmpfs", MS_NOSUID, NULL) && errno != EBUSY)
		fail("devtmpfs: %m");
	load_modules("/modules/boot");
	control = open_port(PORT_CONTROL, O_RDWR);
	tell(control, "ready\n");
	text = request_read(control, &length);
	request_parse(&request, text, length);
	set_time(request.time);
	stir_random(request.seed);
	build_guest(&request);
	tell(control, "run\n");
	tell(control, "exit %d\n", command_run(&request));
	/* The host ends the machine. */
	for (;;)
		pause();
}

#ifdef __x86_64__
static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* An interruption between the two readings would spoil the pair. */
static uint64_t read_pair(uint64_t *ret_ns)
{
	uint64_t best = UINT64_MAX, ticks = 0;

	for (int i = 0; i < 32; i++) {
		uint64_t before = now_ns(), tsc = __rdtsc(), after = now_ns();

		if (after - before < best) {
			best = after - before;
			*ret_ns = before + (after - before) / 2;
			ticks = tsc;
		}
	}
	return ticks;
}

static int print_tsc_khz(void)
{
	const struct timespec pause_time = { .tv_nsec = 50000000 };
	uint64_t from_ns, to_ns, from, to;

	from = read_pair(&from_ns);
	nanosleep(&pause_time, NULL);
	to = read_pair(&to_ns);
	if (to_ns <= from_ns || to <= from)
		return 1;
	printf("%.0f\n", (double)(to - from) * 1e6 / (double)(to_ns - from_ns));
	return fflush(stdout) ? 1 : 0;
}
#endif

int main(int argc, char **argv)
{
	if (getpid() == 1)
		return guest_main();
#ifdef __x86_64__
	if (argc == 2 && !strcmp(argv[1], "tsc-khz"))
		return print_tsc_khz();
#endif
	fprintf(stderr, "aletheia-vm-init is process 1 of a virtual machine; "
			"use the script vm\n");
	return 64;
}
