#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stack of a wave. What it must be follows from the instructions that were executed: a call adds a frame, a
return takes one away."""
import subprocess
import tempfile
import pathlib

from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, equal, errors, events, main, parse, replies, run

KERNELS = SOURCE / "tests/e2e/kernels"
FOLDER = tempfile.TemporaryDirectory()
ARGS = ["--grid", 32, "--group", 32]
LIMIT = 3


def compiled(source, *options):
    out = pathlib.Path(FOLDER.name) / f"{source}{''.join(options)}.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib",
                    "-cl-kernel-arg-info", "-g", *options, KERNELS / source, "-o", out], check=True)
    return out


def session(*args, commands):
    """A session some of whose commands fail."""
    done = subprocess.run([BREAKWATER, "run", "--batch", "--json", *[w for c in commands for w in ("-ex", c)], *map(str, args)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
    return [parse(line) for line in done.stdout.splitlines()]


def walk(kernel, args, n_steps):
    """Backtraces at each instruction of a wave, with the stop that each belongs to."""
    seen = session(kernel, *ARGS, *args, commands=["starti", "backtrace"] + ["stepi", "backtrace"] * n_steps)
    stops = [o for o in events(seen, "stop") if "pc" in o]
    stacks = replies(seen, "backtrace")
    return list(zip(stops, stacks))


def holds(kernel, args, n_steps, name, tail_calls=False):
    """At each instruction: the functions that the calls have entered, and where they return to. s_setpc_b64 of another
    register than that of the return address is a tail call: another function in the same frame."""
    expected = []  # return addresses, the outermost first
    functions = []
    n = deepest = 0
    for stop, stack in walk(kernel, args, n_steps):
        if "instruction" not in stop:
            break
        pc = int(stop["pc"], 16)
        own = [f for f in stack["frames"] if not f["inlined"]]
        if not functions or functions[-1] is None:
            functions = functions[:-1] + [own[0].get("function")]
        where = f"{name} at {stop['pc']} {stop['instruction']}"
        equal("end" in stack, False, f"{where}: backtrace stopped: {stack.get('end')}")
        equal([int(f["pc"], 16) for f in own], [pc] + expected[::-1], f"{where}: return addresses")
        equal([f.get("function") for f in own], functions[::-1], f"{where}: functions")
        equal([f["kernel"] for f in own], [False] * len(expected) + [True], f"{where}: the kernel")
        n += 1
        deepest = max(deepest, len(own))
        word = stop["instruction"].split()[0]
        if word in ("s_swappc_b64", "s_call_b64"):
            expected.append(pc + 4)
            functions.append(None)
        elif word == "s_setpc_b64" and tail_calls and not stop["instruction"].endswith("s[30:31]"):
            functions[-1] = None
        elif word == "s_setpc_b64":
            expected.pop()
            functions.pop()
        elif word == "s_endpgm":
            break
    else:
        check(False, f"{name}: {n_steps} steps do not reach its end")
    print(f"  {name}: {n} instructions, up to {deepest} frames")
    return n, deepest


def every_instruction_unoptimised():
    n, deepest = holds(compiled("frames.cl", "-O0"), ["--arg", "out=zeros:64", "--arg", f"n={LIMIT}"], 2500, "frames -O0")
    check(n > 500 and deepest >= LIMIT + 2, f"{n} instructions, {deepest} frames")


def every_instruction_optimised():
    n, deepest = holds(compiled("frames.cl", "-O2"), ["--arg", "out=zeros:64", "--arg", f"n={LIMIT}"], 600, "frames -O2")
    check(n > 150 and deepest >= LIMIT + 2, f"{n} instructions, {deepest} frames")


def every_instruction_of_wave64():
    n, deepest = holds(compiled("frames.cl", "-O2", "-mwavefrontsize64"), ["--arg", "out=zeros:128", "--arg", f"n={LIMIT}"], 600,
                       "frames -O2 wave64")
    check(n > 150 and deepest >= LIMIT + 2, f"{n} instructions, {deepest} frames")


def every_instruction_of_assembly():
    n, deepest = holds(KERNELS / "calls.s", ["--arg", "out=zeros:32"], 100, "calls.s")
    check(n > 30 and deepest == 3, f"{n} instructions, {deepest} frames")


def every_instruction_with_the_library():
    n, deepest = holds(KERNELS / "library.cl", ["-O0", "--arg", "out=zeros:256", "--arg", "n=20"], 4000, "library.cl -O0", tail_calls=True)
    check(n > 500 and deepest >= 4, f"{n} instructions, {deepest} frames")


def callers_behind_a_call():
    """The callers' lines, and their variables, in a function that has made a call, and in the second call that it makes."""
    source = (KERNELS / "library.cl").read_text().splitlines()
    line = {text: 1 + next(i for i, s in enumerate(source) if text in s)
            for text in ("int digit", "int second", "int both", "double root", "double result")}
    seen = run(KERNELS / "library.cl", "-O0", *ARGS, "--arg", "out=zeros:256", "--arg", "n=20", json_lines=True, script=[
        f"break {line['int second']}", f"break {line['double root']}", "run", "lane 7", "backtrace", "break last_digit", "continue",
        "backtrace", "up", "info locals", "print v", "delete 3", "finish", "backtrace", "finish", "info locals", "kill"])
    stacks = [[(f["function"], f["line"]) for f in o["frames"]] for o in replies(seen, "backtrace")]
    kernel = ("library", line["double result"])
    equal(stacks, [[("digits", line["int second"]), kernel],
                   [("last_digit", line["int digit"]), ("digits", line["int both"]), kernel],
                   [("digits", line["double root"]), kernel]], "the stacks")
    variables = [{v["name"]: v["text"] for v in o["variables"]} for o in replies(seen, "info")]
    equal((variables[0]["first"], variables[0]["second"]), ("7", "17"), "variables of the caller")
    equal(variables[1]["id"], "7", "a variable of the kernel")
    equal([o["text"] for o in replies(seen, "print")], ["27"], "a parameter of the caller")


