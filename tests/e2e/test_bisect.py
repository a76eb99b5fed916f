# SPDX-License-Identifier: MIT
"""breakwater bisect: the submission, and in it the dispatch or packet, with which a replay is bad; breakwater replay --check:
by which packet memory first differs. The command streams are made here, of the packets of a captured one
(test_breadcrumbs.py), and replayed in its place; captures of such replays are what is bisected."""
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile

from harness import BREAKWATER, SOURCE, TIMEOUT_S, Session, check, equal
from json_schema import parse
from test_breadcrumbs import REPLAY, WAIT_REG_MEM, WRITE_DATA, Streams, breakwater, packet

ROUNDS = sys.argv[1]
RELEASE_MEM, COPY_DATA = 0x49, 0x40
# What hangs is ended by the driver, long after what does not.
QUICK = {"BREAKWATER_VGPU_ARGS": "--quiet --lockup-timeout 1200"}


def answer(*args, **kwargs):
    return parse(breakwater(*args, "--json", **kwargs)[0].strip())


def write(s, element, value):
    """WRITE_DATA to an element of the buffer of counts."""
    va = int(s.out["va"], 16) + 4 * element
    return packet(WRITE_DATA, 5 << 8 | 1 << 20, va, va >> 32, value)


def override(s, words):
    path = s.folder / "words"
    path.write_bytes(struct.pack(f"<{len(words)}I", *words))
    return f"1={path}"


def check_by(s):
    """Which packet first leaves what differs in the end. The captured stream counts in elements 0 to 3."""
    n_state = len(s.state)
    same = s.state + s.dispatch(0, 4)
    before = [p for p in answer_packets(same)]
    # a value that is written and then made right again is none; the one behind it is
    words = same + write(s, 100, 5) + write(s, 100, 0) + write(s, 200, 7) + write(s, 201, 8)
    r = answer("replay", "--check", "--override", override(s, words), s.file, status=1)
    by = r["by_packet"]
    equal((r["by"], by["name"], by["number"], by["of"], by["offset"], by["written_bytes"]),
          ("packet", "WRITE_DATA", len(before) + 2, len(before) + 4, "0x320", 1), "the first write that stays")
    equal((r["differing_bytes"], r["unwritten_bytes"]), (2, 0), "bytes that differ")
    # the stream is called once more: its dispatch counts again
    words = same + s.call() + write(s, 200, 7)
    r = answer("replay", "--check", "--override", override(s, words), s.file, status=1)
    by = r["by_packet"]
    equal((r["by"], by["name"], by["offset"], by["written_bytes"]), ("packet", "DISPATCH_DIRECT", "0x0", 4), "a dispatch")
    equal((by.get("dispatch"), int(by["va"], 16)), (0, int(s.ib["va"], 16) + 4 * n_state), "it is the captured one")
    # nothing is written: which packet should have done it, nobody can say
    text, _ = breakwater("replay", "--check", "--override", override(s, [0xffff1000]), s.file, status=1)
    check("The replay writes none of the 4 bytes that differ: there they are as before the submission." in text, text)
    # the parts of it, by hand
    counts = pathlib.Path(s.folder, "part")
    words = same + write(s, 200, 7) + write(s, 201, 8)
    answer("replay", "--packets", f"1:{len(before) + 1}", "--override", override(s, words), "--dump", f"1:{s.out['buffer']}={counts}", s.file)
    values = struct.unpack("<256I", counts.read_bytes()[:1024])
    equal([*values[:4], *values[200:202]], [1] * 4 + [7, 0], "the first packets")
    check("it has" in breakwater("replay", "--packets", "1:1000", s.file, status=2)[1], "too many")
    check("one of them, once" in breakwater("replay", "--packets", "1:1", "--dispatches", "1:1", s.file, status=2)[1], "both")


def answer_packets(words):
    """Headers of the packets that are no padding."""
    at = 0
    while at < len(words):
        size = 1 if words[at] == 0xffff1000 else (words[at] >> 16 & 0x3fff) + 2
        if words[at] >> 8 & 0xff != 0x10:
            yield words[at]
        at += size


def make(s, name, words):
    """A capture whose one submission is this stream; the number of the buffer of counts in it."""
    path = s.folder / f"{name}.bwc"
    subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", REPLAY, "--override", override(s, words), s.file],
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, env={**os.environ, **QUICK})
    shown = answer("capture", "show", path, 1)
    buffer, = [b["buffer"] for b in shown["buffers"] if b["va"] == s.out["va"]]
    return path, buffer, shown


