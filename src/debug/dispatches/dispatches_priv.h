/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DISPATCHES_PRIV_H
#define BW_DEBUG_DISPATCHES_PRIV_H

/* Dispatches: what is known of each, and the code that they run. */

#include "debug/bound.h"
#include "debug/code/code_priv.h"
#include "debug/debug_priv.h"
#include "debug/dispatches.h"
#include "debug/draws.h"

struct bw_dispatch_record {
	struct bw_dispatch_info info;
	uint32_t packet; /* ttmp6 of its waves */
	bool packet_known;
	uint64_t launched_groups;	   /* highest linear workgroup number seen, plus one */
	uint64_t kernel_start, kernel_end; /* [start, end) of its code; both 0: not known */
	/* when it was first seen running as the first of its queue; 0: not yet (hang.c) */
	uint64_t first_since_ms;
	bool hang_was_told;
	bool packet_guessed;		  /* `packet` is a guess: it was counted from an earlier
					   * packet in the queue */
	struct bw_target_object pipeline; /* id 0: not known */
	char *name, *label;		  /* owned: info's texts point to them */
	char *vertex_shader, *others;	  /* owned, of a draw; or NULL */
	char *levels; /* the levels of the label, with BW_LABEL_SEPARATOR between them; owned */
	uint8_t *push;
	struct bw_target_binding *bindings; /* owned */
	struct bw_target_arg *args;	    /* owned */
	struct bw_api_kernel *api_kernel;   /* owned; NULL: no API describes the kernel */
};

struct bw_standing_queue {
	uint32_t number;
	uint64_t packet, since_ms;
	bool was_told;
};

/* The answer for the wave that was asked about last. */
struct bw_draw_lanes {
	bool is_valid;
	uint32_t slot, seq;
	struct bw_draws_wave wave;
};
struct bw_watched_pixel {
	int32_t x, y;
	bool is_on;
};

struct bw_dispatches {
	struct BW_VEC(struct bw_dispatch_record) all;
	uint32_t dropped; /* dispatches 1 to this number have ended and are no longer listed */
	uint32_t n_draws; /* so far; each has taken two numbers */
	struct BW_VEC(
		struct bw_dispatch_info) list; /* the array that bw_debug_dispatches returned */
	struct bw_u32_vec held;		       /* numbers of the submissions that are held */
	/* objects of objects_space, as they were when last asked for; owned */
	struct bw_target_object *objects;
	size_t n_objects;
	uint32_t objects_space;
	struct BW_VEC(struct bw_buffer_info) buffers; /* bound.c */
	uint32_t last_buffer;
	bool buffers_found; /* they were looked for when d->continues was: */
	uint64_t buffers_continues;
	struct BW_VEC(struct bw_cl_source) cl_sources; /* opencl.c */
	/* AQL queues that stand at a packet that is not a dispatch (hang.c) */
	struct BW_VEC(struct bw_standing_queue) standing;
	uint64_t looked_ms; /* when they were looked at */
	/* the user was told from where the lines of shaders come */
	bool told_origin[BW_LINES_NONE];
	/* draws.c */
	struct bw_draw_lanes lanes;
	struct bw_watched_pixel pixel;
	struct BW_VEC(struct bw_pixel_event) events;
};
void bw_dispatches_fini(struct bw_dispatches *x);
/* Drops the dispatches of one run of the program. */
void bw_dispatches_forget(struct bw_dispatches *x);
/* Marks the dispatches of an address space that no longer exists as failed. */
void bw_dispatches_forget_space(struct bw_dispatches *x, uint32_t space);

/* dispatch.c */
struct bw_error *bw_debug_on_submit(struct bw_debug *d,
				    const struct bw_target_event *ev) BW_MUST_CHECK;
/* Matches kernels again: code was added since the dispatches were seen. */
/* Finds, by its bytes, the code object at the PC of a wave about which no dispatch has told. */
struct bw_error *bw_debug_match_pc(struct bw_debug *d, uint64_t pc) BW_MUST_CHECK;
struct bw_error *bw_debug_match_again(struct bw_debug *d) BW_MUST_CHECK;
void bw_debug_on_done(struct bw_debug *d, const struct bw_target_event *ev);
struct bw_dispatch_record *bw_debug_dispatch_priv(struct bw_debug *d, uint32_t number);
/* The dispatch to which a wave belongs; NULL: none matches. */
struct bw_dispatch_record *bw_debug_dispatch_of(struct bw_debug *d,
						const struct bw_target_wave *hw);

/* Whether waves of a dispatch have been launched, as far as the waves that were seen tell. */
enum bw_begun { BW_BEGUN_NOT, BW_BEGUN_UNKNOWN, BW_BEGUN_YES };
enum bw_begun bw_debug_has_begun(const struct bw_debug *d, const struct bw_dispatch_record *x);

/* Sorts slots that have just stopped by the order in which their dispatches were launched. */
void bw_debug_order_stops(struct bw_debug *d, uint32_t *slots, size_t n);

