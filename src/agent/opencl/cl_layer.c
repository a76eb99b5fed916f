/* SPDX-License-Identifier: MIT */
/* The agent as an OpenCL layer: it notes kernels, their arguments and launches (launches.h), and
 * buffers with their addresses. `breakwater run -- PROGRAM` asks the ICD loader for it by
 * OPENCL_LAYERS; a loader that does not know the variable goes without names. After the loaders'
 * documentation of layers (CL/cl_layer.h, API version 100).
 *
 * It changes one thing: buffers are made with a device address (cl_ext_buffer_device_address) where
 * the driver can, since OpenCL does not tell the address of others. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <stdio.h>
#include <string.h>

#include "agent/names/names_priv.h"
#include "agent/opencl/launches.h"
#include "agent/shaders/shaders.h"
#include "base/cleanup.h"
#include "base/util.h"

#define EXPORT __attribute__((visibility("default")))
#define HANDLE(h) ((uint64_t)(uintptr_t)(h))

/* Version 1.0.2 of the extension; bookworm's headers do not have it. */
enum { DEVICE_PRIVATE_ADDRESS = 0x5000, DEVICE_ADDRESS = 0x5001, PROPERTIES_MAX = 16 };
enum { KERNELS_A_PROGRAM = 1024 };

static const cl_icd_dispatch *next;
static cl_icd_dispatch ours;

/* ---- Buffers ---- */

/* Whether the driver has the functions of OpenCL 3.0. The loader's table has them for each driver:
 * with an older one they read past the end of the driver's own table. */
static bool is_opencl_3(cl_context context)
{
	cl_device_id devices[16] = {NULL};
	cl_platform_id platform = NULL;
	char version[128] = "";
	unsigned major = 0;
	return !next->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(devices), devices,
				       NULL) &&
	       !next->clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM, sizeof(platform), &platform,
				      NULL) &&
	       !next->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(version) - 1, version,
					NULL) &&
	       sscanf(version, "OpenCL %u.", &major) == 1 && major >= 3;
}

/* 0: not known. Of several devices the address of the first one. */
static uint64_t address_of(cl_mem mem)
{
	uint64_t address[16] = {0};
	size_t n = 0;
	if (!mem || next->clGetMemObjectInfo(mem, DEVICE_ADDRESS, sizeof(address), address, &n) ||
	    n < sizeof(address[0]))
		return 0;
	return address[0];
}

static void note_buffer(cl_mem mem, size_t size_b)
{
	struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_BUFFER,
				    .handle = HANDLE(mem),
				    .va = address_of(mem),
				    .size_b = size_b};
	if (mem && o.va)
		bw_names_add(&o);
}

/* The program's properties and ours; false: they are too many, or ours is among them. */
static bool add_property(const cl_mem_properties *properties, cl_mem_properties out[PROPERTIES_MAX])
{
	unsigned n = 0;
	for (; properties && properties[n]; n += 2) {
		if (n + 4 >= PROPERTIES_MAX || properties[n] == DEVICE_PRIVATE_ADDRESS)
			return false;
		out[n] = properties[n];
		out[n + 1] = properties[n + 1];
	}
	out[n] = DEVICE_PRIVATE_ADDRESS;
	out[n + 1] = CL_TRUE;
	out[n + 2] = 0;
	return true;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer_with(cl_context context,
							  const cl_mem_properties *properties,
							  cl_mem_flags flags, size_t size_b,
							  void *host, cl_int *out_err)
{
	cl_mem_properties more[PROPERTIES_MAX];
	cl_int err;
	cl_mem mem = NULL;
	if (add_property(properties, more))
		mem = next->clCreateBufferWithProperties(context, more, flags, size_b, host, &err);
	if (!mem)
		return next->clCreateBufferWithProperties(context, properties, flags, size_b, host,
							  out_err);
	if (out_err)
		*out_err = err;
	note_buffer(mem, size_b);
	return mem;
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags,
						     size_t size_b, void *host, cl_int *out_err)
{
	cl_mem_properties only[PROPERTIES_MAX];
	cl_int err;
	cl_mem mem = NULL;
	if (next->clCreateBufferWithProperties && is_opencl_3(context) && add_property(NULL, only))
		mem = next->clCreateBufferWithProperties(context, only, flags, size_b, host, &err);
	if (!mem)
		return next->clCreateBuffer(context, flags, size_b, host, out_err);
	if (out_err)
		*out_err = err;
	note_buffer(mem, size_b);
	return mem;
}

static CL_API_ENTRY cl_int CL_API_CALL release_mem(cl_mem mem)
{
	cl_uint count = 0;
	if (mem &&
	    !next->clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL) &&
	    count == 1)
		bw_names_remove(BW_AGENT_OBJECT_BUFFER, HANDLE(mem));
	return next->clReleaseMemObject(mem);
}

