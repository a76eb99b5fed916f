# SPDX-License-Identifier: MIT
"""breakwater capture and replay of Vulkan programs on RADV, on both kinds of queue: the memory behind every submission is
the captured one, the results are in it, and dispatches have the names that the program gave. As C and built again, each submission is
the same bytes."""
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import decompiled  # noqa: E402
from harness import BREAKWATER, SOURCE, TIMEOUT_S, Failure, Session, check, equal, events  # noqa: E402
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
    # as C, built again: the same bytes
    sums, text = decompiled.check_unedited(path, folder)
    check(sums["dispatches"] == sum(row["dispatches"] for row in rows) and sums["shaders"] >= len(CASES), sums)
    check("buffer descriptor: base" in text, "what user data point to")


# Each dispatch counts itself; the third one never ends, as nobody writes data[1].
ENDLESS = """#version 460
//! buffer 0 u32 64 zeros
//! dispatch 1 1 1
//! dispatch 1 1 1
//! dispatch 1 1 1
//! dispatch 1 1 1
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { uint data[]; };
void main()
{
	if (atomicAdd(data[0], 1) == 2u)
		while (atomicAdd(data[1], 0) == 0u)
			;
}
"""


def check_bisect(vkrun, folder):
    """A planted hang: the replay has it, and the dispatch is found."""
    source, code, path = pathlib.Path(folder, "endless.comp"), f"{folder}/endless.spv", f"{folder}/endless.bwc"
    source.write_text(ENDLESS)
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
    # long enough for what is good on a machine that is busy
    os.environ["BREAKWATER_VGPU_ARGS"] = "--quiet --lockup-timeout 4000"
    # whether the program notices is the driver's business
    subprocess.run([str(BREAKWATER), "capture", "-o", path, "--", vkrun, "--device", "RADV", "--queue", "compute", "--out", folder, source,
                    code], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S)
    bad = [row["number"] for row in parse(ask("capture", "list", "--json", path))["submissions"] if row["outcome"] != "done"]
    equal(len(bad), 1, "submissions that failed")
    packets = [d["packet"] for d in parse(ask("capture", "show", "--json", path, bad[0]))["dispatches"]]
    equal(len(packets), 4, "its dispatches")
    r = parse(ask("bisect", "--json", path))
    equal((r["found"], r["number"], r["where"], r["dispatch"], r["packet"]), (True, bad[0], "dispatch", 2, packets[2]), "bisect")
    r = parse(ask("replay", "--json", "--dispatches", f"{bad[0]}:2", path))
    equal((r["submissions"], r["same"]), (bad[0], True), "the replay without that dispatch")
    # the loop's branch edited out, and then code that has grown beyond its place
    text = decompiled.source(path, bad[0])["source"]
    branch, = re.findall(r'\tI\("s_cbranch_scc1 .*\n', text)
    label = re.search(r"L_\w+", branch).group()
    without = text.replace(branch, "")
    grown = without.replace(f'\tLABEL("{label}"),', f'\tLABEL("{label}"),\n' + '\tA("s_nop 1"),' * 40)
    for edited, is_new in (without, False), (grown, True):
        r = parse(ask("replay", "--json", "--override", f"{bad[0]}={decompiled.build(edited, folder)}", path))
        equal((r["same"], r["new_bytes"] > 0), (True, is_new), "the replay without the loop")
    del os.environ["BREAKWATER_VGPU_ARGS"]


def check_names(names, step, folder):
    """Pipelines and labels, where the agent is a Vulkan layer."""
    path = f"{folder}/names.bwc"
    ask("capture", "-o", path, "--", names, step)
    found = set()
    for row in parse(ask("capture", "list", "--json", path))["submissions"]:
        for d in parse(ask("capture", "show", "--json", path, row["number"]))["dispatches"]:
            found.add((d["pipeline"], d["label"]))
    check(any(pipeline and label for pipeline, label in found), found)
    # the replay in the debugger has what the capture says
    s = Session(path)
    for command in ('break on dispatch name "second step" label inner', "run"):
        s.command(command)
    d = s.command("info dispatch")
    hashes = hashlib.sha1(pathlib.Path(step).read_bytes()).hexdigest()[:16]
    equal((d["dispatch"], d["pipeline_name"], d["label"], d["hash"]), (2, "second step", "sooner/inner", hashes), "a dispatch of run FILE.bwc")
    equal([r["label"] for r in s.command("info dispatches")["dispatches"]], ["sooner", "sooner/inner", "sooner"], "labels")
    equal(sorted(r["name"] for r in s.command("info pipelines")["pipelines"]), ["first step", "second step"], "pipelines")
    check("uint [256]" in str(s.command("ptype data")), "a variable that the SPIR-V declares, as long as its buffer")
    s.command("kill")
    s.end()