/* The pipeline with this id of those that were listed last; borrowed. NULL: there is none. */
const struct bw_target_object *bw_debug_pipeline(const struct bw_debug *d, uint32_t id);

/* found.c */
/* Finds the code that a dispatch runs, or makes modules of what lies there; names the shaders of a
 * draw. */
struct bw_error *bw_debug_know_code(struct bw_debug *d, struct bw_dispatch_record *x) BW_MUST_CHECK;
/* The name for a pipeline; owned by the caller. NULL: out of memory. */
char *bw_pipeline_name(const struct bw_target_object *p);

/* shader.c */
/* Gives a module, the code of a pipeline, the lines and variables that its driver and its SPIR-V
 * describe. */
struct bw_error *bw_debug_learn_source(struct bw_debug *d, struct bw_module *m,
				       const struct bw_target_object *pipeline) BW_MUST_CHECK;
/* Where in a program of two shaders the code of the second one begins; 0: not known. */
struct bw_error *bw_debug_find_second(struct bw_debug *d, const void *code, size_t size_b,
				      const struct bw_target_object *pipeline,
				      size_t *out_at) BW_MUST_CHECK;
/* Called at a stop: tells the user, once, from where the focus wave's lines come if it runs a
 * shader. */
void bw_debug_tell_lines(struct bw_debug *d);

/* draws.c */
/* A program starts: tells the target which pixel is watched. */
struct bw_error *bw_draws_begin(struct bw_debug *d) BW_MUST_CHECK;
/* It has ended: keeps what the target still says of the watched pixel. */
void bw_draws_end(struct bw_debug *d);

/* loaded.c */
/* Adds the code objects that the runtime of the current address space's program has loaded, and
 * drops what it has unloaded. One that cannot be read is a warning. */
struct bw_error *bw_debug_learn_loaded(struct bw_debug *d) BW_MUST_CHECK;

/* match.c */
/* A module's image lies at base in d->space, in place of what was there. */
struct bw_error *bw_debug_add_load(struct bw_debug *d, struct bw_module *m, uint64_t base,
				   bool is_told) BW_MUST_CHECK;
/* Recognises the kernel at a dispatch's code address, and adds a load if it is a new one. */
struct bw_error *bw_debug_match_kernel(struct bw_debug *d,
				       struct bw_dispatch_record *dispatch) BW_MUST_CHECK;

/* opencl.c */
/* Keeps what the program's OpenCL says about the kernel and its arguments. */
struct bw_error *bw_debug_take_args(struct bw_dispatch_record *x) BW_MUST_CHECK;
/* Makes the kernel that OpenCL describes the dispatch's kernel if no code object has one. */
void bw_debug_use_args(struct bw_dispatch_record *x);

/* A type by its name: one that the source of the dispatch's kernel declares, or one of OpenCL C's
 * own. NULL: not known. x NULL: there is no kernel. The type is valid as long as the session. */
const struct bw_ctype *bw_debug_cl_type(struct bw_debug *d, const struct bw_dispatch_info *x,
					const char *name);
void bw_cl_sources_free(struct bw_dispatches *x);

/* inst_start.c */
/* The address of the instruction before pc in the same function; 0: not known. */
uint64_t bw_inst_before(struct bw_debug *d, uint64_t pc);
/* Fails with BW_E_INVALID, naming the instruction, if va is known to be inside an instruction. */
struct bw_error *bw_inst_check_start(struct bw_debug *d, uint64_t va) BW_MUST_CHECK;

/* args.c */
/* The type of an argument. x: a dispatch of its kernel; NULL: there is none yet. False: the type is
 * not known. */
bool bw_arg_type(struct bw_debug *d, const struct bw_dispatch_info *x,
		 const struct bw_kernel_arg *arg, struct bw_type *out);
/* Reads the value of an argument from its block; v has the argument's type already. The caller owns
 * v, also on failure. */
struct bw_error *bw_arg_read(struct bw_debug *d, uint64_t kernarg_va,
			     const struct bw_kernel_arg *arg, struct bw_value *v) BW_MUST_CHECK;
struct bw_error *bw_arg_bytes(struct bw_debug *d, uint64_t kernarg_va,
			      const struct bw_kernel_arg *arg,
			      struct bw_arg_bytes *out) BW_MUST_CHECK;
/* Whether the kernel at this place of a module's image is written in assembly. */
bool bw_kernel_is_assembly(const struct bw_module *m, const struct bw_kernel *k);

/* hang.c */
/* Called when all waves are resumed after a stop: the time of a hang is counted anew. */
void bw_hang_restart(struct bw_debug *d);
/* How long to wait at most, while waves run, before bw_hang_is_over is asked again. timeout_ms < 0:
 * without end. */
int bw_hang_limit(struct bw_debug *d, int timeout_ms);
/* Whether a dispatch has run for too long. If so, it is reported, and the command that asks
 * ends. */
bool bw_hang_is_over(struct bw_debug *d);

#endif
