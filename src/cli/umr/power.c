/* SPDX-License-Identifier: MIT */
/* umr -p, -t, -go: sensors, how busy the blocks are, GFXOFF. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/umr/umr.h"

/* ---- sensors ---- */

static bool read_sensor(struct bw_kmd_file *f, unsigned number, uint32_t *out)
{
	size_t done = 0;
	_cleanup_error_ struct bw_error *err =
		bw_kmd_file_read(f, 4ull * number, out, sizeof(*out), &done);
	return !err && done == sizeof(*out);
}

/* Prints the sensors that this GPU has. */
static struct bw_error *print_sensors(struct bw_umr *u)
{
	/* enum amd_pp_sensors of kgd_pp_interface.h, and its units */
	static const struct {
		uint8_t number;
		const char *label, *unit;
		uint16_t divisor;
	} rows[] = {
		{7, "GPU load", "%", 1},
		{8, "Memory load", "%", 1},
		{27, "VCN load", "%", 1},
		{0, "Shader clock", "MHz", 100},
		{9, "Memory clock", "MHz", 100},
		{19, "Shader clock, standard", "MHz", 100},
		{20, "Memory clock, standard", "MHz", 100},
		{25, "Shader clock, peak", "MHz", 100},
		{26, "Memory clock, peak", "MHz", 100},
		{10, "Temperature, edge", "C", 1000},
		{11, "Temperature, hot spot", "C", 1000},
		{12, "Temperature, memory", "C", 1000},
		{15, "Average power", "W", 256},
		{16, "Input power", "W", 256},
		{3, "Graphics voltage", "mV", 1},
		{2, "Northbridge voltage", "mV", 1},
	};
	struct bw_kmd_file *f;
	BW_TRY(bw_kmd_file_open(u->kmd, "amdgpu_sensors", false, &f));
	unsigned n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t value;
		if (!read_sensor(f, rows[i].number, &value))
			continue;
		printf("\t%-24s %6u %s\n", rows[i].label, value / rows[i].divisor, rows[i].unit);
		n++;
	}
	bw_kmd_file_close(f);
	return n ? NULL : bw_errorf(BW_E_UNSUPPORTED, "the driver reads no sensors of this GPU");
}

struct bw_error *bw_umr_power(struct bw_umr *u)
{
	return print_sensors(u);
}

/* ---- -t ---- */

static void print_memory(struct bw_umr *u, const char *label, const char *kind)
{
	char name[48], used[32], total[32];
	uint64_t used_b, total_b;
	snprintf(name, sizeof(name), "sysfs:mem_info_%s_used", kind);
	if (!bw_look_line(u->kmd, name, used, sizeof(used)))
		return;
	snprintf(name, sizeof(name), "sysfs:mem_info_%s_total", kind);
	if (bw_look_line(u->kmd, name, total, sizeof(total)) && bw_parse_u64(used, &used_b) &&
	    bw_parse_u64(total, &total_b))
		printf("\t%-24s %6llu MiB of %llu\n", label, (unsigned long long)used_b >> 20,
		       (unsigned long long)total_b >> 20);
}

/* How many samples had each bit of a register set. */
static struct bw_error *print_busy(struct bw_umr *u, const struct bw_reg *reg,
				   const uint32_t *values, unsigned n)
{
	enum { MAX_FIELDS = 32 };
	struct bw_reg_field_value fields[MAX_FIELDS];
	unsigned counts[MAX_FIELDS] = {0};
	size_t n_fields = 0;
	for (unsigned i = 0; i < n; i++) {
		n_fields = bw_reg_decode(reg, values[i], fields, MAX_FIELDS);
		for (size_t k = 0; k < n_fields; k++)
			counts[k] += fields[k].value != 0;
	}
	printf("%s%s\n", reg->prefix, reg->name);
	for (size_t k = 0; k < n_fields; k++)
		if (strstr(fields[k].field.name, "BUSY"))
			printf("\t%-24s %6u %%\n", fields[k].field.name, counts[k] * 100 / n);
	return NULL;
}

struct bw_error *bw_umr_top(struct bw_umr *u)
{
	enum { N_REGS = 2, N_SAMPLES = 100, APART_US = 10000 };
	static const char *const names[N_REGS] = {"GRBM_STATUS", "GRBM_STATUS2"};
	struct bw_reg reg[N_REGS];
	uint32_t addr_dw[N_REGS], values[N_REGS][N_SAMPLES];
	for (unsigned r = 0; r < N_REGS; r++)
		if (!bw_gpu_find(&u->gpu, names[r], &reg[r], &addr_dw[r]))
			return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register %s", names[r]);
	for (unsigned i = 0; i < N_SAMPLES; i++) {
		for (unsigned r = 0; r < N_REGS; r++)
			BW_TRY(bw_kmd_reg_read(u->kmd, &u->bank, addr_dw[r], &values[r][i]));
		usleep(APART_US);
	}
	for (unsigned r = 0; r < N_REGS; r++)
		BW_TRY(print_busy(u, &reg[r], values[r], N_SAMPLES));
	printf("Memory\n");
	print_memory(u, "VRAM", "vram");
	print_memory(u, "visible VRAM", "vis_vram");
	print_memory(u, "GTT", "gtt");
	printf("Sensors\n");
	struct bw_error *none = print_sensors(u);
	if (none)
		printf("\t(%s)\n", none->message);
	bw_error_free(none);
	return NULL;
}

/* ---- -go ---- */

struct bw_error *bw_umr_gfxoff(struct bw_umr *u, const char *on)
{
	struct bw_kmd_file *f;
	size_t done;
	if (on && strcmp(on, "0") != 0 && strcmp(on, "1") != 0)
		return bw_errorf(
			BW_E_INVALID,
			"-go takes 0 (the block stays on) or 1 (it may power down), not \"%s\"",
			on);
	uint32_t value = on ? *on == '1' : 0;
	BW_TRY(bw_kmd_file_open(u->kmd, "amdgpu_gfxoff", on != NULL, &f));
	struct bw_error *err = on ? bw_kmd_file_write(f, 0, &value, sizeof(value), &done)
				  : bw_kmd_file_read(f, 0, &value, sizeof(value), &done);
	bw_kmd_file_close(f);
	if (!err && !on) /* gfx_off_state in amdgpu_debugfs.c of Linux 6.12 */
		printf("GFXOFF status: %u (%s)\n", value,
		       value ? "the block may power down" : "the block stays on");
	return err;
}
