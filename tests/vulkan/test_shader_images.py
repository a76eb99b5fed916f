# SPDX-License-Identifier: MIT
"""`breakwater run` of compute shaders with images, texel buffers and samplers: given by --arg, shown by --print, --dump
and `dump image`. What is expected is worked out here.

    test_shader_images.py"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402
import png  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(TEMPORARY.name)

FLAT = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform readonly image2D src;
layout(binding = 1, rgba8ui) uniform writeonly uimage2D dst;
layout(binding = 2, r32ui) uniform uimage2D count;
layout(binding = 3) uniform sampler2D tex;
layout(set = 1, binding = 0) uniform texture2D plain;
layout(set = 1, binding = 1) uniform sampler smp;
layout(set = 1, binding = 2) uniform samplerBuffer weights;
layout(set = 1, binding = 3, r32f) uniform imageBuffer sums;
void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	vec2 middle = (vec2(p) + 0.5) / 8.0;
	uvec4 a = uvec4(imageLoad(src, p) * 255.0 + 0.5);
	imageStore(dst, p, a.yxzw + uvec4(0, 0, 1, 0));
	imageAtomicAdd(count, p, uint(p.y));
	float between = texture(tex, middle + vec2(0.5 / 8.0, 0)).x, around = texture(sampler2D(plain, smp), middle + 1.0).x;
	imageStore(sums, p.y * 8 + p.x, vec4(texelFetch(weights, p.x).x + between + around));
}
"""

SHAPES = """#version 450
layout(local_size_x = 4) in;
layout(binding = 0, r32f) uniform image1D a;
layout(binding = 1, rgba16f) uniform image3D b;
layout(binding = 2, rg32i) uniform iimage2DArray c;
layout(binding = 3) uniform samplerCube d;
layout(binding = 4) uniform sampler2DArray e;
layout(binding = 5) uniform usampler2D f[2];
layout(binding = 6) buffer Out { vec4 o[]; };
layout(binding = 7, rgb10_a2) uniform image2D h;
layout(binding = 8, r11f_g11f_b10f) uniform image2D k;
void main()
{
	int i = int(gl_LocalInvocationIndex);
	imageStore(a, i, vec4(imageLoad(a, i).x * 2));
	imageStore(b, ivec3(i, 1, 1), imageLoad(b, ivec3(i, 0, 1)) + 1);
	imageStore(c, ivec3(i, 0, 1), imageLoad(c, ivec3(i, 0, 0)) - 3);
	vec3 towards = vec3(i == 0, i == 1, i == 2) - vec3(0, 0, i == 3);
	o[i] = vec4(texture(d, towards).x, textureLod(e, vec3(0.5, 0.5, 1), 0).y, texelFetch(f[1], ivec2(i, 0), 0).x, 0);
	imageStore(h, ivec2(i, 0), imageLoad(h, ivec2(i, 1)));
	imageStore(k, ivec2(i, 0), imageLoad(k, ivec2(i, 1)) * 2);
}
"""


def write(name, text):
    path = FOLDER / name
    path.write_text(text)
    return path


def write_png(name, color, bits, rows, palette=None):
    """Rows of samples as bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    header = struct.pack(">IIBBBBB", len(rows[0]) // samples // (bits // 8), len(rows), bits, color, 0, 0, 0)
    path = FOLDER / name
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + (chunk(b"PLTE", palette) if palette else b"") +
                     chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))) + chunk(b"IEND", b""))
    return path


def run(*words):
    return subprocess.run([BREAKWATER, "run", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL)


def printed(*words):
    done = run(*words)
    equal((done.returncode, done.stderr), (0, ""), f"run {words}")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("[")]
    return {line.split(": ")[0]: [float(word) for word in line.split(": ")[-1].split()] for line in lines}


PIXELS = [[(16 * x, 16 * y, 7) for x in range(8)] for y in range(8)]


def flat_words():
    path = write_png("in.png", 2, 8, [[v for pixel in row for v in pixel] for row in PIXELS])
    return ["--grid", "8,8", "--arg", f"src=image:{path}", "--arg", "dst=image:8x8", "--arg", "count=image:8x8:fill:5", "--arg",
            "tex=image:8x8:r32f:linear:iota", "--arg", "plain=image:8x8:r32f:iota", "--arg", "smp=sampler:repeat", "--arg",
            "weights=image:8:r32f:fill:0.5", "--arg", "sums=image:64", write("flat.comp", FLAT)]


def in_rows():
    """A picture in, a picture out; a sampler's filter and wrap; texel buffers."""
    out, raw = FOLDER / "out.png", FOLDER / "count"
    got = printed("--print", "count:16", "--print", "sums", "--dump", f"dst={out}", "--dump", f"count={raw}", *flat_words())
    equal(got["count"], [5] * 8 + [6] * 8, "count")
    equal(got["sums"], [0.5 + 8 * y + min(x + 0.5, 7) + 8 * y + x for y in range(8) for x in range(8)], "sums")
    equal(png.read(out), (8, 8, 8, [[(g, r, b + 1, 255) for r, g, b in row] for row in PIXELS]), "the picture")
    equal(struct.unpack("<64I", raw.read_bytes()), tuple(5 + y for y in range(8) for _ in range(8)), "texels in a file")


