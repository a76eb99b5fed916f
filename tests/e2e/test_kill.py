#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What happens when one of the three processes is killed by kill -9: the debugger, the program, the virtual
GPU. And Ctrl-C on a kernel that loops for ever."""
import os
import signal
import subprocess
import tempfile
import time

from harness import (BUILD, IN_GUEST, KERNELS, SOURCE, TIMEOUT_S, Session, check, children, equal, events, main, named_child,
                     wait_gone)

SAXPY = [SOURCE / "examples/saxpy.s", "--grid", 4096, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:4096", "--arg",
         "y=fill:4096:1", "--arg", "out=zeros:4096"]


def stopped_session(*options):
    s = Session(*options)
    s.command("break compute")
    s.send("run")
    s.read_until(lambda o: o.get("event") == "stop")
    s.read_until(lambda o: o.get("command") == "run")
    return s


def floats(path):
    import array
    data = array.array("f")
    with open(path, "rb") as f:
        data.frombytes(f.read())
    return list(data)


def kill_the_debugger():
    """The program finishes, with the right result."""
    fd, path = tempfile.mkstemp()
    os.close(fd)
    os.unlink(path)
    s = stopped_session(*SAXPY, "--dump", f"out={path}")
    program = named_child(s.process.pid, "breakwater-launch")
    family = children(s.process.pid)
    os.kill(s.process.pid, signal.SIGKILL)
    s.process.wait()
    wait_gone(program, "the program")
    equal(floats(path), [2.0 * i + 1 for i in range(4096)], "out")
    os.unlink(path)
    for pid in family:
        wait_gone(pid, "a process the debugger started")


def kill_the_program():
    """The debugger says so, and the next run works on the same virtual GPU."""
    s = stopped_session(*SAXPY)
    program = named_child(s.process.pid, "breakwater-launch")
    os.kill(program, signal.SIGKILL)
    s.send("continue")
    exit_event = s.read_until(lambda o: o.get("event") == "exit")[-1]
    equal(exit_event.get("signal"), 9, "the signal it names")
    s.read_until(lambda o: o.get("command") == "continue")
    reply = s.command("info waves")
    equal(reply["waves"], [], "waves after the program's death")
    s.send("run")
    s.read_until(lambda o: o.get("event") == "stop")
    s.read_until(lambda o: o.get("command") == "run")
    s.command("delete")
    s.send("continue")
    equal(s.read_until(lambda o: o.get("event") == "exit")[-1].get("status"), 0, "status of the second run")
    s.end()


def kill_the_gpu():
    """Both say so and end."""
    s = stopped_session(*SAXPY)
    program = named_child(s.process.pid, "breakwater-launch")
    gpu = named_child(s.process.pid, "breakwater-vgpu")
    os.kill(gpu, signal.SIGKILL)
    s.send("continue")
    seen = s.read_until(lambda o: o.get("event") in ("stop", "exit", "error"))
    check(seen, "nothing was said")
    wait_gone(program, "the program")
    status, rest = s.end()
    check(status != 0, f"the debugger left with status {status}")


def looping_kernel():
    """Ctrl-C stops it and shows where it is, stepping works there, kill ends it."""
    s = Session(KERNELS / "loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4")
    s.send("run")
    s.read_until(lambda o: o.get("kind") == "dispatch")
    while True:
        time.sleep(0.3)
        os.kill(s.process.pid, signal.SIGINT)
        stop = s.read_until(lambda o: o.get("event") == "stop")[-1]
        equal(stop["reason"], "INTERRUPT", "reason")
        s.read_until(lambda o: o["type"] == "end")
        if "function" in stop:
            break
        s.send("continue")  # it came before the kernel's waves
    equal(stop["function"], "loop", "function")
    s.command("stepi 20")  # into the loop, wherever it was
    before = s.command("print $v1[0]")["value"]
    s.send("stepi 10")
    s.read_until(lambda o: o.get("command") == "stepi")
    after = s.command("print $v1[0]")["value"]
    equal(after - before, 5, "additions in ten steps of a loop of two")
    program = named_child(s.process.pid, "breakwater-launch")
    s.command("kill")
    wait_gone(program, "the program")
    equal(s.end()[0], 0, "status")


def two_debuggers():
    """Of one GPU: what the second one debugs runs while the waves of the first one's are stopped."""
    gpu = None
    if not IN_GUEST:  # there they share the kernel's
        gpu = subprocess.Popen([str(BUILD / "breakwater-vgpu"), "--quiet"], stdout=subprocess.PIPE, text=True)
        name, _, value = gpu.stdout.readline().strip().partition("=")
        os.environ[name] = value
    try:
        first = stopped_session(*SAXPY)
        second = stopped_session(*SAXPY)
        for s in (second, first):
            s.command("delete")
            s.send("continue")
            equal(s.read_until(lambda o: o.get("event") == "exit")[-1].get("status"), 0, "status of a program")
            s.end()
    finally:
        if gpu:
            del os.environ[name]
            gpu.kill()
            gpu.wait()


def no_debugger_no_trace():
    """A session leaves no process and no folder behind."""
    s = stopped_session(*SAXPY)
    family = children(s.process.pid)
    status, _ = s.end()
    for pid in family:
        wait_gone(pid, "a process of an ended session")
    equal(status, 0, "status")


if __name__ == "__main__":
    main(kill_the_debugger, kill_the_program, *([] if IN_GUEST else [kill_the_gpu]), looping_kernel, two_debuggers, no_debugger_no_trace)
