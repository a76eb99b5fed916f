#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/inferences.md against src/selftest/inferences.def, and against the marks [I] of the tree.

The first table of the page has a row for each inference of the self-test. The second one has the others. Each file that has
the mark [I] is named in one of them, and each file, heading and rule that is named exists; a file of the first table has the
mark.

    inferences.py            checks
    inferences.py --write    writes the first table
"""
import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ.get("BREAKWATER_SOURCE", "."))
page = root / "doc/inferences.md"
HEAD = "| name | what is inferred | relied on by |\n|---|---|---|\n"
MARK = re.compile(r"\[I[]: ]")
# They explain the mark.
EXPLAIN = {"doc/hardware/README.md", "doc/questions.md", "doc/inferences.md", "src/selftest/inferences.def"}
wrong = []


def table():
    """[(name, sentence, where)]"""
    text = (root / "src/selftest/inferences.def").read_text()
    return re.findall(r'^BW_INFERENCE\((\w+), \w+, "([^"]*)", "([^"]*)",', text, re.M)


def check_place(place):
    """A file, a page with the number of a heading, or rules."""
    if place.startswith("rule"):
        for rule in re.findall(r"\d+", place):
            if not re.search(rf"^\| {rule} \|", (root / "doc/rules.md").read_text(), re.M):
                wrong.append(f"there is no rule {rule}")
        return
    name, _, heading = place.partition(" ")
    if not (root / name).is_file():
        wrong.append(f"there is no file {name}")
    elif heading and not re.search(rf"^#+ {re.escape(heading)}[. ]", (root / name).read_text(), re.M):
        wrong.append(f"{name} has no heading {heading}")
    elif not MARK.search((root / name).read_text()):
        wrong.append(f"{name} has no mark [I]")


def marked():
    """The files with the mark."""
    for folder in ("src", "doc", "data", "include", "man"):
        for file in sorted((root / folder).rglob("*")):
            name = str(file.relative_to(root))
            if file.is_file() and name not in EXPLAIN and MARK.search(file.read_text(errors="replace")):
                yield name


def places(where):
    """"FILE, rules 1, 2" in its parts."""
    return re.split(r", (?=\D)", where)


def main():
    rows = table()
    made = HEAD + "".join(f"| `{name}` | {sentence} | {where} |\n" for name, sentence, where in rows)
    text = page.read_text()
    begin, end = text.index(HEAD), text.index("\n\n", text.index(HEAD)) + 1
    if "--write" in sys.argv[1:]:
        page.write_text(text[:begin] + made + text[end:])
        return
    if text[begin:end] != made:
        wrong.append("the first table of doc/inferences.md is not that of inferences.def: run tests/golden/inferences.py --write")
    named = {part.split(" ")[0] for _, _, where in rows for part in places(where)}
    for _, _, where in rows:
        for part in places(where):
            check_place(part)
    second = re.findall(r"^\| ((?:doc|src|data)/\S+?)(?: [\d., ]+)? \|", text[end:], re.M)
    for name in second:
        if not (root / name).is_file() or not MARK.search((root / name).read_text()):
            wrong.append(f"{name} has no mark [I]")
    for name in marked():
        if name not in named and name not in second:
            wrong.append(f"{name} has the mark [I]; it is neither in inferences.def nor in the second table of doc/inferences.md")
    for message in wrong:
        print(message)
    print(f"{len(rows)} inferences, {len(second)} rows of others")
    sys.exit(1 if wrong or len(rows) < 15 else 0)


main()
