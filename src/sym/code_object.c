/* SPDX-License-Identifier: MIT */
#include "sym/code_object.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build_names.h"
#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/program.h"
#include "base/util.h"
#include "regs/field.h"
#include "sym/bundle.h"
#include "sym/code_object_priv.h"

#define NT_AMDGPU_METADATA 32
#define R_AMDGPU_NONE 0
#define R_AMDGPU_ABS64 3
#define R_AMDGPU_RELATIVE64 13

/* More than any GPU program is. */
#define MAX_FILE_B (1ull << 30)
/* the part of a bundle where nothing says which GPU is meant */
#define BUNDLE_GPU "gfx1100"

#define DESCRIPTOR_B 64

/* EF_AMDGPU_MACH, the low byte of e_flags (LLVM's AMDGPUUsage, "e_flags"). */
/* clang-format off */
static const struct {
	uint8_t mach;
	const char *name;
} gpu_names[] = {
	{0x20, "gfx600"},  {0x21, "gfx601"},  {0x22, "gfx700"},  {0x23, "gfx701"},
	{0x24, "gfx702"},  {0x25, "gfx703"},  {0x26, "gfx704"},  {0x28, "gfx801"},
	{0x29, "gfx802"},  {0x2a, "gfx803"},  {0x2b, "gfx810"},  {0x2c, "gfx900"},
	{0x2d, "gfx902"},  {0x2e, "gfx904"},  {0x2f, "gfx906"},  {0x30, "gfx908"},
	{0x31, "gfx909"},  {0x32, "gfx90c"},  {0x33, "gfx1010"}, {0x34, "gfx1011"},
	{0x35, "gfx1012"}, {0x36, "gfx1030"}, {0x37, "gfx1031"}, {0x38, "gfx1032"},
	{0x39, "gfx1033"}, {0x3a, "gfx602"},  {0x3b, "gfx705"},  {0x3c, "gfx805"},
	{0x3d, "gfx1035"}, {0x3e, "gfx1034"}, {0x3f, "gfx90a"},  {0x40, "gfx940"},
	{0x41, "gfx1100"}, {0x42, "gfx1013"}, {0x43, "gfx1150"}, {0x44, "gfx1103"},
	{0x45, "gfx1036"}, {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x48, "gfx1200"},
	{0x4a, "gfx1151"}, {0x4b, "gfx941"},  {0x4c, "gfx942"},  {0x4e, "gfx1201"},
	{0x51, "gfx9-generic"},  {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"},
	{0x54, "gfx11-generic"}, {0x55, "gfx1152"},         {0x59, "gfx12-generic"},
};
/* clang-format on */

unsigned bw_kcp_sgpr_of(unsigned properties, unsigned bit)
{
	static const struct {
		uint16_t bit;
		uint8_t n;
	} sgprs[] = {
		{BW_KCP_PRIVATE_BUFFER, 4}, {BW_KCP_DISPATCH_PTR, 2}, {BW_KCP_QUEUE_PTR, 2},
		{BW_KCP_KERNARG_PTR, 2},    {BW_KCP_DISPATCH_ID, 2},  {BW_KCP_FLAT_SCRATCH_INIT, 2},
		{BW_KCP_PRIVATE_SIZE, 1},
	};
	unsigned n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(sgprs) && sgprs[i].bit != bit; i++)
		n += properties & sgprs[i].bit ? sgprs[i].n : 0;
	return n;
}

/* The place of a table in the file; stored_b: the size of an entry in the file, elem_b: in its
 * struct. */
struct table {
	const char *what;
	uint64_t offset;
	size_t n, stored_b, elem_b;
};

