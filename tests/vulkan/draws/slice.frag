#version 450
layout(location = 0) flat in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
	result = vec4(color.xyz, float(gl_PrimitiveID % 16) / 16.0 + float(gl_Layer) / 64.0);
}