/* ---- Kernels ---- */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Describes an argument by the program's source. Without it (a program of a binary) the kind is not
 * known, and no launch of the kernel will be recognised. */
static void describe_arg(cl_kernel kernel, cl_uint index, struct bw_launch_arg *out)
{
	cl_kernel_arg_address_qualifier space = 0;
	char name[512] = "", type[512] = "";
	if (next->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space),
				     &space, NULL))
		return;
	bool has_type = !next->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME,
						  sizeof(type), type, NULL);
	if (next->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL))
		name[0] = 0;
	if (!has_type)
		type[0] = 0;
	memcpy(out->name, name, strnlen(name, sizeof(out->name) - 1));
	memcpy(out->type, type, strnlen(type, sizeof(out->type) - 1));
	bool opaque = begins(type, "image") || begins(type, "sampler_t") || begins(type, "pipe ");
	out->kind = opaque				     ? BW_LAUNCH_OPAQUE
		    : space == CL_KERNEL_ARG_ADDRESS_LOCAL   ? BW_LAUNCH_LOCAL
		    : space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? BW_LAUNCH_VALUE
							     : BW_LAUNCH_BUFFER;
}

/* Notes the source of the kernel's program, for the types of its arguments. Programs of binaries
 * and linked ones have none. */
static void note_source(cl_kernel kernel, uint32_t object)
{
	cl_program program = NULL;
	cl_device_id devices[16];
	size_t devices_b = 0, source_b = 0, options_b = 0;
	if (next->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL) ||
	    next->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(devices), devices,
				   &devices_b) ||
	    devices_b < sizeof(devices[0]) ||
	    next->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &source_b) ||
	    next->clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_OPTIONS, 0, NULL,
					&options_b))
		return;
	_cleanup_free_ char *source = calloc(1, source_b + 1), *options = calloc(1, options_b + 1);
	if (source && options && source_b > 1 &&
	    !next->clGetProgramInfo(program, CL_PROGRAM_SOURCE, source_b, source, NULL) &&
	    !next->clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_OPTIONS, options_b,
					 options, NULL))
		bw_shaders_source(object, options, source);
}

static void note_kernel(cl_kernel kernel)
{
	struct bw_launch_arg args[BW_LAUNCH_ARGS_MAX];
	char name[512];
	cl_uint n = 0;
	memset(args, 0, sizeof(args));
	if (next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL) ||
	    next->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(n), &n, NULL) ||
	    n > BW_LAUNCH_ARGS_MAX)
		return;
	for (cl_uint i = 0; i < n; i++)
		describe_arg(kernel, i, &args[i]);
	uint32_t object = bw_launches_kernel(HANDLE(kernel), name, args, n);
	if (object)
		note_source(kernel, object);
}

static CL_API_ENTRY cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
							cl_int *out_err)
{
	cl_kernel kernel = next->clCreateKernel(program, name, out_err);
	if (kernel)
		note_kernel(kernel);
	return kernel;
}

static CL_API_ENTRY cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room,
						      cl_kernel *kernels, cl_uint *out_n)
{
	cl_uint n = 0;
	cl_int r = next->clCreateKernelsInProgram(program, room, kernels, &n);
	if (out_n)
		*out_n = n;
	for (cl_uint i = 0; !r && kernels && i < BW_MIN(n, (cl_uint)KERNELS_A_PROGRAM); i++)
		note_kernel(kernels[i]);
	return r;
}

static CL_API_ENTRY cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int *out_err)
{
	cl_kernel kernel = next->clCloneKernel(source, out_err);
	if (kernel)
		bw_launches_clone(HANDLE(source), HANDLE(kernel));
	return kernel;
}

static void note_buffer_arg(cl_kernel kernel, cl_uint index, const void *value)
{
	cl_mem mem = NULL;
	uint64_t va = 0;
	if (value)
		memcpy(&mem, value, sizeof(mem));
	va = address_of(mem);
	/* no buffer is the address 0 */
	bw_launches_set(HANDLE(kernel), index, va || !mem ? &va : NULL, sizeof(va));
}

