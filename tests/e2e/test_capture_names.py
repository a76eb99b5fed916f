# SPDX-License-Identifier: MIT
"""A capture whose names, results and counts somebody else has written: names stay within their line and show what is in them, the C
of decompile is the same submission whatever its comments say, and a submission of very many buffers is shown at once."""
import pathlib
import struct
import subprocess
import tempfile

from forge_capture import RESULT, SUBMISSION, Forged, Record
from harness import BREAKWATER, TIMEOUT_S, check, equal
from test_capture import LAUNCH, SAXPY, answer, ask, assemble, capture

N_BUFFERS = 100_000
# As they are in the file; as they are shown.
NAMES = [("p\nForged line", r"p\012Forged line"), ("evil\\", "evil\\"), ("evil??/", "evil??/"), ('a"; #error', 'a"; #error'),
         ("*/ int x; /*", "*/ int x; /*"), ("ab\u202edc\u2066", r"ab\342\200\256dc\342\201\246"), ("\x1b]0;t\x07", r"\033]0;t\007"),
         ("\u2028#error", r"\342\200\250#error"), ("tab\tbed", r"tab\011bed")]


def forge(path, out, change):
    f = Forged(path)
    block = f.of(SUBMISSION)[0]
    r = Record(block.body())
    change(f, block, r)
    block.set_body(r.body())
    f.write(out)


def check_names(path, folder):
    for name, shown in NAMES:
        out = folder / "named.bwc"

        def change(f, block, r):
            r.name("pipeline", name)
            r.name("label", name)
            at = len(block.summary) - 16  # comm is its last member
            block.summary = block.summary[:at] + name.encode()[:15].ljust(16, b"\0")
        forge(path, out, change)
        for words in (("capture", "list", out), ("capture", "show", out, 1)):
            text, _ = ask(*words)
            check(not any(c in text for c in "\u202e\u2066\u2028\x1b\x07"), f"{name!r}: {text!r}")
            check(not any(line.startswith("Forged") for line in text.splitlines()), text)
        check(text.count(shown) >= 2, f"{name!r} is shown as {shown!r}: {text}")
        check_decompiled(out, folder, name)
        if "\n" in name:
            check_debugged(out)


def check_debugged(path):
    """In the debugger names are of one line, too."""
    commands = ["break on dispatch", "run", "info dispatch", "info dispatches", "info program", "break on dispatch nosuch", "info breakpoints"]
    words = [word for c in commands for word in ("-ex", c)]
    done = subprocess.run([str(BREAKWATER), "run", "--batch", *words, path], capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    check("p Forged line" in done.stdout, done.stdout + done.stderr)
    check(not any(line.startswith("Forged") for line in (done.stdout + done.stderr).splitlines()), done.stdout)


def check_decompiled(path, folder, name):
    """C99 has trigraphs. What is not edited is the same submission, byte by byte."""
    source = ask("decompile", path, "-s", 1)[0]
    (folder / "edit.c").write_text(source)
    for standard in ("c99", "gnu11"):
        done = subprocess.run(["cc", f"-std={standard}", "-D_GNU_SOURCE", "-I", folder, folder / "edit.c", "-o", folder / "edit"], capture_output=True, text=True,
                              timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        equal(done.returncode, 0, f"{name!r} in {standard}: {done.stderr}")
        subprocess.run([folder / "edit", folder / "edit.bwo"], check=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        r = answer("replay", "--check", "--override", f"1={folder / 'edit.bwo'}", path)
        equal((r["same"], r["checked"], r["changed_bytes"], r["new_bytes"]), (True, 1, 0, 0), f"{name!r}: the override in {standard}")


def check_result(path, folder):
    """Of INT_MIN there is no positive number."""
    f = Forged(path)
    block = f.of(RESULT)[0]
    block.summary = block.summary[:4] + struct.pack("<i", -2**31) + block.summary[8:]
    f.write(folder / "result.bwc")
    for words in (("list",), ("show", 1)):
        text, _ = ask("capture", words[0], folder / "result.bwc", *words[1:])
        check("failed: Unknown error -2147483648" in text, text)


def check_nothing(path, folder):
    """Where no submission can be run, or none be compared, that is no success."""
    f = Forged(path)
    for block in f.of(SUBMISSION):
        block.set_body(block.body()[:-1])
    f.write(folder / "cut.bwc")
    for words in (("replay",), ("replay", "--check"), ("bisect",), ("bisect", "--differs"), ("bisect", "--bad", "true"), ("bisect", "--hang")):
        _, errors = ask(*words, folder / "cut.bwc", status=2)
        check("nothing was replayed: " in errors and "damaged" in errors, f"{words}: {errors}")
    f = Forged(path)
    f.blocks = [b for b in f.blocks if b.kind != RESULT]
    f.write(folder / "no-result.bwc")
    text, _ = ask("replay", folder / "no-result.bwc")
    check("1 submission, 1 dispatch replayed." in text, text)
    for words in (("replay", "--check"), ("bisect", "--differs")):
        _, errors = ask(*words, folder / "no-result.bwc", status=2)
        check("nothing was compared: " in errors, f"{words}: {errors}")
    _, errors = ask("replay", "--last", 4, "--first", 3, path, status=2)
    check("ends with submission 1" in errors, errors)


def check_many(path, folder):
    """The time is that of one pass: the harness' limit ends what compares all with all."""
    def change(f, block, r):
        r.lists[0] += b"".join(struct.pack("<QQII", 1000 + i, 4096, 2, 0) for i in range(N_BUFFERS))
        r.lists[2] += b"".join(struct.pack("<QQQQII", (1 << 40) + i * 8192, 4096, 0, 1000 + i, 0xE, 0) for i in range(N_BUFFERS))
        r.lists[3] += b"".join(struct.pack("<QQQQ", 1000 + i, 0, 1, 0) for i in range(N_BUFFERS))
        r.lists[5] *= 1000
    forge(path, folder / "many.bwc", change)
    shown = answer("capture", "show", folder / "many.bwc", 1)
    rows = shown["buffers"]
    last = rows[-1]
    equal(len(rows) >= N_BUFFERS and (last["buffer"], last["va"], last["cpu_pages"]), (1000 + N_BUFFERS - 1, hex((1 << 40) + (N_BUFFERS - 1) * 8192), 1), "the last buffer")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "saxpy.bwc"
        path, _ = capture(folder, "saxpy.bwc", LAUNCH, assemble("examples/saxpy.s", folder), *SAXPY)
        (folder / "breakwater_edit.h").write_text(ask("decompile", "--header")[0])
        check_nothing(path, folder)
        check_result(path, folder)
        check_many(path, folder)
        check_names(path, folder)
    print("names of captures: ok")


if __name__ == "__main__":
    main()
