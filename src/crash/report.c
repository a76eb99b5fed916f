/* SPDX-License-Identifier: MIT */
#include "crash/report_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/str.h"
#include "base/util.h"

enum { MAX_LINE_B = 1024 };

void bw_crash_report_error(struct bw_crash_report *r, struct bw_error *err)
{
	r->failed |= err != NULL;
	bw_error_free(err);
}

/* Without colours, NUL and what is after them; tabs stay. */
static void plain(const char *text, size_t n, char out[MAX_LINE_B])
{
	size_t at = 0;
	for (size_t i = 0; i < n && at + 1 < MAX_LINE_B; i++) {
		if (text[i] == '\033' && i + 1 < n && text[i + 1] == '[') {
			i += 2;
			while (i < n && !isalpha((unsigned char)text[i]))
				i++;
		} else if (text[i] && text[i] != '\r') {
			out[at++] = text[i];
		}
	}
	while (at && isspace((unsigned char)out[at - 1]))
		at--;
	out[at] = '\0';
}

/* ---- trace.log: the command buffer ---- */

/* "------------------ main IB begin - GFX ------------------" */
static bool trace_frame(struct bw_crash_report *r, const char *line, unsigned number)
{
	struct bw_crash_dump *d = &r->dump;
	if (!bw_starts_with(line, "-----"))
		return false;
	bool begins = strstr(line, " begin") != NULL;
	if (!begins && !strstr(line, " end"))
		return false;
	r->in_trace = begins;
	r->trace_depth = 0;
	r->may_be_nested = true;
	if (!begins)
		return true;
	struct bw_crash_ib ib = {.line = number, .index = (unsigned)d->ibs.len};
	if (d->ibs.len >= BW_CRASH_MAX_RINGS) {
		d->n_left_out++;
		r->in_trace = false;
		return true;
	}
	bw_crash_report_error(r, bw_vec_push(&d->ibs, ib));
	r->in_trace = d->ibs.len > 0;
	return true;
}

bool bw_crash_is_hex(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)p[i]))
			return false;
	return true;
}

/* Below the header of the NOP that is the trace point. Buffers that are called count their own
 * points: one of them has its last point from another call, unless it is called between the last
 * point of the caller and that one's next. */
static void point_line(struct bw_crash_report *r, struct bw_crash_ib *ib, const char *p)
{
	bool is_last = strstr(p, "This is the last trace point that was reached by the CP") != NULL;
	if (is_last && (!r->trace_depth || r->may_be_nested)) {
		ib->has_reached = true;
		ib->reached_dw = ib->words.len ? ib->words.len - 1 : 0;
	}
	if (!r->trace_depth && is_last)
		r->may_be_nested = true;
	else if (!r->trace_depth && strstr(p, "This trace point was NOT reached by the CP"))
		r->may_be_nested = false;
}

/* "c0043700 WRITE_DATA:", "00000000         (data)": the word comes first; other lines explain
 * it. */
static bool trace_line(struct bw_crash_report *r, const char *line)
{
	struct bw_crash_dump *d = &r->dump;
	struct bw_crash_ib *ib = &d->ibs.data[d->ibs.len - 1];
	const char *p = line + strspn(line, " ");
	if (bw_crash_is_hex(p, 8) && (!p[8] || p[8] == ' ')) {
		if (d->n_words >= BW_CRASH_MAX_WORDS) {
			d->n_left_out++;
			return true;
		}
		d->n_words++;
		ib->size_dw++;
		bw_crash_report_error(r, bw_vec_push(&ib->words, (uint32_t)strtoul(p, NULL, 16)));
		return true;
	}
	/* ">------------------ nested begin ------------------": what the packet before it calls */
	if (strchr("<>", *p) && strstr(p, " nested begin "))
		r->trace_depth++;
	else if (strchr("<>", *p) && strstr(p, " nested end "))
		r->trace_depth -= r->trace_depth > 0;
	else
		point_line(r, ib, p);
	return true;
}

/* ---- registers.log ---- */

/* "GRBM_STATUS <- 0xa8403000", "GRBM_STATUS2 <- 0", "... <- 1024 (0x00000400)" */
static bool register_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	struct bw_crash_dump *d = &r->dump;
	const char *p = line + strspn(line, " \t"), *arrow = strstr(p, " <- ");
	size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	struct bw_crash_register reg = {0};
	char *end;
	if (!arrow || !n || p + n != arrow || n >= sizeof(reg.name))
		return strstr(p, " = ") != NULL; /* a field of the register above */
	const char *v = arrow + strlen(" <- ");
	unsigned long long value = strtoull(v, &end, 0);
	if (end == v || value > UINT32_MAX)
		return false;
	reg.value = (uint32_t)value;
	bw_crash_copy(reg.name, sizeof(reg.name), p, n);
	if (!d->blocks.len)
		bw_crash_report_error(
			r, bw_vec_push(&d->blocks, ((struct bw_crash_block){.ip = "registers",
									    .line = number})));
	if (d->registers.len >= BW_CRASH_MAX_REGISTERS || !d->blocks.len)
		d->n_left_out++;
	else
		bw_crash_report_error(r, bw_vec_push(&d->registers, reg));
	return true;
}

