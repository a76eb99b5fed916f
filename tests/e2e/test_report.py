#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The acceptance cases of crash reports (kernels/probe.cl): an assert trap and a store to nowhere, in
wave32 and wave64, at -O0 and -O2, with and without debug information. What must be in the report is
what the source says: EXEC, the pattern in LDS, the function, the instruction, the source line."""
import os
import subprocess
import tempfile

from harness import KERNELS, check, main, run

ARGS = ["--grid", 256, "--group", 64, "--arg", "a=iota:256", "--arg", "b=iota:256"]


def build(folder, lanes, level, debug):
    path = os.path.join(folder, f"probe{lanes}{level}{'g' if debug else ''}.co")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-cl-std=CL2.0",
                    "-cl-kernel-arg-info", f"-O{level}", *(["-g"] if debug else []),
                    "-mwavefrontsize64" if lanes == 64 else "-mno-wavefrontsize64",
                    "-x", "cl", str(KERNELS / "probe.cl"), "-o", path], check=True, stderr=subprocess.DEVNULL)
    return path


def each_build(case):
    with tempfile.TemporaryDirectory() as folder:
        for lanes, level, debug in ((32, 0, True), (32, 2, True), (64, 0, True), (64, 2, False)):
            what = f"wave{lanes} -O{level}{' -g' if debug else ''}"
            case(build(folder, lanes, level, debug), lanes, debug, what)


def contains(text, words, what):
    for word in words:
        check(word in text, f"{what}: \"{word}\" is missing in\n{text}")


def clean():
    def case(path, lanes, debug, what):
        out = run(path, "--kernel", "probe_clean", *ARGS, "--arg", "c=zeros:256", "--print", "c:256")
        check(out.split() == [str(2 * i) for i in range(256)], f"{what}: {out}")
    each_build(case)


def assert_trap():
    def case(path, lanes, debug, what):
        out = run(path, "--kernel", "probe_trap", *ARGS, "--arg", "c=zeros:256",
                  script=["run", "info report all", "kill"])
        contains(out, ["AMDGPU Wave 1:1:1:1 (0,0,0)/0", "(stopped, reason: ASSERT_TRAP)", f"exec: {1:0{lanes // 4}x}\n",
                       "s0: ", "v0: [0]", "0x0000: 22222222 11111111", "Disassembly for function probe_trap"], what)
        check(out.count("reason: ASSERT_TRAP") == 1, f"{what}: not one wave\n{out}")
        check(any(line.startswith("=> ") and line.endswith("s_trap 2") for line in out.splitlines()),
              f"{what}: no arrow at s_trap 2\n{out}")
        if debug:
            contains(out, ["probe.cl:19", "__builtin_trap();"], what)
    each_build(case)


def memory_violation():
    def case(path, lanes, debug, what):
        out = run(path, "--kernel", "probe_fault", *ARGS, "--arg", "c=0x0:u64",
                  script=["run", "info report", "kill"])
        contains(out, ["(stopped, reason: MEMORY_VIOLATION)", f"exec: {(1 << lanes) - 1:x}\n", "s0: ", "v0: [0]",
                       "0x0000: 22222222 11111111", "Disassembly for function probe_fault",
                       "writes 4 bytes at 0x0, which is not mapped"], what)
        check(any(line.startswith("=> ") and "global_store_b32" in line for line in out.splitlines()),
              f"{what}: no arrow at the store\n{out}")
        # the other page of the coin: without precise memory the place is not claimed
        out = run(path, "--kernel", "probe_fault", *ARGS, "--arg", "c=0x0:u64",
                  script=["set precise-memory off", "run", "kill"])
        contains(out, ["location may not be accurate"], what)
    each_build(case)


def all_waves():
    """Eight waves stopped by one of them: each once, those without a fault without a reason."""
    with tempfile.TemporaryDirectory() as folder:
        path = build(folder, 32, 2, True)
        out = run(path, "--kernel", "probe_trap", *ARGS, "--arg", "c=zeros:256",
                  script=["break probe_trap if $_workgroup == 9,9,9", "tbreak probe_trap", "run", "info report all", "kill"])
        names = [line.split(" se")[0] for line in out.splitlines() if line.startswith("AMDGPU Wave") and "(stopped" in line]
        check(len(names) == len(set(names)) == 8, f"waves: {names}")


if __name__ == "__main__":
    main(clean, assert_trap, memory_violation, all_waves)
