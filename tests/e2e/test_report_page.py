#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command "report", and "breakwater report": a stop as one page that refers to nothing outside of it."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import html_page
from harness import BREAKWATER, BUILD, Failure, KERNELS, SOURCE, TIMEOUT_S, await_child, check, equal, errors, main, replies, run, wait_gone
from json_schema import check_session, parse

SAXPY = [SOURCE / "examples/saxpy.s", "--grid", 256, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
         "y=fill:256:1", "--arg", "out=zeros:256"]
EVIL = "<script>alert(1)<-script>&'\""


def page(*args, script, status=0):
    """The page that {} in the script stands for, and what was said."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp, "page.html")
        said = run(*args, script=[line.format(out) for line in script], status=status)
        check(f"The report is in {out} (" in said, said)
        return html_page.read(out), said


def breakpoint_page():
    p, said = page(*SAXPY, script=["break load", "run", "report {}", "info waves", "kill"])
    check("8 waves of saxpy" in p.text["verdict"] and "8 at a breakpoint" in p.text["verdict"], p.text["verdict"])
    check('hit Breakpoint 1, with lanes [0-31]' in p.text["verdict"], p.text["verdict"])
    # 8 waves at the line of the source and at its instruction
    lines = p.with_waves()
    equal([n for n, _, _ in lines], [8, 8], "waves at lines")
    check(all("global_load_b32 v2, v1, s[8:9]" in text for _, _, text in lines), lines)
    equal(sorted(int(w) for _, w in p.cells), list(range(1, 9)), "waves on the map")
    equal({state for state, _ in p.cells}, {"s4"}, "their state")
    equal(p.stops, ["the waves of this page are of this dispatch"], "the stop")
    check("dispatch 1 of saxpy, running" in p.text["streams"] and "COMPUTE_PGM_LO" in p.text["streams"], p.text["streams"])
    check("31active31,0,0" in p.text["focus"], p.text["focus"])
    check(re.search(r"exec +0xffffffff", p.text["registers"]), p.text["registers"][:800])
    # buffers: their names, types and values, and x[i] = i from black to white
    for name in ("x", "y", "out"):
        check(re.search(rf"Buffer \d+, {name}: \d+ bytes", p.text["buffers"]), p.text["buffers"][:2000])
    check("3f800000" in p.text["buffers"] and "41000000" in p.text["buffers"], "1.0 and 8.0")
    equal(set(p.types), {"f32"}, "types of memory")
    alt, width, height, rows = p.picture([i for i, (alt, _) in enumerate(p.pictures) if "white is 255" in alt][0])
    check("black is 0, white is 255" in alt, alt)
    flat = [px for row in rows for px in row]
    # to the end of its page
    equal((width * height, flat[0], flat[255]), (1024, (0, 0, 0, 255), (255, 255, 255, 255)), "pixels")
    equal([px[0] for px in flat], list(range(256)) + [0] * 768, "x[i] as grey")
    # the session goes on as it was
    check("* 1" in said or re.search(r"\* +1 ", said), said)


def fault_page():
    p, _ = page(KERNELS / "unmapped.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000",
                script=["run", "report {}", "kill"])
    check("1 faulted" in p.text["verdict"], p.text["verdict"])
    check("Lane 5 reads 4 bytes at 0x123456789000, which is not mapped" in p.text["faults"], p.text["faults"])
    # the walk: the root, the entries that were read, and why it ended, each below the one before
    check(p.depth >= 3, p.depth)
    check("PDB2 entry 0x24 at vram" in p.text["faults"] and "is not valid" in p.text["faults"], p.text["faults"])
    equal(p.cells, [("s5", "1")], "the map")
    check("5 =>its access fails5,0,0" in p.text["focus"], p.text["focus"])


def walk_of_a_page():
    """Of a page that is mapped, but not for writing, all levels were read."""
    p, _ = page(KERNELS / "readonly.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32",
                script=["run", "report {}", "kill"])
    check("which is mapped, but not for writing" in p.text["faults"], p.text["faults"])
    levels = re.findall(r"(PDB\d|PTB) entry", p.text["faults"].split("Page walk")[1])
    equal(levels[:3], ["PDB2", "PDB1", "PDB0"], "levels")
    equal(p.depth, len(levels), "depth of the tree") if levels[-1] != "PTB" else check(p.depth >= len(levels), p.depth)


def hang_page():
    p, _ = page(KERNELS / "loop.s", "--grid", 64, "--group", 32, "--arg", "out=zeros:4",
                script=["set break-on hang 0.2", "run", "report {}", "kill"])
    check("dispatch 1 (loop) has been running for 200 ms, which is taken for a hang" in p.text["verdict"], p.text["verdict"])
    check("no reason of its own" in p.text["verdict"], p.text["verdict"])


def held_page():
    """Nothing of the dispatch has begun: no waves, but all that it was given."""
    p, _ = page(*SAXPY, script=["set stop-on-dispatch on", "run", "report {}", "kill"])
    check("Dispatch 1 of saxpy is about to start" in p.text["verdict"], p.text["verdict"])
    equal(p.stops, ["this dispatch is held: it has not begun"], "the stop")
    check("focus" not in p.text and "Buffer" in p.text["buffers"], list(p.text))


def crash_page():
    p, _ = page(SOURCE / "tests/e2e/look/radv", script=["report {}"])
    check("A hang report of RADV" in p.text["verdict"], p.text["verdict"])
    check("The files have 3 waves" in p.text["stop"], p.text["stop"])
    check("the last trace point that was reached" in p.stops, p.stops)
    equal(len(p.cells), 3, "the map")
    check("v_readfirstlane_b32 s1, v2" in p.text["code"], p.text["code"])


def lanes_and_variables():
    """Variables of each lane, and why lanes are inactive."""
    p, _ = page("-O0", KERNELS / "diverge.cl", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "in=iota:1024",
                "--arg", "n=18", script=["break diverge", "run", "next", "next", "report {}", "kill"])
    focus = p.text["focus"]
    check("diverge (" in focus and "n = 18" in focus, focus)
    check("LaneStateWork-item" in focus.replace("\n", ""), focus)


def nothing_is_markup():
    """Names and text of files that would be markup in HTML."""
    with tempfile.TemporaryDirectory() as tmp:
        kernel = pathlib.Path(tmp, f"{EVIL}.s")
        source = (SOURCE / "examples/saxpy.s").read_text()
        kernel.write_text(source.replace("load:", f"load: // </div></script>{EVIL}\x1b[31m"))
        p, _ = page(kernel, *SAXPY[1:], script=["break load", "run", "report {}", "kill"])
    check(f"</div></script>{EVIL}\\033[31m" in p.text["code"], p.text["code"][:2000])
    check(f"{EVIL}.s" in p.text["verdict"], p.text["verdict"])


def what_has_no_room():
    p, _ = page(*SAXPY[:7], "--arg", "x=iota:4096", "--arg", "y=fill:1048576:1", "--arg", "out=zeros:256",
                script=["break load", "run", "report {}", "kill"])
    check("The first 65536 of 4194304 bytes." in p.text["buffers"], p.text["buffers"][-300:])


def many_waves():
    """As many as a large GPU has, all stopped."""
    p, said = page(SOURCE / "examples/saxpy.s", "--grid", 98304, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:98304", "--arg",
                   "y=fill:98304:1", "--arg", "out=zeros:98304", script=["break load", "run", "report {}", "kill"])
    equal(len(p.cells), 3072, "cells of the map")
    check("3072 waves of saxpy" in p.text["verdict"], p.text["verdict"])
    # by source and by instruction
    equal(sum(n for n, _, _ in p.with_waves()), 2 * 3072, "waves at lines")
    check("The registers of 2815 more waves are left out." in p.text["registers"], p.text["registers"][-200:])
    check(p.size < 5 << 20, f"{p.size} bytes")


def what_cannot_be_done():
    with tempfile.TemporaryDirectory() as tmp:
        objects = run(*SAXPY, json_lines=True, status=2, script=["report"])
        check("takes the FILE to write" in errors(objects)[0], errors(objects))
        objects = run(*SAXPY, json_lines=True, script=[f"report {tmp}/a"])
        check("the program is not being run" in errors(objects)[0], errors(objects))
        objects = run(*SAXPY, json_lines=True, status=2, script=["break load", "run", f"report {tmp}/no/a"])
        check("cannot write" in errors(objects)[0], errors(objects))
        objects = run(*SAXPY, json_lines=True, status=2, script=["break load", "run", "report /dev/full"])
        check("No space left" in errors(objects)[0], errors(objects))
        check(pathlib.Path("/dev/full").exists(), "a device is not removed")
        out = pathlib.Path(tmp, "a page.html")
        objects = run(*SAXPY, json_lines=True, script=["break load", "run", f"report {tmp}/b.html", "kill"])
        answer = replies(objects, "report")[0]
        equal((answer["file"], answer["bytes"]), (f"{tmp}/b.html", pathlib.Path(tmp, "b.html").stat().st_size), "the answer")
        check(not out.exists(), "no other file")


# ---- breakwater report ----

LOOP = [KERNELS / "loop.s", "--grid", 64, "--group", 32, "--arg", "out=zeros:4"]
FAULT = [KERNELS / "unmapped.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000"]


def report(*args, status=0):
    """The page, or None where none was written; and what was said."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp, "page.html")
        done = subprocess.run([str(a) for a in [BREAKWATER, "report", "-o", out, *args]], cwd=SOURCE, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, status, done.stdout + done.stderr)
        return html_page.read(out) if out.exists() else None, done.stdout + done.stderr


