#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Vulkan program that hangs on Linux's driver: breadcrumbs, captures and bisect name the dispatch. Where the driver ends jobs
after their time limit the GPU is usable afterwards; where it does not, which is how the guest's driver is loaded, the program
can be killed and the report is there. make check-linux alone."""
import re

from driver import in_guest
from guest import IS_WHOLE, need_parts

from harness import BUILD, SOURCE, check, equal, main

VKRUN = BUILD / "tests/vulkan/vkrun"
RECOVERS = ("--driver-args", "gpu_recovery=1 lockup_timeout=5000,5000,5000,5000")
# No lane ends, as b[0] is never written.
ENDLESS = """#version 460
//! buffer 0 u32 256 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
void main()
{
	uint i = gl_GlobalInvocationID.x, x = i;
	while (atomicAdd(b[0], 0) == 0u)
		x += 7;
	b[i] = x;
}
"""
PREPARE = f"""
cd {SOURCE}
export XDG_RUNTIME_DIR=/tmp
mkdir /tmp/out
cat >/tmp/endless.comp <<'END'
{ENDLESS}END
glslangValidator --quiet --target-env vulkan1.3 -V /tmp/endless.comp -o /tmp/endless.spv
glslangValidator --quiet --target-env vulkan1.3 -V tests/vulkan/shaders/affine.comp -o /tmp/affine.spv
run="{VKRUN} --device RADV --patience 100000 --out /tmp/out --queue"
bad="/tmp/endless.comp /tmp/endless.spv"
good() {{ $run compute tests/vulkan/shaders/affine.comp /tmp/affine.spv; od -An -tu4 -N16 /tmp/out/affine.0.0.0 | sed 's/^ */values /; s/  */ /g'; }}
exec 2>&1
"""
CRUMBS = r"first that did not: +marker \d+, DISPATCH_DIRECT, dword \d+ of the IB at 0x\w+: dispatch 0, code 0x\w+, pipeline main\n"


def recovered():
    """On both queues, then captured, replayed and bisected; the driver ends each job, and what comes then is right. Its own
    dump names the ring and the program."""
    text = in_guest(PREPARE + """
breakwater exec --breadcrumbs -- $run compute $bad; good
head -c 200000 /sys/class/drm/card0/device/devcoredump/data >/tmp/dump
breakwater crash /tmp/dump
breakwater exec --breadcrumbs=packet -- $run universal $bad; good
breakwater capture -o /tmp/a.bwc -- $run compute $bad
breakwater replay /tmp/a.bwc || test $? = 3
breakwater bisect /tmp/a.bwc; good
""", is_long=True, options=RECOVERS)
    equal(len(re.findall(CRUMBS, text)), 2, "dispatches named in\n" + text)
    for ring in ("compute", "gfx"):
        check(re.search(rf"IB 1 on {ring} ring 0, failed: the driver ended its waves; nothing had changed for \d+ ms", text), text)
    # Not the whole dump: the kernel makes all of its text anew for each 4 KiB that are read.
    check(re.search(r"A dump of kernel 6\.12\S* .*, GPU gfx11\.0\.0 \(Navi31\), process vkrun", text), text)
    check(re.search(r"Ring comp_\S+ \(compute\) did not finish a job in time\.", text), text)
    check("Its dispatch 0 does it: packet 0x" in text, text)
    equal(re.findall("(?m)^values (.*)$", text), ["1 3 5 7"] * 3, "what a program computes behind each hang")


def kept():
    """Without recovery the kernel keeps a program that was killed: its connections stay open, and it is no zombie. The report
    comes, and "breakwater exec" ends."""
    text = in_guest(PREPARE + """
good
set +e
timeout 20 breakwater exec --breadcrumbs -- $run compute $bad
echo "status $?"
""", is_long=True)
    check(re.search(CRUMBS, text), text)
    check(re.search(r"process \d+ was ended, but Linux keeps it until its job on the GPU has ended", text), text)
    check("values 1 3 5 7\n" in text, text)


def kept_capture():
    """The same of a capture: the file is there, and said to be."""
    text = in_guest(PREPARE + """
set +e
timeout 20 breakwater capture -o /tmp/a.bwc -- $run compute $bad
""", is_long=True)
    check("1 submission of 1 process in /tmp/a.bwc" in text, text)
    check(re.search(r"process \d+ was ended, but Linux keeps it until its job on the GPU has ended", text), text)


if not IS_WHOLE:
    print("SKIPPED: make check-linux runs this.")
    raise SystemExit(77)
need_parts()
check(VKRUN.exists(), f"{VKRUN} was not built")
main(recovered, kept, kept_capture)
