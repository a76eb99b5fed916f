#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bash, zsh and fish offer after "breakwater ..." is what the program's own help lists: all options of all forms,
and nothing else."""
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
ENV = dict(os.environ, PATH=f"{BUILD}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8")


def said(*command):
    return subprocess.run(command, env=ENV, cwd=SOURCE, capture_output=True, text=True, check=True).stdout


def bash(*words):
    """The words that are offered in the place of the last one."""
    script = f"""source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _breakwater breakwater "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    return [w for w in said("bash", "-c", script, "bash", BUILD / "completions/breakwater", *words).splitlines() if w]


def fish(*words):
    script = f"source {BUILD}/completions/breakwater.fish; complete -C '{' '.join(words)}'"
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
    folder.joinpath("_breakwater").symlink_to(BUILD / "completions/_breakwater")
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


# All that have options; "help" and "vgpu" alone have none.
FORMS = [[name] for name in re.findall(r"^BW_SUBCOMMAND\((\w+)", (SOURCE / "src/cli/subcommands.def").read_text(), re.M)
         if name != "vgpu"]
FORMS += [["bisect", "--stomp"], ["vgpu", "serve"], ["vgpu", "linux"], ["vgpu", "isa"], ["vgpu", "profiles"]]
ALSO = {"--ex", "--eval-command", "--command"}  # other names, which help has in its text or not at all


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
        (["run", "--gpu", "vi"], ["virtual", "virtual:mi300x", "virtual:navi31", "virtual:raven2"]),
        (["run", "--strict"], ["--strict"]),
        (["bisect", "--st"], ["--stomp"]),
        (["bisect", "--stomp", "--stomp-m"], ["--stomp-memory"]),
        (["bisect", "--stomp", "x.bwc", "--t"], ["--timeout"]),
        (["capture", "--tri"], ["--trigger"]),  # in the usage alone
        (["run", "--trace"], ["--trace-hash"]),
        (["vgpu", "linux", "--mem"], ["--memory"]),
        (["run", "saxpy.s", "--group"], ["--group", "--groups"]),
        (["run", "--wave", ""], ["32", "64"]),  # values of a list
        (["vgpu", "linux", "--accel", "k"], ["kvm"]),
        (["mem", "--hub", ""], ["gc", "mm"]),
        (["attach", str(os.getpid())], None),
    ):
        got = shell("breakwater", *words)
        if expected is None:
            expected = [p for p in got if p.startswith(words[-1])] or ["a process"]
        equal(got, expected, words)
    # each option of each form is offered, and no other
    for form in FORMS:
        help_text = said("breakwater", *form, "--help")
        usage, *rest = help_text.split("\n\n")
        listed = set(re.findall(r"(?:^  |, )(--[a-z][a-z0-9-]*)", "\n".join(re.findall(r"^  --?[A-Za-z].*?(?=   | [A-Z]|$)", help_text, re.M)), re.M))
        offered = shell("breakwater", *form, "--")
        missing, strange = sorted(listed - set(offered)), [o for o in offered if o not in help_text]
        strange = [o for o in strange if o not in ALSO]
        if missing or strange or not listed:
            failed.append(f"{shell.__name__}: options of {' '.join(form)}: {offered}; missing are {missing}, wrong {strange}")
    return failed


def main():
    failed = check(bash)
    got = bash("breakwater", "run", "examples/sax")
    if got != ["examples/saxpy.s"]:
        failed.append(f"a file is completed as {got}")
    # bash breaks "virtual:navi31" at the colon
    for words, expected in ((["run", "--gpu", "virtual", ":"], ["mi300x", "navi31", "raven2"]), (["run", "--gpu", "virtual", ":", "n"], ["navi31"]),
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
