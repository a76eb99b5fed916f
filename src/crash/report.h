/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_REPORT_H
#define BW_CRASH_REPORT_H

/* The folder that RADV writes when a job hangs (RADV_DEBUG=hang; doc/hardware/mesa.md 4), line by
 * line, whatever its files are called: trace.log (the command buffer, up to where it was executed),
 * registers.log, pipeline.log (code), umr_waves.log, umr_ring.log, bo_history.log,
 * addr_binding_report.log, app_info.log, gpu_info.log. vm_fault.log and dmesg.log are read as
 * kernel logs (log.h). Untrusted text: memory is bounded by the limits below. Pure.
 *
 * Registers, rings and the command buffer go into a struct bw_crash_dump, so that they are shown as
 * those of a devcoredump are. */

#include "crash/dump.h"
#include "crash/waves.h"

enum {
	BW_CRASH_MAX_RANGES = 1 << 17,
	BW_CRASH_MAX_PIECES = 1 << 12,
	BW_CRASH_MAX_WALK = 256,
	BW_CRASH_MAX_SHADERS = 1024,
	BW_CRASH_MAX_MODULES = 256,
	BW_CRASH_MAX_MODULE_B = 1 << 24, /* of all modules */
	BW_CRASH_MAX_INSTRUCTIONS = 1 << 16,
};

/* Words at an address: code of shaders. */
struct bw_crash_piece {
	uint64_t va; /* canonical */
	unsigned line;
	struct bw_crash_words words;
};

/* A shader of a pipeline, in pipeline.log. */
struct bw_crash_shader {
	unsigned line;
	char stage[40];	   /* "Compute Shader" */
	char pipeline[20]; /* the hash that RADV calls it by; "" */
	char spirv[48];	   /* the file in the folder; "" */
	uint64_t va;	   /* canonical; of those that waves run alone */
	uint64_t code_b;   /* 0: va is not known */
	uint64_t said_b;   /* "Code size"; 0: not known */
};

/* A SPIR-V module of the folder. */
struct bw_crash_module {
	char name[48]; /* of the file */
	struct bw_crash_words words;
};

/* The text of an instruction in a file. */
struct bw_crash_instruction {
	uint64_t va;
	char text[40];
};

/* Words with addresses, as umr -RS prints them: a ring or an IB of the dump. */
struct bw_crash_stream {
	unsigned vmid, line;
	uint64_t va, size_dw, next_b;
	bool is_ring, is_aql;
	size_t place; /* in rings or ibs; SIZE_MAX: it has no words yet */
};

/* A range of the program's address space. */
struct bw_crash_range {
	uint64_t va, size_b; /* va: canonical */
	bool is_destroyed;
	char object[24]; /* "BUFFER", or "" */
	unsigned order;	 /* as in the file */
};

/* An entry of a page walk, as "umr -vm" prints it. */
struct bw_crash_walk_entry {
	unsigned line;
	char name[8]; /* "PDE2", "PTE" */
	uint64_t address, value;
};

struct bw_crash_report {
	struct bw_crash_dump dump; /* style BW_CRASH_RADV; empty: nothing of this was there */
	struct bw_crash_waves waves;
	struct BW_VEC(struct bw_crash_piece) pieces;
	struct BW_VEC(struct bw_crash_shader) shaders;
	struct BW_VEC(struct bw_crash_instruction) instructions;
	struct BW_VEC(struct bw_crash_module) modules;
	size_t n_module_b;
	struct BW_VEC(struct bw_crash_range) ranges;
	struct BW_VEC(struct bw_crash_walk_entry) walk; /* in the order of the text */
	uint32_t gc;	       /* as umr names the block of a wave's registers; 0: not seen */
	uint32_t address32_hi; /* upper half of addresses of code; 0: not known */
	unsigned n_ranges_left_out, n_pieces_left_out;
	uint64_t n_piece_words;
	unsigned n_aql_packets; /* of user queues (HSA), which have no dwords of their own */
	/* of parsing */
	bool in_registers, in_gpu_info, in_trace;
	unsigned trace_depth;	 /* of buffers in a buffer of trace.log */
	bool may_be_nested;	 /* the point that was reached may be in the next such buffer */
	char pipeline[20];	 /* of the lines that follow */
	size_t shader;		 /* of the lines that follow: its place in shaders and 1; 0: none */
	bool in_code;		 /* of that shader, with addresses */
	struct bw_crash_repeat { /* an instruction that is printed several times at one address */
		uint64_t va;
		uint32_t words[8];
		unsigned n_words, n;
	} repeat;
	struct BW_VEC(struct bw_crash_stream) streams;
	const char *ring_name; /* of the words that follow, or NULL */
	bool failed;
};

/* One line; colours (ESC [ ... m) in it are ignored. False: it is of none of these files. */
bool bw_crash_report_line(struct bw_crash_report *r, const char *text, size_t n, unsigned number);
/* Between two files. */
void bw_crash_report_next_file(struct bw_crash_report *r);
/* Once after the last line: of each range the last state is kept. */
void bw_crash_report_end(struct bw_crash_report *r);
void bw_crash_report_free(struct bw_crash_report *r);
/* Whether anything was found for `dump`. */
bool bw_crash_report_has_dump(const struct bw_crash_report *r);

/* Takes a file of the folder that is not text. False: it is not SPIR-V, or there is no room. */
bool bw_crash_report_file(struct bw_crash_report *r, const char *name, const void *bytes, size_t n);
/* The module that a shader was made of; NULL: the files do not have it. */
const struct bw_crash_module *bw_crash_module_of(const struct bw_crash_report *r,
						 const struct bw_crash_shader *s);

/* The text of the instruction at an address; NULL: no file has it. */
const char *bw_crash_instruction_at(const struct bw_crash_report *r, uint64_t va);

/* The range that an address is in; one that still exists first. NULL: none. */
const struct bw_crash_range *bw_crash_range_of(const struct bw_crash_report *r, uint64_t va);

#endif
