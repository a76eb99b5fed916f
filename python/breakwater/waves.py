# SPDX-License-Identifier: MIT
"""Waves, their registers and memory, and dispatches."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import values
from ._library import AddressStruct, DispatchStruct, Error, WaveStruct, bytes_of, call, call_for_text

NAME, PLACE, REASONS, WHERE = range(4)  # enum breakwater_wave_text
SPACES = {"global": 0, "lds": 1, "local": 1, "private": 2, "scratch": 2}
DISPATCH_STATES = ("held", "running", "done", "failed")


class Wave:
    """A stopped wave, by its number. What it says is read when it is asked for; once the wave has ended, or runs,
    that raises Error.

    wave["s4"], wave["pc"] and other scalar registers are integers; wave["v2"] is a memoryview of one unsigned integer
    a lane (numpy.asarray takes it without a copy), and wave.read("v2", "f") of floats. Assigning writes."""

    def __init__(self, session: c_void_p, number: int) -> None:
        self._session = session
        self.number = number

    def _info(self) -> WaveStruct:
        out = WaveStruct(size_b=ctypes.sizeof(WaveStruct))
        call("wave", self._session, self.number, byref(out))
        return out

    def _text(self, what: int) -> str:
        return call_for_text("wave_text", self._session, self.number, what)

    @property
    def pc(self) -> int:
        """The address of the next instruction."""
        return self._info().pc

    @property
    def exec_mask(self) -> int:
        """EXEC: bit i says whether lane i is active."""
        return self._info().exec

    @property
    def lanes(self) -> int:
        """32 or 64."""
        return self._info().lanes

    @property
    def active_lanes(self) -> list[int]:
        """The numbers of the active lanes."""
        info = self._info()
        return [i for i in range(info.lanes) if info.exec >> i & 1]

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """x, y and z of its workgroup in the grid."""
        x, y, z = self._info().workgroup
        return x, y, z

    @property
    def wave_in_group(self) -> Optional[int]:
        """Its number in the workgroup; None where that and the workgroup are not known."""
        number = self._info().wave_in_group
        return None if number == 0xffffffff else number

    @property
    def dispatch(self) -> int:
        """The number of its dispatch."""
        return self._info().dispatch

    @property
    def breakpoint(self) -> Optional[int]:
        """The number of the breakpoint that it is at."""
        return self._info().breakpoint or None

    @property
    def breakpoint_lanes(self) -> int:
        """The active lanes for which the breakpoint's condition held, as a mask."""
        return self._info().breakpoint_lanes

    @property
    def in_barrier(self) -> bool:
        return bool(self._info().in_barrier)

    @property
    def n_vgprs(self) -> int:
        """How many vector registers it has; 0: it has given them back."""
        return self._info().n_vgprs

    @property
    def name(self) -> str:
        """ "AMDGPU Wave 1:2:1:5 (2,0,0)/1" """
        return self._text(NAME)

    @property
    def place(self) -> str:
        """The place in the hardware: "se0.sa0.wgp1.simd2.w3"."""
        return self._text(PLACE)

    @property
    def reasons(self) -> list[str]:
        """Why it has stopped: ["BREAKPOINT"]; ["INTERRUPT"] where another wave stopped."""
        text = self._text(REASONS)
        return text.split("|") if text else []

    @property
    def where(self) -> str:
        """Function and line: "saxpy () at saxpy.s:26"."""
        return self._text(WHERE)

    def work_item(self, lane: int) -> tuple[int, int, int]:
        """x, y and z of a lane's work-item in the workgroup."""
        out = (c_uint32 * 3)()
        call("work_item", self._session, self.number, lane, out)
        return out[0], out[1], out[2]

    def focus(self, lane: Optional[int] = None) -> None:
        """Makes it, and the lane, what commands and expressions refer to."""
        call("set_focus", self._session, self.number, -1 if lane is None else lane)

    # ---- Registers ----

    def read(self, register: str, format: str = "I") -> memoryview:
        """A register as a buffer: its dwords, low one first; of a vector register one a lane, lane 0 first.
        format: of an item, as in the module struct ("I", "i", "f", "Q", "B"...)."""
        name = bytes_of(register)
        size = c_size_t()
        call("register_size", self._session, self.number, name, byref(size))
        data = bytearray(size.value)
        room = (ctypes.c_char * len(data)).from_buffer(data)
        call("register_read", self._session, self.number, name, room, len(data))
        try:
            return memoryview(data).cast(format)  # type: ignore[call-overload]
        except (TypeError, ValueError) as e:
            raise Error(f"{register} has {len(data)} bytes and cannot be seen as \"{format}\": {e}") from None

    def write(self, register: str, data: Any) -> None:
        """Writes a register as a whole, all lanes of a vector register too. data: any buffer of its size."""
        raw = bytes(memoryview(data).cast("B"))
        call("register_write", self._session, self.number, bytes_of(register), raw, len(raw))

    def write_lane(self, register: str, lane: int, value: Union[int, float]) -> None:
        """One lane of a vector register; a float is written as the 32 bits of one."""
        bits = c_uint32.from_buffer_copy(ctypes.c_float(value)).value if isinstance(value, float) else value & 0xffffffff
        call("lane_write", self._session, self.number, bytes_of(register), lane, bits)

    def _is_vector(self, register: str) -> bool:
        return register.lstrip("$").startswith("v") and not register.lstrip("$").startswith("vcc")

    def __getitem__(self, register: str) -> Union[int, memoryview]:
        data = self.read(register)
        return data if self._is_vector(register) else int.from_bytes(data, "little")

    def __setitem__(self, register: str, value: Any) -> None:
        if isinstance(value, int) and not self._is_vector(register):
            size = self.read(register).nbytes
            value = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        self.write(register, value)

    # ---- Memory ----

    def _address(self, address: int, space: str, lane: int) -> AddressStruct:
        if space not in SPACES:
            raise Error(f"\"{space}\" is not an address space: global, lds, private", "invalid")
        return AddressStruct(size_b=ctypes.sizeof(AddressStruct), va=int(address), wave=self.number, lane=lane,
                             space=SPACES[space])

    def read_memory(self, address: int, size: int, space: str = "global", lane: int = 0) -> bytearray:
        """size bytes in its address space; space "lds": in the LDS of its workgroup, "private": in a lane's scratch."""
        data = bytearray(size)
        if size:
            room = (ctypes.c_char * size).from_buffer(data)
            call("memory_read", self._session, byref(self._address(address, space, lane)), room, size)
        return data

    def write_memory(self, address: int, data: Any, space: str = "global", lane: int = 0) -> None:
        """data: any buffer."""
        raw = bytes(memoryview(data).cast("B"))
        call("memory_write", self._session, byref(self._address(address, space, lane)), raw, len(raw))

    # ---- Expressions ----

    def evaluate(self, expression: str, lane: Optional[int] = None) -> values.Value:
        """An expression as print takes it, in this wave and lane (else: its first active one, or the focus)."""
        return values.evaluate(self._session, expression, self.number, -1 if lane is None else lane)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wave) and (other.number, other._session.value) == (self.number, self._session.value)

    def __hash__(self) -> int:
        return hash((self.number, self._session.value))

    def __repr__(self) -> str:
        return f"<breakwater.Wave {self.number}>"


@dataclass(frozen=True)
class Dispatch:
    """A dispatch, as it was when it was asked for."""
    number: int
    state: str  # "held", "running", "done", "failed"
    kernel: str  # "?" when unknown
    submission: int
    queue: int
    groups: tuple[int, int, int]  # workgroups; of an indirect dispatch (0, 0, 0)
    group: tuple[int, int, int]  # work-items of a workgroup
    code_address: int
    arguments_address: int  # 0: not known


def read_dispatch(session: c_void_p, number: int) -> Dispatch:
    out = DispatchStruct(size_b=ctypes.sizeof(DispatchStruct))
    call("dispatch", session, number, byref(out))
    groups, group = tuple(out.groups), tuple(out.group)
    return Dispatch(number, DISPATCH_STATES[out.state], call_for_text("dispatch_kernel", session, number), out.submission,
                    out.queue, groups, group, out.code_va, out.arguments_va)  # type: ignore[arg-type]
