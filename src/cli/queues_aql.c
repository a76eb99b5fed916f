/* SPDX-License-Identifier: MIT */
/* Part of breakwater queues: AQL queues, by which programs of ROCm start kernels. Their packets and
 * indices are read through the page tables of the process's VMID. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/queues.h"
#include "gpu/space.h"
#include "scan/scan.h"
#include "scan/symbols.h"

/* Memory of a VMID, and of the process that has it. */
struct memory {
	bool is_open;
	struct bw_gpu_space *space; /* NULL: it could not be opened */
	int fd;			    /* /proc/PID/mem; -1: it cannot be read */
};

struct queues {
	const struct bw_queues *c;
	const struct bw_gpu *gpu;
	struct bw_scan_symbols symbols;
	struct bw_aql_one *all; /* of each in c->aql; owned */
	struct memory memory[BW_GPU_VMIDS];
};

/* Linux shows the memory of a process that its driver has not allocated itself (userptr) to nobody
 * (amdgpu_iomem, doc/hardware/kernel-interface.md 5.2). ROCm's runtime gives memory the same
 * address for the GPU and the CPU, so the process has it. */
static bool read_space(void *cookie, uint64_t va, void *out, size_t size_b)
{
	struct memory *m = cookie;
	return (m->space && bw_gpu_space_read(m->space, va, out, size_b) == size_b) ||
	       (m->fd >= 0 && pread(m->fd, out, size_b, (off_t)va) == (ssize_t)size_b);
}

static struct bw_aql_memory memory_of(struct queues *q, unsigned vmid)
{
	const struct bw_kmd_client *process = bw_scan_symbols_process(&q->symbols, vmid);
	struct memory *m = &q->memory[vmid];
	char path[40];
	if (!m->is_open) {
		snprintf(path, sizeof(path), "/proc/%d/mem", process ? (int)process->pid : 0);
		m->fd = process ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		m->space = q->symbols.vmid[vmid].is_open ? &q->symbols.vmid[vmid].space : NULL;
		m->is_open = true;
	}
	return (struct bw_aql_memory){read_space, m};
}

/* The name of the kernel of a dispatch; false: it is not known. */
static bool add_kernel(struct queues *q, unsigned vmid, const struct bw_aql_memory *m,
		       const struct bw_aql_packet *p, struct bw_str *out)
{
	uint32_t dw[BW_AQL_DESCRIPTOR_DW];
	struct bw_aql_descriptor d;
	if (p->type != BW_AQL_DISPATCH ||
	    !m->read(m->cookie, p->dispatch.kernel_object, dw, sizeof(dw)))
		return false;
	bw_aql_read_descriptor(dw, &d);
	return bw_scan_symbols_name(&q->symbols, vmid,
				    p->dispatch.kernel_object + (uint64_t)d.entry_b, out);
}

static void packet_text(struct queues *q, unsigned vmid, const struct bw_aql_memory *m,
			const struct bw_aql_packet *p, struct bw_str *out)
{
	struct bw_str kernel = {0};
	bw_aql_packet_text(p, m, out);
	if (add_kernel(q, vmid, m, p, &kernel))
		bw_str_addf(out, " (%s)", bw_str_text(&kernel));
	bw_str_free(&kernel);
}

/* ---- the table ---- */

struct aql_row {
	const struct bw_queues_aql *queue;
	const struct bw_aql_state *state;
	const char *name;
	uint32_t vmid, slots;
	struct bw_str owner, stands, why;
};

static void read_cell(struct bw_table *t, const void *of)
{
	const struct aql_row *r = of;
	if (r->state->is_known)
		bw_table_int(t, (int64_t)r->state->read);
}

static void write_cell(struct bw_table *t, const void *of)
{
	const struct aql_row *r = of;
	if (r->state->is_known)
		bw_table_int(t, (int64_t)r->state->write);
}

static const struct bw_fact aql_rows[] = {
	{"Queue", "queue", "text", BW_OF(struct aql_row, name)},
	{"VMID", "vmid", "count", BW_OF(struct aql_row, vmid)},
	{"Process", "owner", "text", BW_OF(struct aql_row, owner)},
	{"Slots", "slots", "count", BW_OF(struct aql_row, slots)},
	{"Read", "read", "count?", "packets before it are complete", BW_GET(read_cell)},
	{"Write", "write", "count?", "the program has reserved the packets before it",
	 BW_GET(write_cell)},
	{"Stands at", "stands_at", "text", BW_OF(struct aql_row, stands)},
	{NULL, "why", "text?", "why it does not go on, and what to look at next",
	 BW_OF(struct aql_row, why)},
};
BW_FACTS(aql_facts, "queues aql", "aql", aql_rows);

