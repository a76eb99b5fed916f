#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes data/regs/*.txt from the register headers of a Linux kernel tree.

Usage: import-regs.py KERNEL_TREE OUTPUT_FOLDER [BLOCK-VERSION ...]

KERNEL_TREE is an unpacked kernel source (Debian: linux-source-6.12 of bookworm-backports or
-security; 6.1 lacks GC 9.4.3, 11.5 and 12.0). The blocks of gfx12.1 (gc-12.1.0, mmhub-4.2.0,
osssys-7.1.0) are of a later one, linux-source-7.2 of sid: where names are given, only those are
written. The text is committed, the kernel is not. To add a block or a version: a row in TABLES, run
this for it, add the file's name to src/regs/meson.build.

The format is described at the top of tools/gen-regs.py, which reads it.
"""
import collections
import pathlib
import re
import sys

HEADERS = "drivers/gpu/drm/amd/include/asic_reg"

# Block, version of the header, IP versions it is for, header. What it is for follows the includes of
# amdgpu/gfx_v*.c, gfxhub_v*.c, mmhub_v*.c, sdma_v4*.c, *ih*.c and hdp_v*.c: a hub that has a header
# of its own uses that one. SDMA from version 5 (gfx10) on lies in GC.
TABLES = [
    ("gc", "9.0.0", "9.0.0-9.4.2", "gc/gc_9_0"),
    ("gc", "9.4.3", "9.4.3-9.5.255", "gc/gc_9_4_3"),
    ("gc", "10.1.0", "10.1.0-10.1.255", "gc/gc_10_1_0"),
    ("gc", "10.3.0", "10.3.0-10.3.255", "gc/gc_10_3_0"),
    ("gc", "11.0.0", "11.0.0-11.0.2 11.0.4-11.0.255", "gc/gc_11_0_0"),
    ("gc", "11.0.3", "11.0.3", "gc/gc_11_0_3"),
    ("gc", "11.5.0", "11.5.0-11.5.255", "gc/gc_11_5_0"),
    ("gc", "12.0.0", "12.0.0-12.0.255", "gc/gc_12_0_0"),
    ("gc", "12.1.0", "12.1.0-12.1.255", "gc/gc_12_1_0"),
    ("mmhub", "1.0.0", "1.0.0-1.6.255 9.0.0-9.4.0", "mmhub/mmhub_1_0"),
    ("mmhub", "1.8.0", "1.8.0-1.8.255", "mmhub/mmhub_1_8_0"),
    ("mmhub", "2.0.0", "2.0.0-2.2.255", "mmhub/mmhub_2_0_0"),
    ("mmhub", "2.3.0", "2.3.0-2.4.255", "mmhub/mmhub_2_3_0"),
    ("mmhub", "3.0.0", "3.0.0", "mmhub/mmhub_3_0_0"),
    ("mmhub", "3.0.1", "3.0.1", "mmhub/mmhub_3_0_1"),
    ("mmhub", "3.0.2", "3.0.2", "mmhub/mmhub_3_0_2"),
    ("mmhub", "3.3.0", "3.3.0-3.3.255", "mmhub/mmhub_3_3_0"),
    ("mmhub", "4.1.0", "4.1.0-4.1.255", "mmhub/mmhub_4_1_0"),
    ("mmhub", "4.2.0", "4.2.0-4.2.255", "mmhub/mmhub_4_2_0"),
    ("sdma0", "4.0.0", "4.0.0-4.1.255", "sdma0/sdma0_4_0"),
    ("sdma1", "4.0.0", "4.0.0-4.1.255", "sdma1/sdma1_4_0"),
    ("sdma0", "4.2.0", "4.2.0-4.2.1", "sdma0/sdma0_4_2"),
    ("sdma1", "4.2.0", "4.2.0-4.2.1", "sdma1/sdma1_4_2"),
    ("sdma", "4.4.2", "4.4.2-4.4.255", "sdma/sdma_4_4_2"),
    ("osssys", "4.0.0", "4.0.0-4.1.255", "oss/osssys_4_0"),
    ("osssys", "4.2.0", "4.2.0-4.4.1", "oss/osssys_4_2_0"),
    ("osssys", "4.4.2", "4.4.2-4.4.255", "oss/osssys_4_4_2"),
    ("osssys", "5.0.0", "5.0.0-5.2.255", "oss/osssys_5_0_0"),
    ("osssys", "6.0.0", "6.0.0-6.0.255", "oss/osssys_6_0_0"),
    ("osssys", "6.1.0", "6.1.0-6.1.255", "oss/osssys_6_1_0"),
    ("osssys", "7.0.0", "7.0.0-7.0.255", "oss/osssys_7_0_0"),
    ("osssys", "7.1.0", "7.1.0-7.1.255", "oss/osssys_7_1_0"),
    ("hdp", "4.0.0", "4.0.0-4.4.1", "hdp/hdp_4_0"),
    ("hdp", "4.4.2", "4.4.2-4.4.255", "hdp/hdp_4_4_2"),
    ("hdp", "5.0.0", "5.0.0-5.2.0", "hdp/hdp_5_0_0"),
    ("hdp", "5.2.1", "5.2.1-5.2.255", "hdp/hdp_5_2_1"),
    ("hdp", "6.0.0", "6.0.0-6.1.255", "hdp/hdp_6_0_0"),
    ("hdp", "7.0.0", "7.0.0-7.0.255", "hdp/hdp_7_0_0"),
]

DEFINE = re.compile(r"#define[ \t]+(\w+)[ \t]+((?:0x)?[0-9A-Fa-f]+)[UL]*\s*$")


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def kernel_version(tree):
    top = (tree / "Makefile").read_text()
    parts = [re.search(rf"^{key} *= *(\d+)", top, re.M) for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    if not all(parts):
        raise SystemExit(f"{tree}: no kernel tree: its Makefile names no version")
    return ".".join(p.group(1) for p in parts)


def read_registers(path, left_out):
    """Registers in the header's order: (name, prefix, offset, segment or index space, address block)."""
    values, order, block = {}, [], ""
    for line in path.read_text().splitlines():
        m = re.match(r"// addressBlock: (\S+)", line)
        if m:
            block = m.group(1)
            continue
        m = DEFINE.match(line)
        if not m:
            continue
        name = m.group(1)
        if name not in values and not name.endswith("_BASE_IDX"):
            order.append((name, block))
        values[name] = number(m.group(2))
    regs = []
    for full, block in order:
        m = re.match(r"(mm|reg|ix)(.+)", full)
        if not m:
            left_out.append(f"{full}: no register")
        elif m.group(1) == "ix":
            # "sqind", "gfx_se_sqind", "rtavfs_rtavfs_ind_reg_blk"; gfx10.3 repeats a space per instance
            space = re.sub(r"^(gfx_se|cpwd)_", "", re.sub(r"_ind_reg_blk$", "ind", block)) or "ind"
            regs.append((m.group(2), "ix", values[full], "ix:" + re.sub(r"ind\d*$", "", space), block))
        elif full + "_BASE_IDX" not in values:
            left_out.append(f"{m.group(2)}: the header gives no segment")
        else:
            regs.append((m.group(2), m.group(1), values[full], str(values[full + "_BASE_IDX"]), block))
    return regs


