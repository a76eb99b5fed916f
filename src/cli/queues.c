/* SPDX-License-Identifier: MIT */
/* breakwater queues: what the command processors have to do: hardware queues and their descriptors,
 * copy engines, rings and fences. */
#include "cli/queues.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater queues [--all] [--mqd] [--kfd] [--gpu GPU]\n"
	"\n"
	"Shows the hardware queues that are mapped, of graphics, compute and the scheduler, with the "
	"process that owns each; queues that programs have made for themselves (Linux 6.16 and later), "
	"with the hardware queue that each has now; where AQL queues of programs of ROCm stand, and "
	"why; the copy engines' queues; what the command "
	"processors are busy with; the driver's rings with their pointers and fences.\n";

/* ---- hardware queues ---- */

/* Registers of a kind of queue, by name. */
struct kind {
	const char *name, *active, *vmid, *base, *base_hi, *rptr, *wptr, *wptr_hi, *control,
		*size_field, *doorbell, *mqd, *mqd_hi, *dequeue, *error;
	const char *rptr_addr, *rptr_addr_hi, *wptr_addr, *wptr_addr_hi; /* of compute */
};
static const struct kind compute = {
	.name = "compute",
	.active = "CP_HQD_ACTIVE",
	.vmid = "CP_HQD_VMID",
	.base = "CP_HQD_PQ_BASE",
	.base_hi = "CP_HQD_PQ_BASE_HI",
	.rptr = "CP_HQD_PQ_RPTR",
	.wptr = "CP_HQD_PQ_WPTR_LO",
	.wptr_hi = "CP_HQD_PQ_WPTR_HI",
	.control = "CP_HQD_PQ_CONTROL",
	.size_field = "QUEUE_SIZE",
	.doorbell = "CP_HQD_PQ_DOORBELL_CONTROL",
	.mqd = "CP_MQD_BASE_ADDR",
	.mqd_hi = "CP_MQD_BASE_ADDR_HI",
	.dequeue = "CP_HQD_DEQUEUE_REQUEST",
	.error = "CP_HQD_ERROR",
	.rptr_addr = "CP_HQD_PQ_RPTR_REPORT_ADDR",
	.rptr_addr_hi = "CP_HQD_PQ_RPTR_REPORT_ADDR_HI",
	.wptr_addr = "CP_HQD_PQ_WPTR_POLL_ADDR",
	.wptr_addr_hi = "CP_HQD_PQ_WPTR_POLL_ADDR_HI",
};
static const struct kind graphics = {
	.name = "graphics",
	.active = "CP_GFX_HQD_ACTIVE",
	.vmid = "CP_GFX_HQD_VMID",
	.base = "CP_GFX_HQD_BASE",
	.base_hi = "CP_GFX_HQD_BASE_HI",
	.rptr = "CP_GFX_HQD_RPTR",
	.wptr = "CP_GFX_HQD_WPTR",
	.wptr_hi = "CP_GFX_HQD_WPTR_HI",
	.control = "CP_GFX_HQD_CNTL",
	.size_field = "RB_BUFSZ",
	.doorbell = "CP_RB_DOORBELL_CONTROL",
	.mqd = "CP_GFX_MQD_BASE_ADDR",
	.mqd_hi = "CP_GFX_MQD_BASE_ADDR_HI",
	.dequeue = "CP_GFX_HQD_DEQUEUE_REQUEST",
};

struct queue {
	const struct kind *kind;
	struct bw_kmd_bank bank;
	uint32_t active, vmid, rptr, control, doorbell, dequeue, error;
	uint64_t base, wptr, size_dw, mqd;
	bool is_aql;
	uint64_t rptr_addr, wptr_addr; /* of an AQL queue: where its indices are */
};

/* 0 where the GPU has no such register. */
static uint32_t get(const struct bw_gpu *g, const struct bw_kmd_bank *bank, const char *name,
		    struct bw_error **err)
{
	uint32_t value = 0;
	struct bw_error *e = name && !*err ? bw_gpu_read(g, bank, name, &value) : NULL;
	if (!bw_error_catch(&e, BW_E_NOT_FOUND) && e)
		*err = e;
	return value;
}

