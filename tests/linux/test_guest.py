#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The guest of "breakwater vgpu linux" without a GPU: a command's input, output and status, the files that it
sees, its end by signals and by a panic. The whole (make check-linux) boots one guest for each of them."""
import hashlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from guest import ACCEL, IS_WHOLE, guest, need_parts, words

from harness import BUILD, SOURCE, TIMEOUT_S, check, equal, main, wait_gone
from json_schema import parse


def family(pid):
    """pids of all that descends from a process."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except FileNotFoundError:  # it has ended since it was listed
            continue
        for child in children:
            found += [int(child), *family(int(child))]
    return found


def command_line(pid):
    """What a process was started as; nothing where it has ended since it was listed."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def run_folders(pid):
    """Run folders that a process has open."""
    found = set()
    for fd in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
        try:
            found.add(os.readlink(fd))
        except FileNotFoundError:  # closed since it was listed
            continue
    return {path for path in found if "breakwater-vgpu-" in path}


def until(condition, what):
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        check(time.monotonic() < end, f"there was no {what} within {TIMEOUT_S} s")
        time.sleep(0.05)


SCRIPT = r"""
echo "cwd $(pwd)"
echo "user $(id -u)"
echo "release $(uname -r)"
sha256sum README.md
sha256sum
head -c 300000 /dev/zero | tr '\0' x
echo to standard error >&2
echo new > written-by-the-guest && cat written-by-the-guest
echo shared > "$1/from-guest"; cat "$1/from-host"
ls /sys/class/net
type breakwater driver-load
kill -TERM $$
"""


def a_command():
    """Bytes and status arrive unchanged; what the guest writes is gone, but in a shared folder."""
    data = bytes(range(256)) * 2000
    with tempfile.TemporaryDirectory() as share:
        (pathlib.Path(share) / "from-host").write_text("from the host\n")
        out, err = guest("sh", "-c", SCRIPT, "sh", share, data=data, status=128 + signal.SIGTERM,
                         options=["--no-gpu", "--json", "--share", share])
        equal((pathlib.Path(share) / "from-guest").read_text(), "shared\n", "what the guest wrote to the shared folder")
    x = b"x" * 300000
    check(x in out, "300000 bytes did not arrive in one piece")
    lines = out.replace(x, b"").decode().splitlines()
    readme = hashlib.sha256((SOURCE / "README.md").read_bytes()).hexdigest()
    equal(lines[0], f"cwd {SOURCE}", "the folder")
    equal(lines[1], "user 0", "the user")
    check(lines[2].startswith("release 6.12."), lines[2])
    equal(lines[3], f"{readme}  README.md", "a file of the host's")
    equal(lines[4], f"{hashlib.sha256(data).hexdigest()}  -", "standard input")
    equal(lines[5:8], ["new", "from the host", "lo"], "a new file, a file of the share, network interfaces")
    equal(lines[8], f"breakwater is {BUILD}/breakwater", "breakwater")
    equal(lines[9], "driver-load is /run/breakwater/bin/driver-load", "driver-load")
    said, report = err.decode().splitlines()
    equal(said, "to standard error", "standard error")
    report = parse(report)
    check(report.pop("accel") in ("tcg", "kvm") if ACCEL == "any" else report.pop("accel") == ACCEL, "the report has another accelerator")
    check(report.pop("boot_ms") > 0 and report.pop("command_ms") >= 0, "the report has no times")
    equal(report, {"type": "event", "event": "guest", "signal": signal.SIGTERM, "started": True, "cpus": 2, "memory": 2 << 30, "gpu": False,
                   "driver": False}, "the report")
    check(not (SOURCE / "written-by-the-guest").exists(), "the guest has written to the host")


def signals():
    """SIGINT and kill -9, in the middle of the boot, leave no process and no file."""
    for number in (signal.SIGINT, signal.SIGKILL):
        p = subprocess.Popen(words("--no-gpu", "--", "sleep", "1000"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        qemu = []

        def has_qemu():
            qemu[:] = [pid for pid in family(p.pid) if b"qemu-system" in command_line(pid)]
            return qemu
        until(has_qemu, "QEMU")
        pids = family(p.pid)
        folders = set().union(*(run_folders(pid) for pid in [p.pid, *pids]))
        check(folders, "no run folder was found")
        p.send_signal(number)
        equal(p.wait(TIMEOUT_S), 130 if number == signal.SIGINT else -number, "the status")
        for pid in pids:
            wait_gone(pid, "a process of the guest")
        for folder in folders:
            until(lambda f=folder: not os.path.exists(f), f"end of {folder}")


def a_panic():
    """The run ends with the reason and the report."""
    _, err = guest("sh", "-c", "echo c >/proc/sysrq-trigger; sleep 1000", status=2)
    text = err.decode()
    check("breakwater: the guest's kernel went down: " in text, text)
    check("sysrq: Trigger a crash" in text or "Kernel panic - not syncing" in text, text)


def bad_input():
    """Each in a sentence, before anything boots."""
    for options, said in ((["--kernel", "/nowhere"], "/nowhere cannot be read"), (["--memory", "1k"], "--memory wants a number"),
                          (["--no-gpu", "--modules", "/nowhere"], "/nowhere"), (["--no-gpu", "--share", "/nowhere"], "/nowhere cannot be shared"),
                          (["dmesg"], 'stands after "--"'), (["--accel", "hvf"], '--accel wants kvm or tcg, not "hvf"')):
        done = subprocess.run(words(*options), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
        equal(done.returncode, 2, f"the status of {options}")
        check(said in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    done = subprocess.run(words("--json", "--no-gpu", "--share", "/nowhere"), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
    equal(done.returncode, 2, "the status with --json")
    error, report = [parse(line) for line in done.stderr.splitlines()]
    check(error["event"] == "error" and "/nowhere cannot be shared" in error["message"], done.stderr)
    check(report["event"] == "guest" and not report["started"] and "status" not in report, done.stderr)


need_parts()
main(bad_input, a_command, signals, *([a_panic] if IS_WHOLE else []))
