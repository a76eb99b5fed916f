// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! needs int8 storage8
//! buffer 0 u8 256 random 42 input
//! buffer 1 u8 28672 zeros
//! dispatch 2 1 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#define T uint8_t
#define T_MIN uint8_t(0)
#define T_MAX uint8_t(255)
#define GROUP 128
#define BITWISE
#define N_OPS 7
#define OPS ALL(Add) ALL(Mul) ALL(Min) ALL(Max) ALL(And) ALL(Or) ALL(Xor)
layout(local_size_x = GROUP) in;
layout(binding = 0) readonly buffer In { T data[]; };
layout(binding = 1) buffer Out { T result[]; };
#include "subgroup_arithmetic.h"
