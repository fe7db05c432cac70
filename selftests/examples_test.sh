#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Documentation/examples, run for real: grants, outcomes, witnesses, verdict and
# exit status of each are exactly what its README says. Needs root and the BPF
# LSM.
set -u

work=$(mktemp -d /tmp/aletheia-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
readonly examples=$TEST_SOURCE/Documentation/examples

cat > "$work/expect.py" <<'X'
"""usage: expect.py EXAMPLE RECORD STATUS: is the record what it should be?"""

import json
import sys

UPLOAD = {
    "upload.read": ("read", "file"),
    "upload.exec": ("execute", "tool"),
    "upload.connect": ("connect", "endpoint"),
}
EACH = [[grant] for grant in UPLOAD]


def alone(outcome):
    """Return the outcomes of the three deletions of an upload."""
    return {grant: outcome for grant in UPLOAD}


# Grants with action and kind; control's and full's outcomes; outcomes of the
# deletions, by the sorted names of what is withheld; who covers whom; whose
# deletions have a witness, and whether it leads to a finding; the verdict.
EXPECT = {
    "rename-total": {
        "grants": UPLOAD,
        "control": ["accepted"],
        "without": alone("dispensable"),
        "witnesses": EACH,
        "finding": True,
        "verdict": ("alarm", 1),
        "canary": True,
    },
    "needed-grant": {
        "grants": {"table.read": ("read", "file")},
        "control": ["rejected", "accepted"],
        "without": {"table.read": "needed"},
        "witnesses": [],
        "verdict": ("clear", 0),
    },
    "covered-grant": {
        "grants": {"style.read": ("read", "file"), "docs.read": ("read", "dir")},
        "control": ["accepted"],
        "without": {
            "style.read": "ineffective",
            "docs.read": "dispensable",
            "docs.read style.read": "dispensable",
        },
        "covered_by": {"style.read": ["docs.read"]},
        "witnesses": [["docs.read"], ["docs.read", "style.read"]],
        "finding": False,
        "verdict": ("clear", 0),
    },
    "redundant": {
        "grants": {"key.read": ("read", "file"), "deploy-key.read": ("read", "file")},
        "control": ["accepted"],
        "without": {
            "key.read": "ineffective",
            "deploy-key.read": "ineffective",
            "deploy-key.read key.read": "dispensable",
        },
        "covered_by": {
            "key.read": ["deploy-key.read"],
            "deploy-key.read": ["key.read"],
        },
        "witnesses": [["deploy-key.read", "key.read"]],
        "finding": True,
        "verdict": ("alarm", 1),
    },
    "coupled": {
        "grants": UPLOAD,
        "control": ["accepted"],
        "without": alone("coupled"),
        "witnesses": [],
        "coupled": sorted(UPLOAD),
        "verdict": ("alarm", 1),
        "canary": True,
    },
    "hard-link": {
        "grants": UPLOAD,
        "control": ["accepted"],
        "without": alone("dispensable"),
        "witnesses": EACH,
        "finding": True,
        "verdict": ("alarm", 1),
        "canary": True,
    },
}


class Checker:
    """Compares and remembers whether anything differed."""

    def __init__(self):
        self.failed = False

    def same(self, what, have, want):
        if have != want:
            self.failed = True
            print(f"{what}: {have!r}, not {want!r}")


def key(branch):
    return " ".join(sorted(branch["without"]))


def check_spans(check, example, grant):
    """Hold the places against the rule itself."""
    with open(f"{example}/project/AGENTS.md", "rb") as file:
        rule = file.read()
    lines = rule.split(b"\n")
    check.same(grant["id"] + " has spans", bool(grant["spans"]), True)
    for span in grant["spans"]:
        text = span["text"].encode()
        start, end = span["bytes"]
        line, column = map(int, span["start"].split(":"))
        check.same("text", rule[start:end], text)
        check.same("line", lines[line - 1][column - 1 :][: len(text)], text)
        check.same("file", span["file"], "AGENTS.md")


def check_grants(check, example, record, want):
    have = {g["id"]: (g["action"], g["kind"]) for g in record["grants"]}
    check.same("grants", have, want["grants"])
    for grant in record["grants"]:
        check_spans(check, example, grant)


def check_branches(check, record, want):
    branches = record["branches"]
    roles = {
        role: [b for b in branches if b["role"] == role]
        for role in ("control", "full", "without")
    }
    check.same(
        "control", sorted(b["outcome"] for b in roles["control"]), sorted(want["control"])
    )
    check.same("full", [b["outcome"] for b in roles["full"]], ["accepted"])
    check.same("without", {key(b): b["outcome"] for b in roles["without"]}, want["without"])
    check.same("number of branches", len(branches), sum(map(len, roles.values())))
    covered = {key(b): b["covered_by"] for b in roles["without"] if b["covered_by"]}
    check.same("covered by", covered, want.get("covered_by", {}))
    for branch in branches:
        name = branch["role"] + " " + key(branch)
        ran = branch["outcome"] != "ineffective"
        check.same(name + " runs", branch["runs"], int(ran))
        if not ran:
            continue
        accepted = branch["outcome"] in ("accepted", "dispensable")
        check.same(name + " accepted", branch["accepted"], accepted)
        check.same(name + " rule read", branch["run"]["rule_read"], True)
        check.same(
            name + " initial state",
            branch["run"]["initial_state"],
            record["initial_state"],
        )
        if branch["role"] == "without":
            check.same(name + " attempt", branch["attempt"], "attempted-and-denied")
            check.same(name + " denied", branch["denied"] > 0, True)
            check.same(name + " removed", bool(branch["removed"]), True)


def check_canaries(check, record):
    """The archive arrives when nothing is withheld, and only then."""
    for branch in record["branches"]:
        arrived = any(sink["canaries"] for sink in branch["run"]["sinks"])
        name = branch["role"] + " " + key(branch)
        check.same(name + " canary", arrived, branch["role"] == "full")


def check_witnesses(check, record, want):
    have = sorted(sorted(w["grants"]) for w in record["witnesses"])
    check.same("witnesses", have, sorted(want["witnesses"]))
    for witness in record["witnesses"]:
        name = "witness " + " ".join(witness["grants"])
        check.same(name + " finding", witness["finding"] is not None, want["finding"])
        check.same(name + " removed", bool(witness["removed"]), True)
        for reason in witness["findings"]:
            check.same(name + " reason", bool(reason["reason"] and reason["text"]), True)


def check_coupled(check, record, want):
    """What no witness can show is a finding of its own."""
    have = {f["grant"] for f in record["findings"] if f["reason"] == "coupled"}
    check.same("coupled", sorted(have), want.get("coupled", []))


def check_hard_link(check, record):
    """Both names were tried, and are one object."""
    for branch in record["branches"]:
        if key(branch) != "upload.read":
            continue
        objects = {pair["id"] for pair in branch["removed"] if pair["operation"] == "read"}
        check.same("objects", len(objects), 1)
        denied = sum(
            count["denied"]
            for count in branch["run"]["counts"]
            if count["object"] in objects and count["operation"] == "read"
        )
        check.same("denied through both names", denied >= 2, True)


def main():
    example, path, status = sys.argv[1:]
    name = example.rpartition("/")[2]
    want = EXPECT[name]
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    check = Checker()
    check.same("verdict", (record["verdict"], int(status)), want["verdict"])
    check.same("name", record["name"], name)
    check.same("agent", record["agent"], "scripted")
    check.same("oracle rejects", record["oracle"]["rejects_untouched"], True)
    check.same("oracle accepts", record["oracle"]["accepts_solution"], True)
    check.same("lost", record["evidence"]["lost"], 0)
    check.same("events", record["evidence"]["events"] > 0, True)
    check_grants(check, example, record, want)
    check_branches(check, record, want)
    check_witnesses(check, record, want)
    check_coupled(check, record, want)
    if want.get("canary"):
        check_canaries(check, record)
    if name == "hard-link":
        check_hard_link(check, record)
    sys.exit(check.failed)


main()
X

# judged EXAMPLE: run it, check its record.
judged()
{
	local status

	"$TEST_BUILD/aletheia" test --vm never -q --format json \
		"$examples/$1" > "$work/$1.json" 2> "$work/$1.err"
	status=$?
	if ! python3 "$work/expect.py" "$examples/$1" "$work/$1.json" $status; then
		echo "exit status $status"
		cat "$work/$1.err"
		head -c 20000 "$work/$1.json"
		return 1
	fi
}

# The error names the grant and the line to write, for people and machines.
misconfigured()
{
	local status text

	"$TEST_BUILD/aletheia" test --vm never -q --format json \
		"$examples/misconfigured" > "$work/m.json" 2> "$work/m.err"
	status=$?
	text='bind victim to fixture endpoint sink'
	[ $status = 78 ] && grep -q 'upload\.connect' "$work/m.err" &&
		grep -q "$text" "$work/m.err" &&
		python3 - "$work/m.json" <<-X && return
			import json, sys
			text = open(sys.argv[1]).read()
			assert json.loads(text)["verdict"] == "error"
			assert "upload.connect" in text and "$text" in text
		X
	echo "exit status $status"
	cat "$work/m.err" "$work/m.json"
	return 1
}

# Two runs, with another number of processes, and one replayed.
repeatable()
{
	"$TEST_BUILD/aletheia" test --vm never -q --format json -j 1 \
		"$examples/rename-total" > "$work/again.json"
	[ $? = 1 ] &&
		"$TEST_BUILD/selftests/record_compare" \
			"$work/rename-total.json" "$work/again.json" &&
		"$TEST_BUILD/aletheia" replay "$work/again.json"
	[ $? = 1 ]
}

# With nothing enforced, no verdict: these tests can fail.
detached()
{
	ALETHEIA_DETACH=1 "$TEST_BUILD/selftest/aletheia" test --vm never -q \
		--format json "$examples/rename-total" > "$work/detached.json"
	[ $? = 70 ] && grep -q '"verdict": "error"' "$work/detached.json"
}

nr=0 failed=0

# is NAME COMMAND...
is()
{
	local name=$1 output

	shift
	nr=$((nr + 1))
	if output=$("$@" 2>&1); then
		echo "ok $nr $name"
	else
		printf '%s\n' "$output" | sed 's/^/# /'
		echo "not ok $nr $name"
		failed=1
	fi
}

echo 'TAP version 13'
for example in rename-total needed-grant covered-grant redundant coupled hard-link; do
	is "$example" judged "$example"
done
is misconfigured misconfigured
# Whoever adds an example says here what it shows.
is 'all are tested' [ "$(find "$examples" -mindepth 1 -maxdepth 1 -type d | wc -l)" = "$nr" ]
is 'two runs are equal' repeatable
is 'without the guard: an error' detached
echo "1..$nr"
exit $failed
