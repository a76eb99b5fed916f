# SPDX-License-Identifier: MIT
"""The manual pages keep their blanks: .BR and the like put their arguments together without any, so that prose in such a
line loses them. And groff, where it is installed, has nothing to warn of. They have a page for each command, and on it
every option that the program has; every command of the prompt is in breakwater-commands(7).

    man_page.py FOLDER ROWS...    FOLDER has the pages; ROWS: tools/gen-words.py
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


def plain(text):
    return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace("\\(aq", "'")


def missing(folder, rows):
    """Pages, options and commands that the rows have and the pages do not."""
    for path in rows:
        page = ""
        for row in pathlib.Path(path).read_text().splitlines():
            kind, *fields = row.split("\t")
            if kind == "line":
                name = fields[0].split()[1]
                file = folder / f"breakwater-{name}.1"
                page = plain(file.read_text()) if file.exists() else ""
                if not page and name != "help":
                    yield f"there is no page {file.name}"
            elif kind == "option" and page and f"\n{fields[0]}" not in page:
                yield f"{file.name}: does not have {fields[0]}"
            elif kind in ("command", "topic", "setting"):
                page = plain((folder / "breakwater-commands.7").read_text())
                head = {"command": f"\n{fields[0]}", "topic": f"\n.SH {fields[0].upper()}", "setting": f"\nset {fields[0]}"}[kind]
                if head not in page:
                    yield f"breakwater-commands.7: does not have the {kind} {fields[0]}"


def main():
    folder, rows = pathlib.Path(sys.argv[1]), sys.argv[2:]
    pages = sorted(folder.glob("*.[17]"))
    assert run_together('.BR sha1sum (1); a TEXT is a label') == ["(1);a", "isa", "alabel"], "the check itself"
    assert not run_together('.BR sha1sum (1);') and not run_together('.BI "dump image " "FILE.png IMAGE"')
    bad = [f"{page.name}:{n}: loses the blank in {words[0]!r}" for page in pages
           for n, line in enumerate(page.read_text().splitlines(), 1) if (words := run_together(line))]
    bad += missing(folder, rows)
    groff = shutil.which("groff")
    for page in pages if groff else []:
        done = subprocess.run([groff, "-ww", "-man", "-Tutf8", page], capture_output=True, text=True, timeout=60)
        bad += done.stderr.splitlines()
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad or len(pages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
