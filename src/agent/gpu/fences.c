/* SPDX-License-Identifier: MIT */
#include "agent/gpu/fences.h"

#include <drm.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "agent/clocks/thread.h"
#include "agent/debugger/debugger.h"

enum { MAX_AT_ONCE = 256 };

struct fence_wait {
	struct fence_wait *next;
	struct bw_agent_file *file; /* a reference */
	struct bw_attach_left *job; /* memory its waves may need; NULL: none */
	uint32_t submission;	    /* 0: not shown to the debugger */
	bool tells_failure;
	struct drm_amdgpu_wait_cs_in in;
};

/* Waits for fences that have not ended. The lock protects the list and `submission` of its
 * members. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Taken before `lock`, and held while an end is reported: a program that exits meanwhile waits for
 * the message. Not taken at a fork, which may hold the connection's lock. */
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
static struct fence_wait *first;

/* Takes it off the list, so that its number cannot change any more. */
static uint32_t take_off(struct fence_wait *w)
{
	pthread_mutex_lock(&lock);
	for (struct fence_wait **at = &first; *at; at = &(*at)->next) {
		if (*at == w) {
			*at = w->next;
			break;
		}
	}
	uint32_t number = w->submission;
	pthread_mutex_unlock(&lock);
	return number;
}

/* EINVAL: the program has freed the context already, so it knows that the job is done. */
static void report(const struct fence_wait *w, uint32_t number, int result)
{
	if (result == -EINVAL)
		result = 0;
	const struct bw_agent_failed failed = {.submission = number,
					       .file = w->file->number,
					       .result = result,
					       .is_sdma = w->in.ip_type == AMDGPU_HW_IP_DMA};
	/* ENODEV: the whole GPU is gone, which the debugger sees for itself */
	if (result && result != -ENODEV && w->tells_failure)
		bw_debugger_failed(&failed);
	if (number)
		bw_debugger_done(number, result);
}

static void *wait_thread(void *cookie)
{
	struct fence_wait *w = cookie;
	union drm_amdgpu_wait_cs a;
	int r;
	do {
		a = (union drm_amdgpu_wait_cs){.in = w->in};
		r = bw_agent_ioctl(w->file, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
	} while (r == -EINTR || r == -EAGAIN || (!r && a.out.status));
	pthread_mutex_lock(&telling);
	report(w, take_off(w), r);
	pthread_mutex_unlock(&telling);
	bw_debugger_job_ended(w->job);
	bw_agent_file_unref(w->file);
	free(w);
	return NULL;
}

void bw_fence_wait(struct bw_agent_file *f, const struct drm_amdgpu_wait_cs_in *in,
		   struct bw_attach_left *job, uint32_t number)
{
	struct fence_wait *w = malloc(sizeof(*w));
	if (!w)
		return;
	*w = (struct fence_wait){NULL, f, job, number, bw_debugger_is_connected(), *in};
	w->in.timeout = INT64_MAX;
	bw_agent_file_ref(f);
	pthread_mutex_lock(&lock);
	w->next = first;
	first = w;
	pthread_mutex_unlock(&lock);
	if (bw_thread_start(wait_thread, w)) {
		/* its end will not be noticed, so what it may use is never freed */
		take_off(w);
		bw_agent_file_unref(f);
		free(w);
	}
}

static bool is_same(const struct drm_amdgpu_wait_cs_in *a, const struct drm_amdgpu_wait_cs_in *b)
{
	return a->handle == b->handle && a->ctx_id == b->ctx_id && a->ip_type == b->ip_type &&
	       a->ip_instance == b->ip_instance && a->ring == b->ring;
}

void bw_fence_wait_again(struct bw_agent_file *f, const struct drm_amdgpu_wait_cs_in *in,
			 uint32_t number)
{
	pthread_mutex_lock(&lock);
	struct fence_wait *w = first;
	while (w && (w->file != f || !is_same(&w->in, in)))
		w = w->next;
	if (w) {
		w->submission = number;
		w->tells_failure = true;
	}
	pthread_mutex_unlock(&lock);
	if (!w)
		bw_fence_wait(f, in, NULL, number);
}

/* Reports those that have ended by now; only_failures: of these, those that failed. */
static void report_ended(bool only_failures)
{
	struct {
		struct fence_wait *w;
		uint32_t number;
		int result;
	} ended[MAX_AT_ONCE];
	size_t n = 0;
	pthread_mutex_lock(&telling);
	pthread_mutex_lock(&lock);
	for (struct fence_wait *w = first; w && n < MAX_AT_ONCE; w = w->next) {
		union drm_amdgpu_wait_cs a = {.in = w->in};
		a.in.timeout = 0; /* only look */
		if (!w->tells_failure && (only_failures || !w->submission))
			continue;
		int r = bw_agent_ioctl(w->file, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
		if (r == -EINTR || r == -EAGAIN || (!r && (a.out.status || only_failures)))
			continue;
		ended[n].w = w;
		ended[n].number = w->submission;
		ended[n++].result = r;
		w->submission = 0;
	}
	pthread_mutex_unlock(&lock);
	/* none is taken off and freed meanwhile */
	for (size_t i = 0; i < n; i++) {
		report(ended[i].w, ended[i].number, ended[i].result);
		ended[i].w->tells_failure = false;
	}
	pthread_mutex_unlock(&telling);
}

void bw_fence_settle(void)
{
	if (!bw_debugger_is_connected())
		return;
	report_ended(true);
	bw_debugger_await_failures();
}

/* The program exits: its threads end wherever they are. */
static __attribute__((destructor)) void at_exit(void)
{
	if (!bw_debugger_is_connected())
		return;
	report_ended(false);
	bw_debugger_await_failures();
}

void bw_fence_fork_prepare(void)
{
	pthread_mutex_lock(&lock);
}

void bw_fence_fork_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* The child has none of these threads. Files and attachments are the parent's. */
void bw_fence_fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&telling, NULL);
	while (first) {
		struct fence_wait *w = first;
		first = w->next;
		free(w);
	}
}
