/* SPDX-License-Identifier: MIT */
#include "crash/vm_state.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { MAX_LINE_B = 512 };

/* part: which half of the register; WHOLE for those that are read in one word, and for short names,
 * which take all of them. */
enum part { LOW, HIGH, WHOLE };
/* clang-format off */
static const struct {
	const char *name, *brief; /* the end of the kernel's name; as the user types it */
	size_t offset;
	enum part part;
	bool is_32;
} registers[] = {
#define AT(member) offsetof(struct bw_gpuvm_regs, member)
	{"_CNTL", "cntl", AT(cntl), WHOLE, true},
	{"_PAGE_TABLE_BASE_ADDR_LO32", "base", AT(base), LOW, false},
	{"_PAGE_TABLE_BASE_ADDR_HI32", NULL, AT(base), HIGH, false},
	{"_PAGE_TABLE_START_ADDR_LO32", "start", AT(start), LOW, false},
	{"_PAGE_TABLE_START_ADDR_HI32", NULL, AT(start), HIGH, false},
	{"_PAGE_TABLE_END_ADDR_LO32", "end", AT(end), LOW, false},
	{"_PAGE_TABLE_END_ADDR_HI32", NULL, AT(end), HIGH, false},
	{"MC_VM_FB_OFFSET", "fb_offset", AT(fb_offset), WHOLE, false},
	{"MC_VM_FB_LOCATION_BASE", "fb_base", AT(fb_base), WHOLE, false},
	{"MC_VM_FB_LOCATION_TOP", "fb_top", AT(fb_top), WHOLE, false},
	{"MC_VM_AGP_BASE", "agp_base", AT(agp_base), WHOLE, false},
	{"MC_VM_AGP_BOT", "agp_bot", AT(agp_bot), WHOLE, false},
	{"MC_VM_AGP_TOP", "agp_top", AT(agp_top), WHOLE, false},
	{"MC_VM_SYSTEM_APERTURE_LOW_ADDR", "sys_low", AT(sys_low), WHOLE, false},
	{"MC_VM_SYSTEM_APERTURE_HIGH_ADDR", "sys_high", AT(sys_high), WHOLE, false},
	{"MC_VM_MX_L1_TLB_CNTL", "mx_l1_tlb_cntl", AT(mx_l1_tlb_cntl), WHOLE, true},
#undef AT
};
/* clang-format on */

static void put_field(struct bw_crash_vm_context *c, size_t i, bool brief, uint64_t value)
{
	char *at = (char *)&c->regs + registers[i].offset;
	uint64_t old = 0;
	if (registers[i].is_32) {
		uint32_t v = (uint32_t)value;
		memcpy(at, &v, sizeof(v));
	} else {
		memcpy(&old, at, sizeof(old));
		if (!brief && registers[i].part == LOW)
			value = bw_join32(bw_hi32(old), (uint32_t)value);
		else if (!brief && registers[i].part == HIGH)
			value = bw_join32((uint32_t)value, bw_lo32(old));
		memcpy(at, &value, sizeof(value));
	}
	c->has_cntl |= registers[i].offset == offsetof(struct bw_gpuvm_regs, cntl);
	c->has_base |= registers[i].offset == offsetof(struct bw_gpuvm_regs, base);
	c->has_end |= registers[i].offset == offsetof(struct bw_gpuvm_regs, end);
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	size_t len = strlen(end);
	return n >= len && !memcmp(text + n - len, end, len);
}

/* "mmVM_CONTEXT8_PAGE_TABLE_BASE_ADDR_LO32": of the context wanted? */
static bool is_other_context(const struct bw_crash_vm *vm, const char *name, size_t n)
{
	static const char word[] = "VM_CONTEXT";
	for (size_t i = 0; i + sizeof(word) <= n; i++)
		if (!memcmp(name + i, word, sizeof(word) - 1) &&
		    isdigit((unsigned char)name[i + sizeof(word) - 1]))
			return strtoul(name + i + sizeof(word) - 1, NULL, 10) != vm->vmid;
	return false;
}

static bool is_register(struct bw_crash_vm *vm, const char *name, size_t n, uint64_t value)
{
	bool context = memmem(name, n, "VM_CONTEXT", strlen("VM_CONTEXT")) != NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(registers); i++) {
		bool brief = registers[i].brief && strlen(registers[i].brief) == n &&
			     !memcmp(name, registers[i].brief, n);
		bool full = ends_with(name, n, registers[i].name) &&
			    (registers[i].name[0] != '_' || context);
		if (!brief && !full)
			continue;
		if (registers[i].is_32 && value > UINT32_MAX)
			return false;
		bool is_other = !brief && is_other_context(vm, name, n);
		put_field(is_other ? &vm->other : &vm->context, i, brief, value);
		return true;
	}
	return false;
}

static void add_entry(struct bw_crash_vm *vm, enum bw_crash_memory memory, uint64_t address,
		      uint64_t value)
{
	struct bw_crash_vm_entry e = {memory, address, value};
	if (vm->entries.len >= BW_CRASH_MAX_VM_ENTRIES) {
		vm->n_left_out++;
		return;
	}
	struct bw_error *err = bw_vec_push(&vm->entries, e);
	vm->failed |= err != NULL;
	bw_error_free(err);
}

