#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The build engine and scripts/check, on a small project made for the purpose.
# shellcheck disable=SC2016,SC2317 # commands are evaluated later
set -u

source=$TEST_SOURCE
# The tests of the small project are not these; neither are its builds.
unset MAKEFLAGS MFLAGS MAKELEVEL MUST_RUN KERNEL VM O CC SAN FUZZ CFLAGS
unset TEST_SOURCE TEST_BUILD TEST_TIMES
work=$(mktemp -d /tmp/aletheia-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
nr=0 failed=0

# is NAME COMMAND: a test; the command's output is shown if it fails.
is()
{
	local output

	nr=$((nr + 1))
	if output=$(eval "$2" 2>&1); then
		echo "ok $nr $1"
	else
		printf '%s\n' "$output" | sed 's/^/# /'
		echo "not ok $nr $1"
		failed=1
	fi
}

project()
{
	rm -rf "$work/p"
	mkdir -p "$work"/p/{scripts,selftests,include,user/{main,one,two,static}}
	cd "$work/p" || exit 1
	cp "$source/Makefile" .
	cp "$source"/scripts/{Makefile.build,Kbuild.include,data.S,check} scripts
	cp "$source/selftests/harness.h" selftests
	cat > Kbuild <<-'X'
		progs-y := prog still
		prog-y += user/
		still-y += user/static/
		subdir-y += selftests/
		main_prog := user/main/main.o
		static-y := still
	X
	echo 'prog-y += main/ one/ two/ absent/' > user/Kbuild
	echo 'prog-y += main.o' > user/main/Kbuild
	cat > user/one/Kbuild <<-'X'
		prog-y += same.o
		data-y += some-text.txt
		CFLAGS_same.o := -DVALUE=1
	X
	printf 'the text' > user/one/some-text.txt
	cat > user/two/Kbuild <<-'X'
		prog-y += same.o
		selftest-y += same.o
		CFLAGS_same.o := -DVALUE=2
	X
	echo 'still-y += still.o' > user/static/Kbuild
	cat > include/all.h <<-'X'
		extern const char data_some_text_txt[], data_some_text_txt_end[];
		int one(void);
		int two(void);
	X
	cat > user/main/main.c <<-'X'
		#include <stdio.h>
		#include "all.h"
		int main(void)
		{
			printf("%d %d %s %td\n", one(), two(), data_some_text_txt,
			       data_some_text_txt_end - data_some_text_txt);
			return 0;
		}
	X
	printf '#include "all.h"\nint one(void)\n{\n\treturn VALUE;\n}\n' \
		> user/one/same.c
	printf '#include "all.h"\nint two(void)\n{\n\treturn VALUE + 10 * AL_SELFTEST;\n}\n' \
		> user/two/same.c
	printf '#include "all.h"\nint main(void)\n{\n\treturn two();\n}\n' \
		> user/static/still.c
	echo 'TEST_GEN_PROGS += some_test' > selftests/Kbuild
	printf '#include "harness.h"\n#include "all.h"\nTEST(two) { ASSERT_EQ(two(), 12); }\n' \
		> selftests/some_test.c
	echo 'exit 0' > scripts/deps
	chmod +x scripts/deps
}

# Fails if make says anything but what matches the pattern $2, one per line.
makes()
{
	local output

	output=$(eval "make $1" 2> errors) || { cat errors; return 1; }
	printf 'expected: %s\nseen: %s\n' "$2" "$output"
	[ "$output" = "$2" ]
}
quiet() { makes "$1" ''; }

project
is 'builds' 'make -j2 selftests'
is 'program' '[ "$(build/prog)" = "1 2 the text 8" ]'
is 'a folder that is not there is named' \
	'make 2>&1 | grep "without Kbuild: user/absent/"'
is 'second run does nothing' 'quiet selftests'
is 'test-only switches are in the second program only' \
	'[ "$(build/selftest/prog)" = "1 12 the text 8" ]'
is 'static program' \
	'build/still; [ $? = 2 ] && ! readelf -l build/still | grep INTERP'
is 'test' 'build/selftests/some_test'
touch include/all.h
is 'a header' 'make selftests | grep "CC *user/one/same.o"'
is 'nothing after it' 'quiet selftests'
printf 'THE TEXT!' > user/one/some-text.txt
is 'a data file' 'make && [ "$(build/prog)" = "1 2 THE TEXT! 9" ]'
make selftests > log 2>&1
sed -i s/VALUE=1/VALUE=7/ user/one/Kbuild
is 'the flags of one object' 'makes all "$(printf "  %-8s %s\n" CC \
	user/one/same.o LD prog AR libaletheia.a LD still)"'
is 'its program' '[ "$(build/prog)" = "7 2 THE TEXT! 9" ]'
make selftests > log 2>&1
is 'other flags for all' 'make CFLAGS="-DX=\"\$\$a#b,%\"" V=1 |
	grep -c "^gcc .* -c -o" | grep -x 4'
is 'odd flags are remembered' 'quiet "CFLAGS=\"-DX=\\\"\\\$\\\$a#b,%\\\"\""'
is 'another folder' 'make O=elsewhere && [ -x elsewhere/prog ]'
is 'an absolute folder' 'make O="$work/o/p" selftests && "$work/o/p/selftests/some_test"'
mkdir -p Documentation/{man,examples/one}
printf '====\nprog\n====\n\n:Manual section: 1\n\nname\n====\nprog\n' \
	> Documentation/man/prog.1.rst
echo example > Documentation/examples/one/rule.md
is 'install' 'make install DESTDIR=$work/i PREFIX=/usr &&
	cd "$work/i/usr" && diff <(find . -type f | sort) - <<-X
		./bin/prog
		./libexec/aletheia/still
		./share/aletheia/examples/one/rule.md
		./share/aletheia/some-text.txt
		./share/man/man1/prog.1
	X'
is 'clang' 'make CC=clang O=clang selftests && clang/selftests/some_test'
is 'sanitizers' 'make SAN=1 selftests && build/san/selftests/some_test'
is 'a warning is an error' 'echo "int f();" >> user/two/same.c; ! make'
sed -i '/int f/d' user/two/same.c
is 'and it can be mended' 'make selftests'
is 'what failed is tried again' 'echo "#error" > user/two/same.c; ! make && ! make'
project
mkdir "$work/a b"
cp -r . "$work/a b"
is 'a space in the path is refused' \
	'! make -C "$work/a b" && make -C "$work/a b" 2>&1 | grep "has a space"'
is 'O=. is refused' '! make O=.'
is 'two data files of one name are refused' \
	'cp user/one/some-text.txt user/two; echo "data-y += some-text.txt" >> user/two/Kbuild
	! make && make 2>&1 | grep "same name"'

# ---- scripts/check

project
# checks LAST-LINE STATUS [NAME=VALUE...]: what a quick check ends with.
checks()
{
	local last=$1 status=$2

	shift 2
	env "$@" scripts/check --quick > log 2>&1
	set -- $?
	cat log
	[ "$1" = "$status" ] && [ "$(tail -n 1 log)" = "$last" ] &&
		[ "$(grep -c ' passed, .* failed, .* skipped$' log)" = 1 ]
}

# script NAME LINE...: a test that is a script.
script()
{
	local name=$1

	shift
	printf '%s\n' '#!/bin/sh' "$@" > "selftests/$name"
	chmod +x "selftests/$name"
	echo "TEST_PROGS += $name" > selftests/Kbuild
}

is 'passing tests are counted' 'checks "3 passed, 0 failed, 0 skipped" 0'
script a.sh 'exit 0'
is 'a script without TAP passes' 'checks "3 passed, 0 failed, 0 skipped" 0'
script a.sh 'exit 3'
is 'or fails' 'checks "2 passed, 1 failed, 0 skipped" 1'
script a.sh 'exit 4'
is 'or is skipped' 'checks "2 passed, 0 failed, 1 skipped" 0'
is 'skipped is failed where all must run' \
	'checks "2 passed, 1 failed, 0 skipped" 1 MUST_RUN=1'
script a.sh 'echo 1..3' 'echo "ok 1 x"' 'echo "not ok 2 y"' 'echo "ok 3 z # SKIP"' 'exit 1'
is 'TAP is counted' 'checks "3 passed, 1 failed, 1 skipped" 1'
is 'the failed one is shown' 'grep "    not ok 2 y" log'
script a.sh 'echo 1..3' 'echo "ok 1 x"' 'echo "ok 2 y"'
is 'a missing result is a failure' 'checks "4 passed, 1 failed, 0 skipped" 1'
script a.sh 'echo 1..1' 'echo "ok 1 x"' 'exit 1'
is 'an exit status is a failure' 'checks "3 passed, 1 failed, 0 skipped" 1'
script a.sh 'echo 1..1' 'echo "ok 1 x"' 'kill -9 $$'
is 'and so is a death' 'checks "3 passed, 1 failed, 0 skipped" 1'
script a.sh 'echo "ok 1 x"'
is 'a missing plan is a failure' 'checks "3 passed, 1 failed, 0 skipped" 1'
script a.sh 'echo 1..1' 'echo "ok 1 x"' 'kill -9 $(cut -d " " -f 4 /proc/$PPID/stat)'
is 'the runner dies' 'checks "2 passed, 1 failed, 0 skipped" 1'
script a.sh 'exit 0'
echo '#error' >> selftests/some_test.c
echo 'TEST_GEN_PROGS += some_test' >> selftests/Kbuild
is 'a build that fails' 'checks "1 passed, 1 failed, 0 skipped" 1'
echo 'exit 1' > scripts/deps
is 'something is missing' 'checks "0 passed, 1 failed, 0 skipped" 1'

echo "1..$nr"
exit $failed
