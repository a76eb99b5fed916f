# SPDX-License-Identifier: MIT
"""Syncobjs, and the sync_files and eventfds that they become."""
import os
import select
import struct

from call import (IN, INOUT, NOWHERE, SYNCOBJ_CREATE, SYNCOBJ_DESTROY, SYNCOBJ_EVENTFD, SYNCOBJ_FROM_FD, SYNCOBJ_QUERY, SYNCOBJ_RESET, SYNCOBJ_SIGNAL,
                  SYNCOBJ_TO_FD, SYNCOBJ_TRANSFER, SYNCOBJ_WAIT, TIMELINE_SIGNAL, TIMELINE_WAIT, attempt, drm, ioctl, memory, other, peek, quiet, render, say)
from gem import info
from work import SYNC_OUT, TIMELINE_SIGNAL as CHUNK_SIGNAL, chunk, ib, prepared, submit

FOREVER = (1 << 63) - 1


def create(fd, flags=0):
    return quiet(fd, SYNCOBJ_CREATE, "II", 0, flags)[0]


def array(kind, values):
    return memory(struct.pack(f"<{len(values)}{kind}", *values) or 8)


def objects():
    fd = render()
    for flags in range(5):
        drm(f"SYNCOBJ_CREATE {flags}", fd, SYNCOBJ_CREATE, "II", 0, flags)
    for handle in (0, 2, 2, 99):
        for pad in (1, 0):
            drm(f"SYNCOBJ_DESTROY {handle} pad {pad}", fd, SYNCOBJ_DESTROY, "II", handle, pad)
    idle, done = create(fd), create(fd, 1)
    for which, handle in (("idle", idle), ("done", done), ("0", 0), ("99", 99)):
        for flags in range(5):
            for pad in (0, 1):
                got = drm(f"SYNCOBJ_TO_FD {which} flags {flags} pad {pad}", fd, SYNCOBJ_TO_FD, "IIiI", handle, flags, -1, pad, hide=(2,))
                if not got:
                    continue
                made = got[2]
                if flags == 1:
                    info(f"syncobj {which}", made)
                for into in (0, idle, 99):
                    for how in range(5):
                        if into == idle and how & 1 or not into or into == 99:
                            drm(f"SYNCOBJ_FROM_FD into {into} flags {how}", fd, SYNCOBJ_FROM_FD, "IIiI", into, how, made, 0, hide=(2,))
                drm("SYNCOBJ_FROM_FD pad", fd, SYNCOBJ_FROM_FD, "IIiI", 0, 0, made, 1, hide=(2,))
                attempt("syncobj descriptor fstat", lambda: os.fstat(made), lambda s: f"{s.st_size} {s.st_mode:o}")
                attempt("syncobj descriptor read", lambda: os.read(made, 8))
                attempt("syncobj descriptor poll", lambda: polled(made), str)
                os.close(made)
                quiet(fd, SYNCOBJ_RESET, "QII", array("I", [idle]), 1, 0)
    for number in (fd, 999, -1):
        for how in (0, 1):
            drm(f"SYNCOBJ_FROM_FD of {'a node' if number == fd else number} flags {how}", fd, SYNCOBJ_FROM_FD, "IIiI", idle, how, number, 0, hide=(2,))
    os.close(fd)


def polled(fd, events=select.POLLIN):
    poll = select.poll()
    poll.register(fd, events)
    return [f"{e:#x}" for _, e in poll.poll(0)]


