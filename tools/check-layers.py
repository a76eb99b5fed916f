#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every #include "folder/..." in src/ against tests/layers.txt, which says how to read it.

Usage: check-layers.py SOURCE_ROOT
Prints one line for each include that is not allowed, each cycle between folders, and each reason
that excuses no cycle; exit status 1 if there is one.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s+"([A-Za-z0-9_./]+)"')


def read_layers(path):
    """Folder -> what it may include, and the same for the edges that have a reason."""
    layers, excused = {}, {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        left, _, right = line.partition(":")
        folder, _, other = (word.strip() for word in left.partition("!"))
        if other:
            if not right.strip():
                sys.exit(f"{path}: {folder} ! {other} has no reason")
            excused.setdefault(folder, set()).add(other)
        else:
            layers[folder] = set(right.split())
    for folder in layers:
        up = parent(folder, layers)
        while up:
            layers[folder] |= {f for f in layers[up] if not f.startswith(up + "/")}
            up = parent(up, layers)
    return layers, excused


def parent(folder, layers):
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in layers:
            return folder
    return None


def folder_of(path, layers):
    """The longest folder of the list that the file is in; None: it is in none."""
    path = path.rpartition("/")[0]
    while path and path not in layers:
        path = path.rpartition("/")[0]
    return path or None


def find_cycle(edges):
    """A list of folders in which each includes the next one, the last the first; None: no cycle."""
    done, way = set(), []

    def visit(folder):
        if folder in way:
            return way[way.index(folder):]
        if folder in done:
            return None
        way.append(folder)
        for other in sorted(edges.get(folder, ())):
            cycle = visit(other)
            if cycle:
                return cycle
        way.pop()
        done.add(folder)
        return None

    for folder in sorted(edges):
        cycle = visit(folder)
        if cycle:
            return cycle
    return None


def check(root):
    layers, excused = read_layers(root / "tests/layers.txt")
    source = root / "src"
    edges, bad, seen = {}, [], 0
    for path in sorted(source.rglob("*.[chS]")):
        name = str(path.relative_to(source))
        folder = folder_of(name, layers)
        if not folder:
            bad.append(f"src/{name}: its folder is not in tests/layers.txt")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = INCLUDE.match(line)
            used = m and folder_of(m.group(1), layers)
            if not used:
                continue
            seen += 1
            if used == folder:
                continue
            edges.setdefault(folder, set()).add(used)
            if used not in layers[folder] | layers.get(name, set()) | excused.get(folder, set()):
                bad.append(f"src/{name}:{number}: {folder} may not include {used}")
    kept = {f: others - excused.get(f, set()) for f, others in edges.items()}
    cycle = find_cycle(kept)
    if cycle:
        bad.append("a cycle without a reason: " + " -> ".join(cycle + cycle[:1]))
    for folder, others in sorted(excused.items()):
        for other in sorted(others):
            if not cycle and not find_cycle({**kept, folder: kept.get(folder, set()) |
                                             (edges.get(folder, set()) & {other})}):
                bad.append(f"{folder} ! {other}: closes no cycle, so it needs no reason")
    return seen, bad


def main():
    seen, bad = check(pathlib.Path(sys.argv[1]))
    for line in bad:
        print(line)
    print(f"{seen} includes checked, {len(bad)} findings")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
