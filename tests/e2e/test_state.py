#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every SGPR, VGPR, VCC, EXEC, M0, SCC, MODE and LDS hold known values; the waves are stopped at every
instruction; at the end all of it must be as it was. Wave32 and wave64. The values are those that
kernels/everything.inc says, computed here on their own."""
import array
import os
import tempfile

from harness import KERNELS, check, equal, main, replies, run

STRIDE_DW = 0x24000 // 4
GROUPS, GROUP = 2, 128
EXEC = 0xf0f1f2f3e0e1e2e7


def expected_wave(lanes, group):
    """(index in dwords, value) of all that a wave writes; what it does not write stays 0."""
    exec_mask = EXEC & ((1 << lanes) - 1)
    for n in range(256):
        for lane in range(lanes):
            value = lane << 16 | 0xa000 + n
            yield n * lanes + lane, value if exec_mask >> lane & 1 else 0
            if n >= 4:
                yield 0x10000 // 4 + n * lanes + lane, value
    rows = 0x20000 // 4
    for n in range(104):
        yield rows + n // 32 * lanes + n % 32, 0x5a000000 + n
    exec_hi = EXEC >> 32 if lanes == 64 else None
    special = [0xc1c2c3c4, 0x01234567, exec_mask & 0xffffffff, exec_hi, 0x00c0ffee, 0xf1]
    for i, value in enumerate(special):
        if value is not None:
            yield rows + 3 * lanes + 8 + i, value
    for i in range(1024):
        yield 0x21000 // 4 + i, 0x1d500000 + i + (group << 12)


def verify(path, lanes, what):
    data = array.array("I")
    with open(path, "rb") as f:
        data.frombytes(f.read())
    waves_per_group = GROUP // lanes
    n_checked = 0
    for wave in range(GROUPS * waves_per_group):
        for index, value in expected_wave(lanes, wave // waves_per_group):
            got = data[wave * STRIDE_DW + index]
            n_checked += 1
            if got != value:
                equal(hex(got), hex(value), f"{what}: wave {wave}, byte {index * 4:#x} of its output")
    check(n_checked > 50000, "too little was checked")


def options(lanes, path):
    waves = GROUPS * GROUP // lanes
    return [KERNELS / f"everything{lanes}.s", "--grid", GROUPS * GROUP, "--group", GROUP, "--arg",
            f"out=zeros:{waves * STRIDE_DW}", "--dump", f"out={path}"]


def with_dump(lanes, what, **kwargs):
    fd, path = tempfile.mkstemp()
    os.close(fd)
    try:
        out = run(*options(lanes, path), **kwargs)
        verify(path, lanes, what)
        return out
    finally:
        os.unlink(path)


def stretch_offsets(lanes):
    """Offsets from `stretch` of the instructions of the stretch, as the debugger disassembles them."""
    fd, path = tempfile.mkstemp()
    os.close(fd)
    out = run(*options(lanes, path), json_lines=True,
              script=["break stretch", "run", "disassemble stretch,stretch_end", "kill"])
    os.unlink(path)
    lines = replies(out, "disassemble")[0]["instructions"]
    first = int(lines[0]["address"], 16)
    return [int(line["address"], 16) - first for line in lines]


def undisturbed():
    for lanes in (32, 64):
        with_dump(lanes, f"wave{lanes}")


def breakpoint_at_every_instruction_in_every_wave():
    for lanes in (32, 64):
        offsets = stretch_offsets(lanes)
        check(len(offsets) > 20, f"the stretch has {len(offsets)} instructions")
        # Some stops hold waves that came by at different times; enough continues, then to the end.
        out = with_dump(lanes, f"wave{lanes}, breakpoints", json_lines=True,
                        script=[f"break *stretch+{o}" for o in offsets] + ["run"] +
                        ["continue"] * (len(offsets) - 3) + ["delete", "continue"])
        stops = [o for o in out if o.get("event") == "stop"]
        check(len(stops) >= len(offsets) - 4, f"only {len(stops)} stops")


def step_to_the_end():
    for lanes in (32, 64):
        out = with_dump(lanes, f"wave{lanes}, steps", json_lines=True,
                        script=["break stretch", "run", "delete"] + ["stepi"] * 60 + ["stepi 200", "continue"])
        stops = [o for o in out if o.get("event") == "stop"]
        check(len(stops) >= 61, f"only {len(stops)} stops")


if __name__ == "__main__":
    main(undisturbed, breakpoint_at_every_instruction_in_every_wave, step_to_the_end)
