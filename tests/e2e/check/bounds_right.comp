#version 450
// The same without the error.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer In { int v[]; } src;
layout(set = 0, binding = 1) buffer Out { int v[]; } dst;
layout(set = 0, binding = 2) buffer Table { int v[]; } table;
void main()
{
	uint i = gl_GlobalInvocationID.x;
	int scale = table.v[gl_NumWorkGroups.x - 1];
	dst.v[i] = src.v[i] * scale;
}
