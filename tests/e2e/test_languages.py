#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels as source text: the functions of OpenCL C against the CPU's mathematical library, within the
error bounds of OpenCL; what the compiler says; each language with breakpoints and steps."""
import array
import math
import os
import pathlib
import random
import struct
import subprocess
import tempfile

from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, check, equal, events, main, run

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
	if (i < n)
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
    for options in ["-O0"], ["-O1"], ["-O2"], ["-O2", "--wave64"]:
        with tempfile.TemporaryDirectory() as folder:
            printed = compile_and_run(folder, PRINTS, *options, "--grid", 3, "--group", 3, "--arg", "in=iota:3", "--arg", "n=3")
        equal(sorted(printed.splitlines()), expected, f"what is printed with {options}")


if __name__ == "__main__":
    main(printf_in_kernels, library_functions, functions_of_groups_and_waves, other_functions)