def resetting():
    fd = render()
    a, b, done = create(fd), create(fd), create(fd, 1)
    for nr, what in ((SYNCOBJ_RESET, "RESET"), (SYNCOBJ_SIGNAL, "SIGNAL")):
        for handles in ([a], [a, b], [a, 99], [0], []):
            for pad in (0, 1):
                drm(f"{what} {handles} pad {pad}", fd, nr, "QII", array("I", handles), len(handles), pad)
        drm(f"{what} nowhere", fd, nr, "QII", NOWHERE, 1, 0)
        drm(f"{what} absurd", fd, nr, "QII", array("I", [a]), 0xffffffff, 0)
    for handles, points in (([a], [1]), ([a, b], [5, 6]), ([a], [3]), ([a], [0]), ([99], [1]), ([], [])):
        for flags in (0, 1, 2):
            drm(f"TIMELINE_SIGNAL {handles} {points} {flags}", fd, TIMELINE_SIGNAL, "QQII", array("I", handles), array("Q", points), len(handles), flags)
            at = array("Q", [77] * (len(handles) or 1))
            for how in (0, 1, 2):
                drm(f"QUERY {handles} {how}", fd, SYNCOBJ_QUERY, "QQII", array("I", handles), at, len(handles), how)
                say("QUERY points", 0, peek(at, 8 * len(handles)))
    drm("TIMELINE_SIGNAL nowhere", fd, TIMELINE_SIGNAL, "QQII", array("I", [a]), NOWHERE, 1, 0)
    drm("TIMELINE_SIGNAL null", fd, TIMELINE_SIGNAL, "QQII", array("I", [a]), 0, 1, 0)
    drm("QUERY nowhere", fd, SYNCOBJ_QUERY, "QQII", array("I", [a]), NOWHERE, 1, 0)
    for handle in (done, 99):
        at = array("Q", [77])
        drm(f"QUERY {handle}", fd, SYNCOBJ_QUERY, "QQII", array("I", [handle]), at, 1, 0)
        say("QUERY points", 0, peek(at, 8))
    os.close(fd)


def waits():
    fd = render()
    idle, done, line = create(fd), create(fd, 1), create(fd)
    quiet(fd, TIMELINE_SIGNAL, "QQII", array("I", [line]), array("Q", [4]), 1, 0)
    sets = ([idle], [done], [done, idle], [idle, done], [line], [99], [0], [], [done, 99], [idle, idle])
    for handles in sets:
        for flags in (0, 1, 2, 3, 4, 7, 8, 9, 16):
            for timeout in (0, 1, -1):
                drm(f"WAIT {handles} flags {flags} timeout {timeout}", fd, SYNCOBJ_WAIT, "QqIIII", array("I", handles), timeout, len(handles), flags, 0, 0)
                for point in (0, 3, 4, 5):
                    drm(f"TIMELINE_WAIT {handles} point {point} flags {flags} timeout {timeout}", fd, TIMELINE_WAIT, "QQqIIII", array("I", handles),
                        array("Q", [point] * len(handles)), timeout, len(handles), flags, 0, 0)
    drm("WAIT with a deadline", fd, SYNCOBJ_WAIT, "QqIIIIQ", array("I", [done]), 0, 1, 8, 0, 0, 5)
    drm("WAIT pad", fd, SYNCOBJ_WAIT, "QqIIII", array("I", [done]), 0, 1, 0, 0, 1)
    drm("WAIT nowhere", fd, SYNCOBJ_WAIT, "QqIIII", NOWHERE, 0, 1, 0, 0, 0)
    drm("TIMELINE_WAIT points nowhere", fd, TIMELINE_WAIT, "QQqIIII", array("I", [done]), NOWHERE, 0, 1, 0, 0, 0)
    drm("WAIT absurd", fd, SYNCOBJ_WAIT, "QqIIII", array("I", [done]), 0, 0xffffffff, 0, 0, 0)
    os.close(fd)


def transfers():
    fd = render()
    for target_point in (0, 2, 7):
        for source_point in (0, 1, 4, 9):
            for source in ("idle", "done", "line", "0", "99"):
                for flags in (0, 1, 2, 3):
                    if flags & 2 and (source in ("idle", "line") or source_point):
                        continue  # would wait for 5 seconds
                    handles = {"idle": create(fd), "done": create(fd, 1), "line": create(fd), "0": 0, "99": 0x7ffffff}
                    quiet(fd, TIMELINE_SIGNAL, "QQII", array("I", [handles["line"]]), array("Q", [4]), 1, 0)
                    into = create(fd)
                    drm(f"TRANSFER {source} point {source_point} to point {target_point} flags {flags}", fd, SYNCOBJ_TRANSFER, "IIQQII", handles[source], into,
                        source_point, target_point, flags, 0)
                    at = array("Q", [77])
                    drm("QUERY", fd, SYNCOBJ_QUERY, "QQII", array("I", [into]), at, 1, 0)
                    say("QUERY points", 0, peek(at, 8))
                    for handle in (into, handles["idle"], handles["done"], handles["line"]):
                        quiet(fd, SYNCOBJ_DESTROY, "II", handle, 0)
    one = create(fd, 1)
    drm("TRANSFER pad", fd, SYNCOBJ_TRANSFER, "IIQQII", one, one, 0, 0, 0, 1)
    drm("TRANSFER to 0", fd, SYNCOBJ_TRANSFER, "IIQQII", one, 0, 0, 0, 0, 0)
    drm("TRANSFER to itself", fd, SYNCOBJ_TRANSFER, "IIQQII", one, one, 0, 0, 0, 0)
    os.close(fd)


