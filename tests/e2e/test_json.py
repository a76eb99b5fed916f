#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--json: requests and answers. Every object of every test that talks JSON is held
against json.schema.json by harness.py; here is the schema itself, every command of "help", and, with
transcripts as arguments, what their commands write with --json."""
import base64
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

import harness
import json_schema
import transcript
from harness import BREAKWATER, BUILD, KERNELS, SOURCE, Session, check, equal, events, run

SAXPY = [SOURCE / "examples/saxpy.s", "--grid", 256, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:256", "--arg",
         "y=fill:256:1", "--arg", "out=zeros:256", "--print", "out:4"]


# ---- The schema ----

STOP = {"type": "event", "request": 2, "event": "stop", "reason": "BREAKPOINT", "wave": 1, "lane": 0, "active": True,
        "stopped": 4, "same_place": 4, "other_events": 0, "unstoppable": 0, "dispatch": 1, "pc": "0x100001600",
        "function": "saxpy", "offset": 0, "file": "/saxpy.s", "line": 14, "instruction": "s_endpgm", "breakpoint": 1,
        "breakpoint_lanes": "0xffffffff"}
END = {"type": "end", "request": "a", "result": "error", "code": "invalid", "message": "No symbol"}
PRINT = {"type": "answer", "request": 3, "command": "print", "expression": "a", "text": "2", "value_type": "float",
         "value": 2.0}
GOOD = [STOP, END, PRINT, {"type": "end", "request": 1, "result": "done"},
        {"type": "answer", "request": 3, "command": "info", "what": "locals", "lines": ["No locals."]}]


def changed(o, *gone, **members):
    o = {k: v for k, v in copy.deepcopy(o).items() if k not in gone}
    o.update(members)
    return o


BAD = [
    [], "done", 7, None, {},
    changed(STOP, extra=1), changed(STOP, "pc"), changed(STOP, "type"), changed(STOP, pc=4096), changed(STOP, pc="4096"),
    changed(STOP, reason="breakpoint"), changed(STOP, reason="BREAKPOINT|"), changed(STOP, reason="BREAKPOINT|X"),
    changed(STOP, event="stopped"), changed(STOP, wave="1"), changed(STOP, wave=0), changed(STOP, active=1),
    changed(STOP, "line"), changed(STOP, "offset"), changed(STOP, request=1.5), changed(STOP, request=None),
    changed(STOP, lines=["Breakpoint 1"]), changed(STOP, command="continue"), changed(STOP, type="answer"),
    changed(END, "code"), changed(END, "message"), changed(END, "request"), changed(END, code="wrong"),
    changed(END, result="done"), changed(END, result="failed"), changed(END, "result"), changed(END, line=1),
    changed(PRINT, "text"), changed(PRINT, command="prnt"), changed(PRINT, command=["print"]), changed(PRINT, what="args"),
    changed(PRINT, value={}), changed(PRINT, lines=["$1 = 2"]),
    {"type": "answer", "request": 3, "command": "info"},
    {"type": "answer", "request": 3, "command": "info", "what": "locals"},
    {"type": "answer", "request": 3, "command": "info", "what": "nothing", "lines": []},
    {"type": "answer", "request": 3, "command": "info", "what": "waves", "waves": [{"wave": 1}]},
    {"type": "answer", "request": 3, "command": "info", "what": "waves", "waves": [], "dispatches": []},
    {"type": "answer", "request": 3, "command": "info", "what": "registers", "registers": {"v0": ["0x0"] * 31}},
    {"type": "answer", "request": 3, "command": "info", "what": "registers", "registers": {"r0": "0x0"}},
    {"type": "answer", "request": 3, "command": "info", "what": "registers", "registers": {}},
    {"type": "event", "event": "output"}, {"type": "event", "event": "output", "text": "a", "base64": "YQ=="},
    {"type": "event", "event": "session", "version": "1.2.3", "schema": 2},
]


def open_objects(schema, at=""):
    """Places in a schema where an object may have any member."""
    if isinstance(schema, list):
        for i, s in enumerate(schema):
            yield from open_objects(s, f"{at}/{i}")
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            yield at
        for k, s in schema.items():
            yield from open_objects(s, f"{at}/{k}")


def schema_is_strict():
    """It is a schema, its objects are closed, and it refuses what is wrong: by itself, and as the tests use it."""
    mine = json_schema.Schema()
    jsonschema.Draft202012Validator.check_schema(mine.root)
    equal(list(open_objects(mine.root)), [], "objects that may have any member")
    used = set(mine.names)
    for name in mine.names:
        used |= {s.removeprefix("#/$defs/") for s in refs(mine.root["$defs"][name])}
    for name in list(used):
        used |= {s.removeprefix("#/$defs/") for s in refs(mine.root["$defs"][name])}
    equal(sorted(set(mine.root["$defs"]) - used), [], "definitions that nothing uses")
    whole = jsonschema.Draft202012Validator(mine.root)
    for o in GOOD:
        equal((whole.is_valid(o), mine.fault(o)), (True, None), f"{o}")
    for o in BAD:
        equal((whole.is_valid(o), mine.fault(o) is None), (False, False), f"{o}")
    for line in ("(breakwater) ", "", '{"type":"end","request":1,"request":2,"result":"done"}', '{"type":"end"', "[1]"):
        refused(json_schema.parse, line)
    end = changed(END, request=2)
    session = {"type": "event", "event": "session", "version": "1.2.3", "schema": 1}
    json_schema.check_session([session, STOP, end, changed(PRINT), changed(END, request=3)])
    for objects in ([STOP, end], [session, STOP], [session, STOP, END], [session, session], [session, STOP, session, end],
                    [session, STOP, changed(PRINT, "request"), end]):
        refused(json_schema.check_session, objects)


def refs(schema):
    for s in schema if isinstance(schema, list) else schema.values() if isinstance(schema, dict) else []:
        yield from refs(s)
    if isinstance(schema, dict) and "$ref" in schema:
        yield schema["$ref"]


def refused(fn, what):
    try:
        fn(what)
    except ValueError:
        return
    raise harness.Failure(f"{fn.__name__} takes {what!r}")


def plain(o):
    """Without what differs between machines and runs."""
    o = {k: "N" if k in ("stopped", "same_place") else v for k, v in o.items()}
    text = re.sub(r"process \d+", "process N", re.sub(r"0x1[0-9a-f]{8}\b", "ADDRESS", json.dumps(o)))
    return re.sub(r'"[^"]*/examples/', '"/examples/', text)


def documentation():
    """The example of doc/json.md is what comes back; all objects in it are of the schema."""
    text = (SOURCE / "doc/json.md").read_text()
    objects = [harness.parse(line) for line in text.splitlines() if line.startswith('{"type"')]
    blocks = text.split("```\n")
    requests, shown = blocks[-4], [json.loads(line) for line in blocks[-2].splitlines()]
    check(len(shown) > 10 and len(objects) > len(shown), "the example is not found")
    options = re.search(r"`breakwater (run --json -i saxpy.s .*?)`", text)[1].split()
    done = subprocess.run([BREAKWATER, *options], cwd=SOURCE / "examples", input=requests, capture_output=True, text=True,
                          timeout=harness.TIMEOUT_S, check=True)
    equal([plain(harness.parse(line)) for line in done.stdout.splitlines()], [plain(o) for o in shown], "the example")


# ---- Requests ----

class Prompt(Session):
    def __init__(self, *args, stdin=subprocess.PIPE):
        self.process = subprocess.Popen([str(a) for a in (BREAKWATER, "run", "--json", *args)], cwd=SOURCE, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.seen = []

    def ask(self, line, request):
        """Sends a line; what comes up to its end."""
        self.send(line)
        seen = self.read_until(lambda o: o["type"] == "end")
        self.seen += seen
        equal(seen[-1].get("request"), request, f"the request that {line!r} ends")
        return seen

    def leave(self):
        status, rest = self.end()
        json_schema.check_session(self.seen + rest)
        return status, rest


def ids():
    """An id of the caller's, or the number of the line; wrong requests are answered too, and end nothing."""
    s = Prompt("-i", *SAXPY)
    s.seen = s.read_until(lambda o: o.get("event") == "session")
    equal(s.ask("break compute", 1)[-1]["result"], "done", "a line")
    equal([o["type"] for o in s.ask('{"id": 1234567890123, "command": "run"}', 1234567890123)][-2:], ["answer", "end"], "run")
    print_a = s.ask('  {"command": "print a", "id": "\\u00b5 \\" 7"}  ', '\u00b5 " 7')
    equal(print_a[0]["value"], 2.0, "print a")
    s.ask('{"command": "print 1"}', 4)
    s.ask("", 5)
    s.ask("# a comment", 6)
    for n, (line, code) in enumerate((
            ("bogus", "invalid"), ("print nothing_at_all", "not-found"), ("info bogus", "invalid"), ("x/4xw 0", "fault"),
            ("dump memory /nowhere/file $pc $pc+4", "system"), ("source -", "unsupported"), ("{", "invalid"),
            ("{}", "invalid"), ('{"command": 7}', "invalid"), ('{"id": null, "command": "p 1"}', "invalid"),
            ('{"id": 1.5, "command": "p 1"}', "invalid"), ('{"command": "p 1", "command": "p 2"}', "invalid"),
            ('{"command": "p 1"} {}', "invalid"), ("\\xff", "invalid")), 7):
        seen = s.ask(line, n)
        equal((len(seen), seen[0].get("code")), (1, code), f"the answer of {line!r}: {seen}")
    # a good id comes back even if the rest is wrong
    equal(s.ask('{"id": "x", "more": 1, "command": "p 1"}', "x")[-1]["result"], "error", "a member too many")
    # a block in one request, and one over several: each line has its end
    s.ask('{"id": 30, "command": "define twice\\nprint $arg0\\nprint $arg0\\nend"}', 30)
    twice = s.ask('{"id": 31, "command": "twice 5"}', 31)
    equal([o.get("value") for o in twice], [5, 5, None], "commands of a command")
    equal({o["request"] for o in twice}, {31}, "their request")
    for n, line in enumerate(("if 1", "echo a", "end"), 24):
        seen = s.ask(line, n)
    equal([o.get("text") for o in seen], ["a", None], "the block runs at its end")
    equal(s.ask('{"id": 32, "command": "print 1\\nbogus\\nprint 2"}', 32)[-1]["result"], "error", "the second of three lines")
    last = s.ask('{"id": 33, "command": "delete\\ncontinue"}', 33)
    equal([o.get("text") for o in last if o.get("event") == "output"], ["1 3 5 7\n"], "the output")
    status, rest = s.leave()
    equal((status, rest), (0, []), "the end of the input")


