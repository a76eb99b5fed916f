# SPDX-License-Identifier: MIT
"""The program of test_stomp_memory.py: makes three buffers with libdrm, writes the first, and prints a word of the first and of
the third, which it has never written."""
import ctypes
import os

drm = ctypes.CDLL("libdrm_amdgpu.so.1")
GTT, CPU_ACCESS = 2, 1


class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint64), ("alignment", ctypes.c_uint64), ("heap", ctypes.c_uint32), ("flags", ctypes.c_uint64)]


def done(status):
    assert not status, os.strerror(abs(status))


device, major, minor = ctypes.c_void_p(), ctypes.c_uint32(), ctypes.c_uint32()
fd = os.open("/dev/dri/renderD128", os.O_RDWR)
done(drm.amdgpu_device_initialize(fd, ctypes.byref(major), ctypes.byref(minor), ctypes.byref(device)))
words = []
for size in (4096, 8192, 12288):
    handle, at = ctypes.c_void_p(), ctypes.c_void_p()
    done(drm.amdgpu_bo_alloc(device, ctypes.byref(Request(size, 4096, GTT, CPU_ACCESS)), ctypes.byref(handle)))
    done(drm.amdgpu_bo_cpu_map(handle, ctypes.byref(at)))
    words.append(ctypes.cast(at, ctypes.POINTER(ctypes.c_uint32)))
words[0][0] = 7
print(words[0][0], words[2][100])
