// SPDX-License-Identifier: MIT
// What a debugger steps through line by line: the body of a compute shader (steps.comp) that is C++ as well
// (steps_cpu.cpp). One statement a line.
struct Item {
	int key;
	float weight[3];
	bool is_used;
};

int visits = 0;

int clamp_to(int x, int low, int high)
{
	visits++;
	if (x < low)
		return low;
	if (x > high)
		return high;
	return x;
}

int collatz(uint x, INOUT(int) steps)
{
	while (x != 1u) {
		if ((x & 1u) == 0u)
			x = x / 2u;
		else
			x = x * 3u + 1u;
		steps++;
		if (steps > 20)
			break;
	}
	return int(x);
}

float weigh(Item item, int n)
{
	float sum = 0.0;
	for (int w = 0; w < n; w++) {
		if (w == 1)
			continue;
		sum += item.weight[w];
	}
	return sum;
}

int find(int wanted, ARRAY(int, a, 6))
{
	for (int f = 0; f < 6; f++) {
		int seen = a[f];
		if (seen == wanted)
			return f;
	}
	return -1;
}

void main()
{
	uint lane = gl_GlobalInvocationID.x;
	int total = 0;
	int table[6];
	for (int t = 0; t < 6; t++) {
		int square = t * t;
		table[t] = square + int(lane);
	}
	for (int row = 0; row < 3; row++) {
		for (int column = 0; column < int(lane & 3u); column++) {
			int cell = row * 10 + column;
			total += cell;
		}
		table[row] = total;
	}
	int steps = 0;
	int reached = collatz(lane + 6u, steps);
	Item item;
	item.key = clamp_to(int(lane) - 2, 0, 9);
	item.weight[0] = 0.5;
	item.weight[1] = float(lane);
	item.weight[2] = float(steps) * 0.25;
	item.is_used = item.key > 1;
	float sum = weigh(item, 3);
	int place = find(4 + int(lane), table);
	switch (item.key) {
	case 1:
		total = total * 2;
		break;
	case 3:
		total = total - 7;
		break;
	default:
		total = total + 1;
	}
	int down = 4;
	do {
		down--;
		sum = sum + float(down);
	} while (down > int(lane & 1u));
	for (int t = 7; t < 9; t++) {
		int total = t * 2;
		down += total;
	}
	total -= down;
	int shown = clamp_to(total, -5, clamp_to(int(lane), 3, 40));
	result[lane] = uint(total + shown + place + reached + visits) + uint(sum);
}
