#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of fuzz_uapi: seeds_uapi.py FOLDER. One function for each operation of fuzz_uapi.c; memory
of the program lies behind the operations, and its address is the offset there."""
import os
import struct
import sys

VRAM, IOMEM, VM_INFO, LOG, RING, GCA, WAVE, GPR, GPRWAVE, GFXOFF, REGS2, REGS, SW_SYNC, SYNC_INFO, DRAWS = range(15)
# own_ioctls
(BO_FENCES, BO_ADD_FENCE, MERGE, INFO, DEADLINE, CREATE_FENCE, INC, GET_DEADLINE, DRAW_WAVE, DRAW_BREAKS, DRAW, DRAW_PIXEL, DRAW_EVENT,
 DRAW_INPUTS) = range(14)
NO_FD = 0x80
# Where the driver's first page tables lie: after the interrupt ring and seven rings with a fence each.
ROOT = 0x100000 + 0x40000 + 7 * 0x11000
IB, CODE, DATA = 0x30000000, 0x10000000, 0x20000000
VALID = 1 << 6  # AMDGPU_GEM_CREATE_VM_ALWAYS_VALID
RWX = 2 | 4 | 8


class Seed:
    """The first operation of a program finds file 1 open: a render node."""

    def __init__(self):
        self.ops, self.memory = [], []

    def open(self, minor=128):
        self.ops.append(struct.pack('<BB', 0, minor))

    def close(self, file):
        self.ops.append(struct.pack('<BB', 1, file))

    def ioctl(self, file, nr, arg, fd=None, to=0):
        """fd: of the slots, passed along; to: the slot of what comes back. Arguments may be (fmt, values...) with
        places in memory, as numbers that are known only at the end."""
        self.ops.append((file, nr, (NO_FD if fd is None else fd) | to << 4, arg))

    def own(self, file, nr, arg, fd=None, to=0):
        """The same for one of own_ioctls."""
        self.ops.append((file, nr, (NO_FD if fd is None else fd) | 0x40 | to << 4, arg))

    def kfd(self, file, nr, arg, fd=None):
        """Of /dev/kfd; 0: opens it."""
        self.ops.append((file, nr, NO_FD if fd is None else fd, arg, 12))

    def mmap(self, file, page, slot):
        self.ops.append(struct.pack('<BBHB', 4, file, page, slot))

    def path(self, which):
        self.ops.append(struct.pack('<BB', 5, which))

    def write(self, file, pos, data):
        self.ops.append(struct.pack('<BBQH', 6, file, pos, len(data)) + data)

    def read(self, file, pos, n):
        self.ops.append(struct.pack('<BBQH', 7, file, pos, n))

    def poke(self, slot, at, data):
        self.ops.append(struct.pack('<BBBB', 8, slot, at // 16, len(data)) + data)

    def eventfd(self, slot):
        self.ops.append(struct.pack('<BB', 9, slot | 0x40))

    def pages(self, slot):
        self.ops.append(struct.pack('<BB', 9, slot | 0x80))

    def other(self):
        self.ops.append(b'\x0a')

    def leave(self):
        self.ops.append(b'\x0b')

    def put(self, data):
        """Program memory; gives a place for an argument."""
        self.memory.append(data)
        return ('at', len(self.memory) - 1)

    def bytes(self):
        ops_b = sum(len(op) if isinstance(op, bytes) else 5 + len(self.argument(op[3], [])) for op in self.ops)
        # The memory is read as operations, too, when the program has got so far.
        places, at = [], (ops_b + 7) // 8 * 8
        for data in self.memory:
            places.append(at)
            at += len(self.argument(data, [])) + 7 & ~7
        out = b''
        for op in self.ops:
            if not isinstance(op, bytes):
                arg = self.argument(op[3], places)
                op = struct.pack('<BBBBB', op[4] if len(op) > 4 else 2, op[0], op[1], len(arg), op[2]) + arg
            out += op
        for place, data in zip(places, self.memory):
            out = out.ljust(place, b'\0') + self.argument(data, places)
        return out

    @staticmethod
    def argument(arg, places):
        if isinstance(arg, bytes):
            return arg
        values = [(places[v[1]] if places else 0) if isinstance(v, tuple) else v for v in arg[1:]]
        return struct.pack('<' + arg[0], *values)

    # ---- ioctls, by the structs of amdgpu_drm.h and drm.h ----

    def create(self, file, size=4096, domain=4, flags=0):
        self.ioctl(file, 0x40, struct.pack('<QQQQ', size, 0, domain, flags))

    def gem_close(self, file, handle):
        self.ioctl(file, 0x09, struct.pack('<II', handle, 0))

    def gem_mmap(self, file, handle):
        self.ioctl(file, 0x41, struct.pack('<II', handle, 0))

    def va(self, file, handle, va, op=1, offset=0, size=4096, flags=RWX):
        self.ioctl(file, 0x48, struct.pack('<IIIIQQQ', handle, 0, op, flags, va, offset, size))

    def export(self, file, handle, slot):
        self.ioctl(file, 0x2d, struct.pack('<IIi', handle, 0x80002, -1), to=slot)

    def import_(self, file, slot):
        self.ioctl(file, 0x2e, struct.pack('<IIi', 0, 0, 0), fd=slot)

    def wait_idle(self, file, handle):
        self.ioctl(file, 0x47, struct.pack('<IIQ', handle, 0, 0))

    def ctx(self, file):
        self.ioctl(file, 0x42, struct.pack('<IIIi', 1, 0, 0, 0))

    def cs(self, file, ctx, ib_va, ib_b, chunks=(), ip=1, ring=0, bo_list=0):
        ib = self.put(struct.pack('<IIQIIII', 0, 0, ib_va, ib_b, ip, 0, ring))
        heads = [self.put(('IIQ', 1, 8, ib))]
        for kind, data in chunks:
            heads.append(self.put(('IIQ', kind, len(data) // 4, self.put(data))))
        array = self.put(('%dQ' % len(heads), *heads))
        self.ioctl(file, 0x44, ('IIIIQ', ctx, bo_list, len(heads), 0, array))

    def wait_cs(self, file, ctx, seq, ip=1, ring=0):
        self.ioctl(file, 0x49, struct.pack('<QQIIII', seq, 0, ip, 0, ring, ctx))

    def syncobj(self, file, signaled=0):
        self.ioctl(file, 0xbf, struct.pack('<II', 0, signaled))


def prepared(s, code=None):
    """File 1 has an IB (handle 1, descriptor 0), code (2, 1) and data (3, 2), all mapped, and context 1."""
    for i, va in enumerate((IB, CODE, DATA)):
        s.create(1, domain=2)
        s.gem_mmap(1, i + 1)
        s.mmap(1, i, i)
        s.va(1, i + 1, va)
    s.ctx(1)
    if code:
        s.poke(1, 0, code)


def sh(reg, *values):
    return struct.pack('<II%dI' % len(values), 0xc0007600 | len(values) << 16, reg - 0x2c00, *values)


def dispatch(groups=1):
    p = sh(0xb830 // 4, CODE >> 8, 0) + sh(0xb848 // 4, 0x602c0002, 4) + sh(0xb8a0 // 4, 0) + sh(0xb854 // 4, 0)
    p += sh(0xb858 // 4, 0xffffffff, 0xffffffff) + sh(0xb810 // 4, 0, 0, 0) + sh(0xb81c // 4, 32, 1, 1)
    p += sh(0xb900 // 4, DATA, 0)
    return p + struct.pack('<IIIII', 0xc0031500, groups, 1, 1, 0x8005)


def dwords(*values):
    return struct.pack('<%dI' % len(values), *values)


def share(s):
    s.open()
    s.create(1)
    s.va(1, 1, DATA)
    s.export(1, 1, 0)
    s.import_(2, 0)
    s.va(2, 1, DATA)
    s.wait_idle(2, 1)
    s.close(1)
    s.wait_idle(2, 1)
    s.gem_close(2, 1)
    s.close(2)


def always_valid(s):
    s.open()
    s.create(1, flags=VALID)
    s.va(1, 1, DATA)
    s.gem_mmap(1, 1)
    s.mmap(1, 0, 0)
    s.export(1, 1, 1)
    s.import_(2, 0)
    s.close(1)
    s.wait_idle(2, 1)
    s.va(2, 1, DATA)
    s.gem_close(2, 1)


def between_programs(s):
    s.create(1, domain=2)
    s.export(1, 1, 0)
    s.other()
    s.import_(1, 0)
    s.va(1, 1, DATA)
    s.other()
    s.leave()
    s.other()
    s.wait_idle(1, 1)
    s.leave()


def tables(s):
    s.path(VRAM)
    s.create(1, size=0x5000)
    s.va(1, 1, 0x123456000, size=0x5000)
    for level in range(3):
        s.write(2, ROOT + 0x1000 * level, struct.pack('<QQ', 0xfffffffff001, ROOT | 1))
    s.va(1, 0, 0x123457000, op=3, size=0x1000)
    s.va(1, 1, 0x800000000, op=4, size=0x4000)
    s.close(1)
    s.read(2, ROOT, 64)
    s.close(2)


def tables_of_a_file_that_goes(s):
    s.path(VRAM)
    s.create(1, size=0x5000)
    s.va(1, 1, 0x123456000, size=0x5000)
    s.write(2, ROOT + 8 * 7, struct.pack('<Q', 0xfffffffff001))
    s.close(1)


def ranges(s):
    s.create(1, size=5 << 20)
    s.va(1, 1, 0x800000000 - 0x10000, size=5 << 20)
    s.va(1, 0, 0x800201000, op=3, size=0x1000)
    s.va(1, 1, 0x800200000, op=4, offset=0x210000, size=0x200000)
    s.va(1, 0, 0x900000000, size=0x203000, flags=16)
    s.va(1, 1, 0xa00000000, size=0x1000, flags=RWX | 1)
    s.va(1, 1, 0x800000000 - 0x10000, op=2)
    s.va(1, 0, 0x800000000, op=3, size=1 << 38)
    s.path(VM_INFO)
    s.read(2, 0, 1024)
    s.gem_close(1, 1)


def kernel(s):
    # v_mov_b32 v1, 0x1234; v_lshlrev_b32 v0, 2, v0; global_store_b32 v0, v1, s[0:1]; s_endpgm
    prepared(s, dwords(0x7e0202ff, 0x1234, 0x30000082, 0xdc6a0000, 0x00000100, 0xbfb00000))
    packets = dispatch(4)
    s.poke(0, 0, packets)
    s.cs(1, 1, IB, len(packets), [(2, struct.pack('<IIQ', 3, 0, 0)[:8])])
    s.wait_cs(1, 1, 1)
    s.cs(1, 1, IB, len(packets), [(3, struct.pack('<IIIIQ', 1, 0, 0, 1, 1))], ring=1)
    s.wait_cs(1, 1, 1, ring=1)
    s.wait_idle(1, 3)


def halting(s):
    prepared(s, dwords(0xbf820001, 0xbfb70000, 0xbfa0ffff))
    packets = dispatch(2)
    s.poke(0, 0, packets)
    s.cs(1, 1, IB, len(packets))
    s.wait_cs(1, 1, 1)
    s.va(1, 3, DATA, op=2)
    s.gem_close(1, 3)
    s.close(1)


def sync(s):
    prepared(s)
    for _ in range(3):
        s.syncobj(1)
    s.poke(0, 0, dwords(0xffff1000))
    s.cs(1, 1, IB, 4, [(5, dwords(1)), (7, dwords(0, 0, 0, 0)[:0])])
    s.cs(1, 1, IB, 4, [(4, dwords(1)), (8, struct.pack('<IIQ', 2, 0, 5))])
    s.ioctl(1, 0xc1, struct.pack('<IIii', 1, 0, -1, 0), to=3)
    s.ioctl(1, 0xc2, struct.pack('<IIii', 0, 0, 0, 0), fd=3)
    s.ioctl(1, 0xc1, struct.pack('<IIii', 1, 1, -1, 0), to=3)
    s.ioctl(1, 0xc2, struct.pack('<IIii', 3, 1, 0, 0), fd=3)
    handles, points = s.put(dwords(1, 2, 3)), s.put(struct.pack('<QQQ', 0, 5, 9))
    s.ioctl(1, 0xca, ('QQqIIII', handles, points, 0, 3, 3, 0, 0))
    s.ioctl(1, 0xcd, ('QQII', handles, points, 3, 0))
    s.ioctl(1, 0xcb, ('QQII', handles, points, 3, 0))
    s.ioctl(1, 0xcc, struct.pack('<IIQQII', 2, 3, 5, 7, 0, 0))
    s.ioctl(1, 0xc3, ('QqIIII', handles, 0, 3, 1, 0, 0))
    s.eventfd(2)
    s.ioctl(1, 0xcf, struct.pack('<IIQiI', 2, 0, 5, 0, 0), fd=2)
    s.ioctl(1, 0x54, struct.pack('<IIIIQII', 1, 1, 0, 0, 1, 1, 0), to=3)
    s.ioctl(1, 0xc5, ('QII', handles, 3, 0))
    s.ioctl(1, 0xc0, struct.pack('<II', 2, 0))


def timelines(s):
    """Points on work that has not ended, dependencies on them, and the end of all."""
    prepared(s)
    # WAIT_REG_MEM: until the word at DATA is 1
    wait = dwords(0xc0053c00, 0x13, DATA, 0, 1, 0xffffffff, 4)
    s.poke(0, 0, wait)
    s.syncobj(1)
    for i in range(4):
        s.cs(1, 1, IB, len(wait), [(8, struct.pack('<IIQ', 1, 0, i + 1))], ring=i)
    s.cs(1, 1, IB, len(wait), [(7, struct.pack('<IIQ', 1, 0, 3) * 3)], ring=1)
    s.cs(1, 1, IB, len(wait), [(3, struct.pack('<IIIIQ', 1, 0, 0, 1, 1) * 3)], ring=2)
    s.ioctl(1, 0xc1, struct.pack('<IIii', 1, 1, -1, 0), to=3)
    fences = s.put(struct.pack('<IIIIQ', 1, 1, 0, 0, 1) * 2)
    s.ioctl(1, 0x52, ('QIIQ', fences, 2, 1, 0))
    s.poke(2, 0, dwords(1))
    s.ioctl(1, 0x52, ('QIIQ', fences, 2, 0, 0))
    s.leave()


def own_fences(s):
    """Fences that the program signals itself, merged, in sync objects, and their timeline's end."""
    for _ in range(2):
        s.path(SW_SYNC)  # files 2 and 3
    for file, slot in ((2, 0), (3, 1)):
        s.own(file, CREATE_FENCE, struct.pack('<I', 3), to=slot)
        s.syncobj(1)
        s.ioctl(1, 0xc2, struct.pack('<IIii', slot + 1, 1, 0, 0), fd=slot)
    s.own(1, MERGE, struct.pack('<iIi', 0, 2, -1) + b'name', fd=0, to=2)
    s.own(1, INFO, struct.pack('<iI', 0, 0), fd=2)
    s.own(1, DEADLINE, struct.pack('<iIQ', 0, 0, 5), fd=2)
    s.own(2, GET_DEADLINE, struct.pack('<QIi', 0, 0, 0), fd=0)
    s.path(SYNC_INFO)
    s.read(4, 0, 256)
    s.own(2, INC, dwords(3))
    s.own(1, MERGE, struct.pack('<iIi', 0, 1, -1) + b'again', fd=2, to=3)
    s.ioctl(1, 0x40, struct.pack('<QQQQ', 4096, 0, 2, 0))
    s.own(1, BO_ADD_FENCE, struct.pack('<II', 1, 2))
    s.own(1, BO_FENCES, struct.pack('<II', 1, 1))
    s.close(3)
    s.own(1, INFO, struct.pack('<iI', 0, 1), fd=3)
    s.own(2, INC, dwords(0xffffffff))


