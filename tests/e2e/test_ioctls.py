# SPDX-License-Identifier: MIT
"""A program's own ioctls under `breakwater exec`: unknown ones are answered as a kernel without them would
and named once when asked, and priorities are set by descriptor."""
import os
import pathlib
import subprocess
import sys
import tempfile

BREAKWATER = pathlib.Path(os.environ["BREAKWATER_BUILD"]) / "breakwater"

PROGRAM = """
import errno, fcntl, os, struct, sys

def call(fd, nr, data=bytes(8), direction=3):
    buf = bytearray(data)
    try:
        fcntl.ioctl(fd, direction << 30 | len(buf) << 16 | 0x6400 | nr, buf)
    except OSError as e:
        return "EOPNOTSUPP" if e.errno == errno.EOPNOTSUPP else errno.errorcode[e.errno]
    return buf

def context(fd, priority):
    got = call(fd, 0x42, struct.pack("<IIIi", 1, 0, 0, priority))
    return got if isinstance(got, str) else struct.unpack_from("<I", got)[0]

def sched(fd, named, priority, ctx):
    got = call(fd, 0x55, struct.pack("<IIiI", 2, named, priority, ctx), 1)
    return got if isinstance(got, str) else 0

render = os.open("/dev/dri/renderD128", os.O_RDWR)
card = os.open("/dev/dri/card0", os.O_RDWR)
copy = os.dup(render)
for nr in (0x56, 0x56, 0x7f, 0x56):
    print(call(render, nr, bytes(72)))
print(call(render, 0xa7), call(card, 0xa7, bytes(80)), call(card, 0xd5, bytes(16)))
print(context(render, 0), context(render, -512), context(card, 512), context(card, 1023))
print(sched(card, copy, 512, 1), sched(card, copy, 512, 3), sched(card, 0, 512, 1), sched(card, 77, 512, 1))
print(sched(render, copy, 512, 1), sched(card, card, -1023, 2), sched(card, card, 3, 2))

# Nobody but who has opened the card and root gives its master up (drm_master_check_perm).
drop, take = (lambda: call(card, 0x1f, b"", 0)), (lambda: call(card, 0x1e, b"", 0))
sys.stdout.flush()
child = os.fork()
if not child:
    if os.geteuid() == 0:
        os.setresuid(65534, 65534, 65534)
    print(drop(), take(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(drop(), drop(), take(), take())
"""
WANT = """EINVAL
EINVAL
EINVAL
EINVAL
EACCES ENOENT EINVAL
1 2 1 2
0 EINVAL EINVAL EINVAL
EACCES 0 EINVAL
EACCES EACCES
bytearray(b'') EINVAL bytearray(b'') bytearray(b'')
"""
NAMED = ["ioctl USERQ (0xc0486456) is not supported", "ioctl number 0x7f (0xc048647f) is not supported",
         "ioctl number 0xd5 (0xc01064d5) is not supported"]


def run(program, log):
    # The interpreter leaves memory behind, which is not our leak.
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    env.pop("BREAKWATER_LOG", None)
    if log:
        env["BREAKWATER_LOG"] = "warn"
    done = subprocess.run([BREAKWATER, "exec", "--", sys.executable, program], env=env, capture_output=True, text=True)
    if done.returncode or done.stdout != WANT:
        raise SystemExit(f"status {done.returncode}\n{done.stdout}{done.stderr}")
    return [line for line in done.stderr.splitlines() if "ioctl" in line]


with tempfile.TemporaryDirectory() as tmp:
    program = pathlib.Path(tmp, "program.py")
    program.write_text(PROGRAM)
    if run(program, False):
        raise SystemExit("something is said that nobody asked for")
    said = run(program, True)
    if len(said) != len(NAMED) or not all(s.endswith(n) for s, n in zip(said, NAMED)):
        raise SystemExit("\n".join(said))
    print("ioctls: ok")
