// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint result[]; };

#define INOUT(type) inout type
#define ARRAY(type, name, n) type name[n]
#include "steps.glsl"
