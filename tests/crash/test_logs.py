#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verdict of breakwater crash on kernel logs of real reports, made small (names, addresses and processes are
made up), and on each of them in other shapes: backwards, quoted, wrapped by mail, without newlines, as JSON, with
an older boot before it. What is said of them must be the same.

logs/NAME.expect: a regular expression a line, which the output must contain; after '!' one that the verdict, the
first paragraph, must not contain."""
import json
import pathlib
import re
import subprocess
import sys
import textwrap

BREAKWATER, SOURCE = sys.argv[1:3]
LOGS = sorted(pathlib.Path(SOURCE, "tests/crash/logs").glob("*.log"))
TIMEOUT_S = 240
OLD_BOOT = ("[    0.000000] Linux version 6.1.0 (made up)\n"
            "[  900.000000] amdgpu: ring sdma1 timeout, signaled seq=1, emitted seq=2\n"
            "[    0.000000] Linux version 6.1.0 (made up)\n")


def crash(text):
    done = subprocess.run([BREAKWATER, "crash", "-"], input=text, capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.stdout + done.stderr


def verdict(text):
    return crash(text).split("\n\n")[0]


def backwards(text):
    return "".join(line + "\n" for line in reversed(text.splitlines()))


def quoted(text):
    return "".join(f"> {line}\n" for line in text.splitlines())


def wrapped(width):
    def wrap(text):
        lines = []
        for line in text.splitlines():
            lines += textwrap.wrap(line.replace("\t", " "), width, break_long_words=False, break_on_hyphens=False) or [""]
        return "".join(line + "\n" for line in lines)
    return wrap


def as_json(text):
    return "".join(json.dumps({"__REALTIME_TIMESTAMP": str(1754412409000000 + i), "MESSAGE": line}) + "\n"
                   for i, line in enumerate(text.splitlines()))


SHAPES = {
    "backwards": backwards,
    "quoted": quoted,
    "wrapped at 72": wrapped(72),
    "wrapped at 100": wrapped(100),
    "quoted and wrapped": lambda text: quoted(wrapped(76)(text)),
    "JSON": as_json,
    "JSON backwards": lambda text: backwards(as_json(text)),
    "with Windows' ends of lines": lambda text: text.replace("\n", "\r\n"),
    "without newlines": lambda text: " ".join(text.splitlines()),
}
# What these are in already, or cannot be put into: they are wrapped or JSON; a program's output has no such form.
FIXED = {"35-mail-wrapped": {"quoted"}, "81-bugzilla-wrapped-fault": {"quoted"},
         "38-json-journal": {"backwards", "with Windows' ends of lines"}, "92-rocm-runtime": {"quoted"},
         "90-two-boots": set(SHAPES) - {"without newlines", "JSON", "JSON backwards"}}


def main():
    failures = []
    n = 0
    for i, log in enumerate(LOGS):
        text = log.read_text()
        output = crash(text)
        told = output.split("\n\n")[0]
        for line in log.with_suffix(".expect").read_text().splitlines():
            if line.startswith("!") and re.search(line[1:], told):
                failures.append(f"{log.stem}: the verdict has {line[1:]}:\n{told}")
            elif line and not line.startswith("!") and not re.search(line, output):
                failures.append(f"{log.stem}: there is no {line} in\n{output}")
        # A third of the shapes for each log: it is the shapes that are tested.
        for name, change in list(SHAPES.items())[i % 3::3]:
            if name not in FIXED.get(log.stem, SHAPES):
                continue
            n += 1
            if verdict(change(text)) != told:
                failures.append(f"{log.stem}, {name}:\n{verdict(change(text))}\ninstead of\n{told}")
        if log.stem not in FIXED and not verdict(OLD_BOOT + text).startswith(told):
            failures.append(f"{log.stem} after another boot:\n{verdict(OLD_BOOT + text)}\ninstead of\n{told}")
    print("\n\n".join(failures) or f"{len(LOGS)} logs, {n} other shapes of them")
    return 1 if failures or not LOGS else 0


sys.exit(main())
