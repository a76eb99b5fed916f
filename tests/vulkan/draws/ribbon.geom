#version 450
layout(lines_adjacency) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 2) noperspective in vec2 place_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
/* A ribbon along the inner line, as wide as the outer vertices say. */
void main()
{
	vec2 across = vec2(gl_in[3].gl_Position.y - gl_in[0].gl_Position.y,
			   gl_in[0].gl_Position.x - gl_in[3].gl_Position.x) * 0.05;
	for (int i = 0; i < 4; i++) {
		int from = 1 + i / 2;
		gl_Position = gl_in[from].gl_Position;
		gl_Position.xy += i % 2 == 0 ? across : -across;
		color = color_in[from];
		flat_color = flat_in[3 * (i / 2)];
		place = place_in[from];
		EmitVertex();
	}
}
