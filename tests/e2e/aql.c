/* SPDX-License-Identifier: MIT */
/* What ROCm's runtime does for a program, without ROCm: loads a code object, tells a debugger of it
 * as ROCr does (struct r_debug, RUNTIME_ENABLE), and dispatches its kernel by an AQL queue.
 *
 * Usage: aql CODE_OBJECT GPU_ID RENDER_NODE KERNEL ROUNDS [HANG]. Each round is a dispatch of 4
 * workgroups over 200 points {i / 2, 1, i}, with the scale 2 * ROUND; then it says what the kernel
 * has written. At SIGUSR1, KFD takes the queue off the GPU, and gives it back. HANG names a packet
 * after the dispatches at which the queue stands for ever: see hangs[]. */
#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "kfd_calls.h"

enum { N = 200, GROUPS = 4, OUT = N + GROUPS, CODE_B = 1 << 20, SCRATCH_B = 16 << 20 };

struct point {
	float x, y;
	int32_t id;
};

/* ---- the code object ---- */

static const char *file;
static size_t file_b;

static void read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	must(fd >= 0, path);
	file_b = (size_t)lseek(fd, 0, SEEK_END);
	file = mmap(NULL, file_b, PROT_READ, MAP_PRIVATE, fd, 0);
	must(file != MAP_FAILED, "mmap of the code object");
	close(fd);
}

static void load(char *base)
{
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Phdr *p = (const void *)(file + e->e_phoff);
	for (unsigned i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			memcpy(base + p[i].p_vaddr, file + p[i].p_offset, p[i].p_filesz);
}

/* The address of a symbol in the image. */
static uint64_t find(const char *name)
{
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Shdr *s = (const void *)(file + e->e_shoff);
	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *all = (const void *)(file + s[i].sh_offset);
		const char *names = file + s[s[i].sh_link].sh_offset;
		size_t n = s[i].sh_type == SHT_SYMTAB ? s[i].sh_size / sizeof(*all) : 0;
		for (size_t k = 0; k < n; k++)
			if (!strcmp(names + all[k].st_name, name))
				return all[k].st_value;
	}
	errno = ENOENT;
	must(0, name);
	return 0;
}

/* ROCr's list of code objects, with one entry, by the name by which its library has it. */
struct r_debug _amdgpu_r_debug;
static void tell(char *base)
{
	static char uri[128];
	static struct link_map entry;
	snprintf(uri, sizeof(uri), "memory://%d#offset=%#" PRIxPTR "&size=%zu", (int)getpid(),
		 (uintptr_t)file, file_b);
	entry = (struct link_map){.l_addr = (uintptr_t)base, .l_name = uri};
	_amdgpu_r_debug = (struct r_debug){.r_version = 10, .r_map = &entry};
	struct runtime_enable r = {.r_debug = (uintptr_t)&_amdgpu_r_debug, .mode_mask = 1};
	call(RUNTIME_ENABLE, &r, "RUNTIME_ENABLE");
}

/* ---- page faults, and the loss of the GPU ---- */

struct losses {
	uint32_t fault, gpu; /* events */
};

/* A thread of the runtime's waits for them, and aborts the program. Like the runtime, it does not
 * look at errors of the wait. */
static void *await_losses(void *cookie)
{
	const struct losses *l = cookie;
	struct event_data data[2] = {{.event_id = l->fault}, {.event_id = l->gpu}};
	struct wait_events w = {
		.events_ptr = (uintptr_t)data, .num_events = 2, .timeout = UINT32_MAX};
	while (ioctl(kfd, WAIT_EVENTS, &w) || w.wait_result)
		usleep(1000);
	/* the second half of the exception: whether memory is lost, and the GPU */
	bool is_gpu = data[1].what[1] == (1 | (uint64_t)gpu << 32);
	printf("%s\n", is_gpu ? "the GPU is lost" : "memory access fault");
	abort();
}

/* ---- the queue leaves the GPU ---- */

static uint32_t queue;
static struct packet *ring;

static void take_away(int signal_number)
{
	(void)signal_number;
	set_share(queue, ring, 0);
	usleep(100000);
	set_share(queue, ring, 100);
}

/* ---- packets ---- */

enum { DISPATCH = 2, AND = 3 };

struct queue_memory {
	struct packet *ring;
	char *object; /* amd_queue_t */
	uint64_t *write_id, *doorbell;
	uint32_t id;
};

static void put(struct queue_memory *q, struct packet p, uint16_t type)
{
	/* with the barrier bit, and the system as the scope of both fences */
	const uint16_t header = (uint16_t)(type | 1 << 8 | 2 << 9 | 2 << 11);
	struct packet *slot = &q->ring[*q->write_id];
	p.header = 1;
	*slot = p;
	uint64_t index = (*q->write_id)++;
	__atomic_store_n(&slot->header, header, __ATOMIC_RELEASE);
	__atomic_store_n(q->doorbell, index, __ATOMIC_SEQ_CST);
}

/* A barrier-AND that waits for one signal, and decrements another. */
static struct packet barrier(const struct signal *waits, const struct signal *completion)
{
	struct packet p = {.completion = (uintptr_t)completion};
	*(uint64_t *)(void *)((char *)&p + 8) = (uintptr_t)waits;
	return p;
}

static void make_queue(struct queue_memory *q)
{
	const struct save_header header = {.debug_offset = SAVE_B, .debug_b = DEBUG_B};
	q->object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	q->ring = allocate(RING_B, SHARED | MEM_USERPTR, NULL);
	for (unsigned i = 0; i < RING_B / sizeof(*q->ring); i++)
		q->ring[i].header = 1; /* invalid */
	*(uint32_t *)(void *)(q->object + 0x88) = 0x80;
	q->write_id = (void *)(q->object + 0x38);
	q->id = create_queue(q->ring, q->object, header, &q->doorbell);
}

