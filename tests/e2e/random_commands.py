# SPDX-License-Identifier: MIT
"""Random lines for the debugger's prompt: every command of its own `help`, with arguments made from the usage that
`help COMMAND` shows, and hostile ones. Nothing in them does harm outside the folder the debugger runs in."""
import re

# Commands that start programs or touch files: their arguments are only those from the lists here.
OUTSIDE = re.compile(r"!|\b(ap\w*|at\w*|cd|du\w*|make|pipe|rest\w*|sa\w*|sh|she\w*|so\w*|sy\w*|eval|add-\w*|gen\w*|log\w*|tar\w*|core\w*)\b")
OPENERS = ("if", "while", "commands", "define", "document", "python")
FINAL = ("quit", "kill", "detach")  # after them there is less to find
NUMBERS = ["0", "1", "2", "3", "7", "31", "32", "63", "64", "100", "255", "256", "4096", "-1", "-2", "0x7fffffff", "0x80000000",
           "0xffffffff", "4294967296", "-2147483648", "0x7fffffffffffffff", "-0x8000000000000000", "0xffffffffffffffff",
           "18446744073709551616", "99999999999999999999999999", "1e300", "-0.0", "1.5", "0x", "1-3", "3-1", "1-4294967295", "08"]
REGISTERS = ["$pc", "$exec", "$vcc", "$vcc_lo", "$scc", "$m0", "$mode", "$status", "$trapsts", "$flat_scratch", "$gpr_alloc", "$hw_id1",
             "$lds_alloc", "$s0", "$s4", "$s[0:1]", "$s[4:7]", "$s105", "$s106", "$s300", "$v0", "$v1[5]", "$v2[31]", "$v3[64]", "$v255", "$v300",
             "$v[1:2]", "$v1[-1]", "$ttmp0", "$ttmp[4:5]", "$xcc_id", "$_", "$__", "$_wave", "$_lane", "$_thread", "$_workgroup", "$_dispatch",
             "$_exitcode", "$_buffer(1)", "$_buffer_size(1)", "$_buffer(99)", "$_siginfo", "$", "$$", "$1", "$$9", "$99", "$n", "$arg0", "$argc",
             "$_nosuch", "$sp", "$fp", "$bpnum"]
OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", ">", "<=", ">=", "=", "+=", "<<=", "@", ",", "?"]
TYPES = ["int", "unsigned int", "float", "double", "char", "short", "long", "half", "int8_t", "uint64_t", "_Float16", "void", "float4",
         "struct x", "nosuch_t", "int *", "float **", "char[4]", "int[1000000000]"]
FORMATS = ["/x", "/d", "/u", "/o", "/t", "/a", "/c", "/f", "/s", "/i", "/z", "/4xw", "/8dh", "/3xb", "/2fg", "/10i", "/s", "/-3x", "/0x", "/300xw",
           "/99999999999x", "/xx", "/", "/q", "/1000000i", "/r"]
TEXTS = ["", "x", "a b", "caf\u00e9", "\U0001f600\u0e01", "\"", "'", "\"a", "\\", "\\n\\t\\033[2J", "%s%n%x", "%d", "(", ")", "((", "[", "{1,2}", "}", "#",
         ";", "*", "&", "@", "~", "``", "\\x41", "\x01\x1b[31m", "a" * 300, "(" * 400, "-" * 500, "!" * 20, "1+" * 300 + "1", "*" * 300 + "1", "\u202e\ufeff"]
PRINTF = ['"%d\\n", 1', '"%s", $pc', '"%x %x %x", 1, 2', '"%5.3f|%-8d|%c", 1.5, 7, 65', '"%d"', '"%n", 1', '"%*d", 5, 3', '"abc', '"%", 1',
          '"%llu %hhx", -1, 300', '"%s", 0', '"%p\\n", $pc', '"%%\\a\\0x"', '"%99999d", 1', '"%q", 1', '"%v4f", $v1', '"%d", $v1', '"%s", out', "1", '""', '"%5', '"\\']
EVAL = [*PRINTF[:8], '"print %d", 3', '"info waves"', '"echo %s", 1', '"print $v%d", 2', '"eval \\"eval 1\\""']
COMMANDS_MADE = ["mine", "yours", "loop-it", "x-1", "nop"]
SHELL = ["true", "false", "exit 3", "echo x", "printf '\\303\\050'", "kill -9 $$"]
FILES = ["one", "two", "missing/x", "/dev/null", ".", "a b", "caf\u00e9", "", "script", "kernel.co"]


