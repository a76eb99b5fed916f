#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what code needs to refer to registers by name, from the register files.

Usage: gen-reg-names.py -o OUTPUT LIST
       gen-reg-names.py -o GEN_bits.h|GEN_flags.h|GEN_places.h LIST FILE.txt...

LIST says which registers of which files in data/regs (its own head says how it is written). What is
written depends on the end of OUTPUT's name. For the virtual GPU, which is made for one generation, and
for what builds packets:

    fields.h   BW_<REGISTER>__<FIELD>__SHIFT and __MASK (in place) of each field, __OFFSET and
               __SEGMENT of each register, or __INDEX of one behind an index/data pair;
               regs/field.h has what to use them with
    numbers.h  enum bw_register, one number for each register that is not behind an index/data pair
    .c         the block and name of each number, to find its address in a given GPU, its fields, to be
               compared with those of another version, and what LIST says of writing and of its reset value
               (vgpu/device/register_map.h)

For the debugger, whose generations have a header each, which C and the assembler read (src/arch):

    bits.h     of the registers of the SQ_IND index space "sq", and of those in LIST (names alone). FILE.txt
               are the register files of one generation, the most complete one first; a field that several
               have must have the same bits in all of them. The numbers have no suffix:

                   #define BW_GFX11_STATUS 0x102            index in SQ_IND, without SQ_WAVE_
                   #define BW_GFX11_STATUS__HALT 0x2000     mask of a field
                   #define BW_GFX11_STATUS__HALT_LO 13      its lowest bit
                   #define BW_GFX11_STATUS__HALT_WIDTH 1

    flags.h    how the fields of a wave's registers are shown, as LIST (data/regs/flags.list) says: the array
               `flags` of struct bw_arch_flag
    places.h   where these registers and their fields are, as LIST (data/regs/rows.list) says: the initializers
               BW_ARCH_REGS and BW_ARCH_FIELDS of struct bw_arch