def check_packets(s):
    """No dispatch can be blamed: a wait that never ends, a word that is no packet, a packet of an SDMA ring."""
    va = int(s.out["va"], 16)
    words = s.state + s.dispatch(0, 4) + packet(WAIT_REG_MEM, 3 | 1 << 4, va, va >> 32, 0x1234, 0xffffffff, 0x20)
    path, _, shown = make(s, "wait", words)
    n = len(list(answer_packets(words)))
    r = answer("bisect", "--hang", path, **QUICK)
    equal((r["found"], r["number"], r["where"], r["packet_name"], r["packet_number"], r["packets"]),
          (True, 1, "packet", "WAIT_REG_MEM", n - 1, n), "the packet that never ends")
    equal((r["stream"], r["dword"], r["unsure"]), (shown["ibs"][0]["va"], len(words) - 7, 0), "where it is")
    check("== 0x1234" in r["text"], r["text"])
    words = s.state + s.dispatch(0, 4) + [0xdeadbeef] + s.dispatch(20, 1)
    path, _, shown = make(s, "beef", words)
    text, _ = breakwater("bisect", path)
    check(f"0xdeadbeef at 0x{int(shown['ibs'][0]['va'], 16) + 4 * words.index(0xdeadbeef):x} (dword {words.index(0xdeadbeef)} of the stream "
          f"at {shown['ibs'][0]['va']}) is not a packet." in text, text)
    n = len(list(answer_packets(s.state + s.dispatch(0, 4))))
    check(re.search(rf"Its packet {n} \(of 0 to [0-9]+\) does it: 0xdeadbeef at", text), text)
    path = s.folder / "sdma.bwc"
    subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", sys.executable, "-B", str(SOURCE / "tests/e2e/queue_errors.py"), "sdma"],
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
    r = answer("bisect", path)
    equal((r["where"], r["packet_name"], r["dword"], r["stream"]), ("packet", "no packet", 2, "0x10008000"), "of an SDMA ring")


def check_command(s):
    """What the user's command says: of memory behind a part of the submission, by file and by environment."""
    words = s.state + s.dispatch(0, 4) + write(s, 9, 1) + write(s, 10, 66) + s.dispatch(20, 1) + s.dispatch(30, 2)
    path, buffer, shown = make(s, "write", words)
    packets = [d["packet"] for d in shown["dispatches"]]

    def element(i):
        return f"$(od -An -tu4 -j{4 * i} -N4 {{buffer:{buffer}}})"

    r = answer("bisect", path, "--bad", f"test {element(10)} -lt 66")
    equal((r["where"], r["packet_name"], r["how"]), ("packet", "WRITE_DATA", "leaves what the command calls bad (exit status 1)"), "a packet")
    check("memory" in r["text"] and "0x00000042" in r["text"], r["text"])
    r = answer("bisect", path, "--bad", f"test {element(20)} -eq 0")
    equal((r["where"], r["dispatch"], r["packet"]), ("dispatch", 1, packets[1]), "a dispatch")
    # 125 skips: whether the first or the second dispatch does it is not told
    script = s.folder / "script"
    script.write_text(f"""#!/bin/sh
test "$BREAKWATER_SUBMISSION-$BREAKWATER_PACKETS-$BREAKWATER_STATUS-$BREAKWATER_HOW" = "1-all-0-was done" || exit 130
test "$BREAKWATER_CAPTURE" = {path} || exit 131
case $BREAKWATER_DISPATCHES in 2) exit 125;; esac
test $(od -An -tu4 -j120 -N4 $BREAKWATER_BUFFER_{s.out['va']}) -eq 0
""")
    r = answer("bisect", path, "--buffer", s.out["va"], "--bad", f"sh {script}")
    equal((r["where"], r["dispatch"], r["unsure"]), ("dispatch", 2, 1), "a skipped one")
    r = answer("bisect", path, "--bad", "exit 9")
    equal(r["where"], "before", "a command that calls everything bad")
    equal(answer("bisect", path, "--bad", "exit 125", status=1)["found"], False, "nothing can be told")
    check("ended with status 130, which ends the bisection" in breakwater("bisect", path, "--bad", "exit 130", status=2)[1], "a stop")
    check("no submission has all of the buffers" in breakwater("bisect", path, "--bad", "cmp {buffer:77} x", status=2)[1], "no such buffer")
    check("--buffer is for the command" in breakwater("bisect", path, "--buffer", "1", status=2)[1], "no command")
    check("--bad wants a command" in breakwater("bisect", path, "--bad", "", status=2)[1], "an empty command")


