#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels as source text: the functions of OpenCL C against the CPU's mathematical library, within the
error bounds of OpenCL; what the compiler says; each language with breakpoints and steps."""
import array
import math
import os
import os
import pathlib
import random
import struct
import subprocess
import tempfile

from harness import BREAKWATER, KERNELS, TIMEOUT_S, check, equal, events, main, replies, run

CLANG = os.environ.get("BREAKWATER_CLANG", "clang-19")
INF, NAN = math.inf, math.nan


def to_float(v):
    """v as a float of 32 bits."""
    try:
        return struct.unpack("f", struct.pack("f", v))[0]
    except OverflowError:
        return math.copysign(INF, v)


def guarded(f, *args):
    """A function of Python's math, with the results of C where Python raises."""
    if any(math.isnan(a) for a in args):
        return NAN
    try:
        return f(*args)
    except OverflowError:
        return INF
    except ValueError:
        return NAN


def at_poles(f, **values):
    """f with these results for these arguments, on which Python raises: zero=, one=, minus_one=."""
    known = {0.0: values.get("zero"), 1.0: values.get("one"), -1.0: values.get("minus_one")}
    return lambda x: known[x] if known.get(x) is not None else f(x)


def power(x, y):
    if x == 1 or y == 0:
        return 1.0
    if x == 0 and y < 0:
        return math.copysign(INF, x) if y % 2 == 1 else INF
    if math.isfinite(x) and x < 0 and y.is_integer() and not -1024 < y * math.log2(-x) < 1024:
        return (-1 if y % 2 else 1) * (INF if y * math.log2(-x) > 0 else 0.0)
    return math.pow(x, y)


def round_away(x):
    return x if not math.isfinite(x) or abs(x) > 2**52 else math.copysign(math.floor(abs(x) + 0.5), x)


def whole(f):
    return lambda x: x if not math.isfinite(x) or abs(x) > 2**52 else math.copysign(f(x), x)


def sinpi(x):
    """The argument is brought into [-1/2, 1/2] without an error."""
    r = math.fmod(x, 2)
    r -= math.copysign(2, r) if abs(r) > 1 else 0
    r = math.copysign(1, r) - r if abs(r) > 0.5 else r
    return math.sin(math.pi * r) if r else math.copysign(0.0, x)


SMALL, WIDE, UNIT, POSITIVE, ABOVE1, EXPONENT = "small", "wide", "unit", "positive", "above1", "exponent"
# name, what the CPU computes, the error bound in units of the last place of float and of double (OpenCL C 2.0,
# 7.4), from where the arguments are. None: not for double.
FUNCTIONS1 = [
    ("sin", math.sin, 4, 4, SMALL), ("cos", math.cos, 4, 4, SMALL), ("tan", math.tan, 5, 5, SMALL),
    ("asin", math.asin, 4, 4, UNIT), ("acos", math.acos, 4, 4, UNIT), ("atan", math.atan, 5, 5, WIDE),
    ("sinh", lambda x: math.copysign(guarded(math.sinh, abs(x)), x), 4, 4, EXPONENT), ("cosh", math.cosh, 4, 4, EXPONENT),
    ("tanh", math.tanh, 5, 5, EXPONENT), ("asinh", math.asinh, 4, 4, WIDE), ("acosh", math.acosh, 4, 4, ABOVE1),
    ("atanh", at_poles(math.atanh, one=INF, minus_one=-INF), 5, 5, UNIT),
    ("exp", math.exp, 3, 3, EXPONENT), ("exp2", lambda x: math.pow(2, x), 3, 3, EXPONENT),
    ("exp10", lambda x: math.pow(10, x), 3, 3, EXPONENT), ("expm1", math.expm1, 3, 3, EXPONENT),
    ("log", at_poles(math.log, zero=-INF), 3, 3, POSITIVE), ("log2", at_poles(math.log2, zero=-INF), 3, 3, POSITIVE),
    ("log10", at_poles(math.log10, zero=-INF), 3, 3, POSITIVE),
    ("log1p", at_poles(math.log1p, minus_one=-INF), 2, 2, POSITIVE),
    ("sqrt", math.sqrt, 3, 0, POSITIVE),
    ("rsqrt", at_poles(lambda x: 1 / math.sqrt(x), zero=INF), 2, 2, POSITIVE),
    ("cbrt", math.cbrt, 2, 2, WIDE), ("erf", math.erf, 16, 16, EXPONENT), ("erfc", math.erfc, 16, 16, EXPONENT),
    ("tgamma", at_poles(math.gamma, zero=INF), 16, 16, ABOVE1), ("sinpi", sinpi, 4, 4, SMALL),
    ("floor", whole(math.floor), 0, 0, WIDE), ("ceil", whole(math.ceil), 0, 0, WIDE),
    ("trunc", whole(math.trunc), 0, 0, WIDE), ("rint", whole(round), 0, 0, WIDE), ("round", round_away, 0, 0, WIDE),
    ("fabs", abs, 0, 0, WIDE),
    ("native_exp", math.exp, 8192, None, UNIT), ("native_sin", math.sin, 8192, None, UNIT),
    ("native_log2", at_poles(math.log2, zero=-INF), 8192, None, ABOVE1),
    ("native_sqrt", math.sqrt, 8192, None, POSITIVE), ("half_rsqrt", lambda x: 1 / math.sqrt(x), 8192, None, ABOVE1),
]
FUNCTIONS2 = [
    ("pow", power, 16, 16, SMALL), ("atan2", math.atan2, 6, 6, WIDE), ("fmod", math.fmod, 0, 0, SMALL),
    ("hypot", math.hypot, 4, 4, SMALL), ("fmin", min, 0, 0, SMALL), ("fmax", max, 0, 0, SMALL),
    ("fdim", lambda x, y: x - y if x > y else 0.0, 0, 0, SMALL), ("copysign", math.copysign, 0, 0, WIDE),
    ("remainder", math.remainder, 0, 0, SMALL),
]


