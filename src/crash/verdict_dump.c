/* SPDX-License-Identifier: MIT */
/* Conclusions from a devcoredump, or from RADV's hang report, in a few sentences. */
#include "crash/verdict_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"

static const char *style_name(enum bw_crash_style style)
{
	static const char *const names[] = {[BW_CRASH_LINUX_6_1] = "6.1",
					    [BW_CRASH_LINUX_6_12] = "6.12",
					    [BW_CRASH_LINUX_7] = "7",
					    [BW_CRASH_RADV] = "RADV"};
	return names[style];
}

/* GPUs of several graphics blocks, of which the first number in a ring's name is one. */
static bool has_xccs(const struct bw_gpuvm_part *part)
{
	return bw_ip_major(part->gc) == 9 ? part->gc >= BW_IP_VERSION(9, 4, 3)
					  : part->gen == BW_GPUVM_GFX12_1;
}

static void add_timeout(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
			struct bw_str *out)
{
	unsigned xcc, numbers[3];
	bool is_of_xcc = part && has_xccs(part) &&
			 sscanf(d->timeout_ring, "comp_%u.%u.%u.%u", &xcc, &numbers[0], &numbers[1],
				&numbers[2]) == 4;
	bw_str_addf(out, "Ring %s (%s", d->timeout_ring, bw_crash_engine_of(d->timeout_ring));
	if (is_of_xcc)
		bw_str_addf(out, " of XCC %u", xcc);
	bw_str_add(out, ") did not finish a job in time.\n");
}

static void add_origin(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
		       struct bw_str *out)
{
	bool radv = d->style == BW_CRASH_RADV;
	if (radv)
		bw_str_addf(out, "A hang report of RADV%s%s", d->kernel[0] ? ", Mesa " : "",
			    d->kernel);
	else
		bw_str_addf(out, "A dump of kernel %s (in the form of Linux %s)",
			    d->kernel[0] ? d->kernel : "?", style_name(d->style));
	if (part)
		bw_str_addf(out, ", GPU gfx%u.%u.%u%s%s%s", BW_IP_NUMBERS(part->gc),
			    part->chip ? " (" : "", part->chip ? part->chip : "",
			    part->chip ? ")" : "");
	if (d->process[0] && radv)
		bw_str_addf(out, ", application %s", d->process);
	else if (d->process[0])
		bw_str_addf(out, ", process %s (%s %" PRId64 ")", d->process,
			    d->tgid ? "thread" : "pid", d->pid);
	bw_str_add(out, ".\n");
	if (d->has_timeout)
		add_timeout(d, part, out);
	else if (d->style != BW_CRASH_LINUX_6_1 && !radv)
		bw_str_add(out,
			   "It was not made for a job that took too long, but for a reset that "
			   "something else asked for.\n");
	if (d->vram == BW_CRASH_VRAM_IS_LOST)
		bw_str_add(out, "The GPU was reset, and all contents of VRAM were lost.\n");
}

static void add_fault(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
		      struct bw_str *out)
{
	struct bw_gpuvm_fault_facts facts;
	if (!bw_crash_dump_fault(d, part, &facts)) {
		/* the status alone says who it was; where both are 0 nothing was recorded */
		if (d->has_fault && d->fault_address)
			bw_str_addf(out,
				    "A page fault at 0x%" PRIx64 " was recorded, whose status was "
				    "empty: who accessed it is not known, and it may be old.\n",
				    d->fault_address);
		return;
	}
	unsigned vmid = bw_gpuvm_status_decode(facts.part.gen, facts.status).vmid;
	bw_crash_add_headline(&facts, out);
	if (facts.hub == BW_GPUVM_MM && part && has_xccs(part)) {
		bw_str_add(out,
			   " That is of the memory hub; a dump calls the graphics hubs of XCC 1 "
			   "and later \"mmhub\", too. If it is one of those: ");
		facts.hub = BW_GPUVM_GC;
		bw_crash_add_headline(&facts, out);
	}
	/* doc/hardware/devcoredump.md 3: the last one since the machine was started */
	if (d->has_pasid && d->vmid == vmid)
		bw_str_addf(out, " That is the VMID of the job: the fault is the likely cause.\n");
	else if (d->has_pasid)
		bw_str_addf(out,
			    " The job had VMID %" PRIu64 ": the fault is older, or another "
			    "program's.\n",
			    d->vmid);
	else
		bw_str_add(
			out,
			" It is the last one that was recorded, and may be old: compare with the "
			"kernel log.\n");
}

