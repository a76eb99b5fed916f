# SPDX-License-Identifier: MIT
"""breakwater decompile: each submission of captured kernels and streams, built and run, is the same bytes again; edited, it is
what the edit says, also where it has grown; what hangs runs through when the bug is edited out; and what cannot be done is
said in a sentence. (tests/vulkan has the programs of drivers.)"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from decompiled import build, check_unedited, parts, run, source
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal
from json_schema import parse

LAUNCH = BUILD / "breakwater-launch"
STREAMS = [sys.executable or "/usr/bin/python3", SOURCE / "tests/e2e/streams.py"]
QUICK = {"BREAKWATER_VGPU_ARGS": "--quiet --lockup-timeout 300"}
N = 256
RESULTS = 0x10004000


def capture(folder, name, *program, **settings):
    path = pathlib.Path(folder, f"{name}.bwc")
    subprocess.run([str(w) for w in [BREAKWATER, "capture", "-o", path, "--", *program]], stdin=subprocess.DEVNULL,
                   capture_output=True, timeout=TIMEOUT_S, env={**os.environ, **settings})
    return path


def kernel(folder, file, *options, **settings):
    code = pathlib.Path(folder, f"{pathlib.Path(file).stem}.co")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-mwavefrontsize64" if "implicit" in file else "-mno-wavefrontsize64",
                    SOURCE / file, "-o", code], check=True, stdin=subprocess.DEVNULL)
    return capture(folder, code.stem, LAUNCH, code, *options, **settings)


def replay(path, made, *options, status=0, number=1):
    return parse(run("replay", "--json", "--override", f"{number}={made}", *options, path, status=status))


def dumped(folder, path, made, va, size):
    """Memory behind an edited submission, and what the replay says."""
    out = pathlib.Path(folder, "dump")
    said = replay(path, made, "--dump", f"1:{va}={out}")
    show = parse(run("capture", "show", "--json", path, 1))
    base = max(int(b["va"], 16) for b in show["buffers"] if b.get("va") and int(b["va"], 16) <= va)
    return out.read_bytes()[va - base:][:size], said


def replaced(text, before, after):
    equal(text.count(before), 1, f"{before!r} in\n{text}")
    return text.replace(before, after)


def error_of(program, **settings):
    """A program that refuses: its message."""
    done = subprocess.run([program, f"{program}.bwo"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S,
                          env={**os.environ, **settings})
    equal(done.returncode, 2, f"the status of {program}")
    return done.stderr


def refused(text, folder, **settings):
    pathlib.Path(folder, "bad.c").write_text(text)
    subprocess.run(["cc", "-Wall", "-Werror", f"{folder}/bad.c", "-o", f"{folder}/bad"], check=True, stdin=subprocess.DEVNULL)
    return error_of(f"{folder}/bad", **settings)


def check_kernel(folder):
    """Edits of saxpy: its packets, its registers, its code in place, and its code grown."""
    path = kernel(folder, "examples/saxpy.s", "--grid", N, "--group", "64", "--arg", "a=2.0", "--arg", f"x=iota:{N}", "--arg",
                  f"y=fill:{N}:1", "--arg", f"out=zeros:{N}")
    sums, text = check_unedited(path, folder)
    equal(sums, {"ibs": 1, "called": 0, "shaders": 1, "dispatches": 1}, "what it is made of")
    show = parse(run("capture", "show", "--json", path, 1))
    out_va, = [int(b["va"], 16) for b in show["buffers"] if b["gpu_pages"]]
    # the bytes of the override are those of the captured memory
    for va, data, is_new in parts(pathlib.Path(folder, "same1.bwo")):
        equal((is_new, dumped(folder, path, pathlib.Path(folder, "same1.bwo"), va, len(data))[0]), (False, data), f"the bytes at {va:#x}")

    def results(edited):
        got, said = dumped(folder, path, build(edited, folder), out_va, 4 * N)
        return [int(v) for v in struct.unpack(f"<{N}f", got)], said

    equal(results(text)[0], [2 * i + 1 for i in range(N)], "not edited")
    equal(results(replaced(text, ".x = 4,", ".x = 1,"))[0], [2 * i + 1 if i < 64 else 0 for i in range(N)], "one workgroup")
    got, said = results(replaced(text, "F(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL, 64)", "F(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL, 32)"))
    equal((got, said["changed_bytes"], said["new_bytes"]), ([2 * i + 1 if i % 64 < 32 else 0 for i in range(N)], 1, 0), "half of each workgroup")
    fmac = "v_fmac_f32_e32 v3, s4, v2"
    got, said = results(replaced(text, fmac, "v_mul_f32_e32 v3, s4, v2"))
    equal((got, said["changed_bytes"] > 0, said["new_bytes"]), ([2 * i for i in range(N)], True, 0), "another instruction")
    line, = re.findall(r"\tI\(\"v_fmac.*\n", text)
    grown = replaced(text, line, line + '\tA("v_add_f32_e32 v3, 0x42c80000, v3"),\n' * 3)
    got, said = results(grown)
    equal((got, said["new_bytes"] > 0), ([2 * i + 301 for i in range(N)], True), "code that has grown")
    # also streams grow: two dispatches, and 32 bytes of patched memory
    line, = re.findall(r"\tdispatch_direct\(.*\n", text)
    equal(results(replaced(text, line, line * 2))[0], [2 * i + 1 for i in range(N)], "a stream that has grown")
    arguments, = re.findall(r"user data 0 and 1: (0x\w+)", text)
    got, _ = results(text.replace("\tstruct bw_edit edit =", f"\tpatch({arguments}, (uint32_t[]){{0x40400000}}, 1);\n\tstruct bw_edit edit ="))
    equal(got, [3 * i + 1 for i in range(N)], "another argument")
    # what a submission has changed for itself is gone behind it
    equal(parse(run("replay", "--check", "--json", "--override", f"1={build(text, folder)}", "--loop", 2, path))["same"], True, "loops")
    return path, text


def check_replaced(folder, path, text):
    """A shader that capture --shader has replaced: its own code is there to be edited, behind the jump."""
    code = parse(run("capture", "show", "--json", path, 1))["dispatches"][0]["code"]
    body = text[text.index("static const struct bw_edit_line shader_0"):].split("};", 1)[0]
    lines = [f"{m[1]}:" if m[1] else f"\t{m[2]}" for m in re.finditer(r'LABEL\("([^"]*)"\)|I\("([^"]*)"', body)]
    new = pathlib.Path(folder, "new.s")
    new.write_text("\n".join(lines).replace("v_fmac_f32_e32 v3, s4, v2", "v_mul_f32_e32 v3, s4, v2") + "\n")
    arguments = ["--grid", N, "--group", "64", "--arg", "a=2.0", "--arg", f"x=iota:{N}", "--arg", f"y=fill:{N}:1", "--arg", f"out=zeros:{N}"]
    again = pathlib.Path(folder, "replaced.bwc")
    run("capture", "-o", again, "--shader", f"{code}={new}", "--", LAUNCH, pathlib.Path(folder, "saxpy.co"), *arguments)
    sums, text = check_unedited(again, folder)
    equal(sums, {"ibs": 1, "called": 0, "shaders": 2, "dispatches": 1}, "what it is made of")
    check(re.search(r"--shader has replaced it: it jumps to 0x[0-9a-f]+\.\nstatic const struct bw_edit_line shader_0", text), text)
    out_va, = [int(b["va"], 16) for b in parse(run("capture", "show", "--json", again, 1))["buffers"] if b["gpu_pages"]]
    for edited, want in (text, 0), (replaced(text, "v_mul_f32_e32 v3, s4, v2", "v_fmac_f32_e32 v3, s4, v2"), 1):
        got, _ = dumped(folder, again, build(edited, folder), out_va, 4 * N)
        equal([int(v) for v in struct.unpack(f"<{N}f", got)], [2 * i + want for i in range(N)], "what its code computes")


def check_code(folder):
    """Branches, calls, waves of 64 lanes."""
    for file, options in ("tests/e2e/kernels/calls.s", ["--grid", 64, "--group", 32, "--arg", "out=zeros:64"]), \
            ("tests/e2e/kernels/steps.s", ["--grid", 32, "--group", 32, "--arg", "out=zeros:32"]), \
            ("tests/e2e/kernels/implicit.s", ["--kernel", "early", "--grid", 64, "--group", 64, "--arg", "in=zeros:64"]):
        path = kernel(folder, file, *options)
        sums, text = check_unedited(path, folder)
        equal(sums["shaders"], 1, f"shaders of {file}")
        if ".reads_pc = 1" in text:
            continue  # the assembler takes shorter encodings, and this code must keep its length
        # all of it assembled: only the text says what it is
        every = re.sub(r'\tI\(("[^"]*"), .*\),\n', r"\tA(\1),\n", text)
        said = replay(path, build(every, folder), "--check")
        equal(said["same"], True, f"{file}, assembled")


def check_hangs(folder):
    """A loop without an end in code, and waits without an end in streams: edited out, the replay runs through."""
    path = kernel(folder, "tests/e2e/kernels/loop.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", **QUICK)
    text = source(path, 1)["source"]
    os.environ.update(QUICK)
    equal(replay(path, build(text, folder), status=3)["as_captured"], True, "it hangs as captured")
    equal(replay(path, build(replaced(text, "s_branch L_0004", "s_nop 0"), folder))["same"], True, "without the branch")
    path = capture(folder, "hang", *STREAMS, "compute", "hang", **QUICK)
    text = source(path, 1)["source"]
    equal(replay(path, build(text, folder), status=3)["as_captured"], True, "it hangs as captured")
    line, = re.findall(r"\twait_reg_mem\(.*\n", text)
    got, said = dumped(folder, path, build(replaced(text, line, ""), folder), RESULTS, 12)
    equal((got, said["same"], said["new_bytes"]), (struct.pack("<3I", 0x11, 0x22, 0x33), True, 0), "without the wait in a called stream")
    path = capture(folder, "hang", *STREAMS, "sdma", "hang", **QUICK)
    text = source(path, 1)["source"]
    got, said = dumped(folder, path, build(replaced(text, ".reference = 7", ".reference = 0"), folder), RESULTS, 12)
    equal((got, said["same"]), (struct.pack("<3I", 0x11, 0x22, 0x33), True), "with another wait of the SDMA engine")
    for key in QUICK:
        del os.environ[key]


def check_streams(folder):
    """Called and chained streams, SDMA packets: the same bytes, and called streams that grow."""
    path = capture(folder, "sdma", *STREAMS, "sdma")
    sums, text = check_unedited(path, folder)
    equal(sums["ibs"], 1, "SDMA")
    for name in "write_linear", "poll_regmem", "constant_fill", "copy_linear", "atomic", "cond_exe", "nop", "fence":
        check(f"\tsdma_{name}(" in text, text)
    check("words(" not in text, text)
    path = capture(folder, "compute", *STREAMS, "compute")
    sums, text = check_unedited(path, folder)
    equal(sums, {"ibs": 1, "called": 2, "shaders": 0, "dispatches": 0}, "what it is made of")
    check("words(" not in text and "packet(" not in text and "reg_rmw(.register_ = 0xc200, " in text, text)
    more = f"\twrite_data(.destination = 5, .address = {RESULTS + 16:#x}, .n_data = 3, .data = (uint32_t[]){{1, 2, 3}});\n"
    for stream in "called_0", "called_1", "ib_0":
        begin = f"static void {stream}(void)\n{{\n"
        got, said = dumped(folder, path, build(replaced(text, begin, begin + more * 3), folder), RESULTS, 28)
        equal((struct.unpack("<7I", got), said["new_bytes"] > 0), ((0x11, 0x22, 0x33, 0, 1, 2, 3), True), f"{stream} has grown")


def check_refusals(folder, path, text):
    fmac = "v_fmac_f32_e32 v3, s4, v2"
    edited = replaced(text, fmac, "v_nonsense v3")
    check("shader_0 does not assemble" in refused(edited, folder), "nonsense")
    check("Debian package clang-19" in refused(edited, folder, BREAKWATER_CLANG="/nonexistent"), "no assembler")
    equal(refused(replaced(text, ".type = 7", ".type = 64"), folder),
          "edit: ib_0: event_write(.type = 0x40): it has 6 bits\n", "a field that does not fit")
    grown = replaced(text, fmac, fmac + "\\n s_nop 0\\n s_nop 0\\n s_nop 0")
    numbers = grown.replace("code_lo(SHADER_0)", "0x1000016").replace("code_hi(SHADER_0)", "0")
    check("no register of this submission is set to its address" in refused(numbers, folder), "code that nobody finds")
    va = int(re.search(r"\.va = (0x\w+)", text).group(1), 16)
    patched = text.replace("\tstruct bw_edit edit =", f"\tpatch({va:#x}, (uint32_t[]){{1}}, 1);\n\tstruct bw_edit edit =")
    check("have different bytes at the same address" in refused(patched, folder), "a stream and a patch of it")
    grown = grown.replace(".free_va = ", ".free_b = 0, .free_va = 1 ? 0 : ").replace(", .free_b = 0x", ", .number = 1 + 0 * 0x", 1)
    check("addresses are free" in refused(grown, folder), "no room")
    calls = source(kernel(folder, "tests/e2e/kernels/calls.s", "--grid", 64, "--group", 32, "--arg", "out=zeros:64"), 1)["source"]
    check(".reads_pc = 1" in calls, calls)
    check("must keep its" in refused(replaced(calls, "\tI(\"s_endpgm\"", "\tA(\"s_nop 0\"),\n\tI(\"s_endpgm\""), folder), "code with its address")
    check_files(folder, path)


def check_files(folder, path):
    """Override files that are not what they should be."""
    made = build(source(path, 1)["source"], folder)
    whole, bad = made.read_bytes(), pathlib.Path(folder, "bad.bwo")

    def said(data, number=1):
        bad.write_bytes(data)
        done = subprocess.run([str(BREAKWATER), "replay", "--override", f"{number}={bad}", str(path)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, 2, f"the status of replay\n{done.stdout}")
        return done.stderr

    equal(said(whole, 2), f"breakwater: {bad} was made of submission 1, not of 2.\n", "of another submission")
    equal(said(whole[:-9]), f"breakwater: {bad}: the override file was cut off.\n", "cut off")
    check("version 9, and this Breakwater reads version 1" in said(whole[:8] + b"\x09" + whole[9:]), "version")
    check("holds no submission 9" in said(whole[:12] + b"\x09" + whole[13:], 9), "of a submission that is not there")
    check("bytes after its end" in said(whole + b"1234"), "too long")
    check("neither an override file nor a command stream" in said(b"abc"), "something else")
    check("its IB 0 has" in said(whole[:24] + b"\x10" + whole[25:]), "of another place")
    at = 24 + 24
    check("something is mapped there" in said(whole[:at] + whole[at:at + 8].replace(whole[at:at + 2], b"\0" + whole[at + 1:at + 2])
                                              + whole[at + 8:at + 16] + b"\1" + whole[at + 17:]), "new memory that is not free")
    check("has no memory at 0x7f0000000000" in said(whole[:at] + struct.pack("<Q", 0x7f0000000000) + whole[at + 8:]), "nowhere")
    check("holds no submission 9" in run_error("decompile", path, "-s", "9"), "no such submission")
    check("wants a capture and -s NUMBER, or --header" in run_error("decompile", path), "no number")


def run_error(*args):
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    equal(done.returncode, 2, f"the status of {args}")
    return done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, text = check_kernel(folder)
        check_replaced(folder, path, text)
        check_code(folder)
        check_hangs(folder)
        check_streams(folder)
        check_refusals(folder, path, text)
    print("decompile: ok")


if __name__ == "__main__":
    main()