def at_a_stop():
    """The shader's dispatch has no other with it; its images have their names."""
    s = harness.Session(*flat_words())
    s.command("break main")
    s.command("run")
    stop = harness.events(s.events, "stop")[-1]
    equal(stop["function"], "flat", "the shader's name")
    equal(len(s.command("info dispatches")["dispatches"]), 1, "dispatches")
    names = {d["name"] for d in s.command("info descriptors")["descriptors"]}
    equal(names, {"src", "dst", "count", "tex", "plain", "weights", "sums"}, "names of descriptors")
    s.command(f"dump image {FOLDER}/src.png src")
    equal(png.read(FOLDER / "src.png")[3], [[(*pixel, 255) for pixel in row] for row in PIXELS], "an image at the stop")
    equal(s.command("print buffer weights as float[2]")["text"], "{0.5, 0.5}", "a texel buffer")
    check("is an image: \"dump image" in str(s.command("print src")), "print of an image")
    for name in ("weights", "sums"):
        check(f"is a texel buffer: \"print buffer {name} as float[]\"" in str(s.command(f"print {name}")), f"print of {name}")
    equal(s.command("print buffer weights as float[]")["text"], "{" + ", ".join(["0.5"] * 8) + "}", "all of a texel buffer")
    s.command("delete")
    s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")


def shapes():
    got = printed("--groups", 1, "--arg", "a=image:4:iota", "--arg", "b=image:4x2x2:iota", "--arg", "c=image:4x1x2:iota", "--arg",
                  "d=image:1x1:r32f:iota", "--arg", "e=image:1x1x2:rgba32f:iota", "--arg", "f[0]=image:4x1:r8ui", "--arg",
                  "f[1]=image:4x1:r8ui:fill:7", "--arg", "o=zeros:16", "--arg", "h=image:4x2:rgb10_a2:iota", "--arg",
                  "k=image:4x2:fill:1.5,2,0.25", *[w for name in "abcohk" for w in ("--print", name)], write("shapes.comp", SHAPES))
    equal(got["a"], [0, 2, 4, 6], "1D")
    equal(got["b"], [*range(48), *[i + 1 for i in range(32, 48)]], "3D")
    equal(got["c"], [*range(8), *[i - 3 for i in range(8)]], "2D array")
    equal(got["o"], [v for face in (0, 2, 4, 5) for v in (face, 5, 7, 0)], "cube, array, one of two")
    second = [(4 * i + c & (3 if c == 3 else 1023)) / (3 if c == 3 else 1023) for i in range(4, 8) for c in range(4)]
    check(all(abs(g - w) < 1e-6 for g, w in zip(got["h"], second + second)), f"10 bits: {got['h']}")
    equal(got["k"], [3, 4, 0.5] * 4 + [1.5, 2, 0.25] * 4, "packed floats")


COPY = """#version 450
layout(local_size_x = 2) in;
layout(binding = 0) uniform sampler2D src[4];
layout(binding = 1) buffer Out { vec4 o[]; };
void main()
{
	int i = int(gl_LocalInvocationIndex);
	o[i] = texelFetch(src[0], ivec2(i, 0), 0);
	o[i + 2] = texelFetch(src[1], ivec2(i, 0), 0);
	o[i + 4] = texelFetch(src[2], ivec2(i, 0), 0);
	o[i + 6] = texelFetch(src[3], ivec2(i, 0), 0);
}
"""


