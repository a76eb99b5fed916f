#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of draw_scenes on the virtual GPU (RADV through "breakwater exec") against lavapipe's. A component may
differ by 1 of 255 (by more where the table says so, with the reason), and a few pixels of a scene by more, where its
shader jumps between two values."""

import glob
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["BREAKWATER_BUILD"]
SCENES = sys.argv[1]

# scene: (largest difference, pixels that may differ more, why)
TOLERATED = {
    "over": (2, 0, "twenty layers, each packed with rounding toward zero"),
    "rg11b10": (4, 0, "one unit in the last place, 1/64 of blue; its rounding is the implementation's"),
    "over_rg11b10": (4, 0, "as rg11b10"),
    "rectangles_samples4": (1, 3, "lavapipe leaves out samples left of the first pixel's centre of a tile"),
    "logic": (1, 40, "an exclusive or of two colours that differ by 1"),
}


def run(command, **env):
    result = subprocess.run(command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=500)
    if result.returncode or "left out" in result.stderr:
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stdout}{result.stderr}")


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


def main():
    lavapipe = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")[0]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/vgpu", f"{folder}/lavapipe"
        command = [SCENES, f"{BUILD}/tests/vulkan"]
        wanted = sys.argv[2:]
        run(command + [theirs] + wanted, VK_DRIVER_FILES=lavapipe, VK_ICD_FILENAMES=lavapipe)
        began = time.monotonic()
        run([f"{BUILD}/breakwater", "exec", "--", *command, ours, *wanted])
        took = time.monotonic() - began
        got, expected = read(ours), read(theirs)
    assert got.keys() == expected.keys() and got, (got.keys(), expected.keys())
    for name, (width, height, texels) in got.items():
        assert len(set(texels[i:i + 4] for i in range(0, len(texels), 4))) > 1, f"{name} shows nothing"
        most, n, _ = TOLERATED.get(name, (1, 0, ""))
        counts = differences(texels, expected[name][2])
        beyond = sum(count for difference, count in counts.items() if difference > most)
        if beyond > n:
            failed.append(name)
        print(f"{'not ok' if beyond > n else 'ok'} {name}: {beyond} of {width * height} pixels differ by more than {most}; "
              f"by how much: {dict(sorted(counts.items()))}")
    print(f"{len(got)} pictures in {took:.1f} s")
    if failed:
        sys.exit(f"differs from lavapipe: {' '.join(failed)}")


main()
