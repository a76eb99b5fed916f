#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the VS Code extension of editors/vscode: a .vsix, which is a zip file with a manifest. Needs nothing but
Python; the same files give the same bytes.

Usage: make-vsix.py OUT.vsix"""
import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape, quoteattr

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ("package.json", "extension.js", "README.md")

TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".md" ContentType="text/markdown"/>
<Default Extension=".txt" ContentType="text/plain"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""

MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id={id} Version={version} Publisher={publisher}/>
<DisplayName>{name}</DisplayName>
<Description xml:space="preserve">{description}</Description>
<Categories>{categories}</Categories>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
</Properties>
<License>extension/LICENSE.txt</License>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="{details}" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
</Assets>
</PackageManifest>
"""


def add(archive, name, data):
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)


def main():
    folder = ROOT / "editors/vscode"
    package = json.loads((folder / "package.json").read_text())
    manifest = MANIFEST.format(id=quoteattr(package["name"]), version=quoteattr(package["version"]),
                               publisher=quoteattr(package["publisher"]), details="extension/" + FILES[2], name=escape(package["displayName"]),
                               description=escape(package["description"]), categories=escape(",".join(package["categories"])),
                               engine=quoteattr(package["engines"]["vscode"]))
    with zipfile.ZipFile(sys.argv[1], "w") as archive:
        add(archive, "[Content_Types].xml", TYPES)
        add(archive, "extension.vsixmanifest", manifest)
        for name in FILES:
            add(archive, f"extension/{name}", (folder / name).read_bytes())
        add(archive, "extension/LICENSE.txt", (ROOT / "LICENSE").read_bytes())


if __name__ == "__main__":
    main()
