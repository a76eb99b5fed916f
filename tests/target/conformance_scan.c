// SPDX-License-Identifier: MIT
/* The target that looks at waves, on the virtual GPU: the kernel tests/live/halted.s, whose waves
 * halt themselves, started by nobody's debugger. Where its code lies is what the SQ says of the PCs
 * of both waves, asked here by SQ_IND. */
#include "conformance.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "gpu/opened.h"
#include "scan/target.h"

enum {
	N_WAVES = 2, /* one in each workgroup */
	FIRST_B = 0x30,
	SECOND_B = 0x28, /* the second workgroup's, the known one */
	LANE = 5,
	PATIENCE_MS = 60000,
};

/* As LLVM 19's assembler makes it of halted.s. */
static const uint32_t code[] = {
	0xf4040100, 0xf8000000, /* s_load_b64 s[4:5], s[0:1], 0x0 */
	0x8406850f,		/* s_lshl_b32 s6, s15, 5 */
	0x4a020006,		/* v_add_nc_u32 v1, s6, v0 */
	0x4a0402ff, 0x000003e8, /* v_add_nc_u32 v2, 0x3e8, v1 */
	0xbf89fc07,		/* s_waitcnt lgkmcnt(0) */
	0xbf06800f,		/* s_cmp_eq_u32 s15, 0 */
	0xbfa20002,		/* s_cbranch_scc1 first */
	0xbf820001,		/* s_sethalt 1 */
	0xbf800001,		/* s_nop 1 */
	0xbf820001,		/* first: s_sethalt 1 */
	0xbf800002,		/* s_nop 2 */
	0xbfb00000,		/* s_endpgm */
};

static struct bw_kmd *kmd;

static pid_t start(void)
{
	char launcher[512], object[512];
	const char *build = getenv("BREAKWATER_BUILD");
	assert_non_null(build);
	setenv("BREAKWATER_LIBEXEC", build, 1);
	if (!kmd)
		OK(bw_kmd_open("virtual", &kmd));
	snprintf(launcher, sizeof(launcher), "%s/breakwater-launch", build);
	snprintf(object, sizeof(object), "%s/tests/live/halted.co", build);
	const char *argv[] = {launcher, object,	 "--grid",	     "64", "--group",
			      "32",	"--arg", "out=zeros:64:u32", NULL};
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	for (const char *const *e = bw_kmd_program_env(kmd); *e; e++)
		putenv((char *)*e);
	execv(launcher, (char *const *)argv);
	_exit(127);
}

/* ---- What the SQ says ---- */

static uint32_t ind(const struct bw_gpu *gpu, const struct bw_kmd_bank *bank, enum bw_wreg reg,
		    uint32_t wave)
{
	struct bw_reg found;
	uint32_t index_dw, data_dw, value;
	assert_true(bw_gpu_find(gpu, "SQ_IND_INDEX", &found, &index_dw));
	assert_true(bw_gpu_find(gpu, "SQ_IND_DATA", &found, &data_dw));
	OK(bw_kmd_reg_write(kmd, bank, index_dw, bw_arch_ind(bw_arch_of(gpu->part.gc), reg, wave)));
	OK(bw_kmd_reg_read(kmd, bank, data_dw, &value));
	return value;
}

/* The PCs of all waves, which go to the first SIMDs of the engines. */
static size_t find_pcs(const struct bw_gpu *gpu, uint64_t out[N_WAVES])
{
	size_t n = 0;
	for (uint32_t se = 0; se < 6 && n < N_WAVES; se++) {
		const struct bw_kmd_bank bank = {.use_grbm = true, .se = se};
		uint32_t active = ind(gpu, &bank, BW_WREG_ACTIVE, 0);
		for (uint32_t wave = 0; wave < 16 && n < N_WAVES; wave++)
			if (active != BW_SQ_ABSENT && active >> wave & 1)
				out[n++] = (uint64_t)ind(gpu, &bank, BW_WREG_PC_HI, wave) << 32 |
					   ind(gpu, &bank, BW_WREG_PC_LO, wave);
	}
	return n;
}

static uint64_t await_code(const struct bw_gpu *gpu)
{
	enum { CODE_ALIGN_B = 256 };
	uint64_t pc[N_WAVES] = {0};
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		unsigned n = find_pcs(gpu, pc);
		uint64_t va = (pc[0] < pc[1] ? pc[0] : pc[1]) - SECOND_B;
		/* on their way there they can be as far apart */
		if (n == N_WAVES && va % CODE_ALIGN_B == 0 &&
		    llabs((int64_t)(pc[0] - pc[1])) == FIRST_B - SECOND_B)
			return va;
		usleep(1000);
	}
	fail_msg("the waves are not where they halt: 0x%llx, 0x%llx", (unsigned long long)pc[0],
		 (unsigned long long)pc[1]);
	return 0;
}

static void open_scan(const struct target_case *c, struct target_fixture *out)
{
	pid_t *pid = malloc(sizeof(*pid));
	struct bw_target_event ev;
	struct bw_gpu gpu;
	struct bw_target *t;
	assert_non_null(pid);
	*pid = start();
	OK(bw_gpu_borrow(kmd, &gpu));
	const uint64_t va = await_code(&gpu);
	bw_gpu_close(&gpu);
	const struct bw_target_source source = {
		.kind = BW_SOURCE_WAVES, .kmd = kmd, .halts = c->lack != 0};
	OK(bw_scan_open(&source, &t));
	do /* nothing is left to be told of */
		OK(bw_target_wait(t, 0, &ev));
	while (ev.kind != BW_EVENT_NONE);
	*out = (struct target_fixture){
		.t = t,
		.own = pid,
		.known = {.code_va = va,
			  .code = code,
			  .code_dw = sizeof(code) / sizeof(code[0]),
			  .pc = va + SECOND_B,
			  .step_b = 4,
			  .workgroup = {BW_GROUP_UNKNOWN, BW_GROUP_UNKNOWN, BW_GROUP_UNKNOWN},
			  .wave_in_group = BW_GROUP_UNKNOWN,
			  .lanes = 32,
			  .exec = 0xffffffff,
			  .n_stopped = N_WAVES,
			  .sgpr = 6,
			  .sgpr_value = 32,
			  .vgpr = 2,
			  .lane = LANE,
			  .vgpr_value = 1000 + 32 + LANE,
			  .data_va = va,
			  .unmapped_va = 0x1000},
	};
}

/* The program is as it was: it waits for its waves, which are still halted. */
static void closed_scan(const struct target_case *c, struct target_fixture *f)
{
	pid_t *pid = f->own;
	struct bw_gpu gpu;
	if (!pid)
		return;
	assert_int_equal(waitpid(*pid, NULL, WNOHANG), 0);
	OK(bw_gpu_borrow(kmd, &gpu));
	assert_int_equal(await_code(&gpu), f->known.code_va);
	bw_gpu_close(&gpu);
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	free(pid);
	/* with its GPU: a halted wave is there until that has ended */
	bw_kmd_close(kmd);
	kmd = NULL;
}

static int run(void)
{
	const struct target_case looks = {.name = "scan", .open = open_scan, .closed = closed_scan};
	/* nothing else is taken away, since it has no capabilities */
	const struct target_case halts = {
		.name = "scan-halts", .lack = BW_CAP_ALL, .open = open_scan, .closed = closed_scan};
	return target_conformance(&looks) + target_conformance(&halts);
}

TESTS_RUN_BY(run);
