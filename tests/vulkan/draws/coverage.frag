#version 450
layout(location = 1) flat in vec4 flat_color;
layout(location = 0) out vec4 result;
/* A whole number of four samples, so that rounding does not matter. */
void main()
{
	result = vec4(flat_color.xyz, floor(fract(gl_FragCoord.x * 0.031 + flat_color.w) * 5.0) / 4.0);
}
