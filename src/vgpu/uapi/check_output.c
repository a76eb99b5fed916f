/* SPDX-License-Identifier: MIT */
/* Output of the checker: the file breakwater_check of the device, whose lines have fields separated
 * by tabs, and lines on standard error as findings are made. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shown.h"
#include "vgpu/device/exec/check/bounds.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/check_output.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/checks.h"
#include "wire/vgpu_proto.h"

enum { FINDINGS_MAX = BW_FOUND_KINDS * 1024 };

static void add_side(struct bw_str *s, const struct bw_check_side *x)
{
	bw_str_addf(s,
		    "\t%s\t0x%" PRIx64 "\t0x%" PRIx64
		    "\t%u\t0x%x\t0x%x\t0x%x\t%s\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%s",
		    bw_check_access_name(x->access), x->pc, x->code_va, x->n_words, x->word[0],
		    x->word[1], x->word[2], x->name ? x->name : "?", x->group[0], x->group[1],
		    x->group[2], x->wave, x->lane, x->dispatch, x->draw, x->lane_is);
}

static void add_pointer(struct bw_str *s, const struct bw_check_pointer *p)
{
	bw_str_addf(s, "\t%d\t%u\t%u\t0x%" PRIx64, p->is_known, p->sgpr, p->offset, p->value);
}

/* Relation, memory, address, bytes. */
static void add_race(struct bw_str *s, const struct bw_check_finding *f)
{
	bw_str_addf(s, "\t%s\t%s\t0x%" PRIx64 "\t%u", bw_check_relation_name(f->race.relation),
		    f->race.is_lds ? "LDS" : "memory", f->race.va, f->race.size_b);
}

/* Of which object, the object's name, bytes, the object's address, its size, the place in it, other
 * lanes of the wave, the texel and the size of an image, whether it is freed, the program, the
 * calls in it that made the object, and those that freed it. */
static void add_bounds(struct bw_str *s, const struct bw_check_finding *f)
{
	const struct bw_outside *o = &f->bounds.what;
	bw_str_addf(s, "\t%s\t%s\t%u\t0x%" PRIx64 "\t%" PRIu64 "\t0x%" PRIx64 "\t0x%" PRIx64,
		    bw_outside_name(o->of), f->bounds.name, o->size_b, o->base, o->limit,
		    (uint64_t)o->at, f->bounds.more_lanes);
	for (size_t k = 0; k < BW_ARRAY_SIZE(o->texel); k++)
		bw_str_addf(s, "\t%u", o->texel[k]);
	for (size_t k = 0; k < BW_ARRAY_SIZE(o->extent); k++)
		bw_str_addf(s, "\t%u", o->extent[k]);
	bw_str_addf(s, "\t%d\t%s", f->bounds.is_freed, f->bounds.program ? f->bounds.program : "");
	for (size_t k = 0; k < BW_EXTENT_CALLERS; k++)
		bw_str_addf(s, "\t0x%" PRIx64, f->bounds.made[k]);
	for (size_t k = 0; k < BW_EXTENT_CALLERS; k++)
		bw_str_addf(s, "\t0x%" PRIx64, f->bounds.freed[k]);
}

/* A value that nobody has written: its use, where it comes from, the register, the place in LDS or
 * scratch, bytes. */
static void add_init(struct bw_str *s, const struct bw_check_finding *f)
{
	bw_str_addf(s, "\t%s\t%s\t%s\t0x%x\t%u", bw_init_use_name(f->init.use),
		    bw_init_memory_name(f->init.memory), f->init.reg, f->init.va, f->init.size_b);
}

/* A barrier that not all reach: how it is missed, the lanes that are missing. */
static void add_sync(struct bw_str *s, const struct bw_check_finding *f)
{
	bw_str_addf(s, "\t%s\t0x%" PRIx64, bw_sync_kind_name(f->sync.kind), f->sync.missing);
}

/* What is checked (bits of enum bw_check_what); then a line for each finding: its kind, number,
 * times, VMID, lanes of a wave, both sides, the pointer in the kernel's arguments (whether it is
 * known, the SGPR that points to the arguments, its place in them, its value), and what the kind
 * has. A side: access, address, the wave's first address, how many words, three words, opcode,
 * workgroup, wave, lane, number of the dispatch. */
void bw_check_text(struct bw_uapi *u, struct bw_str *s)
{
	static void (*const add[BW_FOUND_KINDS])(struct bw_str *,
						 const struct bw_check_finding *) = {
		[BW_FOUND_RACE] = add_race,
		[BW_FOUND_BOUNDS] = add_bounds,
		[BW_FOUND_INIT] = add_init,
		[BW_FOUND_SYNC] = add_sync,
	};
	struct bw_check *check = bw_device_check(u->dev);
	bw_str_addf(s, "%u\n", u->options.device.check);
	if (!check)
		return;
	struct bw_check_finding *all = calloc(FINDINGS_MAX, sizeof(*all));
	size_t n =
		all ? BW_MIN(bw_check_findings(check, all, FINDINGS_MAX), (size_t)FINDINGS_MAX) : 0;
	for (size_t i = 0; i < n; i++) {
		const struct bw_check_finding *f = &all[i];
		bw_str_addf(s, "%s\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u", bw_check_kind_name(f->kind),
			    f->number, f->count, f->vmid, f->lanes);
		add_side(s, &f->first);
		add_side(s, &f->second);
		add_pointer(s, &f->pointer);
		add[f->kind](s, f);
		bw_str_addf(s, "\n");
	}
	free(all);
}

