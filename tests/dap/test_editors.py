#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What real editors do: every request of the protocol at every time, editors that are killed at every time, a
wave that is chosen or moved by hand.

    test_editors.py SPIN [CASE...]; SPIN: tests/live/spin.s as a code object"""
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

import schema
from client import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, Client, Failure, Refused, check, equal, main

KERNEL = SOURCE / "examples/fahrenheit.s"
OPTIONS = "--grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128 --print out:8".split()
SUM = 23  # the line of the wrong sum
LOOP = SOURCE / "tests/e2e/kernels/loop.s"
LOOP_OPTIONS = ["--grid", 64, "--group", 64, "--arg", "out=zeros:4"]
BUSY = "has a debugger already"
NOT_YET = "has not opened the GPU yet"
SPIN = os.path.abspath(sys.argv.pop(1))

# The protocol's requests (version 1.71); those behind it are refused, with these words.
ANSWERED = """attach breakpointLocations cancel completions configurationDone continue dataBreakpointInfo disassemble
    disconnect evaluate exceptionInfo goto gotoTargets initialize launch loadedSources modules next pause readMemory
    restart scopes setBreakpoints setDataBreakpoints setExceptionBreakpoints setExpression setFunctionBreakpoints
    setInstructionBreakpoints setVariable source stackTrace stepIn stepOut terminate threads variables
    writeMemory""".split()
REFUSED = "locations restartFrame reverseContinue runInTerminal startDebugging stepBack stepInTargets terminateThreads".split()


def answer(c, name):
    """Without arguments, whatever it says."""
    seq = c.send(name)
    while seq not in c.responses:
        check(c.take(), f"the stream ended at {name}")
    said = c.responses[seq]
    check(said["success"] or said["message"], f"{name}: {said}")
    return said


def every_request():
    """At any time each request of the specification is answered, or refused with its name."""
    everything = sorted(ANSWERED + REFUSED)
    equal(schema.requests() or everything, everything, "the protocol's requests")
    ends = ("disconnect", "terminate", "restart")

    def ask_all(c, left_out=ends):
        for name in everything:
            if name in left_out:
                continue
            said = answer(c, name)
            check(name in ANSWERED or f'"{name}" is not supported' in said.get("message", ""), f"{name}: {said}")
            check("no request" not in said.get("message", ""), f"{name}: {said}")

    with Client(initialize=False) as c:
        for name in everything:
            if name not in ends + ("initialize",):
                said = answer(c, name)
                check(not said["success"], f"{name} before initialize: {said}")
        answer(c, "initialize")
        ask_all(c)
        check("comes first" in answer(c, "restart")["message"], "a restart of nothing")
        c.launch(KERNEL, OPTIONS, stopOnEntry=True)
        ask_all(c, ends + ("configurationDone",))
        c.go()
        c.stopped("entry")
        ask_all(c, ends + ("continue",))
        equal(answer(c, "terminate")["success"], True, "terminate")
        c.event("terminated")
        ask_all(c)
        equal(c.refused("stackTrace", threadId=1), "The program is not being run", "frames after the end")
        check('"fly"' in c.refused("fly"), "a request that does not exist")
        equal(answer(c, "disconnect")["success"], True, "disconnect")


def goto():
    """The sum is done once more, with the right number: a wave that is moved executes nothing on the way."""
    with Client() as c:
        c.launch(KERNEL, OPTIONS)
        c.break_at(KERNEL, SUM + 1)
        c.go()
        thread = c.stopped("breakpoint")
        frame = c.top(thread)
        c.request("setExpression", expression="$s9", value="32.0f", frameId=frame["id"])
        (target,) = c.request("gotoTargets", source={"path": str(KERNEL)}, line=SUM)["targets"]
        equal((target["line"], target["label"]), (SUM, f"line {SUM}, fahrenheit+56"), "the target")
        c.request("goto", threadId=thread, targetId=target["id"])
        stop = c.event("stopped")
        equal((stop["reason"], stop["threadId"]), ("goto", thread), "the stop")
        equal(c.top(thread)["line"], SUM, "where it is")
        c.request("next", threadId=thread)
        c.stopped("breakpoint")
        check(abs(float(c.value("as_float($v4[1])", c.top(thread)["id"])) - 33.8) < 1e-4, "the sum")
        check("no target" in c.refused("goto", threadId=thread, targetId=target["id"]), "a target of before the step")
        check("99999" in c.refused("gotoTargets", source={"path": str(KERNEL)}, line=99999), "a line that is not there")
        c.break_at(KERNEL)
        c.request("continue", threadId=thread)
        equal(c.until_end().split()[:3], ["32", "33.8", "35.6"], "what the kernel's run printed")
        c.disconnect()


def another_wave():
    """A wave that is chosen in the console or in a view is where the editor goes; it is told to leave its old one
    first, as nvim-dap continues a thread that stops beside another one."""
    with Client() as c:
        c.launch(KERNEL, OPTIONS)
        c.break_at(KERNEL, SUM)
        c.go()
        first = c.stopped("breakpoint")
        frame = c.top(first)["id"]
        c.events.clear()

        def follows(wave):
            while not any(e["event"] == "stopped" for e in c.events):
                check(c.take(), "the stream ended")
            names = [e["event"] for e in c.events if e["event"] in ("continued", "stopped")]
            equal(names, ["continued", "stopped"], "what the editor is told")
            stop = c.event("stopped")
            equal((stop["threadId"], stop["description"]), (wave, f"Wave {wave} was chosen"), "the stop")
            check("hitBreakpointIds" not in stop, f"nothing was hit: {stop}")
            c.events.clear()
            return c.top(wave)["id"]

        other = first + 1
        c.value(f"wave {other}", frame, "repl")
        frame = follows(other)
        equal(c.value("$_wave", frame), str(other), "the wave of its frame")
        c.value("wave apply all print $pc", frame, "repl")
        c.value(f"wave {other}", frame, "repl")
        c.value("$pc", frame)
        check(not any(e["event"] == "stopped" for e in c.events), "the same wave is no stop")
        c.request("breakwater/setWave", threadId=first)
        frame = follows(first)
        # A step in the console of another wave than the editor's.
        c.value(f"wave {other}", frame, "repl")
        frame = follows(other)
        c.value("stepi", frame, "repl")
        equal(c.stopped("step"), other, "the wave that was stepped")
        c.disconnect()


def hits_once():
    """A step tells of no breakpoint that other waves have hit before it."""
    with Client() as c:
        c.launch(KERNEL, OPTIONS)
        b, later = c.break_at(KERNEL, SUM, SUM + 1)
        c.go()
        stop = c.event("stopped")
        equal(stop["hitBreakpointIds"], [b["id"]], "the first stop")
        thread = stop["threadId"]
        c.request("next", threadId=thread)
        stop = c.event("stopped")
        equal(stop.get("hitBreakpointIds"), [later["id"]] if stop["reason"] == "breakpoint" else None, "the step")
        c.request("next", threadId=thread)
        check("hitBreakpointIds" not in c.event("stopped"), "the second step")
        c.request("continue", threadId=thread)
        equal(c.event("stopped")["hitBreakpointIds"], [later["id"]], "the others")
        c.disconnect()


# ---- Editors that are killed ----


def children(pid):
    try:
        own = [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return own + [p for child in own for p in children(child)]


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(what, condition):
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        check(time.monotonic() < end, f"never: {what}")
        time.sleep(0.02)


def killed(phase):
    """An editor in a process of its own does what phase(client) does, and is killed. Returns the processes below
    it at that time, when the server has left."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return kill_once(phase)
        except Failure as failure:  # the agent takes its time after a debugger has died, and the program until it opens the GPU
            if not any(words in str(failure) for words in (BUSY, NOT_YET)) or time.monotonic() > end:
                raise
            time.sleep(0.05)


