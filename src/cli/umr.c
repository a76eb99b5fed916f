/* SPDX-License-Identifier: MIT */
#include "cli/umr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/cli.h"
#include "cli/subcommands.h"
#include "gpu/gpu.h"
#include "pm4/pm4.h"

static const char usage[] =
	"Usage: breakwater umr [OPTIONS]\n"
	"\n"
	"Shows what the GPU's registers say, in the form of the tool umr, which "
	"Mesa calls for its hang reports.\n"
	"Programs under \"breakwater exec\" on the virtual GPU find it as umr.\n"
	"\n"
	"Options, in the order in which they are to be done:\n"
	"  --by-pci ADDRESS, -i N    which GPU (without: the one \"breakwater exec\" gave, or the "
	"first)\n"
	"  -O bits,halt_waves        fields too; waves are halted while they are looked at\n"
	"  -b SE SA INSTANCE         the bank of registers read from here on (x: all)\n"
	"  -r NAME                   registers: regGRBM_STATUS, *.gfx1100.regSQ_WAVE*, ...\n"
	"  -wa [RING]                waves\n"
	"  -R[S] RING                a ring: its words; with S what is to be executed, as packets\n"
	"  -go 0 | 1                 keep the graphics block on; allow it to power down\n";

/* Blocks whose registers can be read, besides GC. */
static const char *const blocks[] = {"gc", "mmhub", "osssys", "hdp"};

static struct bw_error *open_gpu(struct bw_umr *u, const char *selector)
{
	struct bw_gpu_block gc;
	/* The address that a program has from its virtual GPU names that one. */
	if (getenv(BW_KMD_SERVER_ENV))
		selector = "virtual";
	BW_TRY(bw_kmd_open(selector, &u->kmd));
	BW_TRY(bw_gpu_block_open(u->kmd, "gc", &gc));
	u->gc = gc.block;
	memcpy(u->gc_bases_dw, gc.ip.segment, sizeof(u->gc_bases_dw));
	u->n_gc_bases = gc.ip.n_segments;
	u->bank = (struct bw_kmd_bank){.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	return NULL;
}

/* ---- -r ---- */

static void print_reg(struct bw_umr *u, const struct bw_reg *reg, uint32_t value)
{
	struct bw_reg_field_value fields[32];
	printf("%s.%s%s => 0x%08x\n", bw_regs_block_name(reg->block), reg->prefix, reg->name,
	       value);
	size_t n = u->bits ? bw_reg_decode(reg, value, fields, BW_ARRAY_SIZE(fields)) : 0;
	for (size_t i = 0; i < n && i < BW_ARRAY_SIZE(fields); i++)
		printf("\t.%s[%u:%u] == %llu (0x%llx)\n", fields[i].field.name, fields[i].field.lo,
		       fields[i].field.hi, (unsigned long long)fields[i].value,
		       (unsigned long long)fields[i].value);
}

/* "asic.block.register", of which the last part counts; * and ? in it. */
static struct bw_error *show_registers(struct bw_umr *u, const char *name)
{
	const char *last = strrchr(name, '.');
	unsigned n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(blocks); i++) {
		struct bw_gpu_block b;
		struct bw_reg reg;
		size_t at = 0;
		_cleanup_error_ struct bw_error *none = bw_gpu_block_open(u->kmd, blocks[i], &b);
		while (!none && bw_regs_match_next(b.block, last ? last + 1 : name, &at, &reg)) {
			uint32_t addr_dw, value;
			_cleanup_error_ struct bw_error *indexed =
				bw_reg_address(&reg, b.ip.segment, b.ip.n_segments, &addr_dw);
			if (indexed)
				continue;
			BW_TRY(bw_kmd_reg_read(u->kmd, &u->bank, addr_dw, &value));
			print_reg(u, &reg, value);
			n++;
		}
	}
	return n ? NULL : bw_errorf(BW_E_NOT_FOUND, "no register is called %s", name);
}

/* ---- -R, -RS ---- */

static void print_words(const char *ring, const uint32_t *dw, uint32_t n, const uint32_t head[3])
{
	for (uint32_t i = 0; i < n; i++)
		printf("   %s.ring[%5u] == 0x%08x    %s%s%s\n", ring, i, dw[i],
		       i == head[0] ? "r" : ".", i == head[1] ? "w" : ".",
		       i == head[2] ? "D" : ".");
}

/* From the read pointer to the write pointer. dw: the ring twice, so that no packet is cut. */
static void print_packets(const char *ring, const uint32_t *dw, uint32_t n, uint32_t from,
			  uint32_t to)
{
	uint32_t end = to < from ? to + n : to;
	struct bw_pm4_packet p;
	struct bw_pm4_indirect_buffer ib;
	char buf[16];
	for (uint32_t at = from; at < end && bw_pm4_at(dw, end, at, &p); at += p.size_dw) {
		printf("[%s][%5u] 0x%08x  %s, %u words\n", ring, at % n, p.header,
		       p.kind == BW_PM4_TYPE3 ? bw_pm4_name(p.op, buf) : "no packet", p.size_dw);
		for (uint32_t i = 1; i < p.size_dw; i++)
			printf("[%s][%5u] 0x%08x\n", ring, (at + i) % n, dw[at + i]);
		if (bw_pm4_indirect_buffer(&p, &ib))
			printf("\tIB at 0x%llx, %u words, VMID %u\n", (unsigned long long)ib.va,
			       ib.size_dw, ib.vmid);
	}
}

