/* SPDX-License-Identifier: MIT */
#include "agent/capture/capture_memory.h"

#include <amdgpu_drm.h>
#include <stdlib.h>
#include <string.h>

#include "agent/capture/capture_link.h"
#include "agent/memory/memory.h"
#include "agent/memory/track.h"
#include "agent/memory/track_kfd.h"
#include "base/util.h"

enum {
	PAGE_B = BW_CAPTURE_PAGE_B,
	LOOK_PAGES = 64, /* in one step */
};

struct bw_capture_sent {
	uint64_t handle; /* 32 bits */
	uint64_t id, size_b;
	bool is_shared, is_mapped;
	bool is_new;		      /* nobody has looked at it */
	struct bw_capture_hash *hash; /* owned; of each page */
	uint64_t n_pages;
	struct bw_cpu_writes written; /* since the last look; its serial */
};

static void free_buffer(struct bw_capture_sent *b)
{
	free(b->hash);
	bw_vec_free(&b->written.ranges);
}

void bw_capture_memory_fini(struct bw_capture_memory *c)
{
	bw_vec_each(&c->buffers, b)
		free_buffer(b);
	bw_table_free(&c->buffers);
	bw_vec_free(&c->asked);
	bw_vec_free(&c->maps);
}

void bw_capture_memory_unsettle(struct bw_capture_memory *c)
{
	c->is_settled = false;
}

static struct bw_capture_sent *by_handle(const struct bw_capture_memory *c, uint32_t handle)
{
	return bw_table_find(&c->buffers, handle);
}

uint64_t bw_capture_memory_buffer(const struct bw_capture_memory *c, uint32_t handle)
{
	const struct bw_capture_sent *b = by_handle(c, handle);
	return b ? b->id : 0;
}

static uint32_t flags_of(const struct bw_track_buffer *t)
{
	bool is_busy = t->handle & BW_TRACK_KFD_HANDLE && !(t->domains & AMDGPU_GEM_DOMAIN_VRAM);
	return (t->is_user ? BW_CAPTURE_USERPTR : 0) | (is_busy ? BW_CAPTURE_BUSY : 0);
}

static struct bw_error *add_buffer(struct bw_capture_memory *c, const struct bw_track_buffer *t,
				   struct bw_capture_submission *out)
{
	struct bw_capture_sent b = {.handle = t->handle,
				    .id = ++c->last_id,
				    .size_b = t->size_b,
				    .is_mapped = true,
				    .is_new = true,
				    .is_shared = t->is_shared,
				    .n_pages = bw_align_up(t->size_b, PAGE_B) / PAGE_B,
				    .written = {.serial = t->serial}};
	const struct bw_capture_buffer one = {
		.id = b.id, .size_b = b.size_b, .domains = t->domains, .flags = flags_of(t)};
	BW_TRY(bw_vec_push(&out->buffers, one));
	b.hash = calloc(b.n_pages ? b.n_pages : 1, sizeof(*b.hash)); /* zero, as memory is */
	struct bw_error *err = b.hash ? bw_table_add(&c->buffers, b) : bw_error_nomem();
	if (err)
		free_buffer(&b);
	return err;
}

static struct bw_error *remove_buffer(struct bw_capture_memory *c, struct bw_capture_sent *b,
				      struct bw_capture_submission *out)
{
	BW_TRY(bw_vec_push(&out->gone, b->id));
	free_buffer(b);
	bw_table_remove(&c->buffers, b->handle);
	return NULL;
}

/* ---- Looking ---- */

/* Pages of a buffer from one on, and which of them have another content than was sent. */
struct look {
	const struct bw_capture_hash *sent;
	uint64_t n_seen;
	bool differs[LOOK_PAGES];
};

/* Called with the memory where it lies: no calls from here. */
static void see(void *ctx, const void *bytes, size_t size_b)
{
	struct look *l = ctx;
	for (size_t at = 0; at + PAGE_B <= size_b && l->n_seen < LOOK_PAGES; at += PAGE_B) {
		struct bw_capture_hash h = bw_capture_hash_page((const uint8_t *)bytes + at);
		l->differs[l->n_seen] = !bw_capture_hash_same(h, l->sent[l->n_seen]);
		l->n_seen++;
	}
}