/* A field of a register's value. False: the GPU has no such register or field. */
static bool field_of(const struct bw_gpu *g, const char *name, const char *field, uint32_t value,
		     uint32_t *out)
{
	struct bw_reg reg;
	struct bw_reg_field f;
	uint32_t addr_dw;
	if (!bw_gpu_find(g, name, &reg, &addr_dw))
		return false;
	_cleanup_error_ struct bw_error *none = bw_reg_field_by_name(&reg, field, &f);
	if (!none)
		*out = bw_reg_field_get(f, value);
	return !none;
}

static struct bw_error *read_queue(const struct bw_gpu *g, struct queue *q)
{
	const struct kind *k = q->kind;
	struct bw_error *err = NULL;
	q->active = get(g, &q->bank, k->active, &err) & 1;
	q->vmid = get(g, &q->bank, k->vmid, &err) & 0xf;
	uint32_t base = get(g, &q->bank, k->base, &err), hi = get(g, &q->bank, k->base_hi, &err);
	q->base = bw_join_256b(hi, base);
	q->rptr = get(g, &q->bank, k->rptr, &err);
	uint32_t wptr = get(g, &q->bank, k->wptr, &err);
	q->wptr = bw_join32(get(g, &q->bank, k->wptr_hi, &err), wptr);
	q->control = get(g, &q->bank, k->control, &err);
	uint32_t doorbell = get(g, &q->bank, k->doorbell, &err);
	q->dequeue = get(g, &q->bank, k->dequeue, &err);
	q->error = get(g, &q->bank, k->error, &err);
	uint32_t mqd = get(g, &q->bank, k->mqd, &err);
	q->mqd = bw_join32(get(g, &q->bank, k->mqd_hi, &err), mqd) & ~3ull;
	uint32_t lo = get(g, &q->bank, k->rptr_addr, &err);
	q->rptr_addr = bw_canonical(bw_join32(get(g, &q->bank, k->rptr_addr_hi, &err), lo));
	lo = get(g, &q->bank, k->wptr_addr, &err);
	q->wptr_addr = bw_canonical(bw_join32(get(g, &q->bank, k->wptr_addr_hi, &err), lo));
	if (err)
		return err;
	/* 2: indices count packets, and are in memory (kfd_mqd_manager_v11.c of Linux 6.12) */
	uint32_t size, is_on, slots = 0;
	q->is_aql = field_of(g, k->control, "SLOT_BASED_WPTR", q->control, &slots) && slots == 2;
	/* doc/hardware/kernel-interface.md 5: 2^(n + 1) dwords */
	if (field_of(g, k->control, k->size_field, q->control, &size))
		q->size_dw = 2ull << size;
	if (field_of(g, k->doorbell, "DOORBELL_EN", doorbell, &is_on) && is_on)
		field_of(g, k->doorbell, "DOORBELL_OFFSET", doorbell, &q->doorbell);
	return NULL;
}

static void add_state(const struct queue *q, struct bw_str *out)
{
	uint64_t rptr = q->size_dw ? q->rptr % q->size_dw : q->rptr,
		 wptr = q->size_dw ? q->wptr % q->size_dw : q->wptr;
	bw_str_add(out, !q->active     ? "not active"
			: q->is_aql    ? "AQL"
			: rptr == wptr ? "empty"
				       : "busy");
	if (q->dequeue & 0xf)
		bw_str_add(out, ", being unmapped");
	if (q->error)
		bw_str_addf(out, ", error 0x%x", q->error);
}

/* ---- which one the kernel uses for what ---- */

/* Whether it is the queue by which the driver maps others (KIQ): the scheduler's register has its
 * place (gfx_v9_0_kiq_setting, mes_v11_0_kiq_setting of Linux 6.12). */
static bool is_kiq(const struct bw_gpu *g, const struct queue *q)
{
	enum { VALID = 0x80 };
	const struct bw_kmd_bank *b = &q->bank;
	struct bw_error *err = NULL;
	uint32_t place = get(g, NULL, "RLC_CP_SCHEDULERS", &err) & 0xff;
	bool is_known = !err && place & VALID;
	bw_error_free(err);
	return is_known && (place & ~(uint32_t)VALID) == (b->me << 5 | b->pipe << 3 | b->queue);
}

/* KFD_CIK_HIQ_PIPE and KFD_CIK_HIQ_QUEUE, kfd_priv.h of Linux 6.12: in it KFD tells the
 * scheduler's firmware what to run. */
