/* SPDX-License-Identifier: MIT */
/* Speed of KFD's queues by the ioctls of /dev/kfd alone: dispatches of an empty kernel by an AQL
 * queue, copies by an SDMA queue. Usage: bench_kfd GPU_ID RENDER_NODE; prints a JSON object. */
#include <time.h>

#include "../e2e/kfd_calls.h"

enum {
	N_PACKETS = RING_B / 64,
	N_SINGLE = 2000,
	N_MANY = 50000,
	COPIED_B = 64 << 20,
	COPY_B = 4 << 20, /* by a packet */
	N_COPIES = 5,
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct aql {
	struct packet *ring;
	uint64_t *write_id, *doorbell;
	const volatile uint64_t *read_id;
	struct packet packet; /* of the kernel, without a signal */
	struct signal *signal;
	uint32_t event;
};

/* The slot of the next packet, when the GPU has done with what was in it. */
static void dispatch(struct aql *a, struct signal *signal)
{
	const uint16_t header = 2 | 2 << 9 | 2 << 11; /* a dispatch; scopes: the system */
	uint64_t index = *a->write_id;
	struct packet *slot = &a->ring[index % N_PACKETS];
	while (index - *a->read_id >= N_PACKETS)
		;
	*slot = a->packet;
	slot->completion = (uint64_t)(uintptr_t)signal;
	__atomic_store_n(a->write_id, index + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->header, header, __ATOMIC_RELEASE);
	__atomic_store_n(a->doorbell, index, __ATOMIC_SEQ_CST);
}

static void poll_signal(const struct signal *s)
{
	while (__atomic_load_n(&s->value, __ATOMIC_ACQUIRE))
		;
}

static struct aql make_aql(char *data, uint64_t *events, uint32_t event, uint32_t slot)
{
	char *object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	char *code = allocate(PAGE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	const struct save_header header = {.debug_offset = SAVE_B, .debug_b = DEBUG_B};
	const uint64_t entry = 256;
	const uint32_t s_endpgm = 0xbfb00000;
	uint32_t *descriptor = (void *)code;
	struct aql a = {.ring = allocate(RING_B, SHARED | MEM_USERPTR, NULL),
			.write_id = (void *)(object + 0x38),
			.read_id = (void *)(object + 0x80),
			.signal = (void *)data,
			.event = event};
	memcpy(code + entry, &s_endpgm, sizeof(s_endpgm));
	memcpy(descriptor + 4, &entry, sizeof(entry));
	descriptor[12] = 0xc0 << 12 | 1u << 29 | 1u << 30;
	descriptor[14] = 1 << 10; /* wave32 */
	for (unsigned i = 0; i < N_PACKETS; i++)
		a.ring[i].header = 1; /* invalid */
	*(uint32_t *)(void *)(object + 0x88) = 0x80;
	create_queue(a.ring, object, header, &a.doorbell);
	a.packet = (struct packet){.header = 1,
				   .setup = 1,
				   .group = {32, 1, 1},
				   .grid = {32, 1, 1},
				   .kernel_object = (uint64_t)(uintptr_t)code};
	*a.signal = (struct signal){.kind = 1, .event = event};
	a.signal->mailbox = (uint64_t)(uintptr_t)(events + slot);
	return a;
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The median: on a busy machine a mean tells for how long others had the core. */
static double single_s(struct aql *a, int waits)
{
	static double took[N_SINGLE];
	for (unsigned i = 0; i < N_SINGLE; i++) {
		double start = now_s();
		a->signal->value = 1;
		dispatch(a, a->signal);
		if (waits)
			must(wait_for(a->event), "the event");
		poll_signal(a->signal);
		took[i] = now_s() - start;
	}
	qsort(took, N_SINGLE, sizeof(took[0]), by_time);
	return took[N_SINGLE / 2];
}

static double many_s(struct aql *a)
{
	double start = now_s();
	a->signal->value = 1;
	for (unsigned i = 1; i < N_MANY; i++)
		dispatch(a, NULL);
	dispatch(a, a->signal);
	poll_signal(a->signal);
	return (now_s() - start) / N_MANY;
}

/* Copies from system memory to VRAM. */
static double copy_s(uint64_t *events, uint32_t event, uint32_t slot)
{
	enum { COPY = 1, FENCE = 5 | 3 << 16, TRAP = 6 };
	char *from = allocate(COPIED_B, SHARED | MEM_GTT, NULL),
	     *to = allocate(COPIED_B, COMMON | MEM_VRAM, NULL),
	     *object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	uint32_t *ring = allocate(RING_B, SHARED | MEM_USERPTR, NULL), n = 0;
	uint64_t *doorbell, slot_va = (uint64_t)(uintptr_t)(events + slot);
	const struct save_header header = {.debug_offset = SAVE_B, .debug_b = DEBUG_B};
	create_queue_of(QUEUE_TYPE_SDMA, ring, object, header, &doorbell);
	memset(from, 1, COPIED_B);
	double best = 1e9;
	for (unsigned i = 0; i < N_COPIES; i++) {
		double start = now_s();
		for (uint64_t at = 0; at < COPIED_B; at += COPY_B) {
			uint64_t source = (uint64_t)(uintptr_t)(from + at),
				 target = (uint64_t)(uintptr_t)(to + at);
			const uint32_t copy[] = {
				COPY,
				COPY_B - 1,
				0,
				(uint32_t)source,
				(uint32_t)(source >> 32),
				(uint32_t)target,
				(uint32_t)(target >> 32),
			};
			memcpy(ring + n, copy, sizeof(copy));
			n += sizeof(copy) / 4;
		}
		const uint32_t end[] = {
			FENCE, (uint32_t)slot_va, (uint32_t)(slot_va >> 32), 1, TRAP, event};
		memcpy(ring + n, end, sizeof(end));
		n += sizeof(end) / 4;
		__atomic_store_n((uint64_t *)(void *)(object + 0x38), n * 4ull, __ATOMIC_RELEASE);
		__atomic_store_n(doorbell, n * 4ull, __ATOMIC_SEQ_CST);
		must(wait_for(event), "the event");
		double took = now_s() - start;
		best = took < best ? took : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	open_gpu((uint32_t)strtoul(argv[1], NULL, 0), argv[2]);
	uint64_t page_handle;
	uint32_t slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	uint32_t event = create_event(page_handle, EVENT_SIGNAL, &slot);
	char *data = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	struct aql a = make_aql(data, events, event, slot);
	single_s(&a, 0); /* warm */
	printf("{\"polled_s\": %.9f, ", single_s(&a, 0));
	printf("\"waited_s\": %.9f, ", single_s(&a, 1));
	printf("\"many_s\": %.9f, ", many_s(&a));
	event = create_event(0, EVENT_SIGNAL, &slot); /* one that nobody has signalled */
	printf("\"copy_64_mib_s\": %.6f}\n", copy_s(events, event, slot));
	return 0;
}