def arguments(kind, rng, n, least):
    """n numbers of a kind, the first of them special ones; least: the smallest denormal number."""
    special = {SMALL: [0.0, -0.0, 1.0, -1.0, math.pi, 100000.0, NAN], WIDE: [0.0, -0.0, INF, -INF, NAN, 0.5, -0.5, 1.5, 2.5, least],
               UNIT: [0.0, -0.0, 1.0, -1.0, 0.5, NAN], POSITIVE: [0.0, INF, NAN, 1.0, least, 4.0], ABOVE1: [1.0, INF, NAN, 2.0],
               EXPONENT: [0.0, -0.0, 1.0, INF, -INF, NAN, 200.0, -200.0]}[kind]
    draw = {SMALL: lambda: rng.uniform(-50, 50), WIDE: lambda: math.ldexp(rng.uniform(-1, 1), rng.randrange(-60, 60)),
            UNIT: lambda: rng.uniform(-1, 1), POSITIVE: lambda: math.ldexp(rng.uniform(0.5, 1), rng.randrange(-100, 100)),
            ABOVE1: lambda: rng.uniform(1, 30), EXPONENT: lambda: rng.uniform(-20, 20)}[kind]
    return special + [draw() for _ in range(n - len(special))]


def ulps(got, exact, double):
    """How far they are apart, in units of the last place of the exact value."""
    if math.isnan(exact) or math.isnan(got):
        return 0 if math.isnan(exact) and math.isnan(got) else INF
    as_result = exact if double else to_float(exact)
    if got == as_result:
        return 0
    if math.isinf(got) or math.isinf(as_result):
        return INF
    last = math.ulp(exact) if double else math.ldexp(1.0, max(math.frexp(exact)[1] - 24, -149))
    return abs(got - exact) / last


def compile_and_run(folder, source, *args, **kwargs):
    path = pathlib.Path(folder) / "kernel.cl"
    path.write_text(source)
    return run(path, *args, **kwargs)


