# SPDX-License-Identifier: MIT
"""Reads PNG files: 8 or 16 bits of grey, RGB or RGBA, not interlaced (the PNG specification, sections 9 and 11)."""
import struct
import zlib


def unfilter(kind, row, above, step):
    out = bytearray(row)
    for i in range(len(out)):
        left = out[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            out[i] = (out[i] + left) & 255
        elif kind == 2:
            out[i] = (out[i] + up) & 255
        elif kind == 3:
            out[i] = (out[i] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            out[i] = (out[i] + nearest[2]) & 255
    return bytes(out)


def read(path):
    """(width, height, bits, rows of pixels as tuples)"""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at, packed, header = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body), kind
        at += 12 + size
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
    width, height, bits, color, compression, filters, interlace = header
    assert (compression, filters, interlace) == (0, 0, 0) and bits in (8, 16), header
    channels = {0: 1, 2: 3, 6: 4}[color]
    raw, step = zlib.decompress(packed), channels * bits // 8
    rows, above = [], bytes(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        above = unfilter(raw[start], raw[start + 1:start + 1 + width * step], above, step)
        values = struct.unpack(f">{width * channels}{'B' if bits == 8 else 'H'}", above)
        rows.append([values[x * channels:(x + 1) * channels] for x in range(width)])
    assert len(raw) == height * (width * step + 1), "rows"
    return width, height, bits, rows
