#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same session for every kind of code (kernels/mix.cl): wave32 and wave64, -O0 and -O2, with debug information,
without, and stripped. Stops, steps over barriers and calls, conditions, arguments, LDS, a watchpoint with its old
and new value; then the result, which must be what the host computes."""
import os
import subprocess
import tempfile

from harness import KERNELS, check, equal, events, main, replies, run

GROUPS, GROUP, ROUNDS = 2, 128, 5
N = GROUPS * GROUP


def twist(v):
    for _ in range(ROUNDS):
        v = (v * 1664525 + 1013904223) & 0xffffffff
    return v


def shared(group):
    return [twist(i) if i & 1 else i for i in range(group * GROUP, (group + 1) * GROUP)]


def expected():
    out = []
    for group in range(GROUPS):
        lds = shared(group)
        out += [lds[i] ^ lds[GROUP - 1 - i] for i in range(GROUP)]
    return out


def build(folder, lanes, level, kind):
    path = os.path.join(folder, f"mix{lanes}{level}{kind}.co")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-cl-std=CL2.0",
                    "-cl-kernel-arg-info", f"-O{level}", *(["-g"] if kind == "debug" else []),
                    "-mwavefrontsize64" if lanes == 64 else "-mno-wavefrontsize64",
                    "-x", "cl", str(KERNELS / "mix.cl"), "-o", path], check=True, stderr=subprocess.DEVNULL)
    if kind == "stripped":
        subprocess.run(["llvm-strip-19", "--strip-all", path], check=True)
    return path


ARGS = ["--kernel", "mix", "--grid", N, "--group", GROUP, "--arg", f"in=iota:{N}:u32", "--arg", f"out=zeros:{N}:u32",
        "--arg", f"rounds={ROUNDS}"]


def last_store(path, what):
    """Offset from mix of the store to out, as the disassembly has it."""
    out = run(path, *ARGS, json_lines=True, script=["break mix", "run", "disassemble mix", "kill"])
    lines = replies(out, "disassemble")[0]["instructions"]
    stores = [l for l in lines if l["text"].startswith(("global_store_b32", "flat_store_b32"))]
    check(stores, f"{what}: no store in {lines}")
    return int(stores[-1]["address"], 16) - int(lines[0]["address"], 16)


def session(path, lanes, kind, what):
    store = last_store(path, what)
    out = run(path, *ARGS, "--print", f"out:{N}", json_lines=True, script=[
        "break mix", "run", "print $_launch.in[5]", "print $_launch.rounds", "print/x $exec", "info waves all", "delete",
        "stepi 7", "nexti 5", "thread 1",
        f"break *mix+{store} if $_workgroup == 1,0,0 && $_thread_workgroup_pos == 0", "continue",
        "print $_workgroup", "x/128dw lds#0", "info line", "delete",
        f"watch $_launch.out[{GROUP + 3}]", "continue", "print $_lane_workgroup_pos", "delete", "stepi", "continue"])
    values = [o.get("value") for o in replies(out, "print")]
    equal(values[:2], [5, ROUNDS], f"{what}: arguments")
    equal(replies(out, "print")[2]["text"], f"0x{(1 << lanes) - 1:x}", f"{what}: exec")
    waves = [o for o in replies(out, "info") if o.get("what") == "waves"][0]["waves"]
    equal(len(waves), N // lanes, f"{what}: waves")
    equal(values[3], [1, 0, 0], f"{what}: the workgroup of the condition")
    lds = [int(v) & 0xffffffff for v in replies(out, "x")[0]["values"]]
    equal(lds, shared(1), f"{what}: LDS")
    line = [o for o in replies(out, "info") if o.get("what") == "line"][0]
    equal("line" in line, kind == "debug", f"{what}: source line")
    if kind == "debug":
        check(line["file"].endswith("mix.cl"), f"{what}: {line}")
    hits = [o for o in events(out, "stop") if "watchpoint" in o]
    equal([(o["old_value"], o["new_value"]) for o in hits], [("0", str(expected()[GROUP + 3]))], f"{what}: watchpoint")
    equal([int(w) & 0xffffffff for w in events(out, "output")[-1]["text"].split()], expected(), f"{what}: out")
    functions = {o.get("function") for o in events(out, "stop") if "pc" in o}
    check(functions <= {"mix", "twist", None}, f"{what}: functions {functions}")


def every_kind():
    with tempfile.TemporaryDirectory() as folder:
        for lanes in (32, 64):
            for level, kind in ((0, "debug"), (0, "stripped"), (2, "debug"), (2, "plain"), (2, "stripped")):
                session(build(folder, lanes, level, kind), lanes, kind, f"wave{lanes} -O{level} {kind}")


if __name__ == "__main__":
    main(every_kind)
