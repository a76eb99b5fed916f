#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The terminal screen, in tmux: what its windows show after a stop, a step and a resize, keys and the mouse,
and that the terminal is as it was when the debugger ends, however it ends."""
import os
import pathlib
import re
import shlex
import signal
import struct
import subprocess
import tempfile
import termios
import time

from harness import BREAKWATER, KERNELS, SOURCE, TIMEOUT_S, Failure, check, children, equal, main, run, wait_gone

PROMPT = "(breakwater)"
# saxpy in groups of 32, and one of them: one wave, so that it is known how many stop.
FOLDER = tempfile.TemporaryDirectory()
SAXPY = pathlib.Path(FOLDER.name) / "saxpy.s"
SAXPY.write_text((SOURCE / "examples/saxpy.s").read_text().replace("[ 64, 1, 1 ]", "[ 32, 1, 1 ]").replace("s15, 6 ", "s15, 5 "))
ONE_WAVE = ("--grid", 32, "--group", 32, "--arg", "a=2.0", "--arg", "x=iota:32", "--arg", "y=fill:32:1", "--arg", "out=zeros:32")


def line_of(text):
    """Number of the line of saxpy.s that has this text."""
    return next(i for i, line in enumerate(SAXPY.read_text().splitlines(), 1) if text in line)


FMAC, STORE = line_of("v_fmac_f32"), line_of("global_store_b32")


def at_prompt(rows):
    return next((r for r in reversed(rows) if r), "") == PROMPT


class Screen:
    """A terminal of tmux in which the debugger runs, and then cat."""

    def __init__(self, *args, columns=80, rows=24, term="screen", **env):
        self.folder = tempfile.TemporaryDirectory()
        words = ["env", f"TERM={term}", f"HOME={self.folder.name}"] + [f"{k}={v}" for k, v in env.items()]
        words += [str(BREAKWATER), "run", *map(str, args)]
        # Ctrl-C is for the debugger, not for the shell around it.
        script = "trap : INT; " + shlex.join(words) + '; echo "<ended $?>"; exec cat'
        self.socket = self.folder.name + "/tmux"
        outer = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR", "XDG_STATE_HOME")}
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(SOURCE), "sh", "-c", script, env=outer)

    def tmux(self, *args, env=None):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, "-f", "/dev/null", *args], capture_output=True, text=True,
                              timeout=TIMEOUT_S, env=env)
        check(done.returncode == 0, f"tmux {args}: {done.stderr}")
        return done.stdout

    def rows(self, styled=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if styled else [])).split("\n")[:-1]

    def facts(self, names):
        return self.tmux("display-message", "-p", " ".join(f"#{{{n}}}" for n in names.split())).split()

    def await_rows(self, fits, what):
        """The screen as soon as it fits."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            rows = self.rows()
            if fits(rows):
                return rows
            if time.monotonic() > end:
                raise Failure(f"{what} did not come; the screen has\n" + "\n".join(rows))
            time.sleep(0.1)

    def await_prompt(self):
        return self.await_rows(at_prompt, "the prompt")

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def bytes(self, data):
        self.tmux("send-keys", "-H", *(f"{b:02x}" for b in data))

    def type(self, text):
        self.tmux("send-keys", "-l", text)
        self.keys("Enter")

    def command(self, text, *parts):
        """Types it at the prompt; the screen when there is the next prompt, and all of the parts."""
        self.await_prompt()
        self.type(text)
        return self.await_rows(lambda rows: at_prompt(rows) and any(r.startswith(f"{PROMPT} {text}") for r in rows) and
                               all(any(p in r for r in rows) for p in parts), f"{text!r} with {parts}")

    def debugger(self):
        """Its process, a child of the shell; others of the same program are its guards."""
        shell = self.facts("pane_pid")[0]
        return next(pid for pid in children(int(shell))
                    if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1] == shell)

    def close(self):
        try:
            for pid in [p for root in self.facts("pane_pid") for p in children(int(root))]:
                os.kill(pid, signal.SIGKILL)
            self.tmux("kill-server")
        except (ProcessLookupError, Failure):
            pass
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()


