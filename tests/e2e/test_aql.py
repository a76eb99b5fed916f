# SPDX-License-Identifier: MIT
"""Kernels that a program starts by AQL queues, as programs of ROCm do (aql.c): stopped at their source lines, looked
into, stepped, watched; and the program as it runs on, also without the debugger."""
import os
import pathlib
import re
import select
import sys
import tempfile

from harness import IN_GUEST, TIMEOUT_S, Session, check, equal, main, run

PROGRAM, CODE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
GPU = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"


def command(kernel, rounds):
    return ["sh", "-c", f"exec {PROGRAM} {CODE} {GPU} /dev/dri/renderD128 {kernel} {rounds}"]


def result(rounds):
    """What the program prints: weights of points 10 and 199, {i / 2, 1}, with the last scale; the sum of the first group."""
    scale = 2 * rounds
    return f"{5 * scale + 1:g} {99.5 * scale + 1:g} {sum(i / 2 * scale + 1 for i in range(64)):g}\n"


def shows(text, *lines):
    for line in lines:
        check(re.search(line, text, re.M), f"{line} in\n{text}")


def a_kernel():
    """A condition on a variable, the variables of the frame and of LDS, a step over a barrier."""
    text = run("--", *command("weigh", 2), script=[
        "break aql.hip:32 if i == 70", "run", "bt", "info args", "p points[i]", "p w", "info dispatches", "info queues", "next", "next", "p part[6]",
        "info sharedlibrary", "delete", "continue"])
    shows(text, r"^Breakwater|^Breakpoint 1 \(aql\.hip:32\) waits for its code to be loaded\.$",
          r"hit Breakpoint 1, with lanes \[6\], weigh \(points=0x\w+, out=0x\w+, scale=2, n=200\) at aql\.hip:32$",
          r"^#0  weigh ", r"^scale = 2$", r"^n = 200$", r"^\$1 = {x = 35, y = 1, id = 70}$", r"^\$2 = 71$",
          r"^ 1 +1 +\[4,1,1\] +\[64,1,1\] +running +weigh$", r"^ 1 +0 +64 +0 +2 +0x\w+ +dispatch 1 \(weigh\), which is running$", r"^\$3 = 71$", r"Yes +memory://\d+#offset=0x\w+&size=\d+$",
          "^" + re.escape(result(2)), r"\[aql \(process \d+\) exited normally\]")


def each_dispatch():
    """A breakpoint on dispatches stops every round, one after the other; a watchpoint sees the store."""
    text = run("--", *command("weigh", 3), script=[
        "break on dispatch", "run", "continue", "continue", "info dispatches", "delete", "break weight", "continue", "delete", "up",
        "watch out[71]", "continue", "delete", "continue"])
    equal(len(re.findall(r"hit Breakpoint 1, ", text)), 3, f"stops at dispatches in\n{text}")
    shows(text, r"^ 2 +1 .* done +weigh$", r"^ 3 +1 .* running +weigh$",
          r"hit Breakpoint 2, with lanes \[0-31\], weight \(p=0x\w+, scale=6\)", r"^Old value = 143$", r"^New value = 214$",
          "^" + re.escape(result(3)))


def a_stray_store():
    """The wave stops at it, before the program hears of the fault and aborts itself."""
    text = run("--", *command("stray", 1), script=["run", "p i", "info locals", "kill"])
    shows(text, r"received signal SIGSEGV", r"^stray \(.*\) at aql\.hip:\d+$", r"^Lane 8 writes 4 bytes at 0x\w+, which is not mapped:",
          r"^\$1 = 40$")
    check("memory access fault" not in text, text)


def the_debugger_ends():
    """Detached from, or left by a debugger that was killed, the program comes to its right result."""
    for how in ("detach", "kill -9"):
        with tempfile.NamedTemporaryFile("r") as out:
            s = Session("--", "sh", "-c", f"exec >{out.name}; " + command("weigh", 3)[2])
            s.command("break aql.hip:32")
            s.command("run")
            check(any(o.get("reason") == "BREAKPOINT" for o in s.events), str(s.events))
            fd = os.pidfd_open(int(re.search(r"aql \(process (\d+)\) uses the GPU", str(s.events)).group(1)))
            if how == "detach":
                s.command("detach")
            else:
                s.process.kill()
            poll = select.poll()
            poll.register(fd, select.POLLIN)
            check(poll.poll(TIMEOUT_S * 1000), f"the program has not ended after {how}")
            os.close(fd)
            equal(out.read(), result(3), f"the program's output after {how}")
            if how == "detach":
                s.end()


def the_queue_leaves():
    """KFD takes the queue off the GPU, and gives it back, while its waves are stopped: they wait as before, and go on."""
    leave = "shell kill -USR1 $(pgrep -x aql); sleep 1"
    text = run("--", *command("weigh", 2), script=[
        "break aql.hip:32 if i == 70", "run", leave, "p points[i]", "p part[5]", "info dispatches", "next", "next", "p part[6]",
        leave, "next", "delete", "continue"])
    shows(text, r"^\$1 = {x = 35, y = 1, id = 70}$", r"^\$2 = 70$", r"^ 1 +1 +\[4,1,1\] +\[64,1,1\] +running +weigh$", r"^\$3 = 71$",
          "^" + re.escape(result(2)), r"\[aql \(process \d+\) exited normally\]")


# The virtual GPU's own driver has no trap handler that waves could leave to.
main(a_kernel, each_dispatch, a_stray_store, the_debugger_ends, *([the_queue_leaves] if IN_GUEST else []))
