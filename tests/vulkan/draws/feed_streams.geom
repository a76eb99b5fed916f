#version 450
/* Points of two streams, of which the second has two buffers, and not all vertices. */
layout(triangles, invocations = 2) in;
layout(points, max_vertices = 6) out;
layout(location = 0) in uvec2 number[];
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out uvec4 corner;
layout(stream = 2, location = 1, xfb_buffer = 1, xfb_stride = 12, xfb_offset = 4) out uint even;
layout(stream = 2, location = 2, xfb_buffer = 3, xfb_stride = 8, xfb_offset = 0) out vec2 pair;
void main()
{
	for (int i = 0; i < 3; i++) {
		corner = uvec4(number[i], gl_PrimitiveIDIn, gl_InvocationID);
		gl_Position = gl_in[i].gl_Position;
		gl_PointSize = 1.0;
		EmitStreamVertex(0);
		EndStreamPrimitive(0);
		if (number[i].x % 2 == 0) {
			even = number[i].x + 1000 * gl_InvocationID;
			pair = vec2(gl_PrimitiveIDIn, i);
			EmitStreamVertex(2);
			EndStreamPrimitive(2);
		}
	}
}
