#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check=races on kernels in pairs, with a race and without it (check/table.txt), in waves of 32 and of 64 lanes: each wrong
one has a finding of its kind at lines of its own, each right one has none. The kernels of the tests and examples that
have no race have no finding."""
import concurrent.futures
import pathlib
import re
import subprocess
import tempfile

from checked import findings
from harness import BREAKWATER, SOURCE, check, equal, main

FOLDER = pathlib.Path(__file__).resolve().parent / "check"
GRID, GROUP = 1024, 128


def table():
    rows = [line.split(maxsplit=1) for line in (FOLDER / "table.txt").read_text().splitlines()
            if line.strip() and not line.startswith("#")]
    return {name: None if what == "none" else [tuple(x.split()) for x in what.split("|")] for name, what in rows}


def lines_of(kernel):
    """The first and last line of a kernel in pairs.cl."""
    text = (FOLDER / "pairs.cl").read_text().splitlines()
    first = next(i for i, line in enumerate(text, 1) if f"kernel void {kernel}(" in line)
    return first, next(i for i, line in enumerate(text, 1) if i > first and line == "}")


def run_pair(kernel, options):
    return findings("--check=races", FOLDER / "pairs.cl", *options, "--kernel", kernel, "--grid", str(GRID),
                     "--group", str(GROUP), "--arg", f"in=iota:{GRID}:i32", "--arg", f"out=zeros:{GRID + 64}:i32")


def pairs(size, options):
    """`options` make waves of that size."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = {kernel: pool.submit(run_pair, kernel, options) for kernel in table()}
    for kernel, wanted in table().items():
        found = runs[kernel].result()
        if wanted is None:
            equal(found, [], f"the findings of {kernel}, wave{size}")
            continue
        first, last = lines_of(kernel)
        kinds = [(f["between"], f["memory"], f["first_access"], f["second_access"]) for f in found]
        check(any(kind in wanted for kind in kinds), f"{kernel}, wave{size}: {kinds}, and not {wanted}")
        for f in found:
            for side in "first", "second":
                check(f[f"{side}_function"] == kernel and first <= f[f"{side}_line"] <= last,
                      f"{kernel}, wave{size}: the {side} place is {f}")
            equal(f["wave_size"], size, "the wave size")
            if kernel == "reverse_wrong":  # the only variable in LDS, of int
                equal(f["target"], f"LDS + {f['address']} (s[{int(f['address'], 16) // 4}])", f"{kernel}: the target")
            if f["memory"] == "memory":
                check(f["target"].startswith("out + 0x"), f"{kernel}: the target is {f['target']}")


def pairs_in_waves_of_32():
    pairs(32, [])


def pairs_in_waves_of_64():
    pairs(64, ["--wave64"])


def others():
    n = "4096"
    for words in [["examples/saxpy.s", "--grid", "256", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
                   "y=fill:256:1", "--arg", "out=zeros:256"],
                  ["tests/e2e/kernels/reverse.s", "--grid", "512", "--group", "256", "--arg", "in=iota:512", "--arg",
                   "out=zeros:512"],
                  ["tests/e2e/kernels/order.s", "--grid", n, "--group", "128", "--arg", "out=zeros:512:i32"]]:
        equal(findings("--check", SOURCE / words[0], *words[1:]), [], f"the findings of {words[0]}")


def more_than_is_needed():
    """Scalar loads."""
    for kernel in "wide", "byte":
        for how in "wrong", "right":
            found = findings("--check=races", FOLDER / "scalar.s", "--kernel", f"{kernel}_{how}", "--grid", "64", "--group", "32", "--arg",
                             "in=zeros:64:i32", "--arg", "out=zeros:64:i32")
            equal({f["between"] for f in found}, {"groups"} if how == "wrong" else set(), f"{kernel}_{how}: {found}")


