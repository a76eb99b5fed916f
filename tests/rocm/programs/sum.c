/* SPDX-License-Identifier: MIT */
/* OpenMP's target regions: a loop of the GPU's with a reduction. Ends with the program's name and
 * "right", as the other programs here. */
#include <omp.h>
#include <stdio.h>

enum { N = 4096 };

int main(void)
{
	static float x[N], y[N];
	double sum = 0, want = 0;
	int on_host = 1, wrong = 0;
	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
#pragma omp target map(from : on_host)
	on_host = omp_is_initial_device();
#pragma omp target teams distribute parallel for map(to : x) map(tofrom : y) reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		y[i] += 2 * x[i];
		sum += y[i];
	}
	for (int i = 0; i < N; i++) {
		wrong += y[i] != (float)(2 * i + 1);
		want += 2 * i + 1;
	}
	if (on_host || wrong || sum != want)
		printf("sum: on the host %d, %d wrong, the sum is %g, not %g\n", on_host, wrong,
		       sum, want);
	else
		printf("sum: right\n");
	return 0;
}
