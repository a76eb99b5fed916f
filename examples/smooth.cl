// smooth.cl: out[i] = mean of in[i] and its two neighbours. There is a bug in it.
kernel void smooth(global const float *in, global float *out, uint n)
{
	uint i = get_global_id(0);
	uint left = i - 1;
	uint right = i + 1 < n ? i + 1 : i;
	float sum = in[left] + in[i] + in[right];
	out[i] = sum / 3;
}
