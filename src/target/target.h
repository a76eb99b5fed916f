/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_TARGET_H
#define BW_TARGET_TARGET_H

/* The seam between the debugger core and what is debugged: a GPU at work under one or more programs
 * (src/live), what a GPU has left behind (src/dump), a fake one in tests. A target knows waves by
 * their slot (the dense number of a hardware wave slot), shows and edits the registers of stopped
 * ones, reads and writes the memory the program's waves see, and reports what happens. It makes no
 * decisions: which wave stops for what reason, breakpoints, stepping over them and all-stop belong
 * to the core (src/debug).
 *
 * This header has what a target shows; target/call.h is for who uses one, target/ops.h for who
 * makes one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/wave.h"
#include "base/error.h"
#include "target/runtime.h"
#include "target/stages.h"
#include "target/verdict.h"

/* Between the levels of a label; a level has none in it. */
enum { BW_LABEL_SEPARATOR = 0x1f };

/* What a target can do beyond showing stopped waves and memory, which each target can. A function
 * that belongs to a capability (target.c has the table) is never called without it. The words for
 * each are those of the error: "this target cannot write registers". */
enum bw_target_cap {
	BW_CAP_RUN = 1 << 0, /* resume, step, wait_wave, stop_all, release */
	BW_CAP_WRITE_REGS = 1 << 1,
	BW_CAP_WRITE_MEMORY = 1 << 2, /* LDS and scratch, too, where it has those */
	BW_CAP_PATCH = 1 << 3,	      /* patch, unpatch, code_buffer: breakpoints */
	BW_CAP_LDS = 1 << 4,
	BW_CAP_SCRATCH = 1 << 5,
	BW_CAP_WALK = 1 << 6,	     /* page-table verdicts */
	BW_CAP_FAULT = 1 << 7,	     /* the GPU's own record of the last page fault */
	BW_CAP_WATCH = 1 << 8,	     /* set_watch: address watches */
	BW_CAP_FILTER = 1 << 9,	     /* set_filter: conditions tested by the trap handler */
	BW_CAP_EXCEPTIONS = 1 << 10, /* set_exceptions */
	BW_CAP_PRECISE = 1 << 11,    /* set_precise; how it is now: bw_target.is_precise */
	BW_CAP_MAPS = 1 << 12,	     /* what is mapped where */
	BW_CAP_OBJECTS = 1 << 13,    /* what the program's API calls things */
	BW_CAP_HOLD_TIME = 1 << 14,  /* the programs' clocks can stand still */
	BW_CAP_PROCESSES = 1 << 15,  /* programs can be detached from and killed */
	BW_CAP_ATTACH = 1 << 16,     /* attach, attached: to processes that run already */
	BW_CAP_READY = 1 << 17,	     /* make_ready: for a debugger that comes later */
	BW_CAP_LOADED = 1 << 18,     /* loaded, loaded_bytes: code objects of a runtime */
	BW_CAP_QUEUES = 1 << 19,     /* the program's AQL queues */
	BW_CAP_FREED = 1 << 20,	     /* freed: what the program has unmapped */
	BW_CAP_DRAWS = 1 << 21,	     /* draws: their lanes, pixels and targets */
	BW_CAP_ALL = (1 << 22) - 1,
};

struct bw_target_facts {
	const struct bw_arch *arch; /* its generation */
	char gfx[16];		    /* "gfx1100" */
	char name[32];		    /* "virtual navi31", "0000:03:00.0" */
	uint32_t n_se, sa_per_se, wgp_per_sa, simd_per_wgp, waves_per_simd;
	uint32_t n_slots;
	uint32_t vgprs_per_simd; /* registers of 32 lanes; 0: not known */
	uint32_t lds_per_wgp_b;	 /* 0: not known */
	bool is_virtual;
};

/* A workgroup's or a wave's place in its grid that is not known: all of its numbers, or none. */
#define BW_GROUP_UNKNOWN UINT32_MAX

