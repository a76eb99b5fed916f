#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OpenCL programs as others write them (kernels/digest.cl, kernels/numeric.cl), unchanged: what they
make is what the same algorithm, or Python's library, makes on the CPU."""
import cmath
import hashlib
import math
import pathlib
import random
import struct
import tempfile

from harness import KERNELS, check, equal, main, run

OPTIONS = ["-O0"], ["-O2"], ["-O3", "--wave64"]


def run_kernel(source, kernel, options, args, buffers, out):
    """args: NAME=VALUE; buffers: name to bytes; the bytes of buffer `out` afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        words = [a for text in args for a in ("--arg", text)]
        for name, data in buffers.items():
            (folder / name).write_bytes(data)
            words += ["--arg", f"{name}=file:{folder}/{name}:u8"]
        run(KERNELS / source, *options, "--kernel", kernel, *words, "--dump", f"{out}={folder}/result")
        return (folder / "result").read_bytes()


def digests():
    rng = random.Random(3)
    texts = [rng.randbytes(n) for n in (0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 200)]
    messages, at = b"", 0
    for text in texts:
        messages += struct.pack("II", at, len(text))
        at += len(text)
    expected = b"".join(hashlib.sha256(t).digest() for t in texts)
    for options in OPTIONS:
        out = run_kernel("digest.cl", "digest_all", [*options, "--grid", 64, "--group", 32], [f"n={len(texts)}"],
                         {"data": b"".join(texts), "messages": messages, "digests": bytes(len(expected))}, "digests")
        words = struct.unpack(f"<{len(out) // 4}I", out)
        equal(struct.pack(f">{len(words)}I", *words), expected, f"the digests with {options}")


def search():
    text, tries = b"breakwater", 4
    zeros = 9
    found = [n for n in range(128 * tries)
             if int.from_bytes(hashlib.sha256(text + n.to_bytes(4, "big")).digest(), "big") >> (256 - zeros) == 0]
    check(found, "a search that finds nothing shows nothing")
    for options in OPTIONS[1:]:
        out = run_kernel("digest.cl", "search", [*options, "--grid", 128, "--group", 64],
                         [f"length={len(text)}", f"zeros={zeros}", f"tries={tries}", "best=4"],
                         {"data": text, "result": struct.pack("II32x", 0, 0xffffffff)}, "result")
        equal(struct.unpack_from("II", out), (len({n // (64 * tries) for n in found}), found[0]), f"groups that found one, and the least, with {options}")


def bodies():
    rng = random.Random(4)
    n, dt, gravity = 100, 0.01, 2.0
    state = [[rng.uniform(-1, 1) for _ in range(3)] + [rng.uniform(0.5, 2)] + [rng.uniform(-1, 1) for _ in range(3)] + [0.0]
             for _ in range(n)]
    expected = []
    for b in state:
        force = [0.0] * 3
        for o in state:
            d = [o[k] - b[k] for k in range(3)]
            r2 = sum(x * x for x in d) + 1e-3
            force = [f + x * gravity * o[3] / r2**1.5 for f, x in zip(force, d)]
        velocity = [b[4 + k] + force[k] * dt for k in range(3)]
        expected += [b[k] + velocity[k] * dt for k in range(3)] + [b[3]] + velocity + [0.0]
    data = b"".join(struct.pack("8f", *b) for b in state)
    for options in OPTIONS:
        with tempfile.NamedTemporaryFile() as world:
            world.write(struct.pack("fIf", dt, n, gravity))
            world.flush()
            out = run_kernel("numeric.cl", "nbody", [*options, "--grid", 128, "--group", 64], [f"world=file:{world.name}:u8"],
                             {"in": data, "out": bytes(len(data))}, "out")
        got = struct.unpack(f"{8 * n}f", out)
        wrong = [(i, g, e) for i, (g, e) in enumerate(zip(got, expected)) if not math.isclose(g, e, rel_tol=1e-4, abs_tol=1e-5)]
        check(not wrong, f"bodies with {options}: {wrong[:5]}")


def transform(values):
    """The definition, in the recursive form."""
    n = len(values)
    if n == 1:
        return values
    even, odd = transform(values[::2]), transform(values[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    return [e + t for e, t in zip(even, turned)] + [e - t for e, t in zip(even, turned)]


def fourier():
    rng = random.Random(5)
    bits, rows = 7, 2
    n = 1 << bits
    values = [[complex(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(n)] for _ in range(rows)]
    data = b"".join(struct.pack("2f", v.real, v.imag) for row in values for v in row)
    expected = [v for row in values for v in transform(row)]
    for options in OPTIONS:
        out = run_kernel("numeric.cl", "fft", [*options, "--grid", rows * n // 2, "--group", n // 2], [f"bits={bits}", f"row={n * 8}"],
                         {"in": data, "out": bytes(len(data))}, "out")
        got = struct.unpack(f"{2 * n * rows}f", out)
        off = max(abs(complex(got[2 * i], got[2 * i + 1]) - e) for i, e in enumerate(expected))
        check(off < 1e-4, f"the transform with {options} is off by {off}")


def sorts():
    rng = random.Random(6)
    pairs = [(rng.randrange(-50, 50), i) for i in range(256)]
    data = b"".join(struct.pack("ii", *p) for p in pairs)
    sorted_pairs = sorted(pairs[:128]) + sorted(pairs[128:])
    keys = [rng.getrandbits(32) for _ in range(150)]
    for options in OPTIONS:
        out = run_kernel("numeric.cl", "bitonic", [*options, "--grid", 128, "--group", 64], ["room=1024"], {"pairs": data}, "pairs")
        equal(list(struct.iter_unpack("ii", out)), sorted_pairs, f"pairs sorted with {options}")
        out = run_kernel("numeric.cl", "radix_sort", [*options, "--grid", 64], [f"n={len(keys)}"],
                         {"keys": struct.pack("150I", *keys), "other": bytes(600)}, "keys")
        equal(list(struct.unpack("150I", out)), sorted(keys), f"keys sorted with {options}")


if __name__ == "__main__":
    main(digests, search, bodies, fourier, sorts)
