/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_DESCRIPTORS_H
#define BW_AGENT_NAMES_DESCRIPTORS_H

/* The buffers that the program has put into its descriptor sets. Handles are the program's; any
 * thread may call. Images are ignored. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct bw_descriptor {
	uint32_t binding, element, type; /* VkDescriptorType */
	bool is_dynamic;
	bool is_address;		    /* offset_b is one, and buffer is 0 */
	uint64_t buffer, offset_b, range_b; /* range_b UINT64_MAX: to the buffer's end */
	uint64_t at_va; /* in a descriptor buffer: its own address, and buffer is 0; else 0 */
};
struct bw_descriptors BW_VEC(struct bw_descriptor);

/* Descriptors whose offset is given when the set is bound, in the order of the layout. */
enum { BW_DYNAMIC_MAX = 16 };
struct bw_dynamic {
	uint32_t n;
	struct {
		uint32_t binding, element;
	} at[BW_DYNAMIC_MAX];
};

/* The bindings of a layout in their order, without empty ones. Descriptors written after the last
 * element of one binding go to the next. Kept for ever, equal ones once; NULL: not known. */
struct bw_binding_count {
	uint32_t binding, count;
};
struct bw_bindings;
const struct bw_bindings *bw_bindings_keep(const struct bw_binding_count *at, uint32_t n);
/* Corrects the binding and element of d, whose element may be after the last one of its binding.
 * False: there is no such place. */
bool bw_bindings_place(const struct bw_bindings *b, struct bw_descriptor *d);

/* Puts one into a list in the order of bindings and elements, in place of that which was there.
 * Without memory it stays unknown. Needs no lock but the list's. */
void bw_descriptors_put(struct bw_descriptors *list, const struct bw_descriptor *d);

/* A set was made: it is empty. */
void bw_descriptors_make(uint64_t set, const struct bw_dynamic *dynamic,
			 const struct bw_bindings *bindings);
void bw_descriptors_forget(uint64_t set);
/* Sets that were not made here are not known. Elements run over into the next bindings. */
void bw_descriptors_write(uint64_t set, const struct bw_descriptor *d);
void bw_descriptors_copy(uint64_t from, uint32_t binding, uint32_t element, uint64_t to,
			 const struct bw_descriptor *first, uint32_t n);
/* The number of dynamic offsets that the set takes. */
uint32_t bw_descriptors_n_dynamic(uint64_t set);
/* Appends the set's descriptors, with those offsets added. False: no memory. */
bool bw_descriptors_list(uint64_t set, const uint32_t *offsets, uint32_t n,
			 struct bw_descriptors *out);
/* To be called in a forked child. */
void bw_descriptors_fork_child(void);

#endif
