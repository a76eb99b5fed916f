/* SPDX-License-Identifier: MIT */
/* The OpenCL layer on drivers of different versions. What it may call follows from the table of
 * the ICD: clCreateBufferWithProperties came with OpenCL 3.0 (CL/cl_icd.h). */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <errno.h>
#include <string.h>

#include "../../suite.h"
#include "agent/memory/memory.h"

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n_entries, const cl_icd_dispatch *target,
					    cl_uint *out_n, const cl_icd_dispatch **out);

/* What recognises launches reads their arguments; nothing is launched here. */
int bw_memory_read(struct bw_agent_file *f, uint64_t va, void *out, uint64_t size_b,
		   uint64_t *bad_va)
{
	return -EFAULT;
}

static const char *version;
static unsigned n_plain, n_with;

static CL_API_ENTRY cl_int CL_API_CALL context_info(cl_context context, cl_context_info what,
						    size_t size_b, void *out, size_t *out_size_b)
{
	assert_int_equal(what, CL_CONTEXT_DEVICES);
	*(cl_device_id *)out = (cl_device_id)&version;
	return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what,
						   size_t size_b, void *out, size_t *out_size_b)
{
	assert_int_equal(what, CL_DEVICE_PLATFORM);
	*(cl_platform_id *)out = (cl_platform_id)&version;
	return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what,
						     size_t size_b, void *out, size_t *out_size_b)
{
	assert_int_equal(what, CL_PLATFORM_VERSION);
	strncpy(out, version, size_b);
	return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL mem_info(cl_mem mem, cl_mem_info what, size_t size_b,
						void *out, size_t *out_size_b)
{
	return CL_INVALID_VALUE; /* no addresses */
}

static CL_API_ENTRY cl_mem CL_API_CALL plain(cl_context context, cl_mem_flags flags, size_t size_b,
					     void *host, cl_int *out_err)
{
	n_plain++;
	return (cl_mem)&n_plain;
}

static CL_API_ENTRY cl_mem CL_API_CALL with(cl_context context, const cl_mem_properties *properties,
					    cl_mem_flags flags, size_t size_b, void *host,
					    cl_int *out_err)
{
	n_with++;
	return (cl_mem)&n_with;
}

static void one(const char *text, unsigned plain_calls, unsigned with_calls)
{
	static const cl_icd_dispatch driver = {
		.clGetContextInfo = context_info,
		.clGetDeviceInfo = device_info,
		.clGetPlatformInfo = platform_info,
		.clGetMemObjectInfo = mem_info,
		.clCreateBuffer = plain,
		.clCreateBufferWithProperties = with,
	};
	const cl_icd_dispatch *ours;
	cl_uint n;
	cl_int err;
	version = text;
	n_plain = n_with = 0;
	assert_int_equal(clInitLayer(sizeof(driver) / sizeof(void *), &driver, &n, &ours),
			 CL_SUCCESS);
	assert_non_null(ours->clCreateBuffer((cl_context)&version, 0, 4, NULL, &err));
	assert_int_equal(n_plain, plain_calls);
	assert_int_equal(n_with, with_calls);
}

static void buffers_by_what_the_driver_has(void **state)
{
	one("OpenCL 3.0 PoCL", 0, 1);
	one("OpenCL 2.1 AMD-APP (3590.0)", 1, 0);
	one("OpenCL 1.2", 1, 0);
	one("", 1, 0);
}

TESTS(buffers_by_what_the_driver_has);
