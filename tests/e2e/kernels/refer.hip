// SPDX-License-Identifier: MIT
// References, base classes and a template, for types.txt.
struct base {
	int a;
};

struct point : base {
	int x, y;
};

template <typename T> __attribute__((device, noinline)) T add(const T &p, int &n)
{
	T r = p;
	r.x += n;
	n++;
	return r;
}

extern "C" __attribute__((global)) void kern(int *out, int n)
{
	point p;
	p.a = 1;
	p.x = 2;
	p.y = 3;
	int m = n;
	point q = add(p, m);
	out[0] = q.a + q.x + q.y + m;
}
