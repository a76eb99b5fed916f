# SPDX-License-Identifier: MIT
"""`breakwater run` of compute shaders in each language: arguments by name, in the layouts of std140, std430, scalar
blocks and HLSL; what is printed is what the source computes, worked out here.

    test_shader.py"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
FOLDER = tempfile.TemporaryDirectory()

SAXPY = """#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint STEP = 1;
layout(set = 0, binding = 0) buffer Out { float y[]; };
layout(set = 0, binding = 1) readonly buffer In { float x[]; } xs;
layout(push_constant) uniform Push { float a; uint n; } pc;
void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < pc.n)
		y[i] = pc.a * xs.x[i * STEP] + y[i];
}
"""

# In std140 the elements of arrays and the columns of matrices are 16 bytes apart.
BLOCKS = """#version 450
layout(local_size_x = 32) in;
layout(std140, set = 2, binding = 5) uniform Params {
	vec4 scale; mat3x2 m; layout(row_major) mat3x2 r; float w[3]; uint bias;
} params;
layout(std430, set = 0, binding = 1) buffer Result { uint count; vec3 p[]; } result;
void main()
{
	uint i = gl_LocalInvocationIndex;
	vec2 a = params.m * vec3(1, 2, 3), b = params.r * vec3(1, 2, 3);
	result.p[i] = vec3(a.x + params.scale.x, b.y * params.scale.w, params.w[i % 3] + params.bias + i);
	atomicAdd(result.count, 1);
}
"""

HLSL = """RWStructuredBuffer<float> data : register(u0);
cbuffer P : register(b1) { float k; uint n; };
[numthreads(64, 1, 1)]
void scale(uint3 id : SV_DispatchThreadID) { if (id.x < n) data[id.x] *= k; }
"""


def write(name, text):
    path = pathlib.Path(FOLDER.name) / name
    path.write_text(text)
    return path


def run(*words):
    return subprocess.run([BREAKWATER, "run", *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL)


def printed(*words):
    done = run(*words)
    equal((done.returncode, done.stderr), (0, ""), f"run {words}")
    return [line for line in done.stdout.splitlines() if not line.startswith("[")]


def numbers(line):
    return [float(word) for word in line.split(": ")[-1].split()]


SAXPY_ARGS = ("--grid", 128, "--arg", "y=iota:128", "--arg", "xs=fill:256:2", "--arg", "a=3", "--arg", "pc.n=100")


def glsl():
    lines = printed(*SAXPY_ARGS, "--print", "y", write("saxpy.comp", SAXPY))
    equal(numbers(lines[0]), [i + 6 if i < 100 else i for i in range(128)], "saxpy")


def specialization_and_files():
    path, data, out = write("saxpy.comp", SAXPY), pathlib.Path(FOLDER.name, "x"), pathlib.Path(FOLDER.name, "y")
    data.write_bytes(struct.pack("<256f", *range(256)))
    printed("--groups", 2, "--arg", "Out=zeros:128", "--arg", f"In=file:{data}", "--arg", "pc.a=0.5", "--arg", "n=128",
            "--arg", "STEP=2", "--dump", f"y={out}", path)
    equal(struct.unpack("<128f", out.read_bytes()), tuple(float(i) for i in range(128)), "every second one, halved")


def layouts():
    """Matrices are given column by column, whatever their order in memory."""
    lines = printed("--groups", 1, "--arg", "params.bias=100", "--arg", "scale=iota:4", "--arg", "m=iota:6",
                    "--arg", "r=iota:6", "--arg", "w=iota:3", "--arg", "count=0", "--arg", "result.p=zeros:96",
                    "--print", "p:9", "--print", "count", write("blocks.comp", BLOCKS))
    m = [[0, 1], [2, 3], [4, 5]]  # columns
    product = [sum(m[c][r] * (c + 1) for c in range(3)) for r in range(2)]
    want = [x for i in range(3) for x in (product[0] + 0, product[1] * 3, i % 3 + 100 + i)]
    equal(numbers(lines[0]), want, "what the matrices give")
    equal(numbers(lines[1]), [32], "work-items that ran")


def hlsl():
    lines = printed("--grid", 64, "--kernel", "scale", "--arg", "data=iota:64", "--arg", "k=0.5", "--arg", "n=10", "--print",
                    "data", write("scale.hlsl", HLSL))
    equal(numbers(lines[0]), [i / 2 if i < 10 else i for i in range(64)], "the HLSL shader")


ARRAY = """#version 450
layout(local_size_x = 32) in;
layout(set = 1, binding = 3) buffer Data { uint scale; uint x[]; } bufs[3];
layout(set = 1, binding = 4) buffer Sum { uint sum[]; };
void main()
{
	uint i = gl_LocalInvocationIndex;
	sum[i] = bufs[0].x[i] * bufs[0].scale + bufs[1].x[i] * bufs[1].scale + bufs[2].x[i] * bufs[2].scale;
	bufs[1].x[i] = 7;
}
"""


def array_of_buffers():
    words = [w for k in range(3) for w in ("--arg", f"bufs[{k}].scale={10 ** k}", "--arg", f"bufs[{k}].x={'iota:32' if k else 'fill:32:2'}")]
    path = write("array.comp", ARRAY)
    lines = printed("--groups", 1, *words, "--arg", "sum=zeros:32", "--print", "sum:4", "--print", "bufs[1].x:3", "--print",
                    "bufs[2].x:3", path)
    equal([numbers(line) for line in lines], [[2 + 110 * i for i in range(4)], [7, 7, 7], [0, 1, 2]], "buffers of an array")
    s = harness.Session("--groups", 1, *words, "--arg", "sum=zeros:32", path)
    s.command("break on dispatch")
    s.command("run")
    equal(s.command("print bufs[2].x[5] + bufs[1].scale")["text"], "15", "the debugger's words for them")
    s.command("continue")
    s.end()
    done = run("--groups", 1, *words[2:], "--arg", "sum=zeros:32", path)
    check(done.returncode == 2 and "argument bufs[0].scale (u32) is missing" in done.stderr, done.stderr)


# In std430 a Particle takes 32 bytes.
STRUCTS = """#version 450
layout(local_size_x = 32) in;
struct Particle { vec4 position; vec3 velocity; uint id; };
layout(binding = 0) buffer Sums { float sums[]; };
layout(binding = 1) buffer State { Particle first; uint pairs[2][2]; Particle particles[]; };
void main()
{
	uint i = gl_LocalInvocationIndex;
	Particle p = particles[i];
	sums[i] = p.position.x + p.velocity.z * 100 + p.id * 10000 + first.id + pairs[1][0];
}
"""


def structs():
    """A struct, an array of structs and an array of arrays are given by their bytes."""
    path, data, one = write("structs.comp", STRUCTS), pathlib.Path(FOLDER.name, "p"), pathlib.Path(FOLDER.name, "one")
    data.write_bytes(b"".join(struct.pack("<7fI", i, 0, 0, 0, 0, 0, 2, 3) for i in range(32)))
    one.write_bytes(struct.pack("<7fI", 0, 0, 0, 0, 0, 0, 0, 5))
    words = ("--groups", 1, "--arg", "sums=zeros:32", "--print", "sums", "--arg", f"first=file:{one}")
    lines = printed(*words, "--arg", "pairs=iota:4:u32", "--arg", f"particles=file:{data}", path)
    equal(numbers(lines[0]), [i + 200 + 30000 + 5 + 2 for i in range(32)], "what is in files")
    lines = printed(*words, "--arg", "State.pairs=zeros:2", "--arg", "particles=zeros:32", path)
    equal(numbers(lines[0]), [5] * 32, "32 particles of zeros")
    for name, value, said in (("particles", "1", "it is a struct or an array of such: give its bytes as file:PATH"),
                              ("particles", f"file:{one}x", "cannot open"), ("particles", "iota:8", "numbers of one TYPE as iota:N:TYPE"),
                              ("particles", "iota:9:u32", "its elements have 32 bytes each, this has 36"),
                              ("pairs", "zeros:8:u32", "it has 16 bytes, this has 32"),
                              ("pairs", "zeros:99999999999", "")):
        others = [w for n, v in (("pairs", "zeros:2"), ("particles", "zeros:32")) if n != name for w in ("--arg", f"{n}={v}")]
        done = run(*words, *others, "--arg", f"{name}={value}", path)
        check(done.returncode == 2 and said in done.stderr, f"{name}={value}: {done.stderr}")
    done = run(*words, "--arg", "pairs=zeros:2", path)
    check(done.returncode == 2 and "argument State.particles (struct) is missing: give --arg State.particles=file:PATH" in done.stderr
          or "argument particles (struct) is missing: give --arg particles=file:PATH" in done.stderr, done.stderr)


def spirv():
    source, binary, text = write("saxpy.comp", SAXPY), pathlib.Path(FOLDER.name, "s.spv"), pathlib.Path(FOLDER.name, "s.spvasm")
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", binary], check=True)
    subprocess.run(["spirv-dis", binary, "-o", text], check=True)
    for path in (binary, text):
        equal(numbers(printed(*SAXPY_ARGS, "--print", "y:3", path)[0]), [6, 7, 8], path.name)


def errors():
    path = write("saxpy.comp", SAXPY)
    for words, said in (
            ((), "argument y (f32) is missing: give --arg y=zeros:N or the like"),
            (("--arg", "z=1"), "the shader has nothing called z; it has y xs pc.a pc.n STEP"),
            ((*SAXPY_ARGS, "--arg", "y=iota:64"), "argument y is given twice"),
            ((*SAXPY_ARGS[2:], "--grid", 100), "--grid: 100 work-items are not a multiple of the 64 of a workgroup"),
            ((*SAXPY_ARGS, "--group", 32), "--group: the shader's workgroups have 64,1,1 work-items"),
            (("--arg", "a=zeros:2"), "--arg a=zeros:2: it has 1 f32 number, this has 2"),
            (("--arg", "y=1"), "--arg y=1: it is an array: give zeros:N"),
            ((*SAXPY_ARGS, "--print", "pc.a"), "--print pc.a: only storage buffers and storage images are written")):
        done = run(*words, path)
        equal(done.returncode, 2, f"status of {words}")
        check(done.stderr.startswith("breakwater: ") and f"saxpy.comp: {said}" in done.stderr, f"{words}: {done.stderr}")
    done = run(*SAXPY_ARGS, write("wrong.comp", SAXPY.replace("pc.a *", "pc.b *")))
    check(done.returncode == 2 and "does not compile, says glslangValidator:" in done.stderr and "'b' : no such field" in done.stderr,
          done.stderr)
    image = "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) uniform sampler2DShadow img;\n" \
            "layout(binding = 1) buffer O { float o; }; void main() { o = texture(img, vec3(0)); }\n"
    done = run("--groups", 1, write("image.comp", image))
    check(done.returncode == 2 and "img is sampled with comparison" in done.stderr, done.stderr)
    done = run("--groups", 1, write("garbage.spv", "\x03\x02\x23\x07" + 40 * "x"))
    equal(done.returncode, 2, "status of garbage")


def prints():
    """That debugPrintfEXT prints nothing here is told, by the shader's name, also where a program is debugged."""
    path = write("says.comp", """#version 450
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { float y[]; };
void main()
{
	y[gl_LocalInvocationIndex] = 1;
	debugPrintfEXT("y[%u]", gl_LocalInvocationIndex);
}
""")
    done = run(path, "--grid", "64", "--arg", "y=zeros:64")
    equal(done.stdout.count("says prints by debugPrintfEXT: that is not shown") +
          done.stderr.count("says prints by debugPrintfEXT: that is not shown"), 1, done.stdout + done.stderr)
    code = path.with_suffix(".spv")
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", path, "-o", code], check=True, timeout=TIMEOUT_S)
    program = [str(BREAKWATER.parent / "breakwater-launch-shader"), str(code), "--grid", "64", "--arg", "y=zeros:64", "--print", "y:2"]
    done = subprocess.run([str(BREAKWATER), "exec", "--", *program], capture_output=True, text=True, timeout=TIMEOUT_S)
    equal((done.returncode, done.stdout.split()), (0, ["1", "1"]), done.stderr)
    equal(done.stderr.count("a shader prints by debugPrintfEXT: that is not shown"), 1, done.stderr)


