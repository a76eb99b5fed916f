#version 450
layout(location = 2) flat in vec3 color;
layout(location = 0) out vec4 result;
void main()
{
	result = vec4(1.0 - color, 0.5);
}