static bool hex(const char **p, uint64_t *out)
{
	char *end;
	if ((*p)[0] != '0' || ((*p)[1] != 'x' && (*p)[1] != 'X') ||
	    !isxdigit((unsigned char)(*p)[2]))
		return false;
	*out = strtoull(*p, &end, 16);
	*p = end;
	return true;
}

/* "= 0x..", "==0x..", ": 0x..", "=0" */
static bool value_after(const char *p, uint64_t *out)
{
	char *end;
	p = bw_skip_blanks(p);
	if (*p != '=' && *p != ':')
		return false;
	while (*p == '=' || *p == ':' || *p == ' ')
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	errno = 0;
	*out = strtoull(p, &end, 0);
	return !errno && !isalnum((unsigned char)*end);
}

/* "PDE2@{": three levels of directories. */
static void learn_depth(struct bw_crash_vm *vm, const char *line)
{
	const char *p = strstr(line, "PDE");
	if (p && p[3] >= '0' && p[3] <= '3' && p[4] == '@')
		vm->depth = BW_MAX(vm->depth, (unsigned)(p[3] - '0') + 1);
}

/* "PDE2@{0x3febfe7f8/ff}=0x0000000000cf1001", as umr prints it; "sys:0x1000=0x1". */
static bool is_entry(struct bw_crash_vm *vm, const char *line)
{
	const char *p = strstr(line, "@{");
	enum bw_crash_memory memory = BW_CRASH_ANY_MEMORY;
	uint64_t address, value;
	if (p) {
		p += 2;
		if (!hex(&p, &address) || address % sizeof(value) || !(p = strchr(p, '}')) ||
		    !value_after(p + 1, &value))
			return false;
		add_entry(vm, memory, address, value);
		learn_depth(vm, line);
		return true;
	}
	p = bw_skip_blanks(line);
	if (!strncmp(p, "sys:", 4) || !strncmp(p, "vram:", 5)) {
		memory = *p == 's' ? BW_CRASH_SYSTEM : BW_CRASH_VRAM;
		p = strchr(p, ':') + 1;
	}
	if (!hex(&p, &address) || address % sizeof(value) || !value_after(p, &value))
		return false;
	add_entry(vm, memory, address, value);
	return true;
}

bool bw_crash_vm_line(struct bw_crash_vm *vm, const char *text, size_t n)
{
	char line[MAX_LINE_B];
	n = BW_MIN(n, sizeof(line) - 1);
	memcpy(line, text, n);
	line[n] = '\0';
	if (is_entry(vm, line))
		return true;
	const char *equals = strchr(line, '=');
	uint64_t value;
	if (!equals || !value_after(equals, &value))
		return false;
	const char *end = equals, *name;
	while (end > line && end[-1] == ' ')
		end--;
	for (name = end; name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
		name--;
	return is_register(vm, name, (size_t)(end - name), value);
}

static int by_address(const void *a, const void *b)
{
	const struct bw_crash_vm_entry *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* For VMID 0, apertures come before the page table: their registers are not 0 in a working GPU. */
static bool is_made_up(const struct bw_crash_vm *vm, const struct bw_crash_vm_context *c)
{
	const struct bw_gpuvm_regs *r = &vm->context.regs;
	return vm->depth && c->has_base && c->has_cntl && !(c->regs.cntl & 1) &&
	       !r->mx_l1_tlb_cntl && !r->sys_low && !r->sys_high;
}

static void take_user_queue(struct bw_crash_vm *vm)
{
	struct bw_crash_vm_context *c = &vm->context;
	const struct bw_crash_vm_context *other = &vm->other;
	if (!c->has_base && !c->has_cntl && is_made_up(vm, other)) {
		c->regs.cntl = other->regs.cntl;
		c->regs.base = other->regs.base;
		c->regs.start = other->regs.start;
		c->regs.end = other->regs.end;
		c->has_cntl = c->has_base = true;
		c->has_end = other->has_end;
	}
	if (!is_made_up(vm, c))
		return;
	/* tables of 512 entries, a block size of 0, are the driver's on GPUs with user queues */
	enum { ENABLE = 1, DEPTH_LO = 1 };
	vm->is_user_queue = true;
	c->regs.cntl = ENABLE | vm->depth << DEPTH_LO;
}

void bw_crash_vm_end(struct bw_crash_vm *vm, enum bw_gpuvm_gen gen)
{
	if (vm->entries.len)
		qsort(vm->entries.data, vm->entries.len, sizeof(vm->entries.data[0]), by_address);
	take_user_queue(vm);
	if (!vm->context.has_end)
		vm->context.regs.end = (1ull << bw_gpuvm_va_bits(gen)) / BW_GPUVM_PAGE_B - 1;
}

bool bw_crash_vm_read(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct bw_crash_vm *vm = cookie;
	size_t first = 0, beyond = vm->entries.len;
	while (first < beyond) {
		size_t middle = first + (beyond - first) / 2;
		if (vm->entries.data[middle].address < address)
			first = middle + 1;
		else
			beyond = middle;
	}
	for (size_t i = first; i < vm->entries.len && vm->entries.data[i].address == address; i++) {
		const struct bw_crash_vm_entry *e = &vm->entries.data[i];
		if (e->memory == BW_CRASH_ANY_MEMORY || (e->memory == BW_CRASH_SYSTEM) == system) {
			*out_entry = e->value;
			return true;
		}
	}
	return false;
}

void bw_crash_vm_free(struct bw_crash_vm *vm)
{
	bw_vec_free(&vm->entries);
}
