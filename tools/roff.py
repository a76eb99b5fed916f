# SPDX-License-Identifier: MIT
"""Text as roff, for the generators of manual pages (gen-words.py, gen-pages.py)."""
import datetime
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def roff(text):
    """Lines of text."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def title(name, section, group):
    """The first lines of a page. Its date is that of the release in debian/changelog."""
    changed = re.search(r"^ -- .*>  \w+, (\d+ \w+ \d+)", (SOURCE / "debian/changelog").read_text(), re.M)
    date = datetime.datetime.strptime(changed[1], "%d %b %Y").date().isoformat()
    return f'.\\" SPDX-License-Identifier: MIT\n.TH {roff(name.upper())} {section} "{date}" "breakwater" "{group}"\n'


def see_also(pages):
    """The section with these pages, "gdb(1)"."""
    ordered = sorted(dict.fromkeys(pages), key=lambda p: (p[-2], p))
    return ".SH SEE ALSO\n" + ",\n".join(f".BR {roff(p[:-3])} {p[-3:]}" for p in ordered) + "\n"
