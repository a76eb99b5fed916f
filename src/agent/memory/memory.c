/* SPDX-License-Identifier: MIT */
#include "agent/memory/memory.h"

#include <errno.h>
#include <string.h>

#include "agent/memory/cpu_writes.h"
#include "agent/memory/track_priv.h"
#include "base/util.h"

enum { PAGE_B = 4096 };

/* Makes the agent's own mapping of a buffer. Nothing is locked meanwhile. */
static int map_bo(struct bw_agent_file *f, uint32_t handle, uint64_t size_b)
{
	uint8_t *p = NULL;
	int r = bw_track_map_cpu(f, handle, size_b, &p);
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->lock);
	struct bw_track_bo *bo = bw_table_find(&t->bos, handle);
	bool keep = !r && bo && !bo->cpu && bo->size_b == size_b;
	if (keep)
		bo->cpu = p;
	else if (bo && r == -EPERM)
		bo->no_cpu = true;
	pthread_mutex_unlock(&t->lock);
	if (!keep)
		bw_track_unmap_cpu(p, size_b);
	return r == -EPERM ? 0 : r; /* no_cpu says it */
}

/* Whole dwords at a time where that is possible: waves may be running over them. */
static void copy(void *to, const void *from, size_t size_b)
{
	if (((uintptr_t)to | (uintptr_t)from | size_b) % 4) {
		memcpy(to, from, size_b);
		return;
	}
	volatile uint32_t *t = to;
	const volatile uint32_t *f = from;
	for (size_t i = 0; i < size_b / 4; i++)
		t[i] = f[i];
}

/* The program may have unmapped it: no signal may come of it. */
static bool copy_user(uint8_t *user, void *data, size_t size_b, bool write)
{
	return write ? bw_agent_copy_out(user, data, size_b)
		     : bw_agent_copy_in(data, (uintptr_t)user, size_b);
}

static bool see_user(uint8_t *user, size_t size_b, bw_memory_see_fn see, void *ctx)
{
	uint8_t bytes[8 * PAGE_B];
	for (size_t at = 0, n; at < size_b; at += n) {
		n = BW_MIN(size_b - at, sizeof(bytes));
		if (!copy_user(user + at, bytes, n, false))
			return false;
		see(ctx, bytes, n);
	}
	return true;
}

/* The kind of access: memory is shown to see, or else copied from or to data. */
struct access {
	uint8_t *data;
	bool write;
	bw_memory_see_fn see;
	void *ctx;
};

/* Accesses a buffer that can be reached; the caller holds the lock. */
static bool access_bo(const struct access *a, struct bw_track_bo *bo, uint64_t offset,
		      size_t size_b)
{
	if (a->see && bo->user)
		return see_user(bo->user + offset, size_b, a->see, a->ctx);
	if (bo->user)
		return copy_user(bo->user + offset, a->data, size_b, a->write);
	if (a->see)
		a->see(a->ctx, bo->cpu + offset, size_b);
	else if (a->write)
		copy(bo->cpu + offset, a->data, size_b);
	else
		copy(a->data, bo->cpu + offset, size_b);
	return true;
}

/* One piece, up to the end of its mapping; returns its length, or -errno. */
static ssize_t access_piece(struct bw_agent_file *f, uint64_t va, size_t size_b,
			    const struct access *a)
{
	struct bw_track *t = f->track;
	for (;;) {
		pthread_mutex_lock(&t->lock);
		size_t at = bw_track_find_range(t, va);
		const struct bw_agent_map *m =
			at < t->maps.len && t->maps.data[at].va <= va ? &t->maps.data[at] : NULL;
		struct bw_track_bo *bo = m ? bw_table_find(&t->bos, m->bo_handle) : NULL;
		ssize_t r = 0;
		uint32_t handle = 0;
		uint64_t bo_size_b = 0;
		if (!bo) {
			r = -EFAULT;
		} else if (bo->no_cpu) {
			r = -EPERM;
		} else if (!bo->user && !bo->cpu) {
			handle = (uint32_t)bo->handle;
			bo_size_b = bo->size_b;
		} else {
			uint64_t offset = m->bo_offset_b + (va - m->va);
			uint64_t room = bw_align_up(bo->size_b, PAGE_B);
			uint64_t left = BW_MIN(m->va + m->size_b - va, (uint64_t)size_b);
			left = offset < room ? BW_MIN(left, room - offset) : 0;
			if (a->write && left)
				bw_cpu_writes_by_agent(bo->serial, offset, left);
			r = left && access_bo(a, bo, offset, left) ? (ssize_t)left : -EFAULT;
		}
		pthread_mutex_unlock(&t->lock);
		if (!handle)
			return r;
		int mapped = map_bo(f, handle, bo_size_b);
		if (mapped)
			return mapped;
	}
}

