/* SPDX-License-Identifier: MIT */
#include "replay/swap.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "pm4/scan.h"
#include "regs/field.h"
#include "swap/code.h"

enum { IB_MAX_DW = 1 << 20, IB_DEPTH_MAX = 4, BEHIND_CODE_B = 256 };

#define SH_INDEX(name) (BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW)

struct job {
	struct bw_replay_swap *swap;
	struct bw_replay_gpu *g;
	const struct bw_capture_space *s;
	const struct bw_capture_submission *sub;
	struct bw_replay_patches *done;
	struct bw_pm4_scan state;
	uint64_t ib_va;
	unsigned depth;
	bool is_second; /* pass: over dispatches that have code which the first one has replaced */
	struct BW_VEC(struct placed {
		int rule;
		unsigned lanes;
		uint64_t va;
	}) placed;
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
		if (r->by == BW_SWAP_BY_HASH)
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
	_cleanup_fclose_ FILE *f = fopen(path, "abe");
	if (!f || fwrite(e, sizeof(*e), 1, f) != 1 || fflush(f))
		return bw_error_errno(errno, "cannot write %s", path);
	return NULL;
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

static struct bw_error *place_code(struct job *j, int rule, unsigned lanes, uint64_t *out_va)
{
	const struct bw_swap_rules *r = &j->swap->rules;
	bw_vec_each(&j->placed, p) {
		if (p->rule == rule && p->lanes == lanes) {
			*out_va = p->va;
			return NULL;
		}
	}
	struct bw_swap_bytes code = bw_swap_code_for(&r->rules.data[rule], lanes);
	_cleanup_free_ uint8_t *bytes = calloc(1, code.size_b + BEHIND_CODE_B);
	if (!bytes)
		return bw_error_nomem();
	memcpy(bytes, bw_swap_rules_at(r, code), code.size_b);
	const struct bw_replay_new new = {.bytes = bytes, .size_b = code.size_b + BEHIND_CODE_B};
	BW_TRY(bw_replay_gpu_add(j->g, j->s, &new, out_va));
	return bw_vec_push(&j->placed, ((struct placed){rule, lanes, *out_va}));
}

static struct bw_error *write_register(const struct job *j, unsigned index, uint32_t new)
{
	if (j->state.sh[index] == new)
		return NULL;
	return write_bytes(j, j->state.sh_va[index], &new, sizeof(new));
}

/* The rule whose code is executed there already; -1: none. */
static int rule_at(const struct job *j, uint64_t code_va)
{
	uint32_t jump[BW_SWAP_JUMP_DW], there[BW_SWAP_JUMP_DW];
	if (!j->placed.len ||
	    !bw_replay_gpu_read(j->g, j->s->number, code_va, there, sizeof(there)))
		return -1;
	bw_vec_each(&j->placed, p) {
		bw_swap_jump(p->va, jump);
		if (!memcmp(jump, there, sizeof(jump)))
			return p->rule;
	}
	return -1;
}

static struct bw_error *replace(struct job *j, const struct bw_capture_dispatch *d,
				uint32_t initiator, int rule)
{
	const struct bw_swap_regs now = {initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64,
					 j->state.sh[SH_INDEX(PGM_RSRC1)],
					 j->state.sh[SH_INDEX(PGM_RSRC2)]};
	struct bw_swap_regs new;
	uint32_t jump[BW_SWAP_JUMP_DW];
	uint64_t va;
	const char *why = bw_swap_fit(&j->swap->rules.rules.data[rule], &now, &new);
	if (why)
		return say(j->swap, BW_SWAP_REFUSED, rule, d, why);
	BW_TRY(place_code(j, rule, now.lanes, &va));
	BW_TRY(write_register(j, SH_INDEX(PGM_RSRC1), new.rsrc1));
	BW_TRY(write_register(j, SH_INDEX(PGM_RSRC2), new.rsrc2));
	bw_swap_jump(va, jump);
	BW_TRY(write_bytes(j, d->code_va, jump, sizeof(jump)));
	return say(j->swap, BW_SWAP_REPLACED, rule, d,
		   j->is_second ? "which has the same code" : NULL);
}

static struct bw_error *look_at(struct job *j, const struct bw_pm4_find *found)
{
	uint64_t packet_va = bw_canonical(j->ib_va + found->pos_dw * 4);
	const struct bw_capture_dispatch *d = NULL;
	bw_vec_each(&j->sub->dispatches, one)
		if (bw_canonical(one->packet_va) == packet_va)
			d = one;
	if (!d)
		return NULL;
	const struct bw_swap_shader shader = {.hash = d->hash,
					      .code_va = d->code_va,
					      .name = d->pipeline,
					      .module = d->module,
					      .entry = d->entry,
					      .file = d->file};
	BW_TRY(say(j->swap, BW_SWAP_CREATED, -1, d, NULL));
	int rule = bw_swap_find(&j->swap->rules, BW_SWAP_CODE, &shader);
	if (j->is_second)
		rule = rule < 0 ? rule_at(j, d->code_va) : -1;
	return rule < 0 ? NULL : replace(j, d, found->dispatch.initiator, rule);
}

/* ---- The packets ---- */

static void scan_ib(struct job *j, uint64_t va, size_t size_dw);

static bool on_find(void *cookie, const struct bw_pm4_find *found)
{
	struct job *j = cookie;
	if (found->what == BW_PM4_FOUND_DISPATCH)
		j->err = look_at(j, found);
	else if (found->what == BW_PM4_FOUND_INDIRECT_BUFFER)
		scan_ib(j, found->ib.va, found->ib.size_dw);
	return !j->err;
}

static void scan_ib(struct job *j, uint64_t va, size_t size_dw)
{
	if (j->depth >= IB_DEPTH_MAX || !size_dw || size_dw > IB_MAX_DW)
		return;
	_cleanup_free_ uint32_t *dw = malloc(size_dw * 4);
	if (!dw || !bw_replay_gpu_read(j->g, j->s->number, va, dw, size_dw * 4))
		return;
	uint64_t outer = j->ib_va;
	j->ib_va = j->state.va = va;
	j->depth++;
	bw_pm4_find_dispatches(&j->state, dw, size_dw, on_find, j);
	j->depth--;
	j->ib_va = j->state.va = outer;
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
		j->state = (struct bw_pm4_scan){0};
		bw_vec_each(&sub->ibs, ib)
			if (!j->err && (ib->ip_type == AMDGPU_HW_IP_COMPUTE ||
					ib->ip_type == AMDGPU_HW_IP_GFX))
				scan_ib(j, ib->va, ib->size_b / 4);
	}
	struct bw_error *err = j->err;
	bw_vec_free(&j->placed);
	free(j);
	return err;
}
