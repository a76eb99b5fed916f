# SPDX-License-Identifier: MIT
"""The shaders of the corpus on the virtual GPU (RADV through "breakwater exec") and on lavapipe: what
they leave behind must be the same.

    test_corpus.py VKRUN [--queue compute|universal] [--wave 32|64] [--staged] [--validate] [--strict] [--check LIST] [--record TOOL]
                   [--linux] [CASE...]

With --linux the GPU's side runs in the guest of "breakwater vgpu linux", on Linux's own driver (tests/linux).

With --record the virtual GPU's shaders keep a record of their variables (tests/sym/record_shader.c).

With -DREFERENCE a shader may compute the same in another way: that form is for lavapipe, whose
subgroups have another size. WAVE is the size of the run. Where a NAME.spvasm lies beside NAME.comp
(spirv.py), it is what RADV gets, and the GLSL is the reference."""
import argparse
import functools
import hashlib
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import spirv

BUILD = pathlib.Path(os.environ.get("BREAKWATER_BUILD", "build")).resolve()
SHADERS = pathlib.Path(__file__).resolve().parent / "shaders"
TIMEOUT_S = 1500
# lavapipe of Mesa 25.0 compiles a shader with subgroups for up to half a minute, and longer on a busy machine;
# its compiled code is kept in Mesa's cache.
REFERENCE_PATIENCE_S, REFERENCE_TIMEOUT_S, REFERENCE_TRIES = 300, 1200, 3
NOT_REACHED = "it did not come to it"
# Depth images are filled on the compute queue too; Vulkan does not allow that.
NOT_VALID = {"sample_shadow"}
FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
           "f16": "e", "f32": "f", "f64": "d"}


def compile_case(name, folder, defines):
    source, code = SHADERS / f"{name}.comp", folder / f"{name}.spv"
    assembly = source.with_suffix(".spvasm")
    if assembly.exists() and "REFERENCE" not in defines:
        code.write_bytes(spirv.assemble(assembly.read_text(), defines))
        return [str(source), str(code)]
    shutil.copyfile(compiled(source, defines), code)
    return [str(source), str(code)]


def compiled(source, defines):
    """The SPIR-V of a shader. Compiling takes nine tenths of this test's time, and most shaders are the same on both
    sides and in both wave sizes: so the build folder keeps it, by all that it is made of."""
    text = with_includes(source)
    options = ["--target-env", "vulkan1.3", f"-I{SHADERS}", *[f"-D{d}" for d in defines if d.split("=")[0] in text]]
    made_of = "\0".join([compiler_version(), *options, text])
    code = BUILD / "corpus-spirv" / f"{source.stem}-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.spv"
    if not code.exists():
        code.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=code.parent) as folder:
            made = pathlib.Path(folder) / code.name
            done = subprocess.run(["glslangValidator", *options, "-V", source, "-o", made], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{source}: {done.stdout}{done.stderr}")
            os.replace(made, code)
    return code


def with_includes(path):
    text = path.read_text()
    return text + "".join(with_includes(SHADERS / name) for name in re.findall(r'#include "(.*)"', text))


@functools.cache
def compiler_version():
    return subprocess.run(["glslangValidator", "--version"], capture_output=True, text=True, check=True).stdout


class Result:
    def __init__(self):
        self.state, self.reason, self.outputs = "fail", NOT_REACHED, {}


def run(command, cases, env, timeout_s=TIMEOUT_S):
    """Runs vkrun on the cases; a Result by name, and what else it said."""
    results = {name: Result() for name in cases}
    said = []
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=timeout_s)
        out, err, status = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as e:
        out, err, status = (e.stdout or b"").decode(), (e.stderr or b"").decode(), "timeout"
    for line in out.splitlines():
        word = line.split(" ", 2)
        if word[0] == "output":
            place, kind, ulp, away, order, path = word[2].split(" ")
            results[word[1]].outputs[place] = (kind, int(ulp), float(away), order, pathlib.Path(path).read_bytes())
        elif word[0] in ("pass", "skip", "fail") and word[1] in results:
            results[word[1]].state, results[word[1]].reason = word[0], word[2] if len(word) > 2 else ""
        else:
            said.append(line)
    if status not in (0, 1):
        said.append(f"vkrun ended with status {status}")
    return results, said, err


def run_reference(command, arguments, cases, env):
    """The same for lavapipe: where it has stopped answering, the rest is asked of another one."""
    results, said, err = {}, [], ""
    for _ in range(REFERENCE_TRIES):
        left = [name for name in cases if name not in results or results[name].reason == NOT_REACHED
                or "VK_TIMEOUT" in results[name].reason]
        if not left:
            break
        done, said, err = run(command + [x for name in left for x in arguments[name]], left, env, REFERENCE_TIMEOUT_S)
        results.update(done)
    return results, said, err


def ulps(a, b, kind):
    """Units in the last place between two floats: the distance of their bits, in order of value."""
    size, bits = {"f16": ("H", 16), "f32": ("I", 32), "f64": ("Q", 64)}[kind]
    def order(x):
        n = struct.unpack("<" + size, struct.pack("<" + FORMATS[kind], x))[0]
        return (1 << (bits - 1)) - n if n >> (bits - 1) else n
    return abs(order(a) - order(b))


def same(a, b, kind, ulp, away):
    if a == b or (a != a and b != b):
        return True
    if kind[0] != "f" or a != a or b != b or math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= away or (ulp and ulps(a, b, kind) <= ulp)


