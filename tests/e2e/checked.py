# SPDX-License-Identifier: MIT
"""What the checker finds in a kernel, and the kernels of a file."""
import re
import subprocess

from harness import BREAKWATER, TIMEOUT_S, Failure, equal, parse


def findings(option, *words, status=0):
    """The rows of the event "check" of `run OPTION WORDS`."""
    done = subprocess.run([BREAKWATER, "run", option, "--json", *words], capture_output=True, text=True, timeout=TIMEOUT_S)
    equal(done.returncode, status, f"the status of {words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        event = parse(line)
        if event.get("event") == "check":
            equal(event["n_findings"], len(event["findings"]), "n_findings")
            return event["findings"]
    raise Failure(f"an event \"check\" is missing: {done.stdout}")


def kernels(path):
    """The kernels of a file, with the first and last lines of those in C."""
    text = path.read_text().splitlines()
    if path.suffix == ".s":
        return {m[1]: None for m in (re.match(r"\tkernel (\w+)$", line) for line in text) if m}
    starts = [(i, m[1]) for i, m in enumerate((re.match(r".*(?:kernel|__global__) void (\w+)\(", x) for x in text), 1) if m]
    return {name: (i, next(k for k, x in enumerate(text, 1) if k > i and x == "}")) for i, name in starts}
