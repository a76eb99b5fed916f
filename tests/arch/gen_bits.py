#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/gen-reg-names.py, the bits, flags and places of a generation, with register files that agree, and with some that do not.

Usage: gen_bits.py GENERATOR
"""
import pathlib
import subprocess
import sys
import tempfile

HEAD = "block gc 11.0.0\nfor 11.0.0\nprefix reg\n"
LIST = "# those that are wanted\nSQ_CMD  # one\nSQ_DEBUG\n"
DIRECT = "SQ_CMD  0x1/0  FIELD 3:1\nSQ_DEBUG  0x2/0  FIELD 3:1\nSQ_OTHER  0x3/0  FIELD 3:1\n"
WAVE = "SQ_WAVE_STATUS  0x0102/ix:sq  SCC 0  PRIO 4:3  TOP 31\n"


FLAGS = "STATUS\nSTATUS.SCC -\nSTATUS.PRIO low high  # a bit each\nSTATUS.GONE -\nOTHER\n"


def generate(folder, *tables, end="bits", list_text=LIST):
    paths = []
    for i, text in enumerate(tables):
        paths.append(folder / f"{i}.txt")
        paths[-1].write_text(HEAD + text)
    output, wanted = folder / f"x_{end}.h", folder / "wanted.list"
    wanted.write_text(list_text)
    r = subprocess.run([sys.executable, sys.argv[1], "-o", output, wanted, *paths], text=True, capture_output=True)
    return r.returncode, r.stderr, output.read_text() if r.returncode == 0 else ""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        status, _, text = generate(folder, DIRECT + WAVE, WAVE.replace("TOP 31", "MORE 7:5"))
        assert status == 0
        for line in ("BW_X_STATUS 0x102", "BW_X_STATUS__SCC 0x1", "BW_X_STATUS__PRIO 0x18",
                     "BW_X_STATUS__PRIO_LO 3", "BW_X_STATUS__PRIO_WIDTH 2", "BW_X_STATUS__TOP 0x80000000",
                     "BW_X_STATUS__MORE 0xe0", "BW_X_SQ_CMD__FIELD 0xe"):
            assert f"#define {line}\n" in text, line
        assert "SQ_OTHER" not in text
        for wrong, says in ((WAVE.replace("SCC 0", "SCC 1"), "SQ_WAVE_STATUS.SCC is 1:1, and other bits"),
                            (WAVE.replace("0x0102", "0x0104"), "SQ_WAVE_STATUS has index 0x104, and 0x102")):
            status, errors, _ = generate(folder, DIRECT + WAVE, wrong)
            assert status == 1 and says in errors, errors
        status, errors, _ = generate(folder, WAVE)
        assert status == 1 and "0.txt has no SQ_CMD" in errors, errors
        status, _, text = generate(folder, WAVE, end="flags", list_text=FLAGS)
        assert status == 0
        assert [line.strip() for line in text.splitlines()][2:-1] == [
            '{BW_WREG_STATUS, {3, 1}, "low"},', '{BW_WREG_STATUS, {4, 1}, "high"},', '{BW_WREG_STATUS, {31, 1}, "TOP"},']
        for wrong, says in ((FLAGS.replace(" high", " high top"), "3: STATUS.PRIO has a width of 2, and 3 names"),
                            (FLAGS[7:], "1: STATUS itself has no line before"),
                            (FLAGS.replace(" -", "", 1), "2: STATUS.SCC has a width of 1, and 0 names"),
                            (FLAGS.replace("GONE -", "GONE"), "4: STATUS.GONE has no name")):
            status, errors, _ = generate(folder, WAVE, end="flags", list_text=wrong)
            assert status == 1 and says in errors, errors

        rows = ("register STATUS status\nregister GONE gone\nregister CYCLES - =SQ_WAVE_STATUS\n"
                "field A GONE.SCC STATUS.SCC\nfield B STATUS.PRIO[1:1]+STATUS.TOP\nfield C STATUS.MORE\n")
        status, _, text = generate(folder, WAVE, end="places", list_text=rows)
        assert status == 0
        assert [line.strip(" \t\\") for line in text.splitlines() if line.startswith("\t")] == [
            '[BW_WREG_STATUS] = {.ind = 0x102, .name = "status"},', "[BW_WREG_CYCLES] = {.ind = 0x102},",
            "[BW_WF_A] = {BW_WREG_STATUS, {0, 1}, {0, 0}},", "[BW_WF_B] = {BW_WREG_STATUS, {4, 1}, {31, 1}},"]
        for wrong, says in ((rows.replace("[1:1]", "[2:1]"), "5: STATUS.PRIO[2:1] is not in PRIO, which has 2 bits"),
                            (rows.replace("GONE.SCC", "OTHER.SCC"), "4: OTHER.SCC is not a place in a register"),
                            (rows.replace("field A", "fields A"), "4: neither a register nor a field")):
            status, errors, _ = generate(folder, WAVE, end="places", list_text=wrong)
            assert status == 1 and says in errors, errors


if __name__ == "__main__":
    main()
