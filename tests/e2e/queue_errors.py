# SPDX-License-Identifier: MIT
"""A program whose only submission has something in it that its queue cannot execute: queue_errors.py WHAT [end].
It prints what its wait says; end: it waits by a syncobj instead, which says nothing of errors, and exits."""
import ctypes
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "linux/calls"))
import call  # noqa: E402
from call import SYNCOBJ_CREATE, SYNCOBJ_WAIT, WAIT_CS, drm, libc, memory, quiet  # noqa: E402
from work import COMPUTE, DMA, FOREVER, SDMA_CODE, SYNC_OUT, chunk, ib, prepared, submit  # noqa: E402

# what: engine, dwords, where in the code they are put; address of the IB, dwords of it
WHAT = {
    "opcode": (COMPUTE, [0xc000fe00, 0], 16, 0x10000000),
    # SET_CONFIG_REG of GRBM_GFX_INDEX's neighbourhood: only the kernel may
    "register": (COMPUTE, [0xc0016800, 0x100, 0], 32, 0x10000000),
    "unmapped": (COMPUTE, [], 0, 0x660000000),
    "sdma": (DMA, [0xee], 32768 + 8, SDMA_CODE),
}

# Anywhere: under sanitizers the usual place is taken.
call.ARENA = libc.mmap(None, call.ARENA_B, call.READ | call.WRITE, call.PRIVATE | call.ANONYMOUS, -1, 0)
ip, dwords, at, va = WHAT[sys.argv[1]]
fd, code, ctx = prepared()
offset = struct.unpack("<Q", struct.pack("<II", *quiet(fd, 0x41, "II", code, 0)))[0]
pages = libc.mmap(None, 65536, 3, 1, fd, offset)
ctypes.memmove(pages + at, struct.pack(f"<{len(dwords)}I", *dwords), 4 * len(dwords))
if len(sys.argv) > 2:
    handle = quiet(fd, SYNCOBJ_CREATE, "II", 0, 0)[0]
    submit(fd, "bad", ctx, [ib(ip, va=va), chunk(SYNC_OUT, struct.pack("<I", handle))])
    drm("wait", fd, SYNCOBJ_WAIT, "QqIIII", memory(struct.pack("<I", handle)), FOREVER, 1, 0, 0, 0)
else:
    seq = submit(fd, "bad", ctx, [ib(ip, va=va)])
    drm("wait", fd, WAIT_CS, "QQIIII", seq, FOREVER, ip, 0, 0, ctx)
print("the program has ended", flush=True)
