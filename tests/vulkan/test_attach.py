# SPDX-License-Identifier: MIT
"""A program that runs, a debugger that comes and goes: by detach, by quit, by a kill -9 while waves stand at
a breakpoint. What the GPU and the program's address space look like from outside (device_state: registers
of every VMID, page tables, code) is the same before and after, and so is what the program computes.

    test_attach.py NAMES DEVICE_STATE"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
NAMES, DEVICE_STATE = (os.path.abspath(a) for a in sys.argv[1:3])
ROUNDS = 12


class Program:
    """names under breakwater exec, round by round."""

    def __init__(self):
        self.process = subprocess.Popen([BREAKWATER, "exec", "--", NAMES], env={**os.environ, "ROUNDS": str(ROUNDS)},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rounds = 0
        self.begin()
        self.end()
        self.pid = next(p for p in harness.children(self.process.pid) if os.readlink(f"/proc/{p}/exe") == NAMES)
        environ = dict(e.split("=", 1) for e in pathlib.Path(f"/proc/{self.pid}/environ").read_text().split("\0") if "=" in e)
        self.environment = {**os.environ, **{k: environ[k] for k in ["BREAKWATER_VGPU"] if not harness.IN_GUEST}}

    def begin(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        for line in self.process.stdout:
            if line == f"round {self.rounds}\n":
                self.rounds += 1
                return
        raise harness.Failure(f"the program ended in round {self.rounds}")

    def state(self):
        return harness.device_state(DEVICE_STATE, self.environment)

    def idle_state(self):
        """Linux lets the graphics block power down 0.1 s after the last one who keeps it on."""
        end = time.monotonic() + TIMEOUT_S
        while "gfxoff 1" not in (now := self.state()):
            check(time.monotonic() < end, "somebody keeps the graphics block on")
            time.sleep(0.05)
        return now

    def await_state(self, wanted, what):
        """The agent and the guard take their time after a debugger has died."""
        end = time.monotonic() + TIMEOUT_S
        while (now := self.state()) != wanted:
            if time.monotonic() > end:
                raise harness.Failure(f"{what}: gone {sorted(set(wanted) - set(now))[:8]}, "
                                      f"come {sorted(set(now) - set(wanted))[:8]}")
            time.sleep(0.1)

    def finish(self):
        while self.rounds < ROUNDS:
            self.begin()
            self.end()
        self.process.stdin.close()
        out = self.process.stdout.read()  # not by communicate(), which does not see what end() has read ahead
        equal(self.process.wait(timeout=TIMEOUT_S), 0, "the program's status")
        return out

    def __del__(self):
        for pid in (*harness.children(self.process.pid), self.process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Attached(harness.Session):
    def __init__(self, program, *args):
        self.process = subprocess.Popen([str(BREAKWATER), "attach", "--json", "-x", "-", *args, str(program.pid)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def expected_sum(rounds=ROUNDS):
    numbers = [0] * 256
    for _ in range(rounds):
        for mul, add, n in ((3, 1, 256), (5, 2, 256), (7, 3, 64)):
            numbers[:n] = [v * mul + add & 0xffffffff for v in numbers[:n]]
    return sum(numbers)


def stop_in_a_round(program, *commands):
    s = Attached(program)
    s.command("break on dispatch label inner")
    s.send("continue")
    program.begin()
    s.read_until(lambda o: o.get("command") == "continue")
    for c in commands:
        s.command(c)
    return s


def leaves_no_trace():
    program = Program()
    before = program.idle_state()
    check(len(before) > 100, f"only {len(before)} lines of state")
    program.begin()
    program.end()
    equal(program.state(), before, "the state without a debugger, one round later")

    for ending in ("detach", "quit", "kill"):
        s = stop_in_a_round(program, "stepi 3", "info registers")
        during = program.state()
        check(any(line.split()[2] == "SQ_SHADER_TBA_HI" for line in set(during) - set(before) if line.startswith("reg ")),
              "the trap handler does not show in the state: then this test sees nothing")
        check("gfxoff 0" in during and "gfxoff 1" in before, "the graphics block is not kept on")
        if ending == "kill":
            s.process.kill()
            s.process.wait()
        else:
            s.send(ending)
            s.end()
        program.end()
        program.await_state(before, f"after {ending}")
    check(f"sum {expected_sum()}" in program.finish(), "the program's sum is another one")


def who_cannot_be_attached_to():
    program = Program()
    s = stop_in_a_round(program)
    for pid, words in ((program.pid, "has a debugger already"), (os.getpid(), "was not started by \"breakwater exec\""),
                       (2 ** 22 + 1, "no process")):
        done = subprocess.run([BREAKWATER, "attach", "--batch", str(pid)], capture_output=True, text=True, timeout=TIMEOUT_S,
                              env={k: v for k, v in os.environ.items()})
        equal(done.returncode, 2, f"attaching to {pid}: {done.stdout}{done.stderr}")
        check(words in done.stderr, f"attaching to {pid}: {done.stderr}")
    s.command("delete")
    s.send("detach")
    s.end()
    program.end()
    check(f"sum {expected_sum()}" in program.finish(), "the program's sum is another one")


def n_threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def what_runs_has_its_names():
    """Under exec --ready: a dispatch that was submitted before the debugger came has its pipeline and its label, for
    each debugger that comes; none leaves a thread behind."""
    p = subprocess.Popen([BREAKWATER, "exec", "--ready", "--", NAMES], env={**os.environ, "ROUNDS": "0", "SPIN": "1"},
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        while p.stdout.readline() != "spinning\n":
            check(p.poll() is None, "the program has ended")
        pid = next(q for q in harness.children(p.pid) if os.readlink(f"/proc/{q}/exe") == NAMES)
        before = n_threads(pid)
        end = time.monotonic() + TIMEOUT_S
        while True: # the first waves may still be to come
            done = subprocess.run([BREAKWATER, "attach", "--batch", "-ex", "info dispatches", str(pid)], capture_output=True,
                                  text=True, timeout=TIMEOUT_S)
            if " running " in done.stdout:
                break
            check(time.monotonic() < end, f"no dispatch runs: {done.stdout}{done.stderr}")
            time.sleep(0.2)
        row = next(line for line in done.stdout.splitlines() if " running " in line)
        check("endless loop" in row and row.endswith("waits/for ever"), f"what runs is {row!r}")
        for _ in range(3):
            again = subprocess.run([BREAKWATER, "attach", "--batch", "-ex", "info dispatches", str(pid)],
                                   capture_output=True, text=True, timeout=TIMEOUT_S)
            check("endless loop" in again.stdout, f"attached again: {again.stdout}{again.stderr}")
        while n_threads(pid) > before: # the debugger's connection is served by a thread until it has ended
            check(time.monotonic() < end, f"{n_threads(pid)} threads, {before} before the first debugger")
            time.sleep(0.05)
        out, _ = p.communicate("\n", timeout=TIMEOUT_S)
        equal(p.returncode, 0, f"the program's status: {out}")
    finally:
        for q in (*harness.children(p.pid), p.pid):
            try:
                os.kill(q, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Second:
    """The process of two that was not the first: what Attached and stop_in_a_round need of it."""

    def __init__(self, pid, feed):
        self.pid, self.feed = pid, feed

    def begin(self):
        self.feed.write("\n")
        self.feed.flush()


def two_programs_at_once():
    """One script, two processes that use the GPU: a debugger for each."""
    with tempfile.TemporaryDirectory() as folder:
        for n in "ab":
            os.mkfifo(f"{folder}/{n}")
        script = f"ROUNDS=2 {NAMES} < {folder}/a > {folder}/out.a & ROUNDS=2 {NAMES} < {folder}/b > {folder}/out.b; wait"
        first = harness.Session("--", "sh", "-c", script)
        first.command("set detach-on-fork on")
        first.command("break on dispatch 2")
        first.send("run")
        feeds = {n: open(f"{folder}/{n}", "w") for n in "ab"}
        seen = first.read_until(lambda o: "breakwater attach" in o.get("text", ""))
        programs = [o for o in seen if o.get("kind") == "program"]
        equal(len(programs), 1, f"programs debugged at once: {seen}")
        other = int(re.search(r"process (\d+)", seen[-1]["text"])[1])
        # which of the two reads from which end
        mine = "ab".replace(pathlib.Path(os.readlink(f"/proc/{other}/fd/0")).name, "")
        theirs = "ab".replace(mine, "")
        feeds[mine].write("\n\n")
        feeds[mine].flush()
        first.read_until(lambda o: o.get("command") == "run")
        equal(first.command("info dispatch")["dispatch"], 2, "the dispatch of the first")
        first.command("stepi 2")
        first.command("delete")
        # both use one ring of the GPU: while one is stopped, the other waits
        first.send("continue")
        second = stop_in_a_round(Second(other, feeds[theirs]), "stepi 2")
        equal(second.command("info dispatch")["label"].split("/")[-1], "inner", "the dispatch of the second")
        second.command("delete")
        second.send("detach")
        second.end()
        feeds[theirs].write("\n")
        for f in feeds.values():
            f.close()
        first.read_until(lambda o: o.get("command") == "continue")
        first.end()
        sums = [re.search(r"sum \d+", pathlib.Path(f"{folder}/out.{n}").read_text())[0] for n in "ab"]
        equal(sums, [f"sum {expected_sum(2)}"] * 2, "what the two computed")


if __name__ == "__main__":
    harness.main(what_runs_has_its_names, leaves_no_trace, who_cannot_be_attached_to, two_programs_at_once)
