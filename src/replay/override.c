/* SPDX-License-Identifier: MIT */
#include "replay/override.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/util.h"

enum { STREAM_MAX_B = 4 << 20 };

/* ---- Files ---- */

static struct bw_error *check_kind(const char *path, struct bw_replay_override *v)
{
	if (bw_override_is(v->bytes, v->size_b)) {
		v->is_file = true;
		BW_TRY(bw_error_wrap(bw_override_decode(v->bytes, v->size_b, &v->file), "%s",
				     path));
		if (v->file.number == v->number)
			return NULL;
		return bw_errorf(BW_E_INVALID, "%s was made of submission %u, not of %u", path,
				 v->file.number, v->number);
	}
	if (!v->size_b || v->size_b % 4 || v->size_b > STREAM_MAX_B)
		return bw_errorf(BW_E_INVALID,
				 "%s is neither an override file nor a command stream: that has "
				 "whole dwords, up to 4 MiB",
				 path);
	return NULL;
}

struct bw_error *bw_replay_override_read(const char *path, struct bw_replay_override *out)
{
	struct bw_replay_override v = {.number = out->number, .ib = out->ib};
	struct stat st;
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	if (!f || fstat(fileno(f), &st))
		return bw_error_errno(errno, "cannot read %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size > BW_OVERRIDE_FILE_MAX_B)
		return bw_errorf(BW_E_INVALID, "%s is not a regular file of up to %u MiB", path,
				 BW_OVERRIDE_FILE_MAX_B >> 20);
	v.size_b = (size_t)st.st_size;
	v.bytes = malloc(v.size_b + 1);
	if (!v.bytes)
		return bw_error_nomem();
	struct bw_error *err = NULL;
	if (fread(v.bytes, 1, v.size_b, f) != v.size_b)
		err = bw_error_errno(errno ? errno : EIO, "cannot read %s", path);
	if (!err)
		err = check_kind(path, &v);
	if (err)
		bw_replay_override_fini(&v);
	else
		*out = v;
	return err;
}

void bw_replay_override_fini(struct bw_replay_override *v)
{
	bw_override_fini(&v->file);
	free(v->bytes);
	v->bytes = NULL;
}

/* ---- In a replay ---- */

static struct bw_error *apply_stream(const struct bw_replay_override *v, struct bw_replay_gpu *g,
				     const struct bw_capture_space *s,
				     struct bw_capture_submission *sub,
				     struct bw_replay_override_said *said)
{
	const struct bw_replay_new ib = {.bytes = v->bytes, .size_b = v->size_b};
	uint64_t va;
	if (v->ib >= sub->ibs.len)
		return bw_errorf(BW_E_NOT_FOUND, "it has no IB %u", v->ib);
	BW_TRY(bw_replay_gpu_add(g, s, &ib, &va));
	sub->ibs.data[v->ib].va = va;
	sub->ibs.data[v->ib].size_b = (uint32_t)v->size_b;
	said->new_b += v->size_b;
	return NULL;
}

/* By the places of its IBs: an edit of one submission makes no sense in another one. */
static struct bw_error *check_ibs(const struct bw_override *f,
				  const struct bw_capture_submission *sub)
{
	if (f->ibs.len != sub->ibs.len)
		return bw_errorf(BW_E_INVALID,
				 "it has %zu IBs, and the one that the override was made of %zu",
				 sub->ibs.len, f->ibs.len);
	for (size_t i = 0; i < f->ibs.len; i++) {
		const struct bw_override_ib *a = &f->ibs.data[i];
		const struct bw_capture_ib *b = &sub->ibs.data[i];
		if (a->captured_va != b->va || a->captured_b != b->size_b)
			return bw_errorf(BW_E_INVALID,
					 "its IB %zu has %u bytes at 0x%llx, and that of the one "
					 "that the override was made of %u bytes at 0x%llx",
					 i, b->size_b, (unsigned long long)b->va, a->captured_b,
					 (unsigned long long)a->captured_va);
	}
	return NULL;
}

/* How many bytes the last patch has changed. */
static uint64_t n_changed(const struct bw_replay_patches *done)
{
	const struct bw_replay_patch *p = &done->data[done->len - 1];
	uint64_t n = 0;
	for (size_t i = 0; i < p->size_b; i++)
		n += p->old[i] != p->now[i];
	return n;
}

static struct bw_error *apply_part(const struct bw_override_part *p, struct bw_replay_gpu *g,
				   const struct bw_capture_space *s, struct bw_replay_patches *done,
				   struct bw_replay_override_said *said)
{
	if (p->is_new) {
		const struct bw_replay_new new = {p->va, p->bytes, p->size_b};
		uint64_t va;
		said->new_b += p->size_b;
		return bw_replay_gpu_add(g, s, &new, &va);
	}
	BW_TRY(bw_replay_patch_write(g, s, p->va, p->bytes, p->size_b, done));
	said->changed_b += n_changed(done);
	return NULL;
}

struct bw_error *bw_replay_override_apply(const struct bw_replay_override *v,
					  struct bw_replay_gpu *g, const struct bw_capture_space *s,
					  struct bw_capture_submission *sub,
					  struct bw_replay_patches *done,
					  struct bw_replay_override_said *said)
{
	if (!v->is_file)
		return apply_stream(v, g, s, sub, said);
	BW_TRY(check_ibs(&v->file, sub));
	bw_vec_each(&v->file.parts, p)
		BW_TRY(apply_part(p, g, s, done, said));
	for (size_t i = 0; i < sub->ibs.len; i++) {
		sub->ibs.data[i].va = v->file.ibs.data[i].va;
		sub->ibs.data[i].size_b = v->file.ibs.data[i].size_b;
	}
	return NULL;
}
