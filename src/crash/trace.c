/* SPDX-License-Identifier: MIT */
#include "crash/trace.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "pm4/scan.h"

enum {
	/* Registers with the begin of a shader, as SET_SH_REG numbers them: SPI_SHADER_PGM_LO_PS,
	 * VS, ES_GS, GS, ES, LS_HS, HS and LS of gfx9 to gfx12 (data/regs), COMPUTE_PGM_LO. */
	PGM_LO_COMPUTE = 0x20c,
	/* code of a shader for which no file tells where it ends */
	MOST_CODE_B = 1 << 18,
	CODE_SHIFT = 8,
};
static const uint16_t graphics_pgm_lo[] = {0x008, 0x048, 0x084, 0x088, 0x089, 0x0c8,
					   0x0c9, 0x104, 0x108, 0x109, 0x148};

const struct bw_crash_shader *bw_crash_shader_at(const struct bw_crash_report *r, uint64_t va)
{
	bw_vec_each(&r->shaders, s)
		if (s->code_b && va >= s->va && va - s->va < s->code_b)
			return s;
	return NULL;
}

static uint32_t code_of(uint64_t va)
{
	return (uint32_t)(va >> CODE_SHIFT);
}

static bool has_code(const struct bw_crash_work *w, uint32_t code)
{
	for (unsigned i = 0; i < w->n_codes; i++)
		if (w->code[i] == code)
			return true;
	return false;
}

const struct bw_crash_shader *bw_crash_shader_of(const struct bw_crash *c,
						 const struct bw_crash_work *w)
{
	const struct bw_crash_shader *found = NULL;
	uint64_t pc;
	bw_vec_each(&c->report.waves.list, wave) {
		const struct bw_crash_shader *s =
			bw_crash_wave_pc(wave, &pc) ? bw_crash_shader_at(&c->report, pc) : NULL;
		if (s && has_code(w, code_of(s->va)))
			return s;
	}
	bw_vec_each(&c->report.shaders, s)
		if (!found && s->code_b && has_code(w, code_of(s->va)))
			found = s;
	return found;
}

/* ---- command buffers ---- */

/* The work that a packet waits for. */
enum wait { NO_WAIT = 0, FOR_DISPATCHES = 1, FOR_DRAWS = 2, FOR_ALL = 3 };

static enum wait wait_of(const struct bw_pm4_packet *p)
{
	struct bw_pm4_event_write e;
	struct bw_pm4_acquire_mem a;
	if (p->kind != BW_PM4_TYPE3)
		return NO_WAIT;
	if (bw_pm4_event_write(p, &e)) {
		if (e.type == BW_PM4_EVENT_CS_PARTIAL_FLUSH)
			return FOR_DISPATCHES;
		return e.type == BW_PM4_EVENT_VS_PARTIAL_FLUSH ||
				       e.type == BW_PM4_EVENT_PS_PARTIAL_FLUSH
			       ? FOR_DRAWS
			       : NO_WAIT;
	}
	if (bw_pm4_acquire_mem(p, &a))
		return a.pws ? FOR_ALL : NO_WAIT;
	return p->op == BW_PM4_WAIT_REG_MEM || p->op == BW_PM4_WAIT_REG_MEM64 ? FOR_ALL : NO_WAIT;
}

struct walk {
	struct bw_crash_trace *t;
	struct bw_pm4_scan state;
	unsigned n_dispatches, n_draws;
	size_t ib;
	bool is_reached; /* the last point that was reached is before this place */
	bool is_held;	 /* in the window between the points, by a wait for something launched */
};

static bool is_work(const struct bw_pm4_packet *p, bool *out_is_compute)
{
	char buf[16];
	if (p->kind != BW_PM4_TYPE3 || !bw_pm4_starts_waves(p->op))
		return false;
	const char *name = bw_pm4_name(p->op, buf);
	/* task shaders are dispatched, too: on the engine for compute (ACE) */
	*out_is_compute = bw_starts_with(name, "DISPATCH") && !strstr(name, "DRAW") &&
			  (!strstr(name, "MESH") || strstr(name, "_ACE"));
	return true;
}

/* Removes the work that this packet waits for from the launched work. */
static void drop_waited(struct bw_crash_trace *t, enum wait wait)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->n_works; i++)
		if (!(wait & (t->works[i].is_compute ? FOR_DISPATCHES : FOR_DRAWS)))
			t->works[n++] = t->works[i];
	t->n_works = n;
}