def source_row(number, mark="", waves="", columns=80):
    """A row of the source window, from the file."""
    text = SAXPY.read_text().splitlines()[number - 1].expandtabs(8)
    digits = len(str(len(SAXPY.read_text().splitlines())))
    return f"{mark:3}{waves:>6} {number:{digits}}  {text}"[:columns].rstrip()


def status_of(rows):
    found = [i for i, r in enumerate(rows) if re.search(r"^ .*  L(\d+|\?\?)(  PC: |$)", r)]
    check(len(found) == 1, "one line of status:\n" + "\n".join(rows))
    return found[0]


def check_source(rows, shown):
    """The window of source, from the first row to the status, but for the lines named in shown."""
    first = int(re.search(r" (\d+)-\d+ of \d+ ", rows[0]).group(1))
    for i in range(1, status_of(rows)):
        number = first + i - 1
        equal(rows[i], source_row(number, *shown.get(number, ()), columns=len(rows[0])), f"row {i}")


def stop_step_resize():
    with Screen("--tui", SAXPY, *ONE_WAVE) as s:
        rows = s.await_prompt()
        check(rows[0].startswith("\u2500\u2500 src: saxpy.s \u2500"), f"the title is {rows[0]!r}")
        check_source(rows, {})
        check("No program" in rows[status_of(rows)], "the status before the run")
        rows = s.command("break compute", "Breakpoint 1")
        check_source(rows, {})
        rows = s.command("run", "hit Breakpoint 1")
        check_source(rows, {FMAC: ("B+>", "1w")})
        check(re.search(rf" wave \d+ \(0,0,0\)/0 lane 0  In: saxpy  L{FMAC}  PC: 0x", rows[status_of(rows)]), "the status")
        rows = s.command("stepi", "=> ")
        check_source(rows, {FMAC: ("B+",), STORE: ("  >", "1w")})
        for columns, height in ((250, 70), (80, 24), (40, 12), (120, 30)):
            s.tmux("resize-window", "-x", str(columns), "-y", str(height))
            rows = s.await_rows(lambda r: len(r) == height and r[-1] == PROMPT and len(r[0]) == columns,
                                f"{columns}x{height}")
            check_source(rows, {FMAC: ("B+",), STORE: ("  >", "1w")})
            equal(rows.count(PROMPT), 1, "prompts")
            equal(s.facts("scroll_region_upper scroll_region_lower"), [str(status_of(rows) + 1), str(height - 1)], "the region")
        # too small for windows: the prompt is left
        s.tmux("resize-window", "-x", "80", "-y", "6")
        s.await_rows(lambda r: len(r) == 6 and r[-1] == PROMPT and not "".join(r[:-1]).strip(), "80x6")
        s.tmux("resize-window", "-x", "80", "-y", "24")
        s.await_rows(lambda r: len(r) == 24 and r[-1] == PROMPT and "src: saxpy.s" in r[0], "80x24")
        rows = s.command("disable")
        check_source(rows, {FMAC: ("B-",), STORE: ("  >", "1w")})


