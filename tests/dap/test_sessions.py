#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions with compiled kernels, thousands of waves, faults, kernels that loop, and programs that are attached
to.

    test_sessions.py SPIN [CASE...]; SPIN: tests/live/spin.s as a code object"""
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

from client import BREAKWATER, SOURCE, TIMEOUT_S, Client, Refused, check, equal, main

KERNELS = SOURCE / "tests/e2e/kernels"
SPIN = os.path.abspath(sys.argv.pop(1))
LOOP = ["--grid", 64, "--group", 64, "--arg", "out=zeros:4"]


def line_of(path, text):
    return 1 + next(i for i, line in enumerate(path.read_text().splitlines()) if text in line)


def inlined_frames():
    kernel = KERNELS / "frames.cl"
    inner, middle = line_of(kernel, "v * 2 + 1"), line_of(kernel, "int t = twice")
    with Client() as c:
        c.launch(kernel, ["-O2", "--grid", 32, "--group", 32, "--arg", "out=zeros:64", "--arg", "n=2"])
        c.break_at(kernel, inner)
        c.go()
        thread = c.stopped("breakpoint")
        whole = c.request("stackTrace", threadId=thread)
        equal([f["name"] for f in whole["stackFrames"]], ["twice [inlined]", "wrapf [inlined]", "frames"], "the stack")
        equal([f["line"] for f in whole["stackFrames"][:2]], [inner, middle], "lines")
        equal(whole["totalFrames"], 3, "frames in all")
        page = c.request("stackTrace", threadId=thread, startFrame=1, levels=1)
        equal([f["name"] for f in page["stackFrames"]], ["wrapf [inlined]"], "a page of frames")
        check(page["totalFrames"] > 2, "there is more behind the page")
        c.request("stepOut", threadId=thread)
        c.stopped()
        check(not c.top(thread)["name"].startswith("twice"), "stepOut has not left twice")
        c.disconnect()


def variables_of_the_program():
    kernel = KERNELS / "variables.cl"
    with Client() as c:
        c.launch(kernel, ["-O0", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "in=iota:32", "--arg", "k=2.5",
                          "--arg", "n=7"])
        (b,) = c.request("setFunctionBreakpoints", breakpoints=[
            {"name": "add_up", "condition": "list->value == 5"}])["breakpoints"]
        check(b["verified"], f"the breakpoint: {b}")
        c.go()
        thread = c.stopped("function breakpoint")
        frame = c.top(thread)
        scopes = c.scopes(frame["id"])
        args = {v["name"]: v for v in c.variables(scopes["Arguments"]["variablesReference"])}
        equal(args["limit"]["value"], "2", "an argument")
        check(args["list"]["memoryReference"].startswith("private_lane#0x"), f"a pointer: {args['list']}")
        (node,) = c.variables(args["list"]["variablesReference"])
        parts = {v["name"]: v for v in c.variables(node["variablesReference"])}
        equal(parts["value"]["value"], "5", "a member behind a pointer")
        (last,) = c.variables(parts["next"]["variablesReference"])
        equal({v["name"]: v["value"] for v in c.variables(last["variablesReference"])}["value"], "30", "the next one")
        equal(c.request("setVariable", variablesReference=node["variablesReference"], name="value", value="50")["value"], "50",
              "a member that is set")
        equal(c.value("list->value", frame["id"]), "50", "the same as an expression")
        caller = c.request("stackTrace", threadId=thread, startFrame=1, levels=1)["stackFrames"][0]
        outer = {v["name"]: v for v in c.variables(c.scopes(caller["id"])["Locals"]["variablesReference"])}
        equal(outer["item"]["namedVariables"], 5, "members of a struct")
        members = {v["name"]: v for v in c.variables(outer["item"]["variablesReference"])}
        equal((members["id"]["value"], members["w"]["value"]), ("5", "2.5"), "what they are in lane 5")
        elements = c.variables(outer["array"]["variablesReference"], filter="indexed", start=1, count=2)
        equal([(e["name"], e["value"]) for e in elements], [("[1]", "2"), ("[2]", "3")], "a page of an array")
        lds = c.scopes(frame["id"])["LDS"]
        check(lds["indexedVariables"] > 0, f"LDS: {lds}")
        equal(len(c.variables(lds["variablesReference"], start=2, count=3)), 3, "a page of LDS")
        c.disconnect()


def thousands_of_waves():
    n = 3072
    with Client() as c:
        c.launch(KERNELS / "many32.s", ["--grid", n * 32, "--group", 64, "--arg", f"out=zeros:{n * 32}"], maxWaves=100)
        c.request("setFunctionBreakpoints", breakpoints=[{"name": "odd"}])
        c.go()
        thread = c.stopped("function breakpoint")
        threads = c.request("threads")["threads"]
        total = c.request("breakwater/waves", count=1)["total"]
        check(total > 100, f"{total} waves have stopped")
        equal(len(threads), 101, "threads that are listed")
        equal(threads[0]["id"], thread, "the first one")
        check(threads[-1]["name"].startswith(f"{total - 100} more waves"), threads[-1]["name"])
        equal(c.request("stackTrace", threadId=threads[-1]["id"])["stackFrames"], [], "frames of those that are not listed")
        waves = []
        while len(waves) < total:
            page = c.request("breakwater/waves", start=len(waves), count=1000)["waves"]
            check(page, "an empty page")
            waves += page
        ids = {w["threadId"] for w in waves}
        equal(len(ids), total, "waves by their numbers")
        other = next(w for w in waves if w["threadId"] not in {t["id"] for t in threads})
        c.request("breakwater/setWave", threadId=other["threadId"])
        equal(c.event("invalidated", lambda b: "threads" in b["areas"])["areas"], ["threads"], "what is to be read again")
        equal(c.request("threads")["threads"][0]["id"], other["threadId"], "the wave that has the focus now")
        equal(c.top(other["threadId"])["instructionPointerReference"], other["pc"], "its PC")
        c.disconnect()


def faults():
    kernel = KERNELS / "unmapped.s"
    with Client() as c:
        c.launch(kernel, ["--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000"])
        c.go()
        stop = c.event("stopped")
        equal(stop["reason"], "exception", "why it stopped")
        check("SIGSEGV" in stop["text"], f"the text: {stop}")
        info = c.request("exceptionInfo", threadId=stop["threadId"])
        equal(info["exceptionId"], "MEMORY_VIOLATION", "the exception")
        check("0x123456789000" in info["details"]["message"] and "not mapped" in info["details"]["message"], f"{info}")
        c.disconnect()


ALWAYS = ["memory_violation", "address_error", "illegal_instruction", "trap"]


def filters_of_faults():
    """They are listed and on; one that an editor switches off stops all the same, and the editor is told."""
    with Client() as c:
        filters = c.capabilities["exceptionBreakpointFilters"]
        equal([f["filter"] for f in filters if f["default"]], ALWAYS, "filters that are on")
        check(all(("description" in f) == f["default"] for f in filters), f"which ones are described: {filters}")
        c.launch(KERNELS / "unmapped.s", ["--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000"])
        said = lambda: [e["body"]["output"] for e in c.events if e["event"] == "output"]  # noqa: E731
        c.request("setExceptionBreakpoints", filters=ALWAYS + ["int_div0"])
        equal(said(), [], "nothing to say")
        c.request("setExceptionBreakpoints", filters=ALWAYS[1:])
        equal(said(), ['"Memory violation" cannot be switched off. Always stops: a wave cannot go on from it unnoticed.\n'],
              "what is said of it")
        check("celsius" in c.refused("setExceptionBreakpoints", filters=["celsius"]), "a filter that is none")
        c.request("setExceptionBreakpoints", filters=[])
        c.go()
        equal(c.event("stopped")["reason"], "exception", "why it stopped")
        c.disconnect()


def pause_and_cancel():
    kernel = KERNELS / "loop.s"
    with Client() as c:
        c.launch(kernel, LOOP)
        c.go()
        # before the program has opened the GPU there is no wave to stop
        for _ in iter(lambda: c.request("breakwater/waves")["total"], -1):
            threads = c.request("threads")["threads"]
            c.request("pause", threadId=threads[0]["id"])
            thread = c.stopped("pause")
            if c.request("breakwater/waves")["total"]:
                break
            c.request("continue", threadId=thread)
        equal(c.top(thread)["source"]["name"], "loop.s", "where it is")
        check("running" not in c.value("info waves", context="repl"), "waves that are stopped")
        step = c.send("evaluate", {"expression": "stepi 100000000", "context": "repl"})
        c.request("cancel", requestId=step)
        try:
            c.response(step)
            equal(c.stopped(), thread, "the wave that was stepped")
        except Refused as refused:  # it had not begun
            equal(str(refused), "cancelled", "what was cancelled")
        # what waits behind a long one is not done
        step = c.send("evaluate", {"expression": "stepi 100000000", "context": "repl"})
        waits = c.send("evaluate", {"expression": "info waves", "context": "repl"})
        c.send("cancel", {"requestId": waits})
        c.send("pause", {"threadId": thread})
        c.response(step)
        while waits not in c.responses:
            check(c.take(), "the stream ended")
        equal((c.responses[waits]["success"], c.responses[waits].get("message")), (False, "cancelled"), "what was cancelled")
        c.request("terminate")
        c.event("terminated")
        c.request("restart")
        c.disconnect()


def restart():
    kernel = SOURCE / "examples/fahrenheit.s"
    with Client() as c:
        c.launch(kernel, "--grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128 --print out:8".split())
        c.break_at(kernel, 23)
        c.go()
        c.stopped("breakpoint")
        c.request("restart")
        thread = c.stopped("breakpoint")
        equal(len(c.request("threads")["threads"]), 4, "waves of the second run")
        c.break_at(kernel)
        c.request("continue", threadId=thread)
        equal(len(c.until_end().split()), 8, "what the second run printed")
        c.disconnect()


# ---- attach ----


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    own = [int(p) for p in text.split()]
    return own + [p for child in own for p in children(child)]


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def attached(pid):
    """A client whose waves are stopped; the kernel may have been submitted only now."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        c = Client()
        try:
            c.request("attach", pid=pid)
            break
        except Refused as refused:  # the agent takes its time to begin, and after a debugger has died
            is_early = "has not opened the GPU yet" in str(refused) or "has a debugger already" in str(refused)
            check(is_early and time.monotonic() < end, str(refused))
            check("new session" in c.refused("attach", pid=pid), "a second try in a session that could not begin")
            c.disconnect()
            c.close()
            c.server.wait(TIMEOUT_S)
            time.sleep(0.05)
    c.event("initialized")
    c.go()
    while not c.request("breakwater/waves")["total"]:
        check(time.monotonic() < end, "no wave is ever stopped")
        if not any(e["event"] == "stopped" for e in c.events):
            c.request("pause", threadId=c.request("threads")["threads"][0]["id"])
        c.stopped()
        if not c.request("breakwater/waves")["total"]:
            c.request("continue", threadId=1)
    return c


