# SPDX-License-Identifier: MIT
"""A program that submits an empty stream and waits for it more often than it has to, with right and wrong names: waits.py"""
import ctypes
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "linux/calls"))
import call  # noqa: E402
from call import CTX, WAIT_CS, drm, libc, quiet  # noqa: E402
from work import CODE, COMPUTE, FOREVER, GFX, ib, prepared, submit  # noqa: E402

call.ARENA = libc.mmap(None, call.ARENA_B, call.READ | call.WRITE, call.PRIVATE | call.ANONYMOUS, -1, 0)
fd, code, ctx = prepared()
offset = struct.unpack("<Q", struct.pack("<II", *quiet(fd, 0x41, "II", code, 0)))[0]
ctypes.memmove(libc.mmap(None, 65536, 3, 1, fd, offset), struct.pack("<8I", *[0xffff1000] * 8), 32)
seq = submit(fd, "empty", ctx, [ib(COMPUTE, va=CODE, size=32)])


def wait(what, handle=seq, ip=COMPUTE, ring=0, context=ctx):
    drm(what, fd, WAIT_CS, "QQIIII", handle, FOREVER, ip, 0, ring, context)


wait("once")
wait("again")
wait("another submission", handle=seq + 1)
wait("another ring", ring=1)
wait("another engine", ip=GFX)
wait("another context", context=ctx + 1)
wait("the first")
quiet(fd, CTX, "IIII", 2, 0, ctx, 0)
wait("a context that is gone")
