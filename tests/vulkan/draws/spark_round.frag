#version 450
layout(location = 0) flat in vec3 color;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
/* Round, and thinner at the rim: alpha is a whole number of four samples. */
void main()
{
	result = vec4(color, clamp(floor(5.0 - 5.0 * length(place)), 0.0, 4.0) / 4.0);
}
