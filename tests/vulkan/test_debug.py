# SPDX-License-Identifier: MIT
"""A Vulkan program under the debugger: stopped before its dispatch and in the middle of it, stepped, one
value changed on the way out.

    test_debug.py VKRUN"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402


def debug(vkrun, queue, wave):
    env = os.environ
    env["XDG_RUNTIME_DIR"] = env.get("XDG_RUNTIME_DIR", "/tmp")
    env["RADV_PERFTEST"] = "cswave32" if wave == 32 else ""
    with tempfile.TemporaryDirectory() as out:
        source, code = HERE / "shaders/affine.comp", f"{out}/affine.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        s = harness.Session("--", vkrun, "--device", "RADV", "--queue", queue, "--out", out, source, code)
        s.command("set stop-on-dispatch on")
        s.command("run")
        harness.equal([e["reason"] for e in harness.events(s.events, "stop")], ["dispatch"], "the first stop")
        kernel = s.command("info kernel")
        harness.equal((kernel["groups"], kernel["workgroup"], kernel["wave_size"]), ([4, 1, 1], [64, 1, 1], wave), "the dispatch")
        listing = s.command(f"disassemble {kernel['code']},+80")
        stores = [i for i in listing["instructions"] if i["text"].startswith("buffer_store_b32")]
        harness.equal(len(stores), 1, "stores in the shader")
        data = re.match(r"buffer_store_b32 (v\d+),", stores[0]["text"])[1]
        s.command(f"break *{stores[0]['address']}")
        s.command("set stop-on-dispatch off")
        s.command("continue")
        waves = s.command("info waves count")["dispatches"][0]
        n = 256 // wave
        harness.equal((waves["total"], waves["stopped"]), (n, n), "waves at the breakpoint")
        # whichever wave has the focus
        here = int(s.command(f"print ${data}[5]")["text"]) // 2
        harness.equal(here % wave, 5, "the lane")
        s.command(f"set var ${data}[5] = 1000")
        s.command("stepi")
        s.command("delete")
        s.command("continue")
        status, _ = s.end()
        harness.equal(status, 0, "the debugger's status")
        got = struct.unpack("<256I", pathlib.Path(out, "affine.0.0.0").read_bytes())
        want = [2 * i + 1 for i in range(256)]
        changed = [i for i in range(256) if got[i] != want[i]]
        harness.equal([(i, got[i]) for i in changed], [(here, 1000)], "the results changed")


for queue in ("compute", "universal"):
    for wave in (64, 32):
        debug(os.path.abspath(sys.argv[1]), queue, wave)
        print(f"{queue}, wave{wave}: ok")
