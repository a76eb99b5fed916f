#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the seeds of the fuzz targets that the build or a line of Python can make; those that need a hand are in
tests/fuzz/corpus. Usage: fuzz-seeds.py BUILD_DIR OUT_DIR   (a folder for each target)"""
import pathlib
import re
import struct
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
SECTIONS = (".debug_line", ".debug_info", ".debug_abbrev", ".debug_line_str", ".debug_str", ".debug_addr", ".debug_rnglists",
            ".debug_str_offsets", ".debug_loclists", ".debug_ranges", ".debug_loc")
MOST_B = 12 << 10  # of a seed: what is longer slows the rest down


def rows(path):
    """The words of each row of a table of packets: what is below a row is left out."""
    lines = (SOURCE / path).read_text().splitlines()
    return [line.split() for line in lines if line.startswith("0x")]


def words(*values):
    return struct.pack(f"<{len(values)}I", *[v & 0xffffffff for v in values])


def sections_of(path):
    """name: contents, of an ELF file."""
    data = path.read_bytes()
    shoff, = struct.unpack_from("<Q", data, 40)
    count, names_at = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i) for i in range(count)]
    names = data[headers[names_at][4]:headers[names_at][4] + headers[names_at][5]]
    return {names[h[0]:names.index(b"\0", h[0])].decode(): data[h[4]:h[4] + h[5]] for h in headers if h[1] != 8}


def code_objects(build):
    return [p for folder in ("tests/sym", "tests/live") for p in sorted((build / folder).glob("*.co")) if p.stat().st_size <= MOST_B]


def code_object(build):
    return {p.name: p.read_bytes() for p in code_objects(build)}


def kernel_symbol(build):
    """Code objects, behind the address of their first descriptor."""
    seeds = {}
    for p in code_objects(build):
        symbols, names = (sections_of(p).get(s, b"") for s in (".dynsym", ".dynstr"))
        for at in range(0, len(symbols), 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", symbols, at)
            if names[name:names.index(b"\0", name)].endswith(b".kd"):
                seeds[p.name] = struct.pack("<H", value & 0xffff) + p.read_bytes()
    return seeds


def lines(build):
    seeds = {}
    for p in code_objects(build):
        found = sections_of(p)
        pieces = [struct.pack("<BH", i, len(found[name])) + found[name] for i, name in enumerate(SECTIONS) if name in found]
        seeds[p.name] = b"".join(pieces)
        seeds[p.name + ".line"] = b"".join(piece for piece in pieces if piece[0] in (0, 3))
    return {name: seed for name, seed in seeds.items() if seed}


def isa_decode(build):
    """Instructions as LLVM encodes them, a hundred to a seed, and whole kernels."""
    found = [words(*[int(w, 16) for w in row.rsplit('"', 1)[1].split()])
             for row in (SOURCE / "tests/golden/isa/decode.vec").read_text().splitlines() if row.count('"') == 2 and not row.startswith("#")]
    seeds = {f"decode{i}": b"".join(found[i:i + 100]) for i in range(0, len(found), 100)}
    return seeds | {p.name: sections_of(p)[".text"] for p in code_objects(build) if ".text" in sections_of(p)}


def pm4_packets():
    """Each packet with zeros, and with small numbers; a dispatch with its registers."""
    for opcode, name, n, *_ in rows("data/pm4/packets.txt"):
        for fill in (0, 1):
            n_body = max(int(n), 1)
            yield name, words(3 << 30 | (n_body - 1) << 16 | int(opcode, 16) << 8, *[fill * (i + 1) for i in range(n_body)])


def dispatch(code_va):
    def sh(at, *values):
        return words(3 << 30 | len(values) << 16 | 0x76 << 8, at // 4 - 0x2c00, *values)
    return (sh(0xb830, code_va >> 8, code_va >> 40) + sh(0xb848, 0x602c0002, 4) + sh(0xb8a0, 0) + sh(0xb854, 0) + sh(0xb858, ~0, ~0) + sh(0xb864, ~0, ~0) +
            sh(0xb810, 0, 0, 0) + sh(0xb81c, 32, 1, 1) + sh(0xb900, 0, 0) + words(3 << 30 | 3 << 16 | 0x15 << 8, 1, 1, 1, 0x8045))


def pm4(build):
    return {f"{name}{i}": packet for i, (name, packet) in enumerate(pm4_packets())} | {"dispatch": dispatch(0x100000)}


def sdma_packets():
    for opcode, sub, name, n, *_ in rows("data/pm4/sdma.txt"):
        for fill in (0, 1):
            yield name, words(int(opcode, 16) | int(sub, 16) << 8, *[fill * (i + 1) for i in range(int(n) - 1)])


def sdma(build):
    return {f"{name}{i}": packet for i, (name, packet) in enumerate(sdma_packets())}


def commands(build):
    """As pm4 and sdma, with the queue in front; what waits for nothing takes no time."""
    seeds = {f"{queue}-{name}{i}": bytes([queue]) + packet for queue in (0, 1) for i, (name, packet) in enumerate(pm4_packets()) if i % 2}
    seeds |= {f"2-{name}{i}": b"\2" + packet for i, (name, packet) in enumerate(sdma_packets()) if i % 2}
    return seeds | {f"dispatch{queue}": bytes([queue]) + dispatch(0x100000) for queue in (0, 1)}


def typed():
    """The commands of each transcript in tests/e2e."""
    for path in sorted((SOURCE / "tests/e2e").glob("*.txt")):
        found = re.findall(r"-ex '([^']*)'", path.read_text())
        for i in range(0, len(found), 12):
            yield f"{path.stem}{i}", found[i:i + 12]


def command(build):
    return {name: "\n".join(found).encode() for name, found in typed()}


def expr(build):
    seeds = {}
    for name, found in typed():
        for i, line in enumerate(found):
            word, _, rest = line.partition(" ")
            if word.split("/")[0] in ("print", "p", "x", "break", "tbreak", "watch", "display", "output", "set") and rest:
                seeds[f"{name}-{i}"] = rest.removeprefix("var ").encode()
    return seeds


def message(kind, body=b"", seq=1, flags=0):
    return struct.pack("<IHHII", 0x4b417242, kind, flags, seq, len(body)) + body


def wire(build):
    return {"empty": message(1), "two": message(1, b"hello") + message(0x8002, bytes(300), 7), "fd": message(3, b"x", 1, 1),
            "cut": message(4, b"long")[:-2], "none": b"", "huge": struct.pack("<IHHII", 0x4b417242, 1, 0, 1, 16 << 20)}


def agent(build):
    """Requests as tests/fuzz/fuzz_agent.c reads them: flags, then type, form and what the type takes."""
    attach, detach, go, read, write, patch, unpatch, maps, fault, objects, clock, ready, files, _ = range(14)
    attached = bytes([attach, 1, 16, 64, 0, 16]) + bytes(64)
    simple = [bytes([t, 8, 1, 0, 0, 0, 0, 0, 0, 0]) for t in (maps, fault, objects, files, clock, go)]
    code = bytes([1, 0])  # an address: the dispatch's code
    io = bytes([read, 0]) + code + b"\x10" + bytes([write, 0]) + code + b"\4" + b"abcd" + bytes([patch, 0]) + code + b"\4" + b"wxyz"
    undone = bytes([unpatch, 0]) + code + b"\0"
    all_of_it = attached + b"".join(simple) + io + undone
    return {"all": b"\0" + all_of_it + bytes([detach, 0]), "ready": b"\0" + attached + io + bytes([ready, 0]), "closes": b"\x08" + all_of_it,
            "no-guard": b"\2" + all_of_it, "silent-guard": b"\4" + all_of_it, "patches": b"\0" + io * 4 + undone,
            "area": b"\0" + attached + bytes([read, 0, 3, 0, 255, write, 0, 4, 0, 2, 1, 1]),
            "bytes": b"\1" + message(8, bytes(8)) + message(4, struct.pack("<QII", 0x200000, 64, 0), 2)}


def client(build):
    """Answers as tests/fuzz/fuzz_client.c reads them: two bytes each, and what they take."""
    good, asks, fd = b"\0\x40", b"\2\0\x10\3\0\x10", b"\x40\x40"
    return {"good": good * 20, "asks": good * 3 + asks * 3 + good * 16, "descriptors": good * 2 + fd * 20,
            "anything": good * 3 + (b"\4\x08" + bytes(range(8))) * 8 + good * 8, "wrong": good * 3 + b"\5\x20" + good * 8, "noise": good * 2 + b"\6\x20" + bytes(range(32))}


def gpuvm(build):
    """Four levels that lead to themselves: registers (struct bw_gpuvm_regs), an address, table memory."""
    def registers(cntl, base, end):
        return struct.pack("<I4xQQQQQQQQQQQI4x", cntl, base, 0, end, 0, 0, 0xffff, 0, 0, 0, 0, 0, 0)
    tables = struct.pack("<16Q", *[0x0040000000000071 | i << 12 for i in range(16)])
    seeds = {}
    for generation in range(5):
        for depth in range(4):
            for kind in (generation, generation | 0x40):
                seeds[f"{kind}-{depth}"] = bytes([kind]) + registers(1 | depth << 1, 1, 1 << 35) + struct.pack("<Q", 0x1000) + tables
    return seeds


def module(build):
    """ELF files with a section .modinfo: sections 1 (its names) and 2 (.modinfo) are described behind the header."""
    names, seeds = b"\0.modinfo\0", {}
    for name, info in {"needs": b"license=GPL\0depends=drm,ttm-x\0", "nothing": b"depends=\0", "absent": b"license=GPL\0", "open": b"depends=drm"}.items():
        def section(at, size, name_at):
            return struct.pack("<IIQQQQIIQQ", name_at, 1, 0, 0, at, size, 0, 0, 1, 0)
        at = 64 + 3 * 64
        header = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 3, 1)
        seeds[name] = header + bytes(64) + section(at, len(names), 0) + section(at + len(names), len(info), 1) + names + info
    return seeds


def loaded(build):
    """A library with one dynamic symbol, that of ROCm's runtime, at 0x2040."""
    name = b"\0_amdgpu_r_debug\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x11, 0, 1, 0x2040, 40)
    at = 64 + 56
    segment = struct.pack("<IIQQQQQQ", 1, 6, 0, 0x1000, 0x1000, 0x2000, 0x2000, 0x1000)

    def section(kind, offset, size, link=0):
        return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size, link, 0, 8, 24)

    sections = section(0, 0, 0) + section(11, at, len(symbols), 2) + section(3, at + len(symbols), len(name))
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, at + len(symbols) + len(name), 0,
                                                             64, 56, 1, 64, 3, 0)
    return {"library": head + segment + symbols + name + sections}