def scripts():
    """-ex and -x: each command is a request; what is wrong ends the session. Without commands: no request."""
    seen = run("-ex", "break compute", "-ex", "run", "-ex", "stepi", "-ex", "nonsense", "-ex", "stepi", *SAXPY, json_lines=True,
               status=2)
    ends = [(o["request"], o["result"]) for o in seen if o["type"] == "end"]
    equal(ends, [(1, "done"), (2, "done"), (3, "done"), (4, "error")], "ends")
    equal(harness.errors(seen), ['Undefined command: "nonsense".  Try "help"'], "errors")
    seen = run(*SAXPY, json_lines=True)
    equal([o for o in seen if "request" in o], [], "objects of requests")
    equal([o["status"] for o in events(seen, "exit")], [0], "the end")
    seen = run(*SAXPY, json_lines=True, script=["break compute", "run", "commands 1", "print $pc", "end"] + ["delete"] * 2)
    equal([o["request"] for o in seen if o["type"] == "end"], [1, 2, 3, 4, 5, 6, 7], "lines of a file")
    done = subprocess.run([BREAKWATER, "run", "--json", "no-such-file.s"], cwd=SOURCE, capture_output=True, text=True)
    seen = [harness.parse(line) for line in done.stdout.splitlines()]
    equal((done.returncode, done.stderr, [o["event"] for o in seen]), (2, "", ["session", "error"]), "a kernel that is not there")


