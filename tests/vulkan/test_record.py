# SPDX-License-Identifier: MIT
"""`breakwater run -O0 SHADER`: each lane's variables, as the shader has noted them at its last line, against
values computed here; what the shader computes is what it computes without -O0.

    test_record.py [VKRUN]"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("BREAKWATER_BUILD", "build")).resolve()
SHADER = str(SOURCE / "noted.comp")
SMALL = str(SOURCE / "small.comp")
LANES = 64


def breakwater(*words, commands=()):
    command = [str(BUILD / "breakwater"), "run", *words, "--groups", "1", "--arg", "result=zeros:64", "--print", "result"]
    for c in commands:
        command += ["-ex", c]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    return done.stdout + done.stderr, done.returncode


def locals_of(i):
    """What the variables of lane i are at the end, as `info locals` prints them."""
    steps = [float(i + z) for z in range(4)]
    steps[i & 3] *= 2
    total = sum(3 * k + 1 for k in range(i)) + (i & 7)
    number = lambda x: f"{x:g}"
    return {
        "i": str(i), "sum": str(total), "low": str(i & 7),
        "steps": "{" + ", ".join(number(x) for x in steps) + "}",
        "p": f"{{at = {{{number(total)}, 0.5, -1}}, n = {i - 3}, is_near = {'true' if i - 3 < 5 else 'false'}}}",
        "m": f"{{{{1, 2}}, {{3, {number(i)}}}}}", "d": number(i / 4), "pair": f"{{{total}, {i}}}",
        "never": "<not assigned yet>", "calls": str(i)}


def result_line(text):
    return next(line for line in text.splitlines() if re.fullmatch(r"(\d+ ){63}\d+", line.strip()))


def places(shader=SHADER):
    """The addresses of the first instruction and of the one that stores the result."""
    out, _ = breakwater("-O0", shader, commands=["break main", "run", "disassemble"])
    return re.search(r"(0x[0-9a-f]+) <\+0>:", out)[1], re.findall(r"(0x[0-9a-f]+) <\+\d+>: buffer_store_b32", out)[-1]


def check_values(first, address):
    lanes = (0, 1, 5, 33, 63)
    commands = [f"break *{first}", "run", "info locals", f"tbreak *{address}", "continue"]
    for lane in lanes:
        commands += [f"lane {lane}", "info locals", "print calls"]
    commands += ["print sum @lanes", "print p.at.x + 1", "info address sum", "continue"]
    out, status = breakwater("-O0", SHADER, commands=commands)
    assert status == 0, out
    assert "i = <not known before the lane's first line>" in out, out
    parts = out.split("[Switching to ")[2:]
    assert len(parts) == len(lanes), out
    for lane, part in zip(lanes, parts):
        want = locals_of(lane)
        calls = want.pop("calls")
        for name, value in want.items():
            assert f"\n{name} = {value}\n" in part, f"lane {lane}: not {name} = {value} in\n{part}"
        assert not re.search(r"^[zk] = ", part, re.M), f"variables of blocks that have ended:\n{part}"
        assert re.search(rf"^\$\d+ = {calls}$", part, re.M), f"lane {lane}: calls\n{part}"
    for lane in range(LANES):
        assert re.search(rf"^{lane}\s+{locals_of(lane)['sum']}$", parts[-1], re.M), f"{lane}\n{parts[-1]}"
    assert 'Symbol "sum" is a variable in the shader\'s record of its variables' in out, out
    return result_line(out)


def small_of(i):
    """What the variables of lane i of small.comp are, as `info locals` prints them."""
    half = f"{i / 2:g}"
    steps = [(60 * z + (10 if z == i % 5 else 0)) & 255 for z in range(5)]
    one = "a = -128, b = 65535, c = {{0.25, {}, {}}}, d = {{1, 2, {}}}, e = 1.5, f = {{-2, 3}}"
    return {
        "i": str(i), "small": str(i - 40), "medium": str(i * 1000 & 65535), "half_of": half, "pair": f"{{-1.5, {half}}}",
        "bytes": f"{{{i}, 255, 1, 128}}", "sum": str(5 - i), "low": str(i // 2),
        "steps": "{" + ", ".join(map(str, steps)) + "}", "one": "{" + one.format("6.1035e-05", half, i) + "}",
        "node": f"(Node *) {0x123456780000 + 16 * i:#x}", "never": "<not assigned yet>"}


def check_small():
    """Variables of 8 and 16 bits, and pointers."""
    plain, status = breakwater(SMALL)
    assert status == 0, plain
    commands = [f"break *{places(SMALL)[1]}", "run"]
    lanes = (0, 1, 5, 33, 63)
    for lane in lanes:
        commands += [f"lane {lane}", "info locals", "print calls", "print list[1]", "print one.d[1] + 1"]
    commands += ["delete", "print small @lanes", "ptype one", "continue"]
    out, status = breakwater("-O0", SMALL, commands=commands)
    assert status == 0 and result_line(out) == result_line(plain), out
    parts = out.split("[Switching to ")[2:]
    assert len(parts) == len(lanes), out
    for lane, part in zip(lanes, parts):
        want = small_of(lane)
        for name, value in want.items():
            assert f"\n{name} = {value}\n" in part, f"lane {lane}: not {name} = {value} in\n{part}"
        assert re.search(rf"^\$\d+ = 1\n\$\d+ = {re.escape(want['one'].replace('6.1035e-05', '5.9605e-08'))}\n\$\d+ = 3$", part, re.M), part
    for lane in range(LANES):
        assert re.search(rf"^{lane}\s+{lane - 40}$", parts[-1], re.M), parts[-1]


def check_damaged():
    """SPIR-V that ends early is said to, with the place, and not made into something else."""
    with tempfile.TemporaryDirectory() as folder:
        spirv, cut = pathlib.Path(folder, "a.spv"), pathlib.Path(folder, "cut.spv")
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-g", "-V", SHADER, "-o", spirv], check=True)
        cut.write_bytes(spirv.read_bytes()[:4000])
        out, status = breakwater("-O0", str(cut))
        assert status and re.search(r"cut\.spv does not note its variables and lines in spite of -O0: the SPIR-V ends \w+.* word \d+", out), out


def check_left_behind(first):
    """Scratch memory that an earlier wave has left its record in: a wave that has not begun its own has no values, not
    even where the earlier one was killed: the store by which its lanes end their records is removed."""
    waves = 96  # of 64 KiB of LDS each, in 48 WGPs
    command = [str(BUILD / "breakwater"), "run", "-O0", "-DFEW_WAVES", SHADER, "--groups", str(3 * waves), "--arg",
               f"result=zeros:{3 * waves * 64}"]
    found, _ = breakwater("-O0", "-DFEW_WAVES", SHADER, commands=["break main", "run", "disassemble"])
    end = re.findall(r"(0x[0-9a-f]+) <\+\d+>: scratch_store_b32 v\d+, v\d+, off", found)[-1]
    for c in (f"break *{first}", "run", "delete", f"set var *(unsigned long *){end} = 0xbf800000bf800000", f"break *$pc if $_thread > {2 * waves}", "continue", "info locals"):
        command += ["-ex", c]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    assert re.search(r"^i = <not known before the lane's first line>$", done.stdout, re.M), done.stdout + done.stderr


def check_refusals(address):
    for command, want in (("set var sum = 3", "this is what the shader has noted of it"),
                          ("print &sum", "not located in memory"), ("print breakwater", 'No symbol "breakwater"')):
        out, _ = breakwater("-O0", SHADER, commands=["break main", "run", f"tbreak *{address}", "continue", command])
        assert want in out, f"{command}: {out}"
    out, status = breakwater("-O2", SHADER)
    assert status == 2 and "-O2 is for kernels" in out and "-O0 keeps its variables in memory" in out, out


HLSL = """RWStructuredBuffer<uint> result : register(u0);
struct Pair { int a; float b; };
static int calls = 0;
%s
float weigh(Pair p, inout int n)
{
	n += p.a;
	float s = p.b * 2.0;
	calls++;
	return s + n;
}
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
	int n = int(id.x);
	Pair p;
	p.a = n * 2;
	p.b = 0.5;
	float w = weigh(p, n);
	%s
	result[id.x] = uint(w) + uint(calls);
}
"""


def check_hlsl():
    """Variables and functions as they are written; glslang's optimizer leaves neither."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.hlsl"
        path.write_text(HLSL % ("", ""))
        out, status = breakwater("-O0", str(path), commands=["break a.hlsl:8", "run", "lane 5", "info locals", "bt", "up", "info locals",
                                                             "print calls", "down", "finish", "next", "info locals", "continue"])
        assert status == 0, out
        for want in ("\ns = <not assigned yet>\n", "#0  weigh (p=..., n=15) at a.hlsl:8", "#1  a (id=..., result=...) at a.hlsl:19",
                     "\nn = 5\np = {a = 10, b = 0.5}\nw = <not assigned yet>\n", "\nw = 16\n"):
            assert want in out, f"not {want} in\n{out}"
        assert [int(x) for x in result_line(out).split()] == [3 * i + 2 for i in range(LANES)], out
        path.write_text(HLSL % ("uint get(RWStructuredBuffer<uint> b, uint i) { return b[i]; }", "w += get(result, id.x);"))
        out, status = breakwater("-O0", str(path))
        assert status == 0 and "a.hlsl is optimized in spite of -O0" in out, out
        assert [int(x) for x in result_line(out).split()] == [3 * i + 2 for i in range(LANES)], out


