#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What another user, or a program that lies, can do to a debugger: by memory that both have mapped, by the folders
that the environment names, and by names that anybody can take.

As root it really plays the other user (nobody); what cannot be played here is skipped by name.

    test_intruders.py SHIM [CASE...]; SHIM: unsealed.c as a library to preload"""
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import time

import harness
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal, main, named_child
from test_security import (IS_ROOT, LAUNCH, NOBODY, SAXPY, SPIN, SPIN_ARGS, Other, Place, breakwater, environment, skipped,
                           wait_for)

AGAIN, LOOP = BUILD / "tests/e2e/again", BUILD / "tests/live/loop.co"
SHIM = os.path.abspath(sys.argv.pop(1))


def lying(least_b):
    return dict(environment(), LD_PRELOAD=SHIM, UNSEALED_B=str(least_b))


def find_child(pid, name):
    try:
        return named_child(pid, name)
    except harness.Failure:
        return None


def a_debug_area_that_shrinks():
    done = breakwater("run", *SAXPY, "--batch", "-ex", "starti", "-ex", "shell sleep 1", "-ex", "info waves", env=lying(1000000))
    check(done.returncode >= 0, f"the debugger died of signal {-done.returncode}")
    check("the agent's debug area is refused: it is not sealed against shrinking" in done.stdout + done.stderr,
          f"what it says: {done.stdout}{done.stderr}")


def areas_of_another_user_that_shrink():
    """Root debugs a program of nobody, which cuts the memory that both have mapped: while root's debugger looks at it, no SIGBUS."""
    if not IS_ROOT:
        return skipped("only root can play the other user")
    try:
        breakwater("--version", user=NOBODY, group=NOBODY, extra_groups=[])
    except PermissionError:
        return skipped("the build cannot be read by other users")
    for settings, commands, says in (
            ({}, [], "the agent's debug area is refused: it is not sealed against shrinking"),
            ({"UNSEALED_KEEP": "1"}, ["break on dispatch", "continue"], "AMDGPU Wave")):
        words = [word for c in (*commands, "shell sleep 1", "info waves", "detach") for word in ("-ex", c)]
        program = subprocess.Popen([BREAKWATER, "exec", "--", AGAIN, "--grid", "64", "--group", "64", "--arg", "out=zeros:64:u32", LOOP], cwd=SOURCE,
                                   env={**lying(1000000), **settings}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, user=NOBODY, group=NOBODY, extra_groups=[])
        pid = wait_for(lambda: find_child(program.pid, "again"), "the program's start")
        wait_for(lambda: "@breakwater-agent-" in pathlib.Path(f"/proc/{pid}/net/unix").read_text(), "its agent")
        done = breakwater("attach", "--batch", *words, str(pid))
        said = program.stderr.readline()
        while said and "unsealed: " not in said:
            said = program.stderr.readline()
        program.stdin.close()
        program.stderr.close()
        program.wait(TIMEOUT_S)
        check(done.returncode >= 0, f"root's debugger died of signal {-done.returncode}")
        check(says in done.stdout + done.stderr, f"what it says: {done.stdout}{done.stderr}")
        check("unsealed: cut, " + ("-1" if settings else "0") in said, f"whether it is cut: {said}")


def memory_for_markers_that_shrinks():
    run = subprocess.Popen([BREAKWATER, "exec", "--breadcrumbs", "--", LAUNCH, SPIN, *SPIN_ARGS], cwd=SOURCE, env=lying(100000),
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = []
    while not lines or "unsealed: cut, 0" not in lines[-1]:
        lines.append(run.stderr.readline())
        check(lines[-1], f"it was not cut: {lines}")
    time.sleep(1)
    run.send_signal(signal.SIGTERM)
    rest = run.stderr.read()
    check(run.wait(TIMEOUT_S) >= 0 and "Breadcrumbs: " in rest, f"the collector ends with {run.returncode}: {rest}")


def squat(say, prefix, pids):
    """Takes the names of these processes to come, and says nothing on them."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    kept = []
    for pid in pids:
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            s.bind(f"\0{prefix}{pid}")
            kept.append(s)
        except OSError:
            s.close()
    say("ready")
    time.sleep(10 * TIMEOUT_S)


def names_of_captures_that_are_taken():
    """A capture has another name then, and who gives it an order does not wait for each silent one."""
    if not IS_ROOT:
        return skipped("needs root")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    n = 1200  # one second each would be more than TIMEOUT_S
    first = os.getpid() + 1
    other = Other(squat, "breakwater-capture-", range(first, first + n))
    try:
        with Place() as place:
            path = place / "x.bwc"
            capture = subprocess.Popen([BREAKWATER, "capture", "--wait-trigger", "-o", path, "--", LAUNCH, SPIN, *SPIN_ARGS],
                                       cwd=SOURCE, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            check(capture.pid < first + n, f"process {capture.pid} is not among those whose names were taken")
            ours = f"@breakwater-capture-{capture.pid}-"
            wait_for(lambda: capture.poll() is not None or ours in pathlib.Path("/proc/net/unix").read_text(), "a second name")
            check(capture.poll() is None, f"the capture ended: {capture.poll()}")
            done = breakwater("capture", "--trigger", "3")
            equal(done.stdout, f"{path} gets the next 3 submissions.\n", f"the order: {done.stderr}")
            for pid in [*harness.children(capture.pid), capture.pid]:
                os.kill(pid, signal.SIGKILL)
            capture.wait(TIMEOUT_S)
            capture.stderr.close()
    finally:
        other.end()


if __name__ == "__main__":
    main(names_of_captures_that_are_taken, a_debug_area_that_shrinks, areas_of_another_user_that_shrink, memory_for_markers_that_shrinks)