#define BW_PACKET_OF_DRAW(arch) bw_arch_get(arch, BW_WF_PACKET, ~0u) /* dispatch_packet */
#define BW_DRAW_ROUND_PIXELS (1u << 31)

/* Everything of a stopped wave that is small. SGPRs and VGPRs are read apart. */
struct bw_target_wave {
	uint32_t slot;
	uint32_t space; /* the address space it runs in */
	uint32_t seq;	/* raised at each stop: the same number is the same stop */
	uint64_t pc, exec;
	uint64_t flat_scratch;
	uint32_t m0;
	/* Everything else, by the generation's registers and by meaning (bw_wave_get). What the
	 * handler has done to them is left out: IN_HANDLER, STEP_EN. */
	struct bw_wave_state state;
	uint32_t dispatch_packet; /* BW_WF_PACKET */
	/* BW_GROUP_UNKNOWN: not known, with wave_in_group. Of a draw (BW_PACKET_OF_DRAW): number in
	 * the round, round (BW_DRAW_ROUND_PIXELS: of pixels), the packet's address, lower half */
	uint32_t workgroup[3];
	uint32_t wave_in_group, n_vgprs; /* n_vgprs 0: given back (DEALLOC_VGPRS) */
	uint8_t lanes;			 /* 32 or 64 */
};

/* What can be written one by one; the rest is read-only. */
enum bw_target_reg {
	BW_TREG_PC,
	BW_TREG_EXEC,
	BW_TREG_M0,
	BW_TREG_FLAT_SCRATCH,
	/* where an s_trap of a displaced instruction (trap.h, BW_TRAP_ID_DISPLACED) resumes */
	BW_TREG_DISPLACED_RETURN,
	BW_TREG_STATE, /* and above: a register of bw_target_wave.state, see bw_treg */
};
static inline enum bw_target_reg bw_treg(enum bw_wreg reg)
{
	return (enum bw_target_reg)((int)BW_TREG_STATE + (int)reg);
}

/* A buffer that the program's API has bound: descriptor `element` of a binding. */
struct bw_target_binding {
	uint32_t set, binding, element;
	uint64_t va, size_b; /* va 0: not known */
	/* the descriptor lies there, in memory of the program, and says what va and size_b are
	 * (bw_debug_binding); else 0 */
	uint64_t at_va;
};
/* An argument of an OpenCL kernel, in the kernel's order. */
enum bw_target_arg_kind { BW_TARG_OPAQUE, BW_TARG_VALUE, BW_TARG_BUFFER, BW_TARG_LOCAL };
#define BW_TARG_NOWHERE UINT32_MAX
struct bw_target_arg {
	enum bw_target_arg_kind kind; /* OPAQUE: image, sampler */
	uint32_t offset_b; /* in the block; NOWHERE: the driver does not pass it, or not known */
	uint32_t size_b;
	char name[48], type[48]; /* "" where they are not known */
};
/* One dispatch of a submission, or one of the two stages of a draw, which follow each other. */
struct bw_target_dispatch {
	uint64_t code_va;
	uint32_t rsrc1, rsrc2, rsrc3, initiator;
	uint32_t groups[3]; /* 0xffffffff: read from memory by the GPU (indirect) */
	uint32_t group_size[3];
	uint32_t user_data[16];
	uint32_t tmpring_size;
	uint64_t packet_va;   /* of the packet in the command buffer; 0: not known */
	uint64_t indirect_va; /* where groups are read from; 0: they are in the packet */
	uint32_t pipeline;    /* id of its bw_target_object; 0: not known */
	/* levels with BW_LABEL_SEPARATOR between them, "" for none; borrowed like the dispatch */
	const char *label;
	const uint8_t *push; /* push constants, NULL when there are none or they are not known */
	uint32_t push_b;
	/* what the API has bound; borrowed like the dispatch */
	const struct bw_target_binding *bindings;
	uint32_t n_bindings;
	/* arguments that the API has set; borrowed like the dispatch */
	const struct bw_target_arg *args;
	uint32_t n_args;
	uint64_t block_va; /* what their offsets count from; 0: none */
	enum bw_target_stage stage;
	struct bw_target_draw draw; /* of a stage of a draw */
	/* VERTEX: ids like `pipeline`, which is the first shader of the program at code_va */
	uint64_t hull_va; /* the program of the vertex and the control shader; 0: none */
	uint32_t hull[2]; /* its shaders */
	uint32_t second;  /* the geometry shader, which is in the program at code_va as well */
	uint32_t task;	  /* the task shader, which has a dispatch of its own */
};

