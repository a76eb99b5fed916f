/* SPDX-License-Identifier: MIT */
#include "agent/gpu/kfd_trap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/clocks/thread.h"
#include "agent/gpu/kfd.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "base/util.h"

/* What KFD tells its debugger first, and the program when its debugger passes it on: page faults,
 * and RUNTIME_ENABLE, which returns then. */
#define FAULT BW_KFD_EC_MASK(BW_KFD_EC_DEVICE_MEMORY_VIOLATION)
#define RUNTIME BW_KFD_EC_MASK(BW_KFD_EC_PROCESS_RUNTIME)

static struct {
	pthread_mutex_t lock;
	struct bw_agent_file *kfd; /* the kernel's, with a reference; NULL: there is none */
	const struct bw_agent_file *vm;
	uint32_t gpu_id;
	uint64_t tba, tma;     /* the program's */
	bool is_ours;	       /* the debugger's is set */
	bool is_self_debugged; /* by KFD's calls */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- KFD's debug calls, of the process for itself; the lock is held ---- */

static int debug_call(uint32_t op, struct bw_kfd_dbg_trap *a)
{
	a->pid = (uint32_t)getpid();
	a->op = op;
	return bw_agent_ioctl(g.kfd, BW_KFD_IOC_DBG_TRAP, a);
}

static void send_to_runtime(uint64_t exceptions, uint32_t gpu_id, uint32_t queue_id)
{
	struct bw_kfd_dbg_trap a = {
		.event = {.exception_mask = exceptions, .gpu_id = gpu_id, .queue_id = queue_id}};
	int r = debug_call(BW_KFD_DBG_SEND_RUNTIME_EVENT, &a);
	if (r)
		BW_LOG(WARN, "agent", "KFD does not pass on event 0x%llx: %s",
		       (unsigned long long)exceptions, strerror(-r));
}

/* Passes on the events of these kinds that have come. */
static void pass_on(uint64_t kinds)
{
	uint64_t now = kinds;
	while (now && g.is_self_debugged) {
		struct bw_kfd_dbg_trap a = {.event = {.exception_mask = kinds}};
		int r = debug_call(BW_KFD_DBG_QUERY_DEBUG_EVENT, &a); /* the mask: what to clear */
		now = r ? 0 : a.event.exception_mask & kinds;
		if (now)
			send_to_runtime(now, a.event.gpu_id, a.event.queue_id);
	}
}

static void pass_on_locked(uint64_t kinds)
{
	pthread_mutex_lock(&g.lock);
	pass_on(kinds);
	pthread_mutex_unlock(&g.lock);
}

/* Reads what KFD writes for each event, until KFD has closed its end. */
static void *follow_events(void *cookie)
{
	int fd = (int)(intptr_t)cookie;
	char one;
	ssize_t n;
	while ((n = read(fd, &one, 1)) == 1 || (n < 0 && errno == EINTR)) {
		pass_on_locked(RUNTIME);
		/* A debugger has stopped the waves of the fault: the program hears of it when
		 * they have ended. */
		bw_aql_await_ends();
		pass_on_locked(FAULT | RUNTIME);
	}
	bw_agent_fd_close(&fd);
	return NULL;
}

static int begin_self_debugging(void)
{
	struct bw_kfd_runtime_info info;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	struct bw_kfd_dbg_trap a = {.enable = {.exception_mask = FAULT | RUNTIME,
					       .rinfo_ptr = (uintptr_t)&info,
					       .rinfo_size = sizeof(info),
					       .dbg_fd = (uint32_t)ends[1]}};
	int from = bw_agent_fd_keep(ends[0]);
	int r = debug_call(BW_KFD_DBG_ENABLE, &a);
	close(ends[1]); /* KFD has its own reference */
	if (!r) {
		r = bw_thread_start(follow_events, (void *)(intptr_t)from);
		if (r)
			debug_call(BW_KFD_DBG_DISABLE, &(struct bw_kfd_dbg_trap){0});
	}
	if (r)
		bw_agent_fd_close(&from);
	return r;
}

static void end_self_debugging(void)
{
	if (!g.is_self_debugged)
		return;
	pass_on(FAULT | RUNTIME);
	debug_call(BW_KFD_DBG_DISABLE, &(struct bw_kfd_dbg_trap){0});
	g.is_self_debugged = false;
}

/* ---- the handler ---- */

/* The lock is held. */
static int set_handler(uint64_t tba, uint64_t tma)
{
	struct kfd_ioctl_set_trap_handler_args a = {
		.tba_addr = tba, .tma_addr = tma, .gpu_id = g.gpu_id};
	return bw_agent_ioctl(g.kfd, AMDKFD_IOC_SET_TRAP_HANDLER, &a);
}

int bw_kfd_trap_set(const struct bw_agent_file *vm, uint64_t tba, uint64_t tma)
{
	pthread_mutex_lock(&g.lock);
	int r = g.kfd && g.vm == vm ? set_handler(tba, tma) : -ENOTSUP;
	if (!r) {
		g.is_ours = true;
		int e = begin_self_debugging();
		g.is_self_debugged = !e;
		if (e)
			BW_LOG(WARN, "agent",
			       "KFD does not let the program debug itself (%s): waves that it takes "
			       "off the GPU pass breakpoints afterwards",
			       strerror(-e));
	}
	pthread_mutex_unlock(&g.lock);
	return r;
}

void bw_kfd_trap_reset(const struct bw_agent_file *vm)
{
	pthread_mutex_lock(&g.lock);
	if (g.is_ours && g.vm == vm) {
		end_self_debugging();
		int r = set_handler(g.tba, g.tma);
		if (r)
			BW_LOG(WARN, "agent", "the program's trap handler is not set again: %s",
			       strerror(-r));
		g.is_ours = false;
	}
	pthread_mutex_unlock(&g.lock);
}

int bw_kfd_trap_program_sets(struct bw_agent_file *kfd, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_set_trap_handler_args a;
	bool is_known = bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a));
	pthread_mutex_lock(&g.lock);
	bool is_same = is_known && g.kfd && a.gpu_id == g.gpu_id;
	int r = is_same && g.is_ours ? 0 : bw_agent_ioctl(kfd, cmd, arg);
	if (is_same && !r) {
		g.tba = a.tba_addr;
		g.tma = a.tma_addr;
	}
	pthread_mutex_unlock(&g.lock);
	return r;
}

void bw_kfd_trap_begin(struct bw_agent_file *kfd, const struct bw_agent_file *vm, uint32_t gpu_id)
{
	if (kfd->own_fd < 0)
		return; /* the virtual GPU's own driver */
	bw_agent_file_ref(kfd);
	pthread_mutex_lock(&g.lock);
	g.kfd = kfd;
	g.vm = vm;
	g.gpu_id = gpu_id;
	pthread_mutex_unlock(&g.lock);
}

void bw_kfd_trap_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	g.kfd = NULL; /* the reference is its parent's */
	g.vm = NULL;
	g.tba = g.tma = 0;
	g.is_ours = g.is_self_debugged = false;
}
