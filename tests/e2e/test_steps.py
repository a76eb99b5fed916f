#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""saxpy under the debugger: breakpoints, a thousand steps and looking around change nothing; edits
change what they should and nothing else."""
from harness import SOURCE, check, equal, errors, events, main, replies, run

N = 256
SAXPY = [SOURCE / "examples/saxpy.s", "--grid", N, "--group", 64, "--arg", "a=2.0", "--arg", f"x=iota:{N}", "--arg",
         f"y=fill:{N}:1", "--arg", f"out=zeros:{N}", "--print", f"out:{N}"]
PLAIN = [2.0 * i + 1 for i in range(N)]


def result(objects):
    output = events(objects, "output")
    check(output, "the kernel printed nothing")
    return [float(word) for word in output[-1]["text"].split()]


def nothing_is_changed_by_looking():
    look = ["info waves", "info lanes", "info registers", "info all-registers", "print $v1", "print x[3]", "x/8xw $pc",
            "disassemble", "info kernel", "info waves count"]
    out = run(*SAXPY, json_lines=True, script=["break saxpy", "run", *look, "stepi", *look, "continue"])
    equal(result(out), PLAIN, "out")
    equal(errors(out), [], "errors")


def a_thousand_steps():
    """Each wave is stepped to its end; 8 waves of 12 instructions need less than a thousand."""
    script = ["break saxpy", "run", "delete"] + ["stepi"] * 1000 + ["continue"]
    out = run(*SAXPY, json_lines=True, script=script)
    equal(result(out), PLAIN, "out")


def breakpoints_everywhere():
    out = run(*SAXPY, json_lines=True,
              script=[f"break *saxpy+{o}" for o in (0, 8, 16, 24)] + ["break load", "break compute", "break store", "run"] +
              ["continue"] * 6 + ["delete", "continue"])
    equal(result(out), PLAIN, "out")


def an_edited_lane():
    """One lane of one wave gets another x."""
    out = run(*SAXPY, json_lines=True,
              script=["break compute", "run", "print $_dispatch_pos", "set var $v2[3] = 100.0f", "delete", "continue"])
    got = result(out)
    wrong = [i for i in range(N) if got[i] != PLAIN[i]]
    equal(len(wrong), 1, "elements that differ")
    equal(got[wrong[0]], 201.0, "the edited element")
    equal(wrong[0] % 32, 3, "its lane")


def an_edited_scalar():
    """The factor of one wave."""
    out = run(*SAXPY, json_lines=True, script=["break compute", "run", "set var $s4 = 3.0f", "delete", "continue"])
    got = result(out)
    wrong = {i // 32 for i in range(N) if got[i] != PLAIN[i]}
    equal(len(wrong), 1, "waves that differ")
    wave = wrong.pop()
    equal(got[wave * 32:wave * 32 + 32], [3.0 * i + 1 for i in range(wave * 32, wave * 32 + 32)], "that wave")


def an_edited_mask():
    """Lanes taken out of EXEC store nothing."""
    out = run(*SAXPY, json_lines=True,
              script=["break store", "run", "set var $exec = 0xff", "delete", "continue"])
    got = result(out)
    zeros = [i for i in range(N) if got[i] == 0.0]
    equal(len(zeros), 24, "elements not stored")


def edited_memory():
    out = run(*SAXPY, json_lines=True,
              script=["break load", "run", "print x[7]", "set var x[7] = 50.0", "print x[7]", "delete", "continue"])
    equal([r["value"] for r in replies(out, "print")], [7.0, 50.0], "x[7] before and after")
    expected = list(PLAIN)
    expected[7] = 101.0
    equal(result(out), expected, "out")


def a_moved_pc():
    """Back by one instruction: a * x + y is added twice."""
    out = run(*SAXPY, json_lines=True, script=["break store", "run", "set var $pc = compute", "delete", "continue"])
    got = result(out)
    wrong = sorted(i for i in range(N) if got[i] != PLAIN[i])
    check(len(wrong) in (31, 32), f"{len(wrong)} elements differ")
    equal([got[i] for i in wrong], [4.0 * i + 1 for i in wrong], "that wave")


def conditions():
    """break ... if: only the waves, and the lanes, for which it holds."""
    out = run(*SAXPY, json_lines=True,
              script=["break compute if $v2[5] == 0x42ca0000", "run", "info waves count", "print/f $v2[5]", "delete", "continue"])
    stop = events(out, "stop")[0]
    equal(stop["reason"], "BREAKPOINT", "reason")
    equal(result(out), PLAIN, "out")
    out = run(*SAXPY, json_lines=True, script=["break compute if $_lane == 3", "run", "delete", "continue"])
    equal(events(out, "stop")[0]["breakpoint_lanes"], "0x8", "lanes that hit")


if __name__ == "__main__":
    main(nothing_is_changed_by_looking, a_thousand_steps, breakpoints_everywhere, an_edited_lane, an_edited_scalar,
         an_edited_mask, edited_memory, a_moved_pc, conditions)
