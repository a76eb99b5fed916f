# SPDX-License-Identifier: MIT
"""What breakwater decompile writes, built and run: for the tests of captures of kernels, Vulkan and OpenCL programs."""
import pathlib
import struct
import subprocess

from harness import BREAKWATER, TIMEOUT_S, Failure, equal
from json_schema import parse


def run(*args, status=0):
    """breakwater ARGS: standard output."""
    done = subprocess.run([str(BREAKWATER), *[str(a) for a in args]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    if done.returncode != status:
        raise Failure(f"breakwater {args}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done.stdout


def source(path, number):
    """The answer of decompile, with the C in it."""
    return parse(run("decompile", path, "-s", number, "--json"))


def build(text, folder, name="edit"):
    """Compiles and runs the C, with warnings as errors; the override file."""
    header = pathlib.Path(folder, "breakwater_edit.h")
    if not header.exists():
        header.write_text(run("decompile", "--header"))
    program, made = pathlib.Path(folder, name), pathlib.Path(folder, f"{name}.bwo")
    program.with_suffix(".c").write_text(text)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", f"{program}.c", "-o", program], check=True, stdin=subprocess.DEVNULL)
    done = subprocess.run([program, made], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S)
    if done.returncode:
        raise Failure(f"{program}: status {done.returncode}\n{done.stderr}")
    return made


def parts(path):
    """The parts of an override file: address and bytes of each, and whether it is new memory."""
    data = pathlib.Path(path).read_bytes()
    magic, version, _, n_ibs, n_parts = struct.unpack_from("<8s4I", data)
    equal((magic, version), (b"\x89BWOvr\r\n", 1), "the file's header")
    at, found = 24 + 24 * n_ibs, []
    for _ in range(n_parts):
        va, size, is_new, _ = struct.unpack_from("<QQII", data, at)
        found.append((va, data[at + 24:at + 24 + size], bool(is_new)))
        at += 24 + (size + 7) // 8 * 8
    equal(at, len(data), "the file's size")
    return found


def check_unedited(path, folder):
    """Each submission of a capture, decompiled and rebuilt, is the captured one, byte by byte: so the replay is, too. What
    they are made of, added up."""
    rows = parse(run("capture", "list", "--json", path))["submissions"]
    sums = {"ibs": 0, "called": 0, "shaders": 0, "dispatches": 0}
    overrides, texts = [], []
    for row in rows:
        said = source(path, row["number"])
        overrides.append(f"--override={row['number']}={build(said['source'], folder, 'same%d' % row['number'])}")
        texts.append(said["source"])
        sums = {key: sums[key] + said[key] for key in sums}
    again = parse(run("replay", "--check", "--json", *overrides, path))
    equal((again["submissions"], again["same"], again["changed_bytes"], again["new_bytes"]), (len(rows), True, 0, 0),
          f"the replay of {path}, rebuilt")
    return sums, "\n".join(texts)
