#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README.md is short, what it shows and links to exists, doc/README.md lists every page, doc/tutorials/README.md every tutorial, and
every tutorial is run by a test.

Usage: readme.py TUTORIAL..., the names of the tutorials that have a test, with the environment of the tests.
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
    readme = source / "README.md"
    wrong = []
    if readme.stat().st_size > LARGEST_B:
        wrong.append(f"README.md has {readme.stat().st_size} bytes; it may have {LARGEST_B}: the rest is for pages of doc/")
    for page in [readme, *sorted((source / "doc").glob("*.md")), *sorted((source / "doc/tutorials").glob("*.md"))]:
        wrong += broken(page)
    for index in (source / "doc/README.md", source / "doc/tutorials/README.md"):
        listed = {link[1] for link in LINK.finditer(index.read_text())}
        wrong += [f"{index.relative_to(source)} does not list {page.name}" for page in sorted(index.parent.glob("*.md"))
                  if page != index and page.name not in listed]
    pages = {page.stem for page in (source / "doc/tutorials").glob("*.md")} - {"README"}
    wrong += [f"{name} is a tutorial without a test, or a test without a tutorial" for name in sorted(pages ^ set(sys.argv[1:]))]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
