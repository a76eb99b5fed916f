#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of doc/tutorials/editors.md: real editors, which debug the page's kernel as the page says.

    record-editors.py nvim NVIM NVIM_DAP     doc/tutorials/nvim-*.svg: Neovim in a terminal (tmux); NVIM_DAP is nvim-dap's folder

What the editor sends in the session of the first picture, and what it is answered, becomes a recording in
tests/dap/recordings (record.py): the test dap-recorded-transpose sends it again, so that a picture that is not true any more
is found. The program is that of BREAKWATER_BUILD, or of build. No test needs the editor.
"""
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BREAKWATER_BUILD", SOURCE / "build")).resolve()
PAGE = SOURCE / "doc/tutorials/editors.md"
OUT = PAGE.parent
PATIENCE_S = 180
CONDITION = "to >= 64"


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


session = load("record_session", SOURCE / "tools/record-session.py")


def write_files(folder):
    """The files of the page, as a reader has saved them."""
    for name, text in re.findall(r"`([\w./-]+)`:\n\n```(?!diff)\w+\n(.*?)^```$", PAGE.read_text(), re.M | re.S):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def write_adapter(folder, client, name):
    """A `breakwater` that records the first session of the editor, and is the adapter itself from then on."""
    recording = SOURCE / f"tests/dap/recordings/{name}-transpose.jsonl"
    recorder = [sys.executable, SOURCE / "tests/dap/record.py", "--stdio", recording, client, f"folder={folder}"]
    program = folder.parent / "bin/breakwater"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n"
                       f"export BREAKWATER_BUILD={shlex.quote(str(BUILD))}\n"
                       f"if mkdir {shlex.quote(str(folder.parent / 'recorded'))} 2>/dev/null; then\n"
                       f"\texec {shlex.join(map(str, recorder))}\nfi\n"
                       f"exec {shlex.quote(str(BUILD / 'breakwater'))} \"$@\"\n")
    program.chmod(0o755)
    return program


# ---- Neovim ----

COLUMNS, ROWS = 100, 32


class Neovim:
    """Neovim on a terminal of its own."""

    def __init__(self, nvim, nvim_dap, place, folder):
        write_adapter(folder, version_of(nvim, nvim_dap), "nvim")
        config = place / "config/nvim"
        (config / "lua").mkdir(parents=True)
        shutil.copy(SOURCE / "editors/nvim/breakwater.lua", config / "lua")
        (config / "init.lua").write_text(f"vim.opt.runtimepath:append({json.dumps(str(nvim_dap))})\n"
                                         'vim.opt.number = true\nvim.opt.tabstop = 4\nrequire("breakwater")\n')
        (place / "tmux.conf").write_text("set -g status off\nset -g default-terminal screen\nset -g escape-time 0\n")
        env = [f"{name}={place / name}" for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")]
        env += [f"XDG_CONFIG_HOME={place / 'config'}", f"HOME={place}", f"PATH={place / 'bin'}:{os.environ['PATH']}"]
        self.socket = place / "tmux"
        self.tmux("-f", place / "tmux.conf", "new-session", "-d", "-x", COLUMNS, "-y", ROWS, "-c", folder,
                  shlex.join(["env", *env, str(nvim), "transpose.hip"]))

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *map(str, words)], capture_output=True, text=True, check=True)
        return done.stdout

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def until(self, pattern):
        """The match of what the screen shows once it has it."""
        end = time.monotonic() + PATIENCE_S
        while True:
            text = self.tmux("capture-pane", "-p")
            found = re.search(pattern, text, re.M)
            if found:
                return found
            if time.monotonic() > end:
                sys.exit(f"the screen does not show {pattern!r}:\n{text}")
            time.sleep(0.3)

    def screen(self):
        """The rows of the screen, when it has been the same for a moment."""
        text = None
        while text != (text := self.tmux("capture-pane", "-e", "-p")):
            time.sleep(1)
        return text


def version_of(nvim, nvim_dap):
    neovim = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=True).stdout.split()[1].lstrip("v")
    stamp = subprocess.run(["git", "-C", nvim_dap, "log", "-1", "--format=%cd", "--date=format:%B %Y"], capture_output=True, text=True, check=False)
    return f"nvim-dap of {stamp.stdout.strip() or 'an unknown day'}, Neovim {neovim}"


def start_and_stop(nvim):
    nvim.type(":DapContinue", "Enter")
    nvim.type(nvim.until(r"^(\d): transpose$")[1], "Enter")


def record_nvim(nvim, nvim_dap):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        place = pathlib.Path(name)
        folder = place / "transpose"
        folder.mkdir()
        write_files(folder)
        editor = Neovim(nvim, nvim_dap, place, folder)
        try:
            editor.until("transpose.hip")
            editor.type(":9", "Enter", f':lua require("dap").set_breakpoint("{CONDITION}")', "Enter")
            start_and_stop(editor)
            editor.until("^→")
            editor.type(":DapToggleRepl", "Enter", "C-w", "j", ":resize 17", "Enter", "G", "i")
            editor.type("-l", "print to @lanes")
            editor.type("Enter")
            editor.until(r"^ *\d+ +31 +115$")
            editor.type("Escape", ":4", "Enter", "zt", "C-l")
            stop = editor.screen()
            editor.type(":DapTerminate", "Enter", "C-w", "k", ":8s/width/height/", "Enter", ":w", "Enter")
            time.sleep(3)
            start_and_stop(editor)
            editor.until("0 16 32 48 1 17")
            editor.type("C-w", "j", "G")
            mended = editor.screen()
        finally:
            editor.tmux("kill-server")
    return {"nvim-stop": stop, "nvim-mended": mended}


# ---- a screen as a picture ----

def cells_of(row):
    """(style, text) of a row of `tmux capture-pane -e`; a style is a set of classes of the picture."""
    style, out = set(), []
    for escape, text in re.findall(r"(?:\x1b\[([\d;]*)m)|([^\x1b\x0e\x0f]+)", row):
        if text:
            out.append((frozenset(style), text))
            continue
        for n in [int(n or 0) for n in escape.split(";")]:
            if n == 0:
                style = set()
            elif n in (1, 2, 7):
                style.add({1: "bold", 2: "dim", 7: "reverse"}[n])
            elif 30 <= n <= 37:
                style = {s for s in style if s[0] != "c"} | {f"c{n - 30}"}
            elif 40 <= n <= 47:
                style.add("marked")
            elif n == 39:
                style = {s for s in style if s[0] != "c"}
            elif n in (22, 27, 49):
                style -= {22: {"bold", "dim"}, 27: {"reverse"}, 49: {"marked"}}[n]
    return out


def draw(title, screen):
    import html
    number, width, line, margin = session.number, session.WIDTH, session.LINE, session.MARGIN
    backs, texts = [], []
    for n, row in enumerate(screen.rstrip("\n").split("\n")):
        column, spans = 0, []
        for style, text in cells_of(row):
            at = number(column * width)
            if style & {"reverse", "marked"}:
                backs.append(f'<rect class="{"bar" if "reverse" in style else "mark"}" x="{at}" y="{n * line}" '
                             f'width="{number(len(text) * width)}" height="{line}"/>')
            if text.strip():
                words = sorted(style - {"marked", "reverse"}) + (["on-bar"] if "reverse" in style else [])
                cls = f' class="{" ".join(words)}"' if words else ""
                spans.append(f'<tspan x="{at}"{cls}>{html.escape(text.rstrip(), quote=False)}</tspan>')
            column += len(text)
        if spans:
            texts.append(f'<text xml:space="preserve" y="{n * line + session.SIZE}">{"".join(spans)}</text>')
    whole_width, height = COLUMNS * width + 2 * margin, ROWS * line + 2 * margin

    def colours(of):
        return (session.style_rules(of) + f".bar{{fill:{of['text']}}}.on-bar{{fill:{of['back']}}}"
                f".mark{{fill:{of['edge']}}}")

    css = (f"text{{font:{session.SIZE}px ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono','Liberation Mono',monospace;white-space:pre}}"
           f".bold{{font-weight:bold}}.dim{{fill-opacity:.7}}{colours(session.LIGHT)}"
           f"@media(prefers-color-scheme:dark){{{colours(session.DARK)}}}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(whole_width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(whole_width)} {number(height)}">',
        f"<title>{html.escape(title)}</title>", f"<style>{css}</style>",
        f'<rect class="back" x=".5" y=".5" width="{number(whole_width - 1)}" height="{number(height - 1)}" rx="8"/>',
        f'<g transform="translate({margin} {margin})">', *backs, *texts, "</g>", "</svg>", ""])


TITLES = {"nvim-stop": "Neovim at the breakpoint, with the index of each lane in nvim-dap's console",
          "nvim-mended": "Neovim after the mend: nvim-dap's console has the right numbers"}


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "nvim":
        for name, screen in record_nvim(*map(pathlib.Path, sys.argv[2:])).items():
            (OUT / f"{name}.svg").write_text(draw(TITLES[name], screen))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
