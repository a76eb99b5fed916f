# SPDX-License-Identifier: MIT
"""breakwater capture and replay: what a program has submitted runs again in a fresh process, and leaves the same
bytes; what differs, fails or hangs is said; a capture opens in the debugger, and when it was cut off."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import harness
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, Failure, check, equal
from json_schema import parse

LAUNCH = BUILD / "breakwater-launch"
SAXPY = ["--grid", "256", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:256", "--arg", "y=fill:256:1", "--arg",
         "out=zeros:256"]
# out = a * x + y
EXPECTED = struct.pack("<256f", *[2.0 * i + 1 for i in range(256)])


def ask(*args, status=0, **settings):
    """breakwater ARGS; standard output and standard error."""
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_S, env={**os.environ, **settings})
    if done.returncode != status:
        raise Failure(f"breakwater {args}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def answer(*args, **kwargs):
    """The one object that a command with --json writes."""
    out, _ = ask(*args, "--json", **kwargs)
    return parse(out.strip())


def assemble(source, folder):
    code = pathlib.Path(folder, pathlib.Path(source).stem + ".co")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", SOURCE / source, "-o", code], check=True,
                   stdin=subprocess.DEVNULL)
    return code


def capture(folder, name, *program, status=0, options=(), **settings):
    path = pathlib.Path(folder, name)
    _, said = ask("capture", "--json", *options, "-o", path, "--", *program, status=status, **settings)
    summary = parse(said.strip().splitlines()[-1])
    equal((summary["file"], summary["bytes"]), (str(path), path.stat().st_size), "what capture says")
    return path, summary


def check_saxpy(folder):
    code = assemble("examples/saxpy.s", folder)
    path, summary = capture(folder, "saxpy.bwc", LAUNCH, code, *SAXPY, "--dump", f"out={folder}/first")
    equal((summary["submissions"], summary["processes"]), (1, 1), "what was captured")
    equal(pathlib.Path(folder, "first").read_bytes(), EXPECTED, "what the captured program has computed")
    info = answer("capture", "info", path)
    equal((info["gpu"], info["submissions"], info["dispatches"], info["failed"], info["whole"]), ("gfx1100", 1, 1, 0, True), "info")
    row, = answer("capture", "list", path)["submissions"]
    equal((row["comm"], row["ring"], row["dispatches"], row["outcome"]), ("saxpy", "compute 0", 1, "done"), "list")
    shown = answer("capture", "show", path, 1)
    dispatch, = shown["dispatches"]
    equal((dispatch["groups"], dispatch["group_size"]), ("4,1,1", "64,1,1"), "the dispatch")
    written = [b for b in shown["buffers"] if b["gpu_pages"]]
    equal(len(written), 1, "buffers that the kernel has written")
    # in a fresh process, at the same addresses: by the buffer's number and by its address
    for what in (written[0]["buffer"], written[0]["va"]):
        again = answer("replay", "--check", "--dump", f"1:{what}={folder}/again", path)
        equal((again["submissions"], again["checked"], again["same"]), (1, 1, True), "the replay")
        equal(pathlib.Path(folder, "again").read_bytes()[:len(EXPECTED)], EXPECTED, "what the replay has computed")
    equal(answer("replay", "--check", "--loop", "3", path)["loops"], 3, "loops")
    return path, written[0]


def check_differences(folder, path, out):
    """A command stream that does nothing instead: the kernel's results are missing, from its first one on."""
    nothing = pathlib.Path(folder, "nothing.bin")
    nothing.write_bytes(struct.pack("<I", 0xffff1000) * 64)  # NOPs of one dword (COUNT 0x3fff)
    r = answer("replay", "--check", "--override", f"1={nothing}", path, status=1)
    # the first result is 1.0, 00 00 80 3f: its third byte is the first that is not zero
    equal(answer("bisect", path, status=1), {"type": "answer", "command": "bisect", "found": False, "tries": 1}, "nothing is bad")
    equal((r["same"], r["differs_after"], r["buffer"], r["offset"], r["pages"]), (False, 1, out["buffer"], "0x2", 1), "the difference")
    equal((r["captured"][:5], r["replayed"][:5]), ("80 3f", "00 00"), "its bytes")
    equal(int(r["va"], 16), int(out["va"], 16) + 2, "its address")
    text, _ = ask("replay", "--check", "--override", f"1.0={nothing}", path, status=1)
    check(text.startswith(f"Submission 1 (1 dispatch) differs first in buffer {out['buffer']} at byte 0x2"), text)