def places():
    """Stops of every kind say where they are, by the same names; so do all objects about a wave."""
    here = ("function", "offset", "file", "line")
    seen = run("-ex", "break on dispatch", "-ex", "set stop-on-dispatch on", "-ex", "run", "-ex", "continue", "-ex", "stepi",
               "-ex", "step", "-ex", "watch out[0]", "-ex", "tbreak store", "-ex", "continue", "-ex", "continue", "-ex",
               "info waves", "-ex", "info wave", "-ex", "frame", "-ex", "wave 1", "-ex", "info symbol $pc", "-ex", "info program",
               "-ex", "info breakpoints", "-ex", "disassemble", "-ex", "delete", *SAXPY, json_lines=True)
    stops = events(seen, "stop")
    reasons = {o["reason"] for o in stops}
    check({"dispatch", "BREAKPOINT", "SINGLE_STEP", "WATCHPOINT"} <= reasons, f"reasons: {reasons}")
    answers = [o for o in seen if o.get("what") in ("wave", "symbol", "program") or o.get("command") in ("frame", "wave")]
    rows = [r for o in seen for key in ("waves", "instructions") for r in o.get(key, [])]
    rows += [r for o in seen for r in o.get("breakpoints", []) if r["addresses"] and "store" in r["what"]]
    check(len(answers) == 5 and len(rows) > 10, f"{len(answers)} answers, {len(rows)} rows")
    for o in stops + answers + rows:
        equal([k for k in here if k not in o], [], f"what {o} lacks")
        check(o["file"].endswith("examples/saxpy.s"), f"the file of {o}")
    fault = run(KERNELS / "unmapped.s", "--grid", 32, "--group", 32, "--arg", "out=zeros:32", "--arg", "addr=0x123456789000",
                json_lines=True, script=["run", "info fault", "kill"])
    stop = events(fault, "stop")[0]
    equal([k for k in (*here, "fault", "fault_address") if k not in stop], [], "what the stop at a fault lacks")
    equal([(o["reason"], o["fault"]) for o in (stop,)], [("MEMORY_VIOLATION", harness.replies(fault, "info")[0]["fault"])], "the fault")


