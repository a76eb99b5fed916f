# SPDX-License-Identifier: MIT
"""In the guest: what the driver's debugfs files say of the GPU is what the GPU itself has, word for word. The GPU is
read beside the driver, through its BARs: registers in BAR5, VRAM in BAR0. A program is started whose waves halt with
known values (known.s). Prints what was compared."""
import ctypes
import fcntl
import json
import mmap
import os
import pathlib
import random
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "calls"))
import call  # noqa: E402
import work  # noqa: E402

DEBUG = pathlib.Path("/sys/kernel/debug/dri/0000:00:10.0")
DEVICE = pathlib.Path("/sys/bus/pci/devices/0000:00:10.0")
TIMEOUT_S = 240
# gc_11_0_0_offset.h of Linux 6.12: register, index of its segment
REGISTERS = {"SQ_IND_INDEX": (0x1118, 0), "SQ_IND_DATA": (0x1119, 0), "SQ_CMD": (0x111b, 0), "GRBM_GFX_CNTL": (0x900, 1),
             "SH_MEM_BASES": (0x9e3, 1), "SH_MEM_CONFIG": (0x9e4, 1), "GRBM_GFX_INDEX": (0x2200, 1)}
# gfx_v11_0_read_wave_data: STATUS, PC, EXEC, HW_ID1, HW_ID2, GPR_ALLOC, LDS_ALLOC, TRAPSTS, IB_STS, IB_STS2, IB_DBG1, M0, MODE
WAVE = [0x102, 0x108, 0x109, 0x27e, 0x27f, 0x117, 0x118, 0x105, 0x106, 0x103, 0x107, 0x11c, 0x10d, 0x27d, 0x101]
ACTIVE, HW_ID2, SGPRS, VGPRS = 0xa, 0x118, 0x200, 0x400
N_SE, N_SA, N_WGP, N_SIMD = 6, 2, 4, 4
BROADCAST = 0xe0000000
REGS2_STATE, GPRWAVE_STATE = 3 << 30 | 44 << 16 | 0x2001, 3 << 30 | 36 << 16 | 0x2000


def address(name):
    offset, segment = REGISTERS[name]
    bases = (DEVICE / "ip_discovery/die/0/GC/0/base_addr").read_text().split()
    return int(bases[segment], 16) + offset


AT = {name: address(name) for name in REGISTERS}


