# SPDX-License-Identifier: MIT
"""AMDGPU_INFO: every query and every one of its choices."""
import os

from call import IN, INFO, NOWHERE, drm, ioctl, memory, peek, render, say
import struct

HW_IP_INFO, HW_IP_COUNT, FW_VERSION, READ_MMR, VBIOS, NUM_HANDLES, SENSOR, VIDEO_CAPS = 2, 3, 0xe, 0x15, 0x1b, 0x1c, 0x1d, 0x21


def ask(fd, what, query, *choice, size=16):
    choice = (*choice, 0, 0, 0, 0)[:4]
    at = memory(size)
    err, _ = ioctl(fd, "d", INFO, IN, struct.pack("<QIIIIII", at, size, query, *choice))
    say(what, err, peek(at, size) if not err else b"")


def queries():
    fd = render()
    for query in range(0x40):
        if query in (5, 0x1b, 0x1a):  # time; text; VCE_CLOCK_TABLE, which takes 6.12 down where it has no powerplay
            continue
        for size in (0, 1, 4, 1024):
            ask(fd, f"INFO {query:#x} size {size}", query, size=size)
    drm("INFO nowhere", fd, INFO, "QIIIIII", NOWHERE, 4, 0, 0, 0, 0, 0, direction=IN)
    drm("INFO null", fd, INFO, "QIIIIII", 0, 4, 0, 0, 0, 0, 0, direction=IN)
    for query in (0x40, 0x100, 0xffffffff):
        ask(fd, f"INFO {query:#x}", query)
    os.close(fd)


def choices():
    fd = render()
    for kind in range(12):
        for instance in (0, 1, 2, 4, 7, 0xffffffff):
            ask(fd, f"HW_IP_INFO type {kind} instance {instance:#x}", HW_IP_INFO, kind, instance, size=40)
        ask(fd, f"HW_IP_COUNT type {kind}", HW_IP_COUNT, kind)
        ask(fd, f"NUM_HANDLES type {kind}", NUM_HANDLES, kind)
    for kind in range(0x20):
        for index in (0, 1, 2, 3, 5):
            ask(fd, f"FW_VERSION {kind:#x} index {index}", FW_VERSION, kind, 0, index)
        ask(fd, f"FW_VERSION {kind:#x} instance 1", FW_VERSION, kind, 1, 0)
    for kind in range(0x10):
        ask(fd, f"SENSOR {kind}", SENSOR, kind)
    for kind in range(5):
        ask(fd, f"VIDEO_CAPS {kind}", VIDEO_CAPS, kind, size=256)
    for kind in (0, 1, 4):
        ask(fd, f"VBIOS {kind}", VBIOS, kind, size=4)
    for offset in (0, 0x100, 0x8000, 0xffffffff):
        ask(fd, f"VBIOS image from {offset:#x}", VBIOS, 2, offset, size=16)
    os.close(fd)


def registers():
    fd = render()
    # GRBM_STATUS, GB_ADDR_CONFIG, SDMA0_STATUS_REG, CP_STAT of gfx11 and some that nobody may read (dwords)
    for address in (0x0da4, 0x0da2, 0x13de, 0x1260 + 0x25, 0x0f40, 0, 0x1234, 0x2040, 0xffffffff):
        for instance in (0xffffffff, 0, 0xffff, 0xff00, 3, 4, 0x0100, 0x0200, 0x00ff, 6):
            ask(fd, f"READ_MMR {address:#x} instance {instance:#x}", READ_MMR, address, 1, instance)
        for count in (0, 2, 128, 129, 0x1000):
            ask(fd, f"READ_MMR {address:#x} count {count}", READ_MMR, address, count, 0xffffffff)
        ask(fd, f"READ_MMR {address:#x} flags", READ_MMR, address, 1, 0xffffffff, 1)
    os.close(fd)


ALL = (queries, choices, registers)
