# SPDX-License-Identifier: MIT
"""Dispatches of a Vulkan program, found by what the program calls them: pipelines, labels, hashes, sizes.
What is bound to them is shown with its name, and the program's result stays what it is.

    test_dispatch.py NAMES STEP_SPV"""
import hashlib
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import check, equal  # noqa: E402

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
PROGRAM, SPV = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes()

# What names.c does, on the host.
numbers = [0] * 256
for _ in range(2):
    for mul, add, n in ((3, 1, 256), (5, 2, 256), (7, 3, 64)):
        numbers[:n] = [v * mul + add & 0xffffffff for v in numbers[:n]]
SUM = sum(numbers)


def stops(*words, n, label="inner"):
    """Which dispatches `break on dispatch WORDS` stops at."""
    os.environ["LABEL"] = label
    s = harness.Session("--", PROGRAM)
    del os.environ["LABEL"]
    s.command("break on dispatch " + " ".join(words))
    s.command("run")
    seen = []
    while True:
        reply = [e for e in s.events if e.get("event") == "stop"]
        if not reply or reply[-1]["reason"] == "exited":
            break
        seen.append(s.command("info dispatch")["dispatch"])
        check(len(seen) <= n, f"{words}: more than {n} stops: {seen}")
        s.command("continue")
    output = "".join(e["text"] for e in harness.events(s.events, "output"))
    check(f"sum {SUM}" in output, f"{words}: the program said {output!r}, not sum {SUM}")
    s.end()
    return seen


def found_by():
    sha = hashlib.sha1(SPV).hexdigest()
    for words, expected in (
            ([], [1, 2, 3, 4, 5, 6]),
            (["3"], [3]),
            (["pipeline", '"second step"'], [2, 5]),
            (["first*"], [1, 3, 4, 6]),
            (["first*", "nth", "3"], [4]),
            (["label", "inner"], [2, 5]),
            (["label", "later/*"], [5]),
            (["label", "later"], [4, 5, 6]),
            (["groups", "1"], [3, 6]),
            (["grid", "256,1,1"], [1, 2, 4, 5]),
            (["submission", "2"], [4, 5, 6]),
            (["hash", sha[:12], "groups", "1", "submission", "1"], [3]),
            (["queue", "7"], []),
            (["number", "5"], [5])):
        equal(stops(*words, n=len(expected)), expected, f"break on dispatch {' '.join(words)}")


def a_label_with_a_slash():
    """Shown and matched as the program gave it; and its end is the end of one label."""
    label = "Frame/compute pass"
    for text, expected in ((label, [2, 5]), ("sooner/" + label, [2]), ("compute pass", []), ("Frame", []),
                           ("*compute*", [2, 5]), ("sooner", [1, 2, 3])):
        equal(stops("label", f'"{text}"', n=len(expected), label=label), expected, f"break on dispatch label {text}")


def notes(s):
    return "".join(e["text"] for e in harness.events(s.events, "notice"))


def set_while_stopped():
    """In the rest of the submission that runs (dispatches 1 to 3), and later; what has begun is told."""
    for words, expected, said in (
            ("label inner", [2, 5], ""),
            ("first*", [3, 4, 6], "[Dispatch 1 has begun: breakpoint 2 stops from dispatch 3 on]"),
            ("2 first*", [4], "[Dispatch 1 has begun: breakpoint 2 holds from the next submission on]"),
            ("grid 256", [2, 4, 5], "[Dispatch 1 has begun: breakpoint 2 stops from dispatch 2 on]"),
            ("number 1", [], "dispatch 1 has begun; the breakpoint holds when the program is run again"),
            ("name third*", [], '[No kernel, pipeline or shader is called "third*" so far (known: "first step", "second step"): breakpoint 2 '
             "waits for one]"),
            ("label outer", [], '[No label is called "outer" so far (known: "sooner", "sooner/inner"): breakpoint 2 waits for one]')):
        s = harness.Session("--", PROGRAM)
        s.command("tbreak on dispatch number 1")
        s.command("run")
        s.command(f"break on dispatch {words}")
        check(said in notes(s) and bool(said) == bool(notes(s)), f"{words}: {notes(s)!r}, not {said!r}")
        s.command("disable 2")
        s.command("enable 2")
        seen = []
        while True:
            s.command("continue")
            if [e for e in s.events if e.get("event") == "stop" and e["reason"] != "exited"] == []:
                break
            seen.append(s.command("info dispatch")["dispatch"])
            check(len(seen) <= len(expected), f"{words}: {seen}")
        equal(seen, expected, words)
        output = "".join(e["text"] for e in harness.events(s.events, "output"))
        check(f"sum {SUM}" in output, f"{words}: the program said {output!r}")
        check(expected or "matched none of 6 dispatches]" in notes(s), f"{words}: {notes(s)!r} at the end")
        s.end()


