# SPDX-License-Identifier: MIT
"""Kernels that a program starts by AQL queues, as programs of ROCm do (aql.c): stopped at their source lines, looked
into, stepped, watched; and the program as it runs on, also without the debugger."""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile

from harness import BREAKWATER, IN_GUEST, TIMEOUT_S, Session, check, equal, main, named_child, parse, run

PROGRAM, CODE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
GPU = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"


def command(kernel, rounds, hang=""):
    return ["sh", "-c", f"exec {PROGRAM} {CODE} {GPU} /dev/dri/renderD128 {kernel} {rounds} {hang}"]


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


def a_use_of_freed_memory():
    """Who freed it is told by the function and the line of the program itself."""
    source = pathlib.Path(__file__).with_name("kfd_calls.h").read_text().splitlines()
    line = 1 + next(i for i, s in enumerate(source) if "ioctl(kfd, request" in s)
    text = run("--", *command("weigh", 1, "freed"), script=["run", "kill"])
    shows(text, r"received signal SIGSEGV",
          rf"^The program has freed it: byte 0 of the 16384 bytes at 0x\w+, in call at kfd_calls\.h:{line}\.$")


def a_race():
    """exec --check does not know the code that the program loads, and names the command that does."""
    done = subprocess.run([BREAKWATER, "exec", "--check=races", "--", *command("clash", 1)], capture_output=True, text=True, timeout=TIMEOUT_S)
    other = re.search(r"^With functions and lines: (breakwater run --check=races --batch -ex run -- sh -c '.*')$", done.stderr, re.M)
    check(other, done.stdout + done.stderr)
    check(" in clash" not in done.stderr, done.stderr)
    done = subprocess.run(other[1], shell=True, capture_output=True, text=True, timeout=TIMEOUT_S,
                          env=dict(os.environ, PATH=f"{BREAKWATER.parent}:{os.environ['PATH']}"))
    shows(done.stdout, r"race between .* in clash at aql\.hip:\d+|store in clash at aql\.hip:\d+ by lane")


