/* SPDX-License-Identifier: MIT */
/* The state of strict mode for a device: waves, caches, findings, the trace. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/core/hwreg9.h"
#include "vgpu/device/exec/strict/caches.h"

enum { FINDINGS_MAX = 1024, GL1S = 64 };

/* ---- generations ---- */

/* doc/hardware/encodings.md 8; gfx942's as LLVM 19 has them (AMDGPUBaseInfo). */
#define WAITCNT11_LGKM 4, 6
#define WAITCNT11_VM 10, 6
#define WAITCNT9_VM_LO 0, 4
#define WAITCNT9_LGKM 8, 4
#define WAITCNT9_VM_HI 14, 2

static struct bw_waitcnt waitcnt11(uint32_t simm16)
{
	return (struct bw_waitcnt){(unsigned)bw_words_get(&simm16, WAITCNT11_VM),
				   (unsigned)bw_words_get(&simm16, WAITCNT11_LGKM)};
}

static struct bw_waitcnt waitcnt9(uint32_t simm16)
{
	return (struct bw_waitcnt){(unsigned)(bw_words_get(&simm16, WAITCNT9_VM_LO) |
					      bw_words_get(&simm16, WAITCNT9_VM_HI) << 4),
				   (unsigned)bw_words_get(&simm16, WAITCNT9_LGKM)};
}

static uint32_t ib_sts11(const struct bw_strict_wave *sw)
{
	/* rule 283 */
	return (uint32_t)sw->lgkm << BW_GFX11_IB_STS__LGKM_CNT_LO |
	       (uint32_t)sw->vm << BW_GFX11_IB_STS__VM_CNT_LO |
	       (uint32_t)sw->vs << BW_GFX11_IB_STS__VS_CNT_LO;
}

static uint32_t ib_sts9(const struct bw_strict_wave *sw)
{
	uint32_t vm = sw->vm;
	return (vm & 15) << BW_GFX942_IB_STS__VM_CNT_LO |
	       (uint32_t)sw->lgkm << BW_GFX942_IB_STS__LGKM_CNT_LO |
	       vm >> 4 << BW_GFX942_IB_STS__VM_CNT_HI_LO;
}

static bool has_glc(const struct bw_inst *in)
{
	return in->glc;
}

/* Scope of the agent or of the system. */
static bool has_sc1(const struct bw_inst *in)
{
	return in->dlc;
}

static const struct bw_strict_gen gens[BW_ISA_GEN_COUNT] = {
	[BW_ISA_GFX11] = {.waitcnt = waitcnt11,
			  .vm_max = 63,
			  .lgkm_max = 63,
			  .orders_flat = true,
			  .ib_sts = ib_sts11,
			  .has_gl1 = true,
			  .is_uncached = has_glc,
			  .load_past = "load with glc, or after buffer_gl1_inv and buffer_gl0_inv",
			  .hazard_check = bw_hazard_check,
			  .hazard_after = bw_hazard_after},
	/* Counters and FLAT: LLVM 19 (SIInsertWaitcnts). SC1: its memory model of
	 * gfx942, AMDGPUUsage. */
	[BW_ISA_GFX942] = {.waitcnt = waitcnt9,
			   .vm_max = 63,
			   .lgkm_max = 15,
			   .stores_in_vm = true,
			   .ib_sts = ib_sts9,
			   .fills_flat_scratch = true,
			   .is_uncached = has_sc1,
			   .load_past = "load with sc1, or after buffer_inv sc1",
			   .hazard_check = bw_hazard9_check,
			   .hazard_after = bw_hazard9_after},
};

bool bw_strict_knows(enum bw_isa_gen gen)
{
	return gens[gen].ib_sts != NULL;
}

struct bw_strict {
	const struct bw_strict_gen *gen;
	bool checks, trace;
	pthread_mutex_t lock;
	struct bw_strict_wave *waves;
	struct bw_strict_caches *caches;
	struct bw_gl1 gl1[GL1S];
	_Atomic uint64_t generation[3]; /* of the scalar caches, GL0, GL1 */

	struct bw_strict_finding *finding;
	size_t n_findings;
	bw_strict_listener *listener;
	void *listener_cookie;

