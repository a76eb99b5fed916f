// SPDX-License-Identifier: MIT
// Variables of one name in blocks in each other, behind each other, and declared without code; as steps.glsl.
#define TWICE(x) ((x) * 2)
int visits = 0;

int shadowed(int x)
{
	int y = x;
	{
		int y;
		visits++;
		y = x + 1;
		x += y;
	}
	y += x;
	{
		int x = y;
		visits += x;
		{
			int x = TWICE(y);
			visits += x;
		}
		visits += x;
	}
	return x + y;
}

void main()
{
	int lane = int(gl_GlobalInvocationID.x);
	int i = 100;
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		int part = i * lane;
		sum += part;
	}
	sum += i;
	for (int k = 0; k < 2; k++) {
		for (int m = 0; m < 2; m++)
			sum += k * m;
	}
	sum++;
	if (sum > 0) {
		int only = sum;
		sum = only + 1;
	} else {
		int other = sum;
		sum = other - 1;
	}
	int n = 3;
	do {
		int step = n;
		n = step - 1;
	} while (n > 0);
	/* int sum = 5; { */
#ifdef NEVER
	int never = 1;
#else
	int always = sum;
	sum = always + 1;
#endif
	switch (n) {
	case 0: {
		int in_case = 4;
		sum += in_case;
		break;
	}
	default:
		sum = 0;
	}
	int late = shadowed(sum);
	result[lane] = uint(late + visits);
}
