#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/vm, from outside: what goes into the machine, what comes out of it,
# and what must not.
#
# usage: vm_test.sh [GLOB]. TAP 13, exit status as in kselftest. Most tests
# start from a snapshot, because they are about the command and not the boot.

set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
source_dir=${TEST_SOURCE:-$(dirname "$here")}
export ALETHEIA_BUILD=${TEST_BUILD:-$source_dir/build}
script=$source_dir/scripts/vm
work=$(mktemp -d "${TMPDIR:-/tmp}/vm_test.XXXXXX") || exit 1
trap 'rm -rf -- "$work"' EXIT

vm() { "$script" --snapshot --timeout 150 "$@"; }

# expect_status N COMMAND...
expect_status()
{
	local wanted=$1 got=0

	shift
	"$@" || got=$?
	[ "$got" = "$wanted" ] || { echo "status $got, not $wanted: $*"; return 1; }
}

# expect_fails COMMAND...
expect_fails()
{
	! "$@" || { echo "did not fail: $*"; return 1; }
}

expect_equal()
{
	[ "$1" = "$2" ] || { printf 'got:\n%s\nnot:\n%s\n' "$1" "$2"; return 1; }
}

# expect_said PATTERN: in the error output kept in "said"
expect_said()
{
	grep -q -- "$1" said || { echo "not said: $1"; cat said; return 1; }
}

# Waits for a process to end; a dead one nobody has reaped counts as ended.
expect_gone()
{
	local i state

	for ((i = 0; i < 50; i++)); do
		state=$(ps -o state= -p "$1") || return 0
		[[ $state != Z* ]] || return 0
		sleep 0.1
	done
	echo "process $1 still lives"
	return 1
}

# Starts a machine that only sleeps; sets $vm_pid and $qemu_pid.
start_sleeper()
{
	local i

	# Unlike a shell's background job it shall notice an interrupt.
	env --default-signal=INT "$script" --snapshot --out "$PWD/$1" -- \
		bash -c 'touch /io/up; sleep 100' &
	vm_pid=$!
	for ((i = 0; i < 600; i++)); do
		qemu_pid=$(pgrep -P "$vm_pid" qemu-system) &&
			[ -e "$(echo "$TMPDIR"/aletheia-vm."$vm_pid".*)/io/up" ] && return 0
		sleep 0.1
	done
	echo 'the machine did not start'
	return 1
}

# --- what goes in -------------------------------------------------------------

test_arguments_arrive_unchanged()
{
	local arguments=('' 'two words' $'line\nbreak' '$(reboot) `reboot` $HOME'
		"it's" '"quoted"' 'back\slash' $'\xff\xfe\x01' '-n' '*' '~' '{a,b}'
		$'ends in newline\n' "$(head -c 100000 /dev/zero | tr '\0' x)" '')

	printf '%s\0' "${arguments[@]}" >sent
	vm -- printf '%s\0' "${arguments[@]}" >received
	cmp sent received
}

test_options_end_at_the_command()
{
	expect_equal "$(vm echo --memory 1 -v)" '--memory 1 -v'
	expect_equal "$(vm --cpus=1 -- nproc)" 1
}

test_environment_is_clean()
{
	export SECRET=hidden HANDED=$'handed\non \xff'

	vm --env HANDED --env SET='a b' --env EMPTY= --env ABSENT -- env -0 | sort -z >received
	printf '%s\0' EMPTY= "HANDED=$HANDED" HOME=/root LANG=C.UTF-8 LOGNAME=root \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		'SET=a b' SHELL=/bin/bash TERM=dumb USER=root VM_OUT=/io | sort -z >wanted
	cmp received wanted
}

test_odd_directory()
{
	local odd=$'a b\n\'"$(x),,=\xff\n'

	mkdir -- "$odd"
	cd -- "$odd"
	echo content >file
	pwd -P >../wanted
	vm -- sh -c 'cat file && touch made && ls' >../listed
	vm -- pwd -P >../received
	cmp ../wanted ../received
	expect_equal "$(cat ../listed)" $'content\nfile\nmade'
	expect_fails test -e made
}

# The guest has file systems of its own there.
test_directory_below_covered_place()
{
	local folder

	folder=$(mktemp -d /dev/shm/vm_test.XXXXXX)
	echo content >"$folder/file"
	cd "$folder"
	expect_equal "$(vm -- cat file || echo failed)" content
	cd /
	rm -r "$folder"
	cd /dev/shm
	vm -- sh -c '[ "$(pwd)" = /dev/shm ] && [ "$(stat -f -c %T .)" = tmpfs ]'
}

