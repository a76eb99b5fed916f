/* SPDX-License-Identifier: MIT */
/* Programs that are killed at any moment: whatever they had goes back to where it was, the virtual
 * GPU's memory, VMIDs, rings and file descriptors, and the next program finds a GPU that works. */
#include "harness.h"

#include <dirent.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "vgpu/uapi/uapi_priv.h"

enum { N_PROGRAMS = 100, AT_ONCE = 5, CODE = 0x10000000, DATA = 0x20000000, IB = 0x30000000 };
enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, GFX = AMDGPU_HW_IP_GFX, DMA = AMDGPU_HW_IP_DMA };

static uint32_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

/* ---- the programs: each runs until it is killed ---- */

struct program {
	struct client c;
	uint64_t random;
	uint32_t ctx;
	struct buffer ib, code, data;
};

static void run_ib(struct program *p, uint32_t ip, const uint32_t *dw, uint32_t n)
{
	uint64_t seq, status;
	memcpy(p->ib.cpu, dw, n * 4);
	if (!submit(&p->c, p->ctx, ip, random_next(&p->random) % (ip == GFX ? 1 : 2), IB, n, NULL,
		    0, &seq))
		wait_cs(&p->c, p->ctx, ip, 0, seq, SECONDS(20), &status);
}

static void buffers(struct program *p)
{
	struct buffer b = make_buffer(
		&p->c, 4096ull << random_next(&p->random) % 10,
		random_next(&p->random) % 2 ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT, 0,
		0x40000000ull + (uint64_t)(random_next(&p->random) % 64 << 24));
	memset(b.cpu, 7, b.size_b);
	if (random_next(&p->random) % 2) {
		struct drm_prime_handle prime = {.handle = b.handle, .flags = O_CLOEXEC};
		drm_ioctl(&p->c, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	}
	free_buffer(&p->c, &b);
}

static void nothing_much(struct program *p)
{
	static const uint32_t nops[8] = {0xffff1000, 0xffff1000, 0xffff1000, 0xffff1000,
					 0xffff1000, 0xffff1000, 0xffff1000, 0xffff1000};
	static const uint32_t sdma[7] = {1, 4095, 0, DATA, 0, DATA + 8192, 0};
	run_ib(p, COMPUTE, nops, 8);
	run_ib(p, GFX, nops, 8);
	run_ib(p, DMA, sdma, 7);
}

/* s_branch to itself */
static void loops_for_ever(struct program *p)
{
	struct bw_pm4_stream s = {0};
	((uint32_t *)p->code.cpu)[0] = 0xbfa0ffff;
	put_kernel(&s, CODE, DATA, 20);
	run_ib(p, COMPUTE, s.data, (uint32_t)s.len);
	bw_pm4_stream_free(&s);
}

static void waits_for_ever(struct program *p)
{
	static const uint32_t gfx[7] = {0xc0053c00, 3 | 1 << 4, DATA, 0, 1, ~0u, 10};
	static const uint32_t sdma[6] = {8 | 3u << 28 | 1u << 31, DATA, 0, 1, ~0u,
					 0xfff << 16 | 10};
	run_ib(p, random_next(&p->random) % 2 ? GFX : COMPUTE, gfx, 7);
	run_ib(p, DMA, sdma, 6);
}

static void sync_objects(struct program *p)
{
	struct drm_syncobj_create create = {0};
	drm_ioctl(&p->c, DRM_IOCTL_SYNCOBJ_CREATE, &create);
	struct drm_syncobj_handle fd = {.handle = create.handle};
	drm_ioctl(&p->c, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &fd);
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&create.handle,
		.count_handles = 1,
		.timeout_nsec = (int64_t)SECONDS(random_next(&p->random) % 4 ? 0 : 60),
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
	};
	drm_ioctl(&p->c, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
}

static void faults(struct program *p)
{
	static const uint32_t write[5] = {0xc0033700, 5 << 8, 0x70000000, 0, 1};
	union drm_amdgpu_vm vm = {.in = {.op = AMDGPU_VM_OP_RESERVE_VMID}};
	drm_ioctl(&p->c, DRM_IOCTL_AMDGPU_VM, &vm);
	run_ib(p, COMPUTE, write, 5);
	p->ctx = make_ctx(&p->c); /* the old one's ring has failed */
}

static void (*const kinds[])(struct program *p) = {buffers,	   nothing_much, loops_for_ever,
						   waits_for_ever, sync_objects, faults};

static _Noreturn void be_a_program(int sock, uint64_t seed)
{
	struct program p = {.c = {.sock = sock, .fd_in = -1, .fd_out = -1}, .random = seed};
	struct bw_vgpu_hello h = {
		.version = BW_VGPU_PROTO_VERSION, .pid = (uint32_t)getpid(), .comm = "killed"};
	struct bw_msg m = BW_MSG_INIT;
	request(&p.c, BW_VGPU_HELLO, &(struct bw_msg_part){&h, sizeof(h)}, 1, -1, &m);
	assert_int_equal(drm_open(&p.c, 128, &p.c.drm), 0);
	p.ctx = make_ctx(&p.c);
	p.ib = make_buffer(&p.c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	p.code = make_buffer(&p.c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, CODE);
	p.data = make_buffer(&p.c, 65536, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	for (;;)
		kinds[seed % BW_ARRAY_SIZE(kinds)](&p);
}

/* ---- the test ---- */

struct running {
	pid_t pid;
	pthread_t thread;
};

static void *serve(void *arg)
{
	bw_uapi_serve(gpu, (int)(intptr_t)arg);
	return NULL;
}

static struct running start(uint64_t seed)
{
	int pair[2];
	struct running r;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	r.pid = fork();
	assert_true(r.pid >= 0);
	if (!r.pid) {
		/* Nothing of the server's, whose sockets of others would never close. */
		assert_int_equal(dup2(pair[0], 3), 3);
		syscall(SYS_close_range, 4u, ~0u, 0u);
		be_a_program(3, seed);
	}
	close(pair[0]);
	assert_int_equal(pthread_create(&r.thread, NULL, serve, (void *)(intptr_t)pair[1]), 0);
	return r;
}

static void end(struct running *r)
{
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, 0);
	pthread_join(r->thread, NULL);
}

struct counts {
	uint64_t vram_b, gtt_b, buffers, vms, jobs, sync_fds, clients, waves, fds;
};

static uint64_t count_fds(void)
{
	uint64_t n = 0;
	DIR *d = opendir("/proc/self/fd");
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static struct counts count(void)
{
	struct bw_device_stats stats;
	struct counts n = {.fds = count_fds()};
	bw_device_stats(gpu->dev, &stats);
	n.waves = stats.waves_resident;
	pthread_mutex_lock(&gpu->lock);
	n.vram_b = gpu->vram_used_b;
	n.gtt_b = gpu->gtt_used_b;
	n.buffers = gpu->n_bos;
	n.vms = gpu->vms.len;
	n.sync_fds = gpu->sync_fds.len;
	n.clients = gpu->clients.len;
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		n.jobs += gpu->rings[i].n;
	for (unsigned i = 0; i < BW_DRM_N_VMIDS; i++)
		n.jobs += gpu->vmids[i].busy;
	n.jobs += gpu->waiting.len + gpu->n_reserved;
	pthread_mutex_unlock(&gpu->lock);
	return n;
}

/* What a program that is left alone gets from it. */
static void works(void)
{
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer data = make_buffer(&c, 65536, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	static const uint32_t write[5] = {0xc0033700, 5 << 8, DATA, 0, 77};
	static const uint32_t fence[4] = {5, DATA, 0, 78};
	uint32_t ctx = make_ctx(&c);
	for (uint32_t i = 0; i < 7; i++) {
		uint32_t ip = i == 0  ? GFX
			      : i < 5 ? COMPUTE
				      : DMA,
			 ring = i == 0	? 0
				: i < 5 ? i - 1
					: i - 5;
		uint64_t seq, status;
		memset(data.cpu, 0, 4);
		memcpy(ib.cpu, ip == DMA ? fence : write,
		       ip == DMA ? sizeof(fence) : sizeof(write));
		assert_int_equal(submit(&c, ctx, ip, ring, IB, ip == DMA ? 4 : 5, NULL, 0, &seq),
				 0);
		assert_int_equal(wait_cs(&c, ctx, ip, ring, seq, SECONDS(60), &status), 0);
		assert_int_equal(status, 0);
		assert_int_equal(*(uint32_t *)data.cpu, ip == DMA ? 78 : 77);
	}
	munmap(ib.cpu, ib.size_b);
	munmap(data.cpu, data.size_b);
	close_client(&c);
}

static bool back(const struct counts *before)
{
	struct counts now = count();
	return !memcmp(&now, before, sizeof(now));
}

static void everything_comes_back(void **state)
{
	struct running running[AT_ONCE] = {0};
	uint64_t random = 20240607;
	works(); /* objects that are made once exist now */
	while (count().vms)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	struct counts before = count();
	for (unsigned i = 0; i < N_PROGRAMS; i++) {
		struct running *r = &running[i % AT_ONCE];
		if (r->pid)
			end(r);
		*r = start(i + (uint64_t)random_next(&random) * BW_ARRAY_SIZE(kinds));
		nanosleep(&(struct timespec){0, (long)(random_next(&random) % 12) * 1000000}, NULL);
	}
	for (unsigned i = 0; i < AT_ONCE; i++)
		end(&running[i]);
	int64_t until = now_ns() + 60000000000;
	while (!back(&before) && now_ns() < until)
		nanosleep(&(struct timespec){0, 5000000}, NULL);
	struct counts after = count();
	assert_int_equal(after.vms, before.vms);
	assert_int_equal(after.jobs, before.jobs);
	assert_int_equal(after.buffers, before.buffers);
	assert_int_equal(after.vram_b, before.vram_b);
	assert_int_equal(after.gtt_b, before.gtt_b);
	assert_int_equal(after.sync_fds, before.sync_fds);
	assert_int_equal(after.clients, before.clients);
	assert_int_equal(after.waves, before.waves);
	assert_int_equal(after.fds, before.fds);
	works();
}

static int start_quiet_gpu(void **state)
{
	gpu_options.quiet = true;
	return start_gpu(state);
}

TESTS_EACH(start_quiet_gpu, stop_gpu, everything_comes_back);
