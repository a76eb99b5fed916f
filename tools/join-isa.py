#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins the encodings with what executes them, by name; the build stops where one is missing.

Usage: join-isa.py [-o JOIN_H] [--gen GENERATION]... FILE...

Each FILE is data/isa/instructions.enc (lines that begin with "insn NAME", apart from those of other generations
alone than the GENERATIONs that are executed) or one of the executor's tables (src/vgpu/device/exec/sem/*.def: rows
FORM(..., NAME, ...)). Every encoding must have exactly one row of semantics, or one ABSENT(NAME, "reason"); every
row must have an encoding. EXCP, APPROX and APPROX_ON rows are remarks on opcodes that are executed, and need both.

JOIN_H    how many there are of each, and of encodings in each generation, for the compiler to compare with its
          own tables

What is wrong is told as "file:line: message", exit status 1. The output depends on the input alone.
"""
import argparse
import re
import sys

import generated
from isa_enc import Column

# Forms whose rows are for other names than the one in them.
NAMES = {
    "CMP2": ["v_cmp_{}", "v_cmpx_{}"],
    "SAVEEXEC": ["{}_b32", "{}_b64"],
    "WREXEC": ["{}_b32", "{}_b64"],
}
REMARKS = {"EXCP", "APPROX", "APPROX_ON"}


class Bad(Exception):
    pass


def bad(where, message):
    raise Bad(f"{where[0]}:{where[1]}: {message}")


def without_comments(text):
    """Comments of C become blanks, lines stay where they are."""
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


class Tables:
    def __init__(self, gens):
        self.gens = gens
        self.encodings, self.rows, self.absent, self.remarks = {}, {}, {}, {}
        self.of_gen = {g: set() for g in gens}
        self.columns = {}

    def read(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            where = (path, number)
            insn = re.match(r"insn\s+([a-z][a-z0-9_]*)\s", line)
            row = re.match(r"([A-Z][A-Z0-9_]*)\((.*)", line)
            words = line.split("#")[0].split()
            if words[:1] == ["column"]:
                self.columns[words[1]] = Column(words[3])
            elif words[:1] == ["without"]:
                self.columns[words[1]].without.update(dict.fromkeys(words[2:], number))
            elif insn:
                gens = set(re.findall(r"\s(gfx\d+)=", line))
                gens |= {g for g, c in self.columns.items() if c.of in gens and not c.lacks(insn[1])}
                self.add_encoding(where, insn[1], gens)
            elif row:
                self.add_row(where, row[1], row[2])

    def add_encoding(self, where, name, gens):
        executed = gens & set(self.gens)
        for g in executed:
            self.of_gen[g].add(name)
        if executed or not gens:
            self.encodings.setdefault(name, where)

    def add_row(self, where, form, rest):
        name = re.search(r"(?:^|[\s,])([a-z][a-z0-9_]*)", rest)
        if not name:
            bad(where, f"{form} names no instruction")
        if form in REMARKS:
            table = self.remarks.setdefault(form, {})
            if name[1] in table:
                bad(where, f"{name[1]} has such a row already, {table[name[1]][0]}:{table[name[1]][1]}")
            table[name[1]] = where
            return
        for pattern in NAMES.get(form, ["{}"]):
            full = pattern.format(name[1])
            for table in (self.rows, self.absent):
                if full in table:
                    bad(where, f"{full} has a row already, {table[full][0]}:{table[full][1]}")
            if form != "ABSENT":
                self.rows[full] = where
                continue
            reason = re.search(r'"([^"]*)"', rest)
            if not reason or len(reason[1].strip()) < 4:
                bad(where, f"{full} is absent without a reason")
            self.absent[full] = where

    def check(self):
        for table in (self.rows, self.absent, *self.remarks.values()):
            for name, where in table.items():
                if name not in self.encodings:
                    bad(where, f"{name} has no encoding")
        for form, table in self.remarks.items():
            for name, where in table.items():
                if name not in self.rows:
                    bad(where, f"{form} of {name}, which is not executed")
        for name, where in self.encodings.items():
            if name not in self.rows and name not in self.absent:
                bad(where, f"{name} has neither semantics (a row in exec/sem/*.def) nor a reason to be absent "
                    "(sem/absent.def)")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("-o", dest="out")
    args.add_argument("--gen", action="append", default=[], help="a generation that is executed")
    args.add_argument("files", nargs="+")
    args = args.parse_args()
    t = Tables(args.gen)
    try:
        for path in args.files:
            t.read(path)
        t.check()
    except Bad as why:
        print(why, file=sys.stderr)
        sys.exit(1)
    if args.out:
        of_gen = "".join(f"BW_JOIN_OPCODES_{g.upper()} = {len(names)}, " for g, names in t.of_gen.items())
        generated.write(args.out, "/* SPDX-License-Identifier: MIT */\n"
                        "/* Made by tools/join-isa.py from data/isa/instructions.enc and exec/sem. */\n"
                        f"enum {{ {of_gen}BW_JOIN_EXECUTED = {len(t.rows)}, BW_JOIN_ABSENT = {len(t.absent)} }};\n")


if __name__ == "__main__":
    main()
