# SPDX-License-Identifier: MIT
"""breakwater capture of a part of what a program submits: the ring of the last submissions, the next ones when
somebody says so. What is captured is replayed
from its first submission, and leaves what the CPU computes for those rounds."""
import errno
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from harness import BREAKWATER, SOURCE, TIMEOUT_S, Failure, Session, check, equal, named_child
from json_schema import parse

ELEMENTS = 256
PROGRAM, LATE_MAP, MANY_BUFFERS, BAD_SUBMISSIONS = [os.path.abspath(p) for p in sys.argv[1:5]]


def computed(rounds):
    """The buffer `out` behind so many rounds, on the CPU."""
    values = [0] * ELEMENTS
    for k in range(1, rounds + 1):
        values = [(3 * v + k + i) % 2**32 for i, v in enumerate(values)]
    return b"".join(v.to_bytes(4, "little") for v in values)


def ask(*args, status=0):
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_S)
    if done.returncode != status:
        raise Failure(f"breakwater {args}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def answer(*args, **kwargs):
    return parse(ask(*args, "--json", **kwargs)[0].strip())


class Program:
    """tests/e2e/rounds.c, below `breakwater capture` or another command."""

    def __init__(self, folder, *command, control="zeros:1024", **settings):
        args = ["--group", "64", "--grid", str(ELEMENTS), "--arg", f"out=zeros:{ELEMENTS}", "--arg", f"control={control}"]
        self.process = subprocess.Popen([str(BREAKWATER), *[str(c) for c in command], "--", PROGRAM, *args, f"{folder}/rounds.co"],
                                        cwd=SOURCE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **settings})

    def say(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def rounds(self, n):
        """n rounds; how many there were in all."""
        self.say(n)
        return int(self.process.stdout.readline())

    def end(self, status=0):
        """What it printed last on standard error."""
        self.process.stdin.close()
        # not by communicate(), which does not see what readline() has read ahead
        err, out = self.process.stderr.read(), self.process.stdout.read()
        self.process.wait(timeout=TIMEOUT_S)
        if self.process.returncode != status:
            raise Failure(f"status {self.process.returncode}, expected {status}\n{out}{err}")
        return err


def out_of(path, number):
    """The buffer that the kernel of a submission has written."""
    buffer, = [b for b in answer("capture", "show", path, number)["buffers"] if b["gpu_pages"]]
    return buffer["buffer"]


def check_replay(folder, path, numbers, before=0):
    """From its first submission to its last; memory is what the CPU computes behind each of those looked at. before: rounds
    that were not counted."""
    rows = answer("capture", "list", path)["submissions"]
    equal([row["number"] for row in rows], list(numbers), "the submissions of the capture")
    buffer = out_of(path, numbers[0])
    looked_at = [numbers[0], numbers[-1]]
    r = answer("replay", "--check", *[f"--dump={n}:{buffer}={folder}/dump{n}" for n in looked_at], path)
    equal((r["submissions"], r["same"]), (len(numbers), True), "the replay")
    for n in looked_at:
        equal(pathlib.Path(folder, f"dump{n}").read_bytes()[:4 * ELEMENTS], computed(before + n), f"what is computed by round {n}")


def summary_of(err):
    return parse(err.strip().splitlines()[-1])


def check_last(folder):
    """The last seven of forty rounds."""
    path = pathlib.Path(folder, "last.bwc")
    p = Program(folder, "capture", "--json", "--every-result", "--last", "7", "-o", path)
    equal(p.rounds(40), 40, "rounds")
    s = summary_of(p.end())
    equal((s["kept"], s["why"], s["submissions"], s["dropped"], s["bytes"]), (True, "end", 40, 33, path.stat().st_size), "what it says")
    check_replay(folder, path, range(34, 41))
    info = answer("capture", "info", path)
    equal((info["submissions"], info["left_out"], info["whole"]), (7, 33, True), "info")
    check("from 34 to 40; 33 others are not in it" in ask("capture", "info", path)[0], "info in words")
    equal(answer("replay", "--first", "36", "--check", path)["submissions"], 5, "a part of them")
    # all of them fit
    p = Program(folder, "capture", "--every-result", "--last", "3600s", "-o", path)
    equal(p.rounds(5), 5, "rounds")
    check("breakwater: 5 submissions of 1 process in" in p.end(), "in words")
    check_replay(folder, path, range(1, 6))


def unseen_stretch(rows):
    """Indexes of the first and the last of the longest row of submissions behind which nobody has looked."""
    best, begin = (0, -1), None
    for i, row in enumerate(rows):
        is_unseen = row.get("gpu_kib") is None
        begin = (i if begin is None else begin) if is_unseen else None
        if is_unseen and i - begin > best[1] - best[0]:
            best = (begin, i)
    return best


def check_unseen(folder):
    """A ring looks at memory now and then: the file begins where memory is known, and a replay that begins where it
    is not runs those before it first."""
    path = pathlib.Path(folder, "unseen.bwc")
    # looking at so much takes longer than what the GPU does; after 512 KiB of changes it is looked at in any case
    p = Program(folder, "capture", "--json", "--last", "100", "--ring-size", "2M", "-o", path, control=f"zeros:{(16 << 20) // 4}")
    equal(p.rounds(300), 300, "rounds")
    s = summary_of(p.end())
    rows = answer("capture", "list", path)["submissions"]
    equal([row["number"] for row in rows], list(range(s["dropped"] + 1, 301)), "the submissions of the capture")
    check(len(rows) >= 100, s)
    first, last = unseen_stretch(rows)
    check(last > first, "memory was looked at behind each")
    buffer = out_of(path, next(row["number"] for row in rows if row.get("gpu_kib")))
    r = answer("replay", "--check", f"--dump=300:{buffer}={folder}/dump", path)
    n_seen = sum(row.get("gpu_kib") is not None for row in rows)
    equal((r["submissions"], r["checked"], r["led_in"], r["same"]), (len(rows), n_seen, 0, True), "the replay")
    equal(pathlib.Path(folder, "dump").read_bytes()[:4 * ELEMENTS], computed(300), "what is computed")
    # the second of the stretch: the first runs before it
    number = rows[first + 1]["number"]
    r = answer("replay", f"--first={number}", f"--last={number}", f"--dump={number}:{buffer}={folder}/dump", path)
    equal((r["submissions"], r["led_in"]), (1, 1), "the replay of one of them")
    equal(pathlib.Path(folder, "dump").read_bytes()[:4 * ELEMENTS], computed(number), "what it computes")
    said = ask("replay", f"--first={number}", path)[0]
    check(f"Submission {number - 1} ran before: the capture does not hold what it has left in memory." in said, said)
    check("Nobody has looked at memory after it" in ask("capture", "show", path, number)[0], "show")


def check_signals(folder):
    """What ends a program goes through `breakwater capture` to it: the file has all that was submitted until then."""
    path = pathlib.Path(folder, "signal.bwc")
    for number, options in ((signal.SIGTERM, ()), (signal.SIGHUP, ("--every-result", "--last", "3"))):
        p = Program(folder, "capture", "--json", *options, "-o", path)
        equal(p.rounds(5), 5, "rounds")
        p.process.send_signal(number)
        p.process.wait(timeout=TIMEOUT_S)  # before its input ends, which would end it, too
        s = summary_of(p.end(status=128 + number))
        equal((s["kept"], s["submissions"], s["dropped"]), (True, 5, 2 if options else 0), f"after {number.name}")
        equal(answer("capture", "info", path)["whole"], True, f"the file after {number.name}")
        check_replay(folder, path, range(s["dropped"] + 1, 6))


def check_size(folder):
    """As many as there is memory for: fewer than all, and their own memory with them."""
    path = pathlib.Path(folder, "size.bwc")
    p = Program(folder, "capture", "--json", "--every-result", "--last", "1000", "--ring-size", "256K", "-o", path)
    equal(p.rounds(60), 60, "rounds")
    s = summary_of(p.end())
    check(0 < s["dropped"] < 60 and s["submissions"] == 60, s)
    check_replay(folder, path, range(s["dropped"] + 1, 61))


def check_much(folder):
    """More memory at once than there is room for between the program and the capture."""
    path = pathlib.Path(folder, "much.bwc")
    p = Program(folder, "capture", "--json", "--every-result", "--last", "2", "-o", path, control=f"fill:{(33 << 20) // 4}:1")
    p.rounds(3)
    s = summary_of(p.end())
    equal((s["submissions"], s["dropped"]), (3, 1), "what it says")
    r = answer("replay", "--check", path)
    equal((r["submissions"], r["same"]), (2, True), "the replay")


def check_events(folder):
    path = pathlib.Path(folder, "event.bwc")
    # nothing happens
    p = Program(folder, "capture", "--json", "--on", "hang,fault,crash", "--last", "3", "-o", path)
    p.rounds(9)
    s = summary_of(p.end())
    equal((s["kept"], s["submissions"], path.exists()), (False, 9, False), "nothing to keep")
    # a fault: the file is complete before the program has ended
    p = Program(folder, "capture", "--on", "fault", "--every-result", "--last", "3", "-o", path)
    p.rounds(9)
    p.say("fault")
    # among the lines of the GPU's driver
    check(any(line == f"breakwater: a page fault: {path} is complete.\n" for line in p.process.stderr), "the event")
    info = answer("capture", "info", path)
    equal((info["submissions"], info["left_out"], info["failed"], info["whole"]), (3, 7, 1, True), "info at that moment")
    check("breakwater: last 3 of 10 submissions of 1 process in" in p.end(status=1), "at the end")
    row = answer("capture", "list", path)["submissions"][-1]
    check(row["number"] == 10 and row["outcome"].startswith("failed with a page fault at 0x123456789000"), row)
    r = answer("replay", path, status=3)
    equal((r["broke"], r["as_captured"], r["submissions"]), (10, True, 3), "its replay")
    # a hang
    quick = {"BREAKWATER_VGPU_ARGS": "--quiet --lockup-timeout 300"}
    p = Program(folder, "capture", "--json", "--on", "hang", "--last", "4", "-o", path, **quick)
    p.say("hang")
    s = summary_of(p.end(status=1))
    equal((s["kept"], s["why"], s["submissions"], s["dropped"]), (True, "hang", 1, 0), "a hang")
    # a crash: the last submissions were good
    p = Program(folder, "capture", "--json", "--on", "crash", "--every-result", "--last", "4", "-o", path)
    p.rounds(9)
    p.say("abort")
    s = summary_of(p.end(status=128 + 6))
    equal((s["kept"], s["why"], s["submissions"], s["dropped"]), (True, "crash", 9, 5), "a crash")
    check_replay(folder, path, range(6, 10))


def await_list(path, n):
    """The list of a capture that grows, when it has n submissions that have ended."""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        rows = answer("capture", "list", path)["submissions"]
        if len(rows) == n and rows[-1]["outcome"] == "done":
            return rows
    raise Failure(f"{path} does not get {n} submissions")


def check_trigger(folder):
    path = pathlib.Path(folder, "trigger.bwc")
    p = Program(folder, "capture", "--json", "--wait-trigger", "-o", path)
    p.rounds(5)
    equal(answer("capture", "list", path)["submissions"], [], "nothing is captured yet")
    t = answer("capture", "--trigger", "3", path)
    equal((t["file"], t["seen"], t["taken"]), (str(path.resolve()), 5, 0), "the order")
    p.rounds(10)
    # while it grows
    equal([row["number"] for row in await_list(path, 3)], [6, 7, 8], "the next three")
    check("It has no end" in ask("capture", "list", path)[0], "the list says that it grows")
    equal(answer("replay", "--check", path)["submissions"], 3, "its replay")
    check(f"{path.resolve()} gets all submissions from now on." in ask("capture", "--trigger", "all", path)[0], "all")
    p.rounds(2)
    equal(answer("capture", "--trigger", "off", path)["taken"], 5, "off")
    p.rounds(2)
    s = summary_of(p.end())
    equal((s["submissions"], s["dropped"], s["why"]), (19, 14, "end"), "what it says")
    # what was not captured in between has left its memory
    check_replay(folder, path, [6, 7, 8, 16, 17])
    check("no capture that runs writes" in ask("capture", "--trigger", "1", path, status=2)[1], "no capture runs")


def check_write(folder):
    path = pathlib.Path(folder, "write.bwc")
    p = Program(folder, "capture", "--every-result", "--last", "4", "-o", path)
    # too early: the capture goes on
    equal(p.rounds(0), 0, "rounds")
    equal(ask("capture", "--write", path, status=2)[1], f"breakwater: {path.resolve()} is not written: nothing was submitted yet.\n", "nothing yet")
    equal(p.rounds(10), 10, "rounds")
    check("was not started with --wait-trigger" in ask("capture", "--trigger", "1", path, status=2)[1], "a trigger")
    equal(ask("capture", "--write", path)[0], f"{path.resolve()} is written.\n", "the order")
    check_replay(folder, path, range(7, 11))
    # it runs on without
    equal(p.rounds(3), 13, "rounds")
    said = p.end()
    check("breakwater: last 4 of 10 submissions of 1 process in" in said, said)
    equal(answer("capture", "list", path)["whole"], True, "the file")


def start_capture(pid, path, *options):
    """breakwater capture --pid, when the process has taken it."""
    process = subprocess.Popen([str(BREAKWATER), "capture", "--pid", str(pid), *options, "-o", str(path)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.readline()
    equal(said, f"breakwater: Process {pid} is captured from its next submission on; Ctrl-C ends that.\n", "capture --pid")
    return process


def check_pid(folder):
    """A process that runs already, twice, with submissions before, between and behind."""
    path = pathlib.Path(folder, "pid.bwc")
    p = Program(folder, "exec")
    p.rounds(5)
    pid = named_child(p.process.pid, "rounds")
    c = start_capture(pid, path)
    equal(p.rounds(4), 9, "rounds")
    check(f"process {pid} is captured already" in ask("capture", "--pid", pid, "-o", f"{folder}/no", status=2)[1], "one at a time")
    c.send_signal(signal.SIGINT)
    err = c.stderr.read()
    equal((c.wait(timeout=TIMEOUT_S), f"breakwater: 4 submissions of 1 process in {path}," in err), (0, True), err)
    equal(answer("capture", "info", path)["whole"], True, "the file")
    check_replay(folder, path, range(1, 5), before=5)
    # it runs on, notices that the capture is gone, and is captured once more, below a debugger, whose breakpoint is not
    # the program's memory
    code = answer("capture", "show", path, 1)["dispatches"][0]["code"]
    d = Session(pid, subcommand="attach")
    d.command(f"break *{code} if $_workgroup == 99,0,0")
    d.send("continue")
    equal(p.rounds(2), 11, "rounds")
    c = start_capture(pid, path, "--every-result", "--last", "3")
    equal(p.rounds(6), 17, "rounds")
    d.process.send_signal(signal.SIGINT)
    seen = d.read_until(lambda o: o.get("command") == "continue")
    equal([o["text"] for o in seen if o.get("kind") == "warning"], [], "the breakpoint")
    d.send("detach")
    equal(d.end()[0], 0, "the debugger")
    p.end()
    err = c.stderr.read()
    equal((c.wait(timeout=TIMEOUT_S), "breakwater: last 3 of 6 submissions" in err), (0, True), err)
    check_replay(folder, path, range(4, 7), before=11)
    check("was not started by \"breakwater exec\"" in ask("capture", "--pid", os.getpid(), "-o", path, status=2)[1], "another process")


def check_late_map(folder):
    """A buffer is looked at before a submission from the moment on at which the CPU can write it."""
    path = pathlib.Path(folder, "late.bwc")
    va, *dwords = ask("capture", "-o", path, "--", LATE_MAP)[0].split()
    equal(dwords, ["1", "2", "3", "4", "5", "0", "0", "0", "99", "55", "77"], "what the program sees")
    equal(answer("replay", "--check", f"--dump=5:{va}={folder}/late", path)["same"], True, "the replay")
    memory = pathlib.Path(folder, "late").read_bytes()
    equal([f"{int.from_bytes(memory[i:i + 4], 'little'):x}" for i in range(0, 44, 4)], dwords, "its memory")
    cpu = [{b["va"]: b["cpu_pages"] for b in answer("capture", "show", path, n)["buffers"]}[va] for n in (1, 2, 3, 4, 5)]
    equal(cpu, [0, 0, 1, 1, 1], "pages that the CPU has changed before each submission")


def many_buffers(count, rounds, replace_every):
    """Dwords 0 to 2 of each buffer of tests/e2e/many_buffers.c, as its first comment says."""
    buffers = [[0, 0, 0] for _ in range(count)]
    for k in range(1, rounds + 1):
        if k % replace_every == 0:
            buffers[3 * k % count] = [0, 0, k]
        buffers[7 * k % count][0] = k
        buffers[11 * k % count][1] = k
    return buffers


def check_many_buffers(folder):
    """What the CPU and the GPU write to some of 500 buffers, whose places others take again and again."""
    path, count, rounds, replace_every = pathlib.Path(folder, "many.bwc"), 500, 90, 4
    expected = many_buffers(count, rounds, replace_every)
    for options in ([], ["--last", "1000"], ["--last", "1000", "--every-result"]):
        done = subprocess.run([str(BREAKWATER), "capture", "--json", *options, "-o", str(path), "--", MANY_BUFFERS, str(count),
                               str(replace_every)], input=f"{rounds}\n", capture_output=True, text=True, timeout=TIMEOUT_S)
        said, *rows = done.stdout.splitlines()
        equal((done.returncode, said), (0, str(rounds)), done.stderr)
        rows = [row.split() for row in rows]
        equal([[int(n) for n in row[1:]] for row in rows], expected, "what the program sees")
        summary = summary_of(done.stderr)
        equal((summary["submissions"], summary["dropped"]), (rounds, 0), options)
        dumps = [f"--dump={rounds}:{row[0]}={folder}/many{i}" for i, row in enumerate(rows)]
        # a ring that does not look at each result may have none to compare
        check_option = ["--check"] if options != ["--last", "1000"] else []
        equal(answer("replay", *check_option, *dumps, path)["same"], True, "the replay")
        memory = [pathlib.Path(folder, f"many{i}").read_bytes() for i in range(count)]
        equal([[int.from_bytes(m[i:i + 4], "little") for i in (0, 4, 8)] for m in memory], expected, f"its memory, {options}")
        # the one that was replaced last: its address was another buffer's before
        i = 3 * (rounds - rounds % replace_every) % count
        shown = [b for b in answer("capture", "show", path, rounds)["buffers"] if b["va"] == rows[i][0]]
        equal(len(shown), 1, "buffers at one address")


def check_bad_submissions(folder):
    """Pointers that lead nowhere are errors as Linux has them (amdgpu_cs.c, drm_ioctl; 2 GiB of data are ENOMEM there), however
    the program is run."""
    path = pathlib.Path(folder, "bad.bwc")
    for command in (["exec"], ["capture", "-o", path], ["capture", "--last", "4", "-o", path], ["exec", "--ready"], ["exec", "--breadcrumbs"]):
        said = ask(*command, "--", BAD_SUBMISSIONS)[0]
        results = [int(line.rpartition(": ")[2]) for line in said.splitlines()[:11]]
        equal(results, [0] + 6 * [errno.EFAULT] + [errno.ENOMEM] + 2 * [errno.EFAULT] + [0], f"{command}: {said}")


def check_words(folder):
    path = pathlib.Path(folder, "none.bwc")
    for words, said in (["--last", "0"], "--last wants"), (["--last", "5m"], "--last wants"), (["--ring-size", "1"], "what --last keeps"), (["--every-result", "--json"], "--every-result needs --last"), \
            (["--last", "1", "--ring-size", "99999999999G"], "--ring-size wants"), (["--last"], "--last needs a value"), \
            (["--wait-trigger", "--frame", "1"], "choose one"), (["--frame", "0"], "--frame wants"), \
            (["--pid", "1"], "cannot be given together with a program"):
        check(said in ask("capture", "-o", path, *words, *(["--", "true"] if len(words) > 1 else []), status=2)[1], words)
    check(not path.exists(), "no file is made")
    check("--trigger wants a number" in ask("capture", "--trigger", "some", status=2)[1], "--trigger")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O2", "-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info",
                        SOURCE / "tests/e2e/kernels/rounds.cl", "-o", f"{folder}/rounds.co"], check=True, stdin=subprocess.DEVNULL)
        check_last(folder)
        check_unseen(folder)
        check_signals(folder)
        check_size(folder)
        check_much(folder)
        check_events(folder)
        check_trigger(folder)
        check_write(folder)
        check_pid(folder)
        check_late_map(folder)
        check_many_buffers(folder)
        check_bad_submissions(folder)
        check_words(folder)
    print("capture modes: ok")


if __name__ == "__main__":
    main()
