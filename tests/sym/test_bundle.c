/* SPDX-License-Identifier: MIT */
#include "sym/bundle.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"

enum { PLACE_B = 4096, ENTRY_B = 16 }; /* of a bundle; of the code for a GPU */

struct put {
	uint8_t *at;
};

static void put(struct put *p, const void *bytes, size_t n)
{
	memcpy(p->at, bytes, n);
	p->at += n;
}

static void put_u64(struct put *p, uint64_t value)
{
	put(p, &value, sizeof(value));
}

/* As clang writes it: an empty entry for the host, then one for each of `ids`, up to NULL. */
static void put_bundle(uint8_t *at, const char *const *ids)
{
	static const char host[] = "host-x86_64-unknown-linux--";
	struct put p = {at};
	uint64_t n = 1, code = PLACE_B - ENTRY_B;
	while (ids[n - 1])
		n++;
	put(&p, "__CLANG_OFFLOAD_BUNDLE__", 24);
	put_u64(&p, n);
	for (uint64_t i = 0; i < n; i++) {
		const char *id = i ? ids[i - 1] : host;
		put_u64(&p, code);
		put_u64(&p, i ? ENTRY_B : 0);
		put_u64(&p, strlen(id));
		put(&p, id, strlen(id));
	}
}

struct program {
	Elf64_Ehdr head;
	Elf64_Shdr sections[3];
	char names[64];
	uint8_t bundles[2][PLACE_B];
};

static struct program *program_of(const char *const *first, const char *const *second)
{
	struct program *p = calloc(1, sizeof(*p));
	assert_non_null(p);
	memcpy(p->head.e_ident, ELFMAG, SELFMAG);
	p->head.e_ident[EI_CLASS] = ELFCLASS64;
	p->head.e_shoff = offsetof(struct program, sections);
	p->head.e_shentsize = sizeof(Elf64_Shdr);
	p->head.e_shnum = 3;
	p->head.e_shstrndx = 1;
	memcpy(p->names, "\0.shstrtab\0.hip_fatbin", 23);
	p->sections[1] = (Elf64_Shdr){.sh_name = 1,
				      .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct program, names),
				      .sh_size = sizeof(p->names)};
	p->sections[2] = (Elf64_Shdr){.sh_name = 11,
				      .sh_type = SHT_PROGBITS,
				      .sh_offset = offsetof(struct program, bundles),
				      .sh_size = sizeof(p->bundles)};
	put_bundle(p->bundles[0], first);
	if (second)
		put_bundle(p->bundles[1], second);
	return p;
}

/* message: NULL if nothing is to be said. */
static void expect(struct program *p, const char *message)
{
	struct bw_error *err = bw_bundle_check_program(p, sizeof(*p), "./p", "gfx1100");
	if (message) {
		assert_non_null(err);
		assert_string_equal(err->message, message);
	} else {
		assert_null(err);
	}
	bw_error_free(err);
	free(p);
}

#define ID(gpu) "hipv4-amdgcn-amd-amdhsa--" gpu
#define IDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void for_others_only(void **state)
{
	expect(program_of(IDS(ID("gfx90a:sramecc+:xnack-"), ID("gfx942")), IDS(ID("gfx942"))),
	       "./p has HIP kernels for gfx90a, gfx942 only, and this GPU is gfx1100: compile it with "
	       "--offload-arch=gfx1100");
	expect(program_of(IDS(ID("gfx906"), ID("gfx90")), NULL),
	       "./p has HIP kernels for gfx906, gfx90 only, and this GPU is gfx1100: compile it with "
	       "--offload-arch=gfx1100");
}

static void for_this_one(void **state)
{
	expect(program_of(IDS(ID("gfx942"), ID("gfx1100")), NULL), NULL);
	expect(program_of(IDS(ID("gfx942")), IDS(ID("gfx1100"))), NULL);
	expect(program_of(IDS(ID("gfx942"), ID("gfx1100:xnack-")), NULL), NULL);
}

/* What the runtime may be able to use is not complained about. */
static void not_known(void **state)
{
	expect(program_of(IDS(ID("gfx942"), ID("gfx11-generic")), NULL), NULL);
	expect(program_of(IDS(ID("gfx942"), "hip-spirv64-amd-amdhsa--amdgcnspirv"), NULL), NULL);
	struct program *p = program_of(IDS(ID("gfx942")), NULL);
	memcpy(p->bundles[1], "CCOB", 4);
	expect(p, NULL);
	p = program_of(IDS(ID("gfx942")), NULL);
	memcpy(p->names + 11, ".rodata", 8);
	expect(p, NULL);
}

static void one_after_the_other(void **state)
{
	struct program *p = program_of(IDS(ID("gfx942"), ID("gfx1100")), IDS(ID("gfx1100:xnack-")));
	const uint8_t *code[3];
	size_t at = 0, code_b, n = 0;
	while (n < 3 &&
	       bw_bundle_next_of_program(p, sizeof(*p), "gfx1100", &at, &code[n], &code_b)) {
		assert_int_equal(code_b, ENTRY_B);
		n++;
	}
	assert_int_equal(n, 2);
	assert_true(code[0] > p->bundles[0] && code[0] < p->bundles[1] && code[1] > p->bundles[1]);
	at = 0;
	assert_false(bw_bundle_next_of_program(p, sizeof(*p), "gfx90a", &at, &code[0], &code_b));
	at = 0;
	p->sections[2].sh_size = UINT64_MAX;
	assert_false(bw_bundle_next_of_program(p, sizeof(*p), "gfx1100", &at, &code[0], &code_b));
	free(p);
}

static void damaged(void **state)
{
	struct program *p = program_of(IDS(ID("gfx942")), NULL);
	p->sections[2].sh_size = UINT64_MAX;
	expect(p, NULL);
	p = program_of(IDS(ID("gfx942")), NULL);
	p->sections[1].sh_offset = UINT64_MAX;
	expect(p, NULL);
	p = program_of(IDS(ID("gfx942")), NULL);
	p->head.e_shoff = sizeof(*p) - 8;
	expect(p, NULL);
	p = program_of(IDS(ID("gfx942")), NULL);
	p->head.e_shstrndx = 3;
	expect(p, NULL);
	p = program_of(IDS(ID("gfx942")), NULL);
	memset(p->bundles[0] + 24, 0xff, 8);
	expect(p, NULL);
}

TESTS(for_others_only, for_this_one, not_known, one_after_the_other, damaged);
