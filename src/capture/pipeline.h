/* SPDX-License-Identifier: MIT */
#ifndef BW_CAPTURE_PIPELINE_H
#define BW_CAPTURE_PIPELINE_H

/* What the code of a dispatch, or of a shader of a draw, was made from: a record of its own in a
 * capture, which dispatches name by its number. Of a Vulkan compute pipeline it has the inputs, so
 * that other SPIR-V can replace it later; of a graphics pipeline the inputs of one shader, so that
 * a debugger knows its source. All numbers of layouts and flags are Vulkan's. Of a kernel of ROCm
 * it has the code object, which says to a debugger what is at which address. Pure. */

#include "capture/capture.h"

enum {
	BW_CAPTURE_SETS_MAX = 32,
	BW_CAPTURE_BINDINGS_MAX = 4096, /* of all sets */
	BW_CAPTURE_PUSHES_MAX = 32,
	BW_CAPTURE_CONSTANTS_MAX = 4096,
	BW_CAPTURE_SPIRV_MAX_B = 12 << 20,
	BW_CAPTURE_CODE_MAX_B = 12 << 20,
	BW_CAPTURE_PIPELINES_MAX = 1 << 16, /* of a capture */
};

struct bw_capture_set {
	uint32_t flags, n_bindings; /* the next ones of `bindings` */
	uint32_t is_none;	    /* VK_NULL_HANDLE, or a layout that is not known */
	uint32_t unknown; /* sType of a structure that came with it and is not here; 0: none */
};
struct bw_capture_binding {
	uint32_t binding, type, count, stages;
	uint32_t flags;	       /* VkDescriptorBindingFlags */
	uint32_t has_samplers; /* immutable ones, which are not here */
};
struct bw_capture_push {
	uint32_t stages, offset_b, size_b, pad;
};
struct bw_capture_constant {
	uint32_t id, size_b; /* up to 8 */
	uint64_t value;
};

/* Features that the program enabled on the pipeline's device. */
enum {
	BW_CAPTURE_ROBUST_BUFFERS = 1, /* robustBufferAccess */
	BW_CAPTURE_ROBUST_BUFFERS_2 = 2,
	BW_CAPTURE_ROBUST_IMAGES = 4,
	BW_CAPTURE_ROBUST_IMAGES_2 = 8,
};

/* A graphics pipeline has more inputs than a record of one of its shaders. */
enum bw_capture_stage {
	BW_CAPTURE_COMPUTE,
	BW_CAPTURE_VERTEX,
	BW_CAPTURE_PIXEL,
	BW_CAPTURE_CONTROL, /* of tessellation */
	BW_CAPTURE_EVALUATION,
	BW_CAPTURE_GEOMETRY,
	BW_CAPTURE_MESH,
	BW_CAPTURE_TASK,
	BW_CAPTURE_STAGES
};

/* Fixed part, without holes. */
struct bw_capture_pipeline_head {
	uint64_t flags; /* VkPipelineCreateFlags, or VkPipelineCreateFlags2 */
	uint32_t stage_flags, layout_flags;
	uint32_t subgroup; /* required size; 0: none */
	uint32_t robustness;
	uint32_t unknown; /* as of a set: of the pipeline or its stage */
	uint32_t stage;	  /* enum bw_capture_stage */
	char entry[256];  /* of a code object: its name, as the program's runtime has it */
};

struct bw_capture_pipeline {
	struct bw_capture_pipeline_head head;
	struct BW_VEC(struct bw_capture_set) sets;
	struct BW_VEC(struct bw_capture_binding) bindings;
	struct BW_VEC(struct bw_capture_push) pushes;
	struct BW_VEC(struct bw_capture_constant) constants;
	struct BW_VEC(uint32_t) spirv; /* words */
	/* The file of the code object, and where its address 0 lies; from BW_CAPTURE_VERSION_CODE
	 * on, and only of kernels that have one. */
	uint64_t code_base;
	struct BW_VEC(uint8_t) code;
};
void bw_capture_pipeline_fini(struct bw_capture_pipeline *p);

/* Convert to and from bytes. Decoding checks counts, sizes and the end of the entry point's name;
 * whether Vulkan accepts the numbers is for the user of the record to check. out: empty before, and
 * after an error. */
struct bw_error *bw_capture_pipeline_encode(const struct bw_capture_pipeline *p,
					    struct bw_capture_bytes *out) BW_MUST_CHECK;
struct bw_error *bw_capture_pipeline_decode(const void *bytes, size_t size_b,
					    struct bw_capture_pipeline *out) BW_MUST_CHECK;
/* The SPIR-V of a pipeline that was encoded without: size_b is a multiple of 4. */
struct bw_error *bw_capture_pipeline_add_spirv(struct bw_capture_bytes *bytes, const void *code,
					       size_t size_b) BW_MUST_CHECK;

#endif
