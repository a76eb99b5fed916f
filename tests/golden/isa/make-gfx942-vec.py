#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the golden vectors of what gfx942 has and gfx11 does not: exec-gfx942.vec.

The numbers come from the model of make-exec-vec.py and make-packed-vec.py (exact rational arithmetic), words from
llvm-mc-19. test_vec.c runs the vectors of gfx11 on gfx942 as well, for the instructions that both have.

    make-gfx942-vec.py > exec-gfx942.vec        (from the root of the tree)
"""
import os, re, random, subprocess, sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
# The models without what they write.
exec(open(os.path.join(HERE, 'make-packed-vec.py')).read().split('# ---- one 16-bit or 64-bit result')[0])

rng = random.Random(942)
rows = []


def emit(name, text, ins, outs):
    whole = any(i[0] == 'v' and i.count(',') > 31 for i in ins) or any('vcc=' in i for i in ins + outs)  # not again in both halves of the wave
    rows.append((name, text, ' '.join(['w64'] * whole + ins), ' '.join(outs)))
def vec(kind, m=USUAL, n=NL): return [pick(kind, m) for _ in range(n)]
def bits(w, n=NL): return [rng.choice([0, 1, (1 << w) - 1, 1 << w - 1, rng.getrandbits(w), rng.getrandbits(w)]) for _ in range(n)]
def wide(reg, vs):
    """Lanes of a pair of registers; 'nan' stands for any NaN."""
    return [lanes(reg, ['?' if v == 'nan' else v & M32 for v in vs]), lanes(reg + 1, ['nan64' if v == 'nan' else v >> 32 for v in vs])]
def acc(reg, vs): return 'a' + lanes(reg, vs)[1:]
def s64(reg, v): return 's%d=%x,%x' % (reg, v & M32, v >> 32)
def nan_of(f, r): return 'nan' if r != 'nan' and f.isnan(r) else r


# ---- AccVGPRs ----
v, w = bits(32), bits(32)
emit('v_accvgpr_write_b32', 'v_accvgpr_write_b32 a3, v2', [lanes(2, v)], [acc(3, v)])
emit('v_accvgpr_write_b32', 'v_accvgpr_write_b32 a31, s4', ['s4=12345678', 'exec=5', acc(31, [1, 2, 3])], [acc(31, [0x12345678, 2, 0x12345678])])
emit('v_accvgpr_write_b32', 'v_accvgpr_write_b32 a0, -16', [acc(0, [7])], [acc(0, [0xfffffff0])])
emit('v_accvgpr_read_b32', 'v_accvgpr_read_b32 v5, a3', [acc(3, v), lanes(3, w)], [lanes(5, v)])
emit('v_accvgpr_read_b32', 'v_accvgpr_read_b32 v5, a31', ['exec=6', acc(31, [1, 2, 3]), lanes(5, [9, 8, 7])], [lanes(5, [9, 2, 3])])
emit('v_accvgpr_mov_b32', 'v_accvgpr_mov_b32 a5, a3', [acc(3, v)], [acc(5, v)])
emit('global_store_b32', 'global_store_dword v0, a1, s[0:1]', ['s0=10000,1', lanes(0, [0, 12, 8]), acc(1, [1, 2, 3]), lanes(1, [7, 7, 7])], ['mem@10000=1,0,3,2'])
emit('global_load_b64', 'global_load_dwordx2 a[4:5], v0, s[0:1]', ['s0=10000,1', 'mem@10000=1,2,3,4', lanes(0, [8, 0])], [acc(4, [3, 1]), acc(5, [4, 2])])
emit('ds_store_2addr_b32', 'ds_write2_b32 v0, a1, a2 offset1:1', ['lds=100', 'lds@8=0,0', lanes(0, [8]), acc(1, [5]), acc(2, [6])], ['lds@8=5,6'])
emit('ds_load_b64', 'ds_read_b64 a[2:3], v0', ['lds=100', 'lds@8=5,6', lanes(0, [8])], [acc(2, [5]), acc(3, [6])])
emit('ds_add_rtn_u32', 'ds_add_rtn_u32 a2, v0, a1', ['lds=100', 'lds@8=5', lanes(0, [8]), acc(1, [3])], ['lds@8=8', acc(2, [5])])
emit('v_mov_b32', 'v_mov_b32_e32 v20, v2; v_accvgpr_write_b32 a20, v20; v_accvgpr_read_b32 v21, a20', [lanes(2, v)], [lanes(20, v), acc(20, v), lanes(21, v)])

# ---- 64 bits ----
a = bits(64)
emit('v_mov_b64', 'v_mov_b64_e32 v[20:21], v[2:3]', wide(2, a), wide(20, a))
emit('v_mov_b64', 'v_mov_b64_e32 v[20:21], s[4:5]', [s64(4, a[-1]), lanes(20, [1] * 2)], wide(20, [a[-1]] * 2))
emit('v_mov_b64', 'v_mov_b64_e32 v[20:21], -4', [lanes(20, [1])], wide(20, [2**64 - 4]))
emit('v_mov_b64', 'v_mov_b64_e32 v[20:21], 1.0', [lanes(20, [1])], wide(20, [0x3ff0000000000000]))
emit('v_mov_b64', 'v_mov_b64_e32 v[20:21], 0x12345678', [lanes(20, [1])], wide(20, [0x12345678]))
for s in range(5):
    a, c = bits(64), bits(64)
    emit('v_lshl_add_u64', f'v_lshl_add_u64 v[20:21], v[2:3], {s}, v[6:7]', wide(2, a) + wide(6, c), wide(20, [(x << s) + y & M64 for x, y in zip(a, c)]))
a, sh = bits(64), [rng.randrange(5) for _ in range(NL)]
emit('v_lshl_add_u64', 'v_lshl_add_u64 v[20:21], v[2:3], v4, s[6:7]', wide(2, a) + [lanes(4, sh), s64(6, 0xfedcba9876543210)],
     wide(20, [(x << s) + 0xfedcba9876543210 & M64 for x, s in zip(a, sh)]))
for i, m in enumerate([USUAL] + MODES):
    f, (a, b, c) = m.f64, [vec('f64', m) for _ in range(3)]
    res = [nan_of(f, f.fma(x, y, z)) for x, y, z in zip(a, b, c)]
    emit('v_fmac_f64', 'v_fmac_f64_e32 v[20:21], v[2:3], v[6:7]', wide(2, a) + wide(6, b) + wide(20, c) + m.text(), wide(20, res))
    res = [nan_of(f, f.fma(x ^ f.sign, y & ~f.sign, z)) for x, y, z in zip(a, b, c)]
    emit('v_fmac_f64', 'v_fmac_f64_e64 v[20:21], -v[2:3], |v[6:7]|', wide(2, a) + wide(6, b) + wide(20, c) + m.text(), wide(20, res))

# ---- packed f32 ----
F32X = {'add': 2, 'mul': 2, 'fma': 3}
for op, n in F32X.items():
    for i, m in enumerate([USUAL, USUAL, USUAL, USUAL] + MODES):
        f = m.f32
        sel = [(0, 1)] * n if i == 0 else [(rng.getrandbits(1), rng.getrandbits(1)) for _ in range(n)]
        neg = [(0, 0)] * n if i == 0 else [(rng.getrandbits(1), rng.getrandbits(1)) for _ in range(n)]
        cl = i % 3 == 2
        regs = [[(pick('f32', m), pick('f32', m)) for _ in range(NL)] for _ in range(n)]
        res = []
        for h in (0, 1):
            r = []
            for l in range(NL):
                args = [regs[k][l][sel[k][h]] ^ (f.sign if neg[k][h] else 0) for k in range(n)]
                x = nan_of(f, getattr(f, op)(*args))
                r.append(f.clamp(x, m.dx10) if cl else x)
            res.append(lanes(20 + h, r))
        ins = [t for k in range(n) for t in (lanes(2 + 4 * k, [x[0] for x in regs[k]]), lanes(3 + 4 * k, [x[1] for x in regs[k]]))]
        text = f'v_pk_{op}_f32 v[20:21], ' + ', '.join('v[%d:%d]' % (2 + 4 * k, 3 + 4 * k) for k in range(n))
        def flag(word, b, usual): return '' if b == [usual] * n else f' {word}:[' + ','.join(map(str, b)) + ']'
        text += flag('op_sel', [s[0] for s in sel], 0) + flag('op_sel_hi', [s[1] for s in sel], 1)
        text += flag('neg_lo', [s[0] for s in neg], 0) + flag('neg_hi', [s[1] for s in neg], 0) + (' clamp' if cl else '')
        emit(f'v_pk_{op}_f32', text, ins + m.text(), res)
emit('v_pk_add_f32', 'v_pk_add_f32 v[20:21], v[2:3], s[4:5]', ['s4=3f800000,40000000', lanes(2, [0x40400000]), lanes(3, [0x40800000])],
     [lanes(20, [0x40800000]), lanes(21, [0x40c00000])])
emit('v_pk_mul_f32', 'v_pk_mul_f32 v[20:21], v[2:3], 2.0 op_sel_hi:[1,0]', [lanes(2, [0x40400000]), lanes(3, [0x40800000])],
     [lanes(20, [0x40c00000]), lanes(21, [0x41000000])])
emit('v_pk_add_f32', 'v_pk_add_f32 v[2:3], v[2:3], v[6:7] op_sel:[1,0] op_sel_hi:[0,1]', ['exec=2', lanes(2, [1, 0x3f800000]), lanes(3, [1, 0x40000000]), lanes(6, [0, 0]), lanes(7, [0, 0])],
     [lanes(2, [1, 0x40000000]), lanes(3, [1, 0x3f800000])])
x, y = [bits(32), bits(32)], [bits(32), bits(32)]
pair = [lanes(2, x[0]), lanes(3, x[1]), lanes(6, y[0]), lanes(7, y[1])]
for s0 in (0, 1):
    for s1 in (0, 1):
        emit('v_pk_mov_b32', f'v_pk_mov_b32 v[20:21], v[2:3], v[6:7] op_sel:[{s0},{s1}]', pair, [lanes(20, x[s0]), lanes(21, y[s1])])

# ---- integers ----
for n in (0, 1, 0xffffffff, 0x7fffffff, 0xfffffffe, 0xffff):
    emit('s_ff0_i32_b32', 's_ff0_i32_b32 s20, s2', ['s2=%x' % n], ['s20=%x' % (ctz(~n & M32) & M32)])
for n in (0, 1, M64, M32, M64 >> 1):
    emit('s_ff0_i32_b64', 's_ff0_i32_b64 s20, s[2:3]', [s64(2, n)], ['s20=%x' % (ctz(~n & M64) & M32)])


def dot(a, b, w, signed):
    k = (lambda v: sx(v, w)) if signed else (lambda v: v)
    return sum(k(a >> i & (1 << w) - 1) * k(b >> i & (1 << w) - 1) for i in range(0, 32, w))


for name, w, signed in (('v_dot2_i32_i16', 16, 1), ('v_dot2_u32_u16', 16, 0), ('v_dot4_i32_i8', 8, 1), ('v_dot8_i32_i4', 4, 1),
                        ('v_dot2c_i32_i16', 16, 1), ('v_dot4c_i32_i8', 8, 1), ('v_dot8c_i32_i4', 4, 1)):
    for cl in (0, 1):
        a, b, c = bits(32), bits(32), bits(32)
        def total(p, q, r):
            v = dot(p, q, w, signed) + (sx(r, 32) if signed else r)
            return (sat(v, -2**31, 2**31 - 1) if signed else sat(v, 0, M32)) & M32 if cl else v & M32
        to = 20 if 'c_' in name else 10
        text = f'{name}_e64 v20, v2, v6' if to == 20 and cl else f'{name}_e32 v20, v2, v6' if to == 20 else f'{name} v20, v2, v6, v10'
        emit(name, text + (' clamp' if cl else ''), [lanes(2, a), lanes(6, b), lanes(to, c)], [lanes(20, [total(*t) for t in zip(a, b, c)])])
for cl in (0, 1):
    a, b, c = vec('u16'), vec('u16'), vec('u16')
    x, y = [rng.getrandbits(16) << 16 | v for v in a], [rng.getrandbits(16) << 16 | v for v in b]
    old = [0xdeadbeef] * NL
    emit('v_subrev_u16', 'v_subrev_u16_e64 v20, v2, v6' + (' clamp' if cl else ''), [lanes(2, x), lanes(6, y), lanes(20, old)],
         [lanes(20, [sat(q - p, 0, 0xffff) if cl else q - p & 0xffff for p, q in zip(a, b)])])
    for t, k in (('u16', lambda v: v), ('i16', lambda v: sx(v, 16))):
        lo, hi = (0, 0xffff) if t == 'u16' else (-0x8000, 0x7fff)
        r = [k(p) * k(q) + k(s) for p, q, s in zip(a, b, c)]
        emit(f'v_mad_legacy_{t}', f'v_mad_legacy_{t} v20, v2, v6, v10' + (' clamp' if cl else ''), [lanes(2, x), lanes(6, y), lanes(10, c), lanes(20, old)],
             [lanes(20, [(sat(v, lo, hi) if cl else v) & 0xffff for v in r])])
for t in ('i16', 'u16'):
    emit(f'v_cmp_f_{t}', f'v_cmp_f_{t}_e32 vcc, v2, v6', ['vcc=ffffffffffffffff', lanes(2, [1, 2, 3])], ['vcc=0'])
    emit(f'v_cmp_t_{t}', f'v_cmp_t_{t}_e64 s[20:21], v2, v6', ['exec=5', lanes(2, [1, 2, 3])], ['s20=5,0'])
    emit(f'v_cmpx_f_{t}', f'v_cmpx_f_{t}_e64 s[20:21], v2, v6', ['exec=5', lanes(2, [1, 2, 3])], ['s20=0,0', 'exec=0'])
    emit(f'v_cmpx_t_{t}', f'v_cmpx_t_{t}_e32 vcc, v2, v6', ['exec=5', 'vcc=0', lanes(2, [1, 2, 3])], ['vcc=5', 'exec=5'])
emit('v_cmpx_lt_f32', 'v_cmpx_lt_f32_e64 s[20:21], v2, -v6', ['exec=7', lanes(2, [0xbf800000, 0x3f800000, 0xbf800000]), lanes(6, [0x3f000000] * 3)], ['s20=5,0', 'exec=5'])
a, b, c = vec('f32'), [rng.getrandbits(8) for _ in range(NL)], bits(32)
def byte_of(x): return 0 if F32.isnan(x) or F32.neg(x) else 255 if F32.isinf(x) else min(255, int(F32.val(x)))
emit('v_cvt_pkaccum_u8_f32', 'v_cvt_pkaccum_u8_f32 v20, v2, v6', [lanes(2, a), lanes(6, b), lanes(20, c)],
     [lanes(20, [z & ~(255 << (y & 3) * 8) | byte_of(x) << (y & 3) * 8 for x, y, z in zip(a, b, c)])])

# ---- f16 ----
for i, m in enumerate([USUAL] + MODES):
    f = m.f16
    a, b, c = [vec('f16', m) for _ in range(3)]
    def mad(x, y, z):
        p = f.mul(x, y)
        return 'nan' if p == 'nan' else nan_of(f, f.add(p, z))
    def fma(x, y, z): return nan_of(f, f.fma(x, y, z))
    def out(fn, high): return [('h16:nan' if r == 'nan' else r | high) for r in (fn(*t) for t in zip(a, b, c))]
    old = [0xdead0000] * NL
    src = [lanes(2, a), lanes(6, b), lanes(10, c), lanes(20, old)] + m.text()
    for name, fn in (('v_mad_f16', mad), ('v_mad_legacy_f16', mad), ('v_fma_legacy_f16', fma)):
        emit(name, f'{name} v20, v2, v6, v10', src, [lanes(20, out(fn, 0))])
    emit('v_mac_f16', 'v_mac_f16_e32 v20, v2, v6', [lanes(2, a), lanes(6, b), lanes(20, [0xdead0000 | z for z in c])] + m.text(), [lanes(20, out(mad, 0xdead0000))])
    k = c
    c = [0x3c01] * NL
    emit('v_madak_f16', 'v_madak_f16 v20, v2, v6, 0x3c01', src, [lanes(20, out(mad, 0xdead0000))])
    b, c = [0x3c01] * NL, k
    emit('v_madmk_f16', 'v_madmk_f16 v20, v2, 0x3c01, v10', src, [lanes(20, out(mad, 0xdead0000))])
emit('v_div_fixup_legacy_f16', 'v_div_fixup_legacy_f16 v20, v2, v6, v10', [lanes(2, [0x3800, 0, 0, 0]), lanes(6, [0x4000, 0, 0x7c00, 0x3c00]), lanes(10, [0x3c00, 0, 0x3c00, 0x8000]), lanes(20, [0xdead0000] * 4)],
     [lanes(20, [0x3800, 'h16:nan', 0, 0x8000])])

# ---- fp8 and bf8: all codes, and the nearest of them ----
def f8_value(code, man, bias):
    if code == 0x80: return 'nan'
    e, m = (code & 0x7f) >> man, code & (1 << man) - 1
    v = Fraction(m, 1 << man) + (1 if e else 0)
    return (-1 if code & 0x80 else 1) * v * Fraction(2) ** (max(e, 1) - bias)
def f32_of(v):  # exact
    if v == 'nan': return 'nan'
    if v == 0: return 0
    s, v, e = v < 0, abs(v), 0
    while v >= 2: v, e = v / 2, e + 1
    while v < 1: v, e = v * 2, e - 1
    return s << 31 | e + 127 << 23 | int((v - 1) * 2**23)
def f8_code(x, man, bias, ovfl):
    """Of the bits of an f32."""
    s, mag = x >> 31, x & 0x7fffffff
    if mag > 0x7f800000: return 0x80
    top = f8_value(0x7f, man, bias)
    if mag == 0x7f800000: return 0x7f | s << 7 if ovfl else 0x80
    v = Fraction((mag & 0x7fffff | (0x800000 if mag >> 23 else 0))) * Fraction(2) ** (max(mag >> 23, 1) - 150)
    best = min(range(0x80), key=lambda c: (abs(f8_value(c, man, bias) - v), c & 1))
    # half of a step above the largest one, and more, is too large (its code is odd)
    if v >= top + (top - f8_value(0x7e, man, bias)) / 2: return 0x7f | s << 7 if ovfl else 0x80
    return best | s << 7 if best else 0
for t, man, bias in (('fp8', 3, 8), ('bf8', 2, 16)):
    for i in range(8):
        codes = range(32 * i, 32 * i + 32)
        hi = [rng.getrandbits(24) for _ in codes]
        emit(f'v_cvt_f32_{t}', f'v_cvt_f32_{t}_e32 v20, v2', [lanes(2, [h << 8 | c for h, c in zip(hi, codes)])], [lanes(20, [f32_of(f8_value(c, man, bias)) for c in codes])])
    a = bits(32)
    emit(f'v_cvt_f32_{t}', f'v_cvt_f32_{t}_sdwa v20, v2 src0_sel:BYTE_2', [lanes(2, a)], [lanes(20, [f32_of(f8_value(v >> 16 & 255, man, bias)) for v in a])])
    for mods, sh in (('_e32 v[20:21], v2', 0), ('_sdwa v[20:21], v2 src0_sel:WORD_1', 16)):
        a = [v if v >> sh & 255 != 0x80 and v >> sh + 8 & 255 != 0x80 else 0 for v in bits(32)]
        emit(f'v_cvt_pk_f32_{t}', f'v_cvt_pk_f32_{t}{mods}', [lanes(2, a)], [lanes(20 + j, [f32_of(f8_value(v >> sh + 8 * j & 255, man, bias)) for v in a]) for j in (0, 1)])
    near = []
    for c in range(0x80):  # the codes, the middles between them, and their neighbours
        mid = f32_of((f8_value(c, man, bias) + f8_value(min(c + 1, 0x7f), man, bias)) / 2)
        near += [f32_of(f8_value(c, man, bias)), mid, mid + 1, max(mid, 1) - 1]
    near += [0x7f800000, 0x7fc00001, 1, 0x7f7fffff, f32_of(f8_value(0x7f, man, bias)) + (1 << 22 - man), f32_of(f8_value(0x7f, man, bias)) + (1 << 22 - man) - 1]
    while len(near) % 32: near.append(rng.getrandbits(31))
    for i in range(0, len(near), 32):
        for ovfl in (0, 1):
            a, b = [v ^ (rng.getrandbits(1) << 31) for v in near[i:i + 32]], [v ^ (rng.getrandbits(1) << 31) for v in near[i:i + 32]]
            rng.shuffle(b)
            old, high = bits(32, len(a)), i // 32 & 1
            res = [f8_code(x, man, bias, ovfl) | f8_code(y, man, bias, ovfl) << 8 for x, y in zip(a, b)]
            emit(f'v_cvt_pk_{t}_f32', f'v_cvt_pk_{t}_f32 v20, v2, v6' + (' op_sel:[0,0,1]' if high else ''),
                 [lanes(2, a), lanes(6, b), lanes(20, old)] + (['mode=8003c0'] if ovfl else []),
                 [lanes(20, [o & 0xffff | r << 16 if high else o & 0xffff0000 | r for o, r in zip(old, res)])])
a = [0x3f800000, 0xc0000000]
emit('v_cvt_pk_fp8_f32', 'v_cvt_pk_fp8_f32 v20, -v2, 2.0', ['mode=3c3', lanes(2, a), lanes(20, [0, 0])], [lanes(20, [0x48c0, 0x4848])])

# ---- SDWA ----
SEL = ('BYTE_0', 'BYTE_1', 'BYTE_2', 'BYTE_3', 'WORD_0', 'WORD_1', 'DWORD')
UNUSED = ('UNUSED_PAD', 'UNUSED_SEXT', 'UNUSED_PRESERVE')
def at(sel): return (8, 8 * sel) if sel < 4 else (16, 16 * (sel - 4)) if sel < 6 else (32, 0)
def part(v, sel, signed):
    w, s = at(sel)
    v = v >> s & (1 << w) - 1
    return sx(v, w) & M32 if signed else v
def put(old, r, sel, unused):
    w, s = at(sel)
    if w == 32: return r
    r &= (1 << w) - 1
    if unused == 2: return old & ~(((1 << w) - 1) << s) & M32 | r << s
    return (sx(r, w) if unused == 1 else r) << s & M32


INT = {'v_or_b32': (lambda a, b: a | b), 'v_lshrrev_b32': (lambda a, b: b >> (a & 31)), 'v_lshlrev_b32': (lambda a, b: b << (a & 31) & M32),
       'v_add_u32': (lambda a, b: a + b & M32), 'v_sub_u32': (lambda a, b: a - b & M32), 'v_max_i32': (lambda a, b: max(sx(a, 32), sx(b, 32)) & M32),
       'v_mul_lo_u16': (lambda a, b: a * b & 0xffff), 'v_ashrrev_i16': (lambda a, b: sx(b, 16) >> (a & 15) & 0xffff)}
OURS = {'v_add_u32': 'v_add_nc_u32', 'v_sub_u32': 'v_sub_nc_u32'}
for name, fn in INT.items():
    for i in range(7):
        s = [rng.randrange(7) for _ in range(3)] if i else [6, 4, 5]
        if i < 7: s[1 + i % 2] = i
        un, sg = i % 3, (rng.getrandbits(1), rng.getrandbits(1))
        a, b, old = bits(32), bits(32), bits(32)
        half = name.endswith('16')
        def run(x, y):
            p, q = part(x, s[1], sg[0]), part(y, s[2], sg[1])
            return fn(p & 0xffff, q & 0xffff) if half else fn(p, q)
        src = [('sext(v%d)' if g else 'v%d') % r for r, g in ((2, sg[0]), (6, sg[1]))]
        emit(OURS.get(name, name), f'{name}_sdwa v20, {src[0]}, {src[1]} dst_sel:{SEL[s[0]]} dst_unused:{UNUSED[un]} src0_sel:{SEL[s[1]]} src1_sel:{SEL[s[2]]}',
             [lanes(2, a), lanes(6, b), lanes(20, old)], [lanes(20, [put(o, run(x, y), s[0], un) for x, y, o in zip(a, b, old)])])
emit('v_or_b32', 'v_or_b32_sdwa v20, v2, s4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:BYTE_3', ['s4=ab000000', lanes(2, [0x12345678, 0xffff0000])], [lanes(20, [0x12bf, 0xffff])])
emit('v_lshlrev_b32', 'v_lshlrev_b32_sdwa v20, v2, v6 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:WORD_0', ['exec=2', lanes(2, [0x400, 0x400]), lanes(6, [0xfff1, 0xfff1]), lanes(20, [1, 0xaaaabbbb])], [lanes(20, [1, 0xff10bbbb])])
for m in (USUAL, MODES[0]):
    f, a, b, old = m.f16, vec('f16', m), vec('f16', m), bits(32)
    res = [f.mul(x ^ 0x8000, y & 0x7fff) for x, y in zip(a, b)]
    ok = [i for i, r in enumerate(res) if r != 'nan' and not f.isnan(r)]
    emit('v_mul_f16', 'v_mul_f16_sdwa v20, -v2, |v6| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0',
         [lanes(2, [a[i] << 16 | 0x1234 for i in ok]), lanes(6, [b[i] | 0xabcd0000 for i in ok]), lanes(20, [old[i] for i in ok])] + m.text(),
         [lanes(20, [put(old[i], res[i], 5, 2) for i in ok])])
emit('v_cvt_f32_u32', 'v_cvt_f32_u32_sdwa v20, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2', [lanes(2, [0x12345678, 0xff00ff])], [lanes(20, [0x42500000, 0x437f0000])])
emit('v_cmp_eq_u32', 'v_cmp_eq_u32_sdwa s[20:21], v2, v6 src0_sel:BYTE_1 src1_sel:WORD_1', ['exec=7', lanes(2, [0x1200, 0x12, 0x1200]), lanes(6, [0x120000, 0x120000, 0x12])], ['s20=1,0'])
emit('v_cndmask_b32', 'v_cndmask_b32_sdwa v20, v2, v6, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1', ['vcc=2', lanes(2, [0x1234, 0x1234]), lanes(6, [0x5678, 0x5678])], [lanes(20, [0x34, 0x56])])

# ---- DPP across the wave ----
N = 64
def wave(l, how):
    row, k = l & ~15, l & 15
    kind, _, n = how.partition(':')
    n = int(n) if n.isdigit() else 0
    return {'wave_shl': l + 1 if l < 63 else None, 'wave_rol': (l + 1) % N, 'wave_shr': l - 1 if l else None, 'wave_ror': (l - 1) % N,
            'row_bcast': (row - 1 if row else None) if n == 15 else (31 if l > 31 else None), 'row_newbcast': row + n,
            'row_shl': l + n if k + n < 16 else None, 'row_ror': row + (k - n) % 16, 'row_mirror': row + 15 - k}[kind]


for i, how in enumerate(('wave_shl:1', 'wave_rol:1', 'wave_shr:1', 'wave_ror:1', 'row_bcast:15', 'row_bcast:31', 'row_newbcast:0', 'row_newbcast:11', 'row_shl:3', 'row_ror:5', 'row_mirror')):
    for bc in (0, 1):
        a, old = [rng.getrandbits(32) for _ in range(N)], [rng.getrandbits(32) for _ in range(N)]
        exec_ = M64 if i % 3 == 0 else rng.getrandbits(64)
        rm, bm = (15, 15) if bc else (rng.randrange(1, 16), rng.randrange(1, 16))
        res = []
        for l in range(N):
            s = wave(l, how)
            valid = s is not None and exec_ >> s & 1
            on = exec_ >> l & 1 and rm >> l // 16 & 1 and bm >> l % 16 // 4 & 1 and (valid or bc)
            res.append((a[s] if valid else 0) if on else old[l])
        emit('v_mov_b32', f'v_mov_b32_dpp v20, v2 {how} row_mask:{rm:#x} bank_mask:{bm:#x}' + (' bound_ctrl:0' if bc else ''),
             ['exec=%x' % exec_, lanes(2, a), lanes(20, old)], [lanes(20, res)])
a = [rng.getrandbits(32) for _ in range(N)]
emit('v_add_nc_u32', 'v_add_u32_dpp v2, v2, v2 wave_ror:1 row_mask:0xf bank_mask:0xf', ['exec=ffffffffffffffff', lanes(2, a)], [lanes(2, [a[(l - 1) % N] + a[l] & M32 for l in range(N)])])
a = [rng.getrandbits(64) for _ in range(N)]
emit('v_mov_b64', 'v_mov_b64_dpp v[20:21], v[2:3] row_newbcast:3 row_mask:0xf bank_mask:0xf', ['exec=ffffffffffffffff'] + wide(2, a), wide(20, [a[(l & ~15) + 3] for l in range(N)]))

# ---- memory ----
a = [rng.getrandbits(32) for _ in range(N)]
to = [rng.randrange(0, 400) for _ in range(N)]
exec_ = rng.getrandbits(64)
res = [0xee] * N
emit('ds_bpermute_b32_gfx9', 'ds_bpermute_b32 v20, v2, v6 offset:8', ['exec=%x' % exec_, 'lds=100', lanes(2, to), lanes(6, a), lanes(20, res)],
     [lanes(20, [(a[(to[l] + 8) // 4 % N] if exec_ >> (to[l] + 8) // 4 % N & 1 else 0) if exec_ >> l & 1 else 0xee for l in range(N)])])
got = [0] * N
for l in range(N):
    if exec_ >> l & 1: got[to[l] // 4 % N] = a[l]
emit('ds_permute_b32_gfx9', 'ds_permute_b32 v20, v2, v6', ['exec=%x' % exec_, 'lds=100', lanes(2, to), lanes(6, a), lanes(20, res)],
     [lanes(20, [got[l] if exec_ >> l & 1 else 0xee for l in range(N)])])

for i in range(4):
    f, a, b = USUAL.f16, vec('f16', n=32), vec('f16', n=32)
    r = [f.add(x, y) for x, y in zip(a, b)]
    ok = [k for k, x in enumerate(r) if x != 'nan' and not f.isnan(x)]
    a, b, r = [[t[k] for k in ok] for t in (a, b, r)]
    n = len(ok) // 2
    pack = lambda t: [t[2 * k] | t[2 * k + 1] << 16 for k in range(n)]
    mem = lambda t: 'mem@10000=' + ','.join('%x' % v for v in t)
    emit('global_atomic_pk_add_f16', 'global_atomic_pk_add_f16 v20, v2, s[0:1]', ['s0=10000,1', lanes(20, [4 * k for k in range(n)]), lanes(2, pack(b)), mem(pack(a))], [mem(pack(r))])

# ---- min and max: which NaN, and which zero; after AMD's text (V_MIN_F32 and the like of the CDNA manuals) ----
def minmax(a, b, w, is_max, ieee):
    e, f = {16: (5, 10), 32: (8, 23), 64: (11, 52)}[w]
    top, inf = 1 << w - 1, ((1 << e) - 1) << f
    nan = lambda x: x & ~top > inf
    number = lambda x: -(x & ~top) if x & top else x  # in the order of the floats
    for x in (a, b):
        if ieee and nan(x) and not x >> f - 1 & 1:
            return x | 1 << f - 1
    if nan(a) or nan(b):
        return b if nan(a) else a
    if number(a) == number(b):  # zeros of both signs, or the same
        return (min if is_max else max)(a, b)
    return a if (number(a) > number(b)) == is_max else b


for w, one, quiet, loud in (16, 0x3c00, 0x7e01, 0x7c01), (32, 0x3f800000, 0x7fc00001, 0x7f800001), (64, 0x3ff << 52, 0x7ff8 << 48 | 1, 0x7ff << 52 | 1):
    sign = 1 << w - 1
    values = [0, sign, one, one | sign, quiet, quiet + 1 | sign, loud, loud + 1 | sign]
    pairs = [(a, b) for a in values for b in values]
    for op in 'min', 'max':
        for mode in 0xf0, 0x2f0:
            for half in pairs[:32], pairs[32:]:
                a, b = [p[0] for p in half], [p[1] for p in half]
                res = [minmax(x, y, w, op == 'max', mode == 0x2f0) for x, y in half]
                if w == 64:
                    emit(f'v_{op}_f64', f'v_{op}_f64 v[20:21], v[2:3], v[6:7]', [f'mode={mode:x}'] + wide(2, a) + wide(6, b), wide(20, res))
                else:
                    emit(f'v_{op}_f{w}', f'v_{op}_f{w}_e32 v20, v2, v6', [f'mode={mode:x}', lanes(2, a), lanes(6, b)], [lanes(20, res)])

HAND = '''
ds_cmpst_b32 "ds_cmpst_b32 v0, v1, v2" : lds=100 lds@0=5,6 v0=0,4 v1=5,5 v2=9,9 -> lds@0=9,6
ds_cmpst_rtn_b32 "ds_cmpst_rtn_b32 v3, v0, v1, v2" : lds=100 lds@0=5,6 v0=0,4 v1=5,5 v2=9,9 -> lds@0=9,6 v3=5,6
ds_cmpst_f32 "ds_cmpst_f32 v0, v1, v2" : lds=100 lds@0=80000000,7fc00000 v0=0,4 v1=0,7fc00000 v2=9,9 -> lds@0=9,7fc00000
ds_cmpst_rtn_f32 "ds_cmpst_rtn_f32 v3, v0, v1, v2" : lds=100 lds@0=80000000,7fc00000 v0=0,4 v1=0,7fc00000 v2=9,9 -> lds@0=9,7fc00000 v3=80000000,7fc00000
ds_cmpst_b64 "ds_cmpst_b64 v0, v[2:3], v[4:5]" : lds=100 lds@0=5,6,5,7 v0=0,8 v2=5,5 v3=6,6 v4=1,1 v5=2,2 -> lds@0=1,2,5,7
ds_cmpst_rtn_b64 "ds_cmpst_rtn_b64 v[6:7], v0, v[2:3], v[4:5]" : lds=100 lds@0=5,6,5,7 v0=0,8 v2=5,5 v3=6,6 v4=1,1 v5=2,2 -> lds@0=1,2,5,7 v6=5,5 v7=6,7
ds_cmpst_f64 "ds_cmpst_f64 v0, v[2:3], v[4:5]" : lds=100 lds@0=0,80000000,5,7 v0=0,8 v2=0,5 v3=0,6 v4=1,1 v5=2,2 -> lds@0=1,2,5,7
ds_cmpst_rtn_f64 "ds_cmpst_rtn_f64 v[6:7], v0, v[2:3], v[4:5]" : lds=100 lds@0=0,80000000,5,7 v0=0,8 v2=0,5 v3=0,6 v4=1,1 v5=2,2 -> lds@0=1,2,5,7 v6=0,5 v7=80000000,7
ds_add_f64 "ds_add_f64 v0, v[2:3]" : lds=100 lds@0=0,3ff00000 v0=0 v2=0 v3=40000000 -> lds@0=0,40080000
ds_add_rtn_f64 "ds_add_rtn_f64 v[4:5], v0, v[2:3]" : lds=100 lds@0=0,3ff00000 v0=0 v2=0 v3=40000000 -> lds@0=0,40080000 v4=0 v5=3ff00000
global_atomic_add_f64 "global_atomic_add_f64 v[4:5], v0, v[2:3], s[0:1] sc0" : s0=10000,1 mem@10000=0,3ff00000 v0=0,0 v2=0,0 v3=40000000,3ff00000 -> mem@10000=0,40100000 v4=0,0 v5=3ff00000,40080000
global_atomic_add_f64 "global_atomic_add_f64 v0, a[2:3], s[0:1]" : s0=10000,1 mem@10000=0,3ff00000 v0=0 a2=0 a3=40000000 -> mem@10000=0,40080000
global_atomic_add_f64 "global_atomic_add_f64 v0, v[2:3], s[0:1]" : s0=10000,1 mem@10000=1,0 v0=0 v2=2 v3=0 -> mem@10000=3,0
global_atomic_min_f64 "global_atomic_min_f64 v0, v[2:3], s[0:1]" : s0=10000,1 mem@10000=0,3ff00000 v0=0 v2=0 v3=c0000000 -> mem@10000=0,c0000000
global_atomic_max_f64 "global_atomic_max_f64 v0, v[2:3], s[0:1]" : s0=10000,1 mem@10000=0,3ff00000 v0=0 v2=0 v3=c0000000 -> mem@10000=0,3ff00000
flat_atomic_add_f64 "flat_atomic_add_f64 v[0:1], v[2:3]" : mem@10000=0,3ff00000 v0=10000 v1=1 v2=0 v3=40000000 -> mem@10000=0,40080000
flat_atomic_min_f64 "flat_atomic_min_f64 v[0:1], v[2:3]" : mem@10000=0,3ff00000 v0=10000 v1=1 v2=0 v3=40000000 -> mem@10000=0,3ff00000
flat_atomic_max_f64 "flat_atomic_max_f64 v[0:1], v[2:3]" : mem@10000=0,3ff00000 v0=10000 v1=1 v2=0 v3=40000000 -> mem@10000=0,40000000
global_atomic_add_f32 "global_atomic_add_f32 v0, v2, s[0:1]" : s0=10000,1 mem@10000=1 v0=0 v2=2 -> mem@10000=3
buffer_wbl2 "buffer_wbl2 sc1" : v0=1 ->
buffer_inv "buffer_inv sc1" : v0=1 ->
s_load_b64 "s_load_dwordx2 s[4:5], s[0:1], 0x8" : s0=10000,1 mem@10000=1,2,3,4 -> s4=3,4
s_store_dword "s_store_dword s4, s[0:1], 0x8" : s0=10000,1 s4=77 mem@10000=1,2,3,4 -> mem@10000=1,2,77,4
s_store_dwordx2 "s_store_dwordx2 s[4:5], s[0:1], s6 offset:0x4" : s0=10000,1 s4=77,88 s6=6 mem@10000=1,2,3,4 -> mem@10000=1,2,77,88
s_store_dwordx4 "s_store_dwordx4 s[4:7], s[0:1], 0x0" : s0=10ff8,1 s4=5,6,7,8 mem@10ff8=1,2,3,4,9 -> mem@10ff8=5,6,7,8,9
s_store_dword "s_store_dword s4, s[0:1], 0x0" : s0=0,5 s4=77 mem@10000=1 -> stop=fatal trapsts=10000100 pc=0
s_buffer_store_dword "s_buffer_store_dword s4, s[8:11], 0x4" : s4=77 s8=10000,1,8,27000 mem@10000=1,2,3 -> mem@10000=1,77,3
s_buffer_store_dword "s_buffer_store_dword s4, s[8:11], 0x8" : s4=77 s8=10000,1,8,27000 mem@10000=1,2,3 -> mem@10000=1,2,3
s_buffer_store_dwordx2 "s_buffer_store_dwordx2 s[4:5], s[8:11], 0x0" : s4=77,88 s8=10000,40001,8,27000 mem@10000=1,2,3 -> mem@10000=77,88,3
s_buffer_store_dwordx4 "s_buffer_store_dwordx4 s[4:7], s[8:11], 0x4" : s4=77,88,99,aa s8=10000,40001,c,27000 mem@10000=1,2,3,4,5 -> mem@10000=1,77,88,4,5
s_buffer_load_b128 "s_buffer_load_dwordx4 s[4:7], s[8:11], 0x4" : s8=10000,40001,c,27000 mem@10000=1,2,3,4,5 -> s4=2,3,0,0
s_atomic_add "s_atomic_add s4, s[0:1], 0x4 glc" : s0=10000,1 s4=3 mem@10000=1,2 -> mem@10000=1,5 s4=2
s_atomic_add "s_atomic_add s4, s[0:1], 0x4" : s0=10000,1 s4=3 mem@10000=1,2 -> mem@10000=1,5
s_atomic_cmpswap "s_atomic_cmpswap s[4:5], s[0:1], 0x0 glc" : s0=10000,1 s4=9,1 mem@10000=1,2 -> mem@10000=9,2 s4=1
s_atomic_cmpswap "s_atomic_cmpswap s[4:5], s[0:1], 0x0 glc" : s0=10000,1 s4=9,5 mem@10000=1,2 -> s4=1
s_atomic_cmpswap_x2 "s_atomic_cmpswap_x2 s[4:7], s[0:1], 0x8 glc" : s0=10000,1 s4=9,8,3,4 mem@10000=1,2,3,4 -> mem@10000=1,2,9,8 s4=3,4
s_atomic_sub_x2 "s_atomic_sub_x2 s[4:5], s[0:1], 0x0" : s0=10000,1 s4=1,0 mem@10000=0,2 -> mem@10000=ffffffff,1
s_atomic_smin "s_atomic_smin s4, s[0:1], 0x0 glc" : s0=10000,1 s4=ffffffff mem@10000=1,2 -> mem@10000=ffffffff,2 s4=1
s_atomic_umin "s_atomic_umin s4, s[0:1], 0x0 glc" : s0=10000,1 s4=ffffffff mem@10000=1,2 -> s4=1
s_atomic_inc "s_atomic_inc s4, s[0:1], 0x0" : s0=10000,1 s4=5 mem@10000=5,2 -> mem@10000=0,2
s_buffer_atomic_or "s_buffer_atomic_or s4, s[8:11], 0x4 glc" : s4=70 s8=10000,1,8,27000 mem@10000=1,2,3 -> mem@10000=1,72,3 s4=2
s_buffer_atomic_swap_x2 "s_buffer_atomic_swap_x2 s[4:5], s[8:11], 0x8 glc" : s4=70,71 s8=10000,1,8,27000 mem@10000=1,2,3,4 -> s4=0,0
s_memtime "s_memtime s[4:5]" : -> s4=fff12345,0
s_memrealtime "s_memrealtime s[4:5]" : -> s4=56789abc,1234
s_getreg_b32 "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)" : -> s0=c
s_getreg_b32 "s_getreg_b32 s0, hwreg(HW_REG_STATUS)" : w64 scc=1 vcc=0 -> s0=10401
s_getreg_b32 "s_getreg_b32 s0, hwreg(HW_REG_STATUS, 28, 1)" : scratch=1000 -> s0=1
s_getreg_b32 "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)" : trapsts=10110005 -> s0=12400005
s_getreg_b32 "s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES)" : -> s0=10002
s_getreg_b32 "s_getreg_b32 s0, hwreg(18)" : -> s0=1000100
s_getreg_b32 "s_getreg_b32 s0, hwreg(17)" : -> s0=0
s_getreg_b32 "s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)" : -> s0=0
s_setreg_b32 "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0" : s0=ffffffff -> mode=3cf
s_setreg_imm32_b32 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1" : ->
s_setreg_imm32_b32 "s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 0, 1), 1" : priv scc=0 -> scc=1
s_setreg_imm32_b32 "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 22, 1), 1" : priv -> trapsts=10000
s_setreg_imm32_b32 "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 22, 1), 0" : priv trapsts=10001 -> trapsts=1
s_sendmsg "s_sendmsg sendmsg(MSG_GET_DOORBELL)" : exec=ff00000080000000 -> exec=ff00000000000000
s_set_gpr_idx_on "s_set_gpr_idx_on s4, gpr_idx(SRC0); v_mov_b32_e32 v20, v2; s_set_gpr_idx_off" : s4=103 m0=ffffffff v5=1,2,3 -> v20=1,2,3 m0=ffff1f03
s_set_gpr_idx_on "s_set_gpr_idx_on s4, gpr_idx(DST); v_mov_b32_e32 v2, v6; v_mov_b32_e32 v3, v6; s_set_gpr_idx_off; v_mov_b32_e32 v2, v6" : s4=12 m0=0 exec=5 v6=1,2,3 v20=7,8,9 -> v20=1,8,3 v21=1,a5001501,3 v2=1,a5000201,3 m0=8012
s_set_gpr_idx_on "s_set_gpr_idx_on s4, gpr_idx(); s_set_gpr_idx_mode gpr_idx(SRC0,SRC1); v_sub_u32_e32 v20, v2, v3; s_set_gpr_idx_off" : s4=1 m0=0 v3=9,8 v4=2,3 -> v20=7,5 m0=3001
s_set_gpr_idx_on "s_set_gpr_idx_on s4, gpr_idx(SRC0,DST); s_set_gpr_idx_idx s5; s_add_u32 s6, s4, s5; v_mov_b64_e32 v[10:11], v[2:3]; s_set_gpr_idx_off" : s4=1 s5=ffffff02 m0=50000 v4=1,2 v5=3,4 -> v12=1,2 v13=3,4 s6=ffffff03 scc=0 m0=59002
s_set_gpr_idx_on "s_set_gpr_idx_on s4, gpr_idx(SRC0,DST); v_mov_b32_e32 v30, v2; s_set_gpr_idx_mode gpr_idx(SRC0); v_mov_b32_e32 v20, v2; s_set_gpr_idx_off" : s4=ff m0=0 v0=1,2 -> v20=1,2 m0=10ff
s_set_gpr_idx_on "s_set_gpr_idx_on s4, gpr_idx(DST); v_fmac_f32_e32 v2, v6, v7; s_set_gpr_idx_off" : s4=1 m0=0 v2=0 v3=3f800000 v6=40000000 v7=40000000 -> v3=40a00000 m0=8001
s_set_gpr_idx_mode "s_set_gpr_idx_mode gpr_idx(SRC0,SRC1)" : m0=ffff0fff -> m0=ffff3fff
s_set_gpr_idx_idx "s_set_gpr_idx_idx s5" : s5=12345678 m0=ffff0fff -> m0=ffff0f78
s_set_gpr_idx_off "s_set_gpr_idx_off; v_mov_b32_e32 v20, v2" : m0=f001 v2=5 -> v20=5
buffer_load_b32 "buffer_load_dword v5, v0, s[8:11], 0 offen" : s8=10000,1,10,27000 mem@10000=1,2,3,4,5 v0=0,4,c,10 -> v5=1,2,4,0
buffer_load_b32 "buffer_load_dword v5, v0, s[8:11], s4 offen" : s4=4 s8=10000,1,10,27000 mem@10000=1,2,3,4,5 v0=0,4,8,c -> v5=2,3,4,0
buffer_load_b32 "buffer_load_dword v5, v0, s[8:11], 0 offen" : s8=10000,80001,8,27000 mem@10000=1,2,3,4,5 v0=0,4,8,1 -> v5=1,2,0,2000000
buffer_load_b32 "buffer_load_dword v5, v0, s[8:11], 0 idxen offset:4" : s8=10000,80001,2,27000 mem@10000=1,2,3,4,5,6 v0=0,1,2 -> v5=2,4,0
buffer_load_b64 "buffer_load_dwordx2 a[4:5], v0, s[8:11], 0 offen" : s8=10000,1,c,27000 mem@10000=1,2,3,4 v0=0,8 -> a4=1,3 a5=2,0
buffer_load_b32 "buffer_load_dword v5, v[0:1], s[8:11], 0 idxen offen" : s8=10000,80080001,9,27000 mem@10000=1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11 v0=0,1,7,8,9 v1=4,4,0,0,0 -> v5=9,a,8,11,0
buffer_load_b32 "buffer_load_dword v5, off, s[8:11], 0" : s8=10000,40001,c,800000 mem@10000=1,2,3,4 v5=9,9,9,9 -> v5=1,2,3,0
buffer_store_b32 "buffer_store_dword a1, v0, s[8:11], 0 offen" : s8=10000,1,8,27000 mem@10000=1,2,3 v0=4,8 a1=7,8 -> mem@10000=1,7,3
buffer_store_b128 "buffer_store_dwordx4 v[4:7], off, s[8:11], 0" : s8=10000,1,8,27000 exec=1 mem@10000=1,2,3 v4=7 v5=8 v6=9 v7=a -> mem@10000=7,8,3
buffer_atomic_add_f64 "buffer_atomic_add_f64 v[4:5], v0, s[8:11], 0 offen sc0" : s8=10000,1,8,27000 mem@10000=0,3ff00000 v0=0 v4=0 v5=40000000 -> mem@10000=0,40080000 v4=0 v5=3ff00000
buffer_atomic_min_f64 "buffer_atomic_min_f64 v[4:5], off, s[8:11], 0" : exec=1 s8=10000,1,8,27000 mem@10000=0,3ff00000 v4=0 v5=c0000000 -> mem@10000=0,c0000000
buffer_atomic_max_f64 "buffer_atomic_max_f64 v[4:5], off, s[8:11], 0" : exec=1 s8=10000,1,8,27000 mem@10000=0,3ff00000 v4=0 v5=c0000000 ->
buffer_atomic_pk_add_f16 "buffer_atomic_pk_add_f16 v4, v0, s[8:11], 0 offen sc0" : s8=10000,1,8,27000 mem@10000=3c004000,0 v0=0,8 v4=3c003c00,1 -> mem@10000=40004200,0 v4=3c004000,0
tbuffer_load_format_x "tbuffer_load_format_x v5, v0, s[8:11], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] offen" : s8=10000,1,8,0 mem@10000=fe020180,1 v0=0,3,8 -> v5=80,fe,0
tbuffer_load_format_xyzw "tbuffer_load_format_xyzw v[6:9], v0, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen" : s8=10000,1,8,0 mem@10000=ff00ff00,ff v0=0,4 -> v6=0,3f800000 v7=3f800000,0 v8=0,0 v9=3f800000,0
tbuffer_load_format_xy "tbuffer_load_format_xy v[6:7], v0, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT] offen" : s8=10000,1,8,0 mem@10000=8000fffe,ff v0=0 -> v6=fffffffe v7=ffff8000
tbuffer_load_format_xyz "tbuffer_load_format_xyz v[6:8], v0, s[8:11], 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offen" : s8=10000,1,20,0 mem@10000=1,2,3,4 v0=0 -> v6=1 v7=2 v8=3
tbuffer_store_format_x "tbuffer_store_format_x v5, v0, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT] offen" : s8=10000,1,8,0 mem@10000=11111111,1 v0=2 v5=1234 -> mem@10000=12341111,1
buffer_load_format_xy "buffer_load_format_xy v[6:7], v0, s[8:11], 0 idxen" : s8=10000,40001,2,2cfac mem@10000=20001,40003,60005 v0=0,1,2 -> v6=1,3,0 v7=2,4,0
buffer_store_format_x "buffer_store_format_x v5, v0, s[8:11], 0 idxen" : s8=10000,10001,4,ccac mem@10000=11111111 v0=2 v5=23 -> mem@10000=11231111
buffer_load_lds_b32 "buffer_load_dword v0, s[8:11], 0 offen lds" : s8=10000,1,8,27000 lds=100 m0=10 mem@10000=1,2,3 lds@10=0,0,0,7 v0=4,0,8 -> lds@10=2,1,0,7
global_atomic_pk_add_f16 "global_atomic_pk_add_f16 v4, v0, v2, s[0:1] sc0" : s0=10000,1 mem@10000=3c004000,7bff0001 v0=0,4 v2=3c003c00,7bff0001 -> mem@10000=40004200,7c000002 v4=3c004000,7bff0001
global_atomic_pk_add_bf16 "global_atomic_pk_add_bf16 v4, v0, v2, s[0:1] sc0" : s0=10000,1 mem@10000=3f804000,7f000001 v0=0,4 v2=3f803f80,7f000001 -> mem@10000=40004040,7f800002 v4=3f804000,7f000001
flat_atomic_pk_add_f16 "flat_atomic_pk_add_f16 v[0:1], v2" : mem@10000=3c004000 v0=10000 v1=1 v2=3c003c00 -> mem@10000=40004200
flat_atomic_pk_add_bf16 "flat_atomic_pk_add_bf16 v[0:1], v2" : mem@10000=3f804000 v0=10000 v1=1 v2=3f803f80 -> mem@10000=40004040
ds_pk_add_f16 "ds_pk_add_f16 v0, v1" : lds=100 lds@0=3c004000 v0=0,0 v1=3c003c00,3c003c00 -> lds@0=42004400
ds_pk_add_rtn_f16 "ds_pk_add_rtn_f16 v3, v0, v1" : lds=100 lds@0=3c004000 v0=0 v1=3c003c00 -> lds@0=40004200 v3=3c004000
ds_pk_add_bf16 "ds_pk_add_bf16 v0, v1" : lds=100 lds@0=3f804000 v0=0 v1=3f803f80 -> lds@0=40004040
ds_pk_add_rtn_bf16 "ds_pk_add_rtn_bf16 v3, v0, v1" : lds=100 lds@0=3f804000 v0=0 v1=3f803f80 -> lds@0=40004040 v3=3f804000
s_load_b32 "s_load_dword s4, s[0:1], s6 offset:0x4" : s0=10000,1 s6=8 mem@10000=1,2,3,4 -> s4=4
scratch_store_b32 "scratch_store_dword off, a1, off offset:4; scratch_load_dword v5, off, off offset:4" : scratch=1000 mem@20100=0,0 a1=7,8 -> v5=7,8 mem@20100=7,8
'''


def assemble(lines):
    p = subprocess.run(['llvm-mc-19', '-arch=amdgcn', '-mcpu=gfx942', '-show-encoding'], input='\n'.join(lines) + '\n', capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr)
    enc = re.findall(r'^\s*(\S.*?)\s*(?://|;) encoding: \[([^\]]*)\]', p.stdout, re.M)
    assert len(enc) == len(lines), (len(enc), len(lines))
    return enc


for line in HAND.strip().split('\n'):
    m = re.match(r'(\S+) "([^"]*)" : (.*?) ?-> ?(.*)$', line)
    rows.append((m[1], m[2], m[3], m[4]))
enc = iter(assemble([t for r in rows for t in r[1].split('; ')]))
print('# Made by make-gfx942-vec.py; the form is that of exec.vec. Waves have 64 lanes.')
for name, text, ins, outs in rows:
    parts = [next(enc) for _ in text.split('; ')]
    by_ = [int(x, 16) for _, b in parts for x in b.split(',')]
    words = ' '.join('%08x' % int.from_bytes(by_[i:i + 4], 'little') for i in range(0, len(by_), 4))
    print(f'{name} "{"; ".join(a for a, _ in parts)}" {words} : {ins} -> {outs}')