def attach():
    """Editors that come and go, one of them without a word: the program runs on, and is right in the end."""
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder) / "out"
        program = subprocess.Popen([BREAKWATER, "exec", "--ready", "--", BREAKWATER.parent / "breakwater-launch", SPIN, "--grid",
                                    "64", "--group", "64", "--arg", "out=zeros:64:u32", "--dump", f"out={dump}"])
        pid = None
        try:
            end = time.monotonic() + TIMEOUT_S
            while not pid or "BREAKWATER_VGPU=" not in pathlib.Path(f"/proc/{pid}/environ").read_text():
                check(program.poll() is None and time.monotonic() < end, "the kernel never runs")
                pid = next((p for p in children(program.pid) if executable(p).endswith("/breakwater-launch")), None)
                time.sleep(0.01)
            for how in ("disconnect", "close", "kill"):
                c = attached(pid)
                check(executable(pid).endswith("/breakwater-launch"), "the program is there")
                if how == "disconnect":
                    c.disconnect()
                c.close() if how != "kill" else c.server.kill()
                c.server.wait(TIMEOUT_S)
                equal(program.poll(), None, f"the program after {how}")
            c = attached(pid)
            c.value(f"symbol-file {SPIN}", context="repl")
            for w in c.request("breakwater/waves")["waves"]:
                check(w["source"]["name"] == "spin.s", f"where it is: {w}")
                frame = c.top(w["threadId"])
                c.request("setExpression", expression="$s20", value="1", frameId=frame["id"])
            c.disconnect()
            c.close()
            equal(program.wait(TIMEOUT_S), 0, "the program's status")
            equal(list(struct.unpack("<64I", dump.read_bytes())), [7] * 64, "what it computed")
        finally:
            if program.poll() is None:
                if pid:
                    os.kill(pid, signal.SIGKILL)
                program.wait(TIMEOUT_S)


main([inlined_frames, variables_of_the_program, thousands_of_waves, faults, filters_of_faults, pause_and_cancel, restart, attach])
