#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bash, zsh and fish offer behind "breakwater ..." is what the program's own help lists."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["BREAKWATER_BUILD"])
SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"])
FOLDER = tempfile.TemporaryDirectory()
ENV = dict(os.environ, PATH=f"{FOLDER.name}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8")
# What the shells call: the three ask for the same help, which takes long under sanitizers. Each page is made once.
PROGRAM = f"""#!/bin/sh
page="{FOLDER.name}/$(printf %s "$*" | tr / _)"
[ -e "$page" ] || "{BUILD}/breakwater" "$@" >"$page"
cat "$page"
"""


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


# Completes $LINE as Tab does at zsh's prompt, and leaves the words that it would offer in $OUT.
ZSHRC = """
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit
compinit -u -d $ZDOTDIR/dump
compadd() {
	local -a matches_
	if [[ ${(j: :)@[1,(i)(-|--)]} == *-[AOD]* ]]; then
		builtin compadd "$@"
	else
		builtin compadd -O matches_ "$@"
		offered+=($matches_)
	fi
}
typeset -a offered
zle -C offer complete-word _main_complete
zle-line-init() {
	BUFFER=$LINE
	CURSOR=$#BUFFER
	zle offer
	print -rl -- $offered >$OUT
	exec true
}
zle -N zle-line-init
"""


def zsh_folder():
    """Where zsh finds its setup, and the completion by the name that it is installed with."""
    folder = pathlib.Path(FOLDER.name, "zsh")
    folder.mkdir()
    folder.joinpath(".zshrc").write_text(ZSHRC)
    folder.joinpath("_breakwater").symlink_to(SOURCE / "completions/breakwater.zsh")
    return folder


def zsh(*words, folders=[]):
    """zsh completes at a terminal alone, so it gets one."""
    if not folders:
        folders.append(zsh_folder())
    out = folders[0] / "out"
    out.write_text("no answer of zsh")
    env = dict(ENV, ZDOTDIR=str(folders[0]), LINE=" ".join(words), OUT=str(out), TERM="dumb")
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(SOURCE)
        os.execvpe("zsh", ["zsh", "-d", "-i"], env)
    try:
        while os.read(fd, 4096):
            pass
    except OSError:
        pass  # the terminal is gone with its last process
    os.waitpid(pid, 0)
    os.close(fd)
    return [w for w in out.read_text().splitlines() if w]


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
        (["vm", "--gpu", "virtual", ""], ["walk", "explain", "maps", "layout", "entry"]),
        (["run", "--gpu", "vi"], ["virtual", "virtual:navi31"]),
        (["run", "--strict"], ["--strict"]),
        (["bisect", "--st"], ["--stomp"]),
        (["bisect", "--stomp", "--stomp-m"], ["--stomp-memory"]),
        (["bisect", "--stomp", "x.bwc", "--t"], ["--timeout"]),
        (["capture", "--tri"], ["--trigger"]),  # in the usage alone
        (["run", "--trace"], ["--trace-hash"]),
        (["vgpu", "linux", "--mem"], ["--memory"]),
        (["run", "saxpy.s", "--group"], ["--group", "--groups"]),
        (["attach", str(os.getpid())], None),
    ):
        got = shell("breakwater", *words)
        if expected is None:
            expected = [p for p in got if p.startswith(words[-1])] or ["a process"]
        equal(got, expected, words)
    # each option of each command is a word of its help, and each that its usage has is offered
    for command in commands:
        help_text = said("breakwater", command, "--help")
        offered = shell("breakwater", command, "--")
        strange = [o for o in offered if o not in help_text]
        usage = re.findall(rf"^(?:Usage:)? *breakwater {command} (.*)", help_text, re.M)
        strange += [o for o in re.findall(r"[\[ ](--[a-z][a-z0-9-]*)", "\n".join(usage)) if o not in offered]
        if strange or (re.search(r"^  --[a-z]", help_text, re.M) and not offered):
            failed.append(f"{shell.__name__}: options of {command}: {offered}; wrong are {strange}")
    return failed


def main():
    program = pathlib.Path(FOLDER.name, "breakwater")
    program.write_text(PROGRAM)
    program.chmod(0o755)
    failed = check(bash)
    got = bash("breakwater", "run", "examples/sax")
    if got != ["examples/saxpy.s"]:
        failed.append(f"a file is completed as {got}")
    # bash breaks "virtual:navi31" at the colon
    for words, expected in ((["run", "--gpu", "virtual", ":"], ["navi31"]), (["run", "--gpu", "virtual", ":", "n"], ["navi31"]),
                            (["vm", "--gpu", "virtual", ":", "navi31", "wa"], ["walk"])):
        if (got := bash("breakwater", *words)) != expected:
            failed.append(f"bash: {' '.join(words)}: {got}, expected {expected}")
    for shell in (zsh, fish):
        if shutil.which(shell.__name__):
            failed += check(shell)
        else:
            print(f"{shell.__name__} is not installed, and not tested")
    print("\n".join(failed) or "ok")
    sys.exit(bool(failed))


main()
