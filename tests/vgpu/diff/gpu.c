/* SPDX-License-Identifier: MIT */
#include "gpu.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static struct gpu *current;

/* In place of the device's page walk: everything is there and everything is allowed. */
uint8_t *bw_tlb_miss(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
		     struct bw_vm_fault *out_fault)
{
	if (va < GPU_VA || va >= GPU_VA + GPU_MEM_B) {
		*out_fault =
			(struct bw_vm_fault){.va = va, .access = (uint8_t)access, .permission = 1};
		return NULL;
	}
	uint8_t *page = current->mem + (va - GPU_VA) / BW_PAGE_B * BW_PAGE_B;
	tlb->entry[(va >> 12) % BW_TLB_ENTRIES] =
		(struct bw_tlb_entry){.tag = va >> 12, .host = page, .access = 0xff};
	return page + va % BW_PAGE_B;
}

bool bw_vm_read(struct bw_tlb *tlb, uint64_t va, void *out, size_t size_b,
		struct bw_vm_fault *out_fault)
{
	if (va < GPU_VA || size_b > GPU_MEM_B || va - GPU_VA > GPU_MEM_B - size_b) {
		*out_fault =
			(struct bw_vm_fault){.va = va, .access = BW_ACCESS_READ, .permission = 1};
		return false;
	}
	memcpy(out, current->mem + (va - GPU_VA), size_b);
	return true;
}

static uint64_t realtime(void *cookie)
{
	return 0;
}

static uint32_t cycles(void *cookie)
{
	return 0;
}

static bool no_trap(void *cookie, unsigned vmid, uint64_t *out_tba, uint64_t *out_tma)
{
	*out_tba = *out_tma = 0;
	return false;
}

static void interrupt(void *cookie, struct bw_wave *w, uint32_t m0)
{
}

static void wakeup(void *cookie, struct bw_workgroup *wg)
{
}

static void absent(void *cookie, struct bw_wave *w, uint64_t pc, const uint32_t *words,
		   const char *name)
{
	struct gpu *g = cookie;
	snprintf(g->error, sizeof(g->error), "absent instruction %s (%08x) at %lx",
		 name ? name : "?", words[0], pc);
}

bool gpu_init(struct gpu *g, enum bw_isa_gen gen)
{
	memset(g, 0, sizeof(*g));
	g->gen = gen;
	struct bw_exec_host host = {
		.cookie = g,
		.gen = gen,
		.trap_base = no_trap,
		.realtime = realtime,
		.shader_cycles = cycles,
		.send_interrupt = interrupt,
		.wakeup = wakeup,
		.absent = absent,
		.sh_mem_bases = 0x20001000, /* as amdgpu sets them */
	};
	const char *strict = getenv("BW_STRICT");
	if (strict && !strcmp(strict, "1") && bw_strict_knows(gen)) {
		host.strict = g->strict = bw_strict_create(gen, true, false);
		g->caches = g->strict ? bw_strict_caches_create(g->strict) : NULL;
		if (!g->caches)
			return false;
	}
	g->mem = aligned_alloc(BW_PAGE_B, GPU_MEM_B);
	g->x = bw_exec_create(&host);
	return g->mem && g->x;
}

void gpu_fini(struct gpu *g)
{
	bw_exec_destroy(g->x);
	bw_strict_destroy(g->strict);
	free(g->elf);
	free(g->mem);
}

void *gpu_host(struct gpu *g, uint64_t va)
{
	return g->mem + (va - GPU_VA);
}

uint64_t gpu_alloc(struct gpu *g, size_t size_b)
{
	uint64_t at = bw_align_up(g->used_b, 256);
	if (at + size_b > GPU_MEM_B)
		abort();
	g->used_b = at + size_b;
	/* Memory that was never written is recognised. */
	memset(g->mem + at, 0xcd, size_b);
	return GPU_VA + at;
}

void gpu_release(struct gpu *g)
{
	g->used_b = g->code_end_b;
}

static bool fail(struct gpu *g, const char *what, const char *which)
{
	snprintf(g->error, sizeof(g->error), "%s: %s", which, what);
	return false;
}

