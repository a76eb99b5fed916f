#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns data/pm4/packets.txt, sdma.txt and mes.txt into all that C has of packets and frames.

Usage: gen-pm4.py packets.txt sdma.txt mes.txt OUTPUT...
Outputs, known by their names (sdma_: of sdma.txt):
  opcodes.h           enum bw_pm4_op, enum bw_sdma_code (sub-opcode << 8 | opcode), values of fields
  [sdma_]opcodes.inc  one row for each packet, sorted by opcode
  [sdma_]packets.h    struct bw_pm4_<form> and what reads it of a packet: bw_pm4_<form>()
  [sdma_]building.h   bw_pm4_build_<form>(): the packet of such a struct
  [sdma_]forms.inc    FORM(form, dwords) of each, for tests
  calls.inc           rows of src/pm4/calls.c, one for each form of a packet that has fields
  texts.inc           functions of src/pm4/describe.c: the text of a packet that has one
  flow.inc            bw_pm4_flow(), bw_sdma_flow(): what a packet calls, chains or skips
  mes_frames.h        BW_MES_<FRAME>, struct bw_mes_<frame> and what reads it: bw_mes_<frame>_at()
  mes_frames.inc      rows of src/pm4/mes.c, one for each frame
Fails on a row it cannot read, on a name, an opcode or a form given twice, on an unknown sender or kind, on fields that
are not in the packet or overlap, on texts with other names, and on a packet that says nothing of its body.
"""
import collections
import os
import re
import sys

import generated

HEX = {"hex", "address", "stream", "initiator"}
SPACES = ["sh", "context", "uconfig", "config"]
KINDS = {"number", "stream_size", "skip", "register"} | HEX | set(SPACES)
SENDERS = {"c": "BW_PM4_BY_COMPUTE", "g": "BW_PM4_BY_GFX", "k": "BW_PM4_BY_KERNEL"}
Field = collections.namedtuple("Field", "name lo n_bits kind align in_call", defaults=[1, True])


class Packet:
    def __init__(self, op, name, body, senders, place):
        self.op, self.name, self.body, self.senders = op, name, body, senders
        self.path, self.number = place
        self.sdma = senders is None
        self.forms, self.others, self.longer = [], [], (0, 0)
        self.code = f"BW_{'SDMA' if self.sdma else 'PM4'}_{name}"


class Form:
    """Of a packet, or (packet None) a part that forms of SDMA have at several places."""
    def __init__(self, name, body, packet, number):
        self.name, self.body, self.packet, self.number = name, body, packet, number
        self.fields, self.text, self.has_data, self.count = [], None, False, (0, 0, 0)
        self.c_name = f"bw_{'' if not packet or packet.sdma else 'pm4_'}{name.rstrip('_')}"

    def named(self, name):
        return next((f for f in self.fields if f.name == name), None)


FRAME_DW = 64
Frame = collections.namedtuple("Frame", "op operation name fence form")


class Reader:
    def __init__(self):
        self.path, self.number = "", 0
        self.packets, self.parts, self.values, self.frames, self.seen = [], {}, [], [], {}

    def fail(self, text):
        sys.exit(f"{self.path}:{self.number}: {text}")

    def once(self, what, key):
        if (what, key) in self.seen:
            self.fail(f"{key} is already in line {self.seen[what, key]}")
        self.seen[what, key] = self.number

    def packet(self, words):
        if words[0] == "part" and len(words) == 3 and words[2].isdigit():
            self.once("part", words[1])
            self.form = self.parts[words[1]] = Form("sdma_" + words[1], int(words[2]), None, self.number)
            self.packets.append(None)
            return
        if words[0] == "values" and len(words) > 3 and len(words) % 2 == 0:
            self.values.append((words[1], list(zip(words[2::2], words[3::2])), bool(self.frames)))
            return
        if words[-2:-1] == ["fence"]:
            self.frame(*words[:-3], *words[-3::2])
            return
        sdma = len(words) == 4 and words[1].startswith("0x")
        if len(words) != 4:
            self.fail("expected: opcode name body senders, or opcode sub-opcode name dwords")
        op, name, body, senders = [words[0], words[2], words[3], None] if sdma else words
        if not all(re.fullmatch(r"0x[0-9a-f]{2}", x) for x in words[:1 + sdma]) or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            self.fail(f"bad opcode or name: {op} {name}")
        if not body.isdigit() or (not sdma and set(senders) - set("cgkdw")):
            self.fail(f"bad body size or senders: {body} {senders}")
        code = int(op, 16) | (int(words[1], 16) << 8 if sdma else 0)
        self.once(f"name {sdma}", name)
        self.once(f"opcode {sdma}", code)
        self.packets.append(Packet(code, name, int(body), senders, (self.path, self.number)))
        self.form = None

    def frame(self, op, *more):
        *operation, name, fence = more
        if not all(re.fullmatch(r"0x[0-9a-f]{2}", x) for x in [op, *operation]) or len(operation) > 1 or not fence.isdigit():
            self.fail(f"expected: opcode [operation] name fence dword, not {op} {' '.join(more)}")
        if int(fence) + 4 > FRAME_DW:
            self.fail(f"the fence is not in the {FRAME_DW} dwords of the frame")
        if operation and not name.startswith(next((f.name for f in self.frames if f.op == int(op, 16)), name) + "_"):
            self.fail(f"{name} does not begin with the name of its frame, which comes first")
        self.once("frame", name)
        self.once("opcode of frames", (op, *operation))
        self.form = Form("mes_" + name.lower(), FRAME_DW, None, self.number)
        self.packets.append(None)
        self.frames.append(Frame(int(op, 16), int(operation[0], 16) if operation else None, name, int(fence), self.form))

    def begin_form(self, name, body):
        self.once("form", name)
        packet = self.packets[-1]
        self.form = Form(name, body, packet, self.number)
        packet.forms.append(self.form)

    def place(self, text):
        """The lowest bit and how many."""
        place = re.fullmatch(r"(\d+)(?:-(\d+)|\[(\d+)(?::(\d+))?\])?", text)
        if not place:
            self.fail(f"bad place or kind: {text}")
        dw, last, high, low = (int(x) if x else None for x in place.groups())
        if high is None:
            return dw * 32, ((last or dw) - dw + 1) * 32
        low = high if low is None else low
        return dw * 32 + low, high - low + 1

    def line_of_packet(self, line, words):
        if not self.packets:
            self.fail("fields of no packet")
        packet = self.packets[-1]
        if packet and words[0] == "form" and len(words) == 3 and words[2].isdigit():
            return self.begin_form(words[1], int(words[2]))
        if packet and (words == ["words"] or (len(words) == 3 and words[0] == "registers" and words[1] in SPACES and
                                              words[2] in ("plain", "pairs", "packed"))):
            return packet.others.append(words)
        if packet and packet.sdma and words[0] == "longer" and len(words) == 3:
            packet.longer = (self.place(words[1])[0], int(words[2]))
            return None
        if not self.form:
            self.begin_form(("sdma_" if packet.sdma else "") + packet.name.lower(), packet.body)
        if words[0] == "text":
            self.form.text = line.strip()[len("text "):]
            return self.form.number
        if self.form.has_data:
            self.fail("data is the last")
        return self.data(words[1:]) if words[0] == "data" else self.field(words)

    def data(self, words):
        form = self.form
        end = max([(f.lo + f.n_bits + 31) // 32 for f in form.fields] + [int(form.packet.sdma)])
        if words:
            form.count = (*self.place(words[0]), int(words[2]) if words[1:2] == ["less"] else 0)
            end = max(end, form.count[0] // 32 + 1)
        if end != form.body:
            self.fail(f"data begins in dword {form.body}, and fields end before dword {end}")
        form.has_data = True

    def field(self, words):
        form, again = self.form, words[0] == "or"
        words = words[again:]
        if len(words) not in (2, 3) or not re.fullmatch(r"[a-z][a-z0-9_]*", words[0]):
            self.fail("expected: name place [kind], or name place [kind], form name body, text, or data")
        kind, _, align = (words[2] if len(words) == 3 else "number").partition("/")
        lo, n_bits = self.place(words[1])
        part = self.parts.get(kind)
        is_frame = bool(self.frames) and self.frames[-1].form is form
        if part:
            n_bits = part.body * 32
        elif kind not in KINDS | ({"words"} if is_frame else set()) or not (align or "1").isdigit():
            self.fail(f"bad place or kind: {words[1]} {kind}")
        if lo + n_bits > form.body * 32 or not (part or kind == "words" or 1 <= n_bits <= 64) or (form.packet and form.packet.sdma and lo < 16):
            self.fail(f"{words[0]} is not in the {form.body} dwords of the body")
        for f in form.fields:
            if f.name == words[0] or (not again and f.in_call and f.lo < lo + n_bits and lo < f.lo + f.n_bits):
                self.fail(f"{words[0]} and {f.name} overlap, or have one name")
        form.fields.append(Field(words[0], lo, n_bits, kind, int(align or 1), not again))

    def read(self, path):
        self.path = path
        with open(path) as f:
            for self.number, line in enumerate(f, 1):
                line = line.split("#")[0]
                words = line.split()
                if words and line[0].isspace():
                    self.line_of_packet(line, words)
                elif words:
                    self.packet(words)
        self.packets = [p for p in self.packets if p]
        for p in self.packets:
            self.path, self.number = p.path, p.number
            if len(p.others) + bool(p.forms) != 1:
                self.fail(f"{p.name} has either fields, or registers, or words")


# ---- opcodes ----

def enum(tag, rows):
    return f"enum {tag}{{\n" + "".join(f"\t{name} = {value},\n" for name, value in rows) + "};\n"


def values(v):
    prefix, rows, _ = v
    return enum("", [(f"{prefix}_{name}", value) for name, value in rows])


def opcodes_h(r, packets):
    texts = [enum(tag, [(p.code, f"0x{p.op:04x}") for p in packets if p.sdma == sdma]) for tag, sdma in (("bw_pm4_op ", False), ("bw_sdma_code ", True))]
    return "\n".join(texts + [values(v) for v in r.values if not v[2]])


def opcodes_inc(r, packets):
    for p in packets:
        if p.sdma:
            count = next((f.count for f in p.forms if f.count[1]), (0, 0, 0))
            yield f'{{0x{p.op:04x}, {p.body}, {count[0]}, {count[1]}, {p.longer[0]}, {p.longer[1]}, "{p.name}"}}, /* line {p.number} */\n'
            continue
        flags = " | ".join(SENDERS[s] for s in p.senders if s in SENDERS)
        has = ["true" if s in p.senders else "false" for s in "dw"]
        sets = [f"BW_PM4_SETS_{form.upper()}, BW_PM4_{space.upper()}_BEGIN_DW" for _, space, form in filter(lambda o: len(o) == 3, p.others)]
        yield f'{{0x{p.op:02x}, {p.body}, {flags}, {", ".join(has + (sets or ["BW_PM4_SETS_NONE, 0"]))}, "{p.name}"}}, /* line {p.number} */\n'


# ---- structs, and what reads and makes them ----

def member(name):
    return name + "_" if name == "register" else name


def c_type(r, f):
    if f.kind in r.parts:
        return f"struct {r.parts[f.kind].c_name}"
    if f.kind in SPACES or f.kind == "words":
        return "uint32_t"
    return "bool" if f.n_bits == 1 else f"uint{next(n for n in (8, 16, 32, 64) if f.n_bits <= n)}_t"


def base_of(f):
    return f"BW_PM4_{f.kind.upper()}_BEGIN_DW" if f.kind in SPACES else None


def getter(r, f):
    if f.kind in r.parts:
        return f"{r.parts[f.kind].c_name}_at(w + {f.lo // 32})"
    at = f.lo // 32
    if f.kind == "words":
        return "{" + ", ".join(f"w[{i}]" for i in range(at, at + f.n_bits // 32)) + "}"
    value = f"bw_join32(w[{at + 1}], w[{at}])" if f.n_bits == 64 else f"bw_words_get(w, {f.lo}, {f.n_bits})"
    return f"{base_of(f)} + (uint32_t){value}" if base_of(f) else f"{value} & ~{f.align - 1}ull" if f.align > 1 else value


def putter(r, f):
    value = f"v->{member(f.name)}"
    if f.kind in r.parts:
        return f"\t{r.parts[f.kind].c_name}_put(w + {f.lo // 32}, &{value});\n"
    value = f"{value} ? {value} - {base_of(f)} : 0" if base_of(f) else f"{value} & ~{f.align - 1}ull" if f.align > 1 else value
    if f.n_bits == 64:
        return f"\tw[{f.lo // 32}] |= bw_lo32({value});\n\tw[{f.lo // 32 + 1}] |= bw_hi32({value});\n"
    return f"\tbw_words_put(w, {f.lo}, {f.n_bits}, {value});\n"


def struct(r, form):
    data = "\tconst uint32_t *data; /* borrowed */\n\tuint32_t n_data;\n" if form.has_data else ""
    return f"struct {form.c_name} {{\n" + "".join(f"\t{c_type(r, f)} {member(f.name)}{f'[{f.n_bits // 32}]' if f.kind == 'words' else ''};\n" for f in form.fields) + data + "};\n"


def initializers(r, form, tabs):
    return "".join(f"{tabs}.{member(f.name)} = {getter(r, f)},\n" for f in form.fields)


def part_h(r, part):
    return (struct(r, part) + f"static inline struct {part.c_name} {part.c_name}_at(const uint32_t *w)\n{{\n\treturn (struct {part.c_name}){{\n"
            f"{initializers(r, part, chr(9) * 2)}\t}};\n}}\n")


def reader_h(r, form):
    kind, words, size = ("sdma", "p->dw", "p->size_dw") if form.packet.sdma else ("pm4", "p->body", "p->n_body")
    data = f"\t\t.data = w + {form.body},\n\t\t.n_data = {size} - {form.body},\n" if form.has_data else ""
    has_words = "" if not data and not form.fields else f"\tconst uint32_t *w = {words};\n"
    return (struct(r, form) + f"static inline bool {form.c_name}(const struct bw_{kind}_packet *p, struct {form.c_name} *out)\n{{\n{has_words}"
            f"\tif (!bw_{kind}_is(p, {form.packet.code}, {max(form.body, form.packet.body)})) {{\n\t\t*out = (struct {form.c_name}){{0}};\n\t\treturn false;\n\t}}\n"
            f"\t*out = (struct {form.c_name}){{\n{initializers(r, form, chr(9) * 2)}{data}\t}};\n\treturn true;\n}}\n")


def packets_h(r, packets):
    if any(p.sdma for p in packets):
        yield from (part_h(r, part) for part in r.parts.values())
    yield from (reader_h(r, form) for p in packets for form in p.forms)


def building_h(r, packets):
    sdma = any(p.sdma for p in packets)
    for part in r.parts.values() if sdma else []:
        yield (f"static inline void {part.c_name}_put(uint32_t *w, const struct {part.c_name} *v)\n{{\n" +
               "".join(putter(r, f) for f in part.fields) + "}\n")
    for form in [form for p in packets for form in p.forms]:
        name = re.sub("^bw_(pm4|sdma)_", r"bw_\1_build_", form.c_name)
        head = f"{form.packet.code}" if sdma else "0"
        count = f"\tbw_words_put(w, {form.count[0]}, {form.count[1]}, v->n_data - {form.count[2]}u);\n" if form.count[1] else ""
        size = f"{form.body} + v->n_data" if form.has_data else form.body
        put = ("" if sdma else f"\tbw_pm4_put_header(s, {form.packet.code}, {size});\n") + f"\tbw_pm4_put_words(s, w, {form.body});\n"
        put += "\tbw_pm4_put_words(s, v->data, v->n_data);\n" if form.has_data else ""
        yield (f"static inline void {name}(struct bw_pm4_stream *s, const struct {form.c_name} *v)\n{{\n\tuint32_t w[{max(form.body, 1)}] = {{{head}}};\n" +
               "".join(putter(r, f) for f in form.fields) + count + put + "}\n")


def forms_inc(r, packets):
    for form in [form for p in packets for form in p.forms]:
        yield f"FORM({re.sub('^bw_(pm4|sdma)_', '', form.c_name)}, {form.body})\n"


# ---- calls, texts and flow ----

def call_fields(r, form, offset, prefix=""):
    """As calls.c has them: from the header's bit 0."""
    for f in form.fields:
        if f.in_call and f.kind in r.parts:
            yield from call_fields(r, r.parts[f.kind], offset + f.lo, f.name + "_")
        elif f.in_call:
            kind = "number" if f.kind == "skip" else f.kind
            yield f'\t{{"{prefix}{f.name}", {f.lo + offset}, {f.n_bits}, BW_PM4_CALL_{kind.upper()}}},\n'


