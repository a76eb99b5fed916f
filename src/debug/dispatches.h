/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DISPATCHES_H
#define BW_DEBUG_DISPATCHES_H

/* Dispatches, and the arguments with which their kernels were launched. */

#include "debug/debug.h"

enum bw_dispatch_state {
	BW_DISPATCH_HELD,
	BW_DISPATCH_RUNNING,
	BW_DISPATCH_DONE,
	BW_DISPATCH_FAILED
};
struct bw_dispatch_info {
	uint32_t number; /* from 1, never used again */
	uint32_t submission, queue;
	uint32_t inferior, space; /* the inferior to which it belongs; the address space of its
				   * addresses */
	enum bw_dispatch_state state;
	int result; /* FAILED: -errno */
	const struct bw_kernel
		*kernel;	 /* NULL: the session was not given its code; borrowed from the code
			  * object */
	const char *kernel_name; /* the symbol; "?" when unknown */
	/* for people: C++ names as in the source, "ns::dots(float*)"; else kernel_name */
	const char *kernel_title;
	const char *code_object; /* its path, or "" */
	uint64_t load_base;	 /* of the code object's image; 0 when unknown */
	uint64_t kernarg_va;	 /* 0 when unknown */
	uint32_t waves_per_group;
	uint32_t frame; /* number of the program's presents so far, from 1; 0: not known */
	/* It is a stage of that draw, and no dispatch. Draws are counted from 1; 0: a dispatch. */
	uint32_t draw;
	struct bw_target_dispatch desc;
	const char *label;			 /* "pass/blur", "" for none */
	const struct bw_target_object *pipeline; /* NULL: not known */
	/* VERTEX of a draw: the vertex or mesh shader, NULL: it is the one at desc.code_va; and the
	 * names of those between it and the pixel shader, "" for none */
	const char *vertex_shader, *other_shaders;
};
/* All dispatches in their order, without draws; those that have ended stay listed. Borrowed until
 * the next call that resumes waves. */
const struct bw_dispatch_info *bw_debug_dispatches(struct bw_debug *d, size_t *out_n);
const struct bw_dispatch_info *bw_debug_dispatch(struct bw_debug *d, uint32_t number);
/* The shaders of all draws in their order, two for each: vertex, pixel. Borrowed likewise. */
const struct bw_dispatch_info *bw_debug_draw_shaders(struct bw_debug *d, size_t *out_n);
/* The name of one of them. NULL: it is the driver's own. Where no pipeline is known at all, as in a
 * program of OpenGL, that cannot be told, and each has the name that its code gives it. */
const char *bw_debug_draw_shader_name(struct bw_debug *d, const struct bw_dispatch_info *x);
/* "vertex", "tessellation control", "pixel" ... */
const char *bw_stage_words(enum bw_target_stage stage);
/* What the shader of a draw is for that a wave runs at pc, and its name. A program may have two. */
enum bw_target_stage bw_debug_draw_stage_at(struct bw_debug *d, const struct bw_dispatch_info *x,
					    uint64_t pc, const char **out_name);
/* Writes "dispatch 3", or "pixel shader of draw 2". */
void bw_dispatch_words(const struct bw_dispatch_info *x, char out[48]);
/* The first dispatch that is held now, so that none of its waves has begun. NULL: none is held. */
const struct bw_dispatch_info *bw_debug_held(struct bw_debug *d);
/* Lists the pipelines, buffers and images that the program's API knows by name, as they are now.
 * *out is borrowed until the next call of this function. */
struct bw_error *bw_debug_objects(struct bw_debug *d, const struct bw_target_object **out,
				  size_t *out_n) BW_MUST_CHECK;

/* ---- Arguments ---- */

/* Only launch values of a kernel's arguments are known: the content of its block of arguments. The
 * variables of compiled code begin with those values and may change later; that is not seen here.
 * $_launch.NAME is the launch value at any place. The name alone is the launch value if the kernel
 * and the place are written in assembly, which has no variables. */

/* The first bytes of an argument. */
struct bw_arg_bytes {
	uint32_t n; /* number of bytes; 0: they could not be read */
	uint8_t bytes[32];
};
struct bw_arg_info {
	const struct bw_kernel_arg *arg;
	struct bw_value value;	   /* for buffers, a pointer */
	bool has_value;		   /* false: its type is not known, or it could not be read */
	struct bw_arg_bytes bytes; /* if its type is not known */
};
/* Writes why an argument has no value: "the type params is not known; its 8 bytes: 07 00 ...". */
void bw_arg_bytes_text(const struct bw_kernel_arg *arg, const struct bw_arg_bytes *b, char *out,
		       size_t out_b);
/* The launch values of the arguments of a dispatch's kernel, without hidden arguments. The caller
 * owns *out (bw_debug_free_args). */
struct bw_error *bw_debug_args(struct bw_debug *d, uint32_t dispatch, struct bw_arg_info **out,
			       size_t *out_n) BW_MUST_CHECK;
void bw_debug_free_args(struct bw_arg_info *args, size_t n);

#endif
