#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random commands (random_commands.py) typed at live sessions: before the start, stopped, ended, killed, detached, attached.
A finding is a process of ours that dies by a signal or with a sanitizer's report, a debugger that leaves unasked, that
does not answer though it is interrupted again and again, or that leaves a process behind.

  test_random_commands.py [--seed N | --random] [--commands N] [--jobs N] [--seconds N] [--only KIND] [--verbose]
  test_random_commands.py --seed N --replay FILE        the session of that seed, with what --keep FOLDER has kept of it

Each session prints its seed; `--seed N --commands 1 --verbose` plays one again, with what was typed."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness import BREAKWATER, BUILD, KERNELS, SOURCE, Failure, await_child, check, children, end_all, processes_with, sanitizer_reports, with_reports
from random_commands import Grammar, harmless

CLANG = os.environ.get("BREAKWATER_CLANG", "clang-19")
PER_SESSION = 100
PROMPTLY_S = 0.4  # what has no answer by then is interrupted
PATIENCE_S = 100  # for one answer, on a busy machine
SHOWN = 15        # of the last lines, with a finding
LAST_SEEN_B = 4000

PROGRAMS = [
    ("saxpy", [SOURCE / "examples/saxpy.s", "--grid", 128, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:128", "--arg", "y=fill:128:1",
               "--arg", "out=zeros:128"], ["saxpy", "compute", "saxpy.s:20", "saxpy.s:25", "saxpy.s:30"], ["a", "x", "y", "out"]),
    ("loop", [KERNELS / "loop.s", "--grid", 64, "--group", 32, "--arg", "out=zeros:64"], ["loop", "again", "loop.s:8"], ["out"]),
    ("many", [KERNELS / "many64.s", "--grid", 256, "--group", 64, "--arg", "out=zeros:256"], ["many", "odd", "join", "many64.s:60"], ["out"]),
    ("unmapped", [KERNELS / "unmapped.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000"],
     ["unmapped", "unmapped.s:175"], ["out", "addr"]),
    ("excp", [KERNELS / "excp.s", "--grid", 32, "--group", 32, "--arg", "x=iota:32", "--arg", "out=zeros:32"],
     ["excp", "divide", "overflow", "integer"], ["x", "out"]),
    ("reverse", [KERNELS / "reverse.s", "--grid", 256, "--group", 256, "--arg", "in=iota:256", "--arg", "out=zeros:256"],
     ["reverse", "after", "reverse.s:20"], ["in", "out"]),
    ("mirror", [KERNELS / "mirror.cl", "--grid", 128, "--group", 64, "--arg", "a=iota:128", "--arg", "b=fill:128:1", "--arg", "c=zeros:128",
                "--arg", "n=66"], ["mirror", "mirror.cl:8", "mirror.cl:10"], ["a", "b", "c", "n", "sums", "i"]),
]


