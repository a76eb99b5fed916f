# SPDX-License-Identifier: MIT
"""A capture with a damaged record, result, block or page: what is left of it is listed, shown and replayed, each command says what
is missing, and memory behind the other submissions is what the CPU computes."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, equal
from test_capture import answer, ask

PROGRAM = os.path.abspath(sys.argv[1])
PAGES, SUBMISSION, RESULT = 2, 3, 4
HEAD = struct.Struct("<IIQIIQQQ")
ROUNDS = 6


def blocks(data):
    """(kind, start, start of the body, end) of each."""
    at = 16
    while at < len(data):
        _, kind, _, summary_b, _, stored_b, _, _ = HEAD.unpack_from(data, at)
        body = at + HEAD.size + summary_b
        yield kind, at, body, body + stored_b
        at = body + stored_b


class Damaged:
    """The same file, with one byte of one block changed."""
    def __init__(self, path):
        self.whole, self.path = path.read_bytes(), path.with_name("damaged.bwc")
        self.blocks = list(blocks(self.whole))

    def flip(self, kind, nth, in_body):
        _, start, body, end = [b for b in self.blocks if b[0] == kind][nth]
        data = bytearray(self.whole)
        data[(body + end) // 2 if in_body else start + 24] ^= 0x55
        self.path.write_bytes(data)
        return end - start


def computed(rounds):
    """The kernel's buffer behind so many rounds, on the CPU (rounds.cl)."""
    x = [0] * 256
    for k in range(1, rounds + 1):
        x = [(v * 3 + i + k) % 2**32 for i, v in enumerate(x)]
    return struct.pack("<256I", *x)


def check_replay(d, out, **expected):
    """The last round has the CPU's result, whatever was lost before it."""
    dumped = d.path.with_name("dumped")
    r = answer("replay", "--check", "--dump", f"{ROUNDS}:{out}={dumped}", d.path)
    equal({k: r[k] for k in expected}, expected, "the replay")
    equal(dumped.read_bytes()[:1024] == computed(ROUNDS), True, "its memory is what the CPU computes")


def check_record(d, out):
    """Submission 3 cannot run; what it has left is in its result, which is whole."""
    d.flip(SUBMISSION, 2, in_body=True)
    check_replay(d, out, same=True, submissions=ROUNDS - 1, lost_records=1, lost_pages=0, damaged_bytes=0)
    text, _ = ask("replay", d.path)
    check("The capture is damaged: 1 record was left out" in text, text)
    equal(answer("capture", "show", d.path, 2)["lost_records"], 0, "before it")
    equal(answer("capture", "show", d.path, 5)["lost_records"], 1, "behind it")
    check("submission 3: " in ask("capture", "show", d.path, 3, status=2)[1], "the damaged one")
    check("dispatch_direct" in ask("decompile", d.path, "-s", 6)[0], "a later one as C")
    check("The capture is damaged (0 bytes skipped, 1 records and 0 pages missing)" in ask("bisect", d.path, status=1)[1], "bisect")


def check_result(d, out):
    """What submission 3 has changed is not known: it runs, and is not compared."""
    d.flip(RESULT, 2, in_body=True)
    check_replay(d, out, same=True, submissions=ROUNDS, checked=ROUNDS - 1, lost_records=1, lost_pages=0, damaged_bytes=0)
    equal(answer("capture", "show", d.path, 3)["lost_records"], 1, "the damaged one")


def check_block(d):
    """Nobody knows what the bytes were: they are skipped, and submission 4 finds other memory."""
    length_b = d.flip(SUBMISSION, 2, in_body=False)
    r = answer("replay", "--check", d.path, status=1)
    equal((r["damaged_bytes"], r["lost_records"], r["differs_after"]), (length_b, 0, 4), "the replay")
    text, _ = ask("replay", d.path)
    check(f"The capture is damaged: {length_b} bytes of it were skipped" in text, text)


def check_page(d, out):
    """The page behind submission 3 is missing: that submission is compared without it."""
    results = [i for i, b in enumerate(d.blocks) if b[0] == RESULT]
    nth = sum(1 for b in d.blocks[:results[2]] if b[0] == PAGES) - 1
    d.flip(PAGES, nth, in_body=True)
    check_replay(d, out, same=True, submissions=ROUNDS, lost_records=0)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, path = folder / "rounds.co", folder / "rounds.bwc"
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O2", "-x", "cl", "-cl-std=CL2.0",
                        "-cl-kernel-arg-info", SOURCE / "tests/e2e/kernels/rounds.cl", "-o", code], check=True, stdin=subprocess.DEVNULL)
        args = ["--group", "64", "--grid", "256", "--arg", "out=zeros:256", "--arg", "control=zeros:1024"]
        subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", PROGRAM, *args, code], input=f"{ROUNDS}\n", text=True,
                       capture_output=True, check=True, timeout=TIMEOUT_S)
        out, = [b["buffer"] for b in answer("capture", "show", path, 1)["buffers"] if b["gpu_pages"]]
        d = Damaged(path)
        check_record(d, out)
        check_result(d, out)
        check_block(d)
        check_page(d, out)
    print("damaged captures: ok")


if __name__ == "__main__":
    main()
