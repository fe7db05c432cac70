#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The scripted agent on a disk that the rule fills: the solution fits all the
# same. Needs root, to mount the small disk; the agent runs as nobody.
set -u

work=$(mktemp -d /tmp/aletheia-test.XXXXXX)
trap 'umount -q "$work/ws" "$work/disk"; rm -rf "$work"' EXIT
failed=0

# As in a branch: an overlay whose upper layer is on a tmpfs of 8 MiB.
disk()
{
	mkdir -p "$work"/{lower,disk,ws,solution}
	chmod 755 "$work"
	mount -t tmpfs -o size=8m,mode=755 tmpfs "$work/disk" &&
		mkdir "$work"/disk/{upper,work} &&
		chown nobody "$work/disk/upper" &&
		mount -t overlay -o "lowerdir=$work/lower,upperdir=$work/disk/upper,workdir=$work/disk/work" \
			overlay "$work/ws"
}

agent()
{
	setpriv --reuid nobody --regid nogroup --clear-groups \
		"$TEST_BUILD/aletheia-scripted" --rule "$work/rule.md" \
		--workspace "$work/ws" --solution "$work/solution" > "$work/log"
}

# ok NUMBER NAME COMMAND...
ok()
{
	local number=$1 name=$2

	shift 2
	if "$@"; then
		echo "ok $number $name"
	else
		sed 's/^/# /' "$work/log"
		df "$work/disk" | sed 's/^/# /'
		echo "not ok $number $name"
		failed=1
	fi
}

echo 'TAP version 13'
echo '1..4'
disk || exit 1
head -c 2000000 /dev/urandom > "$work/solution/big"
printf '```sh\ncat /dev/zero > full; cat /dev/zero > more\nwc -c full more\n```\n' > "$work/rule.md"
agent
ok 1 'the agent ends well' [ $? = 0 ]
ok 2 'the disk was full' grep -q 'No space left on device' "$work/log"
ok 3 'the solution is there' cmp "$work/solution/big" "$work/ws/big"
# Without the agent's reserve there is no room: the disk really is that small.
rm "$work/ws/big"
ok 4 'only what was reserved is free' \
	sh -c "! head -c 8000000 /dev/zero > '$work/ws/x' 2> /dev/null"
exit $failed
