#version 450
layout(location = 0) out vec3 color_in;
layout(push_constant) uniform Push
{
	mat4 view, light;
} push;
void main()
{
	float n = float(gl_VertexIndex);
	gl_Position = push.view * vec4(3.0 * sin(n * 2.4), 0.6 + 0.13 * n, 3.0 * cos(n * 2.4), 1.0);
	color_in = vec3(0.2 + 0.08 * n, 1.0 - 0.07 * n, 0.9);
}
