/* SPDX-License-Identifier: MIT */
#include "agent/shaders/code_swap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/memory/memory.h"
#include "agent/memory/place.h"
#include "agent/shaders/shader_rules.h"
#include "base/util.h"
#include "pm4/pm4.h"
#include "swap/code.h"

enum {
	SAVED_MAX_B = 256 << 10, /* of a shader's code with the constants after it */
	SEEN_MAX = 1 << 16,
	/* the instruction prefetch runs ahead of the code */
	BEHIND_CODE_B = 256,
};

/* The rules' code in the address space of a file. */
struct bw_agent_code {
	uint64_t top; /* bw_place */
	struct BW_VEC(struct code {
		int rule;
		unsigned lanes;
		struct bw_placed mem;
	}) placed;
};

/* A report of a pipeline that was made, or a file that was saved. */
struct seen {
	uint32_t what, pipeline, file;
	int rule;
	uint64_t code_va;
};

static struct {
	pthread_mutex_t lock; /* all of it, and the files' code */
	struct BW_VEC(struct seen) seen;
	uint32_t n_saved;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool bw_code_swap_is_on(void)
{
	const struct bw_swap_rules *r = bw_agent_shader_rules();
	if (!r || r->saves)
		return r;
	for (size_t i = 0; i < r->rules.len; i++)
		if (r->rules.data[i].kind == BW_SWAP_CODE)
			return true;
	return false;
}

void bw_code_swap_forget(struct bw_agent_file *f)
{
	struct bw_agent_code *c = f->code;
	if (!c)
		return;
	/* the kernel frees the buffers with the file */
	bw_vec_each(&c->placed, p)
		if (p->mem.cpu)
			munmap(p->mem.cpu, p->mem.size_b);
	bw_vec_free(&c->placed);
	free(c);
	f->code = NULL;
}

void bw_code_swap_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
}

/* Whether it is the first time. Lock held. */
static bool is_new(const struct seen *s)
{
	bw_vec_each(&g.seen, one)
		if (one->what == s->what && one->pipeline == s->pipeline && one->rule == s->rule &&
		    one->code_va == s->code_va && one->file == s->file)
			return false;
	if (g.seen.len >= SEEN_MAX)
		return false;
	struct bw_error *err = bw_vec_push(&g.seen, *s);
	bw_error_free(err);
	return !err;
}

struct job {
	struct bw_agent_file *f;
	struct bw_agent_dispatch *d;
	const struct bw_code_place *place;
	struct bw_agent_object o; /* of its pipeline; with the code's address */
	unsigned lanes;
};

static void say(const struct job *j, enum bw_swap_event event, int rule, const char *text)
{
	const struct seen s = {event, j->o.id, j->f->number, rule, j->d->code_va};
	if (is_new(&s))
		bw_agent_shader_say(event, rule, &j->o, text);
}

/* ---- Saving ---- */

static void save(const struct job *j)
{
	const struct seen s = {BW_SWAP_SAVED, j->o.id, j->f->number, -1, j->d->code_va};
	uint64_t bad_va = 0, at = j->d->code_va & BW_VA_MASK;
	char name[64];
	if (!j->o.id || !is_new(&s))
		return;
	uint8_t *code = malloc(SAVED_MAX_B);
	if (!code)
		return;
	size_t n = SAVED_MAX_B;
	if (bw_memory_read(j->f, at, code, n, &bad_va))
		n = bad_va > at ? BW_MIN((size_t)(bad_va - at), n) : 0;
	struct bw_swap_said e = {.event = BW_SWAP_SAVED,
				 .rule = UINT32_MAX,
				 .hash = j->o.hash,
				 .code_va = j->d->code_va,
				 .pid = (uint32_t)getpid(),
				 .number = ++g.n_saved,
				 .lanes = j->lanes,
				 .rsrc1 = j->d->rsrc1,
				 .rsrc2 = j->d->rsrc2};
	memcpy(e.name, j->o.name, sizeof(e.name));
	memcpy(e.module, j->o.module, sizeof(e.module));
	memcpy(e.entry, j->o.entry, sizeof(e.entry));
	memcpy(e.file, j->o.file, sizeof(e.file));
	snprintf(name, sizeof(name), BW_SWAP_CODE_FILE ".%u.%u", e.pid, e.number);
	if (n && bw_agent_shader_save(name, code, n))
		bw_agent_shader_append(&e);
	free(code);
}

/* ---- Replacing ---- */

/* The caller holds the lock. Places the rule's code for these waves; NULL: there is no memory for
 * it. */
static const struct bw_placed *place_code(const struct job *j, int rule)
{
	const struct bw_swap_rules *r = bw_agent_shader_rules();
	struct bw_agent_code *c = j->f->code;
	if (!c) {
		c = j->f->code = calloc(1, sizeof(*c));
		if (!c)
			return NULL;
		c->top = bw_place_top(j->f);
	}
	bw_vec_each(&c->placed, p)
		if (p->rule == rule && p->lanes == j->lanes)
			return &p->mem;
	struct bw_swap_bytes code = bw_swap_code_for(&r->rules.data[rule], j->lanes);
	struct code new = {.rule = rule, .lanes = j->lanes};
	int e = bw_place(j->f, code.size_b + BEHIND_CODE_B, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID,
			 BW_PLACE_CODE, &c->top, &new.mem);
	struct bw_error *err = e ? NULL : bw_vec_push(&c->placed, new);
	if (e || err) {
		bw_unplace(j->f, &new.mem);
		bw_error_free(err);
		return NULL;
	}
	memset(new.mem.cpu, 0, new.mem.size_b);
	memcpy(new.mem.cpu, bw_swap_rules_at(r, code), code.size_b);
	return &c->placed.data[c->placed.len - 1].mem;
}

