#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the book: the pages of doc/ and the manual pages as HTML, with search that works without a server.

    make-book.py BUILD [--strict]    BUILD/book/index.html; --strict: a warning of Sphinx is an error

Its table of contents is that of doc/README.md: each "##" heading there is a part, and the pages that it links to are the
chapters of that part, in this order. In the same way the README.md of a folder orders the pages of the folder. Pages are
copied to BUILD/book-source first, with these lists added and nothing else changed. Manual pages are those that the build
has made (BUILD/man); without these, or without mandoc, the book says that it does not have them. Sphinx, MyST and Furo are
Debian's (tools/install-deps.sh book).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INDEX = SOURCE / "doc/README.md"
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
WHOLE_LINK = re.compile(r"(!?\[[^]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
PART = re.compile(r"^## (.*)$", re.M)


def targets(page, text):
    """Files of the repository to which a page links, each once, in their order."""
    found = {}
    for link in LINK.finditer(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        file = (page.parent / link[1]).resolve()
        if "://" not in link[1] and file.is_file():
            found[file] = None
    return list(found)


def toctree(entries, caption=None):
    options = [":hidden:"] + ([f":caption: {caption}"] if caption else [])
    return "\n".join(["", "```{toctree}", *options, "", *entries, "```", ""])


def parts(index):
    """[(heading, pages)] of doc/README.md, without parts that have no page."""
    text = index.read_text()
    heads = list(PART.finditer(text)) + [None]
    for head, after in zip(heads, heads[1:]):
        body = text[head.end():after.start() if after else len(text)]
        pages = [file for file in targets(index, body) if file.suffix == ".md"]
        yield head[1], pages


def children(page, text):
    """Pages of a folder's README.md, which are all of those in its folder and below, in the order of its links."""
    if page.name != "README.md" or page == INDEX or page.parent == SOURCE:
        return []
    return [file for file in targets(page, text) if file.suffix == ".md" and file != page and page.parent in file.parents]


class Book:
    def __init__(self, build):
        self.out, self.stage, self.man = build / "book", build / "book-source", build / "man"
        self.left_out = []

    def name(self, page):
        return "/index" if page == INDEX else f"/{page.relative_to(SOURCE).with_suffix('')}"

    def write(self, path, text):
        file = self.stage / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def add(self, page, text, where):
        """A page, as it is apart from links to its index and to folders, and the files that it shows or links to."""
        def moved(link):
            file = (page.parent / link[2]).resolve()
            if "://" in link[2] or not file.exists():
                return link[0]
            if file.is_dir():  # a page of HTML has no folder to link to
                return link[1].removeprefix("[")
            to = self.stage / ("index.md" if file in (INDEX, SOURCE / "README.md") else file.relative_to(SOURCE))
            return f"{link[1]}]({os.path.relpath(to, (self.stage / where).parent)}{link[3] or ''})"

        for file in targets(page, text):
            if file.suffix != ".md":
                copy = self.stage / file.relative_to(SOURCE)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
        self.write(where, WHOLE_LINK.sub(moved, text))

    def add_manual(self):
        """The manual pages; returns what the table of contents has of them."""
        mandoc = shutil.which("mandoc")
        pages = sorted(p for p in self.man.glob("*.[1357]") if not p.read_text().startswith(".so "))
        if not pages or not mandoc:
            self.left_out.append("the manual pages (" + ("mandoc is not installed" if pages else f"{self.man} has none: make") + ")")
            self.write("man/README.md", "# Manual pages\n\nThis copy of the book was made without the manual pages. "
                       "`man breakwater` shows them.\n")
            return
        rows = []
        for page in pages:
            said = subprocess.run([mandoc, "-T", "html", "-O", "fragment,man=%N.%S.html", page], capture_output=True, text=True, check=True)
            # References to pages of other packages lead nowhere here.
            known = {f"{p.name}.html" for p in pages}
            html = re.sub(r'<a class="Xr" href="([^"#]*)">(.*?)</a>', lambda m: m[0] if m[1] in known else m[2], said.stdout)
            # Sphinx has the page's h1: the headings of the manual page are its sections.
            title = f"{page.stem}({page.suffix[1:]})"
            about = re.search(r"^\.SH NAME\n.*?\\-\s*(.*)$", page.read_text(), re.M)
            html = re.sub(r"<(/?)h1\b", r"<\1h2", html)
            blank_free = "\n".join(line for line in html.splitlines() if line.strip())
            self.write(f"man/{page.name}.md", f"# {title}\n\n```{{raw}} html\n<div class=\"manual\">\n{blank_free}\n</div>\n```\n")
            rows.append(f"| [{title}]({page.name}.md) | {about[1] if about else ''} |")
        self.write("man/README.md", "# Manual pages\n\nThese are the pages that `man` shows.\n\n| page | |\n|---|---|\n"
                   + "\n".join(rows) + "\n" + toctree([f"/man/{page.name}" for page in pages]))

    def collect(self):
        """Writes the pages that doc/README.md leads to."""
        shutil.rmtree(self.stage, ignore_errors=True)
        self.add_manual()
        lists, waiting, seen = [], [], {INDEX}
        for head, pages in parts(INDEX):
            entries = [self.name(page) for page in pages]
            if head == "Reference":
                entries.append("/man/README")
            if entries:
                lists.append(toctree(entries, head))
            waiting += pages
        while waiting:
            page = waiting.pop(0)
            if page in seen:
                continue
            seen.add(page)
            text = page.read_text()
            below = children(page, text)
            self.add(page, text + (toctree([self.name(p) for p in below]) if below else ""), page.relative_to(SOURCE))
            waiting += below
        self.add(INDEX, INDEX.read_text() + "".join(lists), "index.md")
        return seen

    def build(self, is_strict):
        version = re.search(r"version: '([^']*)'", (SOURCE / "meson.build").read_text())[1]
        # Debian's Python, for which its Sphinx is; python3 in PATH may be another one.
        command = ["/usr/bin/python3", "-m", "sphinx", "-b", "html", "-q", "-E", "-c", SOURCE / "tools/book", "-D", f"release={version}",
                   "-d", self.stage.parent / "book-doctrees", *(["-W", "--keep-going"] if is_strict else []), self.stage, self.out]
        shutil.rmtree(self.out, ignore_errors=True)
        status = subprocess.run([str(c) for c in command], check=False).returncode
        if status == 0:
            self.repair_theme()
        return status

    def repair_theme(self):
        """Three things of Debian 12's Furo do not work in pages of file://; a Furo without these faults stays as it is."""
        script, style = self.out / "_static/scripts/furo.js", self.out / "_static/styles/furo.css"
        text = script.read_text()
        importing = re.match(r'import \w+ from "\./([\w.-]+)";\n', text)
        if importing:  # a module, which browsers do not load; what it imports makes its name a global one outside of modules
            script.write_text(script.with_name(importing[1]).read_text() + text[importing.end():])
        text = style.read_text()
        importing = re.match(r"@import url\(/javascript/([^)]*)\);", text)
        if importing:  # a path of a server
            text = pathlib.Path("/usr/share/javascript", importing[1]).read_text() + text[importing.end():]
        dark = re.search(r'body\[data-theme="dark"\] \{([^}]*)\}', text)
        if "prefers-color-scheme" not in text and dark:  # the theme "auto" is always light
            text += '@media screen and (prefers-color-scheme: dark) { body:not([data-theme="light"]) {' + dark[1] + "} }\n"
        style.write_text(text)


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    book = Book(build)
    book.collect()
    status = book.build("--strict" in sys.argv[2:])
    for what in book.left_out:
        print(f"The book does not have {what}.")
    if status == 0:
        print(f"{sys.argv[1]}/book/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
