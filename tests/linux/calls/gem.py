# SPDX-License-Identifier: MIT
"""Buffers: making, mapping, sharing, and their places in address spaces."""
import fcntl
import mmap
import os
import select

from call import (CARD, CREATE_DUMB, DESTROY_DUMB, GEM_CLOSE, GEM_CREATE, GEM_FLINK, GEM_METADATA, GEM_MMAP, GEM_OP, GEM_OPEN, GEM_USERPTR, GEM_VA,
                  GEM_WAIT_IDLE, IN, INOUT, MAP_DUMB, NOWHERE, PRIME_FROM_FD, PRIME_TO_FD, attempt, buffer, card, drm, libc, memory,
                  other, peek, render, say, ioctl)
import struct

GTT, VRAM, GDS, GWS, OA, DOORBELL = 2, 4, 8, 0x10, 0x20, 0x40


def create(fd, what, size, alignment, domains, flags):
    got = drm(f"GEM_CREATE {what}", fd, GEM_CREATE, "QQQQ", size, alignment, domains, flags)
    if not got:
        return
    handle = got[0] & 0xffffffff
    at = memory(32)
    drm(f"GEM_OP info of {what}", fd, GEM_OP, "IIQ", handle, 0, at)
    say(f"GEM_OP info of {what}, words", 0, peek(at, 32))
    err, out = ioctl(fd, "d", GEM_MMAP, INOUT, struct.pack("<II", handle, 0))
    say(f"GEM_MMAP of {what}", err)
    if not err:
        offset = struct.unpack("<Q", out)[0]
        attempt(f"mmap of {what}", lambda: mmap.mmap(fd, 4096, offset=offset).close())
    drm(f"GEM_CLOSE {what}", fd, GEM_CLOSE, "II", handle, 0, direction=IN)


def creating():
    fd = render()
    for domains in range(0, 0x100):
        if domains < 0x40 or domains & (domains - 1) == 0 or domains in (0x42, 0x44, 0x7f):
            create(fd, f"domains {domains:#x}", 4096, 0, domains, 0)
    for domains in (GTT, VRAM, GDS, GWS, OA):
        for size in (0, 1, 4, 16, 4095, 4097, 65536, 1 << 40, (1 << 64) - 1):
            create(fd, f"domains {domains:#x} size {size:#x}", size, 0, domains, 0)
        for alignment in (1, 3, 4096, 5000, 65536, 1 << 21, 1 << 40):
            create(fd, f"domains {domains:#x} alignment {alignment:#x}", 4096, alignment, domains, 0)
        for bit in range(0, 20):
            create(fd, f"domains {domains:#x} flags {1 << bit:#x}", 4096, 0, domains, 1 << bit)
    for flags in (3, 0x41, 0x1c4, 1 << 32, 1 << 63):
        create(fd, f"VRAM flags {flags:#x}", 4096, 0, VRAM, flags)
    os.close(fd)


def handles():
    fd = render()
    have = buffer(fd)
    for handle in (0, have, 77, 0xffffffff):
        drm(f"GEM_MMAP handle {handle:#x}", fd, GEM_MMAP, "II", handle, 0) if handle != have else None
        for flags in (0, 1, 0xffffffff):
            for timeout in (0, 1 << 63, (1 << 64) - 1):
                drm(f"GEM_WAIT_IDLE {handle:#x} {flags:#x} {timeout:#x}", fd, GEM_WAIT_IDLE, "IIQ", handle, flags, timeout)
        for op in range(4):
            drm(f"GEM_OP {handle:#x} op {op} value 4", fd, GEM_OP, "IIQ", handle, op, VRAM)
        drm(f"GEM_OP {handle:#x} to 0", fd, GEM_OP, "IIQ", handle, 1, 0)
        drm(f"GEM_OP {handle:#x} to all", fd, GEM_OP, "IIQ", handle, 1, 0xff)
        for op in range(4):
            for size in (0, 4, 256, 257, 0xffffffff):
                drm(f"GEM_METADATA {handle:#x} op {op} size {size}", fd, GEM_METADATA, "IIQQI260s", handle, op, 1, 2, size, b"metadata" * 32)
    drm("GEM_METADATA after", fd, GEM_METADATA, "IIQQI260s", have, 2, 0, 0, 0, b"")
    for size, tiling in ((8, 0), (16, 5), (0, (1 << 64) - 1)):
        drm(f"GEM_METADATA set {size} {tiling:#x}", fd, GEM_METADATA, "IIQQI260s", have, 1, 0, tiling, size, b"ABCDEFGH" * 4)
        drm("GEM_METADATA get", fd, GEM_METADATA, "IIQQI260s", have, 2, 0, 0, 0, b"")
    for handle in (0, have, have, 0xffffffff):
        drm(f"GEM_CLOSE {handle:#x}", fd, GEM_CLOSE, "II", handle, 0, direction=IN)
        drm(f"GEM_CLOSE {handle:#x} pad", fd, GEM_CLOSE, "II", handle, 1, direction=IN)
    os.close(fd)


