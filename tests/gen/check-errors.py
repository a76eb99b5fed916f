#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a generator on inputs that are wrong.

Usage: check-errors.py GENERATOR OK_FILE ERR_FILE...

The first line of each ERR_FILE says what must be complained of: "# expect LINE: TEXT". The generator,
run as GENERATOR -o OUTPUT ERR_FILE (together with OK_FILE when the name says "meet"), must say
ERR_FILE:LINE: TEXT first, write nothing and exit with status 1. With OK_FILE alone it must succeed,
twice with the same result.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def run(generator, out, files, seed):
    env = dict(os.environ, PYTHONHASHSEED=seed)
    return subprocess.run([sys.executable, generator, "-o", out, *files], env=env, text=True,
                          capture_output=True)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    generator, ok, *bad = (os.path.relpath(p, root) for p in sys.argv[1:])
    os.chdir(root)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.c")
        texts = []
        for seed in ("0", "1"):
            r = run(generator, out, [ok], seed)
            if r.returncode:
                print(f"{ok}: refused: {r.stderr}")
                return 1
            texts.append(pathlib.Path(out).read_text())
        if texts[0] != texts[1]:
            print(f"{ok}: two runs, two results")
            failures += 1
        os.unlink(out)
        for path in bad:
            first = pathlib.Path(path).read_text().splitlines()[0]
            assert first.startswith("# expect "), f"{path}: no '# expect' line"
            want = f"{path}:{first[len('# expect '):]}"
            r = run(generator, out, [ok, path] if "meet" in path else [path], "0")
            said = r.stderr.splitlines()[0] if r.stderr else "nothing"
            if r.returncode != 1 or said != want or os.path.exists(out):
                print(f"{path}: exit status {r.returncode}\n  wanted: {want}\n  said:   {said}")
                failures += 1
    print(f"{len(bad)} wrong inputs, {failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
