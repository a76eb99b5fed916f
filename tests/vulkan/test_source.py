# SPDX-License-Identifier: MIT
"""Shaders at source level: lines of the source (RADV of Mesa 26.1 and later) or of the driver's NIR (older ones), and
buffers, push constants, constants and built-in variables by their names. Values are worked out here from the source.
With BREAKWATER_TEST_LINES=source in the environment, lines of the source are demanded.

    test_source.py [VKRUN]"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
FOLDER = tempfile.TemporaryDirectory()

# A barrier is missing behind line 12: with more than one wave in a group the counts may be wrong.
HISTOGRAM = """#version 450
layout(local_size_x = 64) in;
layout(constant_id = 7) const uint MASK = 15;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; } xs;
layout(set = 0, binding = 1) buffer Out { uint total; uint bins[]; };
layout(push_constant) uniform Push { uint n; float unused; } pc;
shared uint local_bins[16];
void main()
{
	uint lid = gl_LocalInvocationIndex;
	if (lid < 16)
		local_bins[lid] = 0;
	for (uint k = gl_GlobalInvocationID.x; k < pc.n; k += 128) {
		uint v = xs.data[k] & MASK;
		atomicAdd(local_bins[v], 1);
	}
	barrier();
	if (lid < 16)
		atomicAdd(bins[lid], local_bins[lid]);
}
"""

# The inner loop begins at 1: the first product is missing.
PRODUCT = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
struct Element { vec2 value; uint row; };
layout(std430, binding = 0) readonly buffer A { mat2x3 a[]; };
layout(std140, binding = 1) readonly buffer B { float b[]; } right;
layout(std430, binding = 2) buffer C { Element c[]; };
layout(push_constant) uniform Size { ivec2 size; } size;
float times(float x, float y) { return x * y; }
void main()
{
	uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
	float sum = 0;
	for (int k = 1; k < size.size.y; k++)
		sum += times(a[row][0][k], right.b[k * 8 + column]);
	c[row * 8 + column].value = vec2(sum, 1);
	c[row * 8 + column].row = row;
}
"""


# The same in HLSL.
HLSL = """StructuredBuffer<uint> data : register(t0);
RWStructuredBuffer<uint> bins : register(u1);
cbuffer Params : register(b2) { uint count; float scale; };
groupshared uint local_bins[16];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint lid : SV_GroupIndex)
{
	if (lid < 16)
		local_bins[lid] = 0;
	for (uint k = id.x; k < count; k += 64) {
		uint v = data[k] & 15;
		InterlockedAdd(local_bins[v], 1);
	}
	GroupMemoryBarrierWithGroupSync();
	if (lid < 16)
		bins[lid] = local_bins[lid];
}
"""


# What lies in LDS, of several sizes and with a variable that nothing uses.
SHARED = """#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(binding = 1) buffer Out { float result[]; };
struct Cell { float weight; uvec2 at; };
shared uint count;
shared float tile[64];
shared uint never;
shared Cell cells[3];
shared bool flag;
shared mat2x3 m;
#include "twice.glsl"
void main()
{
	uint i = gl_LocalInvocationIndex;
	tile[i] = float(i) * 2.0;
	if (i == 0) {
		count = 7;
		flag = result[0] == 0;
		m = mat2x3(1, 2, 3, 4, 5, result[1] + 6);
	}
	if (i < 3) {
		cells[i].weight = i * 0.5;
		cells[i].at = uvec2(i, 10 + i);
	}
	barrier();
	Cell c = cells[i % 3];
	result[i] = twice(tile[63 - i]) + count + c.weight + c.at.x + c.at.y + (flag ? 1 : 0) + m[i & 1][i % 3];
}
"""
TWICE = """float twice(float x)
{
	return x + x;
}
"""
# Of the vectors nothing reads the last component, so that Mesa makes them shorter.
SHORTENED = """#version 450
layout(local_size_x = 64) in;
layout(binding = 1) buffer Out { float result[]; };
shared vec4 v[64];
shared float w[64];
void main()
{
	uint i = gl_LocalInvocationIndex;
	v[i] = vec4(i, 1, 2, 3);
	w[i] = i * 3;
	barrier();
	result[i] = v[63 - i].x + v[63 - i].y + w[63 - i];
}
"""


