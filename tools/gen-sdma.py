#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns data/pm4/sdma.txt into the enum of SDMA packets and its table.

Usage: gen-sdma.py sdma.txt OUT.h OUT.inc
Outputs: OUT.h   enum bw_sdma_code: sub-opcode << 8 | opcode, as in the header
         OUT.inc one row for each packet, sorted by code
Fails on a row it cannot read, and on a name or code given twice.
"""
import re
import sys


def read(path):
    rows, seen = [], {}
    with open(path) as f:
        for number, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            hex_byte = r"0x[0-9a-f]{2}"
            if (len(words) != 4 or not re.fullmatch(hex_byte, words[0]) or not re.fullmatch(hex_byte, words[1])
                    or not re.fullmatch(r"[A-Z][A-Z0-9_]*", words[2]) or not words[3].isdigit()):
                sys.exit(f"{path}:{number}: expected: opcode sub-opcode name dwords")
            code = int(words[0], 16) | int(words[1], 16) << 8
            for key in (code, words[2]):
                if key in seen:
                    sys.exit(f"{path}:{number}: {words[2]} is already in line {seen[key]}")
                seen[key] = number
            rows.append((code, words[2], int(words[3]), number))
    return sorted(rows)


def main():
    source, header, table = sys.argv[1:4]
    rows = read(source)
    note = f"/* Made by gen-sdma.py from {source.split('/')[-1]}. */\n"
    with open(header, "w") as f:
        f.write(note + "#ifndef BW_PM4_SDMA_OPCODES_H\n#define BW_PM4_SDMA_OPCODES_H\n\nenum bw_sdma_code {\n")
        for code, name, _, _ in rows:
            f.write(f"\tBW_SDMA_{name} = 0x{code:04x},\n")
        f.write("};\n\n#endif\n")
    with open(table, "w") as f:
        f.write(note)
        for code, name, dwords, number in rows:
            f.write(f'{{0x{code:04x}, {dwords}, "{name}"}}, /* line {number} */\n')


main()
