#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns data/pm4/packets.txt into the opcode enum, its table, the places of fields and the rows of calls.

Usage: gen-pm4.py packets.txt OPCODES.h OPCODES.inc FIELDS.h CALLS.inc
Outputs: OPCODES.h   enum bw_pm4_op
         OPCODES.inc one row for each packet, sorted by opcode
         FIELDS.h    BW_PM4_<PACKET>_<FIELD>: "bit, width", from bit 0 of the body (base/words.h)
         CALLS.inc   rows of src/pm4/calls.c, one for each form of a packet that has fields
Fails on a row it cannot read, on a name, an opcode or a form given twice, on an unknown sender or kind, on fields that
are not in the packet or overlap, and on a packet that says nothing of its body.
"""
import collections
import re
import sys

KINDS = {"number", "hex", "address", "stream", "stream_size", "initiator", "register", "sh", "context", "uconfig", "config"}
SPACES, SET_FORMS = {"sh", "context", "uconfig", "config"}, {"plain", "pairs", "packed"}
SENDERS = {"c": "BW_PM4_BY_COMPUTE", "g": "BW_PM4_BY_GFX", "k": "BW_PM4_BY_KERNEL"}
Packet = collections.namedtuple("Packet", "op name body senders number forms others")
Form = collections.namedtuple("Form", "name body fields number")
Field = collections.namedtuple("Field", "name lo n_bits kind")


class Reader:
    def __init__(self, path):
        self.path, self.number = path, 0
        self.packets, self.seen = [], {}

    def fail(self, text):
        sys.exit(f"{self.path}:{self.number}: {text}")

    def once(self, what, key):
        if (what, key) in self.seen:
            self.fail(f"{key} is already in line {self.seen[what, key]}")
        self.seen[what, key] = self.number

    def packet(self, words):
        if len(words) != 4:
            self.fail("expected: opcode name body senders")
        op, name, body, senders = words
        if not re.fullmatch(r"0x[0-9a-f]{2}", op) or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            self.fail(f"bad opcode or name: {op} {name}")
        if not body.isdigit() or not senders or set(senders) - set("cgkdw"):
            self.fail(f"bad body size or senders: {body} {senders}")
        self.once("name", name)
        self.once("opcode", int(op, 16))
        self.packets.append(Packet(int(op, 16), name, int(body), senders, self.number, [], []))

    def form(self, name, body):
        self.once("form", name)
        self.packets[-1].forms.append(Form(name, body, [], self.number))

    def line_of_packet(self, words):
        if not self.packets:
            self.fail("fields of no packet")
        packet = self.packets[-1]
        if words[0] == "form" and len(words) == 3 and words[2].isdigit():
            return self.form(words[1], int(words[2]))
        if words == ["words"] or (len(words) == 3 and words[0] == "registers" and words[1] in SPACES and words[2] in SET_FORMS):
            return packet.others.append(words)
        if not packet.forms:
            self.form(packet.name.lower(), packet.body)
        form = packet.forms[-1]
        if "data" in form.fields:
            self.fail("data is the last")
        if words == ["data"]:
            end = max([(f.lo + f.n_bits + 31) // 32 for f in form.fields], default=0)
            if end != form.body:
                self.fail(f"data begins in dword {form.body}, and fields end before dword {end}")
            return form.fields.append("data")
        if len(words) not in (2, 3) or not re.fullmatch(r"[a-z][a-z0-9_]*", words[0]):
            self.fail("expected: name place [kind], form name body, or data")
        kind = words[2] if len(words) == 3 else "number"
        place = re.fullmatch(r"(\d+)(?:-(\d+)|\[(\d+)(?::(\d+))?\])?", words[1])
        if not place or kind not in KINDS:
            self.fail(f"bad place or kind: {words[1]} {kind}")
        dw, last, high, low = (int(x) if x else None for x in place.groups())
        if high is not None:
            low = high if low is None else low
            lo, n_bits = dw * 32 + low, high - low + 1
        else:
            lo, n_bits = dw * 32, ((last or dw) - dw + 1) * 32
        if not 1 <= n_bits <= 64 or lo + n_bits > form.body * 32:
            self.fail(f"{words[0]} is not in the {form.body} dwords of the body")
        for f in form.fields:
            if f.name == words[0] or (f.lo < lo + n_bits and lo < f.lo + f.n_bits):
                self.fail(f"{words[0]} and {f.name} overlap, or have one name")
        form.fields.append(Field(words[0], lo, n_bits, kind))

    def read(self):
        with open(self.path) as f:
            for self.number, line in enumerate(f, 1):
                words = line.split("#")[0].split()
                if words and line[0].isspace():
                    self.line_of_packet(words)
                elif words:
                    self.packet(words)
        for p in self.packets:
            self.number = p.number
            if len(p.others) + bool(p.forms) != 1:
                self.fail(f"{p.name} has either fields, or registers, or words")
        return sorted(self.packets)


def opcode_row(p):
    flags = " | ".join(SENDERS[s] for s in p.senders if s in SENDERS)
    has = ["true" if s in p.senders else "false" for s in "dw"]
    sets = [f"BW_PM4_SETS_{form.upper()}, BW_PM4_{space.upper()}_BEGIN_DW" for _, space, form in filter(lambda o: len(o) == 3, p.others)]
    return f'{{0x{p.op:02x}, {p.body}, {flags}, {", ".join(has + (sets or ["BW_PM4_SETS_NONE, 0"]))}, "{p.name}"}}, /* line {p.number} */\n'


def places(packets):
    """The macros of FIELDS.h. A field that several forms of a packet have is at one place in all of them, or has none."""
    names = {p.name for p in packets}
    for p in packets:
        found = collections.defaultdict(set)
        for form in p.forms:
            for f in form.fields:
                if f != "data" and f"{p.name}_{f.name.upper()}" not in names:
                    found[f.name].add((f.lo, f.n_bits))
        for name, where in found.items():
            if len(where) == 1:
                yield f"#define BW_PM4_{p.name}_{name.upper()} {where.pop()}\n".replace("(", "").replace(")", "")


def call_row(p, form):
    """As the macros in calls.c have it: from the header's bit 0."""
    fields = "".join(f'\t{{"{f.name}", {f.lo + 32}, {f.n_bits}, BW_PM4_CALL_{f.kind.upper()}}},\n' for f in form.fields if f != "data")
    has_data = "true" if "data" in form.fields else "false"
    return f'{{"{form.name}", BW_PM4_{p.name}, false, {form.body + 1}, {has_data}, 0, 0, 0, {{ /* line {form.number} */\n{fields}}}}},\n'


def main():
    source, *outputs = sys.argv[1:6]
    packets = Reader(source).read()
    note = f"/* Made by gen-pm4.py from {source.split('/')[-1]}. */\n"
    enum = "".join(f"\tBW_PM4_{p.name} = 0x{p.op:02x},\n" for p in packets)
    texts = [f"#ifndef BW_PM4_OPCODES_H\n#define BW_PM4_OPCODES_H\n\nenum bw_pm4_op {{\n{enum}}};\n\n#endif\n",
             "".join(map(opcode_row, packets)),
             "#ifndef BW_PM4_PACKET_FIELDS_H\n#define BW_PM4_PACKET_FIELDS_H\n\n" + "".join(places(packets)) + "\n#endif\n",
             "".join(call_row(p, form) for p in packets for form in p.forms)]
    for path, text in zip(outputs, texts, strict=True):
        with open(path, "w") as f:
            f.write(note + text)


main()