static bool read_file(struct gpu *g, const char *path)
{
	FILE *f = fopen(path, "rb");
	free(g->elf);
	g->elf = NULL;
	if (!f)
		return fail(g, "cannot be opened", path);
	fseek(f, 0, SEEK_END);
	g->elf_b = (size_t)ftell(f);
	rewind(f);
	g->elf = malloc(g->elf_b);
	bool ok = g->elf && fread(g->elf, 1, g->elf_b, f) == g->elf_b;
	fclose(f);
	return ok || fail(g, "cannot be read", path);
}

/* The object was made by the compiler a moment ago: it is taken at its word. */
bool gpu_load(struct gpu *g, const char *path)
{
	if (!read_file(g, path))
		return false;
	const Elf64_Ehdr *eh = (const void *)g->elf;
	const Elf64_Phdr *ph = (const void *)(g->elf + eh->e_phoff);
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_machine != 224)
		return fail(g, "is not an AMDGPU object", path);
	memset(g->mem, 0, GPU_MEM_B / 2);
	g->code_end_b = 0;
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		memcpy(g->mem + ph[i].p_vaddr, g->elf + ph[i].p_offset, ph[i].p_filesz);
		g->code_end_b = BW_MAX(g->code_end_b, ph[i].p_vaddr + ph[i].p_memsz + 256);
	}
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_DYNAMIC)
			continue;
		const Elf64_Dyn *dyn = (const void *)(g->elf + ph[i].p_offset);
		uint64_t rela = 0, size_b = 0;
		for (; dyn->d_tag != DT_NULL; dyn++) {
			rela = dyn->d_tag == DT_RELA ? dyn->d_un.d_ptr : rela;
			size_b = dyn->d_tag == DT_RELASZ ? dyn->d_un.d_val : size_b;
		}
		for (uint64_t at = rela; at < rela + size_b; at += sizeof(Elf64_Rela)) {
			const Elf64_Rela *r = (const void *)(g->mem + at);
			if (ELF64_R_TYPE(r->r_info) != 13) /* R_AMDGPU_RELATIVE64 */
				return fail(g, "a relocation other than RELATIVE64", path);
			uint64_t value = GPU_VA + (uint64_t)r->r_addend;
			memcpy(g->mem + r->r_offset, &value, 8);
		}
	}
	gpu_release(g);
	bw_exec_flush_code(g->x);
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		g->tlb.entry[i].tag = ~0ull;
	g->tlb.generation++;
	return true;
}

/* Symbols of the loaded object, from *at on; NULL: no more. */
static const char *next_symbol(struct gpu *g, unsigned section, uint64_t *at, uint64_t *out_value)
{
	const Elf64_Ehdr *eh = (const void *)g->elf;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(const void *)(g->elf + eh->e_shoff) + section;
	const Elf64_Sym *sym = (const void *)(g->elf + sh->sh_offset);
	if ((sh->sh_type != SHT_DYNSYM && sh->sh_type != SHT_SYMTAB) ||
	    *at >= sh->sh_size / sizeof(*sym))
		return NULL;
	const Elf64_Shdr *text = sh - section + sh->sh_link;
	*out_value = sym[*at].st_value;
	return (const char *)g->elf + text->sh_offset + sym[(*at)++].st_name;
}

static uint64_t find_symbol(struct gpu *g, const char *name)
{
	const Elf64_Ehdr *eh = (const void *)g->elf;
	const char *symbol;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		uint64_t at = 0, value;
		while ((symbol = next_symbol(g, i, &at, &value)))
			if (!strcmp(symbol, name))
				return value;
	}
	return 0;
}

bool gpu_kernel(struct gpu *g, unsigned n, char out_name[128])
{
	const Elf64_Ehdr *eh = (const void *)g->elf;
	const Elf64_Shdr *sh = (const void *)(g->elf + eh->e_shoff);
	const char *symbol;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		uint64_t at = 0, value;
		while (sh[i].sh_type == SHT_SYMTAB && (symbol = next_symbol(g, i, &at, &value))) {
			size_t length = strlen(symbol);
			if (length < 4 || strcmp(symbol + length - 3, ".kd") || n--)
				continue;
			snprintf(out_name, 128, "%.*s", (int)length - 3, symbol);
			return true;
		}
	}
	return false;
}

