# SPDX-License-Identifier: MIT
"""tools/rocm/rocm-run with a tree whose dynamic linker prints how it was called."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"])
LINKER = '#!/bin/sh\n[ "$1" = --verify ] && exit 0\nprintf "%s\\n" "$@"\n'


def called(tree, *words, **env):
    """What the linker was called with."""
    clean = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(["/bin/sh", SOURCE / "tools/rocm/rocm-run", *words], env=dict(clean, BREAKWATER_ROCM=str(tree), **env),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


with tempfile.TemporaryDirectory() as name:
    tree = pathlib.Path(name)
    linker = tree / "usr/lib64/ld-linux-x86-64.so.2"
    for program in (linker, tree / "usr/bin/rocminfo"):
        program.parent.mkdir(parents=True)
        program.write_text(LINKER)
        program.chmod(0o755)
    own = f"{tree}/usr/lib/x86_64-linux-gnu"
    rows = [
        ("a program of the tree", ["rocminfo", "-a"], {}, ["--argv0", "rocminfo", "--library-path", own, f"{tree}/usr/bin/rocminfo", "-a"]),
        ("another program", ["./x", "a b"], {}, ["--argv0", "./x", "--library-path", own, "./x", "a b"]),
        ("with libraries of its own, after the tree's", ["./x"], {"LD_LIBRARY_PATH": "/a:/b"},
         ["--argv0", "./x", "--library-path", f"{own}:/a:/b", "./x"]),
        ("an empty list", ["./x"], {"LD_LIBRARY_PATH": ""}, ["--argv0", "./x", "--library-path", own, "./x"]),
    ]
    for what, words, env, expected in rows:
        got = called(tree, *words, **env)
        if got != expected:
            sys.exit(f"{what}: {got}, expected {expected}")
print(len(rows), "ways to call it")
