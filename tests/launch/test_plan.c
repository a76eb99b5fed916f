/* SPDX-License-Identifier: MIT */
#include "launch/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../suite.h"
#include "base/util.h"
#include "launch/dispatch.h"

static char raw_path[64]; /* a .bin of two dwords */

static const char *sample(const char *name)
{
	static char path[4][512];
	static unsigned next;
	char *p = path[next++ % 4];
	if (name[0] == '/')
		return name;
	snprintf(p, sizeof(path[0]), "%s/%s",
		 getenv(strcmp(name, "saxpy.co") ? "BREAKWATER_SAMPLES"
						 : "BREAKWATER_LAUNCH_SAMPLES"),
		 name);
	return p;
}

/* Options as one line of words. */
static struct bw_error *plan_of(const char *name, const char *line, const char *gpu,
				struct bw_launch_options *o, struct bw_launch_plan **out)
{
	static char copy[1024];
	char *argv[64], *save = NULL;
	int argc = 0, i = 0;
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	bool taken = true;
	while (i < argc && taken)
		BW_TRY(bw_launch_options_take(o, argc, argv, &i, &taken));
	assert_int_equal(i, argc);
	return bw_launch_plan_make(o, sample(name), gpu, out);
}

static void refused(const char *name, const char *line, const char *message)
{
	struct bw_launch_options o = {0};
	struct bw_launch_plan *p = NULL;
	struct bw_error *err = plan_of(name, line, "gfx1100", &o, &p);
	if (!err)
		fail_msg("%s %s was taken", name, line);
	if (!strstr(err->message, message))
		fail_msg("%s %s: '%s' does not say '%s'", name, line, err->message, message);
	assert_null(p);
	bw_error_free(err);
	bw_launch_options_fini(&o);
}

#define SAXPY_ARGS "--arg a=2.0 --arg x=iota:256 --arg y=fill:256:1 --arg out=zeros:256 "

static void bad_input(void **state)
{
	refused("nowhere.co", "--grid 1", "No such file");
	refused("/etc/passwd", "--grid 1", "neither a code object");
	refused("/tmp", "--grid 1", "not a file");
	refused("gfx900.co", "--grid 1", "is built for gfx900; this GPU is gfx1100");
	refused("saxpy.co", SAXPY_ARGS, "how many work-items?");
	refused("saxpy.co", SAXPY_ARGS "--grid 4 --groups 4", "not both");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --group 1025", "at most 1024");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --group 32,64",
		"is 2048 work-items; a workgroup has at most 1024");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --group 4294967295,4294967295,4294967295",
		"at most 1024");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --group 128", "requires --group 64,1,1");
	refused("saxpy.co", SAXPY_ARGS "--groups 67108865", "more than 32 bits");
	refused("saxpy.co", "--grid 256 --arg a=2.0 --arg x=iota:256 --arg y=zeros:256",
		"argument out (float*) of kernel saxpy is missing");
	refused("saxpy.co", SAXPY_ARGS "--arg ouy=1 --grid 256",
		"no argument ouy; did you mean out?");
	refused("saxpy.co", SAXPY_ARGS "--arg nothing_like_it=1 --grid 256",
		"no argument nothing_like_it; its arguments are a, x, y, out");
	refused("saxpy.co", SAXPY_ARGS "--arg x=iota:4 --grid 256", "argument x is given twice");
	refused("saxpy.co",
		"--grid 256 --arg a=2.0:f16 --arg x=iota:4 --arg y=iota:4 --arg out=zeros:4",
		"argument a: 2.0:f16 is too short: the argument (float) takes 4 bytes, this has 2");
	refused("saxpy.co", "--grid 256 --arg a=2.0 --arg x=4 --arg y=iota:4 --arg out=zeros:4",
		"argument x: it is a buffer (float*), not a number");
	refused("saxpy.co", "--grid 256 --arg a=zz --arg x=iota:4 --arg y=iota:4 --arg out=zeros:4",
		"argument a: 'zz' is not a number");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --print owt",
		"--print owt: no such argument; did you mean out");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --print a",
		"--print a: that argument is not a buffer");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --print out:257", "out has 256 elements");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --dump out=/nowhere/at/all",
		"cannot write there");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --vgprs 8", "its kernel descriptor says");
	refused("saxpy.co", SAXPY_ARGS "--grid 256 --kernel saxpi",
		"no kernel saxpi; did you mean saxpy?");
	refused("meta.co", "--grid 1 --kernel", "--kernel needs a value");
	refused(raw_path, "--grid 1 --kernel x", "no kernel names");
	refused(raw_path, "--grid 1 --arg a=1 --user-sgpr 1=0",
		"s[0:1] hold the address of the arguments");
	refused(raw_path, "--grid 1 --arg a=1 --arg a=2", "given twice");
	refused(raw_path, "--grid 1 --lds 65536 --scratch 131072", "at most 131068");
}

