/* SPDX-License-Identifier: MIT */
#include "agent/names/kernel_symbol.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

struct file {
	const uint8_t *bytes;
	size_t size_b;
};

static bool is_part(const struct file *f, uint64_t at, uint64_t size_b)
{
	return at <= f->size_b && size_b <= f->size_b - at;
}

/* False: it is not in the file. */
static bool read_section(const struct file *f, const Elf64_Ehdr *e, uint64_t i, Elf64_Shdr *out)
{
	uint64_t at = i * sizeof(*out);
	if (i >= e->e_shnum || e->e_shentsize != sizeof(*out) || !is_part(f, e->e_shoff, at) ||
	    !is_part(f, e->e_shoff + at, sizeof(*out)))
		return false;
	memcpy(out, f->bytes + e->e_shoff + at, sizeof(*out));
	return is_part(f, out->sh_offset, out->sh_size);
}

/* One part of a name of C++, "5saxpy"; *at goes after it. False: it is something else. */
static bool take_part(const char **at, char *out, size_t room, size_t *n)
{
	size_t len = 0;
	const char *p = *at;
	while (isdigit((unsigned char)*p) && len < 4096)
		len = len * 10 + (size_t)(*p++ - '0');
	if (!len || strnlen(p, len) < len)
		return false;
	int put = snprintf(out + *n, room - *n, "%s%.*s", *n ? "::" : "", (int)len, p);
	*n = BW_MIN(*n + (size_t)put, room - 1);
	*at = p + len;
	return true;
}

/* "_Z5saxpyfPKf" is saxpy, "_ZN2ns1fEi" is ns::f. What is neither stays. */
static void shorten(const char *symbol, char *out, size_t room)
{
	size_t n = 0;
	const char *at = symbol + 2;
	bool is_nested = !strncmp(symbol, "_ZN", 3);
	if (strncmp(symbol, "_Z", 2)) {
		snprintf(out, room, "%s", symbol);
		return;
	}
	at += is_nested;
	while (take_part(&at, out, room, &n) && is_nested)
		;
	if (!n)
		snprintf(out, room, "%s", symbol);
}

/* The symbol's text without ".kd"; false: it is not one of a descriptor. */
static bool read_name(const struct file *f, const Elf64_Shdr *texts, uint64_t at, char *out,
		      size_t room)
{
	enum { NAME_MAX_B = 4096 };
	char symbol[NAME_MAX_B];
	const char *text = (const char *)f->bytes + texts->sh_offset;
	if (at >= texts->sh_size)
		return false;
	size_t n = strnlen(text + at, BW_MIN(texts->sh_size - at, (uint64_t)NAME_MAX_B));
	if (n < 4 || n >= NAME_MAX_B || memcmp(text + at + n - 3, ".kd", 3))
		return false;
	memcpy(symbol, text + at, n - 3);
	symbol[n - 3] = 0;
	shorten(symbol, out, room);
	return true;
}

static bool find_in(const struct file *f, const Elf64_Shdr *symbols, const Elf64_Shdr *texts,
		    uint64_t descriptor, char *out, size_t room)
{
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym s;
		memcpy(&s, f->bytes + symbols->sh_offset + at, sizeof(s));
		if (s.st_value == descriptor && s.st_shndx != SHN_UNDEF &&
		    read_name(f, texts, s.st_name, out, room))
			return true;
	}
	return false;
}

bool bw_kernel_symbol(const void *elf, size_t size_b, uint64_t descriptor, char *out, size_t room)
{
	const struct file f = {elf, size_b};
	Elf64_Ehdr e;
	if (size_b < sizeof(e))
		return false;
	memcpy(&e, elf, sizeof(e));
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (uint64_t i = 0; i < e.e_shnum; i++) {
		Elf64_Shdr symbols, texts;
		if (read_section(&f, &e, i, &symbols) &&
		    (symbols.sh_type == SHT_DYNSYM || symbols.sh_type == SHT_SYMTAB) &&
		    read_section(&f, &e, symbols.sh_link, &texts) &&
		    find_in(&f, &symbols, &texts, descriptor, out, room))
			return true;
	}
	return false;
}
