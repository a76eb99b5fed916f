#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the firmware files that Linux's amdgpu asks for on the virtual Navi31, MI300X and Raven2, into a folder that a
guest has as /lib/firmware/amdgpu. They are of our own making: headers with versions, and bodies of zeros,
which the virtual GPU never runs (doc/hardware/pci.md 6).

Usage: make-amdgpu-firmware.py FOLDER
"""
import pathlib
import struct
import sys

HEADER_B, BODY_AT = 32, 256
RS64_START = (0x3000, 0x70000)  # pfp, me, mec: program counter, as the driver writes it to *_PRGRM_CNTR_START
MES_CODE, MES_DATA = (0xF0005000, 0xFFFFFFFF), (0xF0100000, 0xFFFFFFFF)
CODE_B = DATA_B = 256


def image(version, header_version, fields, body_b):
    """The common header (struct common_firmware_header), the fields behind it, the body."""
    major, minor = header_version
    size = BODY_AT + body_b
    header = struct.pack("<IIHHHHIIII", size, HEADER_B + 4 * len(fields), major, minor, 11, 0, version,
                         body_b, BODY_AT, 0)
    return (header + struct.pack("<%dI" % len(fields), *fields)).ljust(size, b"\0")


def rs64(version):
    return image(version, (2, 0), [29, CODE_B, BODY_AT, DATA_B, BODY_AT + CODE_B, *RS64_START], CODE_B + DATA_B)


def mes():
    return image(0, (1, 0), [0, CODE_B, BODY_AT, 0, DATA_B, BODY_AT + CODE_B, *MES_CODE, *MES_DATA],
                 CODE_B + DATA_B)


# struct gpu_info_firmware_v1_1, of a GPU without a discovery table: shader engines, CUs and SHs of each, render backends,
# texture caches, VGPRs, threads and tables of geometry shaders, parameters, off-chip LDS, lanes, waves of a SIMD, scratch
# slots, KiB of LDS; then scan converters and packers
RAVEN2 = [1, 3, 1, 1, 2, 256, 32, 0, 0, 0, 0, 64, 10, 32, 64, 1, 1]


def gpu_info(fields):
    data = image(1, (1, 0), [1 | 0 << 16], 4 * len(fields))
    return data[:BODY_AT] + struct.pack("<%dI" % len(fields), *fields)


FILES = {
    "gc_11_0_0_pfp.bin": rs64(0x9D8),
    "gc_11_0_0_me.bin": rs64(0x94C),
    "gc_11_0_0_mec.bin": rs64(0xA1E),
    "gc_11_0_0_mes_2.bin": mes(),
    "gc_11_0_0_mes1.bin": mes(),
    # one array of registers, three empty ones
    "gc_11_0_0_rlc.bin": image(0x80, (2, 0), [1] + [0] * 10 + [BODY_AT] + [0, BODY_AT] * 3, 256),
    "gc_11_0_0_imu.bin": image(1, (1, 0), [CODE_B, BODY_AT, DATA_B, BODY_AT + CODE_B], CODE_B + DATA_B),
    "gc_9_4_3_mec.bin": image(0x9F, (1, 0), [0x20, CODE_B // 4 - 16, 16], CODE_B),
    "gc_9_4_3_rlc.bin": image(0x80, (2, 0), [1] + [0] * 10 + [BODY_AT] + [0, BODY_AT] * 3, 256),
    **{f"raven2_{name}.bin": image(0x9F, (1, 0), [0x20, CODE_B // 4 - 16, 16], CODE_B) for name in ("ce", "pfp", "me", "mec", "mec2")},
    "raven2_rlc.bin": image(0x80, (2, 0), [1] + [0] * 10 + [BODY_AT] + [0, BODY_AT] * 3, 256),
    "raven2_sdma.bin": image(0x18, (1, 0), [41, 1, CODE_B // 4 - 16, 16], CODE_B),
    "raven2_gpu_info.bin": gpu_info(RAVEN2),
    "sdma_4_4_2.bin": image(0x18, (1, 0), [60, 1, CODE_B // 4 - 16, 16], CODE_B),
    "sdma_6_0_0.bin": image(0x18, (2, 0), [60, CODE_B, 0, 0, BODY_AT + CODE_B, DATA_B, 0, 0], CODE_B + DATA_B),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
