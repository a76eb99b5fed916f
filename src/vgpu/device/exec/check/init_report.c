/* SPDX-License-Identifier: MIT */
/* Findings, one for each instruction and use; and the loads that undefined values come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/init_priv.h"

/* A load from LDS or scratch that has given an undefined value. */
struct load {
	uint64_t pc, code_va;
	uint32_t word[3];
	uint8_t n_words, vmid, size_b;
	bool is_lds;
	uint32_t offset_b; /* of the first undefined byte */
	const char *name;
};

struct bw_init {
	pthread_mutex_t lock;
	struct bw_init_group *groups; /* that have not ended */
	struct load *load;
	unsigned n_loads;
	struct bw_init_finding *finding;
	size_t n_findings;
	bw_init_listener *listener;
	void *listener_cookie;
};

struct bw_init *bw_init_create(void)
{
	struct bw_init *i = calloc(1, sizeof(*i));
	if (!i)
		return NULL;
	pthread_mutex_init(&i->lock, NULL);
	i->load = calloc(BW_ORIGIN_LOADS, sizeof(*i->load));
	i->finding = calloc(BW_CHECK_FINDINGS, sizeof(*i->finding));
	if (i->load && i->finding)
		return i;
	bw_init_destroy(i);
	return NULL;
}

void bw_init_destroy(struct bw_init *i)
{
	if (!i)
		return;
	while (i->groups) {
		struct bw_init_group *g = i->groups;
		i->groups = g->next;
		bw_init_free_group(g);
	}
	pthread_mutex_destroy(&i->lock);
	free(i->load);
	free(i->finding);
	free(i);
}

void bw_init_add_group(struct bw_init_group *g)
{
	struct bw_init *i = g->check->init;
	pthread_mutex_lock(&i->lock);
	g->next = i->groups;
	g->prev = &i->groups;
	if (g->next)
		g->next->prev = &g->next;
	i->groups = g;
	pthread_mutex_unlock(&i->lock);
}

void bw_init_remove_group(struct bw_init_group *g)
{
	struct bw_init *i = g->check->init;
	pthread_mutex_lock(&i->lock);
	*g->prev = g->next;
	if (g->next)
		g->next->prev = g->prev;
	pthread_mutex_unlock(&i->lock);
}

/* ---- origins ---- */

static bw_init_origin find_load(struct bw_init *i, const struct load *l)
{
	unsigned n = 0;
	while (n < i->n_loads &&
	       !(i->load[n].pc == l->pc && i->load[n].vmid == l->vmid &&
		 i->load[n].code_va == l->code_va && i->load[n].word[0] == l->word[0]))
		n++;
	if (n == BW_ORIGIN_LOADS)
		return BW_ORIGIN_UNKNOWN;
	if (n == i->n_loads)
		i->load[i->n_loads++] = *l;
	return (bw_init_origin)(BW_ORIGIN_LOAD0 + n);
}

bw_init_origin bw_init_origin_of_load(struct bw_init_step *t, bool is_lds, uint32_t offset_b)
{
	struct bw_init_op *op = t->op;
	struct bw_init *i = t->g->check->init;
	struct load l = {.pc = t->pc,
			 .code_va = t->iw->code_va,
			 .n_words = op->n_words,
			 .vmid = t->w->vmid,
			 .is_lds = is_lds,
			 .offset_b = offset_b,
			 .size_b = (uint8_t)BW_MAX(op->info->mem.bits / 8u, 1u),
			 .name = op->info->name};
	if (op->origin && op->origin_code_va == l.code_va)
		return op->origin;
	memcpy(l.word, op->word, sizeof(l.word));
	pthread_mutex_lock(&i->lock);
	op->origin = find_load(i, &l);
	pthread_mutex_unlock(&i->lock);
	op->origin_code_va = l.code_va;
	return op->origin;
}

