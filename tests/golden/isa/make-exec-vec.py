#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the golden vectors of the lane-wise and scalar instructions, exec.vec.

An independent model of the instruction set: exact rational arithmetic, nothing shared with the
executor. Semantics after the AMD opcode definitions (doc/rules.md). Operand types
come from data/isa/instructions.enc, words from llvm-mc-19.

    make-exec-vec.py > exec.vec        (from the root of the tree)
"""
import math, random, re, struct, subprocess, sys
from fractions import Fraction as Q

from exec_floats import *

M32, M64 = 0xffffffff, 0xffffffffffffffff


# ---- integers ----
def sx(v, n): v &= (1 << n) - 1; return v - (1 << n) if v >> (n - 1) else v
def clz(v, n): return n - v.bit_length() if v else -1
def ctz(v): return (v & -v).bit_length() - 1 if v else -1
def cls(v, n):
    u = v ^ (((1 << n) - 1) if v >> (n - 1) else 0)
    return clz(u, n) if u else -1
def brev(v, n): return int(format(v, f'0{n}b')[::-1], 2)
def by(v, i): return v >> 8 * i & 255
def hw(v, i): return v >> 16 * i & 0xffff
def sat(v, lo, hi): return max(lo, min(hi, v))
def bfe(v, o, w, n): return v >> o & ((1 << w) - 1) & ((1 << n) - 1)
def bfes(v, o, w, n):
    if w == 0: return 0
    w = min(w, n - o)
    return sx(v >> o, w)
def sad8(a, b): return sum(abs(by(a, i) - by(b, i)) for i in range(4))
def msad8(a, r): return sum(abs(by(a, i) - by(r, i)) for i in range(4) if by(r, i))
def perm(s0, s1, sel):
    both, d = s0 << 32 | s1, 0
    for i in range(4):
        k = by(sel, i)
        d |= (by(both, k) if k < 8 else (255 if both >> [15, 31, 47, 63][k - 8] & 1 else 0) if k < 12 else 0 if k == 12 else 255) << 8 * i
    return d
def norm(f, b, lo, scale):
    if f.isnan(b): return 0
    v = (Q(lo) if f.neg(b) else Q(1)) if f.isinf(b) else max(Q(lo), min(Q(1), f.val(b)))
    return round(v * scale) & 0xffff
def pk(a, b): return (a & 0xffff) | (b & 0xffff) << 16
def rtz16(b):
    if F32.isnan(b): return 'nan'
    if F32.isinf(b): return F16.inf | (0x8000 if F32.neg(b) else 0)
    return F16.enc(F32.val(b), F32.neg(b), 'zero')
def i2f(f, v): return f.enc(Q(v))
def cvt(a, src, dst):
    if src.isnan(a): return 'nan'
    if src.isinf(a): return dst.inf | (dst.sign if src.neg(a) else 0)
    return dst.enc(src.val(a), src.neg(a))
def mulz(f, a, b): return 0 if f.iszero(a) or f.iszero(b) else f.mul(a, b)
def fmaz(f, a, b, c): return (('nan' if f.isnan(c) else f.fin(c)) if f.iszero(a) or f.iszero(b) else f.fma(a, b, c))
def q16(b): return b | 0x200 if F16.issnan(b) else b


def cube(x, y, z):
    vx, vy, vz = (abs(F32.val(v)) for v in (x, y, z))
    return 2 if vz >= vx and vz >= vy else 1 if vy >= vx else 0
def cubeid(x, y, z):
    a = cube(x, y, z); v = (x, y, z)[a]
    return F32.enc(Q(2 * a + (F32.val(v) < 0)))
def lt0(v): return F32.val(v) < 0
def cubesc(x, y, z):
    a = cube(x, y, z)
    return (x if a == 1 else (x ^ 1 << 31 if lt0(z) else x) if a == 2 else (z if lt0(x) else z ^ 1 << 31))
def cubetc(x, y, z):
    return (z ^ 1 << 31 if lt0(y) else z) if cube(x, y, z) == 1 else y ^ 1 << 31
def cubema(x, y, z): return F32.mul(F32.enc(Q(2)), (x, y, z)[cube(x, y, z)])
def mullit(a, b, c):
    low = 0xff7fffff
    bad = F32.isnan(b) or b in (0xff7fffff, 0xff800000) or F32.isnan(c) or (F32.neg(c) or F32.iszero(c))
    return low if bad else mulz(F32, a, b)


def fixup(f, q, d, n):
    q0, d, n = q, f.fin(d), f.fin(n)
    s = (d ^ n) & f.sign
    if f.isnan(n): return n | f.quiet
    if f.isnan(d): return d | f.quiet
    if (f.mag(d) == 0 and f.mag(n) == 0) or (f.isinf(d) and f.isinf(n)): return f.sign | f.qnan
    if f.mag(d) == 0 or f.isinf(n): return s | f.inf
    if f.isinf(d) or f.mag(n) == 0: return s
    far = {F32: -150, F64: -1075}.get(f)
    if far and (f.mag(n) >> f.m) - (f.mag(d) >> f.m) < far: return s
    if f.isnan(q): return s | f.inf
    return s | f.mag(q)


V, S, CM = {}, {}, {}  # name -> model(S0, S1, S2, aux); scalar -> (D, scc or None); compare -> bool

for n, f in FM.items():
    V[f'v_add_{n}'] = lambda a, b, f=f: f.add(a, b)
    V[f'v_mul_{n}'] = lambda a, b, f=f: f.mul(a, b)
    V[f'v_sub_{n}'] = lambda a, b, f=f: f.add(a, f.negate(b))
    V[f'v_subrev_{n}'] = lambda a, b, f=f: f.add(b, f.negate(a))
    V[f'v_fma_{n}'] = V[f'v_fmac_{n}'] = V[f'v_fmaak_{n}'] = V[f'v_fmamk_{n}'] = lambda a, b, c, f=f: f.fma(a, b, c)
    V[f'v_min_{n}'] = lambda a, b, f=f: f.minmax(a, b, 0)
    V[f'v_max_{n}'] = lambda a, b, f=f: f.minmax(a, b, 1)
    V[f'v_min3_{n}'] = lambda a, b, c, f=f: f.minmax(f.minmax(a, b, 0), c, 0)
    V[f'v_max3_{n}'] = lambda a, b, c, f=f: f.minmax(f.minmax(a, b, 1), c, 1)
    V[f'v_maxmin_{n}'] = lambda a, b, c, f=f: f.minmax(f.minmax(a, b, 1), c, 0)
    V[f'v_minmax_{n}'] = lambda a, b, c, f=f: f.minmax(f.minmax(a, b, 0), c, 1)
    V[f'v_med3_{n}'] = lambda a, b, c, f=f: f.med3(a, b, c)
    for h in ('floor', 'ceil', 'trunc', 'rndne'):
        V[f'v_{h}_{n}'] = lambda a, f=f, h=h: f.rint(a, h)
    V[f'v_fract_{n}'] = lambda a, f=f: f.fract(a)
    V[f'v_ldexp_{n}'] = lambda a, b, f=f: f.ldexp(a, sx(b, 16 if f is F16 else 32))
    V[f'v_frexp_mant_{n}'] = lambda a, f=f: f.frexp_mant(a)
    V[f'v_frexp_exp_{"i16" if n == "f16" else "i32"}_{n}'] = lambda a, f=f: f.frexp_exp(a)
    V[f'v_div_fixup_{n}'] = lambda a, b, c, f=f: fixup(f, a, b, c)
    for g, fn in (('exp', f_exp2), ('log', f_log2), ('rcp', f_rcp), ('rsq', f_rsq), ('sqrt', f_sqrt), ('sin', f_sin), ('cos', f_cos)):
        V[f'v_{g}_{n}'] = lambda a, f=f, fn=fn: f.fn(a, fn)
    for c, t in (('lt', lambda r: r == -1), ('eq', lambda r: r == 0), ('le', lambda r: r in (-1, 0)), ('gt', lambda r: r == 1),
                 ('lg', lambda r: r in (-1, 1)), ('ge', lambda r: r in (0, 1)), ('o', lambda r: r is not None),
                 ('u', lambda r: r is None), ('nge', lambda r: r not in (0, 1)), ('nlg', lambda r: r not in (-1, 1)),
                 ('ngt', lambda r: r != 1), ('nle', lambda r: r not in (-1, 0)), ('neq', lambda r: r != 0),
                 ('nlt', lambda r: r != -1), ('f', lambda r: False), ('t', lambda r: True)):
        CM[f'{c}_{n}'] = lambda a, b, f=f, t=t: t(f.cmp(a, b))
    CM[f'class_{n}'] = lambda a, b, f=f: bool(f.cls(a) & b)
V['v_rcp_iflag_f32'] = V['v_rcp_f32']
for n in (16, 32, 64):
    for t in 'iu':
        k = (lambda v, n=n: sx(v, n)) if t == 'i' else (lambda v: v)
        for c, o in (('lt', lambda a, b: a < b), ('eq', lambda a, b: a == b), ('le', lambda a, b: a <= b), ('gt', lambda a, b: a > b),
                     ('ne', lambda a, b: a != b), ('ge', lambda a, b: a >= b), ('f', lambda a, b: False), ('t', lambda a, b: True)):
            CM[f'{c}_{t}{n}'] = lambda a, b, o=o, k=k: o(k(a), k(b))
        V[f'v_min_{t}{n}'] = lambda a, b, k=k: min(a, b, key=k)
        V[f'v_max_{t}{n}'] = lambda a, b, k=k: max(a, b, key=k)
        V[f'v_min3_{t}{n}'] = lambda a, b, c, k=k: min(a, b, c, key=k)
        V[f'v_max3_{t}{n}'] = lambda a, b, c, k=k: max(a, b, c, key=k)
        V[f'v_med3_{t}{n}'] = lambda a, b, c, k=k: sorted([a, b, c], key=k)[1]
        V[f'v_maxmin_{t}{n}'] = lambda a, b, c, k=k: min(max(a, b, key=k), c, key=k)
        V[f'v_minmax_{t}{n}'] = lambda a, b, c, k=k: max(min(a, b, key=k), c, key=k)

V.update({
    'v_mov_b32': lambda a: a, 'v_mov_b16': lambda a: a, 'v_not_b32': lambda a: ~a, 'v_not_b16': lambda a: ~a,
    'v_cvt_i32_f64': lambda a: F64.toint(a, -2**31, 2**31 - 1), 'v_cvt_u32_f64': lambda a: F64.toint(a, 0, M32),
    'v_cvt_f64_i32': lambda a: i2f(F64, sx(a, 32)), 'v_cvt_f64_u32': lambda a: i2f(F64, a),
    'v_cvt_f32_i32': lambda a: i2f(F32, sx(a, 32)), 'v_cvt_f32_u32': lambda a: i2f(F32, a),
    'v_cvt_u32_f32': lambda a: F32.toint(a, 0, M32), 'v_cvt_i32_f32': lambda a: F32.toint(a, -2**31, 2**31 - 1),
    'v_cvt_f16_f32': lambda a: cvt(a, F32, F16), 'v_cvt_f32_f16': lambda a: cvt(a, F16, F32),
    'v_cvt_f32_f64': lambda a: cvt(a, F64, F32), 'v_cvt_f64_f32': lambda a: cvt(a, F32, F64),
    'v_cvt_nearest_i32_f32': lambda a: 0 if F32.isnan(a) else F32.toint(x, -2**31, 2**31 - 1) if F32.isinf(x := F32.add(a, 0x3f000000)) else sat(math.floor(F32.val(x)), -2**31, 2**31 - 1),
    'v_cvt_floor_i32_f32': lambda a: F32.toint(a, -2**31, 2**31 - 1) if F32.isnan(a) or F32.isinf(a) else sat(math.floor(F32.val(a)), -2**31, 2**31 - 1),
    'v_cvt_off_f32_i4': lambda a: F32.enc(Q(sx(a, 4), 16)),
    'v_cvt_f16_u16': lambda a: i2f(F16, a), 'v_cvt_f16_i16': lambda a: i2f(F16, sx(a, 16)),
    'v_cvt_u16_f16': lambda a: F16.toint(a, 0, 0xffff), 'v_cvt_i16_f16': lambda a: F16.toint(a, -0x8000, 0x7fff),
    'v_cvt_norm_i16_f16': lambda a: norm(F16, a, -1, 32767), 'v_cvt_norm_u16_f16': lambda a: norm(F16, a, 0, 65535),
    'v_cvt_i32_i16': lambda a: sx(a, 16), 'v_cvt_u32_u16': lambda a: a,
    'v_sat_pk_u8_i16': lambda a: sat(sx(hw(a, 0), 16), 0, 255) | sat(sx(hw(a, 1), 16), 0, 255) << 8,
    'v_bfrev_b32': lambda a: brev(a, 32), 'v_clz_i32_u32': lambda a: clz(a, 32), 'v_ctz_i32_b32': ctz, 'v_cls_i32': lambda a: cls(a, 32),
    'v_mul_dx9_zero_f32': lambda a, b: mulz(F32, a, b),
    'v_fmac_dx9_zero_f32': lambda a, b, c: fmaz(F32, a, b, c), 'v_fma_dx9_zero_f32': lambda a, b, c: fmaz(F32, a, b, c),
    'v_cvt_pk_rtz_f16_f32': lambda a, b: 'skip' if 'nan' in (rtz16(a), rtz16(b)) else pk(rtz16(a), rtz16(b)),
    'v_mul_i32_i24': lambda a, b: sx(a, 24) * sx(b, 24), 'v_mul_hi_i32_i24': lambda a, b: sx(a, 24) * sx(b, 24) >> 32,
    'v_mul_u32_u24': lambda a, b: (a & 0xffffff) * (b & 0xffffff), 'v_mul_hi_u32_u24': lambda a, b: (a & 0xffffff) * (b & 0xffffff) >> 32,
    'v_lshlrev_b32': lambda a, b: b << (a & 31), 'v_lshrrev_b32': lambda a, b: b >> (a & 31), 'v_ashrrev_i32': lambda a, b: sx(b, 32) >> (a & 31),
    'v_lshlrev_b64': lambda a, b: b << (a & 63), 'v_lshrrev_b64': lambda a, b: b >> (a & 63), 'v_ashrrev_i64': lambda a, b: sx(b, 64) >> (a & 63),
    'v_lshlrev_b16': lambda a, b: b << (a & 15), 'v_lshrrev_b16': lambda a, b: b >> (a & 15), 'v_ashrrev_i16': lambda a, b: sx(b, 16) >> (a & 15),
    'v_and_b32': lambda a, b: a & b, 'v_or_b32': lambda a, b: a | b, 'v_xor_b32': lambda a, b: a ^ b, 'v_xnor_b32': lambda a, b: ~(a ^ b),
    'v_and_b16': lambda a, b: a & b, 'v_or_b16': lambda a, b: a | b, 'v_xor_b16': lambda a, b: a ^ b,
    'v_add_nc_u32': lambda a, b: a + b, 'v_sub_nc_u32': lambda a, b: a - b, 'v_subrev_nc_u32': lambda a, b: b - a,
    'v_add_nc_i32': lambda a, b: a + b, 'v_sub_nc_i32': lambda a, b: a - b,
    'v_add_nc_u16': lambda a, b: a + b, 'v_sub_nc_u16': lambda a, b: a - b, 'v_add_nc_i16': lambda a, b: a + b, 'v_sub_nc_i16': lambda a, b: a - b,
    'v_mul_lo_u16': lambda a, b: a * b, 'v_mad_u16': lambda a, b, c: a * b + c, 'v_mad_i16': lambda a, b, c: a * b + c,
    'v_mad_u32_u16': lambda a, b, c: a * b + c, 'v_mad_i32_i16': lambda a, b, c: sx(a, 16) * sx(b, 16) + c,
    'v_cubeid_f32': cubeid, 'v_cubesc_f32': cubesc, 'v_cubetc_f32': cubetc, 'v_cubema_f32': cubema, 'v_mullit_f32': mullit,
    'v_mad_i32_i24': lambda a, b, c: sx(a, 24) * sx(b, 24) + c, 'v_mad_u32_u24': lambda a, b, c: (a & 0xffffff) * (b & 0xffffff) + c,
    'v_bfe_u32': lambda a, b, c: bfe(a, b & 31, c & 31, 32), 'v_bfe_i32': lambda a, b, c: bfes(a, b & 31, c & 31, 32),
    'v_bfi_b32': lambda a, b, c: (a & b) | (~a & c), 'v_bfm_b32': lambda a, b: ((1 << (a & 31)) - 1) << (b & 31),
    'v_lerp_u8': lambda a, b, c: sum(((by(a, i) + by(b, i) + (by(c, i) & 1)) >> 1) << 8 * i for i in range(4)),
    'v_alignbit_b32': lambda a, b, c: (a << 32 | b) >> (c & 31), 'v_alignbyte_b32': lambda a, b, c: (a << 32 | b) >> 8 * (c & 3),
    'v_sad_u8': lambda a, b, c: sad8(a, b) + c, 'v_sad_hi_u8': lambda a, b, c: (sad8(a, b) << 16) + c,
    'v_sad_u16': lambda a, b, c: abs(hw(a, 0) - hw(b, 0)) + abs(hw(a, 1) - hw(b, 1)) + c, 'v_sad_u32': lambda a, b, c: abs(a - b) + c,
    'v_msad_u8': lambda a, b, c: msad8(a, b) + c,
    'v_qsad_pk_u16_u8': lambda a, b, c: sum(((hw(c, i) + sad8(a >> 8 * i & M32, b)) & 0xffff) << 16 * i for i in range(4)),
    'v_mqsad_pk_u16_u8': lambda a, b, c: sum(((hw(c, i) + msad8(a >> 8 * i & M32, b)) & 0xffff) << 16 * i for i in range(4)),
    'v_mqsad_u32_u8': lambda a, b, c: sum((((c >> 32 * i & M32) + msad8(a >> 8 * i & M32, b)) & M32) << 32 * i for i in range(4)),
    'v_xor3_b32': lambda a, b, c: a ^ b ^ c, 'v_perm_b32': perm, 'v_xad_u32': lambda a, b, c: (a ^ b) + c,
    'v_lshl_add_u32': lambda a, b, c: (a << (b & 31)) + c, 'v_add_lshl_u32': lambda a, b, c: (a + b & M32) << (c & 31),
    'v_add3_u32': lambda a, b, c: a + b + c, 'v_lshl_or_b32': lambda a, b, c: (a << (b & 31)) | c,
    'v_and_or_b32': lambda a, b, c: (a & b) | c, 'v_or3_b32': lambda a, b, c: a | b | c,
    'v_bcnt_u32_b32': lambda a, b: bin(a).count('1') + b,
    'v_mul_lo_u32': lambda a, b: a * b, 'v_mul_hi_u32': lambda a, b: a * b >> 32, 'v_mul_hi_i32': lambda a, b: sx(a, 32) * sx(b, 32) >> 32,
    'v_cvt_pk_u8_f32': lambda a, b, c: (c & ~(255 << 8 * (b & 3))) | F32.toint(a, 0, 255) << 8 * (b & 3),
    'v_cvt_pk_i16_f32': lambda a, b: pk(F32.toint(a, -0x8000, 0x7fff), F32.toint(b, -0x8000, 0x7fff)),
    'v_cvt_pk_u16_f32': lambda a, b: pk(F32.toint(a, 0, 0xffff), F32.toint(b, 0, 0xffff)),
    'v_cvt_pk_norm_i16_f32': lambda a, b: pk(norm(F32, a, -1, 32767), norm(F32, b, -1, 32767)),
    'v_cvt_pk_norm_u16_f32': lambda a, b: pk(norm(F32, a, 0, 65535), norm(F32, b, 0, 65535)),
    'v_cvt_pk_norm_i16_f16': lambda a, b: pk(norm(F16, a, -1, 32767), norm(F16, b, -1, 32767)),
    'v_cvt_pk_norm_u16_f16': lambda a, b: pk(norm(F16, a, 0, 65535), norm(F16, b, 0, 65535)),
    'v_cvt_pk_u16_u32': lambda a, b: pk(min(a, 0xffff), min(b, 0xffff)),
    'v_cvt_pk_i16_i32': lambda a, b: pk(sat(sx(a, 32), -0x8000, 0x7fff), sat(sx(b, 32), -0x8000, 0x7fff)),
    'v_pack_b32_f16': lambda a, b: pk(q16(a), q16(b)),
    # m: the lane's bit of the mask operand or VCC
    'v_cndmask_b32': lambda a, b, m: b if m else a, 'v_cndmask_b16': lambda a, b, m: b if m else a,
})
for i in range(4):
    V[f'v_cvt_f32_ubyte{i}'] = lambda a, i=i: i2f(F32, by(a, i))
# result and carry
CY = {
    'v_add_co_u32': lambda a, b: (a + b, a + b > M32), 'v_sub_co_u32': lambda a, b: (a - b, a < b), 'v_subrev_co_u32': lambda a, b: (b - a, b < a),
    'v_add_co_ci_u32': lambda a, b, m: (a + b + m, a + b + m > M32), 'v_sub_co_ci_u32': lambda a, b, m: (a - b - m, a < b + m),
    'v_subrev_co_ci_u32': lambda a, b, m: (b - a - m, b < a + m),
    'v_mad_u64_u32': lambda a, b, c: (a * b + c, a * b + c > M64),
    'v_mad_i64_i32': lambda a, b, c: (r := sx(a, 32) * sx(b, 32) + sx(c, 64), not -2**63 <= r < 2**63),
}


# ---- scalar: (result, scc); scc None keeps it, True means result != 0 ----
def sgn(a, b, r): return int(not -2**31 <= r < 2**31)
def negneg(v): return -v & M32 if v >> 31 else v
def each(n, f): return sum(f(i) << i for i in range(n))
S.update({
    's_mov': lambda n, a: (a, None), 's_brev': lambda n, a: (brev(a, n), None), 's_not': lambda n, a: (~a, True),
    's_wqm': lambda n, a: (each(n, lambda i: int(a >> (i & ~3) & 15 != 0)), True),
    's_quadmask': lambda n, a: (each(n // 4, lambda i: int(a >> 4 * i & 15 != 0)), True),
    's_and': lambda n, a, b: (a & b, True), 's_or': lambda n, a, b: (a | b, True), 's_xor': lambda n, a, b: (a ^ b, True),
    's_nand': lambda n, a, b: (~(a & b), True), 's_nor': lambda n, a, b: (~(a | b), True), 's_xnor': lambda n, a, b: (~(a ^ b), True),
    's_and_not1': lambda n, a, b: (a & ~b, True), 's_or_not1': lambda n, a, b: (a | ~b, True),
    's_lshl': lambda n, a, b: (a << (b & n - 1), True), 's_lshr': lambda n, a, b: (a >> (b & n - 1), True),
    's_ashr': lambda n, a, b: (sx(a, n) >> (b & n - 1), True),
    's_bfm': lambda n, a, b: (((1 << (a & n - 1)) - 1) << (b & n - 1), None),
    's_bitset0': lambda n, a, d: (d & ~(1 << (a & n - 1)), None), 's_bitset1': lambda n, a, d: (d | 1 << (a & n - 1), None),
    's_bitcmp0': lambda n, a, b: (None, int(not a >> (b & n - 1) & 1)), 's_bitcmp1': lambda n, a, b: (None, a >> (b & n - 1) & 1),
})
SX = {
    's_ctz_i32_b32': lambda a: (ctz(a), None), 's_ctz_i32_b64': lambda a: (ctz(a), None),
    's_clz_i32_u32': lambda a: (clz(a, 32), None), 's_clz_i32_u64': lambda a: (clz(a, 64), None),
    's_cls_i32': lambda a: (cls(a, 32), None), 's_cls_i32_i64': lambda a: (cls(a, 64), None),
    's_sext_i32_i8': lambda a: (sx(a, 8), None), 's_sext_i32_i16': lambda a: (sx(a, 16), None),
    's_bitreplicate_b64_b32': lambda a: (sum((a >> i & 1) * 3 << 2 * i for i in range(32)), None),
    's_abs_i32': lambda a: (negneg(a), True),
    's_bcnt0_i32_b32': lambda a: (32 - bin(a).count('1'), True), 's_bcnt0_i32_b64': lambda a: (64 - bin(a).count('1'), True),
    's_bcnt1_i32_b32': lambda a: (bin(a).count('1'), True), 's_bcnt1_i32_b64': lambda a: (bin(a).count('1'), True),
    's_add_u32': lambda a, b: (a + b, int(a + b > M32)), 's_sub_u32': lambda a, b: (a - b, int(a < b)),
    's_add_i32': lambda a, b: (a + b, sgn(a, b, sx(a, 32) + sx(b, 32))), 's_sub_i32': lambda a, b: (a - b, sgn(a, b, sx(a, 32) - sx(b, 32))),
    's_absdiff_i32': lambda a, b: (negneg(a - b & M32), True),
    's_min_i32': lambda a, b: (min(sx(a, 32), sx(b, 32)), int(sx(a, 32) < sx(b, 32))), 's_min_u32': lambda a, b: (min(a, b), int(a < b)),
    's_max_i32': lambda a, b: (max(sx(a, 32), sx(b, 32)), int(sx(a, 32) >= sx(b, 32))), 's_max_u32': lambda a, b: (max(a, b), int(a >= b)),
    's_bfe_u32': lambda a, b: (bfe(a, b & 31, b >> 16 & 127, 32), True), 's_bfe_i32': lambda a, b: (bfes(a, b & 31, b >> 16 & 127, 32), True),
    's_bfe_u64': lambda a, b: (bfe(a, b & 63, b >> 16 & 127, 64), True), 's_bfe_i64': lambda a, b: (bfes(a, b & 63, b >> 16 & 127, 64), True),
    's_mul_i32': lambda a, b: (a * b, None), 's_mul_hi_u32': lambda a, b: (a * b >> 32, None), 's_mul_hi_i32': lambda a, b: (sx(a, 32) * sx(b, 32) >> 32, None),
    's_pack_ll_b32_b16': lambda a, b: (pk(a, b), None), 's_pack_lh_b32_b16': lambda a, b: (pk(a, b >> 16), None),
    's_pack_hh_b32_b16': lambda a, b: (pk(a >> 16, b >> 16), None), 's_pack_hl_b32_b16': lambda a, b: (pk(a >> 16, b), None),
    's_cmp_eq_u64': lambda a, b: (None, int(a == b)), 's_cmp_lg_u64': lambda a, b: (None, int(a != b)),
    's_addk_i32': lambda d, k: (d + sx(k, 16), sgn(d, k, sx(d, 32) + sx(k, 16))), 's_mulk_i32': lambda d, k: (d * sx(k, 16), None),
    's_movk_i32': lambda k: (sx(k, 16), None),
}
for i in range(1, 5):
    SX[f's_lshl{i}_add_u32'] = lambda a, b, i=i: ((a << i) + b, int((a << i) + b > M32))
for t in 'iu':
    k = (lambda v: sx(v, 32)) if t == 'i' else (lambda v: v)
    kk = (lambda v: sx(v, 16)) if t == 'i' else (lambda v: v)
    for c, o in (('eq', lambda a, b: a == b), ('lg', lambda a, b: a != b), ('gt', lambda a, b: a > b), ('ge', lambda a, b: a >= b), ('lt', lambda a, b: a < b), ('le', lambda a, b: a <= b)):
        SX[f's_cmp_{c}_{t}32'] = lambda a, b, o=o, k=k: (None, int(o(k(a), k(b))))
        SX[f's_cmpk_{c}_{t}32'] = lambda a, b, o=o, k=k, kk=kk: (None, int(o(k(a), kk(b))))
SAVE = {'and': lambda s, e: s & e, 'or': lambda s, e: s | e, 'xor': lambda s, e: s ^ e, 'nand': lambda s, e: ~(s & e), 'nor': lambda s, e: ~(s | e),
        'xnor': lambda s, e: ~(s ^ e), 'and_not0': lambda s, e: ~s & e, 'or_not0': lambda s, e: ~s | e, 'and_not1': lambda s, e: s & ~e, 'or_not1': lambda s, e: s | ~e}

# ---- operands ----
POOL = {
    'F32': [0x3f800000, 0xc0490fdb, 0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x00000001, 0x807fffff,
            0x00800000, 0x7f7fffff, 0x40200000, 0xbf000000, 0x3f000000, 0x4b7fffff, 0x4f000000, 0xcf000001, 0x41c80000, 0x3e99999a, 0xbe4ccccd, 0x42c90000],
    'F16': [0x3c00, 0xc248, 0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0x7c01, 0x0001, 0x83ff, 0x0400, 0x7bff, 0x4100, 0xb800, 0x3800, 0x5640, 0x2e66, 0xcd00],
    'F64': [0x3ff0000000000000, 0xc00921fb54442d18, 0, 1 << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001,
            1, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x4004000000000000, 0xbfe0000000000000, 0x41dfffffffc00000, 0xc1e0000000200000, 0x47efffffe0000000, 0x3810000000000000],
    'U32': [0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x12345678, 0xdeadbeef, 31, 32, 0x00ff00ff, 0x0000ffff, 0xfffffff0, 100, 0x00800000, 0x04050607, 0x0c0d0e0f],
    'U64': [0, 1, M64, 1 << 63, 0x123456789abcdef0, 0xdeadbeefcafef00d, 0xffffffff, 0x100000000, 0x0f0f0f0f11111111],
    'U16': [0, 1, 0xffff, 0x8000, 0x7fff, 0x1234, 0xbeef, 15, 16, 0x00ff],
}
WIDTH = {}
ROWS = []
for line in open('data/isa/instructions.enc'):
    if line.startswith('type '):
        p = line.split()
        for t in p[2:]: WIDTH[t] = int(p[1])
    m = re.match(r'insn (\S+)\s+(\S+)\s+gfx11=(\d+)\s+(?:gfx\d+=\d+\s+)*(\S+)\s+dst=(\S+)\s+src=(\S+)', line)
    if m:
        ROWS.append((m[1], m[2], int(m[3]), m[4], m[5].split('|'), [] if m[6] == '-' else m[6].split('|')))

rng = random.Random(11)
NL = 12  # lanes in a vector row


def base(t): return re.sub(r'\(.*', '', t.split(':')[-1])
def width(t):
    return {'PK4_U32': 128}.get(base(t)) or WIDTH[base(t)]
def pool(t):
    b = base(t)
    if b in POOL: return POOL[b]
    return POOL['U64'] if width(t) == 64 else POOL['U16'] if width(t) == 16 else POOL['U32']
def pick(t, n):
    p = pool(t)
    if width(t) == 128: return [rng.getrandbits(128) for _ in range(n)]
    if base(t) in ('F32', 'F64', 'F16'):
        f = FM[base(t).lower()]
        def rnd():
            e = f.bias + rng.randint(-4, 4) if rng.random() < 0.7 else rng.randrange(1, (1 << f.e) - 1)
            return rng.getrandbits(1) << f.bits - 1 | e << f.m | rng.getrandbits(f.m)
        return [rng.choice(p) if rng.random() < 0.6 else rnd() for _ in range(n)]
    return [rng.choice(p) if rng.random() < 0.6 else rng.getrandbits(width(t)) for _ in range(n)]


out = []  # (name, asm, inputs, outputs)
done = set()


def vector_row(name, fmt, dst, src):
    """All VGPR operands: sources v2, v6, v10, ...; destination v20; lane masks s10 or vcc; one literal."""
    asm, ins, vals, maskval = [], [], [], None
    reads_dst = any(s.startswith('dst:') for s in src)
    is_cmp = name.startswith('v_cmp')
    lit = None
    r = 2
    for s in src:
        if base(s) == 'MASK':
            maskval = rng.getrandbits(NL)
            where = 'vcc' if s == 'MASK(vcc)' or fmt in ('VOP2',) else 's10'
            ins.append(('vcc_lo=' if where == 'vcc' else 's10=') + '%x' % maskval)
            asm.append('vcc_lo' if where == 'vcc' else 's10')
            continue
        if base(s) == 'LIT':
            f = FM[name[-3:]]
            lit = f.enc(Q(5, 2)); asm.append('0x%x' % lit); vals.append([lit] * NL); continue
        v = pick(s, NL)
        w = width(s)
        if name.startswith('v_cube') or name == 'v_mullit_f32':
            v = [x if not F32.isnan(x) and not F32.isinf(x) and not F32.isden(x) else 0x3fc00000 + i for i, x in enumerate(v)]
        if name.startswith('v_cmp_class') or name.startswith('v_cmpx_class'):
            if len(vals) == 1: v = [1 << rng.randrange(10) | (1 << rng.randrange(10)) for _ in v]
        if 'ldexp' in name and len(vals) == 1: v = [rng.choice([0, 1, 5, 0xfffffffb, 0xffffff80, 100, 0x7fffffff, 0xffffffe0]) & ((1 << w) - 1) for _ in v]
        if 'fixup' in name and len(vals) == 0:
            f = FM[name[-3:]]
            v = [x if not f.isden(x) else 1 << f.m for x in v]
        if 'sin' in name or 'cos' in name:
            f = FM[name[-3:]]
            v = [x if f.isnan(x) or f.isinf(x) or abs(f.val(x)) < 256 else f.enc(Q(3, 8)) for x in v]
        vals.append(v)
        if s.startswith('dst:'): reg = 20
        else:
            reg = r; r += 4
            asm.append('v%d' % reg if w <= 32 else 'v[%d:%d]' % (reg, reg + w // 32 - 1))
        for k in range(max(1, w // 32)):
            ins.append('v%d=' % (reg + k) + ','.join('%x' % (x >> 32 * k & M32) for x in v))
    mask = (1 << NL) - 1
    args = lambda l: [v[l] for v in vals] + ([maskval >> l & 1] if maskval is not None else [])
    if is_cmp:
        m = CM[re.sub('v_cmpx?_', '', name)]
        res = sum(int(m(*args(l))) << l for l in range(NL))
        if 'cmpx' in name:
            return asm, ins, ['exec=%x' % res]
        ins.append('vcc_lo=ffffffff')
        if fmt == 'VOPC': return ['vcc_lo'] + asm, ins, ['vcc_lo=%x' % res]
        return ['s10'] + asm, ins, ['s10=%x' % res]
    w = width(dst[0])
    outs = []
    if name in CY:
        rs = [CY[name](*args(l)) for l in range(NL)]
        res = [x[0] & ((1 << w) - 1) for x in rs]
        carry = sum(int(x[1]) << l for l, x in enumerate(rs))
        where = 'vcc_lo' if fmt == 'VOP2' else 's12'
        asm.insert(0, where)
        if where != 'vcc_lo': ins.append('s12=ffffffff')
        outs.append('%s=%x' % (where, carry))
    else:
        res = []
        for l in range(NL):
            x = V[name](*args(l))
            if x == 'skip':
                x = 0
                for v in vals: v[l] = 0
                return None
            res.append(x if x == 'nan' or isinstance(x, tuple) else x & ((1 << w) - 1))
    asm.insert(0, 'v20' if w <= 32 else 'v[20:%d]' % (19 + w // 32))
    approx = any(isinstance(x, tuple) for x in res)
    if w == 16:
        # the other half is kept
        if not reads_dst:
            ins.append('v20=' + ','.join(['dead0000'] * NL))
        outs.append('v20=' + ','.join('h16:nan' if x == 'nan' else 'h16:%x' % x[1] if isinstance(x, tuple) else '%x' % (x | (0 if reads_dst else 0xdead0000)) for x in res))
    elif w == 32:
        outs.append('v20=' + ','.join('nan' if x == 'nan' else '~%x' % x[1] if isinstance(x, tuple) else '%x' % x for x in res))
    else:
        for k in range(w // 32):
            def part(x):
                if x == 'nan': return 'nan64' if k == 1 else '?'
                if isinstance(x, tuple): return ('%x' % (x[1] >> 32)) if k == 1 else '?'
                return '%x' % (x >> 32 * k & M32)
            outs.append('v%d=' % (20 + k) + ','.join(part(x) for x in res))
    return asm, ins, outs


def emit(name, text, ins, outs): out.append((name, text, ' '.join(ins), ' '.join(outs)))


MINE = {'VOP1', 'VOP2', 'VOPC', 'VOP3', 'VOP3SD'}
for name, fmt, opc, cl, dst, src in ROWS:
    if fmt not in MINE or name in done: continue
    nm = re.sub('v_cmpx?_', '', name)
    known = name in V or name in CY or (name.startswith('v_cmp') and nm in CM)
    if not known: continue
    for rep in range(2):
        for tries in range(200):
            r = vector_row(name, fmt, dst, src)
            if r: break
        asm, ins, outs = r
        suffix = {'VOP1': '_e32', 'VOP2': '_e32', 'VOPC': '_e32'}.get(fmt, '_e64')
        if name in ('v_fmaak_f32', 'v_fmamk_f32', 'v_fmaak_f16', 'v_fmamk_f16'): suffix = ''
        n2 = name + suffix
        if 'cmpx' in name: text = n2 + ' ' + ', '.join(asm)
        else: text = n2 + ' ' + ', '.join(asm)
        emit(name, text, ins, outs)
    done.add(name)


def s64(reg, v): return 's%d=%x,%x' % (reg, v & M32, v >> 32)


def scalar(name, fmt, dst, src):
    """Sources s2, s4; destination s20; SOPK immediates as picked."""
    m = re.match(r'(s_\w+?)_[biu](32|64)$', name)
    if name.startswith('s_cselect') or name.startswith('s_cmov'): model = 'cond'
    elif name in SX: model = SX[name]
    elif m and m[1] in S: model = lambda *a, n=int(m[2]), f=S[m[1]]: f(n, *a)
    elif name.startswith('s_addc') or name.startswith('s_subb'): model = 'carry'
    else: return None
    rows = []
    for rep in range(4):
        asm, ins, vals, r = [], [], [], 2
        has_dst = dst[0] != '-'
        w = width(dst[0]) if has_dst else 0
        for s in src:
            ws = width(s)
            if fmt == 'SOPK' and base(s) in ('I16', 'U16'):
                k = rng.choice([0, 1, 0x7fff, 0x8000, 0xffff, rng.getrandbits(16)]); vals.append(k); asm.append('0x%x' % k); continue
            v = rng.choice(pool(s)) if rng.random() < 0.6 else rng.getrandbits(ws)
            if rep == 3 and len(vals) == 1 and ws == width(src[0]) and 'bfe' not in name: v = vals[0]
            if 'bfe' in name and len(vals) == 1: v = rng.choice([16 << 16, 32 << 16, 16 << 16 | 16, 5 << 16 | 30, 0, 8 << 16 | 3, 64 << 16, 127 << 16 | 63])
            vals.append(v)
            if s.startswith('dst:'): reg = 20
            else:
                reg = r; r += 2
                asm.append('s%d' % reg if ws <= 32 else 's[%d:%d]' % (reg, reg + 1))
            ins.append('s%d=%x' % (reg, v) if ws <= 32 else s64(reg, v))
            if fmt == 'SOPK' and not has_dst: ins[-1] = 's20=%x' % v; asm[-1] = 's20'
        scc = rep & 1
        ins.append('scc=%d' % scc)
        if has_dst: asm.insert(0, 's20' if w <= 32 else 's[20:21]')
        if model == 'cond':
            if name == 's_cmovk_i32': d = sx(vals[0], 16) if scc else vals[1]
            else: d = vals[0] if scc else vals[1]
            res = (d, None)
        elif model == 'carry':
            a, b = vals
            res = (a + b + scc, int(a + b + scc > M32)) if 'addc' in name else (a - b - scc, int(a < b + scc))
        else: res = model(*vals)
        d, c = res
        outs = []
        if d is not None:
            d &= (1 << w) - 1
            outs.append('s20=%x' % d if w <= 32 else s64(20, d))
        if c is True: c = int(d != 0)
        if c is not None: outs.append('scc=%d' % c)
        rows.append((name, name + ' ' + ', '.join(asm), ins, outs))
    return rows


for name, fmt, opc, cl, dst, src in ROWS:
    if fmt not in ('SOP1', 'SOP2', 'SOPC', 'SOPK') or name in done: continue
    m = re.match(r's_(\w+)_(saveexec|wrexec)_b(32|64)$', name)
    if m:
        n = int(m[3])
        for rep in range(2):
            s, e = rng.getrandbits(n), rng.getrandbits(n)
            if rep: s = 0 if 'and' in m[1] else s
            new = SAVE[m[1]](s, e) & ((1 << n) - 1)
            d = e if m[2] == 'saveexec' else new
            reg = lambda r: 's%d' % r if n == 32 else 's[%d:%d]' % (r, r + 1)
            st = lambda r, v: 's%d=%x' % (r, v) if n == 32 else s64(r, v)
            pre = ['w64'] if n == 64 else []
            emit(name, f'{name} {reg(20)}, {reg(2)}', pre + [st(2, s), 'exec=%x' % e], [st(20, d), 'exec=%x' % new, 'scc=%d' % (new != 0)])
        done.add(name); continue
    rows = scalar(name, fmt, dst, src)
    if rows:
        for n, t, i, o in rows: emit(n, t, i, o)
        done.add(name)

# ---- words ----
def assemble(lines, attr):
    p = subprocess.run(['llvm-mc-19', '-arch=amdgcn', '-mcpu=gfx1100', '-mattr=' + attr, '-show-encoding'],
                       input='\n'.join(lines) + '\n', capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr)
    enc = re.findall(r'^\s*(\S.*?)\s*(?://|;) encoding: \[([^\]]*)\]', p.stdout, re.M)
    assert len(enc) == len(lines), (len(enc), len(lines))
    return enc


# LLVM 19 knows v_mov_b16 only with 16-bit register names.
REAL16 = 'v_mov_b16'
enc = iter(assemble([o[1] for o in out if o[0] != REAL16], '+wavefrontsize32'))
enc16 = iter(assemble([re.sub(r'(v\d+)', r'\1.l', o[1]) for o in out if o[0] == REAL16], '+real-true16'))
enc = [next(enc16) if o[0] == REAL16 else next(enc) for o in out]
print('# Made by make-exec-vec.py: name, text, dwords, ":", state before, "->", state after. Lanes of a VGPR are')
print('# separated by commas; EXEC has one bit for each of them. nan: any NaN; ~: within 1 ULP; ?: anything;')
print('# h16: the low half, within 1 ULP. What is not named must not change.')
for (name, text, ins, outs), (asm, b) in zip(out, enc):
    by_ = [int(x, 16) for x in b.split(',')]
    words = ' '.join('%08x' % int.from_bytes(by_[i:i + 4], 'little') for i in range(0, len(by_), 4))
    print(f'{name} "{asm}" {words} : {ins} -> {outs}')
print(len(done), 'names', file=sys.stderr)
