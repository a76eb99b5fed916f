#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out ivec4 first;
void main()
{
	first = ivec4(flat_color * 255.0) - ivec4(200, 100, 100, 256);
}
