/* SPDX-License-Identifier: MIT */
/* Random functions compiled for gfx1100, gfx942 and the host must compute the same, bit for bit.
 * BW_DIFF_SEED and BW_DIFF_CASES choose others than the default ones; BW_DIFF_KEEP keeps the files.
 *
 * test_diff_random CLANG */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "gen.h"
#include "gpu.h"

enum { ITEMS = 90, CASES_A_FILE = 64 }; /* 90: the last wave is not full */

static const struct config {
	const char *name;
	enum bw_isa_gen gen;
	const char *flags;
	bool strict; /* only in strict mode */
} configs[] = {
	{"O0-wave32", BW_ISA_GFX11, "-mcpu=gfx1100 -O0"},
	{"O3-wave32", BW_ISA_GFX11, "-mcpu=gfx1100 -O3"},
	{"O2-wave32", BW_ISA_GFX11, "-mcpu=gfx1100 -O2"},
	{"O0-wave64", BW_ISA_GFX11, "-mcpu=gfx1100 -O0 -mwavefrontsize64"},
	{"O1-wave64", BW_ISA_GFX11, "-mcpu=gfx1100 -O1 -mwavefrontsize64"},
	{"O2-wave64", BW_ISA_GFX11, "-mcpu=gfx1100 -O2 -mwavefrontsize64"},
	{"O0-gfx942", BW_ISA_GFX942, "-mcpu=gfx942 -O0"},
	{"O2-gfx942", BW_ISA_GFX942, "-mcpu=gfx942 -O2"},
	{"O0-gfx902", BW_ISA_GFX902, "-mcpu=gfx902 -O0"},
	{"O2-gfx902", BW_ISA_GFX902, "-mcpu=gfx902 -O2"},
	{"O1-gfx942", BW_ISA_GFX942, "-mcpu=gfx942 -O1", true},
	{"O3-gfx942", BW_ISA_GFX942, "-mcpu=gfx942 -O3", true},
};

static int compile(const char *clang, const char *flags, const char *source, const char *out)
{
	char command[2048];
	snprintf(
		command, sizeof(command),
		"%s -x c -w -fwrapv -ffp-contract=off -fno-strict-aliasing -fno-math-errno -Xclang -ffloat16-excess-precision=none %s %s -o %s",
		clang, flags, source, out);
	return system(command);
}

static void dump_case(const char *source, unsigned number)
{
	char line[1 << 16], start[64];
	FILE *f = fopen(source, "r");
	bool inside = false;
	snprintf(start, sizeof(start), "static inline void body_%u(", number);
	while (f && fgets(line, sizeof(line), f)) {
		inside = inside || !strncmp(line, start, strlen(start));
		if (inside)
			fputs(line, stdout);
		if (inside && line[0] == '}')
			break;
	}
	if (f)
		fclose(f);
}

/* All cases of one file in one configuration. Returns how many differ. */
static unsigned run_config(struct gpu *g, const struct config *c, const char *object, void *host,
			   const char *source, uint64_t seed, unsigned first, unsigned n)
{
	unsigned bad = 0;
	if (!gpu_load(g, object)) {
		printf("%s: %s\n", c->name, g->error);
		return n;
	}
	for (unsigned k = 0; k < n; k++) {
		struct gen r = {.state = seed ^ (first + k) * 77ull};
		uint32_t in[ITEMS * GEN_IN_DW], expect[ITEMS * GEN_OUT_DW];
		char name[32];
		snprintf(name, sizeof(name), "k%u", first + k);
		void (*fn)(const uint32_t *, uint32_t *, uint32_t) =
			(void (*)(const uint32_t *, uint32_t *, uint32_t))dlsym(host, name);
		if (!fn)
			return n;
		for (unsigned i = 0; i < BW_ARRAY_SIZE(in); i++)
			in[i] = gen_input(&r);
		fn(in, expect, ITEMS);

		gpu_release(g);
		uint64_t args[3] = {gpu_alloc(g, sizeof(in)), gpu_alloc(g, sizeof(expect)), ITEMS};
		memcpy(gpu_host(g, args[0]), in, sizeof(in));
		struct gpu_launch l = {.kernel = name,
				       .n_groups = 1,
				       .group_size = GEN_GROUP,
				       .args = args,
				       .args_b = 20};
		if (!gpu_run(g, &l)) {
			printf("%s %s: %s\n", c->name, name, g->error);
			bad++;
			continue;
		}
		const uint32_t *got = gpu_host(g, args[1]);
		for (unsigned i = 0; i < BW_ARRAY_SIZE(expect); i++) {
			if (got[i] == expect[i])
				continue;
			printf("%s %s: work-item %u out[%u] is %08x, on the host %08x\n", c->name,
			       name, i / GEN_OUT_DW, i % GEN_OUT_DW, got[i], expect[i]);
			for (unsigned j = 0; j < GEN_IN_DW; j++)
				printf(" %08x", in[i / GEN_OUT_DW * GEN_IN_DW + j]);
			printf("\n");
			if (!bad)
				dump_case(source, first + k);
			bad++;
			break;
		}
	}
	return bad;
}

