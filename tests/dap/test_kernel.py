#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions on a kernel: what `make demo` does, by the requests of an editor."""
import base64
import re
import struct

from client import SOURCE, Client, check, equal, main

KERNEL = SOURCE / "examples/fahrenheit.s"
OPTIONS = "--grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128 --print out:8".split()
SUM = 23  # the line of the wrong sum


def f32(text):
    """A register's value, as the server shows it, as a float."""
    return struct.unpack("<f", struct.pack("<I", int(text.split()[0], 0)))[0]


def demo():
    with Client() as c:
        c.launch(KERNEL, OPTIONS)
        (b,) = c.break_at(KERNEL, SUM)
        check(b["verified"] and b["line"] == SUM, f"the breakpoint: {b}")
        c.go()
        thread = c.stopped("breakpoint")
        threads = c.request("threads")["threads"]
        equal(len(threads), 4, "waves")
        check(thread in [t["id"] for t in threads], "the stopped thread is not listed")
        for t in threads:
            check(re.search(r"^\([01],0,0\)/[01] fahrenheit, dispatch 1 \[AMDGPU Wave 1:1:1:\d\]$", t["name"]), t["name"])
        frame = c.top(thread)
        equal((frame["line"], frame["source"]["path"]), (SUM, str(KERNEL)), "where it stopped")
        scopes = c.scopes(frame["id"])
        vgprs = c.variables(scopes["VGPRs"]["variablesReference"], start=2, count=2)
        equal([v["name"] for v in vgprs], ["v2", "v3"], "a page of VGPRs")
        # The inputs count up by one a lane; the products are 1.8 times as much.
        lanes = [c.variables(v["variablesReference"], filter="indexed", start=5, count=1)[0] for v in vgprs]
        first = f32(lanes[0]["value"])
        check(abs(f32(lanes[1]["value"]) - first * 1.8) < 1e-4, f"v3[5] of {lanes}")
        for expression in ("as_float($v3)", "as_float($v3) * 1.0f"):
            lanes = c.request("breakwater/lanes", threadId=thread, expression=expression)["lanes"]
            for lane in lanes:
                want = (first + lane["lane"] - 5) * 1.8
                check(abs(float(lane["value"]) - want) < 1e-3, f"{expression} is not {want} in {lane}")
        equal(c.request("breakwater/setLane", threadId=thread, lane=5)["lane"], 5, "the lane")
        equal(c.value("$_lane", frame["id"]), "5", "the focus lane")
        c.request("next", threadId=thread, granularity="instruction")
        equal(c.stopped("step"), thread, "the wave that was stepped")
        frame = c.top(thread)
        equal(frame["line"], SUM + 1, "the next line")
        equal(c.value("as_float($s9)", frame["id"]), "23", "what was added")
        c.request("setBreakpoints", source={"path": str(KERNEL)}, breakpoints=[])
        equal(c.request("setExpression", expression="$s9", value="32.0f", frameId=frame["id"])["value"],
              str(0x42000000), "what is added from now on")
        c.request("setExpression", expression="$pc", value="$pc - 4", frameId=frame["id"])
        c.request("stepIn", threadId=thread, granularity="instruction")
        c.stopped("step")
        got = float(c.value("as_float($v4[5])", c.top(thread)["id"]))
        check(abs(got - (first * 1.8 + 32)) < 1e-3, f"the sum of lane 5: {got}")
        c.request("continue", threadId=thread)
        out = [float(x) for x in c.until_end().split()]
        equal(len(out), 8, "what the kernel's run printed")
        equal(c.event("exited")["exitCode"], 0, "exit status")
        c.disconnect()


def breakpoints_of_all_kinds():
    with Client() as c:
        c.launch(KERNEL, OPTIONS)
        (f,) = c.request("setFunctionBreakpoints", breakpoints=[{"name": "fahrenheit"}])["breakpoints"]
        check(f["verified"], f"the function: {f}")
        bad = c.request("setFunctionBreakpoints", breakpoints=[{"name": "fahrenheit"}, {"name": "celsius"}])["breakpoints"]
        check(bad[0]["verified"] and not bad[1]["verified"] and "celsius" in bad[1]["message"], f"no function: {bad}")
        lines = c.break_at(KERNEL, SUM, condition="$_workgroup == 1,0,0 && $_lane == 7")
        check(lines[0]["verified"], f"a condition: {lines}")
        wrong = c.break_at(KERNEL, SUM, condition="$nonsense(")
        check(not wrong[0]["verified"], f"a wrong condition: {wrong}")
        (line,) = c.break_at(KERNEL, SUM, condition="$_workgroup == 1,0,0 && $_lane == 7")
        c.go()
        thread = c.stopped("function breakpoint")
        pc = int(c.top(thread)["instructionPointerReference"], 0)
        code = c.request("disassemble", memoryReference=hex(pc), instructionOffset=-2, instructionCount=20)["instructions"]
        equal(len(code), 20, "instructions")
        equal(code[2]["address"], hex(pc), "the instruction at the PC")
        c.request("setFunctionBreakpoints", breakpoints=[])
        store = next(i for i in code if i["instruction"].startswith("global_store"))
        (i,) = c.request("setInstructionBreakpoints",
                         breakpoints=[{"instructionReference": store["address"]}])["breakpoints"]
        check(i["verified"], f"the instruction: {i}")
        # One stop may be that of both: waves that ran at the same time.
        seen = set()
        while not {i["id"], line["id"]} <= seen:
            c.request("continue", threadId=thread)
            stop = c.event("stopped")
            seen |= set(stop["hitBreakpointIds"])
            thread = stop["threadId"]
            if stop["reason"] == "breakpoint":
                check("(1,0,0)/" in next(t["name"] for t in c.request("threads")["threads"] if t["id"] == thread),
                      "the condition is on workgroup 1")
        c.disconnect()