static void fill_origin(const struct bw_init *i, bw_init_origin origin, struct bw_init_finding *f)
{
	f->from = (struct bw_check_side){.name = "?"};
	f->memory = BW_INIT_REGISTER;
	f->size_b = 4;
	if (origin >= BW_ORIGIN_LOAD0 && origin - BW_ORIGIN_LOAD0 < (int)i->n_loads) {
		const struct load *l = &i->load[origin - BW_ORIGIN_LOAD0];
		f->memory = l->is_lds ? BW_INIT_IN_LDS : BW_INIT_IN_SCRATCH;
		f->va = l->offset_b;
		f->size_b = l->size_b;
		f->from = (struct bw_check_side){.access = BW_CHECK_LOAD,
						 .pc = l->pc,
						 .code_va = l->code_va,
						 .n_words = l->n_words,
						 .name = l->name};
		memcpy(f->from.word, l->word, sizeof(f->from.word));
	} else if (origin >= BW_ORIGIN_VGPR0 && origin < BW_ORIGIN_SGPR0) {
		snprintf(f->reg, sizeof(f->reg), "v%u", origin - BW_ORIGIN_VGPR0);
	} else if (origin >= BW_ORIGIN_SGPR0 && origin < BW_ORIGIN_SCC) {
		bw_sreg_name(origin - BW_ORIGIN_SGPR0, f->reg);
	} else {
		snprintf(f->reg, sizeof(f->reg), "%s", origin == BW_ORIGIN_SCC ? "scc" : "?");
	}
}

/* ---- findings ---- */

static struct bw_init_finding *find_known(struct bw_init *i, const struct bw_init_step *t,
					  enum bw_init_use use)
{
	for (size_t n = 0; n < i->n_findings; n++) {
		struct bw_init_finding *f = &i->finding[n];
		if (f->use == use && f->at.pc == t->pc && f->vmid == t->w->vmid &&
		    f->at.word[0] == t->op->word[0])
			return f;
	}
	return NULL;
}

static void add_finding(struct bw_init *i, const struct bw_init_step *t, enum bw_init_use use,
			unsigned lane, bw_init_origin origin)
{
	struct bw_init_finding *f = &i->finding[i->n_findings++];
	*f = (struct bw_init_finding){
		.use = use,
		.count = 1,
		.vmid = t->w->vmid,
		.lanes = t->w->lanes,
		.at = {.access = bw_check_access_of(t->op->info),
		       .pc = t->pc,
		       .code_va = t->iw->code_va,
		       .n_words = t->op->n_words,
		       .name = t->op->info->name,
		       .wave = t->w->index_in_group,
		       .lane = (uint8_t)lane},
	};
	memcpy(f->at.word, t->op->word, sizeof(f->at.word));
	memcpy(f->at.group, t->w->wg->id, sizeof(f->at.group));
	fill_origin(i, origin, f);
	if (i->listener)
		i->listener(i->listener_cookie, i->n_findings, f);
}

void bw_init_report(struct bw_init_step *t, enum bw_init_use use, unsigned lane,
		    bw_init_origin origin)
{
	struct bw_init *i = t->g->check->init;
	pthread_mutex_lock(&i->lock);
	struct bw_init_finding *known = find_known(i, t, use);
	if (known)
		known->count++;
	else if (i->n_findings < BW_CHECK_FINDINGS)
		add_finding(i, t, use, lane, origin);
	pthread_mutex_unlock(&i->lock);
}

const char *bw_init_use_name(enum bw_init_use use)
{
	static const char *const names[] = {[BW_INIT_BRANCH] = "branch",
					    [BW_INIT_ADDRESS] = "address",
					    [BW_INIT_STORE] = "store"};
	return names[use];
}

const char *bw_init_memory_name(enum bw_init_memory memory)
{
	static const char *const names[] = {[BW_INIT_REGISTER] = "register",
					    [BW_INIT_IN_LDS] = "LDS",
					    [BW_INIT_IN_SCRATCH] = "scratch"};
	return names[memory];
}

void bw_init_listen(struct bw_check *c, bw_init_listener *fn, void *cookie)
{
	if (!c->init)
		return;
	pthread_mutex_lock(&c->init->lock);
	c->init->listener = fn;
	c->init->listener_cookie = cookie;
	pthread_mutex_unlock(&c->init->lock);
}

size_t bw_init_findings(struct bw_check *c, struct bw_init_finding *out, size_t max)
{
	if (!c->init)
		return 0;
	pthread_mutex_lock(&c->init->lock);
	size_t n = c->init->n_findings;
	memcpy(out, c->init->finding, BW_MIN(n, max) * sizeof(*out));
	pthread_mutex_unlock(&c->init->lock);
	return n;
}
