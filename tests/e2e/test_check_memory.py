# SPDX-License-Identifier: MIT
"""--check=bounds on memory of HIP and HSA, in a program that gets it as programs of ROCm do (aql_bounds.c): accesses past its
end and before its start, though other memory is next to it; after it was freed; and none where it is right, or not known."""
import pathlib
import re
import subprocess
import sys

from checked import findings
from harness import BREAKWATER, TIMEOUT_S, check, equal, main

PROGRAM, CODE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
SOURCE = pathlib.Path(__file__).with_name("aql_bounds.c").read_text().splitlines()


def command(what):
    gpu = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"
    return ["sh", "-c", f"exec {PROGRAM} {CODE} {gpu} /dev/dri/renderD128 {what}"]


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


def found(what):
    return findings("--check=bounds", "--batch", "-ex", "run", "--", *command(what))


GET = f"get_hip at aql_bounds.c:{line_of('hipMalloc(&p')}"


def past_the_end():
    f, = found("past")
    equal((f["target"], f["limit"], f["first_access"], f["times"]), ("out + 0x32c", 812, "store", 1), f"{f}")
    equal((f["made"], f["is_freed"], "freed" in f), (GET, False, False), f"{f}")
    equal((f["first_function"], f["first_workgroup"]), ("weigh", [3, 0, 0]), f"{f}")


def before_the_start():
    f, = found("before")
    check(f["target"].endswith(" - 0x4"), f"{f}")
    equal((f["limit"], f["made"], f["first_lane"]), (816, GET, 0), f"{f}")


def freed():
    stores = found("freed")
    # the points' results, and the sums of the groups
    equal(len(stores), 2, f"{stores}")
    for f in stores:
        equal((f["is_freed"], f["made"], f["freed"]),
              (True, GET, f"main at aql_bounds.c:{line_of('hipFree(out)')}"), f"{f}")
    equal(sorted(f["times"] for f in stores), [4, 200], f"{stores}")


def by_hsa_alone():
    f, = found("hsa")
    equal((f["limit"], f["made"]), (800, f"main at aql_bounds.c:{line_of('hsa_amd_memory_pool_allocate')}"), f"{f}")
    equal(f["times"], 4, f"{f}")


def no_finding():
    equal(found("right"), [], "a right program")
    equal(found("own"), [], "memory of the runtime")


def left_at_the_end():
    """By size, with the function that has made each and its caller; what is freed is not there."""
    def leaks(what):
        rows = findings("--check=leaks", "--batch", "-ex", "run", "--", *command(what))
        check(all(f["kind"] == "leak" and f["made"] == GET and "first_address" not in f for f in rows), f"{rows}")
        return [(f["size"], f["times"], f["what"].rsplit(":", 1)[1]) for f in rows]
    lines = {"points": str(line_of("points = get_hip(")), "out": str(line_of("out = get_hip(")), "page": str(line_of("get_hip(PAGE_B)"))}
    points, page, out = (4096, 1, lines["page"]), (2400, 1, lines["points"]), (816, 1, lines["out"])
    equal(leaks("right"), [points, page, out], "what a program leaves that frees nothing")
    equal(leaks("freed"), [points, page], "what it leaves when it frees one")
    equal(found("right"), [], "leaks are told only by name")


def as_text():
    """Also without a debugger, where functions of the GPU are not known."""
    done = subprocess.run([BREAKWATER, "exec", "--check=bounds", "--", *command("freed")], capture_output=True, text=True, timeout=TIMEOUT_S)
    check(re.search(r"^  store of 4 bytes in freed memory, at the allocation at 0x\w+ \+ 0x\w+, which had 816 bytes, made in get_hip at "
                    r"aql_bounds\.c:\d+, freed in main at aql_bounds\.c:\d+, 200 times$", done.stderr, re.M), done.stderr)
    check("given back" not in done.stdout, done.stdout)
    done = subprocess.run([BREAKWATER, "exec", "--", *command("freed")], capture_output=True, text=True, timeout=TIMEOUT_S)
    check("given back" in done.stdout, "without the check memory is freed at once")


main(past_the_end, before_the_start, freed, by_hsa_alone, no_finding, left_at_the_end, as_text)