static bool is_awaited(const struct bw_crash_trace *t, enum wait wait)
{
	for (unsigned i = 0; i < t->n_works; i++)
		if (wait & (t->works[i].is_compute ? FOR_DISPATCHES : FOR_DRAWS))
			return true;
	return false;
}

static bool take_dispatch(void *cookie, const struct bw_pm4_find *f)
{
	struct bw_crash_work *w = cookie;
	if (f->what == BW_PM4_FOUND_DISPATCH) {
		memcpy(w->groups, f->dispatch.dim, sizeof(w->groups));
		w->number = 1;
	}
	return false;
}

static void add_code(struct bw_crash_work *w, uint32_t code)
{
	if (code && !has_code(w, code) && w->n_codes < BW_CRASH_WORK_CODES)
		w->code[w->n_codes++] = code;
}

static void add_work(struct walk *k, const struct bw_pm4_packet *p, struct bw_crash_work w)
{
	enum { NUM_THREAD_X = 0x207 };
	struct bw_crash_trace *t = k->t;
	const uint32_t *sh = k->state.sh;
	w.op = p->op;
	w.is_launched = !k->is_reached;
	if (w.is_compute) {
		for (unsigned i = 0; i < 3; i++)
			w.group_size[i] = sh[NUM_THREAD_X + i] & 0xffff;
		w.code[w.n_codes++] = sh[PGM_LO_COMPUTE]; /* 0 is an address, too */
	} else {
		for (size_t i = 0; i < BW_ARRAY_SIZE(graphics_pgm_lo); i++)
			add_code(&w, sh[graphics_pgm_lo[i]]);
	}
	if (t->n_works == BW_CRASH_MAX_WORKS) { /* the later ones are nearer to the place */
		memmove(t->works, t->works + 1, sizeof(t->works[0]) * (BW_CRASH_MAX_WORKS - 1));
		t->n_works--;
		t->n_left_out++;
	}
	t->works[t->n_works++] = w;
}

/* One packet before the end of the window. dw: its words. */
static void take_packet(struct walk *k, const struct bw_pm4_packet *p, const uint32_t *dw,
			size_t at)
{
	struct bw_crash_trace *t = k->t;
	struct bw_crash_work w = {.ib = k->ib, .at_dw = at};
	enum wait wait = wait_of(p);
	bool works = is_work(p, &w.is_compute);
	bw_pm4_find_dispatches(&k->state, dw, p->size_dw, take_dispatch, &w);
	if (w.number)
		w.number = ++k->n_dispatches;
	else if (works && !w.is_compute)
		w.number = ++k->n_draws;
	if (works && !k->is_held)
		add_work(k, p, w);
	if (!k->is_reached) {
		drop_waited(t, wait);
	} else if (!k->is_held && is_awaited(t, wait)) {
		t->wait = *p;
		k->is_held = true;
	}
}

/* Notes the packet that the command processor may be executing if no launched work is known to run:
 * the first one after the point that is neither a register write nor a NOP. */
static void take_stuck(struct walk *k, const struct bw_pm4_packet *p)
{
	struct bw_pm4_set_reg set;
	if (k->is_reached && !k->t->stuck.size_dw && p->kind == BW_PM4_TYPE3 &&
	    p->op != BW_PM4_NOP && !bw_pm4_set_reg_begin(p, &set))
		k->t->stuck = *p;
}

/* False: the window has ended. reached_dw: the point, or SIZE_MAX. */
static bool walk_ib(struct walk *k, const struct bw_crash_ib *ib, size_t reached_dw)
{
	struct bw_crash_trace *t = k->t;
	struct bw_pm4_packet p;
	for (size_t at = 0; bw_pm4_at(ib->words.data, ib->words.len, at, &p); at += p.size_dw) {
		unsigned number = 0;
		bool is_point = bw_crash_is_trace_point(&p, &number);
		if (is_point && k->is_reached) {
			t->next = number;
			t->has_next = true;
			return false;
		}
		if (at == reached_dw) {
			t->reached = number;
			t->n_launched = t->n_works;
			k->is_reached = true;
		} else if (!is_point) {
			take_stuck(k, &p);
			take_packet(k, &p, ib->words.data + at, at);
		}
	}
	return true;
}

/* ---- waves ---- */

static bool is_known(const struct bw_crash *c, uint32_t code)
{
	bw_vec_each(&c->report.shaders, s)
		if (s->code_b && code_of(s->va) == code)
			return true;
	return false;
}

