# SPDX-License-Identifier: MIT
"""Sessions: what is debugged, running it, and the events that end that."""
from __future__ import annotations

import atexit
import json
import os
import threading
import weakref
from ctypes import byref, c_char_p, c_int, c_uint32, c_void_p
from typing import Any, Optional, Union

from . import values
from ._library import Error, bytes_of, call, call_for_numbers, call_for_text, plain, text_of
from .breakpoints import Breakpoint, Callback, Condition, set_breakpoint
from .waves import Dispatch, Wave, read_dispatch

STATES = ("none", "running", "stopped")
EVENTS = (None, "stopped", "dispatch", "interrupted", "exited", "gpu-gone", "queue-error")
STEPS = {"instruction": 0, "over-call": 1, "line": 2, "line-over-calls": 3, "out": 4}


class Event:
    """Why the program does not run any more. print(event) shows what the prompt shows.

    kind: "stopped" (waves have), "dispatch" (one is held), "interrupted" (and there was no wave to stop), "exited",
    "gpu-gone" or "queue-error". wave: the one that has the focus now, or None; breakpoint: the one it is at, or None;
    n_waves: how many waves are stopped; exit_status: of "exited", where it is known."""

    def __init__(self, session: "Session", handle: c_void_p) -> None:
        self.kind: str = EVENTS[plain("event_kind", handle)] or "stopped"
        wave, number = plain("event_wave", handle), plain("event_breakpoint", handle)
        self.wave: Optional[Wave] = Wave(session._handle, wave) if wave else None
        self.breakpoint: Optional[Breakpoint] = Breakpoint(session, number) if number else None
        self.n_waves: int = plain("event_n_waves", handle)
        self.text: str = text_of(plain("event_text", handle))
        status = c_int()
        self.exit_status: Optional[int] = status.value if plain("event_exit_status", handle, byref(status)) else None

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<breakwater.Event {self.kind}>"


