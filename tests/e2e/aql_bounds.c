/* SPDX-License-Identifier: MIT */
/* A program of aql.c's kind whose kernel writes to memory of hipMalloc (fake_rocm.c). All memory is
 * mapped, and one block follows the other, as in ROCm's runtime.
 *
 * Usage: aql_bounds CODE_OBJECT GPU_ID RENDER_NODE WHAT. The kernel `weigh` writes to 204 floats:
 * `right`; `past`, of a block that is one float too small; `before`, from one float before a block;
 * `freed`, once more after the block is freed; `own`, in memory that the runtime has allocated for
 * itself, which nobody judges; `hsa`, past the end of a block of the program's that HIP does not
 * know. */
#define main aql_main
int aql_main(int argc, char **argv);
#include "aql.c"
#undef main

#include "fake_rocm.h"

enum { BLOCKS_B = 4 << 20 };
static char *blocks;
static size_t used_b;

static void *get(size_t size_b)
{
	char *p = blocks + used_b;
	used_b += (size_b + PAGE_B - 1) / PAGE_B * PAGE_B;
	return used_b <= BLOCKS_B ? p : NULL;
}

static void put_back(void *p)
{
	printf("given back\n"); /* which is not while the checker keeps it */
}

static void *get_hip(size_t size_b)
{
	void *p = NULL;
	must(!hipMalloc(&p, size_b), "hipMalloc");
	return p;
}

static struct signal *done;
static uint32_t done_event;
static char *args;

static void dispatch(struct queue_memory *q, uint64_t kernel, const struct point *points,
		     float *out)
{
	struct arguments *a = (void *)args;
	*a = (struct arguments){points, out, 2, N};
	done->value = 1;
	put(q,
	    (struct packet){.setup = 1,
			    .group = {64, 1, 1},
			    .grid = {GROUPS * 64, 1, 1},
			    .private_b = 256,
			    .group_b = 256,
			    .kernel_object = kernel,
			    .kernarg = (uintptr_t)a,
			    .completion = (uintptr_t)done},
	    DISPATCH);
	while (__atomic_load_n(&done->value, __ATOMIC_ACQUIRE))
		must(wait_for(done_event), "the end of the dispatch");
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	const char *what = argv[4];
	read_file(argv[1]);
	open_gpu((uint32_t)strtoul(argv[2], NULL, 0), argv[3]);
	char *code = allocate(CODE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	load(code);
	tell(code);
	uint64_t kernel = (uintptr_t)code + find("weigh.kd"), page_handle;
	uint32_t slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	done_event = create_event(page_handle, EVENT_SIGNAL, &slot);
	struct queue_memory q = {0};
	make_queue(&q);
	char *scratch = allocate(SCRATCH_B, COMMON | MEM_VRAM, NULL);
	*(uint32_t *)(void *)(q.object + 0x8c) = 64 | 128 << 12; /* as in aql.c */
	*(uint64_t *)(void *)(q.object + 0xa0) = (uintptr_t)scratch;
	*(uint32_t *)(void *)(q.object + 0xb0) = 512;
	args = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	done = (void *)(args + PAGE_B / 2);
	*done = (struct signal){.kind = 1, .event = done_event};
	done->mailbox = (uintptr_t)(events + slot);

	blocks = allocate(BLOCKS_B, SHARED | MEM_GTT, NULL);
	fake_rocm_memory(get, put_back);
	struct point *points = get_hip(N * sizeof(*points));
	for (int i = 0; i < N; i++)
		points[i] = (struct point){(float)i / 2, 1, i};
	float *out = get_hip((OUT - !strcmp(what, "past")) * sizeof(*out));
	get_hip(PAGE_B);
	if (!strcmp(what, "before"))
		out--;
	if (!strcmp(what, "own"))
		out = fake_rocm_own;
	if (!strcmp(what, "hsa"))
		must(!hsa_amd_memory_pool_allocate(1, 800, 0, (void **)&out), "HSA's allocation");
	dispatch(&q, kernel, points, out);
	if (!strcmp(what, "freed")) {
		must(!hipFree(out), "hipFree");
		dispatch(&q, kernel, points, out);
	}
	printf("%g %g %g\n", out[10], out[N - 1], out[N]);
	return 0;
}
