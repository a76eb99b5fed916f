#version 450
// An index that is one too large, in the store and in the load of the uniform buffer.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer In { int v[]; } src;
layout(set = 0, binding = 1) buffer Out { int v[]; } dst;
layout(set = 0, binding = 2) buffer Table { int v[]; } table;
void main()
{
	uint i = gl_GlobalInvocationID.x;
	int scale = table.v[gl_NumWorkGroups.x];
	dst.v[i + 1] = src.v[i] * scale;
}
