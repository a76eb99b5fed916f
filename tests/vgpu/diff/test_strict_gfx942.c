/* SPDX-License-Identifier: MIT */
/* Strict mode of gfx942: what the compiler has put between the instructions of matrices.cl gives no
 * finding, and each of these waits is told when it is taken away; hazards.s has pairs of
 * instructions with as much between them as LLVM wants, and less.
 *
 * test_strict_gfx942 CLANG MATRICES HAZARDS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "gpu.h"
#include "isa/ops.h"

enum { BUFFER_B = 64 << 10, MAX_INSTS = 512, MATRIX_INSTS = 46, USES = 4 };

static unsigned n_bad;

static void bad(const char *kernel, const char *what)
{
	printf("%s: %s\n", kernel, what);
	n_bad++;
}

/* The findings of all runs. */
static uint64_t n_findings(struct gpu *g)
{
	static struct bw_strict_finding all[1024];
	size_t n = bw_strict_findings(g->strict, all, BW_ARRAY_SIZE(all));
	uint64_t sum = 0;
	for (size_t i = 0; i < BW_MIN(n, BW_ARRAY_SIZE(all)); i++)
		sum += all[i].count;
	return sum;
}

/* Returns the first buffer, which is full of zeros before. */
static const uint32_t *run(struct gpu *g, const char *kernel, unsigned n_buffers)
{
	uint64_t args[4];
	gpu_release(g);
	for (unsigned i = 0; i < n_buffers; i++) {
		args[i] = gpu_alloc(g, BUFFER_B);
		memset(gpu_host(g, args[i]), 0, BUFFER_B);
	}
	g->error[0] = 0;
	bw_exec_flush_code(g->x);
	gpu_run(g, &(struct gpu_launch){.kernel = kernel,
					.n_groups = 1,
					.group_size = 64,
					.args = args,
					.args_b = n_buffers * sizeof(args[0])});
	return gpu_host(g, args[0]);
}

static char object[] = "/tmp/bw-strict-XXXXXX";

static bool compile(const char *clang, const char *flags, const char *source)
{
	char command[2048];
	snprintf(command, sizeof(command),
		 "%s %s -target amdgcn-amd-amdhsa -mcpu=gfx942:xnack- %s -o %s", clang, flags,
		 source, object);
	bool ok = !system(command);
	if (!ok)
		bad(source, "cannot be compiled");
	return ok;
}

static bool load(struct gpu *g)
{
	bool ok = gpu_init(g, BW_ISA_GFX942) && gpu_load(g, object);
	if (!ok)
		bad("GPU", g->error);
	return ok;
}

/* ---- what a compiler has put there ---- */

/* Takes away what keeps later instructions from being too early: one wait state, or what s_waitcnt
 * waits for. False: this is no such instruction. */
static bool weaken(uint32_t *p, const struct bw_inst *in)
{
	enum { NO_WAIT = 0xcf7f, NEXT_MAX_DW = 3 };
	if (in->op == BW_OP_S_WAITCNT) {
		*p = (*p & 0xffff0000) | NO_WAIT;
		return true;
	}
	if (in->op != BW_OP_S_NOP)
		return false;
	if (in->imm) {
		*p -= 1;
		return true;
	}
	/* It moves to after the instruction that it is for. */
	struct bw_inst next;
	if (!bw_isa_decode(BW_ISA_GFX942, p + 1, NEXT_MAX_DW, &next))
		return false;
	uint32_t nop = *p;
	memmove(p, p + 1, next.size_b);
	p[next.size_b / 4] = nop;
	return true;
}

static unsigned mutate(struct gpu *g, const char *kernel)
{
	struct bw_inst in;
	uint32_t saved[4];
	unsigned n = 0;
	uint32_t *p = gpu_host(g, gpu_code(g, kernel));
	for (unsigned i = 0; i < MAX_INSTS; i++, p += in.size_b / 4) {
		if (!bw_isa_decode(BW_ISA_GFX942, p, 3, &in)) {
			bad(kernel, "an instruction that cannot be decoded");
			return n;
		}
		if (in.op == BW_OP_S_ENDPGM)
			return n;
		memcpy(saved, p, sizeof(saved));
		if (!weaken(p, &in))
			continue;
		uint64_t before = n_findings(g);
		run(g, kernel, 4);
		if (n_findings(g) == before) {
			char what[96];
			snprintf(what, sizeof(what), "%08x, instruction %u, is not missed",
				 saved[0], i);
			bad(kernel, what);
		}
		memcpy(p, saved, sizeof(saved));
		n++;
	}
	bad(kernel, "no end");
	return n;
}

