#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out vec4 result;
void main()
{
	result = vec4(gl_PointCoord, flat_color.z, 1.0);
}
