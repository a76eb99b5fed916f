# SPDX-License-Identifier: MIT
"""The debugger in draws of an unmodified Vulkan program (examples/vulkan/draw.c): lines, pixels, vertices, inputs,
attachments and the history of pixels. What is expected is computed here from the program's numbers, or lavapipe's
picture.

    test_draw_debug.py DRAW DRAW_SCENES DRAW_FEEDBACK"""
import base64
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
import png  # noqa: E402
from draw_program import DARK, FIRST, HEIGHT, WIDTH, compile_shaders, draw_on_lavapipe, normal_of_sail, numbers, read_picture, texel  # noqa: E402

DRAW, SCENES, FEEDBACK = (os.path.abspath(p) for p in sys.argv[1:4])
BUILD = os.environ["BREAKWATER_BUILD"]


def stop(s):
    return [e for e in s.events if e.get("event") == "stop"][-1]


def values_in_lanes(s, expression):
    """By lane, as text."""
    return {lane: s.command(f"lane {lane}") and s.command(f"print {expression}")["text"] for lane in (0, 1, 2, 3, 17, 40, 63)}


def pixels_of(s):
    """The pixel of each lane that has one."""
    rows = s.command("info lanes all")["lanes"]
    found = {r["lane"]: re.search(r"pixel (\d+),(\d+)(.*)", r["name"]) for r in rows}
    return {lane: (int(m[1]), int(m[2]), "helper" in m[3]) for lane, m in found.items() if m}


def test_pixels(folder, spirv, lavapipe):
    out = f"{folder}/noted.ppm"
    s = harness.Session("-O0", "--", DRAW, *spirv, out)
    s.command("tbreak draw 4")
    s.command("break pixel 25,20")
    s.command("run")
    # draw 3, the wall, covers the pixel
    first = stop(s)
    wave = s.command("info wave")
    harness.equal((wave["draw"], wave["stage"]), (FIRST, "pixel"), "the first stop")
    harness.check("lit.frag" in wave["frame"], wave)
    harness.equal(pixels_of(s)[first["lane"]], (25, 20, False), "its lane")
    # the first wave of draw 4, of vertices; then its pixel
    s.command("continue")
    wave = s.command("info wave")
    harness.equal((wave["draw"], wave["stage"]), (4, "vertex"), "the stop at draw 4")
    s.command("continue")
    second = stop(s)
    harness.equal(s.command("info wave")["draw"], 4, "the stop in draw 4's pixel")
    harness.equal(pixels_of(s)[second["lane"]], (25, 20, False), "its lane")
    draws = s.command("info draws")["draws"]
    harness.equal([(d["draw"], d["vertices"], d["pixel_shader"], d.get("label", "")) for d in draws[2:]],
                  [(3, 6, "lit.frag", "wall"), (4, 6, "lit.frag", "sail"), (5, 6, "lit.frag", "sun")], "the draws")
    harness.equal([d["pixel_shader"] for d in draws[:2]], ["the driver's own"] * 2, "the clears")
    harness.equal(draws[3]["attachments"], 'color 0 64x48 8_8_8_8_UNORM "picture"; depth 64x48 32_FLOAT "depths"', "its attachments")
    # the picture now: the wall is there, the sail is not
    s.command(f"framebuffer {folder}/before.png")
    width, height, _, rows = png.read(pathlib.Path(folder, "before.png"))
    harness.equal((width, height), (WIDTH, HEIGHT), "the attachment")
    for x, y in ((30, 20), (5, 5)):
        harness.check(all(abs(a - b) <= 1 for a, b in zip(rows[y][x][:3], texel(lavapipe, 5, 5))), rows[y][x])
    # a report has the same picture, and says of which attachment
    s.command(f"report {folder}/page.html")
    page = pathlib.Path(folder, "page.html").read_text()
    pictures = [base64.b64decode(p) for p in re.findall(r"data:image/png;base64,([^\"]*)", page)]
    harness.check(pathlib.Path(folder, "before.png").read_bytes() in pictures, "the attachment in the report")
    for words in ("Draws so far", "Attachment: color 0 64x48", "Attachment: depth 64x48", "Inputs of the focus lane"):
        harness.check(words in page, f"the report has no \"{words}\"")
    # every pixel of the wave has its own inputs
    s.command("next")
    for lane, text in values_in_lanes(s, "normal").items():
        x, _, _ = pixels_of(s)[lane]
        for got, want in zip(numbers(text), normal_of_sail(x)):
            harness.check(abs(got - want) < 1e-5, f"lane {lane}, pixel {x}: {text}, expected {normal_of_sail(x)}")
    s.command(f"lane {second['lane']}")
    inputs = s.command("info inputs")
    harness.equal(inputs["lane_is"], "pixel 25,20", "the inputs' pixel")
    harness.equal([(v["name"], numbers(v["text"])) for v in inputs["variables"]], [("normal", [0, 0, 0])], "its inputs")
    harness.equal([numbers(inputs["attributes"][0][f"corner_{i}"])[:3] for i in range(3)],
                  [[0.8, 0, 0.6], [-0.8, 0, -0.6], [0.8, 0, 0.6]], "the corners")
    # nothing is put out yet
    outputs = s.command("info outputs")
    harness.equal((outputs["exports"], [v["name"] for v in outputs["variables"]]), ([], ["result"]), "outputs at the beginning")
    # normalize(0) is no number: that is why the pixel is dark
    harness.check("nan" in s.command("print n.x")["text"].lower(), "n")
    s.command("break facing")
    s.command("delete 2")
    s.command("continue")
    harness.check("facing" in s.command("backtrace 1")["frames"][0]["function"], "the function")
    s.command("delete")
    s.command("continue")
    s.end()
    noted = read_picture(out)
    worst = max(abs(a - b) for y in range(HEIGHT) for x in range(WIDTH) if x != DARK
                for a, b in zip(texel(noted, x, y), texel(lavapipe, x, y)))
    harness.check(worst <= 1, f"the picture with notes differs from lavapipe's by {worst}")


