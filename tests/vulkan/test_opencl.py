# SPDX-License-Identifier: MIT
"""An unmodified OpenCL program on rusticl: its kernels have their names, arguments and buffers. What the arguments are is
what the program sets (opencl_program.py). Exit status 77: no rusticl with radeonsi is installed."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import check, equal  # noqa: E402

os.environ["RUSTICL_ENABLE"] = "radeonsi"
PROGRAM = [sys.executable or "/usr/bin/python3", str(HERE / "opencl_program.py")]


def text(s, command):
    return s.command(command)["text"]


def arguments():
    s = harness.Session("--", *PROGRAM)
    s.command("break on dispatch kernel saxpy")
    s.command("break on dispatch kernel sums")
    s.command("run")
    names = [x["kernel"] for x in s.command("info dispatches")["dispatches"]]
    equal(names[:2], ["saxpy", "sums"], "the first dispatches")
    args = {a["name"]: a.get("value") for a in s.command("info args")["launch_values"]}
    equal(list(args), ["out", "x", "a", "n", "p"], "names of the arguments")
    equal((args["a"], args["n"], args["p"]), ("2.5", "200", "{shift = 7, scale = 1.5}"), "values of arguments")
    equal(text(s, "print $_launch.p.scale * 2"), "3", "a member of a structure")
    equal((text(s, "print p.scale * 2"), text(s, "print n"), text(s, "print x[3]")), ("3", "200", "3"), "by their names alone")
    members = [(m["name"], m["offset"]) for m in s.command("ptype $_launch.p")["definition"]["members"]]
    equal(members, [("shift", 0), ("scale", 4)], "the type of a structure")
    equal([a["type"] for a in s.command("info kernel")["arguments"]], ["float*", "float*", "float", "int", "params"], "types")
    equal(text(s, "print $_launch.x[3]"), "3", "what an argument points to")
    equal(text(s, "print buffer x as float[4]"), "{0, 1, 2, 3}", "a buffer by its argument")
    sizes = {b["name"]: b["size"] for b in s.command("info buffers")["buffers"] if b.get("name")}
    equal(sizes, {"out": 1024, "x": 1024}, "buffers that are bound")
    s.command("continue")
    equal(harness.events(s.events, "stop")[-1]["function"], "sums", "where it has stopped")
    args = {a["name"]: a.get("value") for a in s.command("info args")["launch_values"]}
    equal(list(args), ["unused", "data", "part", "nothing", "bias"], "names of the arguments")
    equal((args["bias"], args["part"]), (None, None), "values of arguments; local memory has none, nor has a type that is not known")
    why = "the type amount is not known; its 4 bytes: 05 00 00 00"
    check(why in s.command("print $_launch.bias")["message"], "bytes of a type that is not known")
    equal(text(s, "print $_launch.data[34]"), "34", "what an argument points to")
    s.command("delete")
    s.command("continue")
    out = s.end()
    equal(out[0], 0, "the debugger's status")


def launched_again():
    """Kernels that are released before the driver submits them keep their names; values are those of each launch."""
    s = harness.Session("--", *PROGRAM, "again")
    s.command("break on dispatch every kernel saxpy")
    s.command("run")
    for a in (1, 2, 3, 4):
        equal((text(s, "print $_launch.a"), text(s, "print $_launch.n")), (str(a), str(100 * a)), "values of a launch")
        if a < 4:
            s.command("continue")
    s.command("kill")
    s.end()


def captured():
    """A capture has the kernels' names, and begins with one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "opencl.bwc")
        command = [harness.BREAKWATER, "capture", "-o", path, "--from-label", "sum?", "--", *PROGRAM]
        subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=harness.TIMEOUT_S)
        said = subprocess.run([str(harness.BREAKWATER), "capture", "show", "--json", str(path), "1"], stdout=subprocess.PIPE, text=True, check=True)
        names = [d.get("pipeline") for d in json.loads(said.stdout)["dispatches"]]
        equal(names[:2], ["saxpy", "sums"], "names of the kernels")


def replayed():
    """The session of a replay says of kernels and arguments what that of the program says."""
    commands = ["info dispatch", "info dispatches", "info buffers", "print n", "print x[3]", "print $_launch.a", "print buffer x as float[4]"]

    def said(*words):
        s = harness.Session(*words)
        s.command("break on dispatch kernel saxpy")
        s.command("run")
        # of types that its source alone declares a capture has the names
        args = [(a["name"], a.get("value")) for a in s.command("info args")["launch_values"] if a["name"] != "p"]
        out = [("info args", args)] + [(command, s.command(command)) for command in commands]
        s.command("kill")
        s.end()
        return out

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "opencl.bwc")
        command = [harness.BREAKWATER, "capture", "-o", path, "--", *PROGRAM]
        subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=harness.TIMEOUT_S)
        live, again = said("--", *PROGRAM), said(path)
    for (command, a), (_, b) in zip(live, again):
        equal(b, a, command)
    check("out" in str(live[0]) and live[4][1]["text"] == "200", live)


if subprocess.run([harness.BREAKWATER, "exec", "--", *PROGRAM], stdout=subprocess.DEVNULL).returncode == 77:
    print("no OpenCL here")
    sys.exit(77)
harness.main(arguments, launched_again, captured, replayed)
