# SPDX-License-Identifier: MIT
"""What umr prints of a GPU that is full of waves, each with all of its registers, as RADV's hang report has it."""


def umr_waves(n):
    row = "{ " + ", ".join(f"89abcd{lane:02x}" for lane in range(32)) + " }"
    sgprs = "\n".join(f"\t[{i:4}] = {{ 01234567, 89abcdef, 01234567, 89abcdef }}" for i in range(0, 108, 4))
    vgprs = "\n".join(f"\t[{i:4}] = {row}" for i in range(24))
    return "".join(f"""se{i // 512}.sa{i // 256 % 2}.wgp{i // 64 % 4}.simd{i // 16 % 4}.wave{i % 16}
Main Registers:
    ixSQ_WAVE_STATUS: 00012401 | ixSQ_WAVE_PC_LO: {0x2000 + i * 4:08x} | ixSQ_WAVE_PC_HI: 00008000 | ixSQ_WAVE_EXEC_LO: ffffffff
SGPRs:
{sgprs}
VGPRs
{vgprs}
""" for i in range(n))