def functions_agree_with_the_cpu(double, options):
    n, typecode = 64, "d" if double else "f"
    real = "double" if double else "float"
    rng = random.Random(7)
    functions = [(f, 1) for f in FUNCTIONS1] + [(f, 2) for f in FUNCTIONS2]
    if double:
        functions = [(f, k) for f, k in functions if f[3] is not None]
    xs, ys, lines = array.array(typecode), array.array(typecode), []
    for at, ((name, _, _, _, kind), arity) in enumerate(functions):
        xs.extend(arguments(kind, rng, n, 5e-324 if double else 1e-45))
        ys.extend(arguments(kind, rng, n, 0.0)[::-1])
        place = f"[{at * n} + i]"
        lines.append(f"\tout{place} = {name}(x{place}{', y' + place if arity == 2 else ''});")
    source = (f"__kernel void all(__global {real} *out, __global const {real} *x, __global const {real} *y)\n"
              "{\n\tsize_t i = get_global_id(0);\n" + "\n".join(lines) + "\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "x").write_bytes(xs.tobytes())
        (folder / "y").write_bytes(ys.tobytes())
        compile_and_run(folder, source, *options, "--grid", n, "--group", n, "--arg", f"out=zeros:{len(xs)}", "--arg",
                        f"x=file:{folder}/x", "--arg", f"y=file:{folder}/y", "--dump", f"out={folder}/out")
        out = array.array(typecode)
        out.frombytes((folder / "out").read_bytes())
    wrong = []
    for at, ((name, exact_of, single_bound, double_bound, _), arity) in enumerate(functions):
        # The CPU's double is itself not exact: 1 more where doubles are compared.
        bound = single_bound if not double else double_bound + (1 if double_bound else 0)
        for i in range(at * n, at * n + n):
            given = (xs[i], ys[i])[:arity]
            if name in ("fmin", "fmax") and any(math.isnan(v) for v in given):
                exact = given[1] if math.isnan(given[0]) else given[0]
            elif name == "pow" and (given[0] == 1 or given[1] == 0):
                exact = 1.0
            elif name == "copysign" and math.isnan(given[1]):
                continue  # a NaN's sign is not kept by files
            else:
                exact = guarded(exact_of, *given)
            off = ulps(out[i], exact, double)
            if not off <= bound:
                wrong.append(f"{name}{given} = {out[i]!r}, expected {exact!r}, off by {off} ulp of {bound}")
    check(not wrong, f"{len(wrong)} wrong, {'double' if double else 'float'} {options}:\n" + "\n".join(wrong[:20]))


def library_functions():
    functions_agree_with_the_cpu(False, [])
    functions_agree_with_the_cpu(False, ["-O0"])
    functions_agree_with_the_cpu(True, [])


WAVES = """
__kernel void waves(__global int *out)
{
	int l = get_local_linear_id(), group = get_group_id(0) + get_group_id(1) * get_num_groups(0);
	int sum = work_group_reduce_add(l) + 100000 * get_num_groups(1) + 1000000 * get_work_dim();
	int count = work_group_scan_inclusive_add(1), most = sub_group_reduce_max(l), any = work_group_any(l == 77);
	if (l == 5) { /* most is used by one lane alone */
		int all[5] = {sum, count, most, any, (int)get_global_linear_id()};
		for (int i = 0; i < 5; i++)
			out[group * 5 + i] = all[i];
	}
}
"""


def functions_of_groups_and_waves():
    """Two by two groups of 8 x 8 x 2 work-items."""
    for options in ["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O0", "--wave64"], ["-O2", "-mwavefrontsize64"]:
        most = 31 if len(options) == 1 else 63
        expected = []
        for y in range(2):
            for x in range(2):
                expected += [sum(range(128)) + 2 * 100000 + 3 * 1000000, 6, most, 1, y * 8 * 16 + x * 8 + 5]
        with tempfile.TemporaryDirectory() as folder:
            printed = compile_and_run(folder, WAVES, *options, "--grid", "16,16,2", "--group", "8,8,2", "--arg", "out=zeros:20",
                                      "--print", "out")
        equal([int(w) for w in printed.split()], expected, f"what it makes with {options}")


OTHERS = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct { int2 at; half weight; double scale; } item_t;
__kernel void others(__global double *out, __global const float *in, __local int *room, int n)
{
	int l = get_local_id(0);
	__local float copy[64];
	event_t e = async_work_group_copy(copy, in, 64, 0);
	wait_group_events(1, &e);
	room[l] = l;
	mem_fence(CLK_LOCAL_MEM_FENCE);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&room[0], l);
	barrier(CLK_LOCAL_MEM_FENCE);
	item_t item = {(int2)(l, n), (half)l / 2, 1.0 / 3};
	float4 v = vload4(l & 15, copy);
	barrier(CLK_LOCAL_MEM_FENCE);
	vstore4(v * 2, l & 15, copy);
	float8 w = (float8)(v.wzyx, v.lo, v.hi);
	double r[10] = {room[0], convert_int_sat_rte(v.y + 0.5f), as_uint(v.x), dot(v, v.yxwz), clamp(l, 3, 7), item.weight * item.scale,
			w.s0 + w.s4 * 10, convert_uchar_sat(v.x * 100 - 50), popcount(l) + mul24(l, 3) + rotate((uint)l, 31u), upsample((uchar)1, (uchar)l)};
	for (int i = 0; i < 10; i++)
		out[l * 10 + i] = r[i];
}
"""


def other_functions():
    """Copies, atomics, conversions, vectors, half and double, against the same in Python."""
    expected = []
    for l in range(64):
        v = [(l & 15) * 4.0 + k for k in range(4)]
        bits = struct.unpack("I", struct.pack("f", v[0]))[0]
        expected += [sum(range(64)), round(v[1] + 0.5), bits, 2 * (v[0] * v[1] + v[2] * v[3]), min(max(l, 3), 7), l / 2 * (1.0 / 3), v[3] + v[0] * 10,
                     min(max(v[0] * 100 - 50, 0), 255), bin(l).count("1") + 3 * l + ((l >> 1) | (l & 1) << 31), 256 + l]
    for options in ["-O0"], ["-O2"]:
        with tempfile.TemporaryDirectory() as folder:
            printed = compile_and_run(folder, OTHERS, *options, "--grid", 64, "--group", 64, "--arg", "out=zeros:640", "--arg",
                                      "in=iota:64", "--arg", "room=256", "--arg", "n=3", "--print", "out")
        got = [float(w) for w in printed.split()]
        wrong = [f"{i // 10}.{i % 10}: {g} {e}" for i, (g, e) in enumerate(zip(got, expected)) if g != e]
        check(len(got) == 640 and not wrong, f"with {options}: {wrong[:12]}")


PRINTS = """
__kernel void say(__global const float *in, int n)
{
	int i = get_global_id(0);
	if (sub_group_reduce_add(i < n) == 3) /* a function that clang refuses at its -O0 */
		printf("%d: %-8.3f|%5s|%c|%x %#lx %v4hlf %v2hhd %e %s%s%%\\n", i, in[i], "ab:c", 'z', i * 255, (long)i << 40,
		       (float4)(i, sqrt(in[i]), -2, 0), (char2)(-1, i), (double)in[i] / 3, "four", "\\"hello\\"");
}
"""


def printf_in_kernels():
    """What C prints: Python's % is the same."""
    expected = []
    for i in range(3):
        root = to_float(math.sqrt(i))
        expected.append("%d: %-8.3f|%5s|%c|%x %#x %f,%f,-2.000000,0.000000 -1,%d %e %s%s%%" % (
            i, i, "ab:c", "z", i * 255, i << 40, i, root, i, i / 3, "four", '"hello"'))
    expected[0] = expected[0].replace("0x0", "0")  # C's %#x of 0
    for options in [], ["-O0"], ["-O2"], ["-O2", "--wave64"]:
        with tempfile.TemporaryDirectory() as folder:
            printed = compile_and_run(folder, PRINTS, *options, "--grid", 3, "--group", 3, "--arg", "in=iota:3", "--arg", "n=3")
        equal(sorted(printed.splitlines()), expected, f"what is printed with {options}")


