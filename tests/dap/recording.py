# SPDX-License-Identifier: MIT
"""Recordings of what real editors sent to the debug adapter (tests/dap/recordings, made by record.py).

A recording is one JSON object a line. The first says which client it was. A request has its number, what had come
before it was sent (answers by their number, events by their names), and its arguments; numbers that the server
gave out, as threads and frames, are {"from": [where, member...]}: where is the number of an answer, or the name and
count of an event. A line with "answer" is what the server said to that request, reduced to what it means
(`meaning`): no addresses, and no numbers that another run may choose otherwise."""
import json
import re

# Members whose values come from the server.
GIVEN = {"threadId", "frameId", "variablesReference", "memoryReference", "instructionReference", "sourceReference",
         "targetId", "dataId"}
# Where they are, beside a member of the same name: a member of elements of a list, or one anywhere.
SAME = {"threadId": ("threads.id", "focusThreadId"), "frameId": ("stackFrames.id",), "targetId": ("targets.id",),
        "memoryReference": ("instructionPointerReference",),
        "instructionReference": ("instructionPointerReference", "address")}
# Events that an editor waits for.
AWAITED = ("initialized", "stopped", "terminated", "exited")
# Variables of the demo kernel whose values no address is in.
KNOWN = re.compile(r"^(v[0-4]|\[\d+\]|s[2389]|exec)$")


def paths(value, names, here=()):
    """Where in a body a member of these names is: (path, value)."""
    if isinstance(value, dict):
        for key, member in value.items():
            full = f"{here[-2]}.{key}" if len(here) > 1 else key
            if (key in names or full in names) and not isinstance(member, (dict, list)):
                yield here + (key,), member
            yield from paths(member, names, here + (key,))
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from paths(member, names, here + (i,))


def find(value, path):
    for step in path:
        value = value[step]
    return value


def masked(text):
    """Without addresses, numbers of processes, a driver's hash of a shader, and the place in the GPU that a wave
    was given."""
    for pattern, instead in ((r"AMDGPU Wave [\d:]+", "AMDGPU Wave"), (r"0x[0-9a-f]{9,}", "0x..."),
                             (r"process \d+", "process ..."), (r"\bmain_[0-9a-f]{8}\b", "main_...")):
        text = re.sub(pattern, instead, text)
    return text


def place(thing):
    return (thing.get("source") or {}).get("name") or (thing.get("source") or {}).get("path", "").rsplit("/", 1)[-1]


def meaning(command, body):
    """What an answer says that each run has to say again."""
    if command in ("setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints"):
        return [[b["verified"], b.get("line", 0)] for b in body["breakpoints"]]
    if command == "threads":
        return sorted(masked(t["name"]) for t in body["threads"])
    if command == "stackTrace":
        return [[masked(f["name"]), f["line"], place(f)] for f in body["stackFrames"]]
    if command == "scopes":
        return [s["name"] for s in body["scopes"]]
    if command == "variables":
        return [[v["name"], v["value"]] if KNOWN.match(v["name"]) else v["name"] for v in body["variables"]]
    if command in ("evaluate", "setVariable", "setExpression"):
        return masked(body.get("result", body.get("value", "")))
    if command == "completions":
        return sorted(t["label"] for t in body["targets"])
    if command == "disassemble":
        return [masked(i["instruction"]) for i in body["instructions"]]
    if command == "breakwater/waves":
        return [masked(w["name"]) for w in body["waves"]]
    if command == "breakwater/lanes":
        return [[x["lane"], x["active"], x.get("value")] for x in body["lanes"]]
    return None


def read(path):
    """Which client it was, and what follows."""
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    return lines[0], lines[1:]


class Replay:
    """Sends what a client sent, when it sent it, to the server of a Client."""

    def __init__(self, client, words):
        self.client = client
        self.words = words  # "${root}": what stands there
        self.answers = {}   # by the recording's number: the request's seq
        self.events = {}    # of each awaited name: the bodies, in their order
        self.seen = 0

    def look(self):
        for event in self.client.events[self.seen:]:
            self.events.setdefault(event["event"], []).append(event.get("body", {}))
        self.seen = len(self.client.events)

    def wait(self, ready, what):
        self.look()
        while not ready():
            if not self.client.take():
                raise ValueError(f"the stream ended: {what}")
            self.look()

    def filled(self, value):
        if isinstance(value, dict) and "from" in value and len(value) == 1:
            where, *path = value["from"]
            if isinstance(where, int):
                return find(self.client.responses[self.answers[where]]["body"], path)
            name, count = where.split()
            return find(self.events[name][int(count)], path)
        if isinstance(value, dict):
            return {k: self.filled(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.filled(v) for v in value]
        if isinstance(value, str):
            for word, text in self.words.items():
                value = value.replace(word, text)
        return value

    def run(self, lines):
        """Yields each recorded answer with the one that came now: (request, recorded, message)."""
        requests = {line["request"]: line for line in lines if "request" in line}
        for line in lines:
            if "request" in line:
                for number in line.get("answers", []):
                    self.wait(lambda: self.answers[number] in self.client.responses, f"answer {number}")
                for name, count in line.get("events", {}).items():
                    self.wait(lambda: len(self.events.get(name, [])) >= count, f"event {name} {count}")
                self.answers[line["request"]] = self.client.send(line["command"], self.filled(line.get("arguments")))
        for line in lines:
            if "answer" in line:
                seq = self.answers[line["answer"]]
                self.wait(lambda: seq in self.client.responses, f"answer {line['answer']}")
                yield requests[line["answer"]], line, self.client.responses[seq]
