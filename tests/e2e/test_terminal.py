#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""At a terminal: Ctrl-C stops a kernel that loops for ever and gives the prompt, Tab completes, the
history is there, Enter repeats, Ctrl-D leaves, and leaving asks."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import tempfile
import termios
import time

from harness import BREAKWATER, KERNELS, SOURCE, Failure, await_child, check, children, equal, main, wait_gone

PROMPT = "(breakwater) "
PATIENCE_S = 120


class Terminal:
    def __init__(self, *args, home=None):
        self.home = home or tempfile.TemporaryDirectory()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(SOURCE)
            env = dict(os.environ, TERM="dumb", HOME=self.home.name)
            env.pop("XDG_STATE_HOME", None)
            os.execve(BREAKWATER, ["breakwater", "run", *map(str, args)], env)
        self.text = ""

    def expect(self, pattern):
        """Reads until the pattern has come; returns what came before and with it, and forgets it."""
        end = time.monotonic() + PATIENCE_S
        while True:
            found = re.search(pattern, self.text)
            if found:
                got, self.text = self.text[:found.end()], self.text[found.end():]
                return got
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise Failure(f"{pattern!r} did not come; the screen has {self.text!r}")
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                raise Failure(f"the terminal closed before {pattern!r}; it has {self.text!r}")
            self.text += data.decode(errors="replace").replace("\r", "")

    def type(self, text):
        # Input before the line editor has set the terminal up is echoed twice.
        time.sleep(0.3)
        os.write(self.fd, text.encode())

    def command(self, text):
        self.type(text + "\n")
        return self.expect(re.escape(PROMPT))

    def close(self):
        # A kernel that loops would run on without its debugger.
        for pid in [*children(self.pid), self.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def interrupt_the_loop(t):
    """Ctrl-C while the kernel runs; what the stop says. Where it came earlier, at the prompt or before the
    kernel had waves, the program is continued and it is typed again."""
    end = time.monotonic() + PATIENCE_S
    await_child(t.pid, "breakwater-launch")
    while True:
        time.sleep(0.5)
        t.type("\x03")
        stop = t.expect(re.escape(PROMPT))
        if "loop.s:" in stop or time.monotonic() > end:
            return stop
        t.type("continue\n")


def ctrl_c_and_the_prompt():
    t = Terminal(KERNELS / "loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4")
    try:
        stop = interrupt_the_loop(t)
        check("SIGINT" in stop and "loop.s:" in stop, f"the stop says {stop!r}")
        check("loop.s:" in t.command("info waves"), "info waves names no line")
        # Tab: a unique word is completed, with its blank; an ambiguous one is listed.
        t.type("info ker\t\n")
        t.expect("Kernel loop, dispatch 1")
        t.expect(re.escape(PROMPT))
        t.type("print $v1[0]\n")
        before = int(re.search(r"\$1 = (\d+)", t.expect(r"\$1 = \d+\n")).group(1))
        t.expect(re.escape(PROMPT))
        t.type("stepi\n")
        t.expect("=> .*\n")
        t.expect(re.escape(PROMPT))
        t.type("\n")  # Enter repeats stepi
        t.expect("=> .*\n")
        t.expect(re.escape(PROMPT))
        t.type("\x10\x10\n")  # Ctrl-P, twice: print
        after = int(re.search(r"\$2 = (\d+)", t.expect(r"\$2 = \d+\n")).group(1))
        t.expect(re.escape(PROMPT))
        check(after == before + 1, f"two steps of a loop of two: {before}, then {after}")
        # Running on and stopping again.
        t.type("continue\n")
        check("SIGINT" in interrupt_the_loop(t), "no second interrupt")
        check("was killed" in t.command("kill"), "kill says nothing")
        t.type("\x04")
        t.expect("quit")
        wait_gone(t.pid, "the debugger")
    finally:
        t.close()


def the_prompt_first():
    t = Terminal("-i", SOURCE / "examples/saxpy.s", "--grid", 256, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:256",
                 "--arg", "y=fill:256:1", "--arg", "out=zeros:256", "--print", "out:8")
    try:
        t.expect(re.escape(PROMPT))
        check("No program runs" in t.command("info waves"), "before the run")
        check("Undefined command" in t.command("frob"), "an unknown command")
        t.command("tbreak compute")
        check("hit Temporary breakpoint 1" in t.command("run"), "the breakpoint")
        check("1 3 5 7 9 11 13 15" in t.command("continue"), "the result")
        t.type("quit\n")
        wait_gone(t.pid, "the debugger")
    finally:
        t.close()


def leaving_asks():
    t = Terminal(KERNELS / "loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4")
    question = re.escape("Quit anyway? (y or n) ")
    try:
        interrupt_the_loop(t)
        family = children(t.pid)
        t.type("quit\n")
        check(re.search(r"Inferior 1 \[process \d+\] will be killed", t.expect(question)), "it does not say what is killed")
        t.type("maybe\n")
        t.expect("Please answer y or n.\nQuit anyway")
        t.type("n\n")
        check("Not confirmed" in t.expect(re.escape(PROMPT)), "quit was not given up")
        t.type("quit\n")
        t.expect(question)
        t.type("\x03")
        t.expect(re.escape(PROMPT))
        t.type("\x04")
        t.expect(question)
        t.type("y\n")
        wait_gone(t.pid, "the debugger")
        for pid in family:
            wait_gone(pid, "a process of an ended session")
    finally:
        t.close()


def ctrl_c_leaves_a_block():
    t = Terminal("-i", SOURCE / "examples/saxpy.s", "--grid", 64, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:64", "--arg",
                 "y=fill:64:1", "--arg", "out=zeros:64")
    try:
        t.expect(re.escape(PROMPT))
        t.command("break compute")
        for opens in ("define mine", "commands 1", "if 1", "while 1"):
            t.type(opens + "\n")
            t.expect(re.escape(opens) + "\n>")
            t.type("print 1\n")
            t.expect("print 1\n>")
            t.type("\x03")
            t.expect(re.escape(PROMPT))
        check("$1 = 42" in t.command("print 6 * 7"), "a line after it was taken for one of the block")
        check("Not a user command" in t.command("show user mine"), "half a command was kept")
        # A file without an end, and a FIFO without a writer.
        fifo = t.home.name + "/fifo"
        os.mkfifo(fifo)
        for endless in ("while 1\nend\n", None):
            path = t.home.name + "/endless.gdb" if endless else fifo
            if endless:
                with open(path, "w") as f:
                    f.write(endless)
            t.type(f"source {path}\n")
            time.sleep(0.5)
            t.type("\x03")
            check("Quit" in t.expect(re.escape(PROMPT)), "nothing is said of the interrupt")
        t.type("quit\n")
        wait_gone(t.pid, "the debugger")
    finally:
        t.close()


def completion():
    """Lists are columns of whole words; set, show and catch have theirs; text that is not ASCII is kept."""
    t = Terminal("-i", SOURCE / "examples/saxpy.s", "--grid", 64, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:64", "--arg",
                 "y=fill:64:1", "--arg", "out=zeros:64")
    try:
        t.expect(re.escape(PROMPT))
        fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        t.type("info \t")
        listed = t.expect(r"watchpoints\s[^(]*" + re.escape(PROMPT)).split("\n")[1:-1]
        words = " ".join(listed).split()
        check(max(map(len, listed)) <= 40, f"too wide: {listed}")
        check({"all-registers", "breakpoints", "sharedlibrary", "watchpoints", "sgprs"} <= set(words), f"the list is {words}")
        t.type("\x15catch \t")
        check({"fp", "dispatch"} <= set(t.expect(r"dispatch\s[^(]*" + re.escape(PROMPT)).split()), "catch")
        t.type("\x15set sch\tof\t\n")  # each is the only one
        t.type("show scheduler-l\t\n")
        t.expect(r"\nscheduler-locking +off")
        t.type("show \t")
        shown = t.expect(r"width[^(]*" + re.escape(PROMPT))
        check({"convenience", "hold-time", "non-stop"} <= set(shown.split()), f"show lists {shown}")
        # lines with code, of those that begin with 2: in this source one instruction a line
        text = (SOURCE / "examples/saxpy.s").read_text().splitlines()
        code = {f"saxpy.s:{i}" for i, line in enumerate(text, 1) if re.match(r"\s+(s|v|global)_", line) and str(i)[0] == "2"}
        t.type("\x15break saxpy.s:2\t")
        shown = t.expect(r"saxpy\.s:29[^(]*" + re.escape(PROMPT))
        equal({w for w in shown.split() if re.fullmatch(r"saxpy\.s:2\d", w)}, code, "lines with code")
        t.type("\x15")
        t.type("break gr\u00f6\u00dfe.s:3\n")
        t.expect("No source file named gr\u00f6\u00dfe.s")
        t.type("print $_lau\tq\n")
        t.expect("The kernel saxpy has no argument \"q\"")
    finally:
        t.close()


def pages_colours_log():
    """Output stops where the screen is full; colours come to a terminal that has them, and never into the log."""
    options = ("-i", SOURCE / "examples/saxpy.s", "--grid", 64, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:64",
               "--arg", "y=fill:64:1", "--arg", "out=zeros:64")
    t = Terminal(*options)
    more = re.escape("--Type <RET> for more, q to quit, c to continue without paging--")
    try:
        t.expect(re.escape(PROMPT))
        fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 200, 0, 0))
        t.type("help all\n")
        equal(len(t.expect(more).split("\n")[1:-1]), 9, "lines of the first page")
        t.type("\n")
        equal(len(t.expect(more).split("\n")[1:-1]), 9, "lines of the second page")
        t.type("q\n")
        check("xor" not in t.expect(re.escape(PROMPT)), "the rest is shown")
        t.type("help all\n")
        t.expect(more)
        t.type("c\n")
        check("says more" in t.expect(re.escape(PROMPT)), "the rest is not shown")
        t.command("set pagination off")
        check("says more" in t.command("help all"), "pages although they are off")
        check("\033[" not in t.command("list saxpy.s:14"), "colours on a dumb terminal")
        log = f"{t.home.name}/log"
        t.command(f"set logging file {log}")
        check(f"Copying output to {log}." in t.command("set logging enabled on"), "logging is not told")
        t.command("set style enabled on")
        painted = t.command("list saxpy.s:14")
        check("\033[2m// a\033[0m" in painted, f"no colours: {painted!r}")
        t.command("print 1 +")
        check(f"Done logging to {log}." in t.command("set logging enabled off"), "the end of logging is not told")
        t.command("show version")
        with open(log, encoding="utf-8") as f:
            logged = f.read()
        check("\033" not in logged and "// a" in logged, f"the log has {logged!r}")
        check("xpected" in logged or "yntax" in logged or "expression" in logged, f"the error is not in the log: {logged!r}")
        check("breakwater 0" not in logged, "the log goes on")
    finally:
        t.close()


