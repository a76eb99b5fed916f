#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The VS Code extension: what is in the file, and that its parts fit each other.

    test_vsix.py MAKE_VSIX"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

MAKE = pathlib.Path(sys.argv[1]).resolve()
DOC = (MAKE.parent.parent / "doc/editors.md").read_text()


def check(condition, what):
    if not condition:
        sys.exit(f"not ok: {what}")


with tempfile.TemporaryDirectory() as folder:
    made = [pathlib.Path(folder) / name for name in ("a.vsix", "b.vsix")]
    for path in made:
        subprocess.run([sys.executable, MAKE, path], check=True)
    check(made[0].read_bytes() == made[1].read_bytes(), "the same files give the same bytes")
    with zipfile.ZipFile(made[0]) as archive:
        names = archive.namelist()
        manifest = ET.fromstring(archive.read("extension.vsixmanifest"))
        types = ET.fromstring(archive.read("[Content_Types].xml"))
        package = json.loads(archive.read("extension/package.json"))
        code = archive.read("extension/extension.js").decode()

ns = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
identity = manifest.find("v:Metadata/v:Identity", ns)
check((identity.get("Id"), identity.get("Version"), identity.get("Publisher")) ==
      (package["name"], package["version"], package["publisher"]), "the identity")
for asset in manifest.findall("v:Assets/v:Asset", ns):
    check(asset.get("Path") in names, f"{asset.get('Path')} is missing")
known = {d.get("Extension") for d in types}
for name in names:
    check(name == "[Content_Types].xml" or pathlib.Path(name).suffix in known, f"the type of {name}")
check("extension/" + package["main"].removeprefix("./") in names, "the main file")

contributes = package["contributes"]
(debugger,) = contributes["debuggers"]
for kind in ("launch", "attach"):
    properties = debugger["configurationAttributes"][kind]["properties"]
    for name in properties:
        check(f"`{name}`" in DOC, f"doc/editors.md does not have {name} of {kind}")
for snippet in debugger["configurationSnippets"]:
    body = snippet["body"]
    extra = set(body) - set(debugger["configurationAttributes"][body["request"]]["properties"]) - {"type", "request", "name"}
    check(not extra, f"{snippet['label']}: {extra}")
for command in contributes["commands"]:
    check(f'command("{command["command"]}"' in code, f"{command['command']} is not registered")
for view in contributes["views"]["debug"]:
    check(re.search(rf'(registerTreeDataProvider|createTreeView)\("{view["id"]}"', code), f"{view['id']} has no provider")
requests = set(re.findall(r'"(breakwater/\w+)"', code))
check(requests, "the extension asks nothing")
for name in requests:
    check(f"`{name}`" in DOC, f"doc/editors.md does not have {name}")

# Which program the extension starts, and the token that it sends, where there is node: with a stand-in for VS Code that knows as much as it takes.
PROGRAM_OF = """
const modules = require("module"), load = modules._load;
const any = new Proxy(function () {}, { get: (_, key) => (key === Symbol.toPrimitive ? () => "" : any), apply: () => any, construct: () => any });
let factory, provider;
const vscode = {
  EventEmitter: class {}, DebugAdapterExecutable: class { constructor(...all) { this.all = all; } }, commands: any, window: any,
  workspace: { getConfiguration: () => ({ get: () => process.argv[2] }) },
  debug: { registerDebugAdapterDescriptorFactory: (_, f) => (factory = f), registerDebugAdapterTrackerFactory: any,
    registerDebugConfigurationProvider: (_, p) => (provider = p), onDidChangeActiveDebugSession: any },
};
modules._load = (name, ...more) => (name === "vscode" ? vscode : load(name, ...more));
require(process.argv[1]).activate({ subscriptions: [] });
if (process.argv[3]) console.log(JSON.stringify(provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, JSON.parse(process.argv[3]))));
else try { console.log(JSON.stringify(factory.createDebugAdapterDescriptor().all)); } catch (e) { console.log(e.message); }
"""


def started(setting, home, *config):
    environment = dict(os.environ, HOME=home, PATH=f"{home}{os.pathsep}{os.environ['PATH']}")
    extension = MAKE.parent.parent / "editors/vscode/extension.js"
    return subprocess.run(["node", "-e", PROGRAM_OF, extension, setting, *config], env=environment, capture_output=True, text=True,
                          check=True).stdout.strip()


