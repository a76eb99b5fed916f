#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What real editors sent (recordings/*.jsonl), sent again: each answer says what it said then, which a person has
read, and the program has done what its source says.

    test_recorded.py kernel
    test_recorded.py transpose       the kernel of doc/tutorials/editors.md, and what that page's pictures show
    test_recorded.py vulkan VKRUN"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom

import recording
from client import SOURCE, Client, check, equal, main

sys.path.insert(0, str(SOURCE / "tests/docs"))
import tutorial  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "recordings"
os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
KIND = sys.argv.pop(1)
VKRUN = os.path.abspath(sys.argv.pop(1)) if KIND == "vulkan" else None
# A shader's registers and code are what its driver's version makes of it.
DRIVERS = ("variables", "disassemble", "evaluate")


def replay(path, words):
    """Returns what the program printed."""
    client, lines = recording.read(path)
    answers = []
    check(sum("request" in line for line in lines) > 10, f"{path.name} is empty")
    with Client(initialize=False) as c:
        for request, before, now in recording.Replay(c, words).run(lines):
            what = f"{client['client']}, request {request['request']} {request['command']}"
            equal(now["success"], before["success"], f"{what}: {now.get('message')}; success")
            if "means" not in before:
                continue
            said = recording.meaning(request["command"], now["body"])
            answers.append((request["command"], said))
            if KIND == "transpose" and request["command"] == "variables":  # registers are what the compiler made of them
                equal(*[[v if isinstance(v, str) else v[0] for v in given] for given in (said, before["means"])], what)
            elif KIND == "vulkan" and request["command"] in DRIVERS:
                check(bool(said) == bool(before["means"]), f"{what}: {said}")
            else:
                equal(said, before["means"], what)
        leaves = any(line.get("command") == "disconnect" for line in lines)
        if KIND == "transpose":  # it is left where it has stopped
            if not leaves:
                c.disconnect()
            return answers
        if leaves:
            while c.take():
                pass
        else:  # it closes the connection when the program has ended
            c.event("terminated")
        return "".join(e["body"]["output"] for e in c.events
                       if e["event"] == "output" and e["body"].get("category") == "stdout")


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def kernel(path):
    """Its editor has put 32 into the offset of the first wave, where the source has 23."""
    said = replay(path, {"${root}": str(SOURCE)})
    got = [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", said)]
    equal(len(got), 8, f"numbers that the kernel's run printed in {said!r}")
    for i, x in enumerate(got):
        check(abs(x - f32(f32(i * 1.8) + 32)) < 1e-3, f"out[{i}] is {x}")


def vulkan(path):
    """Its editor has only looked."""
    with tempfile.TemporaryDirectory() as out:
        source, code = SOURCE / "tests/vulkan/shaders/affine.comp", f"{out}/affine.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        replay(path, {"${root}": str(SOURCE), "${out}": out, "${vkrun}": VKRUN})
        got = struct.unpack("<256I", pathlib.Path(out, "affine.0.0.0").read_bytes())
        equal(list(got), [2 * i + 1 for i in range(256)], "results")


def text_of(picture):
    """The rows of a terminal's picture."""
    return ["".join(node.firstChild.data for node in row.getElementsByTagName("tspan"))
            for row in xml.dom.minidom.parse(str(picture)).getElementsByTagName("text")]


def transpose(path):
    """The page's editor stops, and looks at a variable in all lanes: where each one of a group of 8 by 4 writes to. A picture of
    a terminal shows what the console now says."""
    page = SOURCE / "doc/tutorials/editors.md"
    with tempfile.TemporaryDirectory() as folder:
        for block in tutorial.blocks_of(page):
            if block.file and block.language != "diff":
                tutorial.write(block, pathlib.Path(folder))
        config = json.loads(pathlib.Path(folder, ".vscode/launch.json").read_text())["configurations"][0]
        sent = next(line["arguments"] for line in recording.read(path)[1] if line.get("command") == "launch")
        equal(sent["kernelOptions"], config["kernelOptions"], "options of the page, and of the recording")
        said = [text for command, text in replay(path, {"${folder}": folder}) if command == "evaluate"][-1].splitlines()
    equal([line.split() for line in said[1:]], [[str(lane), str(lane % 8 * 16 + lane // 8)] for lane in range(32)], "the console")
    picture = page.parent / f"{path.stem.split('-')[0]}-stop.svg"
    if not picture.exists():  # not a terminal's
        check(picture.with_suffix(".png").exists(), "a picture")
        return
    shown = text_of(picture)
    at = next(i for i, row in enumerate(shown) if row.endswith("print to @lanes"))
    rows = [re.sub(r"^ *\d+ ", "", row) for row in shown[at + 1:at + 12]]
    equal([row.split() for row in rows], [line.split() for line in said[:len(rows)]], "the picture's rows, and the console's")


def case(path):
    def run():
        {"kernel": kernel, "transpose": transpose, "vulkan": vulkan}[KIND](path)
    run.__name__ = path.stem
    return run


PATHS = sorted(FOLDER.glob(f"*-{KIND}.jsonl"))
check(PATHS, "there are recordings")
main([case(path) for path in PATHS])