def commands():
    """up, down, frame, finish; the stack of a recursion, and parts of it."""
    seen = session(compiled("frames.cl", "-O0"), *ARGS, "--arg", "out=zeros:64", "--arg", f"n={LIMIT}", commands=[
        "break third", "run", "backtrace", "up", "up 2", "down", "frame function first", "frame 0", "info frame", "down",
        "backtrace 1", "backtrace -1", "finish", "backtrace", "delete", "frame 2", "finish", "up", "finish", "kill"])
    stacks = replies(seen, "backtrace")
    equal([f["function"] for f in stacks[0]["frames"]], ["third", "second", "first", "frames"], "the stack")
    equal([f["function"] for f in stacks[1]["frames"]], ["third"], "backtrace 1")
    equal([f["function"] for f in stacks[2]["frames"]], ["frames"], "backtrace -1")
    equal((stacks[1]["more"], stacks[2]["more"]), (True, False), "more frames")
    equal([f["function"] for f in stacks[3]["frames"]], ["second", "first", "frames"], "after finish")
    chosen = [(o["command"], o["level"], o["function"]) for o in seen if o.get("command") in ("up", "down", "frame")]
    equal(chosen, [("up", 1, "second"), ("up", 3, "frames"), ("down", 2, "first"), ("frame", 2, "first"), ("frame", 0, "third"),
                   ("frame", 2, "frames")], "frames")
    equal(errors(seen), ["Bottom (innermost) frame selected; you can't go down",
                         '"finish" not meaningful in the outermost frame', "Initial frame selected; you can't go up",
                         '"finish" not meaningful in the outermost frame'], "errors")


def recursion():
    """next passes over a call of the function by itself; finish leaves one call, not all."""
    for option in ("-O0", "-O2"):
        seen = run(compiled("frames.cl", option), *ARGS, "--arg", "out=zeros:64", "--arg", f"n={LIMIT}", json_lines=True, script=[
            "break deep", "run", "backtrace", "continue", "continue", "backtrace", "delete", "finish", "backtrace", "next", "backtrace",
            "kill"])
        depths = [len([f for f in o["frames"] if f["function"] == "deep"]) for o in replies(seen, "backtrace")]
        equal(depths[:3], [1, 3, 2], f"{option}: calls of deep")
        check(depths[3] in (1, 2), f"{option}: after next: {depths[3]}")