def kernels_and_programs():
    p, said = report("--break", "load if $_workgroup[0] == 2", *SAXPY)
    check("The report is in " in said and "[The program was killed]" in said, said)
    check("(2,0,0)" in p.text["verdict"] and "BREAKPOINT" in p.text["verdict"], p.text["verdict"])
    p, said = report(*FAULT, status=3)
    check("1 faulted" in p.text["verdict"], p.text["verdict"])
    p, said = report("--hang=0.2", *LOOP, status=3)
    check("taken for a hang" in p.text["verdict"], p.text["verdict"])
    p, said = report(*SAXPY)
    check(p is None and "there is nothing to report" in said, said)
    # a program, whose own options are not ours
    with tempfile.TemporaryDirectory() as tmp:
        code = pathlib.Path(tmp, "saxpy.co")
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-x", "assembler", SAXPY[0], "-o", code], check=True)
        p, said = report("--", BUILD / "breakwater-launch", code, *SAXPY[1:-1], "out=zeros:16")
        check(p is None, said)


def crash_files():
    look = SOURCE / "tests/e2e/look"
    p, said = report(look / "dump_7.txt", look / "dmesg.txt")
    check("PTB entry 0x10: the walk stopped here" in p.text["faults"] and "A dump of kernel 7.1.8" in p.text["verdict"], said)
    p, said = report(look / "radv")
    equal(len(p.cells), 3, "the map")


