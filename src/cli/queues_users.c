/* SPDX-License-Identifier: MIT */
/* Part of breakwater queues: queues that programs have made for themselves (Linux 6.16 and later),
 * and which hardware queue each of them has now. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/queues.h"

/* AMDGPU_HW_IP_* (amdgpu_drm.h) that such a queue can be for */
static const char *const kinds[] = {"graphics", "compute", "copying"};
enum { GRAPHICS, COMPUTE, COPYING };

static void kind_of(const struct bw_kmd_user_queue *q, char out[24])
{
	if (q->type < BW_ARRAY_SIZE(kinds))
		snprintf(out, 24, "%s", kinds[q->type]);
	else
		snprintf(out, 24, "type %" PRIu32, q->type);
}

/* The hardware queue whose descriptor it is; NULL: none has it now. */
static const struct bw_queues_mapped *mapped(const struct bw_queues *c,
					     const struct bw_kmd_user_queue *q)
{
	bw_vec_each(&c->mapped, m)
		if (m->mqd == bw_queues_mqd_address(q->mqd))
			return m;
	return NULL;
}

struct user_row {
	struct bw_kmd_user_queue q;
	char kind[24], owner[40], hardware[40];
	uint64_t mqd;
};

static const struct bw_fact user_rows[] = {
	{"Client", "client", "count", BW_OF(struct user_row, q.client)},
	{"Queue", "queue", "count", BW_OF(struct user_row, q.queue)},
	{"Process", "owner", "text", BW_OF(struct user_row, owner)},
	{"For", "kind", "text", BW_OF(struct user_row, kind)},
	{"MQD", "mqd", "hex?", BW_OF(struct user_row, mqd), BW_IF(struct user_row, q.has_mqd)},
	{"Hardware queue", "hardware_queue", "text", BW_OF(struct user_row, hardware)},
};
BW_FACTS(user_facts, "queues users", "user_queues", user_rows);

static void add_row(struct bw_table *t, const struct bw_kmd_user_queue *q,
		    const struct bw_queues_mapped *m)
{
	struct user_row r = {*q, "not known", "not known", "the kernel does not tell"};
	if (q->pid)
		snprintf(r.owner, sizeof(r.owner), "%s (%d)", q->comm, (int)q->pid);
	if (q->has_mqd) {
		kind_of(q, r.kind);
		r.mqd = bw_queues_mqd_address(q->mqd);
		/* copy engines' queues have no register with the address of the descriptor */
		snprintf(r.hardware, sizeof(r.hardware), "%s",
			 q->type < COPYING ? "not mapped" : "not known");
	}
	if (m)
		snprintf(r.hardware, sizeof(r.hardware), "me%u.pipe%u.queue%u", m->bank.me,
			 m->bank.pipe, m->bank.queue);
	bw_table_row(t, &r);
}

struct bw_error *bw_queues_show_users(struct bw_queues *c, const struct bw_gpu *g, json_t *mqds)
{
	_cleanup_free_ struct bw_kmd_user_queue *list = NULL;
	size_t n = 0;
	BW_TRY(bw_kmd_user_queues(g->kmd, &list, &n));
	if (!n)
		return NULL;
	struct bw_table t;
	bw_table_begin(&t, &user_facts);
	for (size_t i = 0; i < n && !bw_look_ended; i++) {
		const struct bw_queues_mapped *m = list[i].has_mqd ? mapped(c, &list[i]) : NULL;
		char name[64];
		add_row(&t, &list[i], m);
		if (!c->mqd || !list[i].has_mqd || list[i].type >= COPYING)
			continue;
		snprintf(name, sizeof(name), "client %" PRIu64 " queue %" PRIu64, list[i].client,
			 list[i].queue);
		bw_queues_note_mqd(
			c, g,
			&(struct bw_queues_mqd){.queue = name,
						.bank = m ? &m->bank : NULL,
						.address = bw_queues_mqd_address(list[i].mqd),
						.is_graphics = list[i].type == GRAPHICS},
			&t, mqds);
	}
	bw_out_line(c->look.out, "%s", "User queues");
	bw_out_table(c->look.out, &t, "");
	bw_table_fini(&t);
	return NULL;
}