def inlined_functions():
    """wrapf and twice are frames; their callers' lines are those of the calls."""
    source = (KERNELS / "frames.cl").read_text().splitlines()
    inner = 1 + next(i for i, line in enumerate(source) if "v * 2 + 1" in line)
    middle = 1 + next(i for i, line in enumerate(source) if "int t = twice" in line)
    outer = {i + 1 for i, line in enumerate(source) if "wrapf(" in line and "inline" not in line}
    seen = run(compiled("frames.cl", "-O2"), *ARGS, "--arg", "out=zeros:64", "--arg", f"n={LIMIT}", json_lines=True,
               script=[f"break frames.cl:{inner}", "run", "backtrace", "finish", "backtrace", "kill"])
    frames = replies(seen, "backtrace")[0]["frames"]
    equal([(f["function"], f["inlined"]) for f in frames], [("twice", True), ("wrapf", True), ("frames", False)], "the stack")
    equal([f["line"] for f in frames[:2]], [inner, middle], "lines")
    check(frames[2]["line"] in outer, f"the call of wrapf is in line {frames[2]['line']}")
    check(all(f["function"] != "twice" for f in replies(seen, "backtrace")[1]["frames"]), "finish has not left twice")


def watched(object_, where, what, stops, then):
    """Continues so often after `watch` at a place; the stops, the notices, and the stack at the end."""
    seen = session(object_, *ARGS, "--arg", "out=zeros:64", "--arg", f"n={LIMIT}",
                   commands=[f"break {where}", "run", "lane 5", "delete", f"watch {what}"] + ["continue"] * stops + [then, "kill"])
    said = [e["text"] for e in events(seen, "notice") if "has left the block" in e["text"]]
    return events(seen, "stop")[1:], said, seen


def scope_of_watchpoint():
    """A watchpoint on a local variable ends where its function has returned to the caller, and says so as gdb does."""
    object_ = compiled("frames.cl", "-O0")
    x = [5 * 5 + 1]
    x.append(x[0] + (LIMIT + 1) ** 2 + 1)
    stops, said, seen = watched(object_, "second", "x", 3, "info breakpoints")
    equal([s.get("new_value") for s in stops[:3]], [str(v) for v in x] + [None], "values of x")
    equal((stops[2]["function"], len(said)), ("first", 1), "the end of the scope")
    check("Watchpoint 2 deleted because the program has left the block in\nwhich its expression is valid." in said[0], said[0])
    equal([b["number"] for b in replies(seen, "info")[0]["breakpoints"]], [], "what is left")
    # In a function that calls itself: what is deeper returns to the same place.
    stops, said, seen = watched(object_, "deep if n == 2", "a", 1, "print n")
    equal((stops[0]["function"], len(said)), ("deep", 1), "where the scope of an inner call has ended")
    equal(replies(seen, "print")[0]["text"], "3", "the frame of the caller")


TEMPLATE = """#include <hip/hip_runtime.h>
template <typename T> __device__ __attribute__((noinline)) T twice(T v)
{
	T w = v + v;
	return w + T(1);
}
__global__ void both(float *out, int n)
{
	float a = twice((float)threadIdx.x);
	int b = twice(n);
	out[threadIdx.x] = a + b;
}
"""


def several_places():
    """advance and until stop at the first place that is reached, of those of a template."""
    path = pathlib.Path(FOLDER.name) / "both.hip"
    path.write_text(TEMPLATE)
    for go in ("advance twice", "until both.hip:4"):
        seen = run(path, "-O0", "--kernel", "both", *ARGS, "--arg", "out=zeros:32", "--arg", "n=2", json_lines=True,
                   script=["break both", "run", go, "backtrace", "finish", go, "backtrace", "kill"])
        stacks = replies(seen, "backtrace")
        equal([s["frames"][0]["function"] for s in stacks], ["twice<float>", "twice<int>"], go)


# what the source says for lane 5
RETURNED = {
    "i32": "15", "i64": "21474836485", "i8": r"-1 '\377'", "u8": r"255 '\377'", "i16": "-1", "b1": "true", "f32": "2.5",
    "f64": "2.5", "v4": "{5, 6, 7, 8}", "v3": "{5, 6, 7}", "s4": "{5, 6, 7, 8}", "c4": r'"\005\006\a\b"', "s2": "{5, 6}",
    "c2": r'"\005\006"', "pr": "{x = 5, y = -5}", "mx": r"{c = 5 '\005', s = -5, f = 1.25, d = 0.625}", "bg": "{a = {%s}}" % ", ".join(str(5 + i) for i in range(40)),
}


