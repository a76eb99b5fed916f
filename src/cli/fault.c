/* SPDX-License-Identifier: MIT */
/* breakwater fault: a page fault from a status word, from lines of a kernel log, or from the live
 * registers, in words. */
#include "cli/look/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "cli/look/gpu.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater fault STATUS [--gfx VERSION] [--hub gc|mm] [--mmhub VERSION]\n"
	"       breakwater fault \"LINES OF DMESG\" | FILE | -\n"
	"       breakwater fault [--gpu GPU]\n"
	"\n"
	"Says what a page fault was: who accessed which address, how, why that failed, and what to "
	"look at next.\n"
	"STATUS is a value of VM_L2_PROTECTION_FAULT_STATUS. Lines of the kernel log may have any age "
	"and shape, and some of them may be missing.\n"
	"Without an argument the registers of the GPU are read.\n";

static const struct bw_option rows[] = {
	BW_LOOK_GFX, BW_LOOK_HUB, BW_LOOK_MMHUB, BW_LOOK_GPU, BW_LOOK_END,
};

const struct bw_command_line bw_line_fault = {
	.name = "breakwater fault",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = bw_look_take_word,
};

/* ---- one fault ---- */

/* The fields of a status word; if the generation is not known, those that are the same in all
 * generations. */
static size_t fields_of(const struct bw_gpuvm_fault_facts *facts,
			struct bw_gpuvm_status_field out[BW_GPUVM_MAX_STATUS_FIELDS])
{
	size_t n = bw_gpuvm_status_fields(&facts->part, facts->hub, facts->status, out);
	while (facts->any_generation && n && strcmp(out[n - 1].name, "VF") != 0)
		n--;
	return n;
}

static void add_fields(json_t *o, const struct bw_gpuvm_fault_facts *facts)
{
	struct bw_gpuvm_status_field f[BW_GPUVM_MAX_STATUS_FIELDS];
	size_t n = fields_of(facts, f);
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		struct bw_str meaning = {0};
		bw_gpuvm_fault_field(facts, &f[i], &meaning);
		json_t *field = json_object();
		json_object_set_new(field, "name", json_string(f[i].name));
		json_object_set_new(field, "high", json_integer(f[i].hi));
		json_object_set_new(field, "low", json_integer(f[i].lo));
		json_object_set_new(field, "value", json_integer(f[i].value));
		json_object_set_new(field, "meaning", bw_json_text(bw_str_text(&meaning)));
		json_array_append_new(list, field);
		bw_str_free(&meaning);
	}
	json_object_set_new(o, "fields", list);
}

static void add_hex(json_t *o, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_object_set_new(o, key, json_string(text));
}

static void add_lines(json_t *o, const char *key, const char *lines)
{
	json_t *list = json_array();
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		json_array_append_new(list, json_stringn(lines, n));
		lines += n + (lines[n] == '\n');
	}
	json_object_set_new(o, key, list);
}

/* f: NULL for a status word alone. */
static json_t *json_of(const struct bw_gpuvm_fault_facts *facts,
		       const struct bw_gpuvm_fault_story *story, const struct bw_crash_fault *f)
{
	json_t *o = json_object();
	json_object_set_new(o, "summary", bw_json_text(bw_str_text(&story->headline)));
	json_object_set_new(o, "hub", json_string(facts->hub == BW_GPUVM_MM ? "mm" : "gc"));
	if (story->who.len)
		json_object_set_new(o, "client", bw_json_text(bw_str_text(&story->who)));
	if (story->access.len)
		json_object_set_new(o, "access", json_string(bw_str_text(&story->access)));
	if (story->why.len)
		json_object_set_new(o, "reason", bw_json_text(bw_str_text(&story->why)));
	if (facts->has_address)
		add_hex(o, "address", facts->address);
	if (facts->has_status) {
		add_hex(o, "status", facts->status);
		add_fields(o, facts);
	}
	add_lines(o, "next", bw_str_text(&story->next));
	if (!f)
		return o;
	json_object_set_new(o, "line", json_integer(f->first_line));
	if (f->device[0])
		json_object_set_new(o, "device", json_string(f->device));
	if (f->has_process) {
		json_object_set_new(o, "process", bw_json_text(f->process));
		json_object_set_new(o, "pid", json_integer(f->pid));
		json_object_set_new(o, "thread", bw_json_text(f->thread));
		json_object_set_new(o, "tid", json_integer(f->tid));
	}
	if (f->has_first) {
		json_object_set_new(o, "vmid", json_integer(f->vmid));
		json_object_set_new(o, "pasid", json_integer(f->pasid));
	}
	if (f->has_retry)
		json_object_set_new(o, "retry", json_boolean(f->is_retry));
	return o;
}

