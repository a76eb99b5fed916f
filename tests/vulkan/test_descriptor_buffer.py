# SPDX-License-Identifier: MIT
"""A program whose descriptors are in a buffer of its own: what is bound has the names that the shader gives it,
and in a replay other SPIR-V finds it.
Exit status 77: the driver does not have VK_EXT_descriptor_buffer.

    test_descriptor_buffer.py PROGRAM SPV"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402
from harness import check, equal  # noqa: E402
from json_schema import parse  # noqa: E402

PROGRAM = [os.path.abspath(word) for word in sys.argv[1:3]]


def names(*words):
    s = harness.Session("--", *PROGRAM, *words)
    s.command("break on dispatch 1")
    s.command("run")
    rows = s.command("info descriptors")["descriptors"]
    equal([(d["name"], d["size"]) for d in rows], [("Source", 1024), ("Target", 1024), ("params", 16)], "descriptors")
    equal(s.command("print source[5]")["text"], "5", "an element of a storage buffer")
    equal(s.command("print params.n")["text"], "200", "a member of a uniform buffer")
    equal(s.command("print sizeof source")["text"], "1024", "the length of an array is that of its buffer")
    equal(s.command("print buffer Source as float[3]")["text"], "{0, 1, 2}", "a buffer by its name")
    s.command("kill")
    s.end()


def newer_call():
    """vkCmdSetDescriptorBufferOffsets2EXT of VK_KHR_maintenance6."""
    done = subprocess.run([harness.BREAKWATER, "exec", "--", *PROGRAM, "2"], stdout=subprocess.PIPE, text=True, timeout=harness.TIMEOUT_S)
    if done.returncode == 77:
        print("no VK_KHR_maintenance6 here")
        return
    equal((done.returncode, done.stdout), (0, "597 0\n"), "what the program does")
    names("2")


def check_replay():
    with tempfile.TemporaryDirectory() as name:
        path, shader, dump = (pathlib.Path(name, part) for part in ("captured.bwc", "plus.comp", "dump"))
        shader.write_text((HERE / "api/scaled.comp").read_text().replace("* params.scale", "* params.scale + params.n"))

        def ask(*words):
            return subprocess.run([harness.BREAKWATER, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
                                  timeout=harness.TIMEOUT_S).stdout

        ask("capture", "-o", path, "--", *PROGRAM)
        check("memory is as captured" in ask("replay", "--check", "--shader", f"main={PROGRAM[1]}", path), "the program's own SPIR-V")
        # the first one has the fence
        target = [b["buffer"] for b in parse(ask("capture", "show", "--json", path, "1"))["buffers"] if b["gpu_pages"]][-1]
        ask("replay", "--shader", f"main={shader}", "--dump", f"1:{target}={dump}", path)
        values = struct.unpack("<256f", dump.read_bytes()[:1024])
        equal(values, tuple(3.0 * i + 200 if i < 200 else 0.0 for i in range(256)), "what the other shader computes")


ran = subprocess.run([harness.BREAKWATER, "exec", "--", *PROGRAM], stdout=subprocess.PIPE, text=True, timeout=harness.TIMEOUT_S)
if ran.returncode == 77:
    print("no VK_EXT_descriptor_buffer here")
    sys.exit(77)
equal((ran.returncode, ran.stdout), (0, "597 0\n"), "what the program does")
if shutil.which("glslangValidator"):
    check_replay()
harness.main(names, newer_call)