class Grammar:
    def __init__(self, commands, usages, infos, settings, places, names):
        """commands, infos, settings: lists of words; usages: by command; places: for breakpoints; names: of the kernel's arguments."""
        self.commands, self.usages, self.infos, self.settings, self.places, self.names = commands, usages, infos, settings, places, names

    def number(self, r):
        return r.choice(NUMBERS) if r.random() < 0.6 else str(r.randrange(12))

    def expression(self, r, depth=0):
        def more():
            return self.expression(r, depth + 1)
        kind = r.randrange(9 if depth > 3 else 24)
        if kind < 3:
            return r.choice(REGISTERS)
        if kind < 5:
            return self.number(r)
        if kind < 8:
            return r.choice(self.names)
        if kind == 8:
            return r.choice(["lds#0", "lds#0x10", "scratch#0", "global#0x1000", "lds#99999999", "private_lane#4", "nosuch#1", "'a'", "\"text\"", "saxpy", "&out"])
        if kind < 13:
            return f"{more()} {r.choice(OPERATORS)} {more()}"
        if kind < 15:
            return f"{r.choice(self.names)}[{more()}]"
        if kind == 15:
            return f"*({r.choice(TYPES)} *){more()}"
        if kind == 16:
            return f"({r.choice(TYPES)}){more()}"
        if kind == 17:
            return f"*{r.choice(self.names)}@{self.number(r)}"
        if kind == 18:
            return f"({more()})"
        if kind == 19:
            return r.choice(["-", "~", "!", "*", "&", "++", "sizeof ", "sizeof(", "+"]) + more()
        if kind == 20:
            return f"{more()} ? {more()} : {more()}"
        if kind == 21:
            return f"{r.choice(['$_strlen', '$_buffer', '$_any', '$_all', '$_sum', 'min', '$_isvoid'])}({more()})"
        if kind == 22:
            return f"{{{r.choice(TYPES)}}} {more()}"
        return f"{more()}{r.choice(['.x', '->y', '::z', '[1:2]', '[0]@2', '@'])}"

    def place(self, r):
        kind = r.randrange(8)
        if kind < 4:
            return r.choice(self.places)
        if kind == 4:
            return f"*{self.expression(r)}"
        if kind == 5:
            return r.choice(["+1", "-1", "+99999999999", "0", "1", "on dispatch", "nosuch.s:1", ":", ":5", "saxpy.s:", "saxpy.s:99999999999", "*", "*0",
                             "*0xffffffffffffffff", "dispatch", "pipeline x", "label \"y\"", "'"])
        if kind == 6:
            return f"{r.choice(self.places)} if {self.expression(r)}"
        return f"{r.choice(self.places)} wave {self.number(r)}"

    def setting(self, r):
        return f"{r.choice(self.settings)} {r.choice(['on', 'off', 'step', '0', '1', '', 'yes', self.number(r), r.choice(TEXTS)])}"

    def junk(self, r):
        return r.choice([self.expression(r), self.place(r), self.number(r), r.choice(TEXTS), r.choice(FORMATS), r.choice(PRINTF),
                         f"{self.number(r)} {self.number(r)}", r.choice(self.commands), "/x " + self.expression(r)])

    # What stands for the words of a usage in capital letters; others get anything.
    def word(self, r, word):
        if word in ("EXPR", "VALUE", "ADDRESS", "START", "END"):
            return self.expression(r)
        if word == "WHERE":
            return self.place(r)
        if word in ("N", "COUNT", "LANE", "DISPATCH", "FIRST", "LAST", "STATUS", "WAVES"):
            return self.number(r)
        if word in ("FMT", "NFU"):
            return r.choice(FORMATS)[1:]
        if word == "FORMAT":
            return r.choice(PRINTF)
        if word == "SETTING":
            return r.choice(self.settings)
        if word == "COMMAND":
            return self.line(r, nested=True)
        if word == "WHAT":
            return r.choice(self.infos)
        if word == "TEXT":
            return r.choice(TEXTS)
        if word == "KIND":
            return r.choice(["div0", "overflow", "underflow", "inexact", "invalid", "input_denormal", "int_div0", "all", "nonsense"])
        if word == "NAME":
            return r.choice(COMMANDS_MADE + self.settings + ["user", "values", "convenience", "sgprs", "vgprs", "pc", "v3"])
        return self.junk(r)

    def arguments(self, r, usage):
        """A line of the usage's language: [optional], one|another, WORD, word, and ... for more."""
        def choose(text):
            parts, depth, part = [], 0, ""
            for c in text:
                depth += (c == "[") - (c == "]")
                if c == "|" and not depth:
                    parts.append(part)
                    part = ""
                else:
                    part += c
            return r.choice(parts + [part]).strip()

        def expand(text):
            out, i = "", 0
            text = choose(text)
            while i < len(text):
                if text[i] == "[":
                    depth, end = 1, i + 1
                    while depth and end < len(text):
                        depth += (text[end] == "[") - (text[end] == "]")
                        end += 1
                    if r.random() < 0.65:
                        out += expand(text[i + 1:end - 1])
                    i = end
                elif text[i:i + 3] == "...":
                    out += "".join(" " + self.junk(r) for _ in range(r.randrange(3)))
                    i += 3
                elif text.startswith('"FORMAT"', i):
                    out += r.choice(PRINTF)
                    i += 8
                elif found := re.match(r"[A-Z]{1,}\b", text[i:]):
                    out += self.word(r, found[0])
                    i += len(found[0])
                else:
                    out += text[i]
                    i += 1
            return out

        return " ".join(expand(usage).split(" "))

    def outside(self, r, command):
        """Of those commands only what does no harm."""
        file, number = r.choice(FILES), self.number(r)
        file = file if r.random() < 0.8 else f'"{file}"'
        if command == "shell":
            return f"shell {r.choice(SHELL)}"
        if command in ("dump", "append"):
            return r.choice([f"{command} memory {file} {self.expression(r)} {self.expression(r)}", f"{command} value {file} {self.expression(r)}",
                             f"{command} memory {file} out out+16", f"{command} {file}", f"{command} binary {file}"])
        if command == "restore":
            return r.choice([f"restore {file} binary {self.expression(r)}", f"restore {file} {self.expression(r)} {number} {self.number(r)}", "restore",
                             f"restore {file} binary out {number} {self.number(r)}"])
        if command == "attach":
            return f"attach {r.choice(['0', '-1', '99999999', 'x', '', '4294967297'])}"
        if command == "eval":
            return "eval " + r.choice(EVAL)
        if command == "cd":
            return "cd " + r.choice([".", "", "missing", "caf\u00e9", "/dev/null"])
        if command == "save":
            return r.choice([f"save breakpoints {file}", "save", f"save {file}"])
        return f"{command} {file}"

    def line(self, r, nested=False):
        command = r.choice(self.commands)
        if command in FINAL and r.random() < 0.8:
            command = "print"
        if OUTSIDE.fullmatch(command):
            return self.outside(r, command) if command in KNOWN_OUTSIDE else command
        if nested and command in OPENERS:
            command = "print"
        kind = r.random()
        if command == "set" and kind < 0.5:
            return "set " + self.setting(r)
        if command == "info":
            return f"info {r.choice(self.infos)} {self.junk(r) if kind < 0.5 else ''}"
        if kind < 0.75:
            return f"{command} {self.arguments(r, self.usages.get(command, ''))}"
        line = f"{command} {self.junk(r)}"
        if kind < 0.85:
            line += " " + self.junk(r)
        elif kind < 0.93:
            line = self.mutated(r, line)
        return line

    @staticmethod
    def mutated(r, line):
        """With a few characters lost, doubled or others; as it is where that could start or write something."""
        chars = list(line)
        for _ in range(r.randrange(1, 4)):
            if chars:
                at = r.randrange(len(chars))
                chars[at:at + 1] = r.choice([[], [chars[at]] * 2, [chr(r.randrange(32, 127))], [r.choice("\t\x01\u00ff\u4e2d")]])
        changed = "".join(chars)
        return line if OUTSIDE.search(changed) else changed

    def block(self, r):
        """Lines up to their end."""
        opener = r.choice([f"if {self.expression(r)}", f"while {self.expression(r)}", "while 1", f"commands {self.number(r)}", "commands",
                           f"define {r.choice(COMMANDS_MADE)}", f"document {r.choice(COMMANDS_MADE)}"])
        lines = [opener]
        for _ in range(r.randrange(5)):
            lines.append(r.choice(["silent", "else", "loop_break", "loop_continue", "continue", r.choice(COMMANDS_MADE) + " 1 $pc", "if 1", "end",
                                   self.line(r), self.line(r), self.line(r)]))
        opened = sum(line.split(" ")[0] in OPENERS for line in lines)
        return lines + ["end"] * (opened + 1)

    def lines(self, r):
        """One line, or a block, of which no part is sent alone."""
        kind = r.random()
        if kind < 0.06:
            return self.block(r)
        if kind < 0.10:
            return [r.choice(COMMANDS_MADE) + " " + self.junk(r)]
        if kind < 0.12:
            return [r.choice(TEXTS).lstrip("!")]
        if kind < 0.13:
            return [""]
        line = self.line(r)
        return [line, "end", "end"] if line.lstrip().startswith(tuple(o[:2] for o in OPENERS)) else [line]


KNOWN_OUTSIDE = ("append", "attach", "cd", "dump", "eval", "restore", "save", "shell", "source", "symbol-file")


def harmless(line):
    """One line for the prompt: none that ends in a backslash, begins a shell, or has a line's end in it."""
    line = line.replace("\n", " ").replace("\r", " ").replace("\0", " ").rstrip("\\")
    while line.lstrip().startswith("!"):
        line = line.lstrip()[1:]
    return line
