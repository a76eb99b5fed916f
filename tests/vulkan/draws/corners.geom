#version 450
layout(triangles_adjacency) in;
layout(points, max_vertices = 6) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 2) noperspective in vec2 place_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
/* A point for each vertex, those of the neighbours smaller. */
void main()
{
	for (int i = 0; i < 6; i++) {
		gl_Position = gl_in[i].gl_Position;
		gl_PointSize = i % 2 == 0 ? 6.0 : 3.0;
		color = color_in[i];
		flat_color = flat_in[(i + 1) % 6];
		place = place_in[i];
		EmitVertex();
	}
}
