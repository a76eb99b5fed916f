/* SPDX-License-Identifier: MIT */
/* Submissions, dispatches, and the descriptors and buffers bound to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "debug/bound.h"
#include "debug/queues.h"
#include "target/call.h"
#include "ui/show.h"

static const char *const states[] = {[BW_DISPATCH_HELD] = "held",
				     [BW_DISPATCH_RUNNING] = "running",
				     [BW_DISPATCH_DONE] = "done",
				     [BW_DISPATCH_FAILED] = "failed"};

/* A later dispatch of its queue has waves: all of its own have been launched. */
static bool is_launched(struct bw_debug *d, const struct bw_dispatch_info *x)
{
	size_t n;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	for (size_t i = 0; i < n; i++)
		if (waves[i].queue == x->queue && waves[i].dispatch > x->number)
			return true;
	return false;
}

/* The submission runs as a whole; the stopped waves show that one of its dispatches has ended, and
 * that another has not begun. */
const char *bw_show_dispatch_state(struct bw_debug *d, const struct bw_dispatch_info *x)
{
	struct bw_wave_count c = {0};
	if (x->state != BW_DISPATCH_RUNNING || bw_debug_state(d) != BW_DEBUG_STOPPED)
		return states[x->state];
	struct bw_str for_what = {0};
	bool waits = bw_debug_waits_in_queue(d, x, &for_what);
	bw_str_free(&for_what);
	bw_error_free(bw_debug_count_waves(d, x->number, &c));
	if (waits || (c.total && c.waiting == c.total))
		return "waiting";
	if (c.total && c.finished == c.total && is_launched(d, x))
		return "done";
	return states[x->state];
}

void bw_show_dims(char out[48], const uint32_t v[3])
{
	if (v[0] == UINT32_MAX)
		snprintf(out, 48, "from memory");
	else
		snprintf(out, 48, "[%u,%u,%u]", v[0], v[1], v[2]);
}

json_t *bw_dims_json(const uint32_t v[3])
{
	if (v[0] == UINT32_MAX)
		return json_null();
	return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

void bw_table_dims(struct bw_table *t, const uint32_t v[3])
{
	char text[48];
	bw_show_dims(text, v);
	bw_table_both(t, bw_dims_json(v), "%s", text);
}

struct submission_row {
	struct bw_dispatch_info first;
	uint32_t last;
};

static void dispatches(struct bw_table *t, const void *of)
{
	const struct submission_row *r = of;
	if (r->first.number == r->last)
		bw_table_text(t, "%u", r->last);
	else
		bw_table_text(t, "%u-%u", r->first.number, r->last);
}

static const struct bw_fact submission_rows[] = {
	{"Id", "submission", "count", BW_OF(struct submission_row, first.submission)},
	{"Queue", "queue", "count", BW_OF(struct submission_row, first.queue)},
	{"Frame", "frame", "number?", BW_OF(struct submission_row, first.frame)},
	{"Dispatches", NULL, "text", BW_GET(dispatches)},
	{"State", "state", "", BW_OF(struct submission_row, first.state), BW_NAMES(states)},
	{NULL, "first_dispatch", "number", BW_OF(struct submission_row, first.number)},
	{NULL, "last_dispatch", "number", BW_OF(struct submission_row, last)},
};
BW_FACTS(submission_facts, "info submissions", "submissions", submission_rows);

void bw_show_submissions(struct bw_out *o, struct bw_debug *d)
{
	size_t n = 0;
	const struct bw_dispatch_info *list = bw_debug_dispatches(d, &n);
	struct bw_table t;
	bw_table_begin(&t, &submission_facts);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && list[end].submission == list[i].submission;)
			end++;
		struct submission_row r = {list[i], list[end - 1].number};
		bw_table_row(&t, &r);
	}
	bw_out_table(o, &t, "Nothing has been submitted.");
	bw_table_fini(&t);
}

/* Where specialisation constants set the workgroup size, only the pipeline's dispatches show it. */
static const uint32_t *workgroup_of(struct bw_debug *d, const struct bw_target_object *p)
{
	size_t n = 0;
	const struct bw_dispatch_info *list = bw_debug_dispatches(d, &n);
	const uint32_t *dim = p->dim[0] ? p->dim : NULL;
	for (size_t i = n; i-- > 0 && !dim;)
		if (list[i].desc.pipeline == p->id)
			dim = list[i].desc.group_size;
	return dim;
}

