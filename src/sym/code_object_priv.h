/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_CODE_OBJECT_PRIV_H
#define BW_SYM_CODE_OBJECT_PRIV_H

/* The inside of a code object: what the ELF reader (code_object.c), the symbols
 * (code_object_symbols.c) and the metadata reader (code_object_meta.c) share. */

#include <elf.h>

#include "base/cursor.h"
#include "base/vec.h"
#include "sym/code_object.h"

/* More than any GPU program has; keeps a damaged size from becoming an allocation of terabytes. */
#define MAX_IMAGE_B (256ull << 20)

/* The parts of the ELF file that are read while opening it. The tables are copies: the file may
 * hold them at any alignment. */
struct bw_elf {
	const char *path;
	struct bw_cursor file;
	Elf64_Ehdr eh;
	Elf64_Shdr *shdrs;
	size_t n_shdrs;
	Elf64_Phdr *phdrs;
	size_t n_phdrs;
};

#define DAMAGED(e, fmt, ...)                                                                       \
	bw_errorf(BW_E_INVALID, "%s: damaged code object: " fmt, (e)->path, ##__VA_ARGS__)

/* Data to sort a symbol among the others; bw_symbol itself has what callers see. */
struct symbol_place {
	uint64_t section_end; /* address */
	/* the innermost earlier symbol that covers this one's start, or NONE */
	uint32_t parent;
};
#define SYMBOL_NONE UINT32_MAX

struct bw_code_object {
	char *path, *shown; /* shown: NULL: path */
	char gpu[24];
	uint8_t *file;
	size_t file_b;
	uint8_t *image;
	size_t image_b;
	struct BW_VEC(struct bw_symbol) symbols;
	struct BW_VEC(struct symbol_place) places; /* one for each symbol */
	struct BW_VEC(const char *) undefined;	   /* names of symbols; borrowed from `file` */
	struct BW_VEC(struct bw_kernel) kernels;
	struct BW_VEC(struct bw_reloc) relocs;
	struct BW_VEC(const char *) printf_formats; /* texts are in `owned` */
	struct BW_VEC(void *) owned; /* strings and argument arrays, freed on close */
};

/* Bytes of the file, borrowed from it; `what` is for the message. */
struct bw_error *bw_elf_bytes(const struct bw_elf *e, uint64_t offset, uint64_t size_b,
			      const char *what, const uint8_t **out) BW_MUST_CHECK;
/* The bytes of a section that has some. */
struct bw_error *bw_elf_section(const struct bw_elf *e, const Elf64_Shdr *sh, const char *what,
				struct bw_cursor *out) BW_MUST_CHECK;
/* The string table a symbol section names, checked to end in a NUL so that its strings do too. */
struct bw_error *bw_elf_strings(const struct bw_elf *e, const Elf64_Shdr *symtab,
				struct bw_cursor *out) BW_MUST_CHECK;

/* Adds the symbols of one symbol table; sort them when all are there. */
struct bw_error *bw_code_object_read_symbols(struct bw_code_object *co, const struct bw_elf *e,
					     const Elf64_Shdr *sh) BW_MUST_CHECK;
struct bw_error *bw_code_object_sort_symbols(struct bw_code_object *co) BW_MUST_CHECK;

/* A copy of n bytes of text that lives as long as the code object. */
struct bw_error *bw_code_object_keep_text(struct bw_code_object *co, const char *text, size_t n,
					  const char **out) BW_MUST_CHECK;

/* Reads the metadata note (doc/hardware/code-objects.md 2) and adds its kernels, with arguments, to
 * co->kernels. Only the fields that metadata knows are set; `descriptor` is taken from the symbol.
 */
struct bw_error *bw_code_object_read_metadata(struct bw_code_object *co, const void *note_desc,
					      size_t size_b) BW_MUST_CHECK;

/* NULL when there is none of that name. */
const struct bw_symbol *bw_code_object_symbol_named(const struct bw_code_object *co,
						    const char *name);

#endif
