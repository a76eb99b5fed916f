#version 450
// Four buffers at three bindings, which one write fills (run_over.c).
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer First { float first[]; };
layout(binding = 1) readonly buffer Middle { float value[]; } middle[2];
layout(binding = 3) buffer Last { float last[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    last[i] = first[i] + middle[0].value[i] * middle[1].value[i];
}