def lists(s):
    prepared(s)
    entries = s.put(dwords(1, 0, 2, 0, 3, 0, 3, 0))
    s.ioctl(1, 0x43, ('IIIIQ', 0, 0, 4, 8, entries))
    s.poke(0, 0, dwords(0xffff1000))
    s.cs(1, 1, IB, 4, bo_list=1)
    s.ioctl(1, 0x43, ('IIIIQ', 2, 1, 2, 8, entries))
    s.cs(1, 1, IB, 4, [(6, struct.pack('<IIIIQ', 0, 0, 0, 8, 0))])
    s.ioctl(1, 0x43, ('IIIIQ', 1, 1, 0, 8, entries))


def pages(s):
    s.pages(0)
    s.ioctl(1, 0x51, struct.pack('<QQII', 0x10000, 8192, 8, 0), fd=0)
    s.va(1, 1, DATA, size=8192)
    s.path(IOMEM)
    s.read(2, 0x100000, 64)
    s.write(2, 0x100ff0, b'x' * 64)
    s.gem_close(1, 1)
    s.read(2, 0x100000, 64)


def infos(s):
    room = s.put(bytes(64))
    for query in (0, 2, 4, 5, 0x10, 0x14, 0x15, 0x16, 0x19, 0x1d, 0x23):
        s.ioctl(1, 0x45, ('QIIIIII', room, 64, query, 0x2232, 1, 0xffffffff, 0))
    s.ioctl(1, 0x00, ('iiiiQQQQQQ', 0, 0, 0, 0, 8, room, 8, room, 8, room))
    s.create(1)
    s.ioctl(1, 0x46, struct.pack('<IIQQI', 1, 1, 2, 3, 8) + bytes(92))
    s.ioctl(1, 0x50, ('IIQ', 1, 0, room))
    s.ioctl(1, 0x53, struct.pack('<II', 1, 0))
    s.ioctl(1, 0x53, struct.pack('<II', 2, 0))
    s.ioctl(1, 0x42, struct.pack('<IIIi', 5, 4, 1, 0))


