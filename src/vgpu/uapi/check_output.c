/* SPDX-License-Identifier: MIT */
/* Output of the checker: the file breakwater_check of the device, whose lines have fields separated
 * by tabs, and lines on standard error as findings are made. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/device/exec/check/bounds.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/init.h"
#include "vgpu/device/exec/check/sync.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/check_output.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/checks.h"
#include "wire/vgpu_proto.h"

enum { FINDINGS_MAX = 1024 };

static void add_side(struct bw_str *s, const struct bw_check_side *x)
{
	bw_str_addf(s,
		    "\t%s\t0x%" PRIx64 "\t0x%" PRIx64
		    "\t%u\t0x%x\t0x%x\t0x%x\t%s\t%u\t%u\t%u\t%u\t%u",
		    bw_check_access_name(x->access), x->pc, x->code_va, x->n_words, x->word[0],
		    x->word[1], x->word[2], x->name, x->group[0], x->group[1], x->group[2], x->wave,
		    x->lane);
}

/* A race: relation, memory, times, VMID,
 * lanes of a wave, address, bytes, whether a pointer to it is known, the SGPR that points to the
 * arguments, the pointer's place in them, the pointer; and for both sides: access, address, the
 * wave's first address, how many words, three words, opcode, workgroup, wave, lane. */
static void add_races(struct bw_check *check, struct bw_str *s)
{
	struct bw_check_finding *all = calloc(FINDINGS_MAX, sizeof(*all));
	size_t n = 0;
	if (all)
		n = BW_MIN(bw_check_findings(check, all, FINDINGS_MAX), (size_t)FINDINGS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct bw_check_finding *f = &all[i];
		bw_str_addf(s,
			    "race\t%s\t%s\t%" PRIu64 "\t%u\t%u\t0x%" PRIx64
			    "\t%u\t%d\t%u\t%u\t0x%" PRIx64,
			    bw_check_relation_name(f->relation), f->is_lds ? "LDS" : "memory",
			    f->count, f->vmid, f->lanes, f->va, f->size_b, f->has_pointer,
			    f->pointer_sgpr, f->pointer_offset, f->pointer);
		add_side(s, &f->first);
		add_side(s, &f->second);
		bw_str_addf(s, "\n");
	}
	free(all);
}

/* An access out of bounds: of which object, the object's name, times, VMID, lanes of a wave, bytes,
 * the object's address, its size, the place in it, other lanes of the wave, the texel and the size
 * of an image, whether a pointer to it is known, its SGPR and place, whether it is freed, the
 * program, the calls in it that made the object, and those that freed it; and the access. */
static void add_bounds(struct bw_check *check, struct bw_str *s)
{
	struct bw_bounds_finding *all = calloc(FINDINGS_MAX, sizeof(*all));
	size_t n = 0;
	if (all)
		n = BW_MIN(bw_bounds_findings(check, all, FINDINGS_MAX), (size_t)FINDINGS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct bw_bounds_finding *f = &all[i];
		const struct bw_outside *o = &f->what;
		bw_str_addf(s,
			    "bounds\t%s\t%s\t%" PRIu64 "\t%u\t%u\t%u\t0x%" PRIx64 "\t%" PRIu64
			    "\t0x%" PRIx64 "\t0x%" PRIx64,
			    bw_outside_name(o->of), f->name, f->count, f->vmid, f->lanes, o->size_b,
			    o->base, o->limit, (uint64_t)o->at, f->more_lanes);
		for (size_t k = 0; k < BW_ARRAY_SIZE(o->texel); k++)
			bw_str_addf(s, "\t%u", o->texel[k]);
		for (size_t k = 0; k < BW_ARRAY_SIZE(o->extent); k++)
			bw_str_addf(s, "\t%u", o->extent[k]);
		bw_str_addf(s, "\t%d\t%u\t%u\t%d\t%s", f->has_pointer, f->pointer_sgpr,
			    f->pointer_offset, f->is_freed, f->program ? f->program : "");
		for (size_t k = 0; k < BW_EXTENT_CALLERS; k++)
			bw_str_addf(s, "\t0x%" PRIx64, f->made[k]);
		for (size_t k = 0; k < BW_EXTENT_CALLERS; k++)
			bw_str_addf(s, "\t0x%" PRIx64, f->freed[k]);
		add_side(s, &f->at);
		bw_str_addf(s, "\n");
	}
	free(all);
}

