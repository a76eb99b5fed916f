# SPDX-License-Identifier: MIT
"""Pages of 3,072 waves: a hang report with all registers, and a session that is stopped. How long they take to make, how
large they are, and what a browser takes to open them: headless Chromium, where it is installed, compared with an empty page."""
import collections
import pathlib
import shutil
import sys
import tempfile

import crash

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/e2e"))
from umr_waves import umr_waves  # noqa: E402

WAVES = 3072
STOPPED = ["--break", "load", SOURCE / "examples/saxpy.s", "--grid", WAVES * 32, "--group", 64, "--arg", "a=2.0", "--arg",
           f"x=iota:{WAVES * 32}", "--arg", f"y=fill:{WAVES * 32}:1", "--arg", f"out=zeros:{WAVES * 32}"]
ROUNDS = 3
Row = collections.namedtuple("Row", "name made_s size_b open_s open_cpu_s")


def hang_report(folder):
    """What RADV's hang report has of a GPU that is full of waves, which umr shows with all of their registers."""
    waves = pathlib.Path(folder, "umr_waves.log")
    waves.write_text(umr_waves(WAVES))
    return [waves, SOURCE / "tests/e2e/look/radv/gpu_info.log"]


def browser():
    return shutil.which("chromium") or shutil.which("chromium-browser")


def opened(chromium, page):
    """Seconds, and CPU time of all its processes, from the browser's start to the end of layout; the best of some."""
    def once():
        with tempfile.TemporaryDirectory() as profile:
            return crash.run(page.name, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                             "--window-size=1280,900", f"--screenshot={profile}/shot.png", page.as_uri())
    rounds = [once() for _ in range(ROUNDS)]
    return min(r.seconds for r in rounds), min(r.cpu_s for r in rounds)


def measure(build):
    """Rows, and why no browser was timed."""
    chromium = browser()
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        page = pathlib.Path(tmp, "page.html")
        page.write_text("<!DOCTYPE html><title>empty</title>")
        base = opened(chromium, page) if chromium else None
        for name, of in (("a hang report", hang_report(tmp)), ("a session that is stopped", STOPPED)):
            made = crash.run(name, build / "breakwater", "report", "-o", page, *map(str, of))
            times = [a - b for a, b in zip(opened(chromium, page), base)] if chromium else [None, None]
            rows.append(Row(name, made.seconds, page.stat().st_size, *times))
    return rows, None if chromium else "Chromium is not installed (Debian: chromium)"


def show(rows, why_not):
    print(f"\n{f'A page of {WAVES} waves, of':<52}{'made in s':>14}{'MB':>14}{'opens in s':>14}{'CPU time, s':>14}")
    for row in rows:
        times = "" if why_not else f"{row.open_s:>14.2f}{row.open_cpu_s:>14.2f}"
        print(f"{row.name:<52}{row.made_s:>14.1f}{row.size_b / 1e6:>14.1f}{times}")
    if why_not:
        print(f"Not opened in a browser: {why_not}.")
    else:
        print("Opening is what headless Chromium takes more than for an empty page, to a picture of it.")
