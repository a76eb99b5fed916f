#version 450
layout(quads, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 color_in[];
layout(location = 1) in vec4 flat_in[];
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
void main()
{
	vec3 at = gl_TessCoord;
	gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x),
			  mix(gl_in[3].gl_Position, gl_in[2].gl_Position, at.x), at.y);
	color = mix(mix(color_in[0], color_in[1], at.x), mix(color_in[3], color_in[2], at.x), at.y);
	flat_color = vec4(flat_in[0].rgb * (0.4 + 0.6 * at.x), fract(at.y * 3.0));
	place = at.xy;
}