def check_debugger(path):
    """No program is needed: the debugger stops in the captured dispatch, steps and prints."""
    s = harness.Session(path)
    s.command("break on dispatch")
    s.command("run")
    equal([e["reason"] for e in harness.events(s.events, "stop")], ["BREAKPOINT"], "the stop")
    kernel = s.command("info kernel")
    equal((kernel["groups"], kernel["workgroup"]), ([4, 1, 1], [64, 1, 1]), "the dispatch")
    before = int(s.command("print $pc")["text"].split()[0], 16)
    s.command("stepi")
    check(int(s.command("print $pc")["text"].split()[0], 16) > before, "stepi goes on")
    s.command("delete")
    s.command("continue")
    status, _ = s.end()
    equal(status, 0, "the debugger's status")


def check_failures(folder):
    """A fault and a hang: the replay has the same one."""
    code = assemble("tests/e2e/kernels/unmapped.s", folder)
    path, _ = capture(folder, "fault.bwc", LAUNCH, code, "--grid", "32", "--group", "32", "--arg", "out=zeros:32", "--arg",
                      "addr=0x123456789000", status=3)
    row, = answer("capture", "list", path)["submissions"]
    equal(row["outcome"].split(" (")[0], "failed with a page fault at 0x123456789000", "the result captured")
    r = answer("replay", path, status=3)
    equal((r["broke"], r["as_captured"], r["how"]), (1, True, row["outcome"]), "the fault")
    kept, summary = capture(folder, "kept.bwc", LAUNCH, code, "--grid", "32", "--group", "32", "--arg", "out=zeros:32", "--arg",
                            "addr=0x123456789000", status=3, options=["--on", "hang,fault"])
    equal((summary["kept"], kept.exists()), (True, True), "a capture for faults")
    gone = pathlib.Path(folder, "gone.bwc")
    _, said = ask("capture", "--on", "crash", "-o", gone, "--", LAUNCH, code, "--grid", "32", "--group", "32", "--arg", "out=zeros:32",
                  "--arg", "addr=0x123456789000", status=3)
    check(f"breakwater: 1 submission, and nothing to keep: {gone} was removed." in said and not gone.exists(), said)
    code = assemble("tests/e2e/kernels/loop.s", folder)
    quick = {"BREAKWATER_VGPU_ARGS": "--quiet --lockup-timeout 300"}
    path, _ = capture(folder, "hang.bwc", LAUNCH, code, "--grid", "32", "--group", "32", "--arg", "out=zeros:32", status=3, **quick)
    equal(answer("capture", "info", path)["failed"], 1, "submissions that failed")
    r = answer("replay", path, status=3, **quick)
    equal((r["broke"], r["as_captured"], r["how"]), (1, True, "failed: the driver ended its waves"), "the hang")
    # long enough for what is good on a machine that is busy
    r = answer("bisect", path, BREAKWATER_VGPU_ARGS="--quiet --lockup-timeout 4000")
    equal((r["found"], r["number"], r["where"], r["dispatch"]), (True, 1, "dispatch", 0), "bisect")
    # without a driver that ends it
    r = answer("replay", "--timeout", "1", path, status=3)
    equal((r["broke"], r["as_captured"], r["how"]), (1, True, "did not end within 1 s"), "the hang")


