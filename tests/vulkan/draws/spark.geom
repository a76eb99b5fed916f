#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec3 color_in[];
layout(location = 0) flat out vec3 color;
layout(location = 1) out vec2 place;
void main()
{
	for (int i = 0; i < 4; i++) {
		place = vec2(i & 1, i >> 1) * 2.0 - 1.0;
		gl_Position = gl_in[0].gl_Position + vec4(place * 0.45, 0.0, 0.0);
		color = color_in[0];
		EmitVertex();
	}
}
