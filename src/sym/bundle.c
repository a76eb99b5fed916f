/* SPDX-License-Identifier: MIT */
#include "sym/bundle.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

#include "base/cursor.h"
#include "base/str.h"
#include "base/util.h"

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed[] = "CCOB";
enum {
	MAGIC_B = sizeof(magic) - 1,
	ENTRIES_MAX = 1024,
	NAMED_MAX = 16,
	NAMES_MAX_B = 200,
	PAGE_B = 4096
};

static bool begins(const void *data, size_t size_b, const char *text)
{
	return size_b >= strlen(text) && !memcmp(data, text, strlen(text));
}

bool bw_bundle_is(const void *data, size_t size_b)
{
	return begins(data, size_b, magic) || begins(data, size_b, compressed);
}

/* "hipv4-amdgcn-amd-amdhsa--gfx1100" or "...-gfx90a:sramecc+": the part after the last '-', up to
 * the GPU's features. Points into id; NULL: the host's entry, or one without a GPU. */
static const char *gpu_of(const char *id, size_t len, size_t *out_len)
{
	const char *colon = memchr(id, ':', len);
	size_t end = colon ? (size_t)(colon - id) : len, at = end;
	while (at && id[at - 1] != '-')
		at--;
	*out_len = end - at;
	for (size_t i = at; i < end; i++)
		if (!isalnum((unsigned char)id[i]))
			return NULL;
	return *out_len > 3 && !memcmp(id + at, "gfx", 3) ? id + at : NULL;
}

static struct bw_error *damaged(const char *path)
{
	return bw_errorf(BW_E_INVALID, "%s: damaged offload bundle", path);
}

/* The entries of a bundle, one after the other. */
struct entries {
	struct bw_cursor c;
	const uint8_t *data; /* the bundle, from its magic on */
	size_t size_b;
	uint64_t left;
	bool is_damaged;
};

struct entry {
	const char *gpu; /* NULL: the host's, or one without a GPU */
	size_t gpu_len;
	const uint8_t *code;
	size_t code_b;
};

static struct entries entries_of(const void *data, size_t size_b)
{
	struct entries e = {.c = bw_cursor(data, size_b), .data = data, .size_b = size_b};
	bw_cursor_bytes(&e.c, MAGIC_B);
	e.left = bw_cursor_u64(&e.c);
	e.is_damaged = e.c.overrun || e.left > ENTRIES_MAX;
	return e;
}

static bool next_entry(struct entries *e, struct entry *out)
{
	if (e->is_damaged || !e->left)
		return false;
	e->left--;
	uint64_t offset = bw_cursor_u64(&e->c), code_b = bw_cursor_u64(&e->c);
	uint64_t id_b = bw_cursor_u64(&e->c);
	const char *id = bw_cursor_bytes(&e->c, id_b);
	if (!id || offset > e->size_b || code_b > e->size_b - offset) {
		e->is_damaged = true;
		return false;
	}
	*out = (struct entry){.code = e->data + offset, .code_b = code_b};
	out->gpu = gpu_of(id, id_b, &out->gpu_len);
	return true;
}

static bool is_for(const struct entry *e, const char *gpu)
{
	return e->gpu_len == strlen(gpu) && !memcmp(e->gpu, gpu, e->gpu_len);
}

/* "gfx90a, gfx942": adds a name that is not there yet. */
static void add_name(struct bw_str *names, const struct entry *e)
{
	for (const char *at = bw_str_text(names); (at = strstr(at, "gfx")); at++)
		if (!strncmp(at, e->gpu, e->gpu_len) && !isalnum((unsigned char)at[e->gpu_len]))
			return;
	bw_str_add(names, names->len ? ", " : "");
	bw_str_addn(names, e->gpu, e->gpu_len);
}

struct bw_error *bw_bundle_find(const void *data, size_t size_b, const char *path, const char *gpu,
				const uint8_t **out_data, size_t *out_size_b)
{
	if (begins(data, size_b, compressed))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is a compressed offload bundle: take the code object out of it, "
			"clang-offload-bundler-19 --type=o --unbundle",
			path);
	struct entries entries = entries_of(data, size_b);
	struct entry e = {0};
	struct bw_str names = {0};
	bool found = false;
	for (size_t i = 0; !found && next_entry(&entries, &e); i++) {
		found = e.gpu && is_for(&e, gpu);
		if (e.gpu && !found && i < NAMED_MAX)
			add_name(&names, &e);
	}
	struct bw_error *err = NULL;
	if (found) {
		*out_data = e.code;
		*out_size_b = e.code_b;
	} else {
		err = entries.is_damaged
			      ? damaged(path)
			      : bw_errorf(BW_E_INVALID, "%s has no code for %s; it has code for %s",
					  path, gpu,
					  names.len ? bw_str_text(&names) : "no AMD GPU");
	}
	bw_str_free(&names);
	return err;
}

