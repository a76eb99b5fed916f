# SPDX-License-Identifier: MIT
"""The nodes as files: descriptors that are inherited, sent, opened again, compared."""
import array
import mmap
import os
import select
import socket
import stat
import struct

from call import CARD, CTX, GEM_MMAP, RENDER, attempt, buffer, drm, ioctl, quiet, render, say


def shown(s):
    return f"{s.st_mode:o} {os.major(s.st_rdev)}:{os.minor(s.st_rdev)} {s.st_size} {s.st_nlink}"


def nodes():
    for path in (RENDER, CARD):
        node = path[9:]
        os.chmod(path, 0o666)  # where no udev has done it
        fd = os.open(path, os.O_RDWR)
        attempt(f"{node} stat", lambda: os.stat(path), shown)
        attempt(f"{node} fstat", lambda: os.fstat(fd), shown)
        a, b = os.stat(path), os.fstat(fd)
        for field in ("st_dev", "st_ino", "st_uid", "st_gid", "st_mode", "st_rdev", "st_nlink", "st_blksize", "st_mtime_ns"):
            print(f"{node} {field} of stat and fstat: {'the same' if getattr(a, field) == getattr(b, field) else 'another'}")
        link = f"/proc/self/fd/{fd}"
        attempt(f"{node} link", lambda: os.readlink(link))
        print(f"{node} link is", "the node" if os.readlink(link) == path else "another")
        attempt(f"{node} stat of the link", lambda: os.stat(link), shown)
        again = attempt(f"{node} opened again", lambda: os.open(link, os.O_RDWR))
        if again is not None:
            say(f"{node} opened again, VERSION", ioctl(again, "d", 0, 3, bytes(64))[0])
            drm(f"{node} opened again, its first context", again, CTX, "IIIi", 1, 0, 0, 0)
            os.close(again)
        for folder in ("/proc/thread-self", f"/proc/{os.getpid()}"):
            again = attempt(f"{node} opened by another name", lambda: os.open(f"{folder}/fd/{fd}", os.O_RDWR))
            if again is not None:
                say(f"{node} opened by another name, VERSION", ioctl(again, "d", 0, 3, bytes(64))[0])
                os.close(again)
        for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_EXCL, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_TRUNC, os.O_RDWR | os.O_DIRECTORY,
                      os.O_RDWR | os.O_NOFOLLOW, os.O_PATH, os.O_RDWR | os.O_APPEND, os.O_RDWR | os.O_CREAT | os.O_EXCL):
            got = attempt(f"{node} open {flags:#x}", lambda: os.open(path, flags), lambda v: "")
            if got is not None:
                say(f"{node} open {flags:#x}, VERSION", ioctl(got, "d", 0, 3, bytes(64))[0])
                os.close(got)
        attempt(f"{node} read", lambda: select.select([fd], [], [], 0)[0] and os.read(fd, 8))
        attempt(f"{node} write", lambda: os.write(fd, b"12345678"))
        attempt(f"{node} lseek", lambda: os.lseek(fd, 0, 0), str)
        attempt(f"{node} ftruncate", lambda: os.ftruncate(fd, 0))
        attempt(f"{node} fsync", lambda: os.fsync(fd))
        poll = select.poll()
        poll.register(fd, 0xfff)
        attempt(f"{node} poll", lambda: poll.poll(0), lambda v: " ".join(f"{e:#x}" for _, e in v))
        attempt(f"{node} mmap at 0", lambda: mmap.mmap(fd, 4096, offset=0))
        attempt(f"{node} mmap at a place of no buffer", lambda: mmap.mmap(fd, 4096, offset=1 << 40))
        attempt(f"{node} chmod", lambda: os.chmod(path, 0o600))
        print(f"{node} mode after chmod: {os.stat(path).st_mode:o} {os.fstat(fd).st_mode:o}")
        attempt(f"{node} fchmod", lambda: os.fchmod(fd, 0o640))
        print(f"{node} mode after fchmod: {os.stat(path).st_mode:o} {os.fstat(fd).st_mode:o}")
        attempt(f"{node} chown", lambda: os.chown(path, os.getuid(), os.getgid()))
        attempt(f"{node} access", lambda: os.access(path, os.R_OK | os.W_OK), str)
        attempt(f"{node} chmod back", lambda: os.chmod(path, a.st_mode & 0o777))
        os.close(fd)
        say(f"{node} closed", ioctl(fd, "d", 0, 3, bytes(64))[0])


def mappings():
    fd = render()
    bo = buffer(fd, 8192)
    at = struct.unpack("<Q", struct.pack("<II", *quiet(fd, GEM_MMAP, "II", bo, 0)))[0]
    for size in (1, 4096, 8192, 12288):
        for offset in (0, 4096, 8192):
            attempt(f"mmap {size} from {offset}", lambda: mmap.mmap(fd, size, offset=at + offset).close())
    for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
        for prot in (0, 1, 2, 3, 4, 5):
            attempt(f"mmap flags {flags} protection {prot}", lambda: mmap.mmap(fd, 4096, flags, prot, offset=at).close())
    second = render()
    attempt("mmap of another file's buffer", lambda: mmap.mmap(second, 4096, offset=at).close())
    os.close(second)
    os.close(fd)


def in_child(what, fd, function):
    """function in a fork; what it says is said."""
    pid = os.fork()
    if not pid:
        try:
            function()
            ok = 0
        except OSError as e:
            print(f"{what}: raised {e.errno}", flush=True)
            ok = 1
        os._exit(ok)
    print(f"{what}: status {os.waitpid(pid, 0)[1]}", flush=True)


def inherited():
    fd = render()

    def as_is():
        drm("child: context", fd, CTX, "IIIi", 1, 0, 0, 0)

    def as_another():
        os.setgid(65534)
        os.setuid(65534)
        drm("child with another user: context", fd, CTX, "IIIi", 1, 0, 0, 0)
        bo = buffer(fd)
        at = struct.unpack("<Q", struct.pack("<II", *quiet(fd, GEM_MMAP, "II", bo, 0)))[0]
        attempt("child with another user: mmap", lambda: mmap.mmap(fd, 4096, offset=at).close())

    drm("parent: context", fd, CTX, "IIIi", 1, 0, 0, 0)
    in_child("child", fd, as_is)
    if os.getuid() == 0:
        in_child("child with another user", fd, as_another)
    drm("parent: context afterwards", fd, CTX, "IIIi", 1, 0, 0, 0)
    copy = os.dup(fd)
    os.close(fd)
    drm("copy: context", copy, CTX, "IIIi", 1, 0, 0, 0)
    os.close(copy)


def sent():
    one, two = socket.socketpair(socket.AF_UNIX)
    fd = render()
    one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
    _, ancillary, _, _ = two.recvmsg(1, socket.CMSG_SPACE(4))
    got = array.array("i", ancillary[0][2][:4])[0]
    os.close(fd)
    drm("sent to itself: context", got, CTX, "IIIi", 1, 0, 0, 0)
    os.close(got)


ALL = (nodes, mappings, inherited, sent)