def calls_inc(r, packets):
    for form in [form for p in packets for form in p.forms]:
        sdma = form.packet.sdma
        yield (f'{{"{form.name}", {form.packet.code}, {"true" if sdma else "false"}, {form.body + (not sdma)}, '
               f'{"true" if form.has_data else "false"}, {form.count[0]}, {form.count[1]}, {form.count[2]}, {{ /* line {form.number} */\n'
               f'{"".join(call_fields(r, form, 0 if sdma else 32))}}}}},\n')


def printed(r, form, text):
    """One {expression} of a text. Its names are fields; after a colon is how it is printed, else its kind says so."""
    def name(match):
        if not form.named(match[0]) and not (form.has_data and match[0] == "n_data"):
            r.fail(f"the text of {form.name} has {match[0]}, which is no field")
        return "v." + member(match[0])
    value, how = re.fullmatch(r"(.*?)(?::([xdrc]))?", text).groups()
    f = form.named(value)
    how = how or ("r" if f and f.kind in SPACES + ["register"] else "x" if f and f.kind in HEX else "d")
    value = re.sub(r"\b[a-z]\w*", name, value)
    return value, {"d": f'bw_str_addf(out, "%" PRIu64, (uint64_t)({value}));', "x": f'bw_str_addf(out, "0x%" PRIx64, (uint64_t)({value}));',
                   "r": f"add_register(names, (uint32_t)({value}), out);", "c": f"bw_str_add(out, compare_names[({value}) & 7]);"}[how]