def registers(s):
    """The interrupt ring's pointers and memory, queues, waves."""
    s.path(REGS2)
    s.path(VRAM)
    osssys, gc = 0x10a0, 0x1260
    for reg, value in ((osssys + 0x84, 8), (osssys + 0x83, 0x40004), (gc + 0x1fab, 1), (0xa000 + 0x111b, 0x13)):
        s.write(2, 4 * reg, dwords(value))
        s.read(2, 4 * reg, 8)
    s.write(3, 0x100000, dwords(0xb514, 0, 0, 0, 0, 0, 0, 0) * 4)
    prepared(s)
    s.poke(0, 0, dwords(0xffff1000))
    s.cs(1, 1, IB, 4)
    s.wait_cs(1, 1, 1)
    s.path(RING)
    s.read(4, 0, 256)
    s.path(GPRWAVE)
    s.read(5, 0, 64)
    s.path(WAVE)
    s.read(6, 0, 64)


def draws(s):
    """What debuggers ask of draws; there has been none."""
    s.path(DRAWS)
    s.own(2, DRAW, struct.pack('<I', 0))
    s.own(2, DRAW_PIXEL, struct.pack('<iiII', 5, 5, 1, 0))
    s.own(2, DRAW_EVENT, struct.pack('<I', 0))
    s.own(2, DRAW_BREAKS, struct.pack('<IIIiiIIIQ', 1, 0, 1, 5, 5, 0, 0, 0, 0))
    s.own(2, DRAW_WAVE, struct.pack('<5I', 0, 0, 0, 0, 0))
    s.own(2, DRAW_INPUTS, struct.pack('<6I', 0, 0, 0, 0, 0, 0))
    s.read(2, 0, 256)


