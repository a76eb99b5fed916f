# SPDX-License-Identifier: MIT
"""Names in the debug information of a kernel and of a shader that somebody else has written: newlines, escapes and controls of
writing direction in names of functions, variables, types, members, enumerators and files stay within their line."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dap"))
from client import Client  # noqa: E402
from harness import BREAKWATER, TIMEOUT_S, check  # noqa: E402

PLAIN, EVIL = b"QinjectWescBBB", "\ninject\x1besc\u202e".encode()
N = PLAIN.decode()
KERNEL = f"""struct s{N} {{ int m{N}; float other; }};
enum e{N} {{ one{N} = 1, two{N} }};
typedef int t{N};
__constant int c{N} = 3;
int __attribute__((noinline)) f{N}(int p{N}, struct s{N} x)
{{
	enum e{N} en{N} = two{N};
	t{N} v{N} = p{N} + x.m{N} + en{N};
	return v{N};
}}
kernel void k{N}(global int *a)
{{
	local int l{N}[32];
	struct s{N} x{N} = {{4, 2.0f}};
	l{N}[0] = 1;
	a[0] = f{N}(5, x{N}) + l{N}[0] + c{N};
}}
"""
COMMANDS = ["info functions", "info variables", "info types", "info sources", "info line", "info symbol $pc", "backtrace",
            "info frame", "info args", "info locals", "info scope", "info source", "list", "disassemble", "info breakpoints", "x/2i $pc",
            "info dispatches", "info dispatch", "info waves", "info lanes", "print $pc", "info files", "info kernel", "info address f x",
            "up", "info locals", "info args", "print nosuch", "break nosuch", "ptype nosuch", "whatis x", "display/i $pc", "finish"]
BAD = ("\x1b", "\u202e")


def held(text, what):
    """No line begins with what comes after a newline in a name; nothing acts on a terminal."""
    check(not any(c in text for c in BAD), f"{what}: {text!r}")
    check(not any(line.lstrip().startswith("inject") for line in text.splitlines()), f"{what}:\n{text}")


def debug(words, commands, what, *needs):
    done = subprocess.run([str(BREAKWATER), "run", *words], input="\n".join([*commands, "kill", "quit", ""]), capture_output=True, text=True,
                          timeout=TIMEOUT_S)
    held(done.stdout + done.stderr, what)
    for need in needs:
        check(need in done.stdout, f"{what}: no {need!r}\n{done.stdout}{done.stderr}")


def strings(value):
    """All strings of a message."""
    if isinstance(value, dict):
        return [x for v in value.values() for x in strings(v)] + list(value)
    if isinstance(value, list):
        return [x for v in value for x in strings(v)]
    return [value] if isinstance(value, str) else []


def adapter(code, options):
    """Names that editors show."""
    with Client() as c:
        c.launch(code, options, stopOnEntry=True)
        c.go()
        thread = c.stopped("entry")
        c.request("evaluate", expression="tbreak 8", context="repl")
        c.request("continue", threadId=thread)
        answers = [c.request("stackTrace", threadId=c.stopped())]
        frame = answers[0]["stackFrames"][0]["id"]
        answers += [c.request(what) for what in ("threads", "loadedSources", "modules")]
        scopes = c.request("scopes", frameId=frame)["scopes"]
        answers += [c.request("variables", variablesReference=s["variablesReference"]) for s in scopes]
        c.disconnect()
        said = strings([x for x in answers])
        held("".join(e["body"]["output"] for e in c.events if e["event"] == "output"), "output events")
    check(any("f inject esc" in x for x in said), said)
    check(not any("\n" in x or "\x1b" in x for x in said), [x for x in said if "\n" in x or "\x1b" in x])


SHADER = f"""#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer b{N} {{ uint m{N}[]; }} i{N};
layout(push_constant) uniform p{N} {{ uint q{N}; }};
uint f{N}(uint x{N})
{{
	uint v{N} = x{N} + q{N};
	return v{N};
}}
void main()
{{
	i{N}.m{N}[0] = f{N}(3);
}}
"""


def shader(top):
    """Names in SPIR-V."""
    source, code = top / f"s{N}.comp", top / "evil.spv"
    source.write_text(SHADER)
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-g", "-V", source.name, "-o", code], cwd=top, check=True)
    data = code.read_bytes()
    check(data.count(PLAIN) > 8, "the names are in the SPIR-V")
    code.write_bytes(data.replace(PLAIN, EVIL))
    # the first line of errors names what there is
    debug([code, "--grid", "32"], ["run"], "a shader without its buffer")
    debug(["-O0", code, "--grid", "32", "--arg", "i inject esc\u202e.m inject esc\u202e=zeros:32", "--arg", "p inject esc\u202e.q inject esc\u202e=2"],
          ["break main", "run", *COMMANDS, "info buffers", "info pipelines", "step", "step", "info locals", "backtrace"], "a shader",
          "i inject esc")


with tempfile.TemporaryDirectory() as top:
    top = pathlib.Path(top)
    os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
    source, code = top / f"d{N}.cl", top / "plain.co"
    source.write_text(KERNEL)
    # with the file's name as the compiler was told it, and without its text
    subprocess.run([*sys.argv[1].split(), "-O0", "-g", "-o", code, source.name], cwd=top, check=True)
    evil = top / "evil.co"
    data = code.read_bytes()
    check(data.count(PLAIN) > 20, "the names are in the debug information")
    evil.write_bytes(data.replace(PLAIN, EVIL))
    run = ["--grid", "32", "--group", "32", "--arg", "a=zeros:32"]
    debug([evil, *run], ["tbreak 8", "run", *COMMANDS], "a kernel", "f inject esc", "k inject esc", "s inject esc", "m inject esc", "d inject esc")
    adapter(evil, run)
    page = top / "page.html"
    debug([evil, *run], ["tbreak 8", "run", f"report {page}"], "a page of a kernel")
    text = page.read_text()
    check("f inject esc" in text and not any(c in text for c in BAD), "names on a page")
    if len(sys.argv) > 2 and shutil.which("glslangValidator"):
        shader(top)
