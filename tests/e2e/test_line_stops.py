#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A breakpoint on a line stops as often as gdb's does in a run of the same source on the CPU: once at a "for", and not in
each of its rounds; at each copy of an inlined function."""
import json
import pathlib
import re
import subprocess
import tempfile

from harness import KERNELS, TIMEOUT_S, Session, ask_gdb, check, equal, main

SOURCE = KERNELS / "loops.cl"
ARGS = ["--grid", 32, "--group", 32, "--arg", "out=zeros:64", "--arg", "n=5"]
CPU = """#define __kernel
#define __global
#include "loops.cl"
int main(void) { int out[64] = {0}; kern(out, 5); return 0; }
"""
GDB = r"""
import gdb, json
gdb.execute("set width 0")
class Silent(gdb.Breakpoint):
    hits = 0
    def stop(self):
        self.hits += 1
        return False
points = {line: Silent("loops.cl:%%d" %% line) for line in %s}
gdb.execute("run", to_string=True)
print("ANSWER " + json.dumps([[line, p.hits] for line, p in points.items()]))
"""


END = len(SOURCE.read_text().splitlines())


def lines_of(program):
    done = subprocess.run(["llvm-dwarfdump-19", "--debug-line", program], capture_output=True, text=True, check=True, timeout=TIMEOUT_S)
    return {int(line) for line in re.findall(r"^0x[0-9a-f]+ +(\d+) +\d+ +[01] .*is_stmt", done.stdout, re.MULTILINE)} - {0}


def line_of(text):
    return 1 + next(i for i, line in enumerate(SOURCE.read_text().splitlines()) if text in line)


def on_the_cpu(folder, lines):
    hits, = ask_gdb(GDB % json.dumps(lines), folder / "cpu")
    return dict(hits)


def on_the_gpu(lines):
    session = Session("-O0", SOURCE, *ARGS)
    number = {session.command(f"break loops.cl:{line}")["number"]: line for line in lines}
    for n in number:
        session.send(json.dumps({"id": f"silent {n}", "command": f"commands {n}\nsilent\ncontinue\nend"}))
    session.command(f"break {END}")
    session.command("run")
    answer = session.command("info breakpoints")
    hits = {number[b["number"]]: b["hits"] for b in answer["breakpoints"] if b["number"] in number}
    session.end()
    return hits


def each_line():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "cpu.c").write_text(CPU)
        subprocess.run(["clang-19", "-g", "-O0", "-w", "-I", KERNELS, "-o", folder / "cpu", folder / "cpu.c"], check=True,
                       timeout=TIMEOUT_S)
        lines = sorted(line for line in lines_of(folder / "cpu") if 2 < line < END)
        cpu = on_the_cpu(folder, lines)
    # two inlined copies follow each other: the CPU's table has no statement of their last line in one of them
    first, last = line_of("int r = 0"), line_of("return r")
    check(cpu[last] < cpu[first], "gdb stops in all copies")
    cpu[last] = cpu[first]
    gpu = on_the_gpu(lines)
    print(f"{len(lines)} lines, {sum(cpu.values())} stops")
    equal({line: n for line, n in gpu.items() if cpu[line] != n}, {}, f"stops by line that are not the CPU's {cpu}")


if __name__ == "__main__":
    main(each_line)
