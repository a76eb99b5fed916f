#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The debugger on Linux's own driver, beyond what test_driver.py has of it: thousands of waves, a watchpoint, what looks at
the GPU beside it, Vulkan programs. make check-linux alone: each case boots a guest."""
import os
import pathlib
import re
import subprocess
import tempfile

from driver import in_guest, run_test
from guest import IS_WHOLE, need_parts

from harness import BREAKWATER, BUILD, SOURCE, check, equal, main

VKRUN = BUILD / "tests/vulkan/vkrun"
N = 131072


def saxpy(n, *options):
    return (f"breakwater run --batch {' '.join(options)} examples/saxpy.s --grid {n} --group 64 --arg a=2.0 --arg x=iota:{n} "
            f"--arg y=fill:{n}:1 --arg out=zeros:{n} --print out:4")


def many_waves():
    """As many waves as the GPU has places for are stopped at once: 6 * 2 * 4 WGPs of 4 SIMDs of 16. All run on."""
    text = in_guest(saxpy(N, "-ex 'break saxpy.s:20'", "-ex run", "-ex delete", "-ex continue"))
    check(re.search(r"waves stopped here, 3072 in all;", text), text)
    check("1 3 5 7\n" in text, text)


def watching():
    """A hardware watchpoint stops the wave that writes; the watch registers are the real driver's debugfs'."""
    text = in_guest(saxpy(256, "-ex 'break saxpy'", "-ex run", "-ex 'watch *(float *)((long)$_launch.out + 20)'", "-ex 'delete 1'",
                          "-ex continue", "-ex continue"))
    check("hit Hardware watchpoint 2: " in text and "with lanes [5]" in text, text)
    check("Old value = 0\nNew value = 11\n" in text and "1 3 5 7\n" in text, text)


LOOKS = {
    "waves": r"(?m)^se\d\.sa\d\.wgp\d\.simd\d\.w\d +1  saxpy    in the trap handler .* saxpy\+0 ",
    "queues": r"me1\.pipe\d\.queue0  compute  +0  the driver  busy ",
    "queues --all": r"SDMA0_QUEUE0 +0  empty ",  # idle: its pointers are equal
    "regs read GRBM_STATUS": r"GRBM_STATUS => 0x[0-9a-f]{8}",
    "vm maps saxpy": r"0x000100000000  0x\w+ .* vram ",
    "ring gfx_0.0.0": r"gfx_0\.0\.0: read pointer ",
    "mem read vram@0 /1xw": r"vram@0x0:\s0x\w{4}aa55",  # the VBIOS
    "umr -lb": r"navi31\.gfx1100 \(11\.0\.0\)",
    "umr -wa": r"SE SA WGP SIMD WAVE# WAVE_STATUS PC_HI PC_LO .*\n\d \d \d \d \d 0001\w{4} 0000\w{4} ",
    "umr -O bits -r \\*.\\*.regGRBM_STATUS": r"\.GUI_ACTIVE\[31:31\] +==        1 ",
    "umr -RS gfx_0.0.0": r"gfx_0\.0\.0\.rptr == \d+\ngfx_0\.0\.0\.wptr == \d+",
    "umr -cpc": r"Pipe 0  Queue 0  VMID 0",
    "umr -vm 1@0x100000000 1": r"PTE@.*V=1",
}


def looking():
    """Beside a kernel that is stopped: what looks at the GPU from outside the session."""
    lines = ["break saxpy", "run", *[f"shell echo '== {what}'; breakwater {what}" for what in LOOKS], "delete", "continue"]
    text = in_guest("cat >/tmp/looks.bw <<'END'\n" + "\n".join(lines) + "\nEND\n" + saxpy(256, "-x /tmp/looks.bw"))
    parts = dict(part.split("\n", 1) for part in text.split("\n== ")[1:])
    for what, pattern in LOOKS.items():
        check(re.search(pattern, parts.get(what, "")), f"{what}:\n{parts.get(what, text)}")
    check("1 3 5 7\n" in text, text)


def vulkan():
    """A Vulkan program stopped before and in its dispatch, stepped, changed and continued, in wave32 and wave64."""
    check(VKRUN.exists(), f"{VKRUN} was not built")
    text = in_guest(run_test("vulkan/test_debug.py", VKRUN), is_long=True)
    equal(text.count(": ok"), 4, "runs")


def two():
    """Two Vulkan programs on one queue, both stopped; one that is killed while its waves are stopped: the driver lets it end
    when the debugger has given them up."""
    text = in_guest(run_test("vulkan/test_two.py", VKRUN), is_long=True)
    check("two programs on one queue: ok" in text, text)


def attaching():
    """A debugger that comes to a Vulkan program, and goes, also while a dispatch of it runs that has no end."""
    line = run_test("vulkan/test_attach.py", BUILD / "tests/vulkan/vulkan_names", BUILD / "tests/live/device_state")
    text = in_guest(line + " 2>&1", is_long=True)  # cmocka reports on standard error
    check(" passed, 0 failed" in text, text)


FAULTY = f"""
cat >/tmp/fault.comp <<'END'
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
//! buffer 0 u32 256 zeros
//! dispatch 3 1 1
layout(local_size_x = 64) in;
layout(binding = 0) buffer B {{ uint b[]; }};
layout(buffer_reference, std430) buffer P {{ uint v; }};
void main()
{{
	P p = P(uint64_t(0x123456789000ul) + b[gl_GlobalInvocationID.x]);
	p.v = 5;
}}
END
glslangValidator --quiet --target-env vulkan1.3 -V /tmp/fault.comp -o /tmp/fault.spv
glslangValidator --quiet --target-env vulkan1.3 -V tests/vulkan/shaders/affine.comp -o /tmp/affine.spv
export XDG_RUNTIME_DIR=/tmp
mkdir /tmp/out
run="{VKRUN} --device RADV --queue compute --out /tmp/out"
exec 2>&1
breakwater run --batch -ex run -ex 'info waves' -- $run /tmp/fault.comp /tmp/fault.spv || test $? = 3
$run tests/vulkan/shaders/affine.comp /tmp/affine.spv
od -An -tu4 -N16 /tmp/out/affine.0.0.0
"""


def faulting():
    """A Vulkan program that writes to nowhere: its waves stop there, with lane and address; killed so, it leaves the GPU to the
    next one."""
    text = in_guest(FAULTY, has_fault=True, is_long=True)
    check("received signal SIGSEGV" in text and "Lane 0 writes 4 bytes at 0x123456789000, which is not mapped" in text, text)
    equal(text.count("MEMORY_VIOLATION"), 3, "waves that have met it in\n" + text)
    check(re.search(r"1 +3 +5 +7\n$", text), text)


# The instruction of what RADV makes of affine.comp that computes 2 * i + 1; made into 4 * i + 1.
EDIT = r"s/v_lshl_add_u32 \(v[0-9]*\), \(v[0-9]*\), 1, 1$/v_lshl_add_u32 \1, \2, 2, 1/"
CARRIED = f"""
cd {SOURCE}
export XDG_RUNTIME_DIR=/tmp
mkdir /tmp/out
glslangValidator --quiet --target-env vulkan1.3 -V tests/vulkan/shaders/affine.comp -o /tmp/affine.spv
sed 's/2 [*] i/3 * i/' tests/vulkan/shaders/affine.comp >/tmp/other.comp
run="{VKRUN} --device RADV --queue compute --out /tmp/out tests/vulkan/shaders/affine.comp /tmp/affine.spv"
say() {{ od -An -tu4 -N16 /tmp/out/affine.0.0.0 | sed 's/^ */values /; s/  */ /g'; rm /tmp/out/*; }}
exec 2>&1
breakwater exec --breadcrumbs -- $run; say
breakwater exec --shader '*=/tmp/other.comp' -- $run; say
breakwater exec --save-shaders /tmp/saved -- $run; say
sed -i '{EDIT}' /tmp/saved/main-*.s
breakwater exec --shader "main=$(ls /tmp/saved/main-*.s)" -- $run; say
breakwater capture -o /tmp/a.bwc -- $run; say
breakwater replay --check /tmp/a.bwc
clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1100 examples/saxpy.s -o /tmp/saxpy.co
breakwater capture -o /tmp/b.bwc -- {BUILD}/breakwater-launch /tmp/saxpy.co --grid 256 --group 64 --arg a=2.0 --arg x=iota:256 --arg y=fill:256:1 --arg out=zeros:256
breakwater replay --check /tmp/b.bwc
breakwater run --batch -ex 'break on dispatch' -ex run -ex stepi -ex continue /tmp/a.bwc
breakwater replay --check HOST
breakwater run --batch -ex 'break on dispatch' -ex run -ex stepi -ex continue HOST
cat /tmp/a.bwc >SHARED/guest.bwc
"""


def carrying():
    """What changes a program's submissions, or takes them away: markers in a command stream, a shader in the place of another, as
    SPIR-V and as machine code, captures of a Vulkan program and of a kernel, which are replayed, compared and debugged. A
    capture made on the virtual GPU's own driver is replayed there, and one made there is here."""
    with tempfile.TemporaryDirectory() as folder:
        here, there = pathlib.Path(folder, "host.bwc"), pathlib.Path(folder, "guest.bwc")
        spirv = pathlib.Path(folder, "affine.spv")
        shader = SOURCE / "tests/vulkan/shaders/affine.comp"
        command = ["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", shader, "-o", spirv]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        command = [BREAKWATER, "capture", "-o", here, "--", VKRUN, "--device", "RADV", "--queue", "compute", "--out", folder, shader, spirv]
        env = {**os.environ, "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "/tmp")}
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=env)
        text = in_guest(CARRIED.replace("HOST", str(here)).replace("SHARED", folder), is_long=True, options=("--share", folder))
        done = subprocess.run([BREAKWATER, "replay", "--check", there], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env)
        text += done.stdout + done.stderr
    equal(re.findall("(?m)^values (.*)$", text), ["1 3 5 7", "1 4 7 10", "1 3 5 7", "1 5 9 13", "1 3 5 7"], "what the shader has computed")
    equal(text.count("hit Breakpoint 1, with lanes [0-63]"), 2, "captures debugged in\n" + text)
    equal(text.count("1 submission, 1 dispatch replayed.\n"), 2, "captures debugged to their end in\n" + text)
    check(re.search(r"Breadcrumbs: [1-9]\d* command streams? of 1 process; 0 did not end well\.", text), text)
    equal(text.count("1 submission, 1 dispatch replayed; memory is as captured after each."), 4, "captures replayed in\n" + text)


def clocks():
    """INFO TIMESTAMP, which Vulkan's timestamps are compared with, counts."""
    read = ("import fcntl, os, struct, sys, time; fd = os.open('/dev/dri/renderD128', os.O_RDWR); b = bytearray(8)\n"
            "import ctypes; at = ctypes.addressof(ctypes.c_char.from_buffer(b))\n"
            "def now():\n fcntl.ioctl(fd, 0x40206445, struct.pack('<QII16x', at, 8, 5)); return struct.unpack('<Q', b)[0]\n"
            "a = now(); time.sleep(0.1); print('passed', now() - a)")
    text = in_guest(f'python3 -c "{read}"')
    passed = int(re.search(r"passed (-?\d+)", text)[1])
    check(passed >= 10_000_000, f"{passed} ticks of 10 ns in 0.1 s")


if not IS_WHOLE:
    print("SKIPPED: make check-linux runs this.")
    raise SystemExit(77)
need_parts()
main(many_waves, watching, looking, vulkan, two, attaching, faulting, carrying, clocks)
