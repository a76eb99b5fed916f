#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A gdb with amd-dbgapi, which BREAKWATER_ROCGDB names, debugs HIP programs on the virtual GPU's own driver, and in the guest
on Linux's own KFD: for it the waves save and restore themselves on the virtual GPU. At the same stop Breakwater's prompt
shows the same registers. doc/rocm.md says how to build such a gdb; without one the test is skipped. make check-rocm runs it.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "linux")]
from guest import SKIP, need_parts, words  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal  # noqa: E402

GDB = os.environ.get("BREAKWATER_ROCGDB")
SLOW_S = 16 * TIMEOUT_S  # eight programs under QEMU's translation, on a machine that others use, too
PROGRAMS = {"saxpy": "-O0", "known": "-O1", "stops": "-O1"}
SOURCE = (HERE / "programs/known.hip").read_text().splitlines()
LINE = next(i for i, line in enumerate(SOURCE, 1) if "// HERE" in line)
SCALARS = ["exec", "vcc", "m0", "mode", "status", "trapsts"]
N_SGPRS, N_VGPRS, N_LANES = 106, 48, 32
WATCHED = 37  # an element that the second wave writes
ON = [t % 3 == 1 for t in range(64)]  # the lanes of known's two waves
WAVE = r"AMDGPU Wave \S+ \(0,0,0\)/(\d)"

SETTINGS = ["set pagination off", "set width 0", "set confirm off", "set breakpoint pending on", "set print elements 0", "set print repeats unlimited"]
NAMES = [*SCALARS, *(f"s{i}" for i in range(N_SGPRS)), *(f"v{i}" for i in range(N_VGPRS))]
SHOW = ["printf \"pc +%ld\\n\", $pc - (long)&known"] + [line for name in NAMES for line in (f"printf \"{name} \"", f"output/x ${name}", "echo \\n")]
# Until then it is gdb's child, so that it may be a zombie.
UNTIL_IT_ENDS = "shell while grep -lsx 'Name:.saxpy' /proc/[0-9]*/status | xargs -r grep -Ls 'State:.Z' | grep -q .; do sleep 1; done"

# gdb's sessions: name, program, and commands; what they say is checked below.
SESSIONS = {
    "known": ("./known", [f"break known.hip:{LINE}", "run", "info threads", *SHOW, "delete", "x/i $pc", "stepi", "x/i $pc", "next", "continue"]),
    "watch": ("./known", [f"break known.hip:{LINE}", "run", "delete",
                          f"watch -l *(unsigned *)(((unsigned long)$s1 << 32 | (unsigned)$s0) + {4 * WATCHED})", "continue", "info threads", "delete", "continue"]),
    # Of lanes 4 and 5 one is on in either wave, so that one element of the result is wrong then.
    "write": ("./known", [f"break known.hip:{LINE}", "run", "delete", "set var $v40[4] = 7", "set var $v40[5] = 7", "stepi", "continue"]),
    "saxpy": ("./saxpy", ["break saxpy", "run", "info threads", "delete", "stepi", "continue"]),
    "detach": ("./saxpy", ["break saxpy", "run", "delete", "detach", UNTIL_IT_ENDS]),
    "astray": ("./stops astray", ["run", "info threads", "x/i $pc", "kill"]),
    "two": ("./stops two", ["run", "info threads", "continue"]),
}
OWN = [f"break known.hip:{LINE}", "run", "info threads", "thread 1", "info all-registers", "thread 2", "info all-registers", "delete", "continue"]


def compile_programs(folder):
    for name, level in PROGRAMS.items():
        done = subprocess.run([BREAKWATER, "exec", "--rocm", "--", "hipcc", "-w", level, "-g", "-o", name, HERE / f"programs/{name}.hip"], cwd=folder,
                              capture_output=True, text=True, timeout=SLOW_S)
        check(done.returncode == 0, f"{name}: {done.stderr}")