static void stands_text(struct queues *q, const struct bw_queues_aql *a,
			const struct bw_aql_state *s, const struct bw_aql_memory *m,
			struct bw_str *out)
{
	const char *none = bw_aql_no_packet_text(s);
	if (none)
		bw_str_add(out, none);
	else
		packet_text(q, a->vmid, m, &s->first, out);
}

/* ---- waves ---- */

/* Whether waves of the VMID can only be of this queue's dispatch, as no other queue of it stands at
 * one. */
static bool is_only_dispatch(const struct queues *q, size_t which)
{
	for (size_t i = 0; i < q->c->aql.len; i++)
		if (i != which && q->c->aql.data[i].vmid == q->c->aql.data[which].vmid &&
		    q->all[i].state.has_first && q->all[i].state.first.type == BW_AQL_DISPATCH)
			return false;
	return q->all[which].state.has_first && q->all[which].state.first.type == BW_AQL_DISPATCH;
}

/* Counts the waves, and finds where most of them are. */
static void look_at_waves(struct queues *q, unsigned vmid, struct bw_aql_dispatch *out,
			  struct bw_str *where)
{
	struct bw_scan_waves list = {0};
	const struct bw_scan scan = {.gpu = q->gpu, .vmid = (int)vmid, .has_ended = &bw_look_ended};
	struct bw_error *err = bw_scan_run(&scan, &list);
	size_t best = 0;
	uint64_t pc = 0;
	for (size_t i = 0; !err && i < BW_MIN(list.len, (size_t)256); i++) {
		size_t same = 0;
		bw_vec_each(&list, w)
			same += bw_scan_code_pc(w) == bw_scan_code_pc(&list.data[i]);
		if (same > best) {
			best = same;
			pc = bw_scan_code_pc(&list.data[i]);
		}
	}
	out->are_waves_known = !err;
	out->n_waves = list.len;
	if (best && !bw_scan_symbols_at(&q->symbols, vmid, pc, where))
		bw_str_addf(where, "0x%" PRIx64, pc);
	if (best)
		out->where = bw_str_text(where);
	bw_scan_free(&list);
	bw_error_free(err);
}

/* ---- why ---- */

/* The queues of the same VMID; returns which of them is meant. */
static size_t take_queues(const struct queues *q, size_t which, struct bw_aql_one *out,
			  size_t *out_n)
{
	size_t at = 0;
	*out_n = 0;
	for (size_t i = 0; i < q->c->aql.len; i++) {
		if (q->c->aql.data[i].vmid != q->c->aql.data[which].vmid)
			continue;
		if (i == which)
			at = *out_n;
		out[(*out_n)++] = q->all[i];
	}
	return at;
}

static void explain(struct queues *q, size_t which, const struct bw_aql_memory *m,
		    const struct bw_kmd_client *process, struct bw_str *out)
{
	const struct bw_queues_aql *a = &q->c->aql.data[which];
	_cleanup_free_ struct bw_aql_one *list = calloc(q->c->aql.len, sizeof(*list));
	char program[48] = "a process that is not known", waves[96], threads[96];
	struct bw_str kernel = {0}, where = {0};
	if (!list)
		return;
	struct bw_aql_stand s = {.queues = list, .memory = *m, .program = program};
	s.which = take_queues(q, which, list, &s.n);
	if (process) {
		int pid = (int)process->pid;
		snprintf(program, sizeof(program), "%s (process %d)", process->comm, pid);
		snprintf(waves, sizeof(waves),
			 "\"breakwater attach --waves %d\" shows where they are", pid);
		snprintf(threads, sizeof(threads),
			 "\"gdb -p %d\" shows what the program's threads do", pid);
		s.for_waves = waves;
		s.for_program = threads;
	}
	bw_str_add(&kernel, "a dispatch of ");
	if (add_kernel(q, a->vmid, m, &list[s.which].state.first, &kernel))
		s.dispatch.name = bw_str_text(&kernel);
	if (is_only_dispatch(q, which))
		look_at_waves(q, a->vmid, &s.dispatch, &where);
	bw_aql_explain(&s, out);
	bw_str_free(&kernel);
	bw_str_free(&where);
}