def nested():
    """What apply, breakpoints' commands and source run belongs to the request; the focus is said."""
    with tempfile.NamedTemporaryFile("w", suffix=".bw") as f:
        f.write("print 1\ninfo fault\nprint 2\n")
        f.flush()
        seen = run("-ex", "break compute", "-ex", "run", "-ex", "wave apply 1-2 print $_wave", "-ex", "lane apply 3 print $_lane",
                   "-ex", f"source {f.name}", "-ex", "delete", *SAXPY, json_lines=True)
    applied = [(o.get("event"), o.get("wave"), o.get("value")) for o in seen if o.get("request") == 3]
    equal(applied, [("focus", 1, None), (None, None, 1), ("focus", 2, None), (None, None, 2), (None, None, None),
                    (None, None, None)], "wave apply")
    equal([(o["lane"]) for o in seen if o.get("request") == 4 and "lane" in o], [3], "lane apply")
    equal([o.get("value") for o in seen if o.get("request") == 5 and o.get("command") == "print"], [1, 2], "source")


def output():
    """The program's output breaks no line: at each stop what there is, bytes that are no text as base64. shell has
    its own answer, and does not read requests."""
    s = Prompt("-x", "-", "--", "sh", "-c", f"printf 'half a line \\303'; '{BUILD}/breakwater-launch' {kernel_object()}; "
               "printf '\\251\\n{}\\n'; printf '\\377\\n'")
    s.seen = s.read_until(lambda o: o.get("event") == "session")
    s.ask('{"id": 1, "command": "break on dispatch"}', 1)
    first = s.ask('{"id": 2, "command": "run"}', 2)
    equal([o["text"] for o in events(first, "output")], ["half a line "], "output before the stop")
    shell = s.ask('{"id": 3, "command": "shell cat; echo {; exit 3"}', 3)[0]
    equal((shell["text"], shell["status"], shell["complete"]), ("{\n", 3, True), "shell")
    rest = s.ask('{"id": 4, "command": "delete\\ncontinue"}', 4)
    got = b"".join(base64.b64decode(o["base64"]) if "base64" in o else o["text"].encode() for o in events(rest, "output"))
    equal(got, "é\n{}\n".encode() + b"\xff\n", "output behind it")
    s.ask('{"id": 5, "command": "echo \\\\"}', 5)
    s.leave()


def kernel_object():
    path = pathlib.Path(FOLDER.name) / "saxpy.co"
    if not path.exists():
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-x", "assembler", SOURCE / "examples/saxpy.s",
                        "-o", path], check=True)
    return f"{path} --grid 64 --group 64 --arg a=2.0 --arg x=iota:64 --arg y=fill:64:1 --arg out=zeros:64"


# ---- All commands ----

