# SPDX-License-Identifier: MIT
"""A program's finite waits do not run out because a person is thinking: neither while its submission is
held, nor while its waves are stopped; and its clock stands still. A wait for what never comes ends all
the same.

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


def run(thinking_s, *commands):
    """Waits of the program, and how far its clock is behind, in s."""
    s = harness.Session("--", PROGRAM)
    for c in commands:
        s.command(c)
    s.command("run")
    time.sleep(thinking_s)
    s.command("delete")
    s.command("set stop-on-dispatch off")
    s.command("continue")
    output = "".join(e["text"] for e in harness.events(s.events, "output"))
    s.end()
    lines = output.splitlines()
    behind = [int(line.split()[1]) for line in lines if line.startswith("behind ")]
    equal(len(behind), 1, "clocks")
    return [line for line in lines if line.startswith("waited ")], behind[0]


def check_held(*commands):
    waits, behind = run(THINKING_S, *commands)
    equal(waits, ["waited 0", "waited 2"], "the waits")
    # the moment between the stop and the prompt is not part of it
    equal(behind in range(THINKING_S - 1, 600), True, f"a clock that is behind ({behind} s)")


def while_the_submission_is_held():
    check_held("set stop-on-dispatch on")


def while_waves_are_stopped():
    check_held("break on dispatch")


def unless_told_otherwise():
    waits, behind = run(2, "set hold-time off", "break on dispatch")
    equal(waits, ["waited 0", "waited 2"], "the waits")
    equal(behind, 0, "the clock")


if __name__ == "__main__":
    harness.main(while_the_submission_is_held, while_waves_are_stopped, unless_told_otherwise)
