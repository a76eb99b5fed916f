/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_NAMES_H
#define BW_AGENT_NAMES_NAMES_H

/* Facts that the program's graphics API knows and its ioctls do not show: which pipeline a dispatch
 * packet belongs to, labels, push constants, names of objects. They are known for Vulkan, where the
 * agent is a layer as well (vk_layer.c); objects of OpenCL (launches.h) are here, too. */

#include "agent/agent.h"
#include "base/vec.h"
#include "wire/agent_proto.h"

struct bw_agent_dispatches BW_VEC(struct bw_agent_dispatch);
/* Whether i is a draw: its two stages follow each other there. */
static inline bool bw_agent_is_draw(const struct bw_agent_dispatches *all, size_t i)
{
	return i + 1 < all->len && all->data[i].stage == BW_AGENT_VERTEX &&
	       all->data[i + 1].stage == BW_AGENT_PIXEL;
}
struct bw_agent_objects BW_VEC(struct bw_agent_object);
struct bw_names_blob BW_VEC(uint8_t);

/* Fills in pipeline, label and push constants of the packets of a submission that this thread is
 * making, dispatches and draws (two entries each, of its stages), as far as they are known; their
 * bytes go to the end of blob. Returns the number of the frame, 0: not known. */
uint32_t bw_names_match(struct bw_agent_dispatches *dispatches, struct bw_agent_dispatches *draws,
			struct bw_names_blob *blob);
/* The names of the submission that this thread is making, for a debugger that attaches later. Owned
 * (bw_names_kept_free); NULL: nothing, or no memory. */
struct bw_names_kept *bw_names_keep(void);
struct bw_names_kept *bw_names_kept_copy(const struct bw_names_kept *kept);
void bw_names_kept_free(struct bw_names_kept *kept);
/* bw_names_match for a submission that was made before; kept may be NULL. */
uint32_t bw_names_match_kept(struct bw_names_kept *kept, struct bw_agent_dispatches *dispatches,
			     struct bw_agent_dispatches *draws, struct bw_names_blob *blob);
/* All objects that live; the caller frees the vector. */
struct bw_error *bw_names_objects(struct bw_agent_objects *out) BW_MUST_CHECK;
/* A number that changes when buffers or images are made, named, placed or destroyed. */
uint64_t bw_names_changes(void);
/* A pipeline of these by its own name, else by the name of what it was made of. Leaves out as it is
 * where there is none of that id; 0 is none. */
void bw_names_pipeline(const struct bw_agent_objects *objects, uint32_t id, char *out, size_t room);
/* Appends to a blob whose first byte stays unused; returns where, 0 when there is no memory. */
uint32_t bw_names_append(struct bw_names_blob *b, const void *data, size_t size_b);
/* The code's address of a living pipeline, noted at its dispatch; 0: not known. */
uint64_t bw_names_code_of(uint32_t pipeline);
/* To be called in a forked child. */
void bw_names_fork_child(void);

#endif
