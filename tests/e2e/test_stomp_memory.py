# SPDX-License-Identifier: MIT
"""breakwater exec --stomp-memory: a buffer that is read before it was written does not hold zeros, those that are written work
as before, and breakwater bisect --stomp finds the one that is read."""
import os
import subprocess
import sys

from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, equal
from json_schema import parse

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
PROGRAM = [sys.executable, SOURCE / "tests/e2e/stale_buffers.py"]
BAD = 0xe4cdcdcd


def breakwater(*words, status=0):
    done = subprocess.run([str(BREAKWATER), *[str(w) for w in words]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    equal(done.returncode, status, f"{words}: {done.stdout}{done.stderr}: the status")
    return done.stdout, done.stderr


for options, stale in (([], 0), (["--stomp-memory"], BAD), (["--stomp-memory=3"], BAD), (["--stomp-memory=1-2,4"], 0),
                       (["--stomp-memory", "--except", "3"], 0), (["--stomp-memory", "--except=1-2,4"], BAD)):
    equal(breakwater("exec", *options, "--", *PROGRAM)[0], f"7 {stale}\n", f"{options}: what the program reads")
said = breakwater("exec", "--json", "--stomp-memory=2-3", "--", *PROGRAM)[1]
event = parse(said.strip())
equal([(b["number"], b["bytes"], b["filled"]) for b in event["buffers"]], [(1, 4096, False), (2, 8192, True), (3, 12288, True)], "the report")
check("2 of 3 new buffers were filled with 0xe4cdcdcd; 1 not chosen" in breakwater("exec", "--stomp-memory=2-3", "--", *PROGRAM)[1], "text")
out, _ = breakwater("bisect", "--stomp", "--stomp-memory", "--json", "--", *PROGRAM)
found = parse(out.strip().splitlines()[-1])
equal((found["found"], found["registers"], found["buffers"]), (True, [], [3]), "bisect")
breakwater("bisect", "--stomp", "--stomp-memory=1-2", "--", *PROGRAM, status=1)
for words, error in ((["--stomp-memory=x"], 'not the number of a buffer'), (["--stomp-memory=0"], "not the number of a buffer"),
                     (["--stomp-memory=3-2"], "3 comes after 2"), (["--at", "1", "--stomp-memory=3"], "a buffer is filled when it is made"), (["--at", "1"], "--at needs --stomp-registers or")):
    check(error in breakwater("exec", *words, "--", "true", status=2)[1], words)
