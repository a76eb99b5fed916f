/* SPDX-License-Identifier: MIT */
#include "agent/stomp.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_drm.h"
#include "wire/stomp_files.h"

static struct {
	pthread_once_t once;
	char folder[512];
	struct bw_stomp_range ranges[BW_STOMP_RANGES_MAX];
	size_t n;
	uint32_t n_buffers; /* made so far; atomic */
} g = {.once = PTHREAD_ONCE_INIT};

static void load(void)
{
	const char *folder = bw_agent_config()->stomp_folder;
	char path[sizeof(g.folder) + sizeof(BW_STOMP_RANGES_FILE)];
	snprintf(g.folder, sizeof(g.folder), "%s", folder);
	snprintf(path, sizeof(path), "%s/" BW_STOMP_RANGES_FILE, g.folder);
	_cleanup_close_ int fd = REAL(open64)(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : REAL(read)(fd, g.ranges, sizeof(g.ranges));
	if (got < 0)
		BW_LOG(WARN, "agent", "--stomp-memory: cannot read %s", path);
	g.n = got < 0 ? 0 : (size_t)got / sizeof(g.ranges[0]);
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
	union drm_amdgpu_gem_mmap map = {.in = {.handle = handle}};
	if (bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_GEM_MMAP, &map))
		return false;
	uint32_t *words = bw_agent_mmap(f, NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED,
					map.out.addr_ptr);
	if (words == MAP_FAILED)
		return false;
	for (uint64_t i = 0; i < size_b / 4; i++)
		words[i] = (uint32_t)BW_STOMP_MEMORY_WORD;
	munmap(words, size_b);
	return true;
}

static void say(const struct bw_stomp_buffer *b)
{
	char path[sizeof(g.folder) + sizeof(BW_STOMP_FILLED_FILE)];
	snprintf(path, sizeof(path), "%s/" BW_STOMP_FILLED_FILE, g.folder);
	_cleanup_close_ int fd =
		REAL(open64)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || REAL(write)(fd, b, sizeof(*b)) != sizeof(*b))
		BW_LOG(WARN, "agent", "--stomp-memory: cannot write %s", path);
}

void bw_stomp_new_buffer(struct bw_agent_file *f, const struct drm_amdgpu_gem_create_in *in,
			 uint32_t handle)
{
	const uint64_t memory =
		AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
	if (!bw_agent_config()->stomp_folder || !(in->domains & memory) || (in->domains & ~memory))
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
	say(&b);
}

void bw_stomp_fork_child(void)
{
	g.n_buffers = 0;
}
