/* SPDX-License-Identifier: MIT */
/* Findings, one for each instruction and use; and the loads that undefined values come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/init_priv.h"

/* A load from LDS or scratch, or a shuffle, that has given an undefined value. */
struct load {
	uint64_t pc, code_va;
	uint32_t word[3];
	uint8_t n_words, vmid, size_b;
	enum bw_init_memory memory;
	uint32_t at; /* of the first undefined byte; the lane */
	const char *name;
};

struct bw_init {
	pthread_mutex_t lock;
	struct bw_init_group *groups; /* that have not ended */
	struct load *load;
	unsigned n_loads;
};

struct bw_init *bw_init_create(void)
{
	struct bw_init *i = calloc(1, sizeof(*i));
	if (!i)
		return NULL;
	pthread_mutex_init(&i->lock, NULL);
	i->load = calloc(BW_ORIGIN_LOADS, sizeof(*i->load));
	if (i->load)
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

bw_init_origin bw_init_origin_of_load(struct bw_init_step *t, enum bw_init_memory memory,
				      uint32_t at)
{
	struct bw_init_op *op = t->op;
	struct bw_init *i = t->g->check->init;
	struct load l = {.pc = t->pc,
			 .code_va = t->iw->code_va,
			 .n_words = op->n_words,
			 .vmid = t->w->vmid,
			 .memory = memory,
			 .at = at,
			 .size_b = (uint8_t)BW_MAX(op->info->mem.bits / 8u, 1u),
			 .name = bw_isa_op_name(t->g->check->gen, op->inst.op)};
	if (op->origin && op->origin_code_va == l.code_va)
		return op->origin;
	memcpy(l.word, op->word, sizeof(l.word));
	pthread_mutex_lock(&i->lock);
	op->origin = find_load(i, &l);
	pthread_mutex_unlock(&i->lock);
	op->origin_code_va = l.code_va;
	return op->origin;
}

/* What is known of it; the load's place is the finding's second one. Under the lock. */
static void fill_origin(const struct bw_init_step *t, bw_init_origin origin,
			struct bw_check_finding *f)
{
	const struct bw_init *i = t->g->check->init;
	struct bw_init_facts *facts = &f->init;
	f->second = (struct bw_check_side){.name = "?"};
	facts->memory = BW_INIT_REGISTER;
	facts->size_b = 4;
	if (origin >= BW_ORIGIN_LOAD0 && origin - BW_ORIGIN_LOAD0 < (int)i->n_loads) {
		const struct load *l = &i->load[origin - BW_ORIGIN_LOAD0];
		facts->memory = l->memory;
		facts->va = l->at;
		facts->size_b = l->size_b;
		f->second = (struct bw_check_side){
			.access = l->memory == BW_INIT_IN_LANE ? BW_CHECK_SHUFFLE : BW_CHECK_LOAD,
			.pc = l->pc,
			.code_va = l->code_va,
			.n_words = l->n_words,
			.name = l->name};
		memcpy(f->second.word, l->word, sizeof(f->second.word));
	} else if (origin >= BW_ORIGIN_VGPR0 && origin < BW_ORIGIN_SGPR0) {
		bw_vreg_name(t->w, origin - BW_ORIGIN_VGPR0, facts->reg);
	} else if (origin >= BW_ORIGIN_SGPR0 && origin < BW_ORIGIN_SCC) {
		bw_sreg_name(origin - BW_ORIGIN_SGPR0, facts->reg);
	} else {
		snprintf(facts->reg, sizeof(facts->reg), "%s",
			 origin == BW_ORIGIN_SCC ? "scc" : "?");
	}
}

/* ---- findings ---- */

void bw_init_report(struct bw_init_step *t, enum bw_init_use use, unsigned lane,
		    bw_init_origin origin)
{
	struct bw_init *i = t->g->check->init;
	struct bw_check_finding f = {
		.kind = BW_FOUND_INIT,
		.count = 1,
		.vmid = t->w->vmid,
		.lanes = t->w->lanes,
		.first = {.access = bw_check_access_of(t->op->info),
			  .pc = t->pc,
			  .code_va = t->iw->code_va,
			  .n_words = t->op->n_words,
			  .name = bw_isa_op_name(t->g->check->gen, t->op->inst.op),
			  .wave = t->w->index_in_group,
			  .lane = (uint8_t)lane},
		.init = {.use = use},
	};
	memcpy(f.first.word, t->op->word, sizeof(f.first.word));
	memcpy(f.first.group, t->w->wg->id, sizeof(f.first.group));
	if (bw_check_is_known(t->g->check, &f))
		return;
	pthread_mutex_lock(&i->lock);
	fill_origin(t, origin, &f);
	pthread_mutex_unlock(&i->lock);
	bw_check_found(t->g->check, t->w, &f);
}