def assembled(folder):
    """PROGRAMS, with a code object in the place of assembly: (name, options, places, arguments)."""
    for name, (source, *options), places, arguments in PROGRAMS:
        if source.suffix == ".s":
            wave = ["-mwavefrontsize64"] if "64" in source.name else []
            subprocess.run([CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-g", *wave, "-x", "assembler", source, "-o", folder / f"{name}.co"],
                           check=True, timeout=PATIENCE_S)
            source = folder / f"{name}.co"
        yield name, [source, *options], places, arguments


def ask(*commands):
    """What the debugger prints for them before anything runs."""
    args = [word for c in commands for word in ("-ex", c)]
    done = subprocess.run([str(a) for a in (BREAKWATER, "run", "--batch", *args, *PROGRAMS[0][1])], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=PATIENCE_S)
    check(done.returncode == 0, f"{commands}: {done.stderr}")
    return done.stdout.splitlines()


def learn():
    """The commands, their usages, and what there is to show and to set, as the program itself says."""
    commands = [line.split()[0] for line in ask("help all") if line and line[0].islower()]
    infos = [line.split()[1] for line in ask("info") if line.startswith("info ")]
    settings = [line.rsplit("  ", 1)[0].strip() for line in ask("show") if "  " in line]
    check(len(commands) > 50 and len(infos) > 25 and len(settings) > 10, "help, info and show say too little")
    marks = ask(*[text for c in commands for text in (f"help {c}", r"echo @@\n")])
    usages, first = {}, True
    for line in marks:
        if first and line.split()[0] in commands:
            usages[line.split()[0]] = line.partition(" ")[2]
        first = line == "@@"
    return commands, usages, infos, settings


class Talk:
    """A debugger at the other end of two pipes."""

    def __init__(self, words, folder, environment, command):
        self.process = subprocess.Popen([str(w) for w in (BREAKWATER, command, *words)], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, bufsize=0)
        os.set_blocking(self.process.stdin.fileno(), False)
        self.n = 0
        self.seen = b""
        self.unsent = b""
        self.mark()
        if not self.until_mark(PATIENCE_S):  # only now it can be interrupted
            raise Failure(f"the debugger does not start; it says {self.seen!r}")

    def mark(self):
        self.unsent += b"echo @@%d@@\\n\n" % self.n

    def until_mark(self, seconds):
        """True: everything sent before has been answered. None: the debugger has ended."""
        end = time.monotonic() + seconds
        wanted = b"@@%d@@" % self.n
        while wanted not in self.seen:
            out, into = self.process.stdout, self.process.stdin
            ready, writable, _ = select.select([out], [into] if self.unsent else [], [], min(1, max(0, end - time.monotonic())))
            if writable:
                try:
                    self.unsent = self.unsent[os.write(into.fileno(), self.unsent):]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    self.unsent = b""
            if ready:
                data = os.read(out.fileno(), 1 << 16)
                if not data:
                    return None
                self.seen = self.seen[-LAST_SEEN_B:] + data
            elif self.process.poll() is not None:
                return None  # a program that it has detached may still hold the pipe
            elif time.monotonic() >= end:
                return False
        return True

    def type(self, lines):
        """False: the debugger has left."""
        self.n += 1
        self.leaving = any(line.lstrip().startswith("q") for line in lines)
        self.unsent += b"".join(line.encode("utf-8", "replace") + b"\n" for line in lines)
        self.mark()
        end, promptly = time.monotonic() + PATIENCE_S, PROMPTLY_S
        answered = self.until_mark(promptly)
        while answered is False:
            if time.monotonic() > end:
                raise Failure(f"no answer in {PATIENCE_S} s, though interrupted; it runs {stacks(self.process.pid)}")
            self.process.send_signal(signal.SIGINT)
            # where it waits for a block's end, or takes the line before for something else
            self.unsent += b"end\nend\n"
            self.mark()
            promptly = min(2 * promptly, 5)
            if self.leaving and promptly == 5:
                end_all(children(self.process.pid), ["breakwater-launch"])  # it waits for a kernel without an end
            answered = self.until_mark(promptly)
        return answered is True


def stacks(pid):
    """What each of its processes does, as far as a debugger for that is there."""
    if not shutil.which("gdb"):
        return "; ".join(f"{p}: {pathlib.Path(f'/proc/{p}/wchan').read_text()}" for p in [pid, *children(pid)])
    done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S)
    return done.stdout[-6000:]


