#version 450
layout(location = 1) flat in vec4 flat_color;
layout(location = 0) out vec4 result;
void main()
{
	gl_SampleMask[0] = (int(gl_FragCoord.x) & 1) != 0 ? 0x5 : 0xe;
	result = flat_color;
}
