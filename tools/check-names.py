#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that one name means one thing in src/: each bw_ type and function, each BW_ constant, and
each BW_ macro of a header is defined in one place.

Usage: check-names.py SOURCE_ROOT
Prints one line for each name that is defined twice; exit status 1 if there is one. What has no
prefix, and macros of .c files, belong to one file and may be called the same elsewhere.
"""
import collections
import pathlib
import re
import sys

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
ATTRIBUTE = r"(?:__attribute__\s*\(\(.*?\)\)\s*)?"
TYPE = re.compile(r"\b(?:struct|union|enum)\s+" + ATTRIBUTE + r"(bw_\w+)\s*(?:\{|BW_VEC\()")
TYPEDEF = re.compile(r"^typedef\b[^;{]*?\b(bw_\w+)\s*(?:\(|;|\[)", re.M)
ENUM = re.compile(r"\benum\b\s*" + ATTRIBUTE + r"\w*\s*\{(.*?)\}", re.S)
CONSTANT = re.compile(r"(?:^|,)\s*(BW_\w+)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(BW_\w+)", re.M)
FUNCTION = re.compile(r"^(?!typedef)[A-Za-z_][\w \t*]*?\b(bw_\w+)\((?:[^;{}])*\)\s*\n\{", re.M)


def blank(m):
    return "\n" * m.group(0).count("\n")


def names_of(text):
    """(name, offset) of all that the file defines."""
    for pattern in (TYPE, TYPEDEF):
        for m in pattern.finditer(text):
            yield "type", m.group(1), m.start()
    for m in ENUM.finditer(text):
        for c in CONSTANT.finditer(m.group(1)):
            yield "constant", c.group(1), m.start(1) + c.start(1)
    for m in MACRO.finditer(text):
        yield "macro", m.group(1), m.start()
    for m in FUNCTION.finditer(text):
        yield "function", m.group(1), m.start(1)


def check(root):
    places = collections.defaultdict(dict)
    for path in sorted((root / "src").rglob("*.[ch]")):
        file = str(path.relative_to(root))
        text = COMMENT_OR_STRING.sub(blank, path.read_text())
        for kind, name, offset in names_of(text):
            if kind == "macro" and file.endswith(".c"):
                continue
            line = text.count("\n", 0, offset) + 1
            # twice in one file: for two compilers or hosts, between #if and #else
            places[kind, name].setdefault(file, line)
    bad = [f"{kind} {name} is defined in " + ", ".join(f"{f}:{n}" for f, n in where.items())
           for (kind, name), where in sorted(places.items()) if len(where) > 1]
    return len(places), bad


def main():
    seen, bad = check(pathlib.Path(sys.argv[1]))
    for line in bad:
        print(line)
    print(f"{seen} names checked, {len(bad)} defined more than once")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
