#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same calls on Linux's own driver and on the virtual GPU's (`breakwater exec`): their answers are equal, line by
line, but for what calls/differences.txt explains. What Linux answers is in calls/linux-6.12.txt; "make check-linux"
boots a guest and holds the file to it. --write makes the file of what the guest answers. The same for jobs that do not
end, in calls/resets-6.12.txt: where the driver is to end them."""
import difflib
import os
import pathlib
import re
import subprocess
import sys

from guest import IS_WHOLE, guest, need_parts

from harness import BREAKWATER, SOURCE, TIMEOUT_S, check, main

CALLS = pathlib.Path(__file__).resolve().parent / "calls"
PROGRAM = ["python3", "-B", str(CALLS / "all.py")]
GROUPS = ["core", "info", "gem", "work", "sync", "files"]
KNOWN = CALLS / "linux-6.12.txt"
RESETS = CALLS / "resets-6.12.txt"
# Some seconds, so that a busy machine ends no other job.
TIMEOUT_MS = 5000


def rules(kind):
    """The patterns of those kinds in differences.txt."""
    found = []
    for line in (CALLS / "differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            of, pattern, _ = re.fullmatch(r"(\w+)\s+(.*\S)\s+-- (.+)", line).groups()
            if of in kind:
                found.append(re.compile(pattern))
    return found


def compare(want, got, explained):
    """Lines that differ and that no pattern explains; patterns that explained nothing."""
    wrong, used = [], set()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, want, got, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for sign, lines in (("linux", want[a:b]), ("here ", got[c:d])):
            for line in lines:
                hits = [p for p in explained if p.search(line)]
                used.update(hits)
                if not hits:
                    wrong.append(f"{sign}: {line}")
    return wrong, [p.pattern for p in explained if p not in used]


def known(path=KNOWN):
    return path.read_text().splitlines()


def split(lines):
    parts, at = {}, None
    for line in lines:
        if line.startswith("## "):
            at = parts.setdefault(line.split()[1], [])
        at.append(line)
    return parts


def under_exec():
    """All groups, each by a program of its own, against what Linux has answered."""
    explained, wrong, unused = rules(["exec", "any"] + (["user"] if os.getuid() else [])), [], None
    for group in GROUPS:
        done = subprocess.run([str(BREAKWATER), "exec", "--", *PROGRAM, group], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=TIMEOUT_S)
        check(not done.returncode, f"{group}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}")
        more, idle = compare(split(known())[group], done.stdout.splitlines(), explained)
        wrong += more
        unused = set(idle) if unused is None else unused & set(idle)
    check(not wrong, f"{len(wrong)} lines differ:\n" + "\n".join(wrong[:100]))
    check(not unused or os.getuid(), "differences.txt explains what does not differ any more:\n" + "\n".join(unused))


def resets_under_exec():
    """Jobs that do not end: the errors of those who wait, and RESET for all contexts."""
    done = subprocess.run([str(BREAKWATER), "exec", "--", *PROGRAM, "resets"], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_S, env=dict(os.environ, BREAKWATER_VGPU_ARGS=f"--lockup-timeout {TIMEOUT_MS}"))
    check(not done.returncode, f"status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}")
    wrong, _ = compare(known(RESETS), done.stdout.splitlines(), [])
    check(not wrong, f"{len(wrong)} lines differ:\n" + "\n".join(wrong[:100]))


def answers_in_guest(path, groups, options):
    """What the file has is what the driver answers."""
    out, err = guest("sh", "-c", " && ".join(" ".join([*PROGRAM, group]) for group in groups), options=options, timeout_s=5 * TIMEOUT_S)
    lines = out.decode().splitlines()
    if "--write" in sys.argv:
        path.write_text("\n".join(lines) + "\n")
        return
    wrong, _ = compare(known(path), lines, rules(["any"]))
    check(not wrong and not err, f"{len(wrong)} lines differ:\n" + "\n".join(wrong[:100]) + err.decode())


def in_guest():
    answers_in_guest(KNOWN, GROUPS, ())


def resets_in_guest():
    answers_in_guest(RESETS, ["resets"], ("--driver-args", f"gpu_recovery=1 lockup_timeout={','.join([str(TIMEOUT_MS)] * 4)}"))


if "--write" in sys.argv or IS_WHOLE:
    need_parts()
GUEST = [in_guest, resets_in_guest]
main(*(GUEST if "--write" in sys.argv else [under_exec, resets_under_exec, *(GUEST if IS_WHOLE else [])]))
