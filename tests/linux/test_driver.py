#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Linux's own amdgpu on the virtual GPU: its log after loading, its tests of rings and indirect buffers, a kernel
run through it. The whole (make check-linux) unloads and loads it again, debugs the kernel there, and compares what a
debugger leaves behind."""
from driver import FAULT_OF_KFD, e2e, in_guest, run_test
from guest import IS_WHOLE, need_parts

from harness import BUILD, SOURCE, check, main

SAXPY = ("--gpu 0 examples/saxpy.s --grid 256 --group 64 --arg a=2.0 --arg x=iota:256 --arg y=fill:256:1 "
         "--arg out=zeros:256 --print out:8")
RESULT = "1 3 5 7 9 11 13 15"  # 2 * i + 1
GPU = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id) /dev/dri/renderD128"
KFD = f"{BUILD}/tests/e2e/kfd {BUILD}/tests/e2e/kfd.bin {GPU}"
KFD_DEBUG = f"{BUILD}/tests/e2e/kfd_debug {BUILD}/tests/e2e/kfd.bin {GPU}"
RINGS = f"{BUILD}/tests/e2e/kfd_rings {GPU}"
DEBUG = "/sys/kernel/debug/dri/0000:00:10.0"


def loading():
    """No error in the log, the device nodes, the IB tests on all rings, what the GPU is, what the debugger says of the machine,
    and a kernel run by the driver; another one through an AQL queue of KFD, by ioctls, twice, since the first run leaves its
    queue with a kernel that never ends; a third, whose waves save and restore themselves by Linux's trap handler each time that
    KFD takes its queue away and gives it back: none begins anew; and queues of SDMA and of PM4 packets."""
    text = in_guest(f"ls /dev/dri\ncat {DEBUG}/amdgpu_test_ib\nbreakwater device --gpu 0\nbreakwater doctor\nbreakwater run {SAXPY}\n{KFD}\n{KFD}\n{KFD} evicted\n{RINGS}")
    check(text.count("event came, signal 0, 0 of 1000 wrong, read index 1\nqueue destroyed with its waves\n") == 2, text)
    check("\nevicted 10 times, signal 1, 32 waves begun\nevent came, signal 0, 0 of 1000 wrong, read index 2\n" in text, text)
    check("SDMA: event came, copy right, read pointer reported\nSDMA: pauses, then written\n"
          "PM4: written, read pointer reported\nPM4: pauses, then written\n" in text, text)
    check("lockup_timeout       3600000,3600000,3600000,3600000\n" in text and "Hardware can be debugged here." in text, text)
    check("GFXOFF       held off" in text, text)
    check("card0" in text and "renderD128" in text, text)
    check("ib ring tests passed." in text, text)
    check(RESULT in text, text)


def loading_again():
    """rmmod and insmod: the second time is like the first."""
    text = in_guest(f"driver-unload\n! test -e /dev/dri/card0\ndriver-load\ncat {DEBUG}/amdgpu_test_ib\nbreakwater run {SAXPY}")
    check("ib ring tests passed." in text and RESULT in text, text)


def removing():
    """PCI remove and rescan: the driver takes the GPU again."""
    text = in_guest("echo 1 >/sys/bus/pci/devices/0000:00:10.0/remove\n! test -e /dev/dri/card0\necho 1 >/sys/bus/pci/rescan\n"
                    f"cat {DEBUG}/amdgpu_test_ib\nbreakwater run {SAXPY}")
    check("ib ring tests passed." in text and RESULT in text, text)


def resetting():
    """There is no reset of the GPU: asked for one, the driver says so, and takes the GPU again when it is loaded anew."""
    text = in_guest(f"cat {DEBUG}/amdgpu_gpu_recover\ndriver-unload\ndriver-load\ncat {DEBUG}/amdgpu_test_ib\nbreakwater run {SAXPY}",
                    has_reset=True)
    check(text.startswith("-2\n"), text)
    check("ib ring tests passed." in text and RESULT in text, text)


def debugging():
    """A breakpoint, a register, a step, and the kernel's result, through the real debugfs; twice in one session, so that
    the second program's address space has the debug area where the first one's had it."""
    text = in_guest(f"breakwater run --batch -ex 'break saxpy' -ex run -ex 'info waves' -ex 'print/x $exec' -ex stepi "
                    f"-ex continue -ex run -ex delete -ex continue {SAXPY}")
    check("hit Breakpoint 1" in text and "$1 = 0xffffffff" in text and RESULT in text, text)


def faulting():
    """A bad address stops the wave, and is in the kernel's own report with the right VMID and client."""
    text = in_guest("breakwater run --batch -ex run --gpu 0 tests/e2e/kernels/unmapped.s --grid 64 --group 64 "
                    "--arg addr=0x123456789000 --arg out=zeros:64 || test $? = 3", has_fault=True)
    check("received signal SIGSEGV" in text and "Lane 5 reads 4 bytes at 0x123456789000, which is not mapped" in text, text)


def kfd_debugging():
    """Kernels that a program starts by AQL queues of KFD: stopped, stepped, watched, at a fault; the debugger leaves or is killed.
    Monitors hear of a fault (SMI_EVENTS)."""
    text = in_guest(run_test("e2e/test_aql.py", f"{BUILD}/tests/e2e/aql", f"{BUILD}/tests/e2e/aql.co") + f"\n{KFD} monitored", has_fault=FAULT_OF_KFD,
                    is_long=True)
    check(" passed, 0 failed" in text, text)
    check("monitored: 1 ready, event 1 of this one, process kfd\nmonitored: 0 ready, event 0 of none, process \n" in text, text)


def kfd_debug_calls():
    """What KFD's debug calls answer: what those of the virtual GPU's own driver do (tests/e2e/test_kfd.py)."""
    text = in_guest(f"cat /sys/class/kfd/kfd/topology/nodes/*/properties >/dev/null\n{KFD_DEBUG}")
    check((SOURCE / "tests/e2e/kfd_debug.txt").read_text() in text, text)


def state():
    """amdgpu_regs2, _wave, _gprwave, _vram and _iomem against the GPU's own registers and memory (state.py)."""
    text = in_guest("python3 -B tests/linux/state.py")
    for what in ("4 waves: ", "VMIDs: ", "VRAM: ", "system memory: ", "done"):
        check(what in text, text)


def ends():
    """kill -9 of the debugger and of the program, Ctrl-C, two debuggers at once."""
    e2e("kill")


def torture():
    """Random kernels, random commands, ends of all kinds; the output is that of the undisturbed run."""
    e2e("torture", "--no-strict", "--rounds", "6")


def traces():
    """Attach, and detach, quit, kill -9, SIGTERM, SIGHUP, a lost connection; the program's death: registers, page tables and
    code are as they were."""
    e2e("traces", f"{BUILD}/tests/live/device_state")


need_parts()
main(loading, *([loading_again, removing, resetting, debugging, faulting, kfd_debugging, kfd_debug_calls, state, ends, traces, torture] if IS_WHOLE else []))
