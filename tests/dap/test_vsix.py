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


if shutil.which("node"):
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