static CL_API_ENTRY cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size_b,
					       const void *value)
{
	cl_int r = next->clSetKernelArg(kernel, index, size_b, value);
	if (r)
		return r;
	switch (bw_launches_arg_kind(HANDLE(kernel), index)) {
	case BW_LAUNCH_VALUE:
		bw_launches_set(HANDLE(kernel), index, value, size_b);
		break;
	case BW_LAUNCH_BUFFER:
		note_buffer_arg(kernel, index, value);
		break;
	case BW_LAUNCH_LOCAL:
		bw_launches_set(HANDLE(kernel), index, NULL, sizeof(uint64_t));
		break;
	case BW_LAUNCH_OPAQUE:
		break;
	}
	return r;
}

static CL_API_ENTRY cl_int CL_API_CALL set_arg_svm(cl_kernel kernel, cl_uint index,
						   const void *value)
{
	cl_int r = next->clSetKernelArgSVMPointer(kernel, index, value);
	uint64_t va = HANDLE(value);
	if (!r)
		bw_launches_set(HANDLE(kernel), index, &va, sizeof(va));
	return r;
}

/* ---- Launches ---- */

static CL_API_ENTRY cl_int CL_API_CALL launch_range(cl_command_queue queue, cl_kernel kernel,
						    cl_uint n_dims, const size_t *offset,
						    const size_t *global, const size_t *local,
						    cl_uint n_waits, const cl_event *waits,
						    cl_event *out_event)
{
	struct bw_launch_grid grid = {.n_dims = BW_MIN(n_dims, 3u)};
	for (cl_uint i = 0; i < grid.n_dims; i++) {
		grid.global[i] = global ? global[i] : 0;
		grid.local[i] = local ? local[i] : 0;
	}
	/* before the call: the driver may submit it before the call returns */
	bw_launches_add(HANDLE(queue), HANDLE(kernel), &grid);
	return next->clEnqueueNDRangeKernel(queue, kernel, n_dims, offset, global, local, n_waits,
					    waits, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel,
						   cl_uint n_waits, const cl_event *waits,
						   cl_event *out_event)
{
	const struct bw_launch_grid grid = {.n_dims = 1, .global = {1}, .local = {1}};
	bw_launches_add(HANDLE(queue), HANDLE(kernel), &grid);
	return next->clEnqueueTask(queue, kernel, n_waits, waits, out_event);
}

/* ---- For the loader ---- */

static const char layer_name[] = "breakwater";

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size_b, void *out,
						      size_t *out_size_b)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	bool is_name = what == CL_LAYER_NAME;
	size_t need = is_name ? sizeof(layer_name) : sizeof(version);
	if (!is_name && what != CL_LAYER_API_VERSION)
		return CL_INVALID_VALUE;
	if (out && size_b < need)
		return CL_INVALID_VALUE;
	if (out)
		memcpy(out, is_name ? (const void *)layer_name : (const void *)&version, need);
	if (out_size_b)
		*out_size_b = need;
	return CL_SUCCESS;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n_entries, const cl_icd_dispatch *target,
						   cl_uint *out_n, const cl_icd_dispatch **out)
{
	if (!target || !out_n || !out)
		return CL_INVALID_VALUE;
	size_t size_b = BW_MIN(n_entries * sizeof(void *), sizeof(ours));
	next = target;
	memcpy(&ours, target, size_b);
	ours.clCreateBuffer = create_buffer;
	if (ours.clCreateBufferWithProperties)
		ours.clCreateBufferWithProperties = create_buffer_with;
	ours.clReleaseMemObject = release_mem;
	ours.clCreateKernel = create_kernel;
	ours.clCreateKernelsInProgram = create_kernels;
	if (ours.clCloneKernel)
		ours.clCloneKernel = clone_kernel;
	ours.clSetKernelArg = set_arg;
	if (ours.clSetKernelArgSVMPointer)
		ours.clSetKernelArgSVMPointer = set_arg_svm;
	ours.clEnqueueNDRangeKernel = launch_range;
	ours.clEnqueueTask = launch_task;
	*out_n = (cl_uint)(size_b / sizeof(void *));
	*out = &ours;
	return CL_SUCCESS;
}
