#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The picture of README.md: a session of Breakwater, recorded in a terminal and drawn as an animated SVG.

    record-session.py record BREAKWATER RECORDING    types COMMANDS into a shell and writes what the terminal got
    record-session.py draw RECORDING SVG             draws a recording; the same one always gives the same picture

A recording is JSON: the size of the terminal, and for each command what the terminal received while it was typed
("typed") and after Enter ("shown"). Times are not recorded: the picture types at an even speed and waits after each answer.
"""
import fcntl
import html
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

COLUMNS, ROWS = 96, 24
KERNEL = pathlib.Path(__file__).resolve().parent.parent / "examples/smooth.cl"
COMMANDS = [
    "breakwater run -O0 smooth.cl --grid 64 --arg in=iota:64 --arg out=zeros:64 --arg n=64 --print out:6",
    "print left < n @lanes",
    "print left",
    "break 6",
    "run",
    "set var left = 0",
    "next",
    "info lanes 0-2",
    "delete",
    "continue",
]
PROMPT = re.compile(r"(?:^|[\n\r])(?:\x1b\[[\d;?]*[a-zA-Z])*(?:\$ |\(breakwater\) )(?:\x1b\[[\d;?]*[a-zA-Z])*$")
TYPING_S, PAUSE_S, ROW_S, END_S = 0.06, 0.8, 0.45, 6.0  # a character; after an answer, and for each of its rows; at the end
QUIET_S, PATIENCE_S = 0.3, 120
TYPING_FRAMES = 12  # at most, for a command


# ---- recording ----

class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, folder, path):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            env = {"PATH": path, "HOME": folder, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PS1": "$ ", "TMPDIR": folder}
            os.execve("/bin/sh", ["sh"], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def until(self, is_complete):
        """What the terminal gets until that is complete, and nothing more has come for a moment."""
        got, deadline = b"", time.monotonic() + PATIENCE_S
        while True:
            if select.select([self.fd], [], [], QUIET_S)[0]:
                got += os.read(self.fd, 65536)
            elif is_complete(got.decode(errors="replace")):
                return got.decode()
            elif time.monotonic() > deadline:
                sys.exit(f"this took longer than {PATIENCE_S} s; the terminal has {got.decode(errors='replace')!r}")

    def type(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGHUP)
        os.waitpid(self.pid, 0)


def record(breakwater):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(KERNEL, folder)
        terminal = Terminal(folder, f"{pathlib.Path(breakwater).resolve().parent}:/usr/bin:/bin")
        steps = [{"typed": "", "shown": terminal.until(PROMPT.search)}]
        for command in COMMANDS:
            terminal.type(command)
            typed = terminal.until(lambda text, command=command: text.endswith(command))
            terminal.type("\r")
            steps.append({"typed": typed, "shown": terminal.until(PROMPT.search)})
        terminal.type("quit\r")  # of which the picture has nothing: the debugger leaves before its folder is removed
        terminal.until(PROMPT.search)
        terminal.close()
    for step in steps:
        step["shown"] = re.sub(r"\(process \d+\)", "(process ...)", step["shown"])
    text = json.dumps({"columns": COLUMNS, "rows": ROWS, "steps": steps}, indent=1) + "\n"
    if folder in text:
        sys.exit("the recording names a folder of this machine")
    return text


# ---- the terminal's screen ----

class Screen:
    """What a terminal shows: characters with a style each. It knows what a prompt and colours need, and refuses the rest."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[] for _ in range(rows)]  # of each row (character, style), as far as something was written
        self.row = self.column = 0
        self.style = ""

    TOKEN = re.compile(r"\x1b\[([?\d;]*)([a-zA-Z])|\x1b[=>]|([^\x1b])", re.S)

    def feed(self, text):
        at = 0
        while at < len(text):
            match = self.TOKEN.match(text, at)
            if not match:
                raise ValueError(f"{text[at:at + 12]!r} is not known")
            at = match.end()
            if match[3]:
                self.put(match[3])
            elif match[2]:
                self.control(match[1], match[2])

    def put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.down()
        elif char == "\b":
            self.column = max(0, min(self.column, self.columns - 1) - 1)
        elif char == "\t":
            self.column = min(self.columns - 1, (self.column // 8 + 1) * 8)
        elif char >= " ":
            if self.column == self.columns:
                self.column = 0
                self.down()
            cells = self.cells[self.row]
            cells.extend([(" ", "")] * (self.column + 1 - len(cells)))
            cells[self.column] = (char, self.style)
            self.column += 1
        elif char != "\a":
            raise ValueError(f"{char!r} is not known")

    def down(self):
        self.row += 1
        if self.row == self.rows:
            self.cells = self.cells[1:] + [[]]
            self.row -= 1

    def control(self, numbers, what):
        first = int(numbers.split(";")[0] or 0) if "?" not in numbers else 0
        if what == "m":
            self.colour([int(n or 0) for n in numbers.split(";")])
        elif what == "K" and first == 0:
            del self.cells[self.row][self.column:]
        elif what == "J" and first == 0:
            del self.cells[self.row][self.column:]
            self.cells[self.row + 1:] = [[] for _ in self.cells[self.row + 1:]]
        elif what == "C":
            self.column = min(self.columns - 1, self.column + max(1, first))
        elif what == "D":
            self.column = max(0, self.column - max(1, first))
        elif what == "A":
            self.row = max(0, self.row - max(1, first))
        elif what == "P":
            del self.cells[self.row][self.column:self.column + max(1, first)]
        elif what not in "hl":
            raise ValueError(f"ESC [ {numbers}{what} is not known")

    def colour(self, numbers):
        """A style is a list of the picture's classes: "bold c3"."""
        style = set(self.style.split())
        for n in numbers:
            if n == 0:
                style = set()
            elif n in (1, 2):
                style |= {("bold", "dim")[n - 1]}
            elif n == 22:
                style -= {"bold", "dim"}
            elif 30 <= n <= 37 or n == 39:
                style = {s for s in style if s[0] != "c" or s == "cursor"} | ({f"c{n - 30}"} if n != 39 else set())
            else:
                raise ValueError(f"colour {n} is not known")
        self.style = " ".join(sorted(style))

    def picture(self):
        """The rows, each a tuple of (column, style, text), and the cursor's place in it."""
        rows = []
        for cells in self.cells:
            runs = []
            for column, (char, style) in enumerate(cells):
                if runs and runs[-1][1] == style:
                    runs[-1][2] += char
                elif char != " ":
                    runs.append([column, style, char])
            rows.append(tuple((c, s, t.rstrip()) for c, s, t in runs))
        return tuple(rows), (self.row, min(self.column, self.columns - 1))


def frames(recording):
    """(seconds, rows, cursor) of each picture of the film, in their order."""
    screen = Screen(recording["columns"], recording["rows"])
    out = []

    def show(seconds):
        out.append([seconds, *screen.picture()])

    for step in recording["steps"]:
        typed = step["typed"]
        pieces = [m[0] for m in Screen.TOKEN.finditer(typed)]
        each = -(-len(pieces) // TYPING_FRAMES) or 1
        for at in range(0, len(pieces), each):
            screen.feed("".join(pieces[at:at + each]))
            show(TYPING_S * min(each, 4))
        if typed:
            out[-1][0] += 0.5
        screen.feed(step["shown"])
        show(PAUSE_S + ROW_S * (step["shown"].count("\n") - 1 if typed else 0))
    out[-1][0] = END_S
    return out


# ---- the picture ----

SIZE, WIDTH, LINE, MARGIN = 14, 8.43, 19, 14  # of a font of 14 px: a column, a row; around the text
# Blanks stay by two ways: browsers take the property, others the attribute, and neither is inherited by text.
LIGHT = {"back": "#ffffff", "text": "#1f2328", "edge": "#d1d9e0", "cursor": "#8c959f",
         "c": ["#57606a", "#cf222e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b7c83", "#57606a"]}
DARK = {"back": "#0d1117", "text": "#e6edf3", "edge": "#3d444d", "cursor": "#8b949e",
        "c": ["#8b949e", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#b1bac4"]}


def style_rules(colours):
    rules = [f".back{{fill:{colours['back']};stroke:{colours['edge']}}}", f"text{{fill:{colours['text']}}}",
             f".cursor{{fill:{colours['cursor']}}}"]
    return "".join(rules + [f".c{n}{{fill:{c}}}" for n, c in enumerate(colours["c"])])


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def line_text(row):
    spans = []
    for column, style, text in row:
        cls = f' class="{style}"' if style else ""
        spans.append(f'<tspan x="{number(column * WIDTH)}"{cls}>{html.escape(text, quote=False)}</tspan>')
    return "".join(spans)


def draw(recording):
    film = frames(recording)
    width = recording["columns"] * WIDTH + 2 * MARGIN
    height = recording["rows"] * LINE + 2 * MARGIN
    total = sum(seconds for seconds, _, _ in film)
    names, definitions, groups, stops, begin = {}, [], [], [], 0.0

    def name_of(kind, content, text):
        """The name of that content, which is defined once however often it is shown."""
        key = (kind, content)
        if key not in names:
            names[key] = f"{kind}{len(names)}"
            definitions.append(text(names[key]))
        return f"#{names[key]}"

    def row_use(n, row):
        href = name_of("l", row, lambda name: f'<text id="{name}" xml:space="preserve">{line_text(row)}</text>')
        return f'<use href="{href}" y="{n * LINE + SIZE}"/>'

    for at, (seconds, rows, (cursor_row, cursor_column)) in enumerate(film):
        still = tuple((n, row) for n, row in enumerate(rows) if row and n < cursor_row)
        own = [row_use(n, row) for n, row in enumerate(rows) if row and n >= cursor_row]
        uses = "".join(row_use(n, row) for n, row in still)
        if still:
            href = name_of("s", still, lambda name: f'<g id="{name}">{uses}</g>')
            own.insert(0, f'<use href="{href}"/>')
        own.append(f'<rect class="cursor" x="{number(cursor_column * WIDTH)}" y="{cursor_row * LINE + 2}" '
                   f'width="{number(WIDTH)}" height="{LINE - 3}"/>')
        groups.append(f'<g transform="translate(0 {number(at * height)})">{"".join(own)}</g>')
        stops.append(f"{begin / total * 100:.3f}%{{transform:translateY({number(-at * height)}px)}}")
        begin += seconds
    last = number(-(len(film) - 1) * height)
    css = (f"text{{font:{SIZE}px ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono','Liberation Mono',monospace;white-space:pre}}"
           f".bold{{font-weight:bold}}.dim{{fill-opacity:.7}}{style_rules(LIGHT)}"
           f"@media(prefers-color-scheme:dark){{{style_rules(DARK)}}}"
           f".film{{transform:translateY({last}px);animation:film {number(total)}s step-end infinite}}"
           f"@media(prefers-reduced-motion:reduce){{.film{{animation:none}}}}"
           f"@keyframes film{{{''.join(stops)}}}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(width)} {number(height)}">',
        "<title>A session of Breakwater in a terminal</title>",
        f"<style>{css}</style>",
        "<defs>", *definitions, "</defs>",
        f'<rect class="back" x=".5" y=".5" width="{number(width - 1)}" height="{number(height - 1)}" rx="8"/>',
        f'<svg x="{MARGIN}" y="{MARGIN}" width="{number(width - 2 * MARGIN)}" height="{number(height - 2 * MARGIN)}" '
        'overflow="hidden">',
        '<g class="film">', *groups, "</g>", "</svg>", "</svg>", ""])


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("record", "draw"):
        sys.exit(__doc__)
    if sys.argv[1] == "record":
        pathlib.Path(sys.argv[3]).write_text(record(sys.argv[2]))
    else:
        pathlib.Path(sys.argv[3]).write_text(draw(json.loads(pathlib.Path(sys.argv[2]).read_text())))


if __name__ == "__main__":
    main()
