#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--stop-on-finding: of kernels in pairs, the wrong one stops at the wave, lane and instruction of the finding, with
registers, memory and variables to look at, and goes on from there; the right one runs to its end. The same in a program."""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

from harness import BREAKWATER, TIMEOUT_S, check, equal, main, parse

PROGRAM, CODE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
FOLDER = pathlib.Path(__file__).resolve().parent / "check"
WORDS = ["--grid", "128", "--group", "128", "--arg", "in=iota:1024:i32", "--arg", "out=zeros:256:i32"]
# The check, the file, the two kernels without _wrong and _right, the kind of finding.
PAIRS = [("races", "pairs.cl", "reverse", "race"), ("bounds", "bounds.cl", "lds_store", "bounds"),
         ("init", "init.cl", "lds_branch", "init"), ("sync", "sync.cl", "half", "sync")]


def session(what, *words, commands=()):
    given = [word for command in ("run", *commands) for word in ("-ex", command)]
    done = subprocess.run([BREAKWATER, "run", f"--check={what}", "--stop-on-finding", "--json", "--batch", *given, *words],
                          capture_output=True, text=True, timeout=TIMEOUT_S)
    check(done.returncode in (0, 3), f"the status of {words}: {done.stdout[-3000:]}{done.stderr[-2000:]}")
    return [parse(line) for line in done.stdout.splitlines()]


def events(rows, name):
    return [r for r in rows if r.get("event") == name]


def answers(rows, command):
    return [r for r in rows if r.get("type") == "answer" and r["command"] == command]


def judge_stop(name, rows, kind):
    """The first stop, and what was found at it."""
    stop, finding = events(rows, "stop")[0], events(rows, "finding")[0]["findings"]
    equal(stop["reason"], "FINDING", f"{name}: the reason")
    f = next((f for f in finding if f["kind"] == kind), None)
    check(f, f"{name}: {finding}")
    places = {(f[f"{s}_address"], f.get(f"{s}_lane")) for s in ("first", "second") if f"{s}_address" in f}
    check((stop.get("cause_pc", stop["pc"]), stop["lane"]) in places, f"{name}: {stop} and {f}")
    equal(answers(rows, "info")[0]["findings"], finding, f"{name}: info finding")
    numbers = [x["number"] for x in answers(rows, "info")[1]["findings"]]
    equal(numbers, list(range(1, len(numbers) + 1)), f"{name}: info findings")
    return stop, f


def pair(what, file, name, kind):
    commands = ("info finding", "info findings", "print in[7]", "info registers pc", *["continue"] * 6)
    rows = session(what, FOLDER / file, "--kernel", f"{name}_wrong", *WORDS, commands=commands)
    stop, _ = judge_stop(name, rows, kind)
    equal(answers(rows, "print")[0]["value"], 7, f"{name}: a buffer's element")
    equal(answers(rows, "info")[2]["registers"]["pc"], stop["pc"], f"{name}: the PC")
    equal(events(rows, "exit")[0]["status"], 0, f"{name}: the end")
    check(len(events(rows, "stop")) <= events(rows, "check")[0]["n_findings"], f"{name}: one stop for each finding")
    rows = session(what, FOLDER / file, "--kernel", f"{name}_right", *WORDS)
    equal((events(rows, "stop"), events(rows, "check")[0]["n_findings"]), ([], 0), f"{name}, the right one")


def kernels_in_pairs():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(pair, *p) for p in PAIRS]:
            done.result()


def program():
    """Of ROCm, which stores past the end of a buffer, and then reads what it has freed."""
    def run(what, *commands):
        gpu = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"
        return session("bounds", "--", "sh", "-c", f"exec {PROGRAM} {CODE} {gpu} /dev/dri/renderD128 {what}", commands=commands)
    rows = run("past", "info finding", "info findings", "print out")
    stop, f = judge_stop("past", rows, "bounds")
    equal(f["target"], "out + 0x32c", "the target")
    start = int(answers(rows, "print")[0]["value"], 16)
    equal(int(f["address"], 16), start + 0x32c, "the address, from the kernel's own variable")
    equal(stop["function"], "weigh", "the function")
    equal(events(run("right"), "stop"), [], "stops of a right program")


def known_findings():
    """Findings of --suppress do not stop; others do, of the same kernel."""
    words = [FOLDER / "pairs.cl", "--kernel", "reverse_wrong", *WORDS]
    text = (FOLDER / "pairs.cl").read_text().splitlines()
    first = next(i for i, line in enumerate(text, 1) if "kernel void reverse_wrong(" in line)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "known.txt"
        for rows, n_stops in [("race reverse_wrong known\n", 0), ("bounds reverse_wrong known\n", 1),
                              (f"race pairs.cl:{first - 1} known\n", 1)]:
            file.write_text(rows)
            done = session("races", "--suppress", file, *words, commands=["info findings"])
            equal(len(events(done, "stop")), n_stops, f"stops with {rows}")
            ended = events(done, "check")
            if n_stops:
                equal(len(answers(done, "info")[0]["findings"]), 1, f"info findings with {rows}")
            else:
                equal((ended[0]["n_findings"], ended[0]["n_suppressed"] > 0), (0, True), f"the end with {rows}")
                equal(events(done, "exit")[0]["status"], 0, "the end")


def refusals():
    for options, says in [(["--stop-on-finding"], "--stop-on-finding is about the findings of --check")]:
        done = subprocess.run([BREAKWATER, "run", *options, FOLDER / "pairs.cl", "--kernel", "reverse_right", *WORDS],
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        equal(done.returncode, 2, f"the status with {options}")
        check(says in done.stderr, f"{options}: {done.stderr}")
    done = subprocess.run([BREAKWATER, "run", "--batch", "-ex", "info findings", FOLDER / "pairs.cl", "--kernel", "reverse_right",
                           *WORDS], capture_output=True, text=True, timeout=TIMEOUT_S)
    check("the program is not checked" in done.stdout + done.stderr, done.stdout + done.stderr)


main(kernels_in_pairs, program, known_findings, refusals)