static bool is_hiq(const struct bw_gpu *g, const struct queue *q)
{
	return q->kind == &compute && q->bank.me == 2 && !q->bank.pipe && !q->bank.queue &&
	       !q->vmid && bw_ip_major(g->part.gc) < 11;
}

static const char *purpose(const struct bw_gpu *g, const struct queue *q)
{
	if (q->active && is_kiq(g, q))
		return "KIQ";
	if (q->active && is_hiq(g, q))
		return "HIQ";
	return q->bank.me == BW_QUEUES_MES ? "scheduler" : q->kind->name;
}

struct queue_row {
	struct queue q;
	char name[40];
	const char *kind;
	struct bw_str owner, state;
};

static const struct bw_fact queue_rows[] = {
	{"Queue", "queue", "text", BW_OF(struct queue_row, name)},
	{"For", "kind", "graphics|compute|scheduler|KIQ|HIQ", BW_OF(struct queue_row, kind)},
	{"VMID", "vmid", "count", BW_OF(struct queue_row, q.vmid)},
	{"Process", "owner", "text", BW_OF(struct queue_row, owner)},
	{"State", "state", "text", BW_OF(struct queue_row, state)},
	{"Ring", "base", "hex", BW_OF(struct queue_row, q.base)},
	{"Words", "size", "count", BW_OF(struct queue_row, q.size_dw)},
	{"Read", "rptr", "hex", BW_OF(struct queue_row, q.rptr), .align = BW_ALIGN_RIGHT},
	{"Write", "wptr", "hex", BW_OF(struct queue_row, q.wptr), .align = BW_ALIGN_RIGHT},
	{"Doorbell", "doorbell", "hex", BW_OF(struct queue_row, q.doorbell)},
	{"MQD", "mqd", "hex", BW_OF(struct queue_row, q.mqd)},
};
BW_FACTS(queue_facts, "queues", "queues", queue_rows);

static void add_row(const struct bw_gpu *g, struct bw_table *t, const struct queue *q)
{
	struct bw_kmd_client process;
	struct queue_row r = {.q = *q, .kind = purpose(g, q)};
	snprintf(r.name, sizeof(r.name), "me%u.pipe%u.queue%u", q->bank.me, q->bank.pipe,
		 q->bank.queue);
	if (bw_gpu_process_of(g->kmd, q->vmid, &process))
		bw_str_addf(&r.owner, "%s (%d)", process.comm, (int)process.pid);
	else
		bw_str_add(&r.owner, q->vmid ? "not known" : "the driver");
	add_state(q, &r.state);
	bw_table_row(t, &r);
	bw_str_free(&r.owner);
	bw_str_free(&r.state);
}

/* The scheduler's own queue has a descriptor like those of compute. */
static void note_mqd(struct bw_queues *c, const struct bw_gpu *g, const struct queue *q,
		     struct bw_table *t, json_t *mqds)
{
	char name[40];
	snprintf(name, sizeof(name), "me%u.pipe%u.queue%u", q->bank.me, q->bank.pipe,
		 q->bank.queue);
	bw_queues_note_mqd(c, g,
			   &(struct bw_queues_mqd){.queue = name,
						   .bank = &q->bank,
						   .address = q->mqd,
						   .is_graphics = q->kind == &graphics},
			   t, mqds);
}

static struct bw_error *keep(struct bw_queues *c, const struct queue *q)
{
	struct bw_queues_mapped mapped = {q->bank, bw_queues_mqd_address(q->mqd)};
	struct bw_queues_aql aql = {.vmid = q->vmid, .bank = q->bank};
	if (!q->active)
		return NULL;
	BW_TRY(bw_vec_push(&c->mapped, mapped));
	if (!q->is_aql)
		return NULL;
	snprintf(aql.name, sizeof(aql.name), "me%u.pipe%u.queue%u", q->bank.me, q->bank.pipe,
		 q->bank.queue);
	aql.ring = (struct bw_aql_ring){.va = q->base,
					.read_va = q->rptr_addr,
					.write_va = q->wptr_addr,
					.n_slots = (uint32_t)(q->size_dw / BW_AQL_PACKET_DW)};
	return bw_vec_push(&c->aql, aql);
}

