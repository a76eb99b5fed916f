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
#include "scan/loaded.h"
#include "sym/demangle.h"
#include "sym/placed.h"

static struct bw_error *keep(void *cookie, struct bw_code_object *co)
{
	struct bw_scan_symbols *s = cookie;
	struct bw_error *err = bw_vec_push(&s->code, co);
	if (err)
		bw_code_object_close(co);
	return err;
}

struct bw_error *bw_scan_symbols_add(struct bw_scan_symbols *s, const char *path)
{
	struct bw_code_object *co;
	BW_TRY(bw_code_object_load(path, &co));
	return keep(s, co);
}

void bw_scan_symbols_close(struct bw_scan_symbols *s)
{
	for (unsigned i = 0; i < BW_GPU_VMIDS; i++)
		if (s->vmid[i].is_open)
			bw_gpu_space_close(&s->vmid[i].space);
	bw_vec_each(&s->code, co)
		bw_code_object_close(*co);
	bw_vec_free(&s->code);
	bw_vec_each(&s->loaded, l)
		bw_code_object_close(l->co);
	bw_vec_free(&s->loaded);
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

static struct bw_error *code_of_words(pid_t pid, bw_scan_code_fn *fn, void *cookie)
{
	char path[512], words[64 * 1024];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f)
		return NULL;
	size_t n = fread(words, 1, sizeof(words) - 1, f);
	words[n] = '\0';
	for (const char *w = words; w < words + n; w += strlen(w) + 1) {
		struct bw_code_object *co;
		if (!*w || snprintf(path, sizeof(path), *w == '/' ? "%.0d%s" : "/proc/%d/cwd/%s",
				    *w == '/' ? 0 : (int)pid, w) >= (int)sizeof(path))
			continue;
		if (!is_code_object(path))
			continue;
		struct bw_error *damaged = bw_code_object_load(path, &co);
		bw_error_free(damaged);
		if (!damaged)
			BW_TRY(fn(cookie, co));
	}
	return NULL;
}

struct taker {
	bw_scan_code_fn *fn;
	void *cookie;
	bool any;
};

static struct bw_error *take_loaded(void *cookie, uint64_t base, struct bw_code_object *co)
{
	struct taker *t = cookie;
	t->any = true;
	return t->fn(t->cookie, co);
}

struct bw_error *bw_scan_code_of(pid_t pid, bw_scan_code_fn *fn, void *cookie)
{
	struct taker t = {fn, cookie, false};
	BW_TRY(bw_scan_loaded_of(pid, take_loaded, &t));
	return t.any ? NULL : code_of_words(pid, fn, cookie);
}

struct keeper {
	struct bw_scan_symbols *s;
	unsigned vmid;
};

static struct bw_error *keep_loaded(void *cookie, uint64_t base, struct bw_code_object *co)
{
	struct keeper *k = cookie;
	const struct bw_scan_loaded_code l = {k->vmid, base, co};
	struct bw_error *err = bw_vec_push(&k->s->loaded, l);
	if (err)
		bw_code_object_close(co);
	return err;
}

static void look_at_vmid(struct bw_scan_symbols *s, unsigned vmid)
{
	__auto_type v = &s->vmid[vmid];
	struct keeper k = {s, vmid};
	size_t n_before = s->loaded.len;
	v->is_looked_at = true;
	v->has_process = bw_gpu_process_of(s->gpu->kmd, vmid, &v->process);
	if (v->has_process)
		bw_error_free(bw_scan_loaded_of(v->process.pid, keep_loaded, &k));
	if (v->has_process && s->loaded.len == n_before)
		bw_error_free(code_of_words(v->process.pid, keep, s));
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

static size_t read_space(void *cookie, uint64_t va, void *out, size_t size_b)
{
	return bw_gpu_space_read(cookie, va, out, size_b);
}

/* In the code that the runtime of the VMID's process has loaded. */
static const struct bw_symbol *find_loaded(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc,
					   uint64_t *out_offset)
{
	bw_vec_each(&s->loaded, l) {
		size_t size_b;
		bw_code_object_image(l->co, &size_b);
		if (l->vmid != vmid || pc < l->base || pc - l->base >= size_b)
			continue;
		const struct bw_symbol *sym = bw_code_object_symbol_at(l->co, pc - l->base);
		*out_offset = sym ? pc - l->base - sym->addr : 0;
		return sym;
	}
	return NULL;
}

static const struct bw_symbol *find_by_bytes(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc,
					     uint64_t *out_offset)
{
	const struct bw_symbol *best = NULL;
	unsigned best_likeness = BW_PLACED_ENOUGH - 1;
	struct bw_placed_window w;
	bw_placed_look(pc, read_space, &s->vmid[vmid].space, &w);
	bw_vec_each(&s->code, co) {
		uint64_t base;
		unsigned like = bw_placed_find(*co, &w, &base);
		if (like <= best_likeness)
			continue;
		best = bw_code_object_symbol_at(*co, pc - base);
		best_likeness = like;
		*out_offset = pc - base - best->addr;
	}
	return best;
}

static const struct bw_symbol *find_symbol(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc,
					   uint64_t *out_offset)
{
	bw_scan_symbols_process(s, vmid);
	if (vmid >= BW_GPU_VMIDS)
		return NULL;
	const struct bw_symbol *sym = find_loaded(s, vmid, pc, out_offset);
	if (!sym && s->vmid[vmid].is_open && s->code.len)
		sym = find_by_bytes(s, vmid, pc, out_offset);
	return sym;
}

static void add_name(const struct bw_symbol *sym, struct bw_str *out)
{
	_cleanup_free_ char *pretty = bw_demangle(sym->name);
	bw_str_add(out, pretty ? pretty : sym->name);
}

bool bw_scan_symbols_name(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc, struct bw_str *out)
{
	uint64_t offset;
	const struct bw_symbol *sym = find_symbol(s, vmid, bw_canonical(pc), &offset);
	if (sym)
		add_name(sym, out);
	return sym != NULL;
}

bool bw_scan_symbols_at(struct bw_scan_symbols *s, unsigned vmid, uint64_t pc, struct bw_str *out)
{
	uint64_t offset = 0;
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
