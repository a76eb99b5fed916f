# SPDX-License-Identifier: MIT
"""tools/run-tests.py, on a project of Meson's made here: what CI runs again, and what fails at once."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["BREAKWATER_SOURCE"])
PROJECT = """project('p')
test_program = find_program('test.py')
foreach name : ['good', 'once-1', 'once-2', 'once-3', 'always', 'finding', 'dies', 'slow']
  test(name, test_program, args: name, timeout: 1)
endforeach
"""
# Each leaves a file when it has run.
TEST = """#!/usr/bin/env python3
import os, pathlib, signal, sys, time
name = sys.argv[1]
ran = pathlib.Path(os.environ["RAN"]) / name
first = not ran.exists()
ran.touch()
if name == "finding" and first:
    sys.exit(99)
if name == "dies" and first:
    os.kill(os.getpid(), signal.SIGABRT)
if name == "slow" and first:
    time.sleep(60)
sys.exit(1 if name == "always" or name.startswith("once") and first else 0)
"""
failed = []


def judged(build, what, names, passes, again, ci="true"):
    with tempfile.TemporaryDirectory() as ran:
        env = {k: v for k, v in os.environ.items() if k != "CI"} | {"RAN": ran} | ({"CI": ci} if ci else {})
        done = subprocess.run([sys.executable, SOURCE / "tools/run-tests.py", build, "--timeout-multiplier", "1", *names], env=env,
                              capture_output=True, text=True, timeout=100)
    good = (done.returncode == 0) == passes and (passes or "Fail:" in done.stdout) and ("Once more, alone: " in done.stdout) == again \
        and ("UNSTEADY: " in done.stdout) == (passes and again)
    print(f"{'ok' if good else 'NOT OK'}: {what}")
    if not good:
        print(f"status {done.returncode}\n{done.stdout}{done.stderr}")
        failed.append(what)


with tempfile.TemporaryDirectory() as folder:
    project, build = pathlib.Path(folder) / "p", pathlib.Path(folder) / "build"
    project.mkdir()
    (project / "meson.build").write_text(PROJECT)
    (project / "test.py").write_text(TEST)
    (project / "test.py").chmod(0o755)
    subprocess.run(["meson", "setup", build, project], check=True, capture_output=True)
    judged(build, "what passes is not run again", ["good"], True, False)
    judged(build, "all of them, of which most fail", [], False, False)
    judged(build, "two that fail once", ["good", "once-1", "once-2"], True, True)
    judged(build, "one that took too long", ["slow"], True, True)
    judged(build, "without CI nothing is run again", ["once-1"], False, False, ci=None)
    judged(build, "three that fail once are no accident", ["once-1", "once-2", "once-3"], False, False)
    judged(build, "what fails each time", ["once-1", "always"], False, True)
    judged(build, "a sanitizer's finding fails at once", ["finding"], False, False)
    judged(build, "a signal fails at once", ["dies"], False, False)
sys.exit(1 if failed else 0)
