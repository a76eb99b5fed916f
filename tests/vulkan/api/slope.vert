#version 450
/* The depth grows with x, from 0 to 1. */
void main()
{
	float x = gl_VertexIndex == 1 ? 3.0 : -1.0;
	gl_Position = vec4(x, gl_VertexIndex == 2 ? 3.0 : -1.0, x * 0.5 + 0.5, 1.0);
}
