#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library as others find it: installed into a folder of its own, the example of doc/scripting.md is compiled
by what pkg-config says, and run, with the library alone; the shared library exports what the headers declare, under
its version, and beside it only what the commands of the prompt need; the program shares the library, and has none of
it a second time."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from documented import fenced, numberless  # noqa: E402
from harness import BREAKWATER, BUILD, SOURCE, TIMEOUT_S, check, equal, main  # noqa: E402

PREFIX = "usr/local"
MODULES = "lib/python%d.%d/dist-packages" % sys.version_info[:2]


def output(*command, **kwargs):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=TIMEOUT_S, **kwargs)
    check(done.returncode == 0, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(folder):
    """What `make install DESTDIR=folder` does, without building."""
    env = dict(os.environ, DESTDIR=str(folder))
    output("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", env=env)
    found = list(folder.rglob("libbreakwater.so.0"))
    equal(len(found), 1, "copies of the library")
    return found[0].parent


def sanitizer_of(library):
    """A sanitizer's runtime must come before the library that is made with it."""
    found = re.findall(r"=> (\S*/lib[at]san\.so\S*)", output("ldd", library))
    return {"LD_PRELOAD": found[0]} if found else {}


# A program that asks for a command of the prompt.
COMMAND = """
#include <breakwater/breakwater.h>
#include <stdio.h>
int main(int argc, char **argv) {
	const char *words[] = {"run", argv[1], "--grid", "64", "--group", "64", "--arg", "out=zeros:64", NULL};
	struct breakwater_session *s;
	char *text = "";
	struct breakwater_error *err = breakwater_open(words, &s);
	if (!err)
		err = breakwater_command(s, "echo here", false, &text);
	puts(err ? breakwater_error_message(err) : text);
	return err != NULL;
}
"""

# A program that needs none: a breakpoint with a condition, and a step.
STEPS = """
#include <breakwater/breakwater.h>
#include <stdio.h>
static struct breakwater_error *debug(char *kernel, struct breakwater_session **s, struct breakwater_event **e) {
	const char *words[] = {"run", kernel, "--grid", "64", "--group", "64", "--arg", "out=zeros:64", NULL};
	const struct breakwater_break_at at = {.size_b = sizeof(at), .place = "loop.s:10", .condition = "$v1 == 5"};
	struct breakwater_wave before = {.size_b = sizeof(before)}, after = before;
	struct breakwater_error *err;
	uint32_t number;
	if ((err = breakwater_open(words, s)) || (err = breakwater_break_set(*s, &at, &number)) ||
	    (err = breakwater_start(*s)) || (err = breakwater_wait(*s, -1, e)) ||
	    (err = breakwater_wave(*s, breakwater_event_wave(*e), &before)))
		return err;
	breakwater_event_free(*e);
	if ((err = breakwater_step(*s, BREAKWATER_STEP_INSTRUCTION, 1, e)) ||
	    (err = breakwater_wave(*s, breakwater_event_wave(*e), &after)))
		return err;
	printf("breakpoint %u, then %d bytes\\n", before.breakpoint, (int)(after.pc - before.pc));
	breakwater_event_free(*e);
	breakwater_close(*s);
	return NULL;
}
int main(int argc, char **argv) {
	struct breakwater_session *s = NULL;
	struct breakwater_event *e = NULL;
	struct breakwater_error *err = debug(argv[1], &s, &e);
	if (err)
		puts(breakwater_error_message(err));
	return err != NULL;
}
"""


def compiled(folder, libraries, name, text):
    (folder / f"{name}.c").write_text(text)
    output("gcc", f"-I{folder / PREFIX / 'include'}", folder / f"{name}.c", f"-L{libraries}", "-lbreakwater", "-o", folder / name)
    return folder / name


def alone(folder, libraries):
    """Without the library of the commands, only these are missing, which is said."""
    other = folder / "alone"
    other.mkdir()
    for file in libraries.glob("libbreakwater.so*"):
        shutil.copy(file, other / file.name, follow_symlinks=False)
    command, steps = compiled(folder, libraries, "command", COMMAND), compiled(folder, libraries, "steps", STEPS)
    missing = "Commands need libbreakwater-commands.so.0, which is installed beside libbreakwater.so.0"
    for program, place, expected in ((command, libraries, "here"), (command, other, missing), (steps, other, "breakpoint 1, then 4 bytes\n")):
        env = dict(os.environ, LD_LIBRARY_PATH=str(place), **sanitizer_of(place / "libbreakwater.so.0"))
        if place == other:  # the parts that it starts are found from where it is installed
            env["BREAKWATER_LIBEXEC"] = str(folder / PREFIX / "libexec/breakwater")
        said = subprocess.run([program, SOURCE / "tests/e2e/kernels/loop.s"], env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
        check(said.stdout.startswith(expected), f"{program.name} with {place.name}: {said.stdout}{said.stderr}")


def example():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        libraries = install(folder)
        env = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=name, PKG_CONFIG_PATH=str(libraries / "pkgconfig"))
        flags = output("pkg-config", "--cflags", "--libs", "breakwater", env=env).split()
        equal(output("pkg-config", "--modversion", "breakwater", env=env).strip(),
              output(BREAKWATER, "--version").split()[1], "version")
        source = folder / PREFIX / "share/doc/breakwater/examples/library.c"
        output("gcc", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", source, *flags, "-o", folder / "library")
        needed = output("objdump", "-p", folder / "library")
        check("libbreakwater.so.0\n" in needed, f"it does not ask for the soname:\n{needed}")
        said = output(folder / "library", "examples/saxpy.s", cwd=SOURCE, env=dict(
            os.environ, BREAKWATER_VGPU_ARGS="--deterministic", LD_LIBRARY_PATH=str(libraries), **sanitizer_of(libraries / "libbreakwater.so.0")))
        expected = fenced("It prints:")
        equal(numberless(said), numberless(expected), "the example")
        alone(folder, libraries)
        includes = [flag for flag in flags if flag.startswith("-I")]
        output("clang-19", "-fsyntax-only", "-Wall", "-Werror", "-x", "c++", "-include", "breakwater/breakwater.h", *includes,
               "/dev/null")


def module():
    """Python finds the installed module and library, and the installed program both for its scripts."""
    with tempfile.TemporaryDirectory() as name:
        libraries = install(pathlib.Path(name))
        folder = pathlib.Path(name) / PREFIX
        library = libraries / "libbreakwater.so.0"
        env = dict(os.environ, LD_LIBRARY_PATH=str(libraries), PYTHONPATH=str(folder / MODULES),
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", **sanitizer_of(library))
        equal(output("/usr/bin/python3", "-c", "import breakwater; print(breakwater.__version__)", env=env),
              output(BREAKWATER, "--version").split()[1] + "\n", "version")
        script = folder / "where.py"
        script.write_text("import os, breakwater\nprint(os.path.realpath(breakwater.__file__), breakwater.current().state)\n")
        out = output(folder / "bin/breakwater", "run", "--batch", "-x", script, "examples/saxpy.s", "--grid", "64", "--group", "64",
                     "--arg", "a=2.0", "--arg", "x=iota:64", "--arg", "y=fill:64:1", "--arg", "out=zeros:64", cwd=SOURCE,
                     env={k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"})  # Meson's, with the library of the build
        equal(out, f"{folder.resolve()}/{MODULES}/breakwater/__init__.py none\n", "the module of a script")


def declared():
    names = set()
    for header in (SOURCE / "include/breakwater").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        names |= set(re.findall(r"\b(breakwater_\w+)\(", text))
    return names - {"breakwater_break_fn"}


def exports():
    wanted = declared()
    check(len(wanted) > 50, f"only {sorted(wanted)} are declared")
    lines = output("nm", "-D", "--defined-only", BUILD / "libbreakwater.so.0").splitlines()
    names = {line.split()[-1] for line in lines if line.split()[1] in "TW"}
    mine = {n for n in names if n.startswith("breakwater_")}
    equal({n.split("@")[0] for n in mine}, wanted, "functions of the library")
    equal({n.partition("@@")[2] for n in mine}, {"BREAKWATER_0.1"}, "versions of the library")
    listed = {tuple(n.split("@")) for n in re.findall(r"^ (breakwater_\S+) ", (SOURCE / "debian/libbreakwater0.symbols").read_text(), re.M)}
    equal(listed, {tuple(n.split("@@")) for n in mine}, "debian/libbreakwater0.symbols")
    others = {n for n in names - mine if not (n.startswith("bw_") and n.endswith("@@BREAKWATER_PRIVATE"))}
    check(not others, f"the library exports {sorted(others)[:5]}")
    check("SONAME               libbreakwater.so.0\n" in output("objdump", "-p", BUILD / "libbreakwater.so.0"), "soname")


def defined(file, prefix):
    lines = output("nm", "--defined-only", file).splitlines()
    return {line.split()[-1] for line in lines if line.split()[1] in "TtDdBbRr" and line.split()[-1].startswith(prefix)}


def parts():
    """The commands of the prompt and the line editor are not in the library, and nothing of the library is a second time in
    the program or in the library of the commands."""
    library, commands = BUILD / "libbreakwater.so.0", BUILD / "libbreakwater-commands.so.0"
    check(defined(commands, "bw_cmd_"), "there are commands in libbreakwater-commands.so.0")
    equal(defined(library, ("bw_cmd_", "bw_cli_")), set(), "commands in libbreakwater.so.0")
    check(defined(BREAKWATER, "bw_main_"), "there are commands in the program")
    for other in commands, BREAKWATER:
        equal(defined(library, ("bw_", "breakwater_")) & defined(other, ("bw_", "breakwater_")), set(), f"what is in the library and in {other.name}")
        check("NEEDED               libbreakwater.so.0\n" in output("objdump", "-p", other), f"{other.name} does not ask for the library")
    needed = output("objdump", "-p", library)
    check("libedit" not in needed, f"libbreakwater.so.0 asks for libedit:\n{needed}")
    equal(output("nm", "-D", "--defined-only", commands).count("@@BREAKWATER_PRIVATE"), 1, "what the commands' library exports")


if __name__ == "__main__":
    main(example, module, exports, parts)
