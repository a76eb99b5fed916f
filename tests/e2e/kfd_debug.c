/* SPDX-License-Identifier: MIT */
/* KFD's debug calls: a program's parent traces it and debugs it by them, without any register. What
 * the calls answer is printed; tests/linux/test_driver.py runs the same in the guest.
 *
 * Usage: kfd_debug CODE GPU_ID RENDER_NODE [gone]; CODE is the text of kfd.s. "gone": the debugger
 * is killed while the program's queue is off the GPU, and the program goes on. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "kfd_calls.h"

enum {
	ENABLE,
	DISABLE,
	SEND_RUNTIME_EVENT,
	SET_EXCEPTIONS_ENABLED,
	LAUNCH_OVERRIDE,
	LAUNCH_MODE,
	SUSPEND,
	RESUME,
	SET_WATCH,
	CLEAR_WATCH,
	SET_FLAGS,
	QUERY_EVENT,
	QUERY_INFO,
	QUEUE_SNAPSHOT,
	DEVICE_SNAPSHOT,
	NO_SUCH_OP,
};
#define EC(code) (1ull << ((code) - 1))
enum { WAVE_TRAP = 2, QUEUE_NEW = 31, RUNTIME = 48 };
enum { N = 1000, N_WAVES = 32, MARKS = 3 << 30 };

struct dbg_trap {
	uint32_t pid, op;
	union {
		uint64_t q[3];
		uint32_t d[6];
	};
};
#define DBG_TRAP KFD_CALL(KFD_READ_WRITE, 0x26, dbg_trap)
struct queue_entry {
	uint64_t exceptions, ring, write_pointer, read_pointer, save_area;
	uint32_t id, gpu_id, ring_b, type, save_b, reserved;
};
struct device_entry {
	uint64_t exceptions, apertures[6];
	uint32_t words[16];
};
enum { FIRMWARE = 7 }; /* of words */

/* Of both processes. */
struct shared {
	volatile uint32_t *go; /* of the kernel; the next word counts waves that have begun */
	const volatile struct signal *signal;
	_Atomic uint32_t is_running, may_tell;
};

static pid_t child;

static long op(uint32_t which, struct dbg_trap *a)
{
	a->pid = (uint32_t)child;
	a->op = which;
	long r = ioctl(kfd, DBG_TRAP, a);
	return r < 0 ? -errno : r;
}