def said(r, form, text, tabs):
    """C that prints a text: words, {expression}, and [condition?text] or [condition?text|otherwise]."""
    found = list(re.finditer(r"\[([^?\]]*)\?([^|\]]*)(?:\|([^\]]*))?\]|\{([^}]*)\}|([^\[{]+)", text))
    if "".join(m[0] for m in found) != text:
        r.fail(f"bad text of {form.name}")
    for m in found:
        condition, yes, no, expression, words = m.groups()
        if words:
            yield f'{tabs}bw_str_add(out, "{words}");\n'
        elif expression:
            yield f"{tabs}{printed(r, form, expression)[1]}\n"
        else:
            yield f"{tabs}if ({printed(r, form, condition)[0]}) {{\n" + "".join(said(r, form, yes, tabs + "\t"))
            yield (f"{tabs}}} else {{\n" + "".join(said(r, form, no, tabs + "\t")) if no else "") + f"{tabs}}}\n"


def switch(name, sdma, result, out, packets, body, default):
    """A function with a case for each packet that has something; the longest form is looked at first."""
    kind = "sdma" if sdma else "pm4"
    text = f"{result} {name}(const struct bw_{kind}_packet *p{out})\n{{\n"
    text += "\tif (!p->info)\n\t\treturn DEFAULT;\n\tswitch (p->info->code) {\n" if sdma else "\tswitch (p->kind == BW_PM4_TYPE3 ? p->op : 0u) {\n"
    for p in [p for p in packets if p.sdma == sdma]:
        cases = [(form, "".join(body(form))) for form in sorted(p.forms, key=lambda form: -form.body)]
        if any(code for _, code in cases):
            text += f"\tcase {p.code}:\n"
            text += "".join(f"\t\t{{\n\t\tstruct {form.c_name} v;\n\t\tif ({form.c_name}(p, &v)) {{\n{code}\t\t}}\n\t\t}}\n"
                            for form, code in cases if code)
            text += "\t\tbreak;\n"
    return (text + "\tdefault:\n\t\tbreak;\n\t}\n\treturn DEFAULT;\n}\n").replace("DEFAULT", default)


