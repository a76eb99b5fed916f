#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""4096 waves, half the lanes of each divergent, a breakpoint in all of them: every wave stops, the
counts add up, all are resumed, the output is right. Wave32 and wave64."""
import array
import os
import tempfile

from harness import KERNELS, check, equal, events, main, replies, run

WAVES = 4096


def check_output(path, n):
    data = array.array("I")
    with open(path, "rb") as f:
        data.frombytes(f.read())
    equal(len(data), n, "elements")
    for i, got in enumerate(data):
        if got != i * 3 + (1000 if i & 1 else 0):
            equal(got, i * 3 + (1000 if i & 1 else 0), f"out[{i}]")


def every_wave_stops(lanes):
    n = WAVES * lanes
    fd, path = tempfile.mkstemp()
    os.close(fd)
    try:
        out = run(KERNELS / f"many{lanes}.s", "--grid", n, "--group", 64, "--arg", f"out=zeros:{n}", "--dump", f"out={path}",
                  json_lines=True, script=["break odd", "run"] + ["info waves count", "continue"] * 6)
        counts = [r["dispatches"][0] for r in replies(out, "info") if r["dispatches"]]
        check(counts, "no wave count")
        for c in counts:
            equal(c["stopped"] + c["running"] + c["waiting"] + c["finished"], WAVES, f"sum of {c}")
        # A wave has one entry in `stopped` for each time it was seen there: count them by their numbers.
        stops = [e for e in events(out, "stop") if e["reason"] == "BREAKPOINT"]
        equal(sum(s["same_place"] for s in stops), WAVES, "waves stopped at the breakpoint")
        odd = int("a" * (lanes // 4), 16)
        equal({int(s["breakpoint_lanes"], 16) for s in stops}, {odd}, "lanes at the breakpoint")
        check_output(path, n)
    finally:
        os.unlink(path)


def wave32():
    every_wave_stops(32)


def wave64():
    every_wave_stops(64)


if __name__ == "__main__":
    main(wave32, wave64)
