#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An address space with pages of 4 KiB and 2 MiB, in which a packet of SDMA has been executed, and then a command:

    address_space.py COMMAND ...

{VMID} in it is this process. Bare ioctls of amdgpu_drm.h."""
import fcntl
import os
import struct
import subprocess
import sys

GTT, VRAM, CPU_ACCESS = 2, 4, 1
READ_WRITE_EXECUTE = 2 | 4 | 8
SMALL_VA, LARGE_VA, IB_VA = 0x7F63594B6000, 0x7F6359600000, 0x400000000
node = os.open("/dev/dri/renderD128", os.O_RDWR)


def ioctl(number, size, data):
    arg = bytearray(data.ljust(size, b"\0"))
    fcntl.ioctl(node, 3 << 30 | size << 16 | ord("d") << 8 | 0x40 + number, arg)
    return bytes(arg)


def buffer(size, domain, va):
    handle, = struct.unpack_from("<I", ioctl(0, 32, struct.pack("<4Q", size, 1 << 21, domain, CPU_ACCESS)))
    fcntl.ioctl(node, 1 << 30 | 40 << 16 | ord("d") << 8 | 0x48, struct.pack("<4I3Q", handle, 0, 1, READ_WRITE_EXECUTE, va, 0, size))
    return handle


def main():
    handles = [buffer(0x1000, GTT, SMALL_VA), buffer(2 << 20, VRAM, LARGE_VA), buffer(0x1000, GTT, IB_VA)]  # zeros are NOPs
    context, = struct.unpack_from("<I", ioctl(2, 16, struct.pack("<I", 1)))
    import ctypes
    entries = (ctypes.c_uint32 * 6)(*[x for h in handles for x in (h, 0)])
    boxed = struct.pack("<4IQ", 0xFFFFFFFF, 0xFFFFFFFF, 3, 8, ctypes.addressof(entries))
    ib = struct.pack("<2IQ4I", 0, 0, IB_VA, 32, 2, 0, 0)  # AMDGPU_HW_IP_DMA
    chunks = [(1, ib), (6, boxed)]
    kept = [ctypes.create_string_buffer(data, len(data)) for _, data in chunks]
    heads = [ctypes.create_string_buffer(struct.pack("<2IQ", kind, len(data) // 4, ctypes.addressof(at)), 16) for (kind, data), at in zip(chunks, kept)]
    pointers = (ctypes.c_uint64 * 2)(*[ctypes.addressof(h) for h in heads])
    sequence, = struct.unpack_from("<Q", ioctl(4, 24, struct.pack("<4IQ", context, 0, 2, 0, ctypes.addressof(pointers))))
    status, = struct.unpack_from("<Q", ioctl(9, 32, struct.pack("<2Q4I", sequence, (1 << 63) - 1, 2, 0, 0, context)))
    print("executed" if not status else "not executed", flush=True)
    sys.exit(subprocess.run([word.replace("{VMID}", str(os.getpid())) for word in sys.argv[1:]]).returncode)


main()
