#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 2) noperspective in vec2 place_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
/* A square for each point, of the same size on the screen. */
void main()
{
	vec4 at = gl_in[0].gl_Position;
	if (at.w < 0.7)
		return; /* none */
	for (int i = 0; i < 4; i++) {
		vec2 corner = vec2(i & 1, i >> 1) * 2.0 - 1.0;
		gl_Position = at + vec4(corner * vec2(0.08, 0.11) * at.w, 0, 0);
		color = color_in[0] * vec4(0.5 + 0.5 * corner, 1, 1);
		flat_color = flat_in[0];
		place = corner;
		EmitVertex();
	}
}