/* The activity of a graphics block of the dump: a GPU of several XCCs has one in each. */
struct activity {
	uint32_t block; /* in blocks */
	unsigned number;
	struct bw_str busy; /* names, with commas; empty: idle */
};
struct activities BW_VEC(struct activity);

/* The bits of a register that say so; of GRBM_STATUS2 and of the front ends' registers those that
 * stand for a whole engine: others are set on an idle GPU, too. */
static bool says_busy(const char *reg, const char *field)
{
	static const char *const engines[] = {"CPF_BUSY", "CPC_BUSY", "CPG_BUSY"};
	if (!strcmp(reg, "GRBM_STATUS"))
		return strstr(field, "BUSY") || !strcmp(field, "GUI_ACTIVE");
	for (size_t i = 0; i < BW_ARRAY_SIZE(engines); i++)
		if (!strcmp(field, engines[i]))
			return true;
	return false;
}

static void add_busy_bits(const struct bw_regs_block *gc, const struct bw_crash_register *r,
			  struct bw_str *out)
{
	struct bw_reg reg;
	struct bw_reg_field_value f[32];
	if (!bw_regs_lookup(gc, r->name, &reg))
		return;
	size_t n = BW_MIN(bw_reg_decode(&reg, r->value, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	for (size_t i = 0; i < n; i++) {
		const char *name = f[i].field.name;
		bool is_status = !strcmp(r->name, "GRBM_STATUS"); /* has no name twice */
		if (!f[i].value || !says_busy(r->name, name) ||
		    (!is_status && strstr(bw_str_text(out), name)))
			continue;
		bw_str_add_next(out, name);
	}
}

static struct activity *activity_of(struct activities *list, const struct bw_crash_dump *d,
				    uint32_t block)
{
	struct activity a = {.block = block, .number = (unsigned)list->len};
	bw_vec_each(list, known)
		if (known->block == block)
			return known;
	sscanf(d->blocks.data[block].part, "Instance id:%u", &a.number);
	struct bw_error *err = bw_vec_push(list, a);
	bool failed = err != NULL;
	bw_error_free(err);
	return failed ? NULL : &list->data[list->len - 1];
}

static void read_activities(const struct bw_crash_dump *d, const struct bw_regs_block *gc,
			    struct activities *out)
{
	/* GRBM_STATUS is the first one of its block, and makes it one that is looked at */
	static const char *const names[] = {"GRBM_STATUS", "GRBM_STATUS2", "CP_CPF_STATUS",
					    "CP_CPC_STATUS"};
	for (size_t k = 0; k < BW_ARRAY_SIZE(names); k++)
		bw_vec_each(&d->registers, r) {
			struct activity *a = NULL;
			if (strcmp(r->name, names[k]) != 0)
				continue;
			if (k == 0)
				a = activity_of(out, d, r->block);
			else
				bw_vec_each(out, known)
					if (known->block == r->block)
						a = known;
			if (a && r->value == UINT32_MAX && !a->busy.len)
				bw_str_add(&a->busy, "does not answer (all bits read as 1)");
			else if (a && r->value != UINT32_MAX)
				add_busy_bits(gc, r, &a->busy);
		}
}

/* "XCC 2: CP_BUSY; XCC 4, 5: GUI_ACTIVE" : blocks that do the same are told of together. */
static size_t add_busy_xccs(const struct activities *list, struct bw_str *out)
{
	size_t n_idle = 0;
	const char *between = "Busy when the dump was made: ";
	for (size_t i = 0; i < list->len; i++) {
		const char *busy = bw_str_text(&list->data[i].busy);
		bool is_told = false;
		n_idle += !*busy;
		for (size_t k = 0; k < i; k++)
			is_told |= !strcmp(bw_str_text(&list->data[k].busy), busy);
		if (!*busy || is_told)
			continue;
		bw_str_addf(out, "%sXCC %u", between, list->data[i].number);
		for (size_t k = i + 1; k < list->len; k++)
			if (!strcmp(bw_str_text(&list->data[k].busy), busy))
				bw_str_addf(out, ", %u", list->data[k].number);
		bw_str_addf(out, ": %s", busy);
		between = "; ";
	}
	return n_idle;
}

static void add_activities(const struct activities *list, struct bw_str *out)
{
	if (list->len == 1 && list->data[0].busy.len) {
		bw_str_addf(out, "Busy when the dump was made: %s.\n",
			    bw_str_text(&list->data[0].busy));
		return;
	}
	if (list->len == 1) {
		bw_str_add(out, "The graphics block was idle when the dump was made.\n");
		return;
	}
	size_t n_idle = add_busy_xccs(list, out);
	if (n_idle == list->len)
		bw_str_addf(out, "All %zu XCCs were idle when the dump was made.\n", n_idle);
	else if (n_idle)
		bw_str_addf(out, ". The other %zu XCC%s idle.\n", n_idle,
			    n_idle == 1 ? " was" : "s were");
	else
		bw_str_add(out, ".\n");
}

static void add_busy(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
		     struct bw_str *out)
{
	const struct bw_regs_block *gc;
	struct activities list = {0};
	struct bw_error *err = part ? bw_regs_find("gc", part->gc, &gc) : NULL;
	bw_error_free(err);
	if (!part || err)
		return;
	read_activities(d, gc, &list);
	if (list.len)
		add_activities(&list, out);
	bw_vec_each(&list, a)
		bw_str_free(&a->busy);
	bw_vec_free(&list);
}

static void add_place(const struct bw_crash_dump *d, struct bw_str *out)
{
	struct bw_crash_place place;
	struct bw_pm4_packet p;
	char buf[16];
	if (!bw_crash_find_place(d, &place))
		return;
	const struct bw_crash_ib *ib = &d->ibs.data[place.ib];
	bw_str_addf(out, "The command processor had fetched %" PRIu64 " of the %zu words of IB #%u",
		    place.at_dw, ib->words.len, ib->index);
	if (place.at_dw && bw_pm4_at(ib->words.data, ib->words.len, place.packet_dw, &p) &&
	    p.kind == BW_PM4_TYPE3)
		bw_str_addf(out,
			    ", up to a %s; it fetches ahead, so what hangs is this packet or one "
			    "shortly before it",
			    bw_pm4_name(p.op, buf));
	bw_str_add(out, ".\n");
}

static void add_ring(const struct bw_crash_dump *d, struct bw_str *out)
{
	bw_vec_each(&d->rings, r) {
		size_t from, n;
		if ((d->style != BW_CRASH_RADV && strcmp(r->name, d->timeout_ring) != 0) ||
		    r->no_pointers)
			continue;
		if (bw_crash_ring_pending(r, &from, &n))
			bw_str_addf(out, "Ring %s has %zu words that were not executed yet.\n",
				    r->name, n);
		return;
	}
}

void bw_crash_tell_dump(const struct bw_crash *c, const struct bw_crash_dump *d,
			const struct bw_gpuvm_part *part, struct bw_str *out)
{
	add_origin(d, part, out);
	add_fault(d, part, out);
	if (d->style == BW_CRASH_RADV)
		bw_crash_tell_trace(c, d, out);
	else
		add_place(d, out);
	add_busy(d, part, out);
	add_ring(d, out);
	if (d->n_damaged)
		bw_str_addf(out, "The dump is damaged in %u place%s, listed below.\n", d->n_damaged,
			    d->n_damaged == 1 ? "" : "s");
}
