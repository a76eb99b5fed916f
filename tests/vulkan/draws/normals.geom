#version 450
layout(triangles) in;
layout(line_strip, max_vertices = 5) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 2) noperspective in vec2 place_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
/* The rim of each triangle, and a line out of its middle. */
void main()
{
	vec4 middle = vec4(0);
	for (int i = 0; i < 3; i++)
		middle += gl_in[i].gl_Position / 3.0;
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		color = color_in[i];
		flat_color = flat_in[i];
		place = place_in[i];
		EmitVertex();
	}
	EndPrimitive();
	for (int i = 0; i < 2; i++) {
		gl_Position = middle + vec4(0.11, 0.17, 0, 0) * float(i) * middle.w;
		color = vec4(1);
		flat_color = vec4(1, 0.5, 0.25, 1);
		place = vec2(0);
		EmitVertex();
	}
}
