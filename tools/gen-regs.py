#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the register files and writes them as compact C tables.

Usage: gen-regs.py -o OUTPUT.c FILE.txt...

A register file, one block in one version:

    # a comment
    block gc 11.0.0
    for 11.0.0-11.0.2 11.0.4-11.0.255      IP versions that use this table, ends included
    prefix reg                             what the kernel puts in front of a name: reg or mm
    GRBM_GFX_INDEX  0x2200/1  INSTANCE_INDEX 7:0  SA_INDEX 15:8
    SQ_WAVE_STATUS  0x0102/ix:sq  SCC 0  SPI_PRIO 2:1
    GRBM_OTHER  0x2201/1  like GRBM_GFX_INDEX

A row is a register: name, offset in dwords / segment (the kernel's BASE_IDX) or ix:SPACE for a
register behind an index/data pair, then its fields, name and bits, or `like` and the name of a
register that has the same fields. A name may be direct and indexed at once, else it is unique in its
file, whatever its case.

Writes tables of indices (struct layouts: src/regs/register_tables.h), the same for the same input. Something
wrong in the input is one line FILE:LINE: WHAT each, and exit status 1.
"""
import re
import sys

import generated

MAX_ERRORS = 20
MAX_SEGMENT = 7
FIRST_SPACE = 0x80  # segment numbers of index spaces, as in src/regs/register_tables.h


class Register:
    def __init__(self, name, offset, segment, fields, where):
        self.name, self.offset, self.segment, self.fields, self.where = name, offset, segment, fields, where


class Table:
    def __init__(self, path):
        self.path = path
        self.block = self.version = self.prefix = None
        self.ranges = []
        self.registers = []


class Reader:
    """Reads one file into a Table; what is wrong goes to `errors`."""

    def __init__(self, path, errors):
        self.table = Table(path)
        self.errors = errors
        self.line = 0
        self.by_name = {}

    def fail(self, text):
        self.errors.append(f"{self.table.path}:{self.line}: {text}")

    def version(self, text):
        parts = text.split(".")
        if len(parts) != 3 or not all(p.isdecimal() and int(p) < 256 for p in parts):
            self.fail(f"'{text}' is not a version: a version is three numbers up to 255")
            return None
        return tuple(int(p) for p in parts)

    def head(self, words):
        t = self.table
        if words[0] == "block":
            if len(words) != 3 or not re.fullmatch(r"[a-z][a-z0-9]*", words[1]):
                return self.fail("a block line is: block NAME VERSION")
            t.block, t.version = words[1], self.version(words[2])
        elif words[0] == "prefix":
            if words[1:] not in (["reg"], ["mm"]):
                return self.fail("a prefix line is: prefix reg, or prefix mm")
            t.prefix = words[1]
        else:
            for word in words[1:]:
                first, _, last = word.partition("-")
                r = (self.version(first), self.version(last or first))
                if None in r:
                    continue
                if r[1] < r[0]:
                    self.fail(f"the range {word} ends before it starts")
                t.ranges.append((r, self.line))

    def place(self, text):
        m = re.fullmatch(r"(0x[0-9a-f]+)/(?:(\d+)|ix:([a-z][a-z0-9_]*))", text)
        if not m:
            self.fail(f"'{text}' is not a place: 0xOFFSET/SEGMENT or 0xOFFSET/ix:SPACE is")
            return None
        offset = int(m.group(1), 16)
        segment = int(m.group(2)) if m.group(2) else m.group(3)
        if offset > 0xFFFFFF:
            self.fail(f"offset {m.group(1)} is larger than a block")
        if isinstance(segment, int) and segment > MAX_SEGMENT:
            self.fail(f"segment {segment} is more than {MAX_SEGMENT}")
        return offset, segment

    def fields(self, reg, words):
        if words and words[0] == "like":
            other = self.by_name.get(words[1].upper()) if len(words) == 2 else None
            if not other:
                self.fail(f"{reg}: like '{' '.join(words[1:])}', which is not a register above this line")
                return ()
            return other[0].fields
        if len(words) % 2:
            self.fail(f"{reg}: '{words[-1]}' stands alone: fields are pairs of name and bits")
            return ()
        out, used = [], {}
        for name, bits in zip(words[::2], words[1::2]):
            m = re.fullmatch(r"(\d+)(?::(\d+))?", bits)
            if not re.fullmatch(r"\w+", name) or not m:
                self.fail(f"{reg}: '{name} {bits}' is not a field: NAME HI:LO or NAME BIT is")
                continue
            hi, lo = int(m.group(1)), int(m.group(2) or m.group(1))
            if hi < lo or hi > 63:
                self.fail(f"{reg}.{name}: bits {bits} make no sense")
                continue
            if name.upper() in {f[0].upper() for f in out}:
                self.fail(f"{reg}.{name} is there twice")
            for bit in range(lo, hi + 1):
                if bit in used:
                    self.fail(f"{reg}.{name} and {reg}.{used[bit]} share bit {bit}")
                    break
            used.update((bit, name) for bit in range(lo, hi + 1))
            out.append((name, hi, lo))
        return tuple(out)

    def register(self, words):
        name = words[0]
        if not re.fullmatch(r"[A-Z]\w*", name):
            return self.fail(f"'{name}' is neither a register nor one of block, for, prefix")
        if len(words) < 2:
            return self.fail(f"{name} has no place")
        place = self.place(words[1])
        fields = self.fields(name, words[2:])
        if not place:
            return
        same = self.by_name.setdefault(name.upper(), [])
        for other in same:
            if isinstance(other.segment, str) == isinstance(place[1], str):
                return self.fail(f"{name} is there twice, first in line {other.where}")
        reg = Register(name, *place, fields, self.line)
        same.append(reg)
        self.table.registers.append(reg)

    def read(self):
        try:
            text = open(self.table.path, encoding="ascii").read()
        except (OSError, UnicodeDecodeError) as e:
            self.fail(f"cannot be read: {e}")
            return self.table
        for self.line, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if words and words[0] in ("block", "for", "prefix"):
                self.head(words)
            elif words:
                self.register(words)
        t = self.table
        for what, value in (("block", t.block and t.version), ("for", t.ranges), ("prefix", t.prefix)):
            if not value:
                self.fail(f"the file ends without a {what} line")
        if t.version and t.ranges and not any(a <= t.version <= b for (a, b), _ in t.ranges):
            self.fail("the table is not for its own version")
        return t


def check_together(tables, errors):
    """What no file shows alone: one IP version, two tables."""
    for i, t in enumerate(tables):
        for u in tables[:i]:
            if t.block != u.block:
                continue
            for (a, b), line in t.ranges:
                for (c, d), _ in u.ranges:
                    if a <= d and c <= b:
                        errors.append(f"{t.path}:{line}: {u.path} is for some of these versions too")


class Pool:
    """Strings one after the other; one that ends another lies inside it."""

    def __init__(self, strings):
        self.at, self.parts, self.size = {}, [], 0
        kept = None
        for s in sorted(set(strings), key=lambda s: s[::-1], reverse=True):
            if kept is not None and kept.endswith(s):
                self.at[s] = self.at[kept] + len(kept) - len(s)
                continue
            kept = s
            self.at[s] = self.size
            self.parts.append(s)
            self.size += len(s) + 1


def array(out, kind, name, rows):
    out.append(f"const {kind} {name}[] = {{")
    line = ""
    for row in rows or ["0"]:
        if len(line) + len(row) > 96:
            out.append("\t" + line.rstrip())
            line = ""
        line += row + ", "
    out += ["\t" + line.rstrip(), "};"]


def packed(version):
    return f"0x{version[0]:02x}{version[1]:02x}{version[2]:02x}"


def write(tables, path):
    tables.sort(key=lambda t: (t.block, t.version))
    spaces = sorted({r.segment for t in tables for r in t.registers if isinstance(r.segment, str)})
    lists = {(): 0}
    for t in tables:
        for r in t.registers:
            lists.setdefault(r.fields, len(lists))
    strings = [t.block for t in tables] + spaces
    strings += [r.name for t in tables for r in t.registers] + [f[0] for l in lists for f in l]
    pool = Pool(strings)
    starts, fields = [], []
    for l in lists:
        starts.append(len(fields))
        fields += [f"{{{pool.at[n]}, {hi}, {lo}}}" for n, hi, lo in l]
    starts.append(len(fields))

    blocks, ranges, rows, names = [], [], [], []
    for t in tables:
        def segment(r):
            return FIRST_SPACE + spaces.index(r.segment) if isinstance(r.segment, str) else r.segment
        # By address; registers that share one stay in the file's order.
        regs = sorted(t.registers, key=lambda r: (segment(r), r.offset))
        # Lower case, as strcasecmp() compares. A name that is direct and indexed: direct first.
        order = sorted(range(len(regs)), key=lambda i: (regs[i].name.lower(), i))
        blocks.append(f"{{{pool.at[t.block]}, {packed(t.version)}, {len(rows)}, {len(regs)}, "
                      f"{len(ranges)}, {len(t.ranges)}, {int(t.prefix == 'reg')}}} "
                      f"/* {t.block} {'.'.join(map(str, t.version))} */")
        ranges += [f"{{{packed(a)}, {packed(b)}}}" for (a, b), _ in t.ranges]
        rows += [f"{{{pool.at[r.name]}, {r.offset:#x}, {lists[r.fields]}, {segment(r)}}}" for r in regs]
        names += [str(i) for i in order]
    for what, n in (("field lists", len(lists)), ("registers in a block", max(len(t.registers) for t in tables))):
        if n > 0xFFFF:
            raise SystemExit(f"{path}: {n} {what}: the table's indices have 16 bits")

    out = ["/* Written by tools/gen-regs.py from data/regs: change it there. */",
           '#include "regs/register_tables.h"', "", "/* clang-format off */"]
    out.append("const char bw_regs_pool[] =")
    out += [f'\t"{s}\\0"' for s in pool.parts]
    out[-1] += ";"
    array(out, "struct bw_regs_field_row", "bw_regs_fields", fields)
    array(out, "uint32_t", "bw_regs_lists", [str(s) for s in starts])
    array(out, "struct bw_regs_row", "bw_regs_rows", rows)
    array(out, "uint16_t", "bw_regs_names", names)
    array(out, "struct bw_regs_range", "bw_regs_ranges", ranges)
    array(out, "uint32_t", "bw_regs_spaces", [str(pool.at[s]) for s in spaces])
    array(out, "struct bw_regs_block", "bw_regs_blocks", blocks)
    out += [f"const uint32_t bw_regs_n_blocks = {len(blocks)};",
            f"const uint32_t bw_regs_n_spaces = {len(spaces)};",
            "const uint32_t bw_regs_tables_b = sizeof(bw_regs_pool) + sizeof(bw_regs_fields) +",
            "\tsizeof(bw_regs_lists) + sizeof(bw_regs_rows) + sizeof(bw_regs_names);"]
    generated.write(path, "\n".join(out) + "\n")


def main():
    if len(sys.argv) < 4 or sys.argv[1] != "-o":
        raise SystemExit(__doc__)
    errors = []
    tables = [Reader(path, errors).read() for path in sys.argv[3:]]
    if not errors:
        check_together(tables, errors)
    if errors:
        for e in errors[:MAX_ERRORS]:
            print(e, file=sys.stderr)
        if len(errors) > MAX_ERRORS:
            print(f"... and {len(errors) - MAX_ERRORS} more", file=sys.stderr)
        raise SystemExit(1)
    write(tables, sys.argv[2])


if __name__ == "__main__":
    main()
