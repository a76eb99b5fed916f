#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every location of every variable against llvm-dwarfdump's text of it.

Usage: test_locations.py PRINT_LOCATIONS LLVM_DWARFDUMP FOLDER

The rules are those of doc/hardware/code-objects.md 7, written once more on the words of the dump.
"""
import pathlib
import re
import subprocess
import sys

SPACE = r", DW_OP_lit(\d+), DW_OP_swap, DW_OP_xderef"
COMPUTING = r"DW_OP_(bregx|lit|const|plus|minus|mul|div|mod|and|or|xor|not|neg|sh[lr]|shra|[lg][te]|eq|ne|convert)"
MASK = (1 << 64) - 1
BINARY = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "mul": lambda a, b: a * b,
          "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b, "plus": lambda a, b: a + b, "minus": lambda a, b: a - b}


def register(name):
    """A register as llvm-dwarfdump names it: by its number where it has no name."""
    if m := re.fullmatch(r"([SV])GPR(\d+)(_LO16)?", name):
        return m[1].lower() + m[2]
    number = int(name, 0)
    if number >= 0xa00:
        return f"v{number - 0xa00}"
    if number >= 0x600:
        return f"v{number - 0x600}"
    return f"s{number - 32}"


def constant(expr):
    """The number that operators on constants make, None for others."""
    stack = []
    for op in expr.split(", "):
        word, *operand = op.removeprefix("DW_OP_").split(" ")
        if m := re.fullmatch(r"lit(\d+)", word):
            stack.append(int(m[1]))
        elif word.startswith("const") and word != "constx":
            stack.append(int(operand[0], 0))
        elif word == "not" and stack:
            stack.append(~stack.pop())
        elif word == "neg" and stack:
            stack.append(-stack.pop())
        elif word in BINARY and len(stack) > 1:
            b, a = stack.pop(), stack.pop()
            stack.append(BINARY[word](a, b))
        else:
            return None
    return stack[0] & MASK if len(stack) == 1 else None


def place(expr, frame):
    """What our reader must say of an expression without pieces."""
    if not expr:
        return "out"
    is_value = expr.endswith(", DW_OP_stack_value")
    body = expr.removesuffix(", DW_OP_stack_value")
    space = re.search(SPACE + "$", body)
    body = re.sub(SPACE + "$", "", body)
    if is_value and (number := constant(body)) is not None:
        return f"={number}"
    if (m := re.fullmatch(r"DW_OP_fbreg ([+-]\d+)", body)) and not is_value:
        return f"private[{frame}{int(m[1]):+d}]"
    if (m := re.fullmatch(r"DW_OP_regx (\w+)", body)) and not space:
        return register(m[1])
    if m := re.fullmatch(r"DW_OP_bregx (\w+) ?\+0", body):
        return register(m[1]) if is_value or space and space[1] == "1" else "unknown"
    if is_value and re.match(r"DW_OP_bregx [SV0]", body) and all(re.match(COMPUTING, op) for op in body.split(", ")):
        return "computed"
    if body.startswith("DW_OP_addr") and space:
        return "lds"
    if re.fullmatch(r"DW_OP_addrx? \w+", body):
        return "image"
    return "unknown"


def whole(expr, frame):
    if "DW_OP_piece" not in expr:
        return [(place(expr, frame), 0)]
    pieces, at = [], 0
    for m in re.finditer(r"(?:, )?DW_OP_piece 0x([0-9a-f]+)", expr):
        pieces.append((place(expr[at:m.start()].removeprefix(", "), frame), int(m[1], 16)))
        at = m.end()
    assert at == len(expr), expr
    return pieces


def dump(llvm_dwarfdump, path):
    """{die: [(start, end, expression)] or expression}, {die: frame base of its function}, the dies of arrays"""
    found, frames, arrays, die, frame, entries = {}, {}, set(), None, "", None
    text = subprocess.run([llvm_dwarfdump, "--debug-info", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if m := re.match(r"(0x[0-9a-f]{8}): +(DW_TAG_\w+)", line):
            die = int(m[1], 16)
            if m[2] == "DW_TAG_subprogram":
                frame = ""
            frames[die] = frame
        elif m := re.match(r"\s+DW_AT_frame_base\s+\(DW_OP_regx (\w+)\)", line):
            frame = register(m[1])
        elif m := re.match(r"\s+DW_AT_location\s+\((.*)", line):
            if m[1].startswith("DW_OP"):
                found[die] = m[1].removesuffix(")")
            else:
                entries = found[die] = []
        elif re.match(r"\s+DW_AT_type\s.*\]\"\)$", line):
            arrays.add(die)
        elif m := re.match(r"\s+DW_AT_const_value\s+\((-?\w+)\)", line):
            found[die] = f"DW_OP_consts {m[1]}, DW_OP_stack_value"
        elif m := re.match(r"\s+\[(0x[0-9a-f]+), +(0x[0-9a-f]+)\): (.*)", line):
            if entries is None:
                continue  # of a list of ranges
            expr = m[3]
            last = expr.count("(") < expr.count(")")
            entries.append((int(m[1], 16), int(m[2], 16), expr[:-1] if last else expr))
            entries = None if last else entries
    return found, frames, arrays


def same(said, size_b, wanted):
    """Whether a line of ours says what is wanted."""
    if len(wanted) == 1 and not wanted[0][1]:
        want = wanted[0][0]
        if want.startswith("=") and said.startswith("="):
            return (int(said[1:]) - int(want[1:])) % (1 << 8 * min(size_b, 8)) == 0
        if want == "lds":
            return said == "lds" or said == "unknown: LDS offset unknown"
        if want == "image":
            return said.startswith("image[")
        return said.split(":")[0] == want
    pieces = [(p.rsplit(":", 1)[0], int(p.rsplit(":", 1)[1])) for p in said.split()]
    rest = size_b - sum(n for _, n in wanted)
    return pieces == wanted + ([("out", rest)] if rest else [])


def main():
    print_locations, llvm_dwarfdump, folder = sys.argv[1:4]
    objects = sorted(str(p) for p in pathlib.Path(folder).glob("*.co") if re.match(r"survey\.|types\.hip\.", p.name))
    lines = subprocess.run([print_locations, *objects], capture_output=True, text=True, check=True).stdout.splitlines()
    counts, wrong, unseen, moved, found = {}, [], 0, 0, {}
    seen = set()
    for line in lines + ["object"]:
        if line.startswith("object"):
            unseen += sum((die, entry[0], entry[1]) not in seen
                          for die, entries in found.items() if isinstance(entries, list) for entry in entries)
            seen = set()
            if line != "object":
                path = line.split(" ", 1)[1]
                found, frames, arrays = dump(llvm_dwarfdump, path)
            continue
        die, start, end, size_b, said = line.split(" ", 4)
        die, start, end, said = int(die, 16), int(start, 16), int(end, 16), said.strip()
        entries = found.get(die, "")
        if isinstance(entries, str):
            expr = entries
        else:
            inside = [e for e in entries if e[0] < end and start < e[1]]
            expr = inside[0][2] if inside else ""
            if inside and (len(inside) > 1 or inside[0][:2] != (start, end)):
                wrong.append(f"{path}: {line}: the dump has {inside}")
                continue
            seen.add((die, start, end))
        wanted = whole(expr, frames.get(die, ""))
        if said == "out" and die in arrays and re.fullmatch(r"v\d+", wanted[0][0]):
            moved += 1  # to LDS, where the register has its address
        elif not same(said, int(size_b), wanted):
            wrong.append(f"{path}: {line}: the dump has {expr!r}: {wanted}")
        kind = re.match(r"[a-z]*|=", said)[0].rstrip("0123456789") if len(wanted) == 1 else "pieces"
        counts[kind or "constant"] = counts.get(kind or "constant", 0) + 1
    print(f"{len(objects)} objects, {sum(counts.values())} locations:",
          ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())), f"; {unseen} entries of lists out of scope; {moved} arrays moved to LDS")
    for w in wrong[:20]:
        print(w)
    return bool(wrong) or len(objects) < 60 or sum(counts.values()) < 1000


if __name__ == "__main__":
    sys.exit(main())
