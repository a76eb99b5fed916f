# SPDX-License-Identifier: MIT
"""Vulkan programs on stock RADV with the virtual GPU, and on lavapipe: submissions, copies, a frame, and five shaders
of the corpus made as large as programs use them, from the start of the program to its end."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHADERS = SOURCE / "tests/vulkan/shaders"
ICDS = pathlib.Path("/usr/share/vulkan/icd.d")

# What is replaced in the shader's source, its description included.
LARGE = {
    "saxpy": [("f32 1000 ", "f32 4194304 "), ("push u32 1000", "push u32 4194304"), ("dispatch 4 1 1", "dispatch 16384 1 1")],
    "matmul": [("f32 4096 ", "f32 262144 "), ("push u32 64", "push u32 512"), ("dispatch 4 4 1", "dispatch 32 32 1")],
    "nbody": [("f32 1024 ", "f32 16384 "), ("dispatch 2 1 1", "dispatch 32 1 1"), ("t < 2;", "t < 32;")],
    "mandel": [("u32 4096 ", "u32 262144 "), ("0.046875 0.046875", "0.005859375 0.005859375"),
               ("dispatch 8 8 1", "dispatch 64 64 1"), ("p.y * 64", "p.y * 512")],
    "sha256": [("u32 2048 ", "u32 131072 "), ("u32 1024 ", "u32 65536 "), ("dispatch 2 1 1", "dispatch 128 1 1")],
}


def enlarge(name, folder):
    text = (SHADERS / f"{name}.comp").read_text()
    for old, new in LARGE[name]:
        if old not in text:
            raise SystemExit(f"bench: {name}.comp has no '{old}' any more")
        text = text.replace(old, new)
    source, code = folder / f"{name}.comp", folder / f"{name}.spv"
    source.write_text(text)
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", f"-I{SHADERS}", "-V", source, "-o", code],
                   check=True)
    return [str(source), str(code)]


def timed(command, env):
    start = time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    s = time.monotonic() - start
    bad = done.returncode or re.search(r"^(skip|fail) ", done.stdout, re.M)
    return (None, (done.stdout + done.stderr).strip().splitlines()[-1:]) if bad else (s, done.stdout)


def first_stop(build, folder, env):
    """Seconds from the command to the first dispatch of a program, and the end of both."""
    source, code = SHADERS / "affine.comp", folder / "affine.spv"
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-V", source, "-o", code], check=True)
    script = folder / "stop.bw"
    script.write_text("set stop-on-dispatch on\nrun\nkill\n")
    return timed([str(build / "breakwater"), "run", "--batch", "-x", str(script), "--", str(build / "tests/vulkan/vkrun"),
                  "--device", "RADV", str(source), str(code)], env)


def frame(command, env, build, folder):
    """Seconds for one frame of draw_frame with as many pixels as 1920 x 1080: without the program's start."""
    draw = [*command, str(build / "tests/vulkan/draw_frame"), str(build / "tests/vulkan"), str(folder / "frame"), "1440"]
    one, more = (timed([*draw, n], env) for n in ("1", "3"))
    return ((more[0] - one[0]) / 2, "") if one[0] and more[0] else (None, one[1] or more[1])


def measure(build):
    """Rows, and why there are none."""
    vkrun, vkbench = build / "tests/vulkan/vkrun", build / "tests/bench/vkbench"
    if not vkrun.exists() or not vkbench.exists():
        return [], ("configure with -Dvulkan=true, with RADV and lavapipe (Debian: mesa-vulkan-drivers), glslang-tools and "
                    "libvulkan-dev installed")
    env = dict(os.environ, XDG_RUNTIME_DIR=os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
    gpu = [str(build / "breakwater"), "exec", "--"]
    rows = []
    both = {}
    for side, command in (("gpu", gpu + [str(vkbench), "RADV"]), ("cpu", [str(vkbench), "llvmpipe"])):
        s, said = timed(command, env)
        if s is None:
            return [], f"vkbench on {'RADV' if side == 'gpu' else 'lavapipe'}: {' '.join(said)}"
        both[side] = json.loads(said)
    g, c = both["gpu"], both["cpu"]
    rows.append({"name": "empty submit and wait", "unit": "us", "value": g["empty_submit_s"] * 1e6,
                 "lavapipe": c["empty_submit_s"] * 1e6})
    rows.append({"name": "the same, in round trips of two processes", "unit": "trips",
                 "value": g["empty_submit_s"] / g["round_trip_s"], "lavapipe": c["empty_submit_s"] / c["round_trip_s"]})
    rows.append({"name": "submits a second", "unit": "1/s", "value": g["submits_per_s"], "lavapipe": c["submits_per_s"]})
    rows.append({"name": "copy of 64 MiB", "unit": "GiB/s", "value": g["copy_bytes_per_s"] / 2**30,
                 "lavapipe": c["copy_bytes_per_s"] / 2**30})
    with tempfile.TemporaryDirectory() as tmp:
        stopped, said = min((first_stop(build, pathlib.Path(tmp), env) for _ in range(3)), key=lambda r: r[0] or 1e9)
        if stopped is None:
            raise SystemExit(f"bench: first stop: {' '.join(said)}")
        rows.append({"name": "first stop of a program, from the command", "unit": "s", "value": stopped, "lavapipe": None})
        on_cpu = dict(env, **dict.fromkeys(("VK_DRIVER_FILES", "VK_ICD_FILENAMES"), str(next(ICDS.glob("lvp_icd*.json")))))
        ours, theirs = frame(gpu, env, build, pathlib.Path(tmp)), frame([], on_cpu, build, pathlib.Path(tmp))
        if ours[0] is None or theirs[0] is None:
            raise SystemExit(f"bench: draw_frame: {ours[1] or theirs[1]}")
        rows.append({"name": "frame of 1440 x 1440: shadows, 4 samples, lines", "unit": "s", "value": ours[0], "lavapipe": theirs[0]})
        for name in LARGE:
            case = enlarge(name, pathlib.Path(tmp))
            ours = min((timed(gpu + [str(vkrun), "--device", "RADV", *case], env) for _ in range(2)), key=lambda r: r[0] or 1e9)
            theirs = min((timed([str(vkrun), "--device", "llvmpipe", *case], env) for _ in range(2)), key=lambda r: r[0] or 1e9)
            if ours[0] is None or theirs[0] is None:
                raise SystemExit(f"bench: {name}: {ours[1] if ours[0] is None else theirs[1]}")
            rows.append({"name": f"{name}, the whole program", "unit": "s", "value": ours[0], "lavapipe": theirs[0]})
    return rows, None


def show(rows, why_not):
    print(f"\n{'Vulkan programs on RADV':<52}{'virtual GPU':>14}{'lavapipe':>14}{'ratio':>14}")
    if why_not:
        print(f"Not measured: {why_not}.")
    for r in rows:
        line = f"{r['name']:<52}{r['value']:>14.4g}"
        if r["lavapipe"] is not None:
            line += f"{r['lavapipe']:>14.4g}{r['value'] / r['lavapipe']:>13.2f}x"
        else:
            line += f"{'-':>14}{'-':>14}"
        print(f"{line} {r['unit']}")