def sessions(folder, *, in_guest):
    """What each session prints, by its name; Breakwater's own is "own"."""
    # Linux says of a GPU that it has watchpoints only after this was read.
    script = ["cat /sys/class/kfd/kfd/topology/nodes/*/properties >/dev/null"] if in_guest else []
    for name, (program, commands) in SESSIONS.items():
        folder.joinpath(f"{name}.gdb").write_text("\n".join(SETTINGS + commands) + "\n")
        script.append(f"echo '== {name}'; '{GDB}' -nx -batch -x {name}.gdb --args {program} 2>&1")
    own = ["run", "--batch", *(word for command in OWN for word in ("-ex", command))]
    if in_guest:
        script.append(f"echo '== own'; breakwater {shlex.join(own)} -- ./known 2>&1")
        command = words("--memory", "3G", "--rocm", "--", "sh", "-c", "\n".join(script))
    else:
        command = [BREAKWATER, "exec", "--rocm", "--", "sh", "-c", "\n".join(script)]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SLOW_S)
    said = dict(part.split("\n", 1) for part in done.stdout.split("== ")[1:])
    if not in_guest:
        said["own"] = subprocess.run([BREAKWATER, *own, "--rocm", "--", "./known"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                     timeout=SLOW_S).stdout
    check(set(said) == {*SESSIONS, "own"}, f"{done.stdout}\n{done.stderr}")
    return said


def says(text, *patterns):
    """The patterns are in the text, one after the other."""
    at = 0
    for pattern in patterns:
        found = re.compile(pattern, re.M).search(text, at)
        check(found, f"no {pattern!r} after byte {at} of:\n{text}")
        at = found.end()


def numbers(text):
    return [int(word, 16) for word in re.findall(r"[0-9a-f]+", text)]


def by_gdb(text):
    """The wave's number in its group, and its registers."""
    wave = re.search(rf"^\* +\d+ +{WAVE} ", text, re.M)
    check(wave, f"gdb is at no wave:\n{text}")
    regs = {"pc": int(re.search(r"^pc \+(\d+)$", text, re.M)[1])}
    for name in NAMES:
        value = re.search(rf"^{name} (\{{?0x.*)$", text, re.M)
        check(value, f"gdb shows no {name}:\n{text}")
        values = numbers(value[1].replace("0x", ""))
        regs[name] = values if name[0] == "v" and name != "vcc" else values[0]
    return int(wave[1]), regs


def by_own(text):
    """The registers by the number of the wave in its group."""
    waves = {}
    order = re.findall(rf"^[* ] +\d+ +{WAVE} ", text, re.M)
    parts = text.split("\npc ")[1:]
    equal(len(parts), 2, f"waves that Breakwater shows:\n{text}")
    for number, part in zip(order, parts):
        regs = {"pc": int(re.match(r".*\+(\d+)>", part)[1])}
        for name, value in re.findall(r"^(\w+) +0x(\w+)", part, re.M):
            regs[name] = int(value, 16)
        for first, values in re.findall(r"^s\[(\d+):\d+\] +(.*)$", part, re.M):
            regs.update({f"s{int(first) + i}": value for i, value in enumerate(numbers(values))})
        for name, values in re.findall(r"^(v\d+) +((?:\[ *\d+\].*\n +)*\[ *\d+\].*)$", part, re.M):
            regs[name] = numbers(re.sub(r"\[ *\d+\]", "", values))
        waves[int(number)] = regs
    return waves


def compare(gdb, own):
    """The registers of one wave in both debuggers, and with what the program's source says."""
    wave, regs = by_gdb(gdb)
    others = by_own(own)[wave]
    for text, them in (gdb, regs), (own, others):
        # The two programs have their memory at different places.
        out = int(re.search(r"out is at 0x(\w+)", text)[1], 16)
        equal(them["s1"] << 32 | them["s0"], out, "the address in s[0:1]")
        del them["s0"], them["s1"]
    equal(set(regs) - set(others), set(), "registers that only gdb shows")
    equal({name: value for name, value in regs.items() if value != others[name]}, {}, f"registers that Breakwater shows with other values\n{own}")
    lanes = range(32 * wave, 32 * wave + N_LANES)
    equal(regs["exec"], sum(ON[t] << i for i, t in enumerate(lanes)), "EXEC")
    equal(regs["s40"], 0xcafe4321, "s40")
    for i, t in enumerate(lanes):
        if ON[t]:
            equal((regs["v40"][i], regs["v41"][i]), (0x101 * t, ~t & 0xffffffff), f"v40 and v41 of work-item {t}")


def judge(said):
    print("\n".join(f"== {name}\n{text}" for name, text in said.items()))
    hit = r"^Thread \d+ hit Breakpoint 1, "
    says(said["known"], hit + r"known \(.*\) at \S*known.hip:" + str(LINE), r"^=> .*:\ts_nop 0$", r"^=> .*:\ts_delay_alu ", f"^{LINE + 1}\t", r"^known: right$", "exited normally")
    compare(said["known"], said["own"])
    value = (0x101 * WATCHED + ~WATCHED + 0xcafe4321) & 0xffffffff
    says(said["watch"], hit, "^Hardware watchpoint 2: ", "hit Hardware watchpoint 2: ", "^Old value = 0$", f"^New value = {value}$", rf"^\* +\d+ +{WAVE} ",
         "^known: right$", "exited normally")
    says(said["write"], hit, "^known: 1 wrong$", "exited with code 01")
    line = next(i for i, text in enumerate((HERE / "programs/saxpy.hip").read_text().splitlines(), 1) if "int i =" in text)
    says(said["saxpy"], hit + rf"saxpy \(.*\) at \S*saxpy.hip:{line}", r"^\* +\d+ +AMDGPU Wave ", "^saxpy: right$", "exited normally")
    says(said["detach"], hit, "^saxpy: right$")
    says(said["astray"], "received signal SIGSEGV, Segmentation fault", rf"^\* +\d+ +{WAVE} ", r"^=> .*:\tflat_store_b32 ", "killed")
    says(said["two"], "received signal SIGINT, Interrupt", *[r"^ +\d+ +AMDGPU Wave \S+ \(0,0,0\)/[01] +patient "] * 4, "^two: right$", "exited normally")


def main():
    if os.environ.get("BREAKWATER_ROCM_TEST") != "whole":
        print("SKIPPED: make check-rocm runs gdb.")
        sys.exit(SKIP)
    if not GDB:
        print("SKIPPED: BREAKWATER_ROCGDB does not name a gdb with amd-dbgapi; doc/rocm.md says how to build one.")
        sys.exit(SKIP)
    need_parts()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_programs(folder)
        for in_guest in False, True:
            judge(sessions(folder, in_guest=in_guest))


main()
