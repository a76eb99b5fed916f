# SPDX-License-Identifier: MIT
"""What the checker finds in a kernel."""
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