def check_program(vkrun):
    """A program whose shader has been compiled with -g: the agent makes it note. `exec` leaves it what it computes."""
    with tempfile.TemporaryDirectory() as folder:
        path, code = SOURCE / "shaders/matmul.comp", pathlib.Path(folder) / "matmul.spv"
        subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.3", "-g", "-V", path, "-o", code], check=True)
        outputs = {}
        for option in ("-O0", "--shader-lines"):
            out = pathlib.Path(folder) / option
            out.mkdir()
            program = [vkrun, "--device", "RADV", "--queue", "compute", "--out", str(out), str(path), str(code)]
            done = subprocess.run([str(BUILD / "breakwater"), "exec", option, "--", *program], capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
            outputs[option] = {f.name: f.read_bytes() for f in out.iterdir()}
        assert outputs["-O0"] == outputs["--shader-lines"] and outputs["-O0"], "other results with -O0"
        line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if "sum +=" in text or "acc +=" in text)
        command = [str(BUILD / "breakwater"), "run", "-O0", "--batch"]
        for c in (f"tbreak matmul.comp:{line}", "run", "info locals", "next", "bt"):
            command += ["-ex", c]
        done = subprocess.run([*command, "--", *program], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
        assert f"at matmul.comp:{line}\n" in done.stdout, done.stdout + done.stderr
        assert re.search(r"^k = 0$", done.stdout, re.M), done.stdout + done.stderr
    done = subprocess.run([str(BUILD / "breakwater"), "run", "-O1", "--", "true"], capture_output=True, text=True)
    assert done.returncode == 2 and "-O1 is for kernels" in done.stderr, done.stderr


def main():
    plain, status = breakwater(SHADER, commands=["run"])
    assert status == 0, plain
    first, address = places()
    assert check_values(first, address) == result_line(plain), "the record changes what the shader computes"
    check_small()
    check_damaged()
    check_left_behind(first)
    check_refusals(address)
    check_hlsl()
    if len(sys.argv) > 1:
        check_program(os.path.abspath(sys.argv[1]))
    print("variables of 5 lanes and one of all lanes are what they should be")


main()
