#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kernels under a debugger that does random things: breakpoints, conditions, steps, edits that are
undone, interrupts, and ends of all kinds: continued, detached, quit, killed. The output must be that of the
undisturbed run.

  test_torture.py [--seed N | --random] [--rounds N] [--kill] [--verbose]

Each round prints its seed; `--seed N --rounds 1 --verbose` plays one again, with what was typed. --kill: some
rounds end by kill -9 of the debugger."""
import argparse
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time

from harness import Failure, Session, equal, named_child, run, wait_gone
from random_kernel import GROUP, SCALARS, VALUES, Kernel

GROUPS = 6
N = GROUP * GROUPS
WATCH_REGISTERS = 4
PATIENCE_S = 120  # for one answer, on a busy machine
MAX_EVENTS = 400  # after so many the breakpoints go, and the kernel must come to its end


class Round:
    def __init__(self, seed, folder, verbose, kill):
        self.random = random.Random(seed)
        self.verbose = verbose
        self.endings = ["continue", "continue", "detach", "quit"] + ["kill"] * kill
        self.wave = self.random.choice([32, 64])
        self.kernel = Kernel(seed, self.wave)
        self.path = folder / f"torture{seed}.s"
        self.path.write_text(self.kernel.text)
        self.plain, self.dump = folder / "plain", folder / "dump"
        self.strict = self.random.random() < 0.3
        self.options = [self.path, *(["--strict"] if self.strict else []), "--grid", N, "--group", GROUP, "--arg", f"in=random:{N + 64}:{seed}:u32", "--arg",
                        f"out=zeros:{N}"]
        self.over = False
        self.n_syncs = 0
        self.n_watches = 0
        self.typed = []

    def play(self):
        run(*self.options, "--dump", f"out={self.plain}")
        self.session = Session(*self.options, "--dump", f"out={self.dump}")
        for _ in range(3):
            self.set_breakpoint("break")
        self.do(f"break {self.kernel.labels[0]}")
        self.do("run")
        for _ in range(self.random.randrange(10, 60)):
            if self.over:
                break
            self.action()
        self.ending = self.random.choice(self.endings)
        if not self.over:
            getattr(self, "end_by_" + self.ending)()
        else:
            self.end_by_quit()
        equal(self.dump.read_bytes(), self.plain.read_bytes(), "out")

    # ---- Ends: all of them leave the program to its work ----

    def end_by_continue(self):
        self.do("delete")
        self.do("set scheduler-locking step")
        for _ in range(MAX_EVENTS):
            if self.over:
                break
            self.do("continue")
        self.end_by_quit()

    def program(self):
        """Its pid; None when it has come to its end in the last step."""
        try:
            return named_child(self.session.process.pid, "breakwater-launch")
        except Failure:
            return None

    def end_by_detach(self):
        program = self.program()
        if program is None:
            return self.end_by_continue()
        self.do("detach")
        wait_gone(program, "the program")
        self.end_by_quit()

    def end_by_quit(self):
        status, _ = self.session.end()
        equal(status, 0, "exit status")

    def end_by_kill(self):
        program = self.program()
        if program is None:
            return self.end_by_continue()
        self.session.process.kill()
        self.session.process.wait()
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
            ["$_lane == 3", f"$s{self.random.choice(SCALARS)} & 1", f"$v{self.random.choice(VALUES)} > 0x80000000",
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
        for o in self.do(f"watch $s{self.random.choice(SCALARS)}"):
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
            [f"$v{self.random.choice(VALUES)}[{self.random.randrange(self.wave)}]", f"$s{self.random.choice(SCALARS)}",
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
            numbers = [b["number"] for b in o.get("breakpoints", [])]
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
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.random:
        options.seed = random.SystemRandom().randrange(1 << 30)
    failed = 0
    for seed in range(options.seed, options.seed + options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            r = Round(seed, pathlib.Path(folder), options.verbose, options.kill)
            try:
                r.play()
                print(f"ok      seed {seed}: wave{r.wave}{' strict' if r.strict else ''}, {len(r.typed)} commands, {r.ending}", flush=True)
            except (Failure, OSError, ValueError) as e:
                failed += 1
                print(f"FAILED  seed {seed}: wave{r.wave}, after {r.typed[-3:]}: {type(e).__name__}: {str(e)[:600]}", flush=True)
    print(f"{options.rounds - failed} passed, {failed} failed; again with --seed {options.seed} --rounds {options.rounds}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
