# SPDX-License-Identifier: MIT
"""The C functions (include/breakwater/*.h) by ctypes, and their errors as exceptions.

They are looked for in the running program first: `breakwater` has loaded the library for the scripts that it runs. Elsewhere
they are in libbreakwater.so.0, or in the file that BREAKWATER_LIBRARY names."""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable

CODES = (None, "out-of-memory", "invalid", "not-found", "unsupported", "system", "fault", "gone", "timeout",
         "interrupted", "state")


class Error(Exception):
    """What the debugger could not do, as a sentence. `code` says of which kind it is: "invalid", "not-found",
    "unsupported", "system", "fault", "gone", "timeout", "interrupted", "state" or "out-of-memory"."""

    def __init__(self, message: str, code: str = "invalid") -> None:
        super().__init__(message)
        self.code = code


class WaveStruct(Structure):
    """struct breakwater_wave"""
    _fields_ = [("size_b", c_size_t), ("pc", c_uint64), ("exec", c_uint64), ("number", c_uint32), ("lanes", c_uint32),
                ("agent", c_uint32), ("queue", c_uint32), ("dispatch", c_uint32), ("inferior", c_uint32),
                ("workgroup", c_uint32 * 3), ("wave_in_group", c_uint32), ("se", c_uint32), ("sa", c_uint32),
                ("wgp", c_uint32), ("simd", c_uint32), ("slot", c_uint32), ("n_vgprs", c_uint32), ("reasons", c_uint32),
                ("breakpoint", c_uint32), ("in_barrier", c_uint32), ("pc_is_imprecise", c_uint32),
                ("breakpoint_lanes", c_uint64)]


class AddressStruct(Structure):
    """struct breakwater_address"""
    _fields_ = [("size_b", c_size_t), ("va", c_uint64), ("wave", c_uint32), ("lane", c_uint32), ("space", c_uint32),
                ("reserved", c_uint32)]


class DispatchStruct(Structure):
    """struct breakwater_dispatch"""
    _fields_ = [("size_b", c_size_t), ("number", c_uint32), ("state", c_uint32), ("submission", c_uint32),
                ("queue", c_uint32), ("inferior", c_uint32), ("groups", c_uint32 * 3), ("group", c_uint32 * 3),
                ("reserved", c_uint32), ("code_va", c_uint64), ("arguments_va", c_uint64)]


class BreakStruct(Structure):
    """struct breakwater_break"""
    _fields_ = [("size_b", c_size_t), ("number", c_uint32), ("kind", c_uint32), ("enabled", c_uint32),
                ("temporary", c_uint32), ("pending", c_uint32), ("n_addresses", c_uint32), ("hits", c_uint64),
                ("ignore", c_uint64), ("address", c_uint64)]


class BreakAtStruct(Structure):
    """struct breakwater_break_at"""
    _fields_ = [("size_b", c_size_t), ("place", c_char_p), ("condition", c_char_p), ("wave", c_uint32),
                ("temporary", c_uint32)]


# bool fn(void *cookie, struct breakwater_session *s, uint32_t number, uint32_t wave)
BreakFunction = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_uint32, c_uint32)