/* A value that nobody has written: its use, where it comes from, the register, times, VMID, lanes
 * of a wave, the place in LDS or scratch, bytes; the instruction that uses it; and the load that it
 * comes from. */
static void add_init(struct bw_check *check, struct bw_str *s)
{
	struct bw_init_finding *all = calloc(FINDINGS_MAX, sizeof(*all));
	size_t n = 0;
	if (all)
		n = BW_MIN(bw_init_findings(check, all, FINDINGS_MAX), (size_t)FINDINGS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct bw_init_finding *f = &all[i];
		bw_str_addf(s, "init\t%s\t%s\t%s\t%" PRIu64 "\t%u\t%u\t0x%x\t%u",
			    bw_init_use_name(f->use), bw_init_memory_name(f->memory), f->reg,
			    f->count, f->vmid, f->lanes, f->va, f->size_b);
		add_side(s, &f->at);
		add_side(s, &f->from);
		bw_str_addf(s, "\n");
	}
	free(all);
}

/* A barrier that not all reach: kind, times, VMID, lanes of a wave, the lanes that are missing; the
 * barrier; and the next or last access of the others, or the other barrier. */
static void add_sync(struct bw_check *check, struct bw_str *s)
{
	struct bw_sync_finding *all = calloc(FINDINGS_MAX, sizeof(*all));
	size_t n = 0;
	if (all)
		n = BW_MIN(bw_sync_findings(check, all, FINDINGS_MAX), (size_t)FINDINGS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct bw_sync_finding *f = &all[i];
		bw_str_addf(s, "sync\t%s\t%" PRIu64 "\t%u\t%u\t0x%" PRIx64,
			    bw_sync_kind_name(f->kind), f->count, f->vmid, f->lanes, f->missing);
		add_side(s, &f->at);
		add_side(s, &f->other);
		bw_str_addf(s, "\n");
	}
	free(all);
}

/* What is checked (bits of enum bw_check_what); then a line for each finding, which begins with its
 * kind. */
void bw_check_text(struct bw_uapi *u, struct bw_str *s)
{
	struct bw_check *check = bw_device_check(u->dev);
	bw_str_addf(s, "%u\n", u->options.device.check);
	if (!check)
		return;
	add_races(check, s);
	add_bounds(check, s);
	add_init(check, s);
	add_sync(check, s);
}

/* Findings that are printed at once are the first ones: a program may run for long. */
static bool is_told(const struct bw_uapi *u, size_t number)
{
	enum { AT_ONCE = 3 };
	return !u->options.check_silent && (!u->options.check_at_end || number <= AT_ONCE);
}

static void tell(const char *line, int n, size_t size)
{
	ssize_t ignored = write(STDERR_FILENO, line, BW_MIN((size_t)BW_MAX(n, 0), size - 1));
	(void)ignored;
}

static void on_bounds(void *cookie, size_t number, const struct bw_bounds_finding *f)
{
	const struct bw_uapi *u = cookie;
	char line[512];
	if (!is_told(u, number))
		return;
	int n = snprintf(line, sizeof(line),
			 "check: bounds: %s at 0x%" PRIx64 " (+0x%" PRIx64
			 "), %s%s%s%s, place %" PRId64 " of %" PRIu64 "\n",
			 f->at.name, f->at.pc, f->at.pc - f->at.code_va,
			 f->is_freed ? "freed " : "", bw_outside_name(f->what.of),
			 *f->name ? " " : "", f->name, f->what.at, f->what.limit);
	tell(line, n, sizeof(line));
}

