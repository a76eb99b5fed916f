# SPDX-License-Identifier: MIT
"""What tests with a booted guest share: finding QEMU and the kernel, or saying why there are none, and running a
command in a guest."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, Failure  # noqa: E402

SKIP = 77  # meson's status of a test that was skipped
# KVM is half there on many machines of CI, so the guest's code is translated unless this says otherwise: kvm, tcg, or any.
ACCEL = os.environ.get("BREAKWATER_LINUX_ACCEL") or "tcg"
IS_WHOLE = os.environ.get("BREAKWATER_LINUX") == "whole"  # make check-linux
# A translated guest boots in about 20 s of two cores, and says nothing for most of it: on a machine that has them for
# others it needs many times that.
SILENCE_S = 1800 if IS_WHOLE else TIMEOUT_S


def cache():
    """The user's, so that QEMU and the kernel are fetched once; where there is none, one of this build."""
    if os.environ.get("XDG_CACHE_HOME", "").startswith("/"):
        return pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "breakwater/linux"
    if os.environ.get("HOME", "").startswith("/"):
        return pathlib.Path(os.environ["HOME"]) / ".cache/breakwater/linux"
    return BUILD / "linux-cache"


def need_parts():
    """Makes QEMU and the kernel, or skips the test with the reason."""
    done = subprocess.run([str(BUILD / "breakwater-guest-parts"), str(cache())], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(done.stderr, end="")
    if done.returncode:
        print("SKIPPED: QEMU and the kernel cannot be had here; the reason is above.")
        sys.exit(SKIP)


def words(*args):
    return [str(BREAKWATER), "vgpu", "linux", "--cache", str(cache()), "--silence", str(SILENCE_S), *([] if ACCEL == "any" else ["--accel", ACCEL]), *[str(a) for a in args]]


def guest(*args, status=0, data=b"", cwd=SOURCE, options=("--no-gpu",), timeout_s=2 * TIMEOUT_S, env={}):
    """breakwater vgpu linux OPTIONS -- ARGS; its standard output and standard error as bytes. timeout_s is beside the
    time that the guest may be silent for."""
    done = subprocess.run(words(*options, "--", *args), cwd=cwd, input=data, capture_output=True, timeout=SILENCE_S + timeout_s,
                          env={**os.environ, **env})
    if done.returncode != status:
        raise Failure(f"{args}: status {done.returncode}, expected {status}\n"
                      f"{done.stdout.decode(errors='replace')}\n{done.stderr.decode(errors='replace')}")
    return done.stdout, done.stderr
