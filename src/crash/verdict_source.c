/* SPDX-License-Identifier: MIT */
/* Finds the place in the source where a shader hangs, as far as a hang report of RADV shows it: the
 * report has the code, and SPIR-V with lines, but no table from one to the other. Waves hang in
 * loops and at barriers, which both have. */
#include "crash/verdict_priv.h"

#include <inttypes.h>
#include <string.h>

#include "arch/gfx11_extra.h"
#include "base/shown.h"
#include "base/util.h"
#include "sym/spirv_places.h"

/* A loop of the code: from where a branch goes back to up to its end. */
struct code_loop {
	uint64_t start, end;
};

struct standing {
	unsigned n_waves, n_in_loop;
	struct code_loop loop; /* the smallest with all waves; end 0: there is none */
};

static bool word_at(const struct bw_crash_report *r, uint64_t va, uint32_t *out)
{
	bw_vec_each(&r->pieces, p)
		if (va >= p->va && va - p->va < p->words.len * 4 && (va - p->va) % 4 == 0) {
			*out = p->words.data[(va - p->va) / 4];
			return true;
		}
	return false;
}

/* s_branch and s_cbranch_*: SIMM16 is how many words the target is away from the next instruction,
 * in all generations (doc/hardware/traps.md 2.1 has where the PC is). */
static bool is_back_branch(const struct bw_crash_report *r, const struct bw_crash_instruction *i,
			   struct code_loop *out)
{
	uint32_t word;
	if ((!bw_starts_with(i->text, "s_branch") && !bw_starts_with(i->text, "s_cbranch_")) ||
	    !word_at(r, i->va, &word))
		return false;
	const int64_t words = (int16_t)(word & 0xffff);
	*out = (struct code_loop){.start = i->va + 4 + (uint64_t)(words * 4), .end = i->va + 4};
	return out->start < out->end;
}

static bool is_in(const struct code_loop *loop, uint64_t pc)
{
	return pc >= loop->start && pc < loop->end;
}

static bool is_of(const struct bw_crash_shader *s, uint64_t pc)
{
	return s->code_b && pc >= s->va && pc - s->va < s->code_b;
}

/* The waves of a shader that are in a loop; of none: in any. */
static unsigned count(const struct bw_crash_report *r, const struct bw_crash_shader *s,
		      const struct code_loop *loops, size_t n_loops)
{
	unsigned n = 0;
	bw_vec_each(&r->waves.list, wave) {
		uint64_t pc;
		bool is_there = !n_loops;
		if (!bw_crash_wave_pc(wave, &pc) || !is_of(s, pc))
			continue;
		for (size_t i = 0; i < n_loops && !is_there; i++)
			is_there = is_in(&loops[i], pc);
		n += is_there;
	}
	return n;
}

static void find_standing(const struct bw_crash_report *r, const struct bw_crash_shader *s,
			  struct standing *out)
{
	enum { LOOPS_MAX = 64 };
	struct code_loop loops[LOOPS_MAX];
	size_t n = 0;
	*out = (struct standing){.n_waves = count(r, s, NULL, 0)};
	bw_vec_each(&r->instructions, i)
		if (n < LOOPS_MAX && is_of(s, i->va) && is_back_branch(r, i, &loops[n]))
			n++;
	if (!n || !out->n_waves)
		return;
	out->n_in_loop = count(r, s, loops, n);
	for (size_t i = 0; i < n; i++)
		if (count(r, s, &loops[i], 1) == out->n_waves &&
		    (!out->loop.end ||
		     loops[i].end - loops[i].start < out->loop.end - out->loop.start))
			out->loop = loops[i];
}

/* The PC may be that of the next instruction then. gfx12 has no such bit. */
static bool is_in_barrier(const struct bw_crash_wave *wave)
{
	uint32_t status, v;
	return !bw_crash_wave_register(wave, "EXCP_FLAG_PRIV", &v) &&
	       bw_crash_wave_register(wave, "STATUS", &status) &&
	       status & BW_GFX11_STATUS__IN_BARRIER;
}

static unsigned n_at_barriers(const struct bw_crash_report *r, const struct bw_crash_shader *s)
{
	unsigned n = 0;
	bw_vec_each(&r->waves.list, wave) {
		uint64_t pc;
		if (!bw_crash_wave_pc(wave, &pc) || !is_of(s, pc))
			continue;
		const char *text = bw_crash_instruction_at(r, pc);
		n += (text && bw_starts_with(text, "s_barrier")) || is_in_barrier(wave);
	}
	return n;
}

