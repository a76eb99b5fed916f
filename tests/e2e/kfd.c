/* SPDX-License-Identifier: MIT */
/* A kernel dispatched through /dev/kfd by its ioctls alone, as ROCr does it: memory, event, AQL
 * queue, packet, doorbell, and the signal that ends it. Then one that never ends, whose queue is
 * destroyed.
 *
 * Usage: kfd CODE GPU_ID RENDER_NODE [WHAT]; CODE is the text of kfd.s. WHAT comes in place of the
 * last part: "killed" ends the program by a signal while that kernel runs, "bad-packet" and
 * "bad-kernel" give the queue what it cannot execute. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* From linux/kfd_ioctl.h of Linux 6.12, which not every machine has with all that it includes. */
#define KFD_CALL(direction, nr, type) _IOC(direction, 'K', nr, sizeof(struct type))
#define KFD_READ_WRITE (_IOC_READ | _IOC_WRITE)
struct acquire_vm {
	uint32_t drm_fd, gpu_id;
};
struct alloc_memory {
	uint64_t va_addr, size, handle, mmap_offset;
	uint32_t gpu_id, flags;
};
struct map_memory {
	uint64_t handle, device_ids_array_ptr;
	uint32_t n_devices, n_success;
};
struct create_event {
	uint64_t event_page_offset;
	uint32_t event_trigger_data, event_type, auto_reset, node_id, event_id, event_slot_index;
};
struct event_data {
	uint64_t what[4], ext;
	uint32_t event_id, pad;
};
struct wait_events {
	uint64_t events_ptr;
	uint32_t num_events, wait_for_all, timeout, wait_result;
};
struct create_queue {
	uint64_t ring_base_address, write_pointer_address, read_pointer_address, doorbell_offset;
	uint32_t ring_size, gpu_id, queue_type, queue_percentage, queue_priority, queue_id;
	uint64_t eop_buffer_address, eop_buffer_size, ctx_save_restore_address;
	uint32_t ctx_save_restore_size, ctl_stack_size;
};
struct destroy_queue {
	uint32_t queue_id, pad;
};
#define CREATE_QUEUE KFD_CALL(KFD_READ_WRITE, 0x02, create_queue)
#define DESTROY_QUEUE KFD_CALL(KFD_READ_WRITE, 0x03, destroy_queue)
#define CREATE_EVENT KFD_CALL(KFD_READ_WRITE, 0x08, create_event)
#define WAIT_EVENTS KFD_CALL(KFD_READ_WRITE, 0x0c, wait_events)
#define ACQUIRE_VM KFD_CALL(_IOC_WRITE, 0x15, acquire_vm)
#define ALLOC_MEMORY KFD_CALL(KFD_READ_WRITE, 0x16, alloc_memory)
#define MAP_MEMORY KFD_CALL(KFD_READ_WRITE, 0x18, map_memory)
enum {
	QUEUE_TYPE_COMPUTE_AQL = 2,
	EVENT_SIGNAL = 0,
};
#define MEM_VRAM (1u << 0)
#define MEM_GTT (1u << 1)
#define MEM_USERPTR (1u << 2)
#define MEM_UNCACHED (1u << 25)
#define MEM_COHERENT (1u << 26)
#define MEM_NO_SUBSTITUTE (1u << 28)
#define MEM_PUBLIC (1u << 29)
#define MEM_EXECUTABLE (1u << 30)
#define MEM_WRITABLE (1u << 31)

enum {
	PAGE_B = 4096,
	RING_B = 4096, /* 64 packets */
	N = 1000,
	/* cwsr_size, ctl_stack_size and the debugger's area of the node, for 96 CUs of gfx1100
	 * (kfd_queue_ctx_save_restore_size of Linux 6.12) */
	CONTROL_STACK_B = 0xa000,
	SAVE_B = 0x2bea000,
	DEBUG_B = 96 * 32 * 32,
	EVENTS_B = 0x8000,
	DOORBELLS_B = 0x2000,
	WAIT_MS = 120000,
};
#define COMMON (MEM_WRITABLE | MEM_EXECUTABLE | MEM_NO_SUBSTITUTE)
#define SHARED (COMMON | MEM_COHERENT | MEM_UNCACHED)

static int kfd, drm;
static uint32_t gpu;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static void call(unsigned long request, void *args, const char *what)
{
	must(!ioctl(kfd, request, args), what);
}

/* Memory at the same address for both: the kernel's, by its offset in the render node,
 * or of this process (userptr). */
static void *allocate(uint64_t size_b, uint32_t flags, uint64_t *out_handle)
{
	int is_user = (flags & MEM_USERPTR) != 0;
	int is_seen = !is_user && (!(flags & MEM_VRAM) || flags & MEM_PUBLIC);
	uint32_t ids[] = {gpu};
	char *cpu = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(cpu != MAP_FAILED, "mmap");
	struct alloc_memory a = {
		.va_addr = (uint64_t)(uintptr_t)cpu,
		.size = size_b,
		.mmap_offset = is_user ? (uint64_t)(uintptr_t)cpu : 0,
		.gpu_id = gpu,
		.flags = flags,
	};
	call(ALLOC_MEMORY, &a, "ALLOC_MEMORY_OF_GPU");
	if (is_seen)
		must(mmap(cpu, size_b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, drm,
			  (off_t)a.mmap_offset) != MAP_FAILED,
		     "mmap of the render node");
	struct map_memory m = {
		.handle = a.handle,
		.device_ids_array_ptr = (uint64_t)(uintptr_t)ids,
		.n_devices = 1,
	};
	call(MAP_MEMORY, &m, "MAP_MEMORY_TO_GPU");
	if (out_handle)
		*out_handle = a.handle;
	return cpu;
}

