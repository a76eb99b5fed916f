#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the bits of the registers that a debugger looks at as a header for C and for assembler.

Usage: gen-wave-bits.py -o OUTPUT.h PREFIX FILE.txt...

FILE.txt are register files of one generation (format: gen-regs.py), the most complete one first. Their
registers of the SQ_IND index space "sq", and those that DIRECT names, become macros, and a field that
several files have must have the same bits in all of them:

    #define BW_GFX11_STATUS 0x102            index in SQ_IND, without SQ_WAVE_
    #define BW_GFX11_STATUS__HALT 0x2000     mask of a field
    #define BW_GFX11_STATUS__HALT_LO 13      its lowest bit
    #define BW_GFX11_STATUS__HALT_WIDTH 1

The numbers have no suffix: the assembler reads them too. Something wrong in the input is one line
FILE: WHAT each, and exit status 1.
"""
import importlib.util
import pathlib
import sys

# Registers outside of SQ_IND whose fields a debugger needs.
DIRECT = (
    "COMPUTE_DISPATCH_INITIATOR", "COMPUTE_PGM_RSRC1", "COMPUTE_PGM_RSRC2", "COMPUTE_TMPRING_SIZE", "SPI_GDBG_PER_VMID_CNTL", "SQ_CMD",
    "SQ_DEBUG", "SQ_IND_INDEX", "SQ_SHADER_TBA_HI", "TCP_WATCH0_CNTL",
)


def reader():
    path = pathlib.Path(__file__).with_name("gen-regs.py")
    spec = importlib.util.spec_from_file_location("gen_regs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Reader


def collect(paths, errors):
    """{register: (index or None, {field: (hi, lo)})}, in the order of the files."""
    found = {}
    for path in paths:
        table = reader()(path, errors).read()
        for r in table.registers:
            indexed = r.segment == "sq"
            if not indexed and (r.name not in DIRECT or isinstance(r.segment, str)):
                continue
            index, fields = found.setdefault(r.name, (r.offset if indexed else None, {}))
            if indexed and index != r.offset:
                errors.append(f"{path}: {r.name} has index {r.offset:#x}, and {index:#x} in a file before")
            for name, hi, lo in r.fields:
                if fields.setdefault(name, (hi, lo)) != (hi, lo):
                    errors.append(f"{path}: {r.name}.{name} is {hi}:{lo}, and other bits in a file before")
    return found


def main():
    if len(sys.argv) < 5 or sys.argv[1] != "-o":
        raise SystemExit(__doc__)
    output, prefix, paths = sys.argv[2], sys.argv[3], sys.argv[4:]
    errors = []
    found = collect(paths, errors)
    errors += [f"{paths[0]}: there is no {name}" for name in DIRECT if name not in found]
    if errors:
        raise SystemExit("\n".join(errors))
    names = ", ".join(pathlib.Path(p).name for p in paths)
    lines = [f"/* Written by tools/gen-wave-bits.py from data/regs ({names}): change it there. */"]
    for name, (index, fields) in found.items():
        macro = f"BW_{prefix}_{name.removeprefix('SQ_WAVE_')}"
        lines.append("")
        if index is not None:
            lines.append(f"#define {macro} {index:#x}")
        for field, (hi, lo) in fields.items():
            width = hi - lo + 1
            lines += [f"#define {macro}__{field} {((1 << width) - 1) << lo:#x}",
                      f"#define {macro}__{field}_LO {lo}", f"#define {macro}__{field}_WIDTH {width}"]
    pathlib.Path(output).write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
