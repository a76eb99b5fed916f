/* SPDX-License-Identifier: MIT */
/* OpenCL by the driver that ROCm has for it: a kernel with a structure as its argument, and with a
 * barrier, whose flag is a macro of the compiler's own header. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256 };

static const char *source =
	"typedef struct { float scale; int offset; } line_t;\n"
	"__kernel void scale(__global const float *x, __global float *y,\n"
	"                    line_t line)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_local_size(0);\n"
	"	__local float turned[256];\n"
	"	turned[n - 1 - get_local_id(0)] = x[i];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	y[i] = turned[n - 1 - get_local_id(0)] * line.scale + line.offset;\n"
	"}\n";

static void must(cl_int err, const char *what)
{
	if (!err)
		return;
	printf("scale: %s: error %d\n", what, err);
	exit(1);
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;
	float x[N], y[N];
	const struct {
		float scale;
		int offset;
	} line = {2, 1};
	const size_t global = N;
	int wrong = 0;
	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	must(clGetPlatformIDs(1, &platform, NULL), "platforms");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "devices");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	must(err, "context");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	must(err, "queue");
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	must(err, "program");
	must(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
	cl_kernel kernel = clCreateKernel(program, "scale", &err);
	must(err, "kernel");
	cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(x), x, &err);
	must(err, "buffer");
	cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(y), NULL, &err);
	must(err, "buffer");
	must(clSetKernelArg(kernel, 0, sizeof(from), &from) ||
		     clSetKernelArg(kernel, 1, sizeof(to), &to) ||
		     clSetKernelArg(kernel, 2, sizeof(line), &line),
	     "arguments");
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
	     "launch");
	must(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(y), y, 0, NULL, NULL), "read");
	for (int i = 0; i < N; i++)
		wrong += y[i] != (float)(2 * i + 1);
	if (wrong)
		printf("scale: %d wrong\n", wrong);
	else
		printf("scale: right\n");
	return 0;
}
