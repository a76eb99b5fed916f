# SPDX-License-Identifier: MIT
"""--check in the shaders of draws: accesses out of bounds and races are found with the pixel or vertex, and nothing is
found in shaders that are right, in helpers of pixels, or in any of the scenes of draws.

    test_draw_checked.py DRAW_CHECKED DRAW_SCENES DRAW_FRAME DRAW_FEEDBACK"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import checked  # noqa: E402
import harness  # noqa: E402
from harness import check, equal  # noqa: E402

CHECKED, *PROGRAMS = (os.path.abspath(p) for p in sys.argv[1:5])
SHADERS = f"{os.environ['BREAKWATER_BUILD']}/tests/vulkan"
SIDE, WORDS, TEXELS = 32, 1024, 8  # as draw_checked.c has them

HEAD = """#version 460
layout(set = 0, binding = 0) buffer Words { uint word[]; };
layout(set = 0, binding = 1, r32ui) uniform uimage2D texels;
"""
VERTEX = HEAD + """layout(location = 0) out vec2 place;
void main()
{
	vec2 corner = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
	gl_Position = vec4(corner, 0.5, 1.0);
	place = corner;
	%s
}
"""
PIXEL = HEAD + """layout(location = 0) in vec2 place;
layout(location = 0) out vec4 color;
void main()
{
	uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);
	color = vec4(place, 0.0, 1.0);
	%s
}
"""


def compile_shaders(folder, vertex, pixel):
    for name, stage, text in (("vertex", "vert", VERTEX % vertex), ("pixel", "frag", PIXEL % pixel)):
        source = pathlib.Path(folder, f"{name}.{stage}")
        source.write_text(text)
        subprocess.run(["glslangValidator", "-g", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", f"{folder}/draws_{name}.spv"], check=True)


def findings(folder, vertex="", pixel="", what="races,bounds"):
    compile_shaders(folder, vertex, pixel)
    return checked.findings(f"--check={what}", "-O0", "--batch", "-ex", "run", "--", CHECKED, folder)


def one(found, what):
    equal(len(found), 1, f"{what}: {found}")
    return found[0]


def test_bounds(folder):
    f = one(findings(folder, pixel="if (x == 3 && y == 5) word[1024 + x] = 7;"), "a store of a pixel past the buffer")
    equal((f["kind"], f["first_access"], f["size"], f["limit"], f["times"]), ("bounds", "store", 4, 4 * WORDS, 1), "the finding")
    equal(f["first_lane_is"], "pixel 3,5", "the pixel")
    check(f["first_file"].endswith("pixel.frag") and f["first_line"] == 10, f)
    check("first_workgroup" not in f and f["first_draw"] > 0, f)
    f = one(findings(folder, vertex="word[gl_VertexIndex == 2 ? 5000 : gl_VertexIndex] = 1;"), "a store of a vertex past the buffer")
    equal((f["first_lane_is"], f["first_access"]), ("vertex 2", "store"), "the vertex")
    check(f["first_file"].endswith("vertex.vert"), f)
    f = one(findings(folder, pixel="imageStore(texels, ivec2(x, 0), uvec4(1));"), "a store beside the image")
    equal((f["memory"], f["times"]), ("image", (SIDE - TEXELS) * SIDE), "the pixels beside it")


def test_races(folder):
    f = one(findings(folder, pixel="if (x % 16 == 0 && y % 16 == 0) word[0] = x * 32 + y + 1;"), "stores of several pixels to one word")
    equal((f["kind"], f["between"], f["second_access"]), ("race", "groups", "store"), "the finding")
    check(re.fullmatch(r"pixel \d+,\d+", f["second_lane_is"]), f)
    check("waves of a draw" in f["what"] and "waves of a draw" in f["text"], f)


def test_writers(folder):
    """At the stop for a finding: who has written two words of the buffer."""
    compile_shaders(folder, "word[gl_VertexIndex] = 70 + gl_VertexIndex;", "if (x < 30) word[64 + y * 30 + x] = y * 32 + x;\n\tif (x == 31 && y == 31) word[5000] = 1;")
    done = subprocess.run([harness.BREAKWATER, "run", "--check=bounds,writers", "--stop-on-finding", "-O0", "--batch", "-ex", "run", "-ex", "whence word[2]",
                           "-ex", f"whence word[{64 + 5 * 30 + 3}]", "-ex", "whence word[40]", "--", CHECKED, folder], capture_output=True, text=True, check=False)
    last = re.findall(r"last   store in \S+ at (\S+) by lane \d+ \((.*)\) of draw \d+: .*\((\d+)\)", done.stdout)
    equal(last, [("vertex.vert:10", "vertex 2", "72"), ("pixel.frag:10", "pixel 3,5", str(5 * 32 + 3))], done.stdout)
    check("nobody has written it" in done.stdout, done.stdout)


def test_right(folder):
    right = ["atomicAdd(word[x], 1);", "word[y * 32 + x] = x + y;", "imageStore(texels, ivec2(x % 8, y % 8), uvec4(1));",
             "if (x < 3) word[x + y * 32] = word[x + y * 32] + 1;"]
    for pixel in right:
        equal(findings(folder, pixel=pixel), [], pixel)
    # Beyond the picture's edge there is no pixel, but a helper of a quad that a triangle's edge cuts computes an index as
    # well, of a place where no word is.
    helped = "color = vec4(dFdx(float(word[place.x + place.y < 0.0 ? 0 : 9999])));"
    vertex = "gl_Position.xy = corner == vec2(-1.0) ? corner : corner == vec2(3.0, -1.0) ? vec2(0.97, -1.0) : vec2(-1.0, 0.97);"
    compile_shaders(folder, vertex + " place = gl_Position.xy;", helped)
    found = findings(folder, vertex + " place = gl_Position.xy;", helped)
    equal(found, [], "a load of helpers")


def test_scenes(folder):
    """None of them is wrong."""
    for program in PROGRAMS:
        done = subprocess.run([harness.BREAKWATER, "exec", "--check=races,bounds,sync", "--error-on-findings", "--", program, SHADERS, f"{folder}/out"],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0 and "no findings" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_bounds(folder)
        test_races(folder)
        test_writers(folder)
        test_right(folder)
        test_scenes(folder)


main()
