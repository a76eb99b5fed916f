// SPDX-License-Identifier: MIT
#version 460
// Variables of 8 and 16 bits, and pointers to buffers, of every shape that a record keeps (test_record.py).
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference2 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint result[]; };
layout(buffer_reference, std430) buffer Node { uint value; };

struct Small {
	int8_t a;
	uint16_t b;
	f16vec3 c;
	uint8_t d[3];
	float e;
	i16vec2 f;
};
int16_t calls = 0s;

void halve(uint8_t x, out uint8_t low, inout int16_t sum)
{
	low = x / uint8_t(2);
	sum -= int16_t(x);
	calls++;
}

void main()
{
	uint i = gl_GlobalInvocationID.x;
	int8_t small = int8_t(int(i) - 40);
	uint16_t medium = uint16_t(i * 1000u);
	float16_t half_of = float16_t(i) * 0.5hf;
	f16vec2 pair = f16vec2(-1.5hf, half_of);
	u8vec4 bytes = u8vec4(i, 255, 1, 128);
	int16_t sum = 5s;
	uint8_t low;
	halve(uint8_t(i), low, sum);
	uint8_t steps[5];
	for (int z = 0; z < 5; z++)
		steps[z] = uint8_t(z * 60);
	steps[i % 5] += uint8_t(10);
	Small list[2];
	list[1].a = small;
	list[i & 1].b = medium;
	list[0].d[i % 3] = uint8_t(7);
	Small one;
	one.a = int8_t(-128);
	one.b = 65535us;
	one.c = f16vec3(0.25hf, 6.103515625e-5hf, half_of);
	one.d[0] = uint8_t(1);
	one.d[1] = uint8_t(2);
	one.d[2] = uint8_t(i);
	one.e = 1.5;
	one.f = i16vec2(-2, 3);
	list[1] = one;
	list[1].c.y = 5.9604645e-8hf;
	Node node = Node(0x123456780000ul + uint64_t(i) * 16ul);
	uint8_t never;
	if (i > 1000)
		never = uint8_t(1);
	result[i] = uint(small) + uint(sum) + uint(low) + uint(steps[i % 5]) + uint(one.d[2]) + uint(list[1].b) + uint(bytes.x) +
		    uint(pair.y) + uint(uint64_t(node)) + (i > 1000 ? uint(never) + node.value : 0) + uint(calls);
}
