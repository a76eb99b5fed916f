#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color_in;
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
/* Nothing is clipped, and nothing lies at the rim of the picture. */
void main()
{
	float w = position.w;
	gl_Position = vec4(0.35 * position.xy, w * (0.15 + 0.6 * clamp(position.z / w, 0.0, 1.0)), w);
	gl_PointSize = 1.0 + 12.0 * color_in.x;
	color = color_in;
	flat_color = color_in;
	place = position.xy * 0.5 + 0.5;
}