static struct bw_error *read_all(struct bw_kmd_file *f, struct bw_str *out)
{
	uint8_t bytes[4096];
	size_t done = 1;
	for (uint64_t pos = 0; done; pos += done) {
		BW_TRY(bw_kmd_file_read(f, pos, bytes, sizeof(bytes), &done));
		bw_str_addn(out, (const char *)bytes, done);
	}
	return out->failed ? bw_error_nomem() : NULL;
}

static struct bw_error *show_ring(struct bw_umr *u, const char *ring, bool packets)
{
	char name[64];
	struct bw_kmd_file *f;
	struct bw_str bytes = {0};
	uint32_t head[3];
	snprintf(name, sizeof(name), "amdgpu_ring_%s", ring);
	BW_TRY(bw_kmd_file_open(u->kmd, name, false, &f));
	struct bw_error *err = read_all(f, &bytes);
	bw_kmd_file_close(f);
	uint32_t n = bytes.len > sizeof(head) ? (uint32_t)(bytes.len - sizeof(head)) / 4 : 0;
	uint32_t *dw = calloc(2 * (size_t)n + 1, 4);
	if (!err && !dw)
		err = bw_error_nomem();
	if (!err && n) {
		memcpy(head, bw_str_text(&bytes), sizeof(head));
		memcpy(dw, bw_str_text(&bytes) + sizeof(head), n * 4ul);
		memcpy(dw + n, dw, n * 4ul);
		printf("%s.rptr == %u\n%s.wptr == %u\n%s.drv_wptr == %u\n", ring, head[0], ring,
		       head[1], ring, head[2]);
		if (packets)
			print_packets(ring, dw, n, head[0] % n, head[1] % n);
		else
			print_words(ring, dw, n, head);
	}
	free(dw);
	bw_str_free(&bytes);
	return err;
}

/* ---- -go ---- */

static struct bw_error *set_gfxoff(struct bw_umr *u, uint32_t on)
{
	struct bw_kmd_file *f;
	size_t done;
	BW_TRY(bw_kmd_file_open(u->kmd, "amdgpu_gfxoff", true, &f));
	struct bw_error *err = bw_kmd_file_write(f, 0, &on, sizeof(on), &done);
	bw_kmd_file_close(f);
	return err;
}

/* ---- options ---- */

static uint32_t bank_number(const char *text)
{
	return !strcmp(text, "x") ? ~0u : (uint32_t)strtoul(text, NULL, 0);
}

static struct bw_error *set_options(struct bw_umr *u, const char *list)
{
	char words[64], *save = NULL;
	snprintf(words, sizeof(words), "%s", list);
	for (char *w = strtok_r(words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (!strcmp(w, "bits"))
			u->bits = true;
		else if (!strcmp(w, "halt_waves"))
			u->halt_waves = true;
		else
			return bw_errorf(BW_E_UNSUPPORTED,
					 "-O knows bits and halt_waves here, not \"%s\"", w);
	}
	return NULL;
}

/* One option with its words; *used: how many. */
static struct bw_error *take(struct bw_umr *u, char **argv, int n, int *used)
{
	const char *o = argv[0], *value = n > 1 ? argv[1] : NULL;
	*used = 2;
	if (!strcmp(o, "-wa") || !strcmp(o, "--waves")) {
		*used = value && value[0] != '-' ? 2 : 1;
		return bw_umr_waves(u);
	}
	if (!value)
		return bw_errorf(BW_E_INVALID,
				 "option %s is unknown here, or lacks a value (see --help)", o);
	if (!strcmp(o, "--by-pci") || !strcmp(o, "-i"))
		return NULL; /* seen already */
	if (!strcmp(o, "-O") || !strcmp(o, "--option"))
		return set_options(u, value);
	if (!strcmp(o, "-r") || !strcmp(o, "--read"))
		return show_registers(u, value);
	if (!strcmp(o, "-R") || !strcmp(o, "--ring"))
		return show_ring(u, value, false);
	if (!strcmp(o, "-RS") || !strcmp(o, "--ring-stream"))
		return show_ring(u, value, true);
	if (!strcmp(o, "-go") || !strcmp(o, "--gfxoff"))
		return set_gfxoff(u, (uint32_t)strtoul(value, NULL, 0));
	if (!strcmp(o, "-b") && n > 3) {
		u->bank.se = bank_number(argv[1]);
		u->bank.sa = bank_number(argv[2]);
		u->bank.instance = bank_number(argv[3]);
		*used = 4;
		return NULL;
	}
	return bw_errorf(BW_E_UNSUPPORTED, "this umr has no option %s (see --help)", o);
}

int bw_main_umr(int argc, char **argv)
{
	struct bw_umr u = {0};
	const char *selector = NULL;
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, stdout);
		return argc < 2 ? BW_EXIT_USAGE : 0;
	}
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--by-pci") || !strcmp(argv[i], "-i"))
			selector = argv[i + 1];
	struct bw_error *err = open_gpu(&u, selector);
	for (int i = 1, used; i < argc && !err; i += used)
		err = take(&u, argv + i, argc - i, &used);
	bw_kmd_close(u.kmd);
	if (!err)
		return 0;
	fprintf(stderr, "umr: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}
