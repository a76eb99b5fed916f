# SPDX-License-Identifier: MIT
"""What HIP programs pay under `breakwater exec`: KFD's queues by ioctls alone, then starts of ROCm's own programs and their
copies, where a ROCm tree is there (`breakwater exec --rocm`)."""
import collections
import json
import pathlib
import subprocess
import tempfile
import time

GPU = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id) /dev/dri/renderD128"
COPIES = pathlib.Path(__file__).resolve().parent / "copies.hip"
Row = collections.namedtuple("Row", "name value unit design")


def exec_(build, *words, env=None):
    start = time.monotonic()
    done = subprocess.run([build / "breakwater", "exec", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env)
    return done, time.monotonic() - start


def best(n, build, *words):
    return min(exec_(build, *words)[1] for _ in range(n))


def queues(build):
    """A program to which a debugger can attach has a thread of the agent between it and the GPU."""
    attachable = json.loads(exec_(build, "--", "sh", "-c", f"{build}/tests/bench/bench_kfd {GPU}")[0].stdout)
    kfd = json.loads(exec_(build, "--", "sh", "-c", f"BREAKWATER_ATTACH=0 {build}/tests/bench/bench_kfd {GPU}")[0].stdout)
    return [Row("empty AQL dispatch and its signal, polled", kfd["polled_s"] * 1e6, "us", 15),
            Row("the same, where a debugger can attach", attachable["polled_s"] * 1e6, "us", None),
            Row("empty AQL dispatch and its event, waited for", kfd["waited_s"] * 1e6, "us", None),
            Row("AQL dispatches a second, 64 in the queue", 1 / kfd["many_s"], "1/s", None),
            Row("64 MiB by SDMA, system memory to VRAM", 64 / 1024 / kfd["copy_64_mib_s"], "GiB/s", None)]


def programs(build, folder):
    """Rows, and why there are none."""
    made, _ = exec_(build, "--rocm", "--", "hipcc", "-O2", "-o", f"{folder}/copies", str(COPIES))
    if made.returncode:
        return [], next((line for line in made.stderr.splitlines() if "error" in line), "hipcc failed")
    copies = json.loads(exec_(build, "--rocm", "--", f"{folder}/copies")[0].stdout)
    return [Row("rocminfo, start to end", best(3, build, "--rocm", "--", "rocminfo"), "s", 1.5),
            Row("HIP program with one kernel, start to end", best(3, build, "--rocm", "--", f"{folder}/copies", "start"), "s", 1.5),
            *[Row(f"HIP, 64 MiB {what}", 64 / 1024 / seconds, "GiB/s", None) for what, seconds in copies.items()]], None


def measure(build):
    build = pathlib.Path(build).resolve()
    rows = queues(build)
    with tempfile.TemporaryDirectory() as folder:
        more, why_not = programs(build, folder)
    return rows + more, why_not


def show(rows, why_not):
    print(f"\n{'HIP programs and KFD':<56}{'now':>10}{'design':>10}")
    for name, value, unit, design in rows:
        print(f"{name:<56}{value:>10.4g}{design if design else '':>10} {unit}")
    if why_not:
        print(f"Not measured with ROCm: {why_not}")
