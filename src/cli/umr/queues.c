/* SPDX-License-Identifier: MIT */
/* umr -cpc, -sdma, -c, -vi: queues by their registers, and what the driver says of the device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "cli/umr/umr.h"

static struct bw_error *read_named(struct bw_umr *u, const struct bw_kmd_bank *bank,
				   const char *name, uint32_t *out)
{
	uint32_t addr_dw;
	BW_TRY(bw_regs_address(u->gc, name, u->gc_bases_dw, u->n_gc_bases, &addr_dw));
	return bw_kmd_reg_read(u->kmd, bank, addr_dw, out);
}

/* ---- -cpc ---- */

enum hqd {
	ACTIVE,
	VMID,
	PQ_BASE,
	PQ_BASE_HI,
	PQ_RPTR,
	PQ_WPTR_LO,
	RPTR_ADDR,
	RPTR_ADDR_HI,
	PQ_CONTROL,
	EOP_BASE,
	EOP_BASE_HI,
	EOP_RPTR,
	EOP_WPTR,
	EOP_WPTR_MEM,
	MQD_BASE,
	MQD_BASE_HI,
	DEQUEUE,
	IQ_TIMER,
	AQL_CONTROL,
	SAVE_LO,
	SAVE_HI,
	SAVE_SIZE,
	STACK_OFFSET,
	STACK_SIZE,
	N_HQD,
};
static const char *const hqd_names[N_HQD] = {
	[ACTIVE] = "CP_HQD_ACTIVE",
	[VMID] = "CP_HQD_VMID",
	[PQ_BASE] = "CP_HQD_PQ_BASE",
	[PQ_BASE_HI] = "CP_HQD_PQ_BASE_HI",
	[PQ_RPTR] = "CP_HQD_PQ_RPTR",
	[PQ_WPTR_LO] = "CP_HQD_PQ_WPTR_LO",
	[RPTR_ADDR] = "CP_HQD_PQ_RPTR_REPORT_ADDR",
	[RPTR_ADDR_HI] = "CP_HQD_PQ_RPTR_REPORT_ADDR_HI",
	[PQ_CONTROL] = "CP_HQD_PQ_CONTROL",
	[EOP_BASE] = "CP_HQD_EOP_BASE_ADDR",
	[EOP_BASE_HI] = "CP_HQD_EOP_BASE_ADDR_HI",
	[EOP_RPTR] = "CP_HQD_EOP_RPTR",
	[EOP_WPTR] = "CP_HQD_EOP_WPTR",
	[EOP_WPTR_MEM] = "CP_HQD_EOP_WPTR_MEM",
	[MQD_BASE] = "CP_MQD_BASE_ADDR",
	[MQD_BASE_HI] = "CP_MQD_BASE_ADDR_HI",
	[DEQUEUE] = "CP_HQD_DEQUEUE_REQUEST",
	[IQ_TIMER] = "CP_HQD_IQ_TIMER",
	[AQL_CONTROL] = "CP_HQD_AQL_CONTROL",
	[SAVE_LO] = "CP_HQD_CTX_SAVE_BASE_ADDR_LO",
	[SAVE_HI] = "CP_HQD_CTX_SAVE_BASE_ADDR_HI",
	[SAVE_SIZE] = "CP_HQD_CTX_SAVE_SIZE",
	[STACK_OFFSET] = "CP_HQD_CNTL_STACK_OFFSET",
	[STACK_SIZE] = "CP_HQD_CNTL_STACK_SIZE",
};

static struct bw_error *show_queue(struct bw_umr *u, const struct bw_kmd_bank *bank)
{
	uint32_t r[N_HQD];
	for (unsigned i = 0; i < N_HQD; i++) {
		BW_TRY(read_named(u, bank, hqd_names[i], &r[i]));
		if (i == ACTIVE && !(r[i] & 1))
			return NULL;
	}
	printf("Pipe %u  Queue %u  VMID %u\n", bank->pipe, bank->queue, r[VMID] & 0xf);
	printf("  PQ BASE 0x%" PRIx64 "  RPTR 0x%x  WPTR 0x%x  RPTR_ADDR 0x%" PRIx64
	       "  CNTL 0x%x\n",
	       bw_join_256b(r[PQ_BASE_HI], r[PQ_BASE]), r[PQ_RPTR], r[PQ_WPTR_LO],
	       bw_join32(r[RPTR_ADDR_HI], r[RPTR_ADDR]), r[PQ_CONTROL]);
	printf("  EOP BASE 0x%" PRIx64 "  RPTR 0x%x  WPTR 0x%x  WPTR_MEM 0x%x\n",
	       bw_join_256b(r[EOP_BASE_HI], r[EOP_BASE]), r[EOP_RPTR], r[EOP_WPTR],
	       r[EOP_WPTR_MEM]);
	printf("  MQD 0x%" PRIx64 "  DEQ_REQ 0x%x  IQ_TIMER 0x%x  AQL_CONTROL 0x%x\n",
	       bw_join32(r[MQD_BASE_HI], r[MQD_BASE]), r[DEQUEUE], r[IQ_TIMER], r[AQL_CONTROL]);
	printf("  SAVE BASE 0x%" PRIx64 "  SIZE 0x%x  STACK OFFSET 0x%x  SIZE 0x%x\n\n",
	       bw_join32(r[SAVE_HI], r[SAVE_LO]), r[SAVE_SIZE], r[STACK_OFFSET], r[STACK_SIZE]);
	return NULL;
}

