# SPDX-License-Identifier: MIT
"""Values of expressions."""
from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Union

from ._library import Error, bytes_of, call, plain, text_of

KINDS = ("void", "int", "uint", "float", "pointer", "text", "aggregate", "missing")


class Value:
    """What an expression was when it was evaluated: it does not change with the program.

    `kind` is "int", "uint", "float", "pointer", "text", "aggregate" (a struct or an array of the program), "void", or
    "missing" (a variable that has no value here). `text` is what print shows, `type` the name of the type. int(),
    float(), len(), indexing and iteration give the numbers: one, or one for each lane ($v2) or element (p@8)."""

    def __init__(self, handle: c_void_p) -> None:
        self.kind: str = KINDS[plain("value_kind", handle)]
        self.type: str = text_of(plain("value_type", handle))
        self.text: str = text_of(plain("value_text", handle))
        get = "value_float" if self.kind == "float" else "value_int"
        self._numbers: list[Union[int, float]] = [plain(get, handle, i)
                                                  for i in range(plain("value_count", handle))]
        if self.kind in ("uint", "pointer"):
            self._numbers = [int(n) & 0xffffffffffffffff for n in self._numbers]

    def _number(self) -> Union[int, float]:
        if len(self._numbers) != 1:
            raise Error(f"a value with {len(self._numbers)} numbers is not one number: {self.text}")
        return self._numbers[0]

    def __int__(self) -> int:
        return int(self._number())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self._number())

    def __bool__(self) -> bool:
        return any(self._numbers) if self._numbers else bool(self.text)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> Union[int, float]:
        return self._numbers[index]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<breakwater.Value {self.type} {self.text}>"


def evaluate(session: c_void_p, expression: str, wave: int, lane: int) -> Value:
    """wave 0: the focus; lane -1: that of the focus, or the first active one of another wave."""
    handle = c_void_p()
    try:
        call("evaluate", session, wave, lane, bytes_of(expression), byref(handle))
        return Value(handle)
    finally:
        plain("value_free", handle)
