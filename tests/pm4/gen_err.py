#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the generator refuses an input.

Usage: gen_err.py GENERATOR INPUT WORDS
Passes when the generator fails, writes nothing and says WORDS.
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    generator, source, words = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        outputs = [pathlib.Path(folder) / name for name in ("opcodes.h", "texts.inc")]
        run = subprocess.run([sys.executable, generator, source, *map(str, outputs)],
                             capture_output=True, text=True)
        if run.returncode == 0 or words not in run.stderr or any(o.exists() for o in outputs):
            sys.exit(f"status {run.returncode}: {run.stderr}")


main()