struct pipeline_row {
	struct bw_target_object p;
	const uint32_t *dim;
	char hash[17];
};

static void pipeline_group(struct bw_table *t, const void *of)
{
	const struct pipeline_row *r = of;
	if (r->dim)
		bw_table_dims(t, r->dim);
	else
		bw_table_both(t, NULL, "specialised");
}

static void pipeline_code(struct bw_table *t, const void *of)
{
	const struct pipeline_row *r = of;
	if (r->p.va)
		bw_table_hex(t, r->p.va, 12);
	else
		bw_table_text(t, "not dispatched yet");
}

static const struct bw_fact pipeline_rows[] = {
	{"Id", "pipeline", "number", BW_OF(struct pipeline_row, p.id)},
	{"Name", "name", "text", BW_OF(struct pipeline_row, p.name)},
	{"Entry", "entry", "text", BW_OF(struct pipeline_row, p.entry)},
	{"Module", "module", "text", BW_OF(struct pipeline_row, p.module)},
	{"Workgroup", NULL, "dims", BW_GET(pipeline_group)},
	{"SPIR-V", "hash", "text", BW_OF(struct pipeline_row, hash)},
	{"Code", NULL, "hex", BW_GET(pipeline_code)},
	{"Push", "push_constant_bytes", "count", BW_OF(struct pipeline_row, p.push_b)},
	{NULL, "workgroup", "dims?", BW_GET(pipeline_group)},
	{NULL, "code", "hex?", BW_OF(struct pipeline_row, p.va)},
};
BW_FACTS(pipeline_facts, "info pipelines", "pipelines", pipeline_rows);

struct bw_error *bw_show_pipelines(struct bw_out *o, struct bw_debug *d)
{
	const struct bw_target_object *all;
	size_t n;
	BW_TRY(bw_debug_objects(d, &all, &n));
	struct bw_table t;
	bw_table_begin(&t, &pipeline_facts);
	for (size_t i = 0; i < n; i++) {
		struct pipeline_row r = {all[i], workgroup_of(d, &all[i])};
		if (r.p.kind != BW_OBJECT_PIPELINE)
			continue;
		snprintf(r.hash, sizeof(r.hash), "%016llx", (unsigned long long)r.p.hash);
		bw_table_row(&t, &r);
	}
	bw_out_table(
		o, &t,
		"No compute pipelines are known: the program uses no Vulkan, made none, or loads the driver "
		"without Vulkan's loader.\nDispatches are known by their code (\"info dispatches\").");
	bw_table_fini(&t);
	return NULL;
}

static void show_pipeline(struct bw_out *o, const struct bw_target_object *p)
{
	bw_out_line(o, "  pipeline     %u%s%s%s, entry point %s%s%s%s", p->id,
		    p->name[0] ? " \"" : "", p->name, p->name[0] ? "\"" : "", p->entry,
		    p->module[0] ? " of module \"" : "", p->module, p->module[0] ? "\"" : "");
	bw_out_line(o, "  SPIR-V       %016llx (the beginning of its SHA-1)",
		    (unsigned long long)p->hash);
	bw_out_int(o, "pipeline", p->id);
	bw_out_str(o, "pipeline_name", p->name);
	bw_out_str(o, "entry", p->entry);
	bw_out_str(o, "module", p->module);
	bw_out_strf(o, "hash", "%016llx", (unsigned long long)p->hash);
}

/* "4 8 c", as dwords */
static void show_words(struct bw_out *o, const char *title, const char *key, const uint32_t *w,
		       size_t n)
{
	json_t *list = json_array();
	struct bw_str s = {0};
	for (size_t i = 0; i < n; i++) {
		bw_str_addf(&s, "%s%08x", i == 0 ? "" : i % 8 ? " " : "\n               ", w[i]);
		json_array_append_new(list, json_integer(w[i]));
	}
	bw_out_line(o, "  %-12s %s", title, n ? bw_str_text(&s) : "none");
	bw_out_json(o, key, list);
	bw_str_free(&s);
}

