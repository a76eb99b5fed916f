#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README.md is short, what it shows and links to exists, and doc/README.md lists every page.

Usage: readme.py, with the environment of the tests.
"""
import os
import pathlib
import re
import sys

LARGEST_B = 6144
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def heading_of(text):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def broken(page):
    """Relative links of a page that lead nowhere: to no file, or to no heading of it."""
    for link in LINK.finditer(page.read_text()):
        target = link[1] or link[2]
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"{page.name}: {target} does not exist"
        elif anchor and anchor not in map(heading_of, re.findall(r"^#+ (.*)$", file.read_text(), re.M)):
            yield f"{page.name}: {target} is not a heading"


def main():
    source = pathlib.Path(os.environ["BREAKWATER_SOURCE"]).resolve()
    readme, index = source / "README.md", source / "doc/README.md"
    wrong = []
    if readme.stat().st_size > LARGEST_B:
        wrong.append(f"README.md has {readme.stat().st_size} bytes; it may have {LARGEST_B}: the rest is for pages of doc/")
    for page in [readme, *sorted((source / "doc").glob("*.md"))]:
        wrong += broken(page)
    listed = {link[1] for link in LINK.finditer(index.read_text())}
    wrong += [f"doc/README.md does not list {page.name}" for page in sorted((source / "doc").glob("*.md"))
              if page != index and page.name not in listed]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
