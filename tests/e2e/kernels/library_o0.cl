// At -O0 all variables have their values, whatever of the device library the source uses.
typedef struct { int a; float b[3]; } pair;
static int inner(pair q, int n)
{
	int twice = q.a * 2;
	float sum = 0;
	for (int k = 0; k < 3; k++)
		sum += q.b[k];
	return twice + (int)sum + n;
}
__kernel void f(__global int *out, int n)
{
	int i = get_global_id(0);
	pair q = {i, {1, 2, 3}};
	uchar small = 200;
	__local int shared[32];
	shared[get_local_id(0)] = i;
	barrier(CLK_LOCAL_MEM_FENCE);
	int r = inner(q, n);
#ifdef PRINTF
	if (i == 3)
		printf("%d\n", r);
#endif
#ifdef SG
	r += sub_group_broadcast(r, 0);
#endif
#ifdef WG
	r += work_group_scan_inclusive_add(i);
#endif
	out[i] = r + small + shared[31 - get_local_id(0)];
}
