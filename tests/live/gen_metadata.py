#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the metadata note of a test kernel as assembly.

Usage: gen_metadata.py NAME WAVE LDS_BYTES SCRATCH_BYTES
The kernel has one argument: unsigned *out.
"""
import sys

name, wave, lds, scratch = sys.argv[1:]
print(f"""	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: {scratch}
    .wavefront_size: {wave}
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - .name: out
        .type_name: 'unsigned int*'
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
...
	.end_amdgpu_metadata""")