class Session:
    """What is debugged. Made by breakwater.run, attach, look_at_waves, open_crash or current; a context manager that closes it.

    Ctrl-C while a session waits stops the program, and raises KeyboardInterrupt."""

    def __init__(self, handle: c_void_p, is_own: bool) -> None:
        self._handle = handle
        self._is_own = is_own
        self._break_functions: dict[int, Any] = {}
        self._raised: Optional[BaseException] = None
        if threading.current_thread() is threading.main_thread():
            call("catch_sigint", handle, True)
        if is_own:
            _open_sessions.add(self)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        return bool(plain("is_open", self._handle))

    def close(self) -> None:
        """Ends the session: kills a program that it has started, detaches from one that it has attached to. That of
        the command line stays open."""
        plain("close", self._handle)
        if not self.is_open:
            _open_sessions.discard(self)
        if not self.is_open:
            _open_sessions.discard(self)

    @property
    def state(self) -> str:
        """ "none" (nothing has been started, or it has ended), "running" or "stopped" """
        out = c_int()
        call("state", self._handle, byref(out))
        return STATES[out.value]

    # ---- Running ----

    def start(self) -> None:
        """Starts the program; wait() reports the first stop."""
        call("start", self._handle)

    def resume(self) -> None:
        """Resumes all waves; wait() reports the next stop."""
        call("continue", self._handle)

    def wait(self, timeout: Optional[float] = None) -> Optional[Event]:
        """Waits for the next stop, for that many seconds at most; None: the time has passed, and the program runs."""
        milliseconds = -1 if timeout is None else max(0, min(int(timeout * 1000), 0x7fffffff))
        return self._event("wait", milliseconds)

    def run(self) -> Event:
        """Starts the program and waits for the first stop."""
        self.start()
        return self._stop()

    def proceed(self) -> Event:
        """Resumes all waves and waits for the next stop."""
        self.resume()
        return self._stop()

    def step(self, kind: str = "line", count: int = 1) -> Event:
        """Steps the focus wave; the others stay stopped. kind: "line", "line-over-calls", "instruction", "over-call" or
        "out" (of the function)."""
        if kind not in STEPS:
            raise Error(f"\"{kind}\" is not a kind of step: {', '.join(STEPS)}", "invalid")
        event = self._event("step", STEPS[kind], count)
        assert event
        return event

    def interrupt(self) -> None:
        """Stops the program: a wait, or the next one, returns. For other threads: all else is for one thread at a
        time."""
        plain("interrupt", self._handle)

    def kill(self) -> None:
        """Ends the program."""
        call("kill", self._handle)

    def detach(self) -> None:
        """Lets the program run without the debugger."""
        call("detach", self._handle)

    def _stop(self) -> Event:
        event = self.wait()
        assert event
        return event

    def _event(self, name: str, *args: Any) -> Optional[Event]:
        handle = c_void_p()
        try:
            call(name, self._handle, *args, byref(handle))
            self._raise()
            return Event(self, handle) if handle else None
        finally:
            plain("event_free", handle)

    def _raise(self) -> None:
        """What a breakpoint's function has raised that was meant for us."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    # ---- What is stopped ----

    @property
    def waves(self) -> list[Wave]:
        """The stopped waves, by number."""
        return [Wave(self._handle, number) for number in call_for_numbers("waves", self._handle)]

    @property
    def focus(self) -> Optional[Wave]:
        """The wave that commands and expressions refer to (Wave.focus changes it)."""
        wave, _ = self._focus()
        return Wave(self._handle, wave) if wave else None

    @property
    def lane(self) -> int:
        """The lane of the focus."""
        return self._focus()[1]

    def _focus(self) -> tuple[int, int]:
        wave, lane = c_uint32(), c_uint32()
        call("focus", self._handle, byref(wave), byref(lane))
        return wave.value, lane.value

    @property
    def dispatches(self) -> list[Dispatch]:
        """All of this program, also those that have ended."""
        return [read_dispatch(self._handle, number) for number in call_for_numbers("dispatches", self._handle)]

    def evaluate(self, expression: str) -> values.Value:
        """An expression as print takes it, in the focus."""
        return values.evaluate(self._handle, expression, 0, -1)

    # ---- Breakpoints ----

    def breakpoint(self, where: str, condition: Optional[Condition] = None,
                   callback: Optional[Callback] = None) -> Breakpoint:
        """Sets a breakpoint at a place, or by a command of the prompt: "saxpy.s:26", "tbreak saxpy", "watch out[5]",
        "break on dispatch 2", "catch fp div0". condition: an expression, or a function of the wave; callback: see
        Breakpoint.on_hit."""
        made = set_breakpoint(self, where)
        try:
            if isinstance(condition, str):
                made.condition = condition
                condition = None
            if condition is not None or callback is not None:
                made.on_hit(condition, callback)
        except BaseException:
            made.delete()
            raise
        return made

    @property
    def breakpoints(self) -> list[Breakpoint]:
        return [Breakpoint(self, number) for number in call_for_numbers("breaks", self._handle)]

    # ---- Commands ----

    def command(self, line: str) -> str:
        """Runs a line as typed at the prompt, or several lines; returns what it prints. A command that resumes the
        program returns at its next stop."""
        return self._command(line, False)

    def json(self, line: str) -> list[dict[str, Any]]:
        """The same, as the objects that doc/json.md describes."""
        return [json.loads(one) for one in self._command(line, True).splitlines()]

    def _command(self, line: str, as_json: bool) -> str:
        try:
            return call_for_text("command", self._handle, bytes_of(line), as_json)
        finally:
            self._raise()

    def __repr__(self) -> str:
        return f"<breakwater.Session {'open' if self.is_open else 'closed'}>"


# Sessions live until they are closed, or the interpreter ends: a wave that is still used belongs to one, and a
# program that was left alone would stay stopped.
_open_sessions: "set[Session]" = set()


@atexit.register
def _close_all() -> None:
    for session in list(_open_sessions):
        session.close()


def _open(*words: Union[str, "os.PathLike[str]"]) -> Session:
    array = (c_char_p * (len(words) + 1))(*[bytes_of(os.fspath(word)) for word in words], None)
    handle = c_void_p()
    call("open", array, byref(handle))
    return Session(handle, True)


def run(*words: Union[str, "os.PathLike[str]", int, float]) -> Session:
    """A session with the words of `breakwater run`: a kernel or shader and its options, or "--", a program and its
    arguments. Nothing is started yet."""
    return _open("run", *[str(w) if isinstance(w, (int, float)) else w for w in words])


def attach(pid: int) -> Session:
    """A session with a process that `breakwater exec` has started."""
    return _open("attach", str(pid))


def open_crash(path: Union[str, "os.PathLike[str]"]) -> Session:
    """A session with what a GPU has left behind: a devcoredump, or the folder of a hang report of RADV."""
    return _open("run", path)


def look_at_waves(pid: Optional[int] = None, halt: bool = False, gpu: Optional[str] = None) -> Session:
    """A session on the waves that are on a GPU, of a process or of all, without a trap handler: those of a program that
    hangs, too. halt: all waves of the GPU stand still until it is closed."""
    words = ["--waves", *(["--halt"] if halt else []), *(["--gpu", gpu] if gpu else []), *([str(pid)] if pid else [])]
    return _open("attach", *words)


_current: Optional[Session] = None


def current() -> Session:
    """In a script that breakwater runs (-x script.py, or source script.py): the session of the command line."""
    global _current
    handle = c_void_p()
    call("current", byref(handle))
    if _current is None:
        _current = Session(handle, False)
    return _current
