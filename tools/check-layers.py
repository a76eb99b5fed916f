#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every #include "folder/..." in src/ is an edge of tests/layers.txt, of its folder or of
the file itself.

Usage: check-layers.py SOURCE_ROOT
Prints one line for each include that is not allowed; exit status 1 if there is one.
"""
import pathlib
import re
import sys


def read_layers(path):
    layers = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            folder, _, allowed = line.partition(":")
            layers[folder.strip()] = set(allowed.split())
    return layers


def main():
    root = pathlib.Path(sys.argv[1])
    layers = read_layers(root / "tests/layers.txt")
    bad = 0
    seen = 0
    for path in sorted((root / "src").rglob("*.[chS]")):
        folder = path.relative_to(root / "src").parts[0]
        if folder not in layers:
            print(f"{path.relative_to(root)}: folder {folder} is not in tests/layers.txt")
            bad += 1
            continue
        allowed = layers[folder] | layers.get(str(path.relative_to(root / "src")), set())
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+"([a-z0-9_]+)/', line)
            if not m:
                continue
            seen += 1
            used = m.group(1)
            if used in layers and used != folder and used not in allowed:
                print(f"{path.relative_to(root)}:{number}: {folder} may not include {used}")
                bad += 1
    print(f"{seen} includes checked, {bad} not allowed")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