int main(int argc, char **argv)
{
	const char *clang = argc > 1 ? argv[1] : "clang-19";
	const char *seed_text = getenv("BW_DIFF_SEED"), *cases_text = getenv("BW_DIFF_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
	unsigned n_cases = cases_text ? (unsigned)atoi(cases_text) : 64, bad = 0, total = 0;
	char dir[] = "/tmp/bw-diff-XXXXXX", source[128], object[128], command[256];
	struct gpu g, gfx942, gfx902;

	if (!mkdtemp(dir) || !gpu_init(&g, BW_ISA_GFX11) || !gpu_init(&gfx942, BW_ISA_GFX942) ||
	    !gpu_init(&gfx902, BW_ISA_GFX902)) {
		printf("cannot begin\n");
		return 1;
	}
	printf("BW_DIFF_SEED=%" PRIu64 " BW_DIFF_CASES=%u\n", seed, n_cases);
	for (unsigned first = 0; first < n_cases; first += CASES_A_FILE) {
		unsigned n = BW_MIN(n_cases - first, (unsigned)CASES_A_FILE);
		snprintf(source, sizeof(source), "%s/cases%u.c", dir, first);
		FILE *f = fopen(source, "w");
		if (!f)
			return 1;
		gen_prologue(f);
		for (unsigned k = 0; k < n; k++)
			gen_case(f, seed + (first + k) * 1000003ull, first + k);
		fclose(f);

		snprintf(object, sizeof(object), "%s/host%u.so", dir, first);
		if (compile(clang, "-O1 -shared -fPIC -lm", source, object)) {
			printf("the host's compiler failed\n");
			return 1;
		}
		void *host = dlopen(object, RTLD_NOW);
		for (size_t c = 0; host && c < BW_ARRAY_SIZE(configs); c++) {
			char flags[256];
			struct gpu *of = configs[c].gen == BW_ISA_GFX942   ? &gfx942
					 : configs[c].gen == BW_ISA_GFX902 ? &gfx902
									   : &g;
			if (g.strict ? !of->strict : configs[c].strict)
				continue;
			snprintf(object, sizeof(object), "%s/%s-%u.co", dir, configs[c].name,
				 first);
			snprintf(flags, sizeof(flags),
				 "-target amdgcn-amd-amdhsa -nogpulib -fconvergent-functions %s",
				 configs[c].flags);
			total += n;
			if (compile(clang, flags, source, object)) {
				printf("%s: the compiler failed\n", configs[c].name);
				bad += n;
				continue;
			}
			bad += run_config(of, &configs[c], object, host, source, seed, first, n);
		}
		if (!host) {
			printf("%s\n", dlerror());
			return 1;
		}
		dlclose(host);
	}
	printf("%u cases, %u differ, %" PRIu64 " instructions\n", total, bad,
	       g.n_instructions + gfx942.n_instructions + gfx902.n_instructions);
	gpu_fini(&g);
	gpu_fini(&gfx942);
	gpu_fini(&gfx902);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (getenv("BW_DIFF_KEEP"))
		printf("files are in %s\n", dir);
	else if (system(command))
		printf("%s stays\n", dir);
	return bad != 0;
}
