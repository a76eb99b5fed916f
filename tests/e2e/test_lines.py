#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines of a code object against LLVM: info line, disassemble /s and /m, and breakpoints on the header of a
function. The line table is llvm-dwarfdump's, the instructions are llvm-objdump's, source lines the file's own."""
import collections
import pathlib
import re
import subprocess
import tempfile

from harness import SOURCE, check, equal, events, main, replies, run

SOURCE_FILE = SOURCE / "tests/e2e/kernels/frames.cl"
TEXT = dict(enumerate(SOURCE_FILE.read_text().splitlines(), 1))
FOLDER = tempfile.TemporaryDirectory()
FUNCTIONS = ["room", "deep", "third", "second", "first", "frames"]
ARGS = ["--grid", 32, "--group", 32, "--arg", "out=zeros:64", "--arg", "n=2"]

Row = collections.namedtuple("Row", "start end line is_stmt prologue_end")


def compiled(level):
    out = pathlib.Path(FOLDER.name) / f"frames{level}.co"
    if not out.exists():
        subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib",
                        "-cl-kernel-arg-info", "-g", level, SOURCE_FILE, "-o", out], check=True)
    return out


def llvm(tool, *args):
    return subprocess.run([f"{tool}-19", *args], capture_output=True, text=True, check=True).stdout


def table(code_object):
    """Rows of the line table, with the addresses that they cover."""
    rows = []
    found = re.findall(r"^0x([0-9a-f]{16}) +(\d+) +\d+ +\d+ +\d+ +\d+ +\d+ +(.*)$", llvm("llvm-dwarfdump", "--debug-line", code_object), re.M)
    for this, following in zip(found, found[1:]):
        if "end_sequence" not in this[2]:
            rows.append(Row(int(this[0], 16), int(following[0], 16), int(this[1]), "is_stmt" in this[2], "prologue_end" in this[2]))
    check(len(rows) > 30, f"{code_object}: {len(rows)} rows")
    return rows


def functions(code_object):
    """Name -> addresses of its instructions, without the padding behind it."""
    sizes = re.findall(r"^([0-9a-f]{16}) .* F \.text\s+([0-9a-f]{16}) (?:\.\w+ )?(\w+)$", llvm("llvm-objdump", "--syms", code_object), re.M)
    end = {name: int(start, 16) + int(size, 16) for start, size, name in sizes}
    out = {}
    for line in llvm("llvm-objdump", "-d", "--no-show-raw-insn", code_object).splitlines():
        title = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        address = re.search(r"// ([0-9A-F]{12}):", line)
        if title:
            out[title[2]] = []
        elif address:
            out[list(out)[-1]].append(int(address[1], 16))
    return {name: [a for a in code if a < end[name]] for name, code in out.items()}


def line_at(rows, address):
    return next((r.line for r in rows if r.start <= address < r.end), 0)


def ranges(rows, line):
    """Code of one line without a gap; rows of a line that follow each other are one range."""
    out = []
    previous = None
    for r in rows:
        if r.line == line and previous and previous.line == line and previous.end == r.start and out:
            out[-1][1] = r.end
        elif r.line == line:
            out.append([r.start, r.end])
        previous = r
    return sorted(r for r in out if r[0] < r[1])


def info_line():
    for level in "-O0", "-O2":
        code_object = compiled(level)
        rows = table(code_object)
        last = max(r.line for r in rows if r.is_stmt)
        asked = range(1, len(TEXT) + 2)
        out = run(code_object, *ARGS, json_lines=True, script=[f"info line {SOURCE_FILE.name}:{n}" for n in asked])
        answers = replies(out, "info")
        equal(len(answers), len(asked), f"{level}: answers")
        for line, answer in zip(asked, answers):
            got = answer["ranges"]
            where = f"{level} line {line}"
            equal({r["line"] for r in got}, {line}, where)
            if line > last:
                equal([("start" in r, r["has_code"]) for r in got], [(False, False)], where)
            elif any(r.line == line and r.is_stmt for r in rows):
                equal([[int(r["start"], 16), int(r["end"], 16)] for r in got], ranges(rows, line), where)
            else:
                nearest = min(r.line for r in rows if r.is_stmt and r.line >= line)
                equal([r["has_code"] for r in got], [False], where)
                check(int(got[0]["start"], 16) in [r[0] for r in ranges(rows, nearest)], f"{where}: {got}")


def blocks(text):
    """Source lines above each piece of a listing: [([numbers], [addresses]) ...]."""
    out = []
    for line in text.splitlines():
        number = re.match(r"(\d+)\t(.*)$", line)
        address = re.match(r"(?:=>|  ) 0x([0-9a-f]{12}) ", line)
        if number:
            equal(number[2], TEXT[int(number[1])], "the source line")
        if number or line.startswith("---"):
            if not out or out[-1][1]:
                out.append(([], []))
            out[-1][0].append(int(number[1]) if number else 0)
        elif address:
            out[-1][1].append(int(address[1], 16))
    return out