def test_vertices(folder, spirv):
    s = harness.Session("-O0", "--", DRAW, *spirv, f"{folder}/vertices.ppm")
    s.command("break vertex 1")
    s.command("run")
    where = stop(s)
    rows = {r["lane"]: r["name"] for r in s.command("info lanes all")["lanes"]}
    harness.check(rows[where["lane"]].endswith("draw 3, vertex 1"), rows[where["lane"]])
    s.command("next")
    s.command("next")
    # the wall's second corner: right, top
    place = numbers(s.command("print place")["text"])
    for got, want in zip(place, [60 / 64 * 2 - 1, 4 / 48 * 2 - 1, 0.8, 1]):
        harness.check(abs(got - want) < 1e-6, place)
    harness.equal(numbers(s.command("print normal_in")["text"]), [0, 0, 1], "its normal")
    harness.equal(s.command("info wave")["stage"], "vertex", "the stage")
    s.end()


def test_outputs(folder, spirv, lavapipe):
    """What lanes export, against the picture and the vertices' numbers; samples and attachments of pixels."""
    s = harness.Session("--", DRAW, *spirv, f"{folder}/outputs.ppm")
    for command in ("break pixel 5,5 attachment 0", "break pixel 5,5 attachment 1", "break pixel 5,5 sample 1", "run"):
        s.command(command)
    where = stop(s)
    harness.equal(where["breakpoint"], 1, "the only one of them that is hit")
    harness.equal(s.command("info outputs")["exports"], [], "nothing is exported at the beginning")
    # any wave of the wall, all of which has the color of this pixel
    code = s.command("x/60i $pc")
    export = [line for line in code["instructions"] if "exp mrt0" in line["text"]][0]
    s.command(f"tbreak *{export['address']}")
    s.command("continue")
    s.command("stepi")
    harness.equal(s.command("info wave")["draw"], FIRST, "the draw")
    export, = s.command("info outputs")["exports"]
    harness.equal(export["export"], "color 0", "the export")
    for got, want in zip(numbers(export["value"]), texel(lavapipe, 5, 5)):
        harness.check(abs(got * 255 - want) <= 1, f"{export}, expected {texel(lavapipe, 5, 5)}")
    s.command("delete")
    s.command("continue")
    s.end()
    # the wall's second corner: right, top
    s = harness.Session("--", DRAW, *spirv, f"{folder}/outputs.ppm")
    for command in ("break vertex 1", "run"):
        s.command(command)
    where = stop(s)
    harness.equal(s.command("info outputs")["exports"], [], "no position at the beginning")
    code = s.command("x/60i $pc")
    export = [line for line in code["instructions"] if "exp pos0" in line["text"]][0]
    for command in (f"tbreak *{export['address']}", "continue", "stepi", f"lane {where['lane']}"):
        s.command(command)
    export, = s.command("info outputs")["exports"]
    harness.equal(export["export"], "position", "the export of a vertex")
    for got, want in zip(numbers(export["value"]), [60 / 64 * 2 - 1, 4 / 48 * 2 - 1, 0.8, 1]):
        harness.check(abs(got - want) < 1e-5, export)
    s.command("kill")
    s.end()
    for place in ("pixel 5,5 attachment depth", "pixel 5,5 sample 0"):
        s = harness.Session("--", DRAW, *spirv, f"{folder}/outputs.ppm")
        s.command(f"break {place}")
        s.command("run")
        harness.equal(s.command("info wave")["draw"], FIRST, place)
        s.command("kill")
        s.end()


