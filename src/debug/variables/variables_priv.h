/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VARIABLES_PRIV_H
#define BW_DEBUG_VARIABLES_PRIV_H

/* Where variables are looked up, and how their values are read and written. */

#include "debug/debug_priv.h"
#include "debug/variables.h"

struct bw_origin_code;
struct bw_wave_record;

/* The frame in which names are looked up. */
struct bw_variables_frame {
	struct bw_lines *lines;
	uint64_t base;			/* of the code object's image */
	uint64_t addr;			/* in the image */
	unsigned level;			/* of the functions inlined at addr, 0 the innermost */
	const struct bw_kernel *kernel; /* that the wave runs; NULL: not known */
	/* it is a caller: its registers are those of frame `frame` (frames.h) */
	bool is_outer;
	unsigned frame;
	bool has_stack; /* s32 and s33 are known */
	uint32_t s32, s33;
};

/* The variables that were last listed: those visible at an address of an image. */
struct bw_variable_cache {
	const struct bw_lines *lines; /* NULL: empty */
	uint64_t addr;
	unsigned level, paths_version;
	struct bw_variable *list; /* owned */
	/* owned; for each variable: BW_NOT_ASKED, or whether its location is wrong */
	uint8_t *wrong;
	size_t n;
};
enum { BW_NOT_ASKED = 2 };

struct bw_variables {
	struct bw_variable_cache visible;
	/* types that the program does not name; owned */
	struct BW_VEC(struct bw_ctype *) made_types;
};
void bw_variables_fini(struct bw_variables *x);

/* named.c */
/* Finds a variable by its name, "i", "zoo::i" or "::i". NULL: no visible variable has that name.
 * Borrowed like the list of bw_variables_list. */
const struct bw_variable *bw_variables_find(struct bw_debug *d, const struct bw_variables_frame *f,
					    const char *name);
/* The value of an enumerator that a visible variable's type has. */
bool bw_variables_enumerator(struct bw_debug *d, const struct bw_variables_frame *f,
			     const char *name, const struct bw_ctype **out_type,
			     int64_t *out_value);

/* frame.c */
/* The frame of a wave: the selected one of the focus wave, the innermost one of others. False:
 * there is no debug information. */
bool bw_variables_frame(struct bw_debug *d, struct bw_wave_record *w,
			struct bw_variables_frame *out);
/* The frame of an address in loaded code, without registers. */
bool bw_variables_frame_at(struct bw_debug *d, uint64_t pc, struct bw_variables_frame *out);
/* Lists the visible variables. Borrowed until the next call. */
struct bw_error *bw_variables_list(struct bw_debug *d, const struct bw_variables_frame *f,
				   const struct bw_variable **out, size_t *out_n) BW_MUST_CHECK;
/* The place of a variable; its start and end are in the GPU's address space. */
void bw_variables_place(struct bw_debug *d, const struct bw_variables_frame *f,
			const struct bw_variable *v, struct bw_location *out);
/* Marks a location, or a part of it, as optimized out if the compiler has written a location that
 * is wrong at this address. */
void bw_variables_correct(struct bw_debug *d, const struct bw_variables_frame *f,
			  const struct bw_variable *v, struct bw_location *l);
/* The code of the function at that address, in its image. False: not known. */
bool bw_variables_code(struct bw_debug *d, const struct bw_variables_frame *f,
		       struct bw_origin_code *out);
/* Types that the program does not name: those of &x, p@4, v.xy. Each is made once and lives as long
 * as the session; NULL: out of memory. */
const struct bw_ctype *bw_variables_pointer_to(struct bw_debug *d, const struct bw_ctype *elem,
					       enum bw_space space);
const struct bw_ctype *bw_variables_array_of(struct bw_debug *d, const struct bw_ctype *elem,
					     uint64_t count, bool is_vector);
/* A type like a struct with an array of unknown length at its end, with so many elements in it. */
const struct bw_ctype *bw_variables_filled(struct bw_debug *d, const struct bw_ctype *block,
					   uint64_t count);
/* A type like an array, with so many elements. */
const struct bw_ctype *bw_variables_counted(struct bw_debug *d, const struct bw_ctype *array,
					    uint64_t count);

