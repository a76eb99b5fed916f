# SPDX-License-Identifier: MIT
"""The session of a tutorial in an editor: what an editor sends for it, and what its debug console then shows."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "dap"))
from client import Client, check  # noqa: E402

AT = re.compile(r"([\w./-]+):(\d+)(?: if (.+))?$")  # of a breakpoint: transpose.hip:9 if to >= 64

END = re.compile(r"\[.* \(process \d+\) (exited|terminated) .*\]$")


class Console:
    """The debug console of an editor's session: its lines as they come, and what is typed after "> "."""

    def __init__(self, client):
        self.client, self.text = client, ""

    def read(self):
        """Takes what the adapter has put out since the last time."""
        rest = []
        for event in self.client.events:
            if event["event"] == "output" and event["body"].get("category") != "telemetry":
                self.text += event["body"]["output"]
            else:
                rest.append(event)
        self.client.events[:] = rest

    def type(self, command):
        self.text += f"> {command}\n"
        said = self.client.value(command, context="repl")
        self.read()
        self.text += said + "\n" if said and not said.endswith("\n") else said

    def until(self, *names):
        """The name of the event of these that comes first."""
        while True:
            for event in self.client.events:
                if event["event"] in names:
                    self.client.events.remove(event)
                    self.read()
                    return event["event"]
            check(self.client.take(), f"the stream ended without {names}")


def launch(client, folder, breakpoints):
    """Starts the first configuration of the folder, as "Start Debugging" does."""
    text = (folder / ".vscode/launch.json").read_text().replace("${workspaceFolder}", str(folder))
    config = json.loads(text)["configurations"][0]
    check(config["type"] == "breakwater" and config["request"] == "launch", f"the configuration is {config}")
    client.launch(config.pop("program"), config.pop("kernelOptions", None), cwd=str(folder))
    for given in breakpoints:
        file, line, condition = AT.match(given).groups()
        set_now = client.break_at(folder / file, int(line), **({"condition": condition} if condition else {}))
        check([b["line"] for b in set_now] == [int(line)], f"the breakpoint is at {set_now}")
    client.go()


def run(folder, breakpoints, commands, env):
    """The lines of the console: up to the first stop, or the program's end if there is none; then for each command."""
    with Client(env=env) as client:
        console = Console(client)
        launch(client, folder, breakpoints)
        has_ended = console.until("stopped", "terminated") == "terminated"
        for command in commands:
            check(not has_ended, f"the program had ended before {command!r} was typed")
            console.type(command)
            if command == "continue":
                has_ended = console.until("stopped", "terminated") == "terminated"
        client.disconnect()
        console.read()
    # The program's own output and the debugger's sentence about its end come by two ways, one of which is faster.
    lines = console.text.splitlines()
    return [line for line in lines if not END.match(line)] + [line for line in lines if END.match(line)]
