__attribute__((noinline)) static int deep(int a, int n)
{
	if (n <= 0)
		return a;
	int r = deep(a + n, n - 1);
	return r * 2 + n;
}
static inline int twice(int v)
{
	return v * 2 + 1;
}
static inline int wrapf(int v, int n)
{
	int t = twice(v);
	return t + n;
}
__kernel void rec(__global int *out, int n)
{
	int lid = __builtin_amdgcn_workitem_id_x();
	int a = deep(lid, n);
	out[lid] = wrapf(a, n) + wrapf(n, lid);
}