struct field_row {
	const struct bw_gpuvm_fault_facts *facts;
	struct bw_gpuvm_status_field f;
};

static void bits(struct bw_table *t, const void *of)
{
	const struct bw_gpuvm_status_field *f = &((const struct field_row *)of)->f;
	if (f->hi == f->lo)
		bw_table_text(t, "%u", f->lo);
	else
		bw_table_text(t, "%u:%u", f->hi, f->lo);
}

static void value(struct bw_table *t, const void *of)
{
	const struct bw_gpuvm_status_field *f = &((const struct field_row *)of)->f;
	bw_table_text(t, f->value > 9 ? "0x%x" : "%u", f->value);
}

static void meaning(struct bw_table *t, const void *of)
{
	const struct field_row *r = of;
	struct bw_str text = {0};
	bw_gpuvm_fault_field(r->facts, &r->f, &text);
	bw_table_text(t, "%s", bw_str_text(&text));
	bw_str_free(&text);
}

/* JSON has them in another form (add_fields). */
static const struct bw_fact field_rows[] = {
	{"  Field", NULL, "text", BW_OF(struct field_row, f.name)},
	{"Bits", NULL, "text", BW_GET(bits)},
	{"Value", NULL, "text", BW_GET(value)},
	{"", NULL, "text", BW_GET(meaning)},
};
static const struct bw_fact_table field_facts = {NULL, NULL, field_rows, BW_ARRAY_SIZE(field_rows)};

static void show_fields(struct bw_out *o, const struct bw_gpuvm_fault_facts *facts)
{
	struct bw_gpuvm_status_field f[BW_GPUVM_MAX_STATUS_FIELDS];
	size_t n = fields_of(facts, f);
	struct bw_table t;
	struct bw_str text = {0};
	bw_table_begin(&t, &field_facts);
	for (size_t i = 0; i < n; i++) {
		struct field_row r = {facts, f[i]};
		bw_table_row(&t, &r);
	}
	bw_table_render(&t, &text);
	bw_out_text(o, bw_str_text(&text));
	bw_str_free(&text);
	bw_table_fini(&t);
}

static void show_next(struct bw_out *o, const char *lines)
{
	if (*lines)
		bw_out_line(o, "What to look at:");
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		bw_out_line(o, "  - %.*s", (int)n, lines);
		lines += n + (lines[n] == '\n');
	}
}

static void show_origin(struct bw_out *o, const struct bw_crash_fault *f)
{
	struct bw_str s = {0};
	if (f->device[0])
		bw_str_addf(&s, ", GPU %s", f->device);
	if (f->has_first)
		bw_str_addf(&s, ", %s hub%s, VMID %u, PASID %u",
			    f->hub == BW_GPUVM_MM ? "memory" : "graphics",
			    f->has_retry ? f->is_retry ? ", retry" : ", no retry" : "", f->vmid,
			    f->pasid);
	if (f->has_process)
		bw_str_addf(&s, ", thread %s (%" PRId64 ")", f->thread, f->tid);
	if (f->die[0])
		bw_str_addf(&s, ", die %s", f->die);
	bw_out_line(o, "Line%s %u%s%.0u%s", f->last_line > f->first_line ? "s" : "", f->first_line,
		    f->last_line > f->first_line ? " to " : "",
		    f->last_line > f->first_line ? f->last_line : 0, bw_str_text(&s));
	if (f->contradicted)
		bw_out_line(o, "The lines of single fields contradict the status word, which is "
			       "believed: the log may be mixed up.");
	if (f->status_is_rebuilt)
		bw_out_line(o, "The line with the status word is missing: it was put together from "
			       "the lines of its fields; what has no line counts as 0.");
	bw_str_free(&s);
}

static void show(struct bw_out *o, const struct bw_gpuvm_fault_facts *facts,
		 const struct bw_gpuvm_fault_story *story, const struct bw_crash_fault *f)
{
	bw_out_line(o, "%s", bw_str_text(&story->headline));
	bw_out_line(o, "%s", "");
	if (f)
		show_origin(o, f);
	if (facts->has_status) {
		struct bw_str part = {0};
		if (facts->any_generation)
			bw_str_add(&part, "gfx9 to gfx12.0 (--gfx says which, and names more)");
		else
			bw_look_part_name(&facts->part, &part);
		if (facts->is_guess)
			bw_str_add(&part, " or gfx12.0, which log the same (--gfx says which)");
		if (facts->hub == BW_GPUVM_MM && facts->part.mm)
			bw_str_addf(&part, ", names of memory hub %u.%u.%u",
				    BW_IP_NUMBERS(facts->part.mm));
		else if (facts->hub == BW_GPUVM_MM)
			bw_str_add(&part, "; --gfx with a whole version, or --mmhub, names its "
					  "clients");
		bw_out_line(o, "Status 0x%08x of the %s hub, %s", facts->status,
			    facts->hub == BW_GPUVM_MM ? "memory" : "graphics", bw_str_text(&part));
		if (facts->status)
			show_fields(o, facts);
		bw_str_free(&part);
	}
	show_next(o, bw_str_text(&story->next));
}

