# SPDX-License-Identifier: MIT
"""Reads and checks data/isa/*.enc: the head of the file describes its format.

Encodings(text) has `generations` (their names, in order), `codes` (of a generation: operand codes that differ from
the canonical ones), `types`, `formats` and `insns`. A row of the file that has the same format in several generations
is one Insn with several opcodes; where the formats of its generations differ there is one Insn for each. What is wrong
is raised as Bad(line, message).
"""
import fnmatch
import re

from isa_types import Bad, Operand, Type

CLASSES = ["MAP", "CMP", "SCALAR", "MEM", "WAVE", "CTRL"]
# The families of formats: enum bw_fmt. The order is that of "the shortest format" in the info table.
FAMILIES = ["SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD",
            "VOP3P", "MAI", "VINTERP", "LDSDIR", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG", "EXP",
            "VOPD_X", "VOPD_Y"]
VALU = ["VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P", "MAI", "VOPD_X", "VOPD_Y", "VINTERP"]
COMPACT = ["VOP1", "VOP2", "VOPC"]
SCALAR_SRC = {"SOP1", "SOP2", "SOPC"}
IMPLIED = {"vcc": 106, "exec": 126}
# Registers that an instruction may read or write without naming them: enum bw_implicit.
IMPLICIT = ["SCC", "VCC", "EXEC", "M0", "FLAT_SCR", "MODE", "STATUS", "PC", "TTMP0", "TTMP1", "HWREG"]
MODS = {"D": "DPP", "V": "DPP_VGPR1", "C": "CLAMP", "O": "OMOD", "N": "NEG", "S": "OP_SEL",
        "W": "SDWA_SRC"}
# What the columns flags= and flow= may say: enum bw_op_flag, enum bw_flow.
FLAGS = ["LOAD", "STORE", "ATOMIC", "TO_LDS", "ADDTID", "TWO_ADDRESSES", "INVALIDATE", "TRANS", "PERMLANE",
         "KEEPS_DST"]
FLOWS = ["BRANCH", "COND_BRANCH", "CALL", "INDIRECT", "GETPC", "END", "TRAP", "STACK"]
# What a format may lack that its rows have in other generations: DPP forms, high halves of compact 16-bit operands,
# literals.
LACKS = ["dpp", "halves", "literal"]
# What a format has that it lacks in other generations: SDWA forms, the DPP dword of gfx9 (no DPP8, no FI, other
# controls; with newbcast: row_newbcast among them), the mask of v_cmpx in VCC or SDST as well as in EXEC, masks of 64
# lanes always.
HAS = ["sdwa", "dpp9", "newbcast", "cmpx_mask", "mask64"]
# The canonical code of a number that names no register: a reserved one, which makes an instruction illegal.
NO_CODE = 209


class Field:
    def __init__(self, hi, lo, signed, scale):
        self.hi, self.lo, self.signed, self.scale = hi, lo, signed, scale
        self.mask = (1 << (hi - lo + 1)) - 1


class Format:
    def __init__(self, name, size, gens, line):
        self.name, self.size, self.gens, self.line = name, size, gens, line
        self.family, self.space = name, name
        self.mask = self.value = 0
        self.fields, self.lacks, self.has = {}, [], []

    def fmt(self):
        return "VOPD" if self.family in ("VOPD_X", "VOPD_Y") else self.family


class Insn:
    """One row of the file in one format. opcodes: generation -> number."""

    def __init__(self, name, fmt, line):
        self.name, self.format, self.line = name, fmt, line
        self.opcodes = {}
        self.mods = self.same = self.flow = ""
        self.mem = self.dst = self.src = None
        self.reads, self.writes, self.flags = [], [], []
        self.regs, self.unverified = {}, False
        self.mask, self.value = fmt.mask >> 32 << 32, fmt.value >> 32 << 32
        self.unused = 0  # the part of mask that the hardware does not look at
        self.other = None  # a row of the same opcode, for words without the required bits of this one


class Column:
    """The numbers of a generation that are those of another one, apart from some names."""

    def __init__(self, of):
        self.of, self.without, self.used = of, {}, set()

    def lacks(self, name):
        found = {p for p in self.without if fnmatch.fnmatchcase(name, p)}
        self.used |= found
        return bool(found)


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
    if hi > 63:
        raise Bad(line, f"bits {key} lie in the third dword, where none can be fixed")
    return ((1 << width) - 1) << lo, int(text, 2) << lo


