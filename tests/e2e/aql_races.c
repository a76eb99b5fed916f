/* SPDX-License-Identifier: MIT */
/* A program of aql.c's kind with two queues of kernels and one of copies, whose packets touch the
 * same memory: with and without what orders them.
 *
 * Usage: aql_races CODE_OBJECT GPU_ID RENDER_NODE WHAT [KERNEL]. WHAT is a row of scenarios[]. All
 * packets are submitted before the first one begins, unless the program waits between: a signal
 * that it sets holds them up. So what is in no order does not depend on how long anything takes. */
#define main aql_main
int aql_main(int argc, char **argv);
#include "aql.c"
#undef main

/* Signals: GATE is the program's, THIRD sometimes. */
enum { FIRST, SECOND, THIRD, GATE, N_SIGNALS };
static struct signal *s;
static struct queue_memory a, b;
static struct copies {
	uint32_t *dw, n_dw, id;
	char *object;
	uint64_t *doorbell;
} copies;
static struct point *points, *other_points;
static float *out, *other_out, *copied;
static struct arguments *next_arguments;
static float scale;
static uint64_t kernel;

static void make(struct queue_memory *q)
{
	make_queue(q);
	*(uint32_t *)(void *)(q->object + 0x8c) = 64 | 128 << 12; /* as in aql.c */
	*(uint64_t *)(void *)(q->object + 0xa0) =
		(uintptr_t)allocate(SCRATCH_B, COMMON | MEM_VRAM, NULL);
	*(uint32_t *)(void *)(q->object + 0xb0) = 512;
}

static struct packet dispatch(const struct point *from, float *to, struct signal *completion)
{
	*next_arguments = (struct arguments){from, to, ++scale, N}; /* other results each time */
	return (struct packet){.setup = 1,
			       .group = {64, 1, 1},
			       .grid = {GROUPS * 64, 1, 1},
			       .private_b = 256,
			       .group_b = 256,
			       .kernel_object = kernel,
			       .kernarg = (uintptr_t)next_arguments++,
			       .completion = (uintptr_t)completion};
}

/* A packet that does not wait for those before it. */
static void put_beside(struct queue_memory *q, struct packet p)
{
	put(q, p, DISPATCH);
	/* the queue stands at its gate */
	__atomic_fetch_and(&q->ring[*q->write_id - 1].header, (uint16_t)~(1 << 8),
			   __ATOMIC_RELEASE);
}

/* ---- copies: packets as sdma_v6_0.c of Linux has them ---- */

