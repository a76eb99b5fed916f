# SPDX-License-Identifier: MIT
"""A program's finite waits do not run out because a person is thinking: neither while its submission is
held, nor while its waves are stopped. A wait for what never comes ends all the same.

    test_patience.py PATIENCE"""
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
PROGRAM = os.path.abspath(sys.argv[1])
THINKING_S = 6  # longer than the program's limit


def waits_of(*commands):
    s = harness.Session("--", PROGRAM)
    for c in commands:
        s.command(c)
    s.command("run")
    time.sleep(THINKING_S)
    s.command("delete")
    s.command("set stop-on-dispatch off")
    s.command("continue")
    output = "".join(e["text"] for e in harness.events(s.events, "output"))
    s.end()
    return [line for line in output.splitlines() if line.startswith("waited ")]


def while_the_submission_is_held():
    equal(waits_of("set stop-on-dispatch on"), ["waited 0", "waited 2"], "the waits")


def while_waves_are_stopped():
    equal(waits_of("break on dispatch"), ["waited 0", "waited 2"], "the waits")


if __name__ == "__main__":
    harness.main(while_the_submission_is_held, while_waves_are_stopped)
