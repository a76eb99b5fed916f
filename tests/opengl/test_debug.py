# SPDX-License-Identifier: MIT
"""The debugger in a pixel shader of an unmodified OpenGL program: the wave that covers a pixel, its instructions and
registers. What the shader exports is compared with the pixel that the program reads afterwards.

    test_debug.py GL_SCENES"""
import os
import re
import pathlib
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402

SCENES = os.path.abspath(sys.argv[1])
X, Y = 50, 38
WIDTH = 100


def pixel_of(path):
    head, texels = pathlib.Path(path).read_bytes().split(b"\n", 1)
    harness.equal(head, b"cube.0 100 76", "the picture's head")
    return list(texels[4 * (Y * WIDTH + X):][:4])


def case_pixel(folder):
    """The first draw clears; the second one covers everything by a strip of two triangles."""
    out = f"{folder}/picture"
    s = harness.Session("--", SCENES, out, "cube")
    s.command(f"break pixel {X},{Y}")
    s.command("run")
    harness.equal(s.command("info wave")["draw"], 1, "the first stop")
    s.command("continue")
    lane = [e for e in s.events if e.get("event") == "stop"][-1]["lane"]
    wave = s.command("info wave")
    harness.equal((wave["draw"], wave["stage"]), (2, "pixel"), "the second stop")
    draws = s.command("info draws")["draws"]
    harness.equal([d["vertices"] for d in draws], [3, 4], "the draws")
    names = [(d["vertex_shader"], d["pixel_shader"]) for d in draws]
    harness.check(all(re.fullmatch(r"vs_[0-9a-f]{8}", v) and re.fullmatch(r"ps_[0-9a-f]{8}", p) for v, p in names), f"names of shaders: {names}")
    for _ in range(60):
        text = s.command("x/i $pc")["instructions"][0]["text"]
        if text.startswith("exp mrt0 v0, v1"):
            break
        harness.check("s_endpgm" not in text, "no export")
        s.command("stepi")
    # two halves in each register
    words = [s.command(f"print $v{i}")["value"][lane] for i in range(2)]
    exported = struct.unpack("<4e", struct.pack("<2I", *words))
    s.command("delete")
    s.command("continue")
    s.end()
    harness.equal(pixel_of(out), [round(v * 255) for v in exported], "the pixel")


def main():
    with tempfile.TemporaryDirectory() as folder:
        case_pixel(folder)


main()