/* Prints the firmware's program counter of a pipe; from gfx11 on, the registers are those of the
 * RS64 cores. */
static struct bw_error *show_pipe(struct bw_umr *u, const struct bw_kmd_bank *bank, unsigned gen)
{
	char name[32];
	uint32_t at;
	if (gen < 11)
		snprintf(name, sizeof(name), "CP_MEC%u_INSTR_PNTR", bank->me);
	else
		snprintf(name, sizeof(name), "%s",
			 bank->me == 3 ? "CP_MES_INSTR_PNTR" : "CP_MEC_RS64_INSTR_PNTR");
	BW_TRY(read_named(u, bank, name, &at));
	printf("ME %u Pipe %u: INSTR_PTR 0x%x", bank->me, bank->pipe, at);
	if (gen < 11)
		printf("\n");
	else
		printf(" (ASM 0x%x)\n", at * 4);
	return NULL;
}

struct bw_error *bw_umr_cpc(struct bw_umr *u)
{
	unsigned gen = u->gpu.block[0].ip.major;
	for (unsigned me = 1; me <= (gen < 11 ? 2 : 3); me++) {
		if (gen >= 11 && me == 2)
			continue; /* only one MEC; ME 3 is MES */
		unsigned pipes = me == 3     ? 2
				 : gen >= 12 ? 2
					     : 4,
			 queues = me == 3    ? 1
				  : gen < 10 ? 8
					     : 4;
		for (unsigned pipe = 0; pipe < pipes; pipe++) {
			struct bw_kmd_bank bank = {.use_srbm = true, .me = me, .pipe = pipe};
			for (bank.queue = 0; bank.queue < queues; bank.queue++)
				BW_TRY(show_queue(u, &bank));
			bank.queue = queues - 1;
			BW_TRY(show_pipe(u, &bank, gen));
		}
	}
	return NULL;
}

/* ---- -sdma ---- */

static struct bw_error *show_sdma_queue(struct bw_umr *u, unsigned engine, unsigned queue)
{
	enum { CNTL, BASE, BASE_HI, RPTR, RPTR_HI, WPTR, WPTR_HI, ADDR_LO, ADDR_HI, N };
	static const char *const names[N] = {"CNTL",	"BASE",		"BASE_HI",
					     "RPTR",	"RPTR_HI",	"WPTR",
					     "WPTR_HI", "RPTR_ADDR_LO", "RPTR_ADDR_HI"};
	static const struct bw_kmd_bank none;
	uint32_t r[N];
	char name[64];
	for (unsigned i = 0; i < N; i++) {
		struct bw_reg reg;
		snprintf(name, sizeof(name), "SDMA%u_QUEUE%u_RB_%s", engine, queue, names[i]);
		if (!bw_regs_lookup(u->gc, name, &reg))
			return NULL; /* an engine has fewer queues */
		BW_TRY(read_named(u, &none, name, &r[i]));
		if (i == CNTL) {
			struct bw_reg_field in_use;
			BW_TRY(bw_reg_field_by_name(&reg, "RPTR_WRITEBACK_ENABLE", &in_use));
			if (!bw_reg_field_get(in_use, r[i]))
				return NULL;
		}
	}
	printf("SDMA %u  RLC %u\n", engine, queue);
	printf("  RB BASE 0x%" PRIx64 "  RPTR 0x%" PRIx64 "  WPTR 0x%" PRIx64
	       "  RPTR_ADDR 0x%" PRIx64 "  CNTL 0x%x\n\n",
	       bw_join_256b(r[BASE_HI], r[BASE]), bw_join32(r[RPTR_HI], r[RPTR]),
	       bw_join32(r[WPTR_HI], r[WPTR]), bw_join32(r[ADDR_HI], r[ADDR_LO]), r[CNTL]);
	return NULL;
}

struct bw_error *bw_umr_sdma(struct bw_umr *u)
{
	struct bw_reg reg;
	if (!bw_regs_lookup(u->gc, "SDMA0_QUEUE0_RB_CNTL", &reg))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "-sdma knows the engines of gfx11 and later here");
	printf("\n");
	for (unsigned engine = 0; engine < 2; engine++)
		for (unsigned queue = 0; queue < 8; queue++)
			BW_TRY(show_sdma_queue(u, engine, queue));
	return NULL;
}

/* ---- -c, -vi ---- */