def logpoints_and_hits():
    with Client() as c:
        c.launch(KERNEL, OPTIONS)
        c.break_at(KERNEL, SUM, logMessage="group {$_thread_workgroup_pos} sum {1 + 2}", condition="$_lane == 0")
        (b,) = c.request("setFunctionBreakpoints", breakpoints=[{"name": "fahrenheit", "hitCondition": "> 100"}])["breakpoints"]
        check(b["verified"], f"a hit condition: {b}")
        (bad,) = c.request("setFunctionBreakpoints", breakpoints=[{"name": "fahrenheit", "hitCondition": "odd"}])["breakpoints"]
        check(not bad["verified"] and "odd" in bad["message"], f"a wrong hit condition: {bad}")
        c.go()
        c.event("terminated")
        said = "".join(e["body"]["output"] for e in c.events if e["event"] == "output")
        equal(len(re.findall(r"^group [01] sum 3$", said, re.M)), 4, f"lines of the logpoint in {said!r}")
        c.disconnect()


def memory_and_values():
    with Client() as c:
        c.launch(KERNEL, OPTIONS, stopOnEntry=True)
        c.go()
        thread = c.stopped("entry")
        frame = c.top(thread)
        out = next(v for v in c.variables(c.scopes(frame["id"])["Arguments"]["variablesReference"]) if v["name"] == "out")
        reference = out["memoryReference"]
        data = struct.pack("<2f", 1.5, -2.0)
        equal(c.request("writeMemory", memoryReference=reference, offset=8,
                        data=base64.b64encode(data).decode())["bytesWritten"], 8, "bytes written")
        body = c.request("readMemory", memoryReference=reference, offset=8, count=8)
        equal(base64.b64decode(body["data"]), data, "what was written")
        equal(body["address"], hex(int(reference, 0) + 8), "its address")
        equal(c.value("$_launch.out[3]", frame["id"]), "-2", "the same as an expression")
        check('"offset"' in c.refused("writeMemory", memoryReference=reference, offset=2 ** 53, data="AAAA"), "a large offset")
        nothing = c.request("readMemory", memoryReference="0x10", count=16)
        equal(nothing["unreadableBytes"], 16, "memory that is not mapped")
        # no address of a shader, though page tables have the low 48 bits alone
        wild = hex(int(reference, 0) | 1 << 50)
        equal(c.request("readMemory", memoryReference=wild, count=16)["unreadableBytes"], 16, "an address that is not canonical")
        check(wild in c.refused("writeMemory", memoryReference=wild, data="AAAA"), "a write there")
        sgprs = c.scopes(frame["id"])["SGPRs"]["variablesReference"]
        c.request("setVariable", variablesReference=sgprs, name="s20", value="0x1234")
        equal(c.variables(sgprs, start=20, count=1)[0]["value"], "0x00001234", "s20")
        # what "print" shows as a table, in a line
        for context in ("watch", "repl"):
            equal(c.request("evaluate", expression="$_lane / 16 @lanes", context=context, frameId=frame["id"])["result"], "0-15: 0; 16-31: 1",
                  f"in lanes, {context}")
        check("changed" not in c.refused("evaluate", expression="$s20 = 1", context="hover", frameId=frame["id"]) and
              c.variables(sgprs, start=20, count=1)[0]["value"] == "0x00001234", "a hover changes nothing")
        equal(c.value("print $s20", frame["id"], "repl").split(" = ")[1], str(0x1234), "a command")
        words = [t["label"] for t in c.request("completions", text="info wav", column=9, frameId=frame["id"])["targets"]]
        equal(words, ["wave", "waves"], "completions")
        info = c.request("dataBreakpointInfo", name="$_launch.out[3]", frameId=frame["id"])
        (b,) = c.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
        check(b["verified"], f"a data breakpoint: {b}")
        c.request("continue", threadId=thread)
        c.stopped("data breakpoint")
        lanes = c.request("breakwater/lanes", threadId=thread, start=30, count=10)
        equal([x["lane"] for x in lanes["lanes"]], [30, 31], "the last lanes")
        c.disconnect()


def port():
    with Client(port=True) as c:
        c.launch(KERNEL, OPTIONS)
        c.go()
        equal(len(c.until_end().split()), 8, "what the kernel's run printed")
        c.disconnect()


def hostile():
    """What is no message ends the connection, and only that."""
    for data in (b"\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n",
                 b"x" * 5000, b"Content-Length: 1\r\nContent-Length: 1\r\n\r\n1"):
        with Client(initialize=False, status=2) as c:
            c.raw(data)
            check(not c.take(), f"an answer to {data!r}")
    with Client() as c:
        for data in (b"1", b"{", b"[]", b'{"seq": 1, "type": "request"}', b'{"seq": 1, "type": "response"}', b"\xff"):
            c.raw(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            check("ignored" in c.event("output")["output"], f"{data!r} is ignored")
        for unfit, why in (("a\0b", "NUL"), (2 ** 64, "too large")):
            said = c.refused("launch", program=unfit)
            check('"launch"' in said and why in said, f"{unfit!r}: {said}")
        check("missing" in c.refused("launch"), "a launch of nothing")
        check("launch" in c.refused("threads"), "threads of nothing")
        c.disconnect()


main([demo, breakpoints_of_all_kinds, logpoints_and_hits, memory_and_values, port, hostile])
