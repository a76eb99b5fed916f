#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rocminfo, an HSA program, HIP programs, and one of OpenCL and of OpenMP each, compiled by the hipcc of "breakwater exec --rocm", on the virtual GPU's own
/dev/kfd. With BREAKWATER_ROCM_TEST=whole (make check-rocm) the tree is fetched, and the same runs in a guest on Linux's
own KFD; else, with =short, a part. What the programs expect comes from the CPU (programs/*).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "linux")]
from guest import SKIP, cache, need_parts, words  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal  # noqa: E402

IS_ASKED = bool(os.environ.get("BREAKWATER_ROCM_TEST"))
IS_WHOLE = os.environ.get("BREAKWATER_ROCM_TEST") == "whole"
HIP = ["saxpy", "reduce", "scratch", "speak", "together"] if IS_WHOLE else ["saxpy", "together"]
SAID = {"speak": "lane 0 of group 0\nlane 1 of group 0\n"}  # by printf in a kernel
# OpenMP's runtime is this machine's, as its compiler is.
HAS_OPENMP = bool(shutil.which("clang-linker-wrapper-19")) and pathlib.Path("/usr/lib/llvm-19/lib/libomptarget.so").exists()
OTHERS = ["scale", "sum"] if HAS_OPENMP else ["scale"]
SLOW_S = 8 * TIMEOUT_S  # under QEMU's translation, on a machine that others use, too


def own(*args, cwd, options=()):
    """breakwater exec --rocm OPTIONS -- ARGS: its standard output."""
    done = subprocess.run([BREAKWATER, "exec", "--rocm", *options, "--", *args], cwd=cwd, capture_output=True, text=True, timeout=SLOW_S)
    check(done.returncode == 0, f"{args}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def compile_programs(folder):
    for name in HIP[1:]:
        own("hipcc", "-w", "-O1", "-o", name, HERE / f"programs/{name}.hip", cwd=folder)
    own("hipcc", "-w", "-O1", "-c", "-o", f"{HIP[0]}.o", HERE / f"programs/{HIP[0]}.hip", cwd=folder)
    own("hipcc", "-o", HIP[0], f"{HIP[0]}.o", cwd=folder)
    own("hipcc", "-O2", "-o", "scale", HERE / "programs/scale.c", "-l:libOpenCL.so.1", cwd=folder)
    if HAS_OPENMP:
        own("hipcc", "-O2", "-fopenmp", "-o", "sum", HERE / "programs/sum.c", cwd=folder)
    tree = cache() / "rocm-3/usr"
    subprocess.run(["cc", "-o", "vadd", HERE / "programs/vadd.c", f"-I{tree}/include", f"-L{tree}/lib/x86_64-linux-gnu",
                    "-lhsa-runtime64", "-Wl,--allow-shlib-undefined"], cwd=folder, check=True, timeout=SLOW_S)
    subprocess.run(["clang-19", "-x", "hip", "--offload-arch=gfx1100", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib",
                    "-nogpuinc", "-O2", "-o", "vadd.co", HERE / "programs/vadd.hip"], cwd=folder, check=True, timeout=SLOW_S)


# Where the two drivers differ today: place in the machine and clocks; VRAM, of which a guest's GPU has 1 GiB; firmware
# versions, which the own driver takes from the profile's list for another interface; the L3 that Linux does not list.
DIFFERS = re.compile(r" *(BDFID|Uuid|Max Clock Freq|Size: |Packet Processor uCode|SDMA engine uCode|L3: )")


def agent(text):
    """The part of rocminfo's text that describes the GPU, without what differs."""
    found = re.search(r"\*+ *\nAgent 2 .*?\*\*\* Done \*\*\*", text, re.S)
    check(found, f"rocminfo names no second agent:\n{text}")
    return [line.rstrip() for line in found[0].splitlines() if not DIFFERS.match(line)]


def by_the_linker(folder):
    """A HIP program that --rocm starts by its dynamic linker, as one that was compiled elsewhere: its kernels have names and lines."""
    own("hipcc", "-w", "-O0", "-g", "-o", "saxpy-g", HERE / "programs/saxpy.hip", cwd=folder)
    done = subprocess.run([BREAKWATER, "run", "--rocm", "--batch", "-ex", "break saxpy", "-ex", "break saxpi", "-ex", "run", "-ex", "delete 1",
                           "-ex", "continue", "--", "./saxpy-g"], cwd=folder, capture_output=True, text=True, timeout=SLOW_S)
    check(re.search(r'hit Breakpoint 1, with lanes \[0-31\], saxpy \(.*\) at saxpy.hip:\d+\n(.*\n)*saxpy: right\n', done.stdout), f"{done.stdout}\n{done.stderr}")
    check('Breakpoint 2 (saxpi) was never placed: Function "saxpi" not defined (did you mean saxpy?)' in done.stdout + done.stderr,
          f"{done.stdout}\n{done.stderr}")


def on_mi300x(folder):
    """The same programs on the virtual MI300X, and a matrix product: by MFMA there, and by multiplications on gfx1100."""
    gpu = ["--gpu", "virtual:mi300x"]
    info = own("rocminfo", cwd=folder, options=gpu)
    for line in ("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "Wavefront Size:          64(0x40)", "Compute Unit:            40 "):
        check(line in info, f"{line} in {info}")
    sums = []
    for name in HIP:
        own("hipcc", "-w", "-O1", "--offload-arch=gfx942", "-o", f"{name}-942", HERE / f"programs/{name}.hip", cwd=folder)
        equal(own(f"./{name}-942", cwd=folder, options=gpu), f"{SAID.get(name, '')}{name}: right\n", f"{name} on gfx942")
    for arch, options in ("gfx942", gpu), ("gfx1100", []):
        own("hipcc", "-O2", f"--offload-arch={arch}", "-o", f"matrix-{arch}", HERE.parent.parent / "examples/matrix.hip", cwd=folder)
        said = re.fullmatch(rf"{arch}[^ ]*: 0 of 6144 elements are wrong, weighted sum (\d+)\n", own(f"./matrix-{arch}", cwd=folder, options=options))
        check(said, f"matrix on {arch}")
        sums.append(said[1])
    equal(sums[0], sums[1], "the sums of both GPUs")


def mi300x_in_guest(folder):
    """The programs of on_mi300x() on Linux's own driver."""
    script = "rocminfo >&2 || exit 1\n" + "".join(f"./{name}-942 || exit 1\n" for name in HIP) + "./matrix-gfx942"
    done = subprocess.run(words("--gpu", "mi300x", "--rocm", "--", "sh", "-c", script), cwd=folder, capture_output=True, text=True, timeout=2 * SLOW_S)
    check("amdgcn-amd-amdhsa--gfx942" in done.stderr, f"rocminfo in the guest: {done.stderr}")
    said = "".join(SAID.get(name, "") + f"{name}: right\n" for name in HIP)
    check(re.fullmatch(re.escape(said) + r"gfx942[^ ]*: 0 of 6144 elements are wrong, weighted sum \d+\n", done.stdout),
          f"the guest with an MI300X\n{done.stdout}\n{done.stderr}")


def a_fault_beside_buffers(folder):
    """The buffers are those that the program has asked HIP for, with these sizes, not whole pages."""
    own("hipcc", "-w", "-O1", "-o", "stops", HERE / "programs/stops.hip", cwd=folder)
    done = subprocess.run([BREAKWATER, "run", "--batch", "-ex", "run", "-ex", "info buffers", "-ex", "kill", "--", "./stops", "before"], cwd=folder,
                          capture_output=True, text=True, timeout=SLOW_S)
    said = f"{done.stdout}\n{done.stderr}"
    check(re.search(r"^That is 4096 bytes before the start of buffer '?\w+'? \(0x\w+, (1000|3000000) bytes\)\.$", done.stdout, re.M), said)
    check(sorted(re.findall(r"^ *\d+ +buffer +0x\w+ +(\d+)", done.stdout, re.M)) == ["1000", "3000000"], said)


def main():
    if not IS_ASKED:
        print("SKIPPED: make check-rocm runs the programs of ROCm; BREAKWATER_ROCM_TEST=short has a part of them.")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        info = own("rocminfo", cwd=folder)
        check("amdgcn-amd-amdhsa--gfx1100" in info, info)
        compile_programs(folder)
        equal(own("./vadd", "vadd.co", cwd=folder), "vadd: right\n", "an HSA program")
        for program in HIP:
            # It names the tree's linker and libraries itself, so that it needs no --rocm.
            done = subprocess.run([BREAKWATER, "exec", "--", f"./{program}"], cwd=folder, capture_output=True, text=True, timeout=SLOW_S)
            equal((done.stdout, done.returncode), (f"{SAID.get(program, '')}{program}: right\n", 0), f"{program}\n{done.stderr}")
        for program in OTHERS:
            equal(own(f"./{program}", cwd=folder), f"{program}: right\n", "OpenCL and OpenMP by ROCm")
        stopped = subprocess.run([BREAKWATER, "run", "--rocm", "--batch", "-ex", "break scale", "-ex", "run", "-ex", "info args", "-ex",
                                  "delete", "-ex", "continue", "--", "./scale"], cwd=folder, capture_output=True, text=True, timeout=SLOW_S)
        check(re.search(r'Thread 1 "scale" hit Breakpoint 1, .*\n(.*\n)*x = \(float \*\) 0x.*\ny = .*\nline = .*\nscale: right\n', stopped.stdout),
              f"a kernel of OpenCL stops, with its arguments: {stopped.stdout}\n{stopped.stderr}")
        by_the_linker(folder)
        on_mi300x(folder)
        a_fault_beside_buffers(folder)
        if not IS_WHOLE:
            return
        need_parts()
        runs = "".join(f"./{p} || exit 1\n" for p in HIP) + "".join(f"rocm-run ./{p} || exit 1\n" for p in OTHERS)
        script = f"rocminfo >&2 || exit 1\n./vadd-run || exit 1\n{runs}"
        folder.joinpath("vadd-run").write_text("#!/bin/sh\nexec rocm-run ./vadd vadd.co\n")
        folder.joinpath("vadd-run").chmod(0o755)
        done = subprocess.run(words("--rocm", "--", "sh", "-c", script), cwd=folder, capture_output=True, text=True, timeout=2 * SLOW_S)
        equal((done.stdout, done.returncode), ("vadd: right\n" + "".join(SAID.get(p, "") + f"{p}: right\n" for p in HIP + OTHERS), 0),
              f"the guest\n{done.stderr}")
        equal(agent(info), agent(done.stderr), "rocminfo on the own driver, and on Linux's")
        mi300x_in_guest(folder)


main()
