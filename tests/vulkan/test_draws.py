#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of draw_scenes on the virtual GPU (RADV through "breakwater exec") against lavapipe's, or with --opengl
those of gl_scenes (radeonsi) against llvmpipe's. A component may differ by 1 of 255 (by more where the table says so, with
the reason), and a few pixels of a scene by more, where its shader jumps between two values. Names that end in ".bytes" are
no pictures, and equal.

    test_draws.py [--opengl] SCENES [SCENE...]"""

import glob
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["BREAKWATER_BUILD"]
IS_OPENGL = sys.argv[1] == "--opengl"
SCENES, *WANTED = sys.argv[1 + IS_OPENGL:]

# scene: (largest difference, pixels that may differ more, why)
TOLERATED = {
    "over": (2, 0, "twenty layers, each packed with rounding toward zero"),
    "rg11b10": (4, 0, "one unit in the last place, 1/64 of blue; its rounding is the implementation's"),
    "over_rg11b10": (4, 0, "as rg11b10"),
    "rectangles_samples4": (1, 3, "lavapipe leaves out samples left of the first pixel's centre of a tile"),
    "logic": (1, 40, "an exclusive or of two colours that differ by 1"),
    "tessellated_lines": (1, 1, "a line that ends between two pixels"),
    # of OpenGL
    "textured.2.0": (2, 0, "filtered between two levels"),
    "samples.0": (1, 3, "samples where two triangles meet in depth"),
}


def run(command, **env):
    result = subprocess.run(command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=500)
    if result.returncode or "left out" in result.stderr:
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def read(path):
    pictures = {}
    with open(path, "rb") as f:
        while line := f.readline():
            name, width, height = line.decode().split()
            pictures[name] = (int(width), int(height), f.read(int(width) * int(height) * 4))
    return pictures


def differences(a, b):
    """How many pixels differ by 1, 2, ... in their worst component."""
    counts = {}
    for at in range(0, len(a), 4):
        if a[at:at + 4] != b[at:at + 4]:
            worst = max(abs(a[at + c] - b[at + c]) for c in range(4))
            counts[worst] = counts.get(worst, 0) + 1
    return counts


def check_threads(command, picture, folder):
    """However many threads share the tiles, the picture is the same, byte for byte."""
    with open(picture, "rb") as f:
        expected = f.read()
    for n in (1, 5):
        run([f"{BUILD}/breakwater", "exec", "--", *command, f"{folder}/threads"], BREAKWATER_VGPU_ARGS=f"--threads {n}")
        with open(f"{folder}/threads", "rb") as f:
            if f.read() != expected:
                sys.exit(f"the picture is another one with {n} threads")


def main():
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/vgpu", f"{folder}/lavapipe"
        command = [SCENES] if IS_OPENGL else [SCENES, f"{BUILD}/tests/vulkan"]
        if IS_OPENGL:
            on_cpu = {"LIBGL_ALWAYS_SOFTWARE": "1"}
        else:
            lavapipe = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")[0]
            on_cpu = {"VK_DRIVER_FILES": lavapipe, "VK_ICD_FILENAMES": lavapipe}
        reference = run(command + [theirs] + WANTED, **on_cpu)
        began = time.monotonic()
        device = run([f"{BUILD}/breakwater", "exec", "--", *command, ours, *WANTED])
        took = time.monotonic() - began
        if os.path.basename(SCENES) == "draw_frame":
            check_threads(command, ours, folder)
        # Mesa draws on the CPU where it finds no GPU.
        if IS_OPENGL and ("radeonsi" not in device or "llvmpipe" not in reference):
            sys.exit(f"other drivers: {device}{reference}")
        got, expected = read(ours), read(theirs)
    assert got.keys() == expected.keys() and got, (got.keys(), expected.keys())
    for name, (width, height, texels) in got.items():
        if not name.endswith(".bytes"):
            assert len(set(texels[i:i + 4] for i in range(0, len(texels), 4))) > 1, f"{name} shows nothing"
        most, n, _ = TOLERATED.get(name, (0 if name.endswith(".bytes") else 1, 0, ""))
        counts = differences(texels, expected[name][2])
        beyond = sum(count for difference, count in counts.items() if difference > most)
        if beyond > n:
            failed.append(name)
        print(f"{'not ok' if beyond > n else 'ok'} {name}: {beyond} of {width * height} pixels differ by more than {most}; "
              f"by how much: {dict(sorted(counts.items()))}")
    print(f"{len(got)} pictures in {took:.1f} s")
    if failed:
        sys.exit(f"differs from the picture of the CPU: {' '.join(failed)}")


main()
