#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""breakwater crash --html: one page that refers to nothing outside, in which nothing of the files is markup,
and which is small whatever they hold."""
import pathlib
import re
import shutil
import subprocess
import tempfile

import html_page
from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, equal, main
from json_schema import parse
from umr_waves import umr_waves

EVIL = "<script>alert('x')</script>&\"\x1b[31m"
LOOK = SOURCE / "tests/e2e/look"


def page(*files):
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp, "page.html")
        done = subprocess.run([BREAKWATER, "crash", *files, "--html", out], capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, 0, done.stderr)
        check(f"All of it is in {out}." in done.stdout, done.stdout)
        text = out.read_text()
        p = html_page.read(out)
    check("//" not in text.replace("://", ""), "an outside reference")
    check("http" not in text.lower().replace("http-equiv", ""), "an address")
    return p


def file(folder, name, text):
    path = pathlib.Path(folder, name)
    path.write_text(text)
    return path


def sections():
    p = page(LOOK / "dump_7.txt", LOOK / "dmesg.txt")
    check(p.text["verdict"].split("\n")[1].startswith("A dump of kernel 7.1.8"), p.text["verdict"])
    check("PTB entry 0x10: the walk stopped here: the page is not valid" in p.text["faults"], p.text["faults"])
    # the root, and four levels below it, each in the one before
    equal(p.depth, 5, "levels of the tree")
    check("GPU reset(2) succeeded!" in p.text["events"], p.text["events"])
    check("GRBM_STATUS" in p.text["registers"] and "GUI_ACTIVE" in p.text["registers"], p.text["registers"])
    check("2 NUL bytes" in p.text["rest"], p.text["rest"])
    equal(p.stops, ["the read pointer is here"], "stops")


def other_gpus():
    """Waves of other GPUs; where their code is not known, all but the code is there."""
    with tempfile.TemporaryDirectory() as tmp:
        for name, gfx, is_known in (("GFX1201", "gfx1201", True), ("NAVI21", "gfx1030", False)):
            folder = pathlib.Path(tmp, name)
            shutil.copytree(LOOK / "radv", folder)
            path = folder / "gpu_info.log"
            path.write_text(path.read_text().replace("name = NAVI31", f"name = {name}"))
            p = page(folder)
            shown = f"Code is not shown: no disassembler for {gfx}" not in p.text["waves"]
            equal(shown, is_known, p.text["waves"])
            equal(sorted(w for _, w in p.cells), ["1", "2", "3"], "waves on the map")


def report():
    p = page(LOOK / "radv")
    equal(p.stops[0], "the last trace point that was reached", "the stop")
    equal([n for n, _, _ in p.with_waves()], [1, 1, 1], "places with waves")
    equal(sorted(w for _, w in p.cells), ["1", "2", "3"], "waves on the map")
    check("v_readfirstlane_b32 s1, v2" in p.text["waves"], p.text["waves"])
    check("3 x 1 x 1 workgroups" in p.text["streams"], p.text["streams"])
    # a row of umr's page, of lanes that differ
    row = next(r for r in re.findall(r"\[ *\d+\] = \{ (.*) \}", (LOOK / "radv/umr_waves.log").read_text().split("VGPRs")[1])
               if len(set(r.split(", "))) > 1)
    check(row.replace(", ", " ") in p.text["waves"], f"{row} in {p.text['waves']}")


def nothing_is_markup():
    with tempfile.TemporaryDirectory() as tmp:
        dump = (LOOK / "dump_7.txt").read_text()
        for old in ("my app:gdrv0", "my app", "gfx_0.0.0", "regGRBM_STATUS ", "7.1.8"):
            check(old in dump, old)
            dump = dump.replace(old, old.rstrip() + EVIL + " ")
        log = (LOOK / "dmesg.txt").read_text().replace("game", EVIL).replace("gfx_0.0.0", "gfx" + EVIL)
        trace = (LOOK / "radv/umr_waves.log").read_text().replace("se0", EVIL + "se0")
        info = f"Application name: {EVIL}\nEngine name: {EVIL}\n"
        p = page(file(tmp, "a", dump), file(tmp, "b", log), file(tmp, "c", trace), file(tmp, "d", info))
        shown = "<script>alert('x')</script>&\"\\033[31m"
        check(shown in p.text["origin"], p.text["origin"])
        check(shown in p.text["verdict"], p.text["verdict"])
        check(shown[:15] in p.text["streams"], p.text["streams"])


def many_waves():
    """As many as a large GPU has, each with all of its registers."""
    with tempfile.TemporaryDirectory() as tmp:
        p = page(file(tmp, "umr_waves.log", umr_waves(3072)), LOOK / "radv/gpu_info.log")
    check("3072 waves were on the GPU." in p.text["waves"], p.text["waves"][:200])
    equal(p.text["waves"].count("se5.sa1.wgp3.simd3.w15"), 1, "the last of them")
    equal(len(p.cells), 3072, "cells of the map")
    check("v23  89abcd00 89abcd01 " in p.text["waves"], "VGPRs of the first waves")
    check("are left out: the page has no more room." in p.text["waves"], "and no more than fit")


def large_files():
    """What a page has no room for is left out, and it says so."""
    lines = [f"reg{'X' * 20}{i:06} \t 0x{i:08x}" for i in range(60000)]
    words = [f"0x{i * 4:x} \t 0xc0001000\n0x{i * 4 + 4:x} \t 0x0" for i in range(0, 60000, 2)]
    text = (LOOK / "dump_7.txt").read_text().split("ring name:")[0] + "IP Dump\nIP: gfx_v11_0\n" + "\n".join(lines)
    text += "\nRing buffer information\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0xea5f RB mask: ffff\nRing size in dwords: 60000\n"
    text += "\n".join(words) + "\n"
    with tempfile.TemporaryDirectory() as tmp:
        p = page(file(tmp, "dump", text))
    check("more are left out" in p.text["registers"], p.text["registers"][-200:])
    check("which are left out" in p.text["streams"], p.text["streams"][-200:])


def as_json():
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp, "page.html")
        done = subprocess.run([BREAKWATER, "crash", LOOK / "radv", "--json", "--html", out], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        answer = parse(done.stdout)  # as the schema has it
        equal(answer["html"], str(out), "where it is")
        equal([w["pc"][-4:] for w in answer["waves"]], ["2050", "203c", "2060"], "waves")
        check(out.stat().st_size > 0, "the page")
        bad = subprocess.run([BREAKWATER, "crash", LOOK / "radv", "--html", f"{tmp}/no/page"], capture_output=True, text=True,
                             timeout=TIMEOUT_S)
        equal(bad.returncode, 2, bad.stdout)
        check("cannot write" in bad.stderr, bad.stderr)


if __name__ == "__main__":
    main(sections, report, other_gpus, nothing_is_markup, many_waves, large_files, as_json)
