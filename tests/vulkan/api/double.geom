#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
void main()
{
	for (int i = 0; i < 6; i++) {
		gl_Position = gl_in[i % 3].gl_Position;
		EmitVertex();
		if (i % 3 == 2)
			EndPrimitive();
	}
}
