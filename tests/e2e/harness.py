# SPDX-License-Identifier: MIT
"""What the end-to-end tests in Python share: starting Breakwater, talking to its prompt, and one
function for each check. A test module calls main() with its cases."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from json_schema import check_session, parse

BUILD = pathlib.Path(os.environ.get("BREAKWATER_BUILD", "build")).resolve()
SOURCE = pathlib.Path(os.environ.get("BREAKWATER_SOURCE", ".")).resolve()
KERNELS = SOURCE / "tests/e2e/kernels"
BREAKWATER = BUILD / "breakwater"
IN_GUEST = bool(os.environ.get("BREAKWATER_LINUX_GUEST"))  # tests/linux: the GPU is that of Linux's driver
# Long enough for a sanitizer build on a busy machine; no test measures time.
TIMEOUT_S = 240
# Under nohup it is ignored, and so it would be in the debuggers that are ended by it.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


def equal(got, expected, what):
    if got != expected:
        raise Failure(f"{what}: {got!r}, expected {expected!r}")


def ask_gdb(script, program, *args):
    """What a script in Python finds out about a program on the CPU, in gdb: the JSON behind each "ANSWER " that it prints."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(script)
        f.flush()
        done = subprocess.run(["gdb", "-nx", "-batch", "-x", f.name, "--args", program, *[str(a) for a in args]], capture_output=True,
                              text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    answers = [json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    check(answers, f"gdb has not answered:\n{done.stdout}{done.stderr}")
    return answers


def run(*args, status=0, script=None, json_lines=False, **kwargs):
    """breakwater run ARGS; returns its standard output (or its JSON objects). script: commands."""
    command = [str(BREAKWATER), "run", "--batch"]
    if json_lines:
        command.append("--json")
    with tempfile.NamedTemporaryFile("w", suffix=".bw") as f:
        if script is not None:
            f.write("\n".join(script) + "\n")
            f.flush()
            command += ["-x", f.name]
        command += [str(a) for a in args]
        done = subprocess.run(command, cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT_S, **kwargs)
    if done.returncode != status:
        raise Failure(f"{' '.join(command)}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    check_strict(done.stderr)
    if json_lines:
        objects = [parse(line) for line in done.stdout.split("\n") if line]
        check_session(objects)
        return objects
    return done.stdout


def check_strict(stderr):
    """With BREAKWATER_VGPU_ARGS=--strict or --check the virtual GPU says its findings there: none is expected."""
    findings = [line for line in stderr.splitlines() if line.startswith(("strict: ", "check: "))]
    check(not findings, "\n".join(findings))


def events(objects, kind):
    return [o for o in objects if o.get("event") == kind]


def replies(objects, command):
    return [o for o in objects if o.get("command") == command]


def errors(objects):
    """Messages of the requests that failed, and errors of no request."""
    return [o["message"] for o in objects if o.get("result") == "error" or o.get("event") == "error"]


class Session:
    """A debugger that stays: commands go in one by one, JSON objects come back."""

    def __init__(self, *args, subcommand="run"):
        self.process = subprocess.Popen([str(BREAKWATER), subcommand, "--json", "-x", "-", *[str(a) for a in args]], cwd=SOURCE,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def send(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def read_until(self, wanted):
        """Objects up to and with the first for which wanted(object) holds."""
        seen = []
        for line in self.process.stdout:
            seen.append(parse(line))
            if wanted(seen[-1]):
                return seen
        raise Failure(f"the debugger ended; it said {seen} {self.process.stderr.read()}")

    def command(self, text):
        """The answer of one command, or its end if that is an error; events before it are kept in self.events."""
        self.n_commands = getattr(self, "n_commands", 0) + 1
        request = f"command {self.n_commands}"
        self.send(json.dumps({"id": request, "command": text}))
        seen = self.read_until(lambda o: o["type"] == "end" and o.get("request") == request)
        answers = [o for o in seen if o["type"] == "answer" and o.get("request") == request]
        self.events = [o for o in seen if o["type"] == "event"]
        return seen[-1] if seen[-1]["result"] == "error" or not answers else answers[-1]

    def __del__(self):
        # After a failure: a kernel that loops would run on without its debugger.
        if self.process.poll() is None:
            for pid in [*children(self.process.pid), self.process.pid]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()

    def end(self):
        self.process.stdin.close()
        rest = [parse(line) for line in self.process.stdout]
        check_strict(self.process.stderr.read())
        return self.process.wait(TIMEOUT_S), rest


def children(pid):
    """pids of all descendants."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found, grew = {pid}, True
    while grew:
        more = {p for p, parent in parents.items() if parent in found and p not in found}
        grew = bool(more)
        found |= more
    return found - {pid}


def named_child(pid, name):
    """The descendant of pid that runs that program of this build."""
    for p in children(pid):
        try:
            if os.path.basename(os.readlink(f"/proc/{p}/exe")) == name:
                return p
        except OSError:
            pass
    raise Failure(f"process {pid} has no child that runs {name}")


def await_child(pid, name):
    """The same as soon as there is one."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return named_child(pid, name)
        except Failure:
            if time.monotonic() > end:
                raise
        time.sleep(0.02)


def processes_with(variable):
    """pid: program, of all processes that have NAME=VALUE in the environment they were started with."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and variable.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = os.readlink(entry / "exe")
        except OSError:
            pass
    return found


def end_all(pids, names=None):
    """Kills those that are still there; with names, only those that run one of these programs."""
    for pid in pids:
        try:
            if not names or os.path.basename(os.readlink(f"/proc/{pid}/exe")) in names:
                os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def with_reports(environment, folder):
    """The environment with which a sanitizer's reports of all processes go into that folder."""
    folder.mkdir()
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        options = [environment.get(name, ""), f"log_path={folder}/report", "handle_abort=1", "print_stacktrace=1"]
        environment[name] = ":".join(o for o in options if o)
    return environment


def sanitizer_reports(folder):
    """The beginning of each, or nothing. A thread that a busy machine did not stop in time for the look at leaks is not a finding."""
    late = r"^==.*Running thread \d+ was not suspended\. False leaks are possible\.\n"
    texts = (re.sub(late, "", p.read_text(errors="replace"), flags=re.M)[:3000] for p in sorted(folder.iterdir()))
    return "\n".join(filter(str.strip, texts))


def wait_gone(pid, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
        except OSError:
            return
        time.sleep(0.02)
    raise Failure(f"{what} (process {pid}) is still there")


def device_state(program, environment=None):
    """What device_state says, without the counters of what is busy. Page tables that change while they are read are read again.
    Linux gives a program another VMID when it likes, so there the page tables are those of no VMID."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        done = subprocess.run([program, *(["0"] if IN_GUEST else [])], capture_output=True, text=True, timeout=TIMEOUT_S, env=environment)
        if done.returncode == 0:
            lines = [line for line in done.stdout.splitlines() if "SQ_DEBUG_STS" not in line]
            return sorted({re.sub(r"^(map|code) \d+", r"\1", line) for line in lines}) if IN_GUEST else lines
        check(time.monotonic() < end, f"device_state, which says {done.stderr}")
        time.sleep(0.05)


def wait_ending(pid):
    """Until its threads have begun to exit, or it is gone: on Linux's driver a process that was killed stays until its jobs
    on the GPU have ended, also those whose waves the debugger has stopped."""
    exiting = 4  # PF_EXITING of include/linux/sched.h, in the field "flags" of proc(5)
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        try:
            stats = [(task / "stat").read_text() for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
        except OSError:
            return
        if all(int(stat.rsplit(")", 1)[1].split()[6]) & exiting for stat in stats):
            return
        time.sleep(0.02)
    raise Failure(f"process {pid} does not end")


def main(*cases):
    failed = 0
    for case in cases:
        try:
            case()
            print(f"ok      {case.__name__}")
        except (Failure, subprocess.TimeoutExpired, json.JSONDecodeError, KeyError, IndexError, OSError,
                AttributeError, ValueError) as e:
            failed += 1
            print(f"FAILED  {case.__name__}: {type(e).__name__}: {e}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed != 0)