def user_pointers():
    fd = render()
    page = memory(8192, 4096)
    for flags in range(0x10):
        got = drm(f"USERPTR flags {flags:#x}", fd, GEM_USERPTR, "QQII", page, 4096, flags, 0)
        if got:
            drm("USERPTR mmap", fd, GEM_MMAP, "II", got[3], 0)
            drm("USERPTR export", fd, PRIME_TO_FD, "IIi", got[3], 0, 0, hide=(2,))
            drm("USERPTR close", fd, GEM_CLOSE, "II", got[3], 0, direction=IN)
    for flags in (0x10, 0x80000008):
        drm(f"USERPTR flags {flags:#x}", fd, GEM_USERPTR, "QQII", page, 4096, flags, 0)
    for at, size in ((page + 1, 4096), (page, 1), (page, 0), (0, 4096), (NOWHERE, 4096), (page, 1 << 50), (1 << 63, 4096)):
        drm(f"USERPTR {at:#x} size {size:#x}", fd, GEM_USERPTR, "QQII", at, size, 8 | 4, 0)
        drm(f"USERPTR {at:#x} size {size:#x}, not validated", fd, GEM_USERPTR, "QQII", at, size, 8, 0)
    os.close(fd)


def va(fd, what, *values):
    drm(f"GEM_VA {what}", fd, GEM_VA, "IIIIQQQ", *values, direction=IN)


