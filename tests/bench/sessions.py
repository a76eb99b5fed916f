#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of whole sessions: first stop, single steps in a script, breakpoints that many waves meet, two
cores against one, a kernel of 10,000 instructions."""
import collections
import os
import pathlib
import subprocess
import tempfile
import time

BUILD = None
Row = collections.namedtuple("Row", "name value unit design")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SAXPY = ["examples/saxpy.s", "--grid", "256", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
         "y=fill:256:1", "--arg", "out=zeros:256"]


def session(options, commands):
    """Seconds that breakwater run takes."""
    with tempfile.NamedTemporaryFile("w", suffix=".bw") as f:
        f.write("\n".join(commands) + "\n")
        f.flush()
        start = time.monotonic()
        subprocess.run([BUILD / "breakwater", "run", "--batch", "-x", f.name, *options], cwd=SOURCE, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return time.monotonic() - start


def plain(options, server_args):
    """Seconds that a kernel takes that nothing stops."""
    start = time.monotonic()
    subprocess.run([BUILD / "breakwater", "run", *options], cwd=SOURCE, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, BREAKWATER_VGPU_ARGS=server_args))
    return time.monotonic() - start


def best(n, f):
    return min(f() for _ in range(n))


def long_kernel(folder, n):
    """A code object of n distinct instructions."""
    text = (SOURCE / "tests/bench/kernels/work.s").read_text()
    ops = ["v_add_nc_u32 v3, 0x{:x}, v2", "v_xor_b32 v4, 0x{:x}, v3", "v_mul_f32 v5, 0x{:x}, v4", "v_max_u32 v6, 0x{:x}, v5"]
    body = "\n".join(ops[i % 4].format(0x10000 + i) for i in range(n))
    head, rest = text.split("\ts_mov_b32 s6, 20000\n")
    text = head + body + rest[rest.index("\n\ts_waitcnt"):]
    source, code = pathlib.Path(folder, "long.s"), pathlib.Path(folder, "long.co")
    source.write_text(text)
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-mno-wavefrontsize64", source, "-o", code],
                   check=True)
    return str(code)


def measure(build):
    global BUILD
    BUILD = pathlib.Path(build).resolve()
    loop = [str(SOURCE / "tests/e2e/kernels/loop.s"), "--grid", "64", "--group", "64", "--arg", "out=zeros:4"]
    def many(waves):
        return [str(SOURCE / "tests/e2e/kernels/many32.s"), "--grid", str(waves * 32), "--group", "64", "--arg",
                f"out=zeros:{waves * 32}"]
    first = best(5, lambda: session(SAXPY, ["break saxpy", "run", "kill"]))
    base = best(3, lambda: session(loop, ["break again", "run", "delete", "kill"]))
    steps, one, false_waves = 10000, 2000, 100000
    stepped = session(loop, ["break again", "run", "delete", f"stepi {steps}", "kill"])
    scripted = session(loop, ["break again", "run", "delete"] + ["stepi"] * one + ["kill"])
    all_waves = session(many(4096), ["break odd", "run"] + ["continue"] * 4)
    undisturbed = best(2, lambda: session(many(false_waves), ["run"]))
    # False conditions, by who finds that out and how: the trap handler from a mask of lanes, from one lane after
    # the other, from what is the same for all; the debugger for what lies in memory.
    conditions = {
        "a workgroup": "$_workgroup == 1000000,0,0",
        "a VGPR of each lane": "$v1 == 0x7fffffff",
        "computed for each lane": "$v1 + $v3 == 0x7fffffff",
        "computed, the same for all": "$s2 * 2 == 1000001",
    }
    passing = {name: session(many(false_waves), [f"break odd if {c}", "run"]) for name, c in conditions.items()}
    few = 2000
    few_undisturbed = best(2, lambda: session(many(few), ["run"]))
    in_memory = session(many(few), ["break odd if out[0] == 12345", "run"])
    waves = 1536
    work = [str(SOURCE / "tests/bench/kernels/work.s"), "--grid", str(waves * 32), "--group", "64", "--arg",
            f"out=zeros:{waves * 32}"]
    one_core = plain(work, "--threads 1")
    two_cores = plain(work, "--threads 2")
    instructions = waves * 20000 * 11
    with tempfile.TemporaryDirectory() as folder:
        co = long_kernel(folder, 10000)
        start = best(3, lambda: plain([co, "--grid", "64", "--group", "64", "--arg", "out=zeros:64"], ""))
    return [
        Row("first stop of a small kernel, from the command", first * 1e3, "ms", 300),
        Row("kernel of 10,000 distinct instructions, start to end", start * 1e3, "ms", 1000),
        Row(f"stepi {steps}", steps / (stepped - base), "steps/s", 10000),
        Row(f"{one} x stepi in a script", one / (scripted - base), "steps/s", 10000),
        Row("4096 waves: break in all, continue to the end", all_waves, "s", None),
        Row(f"{false_waves} waves pass a breakpoint, condition false", passing["a workgroup"], "s", None),
        *[Row(f"  a wave, by {name}", (t - undisturbed) / false_waves * 1e6, "us", None) for name, t in passing.items()],
        Row("  a wave, by memory (the debugger looks)", (in_memory - few_undisturbed) / few * 1e6, "us", None),
        Row("ALU loop in 1536 waves, a whole run, one thread", instructions / one_core / 1e6, "M instr./s", 250),
        Row("the same on two threads, ratio", one_core / two_cores, "x", 1.7),
    ]


def show(rows):
    print(f"\n{'Sessions':<56}{'now':>10}{'design':>10}")
    for name, value, unit, design in rows:
        print(f"{name:<56}{value:>10.4g}{design if design else '':>10} {unit}")
