# SPDX-License-Identifier: MIT
"""breakwater exec --breadcrumbs: the packet and the dispatch at which a program hangs or faults are named, and what
works goes on to work. The command streams are made here, of the packets of a captured one, and replayed."""
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, Failure, check, equal
from json_schema import parse

LAUNCH = BUILD / "breakwater-launch"
REPLAY = BUILD / "breakwater-replay"
# Long enough for what is good on a machine that is busy.
HANGS = {"BREAKWATER_VGPU_ARGS": "--quiet --lockup-timeout 6000"}
# Type-3 headers (nvd.h: PACKET3): opcode, dwords of the body
SET_SH_REG, DISPATCH_DIRECT, WAIT_REG_MEM, INDIRECT_BUFFER, WRITE_DATA, COND_EXEC = 0x76, 0x15, 0x3c, 0x3f, 0x37, 0x22
COMPUTE_START_X = 0x2e04 - 0x2c00
FORCE_START_AT_000 = 1 << 2


def packet(op, *body):
    return [3 << 30 | (len(body) - 1) << 16 | op << 8, *[b & 0xffffffff for b in body]]


def packets(words):
    """(position, opcode, size) of each packet of type 3."""
    at = 0
    while at < len(words):
        check(words[at] >> 30 == 3, f"dword {at} is {words[at]:#x}")
        size = 1 if words[at] == 0xffff1000 else (words[at] >> 16 & 0x3fff) + 2
        yield at, words[at] >> 8 & 0xff, size
        at += size