def texts_inc(r, packets):
    def body(form):
        r.path, r.number = form.packet.path, form.number
        if form.text is not None:
            yield from said(r, form, form.text, "\t\t\t")
            yield '\t\t\tbw_str_add(out, "\\n");\n' + ("\t\t\tadd_words(v.data, v.n_data, out);\n" if form.has_data else "") + "\t\t\treturn true;\n"
    for sdma in (False, True):
        yield switch(f"add_{'sdma' if sdma else 'pm4'}_text", sdma, "static bool", ", const struct bw_pm4_names *names, struct bw_str *out", packets, body, "false")


def flow_inc(r, packets):
    def body(form):
        for f in form.fields:
            if f.kind == "skip":
                yield f"\t\t\treturn (struct bw_pm4_flow){{.skip_dw = v.{f.name}}};\n"
            if f.kind == "stream":
                size = next(g.name for g in form.fields if g.kind == "stream_size")
                yield f"\t\t\treturn (struct bw_pm4_flow){{.calls = true, .va = v.{f.name}, .size_dw = v.{size}, .vmid = v.vmid"
                yield (", .chain = v.chain" if form.named("chain") else "") + "};\n"
    for sdma in (False, True):
        yield switch("bw_sdma_flow" if sdma else "bw_pm4_flow", sdma, "struct bw_pm4_flow", "", packets, body, "(struct bw_pm4_flow){0}")


