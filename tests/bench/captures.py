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
Program = collections.namedtuple("Program", "name arguments rounds times")  # rounds that are timed together, and how often
MODES = [("alone", None), ("captured", []), ("ring only", ["--last", "16"]), ("ring, --every-result", ["--last", "16", "--every-result"])]
TRIES = 3


def kernel(build, code, grid, mapped_b):
    """tests/e2e/rounds.c with so many work-items, and bytes of memory that is mapped but that no round touches."""
    return [build / "tests/e2e/rounds", "--group", "64", "--grid", str(grid), "--arg", f"out=zeros:{grid}", "--arg",
            f"control=zeros:{max(mapped_b // 4, 1024)}", code]


def programs(build, code):
    many = build / "tests/e2e/many_buffers"
    return [Program("256 work-items, 64 KiB mapped", kernel(build, code, 256, 1 << 16), 10, 120),
            Program("64 Ki work-items, 1 MiB mapped", kernel(build, code, 1 << 16, 1 << 20), 2, 60),
            Program("64 Ki work-items, 64 MiB mapped", kernel(build, code, 1 << 16, 64 << 20), 1, 40),
            Program("1 buffer of a page", [many, "1"], 20, 60), Program("1000 buffers of a page", [many, "1000"], 10, 30),
            Program("4000 buffers of a page", [many, "4000"], 5, 30)]


def once(build, folder, options, program):
    """Seconds of a round, as often as asked for, without start and end."""
    command = [str(build / "breakwater"), "exec"] if options is None else [str(build / "breakwater"), "capture", *options, "-o",
                                                                           f"{folder}/bench.bwc"]
    with subprocess.Popen([*command, "--", *program.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as p:
        def do(n):
            p.stdin.write(f"{n}\n")
            p.stdin.flush()
            if not p.stdout.readline().strip().isdigit():
                raise SystemExit(f"bench: {' '.join(command)} failed")
        do(2)
        seconds = []
        for _ in range(program.times):
            start = time.monotonic()
            do(program.rounds)
            seconds.append((time.monotonic() - start) / program.rounds)
        p.stdin.close()
        p.stdout.read()
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
        for program in programs(build, code):
            times = {mode: [] for mode, _ in MODES}
            # in turns, so that all see the same machine
            for _ in range(TRIES):
                for mode, options in MODES:
                    times[mode] += once(build, folder, options, program)
            alone = typical(times["alone"])
            rows.append(Row(f"{program.name}: a submission alone", alone * 1e3, "ms"))
            for mode, options in MODES:
                if options is not None:
                    rows.append(Row(f"{program.name}: {mode}", typical(times[mode]) / alone, "x"))
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
