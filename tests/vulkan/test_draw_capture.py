# SPDX-License-Identifier: MIT
"""Draws in captures, replays, bisections and breadcrumbs, of an unmodified Vulkan program (examples/vulkan/draw.c). What a
replay draws is what the program has drawn, byte for byte; what the debugger says in a replay, it says in the program's
own session.

    test_draw_capture.py DRAW DRAW_SCENES DRAW_FEEDBACK"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import BREAKWATER, TIMEOUT_S, Failure, Session, check, equal  # noqa: E402
from json_schema import parse  # noqa: E402

DRAW, SCENES, FEEDBACK = (os.path.abspath(p) for p in sys.argv[1:4])
BUILD = os.environ["BREAKWATER_BUILD"]
# dispatches and draws of its submission: the driver's clears of color and depth, three draws, the copy into a buffer
WALL, SAIL, SUN, COPY = 2, 3, 4, 5
SIZE = 64 * 48

VERTEX = """#version 460
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal_in;
layout(location = 0) out vec3 normal;
void main()
{
	gl_Position = vec4(position, 1.0);
	normal = normal_in;
}
"""
PIXEL = """#version 460
layout(location = 0) in vec3 normal;
layout(location = 0) out vec4 result;
layout(push_constant) uniform Draw { vec4 color; };
void main()
{
	vec3 n = normalize(normal);
	result = vec4(color.rgb * max(abs(n.z), 0.25), color.a);
}
"""
# In the draw with the label "sail" it never ends: its number stays between 0.5 and 1.5.
HANGS = """#version 460
layout(location = 0) in vec3 normal;
layout(location = 0) out vec4 result;
layout(push_constant) uniform Draw { vec4 color; };
void main()
{
	float spin = color.g == 0.5 ? color.r : 0.0;
	while (spin > 0.5)
		spin = abs(sin(spin)) + 0.5;
	result = vec4(color.rgb + spin, color.a);
}
"""


def compile_shader(folder, name, text):
    source = pathlib.Path(folder, name)
    source.write_text(text)
    subprocess.run(["glslangValidator", "-g", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", f"{source}.spv"], check=True)
    return f"{source}.spv"


def ask(*args, status=0):
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    if done.returncode != status:
        raise Failure(f"{args}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def answer(*args, status=0):
    return parse(ask(*args, status=status).stdout)


def picture_in(data):
    """Of four bytes a pixel, as the program has it."""
    return b"".join(data[i:i + 3] for i in range(0, 4 * SIZE, 4))


def check_capture(path, shown, folder, ppm):
    rows = answer("capture", "list", "--json", path)["submissions"]
    equal([(r["dispatches"], r["draws"], r["frame"]) for r in rows], [(1, 5, 1)], "what was captured")
    equal(answer("capture", "info", "--json", path)["draws"], 5, "the draws of all submissions")
    equal([d["dispatch"] for d in shown["dispatches"]], [COPY], "dispatches have one count with draws")
    equal([(d["draw"], d["vertices"], d["instances"], d["vertex_shader"], d["pixel_shader"], d["label"]) for d in shown["draws"][2:]],
          [(WALL, 6, 1, "lit.vert", "lit.frag", "wall"), (SAIL, 6, 1, "lit.vert", "lit.frag", "sail"),
           (SUN, 6, 1, "lit.vert", "lit.frag", "sun")], "the program's draws")
    equal({(d["vertex_shader"], d["pixel_shader"]) for d in shown["draws"][:2]}, {("the driver's own",) * 2}, "the clears")
    records = {r["record"] for r in shown["records"]}
    equal({d[f"{stage}_record"] for d in shown["draws"][2:] for stage in ("vertex", "pixel")}, records, "records of their shaders")
    equal([p["dispatch"] for p in shown["push_constants"]][:3], [WALL, SAIL, SUN], "push constants of draws")
    # the same picture, and the same memory elsewhere
    result, image = ([b["buffer"] for b in shown["buffers"] if b["va"] == o["va"]][0] for o in shown["objects"]
                     if o["bytes"] == 4 * SIZE or o["name"] == "picture")
    r = answer("replay", "--check", "--json", f"--dump=1:{result}={folder}/result", f"--dump=1:{image}={folder}/image", path)
    equal((r["same"], r["dispatches"], r["draws"]), (True, 1, 5), "the replay")
    equal(picture_in(pathlib.Path(folder, "result").read_bytes()), ppm[-3 * SIZE:], "the picture of the replay")
    equal(answer("replay", "--json", "--frame", 1, path)["draws"], 5, "the replay of the first frame")
    check("was submitted for frame 2" in ask("replay", "--frame", 2, path, status=2).stderr, "a frame that does not exist")
    # parts of it: the sun is behind the wall, and changes no color
    whole = pathlib.Path(folder, "image").read_bytes()
    for count, same in ((SAIL, False), (SUN, True)):
        answer("replay", "--json", "--dispatches", f"1:{count}", f"--dump=1:{image}={folder}/part", path)
        equal(pathlib.Path(folder, "part").read_bytes() == whole, same, f"the picture after {count} dispatches and draws")
    text = answer("decompile", "--json", path, "-s", "1")
    equal((text["dispatches"], text["draws"]), (1, 5), "what is decompiled")
    check(f"Draw {SAIL}: 6 vertices, 1 instance, vertex shader lit.vert" in text["source"], "the draw's name in C")


def check_scenes(folder):
    """Of each scene that test_draws.py compares with lavapipe the replay leaves the same memory, the pictures in it."""
    path = f"{folder}/scenes.bwc"
    ask("capture", "-o", path, "--", SCENES, f"{BUILD}/tests/vulkan", f"{folder}/scenes")
    n = pathlib.Path(folder, "scenes").read_bytes().count(b" 100 76\n")
    r = answer("replay", "--check", "--json", path)
    equal((r["same"], r["checked"], r["draws"] >= n > 80), (True, r["submissions"], True), f"the replay of {n} scenes")


def check_feedback(folder):
    """The replay captures what the program has captured, and counts the same; draws have their names."""
    path = f"{folder}/feedback.bwc"
    ask("capture", "-o", path, "--", FEEDBACK, f"{BUILD}/tests/vulkan", f"{folder}/feedback", "redrawn", "streams", "small_many")
    r = answer("replay", "--check", "--json", path)
    equal((r["same"], r["checked"]), (True, 3), "the replay of transform feedback")
    draws = answer("capture", "show", "--json", path, 2)["draws"]  # in the order of its table
    equal([(d.get("vertices"), d["instances"]) for d in draws[1::2]], [(24, 1), (None, 2)], "its draws")
    check(all(d["vertex_shader"] != "the driver's own" for d in draws[1::2]), draws)


def said(words):
    """What the debugger says of a pixel in a program's draw, and of its history."""
    s, out = Session(*words), {}
    history = s.command("pixel history 25,20")
    out["history"] = [{k: e.get(k) for k in ("draw", "result", "wrote", "before", "after", "label", "shader")} for e in history["events"]]
    s.end()
    s = Session(*words)
    for command in ("break pixel 50,18", "run"):
        s.command(command)
    wave = s.command("info wave")
    out["wave"] = [wave[k] for k in ("draw", "stage")] + [e["lane"] for e in s.events if e.get("event") == "stop"][-1:]
    out["draws"] = [{k: v for k, v in d.items() if k != "state"} for d in s.command("info draws")["draws"]]
    out["attributes"] = s.command("info inputs")["attributes"]
    out["types"] = s.command("ptype color")
    s.command("kill")
    s.end()
    return out


