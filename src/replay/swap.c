/* SPDX-License-Identifier: MIT */
#include "replay/swap.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/shown.h"
#include "base/str.h"
#include "base/util.h"
#include "pm4/scan.h"
#include "regs/field.h"
#include "swap/captured.h"
#include "swap/code.h"
#include "swap/variant.h"

enum { BEHIND_CODE_B = 256 };

#define SH_INDEX(name) (BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW)

struct changed {
	uint64_t va;
	uint32_t old, now;
};

/* A register, by its place in the state of a scan, and what it is to be. */
struct wanted {
	unsigned index;
	uint32_t value;
};
struct all_wanted {
	struct wanted at[6 + BW_SWAP_USER_DATA];
	size_t n;
};

struct job {
	struct bw_replay_swap *swap;
	struct bw_replay_gpu *g;
	const struct bw_capture_space *s;
	const struct bw_capture_submission *sub;
	struct bw_replay_patches *done;
	struct bw_pm4_ib_scan scan;
	bool is_second; /* pass: over dispatches that have code which the first one has replaced */
	struct BW_VEC(struct placed {
		int rule;
		unsigned lanes;
		uint32_t made_of; /* of a variant; 0: the rule has machine code */
		uint64_t va;
	}) placed;
	/* words of streams that were changed */
	struct BW_VEC(struct changed) changed;
	struct bw_error *err;
};

struct bw_error *bw_replay_swap_open(const char *folder, struct bw_replay_swap *out)
{
	*out = (struct bw_replay_swap){.folder = folder};
	return bw_swap_rules_load(folder, &out->rules);
}

void bw_replay_swap_fini(struct bw_replay_swap *s)
{
	bw_swap_rules_fini(&s->rules);
	bw_vec_free(&s->said);
}

/* A capture of version 1 says nothing of a shader but its pipeline's name. */
struct bw_error *bw_replay_swap_check(const struct bw_replay_swap *s, uint32_t version)
{
	if (version >= BW_CAPTURE_VERSION_SHADERS)
		return NULL;
	bw_vec_each(&s->rules.rules, r)
		if (r->by == BW_SWAP_BY_HASH && r->kind == BW_SWAP_CODE)
			return bw_errorf(BW_E_INVALID,
					 "--shader %s: the capture is of version %u, which has no "
					 "hashes of SPIR-V: use the name or the code's address "
					 "that \"capture show\" has",
					 r->which, version);
	return NULL;
}

/* ---- What is said ---- */

static struct bw_error *append(const struct bw_replay_swap *s, const struct bw_swap_said *e)
{
	_cleanup_free_ char *path = NULL;
	if (asprintf(&path, "%s/" BW_SWAP_SAID_FILE, s->folder) < 0)
		return bw_error_nomem();
	return bw_file_write(path, "abe", e, sizeof(*e));
}

static struct bw_error *say(struct bw_replay_swap *s, enum bw_swap_event event, int rule,
			    const struct bw_capture_dispatch *d, const char *text)
{
	struct bw_swap_said e = {.event = event,
				 .rule = rule < 0 ? UINT32_MAX : (uint32_t)rule,
				 .hash = d->hash,
				 .code_va = d->code_va,
				 .pid = (uint32_t)getpid()};
	memcpy(e.name, d->pipeline, sizeof(e.name));
	memcpy(e.module, d->module, sizeof(e.module));
	memcpy(e.entry, d->entry, sizeof(e.entry));
	memcpy(e.file, d->file, sizeof(e.file));
	snprintf(e.text, sizeof(e.text), "%s", text ? text : "");
	bw_vec_each(&s->said, one)
		if (!memcmp(one, &e, sizeof(e)))
			return NULL;
	BW_TRY(bw_vec_push(&s->said, e));
	return append(s, &e);
}

/* ---- Memory ---- */

/* In the capture's memory, or in what was added to it for this submission. */
static struct bw_error *write_bytes(const struct job *j, uint64_t va, const void *bytes,
				    size_t size_b)
{
	uint64_t left_b;
	if (bw_replay_memory_at(j->g, j->s, va, &left_b))
		return bw_replay_patch_write(j->g, j->s, va, bytes, size_b, j->done);
	uint8_t *to = bw_replay_gpu_at(j->g, j->s->number, va, &left_b);
	if (!to || left_b < size_b)
		return bw_error_fault(va, "there is no memory at 0x%llx to be changed",
				      (unsigned long long)va);
	memcpy(to, bytes, size_b);
	return NULL;
}

