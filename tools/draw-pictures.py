#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of doc/how: boxes with text, and arrows between them.

    draw-pictures.py [--check]    writes doc/how/*.svg; --check: they are as this would write them

A box is (x, y, width, height, text), an arrow (x, y, x, y, text); "|" begins a line.
Text that does not fit, and boxes that cross, are errors. The pictures have a background of their own, so
that they can be read on a page of any colour, and follow the browser's choice of light or dark.
"""
import html
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "doc/how"
LETTER, LINE = 7.0, 17  # pixels
STYLE = ("text{font:13px sans-serif;fill:#1b1b1b}.g{fill:#fff}.b{fill:#eef3fa;stroke:#4a6b94}.o{fill:#f7f7f4;stroke:#999}"
         ".a{stroke:#b05a00;fill:none;stroke-width:1.5}.h{fill:#b05a00}"
         "@media(prefers-color-scheme:dark){text{fill:#e6e6e6}.g{fill:#17191c}.b{fill:#22303f;stroke:#7fa3cf}"
         ".o{fill:#1f2226;stroke:#777}.a{stroke:#f0a04b}.h{fill:#f0a04b}}")

PICTURES = {
    "interface": ("One interface, two things below it", 640, 300, [
        (20, 15, 280, 50, "breakwater|(the debugger)"), (340, 15, 280, 50, "your program|with libbreakwater-agent.so"),
        (20, 115, 600, 50, "the amdgpu kernel interface:|ioctls of render nodes, files of debugfs and sysfs"),
        (20, 215, 280, 65, "Linux's amdgpu driver|and an AMD GPU"), (340, 215, 280, 65, "breakwater-vgpu:|a driver of its own,|and the virtual GPU")],
        [(160, 65, 160, 115, "registers"), (480, 65, 480, 115, "submissions"), (340, 40, 300, 40, ""), (300, 165, 160, 215, ""), (340, 165, 480, 215, "")]),
    "wave": ("How a wave stops", 660, 330, [
        (20, 20, 150, 60, "a wave reaches|s_trap"), (250, 20, 150, 60, "the trap handler|finds its slot"),
        (480, 20, 160, 60, "saves all registers,|state = STOPPED"), (480, 220, 160, 60, "polls for a command|in its slot"),
        (250, 220, 150, 60, "RESUME: restores|all registers"), (20, 220, 150, 60, "the wave continues"), (250, 120, 150, 60, "the debugger reads|and edits the slot")],
        [(170, 50, 250, 50, ""), (400, 50, 480, 50, ""), (560, 80, 560, 220, ""), (480, 250, 400, 250, ""), (250, 250, 170, 250, ""),
         (480, 80, 400, 130, ""), (400, 170, 480, 220, "command")]),
    "breakpoint": ("A breakpoint and the way past it", 660, 300, [
        (20, 20, 170, 50, "saxpy.s:20|a source line"), (245, 20, 170, 50, "0x100001624|its address (DWARF)"), (470, 20, 170, 50, "s_trap 0x7f|over the first dword"),
        (470, 120, 170, 50, "waves stop here"), (245, 120, 170, 50, "continue:|a copy elsewhere"),
        (20, 120, 170, 85, "the original|instruction, then|s_trap 0x7e"), (20, 235, 170, 50, "the handler jumps|to the next address")],
        [(190, 45, 245, 45, ""), (415, 45, 470, 45, ""), (555, 70, 555, 120, ""), (470, 145, 415, 145, ""), (245, 145, 190, 145, ""), (105, 205, 105, 235, "")]),
    "variables": ("Where the value of a variable comes from", 660, 320, [
        (20, 20, 190, 50, "PC of the wave,|selected frame"), (240, 20, 180, 50, "functions and blocks|that contain it"), (450, 20, 190, 50, "the variable's type|and location"),
        (20, 130, 190, 65, "kernels: DWARF of|the code object"), (240, 130, 180, 65, "shaders, -O0: a record|in scratch memory"), (450, 130, 190, 65, "no location:|<optimized out>"),
        (20, 250, 400, 50, "registers in the slot, LDS, scratch, memory:|one value for each lane")],
        [(210, 45, 240, 45, ""), (420, 45, 450, 45, ""), (470, 70, 200, 130, ""), (510, 70, 400, 130, ""), (550, 70, 550, 130, ""), (115, 195, 115, 250, ""), (330, 195, 330, 250, "")]),
    "page-walk": ("A walk of four levels: bits of the address choose an entry", 680, 250, [
        (20, 20, 640, 40, "address:  47:39   |   38:30   |   29:21   |   20:12   |   11:0".replace("|", "/")),
        (20, 110, 120, 50, "PDB2"), (180, 110, 120, 50, "PDB1"), (340, 110, 120, 50, "PDB0"), (500, 110, 120, 50, "PTB"), (340, 190, 280, 45, "page: VRAM or system memory,|access rights")],
        [(80, 60, 80, 110, "47:39"), (140, 135, 180, 135, ""), (240, 60, 240, 110, "38:30"), (300, 135, 340, 135, ""), (400, 60, 400, 110, "29:21"),
         (460, 135, 500, 135, ""), (560, 60, 560, 110, "20:12"), (560, 160, 560, 190, "")]),
    "capture": ("Capture and replay", 660, 270, [
        (20, 20, 180, 65, "the program submits;|the agent sees it"), (240, 20, 190, 65, "changed pages before|and after the call"), (470, 20, 170, 65, "FILE.bwc:|equal pages once"),
        (470, 160, 170, 65, "breakwater-replay:|the same addresses"), (240, 160, 190, 65, "the submissions again,|by the same interface"), (20, 160, 180, 65, "memory, compared with|the captured memory")],
        [(200, 52, 240, 52, ""), (430, 52, 470, 52, ""), (555, 85, 555, 160, ""), (470, 192, 430, 192, ""), (240, 192, 200, 192, "")]),
    "virtual-gpu": ("The virtual GPU: a device, and what drives it", 660, 300, [
        (20, 20, 290, 50, "programs of this machine|(ioctls by the agent)"), (350, 20, 290, 50, "a guest in QEMU|with Linux's amdgpu.ko"),
        (20, 110, 290, 50, "uapi: a driver of its own"), (350, 110, 290, 50, "pci: a PCI function (vfio-user)"),
        (20, 200, 620, 80, "the device: registers, VRAM, page tables, command processor,|SDMA engines, waves")],
        [(165, 70, 165, 110, ""), (495, 70, 495, 110, ""), (165, 160, 165, 200, "rings, doorbells"), (495, 160, 495, 200, "registers, doorbells")]),
    "guard": ("When the debugger is killed", 660, 280, [
        (20, 20, 170, 50, "the debugger|is killed"), (240, 20, 180, 65, "the agent restores|code, resumes waves"), (470, 20, 170, 50, "waves continue"),
        (240, 130, 180, 65, "the guard looks at|every wave slot"), (470, 130, 170, 65, "no wave needs the|handler any more"), (470, 220, 170, 45, "registers restored")],
        [(190, 45, 240, 45, ""), (420, 45, 470, 45, ""), (330, 85, 330, 130, "LEFT"), (420, 162, 470, 162, ""), (555, 195, 555, 220, ""), (140, 70, 240, 150, "")]),
}


def lines_of(text, x, y, anchor="middle"):
    rows = text.split("|")
    return "".join(f'<text x="{x:g}" y="{y + (n - (len(rows) - 1) / 2) * LINE + 5:g}" text-anchor="{anchor}">{html.escape(row)}</text>\n'
                   for n, row in enumerate(rows))


def check(name, width, height, boxes):
    for x, y, w, h, text in boxes:
        rows = text.split("|")
        assert max(map(len, rows)) * LETTER <= w - 6 and len(rows) * LINE <= h - 4, f"{name}: '{text}' does not fit"
        assert 0 <= x and x + w <= width and y + h <= height, f"{name}: '{text}' is outside of the picture"
    for n, (x, y, w, h, text) in enumerate(boxes):
        for x2, y2, w2, h2, other in boxes[n + 1:]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y, f"{name}: '{text}' and '{other}' cross"


def draw(name, title, width, height, boxes, arrows):
    check(name, width, height, boxes)
    out = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
           f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n"
           '<marker id="h" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto"><path class="h" d="M0 0 9 4 0 8z"/></marker>\n'
           f'<rect class="g" width="{width}" height="{height}"/>\n')
    for x, y, w, h, text in boxes:
        out += f'<rect class="b" x="{x}" y="{y}" width="{w}" height="{h}" rx="5"/>\n' + lines_of(text, x + w / 2, y + h / 2)
    for x, y, x2, y2, text in arrows:
        out += f'<path class="a" marker-end="url(#h)" d="M{x} {y} {x2} {y2}"/>\n'
        out += lines_of(text, (x + x2) / 2 + 8, (y + y2) / 2, "start") if text else ""
    return out + "</svg>\n"


def main():
    drawn = {FOLDER / f"{name}.svg": draw(name, *picture) for name, picture in PICTURES.items()}
    if sys.argv[1:] != ["--check"]:
        for file, text in drawn.items():
            file.write_text(text)
        return 0
    wrong = [f"{file.name} is another one: tools/draw-pictures.py" for file, text in drawn.items() if not file.exists() or file.read_text() != text]
    wrong += [f"{file.name} is not drawn by tools/draw-pictures.py" for file in FOLDER.glob("*.svg") if file not in drawn]
    wrong += [f"{file.name} is on no page" for file in drawn if not any(f"({file.name})" in page.read_text() for page in FOLDER.glob("*.md"))]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
