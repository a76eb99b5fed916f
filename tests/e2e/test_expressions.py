#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Expressions and types mean what they mean to gdb, which evaluates them in a CPU's run of the same source. Addresses and
address spaces are left out."""
import json
import pathlib
import re
import subprocess
import tempfile

from harness import KERNELS, TIMEOUT_S, Session, ask_gdb, check, equal, main

SOURCE = KERNELS / "expressions.cl"
LINE = 1 + next(i for i, line in enumerate(SOURCE.read_text().splitlines()) if "stop here" in line)
CPU = """#define __kernel
#define __global
#include "expressions.cl"
int main(void) { int out[64] = {0}; kern(out, 9); return out[1] != 3; }
"""
GDB = r"""
import gdb, json
gdb.execute("set width 0")
gdb.execute("break expressions.cl:%d", to_string=True)
gdb.execute("run", to_string=True)
for command in %s:
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as e:
        text = "error: " + str(e)
    print("ANSWER " + json.dumps([command, text]))
"""
# One after the other: some assign.
COMMANDS = """
print (int (*)[3])p
print *(int (*)[3])p
print ((int (*)[3])p)[1]
print ((int (*)[3])p)[1][2]
print (int (*)[2][3])grid
print *(int (*)[2][3])p
print **(int (*)[2][3])p
print sizeof(int (*)[3])
print sizeof *(int (*)[3])p
print {int} p
print {int[4]} p
print {int[2][3]} p
print {item_t} pi
print {item_t[2]} pi
print {item_t *} &pi
print {short} &us
print {float} &u
print {int (*)[6]} &p
print 1, 2
print (1, 2)
print arr[1, 2]
print i = 4, n
print i = 3, i + 1
print/r it
print/r pi
print/xr i
print helper
ptype helper
whatis helper
ptype kern
ptype nothing
ptype reverse
print sizeof(int)
print sizeof i
print sizeof arr / sizeof arr[0]
print sizeof(struct node)
print sizeof(int[4])
print sizeof(int *)
print sizeof(item_t[3])
print sizeof("abc")
print i == 4 ? 10 : 20
print i += 2
print i -= 1
print i *= 3
print i /= 2
print i %= 5
print i <<= 4
print i >>= 1
print i |= 1
print i &= 0xff
print i ^= 3
print i = 3
print arr[0]@3
print *p@3
print *p@1
print *p@2@2
print *grid@1
print *grid@2
print grid[0][0]@6
print &arr[1]
print &arr
print *&arr
print &it
print *&it
print/x it
print/x arr
print/t i
print/o i
print/c ch
print name
print *name@3
print *a.next
print a.next->next->value
print -a.g
print c
print (enum color)6
print (enum color)7
print GREEN + 1
print c == GREEN
print u
print u.b
print (unsigned char)200
print (short)us
print fl * 2
print 1.0f/3
print 1.0/3
print -7/2
print -7%3
print us >> 4
print sh >> 1
print ~i
print !i
print -us
print i && 0
print 'A'
print "abc"
print p + 1
print p - arr
print &arr[4] - &arr[1]
print *p++
print p - arr
print p--
print p == arr
print items
print items[1].w
print *items@2
print items[0]@2
print it = items[1]
print it
print ((item_t *)arr)[1]
print pi.id
print it->id
print *p = 8, arr
print arr[0] = 1
print -elements 2 -- arr
print -pretty -- it
print -pretty off -- it
print -5
print 10 > 3 > 2
print 5 ? 6 : 7 ? 8 : 9
ptype struct node
ptype it
ptype pi
ptype arr
ptype grid
ptype &arr
ptype &grid[0]
ptype unsigned long
ptype enum color
ptype union word
ptype int[3]
ptype int[2][3]
ptype int (*)[3]
ptype int *[3]
ptype int *(*)[3]
ptype int (**)[3]
ptype item_t *
ptype p[1]
ptype i + 1L
ptype fl + 1
ptype uc + 1
ptype us + 1
whatis it
whatis &it
whatis grid[0]
whatis &grid[0]
whatis (int (*)[3])p
whatis {int[4]} p
whatis *(int (*)[3])p
whatis item_t[3]
whatis item_t
whatis a.next
whatis 5ul
whatis 1.5f
whatis 1, 2.5
print nope
print it.nope
print (int (*)[3]
print (int (*)[)p
print {int[4} p
print {int[4]}
print 1,
ptype struct nope
print sizeof(struct nope)
""".strip().splitlines()


def normal(text):
    """Addresses and spaces differ; of an error it counts that it is one."""
    text = re.sub(r"^\$\d+ = ", "", text.strip())
    if text.startswith("error: "):
        return "error"
    text = re.sub(r"(private_lane#)?0x[0-9a-f]{8,}|private_lane#0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"ADDRESS <[^>]*>", "ADDRESS", text)
    # a number in hexadecimal is not an address, but as long as one
    return re.sub(r" ?__(private|global)\b ?", lambda m: " " if m[0].startswith(" ") and m[0].endswith(" ") else "", text)


def gdb_answers():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "cpu.c").write_text(CPU)
        subprocess.run(["clang-19", "-g", "-O0", "-w", "-I", KERNELS, "-o", folder / "cpu", folder / "cpu.c"], check=True,
                       timeout=TIMEOUT_S)
        answers = [text for _, text in ask_gdb(GDB % (LINE, json.dumps(COMMANDS)), folder / "cpu")]
    equal(len(answers), len(COMMANDS), "answers of gdb")
    return answers


def as_gdb_has_it():
    want = gdb_answers()
    session = Session("-O0", "-ex", "set print pretty off", SOURCE, "--grid", 32, "--group", 32, "--arg", "out=zeros:64", "--arg", "n=9")
    for command in (f"break {LINE}", "run"):
        session.command(command)
    wrong = []
    for command, expected in zip(COMMANDS, want):
        answer = session.command(command)
        if answer.get("result") == "error":
            text = "error: " + answer["message"]
        else:
            text = answer.get("text") or "type = " + answer["value_type"]
        if normal(text) != normal(expected):
            wrong.append(f"{command}: {text!r}, gdb has {expected!r}")
    session.end()
    print(f"{len(COMMANDS)} expressions, {len(wrong)} differ")
    check(not wrong, "\n".join(wrong))


def refused_by_name():
    session = Session("-O0", SOURCE, "--grid", 32, "--group", 32, "--arg", "out=zeros:64", "--arg", "n=9")
    for command in ("break helper", "run"):
        session.command(command)
    for command, message in (("print helper(1, 2)", "Functions of the program cannot be called"), ("call helper(1, 2)", "Functions of the program cannot be called"),
                             ("print kern::i", "FUNCTION::VARIABLE is not supported: select the frame"), ("print $_strlen(\"a\")", "There is no function $_strlen"),
                             ("print -array-indexes on -- t", "\"print\" knows the options -elements and -pretty, not -array-indexes"),
                             ("whatis int (*)(int)", "types of functions are not supported in expressions")):
        answer = session.command(command)
        check(answer.get("code") == "unsupported" and answer["message"].startswith(message), f"{command}: {answer}")
    session.end()


VECTORS = """__kernel void k(__global float4 *out)
{
	int i = get_global_id(0);
	float4 v = (float4)(1, 2, 3, 4);
	int8 w = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
	float2 t = (float2)(10, 20);
	float3 three = (float3)(1, 2, 3);
	out[i] = v + (float4)(w.s7 + t.x + three.x);
	out[i].x += 1;
}
"""
# What is typed, and what `print` of that says then; the values are those of OpenCL C 3.0, 6.3.7.
ASSIGNED = [("set var v.xz = t", "v", "{10, 2, 20, 4}"), ("set var v.xz = {7, 8}", "v", "{7, 2, 8, 4}"),
            ("set var v.s13 = v.s02", "v", "{7, 7, 8, 8}"), ("set var v.lo = 5", "v", "{5, 5, 8, 8}"),
            ("set var v.even = (float2)(1, 3)", "v", "{1, 5, 3, 8}"), ("set var v.odd = v.hi", "v", "{1, 3, 3, 8}"),
            ("set var v.wzyx = v", "v", "{8, 3, 3, 1}"), ("set var v.ra = 2", "v", "{2, 3, 3, 2}"),
            ("set var v.S3 = 9", "v", "{2, 3, 3, 9}"), ("set var v.wzyx.xy = t", "v", "{2, 3, 20, 10}"),
            ("set var v.wx.y = 6", "v", "{6, 3, 20, 10}"), ("print v.xz = (float2)(16, 40)", "v", "{16, 3, 40, 10}"),
            ("set var v.gb.even += 1", "v", "{16, 4, 40, 10}"), ("set var w.odd.hi = (int2)(50, 70)", "w", "{0, 1, 2, 3, 4, 50, 6, 70}"),
            ("set var w.s7654 = w.s0123", "w", "{0, 1, 2, 3, 3, 2, 1, 0}"), ("set var three.zx = t", "three", "{20, 2, 10}"),
            ("set var out[0].yw = t", "out[0]", "{19, 10, 21, 20}"),
            ("set var v.xz += t", "v", "{26, 4, 60, 10}"), ("set var v.wx -= v.xw", "v", "{16, 4, 60, -16}"),
            ("set var v.yz *= 2", "v", "{16, 8, 120, -16}"), ("set var v /= 4", "v", "{4, 2, 30, -4}"),
            ("set var v.hi += v.lo", "v", "{4, 2, 34, -2}"), ("print v.yx + 1", "v", "{4, 2, 34, -2}"),
            ("set var w.odd <<= 2", "w", "{0, 4, 2, 12, 3, 8, 1, 0}"), ("set var w.s01 ^= w.s23", "w", "{2, 8, 2, 12, 3, 8, 1, 0}"),
            ("set var w %= 5", "w", "{2, 3, 2, 2, 3, 3, 1, 0}"), ("set var three.zx += t", "three", "{40, 2, 20}"),
            ("set var three += three", "three", "{80, 4, 40}"), ("set var out[0].yw += t.yx", "out[0]", "{19, 30, 21, 30}"),
            ("print v.xz++", "v", "{5, 2, 35, -2}"), ("set var v = 2 - v", "v", "{-3, 0, -33, 4}"),
            ("set var v.xy = -v.wz", "v", "{-4, 33, -33, 4}"), ("set var w.lo = ~w.hi", "w", "{-4, -4, -2, -1, 3, 3, 1, 0}"),
            ("print +v", "v", "{-4, 33, -33, 4}"), ("set var three = -three - -t.xyx", "three", "{-70, 16, -30}"),
            ("set var three = v.zyx", "three", "{-33, 33, -4}"), ("set var v.wzx = three", "v", "{-4, 33, 33, -33}"),
            ("set var three += v.xxx", "three", "{-37, 29, -8}"), ("set var three = v.yyy - three", "three", "{70, 4, 41}")]
REFUSED = [("set var v.xx = t", "Invalid assignment: the component s0 is named twice on the left"),
           ("set var v.xq = t", "float4 has no component named xq: its components are xyzw, s0 to s3, and lo, hi, even, odd"),
           ("print v.s4", "float4 has no component named s4: its"), ("print w.s8", "int8 has no component named s8: its components are s0 to s7, and"),
           ("print three.w", "float3 has no component named w: its components are xyz, s0 to s2, and"), ("set var three.hi = t", "float3 has no component named hi"),
           ("set var v.xyz = t", "Invalid assignment: a value of type float2 does not fit float"), ("set var v.xz = w.lo", "Invalid assignment: a value of type int __attribute__((vector_size(4))) does not fit float"),
           ("set var v.xx += t", "Invalid assignment: the component s0 is named twice on the left"),
           ("set var v += t", "float4 and float2: arithmetic of vectors wants two of the same type, or one and a number"),
           ("set var w += 0.5", "int8 and double: a floating-point number is not converted to integer components"),
           ("set var w /= 0", "Division by zero"), ("print v < v", "float4: vectors are not compared or taken as a condition"),
           ("print !w", "int8: vectors are not compared or taken as a condition"), ("print ~v", "Argument to complement operation not an integer, boolean"),
           ("set var v.xz &= t", "Argument to arithmetic operation not a number or boolean"),
           ("print &v.xz", "Attempt to take address of value not located in memory")]


def components_of_vectors():
    """Components of a vector are assigned in any order, wherever the vector is; what cannot be is refused by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "k.cl"
        path.write_text(VECTORS)
        session = Session("-O0", path, "--grid", 32, "--group", 32, "--arg", "out=zeros:128")
        for command in ("break k.cl:9", "run"):
            session.command(command)
        for command, name, value in ASSIGNED:
            answer = session.command(command)
            check(answer.get("result") != "error", f"{command}: {answer}")
            equal(normal(session.command(f"print {name}")["text"]), value, command)
        for command, message in REFUSED:
            answer = session.command(command)
            check(answer.get("message", "").startswith(message), f"{command}: {answer}")
        equal(normal(session.command("print v")["text"]), "{-4, 33, 33, -33}", "what was refused has changed nothing")
        for command, before in (("print v.xz++", "{-4, 33}"), ("print v--", "{-3, 33, 34, -33}"), ("print v.y++", "32")):
            equal(normal(session.command(command)["text"]), before, f"{command}: the value before")
        equal(normal(session.command("print v")["text"]), "{-4, 33, 33, -34}", "after ++ and --")
        session.end()


if __name__ == "__main__":
    main(as_gdb_has_it, refused_by_name, components_of_vectors)
