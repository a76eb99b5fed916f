# SPDX-License-Identifier: MIT
"""What is started and for whom. The launcher and the replay end with the debugger that has started them, also where it is killed by
SIGKILL with waves stopped, and a replay with the command that waits for it; a program that was detached from lives on. A virtual GPU
that cannot start says under which limits."""
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, Failure, check, end_all, processes_with
from test_capture import LAUNCH, SAXPY, assemble, capture

LOOP = [KERNELS / "loop.s", "--grid", "64", "--group", "32", "--arg", "out=zeros:64"]


def start(folder, *words):
    return subprocess.Popen([str(w) for w in (BREAKWATER, *words)], cwd=SOURCE, env=dict(os.environ, HOME=str(folder)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def await_none(folder, what):
    end = time.monotonic() + TIMEOUT_S
    while left := processes_with(f"HOME={folder}"):
        if time.monotonic() > end:
            names = [pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in left]
            end_all(left)
            raise Failure(f"{what}: {names} are still there")
        time.sleep(0.05)


def check_killed(folder, what, *words):
    """Stopped at a breakpoint, which is said, it is killed."""
    p = start(folder, "run", "-i", "-ex", "break " + what, "-ex", "run", "-ex", r"echo stopped\n", *words)
    for line in p.stdout:
        if "stopped" in line:
            break
    else:
        raise Failure(f"{words}: no stop")
    p.send_signal(signal.SIGKILL)
    p.wait()
    await_none(folder, words)


def check_limit(code, which, most, said):
    done = subprocess.run([str(w) for w in (BREAKWATER, "run", "--batch", "-ex", "run", code, *LOOP[1:])], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S, preexec_fn=lambda: resource.setrlimit(which, (most, most)))
    check(done.returncode != 0 and said in done.stderr, f"limit {which} of {most}: {done.returncode} {done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, _ = capture(folder, "saxpy.bwc", LAUNCH, assemble("examples/saxpy.s", folder), *SAXPY)
        check_killed(folder, "loop", *LOOP)
        check_killed(folder, "*0x100001600", path)
        p = start(folder, "replay", "--loop", 4000000, path)
        while not any(pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("breakwater-repl") for pid in processes_with(f"HOME={folder}")):
            time.sleep(0.05)
        p.send_signal(signal.SIGKILL)
        p.wait()
        await_none(folder, "replay")
        # a code object: the assembler has limits of its own
        code = assemble("tests/e2e/kernels/loop.s", folder)
        check_limit(code, resource.RLIMIT_NOFILE, 8, "open files are limited to 8 (ulimit -n)")
        check_limit(code, resource.RLIMIT_FSIZE, 0, "files are limited to 0 KiB (ulimit -f)")
        if not os.environ.get("ASAN_OPTIONS"):
            check_limit(code, resource.RLIMIT_AS, 4 << 30, "memory is limited to 4194304 KiB (ulimit -v)")
    print("starters: ok")


if __name__ == "__main__":
    main()
