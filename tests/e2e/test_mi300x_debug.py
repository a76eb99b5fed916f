#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The debugger on the virtual MI300X (gfx942): all registers of waves that are stopped at every instruction, as
test_state.py has it for gfx11; AccVGPRs; and sessions at source level that print the same as on gfx1100."""
import array
import os
import re
import tempfile

from harness import KERNELS, check, equal, main, replies, run

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


if __name__ == "__main__":
    main(undisturbed, breakpoint_at_every_instruction, steps, written)
