#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a command processor or an SDMA engine cannot execute is a stop like others: the engine, the ring, the packet,
its place in the IB. The program waits there, with its memory, until it is resumed."""
import os
import pathlib
import select
import sys
import tempfile

from harness import BREAKWATER, SOURCE, TIMEOUT_S, Session, check, equal, events, main, run

PROGRAM = ["--", sys.executable, "-B", str(SOURCE / "tests/e2e/queue_errors.py")]
# The program's own choices; the words of the first are those of gfx_v11_0.c of Linux 6.12.
WANT = {
    "opcode": {"engine": "command processor", "error": "Illegal opcode in command stream", "ib": "0x10000000", "dword": 4,
               "packet_address": "0x10000010"},
    "register": {"engine": "command processor", "ib": "0x10000000", "dword": 8, "packet_address": "0x10000020"},
    "unmapped": {"engine": "command processor", "ib": "0x660000000", "dword": 0, "packet_address": "0x660000000"},
    "sdma": {"engine": "SDMA engine", "error": "SDMA queue hang", "ib": "0x10008000", "dword": 2, "packet_address": "0x10008008"},
}


def stops():
    """One stop, with what WANT says, before the program knows; then it sees the error and goes on."""
    for what, want in WANT.items():
        objects = run(*PROGRAM, what, script=["run", "continue"], json_lines=True)
        found = [o for o in events(objects, "stop") if o["reason"] == "queue error"]
        equal(len(found), 1, f"stops of {what}")
        equal({key: found[0].get(key) for key in want}, want, what)
        equal(found[0]["fence"], "Operation canceled", f"fence of {what}")
        check(found[0]["packet"] and found[0]["ring"].startswith("sdma" if what == "sdma" else "comp_"), str(found[0]))
        before = objects[:objects.index(found[0])]
        check(not any("the program has ended" in str(o) for o in before), f"{what}: the program has not waited")
        check("wait: ECANCELED" in str(events(objects, "output")), f"{what}: the program did not see the error")
        equal([o["status"] for o in events(objects, "exit")], [0], f"exit of {what}")


def memory_is_there():
    """At the stop the packet can be read, and the two commands of the message show it."""
    with tempfile.TemporaryDirectory() as folder:
        text = run(*PROGRAM, "opcode", "end", script=[
            "run", "x/2xw 0x10000010", f"dump memory {folder}/ib.bin 0x10000000 0x10000100",
            f"shell {BREAKWATER} pm4 {folder}/ib.bin", "continue"])
    check("The command processor met an error on ring comp_1." in text, text)
    check("The packet is at 0x10000010, dword 4 of the IB at 0x10000000." in text, text)
    check("0x10000010:\t0xc000fe00\t0x00000000" in text, text)
    check("4  0xc000fe00  opcode 0xfe" in text, text)
    check(text.index("opcode 0xfe is not a") < text.index("the program has ended"), text)


def without_a_continue():
    """A script that ends there: the status of a fault."""
    run(*PROGRAM, "opcode", script=["run"], status=3)


def leaving():
    """The program goes on when the debugger detaches or is killed."""
    for how in ("detach", "kill -9"):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            script = ["/bin/sh", "-c", 'exec "$@" > "$0"', str(out), *PROGRAM[1:], "opcode"]
            s = Session("--", *script)
            s.command("run")
            check(any(o.get("reason") == "queue error" for o in s.events), str(s.events))
            pid = next(o["process"] for o in s.events if o.get("reason") == "queue error")
            check("the program has ended" not in out.read_text(), "the program has not waited")
            fd = os.pidfd_open(pid)
            if how == "detach":
                s.command("detach")
            else:
                s.process.kill()
            wait_end(fd)
            os.close(fd)
            check("wait: ECANCELED" in out.read_text() and "the program has ended" in out.read_text(), f"{how}: {out.read_text()}")
            if how == "detach":
                s.end()


def wait_end(fd):
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    check(poll.poll(TIMEOUT_S * 1000), "the program has not ended")


main(stops, memory_is_there, without_a_continue, leaving)