def check_submissions(s):
    """The first of several submissions, by what it leaves: element 0 becomes 1, 5, 18, 58, 179, 543."""
    code, path = s.folder / "rounds.co", s.folder / "rounds.bwc"
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O2", "-x", "cl", "-cl-std=CL2.0",
                    "-cl-kernel-arg-info", SOURCE / "tests/e2e/kernels/rounds.cl", "-o", code], check=True, stdin=subprocess.DEVNULL)
    args = ["--group", "64", "--grid", "256", "--arg", "out=zeros:256", "--arg", "control=zeros:1024"]
    subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", ROUNDS, *args, code], input="6\n", text=True, capture_output=True, check=True,
                   timeout=TIMEOUT_S)
    out, = [b["buffer"] for b in answer("capture", "show", path, 1)["buffers"] if b["gpu_pages"]]
    r = answer("bisect", path, "--bad", f"test $(od -An -tu4 -N4 {{buffer:{out}}}) -le 50")
    equal((r["number"], r["where"], r["dispatch"]), (4, "dispatch", 0), "the first that is above 50")
    return path, out


def check_later(s):
    """A hang in a later submission; and what is still bad with an edit: a shader, or packets, in its place."""
    code, path = s.folder / "rounds.co", s.folder / "later.bwc"
    args = ["--group", "64", "--grid", "256", "--arg", "out=zeros:256", "--arg", "control=zeros:1024"]
    subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", ROUNDS, *args, code], input="3\nhang\n", text=True, capture_output=True,
                   timeout=TIMEOUT_S, env={**os.environ, **QUICK})
    equal(len(answer("capture", "list", path)["submissions"]), 4, "submissions")
    shown = answer("capture", "show", path, 4)
    code_va = shown["dispatches"][0]["code"]
    r = answer("bisect", "--hang", path, **QUICK)
    equal((r["found"], r["number"], r["where"], r["dispatch"], r["code"]), (True, 4, "dispatch", 0, code_va), "the hang")
    end, spin, words = s.folder / "end.s", s.folder / "spin.s", s.folder / "nop.words"
    end.write_text("\ts_endpgm\n")
    spin.write_text("L0:\n\ts_branch L0\n\ts_endpgm\n")
    words.write_bytes(struct.pack("<I", 0xffff1000) * (shown["ibs"][0]["bytes"] // 4))
    text, err = breakwater("bisect", "--hang", "--shader", f"{code_va}={end}", path, status=1, **QUICK)
    check("The replay does nothing wrong." in text, text)
    equal(err.count(f"--shader {code_va}={end}: replaced"), 1, "what became of the shader")
    equal(answer("bisect", "--hang", "--override", f"4={words}", path, status=1, **QUICK)["found"], False, "other packets")
    # a bad edit is found as one
    r = answer("bisect", "--hang", "--shader", f"{code_va}={spin}", path, **QUICK)
    equal((r["number"], r["where"], r["dispatch"]), (1, "dispatch", 0), "a shader that hangs")
    va = int(s.out["va"], 16)
    words.write_bytes(struct.pack("<7I", *packet(WAIT_REG_MEM, 3 | 1 << 4, va, va >> 32, 0x1234, 0xffffffff, 0x20)))
    r = answer("bisect", "--override", f"2={words}", path, **QUICK)
    equal((r["number"], r["where"]), (2, "override"), "packets that hang or fault")
    for options, said in [(["--override", "x"], "--override wants N=FILE"), (["--override", "9=" + str(words)], "9"),
                          (["--smallest", s.folder / "x.bwc", "--shader", f"{code_va}={end}"], "--smallest is for the capture as it is")]:
        check(said in breakwater("bisect", *options, path, status=2)[1], f"{options}")


def check_smallest(s, rounds, out):
    """What is left shows the same, and is a capture like any."""
    small, bad = s.folder / "small.bwc", f"test $(od -An -tu4 -N4 {{buffer:{out}}}) -le 50"
    r = answer("bisect", rounds, "--bad", bad, "--smallest", small, "--tries", "6")
    left = r["smallest"]
    equal((left["bytes"], left["bytes_before"]), (small.stat().st_size, rounds.stat().st_size), "sizes")
    equal((left["submissions"], left["submissions_before"], left["dispatches"]), (1, 6, 1), "what is left")
    check(left["bytes"] < left["bytes_before"] and left["buffers"] <= left["buffers_before"], left)
    equal([row["number"] for row in answer("capture", "list", small)["submissions"]], [4], "it keeps its number")
    text, errors = breakwater("replay", "--check", small, status=2)
    check("nothing was compared: " in errors and "same" not in text, text + errors)
    check(breakwater("replay", small)[0].startswith("1 submission, 1 dispatch replayed."), "not compared")
    again = answer("bisect", small, "--bad", bad)
    equal((again["number"], again["where"], again["dispatch"]), (4, "dispatch", 0), "bisected once more")
    check("dispatch_direct" in breakwater("decompile", small, "-s", "4")[0].lower(), "decompiled")
    session = Session(small)
    session.command("break on dispatch")
    session.command("run")
    equal(session.command("info kernel")["workgroup"], [64, 1, 1], "the debugger in it")
    session.command("delete")
    session.command("continue")
    equal(session.end()[0], 0, "the debugger's status")
    # a fault keeps its page; three of four dispatches are not needed
    path = s.folder / "fault.bwc"
    text, _ = breakwater("bisect", "--fault", path, "--smallest", small, "--tries", "8")
    check("Its dispatch 2 (of 0 to 3) does it: packet 0x" in text, text)
    check(f"The smallest capture that still shows it is {small}: " in text and "the last has 1 of 4 dispatches" in text, text)
    r = answer("replay", small, status=3)
    equal((r["kind"], r["fault_page"], r["as_captured"]), ("fault", "0x123456789", True), "the fault")
    # a time, which is another one in each replay, does not count where a packet writes it, but where it is computed with: a
    # workgroup adds 1 to the copy
    time, copy = int(s.out["va"], 16) + 816, int(s.out["va"], 16) + 4 * 4
    words = s.state + s.dispatch(0, 4) + packet(RELEASE_MEM, 0x28 | 5 << 8, 3 << 29, time, time >> 32, 0, 0, 0)
    words += packet(WAIT_REG_MEM, 4 | 1 << 4, time, time >> 32, 0, 0xffffffff, 0x20)
    words += packet(COPY_DATA, 1 | 5 << 8 | 1 << 20, time, time >> 32, copy, copy >> 32) + s.dispatch(4, 1)
    path, buffer, _ = make(s, "time", words)
    r = answer("bisect", "--differs", path, "--smallest", small, "--tries", "3")
    equal((r["where"], r["packet_name"], r["smallest"]["submissions"]), ("packet", "COPY_DATA", 1), "the packet that copies the time")
    r = answer("replay", "--check", small, status=1)
    equal((r["buffer"], int(r["offset"], 16) // 4), (buffer, 4), "where it is")
    check("is the capture itself" in breakwater("bisect", "--fault", s.folder / "fault.bwc", "--smallest", s.folder / "fault.bwc", status=2)[1],
          "the capture itself")


def check_kinds(s):
    """A fault is no hang; what the terminal shows."""
    path, _, _ = make(s, "fault", s.state + s.dispatch(0, 4) + s.call() + s.dispatch(101, 1) + s.dispatch(20, 1))
    r = answer("bisect", "--hang", path, status=1)
    check(not r["found"] and "failed with a page fault at 0x123456789000" in r["other"], r)
    parent, child = pty.openpty()
    process = subprocess.Popen([str(BREAKWATER), "bisect", s.file], stdin=subprocess.DEVNULL, stdout=child, stderr=child,
                               env={**os.environ, "TERM": "xterm"})
    os.close(child)
    seen = b""
    try:
        while part := os.read(parent, 4096):
            seen += part
    except OSError:  # the other side is closed
        pass
    os.close(parent)
    equal(process.wait(timeout=TIMEOUT_S), 1, "its status on a terminal")
    check(b"try 1 of about" in seen and b"\r\x1b[K" in seen and seen.rstrip(b"\r\n\x1b[K").endswith(b"The replay does nothing wrong."), seen)


def main():
    with tempfile.TemporaryDirectory() as folder:
        s = Streams(pathlib.Path(folder))
        check_by(s)
        check_packets(s)
        check_command(s)
        rounds, out = check_submissions(s)
        check_later(s)
        check_kinds(s)
        check_smallest(s, rounds, out)
        print("bisect: ok")


if __name__ == "__main__":
    main()
