#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The command line: the table, the help, the man pages and the completion list
# the same things; misuse has one line and a status of its own.
set -u

readonly aletheia=$TEST_BUILD/aletheia
readonly man=$TEST_SOURCE/Documentation/man
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
		failed=1
	fi
}

# status WANTED ARGUMENT...
status()
{
	local wanted=$1

	shift
	"$aletheia" "$@" > "$work/out" 2> "$work/err" < /dev/null
	[ $? = "$wanted" ]
}

echo 'TAP version 13'

commands=$("$aletheia" help | awk '/^  [a-z]/ { print $1 }')
[ "$(wc -w <<< "$commands")" -ge 9 ]
check $? 'help lists the commands'

missing=
for command in $commands; do
	grep -qx "$command" "$man/aletheia.1.rst" || missing+=" $command"
done
[ -z "$missing" ]
check $? "aletheia(1) has every command$missing"

missing=
for command in $commands; do
	page=$man/aletheia-$command.1.rst
	[ -e "$page" ] || continue
	for option in $("$aletheia" "$command" --help |
		grep -oE '(^| )--[a-z-]+' | sort -u); do
		case $option in
		--help | --version) continue ;;
		esac
		grep -q -e "$option" "$page" "$man/aletheia.1.rst" ||
			missing+=" $command:$option"
	done
done
[ -z "$missing" ]
check $? "man pages have every option$missing"

missing=
for command in $commands; do
	status 0 "$command" --help && [ -s "$work/out" ] || missing+=" $command"
done
[ -z "$missing" ]
check $? "--help works for every command$missing"

[ "$("$aletheia" --version)" = "$("$aletheia" test -V)" ]
check $? 'one version'

"$aletheia" completion bash > "$work/completion" && bash -n "$work/completion"
check $? 'the completion is valid shell'
found=$(bash -c 'source "$1"; COMP_WORDS=(aletheia test --fo); COMP_CWORD=2
	_aletheia; echo "${COMPREPLY[@]}"' bash "$work/completion")
[ "$found" = --format ]
check $? 'the completion completes an option'

status 64 nosuch && [ "$(wc -l < "$work/err")" = 2 ]
check $? 'an unknown command is misuse'
status 64 test && grep -q 'Try "aletheia test --help"' "$work/err"
check $? 'a missing argument is misuse'
status 64 test --nosuch x && grep -q nosuch "$work/err"
check $? 'an unknown option is misuse'
status 64 test --format xml x && status 64 test --vm maybe x &&
	status 64 test --jobs 0 x && status 64 test a b
check $? 'a wrong value is misuse'
status 64 "$(printf '\033]0;x\007')" && ! grep -q "$(printf '\033')" "$work/err"
check $? 'what is misused is escaped'

status 65 test "$work/absent" || status 78 test "$work/absent"
check $? 'an absent manifest is an error'
status 78 test --vm never "$TEST_SOURCE/Documentation/examples/misconfigured"
check $? 'what is wrong in the inputs comes before what the machine lacks'
"$aletheia" test --vm always --format json \
	"$TEST_SOURCE/Documentation/examples/misconfigured" \
	> "$work/out" 2> "$work/err"
[ $? = 78 ] && grep -q '"verdict": "error"' "$work/out" &&
	grep -q 'bind victim to fixture endpoint sink' "$work/out"
check $? 'errors are JSON for who asked for it, with the line to write'

"$aletheia" help > /dev/full 2> "$work/err"
[ $? = 70 ]
check $? 'output that cannot be written is a failure'
"$aletheia" help > /dev/null
check $? '(and is none where it can)'

echo "1..$nr"
exit $failed
