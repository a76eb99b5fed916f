# SPDX-License-Identifier: MIT
"""A program that submits command streams of its own: streams.py compute|sdma [hang|clock]. On the compute ring an IB that calls a
stream and chains another one; on the SDMA ring one with packets of many kinds. Each writes numbers to RESULTS. hang: a wait
never ends, of the called stream or the SDMA engine. clock: packets write the GPU's clock to RESULTS, with 0x11 next to it, and
copy one value of it: whole, and on the compute ring its low half as well."""
import ctypes
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "linux/calls"))
import call  # noqa: E402
from call import WAIT_CS, drm, libc, quiet  # noqa: E402
from work import CODE, COMPUTE, DMA, FOREVER, SDMA_CODE, ib, prepared, submit  # noqa: E402

RESULTS = CODE + 0x4000
CALLED, CHAINED = CODE + 0x400, CODE + 0x800
REFERENCE = 7  # what the wait waits for


def packet(op, *body):
    return [3 << 30 | (len(body) - 1) << 16 | op << 8 | 2, *body]


def address(va):
    return [va & 0xffffffff, va >> 32]


def padded(words, nop):
    return words + [nop] * (-len(words) % 8)


def compute(value):
    """Where each stream lies; the first is the IB."""
    def write(va, data):
        return packet(0x37, 5 << 8 | 1 << 20, *address(va), data)

    called = padded(write(RESULTS, 0x11) + packet(0x3c, 3 | 1 << 4, *address(RESULTS + 12), value, 0xffffffff, 4) + write(RESULTS + 4, 0x22),
                    0xffff1000)
    chained = padded(write(RESULTS + 8, 0x33) + packet(0x21, 0xc200, 0xffffffff, 0), 0xffff1000)  # REG_RMW of GRBM_GFX_INDEX
    first = packet(0x3f, *address(CALLED), len(called) | 1 << 23) + packet(0x46, 7 | 4 << 8)
    first += [0xffff1000] * (12 - len(first)) + packet(0x3f, *address(CHAINED), len(chained) | 1 << 20 | 1 << 23)
    return {CODE: first, CALLED: called, CHAINED: chained}


def sdma(value):
    made = [2, *address(RESULTS), 0, 0x11]                                          # WRITE_LINEAR
    made += [8 | 3 << 28 | 1 << 31, *address(RESULTS + 12), value, 0xffffffff, 0xfff << 16 | 10]  # POLL_REGMEM
    made += [2, *address(RESULTS + 4), 1, 0x22, 0x33]
    made += [0xb | 2 << 30, *address(RESULTS + 0x100), 0x44444444, 63]              # CONSTANT_FILL
    made += [1, 63, 0, *address(RESULTS + 0x100), *address(RESULTS + 0x200)]        # COPY_LINEAR
    made += [10 | 0x2f << 25, *address(RESULTS + 0x20), 5, 0, 0, 0, 0]              # ATOMIC: add of 64 bits
    made += [9, *address(RESULTS), 1, 3, 0x2 << 16, 0, 0]                           # COND_EXE, over a NOP with two words
    made += [5 | 3 << 16, *address(RESULTS + 0x30), 0x55]                           # FENCE
    return {SDMA_CODE: padded(made, 0)}


def clocks(ip):
    at = [address(RESULTS + 8 * i) for i in range(1, 7)]
    if ip == DMA:
        return {SDMA_CODE: padded([0x10d, *at[0], 0x20d, *at[1], 2, *at[2], 0, 0x11, 1, 7, 0, *at[0], *at[4]], 0)}
    made = packet(0x49, 0x14 | 5 << 8, 3 << 29, *at[0], 0, 0, 0) + packet(0x37, 5 << 8 | 1 << 20, *at[1], 0x11)
    made += packet(0x40, 9 | 5 << 8 | 1 << 16, 0, 0, *at[2]) + packet(0x40, 9 | 5 << 8, 0, 0, *at[3])
    made += packet(0x40, 1 | 5 << 8 | 1 << 16, *at[2], *at[4]) + packet(0x40, 1 | 5 << 8, *at[2], *at[5])
    made += packet(0x37, 5 << 8 | 1 << 20, *address(RESULTS + 8 * 6 + 4), 0x13)
    return {CODE: padded(made, 0xffff1000)}


call.ARENA = libc.mmap(None, call.ARENA_B, call.READ | call.WRITE, call.PRIVATE | call.ANONYMOUS, -1, 0)
ip, streams = (DMA, sdma) if sys.argv[1] == "sdma" else (COMPUTE, compute)
fd, code, ctx = prepared()
offset = struct.unpack("<Q", struct.pack("<II", *quiet(fd, 0x41, "II", code, 0)))[0]
pages = libc.mmap(None, 65536, 3, 1, fd, offset)
ctypes.memset(pages + (RESULTS - CODE), 0, 0x1000)
how = sys.argv[2] if len(sys.argv) > 2 else ""
made = clocks(ip) if how == "clock" else streams(REFERENCE if how == "hang" else 0)
for va, dwords in made.items():
    ctypes.memmove(pages + (va - CODE), struct.pack(f"<{len(dwords)}I", *dwords), 4 * len(dwords))
first = next(iter(made))
seq = submit(fd, "streams", ctx, [ib(ip, va=first, size=4 * len(made[first]))])
drm("wait", fd, WAIT_CS, "QQIIII", seq, FOREVER, ip, 0, 0, ctx)
print("results " + ctypes.string_at(pages + (RESULTS - CODE), 16).hex(), flush=True)