static struct bw_error *copy_table(const struct bw_elf *e, const struct table *t, void **out)
{
	const uint8_t *p = NULL;
	if (t->stored_b != t->elem_b)
		return DAMAGED(e, "the %s has entries of %zu bytes, not %zu", t->what, t->stored_b,
			       t->elem_b);
	BW_TRY(bw_elf_bytes(e, t->offset, (uint64_t)t->n * t->elem_b, t->what, &p));
	void *copy = malloc(t->n * t->elem_b);
	if (!copy)
		return bw_error_nomem();
	memcpy(copy, p, t->n * t->elem_b);
	*out = copy;
	return NULL;
}

static struct bw_error *check_header(const struct bw_elf *e)
{
	const Elf64_Ehdr *eh = &e->eh;
	const char *p = e->path;
	const char *machine = bw_program_machine_name(eh->e_machine);
	if (eh->e_type == ET_CORE)
		return bw_errorf(BW_E_INVALID,
				 "%s: not a code object: a core dump of a program, which gdb reads",
				 p);
	if (eh->e_machine != EM_AMDGPU && machine && eh->e_type != ET_REL)
		return bw_errorf(
			BW_E_INVALID,
			"%s: not a code object: a program for %s, not for an AMD GPU; to run "
			"and debug it: breakwater run -- %s",
			p, machine, p);
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB)
		return bw_errorf(BW_E_INVALID,
				 "%s: not a code object: not a 64-bit little-endian ELF file", p);
	if (eh->e_machine != EM_AMDGPU)
		return bw_errorf(BW_E_INVALID,
				 "%s: not a code object: an ELF file for machine %u, not for an "
				 "AMD GPU (%u)",
				 p, eh->e_machine, EM_AMDGPU);
	if (eh->e_type == ET_REL)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: a relocatable object: link it first (" BW_LLD
				 " -shared -o OUT.co %s)",
				 p, p);
	if (eh->e_type != ET_DYN && eh->e_type != ET_EXEC)
		return bw_errorf(BW_E_INVALID,
				 "%s: not a code object: ELF type %u cannot be loaded", p,
				 eh->e_type);
	return NULL;
}

static struct bw_error *read_header(struct bw_elf *e)
{
	if (e->file.len < SELFMAG || memcmp(e->file.data, ELFMAG, SELFMAG))
		return bw_errorf(BW_E_INVALID, "%s: not a code object: not an ELF file", e->path);
	if (e->file.len < sizeof(e->eh))
		return DAMAGED(e, "the file ends inside the ELF header");
	memcpy(&e->eh, e->file.data, sizeof(e->eh));
	BW_TRY(check_header(e));
	e->n_phdrs = e->eh.e_phnum;
	e->n_shdrs = e->eh.e_shnum;
	if (!e->n_phdrs)
		return DAMAGED(e, "nothing to load");
	const struct table phdrs = {"program header table", e->eh.e_phoff, e->n_phdrs,
				    e->eh.e_phentsize, sizeof(Elf64_Phdr)};
	const struct table shdrs = {"section table", e->eh.e_shoff, e->n_shdrs, e->eh.e_shentsize,
				    sizeof(Elf64_Shdr)};
	BW_TRY(copy_table(e, &phdrs, (void **)&e->phdrs));
	if (!e->n_shdrs)
		return bw_errorf(BW_E_UNSUPPORTED, "%s: a code object without a section table",
				 e->path);
	return copy_table(e, &shdrs, (void **)&e->shdrs);
}

static struct bw_error *read_image(struct bw_code_object *co, const struct bw_elf *e)
{
	uint64_t size_b = 0;
	for (size_t i = 0; i < e->n_phdrs; i++) {
		const Elf64_Phdr *ph = &e->phdrs[i];
		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_filesz > ph->p_memsz || ph->p_vaddr > MAX_IMAGE_B ||
		    ph->p_memsz > MAX_IMAGE_B - ph->p_vaddr)
			return DAMAGED(e, "segment %zu (%#llx bytes at %#llx) makes no sense", i,
				       (unsigned long long)ph->p_memsz,
				       (unsigned long long)ph->p_vaddr);
		size_b = BW_MAX(size_b, ph->p_vaddr + ph->p_memsz);
	}
	if (!size_b)
		return DAMAGED(e, "nothing to load");
	co->image = calloc(1, size_b);
	if (!co->image)
		return bw_error_nomem();
	co->image_b = size_b;
	for (size_t i = 0; i < e->n_phdrs; i++) {
		const Elf64_Phdr *ph = &e->phdrs[i];
		const uint8_t *p = NULL;
		if (ph->p_type != PT_LOAD)
			continue;
		BW_TRY(bw_elf_bytes(e, ph->p_offset, ph->p_filesz, "segment", &p));
		memcpy(co->image + ph->p_vaddr, p, ph->p_filesz);
	}
	return NULL;
}