static struct bw_error *read_text(struct bw_umr *u, const char *file, struct bw_str *out)
{
	struct bw_kmd_file *f;
	char buf[4096];
	size_t done = 0;
	out->len = 0;
	BW_TRY(bw_kmd_file_open(u->kmd, file, false, &f));
	struct bw_error *err = NULL;
	for (uint64_t at = 0; !(err = bw_kmd_file_read(f, at, buf, sizeof(buf), &done)) && done;
	     at += done)
		bw_str_addn(out, buf, done);
	bw_kmd_file_close(f);
	return err;
}

/* "label == text" of a file of sysfs, without its newline; none where there is no such file. */
static void show_file(struct bw_umr *u, const char *label, const char *file)
{
	struct bw_str text = {0};
	struct bw_error *err = read_text(u, file, &text);
	if (!err)
		printf("\t%s == %.*s\n", label, (int)strcspn(bw_str_text(&text), "\n"),
		       bw_str_text(&text));
	bw_error_free(err);
	bw_str_free(&text);
}

static void show_firmware(struct bw_umr *u)
{
	struct bw_str text = {0};
	struct bw_error *err = read_text(u, "amdgpu_firmware_info", &text);
	char *save = NULL, *copy = err ? NULL : bw_str_take(&text);
	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char name[64];
		unsigned feature, version;
		const char *at = strstr(line, "firmware version: 0x");
		if (at && sscanf(line, "%63s feature version: %u", name, &feature) == 2 &&
		    sscanf(at, "firmware version: 0x%x", &version) == 1)
			printf("\tfw.%s == .feature==%u .firmware==0x%08x\n", name, feature,
			       version);
	}
	free(copy);
	bw_error_free(err);
	bw_str_free(&text);
}

struct bw_error *bw_umr_config(struct bw_umr *u)
{
	/* amdgpu_debugfs_gca_config_read of Linux 6.12, version 5 */
	static const struct {
		const char *name;
		uint8_t at;
		bool is_hex;
	} rows[] = {
		{"gfx.max_shader_engines", 1, false},
		{"gfx.max_tile_pipes", 2, false},
		{"gfx.max_cu_per_sh", 3, false},
		{"gfx.max_sh_per_se", 4, false},
		{"gfx.max_backends_per_se", 5, false},
		{"gfx.max_texture_channel_caches", 6, false},
		{"gfx.max_gprs", 7, false},
		{"gfx.max_gs_threads", 8, false},
		{"gfx.max_hw_contexts", 9, false},
		{"gfx.sc_prim_fifo_size_frontend", 10, false},
		{"gfx.sc_prim_fifo_size_backend", 11, false},
		{"gfx.sc_hiz_tile_fifo_size", 12, false},
		{"gfx.sc_earlyz_tile_fifo_size", 13, false},
		{"gfx.num_tile_pipes", 14, false},
		{"gfx.backend_enable_mask", 15, false},
		{"gfx.mem_max_burst_length_bytes", 16, false},
		{"gfx.mem_row_size_in_kb", 17, false},
		{"gfx.shader_engine_tile_size", 18, false},
		{"gfx.num_gpus", 19, false},
		{"gfx.multi_gpu_tile_size", 20, false},
		{"gfx.mc_arb_ramcfg", 21, false},
		{"gfx.gb_addr_config", 22, false},
		{"gfx.num_rbs", 23, false},
		{"gfx.family", 27, false},
		{"is_apu", 33, false},
		{"gfx.rev_id", 24, true},
		{"gfx.external_rev_id", 28, true},
		{"gfx.cg_flags", 26, true},
		{"gfx.pg_flags", 25, true},
	};
	enum { CONFIG_DW = 36 };
	uint32_t config[CONFIG_DW] = {0};
	struct bw_kmd_file *f;
	size_t done = 0;
	BW_TRY(bw_kmd_file_open(u->kmd, "amdgpu_gca_config", false, &f));
	struct bw_error *err = bw_kmd_file_read(f, 0, config, sizeof(config), &done);
	bw_kmd_file_close(f);
	if (err)
		return err;
	printf("\tasic.family == %u\n\n", config[27]);
	show_file(u, "asic.gtt_size", "sysfs:mem_info_gtt_total");
	show_file(u, "asic.vis_vram_size", "sysfs:mem_info_vis_vram_total");
	show_file(u, "asic.vram_size", "sysfs:mem_info_vram_total");
	printf("\n");
	show_file(u, "vbios.version", "sysfs:vbios_version");
	printf("\n");
	show_firmware(u);
	printf("\n\tpci.vendor_id == %x\n\tpci.device_id == %x\n\tpci.subvendor_id == %x\n"
	       "\tpci.subdevice_id == %x\n\tpci.revision == %x\n\n",
	       0x1002, config[29], config[32], config[31], config[30]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows) && rows[i].at < done / 4; i++)
		printf(rows[i].is_hex ? "\t%s == %08x\n" : "\t%s == %u\n", rows[i].name,
		       config[rows[i].at]);
	printf("\n");
	return NULL;
}

struct bw_error *bw_umr_vbios(struct bw_umr *u)
{
	show_file(u, "vbios version", "sysfs:vbios_version");
	return NULL;
}
