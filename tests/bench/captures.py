# SPDX-License-Identifier: MIT
"""What a capture costs a compute program: alone, captured, and with only the last submissions kept. And how long a capture
of 1 GiB takes to open."""
import collections
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
Row = collections.namedtuple("Row", "name value unit")
# name, work-items, rounds that are timed together, how often, bytes of memory that is mapped but that no round touches
PROGRAMS = [("256 work-items, 64 KiB mapped", 256, 10, 120, 1 << 16), ("64 Ki work-items, 1 MiB mapped", 1 << 16, 2, 60, 1 << 20),
            ("64 Ki work-items, 64 MiB mapped", 1 << 16, 1, 40, 64 << 20)]
MODES = [("alone", None), ("captured", []), ("ring only", ["--last", "16"]), ("ring, --every-result", ["--last", "16", "--every-result"])]
TRIES = 3


def once(build, folder, code, options, grid, rounds, times, mapped_b):
    """Seconds of a round, as often as asked for, without start and end."""
    program = [str(build / "tests/e2e/rounds"), "--group", "64", "--grid", str(grid), "--arg", f"out=zeros:{grid}", "--arg",
               f"control=zeros:{max(mapped_b // 4, 1024)}", str(code)]
    command = [str(build / "breakwater"), "exec"] if options is None else [str(build / "breakwater"), "capture", *options, "-o",
                                                                           f"{folder}/bench.bwc"]
    with subprocess.Popen([*command, "--", *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as p:
        def do(n):
            p.stdin.write(f"{n}\n")
            p.stdin.flush()
            if not p.stdout.readline().strip().isdigit():
                raise SystemExit(f"bench: {' '.join(command)} failed")
        do(2)
        seconds = []
        for _ in range(times):
            start = time.monotonic()
            do(rounds)
            seconds.append((time.monotonic() - start) / rounds)
        p.stdin.close()
    return seconds


def typical(seconds):
    """The 10th percentile: what else the machine does makes rounds slower, and never faster."""
    return statistics.quantiles(seconds, n=10)[0]


def list_growing(build, path, writer):
    """(seconds, submissions) of a list of the first half and what has come since; None: the file was whole before that."""
    while writer.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < 512 << 20):
        time.sleep(0.01)
    start = time.monotonic()
    listed = subprocess.run([build / "breakwater", "capture", "list", "--json", path], stdout=subprocess.PIPE, check=True).stdout
    seconds = time.monotonic() - start
    return (seconds, len(json.loads(listed)["submissions"])) if writer.poll() is None else None


def measure(build):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        code = pathlib.Path(folder, "rounds.co")
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O2", "-x", "cl", "-cl-std=CL2.0",
                        "-cl-kernel-arg-info", SOURCE / "tests/e2e/kernels/rounds.cl", "-o", code], check=True)
        for name, grid, rounds, n_times, mapped_b in PROGRAMS:
            times = {mode: [] for mode, _ in MODES}
            # in turns, so that all see the same machine
            for _ in range(TRIES):
                for mode, options in MODES:
                    times[mode] += once(build, folder, code, options, grid, rounds, n_times, mapped_b)
            alone = typical(times["alone"])
            rows.append(Row(f"{name}: a submission alone", alone * 1e3, "ms"))
            for mode, options in MODES:
                if options is not None:
                    rows.append(Row(f"{name}: {mode}", typical(times[mode]) / alone, "x"))
        path = f"{folder}/big.bwc"
        with subprocess.Popen([build / "tests/bench/bench_capture", path], stdout=subprocess.PIPE) as writer:
            growing = list_growing(build, path, writer)
            big = json.loads(writer.stdout.read())
        rows.append(Row("Size of a big capture", big["bytes"] / 2**30, "GiB"))
        rows.append(Row("Opening it", big["open_s"] * 1e3, "ms"))
        rows.append(Row("Its last submission of 4096, with a page", big["seek_s"] * 1e3, "ms"))
        start = time.monotonic()
        subprocess.run([build / "breakwater", "capture", "list", path], stdout=subprocess.DEVNULL, check=True)
        rows.append(Row("breakwater capture list", (time.monotonic() - start) * 1e3, "ms"))
        if growing:
            rows.append(Row(f"breakwater capture list, {growing[1]} submissions of it while it grows", growing[0] * 1e3, "ms"))
        os.unlink(path)
    return rows


def show(rows):
    print(f"\n{'Captures':<60}{'':>14}")
    for r in rows:
        print(f"{r.name:<60}{r.value:>11.2f} {r.unit}")
