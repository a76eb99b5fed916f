#version 450
#extension GL_ARB_shader_stencil_export : require
layout(location = 1) flat in vec4 flat_color;
layout(location = 0) out vec4 result;
void main()
{
	gl_FragStencilRefARB = int(gl_FragCoord.x / 8.0) & 7;
	result = flat_color;
}
