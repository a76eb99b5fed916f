# SPDX-License-Identifier: MIT
"""Programs under `breakwater exec` that start others with an environment of their own making: these find the GPU too, by
whichever call of libc they were started, with the arguments and variables that they were given."""
import os
import re
import subprocess
import sys

from harness import BREAKWATER, TIMEOUT_S, check, equal, main

# What is started says its argument, its variables that are not ours, and what it finds of the GPU.
SCRIPT = 'echo "$1 $MINE"; ls /dev/dri'
SEEN = "an argument {}\ncard0\nrenderD128\n"
MINE = {"MINE": "is here"}
ARGV = ["sh", "-c", SCRIPT, "name", "an argument"]
CALLS = {
    "execve": (f"os.execve('/bin/sh', {ARGV}, {MINE})", "is here"),
    "execve, nothing": (f"os.execve('/bin/sh', {ARGV}, {{}})", ""),
    "fexecve": (f"os.execve(os.open('/bin/sh', os.O_RDONLY), {ARGV}, {MINE})", "is here"),
    "posix_spawn": (f"os.waitpid(os.posix_spawn('/bin/sh', {ARGV}, {MINE}), 0)", "is here"),
    "posix_spawnp": (f"os.waitpid(os.posix_spawnp('sh', {ARGV}, {MINE}), 0)", "is here"),
    "subprocess": (f"subprocess.run({ARGV}, env={MINE})", "is here"),
    "execv": (f"os.environ.clear(); os.execv('/bin/sh', {ARGV})", ""),
    "execvp": (f"os.environ.clear(); libc.execvp(b'sh', vector({ARGV}))", ""),
    "execvpe": (f"libc.execvpe(b'sh', vector({ARGV}), vector(['MINE=is here']))", "is here"),
    "execl": (f"os.environ.clear(); libc.execl(b'/bin/sh', *words({ARGV}), None)", ""),
    "execlp": (f"os.environ.clear(); libc.execlp(b'sh', *words({ARGV}), None)", ""),
    "execle": (f"libc.execle(b'/bin/sh', *words({ARGV}), None, vector(['MINE=is here']))", "is here"),
    "execl, many arguments": (f"os.environ.clear(); libc.execl(b'/bin/sh', *words({ARGV} + ['more'] * 300), None)", ""),
}
BEFORE = """
import ctypes, os, subprocess
libc = ctypes.CDLL(None)
words = lambda texts: [ctypes.c_char_p(t.encode()) for t in texts]
vector = lambda texts: (ctypes.c_char_p * (len(texts) + 1))(*[t.encode() for t in texts], None)
"""


def under(*program, options=()):
    # Programs that leave memory behind are not what is looked at.
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", LC_ALL="C")
    return subprocess.run([BREAKWATER, "exec", *options, "--", *program], env=env, capture_output=True, text=True, timeout=TIMEOUT_S)


def every_call():
    """One program forks for each, so that there is one GPU for all."""
    code = BEFORE + "".join(f"""
if not (pid := os.fork()):
    {call.replace(chr(10), ' ')}
    os._exit(3)
os.waitpid(pid, 0)
""" if not call.startswith(("os.waitpid", "subprocess")) else call + "\n" for call, _ in CALLS.values())
    done = under(sys.executable, "-c", code)
    equal(done.stdout, "".join(SEEN.format(mine) for _, mine in CALLS.values()), f"what they say; {done.stderr}")


def by_env():
    equal(under("env", "-i", "/bin/ls", "/dev/dri").stdout, "card0\nrenderD128\n", "env -i")
    # what drivers are asked for stays asked for; a word of the user's goes, as what else is the user's
    for options in ([], ["--shader-lines"]):
        said = under("env", "-i", "env", options=options).stdout.splitlines()
        equal(any(re.match("RADV_DEBUG=.*nirdebuginfo", x) for x in said), bool(options), f"{options}, after env -i: {said}")
        said = [sorted(x.split("=")[1].split(",")) for x in said if re.match("AMD_DEBUG=", x)]
        equal(said, [["nodcc", "nohyperz"]], "AMD_DEBUG after env -i")
    # what is taken away by name stays away, and so does what is set to something else
    done = under("sh", "-c", "env -u LD_PRELOAD ls /dev/dri; env -i LD_PRELOAD= ls /dev/dri; true")
    check("renderD128" not in done.stdout, f"without LD_PRELOAD: {done.stdout}")


def by_the_linker():
    """A program that its dynamic linker is told to start has its own name, not the linker's."""
    linker = next(m[1] for line in open("/proc/self/maps") if (m := re.search(r"(/\S*/ld-linux\S*)", line)))
    done = under("sh", "-c", f"{linker} --argv0 reader /bin/cat /proc/self/comm")
    equal(done.stdout, "reader\n", f"the kernel's name of it; {done.stderr}")


if __name__ == "__main__":
    main(every_call, by_env, by_the_linker)