def events():
    fd = render()
    idle, done = create(fd), create(fd, 1)
    event = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
    for which, handle in (("idle", idle), ("done", done), ("0", 0), ("99", 99)):
        for flags in (0, 1, 2, 3, 4, 8):
            for point in (0, 1, 5):
                got = drm(f"EVENTFD {which} flags {flags} point {point}", fd, SYNCOBJ_EVENTFD, "IIQiI", handle, flags, point, event, 0, hide=(3,))
                if got and which == "done" and not point:
                    select.select([event], [], [])  # raised sooner or later
                attempt("eventfd", lambda: os.eventfd_read(event), str)
    for number in (fd, 999, -1):
        drm(f"EVENTFD of {'a node' if number == fd else number}", fd, SYNCOBJ_EVENTFD, "IIQiI", done, 0, 0, number, 0, hide=(3,))
    drm("EVENTFD pad", fd, SYNCOBJ_EVENTFD, "IIQiI", done, 0, 0, event, 1, hide=(3,))
    quiet(fd, SYNCOBJ_SIGNAL, "QII", array("I", [idle]), 1, 0)
    raised = 0
    while raised < 2:  # one for each call that waits
        select.select([event], [], [])
        raised += os.eventfd_read(event)
    print(f"eventfd after SIGNAL: ok {raised}")
    os.close(event)
    os.close(fd)


def file_of(fd, handle):
    return quiet(fd, SYNCOBJ_TO_FD, "IIiI", handle, 1, -1, 0)[2]


def sync_files():
    fd, code, ctx = prepared()
    objects = [create(fd) for _ in range(3)]
    for i, handle in enumerate(objects):
        submit(fd, f"for syncobj {i}", ctx, [ib(min(i, 1), i // 2), chunk(SYNC_OUT, struct.pack("<I", handle))])
    quiet(fd, SYNCOBJ_WAIT, "QqIIII", array("I", objects), FOREVER, 3, 1, 0, 0)
    files = [file_of(fd, h) for h in objects]
    for i, made in enumerate(files):
        attempt(f"sync_file {i} fstat", lambda: os.fstat(made), lambda s: f"{s.st_size} {s.st_mode:o}")
        attempt(f"sync_file {i} poll", lambda: polled(made, 0xfff), str)
        info(f"sync_file {i}", made)
        attempt(f"sync_file {i} read", lambda: os.read(made, 4))
        attempt(f"sync_file {i} lseek", lambda: os.lseek(made, 0, 0), str)
        other("SET_DEADLINE", made, ">", 5, IN, "QQ", 1, 0)
        other("SET_DEADLINE pad", made, ">", 5, IN, "QQ", 1, 1)
    for what, one, two in (("0 and 1", files[0], files[1]), ("0 and 0", files[0], files[0]), ("1 and 2", files[1], files[2]), ("0 and a node", files[0], fd),
                           ("0 and nothing", files[0], 999)):
        for flags, pad in ((0, 0), (1, 0), (0, 1)):
            got = other(f"MERGE {what} flags {flags} pad {pad}", one, ">", 3, INOUT, "32siiII", b"merged", two, -1, flags, pad, hide=(1, 2))
            if got:
                info(f"merged {what}", got[2])
                for other_one in files[:2]:
                    again = other(f"MERGE merged {what} once more", got[2], ">", 3, INOUT, "32siiII", b"m" * 32, other_one, -1, 0, 0, hide=(1, 2))
                    info(f"merged {what} once more", again[2])
                    os.close(again[2])
                os.close(got[2])
    for nr in range(8):
        for direction in (0, IN, INOUT):
            say(f"sync_file ioctl {nr} direction {direction} of 16 bytes", ioctl(files[0], ">", nr, direction, bytes(16))[0])
    other("FILE_INFO flags", files[0], ">", 4, INOUT, "32siIIIQ", b"", 0, 1, 0, 0, 0)
    other("FILE_INFO pad", files[0], ">", 4, INOUT, "32siIIIQ", b"", 0, 0, 0, 1, 0)
    other("FILE_INFO nowhere", files[0], ">", 4, INOUT, "32siIIIQ", b"", 0, 0, 1, 0, NOWHERE)
    os.close(fd)


ALL = (objects, resetting, waits, transfers, events, sync_files)
