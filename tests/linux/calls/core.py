# SPDX-License-Identifier: MIT
"""The DRM core: every number on both nodes, versions, capabilities, magics."""
import os
import struct

from call import AUTH_MAGIC, CARD, GET_CAP, INOUT, IN, OUT, RENDER, SET_CLIENT_CAP, card, drm, ioctl, memory, peek, render, say


def every_number():
    """All ioctl numbers with an argument of zeros, with none, and with one larger than any."""
    for path in (RENDER, CARD):
        for nr in range(256):
            for size in (0, 64, 1024):
                fd = os.open(path, os.O_RDWR)
                err, out = ioctl(fd, "d", nr, INOUT, bytes(size))
                if size == 64 and nr in (5, 0xc6):  # process numbers, descriptors
                    out = b""
                say(f"{path[9:]} {nr:#x} size {size}", err, out if size == 64 else b"")
                os.close(fd)
    fd = render()
    for kind in ("D", "b", ">", "T"):
        for direction in (0, IN, OUT, INOUT):
            say(f"type {kind} direction {direction}", ioctl(fd, kind, 0, direction, bytes(64) if direction else b"")[0])
    for direction in (0, IN, OUT):
        for nr in (0, 0x0c, 0x40, 0x42, 0x45, 0xbf, 0xc3):
            err, out = ioctl(fd, "d", nr, direction, bytes(64))
            say(f"{nr:#x} direction {direction}", err, out)
    os.close(fd)


def versions():
    for path in (RENDER, CARD):
        fd = os.open(path, os.O_RDWR)
        for room in (0, 3, 64):
            texts = [memory(64) for _ in range(3)]
            drm(f"VERSION {path[9:]} room {room}", fd, 0, "iiiIQQQQQQ", 0, 0, 0, 0, room, texts[0], room, texts[1], room, texts[2])
            for at in texts:
                say("VERSION text", 0, peek(at, 64))
        drm(f"VERSION {path[9:]} nowhere", fd, 0, "iiiIQQQQQQ", 0, 0, 0, 0, 9, 0x100000000, 0, 0, 0, 0)
        for room in (0, 5, 64):
            at = memory(64)
            drm(f"GET_UNIQUE {path[9:]} room {room}", fd, 1, "QQ", room, at)
            say("GET_UNIQUE text", 0, peek(at, 64))
        for which in range(0x20):
            drm(f"GET_CAP {path[9:]} {which:#x}", fd, GET_CAP, "QQ", which, 0)
        for which in range(9):
            for value in (0, 1, 2, 9):
                drm(f"SET_CLIENT_CAP {path[9:]} {which} {value}", fd, SET_CLIENT_CAP, "QQ", which, value, direction=IN)
        for version in ((-1, -1, -1, -1), (1, 4, -1, -1), (1, 5, -1, -1), (2, 0, -1, -1), (1, 1, 3, 0), (1, 1, 3, 99), (1, 1, 4, 0)):
            drm(f"SET_VERSION {path[9:]} {version}", fd, 7, "iiii", *version)
        os.close(fd)


def magics():
    master, second, node = card(), card(), render()
    for what, fd in (("render", node), ("master", master), ("second", second)):
        drm(f"GET_CLIENT {what}", fd, 5, "iiQQQQ", 0, 0, 0, 0, 0, 0, hide=(2, 3))
        drm(f"GET_CLIENT {what} 1", fd, 5, "iiQQQQ", 1, 0, 0, 0, 0, 0)
    err, out = ioctl(second, "d", 2, OUT, bytes(4))
    say("GET_MAGIC second", err)
    magic = struct.unpack("<I", out)[0]
    err, out = ioctl(second, "d", 2, OUT, bytes(4))
    say("GET_MAGIC second again", err or int(struct.unpack("<I", out)[0] != magic))
    say("GET_MAGIC render", ioctl(node, "d", 2, OUT, bytes(4))[0])
    for what, fd in (("render", node), ("second", second), ("master", master), ("master", master)):
        drm(f"AUTH_MAGIC of the second by {what}", fd, AUTH_MAGIC, "I", magic, direction=IN)
    for value in (0, 0x7fffffff, 0xffffffff):
        drm(f"AUTH_MAGIC {value:#x}", master, AUTH_MAGIC, "I", value, direction=IN)
    drm("GET_CLIENT second, authenticated", second, 5, "iiQQQQ", 0, 0, 0, 0, 0, 0, hide=(2, 3))
    for what, fd in (("second", second), ("master", master), ("master", master), ("second", second), ("render", node)):
        say(f"DROP_MASTER {what}", ioctl(fd, "d", 0x1f, 0, b"")[0])
        say(f"SET_MASTER {what}", ioctl(fd, "d", 0x1e, 0, b"")[0])
    for fd in (master, second, node):
        os.close(fd)


ALL = (every_number, versions, magics)