/* One dynamic relocation. The loader always computes "base + addend"; a symbol of the object itself
 * is folded into the addend. */
static struct bw_error *read_reloc(struct bw_code_object *co, const struct bw_elf *e,
				   const Elf64_Rela *r, const struct bw_cursor *syms,
				   const struct bw_cursor *strings)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	uint64_t index = ELF64_R_SYM(r->r_info);
	struct bw_reloc rel = {r->r_offset, (uint64_t)r->r_addend};
	if (type == R_AMDGPU_NONE)
		return NULL;
	if (type != R_AMDGPU_RELATIVE64 && type != R_AMDGPU_ABS64)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%s: relocation type %u at %#llx is not supported", e->path, type,
				 (unsigned long long)r->r_offset);
	if (co->image_b < 8 || r->r_offset > co->image_b - 8)
		return DAMAGED(e, "a relocation at %#llx, outside of the image",
			       (unsigned long long)r->r_offset);
	if (type == R_AMDGPU_ABS64) {
		Elf64_Sym s;
		if (index >= syms->len / sizeof(s))
			return DAMAGED(e, "a relocation names symbol %llu of %zu",
				       (unsigned long long)index, syms->len / sizeof(s));
		memcpy(&s, syms->data + index * sizeof(s), sizeof(s));
		if (s.st_shndx == SHN_UNDEF && ELF64_ST_BIND(s.st_info) == STB_WEAK)
			return NULL; /* stays 0: it is never defined */
		if (s.st_shndx == SHN_UNDEF)
			return bw_errorf(
				BW_E_UNSUPPORTED,
				"%s: needs the symbol '%s', which the object does not define",
				e->path,
				s.st_name < strings->len ? (const char *)strings->data + s.st_name
							 : "?");
		rel.addend += s.st_value;
	}
	return bw_vec_push(&co->relocs, rel);
}

static struct bw_error *read_relocs(struct bw_code_object *co, const struct bw_elf *e,
				    const Elf64_Shdr *sh)
{
	struct bw_cursor relas, syms = {0}, strings = {0};
	BW_TRY(bw_elf_section(e, sh, "relocation table", &relas));
	if (sh->sh_link && sh->sh_link < e->n_shdrs) {
		BW_TRY(bw_elf_section(e, &e->shdrs[sh->sh_link], "symbol table", &syms));
		BW_TRY(bw_elf_strings(e, &e->shdrs[sh->sh_link], &strings));
	}
	while (bw_cursor_left(&relas) >= sizeof(Elf64_Rela)) {
		Elf64_Rela r;
		bw_cursor_copy(&relas, &r, sizeof(r));
		BW_TRY(read_reloc(co, e, &r, &syms, &strings));
	}
	return NULL;
}

