# SPDX-License-Identifier: MIT
"""Random kernels with structs, arrays and scalars, for test_variables.py: the same text is OpenCL C for the GPU and C
for the CPU. Indexes depend on data, so that the optimizer leaves some of the variables in memory, takes others apart,
and moves or drops their stores. Each statement is on a line of its own."""
import random

HEAD = """// seed {seed}
#ifndef CPU
#define WORK_ITEM (int)__builtin_amdgcn_workitem_id_x()
#else
#include "variables_cpu.h"
#endif

struct pair {{
	int x, y;
}};
typedef struct item {{
	int id;
	float w;
	struct pair at[3];
	uchar flag[4];
}} item_t;

"""
MASKS = {"array": 7, "short_array": 3}


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = HEAD.format(seed=seed).splitlines()
        self.loops = 0
        for n in range(2):
            self.function(n)
        self.kernel()
        self.text = "\n".join(self.lines) + "\n"

    def emit(self, depth, line):
        self.lines.append("\t" * depth + line)

    # ---- Expressions of int ----

    def scalar(self):
        return self.random.choice(["a", "b", "c"])

    def index(self, most):
        return self.random.choice([f"{self.random.randrange(most + 1)}", f"({self.scalar()} & {most})" if most & (most + 1) == 0 else "1"])

    def place(self):
        """What can be assigned, in memory if the optimizer so decides."""
        r = self.random
        return r.choice([lambda: f"t[{self.index(7)}]", lambda: f"s[{self.index(3)}].{r.choice('xy')}", lambda: "one.id",
                         lambda: f"one.at[{self.index(1)}].{r.choice('xy')}", lambda: f"p.{r.choice('xy')}"])()

    def value(self):
        return self.random.choice([self.scalar, self.scalar, self.place, lambda: str(self.random.randrange(100))])()

    def expression(self):
        x, y = self.value(), self.value()
        return self.random.choice([f"{x} + {y}", f"{x} - {y}", f"({x} ^ {y}) & 1023", f"{x} * {self.random.randrange(2, 9)}",
                                   f"{x} > {y} ? {self.value()} : {self.value()}", x, str(self.random.randrange(100))])

    # ---- Statements ----

    def variables(self, depth):
        r = self.random
        self.emit(depth, f"int t[8] = {{a, b, {r.randrange(99)}, a + b, 4, 5, a, 7}};")
        self.emit(depth, f"struct pair p = {{{r.randrange(9)}, a}};")
        self.emit(depth, "struct pair s[4] = {{a, 1}, {2, b}, {3, 3}, {b, a}};")
        self.emit(depth, "item_t one = {b, 1.5f, {{1, 2}, {a, b}, {5, 6}}, {1, 2, 3, 4}};")

    def statement(self, depth, calls):
        r = self.random
        kinds = [self.assign] * 6 + [self.whole, self.small, self.store]
        if depth < 3:
            kinds += [self.branch, self.loop]
        if calls:
            kinds += [self.call] * 2
        r.choice(kinds)(depth, calls)

    def assign(self, depth, calls):
        to = self.random.choice([self.scalar(), self.place(), self.place()])
        self.emit(depth, f"{to} {self.random.choice(['=', '=', '+=', '^='])} {self.expression()};")

    def whole(self, depth, calls):
        self.emit(depth, self.random.choice([f"p = s[{self.index(3)}];", f"s[{self.index(3)}] = p;",
                                             f"one.at[{self.index(1)}] = p;", f"p = one.at[{self.index(1)}];"]))

    def small(self, depth, calls):
        self.emit(depth, self.random.choice([f"one.flag[{self.index(3)}] = (uchar){self.value()};",
                                             f"one.w = (float)({self.value()} & 255);", f"one.w *= {self.random.randrange(2, 5)};"]))

    def store(self, depth, calls):
        self.emit(depth, f"out[{self.index(7)}] = {self.expression()};")

    def call(self, depth, calls):
        n = self.random.randrange(calls)
        self.emit(depth, f"{self.scalar()} = help{n}(out, {self.value()}, {self.scalar()});")

    def branch(self, depth, calls):
        self.emit(depth, f"if ({self.value()} & {1 << self.random.randrange(3)}) {{")
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth + 1, calls)
        if self.random.random() < 0.5:
            self.emit(depth, "} else {")
            for _ in range(self.random.randrange(1, 3)):
                self.statement(depth + 1, calls)
        self.emit(depth, "}")

    def loop(self, depth, calls):
        self.loops += 1
        k = f"i{self.loops}"
        self.emit(depth, f"for (int {k} = 0; {k} < {self.random.choice(['3', '2', '(b & 3)'])}; {k}++) {{")
        for _ in range(self.random.randrange(1, 3)):
            self.statement(depth + 1, calls)
        self.emit(depth, "}")

    # ---- Functions ----

    def body(self, calls):
        self.emit(1, "int c = a - b;")
        self.variables(1)
        for _ in range(self.random.randrange(4, 9)):
            self.statement(1, calls)
        self.emit(1, "int last = t[a & 7] + s[b & 3].x + p.y + one.at[c & 1].x + one.flag[a & 3] + (int)one.w + one.id;")

    def function(self, n):
        inline = self.random.choice(["__attribute__((noinline)) ", ""])
        self.emit(0, f"{inline}static int help{n}(__global int *out, int a, int b)")
        self.emit(0, "{")
        self.body(n)
        self.emit(1, "return last;")
        self.emit(0, "}")
        self.emit(0, "")

    def kernel(self):
        self.emit(0, "__kernel void kern(__global int *out, __global const int *in, float k, int n)")
        self.emit(0, "{")
        self.emit(1, "int a = WORK_ITEM;")
        self.emit(1, "out += 32 * a;")
        self.emit(1, "int b = in[a] + n;")
        self.body(2)
        self.emit(1, "out[8] = last;")
        self.emit(0, "}")
