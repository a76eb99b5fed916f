#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python module, by Debian's python3 and in scripts that the program runs: what it reads, its errors, functions of
breakpoints and their exceptions, Ctrl-C, and the examples of doc/scripting.md."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from documented import fenced, numberless  # noqa: E402
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal, main  # noqa: E402
from looked_at import Gpu  # noqa: E402

# Of Debian, which the module is for; the tests themselves may be run by another one.
PYTHON = "/usr/bin/python3"
SAXPY = '"examples/saxpy.s", "--grid", 128, "--group", 64, "--arg", "a=2.0", "--arg", "x=iota:128", ' \
        '"--arg", "y=fill:128:1", "--arg", "out=zeros:128"'
SAXPY_WORDS = [w.strip(' "') for w in SAXPY.split(",")]
LOOP = '"tests/e2e/kernels/loop.s", "--grid", 64, "--group", 64, "--arg", "out=zeros:4"'
LOOP_WORDS = [w.strip(' "') for w in LOOP.split(",")]


def environment():
    """Under a sanitizer its runtime must come before the library, whose process is no program of ours."""
    library = BUILD / "libbreakwater.so.0"
    found = re.findall(r"=> (\S*/lib[at]san\.so\S*)", subprocess.run(["ldd", library], capture_output=True, text=True).stdout)
    options = os.environ.get("ASAN_OPTIONS", "")
    more = {"LD_PRELOAD": found[0], "ASAN_OPTIONS": f"{options}:detect_leaks=0"} if found else {}
    return dict(os.environ, PYTHONPATH=str(BUILD / "python"), BREAKWATER_LIBRARY=str(library), PYTHONDONTWRITEBYTECODE="1",
                **more)