static void matrices(const char *clang, const char *level, const char *source)
{
	char flags[64], kernel[128];
	unsigned n = 0, n_kernels = 0;
	snprintf(flags, sizeof(flags), "-x cl -cl-std=CL2.0 -nogpulib %s", level);
	if (!compile(clang, flags, source))
		return;
	/* A GPU for some of the kernels each: it keeps only so many findings. */
	for (bool is_end = false; !is_end;) {
		struct gpu g;
		if (!load(&g))
			return;
		for (unsigned i = 0; i < 32 && !is_end; i++) {
			is_end = !gpu_kernel(&g, n_kernels, kernel);
			if (is_end)
				break;
			n_kernels++;
			run(&g, kernel, 4);
			if (g.error[0])
				bad(kernel, g.error);
			n += mutate(&g, kernel);
		}
		gpu_fini(&g);
	}
	if (n_kernels != MATRIX_INSTS * USES)
		bad(source, "not all of its kernels");
	printf("%s: %u kernels, %u waits taken away\n", level, n_kernels, n);
}

/* ---- by hand ---- */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);
	return n > k && !strcmp(name + n - k, end);
}

static const struct {
	const char *end;
	const char *starts; /* the message; NULL: no finding */
} endings[] = {{"_enough", NULL},
	       {"_free", NULL},
	       {"_short", "hazard: "},
	       {"_wait", "missing s_waitcnt: "},
	       {"_init", "uninitialised register: "},
	       {"_spin", "spin on a stale line: "}};

static void check(struct gpu *g, const char *kernel)
{
	const uint32_t *out = run(g, kernel, 1);
	size_t i = 0;
	while (i < BW_ARRAY_SIZE(endings) && !ends_in(kernel, endings[i].end))
		i++;
	const char *starts = i < BW_ARRAY_SIZE(endings) ? endings[i].starts : "-";
	if (starts ? strncmp(g->error, starts, strlen(starts)) : g->error[0])
		bad(kernel, g->error[0] ? g->error : "no finding");
	else if (starts)
		printf("%s: %s\n", kernel, g->error);
	/* gc_9_4_3_sh_mask.h: VM_CNT 3:0 and 23:22, LGKM_CNT 11:8; 18, and 2 + 2 */
	if (!strcmp(kernel, "counters_free") && out[0] != (2 | 4 << 8 | 1 << 22))
		bad(kernel, "IB_STS");
	bool is_loop = !strncmp(kernel, "l1_", 3) || !strncmp(kernel, "scalar_inv", 10) ||
		       !strcmp(kernel, "scalar_spin");
	if (is_loop && out[1] != (starts ? 0 : 1))
		bad(kernel, "the value that it has read");
}

static void by_hand(const char *clang, const char *source)
{
	struct gpu g;
	char kernel[128];
	unsigned n = 0;
	if (!compile(clang, "-x assembler", source) || !load(&g))
		return;
	for (; gpu_kernel(&g, n, kernel); n++)
		check(&g, kernel);
	gpu_fini(&g);
	printf("%u kernels by hand\n", n);
	if (!n)
		bad(source, "no kernels");
}

int main(int argc, char **argv)
{
	int fd = mkstemp(object);
	if (argc < 4 || fd < 0) {
		printf("usage: test_strict_gfx942 CLANG MATRICES HAZARDS\n");
		return 1;
	}
	close(fd);
	setenv("BW_STRICT", "1", 1);
	by_hand(argv[1], argv[3]);
	matrices(argv[1], "-O1", argv[2]);
	matrices(argv[1], "-O2", argv[2]);
	unlink(object);
	return n_bad != 0;
}