def write(name, text):
    path = pathlib.Path(FOLDER.name) / name
    path.write_text(text)
    return path


def text(s, command):
    return s.command(command)["text"]


def stop_of(s):
    return harness.events(s.events, "stop")[-1]


NO_CODE = "[The driver knows no code of line "


def said_of(s):
    return [e["text"] for e in harness.events(s.events, "notice") if e["kind"] == "said"]


def has_source(s):
    """What the debugger says of the lines, once: true for those of the source."""
    said = [text for text in said_of(s) if not text.startswith(NO_CODE)]
    equal(len(said), 1, f"what is said of lines: {said}")
    source = "are those of their source" in said[0]
    check(source or "lines are those of NIR" in said[0], said[0])
    check("RADV_DEBUG=nirdebuginfo" in said[0], said[0])
    if os.environ.get("BREAKWATER_TEST_LINES") == "source":
        check(source, f"this driver has to know the source: {said[0]}")
    return source


def lines_of_source(s, path):
    """From the loop's head on: stops and steps are at lines of the user's file."""
    last = len(HISTOGRAM.splitlines())
    s.command(f"break {path.name}:13")
    s.command("continue")
    at = stop_of(s)
    equal((pathlib.Path(at["file"]).name, at["line"]), (path.name, 13), "where the breakpoint is")
    seen = set()
    for _ in range(4):
        s.command("next")
        at = stop_of(s)
        check(1 <= at["line"] <= last, f"line {at['line']}")
        seen.add(at["line"])
    check(len(seen) > 1, f"\"next\" stays in {seen}")
    listing = s.command("list 13,15")
    check("k < pc.n" in str(listing) and "atomicAdd(local_bins[v], 1)" in str(listing), str(listing))
    lines = {i["line"] for i in s.command("disassemble /s")["instructions"] if "line" in i}
    check(13 in lines and lines <= set(range(1, last + 1)), f"lines in the disassembly: {lines}")


def histogram():
    path = write("hist.comp", HISTOGRAM)
    s = harness.Session("--grid", 128, "--arg", "data=iota:256", "--arg", "total=5", "--arg", "bins=zeros:16", "--arg", "pc.n=256",
                        "--arg", "unused=2.5", "--arg", "MASK=7", path)
    s.command("break on dispatch")
    s.command("tbreak hist.comp:8")  # "void main()"
    s.command("run")
    moved = [text for text in said_of(s) if text.startswith(f"{NO_CODE}8 of hist.comp: breakpoint 2 is at the next line")]
    source = has_source(s)
    equal(len(moved), int(source), "what is said of a line without code")
    s.command("delete 2")
    for name, want in (("xs.data[3]", "3"), ("xs[255]", "255"), ("xs.data[256]", None), ("pc.n", "256"), ("pc.unused", "2.5"),
                       ("MASK", "7"), ("total", "5"), ("bins[2] + 1", "1"), ("sizeof(bins)", "64"), ("sizeof(pc)", "8"),
                       ("Out.total", "5"), ("gl_WorkGroupSize", "{64, 1, 1}"), ("gl_NumWorkGroups.x", "2"), ("lid", "<optimized out>")):
        if want:
            equal(text(s, f"print {name}"), want, name)
    s.command("lane 5")
    group = int(text(s, "print $_workgroup.x"))
    equal(text(s, "print gl_LocalInvocationIndex"), "5", "the lane")
    equal(text(s, "print gl_GlobalInvocationID"), f"{{{group * 64 + 5}, 0, 0}}", "the invocation")
    equal(text(s, "print gl_WorkGroupID.x"), str(group), "the workgroup")
    check("float unused" in s.command("ptype pc")["value_type"], "the type of the push constants")
    s.command("print bins[3] = 100")
    s.command("lane apply all print gl_LocalInvocationIndex")
    if source:
        lines_of_source(s, path)
    else:
        check(".nir" in str(s.command("info source")), "the NIR as the source")
    s.command("delete")
    s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")


