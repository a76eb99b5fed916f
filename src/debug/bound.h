/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BOUND_H
#define BW_DEBUG_BOUND_H

/* What a dispatch was given: its user SGPRs, the descriptors they point to, and the buffers that
 * these lead to. Read from memory as it is now. Descriptors are recognised by their content (types,
 * and addresses that are mapped), since driver and compiler decide where they lie. */

#include "debug/debug.h"
#include "image/picture.h"

struct bw_dispatch_info;

enum bw_bound_kind {
	BW_BOUND_BUFFER,  /* a V# in a set */
	BW_BOUND_IMAGE,	  /* a T# */
	BW_BOUND_POINTER, /* an address in a pair of SGPRs, or an argument in the kernarg block */
};
struct bw_bound {
	enum bw_bound_kind kind;
	unsigned sgpr;	     /* whose value points to the set, or is the pointer */
	uint64_t at;	     /* address of the descriptor; 0: POINTER in SGPRs */
	uint32_t offset_b;   /* of the descriptor in its set */
	uint64_t va, size_b; /* POINTER: to the end of its mapping */
	uint32_t stride_b, format;
	uint32_t dim[3]; /* IMAGE */
	unsigned type;	 /* IMAGE: 8 1D, 9 2D, 10 3D, 11 cube ... */
	uint32_t words[8];
	uint32_t buffer; /* number of the buffer it lies in; 0: none */
	char name[64];	 /* of buffer, image or argument; "" for none */
};
/* Owned by the caller (free). */
struct bw_error *bw_debug_bound(struct bw_debug *d, uint32_t dispatch, struct bw_bound **out,
				size_t *out_n) BW_MUST_CHECK;
/* Reads what a descriptor in a descriptor buffer says now; others stay as they are. */
void bw_debug_binding(struct bw_debug *d, struct bw_target_binding *b);
/* "2D", "buffer" ... */
const char *bw_image_type_name(unsigned type);

/* Buffers known so far: those of the program's API, and those that a dispatch was seen to be given.
 * A number is never used again while the program lives. */
struct bw_buffer_info {
	uint32_t number, space; /* where va is */
	uint64_t va, size_b;
	bool is_image;
	bool from_api;	 /* else from a descriptor or pointer */
	uint32_t object; /* id of its object where from_api */
	uint32_t usage;	 /* VkBufferUsageFlags or VkImageUsageFlags where from_api */
	char name[64];
};
/* Updates the list first. Borrowed until the next call. */
struct bw_error *bw_debug_buffers(struct bw_debug *d, const struct bw_buffer_info **out,
				  size_t *out_n) BW_MUST_CHECK;
struct bw_error *bw_debug_buffer(struct bw_debug *d, uint32_t number,
				 struct bw_buffer_info *out) BW_MUST_CHECK;
/* Gives numbers to all buffers that "info buffers" would show first, unless that was done since
 * waves last ran. dispatch: the one whose bound buffers count where no API knows buffers; 0:
 * none. */
struct bw_error *bw_debug_find_buffer(struct bw_debug *d, uint32_t dispatch, uint32_t number,
				      struct bw_buffer_info *out) BW_MUST_CHECK;

/* A picture of an image, as its descriptor says (the first level and layer of the view), or of
 * memory with rows one after the other. out is owned (bw_picture_fini). */
struct bw_picture_of {
	const struct bw_bound *image; /* NULL: the others say it */
	uint64_t va;
	uint32_t width, height;
	const struct bw_format *format; /* none of blocks */
};
struct bw_error *bw_debug_picture(struct bw_debug *d, const struct bw_picture_of *of,
				  struct bw_picture *out) BW_MUST_CHECK;

/* How many of the 16 user SGPRs the dispatch uses (RSRC2.USER_SGPR). */
unsigned bw_dispatch_user_sgprs(const struct bw_debug *d, const struct bw_dispatch_info *x);

#endif