def kfd(s):
    """A process of KFD: an address space, memory of each kind, events. File 2 is /dev/kfd; its GPU's number is that of the
    profile (test_kfd.c)."""
    gpu, event, ids = 7840, s.put(struct.pack('<12I', *[0] * 10, 1, 0)), s.put(struct.pack('<I', 7840))
    s.kfd(0, 0, b'')
    s.kfd(2, 0x15, struct.pack('<II', 1, gpu))
    s.kfd(2, 0x14, ('QII', s.put(bytes(56)), 1, 0))
    s.pages(0)
    for size, flags, fd in ((4096, 1, None), (8192, 2, None), (8192, 8, None), (4096, 16, None), (4096, 4, 0)):
        s.kfd(2, 0x16, struct.pack('<QQQQII', 0x10000 + (flags << 16), size, 0, 0x11000 if fd == 0 else 0, gpu, flags | 1 << 31), fd)
    for handle in range(5):
        s.kfd(2, 0x18, ('QQII', gpu << 32 | handle, ids, 1, 0))
    for kind in (0, 8):
        s.kfd(2, 0x08, struct.pack('<QIIIIII', 0, 0, kind, 1, 0, 0, 0))
    s.kfd(2, 0x0a, struct.pack('<II', 1, 0))
    s.kfd(2, 0x0c, ('QIIII', event, 1, 0, 0, 0))
    s.kfd(2, 0x09, struct.pack('<II', 1, 0))
    s.kfd(2, 0x1a, ('IIQ', 0, 32, s.put(struct.pack('<I', 0xc))))
    s.kfd(2, 0x1b, struct.pack('<QIIII', 0, 0, 0, 0, 0))
    s.kfd(2, 0x19, ('QQII', gpu << 32, ids, 1, 0))
    s.kfd(2, 0x17, struct.pack('<Q', gpu << 32))
    s.kfd(2, 0x23, struct.pack('<QII', 0, gpu, 0))