class Fuzz:
    def __init__(self, seed, words, programs, only=None, verbose=False, replay=None):
        self.seed, self.random, self.verbose, self.replay = seed, random.Random(seed), verbose, replay
        r = self.random
        self.name, self.options, places, names = r.choice(programs)
        self.kind = only or r.choice(["run", "run", "run", "attach"])
        # only the debugger can run a source, and what faults at once is gone before anybody attaches
        if self.options[0].suffix != ".co" or self.name == "unmapped":
            self.kind = "run"
        self.json = r.random() < 0.3
        self.grammar = Grammar(*words, places, names)
        self.places = places
        self.typed, self.groups = [], []

    def __str__(self):
        return f"{self.kind} {self.name}{' --json' if self.json else ''}"

    def play(self, folder):
        self.folder = folder
        environment = with_reports(dict(os.environ, HOME=str(folder), SHELL="/bin/true", LC_ALL="C.UTF-8"), folder / "reports")
        environment.pop("XDG_STATE_HOME", None)
        work = folder / "work"
        work.mkdir()
        (work / "one").write_bytes(bytes(range(256)))
        (work / "script").write_text("print 1\ninfo waves\nprint nosuch\n")
        shutil.copy(self.options[0], work / "kernel.co")
        how = ["--json"] if self.json else []
        self.talk = None
        program = None
        try:
            if self.kind == "attach":
                environment["BREAKWATER_ATTACH"] = "1"
                program = subprocess.Popen([str(a) for a in (BREAKWATER, "exec", "--", BUILD / "tests/e2e/again", *self.options)], env=environment,
                                           stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)
                self.talk = self.attach([*how, "-i", await_child(program.pid, "again")], work, environment, program)
            else:
                self.talk = Talk([*how, "-i", *self.options], work, environment, "run")
            self.session()
            self.end()
        finally:
            # A kernel may loop for ever; without it, and without the debugger, the others end by themselves.
            if self.talk:
                end_all([self.talk.process.pid])
            end_all(self.left(), ["breakwater-launch", "again"])
            for process in (self.talk and self.talk.process, program):
                if process:
                    process.wait()
            end = time.monotonic() + PATIENCE_S
            while (late := self.left()) and time.monotonic() < end:
                time.sleep(0.02)
            end_all(late)
            reports = sanitizer_reports(folder / "reports")
            if reports:
                raise Failure(reports)
        check(not late, f"processes {late} are still there")

    def left(self):
        return processes_with(f"HOME={self.folder}")

    def attach(self, words, work, environment, program):
        """The program may not have opened the GPU yet."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return Talk(words, work, environment, "attach")
            except Failure as early:
                if "has not opened the GPU yet" not in str(early) or program.poll() is not None or time.monotonic() > end:
                    raise
            time.sleep(0.1)

    def session(self):
        r = self.random
        if self.replay:
            for lines in self.replay:
                if not self.type(lines):
                    return
            return
        if r.random() < 0.8:
            start = [[f"break {r.choice(self.places)}"], ["continue" if self.kind == "attach" else "run"]]
            if self.kind == "attach":
                start.insert(0, ["symbol-file kernel.co"])
            for lines in start:
                if not self.type(lines):
                    return
        while len(self.typed) < PER_SESSION:
            if self.kind == "run" and r.random() < 0.015:
                lines = [f"tbreak {r.choice(self.places)}", "run"]
            else:
                lines = [harmless(line) for line in self.grammar.lines(r)]
            if not self.type(lines):
                return

    def type(self, lines):
        if self.verbose:
            print("   ", *lines, sep="\n    ", flush=True)
        self.typed += lines
        self.groups.append(lines)
        if self.talk.type(lines):
            return True
        self.talk.process.wait(PATIENCE_S)
        code = self.talk.process.returncode
        check(code >= 0, f"the debugger died by signal {-code}")
        said = self.talk.seen[-300:]
        check(any(line.lstrip().startswith("q") for line in self.typed[-12:]) or b'"quit"' in said, f"the debugger left unasked with status {code}: {said!r}")
        return False

    def end(self):
        """At the end of its input it must leave, whatever state it is in."""
        t = self.talk
        t.process.stdin.close()
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            ready, _, _ = select.select([t.process.stdout], [], [], 1)
            if ready and not os.read(t.process.stdout.fileno(), 1 << 16) or t.process.poll() is not None:
                break
            end_all(children(t.process.pid), ["breakwater-launch"])  # whose kernel may never end by itself
        else:
            raise Failure(f"at the end of its input it does not leave; it runs {stacks(t.process.pid)}")
        code = t.process.wait(PATIENCE_S)
        check(code >= 0, f"the debugger died by signal {-code} at the end of its input")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true", help="a seed that nobody chose")
    parser.add_argument("--commands", type=int, default=10000, help="how many in all")
    parser.add_argument("--seconds", type=float, help="begin no session after that time")
    parser.add_argument("--jobs", type=int, default=3, help="sessions at a time")
    parser.add_argument("--only", choices=["run", "attach"])
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what was typed in sessions with a finding")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.random:
        options.seed = random.SystemRandom().randrange(1 << 30)
    words = learn()
    objects = tempfile.TemporaryDirectory(prefix="bw-random-")
    programs = list(assembled(pathlib.Path(objects.name)))
    lock, typed, failed, n = threading.Lock(), 0, 0, 0
    begun = time.monotonic()
    replay = [json.loads(line) for line in options.replay.read_text().splitlines()] if options.replay else None

    def worker():
        nonlocal n, typed, failed
        while True:
            with lock:
                late = options.seconds and time.monotonic() - begun > options.seconds
                if typed >= options.commands or late or (replay and n):
                    return
                seed = options.seed + n
                n += 1
            fuzz = Fuzz(seed, words, programs, options.only, options.verbose, replay)
            said = ""
            with tempfile.TemporaryDirectory(prefix="bw-random-", ignore_cleanup_errors=True) as folder:
                try:
                    fuzz.play(pathlib.Path(folder))
                except (Failure, OSError, subprocess.TimeoutExpired) as e:
                    said = f"{type(e).__name__}: {e}"
            with lock:
                typed += len(fuzz.typed)
                failed += bool(said)
                if said:
                    print(f"FAILED  seed {seed}: {fuzz}, after {fuzz.typed[-SHOWN:]}:\n{said[:6000]}", flush=True)
                    if options.keep:
                        options.keep.mkdir(exist_ok=True)
                        (options.keep / f"{seed}.txt").write_text("".join(json.dumps(lines) + "\n" for lines in fuzz.groups))
                        (options.keep / f"{seed}.log").write_text(said)
                elif options.verbose or n % 20 == 0:
                    print(f"ok      seed {seed}: {fuzz}, {len(fuzz.typed)} lines", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(worker) for _ in range(options.jobs)]:
            done.result()
    print(f"{n} sessions, {typed} commands, {failed} findings, {time.monotonic() - begun:.0f} s; again with --seed {options.seed}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
