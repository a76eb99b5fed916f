#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dump image: buffers as PNG files, of which the pixels are those that the kernel's arguments say. Images of a driver:
tests/vulkan/test_pictures.py."""
import pathlib
import struct
import subprocess
import tempfile

import png
from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, check, equal, main, run

ARGS = ["--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "in=iota:1024", "--arg", "n=18"]


def dump(*commands):
    """The answers to dump commands at a breakpoint; {} in one is a folder."""
    with tempfile.TemporaryDirectory() as name:
        script = ["break diverge", "run", *[c.format(name) for c in commands]]
        objects = run("-O0", KERNELS / "diverge.cl", *ARGS, script=script, json_lines=True)
        answers = [o for o in objects if o.get("command") == "dump"]
        return answers, {p.stem: png.read(p) for p in pathlib.Path(name).glob("*.png")}


def rows_of_a_buffer():
    """in[i] is i: its bytes as pixels."""
    answers, files = dump("dump image {}/a.png in 16x8 rgba8", "dump image {}/b.png 2 32x4 r32ui",
                          "dump image {}/c.png &in[4] 3x2 R8", "dump image {}/d.png $_buffer(2)+4 5x2 8_8_UINT",
                          "dump image {}/e.png in 2x2 r32f", "dump image {}/f.png in 4x1 rg16")
    equal(len(answers), 6, "answers")
    number = [struct.pack("<I", i) for i in range(1024)]
    equal(files["a"], (16, 8, 8, [[tuple(number[y * 16 + x]) for x in range(16)] for y in range(8)]), "rgba8")
    equal(files["b"], (32, 4, 16, [[(y * 32 + x,) for x in range(32)] for y in range(4)]), "r32ui")
    equal(files["c"], (3, 2, 8, [[(4,), (0,), (0,)], [(0,), (5,), (0,)]]), "r8")
    pairs = b"".join(number)[4:]
    equal(files["d"][3], [[(pairs[2 * (5 * y + x)], pairs[2 * (5 * y + x) + 1], 0) for x in range(5)] for y in range(2)],
          "two components")
    equal(files["e"], (2, 2, 16, [[(0,), (0,)], [(0,), (0,)]]), "denormal floats")
    equal(files["f"], (4, 1, 16, [[(i, 0, 0) for i in range(4)]]), "16 bits")
    equal([(a["width"], a["height"], a["format"], a["clamped"]) for a in answers[:2]],
          [(16, 8, "8_8_8_8_UNORM", 0), (32, 4, "32_UINT", 0)], "answers")


def what_cannot_be_done():
    """Says why, and writes nothing."""
    for command, why in [("dump image {}/a.png in 64x64 rgba8", "Buffer 2 has 4096 bytes: there is no room for 64x64 texels"),
                         ("dump image {}/a.png in", "has no image \"in\" bound"),
                         ("dump image {}/a.png in 4x4 rgba7", "No format is called \"rgba7\""),
                         ("dump image {}/a.png in 4x4", "The format of its texels is missing"),
                         ("dump image {}/a.png in 0x4 r8", "too large"),
                         ("dump image {}/a.png in 4x4 BC1_UNORM", "No format"),
                         ("dump image {}/a.png 0 4x4 r8", "Cannot access memory"),
                         ("dump image {}/none/a.png in 4x4 r8", "No such file"),
                         ("dump image {}/a.png local#0 4x4 r8", "global memory only")]:
        with tempfile.TemporaryDirectory() as name:
            words = ["-ex", "break diverge", "-ex", "run", "-ex", command.format(name), "-O0", KERNELS / "diverge.cl", *ARGS]
            done = subprocess.run([BREAKWATER, "run", "--batch", *map(str, words)], cwd=SOURCE, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=TIMEOUT_S)
            check(why in done.stdout + done.stderr, f"{command}: {done.stdout}{done.stderr}")
            equal(list(pathlib.Path(name).iterdir()), [], command)


if __name__ == "__main__":
    main(rows_of_a_buffer, what_cannot_be_done)
