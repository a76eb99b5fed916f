#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check=bounds on kernels in pairs, with an access out of bounds and without it, in waves of 32 and of 64 lanes: each
wrong one has the finding of its row at a line of its own, each right one has none."""
import concurrent.futures
import pathlib
import subprocess

from checked import findings
from harness import BREAKWATER, check, equal, main

FOLDER = pathlib.Path(__file__).resolve().parent / "check"
SHADER = ["--grid", "256", "--arg", "src=iota:256:i32", "--arg", "dst=zeros:256:i32", "--arg", "table=zeros:2:i32"]
IMAGE = ["--grid", "16,16", "--arg", "src=image:16x16:r32ui", "--arg", "dst=image:16x16:r32ui"]
KERNEL = ["--grid", "128", "--group", "128", "--arg", "in=iota:256:i32", "--arg", "out=zeros:128:i32"]

# The file, its kernel (None: the only one), words of the command, the findings of it with "_wrong": the memory, the
# access, the end of the target, the size of the object; and the status. Files and kernels have a "_right", too.
PAIRS = [
    ("bounds_{}.comp", None, SHADER, [("buffer", "load", " + 0x8", 8), ("buffer", "store", " + 0x400", 1024)], 0),
    ("bounds_image_{}.comp", None, IMAGE, [("image", "load", ",-1,0) of an image", 256),
                                           ("image", "store", "of an image", 256)], 0),
    ("bounds.cl", "lds_store_{}", KERNEL, [("LDS", "store", "LDS + 0x400", 1024)], 0),
    ("bounds.cl", "lds_load_{}", KERNEL, [("LDS", "load", "LDS + 0x400", 1024)], 0),
    ("bounds.cl", "lds_atomic_{}", KERNEL, [("LDS", "atomic", "LDS + 0x408", 1024)], 0),
    ("bounds.cl", "lds_tile_{}", KERNEL, [("LDS", "store", "LDS + 0x100", 256), ("LDS", "load", "LDS + 0x1fc", 256)], 0),
    ("bounds.cl", "end_{}", KERNEL, [("memory", "store", "out + 0x200", 512)], 0),
    ("bounds.cl", "before_{}", KERNEL, [("memory", "load", "in - 0x4", 1024)], 0),
    ("bounds.cl", "both_{}", KERNEL, [("memory", "load", "in - 0x10", 1024), ("memory", "load", "in + 0x400", 1024)], 0),
    ("bounds.cl", "wide_{}", KERNEL, [("memory", "load", "in + 0x400", 1024), ("memory", "store", "out + 0x200", 512)], 0),
    ("bounds.cl", "bytes_{}", KERNEL, [("memory", "store", "out + 0x200", 512)], 0),
    ("bounds.cl", "atomics_{}", KERNEL, [("memory", "atomic", "out + 0x200", 512)], 0),
    ("bounds.cl", "uniform_{}", KERNEL, [("memory", "load", "in + 0x400", 1024)], 0),
    ("bounds.cl", "three_right", KERNEL, [], 0),
    ("bounds.hip", "stencil_{}", KERNEL, [("memory", "load", "in + 0x400", 1024)], 0),
    ("bounds.hip", "transpose_{}", KERNEL, [("memory", "store", None, 512)], 0),
    ("bounds.s", "store_{}", KERNEL, [("memory", "store", "out + 0x200", 512)], 0),
    ("bounds.cl", "scratch_{}", KERNEL, [("scratch", "load", None, None)], 3),
]


def run(file, kernel, words, options, status):
    words = [FOLDER / file, *(["--kernel", kernel] if kernel else []), *options, *words]
    return findings("--check=bounds", *words, status=status)


def agree(name, found, wanted):
    left = list(wanted)
    for f in found:
        for row in left:
            memory, access, target, limit = row
            if (f["memory"], f["first_access"]) == (memory, access) and (target is None or f["target"].endswith(target)) and \
                    limit in (None, f["limit"]):
                left.remove(row)
                break
        else:
            raise AssertionError(f"{name}: {f} is none of {left}")
        equal(f["kind"], "bounds", f"{name}: the kind")
        check(f["text"] and "second_access" not in f, f"{name}: {f}")
    equal(left, [], f"{name}: the findings that are missing")


def pairs(options):
    """Of all files without options, else of those whose compiler takes them."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = []
        for file, kernel, words, wanted, status in PAIRS:
            for which in ("wrong", "right") if not options or file.endswith((".cl", ".hip")) else ():
                is_wrong = which == "wrong"
                name = file.format(which), kernel and kernel.format(which)
                runs.append((name, wanted if is_wrong else [],
                             pool.submit(run, *name, words, options, status if is_wrong else 0)))
    for name, wanted, future in runs:
        found = future.result()
        agree(f"{name}, {options}", found, wanted)
        for f in found:
            check(not name[1] or f["first_function"] == name[1] and f["first_line"], f"{name}: the place of {f}")


def pairs_in_waves_of_32():
    pairs([])


def pairs_in_waves_of_64():
    pairs(["--wave64"])


def the_way_to_the_source():
    """Without -O0 lines of shaders are those of the driver's text, which is said."""
    for options, is_said in ((), True), (("-O0",), False):
        words = [BREAKWATER, "run", *options, "--check=bounds", "--batch", FOLDER / "bounds_wrong.comp", *SHADER]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        equal("With -O0 they are those of its source." in done.stdout, is_said, f"{words}: {done.stdout}")
        equal(" at bounds_wrong.comp:" in done.stdout, not is_said, f"{words}: {done.stdout}")


if __name__ == "__main__":
    main(pairs_in_waves_of_32, pairs_in_waves_of_64, the_way_to_the_source)
