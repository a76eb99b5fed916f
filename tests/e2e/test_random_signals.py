#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random signals to each process of a session, at random moments: to the debugger, its guard, the program and the virtual
GPU, while commands are typed. Afterwards no process is left, no file is left in the temporary and the runtime folder (those
of a process that could not remove them are gone with the next start), and a program that was attached to, and that no
signal has ended, has found the right result in each of its rounds.

  test_random_signals.py [--seed N | --random] [--rounds N] [--jobs N] [--seconds N] [--only run|attach] [--verbose]

Each round prints its seed; `--seed N --rounds 1 --verbose` plays one again, with what was sent and typed."""
import argparse
import concurrent.futures
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness import (KERNELS, TIMEOUT_S, BUILD, Failure, check, children, end_all, processes_with, run, sanitizer_reports,
                     with_reports)
from test_torture import CLANG, GROUP, Attached, Program, Prompt

GROUPS = 4
GRAVE = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSYS)
HARMLESS = (signal.SIGSTOP, signal.SIGWINCH, signal.SIGCHLD, signal.SIGURG, signal.SIGCONT)
SIGNALS = [signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGSTOP, signal.SIGSTOP, signal.SIGSTOP, signal.SIGKILL,
           signal.SIGKILL, signal.SIGPIPE, signal.SIGWINCH, signal.SIGCHLD, signal.SIGURG, signal.SIGUSR1, signal.SIGALRM]
# Those after which a process cannot tidy up.
ABRUPT = (signal.SIGKILL, signal.SIGPIPE, signal.SIGUSR1, signal.SIGALRM)
COMMANDS = ["continue", "continue", "stepi 20", "stepi 300", "info waves", "info registers", "tbreak loop", "break loop", "break loop if $s2 == 3",
            "delete", "x/4xw $pc", "print out[3]", "info waves count", "next", "disassemble", "watch out[20]", "set scheduler-locking off",
            "set scheduler-locking step", "until", "info report", "backtrace"]


class Round:
    def __init__(self, seed, kernel, folder, only, verbose):
        self.random, self.kernel, self.folder, self.verbose = random.Random(seed), kernel, folder, verbose
        self.kind = only or self.random.choice(["run", "attach"])
        self.sent, self.ended = [], set()
        self.abrupt = self.enough = False

    def __str__(self):
        return f"{self.kind}, {', '.join(self.sent)}"

    def play(self):
        tmp, runtime = self.folder / "tmp", self.folder / "run"
        tmp.mkdir()
        runtime.mkdir(0o700)
        environment = with_reports(dict(os.environ, TMPDIR=str(tmp), XDG_RUNTIME_DIR=str(runtime), HOME=str(self.folder)), self.folder / "reports")
        try:
            self.with_processes(environment)
        finally:
            end_all(self.left())
            reports = sanitizer_reports(self.folder / "reports")
            if reports:
                raise Failure(reports)
        end = time.monotonic() + TIMEOUT_S
        while left := [p for p in [*tmp.rglob("*"), *runtime.rglob("*")] if not p.name.endswith(".co")]:
            # again, as a process whose memory is gone may still be closing its files
            check(self.abrupt and time.monotonic() < end, f"files are left: {left}")
            run(*self.options(), env=environment)

    def options(self):
        n = GROUPS * GROUP
        return ["--grid", n, "--group", GROUP, "--arg", f"out=zeros:{2 * n}:u32", "--print", "out", self.kernel]

    def with_processes(self, environment):
        program = None
        if self.kind == "attach":
            program = Program("--", BUILD / "tests/e2e/again", *self.options(), env=environment)
            self.session = Attached(program, env=environment)
            self.pids = {"program": [program.pid]}
            first = "continue"
        else:
            self.session = Prompt("run", *self.options(), env=environment)
            self.session.command("print 0")
            self.pids = {}
            first = "run"
        typist = threading.Thread(target=self.type, args=([f"symbol-file {self.kernel}", "break on dispatch" if self.random.random() < 0.5 else "break loop", first],))
        typist.start()
        self.look(program)
        self.send_signals(program)
        self.enough = True
        self.finish(typist)
        if program:
            self.finish_program(program)
        end = time.monotonic() + TIMEOUT_S
        while self.left():
            check(time.monotonic() < end, f"processes are left: {self.left()}")
            time.sleep(0.05)

    def left(self):
        return processes_with(f"XDG_RUNTIME_DIR={self.folder}/run")

    def type(self, commands):
        """Until there have been signals enough, or the debugger is no more."""
        r = random.Random(self.random.random())
        n = 0
        try:
            while not self.enough:
                command = commands.pop(0) if commands else r.choice(COMMANDS)
                if self.verbose:
                    print("   ", command, flush=True)
                n += 1
                self.session.send(command)
                self.session.send(f"print {n}")
                self.session.read_until(lambda o, n=n: o.get("command") == "print" and o.get("value") == n)
        except (Failure, OSError, ValueError):
            pass  # it is gone; what it ended by is looked at later

    def look(self, program):
        """Who there is by now."""
        debugger = self.session.process.pid
        names = {"breakwater-vgpu": "GPU", "breakwater-launch": "program", "breakwater": "guard"}
        found = {"debugger": [debugger], "program": [], "GPU": [], "guard": []}
        for pid in children(debugger) | (children(program.process.pid) if program else set()):
            try:
                name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
            except OSError:
                continue
            if name in names:
                found[names[name]].append(pid)
        if program:
            found["program"] = [program.pid]
        self.pids = found

    def send_signals(self, program):
        r = self.random
        for _ in range(r.randrange(1, 6)):
            time.sleep(r.random() * r.choice([0.05, 0.3, 1.0]))
            self.look(program)
            who = r.choice(["debugger", "debugger", "program", "GPU", "guard"])
            number = r.choice(SIGNALS)
            for pid in self.pids[who][:1]:
                try:
                    os.kill(pid, number)
                    if number == signal.SIGSTOP:
                        time.sleep(r.random() * 0.5)
                        os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    continue
                self.sent.append(f"{number.name} to the {who}")
                if self.verbose:
                    print("   ", self.sent[-1], flush=True)
                self.abrupt |= number in ABRUPT
                if number not in HARMLESS:
                    self.ended.add(who)

    def finish(self, typist):
        """A debugger that still runs answers, and leaves at the end of its input."""
        process = self.session.process
        end = time.monotonic() + TIMEOUT_S
        while typist.is_alive():
            check(time.monotonic() < end, "the debugger does not answer, though interrupted")
            typist.join(1)
            if typist.is_alive() and process.poll() is None:
                process.send_signal(signal.SIGINT)
        try:
            process.stdin.close()
        except OSError:
            pass
        process.stdout.read()
        said = process.stderr.read()
        code = process.wait(TIMEOUT_S)
        check(-code not in GRAVE, f"the debugger died by signal {-code}: {said}")
        check(code >= 0 or "debugger" in self.ended, f"the debugger died by signal {-code}, which nobody has sent: {said}")

    def finish_program(self, program):
        if self.ended & {"program", "GPU"}:
            program.process.communicate(timeout=TIMEOUT_S)  # closes its input; it must end, whatever it says
            check(-program.process.returncode not in GRAVE, f"the program ended with {program.process.returncode}")
        else:
            program.finish()


def assembled(folder):
    """linger.s, but for MODE: what a watchpoint puts there is seen by waves that end before it goes."""
    source, path = pathlib.Path(folder) / "linger.s", f"{folder}/linger.co"
    source.write_text((KERNELS / "linger.s").read_text().replace("s_getreg_b32 s9, hwreg(HW_REG_MODE)", "s_mov_b32 s9, 7"))
    check("getreg" not in source.read_text(), "linger.s is another than it was")
    subprocess.run([CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-g", "-mno-wavefrontsize64", "-x", "assembler", source, "-o", path],
                   check=True, timeout=TIMEOUT_S)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true", help="a seed that nobody chose")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seconds", type=float, help="begin no round after that time")
    parser.add_argument("--jobs", type=int, default=3, help="rounds at a time")
    parser.add_argument("--only", choices=["run", "attach"])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.random:
        options.seed = random.SystemRandom().randrange(1 << 30)
    begun = time.monotonic()

    def play(seed, kernel):
        if options.seconds and time.monotonic() - begun > options.seconds:
            return None
        with tempfile.TemporaryDirectory(prefix="bw-signals-", ignore_cleanup_errors=True) as folder:
            r = Round(seed, kernel, pathlib.Path(folder), options.only, options.verbose)
            try:
                r.play()
                print(f"ok      seed {seed}: {r}", flush=True)
                return True
            except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as e:
                print(f"FAILED  seed {seed}: {r}: {type(e).__name__}: {str(e)[:4000]}", flush=True)
                return False

    with tempfile.TemporaryDirectory(prefix="bw-signals-") as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernel = assembled(folder)
        results = list(pool.map(lambda seed: play(seed, kernel), range(options.seed, options.seed + options.rounds)))
    failed = results.count(False)
    print(f"{results.count(True)} passed, {failed} failed, {time.monotonic() - begun:.0f} s; again with --seed {options.seed} --rounds {options.rounds}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
