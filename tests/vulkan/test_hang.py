# SPDX-License-Identifier: MIT
"""A shader without end under RADV_DEBUG=hang: RADV's report, which it makes of the driver's registers and
of what the tool umr prints, is whole, and its pages agree with each other.

    test_hang.py VKRUN"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BREAKWATER = pathlib.Path(os.environ["BREAKWATER_BUILD"]) / "breakwater"
VKRUN = os.path.abspath(sys.argv[1])
HEAD = """#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
//! buffer 0 u32 256 zeros
//! push u32 16777619
//! dispatch 3 1 1
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
layout(push_constant) uniform C { uint step; };
layout(buffer_reference, std430) buffer P { uint v; };
"""
# Each lane counts on from its number by what is pushed: no wave ends, as b[0] is never written.
STEP = 16777619
ENDLESS = HEAD + """void main()
{
	uint i = gl_GlobalInvocationID.x, x = i;
	while (atomicAdd(b[0], 0) == 0u)
		x += step;
	b[i] = x;
}
"""
NOWHERE = 0x123456789000
FAULT = HEAD + f"""void main()
{{
	P p = P(uint64_t({NOWHERE:#x}ul) + b[gl_GlobalInvocationID.x]);
	p.v = 5;
}}
"""


def check(ok, what, seen=""):
    if not ok:
        raise SystemExit(f"{what}\n{seen}")


def report(text):
    """The pages of the report on this shader, by name."""
    with tempfile.TemporaryDirectory() as tmp:
        source, code = pathlib.Path(tmp, "case.comp"), pathlib.Path(tmp, "case.spv")
        source.write_text(text)
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-g", "-V", source, "-o", code], check=True)
        env = dict(os.environ, HOME=tmp, RADV_DEBUG="hang")
        env.setdefault("XDG_RUNTIME_DIR", "/tmp")
        done = subprocess.run([BREAKWATER, "exec", "--", VKRUN, "--device", "RADV", "--queue", "universal", source, code],
                              env=env, capture_output=True, text=True)
        check(done.returncode == 128 + 6, f"status {done.returncode}: RADV ends the program by abort()", done.stderr)
        folders = list(pathlib.Path(tmp).glob("radv_dumps_*"))
        check(len(folders) == 1, f"{len(folders)} reports", done.stderr)
        plain = re.compile(r"\x1b\[[0-9;]*m")
        pages = {p.stem: plain.sub("", p.read_text(errors="replace")) for p in folders[0].glob("*.log")}
        pages["verdict"] = subprocess.run([BREAKWATER, "crash", folders[0]], capture_output=True, text=True, check=True).stdout
        return pages


def waves(text):
    """Of umr's page: main registers, SGPRs and VGPRs of each wave."""
    found = []
    for wave in text.split("Main Registers:")[1:]:
        main, rest = wave.split("\n\n", 1)
        registers = {n: int(v, 16) for n, v in re.findall(r"ixSQ_WAVE_(\w+): ([0-9a-f]{8})", main)}
        sgprs, vgprs = rest.split("SGPRs:")[1].split("VGPRs")
        rows = [[int(v, 16) for v in re.findall(r"[0-9a-f]{8}", row)] for row in re.findall(r"\{(.*)\}", vgprs)]
        found.append((registers, [int(v, 16) for row in re.findall(r"\{(.*)\}", sgprs) for v in re.findall(r"[0-9a-f]{8}", row)],
                      rows))
    return found


def field(pages, page, name):
    values = re.findall(rf"\b{name} = (\w+)", pages[page])
    check(values, f"no {name} in {page}.log", pages[page])
    return int(values[0], 0)


def endless():
    pages = report(ENDLESS)
    check(field(pages, "registers", "GUI_ACTIVE") == 1, "GRBM_STATUS says that the GPU is idle")
    check(field(pages, "registers", "SPI_BUSY") == 1, "GRBM_STATUS says that there are no waves")
    found = waves(pages["umr_waves"])
    check(len(found) == 3, f"{len(found)} waves, not 3", pages["umr_waves"])
    check("The number of active waves = 3" in pages["pipeline"], "RADV has not understood umr's page", pages["pipeline"])
    # RADV 23 and later say where the code is.
    code = [int(pc, 16) for pc in re.findall(r"\[PC=(0x[0-9a-f]+)", pages["pipeline"])]
    if not code:
        first = min(r["PC_LO"] | r["PC_HI"] << 32 for r, _, _ in found)
        code = [first - 1, first + int(re.search(r"Code size: (\d+)", pages["pipeline"])[1])]
    firsts = set()
    for registers, sgprs, vgprs in found:
        pc = registers["PC_LO"] | registers["PC_HI"] << 32
        check(min(code) < pc <= max(code), f"PC {pc:#x} is not in the shader")
        check(registers["STATUS"] >> 13 & 1 == 1, "the wave was not halted while it was looked at")
        # Needed in every round of the loop, and the same for all lanes.
        check(STEP in sgprs, "what was pushed is in no SGPR")
        # i is in a VGPR: 64 numbers in a row; and so is x, which has come as far in each lane.
        rows = [r for r in vgprs if all(v == r[0] + i for i, v in enumerate(r))]
        check(rows and len(rows[0]) == 64, "no VGPR counts the lanes")
        firsts |= {r[0] for r in rows if r[0] % 64 == 0 and r[0] < 192}
    check({0, 64, 128} <= firsts, f"groups begin at {sorted(firsts)}")
    at = {n: int(v) for n, v in re.findall(r"gfx_0\.0\.0\.(rptr|wptr|drv_wptr) == (\d+)", pages["umr_ring"])}
    check(at["rptr"] != at["wptr"] == at["drv_wptr"], "the ring has nothing to do", pages["umr_ring"][:500])
    # The fence behind the job, RELEASE_MEM with 7 words behind its header.
    check("0xc0064900" in pages["umr_ring"], "no fence on the ring", pages["umr_ring"][:500])
    # What the verdict says of the source, where RADV says where the code is (23 and later).
    if "[PC=" in pages["pipeline"]:
        line = 1 + next(i for i, text in enumerate(ENDLESS.splitlines()) if "while" in text)
        check(re.search(rf"All its waves are in one loop of its code, 0x\w+ to 0x\w+; its source has one loop, at \S*case.comp:{line}-{line + 1}\.",
                        pages["verdict"]), "the loop in the source", pages["verdict"])
    print("endless: ok")
    return "vm_fault" in pages and pages


def fault():
    pages = report(FAULT)
    check(f"Failing VM page: {NOWHERE:#x}" in pages["vm_fault"], "the fault's address", pages["vm_fault"])
    check(field({"f": pages["vm_fault"].replace(": ", " = ")}, "f", "RW") == 1, "a store is a write", pages["vm_fault"])
    check("(TCP)" in pages["vm_fault"], "stores go through TCP", pages["vm_fault"])
    print("fault: ok")


if endless():
    fault()
else:
    print("fault: this RADV looks for faults in the kernel's log only, as it was before Linux 6.7")
