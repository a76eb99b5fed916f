/* SPDX-License-Identifier: MIT */
/* umr -vm, -vr, -vw, -vww, -vdis, -di: memory by VMID and address, or VRAM. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/umr/umr.h"
#include "cli/vm.h"
#include "isa/text.h"

enum { PAGE_B = 4096, MAX_CODE_B = 1 << 20, HUB_SHIFT = 8 };

struct place {
	bool has_vmid;
	unsigned vmid;
	enum bw_gpuvm_hub hub;
	uint64_t address;
	struct bw_look_vm vm; /* of the VMID, or only what VRAM takes */
	struct bw_gpuvm_regs regs;
};

static void close_place(struct place *p)
{
	bw_look_vm_close(&p->vm);
}

static struct bw_error *number(const char *text, int base, uint64_t *out)
{
	char *end;
	*out = strtoull(text, &end, base);
	return *text && !*end ? NULL : bw_errorf(BW_E_INVALID, "%s is not a number", text);
}

static struct bw_error *parse(const char *text, struct place *out)
{
	const char *at = strchr(text, '@');
	char *end;
	*out = (struct place){.has_vmid = at, .hub = BW_GPUVM_GC};
	if (at) {
		/* decimal, or hexadecimal with 0x */
		unsigned long v = strtoul(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
		if (end != at || end == text || (v & 0xff) > 15 || v >> HUB_SHIFT > 1)
			return bw_errorf(BW_E_INVALID,
					 "%s has no VMID (0 to 15, with 0x100 for the memory hub)",
					 text);
		out->vmid = v & 0xff;
		if (v >> HUB_SHIFT)
			out->hub = BW_GPUVM_MM;
	}
	return number(at ? at + 1 : text, 16, &out->address);
}

/* "VMID@ADDRESS" or "ADDRESS", open to be read; close_place() accepts one that failed. */
static struct bw_error *open_place(struct bw_umr *u, const char *text, struct place *out)
{
	BW_TRY(parse(text, out));
	out->vm.kmd = out->vm.space.memory.kmd = u->kmd;
	out->vm.part = u->gpu.part;
	return out->has_vmid ? bw_look_vm_select(&out->vm, out->hub, out->vmid, &out->regs) : NULL;
}

static struct bw_error *read_bytes(struct place *p, uint64_t offset, void *out, size_t n)
{
	uint64_t address = p->address + offset;
	size_t done = p->has_vmid ? bw_look_vm_bytes(&p->vm, address, out, n)
				  : bw_gpu_memory_read(&p->vm.space.memory, false, address, out, n);
	return done == n ? NULL
			 : bw_errorf(BW_E_NOT_FOUND, "nothing can be read at 0x%" PRIx64,
				     address + done);
}

/* ---- -vm ---- */

static void print_registers(const struct place *p, const char *prefix)
{
	const struct bw_look_vm *vm = &p->vm;
	const struct bw_gpuvm_regs *r = &p->regs;
	unsigned v = p->vmid;
	const char *hub = vm->part.gen == BW_GPUVM_GFX9 ? "" : p->hub == BW_GPUVM_MM ? "MM" : "GC";
#define PAIR(what, value)                                                                          \
	printf("%s%sVM_CONTEXT%u_PAGE_TABLE_" what "_ADDR_LO32=0x%x\n", prefix, hub, v,            \
	       bw_lo32(value));                                                                    \
	printf("%s%sVM_CONTEXT%u_PAGE_TABLE_" what "_ADDR_HI32=0x%x\n", prefix, hub, v,            \
	       bw_hi32(value))
	PAIR("START", r->start);
	PAIR("END", r->end);
	PAIR("BASE", r->base);
#undef PAIR
	printf("%s%sVM_CONTEXT%u_CNTL=0x%x\n", prefix, hub, v, r->cntl);
	printf("VMID%u.page_table_block_size=%u\nVMID%u.page_table_depth=%u\n", v,
	       vm->space.context.block, v, vm->space.context.depth);
#define ONE(name, value) printf("%s%s" name "=0x%" PRIx64 "\n", prefix, hub, (uint64_t)(value))
	ONE("MC_VM_FB_OFFSET", r->fb_offset);
	if (!v)
		ONE("MC_VM_MX_L1_TLB_CNTL", r->mx_l1_tlb_cntl);
	ONE("MC_VM_SYSTEM_APERTURE_LOW_ADDR", r->sys_low);
	ONE("MC_VM_SYSTEM_APERTURE_HIGH_ADDR", r->sys_high);
	ONE("MC_VM_FB_LOCATION_BASE", r->fb_base);
	ONE("MC_VM_FB_LOCATION_TOP", r->fb_top);
	ONE("MC_VM_AGP_BASE", r->agp_base);
	ONE("MC_VM_AGP_BOT", r->agp_bot);
	ONE("MC_VM_AGP_TOP", r->agp_top);
#undef ONE
}

/* Prints a step with the entry's address, so that "breakwater vm walk --from" can use the
 * output. */
static void print_step(const struct bw_look_vm *vm, const struct bw_gpuvm_step *s, unsigned depth,
		       bool is_leaf, uint64_t va)
{
	enum bw_gpuvm_gen gen = vm->part.gen;
	struct bw_gpuvm_entry e =
		is_leaf ? bw_gpuvm_pte(gen, s->value) : bw_gpuvm_pde(gen, s->value);
	printf("%*s\\-> ", (int)(3 * depth), "");
	if (is_leaf && s->level == BW_GPUVM_LEVEL_PTB)
		printf("PTE");
	else
		printf("PDE%u%s",
		       s->level && s->level != BW_GPUVM_LEVEL_FURTHER ? s->level - 1u : 0,
		       is_leaf ? "-as-PTE" : "");
	printf("@{0x%" PRIx64 "/%s%" PRIx64 "}=0x%016" PRIx64 ", VA=0x%012" PRIx64
	       ", PBA==0x%012" PRIx64 ", V=%u, S=%u, C=%u",
	       s->address, is_leaf ? "0x" : "", s->index, s->value, va, e.base, e.valid, e.system,
	       e.coherent);
	if (is_leaf)
		printf(", Z=%u, X=%u, R=%u, W=%u, FS=%u, T=%u, MTYPE=%s\n", e.tmz, e.execute,
		       e.read, e.write, e.frag, e.prt, bw_gpuvm_mtype_name(gen, e.mtype));
	else
		printf(", P=%u, FS=%u\n", e.leaf, e.bfs);
}

static void print_walk(struct bw_look_vm *vm, uint64_t va)
{
	struct bw_gpuvm_range r;
	bool mapped = bw_gpuvm_walk(&vm->space.context, bw_look_vm_read, vm, va, &r);
	for (unsigned i = 0; i < r.n_steps; i++)
		print_step(vm, &r.step[i], i + 1,
			   i + 1 == r.n_steps && (mapped || r.step[i].level == BW_GPUVM_LEVEL_PTB),
			   va);
	if (mapped) {
		uint64_t offset = va - r.va;
		printf("%*s\\-> Computed address we will read from: %s:%" PRIx64
		       " (reading: %u bytes)\n",
		       (int)(3 * (r.n_steps + 1)), "", r.system ? "sys" : "vram",
		       r.address + offset, PAGE_B);
	} else {
		struct bw_str why = {0};
		bw_gpuvm_explain(&r, BW_GPUVM_READ, &why);
		fflush(stdout);
		fprintf(stderr, "[ERROR]: %s\n", bw_str_text(&why));
		bw_str_free(&why);
	}
}

struct bw_error *bw_umr_vm_decode(struct bw_umr *u, const char *text, const char *pages)
{
	_cleanup_(close_place) struct place p = {0};
	uint64_t n;
	BW_TRY(number(pages, 16, &n));
	BW_TRY(open_place(u, text, &p));
	if (!p.has_vmid)
		return bw_errorf(BW_E_INVALID, "-vm needs a VMID: VMID@ADDRESS PAGES");
	struct bw_gpuvm_entry base = bw_gpuvm_pde(p.vm.part.gen, p.regs.base);
	printf("\n=== VM Decoding of address %u@0x%" PRIx64 " ===\n", p.vmid, p.address);
	print_registers(&p, bw_regs_get(u->gc, 0).prefix);
	printf("BASE=0x%016" PRIx64 ", VA=0x%012" PRIx64 ", PBA==0x%012" PRIx64
	       ", V=%u, S=%u, C=%u, P=%u\n",
	       p.regs.base, p.vm.space.context.start, base.base, base.valid, base.system,
	       base.coherent, base.leaf);
	for (uint64_t i = 0; i < n; i++)
		print_walk(&p.vm, p.address + i * PAGE_B);
	printf("\n=== Completed VM Decoding ===\n");
	return NULL;
}

/* ---- -vr, -vw ---- */

struct bw_error *bw_umr_vm_read(struct bw_umr *u, const char *text, const char *size)
{
	_cleanup_(close_place) struct place p = {0};
	uint64_t n;
	uint8_t buf[PAGE_B];
	BW_TRY(number(size, 16, &n));
	BW_TRY(open_place(u, text, &p));
	for (uint64_t at = 0; at < n; at += sizeof(buf)) {
		size_t part = (size_t)BW_MIN(n - at, (uint64_t)sizeof(buf));
		/* VRAM is read by whole dwords */
		BW_TRY(read_bytes(&p, at, buf, (part + 3) & ~(size_t)3));
		if (fwrite(buf, 1, part, stdout) != part)
			return bw_errorf(BW_E_SYSTEM, "cannot write to standard output");
	}
	return NULL;
}

static struct bw_error *write_bytes(struct place *p, uint64_t offset, const uint8_t *in, size_t n)
{
	struct bw_look_vm *vm = &p->vm;
	while (n) {
		struct bw_gpuvm_range r = {.address = p->address + offset};
		struct bw_kmd_file *f;
		size_t done = 0, part = n;
		if (p->has_vmid) {
			uint64_t va = p->address + offset;
			if (!bw_gpuvm_walk(&vm->space.context, bw_look_vm_read, vm, va, &r))
				return bw_errorf(BW_E_NOT_FOUND, "0x%" PRIx64 " is not mapped", va);
			part = (size_t)BW_MIN((uint64_t)n, r.size_b - (va - r.va));
			r.address += va - r.va;
		}
		BW_TRY(bw_kmd_file_open(vm->kmd, r.system ? "amdgpu_iomem" : "amdgpu_vram", true,
					&f));
		struct bw_error *err = bw_kmd_file_write(f, r.address, in, part, &done);
		bw_kmd_file_close(f);
		if (err)
			return err;
		if (done != part)
			return bw_errorf(BW_E_SYSTEM, "%zu of %zu bytes were written", done, part);
		in += part;
		offset += part;
		n -= part;
	}
	return NULL;
}

struct bw_error *bw_umr_vm_write(struct bw_umr *u, const char *text, const char *size)
{
	_cleanup_(close_place) struct place p = {0};
	uint64_t n;
	uint8_t buf[PAGE_B];
	BW_TRY(number(size, 16, &n));
	BW_TRY(open_place(u, text, &p));
	if ((n | p.address) & 3)
		return bw_errorf(BW_E_INVALID, "memory is written by whole dwords");
	for (uint64_t at = 0; at < n; at += sizeof(buf)) {
		size_t part = (size_t)BW_MIN(n - at, (uint64_t)sizeof(buf));
		if (fread(buf, 1, part, stdin) != part)
			return bw_errorf(BW_E_INVALID,
					 "standard input has less than 0x%" PRIx64 " bytes", n);
		BW_TRY(write_bytes(&p, at, buf, part));
	}
	return NULL;
}

struct bw_error *bw_umr_vm_write_word(struct bw_umr *u, const char *text, const char *word)
{
	_cleanup_(close_place) struct place p = {0};
	uint64_t value;
	BW_TRY(number(word, 16, &value));
	BW_TRY(open_place(u, text, &p));
	if (value > UINT32_MAX || p.address & 3)
		return bw_errorf(BW_E_INVALID, "-vww writes one dword");
	const uint32_t dw = (uint32_t)value;
	return write_bytes(&p, 0, (const uint8_t *)&dw, sizeof(dw));
}

/* ---- -vdis, -di ---- */

/* All of a range as words, which the caller frees. option: whose it is. */
static struct bw_error *read_range(struct place *p, const char *option, uint64_t size_b,
				   uint32_t **out)
{
	if (!size_b || size_b > MAX_CODE_B || size_b & 3)
		return bw_errorf(BW_E_INVALID, "%s takes 4 to 0x%x bytes, by dwords", option,
				 MAX_CODE_B);
	_cleanup_free_ uint32_t *dw = malloc(size_b);
	if (!dw)
		return bw_error_nomem();
	BW_TRY(read_bytes(p, 0, dw, (size_t)size_b));
	*out = dw;
	dw = NULL;
	return NULL;
}

static void print_code(struct bw_isa_text *t, const struct place *p, const uint32_t *code,
		       size_t size_b)
{
	for (size_t at = 0, n; at + 4 <= size_b; at += n) {
		char line[256];
		n = bw_isa_text_line(t, (const char *)code + at, size_b - at, p->address + at, line,
				     sizeof(line));
		n = BW_MAX(n & ~(size_t)3, (size_t)4);
		for (size_t i = 0; i < n && at + i < size_b; i += 4)
			printf("    pgm[%u@0x%" PRIx64 " + 0x%-4zx] = 0x%08x %s%s\n", p->vmid,
			       p->address, at + i, code[(at + i) / 4], i ? ";;" : "        ",
			       i ? "" : line);
	}
}

struct bw_error *bw_umr_vm_disasm(struct bw_umr *u, const char *text, const char *size)
{
	_cleanup_(close_place) struct place p = {0};
	_cleanup_free_ uint32_t *code = NULL;
	struct bw_isa_text *t;
	uint64_t n;
	char gpu[32];
	const struct bw_kmd_ip *ip = &u->gpu.block[0].ip;
	BW_TRY(number(size, 16, &n));
	BW_TRY(open_place(u, text, &p));
	BW_TRY(read_range(&p, "-vdis", n, &code));
	snprintf(gpu, sizeof(gpu), "gfx%u%u%x", ip->major, ip->minor, ip->revision);
	BW_TRY(bw_isa_text_create(gpu, &t));
	print_code(t, &p, code, (size_t)n);
	bw_isa_text_destroy(t);
	return NULL;
}

struct bw_error *bw_umr_dump_ib(struct bw_umr *u, const char *text, const char *size,
				const char *pm)
{
	_cleanup_(close_place) struct place p = {0};
	_cleanup_free_ uint32_t *dw = NULL;
	uint64_t n;
	BW_TRY(number(size, strncmp(size, "0x", 2) ? 10 : 16, &n));
	BW_TRY(open_place(u, text, &p));
	BW_TRY(read_range(&p, "-di", n, &dw));
	const struct bw_umr_stream s = {.vmid = p.vmid, .address = p.address, .end = (size_t)n / 4};
	return bw_umr_packets(u, &s, dw, pm);
}
