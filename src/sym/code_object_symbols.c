/* SPDX-License-Identifier: MIT */
/* The symbols of a code object, and the basic reads of an ELF file that the other files use. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "sym/code_object_priv.h"
#include "sym/names.h"

struct bw_error *bw_elf_bytes(const struct bw_elf *e, uint64_t offset, uint64_t size_b,
			      const char *what, const uint8_t **out)
{
	if (offset > e->file.len || size_b > e->file.len - offset)
		return DAMAGED(e, "the %s reaches past the end of the file", what);
	*out = e->file.data + offset;
	return NULL;
}

struct bw_error *bw_elf_section(const struct bw_elf *e, const Elf64_Shdr *sh, const char *what,
				struct bw_cursor *out)
{
	const uint8_t *p = NULL;
	BW_TRY(bw_elf_bytes(e, sh->sh_offset, sh->sh_size, what, &p));
	*out = bw_cursor(p, sh->sh_size);
	return NULL;
}

struct bw_error *bw_elf_strings(const struct bw_elf *e, const Elf64_Shdr *symtab,
				struct bw_cursor *out)
{
	if (symtab->sh_link >= e->n_shdrs || e->shdrs[symtab->sh_link].sh_type != SHT_STRTAB)
		return DAMAGED(e, "a symbol table has no string table");
	BW_TRY(bw_elf_section(e, &e->shdrs[symtab->sh_link], "string table", out));
	if (!out->len || out->data[out->len - 1])
		return DAMAGED(e, "a string table has no end");
	return NULL;
}

/* Only what names a place in the image: no sections, files, undefined or absolute symbols. */
static bool is_place(const Elf64_Sym *s, const struct bw_elf *e, const struct bw_cursor *strings,
		     size_t image_b)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	return (type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC) && s->st_name &&
	       s->st_name < strings->len && s->st_shndx != SHN_UNDEF && s->st_shndx < e->n_shdrs &&
	       s->st_value < image_b;
}

static struct bw_error *add_undefined(struct bw_code_object *co, const Elf64_Sym *s,
				      const struct bw_cursor *strings)
{
	enum { MAX_UNDEFINED = 4096 };
	if (s->st_shndx != SHN_UNDEF || !s->st_name || s->st_name >= strings->len ||
	    co->undefined.len == MAX_UNDEFINED)
		return NULL;
	const char *name = bw_name_line((const char *)strings->data + s->st_name);
	/* threadIdx and the like of HIP, which are declared and never defined */
	if (ELF64_ST_BIND(s->st_info) == STB_WEAK && !bw_starts_with(name, "_Z"))
		return NULL;
	bw_vec_each(&co->undefined, u)
		if (!strcmp(*u, name)) /* .dynsym repeats what .symtab has */
			return NULL;
	return bw_vec_push(&co->undefined, name);
}

const char *const *bw_code_object_undefined(const struct bw_code_object *co, size_t *out_n)
{
	*out_n = co->undefined.len;
	return co->undefined.data;
}

struct bw_error *bw_code_object_read_symbols(struct bw_code_object *co, const struct bw_elf *e,
					     const Elf64_Shdr *sh)
{
	struct bw_cursor strings, syms;
	if (sh->sh_entsize != sizeof(Elf64_Sym))
		return DAMAGED(e, "symbols of %llu bytes", (unsigned long long)sh->sh_entsize);
	BW_TRY(bw_elf_strings(e, sh, &strings));
	BW_TRY(bw_elf_section(e, sh, "symbol table", &syms));
	while (bw_cursor_left(&syms) >= sizeof(Elf64_Sym)) {
		Elf64_Sym s;
		bw_cursor_copy(&syms, &s, sizeof(s));
		BW_TRY(add_undefined(co, &s, &strings));
		if (!is_place(&s, e, &strings, co->image_b))
			continue;
		struct bw_symbol sym = {
			.name = bw_name_line((const char *)strings.data + s.st_name),
			.addr = s.st_value,
			.size_b = BW_MIN(s.st_size, co->image_b - s.st_value),
			.is_function = ELF64_ST_TYPE(s.st_info) == STT_FUNC,
		};
		const Elf64_Shdr *home = &e->shdrs[s.st_shndx];
		struct symbol_place place = {home->sh_addr + BW_MIN(home->sh_size, MAX_IMAGE_B),
					     SYMBOL_NONE};
		BW_TRY(bw_vec_push(&co->symbols, sym));
		BW_TRY(bw_vec_push(&co->places, place));
	}
	return NULL;
}

struct sortable {
	struct bw_symbol sym;
	struct symbol_place place;
};

/* Orders by address; at one address labels first and the function last, so that a search for "the
 * last symbol not after" finds the function. */
static int by_address(const void *pa, const void *pb)
{
	const struct bw_symbol *a = &((const struct sortable *)pa)->sym;
	const struct bw_symbol *b = &((const struct sortable *)pb)->sym;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->is_function != b->is_function)
		return a->is_function ? 1 : -1;
	if (a->size_b != b->size_b)
		return a->size_b < b->size_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

struct bw_error *bw_code_object_sort_symbols(struct bw_code_object *co)
{
	size_t n = co->symbols.len;
	_cleanup_free_ struct sortable *all = calloc(n ? n : 1, sizeof(*all));
	_cleanup_free_ uint32_t *open = calloc(n ? n : 1, sizeof(*open));
	size_t n_out = 0, n_open = 0;
	if (!all || !open)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		all[i] = (struct sortable){co->symbols.data[i], co->places.data[i]};
	qsort(all, n, sizeof(*all), by_address);
	for (size_t i = 0; i < n; i++) {
		/* .dynsym repeats what .symtab has */
		if (i && !by_address(&all[i], &all[i - 1]))
			continue;
		const struct bw_symbol *s = &all[i].sym;
		while (n_open) {
			const struct bw_symbol *top = &co->symbols.data[open[n_open - 1]];
			if (top->addr + top->size_b > s->addr)
				break;
			n_open--;
		}
		all[i].place.parent = n_open ? open[n_open - 1] : SYMBOL_NONE;
		co->symbols.data[n_out] = *s;
		co->places.data[n_out] = all[i].place;
		if (s->size_b)
			open[n_open++] = (uint32_t)n_out;
		n_out++;
	}
	co->symbols.len = co->places.len = n_out;
	return NULL;
}

const struct bw_symbol *bw_code_object_symbol_named(const struct bw_code_object *co,
						    const char *name)
{
	for (size_t i = 0; i < co->symbols.len; i++)
		if (!strcmp(co->symbols.data[i].name, name))
			return &co->symbols.data[i];
	return NULL;
}

const struct bw_symbol *bw_code_object_symbol_at(const struct bw_code_object *co, uint64_t addr)
{
	size_t lo = 0, hi = co->symbols.len;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (co->symbols.data[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	for (uint32_t i = (uint32_t)lo - 1; i != SYMBOL_NONE; i = co->places.data[i].parent) {
		const struct bw_symbol *s = &co->symbols.data[i];
		if (addr - s->addr < s->size_b)
			return s;
	}
	return addr < co->places.data[lo - 1].section_end ? &co->symbols.data[lo - 1] : NULL;
}
