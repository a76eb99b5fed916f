#version 450
/* Two strips of a triangle: one of five vertices and one of three. */
layout(triangles) in;
layout(triangle_strip, max_vertices = 8) out;
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out uvec4 corner;
void main()
{
	for (int i = 0; i < 8; i++) {
		corner = uvec4(gl_PrimitiveIDIn, i, i * i, 7);
		gl_Position = gl_in[i % 3].gl_Position;
		EmitVertex();
		if (i == 4)
			EndPrimitive();
	}
}