static struct bw_error *read_notes(struct bw_code_object *co, const struct bw_elf *e,
				   const Elf64_Shdr *sh)
{
	struct bw_cursor c;
	BW_TRY(bw_elf_section(e, sh, "note section", &c));
	while (bw_cursor_left(&c) >= 12) {
		uint32_t name_b = bw_cursor_u32(&c), desc_b = bw_cursor_u32(&c);
		uint32_t type = bw_cursor_u32(&c);
		const char *name = bw_cursor_bytes(&c, bw_align_up(name_b, 4));
		const void *desc = bw_cursor_bytes(&c, desc_b);
		if (!name || !desc)
			return DAMAGED(e, "a note reaches past its section");
		if (type == NT_AMDGPU_METADATA && name_b == 7 && !memcmp(name, "AMDGPU", 7))
			BW_TRY(bw_code_object_read_metadata(co, desc, desc_b));
		bw_cursor_bytes(&c, BW_MIN(bw_align_up(desc_b, 4) - desc_b, bw_cursor_left(&c)));
	}
	return NULL;
}

static bool is_executable(const struct bw_elf *e, uint64_t addr)
{
	for (size_t i = 0; i < e->n_phdrs; i++) {
		const Elf64_Phdr *ph = &e->phdrs[i];
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr < ph->p_memsz)
			return true;
	}
	return false;
}

static bool is_gfx10_or_later(const char *gpu)
{
	/* gfx6 to gfx9 have three digits, gfx10 and later four ("gfx10-1-generic" has its own form)
	 */
	return !strncmp(gpu, "gfx1", 4);
}

/* Granules of COMPUTE_PGM_RSRC1.VGPRS (LLVM's AMDGPUUsage, "compute_pgm_rsrc1"). */
static uint32_t vgpr_granule(const struct bw_code_object *co, bool wave32)
{
	if (is_gfx10_or_later(co->gpu))
		return wave32 ? 8 : 4;
	return !strcmp(co->gpu, "gfx90a") || !strncmp(co->gpu, "gfx94", 5) ? 8 : 4;
}

/* Fills in what the 64-byte kernel descriptor says (doc/hardware/code-objects.md 3). */
static struct bw_error *read_descriptor(struct bw_code_object *co, const struct bw_elf *e,
					struct bw_kernel *k)
{
	if (co->image_b < DESCRIPTOR_B || k->descriptor > co->image_b - DESCRIPTOR_B)
		return DAMAGED(e, "the descriptor of kernel '%s' lies outside of the image",
			       k->name);
	struct bw_cursor c = bw_cursor(co->image + k->descriptor, DESCRIPTOR_B);
	k->lds_b = bw_cursor_u32(&c);
	k->scratch_b = bw_cursor_u32(&c);
	k->kernarg_b = BW_MAX(k->kernarg_b, bw_cursor_u32(&c));
	c.pos = 16;
	k->entry = k->descriptor + bw_cursor_u64(&c);
	c.pos = 44;
	k->rsrc3 = bw_cursor_u32(&c);
	k->rsrc1 = bw_cursor_u32(&c);
	k->rsrc2 = bw_cursor_u32(&c);
	k->properties = bw_cursor_u16(&c);
	if (k->entry >= co->image_b || (k->entry & 3) || !is_executable(e, k->entry))
		return DAMAGED(e, "the entry of kernel '%s' (%#llx) is not code", k->name,
			       (unsigned long long)k->entry);
	k->wave32 = is_gfx10_or_later(co->gpu) && (k->properties & BW_KCP_WAVE32);
	k->vgprs = (BW_FIELD_GET(COMPUTE_PGM_RSRC1, VGPRS, k->rsrc1) + 1) *
		   vgpr_granule(co, k->wave32);
	k->end = k->entry;
	const struct bw_symbol *sym = bw_code_object_symbol_at(co, k->entry);
	if (sym && sym->addr == k->entry)
		k->end = sym->addr + sym->size_b;
	for (size_t i = 0; i < k->n_args; i++) {
		const struct bw_kernel_arg *a = &k->args[i];
		if (a->offset_b > k->kernarg_b || a->size_b > k->kernarg_b - a->offset_b)
			return bw_errorf(BW_E_INVALID,
					 "%s: argument %zu of kernel '%s' lies outside of its "
					 "%u-byte argument segment",
					 e->path, i, k->name, k->kernarg_b);
	}
	return NULL;
}