static void add_row(struct queues *q, size_t which, struct bw_table *t, struct bw_str *whys)
{
	const struct bw_queues_aql *a = &q->c->aql.data[which];
	const struct bw_kmd_client *process = bw_scan_symbols_process(&q->symbols, a->vmid);
	const struct bw_aql_memory m = memory_of(q, a->vmid);
	struct aql_row r = {.queue = a,
			    .state = &q->all[which].state,
			    .name = a->name,
			    .vmid = a->vmid,
			    .slots = a->ring.n_slots};
	if (process)
		bw_str_addf(&r.owner, "%s (%d)", process->comm, (int)process->pid);
	else
		bw_str_add(&r.owner, "not known");
	stands_text(q, a, r.state, &m, &r.stands);
	if (r.state->has_first)
		explain(q, which, &m, process, &r.why);
	bw_table_row(t, &r);
	if (r.why.len)
		bw_str_addf(whys, "%s\n", bw_str_text(&r.why));
	bw_str_free(&r.owner);
	bw_str_free(&r.stands);
	bw_str_free(&r.why);
}

static void look_at_all(struct queues *q)
{
	for (size_t i = 0; i < q->c->aql.len; i++) {
		const struct bw_queues_aql *a = &q->c->aql.data[i];
		const struct bw_aql_memory m = memory_of(q, a->vmid);
		snprintf(q->all[i].name, sizeof(q->all[i].name), "%s", a->name);
		bw_aql_look(&a->ring, &m, &q->all[i].state);
	}
}

/* ---- packets ---- */

struct packet_row {
	const char *queue;
	uint64_t index, completion;
	const char *barrier;
	struct bw_str text;
};

static const struct bw_fact packet_rows[] = {
	{"Queue", "queue", "text", BW_OF(struct packet_row, queue)},
	{"Packet", "index", "count", BW_OF(struct packet_row, index)},
	{"Waits for all before it", "barrier", "text?", BW_OF(struct packet_row, barrier)},
	{"Signals", "completion", "hex?", BW_OF(struct packet_row, completion),
	 BW_IF(struct packet_row, completion)},
	{"Is", "is", "text", BW_OF(struct packet_row, text)},
};
BW_FACTS(packet_facts, "queues packets", "packets", packet_rows);

static void add_packets(struct queues *q, size_t which, struct bw_table *t)
{
	enum { MAX_SHOWN = 256 };
	const struct bw_queues_aql *a = &q->c->aql.data[which];
	const struct bw_aql_state *s = &q->all[which].state;
	const struct bw_aql_memory m = memory_of(q, a->vmid);
	uint64_t n = s->is_known && s->read < s->write ? s->write - s->read : 0, shown = 0;
	uint64_t most = BW_MIN((uint64_t)a->ring.n_slots, (uint64_t)MAX_SHOWN);
	for (; shown < n && shown < most; shown++) {
		struct bw_aql_packet p;
		struct packet_row r = {.queue = a->name, .index = s->read + shown};
		if (!bw_aql_packet_at(&a->ring, r.index, &m, &p, NULL))
			break;
		r.barrier = p.barrier ? "yes" : NULL;
		r.completion = p.completion;
		packet_text(q, a->vmid, &m, &p, &r.text);
		bw_table_row(t, &r);
		bw_str_free(&r.text);
	}
	if (shown < n)
		bw_table_note(t, "  %s: %" PRIu64 " more packets", a->name, n - shown);
}

static void show_packets(struct queues *q)
{
	struct bw_table t;
	bw_table_begin(&t, &packet_facts);
	for (size_t i = 0; i < q->c->aql.len && !bw_look_ended; i++)
		add_packets(q, i, &t);
	bw_out_line(q->c->look.out, "%s", "Packets of AQL queues");
	bw_out_table(q->c->look.out, &t, "  none is waiting\n");
	bw_table_fini(&t);
}

struct bw_error *bw_queues_show_aql(struct bw_queues *c, const struct bw_gpu *g)
{
	struct queues q = {.c = c, .gpu = g, .symbols.gpu = g};
	struct bw_str whys = {0};
	struct bw_table t;
	if (!c->aql.len)
		return NULL;
	q.all = calloc(c->aql.len, sizeof(*q.all));
	if (!q.all)
		return bw_error_nomem();
	look_at_all(&q);
	bw_table_begin(&t, &aql_facts);
	for (size_t i = 0; i < c->aql.len && !bw_look_ended; i++)
		add_row(&q, i, &t, &whys);
	bw_out_line(c->look.out, "%s", "AQL queues");
	bw_out_table(c->look.out, &t, "");
	bw_out_text(c->look.out, bw_str_text(&whys));
	if (c->kfd)
		show_packets(&q);
	bw_str_free(&whys);
	bw_table_fini(&t);
	for (unsigned i = 0; i < BW_GPU_VMIDS; i++)
		if (q.memory[i].is_open && q.memory[i].fd >= 0)
			close(q.memory[i].fd);
	bw_scan_symbols_close(&q.symbols);
	free(q.all);
	return NULL;
}