/* GPU memory as it is, patches and all. */
static int access_memory(struct bw_agent_file *f, uint64_t va, size_t size_b, struct access a,
			 uint64_t *out_va)
{
	va &= BW_VA_MASK;
	while (size_b) {
		ssize_t n = access_piece(f, va, size_b, &a);
		if (n <= 0) {
			*out_va = bw_canonical(va);
			return (int)n;
		}
		va += (size_t)n;
		a.data = a.data ? a.data + n : NULL;
		size_b -= (size_t)n;
	}
	return 0;
}

static int write_bytes(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		       uint64_t *out_va)
{
	return access_memory(f, va, size_b, (struct access){.data = (void *)data, .write = true},
			     out_va);
}

/* ---- Patches: code that the debugger has overwritten, with the original bytes ---- */

static bool touches(const struct bw_track_patch *p, uint64_t va, uint64_t size_b)
{
	uint64_t end = va + size_b < va ? UINT64_MAX : va + size_b;
	return p->va < end && va < p->va + p->size_b;
}

/* The part of the patch inside [va, va + size): where it begins in the patch and in the range. */
static size_t overlap(const struct bw_track_patch *p, uint64_t va, size_t size_b,
		      size_t *out_in_patch, size_t *out_in_range)
{
	uint64_t from = BW_MAX(p->va, va), to = BW_MIN(p->va + p->size_b, va + size_b);
	*out_in_patch = (size_t)(from - p->va);
	*out_in_range = (size_t)(from - va);
	return (size_t)(to - from);
}

/* The caller holds the patches' lock. */
static int read_original(struct bw_agent_file *f, uint64_t va, void *out, size_t size_b,
			 uint64_t *out_va)
{
	int r = access_memory(f, va, size_b, (struct access){.data = out}, out_va);
	bw_vec_each(&f->track->patches, p) {
		size_t in_patch, in_range;
		if (r || !touches(p, va, size_b))
			continue;
		size_t n = overlap(p, va, size_b, &in_patch, &in_range);
		memcpy((char *)out + in_range, p->original + in_patch, n);
	}
	return r;
}

int bw_memory_read(struct bw_agent_file *f, uint64_t va, void *out, size_t size_b, uint64_t *out_va)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->patch_lock);
	int r = read_original(f, va & BW_VA_MASK, out, size_b, out_va);
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

static bool is_patched(const struct bw_track *t, uint64_t va, uint64_t size_b)
{
	bw_vec_each(&t->patches, p)
		if (touches(p, va, size_b))
			return true;
	return false;
}

/* One page or less, of which the debugger has overwritten a part: from a copy. */
static int look_at_copy(struct bw_agent_file *f, uint64_t va, size_t size_b, bw_memory_see_fn see,
			void *ctx)
{
	uint8_t bytes[PAGE_B];
	uint64_t bad_va;
	int r = read_original(f, va, bytes, size_b, &bad_va);
	if (!r)
		see(ctx, bytes, size_b);
	return r;
}

/* The caller holds the patches' lock. Shows all at once if no page has a patch, else page by
 * page. */