def buffers_at_once():
    s = harness.Session("--", PROGRAM)
    s.command("break on dispatch label inner")
    s.command("run")
    size = s.command("print $_buffer_size(1)")["text"]
    address = int(s.command("print/x (unsigned long)$_buffer(1)")["text"].split()[-1], 16)
    row = next(r for r in s.command("info buffers")["buffers"] if r["buffer"] == 1)
    equal((size, address), (str(row["size"]), int(row["address"], 16)), "buffer 1, before it was listed")
    s.command("kill")
    s.end()


def what_it_was_given():
    s = harness.Session("--", PROGRAM)
    s.command("break on dispatch label inner")
    s.command("run")
    d = s.command("info dispatch")
    equal((d["dispatch"], d["pipeline_name"], d["label"], d["groups"], d["workgroup"]),
          (2, "second step", "sooner/inner", [4, 1, 1], [64, 1, 1]), "the dispatch")
    equal(d["hash"], hashlib.sha1(SPV).hexdigest()[:16], "the hash")
    equal(d["push_constants"], [5, 2, 256], "its push constants")
    equal([(r["submission"], r["first_dispatch"], r["last_dispatch"]) for r in s.command("info submissions")["submissions"]], [(1, 1, 3)],
          "submissions")
    equal([r["state"] for r in s.command("info dispatches")["dispatches"]], ["done", "running", "waiting"], "states")
    names = {r["name"]: r for r in s.command("info pipelines")["pipelines"]}
    equal(sorted(names), ["first step", "second step"], "pipelines")
    bound = s.command("info descriptors")["descriptors"]
    equal([(b["kind"], b["size"], b["name"]) for b in bound], [("buffer", 1024, "numbers")], "descriptors")
    rows = [r for r in s.command("info buffers")["buffers"] if r["name"] == "numbers"]
    equal([(r["size"], r["address"]) for r in rows], [(1024, bound[0]["address"])], "buffers")
    number = rows[0]["buffer"]
    check(rows[0]["bound"], "the buffer is not said to be bound")
    # the first dispatch has run: every number is 1
    values = s.command(f"x/4dw $_buffer({number})")
    check("'value'" in str(values) or values, "x answers nothing")
    equal(s.command(f"print ((int *)$_buffer({number}))[200]")["text"].split()[-1], "1", "a number")
    equal(s.command(f"print $_buffer_size({number})")["text"].split()[-1], "1024", "its size")
    with tempfile.TemporaryDirectory() as folder:
        end = f"$_buffer({number})+$_buffer_size({number})"
        s.command(f"dump memory {folder}/dump $_buffer({number}) {end}")
        dump = pathlib.Path(folder, "dump").read_bytes()
    equal(dump, b"\1\0\0\0" * 256, "its dump")
    equal(s.command(f"info buffer {number}")["name"], "numbers", "info buffer")
    s.command("delete")
    s.command("continue")
    output = "".join(e["text"] for e in harness.events(s.events, "output"))
    check(f"sum {SUM}" in output, f"the program said {output!r}")
    s.end()


def pushed():
    """Buffers that a command buffer has instead of those of a set, as they were when the dispatch was recorded."""
    for how in ("writes", "template"):
        os.environ["PUSH"] = how
        s = harness.Session("--", PROGRAM)
        del os.environ["PUSH"]
        s.command("break on dispatch label inner")
        s.command("run")
        bound = s.command("info descriptors")["descriptors"]
        equal([(b["kind"], b["size"], b["name"]) for b in bound], [("buffer", 1024, "numbers")], how)
        s.command("delete")
        s.command("break main")
        s.command("continue")
        equal(s.command("print data[200]")["text"], "7", f"{how}: a number by the name that the shader gives it")
        s.command("delete")
        s.command("continue")
        output = "".join(e["text"] for e in harness.events(s.events, "output"))
        check(f"sum {SUM}" in output, f"the program said {output!r}")
        s.end()


if __name__ == "__main__":
    harness.main(found_by, a_label_with_a_slash, set_while_stopped, buffers_at_once, what_it_was_given, pushed)
