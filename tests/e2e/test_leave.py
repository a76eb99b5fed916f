#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How a session ends: what the debugger has started ends with it, what it has attached to runs on. And where
its commands come from."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from harness import (BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, Session, check, children, equal, main, named_child,
                     wait_gone)
from test_kill import SAXPY

LOOP = [KERNELS / "loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4"]


def run(*args, typed=""):
    return subprocess.run([str(BREAKWATER), "run", *[str(a) for a in args]], cwd=SOURCE, input=typed, capture_output=True,
                          text=True, timeout=TIMEOUT_S)


def looping():
    s = Session(*LOOP)
    s.send("run")
    s.read_until(lambda o: o.get("kind") == "dispatch")
    return s


def stopped():
    s = looping()
    s.process.send_signal(signal.SIGINT)
    s.read_until(lambda o: o.get("command") == "run")
    return s


def all_gone(pids):
    for pid in pids:
        wait_gone(pid, "a process of an ended session")


def end_by(begin, end, status):
    s = begin()
    family = children(s.process.pid)
    named_child(s.process.pid, "breakwater-launch")
    end(s)
    equal(s.process.wait(TIMEOUT_S), status, "status")
    all_gone(family)


def quit_kills():
    end_by(stopped, lambda s: s.send("quit"), 0)
    end_by(stopped, lambda s: s.send("quit 7"), 7)


def end_of_input_kills():
    end_by(stopped, lambda s: s.process.stdin.close(), 0)


def signals_kill():
    for number in (signal.SIGTERM, signal.SIGHUP):
        end_by(stopped, lambda s, n=number: s.process.send_signal(n), 128 + number)
        end_by(looping, lambda s, n=number: s.process.send_signal(n), 128 + number)


def the_end_of_a_script_kills():
    """The results of a kernel that was not let run do not appear."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out"
        done = run("--batch", "-ex", "break compute", "-ex", "run", *SAXPY, "--dump", f"out={path}")
        equal(done.returncode, 0, f"status; it says {done.stdout}{done.stderr}")
        check(done.stdout.endswith("[The program was killed]\n"), f"it says {done.stdout!r}")
        check(not path.exists(), "the kernel has been let run")


def a_limit_of_the_user():
    done = run("--batch", "--timeout", "2", *LOOP)
    equal(done.returncode, 124, f"status; it says {done.stdout}{done.stderr}")
    check("loop.s:" in done.stdout, f"it does not say where it was: {done.stdout!r}")
    check("has taken 2 s, the limit of --timeout" in done.stderr, f"standard error has {done.stderr!r}")
    done = run("--batch", "--timeout", "never", *LOOP)
    equal(done.returncode, 2, "status")
    check('--timeout takes seconds, not "never"' in done.stderr, f"standard error has {done.stderr!r}")


def a_hang_in_batch():
    done = run("--batch", "-ex", "set break-on hang 0.2", "-ex", "run", *LOOP)
    equal(done.returncode, 0, f"status; it says {done.stdout}{done.stderr}")
    check("taken for a hang" in done.stdout and "loop.s:" in done.stdout, f"it says {done.stdout!r}")


def a_pipe_behind_commands():
    """However late it comes."""
    read, write = os.pipe()
    with subprocess.Popen([str(BREAKWATER), "run", "-ex", "break compute", "-ex", "run", *map(str, SAXPY)], cwd=SOURCE, stdin=read,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        os.close(read)
        said = ""
        while "Breakpoint 1, " not in said:
            line = p.stdout.readline()
            check(line, f"it ended, and said {said!r}")
            said += line
        time.sleep(0.5)
        os.write(write, b"print 6 * 7\nquit 5\n")
        said += p.stdout.read()
        check("$1 = 42" in said, f"it says {said!r}")
        equal(p.wait(TIMEOUT_S), 5, "status")
        os.close(write)


def the_pipe_and_batch():
    """With --batch it is not read."""
    done = run("--batch", "-ex", "print 1", *SAXPY, typed="print 6 * 7\n")
    equal((done.returncode, done.stdout), (0, "$1 = 1\n"), "status and output")


if __name__ == "__main__":
    main(quit_kills, end_of_input_kills, signals_kill, the_end_of_a_script_kills, a_limit_of_the_user, a_hang_in_batch,
         a_pipe_behind_commands, the_pipe_and_batch)
