#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The debugger on the virtual MI300X (gfx942): all registers of waves that are stopped at every instruction, as
test_state.py has it for gfx11; AccVGPRs; sessions at source level that print the same as on gfx1100; and a program with AQL queues."""
import array
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from harness import BREAKWATER, KERNELS, TIMEOUT_S, check, equal, main, replies, run

GPU = ["--gpu", "virtual:mi300x"]
STRIDE_DW = 0x21000 // 4
GROUPS = 2
EXEC = 0xf0f1f2f3e0e1e2e7


def expected_wave():
    """(index in dwords, value) of all that a wave writes, as kernels/everything942.s says."""
    for n in range(512):
        for lane in range(64):
            yield n * 64 + lane, lane << 16 | (0xa000 + n if n < 256 else 0xb000 + n - 256)
    for n in range(100):
        yield 0x20000 // 4 + n, 0x5a000000 + n
    special = [0xc1c2c3c4, 0x01234567, EXEC & 0xffffffff, EXEC >> 32, 0x00c0ffee, 0xf1, *range(0x77000066, 0x7700006a)]
    for i, value in enumerate(special):
        yield 0x20200 // 4 + i, value


def everything(what, script, changed=None):
    """changed: what the debugger has written, by index in dwords of the first wave."""
    fd, path = tempfile.mkstemp()
    os.close(fd)
    try:
        out = run(KERNELS / "everything942.s", *GPU, "--grid", 64 * GROUPS, "--group", 64, "--arg", f"out=zeros:{STRIDE_DW * GROUPS}",
                  "--dump", f"out={path}", json_lines=True, script=script)
        with open(path, "rb") as f:
            data = array.array("I", f.read())
    finally:
        os.unlink(path)
    for wave in range(GROUPS):
        for index, value in expected_wave():
            if wave == 0:
                value = (changed or {}).get(index, value)
            if data[wave * STRIDE_DW + index] != value:
                equal(hex(data[wave * STRIDE_DW + index]), hex(value), f"{what}: wave {wave}, byte {index * 4:#x} of its output")
    return out


def stops(out):
    return [o for o in out if o.get("event") == "stop"]


def undisturbed():
    everything("no stops", ["run"])


def breakpoint_at_every_instruction():
    first = everything("disassembled", ["break stretch", "run", "disassemble stretch,stretch_end", "delete", "continue"])
    lines = replies(first, "disassemble")[0]["instructions"]
    start = int(lines[0]["address"], 16)
    offsets = [int(line["address"], 16) - start for line in lines]
    check(len(offsets) > 25, f"the stretch has {len(offsets)} instructions")
    out = everything("breakpoints", [f"break *stretch+{o}" for o in offsets] + ["run"] + ["continue"] * (len(offsets) - 3) +
                     ["delete", "continue"])
    check(len(stops(out)) >= len(offsets) - 4, f"only {len(stops(out))} stops")


def steps():
    out = everything("steps", ["break stretch", "run", "delete"] + ["stepi"] * 25 + ["stepi 200", "continue"])
    check(len(stops(out)) >= 26, f"only {len(stops(out))} stops")


def written():
    """Registers that the debugger writes arrive."""
    out = everything("written", ["break stretch_end", "run", "set var $a200[7]=1", "set var $v255[63]=2", "set var $a0[0]=3",
                                 "set var $s99=4", "set var $flat_scratch=0x500000006", "set var $vcc_hi=7", "set var $m0=8",
                                 "print $a200[7]", "print $flat_scratch", "print $v3[9]", "info registers a255", "delete", "continue"],
                     {(256 + 200) * 64 + 7: 1, 255 * 64 + 63: 2, 256 * 64: 3, 0x20000 // 4 + 99: 4, 0x20218 // 4: 6, 0x2021c // 4: 5,
                      0x20204 // 4: 7, 0x20210 // 4: 8})
    equal([r["value"] for r in replies(out, "print")], [1, 0x500000006, 9 << 16 | 0xa003], "what is printed")
    equal(replies(out, "info")[0]["registers"]["a255"], [hex(lane << 16 | 0xb0ff) for lane in range(64)], "a255")


def callers():
    """The stack at 150 places of code that keeps return addresses, and addresses to call, in lanes of VGPRs and AccVGPRs."""
    out = run(KERNELS / "library.cl", "-O0", "--grid", 32, "--group", 32, "--arg", "out=zeros:256", "--arg", "n=20", *GPU, json_lines=True,
              script=["break last_digit", "run", "delete", *["stepi 5", "backtrace"] * 150, "kill"])
    stacks = [[f["function"] for f in r["frames"]] for r in replies(out, "backtrace")]
    equal(len(stacks), 150, "stacks")
    for stack in stacks:
        equal(stack[-2:], ["digits", "library"] if len(stack) > 1 else ["library"], "the end of the stack")
    check(sum(len(stack) > 2 for stack in stacks) > 20 and any(len(stack) == 2 for stack in stacks), str(stacks))


RETURNED = "i32 i64 i8 u8 i16 b1 f32 f64 v4 v3 s4 c4 s2 c2 pr mx bg".split()
SESSIONS = [  # a kernel and its options; commands
    ("frames.cl -O0 --grid 32 --group 32 --arg out=zeros:64 --arg n=3 --print out",
     ["break deep if n == 1", "run", "backtrace", "print a", "print $_lane", "delete", "break third", "continue", "backtrace", "info args",
      "finish", "finish", "up", "info locals", "lane 5", "print b", "info args", "delete", "tbreak room", "continue", "next",
      "print a[3]", "up", "print b", "print out[7]", "watch out[9]", "continue", "print out[9]", "delete", "continue"]),
    ("returned.cl -O0 --grid 32 --group 32 --arg out=zeros:1024",
     ["break kern", "run", *[word for f in RETURNED for word in (f"tbreak {f}", "continue", "finish")], "delete", "continue"]),
    ("conditions.cl -O0 --kernel conditions --grid 64 --group 64 --arg out=zeros:4 --arg rounds=1",
     ["break passed if l == 20 && x > -12.0f", "run", "print l", "print h", "print uc", "print wide", "print x", "up", "print item", "print v",
      "print *p", "print tile[3]", "print far[2]", "print color", "delete", "continue"]),
]


def same_as_on_gfx1100():
    """Sessions at source level print the same on both GPUs, but for addresses and instructions."""
    for words, script in SESSIONS:
        texts = []
        for gpu in "virtual:navi31", "virtual:mi300x":
            text = run(KERNELS / words.split()[0], *words.split()[1:], "--gpu", gpu, script=script)
            text = re.sub(r"^(=>|  ) 0x.*\n", "", text, flags=re.M)
            texts.append(re.sub(r"(\w*#)?0x[0-9a-f]+|process \d+", "ADDRESS", text).splitlines())
        check(len(texts[0]) > len(script) / 2, "\n".join(texts[0]))
        for one, other in zip(*texts):
            equal(other, one, f"{words}: " + "\n".join(texts[1]))
        equal(len(texts[1]), len(texts[0]), f"{words}: lines")


def a_program_with_queues():
    """A program that does what ROCm's runtime does (aql.c): a condition, variables, LDS, a watch; values as in test_aql.py."""
    program, code = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    node = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"
    text = run(*GPU, "--", "sh", "-c", f"exec {program} {code} {node} /dev/dri/renderD128 weigh 2", script=[
        "break aql.hip:32 if i == 70", "run", "info args", "print points[i]", "print w", "next", "next", "print part[6]", "delete",
        "break weight", "continue", "delete", "up", "watch out[71]", "continue", "delete", "continue"])
    scale = 4
    for line in (r"hit Breakpoint 1, with lanes \[6\], weigh \(points=0x\w+, out=0x\w+, scale=2, n=200\) at aql\.hip:32$", "^scale = 2$",
                 r"^\$1 = {x = 35, y = 1, id = 70}$", r"^\$2 = 71$", r"^\$3 = 71$",
                 r"hit Breakpoint 2, with lanes \[0-63\], weight \(p=0x\w+, scale=4\)", "^Old value = 72$", f"^New value = {71 * 2 + 1}$",
                 f"^{5 * scale + 1:g} {99.5 * scale + 1:g} {sum(i / 2 * scale + 1 for i in range(64)):g}$",
                 r"\[aql \(process \d+\) exited normally\]"):
        check(re.search(line, text, re.M), f"{line} in\n{text}")


