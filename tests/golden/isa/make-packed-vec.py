#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the golden vectors of f16, bf16 and f64 in all float modes, of packed and mixed arithmetic, dot
products, matrices and interpolation: exec-packed.vec.

The numbers come from the model of make-exec-vec.py (exact rational arithmetic), with MODE's rounding and
denormal fields added; the hand-written ones are examples from the sources of the rules (doc/rules.md). Words come from
llvm-mc-19, except where it does not know an instruction.

    make-packed-vec.py > exec-packed.vec        (from the root of the tree)
"""
import os, re, random, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The model without what it writes.
exec(open(os.path.join(HERE, 'make-exec-vec.py')).read().split('# ---- operands ----')[0])

rng = random.Random(77)
NL = 10


class Mode:
    """MODE, and the formats as it makes them."""
    ROUND = ('rne', 'up', 'down', 'zero')

    def __init__(self, round32=0, round16=0, denorm32=0, denorm16=3, clamp_nan=1, ieee=1, ovfl=0):
        self.bits = round32 | round16 << 2 | denorm32 << 4 | denorm16 << 6 | clamp_nan << 8 | ieee << 9 | ovfl << 23
        self.ieee, self.dx10 = ieee, clamp_nan
        self.f32 = Modal(8, 23, self.ROUND[round32], denorm32, 0)
        self.f16 = Modal(5, 10, self.ROUND[round16], denorm16, ovfl)
        self.f64 = Modal(11, 52, self.ROUND[round16], denorm16, 0)
        self.bf16 = Modal(8, 7, self.ROUND[round16], denorm16, 0)
        for f in (self.f32, self.f16, self.f64, self.bf16):
            f.ieee = ieee

    def text(self):
        return [] if self.bits == 0x3c0 else ['mode=%x' % self.bits]


class Modal(Fmt):
    def __init__(self, e, m, round, denorm, ovfl):
        super().__init__(e, m, not denorm & 1)
        self.round, self.flush_out, self.ovfl = round, not denorm & 2, ovfl

    def enc(self, v, negzero=False, mode=None):
        mode = mode or self.round
        if v == 0:
            return self.sign if negzero == 1 or (negzero == 'sum' and mode == 'down') else 0
        keep, self.flush = self.flush, self.flush_out
        r = super().enc(v, negzero, mode)
        self.flush = keep
        if self.ovfl and self.mag(r) == self.inf:
            r -= 1
        return r

    def zero_sum(self, *signs):
        """The sign of a sum that is 0: that of all addends, or what the mode says."""
        return 1 if all(signs) else 0 if not any(signs) else 'sum'

    def add(self, a, b):
        if self.isnan(a) or self.isnan(b) or self.isinf(a) or self.isinf(b): return super().add(a, b)
        both_zero = self.iszero(a) and self.iszero(b)
        return self.enc(self.val(a) + self.val(b), self.zero_sum(self.neg(a), self.neg(b)) if both_zero else 'sum')

    def fma(self, a, b, c):
        if any(self.isnan(x) or self.isinf(x) for x in (a, b, c)): return super().fma(a, b, c)
        s = self.neg(a) != self.neg(b)
        both_zero = (self.iszero(a) or self.iszero(b)) and self.iszero(c)
        return self.enc(self.val(a) * self.val(b) + self.val(c), self.zero_sum(s, self.neg(c)) if both_zero else 'sum')

    def minmax(self, a, b, mx):
        if self.ieee: return super().minmax(a, b, mx)
        a, b = self.fin(a), self.fin(b)
        if self.isnan(a): return b
        if self.isnan(b): return a
        return max(a, b, key=self.order) if mx else min(a, b, key=self.order)

    def clamp(self, r, dx10):
        if r == 'nan' or self.isnan(r): return 0 if dx10 else 'nan'
        one = self.bias << self.m
        return 0 if self.neg(r) else min(r, one)


USUAL = Mode()
MODES = [Mode(round16=r, round32=r2, denorm16=d, denorm32=d2, ieee=i, ovfl=o)
         for r, r2, d, d2, i, o in ((1, 0, 3, 0, 1, 0), (2, 1, 0, 3, 1, 0), (3, 2, 1, 0, 0, 0), (0, 3, 2, 3, 1, 1), (1, 1, 0, 0, 0, 1),
                                    (0, 0, 0, 3, 1, 0))]
POOL = {
    'f32': [0x3f800000, 0xc0490fdb, 0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x40200000, 0xbf000000, 0x477ff000, 0x33000001],
    'f16': [0x3c00, 0xc248, 0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 1, 0x83ff, 0x0400, 0x7bff, 0x4100, 0xb800, 0x3800, 0x5640, 0x2e66, 0xcd00, 0x1400, 0x9001, 0x3c01],
    'bf16': [0x3f80, 0xc049, 0, 0x8000, 0x7f80, 0xff80, 0x7fc1, 1, 0x807f, 0x0080, 0x7f7f, 0x4020, 0xbf00, 0x3f81, 0x3b80],
    'f64': [0x3ff0000000000000, 0xc00921fb54442d18, 0, 1 << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 1, 0x800fffffffffffff,
            0x0010000000000000, 0x7fefffffffffffff, 0x4004000000000000, 0xbfe0000000000000, 0x3ca0000000000000, 0x3810000000000001, 0x47efffffffffffff],
    'u16': [0, 1, 0xffff, 0x8000, 0x7fff, 0x1234, 0xbeef, 15, 16, 0xff],
}
BITS = {'f32': 32, 'f16': 16, 'bf16': 16, 'f64': 64, 'u16': 16, 'u32': 32}


def pick(kind, m=USUAL):
    if kind == 'u32': return rng.choice([0, 1, M32, 0x80000000, 0x7fffffff, rng.getrandbits(32)])
    if rng.random() < 0.4 or kind == 'u16':
        return rng.choice(POOL[kind]) if rng.random() < 0.6 or kind != 'u16' else rng.getrandbits(16)
    f = getattr(m, kind)
    e = f.bias + rng.randint(-3, 3) if rng.random() < 0.8 else rng.randrange(0, (1 << f.e) - 1)
    return rng.getrandbits(1) << f.bits - 1 | e << f.m | rng.getrandbits(f.m)


rows = []  # (name, text, 'w64' or ('op_sel', bits) or None, ins, outs)


def emit(name, text, ins, outs, words=None): rows.append((name, text, words, ' '.join(ins), ' '.join(outs)))
def lanes(reg, vs): return 'v%d=' % reg + ','.join(v if isinstance(v, str) else '%x' % v for v in vs)


# ---- one 16-bit or 64-bit result, in modes, with clamp and omod ----
def expect16(old, r, high):
    if r == 'nan': return None
    return (old & 0xffff) | r << 16 if high else (old & 0xffff0000) | r


ARITH = {'add': 2, 'mul': 2, 'fma': 3, 'min': 2, 'max': 2, 'sub': 2}


def compute(f, op, a):
    if op == 'sub': return f.add(a[0], f.negate(a[1]))
    if op in ('min', 'max'): return f.minmax(a[0], a[1], op == 'max')
    return getattr(f, op)(*a)


def omod(f, r, how, m):
    if not how or r == 'nan' or m.ieee or not f.flush_out: return r
    if f.isinf(r) or f.iszero(r): return r
    return f.enc(f.val(r) * (Q(2), Q(4), Q(1, 2))[how - 1])


OMOD = ('', ' mul:2', ' mul:4', ' div:2')
for kind in ('f16', 'f64'):
    for op, n in ARITH.items():
        if op == 'sub' and kind == 'f64': continue
        for i, m in enumerate([USUAL] + MODES):
            f = getattr(m, kind)
            cl, om = i % 3 == 1, (0, 0, 0, 2, 0, 3, 1)[i]
            if om and m.ieee: om = 0
            sel = [rng.getrandbits(1) for _ in range(n + 1)] if kind == 'f16' else [0] * (n + 1)
            ins, vals, asm = [], [], []
            for k in range(n):
                v = [pick(kind, m) for _ in range(NL)]
                ab, ng = rng.random() < .3, rng.random() < .3
                reg = 2 + 4 * k
                if kind == 'f16':
                    other = [rng.getrandbits(16) for _ in v]
                    ins.append(lanes(reg, [(x << 16 | o if sel[k] else o << 16 | x) for x, o in zip(v, other)]))
                else:
                    ins += [lanes(reg, [x & M32 for x in v]), lanes(reg + 1, [x >> 32 for x in v])]
                s = 'v%d' % reg if kind == 'f16' else 'v[%d:%d]' % (reg, reg + 1)
                if ab: v = [x & ~f.sign for x in v]; s = '|%s|' % s
                if ng: v = [x ^ f.sign for x in v]; s = '-' + s
                vals.append(v); asm.append(s)
            res = []
            for l in range(NL):
                r = omod(f, compute(f, op, [v[l] for v in vals]), om, m)
                if r != 'nan' and f.isnan(r) and op not in ('min', 'max'): r = 'nan'
                if cl: r = f.clamp(r, m.dx10)
                res.append(r)
            dst = 'v20' if kind == 'f16' else 'v[20:21]'
            text = f'v_{op}_{kind}_e64 {dst}, ' + ', '.join(asm)
            if op == 'fma': text = text.replace('_e64', '')
            if kind == 'f64': text = text.replace('_e64', '')
            if any(sel) and op == 'fma': text += ' op_sel:[' + ','.join(map(str, sel)) + ']'
            text += (' clamp' if cl else '') + OMOD[om]
            # LLVM 19 does not write op_sel of these: put into the words.
            patch = ('op_sel', sum(b << (3 if k == n else k) for k, b in enumerate(sel))) if op != 'fma' and kind == 'f16' else None
            if kind == 'f16':
                old = [0xdead0000 | 0xbeef for _ in range(NL)]
                ins.append(lanes(20, old))
                if 'nan' in res:  # a lane without: the harness knows NaN in low halves only
                    out = [('?' if r == 'nan' else expect16(o, r, sel[n])) for o, r in zip(old, res)]
                    if not sel[n]: out = ['h16:nan' if r == 'nan' else x for x, r in zip(out, res)]
                else:
                    out = [expect16(o, r, sel[n]) for o, r in zip(old, res)]
                outs = [lanes(20, out)]
            else:
                outs = [lanes(20, ['?' if r == 'nan' else r & M32 for r in res]), lanes(21, ['nan64' if r == 'nan' else r >> 32 for r in res])]
            emit(f'v_{op}_{kind}', text, ins + m.text(), outs, patch)

# ---- conversions in modes ----
for frm, to, name in (('f32', 'f16', 'v_cvt_f16_f32'), ('f64', 'f32', 'v_cvt_f32_f64'), ('f16', 'f32', 'v_cvt_f32_f16'), ('f32', 'f64', 'v_cvt_f64_f32')):
    for m in [USUAL] + MODES:
        src, dst = getattr(m, frm), getattr(m, to)
        v = []
        for _ in range(NL):
            x = pick(frm, m)
            if rng.random() < .5 and not src.isnan(x) and not src.isinf(x):  # near what the other format can hold
                e = min(max(dst.bias and 1 - dst.bias + rng.choice((-12, -1, 0, 1, 5, 2 * dst.bias - 2)), 1 - src.bias), src.bias)
                x = x & (src.sign | (1 << src.m) - 1) | (e + src.bias) << src.m
            v.append(x)
        def conv(x):
            if src.isnan(x): return 'nan'
            if src.isinf(x): return dst.inf | (dst.sign if src.neg(x) else 0)
            return dst.enc(src.val(x), 1 if src.neg(x) else 0)
        res = [conv(x) for x in v]
        ins = [lanes(2, [x & M32 for x in v])] + ([lanes(3, [x >> 32 for x in v])] if frm == 'f64' else [])
        if to == 'f16': ins.append(lanes(20, [0xdead0000] * NL)); outs = [lanes(20, ['h16:nan' if r == 'nan' else 0xdead0000 | r for r in res])]
        elif to == 'f32': outs = [lanes(20, res)]
        else: outs = [lanes(20, ['?' if r == 'nan' else r & M32 for r in res]), lanes(21, ['nan64' if r == 'nan' else r >> 32 for r in res])]
        emit(name, f"{name}_e32 {'v[20:21]' if to == 'f64' else 'v20'}, {'v[2:3]' if frm == 'f64' else 'v2'}", ins + m.text(), outs)

# ---- packed ----
def s16(v): return sx(v, 16)
def int_op(op, signed, clamp, a):
    k = s16 if signed else (lambda v: v)
    x = [k(v) for v in a]
    r = {'mad': lambda: x[0] * x[1] + x[2], 'mul_lo': lambda: x[0] * x[1], 'add': lambda: x[0] + x[1], 'sub': lambda: x[0] - x[1],
         'lshlrev': lambda: a[1] << (a[0] & 15), 'lshrrev': lambda: a[1] >> (a[0] & 15), 'ashrrev': lambda: s16(a[1]) >> (a[0] & 15),
         'max': lambda: max(x[0], x[1]), 'min': lambda: min(x[0], x[1])}[op]()
    if clamp: r = sat(r, -0x8000, 0x7fff) if signed else sat(r, 0, 0xffff)
    return r & 0xffff


def packed(name, n, kind, fn, m, has_clamp, default, reads_dst=False):
    sel = [(0, 1)] * n if default else [(rng.getrandbits(1), rng.getrandbits(1)) for _ in range(n)]
    neg = [(0, 0)] * n if default or kind != 'f16' else [(rng.getrandbits(1), rng.getrandbits(1)) for _ in range(n)]
    cl = has_clamp and not default and rng.random() < .5
    f = getattr(m, kind) if kind == 'f16' else None
    regs = [[pick(kind, m) | pick(kind, m) << 16 for _ in range(NL)] for _ in range(n)]
    ins, res = [], []
    for k in range(n):
        ins.append(lanes(20 if reads_dst and k == n - 1 else 2 + 4 * k, regs[k]))
    for l in range(NL):
        halves = []
        for h in (0, 1):
            a = [hw(regs[k][l], sel[k][h]) ^ (0x8000 if neg[k][h] else 0) for k in range(n)]
            r = fn(a, cl)
            if f is not None and r != 'nan' and f.isnan(r) and 'm' not in name[5:7]: r = 'nan'
            if f is not None and cl: r = f.clamp(r, m.dx10)
            halves.append(r)
        if halves[1] == 'nan': res.append('?')
        elif halves[0] == 'nan': res.append('h16:nan')
        else: res.append(pk(*halves))
    text = f'{name} v20, ' + ', '.join('v%d' % (2 + 4 * k) for k in range(n - reads_dst))
    def flag(word, bits, usual): return '' if bits == [usual] * n else f' {word}:[' + ','.join(map(str, bits)) + ']'
    text += flag('op_sel', [s[0] for s in sel], 0) + flag('op_sel_hi', [s[1] for s in sel], 1)
    text += flag('neg_lo', [s[0] for s in neg], 0) + flag('neg_hi', [s[1] for s in neg], 0) + (' clamp' if cl else '')
    emit(name, text, ins + m.text(), [lanes(20, res)])


for op, t, n in (('mad', 'i16', 3), ('mul_lo', 'u16', 2), ('add', 'i16', 2), ('sub', 'i16', 2), ('lshlrev', 'b16', 2), ('lshrrev', 'b16', 2),
                 ('ashrrev', 'i16', 2), ('max', 'i16', 2), ('min', 'i16', 2), ('mad', 'u16', 3), ('add', 'u16', 2), ('sub', 'u16', 2),
                 ('max', 'u16', 2), ('min', 'u16', 2)):
    for rep in range(4):
        clampable = op in ('mad', 'add', 'sub')
        packed(f'v_pk_{op}_{t}', n, 'u16', lambda a, cl: int_op(op, t == 'i16', cl, a), USUAL, clampable, rep == 0)
for op, n in (('fma', 3), ('add', 2), ('mul', 2), ('min', 2), ('max', 2)):
    for i, m in enumerate([USUAL, USUAL, USUAL] + MODES):
        packed(f'v_pk_{op}_f16', n, 'f16', lambda a, cl: compute(m.f16, op, a), m, True, i == 0 or i == 3)
for m in (USUAL, MODES[0], MODES[1]):
    packed('v_pk_fmac_f16', 3, 'f16', lambda a, cl: m.f16.fma(*a), m, False, True, reads_dst=True)

# ---- mixed ----
for name in ('v_fma_mix_f32', 'v_fma_mixlo_f16', 'v_fma_mixhi_f16'):
    for i, m in enumerate([USUAL, USUAL, USUAL, USUAL] + MODES):
        half = [rng.getrandbits(1) if i else 1 for _ in range(3)]
        sel = [rng.getrandbits(1) & half[k] if i else 0 for k in range(3)]
        ab, ng = [i and rng.random() < .3 for _ in range(3)], [i and rng.random() < .3 for _ in range(3)]
        cl = i % 3 == 2
        regs, srcs = [], []
        for k in range(3):
            v = [(pick('f16', m) << 16 | pick('f16', m)) if half[k] else pick('f32', m) for _ in range(NL)]
            if not half[k]: v = [x if m.f32.isnan(x) or rng.random() < .5 else x & 0x807fffff | (120 + rng.randrange(16)) << 23 for x in v]
            regs.append(v)
            def widen(x):
                if half[k]:
                    h = hw(x, sel[k])
                    x = 0x7fc00000 if F16.isnan(h) else (0x7f800000 if F16.isinf(h) else FULL.enc(m.f16.val(h))) & 0x7fffffff | (h >> 15) << 31
                if ab[k]: x &= 0x7fffffff
                return x ^ 0x80000000 if ng[k] else x
            FULL = Modal(8, 23, 'rne', 3, 0)
            srcs.append([widen(x) for x in v])
        res = []
        for l in range(NL):
            r = m.f32.fma(*(s[l] for s in srcs))
            if name != 'v_fma_mix_f32' and r != 'nan':
                r = (m.f16.inf | (0x8000 if r >> 31 else 0)) if F32.isinf(r) else m.f16.enc(Modal(8, 23, 'rne', 3, 0).val(r), r >> 31)
            if cl: r = (m.f32 if name == 'v_fma_mix_f32' else m.f16).clamp(r, m.dx10)
            res.append(r)
        ops = []
        for k in range(3):
            s = 'v%d' % (2 + 4 * k)
            if ab[k]: s = '|%s|' % s
            ops.append('-' + s if ng[k] else s)
        text = f'{name} v20, ' + ', '.join(ops)
        if any(sel): text += ' op_sel:[' + ','.join(map(str, sel)) + ']'
        if any(half): text += ' op_sel_hi:[' + ','.join(map(str, half)) + ']'
        if cl: text += ' clamp'
        ins = [lanes(2 + 4 * k, regs[k]) for k in range(3)]
        old = [0xdeadbeef] * NL
        if name != 'v_fma_mix_f32': ins.append(lanes(20, old))
        if name == 'v_fma_mix_f32': out = res
        elif name == 'v_fma_mixlo_f16': out = ['h16:nan' if r == 'nan' else expect16(o, r, 0) for o, r in zip(old, res)]
        else: out = ['?' if r == 'nan' else expect16(o, r, 1) for o, r in zip(old, res)]
        emit(name, text, ins + m.text(), [lanes(20, out)])

# ---- dot products ----
def dot2(f, acc, a, b, c, widen):
    for x, y in ((hw(a, 0), hw(b, 0)), (hw(a, 1), hw(b, 1))):
        if c == 'nan' or acc.isnan(c): return 'nan'
        x, y = widen(x), widen(y)
        if acc.isnan(x) or acc.isnan(y): return 'nan'
        c = acc.fma(x, y, c)
    return 'nan' if c != 'nan' and acc.isnan(c) else c


def f16_in(m):
    full = Modal(8, 23, 'rne', 3, 0)
    def w(h):
        if F16.isnan(h): return 0x7fc00000
        return ((0x7f800000 if F16.isinf(h) else full.enc(m.f16.val(h))) & 0x7fffffff) | (h >> 15) << 31
    return w


for i, m in enumerate([USUAL, USUAL] + MODES):
    for name, k in (('v_dot2_f32_f16', 'f16'), ('v_dot2_f32_bf16', 'bf16'), ('v_dot2acc_f32_f16', 'f16'), ('v_dot2_f16_f16', 'f16'), ('v_dot2_bf16_bf16', 'bf16')):
        acc = m.f32 if 'f32' in name else getattr(m, k)
        a = [[pick(k, m) | pick(k, m) << 16 for _ in range(NL)] for _ in range(2)]
        c = [pick('f32' if 'f32' in name else k, m) for _ in range(NL)]
        widen = (lambda h: h) if 'f32' not in name else f16_in(m) if k == 'f16' else lambda h: h << 16
        vop3p = name in ('v_dot2_f32_f16', 'v_dot2_f32_bf16')
        ng = [(rng.getrandbits(1), rng.getrandbits(1)) if vop3p and i == 1 else (0, 0) for _ in range(2)]
        sel = [(rng.getrandbits(1), rng.getrandbits(1)) if vop3p and i == 1 else (0, 1) for _ in range(2)]
        def made(v, j): return pk(hw(v, sel[j][0]) ^ ng[j][0] << 15, hw(v, sel[j][1]) ^ ng[j][1] << 15)
        res = [dot2(None, acc, made(a[0][l], 0), made(a[1][l], 1), c[l], widen) for l in range(NL)]
        ins = [lanes(2, a[0]), lanes(6, a[1])]
        high = name in ('v_dot2_f16_f16', 'v_dot2_bf16_bf16') and i == 1
        if name == 'v_dot2acc_f32_f16': text = f'{name} v20, v2, v6'; ins.append(lanes(20, c))
        else:
            text = f'{name} v20, v2, v6, v10'
            ins.append(lanes(10, [x << 16 | 0x1234 for x in c] if high else c if 'f32' in name else [0x5a5a0000 | x for x in c]))
        if i == 1 and vop3p:
            text += ' op_sel:[%d,%d,0]' % (sel[0][0], sel[1][0]) + ' op_sel_hi:[%d,%d,1]' % (sel[0][1], sel[1][1])
            text = text.replace(' op_sel:[0,0,0]', '').replace(' op_sel_hi:[1,1,1]', '')
            text += ' neg_lo:[%d,%d,0]' % (ng[0][0], ng[1][0]) + ' neg_hi:[%d,%d,0]' % (ng[0][1], ng[1][1])
            text = text.replace(' neg_lo:[0,0,0]', '').replace(' neg_hi:[0,0,0]', '')
        if high: text += ' op_sel:[0,0,1,1]'
        if 'f32' in name: outs = [lanes(20, res)]
        else:
            ins.append(lanes(20, [0xdeadbeef] * NL))
            def want(r):
                if r == 'nan': return '?' if high or k == 'bf16' else 'h16:nan'
                return expect16(0xdeadbeef, r, high)
            outs = [lanes(20, [want(r) for r in res])]
        emit(name, text.replace('v_dot2_f16_f16 ', 'v_dot2_f16_f16 '), ins + m.text(), outs)


def dot_int(a, b, n, sa, sb):
    t = 0
    for i in range(32 // n):
        x, y = a >> n * i & (1 << n) - 1, b >> n * i & (1 << n) - 1
        t += (sx(x, n) if sa else x) * (sx(y, n) if sb else y)
    return t


for name, n in (('v_dot4_i32_iu8', 8), ('v_dot4_u32_u8', 8), ('v_dot8_i32_iu4', 4), ('v_dot8_u32_u4', 4)):
    for rep in range(8):
        signed = 'i32' in name
        ng = [rep & 1, rep >> 1 & 1] if signed else [0, 0]
        cl = rep >= 4
        a, b, c = ([pick('u32') for _ in range(NL)] for _ in range(3))
        res = []
        for l in range(NL):
            r = dot_int(a[l], b[l], n, *ng) + (sx(c[l], 32) if signed else c[l])
            if cl: r = sat(r, -2**31, 2**31 - 1) if signed else sat(r, 0, M32)
            res.append(r & M32)
        text = f'{name} v20, v2, v6, v10' + (' neg_lo:[%d,%d,0]' % tuple(ng) if any(ng) else '') + (' clamp' if cl else '')
        emit(name, text, [lanes(2, a), lanes(6, b), lanes(10, c)], [lanes(20, res)])


# ---- v_trig_preop_f64: 2/pi by another series than the table was made with ----
def pi_bits(n):  # Gauss-Legendre, in fixed point
    one = 1 << n
    a, b, t, p = one, math.isqrt(one * one // 2), one // 4, 1
    for _ in range(14):
        an = (a + b) // 2
        b = math.isqrt(a * b)
        t -= p * (a - an) ** 2 // one
        a, p = an, 2 * p
    return (a + b) ** 2 // (4 * t)


TWO_OVER_PI = (2 << 3200) // pi_bits(1600) >> 1600 - 1201  # 1201 bits
for rep in range(3):
    a = [pick('f64') for _ in range(NL)]
    a = [x if rep == 0 else x & (1 << 63 | (1 << 52) - 1) | rng.choice((0, 1, 1023, 1077, 1078, 1100, 1500, 1967, 1968, 2000, 2046, 2047)) << 52 for x in a]
    seg = [rng.choice((0, 1, 2, 3, 17, 20, 21, 31, 33, 0xffffffe4)) for _ in range(NL)]
    res = []
    for x, s in zip(a, seg):
        e = x >> 52 & 0x7ff
        shift = 53 * (s & 31) + max(0, e - 1077)
        bits = (TWO_OVER_PI << shift & (1 << 1201) - 1) >> 1148
        scale = -53 - shift + (128 if e >= 1968 else 0)
        res.append(F64.enc(Q(bits) * Q(2) ** scale))
    emit('v_trig_preop_f64', 'v_trig_preop_f64 v[20:21], v[2:3], v6', [lanes(2, [x & M32 for x in a]), lanes(3, [x >> 32 for x in a]), lanes(6, seg)],
         [lanes(20, [r & M32 for r in res]), lanes(21, [r >> 32 for r in res])])


# ---- division steps that end in denormals: one rounding ----
for m in (USUAL, MODES[0], MODES[2], MODES[3]):
    a, b, c = [], [], []
    for _ in range(NL):
        e = 1023 - rng.randrange(900, 960)
        a.append(rng.getrandbits(1) << 63 | e << 52 | rng.getrandbits(52)); b.append((1023 + rng.randrange(-3, 3)) << 52 | rng.getrandbits(52))
        c.append(rng.getrandbits(1) << 63 | (e - rng.randrange(40, 60)) << 52 | rng.getrandbits(52))
    f = m.f64
    res = [f.enc((f.val(x) * f.val(y) + f.val(z)) / 2**128, 'sum') for x, y, z in zip(a, b, c)]
    ins = []
    for k, v in enumerate((a, b, c)): ins += [lanes(2 + 4 * k, [x & M32 for x in v]), lanes(3 + 4 * k, [x >> 32 for x in v])]
    emit('v_div_fmas_f64', 'v_div_fmas_f64 v[20:21], v[2:3], v[6:7], v[10:11]', ins + ['vcc_lo=ffffffff'] + m.text(),
         [lanes(20, [r & M32 for r in res]), lanes(21, [r >> 32 for r in res])])


# ---- matrices: small numbers, exact in any order ----
def small(k):
    v = rng.randint(-4, 4)
    f = {'f16': F16, 'bf16': USUAL.bf16, 'f32': F32}[k]
    return f.enc(Q(v, 2)), Q(v, 2)


def matrix(name, ab, cd, wave, variant):
    nl = wave
    nk = {'f16': 2, 'bf16': 2, 'iu8': 4, 'iu4': 8}[ab]
    nreg = 16 // nk
    bits = 32 // nk
    A, B, ins = [], [], []
    sa, sb = variant & 1, variant >> 1 & 1
    neg = [[variant & 1, variant >> 1 & 1], [variant >> 1 & 1, variant & 1]] if ab in ('f16', 'bf16') else None
    for which, reg in ((0, 2), (1, 10)):
        mat = []
        words = [[0] * 16 for _ in range(nreg)]
        for line in range(16):
            r = []
            for k in range(16):
                if neg:
                    b, v = small(ab)
                    if neg[which][k & 1]: v = -v
                else:
                    b = rng.getrandbits(bits); v = sx(b, bits) if (sb if which else sa) else b
                words[k // nk][line] |= b << bits * (k % nk)
                r.append(v)
            mat.append(r)
        (B if which else A).extend(mat)
        ins += [lanes(reg + j, words[j]) for j in range(nreg)]
    high = variant & 1 if cd in ('f16', 'bf16') else 0
    cl = cd == 'i32' and variant >= 2
    nd = 256 // nl
    C, cregs = [], [[0] * nl for _ in range(nd)]
    for i in range(256):
        if cd == 'i32': w = rng.choice((0, 5, 0x7fffffff, 0x80000000, rng.getrandbits(32))); v = sx(w, 32)
        else:
            w, v = small(cd)
            if variant == 1: v = -v
            if variant == 2: v = abs(v)
            if high: w = w << 16 | 0x1357
            elif cd != 'f32': w |= 0x24680000
        cregs[i // nl][i % nl] = w
        C.append(v)
    imm = variant == 3
    if imm: C = [Q(2) if cd != 'i32' else 2] * 256
    out = [[0] * nl for _ in range(nd)]
    for i in range(256):
        v = C[i] + sum(A[i // 16][k] * B[i % 16][k] for k in range(16))
        if cd == 'i32': w = (sat(v, -2**31, 2**31 - 1) if cl else v) & M32
        elif cd == 'f32': w = F32.enc(v)
        else:
            f = F16 if cd == 'f16' else USUAL.bf16
            old = 0xa5000000 | (20 + i // nl) << 8 | i % nl
            w = expect16(old, f.enc(v), high)
        out[i // nl][i % nl] = w
    def rng_(r, n): return 'v[%d:%d]' % (r, r + n - 1)
    c_text = ('2.0' if cd != 'i32' else '2') if imm else rng_(40, nd)
    text = f'{name} {rng_(20, nd)}, {rng_(2, nreg)}, {rng_(10, nreg)}, {c_text}'
    if high: text += ' op_sel:[0,0,1]'
    if neg:
        lo = [neg[0][0], neg[1][0], int(variant == 1 and not imm)]; hi = [neg[0][1], neg[1][1], int(variant == 2 and not imm)]
        if any(lo): text += ' neg_lo:[%d,%d,%d]' % tuple(lo)
        if any(hi): text += ' neg_hi:[%d,%d,%d]' % tuple(hi)
    else:
        if sa or sb: text += ' neg_lo:[%d,%d,0]' % (sa, sb)
        if cl: text += ' clamp'
    if not imm: ins += [lanes(40 + j, cregs[j]) for j in range(nd)]
    pre = ['exec=%x' % rng.getrandbits(32)] + (['w64'] if wave == 64 else ['solo'])
    rows.append((name, text, 'w64' if wave == 64 else None, ' '.join(pre + ins), ' '.join(lanes(20 + j, out[j]) for j in range(nd))))


for name, ab, cd in (('v_wmma_f32_16x16x16_f16', 'f16', 'f32'), ('v_wmma_f32_16x16x16_bf16', 'bf16', 'f32'), ('v_wmma_f16_16x16x16_f16', 'f16', 'f16'),
                     ('v_wmma_bf16_16x16x16_bf16', 'bf16', 'bf16'), ('v_wmma_i32_16x16x16_iu8', 'iu8', 'i32'), ('v_wmma_i32_16x16x16_iu4', 'iu4', 'i32')):
    for variant in range(4):
        matrix(name, ab, cd, 32, variant)
        matrix(name, ab, cd, 64, variant)


# ---- interpolation ----
for name in ('v_interp_p10_f32', 'v_interp_p2_f32', 'v_interp_p10_f16_f32', 'v_interp_p2_f16_f32', 'v_interp_p10_rtz_f16_f32', 'v_interp_p2_rtz_f16_f32'):
    for m in (USUAL, MODES[0], MODES[3]):
        p10, half = 'p10' in name, 'f16_f32' in name
        n = 8
        h0, h2, hd = half, half and p10, half and not p10
        def num(h): return pick('f16') if h else F32.enc(Q(rng.randint(-1000, 1000), 64) * Q(10001, 10000))
        a, b, c = [num(h0) for _ in range(n)], [num(False) for _ in range(n)], [num(h2) for _ in range(n)]
        a = [x if not (h0 and (F16.isnan(x) or F16.isinf(x))) else 0x3c01 for x in a]; c = [x if not (h2 and (F16.isnan(x) or F16.isinf(x))) else 0x3c01 for x in c]
        w0, w2 = (f16_in(m) if h0 else lambda x: x), (f16_in(m) if h2 else lambda x: x)
        f = Modal(8, 23, 'zero', m.bits >> 4 & 3, 0) if 'rtz' in name and p10 else m.f32
        res = []
        for l in range(n):
            q = l & ~3
            r = f.fma(w0(a[q + (1 if p10 else 2)]), b[l], w2(c[q] if p10 else c[l]))
            if hd: r = m.f16.enc(Modal(8, 23, 'rne', 3, 0).val(r), r >> 31, 'zero' if 'rtz' in name else None)
            res.append(expect16(0xdeadbeef, r, 0) if hd else r)
        ins = [lanes(2, a), lanes(6, b), lanes(10, c)] + ([lanes(20, [0xdeadbeef] * n)] if hd else [])
        emit(name, f'{name} v20, v2, v6, v10 wait_exp:0', ins + m.text(), [lanes(20, res)])

# VOPD: LLVM knows one of the two dot products.
emit('v_dual_dot2acc_f32_f16', 'v_dual_dot2acc_f32_f16 v20, v2, v6 :: v_dual_mov_b32 v21, v3',
     [lanes(2, [0x40003c00, 0x3c003c00]), lanes(6, [0x44004200, 0x3c003c00]), lanes(20, [0x41200000, 0x40a00000]), lanes(3, [7, 8])],
     [lanes(20, [0x41a80000, 0x40e00000]), lanes(21, [7, 8])])

HAND = '''
# The examples from the sources of the rules that the model did not make
v_pk_add_f16 "v_pk_add_f16 v20, v2, 1.0" : v2=3c003c00 -> v20=3c004000
v_pk_mul_f16 "v_pk_mul_f16 v20, v2, 2.0" : v2=44004200 -> v20=4600
v_pk_add_u16 "v_pk_add_u16 v20, v2, 2.0" : v2=30005 -> v20=40030005
v_pk_add_u16 "v_pk_add_u16 v20, 0x2000, v2 op_sel_hi:[0,1]" : v2=1c001c00 -> v20=3c003c00
v_pk_add_u16 "v_pk_add_u16 v20, v2, s4" : v2=30005 s4=10002 solo -> v20=40007
v_pk_add_f16 "v_pk_add_f16 v20, v2, v6" : exec=5 v2=3c003c00,3c003c00,3c003c00,3c003c00 v6=3c004000,3c004000,3c004000,3c004000 v20=1,2,3,4 -> v20=40004200,2,40004200,4
v_fma_mix_f32 "v_fma_mix_f32 v20, 0, 1.0, |v2| op_sel_hi:[0,0,1]" : v2=1234bc00 -> v20=3f800000
v_fma_mix_f32 "v_fma_mix_f32 v20, v2, 1.0, 0 op_sel_hi:[1,1,0]" : v2=12344200 -> v20=40400000
v_fma_mixlo_f16 "v_fma_mixlo_f16 v20, v2, 1.0, 0" : v2=40400000 v20=dead0000 -> v20=dead4200
v_dot2_f32_f16 "v_dot2_f32_f16 v20, v2, v6, 0" : v2=40003c00 v6=44004200 -> v20=41300000
v_dot2_f32_f16 "v_dot2_f32_f16 v20, v2, v2, v6" : v2=3c003c00 v6=40a00000 -> v20=40e00000
v_dot2_f32_bf16 "v_dot2_f32_bf16 v20, v2, v6, 0" : v2=3f803f80 v6=40003f80 -> v20=40400000
v_dot2_f16_f16 "v_dot2_f16_f16 v20, v2, v6, 0" : v2=40003c00 v6=42004000 v20=dead0000 -> v20=dead4800
v_dot2_bf16_bf16 "v_dot2_bf16_bf16 v20, v2, v6, 0" : v2=40003f80 v6=40404000 v20=dead0000 -> v20=dead4100
v_dot4_i32_iu8 "v_dot4_i32_iu8 v20, v2, v6, 0 neg_lo:[1,0,0]" : v2=ffffffff v6=2020202 -> v20=fffffff8
v_dot4_i32_iu8 "v_dot4_i32_iu8 v20, v2, v6, 0" : v2=ffffffff v6=1010101 -> v20=3fc
v_dot8_i32_iu4 "v_dot8_i32_iu4 v20, v2, v6, 0 neg_lo:[1,1,0]" : v2=ffffffff v6=11111111 -> v20=fffffff8
v_dot8_u32_u4 "v_dot8_u32_u4 v20, v2, v6, 0" : v2=87654321 v6=11111111 -> v20=24
v_trig_preop_f64 "v_trig_preop_f64 v[20:21], 1.0, 0" : solo v20=0 v21=0 -> v20=6dc9c882 v21=3fe45f30
v_interp_p10_f32 "v_interp_p10_f32 v20, v2, v6, v10 wait_exp:0" : v2=42c80000,42ca0000,42cc0000,42ce0000,42d00000,42d20000,42d40000,42d60000 v6=40000000,40000000,40000000,40000000,40000000,40000000,40000000,40000000 v10=41200000,41300000,41400000,41500000,41600000,41700000,41800000,41880000 -> v20=43540000,43540000,43540000,43540000,43600000,43600000,43600000,43600000
v_mul_f16 "v_mul_f16_e64 v20, v2, v6 clamp" : v2=3c00,7e00,4000 v6=c000,3c00,4000 v20=0,0,0 -> v20=0,0,3c00
v_cvt_f16_f32 "v_cvt_f16_f32_e32 v20, v2" : mode=8003c0 v2=47c35000,7f800000,c7c35000 v20=0,0,0 -> v20=7bff,7c00,fbff
v_min_f16 "v_min_f16_e32 v20, v2, v6" : mode=1c0 v2=7c01,3c00 v6=3c00,7c01 v20=0,0 -> v20=3c00,3c00
'''
# LLVM does not know it: the X half with opcode 13, v20 += v2 . v6, beside a mov.
RAW = [('v_dual_dot2acc_f32_bf16', 'cb500d02 14140103', [lanes(2, [0x3f803f80]), lanes(6, [0x40003f80]), lanes(20, [0x3f800000]), lanes(3, [9])],
        [lanes(20, [0x40800000]), lanes(21, [9])])]


def assemble(lines, attr):
    p = subprocess.run(['llvm-mc-19', '-arch=amdgcn', '-mcpu=gfx1100', '-mattr=' + attr, '-show-encoding'],
                       input='\n'.join(lines) + '\n', capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr)
    enc = re.findall(r'^\s*(\S.*?)\s*(?://|;) encoding: \[([^\]]*)\]', p.stdout, re.M)
    assert len(enc) == len(lines), (len(enc), len(lines))
    return enc


for line in HAND.strip().split('\n')[1:]:
    m = re.match(r'(\S+) "([^"]*)" : (.*?) ?-> (.*)$', line)
    rows.append((m[1], m[2], None, m[3], m[4]))
enc = {False: iter(assemble([r[1] for r in rows if r[2] != 'w64'], '+wavefrontsize32')),
       True: iter(assemble([r[1] for r in rows if r[2] == 'w64'], '+wavefrontsize64'))}
print('# Made by make-packed-vec.py; the form is that of exec.vec.')
for name, text, kind, ins, outs in rows:
    asm, b = next(enc[kind == 'w64'])
    by_ = [int(x, 16) for x in b.split(',')]
    if isinstance(kind, tuple): by_[1] |= kind[1] << 3
    words = ' '.join('%08x' % int.from_bytes(by_[i:i + 4], 'little') for i in range(0, len(by_), 4))
    print(f'{name} "{asm}" {words} : {ins} -> {outs}')
for name, words, ins, outs in RAW:
    print(f'{name} "{name}" {words} : {" ".join(ins)} -> {" ".join(outs)}')
