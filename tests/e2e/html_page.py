# SPDX-License-Identifier: MIT
"""A page of "report" or "crash --html", read: what is in it, and that it refers to nothing outside."""
import base64
import html.parser
import pathlib
import tempfile

import png
from harness import check, equal

PNG = "data:image/png;base64,"


class Page(html.parser.HTMLParser):
    """What is in the page: tags, attributes, the text of each section, its stops, lines of code with waves, pictures."""

    def __init__(self, text):
        super().__init__()
        self.size, self.tags, self.attributes, self.stack = len(text.encode()), [], [], []
        self.section, self.text, self.stops, self.depth = "", {}, [], 0
        self.lines, self.cells, self.pictures, self.types = [], [], [], []
        self.feed(text)
        self.close()
        equal(self.stack, [], "all elements are closed")

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        named = dict(attrs)
        if tag == "img":
            self.pictures.append((named["alt"], named["src"]))
        if tag in ("meta", "input", "img"):
            return
        self.stack.append(tag)
        classes = named.get("class", "").split()
        if tag == "section":
            self.section = named["id"]
        if "stop" in classes:
            self.stops.append(named["data-why"])
        if tag == "div" and "l" in classes:
            self.lines.append([self.section, ""])
        if tag == "i" and classes and classes[0][0] == "s" and "data-w" in named:
            self.cells.append((classes[0], named["data-w"]))
        if "num" in classes:
            self.types.append(named["data-type"])
        self.depth = max(self.depth, self.stack.count("ul"))

    def handle_endtag(self, tag):
        equal(self.stack.pop(), tag, "the element that is closed")
        if tag == "section":
            self.section = ""
        if tag == "div" and self.lines and self.lines[-1][-1] is not None:
            self.lines[-1].append(None)  # the line has ended

    def handle_data(self, data):
        self.text[self.section] = self.text.get(self.section, "") + data
        if self.lines and self.lines[-1][-1] is not None:
            self.lines[-1][1] += data + "|"

    def with_waves(self):
        """(waves, number, text) of lines of code at which waves are: the count comes first there."""
        found = [[w.strip() for w in text.split("|") if w.strip() not in ("", "B", "=>", "B=>")] for _, text, *_ in self.lines]
        return [(int(words[0]), words[1], words[2]) for words in found if len(words) > 2 and words[0].isdigit() and
                (words[1].isdigit() or words[1].startswith("0x"))]

    def picture(self, n):
        """(caption, width, height, rows of pixels) of the n-th one."""
        alt, src = self.pictures[n]
        with tempfile.TemporaryDirectory() as tmp:
            path = pathlib.Path(tmp, "x.png")
            path.write_bytes(base64.b64decode(src[len(PNG):], validate=True))
            width, height, _, rows = png.read(path)
        return alt, width, height, rows


def read(path):
    """The page, after checking that nothing is loaded and nothing can be."""
    text = pathlib.Path(path).read_text()
    p = Page(text)
    for name, value in p.attributes:
        check(name not in ("href", "action", "style") and not name.startswith("on"), f"{name}={value}")
        check(name != "src" or value.startswith(PNG), f"{name}={value}")
    check(any(n == "content" and "default-src 'none'" in v for n, v in p.attributes), "a policy")
    check("url(" not in text and "@import" not in text, "an outside reference")
    equal((p.tags.count("script"), p.tags.count("style"), p.tags.count("link")), (1, 1, 0), "what is ours alone")
    check(p.size < 5 << 20, f"{p.size} bytes")
    return p
