# SPDX-License-Identifier: MIT
"""The debugger in geometry, tessellation and mesh shaders, of which the driver makes programs with other shaders: names,
lines and variables. What is expected is computed here by the shaders' own arithmetic (tests/vulkan/draws), or is what
another stage has for the same vertex.

    test_draw_stages.py DRAW_SCENES"""
import math
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
from draw_program import numbers  # noqa: E402
from harness import check, equal  # noqa: E402

SCENES = os.path.abspath(sys.argv[1])
BUILD = os.environ["BREAKWATER_BUILD"]
NOTED = ["scene.vert", "shrink.geom", "patch3.tesc", "triangles_equal.tese", "triangles_odd.tese", "grid.mesh", "branches.task", "leaves.mesh", "flat.frag", "smooth.frag"]


def compile_shaders(folder):
    """The scenes' shaders, these with the lines of their sources."""
    for file in pathlib.Path(BUILD, "tests/vulkan").glob("draws_*.spv"):
        shutil.copy(file, folder)
    for name in NOTED:
        subprocess.run(["glslangValidator", "-g", "--quiet", "--target-env", "vulkan1.3", "-V", HERE / "draws" / name,
                        "-o", pathlib.Path(folder, f"draws_{name.split('.')[0]}.spv")], check=True)


def start(folder, scene, *options):
    return harness.Session(*options, "--", SCENES, folder, f"{folder}/{scene}.ppm", scene)


