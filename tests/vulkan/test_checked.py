# SPDX-License-Identifier: MIT
"""--check on a Vulkan program (checked.c): two dispatches with and without a barrier between them; who has filled and copied
what, by `whence`; and accesses by address outside of buffers, and after they are freed."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from checked import findings  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check, equal, main, parse  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def found(what, scenario):
    """In a fixed order of workgroups: which of two accesses comes first is chance otherwise."""
    return findings("--deterministic", f"--check={what}", "--batch", "-ex", "run", "--", PROGRAM, scenario)


def dispatches():
    wrong = found("races", "chain_wrong")
    equal({(f["between"], f["first_access"], f["second_access"]) for f in wrong},
          {("dispatches", "store", "load"), ("dispatches", "store", "store")}, "what is found")
    for f in wrong:
        equal((f["first_dispatch"], f["second_dispatch"], f["times"]), (1, 2, 256), f"{f}")
        check(f["first_function"] == f["second_function"] and f["first_instruction"].startswith("buffer_store_b32"), f"{f}")
    for right in "chain_right", "event_right", "apart_right", "submits_right":
        equal(found("races", right), [], right)


def transfers():
    for scenario, first, second in (("filled_first", "fill", "load"), ("filled_later", "store", "fill"), ("copied", "store", "copy")):
        wrong = found("races", f"{scenario}_wrong")
        check(any((f["between"], f["first_access"], f["second_access"]) == ("transfer", first, second) for f in wrong), f"{scenario}: {wrong}")
        equal({f["between"] for f in wrong}, {"transfer"}, f"{scenario}: {wrong}")
        equal(found("races", f"{scenario}_right"), [], scenario)


# By scenario: what the finding is between, and the two accesses.
PAIRS = {"reads_then_changes": ("dispatches", "load", "store"), "reads_then_fills": ("transfer", "load", "fill"),
         "copies_then_steps": ("transfer", "copy", "store"), "copies_then_fills": ("transfer", "copy", "fill"),
         "updates_then_steps": ("transfer", "write", "load"), "steps_then_updates": ("transfer", "store", "write"),
         "fills_then_copies": ("transfer", "fill", "copy"), "fills_then_is_copied_to": ("transfer", "fill", "copy"),
         "updates_then_copies": ("transfer", "write", "copy")}


def pairs():
    """What is only read before it is changed, updates by packets, and transfers among themselves."""
    for scenario, wanted in PAIRS.items():
        wrong = {(f["between"], f["first_access"], f["second_access"]) for f in found("races", f"{scenario}_wrong")}
        check(wanted in wrong and {between for between, _, _ in wrong} == {wanted[0]}, f"{scenario}: {wrong}")
        equal(found("races", f"{scenario}_right"), [], scenario)


def queues():
    """Two queues: which dispatch comes first is chance, but not that they are in no order."""
    wrong = findings("--check=races", "--batch", "-ex", "run", "--", PROGRAM, "queues_wrong")
    check(wrong and {f["between"] for f in wrong} == {"queues"}, f"{wrong}")
    equal({f["first_dispatch"] for f in wrong} & {f["second_dispatch"] for f in wrong}, set(), f"{wrong}")
    for right in "queues_binary_right", "queues_timeline_right", "queues_fence_right":
        equal(findings("--check=races", "--batch", "-ex", "run", "--", PROGRAM, right), [], right)


def fills_and_copies():
    """Three bytes of the three kinds; the first dispatch multiplies the first 64 by 3 and adds 1."""
    commands = ["break on dispatch 2", "run", "whence *(int *)$_buffer", "whence ((int *)$_buffer)[100]", "whence ((int *)$_buffer)[130]",
                "whence ((int *)$_buffer)[200]"]
    address = subprocess.run([BREAKWATER, "run", "--json", "--batch", "-ex", "break on dispatch 2", "-ex", "run", "-ex",
                              "info descriptors", "--", PROGRAM, "filled"], capture_output=True, text=True, timeout=TIMEOUT_S)
    rows = [parse(line) for line in address.stdout.splitlines()]
    buffer = next(d["address"] for r in rows if r.get("what") == "descriptors" for d in r["descriptors"] if d.get("size") == 1024)
    given = [w for c in commands for w in ("-ex", c.replace("$_buffer", buffer))]
    done = subprocess.run([BREAKWATER, "run", "--check=writers", "--json", "--batch", *given, "--", PROGRAM, "filled"],
                          capture_output=True, text=True, timeout=TIMEOUT_S)
    answers = [r["writers"] for r in map(parse, done.stdout.splitlines()) if r.get("command") == "whence" and "writers" in r]
    equal(len(answers), 4, f"answers: {done.stdout[-3000:]}{done.stderr}")
    first, filled, copied, nobody = answers
    equal([(w["by"], w.get("dispatch")) for w in first][0], ("wave", 1), f"{first}")
    equal((int(first[0]["value"], 16), first[1]["by"]), (7 * 3 + 1, "fill"), f"{first}")
    equal((filled[0]["by"], int(filled[0]["value"], 16)), ("fill", 7), f"{filled}")
    equal((copied[0]["by"], int(copied[0]["value"], 16)), ("copy", 102), f"{copied}")
    check(int(copied[0]["source"], 16), f"{copied}")
    equal(nobody[0]["by"], "none", f"{nobody}")


def line_of(text):
    lines = (pathlib.Path(__file__).parent / "checked.c").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def by_address():
    """Buffers that a shader has by their addresses, next to each other in one memory."""
    made = f"buffer at checked.c:{line_of('VK_OK(vkCreateBuffer(')}"
    past, = found("bounds", "past_wrong")
    equal((past["target"], past["limit"], past["times"], past["made"]), ("results + 0x3e8", 1000, 6, made), f"{past}")
    equal((past["first_workgroup"], past["first_lane"], past["is_freed"]), ([3, 0, 0], 250 % 64, False), f"{past}")
    freed, = found("bounds", "freed_wrong")
    equal((freed["target"], freed["times"], freed["is_freed"]), ("results + 0x0", 250, True), f"{freed}")
    equal(freed["freed"], f"by_address at checked.c:{line_of('vkDestroyBuffer(gpu->device, to, NULL)')}", f"{freed}")
    gone = found("bounds", "gone_wrong")
    equal({(f["first_access"], f["times"], f["freed"]) for f in gone},
          {(a, 250, f"by_address at checked.c:{line_of('vkFreeMemory(gpu->device, m, NULL)')}") for a in ("load", "store")}, f"{gone}")
    done = subprocess.run([BREAKWATER, "exec", "--check=bounds", "--", PROGRAM, "past_wrong"], capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    check("at results + 0x3e8, which has 1000 bytes" in done.stderr, f"without a debugger: {done.stderr}")
    for right in "past_right", "reused_right":
        equal(found("bounds", right), [], right)


def left_at_the_end():
    leak, = found("leaks", "past_right")
    equal((leak["kind"], leak["made"]), ("leak", f"memory at checked.c:{line_of('VK_OK(vkAllocateMemory(')}"), f"{leak}")
    check(leak["size"] > 2 * 1024 + 1000, f"{leak}")
    equal(found("leaks", "chain_right"), [], "a program that frees all")


main(dispatches, transfers, pairs, queues, fills_and_copies, by_address, left_at_the_end)
