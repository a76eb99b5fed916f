/* SPDX-License-Identifier: MIT */
/* KFD's queues of SDMA packets and of PM4 packets, by the ioctls of /dev/kfd alone: a copy that
 * ends with a signal; a write by the command processor. Each queue also gets a packet while it has
 * no share of the GPU.
 *
 * Usage: kfd_rings GPU_ID RENDER_NODE [WITH]; WITH anything, queues also pause in indirect buffers,
 * and get the packet that no engine knows. Packets are as sdma_v6_0.c and nvd.h of Linux 6.12 have
 * them. */
#include <inttypes.h>

#include "kfd_calls.h"

enum { COPIED_B = 64 << 10, PATIENCE_MS = 20000 };

struct ring {
	uint32_t *dw;
	char *object;
	uint64_t *doorbell;
	uint32_t queue, n_dw;
};

static struct ring make_ring(uint32_t type)
{
	struct ring r = {.dw = allocate(RING_B, SHARED | MEM_USERPTR, NULL),
			 .object = allocate(PAGE_B, SHARED | MEM_GTT, NULL)};
	const struct save_header header = {.debug_offset = SAVE_B, .debug_b = DEBUG_B};
	r.queue = create_queue_of(type, r.dw, r.object, header, &r.doorbell);
	return r;
}

static void end_ring(const struct ring *r)
{
	struct destroy_queue d = {.queue_id = r->queue};
	call(DESTROY_QUEUE, &d, "DESTROY_QUEUE");
}

static void put(struct ring *r, size_t n, const uint32_t *dw)
{
	memcpy(r->dw + r->n_dw, dw, n * sizeof(*dw));
	r->n_dw += (uint32_t)n;
}
#define PUT(r, ...)                                                                                \
	put(r, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

static uint32_t lo(const void *p)
{
	return (uint32_t)(uintptr_t)p;
}

static uint32_t hi(const void *p)
{
	return (uint32_t)((uint64_t)(uintptr_t)p >> 32);
}

/* unit: what the write pointer counts, in dwords. */
static void submit(struct ring *r, uint32_t unit)
{
	uint64_t *write = (void *)(r->object + 0x38), value = (uint64_t)r->n_dw * unit;
	__atomic_store_n(write, value, __ATOMIC_RELEASE);
	__atomic_store_n(r->doorbell, value, __ATOMIC_SEQ_CST);
}

/* Whether memory gets a value in time. */
static int becomes(const void *at, uint32_t value)
{
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		if (__atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE) == value)
			return 1;
		usleep(1000);
	}
	return 0;
}

/* The packet that was put last writes a value, and comes while the queue pauses. */
static void submit_in_pause(struct ring *r, uint32_t unit, const char *at, uint32_t value)
{
	enum { PAUSE_US = 50000 };
	set_share(r->queue, r->dw, 0);
	submit(r, unit);
	usleep(PAUSE_US);
	int early = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE) == value;
	set_share(r->queue, r->dw, 100);
	printf("%s, then %s\n", early ? "does not pause" : "pauses",
	       becomes(at, value) ? "written" : "nothing");
}

static void copy(char *data, uint64_t *events, uint32_t event, uint32_t slot)
{
	enum { COPY = 1, WRITE = 2, FENCE = 5 | 3 << 16, TRAP = 6, IN_BYTES = 4 };
	char *to = data + COPIED_B;
	struct ring r = make_ring(QUEUE_TYPE_SDMA);
	for (unsigned i = 0; i < COPIED_B; i++)
		data[i] = (char)(i * 7);
	memset(to, 0, COPIED_B);
	/* the event's slot says that it was signalled, then the interrupt has KFD look at it */
	PUT(&r, COPY, COPIED_B - 1, 0, lo(data), hi(data), lo(to), hi(to));
	PUT(&r, FENCE, lo(events + slot), hi(events + slot), 1);
	PUT(&r, TRAP, event);
	submit(&r, IN_BYTES);
	int came = wait_for(event);
	printf("SDMA: event %s, copy %s, ", came ? "came" : "missed",
	       memcmp(data, to, COPIED_B) ? "wrong" : "right");
	printf("read pointer %s\n",
	       becomes(r.object + 0x80, r.n_dw * IN_BYTES) ? "reported" : "missing");
	PUT(&r, WRITE, lo(data), hi(data), 0, 0x5d3a5d3a);
	printf("SDMA: ");
	submit_in_pause(&r, IN_BYTES, data, 0x5d3a5d3a);
	end_ring(&r);
}