def kinds_of_png():
    """Grey, palette, alpha and 16 bits."""
    kinds = ((0, 8, [51, 255], None, [0.2, 0.2, 0.2, 1, 1, 1, 1, 1]),
             (3, 8, [1, 0], bytes([0, 51, 102, 255, 0, 0]), [1, 0, 0, 1, 0, 0.2, 0.4, 1]),
             (4, 8, [51, 102, 0, 255], None, [0.2, 0.2, 0.2, 0.4, 0, 0, 0, 1]),
             (6, 16, [0x33, 0x33, 0, 0, 255, 255, 0x66, 0x66, 0, 0, 0, 0, 0, 0, 0, 0], None, [0.2, 0, 1, 0.4, 0, 0, 0, 0]))
    words = []
    for i, (color, bits, row, palette, _) in enumerate(kinds):
        words += ["--arg", f"src[{i}]=image:rgba32f:{write_png(f'kind{i}.png', color, bits, [row], palette)}"]
    got, = printed("--groups", 1, *words, "--arg", "o=zeros:32", "--print", "o", write("copy.comp", COPY)).values()
    for i, kind in enumerate(kinds):
        texels = got[8 * i:8 * i + 8]
        check(all(abs(g - w) < 1e-6 for g, w in zip(texels, kind[4])), f"PNG of colour type {kind[0]}: {texels}, not {kind[4]}")


def looked_at(*words):
    """What the launcher says of words before anything runs."""
    launcher = pathlib.Path(BREAKWATER).parent / "breakwater-launch-shader"
    return subprocess.run([launcher, "--check", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S)


def wrong_words():
    folder = f"image:{FOLDER}"
    words = [*flat_words()]
    source, words[-1] = words[-1], FOLDER / "flat.spv"
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", words[-1]], check=True)
    equal(looked_at(*words).returncode, 0, "status of right words")
    (FOLDER / "cut.png").write_bytes((FOLDER / "in.png").read_bytes()[:70])
    (FOLDER / "no.png").write_bytes(b"no picture")
    for given, said in (
            ("src=image:8", "it is a 2D image: give image:WIDTHxHEIGHT or image:FILE.png"),
            ("src=image:8x0", "it has no such size"),
            ("src=image:8x8:r32f", "the shader declares the format rgba8, not r32f"),
            (f"src={folder}/none.png", "none.png: No such file or directory"),
            (f"src={folder}/no.png", "no.png: Not a PNG file"),
            (f"src={folder}/cut.png", "cut.png: "),
            (f"src=image:9x9:{FOLDER}/in.png", "in.png has 8x8 pixels, not 9x9"),
            ("src=image:8x8:foo", "'foo' is not a format"),
            ("src=image:8x8:linear", "'linear' is not a format"),
            ("src=zeros:5", "it is a 2D image: give image:"),
            ("src=image:", "is not a size"),
            ("src=image:16384x16385", "16385 texels are more than 16384"),
            ("src=image:8x8:fill:1,2", "a texel of rgba8 has 4 f32: fill takes one, or 4"),
            ("src=image:8x8:fill", "fill needs a value"),
            ("src=image:8x8:iota:3", "nothing can follow iota"),
            (f"src=image:8x8:file:{FOLDER}/in.png", "its texels take 256 bytes"),
            ("tex=image:8x8:r32ui", "its texels are f32 for the shader, those of r32ui are u32"),
            ("smp=image:4x4", "it is a sampler: give sampler"),
            ("smp=sampler:sharp", "'sharp' is not known: a sampler is linear or nearest"),
            ("weights=image:8x8", "it is a texel buffer: give image:WIDTH"),
            ("nothing=1", "it has src dst count sums tex plain weights smp")):
        done = looked_at("--grid", "8,8", "--arg", given, words[-1])
        equal(done.returncode, 2, f"status of {given}: {done.stderr}")
        check(said in done.stderr, f"{given}: {done.stderr}")
    for extra, said in (((), "argument src (2D image, rgba8) is missing: give --arg src=image:WIDTHxHEIGHT or image:FILE.png"),
                        ((*words[2:-1], "--print", "tex"), "--print tex: only storage buffers and storage images"),
                        ((*words[2:-1], "--arg", "src=image:4x4"), "argument src is given twice")):
        done = looked_at("--grid", "8,8", *extra, words[-1])
        equal(done.returncode, 2, f"status of {extra}")
        check(said in done.stderr, f"{extra}: {done.stderr}")


def damaged():
    """SPIRV-Cross does not check SPIR-V: whatever it makes of damaged code, a sentence says so."""
    code = FOLDER / "whole.spv"
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", write("flat.comp", FLAT), "-o", code], check=True)
    for at in (3, 40, 60):
        words = bytearray(code.read_bytes())
        words[4 * at:4 * at + 4] = b"\xf0\xff\xff\x0f"
        (FOLDER / "damaged.spv").write_bytes(words)
        done = run("--grid", "8,8", FOLDER / "damaged.spv")
        equal(done.returncode, 2, f"status with another word {at}")
        check(re.search(r"damaged.spv: .*[a-z]{3}", done.stderr), f"with another word {at}: {done.stderr}")


if __name__ == "__main__":
    harness.main(in_rows, at_a_stop, shapes, kinds_of_png, wrong_words, damaged)