def vfio_user(build):
    """Messages as tests/fuzz/fuzz_vfio_user.c reads them: command, flags, size, body."""
    def message(command, body=b"", flags=0):
        return struct.pack("<BBH", command, flags, len(body)) + body

    def access(offset, region, data=None, size=4):
        head = struct.pack("<QII", offset, region, len(data) if data else size)
        return message(10, head + data) if data else message(9, head)

    def write(register, value):
        return access(register * 4, 5, struct.pack("<I", value))

    # An SDMA ring in VRAM (which begins at 512 GiB), enabled, with a fence and a trap in it.
    sdma = access(0x10000, 0, struct.pack("<6I", 5, 0x20000, 0x80, 7, 6, 1)) + write(0x12E1, 0x80000100) + \
        write(0x12FC, 1) + write(0x12E0, 1 | 10 << 1) + write(0x12E5, 24)
    # The kernel's own queue: ME 3 pipe 1, its ring, and a NOP.
    kiq = write(0xA900, 0xD) + write(0x3211, 0x80000100) + write(0x321A, 9) + write(0x3218, 0x40000060) + \
        write(0x320B, 1) + access(0x10000, 0, struct.pack("<2I", 0xC0001000, 0)) + access(0x60, 2, struct.pack("<Q", 2))
    irq = message(8, struct.pack("<5I", 20, 0x24, 1, 0, 1), 5)
    memory = message(2, struct.pack("<IIQQQ", 32, 3, 0, 0x100000, 0x10000), 1)
    unmap = message(3, struct.pack("<IIQQ", 24, 0, 0x100000, 0x10000))
    hello = message(1, struct.pack("<HH", 0, 0) + b"{}\0") + message(4, struct.pack("<4I", 16, 0, 0, 0)) + \
        message(5, struct.pack("<4IQQ", 32, 0, 0, 0, 0, 0)) + message(7, struct.pack("<4I", 16, 0, 3, 0))
    pairs = write(0, 0x80000000) + access(4, 5) + write(0x14, 0x10134408) + write(0x15, 1) + access(0x54, 5)
    return {"hello": hello, "memory": memory + unmap, "irq": irq + sdma, "kiq": kiq, "pairs": pairs,
            "reset": memory + message(13) + unmap, "config": access(0, 7, None, 64) + access(4, 7, b"\7\0")}