struct signal {
	int64_t kind, value;
	uint64_t mailbox;
	uint32_t event, pad;
	uint64_t times[2], queue, pad2;
};
struct packet {
	uint16_t header, setup, group[3], reserved0;
	uint32_t grid[3], private_b, group_b;
	uint64_t kernel_object, kernarg, reserved2, completion;
};

static uint32_t create_event(uint64_t page_handle, uint32_t *out_slot)
{
	struct create_event e = {
		.event_page_offset = page_handle,
		.event_type = EVENT_SIGNAL,
		.auto_reset = 1,
	};
	call(CREATE_EVENT, &e, "CREATE_EVENT");
	*out_slot = e.event_slot_index;
	return e.event_id;
}

/* The header of the area for saved waves: where errors of the queue are written, and what they
 * signal (struct kfd_context_save_area_header). */
struct save_header {
	uint32_t offsets[4], debug_offset, debug_b;
	uint64_t payload;
	uint32_t event, reserved;
};

static uint32_t create_queue(void *ring, char *object, struct save_header header,
			     uint64_t **out_doorbell)
{
	uint64_t total = SAVE_B + DEBUG_B;
	total = (total + PAGE_B - 1) / PAGE_B * PAGE_B;
	void *save = allocate(total, COMMON | MEM_USERPTR | MEM_COHERENT, NULL);
	memcpy(save, &header, sizeof(header));
	void *eop = allocate(PAGE_B, COMMON | MEM_VRAM, NULL);
	struct create_queue c = {
		.ring_base_address = (uint64_t)(uintptr_t)ring,
		.ring_size = RING_B,
		.write_pointer_address = (uint64_t)(uintptr_t)(object + 0x38),
		.read_pointer_address = (uint64_t)(uintptr_t)(object + 0x80),
		.gpu_id = gpu,
		.queue_type = QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100,
		.queue_priority = 7,
		.eop_buffer_address = (uint64_t)(uintptr_t)eop,
		.eop_buffer_size = PAGE_B,
		.ctx_save_restore_address = (uint64_t)(uintptr_t)save,
		.ctx_save_restore_size = SAVE_B,
		.ctl_stack_size = CONTROL_STACK_B,
	};
	call(CREATE_QUEUE, &c, "CREATE_QUEUE");
	/* the page of the process's doorbells, and the place of this one in it */
	uint64_t place = c.doorbell_offset % DOORBELLS_B;
	char *doorbells = mmap(NULL, DOORBELLS_B, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
			       (off_t)(c.doorbell_offset - place));
	must(doorbells != MAP_FAILED, "mmap of doorbells");
	*out_doorbell = (uint64_t *)(void *)(doorbells + place);
	return c.queue_id;
}

static int wait_for(uint32_t event)
{
	struct event_data data = {.event_id = event};
	struct wait_events w = {
		.events_ptr = (uint64_t)(uintptr_t)&data,
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = WAIT_MS,
	};
	call(WAIT_EVENTS, &w, "WAIT_EVENTS");
	return w.wait_result == 0;
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
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	must(kfd >= 0, "/dev/kfd");
	gpu = (uint32_t)strtoul(argv[2], NULL, 0);
	drm = open(argv[3], O_RDWR | O_CLOEXEC);
	must(drm >= 0, argv[3]);
	struct acquire_vm vm = {.drm_fd = (uint32_t)drm, .gpu_id = gpu};
	call(ACQUIRE_VM, &vm, "ACQUIRE_VM");

	uint64_t page_handle;
	uint32_t slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	uint32_t event = create_event(page_handle, &slot);
	char *object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	struct packet *ring = allocate(RING_B, SHARED | MEM_USERPTR, NULL);
	char *code = allocate(PAGE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	char *data = allocate(4 * PAGE_B, SHARED | MEM_GTT, NULL);
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
	uint32_t error_slot, error_event = create_event(0, &error_slot);
	struct save_header header = {.debug_offset = SAVE_B,
				     .debug_b = DEBUG_B,
				     .payload = (uint64_t)(uintptr_t)payload,
				     .event = error_event};
	uint32_t queue = create_queue(ring, object, header, &doorbell);
	printf("queue made\n");

	*signal = (struct signal){.kind = 1, .value = 1, .event = event};
	signal->mailbox = (uint64_t)(uintptr_t)(events + slot);
	arguments[0] = (uint64_t)(uintptr_t)out;
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
	int came = wait_for(event);
	unsigned wrong = 0;
	for (unsigned i = 0; i < N; i++)
		wrong += out[i] != 3 * i + 7;
	printf("event %s, signal %" PRId64 ", %u of %u wrong, read index %" PRIu64 "\n",
	       came ? "came" : "missed", signal->value, wrong, N, *read_id);

	/* one that waits for ever: the queue is destroyed with its waves */
	int is_bad_packet = !strcmp(what, "bad-packet");
	*go = 0;
	ring[1] = ring[0];
	if (!strcmp(what, "bad-kernel"))
		ring[1].kernel_object = 0x123456789000;
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
	usleep(300000);
	if (!strcmp(what, "killed"))
		raise(SIGKILL);
	struct destroy_queue d = {.queue_id = queue};
	call(DESTROY_QUEUE, &d, "DESTROY_QUEUE");
	printf("queue destroyed with its waves\n");

	return 0;
}