def the_gpu_goes_away():
    """The program of a virtual GPU that has died hears of it as of the loss of a GPU, and ends."""
    with subprocess.Popen([BREAKWATER, "exec", "--", *command("weigh", 1, "itself")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as program:
        try:
            equal(program.stdout.readline(), "waits\n", "the program")
            os.kill(named_child(program.pid, "breakwater-vgpu"), signal.SIGKILL)
            text, _ = program.communicate(timeout=TIMEOUT_S)
        finally:
            program.kill()
    shows(text, "^breakwater: the virtual GPU has gone away$", "^the GPU is lost$")


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


def what_hangs():
    """A program that hangs is explained in a paragraph: at the stop, by info queues, and in a report. tests/pm4/test_aql_look.c
    has all that is said."""
    stop = ["set break-on hang 0.3", "run"]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "a.html")
        text = run("--", *command("spin", 2), script=[*stop, f"report {page}", "kill"])
        why = r"Queue 1 of aql \(process \d+\) has 2 packets that are not complete, and stands at packet 0: dispatch 1 \(spin\), which is " \
            r"running: 8 of its waves are on the GPU, at spin\+\d+ \(aql.hip:\d+\)\. .* signal 0x\w+ \(value 2\)"
        shows(text, "which is taken for a hang", "^" + why)
        shows(page.read_text(), why)
    text = run("--", *command("weigh", 1, "circle"), script=[*stop, "info queues", "kill"])
    shows(text, r"^warning: queue \d has stood at packet \d for 300 ms, which is taken for a hang\.$", r"^Interrupted\. No wave is on the GPU now",
          r"^Queue 2 .* stands at packet 0: a barrier-AND that waits until signal (0x\w+) \(value 1\) is 0\. Packet 1 of queue 1, a "
          r"barrier-AND, decrements it\. But queue 1 stands at packet 1, .* for each other in a circle",
          r"^ 2 +1 +64 +0 +1 +0x\w+ +barrier-AND, which waits for signal 0x\w+ \(value 1\)$")
    text = run("--", *command("weigh", 1, "nobody"), script=[*stop, "info dispatches", "info dispatch 2", "kill"])
    shows(text, r"^warning: queue 1 has stood at packet 1 for 300 ms", r"No packet of the program's AQL queues decrements this signal",
          r"^ 1 +1 .* done +weigh$", r"^ 2 +1 .* waiting +weigh$", r"^Dispatch 2 of weigh \(waiting\)$",
          r"^  waits for    barrier-AND, which waits for signal 0x\w+ \(value 1\)$")
    objects = run("--", *command("weigh", 1, "scratch"), script=[*stop, "info queues", "kill"], json_lines=True)
    shown = next(o for o in objects if o.get("what") == "queues")["queues"][0]
    equal(shown["stands_at"], "dispatch 2 (weigh), which waits for scratch", "a queue without scratch")
    shows(shown["why"], "needs 65536 bytes of scratch for each lane, and the queue has 1024")
    equal([o["queues"] for o in objects if o.get("event") == "stop"], [[shown["why"]]], "what the stop says")


def breakwater(*words, status=0):
    done = subprocess.run([BREAKWATER, *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S)
    equal(done.returncode, status, f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def a_capture():
    """Dispatches are captured with their code object, replayed with the same memory, and debugged by it."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "aql.bwc")
        equal(breakwater("capture", "-o", file, "--", *command("weigh", 2)), result(2), "the captured program's output")
        listed = json.loads(breakwater("capture", "list", "--json", file))["submissions"]
        equal([(s["ring"], s["dispatches"], s["outcome"]) for s in listed], [("AQL queue 0", 1, "done")] * 2, "the submissions")
        shown = json.loads(breakwater("capture", "show", "--json", file, 2))
        equal([(d["pipeline"], d["groups"], d["group_size"]) for d in shown["dispatches"]], [("weigh", "4,1,1", "64,1,1")], "the dispatch")
        equal(shown["records"][0]["code_bytes"], CODE.stat().st_size, "the code object")
        said = json.loads(breakwater("replay", "--check", "--json", file))
        equal((said["same"], said["checked"], said["dispatches"]), (True, 2, 2), f"the replay: {said}")
        text = run(file, script=["break aql.hip:32 if i == 70", "run", "p points[i]", "p w", "info dispatches", "next", "p part[6]", "delete", "continue"])
        shows(text, r"hit Breakpoint 1, with lanes \[6\], weigh \(points=0x\w+, out=0x\w+, scale=2, n=200\) at aql\.hip:32$",
              r"^\$1 = {x = 35, y = 1, id = 70}$", r"^\$2 = 71$", r"^ 1 +1 +\[4,1,1\] +\[64,1,1\] +running +weigh$", r"^\$3 = 71$", "exited normally")


def a_captured_fault():
    """The capture has the fault of a dispatch, although the program aborts itself; bisect finds the dispatch."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "stray.bwc")
        breakwater("capture", "-o", file, "--", *command("stray", 1), status=134)
        shows(breakwater("capture", "list", file), r"AQL queue 0 .* failed with a page fault at 0x\w+")
        shows(breakwater("replay", file, status=3), r"^Submission 1 failed with a page fault at (0x\w+) .*; in the capture it failed with a page fault at \1")
        shows(breakwater("bisect", file), r"^Its dispatch 0 does it: .* pipeline stray\.$")


def crumbs_of(kernel, rounds, status):
    """The event of exec --breadcrumbs, after the program has ended."""
    done = subprocess.run([BREAKWATER, "exec", "--breadcrumbs", "--json", "--", *command(kernel, rounds)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
    equal(done.returncode, status, f"the status: {done.stderr}")
    return next(o for o in (parse(line) for line in done.stderr.splitlines() if line.startswith("{")) if o.get("event") == "breadcrumbs")


def breadcrumbs():
    """Of AQL packets. test_aql_look.py has a queue that stands."""
    whole = crumbs_of("weigh", 3, 0)
    equal((whole["streams"], whole["bad"]), (3, []), "a program that ends")
    shown = crumbs_of("stray", 1, 134)
    equal([(b["cause"], b["last_ended"], b["first_not_ended"]["pipeline"]) for b in shown["bad"]], [("fault", None, "stray")], f"a fault: {shown}")


# The virtual GPU's own driver has no trap handler that waves could leave to. In the guest a replay of the fault does not end.
main(a_kernel, each_dispatch, a_stray_store, a_use_of_freed_memory, the_debugger_ends, breadcrumbs, a_capture,
     *([the_queue_leaves] if IN_GUEST else [a_race, the_gpu_goes_away, what_hangs, a_captured_fault]))
