#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;
void main()
{
	first = flat_color;
	second = vec4(0.25, 0.5, 0.75, 0.5);
}