def check_session(path, spirv, folder):
    live, replayed = said(("--", DRAW, *spirv, f"{folder}/live.ppm")), said((path,))
    for what in live:
        equal(replayed[what], live[what], f"in the replay: {what}")
    equal(live["wave"][:2], [WALL + 1, "pixel"], "the stop")  # the debugger counts from 1
    equal([(e["draw"], e["result"]) for e in live["history"]][2:], [(WALL + 1, "written"), (SAIL + 1, "written")], "the history")


def check_lines(spirv, folder):
    """With -O0 a capture has the shaders' lines and variables."""
    path = f"{folder}/noted.bwc"
    ask("capture", "-O0", "-o", path, "--", DRAW, *spirv, f"{folder}/noted.ppm")
    s = Session(path)
    for command in ("tbreak draw 4", "run", "tbreak lit.frag:8", "continue"):
        s.command(command)
    stop = [e for e in s.events if e.get("event") == "stop"][-1]
    equal((os.path.basename(stop["file"]), stop["line"]), ("lit.frag", 8), "the stop")
    equal(s.command("info wave")["draw"], SAIL + 1, "the draw")
    names = [v["name"] for v in s.command("info inputs")["variables"]]
    equal(names, ["normal"], "inputs")
    check("{" in s.command("print n")["text"], "a local variable")
    s.command("kill")
    s.end()


def check_hang(vertex, folder):
    """A planted hang: the draw is found in a replay, and by breadcrumbs."""
    spirv = (vertex, compile_shader(folder, "hangs.frag", HANGS))
    path = f"{folder}/hang.bwc"
    os.environ["BREAKWATER_VGPU_ARGS"] = "--quiet --lockup-timeout 2500"
    # whether the program notices is the driver's business
    subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", DRAW, *spirv, f"{folder}/hang.ppm"], stdin=subprocess.DEVNULL,
                   capture_output=True, timeout=TIMEOUT_S)
    draw = [d for d in answer("capture", "show", "--json", path, 1)["draws"] if d["draw"] == SAIL][0]
    r = answer("bisect", "--json", path)
    equal((r["found"], r["number"], r["where"], r["dispatch"], r["packet"]), (True, 1, "draw", SAIL, draw["packet"]), "bisect")
    equal((r["vertex_shader"], r["pixel_shader"], r["label"], r["pixel_code"]), ("lit.vert", "hangs.frag", "sail", draw["pixel_code"]),
          "the draw")
    done = subprocess.run([str(BREAKWATER), "exec", "--json", "--breadcrumbs", "--", DRAW, *spirv, f"{folder}/crumbs.ppm"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
    report, = [parse(line) for line in done.stderr.splitlines() if '"breadcrumbs"' in line]
    bad, = report["bad"]
    for member, number, label in (("last_ended", WALL, "wall"), ("first_not_ended", SAIL, "sail")):
        m = bad[member]
        equal((m["dispatch"], m["is_draw"], m["pipeline"], m["pixel_shader"], m["label"]), (number, True, "lit.vert", "hangs.frag", label),
              f"breadcrumbs: {member}")
    del os.environ["BREAKWATER_VGPU_ARGS"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        spirv = compile_shader(folder, "lit.vert", VERTEX), compile_shader(folder, "lit.frag", PIXEL)
        path = f"{folder}/draw.bwc"
        alone, captured = pathlib.Path(folder, "alone.ppm"), pathlib.Path(folder, "captured.ppm")
        ask("exec", "--", DRAW, *spirv, alone)
        ask("capture", "-o", path, "--", DRAW, *spirv, captured)
        equal(captured.read_bytes(), alone.read_bytes(), "the picture while the program is captured")
        check_capture(path, answer("capture", "show", "--json", path, 1), folder, alone.read_bytes())
        check_scenes(folder)
        check_feedback(folder)
        check_session(path, spirv, folder)
        check_lines(spirv, folder)
        check_hang(spirv[0], folder)


main()
