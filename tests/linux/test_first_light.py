#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""breakwater selftest on Linux's own driver: all steps pass, each inference is answered, registers and the driver are as
before; and what it says of faults of hardware that are planted in the virtual GPU. make check-linux alone: each case boots a
guest."""
import re

from driver import in_guest
from guest import IS_WHOLE, need_parts

from harness import BUILD, check, equal, main
from json_schema import parse
from test_selftest import STEPS, answers, check_fault, inferences, verdicts

DEBUG = "/sys/kernel/debug/dri/0000:00:10.0"
SAXPY = ("breakwater run --gpu 0 examples/saxpy.s --grid 64 --group 64 --arg a=2.0 --arg x=iota:64 --arg y=fill:64:1 "
         "--arg out=zeros:64 --print out:4")
PREPARE = f"""
part() {{ echo "==== $*"; }}
# The driver turns the graphics block off 100 ms after nobody holds it any more (amdgpu_gfx.c of Linux 6.12).
state() {{ sleep 1; {BUILD}/tests/live/device_state 0 | grep -v '^map\\|^code'; }}
selftest() {{
	rm -f /tmp/report
	code=0
	breakwater selftest --gpu 0 -o /tmp/report "$@" || code=$?
	part status; echo $code
	part report; cat /tmp/report 2>/dev/null || echo none
}}
"""


def parts(text):
    """The name of each part and its text, in their order."""
    found = [part.partition("\n") for part in text.split("==== ")[1:]]
    return [(name, body) for name, _, body in found]


def reports(text):
    return [body for name, body in parts(text) if name == "report"]


def check_quiet(report):
    """The driver has said nothing, as the report would have it."""
    check("kernel log: " not in report, report)


def passes():
    """Each step; nothing that --dry-run does; afterwards registers are as before, the rings work, and a kernel runs."""
    text = in_guest(PREPARE + f"""
part before; state
part dry; selftest --dry-run
part after dry; state
part json; selftest --json
part some; selftest --from breakpoint --up-to step
part after; state
part rings; cat {DEBUG}/amdgpu_test_ib
part kernel; {SAXPY}
part left; ps -e -o comm= | grep -c '\\.bin$\\|breakwater' || true
""", is_long=True)
    found = parts(text)
    body = dict(found)
    equal([part for name, part in found if name == "status"], ["0\n"] * 3, "statuses in\n" + text)
    equal(body["after dry"], body["before"], "registers after --dry-run")
    equal(body["after"], body["before"], "registers after all steps")
    check(len(re.findall("^reg ", body["before"], re.M)) > 50, f"registers in\n{body['before']}")
    dry, whole, some = reports(text)
    equal(dry, "none\n", "the report of --dry-run")
    for name in STEPS:
        check(re.search(rf"^\d+/{len(STEPS)} {name}$", body["dry"], re.M), f"{name} in\n{body['dry']}")
    equal(verdicts(whole), {name: "passed" for name in STEPS}, "verdicts in\n" + whole)
    equal(answers(whole), {name: "yes" for name, _, _ in inferences()}, "inferences")
    for line in ("  driver: amdgpu", "  GPU: Breakwater's virtual GPU", "  hits: 4096", "  VMID belongs to: the program",
                 'built by these inferences: "yes" means'):
        check(line in whole, f"{line} in\n{whole}")
    check_quiet(whole)
    answer = parse(body["json"])
    equal({row["name"]: row["verdict"] for row in answer["steps"]}, verdicts(whole), "verdicts in JSON")
    equal({row["name"]: row["holds"] for row in answer["inferences"]}, answers(whole), "answers in JSON")
    equal((answer["passed"], answer["virtual"]), (True, True), "the end in JSON")
    equal([name for name, verdict in verdicts(some).items() if verdict == "passed"], ["access", "breakpoint", "step"], "steps of --from --up-to")
    check("ib ring tests passed." in body["rings"], text)
    check("1 3 5 7\n" in body["kernel"], text)
    equal(body["left"], "0\n", "programs that are left")


def no_trap():
    """STATUS.TRAP_EN is ignored."""
    text = in_guest(PREPARE + "selftest --from trap\n", plants=["trap-en"])
    report, = reports(text)
    check_fault("trap-en", report)
    check_quiet(report)


def losses():
    """A save that loses a VGPR, a watch that never fires, a matrix product that rounds otherwise, a barrier that waits for
    waves that have ended: its kernel hangs, and the inferences after it are asked nevertheless."""
    text = in_guest(PREPARE + f"""
selftest --from save
selftest --from watch
selftest --from inferences --limit 30
""", is_long=True, plants=["vgpr", "watch", "round", "barrier"])
    save, watch, asked = reports(text)
    check_fault("vgpr", save)
    check_fault("watch", watch)
    equal(verdicts(asked)["inferences"], "passed", "the step in\n" + asked)
    found = {name: answer for name, answer in answers(asked).items() if answer != "yes"}
    equal(found.pop("matrix_round"), "no: 2^24 + 1, first element: 0x4b800001, not 0x4b800000", "matrix_round")
    equal(found.pop("ended_barrier"), "unknown: The step did not end in time while waiting for the end of the kernel \"ended_barrier\"; "
          "the GPU reads registers and runs kernels", "ended_barrier")
    equal(sorted(found), ["watch_precise", "watch_scalar"], "other answers")
    check(all(answer.startswith("unknown: ") for answer in found.values()), f"{found}")


def hangs():
    """A wave that hangs in the trap handler, on a driver that never ends a job: the GPU still works."""
    text = in_guest(PREPARE + "selftest --from trap --limit 60\n", is_long=True, plants=["hang"])
    report, = reports(text)
    check_fault("hang", report)
    check_quiet(report)


def dies():
    """No wave runs after the one that hung."""
    text = in_guest(PREPARE + "selftest --from trap --limit 60\n", is_long=True, plants=["dead"])
    report, = reports(text)
    check_fault("dead", report)


if not IS_WHOLE:
    print("SKIPPED: make check-linux runs this.")
    raise SystemExit(77)
need_parts()
main(passes, no_trap, losses, hangs, dies)
