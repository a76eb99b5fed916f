#version 450
/* Captured by transform feedback: numbers that all implementations compute exactly, and gaps between them. */
layout(location = 0, xfb_buffer = 0, xfb_stride = 32, xfb_offset = 0) out vec4 place;
layout(location = 1, xfb_buffer = 0, xfb_offset = 20) flat out uvec2 number;
layout(location = 2, xfb_buffer = 1, xfb_stride = 12, xfb_offset = 0) out vec3 color;
layout(xfb_buffer = 2, xfb_stride = 16) out gl_PerVertex
{
	layout(xfb_offset = 0) vec4 gl_Position;
	float gl_PointSize;
};
void main()
{
	int n = gl_VertexIndex;
	gl_Position = vec4(float(n * 37 % 64) / 32.0 - 1.0, float(n * 23 % 64) / 32.0 - 1.0, float(n % 8) / 8.0, 1.0);
	gl_PointSize = 3.0;
	place = vec4(n, gl_InstanceIndex, n * 3, 0.5);
	number = uvec2(n * 0x01010101, 0xffffffffu - gl_InstanceIndex);
	color = vec3(n % 4, n % 5, n % 3) / vec3(4.0, 8.0, 4.0);
}