def finish(s, folder, scene):
    """The picture with notes is the one without, but for pixels in which the compiler has rounded otherwise."""
    s.command("delete")
    s.command("continue")
    s.end()
    subprocess.run([harness.BREAKWATER, "exec", "--", SCENES, folder, f"{folder}/alone.ppm", scene], check=True)
    noted, alone = (pathlib.Path(folder, f"{name}.ppm").read_bytes() for name in (scene, "alone"))
    equal(len(noted), len(alone), "the pictures' size")
    differ = sum(a != b for a, b in zip(noted, alone))
    check(differ <= len(alone) // 200, f"{scene}: {differ} of {len(alone)} bytes differ from the picture without notes")


def stop(s):
    return [e for e in s.events if e.get("event") == "stop"][-1]


def lanes(s):
    """By lane, what it is."""
    return {r["lane"]: r["name"].split(", ", 1)[1] for r in s.command("info lanes all")["lanes"] if ", " in r["name"]}


def values(s, lane, expression):
    s.command(f"lane {lane}")
    return numbers(s.command(f"print {expression}")["text"])


def near(got, want, what, error=1e-5):
    check(len(got) == len(want) and all(abs(a - b) <= error for a, b in zip(got, want)), f"{what}: {got}, expected {want}")


def last_draw(s):
    return s.command("info draws")["draws"][-1]


def test_geometry(folder):
    s = start(folder, "shrink", "-O0")
    for command in ("tbreak scene.vert:24", "run"):
        s.command(command)
    equal(s.command("info wave")["stage"], "vertex", "the first shader's stage")
    colors = {}
    for lane, name in lanes(s).items():
        vertex = re.fullmatch(r"vertex (\d+)", name)
        if vertex and int(vertex[1]) < 15:
            colors[int(vertex[1])] = values(s, lane, "color_in")
    check(len(colors) == 15, f"the vertices {sorted(colors)}")
    for command in ("tbreak shrink.geom:19", "continue"):
        s.command(command)
    wave = s.command("info wave")
    equal((wave["stage"], wave["frame"].split(" ")[0]), ("geometry", "shrink.geom.main"), "the second shader")
    equal(len(s.command("backtrace")["frames"]), 1, "the frames")
    places = {}
    for lane, name in lanes(s).items():
        is_of = re.fullmatch(r"primitive (\d+)(?:, invocation (\d+))?", name)
        if not is_of or int(is_of[1]) >= 5:
            continue
        primitive, invocation = int(is_of[1]), int(is_of[2] or 0)
        near(values(s, lane, "size"), [0.7 - 0.25 * invocation], f"size of {name}")
        equal(values(s, lane, "gl_PrimitiveIDIn"), [primitive], name)
        equal(values(s, lane, "gl_InvocationID"), [invocation], name)
        for i in range(3):
            equal(values(s, lane, f"color_in[{i}]"), colors[3 * primitive + i], f"color {i} of {name}")
        places.setdefault(primitive, []).append(values(s, lane, "at"))
    check(len(places) == 5 and all(len(p) == 2 and p[0] == p[1] for p in places.values()), places)
    draw = last_draw(s)
    equal((draw["vertex_shader"], draw["other_shaders"]), ("scene.vert.main", "shrink.geom.main"), "the draw's shaders")
    # the value is noted where it is assigned
    s.command("next")
    s.command("next")
    s.command("next")
    lane = stop(s)["lane"]
    outputs = {v["name"]: numbers(v["text"]) for v in s.command("info outputs")["variables"]}
    near(outputs["color"], values(s, lane, "color_in[0]"), "the output of the first vertex")
    finish(s, folder, "shrink")


def test_names(folder):
    """Without notes the geometry shader begins where its program waits for the vertices."""
    s = start(folder, "shrink")
    for command in ("break shrink.geom.main", "run"):
        s.command(command)
    wave = s.command("info wave")
    equal((wave["stage"], wave["draw"]), ("geometry", 3), "the stop")
    check("in shrink.geom.main" in wave["frame"], wave["frame"])
    before = s.command("x/i $pc-4")["instructions"][0]
    equal(before["text"], "s_barrier", "the instruction before it")
    s.command("kill")
    s.end()


def test_tessellation(folder):
    s = start(folder, "tessellated_shrunk", "-O0")
    for command in ("break patch3.tesc:17", "run"):
        s.command(command)
    equal(s.command("info wave")["stage"], "tessellation control", "the stage")
    seen = 0
    for lane, name in list(lanes(s).items())[:9]:
        patch, invocation = map(int, re.fullmatch(r"patch (\d+), invocation (\d+)", name).groups())
        near(values(s, lane, "level"), [1 + (patch * 2.3) % 7], f"level of {name}")
        equal(values(s, lane, "gl_InvocationID"), [invocation], name)
        seen += 1
    equal(seen, 9, "the lanes")
    for command in ("delete", "break triangles_odd.tese:11", "continue"):
        s.command(command)
    equal(s.command("info wave")["stage"], "tessellation evaluation", "the stage")
    for lane, name in list(lanes(s).items())[:6]:
        check(re.fullmatch(r"patch \d+", name), name)
        near([sum(values(s, lane, "gl_TessCoord"))], [1], name)
    for command in ("delete", "break shrink.geom:18", "continue"):
        s.command(command)
    wave = s.command("info wave")
    equal((wave["stage"], wave["frame"].split(" ")[0]), ("geometry", "shrink.geom.main"), "the second shader after an evaluation shader")
    draw = last_draw(s)
    equal((draw["vertex_shader"], draw["other_shaders"]),
          ("scene.vert.main", "patch3.tesc.main, triangles_odd.tese.main, shrink.geom.main"), "the draw's shaders")
    finish(s, folder, "tessellated_shrunk")


def test_mesh(folder):
    s = start(folder, "mesh", "-O0")
    for command in ("break grid.mesh:18", "run"):
        s.command(command)
    equal(s.command("info wave")["stage"], "mesh", "the stage")
    for lane, name in list(lanes(s).items())[:32:7]:
        x, y, z, i = map(int, re.fullmatch(r"group (\d+),(\d+),(\d+), thread (\d+)", name).groups())
        at = [i % 9 / 8, i // 9 / 8]
        bend = [0.15 * v * (1 - v) * (1 + z) for v in reversed(at)]
        near(values(s, lane, "xy"), [(g + 0.05 + 0.85 * a) * 2 / n - 1 + b for g, a, n, b in zip((x, y), at, (4, 3), bend)], f"xy of {name}")
        equal(values(s, lane, "gl_WorkGroupID"), [x, y, z], name)
    draw = last_draw(s)
    equal((draw["vertex_shader"], "other_shaders" in draw), ("grid.mesh.main", False), "the draw's shaders")
    finish(s, folder, "mesh")


def test_outputs(folder):
    """What several invocations share has no values by name, and says so."""
    for scene, place, words in (("mesh", "grid.mesh:18", "all threads of the group may write"),
                                ("tessellated", "patch3.tesc:17", "all invocations of the patch may write")):
        commands = f"break {place}\nrun\ninfo outputs\nkill\n"
        command = [harness.BREAKWATER, "run", "-O0", "--", SCENES, folder, f"{folder}/{scene}.ppm", scene]
        done = subprocess.run(command, input=commands, stdout=subprocess.PIPE, text=True, timeout=120, check=False)
        check(words in done.stdout, done.stdout)


def test_task(folder):
    """A task shader is a dispatch of its own; its values are its own arithmetic."""
    s = start(folder, "tasks", "-O0")
    for command in ("break branches.task:23", "run"):
        s.command(command)
    wave = s.command("info wave")
    equal((wave["frame"].split(" ")[0], wave["workgroup"]), ("branches.task.main", [0, 0, 0]), "the stop")
    kept = 0
    for lane in range(0, 40, 3):
        equal(values(s, lane, "gl_LocalInvocationIndex"), [lane], "the thread")
        size = 0.1 + 0.8 * (lane * 7 * 0.1618 % 1)
        place = [size * math.cos(lane * 0.157), size * math.sin(lane * 0.157)]
        near(values(s, lane, "place"), place, f"place of lane {lane}", 1e-4)
        is_kept = s.command("print is_kept")["text"]
        check(is_kept.endswith("true" if sum(place) > -0.6 else "false"), f"is_kept of lane {lane}: {is_kept}")
        kept += sum(place) > -0.6
    check(0 < kept < 14, f"{kept} lanes have places that are kept")
    draw = last_draw(s)
    equal((draw["vertex_shader"], draw["other_shaders"]), ("leaves.mesh.main", "branches.task.main"), "the draw's shaders")
    for command in ("delete", "break leaves.mesh:20", "continue"):
        s.command(command)
    equal(s.command("info wave")["stage"], "mesh", "the stage of the shader that it launches")
    for lane, name in list(lanes(s).items())[:2]:
        x, y, z, _ = map(int, re.fullmatch(r"group (\d+),(\d+),(\d+), thread (\d+)", name).groups())
        nx, ny, nz = map(int, values(s, lane, "gl_NumWorkGroups"))
        equal(values(s, lane, "group"), [x + nx * (y + ny * z)], name)
        equal(values(s, lane, "n_groups"), [nx * ny * nz], name)
    # the payload that a group of the task shader has made; its colour says which one
    tint = values(s, 0, "leaf.tint")
    x, z = round(tint[1] * 4), round(tint[2] * 2)
    y = min(range(3), key=lambda y: abs((x + 4 * (y + 3 * z)) * 0.29 % 1 - tint[0]))
    group = x + 4 * (y + 3 * z)
    near(tint, [group * 0.29 % 1, x / 4, z / 2, 1], f"the colour of group {group}")
    spots = values(s, 0, "leaf.place")
    for i in range(40):
        size = 0.1 + 0.8 * ((i * 7 + group * 3) * 0.1618 % 1)
        place = [size * math.cos(i * 0.157 + group), size * math.sin(i * 0.157 + group)]
        is_kept = sum(place) > y * 0.4 - 0.6
        near(spots[2 * i:2 * i + 2], place if is_kept else [2, 2], f"place {i} of group {group}", 1e-4)
    finish(s, folder, "tasks")


def test_replay(folder):
    """A capture has the shader with which the program before the pixel shader begins."""
    for scene, place, stage in (("tessellated", "triangles_equal.tese:11", "tessellation evaluation"), ("mesh", "grid.mesh:18", "mesh"),
                                ("tasks", "leaves.mesh:20", "mesh")):
        path = f"{folder}/{scene}.bwc"
        subprocess.run([harness.BREAKWATER, "capture", "-O0", "-o", path, "--", SCENES, folder, f"{folder}/captured.ppm", scene], check=True)
        s = harness.Session(path)
        for command in (f"break {place}", "run"):
            s.command(command)
        wave = s.command("info wave")
        equal((wave["stage"], wave["frame"].split(" ")[0]), (stage, f"{place.split(':')[0]}.main"), "the stop in the replay")
        if scene == "mesh":
            check("at" in {v["name"] for v in s.command("info locals")["variables"]}, "the variables in the replay")
        s.command("kill")
        s.end()


def main():
    with tempfile.TemporaryDirectory() as folder:
        compile_shaders(folder)
        test_geometry(folder)
        test_names(folder)
        test_tessellation(folder)
        test_mesh(folder)
        test_outputs(folder)
        test_task(folder)
        test_replay(folder)


main()
