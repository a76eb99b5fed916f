# SPDX-License-Identifier: MIT
"""--check=races on HIP programs: what two streams do with one buffer, with and without what orders them; and programs without
races. make check-rocm runs it."""
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from checked import findings  # noqa: E402
from harness import check, equal  # noqa: E402
from test_bounds import hip  # noqa: E402

SKIP = 77
# What the second stream does, and what the accesses are beside the first one's stores.
SECOND = {"kernel": {"load"}, "copy": {"load"}, "set": {"store"}, "download": {"copy"}, "upload": {"copy"}, "early": {"copy"}}
ORDERS = ["event", "host", "query", "device", "callback", "flag", "value", "null"]
# HIP's runtime may submit the second stream's copy first, and then it can have ended before: one of so many runs tells the race.
RUNS = 10
RIGHT = ["reduce", "scratch", "speak"]


def main():
    if not os.environ.get("BREAKWATER_ROCM_TEST"):
        print("SKIPPED: make check-rocm runs the programs of ROCm; BREAKWATER_ROCM_TEST=short does, too.")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in ["streams", *RIGHT]:
            hip("--rocm", "--", "hipcc", "-w", "-O2", "-g", "-o", folder / program, HERE / f"programs/{program}.hip", cwd=folder)
        for program in RIGHT:
            equal(findings("--check=races", "--batch", "-ex", "run", "--", folder / program), [], program)
        for how, other in SECOND.items():
            wrong = next(filter(None, (findings("--check=races", "--batch", "-ex", "run", "--", folder / "streams", how, "none") for _ in range(RUNS))), [])
            check(wrong and all(f["between"] == "queues" for f in wrong), f"{how}: {wrong}")
            check({f["first_access"] for f in wrong} | {f["second_access"] for f in wrong} <= {"store"} | other, f"{how}: {wrong}")
            for order in ORDERS:
                equal(findings("--check=races", "--batch", "-ex", "run", "--", folder / "streams", how, order), [], f"{how} {order}")


if __name__ == "__main__":
    main()
