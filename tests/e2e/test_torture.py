#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kernels under a debugger that does random things: breakpoints, conditions, steps, edits that are
undone, interrupts, and ends of all kinds: continued, detached, quit, killed in the middle of it all. The output
must be that of the undisturbed run. Some rounds start the kernel under the debugger (quit, SIGTERM and SIGHUP end
it, too); others attach to a program that runs it again and again, leave it, and attach once more.

  test_torture.py [--seed N | --random] [--rounds N] [--only run|attach] [--ending WORD] [--no-strict] [--verbose]

Each round prints its seed; `--seed N --rounds 1 --verbose` plays one again, with what was typed."""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness import BREAKWATER, BUILD, TIMEOUT_S, Failure, Session, check, check_strict, children, equal, named_child, run, wait_gone
from random_kernel import GROUP, Kernel
from random_opencl import OpenclKernel

GROUPS = 6
N = GROUP * GROUPS
WATCH_REGISTERS = 4
PATIENCE_S = 120  # for one answer, on a busy machine
MAX_EVENTS = 400  # after so many the breakpoints go, and the kernel must come to its end
CLANG = os.environ.get("BREAKWATER_CLANG", "clang-19")
DEADLY = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]


class Program:
    """again.c under `breakwater exec`: something to attach to."""

    def __init__(self, *options, env=None):
        self.process = subprocess.Popen([str(a) for a in (BREAKWATER, "exec", *options)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        line = self.process.stdout.readline()
        check(line.startswith("first "), f"the program says {line!r}")
        self.pid = named_child(self.process.pid, "again")

    def finish(self):
        """It must have found each round as it ought to be."""
        out, said = self.process.communicate(timeout=TIMEOUT_S)
        check(self.process.returncode == 0 and out.startswith("rounds "), f"the program says {out!r} {said!r}")
        check_strict(said)

    def __del__(self):
        for pid in [*children(self.process.pid), self.process.pid] if self.process.poll() is None else []:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


class Prompt(Session):
    """A session that a mistake does not end, as a script's would be."""

    def __init__(self, command, *args, env=None):
        self.process = subprocess.Popen([str(a) for a in (BREAKWATER, command, "--json", "-i", *args)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)

    def end(self):
        self.send("quit")
        self.process.stdin.close()
        self.process.stdout.read()
        check_strict(self.process.stderr.read())
        return self.process.wait(TIMEOUT_S)


class Attached(Prompt):
    """Another debugger may still be on its way out."""

    def __init__(self, program, env=None):
        end = time.monotonic() + PATIENCE_S
        while True:
            super().__init__("attach", program.pid, env=env)
            try:
                self.send("print 0")
                self.read_until(lambda o: o["type"] == "end")
                return
            except (Failure, BrokenPipeError) as e:
                said = f"{e} {self.process.stdout.read()}"
            self.process.wait()
            check("has a debugger already" in said and time.monotonic() < end, f"attaching: {said}")
            time.sleep(0.02)


class Round:
    def __init__(self, seed, folder, verbose, only=None, ending=None, may_be_strict=True):
        self.random = random.Random(seed)
        self.verbose = verbose
        self.mode = only or self.random.choice(["run", "run", "attach"])
        self.endings = [ending] if ending else ["continue", "detach", "quit", "kill", "kill"]
        self.wave = self.random.choice([32, 64])
        self.strict = self.random.random() < 0.3 and may_be_strict
        if self.random.random() < 0.6:
            self.kernel = Kernel(seed, self.wave)
        else:
            self.kernel = OpenclKernel(seed, self.wave, f"torture{seed}")
        self.source = folder / f"torture{seed}{self.kernel.suffix}"
        self.source.write_text(self.kernel.text)
        self.object = folder / "torture.co"
        self.plain, self.dump = folder / "plain", folder / "dump"
        self.options = ["--grid", N, "--group", GROUP, "--arg", f"in=random:{N + 64}:{seed}:u32", "--arg", f"out=zeros:{N}:u32"]
        self.over = False
        self.finishes = True  # what it computes counts
        self.n_syncs = self.n_watches = 0
        self.keep = set()  # breakpoints that stay, by number
        self.typed = []
        self.ended = []

    def __str__(self):
        what = getattr(self.kernel, "optimization", "assembly")
        return f"{self.mode}, wave{self.wave}, {what}{', strict' if self.strict else ''}"

    def play(self):
        wave = "-mwavefrontsize64" if self.wave == 64 else "-mno-wavefrontsize64"
        done = subprocess.run([CLANG, *self.kernel.options, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-g", wave,
                               self.source, "-o", self.object], capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, 0, f"clang, which says {done.stderr}")
        if self.mode == "run":
            self.play_run()
        else:
            self.play_attach()

    def play_run(self):
        strict = ["--strict"] if self.strict else []
        run(*strict, *self.options, "--dump", f"out={self.plain}", self.object)
        self.begin(Prompt("run", *strict, *self.options, "--dump", f"out={self.dump}", self.object), "run")
        self.act(60)
        if self.over:
            self.end_by_quit()
        else:
            self.end_by(self.random.choice(self.endings))
        if self.finishes:
            equal(self.dump.read_bytes(), self.plain.read_bytes(), "out")

    def play_attach(self):
        program = Program(*(["--strict"] if self.strict else []), "--", BUILD / "tests/e2e/again", *self.options, "--print", "out",
                          self.object)
        for _ in range(self.random.randrange(2, 4)):
            self.over, self.keep, self.n_watches = False, set(), 0
            self.session = Attached(program)
            self.do(f"symbol-file {self.object}")
            self.keep = self.numbers(self.do("break on dispatch"))
            self.begin(self.session, "continue")
            self.act(25)
            self.end_by(self.random.choice([e for e in self.endings if e != "continue"] or ["kill"]))
        program.finish()

    def begin(self, session, command):
        self.session = session
        for _ in range(3):
            self.set_breakpoint("break")
        self.do(f"break {self.kernel.labels[0]}")
        self.do(command)

    def act(self, most):
        for _ in range(self.random.randrange(most // 6, most)):
            if self.over:
                break
            self.action()

    # ---- Ends: all leave the program to its work, but quit, SIGTERM and SIGHUP where it was started here ----

    def end_by(self, ending):
        self.ended.append(ending)
        getattr(self, "end_by_" + ending)()

    def end_by_continue(self):
        self.do("delete")
        self.do("set scheduler-locking step")
        for _ in range(MAX_EVENTS):
            if self.over:
                break
            self.do("continue")
        if self.over:
            self.end_by_quit()
        else:
            self.end_by_detach()

    def program(self):
        """Its pid, where the debugger has started it; None when it has ended in the last step."""
        try:
            return named_child(self.session.process.pid, "breakwater-launch")
        except Failure:
            return None

    def end_by_detach(self):
        program = self.program()
        if program is None and self.mode == "run":
            return self.end_by_quit()
        self.do("detach")
        if self.mode == "run":
            wait_gone(program, "the program")
        self.end_by_quit()

    def end_by_quit(self):
        program = self.program() if self.mode == "run" else None
        equal(self.session.end(), 0, "exit status")
        if program is not None:
            self.finishes = self.over
            wait_gone(program, "the program")

    def end_by_kill(self):
        """At the prompt, or somewhere in a command."""
        program = self.program()
        if program is None and self.mode == "run":
            return self.end_by_continue()
        if self.random.random() < 0.6:
            last = self.random.choice(["continue", "stepi 30", f"tbreak {self.label()}", "delete", f"until {self.label()}",
                                       f"break {self.label()} if $_lane == 5", "info registers"])
            self.typed.append(last + " (killed)")
            self.session.send(last)
            time.sleep(self.random.random() * 0.03)
        number = self.random.choice(DEADLY)
        self.finishes = self.mode == "attach" or number == signal.SIGKILL
        self.session.process.send_signal(number)
        self.session.process.wait()
        if self.mode == "run":
            wait_gone(program, "the program")

    # ---- Talking ----

    def do(self, command):
        """Types it; returns what came back. A second command marks the end of the first one's replies."""
        if self.over:
            return []
        if self.verbose:
            print("   ", command, flush=True)
        self.typed.append(command)
        self.session.send(command)
        self.n_syncs += 1
        self.session.send(f"print {self.n_syncs}")
        signal.alarm(PATIENCE_S)
        seen = self.session.read_until(lambda o: o.get("command") == "print" and o.get("value") == self.n_syncs)
        signal.alarm(0)
        if any(o.get("event") == "exit" for o in seen):
            self.over = True
        if self.verbose:
            for o in seen[:-1]:
                print("       ", {k: v for k, v in o.items() if k not in ("file", "line")}, flush=True)
        return seen[:-1]

    @staticmethod
    def numbers(replies):
        return {o["number"] for o in replies if "number" in o}

    def value(self, expression):
        for o in self.do(f"print {expression}"):
            if o.get("command") == "print":
                return o.get("value")
        return None

    # ---- What can be done ----

    def action(self):
        self.random.choice([self.step, self.step, self.step, self.go_on, self.breakpoint, self.breakpoint, self.conditional,
                            self.advance, self.watch, self.locking, self.look, self.edit, self.edit, self.edit_memory, self.focus, self.interrupt,
                            self.forget])()

    def label(self):
        return self.random.choice(self.kernel.labels)

    def set_breakpoint(self, kind, condition=""):
        self.do(f"{kind} {self.label()}{condition}")

    def breakpoint(self):
        self.set_breakpoint(self.random.choice(["break", "break", "tbreak"]))

    def conditional(self):
        self.set_breakpoint("break", " if " + self.random.choice(
            ["$_lane == 3", f"$s{self.random.choice(self.kernel.SCALARS)} & 1", f"$v{self.random.choice(self.kernel.VALUES)} > 0x80000000",
             f"$v1 == {self.random.randrange(N)}", "0", f"$s2 == {self.random.randrange(GROUPS)}"]))

    def step(self):
        self.do(self.random.choice(["stepi", "stepi", "nexti", f"stepi {self.random.randrange(2, 30)}"]))

    def advance(self):
        self.do(self.random.choice([f"advance {self.label()}", f"until {self.label()}"]))

    def watch(self):
        """On a word that its own lane stores to; on a register, which is stepped for, not for long."""
        if self.random.random() < 0.7:
            if self.n_watches == WATCH_REGISTERS:
                return
            self.n_watches += 1
            self.do(f"{self.random.choice(['watch', 'awatch', 'rwatch'])} out[{self.random.randrange(N)}]")
            return
        for o in self.do(f"watch $s{self.random.choice(self.kernel.SCALARS)}"):
            if o.get("command") == "watch" and "number" in o:
                self.do("continue")
                if not self.over:
                    self.do(f"delete {o['number']}")

    def locking(self):
        self.do(f"set scheduler-locking {self.random.choice(['off', 'step'])}")

    def go_on(self):
        self.do(self.random.choice(["continue", "continue", "continue 2"]))

    def look(self):
        self.do(self.random.choice(["info waves", "info lanes", "info registers", "x/4xw $pc", "disassemble",
                                    "info breakpoints", "print in[3]", "info waves count"]))

    def edit(self):
        """A register is another for a moment."""
        register = self.random.choice(
            [f"$v{self.random.choice(self.kernel.VALUES)}[{self.random.randrange(self.wave)}]", f"$s{self.random.choice(self.kernel.SCALARS)}",
             "$vcc", "$exec", "$m0", "$scc", "$mode"])
        before = self.value(register)
        if not isinstance(before, int):
            return
        self.do(f"set var {register} = {self.random.randrange(2)}")
        self.do(f"set var {register} = {before}")

    def edit_memory(self):
        i = self.random.randrange(N)
        before = self.value(f"in[{i}]")
        if not isinstance(before, int):
            return
        self.do(f"set var in[{i}] = {self.random.randrange(1 << 32)}")
        self.do(f"set var in[{i}] = {before}")

    def focus(self):
        for o in self.do("info waves"):
            waves = o.get("waves")
            if waves:
                self.do(f"wave {self.random.choice(waves)['wave']}")
                self.do(f"lane {self.random.randrange(self.wave)}")

    def forget(self):
        for o in self.do("info breakpoints"):
            numbers = [b["number"] for b in o.get("breakpoints", []) if b["number"] not in self.keep]
            if numbers:
                self.do(f"{self.random.choice(['delete', 'disable', 'enable'])} {self.random.choice(numbers)}")

    def interrupt(self):
        """Ctrl-C while it runs, or just before, or after."""
        delay = self.random.random() * 0.02
        process = self.session.process

        def press():
            time.sleep(delay)
            if process.poll() is None:
                process.send_signal(signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        self.do("continue")
        thread.join()


def no_answer(*_):
    raise Failure(f"no answer in {PATIENCE_S} s")


def main():
    signal.signal(signal.SIGALRM, no_answer)
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true", help="a seed that nobody chose")
    parser.add_argument("--only", choices=["run", "attach"])
    parser.add_argument("--ending", choices=["continue", "detach", "quit", "kill"])
    parser.add_argument("--no-strict", action="store_true", help="for a GPU that is not the virtual one's own driver's")
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.random:
        options.seed = random.SystemRandom().randrange(1 << 30)
    failed = 0
    for seed in range(options.seed, options.seed + options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            r = Round(seed, pathlib.Path(folder), options.verbose, options.only, options.ending, not options.no_strict)
            try:
                r.play()
                print(f"ok      seed {seed}: {r}, {len(r.typed)} commands, {' '.join(r.ended) or 'ended'}", flush=True)
            except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as e:
                failed += 1
                print(f"FAILED  seed {seed}: {r}, after {r.typed[-3:]}: {type(e).__name__}: {str(e)[:900]}", flush=True)
    print(f"{options.rounds - failed} passed, {failed} failed; again with --seed {options.seed} --rounds {options.rounds}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