#define OP(which, ...)                                                                             \
	({                                                                                         \
		a = (struct dbg_trap){__VA_ARGS__};                                                \
		long result_ = op(which, &a);                                                      \
		printf(#which ": %ld\n", result_);                                                 \
		result_;                                                                           \
	})
#define Q .q
#define D .d

/* ---- the program ---- */

static void load_code(const char *path, char *code)
{
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

/* As kfd.c, after the runtime has told KFD that it is there. */
static int run_kernel(char **argv, struct shared *s)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	open_gpu((uint32_t)strtoul(argv[2], NULL, 0), argv[3]);
	struct runtime_enable on = {.r_debug = 0x12345678, .mode_mask = 3};
	call(RUNTIME_ENABLE, &on, "RUNTIME_ENABLE");

	uint64_t page_handle;
	uint32_t slot, error_slot;
	uint64_t *events = allocate(EVENTS_B, SHARED | MEM_GTT, &page_handle);
	uint32_t event = create_event(page_handle, EVENT_SIGNAL, &slot);
	char *object = allocate(PAGE_B, SHARED | MEM_GTT, NULL);
	struct packet *ring = allocate(RING_B, SHARED | MEM_USERPTR, NULL);
	char *code = allocate(PAGE_B, COMMON | MEM_VRAM | MEM_PUBLIC, NULL);
	/* the program's own memory, in which its debugger reads and writes */
	char *data = allocate(4 * PAGE_B, SHARED | MEM_USERPTR, NULL);
	struct signal *signal = (void *)data;
	uint64_t *arguments = (void *)(data + 256), *doorbell;
	uint32_t *out = (void *)(data + PAGE_B);
	load_code(argv[1], code);
	for (unsigned i = 0; i < RING_B / sizeof(*ring); i++)
		ring[i].header = 1; /* invalid */
	*(uint32_t *)(void *)(object + 0x88) = 0x80;
	struct save_header header = {.debug_offset = SAVE_B,
				     .debug_b = DEBUG_B,
				     .payload = (uint64_t)(uintptr_t)(data + 640),
				     .event = create_event(0, EVENT_SIGNAL, &error_slot)};
	create_queue(ring, object, header, &doorbell);
	*signal = (struct signal){.kind = 1, .value = 1, .event = event};
	signal->mailbox = (uint64_t)(uintptr_t)(events + slot);
	s->signal = signal;
	s->go = (void *)(data + 512);
	arguments[0] = (uint64_t)(uintptr_t)out;
	arguments[1] = (uint64_t)(uintptr_t)s->go;
	ring[0] = (struct packet){.header = 1,
				  .setup = 1,
				  .group = {64, 1, 1},
				  .grid = {N, 1, 1},
				  .kernel_object = (uint64_t)(uintptr_t)code,
				  .kernarg = (uint64_t)(uintptr_t)arguments,
				  .completion = (uint64_t)(uintptr_t)signal};
	*(uint64_t *)(void *)(object + 0x38) = 1;
	__atomic_store_n(&ring[0].header, 2 | 2 << 9 | 2 << 11, __ATOMIC_RELEASE);
	__atomic_store_n(doorbell, 0, __ATOMIC_SEQ_CST);
	while (s->go[1] != N_WAVES)
		usleep(1000);
	s->is_running = 1;
	int came = wait_for(event);
	unsigned wrong = 0;
	while (!s->may_tell) /* one prints after the other */
		usleep(1000);
	for (unsigned i = 0; i < N; i++)
		wrong += out[i] != 3 * i + 7;
	printf("program: event %s, signal %" PRId64 ", %u of %u wrong, %u waves begun\n",
	       came ? "came" : "missed", signal->value, wrong, N, s->go[1]);
	return 0;
}

/* ---- the debugger ---- */

static void peek(const volatile void *at, void *out, size_t size_b)
{
	struct iovec to = {out, size_b}, from = {(void *)(uintptr_t)at, size_b};
	must(process_vm_readv(child, &to, 1, &from, 1, 0) == (ssize_t)size_b, "process_vm_readv");
}

/* Waits until KFD has written to the pipe. */
static void await_event(int fd)
{
	char bytes[16];
	struct pollfd p = {fd, POLLIN, 0};
	int n = poll(&p, 1, WAIT_MS) > 0 ? (int)read(fd, bytes, sizeof(bytes)) : 0;
	printf("events: %s\n", n > 0 && bytes[0] == '.' ? "told" : "none");
}

static void await_runtime(int fd)
{
	struct dbg_trap a;
	struct {
		uint64_t r_debug;
		uint32_t state, ttmps;
	} info = {0};
	OP(SUSPEND); /* the runtime is not there */
	ptrace(PTRACE_CONT, child, 0, 0);
	await_event(fd);
	OP(QUERY_EVENT, Q = {0});
	printf("exceptions %" PRIx64 " of queue %u, GPU %u\n", a.q[0], a.d[3], a.d[2]);
	OP(QUERY_INFO, D = {0, 0, sizeof(info), 0, RUNTIME, 1}); /* no pointer */
	uint64_t to = (uint64_t)(uintptr_t)&info;
	OP(QUERY_INFO, D = {(uint32_t)to, (uint32_t)(to >> 32), sizeof(info), 0, RUNTIME, 1});
	printf("runtime %" PRIx64 " state %u TTMPs %u, %u bytes\n", info.r_debug, info.state,
	       info.ttmps, a.d[2]);
	OP(QUERY_INFO, D = {(uint32_t)to, (uint32_t)(to >> 32), sizeof(info), 0, RUNTIME, 1});
	OP(QUERY_INFO, D = {(uint32_t)to, (uint32_t)(to >> 32), sizeof(info), 0, 60, 1});
	OP(QUERY_INFO, D = {(uint32_t)to, (uint32_t)(to >> 32), sizeof(info), 77, WAVE_TRAP, 1});
	OP(QUERY_EVENT, Q = {0});
	OP(SEND_RUNTIME_EVENT, Q = {EC(RUNTIME)});
	await_event(fd); /* the new queue */
}

static void let_go(struct shared *s)
{
	uint32_t one = 1;
	struct iovec from = {&one, 4}, go = {(void *)(uintptr_t)s->go, 4};
	must(process_vm_writev(child, &from, 1, &go, 1, 0) == 4, "process_vm_writev");
}

static void take_away_and_die(struct shared *s)
{
	struct dbg_trap a;
	struct queue_entry e = {0};
	uint32_t id = 0;
	OP(QUEUE_SNAPSHOT, Q = {EC(QUEUE_NEW), (uint64_t)(uintptr_t)&e, 1 | 64ull << 32});
	OP(SUSPEND, Q = {0, (uint64_t)(uintptr_t)&id, 1});
	let_go(s);
	raise(SIGKILL);
}

/* The parent of the debugger, and then of the program. */
static void await_both(struct shared *s)
{
	int status;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!fork())
		return;
	for (int i = 0; i < 2; i++) {
		if (wait(&status) > 0)
			printf("ended: %x\n", status);
		s->may_tell = 1;
	}
	exit(0);
}

