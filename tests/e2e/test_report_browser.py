#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A page of "report" in a browser: headless Chromium, where it is installed. The script finds lines, folds, makes numbers
of words, and leads from the map to a wave; nothing is refused by the page's own policy; dark, light and print differ."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import png
from harness import KERNELS, SOURCE, TIMEOUT_S, check, equal, main, run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SAXPY = [SOURCE / "examples/saxpy.s", "--grid", 256, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
         "y=fill:256:1", "--arg", "out=zeros:256"]

# Runs behind the page's own script, and leaves what it has seen in the DOM.
PROBE = """<script>
(function () {
  var all = function (s) { return Array.prototype.slice.call(document.querySelectorAll(s)); };
  var shown = function (e) { return e.getClientRects().length > 0; };
  var seen = { sections: all("main > section").map(function (s) { return s.id; }), links: all("nav a").map(function (a) { return a.hash; }) };
  seen.value = all(".num u")[0].textContent.split(" ").slice(0, 4).join(" ");
  var select = all("select")[0];
  seen.type = select.value;
  select.value = "";
  select.dispatchEvent(new Event("change"));
  seen.words = all(".num u")[0].textContent.split(" ").slice(0, 2).join(" ");
  select.value = "f32";
  select.dispatchEvent(new Event("change"));
  all(".map i[data-w='3']")[0].dispatchEvent(new MouseEvent("mouseenter"));
  seen.title = all(".map i[data-w='3']")[0].title;
  all(".map i[data-w='3']")[0].click();
  seen.row = all("tr.at").map(function (r) { return r.id; });
  seen.open = all("details[open]").length;
  document.getElementById("open").click();
  seen.all_open = all("details:not([open])").length;
  document.getElementById("open").click();
  seen.none_open = all("details[open]").length;
  document.getElementById("theme").click();
  seen.theme = document.documentElement.dataset.theme;
  var picture = all("img")[0];
  seen.picture = [picture.complete, picture.naturalWidth, picture.naturalHeight];
  var q = document.getElementById("q");
  q.value = "s_endpgm";
  q.dispatchEvent(new Event("input"));
  setTimeout(function () {
    /* the search has opened what was folded */
    seen.rest = all(".num details u")[0].textContent.split(" ").slice(0, 3).join(" ");
    seen.hits = document.getElementById("hits").textContent;
    seen.found = all("main .p:not(.hidden)").filter(shown).map(function (e) { return e.textContent.replace(/\\s+/g, " ").trim(); });
    var out = document.createElement("pre");
    out.id = "seen";
    out.textContent = JSON.stringify(seen);
    document.body.appendChild(out);
  }, 400);
}());
</script></body>"""


def browse(page, *options):
    """What Chromium prints; a complaint of the page on its console is a failure."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                               f"--user-data-dir={profile}", "--virtual-time-budget=5000", *options, page.as_uri()],
                              capture_output=True, text=True, timeout=TIMEOUT_S)
    equal(done.returncode, 0, done.stderr)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    equal(console, [], "the browser's console")
    return done.stdout


def page_of(folder, *args, script):
    out = pathlib.Path(folder, "page.html")
    run(*args, script=[line.format(out) for line in script])
    return out


def script_works():
    with tempfile.TemporaryDirectory() as tmp:
        page = page_of(tmp, *SAXPY, script=["break load", "run", "report {}", "kill"])
        page.write_text(page.read_text().replace("</body>", PROBE))
        dom = browse(page, "--dump-dom")
    seen = json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S).group(1)))
    equal(seen["sections"], ["verdict", "waves", "code", "focus", "registers", "streams", "buffers"], "sections")
    equal(seen["links"], [f"#{s}" for s in seen["sections"]], "contents")
    equal((seen["type"], seen["value"], seen["words"]), ("f32", "0 1 2 3", "00000000 3f800000"), "x[i] = i")
    equal(seen["rest"], "128 129 130", "numbers that were folded")
    check(re.match(r"se\d+\.sa\d+\.wgp\d+\.simd\d+\.w\d+, wave 3, saxpy \(\) at saxpy\.s:22$", seen["title"]), seen["title"])
    equal(seen["row"], ["w3"], "the wave's row")
    check(seen["open"] > 0 and seen["all_open"] == 0 and seen["none_open"] == 0, seen)
    check(seen["theme"] in ("dark", "light"), seen["theme"])
    equal(seen["picture"], [True, 32, 32], "a picture of 1024 elements")
    # the source's line and the instruction
    equal(len(seen["found"]), 2, seen["found"])
    equal(seen["hits"], "2 lines", "hits")
    check(all(line.endswith("s_endpgm") or "s_endpgm" in line for line in seen["found"]), seen["found"])


def corner(page, tmp, *options):
    """The colour of the page's background."""
    shot = pathlib.Path(tmp, "shot.png")
    browse(page, "--window-size=640,400", f"--screenshot={shot}", *options)
    width, height, _, rows = png.read(shot)
    equal((width, height), (640, 400), "the picture")
    check(len({px for row in rows for px in row}) > 20, "there is something in it")
    return rows[-1][2]


def looks():
    with tempfile.TemporaryDirectory() as tmp:
        page = page_of(tmp, KERNELS / "unmapped.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000",
                       script=["run", "report {}", "kill"])
        light, dark = corner(page, tmp), corner(page, tmp, "--force-dark-mode")
        check(min(light[:3]) > 200 and max(dark[:3]) < 60, f"light {light}, dark {dark}")
        pdf = pathlib.Path(tmp, "page.pdf")
        browse(page, f"--print-to-pdf={pdf}")
        pages = len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))
        check(1 <= pages < 20, f"{pages} pages of print")


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: Chromium is not installed (Debian: apt-get install chromium)")
        sys.exit(77)
    main(script_works, looks)