/* The kernel descriptor (doc/hardware/code-objects.md 3). */
struct descriptor {
	uint32_t group_b, private_b, kernarg_b, reserved0;
	int64_t entry;
	uint8_t reserved1[20];
	uint32_t rsrc3, rsrc1, rsrc2;
	uint16_t properties, preload;
};
_Static_assert(sizeof(struct descriptor) == 64, "as in the object");

static uint32_t bits(uint32_t word, unsigned hi, unsigned lo)
{
	return (uint32_t)bw_bits(word, hi, lo);
}

uint64_t gpu_code(struct gpu *g, const char *kernel)
{
	struct descriptor d;
	char name[128];
	snprintf(name, sizeof(name), "%s.kd", kernel);
	uint64_t kd = find_symbol(g, name);
	memcpy(&d, g->mem + kd, sizeof(d));
	return GPU_VA + kd + (uint64_t)d.entry;
}

struct launch {
	struct gpu *g;
	const struct gpu_launch *l;
	struct descriptor d;
	uint64_t entry, kernarg, packet, scratch; /* scratch: of all waves of a group */
	unsigned lanes, n_waves;
};

static void put(uint64_t kernarg, struct gpu *g, unsigned offset, uint64_t value, unsigned size_b)
{
	memcpy((uint8_t *)gpu_host(g, kernarg) + offset, &value, size_b);
}

static void fill_kernarg(struct launch *n)
{
	const struct gpu_launch *l = n->l;
	unsigned hidden = (unsigned)bw_align_up(l->args_b, 8);
	n->kernarg = gpu_alloc(n->g, n->d.kernarg_b + 16);
	memset(gpu_host(n->g, n->kernarg), 0, n->d.kernarg_b);
	memcpy(gpu_host(n->g, n->kernarg), l->args, l->args_b);
	if (n->d.kernarg_b >= hidden + 256) {
		put(n->kernarg, n->g, hidden, l->n_groups, 4);
		put(n->kernarg, n->g, hidden + 4, 1, 4);
		put(n->kernarg, n->g, hidden + 8, 1, 4);
		put(n->kernarg, n->g, hidden + 12, l->group_size, 2);
		put(n->kernarg, n->g, hidden + 14, 1, 2);
		put(n->kernarg, n->g, hidden + 16, 1, 2);
		put(n->kernarg, n->g, hidden + 64, 1, 2);
	}
	/* the AQL packet: header, setup, group size, grid size */
	n->packet = gpu_alloc(n->g, 64);
	memset(gpu_host(n->g, n->packet), 0, 64);
	put(n->packet, n->g, 2, 1, 2);
	put(n->packet, n->g, 4, l->group_size | 1ull << 16 | 1ull << 32, 6);
	put(n->packet, n->g, 12, l->n_groups * l->group_size, 4);
	put(n->packet, n->g, 16, 1, 4);
	put(n->packet, n->g, 20, 1, 4);
}

static uint32_t scratch_size_b(const struct launch *n)
{
	return (uint32_t)bw_align_up((uint64_t)n->d.private_b * n->lanes, 256);
}

static uint32_t scratch_offset(const struct launch *n, unsigned index)
{
	return index * scratch_size_b(n);
}

/* gfx9: a buffer of dwords, in which those of 64 lanes lie side by side (SWIZZLE_ENABLE,
 * INDEX_STRIDE 3, ADD_TID_ENABLE of AMD's ISA manual of Vega, 8.1.5). */
static void scratch_buffer(const struct launch *n, uint32_t out[4])
{
	out[0] = (uint32_t)n->scratch;
	out[1] = (uint32_t)(n->scratch >> 32) | 1u << 31;
	out[2] = scratch_offset(n, n->n_waves);
	out[3] = 3u << 21 | 1u << 23;
}

