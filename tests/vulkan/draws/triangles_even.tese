#version 450
layout(triangles, fractional_even_spacing, ccw) in;
layout(location = 0) in vec4 color_in[];
layout(location = 1) in vec4 flat_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
void main()
{
	vec3 at = gl_TessCoord;
	gl_Position = gl_in[0].gl_Position * at.x + gl_in[1].gl_Position * at.y + gl_in[2].gl_Position * at.z;
	color = color_in[0] * at.x + color_in[1] * at.y + color_in[2] * at.z;
	flat_color = vec4(flat_in[0].rgb * (0.4 + 0.6 * at.x), fract(at.y * 3.0));
	place = at.xy;
}
