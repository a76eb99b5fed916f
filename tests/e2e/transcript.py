#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs end-to-end transcripts: commands as typed, and what they print.

Usage: transcript.py FILE...          with BREAKWATER_BUILD and BREAKWATER_SOURCE in the environment

A transcript is a list of cases. Lines beginning with '# ' are comments.

    $ command            run by sh in the source folder, with the build folder first in PATH
    text                 a line it prints (standard output and error together)
    text {*} text        {*} stands for anything within a line
    ...                  any number of lines
    [status N]           its exit status, 0 when this line is missing

A line that ends in a backslash continues in the next one. Blank lines between cases do not count.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 300


class Case:
    def __init__(self, line, command):
        self.line = line
        self.command = command
        self.expect = []
        self.status = 0


def parse(path):
    return parse_lines(path.name, path.read_text().splitlines())


def parse_lines(name, lines, first=1):
    """The cases in lines, which are those of the file of that name from line `first` on."""
    cases = []
    pending = None
    for number, line in enumerate(lines, first):
        if pending is not None:
            pending.command += "\n" + line
            pending = pending if line.endswith("\\") else None
        elif line.startswith("$ "):
            cases.append(Case(number, line[2:]))
            pending = cases[-1] if line.endswith("\\") else None
        elif line.startswith("# "):
            continue
        elif not cases:
            if line.strip():
                sys.exit(f"{name}:{number}: text before the first command")
        elif re.fullmatch(r"\[status \d+\]", line):
            cases[-1].status = int(line[8:-1])
        else:
            cases[-1].expect.append(line)
    for case in cases:
        while case.expect and not case.expect[-1].strip():
            case.expect.pop()
    return cases


def line_matches(expect, got):
    return re.fullmatch(".*".join(re.escape(p) for p in expect.split("{*}")), got) is not None


def matches(expect, got):
    """Index of the first expected line that found no partner, or None when all is well."""
    # reach[j]: expect[:i] can stand for got[:j]
    reach = {0}
    for i, line in enumerate(expect):
        if line == "...":
            low = min(reach)
            reach = set(range(low, len(got) + 1))
        else:
            reach = {j + 1 for j in reach if j < len(got) and line_matches(line, got[j])}
        if not reach:
            return i
    return None if len(got) in reach else len(expect)


def run(case, env, cwd):
    try:
        done = subprocess.run(["sh", "-c", case.command], env=env, cwd=cwd, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace").splitlines()
    return done.returncode, done.stdout.decode(errors="replace").splitlines()


def report(name, case, status, got):
    """Says how a case went wrong; true if it went well."""
    at = matches(case.expect, got)
    if at is None and status == case.status:
        return True
    print(f"{name}:{case.line}: $ {case.command}")
    if status is None:
        print(f"  did not end within {TIMEOUT_S} s, or waits for input that is not there")
    elif status != case.status:
        print(f"  status {status}, expected {case.status}")
    if at is not None:
        wanted = case.expect[at] if at < len(case.expect) else "(nothing more)"
        print(f"  not found: {wanted}")
    print("  it printed:")
    for line in got:
        print("    " + line)
    return False


def main():
    build = os.environ["BREAKWATER_BUILD"]
    source = os.environ["BREAKWATER_SOURCE"]
    temporary = tempfile.TemporaryDirectory(prefix="transcript-")
    env = dict(os.environ, TMPDIR=temporary.name, PATH=build + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
    failed = ran = 0
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        for case in parse(path):
            ran += 1
            failed += not report(path.name, case, *run(case, env, source))
    print(f"{ran - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