/* A word of the program's stream; false: the streams of this submission do not have it, or it
 * cannot be written. */
static bool write_register(const struct job *j, uint64_t va, uint32_t old, uint32_t new)
{
	uint64_t bad_va;
	return old == new || (va && !bw_memory_write(j->f, va & BW_VA_MASK, &new, 4, &bad_va));
}

/* NULL: the dispatch executes the rule's code now; else why not. */
static const char *replace(const struct job *j, int rule)
{
	const struct bw_swap_rule *r = &bw_agent_shader_rules()->rules.data[rule];
	const struct bw_swap_regs now = {j->lanes, j->d->rsrc1, j->d->rsrc2};
	struct bw_swap_regs new;
	uint32_t jump[BW_SWAP_JUMP_DW], there[BW_SWAP_JUMP_DW] = {0};
	uint64_t at = j->d->code_va & BW_VA_MASK, bad_va;
	const char *why = bw_swap_fit(r, &now, &new);
	if (why)
		return why;
	const struct bw_placed *mem = place_code(j, rule);
	if (!mem)
		return "there is no GPU memory for it";
	if (!write_register(j, j->place->rsrc1_va, now.rsrc1, new.rsrc1))
		return "it needs more VGPRs, and the submission does not set COMPUTE_PGM_RSRC1";
	if (!write_register(j, j->place->rsrc2_va, now.rsrc2, new.rsrc2))
		return "it needs more LDS, and the submission does not set COMPUTE_PGM_RSRC2";
	j->d->rsrc1 = new.rsrc1;
	j->d->rsrc2 = new.rsrc2;
	bw_swap_jump(mem->va, jump);
	if (bw_memory_read(j->f, at, there, sizeof(there), &bad_va))
		return "the CPU cannot read its code";
	if (memcmp(there, jump, sizeof(jump)) != 0 &&
	    bw_memory_write(j->f, at, jump, sizeof(jump), &bad_va))
		return "the CPU cannot write its code";
	return NULL;
}

/* The rule whose code the dispatch executes already, since its pipeline has the same code as one
 * that was replaced; -1: none. */
static int shared_rule(const struct job *j)
{
	uint32_t jump[BW_SWAP_JUMP_DW], there[BW_SWAP_JUMP_DW];
	uint64_t bad_va;
	if (!j->f->code ||
	    bw_memory_read(j->f, j->d->code_va & BW_VA_MASK, there, sizeof(there), &bad_va))
		return -1;
	bw_vec_each(&j->f->code->placed, p) {
		bw_swap_jump(p->mem.va, jump);
		if (!memcmp(there, jump, sizeof(jump)))
			return p->rule;
	}
	return -1;
}

static struct job job_of(struct bw_agent_file *f, struct bw_agent_dispatch *d,
			 const struct bw_code_place *place, const struct bw_agent_objects *objects)
{
	struct job j = {.f = f, .d = d, .place = place, .o.kind = BW_AGENT_OBJECT_PIPELINE};
	bw_vec_each(objects, o)
		if (d->pipeline && o->id == d->pipeline && o->kind == BW_AGENT_OBJECT_PIPELINE)
			j.o = *o;
	j.o.va = d->code_va;
	j.lanes = d->initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64;
	return j;
}

static void look_at(const struct job *j)
{
	if (j->o.id)
		say(j, BW_SWAP_CREATED, -1, NULL);
	if (bw_agent_shader_rules()->saves)
		save(j);
	int rule = bw_agent_shader_rule(BW_SWAP_CODE, &j->o);
	if (rule < 0)
		return;
	const char *why = replace(j, rule);
	say(j, why ? BW_SWAP_REFUSED : BW_SWAP_REPLACED, rule, why);
}

/* A dispatch for which no rule is, but which has the code of one that was replaced. */
static void look_at_shared(const struct job *j)
{
	int rule = bw_agent_shader_rule(BW_SWAP_CODE, &j->o) < 0 ? shared_rule(j) : -1;
	if (rule < 0)
		return;
	const char *why = replace(j, rule);
	say(j, why ? BW_SWAP_REFUSED : BW_SWAP_REPLACED, rule,
	    why ? why : "which has the same code");
}

void bw_code_swap(struct bw_agent_file *f, struct bw_agent_dispatches *dispatches,
		  const struct bw_code_places *places)
{
	struct bw_agent_objects objects = {0};
	/* a forked child shares memory with its parent */
	if (!dispatches->len || f->owner != getpid())
		return;
	struct bw_error *err = bw_names_objects(&objects);
	pthread_mutex_lock(&g.lock);
	for (int pass = 0; !err && pass < 2; pass++) {
		for (size_t i = 0; i < dispatches->len && i < places->len; i++) {
			const struct job j =
				job_of(f, &dispatches->data[i], &places->data[i], &objects);
			if (pass)
				look_at_shared(&j);
			else
				look_at(&j);
		}
	}
	pthread_mutex_unlock(&g.lock);
	bw_vec_free(&objects);
	bw_error_free(err);
}