/* Kernels that are known by a NAME.kd symbol alone: hand-written assembly has no metadata. */
static struct bw_error *add_bare_kernels(struct bw_code_object *co)
{
	for (size_t i = 0; i < co->symbols.len; i++) {
		const struct bw_symbol *s = &co->symbols.data[i];
		size_t len = strlen(s->name);
		bool known = len <= 3 || strcmp(s->name + len - 3, ".kd");
		for (size_t k = 0; k < co->kernels.len && !known; k++)
			known = co->kernels.data[k].descriptor == s->addr;
		if (known)
			continue;
		struct bw_kernel kernel = {.descriptor = s->addr, .max_group_size = 1024};
		BW_TRY(bw_code_object_keep_text(co, s->name, len - 3, &kernel.name));
		BW_TRY(bw_vec_push(&co->kernels, kernel));
	}
	return NULL;
}

static void name_gpu(struct bw_code_object *co, uint32_t e_flags)
{
	uint8_t mach = e_flags & 0xff;
	snprintf(co->gpu, sizeof(co->gpu), "gfx-%#x", mach);
	for (size_t i = 0; i < BW_ARRAY_SIZE(gpu_names); i++)
		if (gpu_names[i].mach == mach)
			snprintf(co->gpu, sizeof(co->gpu), "%s", gpu_names[i].name);
}

static struct bw_error *read_all(struct bw_code_object *co, struct bw_elf *e)
{
	BW_TRY(read_header(e));
	name_gpu(co, e->eh.e_flags);
	BW_TRY(read_image(co, e));
	for (size_t i = 0; i < e->n_shdrs; i++)
		if (e->shdrs[i].sh_type == SHT_SYMTAB || e->shdrs[i].sh_type == SHT_DYNSYM)
			BW_TRY(bw_code_object_read_symbols(co, e, &e->shdrs[i]));
	BW_TRY(bw_code_object_sort_symbols(co));
	for (size_t i = 0; i < e->n_shdrs; i++) {
		const Elf64_Shdr *sh = &e->shdrs[i];
		if (sh->sh_type == SHT_RELA && (sh->sh_flags & SHF_ALLOC))
			BW_TRY(read_relocs(co, e, sh));
		if (sh->sh_type == SHT_NOTE)
			BW_TRY(read_notes(co, e, sh));
	}
	BW_TRY(add_bare_kernels(co));
	for (size_t i = 0; i < co->kernels.len; i++)
		BW_TRY(read_descriptor(co, e, &co->kernels.data[i]));
	return NULL;
}

struct bw_error *bw_code_object_open_for(const void *data, size_t size_b, const char *path,
					 const char *gpu, struct bw_code_object **out)
{
	if (bw_bundle_is(data, size_b)) {
		const uint8_t *entry = NULL;
		BW_TRY(bw_bundle_find(data, size_b, path, gpu ? gpu : BUNDLE_GPU, &entry, &size_b));
		data = entry;
	}
	struct bw_code_object *co = calloc(1, sizeof(*co));
	if (!co)
		return bw_error_nomem();
	co->path = strdup(path);
	co->file = malloc(size_b ? size_b : 1);
	co->file_b = size_b;
	if (!co->path || !co->file) {
		bw_code_object_close(co);
		return bw_error_nomem();
	}
	if (size_b)
		memcpy(co->file, data, size_b);
	struct bw_elf e = {.path = co->path, .file = bw_cursor(co->file, size_b)};
	struct bw_error *err = read_all(co, &e);
	free(e.shdrs);
	free(e.phdrs);
	if (err)
		bw_code_object_close(co);
	else
		*out = co;
	return err;
}

struct bw_error *bw_code_object_open(const void *data, size_t size_b, const char *path,
				     struct bw_code_object **out)
{
	return bw_code_object_open_for(data, size_b, path, NULL, out);
}

