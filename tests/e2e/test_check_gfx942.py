#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check on gfx942: the pairs of the other tests of the checker that are compiled, and init_gfx942.s, which has what that
generation alone has."""
import re
import subprocess

import test_check
import test_check_bounds
import test_check_init
import test_check_sync
from checked import findings
from harness import BREAKWATER, TIMEOUT_S, equal, main

GPU = ["--gpu", "virtual:mi300x"]
FOLDER = test_check_init.FOLDER
REGISTERS = ["sums", "acc", "part", "lanes", "indexed"]


def races():
    test_check.pairs(64, GPU)


def names():
    """What is printed at once has the names of LLVM's assembler for that generation, as the disassembled words have."""
    words = [FOLDER / "pairs.cl", *GPU, "--kernel", "groups_wrong", "--grid", "256", "--group", "128", "--arg", "in=iota:256:i32",
             "--arg", "out=zeros:256:i32"]
    done = subprocess.run([BREAKWATER, "run", "--check=races", "--batch", *words], capture_output=True, text=True, timeout=TIMEOUT_S)
    at_once = re.search(r"^check: race: (\w+) at .* and (\w+) at", done.stderr, re.M)
    text = re.findall(r"^ +0x[0-9a-f]+ \(\+0x[0-9a-f]+\)  (\w+) ", done.stdout, re.M)
    equal([*at_once.groups(), *text], ["global_store_dword"] * 4, f"{done.stdout}{done.stderr}")


def bounds():
    test_check_bounds.pairs(GPU)


def init():
    test_check_init.all_of(["init.cl", "init.hip"], GPU)


def sync():
    test_check_sync.all_of("sync.cl", GPU)
    test_check_sync.all_of("sync.hip", GPU)


def registers():
    """A register each that nobody has written, by its name there."""
    names = {"sums": "a15", "acc": "a7", "part": "v9", "lanes": "v9", "indexed": "v11"}
    for name in REGISTERS:
        words = [FOLDER / "init_gfx942.s", *GPU, "--grid", "64", "--group", "64", "--arg", "in=iota:64:i32", "--arg", "out=zeros:64:i32"]
        equal(findings("--check=init", *words, "--kernel", name + "_right"), [], f"the findings of {name}_right")
        found = findings("--check=init", *words, "--kernel", name + "_wrong")
        equal([(f["use"], f["memory"], f["target"]) for f in found], [("store", "register", names[name])], f"the findings of {name}_wrong")


if __name__ == "__main__":
    main(races, names, bounds, init, sync, registers)
