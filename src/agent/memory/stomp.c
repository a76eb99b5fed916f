/* SPDX-License-Identifier: MIT */
#include "agent/memory/stomp.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/memory/track.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_drm.h"
#include "wire/stomp_files.h"

static struct {
	pthread_once_t once;
	struct bw_stomp_range ranges[BW_STOMP_RANGES_MAX];
	size_t n;
	struct bw_stomp_waves waves;
	uint32_t n_buffers, n_submissions; /* made so far; atomic */
} g = {.once = PTHREAD_ONCE_INIT};

/* Bytes of a file of the folder. */
static size_t load_file(const char *name, void *out, size_t size_b)
{
	char path[BW_AGENT_PATH_B];
	_cleanup_close_ int fd = -1;
	if (bw_agent_offer_path(BW_AGENT_STOMP, name, path))
		fd = REAL(open64)(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : REAL(read)(fd, out, size_b);
	if (got < 0)
		BW_LOG(WARN, "agent", "--stomp-memory: cannot read the file %s", name);
	return got < 0 ? 0 : (size_t)got;
}

static void load(void)
{
	g.n = load_file(BW_STOMP_RANGES_FILE, g.ranges, sizeof(g.ranges)) / sizeof(g.ranges[0]);
	if (load_file(BW_STOMP_WAVES_FILE, &g.waves, sizeof(g.waves)) != sizeof(g.waves))
		g.waves.what = 0;
}

static bool is_chosen(uint32_t number)
{
	for (size_t i = 0; i < g.n; i++)
		if (number >= g.ranges[i].first && number <= g.ranges[i].last)
			return true;
	return false;
}

static bool fill(struct bw_agent_file *f, uint32_t handle, uint64_t size_b)
{
	uint8_t *cpu;
	if (bw_track_map_cpu(f, handle, size_b, &cpu))
		return false;
	uint32_t *words = (uint32_t *)(void *)cpu;
	for (uint64_t i = 0; i < size_b / 4; i++)
		words[i] = (uint32_t)BW_STOMP_MEMORY_WORD;
	bw_track_unmap_cpu(cpu, size_b);
	return true;
}

void bw_stomp_new_buffer(struct bw_agent_file *f, const struct drm_amdgpu_gem_create_in *in,
			 uint32_t handle)
{
	const uint64_t memory =
		AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
	if (!bw_agent_config()->folders[BW_AGENT_STOMP] || !(in->domains & memory) ||
	    (in->domains & ~memory))
		return;
	pthread_once(&g.once, load);
	struct bw_stomp_buffer b = {.pid = (uint32_t)getpid(),
				    .number = __atomic_add_fetch(&g.n_buffers, 1, __ATOMIC_RELAXED),
				    .domains = (uint32_t)in->domains,
				    .size_b = in->bo_size};
	pthread_getname_np(pthread_self(), b.comm, sizeof(b.comm));
	if (!is_chosen(b.number))
		b.result = BW_STOMP_NOT_CHOSEN;
	else if (in->domain_flags & AMDGPU_GEM_CREATE_VRAM_CLEARED)
		b.result = BW_STOMP_MUST_BE_ZERO;
	else
		b.result = fill(f, handle, in->bo_size) ? BW_STOMP_FILLED : BW_STOMP_NOT_SEEN;
	bw_agent_offer_append(BW_AGENT_STOMP, BW_STOMP_FILLED_FILE, &b, sizeof(b));
}

bool bw_stomp_submission(struct bw_vgpu_stomp *out)
{
	if (!bw_agent_config()->folders[BW_AGENT_STOMP])
		return false;
	pthread_once(&g.once, load);
	const struct bw_stomp_waves *w = &g.waves;
	struct bw_stomp_submission s = {
		.pid = (uint32_t)getpid(),
		.number = __atomic_add_fetch(&g.n_submissions, 1, __ATOMIC_RELAXED)};
	/* only the virtual GPU knows the chunk */
	uint32_t can = bw_agent_config()->vgpu_socket ? w->what : 0;
	bool is_chosen = s.number >= w->first_submission && s.number <= w->last_submission;
	s.what = is_chosen ? can : 0;
	bw_agent_offer_append(BW_AGENT_STOMP, BW_STOMP_SUBMISSIONS_FILE, &s, sizeof(s));
	*out = (struct bw_vgpu_stomp){.what = is_chosen ? can : can & BW_VGPU_STOMP_SCRATCH,
				      .word = (uint32_t)BW_STOMP_MEMORY_WORD,
				      .first_dispatch = is_chosen ? w->first_dispatch : 1,
				      .last_dispatch = is_chosen ? w->last_dispatch : 0};
	return out->what;
}

void bw_stomp_fork_child(void)
{
	g.n_buffers = g.n_submissions = 0;
}
