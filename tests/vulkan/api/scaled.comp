#version 450
// The buffers of two sets, whose descriptors lie in a descriptor buffer (descriptor_buffer.c).
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 2) buffer Target { float target[]; };
layout(set = 1, binding = 1) uniform Params { float scale; int n; } params;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < params.n)
        target[i] = source[i] * params.scale;
}