def check_program_memory(folder):
    """A page of the program's own memory that its threads write while the GPU runs: what the replay does not write there is
    no difference, what it writes otherwise is one. In other buffers both are."""
    path = pathlib.Path(folder, "user.bwc")
    for kind, value, same, found in (("user", "4660", True, (4, None)), ("user", "4661", False, (4, "0x20")),
                                     ("plain", "4660", False, (0, "0x960"))):
        subprocess.run([BUILD / "tests/e2e/user_capture", path, kind, value], check=True)
        r = answer("replay", "--check", path, status=0 if same else 1)
        equal((r["same"], (r["program_bytes"], r.get("offset"))), (same, found), f"{kind} {value}")


def check_clocks(folder):
    """The GPU's clock is another one in each run, and no difference; what is next to it is one, and so is a clock that the
    replay does not write."""
    for ring, n_b, n_values, n_copied_b, copies in (("compute", 20, 3, 12, "2 copies"), ("sdma", 16, 2, 8, "1 copy")):
        path, _ = capture(folder, f"{ring}.bwc", sys.executable, SOURCE / "tests/e2e/streams.py", ring, "clock")
        ib, = answer("capture", "show", path, 1)["ibs"]
        code = pathlib.Path(folder, "code")
        r = answer("replay", "--check", "--dump", f"1:{ib['va']}={code}", path)
        equal((r["same"], r["clock_bytes"], r["clock_values"]), (True, n_b, n_values), f"clocks of {ring}")
        text, _ = ask("replay", "--check", "--loop", "2", path)
        check(f"\n{n_b} bytes were left out of the comparison: there packets have written {n_values} values of the GPU's clock, which "
              "is never the same twice.\n" in text, text)
        check(f"\n{n_copied_b} more bytes were left out: {copies} of these values.\n" in text, text)
        row = next(b for b in answer("capture", "show", path, 1)["buffers"] if int(b["va"], 16) <= int(ib["va"], 16) <
                   int(b["va"], 16) + b["bytes"])
        at = int(ib["va"], 16) - int(row["va"], 16)
        words = list(struct.unpack(f"<{ib['bytes'] // 4}I", code.read_bytes()[at:at + ib["bytes"]]))
        other = pathlib.Path(folder, "other.bin")
        for name, changed in (("the word next to it", [0x12 if w == 0x11 else w for w in words]),
                              ("no clock", [0xffff1000 if ring == "compute" else 0] * len(words))):
            other.write_bytes(struct.pack(f"<{len(words)}I", *changed))
            r = answer("replay", "--check", "--override", f"1.0={other}", path, status=1)
            equal((r["same"], r["differs_after"]), (False, 1), name)
            # with the word alone, the clocks are no part of the difference
            equal((r["clock_values"], r["differing_bytes"] == 1), (n_values, True) if name != "no clock" else (0, False), name)


def check_waits(folder):
    """The capture has waited for a submission: waits of the program for it need no call any more, and all of them end as they
    do without a capture."""
    def said(out):
        return [line for line in out.splitlines() if not line.startswith("CS")]

    program = ["--", sys.executable, SOURCE / "tests/e2e/waits.py"]
    alone, _ = ask("exec", *program)
    check("a context that is gone: EINVAL" in alone, alone)
    captured, log = ask("capture", "-o", pathlib.Path(folder, "waits.bwc"), *program, BREAKWATER_LOG="debug")
    equal(said(captured), said(alone), "what the waits return")
    # the capture's own, and five with a wrong name
    equal(len(re.findall(r"\bWAIT_CS \(pid", log)), 6, "calls that wait")