static void init_wave(struct launch *n, struct bw_wave *w, unsigned group, unsigned index)
{
	const struct descriptor *d = &n->d;
	unsigned s = 0, props = d->properties;
	unsigned first = index * n->lanes, left = n->l->group_size - first;
	uint64_t exec = left >= 64 ? ~0ull : (1ull << left) - 1;

	for (unsigned i = 0; i < BW_SGPR_COUNT; i++)
		w->s[i] = 0xdead0000 | i; /* undefined at launch (rule 316) */
	w->s[BW_SRC_NULL] = 0;
	w->s[BW_SRC_EXEC_LO] = (uint32_t)exec;
	w->s[BW_SRC_EXEC_HI] = (uint32_t)(n->lanes == 64 ? exec >> 32 : 0);
	if (n->lanes == 32 && left >= 32)
		w->s[BW_SRC_EXEC_LO] = UINT32_MAX;
#define USER64(value)                                                                              \
	do {                                                                                       \
		w->s[s++] = (uint32_t)(value);                                                     \
		w->s[s++] = (uint32_t)((value) >> 32);                                             \
	} while (0)
	if (props & 1) {
		scratch_buffer(n, w->s);
		s += 4;
	}
	if (props & 2)
		USER64(n->packet);
	if (props & 4)
		USER64(0ull);
	if (props & 8)
		USER64(n->kernarg);
	if (props & 16)
		USER64(0ull);
	if (props & 32)
		USER64(n->scratch);
	if (props & 64)
		w->s[s++] = d->private_b;
	s = bits(d->rsrc2, 5, 1); /* padded: the ids come after the count, not after what is used */
	if (bits(d->rsrc2, 7, 7))
		w->s[s++] = group;
	if (bits(d->rsrc2, 8, 8))
		w->s[s++] = 0;
	if (bits(d->rsrc2, 9, 9))
		w->s[s++] = 0;
	if (n->g->gen == BW_ISA_GFX902 && bits(d->rsrc2, 0, 0))
		w->s[s++] = scratch_offset(n, index);
	for (unsigned i = 0; i < w->n_vgprs * n->lanes; i++)
		w->v[i] = 0xbad00000 | i;
	for (unsigned i = 0; n->g->gen == BW_ISA_GFX902 && i < bits(d->rsrc2, 12, 11) * n->lanes;
	     i++)
		w->v[n->lanes + i] = 0; /* y and z have registers of their own */
	for (unsigned i = 0; i < n->lanes; i++)
		w->v[i] = first + i;

	w->pc = n->entry;
	w->mode =
		bits(d->rsrc1, 19, 12) | bits(d->rsrc1, 21, 21) << 8 | bits(d->rsrc1, 23, 23) << 9;
	w->status = BW_STATUS_VALID | (n->n_waves > 1 ? BW_STATUS_IN_TG : 0);
	w->index_in_group = (uint8_t)index;
	w->hw_id1 = index;
	w->tlb = &n->g->tlb;
	w->lanes = (uint8_t)n->lanes;
	if (d->private_b) {
		w->scratch_size_b = scratch_size_b(n);
		w->flat_scratch = n->scratch + scratch_offset(n, index);
		w->scratch_in_sgprs = n->g->gen == BW_ISA_GFX902;
		w->status |= BW_STATUS_SCRATCH_EN;
	}
	if (n->g->gen == BW_ISA_GFX942) {
		w->accum_offset = (uint16_t)(bits(d->rsrc3, 5, 0) * 4 + 4);
		w->s[BW_SRC_FLAT_SCRATCH_LO] = (uint32_t)w->flat_scratch;
		w->s[BW_SRC_FLAT_SCRATCH_LO + 1] = (uint32_t)(w->flat_scratch >> 32);
	}
	if (n->g->strict) {
		/* Waves of a group that may use both CUs take turns with them. */
		bool both = bits(d->rsrc1, 29, 29);
		struct bw_strict_launch launch = {.n_sgprs = s,
						  .n_vgprs = 1,
						  .cu = both ? index & 1 : 0,
						  .caches = n->g->caches};
		w->exec_private = n->g->strict_waves[index];
		if (!bw_strict_wave_begin(n->g->strict, w, &launch))
			abort();
		n->g->strict_waves[index] = w->exec_private;
	}
}

/* False, and the first new finding is the error. */
static bool strict_is_content(struct gpu *g)
{
	struct bw_strict_finding all[64], *f;
	size_t n = g->strict ? bw_strict_findings(g->strict, all, BW_ARRAY_SIZE(all)) : 0,
	       had = g->n_findings;
	g->n_findings = n;
	if (n == had || had >= BW_ARRAY_SIZE(all))
		return n == had;
	f = &all[had];
	snprintf(g->error, sizeof(g->error), "%s: %s at +0x%lx (%08x %08x): %s",
		 bw_strict_kind_name(f->kind), f->name, f->pc - f->code_va, f->word[0],
		 f->n_words > 1 ? f->word[1] : 0, f->text);
	return false;
}

