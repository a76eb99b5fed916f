#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check=sync on kernels in pairs, with a barrier that not all work-items of the workgroup reach and without it: each
wrong one has a finding of its kind that names the barrier, each right one has none."""
import concurrent.futures
import pathlib
import re
import subprocess

from checked import findings, kernels
from harness import BREAKWATER, check, equal, main

FOLDER = pathlib.Path(__file__).resolve().parent / "check"
KERNEL = ["--grid", "128", "--group", "128", "--arg", "in=iota:1024:i32", "--arg", "out=zeros:256:i32"]
SHADER = ["--grid", "128", "--arg", "src=iota:256:i32", "--arg", "dst=zeros:256:i32"]

# The kinds of finding of a kernel that is wrong. Lanes that miss a barrier are a wave's own in waves of 32.
WRONG = {
    "half_wrong": {"lanes", "ended"},  # with 64 lanes no wave has none of them
    "wave_wrong": {"ended"},
    "two_wrong": {"places"},
    "loop_wrong": {"lanes", "ended"},
    "while_wrong": {"lanes"},
    "tile_wrong": {"lanes"},
    "called_wrong": {"lanes"},
}


def judge(name, found, lines):
    kernel = name.split(",")[0]
    wanted = WRONG.get(kernel, set())
    if kernel == "half_wrong" and found and found[0]["wave_size"] == 64:
        wanted = {"lanes"}
    equal({f["use"] for f in found}, wanted, f"the kinds of findings of {name}")
    for f in found:
        equal(f["kind"], "sync", f"{name}: the kind")
        equal(f["first_access"], "barrier", f"{name}: the first access")
        check(f["first_instruction"] == "s_barrier" and f["second_instruction"] != "?", f"{name}: {f}")
        check(lines[0] < f["first_line"] <= lines[1] or f["first_function"].startswith("waits("), f"{name}: the place of {f}")


def all_of(file, words, names=None):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [(name, lines, pool.submit(findings, "--check=sync", FOLDER / file, *words, "--kernel", name, *KERNEL))
                for name, lines in kernels(FOLDER / file).items() if not names or name in names]
    for name, lines, run in runs:
        judge(f"{name}, {words}", run.result(), lines)


def opencl():
    all_of("sync.cl", [])


def hip():
    all_of("sync.hip", [])


def without_optimization():
    """Compilers reach the scratch of lanes that have returned."""
    all_of("sync.cl", ["-O0"], ["early_waves_right", "last_right", "loop_wrong"])
    all_of("sync.hip", ["-O0", "--wave64"], ["early_right", "called_wrong"])


def shaders():
    equal(findings("--check=sync", FOLDER / "sync_right.comp", *SHADER), [], "the findings of sync_right.comp")
    found = findings("--check=sync", FOLDER / "sync_wrong.comp", *SHADER)
    check(found and all(f["kind"] == "sync" and f["use"] in ("lanes", "ended") for f in found), f"sync_wrong.comp: {found}")


def text():
    """Lanes 16 to 31 of wave 2 have numbers from 80 on, and wave 3 has no others."""
    words = [FOLDER / "sync.cl", "--kernel", "half_wrong", *KERNEL]
    done = subprocess.run([BREAKWATER, "run", "--check", "--batch", *words], capture_output=True, text=True, timeout=120)
    for line in (r"  barrier that is not reached by lanes 16-31$",
                 r"  barrier that is not reached by wave 3$",
                 r"      first  barrier in half_wrong at sync.cl:12 by lane 0 of wave 2 of workgroup \(0,0,0\)$",
                 r"      second store in half_wrong at sync.cl:15 by lane 0 of wave 3 of workgroup \(0,0,0\)$"):
        check(re.search("^" + line, done.stdout, re.M), f"{line} is missing: {done.stdout}")


if __name__ == "__main__":
    main(opencl, hip, without_optimization, shaders, text)