def parse_field(text, line):
    m = re.fullmatch(r"([\d:]+)(s?)(?:\*([24]))?", text)
    if not m:
        return Field(*bit_range(text, line), False, 1)
    return Field(*bit_range(m[1], line), bool(m[2]), int(m[3] or 1))


class Encodings:
    def __init__(self, text):
        self.generations, self.types, self.formats, self.insns = [], {}, [], []
        self.codes = {}
        self.called = {}
        self.columns = {}
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "generation":
                self.add_generations(words, number)
                continue
            if not self.generations:
                self.generations = ["gfx11"]
            if words[0] == "codes":
                self.add_codes(words, number)
            elif words[0] == "type":
                self.add_types(words, number)
            elif words[0] == "format":
                self.add_format(words, number)
            elif words[0] == "insn":
                self.add_insn(words, number)
            elif words[0] == "called":
                self.add_called(words, number)
            elif words[0] == "column":
                self.add_column(words, number)
            elif words[0] == "without":
                self.add_without(words, number)
            else:
                raise Bad(number, f"a line begins with type, format, insn or called, not '{words[0]}'")
        for gen in self.generations:
            self.check_formats(gen)
        for gen, column in self.columns.items():
            self.take_called(gen, column.of)
            for pattern, line in column.without.items():
                if pattern not in column.used:
                    raise Bad(line, f"{column.of} has no {pattern}")
        self.check_insns()

    def add_generations(self, words, line):
        if self.generations:
            raise Bad(line, "the generations are one line, before everything else")
        for name in words[1:]:
            if not re.fullmatch(r"gfx\d+", name) or words.count(name) > 1:
                raise Bad(line, f"'{name}' is not a generation, or is there twice")
        self.generations = words[1:]

    def add_codes(self, words, line):
        """codes GENERATION NUMBER=CANONICAL..."""
        if len(words) < 3 or words[1] not in self.generations or words[1] in self.codes:
            raise Bad(line, "codes GENERATION NUMBER=CANONICAL... expected, once a generation")
        table = self.codes[words[1]] = {}
        for word in words[2:]:
            m = re.fullmatch(r"(\d+)=(\d+|-)", word)
            if not m or int(m[1]) > 127 or m[2] != "-" and int(m[2]) > 127:
                raise Bad(line, f"'{word}' is not NUMBER=CANONICAL, both below 128")
            table[int(m[1])] = NO_CODE if m[2] == "-" else int(m[2])

    def add_column(self, words, line):
        """column GENERATION of OTHER, before the rows"""
        if len(words) != 4 or words[2] != "of" or words[1] == words[3] or self.insns or \
                not {words[1], words[3]} <= set(self.generations) or words[1] in self.columns:
            raise Bad(line, "column GENERATION of OTHER expected, once a generation and before the rows")
        self.columns[words[1]] = Column(words[3])

    def add_without(self, words, line):
        """without GENERATION NAME..., before the rows"""
        column = self.columns.get(words[1]) if len(words) > 2 and not self.insns else None
        if not column:
            raise Bad(line, "without GENERATION NAME... expected, after the generation's column and before the rows")
        for pattern in words[2:]:
            if pattern in column.without or not re.fullmatch(r"[a-z*][a-z0-9_*]*", pattern):
                raise Bad(line, f"'{pattern}' is not a name, or is there twice")
            column.without[pattern] = line

    def take_columns(self, name, opcodes):
        """The number of a generation whose column is that of another one, where the row does not say it."""
        for gen, column in self.columns.items():
            if column.of in opcodes and gen not in opcodes and not column.lacks(name):
                opcodes[gen] = opcodes[column.of]

    def add_called(self, words, line):
        """called GENERATION NAME=OTHER..., after the rows of these opcodes"""
        if len(words) < 3 or words[1] not in self.generations:
            raise Bad(line, "called GENERATION NAME=OTHER... expected")
        table = self.called.setdefault(words[1], {})
        has = {i.name for i in self.insns if words[1] in i.opcodes}
        for word in words[2:]:
            m = re.fullmatch(r"([a-z][a-z0-9_]*)=([a-z][a-z0-9_]*)", word)
            if not m or m[1] == m[2]:
                raise Bad(line, f"'{word}' is not NAME=OTHER")
            if m[1] not in has or m[1] in table:
                raise Bad(line, f"{words[1]} has no {m[1]}, or it is there twice")
            table[m[1]] = m[2]

    def take_called(self, gen, of):
        has = {i.name for i in self.insns if gen in i.opcodes}
        own = self.called.setdefault(gen, {})
        for name, other in self.called.get(of, {}).items():
            if name in has:
                own.setdefault(name, other)

    def add_types(self, words, line):
        if len(words) < 3 or not words[1].isdigit():
            raise Bad(line, "type BITS NAME... expected")
        for name in words[2:]:
            if name in self.types:
                raise Bad(line, f"type {name} is declared twice")
            self.types[name] = Type(name, int(words[1]), line)

    def find_format(self, name, gen):
        return next((f for f in self.formats if f.name == name and gen in f.gens), None)

    def format_gens(self, words, line):
        """gfx12,gfx13 behind the size: the generations that have the format; else all."""
        if len(words) > 3 and words[3].startswith("gfx"):
            gens = words.pop(3).split(",")
            for gen in gens:
                if gen not in self.generations:
                    raise Bad(line, f"generation {gen} is not declared")
            return gens
        return list(self.generations)

    def add_format(self, words, line):
        if len(words) < 4 or words[2] not in ("4", "8", "12"):
            raise Bad(line, "format NAME BYTES FIXED... FIELD... expected, BYTES 4, 8 or 12")
        f = Format(words[1], int(words[2]), self.format_gens(words, line), line)
        used = 0
        for word in words[3:]:
            key, eq, val = word.partition("=")
            if not eq:
                raise Bad(line, f"'{word}' is not KEY=VALUE")
            if key == "as":
                f.family = val
                continue
            if key in ("lacks", "has"):
                known = LACKS if key == "lacks" else HAS
                setattr(f, key, val.split(","))
                for what in val.split(","):
                    if what not in known:
                        raise Bad(line, f"{key}={val}: it is some of {','.join(known)}")
                continue
            if key == "space":
                other = self.find_format(val, f.gens[0])
                if not other:
                    raise Bad(line, f"format {val} is not declared")
                f.space, f.mask, f.value = val, other.mask, other.value
                used |= other.mask
                continue
            if key[0].isdigit():
                mask, value = fixed_bits(key, val, line)
                f.mask |= mask
                f.value |= value
            else:
                field = parse_field(val, line)
                if key in f.fields:
                    raise Bad(line, f"field {key} is declared twice")
                if field.hi // 32 != field.lo // 32:
                    raise Bad(line, f"field {key} crosses a dword")
                f.fields[key] = field
                mask = field.mask << field.lo
            if used & mask:
                raise Bad(line, f"'{word}' overlaps what stands before it")
            if mask >> (f.size * 8):
                raise Bad(line, f"'{word}' lies outside {f.size} bytes")
            used |= mask
        if f.family not in FAMILIES:
            raise Bad(line, f"format {f.family} is unknown to the decoder")
        for gen in f.gens:
            for other in self.formats:
                if gen in other.gens and other.name == f.name:
                    raise Bad(line, f"format {f.name} is declared twice")
                if gen in other.gens and other.family == f.family:
                    raise Bad(line, f"format {other.name} is {f.family} to the decoder already")
        if "op" not in f.fields and f.family != "EXP":
            raise Bad(line, f"format {f.name} has no field op")
        if "op" in f.fields and f.fields["op"].hi > 31:
            raise Bad(line, f"field op of {f.name} is not in the first dword")
        self.formats.append(f)

    def add_insn(self, words, line):
        first = self.generations[0]
        if len(words) < 7 and "like" not in words:
            raise Bad(line, f"insn NAME FORMAT {first}=OPCODE CLASS dst=TYPES src=TYPES expected")
        name = words[1]
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise Bad(line, f"'{name}' is not an instruction name")
        if not any(f.name == words[2] for f in self.formats):
            raise Bad(line, f"format {words[2]} is not declared")
        at, rows, opcodes = 3, [], {}
        while at < len(words) and re.fullmatch(r"gfx\d+=(0x[0-9a-f]+|\d+)", words[at]):
            gen, _, opcode = words[at].partition("=")
            if gen not in self.generations:
                raise Bad(line, f"generation {gen} is not declared")
            if gen in opcodes:
                raise Bad(line, f"{gen} is there twice")
            opcodes[gen] = int(opcode, 0)
            at += 1
        self.take_columns(name, opcodes)
        for gen, opcode in opcodes.items():
            fmt = self.find_format(words[2], gen)
            if not fmt:
                raise Bad(line, f"{gen} has no format {words[2]}")
            row = next((r for r in rows if r.format is fmt), None)
            if not row:
                row = Insn(name, fmt, line)
                rows.append(row)
            row.opcodes[gen] = opcode
        if not rows:
            raise Bad(line, f"{first}=OPCODE expected, not '{words[3]}'")
        if at == len(words):
            raise Bad(line, "a class or `like` expected at the end")
        if words[at] not in CLASSES and words[at] != "like":
            raise Bad(line, f"class {words[at]} is unknown")
        for i in rows:
            if words[at] == "like":
                self.take_like(i, line)
            else:
                i.cls = words[at]
            for word in words[at + 1:]:
                self.insn_word(i, word, line)
            self.finish_insn(i, line)
            self.insns.append(i)

    def take_like(self, i, line):
        """Everything but the fixed bits is as in the row of the same name and format in another generation."""
        other = next((o for o in self.insns if o.name == i.name and o.format.family == i.format.family), None)
        if not other:
            raise Bad(line, f"no row above has {i.name} {i.format.name}")
        for key in ("cls", "mods", "same", "flow", "mem", "dst", "src", "reads", "writes", "flags"):
            setattr(i, key, getattr(other, key))
        i.regs = dict(other.regs)

    def finish_insn(self, i, line):
        if i.dst is None or i.src is None:
            raise Bad(line, "dst= and src= must be there")
        for key, operands in (("reads", i.src), ("writes", i.dst)):
            for t in operands:
                if t.use in IMPLIED and t.use.upper() not in getattr(i, key):
                    raise Bad(line, f"{t.base}({t.use}) wants {key}={t.use.upper()}")
        if i.format.family == "MUBUF" and "ATOMIC" in i.flags and "tfe" in i.format.fields:  # loads alone have it
            tfe = i.format.fields["tfe"]
            i.mask |= tfe.mask << tfe.lo
            i.unused |= tfe.mask << tfe.lo
        if "cmpx_mask" in i.format.has and i.dst and i.dst[0].use == "exec":
            compact = i.format.family in COMPACT
            i.dst = [Operand("MASK(vcc)" if compact else "MASK", self.types, line)]
            if compact:
                i.writes = sorted({*i.writes, "VCC"}, key=IMPLICIT.index)

    def insn_word(self, i, word, line):
        key, eq, val = word.partition("=")
        if word == "unverified":
            i.unverified = True
        elif not eq:
            raise Bad(line, f"'{word}' is not KEY=VALUE")
        elif key in ("dst", "src"):
            setattr(i, key, [Operand(t, self.types, line) for t in val.split("|") if t and val != "-"])
        elif key == "mem":
            i.mem = Operand(val, self.types, line)
        elif key == "same":
            i.same = val
        elif key in ("reads", "writes"):
            self.set_names(i, key, val, IMPLICIT, "implicit register", line)
        elif key == "flags":
            self.set_names(i, key, val, FLAGS, "flag", line)
        elif key == "flow":
            if val not in FLOWS:
                raise Bad(line, f"flow={val}: it is one of {' '.join(FLOWS)}")
            i.flow = val
        elif key == "mods":
            if not val or set(val) - set(MODS):
                raise Bad(line, f"mods={val}: the letters are {''.join(MODS)}")
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
            self.set_fixed(i, word, line)
        else:
            raise Bad(line, f"key '{key}' is unknown")

    def set_names(self, i, key, val, known, what, line):
        names = val.split(",")
        for name in names:
            if name not in known:
                raise Bad(line, f"{key}={val}: there is no {what} '{name}'")
            if names.count(name) > 1:
                raise Bad(line, f"{key}={val}: {name} is there twice")
        setattr(i, key, sorted(names, key=known.index))

    def set_fixed(self, i, word, line):
        key, _, val = word.partition("=")
        mask, value = fixed_bits(key, val.removesuffix("!"), line)
        if mask >> (i.format.size * 8):
            raise Bad(line, f"'{word}' lies outside {i.format.size} bytes")
        own = i.format.mask
        if "op" in i.format.fields:
            own |= i.format.fields["op"].mask << i.format.fields["op"].lo
        if mask & (own | i.mask & 0xffffffff):
            raise Bad(line, f"'{word}' overlaps the opcode or bits that are fixed already")
        if not val.endswith("!"):
            if value:
                raise Bad(line, f"'{word}': bits that nobody looks at are 0")
            i.unused |= mask
        i.mask |= mask
        i.value |= value

    def check_formats(self, gen):
        """Two formats may share first dwords only if one is strictly more specific."""
        heads = self.heads(gen)
        for a in heads:
            for b in heads[:heads.index(a)]:
                ma, mb = a.mask & 0xffffffff, b.mask & 0xffffffff
                va, vb = a.value & 0xffffffff, b.value & 0xffffffff
                both = ma & mb
                if (va ^ vb) & both:
                    continue
                if ma == mb or both not in (ma, mb):
                    raise Bad(a.line, f"format {a.name} overlaps format {b.name} (line {b.line})")

    def heads(self, gen):
        return [f for f in self.formats if gen in f.gens and f.space == f.name]

    def check_insns(self):
        opcodes, names, by_name = {}, {}, {}
        for i in self.insns:
            width = 0
            if "op" in i.format.fields:
                op = i.format.fields["op"]
                width = op.hi - op.lo + 1
            for gen, opcode in i.opcodes.items():
                if opcode >> width:
                    raise Bad(i.line, f"opcode {opcode} does not fit the {width} bits of {i.format.name}")
                where = (gen, i.format.space, i.format.name if i.format.family == "VOPD_Y" else "", opcode)
                if where in opcodes and not self.share_opcode(opcodes[where], i):
                    raise Bad(i.line, f"{i.format.name} opcode {opcode} is taken by line {opcodes[where].line}")
                opcodes.setdefault(where, i)
                what = (gen, i.name, i.format.name)
                if what in names:
                    raise Bad(i.line, f"{i.name} {i.format.name} is there already, line {names[what]}")
                names[what] = i.line
            by_name.setdefault(i.name, []).append(i)
        for i in self.insns:
            if i.same and i.same not in by_name:
                raise Bad(i.line, f"same={i.same}: there is no such instruction")
            first = by_name[i.name][0]
            for key, what in (("cls", lambda x: x.cls), ("flow", lambda x: x.flow or "no flow"),
                              ("flags", lambda x: ",".join(x.flags) or "without flags")):
                if getattr(i, key) != getattr(first, key):
                    raise Bad(i.line, f"{i.name} is {what(i)} here and {what(first)} in line {first.line}")
            self.bind(i)
        for i in self.insns:
            if getattr(i, "sdwa", False):
                same_gen = [j for j in by_name[i.name] if j.opcodes.keys() & i.opcodes.keys()]
                i.sdwa_omod = i.dst[0].type.kind == "FLOAT" and any("O" in j.mods for j in same_gen)

    @staticmethod
    def share_opcode(first, second):
        """Two rows of one generation may have the same opcode if bits that they require tell them apart."""
        both = first.mask & ~first.unused & second.mask & ~second.unused
        if first.other or len(first.opcodes) > 1 or len(second.opcodes) > 1 or not (first.value ^ second.value) & both:
            return False
        first.other = second
        return True

    # Operands to fields: what the decoder checks and where it reads.
    def bind(self, i):
        name = i.format.family
        i.src_kind, i.dst_kind, i.half, i.neg = [], ("NONE", 1), 0, 0
        if name in SCALAR_SRC:
            room = 1 if name == "SOP1" else 2
            i.src_kind = [self.scalar_kind(t) for t in i.src if not t.is_dst]
            if len(i.src_kind) > room:
                raise Bad(i.line, f"{name} has {room} source fields, {len(i.src_kind)} operands")
        elif name in VALU:
            self.bind_vector(i)
        if name in SCALAR_SRC or name == "SOPK":
            if i.dst or "sdst" in i.regs:  # the field of results may name a source
                i.dst_kind = ("SREG", i.regs.get("sdst", i.dst[0].n_regs() if i.dst else 0))
        elif name == "SMEM":
            # The field of what is stored is that of results.
            n = i.regs.get("sdata", i.dst[0].n_regs() if i.dst else 0)
            i.dst_kind = ("SDATA", n) if n else ("NONE", 1)
        elif name not in VALU:
            i.dst_kind = ("VGPR", i.regs.get("vdst", 1)) if "vdst" in i.format.fields else ("NONE", 1)

    def scalar_kind(self, t):
        if t.base == "IMM8":
            return ("IMM", 1)
        return ("SREG" if t.use == "sgpr" else "SSRC", t.n_regs())

    @staticmethod
    def mask_n_regs(i):
        """1: it depends on the wave."""
        return 2 if "mask64" in i.format.has else 1

    def vector_kind(self, i, t, field):
        n = t.n_regs()
        if t.type.kind == "MASK":
            return ("MASK", self.mask_n_regs(i))
        if t.use in ("lane", "scalar", "sel_lo", "sel_hi"):
            return ("SSRC", 1)
        if t.use == "acc":
            return ("ACC", n)
        if field == "vsrc1" or t.use == "vgpr":
            return ("VGPR", n)
        if i.format.family == "VINTERP":
            return ("INTERP", n)
        if i.format.family == "MAI":
            return ("ACC_C" if field == "src2" else "ACC_AB", n)
        if t.type.matrix:
            # C and D take half as many VGPRs in wave64: only those are sure to be needed.
            return ("MATC", n // 2) if field == "src2" else ("VGPR", n)
        return ("VGPR" if n > 2 else "VSRC", n)

    def bind_vector(self, i):
        name = i.format.family
        fields = [f for f in ("src0", "vsrc1", "src1", "src2") if f in i.format.fields]
        halves = name in COMPACT and "halves" not in i.format.lacks
        for t in i.src:
            slot = len(i.src_kind)
            if t.is_dst:
                continue
            if t.use in IMPLIED:
                i.src_kind.append(("IMPLIED_VCC", 1))
                continue
            if t.base == "LIT":
                i.src_kind.append(("LIT", 1))
                continue
            if not fields:
                raise Bad(i.line, f"{i.format.name} has no field for operand {slot} of {i.name}")
            field = fields.pop(0)
            i.src_kind.append(self.vector_kind(i, t, field))
            # Compares of other things than floats (v_cmp_class masks) have no neg and abs.
            # In SDWA forms integers have a sign instead.
            signed = "sdwa" in i.format.has and t.type.kind in ("INT", "UINT")
            if "N" in i.mods and not signed and (i.cls != "CMP" or t.type.kind == "FLOAT"):
                i.neg |= 1 << slot
            if halves and t.type.bits == 16:
                i.half |= 1 << slot
        if len(i.src_kind) > 3:
            raise Bad(i.line, f"{i.name} has more than three sources")
        if i.dst:
            t = i.dst[0]
            if t.type.kind == "MASK" and t.use in IMPLIED:
                i.dst_kind = ("IMPLIED_EXEC" if t.use == "exec" else "IMPLIED_VCC", 1)
            elif t.type.kind == "MASK":
                i.dst_kind = ("SDST", self.mask_n_regs(i))
            elif t.use == "sgpr":
                i.dst_kind = ("SDST", 1)
            else:
                i.dst_kind = ("ACC" if t.use == "acc" else "VGPR", t.n_regs() // (2 if t.type.matrix else 1))
                if halves and t.type.bits == 16:
                    i.half |= 8
        i.sdst = len(i.dst) > 1 and i.dst[1].type.kind == "MASK"
        i.sdwa = "sdwa" in i.format.has and self.takes_sdwa(i)

    @staticmethod
    def takes_sdwa(i):
        """Parts of registers can be operands where each operand is one register, and is only read or only written."""
        return "W" in i.mods or bool(i.src) and i.cls in ("MAP", "CMP") and not any(
            t.is_dst or t.base == "LIT" or t.use == "acc" or t.n_regs() > 1 for t in i.src + i.dst)
