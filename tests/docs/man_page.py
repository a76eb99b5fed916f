# SPDX-License-Identifier: MIT
"""The manual pages keep their blanks: .BR and the like put their arguments together without any, so that prose in such a
line loses them. They have a page for each command, and on it every option that the program has; every command of the
prompt is in breakwater-commands(7), every function of the library has a page. A page that another one names exists. The
variables of the environment that the code reads are in breakwater(1).

    man_page.py FOLDER ROWS...    FOLDER has the pages; ROWS: tools/gen-words.py
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Pages of other programs.
OTHERS = {"fnmatch(3)", "gdb(1)", "pkg-config(1)", "sha1sum(1)"}
# Set by Breakwater for its own processes and those of the program, and by the build.
INTERNAL = {
    "BREAKWATER_AGENT", "BREAKWATER_ATTACH", "BREAKWATER_OWNED", "BREAKWATER_ROWS",
    "BREAKWATER_SHADER_LINES", "BREAKWATER_SHADER_NOTES"}
ALTERNATING = re.compile(r"\.(?:BR|RB|BI|IB|IR|RI)[ \t]+(.*)")
ARGUMENT = re.compile(r'"((?:[^"]|"")*)"|([^ \t]+)')  # roff has no other quotes
ENDS_A_WORD, BEGINS_A_WORD = re.compile(r"[a-z,;.:)]$"), re.compile(r"[a-z]")


def run_together(line):
    """Neighbours of a macro's line that would be one word: ["page", "shows"] of ".BR page shows"."""
    match = ALTERNATING.match(line)
    words = [quoted or plain for quoted, plain in ARGUMENT.findall(match[1])] if match else []
    return [f"{a}{b}" for a, b in zip(words, words[1:]) if ENDS_A_WORD.search(a) and BEGINS_A_WORD.match(b)]


def plain(text):
    return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace("\\(aq", "'")


def missing(folder, rows):
    """Pages, options and commands that the rows have and the pages do not."""
    for path in rows:
        page = ""
        for row in pathlib.Path(path).read_text().splitlines():
            kind, *fields = row.split("\t")
            if kind == "line":
                name = fields[0].split()[1]
                file = folder / f"breakwater-{name}.1"
                page = plain(file.read_text()) if file.exists() else ""
                if not page and name != "help":
                    yield f"there is no page {file.name}"
            elif kind == "option" and page and f"\n{fields[0]}" not in page:
                yield f"{file.name}: does not have {fields[0]}"
            elif kind in ("command", "topic", "setting"):
                page = plain((folder / "breakwater-commands.7").read_text())
                head = {"command": f"\n{fields[0]}", "topic": f"\n.SH {fields[0].upper()}", "setting": f"\nset {fields[0]}"}[kind]
                if head not in page:
                    yield f"breakwater-commands.7: does not have the {kind} {fields[0]}"


def references(page):
    """Pages that it names: "gdb(1)"."""
    text = re.sub(r"^\.BR (\S+) \((\d)\)", r"\1(\2)", plain(page.read_text()), flags=re.M)
    return set(re.findall(r"(?<![\w.$-])((?:[a-z][\w.-]*)\([1-8]\))", text.split(".SH EXAMPLES")[0] + text.split(".SH SEE ALSO")[-1]))


def unresolved(pages):
    names = {re.sub(r"\.(\d)$", r"(\1)", p.name) for p in pages}
    for page in pages:
        for name in references(page) - names - OTHERS:
            yield f"{page.name}: there is no page {name}"
        if ".SH SEE ALSO" not in page.read_text():
            yield f"{page.name}: has no SEE ALSO"


def variables(folder):
    """Variables of Breakwater in the code that neither breakwater(1) nor INTERNAL has, and the other way round."""
    code = "".join(p.read_text() for p in sorted((SOURCE / "src").rglob("*.[ch]")) if "bisect/command.c" not in str(p))
    code += "".join(p.read_text() for p in sorted((SOURCE / "python").rglob("*.py")))
    read = set(re.findall(r'"(BREAKWATER_[A-Z_]+)"', code))
    listed = set(re.findall(r"^\.B (BREAKWATER_\w+)$", plain((folder / "breakwater.1").read_text()), re.M))
    for name in sorted(read - listed - INTERNAL):
        yield f"breakwater.1: does not have the variable {name}"
    for name in sorted((listed | INTERNAL) - read):
        yield f"nothing reads the variable {name}"


def library(folder):
    """Functions that the library exports, and the page does not have."""
    exported = re.findall(r"^\s+(breakwater_\w+);", (SOURCE / "src/api/breakwater.map").read_text(), re.M)
    page = plain((folder / "breakwater.h.3").read_text())
    for name in exported:
        if page.count(f"{name}(") < 2:
            yield f"breakwater.h.3: does not have {name} in SYNOPSIS and below"
        if not (folder / f"{name}.3").exists():
            yield f"there is no page {name}(3)"
    if len(exported) < 50:
        yield "breakwater.map: few functions"


def main():
    folder, rows = pathlib.Path(sys.argv[1]), sys.argv[2:]
    pages = sorted(p for p in folder.glob("*.[1-8]") if not p.read_text().startswith(".so "))
    assert run_together('.BR sha1sum (1); a TEXT is a label') == ["(1);a", "isa", "alabel"], "the check itself"
    assert not run_together('.BR sha1sum (1);') and not run_together('.BI "dump image " "FILE.png IMAGE"')
    bad = [f"{page.name}:{n}: loses the blank in {words[0]!r}" for page in pages
           for n, line in enumerate(page.read_text().splitlines(), 1) if (words := run_together(line))]
    bad += [*missing(folder, rows), *unresolved(pages), *variables(folder), *library(folder)]
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad or len(pages) < 25 else 0


if __name__ == "__main__":
    sys.exit(main())
