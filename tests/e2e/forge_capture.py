# SPDX-License-Identifier: MIT
"""Captures (doc/capture.md) with other words in them than Breakwater writes: blocks with right checks, whatever they say."""
import ctypes
import struct

PAGES, SUBMISSION, RESULT = 2, 3, 4
HEAD = struct.Struct("<IIQIIQQQ")
MASK = (1 << 64) - 1
PRIMES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)  # src/capture/hash.c
COUNTED = (24, 8, 40, 32, 32, 424)  # bytes of a buffer, a buffer that has gone, a mapping, a run of pages, an IB, a dispatch
NAMES = {"pipeline": 48, "label": 112, "module": 184, "entry": 248, "file": 312}  # where a dispatch has them, of 64 bytes each


def fold(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


def check_of(data):
    h, words = PRIMES[0] ^ len(data), len(data) // 8
    for word, in struct.iter_unpack("<Q", data[:words * 8]):
        h = (fold(h ^ word ^ PRIMES[1], PRIMES[2]) + word) & MASK
    return fold(h ^ int.from_bytes(data[words * 8:], "little") ^ PRIMES[3], PRIMES[2])


def zstd(name, data, room):
    library = ctypes.CDLL("libzstd.so.1")
    function = getattr(library, name)
    function.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(room)
    more = [ctypes.c_int(1)] if name == "ZSTD_compress" else []
    n = function(out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), *more)
    assert n <= room, name
    return out.raw[:n]


class Block:
    def __init__(self, data, at):
        _, self.kind, _, summary_b, _, stored_b, raw_b, self.first = HEAD.unpack_from(data, at)
        body = at + HEAD.size + summary_b
        self.summary = data[at + HEAD.size:body]
        self.stored, self.raw_b = data[body:body + stored_b], raw_b
        self.end = body + stored_b

    def body(self):
        return zstd("ZSTD_decompress", self.stored, self.raw_b)

    def set_body(self, body):
        self.stored, self.raw_b = zstd("ZSTD_compress", body, len(body) + len(body) // 64 + 512), len(body)

    def data(self):
        tail = struct.pack("<IIQQQ", len(self.summary), 0, len(self.stored), self.raw_b, self.first) + self.summary
        return struct.pack("<IIQ", 0x42435742, self.kind, check_of(tail)) + tail + self.stored


class Forged:
    def __init__(self, path):
        data = path.read_bytes()
        self.head, self.blocks, at = data[:16], [], 16
        while at < len(data):
            self.blocks.append(Block(data, at))
            at = self.blocks[-1].end

    def of(self, kind):
        return [b for b in self.blocks if b.kind == kind]

    def write(self, path):
        path.write_bytes(self.head + b"".join(b.data() for b in self.blocks))


class Record:
    """The body of a submission: its lists, each as one string of bytes."""
    def __init__(self, body):
        self.start, self.lists, at = body[:24], [], 24
        for size_b in COUNTED:
            n, = struct.unpack_from("<Q", body, at)
            self.lists.append(bytearray(body[at + 8:at + 8 + n * size_b]))
            at += 8 + n * size_b
        self.rest = body[at:]

    def body(self):
        return self.start + b"".join(struct.pack("<Q", len(x) // size_b) + bytes(x) for x, size_b in zip(self.lists, COUNTED)) + self.rest

    def name(self, which, text):
        """Of the first dispatch."""
        at = NAMES[which]
        self.lists[5][at:at + 64] = text.encode()[:63].ljust(64, b"\0")