def places():
    fd = render()
    bo = buffer(fd, 65536)
    vram = buffer(fd, 65536, VRAM)
    V = 0x10000000
    for handle in (0, bo, vram, 77):
        va(fd, f"map handle {handle}", handle, 0, 1, 0xe, V, 0, 4096)
        va(fd, f"unmap handle {handle}", handle, 0, 2, 0, V, 0, 4096)
    for op in (0, 3, 4, 5, 0xffffffff):
        va(fd, f"op {op:#x}", bo, 0, op, 0xe, V, 0, 4096)
        va(fd, "clear", 0, 0, 3, 0, V, 0, 1 << 20)
    for bit in range(32):
        va(fd, f"flags {1 << bit:#x}", bo, 0, 1, 1 << bit, V, 0, 4096)
        va(fd, "clear", 0, 0, 3, 0, V, 0, 1 << 20)
    for flags in (0, 0xe, 0x1e, 0x1ee, 0xffffffff, 0x1fe):
        va(fd, f"flags {flags:#x}", bo, 0, 1, flags, V, 0, 4096)
        va(fd, f"unmap, flags {flags:#x}", bo, 0, 2, flags, V, 0, 4096)
        va(fd, f"replace, flags {flags:#x}", bo, 0, 4, flags, V, 0, 4096)
        va(fd, f"clear, flags {flags:#x}", bo, 0, 3, flags, V, 0, 4096)
    for at, offset, size in ((V + 1, 0, 4096), (V, 1, 4096), (V, 0, 1), (V, 0, 0), (V, 0, 4097), (V, 4096, 65536), (V, 65536, 4096),
                             (V, 61440, 4096), (V, 0, 1 << 63), (V, 1 << 63, 4096), (0, 0, 4096), (0xfff000, 0, 4096), (0x1000000, 0, 4096),
                             (0x200000, 0, 4096), (0x10000, 0, 4096), (0x1ff000, 0, 4096), (0x1000, 0, 4096),
                             (0x7ffffffff000, 0, 4096), (0x7ffffffff000, 0, 8192), (0x800000000000, 0, 4096), (0x800000001000, 0, 4096),
                             (0xffff7fffffff0000, 0, 4096), (0xffff800000000000, 0, 4096), (0xffffffffc0000000, 0, 4096),
                             (0xffffffffffdf0000, 0, 4096), (0xffffffffffe00000, 0, 4096), (0xfffffffffffff000, 0, 4096),
                             (0xffffffffffffe000, 0, 8192), (0x7fffffe00000, 0, 4096), (0x7fffffdff000, 0, 8192)):
        va(fd, f"map {at:#x} offset {offset:#x} size {size:#x}", bo, 0, 1, 0xe, at, offset, size)
        va(fd, f"unmap {at:#x}", bo, 0, 2, 0, at, offset, size)
        va(fd, f"replace {at:#x} offset {offset:#x} size {size:#x}", bo, 0, 4, 0xe, at, offset, size)
        va(fd, f"clear {at:#x} size {size:#x}", 0, 0, 3, 0, at, offset, size)
    va(fd, "map 8 pages", bo, 0, 1, 0xe, V, 0, 0x8000)
    va(fd, "map over it, exactly", vram, 0, 1, 0xe, V, 0, 0x8000)
    va(fd, "map into it", vram, 0, 1, 0xe, V + 0x2000, 0, 0x1000)
    va(fd, "unmap a part", bo, 0, 2, 0, V + 0x2000, 0, 0x1000)
    va(fd, "unmap of another", vram, 0, 2, 0, V, 0, 0x8000)
    va(fd, "replace in the middle", vram, 0, 4, 0xe, V + 0x2000, 0, 0x1000)
    va(fd, "unmap the middle", vram, 0, 2, 0, V + 0x2000, 0, 0x1000)
    va(fd, "unmap what is left below", bo, 0, 2, 0, V, 0, 0x2000)
    va(fd, "unmap what is left above", bo, 0, 2, 0, V + 0x3000, 0, 0)
    va(fd, "PRT", 0, 0, 1, 0x10, V, 0, 0x8000)
    va(fd, "PRT with a handle", bo, 0, 1, 0x1e, V + 0x10000, 0, 0x8000)
    va(fd, "PRT unmap", 0, 0, 2, 0x10, V, 0, 0x8000)
    drm("close what is mapped", fd, GEM_CLOSE, "II", bo, 0, direction=IN)
    va(fd, "unmap after close", bo, 0, 2, 0, V, 0, 0x8000)
    os.close(fd)


def named():
    one, two, node = card(), card(), render()
    bo = buffer(one)
    got = drm("FLINK", one, GEM_FLINK, "II", bo, 0)
    number = got[1] if got else 1
    drm("FLINK again", one, GEM_FLINK, "II", bo, 0)
    drm("FLINK on render", node, GEM_FLINK, "II", bo, 0)
    for what, fd in (("master", one), ("second", two), ("render", node)):
        for name in (number, 0, 99):
            drm(f"GEM_OPEN {what} {name}", fd, GEM_OPEN, "IIQ", name, 0, 0)
    for handle in (0, 99):
        drm(f"FLINK {handle}", one, GEM_FLINK, "II", handle, 0)
    for fd in (one, two, node):
        os.close(fd)