def disassembly():
    for level in "-O0", "-O2":
        code_object = compiled(level)
        rows = table(code_object)
        code = functions(code_object)
        for name in FUNCTIONS:
            where = f"{level} {name}"
            by_address = blocks(run(code_object, *ARGS, script=[f"disassemble /s {name}"]))
            equal([a for _, part in by_address for a in part], code[name], f"{where}: instructions")
            for numbers, part in by_address:
                equal({line_at(rows, a) for a in part}, {numbers[-1]}, f"{where}: the line of {part}")
                check(numbers == list(range(numbers[0], numbers[-1] + 1)), f"{where}: {numbers}")
            # source between two lines is shown where neither line has code elsewhere
            with_code = {line_at(rows, a) for a in code[name]}
            extra = [n for numbers, _ in by_address[1:] for n in numbers[:-1]]
            equal(set(extra) & with_code, set(), f"{where}: lines that have code of their own")
            by_line = blocks(run(code_object, *ARGS, script=[f"disassemble /m {name}"]))
            equal(sorted(a for _, part in by_line for a in part), code[name], f"{where}: instructions of /m")
            shown = [numbers[-1] for numbers, _ in by_line]
            equal([n for n in shown if n], sorted(with_code - {0}), f"{where}: lines of /m, each once")
            for numbers, part in by_line:
                equal(part, [a for a in code[name] if line_at(rows, a) == numbers[-1]], f"{where}: line {numbers[-1]}")


def headers():
    """A breakpoint on the header of a function stops behind its prologue, as one on its name does."""
    rows = table(compiled("-O0"))
    for name in "deep", "second", "frames":
        header = next(n for n, text in TEXT.items() if re.search(rf"^\S.*\b{name}\(", text))
        stops = []
        for where in f"{SOURCE_FILE.name}:{header}", f"{SOURCE_FILE.name}:{header + 1}", name:
            out = run(compiled("-O0"), *ARGS, json_lines=True, script=[f"break {where}", "run", "info symbol $pc", "kill"])
            offset = int(replies(out, "info")[0]["offset"])
            stops.append((events(out, "stop")[0]["line"], offset))
        start = functions(compiled("-O0"))[name][0]
        expected = next(r for r in rows if r.prologue_end and r.start > start)
        equal(stops, [(expected.line, expected.start - start)] * 3, name)


def damage():
    """Of two files, one has a damaged line table: the lines of the other one stay, and a warning names the file."""
    folder = pathlib.Path(FOLDER.name)
    options = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-g", "-O0"]
    objects = []
    for name, number in ("one", 1), ("two", 2):
        (folder / f"{name}.cl").write_text(f"__kernel void {name}(__global int *out)\n{{\n\tout[0] = {number};\n}}\n")
        objects.append(folder / f"{name}.o")
        subprocess.run([*options, "-c", folder / f"{name}.cl", "-o", objects[-1]], check=True)
    whole = folder / "both.co"
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", *objects, "-o", whole], check=True)
    tables = [int(n, 16) for n in re.findall(r"^debug_line\[0x([0-9a-f]+)\]", llvm("llvm-dwarfdump", "--debug-line", whole), re.M)]
    equal(len(tables), 2, "line tables")
    section = re.search(r" \.debug_line +PROGBITS +[0-9a-f]+ ([0-9a-f]+)", llvm("llvm-readelf", "-S", whole))
    for broken, name, other in (1, "two", "one"), (0, "one", "two"):
        data = bytearray(whole.read_bytes())
        at = int(section[1], 16) + tables[broken]
        data[at + 4:at + 6] = b"\xff\xff"  # the version, behind the length
        code_object = folder / f"broken-{name}.co"
        code_object.write_bytes(data)
        out = run(code_object, "--kernel", other, "--grid", 1, "--group", 1, "--arg", "0=zeros:1:i32", "--print", "0",
                  script=[f"break {other}", "run", f"break {name}", f"info line {other}.cl:3", "continue"])
        equal(len(re.findall("^warning: .*damaged debug information", out, re.M)), 1, f"warnings: {out}")
        check(f"the lines of {folder}/{name}.cl are not known" in out, out)
        check(f"{other} (out=" in out and f"at {other}.cl:3" in out, f"the stop: {out}")
        check(f'Line 3 of "{other}.cl" starts at address' in out, f"info line: {out}")
        check(("1" if other == "one" else "2") in out.splitlines(), f"the program continues: {out}")


def damaged_units():
    """Where no unit can be read the code is debugged without lines, and a warning says why there are none."""
    folder = pathlib.Path(FOLDER.name)
    whole, code_object = compiled("-O0"), folder / "no-units.co"
    section = re.search(r" \.debug_abbrev +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", llvm("llvm-readelf", "-S", whole))
    start, size = int(section[1], 16), int(section[2], 16)
    data = bytearray(pathlib.Path(whole).read_bytes())
    data[start:start + size] = b"\xff" * size
    code_object.write_bytes(data)
    out = run(code_object, *ARGS, script=["break frames", "run", "stepi", "info locals", "kill"])
    equal(len(re.findall("^warning: .*damaged debug information", out, re.M)), 1, f"warnings: {out}")
    check("hit Breakpoint 1" in out and "in frames ()" in out, f"the stop: {out}")


main(info_line, disassembly, headers, damage, damaged_units)
