# SPDX-License-Identifier: MIT
"""Shaders of the corpus and of draws, rewritten to keep a record of their variables (src/sym/spirv_record.h): SPIR-V's own
validator must take them, and each variable of their functions must be in the record. Cut off anywhere, or with one
word damaged, they are an error that says where, or a module; never a crash.

    test_spirv_record.py RECORD_SHADER SHADERS_FOLDER"""
import pathlib
import re
import subprocess
import sys
import tempfile

RECORD, SHADERS = sys.argv[1], pathlib.Path(sys.argv[2])
NAMES = ["control_flow", "scratch_arrays", "matmul", "f64_arith", "subgroup_loop", "groups_3d", "sort", "int64_arith",
         "f16", "int8", "../small"]
NO_GVS = ["../small"]  # what glslang 12 makes of pointers with -gVS is not valid itself
ENVIRONMENT = ["--target-env", "vulkan1.3"]


def run(*command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)


def compile_shader(name, out, debug):
    done = run("glslangValidator", *ENVIRONMENT, *debug, f"-I{SHADERS}", "-DWAVE=64", "-V", SHADERS / f"{name}.comp", "-o", out)
    assert done.returncode == 0, done.stdout


def words_of(text, op):
    return re.findall(rf"^\s*(%\w+) = {op}\b(.*)$", text, re.M)


def check_recorded(name, before, after):
    """Of the variables with names, in the disassembly of both."""
    named = dict(re.findall(r'^\s*OpName (%\w+) "([^"]+)"$', before, re.M))
    local = [i for i, rest in words_of(before, "OpVariable") if rest.split()[-1] == "Function" and i in named]
    recorded = {f"%{i}" for i in re.findall(r'OpString "breakwater.record:(\d+):\d+:\d+"', after)}
    missing = [named[i] for i in local if i not in recorded and named[i] not in ("param", "indexable")]
    assert not missing, f"{name}: not recorded: {missing}"
    return len(recorded)


def check(name, folder, debug):
    spirv, out = folder / f"{name}.spv", folder / f"{name}.out.spv"
    compile_shader(name, spirv, debug)
    done = run(RECORD, spirv, out)
    assert done.returncode == 0, done.stderr
    done = run("spirv-val", *ENVIRONMENT, out)
    assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
    texts = [run("spirv-dis", "--raw-id", f).stdout for f in (spirv, out)]
    n = check_recorded(name, *texts)
    # values, flags and lines are stored: more stores than there were
    assert texts[1].count("OpStore") > texts[0].count("OpStore") + n, name
    return n


def check_draw_shader(source, folder):
    """Its variables and its inputs are recorded, also those that are built in; not what other invocations have for the
    vertices of a patch."""
    spirv, out = folder / f"{source.name}.spv", folder / f"{source.name}.out.spv"
    done = run("glslangValidator", *ENVIRONMENT, "-g", "-V", source, "-o", spirv)
    assert done.returncode == 0, done.stdout
    done = run(RECORD, spirv, out)
    assert done.returncode == 0, done.stderr
    done = run("spirv-val", *ENVIRONMENT, out)
    assert done.returncode == 0, f"{source.name}: {done.stdout}{done.stderr}"
    before, after = (run("spirv-dis", "--raw-id", f).stdout for f in (spirv, out))
    n = check_recorded(source.name, before, after)
    named = dict(re.findall(r'^\s*OpName (%\w+) "([^"]+)"$', before, re.M))
    recorded = {f"%{i}" for i in re.findall(r'OpString "breakwater.record:(\d+):\d+:\d+"', after)}
    inputs = [i for i, rest in words_of(before, "OpVariable") if rest.split()[-1] == "Input" and named.get(i)]
    of_patch = source.suffix in (".tesc", ".tese")
    missing = [named[i] for i in inputs if i not in recorded and named[i] != "gl_in" and not (of_patch and named[i].endswith("_in"))]
    assert not missing, f"{source.name}: not recorded: {missing}"
    return n


def check_cut(folder):
    whole, cut = (folder / "control_flow.spv").read_bytes(), folder / "cut.spv"
    for size in range(0, len(whole), 4 * 401):
        cut.write_bytes(whole[:size])
        done = run(RECORD, cut, folder / "cut.out.spv")
        assert done.returncode == 1, f"{size} bytes: status {done.returncode} {done.stderr}"
        want = r"^this is not SPIR-V$" if size < 20 else r"^the SPIR-V ends (within the instruction )?at word \d+"
        assert re.match(want, done.stderr), f"{size} bytes: {done.stderr}"


def check_damaged(folder):
    whole, other, at = (folder / "control_flow.spv").read_bytes(), folder / "other.spv", 20
    places = []
    while at < len(whole):
        places.append(at)
        at += 4 * int.from_bytes(whole[at + 2:at + 4], "little")
    for at in places[3::97]:
        other.write_bytes(whole[:at + 2] + b"\0\0" + whole[at + 4:])
        done = run(RECORD, other, folder / "other.out.spv")
        assert done.returncode == 1 and f"damaged at word {at // 4}:" in done.stderr, f"byte {at}: {done.returncode} {done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as t:
        folder = pathlib.Path(t)
        n = sum(check(name, folder, debug) for debug in ([], ["-g"], ["-gVS"]) for name in NAMES if debug != ["-gVS"] or name not in NO_GVS)
        sources = sorted((SHADERS.parent / "draws").iterdir())
        assert {s.suffix for s in sources} >= {".vert", ".tesc", ".tese", ".geom", ".mesh", ".frag"}, sources
        n += sum(check_draw_shader(source, folder) for source in sources)
        check_cut(folder)
        check_damaged(folder)
    print(f"{len(NAMES)} shaders, {n} variables are recorded")


main()
