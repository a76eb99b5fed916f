#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""breakwater attach --waves: a session on the waves of a program that hangs and that no debugger has started. The
kernel is kernels/stuck.s: work-item i has written 3 * i + 7 before its wave hangs, 0x30 bytes from the kernel's start
(as llvm-objdump says)."""
import pathlib
import re
import signal
import subprocess
import sys

import harness
from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, check, equal, main
from looked_at import Gpu

sys.path.insert(0, str(SOURCE / "tests" / "dap"))
from client import Client  # noqa: E402

HANGS_AT = 0x30
LINE = 1 + [line.strip() for line in (KERNELS / "stuck.s").read_text().splitlines()].index("s_branch hang // here")


class StuckGpu(Gpu):
    def __enter__(self):
        super().__enter__()
        self.start("stuck", out="zeros:64")
        self.await_states(["running"] * 2)
        return self

    def session(self, *commands, options=(), status=0):
        """What a session says to each command, as text."""
        words = [word for c in commands for word in ("-ex", c)]
        done = subprocess.run(self.command("attach", "--waves", *options, "--batch", *words), env=self.env, text=True,
                              cwd=self.folder.name, capture_output=True, timeout=TIMEOUT_S)
        check(done.returncode == status, f"{commands}: status {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def runs_on(self):
        self.await_states(["running"] * 2)
        check(all(p.poll() is None for p in self.programs), "the program has ended")


def what_it_shows():
    with StuckGpu() as gpu:
        text = gpu.session("info waves", "print $s20", "print $v2", "print $v2", "bt", "x/3dw $s[4:5]",
                           "print/x $pc", "x/i $pc", options=["--halt"])
        check(re.search(r"^2 waves are on virtual .*, halted with all others of the GPU until this session ends\.$", text,
                        re.M), text)
        equal(len(re.findall(rf"stuck \(\) at stuck\.s:{LINE}  INTERRUPT$", text, re.M)), 2, f"waves in {text}")
        check("= 4660" in text, f"s20 is 0x1234: {text}")
        check(re.search(r"#0  stuck \(\) at stuck\.s:%d" % LINE, text), f"backtrace: {text}")
        check(re.search(r":\s+7\s+10\s+13$", text, re.M), f"memory: {text}")
        check(re.search(rf"= 0x[0-9a-f]*{HANGS_AT:02x}\b", text), f"PC: {text}")
        check(re.search(rf"<stuck\+{HANGS_AT}>:\s+s_branch", text), f"instruction: {text}")
        gpu.runs_on()
        # each lane of the second workgroup's wave: 3 * (32 + lane) + 7
        lanes = [3 * (32 + lane) + 7 for lane in range(32)]
        shown = "".join(gpu.session(f"thread {n}", "info registers v2", options=["--halt"]) for n in (1, 2))
        row = re.compile(r"\[ ?\d+\]((?:\s+[0-9a-f]{8}){8})")
        values = [int(x, 16) for line in row.findall(shown) for x in line.split()]
        equal(sorted(values), sorted([3 * lane + 7 for lane in range(32)] + lanes), "v2 of both waves")
        gpu.runs_on()


def the_process_that_is_meant():
    """By its number the session finds the GPU, too, and a second program on it is none of its business."""
    with StuckGpu() as gpu:
        gpu.start("loop")
        gpu.await_states(["running"] * 4)
        pid = {w["process"]: w["pid"] for w in gpu.waves()}
        env = dict(gpu.env)
        del env["BREAKWATER_VGPU"]
        done = subprocess.run(gpu.command("attach", "--waves", str(pid["stuck"]), "--json", "--batch", "-ex",
                                          "info waves", "-ex", "info inferiors"), env=env, text=True,
                              capture_output=True, check=True, timeout=TIMEOUT_S)
        answers = [harness.parse(line) for line in done.stdout.splitlines()]
        waves = next(a["waves"] for a in answers if a.get("what") == "waves")
        equal([w["function"] for w in waves], ["stuck"] * 2, "functions")
        inferiors = next(a["inferiors"] for a in answers if a.get("what") == "inferiors")
        equal([i["pid"] for i in inferiors], [pid["stuck"]], "processes")
        text = gpu.session("info inferiors", "info waves")
        check(re.search(r"\bstuck\b.*\n.*\bloop\b|\bloop\b.*\n.*\bstuck\b", text), f"all of the GPU: {text}")


def what_is_refused():
    refusal = "a session that only looks at waves cannot %s: \"breakwater run\" and \"breakwater attach PID\" can"
    with StuckGpu() as gpu:
        for command, what in (("continue", "run waves"), ("stepi", "run waves"), ("next", "run waves"),
                              ("finish", "run waves"), ("set var $s0 = 1", "write registers"),
                              ("set var *(int *)$s[4:5] = 1", "write memory"),
                              ("kill", "detach from or kill programs"), ("run", "run waves")):
            text = gpu.session(command, status=2)
            check(refusal % what in text, f"{command}: {text}")
        gpu.runs_on()
        for options, why in ((["--halt", "1"], "--halt needs --waves"), (["--waves", "x"], "takes the number of a")):
            done = subprocess.run(gpu.command("attach", *options), env=gpu.env, text=True, capture_output=True,
                                  timeout=TIMEOUT_S)
            check(done.returncode == 2 and why in done.stderr, f"{options}: {done.stderr}")


def what_ends_it():
    """Halted waves run on, whatever ends the session; so do those of a session that halts none."""
    with StuckGpu() as gpu:
        for options in (["--halt"], []):
            for ending in ("quit", "detach", signal.SIGTERM, signal.SIGKILL):
                p = subprocess.Popen(gpu.command("attach", "--waves", *options), env=gpu.env, text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                p.stdin.write("echo halted\\n\n")
                p.stdin.flush()
                said = []
                while not said or said[-1] != "halted\n":
                    said.append(p.stdout.readline())
                    check(said[-1], f"{ending}: it ended, having said {said}")
                equal([w["state"] for w in gpu.waves()], ["halted" if options else "running"] * 2,
                      f"{ending}: states before it")
                if isinstance(ending, str):
                    p.stdin.write(f"{ending}\n")
                    p.stdin.flush()
                else:
                    p.send_signal(ending)
                p.communicate(timeout=TIMEOUT_S)
                gpu.runs_on()


def its_report():
    with StuckGpu() as gpu:
        page = pathlib.Path(gpu.folder.name) / "stuck.html"
        gpu.session(f"report {page}")
        text = page.read_text()
        check("stuck.s" in text and "s_branch" in text, "the page has the code")
        check("00001234" in text, "the page has s20")
        gpu.runs_on()


def fenced(text, after, kind=""):
    return text.split(after, 1)[1].split(f"```{kind}\n", 1)[1].split("```", 1)[0]


def the_page():
    """doc/waves.md: its kernel, its commands, and what the second one prints. Where in the loop the wave is, is chance."""
    text = (SOURCE / "doc/waves.md").read_text()
    with Gpu() as gpu:
        (pathlib.Path(gpu.folder.name) / "hang.cl").write_text(fenced(text, "This kernel", "c"))
        first, second = (fenced(text, after, "sh").strip() for after in ("in the first terminal", "finds it by that"))
        words = first.split()
        equal(words[0], "breakwater", "the first command")
        gpu.programs.append(subprocess.Popen(gpu.command(*words[1:]), env=gpu.env, cwd=gpu.folder.name, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))
        gpu.await_states(["running"])
        name = re.search(r"\$\(pgrep -nx (\w+)\)$", second)[1]
        pid = gpu.waves()[0]["pid"]
        equal((pathlib.Path("/proc") / str(pid) / "comm").read_text(), f"{name}\n", "the name that pgrep looks for")
        env = {k: v for k, v in gpu.env.items() if k != "BREAKWATER_VGPU"}
        done = subprocess.run(gpu.command(*second.split("$")[0].split()[1:], str(pid), "--batch"), env=env, text=True,
                              capture_output=True, check=True, timeout=TIMEOUT_S)
        loop = [re.sub(r"^=> .*", "=> ", re.sub(r"^0x[0-9a-f]+ in ", "", line)) for line in (fenced(text, "at the loop") + "$" + done.stdout).split("\n")]
        shown, said = "\n".join(loop).split("$")
        equal(said, shown, "what the page shows")
        # without a process there is no virtual GPU to look at
        lone = subprocess.run(gpu.command("attach", "--waves", "--batch"), env=env, text=True, capture_output=True, timeout=TIMEOUT_S)
        check(lone.returncode == 2 and "Which virtual GPU is looked at?" in lone.stderr, f"without a process: {lone}")


def an_editor():
    with StuckGpu() as gpu:
        with Client(env=gpu.env) as c:
            c.request("attach", waves=True, halt=True)
            c.event("initialized")
            c.request("configurationDone")
            thread = c.stopped()
            equal(len(c.request("threads")["threads"]), 2, "threads")
            stack = c.request("stackTrace", threadId=thread)["stackFrames"]
            equal((stack[0]["name"], stack[0]["line"]), ("stuck", LINE), "the frame")
            equal([w["state"] for w in gpu.waves()], ["halted"] * 2, "states")
            c.request("disconnect")
        gpu.runs_on()


if __name__ == "__main__":
    main(what_it_shows, the_process_that_is_meant, what_is_refused, what_ends_it, its_report,
         the_page, an_editor)
