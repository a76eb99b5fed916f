#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the golden vectors of gfx942's matrix instructions: mfma.vec.

A row is: instruction, "text", words, the seed of the matrices and the kind of their numbers -> a hash of D, and its
first elements. test_mfma.c makes the same matrices out of the seed. The products here are computed with integers of
any size, from the description of the arithmetic in arXiv 2511.10909; words come from llvm-mc-19.

    make-mfma-vec.py > mfma.vec
"""
import re
import subprocess
import sys

M64 = (1 << 64) - 1
# mantissa, exponent, bias, has infinities
FORMS = {'F16': (10, 5, 15, 1), 'BF16': (7, 8, 127, 1), 'FP8': (3, 4, 8, 0), 'BF8': (2, 5, 16, 0),
         'F32': (23, 8, 127, 1), 'F64': (52, 11, 1023, 1)}
BITS = {'F16': 16, 'BF16': 16, 'FP8': 8, 'BF8': 8, 'F32': 32, 'XF32': 32, 'F64': 64, 'I8': 8, 'I32': 32}
KINDS = ('near', 'near', 'zeros', 'wide', 'tiny', 'bits')


class Random:
    """splitmix64"""
    def __init__(self, seed): self.state = seed

    def next(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & M64
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M64
        z = (z ^ z >> 27) * 0x94d049bb133111eb & M64
        return z ^ z >> 31


def element(rng, t, kind):
    r = rng.next()
    if t in ('I8', 'I32') or kind == 'bits':
        return r & (1 << BITS[t]) - 1
    man, exp, bias, inf = FORMS['F32' if t == 'XF32' else t]
    e = {'near': bias - 3 + (r >> 1) % 7, 'zeros': bias - 3 + (r >> 1) % 7, 'wide': 1 + (r >> 1) % ((1 << exp) - 1 - inf),
         'tiny': (r >> 1) % 2}[kind]
    if kind == 'zeros' and (r >> 60) % 3 == 0:
        return 0
    return (r & 1) << man + exp | e << man | r >> 8 & (1 << man) - 1


def number(t, bits):
    """'nan', 'inf', '-inf', or (significand, exponent of its lowest bit, exponent of its highest place, sign)"""
    if t == 'XF32':
        t, bits = 'F32', bits >> 13 << 13
    man, exp, bias, inf = FORMS[t]
    s, e, m = bits >> man + exp & 1, bits >> man & (1 << exp) - 1, bits & (1 << man) - 1
    if not inf and bits == 1 << man + exp: return 'nan'
    if inf and e == (1 << exp) - 1: return 'nan' if m else '-inf' if s else 'inf'
    top = max(e, 1) - bias
    v = m | (1 << man if e else 0)
    return (-v if s else v, top - man, top if v else None, s)


def rounded(v, e, t):
    """v * 2^e to the nearest float, ties to even; v is not 0."""
    man, exp, bias, _ = FORMS[t]
    sign, v = (1, -v) if v < 0 else (0, v)
    low = max(v.bit_length() + e - 1 - man, 1 - bias - man)  # of the lowest bit that is kept
    if low > e:
        cut, v = v & (1 << low - e) - 1, v >> low - e
        half = 1 << low - e - 1
        v += cut > half or (cut == half and v & 1)
    else:
        v <<= e - low
    if v >> man + 1:
        v, low = v >> 1, low + 1
    field = low + man + bias if v >> man else 0
    if field >= (1 << exp) - 1: return sign << man + exp | ((1 << exp) - 1) << man
    return sign << man + exp | field << man | v & (1 << man) - 1


def nan(t): return {'F32': 0x7fc00000, 'F64': 0x7ff8 << 48}[t]
def infinity(t, s): return {'F32': 0x7f800000 | s << 31, 'F64': 0x7ff << 52 | s << 63}[t]


def special(numbers):
    """The sum of products of which one is not finite, as 'nan', 'inf', '-inf'; None: all are finite."""
    found = set()
    for a, b in numbers:
        if isinstance(a, str) or isinstance(b, str):
            if 'nan' in (a, b): return 'nan'
            sign = 0
            for n in (a, b):
                if isinstance(n, str): sign ^= n == '-inf'
                elif not n[0]: return 'nan'
                else: sign ^= n[3]
            found.add('-inf' if sign else 'inf')
    return None if not found else 'nan' if len(found) > 1 else found.pop()


ONE = (1, 0, 0, 0)


def fma(a, b, c, t):
    s = special([(a, b), (c, ONE)])
    if s: return nan(t) if s == 'nan' else infinity(t, s == '-inf')
    e = min(a[1] + b[1], c[1])
    v = (a[0] * b[0] << a[1] + b[1] - e) + (c[0] << c[1] - e)
    if v: return rounded(v, e, t)
    zero = not a[0] * b[0] and not c[0] and (a[3] ^ b[3]) and c[3]  # -0 + -0
    return infinity(t, 1) & ~infinity(t, 0) if zero else 0


def trunc(v, shift): return v << shift if shift >= 0 else -(-v >> -shift) if v < 0 else v >> -shift
def floor(v, shift): return v << shift if shift >= 0 else v >> -shift


def fused(pairs):
    """Products with 24 bits after the point, the largest one's exponent, and that exponent."""
    products = [(a[0] * b[0], a[1] + b[1], a[2] + b[2]) for a, b in pairs if a[0] and b[0]]
    if not products: return 0, None
    top = max(p[2] for p in products)
    return sum(trunc(v, e - top + 24) for v, e, _ in products), top


