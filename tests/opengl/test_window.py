#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with windows, of Vulkan and of OpenGL, on an X server that knows no GPU, with nothing to set: they draw on the
virtual GPU. test_window.py XVFB GLXINFO VKCUBE"""
import os
import subprocess
import sys

BREAKWATER = os.environ["BREAKWATER_BUILD"] + "/breakwater"
XVFB, GLXINFO, VKCUBE = sys.argv[1:]


def under(display, *command):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MESA_", "LIBGL_"))}
    done = subprocess.run([BREAKWATER, "exec", "--", *command], env=dict(env, DISPLAY=display), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode or "left out" in done.stdout:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def main():
    ready, tell = os.pipe()
    server = subprocess.Popen([XVFB, "-displayfd", str(tell), "-screen", "0", "640x480x24", "-nolisten", "tcp"], pass_fds=[tell],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    os.close(tell)
    try:
        number = os.read(ready, 100).decode().strip()
        if not number:
            sys.exit(f"{XVFB}: {server.communicate()[1]}")
        said = under(f":{number}", GLXINFO, "-B")
        if "OpenGL renderer string: zink Vulkan" not in said or "RADV NAVI31" not in said:
            sys.exit(f"OpenGL's window is not drawn on the virtual GPU:\n{said}")
        said = under(f":{number}", VKCUBE, "--c", "3")
        if "RADV NAVI31" not in said:
            sys.exit(f"Vulkan's window is not drawn on the virtual GPU:\n{said}")
    finally:
        server.terminate()
        server.wait()


main()