def assigned(build):
    """A local variable of each kernel of the tests and a line behind its declaration, as tests/fuzz/fuzz_assigned.c reads them."""
    seeds = {}
    for path in sorted((SOURCE / "tests/e2e/kernels").glob("*.cl")):
        text = path.read_text().splitlines()[:200]
        for line, words in enumerate(text, 1):
            found = re.match(r"\s+(?:const )?(int|uint|float|half|enum color|char)\d? \*?(\w+)", words)
            if found:
                kind = {"float": 1, "half": 2, "enum color": 3, "char": 5}.get(found[1], 0)
                at = min(line + 3, len(text))
                seeds[f"{path.stem}{line}"] = bytes([line, at, line, kind, line % 3, 0]) + "\n".join([found[2]] + text).encode()
    return seeds


TARGETS = (assigned, code_object, kernel_symbol, lines, isa_decode, pm4, sdma, commands, command, expr, wire, agent, client, gpuvm, loaded, module, vfio_user)


def main():
    build, out = map(pathlib.Path, sys.argv[1:3])
    for target in TARGETS:
        folder = out / target.__name__
        folder.mkdir(parents=True, exist_ok=True)
        seeds = target(build)
        if not seeds:
            sys.exit(f"fuzz-seeds: none for {target.__name__}")
        for name, seed in seeds.items():
            (folder / name).write_bytes(seed)


if __name__ == "__main__":
    main()
