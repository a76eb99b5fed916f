/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/breadcrumbs/crumbs.h"
#include "agent/capture/capture.h"
#include "agent/clocks/clock.h"
#include "agent/debugger/debugger.h"
#include "agent/gpu/kfd.h"
#include "agent/gpu/fences.h"
#include "agent/gpu/submit.h"
#include "agent/memory/cpu_writes.h"
#include "agent/memory/stomp.h"
#include "agent/memory/track.h"
#include "agent/names/descriptors.h"
#include "agent/names/names.h"
#include "agent/opencl/launches.h"
#include "agent/shaders/code_swap.h"
#include "agent/shaders/shaders.h"

/* Untouched pages of this table cost nothing. A program with more descriptors than this gets EMFILE
 * for a GPU's, and only for a GPU's. */
enum { FDS_MAX = 1 << 16, OWN_FDS_FROM = 700 };

static _Atomic(struct bw_agent_file *) table[FDS_MAX];
static atomic_bool own[FDS_MAX];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t table_pid; /* 0 until the first entry */

bool bw_agent_owns_table(void)
{
	return !table_pid || table_pid == getpid();
}

bool bw_agent_fd_is_gpu(int fd)
{
	return fd >= 0 && fd < FDS_MAX && atomic_load(&table[fd]);
}

struct bw_agent_file *bw_agent_file_of(int fd)
{
	if (!bw_agent_fd_is_gpu(fd))
		return NULL;
	pthread_mutex_lock(&table_lock);
	struct bw_agent_file *f = atomic_load(&table[fd]);
	if (f)
		atomic_fetch_add(&f->refs, 1);
	pthread_mutex_unlock(&table_lock);
	return f;
}

struct bw_agent_file *bw_agent_live_of(int fd)
{
	struct bw_agent_file *f = bw_agent_file_of(fd);
	if (f && f->live)
		return f;
	bw_agent_file_unref(f);
	return NULL;
}

void bw_agent_file_ref(struct bw_agent_file *f)
{
	atomic_fetch_add(&f->refs, 1);
}

void bw_agent_file_unref(struct bw_agent_file *f)
{
	if (!f || atomic_fetch_sub(&f->refs, 1) != 1)
		return;
	bw_track_free(f->track);
	bw_agent_capture_forget(f);
	bw_crumbs_forget(f);
	bw_code_swap_forget(f);
	bw_submit_forget(f);
	if (f->own_fd >= 0) {
		bw_agent_fd_close(&f->own_fd);
	} else if (f->owner == getpid() && bw_agent_client()) {
		bw_agent_pages_closed(f->server_file, 0);
		bw_vgpu_close(bw_agent_client(), f->server_file);
	}
	bw_agent_live_free(f->live);
	free(f);
}

bool bw_agent_fd_set(int fd, struct bw_agent_file *f)
{
	if (fd < 0 || fd >= FDS_MAX)
		return false;
	bw_agent_fd_forget(fd);
	pthread_mutex_lock(&table_lock);
	if (!table_pid)
		table_pid = getpid();
	atomic_fetch_add(&f->refs, 1);
	f->n_fds++;
	atomic_store(&table[fd], f);
	pthread_mutex_unlock(&table_lock);
	return true;
}

bool bw_agent_fd_forget(int fd)
{
	if (!bw_agent_fd_is_gpu(fd) || !bw_agent_owns_table())
		return false;
	pthread_mutex_lock(&table_lock);
	struct bw_agent_file *f = atomic_exchange(&table[fd], NULL);
	bool last = f && --f->n_fds == 0;
	pthread_mutex_unlock(&table_lock);
	if (last && !f->live && f->minor != BW_AGENT_KFD)
		bw_debugger_file_closed(f);
	bw_agent_file_unref(f);
	return f;
}

bool bw_agent_fd_is_own(int fd)
{
	return fd >= 0 && fd < FDS_MAX && atomic_load(&own[fd]);
}

void bw_agent_fd_own(int fd, bool is_own)
{
	if (fd >= 0 && fd < FDS_MAX)
		atomic_store(&own[fd], is_own);
}

int bw_agent_fd_keep(int fd)
{
	int high = REAL(fcntl)(fd, F_DUPFD_CLOEXEC, OWN_FDS_FROM);
	if (high >= 0)
		REAL(close)(fd);
	else
		high = fd; /* a low limit on descriptors: it stays where it is */
	bw_agent_fd_own(high, true);
	return high;
}

void bw_agent_fd_close(int *fd)
{
	if (*fd >= 0) {
		bw_agent_fd_own(*fd, false);
		REAL(close)(*fd);
	}
	*fd = -1;
}

int bw_agent_fd_next(int fd)
{
	for (int i = fd < 0 ? 0 : fd; i < FDS_MAX; i++)
		if (atomic_load(&own[i]) || atomic_load(&table[i]))
			return i;
	return -1;
}

/* fork */

static void fork_prepare(void)
{
	pthread_mutex_lock(&table_lock);
	bw_debugger_fork_prepare();
	bw_fence_fork_prepare();
	bw_clock_fork_prepare();
	if (bw_agent_client())
		bw_vgpu_client_fork_prepare(bw_agent_client());
}

static void fork_parent(void)
{
	if (bw_agent_client())
		bw_vgpu_client_fork_parent(bw_agent_client());
	bw_clock_fork_parent();
	bw_fence_fork_parent();
	bw_debugger_fork_parent();
	pthread_mutex_unlock(&table_lock);
	bw_cpu_writes_end(); /* the child may write what both have mapped */
}

static void fork_child(void)
{
	if (bw_agent_client())
		bw_vgpu_client_fork_child(bw_agent_client());
	bw_clock_fork_child();
	bw_debugger_fork_child();
	bw_kfd_fork_child();
	bw_fence_fork_child();
	bw_agent_capture_fork_child();
	bw_cpu_writes_fork_child();
	bw_crumbs_fork_child();
	bw_names_fork_child();
	bw_launches_fork_child();
	bw_shaders_fork_child();
	bw_code_swap_fork_child();
	bw_stomp_fork_child();
	bw_descriptors_fork_child();
	pthread_mutex_init(&table_lock, NULL);
	table_pid = getpid();
	for (int i = 0; i < FDS_MAX; i++) {
		struct bw_agent_file *f = atomic_load(&table[i]);
		if (f)
			bw_track_fork_child(f->track);
	}
}

static __attribute__((constructor)) void set_up_fork(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}