static struct bw_launch_plan *plan_ok(const char *name, const char *line,
				      struct bw_launch_options *o)
{
	struct bw_launch_plan *p = NULL;
	struct bw_error *err = plan_of(name, line, NULL, o, &p);
	if (err)
		fail_msg("%s %s: %s", name, line, err->message);
	return p;
}

static void done(struct bw_launch_plan *p, struct bw_launch_options *o)
{
	bw_launch_plan_free(p);
	bw_launch_options_fini(o);
}

static void saxpy(void **state)
{
	struct bw_launch_options o = {0};
	struct bw_launch_plan *p =
		plan_ok("saxpy.co", SAXPY_ARGS "--grid 200 --print out:8 --print x", &o);
	assert_int_equal(p->args.len, 4);
	assert_int_equal(p->kernarg_b, 32);
	assert_int_equal(p->group[0], 64); /* as the kernel requires */
	assert_int_equal(p->groups[0], 4);
	assert_true(p->wave32);
	assert_int_equal(p->user_sgprs, 15);
	assert_int_equal(p->prints.len, 2);
	assert_int_equal(p->prints.data[0].arg, 3);
	assert_int_equal(p->prints.data[0].count, 8);
	assert_int_equal(p->prints.data[1].count, 256);
	assert_true(p->rsrc2 & 1 << 6);
	uint8_t block[32];
	const uint64_t va[] = {0, 0x1111000, 0x2222000, 0x3333000};
	bw_launch_plan_kernarg(p, va, 0x9000, block);
	const float two = 2;
	assert_memory_equal(block, &two, 4);
	assert_memory_equal(block + 8, &va[1], 24);
	done(p, &o);
}

/* Hidden arguments where doc/hardware/code-objects.md 2 says they are: behind 24 bytes of
 * kern_nolib's own. */
static void hidden_args(void **state)
{
	struct bw_launch_options o = {0};
	struct bw_launch_plan *p =
		plan_ok("kern_nolib.O0.co",
			"--arg 0=zeros:64 --arg 1=zeros:64 --arg 2=1 --arg 3=3 --grid 150", &o);
	assert_int_equal(p->kernarg_b, 280);
	uint8_t block[280];
	const uint64_t va[4] = {0x10000, 0x20000};
	bw_launch_plan_kernarg(p, va, 0x9000, block);
	uint32_t counts[3];
	uint16_t sizes[6], dims;
	uint64_t queue;
	memcpy(counts, block + 24, sizeof(counts));
	memcpy(sizes, block + 24 + 12, sizeof(sizes));
	memcpy(&dims, block + 24 + 64, 2);
	memcpy(&queue, block + 24 + 200, 8);
	assert_int_equal(counts[0], 2); /* whole groups only */
	assert_int_equal(sizes[0], 64);
	assert_int_equal(sizes[1], 1);
	assert_int_equal(sizes[3], 150 - 128);
	assert_int_equal(sizes[4], 0);
	assert_int_equal(dims, 1);
	assert_int_equal(queue, 0x9000);
	assert_int_equal(p->scratch_b, 112);
	assert_int_equal(p->rsrc2 & 1, 1);
	assert_int_equal(bw_bits(p->rsrc2, 23, 15), 1); /* 256 bytes of LDS in units of 512 */
	done(p, &o);
}

static void raw_code(void **state)
{
	struct bw_launch_options o = {0};
	struct bw_launch_plan *p =
		plan_ok(raw_path,
			"--arg x=iota:4 --arg k=-1 --arg f=1.5 --vgprs 30 --wave 64 --lds 513 "
			"--scratch 8 --user-sgpr 4=7 --groups 2 --group 8,2",
			&o);
	assert_false(p->wave32);
	assert_int_equal(p->grid[0], 16);
	assert_int_equal(p->grid[1], 2);
	assert_int_equal(p->kernarg_b, 24);
	assert_int_equal(p->rsrc1 & 0x3f, 7); /* 32 VGPRs in units of 4 */
	/* f32 denormals flushed, the others kept; DX10_CLAMP, IEEE: doc/rules.md 111 */
	assert_int_equal(bw_bits(p->rsrc1, 19, 12), 0xc0);
	assert_int_equal(p->rsrc1 & 0xa00000, 0xa00000);
	assert_int_equal(p->user_sgprs, 5);
	assert_int_equal(bw_bits(p->rsrc2, 5, 1), 5);
	assert_int_equal(bw_bits(p->rsrc2, 9, 7), 7);
	assert_int_equal(bw_bits(p->rsrc2, 12, 11), 2);
	assert_int_equal(bw_bits(p->rsrc2, 23, 15), 2);
	assert_int_equal(bw_dispatch_scratch_wave_b(p), 512);
	uint8_t block[24];
	const uint64_t va[] = {0x7000, 0, 0};
	bw_launch_plan_kernarg(p, va, 0, block);
	const uint64_t want[] = {0x7000, UINT64_MAX, 0x3fc00000};
	assert_memory_equal(block, want, sizeof(want));
	done(p, &o);
}

/* SET_SH_REG packets of a command buffer into an image of the registers; returns the dispatch
 * packet. */
