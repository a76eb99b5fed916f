#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""whence: who has written memory, and which loads a register's value comes from. What is expected follows from the source
(check/whence.cl): each element of `out` has its writer by its index."""
import pathlib
import subprocess

from harness import BREAKWATER, TIMEOUT_S, check, equal, main, parse

FILE = pathlib.Path(__file__).resolve().parent / "check" / "whence.cl"
SOURCE = FILE.read_text().splitlines()
GRID, GROUP = 128, 64


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


def run(options, *commands, at="the end", kernel="writers"):
    given = [w for c in (f"break whence.cl:{line_of(at)}", "run", *commands) for w in ("-ex", c)]
    done = subprocess.run([BREAKWATER, "run", *options, "--json", "--batch", *given, FILE, "--kernel", kernel, "--grid", str(GRID), "--group", str(GROUP),
                           "--arg", "in=iota:1024:i32", "--arg", "out=zeros:1024:i32"],
                          capture_output=True, text=True, timeout=TIMEOUT_S)
    rows = [parse(line) for line in done.stdout.splitlines()]
    check(any(r.get("event") == "stop" for r in rows), done.stdout + done.stderr)
    return [r for r in rows if r.get("command") == "whence" or (r["type"] == "end" and r["result"] == "error")]


def judge(answer, by, line, lane_of, value=None):
    """The last writer of an answer."""
    w = answer["writers"][0]
    equal((w["by"], w.get("line"), w.get("age")), (by, line_of(line), 1), f"{w}")
    place = w["workgroup"][0] * GROUP + w["wave"] * 32 + w["lane"]
    equal(place, lane_of, f"the work-item of {w}")
    equal(w["dispatch"], 1, "the dispatch")
    if value is not None:
        equal(int(w["value"], 16), value, f"the value of {w}")


def memory():
    a, far, byte, atomic, none, cpu, copied = run(
        ["--check=writers"], "whence $_launch.out[5]", "whence $_launch.out[101]", "whence ((char *)($_launch.out + 512))[37]",
        "whence $_launch.out[1000]", "whence $_launch.out[900]", "whence $_launch.in[9]", "whence $_launch.out[640 + 77]")
    judge(a, "wave", "out[i] = x + 1", 5, 9)  # 4 * 2 + 1
    before = a["writers"][1]
    equal((before["age"], before["line"], before["lane"]), (2, line_of("in[i] * 2"), 5), f"{before}")
    judge(far, "wave", "out[i] = x + 1", 101, 201)
    w = byte["writers"][0]
    equal((w["line"], w["bytes"], w["n_lanes"], w["lane"]), (line_of("(char)i"), 15, 4, 36 % 32), f"{w}")
    equal(int(w["value"], 16), 0x27262524, "bytes 36 to 39")
    w = atomic["writers"][0]
    equal((w["by"], w["line"]), ("wave", line_of("atomic_add")), f"{w}")
    check(int(w["value"], 16) % 3 == 0 and int(w["value"], 16) > 0, f"{w}")
    equal([w["by"] for w in none["writers"] + cpu["writers"]], ["none", "none"], "memory that no wave has written")
    equal((none["writers"][0].get("now"), cpu["writers"][0]["now"]), (None, "0x9"), "what the CPU has put there")
    judge(copied, "wave", "in[i + 512]", 77, 512 + 77)


def written_by_the_debugger():
    """A write that the GPU does not see: the value of the last writer, and what is there now."""
    answer, = run(["--check=writers"], "set var $_launch.out[5] = 1234", "whence $_launch.out[5]")
    w = answer["writers"][0]
    equal((int(w["value"], 16), int(w["now"], 16)), (9, 1234), f"{w}")


def registers():
    """Of a variable in a register, the loads."""
    x, = run(["--check=writers"], "whence x", at="out[i] = x + 1")
    loads = [s for s in x["sources"] if s["from"] == "load"]
    check(loads and {s["line"] for s in loads} <= {line_of("x = out[i ^ 1]")}, f"{x}")


def private_memory():
    """Without optimization variables are there. The focus lane has written its own, and no other wave's store counts."""
    x, i, none = run(["-O0", "--check=writers"], "whence x", "whence i", "lane 3", "whence x", at="out[i] = x + 1")[:3]
    for answer, line, lane in (x, "x = out[i ^ 1]", 0), (i, "i = get_global_id(0)", 0), (none, "x = out[i ^ 1]", 3):
        w = answer["writers"][0]
        equal((w["by"], w["memory"], w["line"], w["lane"]), ("wave", "scratch", line_of(line), lane), f"{answer}")
    equal(int(none["writers"][0]["value"], 16), 2 * (3 ^ 1), f"{none}")


def lds():
    """The last writers of an element, of the focus wave's workgroup: what the kernel's source says of it."""
    five, nine = run(["--check=writers"], "whence s[5]", "whence s[9]", at="the end of shared", kernel="shared")
    w = five["writers"][0]
    equal((w["memory"], w["line"], w["wave"] * 32 + w["lane"], int(w["value"], 16)), ("LDS", line_of("s[l] = in[l] * 3"), 5, 15), f"{five}")
    equal([(w["line"], w["age"]) for w in nine["writers"]], [(line_of("s[9] = 1234"), 1), (line_of("s[l] = in[l] * 3"), 2)], f"{nine}")
    equal(int(nine["writers"][0]["value"], 16), 1234, f"{nine}")


def without_the_check():
    register, answer = run([], "whence x", "whence $_launch.out[5]", at="out[i] = x + 1")
    check("the program is not checked" in answer["message"], f"{answer}")
    check(register["sources"], f"{register}")
    other, = run(["--check=bounds"], "whence $_launch.out[5]")
    check("--check=writers" in other["message"], f"{other}")


main(memory, written_by_the_debugger, registers, private_memory, lds, without_the_check)
