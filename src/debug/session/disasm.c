// SPDX-License-Identifier: MIT
/* Disassembly: text from LLVM, lengths of instructions from our own decoder if LLVM has none. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/frames.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "isa/text.h"

enum { MAX_LINES = 100000 };

static struct bw_error *need_text(struct bw_debug *d)
{
	if (d->text)
		return NULL;
	const char *gpu = bw_arch_default_gfx();
	if (d->target && d->target->facts.gfx[0])
		return bw_isa_text_create(d->target->facts.gfx, &d->text);
	bw_vec_each(&d->code->modules, m) {
		if ((*m)->co) {
			gpu = bw_code_object_gpu((*m)->co);
			break;
		}
	}
	return bw_isa_text_create(gpu, &d->text);
}

/* Reads code from the program's memory, or from a module that is not loaded; addresses are then
 * offsets in its image. */
static struct bw_error *read_code(struct bw_debug *d, uint64_t va, uint32_t words[3],
				  size_t *out_size_b)
{
	struct bw_inst unused;
	if (d->target) {
		*out_size_b = 12;
		return bw_debug_read_inst(d, va, &unused, words);
	}
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const uint8_t *image = bw_module_image(*m, &n);
		if (va + 4 > n)
			continue;
		*out_size_b = BW_MIN((size_t)12, n - va) & ~(size_t)3;
		memcpy(words, image + va, *out_size_b);
		return NULL;
	}
	return bw_error_fault(va, "Cannot access memory at address 0x%llx", (unsigned long long)va);
}

static uint32_t breakpoint_at(struct bw_debug *d, uint64_t va)
{
	bw_vec_each(&d->breaks->all, b)
		bw_vec_each(&(*b)->places, p)
			if (p->va == va && p->space == d->space && (*b)->info.enabled)
				return (*b)->info.number;
	return 0;
}

static uint32_t waves_at(struct bw_debug *d, uint64_t va)
{
	uint32_t n = 0;
	if (d->state != BW_DEBUG_STOPPED)
		return 0;
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		const struct bw_wave_info *w = &bw_stopped_wave(d, i)->info;
		n += w->pc == va && w->space == d->space;
	}
	return n;
}

/* The PC of the selected frame, which "=>" marks; 0: none. */
static uint64_t selected_pc(struct bw_debug *d, const struct bw_wave_record *focus)
{
	struct bw_stack_frame f;
	if (!focus || !bw_debug_frame_level(d))
		return focus ? focus->info.pc : 0;
	struct bw_error *err = bw_debug_selected_frame(d, &f);
	uint64_t pc = err ? focus->info.pc : f.pc;
	bw_error_free(err);
	return pc;
}

static void fill_source(struct bw_debug *d, struct bw_dis_line *l)
{
	struct bw_where w;
	bw_debug_where(d, l->addr, &w);
	l->function = w.function;
	l->offset_b = w.offset_b;
	if (!w.has_line || w.line.line == 0)
		return;
	l->line = w.line;
	uint64_t base;
	const struct bw_module *m = bw_debug_module_at(d, l->addr, &base);
	l->first_line = bw_lines_first_at(m->lines, l->addr - base, w.line.file);
}

struct bw_error *bw_debug_disassemble(struct bw_debug *d, uint64_t start, uint64_t end,
				      size_t count, struct bw_dis_line **out, size_t *out_n)
{
	struct BW_VEC(struct bw_dis_line) lines = {0};
	struct bw_wave_record *focus = bw_debug_focus_priv(d);
	struct bw_error *err = need_text(d);
	uint64_t va = start, pc = selected_pc(d, focus);

	if (!err && start % 4)
		err = bw_errorf(BW_E_INVALID,
				"0x%llx is not an instruction address: not a multiple of 4",
				(unsigned long long)start);
	if (!err)
		bw_isa_text_set_lanes(d->text, focus ? focus->info.lanes : 32);
	while (!err && (count ? lines.len < count : va < end) && lines.len < MAX_LINES) {
		struct bw_dis_line l = {.addr = va};
		struct bw_inst inst;
		size_t n;
		err = read_code(d, va, l.words, &n);
		if (err)
			break;
		l.size_b =
			(uint8_t)bw_isa_text_line(d->text, l.words, n, va, l.text, sizeof(l.text));
		if (l.size_b == 4 && bw_isa_decode(bw_debug_isa(d), l.words, n / 4, &inst) &&
		    inst.size_b > 4)
			/* our decoder knows the instruction, LLVM does not */
			l.size_b = inst.size_b;
		if (l.size_b < 4)
			l.size_b = 4;
		l.is_pc = pc && pc == va;
		l.breakpoint = breakpoint_at(d, va);
		l.waves_here = waves_at(d, va);
		fill_source(d, &l);
		err = bw_vec_push(&lines, l);
		va += l.size_b;
	}
	if (err && (lines.len == 0 || !bw_error_catch(&err, BW_E_FAULT))) {
		bw_vec_free(&lines);
		return err;
	}
	*out = lines.data;
	*out_n = lines.len;
	return NULL;
}
