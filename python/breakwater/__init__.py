# SPDX-License-Identifier: MIT
"""Breakwater, a debugger for AMD GPUs, in Python.

    import breakwater

    with breakwater.run("examples/saxpy.s", "--grid", 256, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:256",
                        "--arg", "y=fill:256:1", "--arg", "out=zeros:256") as session:
        session.breakpoint("compute", condition=lambda wave: wave.workgroup[0] == 1)
        print(session.run())
        for wave in session.waves:
            print(wave.name, list(wave.read("v2", "f"))[:3])

In a script that `breakwater run -x script.py` runs, breakwater.current() is the session of the command line.
doc/scripting.md has more. One thread at a time uses the module; Session.interrupt is for others."""
from ._library import Error, plain as _plain
from .breakpoints import Breakpoint
from .session import Event, Session, attach, current, look_at_waves, open_crash, run
from .values import Value
from .waves import Dispatch, Wave

__version__: str = _plain("version").decode()
__all__ = ["Breakpoint", "Dispatch", "Error", "Event", "Session", "Value", "Wave", "attach", "current", "look_at_waves",
           "open_crash", "run"]
