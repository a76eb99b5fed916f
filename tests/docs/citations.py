#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Documents that files of the repository cite exist, and have the headings and rules that they name.

Usage: citations.py, with the environment of the tests.

A citation is a path that ends in .md, with numbers of headings behind it or without: "doc/strict.md",
"doc/hardware/traps.md 2.1 and 7"; doc/ and doc/hardware/ may be left out. "rule 12" and "rules 36 to
38" are rows of doc/rules.md. In Markdown the targets of links are checked as well. First the checks are
tried on planted errors.
"""
import os
import pathlib
import re
import sys
import tempfile

OTHERS = {"LoaderLayerInterface.md",  # documents of other projects
          "index.md", "man/README.md"}  # and pages that tools/make-book.py makes
PLANTING = {"citations.py", "links.py"}  # tests that plant errors
PLACES = [".", "doc", "doc/hardware"]  # where paths may begin, besides the citing file's folder
FOLDERS = ["src", "tests", "tools", "data", "doc", "man", "examples"]
NUMBER = r"\d+(?:\.\d+)*"
NUMBERS = rf"{NUMBER}(?:(?:,| and| or| to|, and) {NUMBER})*"
PATH = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.md)\b(?:\]\([^)]*\)|\))?" + rf"(?: ({NUMBERS})(?![\w.]*\w))?")
RULES = re.compile(rf"\b[Rr]ules? ({NUMBERS})\b")
LINK = re.compile(r"\[[^]]*\]\(([^)#\s]+)[^)]*\)")
ANY = re.compile(r"\.md\b|[Rr]ules? \d|reference\s|\(\w+-[\w-]+ \d|\]\(")
ELSEWHERE = re.compile(r"\breference [a-z0-9]+(?:-[a-z0-9]+)+\b|\([a-z0-9]+(?:-[a-z0-9]+)+ \d+(?:\.\d+)*[,;)]")


def files(root):
    for path in sorted(root.iterdir()):
        if path.is_file() and (path.suffix in {".md", ".build"} or path.name == "Makefile"):
            yield path
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.name not in PLANTING:
                yield path


def flow(text):
    """The text as one line, comment marks at the beginning of lines left out; and where lines begin in it."""
    parts, begins, at = [], [], 0
    for line in text.splitlines():
        line = re.sub(r"^\s*(?:/?\*+(?!/)|//|#+(?= )|;)?\s*", "", line).rstrip() + " "
        begins.append(at)
        parts.append(line)
        at += len(line)
    return "".join(parts), begins


def headings(path):
    """Numbers of the headings of a page, and of the rows of a table of rules."""
    return set(re.findall(rf"^(?:#+ |\| )({NUMBER})\.?[ |]", path.read_text(), re.M))


def numbers(text):
    """Each number that is named; of a range of whole numbers all of them."""
    out = re.findall(NUMBER, text)
    for first, last in re.findall(r"(?<![.\d])(\d+) to (\d+)(?![.\d])", text):
        out += [str(n) for n in range(int(first), int(last))]
    return out


def check(root):
    wrong = []
    known = {}

    def has(page, number):
        if page not in known:
            known[page] = headings(page)
        return number in known[page]

    def find(path, cited):
        places = [root / p for p in PLACES]
        for base in [path.parent] + places if path.suffix == ".md" else places:
            if (base / cited).is_file():
                return (base / cited).resolve()
        return None

    rules = root / "doc/rules.md"
    for path in files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if not ANY.search(text):
            continue
        text, begins = flow(text)

        def report(at, what):
            line = sum(1 for b in begins if b <= at)
            wrong.append(f"{path.relative_to(root)}:{line}: {what}")

        for m in PATH.finditer(text):
            page = find(path, m.group(1))
            if m.group(1) in OTHERS:
                continue
            if page is None:
                report(m.start(), f"{m.group(1)} does not exist")
            else:
                for n in numbers(m.group(2) or ""):
                    if not has(page, n):
                        report(m.start(), f"{m.group(1)} has no {n}")
        for m in RULES.finditer(text):
            for n in numbers(m.group(1)):
                if not has(rules, n):
                    report(m.start(), f"doc/rules.md has no rule {n}")
        for m in ELSEWHERE.finditer(text):
            report(m.start(), f"'{m.group(0)}' is not a file of the repository")
        if path.suffix == ".md":
            for m in LINK.finditer(text):
                if "://" not in m.group(1) and not (path.parent / m.group(1)).exists():
                    report(m.start(), f"the link {m.group(1)} leads nowhere")
    return wrong


PLANTED = {
    "doc/rules.md": "# Rules\n\n| rule | what |\n|---|---|\n| 1 | one |\n| 2 | two |\n",
    "doc/a.md": "# A\n\n## 1. One\n\n### 1.1 Within\n\n## 2. Two\n\nSee [b](b.md) and [a](a.md) 2.\n",
    "src/good.c": "/* Rules 1 to 2 (doc/a.md 1.1\n * and 2). See doc/a.md. */\n",
    "src/page.c": "/* See doc/b.md. */\n",
    "src/heading.c": "/* What follows is said in (doc/a.md\n * 1 and 3). */\n",
    "src/rule.c": "int a; /* rules 1 to 3 */\n",
    "src/elsewhere.c": "/* (reference some-page) */\nint a; /* (other-page 3.1) */\n",
}
FOUND = [
    "doc/a.md:9: b.md does not exist",
    "doc/a.md:9: the link b.md leads nowhere",
    "src/elsewhere.c:1: 'reference some-page' is not a file of the repository",
    "src/elsewhere.c:2: '(other-page 3.1)' is not a file of the repository",
    "src/heading.c:1: doc/a.md has no 3",
    "src/page.c:1: doc/b.md does not exist",
    "src/rule.c:1: doc/rules.md has no rule 3",
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in PLANTED.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        found = sorted(check(root))
        if found != FOUND:
            print("of the planted errors it finds", *found, sep="\n\t")
            return 1
    wrong = check(pathlib.Path(os.environ["BREAKWATER_SOURCE"]).resolve())
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