/* A page that differs, sent from a copy: the program may write it at this moment. */
static struct bw_error *send_page(struct bw_agent_file *f, struct bw_capture_memory *c,
				  struct bw_capture_sent *b, uint64_t va, uint64_t index,
				  struct bw_capture_runs *runs)
{
	static uint8_t page[PAGE_B]; /* under the lock */
	uint64_t bad_va;
	if (bw_memory_read(f, va, page, PAGE_B, &bad_va))
		return NULL; /* pages that cannot be read keep their content */
	struct bw_capture_hash h = bw_capture_hash_page(page);
	struct bw_capture_run run = {.buffer = b->id, .index = index, .count = 1};
	if (bw_capture_hash_same(h, b->hash[index]))
		return NULL;
	b->hash[index] = h;
	if (h.word[0] || h.word[1])
		BW_TRY(bw_capture_link_page(page, &run.page));
	c->sent_b += PAGE_B;
	return bw_capture_runs_add(runs, run);
}

/* Pages of the buffer, as far as the mapping has them. */
static struct bw_error *look_at_pages(struct bw_agent_file *f, struct bw_capture_memory *c,
				      struct bw_capture_sent *b, const struct bw_agent_map *m,
				      struct bw_cpu_writes_range pages,
				      struct bw_capture_runs *runs)
{
	const uint64_t first = m->bo_offset_b / PAGE_B, last = first + m->size_b / PAGE_B;
	uint64_t i = BW_MAX(pages.first, first), end = BW_MIN(pages.first + pages.n, last);
	end = BW_MIN(end, b->n_pages);
	while (i < end) {
		uint64_t va = m->va + (i - first) * PAGE_B;
		uint64_t take = BW_MIN(end - i, (uint64_t)LOOK_PAGES);
		struct look l = {.sent = &b->hash[i]};
		bw_memory_look(f, va, take * PAGE_B, see, &l);
		for (uint64_t k = 0; k < l.n_seen; k++)
			if (l.differs[k])
				BW_TRY(send_page(f, c, b, va + k * PAGE_B, i + k, runs));
		i += take;
	}
	return NULL;
}

static struct bw_error *look_at_map(struct bw_agent_file *f, struct bw_capture_memory *c,
				    struct bw_capture_sent *b, const struct bw_agent_map *m,
				    struct bw_capture_runs *runs)
{
	return look_at_pages(f, c, b, m, (struct bw_cpu_writes_range){0, b->n_pages}, runs);
}

/* Reads the parts that the program may have written. */
static struct bw_error *look_at_written(struct bw_agent_file *f, struct bw_capture_memory *c,
					struct bw_capture_sent *b, const struct bw_agent_map *m,
					struct bw_capture_runs *runs)
{
	if (!b->written.is_known)
		return look_at_map(f, c, b, m, runs);
	bw_vec_each(&b->written.ranges, w)
		BW_TRY(look_at_pages(f, c, b, m, *w, runs));
	return NULL;
}

/* Everything that is mapped, once. */
static struct bw_error *look_at_all(struct bw_agent_file *f, struct bw_capture_memory *c,
				    const struct bw_agent_maps *maps, struct bw_capture_runs *runs)
{
	const uint64_t began_ns = bw_capture_now_ns();
	bw_vec_each(maps, m) {
		struct bw_capture_sent *b = by_handle(c, m->bo_handle);
		if (b)
			BW_TRY(look_at_map(f, c, b, m, runs));
	}
	c->looked_at_ns = bw_capture_now_ns();
	c->look_ns = c->looked_at_ns - began_ns;
	c->sent_b = 0;
	return NULL;
}

static struct bw_error *ask_what_is_written(struct bw_capture_memory *c)
{
	c->asked.len = 0;
	bw_vec_each(&c->buffers, b)
		if (b->is_shared)
			BW_TRY(bw_vec_push(&c->asked, &b->written));
	bw_cpu_writes_take(c->asked.data, c->asked.len);
	return NULL;
}

/* Without the buffers that only the GPU can write, but where they were mapped since. before: what
 * was mapped then; like maps, by address. */
static struct bw_error *look_at_shared(struct bw_agent_file *f, struct bw_capture_memory *c,
				       const struct bw_agent_maps *maps,
				       const struct bw_capture_maps *before,
				       struct bw_capture_runs *runs)
{
	size_t at = 0;
	bw_vec_each(maps, m) {
		struct bw_capture_sent *b = by_handle(c, m->bo_handle);
		while (at < before->len &&
		       (before->data[at].va & BW_VA_MASK) < (m->va & BW_VA_MASK))
			at++;
		const struct bw_capture_map *old = at < before->len ? &before->data[at] : NULL;
		bool was_mapped = b && old && old->va == m->va && old->size_b == m->size_b &&
				  old->offset_b == m->bo_offset_b && old->buffer == b->id;
		if (b && (b->is_new || !was_mapped))
			BW_TRY(look_at_map(f, c, b, m, runs));
		else if (b && b->is_shared)
			BW_TRY(look_at_written(f, c, b, m, runs));
	}
	return NULL;
}