static int show_original(struct bw_agent_file *f, uint64_t va, size_t size_b, bw_memory_see_fn see,
			 void *ctx)
{
	const bool is_plain = !is_patched(f->track, va, size_b);
	int r = 0;
	for (size_t at = 0, n; !r && at < size_b; at += n) {
		uint64_t bad_va;
		n = is_plain ? size_b : BW_MIN(size_b - at, PAGE_B - (va + at) % PAGE_B);
		if (!is_plain && is_patched(f->track, va + at, n))
			r = look_at_copy(f, va + at, n, see, ctx);
		else
			r = access_memory(f, va + at, n, (struct access){.see = see, .ctx = ctx},
					  &bad_va);
	}
	return r;
}

int bw_memory_look(struct bw_agent_file *f, uint64_t va, size_t size_b, bw_memory_see_fn see,
		   void *ctx)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->patch_lock);
	int r = show_original(f, va & BW_VA_MASK, size_b, see, ctx);
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

/* Piece by piece around the patches, so that not even for a moment a breakpoint is away. */
static int write_around(struct bw_agent_file *f, uint64_t va, const uint8_t *data, size_t size_b,
			uint64_t *out_va)
{
	struct bw_track *t = f->track;
	while (size_b) {
		struct bw_track_patch *next =
			NULL; /* the first one that begins or lasts at or after va */
		bw_vec_each(&t->patches, p)
			if (touches(p, va, size_b) && (!next || p->va < next->va))
				next = p;
		size_t plain = !next ? size_b : next->va > va ? (size_t)(next->va - va) : 0;
		int r = plain ? write_bytes(f, va, data, plain, out_va) : 0;
		if (r)
			return r;
		size_t done = plain;
		if (next) {
			size_t in_patch, in_range;
			size_t n = overlap(next, va, size_b, &in_patch, &in_range);
			memcpy(next->original + in_patch, data + in_range, n);
			done += n;
		}
		va += done;
		data += done;
		size_b -= done;
	}
	return 0;
}

int bw_memory_write(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		    uint64_t *out_va)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->patch_lock);
	int r = write_around(f, va & BW_VA_MASK, data, size_b, out_va);
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

static int set_locked(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		      uint64_t *out_va)
{
	struct bw_track *t = f->track;
	bool known = false;
	bw_vec_each(&t->patches, p) {
		known |= p->va == va && p->size_b == size_b;
		if (touches(p, va, size_b) && !known)
			return -EEXIST;
	}
	if (!known) {
		struct bw_track_patch p = {.va = va, .size_b = (uint32_t)size_b};
		int r = access_memory(f, va, size_b, (struct access){.data = p.original}, out_va);
		if (r)
			return r;
		struct bw_error *err = bw_vec_push(&t->patches, p);
		if (err) {
			bw_error_free(err);
			return -ENOMEM;
		}
	}
	int r = write_bytes(f, va, data, size_b, out_va);
	if (r && !known)
		t->patches.len--;
	return r;
}

int bw_memory_patch(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		    uint64_t *out_va)
{
	struct bw_track *t = f->track;
	if (!size_b || size_b > BW_PATCH_MAX_B)
		return -EINVAL;
	pthread_mutex_lock(&t->patch_lock);
	int r = set_locked(f, va & BW_VA_MASK, data, size_b, out_va);
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

static int put_back(struct bw_agent_file *f, const struct bw_track_patch *p)
{
	uint64_t va;
	return write_bytes(f, p->va, p->original, p->size_b, &va);
}

int bw_memory_unpatch(struct bw_agent_file *f, uint64_t va)
{
	struct bw_track *t = f->track;
	int r = -ENOENT;
	pthread_mutex_lock(&t->patch_lock);
	for (size_t i = 0; i < t->patches.len; i++) {
		if (t->patches.data[i].va == (va & BW_VA_MASK)) {
			r = put_back(f, &t->patches.data[i]);
			bw_vec_remove(&t->patches, i);
			break;
		}
	}
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

void bw_memory_unpatch_range(struct bw_agent_file *f, uint64_t va, uint64_t size_b)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->patch_lock);
	for (size_t i = t->patches.len; i-- > 0;) {
		if (!touches(&t->patches.data[i], va, size_b))
			continue;
		put_back(f, &t->patches.data[i]);
		bw_vec_remove(&t->patches, i);
	}
	pthread_mutex_unlock(&t->patch_lock);
}
