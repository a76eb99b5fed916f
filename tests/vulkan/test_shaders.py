# SPDX-License-Identifier: MIT
"""breakwater exec --shader and --save-shaders: shaders of a Vulkan program are replaced by SPIR-V and by assembly, found by
name and hash, and what is saved assembles to the bytes that were in memory. What the program computes shows which shader ran.

    test_shaders.py NAMES STEP_SPV"""
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import BREAKWATER, SOURCE, TIMEOUT_S, Failure, check, equal  # noqa: E402
from json_schema import parse  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
PROGRAM, SPV = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
HASH = hashlib.sha1(SPV.read_bytes()).hexdigest()[:16]
MASK = 0xffffffff
# Adds 1 where step.comp multiplies and adds.
ADD_ONE = """#version 460
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform P { uint mul, add, n; };
void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < n)
		data[i] += 1;
}
"""


def step(v, mul, add):
    return v * mul + add & MASK


def one(v, mul, add):
    return v + 1 & MASK


def total(first, second):
    """What names.c says of its buffer: its first pipeline and its second one compute these functions."""
    numbers = [0] * 256
    for _ in range(2):
        for f, mul, add, n in ((first, 3, 1, 256), (second, 5, 2, 256), (first, 7, 3, 64)):
            numbers[:n] = [f(v, mul, add) for v in numbers[:n]]
    return sum(numbers)


