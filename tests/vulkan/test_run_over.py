# SPDX-License-Identifier: MIT
"""One write of descriptors that runs over from a binding into those after it: each buffer is known by the shader's
name for it, whichever call has written it. And its second dispatch, of a session that ends in the first one.

    test_run_over.py PROGRAM"""
import os
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
PROGRAM = os.path.abspath(sys.argv[1])


def all_bindings():
    for how in ("write", "copy", "template", "push", "push-template"):
        bindings_of(how)


def bindings_of(how):
    s = harness.Session("--", PROGRAM, how)
    s.command("break on dispatch")
    s.command("run")
    for name, value in (("first[0]", 1), ("middle[0].value[5]", 2), ("middle[1].value[63]", 3), ("last[63]", 4)):
        equal(s.command(f"print {name}")["text"], str(value), f"{how}: {name}")
    s.command("delete")
    s.command("continue")
    output = "".join(e["text"] for e in harness.events(s.events, "output"))
    check("last 7 7" in output, f"{how}: the program said {output!r}")
    s.end()


def the_end_at_a_stop():
    """However a session ends, the second dispatch does not run on inside of the instruction at the breakpoint: its first dword is an
    s_trap, or the program's own, and its second dword is no instruction."""
    for how in ("kill", "quit", "run", "end of input", signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGKILL, "detach",
                "the program is killed"):
        # the limit of --timeout comes as SIGALRM: here at the stop, however busy the machine is
        s = harness.Session("-O0", "--timeout", 10000, "--", PROGRAM, "write")
        s.command("break run_over.comp:9")
        s.command("run")
        check(s.command("info waves")["waves"], "no stop")
        if isinstance(how, int):
            os.kill(s.process.pid, how)
        elif how == "the program is killed":
            os.kill(harness.named_child(s.process.pid, "vulkan_run_over"), signal.SIGKILL)
            s.command("continue")
        elif how == "quit":
            s.send(how)
        elif how != "end of input":
            s.command(how)
        s.process.stdin.close()
        s.process.stdout.read()
        said = s.process.stderr.read()  # the virtual GPU's, too
        status = s.process.wait(harness.TIMEOUT_S)
        equal(status, {signal.SIGALRM: 124, signal.SIGKILL: -signal.SIGKILL}.get(how, 128 + how) if isinstance(how, int) else
              128 + signal.SIGKILL if how == "the program is killed" else 0,
              f"{how}: status")
        check("does not execute" not in said, f"{how}: {said}")


harness.main(all_bindings, the_end_at_a_stop)