void bw_leaks_text(struct bw_uapi *u, struct bw_str *s)
{
	enum { LEAKS_MAX = 512 };
	static const struct bw_check_side nowhere;
	static const struct bw_check_pointer none;
	struct bw_check *check = bw_device_check(u->dev);
	struct bw_leak *all = check ? calloc(LEAKS_MAX, sizeof(*all)) : NULL;
	size_t n = all ? bw_bounds_leaks(check, all, LEAKS_MAX) : 0;
	for (size_t i = 0; i < n; i++) {
		const struct bw_leak *l = &all[i];
		bw_str_addf(s, "leak\t0\t%" PRIu64 "\t0\t0", l->n);
		add_side(s, &nowhere);
		add_side(s, &nowhere);
		add_pointer(s, &none);
		bw_str_addf(s, "\t%" PRIu64 "\t%s\t%s", l->size_b, l->name,
			    l->program ? l->program : "");
		for (size_t k = 0; k < BW_EXTENT_CALLERS; k++)
			bw_str_addf(s, "\t0x%" PRIx64, l->made[k]);
		bw_str_add(s, "\n");
	}
	free(all);
}

/* Findings that are printed at once are the first ones: a program may run for long. */
static bool is_told(const struct bw_uapi *u, size_t nth)
{
	enum { AT_ONCE = 3 };
	return !u->options.check_silent && (!u->options.check_at_end || nth <= AT_ONCE);
}

static int race_text(char *out, size_t size, const struct bw_check_finding *f)
{
	return snprintf(
		out, size, "%s at 0x%" PRIx64 " (%s) and %s at 0x%" PRIx64 " (%s), %s 0x%" PRIx64,
		f->first.name, f->first.pc, bw_shown_offset(f->first.pc, f->first.code_va).text,
		f->second.name, f->second.pc, bw_shown_offset(f->second.pc, f->second.code_va).text,
		f->race.is_lds ? "LDS" : "address", f->race.va);
}

static int bounds_text(char *out, size_t size, const struct bw_check_finding *f)
{
	const struct bw_bounds_facts *b = &f->bounds;
	return snprintf(
		out, size, "%s at 0x%" PRIx64 " (%s), %s%s%s%s, place %" PRId64 " of %" PRIu64,
		f->first.name, f->first.pc, bw_shown_offset(f->first.pc, f->first.code_va).text,
		b->is_freed ? "freed " : "", bw_outside_name(b->what.of), *b->name ? " " : "",
		b->name, b->what.at, b->what.limit);
}

static int init_text(char *out, size_t size, const struct bw_check_finding *f)
{
	return snprintf(out, size, "%s of %s at 0x%" PRIx64 " (%s), from %s%s",
			bw_init_use_name(f->init.use), f->first.name, f->first.pc,
			bw_shown_offset(f->first.pc, f->first.code_va).text,
			f->init.memory == BW_INIT_REGISTER ? f->init.reg
							   : bw_init_memory_name(f->init.memory),
			f->init.memory == BW_INIT_IN_LANE ? " that was not active"
							  : " that nobody has written");
}

static int sync_text(char *out, size_t size, const struct bw_check_finding *f)
{
	return snprintf(
		out, size,
		"%s at 0x%" PRIx64 " (%s) that not all reach (%s), %s at 0x%" PRIx64 " (%s)",
		f->first.name, f->first.pc, bw_shown_offset(f->first.pc, f->first.code_va).text,
		bw_sync_kind_name(f->sync.kind), f->second.name, f->second.pc,
		bw_shown_offset(f->second.pc, f->second.code_va).text);
}

static void on_finding(void *cookie, size_t nth, const struct bw_check_finding *f)
{
	static int (*const text[BW_FOUND_KINDS])(char *, size_t,
						 const struct bw_check_finding *) = {
		[BW_FOUND_RACE] = race_text,
		[BW_FOUND_BOUNDS] = bounds_text,
		[BW_FOUND_INIT] = init_text,
		[BW_FOUND_SYNC] = sync_text,
	};
	const struct bw_uapi *u = cookie;
	char what[400], line[512];
	if (!is_told(u, nth))
		return;
	text[f->kind](what, sizeof(what), f);
	int n = snprintf(line, sizeof(line), "check: %s: %s\n", bw_check_kind_name(f->kind), what);
	ssize_t ignored =
		write(STDERR_FILENO, line, BW_MIN((size_t)BW_MAX(n, 0), sizeof(line) - 1));
	(void)ignored;
}

