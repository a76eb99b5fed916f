// SPDX-License-Identifier: MIT
// Runs one work-item of a kernel on the CPU: its number is the argument.
#include <stdio.h>
#include <stdlib.h>
#define CPU
#include KERNEL

int main(int argc, char **argv)
{
	int in[32], out[1024] = {0};
	for (int i = 0; i < 32; i++)
		in[i] = i;
	work_item = atoi(argv[1]);
	kern(out, in, 2.5f, 7);
	printf("%d\n", out[work_item]);
	return 0;
}