/* The section with this name; false: there is none, or the file's headers are damaged. */
static bool find_section(const uint8_t *data, size_t size_b, const char *name,
			 struct bw_cursor *out)
{
	Elf64_Ehdr e;
	struct bw_cursor c = bw_cursor(data, size_b);
	bw_cursor_copy(&c, &e, sizeof(e));
	if (c.overrun || memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_shentsize != sizeof(Elf64_Shdr) || e.e_shoff > size_b || e.e_shstrndx >= e.e_shnum)
		return false;
	c = bw_cursor(data + e.e_shoff, size_b - e.e_shoff);
	const uint8_t *headers = bw_cursor_bytes(&c, (size_t)e.e_shnum * sizeof(Elf64_Shdr));
	if (!headers)
		return false;
	Elf64_Shdr names, s;
	memcpy(&names, headers + e.e_shstrndx * sizeof(names), sizeof(names));
	for (size_t i = 0; i < e.e_shnum; i++) {
		memcpy(&s, headers + i * sizeof(s), sizeof(s));
		uint64_t at = names.sh_offset + s.sh_name;
		if (s.sh_type == SHT_NOBITS || at >= size_b || size_b - at <= strlen(name) ||
		    memcmp(data + at, name, strlen(name) + 1))
			continue;
		if (s.sh_offset > size_b || s.sh_size > size_b - s.sh_offset)
			return false;
		*out = bw_cursor(data + s.sh_offset, s.sh_size);
		return true;
	}
	return false;
}

/* Of one bundle in a program: true if a GPU of that name could use it, as far as is known. The GPUs
 * of its code are added to names; out_end_b: where its code ends. */
static bool serves(const uint8_t *data, size_t size_b, const char *gpu, struct bw_str *names,
		   size_t *out_end_b)
{
	struct entries entries = entries_of(data, size_b);
	struct entry e;
	*out_end_b = MAGIC_B;
	while (next_entry(&entries, &e)) {
		/* code for a family of GPUs ("gfx11-generic"), or SPIR-V, may serve */
		if (e.gpu ? is_for(&e, gpu) : e.code_b > 0)
			return true;
		if (e.gpu && names->len < NAMES_MAX_B)
			add_name(names, &e);
		*out_end_b = BW_MAX(*out_end_b, (size_t)(e.code - data) + e.code_b);
	}
	return entries.is_damaged;
}

/* Where the next bundle of a program is looked for: there is one for each source that was compiled,
 * each at the begin of a page. */
static size_t after(size_t at, size_t end_b)
{
	return at + (end_b + PAGE_B - 1) / PAGE_B * PAGE_B;
}

bool bw_bundle_next_of_program(const void *data, size_t size_b, const char *gpu, size_t *at,
			       const uint8_t **out_data, size_t *out_size_b)
{
	struct bw_cursor section;
	bool found = false;
	if (!find_section(data, size_b, ".hip_fatbin", &section))
		return false;
	while (!found && *at < section.len) {
		const uint8_t *bundle = section.data + *at;
		const size_t left_b = section.len - *at;
		struct entries entries = entries_of(bundle, left_b);
		struct entry e;
		size_t end_b = 1;
		while (begins(bundle, left_b, magic) && next_entry(&entries, &e)) {
			end_b = BW_MAX(end_b, (size_t)(e.code - bundle) + e.code_b);
			if (found || !e.gpu || !e.code_b || !is_for(&e, gpu))
				continue;
			*out_data = e.code;
			*out_size_b = e.code_b;
			found = true;
		}
		*at = after(*at, end_b);
	}
	return found;
}

struct bw_error *bw_bundle_check_program(const void *data, size_t size_b, const char *path,
					 const char *gpu)
{
	struct bw_cursor section;
	if (!find_section(data, size_b, ".hip_fatbin", &section))
		return NULL;
	struct bw_str names = {0};
	bool is_served = false;
	for (size_t at = 0; at < section.len && !is_served;) {
		const uint8_t *bundle = section.data + at;
		size_t left_b = section.len - at, end_b = 1;
		if (begins(bundle, left_b, magic))
			is_served = serves(bundle, left_b, gpu, &names, &end_b);
		else
			is_served = begins(bundle, left_b, compressed);
		at = after(at, end_b);
	}
	struct bw_error *err = NULL;
	if (!is_served && names.len)
		err = bw_errorf(
			BW_E_INVALID,
			"%s has HIP kernels for %s only, and this GPU is %s: compile it with "
			"--offload-arch=%s",
			path, bw_str_text(&names), gpu, gpu);
	bw_str_free(&names);
	return err;
}
