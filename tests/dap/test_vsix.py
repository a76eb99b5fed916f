#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The VS Code extension: what is in the file, and that its parts fit each other.

    test_vsix.py MAKE_VSIX"""
import json
import pathlib
import re
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
print("ok")
