/* SPDX-License-Identifier: MIT */
/* Parts of breakwater queues: descriptors, copy engines, what is busy, rings with fences, KFD. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/look/memory.h"
#include "cli/queues.h"

/* Appends the fields of a register's value that are not 0: "PRIV_STATE QUEUE_SIZE=0x9". */
static void add_fields(const struct bw_reg *reg, uint32_t value, struct bw_str *out)
{
	struct bw_reg_field_value f[64];
	size_t n = BW_MIN(bw_reg_decode(reg, value, f, BW_ARRAY_SIZE(f)), BW_ARRAY_SIZE(f));
	for (size_t k = 0; k < n; k++)
		if (f[k].value && f[k].field.hi == f[k].field.lo)
			bw_str_addf(out, "%s%s", out->len ? " " : "", f[k].field.name);
		else if (f[k].value)
			bw_str_addf(out, "%s%s=0x%" PRIx64, out->len ? " " : "", f[k].field.name,
				    f[k].value);
}

/* Whether the fields say more than the value: addresses and counters have one field of all bits. */
static bool has_fields(const struct bw_reg *reg)
{
	struct bw_reg_field_value f[2];
	return bw_reg_decode(reg, 0, f, BW_ARRAY_SIZE(f)) > 1;
}

/* ---- descriptors ---- */

/* The words of a compute MQD from this one on are the registers from CP_MQD_BASE_ADDR on
 * (v9_structs.h to v12_structs.h of Linux 6.12: cp_mqd_base_addr_lo). */
enum { MQD_FIRST_REGISTER = 128, MQD_REGISTERS = 64 };

/* Registers that the hardware itself goes on writing, or that act when they are written. */
static bool is_pointer(const char *name)
{
	return strstr(name, "RPTR") || strstr(name, "WPTR") || strstr(name, "DEQUEUE") ||
	       strstr(name, "EVENTS");
}

/* The words of a graphics MQD are not in the order of the registers (v10_structs.h to v12_structs.h
 * of Linux 6.12). */
static const struct {
	uint8_t word;
	const char *name;
} graphics_mqd[] = {
	{128, "CP_GFX_MQD_BASE_ADDR"},	    {129, "CP_GFX_MQD_BASE_ADDR_HI"},
	{130, "CP_GFX_HQD_ACTIVE"},	    {131, "CP_GFX_HQD_VMID"},
	{134, "CP_GFX_HQD_QUEUE_PRIORITY"}, {135, "CP_GFX_HQD_QUANTUM"},
	{136, "CP_GFX_HQD_BASE"},	    {137, "CP_GFX_HQD_BASE_HI"},
	{138, "CP_GFX_HQD_RPTR"},	    {139, "CP_GFX_HQD_RPTR_ADDR"},
	{140, "CP_GFX_HQD_RPTR_ADDR_HI"},   {141, "CP_RB_WPTR_POLL_ADDR_LO"},
	{142, "CP_RB_WPTR_POLL_ADDR_HI"},   {143, "CP_RB_DOORBELL_CONTROL"},
	{144, "CP_GFX_HQD_OFFSET"},	    {145, "CP_GFX_HQD_CNTL"},
	{148, "CP_GFX_HQD_CSMD_RPTR"},	    {149, "CP_GFX_HQD_WPTR"},
	{150, "CP_GFX_HQD_WPTR_HI"},
};

/* The register of a word, after MQD_FIRST_REGISTER. False: it is of none. */
static bool register_of(const struct bw_gpu *g, bool is_graphics, uint32_t word, struct bw_reg *out,
			uint32_t *out_addr_dw)
{
	uint32_t first_dw;
	for (size_t i = 0; is_graphics && i < BW_ARRAY_SIZE(graphics_mqd); i++)
		if (graphics_mqd[i].word == MQD_FIRST_REGISTER + word)
			return bw_gpu_find(g, graphics_mqd[i].name, out, out_addr_dw);
	if (is_graphics || !bw_gpu_find(g, "CP_MQD_BASE_ADDR", out, &first_dw))
		return false;
	*out_addr_dw = first_dw + word;
	return bw_regs_at_address(g->block[0].block, g->block[0].ip.segment,
				  g->block[0].ip.n_segments, *out_addr_dw, out) > 0;
}