def hip():
    """Energies of 128 bodies in groups of 64, turned round and added in pairs."""
    energy = [i * 2 * i * 2 * (i * 2 + 1) / 2 * 0.25 for i in range(128)]
    turned = [energy[i ^ 63] for i in range(128)]
    expected = [turned[i] + turned[i ^ 1] for i in range(128)] + [128]
    for options in ["-O0"], ["-O2"], ["-O2", "--wave64"]:
        printed = run(KERNELS / "dots.hip", *options, "--kernel", "dots", "--grid", 128, "--group", 64, "--arg", "out=zeros:129",
                      "--arg", "in=iota:256:f32", "--arg", "factor=0.25", "--arg", "n=128", "--print", "out")
        equal([float(w) for w in printed.split()], [to_float(e) for e in expected], f"with {options}")
    printed = run(KERNELS / "dots.hip", "--kernel", "waves", "--grid", 4, "--group", 4, "--arg", "out=zeros:4", "--arg", "x=0.5",
                  "--print", "out")
    for i, word in enumerate(printed.split()):
        check(math.isclose(float(word), math.sin(0.5) + 2**i + math.sqrt(0.5), rel_tol=1e-6), f"{i}: {word}")


SHARED = """#include <hip/hip_runtime.h>
struct cell { float weight; int at[2]; };
template <class T> __global__ void gather(float *out, int n)
{
	__shared__ T tile[64];
	__shared__ int count;
	__shared__ cell cells[3];
	unsigned i = threadIdx.x;
	tile[i] = i * 2;
	if (i == 0)
		count = n;
	if (i < 3) {
		cells[i].weight = i * 0.5f;
		cells[i].at[0] = 20 + i;
		cells[i].at[1] = 10 + i;
	}
	__syncthreads();
	out[i] = tile[63 - i] + count + cells[i % 3].weight + cells[i % 3].at[1] + cells[i % 3].at[0];
}
template __global__ void gather<double>(float *, int);
extern "C" __global__ void plain(float *out, short n)
{
	__shared__ short last;
	__shared__ double d[4];
	unsigned i = threadIdx.x;
	if (i < 4)
		d[i] = i + 0.25;
	if (i == 0)
		last = n;
	__syncthreads();
	out[i] = d[i & 3] + last;
}
"""


