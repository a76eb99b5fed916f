// SPDX-License-Identifier: MIT
#version 460
// Variables of every shape that a record keeps (test_record.py).
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint result[]; };

struct Point {
	vec3 at;
	int n;
	bool is_near;
};
uint calls = 0;
#ifdef FEW_WAVES // all of a workgroup's LDS: waves have the memory of earlier ones soon
shared uint room[16384];
#endif

uint triple(uint x)
{
	uint y = x * 3;
	calls++;
	return y + 1;
}

void split(uint x, out uint low, inout uint sum)
{
	low = x & 7;
	sum += low;
}

void main()
{
	uint i = gl_GlobalInvocationID.x;
#ifdef FEW_WAVES
	room[i & 16383] = i;
#endif
	uint sum = 0, low;
#ifdef FEW_WAVES
	sum = room[(i * 3) & 16383];
#endif
	float steps[4];
	for (int z = 0; z < 4; z++)
		steps[z] = float(i) + float(z);
	steps[i & 3] *= 2.0;
	for (uint k = 0; k < i; k++)
		sum += triple(k);
	split(i, low, sum);
	Point p;
	p.at = vec3(float(sum), 0.5, -1.0);
	p.n = int(i) - 3;
	p.is_near = p.n < 5;
	mat2 m = mat2(1.0, 2.0, 3.0, float(i));
	double d = double(i) / 4.0;
	uvec2 pair = uvec2(sum, calls);
	uint never;
	if (i > 1000)
		never = 1;
	result[i] = sum + uint(steps[i & 3]) + uint(p.at.y + m[1].y) + uint(p.is_near) + uint(d) + pair.y + low + (i > 1000 ? never : 0);
}
