#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conditions on variables of the program: those whose place is known are tested by the trap handler, and mean
there what they mean to the debugger; the others are the debugger's, which says so, and Ctrl-C ends them."""
import re
import signal

from harness import KERNELS, Session, check, equal, events, main, run

LANES = 32
FALSE = "(float)$_lane > 100.0"  # which the GPU cannot tell
ITEMS = 256


def signed(value, bits):
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


# What conditions.cl gives to each work item l, in C's types, and which of its places is tested where.
VARIABLES = [
    ("l == 200", lambda l: l == 200),
    ("l != l", lambda l: False),
    ("l >= 31 && l <= 32", lambda l: 31 <= l <= 32),
    ("!(l < 250)", lambda l: l >= 250),
    ("-l == -77", lambda l: l == 77),
    ("u == 0xffffffff", lambda l: l == 255),
    ("u > 0xf0000000", lambda l: l * 0x01010101 > 0xf0000000),
    ("u > -2", lambda l: l * 0x01010101 > 0xfffffffe),  # C: unsigned
    ("(int)u < -1 && l > 253", lambda l: l > 253 and signed(l * 0x01010101, 32) < -1),
    ("c < -70", lambda l: signed(l - 100, 8) < -70),
    ("c == 'A'", lambda l: signed(l - 100, 8) == 65),
    ("uc > 250", lambda l: l * 2 % 256 > 250),
    ("uc > -1 && l == 3", lambda l: l == 3),  # C: promoted to int
    ("h == 300 * 7", lambda l: signed(l * 300, 16) == 2100),
    ("h < -32000", lambda l: signed(l * 300, 16) < -32000),
    ("uh >= 65000", lambda l: l * 600 % 65536 >= 65000),
    ("wide == 0", lambda l: l == 64),
    ("wide < -500000000000", lambda l: (l - 64) << 33 < -500000000000),
    ("wide >= 1640677507072", lambda l: (l - 64) << 33 >= 1640677507072),
    ("uwide > 18302628885633695744", lambda l: (l << 57) % 2**64 > 18302628885633695744),
    ("uwide == 144115188075855872 && l < 128", lambda l: l == 1),
    ("x == 0", lambda l: l == 64),
    ("x > 47.4", lambda l: l * 0.25 - 16 > 47.4),
    ("x <= -15.75", lambda l: l * 0.25 - 16 <= -15.75),
    ("x < 0 && l > 60", lambda l: 60 < l < 64),
    ("x == 1.1", lambda l: False),
    ("x != 0.1 && l == 9", lambda l: l == 9),
    ("x == 3", lambda l: l * 0.25 - 16 == 3),
    ("color == BLUE && l > 250", lambda l: l % 3 == 0 and l > 250),
    ("color == 5 && l < 3", lambda l: l % 3 and l < 3),
    ("odd && l > 253", lambda l: l == 255),
    ("!odd && l > 253", lambda l: l == 254),
    ("item.id == 99", lambda l: l == 33),
    ("item.at[2] == -40", lambda l: l == 40),
    ("item.at[1] == 5 && item.w > 1", lambda l: l + 1 == 5 and l * 0.5 > 1),
    ("item.tag == 255", lambda l: l == 255),
    ("v.y == -128", lambda l: l == 128),
    ("v.z * 4 + v.w == 9 + 4 * 20", lambda l: l // 2 == 20),
    ("far[1100] == 77 * 7", lambda l: l == 77),
    ("l * 3 - item.id == item.at[0] - 130", lambda l: l == 130),
    ("tile[3] == 3 && l == 100", lambda l: l == 100),
    ("(l == 4 || c == 20) && (h > 10000 || h == 1200)", lambda l: (l == 4 or signed(l - 100, 8) == 20)
     and (signed(l * 300, 16) > 10000 or l == 4)),
    ("l == 5 + 7", lambda l: l == 12),
    ("round >= 0 && $_lane == 31 && l == 63", lambda l: l == 63 and LANES == 32),
    ("rounds > 5 && l == 1", lambda l: l == 1),
]
# These are read from memory, or more than 32 bits are computed.
BY_THE_DEBUGGER = [
    ("out[l] >= 0 && l == 3", lambda l: l == 3, "gpu and debugger", "`out[l]` is read from memory"),
    ("*p == 30", lambda l: l == 10, "debugger", "`*p` is read from memory"),
    ("far[1000 + 100] == 7 * 9", lambda l: l == 9, "debugger", "`far[1000 + 100]` is read from memory"),
    ("wide + 1 == 1", lambda l: l == 64, "debugger", None),
    ("(float)l * 0.5 == 4.0", lambda l: l == 8, "debugger", None),
]


def line_of(kernel, mark):
    return next(i for i, line in enumerate(kernel.read_text().splitlines(), 1) if f"/* {mark} */" in line)


def hits_of(conditions, *options, mark="tested"):
    """[(waves that the condition held in, tested_by, not_on_gpu), ...]: one round for each."""
    kernel = KERNELS / "conditions.cl"
    script = [f"break {kernel.name}:{line_of(kernel, 'round')} if $_lane == 0 && $_thread_workgroup_pos == 0", f"break {kernel.name}:{line_of(kernel, mark)} if l < 0",
              "ignore 2 1000000", "run"]
    for condition in conditions:
        script += [f"condition 2 {condition}", "continue", "info breakpoints"]
    out = run(kernel, "--grid", ITEMS, "--group", ITEMS, "--arg", f"out=zeros:{ITEMS}", "--arg", f"rounds={len(conditions) + 1}",
              *options, json_lines=True, script=script)
    rows = [o["breakpoints"][1] for o in out if o.get("what") == "breakpoints"]
    equal(len(rows), len(conditions), "rounds")
    hits = [0] + [row["hits"] for row in rows]
    return [(after - before, row.get("tested_by"), row.get("not_on_gpu")) for before, after, row in zip(hits, hits[1:], rows)]


def variables():
    """Conditions on variables at -O0: as many waves as the source says, on the GPU and by the debugger alone."""
    global LANES
    for LANES in (32, 64):
        options = ["-O0"] + (["--wave64"] if LANES == 64 else [])
        forced = [f"({condition}) || {FALSE}" for condition, _ in VARIABLES]
        got = hits_of([c for c, _ in VARIABLES] + forced + [row[0] for row in BY_THE_DEBUGGER], *options)
        n = len(VARIABLES)
        for (condition, says), fast, slow in zip(VARIABLES, got[:n], got[n:2 * n]):
            equal(fast[1], "gpu", f"who tests {condition}")
            equal(slow[1], "debugger", f"who tests {condition} || {FALSE}")
            equal(fast[0], slow[0], f"wave{LANES}: {condition}: waves, by the GPU and by the debugger")
            equal(fast[0], len({l // LANES for l in range(ITEMS) if says(l)}), f"wave{LANES}: {condition}: waves")
        for (condition, says, by, why), row in zip(BY_THE_DEBUGGER, got[2 * n:]):
            equal(row, (len({l // LANES for l in range(ITEMS) if says(l)}), by, why), condition)


def optimized():
    """The same with -O2, where parameters are in registers, and other variables are gone: the debugger's word holds."""
    global LANES
    LANES = 32
    cases = [row for row in VARIABLES if set(re.findall("[a-z]+", row[0])) <= {"l", "h", "uc", "u", "x"} and "u " not in row[0]]
    check(len(cases) > 12, f"{len(cases)} conditions")
    got = hits_of([condition for condition, _ in cases], "-O2", mark="passed")
    for (condition, says), row in zip(cases, got):
        equal(row, (len({l // LANES for l in range(ITEMS) if says(l)}), "gpu", None), f"-O2: {condition}")
    lost = [condition for condition, _ in VARIABLES]
    # The compiler may move the line across the barrier between rounds, so that now and then a wave is counted in the next one.
    for _ in range(3):
        got = hits_of(lost + [f"({condition}) || {FALSE}" for condition in lost], "-O2")
        lost = [condition for condition, fast, slow in zip(lost, got, got[len(lost):]) if fast[0] != slow[0]]
        if not lost:
            break
    equal(lost, [], "-O2: conditions that the GPU and the debugger have counted differently in each of three runs")


def interrupted():
    """Thousands of waves stop for a condition that holds in none: it is said how often, and Ctrl-C ends it, twice. Then
    the same waves are asked once more, and what the condition holds for is found."""
    kernel = KERNELS / "conditions.cl"
    line, rounds = line_of(kernel, "tested"), 1000000
    s = Session(kernel, "--grid", 64 * ITEMS, "--group", ITEMS, "--arg", f"out=zeros:{ITEMS}", "--arg", f"rounds={rounds}", "-O0")
    s.command(f"break {kernel.name}:{line} if *p == -1")
    s.send("run")
    said = s.read_until(lambda o: o.get("event") == "notice" and "condition of breakpoint 1" in o["text"])[-1]["text"]
    check("`*p` is read from memory" in said and "Ctrl-C" in said, said)
    for _ in range(2):
        s.process.send_signal(signal.SIGINT)
        stop = s.read_until(lambda o: o.get("event") == "stop")[-1]
        check("breakpoint" not in stop, f"{stop}")
        row = s.command("info breakpoints")["breakpoints"][0]
        equal((row["hits"], row["tested_by"], row["not_on_gpu"]), (0, "debugger", "`*p` is read from memory"), "breakpoint 1")
        s.send("continue")
    s.process.send_signal(signal.SIGINT)
    s.read_until(lambda o: o.get("event") == "stop")
    # the waves that Ctrl-C has found in front of the s_trap have not been asked: none of them gets by
    s.command("condition 1 *p == 33 && round >= 0")
    s.send("continue")
    stop = s.read_until(lambda o: o.get("event") == "stop")[-1]
    equal((stop["breakpoint"], stop["breakpoint_lanes"]), (1, "0x800"), "stop")
    equal(s.command("print l")["value"], 11, "l")
    s.command("kill")
    s.end()


def interrupted_on_the_gpu():
    """A wave that comes by a tested condition again and again is in the trap handler most of the time: it stops there."""
    kernel = KERNELS / "conditions.cl"
    s = Session(kernel, "--grid", 64 * ITEMS, "--group", ITEMS, "--arg", f"out=zeros:{ITEMS}", "--arg", "rounds=1000000", "-O0")
    s.command(f"break {kernel.name}:{line_of(kernel, 'tested')} if round == 1000001")
    s.send("tbreak " + f"{kernel.name}:{line_of(kernel, 'tested')} if round == 20")
    s.send("run")
    equal(s.read_until(lambda o: o.get("event") == "stop")[-1]["breakpoint"], 2, "the 20th round")
    s.send("continue")
    for _ in range(3):
        s.process.send_signal(signal.SIGINT)
        stop = s.read_until(lambda o: o.get("event") == "stop")[-1]
        check("breakpoint" not in stop and not stop.get("unstoppable"), f"{stop}")
        s.send("continue")
    s.process.send_signal(signal.SIGINT)
    s.read_until(lambda o: o.get("event") == "stop")
    s.command("kill")
    s.end()


def interrupted_between_commands():
    """Commands that resume the program at each hit do not swallow a Ctrl-C."""
    kernel = KERNELS / "conditions.cl"
    s = Session(kernel, "--grid", ITEMS, "--group", ITEMS, "--arg", f"out=zeros:{ITEMS}", "--arg", "rounds=1000000", "-O0")
    for line in (f"break {kernel.name}:{line_of(kernel, 'tested')} if l == 3", "commands", "silent", "printf \"%d\\n\", round",
                 "continue", "end", "run"):
        s.send(line)
    s.read_until(lambda o: o.get("command") == "printf" and o.get("text") == "5\n")
    s.process.send_signal(signal.SIGINT)
    s.read_until(lambda o: o.get("event") == "stop" and "breakpoint" not in o or "Quit" in o.get("message", ""))
    s.command("kill")
    s.end()


if __name__ == "__main__":
    main(variables, optimized, interrupted, interrupted_on_the_gpu, interrupted_between_commands)
