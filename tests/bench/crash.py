# SPDX-License-Identifier: MIT
"""A devcoredump of 256 MiB, the largest that Linux makes, and how long it takes to say what it is."""
import collections
import os
import pathlib
import subprocess
import tempfile
import time

SIZE_B = 256 << 20
HEAD = """**** AMDGPU Device Coredump ****
version: 1
kernel: 7.1.8
module: amdgpu
time: 1700000000.000000042
pasid: 32777
vmid: 3
process_name: game TGID: 1200 thread: game:gdrv0 PID: 1203

HW IP Version Information
HWIP: GC[1][0]: v11.0.0.0.0

Ring timed out details
IP Type: 0 Ring Name: gfx_0.0.0

IP Dump
IP: gfx_v11_0
regGRBM_STATUS                                     \t 0xa0003028
regCP_IB1_BASE_LO                                  \t 0x00010000
regCP_IB1_BASE_HI                                  \t 0x00007f00
regCP_IB1_BUFSZ                                    \t 0x00000100

Ring buffer information
"""
Row = collections.namedtuple("Row", "name seconds cpu_s rss_b")


def write(path):
    """A third of it rings, the rest IBs: NOPs of two words, among them registers that are set."""
    ring = "".join(f"0x{4 * i:x} \t 0x{word:x}\n" for i, word in enumerate([0xc0001000, 0] * (1 << 15)))
    words = "".join(f"0x{word:08x}\n" for word in [0xc0017600, 0x242, 0x20, 0xc0001000, 0] * (1 << 14))
    with open(path, "w") as f:
        f.write(HEAD)
        for i in range(SIZE_B // 3 // len(ring)):
            f.write(f"ring name: {'gfx_0.0.0' if not i else f'comp_1.{i}.0'}\nRptr: 0x100 Wptr: 0x8000 RB mask: ffff\n"
                    f"Ring size in dwords: {1 << 16}\nRing contents\nOffset \t Value\n{ring}")
        f.write("VRAM lost check is skipped!\n")
        for i in range((SIZE_B - f.tell()) // (len(words) + 64)):
            f.write(f"\nIB #{i} 0x{0x7f0000010000 + (i << 24):x} {5 << 14} dw\n{words}")
        f.write("\0" * (SIZE_B - f.tell()))


def run(name, *command):
    start = time.monotonic()
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{name}: status {child.returncode}")
    return Row(name, time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def measure(build):
    breakwater = build / "breakwater"
    with tempfile.TemporaryDirectory() as tmp:
        dump = pathlib.Path(tmp, "dump")
        write(dump)
        return [run("breakwater crash", breakwater, "crash", dump),
                run("breakwater crash --html", breakwater, "crash", dump, "--html", pathlib.Path(tmp, "page.html")),
                run("breakwater run, to the prompt", breakwater, "run", "--batch", dump)]


def show(rows):
    print(f"\n{'A devcoredump of 256 MiB':<52}{'s':>14}{'CPU time, s':>14}{'MiB of memory':>16}")
    for row in rows:
        print(f"{row.name:<52}{row.seconds:>14.1f}{row.cpu_s:>14.1f}{row.rss_b / 2**20:>16.0f}")
