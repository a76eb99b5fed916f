/* SPDX-License-Identifier: MIT */
#include "cli/look/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

enum { PAGE_B = 4096 };

static bool take_word(const char *place, const char *word, const char **out_rest)
{
	if (!bw_starts_with(place, word))
		return false;
	*out_rest = place + strlen(word);
	return true;
}

struct bw_error *bw_look_memory_open(struct bw_look *l, const char *place, struct bw_look_memory *m,
				     uint64_t *out_address)
{
	const char *rest;
	char text[64];
	unsigned vmid;
	m->kind = take_word(place, "vram@", &rest)     ? BW_LOOK_VRAM
		  : take_word(place, "sys@", &rest)    ? BW_LOOK_SYSTEM
		  : take_word(place, "system@", &rest) ? BW_LOOK_SYSTEM
						       : BW_LOOK_VMID;
	if (m->kind == BW_LOOK_VMID) {
		BW_TRY(bw_look_live_place(l, place, true, &m->vmid, out_address));
		BW_TRY(bw_look_vm_open(l, m->vmid, &m->vm));
		return NULL;
	}
	snprintf(text, sizeof(text), "0@%s", rest);
	BW_TRY(bw_look_place(text, true, &vmid, out_address));
	BW_TRY(bw_look_gpu_open(l, &m->vm.gpu));
	m->vm.kmd = m->vm.gpu.kmd;
	m->vm.part = m->vm.gpu.part;
	m->vm.space.memory.kmd = m->vm.kmd;
	bool is_system = m->kind == BW_LOOK_SYSTEM;
	if (bw_gpu_memory_file(&m->vm.space.memory, is_system))
		return NULL;
	struct bw_kmd_file *f; /* for the error */
	BW_TRY(bw_kmd_file_open(m->vm.kmd, is_system ? "amdgpu_iomem" : "amdgpu_vram", false, &f));
	bw_kmd_file_close(f);
	return NULL;
}

void bw_look_memory_close(struct bw_look_memory *m)
{
	bw_look_vm_close(&m->vm);
}

/* The place of an address: its file, the offset in it, and how many bytes follow. */
struct piece {
	bool is_system;
	uint64_t address, size_b;
};

static bool find_piece(struct bw_look_memory *m, uint64_t address, struct piece *out)
{
	struct bw_gpuvm_range r;
	if (m->kind != BW_LOOK_VMID) {
		*out = (struct piece){m->kind == BW_LOOK_SYSTEM, address, UINT64_MAX - address};
		return true;
	}
	if (!bw_gpuvm_walk(&m->vm.space.context, bw_look_vm_read, &m->vm, address, &r) ||
	    (r.verdict != BW_GPUVM_MAPPED && r.verdict != BW_GPUVM_UNTRANSLATED))
		return false;
	*out = (struct piece){r.system, r.address + (address - r.va),
			      r.size_b ? r.size_b - (address - r.va) : PAGE_B};
	return true;
}

static size_t read_piece(struct bw_look_memory *m, const struct piece *p, void *out, size_t size_b)
{
	return bw_gpu_memory_bytes(&m->vm.space.memory, p->is_system, p->address, out,
				   (size_t)BW_MIN((uint64_t)size_b, p->size_b));
}

size_t bw_look_memory_read(struct bw_look_memory *m, uint64_t address, void *out, size_t size_b)
{
	size_t at = 0, n = 1;
	for (; at < size_b && n && !bw_look_ended; at += n) {
		struct piece p;
		if (!find_piece(m, address + at, &p))
			break;
		n = read_piece(m, &p, (char *)out + at, size_b - at);
	}
	return at;
}

uint64_t bw_look_memory_writable(struct bw_look_memory *m, uint64_t address, uint64_t size_b)
{
	uint64_t at = 0;
	while (at < size_b) {
		struct piece p;
		uint8_t byte;
		if (!find_piece(m, address + at, &p) || !read_piece(m, &p, &byte, 1))
			break;
		/* system memory has no contiguous pages that are all readable if one is */
		uint64_t n = p.is_system ? PAGE_B - p.address % PAGE_B : p.size_b;
		if (m->kind == BW_LOOK_VRAM)
			n = BW_MIN(n, PAGE_B - p.address % PAGE_B);
		at += BW_MIN(n, size_b - at);
	}
	return at;
}

