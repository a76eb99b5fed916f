# SPDX-License-Identifier: MIT
"""Programs that read manual pages have nothing to warn of: mandoc, groff, man, and lexgrog, which finds the name and the
purpose that apropos and whatis show. Those that are not installed are named; without any the test is skipped.

    man_lint.py FOLDER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
TOOLS = {
    "mandoc": ["mandoc", "-Tlint", "-W", "warning"],
    "groff": ["groff", "-ww", "-man", "-z", "-Tutf8"],
    "man": ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"],
}


def warnings(command, page):
    done = subprocess.run([*command, page], capture_output=True, text=True, timeout=60, env=dict(os.environ, LC_ALL="C.UTF-8", MANROFFSEQ=""))
    found = done.stderr + (done.stdout if command[0] == "mandoc" else "")
    return [f"{page.name}: {command[0]}: {line}" for line in found.splitlines()] or (
        [f"{page.name}: {command[0]} failed with status {done.returncode}"] if done.returncode else [])


def whatis(page):
    """One line for each name, with a purpose that fits on a line."""
    done = subprocess.run(["lexgrog", page], capture_output=True, text=True, timeout=60)
    name = page.name.rsplit(".", 1)[0]
    lines = re.findall(r': "(\S+) - (.{10,110})"$', done.stdout, re.M)
    return [] if lines and lines[0][0] == name else [f"{page.name}: whatis would show {done.stdout.strip()!r}"]


def main():
    pages = sorted(p for p in pathlib.Path(sys.argv[1]).glob("*.[1-8]") if not p.read_text().startswith(".so "))
    there = [command for tool, command in TOOLS.items() if shutil.which(tool)]
    bad = [line for command in there for page in pages for line in warnings(command, page)]
    if shutil.which("lexgrog"):
        there.append(["lexgrog"])
        bad += [line for page in pages for line in whatis(page)]
    for tool in sorted({*TOOLS, "lexgrog"} - {c[0] for c in there}):
        print(f"not checked with {tool}, which is not installed")
    print("\n".join(bad), end="\n" if bad else "")
    assert len(pages) >= 25, f"{len(pages)} pages"
    return 1 if bad else 0 if there else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