void bw_look_fault(struct bw_look *l, const struct bw_gpuvm_fault_facts *facts,
		   const struct bw_crash_fault *f, json_t *list)
{
	struct bw_gpuvm_fault_story story = {0};
	bw_gpuvm_fault_tell(facts, &story);
	json_array_append_new(list, json_of(facts, &story, f));
	show(l->out, facts, &story, f);
	bw_gpuvm_fault_story_free(&story);
}

/* ---- sources ---- */

static void tell_status(struct bw_look *l, uint32_t status, json_t *list)
{
	struct bw_gpuvm_fault_facts facts = {.hub = l->hub,
					     .has_status = true,
					     .status = status,
					     .any_generation = !l->has_part,
					     .vmid = -1,
					     .part = l->part};
	if (!l->has_part)
		facts.part.gen = BW_GPUVM_GFX11;
	bw_look_fault(l, &facts, NULL, list);
}

static void log_line(void *cookie, const char *text, size_t n, unsigned number)
{
	bw_crash_log_line(cookie, text, n, number);
}

static struct bw_error *tell_log(struct bw_look *l, struct bw_crash_log *log, const char *what,
				 json_t *list)
{
	bw_crash_log_end(log);
	if (log->failed)
		return bw_error_nomem();
	if (!log->faults.len)
		return bw_errorf(BW_E_NOT_FOUND,
				 "there is no page fault in %s (%u lines). Lines of a fault look "
				 "like \"amdgpu 0000:03:00.0: [gfxhub] page fault (src_id:0 ...\"",
				 what, log->n_lines);
	for (size_t i = 0; i < log->faults.len; i++) {
		const struct bw_crash_fault *f = &log->faults.data[i];
		struct bw_gpuvm_fault_facts facts =
			bw_crash_fault_facts(log, f, l->has_part ? &l->part : NULL);
		if (l->has_hub)
			facts.hub = l->hub;
		if (log->faults.len > 1)
			bw_out_line(l->out, "%sPage fault %zu of %zu", i ? "\n" : "", i + 1,
				    log->faults.len);
		bw_look_fault(l, &facts, f, list);
	}
	if (log->n_faults_left_out)
		bw_out_line(l->out, "\n%u more faults are left out.", log->n_faults_left_out);
	bw_out_int(l->out, "left_out", log->n_faults_left_out);
	return NULL;
}

/* Names of the registers of a hub in different generations. */
static const char *const live_names[][4] = {
	{"VM_L2_PROTECTION_FAULT_STATUS", "GCVM_L2_PROTECTION_FAULT_STATUS",
	 "MMVM_L2_PROTECTION_FAULT_STATUS", NULL},
	{"VM_L2_PROTECTION_FAULT_ADDR_LO32", "GCVM_L2_PROTECTION_FAULT_ADDR_LO32",
	 "MMVM_L2_PROTECTION_FAULT_ADDR_LO32", NULL},
	{"VM_L2_PROTECTION_FAULT_ADDR_HI32", "GCVM_L2_PROTECTION_FAULT_ADDR_HI32",
	 "MMVM_L2_PROTECTION_FAULT_ADDR_HI32", NULL},
};

static struct bw_error *read_any(struct bw_kmd *kmd, const struct bw_gpu_block *b,
				 const char *const *names, uint32_t *out)
{
	for (; *names; names++) {
		char lo32[64];
		struct bw_reg reg;
		uint32_t addr_dw;
		snprintf(lo32, sizeof(lo32), "%s_LO32", *names);
		if (!bw_regs_lookup(b->block, *names, &reg) &&
		    !bw_regs_lookup(b->block, lo32, &reg))
			continue;
		BW_TRY(bw_reg_address(&reg, b->ip.segment, b->ip.n_segments, &addr_dw));
		return bw_kmd_reg_read(kmd, NULL, addr_dw, out);
	}
	return bw_errorf(BW_E_NOT_FOUND, "%s has no fault status register here",
			 bw_regs_block_name(b->block));
}