/* ---- umr -vm ---- */

/* "   \\-> PDE2@{0x3febfe7f8/ff}=0x0000000000cf1001, ..." */
static bool walk_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	struct bw_crash_walk_entry e = {.line = number};
	const char *at = strstr(line, "@{0x"), *name = at, *value = at ? strstr(at, "}=0x") : NULL;
	if (!value)
		return false;
	while (name > line && isalnum((unsigned char)name[-1]))
		name--;
	if (name == at || *name != 'P')
		return false;
	bw_crash_copy(e.name, sizeof(e.name), name, (size_t)(at - name));
	e.address = strtoull(at + 2, NULL, 16);
	e.value = strtoull(value + 2, NULL, 16);
	if (r->walk.len < BW_CRASH_MAX_WALK)
		bw_crash_report_error(r, bw_vec_push(&r->walk, e));
	return true;
}

/* ---- bo_history.log, addr_binding_report.log ---- */

/* "timestamp=..., VA=0000800100000000-0000800100001000, destroyed=0, is_virtual=0"; the other one
 * has "binding_type=bind, object_type=VK_OBJECT_TYPE_BUFFER" there. */
static bool range_line(struct bw_crash_report *r, const char *line)
{
	const char *p = bw_starts_with(line, "timestamp=") ? bw_crash_after(line, ", VA=") : NULL;
	char *end;
	if (!p || !isxdigit((unsigned char)*p))
		return false;
	uint64_t first = strtoull(p, &end, 16);
	if (*end != '-')
		return false;
	uint64_t beyond = strtoull(end + 1, NULL, 16);
	if (beyond <= first || beyond - first > 1ull << BW_VA_BITS)
		return true;
	struct bw_crash_range range = {.va = bw_canonical(first), .size_b = beyond - first};
	range.is_destroyed =
		strstr(line, "destroyed=1") || strstr(line, "binding_type=unbind") != NULL;
	const char *object = bw_crash_after(line, "object_type=VK_OBJECT_TYPE_");
	if (object)
		bw_crash_copy(range.object, sizeof(range.object), object, strcspn(object, ", "));
	range.order = (unsigned)r->ranges.len;
	if (r->ranges.len >= BW_CRASH_MAX_RANGES)
		r->n_ranges_left_out++;
	else
		bw_crash_report_error(r, bw_vec_push(&r->ranges, range));
	return true;
}

static int by_range(const void *pa, const void *pb)
{
	const struct bw_crash_range *a = pa, *b = pb;
	int object = strcmp(a->object, b->object);
	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	if (a->size_b != b->size_b)
		return a->size_b < b->size_b ? -1 : 1;
	if (object)
		return object;
	return a->order < b->order ? -1 : a->order > b->order;
}

void bw_crash_report_end(struct bw_crash_report *r)
{
	size_t n = 0;
	if (!r->ranges.len)
		return;
	qsort(r->ranges.data, r->ranges.len, sizeof(*r->ranges.data), by_range);
	for (size_t i = 0; i < r->ranges.len; i++) {
		const struct bw_crash_range *now = &r->ranges.data[i], *next = now + 1;
		if (i + 1 < r->ranges.len && now->va == next->va && now->size_b == next->size_b &&
		    !strcmp(now->object, next->object))
			continue;
		r->ranges.data[n++] = *now;
	}
	r->ranges.len = n;
}

/* ---- app_info.log, gpu_info.log ---- */

static void add_version(struct bw_crash_report *r, const char *name, uint32_t version)
{
	struct bw_crash_ip ip = {.version = version};
	bw_crash_copy(ip.name, sizeof(ip.name), name, strlen(name));
	bw_vec_each(&r->dump.ips, old)
		if (!strcmp(old->name, ip.name))
			return; /* the first is the more exact one */
	if (r->dump.ips.len < BW_CRASH_MAX_NOTES)
		bw_crash_report_error(r, bw_vec_push(&r->dump.ips, ip));
}

/* RADV's names of GPUs, and their GC versions: ac_gpu_info.c of Mesa 25.0, amdgpu_discovery.c of
 * Linux 6.12. */
