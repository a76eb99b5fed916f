#!/usr/bin/python3 -IS
# SPDX-License-Identifier: MIT
"""The compiler of kernels for the tests, which compile the same few hundred times: what clang makes of a kernel is kept in
the build folder, and the same call of clang gets it again.

The tests have it as BREAKWATER_CLANG, under the name of clang itself (tests/meson.build); BREAKWATER_TEST_CLANG is that
clang, and BREAKWATER_BUILD the build folder. A call is the same when its words, the folder, the compiler, and the files
that the words name are the same; a session's temporary folder may be another. Kept is what clang makes without a word.
Everything else is left to clang itself: a kernel that includes a file, and calls of others than src/compile/clang.c."""
import os
import re
import signal
import sys
import zlib

CONTENT_MAX_B = 1 << 20  # of larger files, such as the device library's, size and time are looked at
READS_MORE = re.compile(rb"^\s*(#\s*(include|embed)|\.(include|incbin))\b|__(DATE|TIME|TIMESTAMP)__", re.M)
MAKES_MORE = re.compile(r"-save-temps|-M|-ftime|-gsplit-dwarf|-o.|-E$|@|--config|-fproc-stat")


def key_of(clang, words):
    """A name for the call, or None: it is none that can be kept."""
    if len(words) < 3 or words[-2] != "-o" or any(MAKES_MORE.match(w) for w in words):
        return None
    folder = os.path.dirname(words[-1])
    if not os.path.basename(folder).startswith("breakwater-run-"):
        return None
    compiler = os.stat(clang)
    parts = [os.getcwd(), clang, f"{compiler.st_size} {compiler.st_mtime_ns}"]
    for word in words[:-1]:
        parts.append(word.replace(folder, "@"))  # the temporary folder of a session
        try:
            found = os.stat(word)
        except OSError:
            continue
        if os.path.isdir(word):
            continue
        if found.st_size > CONTENT_MAX_B:
            parts.append(f"{found.st_size} {found.st_mtime_ns}")
            continue
        with open(word, "rb") as f:
            content = f.read()
        if READS_MORE.search(content):
            return None
        parts.append(content.hex())
    text = "\0".join(parts).encode()
    return f"{len(text):x}-{zlib.crc32(text):08x}-{zlib.adler32(text):08x}", text


def copy(source, target):
    """By way of a name of its own, so that nobody finds a part of it."""
    made = f"{target}.{os.getpid()}"
    with open(source, "rb") as f:
        content = f.read()
    mode = os.stat(source).st_mode & 0o777
    fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with open(fd, "wb") as f:
        f.write(content)
    os.rename(made, target)


def run(clang, words, out):
    """The status of clang, whose words go to the file `out`."""
    fd = os.open(out, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    child = os.posix_spawn(clang, [sys.argv[0], *words], os.environ,
                           file_actions=[(os.POSIX_SPAWN_DUP2, fd, 1), (os.POSIX_SPAWN_DUP2, fd, 2)])
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    _, status = os.waitpid(child, 0)
    said = os.pread(fd, CONTENT_MAX_B, 0)
    os.close(fd)
    os.unlink(out)
    os.write(2, said)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.WEXITSTATUS(status), said


def main():
    clang, words = os.environ["BREAKWATER_TEST_CLANG"], sys.argv[1:]
    key = key_of(clang, words)
    if not key:
        os.execv(clang, [sys.argv[0], *words])
    cache = os.path.join(os.environ["BREAKWATER_BUILD"], "tests/kernel-cache")
    os.makedirs(cache, exist_ok=True)
    kept = os.path.join(cache, key[0])
    try:
        # the whole key is kept beside it, so that two calls of one name are told apart
        with open(kept + ".key", "rb") as f:
            same = f.read() == key[1]
        if same:
            copy(kept, words[-1])
            return 0
    except OSError:
        pass
    status, said = run(clang, words, words[-1] + ".said")
    if status == 0 and not said and not os.path.exists(kept + ".key"):
        copy(words[-1], kept)
        with open(f"{kept}.key.{os.getpid()}", "wb") as f:
            f.write(key[1])
        os.rename(f"{kept}.key.{os.getpid()}", kept + ".key")
    return status


if __name__ == "__main__":
    sys.exit(main())
