/* SPDX-License-Identifier: MIT */
/* Priorities of contexts: who may have which, and what they do to the order of work. */
#include "harness.h"

#include <linux/capability.h>
#include <sys/syscall.h>

enum { GFX = AMDGPU_HW_IP_GFX, COMPUTE = AMDGPU_HW_IP_COMPUTE };
enum { IB = 0x30000000, DATA = 0x20000000 };
/* In the data: what the first job waits for, that it has begun, how many have run, who came when.
 */
enum { GO, BEGUN, COUNT, ORDER };
/* Where the packets of each job lie. */
enum { IB_STRIDE = 1024 };
enum { FIRST, FILLER, NOPS, LOW, NORMAL, HIGH, LATER, RAISED, N_IBS };

static char nothing; /* the argument of calls without one */

static int alloc(struct client *c, int32_t priority, uint32_t *out_id)
{
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = priority}};
	int r = drm_ioctl(c, DRM_IOCTL_AMDGPU_CTX, &a);
	*out_id = a.out.alloc.ctx_id;
	return r;
}

static uint32_t ctx_of(struct client *c, int32_t priority)
{
	uint32_t id;
	assert_int_equal(alloc(c, priority, &id), 0);
	return id;
}

/* A client on the card node, whose master it is: it may have any priority. */
static void open_master(struct client *c)
{
	connect_client(c, 0);
	assert_int_equal(drm_open(c, 0, &c->drm), 0);
}

static uint32_t put_ib(struct buffer *ib, unsigned which, struct bw_pm4_stream *s)
{
	assert_true(!s->failed && s->len * 4 <= IB_STRIDE);
	memcpy((uint8_t *)ib->cpu + which * IB_STRIDE, s->data, s->len * 4);
	uint32_t n = (uint32_t)s->len;
	bw_pm4_stream_free(s);
	return n;
}

/* A job that draws the next number: ATOMIC_MEM adds 1, COPY_DATA stores what was there. */
static uint32_t put_numbered(struct buffer *ib, unsigned which)
{
	struct bw_pm4_stream s = {0};
	BW_PM4_BUILD(&s, atomic_mem, .operation = BW_TC_ADD, .address = DATA + 4 * COUNT,
		     .source = 1);
	BW_PM4_BUILD(&s, copy_data, .source_is = BW_PM4_COPY_SRC_ATOMIC,
		     .destination_is = BW_PM4_COPY_DST_MEM,
		     .destination = DATA + 4 * (ORDER + which));
	return put_ib(ib, which, &s);
}

static uint64_t send(struct client *c, uint32_t ctx, uint32_t ip, unsigned which, uint32_t n)
{
	uint64_t seq;
	assert_int_equal(submit(c, ctx, ip, 0, IB + which * IB_STRIDE, n, NULL, 0, &seq), 0);
	return seq;
}

static void finish(struct client *c, uint32_t ctx, uint32_t ip, uint64_t seq)
{
	uint64_t status = 7;
	assert_int_equal(wait_cs(c, ctx, ip, 0, seq, SECONDS(30), &status), 0);
	assert_int_equal(status, 0);
}

/* The graphics ring, full: one job that waits for memory and one behind it. */
static void fill_ring(struct client *c, struct buffer *ib, uint32_t ctx)
{
	struct bw_pm4_stream s = {0};
	bw_pm4_put_write_mem(&s, DATA + 4 * BEGUN, &(uint32_t){1}, 1);
	bw_pm4_put_wait_mem(&s, DATA + 4 * GO, 3, 1, ~0u);
	uint32_t n_first = put_ib(ib, FIRST, &s);
	bw_pm4_put_nop(&s, 8);
	uint32_t n_nops = put_ib(ib, NOPS, &s);
	send(c, ctx, GFX, FIRST, n_first);
	uint64_t filler = send(c, ctx, GFX, FILLER, put_numbered(ib, FILLER));
	/* What depends on its being scheduled runs once it is on the ring. */
	struct drm_amdgpu_cs_chunk_dep dep = {GFX, 0, 0, ctx, filler};
	uint64_t seq;
	assert_int_equal(
		submit(c, ctx, COMPUTE, 0, IB + NOPS * IB_STRIDE, n_nops,
		       &(struct chunk){AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES, &dep, sizeof(dep)},
		       1, &seq),
		0);
	finish(c, ctx, COMPUTE, seq);
}

static int sched(struct client *c, uint32_t op, uint32_t fd, int32_t priority, uint32_t ctx)
{
	union drm_amdgpu_sched a = {.in = {op, fd, priority, ctx}};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_SCHED, &a);
}

