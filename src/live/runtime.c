// SPDX-License-Identifier: MIT
/* Requests for what a program's runtime has made: code objects, queues. */
#include "live/live_priv.h"
#include "live/operations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/memfd.h"
#include "base/shown.h"

enum { MAX_CODE_B = 1 << 30 };

struct queues BW_VEC(struct bw_target_queue);

struct bw_error *bw_live_loaded(struct bw_target *t, struct bw_target_loaded **out, size_t *out_n)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	BW_TRY(bw_live_need_vm(l, &vm));
	const uint8_t *from;
	BW_TRY(bw_live_ask(l, vm->proc, BW_AGENT_CODES, NULL, 0,
			   "listing the program's code objects"));
	size_t n = bw_live_reply_list(l, sizeof(struct bw_agent_loaded), &from);
	struct bw_target_loaded *all = calloc(n ? n : 1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_loaded one;
		memcpy(&one, from + i * sizeof(one), sizeof(one));
		all[i].base = one.base;
		_Static_assert(sizeof(all[i].uri) == sizeof(one.uri), "texts have the same room");
		memcpy(all[i].uri, one.uri, sizeof(one.uri));
		all[i].uri[sizeof(all[i].uri) - 1] = 0;
		bw_make_line(all[i].uri, 0);
	}
	*out = all;
	*out_n = n;
	return NULL;
}

struct bw_error *bw_live_loaded_bytes(struct bw_target *t, uint64_t base, uint8_t **out,
				      size_t *out_size_b)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	struct bw_agent_loaded_at req = {.base = base};
	const struct bw_msg_part part = {&req, sizeof(req)};
	_cleanup_close_ int fd = -1;
	uint64_t size_b;
	void *mapped;
	BW_TRY(bw_live_need_vm(l, &vm));
	BW_TRY(bw_live_request(l, vm->proc, BW_AGENT_CODE_BYTES, &part, 1, &fd));
	BW_TRY(bw_live_result(l, "reading a code object"));
	if (l->reply.body_b < sizeof(struct bw_agent_result) + sizeof(size_b) || fd < 0)
		return bw_errorf(BW_E_INVALID, "the program's agent sent no code object");
	memcpy(&size_b, l->reply.body + sizeof(struct bw_agent_result), sizeof(size_b));
	if (!size_b || size_b > MAX_CODE_B)
		return bw_errorf(BW_E_INVALID,
				 "the code object at 0x%" PRIx64 " has %" PRIu64 " bytes", base,
				 size_b);
	BW_TRY(bw_memfd_map(fd, size_b, "a code object", &mapped));
	uint8_t *copy = malloc(size_b);
	if (copy)
		memcpy(copy, mapped, size_b);
	munmap(mapped, size_b);
	if (!copy)
		return bw_error_nomem();
	*out = copy;
	*out_size_b = size_b;
	return NULL;
}

/* Adds those of one program to the array. */
static struct bw_error *add_queues(struct bw_live *l, struct bw_live_proc *p, struct queues *out)
{
	const uint8_t *from;
	BW_TRY(bw_live_ask(l, p, BW_AGENT_QUEUES, NULL, 0, "listing the program's queues"));
	size_t n = bw_live_reply_list(l, sizeof(struct bw_agent_aql_queue), &from);
	for (size_t i = 0; i < n; i++) {
		struct bw_agent_aql_queue q;
		struct bw_live_vm *vm;
		memcpy(&q, from + i * sizeof(q), sizeof(q));
		BW_TRY(bw_live_vm_of(l, p, q.file, &vm));
		const struct bw_queue_key key = {
			.vm = vm->number, .ip_type = q.ip_type, .ring = q.id};
		BW_TRY(bw_vec_push(
			out, ((struct bw_target_queue){.number = bw_live_queue_number(l, &key),
						       .space = vm->number,
						       .id = q.id,
						       .n_slots = q.n_slots,
						       .ring_va = q.ring_va,
						       .read_va = q.read_va,
						       .write_va = q.write_va,
						       .passed = q.passed})));
	}
	return NULL;
}

struct bw_error *bw_live_queues(struct bw_target *t, struct bw_target_queue **out, size_t *out_n)
{
	struct bw_live *l = bw_live_of(t);
	struct queues all = {0};
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < l->procs.len; i++)
		if (l->procs.data[i]->fd >= 0 && l->procs.data[i]->has_greeted)
			err = add_queues(l, l->procs.data[i], &all);
	if (err) {
		bw_vec_free(&all);
		return err;
	}
	*out = all.data;
	*out_n = all.len;
	return NULL;
}
