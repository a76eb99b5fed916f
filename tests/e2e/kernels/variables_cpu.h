// SPDX-License-Identifier: MIT
// What variables.cl and others need to be C for the CPU, where they are run by test_variables.py.
#include <stdbool.h>
#include <string.h>
#define __kernel
#define __global
#define __private
#define __local
#define LOCAL static
#define VECTOR(...) {__VA_ARGS__}
#define WORK_ITEM work_item
typedef unsigned char uchar;
typedef unsigned long ulong;
typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef short short4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef uchar uchar4 __attribute__((ext_vector_type(4)));
static int work_item;
