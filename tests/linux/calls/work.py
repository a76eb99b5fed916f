# SPDX-License-Identifier: MIT
"""Contexts, lists of buffers, submissions, and waiting for them."""
import ctypes
import os
import struct

from call import (BO_LIST, CS, CTX, FENCE_TO_HANDLE, IN, INOUT, NOWHERE, SCHED, VM, WAIT_CS, WAIT_FENCES, buffer, card, context, drm, ioctl,
                  libc, mapped, memory, quiet, render, say, SYNCOBJ_CREATE, SYNCOBJ_FROM_FD)
from gem import info

GFX, COMPUTE, DMA = 0, 1, 2
IB, FENCE, DEPENDENCIES, SYNC_IN, SYNC_OUT, BO_HANDLES, SCHEDULED, TIMELINE_WAIT, TIMELINE_SIGNAL, SHADOW = range(1, 11)
CODE, FOREVER = 0x10000000, (1 << 63) - 1
NOP = 0xffff1000  # a PM4 packet of one dword
SDMA_NOP = 0


def contexts():
    fd, node = render(), card()
    for what, at in (("render", fd), ("card", node)):
        for priority in (-2048, -1024, -1023, -512, -1, 0, 1, 511, 512, 1023, 1024):
            for flags in (0, 1):
                drm(f"CTX ALLOC {what} priority {priority} flags {flags}", at, CTX, "IIIi", 1, flags, 0, priority)
    for ctx in (0, 1, 3, 99, 0xffffffff):
        for op in (3, 4, 5, 6, 7, 0, 99):
            for flags in (0, 1, 2, 4, 5, 0x100, 0xffffffff):
                if op in (5, 6) or flags < 2:
                    drm(f"CTX op {op} of {ctx:#x} flags {flags:#x}", fd, CTX, "IIIi", op, flags, ctx, 0)
        drm(f"CTX STABLE_PSTATE get of {ctx:#x}", fd, CTX, "IIIi", 5, 0, ctx, 0)
        drm(f"CTX FREE {ctx:#x}", fd, CTX, "IIIi", 2, 0, ctx, 0)
        drm(f"CTX FREE {ctx:#x} again", fd, CTX, "IIIi", 2, 5, ctx, 0)
    drm("CTX ALLOC after", fd, CTX, "IIIi", 1, 0, 77, 0)
    for op in range(4):
        for flags in (0, 1):
            drm(f"VM op {op} flags {flags}", fd, VM, "II", op, flags)
            drm(f"VM op {op} flags {flags} again", fd, VM, "II", op, flags)
    own = context(node)
    for op in range(4):
        for named in (fd, node, 999, 0xffffffff):
            for ctx in (own, 0, 99):
                for priority in (0, 512, 7, 2000):
                    what = {fd: "render", node: "card"}.get(named, named)
                    drm(f"SCHED op {op} fd {what} priority {priority} ctx {ctx}", node, SCHED, "IIiI", op, named, priority, ctx, direction=IN)
    os.close(fd)
    os.close(node)


def lists():
    fd = render()
    a, b = buffer(fd), buffer(fd)
    entries = memory(struct.pack("<8I", a, 0, b, 15, a, 99, 77, 1))
    for op in range(4):
        for have in (0, 1, 2, 99):
            for number in (0, 1, 2, 3, 4, 0xffffffff):
                for size in (8, 0, 4, 16):
                    if size == 8 or number == 2:
                        drm(f"BO_LIST op {op} list {have} number {number:#x} size {size}", fd, BO_LIST, "IIIIQ", op, have, number, size, entries)
    drm("BO_LIST nowhere", fd, BO_LIST, "IIIIQ", 0, 0, 1, 8, NOWHERE)
    drm("BO_LIST null", fd, BO_LIST, "IIIIQ", 0, 0, 1, 8, 0)
    os.close(fd)