def returned_values():
    """finish shows what a function has returned: at -O0 all that is in registers, at -O2 what the caller reads as well."""
    for level, least in (("-O0", 17), ("-O2", 10)):
        script = [f"tbreak {name}" for name in RETURNED]
        script += ["tbreak nothing", "run", "lane 5"] + ["finish", "continue"] * (len(RETURNED) + 1)
        seen = run(KERNELS / "returned.cl", level, *ARGS, "--arg", "out=zeros:1024", json_lines=True, script=script)
        lines = [line for o in replies(seen, "finish") for line in o.get("lines", []) if not line.startswith("warning: ")]
        equal(len(lines), len(RETURNED), f"values at {level}, one for each function but the last: {lines}")
        shown = 0
        for line, (name, value) in zip(lines, RETURNED.items()):
            if line.endswith("Cannot determine contents") and level == "-O2" and name != "bg":
                continue
            shown += 1
            equal(line, f"Value returned is ${shown} = {value}", f"{name} at {level}")
        check(shown >= least, f"{shown} values at {level}: {lines}")


IN_MEMORY = """#include <hip/hip_runtime.h>
struct count { int a, b; __device__ count(int x) : a(x), b(x * 2) {} __device__ count(const count &o) : a(o.a), b(o.b + 1) {} };
struct wide { float v[24]; int n; };
struct part { long a; int b, c; };
__device__ __attribute__((noinline)) count counted(int a) { count c(a); c.a += 5; return c; }
__device__ __attribute__((noinline)) wide widened(int a) { wide w; for (int i = 0; i < 24; i++) w.v[i] = a + i; w.n = a; return w; }
__device__ __attribute__((noinline)) part parted(int a) { part p = {a, a + 1, a + 2}; return p; }
__global__ void several(int *out)
{
	int t = threadIdx.x, r = 0;
	part p = parted(t);
	if (t & 1) {
		count c = counted(t);
		r = c.a + c.b;
	} else {
		wide w = widened(t);
		r = w.n + (int)w.v[t & 15];
	}
	out[t] = r + p.b;
}
"""


def returned_in_memory():
    """Structs that are too large for registers, and objects of C++ that are not copied as bytes, are where the caller wanted
    them; of a function that returns less than its source says, finish says what gdb says."""
    path = pathlib.Path(FOLDER.name) / "several.hip"
    path.write_text(IN_MEMORY)
    wide = "{v = {%s}, n = 6}" % ", ".join(str(6 + i) for i in range(24))
    nocall = ["warning: Function 'parted' does not follow the target calling convention, cannot determine its returned value.",
              "Value returned has type: part. Cannot determine contents"]
    # in the order in which the calls are made
    calls = {"-O0": (("parted", ["Value returned is $1 = {a = 6, b = 7, c = 8}"]), ("widened", [f"Value returned is $2 = {wide}"]),
                     ("counted", ["Value returned is $3 = {a = 10, b = 10}"])),
             "-O2": (("widened", [f"Value returned is $1 = {wide}"]), ("parted", nocall))}
    for level, expected in calls.items():
        script = [f"tbreak {name}" for name, _ in expected] + ["run"]
        for name, _ in expected:
            script += [f"lane {5 if name == 'counted' else 6}", "finish", "continue"]
        seen = run(path, level, "--kernel", "several", *ARGS, "--arg", "out=zeros:32", json_lines=True, script=script)
        equal([o.get("lines") for o in replies(seen, "finish")], [lines for _, lines in expected], f"what is returned at {level}")


def inlined_return_nothing():
    """As in gdb, nothing is said of an inlined function's value."""
    seen = run(KERNELS / "frames.cl", "-O2", *ARGS, "--arg", "out=zeros:64", "--arg", "n=2", json_lines=True,
               script=["break wrapf", "run", "finish", "kill"])
    equal([o.get("lines") for o in replies(seen, "finish")], [None], "lines of finish")


if __name__ == "__main__":
    main(every_instruction_unoptimised, every_instruction_optimised, every_instruction_of_wave64, every_instruction_of_assembly,
         every_instruction_with_the_library, callers_behind_a_call, commands, recursion, inlined_functions, scope_of_watchpoint,
         several_places, returned_values, returned_in_memory, inlined_return_nothing)