def a_process():
    """Its waves are stopped, shown, and run on."""
    with tempfile.TemporaryDirectory() as tmp:
        code = pathlib.Path(tmp, "loop.co")
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-x", "assembler", LOOP[0], "-o", code], check=True)
        program = subprocess.Popen([str(a) for a in [BREAKWATER, "exec", "--ready", "--", BUILD / "breakwater-launch", code, *LOOP[1:]]],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pid = await_child(program.pid, "breakwater-launch")
        try:
            counts = []
            while len(set(counts)) < 2:  # until its waves have come, and have been seen to run
                try:
                    p, said = report("--pid", pid)
                except Failure as e:
                    check("does not use the GPU" in str(e) or "cannot be attached to" in str(e) or "no agent" in str(e), e)
                    continue
                counts += re.findall(r"v1   ([0-9a-f]{8}) ", p.text.get("registers", ""))[:1]
            check("2 waves of loop" in p.text["verdict"] and "2 stopped" in p.text["verdict"], p.text["verdict"])
            os.kill(pid, 0)
        finally:
            os.kill(pid, signal.SIGKILL)
            program.wait(TIMEOUT_S)
        wait_gone(pid, "the program")


def files_that_only_the_input_names():
    """An object's lines may name any file of the user's: what is not below the object, the working folder or "directory"
    is not in the page."""
    with tempfile.TemporaryDirectory() as tmp:
        secret = pathlib.Path(tmp, "secret")
        secret.mkdir()
        (secret / "key.txt").write_text("line 1\nTOPSECRET\n")
        project = pathlib.Path(tmp, "project")
        project.mkdir()
        kernel = project / "evil.cl"
        kernel.write_text("__kernel void evil(__global uint *out)\n{\n#line 2 \"%s\"\n"
                          "\tout[get_global_id(0)] = 7;\n}\n" % (secret / "key.txt"))
        args = (kernel, "--grid", 32, "--group", 32, "--arg", "out=zeros:32")
        for script, carried in ((["break evil", "run", "list 1,2", "report {}", "kill"], False),
                                ([f"directory {secret}", "break evil", "run", "report {}", "kill"], True)):
            p, said = page(*args, script=script)
            check(any("TOPSECRET" in text for text in p.text.values()) == carried, f"the file in the page: {carried}\n{p.text['code']}")
            check(("This file is left out" in p.text["code"]) != carried, p.text["code"])
        # the prompt shows it: it is the user's own
        shown = run(*args, script=["break evil", "run", "list 1,2", "info report", "kill"])
        equal(shown.count("TOPSECRET"), 2, "the stop and the list, but not the report")


def words_that_are_wrong():
    for words, why in [([], "needs files of a crash, a kernel, a program"), (["--pid", "x"], "--pid takes the number of a process"),
                       (["--pid", 1, "--hang", 3], "only -o can be given with it"), (["--break"], "--break needs a value"),
                       (["no.s"], "cannot read the kernel no.s"), (["no"], "cannot open no"), (["--hang", "x", *LOOP], "takes seconds, or off"),
                       (["--break", "nowhere:3:4", *LOOP], "nowhere"), (["--nonsense", *LOOP], "--nonsense"),
                       ([KERNELS / "loop.s", "-x", "file"], "not for a report's session")]:
        p, said = report(*words, status=2)
        check(p is None and why in said, f"{words}: {said}")
    done = subprocess.run([BREAKWATER, "report", KERNELS / "loop.s"], capture_output=True, text=True, timeout=TIMEOUT_S)
    check(done.returncode == 2 and "needs the page to write: -o FILE" in done.stderr, done.stderr)
    with tempfile.TemporaryDirectory() as tmp:
        done = subprocess.run([str(a) for a in [BREAKWATER, "report", "--json", "-o", f"{tmp}/a.html", *FAULT]], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, 3, done.stderr)
        objects = [parse(line) for line in done.stdout.splitlines()]
        check_session(objects)
        equal([o["file"] for o in replies(objects, "report")], [f"{tmp}/a.html"], "the answer")


if __name__ == "__main__":
    main(breakpoint_page, fault_page, walk_of_a_page, hang_page, held_page, crash_page, lanes_and_variables, nothing_is_markup,
         what_has_no_room, many_waves, what_cannot_be_done, kernels_and_programs, crash_files, a_process,
         files_that_only_the_input_names, words_that_are_wrong)
