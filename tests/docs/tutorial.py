#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a tutorial as it is written: its files, its commands, and the output that it shows.

    tutorial.py [--show] [--guest] PAGE...     with BREAKWATER_BUILD and BREAKWATER_SOURCE in the environment

--show: prints all output, for the one who writes a page. --guest: the page boots Linux; it is skipped as tests/linux are, and
in "make check", which has no time for it. Each page is run in a folder of its own, with the build folder first in PATH, block by block:

    ```console     a transcript (tests/e2e/transcript.py): commands, and what they print. What compilers and machines decide stands
                   for anything: addresses, numbers of processes, hashes, times of the kernel's log, the instruction after "=>". If the output has lines "(breakwater) COMMAND", the command before them runs in a terminal, and
                   these commands are typed at its prompts. A block that begins with such a line continues the session of the
                   block before.
    ```diff        changes the file whose name ends the paragraph before: "Mend it in `sum.cl`:"
    <!-- editor: transpose.hip:9 if to >= 64 --> before a block of text: it is the debug console of an editor that starts the first
                   configuration of .vscode/launch.json, with that breakpoint ("-": without one). "> " is what is typed there.
    ```LANGUAGE    is that file, as a whole. Of a workflow (yaml) the command of the last step has to be one of the page.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import signal
import struct
import sys
import tempfile
import termios
import time

SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"]).resolve()
BUILD = pathlib.Path(os.environ["BREAKWATER_BUILD"]).resolve()
sys.path.insert(0, str(SOURCE / "tests/e2e"))
import transcript  # noqa: E402

PROMPT = "(breakwater) "
ANSWER = re.compile(r".*\(y or n\) (?=\w)")  # a question of the debugger, and behind it what the page types
EDITOR = re.compile(r"<!-- editor: (.*) -->$")
WAITS = re.compile(r"(?:^|\n)(?:\(breakwater\) |[^\n]*\(y or n\) )$")
# The lanes of a wave that a hang is stopped in depend on the instruction: at the end of a loop there are none. And the number
# of a draw's wave depends on how many others run when it stops.
VARIES = re.compile(r"^=> .*|^\[ *\d+\.\d{6}\]|\b0x[0-9a-f]{6,}|(?<=process )\d+|(?<=pid )\d+|\b[0-9a-f]{16}\b|"
                    r"(?<=\(0,0,0\)/0  )[\d,-]+ +(?=0x)|(?<=to thread )\d+(?=, lane .* draw \d)|(?<=AMDGPU Lane )[\d:]+(?=/\d+ draw )|"
                    r'^Thread \d+(?= "draw" hit)')
ROWS, COLUMNS = 2000, 250  # no output is cut, and the debugger does not stop after a screen of it
SETTLE_S = 0.3             # what is typed before the line editor has set the terminal up is echoed twice


class Block:
    """A fenced block of a page."""

    def __init__(self, line, language, file):
        self.line, self.language, self.file = line, language, file
        self.editor = None  # the match of the comment that makes it an editor's console
        self.lines = []


def blocks_of(page):
    """The page's blocks in their order; a console block that continues a session is added to the one before."""
    blocks, block, before = [], None, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if block is None and line.startswith("```"):
            named = re.search(r"`([\w./-]+)`:$", before)
            block = Block(number + 1, line[3:].strip(), named[1] if named else None)
            block.editor = EDITOR.match(before)
        elif line == "```":
            continues = block.language == "console" and block.lines and block.lines[0].startswith(PROMPT)
            session = next((b for b in reversed(blocks) if b.language == "console"), None) if continues else None
            if session:
                session.lines += block.lines
            else:
                blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
        elif line.strip():
            before = line
    typed = {line for block in blocks if block.language == "console" for line in block.lines}
    for block in blocks:
        steps = re.findall(r"run: ([^|\n].*)", "\n".join(block.lines)) if block.language == "yaml" else []
        if steps and f"$ {steps[-1]}" not in typed:
            sys.exit(f"{page.name}:{block.line}: the page does not run {steps[-1]}")
        if block.language != "console" and not block.file and not block.editor:
            sys.exit(f"{page.name}:{block.line}: the paragraph before this block does not end with the name of its file")
    return blocks