class Bar:
    """A BAR, by dwords."""

    def __init__(self, number, size):
        fd = os.open(DEVICE / f"resource{number}", os.O_RDWR | os.O_SYNC)
        self.map = mmap.mmap(fd, size)
        self.dwords = (ctypes.c_uint32 * (size // 4)).from_buffer(self.map)

    def read(self, dword):
        return self.dwords[dword]

    def write(self, dword, value):
        self.dwords[dword] = value


registers = Bar(5, 1 << 20)


def select(se, sa, instance):
    registers.write(AT["GRBM_GFX_INDEX"], se << 16 | sa << 8 | instance)


def indirect(wave, index, lane=0, n=1):
    registers.write(AT["SQ_IND_INDEX"], wave | lane << 5 | (n > 1) << 11 | index << 16)
    return [registers.read(AT["SQ_IND_DATA"]) for _ in range(n)]


def places():
    """(se, sa, instance) of all SIMDs that there are."""
    return [(se, sa, wgp << 2 | simd) for se in range(N_SE) for sa in range(N_SA) for wgp in range(N_WGP) for simd in range(N_SIMD)]


def all_waves():
    found = []
    for place in places():
        select(*place)
        active = indirect(0, ACTIVE)[0]
        found += [(place, wave) for wave in range(16) if active >> wave & 1]
    registers.write(AT["GRBM_GFX_INDEX"], BROADCAST)
    return found


def regs2(grbm=None, srbm=None):
    fd = os.open(DEBUG / "amdgpu_regs2", os.O_RDWR)
    fcntl.ioctl(fd, REGS2_STATE, bytearray(struct.pack("<10I", srbm is not None, grbm is not None, 0, *(grbm or (0, 0, 0)), *(srbm or (0, 0, 0, 0)))) + bytes(4))
    return fd


def word(fd, dword):
    return struct.unpack("<I", os.pread(fd, 4, dword * 4))[0]


def same(what, driver, device):
    if list(driver) != list(device):
        sys.exit(f"{what}: the driver says {[hex(v) for v in driver]}, the GPU has {[hex(v) for v in device]}")
    return len(list(driver))


def waves_of(n):
    """The n waves, when all of them have halted at their place."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        found = all_waves()
        halted = 0
        for place, wave in found:
            select(*place)
            halted += indirect(wave, WAVE[0])[0] >> 13 & 1  # STATUS.HALT
        registers.write(AT["GRBM_GFX_INDEX"], BROADCAST)
        if len(found) == n == halted:
            return found
        if time.monotonic() > end:
            sys.exit(f"{len(found)} waves, {halted} of them halted, not {n}")
        time.sleep(0.1)


def check_waves(found):
    wave_fd, gpr_fd = os.open(DEBUG / "amdgpu_wave", os.O_RDONLY), os.open(DEBUG / "amdgpu_gprwave", os.O_RDONLY)
    n_words = 0
    for (se, sa, instance), wave in found:
        what = f"wave {wave} of {se}.{sa}.{instance:#x}"
        by_file = struct.unpack("<16I", os.pread(wave_fd, 64, se << 7 | sa << 15 | instance << 23 | wave << 31))
        fcntl.ioctl(gpr_fd, GPRWAVE_STATE, bytearray(struct.pack("<9I", 0, se, sa, instance, wave, 0, 0, 0, 0)))
        by_ioctl = struct.unpack("<16I", os.pread(gpr_fd, 64, 0))
        fd = regs2(grbm=(se, sa, instance))
        os.pwrite(fd, struct.pack("<I", ACTIVE << 16), AT["SQ_IND_INDEX"] * 4)
        active = word(fd, AT["SQ_IND_DATA"])
        os.close(fd)
        select(se, sa, instance)
        want = [3] + [indirect(wave, index)[0] for index in WAVE]
        n_words += same(f"amdgpu_wave, {what}", by_file, want) + same(f"amdgpu_gprwave, {what}", by_ioctl, want)
        select(se, sa, instance)
        n_words += same(f"amdgpu_regs2, SIMD of {what}", [active], indirect(0, ACTIVE))
        select(se, sa, instance)
        sgprs = indirect(wave, SGPRS, n=24)
        lanes = []
        for lane in range(32):
            select(se, sa, instance)
            lanes.append(indirect(wave, VGPRS, lane, 8))
        fcntl.ioctl(gpr_fd, GPRWAVE_STATE, bytearray(struct.pack("<9I", 1, se, sa, instance, wave, 0, 0, 0, 0)))
        n_words += same(f"SGPRs of {what}", struct.unpack("<24I", os.pread(gpr_fd, 96, 0)), sgprs)
        for lane in range(32):
            fcntl.ioctl(gpr_fd, GPRWAVE_STATE, bytearray(struct.pack("<9I", 1, se, sa, instance, wave, 0, 0, lane, 1)))
            n_words += same(f"VGPRs of lane {lane} of {what}", struct.unpack("<8I", os.pread(gpr_fd, 32, 0)), lanes[lane])
        # what the program has put there
        same(f"s20, s21 of {what}", sgprs[20:22], [0x12345678, 0x9abcdef0])
        same(f"M0, EXEC of {what}", [want[14], want[4]], [0x0badcafe, 0x0ff0f00f])
        items = [lane[0] & 0x3ff for lane in lanes]
        same(f"work-items of {what}", items, range(items[0], items[0] + 32))
        same(f"v4 of {what}", [lane[4] for lane in lanes], [i * 0x10203 for i in items])
        same(f"v5 of {what}", [lane[5] for lane in lanes], [~(i * 0x10203) & 0xffffffff for i in items])
    registers.write(AT["GRBM_GFX_INDEX"], BROADCAST)
    os.close(wave_fd)
    os.close(gpr_fd)
    print(f"{len(found)} waves: {n_words} words")


def check_banks():
    n_words = 0
    for vmid in range(16):
        fd = regs2(srbm=(0, 0, 0, vmid))
        got = [word(fd, AT[name]) for name in ("SH_MEM_BASES", "SH_MEM_CONFIG")]
        os.close(fd)
        registers.write(AT["GRBM_GFX_CNTL"], vmid << 4)
        want = [registers.read(AT[name]) for name in ("SH_MEM_BASES", "SH_MEM_CONFIG")]
        registers.write(AT["GRBM_GFX_CNTL"], 0)
        n_words += same(f"amdgpu_regs2, VMID {vmid}", got, want)
    print(f"VMIDs: {n_words} words")


def check_vram():
    """The first 256 MiB of VRAM, with the tables that the driver has there."""
    size = 256 << 20
    bar, vram = Bar(0, size), os.open(DEBUG / "amdgpu_vram", os.O_RDWR)
    rnd = random.Random(1)
    n_words = n_set = 0
    for at in [0, *(rnd.randrange(0, size // 4 - 64) for _ in range(64))]:
        words = [bar.read(at + i) for i in range(64)]
        n_words += same(f"amdgpu_vram at {at * 4:#x}", struct.unpack("<64I", os.pread(vram, 256, at * 4)), words)
        n_set += sum(word != 0 for word in words)
    if not n_set:
        sys.exit("VRAM is all zeros: that shows nothing")
    os.close(vram)
    print(f"VRAM: {n_words} words")


def bus_address(va):
    """Of a page that a program of ours has mapped there, by the page tables of the VMID that its job has had."""
    for vmid in range(1, 16):
        done = subprocess.run(["breakwater", "vm", "walk", "--gpu", "0", "--json", f"{vmid}@{va:#x}"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        walk = json.loads(done.stdout.splitlines()[-1]) if not done.returncode else {}
        if walk.get("verdict") == "mapped":
            return int(walk["physical"], 16)
    sys.exit(f"no VMID has {va:#x} mapped")


def check_system_memory():
    """A buffer of system memory, by the bus address of its page."""
    va = 0x20000000
    call.start()
    fd, _, ctx = work.prepared()
    handle = call.buffer(fd, domains=2)
    at = struct.unpack("<Q", struct.pack("<II", *call.quiet(fd, call.GEM_MMAP, "II", handle, 0)))[0]
    page = call.libc.mmap(None, 4096, 3, 1, fd, at)
    data = random.Random(2).randbytes(4096)
    ctypes.memmove(page, data, 4096)
    call.mapped(fd, handle, va)
    seq = work.submit(fd, "for a VMID", ctx, [work.ib(work.COMPUTE)])
    call.quiet(fd, call.WAIT_CS, "QQIIII", seq, work.FOREVER, work.COMPUTE, 0, 0, ctx)
    bus = bus_address(va)
    iomem = os.open(DEBUG / "amdgpu_iomem", os.O_RDWR)
    if os.pread(iomem, 4096, bus) != data:
        sys.exit(f"amdgpu_iomem at {bus:#x} has other bytes than the buffer")
    os.pwrite(iomem, b"breakwater", bus + 100)
    if ctypes.string_at(page + 100, 10) != b"breakwater":
        sys.exit("what was written to amdgpu_iomem is not in the buffer")
    print("system memory: 1024 words")


program = subprocess.Popen(["breakwater", "run", "--batch", "--gpu", "0", str(HERE / "known.s"), "--grid", "128", "--group", "64", "--arg", "out=zeros:128"],
                           stdin=subprocess.DEVNULL)
waves = waves_of(4)
check_waves(waves)
check_banks()
check_vram()
check_system_memory()
select(*waves[0][0])
vmid = indirect(waves[0][1], HW_ID2)[0] >> 24 & 15
registers.write(AT["GRBM_GFX_INDEX"], BROADCAST)
# Kills them as gfx_v11_0_ring_soft_recovery does.
registers.write(AT["SQ_CMD"], 3 | 1 << 4 | 1 << 7 | vmid << 28)
program.wait(TIMEOUT_S)
waves_of(0)
print("done")
