# SPDX-License-Identifier: MIT
"""Floats of make-exec-vec.py: formats by exact rational arithmetic, and approximate functions."""
import math
from fractions import Fraction as Q


class Fmt:
    def __init__(self, e, m, flush):
        self.e, self.m, self.flush = e, m, flush
        self.bits = 1 + e + m
        self.bias = (1 << (e - 1)) - 1
        self.inf = ((1 << e) - 1) << m
        self.sign = 1 << (e + m)
        self.quiet = 1 << (m - 1)
        self.qnan = self.inf | self.quiet

    def mag(self, b): return b & (self.sign - 1)
    def neg(self, b): return bool(b & self.sign)
    def isnan(self, b): return self.mag(b) > self.inf
    def issnan(self, b): return self.isnan(b) and not b & self.quiet
    def isinf(self, b): return self.mag(b) == self.inf
    def isden(self, b): return 0 < self.mag(b) < (1 << self.m)
    def fin(self, b):  # flush inputs
        return b & self.sign if self.flush and self.isden(b) else b
    def iszero(self, b): return self.mag(self.fin(b)) == 0

    def val(self, b):
        b = self.fin(b)
        ex, fr = self.mag(b) >> self.m, b & ((1 << self.m) - 1)
        v = Q(fr + (1 << self.m), 1 << self.m) * Q(2) ** (ex - self.bias) if ex else \
            Q(fr, 1 << self.m) * Q(2) ** (1 - self.bias)
        return -v if self.neg(b) else v

    def enc(self, v, negzero=False, mode='rne'):
        if v == 0:
            return self.sign if negzero else 0
        s, a = v < 0, abs(v)
        ex = math.floor(math.log2(a)) if a.denominator == 1 and a < 2**1000 else 0
        ex = a.numerator.bit_length() - a.denominator.bit_length()
        if Q(2) ** ex > a:
            ex -= 1
        ex = max(ex, 1 - self.bias)
        q = a / Q(2) ** (ex - self.m)
        n = q.numerator // q.denominator
        rest = q - n
        up = (rest > Q(1, 2) or (rest == Q(1, 2) and n & 1)) if mode == 'rne' else \
            rest > 0 and ((mode == 'up' and not s) or (mode == 'down' and s))
        n += up
        out = n if ex == 1 - self.bias and n < (1 << self.m) else ((ex + self.bias - 1) << self.m) + n
        if out >= self.inf:
            tomax = mode == 'zero' or (mode == 'up' and s) or (mode == 'down' and not s)
            out = self.inf - 1 if tomax else self.inf
        if self.flush and 0 < out < (1 << self.m):
            out = 0
        return out | (self.sign if s else 0)

    # arithmetic on bits; 'nan' stands for any NaN
    def add(self, a, b):
        if self.isnan(a) or self.isnan(b): return 'nan'
        if self.isinf(a): return 'nan' if self.isinf(b) and a != b else a
        if self.isinf(b): return b
        return self.enc(self.val(a) + self.val(b), self.neg(a) and self.neg(b))

    def mul(self, a, b):
        if self.isnan(a) or self.isnan(b): return 'nan'
        s = self.neg(a) != self.neg(b)
        if self.isinf(a) or self.isinf(b):
            return 'nan' if self.iszero(a) or self.iszero(b) else self.inf | (self.sign if s else 0)
        return self.enc(self.val(a) * self.val(b), s)

    def fma(self, a, b, c):
        if self.isnan(a) or self.isnan(b) or self.isnan(c): return 'nan'
        s = self.neg(a) != self.neg(b)
        if self.isinf(a) or self.isinf(b):
            if self.iszero(a) or self.iszero(b): return 'nan'
            p = self.inf | (self.sign if s else 0)
            return 'nan' if self.isinf(c) and c != p else p
        if self.isinf(c): return c
        return self.enc(self.val(a) * self.val(b) + self.val(c), s and self.neg(c))

    def negate(self, a): return a ^ self.sign

    def order(self, b):
        return -self.mag(b) - 1 if self.neg(b) else self.mag(b)

    def minmax(self, a, b, mx):
        a, b = self.fin(a), self.fin(b)
        if self.issnan(a): return a | self.quiet
        if self.issnan(b): return b | self.quiet
        if self.isnan(a): return b
        if self.isnan(b): return a
        return max(a, b, key=self.order) if mx else min(a, b, key=self.order)

    def med3(self, a, b, c):
        if self.isnan(a) or self.isnan(b) or self.isnan(c):
            return self.minmax(self.minmax(a, b, 0), c, 0)
        return sorted([self.fin(a), self.fin(b), self.fin(c)], key=self.order)[1]

    def rint(self, b, how):
        if self.isnan(b): return 'nan'
        if self.isinf(b): return b
        v = self.val(b)
        n = {'floor': math.floor, 'ceil': math.ceil, 'trunc': math.trunc, 'rndne': round}[how](v)
        return self.enc(Q(n), self.neg(b))

    def fract(self, b):
        if self.isnan(b) or self.isinf(b): return 'nan'
        v = self.val(b)
        r = self.enc(v - math.floor(v))
        one = self.enc(Q(1))
        return min(r, one - 1)

    def ldexp(self, b, n):
        if self.isnan(b): return 'nan'
        if self.isinf(b) or self.iszero(b): return self.fin(b)
        n = max(-5000, min(5000, n))
        return self.enc(self.val(b) * Q(2) ** n, self.neg(b))

    def frexp_exp(self, b):
        if self.isnan(b) or self.isinf(b) or self.iszero(b): return 0
        return math.floor(math.log2(1)) + self._fx(b)

    def _fx(self, b):
        a = abs(self.val(b))
        ex = a.numerator.bit_length() - a.denominator.bit_length()
        if Q(2) ** ex > a: ex -= 1
        return ex + 1

    def frexp_mant(self, b):
        if self.isnan(b): return 'nan'
        if self.isinf(b) or self.iszero(b): return self.fin(b)
        return self.enc(self.val(b) / Q(2) ** self._fx(b))

    def toint(self, b, lo, hi):
        if self.isnan(b): return 0
        if self.isinf(b): return lo if self.neg(b) else hi
        return max(lo, min(hi, math.trunc(self.val(b))))

    def cls(self, b):
        n = self.neg(b)
        if self.isnan(b): return 1 if self.issnan(b) else 2
        if self.isinf(b): return 4 if n else 0x200
        if self.mag(b) == 0: return 0x20 if n else 0x40
        if self.isden(b): return 0x10 if n else 0x80
        return 8 if n else 0x100

    def cmp(self, a, b):  # -1 0 1 or None when unordered
        if self.isnan(a) or self.isnan(b): return None
        def k(x): return (Q(-10) ** 9999 if False else None)
        def v(x): return (float('-inf') if self.neg(x) else float('inf')) if self.isinf(x) else self.val(x)
        x, y = v(a), v(b)
        return (x > y) - (x < y)

    def fn(self, b, f):  # approximate functions: by double
        if self.isnan(b): return 'nan'
        b = self.fin(b)
        x = (-math.inf if self.neg(b) else math.inf) if self.isinf(b) else float(self.val(b))
        if x == 0: x = math.copysign(0.0, -1.0 if self.neg(b) else 1.0)
        y = f(x)
        if y != y: return 'nan'
        if math.isinf(y): return self.inf | (self.sign if y < 0 else 0)
        r = self.enc(Q(y), math.copysign(1, y) < 0)
        return ('~', r)


