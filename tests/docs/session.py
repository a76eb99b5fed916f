#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The picture of README.md is of a session that Breakwater has: tools/record-session.py records the same again as
tests/docs/session.json has, and draws doc/session.svg of it. First, its terminal shows what a terminal shows.

    session.py [record]     record: also runs the session again, with the program of BREAKWATER_BUILD
"""
import importlib.util
import json
import os
import pathlib
import sys
import xml.dom.minidom

SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"]).resolve()
SPEC = importlib.util.spec_from_file_location("record_session", SOURCE / "tools/record-session.py")
session = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(session)

SCREENS = {  # of 10 columns and 3 rows: text and cursor
    "one": (["one"], (0, 3)),
    "one\rT": (["Tne"], (0, 1)),
    "one\r\x1b[K": ([""], (0, 0)),
    "one\r\ntwo": (["one", "two"], (1, 3)),
    "ab\b\x1b[Kc": (["ac"], (0, 2)),
    "a\tb": (["a       b"], (0, 9)),
    "0123456789": (["0123456789"], (0, 9)),
    "0123456789a": (["0123456789", "a"], (1, 1)),
    "1\r\n2\r\n3\r\n4": (["2", "3", "4"], (2, 1)),
    "\x1b[1;31mred\x1b[0m not": (["red not"], (0, 7)),
    "abc\x1b[2D\x1b[P": (["ac"], (0, 1)),
}
REFUSED = ["\x1b[2;2H", "\x1b]0;title\a", "\x1b[48m", "\x01"]


def text_of(rows):
    lines = []
    for row in rows:
        line = ""
        for column, _, text in row:
            line = line.ljust(column) + text
        lines.append(line)
    return lines


def test_screen():
    for shown, (rows, cursor) in SCREENS.items():
        screen = session.Screen(10, 3)
        screen.feed(shown)
        got, at = screen.picture()
        assert text_of(got) == rows + [""] * (3 - len(rows)) and at == cursor, f"{shown!r}: {text_of(got)}, {at}"
    screen = session.Screen(10, 1)
    screen.feed("\x1b[1;31mred\x1b[0m x\x1b[34my\x1b[39mz")
    assert screen.picture()[0] == (((0, "bold c1", "red"), (4, "", "x"), (5, "c4", "y"), (6, "", "z")),), screen.picture()
    for shown in REFUSED:
        try:
            session.Screen(10, 3).feed(shown)
        except ValueError:
            continue
        raise AssertionError(f"{shown!r} is drawn")


def test_picture(recorded):
    picture = (SOURCE / "doc/session.svg").read_text()
    assert session.draw(json.loads(recorded)) == picture, \
        "doc/session.svg is another one: tools/record-session.py draw tests/docs/session.json doc/session.svg"
    assert len(picture) < 150_000, len(picture)
    svg = xml.dom.minidom.parseString(picture)
    names = [e.getAttribute("id") for e in svg.getElementsByTagName("*") if e.hasAttribute("id")]
    used = [e.getAttribute("href") for e in svg.getElementsByTagName("use")]
    assert len(set(names)) == len(names) and {f"#{name}" for name in names} == set(used), "names that are not used, or not there"


def test_session(recorded):
    again = session.record(pathlib.Path(os.environ["BREAKWATER_BUILD"]) / "breakwater")
    for old, new in zip(json.loads(recorded)["steps"], json.loads(again)["steps"]):
        assert old == new, f"recorded was {old}\nnow there is {new}\nTo record it again: {session.__doc__}"
    assert again == recorded, "the recording has other commands"


def main():
    recorded = (SOURCE / "tests/docs/session.json").read_text()
    test_screen()
    test_picture(recorded)
    if sys.argv[1:] == ["record"]:
        test_session(recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