struct arguments {
	const struct point *points;
	float *out;
	float scale;
	int32_t n;
};

/* s: signals of value 1; p: a dispatch. */
static void hang_nobody(struct queue_memory *q, struct signal *s, struct packet p)
{
	put(q, barrier(&s[0], NULL), AND);
	put(q, p, DISPATCH);
}

static void hang_itself(struct queue_memory *q, struct signal *s, struct packet p)
{
	put(q, barrier(&s[0], &s[0]), AND);
}

static void hang_later(struct queue_memory *q, struct signal *s, struct packet p)
{
	put(q, barrier(&s[0], NULL), AND);
	put(q, barrier(NULL, &s[0]), AND);
}

static void hang_circle(struct queue_memory *q, struct signal *s, struct packet p)
{
	struct queue_memory other;
	make_queue(&other);
	put(q, barrier(&s[0], &s[1]), AND);
	put(&other, barrier(&s[1], &s[0]), AND);
}

static void hang_scratch(struct queue_memory *q, struct signal *s, struct packet p)
{
	*(uint64_t *)(void *)(q->object + 0xc0) = (uintptr_t)&s[0];
	s[0].value = 0;
	p.private_b = 1 << 16;
	put(q, p, DISPATCH);
}

/* The kernel writes to memory that is gone, and never comes to its end. */
static void hang_freed(struct queue_memory *q, struct signal *s, struct packet p)
{
	uint64_t handle;
	struct arguments *a = (void *)(uintptr_t)p.kernarg;
	a[1] = a[0];
	a[1].out = allocate(4 * PAGE_B, SHARED | MEM_GTT, &handle);
	p.kernarg = (uintptr_t)&a[1];
	release(handle);
	put(q, p, DISPATCH);
}

static void hang_unwritten(struct queue_memory *q, struct signal *s, struct packet p)
{
	++*q->write_id;
}

static const struct {
	const char *name;
	void (*begin)(struct queue_memory *q, struct signal *s, struct packet p);
} hangs[] = {{"nobody", hang_nobody}, {"itself", hang_itself},	 {"later", hang_later},
	     {"circle", hang_circle}, {"scratch", hang_scratch}, {"unwritten", hang_unwritten},
	     {"freed", hang_freed}};

static void hang(const char *name, struct queue_memory *q, struct signal *s, struct packet p)
{
	for (unsigned i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++)
		if (!strcmp(hangs[i].name, name))
			hangs[i].begin(q, s, p);
	printf("waits\n");
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc != 6 && argc != 7)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	read_file(argv[1]);
	open_gpu((uint32_t)strtoul(argv[2], NULL, 0), argv[3]);
	char *code = allocate(CODE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	load(code);
	tell(code);
	char kernel[64];
	snprintf(kernel, sizeof(kernel), "%s.kd", argv[4]);
	uint64_t kernel_object = (uintptr_t)code + find(kernel);

	uint64_t page_handle;
	uint32_t slot, no_slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	uint32_t event = create_event(page_handle, EVENT_SIGNAL, &slot);
	struct losses losses = {create_event(0, EVENT_MEMORY, &no_slot),
				create_event(0, EVENT_HW_EXCEPTION, &no_slot)};
	pthread_t thread;
	must(!pthread_create(&thread, NULL, await_losses, &losses), "thread");

	struct queue_memory q = {0};
	make_queue(&q);
	char *scratch = allocate(SCRATCH_B, COMMON | MEM_VRAM, NULL);
	/* 64 waves, each with 128 times 256 bytes: 1 KiB for a lane of 32 */
	*(uint32_t *)(void *)(q.object + 0x8c) = 64 | 128 << 12;
	*(uint64_t *)(void *)(q.object + 0xa0) = (uintptr_t)scratch;
	*(uint32_t *)(void *)(q.object + 0xb0) = 512;
	queue = q.id;
	ring = q.ring;
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = take_away, .sa_flags = SA_RESTART},
		  NULL);

	char *data = allocate(4 * PAGE_B, SHARED | MEM_GTT, NULL);
	struct signal *signal = (void *)data;
	struct point *points = (void *)(data + PAGE_B);
	float *out = (void *)(data + 3 * PAGE_B);
	for (int i = 0; i < N; i++)
		points[i] = (struct point){(float)i / 2, 1, i};
	unsigned rounds = (unsigned)atoi(argv[5]);
	*signal = (struct signal){.kind = 1, .value = rounds, .event = event};
	signal->mailbox = (uintptr_t)(events + slot);
	struct packet p = {0};
	for (unsigned i = 0; i < rounds; i++) {
		struct arguments *a = (void *)(data + 256 + i * sizeof(*a));
		*a = (struct arguments){points, out, 2.0f * (float)(i + 1), N};
		p = (struct packet){.setup = 1,
				    .group = {64, 1, 1},
				    .grid = {GROUPS * 64, 1, 1},
				    .private_b = 256,
				    .group_b = 256,
				    .kernel_object = kernel_object,
				    .kernarg = (uintptr_t)a,
				    .completion = (uintptr_t)signal};
		put(&q, p, DISPATCH);
	}
	struct signal *never = (void *)(data + 2 * PAGE_B + PAGE_B / 2);
	never[0] = never[1] = (struct signal){.kind = 1, .value = 1};
	if (argc == 7)
		hang(argv[6], &q, never, p);
	while (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE))
		must(wait_for(event), "the end of the dispatches");
	printf("%g %g %g\n", out[10], out[N - 1], out[N]);
	return 0;
}
