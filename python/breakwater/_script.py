# SPDX-License-Identifier: MIT
"""Runs the scripts of `breakwater run -x script.py` and `source script.py` in the program. For src/cli/python.c."""
from __future__ import annotations

import os
import signal
import sys
import traceback

DONE, FAILED, INTERRUPTED = range(3)  # enum in src/cli/python.c


def run(path: str) -> int:
    """All scripts of a session share one __main__, as in gdb. What a script raises is printed with its traceback."""
    main = sys.modules["__main__"].__dict__
    folder = os.path.dirname(os.path.abspath(path))
    before = sys.argv if hasattr(sys, "argv") else []
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] # what it prints is among the debugger's lines
    sys.path.insert(0, folder)
    sys.argv = [path]
    main["__file__"] = path
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with open(path, "rb") as f:
            code = compile(f.read(), path, "exec")
        exec(code, main)
        return DONE
    except SystemExit as e:
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
        return FAILED if e.code else DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as e:
        # without the frame of this function
        traceback.print_exception(type(e), e, e.__traceback__.tb_next if e.__traceback__ else None)
        return FAILED
    finally:
        sys.argv = before
        if folder in sys.path:
            sys.path.remove(folder)
        sys.stdout.flush()
        sys.stderr.flush()
