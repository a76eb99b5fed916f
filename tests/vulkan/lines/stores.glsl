// SPDX-License-Identifier: MIT
// What a shader does with buffers and shared variables, line by line (as steps.glsl): where a line begins, the lines
// before it have stored, and it has not. A lane has its own elements; all of them store the same to what they share.
int visits = 0;

void add_to(uint place, int value)
{
	result[place] += uint(value);
	sums[place & 63u] = value;
	visits++;
}

void main()
{
	uint lane = gl_GlobalInvocationID.x;
	result[lane] = 1u;
	sums[lane] = 2;
	result[lane] = result[lane] + 4u;
	count = 7u;
	room[lane] = int(lane) * 3;
	most = 11;
	int first = room[lane];
	room[lane] = first + 1;
	for (int i = 0; i < 4; i++) {
		sums[lane] += room[lane];
		room[lane] = sums[lane] + i;
		result[lane] = uint(sums[lane]);
		if (i > 1)
			count = uint(i);
	}
	add_to(lane, 40);
	pairs[lane].x = 5;
	pairs[lane].y = pairs[lane].x + most;
	most = 12;
	sums[lane] = pairs[lane].y;
	add_to(lane, most);
	count = 9u;
	result[lane] = count;
}
