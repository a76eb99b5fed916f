#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages that are not those of commands. Their facts are those of the headers, of doc and of the code.

    gen-pages.py functions                   the names of the functions of include/breakwater, one a line
    gen-pages.py library PAGE FOLDER         breakwater.h(3), and in FOLDER a page for each function that refers to it
    gen-pages.py page TEMPLATE PAGE          a page of man, in roff with lines that are replaced:

        @TITLE NAME SECTION GROUP       the head of the page
        @MARKDOWN FILE [HEADING]        a file of doc, or what is under one of its headings
        @TARGETS                        what each kind of session can do (src/target/target.c and the targets)
        @SEE PAGE(N) ...                the section SEE ALSO
"""
import pathlib
import re
import sys
import textwrap

import generated
from roff import SOURCE, roff, see_also, title

HEADERS = ("session.h", "waves.h", "breakpoints.h", "values.h")


# ---- The library ----

def comment_text(comment):
    """Its paragraphs."""
    lines = [re.sub(r"^\s*\* ?", "", l) for l in comment[2:-2].strip().split("\n")]
    return [" ".join(p.split()) for p in "\n".join(lines).split("\n\n")]


def pieces(header):
    """("title", text), ("text", paragraphs) and ("code", declarations without a blank line between), in the order of the header."""
    text = (SOURCE / "include/breakwater" / header).read_text()
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"^#.*\n", "", text, flags=re.M).replace(" BREAKWATER_MUST_CHECK", "")
    text = text.split("*/", 1)[1]  # the licence
    while text := text.lstrip():
        if text.startswith("/*"):
            comment, text = text[:text.index("*/") + 2], text[text.index("*/") + 2:]
            heading = re.fullmatch(r"/\* -+ (.*) -+ \*/", comment)
            yield ("title", heading[1]) if heading else ("text", comment_text(comment))
            if not heading and text.startswith("\n\n"):
                yield "code", []
        else:
            codes = []
            while not codes or re.match(r"\n[^\n/]", text):
                end = re.match(r"[^;{]*(\{.*?\n\})?[^;{]*;", text, re.S).end()
                codes.append(text[:end].strip())
                text = text[end:]
            yield "code", codes


def prototypes(header):
    return [code for kind, piece in pieces(header) if kind == "code" for code in piece if "{" not in code and "(" in code]


def functions(header):
    return [m[1] for p in prototypes(header) if (m := re.match(r"(?!typedef)[^(]*\b(breakwater_\w+)\(", p))]


def laid_out(code):
    """A declaration, in lines for a terminal of 80 columns."""
    code = re.sub(r"[ \t]*\n[ \t]*(?!\n)", "\n", code)
    if "{" not in code:
        head, *parameters = re.split(r"(?<=\()|(?<=,)\s", " ".join(code.split()))
        lines = [head]
        for parameter in parameters:
            fits = len(lines[-1]) + 1 + len(parameter) <= 72
            lines[-1:] = [f"{lines[-1]}{'' if lines[-1].endswith('(') else ' '}{parameter}"] if fits else [lines[-1], f"    {parameter}"]
        return lines
    head, body = code.rsplit("}", 1)[0].split("{", 1)
    end = "," if head.startswith("enum") else ";"
    lines = [f"{head.strip()} {{"]
    for match in re.finditer(rf"\s*(/\*.*?\*/|[^{end}/]*{end})(?:[ \t]*(/\*.*?\*/))?", body, re.S):
        member, comment = (" ".join(re.sub(r"\n\* ", " ", m or "").split()) for m in match.groups())
        start = f"    {member}"
        if comment and len(start) < 31 and 32 + len(comment) <= 72:
            lines.append(f"{start:<31} {comment}")
        elif comment and len(start) + 1 + len(comment) <= 72:
            lines.append(f"{start} {comment}")
        else:
            lines += textwrap.wrap(start, 72, subsequent_indent="        ", break_on_hyphens=False)
            lines += textwrap.wrap(comment, 72, initial_indent=" " * 8, subsequent_indent=" " * 11)
    return lines + ["};"]


def declarations(codes):
    return ".PP\n.nf\n" + "".join(f"\\fB{roff(l)}\\fR\n" if "{" not in c else f"{roff(l)}\n" for c in codes for l in laid_out(c)) + ".fi\n"


def described(header):
    """What a header declares; a comment is below the declarations that it is for."""
    out, text = "", []
    for kind, piece in pieces(header):
        if kind == "title":
            out += f".SS {roff(piece)}\n"
        elif kind == "text":
            text = piece
        else:
            out += declarations(piece) if piece else ""
            paragraphs = ".PP\n".join(f"{roff(p)}\n" for p in text)
            out += ("" if not text else f".RS 4\n{paragraphs}.RE\n" if piece else f".PP\n{paragraphs}")
            text = []
    return without_empty(out)


def without_empty(text):
    """A paragraph cannot begin where a section does."""
    return re.sub(r"(^|\n)(\.S[HS] .*\n)\.PP\n", r"\1\2", text).removeprefix(".PP\n")


def library(output, folder):
    rules = comment_text(re.search(r"/\* libbreakwater:.*?\*/", (SOURCE / "include/breakwater/breakwater.h").read_text(), re.S)[0])
    out = title("breakwater.h", 3, "The debugger as a library")
    out += ".SH NAME\nbreakwater.h \\- the debugger for AMD GPUs as a library\n"
    out += ".SH SYNOPSIS\n.nf\n.B #include <breakwater/breakwater.h>\n.fi\n.PP\n.nf\n"
    out += f".B {roff('cc FILE.c $(pkg-config --cflags --libs breakwater)')}\n.fi\n"
    for header in HEADERS:
        out += f".SS {roff(header)}\n.nf\n" + "".join(f"\\fB{roff(l)}\\fR\n" for code in prototypes(header) for l in laid_out(code)) + ".fi\n"
    out += ".SH DESCRIPTION\n" + ".PP\n".join(f"{roff(p)}\n" for p in rules if not p.startswith("Errors."))
    out += ".PP\nThe module breakwater of Python has the same as objects; doc/scripting.md, which is installed with the documentation, describes both.\n"
    for header in HEADERS:
        out += f".SH {roff(header.upper())}\n" + described(header)
    out += ".SH RETURN VALUE\n" + "".join(f"{roff(p.removeprefix('Errors. '))}\n" for p in rules if p.startswith("Errors."))
    out += ".PP\nThe compiler warns if the error of a function is not used.\n"
    out += ".SH EXAMPLES\n.nf\n" + roff((SOURCE / "examples/library.c").read_text().split("\n", 1)[1].expandtabs(4)) + ".fi\n"
    out += see_also(["breakwater(1)", "breakwater-run(1)", "breakwater-json(5)", "breakwater(7)", "breakwater-commands(7)", "pkg-config(1)"])
    generated.write(output, out)
    for name in (n for h in HEADERS for n in functions(h)):
        generated.write(pathlib.Path(folder, f"{name}.3"), ".so man3/breakwater.h.3\n")


# ---- Pages of doc ----

def inline(text):
    """`code` and **strong** text in bold, links as their text."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"`([^`]*)`|\*\*([^*]*)\*\*", text)
    out = ""
    for plain, code, strong in zip(parts[::3], parts[1::3] + [None], parts[2::3] + [None]):
        bold = code if code is not None else strong
        out += roff(plain) + (f"\\fB{roff(bold)}\\fR" if bold else "")
    return re.sub(r"^([.'])", r"\\&\1", out)


def table(lines):
    """Two columns: the first is the label of the second."""
    out = ""
    for line in lines[2:]:
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        assert len(cells) == 2, line
        out += f".TP\n{inline(cells[0]) or chr(92) + '&'}\n{inline(cells[1]) or chr(92) + '&'}\n"
    return out


def markdown(path, *heading):
    """Headings become sections, those of a part become subsections."""
    text = (SOURCE / path).read_text()
    name = " ".join(heading)
    level = 2
    if name:
        start = re.search(rf"^(#+) {re.escape(name)}\n", text, re.M)
        level = len(start[1])
        text = re.split(rf"^#{{1,{level}}} ", text[start.end():], maxsplit=1, flags=re.M)[0]
    else:
        text = text.split("\n", 1)[1]
    out = ""
    for part in re.split(r"^(```.*?^```)$", text, flags=re.M | re.S):
        if part.startswith("```"):
            out += ".PP\n.nf\n.RS\n" + roff(part.split("\n", 1)[1].removesuffix("```").expandtabs(8)) + ".RE\n.fi\n"
            continue
        for block in re.split(r"\n\n+", part.strip("\n")):
            lines = block.split("\n")
            if lines[0].startswith("#"):
                out += (".SS " if name else ".SH ") + inline(lines[0].lstrip("# ") if name else lines[0].lstrip("# ").upper()) + "\n"
            elif lines[0].startswith("|"):
                out += table(lines)
            elif lines[0].startswith("- "):
                out += "".join(f".IP \\(bu 2\n{inline(item)}\n" for item in re.split(r"^- ", block, flags=re.M)[1:])
            elif block:
                out += f".PP\n{inline(' '.join(lines))}\n"
    return without_empty(out)