struct bw_error *bw_show_dispatch(struct bw_out *o, struct bw_debug *d,
				  const struct bw_dispatch_info *x)
{
	char groups[48], group[48];
	const struct bw_target_dispatch *h = &x->desc;
	bw_show_dims(groups, h->groups);
	bw_show_dims(group, h->group_size);
	unsigned lanes = bw_arch_lanes(bw_debug_arch(d), h->initiator);
	bw_out_line(o, "Dispatch %u of %s (%s)", x->number, x->kernel_title,
		    bw_show_dispatch_state(d, x));
	struct bw_str for_what = {0};
	if (bw_debug_state(d) == BW_DEBUG_STOPPED && bw_debug_waits_in_queue(d, x, &for_what)) {
		bw_out_line(o, "  waits for    %s", bw_str_text(&for_what));
		bw_out_str(o, "waits_for", bw_str_text(&for_what));
	}
	bw_str_free(&for_what);
	bw_out_line(o, "  submission   %u on queue %u", x->submission, x->queue);
	if (x->frame)
		bw_out_line(o, "  frame        %u", x->frame);
	if (x->label[0])
		bw_out_line(o, "  label        %s", x->label);
	bw_out_line(o, "  grid         %s workgroups of %s work-items, wave%u", groups, group,
		    lanes);
	if (h->indirect_va)
		bw_out_line(o, "               the number of workgroups is read at 0x%llx",
			    (unsigned long long)h->indirect_va);
	bw_out_line(o, "  code         0x%012llx%s%s", (unsigned long long)h->code_va,
		    x->code_object[0] ? " from " : "", x->code_object);
	if (x->pipeline)
		show_pipeline(o, x->pipeline);
	if (h->packet_va)
		bw_out_line(o, "  packet       at 0x%012llx", (unsigned long long)h->packet_va);
	bw_out_int(o, "dispatch", x->number);
	bw_out_str(o, "kernel", x->kernel_name);
	bw_out_str(o, "kernel_title", x->kernel_title);
	bw_out_str(o, "state", bw_show_dispatch_state(d, x));
	bw_out_int(o, "submission", x->submission);
	bw_out_int(o, "queue", x->queue);
	if (x->frame)
		bw_out_int(o, "frame", x->frame);
	bw_out_str(o, "label", x->label);
	bw_out_str(o, "code_object", x->code_object);
	bw_out_json(o, "groups", bw_dims_json(h->groups));
	bw_out_json(o, "workgroup", bw_dims_json(h->group_size));
	bw_out_int(o, "wave_size", lanes);
	bw_out_hex(o, "code", h->code_va);
	if (h->packet_va)
		bw_out_hex(o, "packet", h->packet_va);
	const struct bw_arch_resources has =
		bw_arch_resources(bw_debug_arch(d), lanes, h->rsrc1, h->rsrc2, h->tmpring_size);
	unsigned scratch_b = has.scratch_b / lanes;
	bw_out_line(o, "  resources    %u VGPRs, %u bytes of LDS, %u bytes of scratch a lane",
		    has.vgprs, has.lds_b, scratch_b);
	bw_out_int(o, "vgprs", has.vgprs);
	bw_out_int(o, "lds", has.lds_b);
	bw_out_int(o, "scratch", scratch_b);
	show_words(o, "user SGPRs", "user_sgprs", h->user_data, bw_dispatch_user_sgprs(d, x));
	if (h->push_b) {
		uint32_t push[64];
		size_t n = BW_MIN((size_t)h->push_b, sizeof(push)) / 4;
		memcpy(push, h->push, n * 4);
		show_words(o, "push", "push_constants", push, n);
	}
	return NULL;
}

/* "s2+0x10", "s[4:5]", "kernarg+0x8" */
static void where_text(char out[32], const struct bw_bound *b)
{
	if (b->kind == BW_BOUND_POINTER && b->at)
		snprintf(out, 32, "kernarg+0x%x", b->offset_b);
	else if (b->kind == BW_BOUND_POINTER)
		snprintf(out, 32, "s[%u:%u]", b->sgpr, b->sgpr + 1);
	else
		snprintf(out, 32, "s%u+0x%x", b->sgpr, b->offset_b);
}

static void where(struct bw_table *t, const void *of)
{
	char text[32];
	where_text(text, of);
	bw_table_text(t, "%s", text);
}

