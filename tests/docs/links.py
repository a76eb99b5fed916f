#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages hold together: every relative link and anchor leads somewhere, doc/README.md leads to every page, each page has
one title and headings that go down by one level, and what a package installs has no link into what it does not install.
README.md is short, and every tutorial is run by a test.

Usage: links.py TUTORIAL..., the names of the tutorials that have a test, with the environment of the tests. First the checks are tried on planted errors.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LARGEST_B = 6144
LEAST_WORDS = 30  # a page with fewer says nothing
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
IN_SOURCE_ONLY = "## How it is made"  # a heading of doc/README.md


def prose(text):
    """A page without its blocks of code, in which [1](2) and # are something else."""
    return re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S)


def headings(text):
    """[(level, title)] of a page."""
    return [(len(m[1]), m[2].strip()) for m in re.finditer(r"^(#+) (.*)$", prose(text), re.M)]


def anchor_of(title):
    """The anchor that GitHub and MyST give a heading."""
    title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def anchors(text):
    """The anchors of a page: of equal ones the second has -1, and so on."""
    out = []
    for _, title in headings(text):
        name, n = anchor_of(title), 0
        while (name if n == 0 else f"{name}-{n}") in out:
            n += 1
        out.append(name if n == 0 else f"{name}-{n}")
    return out


def links(page):
    """[(link, file, anchor)] of a page's relative links."""
    for link in LINK.finditer(prose(page.read_text())):
        target = link[1] or link[2]
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield target, ((page.parent / path).resolve() if path else page), anchor


def pages_of(root):
    top = [root / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NEWS.md", "CHANGELOG.md")]
    return [page for page in top if page.exists()] + sorted((root / "doc").rglob("*.md"))


def check(root):
    """What is wrong with the pages, one line each."""
    index = root / "doc/README.md"
    pages = pages_of(root)
    for page in pages:
        name, text = page.relative_to(root), page.read_text()
        if len(prose(text).split()) < LEAST_WORDS:
            yield f"{name}: is almost empty"
        levels = [level for level, _ in headings(text)]
        if levels[:1] != [1] or levels.count(1) != 1:
            yield f"{name}: does not begin with its one title"
        for (before, _), (level, title) in zip(headings(text), headings(text)[1:]):
            if level > before + 1:
                yield f"{name}: the heading '{title}' is {level - before} levels below the one before it"
        for target, file, anchor in links(page):
            if not file.exists():
                yield f"{name}: {target} does not exist"
            elif anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text())):
                yield f"{name}: {target} is not a heading"
    # The book has the pages to which doc/README.md leads, by way of the README.md of each folder (tools/make-book.py).
    reached, waiting = set(), [index]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            if page.name == "README.md" and page.parent != root:
                waiting += [file for _, file, _ in links(page) if file.suffix == ".md" and file.exists()]
    for page in pages:
        if page not in reached and page != root / "README.md":
            yield f"{page.relative_to(root)}: doc/README.md does not lead to it"


def check_installed(root, plan):
    """The installed pages are all but those that doc/README.md calls pages of the source. plan: what Meson installs."""
    index = root / "doc/README.md"
    begin = index.read_text().index(IN_SOURCE_ONLY)
    of_source = {(index.parent / (link[1] or link[2])).resolve() for link in LINK.finditer(index.read_text()[begin:])}
    of_source |= {page for folder in {page.parent for page in of_source if page.name == "README.md"} for page in folder.rglob("*.md")}
    installed = {pathlib.Path(source).resolve(): dest for source, dest in plan.items()}
    for source, dest in list(installed.items()):  # a folder stands for all that is in it
        if source.is_dir():
            installed.update({file: f"{dest}/{file.relative_to(source)}" for file in source.rglob("*")})
    for page in sorted((root / "doc").rglob("*.md")):
        dest, name = installed.get(page), page.relative_to(root)
        if page in of_source:
            if dest:
                yield f"{name}: is installed, and doc/README.md says that it is in the source only"
        elif not dest:
            yield f"{name}: is not installed (meson.build)"
        elif not dest.endswith(f"/breakwater/{name}"):
            yield f"{name}: is installed as {dest}, where links to it do not lead"
        else:
            for target, file, _ in links(page):
                is_made = file.suffix == ".in"  # by the build, which installs the result
                if file.exists() and file not in installed and file not in of_source and (root / "doc") in file.parents and not is_made:
                    yield f"{name}: {target} is not installed (meson.build)"


WORDS = "word " * LEAST_WORDS
PLANTED = {
    "README.md": f"# R\n{WORDS}\n",
    "doc/README.md": f"# D\n{WORDS}[a](a.md) [f](f/README.md)\n## How it is made\n[s](s.md)\n",
    "doc/a.md": f"# A\n{WORDS}[r](../README.md) [b](b.md)\n[c](#c) [d](#d) [d](#d-1) [p](p.png)\n## D\n## D\n#### E\n```\n# [x](y)\n```\n",
    "doc/p.png": "",
    "doc/s.md": f"# S\n{WORDS}\n",
    "doc/alone.md": "# Alone\n",
    "doc/f/README.md": f"# F\n{WORDS}[g](g.md)\n",
    "doc/f/g.md": f"{WORDS}\n[r](README.md#f) [r](README.md#g)\n",
}
FOUND = [
    "doc/a.md: #c is not a heading",
    "doc/a.md: b.md does not exist",
    "doc/a.md: the heading 'E' is 2 levels below the one before it",
    "doc/alone.md: doc/README.md does not lead to it",
    "doc/alone.md: is almost empty",
    "doc/f/g.md: README.md#g is not a heading",
    "doc/f/g.md: does not begin with its one title",
]
PLAN = {"doc/README.md": "/d/breakwater/doc/README.md", "doc/a.md": "/d/breakwater/doc/a.md", "doc/f": "/d/breakwater/f",
        "doc/s.md": "/d/breakwater/doc/s.md"}
NOT_INSTALLED = [
    "doc/a.md: p.png is not installed (meson.build)",
    "doc/alone.md: is not installed (meson.build)",
    "doc/f/README.md: is installed as /d/breakwater/f/README.md, where links to it do not lead",
    "doc/f/g.md: is installed as /d/breakwater/f/g.md, where links to it do not lead",
    "doc/s.md: is installed, and doc/README.md says that it is in the source only",
]


def try_planted():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        plan = {root / source: dest for source, dest in PLAN.items()}
        for found, expected in ((sorted(check(root)), FOUND), (sorted(check_installed(root, plan)), NOT_INSTALLED)):
            if found != expected:
                print("of the planted errors it finds", *found, sep="\n\t")
                return False
    return True


def main():
    if not try_planted():
        return 1
    root = pathlib.Path(os.environ["BREAKWATER_SOURCE"]).resolve()
    wrong = list(check(root))
    size_b = (root / "README.md").stat().st_size
    if size_b > LARGEST_B:
        wrong.append(f"README.md has {size_b} bytes; it may have {LARGEST_B}: the rest is for pages of doc/")
    pages = {page.stem for page in (root / "doc/tutorials").glob("*.md")} - {"README"}
    wrong += [f"{name} is a tutorial without a test, or a test without a tutorial" for name in sorted(pages ^ set(sys.argv[1:]))]
    plan = subprocess.run(["meson", "introspect", "--installed", os.environ["BREAKWATER_BUILD"]], capture_output=True, text=True, check=True)
    wrong += check_installed(root, json.loads(plan.stdout))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
