#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whom `breakwater dap --port` serves: who has the token, and nobody else, whatever the kernel's tables say of the
connection. The parts with a second user need root, and say so where there is none."""
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile

from client import BREAKWATER, SOURCE, TIMEOUT_S, check, equal, main

NOBODY = 65534


class Server:
    """breakwater dap --port 0."""

    def __init__(self, *words, cwd=None):
        self.process = subprocess.Popen([BREAKWATER, "dap", "--port", "0", *words], cwd=cwd or SOURCE, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.port = int(self.process.stderr.readline().rsplit(":", 1)[1])
        said = re.fullmatch(r'The "token" that "launch" and "attach" need is in (.*): (\S+)\n', self.process.stderr.readline())
        self.file, self.token = pathlib.Path(said[1]), said[2]

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.process.kill()
        self.process.wait(TIMEOUT_S)
        self.process.stderr.close()

    def connect(self):
        return Connection(self.port)


def framed(message):
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def request(seq, command, **arguments):
    return framed({"seq": seq, "type": "request", "command": command, "arguments": arguments})


class Connection:
    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        self.file = self.sock.makefile("rb")
        self.seq = 0

    def take(self):
        """The next message; None: the connection was closed."""
        try:
            head = self.file.readline()
            if not head:
                return None
            check(head.startswith(b"Content-Length: "), f"a header: {head}")
            equal(self.file.readline(), b"\r\n", "the end of the header")
            return json.loads(self.file.read(int(head.split()[1])))
        except ConnectionResetError:
            return None

    def ask(self, command, **arguments):
        self.seq += 1
        self.sock.sendall(request(self.seq, command, **arguments))
        while (m := self.take()) is not None:
            if m["type"] == "response":
                equal((m["request_seq"], m["command"]), (self.seq, command), "which request is answered")
                return m
        return None

    def closed(self):
        return self.take() is None


def runs(mark):
    """The arguments of a launch that leaves a file."""
    return {"program": "/bin/true", "kernelOptions": ["-ex", f"shell touch {mark}"]}


def launches(connection, mark, **more):
    check(connection.ask("initialize", adapterID="breakwater")["success"], "initialize")
    return connection.ask("launch", **runs(mark), **more)


def without_token():
    """No request but initialize does anything, and the next editor is served."""
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        mark = pathlib.Path(folder, "mark")
        for given in ({}, {"token": "0" * 32}, {"token": server.token[:-1]}, {"token": ""}, {"token": None}, {"token": [server.token]}):
            c = server.connect()
            answer = launches(c, mark, **given)
            check(not answer["success"] and '"token"' in answer["message"], f"a launch with {given}: {answer}")
            check(answer["body"]["error"]["showUser"], "the user is told")
            check(c.closed(), "the connection ends")
        c = server.connect()
        check(not c.ask("launch", token=server.token, **runs(mark))["success"], "launch in front of initialize")
        check(not c.ask("evaluate", expression=f"shell touch {mark}", context="repl")["success"], "evaluate")
        check(c.ask("initialize", adapterID="breakwater")["success"], "initialize")
        for command in ("evaluate", "setBreakpoints", "configurationDone", "threads", "initialize", "nosuch"):
            check(not c.ask(command, expression=f"shell touch {mark}")["success"], command)
        check(c.ask("disconnect")["success"] and c.closed(), "disconnect")
        check(not mark.exists(), "something ran")
        c = server.connect()
        check(launches(c, mark, token=server.token)["success"], "the launch with the token")
        check(mark.exists(), "it ran")
        check(c.ask("disconnect")["success"], "disconnect")
        equal(server.process.wait(TIMEOUT_S), 0, "status")


def others_do_not_keep_it_waiting():
    """Connections that say nothing, and what is no message of the protocol."""
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        mark = pathlib.Path(folder, "mark")
        silent = [server.connect() for _ in range(100)]
        half = server.connect()
        half.sock.sendall(b"Content-Length: 5000\r\n\r\n{")
        for bad in (b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", framed([1]), framed({"type": "event"}), b"Content-Length: 3\r\n\r\n{{{"):
            c = server.connect()
            c.sock.sendall(bad)
            check(c.closed(), f"closed after {bad}")
        flood = server.connect()
        try:
            for _ in range(40):
                flood.sock.sendall(request(1, "threads", pad="x" * 60000))
        except OSError:
            pass
        c = server.connect()
        check(launches(c, mark, token=server.token)["success"], "the launch with the token")
        check(silent[0].closed() and silent[-1].closed(), "the others are closed")
        c.ask("disconnect")


def a_web_page():
    """What a browser sends for a page has a Content-Length and a body, which may be a request with all that it needs
    but for one thing; and even with that it is not a message."""
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        mark = pathlib.Path(folder, "mark")
        body = json.dumps({"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}}).encode()
        c = server.connect()
        c.sock.sendall(b"POST /a:b HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Mozilla/5.0\r\nOrigin: http://page.example\r\n"
                       b"Content-Type: text/plain;charset=UTF-8\r\nContent-Length: %d\r\nConnection: keep-alive\r\n\r\n%s"
                       % (len(body), body) + request(2, "launch", token=server.token, **runs(mark)))
        check(c.closed(), "HTTP is not answered")
        check(not mark.exists(), "it ran")


def everything_at_once():
    """An editor may send further requests before the answers have come; they are served in their order."""
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        mark = pathlib.Path(folder, "mark")
        c = server.connect()
        c.sock.sendall(request(1, "initialize", adapterID="x") + request(2, "launch", token=server.token, **runs(mark)) +
                       request(3, "threads") + request(4, "disconnect"))
        seen, last = [], 0
        while (m := c.take()) is not None:
            equal(m["seq"], last + 1, "numbers of messages")
            last = m["seq"]
            if m["type"] == "response":
                seen.append((m["request_seq"], m["success"]))
        equal(seen, [(1, True), (2, True), (3, True), (4, True)], "answers")
        check(mark.exists(), "it ran")


def its_file():
    with Server() as server:
        equal(server.file.read_text(), server.token + "\n", "the file")
        equal(stat.S_IMODE(server.file.stat().st_mode), 0o600, "its mode")
        equal(stat.S_IMODE(server.file.parent.stat().st_mode), 0o700, "that of its folder")
        check(len(server.token) >= 32, "its length")
        with Server() as other:
            check(other.token != server.token, "each server has its own")
        command = pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        check(server.token.encode() not in command, "the list of processes has it")
        c = server.connect()
        check(c.ask("initialize")["success"] and c.ask("launch", program="nosuch", token=server.token), "a launch")
        check(not server.file.exists() and not server.file.parent.exists(), "the file of a token that was used")


def file_of_the_user():
    """--token-file: made where it is missing, taken where it is the user's alone, else refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "token")
        for _ in range(2):
            with Server("--token-file", str(path)) as server:
                equal(path.read_text(), server.token + "\n", "the file")
                equal(stat.S_IMODE(path.stat().st_mode), 0o600, "its mode")

        def refused(why, name="token"):
            run = subprocess.run([BREAKWATER, "dap", "--port", "0", "--token-file", pathlib.Path(folder, name)],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
            check(run.returncode == 2 and why in run.stderr, f"{why}: {run}")
        path.chmod(0o644)
        refused("chmod 600")
        path.chmod(0o600)
        for text in ("short\n", "", "x" * 129, "x" * 20 + " " + "x" * 20, "x" * 40 + "\ny"):
            path.write_text(text)
            refused("does not have a token")
        path.unlink()
        path.symlink_to("/etc/hostname")
        refused("symbolic link")
        path.unlink()
        os.mkfifo(path, 0o600)
        refused("regular file")
        path.unlink()
        os.chmod(folder, 0o777)
        refused("can be written by other users")
        os.chmod(folder, 0o700)
        if os.getuid() == 0:
            path.write_text("x" * 32)
            path.chmod(0o600)
            os.chown(path, NOBODY, NOBODY)
            refused("another user")
        run = subprocess.run([BREAKWATER, "dap", "--token-file", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=TIMEOUT_S)
        check(run.returncode == 2 and "--port" in run.stderr, f"without a port: {run}")


def as_nobody(run):
    """Runs it in a process of another user, and waits for its end."""
    pid = os.fork()
    if not pid:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            run()
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, "the other user's process")


def another_user():
    """Connects, sends all that a session needs but the token, and closes at once: for such a socket the kernel's
    table of connections has user 0."""
    if os.getuid() != 0:
        print("not root: nobody else's connections are tried")
        return
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        mark = pathlib.Path(folder, "mark")
        # what is read before the end of the connection is seen
        data = (request(1, "initialize", adapterID="x") + request(2, "launch", **runs(mark)) + request(3, "configurationDone") +
                request(4, "evaluate", expression=f"shell touch {mark}", context="repl") + b"Content-Length: 1\r\n\r\n1" * 4300)

        def attack():
            check(not os.access(server.file, os.R_OK), "the token's file can be read")
            for _ in range(8):
                s = socket.socket()
                s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400000)
                s.connect(("127.0.0.1", server.port))
                try:
                    s.sendall(data)
                except OSError:
                    pass
                s.close()
        as_nobody(attack)
        c = server.connect()
        check(c.ask("initialize")["success"], "the server is there")
        check(not mark.exists(), "another user's command ran")
        check(c.ask("launch", token=server.token, **runs(mark))["success"] and mark.exists(), "ours does")


def ended_by_a_signal():
    with Server() as server:
        server.process.send_signal(signal.SIGTERM)
        equal(server.process.wait(TIMEOUT_S), -signal.SIGTERM, "status")
        folder = server.file.parent
    with Server():
        check(not folder.exists(), "what a killed one has left is removed by the next")


main([without_token, others_do_not_keep_it_waiting, a_web_page, everything_at_once, its_file, file_of_the_user, another_user,
      ended_by_a_signal])
