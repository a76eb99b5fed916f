# SPDX-License-Identifier: MIT
"""--check=bounds on HIP programs, compiled at -O0 and -O2: wrong accesses to memory of each function that allocates, and right
programs, which have no findings and print the same as without the check. make check-rocm runs it."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from checked import findings  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal  # noqa: E402

SKIP = 77
SOURCE = (HERE / "programs/bounds.hip").read_text().splitlines()
HOW = {"malloc": "hipMalloc(&p, N", "managed": "hipMallocManaged", "host": "hipHostMalloc", "async": "hipMallocAsync", "pitch": "hipMallocPitch"}


def hip(*args, cwd):
    done = subprocess.run([BREAKWATER, "exec", *args], cwd=cwd, capture_output=True, text=True, timeout=8 * TIMEOUT_S)
    equal(done.returncode, 0, f"{args}: {done.stdout}{done.stderr}")
    return done.stdout


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


def wrong(program, how, what, size_b):
    f, = findings("--check=bounds", "--batch", "-ex", "run", "--", program, how, what)
    ends = {"past": f" + {size_b:#x}", "before": " - 0x4", "freed": " + 0x0"}
    check(f["target"].endswith(ends[what]), f"{program} {how} {what}: {f}")
    equal((f["first_access"], f["limit"], f["is_freed"], f["first_function"]), ("store", size_b, what == "freed", "fill(int*, int, int)"), f"{f}")
    equal(f["made"], f"allocate at bounds.hip:{line_of(HOW[how])}", f"{f}")
    if what == "freed":
        equal((f["freed"], f["times"]), (f"main at bounds.hip:{line_of('hipFree(out)')}", size_b // 4), f"{f}")


def main():
    if not os.environ.get("BREAKWATER_ROCM_TEST"):
        print("SKIPPED: make check-rocm runs the programs of ROCm; BREAKWATER_ROCM_TEST=short does, too.")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for level in "02":
            program = folder / f"bounds{level}"
            hip("--rocm", "--", "hipcc", "-w", f"-O{level}", "-g", "-o", program, HERE / "programs/bounds.hip", cwd=folder)
            for how in HOW:
                equal(findings("--check=bounds", "--batch", "-ex", "run", "--", program, how, "right"), [], how)
                for what in ("past", "before", "freed") if how != "async" else ("past", "before"):
                    wrong(program, how, what, 3072 if how == "pitch" else 404)
            program = folder / f"memory{level}"
            hip("--rocm", "--", "hipcc", "-w", f"-O{level}", "-g", "-o", program, HERE / "programs/memory.hip", cwd=folder)
            plain, checked = (subprocess.run([BREAKWATER, "exec", *option, "--", program], capture_output=True, text=True, timeout=8 * TIMEOUT_S)
                              for option in ([], ["--check=bounds"]))
            equal((plain.returncode, checked.returncode, checked.stdout), (0, 0, plain.stdout), checked.stderr)
            check("memory: right" in plain.stdout and "Check: no findings." in checked.stderr, checked.stderr)


if __name__ == "__main__":
    main()