def statuses_and_names():
    words = [FOLDER / "pairs.cl", "--kernel", "groups_wrong", "--grid", str(GRID), "--group", str(GROUP), "--arg",
             f"in=iota:{GRID}:i32", "--arg", f"out=zeros:{GRID}:i32"]
    check(findings("--check=races", "--error-on-findings", *words, status=4), "there are findings")
    words[2] = "groups_right"
    equal(findings("--check=races", "--error-on-findings", *words), [], "the findings of the right kernel")
    for options, says in [(["--check=races,bound"], 'there is no check "bound"; there are these: races'),
                          (["--check="], 'there is no check ""; there are these: races'),
                          (["--error-on-findings"], "--check")]:
        done = subprocess.run([BREAKWATER, "run", *options, *map(str, words)], capture_output=True, text=True, timeout=120)
        equal(done.returncode, 2, f"the status with {options}")
        check(says in done.stderr, f"{options}: {done.stderr}")


def after_a_fault():
    """A fault is not a finding, and what is said does not deny it."""
    words = [SOURCE / "tests/e2e/kernels/unmapped.s", "--grid", "32", "--group", "32", "--arg", "out=zeros:32", "--arg", "addr=0x123456789000"]
    done = subprocess.run([BREAKWATER, "run", "--check", "--batch", *words], capture_output=True, text=True, timeout=120)
    equal(done.returncode, 3, "the status")
    check("SIGSEGV" in done.stdout and "\nCheck: no findings besides the fault.\n" in done.stdout, done.stdout)


def one_text_for_two_lines():
    """A loop that the compiler has unrolled: races of many instructions, and one text for each pair of lines."""
    words = [FOLDER / "pairs.cl", "--kernel", "sort_wrong", "--grid", str(GRID), "--group", str(GROUP), "--arg",
             f"in=iota:{GRID}:i32", "--arg", f"out=zeros:{GRID + 64}:i32"]
    done = subprocess.run([BREAKWATER, "run", "--check=races", "--batch", *words], capture_output=True, text=True, timeout=120)
    places = re.findall(r"^      (?:first|second) .* at (pairs.cl:\d+) by ", done.stdout, re.M)
    pairs_of_lines = [frozenset(places[i:i + 2]) for i in range(0, len(places), 2)]
    equal(len(pairs_of_lines), len(set(pairs_of_lines)), f"each pair of lines once: {done.stdout}")
    more = [int(n) for n in re.findall(r"^      (\d+) more findings? (?:is|are) on the same two lines$", done.stdout, re.M)]
    said = int(re.search(r"^Check: (\d+) findings\.$", done.stdout, re.M)[1])
    equal(len(pairs_of_lines) + sum(more), said, "all findings are told")
    check(more, done.stdout)
    equal(len(findings("--check=races", *words)), said, "rows in JSON")


def known_findings():
    """A file of findings that are known: they are counted, and do not fail; nor are they printed at once."""
    words = [FOLDER / "pairs.cl", "--kernel", "groups_wrong", "--grid", str(GRID), "--group", str(GROUP), "--arg",
             f"in=iota:{GRID}:i32", "--arg", f"out=zeros:{GRID}:i32"]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "known.txt"
        def run(text):
            file.write_text(text)
            return subprocess.run([BREAKWATER, "run", "--check", "--batch", "--error-on-findings", "--suppress", file, *words],
                                  capture_output=True, text=True, timeout=120)
        done = run("# kind place reason\nrace groups_w* the second group wins\nbounds pairs.cl  never\n")
        equal(done.returncode, 0, f"the status: {done.stdout}{done.stderr}")
        check(re.search(r"^Check: no findings, \d suppressed\.$", done.stdout, re.M), done.stdout)
        check(re.search(rf"^  suppressed \d by {file}:2 \(race groups_w\*\): the second group wins$", done.stdout, re.M), done.stdout)
        check(f"  {file}:3 (bounds pairs.cl) has matched no finding" in done.stdout, done.stdout)
        check("check:" not in done.stderr, done.stderr)
        done = run("race other_kernel known\n")
        equal(done.returncode, 4, f"the status: {done.stdout}{done.stderr}")
        done = run("\nrace pairs.cl\n")
        equal(done.returncode, 2, "the status")
        check(f"{file}: line 2: it needs a kind, a place and a reason" in done.stderr, done.stderr)


if __name__ == "__main__":
    main(pairs_in_waves_of_32, pairs_in_waves_of_64, others, more_than_is_needed, statuses_and_names, after_a_fault, one_text_for_two_lines, known_findings)
