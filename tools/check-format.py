#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the C files are as clang-format 19 leaves them, and at most 100 columns wide.

Usage: check-format.py SOURCE_ROOT [CLANG_FORMAT]
Wider may be: what stands between "clang-format off" and "clang-format on" (tables laid out by hand),
and a line that one string makes wide (messages stay whole, so that they can be searched for).
Prints one line for each finding; exit status 1 if there is one, 77 (skipped) without clang-format.
"""
import pathlib
import re
import shutil
import subprocess
import sys

COLUMNS = 100
TAB = 8
FOLDERS = ("src", "include", "tests", "examples")


def sources(root):
    return sorted(p for folder in FOLDERS for p in (root / folder).rglob("*.[ch]"))


def too_wide(path):
    laid_out_by_hand = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "clang-format off" in line:
            laid_out_by_hand = True
        if "clang-format on" in line:
            laid_out_by_hand = False
        width = len(line.expandtabs(TAB))
        if width <= COLUMNS or laid_out_by_hand:
            continue
        longest = max((len(s) for s in re.findall(r'"(?:[^"\\]|\\.)*"', line)), default=0)
        if longest < 20:
            yield number, width


def main():
    root = pathlib.Path(sys.argv[1])
    tool = shutil.which(sys.argv[2] if len(sys.argv) > 2 else "clang-format-19")
    files = sources(root)
    bad = 0
    for path in files:
        for number, width in too_wide(path):
            print(f"{path.relative_to(root)}:{number}: {width} columns, more than {COLUMNS}")
            bad += 1
    if not tool:
        print("no clang-format-19: only the width was checked")
        return 1 if bad else 77
    run = subprocess.run([tool, "--dry-run", *map(str, files)], capture_output=True, text=True, check=True)
    unformatted = sorted(set(re.findall(r"^(.+?):\d+:\d+: warning:", run.stderr, re.M)))
    for path in unformatted:
        print(f"{pathlib.Path(path).relative_to(root)}: not formatted; \"make format\" does it")
    print(f"{len(files)} files checked, {len(unformatted)} not formatted, {bad} lines too wide")
    return 1 if bad or unformatted else 0


if __name__ == "__main__":
    sys.exit(main())