def group(pairs, c, fp8):
    """One group of products added to the f32 c."""
    cn = number('F32', c)
    s = special(pairs + [(cn, ONE)])
    if s: return nan('F32') if s == 'nan' else infinity('F32', s == '-inf')
    large = {(a[3] ^ b[3]) for a, b in pairs if a[0] and b[0] and a[1] + b[1] + (abs(a[0] * b[0])).bit_length() > 128}
    if large: return nan('F32') if len(large) > 1 else infinity('F32', large.pop())
    if fp8:
        (s0, e0), (s1, e1) = fused(pairs[0::2]), fused(pairs[1::2])
        if e0 is None or e1 is None:
            total, top = (s1, e1) if e0 is None else (s0, e0)
        else:
            top = max(e0, e1)
            total = floor(s0, e0 - top) + floor(s1, e1 - top)
    else:
        total, top = fused(pairs)
    ctop = cn[2]
    if top is None and ctop is None: return 0
    whole = max(x for x in (top, ctop) if x is not None)
    v = floor(total << 7, top - whole) if top is not None else 0
    if ctop is not None and not (fp8 and ctop < whole - 25):
        v += floor(cn[0], cn[1] - whole + 24) << 7
    return rounded(v, whole - 31, 'F32') if v else 0


def dot(a, b, c, t):
    """a, b: bits of elements, None where a sparse row has none."""
    ta, tb, tc = t
    if tc == 'I32':
        sx = lambda v: (v ^ 128) - 128
        return c + sum(sx(x) * sx(y) for x, y in zip(a, b) if x is not None) & 0xffffffff
    zero = (0, 0, None, 0)
    pairs = [(number(ta, x), number(tb, y)) if x is not None else (zero, zero) for x, y in zip(a, b)]
    if ta in ('F32', 'F64'):
        for x, y in pairs: c = fma(x, y, number(tc, c), tc)
        return c
    n = 4 if ta == 'XF32' else 16 if BITS[ta] == 8 else 8
    for k in range(0, len(pairs), n): c = group(pairs[k:k + n], c, BITS[ta] == 8)
    return c


def canonical(v, t): return nan(t) if t != 'I32' and number(t, v) == 'nan' else v


def fnv(values, n_bytes):
    h = 0xcbf29ce484222325
    for v in values:
        for b in v.to_bytes(n_bytes, 'little'): h = (h ^ b) * 0x100000001b3 & M64
    return h


PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def product(shape, seed, kind, cbsz, abid, blgp, inline):
    (ta, tb, tc), m, k, blocks, sparse = shape
    rng = Random(seed)
    n = k // 2 if sparse else k
    A = [[[element(rng, ta, kind) for _ in range(n)] for _ in range(m)] for _ in range(blocks)]
    B = [[[element(rng, tb, kind) for _ in range(k)] for _ in range(m)] for _ in range(blocks)]
    C = [[[element(rng, tc, kind) for _ in range(m)] for _ in range(m)] for _ in range(blocks)]
    where = [[PAIRS[rng.next() % 6] for _ in range(n // 2)] for _ in range(m)] if sparse else None
    flip = 1 << 63
    out = []
    for b in range(blocks):
        for i in range(m):
            for j in range(m):
                line = A[b & ~((1 << cbsz) - 1) | abid & (1 << cbsz) - 1 if blocks > 1 and cbsz else b][i]
                if sparse:
                    row = [None] * k
                    for e, v in enumerate(line): row[e // 2 * 4 + where[i][e // 2][e % 2]] = v
                    line = row
                col, c = B[b][j], C[b][i][j] if inline is None else inline
                if ta == 'F64':
                    line = [v ^ flip if blgp & 1 else v for v in line]
                    col = [v ^ flip if blgp & 2 else v for v in col]
                    c = c ^ flip if blgp & 4 else c
                elif blgp:  # lanes of B change places: of one line of a block in each 64 / (m * blocks) runs of k
                    run = max(1, k * m * blocks // 64)
                    col = []
                    for kk in range(k):
                        lane = j + m * (b + blocks * (kk // run))
                        src = [lane, lane % 32, 32 + lane % 32, (lane + 16) % 64][blgp] if blgp < 4 else (blgp - 4) * 16 + lane % 16
                        rest, jj = divmod(src, m)
                        kr, bb = divmod(rest, blocks)
                        col.append(B[bb][jj][kr * run + kk % run])
                out.append(canonical(dot(line, col, c, (ta, tb, tc)), tc))
    return out


rows = []
with open('src/vgpu/device/exec/sem/mfma.def', encoding='utf-8') as f: text = f.read()
for name in re.findall(r'^S?MFMAC?\(\s*(\w+)', text, re.M):
    # The shape comes from the name.
    m = re.match(r'v_(s?)mfmac?_(\w\d+)_(\d+)x\d+x(\d+)_(?:(\d+)b_)?(\w+)', name)
    types = m[6].upper().split('_')
    shape = ((types[0], types[-1], m[2].upper()), int(m[3]), int(m[4]), int(m[5] or 1), bool(m[1]))
    (ta, tb, tc), size, k, blocks, sparse = shape
    def regs(count, t): return max(1, count * BITS[t] // 2048)
    def reg(c, first, n): return f'{c}{first}' if n == 1 else f'{c}[{first}:{first + n - 1}]'
    nd = size * size * blocks * BITS[tc] // 2048
    a = reg('v', 2, regs(size * k * blocks // (2 if sparse else 1), ta))
    b = reg('v', 10, regs(size * k * blocks, tb))
    cases = []
    for i, kind in enumerate(KINDS if ta != 'I8' else ('bits', 'bits')):
        c, mods, inline, cbsz, abid, blgp = reg('a', 0, nd), '', None, 0, 0, 0
        if sparse:
            sets = 4 if BITS[ta] == 16 else 2
            cbsz, abid = i % 2, i % sets if i % 2 == 0 else 3 % sets
            d, c = reg('a', 0, nd), 'v6'
            mods = f' cbsz:{cbsz}' * (cbsz > 0) + f' abid:{abid}' * (abid > 0)
        else:
            d = c
            if i == 1:
                c, inline = {'F32': ('2.0', 0x40000000), 'F64': ('-4.0', 0xc010 << 48), 'I32': ('-5', 0xfffffffb)}[tc]
            if i == 2 and nd <= 8:
                d, c = reg('v', 20, nd), reg('v', 12 if nd > 4 else 28, nd)
        cases.append((kind, d, c, mods, inline, cbsz, abid, blgp))
    lanes = (blocks > 1 and ta != 'F64') or name in ('v_mfma_f32_32x32x2_f32', 'v_mfma_f32_16x16x4_f32')
    if lanes or ta == 'F64':
        for blgp in range(1, 8):
            d = reg('a', 0, nd)
            mods = f' blgp:{blgp}' if ta != 'F64' else ' neg:[%d,%d,%d]' % (blgp & 1, blgp >> 1 & 1, blgp >> 2)
            cases.append(('near', d, d, mods, None, 0, 0, blgp))
    if blocks > 1 and ta != 'F64':
        for cbsz in range(1, blocks.bit_length()):
            abid = (1 << cbsz) - 1
            d = reg('a', 0, nd)
            cases.append(('near', d, d, f' cbsz:{cbsz} abid:{abid}', None, cbsz, abid, 0))
    for i, case in enumerate(cases):
        kind, d, c, mods, inline, cbsz, abid, blgp = case
        rows.append((name, f'{name} {d}, {a}, {b}, {c}{mods}', shape, 1000 * len(rows) + 7, kind, cbsz, abid, blgp, inline))

p = subprocess.run(['llvm-mc-19', '-arch=amdgcn', '-mcpu=gfx942', '-show-encoding'], input='\n'.join(r[1] for r in rows) + '\n',
                   capture_output=True, text=True)
if p.returncode: sys.exit(p.stderr)
enc = re.findall(r'encoding: \[([^\]]*)\]', p.stdout)
assert len(enc) == len(rows)
print('# Made by make-mfma-vec.py: instruction "text" words : seed kind -> hash of D, its first elements')
for (name, text, shape, seed, kind, cbsz, abid, blgp, inline), words in zip(rows, enc):
    by = [int(x, 16) for x in words.split(',')]
    w = ' '.join('%08x' % int.from_bytes(by[i:i + 4], 'little') for i in range(0, 8, 4))
    d = product(shape, seed, kind, cbsz, abid, blgp, inline)
    print(f'{name} "{text}" {w} : {seed:x} {kind} -> {fnv(d, BITS[shape[0][2]] // 8):016x} ' + ','.join('%x' % v for v in d[:6]))
