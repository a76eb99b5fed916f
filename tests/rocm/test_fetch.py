#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How tools/guest-parts.sh fetches the ROCm tree, with an archive of this test's own in a folder: what is pinned is
unpacked; another content is refused; a version that the archive does not have any more comes from the snapshot, or is named.
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from harness import BUILD, TIMEOUT_S, check, equal, main  # noqa: E402

NAME = "pool/main/p/pinned/pinned_1%3a1.0_all.deb"


def make_package(folder):
    """A package with one file, and its line of packages.txt."""
    tree = folder / "package"
    tree.joinpath("DEBIAN").mkdir(parents=True)
    tree.joinpath("DEBIAN/control").write_text("Package: pinned\nVersion: 1:1.0\nArchitecture: all\nMaintainer: none <none@example.org>\nDescription: none\n")
    tree.joinpath("usr/share").mkdir(parents=True)
    tree.joinpath("usr/share/pinned").write_text("as it was\n")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, folder / "pinned.deb"], check=True, capture_output=True, timeout=TIMEOUT_S)
    data = folder.joinpath("pinned.deb").read_bytes()
    return data, f"pinned {NAME} {len(data)} {hashlib.sha256(data).hexdigest()}\n"


def fetch(tmp, archive):
    """Status and messages of the script, which looks for its list beside itself."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "BREAKWATER_DEBIAN": f"copy://{archive}", "BREAKWATER_DEBIAN_SNAPSHOT": f"copy://{tmp}/snapshot"}
    done = subprocess.run([tmp / "script", tmp / "cache", "--rocm"], env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.returncode, done.stderr


def put(data, archive):
    path = archive / NAME.replace("%3a", ":")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def pinned():
    with tempfile.TemporaryDirectory() as name:
        tmp = pathlib.Path(name)
        data, line = make_package(tmp)
        shutil.copy(BUILD / "breakwater-guest-parts", tmp / "script")
        tmp.joinpath("rocm").mkdir()
        tmp.joinpath("rocm/packages.txt").write_text("# a list\nsnapshot 20260101T000000Z\n" + line)
        tree = tmp / "cache/rocm-3"

        status, said = fetch(tmp, tmp / "archive")
        check(status == 1 and "the package pinned could not be fetched in the version that Breakwater pins" in said, said)
        put(data[:-1] + b"x", tmp / "archive")
        status, said = fetch(tmp, tmp / "archive")
        check(status == 1 and "could not be fetched" in said, said)
        check(not tree.exists() and not list(tmp.glob("cache/making*")), "a refused package left something")

        put(data, tmp / "snapshot/20260101T000000Z")
        status, said = fetch(tmp, tmp / "archive")
        equal(status, 0, said)
        equal(tree.joinpath("usr/share/pinned").read_text(), "as it was\n", "the package's file")
        equal(fetch(tmp, tmp / "nothing"), (0, ""), "a tree that is there")


if __name__ == "__main__":
    main(pinned)
