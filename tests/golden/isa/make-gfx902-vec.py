#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the golden vectors of what gfx902 has alone: exec-gfx902.vec.

"mad" and "mac" of f32 by exact rational arithmetic (exec_floats.py): the product is rounded, then the sum, and denormals
are 0 whatever MODE says. Words come from llvm-mc-19. test_vec.c runs the vectors of gfx11 and gfx942 on gfx902 as well, for
the instructions that both have.

    make-gfx902-vec.py > exec-gfx902.vec        (from the root of the tree)
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
# The models and the writing of lines, of gfx942's generator.
source = open(os.path.join(HERE, 'make-gfx942-vec.py')).read()
exec(source.split('# ---- AccVGPRs ----')[0])
rng = random.Random(902)

KEPT = 'mode=3f0'  # denormals of f32 are kept by instructions that heed it
f = Fmt(8, 23, True)
def mad(x, y, z):
    p = f.mul(x, y)
    return 'nan' if p == 'nan' or f.isnan(p) else nan_of(f, f.add(p, z))
def legacy(x, y, z):
    return nan_of(f, f.add(0 if f.iszero(x) or f.iszero(y) else f.mul(x, y), z)) if not (f.isnan(x) or f.isnan(y)) or f.iszero(x) or f.iszero(y) else 'nan'
def results(fn, *vs): return [lanes(20, [fn(*t) for t in zip(*vs)])]

for i in range(6):
    a, b, c = [vec('f32') for _ in range(3)]
    # denormals, and products that are
    a[:2], b[:2], c[:2] = [0x00000123, 0x1f800000], [0x7e800000, 0x1f000000], [0x3f800000, 0x80000456]
    src = [lanes(2, a), lanes(6, b), lanes(10, c)] + [KEPT] * (i & 1)
    emit('v_mad_f32', 'v_mad_f32 v20, v2, v6, v10', src, results(mad, a, b, c))
    emit('v_mad_f32', 'v_mad_f32 v20, -v2, |v6|, v10', src, results(mad, [x ^ f.sign for x in a], [y & ~f.sign for y in b], c))
    emit('v_mad_legacy_f32', 'v_mad_legacy_f32 v20, v2, v6, v10', src, results(legacy, a, b, c))
    own = [lanes(2, a), lanes(6, b), lanes(20, c)] + [KEPT] * (i & 1)
    emit('v_mac_f32', 'v_mac_f32_e32 v20, v2, v6', own, results(mad, a, b, c))
    emit('v_mac_f32', 'v_mac_f32_e64 v20, v2, -v6', own, results(mad, a, [y ^ f.sign for y in b], c))
    k = [0x40490fdb] * NL
    emit('v_madak_f32', 'v_madak_f32 v20, v2, v6, 0x40490fdb', src, results(mad, a, b, k))
    emit('v_madmk_f32', 'v_madmk_f32 v20, v2, 0x40490fdb, v10', src, results(mad, a, k, c))

HAND = '''
v_mul_dx9_zero_f32 "v_mul_legacy_f32_e32 v20, v2, v6" : v2=0,7f800000,40000000 v6=7f800000,0,40400000 -> v20=0,0,40c00000
v_mul_dx9_zero_f32 "v_mul_legacy_f32_e64 v20, -v2, v6" : v2=0,7f800000,40000000 v6=7f800000,0,40400000 -> v20=0,0,c0c00000
v_mad_mix_f32 "v_mad_mix_f32 v20, 0, 1.0, |v2| op_sel_hi:[0,0,1]" : v2=1234bc00 -> v20=3f800000
v_mad_mix_f32 "v_mad_mix_f32 v20, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[1,1,0]" : v2=42000000 v3=00004000 v4=3f800000 -> v20=40e00000
v_mad_mix_f32 "v_mad_mix_f32 v20, v2, v3, v4" : v2=3f800001,123 v3=3f800001,7e800000 v4=bf800002,3f800000 -> v20=0,3f800000
v_mad_mix_f32 "v_mad_mix_f32 v20, v2, v3, v4 op_sel_hi:[1,0,0]" : v2=1 v3=3f800000 v4=0 -> v20=33800000
v_mad_mixlo_f16 "v_mad_mixlo_f16 v20, v2, 1.0, 0" : v2=40400000 v20=dead0000 -> v20=dead4200
v_mad_mixlo_f16 "v_mad_mixlo_f16 v20, v2, v3, v4 op_sel_hi:[1,1,0]" : v2=00004200 v3=00004000 v4=3f800000 v20=dead0000 -> v20=dead4700
v_mad_mixhi_f16 "v_mad_mixhi_f16 v20, v2, 1.0, 0" : v2=40400000 v20=0000dead -> v20=4200dead
v_add_f32 "v_add_f32_dpp v20, v2, v6 row_shr:1 row_mask:0xf bank_mask:0xf" : v2=3f800000,40000000 v6=40000000,40000000 v20=7,8 -> v20=7,40400000
scratch_store_b32 "scratch_store_dword v0, v1, off offset:4; scratch_load_dword v5, v0, off offset:4" : scratch=1000 mem@20100=0,0 v0=0,0 v1=7,8 -> v5=7,8 mem@20100=7,8
scratch_store_b32 "scratch_store_dword off, v1, s4; scratch_load_dword v5, off, s4" : s4=4 scratch=1000 mem@20100=0,0 v1=7,8 -> v5=7,8 mem@20100=7,8
global_load_b32 "global_load_dword v4, v0, s[0:1] offset:4" : s0=10000,1 mem@10000=1,2,3 v0=0,4 -> v4=2,3
'''
exec(source[source.index('def assemble'):].replace('gfx942', 'gfx902'))
