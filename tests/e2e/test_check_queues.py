# SPDX-License-Identifier: MIT
"""--check=races on a program with queues of its own (aql_races.c), as ROCm's programs have them for streams: kernels of two
queues, of one queue beside each other, and copies, with and without what orders them; and the races of two dispatches that
run at the same time."""
import pathlib
import sys

from checked import findings
from harness import equal, main

PROGRAM, CODE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def found(*what, options=()):
    gpu = "$(cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id)"
    command = f"exec {PROGRAM} {CODE} {gpu} /dev/dri/renderD128 {' '.join(what)}"
    return findings(*options, "--check=races", "--batch", "-ex", "run", "--", "sh", "-c", command)


# By scenario: what the findings are between, and the accesses, in the order of their names: which of the two comes first is chance.
WRONG = {"stores": ("queues", {("store", "store")}), "early": ("queues", {("store", "store")}), "reads": ("queues", {("load", "store")}),
         "copied": ("queues", {("copy", "store")}), "copying": ("queues", {("copy", "store")}), "beside": ("dispatches", {("store", "store")})}


def pairs():
    for scenario, (between, accesses) in WRONG.items():
        wrong = found(f"{scenario}_wrong")
        equal({f["between"] for f in wrong}, {between}, f"{scenario}: {wrong}")
        equal({tuple(sorted((f["first_access"], f["second_access"]))) for f in wrong}, accesses, f"{scenario}: {wrong}")
        equal(found(f"{scenario}_right"), [], scenario)


def by_the_program():
    for right in "host_right", "told_right":
        equal(found(right), [], right)


def at_the_same_time():
    """As many of each dispatch as of one alone, though both have their results in one page."""
    alone, = (f for f in found("alone", "clash", options=["--deterministic"]) if f["between"] == "groups")
    both, = (f for f in found("twice", "clash", options=["--deterministic"]) if f["between"] == "groups")
    equal(both["times"], 2 * alone["times"], f"{alone} {both}")


main(pairs, by_the_program, at_the_same_time)