/* ---- Replacing ---- */

/* p: without its address, which is what it gets. */
static struct bw_error *place_code(struct job *j, const void *code, size_t code_b, struct placed *p)
{
	bw_vec_each(&j->placed, one) {
		if (one->rule == p->rule && one->lanes == p->lanes && one->made_of == p->made_of) {
			p->va = one->va;
			return NULL;
		}
	}
	_cleanup_free_ uint8_t *bytes = calloc(1, code_b + BEHIND_CODE_B);
	if (!bytes)
		return bw_error_nomem();
	memcpy(bytes, code, code_b);
	const struct bw_replay_new new = {.bytes = bytes, .size_b = code_b + BEHIND_CODE_B};
	BW_TRY(bw_replay_gpu_add(j->g, j->s, &new, &p->va));
	return bw_vec_push(&j->placed, *p);
}

static struct changed *changed_at(const struct job *j, uint64_t va)
{
	bw_vec_each(&j->changed, c)
		if (c->va == va)
			return c;
	return NULL;
}

/* A register as the capture has it, where it was changed for an earlier dispatch, too. */
static uint32_t captured_register(const struct job *j, unsigned index)
{
	const struct changed *c =
		j->scan.state.sh_va[index] ? changed_at(j, j->scan.state.sh_va[index]) : NULL;
	return c ? c->old : j->scan.state.sh[index];
}

static void want(struct all_wanted *all, unsigned index, uint32_t value)
{
	all->at[all->n++] = (struct wanted){index, value};
}

/* Why the registers cannot be these; NULL: they can. */
static const char *check_wanted(const struct job *j, const struct all_wanted *all)
{
	for (size_t i = 0; i < all->n; i++) {
		uint64_t va = j->scan.state.sh_va[all->at[i].index];
		const struct changed *c = va ? changed_at(j, va) : NULL;
		if (c && c->now != all->at[i].value)
			return "it needs other registers than another dispatch, and one packet "
			       "sets those of both";
		if (!va && j->scan.state.sh[all->at[i].index] != all->at[i].value)
			return "it needs a register that the submission does not set";
	}
	return NULL;
}

/* What check_wanted has let pass. A packet that sets the right value is noted, too: it has to go on
 * doing so. */
static struct bw_error *write_wanted(struct job *j, const struct all_wanted *all)
{
	for (size_t i = 0; i < all->n; i++) {
		uint64_t va = j->scan.state.sh_va[all->at[i].index];
		uint32_t old = j->scan.state.sh[all->at[i].index], now = all->at[i].value;
		if (!va || changed_at(j, va))
			continue;
		BW_TRY(bw_vec_push(&j->changed, ((struct changed){va, old, now})));
		if (old != now)
			BW_TRY(write_bytes(j, va, &now, sizeof(now)));
	}
	return NULL;
}

/* A dispatch that keeps its code must keep its registers. */
static struct bw_error *check_kept(const struct job *j, const struct bw_capture_dispatch *d)
{
	const unsigned first = SH_INDEX(USER_DATA_0),
		       n = BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR,
					captured_register(j, SH_INDEX(PGM_RSRC2)));
	unsigned at[6 + BW_SWAP_USER_DATA] = {SH_INDEX(PGM_RSRC1),    SH_INDEX(PGM_RSRC2),
					      SH_INDEX(PGM_RSRC3),    SH_INDEX(NUM_THREAD_X),
					      SH_INDEX(NUM_THREAD_Y), SH_INDEX(NUM_THREAD_Z)};
	size_t n_at = 6;
	for (unsigned k = 0; k < n && k < BW_SWAP_USER_DATA; k++)
		at[n_at++] = first + k;
	for (size_t i = 0; i < n_at; i++) {
		const struct changed *c = j->scan.state.sh_va[at[i]]
						  ? changed_at(j, j->scan.state.sh_va[at[i]])
						  : NULL;
		if (c && c->old != c->now)
			return bw_errorf(BW_E_INVALID,
					 "--shader: the dispatch at 0x%llx (%s) has registers in "
					 "common with one that was replaced",
					 (unsigned long long)d->packet_va,
					 *d->pipeline ? bw_shown(d->pipeline).text : "no name");
	}
	return NULL;
}

