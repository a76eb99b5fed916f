#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that files and parameter lists have not grown beyond what a reader takes in at once.

Usage: check-sizes.py SOURCE_ROOT
A C or Python file of src, tests and tools has at most 600 lines, a header 300. A longer one says
why, in its first comment: "Long file: REASON". A function of src, or a pointer to one in a struct,
has at most six parameters; tests/sizes.txt lists those that wait to be mended. Exit status 1 if
there is a finding; an entry of the list that is not needed any more is only named.
"""
import pathlib
import re
import sys

MAX_LINES = {".c": 600, ".py": 600, ".h": 300}
HEAD_LINES = 45
MAX_PARAMETERS = 6
REASON = re.compile(r"\blong file: \S", re.I)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\\\n', re.S)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)\s*", re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#[^\n]*", re.M)
# a definition or declaration: at the left margin, with a type before the name
FUNCTION = re.compile(r"^(?!return\b|else\b)[A-Za-z_][\w \t*]*?[ \t*\n](\w+)\(", re.M)
POINTER = re.compile(r"\(\*[ \t]*(?:const[ \t]+)?(\w+)\)\(")


def blank(m):
    return "\n" * m.group(0).count("\n")


def n_parameters(text, at):
    """How many there are in the parentheses that open before `at`; 0 where they do not close."""
    depth, n = 1, 1
    while at < len(text):
        c = text[at]
        depth += (c in "([{") - (c in ")]}")
        if not depth:
            return n
        n += c == "," and depth == 1
        at += 1
    return 0


def long_lists(text):
    """(name, line, parameters) of each function with too many."""
    for what in (COMMENT_OR_STRING, PREPROCESSOR, ATTRIBUTE):
        text = what.sub(blank, text)
    for pattern in (FUNCTION, POINTER):
        for m in pattern.finditer(text):
            n = n_parameters(text, m.end())
            if n > MAX_PARAMETERS:
                yield m.group(1), text.count("\n", 0, m.start(1)) + 1, n


def read_waiting(path):
    """The entries of sizes.txt: FILE, or FILE FUNCTION."""
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return {tuple(words) for words in lines if words}


def check(root):
    waiting = read_waiting(root / "tests/sizes.txt")
    bad, seen, used = [], 0, set()

    def found(key, message):
        if key in waiting:
            used.add(key)
        else:
            bad.append(message)

    for path in sorted(p for d in ("src", "tests", "tools") for p in (root / d).rglob("*")):
        limit = MAX_LINES.get(path.suffix)
        if not limit or not path.is_file():
            continue
        seen += 1
        file, text = str(path.relative_to(root)), path.read_text()
        lines = text.splitlines()
        if len(lines) > limit and not REASON.search("\n".join(lines[:HEAD_LINES])):
            found((file,), f"{file}: {len(lines)} lines, more than {limit}")
        if file.startswith("src/") and path.suffix != ".py":
            for name, line, n in sorted(set(long_lists(text)), key=lambda f: f[1]):
                found((file, name), f"{file}:{line}: {name}() has {n} parameters")
    for key in sorted(waiting - used):
        print(f"tests/sizes.txt: {' '.join(key)} is not needed")
    return seen, bad


def main():
    seen, bad = check(pathlib.Path(sys.argv[1]))
    for line in bad:
        print(line)
    print(f"{seen} files checked, {len(bad)} findings")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
