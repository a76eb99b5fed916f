# SPDX-License-Identifier: MIT
"""Random OpenCL C kernels for random_kernel.py's purpose: compiled with and without optimization they have
what compilers make (scratch, spills, calls with a stack, scalar branches on lane data, source lines)."""
import random

from random_kernel import GROUP

PROLOGUE = """\
// seed {seed}
static void meet(void)
{{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}}
"""
NAMES = "abcdefgh"


class OpenclKernel:
    """text: the source. labels: places for breakpoints, one for each statement. registers: what is fit to
    be looked at and changed for a moment."""

    VALUES = range(0, 8)
    SCALARS = range(0, 12)
    suffix = ".cl"

    def __init__(self, seed, wave, name):
        self.random = random.Random(seed)
        self.wave = wave
        self.optimization = self.random.choice(["-O0", "-O2"])
        self.options = ["-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info", self.optimization]
        self.name = name
        self.labels = []
        self.lines = PROLOGUE.format(seed=seed).splitlines()
        self.n_functions = self.random.randrange(1, 4)
        for n in range(self.n_functions):
            self.function(n)
        self.kernel()
        self.text = "\n".join(self.lines) + "\n"

    # ---- Building ----

    def emit(self, depth, *statements):
        for s in statements:
            self.lines.append("\t" * depth + s)
            self.labels.append(f"{self.name}{self.suffix}:{len(self.lines)}")

    def plain(self, depth, line):
        self.lines.append("\t" * depth + line)

    def var(self):
        return self.random.choice(NAMES)

    def value(self):
        return self.random.choice([self.var, self.var, lambda: f"{self.random.randrange(1 << 32):#x}u"])()

    def expression(self):
        x, y = self.var(), self.value()
        return self.random.choice([f"{x} + {y}", f"{x} * {y}", f"({x} ^ {y}) - {self.var()}", f"{x} / ({y} | 3u)",
                                   f"{x} % ({y} | 5u)", f"{x} << ({y} & 15u)", f"({x} >> 7) | ({y} << 25)",
                                   f"{x} > {y} ? {self.var()} : {self.value()}", f"popcount_of({x}) + {y}"])

    def function(self, n):
        if n == 0:
            self.plain(0, "__attribute__((noinline)) static uint popcount_of(uint x)")
            self.plain(0, "{")
            self.emit(1, "uint n = 0;", "while (x) {", "	x &= x - 1;", "	n++;", "}", "return n;")
            self.plain(0, "}")
            return
        self.plain(0, f"__attribute__((noinline)) static uint function{n}(uint a, uint b)")
        self.plain(0, "{")
        self.emit(1, f"uint t[8] = {{a, b, {self.random.randrange(99)}u, a ^ b, 4u, 5u, a, 7u}};",
                  f"for (uint k = 0; k < (b & {self.random.choice([3, 7])}u); k++)",
                  f"	t[(a + k) & 7u] += t[(b >> k) & 7u] * {self.random.randrange(1, 1 << 16)}u;",
                  "return t[a & 7u] + t[b & 7u];")
        self.plain(0, "}")

    def kernel(self):
        self.plain(0, f"__attribute__((reqd_work_group_size({GROUP}, 1, 1)))")
        self.plain(0, "__kernel void torture(__global const uint *in, __global uint *out)")
        self.plain(0, "{")
        self.plain(1, f"__local uint shared[{GROUP}];")
        self.emit(1, "uint id = __builtin_amdgcn_workitem_id_x();",
                  f"uint i = __builtin_amdgcn_workgroup_id_x() * {GROUP}u + id;", "uint a = in[i];")
        for n, name in enumerate(NAMES[1:]):
            self.emit(1, f"uint {name} = {NAMES[n]} * {self.random.randrange(1, 1 << 31)}u + i;")
        self.block(1, self.random.randrange(8, 14), True)
        self.emit(1, "out[i] = " + " ^ ".join(f"{n} * {2 * k + 3}u" for k, n in enumerate(NAMES)) + ";")
        self.plain(0, "}")

    def block(self, depth, n, uniform):
        kinds = [self.assign] * 4 + [self.call, self.memory]
        if uniform:
            kinds += [self.exchange, self.count]
        if depth < 4:
            kinds += [self.branch, self.loop]
        for _ in range(n):
            self.random.choice(kinds)(depth)

    # ---- Statements ----

    def assign(self, depth):
        self.emit(depth, f"{self.var()} {self.random.choice(['=', '+=', '^='])} {self.expression()};")

    def call(self, depth):
        if self.n_functions > 1:
            self.emit(depth, f"{self.var()} += function{self.random.randrange(1, self.n_functions)}({self.var()}, {self.var()});")
        else:
            self.emit(depth, f"{self.var()} -= popcount_of({self.var()});")

    def memory(self, depth):
        self.emit(depth, f"{self.var()} ^= in[({self.var()} & 255u)];")

    def exchange(self, depth):
        self.emit(depth, f"shared[id] = {self.var()};", "meet();",
                  f"{self.var()} += shared[(id + {self.random.randrange(1, GROUP)}u) & {GROUP - 1}u];", "meet();")

    def count(self, depth):
        """A loop that all lanes make the same number of times, with barriers in it."""
        self.emit(depth, f"for (uint k{depth} = 0; k{depth} < {self.random.randrange(2, 5)}u; k{depth}++) {{")
        self.block(depth + 2, 2, True)
        self.plain(depth, "}")

    def branch(self, depth):
        self.emit(depth, f"if ({self.var()} & {1 << self.random.randrange(8)}u) {{")
        self.block(depth + 1, self.random.randrange(1, 4), False)
        if self.random.random() < 0.5:
            self.plain(depth, "} else {")
            self.block(depth + 1, self.random.randrange(1, 3), False)
        self.plain(depth, "}")

    def loop(self, depth):
        k = f"n{depth}_{len(self.lines)}"
        self.emit(depth, f"for (uint {k} = {self.var()} & 7u; {k}; {k}--) {{")
        self.block(depth + 2, self.random.randrange(1, 3), False)
        self.plain(depth, "}")