The same input gives the same output, and an output that stays the same is not written again. Something wrong
in the input is one line FILE:LINE: WHAT each, and exit status 1.
"""
import importlib.util
import pathlib
import re
import sys

import generated

MAX_ERRORS = 20
TABLES = pathlib.Path(__file__).parents[1] / "data/regs"


def register_reader():
    """The class that reads a register file, from gen-regs.py beside this file."""
    path = pathlib.Path(__file__).with_name("gen-regs.py")
    spec = importlib.util.spec_from_file_location("gen_regs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Reader


class NoTable:
    """A block without a register file."""

    def __init__(self, block):
        self.block, self.version, self.path = block, None, None


class Unplaced:
    """A register of one."""

    def __init__(self, name):
        self.name, self.offset, self.segment, self.fields = name, None, None, ()


class Used:
    """A register that the list names."""

    def __init__(self, block, register, first, read_only, reset):
        self.block, self.register, self.first = block, register, first  # first: of its row in the list
        self.read_only, self.reset = read_only, reset

    @property
    def indexed(self):
        return isinstance(self.register.segment, str)


def expand(pattern):
    """A{0-2}_B: A0_B, A1_B, A2_B; A_{X,Y}: A_X, A_Y. Of several, the first varies fastest. None: badly written."""
    m = re.fullmatch(r"([^{}]*)\{([^{}]*)\}(.*)", pattern)
    if not m:
        return [pattern] if re.fullmatch(r"[A-Z]\w*", pattern) else None
    head, middle, tail = m.groups()
    tails = expand("A" + tail)
    r = re.fullmatch(r"(\d+)-(\d+)", middle)
    if r:
        words = [str(n) for n in range(int(r.group(1)), int(r.group(2)) + 1)]
    else:
        words = middle.split(",")
    if not tails or not re.fullmatch(r"\w*", head) or len(words) < 2 or not all(re.fullmatch(r"\w+", w) for w in words):
        return None
    return [head + w + t[1:] for t in tails for w in words]


def reset_of(text, fields):
    """The number that VALUE of reset=VALUE is; None: badly written, or fields that the register does not have."""
    if re.fullmatch(r"0x[0-9a-f]{1,8}", text):
        return int(text, 16)
    places, value = {name: (hi, lo) for name, hi, lo in fields}, 0
    for part in text.split(","):
        name, _, number = part.partition(":")
        if name not in places or not number.isdigit() or int(number) << places[name][1] & ~field_mask(*places[name]):
            return None
        value |= int(number) << places[name][1]
    return value


def read_list(path, tables, errors):
    """The registers of a list; the register files that it names go to `tables`."""
    reader = register_reader()
    used, seen, block, line = [], {}, None, 0

    def fail(text):
        errors.append(f"{path}:{line}: {text}")

    try:
        text = open(path, encoding="ascii").read()
    except (OSError, UnicodeDecodeError) as e:
        fail(f"cannot be read: {e}")
        return used
    for line, row in enumerate(text.splitlines(), 1):
        words = row.partition("#")[0].split()
        if not words:
            continue
        if words[0] == "block":
            block = None
            if len(words) != 3:
                fail("a block line is: block NAME VERSION, or block NAME none")
            elif words[1] in {t.block for t in tables} | {u.block.block for u in used}:
                fail(f"block {words[1]} is there twice")
            elif words[2] == "none":
                block = NoTable(words[1])
            elif not (TABLES / f"{words[1]}-{words[2]}.txt").exists():
                fail(f"data/regs has no table of {words[1]} {words[2]}")
            else:
                block = reader(TABLES / f"{words[1]}-{words[2]}.txt", errors).read()
                tables.append(block)
            continue
        reset_words = [w for w in words[1:] if w.startswith("reset=")]
        known = len(words) == 1 + len(reset_words) + ("read-only" in words[1:]) and len(reset_words) < 2
        names = expand(words[0]) if known else None
        if not names:
            fail(f"'{' '.join(words)}' is neither a register nor a row of them")
            continue
        if not block:
            if not tables and not used and not errors:
                fail(f"{names[0]} stands in front of the first block line")
            continue
        by_name = {} if block.path else {name: Unplaced(name) for name in names}
        for r in block.registers if block.path else []:  # direct ones first, as the register database finds them
            if r.name not in by_name or isinstance(by_name[r.name].segment, str):
                by_name[r.name] = r
        for name in names:
            if name not in by_name:
                fail(f"{block.block} {'.'.join(map(str, block.version))} has no register {name}")
            elif name in seen:
                fail(f"{name} is there twice, first in line {seen[name]}")
            else:
                seen[name] = line
                if "-" in words[0] and not set(by_name[name].fields) <= set(by_name[names[0]].fields):
                    fail(f"{name} has other fields than {names[0]}")
                reset = reset_of(reset_words[0][6:], by_name[names[0]].fields) if reset_words else 0
                if reset is None:
                    fail(f"{reset_words[0]} is neither a number nor fields of {name}")
                used.append(Used(block, by_name[name], name == names[0], "read-only" in words, reset))
    places = {}
    for u in used:
        if not u.block.path:
            continue
        place = (u.block.block, u.register.segment, u.register.offset)
        other = places.setdefault(place, u)
        if other is not u:
            errors.append(f"{path}:{seen[u.register.name]}: {u.register.name} and {other.register.name} "
                          "are one register")
    return used


def head(*paths):
    names = ", ".join(pathlib.Path(p).name for p in paths)
    return [f"/* Written by tools/gen-reg-names.py from data/regs ({names}): change it there. */"]


def field_mask(hi, lo):
    return ((1 << (hi - lo + 1)) - 1) << lo


def versions(tables):
    return ", ".join(f"{t.block} {'.'.join(map(str, t.version))}" for t in tables)


def write_fields(used, tables):
    out = ["#ifndef BW_REGS_GFX11_FIELDS_H", "#define BW_REGS_GFX11_FIELDS_H", "",
           f"/* Registers of {versions(tables)}: regs/field.h says how to use this. */"]
    for u in used:
        r, name = u.register, f"BW_{u.register.name}"
        if not u.block.path:
            continue
        out.append("")
        if u.indexed:
            out.append(f"#define {name}__INDEX {r.offset:#x}")
        else:
            out += [f"#define {name}__OFFSET {r.offset:#x}", f"#define {name}__SEGMENT {r.segment}"]
        if not u.first:
            continue
        for field, hi, lo in r.fields:
            suffix = "ull" if hi > 31 else "u"
            out += [f"#define {name}__{field}__SHIFT {lo}",
                    f"#define {name}__{field}__MASK {field_mask(hi, lo):#x}{suffix}"]
    return out + ["", "#endif"]


def direct(used):
    return [u for u in used if not u.indexed]


def write_numbers(used, tables):
    out = ["#ifndef BW_VGPU_DEVICE_REGISTER_NUMBERS_H", "#define BW_VGPU_DEVICE_REGISTERS_H", "",
           "/* Registers by number: register_map.h says how to use this. */",
           "", "enum bw_register {", "\tBW_REG_NONE,"]
    out += [f"\tBW_REG_{u.register.name}," for u in direct(used)]
    return out + ["\tBW_N_REGISTERS", "};", "", "#endif"]


def write_names(used, tables):
    blocks = [t.block for t in tables]  # the number behind them: no table
    out = ['#include "vgpu/device/register_map.h"', "",
           "const struct bw_register_block bw_register_blocks[] = {"]
    out += [f'\t{{"{t.block}", 0x{t.version[0]:02x}{t.version[1]:02x}{t.version[2]:02x}}},' for t in tables]
    out += ["};", f"const unsigned bw_n_register_blocks = {len(tables)};", "",
            "const struct bw_register_name bw_register_names[BW_N_REGISTERS] = {"]
    fields = []
    for u in direct(used):
        first = len(fields)
        fields += [f'\t{{"{f}", {hi}, {lo}}},' for f, hi, lo in u.register.fields] if u.first else []
        out.append(f'\t[BW_REG_{u.register.name}] = {{"{u.register.name}", '
                   f"{blocks.index(u.block.block) if u.block.path else len(blocks)}, {first}, {len(fields) - first}, {str(u.read_only).lower()}, {u.reset or 0:#x}}},")
    out += ["};", "", "const struct bw_register_field bw_register_fields[] = {"]
    return out + fields + ["};"]


def read_generation(wanted, paths, errors):
    """{register: (index or None, {field: (hi, lo)})} of the files of one generation, in their order: of the index
    space "sq", and the registers that are wanted by name."""
    found = {}
    for path in paths:
        for r in register_reader()(path, errors).read().registers:
            indexed = r.segment == "sq"
            if not indexed and (r.name not in wanted or isinstance(r.segment, str)):
                continue
            index, fields = found.setdefault(r.name, (r.offset if indexed else None, {}))
            if indexed and index != r.offset:
                errors.append(f"{path}: {r.name} has index {r.offset:#x}, and {index:#x} in a file before")
            for name, hi, lo in r.fields:
                if fields.setdefault(name, (hi, lo)) != (hi, lo):
                    errors.append(f"{path}: {r.name}.{name} is {hi}:{lo}, and other bits in a file before")
    return found


def write_bits(found, generation):
    out = []
    for name, (index, fields) in found.items():
        macro = f"BW_{generation}_{name.removeprefix('SQ_WAVE_')}"
        out.append("")
        if index is not None:
            out.append(f"#define {macro} {index:#x}")
        for field, (hi, lo) in fields.items():
            out += [f"#define {macro}__{field} {field_mask(hi, lo):#x}",
                    f"#define {macro}__{field}_LO {lo}", f"#define {macro}__{field}_WIDTH {hi - lo + 1}"]
    return out


def read_flags(path, found, errors):
    """{register: {field: names}} of a list of flags; found: of the generation, which need not have all of them."""
    shown = {}
    for line, row in enumerate(pathlib.Path(path).read_text(encoding="ascii").splitlines(), 1):
        place, *names = row.partition("#")[0].split() or [""]
        register, _, field = place.partition(".")
        if place and not field:
            shown[register] = {}
        elif place and register not in shown:
            errors.append(f"{path}:{line}: {register} itself has no line before")
        elif place:
            shown[register][field] = [] if names == ["-"] else names
            bits = found.get(f"SQ_WAVE_{register}", (0, {}))[1].get(field)
            width = bits[0] - bits[1] + 1 if bits else len(names)
            if len(names) not in (1, width):
                errors.append(f"{path}:{line}: {place} has a width of {width}, and {len(names)} names")
            elif not names:
                errors.append(f"{path}:{line}: {place} has no name")
    return shown


def write_flags(found, shown):
    out = ["static const struct bw_arch_flag flags[] = {"]
    for register, exceptions in shown.items():
        fields = found.get(f"SQ_WAVE_{register}", (0, {}))[1]
        for field, (hi, lo) in sorted(fields.items(), key=lambda f: f[1][1]):
            names = exceptions.get(field, [field])
            for i, name in enumerate(names):
                width = 1 if len(names) > 1 else hi - lo + 1
                out.append(f'\t{{BW_WREG_{register}, {{{lo + i}, {width}}}, "{name}"}},')
    return out + ["};"]


def read_rows(path, found, errors):
    """({register: (word, index)}, {meaning: [(register, lowest bit, width)]}) of a list of places. The generation does
    not have those whose index is None or that have no pieces."""
    registers, fields = {}, {}
    have = {name.removeprefix("SQ_WAVE_"): r for name, r in found.items()}

    def pieces(place):
        """Of REGISTER.FIELD[HI:LO]+...; None: the generation does not have it."""
        out = []
        for text in place.split("+"):
            m = re.fullmatch(r"(\w+)\.(\w+)(?:\[(\d+):(\d+)\])?", text)
            if not m or m[1] not in registers:
                errors.append(f"{path}:{line}: {text} is not a place in a register with a line before")
                return None
            hi, lo = have.get(m[1], (0, {}))[1].get(m[2], (None, None))
            if hi is None:
                return None
            if m[3] and not int(m[4]) <= int(m[3]) <= hi - lo:
                errors.append(f"{path}:{line}: {text} is not in {m[2]}, which has {hi - lo + 1} bits")
                return None
            out.append((m[1], lo + int(m[4]), int(m[3]) - int(m[4]) + 1) if m[3] else (m[1], lo, hi - lo + 1))
        return out

    for line, row in enumerate(pathlib.Path(path).read_text(encoding="ascii").splitlines(), 1):
        words = row.partition("#")[0].split()
        if not words:
            continue
        kind, names = words[0], expand(words[1]) if len(words) > 2 else None
        if kind == "register" and names and (len(words) == 3 or words[3].startswith("=")):
            for name in names:
                index = have.get(name, found.get("".join(words[3:])[1:], (None,)))[0]
                registers[name] = (words[2], index)
        elif kind == "field" and names:
            places = [p for p in map(pieces, words[2:]) if p]
            fields[names[0]] = places[0] if places else []
        else:
            errors.append(f"{path}:{line}: neither a register nor a field")
    return registers, fields


def write_places(found, rows):
    registers, fields = rows
    out = ["", "#define BW_ARCH_REGS \\"]
    for name, (word, index) in registers.items():
        named = "" if word == "-" else f', .name = "{word}"'
        if index is not None:
            out.append(f"\t[BW_WREG_{name}] = {{.ind = {index:#x}{named}}}, \\")
    out += ["", "#define BW_ARCH_FIELDS \\"]
    for meaning, pieces in fields.items():
        if pieces:
            (_, lo, width), (_, more_lo, more) = (pieces + [(None, 0, 0)])[:2]
            out.append(f"\t[BW_WF_{meaning}] = {{BW_WREG_{pieces[0][0]}, {{{lo}, {width}}}, {{{more_lo}, {more}}}}}, \\")
    return out + [""]


def main():
    writers = {"fields.h": write_fields, "numbers.h": write_numbers, ".c": write_names,
               "_bits.h": write_bits, "_flags.h": write_flags, "_places.h": write_places}
    output = sys.argv[2] if len(sys.argv) > 3 else ""
    write = [w for end, w in writers.items() if output.endswith(end)]
    of_generation = write and write[0] in (write_bits, write_flags, write_places)
    if sys.argv[1:2] != ["-o"] or not write or of_generation != (len(sys.argv) > 4):
        raise SystemExit(__doc__)
    errors, tables = [], []
    if write[0] is write_bits:
        wanted = pathlib.Path(sys.argv[3]).read_text(encoding="ascii").splitlines()
        wanted = [name for name in (row.partition("#")[0].strip() for row in wanted) if name]
        used = read_generation(wanted, sys.argv[4:], errors)
        errors += [f"{sys.argv[3]}: {sys.argv[4]} has no {name}" for name in wanted if name not in used]
        tables = pathlib.Path(output).name.removesuffix("_bits.h").upper()
    elif write[0] is write_flags:
        used = read_generation((), sys.argv[4:], errors)
        tables = read_flags(sys.argv[3], used, errors)
    elif write[0] is write_places:
        used = read_generation((), sys.argv[4:], errors)
        tables = read_rows(sys.argv[3], used, errors)
    else:
        used = read_list(sys.argv[3], tables, errors)
    if errors:
        for e in errors[:MAX_ERRORS]:
            print(e, file=sys.stderr)
        if len(errors) > MAX_ERRORS:
            print(f"... and {len(errors) - MAX_ERRORS} more", file=sys.stderr)
        raise SystemExit(1)
    generated.write(output, "\n".join(head(*sys.argv[3:]) + write[0](used, tables)) + "\n")


if __name__ == "__main__":
    main()
