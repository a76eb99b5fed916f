#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of a build by Meson, as the Makefile's checks do:

    run-tests.py BUILD [--timeout-multiplier N] [NAME...]

With CI set in the environment, up to MOST tests that failed are run once more, one after the other, when the rest
has ended. On a busy machine a test can fail which has waited for the wrong thing: that is a bug, and its output is
printed, but it tells nothing about the change that CI is asked about. What fails twice fails, and so does at once
what the sanitizers report (tools/sanitizers.py ends with FINDING then) and what died by a signal of its own: such
bugs do not come each time.

Every start of the virtual GPU makes a tree of some 500 files and folders (src/vgpu/uapi/tree.c), which takes three
times as long on a disk as in memory. So where no XDG_RUNTIME_DIR is set, tests get one in /dev/shm if that has room."""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MOST = 2
FINDING = 99
SHARED_MEMORY, ROOM_B = "/dev/shm", 4 << 30


@contextlib.contextmanager
def runtime_folder():
    """A folder in memory. None is made where the environment names one, or memory has no room."""
    try:
        at = os.statvfs(SHARED_MEMORY)
        fits = at.f_bavail * at.f_frsize >= ROOM_B and os.access(SHARED_MEMORY, os.W_OK)
    except OSError:
        fits = False
    if os.environ.get("XDG_RUNTIME_DIR") or not fits:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="breakwater-tests-", dir=SHARED_MEMORY, ignore_cleanup_errors=True) as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        yield


def meson_test(build, *args):
    return subprocess.run(["meson", "test", "-C", build, "--print-errorlogs", *args]).returncode


def failed_tests(build):
    """(name, whether it may be run again) of each test that failed in the last run."""
    found = []
    for line in (pathlib.Path(build) / "meson-logs/testlog.json").read_text().splitlines():
        test = json.loads(line)
        if test["result"] in ("OK", "SKIP", "EXPECTEDFAIL"):
            continue
        # Meson ends by a signal what takes too long
        again = test["result"] == "TIMEOUT" or (test["result"] == "FAIL" and 0 < test["returncode"] != FINDING)
        found.append((test["name"].split(" / ")[-1], again))
    return found


def main():
    parser = argparse.ArgumentParser(description="Runs the tests of a build by Meson.")
    parser.add_argument("build")
    parser.add_argument("--timeout-multiplier", default="1")
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()  # names stand behind options
    times = ("--timeout-multiplier", args.timeout_multiplier)

    with runtime_folder():
        return run(args, times)


def run(args, times):
    status = meson_test(args.build, *times, *args.names)
    if status == 0 or not os.environ.get("CI"):
        return status
    failed = failed_tests(args.build)
    names = [name for name, _ in failed]
    if not failed or len(failed) > MOST or not all(again for _, again in failed):
        return status
    print(f"\nOnce more, alone: {' '.join(names)}", flush=True)
    status = meson_test(args.build, "--no-rebuild", "--num-processes", "1", *times, *names)
    if status == 0:
        print(f"UNSTEADY: {' '.join(names)} failed first and passed when run again. Mend this: why is in the output above.")
    return status


if __name__ == "__main__":
    sys.exit(main())