def every_command():
    """All that help and info list, with words behind it and without, in a live session: one end each, with its id."""
    s = Prompt("-i", *SAXPY)
    s.seen = s.read_until(lambda o: o.get("event") == "session")
    listed = s.ask('{"id": "help", "command": "help all"}', "help")[0]["commands"]
    infos = s.ask('{"id": "info", "command": "info"}', "info")[0]["lines"]
    commands = [one["name"] for one in listed if not one["name"].startswith("info ")]
    infos = ["info " + line.split()[1] for line in infos if line.startswith("info ")]
    check(len(commands) > 50 and len(infos) > 25, f"{len(commands)} commands, {len(infos)} facts")
    folder = FOLDER.name
    script = pathlib.Path(folder) / "commands"
    script.write_text("print 1\n")
    words = {  # what makes them do something; of the others nothing, and "1"
        "advance": ["store"], "append": [f"memory {folder}/dumped out out+4", f"value {folder}/dumped a"],
        "break": ["store", "store if $_lane == 3"], "awatch": ["out[1]"], "call": ["a"],
        "catch": ["fp", "fault", "dispatch 9"], "cd": [str(SOURCE)], "clear": ["store"],
        "report": [f"{folder}/page.html"], "commands": ["1\nsilent\nend"], "condition": ["1 $_lane == 0", "1"], "define": ["mine\nprint 1\nend"],
        "detach": [], "disassemble": ["", "/rs", "$pc,+8"],
        "display": ["a", "/i $pc", "/s $pc", "/2xw out", "no_such"], "document": ["mine\nMine.\nend"],
        "dprintf": ['store,"%d\\n",$_wave', 'store,"%d\\n",no_such'], "dump": [f"memory {folder}/dumped out out+4"], "echo": ["text", "\\"],
        "eval": ['"print %d", 1'], "help": ["print", "mine", "info", "waves", "all"], "if": ["1\nprint 1\nelse\nprint 2\nend"],
        "ignore": ["1 1"], "inferior": ["", "1"], "jump": ["*$pc"], "kill": [],
        "lane": ["1", "apply 0-1 print $_lane"], "list": ["1", "", "-", "1,3"], "output": ["a"],
        "print": ["a", "$v1", "$exec", "out", "*out@3", '"text"', "$void", "/x a", "1.0/0", "0xffffffffffffffff",
            "$pc"],
        "pixel": ["history 1,1", "history"], "printf": ['"%d\\n", 1'], "quit": [], "restore": [f"{folder}/dumped out"], "rwatch": ["out[2]"],
        "run": [""], "save": [f"breakpoints {folder}/saved"],
        "set": ["var a = 2.0", "$n = 1", "listsize 5", "trap-on-entry on", "confirm on"],
        "shell": ["echo a", "exit 1"], "show": ["", "directories", "substitute-path", "listsize", "user", "convenience", "values"],
        "source": [str(script), "no-such-file"], "tcatch": ["fp"], "tbreak": ["store"],
        "wave": ["1", "1:3", "apply all print $_wave", "find 1", "find nothing"], "watch": ["out[0]"],
        "unset": ["substitute-path"], "directory": ["", folder], "whatis": ["a", "$v1"], "while": ["0\nend"],
        "x": ["/4xw out", "", "/2i $pc", "/s $pc", "/2f out", "/a $pc", "/2xw lds#0", "/w 16"],
        "info address": ["saxpy"], "info breakpoints": [""], "info dispatch": ["1", ""], "info line": ["store", "*0"],
        "info registers": ["", "pc s4 s[4:5] v1 v3 vgprs sgprs"], "info report": ["", "all"],
        "info symbol": ["$pc", "16"], "info waves": ["", "all", "count"], "info wave": ["1", ""],
        "info lanes": ["", "$v0 / 8", "all", "0-3 -active"],
    }
    n = 0
    answered = set()

    def ask(command):
        nonlocal n
        n += 1
        seen = s.ask(json.dumps({"id": n, "command": command}), n)
        answers = [o for o in seen if o["type"] == "answer"]
        name = command.split()[0]
        if seen[-1]["result"] == "done":
            answered.update((o["command"], o.get("what")) for o in answers)
        if seen[-1]["result"] == "done" and name not in ("eval", "mine"):
            check(name in [o["command"] for o in answers], f"{command!r} has the answers {answers}")
        return seen

    def get_ready():
        ask("delete")
        ask("break load")
        equal(ask("run")[-1]["result"], "done", "run")
        ask("delete")

    def all_of(state):
        for name in [*infos, *commands]:
            if name.startswith("info ") or name not in ("quit", "kill", "detach"):
                for w in {"": 0, "1": 0, **dict.fromkeys(words.get(name, []), 0)} if name not in words else words[name]:
                    if name == "run" and state == "no program":
                        continue
                    seen = ask(f"{name} {w}".strip())
                    if events(seen, "exit") or not stopped():
                        get_ready() if state == "stopped" else None

    def stopped():
        return ask("info program")[0].get("pc")

    ask("set scheduler-locking step")
    all_of("no program")
    get_ready()
    all_of("stopped")
    get_ready()
    equal(ask("detach")[-1]["result"], "done", "detach")
    ask("break load")
    ask("ignore $bpnum 1")
    ask("run")
    equal(ask("kill")[-1]["result"], "done", "kill")
    for command in ("bogus", "info bogus", "help bogus", "prnt", "*", "(", "\u00b5", "9", "x" * 100, "-", "run now", "commands 99"):
        equal([o["type"] for o in ask(command)], ["end"], f"what {command!r} brings")
    ask("quit 5")
    equal(s.leave()[0], 5, "the status")
    missing = [c for c in [*commands, *infos] if ((*c.split(), None)[0], (*c.split(), None)[1]) not in answered]
    # saxpy has one frame: test_frames.py has the answers of those that go from one to another; the terminal screen is
    # refused; test_check_stop.py and test_check_whence.py have the answers about findings, vulkan/test_draw_debug.py those
    # about draws
    equal(missing, ["attach", "down", "finish", "focus", "framebuffer", "layout", "refresh", "symbol-file", "tui",
                    "up", "update", "whence", "winheight", "info finding", "info findings", "info inputs", "info outputs"],
          "commands that have never answered")


