# SPDX-License-Identifier: MIT
"""The manual page keeps its blanks: .BR and the like put their arguments together without any, so that prose in such a
line loses them. And groff, where it is installed, has nothing to warn of.

    man_page.py REPOSITORY
"""
import pathlib
import re
import shutil
import subprocess
import sys

ALTERNATING = re.compile(r"\.(?:BR|RB|BI|IB|IR|RI)[ \t]+(.*)")
ARGUMENT = re.compile(r'"((?:[^"]|"")*)"|([^ \t]+)')  # roff has no other quotes
ENDS_A_WORD, BEGINS_A_WORD = re.compile(r"[a-z,;.:)]$"), re.compile(r"[a-z]")


def run_together(line):
    """Neighbours of a macro's line that would be one word: ["page", "shows"] of ".BR page shows"."""
    match = ALTERNATING.match(line)
    words = [quoted or plain for quoted, plain in ARGUMENT.findall(match[1])] if match else []
    return [f"{a}{b}" for a, b in zip(words, words[1:]) if ENDS_A_WORD.search(a) and BEGINS_A_WORD.match(b)]


def main():
    page = pathlib.Path(sys.argv[1], "man", "breakwater.1")
    assert run_together('.BR sha1sum (1); a TEXT is a label') == ["(1);a", "isa", "alabel"], "the check itself"
    assert not run_together('.BR sha1sum (1);') and not run_together('.BI "dump image " "FILE.png IMAGE"')
    bad = [f"{page.name}:{n}: loses the blank in {words[0]!r}" for n, line in enumerate(page.read_text().splitlines(), 1)
           if (words := run_together(line))]
    groff = shutil.which("groff")
    if groff:
        done = subprocess.run([groff, "-ww", "-man", "-Tutf8", page], capture_output=True, text=True, timeout=60)
        bad += done.stderr.splitlines()
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
