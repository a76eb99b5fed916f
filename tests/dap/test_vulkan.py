#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A session inside a Vulkan program: stopped before its dispatch and in the shader, one value changed on the way
out.

    test_vulkan.py VKRUN"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from client import SOURCE, Client, check, equal, main

VKRUN = os.path.abspath(sys.argv.pop(1))
os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")


def shader():
    with tempfile.TemporaryDirectory() as out, Client() as c:
        source, code = SOURCE / "tests/vulkan/shaders/affine.comp", f"{out}/affine.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        c.launch(VKRUN, args=["--device", "RADV", "--queue", "compute", "--out", out, str(source), code],
                 env={"RADV_PERFTEST": "cswave32"})
        c.request("setExceptionBreakpoints", filters=["dispatch"])
        c.go()
        stop = c.event("stopped")
        equal(stop["reason"], "entry", "the first stop")
        (thread,) = c.request("threads")["threads"]
        equal(thread["id"], stop["threadId"], "the program's own thread")
        check("vkrun" in thread["name"], thread["name"])
        equal(c.request("stackTrace", threadId=thread["id"])["stackFrames"], [], "it has no frames")
        kernel = c.value("info kernel", context="repl")
        start = re.search(r"0x[0-9a-f]+", kernel)[0]
        code = c.request("disassemble", memoryReference=start, instructionOffset=0, instructionCount=60)["instructions"]
        stores = [i for i in code if i["instruction"].startswith("buffer_store_b32")]
        check(stores, f"no store in {[i['instruction'] for i in code]}")
        data = re.match(r"buffer_store_b32 (v\d+),", stores[0]["instruction"])[1]
        c.request("setInstructionBreakpoints", breakpoints=[{"instructionReference": stores[0]["address"]}])
        c.request("setExceptionBreakpoints", filters=[])
        c.request("continue", threadId=thread["id"])
        thread = c.stopped("instruction breakpoint")
        check("dispatch 1 [AMDGPU Wave " in c.request("threads")["threads"][0]["name"], "the names of waves")
        frame = c.top(thread)
        vgprs = {v["name"]: v for v in c.variables(c.scopes(frame["id"])["VGPRs"]["variablesReference"])}
        (lane,) = c.variables(vgprs[data]["variablesReference"], start=5, count=1)
        here = int(lane["value"].split()[0], 0) // 2
        equal(here % 32, 5, "the lane")
        c.request("setVariable", variablesReference=vgprs[data]["variablesReference"], name="[5]", value="1000")
        c.request("setInstructionBreakpoints", breakpoints=[])
        c.request("continue", threadId=thread)
        c.event("terminated")
        equal(c.event("exited")["exitCode"], 0, "exit status")
        said = "".join(e["body"]["output"] for e in c.events if e["event"] == "output")
        check(0 <= said.find("pass ") < said.find("exited normally"), f"the program's last words come before its end in {said}")
        got = struct.unpack("<256I", pathlib.Path(out, "affine.0.0.0").read_bytes())
        want = [1000 if i == here else 2 * i + 1 for i in range(256)]
        equal([i for i in range(256) if got[i] != want[i]], [], "results that are wrong")
        c.disconnect()


def shader_without_lines():
    """Its first instruction: an editor can go there by the reason alone, and open the disassembly."""
    with tempfile.TemporaryDirectory() as out, Client() as c:
        source, code = SOURCE / "tests/vulkan/shaders/affine.comp", f"{out}/affine.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        c.launch(VKRUN, args=["--device", "RADV", "--queue", "compute", "--out", out, str(source), code], stopOnEntry=True)
        c.go()
        stop = c.event("stopped")
        check(stop["description"].startswith("Start of dispatch 1, "), f"what it was: {stop}")
        frame = c.top(stop["threadId"])
        equal(stop["reason"], "entry" if "source" in frame else "instruction breakpoint", "the reason")
        check(frame["instructionPointerReference"].startswith("0x"), f"the place to disassemble: {frame}")
        c.disconnect()


main([shader, shader_without_lines])
