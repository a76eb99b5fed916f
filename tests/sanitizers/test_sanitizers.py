# SPDX-License-Identifier: MIT
"""tools/sanitizers.py, by which every test of a sanitized build is judged: it finds leaks that are planted in the
agent and in the launcher, and errors that change no exit status, and lets drivers' leaks pass.

    test_sanitizers.py AGENT LAUNCHER LOADS DRIVER WILD"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["BREAKWATER_BUILD"])
SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"])
PARTS = ["libbreakwater-agent.so", "breakwater-launch", "breakwater-vgpu"]
FAILED = 99
SAXPY = ["run", SOURCE / "examples/saxpy.s", "--grid", "64", "--group", "64", "--arg", "a=2.0", "--arg", "x=iota:64",
         "--arg", "y=fill:64:1", "--arg", "out=zeros:64"]
failed = []


def judged(what, command, status, *words, **env):
    # what we run under ourselves must not add to the options
    own = {k: v for k, v in os.environ.items() if k not in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}
    done = subprocess.run([sys.executable, SOURCE / "tools/sanitizers.py", *map(str, command)], env=dict(own, **env),
                          capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    missing = [w for w in words if w not in done.stderr]
    good = done.returncode == status and not missing and (status == FAILED or "What the sanitizers" not in done.stderr)
    print(f"{'ok' if good else 'NOT OK'}: {what}")
    if not good:
        print(f"status {done.returncode}, expected {status}; not said: {missing}\n{done.stdout}{done.stderr}")
        failed.append(what)


def ended(what, command, *words):
    """Ended by a signal, as Meson does it when the time is over: where the test hangs is said."""
    p = subprocess.Popen([sys.executable, SOURCE / "tools/sanitizers.py", *map(str, command)], text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.readline()  # it runs
    p.send_signal(signal.SIGTERM)
    out, err = p.communicate(timeout=300)
    missing = [w for w in words if w not in err]
    good = p.returncode == 128 + signal.SIGTERM and not missing
    print(f"{'ok' if good else 'NOT OK'}: {what}")
    if not good:
        print(f"status {p.returncode}; not said: {missing}\n{out}{err}")
        failed.append(what)


def run_with(folder, part, planted):
    """A folder of the parts, one of them planted."""
    place = pathlib.Path(folder) / planted.name
    place.mkdir()
    for name in PARTS:
        (place / name).symlink_to(planted if name == part else BUILD / name)
    return str(place)


def main():
    agent, launcher, loads, driver, wild = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    breakwater = BUILD / "breakwater"
    with tempfile.TemporaryDirectory() as folder:
        judged("a run without leaks", [breakwater, *SAXPY], 0)
        judged("a leak in the agent", [breakwater, *SAXPY], FAILED, "Direct leak of", "plant_a_leak",
               BREAKWATER_LIBEXEC=run_with(folder, PARTS[0], agent))
        judged("a leak in the launcher", [breakwater, *SAXPY], FAILED, "Direct leak of", "plant_a_leak",
               BREAKWATER_LIBEXEC=run_with(folder, PARTS[1], launcher))
        judged("a driver's leak", [breakwater, "exec", "--", loads, driver], 0)
        judged("a read of freed memory", [wild, "memory"], FAILED, "heap-use-after-free")
        judged("a shift that is too far", [wild, "shift"], FAILED, "shift exponent 40", "was aborted")
        judged("no error", [wild, "nothing"], 0)
        judged("a status of its own", [loads], 2)
        ended("a test that hangs", [wild, "hang"], f"{wild} hang", "thread ", "system call")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