/* The code that is executed there already; NULL: the captured one. */
static const struct placed *placed_at(const struct job *j, uint64_t code_va)
{
	uint32_t jump[BW_SWAP_JUMP_DW], there[BW_SWAP_JUMP_DW];
	if (!j->placed.len ||
	    !bw_replay_gpu_read(j->g, j->s->number, code_va, there, sizeof(there)))
		return NULL;
	bw_vec_each(&j->placed, p) {
		bw_swap_jump(p->va, jump);
		if (!memcmp(jump, there, sizeof(jump)))
			return p;
	}
	return NULL;
}

static struct bw_error *say_replaced(struct job *j, const struct bw_capture_dispatch *d, int rule)
{
	return say(j->swap, BW_SWAP_REPLACED, rule, d,
		   j->is_second ? "which has the same code" : NULL);
}

static struct bw_error *replace(struct job *j, const struct bw_capture_dispatch *d,
				uint32_t initiator, int rule)
{
	const struct bw_swap_regs now = {initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64,
					 captured_register(j, SH_INDEX(PGM_RSRC1)),
					 captured_register(j, SH_INDEX(PGM_RSRC2))};
	const struct bw_swap_rules *r = &j->swap->rules;
	const struct bw_swap_bytes code = bw_swap_code_for(&r->rules.data[rule], now.lanes);
	struct placed p = {.rule = rule, .lanes = now.lanes};
	struct all_wanted all = {0};
	struct bw_swap_regs new;
	uint32_t jump[BW_SWAP_JUMP_DW];
	const char *why = bw_swap_fit(&j->swap->rules.rules.data[rule], &now, &new);
	want(&all, SH_INDEX(PGM_RSRC1), new.rsrc1);
	want(&all, SH_INDEX(PGM_RSRC2), new.rsrc2);
	if (!why)
		why = check_wanted(j, &all);
	if (why)
		return say(j->swap, BW_SWAP_REFUSED, rule, d, why);
	BW_TRY(place_code(j, bw_swap_rules_at(r, code), code.size_b, &p));
	BW_TRY(write_wanted(j, &all));
	bw_swap_jump(p.va, jump);
	BW_TRY(write_bytes(j, d->code_va, jump, sizeof(jump)));
	return say_replaced(j, d, rule);
}

/* ---- SPIR-V ---- */

static bool find_variant(const struct job *j, int rule, uint32_t made_of,
			 struct bw_swap_variant *out)
{
	const struct bw_swap_rules *r = &j->swap->rules;
	for (size_t i = 0; bw_swap_variant_at(r, &r->rules.data[rule], i, out); i++)
		if (out->made_of == made_of)
			return true;
	return false;
}

/* Whether the captured code is what the driver here makes of the program's own SPIR-V. */
static bool is_own_code(const struct job *j, int rule, const struct bw_swap_variant *v,
			uint64_t code_va)
{
	const struct bw_swap_rules *r = &j->swap->rules;
	_cleanup_free_ uint8_t *there = malloc(v->own_code.size_b + 1);
	return there && v->own_code.size_b >= BW_SWAP_JUMP_B &&
	       bw_replay_gpu_read(j->g, j->s->number, code_va, there, v->own_code.size_b) &&
	       !memcmp(there, bw_swap_variant_code(r, &r->rules.data[rule], v->own_code),
		       v->own_code.size_b);
}

/* The user SGPRs of the other code, of the captured ones. Why that cannot be; NULL: it can. */
static const char *want_arguments(const struct job *j, const struct bw_swap_variant *v,
				  uint64_t code_va, struct all_wanted *all)
{
	for (unsigned k = 0; k < BW_SWAP_USER_DATA; k++) {
		unsigned from = v->moves.from[k], word = v->moves.word[k];
		if (from >= BW_SWAP_USER_DATA)
			continue;
		uint32_t value = captured_register(j, SH_INDEX(USER_DATA_0) + from);
		/* the driver's 32-bit addresses are in one window with its code */
		uint64_t va = bw_join32(bw_hi32(code_va), value) + word * 4ull;
		if (word != BW_SWAP_NONE &&
		    !bw_replay_gpu_read(j->g, j->s->number, va, &value, sizeof(value)))
			return "its push constants cannot be read";
		want(all, SH_INDEX(USER_DATA_0) + k, value);
	}
	return NULL;
}

