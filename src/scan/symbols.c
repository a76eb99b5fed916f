/* SPDX-License-Identifier: MIT */
#include "scan/symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/demangle.h"

struct bw_error *bw_scan_symbols_add(struct bw_scan_symbols *s, const char *path)
{
	struct bw_code_object *co;
	BW_TRY(bw_code_object_load(path, &co));
	struct bw_error *err = bw_vec_push(&s->code, co);
	if (err)
		bw_code_object_close(co);
	return err;
}

void bw_scan_symbols_close(struct bw_scan_symbols *s)
{
	for (unsigned i = 0; i < BW_GPU_VMIDS; i++)
		if (s->vmid[i].is_open)
			bw_gpu_space_close(&s->vmid[i].space);
	bw_vec_each(&s->code, co)
		bw_code_object_close(*co);
	bw_vec_free(&s->code);
}

static bool is_code_object(const char *path)
{
	Elf64_Ehdr head;
	struct stat st;
	/* Not a device, whose opening may have effects, nor a pipe, which waits. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	return f && fread(&head, sizeof(head), 1, f) == 1 &&
	       !memcmp(head.e_ident, ELFMAG, SELFMAG) && head.e_machine == EM_AMDGPU;
}

/* Files among the words of its command line, seen from its folder. */
static void add_code_of(struct bw_scan_symbols *s, pid_t pid)
{
	char path[512], words[64 * 1024];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f)
		return;
	size_t n = fread(words, 1, sizeof(words) - 1, f);
	words[n] = '\0';
	for (const char *w = words; w < words + n; w += strlen(w) + 1) {
		if (!*w || snprintf(path, sizeof(path), *w == '/' ? "%.0d%s" : "/proc/%d/cwd/%s",
				    *w == '/' ? 0 : (int)pid, w) >= (int)sizeof(path))
			continue;
		if (is_code_object(path))
			bw_error_free(bw_scan_symbols_add(s, path)); /* damaged: not known */
	}
}

static void look_at_vmid(struct bw_scan_symbols *s, unsigned vmid)
{
	__auto_type v = &s->vmid[vmid];
	v->is_looked_at = true;
	v->has_process = bw_gpu_process_of(s->gpu->kmd, vmid, &v->process);
	if (v->has_process)
		add_code_of(s, v->process.pid);
	struct bw_error *err =
		bw_gpu_space_open(s->gpu->kmd, &s->gpu->part, BW_GPUVM_GC, vmid, &v->space, NULL);
	v->is_open = !err;
	bw_error_free(err);
}

const struct bw_kmd_client *bw_scan_symbols_process(struct bw_scan_symbols *s, unsigned vmid)
{
	if (vmid >= BW_GPU_VMIDS)
		return NULL;
	if (!s->vmid[vmid].is_looked_at)
		look_at_vmid(s, vmid);
	return s->vmid[vmid].has_process ? &s->vmid[vmid].process : NULL;
}

enum { AROUND_B = 512, PAGE_B = 4096 };

/* Equal dwords in percent around an offset of the image, of the function that is there: breakpoints
 * may be in it. 0: nothing to compare. */
static unsigned likeness(struct bw_gpu_space *space, const struct bw_code_object *co,
			 const struct bw_symbol *sym, uint64_t offset, uint64_t pc)
{
	size_t image_b, n_same = 0, n = 0;
	const uint8_t *image = bw_code_object_image(co, &image_b);
	uint8_t memory[2 * AROUND_B];
	uint64_t first = offset > AROUND_B ? offset - AROUND_B : 0, end = offset + AROUND_B;
	first = BW_MAX(first, sym->addr);
	end = BW_MIN(end, sym->addr + sym->size_b);
	end = BW_MIN(end, (uint64_t)image_b);
	if (first >= end || end - first < 4 || first > offset || pc < offset - first)
		return 0;
	size_t got = bw_gpu_space_read(space, pc - (offset - first), memory, (size_t)(end - first));
	for (size_t i = 0; i + 4 <= got; i += 4, n++)
		n_same += !memcmp(memory + i, image + first + i, 4);
	return n && got == end - first ? (unsigned)(n_same * 100 / n) : 0;
}

/* Images lie at multiples of a page, so the offset in the page is known. */
static const struct bw_symbol *find_symbol(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc,
					   uint64_t *out_offset)
{
	enum { LIKE_ENOUGH = 80, MOST_PAGES = 16384 };
	const struct bw_symbol *best = NULL;
	unsigned best_likeness = LIKE_ENOUGH - 1;
	bw_vec_each(&s->code, co) {
		size_t image_b;
		bw_code_object_image(*co, &image_b);
		for (uint64_t at = pc % PAGE_B; at < image_b && at / PAGE_B < MOST_PAGES;
		     at += PAGE_B) {
			const struct bw_symbol *sym = bw_code_object_symbol_at(*co, at);
			if (!sym || !sym->is_function || at >= sym->addr + sym->size_b)
				continue;
			unsigned like = likeness(&s->vmid[vmid].space, *co, sym, at, pc);
			if (like <= best_likeness)
				continue;
			best = sym;
			best_likeness = like;
			*out_offset = at - sym->addr;
		}
	}
	return best;
}

bool bw_scan_symbols_at(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc, struct bw_str *out)
{
	uint64_t offset = 0;
	bw_scan_symbols_process(s, vmid);
	if (vmid >= BW_GPU_VMIDS || !s->vmid[vmid].is_open || !s->code.len)
		return false;
	if (!s->last.is_valid || s->last.vmid != vmid || s->last.pc != pc) {
		const struct bw_symbol *sym = find_symbol(s, vmid, pc, &offset);
		s->last.is_valid = true;
		s->last.is_known = sym != NULL;
		s->last.vmid = vmid;
		s->last.pc = pc;
		_cleanup_free_ char *pretty = sym ? bw_demangle(sym->name) : NULL;
		if (sym)
			snprintf(s->last.text, sizeof(s->last.text), "%s+%" PRIu64,
				 pretty ? pretty : sym->name, offset);
	}
	if (s->last.is_known)
		bw_str_add(out, s->last.text);
	return s->last.is_known;
}
