#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures of `make bench`: bench.py BUILD_DIR [--json] [SECTION...]. Sections: executor memory kernels
checker sessions vulkan crash pages captures linux rocm. A table for each, or one JSON object; nothing here has a limit that a machine could fail."""
import json
import pathlib
import subprocess
import sys

import captures
import crash
import linux
import pages
import rocm
import sessions
import vulkan

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
BENCH = BUILD / "tests/bench"


def run_json(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def title(text, *columns):
    print(f"\n{text:<52}" + "".join(f"{c:>14}" for c in columns))


def executor():
    data = run_json(BENCH / "bench_exec", "--json")
    return data, lambda: rates("Executor, one core", data)


def memory():
    data = run_json(BENCH / "bench_mem", "--json")
    return data, lambda: rates("Memory instructions of 32 lanes, one core", data)


def rates(name, data):
    title(name, "M wave/s", "ns each")
    for row, rate in data.items():
        print(f"{row:<52}{rate / 1e6:>14.1f}{1e9 / rate:>14.2f}")


def kernels():
    data = run_json(BENCH / "bench_kernels", BENCH / "bench.co", SOURCE / "tests/bench/kernels/bench.cl", "--json")

    def show():
        title("Kernels on the device, all cores", "M wave/s", "a core", "ms", "PoCL, ms", "CPU time")
        for row in data.values():
            if not isinstance(row, dict) or "ms" not in row:
                continue
            line = f"{row['what']:<52}{row['instructions_per_s'] / 1e6:>14.1f}{row['instructions_per_cpu_s'] / 1e6:>14.1f}{row['ms']:>14.2f}"
            if "times_cpu" in row:
                line += f"{row['cpu_ms']:>14.2f}{row['times_cpu']:>13.1f}x"
            print(line)
        if data["no_comparison"]:
            print(f"Not compared with the CPU: {data['no_comparison']}.")
        m = data["memory"]
        print(f"4096 waves dispatched, {m['waves_resident']} resident at a time: {m['rss_bytes'] / 2**20:.0f} MiB of memory (limit 1024)")
    return data, show


# What each check may cost, as a multiple of the time without (doc/speed.md).
CHECKS = {"races": 8, "bounds": 3, "init": None, "sync": None}


def checker():
    def cpu_s(*options):
        data = run_json(BENCH / "bench_kernels", BENCH / "bench.co", SOURCE / "tests/bench/kernels/bench.cl", "--json", *options)
        return {row["what"]: 1 / row["instructions_per_cpu_s"] for row in data.values() if isinstance(row, dict) and "ms" in row}

    plain = cpu_s()
    data = {what: {check: 0 for check in CHECKS} for what in plain}
    for check in CHECKS:
        for what, s in cpu_s("--check", check).items():
            data[what][check] = s / plain[what]

    def show():
        title("Cost of --check, CPU time", *CHECKS)
        for what, row in data.items():
            print(f"{what:<52}" + "".join(f"{row[check]:>13.1f}x" for check in CHECKS))
        print(f"{'aim, at most':<52}" + "".join(f"{aim:>13}x" if aim else f"{'-':>14}" for aim in CHECKS.values()))
    return data, show


def session_rows():
    rows = sessions.measure(BUILD)
    return {r.name: {"value": r.value, "unit": r.unit} for r in rows}, lambda: sessions.show(rows)


def vulkan_rows():
    rows, why_not = vulkan.measure(BUILD)
    data = {r["name"]: r for r in rows}
    if why_not:
        data["not_measured"] = why_not
    return data, lambda: vulkan.show(rows, why_not)


def crash_rows():
    rows = crash.measure(BUILD)
    return {r.name: {"seconds": r.seconds, "cpu_seconds": r.cpu_s, "rss_bytes": r.rss_b} for r in rows}, lambda: crash.show(rows)


def page_rows():
    rows, why_not = pages.measure(BUILD)
    data = {r.name: {"seconds": r.made_s, "bytes": r.size_b, "open_seconds": r.open_s, "open_cpu_seconds": r.open_cpu_s} for r in rows}
    if why_not:
        data["not_opened"] = why_not
    return data, lambda: pages.show(rows, why_not)


def capture_rows():
    rows = captures.measure(BUILD)
    return {r.name: {"value": r.value, "unit": r.unit} for r in rows}, lambda: captures.show(rows)


def linux_rows():
    rows, why_not = linux.measure(BUILD)
    data = {r.name: {"value": r.value, "unit": r.unit} for r in rows}
    if why_not:
        data["not_measured"] = why_not
    return data, lambda: linux.show(rows, why_not)


def rocm_rows():
    rows, why_not = rocm.measure(BUILD)
    data = {r.name: {"value": r.value, "unit": r.unit} for r in rows}
    if why_not:
        data["not_measured"] = why_not
    return data, lambda: rocm.show(rows, why_not)


SECTIONS = {"executor": executor, "memory": memory, "kernels": kernels, "checker": checker, "sessions": session_rows, "vulkan": vulkan_rows, "crash": crash_rows, "pages": page_rows, "captures": capture_rows, "linux": linux_rows, "rocm": rocm_rows}


def main():
    words = [a for a in sys.argv[2:] if a != "--json"]
    unknown = [w for w in words if w not in SECTIONS]
    if unknown:
        sys.exit(f"bench.py: there is no section {unknown[0]}; there are {', '.join(SECTIONS)}")
    result = {}
    for name, section in SECTIONS.items():
        if words and name not in words:
            continue
        result[name], show = section()
        if "--json" not in sys.argv:
            show()
            sys.stdout.flush()
    if "--json" in sys.argv:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