/* RSRC3 says how far code is fetched ahead, and may stay. */
static void want_program(const struct job *j, const struct bw_swap_program *p,
			 struct all_wanted *all)
{
	want(all, SH_INDEX(PGM_RSRC1), p->rsrc1);
	want(all, SH_INDEX(PGM_RSRC2), p->rsrc2);
	want(all, SH_INDEX(NUM_THREAD_X), p->threads[0]);
	want(all, SH_INDEX(NUM_THREAD_Y), p->threads[1]);
	want(all, SH_INDEX(NUM_THREAD_Z), p->threads[2]);
	if (j->scan.state.sh_va[SH_INDEX(PGM_RSRC3)])
		want(all, SH_INDEX(PGM_RSRC3), p->rsrc3);
}

/* Where the code is replaced already, for another pipeline with the same, it cannot stay. */
static struct bw_error *refuse(struct job *j, const struct bw_capture_dispatch *d, int rule,
			       const char *why)
{
	if (j->is_second)
		return bw_errorf(BW_E_INVALID,
				 "--shader: %s has the code of another pipeline that was replaced, "
				 "and cannot be: %s",
				 *d->pipeline ? bw_shown(d->pipeline).text : "a dispatch", why);
	return say(j->swap, BW_SWAP_REFUSED, rule, d, why);
}

static struct bw_swap_program captured_program(const struct job *j, uint32_t initiator)
{
	return (struct bw_swap_program){.lanes = initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64,
					.rsrc1 = captured_register(j, SH_INDEX(PGM_RSRC1)),
					.rsrc2 = captured_register(j, SH_INDEX(PGM_RSRC2)),
					.rsrc3 = captured_register(j, SH_INDEX(PGM_RSRC3)),
					.tmpring = captured_register(j, SH_INDEX(TMPRING_SIZE)),
					.threads = {captured_register(j, SH_INDEX(NUM_THREAD_X)),
						    captured_register(j, SH_INDEX(NUM_THREAD_Y)),
						    captured_register(j, SH_INDEX(NUM_THREAD_Z))}};
}

/* made_of: of the record that the code is compiled for; another than the dispatch's where both have
 * the same code. */
static struct bw_error *replace_spirv(struct job *j, const struct bw_capture_dispatch *d,
				      uint32_t initiator, int rule, uint32_t made_of)
{
	const struct bw_swap_rules *r = &j->swap->rules;
	const struct bw_swap_program now = captured_program(j, initiator);
	const struct placed *there = placed_at(j, d->code_va);
	struct placed p = {.rule = rule, .lanes = now.lanes, .made_of = made_of};
	struct all_wanted all = {0};
	struct bw_swap_variant v;
	uint32_t jump[BW_SWAP_JUMP_DW];
	char why[BW_SWAP_WHY_B];
	if (there && (there->rule != rule || there->made_of != made_of))
		return NULL; /* which has the same code: the second pass looks at it */
	if (!made_of || !find_variant(j, rule, made_of, &v))
		return refuse(j, d, rule, "the capture has no record of its pipeline");
	if (!bw_swap_variant_fits(&v, &now, why))
		return refuse(j, d, rule, why);
	if (!there && !is_own_code(j, rule, &v, d->code_va))
		return refuse(j, d, rule,
			      "its code in the capture is not what the driver here makes of its "
			      "SPIR-V: the driver was another one, or the code was replaced");
	want_program(j, &v.other, &all);
	const char *no = want_arguments(j, &v, d->code_va, &all);
	if (!no)
		no = check_wanted(j, &all);
	if (no)
		return refuse(j, d, rule, no);
	BW_TRY(write_wanted(j, &all));
	BW_TRY(place_code(j, bw_swap_variant_code(r, &r->rules.data[rule], v.other_code),
			  v.other_code.size_b, &p));
	bw_swap_jump(p.va, jump);
	BW_TRY(write_bytes(j, d->code_va, jump, sizeof(jump)));
	return say_replaced(j, d, rule);
}

