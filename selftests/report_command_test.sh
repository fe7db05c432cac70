#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# aletheia report, replay and synthesize: what they print, and their statuses.
# Nothing here needs root or the guard.
set -u

readonly aletheia=$TEST_BUILD/aletheia
readonly data=$TEST_SOURCE/selftests/data/report
readonly examples=$TEST_SOURCE/Documentation/examples
work=$(mktemp -d /tmp/aletheia-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
nr=0 failed=0

check()
{
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' "$work/out" "$work/err"
		failed=1
	fi
}

# status WANTED ARGUMENT...
status()
{
	local wanted=$1 got

	shift
	"$aletheia" "$@" > "$work/out" 2> "$work/err"
	got=$?
	[ "$got" = "$wanted" ]
}

echo 'TAP version 13'

status 1 report "$data/rename-total.json" &&
	cmp -s "$work/out" "$data/rename-total.txt"
check $? 'report prints what the test printed, with the verdict as status'

status 1 report -v "$data/rename-total.json" &&
	cmp -s "$work/out" "$data/rename-total-verbose.txt"
check $? 'report -v prints everything'

status 1 report --format json "$data/rename-total.json" &&
	cp "$work/out" "$work/again.json" &&
	status 1 report --format json "$work/again.json" &&
	cmp -s "$work/out" "$work/again.json" &&
	! LC_ALL=C grep -q '[^ -~]' "$work/out"
check $? 'report --format json is a record again, in ASCII'

status 1 report - < "$data/rename-total.json" &&
	cmp -s "$work/out" "$data/rename-total.txt"
check $? 'report reads standard input'

status 1 replay "$data/rename-total.json" &&
	grep -q 'all agree' "$work/out"
check $? 'replay agrees, with the verdict as status'

sed '0,/"verdict": "alarm"/s//"verdict": "clear"/' "$data/rename-total.json" \
	> "$work/clear.json"
status 0 report "$work/clear.json" && status 65 replay "$work/clear.json" &&
	grep -q '"verdict" was "clear"' "$work/err"
check $? 'replay finds a verdict that was changed'

sed '0,/"denied": 1/s//"denied": 0/' "$data/rename-total.json" > "$work/x.json"
status 65 replay "$work/x.json"
check $? 'replay finds a number that was changed'

echo '{"format": 1' > "$work/x.json"
status 65 report "$work/x.json" && grep -q 'not JSON' "$work/err"
check $? 'what is no JSON is bad input'

echo '{"format": 1, "format": 1}' > "$work/x.json"
status 65 report "$work/x.json" && grep -q 'duplicate' "$work/err"
check $? 'a member that is there twice is bad input'

echo '{"verdict": "error", "errors": []}' > "$work/x.json"
status 65 report "$work/x.json" && grep -q 'not a record' "$work/err"
check $? 'what is no record is bad input'

status 65 report "$work/nothing" && status 65 replay "$work"
check $? 'what cannot be read is bad input'

status 64 report && status 64 report a b && status 64 report --format x a &&
	status 64 replay && status 64 synthesize &&
	status 64 synthesize --diff "$examples/rename-total" &&
	status 64 synthesize --without nobody "$examples/rename-total"
check $? 'misuse has a status of its own'

status 0 synthesize "$examples/rename-total" &&
	grep -qx 'connect tcp victim-host 22' "$work/out" &&
	grep -qx 'read /workspace/artifact.tar' "$work/out" &&
	grep -qx 'write /workspace/' "$work/out" &&
	! grep -q 'write /workspace/artifact.tar' "$work/out"
check $? 'synthesize prints pairs, and the carve-out'

status 0 synthesize --without upload.read "$examples/rename-total" &&
	! grep -q artifact.tar "$work/out" &&
	grep -qx 'connect tcp victim-host 22' "$work/out"
check $? 'synthesize --without withholds'

status 0 synthesize --diff --without upload.read "$examples/rename-total" &&
	[ "$(cat "$work/out")" = 'read /workspace/artifact.tar' ]
check $? 'synthesize --diff prints what is taken away'

status 0 synthesize --diff --without style.read "$examples/covered-grant" &&
	[ ! -s "$work/out" ] && grep -q 'takes nothing away' "$work/err" &&
	status 0 synthesize --diff --without style.read --without docs.read \
		"$examples/covered-grant" &&
	grep -qx 'read /workspace/docs/style.md' "$work/out"
check $? 'a deletion that is covered takes nothing away, both together do'

status 0 synthesize --format json --diff --without upload.connect \
	"$examples/rename-total" &&
	python3 -c '
import json, sys
pair, = json.load(open(sys.argv[1]))["removed"]
sys.exit(pair != {"object": "tcp victim-host 22", "kind": "endpoint",
                  "tree": False, "operations": ["connect"]})' "$work/out"
check $? 'synthesize --format json'

status 78 synthesize "$examples/misconfigured" &&
	grep -q 'upload.connect' "$work/err" && [ ! -s "$work/out" ]
check $? 'what nothing binds is a configuration error'

echo "1..$nr"
exit $failed