def chunk(kind, data, dwords=None):
    return struct.pack("<IIQ", kind, len(data) // 4 if dwords is None else dwords, memory(data) if data else 0)


def ib(ip=GFX, ring=0, va=CODE, size=64, flags=0, instance=0):
    return chunk(IB, struct.pack("<IIQIIII", 0, flags, va, size, ip, instance, ring))


def submit(fd, what, ctx, chunks, bo_list=0, flags=0, count=None):
    at = memory(b"".join(struct.pack("<Q", memory(c)) for c in chunks) or 8)
    got = drm(f"CS {what}", fd, CS, "IIIIQ", ctx, bo_list, len(chunks) if count is None else count, flags, at)
    return got and got[0] | got[1] << 32


def prepared():
    fd = render()
    code = buffer(fd, 65536)
    at = struct.unpack("<Q", struct.pack("<II", *quiet(fd, 0x41, "II", code, 0)))[0]
    pages = libc.mmap(None, 65536, 3, 1, fd, at)
    ctypes.memmove(pages, struct.pack("<I", NOP) * 8192 + bytes(32768), 65536)
    libc.munmap(pages, 65536)
    mapped(fd, code, CODE, 65536)
    return fd, code, context(fd)


SDMA_CODE = CODE + 32768


def refused():
    fd, code, ctx = prepared()
    ok = ib()
    for which in (0, 99, 0xffffffff):
        submit(fd, f"context {which:#x}", which, [ok])
    submit(fd, "no chunks", ctx, [])
    submit(fd, "flags 1", ctx, [ok], flags=1)
    submit(fd, "list 99", ctx, [ok], bo_list=99)
    for count in (2, 100, 0xffffffff, 4096, 4097):
        submit(fd, f"count {count:#x}", ctx, [ok], count=count)
    drm("CS chunks nowhere", fd, CS, "IIIIQ", ctx, 0, 1, 0, NOWHERE)
    drm("CS chunks null", fd, CS, "IIIIQ", ctx, 0, 1, 0, 0)
    drm("CS chunk nowhere", fd, CS, "IIIIQ", ctx, 0, 1, 0, memory(struct.pack("<Q", NOWHERE)))
    for kind in range(0, 14):
        for size in (0, 4, 8, 24, 32, 64):
            submit(fd, f"chunk {kind} of {size} bytes", ctx, [chunk(kind, bytes(size))])
            submit(fd, f"IB and chunk {kind} of {size} bytes", ctx, [ok, chunk(kind, bytes(size))])
    for kind in (IB, FENCE, SYNC_IN, BO_HANDLES):
        submit(fd, f"chunk {kind} nowhere", ctx, [ok, struct.pack("<IIQ", kind, 8, NOWHERE)])
        submit(fd, f"chunk {kind} absurd", ctx, [ok, struct.pack("<IIQ", kind, 0xffffffff, memory(64))])
    for ip in range(12):
        for instance in (0, 1):
            for ring in (0, 1, 3, 4, 8, 0xffffffff):
                if ip == DMA and instance == 0 and ring < 2:
                    continue
                submit(fd, f"ip {ip} instance {instance} ring {ring:#x}", ctx, [ib(ip, ring, instance=instance)])
    os.close(fd)


def gang(fd, what, ctx, chunks, ip, ring=0):
    """A submission to several rings, and its end on the last of them. 6.12 hangs where two of them meet: a job of the second
    that is the first of its queue makes the second the one that runs (amdgpu_device_switch_gang), and a job of the first,
    with one of the second behind it in its queue, waits for that."""
    seq = submit(fd, what, ctx, chunks)
    quiet(fd, WAIT_CS, "QQIIII", seq, FOREVER, ip, 0, ring, ctx)


def indirect_buffers():
    fd, code, ctx = prepared()
    for bit in range(12):
        if 1 << bit in (1, 4, 0x20):  # below: CE, PREAMBLE, SECURE
            continue
        submit(fd, f"IB flags {1 << bit:#x}", ctx, [ib(flags=1 << bit)])
        submit(fd, f"compute IB flags {1 << bit:#x}", ctx, [ib(COMPUTE, flags=1 << bit)])
    for flags in (1, 4, 5):
        submit(fd, f"IB flags {flags:#x}", ctx, [ib(flags=flags)])
        submit(fd, f"IB and IB flags {flags:#x}", ctx, [ib(), ib(flags=flags)])
    for size in (0, 2, 3, 4, 6, 28, 32, 36, 63):
        for ip in (GFX, COMPUTE):
            submit(fd, f"ip {ip} IB of {size} bytes", ctx, [ib(ip, size=size)])
        submit(fd, f"SDMA IB of {size} bytes", ctx, [ib(DMA, va=SDMA_CODE, size=size)])
    for at in (CODE + 4, CODE + 32, CODE + 256):
        submit(fd, f"IB at {at:#x}", ctx, [ib(va=at)])
        submit(fd, f"SDMA IB at {at:#x}", ctx, [ib(DMA, va=at + 32768)])
    gang(fd, "two rings", ctx, [ib(), ib(COMPUTE)], COMPUTE)
    gang(fd, "two compute rings", ctx, [ib(COMPUTE, 0), ib(COMPUTE, 1)], COMPUTE, 1)
    submit(fd, "five rings", ctx, [ib(), ib(COMPUTE), ib(COMPUTE, 1), ib(COMPUTE, 2), ib(COMPUTE, 3)])
    gang(fd, "SDMA and gfx", ctx, [ib(DMA, va=SDMA_CODE), ib()], GFX)
    for n, ip in ((192, GFX), (193, GFX), (125, COMPUTE), (126, COMPUTE), (49, DMA), (50, DMA)):
        submit(fd, f"{n} IBs on ip {ip}", ctx, [ib(ip, va=SDMA_CODE if ip == DMA else CODE)] * n)
    os.close(fd)


def chunks():
    fd, code, ctx = prepared()
    fence, big = buffer(fd), buffer(fd, 8192)
    for handle in (fence, big, 0, 99):
        for offset in (0, 8, 1, 4088, 4092, 4096, 0x80000000):
            submit(fd, f"fence in {handle} at {offset:#x}", ctx, [ib(), chunk(FENCE, struct.pack("<II", handle, offset))])
    submit(fd, "two fences", ctx, [ib(), chunk(FENCE, struct.pack("<II", fence, 0)), chunk(FENCE, struct.pack("<II", fence, 8))])
    submit(fd, "fence before IB", ctx, [chunk(FENCE, struct.pack("<II", fence, 0)), ib()])
    submit(fd, "fence with SDMA", ctx, [ib(DMA, va=SDMA_CODE), chunk(FENCE, struct.pack("<II", fence, 0))])
    seq = submit(fd, "to depend on", ctx, [ib()])
    for values in ((GFX, 0, 0, ctx, seq), (GFX, 0, 0, ctx, seq + 1), (GFX, 0, 0, ctx, 0), (GFX, 0, 0, 99, 1), (COMPUTE, 0, 0, ctx, 1), (COMPUTE, 0, 0, ctx, 0),
                   (GFX, 0, 1, ctx, 1), (GFX, 1, 0, ctx, 1), (99, 0, 0, ctx, 1), (9, 0, 0, ctx, 1), (GFX, 0, 0, ctx, (1 << 64) - 1)):
        for kind in (DEPENDENCIES, SCHEDULED):
            submit(fd, f"kind {kind} on {values}", ctx, [ib(), chunk(kind, struct.pack("<IIIIQ", *values))])
    pair = [quiet(fd, SYNCOBJ_CREATE, "II", 0, f)[0] for f in (0, 1)]
    for handle in (0, *pair, 99):
        for kind in (SYNC_IN, SYNC_OUT):
            submit(fd, f"kind {kind} of syncobj {handle}", ctx, [ib(), chunk(kind, struct.pack("<I", handle))])
        for point in (0, 1, 5):
            for flags in (0, 2):
                for kind in (TIMELINE_WAIT, TIMELINE_SIGNAL):
                    if kind == TIMELINE_WAIT and flags and handle in pair and point:
                        continue  # would wait for ever
                    submit(fd, f"kind {kind} of syncobj {handle} point {point} flags {flags}", ctx, [ib(), chunk(kind, struct.pack("<IIQ", handle, flags, point))])
    entries = memory(struct.pack("<4I", fence, 0, big, 0))
    for op, have, number, size in ((0, 0, 2, 8), (0, 0, 0, 8), (0, 0, 1, 4), (1, 0, 1, 8), (0, 1, 1, 8), (0xffffffff, 0xffffffff, 2, 8), (0xffffffff, 0xffffffff, 0xffffffff, 8)):
        submit(fd, f"BO_HANDLES {op:#x} {have:#x} {number:#x} {size}", ctx, [ib(), chunk(BO_HANDLES, struct.pack("<IIIIQ", op, have, number, size, entries))])
    made = quiet(fd, BO_LIST, "IIIIQ", 0, 0, 2, 8, entries)[0]
    submit(fd, "list", ctx, [ib()], bo_list=made)
    submit(fd, "list and BO_HANDLES", ctx, [ib(), chunk(BO_HANDLES, struct.pack("<IIIIQ", 0, 0, 2, 8, entries))], bo_list=made)
    submit(fd, "BO_HANDLES twice", ctx, [ib(), *[chunk(BO_HANDLES, struct.pack("<IIIIQ", 0, 0, 2, 8, entries))] * 2])
    os.close(fd)


def waiting():
    fd, code, ctx = prepared()
    seqs = {GFX: submit(fd, "gfx", ctx, [ib()]), COMPUTE: submit(fd, "compute", ctx, [ib(COMPUTE)]), DMA: submit(fd, "SDMA", ctx, [ib(DMA, va=SDMA_CODE)])}
    for ip, seq in seqs.items():
        drm(f"WAIT_CS ip {ip}", fd, WAIT_CS, "QQIIII", seq, FOREVER, ip, 0, 0, ctx)
        for number in (0, seq, seq + 1, (1 << 64) - 1):
            drm(f"WAIT_CS ip {ip} {number:#x}", fd, WAIT_CS, "QQIIII", number, 0, ip, 0, 0, ctx)
    for values in ((1, 0, 0, ctx), (GFX, 1, 0, ctx), (GFX, 0, 1, ctx), (GFX, 0, 0, 0), (GFX, 0, 0, 99), (12, 0, 0, ctx), (9, 0, 0, ctx), (3, 0, 0, ctx), (COMPUTE, 0, 7, ctx), (COMPUTE, 0, 3, ctx)):
        drm(f"WAIT_CS {values}", fd, WAIT_CS, "QQIIII", 1, 0, *values)
    for seq in range(2, 40):
        submit(fd, f"number {seq}", ctx, [ib()])
    drm("WAIT_CS the last", fd, WAIT_CS, "QQIIII", 39, FOREVER, GFX, 0, 0, ctx)
    for seq in (1, 6, 7, 8, 38, 39):
        drm(f"WAIT_CS old {seq}", fd, WAIT_CS, "QQIIII", seq, 0, GFX, 0, 0, ctx)
    one = struct.pack("<IIIIQ", ctx, GFX, 0, 0, 39)
    late = struct.pack("<IIIIQ", ctx, GFX, 0, 0, 40)
    other = struct.pack("<IIIIQ", 99, GFX, 0, 0, 1)
    zero = struct.pack("<IIIIQ", ctx, COMPUTE, 0, 0, 0)
    never = struct.pack("<IIIIQ", ctx, DMA, 0, 1, 0)
    for what, fences in (("one", one), ("one and zero", one + zero), ("late", late), ("one and late", one + late), ("other", other), ("zero", zero), ("never", never), ("never and one", never + one)):
        at = memory(fences)
        for wait_all in (0, 1, 2):
            for timeout in (0, FOREVER, (1 << 64) - 1):
                drm(f"WAIT_FENCES {what} all {wait_all} timeout {timeout:#x}", fd, WAIT_FENCES, "QIIQ", at, len(fences) // 24, wait_all, timeout)
    drm("WAIT_FENCES none", fd, WAIT_FENCES, "QIIQ", memory(one), 0, 1, 0)
    drm("WAIT_FENCES nowhere", fd, WAIT_FENCES, "QIIQ", NOWHERE, 1, 1, 0)
    drm("WAIT_FENCES absurd", fd, WAIT_FENCES, "QIIQ", memory(one), 0xffffffff, 1, 0)
    for what in range(5):
        for which, fence in (("one", one), ("late", late), ("other", other), ("zero", zero)):
            if what in (1, 2):
                to_fd(fd, what, which, fence)
            else:
                drm(f"FENCE_TO_HANDLE {what} {which}", fd, FENCE_TO_HANDLE, "24sII", fence, what, 0)
    os.close(fd)


def to_fd(fd, what, which, fence):
    err, out = ioctl(fd, "d", FENCE_TO_HANDLE, INOUT, struct.pack("<24sII", fence, what, 0))
    say(f"FENCE_TO_HANDLE {what} {which}", err)
    if err:
        return
    made = struct.unpack_from("<i", out)[0]
    if what == 2:
        info(f"the fence {which}", made)
    if what == 1:
        drm(f"syncobj of the fence {which}", fd, SYNCOBJ_FROM_FD, "IIii", 0, 0, made, 0, hide=(2,))
    os.close(made)


ALL = (contexts, lists, refused, indirect_buffers, chunks, waiting)