/* The queue's kernel runs, and waits. */
static void take_away(struct shared *s)
{
	struct dbg_trap a;
	struct queue_entry e[2] = {{0}};
	struct save_header h;
	uint32_t ids[2] = {0, 5};
	uint64_t to = (uint64_t)(uintptr_t)ids, entries = (uint64_t)(uintptr_t)e;
	OP(SUSPEND, Q = {0, to, 2});
	printf("ids %x %x\n", ids[0], ids[1]); /* not before its debugger knows it */
	OP(QUEUE_SNAPSHOT, Q = {0, entries, 0 | (uint64_t)sizeof(e[0]) << 32});
	printf("%u queues of %u bytes\n", a.d[4], a.d[5]);
	OP(QUEUE_SNAPSHOT, Q = {EC(QUEUE_NEW), entries, 2 | 1000ull << 32});
	printf("%u queues of %u bytes: exceptions %" PRIx64 " id %u ring %u type %u area %u\n",
	       a.d[4], a.d[5], e[0].exceptions, e[0].id, e[0].ring_b, e[0].type, e[0].save_b);
	OP(QUERY_EVENT, Q = {0});
	OP(SUSPEND, Q = {0, 8, 1});
	ids[0] = 0, ids[1] = 5;
	OP(SUSPEND, Q = {0, to, 2});
	printf("ids %x %x\n", ids[0], ids[1]);
	peek((void *)(uintptr_t)e[0].save_area, &h, sizeof(h));
	printf("saved waves: %u bytes up to %x, debug area %x %x\n", h.offsets[3], h.offsets[2],
	       h.debug_offset, h.debug_b);
	printf("the stack is %s\n", h.offsets[1] && h.offsets[0] + h.offsets[1] == CONTROL_STACK_B
					    ? "there"
					    : "not there");
	let_go(s);
	usleep(200000);
	struct signal signal;
	peek(s->signal, &signal, sizeof(signal));
	printf("meanwhile: signal %" PRId64 "\n", signal.value);
	OP(SUSPEND, Q = {0, to, 1}); /* again */
	printf("ids %x\n", ids[0] & (uint32_t)MARKS);
	OP(RESUME, Q = {to, 2});
	printf("ids %x %x\n", ids[0], ids[1]);
}

static void set_what_waves_get(void)
{
	struct dbg_trap a;
	for (uint32_t mode = 0; mode < 5; mode++)
		OP(LAUNCH_MODE, D = {mode});
	OP(LAUNCH_MODE, D = {0});
	OP(LAUNCH_OVERRIDE, D = {0, 0x80, 0x80});
	printf("before %x, possible %x\n", a.d[1], a.d[2]);
	OP(LAUNCH_OVERRIDE, D = {1, 0, 0x80});
	printf("before %x\n", a.d[1]);
	OP(LAUNCH_OVERRIDE, D = {0, 0, 1u << 30});
	OP(LAUNCH_OVERRIDE, D = {2, 0, 0});
	for (uint32_t i = 0; i < 5; i++)
		if (!OP(SET_WATCH, D = {0x1000 * i, 0x7f00, 1, 0xffffff80, gpu}))
			printf("watchpoint %u\n", a.d[5]);
	OP(SET_WATCH, D = {0, 0, 1, 0, gpu + 1});
	OP(CLEAR_WATCH, D = {gpu, 4});
	OP(CLEAR_WATCH, D = {gpu, 2});
	OP(CLEAR_WATCH, D = {gpu, 2});
	OP(SET_FLAGS, D = {1});
	OP(SET_FLAGS, D = {0});
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	struct shared *s =
		mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, ends[2];
	must(s != MAP_FAILED && !pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe");
	if (argc == 5)
		await_both(s);
	child = fork();
	if (!child)
		return run_kernel(argv, s);
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	must(kfd >= 0, "/dev/kfd");
	gpu = (uint32_t)strtoul(argv[2], NULL, 0);
	waitpid(child, &status, 0);

	struct dbg_trap a;
	struct device_entry d = {0};
	uint64_t info[2] = {7, 7}, to = (uint64_t)(uintptr_t)info;
	OP(QUERY_EVENT);
	OP(ENABLE, Q = {~0ull, to, sizeof(info) | 999ull << 32});
	OP(ENABLE, Q = {EC(RUNTIME) | EC(QUEUE_NEW), to, 100 | (uint64_t)ends[1] << 32});
	printf("runtime %" PRIx64 " %" PRIx64 ", %u bytes\n", info[0], info[1], a.d[4]);
	OP(ENABLE, Q = {0, to, sizeof(info) | (uint64_t)ends[1] << 32});
	await_runtime(ends[0]);
	OP(NO_SUCH_OP);
	OP(DEVICE_SNAPSHOT, Q = {0, 0, 1});
	OP(DEVICE_SNAPSHOT, Q = {0, (uint64_t)(uintptr_t)&d, 3 | 1000ull << 32});
	printf("%u devices of %u bytes: GPU %s", a.d[4], a.d[5],
	       d.words[0] == gpu ? "right" : "wrong");
	for (unsigned i = 0; i < 6; i++)
		printf(" %" PRIx64, d.apertures[i]);
	for (unsigned i = 2; i < 16; i++)
		if (i != FIRMWARE) /* another one in the guest */
			printf(" %x", d.words[i]);
	printf("\n");
	while (!s->is_running)
		usleep(1000);
	if (argc == 5)
		take_away_and_die(s);
	set_what_waves_get();
	take_away(s);
	s->may_tell = 1;
	waitpid(child, &status, 0);
	OP(QUERY_EVENT);
	printf("the program has ended: %x\n", status);
	return 0;
}