# What is said of a dispatch, its buffers and its variables.
SAYS = ["info dispatch", "info dispatches", "info buffers", "info buffers 1", "info pipelines", "info args", "info locals", "info kernel", "print data[0]",
        "print data", "print mul", "print n * 2", "print buffer numbers as u32[4]", "print buffer 1 as u32[4]", "x/4xw &data[0]", "ptype data",
        "info scope", "print $_dispatch"]


def said(words, breaks, rounds):
    """What the debugger says at each of these stops, but for the process's name."""
    s, out = Session(*words), []
    for command in (*breaks, "run"):
        s.command(command)
    for _ in range(rounds):
        out.append({command: s.command(command) for command in SAYS})
        s.command("continue")
    s.command("kill")
    s.end()
    return out


def check_same(words, breaks, rounds, path, needs):
    """The session of a replay says what that of the program has said: push constants, what is bound, buffers and their names."""
    ask("capture", "-o", path, "--", *words)
    live, again = said(["--", *words], breaks, rounds), said([path], breaks, rounds)
    for i, (a, b) in enumerate(zip(live, again)):
        for command in SAYS:
            equal(b[command], a[command], f"{command} at stop {i} of {path}")
    for command, text in needs:
        check(text in str(live[0][command]), (command, live[0][command]))


def check_given(names, step, folder):
    breaks = ["break on dispatch every label inner"]
    needs = [("info buffers", "numbers"), ("print mul", "5"), ("print n * 2", "512"), ("print data[0]", "1"), ("info args", "add"),
             ("print buffer numbers as u32[4]", "{1, 1, 1, 1}")]
    # a file of an older version does not hold them, and that is said
    s = Session(SOURCE / "tests/fuzz/corpus/capture/pipeline.bwc")
    s.command("run")
    notices = [e["text"] for e in events(s.events, "notice") if e["kind"] == "warning"]
    check(any("is of version 3, which does not hold push constants, bound buffers" in text for text in notices), notices)
    s.end()
    # a label that is longer than others: it is whole
    long = "inner " + "0123456789" * 12
    for pushed in None, "writes":
        if pushed:
            os.environ["PUSH"], os.environ["LABEL"] = pushed, long
        check_same([names, step], ["break on dispatch every label inner*"], 2, f"{folder}/given.bwc", needs)
    shown = [parse(ask("capture", "show", "--json", f"{folder}/given.bwc", row["number"]))
             for row in parse(ask("capture", "list", "--json", f"{folder}/given.bwc"))["submissions"] if row["dispatches"]]
    check("sooner/" + long in [re.sub("[\x1f]", "/", d["label"]) for s in shown for d in s["dispatches"]], shown)
    check(("numbers", "storage") in [(b["name"], b["type"]) for s in shown for b in s["bound"]], "buffers that are bound")
    check(all(p["bytes"] == 4 * len(p["words"].split()) and p["words"].startswith("00000") for s in shown for p in s["push_constants"]) and
          shown[0]["push_constants"], "push constants")
    check("numbers" in [x["name"] for x in shown[0]["objects"] if x["kind"] == "buffer"], "buffers of the API")
    del os.environ["PUSH"], os.environ["LABEL"]
    # the parts of a file: --last keeps what the others have left
    ask("capture", "-o", f"{folder}/last.bwc", "--last", "1", "--every-result", "--", names, step)
    last = said([f"{folder}/last.bwc"], breaks, 1)[0]
    for command, text in [need for need in needs if not need[0].startswith(("print data", "print buffer"))]:
        check(text in str(last[command]), (command, last[command]))


def check_labels(names, step, folder):
    """From one label to another: of three rounds the first is in a pass "sooner", the others are in "later"."""
    path = f"{folder}/labels.bwc"
    for options, passes in (["--from-label", "later"], ["later", "later"]), (["--from-label", "l*", "--to-label", "second step"], ["later"]), \
            (["--to-label", "sooner"], ["sooner"]), (["--from-label", "nowhere"], []):
        done = subprocess.run([str(BREAKWATER), "capture", *options, "-o", path, "--", names, step], input="1\n1\n1\n", text=True,
                              capture_output=True, timeout=TIMEOUT_S, env={**os.environ, "ROUNDS": "3"})
        equal(done.returncode, 0, done.stdout + done.stderr)
        rows = [row["number"] for row in parse(ask("capture", "list", "--json", path))["submissions"] if row["dispatches"]]
        found = [parse(ask("capture", "show", "--json", path, number))["dispatches"][0]["label"] for number in rows]
        equal(found, passes, f"what {options} captures")
        if found:
            equal(parse(ask("replay", "--check", "--json", path))["same"], True, "its replay")


os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
with tempfile.TemporaryDirectory() as top:
    for kind in ("compute", "universal"):
        check_queue(os.path.abspath(sys.argv[1]), kind, top)
        print(f"{kind}: ok")
    check_bisect(os.path.abspath(sys.argv[1]), top)
    print("bisect: ok")
    if len(sys.argv) > 3:
        check_names(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), top)
        print("names: ok")
        check_given(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), top)
        print("given: ok")
        check_labels(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), top)
        print("labels: ok")
