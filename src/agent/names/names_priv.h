/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_NAMES_PRIV_H
#define BW_AGENT_NAMES_NAMES_PRIV_H

/* The functions by which the layer (vk_*.c) reports to names.c, in terms that do not depend on the
 * API. Handles are the program's; unknown ones are ignored: the program may have made them before
 * the layer was active. Any thread may call. */

#include "agent/names/descriptors.h"
#include "agent/names/names.h"

/* ---- Objects ---- */

/* Takes a copy; a living object of this kind and handle is replaced. Returns the id. */
uint32_t bw_names_add(const struct bw_agent_object *o);
/* The id of the living object of this kind and handle; o is added where there is none. */
uint32_t bw_names_object(const struct bw_agent_object *o);
/* The id of the kernel of that name, of an API that has no pipelines. Kernels of a name are one
 * object, whatever the program makes and releases: a launch can be submitted when its kernel is
 * gone. */
uint32_t bw_names_kernel(const char *name);
void bw_names_remove(uint32_t kind, uint64_t handle);
/* kind 0: a name for a thing that has no table of its own (a shader module), kept for later. */
void bw_names_set_name(uint32_t kind, uint64_t handle, const char *name);
const char *bw_names_other_name(uint64_t handle, char out[64]);
/* A shader of a graphics pipeline is an object of its own, with this handle; stage: enum
 * bw_agent_stage. */
#define BW_NAMES_STAGE(pipeline, stage) ((pipeline) | (uint64_t)(stage))
/* The object was given memory. */
void bw_names_place(uint32_t kind, uint64_t handle, uint64_t va, uint64_t size_b);
/* Replaces all buffers and images by these, as bw_names_add takes them; those that were there keep
 * their ids. */
void bw_names_replace_memory(const struct bw_agent_object *all, size_t n);

/* ---- Command buffers ---- */

/* Draws have a pipeline, sets and push constants of their own, and so a record of their own beside
 * that of the dispatches: the functions with a `cmd` take either. Begin, free, execute, submit_add
 * and labels are for both. (Handles of command buffers are pointers, and so even.) */
#define BW_NAMES_DRAWS(cmd) ((cmd) | 1u)
void bw_names_cmd_begin(uint64_t cmd);
void bw_names_cmd_free(uint64_t cmd);
void bw_names_cmd_pipeline(uint64_t cmd, uint64_t pipeline);
/* base: added to the packet's numbers where it is not 0. groups NULL: read from memory. */
void bw_names_cmd_dispatch(uint64_t cmd, const uint32_t *base, const uint32_t *groups);
/* n: vertices or indices; UINT32_MAX: read from memory. */
void bw_names_cmd_draw(uint64_t cmd, uint32_t n, uint32_t n_instances);
void bw_names_cmd_push(uint64_t cmd, uint32_t offset_b, uint32_t size_b, const void *data);
/* A descriptor set was bound to that number, with its dynamic offsets; 0: one that is not known. */
void bw_names_cmd_set(uint64_t cmd, uint32_t number, uint64_t set, const uint32_t *offsets,
		      uint32_t n_offsets);
/* Descriptors were pushed into the set of that number, whose layout is that (0: not known). Those
 * that were pushed before stay as long as the layout does. */
void bw_names_cmd_push_set(uint64_t cmd, uint32_t number, uint64_t layout,
			   const struct bw_descriptors *descriptors);
void bw_names_cmd_label_begin(uint64_t cmd, const char *label);
void bw_names_cmd_label_end(uint64_t cmd);
/* Sets the label of the dispatches that follow, until the next insert. */
void bw_names_cmd_label_insert(uint64_t cmd, const char *label);
/* The last dispatch of the command buffer is the one of that packet, and has these arguments, which
 * lie in that block: told of a dispatch that was captured. */
void bw_names_cmd_told(uint64_t cmd, uint64_t packet_va, uint64_t block_va,
		       const struct bw_agent_arg *args, uint32_t n_args);
void bw_names_cmd_execute(uint64_t cmd, uint64_t secondary);

/* ---- Submissions ---- */

void bw_names_queue_label_begin(uint64_t queue, const char *label);
void bw_names_queue_label_end(uint64_t queue);
/* submit_begin, submit_add: this thread is about to submit these command buffers, in this order.
 * submit_end: it has submitted them. */
void bw_names_submit_begin(uint64_t queue);
void bw_names_submit_add(uint64_t cmd);
/* The number of its frame, in place of that by presents; 0: not known. */
void bw_names_submit_frame(uint32_t frame);
void bw_names_submit_end(void);
void bw_names_present(void);

#endif
