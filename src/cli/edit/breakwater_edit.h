/* SPDX-License-Identifier: MIT */
#ifndef BREAKWATER_EDIT_H
#define BREAKWATER_EDIT_H

/* What programs of "breakwater decompile" are made of. Such a program makes command streams and
 * shaders, and writes them as an override file for "breakwater replay --override". It is C for
 * Linux with gcc or clang, and needs no library. Edited shaders are assembled by @CLANG@, or what
 * BREAKWATER_CLANG names; if none is edited, no assembler runs. All numbers are little-endian.
 *
 * Long file: an edit is to need one header alone.
 *
 * Each stream is built twice: first to know how long all of them are, so that those which became
 * too long for their place get new memory, and then with the addresses that follow from that. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One line of a shader: words that are used as they are while the text is what `check` was made of,
 * else the text, assembled. */
struct bw_edit_line {
	const char *text;
	uint32_t check, n, words[16];
};
#define I(text, check, ...)                                                                        \
	{                                                                                          \
		text, check, sizeof((uint32_t[]){__VA_ARGS__}) / 4,                                \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
/* A line of yours, and a place that branches name. */
#define A(text) {text, 0, 0, {0}}
#define LABEL(name) {name ":", 0, 0, {0}}

enum bw_kind { BW_PM4, BW_SDMA, BW_SHADER };

struct bw_piece {
	const char *name;
	enum bw_kind kind;
	uint64_t va; /* where the capture has it */
	uint32_t captured_b;
	void (*stream)(void);
	const struct bw_edit_line *lines;
	uint32_t n_lines, wave, reads_pc;
	/* made by the program */
	uint64_t now_va;
	uint32_t *words, n, now_dw, n_lo, n_hi;
};

/* Defined by the program: its pieces, which of them are the IBs, and where memory is free. */
struct bw_edit {
	uint32_t number;
	const char *gpu;
	uint64_t free_va, free_b;
	struct bw_piece *pieces;
	uint32_t n_pieces;
	const uint32_t *ibs;
	uint32_t n_ibs;
};

struct bw_part {
	uint64_t va, size_b;
	uint32_t is_new;
	const void *bytes;
	const char *name;
};

static struct bw_edit *bw_e;
static struct bw_piece *bw_at; /* the stream that is being built */
static struct bw_part bw_parts[4096];
static unsigned bw_n_parts, bw_pass;

#define bw_fail(...)                                                                               \
	do {                                                                                       \
		fprintf(stderr, "edit: " __VA_ARGS__);                                             \
		fputc('\n', stderr);                                                               \
		exit(2);                                                                           \
	} while (0)

static inline void *bw_alloc(size_t n)
{
	void *p = calloc(n ? n : 1, 1);
	if (!p)
		bw_fail("out of memory");
	return p;
}

/* ---- Streams ---- */

enum { BW_STREAM_MAX_DW = 1 << 20 };

/* n words as they are. */
static inline void words(const uint32_t *v, uint32_t n)
{
	if (n > BW_STREAM_MAX_DW - bw_at->n)
		bw_fail("%s is longer than %d dwords", bw_at->name, BW_STREAM_MAX_DW);
	memcpy(bw_at->words + bw_at->n, v, n * 4ul);
	bw_at->n += n;
}

/* n words that do nothing. */
static inline void nops(uint32_t n)
{
	const uint32_t nop = bw_at->kind == BW_SDMA ? 0 : 0xffff1000u;
	for (uint32_t i = 0; i < n; i++)
		words(&nop, 1);
}

/* A packet of PM4 (type 3). low: bits 7 to 0 of its header; n: words of its body. */
static inline void packet(unsigned op, unsigned low, uint32_t n, const uint32_t *body)
{
	uint32_t header = 3u << 30 | ((n - 1) & 0x3fff) << 16 | op << 8 | low;
	words(&header, 1);
	words(body, n);
}

/* SET_*_REG. base: of the register space; v: the first register, then n values. */
static inline void set_registers(unsigned op, unsigned low, unsigned base, uint32_t index,
				 uint32_t n, uint32_t *v)
{
	v[0] = (v[0] - base) | index;
	packet(op, low, n + 1, v);
}

/* A field of a register. */
#define F(reg, field, value) ((uint32_t)(value) << reg##__##field)

struct bw_field {
	const char *name;
	unsigned lo, n_bits; /* from bit 0 of the header */
	uint64_t value;
};

/* A packet by its fields: n_dw dwords, after which the data follow. */
static inline void bw_fields(const char *name, uint32_t header, uint32_t n_dw,
			     const struct bw_field *f, const uint32_t *data, uint32_t n_data)
{
	uint32_t dw[16] = {header};
	for (; f->name; f++) {
		if (f->n_bits < 64 && f->value >> f->n_bits)
			bw_fail("%s: %s(.%s = 0x%llx): it has %u bits", bw_at->name, name, f->name,
				(unsigned long long)f->value, f->n_bits);
		for (unsigned i = 0; i < f->n_bits; i++)
			dw[(f->lo + i) / 32] |= (uint32_t)(f->value >> i & 1) << (f->lo + i) % 32;
	}
	if (bw_at->kind == BW_PM4)
		dw[0] |= 3u << 30 | ((n_dw + n_data - 2) & 0x3fff) << 16;
	words(dw, n_dw);
	words(data, n_data);
}

/* ---- Addresses ---- */

/* The address of a piece; the address as packets with 48 bits have it; and the piece's size. */
static inline uint64_t va_of(unsigned piece)
{
	return bw_e->pieces[piece].now_va;
}

static inline uint64_t va48_of(unsigned piece)
{
	return va_of(piece) & 0xffffffffffffull;
}

static inline uint32_t dwords_of(unsigned piece)
{
	return bw_e->pieces[piece].now_dw;
}

/* The address of a shader, for its registers PGM_LO and PGM_HI. */
static inline uint32_t code_lo(unsigned piece)
{
	bw_e->pieces[piece].n_lo++;
	return (uint32_t)(va_of(piece) >> 8);
}

static inline uint32_t code_hi(unsigned piece)
{
	bw_e->pieces[piece].n_hi++;
	return (uint32_t)(va_of(piece) >> 40) & 0xff;
}

static inline void bw_add(const char *name, uint64_t va, uint32_t is_new, const void *bytes,
			  uint64_t size_b)
{
	for (unsigned i = 0; i < bw_n_parts; i++) {
		const struct bw_part *p = &bw_parts[i];
		uint64_t from = va > p->va ? va : p->va, end = va + size_b,
			 p_end = p->va + p->size_b;
		end = end < p_end ? end : p_end;
		if (from < end && memcmp((const char *)bytes + (from - va),
					 (const char *)p->bytes + (from - p->va), end - from))
			bw_fail("%s and %s have different bytes at the same address, 0x%llx: edit both",
				p->name, name, (unsigned long long)from);
	}
	if (bw_n_parts == sizeof(bw_parts) / sizeof(*bw_parts))
		bw_fail("more than %u parts", bw_n_parts);
	bw_parts[bw_n_parts++] = (struct bw_part){va, size_b, is_new, bytes, name};
}

/* Memory of the capture that is another one while the submission runs: arguments, data.
 * Called by a stream or main(); the address is a multiple of 4. */
static inline void patch(uint64_t va, const uint32_t *v, uint32_t n)
{
	if (bw_at && !bw_pass)
		return;
	uint32_t *copy = bw_alloc(n * 4ul);
	memcpy(copy, v, n * 4ul);
	if (n)
		bw_add("patch()", va, 0, copy, n * 4ul);
}

/* ---- Shaders ---- */

static inline uint32_t bw_check(const char *text)
{
	uint32_t h = 2166136261u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

static inline int bw_is_edited(const struct bw_edit_line *l)
{
	size_t n = strlen(l->text);
	return l->n ? bw_check(l->text) != l->check : !n || l->text[n - 1] != ':';
}

/* The code out of the assembler's object. */
static inline void bw_read_object(struct bw_piece *p, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *all = f && !fseek(f, 0, SEEK_END) ? bw_alloc((size_t)ftell(f)) : NULL;
	size_t size = all ? (size_t)ftell(f) : 0;
	if (!all || fseek(f, 0, SEEK_SET) || fread(all, 1, size, f) != size)
		bw_fail("cannot read %s", path);
	fclose(f);
	const Elf64_Ehdr *e = (void *)all;
	const Elf64_Shdr *s = (void *)(all + e->e_shoff);
	const char *names = all + s[e->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		if (!strcmp(names + s[i].sh_name, ".rela.text"))
			bw_fail("%s names a label that it does not have", p->name);
		if (strcmp(names + s[i].sh_name, ".text"))
			continue;
		p->n = (uint32_t)(s[i].sh_size / 4);
		p->words = bw_alloc(s[i].sh_size);
		memcpy(p->words, all + s[i].sh_offset, p->n * 4ul);
	}
	free(all);
}

static inline void bw_assemble(struct bw_piece *p)
{
	extern char **environ;
	char folder[] = "/tmp/breakwater-edit-XXXXXX", source[64], object[64], cpu[64];
	const char *clang = getenv("BREAKWATER_CLANG") ? getenv("BREAKWATER_CLANG") : "@CLANG@";
	if (!mkdtemp(folder))
		bw_fail("cannot make a folder in /tmp");
	snprintf(source, sizeof(source), "%s/shader.s", folder);
	snprintf(object, sizeof(object), "%s/shader.o", folder);
	snprintf(cpu, sizeof(cpu), "-mcpu=%s", bw_e->gpu);
	FILE *f = fopen(source, "w");
	if (!f)
		bw_fail("cannot write %s", source);
	for (uint32_t i = 0; i < p->n_lines; i++) {
		const struct bw_edit_line *l = &p->lines[i];
		if (!l->n || bw_is_edited(l) || strstr(l->text, " L_"))
			fprintf(f, "%s\n", l->text);
		for (uint32_t k = 0;
		     l->n && k < l->n && !bw_is_edited(l) && !strstr(l->text, " L_"); k++)
			fprintf(f, "%s0x%08x%s", k ? ", " : ".long ", l->words[k],
				k + 1 == l->n ? "\n" : "");
	}
	if (fclose(f))
		bw_fail("cannot write %s", source);
	const char *const argv[] = {clang,
				    "-target",
				    "amdgcn-amd-amdhsa",
				    cpu,
				    p->wave == 64 ? "-mwavefrontsize64" : "-mno-wavefrontsize64",
				    "-x",
				    "assembler",
				    "-c",
				    source,
				    "-o",
				    object,
				    NULL};
	pid_t pid;
	int status = -1,
	    r = posix_spawnp(&pid, clang, NULL, NULL, (char *const *)(uintptr_t)argv, environ);
	if (r)
		bw_fail("%s is edited, and %s, which assembles it, cannot be run: %s (Debian package @CLANG@; BREAKWATER_CLANG names another one)",
			p->name, clang, strerror(r));
	if (waitpid(pid, &status, 0) < 0 || status)
		bw_fail("%s does not assemble; its text is %s", p->name, source);
	bw_read_object(p, object);
	unlink(source);
	unlink(object);
	rmdir(folder);
}

static inline void bw_make_shader(struct bw_piece *p)
{
	int edited = 0;
	for (uint32_t i = 0; i < p->n_lines; i++) {
		edited |= bw_is_edited(&p->lines[i]);
		p->n += p->lines[i].n;
	}
	edited |= p->n * 4 != p->captured_b; /* lines that are gone */
	if (edited)
		bw_assemble(p);
	else
		p->words = bw_alloc(p->captured_b);
	for (uint32_t i = 0, at = 0; !edited && i < p->n_lines; at += p->lines[i++].n)
		memcpy(p->words + at, p->lines[i].words, p->lines[i].n * 4ul);
	if (p->reads_pc && p->n * 4 != p->captured_b)
		bw_fail("%s has %u bytes now, and must keep its %u: it finds data by its own address (s_getpc_b64)",
			p->name, p->n * 4, p->captured_b);
}

/* ---- All of it ---- */

static inline void bw_build(struct bw_piece *p)
{
	bw_at = p;
	p->n = 0;
	if (!p->words)
		p->words = bw_alloc(BW_STREAM_MAX_DW * 4ul);
	p->stream();
	if (p->n * 4 != p->captured_b) /* the command processor reads whole lines of 8 dwords */
		nops(-p->n % 8);
	p->now_dw = p->n;
	bw_at = NULL;
}

/* Memory that the capture does not have, for what has grown. */
static inline void bw_edit_place(struct bw_piece *p)
{
	enum { PAGE_B = 4096, CODE_END_DW = 64 };
	static uint64_t used_b;
	uint64_t size_b = p->n * 4ul + (p->kind == BW_SHADER ? CODE_END_DW * 4 : 0);
	if (p->n * 4ul <= p->captured_b)
		return;
	size_b = (size_b + PAGE_B - 1) / PAGE_B * PAGE_B;
	if (size_b > bw_e->free_b - used_b)
		bw_fail("%s has grown to %u bytes, and %llu bytes of addresses are free", p->name,
			p->n * 4, (unsigned long long)(bw_e->free_b - used_b));
	p->now_va = bw_e->free_va + used_b;
	used_b += size_b;
}

static inline void bw_check_moved(const struct bw_piece *p)
{
	if (p->kind == BW_SHADER && p->now_va != p->va &&
	    (!p->n_lo || (!p->n_hi && p->now_va >> 40 != p->va >> 40)))
		bw_fail("%s has %u bytes now, and must have at most its %u: no register of this submission is set to its address",
			p->name, p->n * 4, p->captured_b);
}

static inline void bw_add_piece(struct bw_piece *p)
{
	int is_new = p->now_va != p->va;
	uint32_t n = p->n + (is_new && p->kind == BW_SHADER ? 64 : 0);
	uint32_t *w = bw_alloc(n * 4ul);
	memcpy(w, p->words, p->n * 4ul);
	for (uint32_t i = p->n; i < n; i++)
		w[i] = 0xbf9f0000u; /* s_code_end, for what fetches ahead */
	if (n)
		bw_add(p->name, p->now_va, (uint32_t)is_new, w, n * 4ul);
}

static inline void bw_write(FILE *f)
{
	const uint32_t head[] = {0x4f574289u,  0x0a0d7276u, 1,
				 bw_e->number, bw_e->n_ibs, bw_n_parts};
	fwrite(head, 4, 6, f);
	for (uint32_t i = 0; i < bw_e->n_ibs; i++) {
		const struct bw_piece *p = &bw_e->pieces[bw_e->ibs[i]];
		fwrite(&p->va, 8, 1, f);
		fwrite(&p->now_va, 8, 1, f);
		fwrite((uint32_t[]){p->captured_b, p->n * 4}, 4, 2, f);
	}
	for (unsigned i = 0; i < bw_n_parts; i++) {
		const struct bw_part *p = &bw_parts[i];
		fwrite(&p->va, 8, 2, f);
		fwrite((uint32_t[]){p->is_new, 0}, 4, 2, f);
		fwrite(p->bytes, 1, p->size_b, f);
		fwrite("\0\0\0\0\0\0\0", 1, -p->size_b % 8, f);
	}
}

/* main() of a program: builds all pieces and writes FILE, or standard output. */
static inline int bw_edit_main(struct bw_edit *e, int argc, char **argv)
{
	if (argc > 2 || (argc < 2 && isatty(1)))
		bw_fail("usage: %s FILE.bwo; then: breakwater replay --override %u=FILE.bwo CAPTURE",
			argv[0], e->number);
	bw_e = e;
	for (uint32_t i = 0; i < e->n_pieces; i++)
		e->pieces[i].now_va = e->pieces[i].va;
	for (uint32_t i = 0; i < e->n_pieces; i++)
		e->pieces[i].now_dw = e->pieces[i].captured_b / 4;
	for (; bw_pass < 2; bw_pass++) {
		for (uint32_t i = 0; i < e->n_pieces; i++)
			if (e->pieces[i].stream)
				bw_build(&e->pieces[i]);
			else if (!bw_pass)
				bw_make_shader(&e->pieces[i]);
		for (uint32_t i = 0; i < e->n_pieces && !bw_pass; i++)
			bw_edit_place(&e->pieces[i]);
	}
	for (uint32_t i = 0; i < e->n_pieces; i++) {
		bw_check_moved(&e->pieces[i]);
		bw_add_piece(&e->pieces[i]);
	}
	FILE *f = argc == 2 ? fopen(argv[1], "wb") : stdout;
	if (f)
		bw_write(f);
	if (!f || ferror(f) || fclose(f))
		bw_fail("cannot write %s", argc == 2 ? argv[1] : "standard output");
	return 0;
}

#endif
