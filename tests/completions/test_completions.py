#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bash offers behind "breakwater ..." is what the program's own help lists; the same of fish, where it
is installed."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

BUILD = pathlib.Path(os.environ["BREAKWATER_BUILD"])
SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"])
ENV = dict(os.environ, PATH=f"{BUILD}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8")


def said(*command):
    return subprocess.run(command, env=ENV, cwd=SOURCE, capture_output=True, text=True, check=True).stdout


def bash(*words):
    """The words that are offered in the place of the last one."""
    script = f"""source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _breakwater breakwater "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    return [w for w in said("bash", "-c", script, "bash", SOURCE / "completions/breakwater.bash", *words).splitlines() if w]


def fish(*words):
    script = f"source {SOURCE}/completions/breakwater.fish; complete -C '{' '.join(words)}'"
    return [line.split("\t")[0] for line in said("fish", "-c", script).splitlines()]


def check(shell):
    failed = []

    def equal(got, expected, words):
        if sorted(got) != sorted(expected):
            failed.append(f"{shell.__name__}: {' '.join(words)}: {got}, expected {expected}")

    commands = re.findall(r"^  breakwater (\S+)", said("breakwater", "help"), re.M)
    if len(commands) < 12:
        failed.append(f"the help lists only {commands}")
    equal(shell("breakwater", ""), commands, ["breakwater"])
    equal(shell("breakwater", "vgp"), ["vgpu"], ["breakwater vgp"])
    for words, expected in (
        (["vgpu", ""], ["serve", "linux", "isa", "profiles"]),
        (["vm", ""], ["walk", "explain", "maps", "layout", "entry"]),
        (["run", "--strict"], ["--strict"]),
        (["bisect", "--st"], ["--stomp"]),
        (["run", "--trace"], ["--trace-hash"]),
        (["vgpu", "linux", "--mem"], ["--memory"]),
        (["run", "saxpy.s", "--group"], ["--group", "--groups"]),
        (["attach", str(os.getpid())], None),
    ):
        got = shell("breakwater", *words)
        if expected is None:
            expected = [p for p in got if p.startswith(words[-1])] or ["a process"]
        equal(got, expected, words)
    # each option of each command is a word of its help
    for command in commands:
        help_text = said("breakwater", command, "--help")
        offered = shell("breakwater", command, "--")
        strange = [o for o in offered if o not in help_text]
        if strange or (re.search(r"^  --[a-z]", help_text, re.M) and not offered):
            failed.append(f"{shell.__name__}: options of {command}: {offered}")
    return failed


def main():
    failed = check(bash)
    got = bash("breakwater", "run", "examples/sax")
    if got != ["examples/saxpy.s"]:
        failed.append(f"a file is completed as {got}")
    if shutil.which("fish"):
        failed += check(fish)
    print("\n".join(failed) or "ok")
    sys.exit(bool(failed))


main()