def kill_once(phase):
    ready, say = os.pipe()
    editor = os.fork()
    if not editor:
        status = 1
        try:
            c = Client()
            phase(c)
            os.write(say, b"%d" % c.server.pid)
            signal.pause()
        except BaseException as error:  # noqa: BLE001  a copy of the test must not run on
            os.write(say, str(error).encode() or b"?")
        finally:
            os._exit(status)
    os.close(say)
    try:
        said = os.read(ready, 4096).decode()
        check(said.isdigit(), f"the editor: {said}")
        server = int(said)
        below = children(server)
    finally:
        os.kill(editor, signal.SIGKILL)
        os.waitpid(editor, 0)
        os.close(ready)
    until(f"the server of {phase.__name__} leaves", lambda: not is_alive(server))
    return below


def killed_while_it_launches():
    def initialized(c):
        pass

    def launching(c):
        c.send("launch", {"program": str(KERNEL), "kernelOptions": OPTIONS})

    def launched(c):
        c.launch(KERNEL, OPTIONS)
        c.break_at(KERNEL, SUM)

    def stopped(c):
        launched(c)
        c.go()
        c.stopped("breakpoint")

    def running(c):
        c.launch(LOOP, LOOP_OPTIONS)
        c.go()

    def stepping(c):
        stopped(c)
        c.send("evaluate", {"expression": "while 1\nstepi\nend", "context": "repl"})

    for phase in (initialized, launching, launched, stopped, running, stepping):
        below = killed(phase)
        check(phase is not stopped or below, "there are processes below a session")
        until(f"what {phase.__name__} has started ends: {below}", lambda: not any(is_alive(p) for p in below))


