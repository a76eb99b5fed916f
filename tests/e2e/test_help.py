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
    "info finding": "the session is not checked (test_check_stop.py)",
    "info finding 2": "the same",
    "info findings": "the same",
    "whence $_launch.out[5]": "the same (test_check_whence.py)",
    "attach 1234": "there is no such process",
    "symbol-file saxpy.co": "there is no such file",
    "info fault": "there was no fault",
    "info inputs": "it is not a wave of a draw",
    "info outputs": "the same",
    "framebuffer out.png": "nothing is drawn",
    "framebuffer depth.png depth": "nothing is drawn",
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


# Words that the code of commands compares with what was typed, but which are not for users to type there.
NOT_TYPED = {"on dispatch": "the text of such a breakpoint", "Same as": "how help knows other names of a command",
             "BREAKWATER_VGPU=": "the environment", "wb": "how a file is opened", "/": "a format of ptype",
             "directories": "of show", "UTF-8": "the terminal's encoding"}
COMPARED = re.compile(r"""(?:strcmp|starts_with)\((?:[^()"]|\([^()]*\))*, "([^"]+)"\)""")
ROW = re.compile(r"""^\t\{"([a-z-]+)", (?:NULL|"[a-z]+"), (bw_(?:cmd|info)_\w+),""", re.M)


def words_of_the_parsers():
    """help of the commands of a file names each word and option that the code of the file compares with what is typed, and
    the tables' own: kinds of exceptions, properties of dispatches, settings."""
    s, names = Session(*SAXPY), {}
    for name, function in ROW.findall((SOURCE / "src/cli/commands.c").read_text()):
        names.setdefault(function, []).append(f"info {name}" if function.startswith("bw_info_") else name)
    # info threads and info waves share a function, break and hbreak do: each says the same
    help_of = {name: s.command(f"help {name}") for group in names.values() for name in group}
    checked, missing = 0, []
    for path in sorted((SOURCE / "src/cli").glob("cmd_*.c")):
        code = path.read_text()
        said = " ".join(f"{name} {a['usage']} {a['help']} {a.get('more', '')} {' '.join(a.get('words', []))} {a['examples']}"
                        for function, group in names.items() if re.search(rf"\b{function}\(struct", code)
                        for name in group for a in [help_of[name]])
        for word in set(COMPARED.findall(code)) - set(NOT_TYPED):
            if said and path.name != "cmd_set.c":  # what settings take: settings()
                if not re.search(rf"(?<![\w-]){re.escape(word.strip())}(?![\w])", said):
                    missing.append(f"{path.name}: {word}")
                checked += 1
    equal(missing, [], "words that no help of the file's commands names")
    check(checked > 40, f"only {checked} words were checked")
    for line, commands in (("catch fp nonsense", ("catch", "tcatch")),
                           ("break on dispatch 3 2", ("break", "tbreak", "hbreak", "thbreak", "catch", "tcatch"))):
        words = s.command(line)["message"].partition(": ")[2].rstrip(".").split(", ")
        check(len(words) > 5, words)
        for name in commands:
            equal([w for w in words if w not in help_of[name]["words"]], [], f"what help {name} does not name")
    equal([w["name"] for w in s.command("show")["settings"] if w["name"] not in help_of["set"]["words"]], [], "help set")
    equal(help_of["hbreak"]["more"], help_of["break"]["more"], "another name of a command")
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
    main(every_command_has_examples, settings, words_of_the_parsers, examples_run)