test_standard_input_is_empty()
{
	expect_equal "$(echo text | vm -- wc -c)" 0
}

# --- what comes out ------------------------------------------------------------

test_exit_status()
{
	local status

	for status in 0 1 77 255; do
		expect_status "$status" vm -- sh -c "exit $status"
	done
	expect_status 137 vm -- sh -c 'kill -KILL $$'
	expect_status 134 vm -- sh -c 'kill -ABRT $$'
	expect_status 127 vm -- no-such-command
	expect_status 126 vm -- /etc/passwd
}

test_output_and_errors_are_apart()
{
	vm -- sh -c 'echo one; echo two >&2; echo three >/dev/stdout; echo four >/dev/stderr' \
		>out 2>err
	expect_equal "$(cat out)" $'one\nthree'
	expect_equal "$(cat err)" $'two\nfour'
}

test_binary_output_is_intact()
{
	head -c 5000000 /dev/urandom >big
	head -c 1000000 /dev/urandom >small
	vm -- sh -c 'cat small >&2 & cat big; wait' >big.received 2>small.received
	expect_equal "$(sha256sum <big.received)" "$(sha256sum <big)"
	cmp small small.received
}

test_output_is_live()
{
	local first

	mkfifo pipe
	vm -- sh -c 'echo first; sleep 50' >pipe &
	exec 3<pipe
	read -r -t 20 first <&3
	expect_equal "$first" first
	kill "$!"
	expect_status 143 wait "$!"
}

# What a process left behind holds open does not delay the end.
test_orphans_do_not_hold_the_machine()
{
	local start=$SECONDS

	expect_equal "$(vm -- sh -c 'sleep 50 & echo done')" 'done'
	[ $((SECONDS - start)) -lt 20 ]
}

test_files_are_brought_out()
{
	local name=$'odd\n name \xff'

	vm --out out/deep -- bash -c '
		set -e
		cd "$VM_OUT"
		mkdir "$0"
		echo content >"$0/$0"
		touch trusted
		chmod 6777 trusted
		ln -s /etc/passwd link
		for type in "fifo p" "null c 1 3"; do
			if mknod $type 2>/dev/null; then exit 10; fi
		done' "$name" 2>err
	expect_equal "$(cat "out/deep/$name/$name")" content
	expect_equal "$(stat -c %a out/deep/trusted)" 755
	expect_equal "$(find out/deep -mindepth 1 ! -type f ! -type d)" ''
	expect_fails test -e out/deep/link
	grep -q 'stay behind' err
}

# A file is never written through a link that lies in the folder already.
test_files_do_not_follow_links()
{
	mkdir out
	echo before >victim
	ln -s ../victim out/link
	vm --out out -- sh -c 'echo after >/io/link'
	expect_equal "$(cat victim)" before
	expect_equal "$(cat out/link)" after
	expect_fails test -L out/link
}

# --- what must not get out -------------------------------------------------------

# Writing works where the command sees it and changes nothing of the host.
test_writes_are_forgotten()
{
	echo before >victim
	vm -- sh -c 'echo after >victim && rm -rf other && mkdir other && cat victim' >seen
	expect_equal "$(cat seen)" after
	expect_equal "$(cat victim)" before
	expect_equal "$(ls)" $'seen\nvictim'
}

# Not even a guest with another process 1, which mounts the host's share for
# writing, can write there. That the same works in the output folder, and that
# it reads the victim, shows that it tried.
test_hostile_guest_cannot_write()
{
	mkdir build
	cp "$ALETHEIA_BUILD/selftests/vm_writer" build/aletheia-vm-init
	echo before >victim
	cp "$script" build/vm
	expect_status 125 build/vm --timeout 150 --out out \
		--append "victim=$PWD/victim" -- true 2>said
	cat >wanted <<-'END'
	io create: OK
	io open: OK
	io chmod: OK
	io link: OK
	io rename: OK
	io unlink: OK
	host read: OK
	host create: EROFS
	host open: EROFS
	host chmod: EROFS
	host link: EROFS
	host rename: EROFS
	host unlink: EROFS
	END
	diff wanted out/result
	expect_equal "$(cat victim)" before
	expect_equal "$(ls victim*)" victim
}

test_no_network_but_loopback()
{
	expect_equal "$(vm -- ls /sys/class/net)" lo
	vm -- python3 -c '
import errno, socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.sendall(b"x")
assert server.accept()[0].recv(1) == b"x"
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as error:
    assert error.errno == errno.ENETUNREACH, error
else:
    raise AssertionError("connected")
'
}

