#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/rules.md against the vectors and tests that it names.

The page has one row for each rule that the executor must follow. A rule that vectors name
(rule=N in tests/golden/isa/*.vec) has their instructions in its third column; another one has tests
(FILE.c: FUNCTION, ...) or the reason why there is nothing (none: ...).

    rules.py            checks
    rules.py --write    writes the instructions of vectors into the page
"""
import os
import re
import sys

N_RULES = 457
root = os.environ.get("BREAKWATER_SOURCE", ".")
page = os.path.join(root, "doc", "rules.md")
wrong = []


def vectors():
    """rule -> {file: [instructions in order]}, and how many rows name it"""
    named, count = {}, {}
    folder = os.path.join(root, "tests", "golden", "isa")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".vec"):
            continue
        with open(os.path.join(folder, name)) as f:
            for n, line in enumerate(f, 1):
                if line.startswith("#"):
                    continue
                for rules in re.findall(r" rule=(\S*)", line):
                    for rule in rules.split(","):
                        if not rule.isdigit() or not 1 <= int(rule) <= N_RULES:
                            wrong.append(f"{name}:{n}: rule={rules}: there is no such rule")
                            continue
                        ops = named.setdefault(int(rule), {}).setdefault(name, [])
                        op = line.split(None, 1)[0]
                        if op not in ops:
                            ops.append(op)
                        count[int(rule)] = count.get(int(rule), 0) + 1
    return named, count


def column_of(files):
    return "; ".join(f"{name}: {', '.join(ops)}" for name, ops in sorted(files.items()))


def sources():
    """test file name -> text; of all files where several have that name"""
    out = {}
    for folder, _, names in os.walk(os.path.join(root, "tests")):
        for name in names:
            if name.startswith("test_") and name.endswith(".c"):
                with open(os.path.join(folder, name)) as f:
                    out[name] = out.get(name, "") + f.read()
    return out


def check_tests(rule, text, tests):
    for part in text.split("; "):
        name, colon, functions = part.partition(": ")
        if not colon or name not in tests:
            wrong.append(f"rule {rule}: '{part}' names neither a test file nor a reason")
            continue
        for function in functions.split(", "):
            if not re.search(rf"\b{re.escape(function)}\(void \*\*", tests[name]):
                wrong.append(f"rule {rule}: {name} has no test {function}")


def main():
    named, count = vectors()
    tests = sources()
    with open(page) as f:
        lines = f.read().split("\n")
    seen, none = [], set()
    for n, line in enumerate(lines):
        m = re.fullmatch(r"\| (\d+) \| (.+?) \| (.*) \|", line)
        if not m:
            if re.match(r"\| *\d", line):
                wrong.append(f"rules.md:{n + 1}: not a row: {line}")
            continue
        rule, title, where = int(m[1]), m[2], m[3]
        seen.append(rule)
        if rule in named:
            want = column_of(named[rule])
            if where != want and "--write" in sys.argv:
                lines[n] = f"| {rule} | {title} | {want} |"
            elif where != want:
                wrong.append(f"rule {rule}: the vectors are '{want}', not '{where}' (rules.py --write)")
        elif where.startswith("none: "):
            none.add(rule)
            like = re.fullmatch(r"none: as (\d+)", where)
            if int(like[1]) not in none if like else len(where) < 16:
                wrong.append(f"rule {rule}: no vector, and no reason")
        else:
            check_tests(rule, where, tests)
    if seen != list(range(1, N_RULES + 1)):
        wrong.append("rules missing, twice or out of order: "
                     f"{sorted(set(range(1, N_RULES + 1)) ^ set(seen)) or seen}")
    if "--write" in sys.argv:
        with open(page, "w") as f:
            f.write("\n".join(lines))
    for w in wrong:
        print(w)
    print(f"{N_RULES} rules: {len(named)} have vectors ({sum(count.values())} times named)")
    return 1 if wrong else 0


sys.exit(main())