	/* of the one thread of a deterministic device; read under lock */
	struct bw_strict_trace sum;
};

struct bw_strict *bw_strict_create(enum bw_isa_gen gen, bool checks, bool trace)
{
	assert(!checks || bw_strict_knows(gen));
	struct bw_strict *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->gen = &gens[gen];
	s->checks = checks;
	s->trace = trace;
	s->sum.hash = 0xcbf29ce484222325;
	s->finding = calloc(FINDINGS_MAX, sizeof(*s->finding));
	bool ok = s->finding != NULL;
	for (unsigned i = 0; i < GL1S; i++)
		ok = bw_gl1_init(&s->gl1[i]) && ok;
	if (ok)
		return s;
	bw_strict_destroy(s);
	return NULL;
}

void bw_strict_destroy(struct bw_strict *s)
{
	if (!s)
		return;
	while (s->waves) {
		struct bw_strict_wave *sw = s->waves;
		s->waves = sw->next;
		while (sw->first) {
			struct bw_pending *p = sw->first;
			sw->first = p->next;
			free(p);
		}
		free(sw->trap);
		free(sw);
	}
	while (s->caches) {
		struct bw_strict_caches *c = s->caches;
		s->caches = c->next;
		bw_caches_fini(c);
		free(c);
	}
	for (unsigned i = 0; i < GL1S; i++)
		bw_gl1_fini(&s->gl1[i]);
	free(s->finding);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

bool bw_strict_checks(const struct bw_strict *s)
{
	return s->checks;
}

const struct bw_strict_gen *bw_strict_gen(const struct bw_strict *s)
{
	return s->gen;
}

bool bw_strict_traces(const struct bw_strict *s)
{
	return s->trace;
}

/* ---- caches ---- */

struct bw_strict_caches *bw_strict_caches_create(struct bw_strict *s)
{
	struct bw_strict_caches *c = calloc(1, sizeof(*c));
	if (!c || !bw_caches_init(c)) {
		if (c)
			bw_caches_fini(c);
		free(c);
		return NULL;
	}
	pthread_mutex_lock(&s->lock);
	c->next = s->caches;
	s->caches = c;
	pthread_mutex_unlock(&s->lock);
	return c;
}

struct bw_gl1 *bw_strict_gl1(struct bw_strict *s, unsigned sa)
{
	return &s->gl1[sa % GL1S];
}

static unsigned generation_index(unsigned cache)
{
	return cache == BW_STRICT_SCALAR ? 0 : cache == BW_STRICT_GL0 ? 1 : 2;
}

uint64_t bw_strict_generation(const struct bw_strict *s, enum bw_strict_cache cache)
{
	return atomic_load_explicit(&s->generation[generation_index(cache)], memory_order_acquire);
}

void bw_strict_invalidate(struct bw_strict *s, unsigned caches)
{
	for (unsigned bit = BW_STRICT_SCALAR; bit <= BW_STRICT_GL1; bit <<= 1)
		if (caches & bit)
			atomic_fetch_add_explicit(&s->generation[generation_index(bit)], 1,
						  memory_order_acq_rel);
}

/* ---- waves ---- */

struct bw_strict_wave *bw_strict_wave_of(struct bw_strict *s, struct bw_wave *w)
{
	if (w->exec_private)
		return w->exec_private;
	struct bw_strict_wave *sw = calloc(1, sizeof(*sw));
	if (!sw)
		return NULL;
	sw->s = s;
	sw->last = &sw->first;
	sw->code_va = w->pc;
	w->exec_private = sw;
	pthread_mutex_lock(&s->lock);
	sw->next = s->waves;
	s->waves = sw;
	pthread_mutex_unlock(&s->lock);
	return sw;
}

static void poison_vgprs(struct bw_strict_wave *sw, struct bw_wave *w, unsigned from)
{
	for (unsigned r = from; r < w->n_vgprs && r < BW_STRICT_VGPRS; r++) {
		uint32_t *v = w->v + (size_t)r * w->lanes;
		for (unsigned l = 0; l < w->lanes; l++)
			v[l] = (uint32_t)BW_POISON_VGPR | r;
		sw->undef[0][r] = sw->undef[1][r] = ~0ull;
	}
}

bool bw_strict_wave_begin(struct bw_strict *s, struct bw_wave *w,
			  const struct bw_strict_launch *launch)
{
	struct bw_strict_wave *sw = bw_strict_wave_of(s, w);
	if (!sw)
		return false;
	while (sw->first) {
		struct bw_pending *p = sw->first;
		sw->first = p->next;
		free(p);
	}
	free(sw->trap);
	*sw = (struct bw_strict_wave){.next = sw->next,
				      .s = s,
				      .last = &sw->first,
				      .caches = s->checks ? launch->caches : NULL,
				      .sa = launch->sa,
				      .cu = launch->cu & 1,
				      .code_va = w->pc,
				      .fresh = s->checks};
	if (!s->checks)
		return true;
	poison_vgprs(sw, w, launch->n_vgprs);
	/* Up to VCC; TTMPs, M0 and EXEC are the launch's own. */
	for (unsigned i = launch->n_sgprs; i < BW_SRC_TTMP0; i++) {
		if (s->gen->fills_flat_scratch && i >= BW_SRC_FLAT_SCRATCH_LO && i < BW_SRC_VCC_LO)
			continue;
		w->s[i] = (uint32_t)BW_POISON_SGPR | i;
		bw_sregs_add(&sw->s_undef, i, 1);
	}
	return true;
}

void bw_strict_poison_lds(void *lds, size_t size_b)
{
	uint32_t poison = BW_POISON_LDS;
	for (size_t i = 0; i + 4 <= size_b; i += 4)
		memcpy((uint8_t *)lds + i, &poison, 4);
}

/* ---- findings ---- */

const char *bw_strict_kind_name(enum bw_strict_kind kind)
{
	static const char *const names[BW_STRICT_KINDS] = {
		[BW_STRICT_WAIT] = "missing s_waitcnt",
		[BW_STRICT_UNINIT] = "uninitialised register",
		[BW_STRICT_CODE] = "stale instruction",
		[BW_STRICT_SPIN] = "spin on a stale line",
		[BW_STRICT_HAZARD] = "hazard",
	};
	return names[kind];
}

static bool same_finding(const struct bw_strict_finding *a, const struct bw_strict_finding *b)
{
	return a->kind == b->kind && a->pc == b->pc && a->vmid == b->vmid &&
	       a->word[0] == b->word[0];
}

void bw_strict_add(struct bw_strict *s, const struct bw_strict_finding *f)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_findings && i < FINDINGS_MAX; i++) {
		if (same_finding(&s->finding[i], f)) {
			s->finding[i].count++;
			pthread_mutex_unlock(&s->lock);
			return;
		}
	}
	bool is_kept = s->n_findings < FINDINGS_MAX;
	if (is_kept) {
		s->finding[s->n_findings] = *f;
		s->finding[s->n_findings++].count = 1;
	}
	bw_strict_listener *listener = is_kept ? s->listener : NULL;
	void *cookie = s->listener_cookie;
	pthread_mutex_unlock(&s->lock);
	if (listener)
		listener(cookie, f);
}

void bw_strict_listen(struct bw_strict *s, bw_strict_listener *fn, void *cookie)
{
	pthread_mutex_lock(&s->lock);
	s->listener = fn;
	s->listener_cookie = cookie;
	pthread_mutex_unlock(&s->lock);
}

size_t bw_strict_findings(struct bw_strict *s, struct bw_strict_finding *out, size_t max)
{
	pthread_mutex_lock(&s->lock);
	size_t n = s->n_findings;
	memcpy(out, s->finding, BW_MIN(n, max) * sizeof(*out));
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* ---- the trace ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

void bw_strict_trace_add(struct bw_strict *s, const uint64_t *words, size_t n, bool is_access)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < n; i++)
		s->sum.hash = mix(s->sum.hash, words[i]);
	s->sum.instructions += !is_access;
	s->sum.accesses += is_access;
	pthread_mutex_unlock(&s->lock);
}

void bw_strict_trace_read(struct bw_strict *s, struct bw_strict_trace *out)
{
	pthread_mutex_lock(&s->lock);
	*out = s->sum;
	pthread_mutex_unlock(&s->lock);
}