static void shape(struct bw_table *t, const void *of)
{
	const struct bw_bound *b = of;
	if (b->kind == BW_BOUND_IMAGE)
		bw_table_text(t, "%s %ux%ux%u, format %u", bw_image_type_name(b->type), b->dim[0],
			      b->dim[1], b->dim[2], b->format);
	else if (b->stride_b)
		bw_table_text(t, "stride %u, format %u", b->stride_b, b->format);
	else
		bw_table_text(t, "%s", "");
}

static const char *const bound_kinds[] = {
	[BW_BOUND_BUFFER] = "buffer", [BW_BOUND_IMAGE] = "image", [BW_BOUND_POINTER] = "pointer"};

static const struct bw_fact descriptor_rows[] = {
	{"Where", "where", "text", BW_GET(where)},
	{"Kind", "kind", "", BW_OF(struct bw_bound, kind), BW_NAMES(bound_kinds)},
	{"Address", "address", "hex", BW_OF(struct bw_bound, va), .digits = 12},
	{"Size", "size", "count", BW_OF(struct bw_bound, size_b)},
	{"Shape", "shape", "text", BW_GET(shape)},
	{"Buffer", "buffer", "count", BW_OF(struct bw_bound, buffer)},
	{"Name", "name", "text", BW_OF(struct bw_bound, name)},
	{NULL, "descriptor_address", "hex", BW_OF(struct bw_bound, at), .digits = 12},
};
BW_FACTS(descriptor_facts, "info descriptors", "descriptors", descriptor_rows);

struct bw_error *bw_show_descriptors(struct bw_out *o, struct bw_debug *d,
				     const struct bw_dispatch_info *x)
{
	struct bw_bound *list;
	size_t n;
	BW_TRY(bw_debug_bound(d, x->number, &list, &n));
	bw_out_line(o, "Dispatch %u of %s", x->number, x->kernel_title);
	bw_out_int(o, "dispatch", x->number);
	bw_out_facts(o, &descriptor_facts, list, n,
		     "Nothing in its user SGPRs points to a descriptor or a buffer.");
	free(list);
	return NULL;
}

/* "s2+0x0, s2+0x10": where the current dispatch finds the buffer */
static void bound_text(struct bw_str *out, const struct bw_bound *list, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++) {
		char where[32];
		if (list[i].buffer != number)
			continue;
		where_text(where, &list[i]);
		bw_str_add_next(out, where);
	}
}

struct buffer_row {
	struct bw_buffer_info b;
	const char *name;
	struct bw_str at;
};

static void buffer_address(struct bw_table *t, const void *of)
{
	const struct buffer_row *r = of;
	if (r->b.va)
		bw_table_hex(t, r->b.va, 12);
	else
		bw_table_text(t, "no memory");
}

static const char *const buffer_kinds[] = {"buffer", "image"};

static const struct bw_fact buffer_rows[] = {
	{"Id", "buffer", "number", BW_OF(struct buffer_row, b.number)},
	{"Kind", "kind", "", BW_OF(struct buffer_row, b.is_image), BW_NAMES(buffer_kinds)},
	{"Address", NULL, "hex", BW_GET(buffer_address)},
	{"Size", "size", "count", BW_OF(struct buffer_row, b.size_b)},
	{"Bound at", "bound", "text", BW_OF(struct buffer_row, at)},
	{"Name", "name", "text", BW_OF(struct buffer_row, name)},
	{NULL, "address", "hex?", BW_OF(struct buffer_row, b.va)},
};
BW_FACTS(buffer_facts, "info buffers", "buffers", buffer_rows);

struct bw_error *bw_show_buffers(struct bw_out *o, struct bw_debug *d,
				 const struct bw_dispatch_info *x)
{
	_cleanup_free_ struct bw_bound *bound = NULL;
	const struct bw_buffer_info *list;
	size_t n_bound = 0, n;
	if (x)
		BW_TRY(bw_debug_bound(d, x->number, &bound, &n_bound));
	BW_TRY(bw_debug_buffers(d, &list, &n));
	struct bw_table t;
	bw_table_begin(&t, &buffer_facts);
	for (size_t i = 0; i < n; i++) {
		struct buffer_row r = {list[i], bw_debug_buffer_name(&list[i], bound, n_bound)};
		bound_text(&r.at, bound, n_bound, list[i].number);
		bw_table_row(&t, &r);
		bw_str_free(&r.at);
	}
	if (x && n)
		bw_out_line(o, "\"Bound at\" is for dispatch %u of %s.", x->number,
			    x->kernel_title);
	bw_out_table(o, &t, "No buffers are known.");
	bw_table_fini(&t);
	return NULL;
}

