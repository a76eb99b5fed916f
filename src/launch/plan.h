/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_PLAN_H
#define BW_LAUNCH_PLAN_H

/* A checked launch: everything that follows from a kernel and its options, before any GPU is
 * touched. All that the user can get wrong is found here, so that `breakwater run` can say it
 * before it starts anything. */

#include "launch/options.h"
#include "launch/value.h"
#include "sym/code_object.h"

struct bw_plan_arg {
	char *name;		   /* owned */
	char number[24];	   /* what one may also be called whose metadata has no name; "" */
	enum bw_arg_kind kind;	   /* BUFFER, VALUE or LDS_POINTER */
	uint32_t offset_b, size_b; /* in the kernarg block */
	struct bw_arg_value value;
	uint32_t lds_offset_b; /* LDS_POINTER */
};

struct bw_plan_output {
	size_t arg;	  /* index of a buffer */
	uint64_t count;	  /* elements, --print */
	const char *path; /* --dump, else NULL; borrowed from the options */
};

/* What differs between the GPUs that a kernel can be built for. */
struct bw_launch_gpu_kind {
	const char *gfx;	 /* how their names begin: "gfx94" */
	unsigned waves_per_cu;	 /* that can be resident */
	uint32_t scratch_unit_b; /* of a wave: COMPUTE_TMPRING_SIZE.WAVESIZE */
	bool scratch_is_of_gpu;	 /* COMPUTE_TMPRING_SIZE.WAVES: not of each shader engine */
	bool runs_raw;		 /* machine code without a descriptor */
	bool scratch_in_sgprs;	 /* kernels take a buffer and a base of their scratch there */
};

struct bw_launch_plan {
	const struct bw_launch_gpu_kind *gpu;
	struct bw_code_object *co;	/* owned; NULL for raw code */
	const struct bw_kernel *kernel; /* NULL for raw code */
	char *name;			/* owned: symbol of the kernel, or name of the file */
	char *title;	      /* owned: the same for people, of C++ as the source has it */
	const uint8_t *image; /* borrowed from co, or owned by raw_image */
	uint8_t *raw_image;
	size_t image_b;
	uint64_t entry; /* in the image */

	/* COMPUTE_PGM_RSRCn, with LDS size, SCRATCH_EN and TRAP_PRESENT */
	uint32_t rsrc1, rsrc2, rsrc3;
	uint16_t properties; /* BW_KCP_*, as in the kernel descriptor */
	bool wave32;
	uint32_t lds_b, scratch_b;				  /* of a group; of a lane */
	uint32_t user_sgprs;					  /* how many RSRC2 says */
	uint32_t user_sgpr_mask, user_sgpr[BW_LAUNCH_USER_SGPRS]; /* raw code: preset by the user */
	bool code_in_gtt;					  /* not in VRAM: raw code */

	uint32_t grid[3], group[3]; /* work-items */
	uint32_t groups[3];	    /* workgroups, partial ones counted */

	struct BW_VEC(struct bw_plan_arg) args;
	uint32_t kernarg_b;
	/* where the kernarg block has the address of printf's buffer; NULL: the kernel prints
	 * nothing */
	const struct bw_kernel_arg *printf_arg;
	struct BW_VEC(struct bw_plan_output) prints, dumps;
};

/* path: a code object, or raw machine code (*.bin). gpu: "gfx1100", or NULL when it is not known
 * yet. options must outlive the plan. */
struct bw_error *bw_launch_plan_make(const struct bw_launch_options *options, const char *path,
				     const char *gpu, struct bw_launch_plan **out) BW_MUST_CHECK;
/* Whether users call the argument so: by its name, or, where its metadata has none, by its
 * number. */
bool bw_plan_arg_is(const struct bw_plan_arg *arg, const char *name);
void bw_launch_plan_free(struct bw_launch_plan *plan);
/* Is this code object made for that GPU ("gfx1100")? */
struct bw_error *bw_launch_plan_check_gpu(const struct bw_launch_plan *plan,
					  const char *gpu) BW_MUST_CHECK;

/* Fills the kernarg block: arguments and hidden arguments. buffer_va[i]: address of args.data[i]
 * where that is a buffer. out: kernarg_b bytes. */
void bw_launch_plan_kernarg(const struct bw_launch_plan *plan, const uint64_t *buffer_va,
			    uint64_t queue_va, uint8_t *out);

#endif
