# SPDX-License-Identifier: MIT
"""The examples of the pages on file formats (between .EX and .EE) do what the pages say, with the real programs; and what
these pages say of versions is what the code has.

    man_examples.py FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal, run

KERNEL = ["--grid", "128", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:128", "--arg", "y=fill:128:1", "--arg", "out=zeros:128"]
PAGES = pathlib.Path(sys.argv[1])


def examples(name):
    blocks = re.findall(r"^\.EX\n(.*?)^\.EE$", (PAGES / name).read_text(), re.M | re.S)
    return [b.replace("\\-", "-").replace("\\e", "\\") for b in blocks]


def said(*command, status=0):
    done = subprocess.run([str(c) for c in command], cwd=SOURCE, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    check(done.returncode == status, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def script():
    text, = examples("breakwater-script.5")
    out = run(SOURCE / "examples/saxpy.s", *KERNEL, script=text.splitlines())
    shown = re.findall(r"^as_float\(\$v2\[\$_lane\]\) of lane 0: (\d+)$", out, re.M)
    equal(sorted(shown), ["64", "96"], f"the first lanes of workgroup 1 have x[64] and x[96]: {out}")
    check("The kernel failed" not in out, out)


def capture(folder):
    lister, writer = examples("breakwater-capture-file.5")
    (folder / "list.py").write_text(lister)
    (folder / "write.py").write_text(writer)
    code, file, edit = folder / "saxpy.co", folder / "saxpy.bwc", folder / "edit.bwo"
    said("clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "examples/saxpy.s", "-o", code)
    said(BREAKWATER, "capture", "-o", file, "--", BUILD / "breakwater-launch", code, *KERNEL)

    listed = said(sys.executable, folder / "list.py", file).splitlines()
    kinds = [line.split()[0] for line in listed[1:]]
    n = json.loads(said(BREAKWATER, "capture", "info", "--json", file))["submissions"]
    equal(listed[0], f"version {version('src/capture/capture.h', 'BW_CAPTURE_VERSION')}", "the version of a new file")
    equal((kinds[0], kinds[-1], kinds.count("submission"), kinds.count("result")), ("device", "end", n, n), f"blocks: {kinds}")

    shown = json.loads(said(BREAKWATER, "capture", "show", "--json", file, "1"))
    (ib,), (result,) = shown["ibs"], [b["buffer"] for b in shown["buffers"] if b["gpu_pages"]]
    said(sys.executable, folder / "write.py", edit, 1, ib["va"], ib["bytes"])
    said(BREAKWATER, "replay", "--dump", f"1:{result}={folder}/with", file)
    said(BREAKWATER, "replay", "--override", f"1={edit}", "--dump", f"1:{result}={folder}/without", file)
    check(any((folder / "with").read_bytes()), "the kernel writes its results")
    check(not any((folder / "without").read_bytes()), "without the IB nothing is written")
    said(sys.executable, folder / "write.py", edit, 2, ib["va"], ib["bytes"])
    said(BREAKWATER, "replay", "--override", f"1={edit}", file, status=2)


def version(path, name):
    return re.search(rf"\b{name} = (\d+)", (SOURCE / path).read_text())[1]


def described():
    page = (PAGES / "breakwater-capture-file.5").read_text().replace("\\-", "-")
    now = version("src/capture/capture.h", "BW_CAPTURE_VERSION")
    check(f"the version (now {now})" in page and f"Files of versions {version('src/capture/capture.h', 'BW_CAPTURE_VERSION_OLDEST')} to {now} are read" in page,
          "versions of captures")
    kinds = re.findall(r"^\tBW_CAPTURE_BLOCK_([A-Z]+)(?: = 1)?,", (SOURCE / "src/capture/file.h").read_text(), re.M)
    check(", ".join(f"{i} {k.lower()}" for i, k in enumerate(kinds, 1)) in page, f"kinds of blocks: {kinds}")
    check(f"the version ({version('src/capture/override.h', 'BW_OVERRIDE_VERSION')})" in page, "the version of override files")
    limits = [version("src/capture/override.h", f"BW_OVERRIDE_{what}_MAX") for what in ("IBS", "PARTS")]
    check(f"IBs (up to {limits[0]}) and of parts (up to {limits[1]})" in page, f"limits of override files: {limits}")
    lines = (PAGES / "breakwater-script.5").read_text()
    depth = version("src/cli/commands.c", "MAX_DEPTH")
    check(f"up to {depth} deep" in lines and "LINE_MAX_B = 1 << 20" in (SOURCE / "src/cli/script.c").read_text(), "limits of scripts")


def main():
    described()
    script()
    with tempfile.TemporaryDirectory() as folder:
        capture(pathlib.Path(folder))


if __name__ == "__main__":
    main()