/* Writes bytes by whole dwords; the other bytes of these dwords keep their values. */
static struct bw_error *write_dwords(struct bw_kmd_file *f, uint64_t at, const uint8_t *data,
				     size_t size_b)
{
	uint8_t bytes[PAGE_B + 8];
	if (at > UINT64_MAX - sizeof(bytes))
		return bw_errorf(BW_E_NOT_FOUND, "there is no memory");
	uint64_t first = at & ~3ull, end = (at + size_b + 3) & ~3ull;
	size_t n = (size_t)(end - first), done = 0;
	BW_TRY(bw_kmd_file_read(f, first, bytes, n, &done));
	memcpy(bytes + (at - first), data, size_b);
	if (done == n)
		BW_TRY(bw_kmd_file_write(f, first, bytes, n, &done));
	return done == n ? NULL : bw_errorf(BW_E_SYSTEM, "%zu of %zu bytes are there", done, n);
}

struct bw_error *bw_look_memory_write(struct bw_look_memory *m, uint64_t address, const void *data,
				      size_t size_b)
{
	struct bw_kmd_file *vram = NULL, *iomem = NULL;
	struct bw_error *err = NULL;
	for (size_t at = 0, n; at < size_b && !err; at += n) {
		struct piece p;
		if (!find_piece(m, address + at, &p)) {
			err = bw_errorf(BW_E_NOT_FOUND, "0x%" PRIx64 " is not mapped",
					address + at);
			break;
		}
		struct bw_kmd_file **f = p.is_system ? &iomem : &vram;
		n = BW_MIN(size_b - at, (size_t)(PAGE_B - p.address % PAGE_B));
		n = (size_t)BW_MIN((uint64_t)n, p.size_b);
		if (!*f)
			err = bw_kmd_file_open(
				m->vm.kmd, p.is_system ? "amdgpu_iomem" : "amdgpu_vram", true, f);
		if (!err)
			err = bw_error_wrap(
				write_dwords(*f, p.address, (const uint8_t *)data + at, n),
				"writing 0x%" PRIx64, address + at);
	}
	if (vram)
		bw_kmd_file_close(vram);
	if (iomem)
		bw_kmd_file_close(iomem);
	return err;
}

static uint64_t to_page_end(uint64_t address)
{
	return PAGE_B - address % PAGE_B;
}

uint64_t bw_look_memory_hole(struct bw_look_memory *m, uint64_t address, struct bw_str *why)
{
	struct bw_gpuvm_range r;
	char text[32];
	uint64_t size;
	if (m->kind == BW_LOOK_SYSTEM) {
		bw_str_addf(why,
			    "page 0x%" PRIx64
			    " of system memory belongs to no buffer of the driver",
			    address & ~(uint64_t)(PAGE_B - 1));
		return to_page_end(address);
	}
	if (m->kind == BW_LOOK_VRAM) {
		if (bw_look_line(m->vm.kmd, "sysfs:mem_info_vram_total", text, sizeof(text)) &&
		    bw_parse_u64(text, &size) && address >= size) {
			bw_str_addf(why, "VRAM ends at 0x%" PRIx64, size);
			return UINT64_MAX;
		}
		bw_str_add(why, "VRAM cannot be read there");
		return to_page_end(address);
	}
	bool mapped = bw_gpuvm_walk(&m->vm.space.context, bw_look_vm_read, &m->vm, address, &r);
	if (mapped && r.system) {
		bw_str_addf(why,
			    "it is mapped to page 0x%" PRIx64
			    " of system memory, which cannot be read "
			    "here (the program's own pages are in /proc/PID/mem)",
			    (r.address + (address - r.va)) & ~(uint64_t)(PAGE_B - 1));
		return to_page_end(address);
	}
	if (mapped) {
		bw_str_addf(why, "it is mapped to VRAM 0x%" PRIx64 ", which cannot be read",
			    r.address + (address - r.va));
		return to_page_end(address);
	}
	bw_gpuvm_explain(&r, BW_GPUVM_READ, why);
	if (r.verdict == BW_GPUVM_POWERED_OFF || r.verdict == BW_GPUVM_CONTEXT_DISABLED ||
	    !r.size_b || r.va + r.size_b <= address)
		return UINT64_MAX;
	return r.va + r.size_b - address;
}
