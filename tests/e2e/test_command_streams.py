# SPDX-License-Identifier: MIT
"""The commands of doc/command-streams.md, as they stand there: each prints what the page says that it prints. Numbers of processes
and times are others each time; the rest is as in a transcript (transcript.py)."""
import os
import pathlib
import re
import sys
import tempfile

import transcript
from harness import BUILD, SOURCE, check

PAGE = SOURCE / "doc/command-streams.md"


def cases(folder):
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    text = "".join(block for block in blocks if block.startswith("$ "))
    path = folder / "page.txt"
    path.write_text(re.sub(r"process [0-9]+|\b[0-9]+ (?:ms|KiB)\b", "{*}", text))
    return transcript.parse(path)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}", SOURCE=str(SOURCE), TMPDIR=name, LC_ALL="C.UTF-8",
                   BREAKWATER_VGPU_ARGS=re.search(r'`BREAKWATER_VGPU_ARGS="([^"]*)"`', PAGE.read_text()).group(1))
        found = cases(folder)
        check(len(found) > 15, f"{len(found)} commands in {PAGE}")
        for case in found:
            status, got = transcript.run(case, env, folder)
            if status == case.status and transcript.matches(case.expect, got) is None:
                continue
            failed += 1
            print(f"$ {case.command}\n  status {status}, expected {case.status}; expected:")
            print("\n".join(f"    {line}" for line in case.expect), "\n  it printed:")
            print("\n".join(f"    {line}" for line in got))
    print(f"{len(found) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