struct bw_error *bw_code_object_load(const char *path, struct bw_code_object **out)
{
	return bw_code_object_load_for(path, NULL, out);
}

struct bw_error *bw_code_object_load_for(const char *path, const char *gpu,
					 struct bw_code_object **out)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return bw_error_errno(errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s: not a file that can be read as a code object",
				 path);
	if ((uint64_t)st.st_size > MAX_FILE_B)
		return bw_errorf(BW_E_INVALID, "%s: too large for a code object (%lld bytes)", path,
				 (long long)st.st_size);
	size_t len = 0, size_b = (size_t)st.st_size;
	_cleanup_free_ uint8_t *data = malloc(size_b ? size_b : 1);
	if (!data)
		return bw_error_nomem();
	while (len < size_b) {
		ssize_t n = read(fd, data + len, size_b - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bw_error_errno(errno, "cannot read %s", path);
		if (n == 0)
			break; /* the file became shorter meanwhile */
		len += (size_t)n;
	}
	return bw_code_object_open_for(data, len, path, gpu, out);
}

void bw_code_object_close(struct bw_code_object *co)
{
	if (!co)
		return;
	bw_vec_each(&co->owned, p)
		free(*p);
	bw_vec_free(&co->owned);
	bw_vec_free(&co->symbols);
	bw_vec_free(&co->places);
	bw_vec_free(&co->kernels);
	bw_vec_free(&co->undefined);
	bw_vec_free(&co->relocs);
	bw_vec_free(&co->printf_formats);
	free(co->image);
	free(co->file);
	free(co->path);
	free(co->shown);
	free(co);
}

struct bw_error *bw_code_object_keep_text(struct bw_code_object *co, const char *text, size_t n,
					  const char **out)
{
	char *copy = malloc(n + 1);
	if (!copy)
		return bw_error_nomem();
	memcpy(copy, text, n);
	copy[n] = 0;
	struct bw_error *err = bw_vec_push(&co->owned, (void *)copy);
	if (err)
		free(copy);
	else
		*out = copy;
	return err;
}

const char *bw_code_object_path(const struct bw_code_object *co)
{
	return co->shown ? co->shown : co->path;
}

const char *bw_code_object_file_path(const struct bw_code_object *co)
{
	return co->path;
}

struct bw_error *bw_code_object_show_as(struct bw_code_object *co, const char *path)
{
	char *copy = strdup(path);
	if (!copy)
		return bw_error_nomem();
	free(co->shown);
	co->shown = copy;
	return NULL;
}

const char *bw_code_object_gpu(const struct bw_code_object *co)
{
	return co->gpu;
}

const struct bw_kernel *bw_code_object_kernels(const struct bw_code_object *co, size_t *out_n)
{
	*out_n = co->kernels.len;
	return co->kernels.data;
}

const struct bw_kernel *bw_code_object_kernel(const struct bw_code_object *co, const char *name)
{
	for (size_t i = 0; i < co->kernels.len; i++)
		if (!strcmp(co->kernels.data[i].name, name))
			return &co->kernels.data[i];
	return NULL;
}

const char *const *bw_code_object_printf_formats(const struct bw_code_object *co, size_t *out_n)
{
	*out_n = co->printf_formats.len;
	return co->printf_formats.data;
}

const struct bw_symbol *bw_code_object_symbols(const struct bw_code_object *co, size_t *out_n)
{
	*out_n = co->symbols.len;
	return co->symbols.data;
}

const void *bw_code_object_image(const struct bw_code_object *co, size_t *out_size_b)
{
	*out_size_b = co->image_b;
	return co->image;
}

const struct bw_reloc *bw_code_object_relocs(const struct bw_code_object *co, size_t *out_n)
{
	*out_n = co->relocs.len;
	return co->relocs.data;
}

const void *bw_code_object_file(const struct bw_code_object *co, size_t *out_size_b)
{
	*out_size_b = co->file_b;
	return co->file;
}