def a_capture():
    """Of that program. Without --gpu it is replayed on the GPU that it is of; on another one it says which."""
    program, code = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    node = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "aql.bwc"
        def breakwater(*words, status=0):
            done = subprocess.run([BREAKWATER, *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S)
            equal(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
            return done.stdout + done.stderr
        breakwater("capture", *GPU, "-o", file, "--", "sh", "-c", f"exec {program} {code} {node} /dev/dri/renderD128 weigh 2")
        check(re.search(r"^\d+ submissions?, 2 dispatches replayed\.$", breakwater("replay", file), re.M), "the replay")
        text = breakwater("run", "--batch", "-ex", "break aql.hip:32 if i == 70", "-ex", "run", "-ex", "print scale", file)
        check(re.search(r"hit Breakpoint 1, with lanes \[6\], weigh \(.*, scale=2, n=200\)", text) and "$1 = 2\n" in text, text)
        text = breakwater("replay", "--gpu", "virtual:navi31", file, status=2)
        check("the capture is of a gfx942, and this GPU is a gfx1100; replay it with --gpu virtual:mi300x." in text, text)


if __name__ == "__main__":
    main(undisturbed, breakpoint_at_every_instruction, steps, written, callers, same_as_on_gfx1100, a_program_with_queues, a_capture)
