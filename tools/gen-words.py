#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What manual pages and completions say of options and commands, from the rows of the programs ("breakwater help
--rows", "breakwater-vgpu --rows"; src/base/options.h).

    gen-words.py shell TEMPLATE OUTPUT ROWS...      TEMPLATE with its @WORDS@ filled in: case arms for its shell
    gen-words.py page NAME FOLDER OUTPUT ROWS...    breakwater-NAME(1); FOLDER/breakwater-NAME.in is its prose
    gen-words.py commands PROSE ROWS... OUTPUT      breakwater-commands(7), the commands of the prompt
    gen-words.py overview PROSE ROWS... OUTPUT      breakwater(1)

Prose is in roff, in parts: "@DESCRIPTION" (in the place of what --help says), "@MORE" (after it), "@OPTION --name" (more about an option),
"@SECTIONS" (after the options), "@SS Title" (of commands: after those of that topic).
"""
import collections
import pathlib
import re
import sys

import generated
from roff import roff, see_also, title

Option = collections.namedtuple("Option", "names value title help also")
Line = collections.namedtuple("Line", "name usage after options")


class Rows:
    """Of all programs."""

    def __init__(self, paths):
        self.subcommands, self.lines = {}, {}
        self.topics, self.commands, self.settings = [], [], []
        for path in paths:
            for row in pathlib.Path(path).read_text().splitlines():
                kind, *fields = row.split("\t")
                fields = [re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], f) for f in fields]
                if kind == "subcommand":
                    self.subcommands[fields[0]] = fields[1]
                elif kind == "line":
                    line = Line(*fields, [])
                    self.lines[fields[0].removeprefix("breakwater ")] = line
                elif kind == "option":
                    line.options.append(Option(*fields))
                else:
                    {"topic": self.topics, "command": self.commands, "setting": self.settings}[kind].append(fields)

    def forms(self, subcommand):
        """Its lines: "vgpu", "vgpu serve", ..."""
        return {name: line for name, line in self.lines.items() if name.split()[0] == subcommand}


def names_of(option):
    return re.findall(r"[^ ,]+", f"{option.names} {option.also}")


def usages(line):
    """The lines of its usage, without "Usage: "."""
    return re.findall(r"^(?:Usage:| {6}) (\S.*)", line.usage.split("\n\n")[0], re.M)


def prose_of(text):
    """What --help says above its options, without the usage."""
    return text.split("\n\n", 1)[1] if "\n\n" in text else ""


# ---- Completions ----

def shell_words(rows):
    """Three questions: the words after a subcommand, the options of a form, the values of an option of it."""
    subs, options, values = {}, {}, {}
    for name in rows.subcommands:
        forms = rows.forms(name)
        all_usages = [u for line in forms.values() for u in usages(line)]
        subs[name] = list(dict.fromkeys(w for u in all_usages for w in re.findall(rf"^breakwater {name} ([a-z][a-z0-9-]*)", u)))
        for form, line in forms.items():
            found = {n: o.help for o in line.options for n in names_of(o)}
            if form == name:  # those that choose another form
                found |= {n: "" for u in all_usages for n in re.findall(r"[\[ ](--[a-z][a-z0-9-]*)", u) if n not in found
                          and u.startswith(f"breakwater {name} --")}
            options[form] = found
            for option in line.options:
                for n in names_of(option):
                    if option.value and not option.value.startswith("[="):
                        is_list = re.fullmatch(r"[a-z0-9]+(\|[a-z0-9]+)+", option.value)
                        values[f"{form} {n}"] = option.value.split("|") if is_list else [f"@{option.value}"]
    return subs, options, values


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def arms_sh(table):
    return "".join(f"\t{quoted(key)}) echo {quoted(' '.join(words))} ;;\n" for key, words in table.items() if words)


def arms_fish(table):
    def word(w, about):
        return quoted(w + (f"\t{about}" if about else "")).replace("'\\''", "\\'")
    return "".join(f"        case {quoted(key)}\n            printf '%s\\n' " +
                   " ".join(word(w, words[w] if isinstance(words, dict) else "") for w in words) + "\n"
                   for key, words in table.items() if words)


def shell(template, output, *paths):
    rows = Rows(paths)
    subs, options, values = shell_words(rows)
    is_fish = template.endswith(".fish.in")
    arms = arms_fish if is_fish else arms_sh
    text = pathlib.Path(template).read_text()
    commands = rows.subcommands
    if is_fish:
        commands = "    printf '%s\\n' " + " ".join(quoted(f"{n}\t{a}").replace("'\\''", "\\'") for n, a in commands.items()) + "\n"
    elif template.endswith(".zsh.in"):
        commands = "".join(f"\t{quoted(n + ':' + a.replace(':', chr(92) + ':'))}\n" for n, a in commands.items())
    else:
        commands = "\techo " + quoted(" ".join(commands)) + "\n"
    for mark, value in (("COMMANDS", commands), ("SUBCOMMANDS", arms(subs)), ("OPTIONS", arms(options)), ("VALUES", arms(values))):
        assert f"@{mark}@\n" in text, mark
        text = text.replace(f"@{mark}@\n", value)
    generated.write(output, text)


# ---- Manual pages ----

def words(text):
    """Options bold, words in capitals in italics."""
    def mark(m):
        return f"\\fB{roff(m[0])}\\fR" if m[0].startswith("-") else f"\\fI{m[0]}\\fR"
    parts = re.split(r"((?<![\w-])--?[A-Za-z][\w-]*|\b[A-Z][A-Z0-9_-]*[A-Z0-9]\b|\b[NI]\b)", text)
    return "".join(mark([p]) if i % 2 else roff(p) for i, p in enumerate(parts))


def paragraphs(text):
    """Text as --help has it: indented or aligned lines stay as they are."""
    out = []
    for block in filter(None, re.split(r"\n\n+", text.strip("\n"))):
        lines = block.split("\n")
        if any(l.startswith(" ") or re.match(r"\S+(?: \S+)?   +\S", l) for l in lines):
            out.append(".PP\n.nf\n.RS\n" + "\n".join(roff(l.removeprefix("    ")) for l in lines) + "\n.RE\n.fi\n")
        else:
            out.append(".PP\n" + "\n".join(roff(l) for l in lines) + "\n")
    return "".join(out)


def sentence(text):
    """A text of --help with a capital and a full stop, as far as it begins with a word."""
    text = text[:1].upper() + text[1:] if re.match(r"[a-z]+[ ,:;]", text) else text
    return text + ("" if not text or text[-1] in ".?" else ".")


class Prose:
    def __init__(self, path):
        self.parts, self.used = {}, set()
        part = None
        for row in path.read_text().splitlines(True) if path.exists() else []:
            if row.startswith("@"):
                part = row[1:].strip()
                assert part not in self.parts, part
                self.parts[part] = ""
            elif part is not None:
                self.parts[part] += row

    def take(self, part):
        self.used.add(part)
        return self.parts.get(part, "")

    def check(self, name):
        left = self.parts.keys() - self.used
        assert not left, f"{name}: there is nothing that {', '.join(sorted(left))} could belong to"


def option_list(line, prose):
    out = ""
    for o in line.options:
        if o.title:
            out += f".SS {roff(o.title.rstrip(':'))}\n" if o.title != "Options:" else ""
        value = o.value and (words(o.value) if o.value.startswith("[=") else " " + re.sub(r"[A-Z][A-Z_]*", lambda m: f"\\fI{m[0]}\\fR", roff(o.value)))
        head = ", ".join(f"\\fB{roff(n)}\\fR" for n in re.split(", ", o.names))
        more = "".join(prose.take(f"OPTION {n}") for n in names_of(o))
        help_text = sentence(o.help)
        out += f".TP\n{head}{value}\n"
        out += roff(help_text) + "\n" if help_text else "" if more else "Print the options, and exit.\n" if "--help" in o.names else "\\&\n"
        out += more
    return out


def synopsis(forms):
    out = {}
    for line in forms.values():
        for usage in usages(line):
            command, rest = re.match(r"(breakwater\S*(?: [a-z]\S*)?) ?(.*)", usage).groups()
            # another form may have the line once more, with --json
            out.setdefault(usage.removesuffix(" [--json]"), f".B {roff(command)}\n" + (f"{words(rest)}\n" if rest else ""))
    return ".br\n".join(out.values())


def about_of(text):
    """The row of a subcommand without its example."""
    return re.sub(r": breakwater .*", "", text)


def related(name, forms):
    """The pages that the page of a subcommand refers to: those on what its options take and print."""
    text = " ".join(line.usage for line in forms.values())
    names = {n for line in forms.values() for o in line.options for n in names_of(o)}
    return ["breakwater(1)", "breakwater(7)"] + (["breakwater-json(5)"] if "--json" in names else []) + (
        ["breakwater-commands(7)", "breakwater-script(5)"] if "-x" in names else []) + (
        ["breakwater-capture-file(5)"] if "bwc" in text or name == "capture" else [])


def page(name, folder, output, *paths):
    rows = Rows(paths)
    forms = rows.forms(name)
    prose = Prose(pathlib.Path(folder, f"breakwater-{name}.in"))
    about = about_of(rows.subcommands[name])
    out = title(f"breakwater-{name}", 1, "User commands")
    out += f".SH NAME\nbreakwater\\-{name} \\- {roff(about)}\n.SH SYNOPSIS\n{synopsis(forms)}.SH DESCRIPTION\n"
    first = next(iter(forms.values()))
    more = prose.take("MORE")
    out += prose.take("DESCRIPTION") or paragraphs(prose_of(first.usage)).removeprefix(".PP\n") + (".PP\n" + more if more else "")
    for form, line in forms.items():
        if line.options:
            out += ".SH OPTIONS" + ("" if form == name else f" OF {roff(form.upper())}") + "\n"
            if form != name:
                out += paragraphs(prose_of(line.usage)).removeprefix(".PP\n")
            out += option_list(line, prose)
        if line.after:
            out += ".SS Notes\n" + paragraphs(line.after).removeprefix(".PP\n")
    out += prose.take("SECTIONS") + see_also(related(name, forms))
    prose.check(name)
    generated.write(output, out)


def overview(prose_path, *paths):
    *paths, output = paths
    rows = Rows(paths)
    prose = Prose(pathlib.Path(prose_path))
    listed = "".join(f".TP\n.BR breakwater\\-{n} (1)\n{roff(sentence(about_of(a)))}\n" for n, a in rows.subcommands.items() if n != "help")
    out = title("breakwater", 1, "User commands") + prose.take("DESCRIPTION") + ".SH COMMANDS\n" + listed + prose.take("SECTIONS")
    out += see_also([f"breakwater-{n}(1)" for n in rows.subcommands if n != "help"] + [
        "breakwater.h(3)", "breakwater-capture-file(5)", "breakwater-json(5)", "breakwater-script(5)", "breakwater(7)",
        "breakwater-commands(7)", "gdb(1)"])
    prose.check("overview")
    generated.write(output, out)


def commands(prose_path, *paths):
    *paths, output = paths
    rows = Rows(paths)
    prose = Prose(pathlib.Path(prose_path))
    out = title("breakwater-commands", 7, "Commands of the debugger") + prose.take("DESCRIPTION")
    for topic, about in rows.topics:
        out += f".SH {topic.upper()}\n{roff(about)}\n"
        for name, short, args, help_text, more, its_topic, examples in rows.commands:
            if its_topic != topic:
                continue
            head = f"\\fB{roff(name)}\\fR" + (f", \\fB{roff(short)}\\fR" if short else "")
            out += f".TP\n{head} {words(args)}\n{roff(help_text)}\n"
            out += "".join(f".br\n{roff(l)}\n" for l in more.split("\n")) if more else ""
            out += ".RS\n.nf\n" + "".join(f"\\fB{roff(e)}\\fR\n" for e in examples.split("\n")) + ".fi\n.RE\n" if examples else ""
        out += prose.take(f"SS {topic}")
    out += ".SH SETTINGS\n"
    for name, values, example, about in rows.settings:
        out += f".TP\n\\fBset {roff(name)}\\fR {words(values)}\n{roff(about)}\n"
    out += prose.take("SECTIONS") + see_also(["breakwater(1)", "breakwater-run(1)", "breakwater-script(5)", "breakwater(7)"])
    prose.check("commands")
    generated.write(output, out)


if __name__ == "__main__":
    {"shell": shell, "page": page, "overview": overview, "commands": commands}[sys.argv[1]](*sys.argv[2:])
