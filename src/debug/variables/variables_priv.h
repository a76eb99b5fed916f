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
	uint64_t base;	/* of the code object's image */
	uint64_t addr;	/* in the image */
	unsigned level; /* of the inlined function, 0 the innermost */
	bool is_outer;	/* a caller's: its registers are those of frame `frame` (frames.h) */
	unsigned frame;
	bool has_stack; /* s32 and s33 are known */
	uint32_t s32, s33;
};

/* The variables that were last asked for: those visible at an address of an image. */
struct bw_variable_cache {
	const struct bw_lines *lines; /* NULL: none yet */
	uint64_t addr;
	unsigned level, paths_version;
	struct bw_variable *list; /* owned */
	uint8_t *wrong;		  /* owned; of each: BW_NOT_ASKED, or whether its location is */
	size_t n;
};
enum { BW_NOT_ASKED = 2 };

struct bw_variables {
	struct bw_variable_cache visible;
	struct BW_VEC(struct bw_ctype *) made_types; /* owned; that the program does not name */
};
void bw_variables_fini(struct bw_variables *x);

/* named.c */
/* NULL: no variable has that name there: "i", "zoo::i", "::i". Borrowed as bw_variables_list's. */
const struct bw_variable *bw_variables_find(struct bw_debug *d, const struct bw_variables_frame *f,
					    const char *name);
/* The value of an enumerator that a visible variable's type has. */
bool bw_variables_enumerator(struct bw_debug *d, const struct bw_variables_frame *f,
			     const char *name, const struct bw_ctype **out_type,
			     int64_t *out_value);

/* frame.c */
/* The frame of a wave: the selected one of the focus wave, the innermost one of others. False: no
 * debug information there. */
bool bw_variables_frame(struct bw_debug *d, struct bw_wave_record *w,
			struct bw_variables_frame *out);
/* The frame of an address in loaded code, without registers. */
bool bw_variables_frame_at(struct bw_debug *d, uint64_t pc, struct bw_variables_frame *out);
/* Borrowed until the next call. */
struct bw_error *bw_variables_list(struct bw_debug *d, const struct bw_variables_frame *f,
				   const struct bw_variable **out, size_t *out_n) BW_MUST_CHECK;
/* Where a variable is, start and end in the GPU's space. */
void bw_variables_place(struct bw_debug *d, const struct bw_variables_frame *f,
			const struct bw_variable *v, struct bw_location *out);
/* Makes a location optimized out, or a part of it, where the compiler has written one that does not
 * hold there. */
void bw_variables_correct(struct bw_debug *d, const struct bw_variables_frame *f,
			  const struct bw_variable *v, struct bw_location *l);
/* The code of the function at that address, in its image. False: it is not known. */
bool bw_variables_code(struct bw_debug *d, const struct bw_variables_frame *f,
		       struct bw_origin_code *out);
/* Types that the program does not name: those of &x, p@4, v.xy. Each is made once and lives as long
 * as the session; NULL: out of memory. */
const struct bw_ctype *bw_variables_pointer_to(struct bw_debug *d, const struct bw_ctype *elem,
					       enum bw_space space);
const struct bw_ctype *bw_variables_array_of(struct bw_debug *d, const struct bw_ctype *elem,
					     uint64_t count, bool is_vector);
/* The same struct with so many elements in the array of unknown length at its end. */
const struct bw_ctype *bw_variables_filled(struct bw_debug *d, const struct bw_ctype *block,
					   uint64_t count);
/* An array like another one, with so many elements. */
const struct bw_ctype *bw_variables_counted(struct bw_debug *d, const struct bw_ctype *array,
					    uint64_t count);

/* shader.c */
/* A value that is not known, and why. */
struct bw_error *bw_variables_not_known(const struct bw_ctype *type, const char *why,
					struct bw_value *out) BW_MUST_CHECK;
