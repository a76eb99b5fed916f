#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks an encodings file (data/isa) and makes the tables of the decoder and the encoder from it.

Usage: gen-isa.py [--gens GENS_H] [--ops OPS_H] [-o TABLES_C] ENC

GENS_H    enum bw_isa_gen
OPS_H     enum bw_op (sorted by name)
TABLES_C  for each generation: which format a first dword has, opcode -> row for each format, the fields of
          each format read into a struct bw_inst and written from it; the rows, the info table

What is wrong with ENC is told as "file:line: message", exit status 1. The output depends on ENC alone.
"""
import argparse
import sys

import generated
from isa_enc import FAMILIES, MODS, Bad, Encodings

# Where a field goes in struct bw_inst: (format family or "", field) -> member. Members that are no fields of
# their own: see special_get and special_put.
SCALAR = {"ssrc0": "src[0]", "ssrc1": "src[1]", "sdst": "dst", "simm16": "imm"}
VECTOR = {"src0": "src[0]", "src1": "src[1]", "src2": "src[2]", "vsrc1": "src[1]", "vdst": "dst", "abs": "abs",
          "neg": "neg", "neg_hi": "neg_hi", "op_sel": "op_sel", "omod": "omod", "clamp": "clamp", "sdst": "sdst",
          "wait_exp": "wait", "cbsz": "cbsz", "abid": "abid", "blgp": "blgp", "acc_cd": "acc"}
Y_HALF = {"src0": "src_y[0]", "vsrc1": "src_y[1]"}
MEMORY = {"sbase": "saddr", "sdata": "dst", "soffset": "soffset", "offset": "imm", "saddr": "saddr", "addr": "vaddr",
          "vaddr": "vaddr", "data": "vdata", "data0": "vdata", "vdata": "vdata", "data1": "vdata2", "vdst": "dst",
          "offset0": "offset0", "offset1": "offset1", "srsrc": "srsrc", "ssamp": "ssamp", "dmask": "dmask",
          "dim": "dim", "format": "tbuf_format"}
MEMORY.update({bit: bit for bit in ("dlc", "glc", "slc", "gds", "sve", "tfe", "lwe", "offen", "idxen", "r128", "a16",
                                    "d16", "unrm", "acc")})
EXPORT = {"en": "exp_en", "target": "exp_target", "done": "exp_done", "row_en": "exp_row", "vsrc0": "exp_src[0]",
          "vsrc1": "exp_src[1]", "vsrc2": "exp_src[2]", "vsrc3": "exp_src[3]", "vdst": "dst", "attr": "attr",
          "attr_chan": "attr_chan", "wait_vdst": "wait"}
WIDE = {"dst", "sdst", "src[0]", "src[1]", "src[2]", "src_y[0]", "src_y[1]"}  # uint16_t
FLAGS = {"clamp", "exp_done", "exp_row", "dlc", "glc", "slc", "gds", "sve", "tfe", "lwe", "offen", "idxen", "r128",
         "a16", "d16", "unrm", "acc"}
# Fields that the decoder and the encoder treat by themselves.
OWN = {"op", "opy", "nsa"}
# They say which offsets there are: written by special_put, read by take_offsets.
OFFSETS = ("imm_en", "soffset_en")


def members_of(family):
    if family.startswith("SOP"):
        return SCALAR
    if family == "VOPD_Y":
        return Y_HALF
    if family in ("EXP", "LDSDIR"):
        return EXPORT
    if family.startswith("V") or family == "MAI":
        return VECTOR
    if family in ("MUBUF", "MTBUF"):
        return dict(MEMORY, soffset="saddr")
    return MEMORY


def op_id(name):
    return "BW_OP_" + name.upper()


def implicit(names):
    return " | ".join("BW_IMPLICIT_" + n for n in names) or "0"


def write_gens(enc, out):
    out.append("#ifndef BW_ISA_GENS_H\n#define BW_ISA_GENS_H\n\nenum bw_isa_gen {")
    out += [f"\tBW_ISA_{g.upper()}," for g in enc.generations]
    out.append("\tBW_ISA_GEN_COUNT,\n};\n\n#endif")


def write_ops(enc, out):
    names = sorted({i.name for i in enc.insns})
    out.append("#ifndef BW_ISA_OPS_H\n#define BW_ISA_OPS_H\n")
    out.append("/* How many opcodes each has. */\nenum {")
    for g in enc.generations:
        out.append(f"\tBW_ISA_OPS_{g.upper()} = {len({i.name for i in enc.insns if g in i.opcodes})},")
    out.append("};\n")
    out.append("/* Sorted by name. */\nenum bw_op {\n\tBW_OP_ILLEGAL,")
    out += [f"\t{op_id(n)}," for n in names]
    out.append("\tBW_OP_COUNT,\n};\n\n#endif")


# ---- fields ----

def special_get(f, name):
    """Statements for fields that are no plain member, or None."""
    special = {
        ("VOP3P", "op_sel_hi"): "in->op_sel_hi |= (uint8_t){};",
        ("VOP3P", "op_sel_hi2"): "in->op_sel_hi |= (uint8_t)({} << 2);",
        ("MAI", "acc"): "take_acc(in, {});",
        # Of the two destinations one is even, the other odd.
        ("VOPD_Y", "vdst"): "in->dst_y = (uint16_t)({} << 1 | (~in->dst & 1));",
    }
    return special.get((f.family, name))


def special_put(f, name):
    return {
        ("SMEM", "imm_en"): "in->imm != 0 || in->soffset == BW_SRC_NULL",
        ("SMEM", "soffset_en"): "in->soffset != BW_SRC_NULL",
        ("VOP3P", "op_sel_hi"): "in->op_sel_hi & 3u",
        ("VOP3P", "op_sel_hi2"): "(uint32_t)in->op_sel_hi >> 2",
        ("VOPD_Y", "vdst"): "(uint32_t)in->dst_y >> 1",
        ("MAI", "src0"): "vgpr_number(in->src[0])",
        ("MAI", "src1"): "vgpr_number(in->src[1])",
        ("MAI", "src2"): "vgpr_number(in->src[2])",
        ("MAI", "acc"): "put_acc(in)",
    }.get((f.family, name))


def member(f, name):
    m = members_of(f.family).get(name)
    if m is None and not special_get(f, name):
        raise Bad(f.line, f"field {name}: a {f.family} instruction has no such thing")
    return m


def has_codes(f, name):
    """Whether a field has operand codes, which a generation may number otherwise."""
    if f.family in ("EXP", "LDSDIR", "MIMG"):
        return False
    if f.family == "VOPC" or f.family.startswith("VOP") or f.family == "VINTERP":
        return name in ("src0", "src1", "src2", "sdst")
    return name in ("ssrc0", "ssrc1", "sdst", "sbase", "sdata", "soffset", "saddr", "srsrc")


def write_codes(enc, out):
    """Numbers below 128 of operands, in the fields of a generation and in struct bw_inst."""
    for gen in enc.generations:
        codes = enc.codes.get(gen, {})
        back = {c: n for n, c in codes.items()}
        canonical = [codes.get(n, n) for n in range(128)]
        # What a generation has no number for does not fit in any field.
        numbers = [back.get(c, 0xffff if c in codes else c) for c in range(256)]
        for name, ctype, table in (("codes", "uint8_t", canonical), ("numbers", "uint16_t", numbers)):
            out.append(f"static const {ctype} {name}_{gen}[{len(table)}] = {{")
            for n in range(0, len(table), 16):
                out.append("\t" + " ".join(f"{x}," for x in table[n:n + 16]))
            out.append("};")
    out.append("")


def write_get(f, gen, codes, out):
    body = []
    for name, field in f.fields.items():
        if name in OWN or name in OFFSETS:
            continue
        m = member(f, name)
        raw = f"(w[{field.lo // 32}]{f' >> {field.lo % 32}' if field.lo % 32 else ''} & {field.mask:#x})"
        if not m:
            body.append(special_get(f, name).format(raw))
        elif m == "imm":
            signed = f"(int32_t)bw_sign_extend({raw}, {field.hi - field.lo + 1})"
            body.append(f"in->imm = {signed if field.signed else '(int32_t)' + raw};")
        elif m in FLAGS:
            body.append(f"in->{m} = {raw};")
        else:
            if name in ("vsrc1",) and m not in ("exp_src[1]",):
                raw = f"(BW_SRC_VGPR0 + {raw})"
            if field.scale > 1:
                raw = f"({raw} * {field.scale})"
            if codes and has_codes(f, name):
                raw = f"code_of(codes_{gen}, {raw})"
            body.append(f"in->{m} = ({'uint16_t' if m in WIDE else 'uint8_t'}){raw};")
    if "imm_en" in f.fields:
        imm, soffset = (f"w[0] >> {f.fields[name].lo} & 1" for name in OFFSETS)
        body.append(f"take_offsets(in, {imm}, {soffset}, codes_{gen});")
    if f.family == "SCRATCH" and "sve" not in f.fields:  # no form has neither address nor both
        body.append("in->sve = in->saddr == BW_SRC_EXEC_HI;")
    out.append(f"static void get_{ident(f, gen)}(const uint32_t *w, struct bw_inst *in) /* line {f.line} */\n{{")
    out += ["\t" + line for line in body]
    out.append("}\n")


def write_put(f, gen, codes, out):
    body = []
    for name, field in f.fields.items():
        if name in OWN:
            continue
        m = member(f, name) if name not in OFFSETS else None
        place = f"{field.lo // 32}], {field.lo % 32}, {field.hi - field.lo + 1}"
        if m == "imm" and field.signed:
            body.append(f"put_signed(&w[{place}, in->imm)")
            continue
        value = special_put(f, name) or f"in->{m}"
        if name == "vsrc1" and m in WIDE:
            value = f"{value} - (uint32_t)BW_SRC_VGPR0"
        if m == "imm":
            value = "(uint32_t)in->imm"
        if codes and has_codes(f, name):
            value = f"number_of(numbers_{gen}, {value})"
            if name == "saddr":  # 127 in words means none
                value = f"in->saddr == BW_SRC_NULL ? 127 : {value}"
            if name == "soffset" and "soffset_en" in f.fields:
                value = f"in->soffset == BW_SRC_NULL ? 0 : {value}"
        if field.scale > 1:
            body.append(f"(in->{m} % {field.scale} == 0)")
            value = f"{value} / {field.scale}u"
        body.append(f"put(&w[{place}, {value})")
    out.append(f"static bool put_{ident(f, gen)}(const struct bw_inst *in, uint32_t *w)\n{{")
    # All of them, also behind one that does not fit.
    out.append("\treturn " + " &\n\t       ".join(body or ["true"]) + ";\n}\n")


def ident(f, gen):
    return f"{gen}_{f.name.lower()}"


def reader(enc, f, gen):
    """The generation whose functions for the fields of f are those of gen: the first one without codes of its own."""
    return gen if gen in enc.codes else next(g for g in f.gens if g not in enc.codes)


def write_layouts(enc, out):
    write_codes(enc, out)
    for f in enc.formats:
        for gen in f.gens:
            if reader(enc, f, gen) == gen:
                write_get(f, gen, gen in enc.codes, out)
                write_put(f, gen, gen in enc.codes, out)
    for gen in enc.generations:
        out.append(f"static const struct bw_isa_layout layouts_{gen}[BW_FMT_COUNT] = {{")
        for f in enc.formats:
            if gen in f.gens and f.family != "VOPD_Y":
                out.append(f"\t[BW_FMT_{f.fmt()}] = {layout(f, reader(enc, f, gen))},")
        out.append("};")
        y = next((f for f in enc.formats if gen in f.gens and f.family == "VOPD_Y"), None)
        if y:
            out.append(f"static const struct bw_isa_layout layout_{gen}_y = {layout(y, reader(enc, y, gen))};")
        out.append("")


def layout(f, gen):
    op, nsa = f.fields.get("op"), f.fields.get("nsa")
    return (f"{{get_{ident(f, gen)}, put_{ident(f, gen)}, {f.mask:#x}ull, {f.value:#x}ull, {op.mask if op else 0:#x}, "
            f"{op.lo if op else 0}, {nsa.lo if nsa else 0}, {f.size // 4}}}")


# ---- which format ----

def write_heads(enc, gen, out):
    heads = sorted(enc.heads(gen), key=lambda f: (-bin(f.mask & 0xffffffff).count("1"), f.name))
    out.append(f"static const struct bw_isa_head heads_{gen}[] = {{\n\t{{0}},")
    chains = [(f.mask & 0xffffffff, f.value & 0xffffffff) for f in heads]
    firsts, nexts = [], {}
    for top in range(512):
        fits = [n for n, (m, v) in enumerate(chains) if not ((top << 23) ^ v) & m & 0xff800000]
        # A chain is continued only where the bits below bit 23 decide.
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
        out.append(f"\t{{{m:#010x}, {v:#010x}, BW_FMT_{f.fmt()}, {nexts.get(n, 0)}}}, /* line {f.line} */")
    out.append(f"}};\n\nstatic const uint8_t first_head_{gen}[512] = {{")
    for n in range(0, 512, 16):
        out.append("\t" + " ".join(f"{x}," for x in firsts[n:n + 16]))
    out.append("};\n")


# ---- rows ----

def fixed_of(i):
    return i.mask & ~i.unused, i.value, i.unused


def write_fixed(enc, out):
    fixed = sorted({fixed_of(i) for i in enc.insns} - {(0, 0, 0)})
    fixed.insert(0, (0, 0, 0))
    if len(fixed) > 256:
        raise Bad(enc.insns[-1].line, "more than 256 sets of fixed bits: bw_isa_row.fixed is too small")
    out.append("/* Bits that an opcode needs to be as they are here, and bits that it does not use. */")
    out.append("const struct bw_isa_fixed bw_isa_fixed[] = {")
    out += [f"\t{{{m:#x}ull, {v:#x}ull, {u:#x}ull}}," for m, v, u in fixed]
    out.append("};\n")
    return {k: n for n, k in enumerate(fixed)}


def row_flags(i):
    flags = []
    dpp = "dpp" not in i.format.lacks
    if "D" in i.mods and dpp:
        flags.append("BW_ROW_DPP9" if "dpp9" in i.format.has else "BW_ROW_DPP")
        if "newbcast" in i.format.has:
            flags.append("BW_ROW_NEWBCAST")
    if "V" in i.mods and dpp:
        flags.append("BW_ROW_DPP_VGPR1")
    if getattr(i, "sdwa", False):
        flags.append("BW_ROW_SDWA")
        if "W" in i.mods:
            flags.append("BW_ROW_SDWA_SRC")
        if i.sdwa_omod:
            flags.append("BW_ROW_SDWA_OMOD")
    if getattr(i, "sdst", False) and "mask64" in i.format.has:
        flags.append("BW_ROW_SDST_PAIR")
    if "literal" in i.format.lacks:
        flags.append("BW_ROW_NO_LITERAL")
    if getattr(i, "sdst", False):
        flags.append("BW_ROW_SDST")
    if any(t.optional for t in i.dst):
        flags.append("BW_ROW_DST_IF_GLC")
    if any(t.base == "LIT32" for t in i.src):
        flags.append("BW_ROW_LITERAL")
    if any(t.type.kind == "SAMPLER" for t in i.src):
        flags.append("BW_ROW_SAMPLER")
    return flags


def write_rows(enc, out):
    fixed_index = write_fixed(enc, out)
    out.append("const struct bw_isa_row bw_isa_rows[] = {\n\t{0},")
    number = {id(i): n for n, i in enumerate(enc.insns, 1)}
    for i in enc.insns:
        kinds = i.src_kind + [("NONE", 1)] * (3 - len(i.src_kind))
        rsrc = {"BUFFER": 4, "BVH": 4, "IMAGE": 8}
        n_rsrc = max([rsrc.get(t.type.kind, 0) for t in i.src] + [0])
        if i.format.family == "SMEM" and not n_rsrc and i.src:
            n_rsrc = 2
        addr = i.regs.get("addr", i.regs.get("vaddr", 1))
        data = i.regs.get("data", i.regs.get("data0", i.regs.get("vdata", 1)))
        out.append(
            f"\t{{{op_id(i.name)}, BW_FMT_{i.format.fmt()}, {len(i.src_kind)}, "
            f"{{{', '.join('BW_OPD_' + k for k, _ in kinds)}}}, {{{', '.join(str(n) for _, n in kinds)}}}, "
            f"BW_OPD_{i.dst_kind[0]}, {i.dst_kind[1]}, {i.half}, {i.neg}, {addr}, {data}, "
            f"{i.regs.get('data1', 1)}, {n_rsrc}, {fixed_index[fixed_of(i)]}, "
            f"{' | '.join(row_flags(i)) or 0}, {implicit(i.reads)}, {implicit(i.writes)}, "
            f"{number[id(i.other)] if i.other else 0}}}, /* {i.line} */")
    out.append("};\n")


def write_spaces(enc, gen, out):
    spaces = [f for f in enc.formats if gen in f.gens and (f.space == f.name or f.family == "VOPD_Y")]
    sizes = {}
    for f in spaces:
        others = {id(i.other) for i in enc.insns if i.other}
        table = {i.opcodes[gen]: n for n, i in enumerate(enc.insns, 1)
                 if id(i) not in others and
                 gen in i.opcodes and (i.format is f or (f.family != "VOPD_Y" and i.format.family != "VOPD_Y" and
                                                            i.format.space == f.name))}
        size = sizes[f.name] = max(table, default=0) + 1
        out.append(f"static const uint16_t space_{gen}_{f.name.lower()}[{size}] = {{")
        cells = [str(table.get(n, 0)) for n in range(size)]
        for n in range(0, size, 16):
            out.append("\t" + " ".join(c + "," for c in cells[n:n + 16]))
        out.append("};")
    out.append(f"\nstatic const struct bw_isa_space spaces_{gen}[BW_FMT_COUNT + 1] = {{")
    for f in spaces:
        at = "BW_FMT_COUNT" if f.family == "VOPD_Y" else "BW_FMT_" + f.fmt()
        out.append(f"\t[{at}] = {{space_{gen}_{f.name.lower()}, {sizes[f.name]}}},")
    out.append("};\n")


def write_forms(enc, gen, out):
    """Rows and opcodes by bw_op: what the encoder and bw_isa_op_encodings go through."""
    order = FAMILIES
    by_name = {}
    for n, i in enumerate(enc.insns, 1):
        if gen in i.opcodes:
            by_name.setdefault(i.name, []).append((order.index(i.format.family), n, i))
    out.append(f"static const struct bw_isa_form forms_{gen}[] = {{")
    firsts, at = [0], 0
    for name in sorted({i.name for i in enc.insns}):
        firsts.append(at)
        for _, n, i in sorted(by_name.get(name, []), key=lambda t: t[:2]):
            out.append(f"\t{{{n}, {i.opcodes[gen]}, {'true' if i.format.family == 'VOPD_Y' else 'false'}}},")
            at += 1
    firsts.append(at)
    out.append(f"\t{{0}},\n}};\nstatic const uint16_t first_form_{gen}[BW_OP_COUNT + 1] = {{")
    for n in range(0, len(firsts), 16):
        out.append("\t" + " ".join(f"{x}," for x in firsts[n:n + 16]))
    out.append("};\n")


def write_called(enc, gen, out):
    """Sorted by bw_op, which is sorted by name."""
    called = enc.called.get(gen, {})
    out.append(f"static const struct bw_isa_called called_{gen}[] = {{")
    out += [f'\t{{{op_id(name)}, "{called[name]}"}},' for name in sorted(called)]
    out.append("\t{BW_OP_COUNT, NULL},\n};\n")


def write_generations(enc, out):
    for gen in enc.generations:
        write_called(enc, gen, out)
        write_heads(enc, gen, out)
        write_spaces(enc, gen, out)
        write_forms(enc, gen, out)
    out.append("const struct bw_isa_tables bw_isa_tables[BW_ISA_GEN_COUNT] = {")
    for gen in enc.generations:
        has_y = any(gen in f.gens and f.family == "VOPD_Y" for f in enc.formats)
        out.append(f'\t[BW_ISA_{gen.upper()}] = {{"{gen}", codes_{gen}, numbers_{gen}, first_head_{gen}, '
                   f"heads_{gen}, spaces_{gen}, layouts_{gen}, "
                   f"{f'&layout_{gen}_y' if has_y else 'NULL'}, forms_{gen}, first_form_{gen}, "
                   f"called_{gen}, {len(enc.called.get(gen, {}))}}},")
    out.append("};\n")


# ---- what opcodes are ----

def operand(t):
    bits = []
    if t.type.packed:
        bits.append(".is_packed = true")
    if t.type.matrix:
        bits.append(".is_matrix = true")
    if t.is_dst:
        bits.append(".is_dst = true")
    if t.optional:
        bits.append(".is_optional = true")
    if t.type.half == "HI" or t.use == "hi":
        bits.append(".is_high = true")
    if t.type.half == "LO":
        bits.append(".is_low = true")
    if t.use and t.use != "hi":
        bits.append(".use = BW_USE_" + t.use.upper().replace("*4", "_X4").replace("NEW:", "NEW_"))
    more = "".join(", " + b for b in bits)
    return f"{{.type = BW_OPERAND_{t.type.kind}, .bits = {t.type.bits}, .n = {t.type.n}{more}}}"


def operands(key, count, ts):
    return f".{key} = {{{', '.join(operand(t) for t in ts)}}}, .{count} = {len(ts)}, " if ts else ""


def write_infos(enc, out):
    out.append("/* Indexed by enum bw_op, which is sorted by name. */")
    out.append("const struct bw_op_info bw_isa_infos[BW_OP_COUNT] = {")
    out.append('\t{.name = "illegal", .class = BW_CLASS_CTRL},')
    def rank(i):
        return min(map(enc.generations.index, i.opcodes)), FAMILIES.index(i.format.family)

    best = {}
    for i in enc.insns:
        if i.name not in best or rank(i) < rank(best[i.name]):
            best[i.name] = i
    by_name = {}
    for i in enc.insns:
        by_name.setdefault(i.name, []).append(i)
    for name in sorted(best):
        i = best[name]
        # Compact forms take modifiers only with DPP: what the opcode can have is the union.
        mods = {m for j in by_name[name] if rank(j)[0] == rank(i)[0] for m in j.mods if m not in "VW"}
        flags = ["BW_OPF_" + f for f in i.flags + [MODS[m] for m in MODS if m in mods]]
        out.append(f'\t{{.name = "{name}", .fmt = BW_FMT_{i.format.fmt()}, .class = BW_CLASS_{i.cls}, '
                   f".flow = BW_FLOW_{i.flow or 'NEXT'}, .same = {op_id(i.same or name)}, "
                   f".flags = {' | '.join(flags) or 0},\n\t "
                   f"{operands('dst', 'n_dst', i.dst)}{operands('src', 'n_src', i.src)}"
                   f"{'.mem = ' + operand(i.mem) + ', ' if i.mem else ''}}}, /* line {i.line} */")
    out.append("};")


def write_tables(enc, out):
    out.append('#include "isa/opcode_tables.h"\n#include "isa/put.h"\n')
    write_layouts(enc, out)
    write_rows(enc, out)
    write_generations(enc, out)
    write_infos(enc, out)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--gens")
    args.add_argument("--ops")
    args.add_argument("-o", dest="tables")
    args.add_argument("enc")
    args = args.parse_args()
    with open(args.enc, encoding="utf-8") as f:
        text = f.read()
    parts = []
    try:
        enc = Encodings(text)
        for name, write in ((args.gens, write_gens), (args.ops, write_ops), (args.tables, write_tables)):
            out = ["/* SPDX-License-Identifier: MIT */",
                   "/* Made by tools/gen-isa.py from data/isa. */"]
            write(enc, out)
            parts.append((name, "\n".join(out) + "\n"))
    except Bad as bad:
        print(f"{args.enc}:{bad.line}: {bad}", file=sys.stderr)
        sys.exit(1)
    for name, part in parts:
        if name:
            generated.write(name, part)


if __name__ == "__main__":
    main()