def results(events):
    return [(e.get("draw"), e["result"].split(":")[0]) for e in events]


def test_history(folder, spirv, lavapipe):
    cases = {
        (25, 20): [(1, "written"), (2, "depth written"), (3, "written"), (4, "written")],
        (50, 14): [(1, "written"), (2, "depth written"), (3, "written"), (5, "depth test failed")],
        (1, 1): [(1, "written"), (2, "depth written")],
    }
    for (x, y), wanted in cases.items():
        s = harness.Session("--", DRAW, *spirv, f"{folder}/history.ppm")
        history = s.command(f"pixel history {x},{y}")
        harness.equal((history["x"], history["y"]), (x, y), "the pixel")
        harness.equal(results(history["events"]), wanted, f"what became of {x},{y}")
        last = [e for e in history["events"] if e["result"] == "written" and "after" in e][-1]
        # max(a number that is none, 0.25) is 0.25
        wanted = [255 * c * 0.25 for c in (1, 0.5, 0.25)] if x == DARK else texel(lavapipe, x, y)
        for got, want in zip(numbers(last["after"]), wanted):
            harness.check(abs(got * 255 - want) <= 1, f"{x},{y}: {last['after']}, expected {wanted}")
        failed = [e for e in history["events"] if e["result"].startswith("depth test")]
        if failed:
            z = numbers(failed[0]["result"])
            harness.check(abs(z[0] - 0.9) < 1e-6 and abs(z[1] - 0.8) < 1e-6, failed)
            harness.equal(failed[0]["label"], "sun", "what is behind the wall")
        s.end()


def test_other_ends(folder):
    """Of scenes that test_draws.py compares with lavapipe: what keeps a triangle from a pixel."""
    cases = [("scissored", 70, 40, "outside of the scissor"), ("discards", 50, 38, "discarded by the shader"),
             ("cull_back", 50, 38, "culled, a back face"), ("stencil", 50, 38, "depth test failed")]
    for scene, x, y, result in cases:
        s = harness.Session("--", SCENES, f"{BUILD}/tests/vulkan", f"{folder}/scene", scene)
        history = s.command(f"pixel history {x},{y}")
        found = [e["result"] for e in history["events"]]
        harness.check(any(r.startswith(result) for r in found), f"{scene}: {found}")
        s.end()


