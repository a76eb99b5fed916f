/* SPDX-License-Identifier: MIT */
/* What can be said of a devcoredump, or of RADV's hang report, in a few sentences. */
#include "crash/verdict_priv.h"

#include <inttypes.h>
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
		bw_str_addf(out, "Ring %s (%s) did not finish a job in time.\n", d->timeout_ring,
			    bw_crash_engine_of(d->timeout_ring));
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
	if (!bw_crash_dump_fault(d, part, &facts))
		return;
	unsigned vmid = bw_gpuvm_status_decode(facts.part.gen, facts.status).vmid;
	bw_crash_add_headline(&facts, out);
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

static void add_busy(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
		     struct bw_str *out)
{
	const struct bw_regs_block *gc;
	struct bw_reg reg;
	struct bw_reg_field_value f[32];
	uint32_t value;
	const char *comma = "";
	if (!part || !bw_crash_register_value(d, "GRBM_STATUS", "", &value))
		return;
	struct bw_error *err = bw_regs_find("gc", part->gc, &gc);
	bw_error_free(err);
	if (err || !bw_regs_lookup(gc, "GRBM_STATUS", &reg))
		return;
	size_t n = BW_MIN(bw_reg_decode(&reg, value, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	for (size_t i = 0; i < n; i++) {
		if (!f[i].value || (!strstr(f[i].field.name, "BUSY") &&
				    strcmp(f[i].field.name, "GUI_ACTIVE") != 0))
			continue;
		bw_str_addf(out, "%s%s",
			    *comma ? comma : "Busy when the dump was made: ", f[i].field.name);
		comma = ", ";
	}
	bw_str_add(out, *comma ? ".\n" : "The graphics block was idle when the dump was made.\n");
}

/* What is between the last trace point that was reached, at the place, and the next one: RADV puts
 * one around each draw and dispatch. */
static void add_trace(const struct bw_crash_ib *ib, const struct bw_crash_place *place,
		      struct bw_str *out)
{
	struct bw_pm4_packet p;
	char buf[16];
	const char *work = NULL;
	bool ends = true;
	size_t at = place->packet_dw;
	unsigned point = 0, number;
	while (bw_pm4_at(ib->words.data, ib->words.len, at, &p)) {
		bool is_point = bw_crash_is_trace_point(&p, &number);
		const char *name = p.kind == BW_PM4_TYPE3 ? bw_pm4_name(p.op, buf) : "";
		if (is_point && at > place->packet_dw) {
			ends = false;
			break;
		}
		if (is_point)
			point = number;
		if (!work && (bw_starts_with(name, "DISPATCH") || bw_starts_with(name, "DRAW")))
			work = name;
		at += p.size_dw;
	}
	bw_str_addf(out,
		    "The last trace point that the command processor reached is %u: what hangs is "
		    "between it and %s",
		    point, ends ? "the end of the command buffer" : "the next one");
	if (work)
		bw_str_addf(out, ", where there is a %s", work);
	bw_str_add(out, ".\n");
}

static void add_place(const struct bw_crash_dump *d, struct bw_str *out)
{
	struct bw_crash_place place;
	struct bw_pm4_packet p;
	char buf[16];
	if (!bw_crash_find_place(d, &place))
		return;
	const struct bw_crash_ib *ib = &d->ibs.data[place.ib];
	if (place.is_trace) {
		add_trace(ib, &place, out);
		return;
	}
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
		if (d->style != BW_CRASH_RADV && strcmp(r->name, d->timeout_ring) != 0)
			continue;
		if (bw_crash_ring_pending(r, &from, &n))
			bw_str_addf(out, "Ring %s has %zu words that were not executed yet.\n",
				    r->name, n);
		return;
	}
}

void bw_crash_tell_dump(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
			struct bw_str *out)
{
	add_origin(d, part, out);
	add_fault(d, part, out);
	add_busy(d, part, out);
	add_place(d, out);
	add_ring(d, out);
	if (d->n_damaged)
		bw_str_addf(out, "The dump is damaged in %u place%s, listed below.\n", d->n_damaged,
			    d->n_damaged == 1 ? "" : "s");
}