def killed_while_attached():
    """The program was there before, and is right after."""
    launcher = BUILD / "breakwater-launch"
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder) / "out"
        program = subprocess.Popen([BREAKWATER, "exec", "--ready", "--", launcher, SPIN, "--grid", "64", "--group", "64",
                                    "--arg", "out=zeros:64:u32", "--dump", f"out={dump}"])
        pid = None
        try:
            def find():
                nonlocal pid
                pid = next((p for p in children(program.pid) if os.path.exists(f"/proc/{p}/exe") and
                            os.readlink(f"/proc/{p}/exe").endswith("/breakwater-launch") and
                            b"BREAKWATER_VGPU=" in pathlib.Path(f"/proc/{p}/environ").read_bytes()), None)
                return pid
            until("the kernel runs", find)

            def attached(c):
                c.request("attach", pid=pid)
                c.event("initialized")

            def stopped(c):
                attached(c)
                c.go()
                until_stopped(c)

            def broken(c):
                stopped(c)
                c.value(f"symbol-file {SPIN}", context="repl")
                (w, *_) = c.request("breakwater/waves", count=1)["waves"]
                (b,) = c.request("setInstructionBreakpoints", breakpoints=[{"instructionReference": w["pc"]}])["breakpoints"]
                check(b["verified"], f"a breakpoint: {b}")

            def running(c):
                stopped(c)
                c.request("continue", threadId=1)

            def stepping(c):
                stopped(c)
                c.send("evaluate", {"expression": "stepi 100000000", "context": "repl"})

            for phase in (attached, stopped, broken, running, stepping):
                killed(phase)
                check(program.poll() is None and is_alive(pid), f"the program after {phase.__name__}")
            until("the agent takes another debugger", lambda: not is_busy(pid))
            with Client() as c:
                stopped(c)
                for w in c.request("breakwater/waves")["waves"]:
                    c.request("setExpression", expression="$s20", value="1", frameId=c.top(w["threadId"])["id"])
                c.disconnect()
            equal(program.wait(TIMEOUT_S), 0, "the program's status")
            equal(list(struct.unpack("<64I", dump.read_bytes())), [7] * 64, "what it computed")
        finally:
            if program.poll() is None:
                if pid:
                    os.kill(pid, signal.SIGKILL)
                program.wait(TIMEOUT_S)


def is_busy(pid):
    with Client() as c:
        try:
            c.request("attach", pid=pid)
        except Refused as refused:
            check(BUSY in str(refused), str(refused))
            return True
        finally:
            c.disconnect()
    return False


def until_stopped(c):
    """Waves of a program that was attached to are stopped; the kernel may be submitted only now."""
    end = time.monotonic() + TIMEOUT_S
    while not c.request("breakwater/waves")["total"]:
        check(time.monotonic() < end, "no wave is ever stopped")
        if not any(e["event"] == "stopped" for e in c.events):
            c.request("pause", threadId=c.request("threads")["threads"][0]["id"])
        c.stopped()
        if not c.request("breakwater/waves")["total"]:
            c.request("continue", threadId=1)


main([every_request, goto, another_wave, hits_once, killed_while_it_launches, killed_while_attached])
