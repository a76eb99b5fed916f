#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The book of "make book", checked as a reader has it: the links of its HTML, the spelling of its pages, and in headless
Chromium search, navigation, dark and light, all from file://. "make check-book" builds it and runs this.

    book.py BUILD    BUILD/book is the book

Without codespell or Chromium their part is left out, and named.
"""
import html
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tests/e2e"))
import png  # noqa: E402

TIMEOUT_S = 240
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CODESPELL = shutil.which("codespell")


class Page(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, file):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[name] for name in ("id", "name") if attrs.get(name)}
        self.links += [attrs[name] for name in ("href", "src") if attrs.get(name)]


def check_links(book):
    pages = {file: Page(file) for file in sorted(book.rglob("*.html"))}
    assert len(pages) > 40, f"the book has {len(pages)} pages"
    count = 0
    for file, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                continue
            count += 1
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                yield f"{file.relative_to(book)}: {link} does not exist"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{file.relative_to(book)}: {link} is not an anchor"
    print(f"links: {count} of {len(pages)} pages")


def check_spelling():
    files = [f for f in subprocess.run(["git", "ls-files", "*.md", "man/*.in"], cwd=SOURCE, capture_output=True, text=True, check=True).stdout.split()]
    done = subprocess.run([CODESPELL, "--ignore-words", SOURCE / "tools/book/words.txt", *files], cwd=SOURCE, capture_output=True, text=True, check=False)
    print(f"spelling: {len(files)} files")
    return done.stdout.splitlines()


def browse(page, *options):
    """What Chromium prints of a page; a complaint on its console is a failure."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                               f"--user-data-dir={profile}", "--virtual-time-budget=8000", *options, page],
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line and '"Changed to ' not in line]  # Furo says the theme
    assert done.returncode == 0 and not console, "\n".join(console) or done.stderr
    return done.stdout


# What a reader may look for, and a page that must be among the results.
SEARCHES = {"watchpoint": "man/breakwater-commands.7.html", "lockup_timeout": "doc/install.html", "rocgdb": "doc/conventions.html",
            "displaced": "doc/hardware/traps.html"}


def check_search(book):
    for word, expected in SEARCHES.items():
        dom = browse(f"{(book / 'search.html').as_uri()}?q={word}", "--dump-dom")
        results = re.search(r'<ul class="search">(.*?)</ul>', dom, re.S)
        found = [html.unescape(m).split("?")[0].split("#")[0] for m in re.findall(r'<a href="([^"]*)"', results[1])] if results else []
        if expected not in found:
            yield f"search for {word}: {expected} is not among {found}"
        yield from (f"search for {word}: {page} does not exist" for page in found if not (book / page).is_file())
    dom = browse(f"{(book / 'search.html').as_uri()}?q=nosuchwordatall", "--dump-dom")
    if "did not match any documents" not in dom:
        yield "search for a word that no page has: it does not say so"
    print(f"search: {len(SEARCHES)} words")


# A browser whose user prefers dark pages.
DARK = "--blink-settings=preferredColorScheme=0"

# Runs after the page's own script, walks by its links, and leaves what it has seen in the DOM.
PROBE = """<script>
window.addEventListener("load", function () {
  var all = function (s) { return Array.prototype.slice.call(document.querySelectorAll(s)); };
  var style = function () { return getComputedStyle(document.body).backgroundColor; };
  var seen = { parts: all(".sidebar-tree .caption-text").map(function (e) { return e.textContent; }),
    current: all(".sidebar-tree .current-page > a").map(function (e) { return e.textContent; }),
    next: all(".related-pages .next-page").map(function (e) { return e.getAttribute("href"); }),
    contents: all(".toc-tree a").map(function (e) { return e.textContent; }), themes: [] };
  for (var n = 0; n < 3; n++) {
    seen.themes.push([document.body.dataset.theme, style()]);
    all(".theme-toggle")[0].click();
  }
  var out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.appendChild(out);
});
</script></body>"""


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def check_navigation(book):
    page = book / "doc/waves.html"
    probe = page.with_name("probe.html")
    probe.write_text(page.read_text().replace("</body>", PROBE))
    try:
        dom = browse(probe.as_uri(), "--dump-dom")
    finally:
        probe.unlink()
    seen = json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)[1]))
    parts = re.findall(r"^## (.*)$", (SOURCE / "doc/README.md").read_text(), re.M)
    if seen["parts"] != parts:
        yield f"navigation: the parts are {seen['parts']}, in doc/README.md {parts}"
    if seen["current"] != ["Waves that hang"]:
        yield f"navigation: the page is shown as {seen['current']}"
    if seen["next"] != ["breadcrumbs.html"]:
        yield f"navigation: the next page is {seen['next']}"
    if "What is not known there" not in seen["contents"]:
        yield f"navigation: the contents of the page are {seen['contents']}"
    themes = dict(seen["themes"])
    if set(themes) != {"auto", "light", "dark"} or brightness(themes["light"]) < 200 or brightness(themes["dark"]) > 60:
        yield f"themes: {seen['themes']}"
    print("navigation: parts, current page, next page, contents, themes")


def background(page, *options):
    """The colour of the page, as painted, at its right edge."""
    with tempfile.TemporaryDirectory() as tmp:
        shot = pathlib.Path(tmp, "shot.png")
        browse(page.as_uri(), "--window-size=1300,700", f"--screenshot={shot}", *options)
        _, _, _, rows = png.read(shot)
    assert len({px for row in rows for px in row}) > 20, "the page is empty"
    return rows[350][-3][:3]


def check_dark(book):
    light, dark = background(book / "index.html"), background(book / "index.html", DARK)
    if min(light) < 200 or max(dark) > 60:
        yield f"a light browser shows {light}, a dark one {dark}"
    print("dark and light: as the browser")


def main():
    book = pathlib.Path(sys.argv[1]).resolve() / "book"
    wrong = list(check_links(book))
    if CODESPELL:
        wrong += check_spelling()
    else:
        print("spelling: skipped, codespell is not installed (Debian: apt-get install codespell)")
    if CHROMIUM:
        for check in (check_search, check_navigation, check_dark):
            wrong += check(book)
    else:
        print("search, navigation, dark: skipped, Chromium is not installed (Debian: apt-get install chromium)")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
