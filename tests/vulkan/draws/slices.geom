#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 9) out;
layout(location = 1) flat in vec4 flat_in[];
layout(location = 0) flat out vec4 color;
/* The triangle in three layers. */
void main()
{
	for (int layer = 0; layer < 3; layer++) {
		for (int i = 0; i < 3; i++) {
			vec4 at = gl_in[i].gl_Position;
			gl_Position = vec4(at.xy * (1.0 - 0.3 * float(layer)), at.zw);
			gl_Layer = layer;
			gl_PrimitiveID = gl_PrimitiveIDIn * 3 + layer;
			color = flat_in[i];
			EmitVertex();
		}
		EndPrimitive();
	}
}