def run(*words, status=0):
    """(the program's sum, what breakwater said)"""
    done = subprocess.run([str(BREAKWATER), "exec", *[str(w) for w in words], "--", PROGRAM], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode != status:
        raise Failure(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    found = re.search(r"sum (\d+)", done.stdout)
    return int(found.group(1)) if found else None, done.stderr


def check_spirv(folder):
    shader = folder / "one.comp"
    shader.write_text(ADD_ONE)
    for which, first, second, title in (
            ("first*", one, step, "first step"),    # a name that the pipeline gets later
            ("second step", step, one, "second step"),
            (HASH, one, one, "main"),               # known when it is made
            ("nothing", step, step, None)):
        got, said = run("--shader", f"{which}={shader}")
        equal(got, total(first, second), f"{which}: the sum")
        if title:
            check(f"--shader {which}={shader}: replaced {title} ({HASH})" in said, said)
        else:
            check(f"--shader nothing={shader}: no shader of that name was created; there were: first step ({HASH}), "
                  f"second step ({HASH})." in said, said)
    # two rules; the facts as JSON
    got, said = run("--json", f"--shader=first step={shader}", "--shader", f"x={shader}")
    equal(got, total(one, step), "two rules: the sum")
    event, = [parse(line) for line in said.splitlines() if line.startswith("{")]
    equal([(r["replaced"], r["refused"]) for r in event["rules"]], [(1, 0), (0, 0)], "the rules")
    equal({(c["name"], c["hash"]) for c in event["created"]}, {("first step", HASH), ("second step", HASH)}, "what was created")


def text_bytes(source, wave, folder):
    subprocess.run(["clang-19", "-c", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", f"-m{'no-' if wave == 32 else ''}wavefrontsize64",
                    "-x", "assembler", source, "-o", folder / "text.o"], check=True, stdin=subprocess.DEVNULL)
    elf = (folder / "text.o").read_bytes()
    table, size, count, names = (int.from_bytes(elf[a:b], "little") for a, b in ((40, 48), (58, 60), (60, 62), (62, 64)))
    section = [elf[table + i * size:][:size] for i in range(count)]
    offset = [int.from_bytes(s[24:32], "little") for s in section]
    length = [int.from_bytes(s[32:40], "little") for s in section]
    title = [elf[offset[names] + int.from_bytes(s[:4], "little"):].split(b"\0")[0] for s in section]
    at = title.index(b".text")
    return elf[offset[at]:][:length[at]]


def ask(*words, status=0, both=False):
    """Standard output; with `both`, or where another status than 0 is expected, standard error behind it."""
    done = subprocess.run([str(BREAKWATER), *[str(w) for w in words]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    equal(done.returncode, status, f"{words}: {done.stdout}{done.stderr}: the status")
    return done.stdout + done.stderr if both or status else done.stdout


def captured_code(path):
    """The program's memory from the code of its first dispatch on, as a capture of it has that."""
    dump = path.with_suffix(".dump")
    ask("capture", "-o", path, "--", PROGRAM)
    row = next(r for r in parse(ask("capture", "list", "--json", path))["submissions"] if r["dispatches"])
    shown = parse(ask("capture", "show", "--json", path, row["number"]))
    va = int(shown["dispatches"][0]["code"], 16)
    buffer = next(b for b in shown["buffers"] if "va" in b and int(b["va"], 16) <= va < int(b["va"], 16) + b["bytes"])
    ask("replay", "--last", row["number"], "--dump", f"{row['number']}:{buffer['buffer']}={dump}", path)
    return dump.read_bytes()[va - int(buffer["va"], 16):]


def check_assembly(folder):
    saved = folder / "saved"
    got, said = run("--save-shaders", saved)
    equal(got, total(step, step), "saving changes nothing")
    equal({p.suffix for p in saved.iterdir()} - {".spvasm"}, {".s", ".spv"}, "what is saved")
    code = saved / f"first_step-{HASH}.s"
    equal((saved / f"first_step-{HASH}.spv").read_bytes(), SPV.read_bytes(), "the SPIR-V")
    text = code.read_text()
    size, wave = map(int, re.search(r"(\d+) bytes of code for waves of (\d+)", text).groups())
    made = text_bytes(code, wave, folder)
    equal(len(made), size, "the size of what is assembled")
    check(captured_code(folder / "names.bwc").startswith(made), "what is saved assembles to the bytes in memory")
    # not edited it computes the same, at another place
    got, said = run("--shader", f"{HASH}={code}")
    equal(got, total(step, step), "the shader itself in its place")
    check(f"replaced first step ({HASH}), second step ({HASH})." in said, said)
    # edited: longer, with labels, and with more VGPRs and LDS than the dispatch has
    mul = re.search(r"\tv_mul_lo_u32 (v\d+), (v\d+), (s\d+)\n", text)
    more = (f".set lds_bytes, 4096\n{text[:mul.start()]}\tv_mov_b32 v100, {mul.group(2)}\n"
            f"\tv_lshlrev_b32 v101, 1, v100\n\tv_add_nc_u32 {mul.group(1)}, v100, v101\n{text[mul.end():]}")
    edited = folder / "edited.s"
    edited.write_text(more)
    triple = lambda v, mul, add: v * 3 + add & MASK
    got, said = run("--shader", f"first step={edited}")
    equal(got, total(triple, triple), "the edited one: both pipelines have one code")
    check(f"replaced first step ({HASH}), second step ({HASH}), which has the same code." in said, said)
    # what does not fit is refused, and the program runs on with its own
    edited.write_text(".set lds_bytes, 65537\n" + text)
    got, said = run("--shader", f"{HASH}={edited}")
    equal(got, total(step, step), "with what was refused")
    check("was not replaced: it wants more than 64 KiB of LDS." in said, said)
    edited.write_text("v_nonsense\n")
    got, said = run("--shader", f"{HASH}={edited}", status=2)
    check(got is None and f"{edited}:1:1: error: invalid instruction" in said, said)


def check_replay(folder):
    """After check_assembly: the capture of the program, and its code."""
    path, code, edited = folder / "names.bwc", folder / "saved" / f"first_step-{HASH}.s", folder / "edited.s"
    shown = parse(ask("capture", "show", "--json", path, next(
        r["number"] for r in parse(ask("capture", "list", "--json", path))["submissions"] if r["dispatches"])))
    dispatch = shown["dispatches"][0]
    equal((dispatch["pipeline"], dispatch["hash"]), ("first step", HASH), "what a capture has of a shader")
    # both pipelines of the program are made of the same
    equal([d["record"] for d in shown["dispatches"]], [1, 1, 1], "the records of their pipelines")
    equal(shown["records"], [{"record": 1, "entry": "main", "sets": 1, "bindings": 1, "push_bytes": 12, "constants": 0,
                              "spirv_bytes": SPV.stat().st_size, "code_bytes": 0}], "what a capture has of a pipeline")
    # by its name, by the address of its code, by the hash of its SPIR-V, by the name of its entry point
    for which in ("first*", dispatch["code"], HASH, "main"):
        check("memory is as captured" in ask("replay", "--check", "--shader", f"{which}={code}", path), f"{which}: the same code")
    # adds 1 more: what differs first is the first word
    text = code.read_text()
    add = re.search(r"\tv_add_nc_u32_e32 (v\d+), (s\d+), (v\d+)\n", text)
    edited.write_text(text[:add.end()] + f"\tv_add_nc_u32 {add.group(1)}, 1, {add.group(1)}\n" + text[add.end():])
    said = ask("replay", "--check", "--shader", f"first step={edited}", path, status=1)
    found = 0
    for mul, plus in ((3, 1), (5, 2), (7, 3)):
        found = found * mul + plus + 1
    check(f"replayed  {found:02x} 00 00 00" in said, said)
    check("replaced first step (" in said and "second step (" in said and "which has the same code." in said, said)
    said = ask("replay", "--check", "--shader", f"{HASH}={edited}", path, status=1)
    check(f"replaced first step ({HASH}), second step ({HASH})." in said, said)


def replayed(path, rule, folder):
    """What the program's 256 numbers are behind the first submission with dispatches, and what was said."""
    row = next(r for r in parse(ask("capture", "list", "--json", path))["submissions"] if r["dispatches"])
    shown = parse(ask("capture", "show", "--json", path, row["number"]))
    number, dump = row["number"], folder / "dump"
    # the buffer of the numbers is mapped by the host, and the last one of these that the GPU has written
    buffer = [b["buffer"] for b in shown["buffers"] if b["gpu_pages"] and b["domains"] == "GTT"][-1]
    said = ask("replay", "--last", number, "--shader", rule, "--dump", f"{number}:{buffer}={dump}", path, both=True)
    return list(struct.unpack("<256I", dump.read_bytes()[:1024])), said


def comp(folder, name, body, head=""):
    """GLSL with the program's arguments."""
    path = folder / f"{name}.comp"
    path.write_text(f"#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer Data {{ uint data[]; }};\n"
                    f"layout(push_constant) uniform P {{ uint mul, add, n; }};\n{head}void main() {{ {body} }}\n")
    return path


# The dispatches of the first submission: multiplier, summand, numbers.
STEPS = ((3, 1, 256), (5, 2, 256), (7, 3, 64))


def check_replay_spirv(folder):
    """After check_assembly: SPIR-V in the capture of the program. The driver compiles it with the layouts of the record; what
    it needs is in the captured registers, or is refused by name."""
    path, both = folder / "names.bwc", f"replaced first step ({HASH}), second step ({HASH}), which has the same code."
    check("memory is as captured" in ask("replay", "--check", "--shader", f"first*={SPV}", path), "the program's own SPIR-V")
    at = "gl_GlobalInvocationID.x"
    for name, body, head, model in (
            # push constants in other SGPRs than the program's own shader has them
            ("one", f"if ({at} < n) data[{at}] += 1;", "", lambda i, v, mul, add: v + 1),
            ("swapped", f"if ({at} < n) data[{at}] = data[{at}] * add + mul;", "", lambda i, v, mul, add: v * add + mul),
            # LDS, which the program's own has none of
            ("lds", f"uint l = gl_LocalInvocationIndex; t[l] = l * add; barrier(); data[{at}] = t[63 - l] + mul;", "shared uint t[64];\n",
             lambda i, v, mul, add: (63 - i % 64) * add + mul),
            # constants behind the code, of 16 KiB
            ("table", f"data[{at}] = table[({at} * 61 + mul) % 4096] + add;",
             "const uint table[4096] = uint[](" + ", ".join(f"{i * i % 9973}u" for i in range(4096)) + ");\n",
             lambda i, v, mul, add: ((i * 61 + mul) % 4096) ** 2 % 9973 + add)):
        expected = [0] * 256
        for mul, add, n in STEPS:
            expected[:n] = [model(i, v, mul, add) & MASK for i, v in enumerate(expected[:n])]
        got, said = replayed(path, f"first*={comp(folder, name, body, head)}", folder)
        equal(got, expected, name)
        check(both in said, said)
    # workgroups of another shape; by hash and by address
    square = folder / "square.comp"
    expected = [0] * 256
    for mul, add, n in STEPS:
        expected[:n] = [(63 - i % 64) * add + mul for i in range(n)]
    square.write_text((folder / "lds.comp").read_text().replace("local_size_x = 64", "local_size_x = 8, local_size_y = 8")
                      .replace(f"data[{at}]", "data[gl_WorkGroupID.x * 64 + l]"))
    code = parse(ask("capture", "show", "--json", path, 2))["dispatches"][0]["code"]
    for which in (HASH, code):
        got, said = replayed(path, f"{which}={square}", folder)
        equal(got, expected, "workgroups of 8 x 8")
        check(f"--shader {which}={square}: replaced first step ({HASH})" in said, said)
    captured = [0] * 256
    for mul, add, n in STEPS:
        captured[:n] = [step(v, mul, add) for v in captured[:n]]

    def refused(rule, words, capture=path, **settings):
        os.environ.update(settings)
        got, said = replayed(capture, rule, folder)
        for key in settings:
            del os.environ[key]
        equal(got, captured, f"the program's own shader: {words}")
        check(f"was not replaced: {words}" in said, said)

    refused(f"first*={comp(folder, 'groups', f'data[{at}] = gl_NumWorkGroups.x;')}",
            "it takes the number of workgroups, which the captured dispatch does not pass.")
    refused(f"first*={comp(folder, 'set', f'other[{at}] = 1;', 'layout(set = 1, binding = 3) buffer O { uint other[]; };')}",
            "it uses binding 3 of set 1, which the pipeline's layout does not have.")
    # a descriptor of another kind than the layout has; one that nothing uses may be anything
    other = folder / "kind.comp"
    for head, use, is_as in (
            ("layout(binding = 0, r32ui) uniform uimage2D other;", "imageStore(other, ivec2(0), uvec4(n));", "a storage image"),
            ("layout(binding = 0) uniform Other { uint x; } other;", "if (other.x == n) return;", "a uniform buffer"),
            ("layout(binding = 0) uniform sampler2D other;", "if (texture(other, vec2(0)).x > n) return;", "an image with a sampler"),
            ("layout(binding = 0) buffer Other { uint x[]; } other;", "other.x[0] = n;", None),
            ("layout(binding = 0) uniform Other { uint x; } other;", "", None)):
        other.write_text("#version 460\nlayout(local_size_x = 64) in;\nlayout(push_constant) uniform P { uint mul, add, n; };\n"
                         f"{head}\nvoid main() {{ {use} }}\n")
        if is_as:
            refused(f"first*={other}", f"it uses binding 0 of set 0 as {is_as}, which is a storage buffer in the pipeline's layout.")
        else:
            check(f"replaced first step ({HASH})" in ask("replay", "--shader", f"first*={other}", path, both=True), head)
    refused(f"first*={comp(folder, 'spill', 'uint t[200]; for (uint i = 0; i < 200; i++) t[i] = data[i] * mul; for (uint i = 0; i < 200; i++) t[data[i] % 200] += t[i]; data[0] = t[data[0] % 200];')}",
            "it needs scratch memory, and the program's own shader has none.")
    # another driver, as far as its code tells it
    refused(f"first*={folder / 'one.comp'}", "the driver makes waves of 32 lanes of it, and the captured dispatch has waves of 64.",
            RADV_PERFTEST="cswave32")
    # a damaged record: the last bytes of its block, in front of the next one
    bytes_of = bytearray(path.read_bytes())
    at_block = bytes_of.find(b"BWCB" + struct.pack("<I", 6))
    stored = struct.unpack_from("<Q", bytes_of, at_block + 24)[0]
    bytes_of[at_block + 48 + stored // 2] ^= 0xff
    damaged = folder / "damaged.bwc"
    damaged.write_bytes(bytes_of)
    refused(f"first*={folder / 'one.comp'}", f"{damaged} is damaged at byte {at_block}.", capture=damaged)
    check("1 record of pipelines cannot be read: the capture is damaged." in ask("capture", "show", damaged, 1), "show of a damaged record")
    # code that was replaced while it was captured is not what the driver makes
    swapped = folder / "jump.bwc"
    ask("capture", "-o", swapped, "--shader", f"{HASH}={folder / 'saved' / f'first_step-{HASH}.s'}", "--", PROGRAM)
    refused(f"first*={folder / 'one.comp'}", "its code in the capture is not what the driver here makes of its SPIR-V", capture=swapped)


def check_replay_pushed(folder):
    """SPIR-V in the capture of a program with push descriptors: it finds the buffer that was pushed."""
    path, at = folder / "pushed.bwc", "gl_GlobalInvocationID.x"
    expected = [0] * 256
    for mul, add, n in STEPS:
        expected[:n] = [v * add + mul & MASK for v in expected[:n]]
    for push in ("writes", "template"):
        subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", PROGRAM], stdin=subprocess.DEVNULL, capture_output=True, check=True,
                       timeout=TIMEOUT_S, env={**os.environ, "PUSH": push})
        check("memory is as captured" in ask("replay", "--check", "--shader", f"first*={SPV}", path), f"{push}: the program's own SPIR-V")
        shader = comp(folder, "pushed", f"if ({at} < n) data[{at}] = data[{at}] * add + mul;")
        got, said = replayed(path, f"first*={shader}", folder)
        equal(got, expected, push)
        check(f"replaced first step ({HASH})" in said, said)


def check_hostile_records(folder):
    """The program that compiles, with records that someone has made up: one sentence each, and no driver."""
    launcher, seed = BREAKWATER.parent / "breakwater-launch-shader", SOURCE / "tests/fuzz/corpus/capture/pipeline"
    if not launcher.exists():
        return
    (folder / "spirv").write_bytes(SPV.read_bytes())
    head, sets, bindings, pushes = 0, 288, 288 + 8 + 16, 288 + 8 + 16 + 8 + 24
    good = seed.read_bytes()[1:]
    equal(struct.unpack_from("<QIIII", good, sets), (1, 0, 1, 0, 0), "the set of the seed")
    equal(struct.unpack_from("<QIII", good, bindings), (1, 0, 7, 1), "its binding")
    for at, value, words in (
            (head + 16, 7, "it requires subgroups of 7"), (sets + 8, 0x80000000, "the layout of its set 0 has the flags 0x80000000"),
            (sets + 16, 1, "the capture does not have the layout of set 0"),
            (sets + 20, 1000351002, "the layout of its set 0 has a structure (1000351002) that a capture does not record"),
            (sets + 12, 2, "the record of a pipeline is damaged: its sets have other bindings than it"),
            (bindings + 8, 1 << 20, "its set 0 has a binding 1048576"), (bindings + 12, 99, "binding 0 is of type 99, for which no set is made here"),
            (bindings + 16, 0xffffffff, "its sets have 4294967295 descriptors"),
            (bindings + 28, 1, "binding 0 of its set 0 has immutable samplers, which a capture does not record"),
            (pushes + 16, 0xfffffffc, "it has 4294967292 bytes of push constants at 0"),
            (pushes, 1 << 30, "the record of a pipeline is damaged: it is too short")):
        record = bytearray(good)
        struct.pack_into("<I", record, at, value)
        (folder / "record").write_bytes(record)
        done = subprocess.run([launcher, "--compile", folder, "main"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        equal((done.returncode, done.stderr, (folder / "why").read_text()), (2, f"breakwater-launch-shader: {words}\n", words), words)


def check_run_and_capture(folder):
    """The same under the debugger, and of what is captured."""
    shader, path = folder / "one.comp", folder / "swapped.bwc"
    out = ask("run", "--batch", "-ex", "run", "--shader", f"first*={shader}", "--", PROGRAM)
    check(f"sum {total(one, step)}\n" in out, out)
    check(f"--shader first*={shader}: replaced first step ({HASH})." in out, out)
    out = ask("capture", "-o", path, "--shader", f"second step={shader}", "--", PROGRAM)
    check(f"sum {total(step, one)}\n" in out, out)
    check("memory is as captured" in ask("replay", "--check", path), "what is captured is what has run")
    check('"breakwater attach" has no option --shader' in ask("attach", "--shader", f"x={shader}", "1", status=2), "attach --shader")
    for words in (["run", "--shader", f"x={shader}", shader],
                  ["capture", "-o", path, "--pid", "1", "--shader", f"x={shader}"], ["capture", "-o", path, "--pid", "1", "--save-shaders", folder]):
        check("--shader and --save-shaders are for a program" in ask(*words, status=2), words)


with tempfile.TemporaryDirectory() as name:
    check_spirv(pathlib.Path(name))
    check_run_and_capture(pathlib.Path(name))
    check_assembly(pathlib.Path(name))
    check_replay(pathlib.Path(name))
    check_replay_spirv(pathlib.Path(name))
    check_replay_pushed(pathlib.Path(name))
    check_hostile_records(pathlib.Path(name))