static bool chip_line(struct bw_crash_report *r, const char *line)
{
	static const struct {
		const char *name;
		uint32_t gc;
	} chips[] = {
#define V BW_IP_VERSION
		{"NAVI10", V(10, 1, 10)}, {"NAVI12", V(10, 1, 2)},  {"NAVI14", V(10, 1, 1)},
		{"NAVI21", V(10, 3, 0)},  {"NAVI22", V(10, 3, 2)},  {"NAVI23", V(10, 3, 4)},
		{"NAVI24", V(10, 3, 5)},  {"NAVI31", V(11, 0, 0)},  {"NAVI32", V(11, 0, 3)},
		{"NAVI33", V(11, 0, 2)},  {"GFX1150", V(11, 5, 0)}, {"GFX1151", V(11, 5, 1)},
		{"GFX1200", V(12, 0, 0)}, {"GFX1201", V(12, 0, 1)},
	};
	const char *p = bw_starts_with(line, "    name = ") ? line + strlen("    name = ") : NULL;
	unsigned major, minor;
	for (size_t i = 0; p && i < BW_ARRAY_SIZE(chips); i++)
		if (!strcmp(p, chips[i].name))
			add_version(r, "GC", chips[i].gc);
	const char *upper =
		bw_starts_with(line, "    address32_hi = 0x") ? bw_crash_after(line, "0x") : NULL;
	if (upper)
		r->address32_hi = (uint32_t)strtoul(upper, NULL, 16);
	if (sscanf(line, " IP GFX %3u.%3u", &major, &minor) == 2)
		add_version(r, "GC", V(major & 0xff, minor & 0xff, 0));
#undef V
	return p || bw_starts_with(line, "    ") || bw_starts_with(line, "Device info:");
}

static bool info_line(struct bw_crash_report *r, const char *line, unsigned number)
{
	static const char *const facts[] = {
		"Application version: ",   "Engine name: ",   "Engine version: ", "API version: ",
		"Enabled debug options: ", "Pipeline hash: ", "Mesa version: ",
	};
	struct bw_crash_dump *d = &r->dump;
	struct bw_crash_note note = {.line = number};
	if (bw_starts_with(line, "Application name: ")) {
		const char *name = line + strlen("Application name: ");
		bw_crash_copy(d->process, sizeof(d->process), name, strlen(name));
		return true;
	}
	if (bw_starts_with(line, "Device name: "))
		r->in_gpu_info = true;
	bool is_fact = r->in_gpu_info && bw_starts_with(line, "Device name: ");
	for (size_t i = 0; i < BW_ARRAY_SIZE(facts); i++)
		is_fact |= bw_starts_with(line, facts[i]);
	if (!is_fact)
		return false;
	if (bw_starts_with(line, "Mesa version: "))
		bw_crash_copy(d->kernel, sizeof(d->kernel), line + strlen("Mesa version: "),
			      strlen(line) - strlen("Mesa version: "));
	bw_crash_copy(note.text, sizeof(note.text), line, strlen(line));
	if (d->facts.len < BW_CRASH_MAX_NOTES)
		bw_crash_report_error(r, bw_vec_push(&d->facts, note));
	return true;
}

/* ---- lines ---- */

bool bw_crash_report_line(struct bw_crash_report *r, const char *text, size_t n, unsigned number)
{
	char line[MAX_LINE_B];
	plain(text, n, line);
	if (!*line)
		return false;
	if (bw_starts_with(line, "Memory-mapped registers:")) {
		r->in_registers = true;
		return true;
	}
	if (trace_frame(r, line, number))
		return true;
	if (r->in_trace)
		return trace_line(r, line);
	if (r->in_registers)
		return register_line(r, line, number);
	if (bw_crash_wave_line(&r->waves, line, number))
		return true;
	return bw_crash_pipeline_line(r, line, number) || bw_crash_program_line(r, line, number) ||
	       bw_crash_umr_register_line(r, line) || walk_line(r, line, number) ||
	       bw_crash_umr_ring_line(r, line, number) || range_line(r, line) ||
	       info_line(r, line, number) || (r->in_gpu_info && chip_line(r, line));
}

void bw_crash_report_next_file(struct bw_crash_report *r)
{
	r->in_registers = r->in_gpu_info = r->in_trace = false;
	r->ring_name = NULL;
	bw_crash_shaders_next_file(r);
	bw_crash_waves_next_file(&r->waves);
}

bool bw_crash_report_has_dump(const struct bw_crash_report *r)
{
	const struct bw_crash_dump *d = &r->dump;
	return d->registers.len || d->rings.len || d->ibs.len || d->facts.len || d->ips.len;
}

void bw_crash_report_free(struct bw_crash_report *r)
{
	bw_crash_dump_free(&r->dump);
	bw_crash_waves_free(&r->waves);
	bw_vec_each(&r->pieces, p)
		bw_vec_free(&p->words);
	bw_vec_free(&r->pieces);
	bw_vec_free(&r->shaders);
	bw_vec_free(&r->instructions);
	bw_vec_each(&r->modules, m)
		bw_vec_free(&m->words);
	bw_vec_free(&r->modules);
	bw_vec_free(&r->streams);
	bw_vec_free(&r->ranges);
	bw_vec_free(&r->walk);
}

const struct bw_crash_range *bw_crash_range_of(const struct bw_crash_report *r, uint64_t va)
{
	const struct bw_crash_range *found = NULL;
	va = bw_canonical(va);
	bw_vec_each(&r->ranges, range)
		if (va >= range->va && va - range->va < range->size_b &&
		    (!found || (found->is_destroyed && !range->is_destroyed)))
			found = range;
	return found;
}
