#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that what cannot read the version in meson.build has the same one, and the same date of release.

Usage: check-version.py SOURCE_ROOT [--release]
Prints one line for each difference, and for each string of the code that repeats the version; exit status 1 if there is
one. --release: CHANGELOG.md has no changes that are newer than the version, too. First the check is tried on planted errors.
"""
import datetime
import pathlib
import re
import sys
import tempfile

SOURCE = re.compile(r"^  version: '([^']*)'", re.M)  # of meson.build
HEADING = re.compile(r"^## (.*)$", re.M)
RELEASE = re.compile(r"(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)")  # what a heading has
PACKAGE = re.compile(r"breakwater \(([^)]*)\).*?^ -- [^\n]*>  \w+, (\d+ \w+ \d+)", re.M | re.S)
COPIES = {  # file: the version in it
    "editors/vscode/package.json": re.compile(r'^  "version": "([^"]*)"', re.M),
    "doc/json.md": re.compile(r'"event":"session","version":"([^"]*)"'),
}
CODE = ("src", "include", "python", "tests", "tools", "examples", "editors")
CODE_TYPES = (".c", ".h", ".py", ".sh", ".js", ".build")


def check(root, is_release):
    """What is wrong, one line each."""
    version = SOURCE.search((root / "meson.build").read_text())[1]

    package = PACKAGE.match((root / "debian/changelog").read_text())
    date = datetime.datetime.strptime(package[2], "%d %b %Y").date().isoformat()
    if package[1] != version:
        yield f"debian/changelog: begins with version {package[1]}; meson.build has {version}"
    for file, pattern in COPIES.items():
        found = pattern.search((root / file).read_text())
        if not found or found[1] != version:
            yield f"{file}: has version {found[1] if found else 'none'}; meson.build has {version}"

    for file in ("NEWS.md", "CHANGELOG.md"):
        headings = HEADING.findall((root / file).read_text())
        releases = [found for found in map(RELEASE.fullmatch, headings) if found]
        if not releases or releases[0][1] != version:
            yield f"{file}: its newest version is {releases[0][1] if releases else 'none'}; meson.build has {version}"
        elif releases[0][2] != date:
            yield f"{file}: {version} has the date {releases[0][2]}; debian/changelog has {date}"
        elif is_release and not RELEASE.fullmatch(headings[0]):
            yield f"{file}: '{headings[0]}' is above the newest version: its lines are of none"

    repeated = re.compile(f"[\"']{re.escape(version)}[\"']")
    for folder in CODE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in CODE_TYPES and not path.is_symlink() and repeated.search(path.read_text(errors="replace")):
                yield f"{path.relative_to(root)}: repeats the version, which is in meson.build"


GOOD = {
    "meson.build": "project('x', 'c',\n  version: '1.2.3',\n",
    "debian/changelog": "breakwater (1.2.3) unstable; urgency=medium\n\n  * x\n\n -- A <a@b>  Sun, 29 Nov 2026 11:00:00 +0000\n",
    "editors/vscode/package.json": '{\n  "version": "1.2.3",\n',
    "doc/json.md": '{"event":"session","version":"1.2.3"}\n',
    "NEWS.md": "# News\n\n## 1.2.3 (2026-11-29)\n## 1.2.2 (2026-11-01)\n",
    "CHANGELOG.md": "# Changes\n\n## 1.2.3 (2026-11-29)\n",
}
PLANTED = [  # file, text in place of what GOOD has, part of the line that is expected
    ("debian/changelog", ("1.2.3", "1.2.2"), "begins with version 1.2.2"),
    ("editors/vscode/package.json", ("1.2.3", "1.2.4"), "has version 1.2.4"),
    ("doc/json.md", ("version", "v"), "has version none"),
    ("NEWS.md", ("## 1.2.3", "## 1.2.5"), "its newest version is 1.2.5"),
    ("NEWS.md", ("## 1", "## v1"), "its newest version is none"),
    ("CHANGELOG.md", ("-29", "-28"), "has the date 2026-11-28"),
    ("CHANGELOG.md", ("## 1", "## Not released\n## 1"), "is above the newest version"),
    ("src/a.c", ("", 'x = "1.2.3";'), "repeats the version"),
]


def found_in(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(check(root, True))


def try_planted():
    for file, (old, new), expected in PLANTED:
        found = found_in(GOOD | {file: GOOD.get(file, "").replace(old, new)})
        if len(found) != 1 or not found[0].startswith(f"{file}: ") or expected not in found[0]:
            sys.exit(f"{file} with '{new}' in place of '{old}': found {found}, expected '{expected}'")
    if found_in(GOOD):
        sys.exit(f"where nothing is wrong: found {found_in(GOOD)}")


def main():
    try_planted()
    wrong = list(check(pathlib.Path(sys.argv[1]), sys.argv[2:] == ["--release"]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
