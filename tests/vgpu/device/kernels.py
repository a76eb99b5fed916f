#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the header that names the assembled kernels.

Usage: kernels.py OUT.h NAME...
"""
import sys


def main():
    out, names = sys.argv[1], sys.argv[2:]
    with open(out, "w") as f:
        f.write("/* made by kernels.py */\nstruct rig_kernel {\n\tconst char *name;\n"
                "\tconst unsigned char *code;\n\tconst unsigned long *size_b;\n};\n")
        for n in names:
            f.write(f"extern const unsigned char rig_{n}[];\nextern const unsigned long rig_{n}_size;\n")
        f.write("static const struct rig_kernel rig_kernels[] = {\n")
        for n in names:
            f.write(f'\t{{"{n}", rig_{n}, &rig_{n}_size}},\n')
        f.write("};\nenum { RIG_N_KERNELS = %d };\n" % len(names))


main()
