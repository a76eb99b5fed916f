#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a test of a sanitized build, and fails it for what the sanitizers report of its processes:

    sanitizers.py [--fixed-layout] PROGRAM [ARGUMENT...]

--fixed-layout: without a random layout of the address space, in which something can lie where
ThreadSanitizer has its shadow.

The reports of all processes, those too that outlive the test's first one, go to files that are read when the
last of them has ended. Every error counts. A leak counts when our code owns it (is_ours): programs under test
load drivers that leak, and LeakSanitizer can only suppress by name what is still loaded at exit, which
Vulkan drivers are not. Meson calls this for every test of such a build (tests/meson.build)."""
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ.get("BREAKWATER_BUILD", "build-sanitize")).resolve()
# How long processes may run after the test's first one has ended: a virtual GPU ends soon after its last client.
PATIENCE_S = 30
PR_SET_CHILD_SUBREAPER = 36
ADDR_NO_RANDOMIZE = 0x0040000
SUPPRESSED_RACES = pathlib.Path(__file__).resolve().parent.parent / "tests/sanitizers/threads.supp"
FAILED = 99  # for Meson: an error, whatever the test itself said

# They allocate on behalf of their caller, and are no owners.
RUNTIME = re.compile(r"/(lib(asan|ubsan|lsan|c|m|dl|pthread|stdc\+\+|gcc_s)|ld-linux[^/]*)\.so")
# Drivers, what loads them, and Python: they own what they allocate.
DRIVER = re.compile(r"/(libpython|libvulkan|libVkLayer|libOpenCL|libRusticl|libMesaOpenCL|libgallium|libEGL|libGL|libX|libxcb|libwayland)[^/]*\.so")
# Our programs in whose process such drivers are.
WITH_DRIVERS = {"breakwater-launch-shader"}
# What LeakSanitizer says of itself where the process is killed while it looks.
KILLED = re.compile(r"^==.*==Unable to get registers from thread \d+\.\n?", re.M)
FRAME = re.compile(r"^\s*#\d+ (?P<module>\S+) (?P<function>\S+)")
RECORD = re.compile(r"^(Direct|Indirect) leak of ")


def is_ours(frames, program_is_ours):
    """Whether a leak counts. frames: (module, function) of its stack, the allocation first. The nearest frame
    of ours or of a driver decides; code that is unloaded by now has no module, or one that happens to lie
    near it and no function there, and is a driver's. With neither (the stack is cut off in some other
    library), the leak counts in our own programs."""
    for module, function in frames:
        if RUNTIME.search(module):
            continue
        ours = module.startswith(f"{BUILD}/")
        if ours and function != "<null>":
            return True
        if ours or module == "<null>" or DRIVER.search(module):
            return False
    return program_is_ours


def judge(text, program_is_ours):
    """What of a report counts: "" when nothing does."""
    text = KILLED.sub("", text).strip()
    if "ERROR: LeakSanitizer: detected memory leaks" not in text or "ERROR: AddressSanitizer" in text:
        return text
    counted = []
    for record in re.split(r"\n\s*\n", text):
        lines = record.strip().splitlines()
        start = next((i for i, line in enumerate(lines) if RECORD.match(line)), None)
        if start is None:
            continue
        frames = [FRAME.match(line) for line in lines[start + 1:]]
        if is_ours([f.groups() for f in frames if f], program_is_ours):
            counted.append(record.strip())
    return "\n\n".join(counted)


def our_programs():
    """The names of the programs that are ours alone: those of tests/vulkan load drivers. A driver is unloaded by the
    end, and the addresses of its code can look as if they were of a library that lies near."""
    return {path.name for path in BUILD.rglob("*") if path.is_file() and os.access(path, os.X_OK)
            and "vulkan" not in path.relative_to(BUILD).parts} - WITH_DRIVERS


def judge_files(folder):
    """Reports are named LOG.PROGRAM.PID."""
    ours, findings = None, []
    for path in sorted(folder.iterdir()):
        ours = our_programs() if ours is None else ours
        name, pid = path.name.split(".", 1)[1].rsplit(".", 1)
        counted = judge(path.read_text(errors="replace"), name in ours)
        if counted:
            findings.append(f"{name} (process {pid}):\n{counted}")
    return findings


def options(name, folder, more):
    given = os.environ.get(name, "")
    ours = f"log_path={folder}/log:log_exe_name=1:print_stacktrace=1:stack_trace_format='    #%n %m %f %S'{more}"
    return f"{given}:{ours}" if given else ours


def died(pid, status):
    """What a process that ended by the sanitizers' abort leaves to say: UBSan reports on standard error only."""
    return [f"process {pid} was aborted"] if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT else []


def reap_the_rest():
    """Reaps until no child is left, or patience ends; what of their ends counts."""
    findings, end = [], time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        findings += died(pid, status) if pid else []
        time.sleep(0 if pid else 0.02)
    return findings


def children():
    """The command lines of those that still run."""
    left = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == os.getpid():
                left.append(f"{entry.name} " + (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            pass
    return left


def family():
    """The process ids of all that we started, children of children too."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
        found |= more
    return sorted(found - {os.getpid()})


def where_they_wait():
    """A line for each thread: what it waits for in the kernel, and the number and arguments of its system call."""
    lines = []
    for pid in family():
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            lines.append(f"process {pid} {command}")
            for task in sorted(pathlib.Path(f"/proc/{pid}/task").iterdir()):
                state, wchan, call = ((task / name).read_text().strip() for name in ("comm", "wchan", "syscall"))
                lines.append(f"  thread {task.name} ({state}): {wchan}, system call {call}")
        except OSError:
            pass
    return lines


def main():
    # Orphans become our children, so that we know when the last has ended and written its report.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="breakwater-reports-"))
    # Leaks must not change the status of a program: whether they count is found later. Errors abort.
    env = dict(os.environ, ASAN_OPTIONS=options("ASAN_OPTIONS", folder, ":exitcode=0:abort_on_error=1"),
               UBSAN_OPTIONS=options("UBSAN_OPTIONS", folder, ":halt_on_error=1:abort_on_error=1"),
               TSAN_OPTIONS=options("TSAN_OPTIONS", folder, f":exitcode=0:suppressions={SUPPRESSED_RACES}"))
    command = sys.argv[1:]
    if command[0] == "--fixed-layout":
        command.pop(0)
        ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    # A group of its own: Meson ends ours when the time is over, and a test that hangs is looked at before.
    child = os.posix_spawnp(command[0], command, env, setpgroup=0)

    def pass_on(number, _):
        if number == signal.SIGTERM:
            print("Ended by a signal. Until then:", *where_they_wait(), sep="\n", file=sys.stderr, flush=True)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    pid, status, findings = 0, 0, []
    while pid != child:
        pid, status = os.waitpid(-1, 0)
        findings += died(pid, status)
    findings += reap_the_rest()
    for left in children():
        print(f"still running after the test: process {left}", file=sys.stderr)
    findings += judge_files(folder)
    shutil.rmtree(folder)
    if findings:
        print("What the sanitizers report:\n\n" + "\n\n".join(findings), file=sys.stderr)
        return FAILED
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