static void put_dw(size_t n, const uint32_t *dw)
{
	memcpy(copies.dw + copies.n_dw, dw, n * sizeof(*dw));
	copies.n_dw += (uint32_t)n;
}
#define PUT_DW(...)                                                                                \
	put_dw(sizeof((const uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})
#define ADDRESS(p) (uint32_t)(uintptr_t)(p), (uint32_t)((uint64_t)(uintptr_t)(p) >> 32)

static void copy(const float *from, float *to, const struct signal *waits,
		 const struct signal *completion)
{
	enum { POLL = (int)(8 | 3u << 28 | 1u << 31), COPY = 1, FENCE = 5 | 3 << 16 };
	const uint32_t every = ~0u, never_give_up = 4 | 0xfff << 16;
	PUT_DW((uint32_t)POLL, ADDRESS(&waits->value), 0, every, never_give_up);
	PUT_DW(COPY, N * sizeof(*from) - 1, 0, ADDRESS(from), ADDRESS(to));
	PUT_DW(FENCE, ADDRESS(&completion->value), 0);
	const uint64_t value = copies.n_dw * 4ull;
	__atomic_store_n((uint64_t *)(void *)(copies.object + 0x38), value, __ATOMIC_RELEASE);
	__atomic_store_n(copies.doorbell, value, __ATOMIC_SEQ_CST);
}

/* ---- scenarios ---- */

static void await(const struct signal *signal)
{
	while (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void open_gate(void)
{
	usleep(100000); /* so that the queues have seen what there is */
	__atomic_store_n(&s[GATE].value, 0, __ATOMIC_RELEASE);
}

static void gate(struct queue_memory *q)
{
	put(q, barrier(&s[GATE], NULL), AND);
}

/* The two write the same memory, at the same time. */
static void stores_wrong(void)
{
	gate(&a), gate(&b);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	put(&b, dispatch(points, out, &s[SECOND]), DISPATCH);
}

static void stores_right(void)
{
	gate(&a);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	put(&b, barrier(&s[FIRST], NULL), AND);
	put(&b, dispatch(points, out, &s[SECOND]), DISPATCH);
}

/* The second queue waits for something that comes too early. */
static void early_wrong(void)
{
	gate(&a);
	put(&a, dispatch(points, other_out, &s[FIRST]), DISPATCH);
	put(&a, dispatch(points, out, &s[THIRD]), DISPATCH);
	put(&b, barrier(&s[FIRST], NULL), AND);
	put(&b, dispatch(points, out, &s[SECOND]), DISPATCH);
}

static void early_right(void)
{
	gate(&a);
	put(&a, dispatch(points, other_out, &s[FIRST]), DISPATCH);
	put(&a, dispatch(points, out, &s[THIRD]), DISPATCH);
	put(&b, barrier(&s[THIRD], NULL), AND);
	put(&b, dispatch(points, out, &s[SECOND]), DISPATCH);
}

/* The program waits for the first queue. */
static void host_right(void)
{
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	await(&s[FIRST]);
	put(&b, dispatch(points, out, &s[SECOND]), DISPATCH);
}

/* It tells the second queue that it has done so. */
static void told_right(void)
{
	put(&b, barrier(&s[THIRD], NULL), AND);
	put(&b, dispatch(points, out, &s[SECOND]), DISPATCH);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	await(&s[FIRST]);
	__atomic_store_n(&s[THIRD].value, 0, __ATOMIC_RELEASE);
}

/* What the first one reads. */
static void reads_wrong(void)
{
	gate(&a), gate(&b);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	put(&b, dispatch(other_points, &points->x, &s[SECOND]), DISPATCH);
}

static void reads_right(void)
{
	gate(&a);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	put(&b, barrier(&s[FIRST], NULL), AND);
	put(&b, dispatch(other_points, &points->x, &s[SECOND]), DISPATCH);
}

/* A copy of what the kernel writes. */
static void copied_wrong(void)
{
	gate(&a);
	copy(out, copied, &s[GATE], &s[SECOND]);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
}

static void copied_right(void)
{
	gate(&a);
	copy(out, copied, &s[FIRST], &s[SECOND]);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	put(&b, barrier(&s[SECOND], NULL), AND);
	put(&b, dispatch(points, out, &s[THIRD]), DISPATCH);
}

/* A kernel changes what is still copied. */
static void copying_wrong(void)
{
	gate(&a);
	copy(out, copied, &s[FIRST], &s[SECOND]);
	put(&a, dispatch(points, other_out, &s[FIRST]), DISPATCH);
	put(&b, barrier(&s[FIRST], NULL), AND);
	put(&b, dispatch(points, out, &s[THIRD]), DISPATCH);
}

static void copying_right(void)
{
	copied_right();
}

/* Of one queue. */
static void beside_wrong(void)
{
	gate(&a);
	put_beside(&a, dispatch(points, out, &s[FIRST]));
	put_beside(&a, dispatch(points, out, &s[SECOND]));
}

static void beside_right(void)
{
	gate(&a);
	put_beside(&a, dispatch(points, out, &s[FIRST]));
	put(&a, dispatch(points, out, &s[SECOND]), DISPATCH);
}

/* A kernel that has races of its own: alone, and twice at the same time. */
static void alone(void)
{
	gate(&a);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
}

static void twice(void)
{
	gate(&a), gate(&b);
	put(&a, dispatch(points, out, &s[FIRST]), DISPATCH);
	put(&b, dispatch(points, other_out, &s[SECOND]), DISPATCH);
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned n_signals; /* how many of the first are awaited */
} scenarios[] = {
	{"stores_wrong", stores_wrong, 2},
	{"stores_right", stores_right, 2},
	{"early_wrong", early_wrong, 3},
	{"early_right", early_right, 3},
	{"host_right", host_right, 2},
	{"told_right", told_right, 2},
	{"reads_wrong", reads_wrong, 2},
	{"reads_right", reads_right, 2},
	{"copied_wrong", copied_wrong, 2},
	{"copied_right", copied_right, 3},
	{"copying_wrong", copying_wrong, 3},
	{"copying_right", copying_right, 3},
	{"beside_wrong", beside_wrong, 2},
	{"beside_right", beside_right, 2},
	{"alone", alone, 1},
	{"twice", twice, 2},
};

static void make_all(const char *name)
{
	char symbol[64];
	char *code = allocate(CODE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	load(code);
	tell(code);
	snprintf(symbol, sizeof(symbol), "%s.kd", name);
	kernel = (uintptr_t)code + find(symbol);
	make(&a);
	make(&b);
	copies.dw = allocate(RING_B, SHARED | MEM_USERPTR, NULL);
	copies.object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	const struct save_header header = {.debug_offset = SAVE_B, .debug_b = DEBUG_B};
	copies.id = create_queue_of(QUEUE_TYPE_SDMA, copies.dw, copies.object, header,
				    &copies.doorbell);
	s = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	for (unsigned i = 0; i < N_SIGNALS; i++)
		s[i] = (struct signal){.kind = 1, .value = 1};
	next_arguments = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	char *data = allocate(4 * PAGE_B, SHARED | MEM_GTT, NULL);
	points = (void *)data;
	other_points = (void *)(data + PAGE_B);
	/* one page has the results of both */
	out = (void *)(data + 2 * PAGE_B);
	other_out = out + 256;
	copied = (void *)(data + 3 * PAGE_B);
	for (int i = 0; i < N; i++)
		points[i] = other_points[i] = (struct point){(float)i / 2 + 1, 1, i};
}

int main(int argc, char **argv)
{
	if (argc != 5 && argc != 6)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	read_file(argv[1]);
	open_gpu((uint32_t)strtoul(argv[2], NULL, 0), argv[3]);
	make_all(argc == 6 ? argv[5] : "weigh");
	for (unsigned i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(scenarios[i].name, argv[4]))
			continue;
		scenarios[i].run();
		open_gate();
		for (unsigned k = 0; k < scenarios[i].n_signals; k++)
			await(&s[k]);
		printf("done\n");
		return 0;
	}
	return 2;
}
