#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns data/pm4/packets.txt into the opcode enum and its table.

Usage: gen-pm4.py packets.txt OUT.h OUT.inc
Outputs: OUT.h   enum bw_pm4_op
         OUT.inc one row for each packet, sorted by opcode
Fails on a row it cannot read, on a name or opcode given twice, and on an unknown sender.
"""
import re
import sys


def fail(path, number, text):
    sys.exit(f"{path}:{number}: {text}")


def read(path):
    rows = []
    names, opcodes = {}, {}
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.split("#")[0].split()
            if not line:
                continue
            if len(line) != 4:
                fail(path, number, "expected: opcode name body senders")
            op, name, body, senders = line
            if not re.fullmatch(r"0x[0-9a-f]{2}", op) or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
                fail(path, number, f"bad opcode or name: {op} {name}")
            if not body.isdigit() or not senders or set(senders) - set("cgkd"):
                fail(path, number, f"bad body size or senders: {body} {senders}")
            op = int(op, 16)
            for key, seen in ((name, names), (op, opcodes)):
                if key in seen:
                    fail(path, number, f"{key} is already in line {seen[key]}")
                seen[key] = number
            rows.append((op, name, int(body), senders, number))
    return sorted(rows)


def main():
    source, header, table = sys.argv[1:4]
    rows = read(source)
    note = f"/* Made by gen-pm4.py from {source.split('/')[-1]}. */\n"
    with open(header, "w") as f:
        f.write(note + "#ifndef BW_PM4_OPCODES_H\n#define BW_PM4_OPCODES_H\n\nenum bw_pm4_op {\n")
        for op, name, _, _, _ in rows:
            f.write(f"\tBW_PM4_{name} = 0x{op:02x},\n")
        f.write("};\n\n#endif\n")
    with open(table, "w") as f:
        f.write(note)
        for op, name, body, senders, number in rows:
            flags = " | ".join({"c": "BW_PM4_BY_COMPUTE", "g": "BW_PM4_BY_GFX", "k": "BW_PM4_BY_KERNEL"}[s]
                               for s in senders.replace("d", ""))
            draws = "true" if "d" in senders else "false"
            f.write(f'{{0x{op:02x}, {body}, {flags}, {draws}, "{name}"}}, /* line {number} */\n')


main()