# ---- frames of the MES ----

def mes_frames_h(r, _):
    return "\n".join([enum("bw_mes_opcode ", [("BW_MES_" + f.name, f.op) for f in r.frames if f.operation is None]),
                      enum("bw_mes_operation ", [("BW_MES_" + f.name, f.operation) for f in r.frames if f.operation is not None]),
                      *(values(v) for v in r.values if v[2]), *(part_h(r, f.form) for f in r.frames if f.form.fields)])


def in_text(name):
    """A field's name, in words."""
    return re.sub(r"\b(aql|mqd|tma)\b", lambda m: m[0].upper(), name.replace("_", " "))


def mes_frames_inc(r, _):
    for f in r.frames:
        rows = []
        for field in f.form.fields:
            if field.kind == "words":
                rows += [(f"{in_text(field.name)} {i}", field.lo + 32 * i, 32) for i in range(field.n_bits // 32)]
            else:
                rows.append((in_text(field.name), field.lo, field.n_bits))
        fields = "".join(f'\t{{"{name}", {lo}, {n}}},\n' for name, lo, n in rows)
        yield (f'{{"{f.name}", {f.op}, {-1 if f.operation is None else f.operation}, {f.fence}, {len(rows)}, '
               f"(const struct field[]){{ /* line {f.form.number} */\n{fields}\t{{NULL, 0, 0}}}}}},\n")


OUTPUTS = {"opcodes.h": opcodes_h, "opcodes.inc": opcodes_inc, "packets.h": packets_h, "building.h": building_h,
           "forms.inc": forms_inc, "calls.inc": calls_inc, "texts.inc": texts_inc, "flow.inc": flow_inc, "mes_frames.h": mes_frames_h, "mes_frames.inc": mes_frames_inc}
OF_BOTH = {"opcodes.h", "calls.inc", "texts.inc", "flow.inc"}


def main():
    r = Reader()
    sources = [a for a in sys.argv[1:] if a.endswith(".txt")]
    for source in sources:
        r.read(source)
    packets = sorted(r.packets, key=lambda p: (p.sdma, p.op))
    texts = {}
    for path in sys.argv[1 + len(sources):]:
        name = os.path.basename(path)
        kind = name.removeprefix("sdma_")
        of = packets if name in OF_BOTH else [p for p in packets if p.sdma == name.startswith("sdma_")]
        text = "".join(OUTPUTS[kind](r, of))
        guard = f"BW_PM4_{name.replace('.', '_').upper()}"
        texts[path] = f"#ifndef {guard}\n#define {guard}\n\n{text}\n#endif\n" if name.endswith(".h") else text
    for path, text in texts.items():
        is_mes = os.path.basename(path).startswith("mes_")
        of = [s for s in map(os.path.basename, sources) if (s == "mes.txt") == is_mes]
        generated.write(path, f"/* Made by gen-pm4.py from {' and '.join(of)}. */\n{text}")


main()