# ---- The page of concepts ----

def targets():
    """Each capability, and which sessions have it."""
    texts = dict(re.findall(r'\{(BW_CAP_\w+), "([^"]+)"\}', (SOURCE / "src/target/target.c").read_text()))
    declared = re.findall(r"^\t(BW_CAP_\w+) = 1 <<", (SOURCE / "src/target/target.h").read_text(), re.M)
    assert set(texts) == set(declared) and len(texts) > 10, "target.c and target.h"
    # The part of the rows that says how memory accesses are made precise.
    assert ".single_memop" in (SOURCE / "src/arch/row.h").read_text().split("#define ROW_DEBUGGER")[1], "arch/row.h"
    arch = {p.name: "ROW_DEBUGGER" in p.read_text() for p in (SOURCE / "src/arch").glob("gfx*.c")}
    assert all(has == (re.match(r"gfx(942|1[1-9])", name) is not None) for name, has in arch.items() if re.fullmatch(r"gfx\d+\.c", name)), arch
    filters = [name for name in sorted(arch) if ".has_filters" in (SOURCE / "src/arch" / name).read_text()]
    assert filters == ["gfx11.c", "gfx12.c"], filters
    assert "bw_target_gpu_caps" in (SOURCE / "src/live/live.c").read_text()
    assert "BW_CAP_" not in (SOURCE / "src/scan/target.c").read_text(), "attach --waves can do more than the page says"
    dump = (SOURCE / "src/dump/dump.c").read_text()
    always = re.findall(r"\.caps = (BW_CAP_\w+)\}", dump)
    partly = re.findall(r"t\.caps \|= (BW_CAP_\w+);", dump)
    assert sorted(always + partly) == sorted(set(re.findall(r"BW_CAP_\w+", dump))), "dump.c"
    def listed(caps):
        return "".join(f".IP \\(bu 2\n{roff(texts[c])}\n" for c in caps)
    out = "A crash file can in addition\n" + listed(always) + ".PP\nand, if its files have the facts,\n" + listed(partly)
    out += ".PP\nA session on a running GPU can in addition\n" + listed([c for c in declared if c not in always + partly])
    return out + (".PP\nOf these, only gfx942 and GPUs from gfx11 on can switch precise memory, and only GPUs from gfx11 on test conditions in the "
                  "trap handler.\n")


def page(template, output):
    out = ""
    for line in pathlib.Path(template).read_text().splitlines(True):
        words = line.split()
        if not line.startswith("@"):
            out += line if not line.startswith('.\\"') else ""
        elif words[0] == "@TITLE":
            out += title(words[1], words[2], " ".join(words[3:]))
        elif words[0] == "@MARKDOWN":
            out += markdown(*words[1:])
        elif words[0] == "@TARGETS":
            out += targets()
        elif words[0] == "@SEE":
            out += see_also(words[1:])
        else:
            sys.exit(f"{template}: {words[0]} is not known")
    generated.write(output, out)


def main():
    if sys.argv[1] == "functions":
        print("\n".join(n for h in HEADERS for n in functions(h)))
    else:
        {"library": library, "page": page}[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
