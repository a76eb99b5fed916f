# SPDX-License-Identifier: MIT
"""Several address spaces, and several programs, in one session: the waves of all stop together, each with its own
memory at the same addresses, and what the programs compute is what they compute without a debugger.

    test_programs.py SPACES DEVICE_STATE"""
import atexit
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import harness
from harness import BREAKWATER, TIMEOUT_S, check, equal

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
SPACES, DEVICE_STATE = (os.path.abspath(a) for a in sys.argv[1:3])
CODE = 0xffff800100001000
FLAG = 0xffff800100002000 + 2048
LOADED = CODE + 0x18  # behind the load and its wait, in the loop


def expected(n, rounds):
    return "".join(f"submitted {r}\nround {r}:{''.join(f' {1000 * (i + 1) + 4}' for i in range(n))}\n" for r in range(rounds))


class Programs:
    """One process for each number: with so many spaces, fed by a fifo."""

    def __init__(self, *sizes, rounds=1):
        self.folder = tempfile.TemporaryDirectory()
        self.sizes, self.rounds = sizes, rounds
        self.parts = []
        for i, n in enumerate(sizes):
            os.mkfifo(self.path("in", i))
            self.parts.append(f"{SPACES} {n} {rounds} < {self.path('in', i)} > {self.path('out', i)}")
        self.script = " & ".join(self.parts) + "; wait" if len(sizes) > 1 else "exec " + self.parts[0]

    def path(self, what, i):
        return f"{self.folder.name}/{what}{i}"

    def open(self):
        self.feeds = [open(self.path("in", i), "w") for i in range(len(self.sizes))]

    def begin(self, i):
        self.feeds[i].write("\n")
        self.feeds[i].flush()

    def check_output(self, *which):
        for i in which or range(len(self.sizes)):
            equal(pathlib.Path(self.path("out", i)).read_text(), expected(self.sizes[i], self.rounds), f"output of program {i}")

    def await_output(self, i, text):
        end = time.monotonic() + TIMEOUT_S
        out = pathlib.Path(self.path("out", i))
        while not out.exists() or text not in out.read_text():
            check(time.monotonic() < end, f"program {i} never says {text!r}")
            time.sleep(0.02)


def waves(s):
    return {w["wave"]: w for w in s.command("info waves")["waves"]}


def value(s, expr):
    return s.command(f"print {expr}")["value"]


def interrupt(s):
    """While `continue` or `run` is under way: its reply."""
    s.process.send_signal(signal.SIGINT)
    return s.read_until(lambda o: "command" in o)[-1]


def settle(s, n, wanted=()):
    """What has been submitted runs when the GPU comes to it: until n waves are there, which all loop, and those
    that are wanted among them."""
    end = time.monotonic() + TIMEOUT_S
    while len(found := waves(s)) < n or not set(wanted) <= set(found):
        check(time.monotonic() < end, f"{len(found)} waves never become {n}, {wanted} among them: {found}")
        s.send("continue")
        time.sleep(0.05)
        interrupt(s)
    return found


def spaces_of_one_program():
    p = Programs(3)
    s = harness.Session("--", "sh", "-c", p.script)
    s.command("break on dispatch 3")
    s.send("run")
    p.open()
    s.read_until(lambda o: o.get("command") == "run")
    equal(sorted(w["name"].split()[2].split(":")[2] for w in settle(s, 3).values()), ["1", "2", "3"],
          "dispatches that have waves")
    table = s.command("info inferiors")["inferiors"]
    equal([(i["inferior"], i["spaces"], i["waves"]) for i in table], [(1, 3, 3)], "programs")
    # each wave has memory of its own behind one address
    values = {}
    for w in waves(s):
        s.command(f"wave {w}")
        values[value(s, "$s2")] = w
        s.command(f"set var *(unsigned *){FLAG + 4} = {w + 70}")
    equal(sorted(values), [1000, 2000, 3000], "values in s2")
    for w in waves(s):
        s.command(f"wave {w}")
        equal(value(s, f"*(unsigned *){FLAG + 4}"), w + 70, f"memory of wave {w}")
        s.command(f"set var *(unsigned *){FLAG + 4} = 0")
    # an address is one of the space of the focus
    s.command("delete")
    s.command(f"wave {values[2000]}")
    s.command(f"break *{LOADED}")
    for _ in range(3):
        equal(s.command("continue")["command"], "continue", "the answer")
        equal(value(s, "$s2"), 2000, "s2 of the wave that stops")
        equal(value(s, "$pc"), hex(LOADED), "its PC")
    s.command(f"set var *(unsigned *){FLAG} = 1")
    s.command("stepi 40")
    s.command("delete")
    s.send("continue")
    interrupt(s)
    settle(s, 2, (values[1000], values[3000]))  # the others loop for ever
    s.send("continue")
    p.begin(0)
    s.read_until(lambda o: o.get("command") == "continue")
    equal(s.end()[0], 0, "the program's status")
    p.check_output()


