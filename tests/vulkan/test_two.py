# SPDX-License-Identifier: MIT
"""Two Vulkan programs on the graphics queue, of which there is one: the second one comes while waves of the first
are stopped there. Both are stopped at their dispatch, and both compute what they compute alone.

    test_two.py VKRUN"""
import os
import pathlib
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


def main(folder):
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
    # one wave of the first moves on and back, and all others stand, until the second has come
    end = time.monotonic() + harness.TIMEOUT_S
    while len(s.command("info dispatches")["dispatches"]) < 2:
        check(time.monotonic() < end, "the second program never submits")
        s.command("stepi 2")
        equal(harness.events(s.events, "warning"), [], "warnings")
        s.command(f"set var $pc = {pc}")
        time.sleep(0.05)
    s.command("set scheduler-locking step")
    s.command("continue")
    equal([e.get("breakpoint") for e in harness.events(s.events, "stop")], [1], "breakpoints that stop the second")
    equal(s.command("info breakpoints")["breakpoints"][0]["hits"], 2, "hits")
    s.command("continue")
    equal(harness.events(s.events, "warning"), [], "warnings")
    equal(s.end()[0], 0, "the debugger's status")
    want = [2 * i + 1 for i in range(256)]
    for name in ("one", "two"):
        got = struct.unpack("<256I", pathlib.Path(folder, name, "affine.0.0.0").read_bytes())
        wrong = {i // 64 for i in range(256) if got[i] != want[i]}
        # one wave has made some instructions several times
        check(wrong <= ({group} if name == "one" else set()), f"results of program {name}: {got}")


with tempfile.TemporaryDirectory() as folder:
    main(folder)
print("two programs on one queue: ok")
