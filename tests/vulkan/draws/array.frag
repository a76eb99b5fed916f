#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 flat_color;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out vec4 result;
void main()
{
	float values[64];
	for (int i = 0; i < 64; i++)
		values[i] = fract(float(i) * 0.37 + flat_color.x);
	int at = int(gl_FragCoord.x) & 63;
	for (int i = 0; i < 8; i++)
		values[(at + i * 7) & 63] += 0.125;
	result = vec4(fract(values[at]), values[(at + 21) & 63] * 0.5, flat_color.z, 1.0);
}
