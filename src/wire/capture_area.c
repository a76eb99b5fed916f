/* SPDX-License-Identifier: MIT */
#include "wire/capture_area.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/util.h"

enum { DATA_AT_B = 4096, LINE_B = 64, ALIGN_B = 8 };

/* At the start of the memory; the messages are after it. */
struct bw_capture_area_head {
	_Alignas(LINE_B) _Atomic uint64_t written; /* the writer's */
	_Alignas(LINE_B) _Atomic uint64_t read;	   /* the reader's */
	_Atomic uint32_t is_over;		   /* likewise */
};

static uint64_t entry_b(uint32_t body_b)
{
	return sizeof(struct bw_capture_area_entry) + bw_align_up((uint64_t)body_b, ALIGN_B);
}

_Static_assert(sizeof(struct bw_capture_area_head) <= DATA_AT_B, "it is before the messages");
_Static_assert(BW_CAPTURE_AREA_B >= BW_MSG_MAX_BODY_B + 4096, "the longest message has room");

struct bw_error *bw_capture_area_map(int fd, struct bw_capture_area *out)
{
	void *p;
	BW_TRY(bw_memfd_map(fd, DATA_AT_B + (uint64_t)BW_CAPTURE_AREA_B, "a capture's memory", &p));
	*out = (struct bw_capture_area){.shared = p};
	return NULL;
}

struct bw_error *bw_capture_area_make(struct bw_capture_area *out, int *out_fd)
{
	_cleanup_close_ int fd =
		bw_memfd_sealed("breakwater-capture", DATA_AT_B + BW_CAPTURE_AREA_B);
	if (fd < 0)
		return bw_error_errno(errno, "making memory for a capture");
	BW_TRY(bw_capture_area_map(fd, out));
	*out_fd = bw_take_fd(fd);
	return NULL;
}

void bw_capture_area_unmap(struct bw_capture_area *a)
{
	if (a->shared)
		munmap(a->shared, DATA_AT_B + (size_t)BW_CAPTURE_AREA_B);
	*a = (struct bw_capture_area){.shared = NULL};
}

/* ---- Bytes, around the end ---- */

static uint8_t *data_at(const struct bw_capture_area *a, uint64_t at, size_t *out_b)
{
	uint64_t offset_b = at % BW_CAPTURE_AREA_B;
	*out_b = (size_t)(BW_CAPTURE_AREA_B - offset_b);
	return (uint8_t *)a->shared + DATA_AT_B + offset_b;
}

static uint64_t copy_in(const struct bw_capture_area *a, uint64_t at, const void *from,
			size_t size_b)
{
	size_t room_b;
	uint8_t *to = data_at(a, at, &room_b);
	size_t first_b = BW_MIN(size_b, room_b);
	if (first_b)
		memcpy(to, from, first_b);
	if (size_b > first_b)
		memcpy(data_at(a, at + first_b, &room_b), (const uint8_t *)from + first_b,
		       size_b - first_b);
	return at + size_b;
}

static void copy_out(const struct bw_capture_area *a, uint64_t at, void *to, size_t size_b)
{
	size_t room_b;
	const uint8_t *from = data_at(a, at, &room_b);
	size_t first_b = BW_MIN(size_b, room_b);
	if (first_b)
		memcpy(to, from, first_b);
	if (size_b > first_b)
		memcpy((uint8_t *)to + first_b, data_at(a, at + first_b, &room_b),
		       size_b - first_b);
}

/* ---- Writing ---- */

bool bw_capture_area_put(struct bw_capture_area *a, uint16_t type, uint64_t time_ns,
			 const struct bw_msg_part *parts, size_t n_parts)
{
	uint64_t body_b = 0;
	for (size_t i = 0; i < n_parts; i++)
		body_b += parts[i].size_b;
	uint64_t used_b = a->at - atomic_load_explicit(&a->shared->read, memory_order_acquire);
	if (body_b > BW_MSG_MAX_BODY_B || used_b > BW_CAPTURE_AREA_B ||
	    entry_b((uint32_t)body_b) > BW_CAPTURE_AREA_B - used_b)
		return false;
	const struct bw_capture_area_entry entry = {
		.body_b = (uint32_t)body_b, .type = type, .time_ns = time_ns};
	uint64_t at = copy_in(a, a->at, &entry, sizeof(entry));
	for (size_t i = 0; i < n_parts; i++)
		at = copy_in(a, at, parts[i].data, parts[i].size_b);
	a->at += entry_b(entry.body_b);
	atomic_store_explicit(&a->shared->written, a->at, memory_order_release);
	return true;
}

bool bw_capture_area_is_over(const struct bw_capture_area *a)
{
	return atomic_load_explicit(&a->shared->is_over, memory_order_relaxed);
}

/* ---- Reading ---- */

void bw_capture_area_begin(struct bw_capture_area *a)
{
	a->limit = atomic_load_explicit(&a->shared->written, memory_order_acquire);
}

static struct bw_error *bad(void)
{
	return bw_errorf(BW_E_INVALID, "its messages make no sense");
}

struct bw_error *bw_capture_area_peek(const struct bw_capture_area *a,
				      struct bw_capture_area_entry *out, bool *out_has)
{
	struct bw_capture_area_entry entry;
	uint64_t there_b = a->limit - a->at;
	if (!there_b) {
		*out_has = false;
		return NULL;
	}
	if (there_b > BW_CAPTURE_AREA_B || there_b < sizeof(entry))
		return bad();
	copy_out(a, a->at, &entry, sizeof(entry));
	if (entry.body_b > BW_MSG_MAX_BODY_B || entry_b(entry.body_b) > there_b)
		return bad();
	*out = entry;
	*out_has = true;
	return NULL;
}

struct bw_error *bw_capture_area_take(struct bw_capture_area *a,
				      const struct bw_capture_area_entry *entry, struct bw_msg *out)
{
	if (entry->body_b > out->body_cap) {
		uint8_t *bigger = realloc(out->body, entry->body_b);
		if (!bigger)
			return bw_error_nomem();
		out->body = bigger;
		out->body_cap = entry->body_b;
	}
	copy_out(a, a->at + sizeof(*entry), out->body, entry->body_b);
	out->type = entry->type;
	out->seq = 0;
	out->body_b = entry->body_b;
	a->at += entry_b(entry->body_b);
	atomic_store_explicit(&a->shared->read, a->at, memory_order_release);
	return NULL;
}

void bw_capture_area_end(struct bw_capture_area *a)
{
	atomic_store_explicit(&a->shared->is_over, 1, memory_order_relaxed);
}