# --- the machine -----------------------------------------------------------------

# A program of the LSM type is loaded where it must be and, as a control, refused
# when it is attached to something that is no hook.
test_bpf_lsm()
{
	local kernel

	cat >hook.c <<-'SOURCE'
	char _license[] __attribute__((section("license"), used)) = "GPL";
	__attribute__((section(HOOK), used)) int hook(unsigned long long *args)
	{
		return args[0] ? 0 : -1;
	}
	SOURCE
	clang --target=bpf -O2 -g -DHOOK='"lsm/file_open"' -c hook.c -o hook.o
	clang --target=bpf -O2 -g -DHOOK='"lsm/no_such_hook"' -c hook.c -o none.o
	for kernel in 6.12 6.1; do
		vm --kernel $kernel -- bash -c '
			set -e
			[[ $(uname -r) = "$0".* ]]
			[[ ,$(</sys/kernel/security/lsm), = *,bpf,* ]]
			bpftool prog load hook.o /sys/fs/bpf/hook
			bpftool -j prog show pinned /sys/fs/bpf/hook | grep -q "\"type\":\"lsm\""
			! bpftool prog load none.o /sys/fs/bpf/none 2>/dev/null' $kernel
	done
}

test_fresh_boot()
{
	local kernel start

	for kernel in 6.12 6.1; do
		start=${EPOCHREALTIME/./}
		expect_equal "$("$script" --kernel $kernel --timeout 150 -- uname -r | cut -d. -f1,2)" $kernel
		echo "$kernel: $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
	done
}

# Each restored machine has its own random numbers and the time of now.
test_snapshot()
{
	local first second now

	vm -v -- true 2>said
	first=$(vm -v -- cat /proc/sys/kernel/random/uuid 2>said)
	expect_fails grep -q 'saving' said
	second=$(vm -- cat /proc/sys/kernel/random/uuid)
	[[ $first =~ ^[0-9a-f-]{36}$ && $second =~ ^[0-9a-f-]{36}$ && $first != "$second" ]]
	now=$(vm -- date +%s)
	[ $((EPOCHSECONDS - now)) -ge 0 ] && [ $((EPOCHSECONDS - now)) -le 5 ]
}

test_two_at_once()
{
	vm --out one.d -- sh -c 'echo one >/io/file; sleep 1; echo one; exit 1' >one &
	expect_status 2 vm --out two.d -- sh -c 'echo two >/io/file; sleep 1; echo two; exit 2' >two
	expect_status 1 wait "$!"
	expect_equal "$(cat one one.d/file)" $'one\none'
	expect_equal "$(cat two two.d/file)" $'two\ntwo'
}

test_guest_is_like_a_real_machine()
{
	vm --disk 64 -- bash -c '
		set -ex
		[ "$(id -u)$(hostname)" = 0vm ]
		[ "$(</proc/self/cgroup)" = 0::/init ]
		for controller in cpu memory pids; do
			grep -qw $controller /sys/fs/cgroup/cgroup.subtree_control
		done
		mkdir /sys/fs/cgroup/child
		echo 100M >/sys/fs/cgroup/child/memory.max
		[ "$(findmnt -no PROPAGATION /)" = shared ]
		for place in /run /var/tmp /dev/shm /mnt/tmp; do
			[ "$(stat -f -c %T $place)" = tmpfs ]
		done
		[ "$(findmnt -no FSTYPE /mnt/disk)" = ext4 ]
		echo content >/mnt/disk/file
		[ -d /sys/kernel/tracing/events ] && [ -d /sys/kernel/debug/tracing ]
		[ -c /dev/ptmx ] && [ -d /dev/mqueue ]
		modprobe tun && [ -c /dev/net/tun ]
		# An overlay, and a root entered by pivot_root.
		cd /run && mkdir root old upper work
		unshare -m sh -ec "
			mount -t overlay -o lowerdir=/,upperdir=/run/upper,workdir=/run/work overlay /run/root
			mkdir /run/root/old
			cd /run/root
			pivot_root . old
			umount -l /old
			echo written >/made"
		[ "$(cat upper/made)" = written ]'
}

# The kernel changes its own code while both processors run it. This is what
# attaching BPF programs does too; emulation has to get it right.
test_code_can_change()
{
	vm --cpus 2 -- bash -c '
		for i in 1 2; do
			while :; do /bin/true; done &
		done
		for i in {1..100}; do
			echo 1 >/proc/sys/kernel/sched_schedstats
			echo 0 >/proc/sys/kernel/sched_schedstats
		done
		echo done' >said
	expect_said "done"
}

