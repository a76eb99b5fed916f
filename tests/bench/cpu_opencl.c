/* SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#include "cpu.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/util.h"

struct cpu {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
};

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static char *read_text(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char *text = calloc(1, 1 << 20);
	if (f && text && fread(text, 1, (1 << 20) - 1, f) > 0)
		return text;
	free(text);
	return NULL;
}

static bool find_device(cl_device_id *out)
{
	cl_platform_id platform[8];
	cl_uint n = 0;
	if (clGetPlatformIDs(8, platform, &n) != CL_SUCCESS)
		return false;
	for (cl_uint i = 0; i < BW_MIN(n, 8u); i++)
		if (clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_CPU, 1, out, NULL) == CL_SUCCESS)
			return true;
	return false;
}

struct cpu *cpu_open(const char *source_path, unsigned threads, const char **out_why_not)
{
	struct cpu *c = calloc(1, sizeof(*c));
	_cleanup_free_ char *text = read_text(source_path);
	char number[16];
	snprintf(number, sizeof(number), "%u", threads);
	if (threads)
		setenv("POCL_MAX_PTHREAD_COUNT", number, 1);
	*out_why_not = "there is no OpenCL driver for the CPU (Debian: pocl-opencl-icd)";
	if (!c || !text || !find_device(&c->device)) {
		free(c);
		return NULL;
	}
	c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, NULL);
	c->queue = c->context ? clCreateCommandQueue(c->context, c->device, 0, NULL) : NULL;
	const char *source = text;
	c->program =
		c->queue ? clCreateProgramWithSource(c->context, 1, &source, NULL, NULL) : NULL;
	if (!c->program ||
	    clBuildProgram(c->program, 1, &c->device, "", NULL, NULL) != CL_SUCCESS) {
		*out_why_not = "the OpenCL driver of the CPU does not compile the kernels";
		cpu_close(c);
		return NULL;
	}
	return c;
}

void cpu_close(struct cpu *c)
{
	if (!c)
		return;
	if (c->program)
		clReleaseProgram(c->program);
	if (c->queue)
		clReleaseCommandQueue(c->queue);
	if (c->context)
		clReleaseContext(c->context);
	free(c);
}

const char *cpu_name(const struct cpu *c)
{
	return "PoCL";
}

struct arguments {
	cl_mem mem[3];
	cl_sampler sampler;
};

static cl_mem picture(const struct cpu *c, const struct cpu_job *job)
{
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
			      .image_width = job->width,
			      .image_height = job->width};
	return clCreateImage(c->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc,
			     (void *)job->in[0], NULL);
}

static bool set_arguments(const struct cpu *c, cl_kernel k, const struct cpu_job *job,
			  struct arguments *a)
{
	cl_uint at = 0;
	bool good = true;
	for (unsigned i = 0; i < 3; i++) {
		size_t size_b = i ? job->in_b[i - 1] : job->out_b;
		if (!size_b)
			continue;
		if (i && job->width)
			a->mem[i] = picture(c, job);
		else if (i)
			a->mem[i] =
				clCreateBuffer(c->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
					       size_b, (void *)job->in[i - 1], NULL);
		else
			a->mem[i] =
				clCreateBuffer(c->context, CL_MEM_WRITE_ONLY, size_b, NULL, NULL);
		good = good && a->mem[i] &&
		       clSetKernelArg(k, at++, sizeof(cl_mem), &a->mem[i]) == CL_SUCCESS;
	}
	if (job->width) {
		a->sampler = clCreateSampler(c->context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE,
					     CL_FILTER_LINEAR, NULL);
		good = good && a->sampler &&
		       clSetKernelArg(k, at++, sizeof(cl_sampler), &a->sampler) == CL_SUCCESS;
	}
	if (job->has_value)
		good = good && clSetKernelArg(k, at, sizeof(job->value), &job->value) == CL_SUCCESS;
	return good;
}

bool cpu_run(struct cpu *c, const struct cpu_job *job, double *out_wall_s, double *out_cpu_s)
{
	struct arguments a = {0};
	bool good = false;
	cl_kernel k = clCreateKernel(c->program, job->kernel, NULL);
	if (k && set_arguments(c, k, job, &a)) {
		double wall_s = seconds(CLOCK_MONOTONIC), cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
		good = clEnqueueNDRangeKernel(c->queue, k, 2, NULL, job->global, job->local, 0,
					      NULL, NULL) == CL_SUCCESS &&
		       clFinish(c->queue) == CL_SUCCESS;
		*out_wall_s = seconds(CLOCK_MONOTONIC) - wall_s;
		*out_cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
		good = good && clEnqueueReadBuffer(c->queue, a.mem[0], CL_TRUE, 0, job->out_b,
						   job->out, 0, NULL, NULL) == CL_SUCCESS;
	}
	for (unsigned i = 0; i < 3; i++)
		if (a.mem[i])
			clReleaseMemObject(a.mem[i]);
	if (a.sampler)
		clReleaseSampler(a.sampler);
	if (k)
		clReleaseKernel(k);
	return good;
}
