#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`breakwater run -O0 SHADER` with `step` and `next`: a lane comes to the lines that the same source comes to on the
CPU under gdb, in the same order, with the same callers, and each variable has there what it has on the CPU.

lines/steps.glsl is the body of a shader and of a program in C++, and so are lines/stores.glsl, with buffers and shared
variables, and random ones (random_shaders.py). The program is compiled twice, with zeros and with a pattern in what is not initialized; values that differ between the two
do not count.

    test_record_lines.py [FIRST LAST]      of random shaders, by their seeds"""
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import random_shaders  # noqa: E402
from harness import TIMEOUT_S, ask_gdb, check, equal, main, run  # noqa: E402

LINES = HERE / "lines"
LANES = (5, 0, 42)
SEEDS = range(*(int(a) for a in sys.argv[1:3])) if len(sys.argv) > 2 else range(6)

GDB = r"""
import gdb, json
def values(frame, line):
    seen, block = {e: gdb.parse_and_eval(e).format_string() for e in WATCHED}, frame.block()
    seen["in scope"] = names = []
    while block and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                names.append(symbol.name)
                declared = symbol.is_argument or symbol.line < line
                if not declared:  # what the name means in the block around it is no matter here
                    seen.setdefault(symbol.name, None)
                if symbol.name not in seen:
                    value = symbol.value(frame)
                    if value.type.code == gdb.TYPE_CODE_REF:
                        value = value.referenced_value()
                    seen[symbol.name] = value.format_string(symbols=False)
        block = block.superblock
    return seen
def callers(frame):
    chain = []
    while frame.name() != "main":
        chain.append([frame.function().name.split("(")[0], frame.find_sal().line])
        frame = frame.older()
    return chain
gdb.execute("set confirm off")
gdb.execute("break shader_main", to_string=True)
gdb.execute("run", to_string=True)
while gdb.selected_frame().name() != "main":
    frame = gdb.selected_frame()
    sal = frame.find_sal()
    if sal.symtab and sal.symtab.filename.endswith(".glsl"):  # and not memset
        print("ANSWER " + json.dumps([sal.line, values(frame, sal.line), callers(frame)]))
        gdb.execute("HOW", to_string=True)
    else:
        gdb.execute("finish", to_string=True)