# What the pages of draws show, and when they ask: with a session whose answers are given. Each line of the output is a
# page's content, an answer's request, or an error.
PAGES = """
const modules = require("module"), load = modules._load;
const any = new Proxy(function () {}, { get: (_, key) => (key === Symbol.toPrimitive ? () => "" : any), apply: () => any, construct: () => any });
const answers = JSON.parse(process.argv[2]), commands = {}, panels = [];
const say = (kind, what) => console.log(JSON.stringify([kind, what]));
const session = { type: "breakwater", customRequest: async (name, args) => {
  say("asked", [name, args]);
  const answer = answers[name].length > 1 ? answers[name].shift() : answers[name][0];
  if (typeof answer === "string") throw new Error(answer);
  return answer;
} };
const panel = () => ({ webview: { set html(text) { say("page", text.replace(/\\s+/g, " ")); } }, onDidDispose: (f) => panels.push(f) });
let tracker, text = "25, 20";
const vscode = {
  EventEmitter: class { fire() {} }, workspace: any, ViewColumn: any,
  commands: { registerCommand: (name, run) => (commands[name] = run) },
  window: new Proxy({ createWebviewPanel: panel, showErrorMessage: (words) => say("error", words), showInputBox: async (box) => {
    say("checked", [box.validateInput(text), box.validateInput("25")]);
    return text;
  }, showQuickPick: async (all) => all[1] }, { get: (of, key) => of[key] || any }),
  debug: { activeDebugSession: session, registerDebugAdapterDescriptorFactory: any, registerDebugConfigurationProvider: any,
    onDidChangeActiveDebugSession: any, registerDebugAdapterTrackerFactory: (_, f) => (tracker = f.createDebugAdapterTracker(session)) },
};
modules._load = (name, ...more) => (name === "vscode" ? vscode : load(name, ...more));
require(process.argv[1]).activate({ subscriptions: [] });
const event = async (name) => { tracker.onDidSendMessage({ type: "event", event: name }); await new Promise((done) => setTimeout(done, 0)); };
(async () => {
  await event("stopped"); // no page is open
  await commands["breakwater.showAttachment"]();
  await commands["breakwater.pixelHistory"]();
  say("then", "stopped"); await event("stopped");
  say("then", "without"); await event("stopped");
  say("then", "terminated"); await event("terminated");
  say("then", "closed"); panels.forEach((close) => close()); await event("stopped");
  say("then", "refused"); await commands["breakwater.showAttachment"]();
  process.exit(0);
})();
"""


def pages(answers):
    extension = MAKE.parent.parent / "editors/vscode/extension.js"
    said = subprocess.run(["node", "-e", PAGES, extension, json.dumps(answers)], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in said.splitlines()]


def check_pages():
    color, depth = ({"attachment": n, "description": d} for n, d in (("0", 'color 0 "a<b"'), ("depth", "depth 64x48")))
    both = {"attachments": [color, depth]}
    event = {"draw": 3, "pixel_shader": "lit.frag", "result": "written"}
    said = pages({
        "breakwater/attachment": [{**both, **color, "png": "AAAA"}, {**both, **depth, "png": "BBBB"}, {**both, **color, "png": "CCCC"},
                                  'The draw has no attachment "depth"'],
        "breakwater/pixelHistory": [{"x": 25, "y": 20, "events": [], "wasWatched": False},
                                    {"x": 25, "y": 20, "events": [event, {**event, "label": "<sail>", "draw": 4}], "wasWatched": True}]})
    when, asked, shown, errors = "first", {}, {}, []
    for kind, what in said:
        if kind == "then":
            when = what
        elif kind == "asked":
            asked.setdefault(when, []).append(what)
        elif kind == "page":
            shown.setdefault(when, []).append(what)
        elif kind == "error":
            errors.append(what)
        else:
            check(what[0] is None and "X,Y" in what[1], f"the input box: {what}")
    attachment = ["breakwater/attachment", {"attachment": "depth"}]
    history = ["breakwater/pixelHistory", {"x": 25, "y": 20}]
    check(asked == {"first": [["breakwater/attachment", {}], attachment, history], "stopped": [attachment, history],
                    "without": [attachment, history], "terminated": [history], "refused": [["breakwater/attachment", {}], ["breakwater/attachment", {}]]}, asked)
    picture, none = shown["first"]
    check("data:image/png;base64,BBBB" in picture and "depth 64x48" in picture, picture)
    check("Pixel 25,20" in none and "No draw has touched it" in none and "restart" in none, none)
    picture, rows = shown["stopped"]
    check("base64,CCCC" in picture and "color 0 &#34;a&#60;b&#34;" in picture, picture)
    check("<th>pixel shader</th>" in rows and "restart" not in rows, rows)
    check("<tr><td>3</td><td>lit.frag</td><td>written</td><td></td></tr><tr><td>4</td><td>lit.frag</td><td>written</td><td>&#60;sail&#62;</td></tr>" in rows, rows)
    check("The draw has no attachment &#34;depth&#34;" in shown["without"][0] and "<img" not in shown["without"][0], shown["without"])
    check(shown["without"][1:] + shown["terminated"] == [rows, rows] and "closed" not in shown, shown)
    check(errors == ['The draw has no attachment "depth"'], errors)


if shutil.which("node"):
    check_pages()
    with tempfile.TemporaryDirectory() as home:
        program = pathlib.Path(home, "breakwater-of-mine")
        program.write_text("#!/bin/sh\n")
        missing = started(program.name, home)
        check(missing == f'The program "{program.name}" was not found: the setting breakwater.path says where it is.', missing)
        program.chmod(0o755)
        for setting in (program.name, str(program), f"~/{program.name}"):
            check(started(setting, home) == json.dumps([str(program), ["dap"]], separators=(",", ":")), started(setting, home))
        pathlib.Path(home, "token").write_text("0123456789abcdef\n")
        for given, sent in (({"program": "a.s"}, {"program": "a.s"}), ({"token": "x"}, {"token": "x"}),
                            ({"debugServer": 1, "tokenFile": "~/token"}, {"debugServer": 1, "token": "0123456789abcdef"})):
            got = started(program.name, home, json.dumps(given))
            check(json.loads(got) == sent, f"{given}: {got}")
else:
    print("node is not installed, and the extension not run")
print("ok")