def breakpoints_in_all():
    """A breakpoint on dispatches is one of every program; so is what stops."""
    p = Programs(1, 2, rounds=2)
    s = harness.Session("--", "sh", "-c", p.script)
    s.command("break on dispatch 3")
    s.send("run")
    p.open()
    s.read_until(lambda o: o.get("command") == "run")
    settle(s, 3)
    table = s.command("info inferiors")["inferiors"]
    equal(sorted((i["spaces"], i["waves"]) for i in table), [(1, 1), (2, 2)], "programs")
    equal(sum(i["current"] for i in table), 1, "current programs")
    equal(sorted(w["inferior"] for w in waves(s).values()),
          sorted(n for i in table for n in [i["inferior"]] * i["waves"]), "whose the waves are")
    for i in table:
        equal(s.command(f"inferior {i['inferior']}")["pid"], i["pid"], "the process")
        equal(value(s, "$s2") in (1000, 2000), True, "the focus is one of its waves")
        s.command("stepi 5")
    # one goes, the other stays
    mine = next(i for i in table if i["waves"] == 2)
    other = next(i for i in table if i["waves"] == 1)
    s.command(f"detach inferiors {other['inferior']}")
    equal([i["inferior"] for i in s.command("info inferiors")["inferiors"]], [mine["inferior"]], "programs left")
    p.begin(0)
    p.await_output(0, "submitted 1")
    p.begin(0)
    p.await_output(0, "round 1:")
    equal(len(waves(s)), 2, "waves of the one that stays")
    s.command("delete")
    s.send("continue")
    p.begin(1)
    p.await_output(1, "submitted 1")
    interrupt(s)
    equal({w["inferior"] for w in settle(s, 2).values() if "inferior" in w}, set(), "whose they are, of one")
    s.send("continue")
    p.begin(1)
    s.read_until(lambda o: o.get("command") == "continue")
    s.end()
    p.check_output()


class Attached(harness.Session):
    def __init__(self, pid):
        super().__init__(pid, subcommand="attach")


def start(command, **kwargs):
    """A process that is not left behind when its test fails: kernels here loop for ever."""
    process = subprocess.Popen(command, **kwargs)
    atexit.register(end_of, process)
    return process


