// SPDX-License-Identifier: MIT
/* The live target on the virtual GPU: the kernel tests/live/lds.s, stopped at its label `written`
 * by an s_trap that is put there through the seam. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kmd/kmd.h"
#include "live/live.h"

enum {
	GROUPS = 4,
	N_WAVES = 2 * GROUPS,
	WRITTEN_B = 0x24,
	GROUP = 2,
	WAVE = 1,
	LANE = 5,
	ITEM = WAVE * 32 + LANE, /* of the group */
	PATIENCE_MS = 60000,
};

/* As LLVM 19's assembler makes it of lds.s, up to the s_barrier. */
static const uint32_t code[] = {
	0xf4040100, 0xf8000000, /* s_load_b64 s[4:5], s[0:1], 0x0 */
	0x8406860f,		/* s_lshl_b32 s6, s15, 6 */
	0x4a020006,		/* v_add_nc_u32 v1, s6, v0 */
	0x4a0402ff, 0x000003e8, /* v_add_nc_u32 v2, 0x3e8, v1 */
	0x30060082,		/* v_lshlrev_b32 v3, 2, v0 */
	0xd8340000, 0x00000203, /* ds_store_b32 v3, v2 */
	0xbf89fc07,		/* written: s_waitcnt lgkmcnt(0) */
	0xbfbd0000,		/* s_barrier */
};

static struct bw_kmd *gpu;

struct program {
	pid_t pid;
	char output[32];
};

static void wait_for(struct bw_target *t, enum bw_target_event_kind kind,
		     struct bw_target_event *out)
{
	for (;;) {
		OK(bw_target_wait(t, PATIENCE_MS, out));
		if (out->kind == kind)
			return;
		if (out->kind == BW_EVENT_NONE || out->kind == BW_EVENT_EXIT)
			fail_msg("event %d has not come, but %d", kind, out->kind);
	}
}

static struct bw_target *start(struct program *p)
{
	char launcher[512], object[512];
	const char *build = getenv("BREAKWATER_BUILD");
	assert_non_null(build);
	setenv("BREAKWATER_LIBEXEC", build, 1);
	snprintf(launcher, sizeof(launcher), "%s/breakwater-launch", build);
	snprintf(object, sizeof(object), "%s/tests/live/lds.co", build);
	const char *argv[] = {launcher,	 "--gpu",   "virtual", object,	"--grid",
			      "256",	 "--group", "64",      "--arg", "out=zeros:256:u32",
			      "--print", "out:3",   NULL};
	if (!gpu)
		OK(bw_kmd_open("virtual", &gpu));
	strcpy(p->output, "/tmp/bw-target-XXXXXX");
	int out_fd = mkstemp(p->output);
	assert_true(out_fd >= 0);
	const struct bw_target_source source = {.kind = BW_SOURCE_PROGRAM,
						.kmd = gpu,
						.argv = (char *const *)argv,
						.in_fd = -1,
						.out_fd = out_fd,
						.err_fd = -1};
	struct bw_target *t;
	OK(bw_live_open(&source, &t));
	close(out_fd);
	assert_true(t->program > 0);
	p->pid = t->program;
	return t;
}

/* Where the mapping that holds va ends, if nothing follows. */
static uint64_t end_of(struct bw_target *t, uint64_t va)
{
	struct bw_target_map *all;
	size_t n;
	uint64_t end = 0;
	OK(bw_target_maps(t, &all, &n));
	for (size_t i = 0; i < n; i++)
		if (va >= all[i].va && va - all[i].va < all[i].size_b)
			end = all[i].va + all[i].size_b;
	for (size_t i = 0; i < n; i++)
		if (all[i].va == end)
			end = 0;
	free(all);
	return end;
}

static void open_live(const struct target_case *c, struct target_fixture *out)
{
	struct program *p = calloc(1, sizeof(*p));
	struct bw_target_event ev;
	assert_non_null(p);
	struct bw_target *t = start(p);
	wait_for(t, BW_EVENT_SUBMIT, &ev);
	assert_int_equal(ev.n_dispatches, 1);
	assert_int_equal(ev.pid, p->pid);
	const struct bw_target_dispatch d = ev.dispatches[0];
	assert_int_equal(d.groups[0], GROUPS);
	t->space = ev.space;
	OK(bw_target_patch(t, d.code_va + WRITTEN_B, 0xbf90007f));
	OK(bw_target_release(t, ev.submission));
	while (bw_target_stopped(t, NULL, 0) < N_WAVES)
		wait_for(t, BW_EVENT_STOP, &ev);
	do /* nothing is left to be told of */
		OK(bw_target_wait(t, 0, &ev));
	while (ev.kind != BW_EVENT_NONE);
	OK(bw_target_unpatch(t, d.code_va + WRITTEN_B));
	uint64_t args = d.user_data[0] | (uint64_t)d.user_data[1] << 32;
	*out = (struct target_fixture){
		.t = t,
		.own = p,
		.known = {.code_va = d.code_va,
			  .code = code,
			  .code_dw = sizeof(code) / sizeof(code[0]),
			  .pc = d.code_va + WRITTEN_B,
			  .step_b = 4,
			  .workgroup = {GROUP},
			  .wave_in_group = WAVE,
			  .lanes = 32,
			  .exec = 0xffffffff,
			  .n_stopped = N_WAVES,
			  .ends = true,
			  .sgpr = 6,
			  .sgpr_value = 64 * GROUP,
			  .vgpr = 2,
			  .lane = LANE,
			  .vgpr_value = 1000 + 64 * GROUP + ITEM,
			  .lds_b = 256,
			  .lds_at_b = 4 * ITEM,
			  .lds_value = 1000 + 64 * GROUP + ITEM,
			  .data_va = args + 256,
			  .unmapped_va = 0x1000,
			  .end_va = end_of(t, args)},
	};
}

/* Left by closing the target, it ends as if it had not been debugged. */
static void closed_live(const struct target_case *c, struct target_fixture *f)
{
	struct program *p = f->own;
	char text[64] = "";
	int status = 0;
	if (!p)
		return;
	if (f->fate == TARGET_LEFT)
		assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	else /* the target has taken its status */
		assert_int_equal(waitpid(p->pid, &status, 0), -1);
	FILE *file = fopen(p->output, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(p->output);
	free(p);
	assert_int_equal(status, 0);
	assert_string_equal(text, f->fate == TARGET_KILLED ? "" : "1001 1002 1003\n");
}

static int run(void)
{
	const struct target_case live = {.name = "live", .open = open_live, .closed = closed_live};
	int failed = target_conformance(&live);
	bw_kmd_close(gpu);
	return failed;
}

TESTS_RUN_BY(run);