/* Things that the program's API knows by name. */
enum bw_target_object_kind { BW_OBJECT_PIPELINE = 1, BW_OBJECT_BUFFER, BW_OBJECT_IMAGE };
struct bw_target_object {
	enum bw_target_object_kind kind;
	uint32_t id;	 /* never used again */
	uint64_t handle; /* as the program knows it */
	uint64_t va;	 /* PIPELINE: of its code. 0: not known yet */
	uint64_t size_b;
	uint64_t hash;	 /* PIPELINE: of its SPIR-V */
	uint32_t dim[3]; /* IMAGE; PIPELINE: work-items of a group, 0: not known */
	uint32_t format, flags, push_b;
	uint16_t sets[8];		      /* PIPELINE: descriptors in each set of its layout */
	char name[64], entry[64], module[64]; /* "" where there is none */
	char file[64];			      /* PIPELINE: of its source, without folders */
	enum bw_target_stage stage;	      /* PIPELINE: that its shader is for */
};

/* What the shader of a pipeline was made of, and what its driver knows of the code. One owned
 * block: free() of the struct. */
struct bw_target_shader {
	const uint32_t *spirv;
	size_t n_words;		    /* 0: the program gave the driver no SPIR-V */
	struct bw_target_constant { /* specialization constants that were given a value */
		uint32_t id, size_b;
		uint64_t value;
	} *constants;
	size_t n_constants;
	struct bw_target_line { /* in the driver's order, which is not that of the code */
		uint32_t offset_b, line, column;
		const char *file; /* NULL: no line; "": of the text `nir` */
	} *lines;
	size_t n_lines;
	const char *nir; /* NULL: none */
	/* of an OpenCL kernel: of its build, and in OpenCL C; NULL: none, or not known which */
	const char *options, *source;
};

enum bw_target_event_kind {
	BW_EVENT_NONE,	  /* the timeout has passed */
	BW_EVENT_PROGRAM, /* a program has opened the GPU: pid, comm */
	/* an address space has been closed, with its waves and code: space */
	BW_EVENT_SPACE_GONE,
	/* a program has ended: pid, exit_known, exit_status. Others may be left: the last one is
	 * followed by EXIT */
	BW_EVENT_PROGRAM_GONE,
	BW_EVENT_SUBMIT, /* a submission is held until release() */
	/* a submission has ended: result is 0 or the -errno of its fence. Of one at whose end the
	 * program ends, too, the end of the program may be all that is told */
	BW_EVENT_DONE,
	BW_EVENT_QUEUE_ERROR, /* pid, space, result, queue_error; programs wait for release(0) */
	BW_EVENT_STOP,	      /* waves may have stopped: look at stopped() */
	BW_EVENT_INTERRUPT,   /* interrupt() was called */
	/* none is left: exit_known, exit_status as from waitpid, of the one that was started */
	BW_EVENT_EXIT,
	BW_EVENT_GPU_GONE, /* the GPU is gone (the virtual GPU's process has ended) */
	BW_EVENT_NOTE,	   /* something the user should read: text */
};