/* A value of these bytes, which is at no place that can be assigned; why: of those after them. */
struct bw_error *bw_variables_copied(const struct bw_ctype *type, const void *bytes, size_t n,
				     const char *why, struct bw_value *out) BW_MUST_CHECK;

/* place.c */
/* Of which wave and lane a value is. */
struct bw_value_of {
	struct bw_debug *d;
	struct bw_wave_record *wave; /* NULL: none */
	unsigned lane;
	bool skip; /* only types are wanted */
};
struct bw_error *bw_variables_value(const struct bw_value_of *x, const struct bw_variables_frame *f,
				    const struct bw_variable *v,
				    struct bw_value *out) BW_MUST_CHECK;
/* What is at a location, of which nothing is left out. */
struct bw_error *bw_variables_at(const struct bw_value_of *x, const struct bw_variables_frame *f,
				 const struct bw_ctype *type, const struct bw_location *l,
				 struct bw_value *out) BW_MUST_CHECK;
/* What is at an address, as a value of a type: a number is read, an aggregate is not yet. */
struct bw_place_at {
	enum bw_space space;
	uint64_t va;
	unsigned bit_offset, bit_size;
};
struct bw_error *bw_variables_load(const struct bw_value_of *x, const struct bw_ctype *type,
				   struct bw_place_at at, struct bw_value *out) BW_MUST_CHECK;
/* A part of v, offset_b from its start. out is owned, v stays as it is. */
struct bw_member_at {
	uint64_t offset_b;
	unsigned bit_offset, bit_size;
};
struct bw_error *bw_variables_part(const struct bw_value_of *x, const struct bw_value *v,
				   const struct bw_ctype *type, struct bw_member_at at,
				   struct bw_value *out) BW_MUST_CHECK;
struct bw_error *bw_variables_fetch(const struct bw_value_of *x, struct bw_value *v) BW_MUST_CHECK;
/* Writes size_b bytes to where a value of the program is (MEMORY or PIECES). */
struct bw_error *bw_variables_store(const struct bw_value_of *x, const struct bw_value *place,
				    const uint8_t *bytes, size_t size_b) BW_MUST_CHECK;
/* record.c: of BW_LOC_RECORD */
struct bw_error *bw_variables_recorded(const struct bw_value_of *x,
				       const struct bw_variables_frame *f,
				       const struct bw_location *l, const struct bw_ctype *type,
				       struct bw_value *out) BW_MUST_CHECK;
/* shader.c: a variable whose place is one of Vulkan (BOUND, PUSH, BUILTIN), in the dispatch of the
 * wave. */
struct bw_error *bw_variables_of_shader(const struct bw_value_of *x, const struct bw_location *l,
					const struct bw_ctype *type,
					struct bw_value *out) BW_MUST_CHECK;
/* launch.c: where a parameter of a kernel lies in its block of arguments. False: it is none, or the
 * code object does not describe it. */
bool bw_variables_launch(struct bw_debug *d, const struct bw_variables_frame *f,
			 const struct bw_variable *v, uint32_t *out_offset_b);
/* What is there of the wave's dispatch; no value (is_missing) where its address is not known. */
struct bw_error *bw_variables_launch_value(const struct bw_value_of *x, uint32_t offset_b,
					   const struct bw_ctype *type,
					   struct bw_value *out) BW_MUST_CHECK;
/* What a parameter was called with ("NAME@entry" of gdb), whatever has been assigned to it since.
 * An error where that is not known. */
struct bw_error *bw_variables_entry_value(const struct bw_value_of *x,
					  const struct bw_variables_frame *f,
					  const struct bw_variable *v,
					  struct bw_value *out) BW_MUST_CHECK;

/* place.c: makes v, whose bytes are there, a number, where it is none of the aggregates. */
void bw_variables_decode(struct bw_value *v);
/* The error of a value that does not exist. */
struct bw_error *bw_variables_missing(const struct bw_value *v) BW_MUST_CHECK;

#endif