void bw_queues_note_mqd(struct bw_queues *c, const struct bw_gpu *g,
			const struct bw_queues_mqd *mqd, struct bw_table *t, json_t *list)
{
	uint32_t words[MQD_REGISTERS];
	struct bw_look_memory m = {0};
	char place[40];
	uint64_t at;
	size_t got = 0;
	if (!mqd->address) {
		bw_table_note(t, "      it has no MQD");
		return;
	}
	snprintf(place, sizeof(place), "0@0x%" PRIx64, mqd->address + MQD_FIRST_REGISTER * 4);
	struct bw_error *err = bw_look_memory_open(&c->look, place, &m, &at);
	if (!err)
		got = bw_look_memory_read(&m, at, words, sizeof(words));
	bw_look_memory_close(&m);
	if (err || !got)
		bw_table_note(t, "      its MQD cannot be read%s%s", err ? ": " : "",
			      err ? err->message : "");
	bw_error_free(err);
	json_t *o = json_object(), *values = json_object();
	for (uint32_t i = 0; i < got / 4; i++) {
		struct bw_reg reg;
		uint32_t addr_dw, now = words[i];
		if (!register_of(g, mqd->is_graphics, i, &reg, &addr_dw) || (!words[i] && !c->all))
			continue;
		if (mqd->bank)
			bw_error_free(bw_kmd_reg_read(g->kmd, mqd->bank, addr_dw, &now));
		bool differs = now != words[i] && !is_pointer(reg.name);
		char other[40] = "";
		if (differs)
			snprintf(other, sizeof(other), "  (the queue has 0x%08x)", now);
		struct bw_str fields = {0};
		if (has_fields(&reg))
			add_fields(&reg, words[i], &fields);
		bw_table_note(t, "      %-32s 0x%08x%s%s%s", reg.name, words[i], other,
			      fields.len ? "  " : "", bw_str_text(&fields));
		bw_str_free(&fields);
		json_object_set_new(values, reg.name, json_sprintf("0x%x", words[i]));
	}
	json_object_set_new(o, "queue", json_string(mqd->queue));
	json_object_set_new(o, "address", json_sprintf("0x%" PRIx64, mqd->address));
	json_object_set_new(o, "registers", values);
	json_array_append_new(list, o);
}

/* ---- copy engines ---- */

struct sdma_queue {
	unsigned engine;
	char prefix[32]; /* "SDMA0_QUEUE3" */
	const char *state;
	uint64_t vmid, base, size_dw, rptr, wptr;
};

static const struct bw_fact sdma_rows[] = {
	{"Queue", "queue", "text", BW_OF(struct sdma_queue, prefix)},
	{"VMID", "vmid", "count", BW_OF(struct sdma_queue, vmid)},
	{"State", "state", "text", BW_OF(struct sdma_queue, state)},
	{"Ring", "base", "hex", BW_OF(struct sdma_queue, base)},
	{"Words", "size", "count", BW_OF(struct sdma_queue, size_dw)},
	{"Read", "rptr", "hex", BW_OF(struct sdma_queue, rptr), .align = BW_ALIGN_RIGHT},
	{"Write", "wptr", "hex", BW_OF(struct sdma_queue, wptr), .align = BW_ALIGN_RIGHT},
};
BW_FACTS(sdma_facts, "queues sdma", "sdma", sdma_rows);

static struct bw_error *read_sdma(const struct bw_gpu *g, const struct sdma_queue *q,
				  const char *what, uint32_t *out)
{
	char name[64];
	snprintf(name, sizeof(name), "%s_%s", q->prefix, what);
	return bw_gpu_read(g, NULL, name, out);
}

/* Ring pointers count bytes, RB_SIZE is log2 of dwords: sdma_v6_0.c of Linux 6.12. */
static struct bw_error *sdma_row(struct bw_queues *c, const struct bw_gpu *g, struct sdma_queue *q,
				 struct bw_table *t)
{
	uint32_t cntl, base, base_hi, rptr, rptr_hi, wptr, wptr_hi;
	struct bw_reg reg;
	char name[64];
	uint32_t addr_dw;
	uint64_t fields[3] = {0};
	static const char *const names[] = {"RB_ENABLE", "RB_SIZE", "RB_VMID"};
	snprintf(name, sizeof(name), "%s_RB_CNTL", q->prefix);
	if (!bw_gpu_find(g, name, &reg, &addr_dw))
		return NULL;
	BW_TRY(read_sdma(g, q, "RB_CNTL", &cntl));
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		struct bw_reg_field f;
		struct bw_error *none = bw_reg_field_by_name(&reg, names[i], &f);
		if (!none)
			fields[i] = bw_reg_field_get(f, cntl);
		bw_error_free(none);
	}
	if (!fields[0] && !c->all)
		return NULL;
	BW_TRY(read_sdma(g, q, "RB_BASE", &base));
	BW_TRY(read_sdma(g, q, "RB_BASE_HI", &base_hi));
	BW_TRY(read_sdma(g, q, "RB_RPTR", &rptr));
	BW_TRY(read_sdma(g, q, "RB_RPTR_HI", &rptr_hi));
	BW_TRY(read_sdma(g, q, "RB_WPTR", &wptr));
	BW_TRY(read_sdma(g, q, "RB_WPTR_HI", &wptr_hi));
	q->vmid = fields[2];
	q->base = bw_join_256b(base_hi, base);
	q->size_dw = 1ull << fields[1];
	q->rptr = bw_join32(rptr_hi, rptr) / 4;
	q->wptr = bw_join32(wptr_hi, wptr) / 4;
	q->state = !fields[0]					  ? "not active"
		   : q->rptr % q->size_dw == q->wptr % q->size_dw ? "empty"
								  : "busy";
	bw_table_row(t, q);
	return NULL;
}

