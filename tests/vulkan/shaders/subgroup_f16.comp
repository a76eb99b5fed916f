// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! needs float16 storage16
//! buffer 0 f16 256 range -10 10 47 input
//! buffer 1 f16 8192 zeros
//! dispatch 2 1 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#define T float16_t
#define T_MIN float16_t(-1.0 / 0.0)
#define T_MAX float16_t(1.0 / 0.0)
#define GROUP 128
#define N_OPS 2
#define OPS ALL(Min) ALL(Max)
layout(local_size_x = GROUP) in;
layout(binding = 0) readonly buffer In { T data[]; };
layout(binding = 1) buffer Out { T result[]; };
#include "subgroup_arithmetic.h"
