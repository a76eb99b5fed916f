/* SPDX-License-Identifier: MIT */
/* The driver from its creation to its end. */
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "vgpu/device/register_own.h"
#include "vgpu/device/register_window.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/check_output.h"
#include "vgpu/uapi/strict_output.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

static void init_locks(struct bw_uapi *u)
{
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&u->changed, &monotonic);
	pthread_cond_init(&u->kicked, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&u->lock, NULL);
	pthread_mutex_init(&u->kick_lock, NULL);
	pthread_mutex_init(&u->log_lock, NULL);
	pthread_mutex_init(&u->grbm_lock, NULL);
	pthread_mutex_init(&u->kfd.lock, NULL);
}

struct bw_error *bw_uapi_create(const struct bw_profile *profile,
				const struct bw_uapi_options *options, struct bw_uapi **out)
{
	struct bw_uapi *u = calloc(1, sizeof(*u));
	if (!u)
		return bw_error_nomem();
	u->profile = profile;
	u->options = *options;
	u->boot_ns = (uint64_t)bw_now_ns();
	init_locks(u);
	bw_ids_init(&u->magics, 1);
	bw_ids_init(&u->names, 1);
	bw_drm_limits_init(u);
	struct bw_error *err = bw_device_create(profile, &options->device, bw_drm_irq, u, &u->dev);
	if (!err)
		err = bw_own_window(u->dev, &u->window);
	if (!err)
		bw_strict_start(u);
	if (!err)
		bw_check_output_start(u);
	if (!err)
		err = bw_drm_gpu_init(u);
	if (!err)
		err = bw_drm_sched_start(u);
	if (err)
		bw_uapi_destroy(u);
	else
		*out = u;
	return err;
}

/* Ends the connections and waits until their threads, and the jobs of their files, are through. */
static void end_connections(struct bw_uapi *u)
{
	const int64_t patience_ns = 3000000000;
	pthread_mutex_lock(&u->lock);
	u->stopping = true;
	bw_vec_each(&u->socks, sock)
		shutdown(*sock, SHUT_RDWR);
	pthread_cond_broadcast(&u->changed);
	while (u->n_connections)
		pthread_cond_wait(&u->changed, &u->lock);
	int64_t until = bw_now_ns() + patience_ns;
	while (u->vms.len && u->worker_runs && bw_now_ns() < until) {
		struct timespec t = {(bw_now_ns() + 10000000) / 1000000000,
				     (bw_now_ns() + 10000000) % 1000000000};
		pthread_cond_timedwait(&u->changed, &u->lock, &t);
		bw_drm_kick(u);
	}
	pthread_mutex_unlock(&u->lock);
}

void bw_uapi_destroy(struct bw_uapi *u)
{
	if (!u)
		return;
	end_connections(u);
	bw_kfd_stop(u);
	bw_drm_sched_stop(u);
	bw_drm_sync_fds_fini(u);
	bw_drm_events_fini(u);
	bw_kfd_smi_fini(u);
	bw_register_window_free(u->window);
	if (u->dev)
		bw_device_destroy(u->dev);
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		bw_pm4_stream_free(&u->rings[i].stream);
	bw_vec_free(&u->vram);
	bw_vec_free(&u->gtt);
	bw_vec_free(&u->fake);
	bw_ids_fini(&u->magics);
	bw_ids_fini(&u->names);
	bw_drm_bos_fini(u);
	bw_vec_free(&u->vms);
	bw_vec_free(&u->waiting);
	bw_vec_free(&u->clients);
	bw_vec_free(&u->socks);
	bw_str_free(&u->log);
	pthread_cond_destroy(&u->changed);
	pthread_cond_destroy(&u->kicked);
	pthread_mutex_destroy(&u->lock);
	pthread_mutex_destroy(&u->kick_lock);
	pthread_mutex_destroy(&u->log_lock);
	pthread_mutex_destroy(&u->grbm_lock);
	pthread_mutex_destroy(&u->kfd.lock);
	free(u);
}