bool bw_capture_memory_is_due(const struct bw_capture_memory *c, uint64_t unseen_max_b)
{
	enum { SHARE = 50 };
	return c->sent_b >= unseen_max_b ||
	       bw_capture_now_ns() - c->looked_at_ns >= SHARE * c->look_ns;
}

/* ---- What is mapped ---- */

/* Buffers that were mapped since, and those that are mapped no longer. */
static struct bw_error *note_buffers(struct bw_capture_memory *c,
				     const struct bw_track_buffers *all,
				     struct bw_capture_submission *out)
{
	bw_vec_each(&c->buffers, b)
		b->is_mapped = false;
	bw_vec_each(all, t) {
		struct bw_capture_sent *b = t->is_mapped ? by_handle(c, t->handle) : NULL;
		if (b && b->written.serial == t->serial) {
			b->is_mapped = true;
			b->is_new = false;
			b->is_shared = t->is_shared;
			continue;
		}
		if (b) /* another one has its number now */
			BW_TRY(remove_buffer(c, b, out));
		if (t->is_mapped)
			BW_TRY(add_buffer(c, t, out));
	}
	for (size_t i = c->buffers.len; i-- > 0;)
		if (!c->buffers.data[i].is_mapped)
			BW_TRY(remove_buffer(c, &c->buffers.data[i], out));
	return NULL;
}

static struct bw_error *note_maps(struct bw_capture_memory *c, const struct bw_agent_maps *maps,
				  struct bw_capture_submission *out)
{
	bw_vec_each(maps, m) {
		const struct bw_capture_sent *b = m->bo_handle ? by_handle(c, m->bo_handle) : NULL;
		if (m->bo_handle && !b)
			continue;
		const struct bw_capture_map one = {.va = m->va,
						   .size_b = m->size_b,
						   .offset_b = m->bo_offset_b,
						   .buffer = b ? b->id : 0,
						   .flags = m->flags};
		BW_TRY(bw_vec_push(&out->maps, one));
		out->summary.mapped_b += m->size_b;
	}
	out->has_maps = out->maps.len != c->maps.len ||
			(out->maps.len && memcmp(out->maps.data, c->maps.data,
						 out->maps.len * sizeof(*out->maps.data)));
	if (!out->has_maps)
		out->maps.len = 0;
	return NULL;
}

static struct bw_error *keep_maps(struct bw_capture_memory *c,
				  const struct bw_capture_submission *sub)
{
	if (!sub->has_maps)
		return NULL;
	BW_TRY(bw_vec_reserve(&c->maps, sub->maps.len));
	if (sub->maps.len)
		memcpy(c->maps.data, sub->maps.data, sub->maps.len * sizeof(*c->maps.data));
	c->maps.len = sub->maps.len;
	return NULL;
}

struct bw_error *bw_capture_memory_before(struct bw_agent_file *f, struct bw_capture_memory *c,
					  struct bw_capture_submission *out)
{
	struct bw_agent_maps maps = {0};
	struct bw_track_buffers all = {0};
	struct bw_error *err = bw_track_maps(f, &maps);
	if (!err)
		err = bw_track_buffers(f, &all);
	if (!err)
		err = note_buffers(c, &all, out);
	if (!err)
		err = note_maps(c, &maps, out);
	/* before the look, so that what is written meanwhile is seen by the next one */
	if (!err)
		err = ask_what_is_written(c);
	if (!err && c->is_settled)
		err = look_at_shared(f, c, &maps, &c->maps, &out->runs);
	else if (!err)
		err = look_at_all(f, c, &maps, &out->runs);
	if (!err)
		err = keep_maps(c, out);
	bw_vec_free(&maps);
	bw_vec_free(&all);
	c->is_settled = !err;
	return err;
}

struct bw_error *bw_capture_memory_behind(struct bw_agent_file *f, struct bw_capture_memory *c,
					  struct bw_capture_runs *out)
{
	struct bw_agent_maps maps = {0};
	struct bw_error *err = bw_track_maps(f, &maps);
	if (!err)
		err = look_at_all(f, c, &maps, out);
	bw_vec_free(&maps);
	return err;
}
