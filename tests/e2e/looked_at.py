# SPDX-License-Identifier: MIT
"""A GPU with programs that no debugger has started, for tests of what looks at them."""
import os
import pathlib
import subprocess
import tempfile
import time

import harness
from harness import BREAKWATER, BUILD, KERNELS, TIMEOUT_S, Failure, check


class Gpu:
    """A virtual GPU with programs on it that never end by themselves."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="waves-")
        self.programs = []
        self.server = subprocess.Popen([BREAKWATER, "vgpu", "serve", "--lockup-timeout=3600000"], text=True,
                                       stdout=subprocess.PIPE)
        self.env = dict(os.environ, BREAKWATER_VGPU=self.server.stdout.readline().strip().split("=", 1)[1])
        return self

    def start(self, kernel, *args, out="zeros:4"):
        """Two waves of a kernel, in two workgroups."""
        code = pathlib.Path(self.folder.name) / f"{kernel}.co"
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-g", "-x", "assembler",
                        KERNELS / f"{kernel}.s", "-o", code], check=True, timeout=TIMEOUT_S)
        p = subprocess.Popen([BREAKWATER, "exec", "--", BUILD / "breakwater-launch", code, "--grid", "64", "--group",
                              "32", "--arg", f"out={out}", *args], env=self.env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        self.programs.append(p)

    def command(self, *args):
        return [BREAKWATER, *args]

    def waves(self, *args):
        done = subprocess.run(self.command("waves", "--json", *args), env=self.env, text=True, capture_output=True,
                              timeout=TIMEOUT_S)
        check(done.returncode == 0, f"waves {args}: {done.stdout}{done.stderr}")
        return harness.parse(done.stdout.strip())["waves"]

    def await_states(self, states, *args):
        """Until the waves are so: a busy machine may take its time."""
        end = time.monotonic() + TIMEOUT_S
        while True:
            waves = self.waves(*args)
            if sorted(w["state"] for w in waves) == sorted(states):
                return waves
            if time.monotonic() > end:
                raise Failure(f"waves that are not {states}: {waves}")

    def __exit__(self, *_):
        for p in self.programs:  # exec passes the signal on to its program; killed itself, it would leave that
            p.terminate()
            p.wait(TIMEOUT_S)
        self.server.terminate()
        self.server.communicate()
        self.folder.cleanup()
