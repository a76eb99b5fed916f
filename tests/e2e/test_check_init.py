#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check=init on kernels in pairs, with the use of a value that nobody has written and without it, in waves of 32
lanes and, at -O0, of 64: each wrong one has a finding of its kind at a line of its own, each right one has none."""
import concurrent.futures
import pathlib
import re
import subprocess

from checked import findings, kernels
from harness import BREAKWATER, SOURCE, check, equal, main

FOLDER = pathlib.Path(__file__).resolve().parent / "check"
KERNEL = ["--grid", "128", "--group", "128", "--arg", "in=iota:1024:i32", "--arg", "out=zeros:256:i32"]
SHADER = ["--grid", "64", "--arg", "src=iota:256:i32", "--arg", "dst=zeros:256:i32"]

# The use, and where the value is that nobody has written, of the kernels that are wrong.
WRONG = {
    "lds_sum_wrong": ("store", "LDS"),
    "lds_branch_wrong": ("branch", "LDS"),
    "lds_address_wrong": ("address", "LDS"),
    "lds_atomic_wrong": ("store", "LDS"),
    "lds_bytes_wrong": ("branch", "LDS"),
    "array_store_wrong": ("store", "scratch"),
    "array_branch_wrong": ("branch", "scratch"),
    "array_address_wrong": ("address", "scratch"),
    "variable_wrong": ("store", "scratch"),
    "passed_on_wrong": ("store", "scratch"),
    "reduce_wrong": ("store", "LDS"),
    "member_wrong": ("store", None),  # clang may keep a private structure in LDS
    "shuffle_wrong": ("store", "lane"),
    "store_wrong": ("store", "register"),
    "branch_wrong": ("branch", "register"),
    "address_wrong": ("address", "register"),
}


def judge(name, found, lines):
    use = WRONG.get(name.split(",")[0])
    if not use:
        equal(found, [], f"the findings of {name}")
        return
    check(any(f["use"] == use[0] and use[1] in (None, f["memory"]) for f in found), f"{name}: {found}, and not {use}")
    for f in found:
        equal(f["kind"], "init", f"{name}: the kind")
        check(lines is None or f["first_line"] and f["first_function"] in (name.split(",")[0], "sum_of"), f"{name}: {f}")
        check(f["text"] and ("second_access" in f) == (f["memory"] != "register"), f"{name}: {f}")


def all_of(files, words):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = [(name, lines, pool.submit(findings, "--check=init", FOLDER / file, *words, "--kernel", name, *KERNEL))
                for file in files for name, lines in kernels(FOLDER / file).items()]
    for name, lines, run in runs:
        judge(f"{name}, {words}", run.result(), lines)


def waves_of_32():
    all_of(["init.cl", "init.hip", "init.s"], [])


def waves_of_64_without_optimization():
    all_of(["init.cl", "init.hip"], ["--wave64", "-O0"])


def shaders():
    equal(findings("--check=init", FOLDER / "init_right.comp", *SHADER), [], "the findings of init_right.comp")
    found = findings("--check=init", FOLDER / "init_wrong.comp", *SHADER)
    uses = {(f["use"], f["memory"]) for f in found}
    check(("branch", "LDS") in uses, f"the shared array: {found}")
    check(uses & {("store", "scratch"), ("store", "register")}, f"the private array, wherever ACO keeps it: {found}")


def other_kernels():
    for words in [["examples/saxpy.s", "--grid", "256", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
                   "y=fill:256:1", "--arg", "out=zeros:256"],
                  ["tests/e2e/kernels/reverse.s", "--grid", "512", "--group", "256", "--arg", "in=iota:512", "--arg",
                   "out=zeros:512"]]:
        equal(findings("--check=init", SOURCE / words[0], *words[1:]), [], f"the findings of {words[0]}")


def status_and_text():
    words = [FOLDER / "init.cl", "--kernel", "lds_sum_wrong", *KERNEL]
    check(findings("--check=init", "--error-on-findings", *words, status=4), "there are findings")
    done = subprocess.run([BREAKWATER, "run", "--check=init", "--batch", *words], capture_output=True, text=True, timeout=120)
    check(re.search(r"^  stored value from LDS \+ 0x190 \(t\[100\]\), which nobody has written", done.stdout, re.M), done.stdout)
    check(re.search(r"^      store in lds_sum_wrong at init.cl:\d+ by lane \d+ of wave \d of workgroup \(0,0,0\)$",
                    done.stdout, re.M), done.stdout)
    check(re.search(r"^      from load in (sum_of|lds_sum_wrong) at init.cl:\d+$", done.stdout, re.M), done.stdout)


if __name__ == "__main__":
    main(waves_of_32, waves_of_64_without_optimization, shaders, other_kernels, status_and_text)
