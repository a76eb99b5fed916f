#version 450
layout(vertices = 3) out;
void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	for (int i = 0; i < 3; i++)
		gl_TessLevelOuter[i] = float(4 >> gl_PrimitiveID % 3);
	gl_TessLevelInner[0] = float(4 >> gl_PrimitiveID % 3);
}