def write(block, folder):
    (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
    (folder / block.file).write_text("".join(line + "\n" for line in block.lines))


def edit(page, block, folder):
    text = (folder / block.file).read_text()
    old, new = ("".join(line[1:] + "\n" for line in block.lines if not line.startswith(other)) for other in "+-")
    if text.count(old) != 1:
        sys.exit(f"{page.name}:{block.line}: {block.file} has the old lines {text.count(old)} times")
    (folder / block.file).write_text(text.replace(old, new))


def typed_in(case):
    """What the page types after the command itself."""
    for line in case.expect:
        answer = ANSWER.match(line)
        if line.startswith(PROMPT):
            yield line[len(PROMPT):]
        elif answer:
            yield line[answer.end():]


def run_in_terminal(case, inputs, env, folder):
    """(status, lines of the terminal) of a command whose user types inputs at its prompts."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve("/bin/sh", ["sh", "-c", case.command], env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    text, end, has_ended = "", time.monotonic() + transcript.TIMEOUT_S, False
    while time.monotonic() < end:
        try:
            if select.select([fd], [], [], SETTLE_S)[0]:
                data = os.read(fd, 65536)
                if not data:
                    has_ended = True
                    break
                text += data.decode(errors="replace").replace("\r", "")
            elif WAITS.search(text):
                if not inputs:  # it waits for what the page does not type, such as the answer to a question of "quit"
                    break
                os.write(fd, inputs.pop(0).encode() + b"\n")
                text += "\0"  # the prompt is no longer one that waits
        except OSError:  # the other end has closed
            has_ended = True
            break
    if not has_ended:
        os.kill(pid, signal.SIGKILL)
    os.close(fd)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status if has_ended else None, text.replace("\0", "").splitlines()


def run(case, env, folder):
    inputs = list(typed_in(case))
    case.expect = [VARIES.sub("{*}", line) for line in case.expect]
    return run_in_terminal(case, inputs, env, folder) if inputs else transcript.run(case, env, folder)


def run_editor(page, block, env, folder, shows):
    """An editor's session, held against its block."""
    import editor  # which the pages without one do not need
    at = block.editor[1]
    case = transcript.Case(block.line, f"{at} (editor)")
    case.expect = [VARIES.sub("{*}", line) for line in block.lines]
    typed = [line[2:] for line in block.lines if line.startswith("> ")]
    lines = editor.run(folder, [] if at == "-" else [at], typed, env)
    if shows:
        print(f"<!-- editor: {at} -->", *lines, sep="\n")
    return shows or transcript.report(page.name, case, 0, lines)


def guest_wrapper(folder):
    """A breakwater for PATH that boots a guest as tests/linux do, with their cache and patience."""
    sys.path.insert(0, str(SOURCE / "tests/linux"))
    import guest
    if not guest.IS_WHOLE:
        print("SKIPPED: it boots a guest more than once; make check-linux runs it.")
        sys.exit(guest.SKIP)
    guest.need_parts()
    transcript.TIMEOUT_S = guest.SILENCE_S + transcript.TIMEOUT_S
    wrapper = folder / "breakwater"
    wrapper.write_text('#!/bin/sh\nif [ "$1 $2" = "vgpu linux" ]; then\n\tshift 2\n'
                       f'\texec {shlex.join(guest.words())} "$@"\nfi\nexec {shlex.quote(str(BUILD / "breakwater"))} "$@"\n')
    wrapper.chmod(0o755)


def run_page(page, shows, is_guest=False):
    with tempfile.TemporaryDirectory(prefix="tutorial-") as name:
        folder = pathlib.Path(name) / "work"
        home = pathlib.Path(name) / "home"
        programs = pathlib.Path(name) / "bin"
        for made in (folder, home, programs):
            made.mkdir()
        if is_guest:
            guest_wrapper(programs)
        env = dict(os.environ, PATH=f"{programs}:{BUILD}:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb", HOME=str(home), TMPDIR=name)
        env.pop("XDG_STATE_HOME", None)
        for block in blocks_of(page):
            if block.editor:
                if not run_editor(page, block, env, folder, shows):
                    return False
            elif block.language == "console":
                for case in transcript.parse_lines(page.name, block.lines, block.line):
                    status, lines = run(case, env, folder)
                    if shows:
                        print(f"$ {case.command}", *lines, f"[status {status}]", sep="\n")
                    elif not transcript.report(page.name, case, status, lines):
                        return False
            elif block.language == "diff":
                edit(page, block, folder)
            else:
                write(block, folder)
    return True


def main():
    options = [word for word in sys.argv[1:] if word in ("--show", "--guest")]
    pages = [pathlib.Path(word).resolve() for word in sys.argv[1 + len(options):]]
    failed = [page for page in pages if not run_page(page, "--show" in options, "--guest" in options)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
