#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out vec4 result;
void main()
{
	if (((int(gl_FragCoord.x) / 4 + int(gl_FragCoord.y) / 4) & 1) != 0)
		discard;
	result = flat_color;
}
