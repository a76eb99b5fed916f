/* SPDX-License-Identifier: MIT */
/* Debug information from nowhere in a code object that is else as clang-19 made it: the readers
 * behind the ELF reader, which bytes that damage the whole file seldom reach.
 *
 * Pieces of the input: a byte for the section (of sections[]), two for the size, and its new
 * contents. */
#include <assert.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../sym/exercise.h"
#include "base/cursor.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

extern const unsigned char sample[]; /* made by the build from a test kernel */
extern const unsigned long sample_size;

static const char *const sections[] = {".debug_line",	  ".debug_info",	".debug_abbrev",
				       ".debug_line_str", ".debug_str",		".debug_addr",
				       ".debug_rnglists", ".debug_str_offsets", ".debug_loclists",
				       ".debug_ranges",	  ".debug_loc"};

static Elf64_Shdr *section(uint8_t *file, const char *name)
{
	Elf64_Ehdr *h = (Elf64_Ehdr *)file;
	Elf64_Shdr *s = (Elf64_Shdr *)(file + h->e_shoff);
	const char *names = (const char *)file + s[h->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < h->e_shnum; i++)
		if (!strcmp(names + s[i].sh_name, name))
			return &s[i];
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	struct bw_cursor c = bw_cursor(data, size_b);
	size_t at = ((size_t)sample_size + 7) & ~7ul;
	uint8_t *file = calloc(1, at + size_b);
	if (!file)
		return 0;
	memcpy(file, sample, sample_size);
	while (bw_cursor_left(&c) > 3) {
		Elf64_Shdr *s = section(file, sections[bw_cursor_u8(&c) % BW_ARRAY_SIZE(sections)]);
		size_t n = BW_MIN((size_t)bw_cursor_u16(&c), bw_cursor_left(&c));
		bw_cursor_copy(&c, file + at, n);
		if (s) {
			s->sh_offset = at;
			s->sh_size = n;
		}
		at += n;
	}
	/* The ELF reader is content: what has changed are sections that it does not read. */
	bool opened = exercise(file, at);
	assert(opened);
	free(file);
	return 0;
}
