# SPDX-License-Identifier: MIT
"""A client of the Debug Adapter Protocol, as an editor is one, written from the protocol's specification
(version 1.71). Every message that comes is held against shapes.py, and against the protocol's schema where
BREAKWATER_DAP_SCHEMA names it (schema.py)."""
import json
import pathlib
import queue
import socket
import subprocess
import sys
import threading

import schema
import shapes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, Failure, check, equal  # noqa: E402


class Refused(Exception):
    """A response that says success: false."""


class Client:
    """One server with one session. with Client() as c: ...; the end of the block closes the connection, and
    checks that the server leaves with status 0."""

    def __init__(self, port=False, initialize=True, status=0, **kwargs):
        command = [str(BREAKWATER), "dap"] + (["--port", "0"] if port else [])
        self.status = status
        self.server = subprocess.Popen(command, cwd=SOURCE, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE if port else None, **kwargs)
        self.sock = None
        self.out, self.into = self.server.stdin, self.server.stdout
        if port:
            said = self.server.stderr.readline().decode()
            number = int(said.rsplit(":", 1)[1])
            self.token = self.server.stderr.readline().decode().split()[-1]
            self.sock = socket.create_connection(("127.0.0.1", number))
            self.out = self.into = self.sock.makefile("rwb")
        self.seq = 0
        self.last_seq = 0
        self.commands = {}
        self.responses = {}
        self.events = []
        self.messages = queue.Queue()
        self.reader = threading.Thread(target=self.read_all, daemon=True)
        self.reader.start()
        if initialize:
            self.capabilities = self.request("initialize", adapterID="breakwater", clientID="test",
                                             supportsInvalidatedEvent=True, supportsMemoryEvent=True,
                                             supportsProgressReporting=True, supportsVariableType=True,
                                             supportsVariablePaging=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()
        if kind is None:
            equal(self.server.wait(TIMEOUT_S), self.status, "status of the server")
        else:
            self.server.kill()
            self.server.wait(TIMEOUT_S)

    def close(self):
        try:
            self.out.close()
            if self.sock:
                self.sock.close()
            self.server.stdin.close()
        except OSError:
            pass

    # Bytes

    def read_all(self):
        try:
            while True:
                size = None
                while True:
                    line = self.into.readline()
                    if not line:
                        return
                    if line == b"\r\n":
                        break
                    name, value = line.split(b":")
                    if name == b"Content-Length":
                        size = int(value)
                self.messages.put(json.loads(self.into.read(size)))
        except (OSError, ValueError) as error:
            self.messages.put({"broken": str(error)})
        finally:
            self.messages.put(None)

    def raw(self, data):
        self.out.write(data)
        self.out.flush()

    def send(self, command, arguments=None):
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        self.commands[self.seq] = command
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.seq

    # Messages

    def take(self):
        """The next message, kept where it belongs; False at the end of the stream."""
        message = self.messages.get(timeout=TIMEOUT_S)
        if message is None:
            self.messages.put(None)
            return False
        check("broken" not in message, f"the stream: {message}")
        shapes.check(message)
        schema.check(message)
        equal(message["seq"], self.last_seq + 1, "numbers of messages")
        self.last_seq = message["seq"]
        if message["type"] == "event":
            self.events.append(message)
        else:
            equal(message["command"], self.commands.get(message["request_seq"]), "command of a response")
            check(message["request_seq"] not in self.responses, f"answered twice: {message}")
            self.responses[message["request_seq"]] = message
        return True

    def response(self, seq):
        while seq not in self.responses:
            check(self.take(), f"the stream ended without an answer to {self.commands[seq]}")
        response = self.responses[seq]
        if not response["success"]:
            raise Refused(response["message"])
        return response.get("body", {})

    def request(self, command, **arguments):
        return self.response(self.send(command, arguments))

    def refused(self, command, **arguments):
        """The message of the error that is expected."""
        try:
            body = self.request(command, **arguments)
        except Refused as error:
            return str(error)
        raise Failure(f"{command} was not refused: {body}")

    def event(self, name, where=lambda body: True):
        """The first event of this name that has not been taken yet."""
        while True:
            for i, e in enumerate(self.events):
                if e["event"] == name and where(e.get("body", {})):
                    del self.events[i]
                    return e.get("body", {})
            ended = any(e["event"] == "terminated" for e in self.events)
            check(not (ended and name == "stopped"), "the program ended without a stop")
            check(self.take(), f"the stream ended without {name}")

    def stopped(self, reason=None):
        body = self.event("stopped")
        if reason:
            equal(body["reason"], reason, "why it stopped")
        return body["threadId"]

    def until_end(self):
        """All output of the program up to the end of the session's program."""
        self.event("terminated")
        text = "".join(e["body"]["output"] for e in self.events
                       if e["event"] == "output" and e["body"]["category"] == "stdout")
        self.events = [e for e in self.events if e["event"] != "output"]
        return text

    # What editors do

    def launch(self, program, kernel_options=None, **more):
        arguments = dict(program=str(program), **({"token": self.token} if self.sock else {}), **more)
        if kernel_options is not None:
            arguments["kernelOptions"] = [str(o) for o in kernel_options]
        seq = self.send("launch", arguments)
        self.response(seq)
        self.event("initialized")

    def break_at(self, path, *lines, **more):
        body = self.request("setBreakpoints", source={"path": str(path)},
                            breakpoints=[dict(line=n, **more) for n in lines])
        return body["breakpoints"]

    def go(self):
        self.request("configurationDone")

    def top(self, thread):
        return self.request("stackTrace", threadId=thread, startFrame=0, levels=20)["stackFrames"][0]

    def scopes(self, frame):
        return {s["name"]: s for s in self.request("scopes", frameId=frame)["scopes"]}

    def variables(self, reference, **page):
        return self.request("variables", variablesReference=reference, **page)["variables"]

    def value(self, expression, frame=None, context="watch"):
        more = {} if frame is None else {"frameId": frame}
        return self.request("evaluate", expression=expression, context=context, **more)["result"]

    def disconnect(self, **arguments):
        self.request("disconnect", **arguments)
        while self.take():
            pass


def main(cases):
    """Runs the cases; names after the program choose some."""
    wanted, failed = sys.argv[1:], 0
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        try:
            case()
        except (Failure, Refused, shapes.Wrong, queue.Empty) as error:
            failed += 1
            print(f"not ok {case.__name__}: {error!r}")
        else:
            print(f"ok {case.__name__}")
    sys.exit(1 if failed else 0)