struct bw_error *bw_look_read_fault(struct bw_kmd *kmd, enum bw_gpuvm_hub hub,
				    struct bw_gpuvm_fault_facts *out)
{
	struct bw_gpu_block b;
	uint32_t status, lo, hi;
	struct bw_gpuvm_fault_facts facts = {.hub = hub, .has_status = true, .vmid = -1};
	BW_TRY(bw_gpu_part_of(kmd, &facts.part));
	BW_TRY(bw_gpu_block_open(kmd, hub == BW_GPUVM_MM ? "mmhub" : "gc", &b));
	BW_TRY(read_any(kmd, &b, live_names[0], &status));
	BW_TRY(read_any(kmd, &b, live_names[1], &lo));
	BW_TRY(read_any(kmd, &b, live_names[2], &hi));
	facts.status = status;
	facts.has_address = status != 0;
	facts.address = bw_join32(hi, lo) * BW_GPUVM_PAGE_B;
	*out = facts;
	return NULL;
}

static struct bw_error *tell_live_hub(struct bw_look *l, struct bw_kmd *kmd, enum bw_gpuvm_hub hub,
				      json_t *list)
{
	struct bw_gpuvm_fault_facts facts;
	BW_TRY(bw_look_read_fault(kmd, hub, &facts));
	if (hub == BW_GPUVM_MM && !l->has_hub)
		bw_out_line(l->out, "%s", "");
	bw_out_line(l->out, "%s hub:", hub == BW_GPUVM_MM ? "Memory" : "Graphics");
	if (!facts.status)
		bw_out_line(l->out,
			    "No fault is recorded (the driver clears the record when it has "
			    "logged a fault: see the kernel log).");
	else
		bw_look_fault(l, &facts, NULL, list);
	return NULL;
}

static struct bw_error *tell_live(struct bw_look *l, json_t *list)
{
	struct bw_gpu g = {0};
	struct bw_error *err = bw_look_gpu_open(l, &g);
	if (!err && (!l->has_hub || l->hub == BW_GPUVM_GC))
		err = tell_live_hub(l, g.kmd, BW_GPUVM_GC, list);
	if (!err && (!l->has_hub || l->hub == BW_GPUVM_MM))
		err = tell_live_hub(l, g.kmd, BW_GPUVM_MM, list);
	bw_gpu_close(&g);
	return err;
}

static bool is_log_text(const char *text)
{
	static const char *const words[] = {
		"\n",	       "page fault",   "PROTECTION_FAULT",  "in page starting", "UTCL2",
		"MORE_FAULTS", "WALKER_ERROR", "PERMISSION_FAULTS", "MAPPING_ERROR",	"RW: 0x"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static struct bw_error *tell_words(struct bw_look *l, json_t *list)
{
	struct bw_crash_log log = {0};
	struct bw_error *err = NULL;
	uint64_t status;
	bool has_log = false;
	for (size_t i = 0; i < l->n_words && !err; i++) {
		const char *w = l->words[i];
		if (bw_parse_u64(w, &status)) {
			if (status > UINT32_MAX)
				err = bw_errorf(BW_E_INVALID,
						"a status word has 32 bits, %s has more", w);
			else
				tell_status(l, (uint32_t)status, list);
			continue;
		}
		has_log = true;
		if (is_log_text(w))
			bw_crash_log_text(&log, w, strlen(w));
		else if (!strcmp(w, "-") || access(w, F_OK) == 0)
			err = bw_read_lines(w, log_line, &log);
		else
			err = bw_errorf(BW_E_INVALID,
					"\"%s\" is not a number, a file or a line of a page fault",
					w);
	}
	if (!err && has_log)
		err = tell_log(l, &log,
			       l->n_words == 1 && !is_log_text(l->words[0]) ? l->words[0]
									    : "these lines",
			       list);
	bw_crash_log_free(&log);
	return err;
}

static struct bw_error *run_fault(struct bw_look *l)
{
	json_t *list = json_array();
	bw_out_begin(l->out, "command", "fault");
	struct bw_error *err = l->n_words ? tell_words(l, list) : tell_live(l, list);
	if (err) {
		json_decref(list);
		bw_out_drop(l->out);
		return err;
	}
	bw_out_json(l->out, "faults", list);
	bw_out_end(l->out);
	return NULL;
}

int bw_main_fault(int argc, char **argv)
{
	struct bw_look l = {0};
	return bw_look_main(&l, &bw_line_fault, argc, argv, run_fault);
}
