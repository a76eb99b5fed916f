#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The virtual GPU, the program or the debugger's guard is stopped by a signal while the debugger waits for it: it
says so, Ctrl-C gives the prompt, and after "kill -CONT" the session is as it ought to be."""
import os
import re
import signal
import time

from harness import KERNELS, SOURCE, check, children, main, named_child, wait_gone
from test_terminal import PROMPT, Terminal, interrupt_the_loop

SAXPY = [SOURCE / "examples/saxpy.s", "--grid", 64, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:64", "--arg",
         "y=fill:64:1", "--arg", "out=zeros:64", "--print", "out:4"]


def at_breakpoint():
    t = Terminal("-i", *SAXPY)
    t.expect(re.escape(PROMPT))
    t.command("break compute")
    check("hit Breakpoint 1" in t.command("run"), "no breakpoint")
    t.gpu = named_child(t.pid, "breakwater-vgpu")
    t.program = named_child(t.pid, "breakwater-launch")
    t.guard = named_child(t.pid, "breakwater")
    return t


def state(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    while state(pid) != "T":
        time.sleep(0.01)


def told(t, command, pid):
    """Types the command, and waits for the sentence about that process."""
    t.type(command + "\n")
    said = t.expect(rf"process {pid} is stopped by a signal \(state T\); \"kill -CONT {pid}\" continues it[^\n]*\n")
    return said


def given_up(t, command, pid):
    told(t, command, pid)
    t.type("\x03")
    return t.expect(re.escape(PROMPT))


def ends_well(t):
    """The kernel's result is right, and nothing is left of the session."""
    family = children(t.pid)
    t.command("delete")
    t.type("continue\n")
    t.expect("1 3 5 7\n")
    t.expect(re.escape(PROMPT))
    t.type("quit\n")
    wait_gone(t.pid, "the debugger")
    for pid in family:
        wait_gone(pid, "a process of an ended session")


def the_program():
    t = at_breakpoint()
    try:
        stop(t.program)
        given_up(t, "print y[2]", t.program)
        given_up(t, "x/4fw &y[0]", t.program)
        os.kill(t.program, signal.SIGCONT)
        # A late answer is dropped: another value, of another size, is what is shown.
        check("= 5\n" in t.command("print x[5]"), "x[5]")
        check("= 1\n" in t.command("print y[5]"), "y[5]")
        # What is waited for long enough comes.
        stop(t.program)
        told(t, "print x[7]", t.program)
        os.kill(t.program, signal.SIGCONT)
        check("= 7\n" in t.expect(re.escape(PROMPT)), "x[7]")
        ends_well(t)
    finally:
        t.close()


def the_program_when_it_is_to_go_on():
    t = at_breakpoint()
    try:
        stop(t.program)
        given_up(t, "continue", t.program)
        os.kill(t.program, signal.SIGCONT)
        t.command("info waves")
        t.type("kill\n")
        t.expect(re.escape(PROMPT))
        wait_gone(t.program, "the program")
        check("hit Breakpoint 1" in t.command("run"), "no breakpoint in the next run")
        t.program = named_child(t.pid, "breakwater-launch")
        ends_well(t)
    finally:
        t.close()


def the_gpu():
    t = at_breakpoint()
    try:
        stop(t.gpu)
        given_up(t, "stepi", t.gpu)
        os.kill(t.gpu, signal.SIGCONT)
        check("AMDGPU Wave" in t.command("info waves"), "no waves")
        ends_well(t)
    finally:
        t.close()


def the_gpu_of_a_running_kernel():
    t = Terminal("-i", KERNELS / "loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4")
    try:
        t.expect(re.escape(PROMPT))
        t.command("tbreak loop")
        check("hit Temporary breakpoint 1" in t.command("run"), "no breakpoint")
        gpu = named_child(t.pid, "breakwater-vgpu")
        stop(gpu)
        given_up(t, "continue", gpu)
        os.kill(gpu, signal.SIGCONT)
        t.type("continue\n")
        check("loop.s:" in interrupt_the_loop(t), "it does not stop")
        stop(gpu)
        told(t, "kill", gpu)
        t.type("\x03")
        t.expect(re.escape(PROMPT))
        t.type("quit\n")
        wait_gone(t.pid, "the debugger")
        os.kill(gpu, signal.SIGCONT)
        wait_gone(gpu, "the virtual GPU")
    finally:
        t.close()


def leaving():
    """quit does not hang; what it leaves ends when it can."""
    for who in ("program", "gpu", "guard"):
        t = at_breakpoint()
        try:
            family = children(t.pid)
            pid = getattr(t, who)
            stop(pid)
            t.type("quit\n")
            t.expect(re.escape("(y or n) "))
            t.type("y\n")
            if who != "program":  # that one can be killed
                t.expect(f"process {pid} is stopped by a signal")
                t.type("\x03")
            wait_gone(t.pid, "the debugger")
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
            for p in family:
                wait_gone(p, "a process of an ended session")
        finally:
            t.close()


if __name__ == "__main__":
    main(the_program, the_program_when_it_is_to_go_on, the_gpu, the_gpu_of_a_running_kernel, leaving)
