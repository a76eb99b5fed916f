#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws of a Vulkan program (examples/vulkan/draw.c) in an editor: breakpoints at pixels and vertices, the scopes of
inputs and outputs, attachments, and the history of a pixel. What is expected is computed from the program's numbers, or
is lavapipe's picture.

    test_draws.py DRAW"""
import base64
import os
import pathlib
import sys
import tempfile

from client import Client, check, equal, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vulkan"))
import png  # noqa: E402
from draw_program import HEIGHT, WIDTH, compile_shaders, draw_on_lavapipe, normal_of_sail, numbers, texel  # noqa: E402

DRAW = os.path.abspath(sys.argv.pop(1))
os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
SAIL, WALL_RIGHT_TOP = (20, 20), [60 / 64 * 2 - 1, 4 / 48 * 2 - 1, 0.8, 1]


def start(c, folder, spirv, *names, options=("-O0",)):
    c.launch(DRAW, kernel_options=options, args=[*spirv, f"{folder}/picture.ppm"])
    made = c.request("setFunctionBreakpoints", breakpoints=[{"name": n} if isinstance(n, str) else n for n in names])
    return made["breakpoints"]


def stopped(c):
    return look(c, c.event("stopped"))


def look(c, stop):
    """The thread, its top frame, and the variables of its scopes of a draw."""
    thread = stop["threadId"]
    frame = c.top(thread)
    return thread, frame, {name: {v["name"]: v for v in c.variables(s["variablesReference"])}
                           for name, s in c.scopes(frame["id"]).items() if name in ("Inputs", "Outputs")}


def near(got, want, what, by=1e-5):
    check(len(got) >= len(want) and all(abs(a - b) <= by for a, b in zip(got, want)), f"{what}: {got}, expected {want}")


def parts(c, variable):
    return [numbers(v["value"]) for v in c.variables(variable["variablesReference"])]


def picture(c, **which):
    body = c.request("breakwater/attachment", **which)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "it.png")
        path.write_bytes(base64.b64decode(body["png"], validate=True))
        width, height, _, rows = png.read(path)
    equal((width, height), (body["width"], body["height"]), "the picture's size")
    equal((width, height), (WIDTH, HEIGHT), "the attachment's size")
    return body, rows


def pixel():
    """The wall, then the sail, at one pixel: inputs, outputs, the picture and the history at both stops."""
    x, y = SAIL
    with tempfile.TemporaryDirectory() as folder, Client() as c:
        spirv = compile_shaders(folder)
        lavapipe = draw_on_lavapipe(DRAW, spirv, folder)
        good, bad = start(c, folder, spirv, f"pixel {x},{y}", "pixel 25")
        equal(good["verified"], True, "the breakpoint")
        check("pixel X,Y" in bad["message"], bad)
        equal(c.request("breakwater/pixelHistory", x=x, y=y), {"events": [], "x": x, "y": y, "wasWatched": False}, "history")
        c.go()
        thread, frame, scopes = stopped(c)
        equal((frame["source"]["name"], list(scopes)), ("lit.frag", ["Inputs", "Outputs"]), "the wall's pixel")
        inputs = scopes["Inputs"]
        (lane,) = [v["value"] for name, v in inputs.items() if name.startswith("lane ")]
        equal(lane, f"pixel {x},{y}", "the focus lane")
        near(numbers(inputs["attribute 0"]["value"]), [0, 0, 1], "the wall's normal")
        # the clears are drawn, and the wall is not
        body, rows = picture(c)
        equal((body["attachment"], body["description"]), ("0", 'color 0 64x48 8_8_8_8_UNORM "picture"'), "the attachment")
        equal([a["attachment"] for a in body["attachments"]], ["0", "depth"], "all attachments")
        near(rows[y][x][:3], texel(lavapipe, 1, 1), "before the wall", by=1)
        c.request("continue", threadId=thread)
        thread, frame, scopes = stopped(c)
        corners = parts(c, scopes["Inputs"]["attribute 0"])
        for got, want in zip(corners, ([0.8, 0, 0.6], [-0.8, 0, -0.6], [0.8, 0, 0.6])):
            near(got, want, "a corner of the sail")
        near(numbers(scopes["Inputs"]["attribute 0"]["value"]), normal_of_sail(x), "the sail's normal")
        check(not any(name.startswith("color") for name in scopes["Outputs"]), f"nothing is exported yet: {scopes['Outputs']}")
        draws = {d["draw"]: d for d in c.request("breakwater/draws")["draws"]}
        equal([(d["pixel_shader"], d.get("label")) for d in draws.values()][2:],
              [("lit.frag", "wall"), ("lit.frag", "sail"), ("lit.frag", "sun")], "the draws")
        equal([draws[n]["state"] for n in (3, 4, 5)], ["done", "running", "waiting"], "their states")
        _, rows = picture(c, attachment="0")
        near(rows[y][x][:3], texel(lavapipe, 5, 5), "the wall at the sail's pixel", by=1)
        history = c.request("breakwater/pixelHistory", x=x, y=y)
        equal((history["wasWatched"], [(e["draw"], e["result"]) for e in history["events"]]),
              (True, [(1, "written"), (2, "depth written"), (3, "written")]), "the history so far")
        # the names of the shader, after a step
        c.request("next", threadId=thread)
        _, _, scopes = stopped(c)
        near([numbers(v["value"])[0] for v in c.variables(scopes["Inputs"]["normal"]["variablesReference"])], normal_of_sail(x), "normal")
        check("result" in scopes["Outputs"], scopes["Outputs"])
        for arguments, words in ({"attachment": "7"}, 'no attachment "7"'), ({"attachment": "stencil"}, "no attachment"), ({"attachment": 0}, "attachment"):
            check(words in c.refused("breakwater/attachment", **arguments), arguments)
        for arguments, words in ({"x": 1}, '"y"'), ({"x": -1, "y": 1}, "out of range"), ({"x": 1, "y": 1 << 40}, "out of range"):
            check(words in c.refused("breakwater/pixelHistory", **arguments), arguments)
        c.request("setFunctionBreakpoints", breakpoints=[])
        c.request("continue", threadId=thread)
        c.event("terminated")
        history = c.request("breakwater/pixelHistory", x=x, y=y)["events"]
        equal([e["draw"] for e in history], [1, 2, 3, 4], "the history at the end")
        near([255 * v for v in numbers(history[-1]["after"])], texel(lavapipe, x, y), "the last color", by=1)
        check("not being run" in c.refused("breakwater/attachment"), "an attachment after the end")
        c.disconnect()


def outputs():
    """What a vertex exports, without names of the shader. Vertex 0, of the same wave, has a condition that is false."""
    with tempfile.TemporaryDirectory() as folder, Client() as c:
        spirv = compile_shaders(folder)
        made = start(c, folder, spirv, {"name": "vertex 0", "condition": "$_lane > 63"}, "vertex 1", options=())
        equal([b["verified"] for b in made], [True, True], "the breakpoints")
        c.go()
        stop = c.event("stopped")
        equal(stop["hitBreakpointIds"], [made[1]["id"]], "the breakpoint that was hit")
        thread, frame, scopes = look(c, stop)
        lane, = scopes["Inputs"].values()
        equal((lane["value"], scopes["Outputs"]), ("vertex 1", {}), "the vertex at its beginning")
        code = c.request("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=0,
                         instructionCount=60)["instructions"]
        at = [i for i, one in enumerate(code) if one["instruction"].startswith("exp pos0")][0]
        c.request("setFunctionBreakpoints", breakpoints=[])
        c.request("setInstructionBreakpoints", breakpoints=[{"instructionReference": code[at + 1]["address"]}])
        c.request("continue", threadId=thread)
        thread = c.event("stopped")["threadId"]
        c.request("breakwater/setLane", threadId=thread, lane=int(lane["name"].split()[1]))
        scopes = c.scopes(c.top(thread)["id"])
        (position,) = c.variables(scopes["Outputs"]["variablesReference"])
        equal(position["name"], "position", "the export")
        near(numbers(position["value"]), WALL_RIGHT_TOP, "the wall's second corner")
        message = c.refused("setVariable", variablesReference=scopes["Outputs"]["variablesReference"], name="color 0", value="1")
        check("is not a variable that can be set" in message, message)
        c.disconnect()


main([pixel, outputs])
