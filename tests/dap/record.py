#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records what an editor sends to `breakwater dap` as a file for test_recorded.py:

    record.py [--stdio] OUT CLIENT [WORD=TEXT...]

listens on a port of 127.0.0.1 (said on standard output) for one editor, which it connects to a server of its own;
with --stdio the editor has started it in place of `breakwater dap`. The server is that of BREAKWATER_BUILD, or of build.
CLIENT is what the recording calls it; where TEXT is in what was sent the recording has ${WORD}; ${root} is this
repository. Not a test."""
import json
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading

import recording

# What is answered between one of these and the next stop may be another answer each time.
RESUMES = ("configurationDone", "continue", "next", "stepIn", "stepOut")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def messages(stream):
    while True:
        size = None
        while (line := stream.readline()) != b"\r\n":
            if not line:
                return
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                size = int(value)
        yield json.loads(stream.read(size))


class Recorder:
    def __init__(self, words):
        self.words = words
        self.lines = []
        self.bodies = {}   # what the server gave out, newest last: where -> body
        self.numbers = {}  # seq of the client: number of the request
        self.commands = {}
        self.is_running = False
        self.unsteady = set()  # requests that were sent while waves ran
        self.fresh = []    # answers since the last request
        self.count = {}    # of each event
        self.news = {}     # the same of those since the last request

    def origin(self, key, value):
        """Where the client has this from; None: from nowhere."""
        names = set(recording.SAME.get(key, ())) | {key}
        for where, body in reversed(self.bodies.items()):
            for path, found in recording.paths(body, names):
                if found == value:
                    return [where, *path]
        return None

    def shortened(self, value, key=None):
        if isinstance(value, dict):
            return {k: self.shortened(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [self.shortened(v, key) for v in value]
        if key in recording.GIVEN and value and (where := self.origin(key, value)):
            return {"from": where}
        if isinstance(value, str):
            for word, text in self.words:
                value = value.replace(text, "${" + word + "}")
        return value

    def from_client(self, m):
        number = len(self.numbers) + 1
        self.numbers[m["seq"]], self.commands[m["seq"]] = number, m["command"]
        if self.is_running:
            self.unsteady.add(number)
        if m["command"] in RESUMES:
            self.is_running = True
        line = {"request": number, "command": m["command"]}
        if self.fresh:
            line["answers"] = self.fresh
        if self.news:
            line["events"] = self.news
        if "arguments" in m:
            line["arguments"] = self.shortened(m["arguments"])
        self.fresh, self.news = [], {}
        self.lines.append(line)

    def from_server(self, m):
        if m["type"] == "event":
            if m["event"] in recording.AWAITED:
                n = self.count.get(m["event"], 0)
                self.bodies[f"{m['event']} {n}"] = m.get("body", {})
                self.count[m["event"]] = self.news[m["event"]] = n + 1
            if m["event"] == "stopped":
                self.is_running = False
            return
        seq = m["request_seq"]
        number, command = self.numbers[seq], self.commands[seq]
        self.fresh.append(number)
        line = {"answer": number, "success": m["success"]}
        if m["success"]:
            self.bodies[number] = m.get("body", {})
            said = recording.meaning(command, m.get("body", {}))
            if said is not None and number not in self.unsteady:
                line["means"] = said
        self.lines.append(line)


def editor(is_its_child):
    """The streams from and to the editor."""
    if is_its_child:
        return sys.stdin.buffer, sys.stdout.buffer
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    stream = listener.accept()[0].makefile("rwb")
    return stream, stream


def main():
    args = sys.argv[1:]
    is_its_child = args[:1] == ["--stdio"]
    out, client, *more = args[is_its_child:]
    words = [w.split("=", 1) for w in more] + [["root", str(ROOT)]]
    program = pathlib.Path(os.environ.get("BREAKWATER_BUILD", ROOT / "build")) / "breakwater"
    from_editor, to_editor = editor(is_its_child)
    server = subprocess.Popen([program, "dap"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    recorder, lines = Recorder(words), queue.Queue()

    def pump(source, sink, side):
        try:
            for m in messages(source):
                # in the order in which they are seen here
                lines.put((side, m))
                body = json.dumps(m).encode()
                sink.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                sink.flush()
        except (OSError, ValueError):
            pass  # the other side has left
        lines.put((side, None))

    for source, sink, side in ((from_editor, server.stdin, "client"), (server.stdout, to_editor, "server")):
        threading.Thread(target=pump, args=(source, sink, side), daemon=True).start()
    while True:
        side, m = lines.get()
        if m is None:
            break
        (recorder.from_client if side == "client" else recorder.from_server)(m)
    # At once: an editor does not wait for its child for long.
    with open(out, "w", encoding="utf-8") as f:
        for line in [{"client": client}] + recorder.lines:
            f.write(json.dumps(line, ensure_ascii=False) + "\n")
    server.stdin.close()
    server.wait(60)


if __name__ == "__main__":
    main()
