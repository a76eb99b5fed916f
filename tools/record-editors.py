#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of doc/tutorials/editors.md: real editors, which debug the page's kernel as the page says.

    record-editors.py nvim NVIM NVIM_DAP     doc/tutorials/nvim-*.svg: Neovim in a terminal (tmux); NVIM_DAP is nvim-dap's folder
    record-editors.py vscode CODE_SERVER     doc/tutorials/vscode-*.png: VS Code, as code-server shows it in headless Chromium;
                                             CODE_SERVER is its folder, as npm installs it. ImageMagick makes the pictures small

What the editor sends in the session of the first picture, and what it is answered, becomes a recording in
tests/dap/recordings (record.py): the test dap-recorded-transpose sends it again, so that a picture that is not true any more
is found. The program is that of BREAKWATER_BUILD, or of build. No test needs the editor.
"""
import base64
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

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


# ---- VS Code ----

WIDTH, HEIGHT = 1280, 860
SETTINGS = {
    "workbench.startupEditor": "none", "workbench.colorTheme": "Default Light Modern", "workbench.tips.enabled": False,
    "workbench.layoutControl.enabled": False, "window.commandCenter": False, "chat.commandCenter.enabled": False,
    "editor.minimap.enabled": False, "editor.tabSize": 4, "extensions.ignoreRecommendations": True, "telemetry.telemetryLevel": "off",
    "debug.toolBarLocation": "docked", "debug.openDebug": "openOnDebugBreak", "update.mode": "none",
}
KEYS = {"F1": 112, "F5": 116, "Enter": 13, "Escape": 27, "End": 35, "Home": 36}


class Browser:
    """A page in headless Chromium, by the protocol of its developer tools: messages in JSON on two pipes, each with a NUL after it."""

    def __init__(self, url, profile):
        take, self.to_it = os.pipe()
        self.from_it, give = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{take} 4>&{give} 2>/dev/null', "sh", "chromium", *options],
                                        pass_fds=(take, give))
        os.close(take)
        os.close(give)
        self.number, self.rest, self.page = 0, b"", None
        target = self.call("Target.createTarget", url=url)["targetId"]
        self.page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params} | ({"sessionId": self.page} if self.page else {})
        os.write(self.to_it, json.dumps(message).encode() + b"\0")
        while True:
            answer, end, rest = self.rest.partition(b"\0")
            if not end:
                more = os.read(self.from_it, 1 << 20)
                if not more:
                    sys.exit("Chromium has ended")
                self.rest += more
                continue
            self.rest = rest
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def ask(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def until(self, script, what):
        end = time.monotonic() + PATIENCE_S
        while not self.ask(f"!!({script})"):
            if time.monotonic() > end:
                self.shoot(pathlib.Path("record-editors-failed.png"))
                sys.exit(f"the page has not got {what}; record-editors-failed.png shows it")
            time.sleep(0.3)

    def shows(self, text):
        self.until(f"document.body.innerText.replace(/\u00a0/g, ' ').includes({json.dumps(text)})", f"the text {text!r}")

    def key(self, name, control=False, shift=False):
        code = KEYS.get(name) or ord(name.upper())
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name if name in KEYS else f"Key{name.upper()}",
                      windowsVirtualKeyCode=code, modifiers=2 * control + 8 * shift)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, script, button="left", times=1):
        """On the element that the script finds."""
        self.until(script, f"the element {script}")
        x, y = self.ask(f"(r => [r.x + r.width / 2, r.y + r.height / 2])(({script}).getBoundingClientRect())")
        for count in range(1, times + 1):
            for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=count)

    def shoot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()


class Code(Browser):
    """VS Code in a browser."""

    def pick(self, text, row=None):
        """Types into the field that is open at the top, and takes the first row. False: it does not begin as `row` says."""
        self.until("document.querySelector('.quick-input-widget')?.style.display != 'none'", "a field to type into")
        self.type(text)
        time.sleep(2)
        first = self.ask("document.querySelector('.quick-input-list .monaco-list-row')?.innerText.replace(/\\s+/g, ' ').trim()")
        fits = not row or (first or "").startswith(row)
        self.key("Enter" if fits else "Escape")
        time.sleep(1)
        return fits

    def run(self, command):
        """A command has no row before its extension has been loaded."""
        end = time.monotonic() + PATIENCE_S
        self.key("F1")
        while not self.pick(command, command):
            if time.monotonic() > end:
                self.shoot(pathlib.Path("record-editors-failed.png"))
                sys.exit(f"the page has no command {command!r}; record-editors-failed.png shows it")
            time.sleep(3)
            self.key("F1")

    def still(self, path):
        """The picture, when it has been the same for a moment."""
        before = None
        while before != (now := self.call("Page.captureScreenshot", format="png")["data"]):
            before = now
            time.sleep(2)
        path.write_bytes(base64.b64decode(now))
        subprocess.run(["convert", path, "-strip", "+dither", "-colors", "96", f"PNG8:{path}"], check=True)


def start_code_server(code_server, place, folder):
    """The server with the extension, and its address."""
    data, extensions, vsix = place / "data", place / "extensions", place / "breakwater.vsix"
    (data / "User").mkdir(parents=True)
    (data / "User/settings.json").write_text(json.dumps(SETTINGS | {"breakwater.path": str(place / "bin/breakwater")}))
    subprocess.run([SOURCE / "tools/make-vsix.py", vsix], check=True)
    server = ["node", code_server / "out/node/entry.js", "--user-data-dir", data, "--extensions-dir", extensions]
    env = os.environ | {"HOME": str(place)}
    subprocess.run([*server, "--install-extension", vsix], check=True, env=env)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    process = subprocess.Popen([*server, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check",
                                "--disable-workspace-trust", "--disable-getting-started-override"], env=env)
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz").close()
            return process, f"http://127.0.0.1:{port}/?folder={folder}"
        except OSError:
            if time.monotonic() > end:
                sys.exit("code-server does not answer")
            time.sleep(0.5)


def record_vscode(code_server):
    version = json.loads((code_server / "package.json").read_text())["version"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        place = pathlib.Path(name)
        folder = place / "transpose"
        folder.mkdir()
        write_files(folder)
        write_adapter(folder, f"code-server {version} (VS Code)", "vscode")
        server, address = start_code_server(code_server, place, folder)
        code = Code(address, place / "profile")
        try:
            code.until("document.querySelector('.monaco-workbench .statusbar-item')", "a workbench")
            time.sleep(3)
            code.click("document.querySelector('.explorer-folders-view [aria-label*=\"transpose.hip\"]')", times=2)
            code.until("document.querySelector('.monaco-editor .view-line')", "an editor")
            code.key("g", control=True)
            code.pick("9")
            code.run("Debug: Add Conditional Breakpoint...")
            code.until("document.querySelector('.breakpoint-widget .view-lines')", "the condition's field")
            code.type(CONDITION)
            code.key("Enter")
            code.key("F5")
            code.shows("hit Breakpoint 1")
            for view in "BREAKPOINTS", "LANES":  # is open, and is not
                code.click(f"[...document.querySelectorAll('.pane-header')].find(e => e.innerText.trim().toUpperCase().startsWith('{view}'))")
            code.run("Breakwater: Expression Shown for Each Lane")
            code.pick("to")
            code.run("Debug Console: Focus on Debug Console View")
            code.type("print to @lanes")
            code.key("Enter")
            code.shows("115")
            code.still(OUT / "vscode-stop.png")
            code.key("F5", shift=True)
            mended = (folder / "transpose.hip").read_text().replace("x * width + y", "x * height + y")
            (folder / "transpose.hip").write_text(mended)
            code.shows("x * height + y")
            code.key("F5")
            code.shows("0 16 32 48 1 17")
            code.still(OUT / "vscode-mended.png")
        finally:
            code.close()
            server.terminate()
            server.wait()


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
    elif len(sys.argv) == 3 and sys.argv[1] == "vscode":
        record_vscode(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