void bw_check_output_start(struct bw_uapi *u)
{
	struct bw_check *check = bw_device_check(u->dev);
	if (check)
		bw_check_listen(check, on_finding, u);
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
	if (!check || !(u->options.device.check & (BW_CHECK_BOUNDS | BW_CHECK_LEAKS)))
		return -ENODATA;
	struct bw_extent e = {.space = bw_drm_pt_root_entry(vm),
			      .va = a.va,
			      .size_b = a.size_b,
			      .before_b = a.before_b,
			      .after_b = a.after_b,
			      .is_freed = a.is_freed == 1};
	static_assert(sizeof(a.name) == sizeof(e.name), "names fit");
	take_name(e.name, a.name);
	static_assert(sizeof(a.made) == sizeof(e.made), "calls fit");
	memcpy(e.made, a.made, sizeof(e.made));
	memcpy(e.freed, a.freed, sizeof(e.freed));
	if (a.size_b)
		e.program = take_program(check, a.program);
	if (a.size_b && a.is_freed == BW_VGPU_EXTENT_LEFT) {
		bw_bounds_left(check, &e);
		return 0;
	}
	if (a.size_b)
		return bw_bounds_declare(check, &e) ? 0 : -EINVAL;
	bw_bounds_withdraw(check, e.space, e.va);
	return 0;
}

int bw_drm_kernel(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg)
{
	struct bw_vgpu_kernel a;
	struct bw_check *check = bw_device_check(u->dev);
	memcpy(&a, arg, sizeof(a));
	if (!check || !(u->options.device.check & BW_CHECK_BOUNDS))
		return -ENODATA;
	bw_bounds_kernel(check, bw_drm_pt_root_entry(vm), a.va, a.lds_b);
	return 0;
}

int bw_drm_api(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg)
{
	struct bw_vgpu_api a;
	struct bw_check *check = bw_device_check(u->dev);
	memcpy(&a, arg, sizeof(a));
	if (!check)
		return -ENODATA;
	if (a.api != BW_VGPU_API_VULKAN)
		return -EINVAL;
	bw_check_is_explicit(check, bw_drm_pt_root_entry(vm));
	return 0;
}

/* ---- writers ---- */

static void add_writer(struct bw_str *s, const struct bw_writer *w, uint64_t va)
{
	static const char *const names[] = {[BW_TRANSFER_NONE] = "wave",
					    [BW_TRANSFER_COPY] = "copy",
					    [BW_TRANSFER_FILL] = "fill",
					    [BW_TRANSFER_WRITE] = "write"};
	bw_str_addf(s, "%s\t%d\t%" PRIu64 "\t%u\t0x%x\t%u\t0x%" PRIx64, names[w->transfer],
		    !w->is_forgotten, w->number, w->vmid, w->mask, w->n_lanes,
		    w->source ? w->source + va : 0);
	add_side(s, &w->at);
	bw_str_add(s, "\n");
}

/* "VMID ADDRESS", "lds SE SA WGP SIMD WAVE 0 OFFSET", or "scratch SE SA WGP SIMD WAVE LANE OFFSET"
 * of the wave in that slot. out_va: the address. */
static bool look(struct bw_uapi *u, const char *question, uint64_t *out_va,
		 struct bw_writers_answer *a, uint32_t *now)
{
	struct bw_wave_memory m = {0};
	char kind[8];
	char *rest;
	*out_va = 0;
	if (sscanf(question, "%7s %u %u %u %u %u %u %" SCNu32, kind, &m.se, &m.sa, &m.wgp, &m.simd,
		   &m.wave, &m.lane, &m.offset_b) == 8) {
		m.is_lds = !strcmp(kind, "lds");
		return (m.is_lds || !strcmp(kind, "scratch")) &&
		       bw_device_writers_of(u->dev, &m, a, now);
	}
	uint64_t vmid = strtoull(question, &rest, 0);
	*out_va = strtoull(rest, NULL, 0) & ~3ull;
	return vmid <= UINT32_MAX && bw_device_writers(u->dev, (unsigned)vmid, *out_va, a, now);
}

static int64_t writers_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	enum { QUESTION_B = 128 };
	char question[QUESTION_B] = {0};
	struct bw_writers_answer a;
	uint32_t now;
	if (size_b >= sizeof(question))
		return -EINVAL;
	memcpy(question, data, size_b);
	uint64_t va;
	struct bw_str text = {0};
	/* so that no buffer goes away meanwhile */
	pthread_mutex_lock(&f->u->lock);
	if (look(f->u, question, &va, &a, &now)) {
		bw_str_addf(&text, "0x%x\t0x%x\n", a.value, now);
		for (unsigned i = 0; i < a.n; i++)
			add_writer(&text, &a.by[i], va);
	}
	pthread_mutex_unlock(&f->u->lock);
	pthread_mutex_lock(&f->lock);
	free(f->text);
	f->text_b = text.failed ? 0 : text.len;
	f->text = bw_str_take(&text);
	pthread_mutex_unlock(&f->lock);
	*pos = 0;
	return (int64_t)size_b;
}

const struct bw_file_ops bw_writers_ops = {bw_text_read, writers_write, NULL};