def stop_at_last_store(s):
    """Behind all barriers."""
    code = s.command("disassemble")["instructions"]
    last = [i["address"] for i in code if i["text"].startswith(("buffer_store", "global_store"))][-1]
    s.command("delete")
    s.command(f"tbreak *{last}")
    s.command("continue")


def shared():
    """Variables in LDS have their places where the size that the driver gave them leaves one possibility."""
    write("twice.glsl", TWICE)
    s = harness.Session("--groups", 1, "--arg", "result=zeros:64", write("shared.comp", SHARED))
    s.command("break on dispatch")
    s.command("run")
    stop_at_last_store(s)
    for name, want in (("count", "7"), ("tile", "{" + ", ".join(str(2 * i) for i in range(64)) + "}"), ("flag", "true"),
                       ("cells", "{" + ", ".join(f"{{weight = {i / 2:g}, at = {{{i}, {10 + i}}}}}" for i in range(3)) + "}"),
                       ("m", "{{1, 2, 3}, {4, 5, 6}}"), ("cells[2].at.y", "12"), ("never", "<optimized out>")):
        equal(text(s, f"print {name}"), want, name)
    s.command("print tile[63] = 1000")
    equal(text(s, "print tile[63]"), "1000", "what was written")
    s.command("kill")
    s.end()
    s = harness.Session("--groups", 1, "--arg", "result=zeros:64", write("shortened.comp", SHORTENED))
    s.command("break on dispatch")
    s.command("run")
    stop_at_last_store(s)
    values = [text(s, f"print {name}[5]") if name == "w" else text(s, f"print {name}") for name in ("v", "w")]
    check(values[1] in ("15", "<LDS offset unknown>") and (values[0] == "<LDS offset unknown>" or values[0].startswith("{{0, 1, 2, 3}, ")),
          f"a place that is wrong: {values}")
    s.command("kill")
    s.end()


def before():
    """A shader that has not been dispatched: its files are listed, lines that they have not are refused."""
    write("twice.glsl", TWICE)
    path = write("shared.comp", SHARED)
    s = harness.Session("--groups", 1, "--arg", "result=zeros:64", path)
    lines = SHARED.splitlines()
    for command, want in (("list 6,9", lines[5:9]), ("list shared.comp:12", lines[6:16]), ("list twice.glsl:2", TWICE.splitlines())):
        equal(s.command(command)["source"], want, command)
    equal(s.command("break twice.glsl:4")["number"], 1, "a line that it has")
    for command, said in (("break twice.glsl:30", 'No line 30 in file "twice.glsl", which has 4'),
                          ("break 99", "No line 99 in file"), ("list other.glsl:1", "No source file is named other.glsl")):
        answer = s.command(command)
        check(said in answer.get("message", ""), f"{command}: {answer}")
    s.command("break on dispatch")
    s.command("run")
    if not has_source(s):
        warnings = str(harness.events(s.events, "notice"))
        check("does not know the lines of twice.glsl" in warnings, warnings)
        equal(s.command("list twice.glsl:2")["source"], TWICE.splitlines(), "the file, while the shader runs")
        answer = s.command("until shared.comp:27")
        check("does not know the lines of" in answer.get("message", ""), str(answer))
    s.command("kill")
    s.end()


def entry():
    """The entry point is a name of the shader, as the file is. Its first instructions may have no line: what is asked
    of the source there is answered from the next one on, and a step goes to it."""
    path = write("hist.comp", HISTOGRAM)
    s = harness.Session("--grid", 64, "--arg", "data=iota:64", "--arg", "total=5", "--arg", "bins=zeros:16", "--arg", "pc.n=64",
                        "--arg", "unused=2.5", "--arg", "MASK=7", path)
    s.command("break main")
    s.command("run")
    at = stop_of(s)
    suffix = ".comp" if has_source(s) else ".nir"
    equal((at["breakpoint"], at["function"]), (1, "hist"), "where the breakpoint is")
    equal(text(s, "print main == hist"), "1", "the entry point")
    for command in ("list main", "list"):
        check(s.command(command).get("source"), f"{command} fails")
    check(s.command("info source")["file"].endswith(suffix), "the source at the first instruction")
    s.command("next")
    check(stop_of(s).get("file", "").endswith(suffix), f"where the first step ends: {stop_of(s)}")
    s.command("delete")
    s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")