def difference(got, expected):
    kind, ulp, away, order, data = got
    other = expected[4]
    if data == other:
        return None
    fmt = "<%d%s" % (len(data) // struct.calcsize(FORMATS[kind]), FORMATS[kind])
    a, b = list(struct.unpack(fmt, data)), list(struct.unpack(fmt, other))
    if order == "sorted":
        a.sort()
        b.sort()
    if not ulp and not away:
        # -0 and 0, and two NaNs, are different bits
        raw = "<%d%s" % (len(a), {1: "B", 2: "H", 4: "I", 8: "Q"}[struct.calcsize(FORMATS[kind])])
        bits = lambda v: struct.unpack(raw, struct.pack(fmt, *v))
        wrong = [i for i, (x, y) in enumerate(zip(bits(a), bits(b))) if x != y]
    else:
        wrong = [i for i in range(len(a)) if not same(a[i], b[i], kind, ulp, away)]
    if not wrong:
        return None
    shown = ", ".join(f"[{i}] {a[i]} for {b[i]}" for i in wrong[:4])
    return f"{len(wrong)} of {len(a)} differ: {shown}"


def need_guest():
    """Skips the test where no guest is wanted, or none can be had."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "linux"))
    import guest
    if not guest.IS_WHOLE:
        print("SKIPPED: make check-linux runs this.")
        sys.exit(guest.SKIP)
    guest.need_parts()


def in_guest(folder):
    """The beginning of a command that runs in the guest, where that folder is shared."""
    import guest
    return guest.words("--share", folder)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("vkrun")
    p.add_argument("--queue", default="compute")
    p.add_argument("--wave", default="64")
    p.add_argument("--staged", action="store_true")
    p.add_argument("--validate", action="store_true")
    p.add_argument("--strict", action="store_true", help="in strict mode, with no finding")
    p.add_argument("--check", action="append", default=[], help="checked for LIST (races, ...), with no finding")
    p.add_argument("--record", metavar="TOOL", help="with a record of their variables, which this program adds")
    p.add_argument("--linux", action="store_true", help="in a guest, on Linux's driver")
    p.add_argument("cases", nargs="*")
    a = p.parse_intermixed_args()
    if a.linux:
        need_guest()
    cases = a.cases or sorted(f.stem for f in SHADERS.glob("*.comp"))
    if a.validate:
        cases = [c for c in cases if c not in NOT_VALID]
    env = dict(os.environ, XDG_RUNTIME_DIR=os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        sides = {}
        for side in ("reference", "gpu"):
            folder = pathlib.Path(tmp) / side
            folder.mkdir()
            defines = [f"WAVE={a.wave}"] + (["REFERENCE"] if side == "reference" else [])
            arguments = {name: compile_case(name, folder, defines) for name in cases}
            if a.record and side == "gpu":
                for _, spirv in arguments.values():
                    subprocess.run([a.record, spirv, spirv + ".recorded"], check=True)
                    os.replace(spirv + ".recorded", spirv)
            command = [a.vkrun, "--out", str(folder), "--wave", a.wave, "--device", "llvmpipe" if side == "reference" else "RADV"]
            if side == "reference":
                command += ["--reference", "--patience", str(REFERENCE_PATIENCE_S)]
                sides[side] = run_reference(command, arguments, cases, env)
            else:
                command += ["--queue", a.queue] + ["--staged"] * a.staged + ["--validate"] * a.validate
                perftest = ["RADV_PERFTEST=cswave32"] if a.wave == "32" else []
                if a.linux:
                    where = in_guest(tmp)
                else:
                    where = [str(BUILD / "breakwater"), "exec", *["--strict"] * a.strict, *[f"--check={x}" for x in a.check]]
                command = [*where, "--", "env", *perftest, *command]
                sides[side] = run(command + [x for name in cases for x in arguments[name]], cases, env)
    reference, said, err = sides["reference"]
    got, gpu_said, gpu_err = sides["gpu"]
    print("\n".join(said + gpu_said))
    failed += any("ended with" in line for line in gpu_said)
    failed += a.strict and "Strict mode: no findings." not in gpu_err
    if a.check and "Check: no findings." not in gpu_err:
        print(gpu_err)
        failed += 1
    failed += any(line.startswith("validation ") and line != "validation 0" for line in gpu_said)
    counts = {"same": 0, "different": 0, "skipped": 0}
    for name in cases:
        r, g = reference[name], got[name]
        if "skip" in (r.state, g.state):
            verdict = f"skipped: {r.reason if r.state == 'skip' else g.reason}"
        elif r.state != "pass" or g.state != "pass":
            verdict = f"lavapipe: {r.state} {r.reason}, virtual GPU: {g.state} {g.reason}"
        elif not g.outputs or r.outputs.keys() != g.outputs.keys():
            verdict = "not the same outputs"
        elif not any(any(output[4]) for output in r.outputs.values()):
            verdict = "nothing but zeros: the case shows nothing"
        else:
            wrong = [(k, difference(g.outputs[k], r.outputs[k])) for k in g.outputs]
            wrong = [f"{k}: {d}" for k, d in wrong if d]
            verdict = "; ".join(wrong) or "same"
        counts["same" if verdict == "same" else "skipped" if verdict.startswith("skipped") else "different"] += 1
        if verdict != "same":
            print(f"{name}: {verdict}")
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    if counts["different"] or failed:
        print(gpu_err[-4000:], file=sys.stderr)
        sys.exit(1)


main()