def shared_of_hip():
    """Several variables in LDS, of a template and of a kernel with C linkage."""
    path = pathlib.Path(tempfile.mkdtemp()) / "shared.hip"
    path.write_text(SHARED)
    tile = "{" + ", ".join(str(2 * i) for i in range(64)) + "}"
    cells = "{" + ", ".join(f"{{weight = {i / 2:g}, at = {{{20 + i}, {10 + i}}}}}" for i in range(3)) + "}"
    for level in "-O0", "-O2":
        for kernel, line, n, wanted in (("gather", 19, 5, {"tile": tile, "count": "5", "cells": cells}),
                                        ("plain", 32, -3, {"d": "{0.25, 1.25, 2.25, 3.25}", "last": "-3"})):
            out = run(path, level, "--kernel", kernel, "--group", 64, "--grid", 64, "--arg", "out=zeros:64", "--arg", f"n={n}",
                      script=[f"tbreak {line}", "run", *[f"print {name}" for name in wanted], "kill"], json_lines=True)
            equal([r["text"] for r in replies(out, "print")], list(wanted.values()), f"{kernel} {level}")


def names_of_cpp():
    scale = ["--grid", 2, "--group", 2, "--arg", "a=iota:2", "--arg", "by=1.5", "--print", "a"]
    for name in "_Z5scaleIfEvPT_S0_", "scale<double>", "void scale<float>(float*, float)":
        equal(run(KERNELS / "dots.hip", "--kernel", name, *scale).split(), ["0", "1.5"], name)
    for name, words in (("scale", ["2 kernels scale", "scale<float>, scale<double>"]),
                        ("dot", ["has no kernel dot", "phys::dots"])):
        done = subprocess.run([BREAKWATER, "run", KERNELS / "dots.hip", "--kernel", name, "--grid", "2"], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        equal(done.returncode, 2, name)
        for w in words:
            check(w in done.stderr, f"{name}: {done.stderr!r} lacks {w!r}")


def same_code():
    """Kernels whose code is the same go by the name of the one that is run."""
    names = ["fill_one", "fill_two", "fill_three"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "same.cl"
        path.write_text("".join(f"kernel void {name}(global int *out) {{ out[get_global_id(0)] = 7; }}\n" for name in names))
        for i, name in enumerate(names):
            seen = run(path, "--kernel", name, "--grid", 32, "--group", 32, "--arg", "out=zeros:32", json_lines=True,
                       script=["break on dispatch", "run", "info dispatches", "kill"])
            stop = events(seen, "stop")[0]
            equal((stop["function"], stop["line"]), (name, i + 1), "where it has stopped")
            equal(replies(seen, "info")[0]["dispatches"][0]["kernel"], name, "the kernel")


def bundle_of(entries):
    """The format that clang's documentation of clang-offload-bundler has; entries: id and bytes."""
    head = 32 + sum(24 + len(i) for i, _ in entries)
    table, data = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("Q", len(entries)), b""
    for name, content in entries:
        data += bytes(-(head + len(data)) % 4096)
        table += struct.pack("QQQ", head + len(data), len(content), len(name)) + name.encode()
        data += content
    return table + data


def bundles():
    """Several code objects in one file, as HIP has them for several GPUs."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "one.cl").write_text("__kernel void one(__global int *out) { *out = 42; }\n")
        objects = {}
        for gpu in "gfx1030", "gfx1100":
            subprocess.run([CLANG, "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-nogpulib", "-cl-kernel-arg-info", folder / "one.cl",
                            "-o", folder / gpu], check=True)
            objects[gpu] = (folder / gpu).read_bytes()
        host, hip_id = ("host-x86_64-unknown-linux-gnu-", b""), "hipv4-amdgcn-amd-amdhsa--"
        both = bundle_of([host, (hip_id + "gfx1030", objects["gfx1030"]), (hip_id + "gfx1100", objects["gfx1100"])])
        (folder / "both.co").write_bytes(both)
        equal(run(folder / "both.co", "--grid", 1, "--group", 1, "--arg", "out=zeros:1", "--print", "out").strip(), "42", "the kernel in the bundle")
        wrong = [(bundle_of([host, (hip_id + "gfx1030", b""), (hip_id + "gfx90a:sramecc+", b"")]),
                  "has no code for gfx1100; it has code for gfx1030, gfx90a"),
                 (bundle_of([host]), "it has code for no AMD GPU"), (b"CCOB" + bytes(40), "compressed offload bundle"),
                 (bundle_of([(hip_id + "gfx1100", b"nothing")]), "not an ELF file")]
        wrong += [(both[:size_b], "damaged offload bundle") for size_b in (24, 31, 40, 60, 100, len(both) - 1)]
        for data, words in wrong:
            (folder / "wrong.co").write_bytes(data)
            done = subprocess.run([BREAKWATER, "run", folder / "wrong.co", "--grid", "1"], capture_output=True, text=True, timeout=TIMEOUT_S)
            equal(done.returncode, 2, f"{data[:80]}: {done.stderr}")
            check(words in done.stderr, f"{done.stderr!r} lacks {words!r}")


# The same kernel in each language, and the line to stop at.
SOURCES = [
    ("a.cl", "__kernel void twice(__global int *a)\n{\n\tint i = get_local_id(0);\n\tint v = a[i];\n\tv *= 2;\n\ta[i] = v + 1;\n}\n", 5),
    ("a.hip", "extern \"C\" __global__ void twice(int *a)\n{\n\tint i = threadIdx.x;\n\tint v = a[i];\n\tv *= 2;\n\ta[i] = v + 1;\n}\n", 5),
    ("a.cpp", "extern \"C\" __global__ void twice(int *a)\n{\n\tint i = threadIdx.x;\n\tint v = a[i];\n\tv *= 2;\n\ta[i] = v + 1;\n}\n", 5),
    ("a.c", "typedef __attribute__((address_space(1))) int global_int;\n__attribute__((amdgpu_kernel)) void twice(global_int *a)\n{\n"
     "\tint i = __builtin_amdgcn_workitem_id_x();\n\tint v = a[i];\n\tv *= 2;\n\ta[i] = v + 1;\n}\n", 6),
]


def each_language():
    """Breakpoint by line, next, info line, and what the kernel makes in the end."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text, line in SOURCES:
            path = folder / name
            path.write_text(text)
            argument = "0" if name == "a.c" else "a"
            objects = run("-O0", path, "--grid", 32, "--group", 32, "--arg", f"{argument}=iota:32:i32", "--print", argument, json_lines=True,
                          script=[f"break {name}:{line}", "run", "next", f"info line {name}:{line + 1}", "continue"])
            stops = events(objects, "stop")
            equal([(s["function"].split("(")[0], s["line"]) for s in stops[:2]], [("twice", line), ("twice", line + 1)], f"{name}: its stops")
            text_of = "\n".join(map(str, objects))
            equal(replies(objects, "info")[0]["line"], line + 1, f"{name}: info line")
            check(" ".join(str(2 * i + 1) for i in range(32)) in text_of, f"{name}: what it makes: {text_of}")
        # LLVM IR, as text and as bitcode
        for suffix, options in ("ll", ["-S"]), ("bc", ["-c"]):
            subprocess.run([CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-emit-llvm", *options, folder / "a.c", "-o",
                            folder / f"ir.{suffix}"], check=True)
            printed = run(folder / f"ir.{suffix}", "--grid", 4, "--group", 4, "--arg", "0=iota:4:i32", "--print", "0")
            equal(printed.split(), ["1", "3", "5", "7"], suffix)


TYPED = """
typedef struct { int id; float2 at; uchar tag[3]; } item_t;
__kernel void typed(__global double *out, item_t it, float4 v, int3 w, uchar8 b, double d, __local int *room, short s)
{
	out[0] = it.id + it.at.y + it.tag[2];
	out[1] = dot(v, (float4)(1, 10, 100, 1000));
	out[2] = w.x + w.y * 10 + w.z * 100;
	out[3] = b.s7;
	room[15] = 7;
	out[4] = d + room[15];
	out[5] = s;
}
"""


def typed_arguments():
    with tempfile.TemporaryDirectory() as folder:
        item = pathlib.Path(folder) / "item"
        item.write_bytes(struct.pack("i4xff3B5x", 5, 1, 2, 1, 2, 3))
        given = {"out": "zeros:6", "it": f"file:{item}:u8", "v": "1,2,3,4", "w": "1,2,-3", "b": "1,2,3,4,5,6,7,8", "d": "1.25", "room": "64",
                 "s": "-9"}

        def words(**changed):
            return ["--grid", 1, "--group", 1, *[w for name, v in {**given, **changed}.items() for w in ("--arg", f"{name}={v}")]]
        equal(compile_and_run(folder, TYPED, *words(), "--print", "out").split(), ["10", "4321", "-279", "8", "8.25", "-9"], "what it makes")
        for changed, said in (({"s": "1,2"}, "the argument (short) takes 2 bytes"), ({"v": "1,2,3"}, "the argument (float4) takes 16 bytes"),
                              ({"v": "1,2"}, "takes 16 bytes"), ({"it": "1"}, "it is a item_t of 24 bytes"), ({"room": "1,2"}, "number of bytes"),
                              ({"out": "1,2"}, "it is a buffer")):
            done = subprocess.run([BREAKWATER, "run", pathlib.Path(folder) / "kernel.cl", *map(str, words(**changed))], capture_output=True,
                                  text=True, timeout=TIMEOUT_S)
            equal(done.returncode, 2, f"{changed}: {done.stderr}")
            check(said in done.stderr, f"{changed}: {done.stderr!r} lacks {said!r}")


def what_does_not_compile():
    cases = [("a.hip", "__global__ void k(int *a) { *a = b; }", "a.hip:1:34: error: use of undeclared identifier 'b'"),
             ("a.cl", "#include \"nothing.h\"\n", "a.cl:1:10: fatal error: 'nothing.h' file not found"),
             ("a.cl", "__kernel void k(__global int *a) { *a = nothing(); }", "undeclared identifier 'nothing'"),
             ("a.ll", "define nonsense", "a.ll:1:"), ("a.c", "int", "a.c:1:"),
             ("a.cu", "", "CUDA is not supported yet")]
    with tempfile.TemporaryDirectory() as folder:
        for name, text, words in cases:
            path = pathlib.Path(folder) / name
            path.write_text(text)
            done = subprocess.run([BREAKWATER, "run", path, "--grid", "1"], capture_output=True, text=True, timeout=TIMEOUT_S)
            equal((done.returncode, done.stdout), (2, ""), f"{name}: {done.stderr}")
            check(words in done.stderr, f"{name}: {done.stderr!r} lacks {words!r}")


if __name__ == "__main__":
    main(printf_in_kernels, library_functions, functions_of_groups_and_waves, other_functions, hip, shared_of_hip, names_of_cpp, same_code, bundles, each_language, typed_arguments,
         what_does_not_compile)