def check_bad_files(folder, path):
    whole = path.read_bytes()
    cut = pathlib.Path(folder, "cut.bwc")
    # behind the submission's record, before its result
    cut.write_bytes(whole[:-200])
    info = answer("capture", "info", cut)
    equal((info["whole"], info["submissions"], info["damaged_bytes"]), (False, 1, 0), "a capture that was cut off")
    text, _ = ask("capture", "list", cut)
    check("It has no end: it was cut off, or is being written. What the last submission has changed is not in it." in text, text)
    equal(ask("replay", "--check", cut, status=2)[1], f"breakwater: nothing was compared: {cut} has no memory after the "
          "submission that was replayed.\n", "its replay")
    equal(answer("replay", cut)["submissions"], 1, "its replay without a comparison")
    cut.write_bytes(whole[:40])
    equal(ask("replay", cut, status=2)[1], f"breakwater: {cut} holds no submission.\n", "nothing to replay")
    equal(ask("capture", "info", SOURCE / "README.md", status=2)[1],
          f"breakwater: {SOURCE}/README.md is not a capture: \"breakwater capture\" makes one (*.bwc).\n", "no capture")
    other = pathlib.Path(folder, "other.bwc")
    other.write_bytes(whole[:8] + b"\x09" + whole[9:])
    for command in (["capture", "list"], ["replay"]):
        equal(ask(*command, other, status=2)[1], f"breakwater: {other} is a capture of version 9, and this Breakwater reads "
              "versions 1 to 8: read it with the Breakwater that made it.\n", "another version")
    check("wants hang, fault or crash" in ask("capture", "--on", "hang,luck", "-o", other, "--", "true", status=2)[1], "--on")
    check("has no option --nonsense" in ask("replay", "--nonsense", path, status=2)[1], "an option")
    check("needs a program" in ask("capture", "-o", other, status=2)[1], "no program")
    check("holds no submission 7" in ask("capture", "show", path, "7", status=2)[1], "no such submission")


def check_found_by_path(folder):
    """A shell finds the program by PATH, in a folder with another file of its name: it finds its parts all the same."""
    pathlib.Path(folder, "breakwater").mkdir()
    done = subprocess.run(["sh", "-c", "breakwater exec -- echo ran"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S, env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"})
    equal((done.stdout, done.returncode), ("ran\n", 0), done.stderr)


def check_older_version(folder):
    """A capture that the first version has made, of the same program: what it has can be had, and what is missing is said."""
    old, end = SOURCE / "tests/fuzz/corpus/capture/saxpy.bwc", pathlib.Path(folder, "end.s")
    end.write_text("\ts_endpgm\n")
    equal(answer("capture", "info", old)["version"], 1, "its version")
    equal(answer("replay", "--check", old)["same"], True, "its replay")
    dispatch, = answer("capture", "show", old, 1)["dispatches"]
    check("hash" not in dispatch, dispatch)
    equal(answer("replay", "--check", "--shader", f"{dispatch['code']}={end}", old, status=1)["same"], False, "a shader that does nothing")
    hashed = f"0123456789abcdef={end}"
    equal(ask("replay", "--shader", hashed, old, status=2)[1].splitlines()[0],
          "breakwater: --shader 0123456789abcdef: the capture is of version 1, which has no hashes of SPIR-V: use the name or the "
          "code's address that \"capture show\" has.", "a hash")
    shader = pathlib.Path(folder, "one.comp")
    shader.write_text("#version 460\nlayout(local_size_x = 64) in;\nvoid main() {}\n")
    if shutil.which("glslangValidator"):
        equal(ask("replay", "--shader", f"x={shader}", old, status=2)[1],
              "breakwater: --shader x: the capture is of version 1, which has no records of pipelines: FILE is .s, or the program is "
              "captured again.\n", "SPIR-V")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, out = check_saxpy(folder)
        check_differences(folder, path, out)
        check_debugger(path)
        check_failures(folder)
        check_program_memory(folder)
        check_clocks(folder)
        check_waits(folder)
        check_bad_files(folder, path)
        check_older_version(folder)
        check_found_by_path(folder)
    print("capture: ok")


if __name__ == "__main__":
    main()
