/* SPDX-License-Identifier: MIT */
#include "harness.h"

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, IB = 0x30000000, DATA = 0x20000000 };

/* Programs, each with a job that writes its number to its own buffer at the same address. */
struct program {
	struct client c;
	struct buffer ib, data;
	uint32_t n, ctx;
};

static void prepare(struct program *p, uint32_t number, bool gated)
{
	struct bw_pm4_stream s = {0};
	open_client(&p->c);
	p->ib = make_buffer(&p->c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	p->data = make_buffer(&p->c, 4096,
			      number % 2 ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	if (gated)
		bw_pm4_put_wait_mem(&s, DATA + 64, 3, 1, ~0u);
	bw_pm4_put_write_mem(&s, DATA, &number, 1);
	memcpy(p->ib.cpu, s.data, s.len * 4);
	p->n = (uint32_t)s.len;
	bw_pm4_stream_free(&s);
	p->ctx = make_ctx(&p->c);
}

static void run(struct program *p)
{
	uint64_t seq, status;
	assert_int_equal(submit(&p->c, p->ctx, COMPUTE, 0, IB, p->n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&p->c, p->ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
}

static unsigned pasid_of(struct client *c)
{
	struct bw_vgpu_file a = {.file = c->drm};
	struct bw_msg m = BW_MSG_INIT;
	unsigned pasid = 0;
	request(c, BW_VGPU_FDINFO, &(struct bw_msg_part){&a, sizeof(a)}, 1, -1, &m);
	char text[4096] = "";
	memcpy(text, m.body + sizeof(struct bw_vgpu_result),
	       BW_MIN(m.body_b - sizeof(struct bw_vgpu_result), sizeof(text) - 1));
	bw_msg_fini(&m);
	assert_non_null(strstr(text, "drm-driver:\tamdgpu\n"));
	sscanf(strstr(text, "pasid:\t"), "pasid:\t%u", &pasid);
	return pasid;
}

static unsigned vmid_of(struct client *c)
{
	unsigned pasid = pasid_of(c), vmid = 0;
	for (unsigned i = 1; i < 16; i++)
		if (read_reg(c, bw_profile_navi31.osssys.segment[0] + i) == pasid)
			vmid = i;
	return vmid;
}

static void more_programs_than_vmids(void **state)
{
	enum { N = 12 };
	struct program p[N];
	for (uint32_t i = 0; i < N; i++)
		prepare(&p[i], 100 + i, false);
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < N; i++) {
			*(uint32_t *)p[i].data.cpu = 0;
			run(&p[i]);
			/* Each has written to its own memory, though all use one address. */
			assert_int_equal(*(uint32_t *)p[i].data.cpu, 100 + i);
			unsigned vmid = vmid_of(&p[i].c);
			assert_true(vmid >= 1 && vmid <= 7);
		}
	}
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(pasid_of(&p[i].c), pasid_of(&p[k].c));
	for (uint32_t i = 0; i < N; i++)
		close_client(&p[i].c);
}

static void busy_vmids_are_not_taken(void **state)
{
	enum { N = 9 };
	struct program p[N];
	uint64_t seq[N], status;
	for (uint32_t i = 0; i < N; i++) {
		prepare(&p[i], 100 + i, true);
		assert_int_equal(
			submit(&p[i].c, p[i].ctx, COMPUTE, 0, IB, p[i].n, NULL, 0, &seq[i]), 0);
	}
	for (uint32_t i = 0; i < N; i++) {
		((volatile uint32_t *)p[i].data.cpu)[16] = 1;
		assert_int_equal(
			wait_cs(&p[i].c, p[i].ctx, COMPUTE, 0, seq[i], SECONDS(10), &status), 0);
		assert_int_equal(status, 0);
		assert_int_equal(*(volatile uint32_t *)p[i].data.cpu, 100 + i);
	}
	for (uint32_t i = 0; i < N; i++)
		close_client(&p[i].c);
}

static int reserve(struct client *c, uint32_t op, uint32_t flags)
{
	union drm_amdgpu_vm a = {.in = {op, flags}};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_VM, &a);
}

static void reservation_is_shared_and_kept(void **state)
{
	enum { N = 10 };
	struct program a, b, p[N];
	prepare(&a, 1, false);
	prepare(&b, 2, false);
	assert_int_equal(reserve(&a.c, AMDGPU_VM_OP_RESERVE_VMID, 1), -EINVAL);
	assert_int_equal(reserve(&a.c, 3, 0), -EINVAL);
	assert_int_equal(reserve(&a.c, AMDGPU_VM_OP_RESERVE_VMID, 0), 0);
	assert_int_equal(reserve(&a.c, AMDGPU_VM_OP_RESERVE_VMID, 0), 0);
	run(&a);
	unsigned vmid = vmid_of(&a.c);
	assert_true(vmid);
	for (uint32_t i = 0; i < N; i++) { /* no other client gets it */
		prepare(&p[i], 100 + i, false);
		run(&p[i]);
		assert_int_not_equal(vmid_of(&p[i].c), vmid);
		assert_int_equal(vmid_of(&a.c), vmid);
	}
	/* 6.12: a second VM may reserve too, and shares it in turn. */
	assert_int_equal(reserve(&b.c, AMDGPU_VM_OP_RESERVE_VMID, 0), 0);
	run(&b);
	assert_int_equal(vmid_of(&b.c), vmid);
	assert_int_equal(*(uint32_t *)b.data.cpu, 2);
	run(&a);
	assert_int_equal(vmid_of(&a.c), vmid);
	assert_int_equal(*(uint32_t *)a.data.cpu, 1);
	assert_int_equal(reserve(&a.c, AMDGPU_VM_OP_UNRESERVE_VMID, 0), 0);
	assert_int_equal(reserve(&a.c, AMDGPU_VM_OP_UNRESERVE_VMID, 0), 0);
	close_client(&b.c); /* gives it back */
	for (uint32_t i = 0; i < N; i++)
		close_client(&p[i].c);
	run(&a);
	close_client(&a.c);
}

TESTS_AROUND(start_gpu, stop_gpu, more_programs_than_vmids, busy_vmids_are_not_taken,
	     reservation_is_shared_and_kept);
