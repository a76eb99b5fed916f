#version 450
layout(location = 1) flat in vec4 flat_color;
layout(location = 0) out vec4 result;
void main()
{
	result = vec4(flat_color.xyz * (1.0 - 0.25 * float(gl_ViewportIndex)), flat_color.w);
}
