#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns a binary file into a C array.

Usage: bin2c.py INPUT NAME OUTPUT.c
Makes `const unsigned char NAME[]`, 16-byte aligned, and `const unsigned long NAME_size`.
"""
import pathlib
import sys

import generated


def main():
    source, name, target = sys.argv[1:4]
    data = pathlib.Path(source).read_bytes()
    lines = [f"/* made by bin2c.py from {pathlib.Path(source).name} */",
             f"extern const unsigned char {name}[];",
             f"extern const unsigned long {name}_size;",
             f"const unsigned char {name}[] __attribute__((aligned(16))) = {{"]
    for at in range(0, len(data), 16):
        lines.append("\t" + ", ".join(f"0x{b:02x}" for b in data[at:at + 16]) + ",")
    lines += ["};", f"const unsigned long {name}_size = {len(data)};", ""]
    generated.write(target, "\n".join(lines))


if __name__ == "__main__":
    main()
