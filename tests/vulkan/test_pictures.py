# SPDX-License-Identifier: MIT
"""dump image of a driver's images, in tiles as the driver lays them out: the pixels are those of the texels that the
program itself reads back at its end.

    test_pictures.py VKRUN"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
import png  # noqa: E402

WIDTH, HEIGHT = 19, 11  # of shaders/image_load.comp


def clamp(value, most):
    return int(min(max(value, 0.0), 1.0) * most + 0.5)


# By binding: texels as the file of the results has them, and what a pixel has of them.
FORMATS = {
    0: ("4B", lambda t: t),
    2: ("4e", lambda t: tuple(clamp(v, 65535) for v in t)),
    3: ("4f", lambda t: tuple(clamp(v, 65535) for v in t)),
    4: ("4B", lambda t: t),
    5: ("1i", lambda t: (min(max(t[0], 0), 65535),)),
    6: ("1e", lambda t: (clamp(t[0], 65535),)),
    7: ("1I", lambda t: (*(int((t[0] >> 10 * i & 1023) / 1023 * 65535 + 0.5) for i in range(3)), (t[0] >> 30) * 21845)),
}


def near(a, b):
    """16 bits are made of floats with 24."""
    return all(abs(x - y) <= 1 for p, q in zip(a, b) for r, s in zip(p, q) for x, y in zip(r, s))


def pictures(vkrun):
    os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        # its images are written to files, too, when they are no inputs
        source, code = out / "picture.comp", out / "picture.spv"
        source.write_text((HERE / "shaders/image_load.comp").read_text().replace(" input\n", "\n"))
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        s = harness.Session("--", vkrun, "--device", "RADV", "--queue", "compute", "--out", out, source, code)
        s.command("set stop-on-dispatch on")
        # the driver's own dispatches fill the images first, as integers; 42 is 8_8_8_8_UNORM
        s.command("run")
        while True:
            answer = s.command("info descriptors")
            harness.check(answer.get("result") != "error", f"the dispatch with all images never came: {answer}")
            rows = [r for r in answer["descriptors"] if r["kind"] == "image"]
            if len(rows) == 8 and rows[0]["shape"].endswith("format 42"):
                break
            s.command("continue")
        offsets = [int(r["where"].split("+")[1], 16) for r in rows]
        harness.equal(offsets, sorted(offsets), "bindings in order")
        answers = [s.command(f"dump image {out}/{i}.png {r['buffer']}") for i, r in enumerate(rows)]
        s.command("set stop-on-dispatch off")
        s.command("continue")
        status, _ = s.end()
        harness.equal(status, 0, "the debugger's status")
        for binding, (layout, pixel) in FORMATS.items():
            width, height, bits, got = png.read(out / f"{binding}.png")
            raw = (out / f"picture.0.{binding}.0").read_bytes()
            texels = [pixel(t) for t in struct.iter_unpack("<" + layout, raw)]
            want = [texels[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)]
            harness.equal((width, height), (WIDTH, HEIGHT), f"the size of image {binding}")
            harness.check(got == want if bits == 8 else near(got, want),
                          f"image {binding} ({answers[binding]['format']}): {got[0]}, not {want[0]}")
            print(f"image {binding}, {answers[binding]['format']}, {bits} bits: ok")


pictures(os.path.abspath(sys.argv[1]))