def end_of(process):
    if process.poll() is None:
        for pid in (*harness.children(process.pid), process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def started(p, *options, env=None):
    """breakwater exec of the only program of p, and its process."""
    process = start([BREAKWATER, "exec", *options, "--", "sh", "-c", p.script], env={**os.environ, **(env or {})})
    p.open()
    p.await_output(0, "submitted 0")
    pid = next(c for c in harness.children(process.pid) if os.readlink(f"/proc/{c}/exe") == SPACES)
    return process, pid


def vgpu_of(pid):
    environ = pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0")
    return next(e.split("=", 1)[1] for e in environ if e.startswith("BREAKWATER_VGPU="))


def attached_one_after_the_other():
    a, b = Programs(1, rounds=2), Programs(2, rounds=2)
    first, first_pid = started(a)
    second, second_pid = started(b, env={"BREAKWATER_VGPU": vgpu_of(first_pid)})
    s = Attached(first_pid)
    reply = s.command(f"attach {second_pid}")
    equal((reply["pid"], reply["inferior"]), (second_pid, 2), "the second")
    s.command("break on dispatch 3")
    s.send("continue")
    for p in (a, b):
        p.begin(0)
    s.read_until(lambda o: o.get("command") == "continue")
    equal(sorted(w["inferior"] for w in settle(s, 3).values()), [1, 2, 2], "whose the waves are")
    s.command("kill inferiors 1")
    equal(first.wait(TIMEOUT_S) != 0, True, "the status of what was killed")
    equal([i["inferior"] for i in s.command("info inferiors")["inferiors"]], [2], "programs left")
    equal(len(waves(s)), 2, "waves left")
    s.command("delete")
    s.send("detach")
    s.end()
    b.begin(0)
    equal(second.wait(TIMEOUT_S), 0, "the status of the program that was detached from")
    b.check_output()


def device_state(vgpu):
    done = subprocess.run([DEVICE_STATE], env={**os.environ, "BREAKWATER_VGPU": vgpu}, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    equal(done.returncode, 0, f"device_state, which says {done.stderr}")
    return done.stdout.splitlines()


def await_same(now, wanted, what):
    end = time.monotonic() + TIMEOUT_S
    while (is_now := now()) != wanted:
        check(time.monotonic() < end, f"{what}: gone {sorted(set(wanted) - set(is_now))[:8]}, "
                                      f"come {sorted(set(is_now) - set(wanted))[:8]}")
        time.sleep(0.1)


def attached_in_time(pid, n):
    """When its n waves have come; and the agent takes its time after a debugger was killed: until then it has one.
    Before the program has opened the GPU there is none."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        s = Attached(pid)
        s.send("info waves")
        try:
            seen = s.read_until(lambda o: o.get("what") == "waves")
            names = [w["name"].split()[2].split(":")[2] for w in seen[-1]["waves"]]
            if len(names) == n and "0" not in names:  # each with its dispatch
                return s, seen
            s.send("quit")
            s.end()
        except harness.Failure as e:
            check("has a debugger already" in str(e) or "cannot be attached to" in str(e), e)
        check(time.monotonic() < end, f"process {pid} never has {n} waves")
        time.sleep(0.1)


def loops_are_stopped():
    """Kernels that loop for ever, and a debugger that comes when they do: once and again."""
    gpu, p = Programs(1), Programs(2, rounds=2)
    keeps_gpu, keeps_pid = started(gpu)
    vgpu = vgpu_of(keeps_pid)
    await_waves_of(keeps_pid, 1)  # it counts in what the registers say
    before = device_state(vgpu)
    program, pid = started(p, "--ready", env={"BREAKWATER_VGPU": vgpu})
    for ending in ("kill", "detach", "quit"):
        s, seen = attached_in_time(pid, 2)
        stop = next(o for o in seen if o.get("event") == "stop")
        equal((stop["reason"], stop["stopped"]), ("INTERRUPT", 2), "the stop of what runs")
        table = seen[-1]["waves"]
        equal([w["name"].split()[2].split(":")[2] for w in table], ["1", "2"], "their dispatches")
        equal(sorted(value(s, "$s2") for w in table if s.command(f"wave {w['wave']}")), [1000, 2000], "values in s2")
        s.command("stepi 7")
        s.command(f"break *{LOADED}")
        s.command("continue")
        equal(value(s, "$pc"), hex(LOADED), "the PC at the breakpoint")
        if ending == "kill":
            s.process.kill()
            s.process.wait()
        else:
            s.send(ending)
            s.end()
    # what comes in the next round is stopped before it runs
    p.begin(0)
    p.await_output(0, "submitted 1")
    s, _ = attached_in_time(pid, 2)
    s.send("quit")
    s.end()
    p.begin(0)
    equal(program.wait(TIMEOUT_S), 0, "the program's status")
    p.check_output()
    await_same(lambda: device_state(vgpu), before, "after the program's end")
    gpu.begin(0)
    equal(keeps_gpu.wait(TIMEOUT_S), 0, "the other program's status")
    gpu.check_output()


def every_space_is_ready():
    """The submissions of many address spaces come right after each other, and the first wave of each has the handler.
    One for each ring: behind a kernel that loops none could be attached to."""
    p = Programs(4)
    program, pid = started(p, "--ready")
    s, seen = attached_in_time(pid, 4)
    equal(next(o for o in seen if o.get("event") == "stop")["stopped"], 4, "waves that stop")
    s.send("detach")
    s.end()
    p.begin(0)
    equal(program.wait(TIMEOUT_S), 0, "the program's status")
    p.check_output()


def what_cannot_be_stopped_is_said():
    p = Programs(2)
    program, pid = started(p)
    end = time.monotonic() + TIMEOUT_S
    while True:
        done = subprocess.run([BREAKWATER, "attach", "--batch", str(pid)], capture_output=True, text=True, timeout=TIMEOUT_S)
        if "2 waves were launched before and cannot be stopped: \"breakwater exec --ready\"" in done.stdout:
            break
        check(time.monotonic() < end, done.stdout + done.stderr)
        time.sleep(0.1)
    p.begin(0)
    equal(program.wait(TIMEOUT_S), 0, "the program's status")
    p.check_output()


WAVES_OF_SPIN = 2


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def await_waves_of(pid, n):
    """Of a process on a virtual GPU of its own. Who attaches before its first submission is there already when it is
    made: that is another case."""
    end = time.monotonic() + TIMEOUT_S
    env = {}
    while "BREAKWATER_VGPU" not in env:  # a process that is just being started has a name before it has an environment
        check(time.monotonic() < end, f"process {pid} has no virtual GPU: {env}")
        env = dict(part.split("=", 1) for part in pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0") if "=" in part)
    while True:
        said = subprocess.run([BREAKWATER, "umr", "-wa"], env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
        lines = said.stdout.splitlines()
        if lines and lines[0].startswith("SE SA") and len(lines) - 1 == n:
            return
        check(time.monotonic() < end, f"{n} waves never come: {lines[1:]} {said.stderr}")
        time.sleep(0.05)


def source_lines_of_a_hang():
    """A kernel that loops for ever, somewhere in its source."""
    spin = BREAKWATER.parent / "tests/live/spin.co"
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder) / "out"
        program = start([BREAKWATER, "exec", "--ready", "--", BREAKWATER.parent / "breakwater-launch", spin, "--grid", "64",
                         "--group", "64", "--arg", "out=zeros:64:u32", "--dump", f"out={dump}"])
        end, pid = time.monotonic() + TIMEOUT_S, None
        while not pid:
            check(program.poll() is None and time.monotonic() < end, "the kernel never runs")
            time.sleep(0.05)
            pid = next((c for c in harness.children(program.pid) if executable(c).endswith("/breakwater-launch")), None)
        await_waves_of(pid, WAVES_OF_SPIN)
        s, _ = attached_in_time(pid, WAVES_OF_SPIN)
        s.command(f"symbol-file {spin}")
        source = (harness.SOURCE / "tests/live/spin.s").read_text().splitlines()
        loop = {f"spin.s:{i + 1}" for i, text in enumerate(source) if "s20, 1" in text or "scc0 spinning" in text}
        frames = {w["frame"].split()[-1] for w in waves(s).values()}
        check(frames and frames <= loop, f"where its waves are: {frames}, and not in {loop}")
        for w in waves(s):
            s.command(f"wave {w}")
            s.command("set var $s20 = 1")
        s.send("detach")
        s.end()
        equal(program.wait(TIMEOUT_S), 0, "the program's status")
        equal(list(memoryview(dump.read_bytes()).cast("I")), [7] * 64, "what it computed")


if __name__ == "__main__":
    harness.main(spaces_of_one_program, breakpoints_in_all, attached_one_after_the_other, loops_are_stopped, every_space_is_ready,
                 what_cannot_be_stopped_is_said, source_lines_of_a_hang)