def kfd_debug(s):
    """A process that debugs itself by KFD's calls, one of each operation; the queue is an AQL queue with a save area."""
    gpu, ids, info = 7840, s.put(struct.pack('<II', 7840, 0)), s.put(bytes(128))
    s.kfd(0, 0, b'')
    s.kfd(2, 0x15, struct.pack('<II', 1, gpu))
    for va, size in ((0x100000, 4096), (0x200000, 4096), (0x400000, 0x300000)):
        s.kfd(2, 0x16, struct.pack('<QQQQII', va, size, 0, 0, gpu, 2 | 1 << 31))
    for handle in range(3):
        s.kfd(2, 0x18, ('QQII', gpu << 32 | handle, ids, 1, 0))
    s.kfd(2, 0x25, struct.pack('<QII', 0x1234, 3, 0))
    s.pages(0)
    op = lambda number, fmt, *values, fd=None: s.kfd(2, 0x26, ("II" + fmt, 0, number, *values), fd)
    op(0, "QQII", 2**64 - 1, info, 16, 0, fd=0)
    s.kfd(2, 0x02, struct.pack('<QQQQIIIIIQQQII', 0x100000, 0x200038, 0x200080, 0, 4096, gpu, 2, 100, 7, 0, 0, 0x400000, 0x200000, 0x8000)[:88])
    op(13, "QQII", 1 << 30, info, 1, 64)
    op(6, "QQII", 0, ids, 2, 0)
    op(7, "QII", ids, 2, 0)
    op(2, "QII", 2 | 1 << 47, gpu, 0)
    op(3, "QQQ", 2**64 - 1, 0, 0)
    op(4, "IIIIII", 0, 128, 128, 0, 0, 0)
    op(5, "IIIIII", 1, 0, 0, 0, 0, 0)
    op(8, "QIIII", 0x100000, 1, 0xffffff80, gpu, 0)
    op(9, "IIQQ", gpu, 0, 0, 0)
    op(10, "IIQQ", 0, 0, 0, 0)
    op(11, "QIIQ", 0, 0, 0, 0)
    op(12, "QIIII", info, 64, 0, 48, 1)
    op(14, "QQII", 0, info, 1, 120)
    op(1, "QQQ", 0, 0, 0)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for make in (share, always_valid, between_programs, tables,
                 tables_of_a_file_that_goes, ranges, kernel, halting, sync, timelines, own_fences, lists,
                 pages, infos, registers, draws, kfd, kfd_debug):
        s = Seed()
        make(s)
        with open(os.path.join(folder, make.__name__), 'wb') as f:
            f.write(s.bytes())


main()
