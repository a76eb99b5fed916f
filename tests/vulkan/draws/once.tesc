#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 0) out vec4 color[];
layout(location = 1) out vec4 flat_color[];
/* No patch is divided. */
void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	color[gl_InvocationID] = color_in[gl_InvocationID];
	flat_color[gl_InvocationID] = flat_in[gl_InvocationID];
	for (int i = 0; i < 3; i++)
		gl_TessLevelOuter[i] = 1.0;
	gl_TessLevelInner[0] = 1.0;
}
