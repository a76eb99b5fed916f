#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D image;
void main()
{
	result = texture(image, place * 1.5) * vec4(color.xyz, 1.0);
}