static void higher_ones_go_first(void **state)
{
	struct client c;
	open_master(&c);
	struct buffer ib = make_buffer(&c, N_IBS * IB_STRIDE, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	volatile uint32_t *word = data.cpu;
	uint32_t ctx = ctx_of(&c, 0), raised = ctx_of(&c, AMDGPU_CTX_PRIORITY_VERY_LOW);
	/* In the order in which they are submitted. */
	struct {
		unsigned which;
		uint32_t ctx;
		uint64_t seq;
	} jobs[] = {{LOW, ctx_of(&c, AMDGPU_CTX_PRIORITY_LOW), 0},
		    {NORMAL, ctx_of(&c, AMDGPU_CTX_PRIORITY_NORMAL), 0},
		    {HIGH, ctx_of(&c, AMDGPU_CTX_PRIORITY_HIGH), 0},
		    {LATER, ctx_of(&c, AMDGPU_CTX_PRIORITY_NORMAL), 0},
		    {RAISED, raised, 0}};
	assert_int_equal(sched(&c, AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE, c.drm,
			       AMDGPU_CTX_PRIORITY_VERY_HIGH, raised),
			 0);
	fill_ring(&c, &ib, ctx);
	assert_int_equal(word[BEGUN], 1);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(jobs); i++)
		jobs[i].seq =
			send(&c, jobs[i].ctx, GFX, jobs[i].which, put_numbered(&ib, jobs[i].which));
	assert_int_equal(word[COUNT], 0);
	word[GO] = 1;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(jobs); i++)
		finish(&c, jobs[i].ctx, GFX, jobs[i].seq);
	assert_int_equal(word[ORDER + FILLER], 0);
	assert_int_equal(word[ORDER + HIGH], 1);
	assert_int_equal(word[ORDER + RAISED], 2); /* as urgent, but submitted later */
	assert_int_equal(word[ORDER + NORMAL], 3);
	assert_int_equal(word[ORDER + LATER], 4);
	assert_int_equal(word[ORDER + LOW], 5);
	close_client(&c);
}

static void overrides_are_checked(void **state)
{
	enum {
		PROCESS = AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE,
		CONTEXT = AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE
	};
	struct client c;
	uint32_t render, text;
	open_master(&c);
	uint32_t ctx = ctx_of(&c, 0);
	assert_int_equal(drm_open(&c, 128, &render), 0);
	assert_int_equal(file_open(&c, "debug/dri/" PCI "/name", O_RDONLY, &text), 0);
	assert_int_equal(sched(&c, PROCESS, c.drm, 512, 0), 0);
	assert_int_equal(sched(&c, PROCESS, render, -512, 0), 0); /* has no contexts */
	assert_int_equal(sched(&c, CONTEXT, c.drm, -1023, ctx), 0);
	assert_int_equal(sched(&c, CONTEXT, c.drm, 0, ctx + 1), -EINVAL);
	assert_int_equal(sched(&c, CONTEXT, render, 0, ctx), -EINVAL); /* of another file */
	assert_int_equal(sched(&c, PROCESS, 999, 0, 0), -EINVAL);
	assert_int_equal(sched(&c, PROCESS, text, 0, 0), -EINVAL);
	assert_int_equal(sched(&c, 0, c.drm, 0, ctx), -EINVAL);
	assert_int_equal(sched(&c, 3, c.drm, 0, ctx), -EINVAL);
	assert_int_equal(sched(&c, CONTEXT, c.drm, 1, ctx), -EINVAL);
	assert_int_equal(sched(&c, CONTEXT, c.drm, AMDGPU_CTX_PRIORITY_UNSET, ctx), -EINVAL);
	/* Only to the card's master. */
	assert_int_equal(file_ioctl(&c, c.drm, DRM_IOCTL_DROP_MASTER, &nothing), 0);
	assert_int_equal(sched(&c, CONTEXT, c.drm, 0, ctx), -EACCES);
	close_client(&c);
}

/* The first to open the card node. */
static void one_is_master(void **state)
{
	struct client c;
	uint32_t second;
	open_master(&c);
	assert_int_equal(drm_open(&c, 0, &second), 0);
	union drm_amdgpu_sched a = {
		.in = {AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE, second, 0, 0}};
	struct drm_auth auth = {0};
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AMDGPU_SCHED, &a), -EACCES);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AUTH_MAGIC, &auth), -EACCES);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_SET_MASTER, &nothing), -EBUSY);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_DROP_MASTER, &nothing), -EINVAL);
	assert_int_equal(file_ioctl(&c, c.drm, DRM_IOCTL_DROP_MASTER, &nothing), 0);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_SET_MASTER, &nothing), 0);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AMDGPU_SCHED, &a), 0);
	assert_int_equal(close_file(&c, second), 0);
	assert_int_equal(drm_open(&c, 0, &second), 0); /* no file was master */
	a.in.fd = second;
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AMDGPU_SCHED, &a), 0);
	close_client(&c);
}

static void set_nice(uint32_t *effective, bool on)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2];
	assert_int_equal(syscall(SYS_capget, &h, d), 0);
	*effective = d[0].effective;
	if (on)
		return;
	d[0].effective &= ~(1u << CAP_SYS_NICE);
	assert_int_equal(syscall(SYS_capset, &h, d), 0);
}

static void what_is_urgent_takes_a_right(void **state)
{
	struct client c;
	uint32_t id, caps;
	open_client(&c); /* a render node: never a master */
	set_nice(&caps, true);
	int r = caps >> CAP_SYS_NICE & 1 ? 0 : -EACCES;
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_HIGH, &id), r);
	set_nice(&caps, false);
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_HIGH, &id), -EACCES);
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_VERY_HIGH, &id), -EACCES);
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_NORMAL, &id), 0);
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_LOW, &id), 0);
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_VERY_LOW, &id), 0);
	assert_int_equal(alloc(&c, 600, &id), 0); /* garbage is the usual priority */
	close_client(&c);
	/* The card's master needs no capability. */
	open_master(&c);
	assert_int_equal(alloc(&c, AMDGPU_CTX_PRIORITY_VERY_HIGH, &id), 0);
	close_client(&c);
}

TESTS_EACH(start_gpu, stop_gpu, higher_ones_go_first, overrides_are_checked, one_is_master,
	   what_is_urgent_takes_a_right);
