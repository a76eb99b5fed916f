/* SPDX-License-Identifier: MIT */
/* A kernel dispatched through /dev/kfd by its ioctls alone, as ROCr does it: memory, event, AQL
 * queue, packet, doorbell, and the signal that ends it. Then one that never ends, whose queue is
 * destroyed.
 *
 * Usage: kfd CODE GPU_ID RENDER_NODE [WHAT]; CODE is the text of kfd.s. WHAT comes in place of the
 * last part: "killed" ends the program by a signal while that kernel runs, "evicted" has KFD take
 * the queue off the GPU and back while it runs, "paused" has the packet come while the queue has no
 * share of the GPU, "drained" takes that share away while the kernel runs, which then ends, "moved"
 * has the packet in another ring, "imported" has the first kernel write to a second address of its
 * buffer, "bad-packet" and "bad-kernel" give the queue what it cannot execute, "monitored" has the
 * last kernel write to memory that is not there, and monitors of SMI_EVENTS hear of it. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

#include "kfd_calls.h"

enum { N = 1000 };

/* Takes the queue away and gives it back while its kernel waits; at the end the kernel may go on
 * while the queue is away. */
static void evict(uint32_t queue, void *ring, volatile uint32_t *go,
		  const volatile struct signal *signal)
{
	enum { TIMES = 10, PAUSE_US = 20000 };
	for (unsigned i = 0; i < TIMES; i++) {
		if (i)
			set_share(queue, ring, 100);
		usleep(PAUSE_US);
		set_share(queue, ring, 0);
	}
	*go = 1;
	usleep(10 * PAUSE_US);
	printf("evicted %d times, signal %" PRId64 ", %u waves begun\n", TIMES, signal->value,
	       go[1]);
	set_share(queue, ring, 100);
}

/* The memory of a handle at another address of the GPU's, by a dma-buf. The CPU has nothing
 * there. */
static void *import_again(uint64_t handle, uint64_t size_b)
{
	uint32_t ids[] = {gpu};
	struct export_dmabuf e = {.handle = handle, .flags = O_CLOEXEC | O_RDWR};
	call(EXPORT_DMABUF, &e, "EXPORT_DMABUF");
	void *va = mmap(NULL, size_b, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(va != MAP_FAILED, "mmap");
	struct import_dmabuf i = {.va_addr = (uint64_t)(uintptr_t)va, .gpu_id = gpu, .fd = e.fd};
	call(IMPORT_DMABUF, &i, "IMPORT_DMABUF");
	close((int)e.fd);
	struct map_memory m = {
		.handle = i.handle,
		.device_ids_array_ptr = (uint64_t)(uintptr_t)ids,
		.n_devices = 1,
	};
	call(MAP_MEMORY, &m, "MAP_MEMORY_TO_GPU");
	return va;
}

static volatile uint32_t *lets_go;
static void let_go(int signal_number)
{
	(void)signal_number;
	*lets_go = 1;
}

/* The call returns when the kernel has ended, for which it waits. */
static void drain(uint32_t queue, void *ring, volatile uint32_t *go,
		  const volatile struct signal *signal, const volatile uint64_t *read_id)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 100000}};
	lets_go = go;
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = let_go, .sa_flags = SA_RESTART}, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	set_share(queue, ring, 0);
	printf("drained, signal %" PRId64 ", %u waves begun, read index %" PRIu64 "\n",
	       signal->value, go[1], *read_id);
	set_share(queue, ring, 100);
	usleep(100000);
	printf("back, %u waves begun\n", go[1]);
}

/* Waits for the end of the kernel. */
static void report(uint32_t event, const struct signal *signal, const uint32_t *out,
		   const volatile uint64_t *read_id)
{
	int came = wait_for(event);
	unsigned wrong = 0;
	for (unsigned i = 0; i < N; i++)
		wrong += out[i] != 3 * i + 7;
	printf("event %s, signal %" PRId64 ", %u of %u wrong, read index %" PRIu64 "\n",
	       came ? "came" : "missed", signal->value, wrong, N, *read_id);
}