static void on_finding(void *cookie, size_t number, const struct bw_check_finding *f)
{
	const struct bw_uapi *u = cookie;
	char line[512];
	if (!is_told(u, number))
		return;
	int n = snprintf(line, sizeof(line),
			 "check: race: %s at 0x%" PRIx64 " (+0x%" PRIx64 ") and %s at 0x%" PRIx64
			 " (+0x%" PRIx64 "), %s 0x%" PRIx64 "\n",
			 f->first.name, f->first.pc, f->first.pc - f->first.code_va, f->second.name,
			 f->second.pc, f->second.pc - f->second.code_va,
			 f->is_lds ? "LDS" : "address", f->va);
	tell(line, n, sizeof(line));
}

static void on_init(void *cookie, size_t number, const struct bw_init_finding *f)
{
	const struct bw_uapi *u = cookie;
	char line[512];
	if (!is_told(u, number))
		return;
	int n = snprintf(line, sizeof(line),
			 "check: init: %s of %s at 0x%" PRIx64 " (+0x%" PRIx64
			 "), from %s that nobody has written\n",
			 bw_init_use_name(f->use), f->at.name, f->at.pc, f->at.pc - f->at.code_va,
			 f->memory == BW_INIT_REGISTER ? f->reg : bw_init_memory_name(f->memory));
	tell(line, n, sizeof(line));
}

static void on_sync(void *cookie, size_t number, const struct bw_sync_finding *f)
{
	const struct bw_uapi *u = cookie;
	char line[512];
	if (!is_told(u, number))
		return;
	int n = snprintf(line, sizeof(line),
			 "check: sync: %s at 0x%" PRIx64 " (+0x%" PRIx64
			 ") that not all reach (%s), %s at 0x%" PRIx64 " (+0x%" PRIx64 ")\n",
			 f->at.name, f->at.pc, f->at.pc - f->at.code_va, bw_sync_kind_name(f->kind),
			 f->other.name, f->other.pc, f->other.pc - f->other.code_va);
	tell(line, n, sizeof(line));
}

void bw_check_output_start(struct bw_uapi *u)
{
	struct bw_check *check = bw_device_check(u->dev);
	if (!check)
		return;
	bw_check_listen(check, on_finding, u);
	bw_bounds_listen(check, on_bounds, u);
	bw_init_listen(check, on_init, u);
	bw_sync_listen(check, on_sync, u);
}

/* A name is shown: no blanks or control characters. */
static void take_name(char out[BW_EXTENT_NAME_B], const char in[BW_EXTENT_NAME_B])
{
	for (unsigned i = 0; i + 1 < BW_EXTENT_NAME_B && in[i]; i++)
		out[i] = in[i] > ' ' && in[i] < 0x7f ? in[i] : '?';
}

/* A path of printable characters, so that it stays in its field of a line; else none. */
static const char *take_program(struct bw_check *check, const char in[BW_VGPU_PROGRAM_B])
{
	size_t len = strnlen(in, BW_VGPU_PROGRAM_B);
	if (!len || len == BW_VGPU_PROGRAM_B)
		return NULL;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)in[i] < ' ' || in[i] == 0x7f)
			return NULL;
	return bw_bounds_program(check, in);
}

int bw_drm_extent(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg)
{
	struct bw_vgpu_extent a;
	struct bw_check *check = bw_device_check(u->dev);
	memcpy(&a, arg, sizeof(a));
	if (!check || !(u->options.device.check & BW_CHECK_BOUNDS))
		return -ENODATA;
	struct bw_extent e = {.space = bw_drm_pt_root_entry(vm),
			      .va = a.va,
			      .size_b = a.size_b,
			      .before_b = a.before_b,
			      .after_b = a.after_b,
			      .is_freed = a.is_freed != 0};
	static_assert(sizeof(a.name) == sizeof(e.name), "names fit");
	take_name(e.name, a.name);
	static_assert(sizeof(a.made) == sizeof(e.made), "calls fit");
	memcpy(e.made, a.made, sizeof(e.made));
	memcpy(e.freed, a.freed, sizeof(e.freed));
	if (a.size_b)
		e.program = take_program(check, a.program);
	if (a.size_b)
		return bw_bounds_declare(check, &e) ? 0 : -EINVAL;
	bw_bounds_withdraw(check, e.space, e.va);
	return 0;
}
