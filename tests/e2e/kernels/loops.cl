/* For test_line_stops.py: each line is stopped at as often as gdb stops there in a run on the CPU. */
static inline __attribute__((always_inline)) int twice(int a)
{
	int r = 0;
	for (int i = 0; i < 2; i++)
		r += a;
	return r;
}
__attribute__((noinline)) static int sum(__global int *v, int n)
{
	int i, s = 0;
	for (i = 0; i < n; i++)
		s += v[i];
	for (int k = 0; k < n; k++) {
		int d = v[k];
		s -= d;
	}
	for (i = 0;
	     i < n;
	     i++)
		s += i;
	while (s > 10)
		s -= 3;
	do {
		s++;
	} while (s < 12);
	for (;;) {
		if (s > 20)
			break;
		s += 2;
	}
	return s;
}
__kernel void kern(__global int *out, int n)
{
	int total = 0, i, j;
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			total += j;
	for (int a = 0; a < n; a++)
		for (int b = 0; b < 2; b++)
			total += twice(a);
	for (int a = 0; a < 3; a++) { int t = a * 2; total += t; for (int b = 0; b < 2; b++) total += b; }
	total += twice(1) + twice(2);
	for (int a = 0, b = n; a < b; a++, b--)
		total += a > 1 ? twice(a)
			       : sum(out, 2);
	switch (n) {
	case 1:
		total = 1;
		break;
	default:
		for (i = 3; i; i--)
			total++;
	}
	if (total > 5 && n > 2) total++; else total--;
	for (i = 0; i < n; i++) if (i & 1) continue; else total += i;
	out[0] = total;
}
