# SPDX-License-Identifier: MIT
"""breakwater exec --stomp-memory on the virtual GPU: LDS, scratch memory, VGPRs and SGPRs that nobody has set do not hold
zeros when a wave starts, those that are set are not touched, and breakwater bisect --stomp finds which is read, by which
dispatch. The kernels of stale.s each read one of them in one workgroup."""
import os
import pathlib
import struct
import subprocess
import tempfile

from harness import SOURCE, check, equal
from json_schema import parse
from test_breadcrumbs import LAUNCH, REPLAY, Streams, breakwater

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
BAD = 0xe4cdcdcd
# the word of the option, and the kernel
WHAT = {"lds": "stale_lds", "scratch": "stale_scratch", "vgprs": "stale_vgpr", "sgprs": "stale_sgpr"}
READER = 3  # the workgroup that reads
ARGUMENTS = ("--arg", "out=zeros:128", "--arg", f"which={READER}")


def found_by(*words, status=0):
    out, _ = breakwater("bisect", "--stomp", "--json", *words, status=status)
    return parse(out.strip().splitlines()[-1])


def check_exec(folder):
    code = folder / "stale.co"
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", SOURCE / "tests/e2e/kernels/stale.s", "-o", code],
                   check=True, stdin=subprocess.DEVNULL)
    for what, kernel in WHAT.items():
        program = [LAUNCH, code, "--kernel", kernel, "--grid", "128", "--group", "32", *ARGUMENTS, "--print", "out"]
        for options, stale in (([], 0), (["--stomp-memory"], BAD), (["--stomp-memory=lds,scratch,vgprs,sgprs", "--except", what], 0)):
            out, _ = breakwater("exec", *options, "--", *program)
            equal([int(v) for v in out.split()], [1] * 96 + [stale] * 32, f"{kernel} with {options}")
    # scratch memory is in a buffer: it is the waves' all the same
    program[3] = "stale_scratch"
    found = found_by("--stomp-memory", "--", *program)
    equal((found["waves"], found["buffers"], found["submission"], found["dispatch"]), (["scratch"], [], 1, 0), "bisect of a program")
    event = parse(breakwater("exec", "--json", "--stomp-memory=lds,vgprs,1", "--", *program)[1].strip())
    equal((event["fills_waves"], event["submissions"], event["submissions_filled"], event["waves"], event["filled"]),
          (True, 1, 1, ["lds", "vgprs"], 1), "the report")


def check_dispatch(folder):
    """In a stream of several dispatches, replayed: the one that reads is found, and it alone can be filled."""
    for what, kernel in WHAT.items():
        s = Streams(folder, kernel, "stale.s", ARGUMENTS)
        words = s.state + s.dispatch(0, 1) + s.dispatch(1, 2) + s.dispatch(0, 3) + s.dispatch(READER, 1) + s.dispatch(2, 1)
        stream, counts = folder / "words", folder / "counts"
        stream.write_bytes(struct.pack(f"<{len(words)}I", *words))
        replay = [REPLAY, "--override", f"1={stream}"]
        for at, stale in (("1,3", BAD), ("1,0-2", 0), ("2", 0)):
            breakwater("exec", f"--stomp-memory={what}", "--at", at, "--", *replay, "--dump", f"1:{s.out['buffer']}={counts}", s.file)
            equal(list(struct.unpack("<128I", counts.read_bytes()[:512])), [1] * 96 + [stale] * 32, f"{kernel} --at {at}")
        # what it computes, not --check, which compares scratch memory as well
        shell = f"{REPLAY} --override 1={stream} --dump 1:{s.out['buffer']}={counts} {s.file} > {folder}/said && od -tx4 {counts}"
        found = found_by(f"--stomp-memory={what}", "--", "sh", "-c", shell)
        equal((found["waves"], found["submission"], found["dispatch"]), ([what], 1, 3), f"{kernel}: bisect of the stream")
    # the capture itself, by its replay
    found = found_by("--stomp-memory", s.file)
    equal((found["waves"], found["buffers"], found["submission"], found["dispatch"]), (["sgprs"], [], 1, 0), "bisect of the capture")
    equal(found_by("--stomp-memory=lds,vgprs", s.file, status=1)["found"], False, "what is not read")
    # the second time that a replay makes the submission
    breakwater("exec", "--stomp-memory=sgprs", "--at", "2", "--", REPLAY, "--loop", "2", "--dump", f"1:{s.out['buffer']}={counts}", s.file)
    equal(list(struct.unpack("<128I", counts.read_bytes()[:512])), [1] * 96 + [BAD] * 32, "submission 2")


def check_refusals():
    for words, error in ((["--stomp-memory=ldx"], "lds, scratch, vgprs or sgprs"), (["--stomp-memory=lds", "--at", "0"], "--at wants SUBMISSION"),
                         (["--stomp-memory=lds", "--at", "1,2-1"], "--at wants SUBMISSION"), (["--stomp-memory=lds", "--at", "1,x"], "--at wants"),
                         (["--stomp-memory=lds", "--stomp-registers", "--at", "1-2"], "one submission and one dispatch"),
                         (["--at", "1", "--stomp-memory", "--except", "lds,scratch,vgprs,sgprs"], "a buffer is filled when it is made")):
        check(error in breakwater("exec", *words, "--", "true", status=2)[1], words)
    for what in ("scratch", "3"):
        check("fills lds, vgprs and sgprs in a replay" in breakwater("bisect", "--stomp", f"--stomp-memory={what}", "x.bwc", status=2)[1], what)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_exec(pathlib.Path(folder))
        check_dispatch(pathlib.Path(folder))
        check_refusals()
    print("stomp waves: ok")


if __name__ == "__main__":
    main()
