#version 450
// A picture is moved to the right by one texel: the last column is stored outside of it.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D src;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D dst;
void main()
{
	ivec2 at = ivec2(gl_GlobalInvocationID.xy);
	imageStore(dst, ivec2(at.x + 1, at.y), imageLoad(src, ivec2(at.x, at.y - 1)));
}