static struct bw_error *show_queues(struct bw_queues *c, const struct bw_gpu *g, json_t *mqds)
{
	/* gfx_v11_0.c, gfx_v10_0.c and mes_v11_0.c of Linux 6.12: micro engines, pipes and queues
	 * that the driver or KFD may use */
	const bool has_mes = bw_ip_major(g->part.gc) >= 11;
	const struct {
		const struct kind *kind;
		unsigned me, pipes, queues;
		bool is_there;
	} places[] = {{&graphics, 0, 2, 1, bw_ip_major(g->part.gc) >= 10},
		      {&compute, 1, 4, 8, true},
		      {&compute, 2, 4, 8, !has_mes},
		      {&compute, BW_QUEUES_MES, 2, 1, has_mes}};
	struct bw_table t;
	bw_table_begin(&t, &queue_facts);
	struct bw_error *err = NULL;
	bool is_any = false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(places); i++)
		for (unsigned n = 0; places[i].is_there && !err && !bw_look_ended &&
				     n < places[i].pipes * places[i].queues;
		     n++) {
			struct queue q = {.kind = places[i].kind,
					  .bank = {.use_srbm = true,
						   .me = places[i].me,
						   .pipe = n / places[i].queues,
						   .queue = n % places[i].queues}};
			err = read_queue(g, &q);
			if (err || !(q.active || c->all))
				continue;
			add_row(g, &t, &q);
			is_any = true;
			err = keep(c, &q);
			if (c->mqd)
				note_mqd(c, g, &q, &t, mqds);
		}
	if (!err || is_any) { /* after an error none may be active, or it was not read */
		bw_out_line(c->look.out, "%s", "Hardware queues");
		bw_out_table(c->look.out, &t, "  none is active\n");
	}
	bw_table_fini(&t);
	return err;
}

static struct bw_error *show_graphics_and_compute(struct bw_queues *c, const struct bw_gpu *g)
{
	json_t *mqds = json_array();
	struct bw_error *err = show_queues(c, g, mqds);
	if (!err)
		err = bw_queues_show_users(c, g, mqds);
	if (!err && c->mqd)
		bw_out_json(c->look.out, "mqds", mqds);
	else
		json_decref(mqds);
	return err;
}

/* ---- options ---- */

static struct bw_error *show_all(struct bw_queues *c, const struct bw_gpu *g)
{
	BW_TRY(show_graphics_and_compute(c, g));
	BW_TRY(bw_queues_show_aql(c, g));
	BW_TRY(bw_queues_show_sdma(c, g));
	BW_TRY(bw_queues_show_status(c, g));
	bw_queues_show_rings(c, g);
	if (c->kfd)
		bw_queues_show_kfd(c, g);
	return bw_look_ended ? bw_errorf(BW_E_INTERRUPTED, "interrupted") : NULL;
}

static struct bw_error *run_queues(struct bw_look *l)
{
	struct bw_queues *c = l->cookie;
	struct bw_gpu g = {0};
	if (l->n_words)
		return bw_errorf(BW_E_INVALID, "queues takes options alone (see --help)");
	struct bw_error *err = bw_look_gpu_open(l, &g);
	if (!err) {
		bw_out_begin(l->out, "command", "queues");
		err = show_all(c, &g);
		if (err)
			bw_out_drop(l->out);
		else
			bw_out_end(l->out);
	}
	bw_gpu_close(&g);
	bw_vec_free(&c->mapped);
	bw_vec_free(&c->aql);
	return err;
}

static const struct bw_option rows[] = {
	{"--all", NULL, "queues that are not active, too, and registers that are 0",
	 BW_FLAG(struct bw_queues, all)},
	{"--mqd", NULL,
	 "the descriptor of each queue of graphics and compute in memory, and where the queue has another value",
	 BW_FLAG(struct bw_queues, mqd)},
	{"--kfd", NULL,
	 "the packets of AQL queues, and the queues and run lists of KFD, as the kernel writes them (Linux, root)",
	 BW_FLAG(struct bw_queues, kfd)},
	BW_LOOK_GPU,
	BW_LOOK_END,
};

const struct bw_command_line bw_line_queues = {
	.name = "breakwater queues",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.after =
		"\"breakwater ring NAME\" shows a ring's packets, \"breakwater waves\" what they started.\n",
	.word = bw_look_take_word,
};

int bw_main_queues(int argc, char **argv)
{
	struct bw_queues c = {0};
	c.look.cookie = &c;
	return bw_look_main(&c.look, &bw_line_queues, argc, argv, run_queues);
}