def condition_before_it_is_made():
    """The names of a condition on a line that no code has yet come with the shader."""
    done = run("-O0", "--batch", "-ex", "break saxpy.comp:10 if i == 70 && pc.n == 100", "-ex", "run", "-ex", "print i", "-ex", "continue",
               write("saxpy.comp", SAXPY), *SAXPY_ARGS)
    check("hit Breakpoint 1, with lanes [6]," in done.stdout and "$1 = 70\n" in done.stdout, done.stdout + done.stderr)
    equal((done.stdout.count("hit Breakpoint"), done.stderr.count("No symbol")), (1, 0), done.stdout + done.stderr)


def debugged():
    """Stopped by its name, with its buffers' names; a value changed on the way."""
    out = pathlib.Path(FOLDER.name, "out")
    s = harness.Session(*SAXPY_ARGS, "--dump", f"y={out}", write("saxpy.comp", SAXPY))
    s.command("break on dispatch")
    s.command("run")
    stop = harness.events(s.events, "stop")[-1]
    equal(stop["function"], "saxpy", "the shader's name")
    buffers = s.command("info buffers")["buffers"]
    equal(sorted(b["name"] for b in buffers), ["Out", "xs"], "names of the buffers")
    address = next(int(b["address"], 16) for b in buffers if b["name"] == "xs")
    s.command(f"set var *(float *){address + 8} = 10")
    s.command("delete")
    s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")
    equal(struct.unpack("<128f", out.read_bytes())[:4], (6, 7, 32, 9), "with another x[2]")


harness.main(glsl, specialization_and_files, layouts, hlsl, array_of_buffers, structs, spirv, errors, prints, condition_before_it_is_made, debugged)
