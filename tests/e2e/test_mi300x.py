#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The virtual MI300X (gfx942): kernels of several kinds against what Python computes, in one start of the GPU; what programs
are told of it; and what is refused. The debugger: test_mi300x_debug.py."""
import os
import pathlib
import re
import struct
import subprocess
import tempfile

from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, check, equal, main, run
from test_languages import CLANG, bundle_of

GPU = "virtual:mi300x"
LINES = [  # options of breakwater run, and the values that are printed
    ("mi300x.cl --kernel shape --grid 16,12,6 --arg out=zeros:1152 --print out", "shape"),
    ("mi300x.cl -O0 --kernel shape --grid 16,12,6 --arg out=zeros:1152 --print out", "shape"),
    ("mi300x.cl --kernel deep --grid 300 --group 100 --arg out=zeros:300 --print out", "deep"),
    ("mi300x.cl -O0 --kernel deep --grid 300 --group 100 --arg out=zeros:300 --print out", "deep"),
    ("mi300x.cl --kernel types --grid 128 --group 64 --arg out=zeros:128 --arg sum=zeros:1 --print out --print sum", "types"),
    ("mi300x.cl --kernel tile --grid 64 --arg out=zeros:1024 --arg a=iota:1024 --arg b=iota:1024 --print out", "tile"),
    ("accum.s --grid 64 --group 64 --arg out=zeros:65 --print out", "accum"),
]


def shape():
    groups = [(x, y, z) for z in range(2) for y in range(3) for x in range(2)]
    items = [(x, y, z) for z in range(3) for y in range(4) for x in range(8)]
    numbers = [[gx * 8 + x | (gy * 4 + y) << 8 | (gz * 3 + z) << 16 for x, y, z in items] for gx, gy, gz in groups]
    return [n for group in numbers for n in reversed(group)]


def deep():
    def of(i):
        a = [k * k + i * (k ^ 5) for k in range(24)]
        return sum(a[at % 24] * 3 + a[(at + 5) % 24] for at in (i, i // 7)) % 2**32
    return [of(i) for i in range(300)]


def types():
    def of(i):
        d = struct.unpack("<Q", struct.pack("<d", 1.0 / (1 + i) + i * 0.125))[0]
        return d ^ (i * 0x123456789ABCDEF + int(i * 0.5 * 3)) % 2**64
    return [of(i) for i in range(128)], [sum(range(128))]


def tile():
    return [float(sum((r * 32 + k) * (k * 32 + c) for k in range(32))) for r in range(32) for c in range(32)]


def accum():
    return [*range(64), (16 // 8 - 1) << 6 | (8 // 4 - 1) << 12]


TOLD = {"gfx_target_version": "90402", "simd_count": "160", "simd_per_cu": "4", "wave_front_size": "64", "max_waves_per_simd": "8",
        "lds_size_in_kb": "64", "num_xcc": "1", "num_cp_queues": "24"}


def kernels(gpu=GPU, lines=LINES, told=TOLD):
    """All in one start of the GPU. They are compiled for it, as "run" asks it what it is."""
    commands = [f"{BREAKWATER} run --batch {KERNELS}/{words}" for words, _ in lines]
    script = "set -e; " + "; echo ---; ".join(commands) + "; echo ---; cat /sys/class/kfd/kfd/topology/nodes/1/properties"
    done = subprocess.run([BREAKWATER, "exec", "--gpu", gpu, "--", "sh", "-c", script], capture_output=True, text=True, timeout=TIMEOUT_S)
    check(done.returncode == 0 and not done.stderr, done.stderr + done.stdout)
    *parts, properties = done.stdout.split("---\n")
    equal(len(parts), len(lines), "answers")
    for (words, name), text in zip(lines, parts):
        want = globals()[name]()
        got = [[float(n) if name == "tile" else int(n) for n in line.split(":")[-1].split()] for line in text.splitlines()]
        equal(got if isinstance(want, tuple) else got[0], list(want), words)
    node = dict(line.split() for line in properties.splitlines())
    equal({name: node[name] for name in told}, told, "KFD's node")


def raven2():
    """The same of gfx902, without matrices: scratch and the numbers of threads come to a wave in another way."""
    kernels("virtual:raven2", [line for line in LINES if line[1] in ("shape", "deep", "types")],
            {"gfx_target_version": "90002", "simd_count": "12", "wave_front_size": "64"})


def bundles():
    """The part for the chosen GPU of a file with code for two."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        parts = [("host-x86_64-unknown-linux-gnu-", b"")]
        for gpu in "gfx1100", "gfx942":
            (folder / "one.cl").write_text(f"__kernel void one(__global int *out) {{ *out = {gpu[3:]}; }}\n")
            subprocess.run([CLANG, "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-nogpulib", "-cl-kernel-arg-info", folder / "one.cl",
                            "-o", folder / gpu], check=True)
            parts.append((f"hipv4-amdgcn-amd-amdhsa--{gpu}", (folder / gpu).read_bytes()))
        (folder / "both.co").write_bytes(bundle_of(parts))
        for name, value in ("virtual:navi31", "1100"), (GPU, "942"):
            equal(run(folder / "both.co", "--gpu", name, "--grid", 1, "--group", 1, "--arg", "out=zeros:1", "--print", "out").strip(), value, name)
            script = ["break one", "run", "info symbol $pc", "continue"]
            text = run(folder / "both.co", "--gpu", name, "--grid", 1, "--group", 1, "--arg", "out=zeros:1", "--print", "out", script=script)
            check("hit Breakpoint 1" in text and value in text, text)


