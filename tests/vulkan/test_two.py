# SPDX-License-Identifier: MIT
"""Two Vulkan programs on the graphics queue, of which there is one: the second one comes while waves of the first
are stopped there. Both are stopped at their dispatch, and both compute what they compute alone. One that is killed
while the prompt waits is told at the next command, and the other one goes on.

    test_two.py VKRUN"""
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
VKRUN = os.path.abspath(sys.argv[1])
SOURCE = HERE / "shaders/affine.comp"


WANT = [2 * i + 1 for i in range(256)]


def result(folder, name):
    return list(struct.unpack("<256I", pathlib.Path(folder, name, "affine.0.0.0").read_bytes()))


def begin(folder, has_come):
    """A session in which the first program is stopped at its dispatch, and one wave of it moves on and back, while all
    others stand, until the second has come. With the workgroup of that wave."""
    code, fifo = f"{folder}/affine.spv", f"{folder}/begin"
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", SOURCE, "-o", code], check=True)
    os.mkfifo(fifo)
    parts = []
    for name in ("one", "two"):
        os.mkdir(f"{folder}/{name}")
        parts.append(f"{VKRUN} --device RADV --queue universal --out {folder}/{name} {SOURCE} {code}")
    s = harness.Session("--", "sh", "-c", f"{parts[0]} & cat {fifo}; {parts[1]} & wait")
    s.command("break on dispatch")
    s.command("run")
    pc = s.command("print $pc")["value"]
    group = int(s.command("print blockIdx.x")["text"])
    s.command("set scheduler-locking on")
    with open(fifo, "w"):
        pass
    end = time.monotonic() + harness.TIMEOUT_S
    while not has_come(s):
        check(time.monotonic() < end, "the second program never comes")
        s.command("stepi 2")
        equal(harness.events(s.events, "warning"), [], "warnings")
        s.command(f"set var $pc = {pc}")
        time.sleep(0.05)
    s.command("set scheduler-locking step")
    return s, group


def both_are_stopped(folder):
    s, group = begin(folder, lambda s: len(s.command("info dispatches")["dispatches"]) == 2)
    s.command("continue")
    equal([e.get("breakpoint") for e in harness.events(s.events, "stop")], [1], "breakpoints that stop the second")
    equal(s.command("info breakpoints")["breakpoints"][0]["hits"], 2, "hits")
    s.command("continue")
    equal(harness.events(s.events, "warning"), [], "warnings")
    equal(s.end()[0], 0, "the debugger's status")
    for name in ("one", "two"):
        got = result(folder, name)
        wrong = {i // 64 for i in range(256) if got[i] != WANT[i]}
        # one wave has made some instructions several times
        check(wrong <= ({group} if name == "one" else set()), f"results of program {name}: {got}")


def one_is_killed(folder):
    """The one that has the focus: its waves go with it, and the next command says so."""
    s, _ = begin(folder, lambda s: len(s.command("info inferiors")["inferiors"]) == 2)
    dead, rest = s.command("info inferiors")["inferiors"]
    check(dead["current"] and dead["waves"] > 0, f"the stopped program is not the first: {dead}")
    os.kill(dead["pid"], signal.SIGKILL)
    harness.wait_ending(dead["pid"])
    end = time.monotonic() + harness.TIMEOUT_S
    while len(left := s.command("info inferiors")["inferiors"]) > 1:  # the debugger may hear of it a little later
        check(time.monotonic() < end, "the killed program is still an inferior")
    equal([(i["inferior"], i["current"]) for i in left], [(rest["inferior"], True)], "inferiors that are left")
    said = [e["text"] for e in harness.events(s.events, "notice")]
    equal([t for t in said if "ended" in t], [f"[Inferior 1 (process {dead['pid']}) ended]"], "notices of ends")
    end = time.monotonic() + harness.TIMEOUT_S
    while not harness.events(s.events, "exit"):
        check(time.monotonic() < end, "the second program never ends")
        s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")
    check(not pathlib.Path(folder, "one", "affine.0.0.0").exists(), "the killed program has written its result")
    equal(result(folder, "two"), WANT, "the result of the other one")


for test in (both_are_stopped, one_is_killed):
    with tempfile.TemporaryDirectory() as folder:
        test(folder)
print("two programs on one queue: ok")
