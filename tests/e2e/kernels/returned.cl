// SPDX-License-Identifier: MIT
// Functions that return values of each kind, as they lie in registers behind the return.
#define NOINLINE __attribute__((noinline)) static
struct pair { int x, y; };
struct big { int a[40]; };
typedef struct { char c; short s; float f; double d; } mix;
NOINLINE int i32(int a) { return a * 3; }
NOINLINE long i64(int a) { return (long)a * 0x100000001l; }
NOINLINE char i8(int a) { return (char)(a + 250); }
NOINLINE uchar u8(int a) { return (uchar)(a + 250); }
NOINLINE short i16(int a) { return (short)(a + 65530); }
NOINLINE bool b1(int a) { return a & 1; }
NOINLINE float f32(int a) { return a * 0.5f; }
NOINLINE double f64(int a) { return a * 0.5; }
NOINLINE float4 v4(int a) { return (float4)(a, a + 1, a + 2, a + 3); }
NOINLINE int3 v3(int a) { return (int3)(a, a + 1, a + 2); }
NOINLINE short4 s4(int a) { return (short4)(a, a + 1, a + 2, a + 3); }
NOINLINE char4 c4(int a) { return (char4)(a, a + 1, a + 2, a + 3); }
NOINLINE short2 s2(int a) { return (short2)(a, a + 1); }
NOINLINE uchar2 c2(int a) { return (uchar2)(a, a + 1); }
NOINLINE struct pair pr(int a) { struct pair p = {a, -a}; return p; }
NOINLINE mix mx(int a) { mix p = {a, -a, a * 0.25f, a * 0.125}; return p; }
NOINLINE struct big bg(int a) { struct big p; for (int i = 0; i < 40; i++) p.a[i] = a + i; return p; }
NOINLINE __global int *gp(__global int *o, int a) { return o + a; }
NOINLINE void nothing(__global int *o, int a) { o[a] = a; }
__kernel void kern(__global int *out)
{
	int a = __builtin_amdgcn_workitem_id_x();
	int n = i32(a);
	n += (int)i64(a);
	n += i8(a);
	n += u8(a);
	n += i16(a);
	n += b1(a);
	n += (int)f32(a);
	n += (int)f64(a);
	float4 v = v4(a);
	n += (int)(v.x + v.w);
	int3 w = v3(a);
	n += w.x + w.z;
	short4 s = s4(a);
	n += s.x + s.w;
	char4 c = c4(a);
	n += c.x + c.w;
	short2 s_ = s2(a);
	n += s_.x + s_.y;
	uchar2 c_ = c2(a);
	n += c_.x + c_.y;
	struct pair p = pr(a);
	n += p.x + p.y;
	mix m = mx(a);
	n += m.c + m.s + (int)m.f + (int)m.d;
	struct big g = bg(a);
	n += g.a[a & 31];
	n += *gp(out, a);
	nothing(out, a + 64);
	out[a] = n;
}