static void write_data(char *data)
{
	/* WRITE_DATA to memory with confirmation, of two dwords */
	enum { WRITE_DATA = (int)0xc0043700, TO_MEMORY = 5 << 8 | 1 << 20, IN_DWORDS = 1 };
	struct ring r = make_ring(QUEUE_TYPE_COMPUTE);
	memset(data, 0, PAGE_B);
	PUT(&r, WRITE_DATA, TO_MEMORY, lo(data), hi(data), 0x600d600d, 0xf00df00d);
	submit(&r, IN_DWORDS);
	int written = becomes(data + 4, 0xf00df00d);
	printf("PM4: %s, read pointer %s\n", written ? "written" : "nothing",
	       becomes(r.object + 0x80, r.n_dw) ? "reported" : "missing");
	PUT(&r, WRITE_DATA, TO_MEMORY, lo(data), hi(data), 0x12345678, 0x9abcdef0);
	printf("PM4: ");
	submit_in_pause(&r, IN_DWORDS, data, 0x12345678);
	end_ring(&r);
}

/* The ring calls an indirect buffer: a write, a wait, a write. The queue pauses while it waits. */
static void pause_in_buffer(struct ring *r, uint32_t unit, char *data, const char *what)
{
	volatile uint32_t *first = (void *)data, *waits = (void *)(data + 64);
	submit(r, unit);
	int began = becomes(data, 0x11111111);
	set_share(r->queue, r->dw, 0);
	*first = 0; /* it is not written again */
	*waits = 1;
	set_share(r->queue, r->dw, 100);
	printf("%s: in a buffer %s, then the rest is %s%s\n", what, began ? "pauses" : "hangs",
	       becomes(data + 16, 0x33333333) ? "written" : "lost", *first ? ", all of it" : "");
}

static void pause_in_buffers(char *data)
{
	enum { WRITE_DATA = (int)0xc0043700, TO_MEMORY = 5 << 8 | 1 << 20, IN_DWORDS = 1 };
	enum { WAIT_REG_MEM = (int)0xc0053c00, IS_EQUAL_MEMORY = 3 | 1 << 4 };
	enum { INDIRECT_BUFFER = (int)0xc0023f00, VALID = 1 << 23 };
	enum { WRITE = 2, INDIRECT = 4, IN_BYTES = 4 };
	const uint32_t poll = 8 | 3u << 28 | 1u << 31, often = 0xfff << 16 | 10;
	struct ring pm4 = make_ring(QUEUE_TYPE_COMPUTE), sdma = make_ring(QUEUE_TYPE_SDMA);
	struct ring buffer = {.dw = (void *)(data + 1024)};
	memset(data, 0, PAGE_B);
	PUT(&buffer, WRITE_DATA, TO_MEMORY, lo(data), hi(data), 0x11111111, 0x22222222);
	PUT(&buffer, WAIT_REG_MEM, IS_EQUAL_MEMORY, lo(data + 64), hi(data + 64), 1, ~0u, 4);
	PUT(&buffer, WRITE_DATA, TO_MEMORY, lo(data + 16), hi(data + 16), 0x33333333, 0);
	PUT(&pm4, INDIRECT_BUFFER, lo(buffer.dw), hi(buffer.dw), buffer.n_dw | VALID);
	pause_in_buffer(&pm4, IN_DWORDS, data, "PM4");
	buffer.n_dw = 0;
	memset(data, 0, PAGE_B);
	PUT(&buffer, WRITE, lo(data), hi(data), 0, 0x11111111);
	PUT(&buffer, poll, lo(data + 64), hi(data + 64), 1, ~0u, often);
	PUT(&buffer, WRITE, lo(data + 16), hi(data + 16), 0, 0x33333333);
	PUT(&sdma, 0, 0, INDIRECT, lo(buffer.dw), hi(buffer.dw), buffer.n_dw, 0, 0);
	pause_in_buffer(&sdma, IN_BYTES, data, "SDMA");
	end_ring(&pm4);
	end_ring(&sdma);
}

/* The queue stops there, and can be destroyed. */
static void unknown_packet(void)
{
	enum { UNKNOWN = 0xfe, IN_BYTES = 4 };
	struct ring r = make_ring(QUEUE_TYPE_SDMA);
	PUT(&r, UNKNOWN, 0, 0, 0);
	submit(&r, IN_BYTES);
	usleep(100000);
	end_ring(&r);
	printf("SDMA: the queue of an unknown packet destroyed\n");
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	open_gpu((uint32_t)strtoul(argv[1], NULL, 0), argv[2]);
	uint64_t page_handle;
	uint32_t slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	uint32_t event = create_event(page_handle, EVENT_SIGNAL, &slot);
	char *data = allocate(2 * COPIED_B, SHARED | MEM_GTT, NULL);
	copy(data, events, event, slot);
	write_data(data);
	if (argc == 4) {
		pause_in_buffers(data);
		unknown_packet();
	}
	return 0;
}
