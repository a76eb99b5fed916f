#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What real editors sent (recordings/*.jsonl), sent again: each answer says what it said then, which a person has
read, and the program has done what its source says.

    test_recorded.py kernel
    test_recorded.py vulkan VKRUN"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import recording
from client import SOURCE, Client, check, equal, main

FOLDER = pathlib.Path(__file__).resolve().parent / "recordings"
os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
KIND = sys.argv.pop(1)
VKRUN = os.path.abspath(sys.argv.pop(1)) if KIND == "vulkan" else None
# A shader's registers and code are what its driver's version makes of it.
DRIVERS = ("variables", "disassemble", "evaluate")


def replay(path, words):
    """Returns what the program printed."""
    client, lines = recording.read(path)
    check(sum("request" in line for line in lines) > 10, f"{path.name} is empty")
    with Client(initialize=False) as c:
        for request, before, now in recording.Replay(c, words).run(lines):
            what = f"{client['client']}, request {request['request']} {request['command']}"
            equal(now["success"], before["success"], f"{what}: {now.get('message')}; success")
            if "means" not in before:
                continue
            said = recording.meaning(request["command"], now["body"])
            if KIND == "vulkan" and request["command"] in DRIVERS:
                check(bool(said) == bool(before["means"]), f"{what}: {said}")
            else:
                equal(said, before["means"], what)
        if any(line.get("command") == "disconnect" for line in lines):
            while c.take():
                pass
        else:  # it closes the connection when the program has ended
            c.event("terminated")
        return "".join(e["body"]["output"] for e in c.events
                       if e["event"] == "output" and e["body"].get("category") == "stdout")


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def kernel(path):
    """Its editor has put 32 into the offset of the first wave, where the source has 23."""
    said = replay(path, {"${root}": str(SOURCE)})
    got = [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", said)]
    equal(len(got), 8, f"numbers that the kernel's run printed in {said!r}")
    for i, x in enumerate(got):
        check(abs(x - f32(f32(i * 1.8) + 32)) < 1e-3, f"out[{i}] is {x}")


def vulkan(path):
    """Its editor has only looked."""
    with tempfile.TemporaryDirectory() as out:
        source, code = SOURCE / "tests/vulkan/shaders/affine.comp", f"{out}/affine.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        replay(path, {"${root}": str(SOURCE), "${out}": out, "${vkrun}": VKRUN})
        got = struct.unpack("<256I", pathlib.Path(out, "affine.0.0.0").read_bytes())
        equal(list(got), [2 * i + 1 for i in range(256)], "results")


def case(path):
    def run():
        (vulkan if KIND == "vulkan" else kernel)(path)
    run.__name__ = path.stem
    return run


PATHS = sorted(FOLDER.glob(f"*-{KIND}.jsonl"))
check(PATHS, "there are recordings")
main([case(path) for path in PATHS])