def product():
    """Matrices, vectors, structs, and arrays whose elements are further apart than they are long."""
    path = write("product.comp", PRODUCT)
    s = harness.Session("--grid", "8,8", "--arg", "a=iota:48", "--arg", "right=iota:64", "--arg", "C=zeros:1024",
                        "--arg", "size.size=8,3", path)
    s.command("break on dispatch")
    s.command("run")
    has_lines = has_source(s)
    for name, want in (("a[1]", "{{6, 7, 8}, {9, 10, 11}}"), ("a[1][0].y", "7"), ("right.b[9]", "9"), ("c[2].value", "{0, 0}"),
                       ("c[2].row", "0"), ("size.size", "{8, 3}"), ("sum", "<optimized out>"), ("buffer A as float[3]", "{0, 1, 2}"),
                       ("buffer a + 4 as float[2]", "{1, 2}")):
        equal(text(s, f"print {name}"), want, name)
    equal([v["name"] for v in s.command("info locals")["variables"]], ["row", "column", "sum"] + ["k"] * (not has_lines),
          "no variables of glslang, and those in scope where the line is known")
    s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")


def hlsl():
    """Names are those of the source; so are lines, where the driver has them. Otherwise a breakpoint on one is told of."""
    path = write("hist.hlsl", HLSL)
    s = harness.Session("--grid", 64, "--arg", "data=iota:64", "--arg", "bins=zeros:16", "--arg", "count=64", "--arg", "scale=1.5", path)
    s.command("break on dispatch")
    s.command("break hist.hlsl:11")
    s.command("run")
    warnings = str(harness.events(s.events, "notice"))
    source = has_source(s)
    equal("lines of hist.hlsl" in warnings, not source, f"what is said of the breakpoint: {warnings}")
    s.command("lane 5")
    for name, want in (("data[3]", "3"), ("count", "64"), ("scale", "1.5"), ("bins[2]", "0"), ("lid", "5"), ("id", "{5, 0, 0}")):
        equal(text(s, f"print {name}"), want, name)
    if source:
        s.command("continue")
        at = stop_of(s)
        equal(pathlib.Path(at["file"]).name, "hist.hlsl", "where the breakpoint is")
        check(10 <= at["line"] <= 13, f"line {at['line']} is in the loop")
    s.command("delete")
    s.command("continue")
    equal(s.end()[0], 0, "the debugger's status")


def without():
    """--no-shader-lines: nothing is asked of the driver, names are still there."""
    path = write("hist.comp", HISTOGRAM)
    s = harness.Session("--no-shader-lines", "--grid", 128, "--arg", "data=iota:256", "--arg", "total=5", "--arg", "bins=zeros:16",
                        "--arg", "pc.n=256", "--arg", "unused=0", path)
    s.command("break on dispatch")
    s.command("run")
    equal([e for e in harness.events(s.events, "notice") if e["kind"] == "said"], [], "nothing is said of lines")
    equal(text(s, "print xs.data[7]"), "7", "a buffer")
    s.command("kill")
    s.end()


def program():
    """A program that names nothing: pipelines go by the shader's file, buffers by the shader's names."""
    path, code = HERE / "shaders/saxpy.comp", pathlib.Path(FOLDER.name, "saxpy.spv")
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-g", "-V", path, "-o", code], check=True)
    s = harness.Session("--shader-lines", "--", VKRUN, "--device", "RADV", "--queue", "compute", "--out", FOLDER.name, path, code)
    s.command("break on dispatch")
    s.command("run")
    equal(stop_of(s)["function"], "saxpy.comp.main", "the pipeline's name")
    has_source(s)
    names = {b["name"] for b in s.command("info buffers")["buffers"] if b["bound"]}
    equal(names, {"X", "Y"}, "names of the buffers")
    for name, want in (("a", "2.5"), ("n", "1000"), ("sizeof(x)", "4000")):
        equal(text(s, f"print {name}"), want, name)
    s.command("kill")
    s.end()


VKRUN = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
harness.main(histogram, shared, before, entry, product, hlsl, without, *([program] if VKRUN else []))