def start_python(text):
    """Debian's python3 with a script; LD_PRELOAD is for itself alone."""
    script = "import os\nos.environ.pop('LD_PRELOAD', None)\nimport breakwater\n" + textwrap.dedent(text)
    return subprocess.Popen([PYTHON, "-c", script], cwd=SOURCE, env=environment(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def python(text, status=0):
    """What the script prints, and its standard error."""
    process = start_python(text)
    out, err = process.communicate(timeout=TIMEOUT_S)
    check(process.returncode == status, f"status {process.returncode}, expected {status}\n{out}{err}")
    return out, err


def start_script(text, folder, *words, name="script.py", before=(), **env):
    path = pathlib.Path(folder) / name
    path.write_text(textwrap.dedent(text))
    return subprocess.Popen([str(BREAKWATER), "run", *before, "-x", str(path), *words], cwd=SOURCE,
                            env=dict(os.environ, **env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def script(text, *words, commands="", status=0, **more):
    """breakwater run -x SCRIPT WORDS; commands come on standard input after it."""
    with tempfile.TemporaryDirectory() as folder:
        process = start_script(text, folder, *words, **more)
        out, err = process.communicate(commands, timeout=TIMEOUT_S)
    check(process.returncode == status, f"status {process.returncode}, expected {status}\n{out}{err}")
    return out, err


# ---- The module ----

def reads():
    out, _ = python(f"""
        with breakwater.run({SAXPY}) as s:
            assert s.state == "none"
            b = s.breakpoint("compute")
            event = s.run()
            assert (event.kind, event.breakpoint.number, event.n_waves, s.state) == ("stopped", 1, 4, "stopped"), event
            assert [w.number for w in s.waves] == [1, 2, 3, 4]
            w = s.waves[3]
            assert (w.workgroup, w.wave_in_group, w.lanes, w.dispatch) == ((1, 0, 0), 1, 32, 1)
            assert w.name == "AMDGPU Wave 1:1:1:4 (1,0,0)/1" and w.where == "saxpy () at saxpy.s:26"
            assert w.active_lanes == list(range(32)) and w.exec_mask == 0xffffffff and w.reasons == ["BREAKPOINT"]
            assert w.work_item(5) == (37, 0, 0)
            v2 = w.read("v2", "f")
            assert isinstance(v2, memoryview) and list(v2) == [96.0 + i for i in range(32)]
            assert w["v2"].format == "I" and w["v2"].nbytes == 128 and w["s4"] == 0x40000000 and w["pc"] == w.pc
            assert len(w.read("s[8:11]")) == 4
            w["s4"] = 7
            assert w["s4"] == 7
            v2[0] = -1.5
            w["v2"] = v2
            w.write_lane("v2", 1, 2.5)
            w.write_lane("v2", 2, 0x40000000)
            assert list(w.read("v2", "f"))[:4] == [-1.5, 2.5, 2.0, 99.0]
            x = w.evaluate("x")
            assert x.kind == "pointer" and x.type == "float *", x.type
            assert memoryview(w.read_memory(int(x), 16)).cast("f").tolist() == [0, 1, 2, 3]
            w.write_memory(int(x) + 4, memoryview(bytes(4)))
            assert float(s.evaluate("x[1]")) == 0
            assert int(w.evaluate("$_lane", 9)) == 9 and len(w.evaluate("$v2")) == 32
            w.focus(3)
            assert s.focus == w and s.lane == 3
            d = s.dispatches[0]
            assert (d.kernel, d.groups, d.group, d.state) == ("saxpy", (2, 1, 1), (64, 1, 1), "running")
            assert "hit 4 times" in s.command("info breakpoints") or "hit" in s.command("info breakpoints")
            assert s.json("print 6*7")[0]["value"] == 42
            step = s.step("instruction", 2)
            assert step.kind == "stopped" and step.wave == w
            assert (b.place, b.kind, b.enabled, b.condition, b.is_pending) == ("compute", "code", True, "", False)
            b.condition, b.enabled, b.ignore = "$_lane == 3", False, 2
            assert (b.condition, b.enabled, b.ignore) == ("$_lane == 3", False, 2)
            assert [x.number for x in s.breakpoints] == [1]
            b.delete()
            end = s.proceed()
            assert (end.kind, end.exit_status, end.wave) == ("exited", 0, None)
        try:
            import numpy
            assert (numpy.asarray(v2)[1:3] == [97.0, 98.0]).all()
        except ImportError:
            pass
        print("read")
        """)
    equal(out, "read\n", "reads")


def errors():
    out, _ = python(f"""
        def refused(what, code, words):
            try:
                what()
            except breakwater.Error as e:
                assert e.code == code and words in str(e), (e, e.code)
            else:
                raise AssertionError(words)
        refused(lambda: breakwater.run("no/such.s"), "system", "no/such.s")
        refused(lambda: breakwater.run("README.md"), "invalid", "README.md")
        refused(lambda: breakwater.run("examples/saxpy.s"), "invalid", "--grid")
        refused(lambda: breakwater.run("a\\0b"), "invalid", "character of 0")
        refused(lambda: breakwater.current(), "state", "no session of a command line")
        s = breakwater.run({LOOP})
        refused(s.resume, "state", "not being run")
        s.breakpoint("tbreak loop")
        s.run()
        s.resume()
        assert s.wait(0.05) is None and s.state == "running"
        refused(lambda: s.waves, "state", "is running")
        refused(lambda: s.command("info waves"), "state", "is running")
        s.interrupt()
        w = s.wait().wave
        refused(lambda: w["q9"], "not-found", "q9")
        refused(lambda: w.read("v2", "Z"), "invalid", "Z")
        refused(lambda: w.write("v2", bytes(3)), "invalid", "128 bytes, not 3")
        refused(lambda: w.read_memory(0x10, 4), "fault", "0x10")
        refused(lambda: w.read_memory(0, 4, "moon"), "invalid", "moon")
        refused(lambda: s.step("sideways"), "invalid", "sideways")
        refused(lambda: s.breakpoint("nowhere_at_all"), "not-found", "nowhere_at_all")
        refused(lambda: s.breakpoint("loop", condition="1 +"), "invalid", "")
        assert not s.breakpoints
        s.kill()
        refused(lambda: w["s4"], "state", "not being run")
        s.close()
        s.close()
        refused(lambda: w["s4"], "state", "has been closed")
        refused(s.start, "state", "has been closed")
        refused(lambda: s.state, "state", "has been closed")
        s.interrupt()
        assert not s.is_open and "closed" in repr(s)
        print("refused")
        """)
    equal(out, "refused\n", "errors")


def functions():
    out, err = python(f"""
        with breakwater.run({SAXPY}) as s:
            seen = []
            def second(wave):
                return wave.workgroup == (1, 0, 0) and float(wave.evaluate("as_float($v2[0])")) >= 64
            def note(wave):
                seen.append(wave.wave_in_group)
                return wave.wave_in_group == 1
            b = s.breakpoint("compute", condition=second, callback=note)
            assert s.run().kind == "stopped"
            assert 1 in seen and [w.reasons for w in s.waves if w.breakpoint] == [["BREAKPOINT"]]
            b.on_hit(callback=lambda wave: False)
            assert s.run().kind == "exited" and b.hits == 1
            b.on_hit(condition=lambda wave: wave.no_such_thing)
            event = s.run()
            assert event.kind == "stopped" and event.breakpoint.number == b.number
            b.on_hit(callback=lambda wave: s.proceed())
            assert s.run().kind == "stopped"
            b.on_hit()
            b.delete()
            assert s.run().kind == "exited"
        with breakwater.run({SAXPY}) as s:
            def leave(wave):
                raise SystemExit(7)
            s.breakpoint("compute", callback=leave)
            s.run()
        """, status=7)
    equal(out, "", "output")
    check("Traceback (most recent call last)" in err and "no attribute 'no_such_thing'" in err, f"no traceback: {err}")
    check("A breakpoint's function can only read its wave" in err, f"resuming in a function: {err}")


def await_line(process, wanted):
    for line in process.stdout:
        if line.strip() == wanted:
            return
    check(False, f"it did not say {wanted}: {process.stderr.read()}")


def interrupt():
    process = start_python(f"""
        s = breakwater.run({LOOP})
        s.breakpoint("tbreak loop")
        s.run()
        s.resume()
        print("waiting", flush=True)
        try:
            s.wait()
        except KeyboardInterrupt:
            print("interrupted", s.state, s.focus.where.split()[-1].split(":")[0])
        """)
    await_line(process, "waiting")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT_S)
    equal((out, process.returncode), ("interrupted stopped loop.s\n", 0), f"Ctrl-C: {err}")


# ---- Scripts ----

def sessions_go_on():
    out, err = script("""
        import breakwater
        s = breakwater.current()
        b = s.breakpoint("compute", condition=lambda wave: wave.workgroup[0] == 1)
        print(s.run().kind, s.focus.workgroup)
        with s:
            pass
        kept = 5
        """, *SAXPY_WORDS, commands="info breakpoints\nprint/f $v2[3]\n")
    lines = out.splitlines()
    equal(lines[0], "stopped (1, 0, 0)", f"the script: {out}{err}")
    check("in saxpy at saxpy.s:26" in out, f"the breakpoint of the script: {out}")
    equal(lines[-2:], ["$1 = 67", "[The program was killed]"], f"commands after it: {out}{err}")


def scripts_are_sourced():
    with tempfile.TemporaryDirectory() as folder:
        first, second = pathlib.Path(folder) / "first.py", pathlib.Path(folder) / "second.py"
        first.write_text("import helper, breakwater, sys\nvalue = helper.VALUE\nassert __name__ == '__main__'\n")
        (pathlib.Path(folder) / "helper.py").write_text("VALUE = 11\n")
        second.write_text("import breakwater\ntry:\n    breakwater.current().command('source %s')\n"
                          "except breakwater.Error as e:\n    print(e.code)\nprint(value, breakwater.current().state)\n" % first)
        done = subprocess.run([str(BREAKWATER), "run", "--batch", "-ex", f"source {first}", "-ex", f"source {second}",
                               "-ex", "run", *SAXPY_WORDS], cwd=SOURCE, capture_output=True, text=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)
        equal(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        equal(lines[:2], ["state", "11 none"], "the second script")
        check("exited normally" in lines[2], f"the command after them: {lines}")
        check(not list(pathlib.Path(folder).glob("__pycache__/first*")), "a script was cached")


def scripts_fail():
    out, err = script("import breakwater\nprint(breakwater.current().evaluate('1 + 1'))\n1 / 0\n", *SAXPY_WORDS, status=2)
    equal(out, "2\n", "what it printed before")
    check("ZeroDivisionError" in err and "line 3" in err and "_script.py" not in err, f"traceback: {err}")
    check("script.py has failed" in err, f"the error: {err}")
    done = subprocess.run([str(BREAKWATER), "run", "-x", "no/such.py", *SAXPY_WORDS], cwd=SOURCE, capture_output=True, text=True,
                          timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    check(done.returncode == 2 and "cannot read the script no/such.py" in done.stderr, done.stderr)
    _, err = script("this is no python\n", *SAXPY_WORDS, status=2)
    check("SyntaxError" in err, err)
    out, _ = script("import sys\nprint('ends')\nsys.exit()\n", *SAXPY_WORDS, commands="echo after\\n\n")
    equal(out, "ends\nafter\n", "sys.exit")
    _, err = script("", *SAXPY_WORDS, status=2, BREAKWATER_PYTHON="/no/libpython.so")
    check("install the package libpython3.11 (Debian 12)" in err, err)
    _, err = script("", *SAXPY_WORDS, status=2, BREAKWATER_PYTHON="libm.so.6")
    check("it is not a libpython" in err, err)
    out, _ = script("", *SAXPY_WORDS, status=2, before=["--json"])
    check("cannot be run with --json" in out, out)


def sessions_of_scripts_end():
    """A script has a second session beside that of the command line; both end with the program."""
    out, err = script(f"""
        import atexit, breakwater
        s = breakwater.current()
        other = breakwater.run({LOOP})
        other.breakpoint("tbreak loop")
        print(other.run().kind, s.state)
        other.resume()
        s.breakpoint("compute")
        print(s.run().kind, other.state)
        atexit.register(lambda: print("at the end", s.is_open, other.is_open))
        pid = other.command
        """, *SAXPY_WORDS, commands="delete\ncontinue\n")
    lines = out.splitlines()
    equal(lines[:2], ["stopped none", "stopped running"], f"two sessions {err}")
    check("exited normally" in lines[2], f"commands after it: {out}{err}")
    check(lines[3].startswith("at the end True True"), f"atexit: {out}{err}")


def scripts_are_interrupted():
    waits = "s.start()\nprint('there', flush=True)\ns.wait()\n"
    for what in (waits, "print('there', flush=True)\nwhile True: pass\n"):
        with tempfile.TemporaryDirectory() as folder:
            process = start_script("import breakwater\ns = breakwater.current()\n" + what, folder, *LOOP_WORDS)
            await_line(process, "there")
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT_S)
            equal(process.returncode, 2, f"after Ctrl-C: {err}")
            check("Quit: interrupted" in err, err)
    script("while True: pass\n", *LOOP_WORDS, status=124, before=["--timeout", "1"])


# ---- The documentation ----

def examples():
    steady = {"BREAKWATER_VGPU_ARGS": "--deterministic"}  # waves of a workgroup come to a breakpoint together
    process = subprocess.run([PYTHON, "-c", "import os\nos.environ.pop('LD_PRELOAD', None)\n" + fenced("## Python", "python")],
                             cwd=SOURCE, env={**environment(), **steady}, capture_output=True, text=True, timeout=TIMEOUT_S)
    equal(numberless(process.stdout), numberless(fenced("This prints:")), f"the module's example {process.stderr}")
    words = fenced("This command runs it:", "sh").replace("\\\n", " ").split()
    equal(words[:2], ["breakwater", "run"], "the command")
    done = subprocess.run([str(BREAKWATER), *words[1:]], cwd=SOURCE, capture_output=True, text=True, timeout=TIMEOUT_S,
                          stdin=subprocess.DEVNULL, env={**os.environ, **steady})
    equal(sorted(numberless(done.stdout).splitlines()), sorted(fenced("The script prints:").splitlines()),
          f"the script's example {done.stderr}")
    equal(fenced("[examples/check.py](../examples/check.py) finds", "python"), (SOURCE / "examples/check.py").read_text(),
          "the example in the text")


def waves_that_hang():
    """Of a program that nobody debugs; work-item i of kernels/stuck.s has written 3 * i + 7, and hangs."""
    with Gpu() as gpu:
        gpu.start("stuck", out="zeros:64")
        gpu.await_states(["running"] * 2)
        out, _ = python(f"""
            with breakwater.look_at_waves({gpu.waves()[0]["pid"]}, halt=True) as session:
                print(sorted(x for wave in session.waves for x in wave.read("v2", "I")) == [3 * i + 7 for i in range(64)])
                print(session.waves[0].where.split(" at ")[0])
                try:
                    session.resume()
                except breakwater.Error as e:
                    print(e.code, e)
        """)
        equal(out.splitlines(), ["True", "stuck ()", "unsupported a session that only looks at waves cannot run waves: "
                                 '"breakwater run" and "breakwater attach PID" can'], "what Python sees")
        gpu.await_states(["running"] * 2)


if __name__ == "__main__":
    main(reads, errors, functions, interrupt, sessions_go_on, scripts_are_sourced, scripts_fail, sessions_of_scripts_end,
         scripts_are_interrupted, examples, waves_that_hang)