F16, F32, F64 = Fmt(5, 10, False), Fmt(8, 23, True), Fmt(11, 52, False)
FM = {'f16': F16, 'f32': F32, 'f64': F64}


def f_log2(x): return math.nan if x < 0 else -math.inf if x == 0 else math.inf if x == math.inf else math.log2(x)
def f_exp2(x): return math.inf if x > 2000 else 0.0 if x < -2000 else 2.0 ** x
def f_rcp(x): return math.copysign(math.inf, x) if x == 0 else 1 / x
def f_rsq(x): return math.copysign(math.inf, x) if x == 0 else math.nan if x < 0 else 1 / math.sqrt(x)
def f_sqrt(x): return x if x == 0 else math.nan if x < 0 else math.sqrt(x)
def f_sin(x):
    if math.isinf(x): return math.nan
    r = x - math.floor(x + 0.5)  # at most half a turn, exact
    if abs(r) == 0.5: return 0.0 * x
    return 0.0 * x if r == 0.0 else math.sin(2 * math.pi * (r if abs(r) <= 0.25 else math.copysign(0.5, r) - r))
def f_cos(x):
    if math.isinf(x): return math.nan
    r = x - math.floor(x)
    return 0.0 if r in (0.25, 0.75) else math.cos(2 * math.pi * r)
