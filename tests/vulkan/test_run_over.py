# SPDX-License-Identifier: MIT
"""One write of descriptors that runs over from a binding into those after it: each buffer is known by the shader's
name for it, whichever call has written it.

    test_run_over.py PROGRAM"""
import os
import pathlib
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


harness.main(all_bindings)