/* Round robin over the waves of a group, so that barriers are met. */
static bool run_waves(struct launch *n, struct bw_workgroup *wg, struct bw_wave *waves)
{
	struct gpu *g = n->g;
	uint64_t quantum = 1000;
	for (unsigned round = 0; round < 100000; round++) {
		bool running = false;
		for (unsigned i = 0; i < n->n_waves; i++) {
			struct bw_wave *w = &waves[i];
			if (!wg->wave[i])
				continue;
			running = true;
			if (w->status & BW_STATUS_IN_BARRIER) {
				if (wg->n_arrived + wg->n_ended < wg->n_waves)
					continue;
				for (unsigned k = 0; k < n->n_waves; k++)
					waves[k].status &= ~BW_STATUS_IN_BARRIER;
				wg->n_arrived = 0;
			}
			enum bw_run r = bw_exec_run(g->x, w, quantum);
			if (r == BW_RUN_ENDED) {
				wg->wave[i] = NULL;
				wg->n_ended++;
				g->n_instructions += w->n_executed;
			} else if (r != BW_RUN_QUANTUM && r != BW_RUN_BARRIER &&
				   r != BW_RUN_SLEEP) {
				if (!g->error[0])
					snprintf(
						g->error, sizeof(g->error),
						"wave %u stopped (%d) at %lx, trapsts %x, fault at %lx lanes %lx",
						i, r, w->pc - GPU_VA, w->trapsts, w->fault.va,
						w->fault_lanes);
				return false;
			}
		}
		if (!running)
			return true;
	}
	return fail(g, "does not end", n->l->kernel);
}

static bool run_group(struct launch *n, unsigned group)
{
	struct bw_workgroup wg = {.n_waves = (uint16_t)n->n_waves, .id = {group, 0, 0}};
	struct bw_wave *waves = aligned_alloc(64, n->n_waves * bw_align_up(sizeof(*waves), 64));
	unsigned granule = n->lanes == 32 || n->g->gen == BW_ISA_GFX942 ? 8 : 4;
	unsigned n_vgprs = (bits(n->d.rsrc1, 5, 0) + 1) * granule;
	size_t wave_dw = (size_t)n_vgprs * n->lanes;
	uint32_t *vgprs = aligned_alloc(64, bw_align_up(n->n_waves * wave_dw * 4, 64));
	uint8_t *lds = aligned_alloc(64, bw_align_up(n->d.group_b + 64, 64));
	memset(waves, 0, n->n_waves * sizeof(*waves));
	memset(lds, 0xab, n->d.group_b);
	if (n->g->strict)
		bw_strict_poison_lds(lds, n->d.group_b);
	n->scratch = n->d.private_b ? gpu_alloc(n->g, scratch_offset(n, n->n_waves)) : 0;
	wg.lds = lds;
	wg.lds_size_b = n->d.group_b;
	for (unsigned i = 0; i < n->n_waves; i++) {
		waves[i].v = vgprs + i * wave_dw;
		waves[i].n_vgprs = (uint16_t)n_vgprs;
		waves[i].wg = &wg;
		wg.wave[i] = &waves[i];
		init_wave(n, &waves[i], group, i);
	}
	bool ok = run_waves(n, &wg, waves);
	free(lds);
	free(vgprs);
	free(waves);
	return ok;
}

bool gpu_run(struct gpu *g, const struct gpu_launch *l)
{
	struct launch n = {.g = g, .l = l};
	char name[128];
	current = g;
	g->error[0] = 0;
	snprintf(name, sizeof(name), "%s.kd", l->kernel);
	uint64_t kd = find_symbol(g, name);
	if (!kd)
		return fail(g, "no such kernel", l->kernel);
	memcpy(&n.d, g->mem + kd, sizeof(n.d));
	n.entry = GPU_VA + kd + (uint64_t)n.d.entry;
	n.lanes = n.d.properties & 1 << 10 ? 32 : 64;
	n.n_waves = (l->group_size + n.lanes - 1) / n.lanes;
	fill_kernarg(&n);
	if (g->strict)
		bw_strict_invalidate(g->strict, BW_STRICT_ALL);
	for (unsigned group = 0; group < l->n_groups; group++)
		if (!run_group(&n, group))
			return false;
	return strict_is_content(g);
}
