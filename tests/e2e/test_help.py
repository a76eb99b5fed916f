#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""help: each command has a topic and examples, and what the examples say can be typed."""
import re
import tempfile

from harness import KERNELS, SOURCE, Session, check, equal, main

SAXPY = [SOURCE / "examples/saxpy.s", "--grid", 256, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
         "y=fill:256:1", "--arg", "out=zeros:256"]
VARIABLES = ["-O0", KERNELS / "variables.cl", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "in=iota:32", "--arg",
             "k=2.5", "--arg", "n=7"]
TOPICS = "running breakpoints waves data stack files gpu status screen support".split()

# Commands whose examples are about functions, types and variables.
IN_C = set("backtrace where down up frame finish ptype".split()) | {"info args", "info locals", "info frame", "info types"}
# Examples that cannot be run here, with the reason.
NOT_RUN = {
    "attach 1234": "there is no such process",
    "symbol-file saxpy.co": "there is no such file",
    "info fault": "there was no fault",
    "info buffer 1": "the kernel's launcher names no buffers",
    "x/4xw lds#0": "the kernel has no LDS",
    "frame function main": "that is Vulkan's name",
    "ptype $_launch.out": "of the other kernel",
    "unset substitute-path /build": "there is no such rule",
    "quit": "ends the session",
    "quit 1": "ends the session",
}
ON_SCREEN = {"tui", "layout", "focus", "refresh", "update", "winheight"}
# Of breakpoint 1, which the others need; then those that end the program: in this order, behind the others.
LAST = ("condition", "ignore", "commands", "silent", "enable", "disable", "clear", "delete", "inferior", "run",
        "starti", "kill", "detach", "cd")
BEFORE = {"clear": "break saxpy.s:28", "down": "up", "up": "frame 0", "detach": "starti"}


def pages():
    """{command: (topic, examples)} as help says it."""
    s, found = Session(*SAXPY), {}
    for topic in TOPICS:
        listed = s.command(f"help {topic}")["commands"]
        check(listed, f"nothing is about {topic}")
        for one in listed:
            check(one["name"] not in found, f"{one['name']} has two topics")
            found[one["name"]] = topic
    names = {one["name"] for one in s.command("help all")["commands"]}
    equal(set(found), names, "commands with a topic")
    said = {name: (found[name], s.command(f"help {name}")["examples"]) for name in names}
    s.end()
    return said


def every_command_has_examples():
    said, s = pages(), Session(*SAXPY)
    for alias in "hbreak inspect start thbreak thread where".split() + ["info threads"]:
        said[alias] = (None, s.command(f"help {alias}")["examples"])
    s.end()
    for name, (_, examples) in said.items():
        check(examples, f"{name} has no example")
        check(any(re.match(rf"{re.escape(name)}\b", e) for e in examples), f"{name}: {examples}")


def settings():
    """Each setting that show lists has its help, whose example sets it."""
    s = Session(*SAXPY)
    with tempfile.TemporaryDirectory() as folder:
        s.command(f"set logging file {folder}/log")
        shown = [one["name"] for one in s.command("show")["settings"]]
        check(len(shown) > 20, shown)
        for name in shown:
            said = s.command(f"help set {name}")
            check(said["help"].endswith(".") and said["usage"], said)
            example, = said["examples"]
            check(example.startswith(f"set {name} "), example)
            answer = s.command(example.replace("session.log", f"{folder}/session.log"))
            check(answer.get("result") != "error", f"{example}: {answer}")
            s.command("set logging enabled off")
            equal(s.command(f"help show {name}")["help"], said["help"], name)
            equal([one["name"] for one in s.command(f"show {name}")["settings"]], [name], "show of it")
    logging = [f"logging {what}" for what in ("enabled", "file", "overwrite", "redirect")]
    equal([one["name"] for one in s.command("show logging")["settings"]], logging, "those of a word")
    equal([one["name"] for one in s.command("help set logging")["commands"]], [f"set {name}" for name in logging], "help of a word")
    found = {one["name"] for one in s.command("apropos colours")["found"]}
    check("set style enabled" in found, found)
    check(s.command("apropos history")["found"], "the history")
    check(len(s.command("help set var")["examples"]) > 1, "an assignment")
    s.end()


class Stopped:
    """A session that is stopped at its breakpoint 1."""

    def __init__(self, in_c):
        self.s = Session(*(VARIABLES if in_c else SAXPY))
        self.at = "add_up" if in_c else "compute"
        self.good(f"break {self.at}")
        self.good("run")

    def good(self, line):
        answer = self.s.command(line)
        check(answer.get("result") != "error", f"{line}: {answer.get('message')}")
        return answer

    def clean(self):
        """Deletes what an example has set."""
        for b in self.good("info breakpoints").get("breakpoints", []):
            if b["number"] != 1:
                self.good(f"delete {b['number']}")

    def is_stopped(self):
        return self.s.command("wave").get("result") != "error"


def run_examples(s, name, topic, examples, folder):
    """How many there were."""
    ran = 0
    if name in BEFORE:
        s.good(BEFORE[name])
    for line in examples:
        if line in NOT_RUN:
            continue
        if name not in LAST and not s.is_stopped():
            s.clean()
            s.good("run")
        for file in re.findall(r"\b(?:out|lane)\.(?:bin|png)|\bmine\.bw|\bstop\.html", line):
            line = line.replace(file, f"{folder}/{file}")
        s.good(line)
        ran += 1
    if topic in ("breakpoints", "running") and name not in LAST:
        s.clean()
    if topic == "running" and name not in LAST:
        s.good("run")
    return ran


def examples_run():
    said = pages()
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for in_c in (False, True):
            names = [n for n in sorted(said) if (n in IN_C) == in_c and n not in ON_SCREEN and n not in LAST]
            s = Stopped(in_c)
            for name in names + ([] if in_c else list(LAST)):
                ran += run_examples(s, name, *said[name], folder)
            s.s.end()
    check(ran > 150, f"only {ran} examples were run")


if __name__ == "__main__":
    main(every_command_has_examples, settings, examples_run)
