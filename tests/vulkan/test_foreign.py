# SPDX-License-Identifier: MIT
"""A foreign Vulkan program (ffmpeg's hflip_vulkan, as Debian has it): stopped in its third
dispatch, stepped by 500 instructions, continued. What comes out is what comes out without a debugger,
and what lavapipe makes of it, but for rounding. Skipped where ffmpeg is not installed."""
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import BREAKWATER, check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
SKIP = 77


def command(out):
    return ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-init_hw_device", "vulkan=v",
            "-filter_hw_device", "v", "-f", "lavfi", "-i", "testsrc=size=256x192:rate=10", "-vf",
            "format=rgba,hwupload,hflip_vulkan,hwdownload,format=rgba", "-frames:v", "3", "-f", "rawvideo", out]


def can_run():
    if not shutil.which("ffmpeg"):
        return False
    filters = subprocess.run(["ffmpeg", "-hide_banner", "-filters"], capture_output=True, text=True)
    return "hflip_vulkan" in filters.stdout


def ask(s, text):
    """The reply of a command that may fail: its error comes behind it, so another command is put behind both."""
    s.send(text)
    s.send("set trace-commands off")
    return next(o for o in s.read_until(lambda o: o.get("command") == "set") if "command" in o)


def third_dispatch():
    with tempfile.TemporaryDirectory() as folder:
        plain, debugged, reference = (f"{folder}/{n}" for n in ("plain", "debugged", "lavapipe"))
        subprocess.run([BREAKWATER, "exec", "--", *command(plain)], check=True, stdin=subprocess.DEVNULL,
                       timeout=harness.TIMEOUT_S)
        s = harness.Session("--", *command(debugged))
        s.command("break on dispatch 3")
        s.command("run")
        equal(s.command("info dispatch")["dispatch"], 3, "the dispatch")
        s.command("break on dispatch")
        steps, pcs = 0, set()
        while steps < 500:
            where = ask(s, "print $pc")
            if "text" in where:
                pcs.add(where["text"])
                ask(s, "stepi")
                steps += 1
            else:  # the last wave of this dispatch has ended: on to the next
                ask(s, "continue")
                check("dispatch" in ask(s, "info dispatch"), f"the program ended after {steps} steps")
        check(len(pcs) > 10, f"500 steps were at {len(pcs)} places")
        s.command("delete")
        s.command("continue")
        status, _ = s.end()
        equal(status, 0, "the debugger's status")
        want = pathlib.Path(plain).read_bytes()
        equal(len(want), 3 * 256 * 192 * 4, "bytes without a debugger")
        check(pathlib.Path(debugged).read_bytes() == want, "the output is another one under the debugger")
        drivers = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
        if drivers:
            env = {**os.environ, "VK_DRIVER_FILES": drivers[0], "VK_ICD_FILENAMES": drivers[0]}
            env.pop("LD_LIBRARY_PATH", None)
            subprocess.run(command(reference), check=True, env=env, timeout=harness.TIMEOUT_S)
            # the filter samples between texels, which drivers round as they like
            far = [i for i, (a, b) in enumerate(zip(pathlib.Path(reference).read_bytes(), want)) if abs(a - b) > 1]
            equal(far, [], "bytes that lavapipe makes something else of")


if __name__ == "__main__":
    if not can_run():
        print("ffmpeg with hflip_vulkan is not installed: nothing to run")
        sys.exit(SKIP)
    harness.main(third_dispatch)
