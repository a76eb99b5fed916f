/* SPDX-License-Identifier: MIT */
/* Finds work that could run if the work of other processes had ended. The file breakwater_waits has
 * a line for each pair of processes: who waits, for how many ms; whose work holds the GPU, how many
 * waves of it are there, whether a debugger holds them ('s') or they run ('r'), and the name. If
 * there are no waves, commands are ahead of it on the only rings that it could go to. */
#include <amdgpu_drm.h>

#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/uapi_priv.h"

struct waits {
	struct bw_uapi *u;
	struct bw_str *out;
	uint32_t waves[BW_DEVICE_VMIDS];
};

uint64_t bw_drm_ring_starved_ns(struct bw_uapi *u, const struct bw_drm_ring *ring,
				uint64_t *out_now_ns)
{
	*out_now_ns = 0;
	return ring->is_sdma ? 0
			     : bw_device_starved_ns(u->dev, ring->me, ring->pipe, 0, out_now_ns);
}

static void add_wait(const struct waits *w, const struct bw_drm_vm *waiter, int64_t ns,
		     struct bw_drm_vm *holder)
{
	bool held_now = false;
	if (holder->pid == waiter->pid)
		return;
	bw_drm_vm_held_ns(holder, &held_now);
	bw_str_addf(w->out, "%d %lld %d %u %c %s\n", waiter->pid, (long long)(ns / 1000000),
		    holder->pid, holder->vmid ? w->waves[holder->vmid] : 0, held_now ? 's' : 'r',
		    holder->comm);
}

/* The ring's first job waits for waves to end, or its work is what others wait for. */
static void put_head(const struct waits *w, const struct bw_drm_ring *ring,
		     const struct bw_drm_vm *waiter, int64_t waited_ns)
{
	uint64_t starved_ns;
	bw_drm_ring_starved_ns(w->u, ring, &starved_ns);
	if (!starved_ns) {
		add_wait(w, waiter, waited_ns, ring->head->vm);
		return;
	}
	for (unsigned i = BW_DRM_FIRST_VMID; i <= BW_DRM_LAST_VMID; i++)
		if (w->waves[i] && w->u->vmids[i].vm)
			add_wait(w, waiter, BW_MAX(waited_ns, (int64_t)starved_ns),
				 w->u->vmids[i].vm);
}

static void put_ring(const struct waits *w, const struct bw_drm_ring *ring)
{
	if (!ring->head)
		return;
	/* running jobs wait for nobody */
	uint64_t starved_ns;
	bw_drm_ring_starved_ns(w->u, ring, &starved_ns);
	if (starved_ns)
		put_head(w, ring, ring->head->vm, 0);
	for (const struct bw_drm_job *job = ring->head->next; job; job = job->next)
		put_head(w, ring, job->vm, bw_now_ns() - job->waits_since_ns);
}

/* The job is not on a ring although nothing else holds it up: the rings that it could go to are
 * full, or no VMID is free. */
static void put_waiting(const struct waits *w, const struct bw_drm_job *job)
{
	if (!job->waits_since_ns)
		return;
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++) {
		const struct bw_drm_ring *ring = &w->u->rings[i];
		if (ring->head)
			put_head(w, ring, job->vm, bw_now_ns() - job->waits_since_ns);
	}
}

void bw_text_waits(struct bw_uapi *u, struct bw_str *s)
{
	struct waits w = {.u = u, .out = s};
	pthread_mutex_lock(&u->lock);
	bw_device_waves(u->dev, w.waves);
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		put_ring(&w, &u->rings[i]);
	bw_vec_each(&u->waiting, e)
		put_waiting(&w, (*e)->head);
	pthread_mutex_unlock(&u->lock);
}