static int open_monitor(uint64_t events)
{
	struct smi_events s = {.gpu_id = gpu + 1};
	char none;
	int r = ioctl(kfd, SMI_EVENTS, &s);
	printf("monitor of another GPU: %s", r ? strerror(errno) : "made");
	s.gpu_id = gpu;
	call(SMI_EVENTS, &s, "SMI_EVENTS");
	ssize_t n = read((int)s.fd, &none, sizeof(none));
	printf("; nothing to read: %s", n < 0 ? strerror(errno) : "read");
	n = write((int)s.fd, &events, sizeof(events));
	printf("; mask: %zd bytes\n", n);
	return (int)s.fd;
}

/* What a monitor is told, in pieces as small as one likes. */
static void report_monitored(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char line[64] = "", name[16] = "";
	unsigned event = 0, pid = 0;
	size_t n = 0;
	int ready = poll(&p, 1, timeout_ms);
	while (n < sizeof(line) - 1 && (!n || line[n - 1] != '\n') && read(fd, line + n, 1) == 1)
		n++;
	sscanf(line, "%x %x:%15s\n", &event, &pid, name);
	printf("monitored: %d ready, event %u of %s, process %s\n", ready, event,
	       pid == (unsigned)getpid() ? "this one"
	       : pid			 ? "another one"
					 : "none",
	       name);
}