def subcommands():
    """What is no session: one object each."""
    for words, command in ((["doctor", "--json"], "doctor"), (["vgpu", "isa", "--json"], "vgpu isa"),
                           (["vgpu", "profiles", "--json"], "vgpu profiles"),
                           (["fault", "0x00841050", "--json"], "fault")):
        done = subprocess.run([BREAKWATER, *words], capture_output=True, text=True, timeout=harness.TIMEOUT_S, check=True)
        equal([harness.parse(line)["command"] for line in done.stdout.splitlines()], [command], " ".join(words))
    done = subprocess.run(f"{BREAKWATER} exec --json --fidelity --strict -- {BUILD}/breakwater-launch {kernel_object()}".split(),
                          capture_output=True, text=True, timeout=harness.TIMEOUT_S, check=True)
    equal([harness.parse(line)["event"] for line in done.stderr.splitlines()], ["strict", "fidelity"], "the reports of exec")


# ---- Transcripts ----

WRAPPER = """#!/bin/bash
# In place of breakwater: the same with --json; its output is kept.
for word; do
	[ "$word" = -- ] && break
	case $word in --help | -h) exec "$REAL" "$@" ;; esac
done
case $1 in
run | attach | doctor | fault | vm | regs | pm4 | ring | crash | device | mem | waves | queues) set -- "$1" --json "${@:2}" ;;
vgpu)
	case $2 in isa | profiles) set -- "$1" "$2" --json "${@:3}" ;; *) exec "$REAL" "$@" ;; esac ;;
*) exec "$REAL" "$@" ;;
esac
exec > >(exec tee "$LOGS/$1.$$")
exec "$REAL" "$@"
"""


def all_transcripts(paths):
    """The commands of the transcripts with --json in them, whatever comes out of it in words."""
    wrapper = pathlib.Path(FOLDER.name) / "bin/breakwater"
    wrapper.parent.mkdir()
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    n_objects = 0
    for number, path in enumerate(paths):
        for case in transcript.parse(pathlib.Path(path)):
            logs = pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
            temporary = pathlib.Path(FOLDER.name) / f"tmp{number}"
            temporary.mkdir(exist_ok=True)
            env = dict(os.environ, REAL=str(BREAKWATER), LOGS=str(logs), TMPDIR=str(temporary), LC_ALL="C.UTF-8",
                       PATH=os.pathsep.join((str(wrapper.parent), str(BUILD), os.environ["PATH"])))
            what = f"{pathlib.Path(path).name}:{case.line}: {case.command}"
            status, lines = transcript.run(case, env, SOURCE)
            check(status is not None, f"{what}: did not end; {lines[-5:]}")
            for log in logs.iterdir():
                try:
                    objects = [harness.parse(line) for line in log.read_text().split("\n")[:-1]]
                    if log.name.split(".")[0] in ("run", "attach") and objects:
                        json_schema.check_session(objects)
                except ValueError as e:
                    raise harness.Failure(f"{what}: {e}") from e
                n_objects += len(objects)
    print(f"{n_objects} objects")
    # a command without a session writes one
    check(n_objects > 5 * len(paths), "few objects: are the commands run with --json?")


if __name__ == "__main__":
    FOLDER = tempfile.TemporaryDirectory(prefix="json-")
    if sys.argv[1:]:
        def transcripts():
            all_transcripts(sys.argv[1:])
        harness.main(transcripts)
    harness.main(schema_is_strict, documentation, ids, scripts, places, nested, output, every_command, subcommands)