def read_fields(path, left_out):
    """{register: [(field, hi, lo), ...]}, fields by position."""
    shifts, masks = {}, collections.OrderedDict()
    for line in path.read_text().splitlines():
        m = DEFINE.match(line)
        if not m or "__" not in m.group(1):
            continue
        reg, _, field = m.group(1).partition("__")
        if field.endswith("__SHIFT"):
            shifts[reg, field[:-7]] = number(m.group(2))
        elif field.endswith("_MASK"):
            masks[reg, field[:-5]] = number(m.group(2))
    fields = {}
    for (reg, field), mask in masks.items():
        lo = (mask & -mask).bit_length() - 1
        hi = mask.bit_length() - 1
        if not mask or mask != (1 << hi + 1) - (1 << lo) or shifts.get((reg, field), lo) != lo:
            left_out.append(f"{reg}.{field}: mask {mask:#x} and shift {shifts.get((reg, field))} disagree")
            continue
        fields.setdefault(reg, []).append((field, hi, lo))
    for (reg, field), shift in shifts.items():
        if (reg, field) not in masks:
            left_out.append(f"{reg}.{field}: shift {shift}, no mask")
    for of_reg in fields.values():
        of_reg.sort(key=lambda f: f[2])
    return fields


def field_text(fields):
    return "  ".join(f"{name} {hi}:{lo}" if hi != lo else f"{name} {lo}" for name, hi, lo in fields)


def write_table(tree, out, version_of_kernel, block, version, used_for, header):
    left_out = []
    regs = read_registers(tree / HEADERS / (header + "_offset.h"), left_out)
    fields = read_fields(tree / HEADERS / (header + "_sh_mask.h"), left_out)
    prefix = collections.Counter(r[1] for r in regs if r[1] != "ix").most_common(1)[0][0]
    lines = [
        f"# Registers of {block.upper()} {version}. Written by tools/import-regs.py from Linux {version_of_kernel},",
        f"# {HEADERS}/{header}_offset.h and {pathlib.Path(header).name}_sh_mask.h",
        "# (MIT licence, Copyright Advanced Micro Devices, Inc.).",
        f"block {block} {version}",
        f"for {used_for}",
        f"prefix {prefix}",
    ]
    first_with, current, seen = {}, None, set()
    width = max(len(r[0]) for r in regs)
    for name, _, offset, segment, address_block in regs:
        if (name, segment) in seen:
            left_out.append(f"{name}: given twice")
            continue
        seen.add((name, segment))
        if address_block != current:
            current = address_block
            lines.append(f"\n# {address_block}")
        # Two registers that share a name, direct and indexed, share the fields too.
        own = fields.get(name, [])
        text = field_text(own)
        other = first_with.setdefault(text, name)
        if other != name and len(text) > len(other) + 5:
            text = "like " + other
        lines.append(f"{name:{width}}  {offset:#06x}/{segment:4}  {text}".rstrip())
    named = {r[0] for r in regs}
    left_out += [f"{name}: fields of no register" for name in fields if name not in named]
    if left_out:
        lines += ["", "# Left out, as the header contradicts itself or is incomplete there:"]
        lines += ["#   " + text for text in left_out]
    (out / f"{block}-{version}.txt").write_text("\n".join(lines) + "\n")
    print(f"{block}-{version}.txt: {len(regs)} registers, {len(left_out)} things left out")


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    tree, out, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), set(sys.argv[3:])
    rows = [row for row in TABLES if not names or f"{row[0]}-{row[1]}" in names]
    unknown = names - {f"{row[0]}-{row[1]}" for row in rows}
    if unknown:
        raise SystemExit(f"TABLES has no row for {', '.join(sorted(unknown))}")
    version_of_kernel = kernel_version(tree)
    missing = [row[3] for row in rows if not (tree / HEADERS / (row[3] + "_offset.h")).exists()]
    if missing:
        raise SystemExit(f"{tree}: Linux {version_of_kernel} lacks the headers {', '.join(missing)}")
    for row in rows:
        write_table(tree, out, version_of_kernel, *row)


if __name__ == "__main__":
    main()
