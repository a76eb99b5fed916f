#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What another user, or a program that lies, can do to a debugger: by memory that both have mapped, by the folders
that the environment names, and by names that anybody can take.

As root it really plays the other user (nobody); what cannot be played here is skipped by name.

    test_intruders.py SHIM [CASE...]; SHIM: unsealed.c as a library to preload"""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, equal, main
from test_security import IS_ROOT, LAUNCH, NOBODY, SAXPY, SPIN, SPIN_ARGS, Other, Place, breakwater, environment, skipped

SHIM = os.path.abspath(sys.argv.pop(1))


def lying(least_b):
    return dict(environment(), LD_PRELOAD=SHIM, UNSEALED_B=str(least_b))


def a_debug_area_that_shrinks():
    done = breakwater("run", *SAXPY, "--batch", "-ex", "starti", "-ex", "shell sleep 1", "-ex", "info waves", env=lying(1000000))
    check(done.returncode >= 0, f"the debugger died of signal {-done.returncode}")
    check("the agent's debug area is refused: it is not sealed against shrinking" in done.stdout + done.stderr,
          f"what it says: {done.stdout}{done.stderr}")


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


if __name__ == "__main__":
    main(a_debug_area_that_shrinks, memory_for_markers_that_shrinks)