"""


ELEMENT = "[gl_GlobalInvocationID.x]"
# Of each shader: what is printed at each stop beside its local variables, and the buffers that it has.
STEPS = ("steps", ["visits"], {"result": 64})
STORES = ("stores", ["visits", "count", "most", *(name + ELEMENT for name in ("result", "sums", "pairs", "room"))],
          {"result": 64, "count": 1, "sums": 64, "pairs": 128})


def once(stops, lines=None):
    """Stops in these lines; of several in one line that follow each other, the first."""
    out = []
    for stop in stops:
        if (not lines or stop[0] in lines) and (not out or out[-1][0] != stop[0]):
            out.append(stop)
    return out


def run_cpu_once(source, folder, lane, how, initial, what):
    program = folder / f"cpu-{initial}"
    subprocess.run(["clang-19", "-x", "c++", "-g", "-O0", "-w", "-fwrapv", f"-ftrivial-auto-var-init={initial}", "-o", program,
                    source / f"{what[0]}_cpu.cpp"], check=True, timeout=TIMEOUT_S)
    return [tuple(stop) for stop in ask_gdb(GDB.replace("HOW", how).replace("WATCHED", repr(what[1])), program, lane)]


def run_cpu(source, folder, lane, how, what):
    """(line, values by name, function and line of each frame) at each stop, without the values that are not
    initialized."""
    first, second = (once(run_cpu_once(source, folder, lane, how, initial, what)) for initial in ("zero", "pattern"))
    equal([line for line, *_ in first], [line for line, *_ in second], "lines of both programs")
    return [(line, {n: v for n, v in a.items() if v is not None and b.get(n) == v}, frames) for (line, a, frames), (_, b, _) in zip(first, second)]


def run_gpu(shader, lane, how, what):
    """The same of a lane, where it is active."""
    name, watched, buffers = what
    script = ["break main", "run", "while $_thread", f"lane {lane}", "bt", f"print ($exec >> {lane}) & 1", "info args", "info locals",
              *(f"print {e}" for e in reversed(watched)), how, "end"]
    stops, args = [], [word for b, n in buffers.items() for word in ("--arg", f"{b}=zeros:{n}")]
    for o in run("-O0", shader, "--groups", "1", *args, script=script, json_lines=True):
        if o.get("command") == "backtrace":
            frames = [["shader_main" if f["function"] == name else f["function"], f["line"]] for f in o["frames"]]
            values = {}
        elif o.get("command") == "print" and o["expression"] in watched:
            values[o["expression"]] = o["text"]
            if o["expression"] == watched[0] and is_active:
                stops.append((frames[0][1], values, frames))
        elif o.get("command") == "print":
            is_active = o["text"] == "1"
        elif o.get("command") == "info":
            values.update({v["name"]: v["text"] for v in o["variables"] if v["name"] not in [*buffers, "room"]})
    return stops


def compare(source, lane, how, shader=None, what=STEPS):
    with tempfile.TemporaryDirectory() as folder:
        cpu, gpu = run_cpu(source, pathlib.Path(folder), lane, how, what), run_gpu(shader or source / f"{what[0]}.comp", lane, how, what)
    lines = {line for line, *_ in cpu} & {line for line, *_ in gpu}
    cpu, gpu = once(cpu, lines), once(gpu, lines)
    counts, wrong = collections.Counter(lines=len(lines), stops=len(gpu)), []
    for i, ((want_line, want, callers), (line, got, frames)) in enumerate(zip(cpu, gpu)):
        check(line == want_line, f"lane {lane}, {how}, stop {i}: line {line}, on the CPU {want_line}; before it "
                                 f"{[x for x, *_ in gpu[max(i - 8, 0):i]]}")
        equal(frames, callers, f"lane {lane}, {how}, stop {i}: frames")
        counts["frames"] += len(frames)
        wrong += [f"stop {i}, line {line}: {name} is listed, and not in scope" for name in got if name not in want["in scope"] + what[1]]
        counts["in scope"] += len(want["in scope"])
        for name in want.keys() & got.keys():
            counts["equal"] += got[name] == want[name]
            if got[name] != want[name]:
                wrong.append(f"stop {i}, line {line}: {name} = {got[name]}, on the CPU {want[name]}")
    equal(len(gpu), len(cpu), f"lane {lane}, {how}: stops")
    print(f"lane {lane}, {how}: {dict(counts)}")
    check(not wrong, "\n".join([f"lane {lane}, {how}: {len(wrong)} values differ", *wrong[:20]]))
    return counts


def test_step():
    for lane in LANES:
        counts = compare(LINES, lane, "step")
        check(counts["lines"] > 40 and counts["equal"] > 600, f"too few: {dict(counts)}")


def test_next():
    for lane in LANES:
        counts = compare(LINES, lane, "next")
        check(counts["lines"] > 20 and counts["equal"] > 300, f"too few: {dict(counts)}")


def test_scopes():
    """Of several variables of one name the one that is in scope; those that are not are not listed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, new in (("steps.comp", "steps.comp"), ("steps_cpu.cpp", "steps_cpu.cpp"), ("scopes.glsl", "steps.glsl")):
            shutil.copy(LINES / name, pathlib.Path(folder, new))
        for lane, how in ((5, "step"), (2, "next")):
            counts = compare(pathlib.Path(folder), lane, how)
            check(counts["lines"] > 20 and counts["equal"] > 150, f"too few: {dict(counts)}")


def test_stores():
    """Buffers and shared variables are no further than the line."""
    for lane, how in ((5, "step"), (0, "next")):
        counts = compare(LINES, lane, how, what=STORES)
        check(counts["lines"] > 20 and counts["equal"] > 250, f"too few: {dict(counts)}")


def test_debug_instructions():
    """SPIR-V that has its lines and its source in instructions of the debug information, not in OpLine."""
    with tempfile.TemporaryDirectory() as folder:
        shader = pathlib.Path(folder) / "steps.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-gVS", "-V", LINES / "steps.comp", "-o", shader],
                       check=True, timeout=TIMEOUT_S)
        counts = compare(LINES, 5, "step", shader)
        check(counts["lines"] > 40 and counts["equal"] > 600, f"too few: {dict(counts)}")


def test_random():
    """Functions of random shaders are frames as well, and a lane may be inactive while others are in a branch."""
    counts = collections.Counter()
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("steps.comp", "steps_cpu.cpp"):
                shutil.copy(LINES / name, folder)
            pathlib.Path(folder, "steps.glsl").write_text(random_shaders.Shader(seed).text)
            print(f"seed {seed}:", end=" ")
            counts.update(compare(pathlib.Path(folder), 5, "step" if seed % 3 else "next"))
    print(f"random shaders: {dict(counts)}")
    check(counts["equal"] > 300 * len(SEEDS), f"too few: {dict(counts)}")


main(*([test_random] if len(sys.argv) > 2 else [test_step, test_next, test_scopes, test_stores, test_debug_instructions, test_random]))
