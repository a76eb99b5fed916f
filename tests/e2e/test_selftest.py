#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""breakwater selftest on the virtual GPU: all steps pass and leave nothing, and its options."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, check_strict, device_state, equal, main, processes_with
from json_schema import parse

STEPS = ["access", "registers", "pages", "waves", "trap", "save", "breakpoint", "step", "steps", "many", "watch", "detach", "kill",
         "inferences"]


# In the environment of what this test starts: other tests run programs of the same name at the same time.
MARK = f"BREAKWATER_TEST_SELFTEST={os.getpid()}"


def selftest(*args, status=0, env=None):
    """Its standard output, its errors and its report ("" for none)."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BREAKWATER, "selftest", *args], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=2 * TIMEOUT_S, env={**os.environ, **(env or {}), **dict([MARK.split("=")])})
        report = pathlib.Path(folder) / "breakwater-selftest.txt"
        text = report.read_text() if report.exists() else ""
        equal(done.returncode, status, f"status of selftest {args}, which says\n{done.stdout}{done.stderr}{text}\n")
        check_strict(done.stderr)
        return done.stdout, done.stderr, text


def verdicts(report):
    """Step: verdict, without the time."""
    return dict(re.findall(r"^(\w+): ([^\n]*?)(?:, [\d.]+ s)?$", report, re.M))


def inferences():
    """Name, sentence and place of each."""
    rows = (SOURCE / "src/selftest/inferences.def").read_text()
    return re.findall(r'^BW_INFERENCE\((\w+), \w+, "([^"]*)", "([^"]*)",', rows, re.M)


def answers(report):
    """Inference: answer, with its reason."""
    return dict(re.findall(r"^  (\w+): ((?:yes|no|unknown)\b.*)$", report, re.M))


def passes():
    out, _, report = selftest("--gpu", "virtual")
    equal(verdicts(report), {name: "passed" for name in STEPS}, "verdicts")
    check(out.endswith("All of these steps have passed. The report is breakwater-selftest.txt.\n"), f"the end: {out}")
    for line in ("  GC: 11.0.0", "  VMID belongs to: the program", "  hits: 4096", "  watch hit: value 0x22,"):
        check(line in report, f"{line} in\n{report}")
    check(re.search(r"As the trap handler has saved them: \d{4} words compared, 0 differ", report), f"compared words in\n{report}")
    kernels = [name for name, _, _ in inferences()]
    equal(answers(report), {name: "yes" for name in kernels}, "inferences")
    check("apertures: yes\n    high dword of the shared base: 0x20000000\n" in report, report)
    for private in (os.uname().nodename, str(pathlib.Path.home()) + "/"):
        check(len(private) < 4 or private not in report, f"{private} in\n{report}")


def leaves_registers():
    """A GPU that lives on has the registers that it had, after a dry run and after the steps."""
    server = subprocess.Popen([BUILD / "breakwater-vgpu"], stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"BREAKWATER_VGPU=(\S+)", server.stdout.readline())
        check(found, "the server says its socket")
        env = {**os.environ, "BREAKWATER_VGPU": found.group(1)}
        program = BUILD / "tests/live/device_state"
        before = device_state(program, env)
        out, _, report = selftest("--gpu", "virtual", "--dry-run", env=env)
        equal(device_state(program, env), before, "registers after --dry-run")
        equal(report, "", "a report of --dry-run")
        for name in STEPS:
            check(re.search(rf"^\d+/{len(STEPS)} {name}$", out, re.M), f"{name} in\n{out}")
        rows = parse(selftest("--dry-run", "--json")[0])["steps"]
        equal([(row["name"], row["verdict"]) for row in rows], [(name, "not run") for name in STEPS], "steps in JSON")
        _, _, report = selftest("--gpu", "virtual", "--from", "save", "--up-to", "breakpoint", env=env)
        equal([name for name, v in verdicts(report).items() if v == "passed"], ["access", "save", "breakpoint"], "steps")
        equal(device_state(program, env), before, "registers after --from save --up-to breakpoint")
    finally:
        server.terminate()
        server.wait(TIMEOUT_S)


def refuses():
    _, err, _ = selftest("--up-to", "nowhere", status=2)
    _, nowhere, _ = selftest("--from", "nowhere", status=2)
    equal(nowhere, err, "the error of --from")
    equal(err, f'breakwater: There is no step "nowhere"; there are {", ".join(STEPS)}.\n', "the error")
    _, err, _ = selftest("--from", "watch", "--up-to", "step", status=2)
    equal(err, 'breakwater: The step "watch" is after "step".\n', "the error")
    # Nothing is tested where the report cannot be written.
    out, err, _ = selftest("--gpu", "virtual", "-o", "nowhere/report.txt", status=2)
    check("nowhere/report.txt" in err and "passed" not in out, f"{out}{err}")


def nothing_is_left():
    equal(processes_with(MARK), {}, "programs that are left")


def planted(*faults):
    return {"BREAKWATER_VGPU_ARGS": " ".join(["--quiet", *(f"--plant {fault}" for fault in faults)])}


def finds_inferences():
    """Inferences that do not hold or cannot be tried: the step passes, the table says it, in JSON as well."""
    out, _, report = selftest("--gpu", "virtual", "--from", "inferences", "--limit", "15", "--json", env=planted("round", "barrier"))
    found = {name: answer for name, answer in answers(report).items() if answer != "yes"}
    equal(found, {"matrix_round": "no: 2^24 + 1, first element: 0x4b800001, not 0x4b800000",
                  "ended_barrier": "unknown: The step did not end in time while waiting for the end of the kernel \"ended_barrier\"; the GPU "
                                   "reads registers and runs kernels"}, "answers")
    equal(verdicts(report)["inferences"], "passed", "the step")
    answer = parse(out)
    equal({row["name"]: row["verdict"] for row in answer["steps"]}, verdicts(report), "verdicts in JSON")
    equal([(row["name"], row["sentence"], row["relied_on"]) for row in answer["inferences"]], inferences(), "inferences in JSON")
    equal({row["name"]: row["holds"] + (": " + row["reason"] if "reason" in row else "") for row in answer["inferences"]}, answers(report),
          "answers in JSON")
    nothing_is_left()


def hides_names():
    """What a program says goes into the report, with the path of a home folder that has the user's name."""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder) / "people" / "erika-planted"
        (home / "tmp").mkdir(parents=True)
        env = {"HOME": str(home), "USER": "erika-planted", "TMPDIR": str(home / "tmp"), "LD_PRELOAD": str(home / "none.so")}
        _, _, report = selftest("--gpu", "virtual", "--from", "trap", status=1, env={**env, **planted("trap-en")})
    check("erika-planted" not in report and "~/none.so" in report, report)


