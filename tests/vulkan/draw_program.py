# SPDX-License-Identifier: MIT
"""The program examples/vulkan/draw.c as the tests of debuggers draw with it: its shaders, what lavapipe draws, and what
its numbers say."""
import glob
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from harness import check, equal  # noqa: E402

WIDTH, HEIGHT = 64, 48
FIRST = 3  # draws 1 and 2 are the driver's clears
DARK = 25  # in this column of the sail normals are 0, so what normalize() gives is undefined

VERTEX = """#version 460
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal_in;
layout(location = 0) out vec3 normal;
void main()
{
	vec4 place = vec4(position, 1.0);
	gl_Position = place;
	normal = normal_in;
}
"""
PIXEL = """#version 460
layout(location = 0) in vec3 normal;
layout(location = 0) out vec4 result;
layout(push_constant) uniform Draw { vec4 color; };
float facing(vec3 n)
{
	return abs(n.z);
}
void main()
{
	vec3 n = normalize(normal);
	float light = max(facing(n), 0.25);
	result = vec4(color.rgb * light, color.a);
}
"""


def compile_shaders(folder):
    for stage, text in (("vert", VERTEX), ("frag", PIXEL)):
        source = pathlib.Path(folder, f"lit.{stage}")
        source.write_text(text)
        subprocess.run(["glslangValidator", "-g", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", f"{source}.spv"], check=True)
    return [f"{folder}/lit.{stage}.spv" for stage in ("vert", "frag")]


def read_picture(path):
    head, size, texels = pathlib.Path(path).read_bytes().split(b"\n", 1)[0], WIDTH * HEIGHT * 3, pathlib.Path(path).read_bytes()
    equal(head, b"P6 64 48 255", "the picture's head")
    return texels[-size:]


def texel(picture, x, y):
    return list(picture[3 * (y * WIDTH + x):][:3])


def normal_of_sail(x):
    """Interpolated along the rectangle from pixel 10 to 41; nothing changes from top to bottom."""
    t = (x + 0.5 - 10) / 31
    return [0.8 * (1 - 2 * t), 0.0, 0.6 * (1 - 2 * t)]


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def draw_on_lavapipe(program, spirv, folder):
    icd = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")[0]
    subprocess.run([program, *spirv, f"{folder}/lavapipe.ppm"], check=True, timeout=300,
                   env={**os.environ, "VK_DRIVER_FILES": icd, "VK_ICD_FILENAMES": icd})
    picture = read_picture(f"{folder}/lavapipe.ppm")
    check(len(set(picture)) > 8, "lavapipe's picture")
    return picture