static void add_place(const struct bw_spirv_place *p, struct bw_str *out)
{
	bw_str_addf(out, "%s:%u", bw_shown(p->file).text, p->first_line);
	if (p->last_line > p->first_line)
		bw_str_addf(out, "-%u", p->last_line);
}

/* "the source has one loop, at sim.comp:22-31" */
static void add_places(const struct bw_spirv_places *p, enum bw_spirv_place_kind kind,
		       struct bw_str *out)
{
	enum { MOST_SAID = 6 };
	const char *name = kind == BW_SPIRV_LOOP ? "loop" : "barrier";
	unsigned n = 0, i = 0, last;
	bw_vec_each(&p->list, x)
		n += x->kind == kind && x->file;
	last = n < MOST_SAID ? n : MOST_SAID;
	if (n == 1)
		bw_str_addf(out, "its source has one %s, at ", name);
	else
		bw_str_addf(out, "its source has %u %ss%s", n, name, n ? ", at " : "");
	bw_vec_each(&p->list, x) {
		if (x->kind != kind || !x->file || i == last)
			continue;
		bw_str_add_mark(out, i, n, " and ");
		add_place(x, out);
		i++;
	}
	if (n > last)
		bw_str_addf(out, " and %u more places", n - last);
}

/* Tells where waves stand in the code, and the possible places in the source. */
static void add_standing(const struct bw_crash_report *r, const struct bw_crash_shader *s,
			 const struct bw_spirv_places *p, struct bw_str *out)
{
	const unsigned n_barrier = n_at_barriers(r, s);
	struct standing at;
	find_standing(r, s, &at);
	if (n_barrier) {
		bw_str_addf(out, "%u of its waves wait%s at a barrier", n_barrier,
			    n_barrier == 1 ? "s" : "");
		if (p->has_lines) {
			bw_str_add(out, "; ");
			add_places(p, BW_SPIRV_BARRIER, out);
		}
		bw_str_add(out, ".\n");
	}
	if (!at.n_in_loop)
		return;
	if (at.loop.end)
		bw_str_addf(out, "%s in one loop of its code, 0x%" PRIx64 " to 0x%" PRIx64,
			    at.n_waves == 1 ? "Its wave is" : "All its waves are", at.loop.start,
			    at.loop.end);
	else
		bw_str_addf(out, "%u of its %u waves %s in loops of its code", at.n_in_loop,
			    at.n_waves, at.n_in_loop == 1 ? "is" : "are");
	if (p->has_lines) {
		bw_str_add(out, "; ");
		add_places(p, BW_SPIRV_LOOP, out);
	}
	bw_str_add(out, ".\n");
}

/* Tells why there is no line, and what helps. */
static void add_reason(const struct bw_crash_shader *s, const struct bw_spirv_places *p,
		       struct bw_str *out)
{
	if (p->has_lines)
		bw_str_add(out,
			   "The line itself is not known: a hang report of RADV has no table from "
			   "code to lines. \"breakwater run -O0 -- PROGRAM\" shows it where the "
			   "program hangs there, too.\n");
	else
		bw_str_addf(out,
			    "The line is not known: %s has no lines. Compilers write them with -g "
			    "(glslangValidator, glslc) or -fspv-debug=vulkan-with-source (dxc).\n",
			    s->spirv);
}

void bw_crash_tell_source(const struct bw_crash_report *r, const struct bw_crash_shader *s,
			  struct bw_str *out)
{
	const struct bw_crash_module *m = bw_crash_module_of(r, s);
	struct bw_spirv_places places = {0};
	struct bw_spirv *spirv = NULL;
	if (!strstr(s->stage, "Compute") || !count(r, s, NULL, 0))
		return;
	if (m) {
		struct bw_error *err = bw_spirv_check(m->words.data, m->words.len);
		if (!err)
			err = bw_spirv_open(m->words.data, m->words.len, NULL, NULL, 0, &spirv);
		if (!err)
			err = bw_spirv_find_places(spirv, &places);
		if (err) {
			bw_str_addf(out, "The line is not known: %s: %s.\n", s->spirv,
				    bw_shown(err->message).text);
			bw_error_free(err);
			m = NULL;
		}
	}
	add_standing(r, s, &places, out);
	if (m)
		add_reason(s, &places, out);
	bw_spirv_places_free(&places);
	bw_spirv_close(spirv);
}
