/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_CODE_OBJECT_PRIV_H
#define BW_SYM_CODE_OBJECT_PRIV_H

/* The inside of a code object: what the ELF reader (code_object.c) and the metadata reader
 * (code_object_meta.c) share. */

#include "base/vec.h"
#include "sym/code_object.h"

/* Where a symbol stands among the others: bw_symbol itself is what users see. */
struct symbol_place {
	uint64_t section_end; /* address */
	uint32_t parent; /* index of the innermost earlier symbol that covers this one's start, or NONE */
};
#define SYMBOL_NONE UINT32_MAX

struct bw_code_object {
	char *path;
	char gpu[24];
	uint8_t *file;
	size_t file_b;
	uint8_t *image;
	size_t image_b;
	struct BW_VEC(struct bw_symbol) symbols;
	struct BW_VEC(struct symbol_place) places; /* one for each symbol */
	struct BW_VEC(struct bw_kernel) kernels;
	struct BW_VEC(struct bw_reloc) relocs;
	struct BW_VEC(void *) owned; /* strings and argument arrays, freed on close */
};

/* A copy of n bytes of text that lives as long as the code object. */
struct bw_error *bw_code_object_keep_text(struct bw_code_object *co, const char *text, size_t n,
					  const char **out) BW_MUST_CHECK;

/* Reads the metadata note (reference debug-info 2) and adds its kernels, with arguments, to
 * co->kernels. Only the fields that metadata knows are set; `descriptor` is taken from the symbol. */
struct bw_error *bw_code_object_read_metadata(struct bw_code_object *co, const void *note_desc,
					      size_t size_b) BW_MUST_CHECK;

/* NULL when there is none of that name. */
const struct bw_symbol *bw_code_object_symbol_named(const struct bw_code_object *co,
						    const char *name);

#endif
