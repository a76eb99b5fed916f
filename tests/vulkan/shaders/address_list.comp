// SPDX-License-Identifier: MIT
#version 460
//! needs address int64
//! buffer 0 u64 512 zeros input
//! buffer 1 u32 64 zeros
//! address 0
//! dispatch 1 1 1
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// A linked list in a buffer, made by one invocation and walked by all: each starts elsewhere.
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; };
layout(push_constant) uniform P { uint64_t base; };
layout(binding = 0) buffer Nodes { uint64_t raw[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint l = gl_LocalInvocationIndex;
	Node mine = Node(base + 16 * l);
	mine.next = Node(base + 16 * ((l * 37 + 11) & 63));
	mine.value = l * l;
	memoryBarrierBuffer();
	barrier();
	uint sum = 0;
	Node n = mine;
	for (uint k = 0; k < 20 + l; k++) {
		sum = sum * 5 + n.value;
		n = n.next;
	}
	result[l] = sum;
}