/* What a command processor or an SDMA engine could not execute. */
struct bw_target_queue_error {
	bool is_sdma, has_ib;
	char ring[24];	       /* "comp_1.0.0"; "": not known */
	char what[64];	       /* the kernel's words: "Illegal opcode in command stream" */
	char packet[288];      /* which packet, and what is wrong with it; "": not known */
	uint64_t ib_va, dword; /* the packet, in dwords from the start of that IB */
};

/* What has ended: nothing; a program, and others are left; the last one, or the GPU. */
enum bw_target_end { BW_END_NONE, BW_END_SOME, BW_END_ALL };

struct bw_target_event {
	enum bw_target_event_kind kind;
	pid_t pid; /* SUBMIT: whose it is */
	char comm[16];
	uint32_t space;		    /* SUBMIT, SPACE_GONE */
	uint32_t submission, queue; /* queue: number of the (context, ring) it went to, from 1 */
	uint32_t frame;		    /* of the submission; 0: not known */
	bool is_running;	    /* SUBMIT: it was there before, and is not held */
	const struct bw_target_dispatch *dispatches; /* borrowed until the next call */
	size_t n_dispatches;
	int result;
	bool exit_known;
	int exit_status;
	bool is_warning, is_said; /* NOTE: said: the user waits, and is to see it now */
	char text[256];
	struct bw_target_queue_error queue_error;
};

/* What a process was like when it was attached to. */
struct bw_target_attached {
	bool was_ready;		/* waves that ran already can be stopped */
	uint32_t n_unstoppable; /* waves that ran, and cannot be */
};

/* A filter's code (trap.h), and where waves that it rejects resume. */
struct bw_target_filter {
	uint64_t code_va, resume_va;
	unsigned n_vgprs; /* that the code changes, from v0 on */
};

/* An address watch. The GPU compares aligned ranges of a power of two; it takes the smallest that
 * holds the one asked for. */
enum bw_target_watch_mode { BW_TWATCH_READ, BW_TWATCH_WRITE, BW_TWATCH_ATOMIC, BW_TWATCH_ALL };
enum { BW_TARGET_WATCHES = 4, BW_WATCH_GRANULE_B = 128 };
struct bw_target_watch {
	uint64_t va, size_b;
	enum bw_target_watch_mode mode; /* WRITE: all that is no plain read */
	uint32_t space;
};

/* What the GPU's generation allows: without SQ_DEBUG.SINGLE_MEMOP there is no precise memory, and
 * not each trap handler tests conditions. */
uint32_t bw_target_gpu_caps(const struct bw_arch *arch);

struct bw_target_ops;
struct bw_target {
	const struct bw_target_ops *ops; /* for target/call.h alone */
	/* The address space that all addresses refer to, until it is set to another one: the number
	 * from an event or a wave. 0: the first. */
	uint32_t space;
	uint32_t caps; /* enum bw_target_cap; they stay as they are */
	/* The PC of a memory violation is the access itself, and that of an address watch right
	 * after it; set_precise changes it. */
	bool is_precise;
	/* Of a target that only shows what there is, for the error of what it cannot do: "a crash
	 * file", "that needs a running GPU". NULL: another one. */
	const char *kind, *instead;
	bool is_past;  /* it is what a GPU has left behind: nothing can be run or changed */
	pid_t program; /* the one that it has started; 0: none */
	struct bw_target_facts facts;
};

/* Place of a slot, and the slot of a wave by its HW_ID1 fields: slots are numbered
 * ((((SE * sas + SA) * wgps + WGP) * simds + SIMD) * waves + WAVE. */
struct bw_place {
	uint8_t se, sa, wgp, simd, wave;
	bool is_cu; /* gfx9: wgp is the number of a CU */
};
struct bw_place bw_target_place(const struct bw_target_facts *f, uint32_t slot);
/* "se0.sa0.wgp1.simd2.w3"; of gfx9 "se0.sa0.cu1.simd2.w3" */
void bw_place_text(struct bw_place p, char out[32]);

#endif
