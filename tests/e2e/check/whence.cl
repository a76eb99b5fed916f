// Who has written what: test_check_whence.py.

kernel void writers(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = in[i] * 2;
	barrier(CLK_GLOBAL_MEM_FENCE);
	int x = out[i ^ 1];
	out[i] = x + 1;
	barrier(CLK_GLOBAL_MEM_FENCE);
	((global char *)(out + 512))[i] = (char)i;
	barrier(CLK_GLOBAL_MEM_FENCE);
	atomic_add(&out[1000], 3);
	out[640 + i] = in[i + 512];
	out[768] = x + in[1]; // the end
}

kernel void shared(global const int *in, global int *out)
{
	local int s[64];
	int l = get_local_id(0);
	s[l] = in[l] * 3;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 9)
		s[9] = 1234;
	barrier(CLK_LOCAL_MEM_FENCE);
	int y = s[63 - l];
	out[get_global_id(0)] = y + 1; // the end of shared
}
