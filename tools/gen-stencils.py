#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the object file of stencils.c into tables for compile/stencil.c.

    gen-stencils.py OUTPUT.inc [INPUT.o] [--call NAME]... [--without ROW]...

Each function is a stencil: its code, and its relocations as holes. Its name says what it is: row_NAME_FORM_full and
_masked of a lane-wise row, scalar_NAME_FORM of a scalar one, memory_NAME_FORM_LANES_full and _masked of a memory
instruction, part_NAME of what holds a block together.
A function that refers to UNSUPPORTED, or to one of the names of --call, is left out, and so are the rows of --without:
their instructions are interpreted. Without an input there are no stencils.
Any other relocation that is not known ends the build.
"""
import argparse
import collections
import struct

import generated

HOLES = "D DH A AH B BH C CH M N EXEC LANE0 T F COUNT KEEP FLIP".split()
PLACES = "CONT SKIP MASKED KONST ORIGINAL".split()
FORMS = [f0 + f1 + f2 for f2 in "VXP" for f1 in "VXP" for f0 in "VSKXP"]
SCALAR_FORMS = ["rr", "cr", "rc", "cc"]
MEMORY_FORMS = [f"{form}_{lanes}_{which}" for form in "VS" for lanes in (32, 64) for which in ("full", "masked")]

R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_32, R_X86_64_32S = 2, 4, 10, 11
SHT_SYMTAB, SHT_RELA, SHT_NOBITS = 2, 4, 8
SHF_ALLOC, SHF_EXECINSTR, SHF_MERGE, SHF_STRINGS = 2, 4, 0x10, 0x20

Section = collections.namedtuple("Section", "name type flags offset size link info align entry")
Symbol = collections.namedtuple("Symbol", "name section value")


class Left(Exception):
    """A stencil that is left out."""


class Object:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        at, = struct.unpack_from("<Q", self.bytes, 0x28)
        size, n, names = struct.unpack_from("<HHH", self.bytes, 0x3a)
        raw = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, at + i * size) for i in range(n)]
        self.sections = [Section(self.text(raw[names][4] + r[0]), r[1], r[2], *r[4:10]) for r in raw]
        self.tables = {id(self.sections[s.info]): s for s in self.sections if s.type == SHT_RELA}
        table = next(s for s in self.sections if s.type == SHT_SYMTAB)
        strings = self.sections[table.link].offset
        self.symbols = []
        for i in range(table.size // 24):
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.bytes, table.offset + 24 * i)
            self.symbols.append(Symbol(self.text(strings + name), section, value))

    def text(self, at):
        return self.bytes[at:self.bytes.index(b"\0", at)].decode()

    def content(self, section):
        return bytes(section.size) if section.type == SHT_NOBITS else self.bytes[section.offset:section.offset + section.size]

    def relocations(self, section):
        """(offset, type, symbol, addend)"""
        table = self.tables.get(id(section))
        for i in range(table.size // 24 if table else 0):
            offset, info, addend = struct.unpack_from("<QQq", self.bytes, table.offset + 24 * i)
            yield offset, info & 0xffffffff, self.symbols[info >> 32], addend


class Constants:
    """All constants in one piece. Those of sections that may be merged are there once."""

    def __init__(self, obj):
        self.obj, self.data, self.seen = obj, bytearray(), {}

    def place(self, symbol):
        """Where it lies; None: it is code, or has addresses in it."""
        section = self.obj.sections[symbol.section]
        if not section.flags & SHF_ALLOC or section.flags & SHF_EXECINSTR or list(self.obj.relocations(section)):
            return None
        merges = symbol.name and section.flags & SHF_MERGE and not section.flags & SHF_STRINGS
        size = section.entry if merges else section.size
        first = symbol.value - symbol.value % size
        value = self.obj.content(section)[first:first + size]
        key = value if merges else symbol.section
        if key not in self.seen:
            self.data += bytes(-len(self.data) % max(section.align, 1))
            self.seen[key] = len(self.data)
            self.data += value
        return self.seen[key] + symbol.value - first


def stencil(obj, section, constants, calls):
    """(code, holes): a hole is (offset, what, whether it is relative to itself, addend)."""
    code, holes = bytearray(obj.content(section)), []
    for offset, kind, symbol, addend in obj.relocations(section):
        if kind not in (R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_32, R_X86_64_32S):
            raise SystemExit(f"{section.name}: relocation of type {kind}")
        relative = kind in (R_X86_64_PC32, R_X86_64_PLT32)
        target = symbol.name or obj.sections[symbol.section].name
        if symbol.section:
            place = constants.place(symbol)
            if place is None or not relative:
                raise Left(target)  # a function, or an address of 32 bits: code lies anywhere
            holes.append((offset, "DATA", relative, addend + place))
        elif target in PLACES and relative:
            holes.append((offset, target, relative, addend))
        elif target.removeprefix("O_") in HOLES and target.startswith("O_") and not relative:
            holes.append((offset, target.removeprefix("O_"), relative, addend))
        elif target == "UNSUPPORTED" or target in calls:
            raise Left(target)
        else:
            raise SystemExit(f"{section.name}: a relocation for {target}, which is not known")
    last = (len(code) - 4, "CONT", True, -4)
    if last in holes and code[-5] == 0xe9:  # a jump to what follows
        holes.remove(last)
        del code[-5:]
    return bytes(code), holes


def c_string(data):
    """A C string of bytes, in lines."""
    lines = []
    for at in range(0, len(data), 48):
        lines.append('\t"' + "".join(f"\\{b:03o}" for b in data[at:at + 48]) + '"')
    return "\n".join(lines) or '\t""'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("input", nargs="?")
    parser.add_argument("--call", action="append", default=[])
    parser.add_argument("--without", action="append", default=[])
    args = parser.parse_args()
    obj = Object(args.input) if args.input else None
    constants = Constants(obj)
    code, holes, stencils = bytearray(), [], []
    rows, scalars, memory, parts = *(collections.defaultdict(dict) for _ in range(3)), {}
    for section in obj.sections if obj else []:
        if not section.name.startswith(".text.") or not section.size:
            continue
        name = section.name.removeprefix(".text.")
        try:
            its_code, its_holes = stencil(obj, section, constants, args.call)
        except Left as left:
            if name.startswith("memory_"):  # none is written that is not wanted
                raise SystemExit(f"{name}: refers to {left}")
            continue
        kind, _, rest = name.partition("_")
        if kind == "row":
            row, form, lanes = rest.rsplit("_", 2)
            if row in args.without:
                continue
            rows[row][2 * FORMS.index(form) + (lanes == "masked")] = len(stencils)
        elif kind == "scalar":
            row, form = rest.rsplit("_", 1)
            scalars[row][SCALAR_FORMS.index(form)] = len(stencils)
        elif kind == "memory":
            row, *form = rest.rsplit("_", 3)
            memory[row][MEMORY_FORMS.index("_".join(form))] = len(stencils)
        elif kind == "part":
            parts[rest] = len(stencils)
        else:
            continue  # a function that stencils call
        stencils.append((len(code), len(its_code), len(holes), len(its_holes)))
        code += its_code
        holes += its_holes

    def table(of, n):
        """0: there is none."""
        for name in sorted(of):
            yield f'\t{{"{name}", {{{", ".join(str(of[name].get(i, -1) + 1) for i in range(n))}}}}},'

    generated.write(args.output, "\n".join([
        "/* made by gen-stencils.py */",
        "static const char code[] =", c_string(code) + ";",
        "static const char data[] =", c_string(constants.data) + ";",
        f"enum {{ DATA_B = {len(constants.data)} }};",
        "static const struct bw_hole holes[] = {",
        *(f"\t{{{at}, BW_HOLE_{what}, {int(relative)}, {addend}}}," for at, what, relative, addend in holes), "};",
        "static const struct piece pieces[] = {", "\t{0},",
        *(f"\t{{{', '.join(map(str, s))}}}," for s in stencils), "};",
        "static const struct row_pieces row_pieces[] = {", *table(rows, 2 * len(FORMS)), "};",
        "static const struct scalar_pieces scalar_pieces[] = {", *table(scalars, len(SCALAR_FORMS)), "};",
        "static const struct memory_pieces memory_pieces[] = {", *table(memory, len(MEMORY_FORMS)), "};",
        "static const uint16_t part_pieces[] = {",
        *([f"\t[BW_PART_{name.upper()}] = {index + 1}," for name, index in parts.items()] or ["\t0,"]), "};", ""]))


if __name__ == "__main__":
    main()