def test_signed(folder):
    """Signed integers: what the shader exports, and what the attachment has, are the bytes of the picture."""
    s = harness.Session("--", SCENES, f"{BUILD}/tests/vulkan", f"{folder}/scene", "signed")
    written = [e for e in s.command("pixel history 50,38")["events"] if e["result"] == "written"]
    with open(f"{folder}/scene", "rb") as f:
        width = int(f.readline().split()[1])
        pixel = f.read()[(38 * width + 50) * 4:][:4]
    expected = [b - 256 if b > 127 else b for b in pixel]
    harness.check(min(expected) < 0, f"a negative component in {expected}")
    harness.equal([int(n) for n in written[-1]["after"].split()], expected, "the attachment after the last draw")
    wrote = [int(n) for n in written[-1]["wrote"].split()]
    harness.equal([max(n, -128) for n in wrote], expected, f"what the shader has exported, {wrote}, as 8 bits")
    s.end()


def test_feedback(folder):
    """In a shader whose outputs are captured, with notes: its outputs, and how many vertices the draw of what was captured
    has. What it captures then is what it captures alone."""
    spirv = pathlib.Path(folder, "feed")
    spirv.mkdir()
    for file in pathlib.Path(BUILD, "tests/vulkan").glob("draws_feed*.spv"):
        shutil.copy(file, spirv)
    subprocess.run(["glslangValidator", "-g", "--quiet", "--target-env", "vulkan1.3", "-V", HERE / "draws/feed.vert",
                    "-o", spirv / "draws_feed.spv"], check=True)
    s = harness.Session("-O0", "--", FEEDBACK, spirv, f"{folder}/noted", "redrawn")
    for command in ("tbreak feed.vert:18", "run", "lane 5"):
        s.command(command)
    outputs = {v["name"]: numbers(v["text"]) for v in s.command("info outputs")["variables"]}
    harness.equal((outputs["place"], [n % 2**32 for n in outputs["number"]]), ([5, 0, 15, 0.5], [0x05050505, 0xffffffff]), "the outputs")
    draws = s.command("info draws")["draws"]
    harness.equal([(d["kind"], d.get("vertices"), d["instances"], d["vertex_shader"].split(".")[0]) for d in draws[1::2]],
                  [("plain", 24, 1, "feed"), ("indirect", None, 2, draws[3]["vertex_shader"])], "the draws")
    s.command("continue")
    s.end()
    alone = subprocess.run([harness.BREAKWATER, "exec", "--", FEEDBACK, spirv, f"{folder}/alone", "redrawn"], check=False)
    harness.equal(alone.returncode, 0, "the program alone")
    harness.check(pathlib.Path(folder, "noted").read_bytes() == pathlib.Path(folder, "alone").read_bytes(), "what was captured")


def test_errors(folder, spirv):
    s = harness.Session("--", DRAW, *spirv, f"{folder}/errors.ppm")
    for command, words in {"break pixel 5": "pixel X,Y", "break pixel 5,5 sample": "sample S", "break pixel 5,5 attachment 9": "attachment N",
                           "break vertex 1 instance": "vertex N", "break draw 0": "draw N",
                           "pixel history 1": "X,Y", "pixel": "pixel history", "framebuffer": "FILE.png",
                           "framebuffer x.png": "not being run"}.items():
        answer = s.command(command)
        harness.check(words in str(answer.get("message", answer)), f"{command}: {answer}")
    s.end()


def main():
    with tempfile.TemporaryDirectory() as folder:
        spirv = compile_shaders(folder)
        lavapipe = draw_on_lavapipe(DRAW, spirv, folder)
        test_errors(folder, spirv)
        test_pixels(folder, spirv, lavapipe)
        test_vertices(folder, spirv)
        test_outputs(folder, spirv, lavapipe)
        test_history(folder, spirv, lavapipe)
        test_other_ends(folder)
        test_signed(folder)
        test_feedback(folder)


main()