# What each fault of hardware, planted in the virtual GPU, is told as: the step, its verdict, and words of its section.
FAULTS = {
    "hang": ("trap", "hung, and the GPU still works", "the GPU reads registers and runs kernels"),
    "watch": ("watch", "failed", "The watchpoint was not hit although the kernel has written the word"),
    "dead": ("trap", "hung, and the GPU does not answer", "the GPU does not run an empty kernel"),
    "trap-en": ("trap", "failed", "The wave has passed s_trap 3 without entering the trap handler"),
    "vgpr": ("save", "failed", "v7 of lane 0 is 0x00000000, not 0x07070000"),
}


def check_fault(fault, report):
    step, verdict, reason = FAULTS[fault]
    equal(verdicts(report), {name: "not run" for name in STEPS} | {"access": "passed", step: verdict}, f"verdicts with {fault}, in\n{report}\n")
    section = report.split(f"\n{step}: ")[1].split("\n\n")[0]
    check(reason in section, f"{reason} in\n{section}")


def finds_fault(fault):
    step, verdict, _ = FAULTS[fault]
    limit = ["--limit", "5"] if verdict.startswith("hung") else []
    _, _, report = selftest("--gpu", "virtual", "--from", step, *limit, status=1, env=planted(fault))
    check_fault(fault, report)


def finds_faults():
    """The right step says the right words. Two at a time, as some wait for a limit."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(finds_fault, FAULTS))
    nothing_is_left()


def is_described():
    """The page names the steps in their order."""
    rows = (SOURCE / "doc/first-light.md").read_text().split("| steps | what they do |")[1].split("\n\n")[0]
    equal([name for row in rows.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])], STEPS, "steps of the page")


def ends():
    """A step that does not end in time is told from one that fails."""
    _, _, report = selftest("--gpu", "virtual", "--from", "pages", "--limit", "2", status=1)
    found = verdicts(report)
    equal(found["pages"], "hung, and the GPU still works", "pages, which takes 4 seconds")
    equal(found["waves"], "not run", "the step after it")
    check(re.search(r"reason: The step did not end in time while .+; the GPU reads registers and runs kernels\.", report), report)
    nothing_is_left()


if __name__ == "__main__":
    main(passes, leaves_registers, refuses, finds_faults, finds_inferences, hides_names, is_described, ends)