static void load_code(const char *path, char *code)
{
	/* the descriptor, then the code at the next multiple of 256 */
	const uint64_t entry = 256;
	uint32_t *kd = (uint32_t *)(void *)code;
	FILE *f = fopen(path, "rb");
	must(f && fread(code + entry, 1, PAGE_B - entry, f) > 0, path);
	fclose(f);
	memcpy(kd + 4, &entry, 8);
	kd[12] = 1 | 0xc0 << 12 | 1u << 29 | 1u << 30; /* 16 VGPRs */
	kd[13] = 2 << 1 | 1 << 7;		       /* two user SGPRs, the group's x */
	kd[14] = 1 << 3 | 1 << 10;		       /* kernel arguments, wave32 */
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5)
		return 2;
	const char *what = argc == 5 ? argv[4] : "";
	setvbuf(stdout, NULL, _IONBF, 0);
	open_gpu((uint32_t)strtoul(argv[2], NULL, 0), argv[3]);

	uint64_t page_handle;
	uint32_t slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	uint32_t event = create_event(page_handle, EVENT_SIGNAL, &slot);
	char *object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	struct packet *ring = allocate(RING_B, SHARED | MEM_USERPTR, NULL);
	char *code = allocate(PAGE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	uint64_t data_handle;
	char *data = allocate(4 * PAGE_B, SHARED | MEM_GTT, &data_handle);
	struct signal *signal = (void *)data;
	uint64_t *arguments = (void *)(data + 256);
	volatile uint32_t *go = (void *)(data + 512);
	uint32_t *out = (void *)(data + PAGE_B);

	load_code(argv[1], code);
	for (unsigned i = 0; i < RING_B / sizeof(*ring); i++)
		ring[i].header = 1; /* invalid */
	*(uint32_t *)(void *)(object + 0x88) = 0x80;
	uint64_t *doorbell, *write_id = (void *)(object + 0x38);
	volatile uint64_t *read_id = (void *)(object + 0x80);
	uint64_t *payload = (void *)(data + 640);
	uint32_t error_slot, error_event = create_event(0, EVENT_SIGNAL, &error_slot);
	struct save_header header = {.debug_offset = SAVE_B,
				     .debug_b = DEBUG_B,
				     .payload = (uint64_t)(uintptr_t)payload,
				     .event = error_event};
	uint32_t queue = create_queue(ring, object, header, &doorbell);
	printf("queue made\n");

	*signal = (struct signal){.kind = 1, .value = 1, .event = event};
	signal->mailbox = (uint64_t)(uintptr_t)(events + slot);
	arguments[0] = (uint64_t)(uintptr_t)out;
	if (!strcmp(what, "imported"))
		arguments[0] = (uint64_t)(uintptr_t)import_again(data_handle, 4 * PAGE_B) + PAGE_B;
	arguments[1] = (uint64_t)(uintptr_t)go;
	*go = 1;
	ring[0] = (struct packet){
		.header = 1,
		.setup = 1,
		.group = {64, 1, 1},
		.grid = {N, 1, 1},
		.kernel_object = (uint64_t)(uintptr_t)code,
		.kernarg = (uint64_t)(uintptr_t)arguments,
		.completion = (uint64_t)(uintptr_t)signal,
	};
	*write_id = 1;
	/* a kernel dispatch; acquires and releases for the system */
	__atomic_store_n(&ring[0].header, 2 | 2 << 9 | 2 << 11, __ATOMIC_RELEASE);
	__atomic_store_n(doorbell, 0, __ATOMIC_SEQ_CST);
	report(event, signal, out, read_id);

	/* one that waits for ever: the queue is destroyed with its waves */
	int is_bad_packet = !strcmp(what, "bad-packet");
	go[0] = go[1] = 0;
	signal->value = 1;
	memset(out, 0, N * sizeof(*out));
	ring[1] = ring[0];
	if (!strcmp(what, "bad-kernel"))
		ring[1].kernel_object = 0x123456789000;
	int monitors[2] = {-1, -1};
	if (!strcmp(what, "monitored")) {
		enum { VM_FAULT = 1, GPU_RESET = 3 };
		monitors[0] = open_monitor(1u << (VM_FAULT - 1));
		monitors[1] = open_monitor(1u << (GPU_RESET - 1));
		arguments[0] = 0x123456789000;
		*go = 1;
	}
	int is_paused = !strcmp(what, "paused");
	if (is_paused) {
		*go = 1;
		set_share(queue, ring, 0);
	}
	if (!strcmp(what, "moved")) {
		struct packet *other = allocate(RING_B, SHARED | MEM_USERPTR, NULL);
		memcpy(other, ring, RING_B);
		memset(ring, 0, RING_B);
		ring = other;
		*go = 1;
		set_share(queue, ring, 100);
	}
	*write_id = 2;
	__atomic_store_n(&ring[1].header, (is_bad_packet ? 77 : 2) | 2 << 9 | 2 << 11,
			 __ATOMIC_RELEASE);
	__atomic_store_n(doorbell, 1, __ATOMIC_SEQ_CST);
	if (!strncmp(what, "bad-", 4)) {
		int heard = wait_for(error_event);
		printf("error event %s, payload %#" PRIx64 "\n", heard ? "came" : "missed",
		       *payload);
		return 0;
	}
	if (monitors[0] >= 0) {
		report_monitored(monitors[0], 20000);
		report_monitored(monitors[1], 0);
		return 0;
	}
	usleep(300000);
	if (is_paused) {
		printf("paused, signal %" PRId64 ", %u waves begun, read index %" PRIu64 "\n",
		       signal->value, go[1], *read_id);
		set_share(queue, ring, 100);
		report(event, signal, out, read_id);
		return 0;
	}
	if (!strcmp(what, "drained"))
		drain(queue, ring, go, signal, read_id);
	if (!strcmp(what, "drained") || !strcmp(what, "moved")) {
		report(event, signal, out, read_id);
		return 0;
	}
	if (!strcmp(what, "evicted")) {
		evict(queue, ring, go, signal);
		report(event, signal, out, read_id);
		return 0;
	}
	if (!strcmp(what, "killed"))
		raise(SIGKILL);
	struct destroy_queue d = {.queue_id = queue};
	call(DESTROY_QUEUE, &d, "DESTROY_QUEUE");
	printf("queue destroyed with its waves\n");

	return 0;
}
