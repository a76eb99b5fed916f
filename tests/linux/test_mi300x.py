#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Linux's own amdgpu on the virtual MI300X: its log after loading, its tests of rings and indirect buffers, what KFD says of
the GPU, and a kernel run through it; unloaded, removed and loaded again. In make check-linux alone; ROCm's programs
there: tests/rocm."""
import sys

from driver import in_guest
from guest import IS_WHOLE, SKIP, need_parts

from harness import check, main

GPU = ["--gpu", "mi300x"]
DEBUG = "/sys/kernel/debug/dri/0000:00:10.0"
# AccVGPRs and back: each lane's number; GPR_ALLOC after them.
ACCUM = "breakwater run --gpu 0 tests/e2e/kernels/accum.s --grid 64 --group 64 --arg out=zeros:65 --print out:8"
RESULT = "0 1 2 3 4 5 6 7"


def loading():
    """No error in the log, the IB tests on all rings, the node of KFD, what the debugger says of the machine, a kernel by the
    driver."""
    text = in_guest(f"cat {DEBUG}/amdgpu_test_ib\ncat /sys/class/kfd/kfd/topology/nodes/1/properties\nbreakwater device --gpu 0\nbreakwater doctor\n{ACCUM}",
                    options=GPU)
    for what in ("ib ring tests passed.", "gfx_target_version 90402", "simd_count 160", "AMD GPU, gfx942, gfx9.4.3 (MI300)",
                 "graphics 9.4.3: supported", RESULT):
        check(what in text, f"{what} in {text}")


def debugging():
    """A breakpoint, AccVGPRs, a step, a watchpoint, and the kernel's result, through the real debugfs; twice in one session."""
    text = in_guest("breakwater run --batch -ex 'break accum' -ex run -ex 'stepi 3' -ex 'print $a3[5]' -ex 'info registers hw_id' -ex 'set var $a3[7] = 70' "
                    f"-ex 'watch out[3]' -ex continue -ex continue -ex run -ex delete -ex continue{ACCUM.removeprefix('breakwater run')}", options=GPU, is_long=True)
    check(text.count("hit Breakpoint 1") == 2 and "$1 = 5\n" in text and "0 1 2 3 4 5 6 70" in text and RESULT + "\n" in text, text)


def loading_again():
    """rmmod and insmod, then PCI remove and rescan: each time is like the first."""
    text = in_guest(f"driver-unload\n! test -e /dev/dri/card0\ndriver-load\ncat {DEBUG}/amdgpu_test_ib\n{ACCUM}\n"
                    "echo 1 >/sys/bus/pci/devices/0000:00:10.0/remove\n! test -e /dev/dri/card0\necho 1 >/sys/bus/pci/rescan\n"
                    f"cat {DEBUG}/amdgpu_test_ib\n{ACCUM}", options=GPU, is_long=True)
    check(text.count("ib ring tests passed.") == 2 and text.count(RESULT) == 2, text)


if not IS_WHOLE:
    print("SKIPPED: make check-linux runs it.")
    sys.exit(SKIP)
need_parts()
main(loading, debugging, loading_again)
