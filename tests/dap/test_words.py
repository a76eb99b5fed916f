#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words of `breakwater run`'s command line among an editor's kernelOptions."""
import pathlib
import tempfile

from client import SOURCE, Client, check, equal, main

DEMO = SOURCE / "examples/fahrenheit.s"
DEMO_OPTIONS = "--grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128 --print out:8".split()


def console(c):
    return "".join(e["body"]["output"] for e in c.events if e["event"] == "output")


def words_of_the_command_line():
    """-ex commands come before the program starts, or start it; reports come at its end, and at the session's."""
    with Client() as c:
        c.launch(DEMO, DEMO_OPTIONS + ["--strict", "--fidelity", "--trace-hash", "-ex", "break fahrenheit.s:23", "-ex", "run",
                                       "-ex", "print $s9 + 1"])
        c.go()
        thread = c.stopped("breakpoint")
        equal(c.top(thread)["line"], 23, "where -ex run has brought it")
        check("Strict" not in console(c), "a report before the end")
        c.request("continue", threadId=thread)
        c.event("terminated")
        said = console(c)
        # s9 holds 23.0f: sign 0, exponent 131, mantissa 7/16.
        check(f"$1 = {0x41b80000 + 1}" in said, f"the command behind run: {said}")
        for part in ("Strict mode: no findings", "Trace hash 0x", "instructions executed"):
            equal(said.count(part), 1, f"{part} at the end of the program in {said!r}")
        c.disconnect()
        equal(console(c), said, "a report is not told twice")
    with Client() as c:
        c.launch(DEMO, DEMO_OPTIONS + ["--strict", "--eval-command=break fahrenheit.s:23"])
        c.go()
        c.stopped("breakpoint")
        c.disconnect()
        check("Strict mode: " in console(c), "the report of a program that was killed")
    with Client() as c:
        c.launch(DEMO, DEMO_OPTIONS + ["-ex", "run"])
        c.go()
        c.event("terminated")
        equal(console(c).count("exited normally"), 1, "a program that -ex has run to its end is not started again")
        c.disconnect()


def words_of_a_script():
    with tempfile.TemporaryDirectory() as folder, Client() as c:
        script, python = pathlib.Path(folder, "script"), pathlib.Path(folder, "script.py")
        script.write_text("break fahrenheit.s:23\n")
        python.write_text("import breakwater\nprint('a script in Python')\n")
        c.launch(DEMO, DEMO_OPTIONS + ["-x", script, f"--command={python}"])
        c.go()
        equal(c.top(c.stopped("breakpoint"))["line"], 23, "the breakpoint of the script")
        check("a script in Python" in console(c) or "without Python" in console(c), console(c))
        c.disconnect()


def words_that_are_refused():
    for word in ("--help", "--json", "--tui", "--batch", "--interactive"):
        with Client() as c:
            said = c.refused("launch", program=str(DEMO), kernelOptions=[word])
            check(said.startswith(f"{word} is not for an editor's session: "), said)
    with Client() as c:
        said = c.refused("launch", program=str(DEMO), kernelOptions=DEMO_OPTIONS + ["-ex", "nonsense"])
        check('"nonsense"' in said, said)
    with Client(status=124) as c:
        c.launch(SOURCE / "tests/e2e/kernels/loop.s", ["--grid", 64, "--group", 64, "--arg", "out=zeros:4", "--timeout=1"])
        c.go()
        c.event("terminated")
        check("The session has taken 1 s, the limit of --timeout." in console(c), console(c))
        while c.take():
            pass


main([words_of_the_command_line, words_of_a_script, words_that_are_refused])
