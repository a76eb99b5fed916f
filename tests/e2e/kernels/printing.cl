// SPDX-License-Identifier: MIT
// printf in two places, with code behind each of them (opencl.txt).
__kernel void printing(__global volatile int *out)
{
	int i = get_global_id(0);
	if (i < 2)
		printf("first %d\n", i);
	out[i] = i;
	if (i < 2)
		printf("second %d of %s at %.1f\n", i, "abcd", i + 0.5f);
	int more = out[i] + 1;
	out[i] = more;
	if (i == 31)
		printf("the end\n");
	out[i] = more + 1;
}
