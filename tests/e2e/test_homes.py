#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders that the environment names, as "su" and "sudo -E" leave them to root: nothing is written or run where
another user says."""
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal, main

NOBODY = 65534
SAXPY = ("--grid", "64", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:64", "--arg", "y=fill:64:1", "--arg", "out=zeros:64")


def start(*args, **environment):
    settings = {k: v for k, v in os.environ.items() if k not in ("XDG_STATE_HOME", "XDG_CACHE_HOME")}
    return subprocess.run([BREAKWATER, *args], input="print 6 * 7\n", capture_output=True, text=True, timeout=TIMEOUT_S,
                          env={**settings, **environment})


def history():
    """The history follows no link, and goes into no folder of another user."""
    with tempfile.TemporaryDirectory() as tmp:
        kept = pathlib.Path(tmp, "kept")
        for variable, name in (("HOME", ".breakwater_history"), ("XDG_STATE_HOME", "breakwater_history")):
            for owner in (NOBODY, os.getuid()):
                home = pathlib.Path(tmp, f"{variable}{owner}")
                home.mkdir()
                os.chown(home, owner, owner)
                kept.write_text("mine\n")
                home.joinpath(name).symlink_to(kept)
                done = start("run", "-i", SOURCE / "examples/saxpy.s", *SAXPY, **{"HOME": tmp, variable: str(home)})
                check("= 42" in done.stdout, done.stdout + done.stderr)
                check("The history of commands is not kept: " in done.stderr, done.stderr)
                equal(kept.read_text(), "mine\n", f"a file behind a link in {variable}")


def cache():
    """QEMU is not run out of a folder of another user, nor through a link that is another user's."""
    with tempfile.TemporaryDirectory() as tmp:
        theirs, mine = pathlib.Path(tmp, "theirs"), pathlib.Path(tmp, "mine")
        for folder in (theirs, mine):
            loader = folder / ".cache/breakwater/linux/qemu-2/usr/lib64/ld-linux-x86-64.so.2"
            loader.parent.mkdir(parents=True)
            loader.write_text("#!/bin/sh\ntouch " + tmp + "/ran\n")
            loader.chmod(0o755)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", theirs], check=True)
        for environment in ({"HOME": str(theirs)}, {"XDG_CACHE_HOME": str(theirs / ".cache")}):
            done = start("vgpu", "linux", "--", "true", **environment)
            check(done.returncode != 0 and f"belongs to another user (uid {NOBODY})" in done.stderr, done.stderr)
        check(not os.path.exists(f"{tmp}/ran"), "a program of another user ran")


def manifest():
    """What is in the cache is held to what came out of the packages."""
    with tempfile.TemporaryDirectory() as tmp:
        qemu = pathlib.Path(tmp, "qemu-2")
        qemu.mkdir()
        qemu.joinpath("program").write_text("as it was\n")
        done = subprocess.run("sha256sum ./program >MANIFEST", shell=True, cwd=qemu, check=True)
        script = [BUILD / "breakwater-guest-parts", tmp, "--no-kernel"]
        equal(subprocess.run(script, capture_output=True, timeout=TIMEOUT_S).returncode, 0, "a cache as it was made")
        qemu.joinpath("program").write_text("another\n")
        done = subprocess.run(script, capture_output=True, text=True, timeout=TIMEOUT_S)
        check(done.returncode == 1 and "is not as it was unpacked" in done.stderr, done.stderr)
        qemu.joinpath("MANIFEST").unlink()
        equal(subprocess.run(script, capture_output=True, timeout=TIMEOUT_S).returncode, 1, "a cache without a manifest")


if __name__ == "__main__":
    if os.getuid():
        manifest()
        print("history and cache of another user: not tried, that takes root")
        sys.exit(0)
    main(history, cache, manifest)
