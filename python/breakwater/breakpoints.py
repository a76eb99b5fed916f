# SPDX-License-Identifier: MIT
"""Breakpoints, watchpoints and catchpoints, and functions that decide about their hits."""
from __future__ import annotations

import ctypes
import traceback
from ctypes import byref, c_uint32
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from ._library import BreakFunction, BreakStruct, bytes_of, call, call_for_text
from .waves import Wave

if TYPE_CHECKING:
    from .session import Session

Condition = Union[str, Callable[[Wave], Any]]
Callback = Callable[[Wave], Any]
PLACE, CONDITION = range(2)  # enum breakwater_break_text
KINDS = ("code", "watch", "rwatch", "awatch", "exception")


class Breakpoint:
    """A breakpoint, by its number: one that Session.breakpoint has set, or any other of the session."""

    def __init__(self, session: "Session", number: int) -> None:
        self._session = session
        self.number = number

    def _info(self) -> BreakStruct:
        out = BreakStruct(size_b=ctypes.sizeof(BreakStruct))
        call("break_get", self._session._handle, self.number, byref(out))
        return out

    @property
    def kind(self) -> str:
        """ "code", "watch", "rwatch", "awatch" or "exception" """
        return KINDS[self._info().kind]

    @property
    def place(self) -> str:
        """As it was set: "saxpy.s:26"."""
        return call_for_text("break_text", self._session._handle, self.number, PLACE)

    @property
    def address(self) -> Optional[int]:
        """Of its first place in GPU memory; None: it has none yet."""
        return self._info().address or None

    @property
    def is_pending(self) -> bool:
        return bool(self._info().pending)

    @property
    def hits(self) -> int:
        """How many waves it has counted; those that a function let go on are not."""
        return self._info().hits

    @property
    def enabled(self) -> bool:
        return bool(self._info().enabled)

    @enabled.setter
    def enabled(self, on: bool) -> None:
        call("break_enable", self._session._handle, self.number, on)

    @property
    def ignore(self) -> int:
        """Hits that are still to be passed over."""
        return self._info().ignore

    @ignore.setter
    def ignore(self, hits: int) -> None:
        call("break_ignore", self._session._handle, self.number, hits)

    @property
    def condition(self) -> str:
        """The expression that is tested for each active lane; "": none. The GPU tests it where it can: other waves do
        not stop, which is faster than a condition in Python."""
        return call_for_text("break_text", self._session._handle, self.number, CONDITION)

    @condition.setter
    def condition(self, expression: str) -> None:
        call("break_condition", self._session._handle, self.number, bytes_of(expression))

    def on_hit(self, condition: Optional[Callable[[Wave], Any]] = None, callback: Optional[Callback] = None) -> None:
        """Functions for each wave that hits it, after its expression held; without any, all such waves stop.

        condition: false, and the wave goes on. callback: called where the condition held; if it returns False (not
        None), the wave goes on. Both may read the wave and evaluate expressions, and nothing else. An exception in
        them is printed with its traceback, and the wave stays stopped."""
        functions = self._session._break_functions
        if condition is None and callback is None:
            call("break_function", self._session._handle, self.number, BreakFunction(0), None)
            functions.pop(self.number, None)
            return
        function = BreakFunction(_decider(self._session, condition, callback))
        call("break_function", self._session._handle, self.number, function, None)
        functions[self.number] = function  # C has a pointer to it

    def delete(self) -> None:
        call("break_delete", self._session._handle, self.number)
        self._session._break_functions.pop(self.number, None)

    def __repr__(self) -> str:
        return f"<breakwater.Breakpoint {self.number}>"


def _decider(session: "Session", condition: Optional[Callable[[Wave], Any]],
             callback: Optional[Callback]) -> Callable[[Any, Any, int, int], bool]:
    def decide(cookie: Any, handle: Any, number: int, wave_number: int) -> bool:
        wave = Wave(session._handle, wave_number)
        try:
            if condition is not None and not condition(wave):
                return False
            return callback is None or callback(wave) is not False
        except (KeyboardInterrupt, SystemExit) as e:
            session._raised = e  # by what waits; an exception cannot pass through C
        except BaseException:
            traceback.print_exc()
        return True
    return decide


def set_breakpoint(session: "Session", text: str) -> Breakpoint:
    number = c_uint32()
    call("break", session._handle, bytes_of(text), byref(number))
    return Breakpoint(session, number.value)