def shared():
    fd, second = render(), render()
    for flags in (0, 1, 2, os.O_CLOEXEC, os.O_RDWR | os.O_CLOEXEC, os.O_NONBLOCK, 4, 0xffffffff):
        # A buffer keeps its first dma-buf, with the access that it was made with.
        got = drm(f"PRIME export flags {flags:#x}", fd, PRIME_TO_FD, "IIi", buffer(fd, 8192), flags, -1, hide=(2,))
        if got:
            attempt("PRIME fd flags", lambda: (fcntl.fcntl(got[2], fcntl.F_GETFL), fcntl.fcntl(got[2], fcntl.F_GETFD)), lambda v: f"{v[0]:#x} {v[1]}")
            for prot in (mmap.PROT_READ, mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_WRITE):
                attempt(f"mmap of a dma-buf, protection {prot}", lambda p=prot: mmap.mmap(got[2], 8192, mmap.MAP_SHARED, p).close())
            os.close(got[2])
    bo = buffer(fd, 8192)
    for handle in (0, 99):
        drm(f"PRIME export {handle}", fd, PRIME_TO_FD, "IIi", handle, 0, -1)
    buf = drm("PRIME export", fd, PRIME_TO_FD, "IIi", bo, os.O_RDWR | os.O_CLOEXEC, -1, hide=(2,))[2]
    for what, file in (("the same", fd), ("another", second), ("another again", second)):
        drm(f"PRIME import into {what} file", file, PRIME_FROM_FD, "IIi", 0, 0, buf, hide=(2,))
    for what, number in (("of a node", fd), ("of nothing", 999), ("-1", -1)):
        drm(f"PRIME import {what}", fd, PRIME_FROM_FD, "IIi", 0, 0, number, hide=(2,))
    descriptor(buf)
    os.close(buf)
    os.close(fd)
    os.close(second)


def descriptor(buf):
    """What one may do with the descriptor of a dma-buf."""
    for whence in (os.SEEK_SET, os.SEEK_CUR, os.SEEK_END, 3):
        for offset in (0, 1, 8192):
            attempt(f"dma-buf lseek {offset} {whence}", lambda o=offset, w=whence: os.lseek(buf, o, w), str)
    attempt("dma-buf fstat", lambda: os.fstat(buf), lambda s: f"{s.st_size} {s.st_mode:o} {s.st_nlink} {s.st_blksize}")
    attempt("dma-buf read", lambda: os.read(buf, 4))
    attempt("dma-buf write", lambda: os.write(buf, b"data"))
    attempt("dma-buf ftruncate", lambda: os.ftruncate(buf, 4096))
    for size in (4096, 8192, 12288):
        for offset in (0, 4096, 8192):
            attempt(f"dma-buf mmap {size} from {offset}", lambda s=size, o=offset: map_at(buf, s, o))
    for flags in range(12):
        other(f"dma-buf SYNC {flags}", buf, "b", 0, IN, "Q", flags)
    other("dma-buf SYNC high", buf, "b", 0, IN, "Q", 1 << 40)
    for nr in (1,):
        for at in (memory(b"name\0"), memory(b"n" * 31 + b"\0"), memory(b"n" * 40 + b"\0"), NOWHERE):
            other("dma-buf SET_NAME", buf, "b", nr, IN, "Q", at)
            other("dma-buf SET_NAME, 4 bytes", buf, "b", nr, IN, "I", at & 0xffffffff)
    for flags in range(6):
        got = other(f"dma-buf EXPORT_SYNC_FILE {flags}", buf, "b", 2, INOUT, "Ii", flags, -1, hide=(1,))
        if got:
            info(f"exported {flags}", got[1])
            other(f"dma-buf IMPORT_SYNC_FILE {flags}", buf, "b", 3, IN, "Ii", flags, got[1])
            os.close(got[1])
        other(f"dma-buf IMPORT_SYNC_FILE {flags} of itself", buf, "b", 3, IN, "Ii", flags, buf)
        other(f"dma-buf IMPORT_SYNC_FILE {flags} of nothing", buf, "b", 3, IN, "Ii", flags, -1)
    for nr in range(8):
        for direction in (0, IN, INOUT):
            say(f"dma-buf ioctl {nr} direction {direction} of 16 bytes", ioctl(buf, "b", nr, direction, bytes(16))[0])
    poll = select.poll()
    for events in (select.POLLIN, select.POLLOUT, select.POLLIN | select.POLLOUT, 0, 0xfff):
        poll.register(buf, events)
        attempt(f"dma-buf poll {events:#x}", lambda: poll.poll(0), lambda v: " ".join(f"{e:#x}" for _, e in v))