struct bw_error *bw_queues_show_sdma(struct bw_queues *c, const struct bw_gpu *g)
{
	enum { MAX_ENGINES = 8, MAX_QUEUES = 8 };
	struct bw_table t;
	struct bw_error *err = NULL;
	bw_table_begin(&t, &sdma_facts);
	for (unsigned e = 0; e < MAX_ENGINES && !err; e++) {
		/* gfx9 and gfx10 have GFX and RLC0 to 7, gfx11 and later QUEUE0 to 7 */
		struct sdma_queue q = {.engine = e};
		snprintf(q.prefix, sizeof(q.prefix), "SDMA%u_GFX", e);
		err = sdma_row(c, g, &q, &t);
		for (unsigned n = 0; n < 2 * MAX_QUEUES && !err; n++) {
			snprintf(q.prefix, sizeof(q.prefix), "SDMA%u_%s%u", e,
				 n < MAX_QUEUES ? "QUEUE" : "RLC", n % MAX_QUEUES);
			err = sdma_row(c, g, &q, &t);
		}
	}
	if (!err) {
		bw_out_line(c->look.out, "%s", "Copy engines");
		bw_out_table(c->look.out, &t, "  none is enabled\n");
	}
	bw_table_fini(&t);
	return err;
}

/* ---- what is busy ---- */

struct status_row {
	const char *name;
	uint32_t value;
	struct bw_str fields;
};

static const struct bw_fact status_rows[] = {
	{"Register", "name", "text", BW_OF(struct status_row, name)},
	{"Value", "value", "hex", BW_OF(struct status_row, value), .digits = 8},
	{"Fields", "fields", "text", BW_OF(struct status_row, fields)},
};
BW_FACTS(status_facts, "queues status", "status", status_rows);

struct bw_error *bw_queues_show_status(struct bw_queues *c, const struct bw_gpu *g)
{
	static const char *const names[] = {"GRBM_STATUS",
					    "GRBM_STATUS2",
					    "CP_STAT",
					    "CP_BUSY_STAT",
					    "CP_STALLED_STAT1",
					    "CP_STALLED_STAT2",
					    "CP_STALLED_STAT3",
					    "CP_CPF_STATUS",
					    "CP_CPF_BUSY_STAT",
					    "CP_CPF_STALLED_STAT1",
					    "CP_CPC_STATUS",
					    "CP_CPC_BUSY_STAT",
					    "CP_CPC_STALLED_STAT1",
					    "CP_MEC_CNTL",
					    "CP_MEC_RS64_CNTL",
					    "CP_MES_CNTL",
					    "CP_PFP_INSTR_PNTR",
					    "CP_ME_INSTR_PNTR",
					    "CP_MEC1_INSTR_PNTR",
					    "CP_MEC_RS64_INSTR_PNTR",
					    "CP_MES_INSTR_PNTR",
					    "CP_PFP_HEADER_DUMP",
					    "CP_ME_HEADER_DUMP",
					    "CP_MEC_ME1_HEADER_DUMP",
					    "CP_MES_HEADER_DUMP",
					    "SDMA0_STATUS_REG",
					    "SDMA1_STATUS_REG"};
	struct bw_table t;
	struct bw_error *err = NULL;
	bw_table_begin(&t, &status_facts);
	for (size_t i = 0; i < BW_ARRAY_SIZE(names) && !err; i++) {
		struct status_row r = {names[i]};
		struct bw_reg reg;
		uint32_t addr_dw;
		if (!bw_gpu_find(g, names[i], &reg, &addr_dw))
			continue;
		err = bw_kmd_reg_read(g->kmd, NULL, addr_dw, &r.value);
		if (err || (!r.value && !c->all))
			continue;
		add_fields(&reg, r.value, &r.fields);
		bw_table_row(&t, &r);
		bw_str_free(&r.fields);
	}
	if (!err) {
		bw_out_line(c->look.out, "%s", "Command processors");
		bw_out_table(c->look.out, &t, "  all are 0\n");
	}
	bw_table_fini(&t);
	return err;
}

/* ---- rings and fences ---- */

/* NULL: not known. */
static const struct bw_kmd_ring_fences *fences_of(const struct bw_kmd_ring_fences *all, size_t n,
						  const char *ring)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].ring, ring))
			return &all[i];
	return NULL;
}

