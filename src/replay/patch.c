/* SPDX-License-Identifier: MIT */
#include "replay/patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

uint8_t *bw_replay_memory_at(struct bw_replay_gpu *g, const struct bw_capture_space *s, uint64_t va,
			     uint64_t *out_left_b)
{
	bw_vec_each(&s->maps, m) {
		if (va < m->va || va - m->va >= m->size_b)
			continue;
		const struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, m->buffer);
		uint64_t at = va - m->va + m->offset_b;
		uint8_t *memory = b && at < b->info.size_b
					  ? bw_replay_gpu_memory(g, s->number, m->buffer)
					  : NULL;
		if (!memory)
			return NULL;
		*out_left_b = BW_MIN(m->size_b - (va - m->va), b->info.size_b - at);
		return memory + at;
	}
	return NULL;
}

/* One run of bytes that lie in one piece, or only a question whether it is there. */
static uint8_t *piece_at(struct bw_replay_gpu *g, const struct bw_capture_space *s, uint64_t va,
			 size_t size_b, size_t *out_b)
{
	uint64_t left = 0;
	uint8_t *p = bw_replay_memory_at(g, s, va, &left);
	*out_b = (size_t)BW_MIN(left, (uint64_t)size_b);
	return p;
}

struct bw_error *bw_replay_patch_write(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				       uint64_t va, const void *bytes, size_t size_b,
				       struct bw_replay_patches *done)
{
	size_t n;
	if (!size_b)
		return NULL;
	for (size_t i = 0; i < size_b; i += n)
		if (!piece_at(g, s, va + i, size_b - i, &n))
			return bw_error_fault(va + i,
					      "the capture has no memory at 0x%llx to be changed",
					      (unsigned long long)(va + i));
	_cleanup_free_ uint8_t *both = malloc(2 * size_b);
	if (!both)
		return bw_error_nomem();
	BW_TRY(bw_vec_reserve(done, done->len + 1));
	memcpy(both + size_b, bytes, size_b);
	for (size_t i = 0; i < size_b; i += n) {
		uint8_t *p = piece_at(g, s, va + i, size_b - i, &n);
		memcpy(both + i, p, n);
		memcpy(p, both + size_b + i, n);
	}
	done->data[done->len++] = (struct bw_replay_patch){va, size_b, both, both + size_b};
	bw_take(both);
	return NULL;
}

void bw_replay_patches_undo(struct bw_replay_gpu *g, const struct bw_capture_space *s,
			    struct bw_replay_patches *done)
{
	while (done->len) {
		const struct bw_replay_patch *one = &done->data[--done->len];
		size_t n;
		for (size_t i = 0; i < one->size_b; i += n) {
			uint8_t *p = piece_at(g, s, one->va + i, one->size_b - i, &n);
			if (!p)
				break;
			for (size_t k = 0; k < n; k++)
				if (p[k] == one->now[i + k])
					p[k] = one->old[i + k];
		}
		free(one->old);
	}
	bw_vec_free(done);
}