def history():
    """Ctrl-R finds what another session was told."""
    saxpy = ("-i", SOURCE / "examples/saxpy.s", "--grid", 64, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:64", "--arg",
             "y=fill:64:1", "--arg", "out=zeros:64")
    first = Terminal(*saxpy)
    try:
        first.expect(re.escape(PROMPT))
        check("$1 = 42" in first.command("print 6 * 7"), "6 * 7")
        check("$2 = 20" in first.command("print 4 * 5"), "4 * 5")
        first.type("quit\n")
        wait_gone(first.pid, "the debugger")
        second = Terminal(*saxpy, home=first.home)
        try:
            second.expect(re.escape(PROMPT))
            second.type("\x126 \\*")
            second.expect(re.escape("print 6 * 7"))
            second.type("\n")
            second.expect(r"\$1 = 42\n")
        finally:
            second.close()
    finally:
        first.close()


def the_end_comes_to_the_prompt():
    """A program that ends while the prompt waits is reported at once; what was being typed stays."""
    t = Terminal("-i", SOURCE / "examples/saxpy.s", "--grid", 64, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:64", "--arg",
                 "y=fill:64:1", "--arg", "out=zeros:64")
    try:
        t.expect(re.escape(PROMPT))
        t.command("break compute")
        for name, ending in (("KILL", signal.SIGKILL), ("TERM", signal.SIGTERM)):
            check("hit Breakpoint 1" in t.command("run"), "the breakpoint")
            pid = int(re.search(r"\* +1 +(\d+)", t.command("info inferiors")).group(1))
            t.type("print 6 * ")
            t.expect(re.escape("print 6 * "))
            os.kill(pid, ending)
            said = t.expect(re.escape(PROMPT + "print 6 * "))
            check(re.search(rf"\n\[[^\n]*process {pid}\) was ended by signal {int(ending)}, [^\n]*\]\n", said),
                  f"{name}: the end is told as {said!r}")
            check("= 42" in t.command("7"), "what was typed before the end was lost")
            check("No program runs" in t.command("info waves"), "there are waves after the end")
        t.type("\x03")
        check("Quit" in t.expect(re.escape(PROMPT)), "Ctrl-C at the prompt")
        t.type("\x04")
        wait_gone(t.pid, "the debugger")
    finally:
        t.close()


if __name__ == "__main__":
    main(completion, pages_colours_log, history, the_end_comes_to_the_prompt, ctrl_c_and_the_prompt, the_prompt_first, leaving_asks, ctrl_c_leaves_a_block)
