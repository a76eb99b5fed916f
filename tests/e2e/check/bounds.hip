// Kernels in pairs for test_check_bounds.py.
static __attribute__((device, always_inline)) unsigned place()
{
	unsigned group = __builtin_amdgcn_workgroup_id_x() * 128;
	return group + __builtin_amdgcn_workitem_id_x();
}

// A stencil whose edge is read, too.
extern "C" __attribute__((global)) void stencil_wrong(const int *in, int *out)
{
	unsigned i = place();
	out[i] = in[2 * i] + in[2 * i + 2];
}

extern "C" __attribute__((global)) void stencil_right(const int *in, int *out)
{
	unsigned i = place();
	out[i] = in[2 * i] + (2 * i + 2 < 256 ? in[2 * i + 2] : 0);
}

// A transposed store: rows of 16 in a buffer for 8 of them.
extern "C" __attribute__((global)) void transpose_wrong(const int *in, int *out)
{
	unsigned i = place();
	out[i % 16 * 9 + i / 16] = in[i];
}

extern "C" __attribute__((global)) void transpose_right(const int *in, int *out)
{
	unsigned i = place();
	out[i % 16 * 8 + i / 16] = in[i];
}
