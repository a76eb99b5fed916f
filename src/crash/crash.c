/* SPDX-License-Identifier: MIT */
#include "crash/crash.h"

#include <stdio.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"

static void begin_dump(struct bw_crash *c, unsigned number)
{
	struct bw_crash_dump d = {.line = number};
	c->in_dump = c->dumps.len < BW_CRASH_MAX_DUMPS;
	if (!c->in_dump) {
		c->n_dumps_left_out++;
		return;
	}
	struct bw_error *err = bw_vec_push(&c->dumps, d);
	c->failed |= err != NULL;
	c->in_dump = !err;
	bw_error_free(err);
}

void bw_crash_line(struct bw_crash *c, const char *text, size_t n, unsigned number)
{
	c->n_lines++;
	if (bw_crash_is_banner(text, n)) {
		begin_dump(c, number);
		return;
	}
	struct bw_crash_dump *d = c->in_dump ? &c->dumps.data[c->dumps.len - 1] : NULL;
	if (d && bw_crash_dump_line(d, text, n, number))
		return;
	if (bw_crash_log_line(&c->log, text, n, number))
		return;
	if (!bw_crash_report_line(&c->report, text, n, number) && d)
		bw_crash_dump_unknown(d, text, n, number);
}

void bw_crash_next_file(struct bw_crash *c)
{
	c->in_dump = false;
	bw_crash_log_next_file(&c->log);
	bw_crash_report_next_file(&c->report);
}

/* Makes a dump of a hang report's parts other than waves and code. */
static void take_report(struct bw_crash *c)
{
	struct bw_crash_report *r = &c->report;
	bw_crash_report_end(r);
	c->failed |= r->failed | r->waves.failed;
	if (!bw_crash_report_has_dump(r))
		return;
	r->dump.style = BW_CRASH_RADV;
	struct bw_error *err = bw_vec_push(&c->dumps, r->dump);
	if (!err)
		r->dump = (struct bw_crash_dump){0};
	c->failed |= err != NULL;
	bw_error_free(err);
}

void bw_crash_end(struct bw_crash *c)
{
	bw_crash_log_end(&c->log);
	c->failed |= c->log.failed;
	bw_vec_each(&c->dumps, d) {
		bw_crash_dump_end(d);
		c->failed |= d->failed;
	}
	take_report(c);
}

void bw_crash_free(struct bw_crash *c)
{
	bw_crash_log_free(&c->log);
	bw_vec_each(&c->dumps, d)
		bw_crash_dump_free(d);
	bw_vec_free(&c->dumps);
	bw_crash_report_free(&c->report);
}

bool bw_crash_is_empty(const struct bw_crash *c)
{
	return !c->dumps.len && !c->report.walk.len && !c->log.faults.len && !c->log.events.len &&
	       !c->report.waves.list.len;
}

bool bw_crash_is_trace_point(const struct bw_pm4_packet *p, unsigned *out_number)
{
	enum { NUMBER = 0xffff };
	const uint32_t marker = 0xcafe0000;
	if (p->kind != BW_PM4_TYPE3 || p->op != BW_PM4_NOP || !p->n_body ||
	    (p->body[0] & ~(uint32_t)NUMBER) != marker)
		return false;
	*out_number = p->body[0] & NUMBER;
	return true;
}

bool bw_crash_part(const struct bw_crash_dump *d, struct bw_gpuvm_part *out)
{
	uint32_t gc = bw_crash_ip_version(d, "GC"), mm = bw_crash_ip_version(d, "MMHUB");
	char text[16];
	if (!gc)
		return false;
	snprintf(text, sizeof(text), "%u.%u.%u", BW_IP_NUMBERS(gc));
	struct bw_error *err = bw_gpuvm_part_parse(text, out);
	bool ok = !err;
	bw_error_free(err);
	if (ok && mm)
		out->mm = mm;
	return ok;
}

const struct bw_gpuvm_part *bw_crash_log_part(const struct bw_crash *c,
					      const struct bw_gpuvm_part *user,
					      struct bw_gpuvm_part *own)
{
	if (user || c->log.gc)
		return user;
	bw_vec_each(&c->dumps, d)
		if (bw_crash_part(d, own))
			return own;
	return NULL;
}

bool bw_crash_dump_fault(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
			 struct bw_gpuvm_fault_facts *out)
{
	if (!d->has_fault || !d->fault_status)
		return false;
	*out = (struct bw_gpuvm_fault_facts){
		.hub = d->fault_hub,
		.has_status = true,
		.has_address = true,
		.any_generation = !part,
		.status = d->fault_status,
		.address = d->fault_address,
		.vmid = -1,
	};
	if (part)
		out->part = *part;
	else
		out->part.gen = BW_GPUVM_GFX11;
	return true;
}

bool bw_crash_ring_pending(const struct bw_crash_ring *r, size_t *out_from, size_t *out_n)
{
	uint64_t n = r->words.len;
	uint64_t from = r->mask ? r->rptr & r->mask : r->rptr;
	uint64_t to = r->mask ? r->wptr & r->mask : r->wptr;
	if (r->no_pointers) {
		*out_from = 0;
		*out_n = r->words.len;
		return n > 0;
	}
	if (r->first_dw) { /* only what is pending was printed */
		if (from != r->first_dw || to < from || to - from > n)
			return false;
		*out_from = 0;
		*out_n = (size_t)(to - from);
		return true;
	}
	if (!n || from >= n || to >= n)
		return false;
	*out_from = (size_t)from;
	*out_n = (size_t)((to + n - from) % n);
	return true;
}

static void find_packet(const struct bw_crash_ib *ib, uint64_t at_dw, struct bw_crash_place *out)
{
	struct bw_pm4_packet p;
	*out = (struct bw_crash_place){.at_dw = BW_MIN(at_dw, (uint64_t)ib->words.len)};
	for (size_t at = 0; bw_pm4_at(ib->words.data, ib->words.len, at, &p) && at < out->at_dw;
	     at += p.size_dw)
		out->packet_dw = at;
}

bool bw_crash_find_place(const struct bw_crash_dump *d, struct bw_crash_place *out)
{
	const uint64_t mask = (1ull << 48) - 1;
	uint32_t lo, hi = 0, left;
	for (size_t i = 0; i < d->ibs.len; i++)
		if (d->ibs.data[i].has_reached) {
			find_packet(&d->ibs.data[i], d->ibs.data[i].reached_dw + 1, out);
			out->ib = i;
			out->is_trace = true;
			return true;
		}
	if (!bw_crash_register_value(d, "CP_IB1_BASE_LO", "", &lo) ||
	    !bw_crash_register_value(d, "CP_IB1_BUFSZ", "", &left))
		return false;
	bw_crash_register_value(d, "CP_IB1_BASE_HI", "", &hi);
	uint64_t base = bw_join32(hi, lo) & mask & ~3ull;
	left &= 0xfffff;
	for (size_t i = 0; base && i < d->ibs.len; i++) {
		const struct bw_crash_ib *ib = &d->ibs.data[i];
		/* of one that was cut off, the rest is in the GPU's count */
		if ((ib->va & mask) != base || left > ib->size_dw ||
		    ib->size_dw - left > ib->words.len)
			continue;
		find_packet(ib, ib->size_dw - left, out);
		out->ib = i;
		return true;
	}
	return false;
}
