#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 2) noperspective in vec2 place_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
/* Two smaller triangles of each, one in each invocation, and one upside down. */
void main()
{
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < 3; i++) {
			vec4 at = gl_in[i].gl_Position;
			float size = 0.7 - 0.25 * float(gl_InvocationID);
			gl_Position = vec4(at.xy * size, at.zw);
			if (k == 1)
				gl_Position.xy = -0.5 * gl_Position.xy;
			color = color_in[i];
			flat_color = vec4(flat_in[0].xyz, float(gl_PrimitiveIDIn % 7) / 8.0);
			place = place_in[i];
			EmitVertex();
		}
		EndPrimitive();
	}
}
