# SPDX-License-Identifier: MIT
"""Random bodies of compute shaders that are C++ as well, for test_record_lines.py: functions with arguments of each
kind, loops, switches, early returns. One statement a line. Both languages must mean the same by it: no argument is an
alias of another, and no expression calls a function, as C++ has no order for that."""
import random

HEAD = """struct Item {
	int key;
	float weight[2];
	bool is_used;
};

int visits = 0;
int total = 0;
"""
DECLARED = {"int": "int {}", "inout": "INOUT(int) {}", "array": "ARRAY(int, {}, 4)", "item": "Item {}"}


class Shader:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = HEAD.splitlines()
        self.fixed = {"lane"}  # variables that are not assigned
        self.functions = []  # (name, kinds of its parameters)
        for n in range(self.random.randrange(1, 4)):
            self.function(f"fun{n}")
        self.main()
        self.text = "\n".join(self.lines) + "\n"

    def emit(self, depth, line):
        self.lines.append("\t" * depth + line)

    def name(self, letter, depth, scope):
        """One that is new here; other blocks of this depth may have it, too."""
        return next(n for n in (f"{letter}{depth}_{i}" for i in range(100)) if n not in [v for v, _ in scope])

    def one_of(self, scope, kind):
        found = [name for name, k in scope if k == kind]
        return self.random.choice(found) if found else None

    # ---- Expressions ----

    def integer(self, scope, depth=0):
        r, a, item, u = self.random, self.one_of(scope, "array"), self.one_of(scope, "item"), self.one_of(scope, "uint")
        choice = r.randrange(9)
        if depth > 2 or choice < 3:
            return self.one_of(scope, "int") if r.random() < 0.8 else str(r.randrange(-9, 20))
        if choice == 3 and a:
            return f"{a}[({self.integer(scope, depth + 1)}) & 3]"
        if choice == 4 and item:
            return f"{item}.key"
        if choice == 5 and u:
            return f"int({u})"
        if choice == 6:
            return f"(({self.condition(scope, depth + 1)}) ? {self.integer(scope, depth + 1)} : {self.integer(scope, depth + 1)})"
        return f"({self.integer(scope, depth + 1)} {r.choice('+-*&|^')} {self.integer(scope, depth + 1)})"

    def condition(self, scope, depth=0):
        b = self.one_of(scope, "bool")
        if b and self.random.random() < 0.3:
            return b
        return f"{self.integer(scope, depth + 1)} {self.random.choice(['<', '>', '==', '!=', '<='])} {self.integer(scope, depth + 1)}"

    def real(self, scope, depth=0):
        """Sums of numbers that are exact, so that no compiler can round them in another way."""
        r, f = self.random, self.one_of(scope, "float")
        choice = r.randrange(4)
        if depth > 1 or choice == 0:
            return f or "0.5"
        if choice == 1:
            return f"float({self.integer(scope, 2)} & 63)"
        if choice == 2:
            return str(r.randrange(40) / 4)
        return f"({self.real(scope, depth + 1)} {r.choice('+-')} {self.real(scope, depth + 1)})"

    def value(self, scope, kind):
        return {"int": self.integer, "uint": lambda s: f"uint({self.integer(s)})", "float": self.real, "bool": self.condition}[kind](scope)

    def call(self, scope):
        name, kinds = self.random.choice(self.functions)
        given = []
        for kind in kinds:
            if kind == "int":
                given.append(self.integer(scope))
            elif kind == "inout":
                free = [n for n, k in scope if k == "int" and n not in self.fixed | {"total"} | set(given)]
                given.append(self.random.choice(free) if free else None)
            else:
                given.append(self.one_of(scope, kind))
        return f"{name}({', '.join(given)})" if None not in given else "1"

    # ---- Statements ----

    def declare(self, depth, scope):
        kind = self.random.choice(["int", "int", "uint", "float", "bool", "array", "item"])
        name = self.name("v", depth, scope)
        if kind == "array":
            i = self.name("i", depth, scope)
            self.emit(depth, f"int {name}[4];")
            self.emit(depth, f"for (int {i} = 0; {i} < 4; {i}++)")
            self.emit(depth + 1, f"{name}[{i}] = {i} * {self.integer(scope, 2)};")
        elif kind == "item":
            self.emit(depth, f"Item {name};")
            for member, of in (("key", "int"), ("weight[0]", "float"), ("weight[1]", "float"), ("is_used", "bool")):
                self.emit(depth, f"{name}.{member} = {self.value(scope, of)};")
        else:
            self.emit(depth, f"{kind} {name} = {self.value(scope, kind)};")
        scope.append((name, kind))

    def assign(self, depth, scope):
        name, kind = self.random.choice([v for v in scope if v[0] not in self.fixed])
        if kind == "array":
            self.emit(depth, f"{name}[({self.integer(scope, 1)}) & 3] = {self.integer(scope, 1)};")
        elif kind == "item":
            self.emit(depth, self.random.choice([f"{name}.key += {self.integer(scope)};", f"{name}.is_used = {self.condition(scope)};",
                                                 f"{name}.weight[({self.integer(scope, 2)}) & 1] = {self.real(scope)};"]))
        else:
            self.emit(depth, f"{name} {self.random.choice(['=', '+=', '-=']) if kind == 'int' else '='} {self.value(scope, kind)};")

    def branch(self, depth, scope, in_loop, in_main):
        self.emit(depth, f"if ({self.condition(scope)}) {{")
        self.block(depth + 1, scope, in_loop, in_main)
        if self.random.random() < 0.5:
            self.emit(depth, "} else {")
            self.block(depth + 1, scope, in_loop, in_main)
        self.emit(depth, "}")

    def loop(self, depth, scope, in_main):
        k, last = self.name("k", depth, scope), self.random.randrange(1, 5)
        self.fixed.add(k)
        self.emit(depth, f"for (int {k} = 0; {k} < {f'int(lane & {last}u)' if in_main else last}; {k}++) {{")
        self.block(depth + 1, [*scope, (k, "int")], True, in_main)
        self.emit(depth, "}")

    def choose(self, depth, scope, in_main):
        self.emit(depth, f"switch ({self.integer(scope)} & 3) {{")
        for case in range(self.random.randrange(1, 4)):
            self.emit(depth, f"case {case}: {{")
            self.block(depth + 1, scope, False, in_main)
            self.emit(depth + 1, "break;")
            self.emit(depth, "}")
        self.emit(depth, "default:")
        self.emit(depth + 1, "total += 5;")
        self.emit(depth, "}")

    def statement(self, depth, scope, in_loop, in_main):
        choice, may_nest = self.random.randrange(15), depth < 4 and self.left > 0
        self.left -= 1
        if choice < 5:
            self.declare(depth, scope)
        elif choice < 8:
            self.assign(depth, scope)
        elif choice < 10 and may_nest:
            self.branch(depth, scope, in_loop, in_main)
        elif choice < 12 and may_nest:
            self.loop(depth, scope, in_main)
        elif choice == 12 and may_nest:
            self.choose(depth, scope, in_main)
        elif choice == 13 and (in_loop or not in_main):
            self.emit(depth, f"if ({self.condition(scope)})")
            self.emit(depth + 1, self.random.choice(["break;", "continue;"]) if in_loop else f"return {self.integer(scope, 1)};")
        elif self.functions:
            name = self.name("v", depth, scope)
            self.emit(depth, f"int {name} = {self.call(scope)};")
            scope.append((name, "int"))

    def block(self, depth, scope, in_loop, in_main):
        inner = list(scope)
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth, inner, in_loop, in_main)

    # ---- Functions ----

    def function(self, name):
        kinds = [self.random.choice(["int", "int", "inout", "array", "item"]) for _ in range(self.random.randrange(1, 4))]
        scope = [(f"{name}_{i}", kind) for i, kind in enumerate(kinds)]
        self.emit(0, f"int {name}({', '.join(DECLARED[kind].format(v) for v, kind in scope)})")
        self.emit(0, "{")
        self.emit(1, "visits++;")
        self.fixed |= {v for v, kind in scope if kind == "array"}  # C++ would change the caller's
        scope = [("total", "int")] + [(v, "int" if kind == "inout" else kind) for v, kind in scope]
        self.left = 12
        for _ in range(self.random.randrange(2, 6)):
            self.statement(1, scope, False, False)
        self.emit(1, f"return {self.integer(scope, 1)};")
        self.emit(0, "}")
        self.functions.append((name, kinds))

    def main(self):
        scope = [("lane", "uint"), ("total", "int"), ("first", "int")]
        self.emit(0, "void main()")
        self.emit(0, "{")
        self.emit(1, "uint lane = gl_GlobalInvocationID.x;")
        self.emit(1, "int first = int(lane) * 3;")
        self.left = 30
        for _ in range(self.random.randrange(8, 16)):
            self.statement(1, scope, False, True)
        self.emit(1, f"result[lane] = uint(total + visits + {self.integer(scope)});")
        self.emit(0, "}")
