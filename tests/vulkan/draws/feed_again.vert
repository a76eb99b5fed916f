#version 450
/* What was captured, as vertices. */
layout(location = 0) in vec4 position;
layout(location = 2) out vec3 color;
void main()
{
	gl_Position = position;
	color = vec3(gl_VertexIndex % 4, gl_VertexIndex % 5, gl_InstanceIndex) / vec3(4.0, 8.0, 2.0);
}