SPIN = "kernel void spin(volatile global uint *out) { while (out[0] != 77) out[1]++; out[2] = 5; }\n"


def text_from(elf, name):
    """The code of a code object from a function on: its symbol by the section's header and the symbols' (elf.h)."""
    at, size, count = *struct.unpack_from("<Q10xH", elf, 0x28)[:1], *struct.unpack_from("<HH", elf, 0x3a)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, at + i * size) for i in range(count)]
    for kind, offset, length, link in ((s[1], s[4], s[5], s[6]) for s in sections):
        for sym in range(offset, offset + length, 24) if kind == 2 else ():
            name_at, _, _, index, value, _ = struct.unpack_from("<IBBHQQ", elf, sym)
            if elf[sections[link][4] + name_at:].startswith(name.encode() + b"\0"):
                return elf[sections[index][4] + value - sections[index][3]:]
    raise KeyError(name)


def waves():
    """Waves of a program that is not debugged, read through debugfs; then a debugger attaches and ends them."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "spin.cl").write_text(SPIN)
        code = folder / "spin.co"
        subprocess.run([CLANG, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-cl-kernel-arg-info", "-g", "-O0",
                        folder / "spin.cl", "-o", code], check=True)
        script = f"""{BREAKWATER}-launch {code} --grid 192 --group 64 --arg out=zeros:64 --print out:3 & program=$!
            until {BREAKWATER} waves | grep -q 'se2.*spin+'; do sleep 0.1; done
            {BREAKWATER} waves; {BREAKWATER} waves --registers 'se0.*'; echo ---
            {BREAKWATER} attach --batch -ex 'symbol-file {code}' -ex 'print out[0]' -ex 'set var out[0]=77' -ex detach $program
            wait $program"""
        done = subprocess.run([BREAKWATER, "exec", "--ready", "--gpu", GPU, "--", "sh", "-c", script], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        seen, attached = done.stdout.split("---\n")
        for line in [rf"^se{n}\.sa0\.cu0\.simd0\.w0 .* spin +running +0x\w+ +spin\+\d+ +64 +0xf{{16}} +0 +\({n},0,0\)/0$" for n in range(3)] + [
                r"^  hw_id +\w+$", r"^  gpr_alloc +\w+$", r"^  v0 ", r"^  a0 "]:
            check(re.search(line, seen, re.M), f"{line} in\n{done.stdout}{done.stderr}")
        # what the wave has fetched is the code at its PC
        pc, offset = re.search(r" (0x\w+) +spin\+(\d+) ", seen).groups()
        now, *words = re.search(r"^se0\.\S+, .*PC (0x\w+),.*?inst_dw0 +(\w+)\n +inst_dw1 +(\w+)$", seen, re.M | re.S).groups()
        at = int(now, 16) - int(pc, 16) + int(offset)
        equal([f"{word:08x}" for word in struct.unpack_from("<II", text_from(code.read_bytes(), "spin"), at)], words, "INST_DW0, INST_DW1")
        check(re.search(r"^\$1 = 0$", attached, re.M) and re.search(r"^77 \d+ 5$", attached, re.M), done.stdout + done.stderr)


def refused(words, sentence, status=2):
    done = subprocess.run([BREAKWATER, *words.split()], capture_output=True, text=True, timeout=TIMEOUT_S, cwd=SOURCE)
    equal((done.returncode, done.stdout + done.stderr), (status, sentence + "\n"), words)


def registers():
    """They have the names, addresses and fields of GC 9.4.3, also with the own driver; the self-test compares one with what the driver says."""
    def said(words, status=0):
        done = subprocess.run([BREAKWATER, *words.split(), "--gpu", GPU], capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, status, words + done.stdout + done.stderr)
        return done.stdout + done.stderr
    equal(said("regs read GB_ADDR_CONFIG").strip(), "gc.regGB_ADDR_CONFIG => 0x2a114042", "GB_ADDR_CONFIG")
    check("nearest: VM_CONTEXT0_CNTL" in said("regs read GCVM_CONTEXT0_CNTL", 2), "a register of gfx11")
    queues = re.findall(r"^me1\.pipe(\d)\.queue0 +compute +0 +the driver +empty ", said("queues"), re.M)
    equal(queues, ["0", "1", "2", "3"], "the queues of the driver")
    with tempfile.TemporaryDirectory() as folder:
        equal(said(f"selftest --up-to registers -o {folder}/report").count("passed in"), 2, "steps of the self-test")
        check("The kernels of the self-test are for gfx11; this GPU is gfx942" in said(f"selftest --from pages --up-to pages -o {folder}/report", 1), "pages")


def refusals():
    refused(f"ring gfx_0.0.0 --gpu {GPU}",
            'breakwater: ring gfx_0.0.0 ("breakwater queues" lists the rings): cannot open debugfs of the virtual GPU/amdgpu_ring_gfx_0.0.0: '
            "Operation not supported (with this project's driver, this model of the virtual GPU has the packets of another one).")


def trace():
    """The same run has the same hash, of as many instructions as its one wave executes; other data have another one."""
    def of(kernel, *arguments):
        words = ["--trace-hash", "--gpu", GPU, SOURCE / kernel, "--grid", "64", "--group", "64", *arguments]
        done = subprocess.run([BREAKWATER, "run", *words], capture_output=True, text=True, timeout=TIMEOUT_S)
        return re.search(r"^Trace hash (0x[0-9a-f]{16}) of (\d+) instructions\.$", done.stdout, re.M).groups()
    code = re.search(r"^accum:\n(.*?s_endpgm)$", (SOURCE / "tests/e2e/kernels/accum.s").read_text(), re.M | re.S)[1].splitlines()
    one, again = (of("tests/e2e/kernels/accum.s", "--arg", "out=zeros:65") for _ in range(2))
    equal(one, again, "two runs")
    equal(int(one[1]), len(code), "instructions")
    pair = ["tests/e2e/check/pairs.cl", "--kernel", "reverse_right", "--arg", "out=zeros:64:i32", "--arg"]
    check(of(*pair, "in=iota:64:i32")[0] != of(*pair, "in=zeros:64:i32")[0], "other data have another hash")


if __name__ == "__main__":
    main(kernels, raven2, bundles, waves, registers, refusals, trace)
