/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_CODE_PRIV_H
#define BW_DEBUG_CODE_PRIV_H

/* Code that the session knows, where it lies in the address spaces, and the instructions there
 * (code.c). */

#include "debug/debug_priv.h"
#include "isa/inst.h"
#include "sym/source_paths.h"

/* A code object or a piece of raw code that the user has given. */
struct bw_module {
	struct bw_code_object *co; /* NULL: raw */
	struct bw_lines *lines;	   /* NULL: raw */
	/* raw code: name of its kernel; else path of the code object; owned */
	char *name;
	uint8_t *raw;
	size_t raw_b;
	bool is_found; /* raw code: found in a dispatch, not given by the user */
	/* The other shader of a driver's program, whose code follows; borrowed. NULL: none. */
	struct bw_module *second;
	uint64_t at_b;		    /* of the second: where it begins in the program */
	enum bw_target_stage stage; /* of a draw's shader: what it is for */
	char *entry; /* shaders: the entry point in the source, which names the code as the symbol
			 * does; owned; NULL: not known */
	struct bw_kernel raw_kernel;
	struct bw_symbol raw_symbol;
	char **pretty; /* the symbols' names as the source has them; owned. NULL: none was asked for
			 * yet; an element NULL: the name is the symbol's own */
};

/* Where a module's image lies in an address space. A program may load one twice. */
struct bw_load {
	struct bw_module *module;
	uint32_t space;
	uint64_t base, size_b;
	bool is_told; /* the runtime has told of it (dispatches/loaded.c) */
};

/* The code in which an instruction was executed, with the kernel, and its address in the image. */
struct bw_executed;
struct bw_code_executed {
	struct bw_module *module;
	const struct bw_kernel *kernel;
	uint64_t addr;
};
bool bw_code_executed(struct bw_debug *d, const struct bw_executed *x,
		      struct bw_code_executed *out);

/* A cache of instructions, so that a step needs no request to the program. */
enum { BW_INST_CACHE = 512 };
struct bw_inst_entry {
	uint64_t va; /* 0: none */
	uint32_t space;
	uint32_t words[3];
	struct bw_inst inst;
};

/* Whether an instruction is within whole-wave code, and which SGPRs hold the EXEC of before it
 * (waves/whole_wave.c). */
enum { BW_WHOLE_WAVE_CACHE = 64 };
struct bw_whole_wave {
	uint64_t pc; /* 0: none */
	uint32_t space;
	uint16_t sgpr;
	bool found, is_pair;
	bool others; /* whole-wave code with the inactive lanes only, not with all lanes */
};

struct bw_debug_code {
	struct BW_VEC(struct bw_module *) modules;
	struct BW_VEC(struct bw_load) loads;
	/* the loads of the whole session, each once, in any address space */
	struct BW_VEC(struct bw_load) past_loads;
	char *kernel;		 /* the kernel that will run; NULL: not known */
	struct bw_lines *shader; /* the sources of the shader that will run, or NULL */
	struct bw_source_paths source_paths;
	struct bw_inst_entry insts[BW_INST_CACHE];
	struct bw_whole_wave whole_waves[BW_WHOLE_WAVE_CACHE];
};
struct bw_error *bw_debug_code_init(struct bw_debug_code *c) BW_MUST_CHECK;
void bw_debug_code_fini(struct bw_debug_code *c);
/* Drops what is loaded in an address space that no longer exists; 0: in all of them. */
void bw_debug_code_forget(struct bw_debug *d, uint32_t space);

const void *bw_module_image(const struct bw_module *m, size_t *out_size_b);
const struct bw_kernel *bw_module_kernels(const struct bw_module *m, size_t *out_n);
const struct bw_symbol *bw_module_symbols(const struct bw_module *m, size_t *out_n);
/* A symbol's name for people: demangled if it is C++. */
const char *bw_module_pretty(struct bw_module *m, const struct bw_symbol *s);
/* The next symbol after `after` (NULL: the first symbol) that a user may mean by the name: the
 * symbol's own name, its name in the source, shortened as in C++ (bw_name_is), or a shader's entry
 * point. */
const struct bw_symbol *bw_module_named(struct bw_module *m, const char *name,
					const struct bw_symbol *after);
const struct bw_symbol *bw_module_symbol(const struct bw_module *m, const char *name);
const struct bw_symbol *bw_module_symbol_at(const struct bw_module *m, uint64_t offset_b);
/* The line at an offset in the image, or the first line after it in the same function: drivers'
 * shaders begin with instructions that have no line. False: there is none. */
bool bw_module_line_from(const struct bw_module *m, uint64_t offset_b, struct bw_line *out);

struct bw_frame_info;
/* inlined.c: the i-th function around pc, 0 the innermost. False: there is none. */
bool bw_code_function(struct bw_debug *d, uint64_t pc, unsigned i, struct bw_frame_info *out);
/* How many inlined functions begin right at pc; at addr of an image. */
unsigned bw_code_beginning(struct bw_debug *d, uint64_t pc);
unsigned bw_code_beginning_in(const struct bw_lines *lines, uint64_t addr);
void bw_module_free(struct bw_module *m);

struct bw_load *bw_debug_load_at(struct bw_debug *d, uint64_t va);
/* The module at an address and where its image lies; before the program runs, the first module
 * whose image is large enough, at 0. NULL: none. */
struct bw_module *bw_debug_module_at(struct bw_debug *d, uint64_t va, uint64_t *out_base);

/* Reads and decodes the instruction at va in d->space. out_words may be NULL. */
struct bw_error *bw_debug_read_inst(struct bw_debug *d, uint64_t va, struct bw_inst *out,
				    uint32_t out_words[3]) BW_MUST_CHECK;

/* Empties the cache of instructions; called after anything that may have written code. */
void bw_debug_forget_insts(struct bw_debug *d);

#endif