static const uint32_t *run_ib(const uint32_t *dw, unsigned n, uint32_t *sh)
{
	const uint32_t *dispatch = NULL;
	for (unsigned i = 0; i < n;) {
		uint32_t h = dw[i];
		unsigned body = h == 0xffff1000 ? 0 : (h >> 16 & 0x3fff) + 1;
		assert_int_equal(h >> 30, 3);
		assert_true(i + 1 + body <= n);
		if ((h >> 8 & 0xff) == 0x76)
			memcpy(sh + dw[i + 1], dw + i + 2, (body - 1) * 4);
		if ((h >> 8 & 0xff) == 0x15)
			dispatch = dw + i;
		i += 1 + body;
	}
	assert_non_null(dispatch);
	return dispatch;
}

#define SH(byte) sh[((byte) - 0xb000) / 4]

static void command_buffer(void **state)
{
	struct bw_launch_options o = {0};
	struct bw_launch_plan *p =
		plan_ok("kern_nolib.O0.co",
			"--arg 0=zeros:64 --arg 1=zeros:64 --arg 2=1 --arg 3=3 --grid 150", &o);
	const struct bw_dispatch_memory mem = {.code_va = 0xffff800012345000,
					       .kernarg_va = 0x7000001000,
					       .packet_va = 0x7000002000,
					       .queue_va = 0x7000003000,
					       .scratch_va = 0x8000000000,
					       .scratch_waves_per_se = 512};
	struct bw_pm4_stream ib = {0};
	uint32_t sh[0x400] = {0};
	assert_null(bw_dispatch_ib(p, &mem, &ib));
	assert_int_equal(ib.len % 8, 0);
	const uint32_t *d = run_ib(ib.data, (unsigned)ib.len, sh);
	uint64_t entry = mem.code_va + p->kernel->entry;
	assert_int_equal(SH(0xb830), (uint32_t)(entry >> 8));
	assert_int_equal(SH(0xb834), entry >> 40 & 0xff);
	assert_int_equal(SH(0xb848), p->rsrc1);
	assert_int_equal(SH(0xb84c), p->rsrc2);
	assert_int_equal(SH(0xb860), 14 << 12 | 512); /* 112 bytes * 32 lanes = 14 * 256 */
	assert_int_equal(SH(0xb840), 0x80000000);
	assert_int_equal(SH(0xb844), 0);
	/* dispatch ptr, kernarg ptr, dispatch id (doc/hardware/code-objects.md 3) */
	assert_int_equal(SH(0xb900), 0x2000);
	assert_int_equal(SH(0xb904), 0x70);
	assert_int_equal(SH(0xb908), 0x1000);
	assert_int_equal(SH(0xb90c), 0x70);
	/* 150 work-items in groups of 64: three groups, the last of 22; the other dimensions are
	 * full */
	assert_int_equal(SH(0xb81c), 22 << 16 | 64);
	assert_int_equal(SH(0xb820), 1 << 16 | 1);
	assert_int_equal(d[1], 3);
	assert_int_equal(d[2], 1);
	assert_int_equal(d[4], 0x8047); /* wave32, order mode, start at 0, partial groups, enable */
	uint8_t aql[BW_AQL_PACKET_B];
	bw_dispatch_aql(p, &mem, aql);
	uint32_t group_x;
	memcpy(&group_x, aql + 4, 4); /* what libclc reads (code-objects.md 5) */
	assert_int_equal(group_x & 0xffff, 64);
	uint32_t grid_x;
	memcpy(&grid_x, aql + 12, 4);
	assert_int_equal(grid_x, 150);
	done(p, &o);

	p = plan_ok(raw_path, "--grid 64 --group 64 --wave 64 --user-sgpr 3=9", &o);
	memset(sh, 0, sizeof(sh));
	ib.len = 0;
	assert_null(bw_dispatch_ib(
		p, &(struct bw_dispatch_memory){.code_va = 0x100000, .kernarg_va = 0x200000}, &ib));
	d = run_ib(ib.data, (unsigned)ib.len, sh);
	assert_int_equal(SH(0xb81c), 64);
	assert_int_equal(SH(0xb900), 0x200000);
	assert_int_equal(SH(0xb90c), 9);
	assert_int_equal(SH(0xb860), 0);
	assert_int_equal(d[4], 0x45);
	bw_pm4_stream_free(&ib);
	done(p, &o);
}

static int write_raw(void **state)
{
	snprintf(raw_path, sizeof(raw_path), "/tmp/bw-test-plan-%d.bin", (int)getpid());
	FILE *f = fopen(raw_path, "wb");
	const uint32_t code[] = {0xbf800000, 0xbfb00000};
	return !f || fwrite(code, sizeof(code), 1, f) != 1 || fclose(f);
}

static int remove_raw(void **state)
{
	return unlink(raw_path);
}

TESTS_AROUND(write_raw, remove_raw, bad_input, saxpy, hidden_args, raw_code, command_buffer);
