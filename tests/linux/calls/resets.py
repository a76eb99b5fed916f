# SPDX-License-Identifier: MIT
"""Jobs that do not end: what the program that waits is told, and what contexts that had no part in it see. Wants a
driver that ends them, after some seconds (gpu_recovery=1 lockup_timeout=...)."""
import ctypes
import os
import struct
import time

from call import CTX, INOUT, READ, WAIT_CS, WRITE, context, drm, ioctl, libc, quiet, render
from work import CODE, COMPUTE, FOREVER, GFX, NOP, ib, prepared, submit

SHADER, SPIN, WAIT, WORD = 0x1000, 0x2000, 0x3000, 0x4000  # in the buffer at CODE
BRANCH_TO_ITSELF = 0xbfa0ffff  # s_branch of gfx11
# Packets and registers: nvd.h, gc_11_0_0_offset.h of Linux 6.12.
SET_SH_REG, DISPATCH_DIRECT, WAIT_REG_MEM = 0x76, 0x15, 0x3c
PGM_LO, RSRC1, NUM_THREAD_X, THREAD_MGMT = 0x20c, 0x212, 0x207, (0x216, 0x219, 0x22b, 0x22d)
COMPUTE_SHADER_EN, FORCE_START_AT_000, WAVE32 = 1, 1 << 2, 1 << 15


def packet(op, *body):
    return [3 << 30 | len(body) - 1 << 16 | op << 8 | 2, *body]  # SHADER_TYPE compute


def padded(words):
    return struct.pack(f"<{len(words)}I", *words) + struct.pack("<I", NOP) * (-len(words) % 8)


def spin():
    """A dispatch of one wave that branches to itself."""
    at = CODE + SHADER >> 8
    words = packet(SET_SH_REG, PGM_LO, at & 0xffffffff, at >> 32) + packet(SET_SH_REG, RSRC1, 0, 0)
    words += packet(SET_SH_REG, NUM_THREAD_X, 32, 1, 1)
    for register in THREAD_MGMT:
        words += packet(SET_SH_REG, register, 0xffffffff, 0xffffffff)
    return padded(words + packet(DISPATCH_DIRECT, 1, 1, 1, COMPUTE_SHADER_EN | FORCE_START_AT_000 | WAVE32))


def wait():
    """Until a word in memory is 1, which it never is."""
    at = CODE + WORD
    return padded(packet(WAIT_REG_MEM, 3 | 1 << 4, at & 0xffffffff, at >> 32, 1, 0xffffffff, 4))


def fill(fd, code):
    at = struct.unpack("<Q", struct.pack("<II", *quiet(fd, 0x41, "II", code, 0)))[0]
    pages = libc.mmap(None, 65536, READ | WRITE, 1, fd, at)
    for offset, data in ((SHADER, struct.pack("<I", BRANCH_TO_ITSELF) * 64), (SPIN, spin()), (WAIT, wait()), (WORD, bytes(64))):
        ctypes.memmove(pages + offset, data, len(data))
    libc.munmap(pages, 65536)


def states(when, contexts):
    for what, fd, ctx in contexts:
        for op in (4, 3, 3):  # QUERY_STATE2, and QUERY_STATE, which tells of a reset once
            drm(f"{when}: CTX op {op} of {what}", fd, CTX, "IIIi", op, 0, ctx, 0)


def until_counted(fd, ctx, timeout_s=60):
    """The driver counts a reset after it has ended the job (amdgpu_ring_soft_recovery, amdgpu_job_timedout)."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        err, out = ioctl(fd, "d", CTX, INOUT, struct.pack("<IIIi", 4, 0, ctx, 0))
        if err or struct.unpack_from("<I", out)[0]:
            return
        time.sleep(0.05)


def hang(what, ip, offset, size):
    fd, code, ctx = prepared()
    fill(fd, code)
    far = render()
    contexts = [("its context", fd, ctx), ("another context", fd, context(fd)), ("a context of another file", far, context(far))]
    other = contexts[1][2]
    states(f"{what} before", contexts)
    seq = submit(fd, f"{what}", ctx, [ib(ip, va=CODE + offset, size=size)])
    behind = submit(fd, f"{what}: behind it", other, [ib(ip)]) if ip == GFX else None
    drm(f"{what}: WAIT_CS", fd, WAIT_CS, "QQIIII", seq, FOREVER, ip, 0, 0, ctx)
    if behind:
        drm(f"{what}: WAIT_CS of the job behind it", fd, WAIT_CS, "QQIIII", behind, FOREVER, ip, 0, 0, other)
    until_counted(fd, ctx)
    states(what, contexts)
    contexts.append(("a new context", fd, context(fd)))
    states(f"{what} later", contexts)
    for name, at, which in contexts:
        for to in (ip, COMPUTE if ip == GFX else GFX):
            if at == far:
                continue  # nothing is mapped there
            seq = submit(at, f"{what}: ip {to} of {name}", which, [ib(to)])
            if seq:
                drm(f"{what}: WAIT_CS ip {to} of {name}", at, WAIT_CS, "QQIIII", seq, FOREVER, to, 0, 0, which)
    os.close(fd)
    os.close(far)


def waves():
    hang("a wave on compute", COMPUTE, SPIN, len(spin()))
    hang("a wave on gfx", GFX, SPIN, len(spin()))


def packets():
    hang("a packet on compute", COMPUTE, WAIT, len(wait()))
    hang("a packet on gfx", GFX, WAIT, len(wait()))
    hang("a packet on gfx again", GFX, WAIT, len(wait()))
    hang("a packet on compute again", COMPUTE, WAIT, len(wait()))


ALL = (waves, packets)
