#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What can end a line in the debug console, which is what can at the prompt."""
from client import SOURCE, Client, check, equal, main

DEMO = SOURCE / "examples/fahrenheit.s"
OPTIONS = "--grid 128 --group 64 --arg in=iota:128 --arg out=zeros:128".split()

# All words, in any order; the last word of the line is what is completed.
EXACT = {
    "info wav": "wave waves",
    "info waves ": "all count",
    "help info wav": "wave waves",
    "help appe": "append",
    "apropo": "apropos",
    "info line fahrenheit": "fahrenheit fahrenheit.kd fahrenheit.s:",
    "info scope fahrenheit.s:23": "fahrenheit.s:23",
    "info registers s20": "s20",
    "info registers sg": "sgprs",
    "layout m": "mem",
    "tui layout m": "mem",
    "tui me": "mem",
    "tui mem $_launch.": "$_launch.in $_launch.out",
    "x/4xw $_launch.": "$_launch.in $_launch.out",
    "display/i $pc": "$pc",
    "winheight sr": "src",
    "wh sr": "src",
    "save b": "breakpoints",
    "delete d": "display",
    "enable o": "once",
    "commands -ea": "-each-wave",
    "dump ": "binary memory value image",
    "unset ": "substitute-path",
    "set scheduler-l": "scheduler-locking",
    "set pagination ": "on off",
    "break on ": "dispatch",
    "break on dispatch gro": "groups",
    "catch dispatch gro": "groups",
    "catch fp div": "div0",
    "wave f": "find",
    "wave apply a": "all",
    "thread apply all -q printf": "printf",
    "wave apply 1-2 info wav": "wave waves",
    "lane apply -act": "-active",
    "lane apply 0-3 print $v22": "$v22",
    "print as_f": "as_float(",
    "print as_float($s77": "$s77",
    "print 2+$v0": "$v0",
    "p $_launch.ou": "$_launch.out",
    "wave find ": "",
    "report ": "",
    "frob x": "",
}


def words():
    with Client() as c:
        c.launch(DEMO, OPTIONS, stopOnEntry=True)
        c.go()
        c.stopped()
        for line, wanted in EXACT.items():
            targets = c.request("completions", text=line, column=len(line) + 1)["targets"]
            equal(sorted(t["label"] for t in targets), sorted(wanted.split()), f"behind {line!r}")
            for t in targets:
                check(t["label"].startswith(line[t["start"]:t["start"] + t["length"]]), f"what {t} takes the place of")
        # every command completes to itself, from its first two letters
        listed = c.value("help all", context="repl")
        names = [row.split()[0] for row in listed.splitlines() if row[:1].islower() and not row.startswith("info ")]
        check(len(names) > 60, f"commands of help all: {names}")
        for name in names:
            found = [t["label"] for t in c.request("completions", text=name[:2], column=3)["targets"]]
            check(name in found, f"{name} is not among {found}")
        c.disconnect()


main([words])