def breakwater(*args, status=0, **settings):
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], cwd=SOURCE, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_S, env={**os.environ, **settings})
    if done.returncode != status:
        raise Failure(f"breakwater {args}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def crumbs(options, *program, status=0, **settings):
    """The report, as JSON; what the program wrote."""
    out, said = breakwater("exec", "--json", *options, "--", *program, status=status, **settings)
    report, = [parse(line) for line in said.splitlines() if line.startswith('{"type":"event","event":"breadcrumbs"')]
    return report, out


class Streams:
    """A captured dispatch of a kernel, of four workgroups, and streams made of it."""

    def __init__(self, folder, kernel="steps", source="steps.s", arguments=("--arg", "out=zeros:256")):
        self.folder = folder
        code = folder / f"{kernel}.co"
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", SOURCE / "tests/e2e/kernels" / source, "-o", code],
                       check=True, stdin=subprocess.DEVNULL)
        self.file = folder / f"{kernel}.bwc"
        breakwater("capture", "-o", self.file, "--", LAUNCH, code, "--kernel", kernel, "--grid", "128", "--group", "32", *arguments)
        shown = parse(breakwater("capture", "show", "--json", self.file, "1")[0].strip())
        self.ib = shown["ibs"][0]
        self.out = next(b for b in shown["buffers"] if b["gpu_pages"])
        buffer = next(b for b in shown["buffers"] if b["va"] == self.ib["va"])
        breakwater("replay", "--dump", f"1:{buffer['buffer']}={folder}/ib", self.file)
        words = list(struct.unpack(f"<{self.ib['bytes'] // 4}I", (folder / "ib").read_bytes()[:self.ib["bytes"]]))
        at, size = next((at, size) for at, op, size in packets(words) if op == DISPATCH_DIRECT)
        self.state, self.behind = words[:at], words[at + size:]
        self.header, self.initiator = words[at], words[at + size - 1]

    def dispatch(self, first, n):
        """Workgroups first to first + n - 1."""
        return packet(SET_SH_REG, COMPUTE_START_X, first) + [self.header, first + n, 1, 1, self.initiator & ~FORCE_START_AT_000]

    def call(self):
        """The captured stream: four workgroups."""
        va = int(self.ib["va"], 16)
        return packet(INDIRECT_BUFFER, va, va >> 32, self.ib["bytes"] // 4 | 1 << 23)

    def run(self, words, options, status=0, **settings):
        """The report, and the counts that the stream has left."""
        (self.folder / "words").write_bytes(struct.pack(f"<{len(words)}I", *words))
        counts = self.folder / "counts"
        counts.unlink(missing_ok=True)
        report, _ = crumbs(options, REPLAY, "--timeout", "60", "--override", f"1={self.folder}/words", "--dump",
                           f"1:{self.out['buffer']}={counts}", self.file, status=status, **settings)
        return report, struct.unpack("<256I", counts.read_bytes()[:1024]) if counts.exists() else None


def check_good(s):
    """What works goes on to work, with as many markers as there are packets."""
    va = int(s.out["va"], 16) + 4 * 200
    conditional = packet(COND_EXEC, va, va >> 32, 0, 5) + packet(WRITE_DATA, 5 << 8, va + 4, (va + 4) >> 32, 7)
    words = s.state + s.dispatch(0, 4) + s.call() + conditional + packet(WRITE_DATA, 5 << 8, va, va >> 32, 1) + conditional + \
        s.dispatch(2, 5)
    expected = [0] * 256
    for group in [0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 4, 5, 6]:
        expected[group] += 1
    expected[200], expected[201] = 1, 7
    for mode in ("dispatch", "packet"):
        report, counts = s.run(words, [f"--breadcrumbs={mode}"])
        equal((report["mode"], report["streams"], report["unmarked"], report["bad"]), (mode, 1, 0, []), "the report")
        equal(report["unseen"], 2, "conditional parts, which have no markers")
        equal(list(counts), expected, f"what it has computed with a marker for each {mode}")


def check_hanging_dispatch(s):
    words = s.state + s.dispatch(0, 4) + s.dispatch(10, 1) + s.dispatch(100, 1) + s.dispatch(20, 1)
    at = [at for at, op, _ in packets(words) if op == DISPATCH_DIRECT]
    for mode in ("dispatch", "packet"):
        report, _ = s.run(words, [f"--breadcrumbs={mode}"], status=3, **HANGS)
        bad, = report["bad"]
        first, last = bad["first_not_ended"], bad["last_ended"]
        equal((bad["cause"], bad["submission"], bad["ib"], bad["ring"]), ("hang", 1, 0, "compute 0"), "the submission")
        equal((first["packet"], first["dispatch"], first["dword"]), ("DISPATCH_DIRECT", 2, at[2]), "the first that did not end")
        equal((last["packet"], last["dispatch"], last["dword"]), ("DISPATCH_DIRECT", 1, at[1]), "the last that ended")
        equal(first["ib"], last["ib"], "their IB")


def check_hanging_packet(s):
    """A wait for what never comes: no wave runs, and the markers say which packet it is."""
    va = int(s.out["va"], 16) + 4 * 200
    words = s.state + s.dispatch(0, 4) + packet(WAIT_REG_MEM, 3 | 1 << 4, va, va >> 32, 0x1234, 0xffffffff, 0x20) + s.dispatch(10, 1)
    at = next(at for at, op, _ in packets(words) if op == WAIT_REG_MEM)
    report, _ = s.run(words, ["--breadcrumbs=packet"], status=3, **HANGS)
    bad, = report["bad"]
    equal((bad["first_not_ended"]["packet"], bad["first_not_ended"]["dword"]), ("WAIT_REG_MEM", at), "the packet that hangs")
    equal((bad["last_ended"]["packet"], bad["last_ended"]["dispatch"]), ("DISPATCH_DIRECT", 0), "the last that ended")
    # among dispatches alone it is the one behind it that is not reached
    report, _ = s.run(words, ["--breadcrumbs"], status=3, **HANGS)
    bad, = report["bad"]
    equal((bad["last_ended"]["dispatch"], bad["first_not_ended"]["dispatch"]), (0, 1), "the dispatches")


def check_fault(s):
    """The driver ends the waves, and the GPU executes what is behind them: that is not taken for progress."""
    words = s.state + s.dispatch(0, 4) + s.call() + s.dispatch(101, 1) + s.dispatch(20, 1) + s.dispatch(30, 1)
    report, _ = s.run(words, ["--breadcrumbs=packet"], status=3)
    bad, = report["bad"]
    equal((bad["cause"], bad["first_not_ended"]["dispatch"], bad["last_ended"]["dispatch"]), ("fault", 2, 1), "the fault")
    # the one before it lies in the stream that is called
    equal((bad["last_ended"]["ib"], bad["last_ended"]["depth"]), (s.ib["va"], 1), "the last that ended")
    check("page fault at 0x123456789000" in bad["how"], bad["how"])


def check_killed(s):
    """A program that dies in the middle of its work: what was under way is said, in sentences, too."""
    words = s.state + s.dispatch(0, 4) + s.dispatch(100, 1)
    (s.folder / "words").write_bytes(struct.pack(f"<{len(words)}I", *words))
    _, said = breakwater("exec", "--breadcrumbs", "--", REPLAY, "--timeout", "6", "--override", f"1={s.folder}/words", s.file, status=3)
    check("Breadcrumbs: 1 command stream of 1 process; 1 did not end well." in said, said)
    check("first that did not:    marker 2, DISPATCH_DIRECT, dword" in said and ": dispatch 1, code 0x" in said, said)


def check_ended_from_outside(s):
    """SIGTERM and SIGHUP that breakwater gets, as from timeout(1), go to the program, and the report comes."""
    hang = [LAUNCH, s.folder / "steps.co", "--grid", "3232", "--group", "32", "--arg", "out=zeros:256"]
    for name, number in (("TERM", 15), ("HUP", 1)):
        for seconds in (2, 8, 30):
            report, _ = crumbs(["--breadcrumbs"], "sh", "-c", f'(sleep {seconds}; kill -{name} $PPID) & exec "$@"', "sh", *hang, status=128 + number,
                               BREAKWATER_VGPU_ARGS="--quiet --lockup-timeout 60000")
            if report["streams"]:
                break
        equal((report["streams"], len(report["bad"])), (1, 1), f"what is said behind SIG{name}")


def check_stale(s):
    """A stream that never sets COMPUTE_START_X works as long as nobody has: the register is found by name."""
    state = []
    for at, op, size in packets(s.state):
        body = s.state[at + 1:at + size]
        if op == SET_SH_REG and body[0] == COMPUTE_START_X:  # what it sets behind that one
            state += packet(SET_SH_REG, COMPUTE_START_X + 1, *body[2:])
        else:
            state += s.state[at:at + size]
    check(len(state) == len(s.state) - 1, "the launcher sets COMPUTE_START_X once")
    stale = [s.header, 4, 1, 1, s.initiator & ~FORCE_START_AT_000]
    once, words = [1] * 4 + [0] * 252, state + stale
    for options, expected in ((["--breadcrumbs"], once), (["--stomp-registers"], [0] * 256),
                              (["--stomp-registers=COMPUTE_START_X"], [0] * 256), (["--stomp-registers=0x2e05-0x2e4f"], once),
                              (["--stomp-registers", "--except", "compute_start_x"], once),
                              (["--stomp-registers", "--at", "2"], once), (["--stomp-registers", "--at=1,0"], [0] * 256)):
        report, counts = s.run(words, options)
        equal((report["bad"], list(counts)), ([], expected), f"with {options}")
    report, counts = s.run(words + stale, ["--stomp-registers=COMPUTE_START_X", "--at", "1,1"])
    equal(list(counts), once, "filled between two dispatches")
    # a stream that sets all it needs does not notice
    report, counts = s.run(s.state + s.dispatch(0, 4), ["--stomp-registers"])
    equal((report["bad"], list(counts)), ([], once), "a correct stream")
    (s.folder / "words").write_bytes(struct.pack(f"<{len(words)}I", *words))
    out, _ = breakwater("bisect", "--stomp", "--json", "--", REPLAY, "--check", "--override", f"1={s.folder}/words", s.file)
    found = parse(out.strip())
    equal((found["found"], found["registers"]), (True, ["COMPUTE_START_X"]), "bisect --stomp")
    out, _ = breakwater("bisect", "--stomp", s.file, status=1)
    check(out.endswith("Nothing is read that the program has not set.\n"), out)
    # options behind the capture are no program's; a run that does not begin is nothing to compare with
    out, _ = breakwater("bisect", "--stomp", s.file, "--stomp-registers=COMPUTE_START_Y", "--json", status=1)
    equal(parse(out.strip())["found"], False, "options behind the capture")
    for wrong, said in (([s.folder / "none.bwc"], "none.bwc: No such file"), (["--", s.folder / "none"], "none: No such file"),
                        (["true"], "after --, not true"), ([s.file, "--", "true"], "wants a capture, or a program")):
        check(said in breakwater("bisect", "--stomp", *wrong, status=2)[1], wrong)
    check("is not a register that can be filled" in breakwater("exec", "--stomp-registers=COMPUTE_VMID", "--", "true", status=2)[1], "a name")
    check("--except needs --stomp-registers" in breakwater("exec", "--except", "0x2e04", "--", "true", status=2)[1], "--except")
    check("--at wants SUBMISSION" in breakwater("exec", "--stomp-registers", "--at", "x", "--", "true", status=2)[1], "--at")


class Listener:
    """breakwater exec --breadcrumbs-listen: the datagrams that come."""

    def __init__(self):
        self.process = subprocess.Popen([str(BREAKWATER), "exec", "--json", "--breadcrumbs-listen", "127.0.0.1:0"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.timer = threading.Timer(TIMEOUT_S, self.process.kill)
        self.timer.start()
        self.port = int(re.search(r" port ([0-9]+)$", self.process.stderr.readline()).group(1))

    def events(self):
        """Up to the end of a stream; whoever waits is let go on."""
        for line in self.process.stdout:
            event = parse(line)
            yield event
            if event["kind"] == "waits":
                self.process.stdin.write("\n")
                self.process.stdin.flush()
            if event["kind"] == "ended":
                return

    def end(self):
        self.timer.cancel()
        self.process.kill()
        self.process.communicate()


def check_udp(s):
    """Each marker is sent before the GPU goes on; a break is acknowledged from where they are listened to, and what is
    no such datagram changes nothing."""
    words = s.state + s.dispatch(0, 4) + s.dispatch(10, 1)
    expected = [0] * 256
    for group in [0, 1, 2, 3, 10]:
        expected[group] = 1
    for options, waits in (([], []), (["--break", "2"], [2, 3]), (["--break=3:1"], [3]), (["--break=1:2"], [])):
        listener = Listener()
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                for junk in (b"", b"BWBC", b"BWBC\1\2" + bytes(250), b"BWBC\1\7" + bytes(250), bytes(2000)):
                    stranger.sendto(junk, ("127.0.0.1", listener.port))
            result = []
            runner = threading.Thread(target=lambda: result.append(
                s.run(words, ["--breadcrumbs", "--udp", f"127.0.0.1:{listener.port}", *options])))
            runner.start()
            events = [e for e in listener.events() if e["process"]]
            runner.join()
        finally:
            listener.end()
        report, counts = result[0]
        equal((report["bad"], list(counts)), ([], expected), f"what it has computed with {options}")
        at = [e for e in events if e["kind"] == "at" and e["begun"]]
        equal(sorted({(e["begun"], e["packet"], e["dispatch"]) for e in at}),
              [(1, "DISPATCH_DIRECT", 0), (2, "DISPATCH_DIRECT", 1), (3, "the end of the stream", -1)], "the markers sent")
        equal([e["begun"] for e in events if e["kind"] == "waits"], waits, f"where it has waited with {options}")
        equal((events[-1]["kind"], events[-1]["status"], events[-1]["ended"]), ("ended", 0, 3), "the last datagram")


def check_break_at_hang(s):
    """The last packet that was acknowledged is the one that hangs: it is the last that is heard of."""
    words = s.state + s.dispatch(0, 4) + s.dispatch(10, 1) + s.dispatch(100, 1) + s.dispatch(20, 1)
    listener = Listener()
    try:
        result = []
        runner = threading.Thread(target=lambda: result.append(
            s.run(words, ["--breadcrumbs", "--udp", f"127.0.0.1:{listener.port}", "--break", "2"], status=3, **HANGS)))
        runner.start()
        waits = [e for e in listener.events() if e["kind"] == "waits"]
        runner.join()
    finally:
        listener.end()
    bad, = result[0][0]["bad"]
    equal((bad["first_not_ended"]["marker"], bad["hits"], bad["first_not_ended"]["dispatch"]), (3, 1, 2), "the hang")
    equal([(e["begun"], e["dispatch"]) for e in waits][:2], [(2, 1), (3, 2)], "what was acknowledged")


def check_half_message(s):
    """A process that stops in the middle of a message holds up no other one."""
    program = ("import os, socket, subprocess, sys\n"
               "s = socket.socket(socket.AF_UNIX)\n"
               "s.connect(os.environ['BREAKWATER_AGENT'] + '/crumbs')\n"
               "s.sendall(b'BrAK' + bytes(8))\n"
               "sys.exit(subprocess.run(sys.argv[1:]).returncode)\n")
    report, _ = crumbs(["--breadcrumbs"], sys.executable, "-c", program, REPLAY, s.file)
    equal((report["streams"], report["unmarked"], report["bad"]), (1, 0, []), "the report of the other")


def check_options():
    check("--breadcrumbs wants packet or dispatch" in breakwater("exec", "--breadcrumbs=draw", "--", "true", status=2)[1], "its words")
    check("exclude each other" in breakwater("exec", "--breadcrumbs", "--ready", "--", "true", status=2)[1], "--ready")
    check("--udp wants HOST:PORT" in breakwater("exec", "--breadcrumbs", "--udp", "nowhere", "--", "true", status=2)[1], "--udp")
    check("--udp needs --breadcrumbs" in breakwater("exec", "--udp", "127.0.0.1:9", "--", "true", status=2)[1], "--udp alone")
    check("--break wants MARKER" in breakwater("exec", "--breadcrumbs", "--break", "0", "--", "true", status=2)[1], "--break")
    check("wants a port, or" in breakwater("exec", "--breadcrumbs-listen", "port", status=2)[1], "--breadcrumbs-listen")
    report, _ = crumbs(["--breadcrumbs"], "true")
    equal((report["streams"], report["processes"]), (0, 0), "a program without a GPU")


def main():
    with tempfile.TemporaryDirectory() as folder:
        s = Streams(pathlib.Path(folder))
        check_good(s)
        check_hanging_dispatch(s)
        check_hanging_packet(s)
        check_fault(s)
        check_killed(s)
        check_ended_from_outside(s)
        check_stale(s)
        check_udp(s)
        check_break_at_hang(s)
        check_half_message(s)
        check_options()
    print("breadcrumbs: ok")


if __name__ == "__main__":
    main()