/* VkBufferUsageFlagBits and VkImageUsageFlagBits, by bit */
static void usage_text(struct bw_str *out, bool image, uint32_t usage)
{
	static const char *const buffer[] = {"transfer source", "transfer destination",
					     "uniform texels",	"storage texels",
					     "uniform",		"storage",
					     "index",		"vertex",
					     "indirect"};
	static const char *const images[] = {"transfer source",	  "transfer destination",
					     "sampled",		  "storage",
					     "colour attachment", "depth/stencil attachment"};
	const char *const *names = image ? images : buffer;
	size_t n = image ? BW_ARRAY_SIZE(images) : BW_ARRAY_SIZE(buffer);
	for (size_t i = 0; i < n; i++)
		if (usage >> i & 1)
			bw_str_add_next(out, names[i]);
}

static void show_mapping(struct bw_out *o, struct bw_debug *d, uint64_t va)
{
	struct bw_target *t = bw_debug_target(d);
	struct bw_target_map *maps = NULL;
	size_t n = 0;
	struct bw_error *err = bw_target_maps(t, &maps, &n);
	bw_error_free(err);
	for (size_t i = 0; i < n; i++) {
		const struct bw_target_map *m = &maps[i];
		if (va < m->va || va - m->va >= m->size_b)
			continue;
		/* AMDGPU_VM_PAGE_*, AMDGPU_GEM_DOMAIN_* */
		bw_out_line(o, "  mapped       0x%012llx to 0x%012llx, %s%s%s, %s",
			    (unsigned long long)m->va, (unsigned long long)(m->va + m->size_b),
			    m->flags & 2 ? "read" : "", m->flags & 4 ? " write" : "",
			    m->flags & 8 ? " execute" : "",
			    m->domains & 4 ? "VRAM" : "system memory (GTT)");
		bw_out_hex(o, "mapping", m->va);
		bw_out_int(o, "mapping_size", (int64_t)m->size_b);
	}
	free(maps);
}

struct bw_error *bw_show_buffer(struct bw_out *o, struct bw_debug *d, uint32_t number,
				const struct bw_dispatch_info *x)
{
	struct bw_bound *bound = NULL;
	size_t n_bound = 0, n;
	const struct bw_buffer_info *all;
	struct bw_buffer_info b;
	BW_TRY(bw_debug_buffers(d, &all, &n));
	if (x)
		BW_TRY(bw_debug_bound(d, x->number, &bound, &n_bound));
	struct bw_error *err = bw_debug_buffer(d, number, &b);
	if (err) {
		free(bound);
		return err;
	}
	struct bw_str at = {0}, usage = {0};
	bound_text(&at, bound, n_bound, number);
	free(bound);
	usage_text(&usage, b.is_image, b.usage);
	bw_out_line(o, "%s %u%s%s%s", b.is_image ? "Image" : "Buffer", b.number,
		    b.name[0] ? " \"" : "", b.name, b.name[0] ? "\"" : "");
	bw_out_line(o, "  address      0x%012llx, %llu bytes", (unsigned long long)b.va,
		    (unsigned long long)b.size_b);
	if (usage.len)
		bw_out_line(o, "  usage        %s", bw_str_text(&usage));
	if (at.len)
		bw_out_line(o, "  bound at     %s of dispatch %u", bw_str_text(&at), x->number);
	bw_out_int(o, "buffer", b.number);
	bw_out_str(o, "kind", b.is_image ? "image" : "buffer");
	if (b.va)
		bw_out_hex(o, "address", b.va);
	bw_out_int(o, "size", (int64_t)b.size_b);
	bw_out_str(o, "name", b.name);
	bw_out_str(o, "usage", bw_str_text(&usage));
	bw_out_str(o, "bound", bw_str_text(&at));
	bw_str_free(&at);
	bw_str_free(&usage);
	if (b.va) {
		show_mapping(o, d, b.va);
		bw_out_line(
			o,
			"  its contents x/8xw $_buffer(%u); dump memory FILE $_buffer(%u) $_buffer(%u)+$_buffer_size(%u)",
			b.number, b.number, b.number, b.number);
	}
	return NULL;
}