def layouts():
    with Screen("-i", SAXPY, *ONE_WAVE) as s:
        s.command("break compute", "Breakpoint 1")
        s.command("run", "hit Breakpoint 1")
        s.type("layout asm")  # enables the screen
        rows = s.await_rows(lambda r: r[-1] == PROMPT and "asm: saxpy" in r[0], "the screen")
        at = next(r for r in rows if r.startswith("B+>"))
        check(re.match(r"B\+>    1w 0x[0-9a-f]+ <\+60>: +v_fmac_f32_e32 v3, s4, v2$", at), at)
        rows = s.command("layout split", "asm: saxpy", "src: saxpy.s")
        equal(sum(r.startswith("B+>    1w") for r in rows), 2, "marks of source and assembly")
        # v3 = 2 * x[1] + y[1] of lane 1: 3.0
        s.command("lane 1", "Lane 1:")
        rows = s.command("layout regs", "regs: registers of wave", "asm: saxpy")
        check("VGPRs of lane 1" in rows[0], rows[0])
        s.command("winheight regs 17", "v3   3f800000")  # y[1]: 1.0
        rows = s.command("stepi", "v3   40400000")
        styled = "\n".join(s.rows(styled=True))
        check(re.search(r"\x1b\[[0-9;]*7[0-9;m\x1b\[]*m40400000", styled), f"v3 has changed: {styled!r}")
        check(not re.search(r"\x1b\[[0-9;]*7[0-9;m\x1b\[]*m40000000", styled), "s4 has not changed")
        s.command("layout src", "src: saxpy.s")
        s.command("layout frob", 'Undefined layout command: "frob".  Try "help layout".')
        s.command("focus asm", 'Window "asm" is not visible.')
        s.command("focus frob", 'Unrecognized window name "frob".')
        s.command("winheight src", "Invalid window height specified.")
        s.command("tui frob", '"tui" takes enable, disable or mem')
        # the table of commands pages where the command window is full
        s.type("help")
        rows = s.await_rows(lambda r: r[-1].startswith("--Type <RET> for more"), "the pager")
        check("src: saxpy.s" in rows[0], "the window has scrolled")
        s.type("q")
        s.await_prompt()
        # what a program prints scrolls in the command window alone
        s.type("shell for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo number $i; done")
        s.await_rows(lambda r: r[-2:] == ["number 16", PROMPT], "the last line")
        check_source(s.rows(), {FMAC: ("B+",), STORE: ("  >", "1w")})


