#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Linux's own amdgpu on the virtual Raven2: its log after loading, its tests of rings and indirect buffers, what KFD says of
the GPU, and the page tables that it has written for a program, with translate-further; unloaded and loaded again. In make
check-linux alone."""
import re
import sys

from driver import in_guest
from guest import IS_WHOLE, SKIP, need_parts

from harness import check, main

GPU = ["--gpu", "raven2"]
IB_TESTS = "cat /sys/kernel/debug/dri/0000:00:10.0/amdgpu_test_ib"
WALKS = ("python3 tests/e2e/address_space.py sh -c 'breakwater vm walk --hub mm {VMID}@0x7f63594b6000\n"
         "breakwater vm walk --hub mm {VMID}@0x7f6359612345 | tail -2'\n"
         "breakwater regs read VM_L2_CNTL3")


def loading():
    """No error in the log, the IB tests on all rings, the node of KFD."""
    text = in_guest(f"{IB_TESTS}\ncat /sys/class/kfd/kfd/topology/nodes/1/properties\nbreakwater device --gpu 0", options=GPU)
    for what in ("ib ring tests passed.", "gfx_target_version 90002", "simd_count 12", "gfx902"):
        check(what in text, f"{what} in {text}")


def page_tables():
    """The entries have the bits that Linux gives them on such a GPU, and the debugger finds both kinds of pages."""
    text = in_guest(WALKS, options=GPU)
    for what in ("depth 1, block size 9", r"PDB0 .* 0x1fd8d +0x4800\w{8}\w{4} +V BFS 9", r"PTB .* 0xca +0x0100\w{12} +V F",
                 r"PTB \(further\) .* 0xb6 +0x0\w{12}077 +V S C X R W", r"PTB .* 0xcb +0x0\w{12}4f1 +V X R W FRAG 9",
                 "a page of 2 MiB at 0x7f6359600000", "gc.mmVM_L2_CNTL3 => 0x8014800c"):
        check(re.search(what, text), f"{what} in {text}")


def loading_again():
    """rmmod and insmod: the second time is like the first."""
    text = in_guest(f"{IB_TESTS}\ndriver-unload\n! test -e /dev/dri/card0\ndriver-load\n{IB_TESTS}", options=GPU, is_long=True)
    check(text.count("ib ring tests passed.") == 2, text)


if not IS_WHOLE:
    print("SKIPPED: make check-linux runs it.")
    sys.exit(SKIP)
need_parts()
main(loading, page_tables, loading_again)