/* shader.c */
/* Makes a value that is not known; why: the reason. */
struct bw_error *bw_variables_not_known(const struct bw_ctype *type, const char *why,
					struct bw_value *out) BW_MUST_CHECK;
/* Makes a value of these bytes that cannot be assigned to. why: why the bytes after them are not
 * known. */
struct bw_error *bw_variables_copied(const struct bw_ctype *type, const void *bytes, size_t n,
				     const char *why, struct bw_value *out) BW_MUST_CHECK;

/* place.c */
/* The wave and lane of a value. */
struct bw_value_of {
	struct bw_debug *d;
	struct bw_wave_record *wave; /* NULL: none */
	unsigned lane;
	bool skip; /* only the type is needed */
};
struct bw_error *bw_variables_value(const struct bw_value_of *x, const struct bw_variables_frame *f,
				    const struct bw_variable *v,
				    struct bw_value *out) BW_MUST_CHECK;
/* Reads the value at a location, all of which is known. */
struct bw_error *bw_variables_at(const struct bw_value_of *x, const struct bw_variables_frame *f,
				 const struct bw_ctype *type, const struct bw_location *l,
				 struct bw_value *out) BW_MUST_CHECK;
/* Makes a value of what is at an address: a number is read, an aggregate is not read yet. */
struct bw_place_at {
	enum bw_space space;
	uint64_t va;
	unsigned bit_offset, bit_size;
};
struct bw_error *bw_variables_load(const struct bw_value_of *x, const struct bw_ctype *type,
				   struct bw_place_at at, struct bw_value *out) BW_MUST_CHECK;
/* A part of v, offset_b after its start. The caller owns out; v stays as it is. */
struct bw_member_at {
	uint64_t offset_b;
	unsigned bit_offset, bit_size;
};
struct bw_error *bw_variables_part(const struct bw_value_of *x, const struct bw_value *v,
				   const struct bw_ctype *type, struct bw_member_at at,
				   struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_variables_fetch(const struct bw_value_of *x, struct bw_value *v) BW_MUST_CHECK;
/* Writes size_b bytes to the place of a value of the program (MEMORY or PIECES). */
struct bw_error *bw_variables_store(const struct bw_value_of *x, const struct bw_value *place,
				    const uint8_t *bytes, size_t size_b) BW_MUST_CHECK;
/* record.c: reads a value whose location is BW_LOC_RECORD. */
struct bw_error *bw_variables_recorded(const struct bw_value_of *x,
				       const struct bw_variables_frame *f,
				       const struct bw_location *l, const struct bw_ctype *type,
				       struct bw_value *out) BW_MUST_CHECK;
/* shader.c: reads a variable whose place is one of Vulkan's (BOUND, PUSH, BUILTIN), in the dispatch
 * of the wave. */
struct bw_error *bw_variables_of_shader(const struct bw_value_of *x, const struct bw_location *l,
					const struct bw_ctype *type,
					struct bw_value *out) BW_MUST_CHECK;
/* launch.c: where a parameter of a kernel lies in its block of arguments. False: it is not a
 * kernel's parameter, or the code object does not describe it. */
bool bw_variables_launch(struct bw_debug *d, const struct bw_variables_frame *f,
			 const struct bw_variable *v, uint32_t *out_offset_b);
/* Reads a value there from the block of the wave's dispatch. No value (is_missing) if the block's
 * address is not known. */
struct bw_error *bw_variables_launch_value(const struct bw_value_of *x, uint32_t offset_b,
					   const struct bw_ctype *type,
					   struct bw_value *out) BW_MUST_CHECK;
/* The value with which a parameter was called ("NAME@entry" of gdb), whatever has been assigned to
 * it since. An error if it is not known. */
struct bw_error *bw_variables_entry_value(const struct bw_value_of *x,
					  const struct bw_variables_frame *f,
					  const struct bw_variable *v,
					  struct bw_value *out) BW_MUST_CHECK;

/* place.c: makes v, whose bytes are set, a number, unless it is an aggregate. */
void bw_variables_decode(struct bw_value *v);
/* The error for a value that does not exist. */
struct bw_error *bw_variables_missing(const struct bw_value *v) BW_MUST_CHECK;

#endif
