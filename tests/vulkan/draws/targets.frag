#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(location = 2) out uvec4 third;
void main()
{
	first = flat_color;
	second = vec4(color.zyx, 1.0);
	third = uvec4(flat_color * 255.0);
}