def lanes_and_waves():
    with Screen("--tui", SAXPY, *ONE_WAVE) as s:
        s.command("break compute", "Breakpoint 1")
        s.command("run", "hit Breakpoint 1")
        rows = s.command("layout lanes", "lanes: 32 of wave")
        # v0 is the lane, v1 its byte, v2 is x[i]: i, v3 is y[i]: 1
        equal(rows[1].split()[:6], ["Lanes", "State", "v0", "v1", "v2", "v3"], "the columns")
        for lane in range(3):
            values = [f"{lane:08x}", f"{4 * lane:08x}", struct.pack(">f", lane).hex(), struct.pack(">f", 1).hex()]
            equal(rows[2 + lane].lstrip("*").split()[:6], [str(lane), "active", *values], f"lane {lane}")
        check(rows[2].startswith("*0 "), "the focus lane")
        # with room for v3 alone all lanes are alike
        s.command("focus lanes", "Focus set to lanes window.")
        s.tmux("resize-window", "-x", "40", "-y", "24")
        s.await_rows(lambda r: len(r[0]) == 40 and r[-1] == PROMPT, "40x24")
        s.keys("Right", "Right", "Right")
        s.await_rows(lambda r: r[2].split() == ["*0-31", "active", "3f800000"], "lanes that are alike")
        s.tmux("resize-window", "-x", "80", "-y", "24")
        s.await_rows(lambda r: len(r[0]) == 80 and r[-1] == PROMPT, "80x24")
        rows = s.command("layout waves", "B at a breakpoint 1")
        check("r running 0  s stopped 0  b at a barrier 0  B at a breakpoint 1  F faulted 0" in rows[1], rows[1])
        letters = "".join(r[15:] for r in rows[3:] if r.startswith("se"))
        equal(letters.count("B"), 1, "waves on the map")
        s.tmux("resize-window", "-x", "250", "-y", "70")
        rows = s.await_rows(lambda r: len(r) == 70 and r[-1] == PROMPT and "wave slots of SIMDs" in r[0], "the large map")
        row = next(r for r in rows if r.startswith("se") and "B" in r)
        place = s.command("info wave", "  place ", "  stopped by ")
        found = re.search(r"(se\d+\.sa\d+)\.wgp(\d+)\.(simd\d+)\.w(\d+)", "\n".join(place))
        # sixteen slots of each WGP, and a blank
        equal((row.split()[0], (row.index("B") - 15) // 17, (row.index("B") - 15) % 17),
              (f"{found.group(1)}.{found.group(3)}", int(found.group(2)), int(found.group(4))), "the place of the wave")


def is_reverse(s, text):
    """Whether a word is highlighted somewhere on the screen."""
    return re.search(r"\x1b\[[0-9;]*7[0-9;m\x1b\[]*m" + text, "\n".join(s.rows(styled=True))) is not None


def memory():
    """What a store writes, in the window of memory; gdb's table of windows."""
    with Screen("-i", SAXPY, *ONE_WAVE) as s:
        s.command("info win", "The TUI is not active.")
        s.command(f"break {STORE}", "Breakpoint 1")
        s.command("run", "hit Breakpoint 1")
        s.type("layout mem")
        s.await_rows(lambda r: r[-1] == PROMPT and "[ No Memory Chosen: tui mem [/FMT] ADDRESS ]" in "\n".join(r), "the window")
        rows = s.command("tui mem $_launch.out", "mem: $_launch.out")
        at = int(rows[1].split()[0], 16)
        equal(rows[1].split(), [f"0x{at:012x}"] + ["0x00000000"] * 4 + ["." * 16], "out before the store")
        # out[i] = 2 * i + 1
        rows = s.command("stepi", "0x3f800000")
        words = [struct.pack(">f", 2 * i + 1).hex() for i in range(8)]
        for row in range(2):
            equal(rows[1 + row].split()[:5], [f"0x{at + 16 * row:012x}"] + ["0x" + w for w in words[4 * row:4 * row + 4]],
                  "what was stored")
        check(is_reverse(s, "0x" + words[3]), "what has changed")
        # as floats, from an address that follows the lane
        s.command("tui mem /4fw &$_launch.out[$_lane]", "&$_launch.out[$_lane]")
        rows = s.command("lane 3", f"0x{at + 12:012x}")
        equal(rows[1].split()[:5], [f"0x{at + 12:012x}", "7", "9", "11", "13"], "four floats of lane 3")
        equal(rows[2], "", "and no more")
        s.command("tui mem /2i $pc", 'has no format letter "i"')
        s.command("tui mem", '"tui mem" takes an address.')
        s.command("tui mem frob", "No symbol \"frob\"")
        s.command("layout src", "src: saxpy.s")
        s.command("wh src 12", PROMPT)
        rows = s.command("info win", "Name", "(has focus)")
        table = [r.split() for r in rows[rows.index(next(r for r in rows if r.startswith("Name"))):][:4]]
        equal(table, [["Name", "Lines", "Columns", "Focus"], ["src", "12", "80", "(has", "focus)"], ["status", "1", "80"],
                      ["cmd", "11", "80"]], "the windows")
        s.command("fs n", "Focus set to cmd window.")
        s.command("fs src", "Focus set to src window.")
        s.keys("PageUp", "PageUp", "PageUp")
        s.await_rows(lambda r: not any("  >" in x[:6] for x in r[:12]), "the PC is out of sight")
        s.type("update")
        s.await_rows(lambda r: any("  >" in x[:6] for x in r[:12]), "the PC is in sight")
        s.command("tui reg", "regs: registers of wave")


def keys_and_mouse():
    with Screen("--tui", SAXPY, *ONE_WAVE) as s:
        def first_line():
            return int(re.search(r" (\d+)-\d+ of \d+ ", s.rows()[0]).group(1))

        def await_first(number, what):
            s.await_rows(lambda rows: first_line() == number, what)

        s.await_prompt()
        page = status_of(s.rows()) - 1
        s.keys("Down")
        await_first(2, "the second line")
        s.keys("PageDown")
        await_first(2 + page - 1, "the second page, with a line of the first")
        s.keys("PageUp", "PageUp")
        await_first(1, "the start")
        # in the command window the arrows are the prompt's
        s.command("print 6 * 7", "= 42")
        s.keys("C-x", "o")
        s.keys("Up")
        s.await_rows(lambda rows: rows[-1] == PROMPT + " print 6 * 7", "the history")
        equal(first_line(), 1, "the source scrolls, too")
        s.keys("C-u")
        # a click on the source gives it the focus; ESC [ < 0 ; X ; Y M
        s.bytes(b"\x1b[<0;10;5M\x1b[<0;10;5m")
        s.keys("Down")
        await_first(2, "the second line after a click")
        s.bytes(b"\x1b[<65;10;5M")
        await_first(5, "after the wheel")
        s.command("focus next", "Focus set to cmd window.")
        equal(s.facts("mouse_any_flag mouse_sgr_flag alternate_on"), ["1", "1", "1"], "the mouse at the prompt")
        # what is being typed stays, with the screen and without it
        s.tmux("send-keys", "-l", "print 40 + ")
        s.await_rows(lambda rows: rows[-1] == PROMPT + " print 40 +", "the text")
        s.keys("C-x", "a")
        s.await_rows(lambda rows: (PROMPT + " print 40 +") in rows and "src: saxpy.s" not in rows[0], "the prompt alone")
        equal(s.facts("alternate_on mouse_any_flag scroll_region_upper scroll_region_lower"), ["0", "0", "0", "23"], "without it")
        s.keys("C-x", "a")
        s.await_rows(lambda rows: rows[-1] == PROMPT + " print 40 +" and "src: saxpy.s" in rows[0], "the screen again")
        s.tmux("send-keys", "-l", "2")
        s.keys("Enter")
        s.await_rows(lambda rows: rows[-1] == PROMPT and any("= 42" in r for r in rows), "the sum")
        s.keys("C-x", "2")
        s.await_rows(lambda rows: any("No Assembly Available" in r for r in rows), "two windows")
        s.keys("C-x", "1")
        s.await_rows(lambda rows: not any("No Assembly Available" in r for r in rows), "one window")
        s.keys("C-l")
        s.await_rows(lambda rows: rows[-1] == PROMPT and rows[-2] == "" and "src: saxpy.s" in rows[0], "an empty command window")
        s.keys("C-c")
        s.await_rows(lambda rows: "Quit" in rows[-2] and rows[-1] == PROMPT, "Quit")
        s.type("tui disable")
        s.await_rows(lambda rows: "src: saxpy.s" not in rows[0], "the prompt alone")


def no_colour():
    for name, has_colours in (("NO_COLOR", False), ("UNUSED", True)):
        with Screen("--tui", SAXPY, *ONE_WAVE, **{name: "1"}) as s:
            s.command("break compute", "Breakpoint 1")
            s.command("run", "hit Breakpoint 1")
            s.command("layout regs", "exec ")
            coloured = re.findall(r"\x1b\[[0-9;]*\b(?:3[0-7]|4[0-7]|9[0-7])[0-9;]*m", "\n".join(s.rows(styled=True)))
            equal(bool(coloured), has_colours, f"colours with {name}: {coloured}")
            check("\x1b[" in "\n".join(s.rows(styled=True)), "the current line is not marked")


def check_terminal(s, what):
    rows = s.await_rows(lambda r: any("<ended " in x for x in r), f"the end ({what})")
    check("src: " not in "\n".join(rows), f"{what}: the window is still there")
    equal(s.facts("alternate_on mouse_any_flag mouse_sgr_flag scroll_region_upper scroll_region_lower cursor_flag"),
          ["0", "0", "0", "0", "23", "1"], what)
    fd = os.open(s.facts("pane_tty")[0], os.O_RDWR | os.O_NOCTTY)
    local = termios.tcgetattr(fd)[3]
    os.close(fd)
    check(local & termios.ICANON and local & termios.ECHO, f"{what}: the terminal is not as it was")
    return next(r for r in rows if "<ended " in r)


def the_end():
    for what in ("quit", "eof", "SIGTERM", "SIGHUP", "killed"):
        with Screen("--tui", SAXPY, *ONE_WAVE) as s:
            s.command("break compute", "Breakpoint 1")
            s.command("run", "hit Breakpoint 1")
            pid = s.debugger()
            family = children(pid)
            if what == "killed":
                s.command("kill", "was killed", "No program  In:")
                s.type("quit")
                ended = check_terminal(s, what)
            elif what in ("quit", "eof"):
                s.keys(*(["C-d"] if what == "eof" else ["q", "Enter"]))
                s.await_rows(lambda rows: rows[-1].startswith("Quit anyway?"), "the question")
                s.type("y")
                ended = check_terminal(s, what)
            else:
                number = getattr(signal, what)
                os.kill(pid, number)
                ended = check_terminal(s, what)
                equal(ended, f"<ended {128 + number}>", what)
            for child in family:
                wait_gone(child, f"a process of a session that {what} ended")


def while_it_runs():
    """Ctrl-C stops a kernel that loops; SIGTERM ends the session meanwhile."""
    with Screen("--tui", KERNELS / "loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4") as s:
        s.await_prompt()
        s.type("run")
        for _ in range(2):
            s.await_rows(lambda rows: any(r.startswith(" (running)") for r in rows), "the status while it runs")
            # the kernel may not have begun yet: then nothing has stopped, and it goes on
            while True:
                s.keys("C-c")
                rows = s.await_prompt()
                if "SIGINT" in "\n".join(rows) and "loop.s" in rows[0] and any(re.match(r"  >  +\d+w ", r) for r in rows):
                    break
                s.type("continue")
            check(not s.rows()[status_of(s.rows())].startswith(" (running)"), "the status of a stop")
            s.type("continue")
        s.await_rows(lambda rows: any(r.startswith(" (running)") for r in rows), "the status while it runs")
        os.kill(s.debugger(), signal.SIGTERM)
        equal(check_terminal(s, "SIGTERM"), f"<ended {128 + signal.SIGTERM}>", "its status")


def refusals():
    sentence = "Cannot enable the TUI when output is not a terminal"
    for command in ("tui enable", "layout src", "focus src", "winheight src 5", "refresh"):
        done = subprocess.run([str(BREAKWATER), "run", "--batch", "-ex", command, str(SAXPY), *map(str, ONE_WAVE)], cwd=SOURCE,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
        check(sentence in done.stderr and "\x1b" not in done.stdout, f"{command}: {done.stdout!r} {done.stderr!r}")
    run("-ex", "tui disable", SAXPY, *ONE_WAVE)
    objects = run("-ex", "tui enable", SAXPY, *ONE_WAVE, status=2, json_lines=True)
    check(any(sentence in o.get("message", "") for o in objects), f"--json: {objects}")
    with Screen("-i", SAXPY, *ONE_WAVE, term="dumb") as s:
        s.command("tui enable", "terminal doesn't support cursor addressing [TERM=dumb]")
    with Screen("-i", SAXPY, *ONE_WAVE, term="none-such") as s:
        s.await_rows(lambda rows: any(PROMPT in r for r in rows), "the prompt")
        s.type("layout src")
        s.await_rows(lambda rows: any("Cannot enable the TUI: error opening terminal [TERM=none-such]" in r for r in rows), "the refusal")


if __name__ == "__main__":
    main(stop_step_resize, layouts, lanes_and_waves, memory, keys_and_mouse, no_colour, the_end, while_it_runs, refusals)