# --- failures ----------------------------------------------------------------------

test_misuse()
{
	local arguments

	for arguments in '' '--kernel 5.10 -- true' '--timeout -- true' '--timeout x -- true' \
		'--memory 1 -- true' '--no-such -- true' '--env 1x=y -- true' \
		'--accel warp -- true' '-x true' '--out'; do
		# shellcheck disable=SC2086 # words on purpose
		expect_status 64 "$script" $arguments 2>said
		expect_equal "$(wc -l <said)" 2
		expect_said "--help"
	done
	"$script" --help >help
	grep -q -- '--snapshot' help
}

test_time_limit_kills()
{
	local start=$SECONDS

	expect_status 0 "$script" --snapshot --timeout 60 -- sleep 0
	expect_status 124 "$script" --snapshot --timeout 8 --out out -- \
		sh -c 'echo before >/io/file; trap "" TERM; while :; do sleep 1; done' 2>said
	[ $((SECONDS - start)) -lt 50 ]
	expect_said 'time limit of 8 s'
	expect_equal "$(cat out/file)" before
	expect_equal "$(ls "$TMPDIR")" ''
}

test_broken_boot_is_explained()
{
	expect_status 125 "$script" --timeout 150 --append 'rdinit=/none root=/none' -- true 2>said
	expect_said 'ended while it booted'
	expect_said 'Kernel panic'
}

test_crash_is_explained()
{
	expect_status 125 vm -- sh -c 'echo c >/proc/sysrq-trigger' 2>said
	expect_said 'ended before the command did'
	expect_said 'sysrq triggered crash'
}

test_missing_init_is_explained()
{
	mkdir empty
	cp "$script" empty/vm
	ALETHEIA_BUILD=$PWD/empty expect_status 125 empty/vm -- true 2>said
	expect_said 'aletheia-vm-init'
}

test_closed_output_ends_it()
{
	local status

	vm -- yes | head -n 1 >line
	status=${PIPESTATUS[0]}
	expect_equal "$status $(cat line)" '141 y'
	expect_equal "$(ls "$TMPDIR")" ''
}

test_signals_leave_nothing()
{
	local signal

	for signal in INT TERM; do
		start_sleeper out
		kill -$signal "$vm_pid"
		expect_status $((128 + $(kill -l $signal))) wait "$vm_pid"
		expect_gone "$qemu_pid"
		expect_equal "$(ls "$TMPDIR")" ''
	done
}

test_lost_output_is_a_failure()
{
	expect_status 0 vm -- echo text >/dev/null 2>said
	expect_status 125 vm -- echo text >/dev/full 2>said
	expect_said 'cannot be written'
	expect_status 125 vm -- true 2>said >&-
	expect_said 'cannot be written'
}

# A killed script can clean up nothing: the kernel ends qemu, and the next run
# removes the folder.
test_kill_leaves_no_process()
{
	local folder

	start_sleeper out
	folder=$(echo "$TMPDIR"/aletheia-vm."$vm_pid".*)
	kill -KILL "$vm_pid"
	expect_status 137 wait "$vm_pid"
	expect_gone "$qemu_pid"
	[ -d "$folder" ]
	vm -- true
	expect_fails test -e "$folder"
}

# --- running them --------------------------------------------------------------------

pattern=${1:-*}
# There are no static sanitizers, so a build with them has no process 1 that
# could be booted; nothing else of this is compiled.
if readelf -lW "$ALETHEIA_BUILD/aletheia-vm-init" | grep -q INTERP; then
	pattern=misuse
fi
selected=()
for name in $(grep -o '^test_[a-z0-9_]*' "$here/${0##*/}"); do
	# shellcheck disable=SC2053 # a pattern on purpose
	[[ ${name#test_} = $pattern ]] && selected+=("${name#test_}")
done
echo 'TAP version 13'
echo "1..${#selected[@]}"
[ ${#selected[@]} -gt 0 ] || exit 1
failed=0
for ((i = 0; i < ${#selected[@]}; i++)); do
	name=${selected[i]}
	mkdir -p "$work/$name/tmp" "$work/$name/here"
	start=${EPOCHREALTIME/./}
	(
		cd "$work/$name/here" || exit 1
		export TMPDIR=$work/$name/tmp
		set -e
		"test_$name"
	) >"$work/log" 2>&1
	status=$?
	sed 's/^/# /' "$work/log" | cat -v
	result=ok
	[ $status = 0 ] || { result='not ok'; failed=1; }
	echo "$result $((i + 1)) $name # $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
done
exit $failed