_out = POINTER(c_void_p)
_u32 = POINTER(c_uint32)
# Functions that return an error: the types of their parameters.
_FALLIBLE: dict[str, tuple[Any, ...]] = {
    "open": (POINTER(c_char_p), _out),
    "current": (_out,),
    "state": (c_void_p, POINTER(c_int)),
    "start": (c_void_p,),
    "continue": (c_void_p,),
    "wait": (c_void_p, c_int, _out),
    "step": (c_void_p, c_int, c_uint64, _out),
    "catch_sigint": (c_void_p, c_bool),
    "kill": (c_void_p,),
    "detach": (c_void_p,),
    "command": (c_void_p, c_char_p, c_bool, _out),
    "waves": (c_void_p, _u32, c_size_t, POINTER(c_size_t)),
    "wave": (c_void_p, c_uint32, POINTER(WaveStruct)),
    "wave_text": (c_void_p, c_uint32, c_int, _out),
    "work_item": (c_void_p, c_uint32, c_uint32, _u32),
    "focus": (c_void_p, _u32, _u32),
    "set_focus": (c_void_p, c_uint32, c_int),
    "register_size": (c_void_p, c_uint32, c_char_p, POINTER(c_size_t)),
    "register_read": (c_void_p, c_uint32, c_char_p, c_void_p, c_size_t),
    "register_write": (c_void_p, c_uint32, c_char_p, c_void_p, c_size_t),
    "lane_write": (c_void_p, c_uint32, c_char_p, c_uint32, c_uint32),
    "memory_read": (c_void_p, POINTER(AddressStruct), c_void_p, c_size_t),
    "memory_write": (c_void_p, POINTER(AddressStruct), c_void_p, c_size_t),
    "dispatches": (c_void_p, _u32, c_size_t, POINTER(c_size_t)),
    "dispatch": (c_void_p, c_uint32, POINTER(DispatchStruct)),
    "dispatch_kernel": (c_void_p, c_uint32, _out),
    "break": (c_void_p, c_char_p, _u32),
    "break_set": (c_void_p, POINTER(BreakAtStruct), _u32),
    "break_delete": (c_void_p, c_uint32),
    "break_enable": (c_void_p, c_uint32, c_bool),
    "break_condition": (c_void_p, c_uint32, c_char_p),
    "break_ignore": (c_void_p, c_uint32, c_uint64),
    "break_function": (c_void_p, c_uint32, BreakFunction, c_void_p),
    "breaks": (c_void_p, _u32, c_size_t, POINTER(c_size_t)),
    "break_get": (c_void_p, c_uint32, POINTER(BreakStruct)),
    "break_text": (c_void_p, c_uint32, c_int, _out),
    "evaluate": (c_void_p, c_uint32, c_int, c_char_p, _out),
}
# The others: what they return, and their parameters.
_PLAIN: dict[str, tuple[Any, ...]] = {
    "error_code": (c_int, c_void_p),
    "error_message": (c_char_p, c_void_p),
    "error_free": (None, c_void_p),
    "free": (None, c_void_p),
    "version": (c_char_p,),
    "close": (None, c_void_p),
    "is_open": (c_bool, c_void_p),
    "interrupt": (None, c_void_p),
    "event_kind": (c_int, c_void_p),
    "event_wave": (c_uint32, c_void_p),
    "event_reasons": (c_uint32, c_void_p),
    "event_breakpoint": (c_uint32, c_void_p),
    "event_n_waves": (c_uint64, c_void_p),
    "event_exit_status": (c_bool, c_void_p, POINTER(c_int)),
    "event_text": (c_char_p, c_void_p),
    "event_free": (None, c_void_p),
    "value_kind": (c_int, c_void_p),
    "value_type": (c_char_p, c_void_p),
    "value_text": (c_char_p, c_void_p),
    "value_count": (c_size_t, c_void_p),
    "value_int": (c_int64, c_void_p, c_size_t),
    "value_float": (c_double, c_void_p, c_size_t),
    "value_free": (None, c_void_p),
}


def _find() -> ctypes.CDLL:
    program = ctypes.CDLL(None)
    if hasattr(program, "breakwater_open"):
        return program
    name = os.environ.get("BREAKWATER_LIBRARY") or "libbreakwater.so.0"
    try:
        return ctypes.CDLL(name)
    except OSError as e:
        raise ImportError(f"the library of Breakwater cannot be loaded ({e}): install the package breakwater, or name the "
                          "file in BREAKWATER_LIBRARY") from None


def _declare(library: ctypes.CDLL) -> dict[str, Callable[..., Any]]:
    functions: dict[str, Callable[..., Any]] = {}
    for name, parameters in _FALLIBLE.items():
        function = getattr(library, f"breakwater_{name}")
        function.restype, function.argtypes = c_void_p, parameters
        functions[name] = function
    for name, (result, *parameters) in _PLAIN.items():
        function = getattr(library, f"breakwater_{name}")
        function.restype, function.argtypes = result, parameters
        functions[name] = function
    return functions


_functions = _declare(_find())


def plain(name: str, *args: Any) -> Any:
    """Calls a function that cannot fail."""
    return _functions[name](*args)


def call(name: str, *args: Any) -> None:
    """Calls a function that can fail; an error is raised."""
    error = _functions[name](*args)
    if not error:
        return
    message = text_of(_functions["error_message"](error))
    code = CODES[_functions["error_code"](error)] or "invalid"
    _functions["error_free"](error)
    raise Error(message, code)


def text_of(data: bytes) -> str:
    """Text of a program may be anything: bytes that are not UTF-8 stay as they are, as in file names."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    if "\0" in text:
        raise Error("A text has a character of 0 in it")
    return text.encode("utf-8", "surrogateescape")


def call_for_text(name: str, *args: Any) -> str:
    """Calls a function whose last parameter is text that is handed out."""
    out = c_void_p()
    try:
        call(name, *args, byref(out))
        return text_of(ctypes.string_at(out.value or 0))
    finally:
        plain("free", out)


def call_for_numbers(name: str, session: c_void_p) -> list[int]:
    """Calls a function that lists numbers."""
    n = c_size_t()
    call(name, session, None, 0, byref(n))
    room = n.value
    numbers = (c_uint32 * room)()
    call(name, session, numbers, room, byref(n))
    return list(numbers[:min(n.value, room)])
