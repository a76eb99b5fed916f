#version 450
/* For geometry and tessellation shaders that are captured. */
layout(location = 0) out uvec2 number;
void main()
{
	gl_Position = vec4(float(gl_VertexIndex % 8) / 8.0, float(gl_VertexIndex % 5) / 8.0, 0.0, 1.0);
	number = uvec2(gl_VertexIndex, gl_InstanceIndex);
}
