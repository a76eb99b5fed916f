# SPDX-License-Identifier: MIT
"""The operand types of data/isa/*.enc, for isa_enc.py: what a type's name says, and T, dst:T, T(use), T? of a row."""
import re

# What is in parentheses after a type: enum bw_operand_use.
USES = ["vcc", "exec", "addr", "soffset", "mip", "msg", "trapid", "rel", "hwreg", "imm", "lane", "lane*4", "scalar",
        "sel_lo", "sel_hi", "sgpr", "vgpr", "acc", "new:cmp", "addend", "factor", "hi"]


class Bad(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


class Type:
    """What one operand is. kind is one of enum bw_operand_type, bits are those of all n elements (0: they
    depend on the wave size or on fields)."""

    def __init__(self, name, bits, line):
        self.name, self.bits = name, bits
        self.n, self.packed, self.matrix, self.half = 1, False, False, ""
        kinds = {"B": "BITS", "U": "UINT", "I": "INT", "F": "FLOAT", "BF": "BFLOAT", "IU": "IU", "A": "ADDRESS",
                 "SADDR": "ADDRESS", "IMM": "IMM"}
        whole = {"MASK": "MASK", "EXPORT": "EXPORT", "TEXEL": "TEXEL", "VADDR": "VADDR", "VADDR0-2": "VADDR",
                 "ATTR": "ATTR", "CHAN": "ATTR", "LIT": "LITERAL", "LIT32": "LITERAL", "VSHARP": "BUFFER",
                 "TSHARP": "IMAGE", "SSHARP": "SAMPLER", "BVHSHARP": "BVH", "B32xN": "BITS"}
        number = re.fullmatch(r"(BF|IU|SADDR|IMM|[BUIFA])(\d+)(?:x(\d+))?", name)
        packed = re.fullmatch(r"PK(\d+)_(BF|IU|[UIF])(\d+)", name)
        matrix = re.fullmatch(r"MAT_(BF|IU|[IF])\d+x(\d)v", name)
        each = 0
        if name in whole:
            self.kind = whole[name]
        elif number:
            self.kind, each, self.n = kinds[number[1]], int(number[2]), int(number[3] or 1)
        elif packed:
            self.kind, self.n, each, self.packed = kinds[packed[2]], int(packed[1]), int(packed[3]), True
        elif matrix:
            self.kind, self.n, each, self.matrix = kinds[matrix[1]], int(matrix[2]), 32, True
        elif re.fullmatch(r"PK16x[1-4]", name):
            self.kind, self.n, each, self.packed = "BITS", int(name[5]), 16, True
        elif re.fullmatch(r"FMTx[1-4]", name):
            self.kind, self.n = "FORMAT", int(name[4])
        elif name in ("LO16", "HI16"):
            self.kind, each, self.half = "BITS", 16, name[:2]
        else:
            raise Bad(line, f"type {name}: nothing says what such an operand is")
        if each and each * self.n != bits:
            raise Bad(line, f"type {name} has {each * self.n} bits, not {bits}")


class Operand:
    """T, dst:T, T(use), T?"""

    def __init__(self, text, types, line):
        m = re.fullmatch(r"(dst:)?([A-Za-z0-9_/-]+)(?:\(([a-z0-9_:*]+)\))?(\?)?", text)
        if not m:
            raise Bad(line, f"operand type '{text}' does not parse")
        for part in m[2].split("/"):
            if part not in types:
                raise Bad(line, f"type {part} is not declared")
        if m[3] and m[3] not in USES:
            raise Bad(line, f"operand type '{text}': nothing is called ({m[3]})")
        self.base = m[2].split("/")[0]
        self.type = types[self.base]
        self.is_dst, self.use, self.optional = bool(m[1]), m[3] or "", bool(m[4])

    def n_regs(self):
        return max(1, (self.type.bits + 31) // 32)
