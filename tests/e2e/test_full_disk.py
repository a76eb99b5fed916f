# SPDX-License-Identifier: MIT
"""A disk that is full, and a limit of the size of files: what cannot be written names the file and the reason, no half of a file is
left that could be taken for a whole one, and what was there before in a file that is added to stays."""
import ctypes
import os
import pathlib
import resource
import subprocess
import tempfile

from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, equal
from test_capture import LAUNCH, assemble

RUN = ["examples/saxpy.s", "--grid", "64", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:20000", "--arg", "y=fill:64:1", "--arg", "out=zeros:64"]
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000


def breakwater(*args, **kwargs):
    return subprocess.run([str(BREAKWATER), *[str(a) for a in args]], cwd=SOURCE, capture_output=True, text=True, timeout=TIMEOUT_S,
                          **{"stdin": subprocess.DEVNULL, **kwargs})


def check_full(done, path, status, reason="No space left on device"):
    said = done.stdout + done.stderr
    check(status is None or done.returncode == status, f"{path}: status {done.returncode}\n{said}")
    check(f"{path}" in said and reason in said, f"{path}: {said}")


def full_disk(full, folder):
    fill = full / "fill"
    code, whole = assemble("examples/saxpy.s", folder), folder / "whole.bwc"
    program = [LAUNCH, code, *RUN[1:]]
    equal(breakwater("capture", "-o", whole, "--", *program).returncode, 0, "a capture that has room")
    # A capture is cut: it says that it has no end, and does not pass for a whole one.
    path = full / "a.bwc"
    for options in ([], ["--last", "1"]):
        check_full(breakwater("capture", *options, "-o", path, "--", *program), path, 4)
        check("It has no end" in breakwater("capture", "list", path).stdout, "a capture that was cut off")
    path.unlink()
    log = full / "history"
    log.mkdir()
    kept = log / "breakwater_history"
    kept.write_text("_HiStOrY_V2_\nhelp\n")
    kept.chmod(0o600)
    added = full / "added"
    added.write_bytes(b"before")
    fill_up(fill)
    page, memory, breakpoints = full / "page.html", full / "memory", full / "breakpoints"
    commands = ["break saxpy.s:20", "starti", f"report {page}", f"dump memory {memory} &x[0] &x[19999]",
                f"append memory {added} &x[0] &x[19999]", f"save breakpoints {breakpoints}", "kill", "quit", ""]
    done = breakwater("run", "-i", *RUN, stdin=None, input="\n".join(commands), env={**os.environ, "XDG_STATE_HOME": str(log)})
    for path in (page, memory, added, breakpoints, kept):
        check_full(done, f"cannot write {path}", None)
    equal(added.read_bytes(), b"before", "a file that was to be added to")
    check_full(breakwater("run", *RUN, "--dump", f"x={full}/x"), f"{full}/x", None)
    check_full(breakwater("replay", "--dump", f"1:1={full}/buffer", whole), f"{full}/buffer", None)
    equal(kept.read_text(), "_HiStOrY_V2_\nhelp\n", "the history")
    equal(sorted(p.name for p in full.iterdir()), ["added", "fill", "history"], "what is left")
    equal([p.name for p in log.iterdir()], [kept.name], "what is left of the history")


def fill_up(path):
    with open(path, "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * 4096)
        except OSError:
            pass


def limited(folder):
    """Of files' size: an error as well, and no signal."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    log, page = folder / "kern.log", folder / "page.html"
    log.write_text("[  1.0] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n")
    done = breakwater("crash", "--html", page, log, preexec_fn=limit)
    check_full(done, page, 2, "File too large")
    check(not page.exists(), "half a page is left")


def main():
    with tempfile.TemporaryDirectory() as top:
        folder, full = pathlib.Path(top), pathlib.Path(top, "full")
        limited(folder)
        full.mkdir()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) or \
                libc.mount(b"none", str(full).encode(), b"tmpfs", 0, b"size=40k"):
            print(f"a full disk: skipped, a file system cannot be mounted here ({os.strerror(ctypes.get_errno())})")
            return
        try:
            full_disk(full, folder)
        finally:
            libc.umount2(str(full).encode(), 2)


if __name__ == "__main__":
    main()
