# SPDX-License-Identifier: MIT
"""Programs with AQL queues that nobody debugs, looked at from beside: the kernels of their waves, their queues, and why
these stand. tests/pm4/test_aql_look.c has all that is said of a queue."""
import pathlib
import re
import signal
import subprocess
import sys
import time

import harness
from harness import BREAKWATER, TIMEOUT_S, Failure, check, equal, main
from looked_at import Gpu

PROGRAM, CODE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


class AqlGpu(Gpu):
    """A GPU with aql.c on it, which hangs."""

    def __init__(self, kernel, hang="", options=(), rounds=1):
        self.options = options
        self.words = f"exec {PROGRAM} {CODE} $(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id) /dev/dri/renderD128 {kernel} {rounds} {hang}"

    def __enter__(self):
        super().__enter__()
        self.programs.append(subprocess.Popen([BREAKWATER, "exec", *self.options, "--", "sh", "-c", self.words], env=self.env, text=True,
                                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE if self.options else subprocess.DEVNULL))
        return self

    def queues(self, *words, n=1):
        """As soon as n queues have packets, and their indices do not change any more."""
        end, before = time.monotonic() + TIMEOUT_S, None
        while True:
            done = subprocess.run(self.command("queues", "--json", *words), env=self.env, text=True, capture_output=True, timeout=TIMEOUT_S)
            equal(done.returncode, 0, f"queues: {done.stdout}{done.stderr}")
            shown = harness.parse(done.stdout.strip())
            busy = [q for q in shown.get("aql", []) if q.get("why")]
            now = [(q["queue"], q["read"], q["write"]) for q in busy]
            if len(now) == n and now == before:
                return shown
            before = now
            if time.monotonic() > end:
                raise Failure(f"not {n} queues that stand: {shown}")


def waves_of_a_kernel():
    """Their function by the list of code objects that the runtime keeps, as ROCr does: the command line of a HIP program names none."""
    with AqlGpu("spin") as gpu:
        for w in gpu.await_states(["running"] * 8):
            check(re.fullmatch(r"spin\+\d+", w["symbol"]) and w["process"] == "aql", w)
        shown = gpu.queues("--kfd")
        queue, = shown["aql"]
        equal((queue["read"], queue["write"], queue["slots"], queue["stands_at"]), (0, 1, 64, "kernel dispatch (spin)"), "the queue")
        check(re.search(r" at packet 0: a dispatch of spin, which is running: 8 of its waves are on the GPU, at spin\+\d+\. .*"
                        r'"breakwater attach --waves \d+"', queue["why"]), queue)
        packet, = shown["packets"]
        equal((packet["queue"], packet["index"], packet["barrier"], packet["is"]), (queue["queue"], 0, "yes", "kernel dispatch (spin)"),
              "its packet")
        hqd, = [q for q in shown["queues"] if q["queue"] == queue["queue"]]
        equal((hqd["kind"], hqd["state"]), ("compute", "AQL"), "the hardware queue")
        done = subprocess.run(gpu.command("attach", "--waves", "--batch", "-ex", "bt"), env=gpu.env, text=True, capture_output=True,
                              timeout=TIMEOUT_S)
        check(re.search(r"^#0 .*\bspin \(.* at aql\.hip:\d+( \(about\))?$", done.stdout, re.M), done.stdout + done.stderr)


def queues_in_a_circle():
    with AqlGpu("weigh", "circle") as gpu:
        shown = gpu.queues("--kfd", n=2)
        first, second = sorted(shown["aql"], key=lambda q: -q["read"])
        check(f'Packet 0 of {second["queue"]}, a barrier-AND, decrements it. But {second["queue"]} stands at packet 0, ' in first["why"] and
              "in a circle" in first["why"] and "in a circle" in second["why"], shown["aql"])
        equal(sorted((p["queue"], p["index"]) for p in shown["packets"]), sorted([(first["queue"], 1), (second["queue"], 0)]), "packets")


def breadcrumbs_of_a_barrier():
    """exec --breadcrumbs names the packet at which a queue stands, and the one before. It gives the GPU one packet at a time."""
    with AqlGpu("weigh", "nobody", ["--breadcrumbs", "--json"], rounds=2) as gpu:
        while gpu.queues()["aql"][0]["read"] != 2:
            pass
        program, = gpu.programs
        program.send_signal(signal.SIGTERM)
        said = program.communicate(timeout=TIMEOUT_S)[1]
        shown = next(o for o in (harness.parse(line) for line in said.splitlines() if line.startswith("{")) if o.get("event") == "breadcrumbs")
        equal([(b["ring"], b["submission"], b["last_ended"]["pipeline"], b["first_not_ended"]["packet"]) for b in shown["bad"]],
              [("AQL queue 0", 3, "weigh", "barrier-AND")], f"the report: {shown}")


if __name__ == "__main__":
    main(waves_of_a_kernel, queues_in_a_circle, breadcrumbs_of_a_barrier)
