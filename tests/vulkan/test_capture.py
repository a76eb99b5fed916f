# SPDX-License-Identifier: MIT
"""breakwater capture and replay of Vulkan programs on RADV, on both kinds of queue: the memory behind every submission is
the captured one, the results are in it, and dispatches have the names that the program gave."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import BREAKWATER, TIMEOUT_S, Failure, check, equal  # noqa: E402
from json_schema import parse  # noqa: E402

CASES = ["affine", "dispatches", "descriptor_array", "big_grid"]


def ask(*args):
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    if done.returncode:
        raise Failure(f"{args}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_queue(vkrun, queue, folder):
    words = []
    for case in CASES:
        source, code = HERE / "shaders" / f"{case}.comp", f"{folder}/{case}.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
        words += [source, code]
    path = f"{folder}/{queue}.bwc"
    said = ask("capture", "-o", path, "--", vkrun, "--device", "RADV", "--queue", queue, "--out", folder, *words)
    equal([line for line in said.splitlines() if line.startswith("pass")], [f"pass {case}" for case in CASES], "the program's output")
    rows = parse(ask("capture", "list", "--json", path))["submissions"]
    check(len(rows) >= len(CASES) and all(row["outcome"] == "done" for row in rows), rows)
    equal({row["ring"] for row in rows}, {"compute 0" if queue == "compute" else "gfx 0"}, "the ring")
    # affine computes 2 * i + 1: its submission is the first with a dispatch
    first = next(row["number"] for row in rows if row["dispatches"])
    shown = parse(ask("capture", "show", "--json", path, first))
    equal([d["groups"] for d in shown["dispatches"]], ["4,1,1"], "affine's dispatch")
    want = struct.pack("<256I", *[2 * i + 1 for i in range(256)])
    equal(pathlib.Path(folder, "affine.0.0.0").read_bytes(), want, "affine's results")
    written = [b["buffer"] for b in shown["buffers"] if b["gpu_pages"]]
    dumps = [f"--dump={first}:{b}={folder}/buffer{b}" for b in written]
    r = parse(ask("replay", "--check", "--json", *dumps, path))
    equal((r["submissions"], r["checked"], r["same"]), (len(rows), len(rows), True), "the replay")
    check(any(want in pathlib.Path(folder, f"buffer{b}").read_bytes() for b in written), "affine's results are in the replay")
    # from the middle on, with the memory that the capture has before
    r = parse(ask("replay", "--check", "--json", "--first", rows[2]["number"], path))
    equal((r["submissions"], r["same"]), (len(rows) - 2, True), "the replay of a part")


def check_names(names, step, folder):
    """Pipelines and labels, where the agent is a Vulkan layer."""
    path = f"{folder}/names.bwc"
    ask("capture", "-o", path, "--", names, step)
    found = set()
    for row in parse(ask("capture", "list", "--json", path))["submissions"]:
        for d in parse(ask("capture", "show", "--json", path, row["number"]))["dispatches"]:
            found.add((d["pipeline"], d["label"]))
    check(any(pipeline and label for pipeline, label in found), found)


os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
with tempfile.TemporaryDirectory() as top:
    for kind in ("compute", "universal"):
        check_queue(os.path.abspath(sys.argv[1]), kind, top)
        print(f"{kind}: ok")
    if len(sys.argv) > 3:
        check_names(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), top)
        print("names: ok")
