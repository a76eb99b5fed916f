#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of whole sessions: first stop, single steps in a script, a 4096-wave breakpoint, two cores
against one. Prints a table; with --json a line of JSON. Usage: sessions.py BUILD_DIR [--json]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SAXPY = ["examples/saxpy.s", "--grid", "256", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
         "y=fill:256:1", "--arg", "out=zeros:256"]


def session(options, commands):
    """Seconds that breakwater run takes."""
    with tempfile.NamedTemporaryFile("w", suffix=".bw") as f:
        f.write("\n".join(commands) + "\n")
        f.flush()
        start = time.monotonic()
        subprocess.run([BUILD / "breakwater", "run", "--batch", "-x", f.name, *options], cwd=SOURCE, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return time.monotonic() - start


def plain(options, server_args):
    """Seconds that a kernel takes that nothing stops."""
    start = time.monotonic()
    subprocess.run([BUILD / "breakwater", "run", *options], cwd=SOURCE, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, BREAKWATER_VGPU_ARGS=server_args))
    return time.monotonic() - start


def best(n, f):
    return min(f() for _ in range(n))


def main():
    loop = [str(SOURCE / "tests/e2e/kernels/loop.s"), "--grid", "64", "--group", "64", "--arg", "out=zeros:4"]
    many = [str(SOURCE / "tests/e2e/kernels/many32.s"), "--grid", str(4096 * 32), "--group", "64", "--arg",
            f"out=zeros:{4096 * 32}"]
    first = best(5, lambda: session(SAXPY, ["break saxpy", "run", "kill"]))
    base = best(3, lambda: session(loop, ["break again", "run", "delete", "kill"]))
    steps = 10000
    stepped = session(loop, ["break again", "run", "delete", f"stepi {steps}", "kill"])
    one = 2000
    scripted = session(loop, ["break again", "run", "delete"] + ["stepi"] * one + ["kill"])
    all_waves = session(many, ["break odd", "run"] + ["continue"] * 4)
    waves = 1536
    work = [str(SOURCE / "tests/bench/kernels/work.s"), "--grid", str(waves * 32), "--group", "64", "--arg",
            f"out=zeros:{waves * 32}"]
    one_core = plain(work, "--threads 1")
    two_cores = plain(work, "--threads 2")
    instructions = waves * 20000 * 11
    rows = [
        ("first stop of a small kernel, from the command", first * 1e3, "ms", 300),
        (f"stepi {steps}", steps / (stepped - base), "steps/s", 10000),
        (f"{one} x stepi in a script", one / (scripted - base), "steps/s", 10000),
        ("ALU loop in 1536 waves, a whole run, one thread", instructions / one_core / 1e6, "M instructions/s", 250),
        ("the same on two threads, ratio", one_core / two_cores, "x", 1.7),
        ("4096 waves: break in all, continue to the end", all_waves, "s", None),
    ]
    if "--json" in sys.argv:
        print(json.dumps({name: {"value": value, "unit": unit} for name, value, unit, _ in rows}))
        return
    print(f"\n{'Sessions':<52}{'now':>12}{'design':>10}")
    for name, value, unit, target in rows:
        print(f"{name:<52}{value:>12.4g}{target if target else '':>10} {unit}")


if __name__ == "__main__":
    main()