struct ring_row {
	const char *ring;
	uint32_t head[3], signaled, emitted, pending;
	bool has_head, has_fences;
};

#define HEAD BW_IF(struct ring_row, has_head), .align = BW_ALIGN_RIGHT
#define FENCES BW_IF(struct ring_row, has_fences)
static const struct bw_fact ring_rows[] = {
	{"Ring", "ring", "text", BW_OF(struct ring_row, ring)},
	{"Read", "rptr", "hex?", BW_OF(struct ring_row, head[0]), HEAD},
	{"Write", "wptr", "hex?", BW_OF(struct ring_row, head[1]), HEAD},
	{"Driver", "driver_wptr", "hex?", BW_OF(struct ring_row, head[2]), HEAD},
	{"Signaled", "signaled", "count?", BW_OF(struct ring_row, signaled), FENCES},
	{"Emitted", "emitted", "count?", BW_OF(struct ring_row, emitted), FENCES},
	{"Pending", "pending", "count?", BW_OF(struct ring_row, pending), FENCES},
};
BW_FACTS(ring_facts, "queues rings", "rings", ring_rows);

static void add_ring(const struct bw_gpu *g, const char *ring,
		     const struct bw_kmd_ring_fences *fences, struct bw_table *t)
{
	char file[64];
	struct ring_row r = {.ring = ring, .has_fences = fences != NULL};
	size_t done = 0;
	struct bw_kmd_file *f;
	snprintf(file, sizeof(file), "amdgpu_ring_%s", ring);
	struct bw_error *err = bw_kmd_file_open(g->kmd, file, false, &f);
	if (!err) {
		err = bw_kmd_file_read(f, 0, r.head, sizeof(r.head), &done);
		bw_kmd_file_close(f);
	}
	r.has_head = !err && done == sizeof(r.head);
	bw_error_free(err);
	if (fences) {
		r.signaled = fences->signaled;
		r.emitted = fences->emitted;
		r.pending = fences->emitted - fences->signaled;
	}
	if (r.has_head || fences)
		bw_table_row(t, &r);
}

void bw_queues_show_rings(struct bw_queues *c, const struct bw_gpu *g)
{
	/* as gfx_v*_0.c, sdma_v*_0.c, vcn_v*.c and mes_v11_0.c of Linux 6.12 name them */
	static const char *const names[] = {
		"gfx_0.0.0",	 "gfx_0.1.0",  "gfx",		"comp_1.0.0",
		"comp_1.1.0",	 "comp_1.2.0", "comp_1.3.0",	"comp_1.0.1",
		"comp_1.1.1",	 "comp_1.2.1", "comp_1.3.1",	"kiq_0.2.1.0",
		"kiq_2.1.0",	 "mes_3.0.0",  "mes_kiq_3.1.0", "sdma0",
		"sdma1",	 "sdma2",      "sdma3",		"vcn_unified_0",
		"vcn_unified_1", "vcn_dec_0",  "vcn_enc_0.0",	"jpeg_dec",
		"jpeg_dec_0",	 "vpe"};
	struct bw_table t;
	_cleanup_free_ struct bw_kmd_ring_fences *fences = NULL;
	size_t n = 0;
	bw_error_free(bw_kmd_fences(g->kmd, &fences, &n)); /* rings without fences */
	bw_table_begin(&t, &ring_facts);
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		add_ring(g, names[i], fences_of(fences, n, names[i]), &t);
	bw_out_line(c->look.out, "%s", "Rings of the driver");
	bw_out_table(c->look.out, &t, "  none can be read\n");
	bw_table_fini(&t);
}

/* ---- KFD ---- */

static void show_kfd_file(struct bw_queues *c, const char *name, json_t *files)
{
	char path[64], line[512];
	json_t *lines = json_array();
	snprintf(path, sizeof(path), "/sys/kernel/debug/kfd/%s", name);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	bw_out_line(c->look.out, "KFD %s%s%s", name, f ? "" : ": ", f ? "" : strerror(errno));
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		bw_out_line(c->look.out, "  %s", line);
		json_array_append_new(lines, bw_json_text(line));
	}
	json_object_set_new(files, name, lines);
}

void bw_queues_show_kfd(struct bw_queues *c, const struct bw_gpu *g)
{
	static const char *const names[] = {"mqds", "hqds", "rls"};
	json_t *files = json_object();
	if (bw_kmd_is_virtual(g->kmd))
		bw_out_line(c->look.out, "%s",
			    "KFD: the virtual GPU's own driver has no files of debugfs for it.");
	for (size_t i = 0; !bw_kmd_is_virtual(g->kmd) && i < BW_ARRAY_SIZE(names); i++)
		show_kfd_file(c, names[i], files);
	bw_out_json(c->look.out, "kfd", files);
}
