#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conditions that the trap handler tests by itself: the waves that stop are those that the condition
means, counted here; and the same as where the debugger has to look at every wave, because the condition
is joined with something that the handler cannot test."""
from harness import KERNELS, equal, events, main, run

GROUPS, GROUP = 6, 64
WAVES = GROUPS * GROUP // 32
# In many32.s and many64.s at `odd`: s2 the workgroup, v0 the work item, v1 the global index, v3 three
# times that. Lanes of odd v1 are active.
CASES = [
    ("$_workgroup == 3,0,0", lambda g, i: g == 3),
    ("$_workgroup != 3,0,0", lambda g, i: g != 3),
    ("$_workgroup.x > 3 && $_lane == 5", lambda g, i: g > 3 and i % LANES == 5),
    ("$v1 == 77", lambda g, i: g * GROUP + i == 77),
    ("77 == $v1 || $v3 == 3", lambda g, i: g * GROUP + i in (77, 1)),
    ("!($v1 < 380)", lambda g, i: g * GROUP + i >= 380),
    ("$s2 >= 2 && ($v1 == 131 || $_lane > 61)", lambda g, i: g >= 2 and (g * GROUP + i == 131 or i % LANES > 61)),
    ("($s2 & 1) == 1 && $_thread_workgroup_pos == 0 && $_lane < 2",
     lambda g, i: g & 1 and i < LANES and i % LANES < 2),
    ("as_int($v1) < -1", lambda g, i: False),
    ("$_thread_workgroup_pos > -1 && $v1 > 382", lambda g, i: g * GROUP + i > 382),
    ("threadIdx.x == 33 && blockIdx.x == 5", lambda g, i: i == 33 and g == 5),
    ("$v1 == $wanted", lambda g, i: g * GROUP + i == 201),
    ("as_float($v1) > 4.2e-43", None),
    # What is computed, lane by lane.
    ("$v1 + $v3 == 4 * 77", lambda g, i: g * GROUP + i == 77),
    ("($v1 & 7) == 3 && $_lane % 16 == 11", lambda g, i: (g * GROUP + i) & 7 == 3 and i % LANES % 16 == 11),
    ("$v3 - $v1 * 2 == $v1 && $v0 == $_lane && $s2 * 2 > 8", lambda g, i: i < LANES and g > 4),
    ("($s2 ^ 1) % 4 == 2", lambda g, i: (g ^ 1) % 4 == 2),
    ("as_int($v1) - 200 < -1 - $_lane && ($v1 << 2) + 1 > 4 * 150 ", lambda g, i: g * GROUP + i - 200 < -1 - i % LANES
     and (g * GROUP + i) * 4 + 1 > 600),
    ("!($v1 / 4 != 40 || $v1 % 4 == 3)", lambda g, i: (g * GROUP + i) // 4 == 40 and (g * GROUP + i) % 4 != 3),
    ("($s2 == 1 || $v1 == 5) && ($v0 == 7 || $v0 == 33)", lambda g, i: (g == 1 or g * GROUP + i == 5) and i in (7, 33)),
    ("$v1 >> 3 == $_thread_workgroup_pos + 8 || -$v1 == -131", lambda g, i: (g * GROUP + i) >> 3 == i // LANES + 8
     or g * GROUP + i == 131),
]
LANES = 32


def stops(lanes, condition):
    """[(workgroup)/wave, ...] of all that stopped, and {one of them: its lanes} of those that a stop was
    reported for. Waves' numbers are in the order in which the debugger saw them, so no two runs need to
    agree on them; neither do they on how many waves a stop finds."""
    out = run(KERNELS / f"many{lanes}.s", "--grid", GROUPS * GROUP, "--group", GROUP, "--arg", f"out=zeros:{GROUPS * GROUP}",
              "--print", f"out:{GROUPS * GROUP}", json_lines=True,
              script=["set $wanted = 201", f"break odd if {condition}", "run"] + ["info waves all", "continue"] * WAVES)
    listed = [w for o in out if o.get("what") == "waves" for w in o["waves"]]
    names = {w["wave"]: w["name"].split(" ")[-1] for w in listed}
    found = {names[o["wave"]]: o["breakpoint_lanes"] for o in events(out, "stop") if o["reason"] == "BREAKPOINT"}
    return sorted({names[w["wave"]] for w in listed if w.get("reason") == "BREAKPOINT"}), found


def same(lanes, condition):
    """The condition stops the same waves, in the same lanes, tested by the handler and by the debugger."""
    fast, fast_lanes = stops(lanes, condition)
    slow, slow_lanes = stops(lanes, f"({condition}) && out[$v1 * 0] == out[$v1 * 0]")
    equal(fast, slow, condition)
    equal(bool(fast), True, f"{condition}: a wave stopped")
    for wave in fast_lanes.keys() & slow_lanes.keys():
        equal(fast_lanes[wave], slow_lanes[wave], f"{condition}: lanes of {wave}")


def same_as_the_debugger():
    global LANES
    LANES = 32
    for condition, says in CASES[2:4] + [c for c in CASES if not c[1]]:
        same(LANES, condition)


def counted():
    """How many waves a condition holds for, by what it says."""
    global LANES
    for LANES in (32, 64):
        for i, (condition, says) in enumerate(CASES):
            if not says or (i > 12 and (32, 64)[i % 2] != LANES):
                continue
            expected = {(g, i // LANES) for g in range(GROUPS) for i in range(GROUP)
                        if (g * GROUP + i) & 1 and says(g, i)}
            out = run(KERNELS / f"many{LANES}.s", "--grid", GROUPS * GROUP, "--group", GROUP, "--arg",
                      f"out=zeros:{GROUPS * GROUP}", "--print", f"out:{GROUPS * GROUP}", json_lines=True,
                      script=["set $wanted = 201", f"break odd if {condition}", "run"] +
                      ["continue"] * len(expected))
            got = [float(w) for w in events(out, "output")[-1]["text"].split()]
            equal(got, [i * 3 + (1000 if i & 1 else 0) for i in range(GROUPS * GROUP)], f"{condition}: out")
            stopped = sum(o.get("same_place", 0) for o in events(out, "stop") if o["reason"] == "BREAKPOINT")
            equal(stopped, len(expected), f"wave{LANES}: waves stopped by {condition}")


def lane_by_lane_or_by_the_debugger():
    """Which lanes a stop has is the debugger's word; which waves stop is the handler's."""
    global LANES
    LANES = 32
    for condition in ("$v1 * $v1 == 77 * 77 || $v3 % 64 == $s2 + 1", "(($v1 + 4) & 0x1f) == ($_lane ^ 4)"):
        same(LANES, condition)


def one_wave():
    """A breakpoint for one wave, known by its number: the others pass."""
    out = run(KERNELS / "many32.s", "--grid", GROUPS * GROUP, "--group", GROUP, "--arg", f"out=zeros:{GROUPS * GROUP}",
              json_lines=True, script=["tbreak many", "run", "break odd wave 5", "break join if $_wave == 5 && $v1 >= 0",
                                       "continue", "print $_wave", "continue", "print $_wave", "continue"])
    stopped = [(o["wave"], o["breakpoint"]) for o in events(out, "stop") if "breakpoint" in o][1:]
    equal(stopped, [(5, 2), (5, 3)], "stops")


def twenty_thousand_do_not_stop():
    """Each wave comes by; none is meant. (That it takes little time is for the benchmarks.)"""
    n = 20000
    out = run(KERNELS / "many32.s", "--grid", n * 32, "--group", 64, "--arg", f"out=zeros:{n * 32}", "--print", "out:4",
              json_lines=True, script=["break many if $_workgroup == 77777,0,0", "break join if $v1 == 0x7fffffff",
                                       "run", "info breakpoints"])
    equal(events(out, "stop"), [], "stops")
    equal(events(out, "output")[-1]["text"].split(), ["0", "1003", "6", "1009"], "out")


def no_registers_left():
    """After DEALLOC_VGPRS there is nothing to compare, and nothing to stop: the waves end."""
    out = run(KERNELS / "dealloc.s", "--grid", 256, "--group", 64, "--arg", "out=zeros:256", "--print", "out:4",
              json_lines=True, script=["break last if $v1 == 7", "run"])
    equal(events(out, "exit")[-1]["status"], 0, "exit status")
    equal(events(out, "output")[-1]["text"].split(), ["0", "1", "2", "3"], "out")


if __name__ == "__main__":
    main(same_as_the_debugger, counted, lane_by_lane_or_by_the_debugger, one_wave, twenty_thousand_do_not_stop, no_registers_left)
