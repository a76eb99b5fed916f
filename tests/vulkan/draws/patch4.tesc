#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 color_in[];
layout(location = 1) flat in vec4 flat_in[];
layout(location = 0) out vec4 color[];
layout(location = 1) out vec4 flat_color[];
/* Levels that differ between patches, edges and the inside. */
void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	color[gl_InvocationID] = color_in[gl_InvocationID];
	flat_color[gl_InvocationID] = flat_in[gl_InvocationID];
	barrier();
	float level = 1.0 + mod(float(gl_PrimitiveID) * 2.3, 7.0);
	for (int i = 0; i < 4; i++)
		gl_TessLevelOuter[i] = level + float(i);
	gl_TessLevelInner[0] = level * 1.3;
	gl_TessLevelInner[1] = level * 0.6 + 2.0;
}