def dumb(node, what, width, height, depth, flags=0):
    """A buffer for pictures. What comes back in the handle is no input, so it is not zero."""
    fd = render() if node == "render" else card()
    got = drm(f"CREATE_DUMB {what} on {node}", fd, CREATE_DUMB, "IIIIIIQ", height, width, depth, flags, 77, 78, 79)
    if got:
        at = memory(32)
        drm(f"GEM_OP info of dumb {what}", fd, GEM_OP, "IIQ", got[4], 0, at)
        say(f"GEM_OP info of dumb {what}, words", 0, peek(at, 32))
        err, out = ioctl(fd, "d", MAP_DUMB, INOUT, struct.pack("<IIQ", got[4], 5, 6))
        say(f"MAP_DUMB {what}", err)
        if not err:
            offset = struct.unpack("<IIQ", out)[2]
            for size in (4096, got[6], got[6] + 1):
                if size < 1 << 28:
                    attempt(f"mmap of dumb {what}, {size}", lambda s=size: mmap.mmap(fd, s, offset=offset).close())
    os.close(fd)


def dumbs():
    dumb("render", "64x64", 64, 64, 32)
    for depth in (0, 1, 7, 8, 9, 15, 16, 24, 30, 32, 33, 40, 64, 65, 128, 1 << 20, 0xfffffff7, 0xfffffff8, 0xffffffff):
        dumb("card", f"20x3 of {depth} bits", 20, 3, depth)
    for width, height in ((0, 0), (0, 1), (1, 0), (1, 1), (63, 1), (64, 1), (65, 1), (4032, 2016), (1, 0xffffffff), (0xffffffff, 1), (1 << 16, 1 << 16),
                          (1 << 30, 1), (0x3fffffff, 1), (0x3fffffc1, 1)):
        dumb("card", f"{width}x{height} of 32 bits", width, height, 32)
    for width in (0xffffff00, 0xffffff01, 0xfffff001, 0xffffffff):
        dumb("card", f"{width} bytes", width, 1, 8)
    for flags in (1, 0xffffffff):
        dumb("card", f"flags {flags:#x}", 20, 3, 32, flags)
    fd, node = card(), render()
    bo = buffer(fd)
    for handle in (0, bo, 99):
        say(f"MAP_DUMB {handle}", ioctl(fd, "d", MAP_DUMB, INOUT, struct.pack("<IIQ", handle, 0, 6))[0])
    drm("MAP_DUMB 99 in full", fd, MAP_DUMB, "IIQ", 99, 5, 6)
    drm("MAP_DUMB on render", node, MAP_DUMB, "IIQ", buffer(node), 0, 0)
    drm("DESTROY_DUMB on render", node, DESTROY_DUMB, "I", 1)
    for handle in (0, bo, bo, 0xffffffff):
        drm(f"DESTROY_DUMB {handle:#x}", fd, DESTROY_DUMB, "I", handle)
    got = drm("CREATE_DUMB to close", fd, CREATE_DUMB, "IIIIIIQ", 8, 8, 32, 0, 0, 0, 0)
    for _ in range(2):
        drm("GEM_CLOSE of a dumb one", fd, GEM_CLOSE, "II", got[4], 0, direction=IN)
    os.close(fd)
    os.close(node)


def map_at(fd, size, offset):
    at = libc.mmap(None, size, 3, 1, fd, offset)
    if at == (1 << 64) - 1:
        import ctypes
        raise OSError(ctypes.get_errno(), "mmap")
    libc.munmap(at, size)


def info(what, fd):
    """SYNC_IOC_FILE_INFO, with room for 4 fences; the name is made of numbers that differ in each run."""
    at = memory(4 * 80)
    for room, where in ((0, 0), (4, at)):
        err, out = ioctl(fd, ">", 4, INOUT, struct.pack("<32siIIIQ", b"", 0, 0, room, 0, where))
        say(f"FILE_INFO of {what}, room {room}", err, out[32:])
        for i in range(struct.unpack_from("<I", out, 40)[0] if room and not err else 0):
            driver, status, flags, when = struct.unpack("<32sIIQ", peek(at + 80 * i + 32, 48))
            print(f"fence {i} of {what}: ok {driver.rstrip(bytes(1)).decode()} {status:x} {flags} {when > 0}", flush=True)


ALL = (creating, handles, user_pointers, places, named, shared, dumbs)
