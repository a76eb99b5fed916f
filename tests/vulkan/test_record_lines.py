#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`breakwater run -O0 SHADER` and `step`: a lane comes to the lines that the same source comes to on the CPU under
gdb, in the same order, and each variable has there what it has on the CPU.

lines/steps.glsl is the body of a shader and of a program in C++. The program is compiled twice, with zeros and with a
pattern in what is not initialized; values that differ between the two do not count."""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import TIMEOUT_S, check, equal, main, run  # noqa: E402

SOURCE = HERE / "lines"
LANES = (5, 0, 42)

GDB = r"""
import gdb, json
def values(frame, line):
    seen, block = {"visits": str(gdb.parse_and_eval("visits"))}, frame.block()
    while block and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                declared = symbol.is_argument or symbol.line < line
                if declared and symbol.name not in seen:
                    seen[symbol.name] = symbol.value(frame).format_string(symbols=False)
        block = block.superblock
    return seen
gdb.execute("set confirm off")
gdb.execute("break shader_main", to_string=True)
gdb.execute("run", to_string=True)
while gdb.selected_frame().name() != "main":
    frame = gdb.selected_frame()
    sal = frame.find_sal()
    if sal.symtab and sal.symtab.filename.endswith("steps.glsl"):  # and not memset
        print("STOP " + json.dumps([sal.line, values(frame, sal.line)]))
        gdb.execute("step", to_string=True)
    else:
        gdb.execute("finish", to_string=True)
"""


def once(stops, lines=None):
    """Stops in these lines; of several in one line that follow each other, the first."""
    out = []
    for line, values in stops:
        if (not lines or line in lines) and (not out or out[-1][0] != line):
            out.append((line, values))
    return out


def run_cpu_once(folder, lane, initial):
    program = folder / f"cpu-{initial}"
    subprocess.run(["clang-19", "-x", "c++", "-g", "-O0", f"-ftrivial-auto-var-init={initial}", "-o", program,
                    SOURCE / "steps_cpu.cpp"], check=True, timeout=TIMEOUT_S)
    script = folder / "gdb.py"
    script.write_text(GDB)
    done = subprocess.run(["gdb", "-nx", "-batch", "-x", script, "--args", program, str(lane)], capture_output=True,
                          text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    stops = [tuple(json.loads(line[5:])) for line in done.stdout.splitlines() if line.startswith("STOP ")]
    check(stops, f"gdb has shown nothing:\n{done.stdout}{done.stderr}")
    return stops


def run_cpu(folder, lane):
    """(line, values by name) at each stop, without the values that are not initialized."""
    first, second = once(run_cpu_once(folder, lane, "zero")), once(run_cpu_once(folder, lane, "pattern"))
    equal([line for line, _ in first], [line for line, _ in second], "lines of both programs")
    return [(line, {n: v for n, v in a.items() if b.get(n) == v}) for (line, a), (_, b) in zip(first, second)]


def run_gpu(lane):
    """The same of a lane, where it is active."""
    script = ["break main", "run", "while $_thread", f"lane {lane}", "frame", f"print ($exec >> {lane}) & 1", "info locals",
              "print visits", "step", "end"]
    stops = []
    for o in run("-O0", "-I", SOURCE, SOURCE / "steps.comp", "--groups", "1", "--arg", "result=zeros:64", script=script, json_lines=True):
        if o.get("command") == "frame":
            line = o.get("line")
        elif o.get("command") == "print" and o["expression"] == "visits":
            stops[-1][1]["visits"] = o["text"]
        elif o.get("command") == "print":
            is_active = o["text"] == "1"
        elif o.get("command") == "info":
            stops.append((line, {v["name"]: v["text"] for v in o["variables"]}, is_active))
    return [(line, values) for line, values, is_active in stops if is_active]


def compare(lane):
    with tempfile.TemporaryDirectory() as folder:
        cpu, gpu = run_cpu(pathlib.Path(folder), lane), run_gpu(lane)
    lines = {line for line, _ in cpu} & {line for line, _ in gpu}
    cpu, gpu = once(cpu, lines), once(gpu, lines)
    counts, wrong = collections.Counter(lines=len(lines), stops=len(gpu)), []
    for i, ((want_line, want), (line, got)) in enumerate(zip(cpu, gpu)):
        check(line == want_line, f"lane {lane}, stop {i}: line {line}, on the CPU {want_line}; before it "
                                 f"{[x for x, _ in gpu[max(i - 8, 0):i]]}")
        for name in want.keys() & got.keys():
            counts["equal"] += got[name] == want[name]
            if got[name] != want[name]:
                wrong.append(f"stop {i}, line {line}: {name} = {got[name]}, on the CPU {want[name]}")
    equal(len(gpu), len(cpu), f"lane {lane}: stops")
    print(f"lane {lane}: {dict(counts)}")
    check(not wrong, "\n".join([f"lane {lane}: {len(wrong)} values differ", *wrong[:20]]))
    check(counts["lines"] > 40 and counts["equal"] > 400, f"too few: {dict(counts)}")


def test_lines():
    for lane in LANES:
        compare(lane)


main(test_lines)
