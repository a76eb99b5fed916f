#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks data/isa/gfx11.enc and makes the decoder's tables from it.

Usage: gen-isa.py [--ops OPS_H] [--fields FIELDS_H] [-o TABLES_C] ENC

OPS_H     enum bw_op, sorted by name
FIELDS_H  one inline function for each field of each format
TABLES_C  which format a first dword has, opcode -> row for each format, the rows, the info table

What is wrong with ENC is told as "file:line: message", exit status 1. The output depends on ENC
alone.
"""
import argparse
import re
import sys

CLASSES = ["MAP", "CMP", "SCALAR", "MEM", "WAVE", "CTRL"]
# Formats of the file -> enum bw_fmt; the order is that of "the shortest format" in the info table.
FORMATS = {name: name for name in [
    "SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD",
    "VOP3P", "VINTERP", "LDSDIR", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG", "EXP"]}
FORMATS.update(VOPD_X="VOPD", VOPD_Y="VOPD")
VALU = ["VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P", "VOPD_X", "VOPD_Y", "VINTERP"]
COMPACT = ["VOP1", "VOP2", "VOPC"]
SCALAR_SRC = {"SOP1", "SOP2", "SOPC"}
IMPLIED = {"vcc": 106, "exec": 126}
# Registers that an instruction may read or write without naming them: enum bw_implicit.
IMPLICIT = ["SCC", "VCC", "EXEC", "M0", "FLAT_SCR", "MODE", "STATUS", "PC", "TTMP0", "TTMP1", "HWREG"]
MODS = "DVCONS"


class Bad(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


class Format:
    def __init__(self, name, size, line):
        self.name, self.size, self.line = name, size, line
        self.space = name
        self.mask = self.value = 0
        self.fields = {}


class Insn:
    pass


def bit_range(text, line):
    m = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if not m:
        raise Bad(line, f"bit range expected, not '{text}'")
    hi = int(m[1])
    lo = int(m[2]) if m[2] else hi
    if lo > hi or hi > 95:
        raise Bad(line, f"bit range {text} is upside down or too high")
    return hi, lo


def fixed_bits(key, text, line):
    """'22:20' and '101' or '0' -> mask, value"""
    hi, lo = bit_range(key, line)
    width = hi - lo + 1
    if not re.fullmatch(r"[01]+", text) or (text != "0" and len(text) != width):
        raise Bad(line, f"bits {key} are {width} wide, '{text}' is not")
    return ((1 << width) - 1) << lo, int(text, 2) << lo


def parse_type(text, types, line):
    """-> base type, set of marks: dst, ?, and what is in parentheses"""
    m = re.fullmatch(r"(dst:)?([A-Za-z0-9_/-]+)(?:\(([a-z0-9_:*]+)\))?(\?)?", text)
    if not m:
        raise Bad(line, f"operand type '{text}' does not parse")
    base = m[2]
    marks = {mark for mark in (m[1] and "dst", m[3], m[4]) if mark}
    for part in base.split("/"):
        if part not in types:
            raise Bad(line, f"type {part} is not declared")
    return base.split("/")[0], marks


class Encodings:
    def __init__(self, text):
        self.types, self.formats, self.insns = {}, {}, []
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "type":
                self.add_types(words, number)
            elif words[0] == "format":
                self.add_format(words, number)
            elif words[0] == "insn":
                self.add_insn(words, number)
            else:
                raise Bad(number, f"a line begins with type, format or insn, not '{words[0]}'")
        self.check_formats()
        self.check_insns()

    def add_types(self, words, line):
        if len(words) < 3 or not words[1].isdigit():
            raise Bad(line, "type BITS NAME... expected")
        for name in words[2:]:
            if name in self.types:
                raise Bad(line, f"type {name} is declared twice")
            self.types[name] = int(words[1])

    def add_format(self, words, line):
        if len(words) < 4 or words[2] not in ("4", "8"):
            raise Bad(line, "format NAME BYTES FIXED... FIELD... expected, BYTES 4 or 8")
        f = Format(words[1], int(words[2]), line)
        if f.name not in FORMATS:
            raise Bad(line, f"format {f.name} is unknown to the decoder")
        if f.name in self.formats:
            raise Bad(line, f"format {f.name} is declared twice")
        used = 0
        for word in words[3:]:
            key, eq, val = word.partition("=")
            if not eq:
                raise Bad(line, f"'{word}' is no KEY=VALUE")
            if key == "space":
                if val not in self.formats:
                    raise Bad(line, f"format {val} is not declared")
                other = self.formats[val]
                f.space, f.mask, f.value = val, other.mask, other.value
                used |= other.mask
                continue
            if key[0].isdigit():
                mask, value = fixed_bits(key, val, line)
                f.mask |= mask
                f.value |= value
            else:
                hi, lo = bit_range(val, line)
                if key in f.fields:
                    raise Bad(line, f"field {key} is declared twice")
                if hi // 32 != lo // 32:
                    raise Bad(line, f"field {key} crosses a dword")
                f.fields[key] = (hi, lo)
                mask = ((1 << (hi - lo + 1)) - 1) << lo
            if used & mask:
                raise Bad(line, f"'{word}' overlaps what stands before it")
            if mask >> (f.size * 8):
                raise Bad(line, f"'{word}' lies outside {f.size} bytes")
            used |= mask
        if "op" not in f.fields and f.name != "EXP":
            raise Bad(line, f"format {f.name} has no field op")
        self.formats[f.name] = f

    def add_insn(self, words, line):
        if len(words) < 7:
            raise Bad(line, "insn NAME FORMAT gfx11=OPCODE CLASS dst=TYPES src=TYPES expected")
        i = Insn()
        i.line, i.name = line, words[1]
        if not re.fullmatch(r"[a-z][a-z0-9_]*", i.name):
            raise Bad(line, f"'{i.name}' is no instruction name")
        if words[2] not in self.formats:
            raise Bad(line, f"format {words[2]} is not declared")
        i.format = self.formats[words[2]]
        if not re.fullmatch(r"gfx11=(0x[0-9a-f]+|\d+)", words[3]):
            raise Bad(line, f"gfx11=OPCODE expected, not '{words[3]}'")
        i.opcode = int(words[3][6:], 0)
        if words[4] not in CLASSES:
            raise Bad(line, f"class {words[4]} is unknown")
        i.cls = words[4]
        i.mem = i.mods = i.same = ""
        i.reads, i.writes = [], []
        i.regs, i.unverified = {}, False
        i.mask, i.value = i.format.mask >> 32 << 32, i.format.value >> 32 << 32
        i.unused = 0  # the part of mask that the hardware does not look at
        i.dst = i.src = None
        for word in words[5:]:
            self.insn_word(i, word, line)
        if i.dst is None or i.src is None:
            raise Bad(line, "dst= and src= must be there")
        i.dst_types = [parse_type(t, self.types, line) for t in i.dst.split("|") if t]
        i.src_types = [parse_type(t, self.types, line) for t in i.src.split("|") if t]
        if i.mem:
            parse_type(i.mem, self.types, line)
        for key, operands in (("reads", i.src_types), ("writes", i.dst_types)):
            for base, marks in operands:
                for mark in sorted(marks & set(IMPLIED)):
                    if mark.upper() not in getattr(i, key):
                        raise Bad(line, f"{base}({mark}) wants {key}={mark.upper()}")
        self.insns.append(i)

    def insn_word(self, i, word, line):
        key, eq, val = word.partition("=")
        if word == "unverified":
            i.unverified = True
        elif not eq:
            raise Bad(line, f"'{word}' is no KEY=VALUE")
        elif key in ("dst", "src"):
            setattr(i, key, "" if val == "-" else val)
        elif key in ("mem", "same"):
            setattr(i, key, val)
        elif key in ("reads", "writes"):
            names = val.split(",")
            for name in names:
                if name not in IMPLICIT:
                    raise Bad(line, f"{key}={val}: there is no implicit register '{name}'")
                if names.count(name) > 1:
                    raise Bad(line, f"{key}={val}: {name} is there twice")
            setattr(i, key, sorted(names, key=IMPLICIT.index))
        elif key == "mods":
            if not val or set(val) - set(MODS):
                raise Bad(line, f"mods={val}: the letters are {MODS}")
            i.mods = val
        elif key == "regs":
            for part in val.split(","):
                field, _, n = part.partition(":")
                if field not in i.format.fields:
                    raise Bad(line, f"format {i.format.name} has no field {field}")
                if not n.isdigit() or not 1 <= int(n) <= 32:
                    raise Bad(line, f"regs={val}: field:N expected, N 1 to 32")
                i.regs[field] = int(n)
        elif key[0].isdigit():
            mask, value = fixed_bits(key, val.removesuffix("!"), line)
            if mask >> (i.format.size * 8):
                raise Bad(line, f"'{word}' lies outside {i.format.size} bytes")
            own = i.format.mask
            if "op" in i.format.fields:
                hi, lo = i.format.fields["op"]
                own |= ((1 << (hi - lo + 1)) - 1) << lo
            if mask & (own | i.mask & 0xffffffff):
                raise Bad(line, f"'{word}' overlaps the opcode or bits that are fixed already")
            if not val.endswith("!"):
                if value:
                    raise Bad(line, f"'{word}': bits that nobody looks at are 0")
                i.unused |= mask
            i.mask |= mask
            i.value |= value
        else:
            raise Bad(line, f"key '{key}' is unknown")

    def check_formats(self):
        """Two formats may share first dwords only if one is strictly more specific."""
        heads = [f for f in self.formats.values() if f.space == f.name]
        for a in heads:
            for b in heads[:heads.index(a)]:
                ma, mb = a.mask & 0xffffffff, b.mask & 0xffffffff
                va, vb = a.value & 0xffffffff, b.value & 0xffffffff
                both = ma & mb
                if (va ^ vb) & both:
                    continue
                if ma == mb or both not in (ma, mb):
                    raise Bad(a.line, f"format {a.name} overlaps format {b.name} (line {b.line})")

    def check_insns(self):
        opcodes, names, by_name = {}, {}, {}
        for i in self.insns:
            width = 0
            if "op" in i.format.fields:
                hi, lo = i.format.fields["op"]
                width = hi - lo + 1
            if i.opcode >> width:
                raise Bad(i.line, f"opcode {i.opcode} does not fit the {width} bits of {i.format.name}")
            where = (i.format.space, i.format.name if i.format.name == "VOPD_Y" else "", i.opcode)
            if where in opcodes:
                raise Bad(i.line, f"{i.format.name} opcode {i.opcode} is taken by line {opcodes[where]}")
            opcodes[where] = i.line
            if (i.name, i.format.name) in names:
                raise Bad(i.line, f"{i.name} {i.format.name} is there already, line "
                          f"{names[i.name, i.format.name]}")
            names[i.name, i.format.name] = i.line
            by_name.setdefault(i.name, []).append(i)
        for i in self.insns:
            if i.same and i.same not in by_name:
                raise Bad(i.line, f"same={i.same}: there is no such instruction")
            first = by_name[i.name][0]
            if i.cls != first.cls:
                raise Bad(i.line, f"{i.name} is {i.cls} here and {first.cls} in line {first.line}")
            self.bind(i)

    # Operands to fields: what the decoder checks and where it reads.
    def bind(self, i):
        name = i.format.name
        i.src_kind, i.dst_kind, i.half, i.neg = [], ("NONE", 1), 0, 0
        if name in SCALAR_SRC:
            room = 1 if name == "SOP1" else 2
            i.src_kind = [self.scalar_kind(t) for t in i.src_types if "dst" not in t[1]]
            if len(i.src_kind) > room:
                raise Bad(i.line, f"{name} has {room} source fields, {len(i.src_kind)} operands")
        elif name in VALU:
            self.bind_vector(i)
        if name in SCALAR_SRC or name == "SOPK":
            if i.dst_types:
                i.dst_kind = ("SREG", self.n_regs(i.dst_types[0][0]))
        elif name == "SMEM":
            i.dst_kind = ("SDATA", self.n_regs(i.dst_types[0][0])) if i.dst_types else ("NONE", 1)
        elif name not in VALU:
            i.dst_kind = ("VGPR", i.regs.get("vdst", 1)) if "vdst" in i.format.fields else ("NONE", 1)

    def n_regs(self, base):
        return max(1, (self.types[base] + 31) // 32)

    def scalar_kind(self, t):
        base, marks = t
        if base == "IMM8":
            return ("IMM", 1)
        n = self.n_regs(base)
        return ("SREG" if "sgpr" in marks else "SSRC", n)

    def vector_kind(self, i, t, field):
        base, marks = t
        n = self.n_regs(base)
        if base == "MASK":
            return ("MASK", 1)
        if marks & {"lane", "scalar", "sel_lo", "sel_hi"}:
            return ("SSRC", 1)
        if field in ("vsrc1", "vgpr") or "vgpr" in marks:
            return ("VGPR", n)
        if i.format.name == "VINTERP":
            return ("INTERP", n)
        if base.startswith("MAT_"):
            # C and D take half as many VGPRs in wave64: only those are sure to be needed.
            return ("MATC", n // 2) if field == "src2" else ("VGPR", n)
        return ("VGPR" if n > 2 else "VSRC", n)

    def bind_vector(self, i):
        name = i.format.name
        fields = [f for f in ("src0", "vsrc1", "src1", "src2") if f in i.format.fields]
        for t in i.src_types:
            base, marks = t
            slot = len(i.src_kind)
            if "dst" in marks:
                continue
            if marks & set(IMPLIED):
                i.src_kind.append(("IMPLIED_VCC", 1))
                continue
            if base == "LIT":
                i.src_kind.append(("LIT", 1))
                continue
            if not fields:
                raise Bad(i.line, f"{name} has no field for operand {slot} of {i.name}")
            field = fields.pop(0)
            i.src_kind.append(self.vector_kind(i, t, field))
            # Compares of other things than floats (v_cmp_class masks) have no neg and abs.
            if "N" in i.mods and (i.cls != "CMP" or base.startswith("F")):
                i.neg |= 1 << slot
            if name in COMPACT and self.types[base] == 16:
                i.half |= 1 << slot
        if len(i.src_kind) > 3:
            raise Bad(i.line, f"{i.name} has more than three sources")
        if i.dst_types:
            base, marks = i.dst_types[0]
            if base == "MASK" and marks & set(IMPLIED):
                i.dst_kind = ("IMPLIED_EXEC" if "exec" in marks else "IMPLIED_VCC", 1)
            elif base == "MASK" or "sgpr" in marks:
                i.dst_kind = ("SDST", 1)
            else:
                i.dst_kind = ("VGPR", self.n_regs(base) // (2 if base.startswith("MAT_") else 1))
                if name in COMPACT and self.types[base] == 16:
                    i.half |= 8
        i.sdst = len(i.dst_types) > 1 and i.dst_types[1][0] == "MASK"


def c_str(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def op_id(name):
    return "BW_OP_" + name.upper()


def implicit(names):
    return " | ".join("BW_IMPLICIT_" + n for n in names) or "0"


def write_ops(enc, out):
    names = sorted({i.name for i in enc.insns})
    out.append("#ifndef BW_ISA_OPS_H\n#define BW_ISA_OPS_H\n")
    out.append("enum bw_op {\n\tBW_OP_ILLEGAL,")
    out += [f"\t{op_id(n)}," for n in names]
    out.append("\tBW_OP_COUNT,\n};\n\n#endif")


def write_fields(enc, out):
    out.append("#ifndef BW_ISA_FIELDS_H\n#define BW_ISA_FIELDS_H\n\n#include <stdint.h>\n")
    for f in enc.formats.values():
        out.append(f"/* line {f.line} */")
        for name, (hi, lo) in f.fields.items():
            mask = (1 << (hi - lo + 1)) - 1
            shift = f" >> {lo % 32}" if lo % 32 else ""
            out.append(f"static inline uint32_t bw_{f.name.lower()}_{name}(const uint32_t *w)\n{{\n"
                       f"\treturn w[{lo // 32}]{shift} & {mask:#x};\n}}")
    out.append("\n#endif")


def write_tables(enc, out):
    out.append('#include "isa/tables.h"\n')
    heads = sorted((f for f in enc.formats.values() if f.space == f.name),
                   key=lambda f: (-bin(f.mask & 0xffffffff).count("1"), f.name))
    out.append("/* Most specific first; `next` is the one to try when this one does not match. */")
    out.append("const struct bw_isa_head bw_isa_heads[] = {\n\t{0},")
    chains = []
    for f in heads:
        chains.append((f.mask & 0xffffffff, f.value & 0xffffffff))
    firsts = []
    nexts = {}
    for top in range(512):
        fits = [n for n, (m, v) in enumerate(chains) if not ((top << 23) ^ v) & m & 0xff800000]
        # A chain goes on only where the bits below bit 23 decide.
        keep = []
        for n in fits:
            keep.append(n)
            if not chains[n][0] & 0x7fffff:
                break
        firsts.append(keep[0] + 1 if keep else 0)
        for a, b in zip(keep, keep[1:] + [None]):
            nxt = b + 1 if b is not None else 0
            if nexts.setdefault(a, nxt) != nxt:
                raise Bad(heads[a].line, f"format {heads[a].name} is followed by different formats")
    for n, f in enumerate(heads):
        m, v = chains[n]
        out.append(f"\t{{{m:#010x}, {v:#010x}, BW_FMT_{FORMATS[f.name]}, {nexts.get(n, 0)}}}, "
                   f"/* line {f.line} */")
    out.append("};\n\n/* First dword bits 31:23 -> index into bw_isa_heads, 0 none. */")
    out.append("const uint8_t bw_isa_first_head[512] = {")
    for n in range(0, 512, 16):
        out.append("\t" + " ".join(f"{x}," for x in firsts[n:n + 16]))
    out.append("};\n")

    fixed = sorted({(i.mask & ~i.unused, i.value, i.unused) for i in enc.insns})
    if (0, 0, 0) in fixed:
        fixed.remove((0, 0, 0))
    fixed.insert(0, (0, 0, 0))
    if len(fixed) > 256:
        raise Bad(enc.insns[-1].line, "more than 256 sets of fixed bits: bw_isa_row.fixed is too small")
    fixed_index = {k: n for n, k in enumerate(fixed)}
    out.append("/* Bits that an opcode needs to be as they are here, and bits that it does not use. */")
    out.append("const struct bw_isa_fixed bw_isa_fixed[] = {")
    out += [f"\t{{{m:#x}ull, {v:#x}ull, {u:#x}ull}}," for m, v, u in fixed]
    out.append("};\n")

    out.append("const struct bw_isa_row bw_isa_rows[] = {\n\t{0},")
    for i in enc.insns:
        kinds = i.src_kind + [("NONE", 1)] * (3 - len(i.src_kind))
        flags = []
        if "D" in i.mods:
            flags.append("BW_ROW_DPP")
        if "V" in i.mods:
            flags.append("BW_ROW_DPP_VGPR1")
        if getattr(i, "sdst", False):
            flags.append("BW_ROW_SDST")
        if any("?" in marks for _, marks in i.dst_types):
            flags.append("BW_ROW_DST_IF_GLC")
        if any(base == "LIT32" for base, _ in i.src_types):
            flags.append("BW_ROW_LITERAL")
        rsrc = {"VSHARP": 4, "BVHSHARP": 4, "TSHARP": 8}
        n_rsrc = max([rsrc.get(base, 0) for base, _ in i.src_types] + [0])
        if i.format.name == "SMEM" and not n_rsrc and i.src_types:
            n_rsrc = 2
        has_samp = any(base == "SSHARP" for base, _ in i.src_types)
        if has_samp:
            flags.append("BW_ROW_SAMPLER")
        addr = i.regs.get("addr", i.regs.get("vaddr", 1))
        data = i.regs.get("data", i.regs.get("data0", i.regs.get("vdata", 1)))
        out.append(
            f"\t{{{op_id(i.name)}, BW_FMT_{FORMATS[i.format.name]}, {len(i.src_kind)}, "
            f"{{{', '.join('BW_OPD_' + k for k, _ in kinds)}}}, {{{', '.join(str(n) for _, n in kinds)}}}, "
            f"BW_OPD_{i.dst_kind[0]}, {i.dst_kind[1]}, {i.half}, {i.neg}, {addr}, {data}, "
            f"{i.regs.get('data1', 1)}, {n_rsrc}, {fixed_index[i.mask & ~i.unused, i.value, i.unused]}, "
            f"{' | '.join(flags) or 0}, {implicit(i.reads)}, {implicit(i.writes)}}}, /* {i.line} */")
    out.append("};\n")

    row_index = {id(i): n + 1 for n, i in enumerate(enc.insns)}
    spaces = [f for f in enc.formats.values() if f.space == f.name or f.name == "VOPD_Y"]
    for f in spaces:
        table = {}
        for i in enc.insns:
            home = i.format.name if i.format.name == "VOPD_Y" else i.format.space
            if home == f.name:
                table[i.opcode] = row_index[id(i)]
        size = max(table, default=0) + 1
        out.append(f"static const uint16_t space_{f.name.lower()}[{size}] = {{")
        cells = [str(table.get(n, 0)) for n in range(size)]
        for n in range(0, size, 16):
            out.append("\t" + " ".join(c + "," for c in cells[n:n + 16]))
        out.append("};")
    out.append("\nconst struct bw_isa_space bw_isa_spaces[BW_FMT_COUNT] = {")
    for f in spaces:
        if f.name != "VOPD_Y":
            n = f"sizeof(space_{f.name.lower()}) / sizeof(uint16_t)"
            out.append(f"\t[BW_FMT_{FORMATS[f.name]}] = {{space_{f.name.lower()}, {n}}},")
    out.append("};\nconst struct bw_isa_space bw_isa_space_vopd_y = {space_vopd_y, "
               "sizeof(space_vopd_y) / sizeof(uint16_t)};\n")

    out.append("/* Indexed by enum bw_op, which is sorted by name. */")
    out.append("const struct bw_op_info bw_isa_infos[BW_OP_COUNT] = {")
    out.append('\t{"illegal", BW_FMT_ILLEGAL, BW_CLASS_CTRL, "", "", "", "", BW_OP_ILLEGAL},')
    order = list(FORMATS)
    best = {}
    for i in enc.insns:
        if i.name not in best or order.index(i.format.name) < order.index(best[i.name].format.name):
            best[i.name] = i
    for name in sorted(best):
        i = best[name]
        # Compact forms take modifiers only with DPP: what the opcode can have is the union.
        mods = {m for j in enc.insns if j.name == name for m in j.mods}
        texts = [i.dst, i.src, i.mem, "".join(m for m in MODS if m in mods)]
        same = op_id(i.same) if i.same else op_id(name)
        out.append(f"\t{{{c_str(name)}, BW_FMT_{FORMATS[i.format.name]}, BW_CLASS_{i.cls}, "
                   f"{', '.join(c_str(t) for t in texts)}, {same}}}, /* line {i.line} */")
    out.append("};")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--ops")
    args.add_argument("--fields")
    args.add_argument("-o", dest="tables")
    args.add_argument("enc")
    args = args.parse_args()
    with open(args.enc, encoding="utf-8") as f:
        text = f.read()
    parts = []
    try:
        enc = Encodings(text)
        for name, write in ((args.ops, write_ops), (args.fields, write_fields), (args.tables, write_tables)):
            out = ["/* SPDX-License-Identifier: MIT */",
                   "/* Made by tools/gen-isa.py from data/isa/gfx11.enc. */"]
            write(enc, out)
            parts.append((name, "\n".join(out) + "\n"))
    except Bad as bad:
        print(f"{args.enc}:{bad.line}: {bad}", file=sys.stderr)
        sys.exit(1)
    for name, part in parts:
        if name:
            with open(name, "w", encoding="utf-8") as f:
                f.write(part)


if __name__ == "__main__":
    main()