/* Whether both variants of a rule are the same code: then it does not matter whose it is. */
static bool is_same_code(const struct job *j, int rule_a, uint32_t a, int rule_b, uint32_t b)
{
	const struct bw_swap_rules *r = &j->swap->rules;
	struct bw_swap_variant va, vb;
	return find_variant(j, rule_a, a, &va) && find_variant(j, rule_b, b, &vb) &&
	       va.other_code.size_b == vb.other_code.size_b &&
	       !memcmp(bw_swap_variant_code(r, &r->rules.data[rule_a], va.other_code),
		       bw_swap_variant_code(r, &r->rules.data[rule_b], vb.other_code),
		       va.other_code.size_b);
}

/* A dispatch in the second pass. rule, spirv: those for it; -1: none. */
static struct bw_error *look_again(struct job *j, const struct bw_capture_dispatch *d,
				   uint32_t initiator, int rule, int spirv)
{
	const struct placed *p = placed_at(j, d->code_va);
	if (!p)
		return check_kept(j, d);
	const struct placed there = *p;
	if (rule >= 0 || (there.made_of && spirv == there.rule && d->made_of == there.made_of))
		return NULL;
	if (spirv >= 0 && there.made_of &&
	    !is_same_code(j, spirv, d->made_of, there.rule, there.made_of))
		return bw_errorf(BW_E_INVALID,
				 "--shader: %s has the code of another pipeline that was replaced, "
				 "and the driver makes other code for it",
				 *d->pipeline ? bw_shown(d->pipeline).text : "a dispatch");
	return there.made_of ? replace_spirv(j, d, initiator, there.rule, there.made_of)
			     : replace(j, d, initiator, there.rule);
}

static struct bw_error *look_at(struct job *j, const struct bw_pm4_find *found, uint64_t packet_va)
{
	const struct bw_capture_dispatch *d = NULL;
	bw_vec_each(&j->sub->dispatches, one)
		if (bw_canonical(one->packet_va) == bw_canonical(packet_va))
			d = one;
	if (!d)
		return NULL;
	const struct bw_swap_shader shader = bw_swap_shader_of(d);
	BW_TRY(say(j->swap, BW_SWAP_CREATED, -1, d, NULL));
	const uint32_t initiator = found->dispatch.initiator;
	int rule = bw_swap_find(&j->swap->rules, BW_SWAP_CODE, &shader),
	    spirv = rule < 0 ? bw_swap_find(&j->swap->rules, BW_SWAP_SPIRV, &shader) : -1;
	if (j->is_second)
		return look_again(j, d, initiator, rule, spirv);
	if (spirv >= 0)
		return replace_spirv(j, d, initiator, spirv, d->made_of);
	return rule < 0 ? NULL : replace(j, d, initiator, rule);
}

/* ---- The packets ---- */

static bool on_find(void *cookie, const struct bw_pm4_find *found, uint64_t packet_va)
{
	struct job *j = cookie;
	if (found->what == BW_PM4_FOUND_DISPATCH)
		j->err = look_at(j, found, packet_va);
	return !j->err;
}

static bool read_ib(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	const struct job *j = cookie;
	return bw_replay_gpu_read(j->g, j->s->number, va, out, n * 4);
}

struct bw_error *bw_replay_swap_apply(struct bw_replay_swap *swap, struct bw_replay_gpu *g,
				      const struct bw_capture_space *s,
				      const struct bw_capture_submission *sub,
				      struct bw_replay_patches *done)
{
	struct job *j = calloc(1, sizeof(*j));
	if (!j)
		return bw_error_nomem();
	*j = (struct job){.swap = swap, .g = g, .s = s, .sub = sub, .done = done};
	for (int pass = 0; pass < 2; pass++) {
		j->is_second = pass;
		j->scan = (struct bw_pm4_ib_scan){.read = read_ib, .found = on_find, .cookie = j};
		bw_vec_each(&sub->ibs, ib)
			if (!j->err && (ib->ip_type == AMDGPU_HW_IP_COMPUTE ||
					ib->ip_type == AMDGPU_HW_IP_GFX))
				bw_pm4_scan_ib(&j->scan, ib->va, ib->size_b / 4);
	}
	struct bw_error *err = j->err;
	bw_vec_free(&j->placed);
	bw_vec_free(&j->changed);
	free(j);
	return err;
}