/* Begins of code of the works for which no file tells where it ends. */
struct begins {
	uint32_t code[BW_CRASH_MAX_WORKS * BW_CRASH_WORK_CODES];
	unsigned n;
};

static void find_begins(const struct bw_crash *c, const struct bw_crash_trace *t,
			struct begins *out)
{
	out->n = 0;
	for (unsigned i = 0; i < t->n_works; i++)
		for (unsigned k = 0; k < t->works[i].n_codes; k++)
			if (!is_known(c, t->works[i].code[k]))
				out->code[out->n++] = t->works[i].code[k];
}

/* The code that a wave runs, as a draw or dispatch knows it; false: it is not known. Code whose end
 * no file tells is taken to go on to the next begin. */
static bool code_of_wave(const struct bw_crash *c, const struct begins *begins, uint64_t pc,
			 uint32_t *out)
{
	const struct bw_crash_shader *s = bw_crash_shader_at(&c->report, pc);
	const uint64_t mask = (1ull << (32 + CODE_SHIFT)) - 1;
	uint64_t best_b = MOST_CODE_B;
	if (s) {
		*out = code_of(s->va);
		return true;
	}
	for (unsigned i = 0; i < begins->n; i++) {
		uint64_t begin = (uint64_t)begins->code[i] << CODE_SHIFT;
		if ((pc & mask) < begin || (pc & mask) - begin >= best_b)
			continue;
		best_b = (pc & mask) - begin;
		*out = begins->code[i];
	}
	return best_b < MOST_CODE_B;
}

static void count_waves(const struct bw_crash *c, struct bw_crash_trace *t)
{
	struct begins begins;
	uint64_t pc;
	uint32_t code;
	t->n_waves = c->report.waves.list.len + c->report.waves.n_left_out;
	find_begins(c, t, &begins);
	bw_vec_each(&c->report.waves.list, wave) {
		bool any = false;
		if (!bw_crash_wave_pc(wave, &pc) || !code_of_wave(c, &begins, pc, &code))
			continue;
		for (unsigned i = 0; i < t->n_works; i++)
			if (has_code(&t->works[i], code)) {
				t->works[i].n_waves++;
				any = true;
			}
		t->n_waves_in_work += any;
	}
}

/* Waves are a proof: what has none did not begin, or has ended. Of two that run the same code the
 * first may have ended; that both stay is all that is known. */
static void keep_proven(struct bw_crash_trace *t)
{
	unsigned n = 0;
	if (!t->n_waves_in_work)
		return;
	t->n_launched = 0;
	for (unsigned i = 0; i < t->n_works; i++) {
		if (!t->works[i].n_waves)
			continue;
		t->n_launched += t->works[i].is_launched;
		t->works[n++] = t->works[i];
	}
	t->n_works = n;
}

bool bw_crash_find_trace(const struct bw_crash *c, const struct bw_crash_dump *d,
			 struct bw_crash_trace *out)
{
	struct bw_crash_place place;
	if (!bw_crash_find_place(d, &place) || !place.is_trace)
		return false;
	*out = (struct bw_crash_trace){.ib = place.ib, .point_dw = place.packet_dw};
	struct walk k = {.t = out};
	for (k.ib = 0; k.ib <= place.ib; k.ib++)
		/* umr's have addresses, and are the same once more */
		if (!d->ibs.data[k.ib].va &&
		    !walk_ib(&k, &d->ibs.data[k.ib], k.ib == place.ib ? place.packet_dw : SIZE_MAX))
			break;
	count_waves(c, out);
	keep_proven(out);
	return true;
}

static bool is_before(size_t ib, size_t at_dw, size_t other_ib, size_t other_dw)
{
	return ib < other_ib || (ib == other_ib && at_dw < other_dw);
}

enum bw_crash_work_state bw_crash_work_state(const struct bw_crash_trace *t, size_t ib,
					     size_t at_dw)
{
	const struct bw_crash_work *last = t->n_works ? &t->works[t->n_works - 1] : NULL;
	if (is_before(ib, at_dw, last ? t->works[0].ib : t->ib,
		      last ? t->works[0].at_dw : t->point_dw))
		return BW_CRASH_WORK_DONE;
	return last && !is_before(last->ib, last->at_dw, ib, at_dw) ? BW_CRASH_WORK_RUNNING
								    : BW_CRASH_WORK_WAITING;
}
