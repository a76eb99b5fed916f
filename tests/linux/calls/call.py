# SPDX-License-Identifier: MIT
"""One call of the kernel as one line of text: what was called, with what, the error or what came back. Pointers are
comparable between two runs, as all memory that calls read or write lies at one fixed address."""
import ctypes
import errno
import fcntl
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

ARENA, ARENA_B = 0x200000000, 1 << 20
FIXED_NOREPLACE, ANONYMOUS, PRIVATE, SHARED = 0x100000, 0x20, 2, 1
READ, WRITE = 1, 2
NOWHERE = 0x100000000  # nothing is mapped there
_used = 0

RENDER, CARD = "/dev/dri/renderD128", "/dev/dri/card0"
IN, OUT, INOUT = 1, 2, 3  # _IOW, _IOR, _IOWR

(GEM_CREATE, GEM_MMAP, CTX, BO_LIST, CS, INFO, GEM_METADATA, GEM_WAIT_IDLE, GEM_VA, WAIT_CS) = range(0x40, 0x4a)
GEM_OP, GEM_USERPTR, WAIT_FENCES, VM, FENCE_TO_HANDLE, SCHED = range(0x50, 0x56)
GEM_CLOSE, GEM_FLINK, GEM_OPEN, GET_CAP, SET_CLIENT_CAP, AUTH_MAGIC = 9, 10, 11, 12, 13, 0x11
PRIME_TO_FD, PRIME_FROM_FD = 0x2d, 0x2e
CREATE_DUMB, MAP_DUMB, DESTROY_DUMB = 0xb2, 0xb3, 0xb4
SYNCOBJ_CREATE, SYNCOBJ_DESTROY, SYNCOBJ_TO_FD, SYNCOBJ_FROM_FD, SYNCOBJ_WAIT, SYNCOBJ_RESET, SYNCOBJ_SIGNAL = range(0xbf, 0xc6)
TIMELINE_WAIT, SYNCOBJ_QUERY, SYNCOBJ_TRANSFER, TIMELINE_SIGNAL = range(0xca, 0xce)
SYNCOBJ_EVENTFD = 0xcf


def start():
    at = libc.mmap(ARENA, ARENA_B, READ | WRITE, PRIVATE | ANONYMOUS | FIXED_NOREPLACE, -1, 0)
    if at != ARENA:
        sys.exit("no memory at a fixed address")


def forget():
    """All of the arena is free again, and zero."""
    global _used
    ctypes.memset(ARENA, 0, ARENA_B)
    _used = 0


def memory(data, align=16):
    """Bytes in the arena (a number: so many zeros); their address."""
    global _used
    if isinstance(data, int):
        data = bytes(data)
    at = (_used + align - 1) // align * align
    _used = at + len(data)
    assert _used <= ARENA_B
    ctypes.memmove(ARENA + at, data, len(data))
    return ARENA + at


def peek(at, size):
    return ctypes.string_at(at, size)


def name(number):
    return {95: "EOPNOTSUPP"}.get(number) or errno.errorcode.get(number, str(number))


def words(data):
    """Dwords; a run of equal ones is written once with their number."""
    data = bytes(data) + bytes(-len(data) % 4)
    values, text = struct.unpack(f"<{len(data) // 4}I", data), []
    at = 0
    while at < len(values):
        n = 1
        while at + n < len(values) and values[at + n] == values[at]:
            n += 1
        text += [f"{values[at]:x}x{n}"] if n > 2 else [f"{values[at]:x}"] * n
        at += n
    return " ".join(text)


def say(what, result, data=b""):
    print(f"{what}: {name(result) if result else 'ok'}" + (f" {words(data)}" if data else ""), flush=True)


def ioctl(fd, kind, nr, direction, arg):
    """errno or 0, and the argument afterwards."""
    buf = bytearray(arg)
    try:
        fcntl.ioctl(fd, direction << 30 | len(buf) << 16 | ord(kind) << 8 | nr, buf, True)
    except OSError as e:
        return e.errno, bytes(buf)
    return 0, bytes(buf)


def drm(what, fd, nr, layout, *values, direction=INOUT, hide=()):
    """A DRM ioctl, said; gives the argument afterwards as values of the layout, or None. hide: indices of values that
    two runs cannot have in common, such as descriptors, shown as whether they are there."""
    arg = struct.pack("<" + layout, *values)
    err, out = ioctl(fd, "d", nr, direction, arg)
    got = list(struct.unpack("<" + layout, out))
    shown = list(got)
    for i in hide:
        shown[i] = 1 if got[i] >= 0 else 0
    say(what, err, struct.pack("<" + layout, *shown) if direction & OUT else b"")
    return None if err else got


def other(what, fd, kind, nr, direction, layout, *values, hide=()):
    """The same for another kind of descriptor."""
    arg = struct.pack("<" + layout, *values)
    err, out = ioctl(fd, kind, nr, direction, arg)
    got = list(struct.unpack("<" + layout, out))
    shown = list(got)
    for i in hide:
        shown[i] = 1 if got[i] >= 0 else 0
    say(what, err, struct.pack("<" + layout, *shown) if direction & OUT else b"")
    return None if err else got


def quiet(fd, nr, layout, *values, direction=INOUT):
    """A call that has to succeed and says nothing."""
    err, out = ioctl(fd, "d", nr, direction, struct.pack("<" + layout, *values))
    if err:
        raise OSError(err, f"ioctl {nr:#x}")
    return struct.unpack("<" + layout, out)


def attempt(what, function, show=lambda value: ""):
    """A call of the C library or of Python's os, said."""
    try:
        value = function()
    except OSError as e:
        print(f"{what}: {name(e.errno)}", flush=True)
        return None
    text = show(value)
    print(f"{what}: ok" + (f" {text}" if text else ""), flush=True)
    return value


def render():
    return os.open(RENDER, os.O_RDWR | os.O_CLOEXEC)


def card():
    return os.open(CARD, os.O_RDWR | os.O_CLOEXEC)


def buffer(fd, size=4096, domains=2, flags=0):
    """A buffer's handle. domains: 2 GTT, 4 VRAM."""
    return quiet(fd, GEM_CREATE, "QQQQ", size, 0, domains, flags)[0] & 0xffffffff


def context(fd):
    return quiet(fd, CTX, "IIIi", 1, 0, 0, 0)[0]


def mapped(fd, handle, va, size=4096, flags=0xe):
    quiet(fd, GEM_VA, "IIIIQQQ", handle, 0, 1, flags, va, 0, size, direction=IN)
