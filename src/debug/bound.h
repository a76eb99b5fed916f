/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BOUND_H
#define BW_DEBUG_BOUND_H

/* The resources bound to a dispatch: its user SGPRs, the descriptors to which they point, and the
 * buffers that the descriptors name. They are read from memory as it is now. Descriptors are
 * recognised by their content (types, and addresses that are mapped), since driver and compiler
 * decide where they lie. */

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
	/* the user SGPR whose value points to the set, or is the pointer itself */
	unsigned sgpr;
	uint64_t at;	     /* address of the descriptor; 0: a POINTER in SGPRs has none */
	uint32_t offset_b;   /* offset of the descriptor in its set */
	uint64_t va, size_b; /* POINTER: the size reaches to the end of the mapping */
	uint32_t stride_b, format;
	uint32_t dim[3]; /* IMAGE: in texels */
	unsigned type;	 /* IMAGE: 8 1D, 9 2D, 10 3D, 11 cube ... */
	uint32_t words[8];
	uint32_t buffer; /* number of the buffer in which it lies; 0: none */
	char name[64];	 /* name of the buffer, image or argument; "" for none */
};
/* Lists what is bound to a dispatch. The caller owns *out (free). */
struct bw_error *bw_debug_bound(struct bw_debug *d, uint32_t dispatch, struct bw_bound **out,
				size_t *out_n) BW_MUST_CHECK;
/* Reads again what a descriptor in a descriptor buffer says; other bindings stay unchanged. */
void bw_debug_binding(struct bw_debug *d, struct bw_target_binding *b);
/* The name of a T#'s type: "2D", "buffer" ... Static. */
const char *bw_image_type_name(unsigned type);

/* The buffers known so far: those of the program's API, and those that were found bound to a
 * dispatch. A number is never used again while the program lives. */
struct bw_buffer_info {
	uint32_t number, space; /* space: the address space of va */
	uint64_t va, size_b;
	bool is_image;
	bool from_api;	 /* false: found in a descriptor or a pointer */
	uint32_t object; /* if from_api: id of its object */
	uint32_t usage;	 /* if from_api: VkBufferUsageFlags or VkImageUsageFlags */
	char name[64];
};
/* As the program calls the buffer, else as a dispatch does to which it is bound; "": not known. */
const char *bw_debug_buffer_name(const struct bw_buffer_info *b, const struct bw_bound *bound,
				 size_t n);
/* Updates the list of buffers first. *out is borrowed until the next call. */
struct bw_error *bw_debug_buffers(struct bw_debug *d, const struct bw_buffer_info **out,
				  size_t *out_n) BW_MUST_CHECK;
struct bw_error *bw_debug_buffer(struct bw_debug *d, uint32_t number,
				 struct bw_buffer_info *out) BW_MUST_CHECK;
/* Gives a number to every buffer that "info buffers" would list, unless that was done since waves
 * last ran, and looks up one of them. dispatch: if no API knows the buffers, those bound to this
 * dispatch are listed; 0: none. */
struct bw_error *bw_debug_find_buffer(struct bw_debug *d, uint32_t dispatch, uint32_t number,
				      struct bw_buffer_info *out) BW_MUST_CHECK;

/* The data for a picture: an image as its descriptor describes it (the first level and layer of the
 * view), or of memory with rows one after the other. The caller owns the result
 * (bw_picture_fini). */
struct bw_picture_of {
	const struct bw_bound *image; /* NULL: the other fields describe the memory */
	uint64_t va;
	uint32_t width, height;
	const struct bw_format *format; /* not a block-compressed format */
	unsigned level;			/* of the image, counted from its view's first */
	bool any_samples; /* of a multisampled image, its first sample; else it is refused */
};
struct bw_error *bw_debug_picture(struct bw_debug *d, const struct bw_picture_of *of,
				  struct bw_picture *out) BW_MUST_CHECK;

/* The number of user SGPRs of the dispatch, of 16 at most (RSRC2.USER_SGPR). */
unsigned bw_dispatch_user_sgprs(const struct bw_debug *d, const struct bw_dispatch_info *x);

#endif
