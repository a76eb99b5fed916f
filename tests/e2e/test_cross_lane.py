#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HIP's functions across the lanes of a wave, in waves of 32 and of 64 lanes, optimized and not, against what HIP's
documentation says of them: each lane gets the value of a lane of its group of `width` lanes, and its own where the
lane that it asks for is outside of that group."""
import array
import pathlib
import tempfile

from harness import KERNELS, equal, main, run

THREADS = 128


def signed(v, bits=64):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> bits - 1 else v


def expected(size):
    values = [(t * 5 + 1) % 127 for t in range(THREADS)]
    rows = []
    for t in range(THREADS):
        lane, base = t % size, t - t % size
        wave, row = values[base:base + size], []
        for width in size, 32, 8, 1:
            group = lane - lane % width
            for asked in 0, 5, 31, 32, 63, 77, -1, t * 7 + 3:
                row.append(wave[group + asked % width])
            for delta in 0, 1, 4, 16, 31, 32, 33, 63, 64, t & 31:
                row.append(wave[lane - delta if lane - delta >= group else lane])
                row.append(wave[lane + delta if lane + delta < group + width else lane])
            for mask in 0, 1, 5, 16, 31, 32, 48, 63, 64, t >> 1:
                row.append(wave[lane ^ mask if lane ^ mask < group + width else lane])
        down = lane + 32 if lane + 32 < size else lane
        up = lane - 32 if lane >= 32 else lane
        cross = lane ^ 33 if lane ^ 33 < size else lane
        far = wave[(t ^ 32) % size]
        row += [wave[down], 2 * wave[up] + 1, wave[cross] & 0xff, far + far + 1 + 2 * far + 1,
                wave[40 % size] << 33 | wave[40 % size]]
        bits = lambda of: sum(1 << i for i, v in enumerate(wave) if of(v))
        row += [signed(bits(lambda v: v % 3 == 0)), signed(bits(lambda v: True))]
        row += [(40 in wave) * 2 + 1, 40 not in wave, lane, size]
        asked = lane ^ 34 if lane ^ 34 < size else lane
        branch = bits(lambda v: v % 2 and v % 3 == 0) + bits(lambda v: v % 2) * 5 + wave[asked]
        # a lane that is not in the branch has no value to give (HIP: undefined)
        row.append(signed(branch) if values[t] % 2 and wave[asked] % 2 else None if values[t] % 2 else -1)
        rows.append(row)
    return values, rows


def cross_lane_functions():
    path = pathlib.Path(tempfile.mkdtemp()) / "in.bin"
    path.write_bytes(array.array("i", expected(32)[0]).tobytes())
    for size, options in (32, ()), (64, ("--wave64",)), (64, ("--wave64", "-O0")), (32, ("-O0",)):
        _, rows = expected(size)
        n = len(rows[0])
        printed = run(KERNELS / "cross_lane.hip", *options, "--grid", THREADS, "--group", THREADS,
                      "--arg", f"out=zeros:{THREADS * n}:i64", "--arg", f"in=file:{path}:i32",
                      "--arg", f"n={n}", "--print", "out").split()
        got = [int(v) for v in printed[-THREADS * n:]]
        for t, row in enumerate(rows):
            for column, want in enumerate(row):
                if want is not None:
                    equal(got[t * n + column], want, f"wave{size} {options}: column {column} of thread {t}")


if __name__ == "__main__":
    main(cross_lane_functions)
