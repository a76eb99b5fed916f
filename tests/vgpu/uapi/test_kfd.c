/* SPDX-License-Identifier: MIT */
/* /dev/kfd: the process, its memory and its queues. Results are those of kfd_chardev.c and
 * amdgpu_amdkfd_gpuvm.c of Linux 6.12, read; the order of calls was recorded from ROCm. */
#include "kfd_calls.h"

/* ---- the process ---- */

static void version_and_apertures(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t kfd = kfd_open(&c);
	struct kfd_ioctl_get_version_args v;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_VERSION, &v), 0);
	assert_int_equal(v.major_version, 1);
	assert_int_equal(v.minor_version, 17);
	struct kfd_process_device_apertures got[2] = {0};
	struct kfd_ioctl_get_process_apertures_new_args a = {(uintptr_t)got, 0, 0};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a), 0);
	assert_int_equal(a.num_of_nodes, 1); /* so many there are */
	a.num_of_nodes = 2;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a), 0);
	assert_int_equal(a.num_of_nodes, 1);
	assert_int_equal(got[0].gpu_id, kfd_gpu_id());
	/* as recorded from Linux */
	assert_true(got[0].lds_base == 0x1000000000000 && got[0].scratch_base == 0x2000000000000);
	assert_true(got[0].gpuvm_base == 0x10000 && got[0].gpuvm_limit == 0x7fffffffffff);
	assert_int_equal(got[1].gpu_id, 0);
	a.num_of_nodes = 3;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a), -EINVAL);
	struct kfd_ioctl_get_clock_counters_args t = {.gpu_id = kfd_gpu_id()};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &t), 0);
	assert_true(t.gpu_clock_counter && t.cpu_clock_counter && t.system_clock_counter);
	assert_int_equal(t.system_clock_freq, 1000000000);
	t = (struct kfd_ioctl_get_clock_counters_args){.gpu_id = 0};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_CLOCK_COUNTERS, &t), 0);
	assert_int_equal(t.gpu_clock_counter, 0);
	close_client(&c);
}

static void numbers_that_are_no_calls(void **state)
{
	struct client c;
	int32_t minus_one = -1;
	uint8_t arg[128] = {0};
	uint32_t kfd = kfd_open_both(&c);
	assert_int_equal(file_ioctl(&c, kfd, _IOWR('K', 0, uint64_t), arg), -ENOTTY);
	assert_int_equal(file_ioctl(&c, kfd, _IOWR('K', 0x27, uint64_t), arg), -ENOTTY);
	assert_int_equal(file_ioctl(&c, kfd, _IOWR('K', 0xff, uint64_t), arg), -ENOTTY);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_SET_XNACK_MODE, &minus_one), -EPERM);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DBG_REGISTER_DEPRECATED, arg), -EPERM);
	close_client(&c);
}

static void monitors_are_files_that_never_wait(void **state)
{
	struct client c;
	uint64_t mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_VMFAULT);
	uint32_t kfd = kfd_open_both(&c);
	struct kfd_ioctl_smi_events_args a = {.gpuid = kfd_gpu_id() + 1};
	char got;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_SMI_EVENTS, &a), -EINVAL);
	a.gpuid = kfd_gpu_id();
	/* as many as one likes, if they are closed again, as the next call does here */
	for (unsigned i = 0; i < 5000; i++) {
		assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_SMI_EVENTS, &a), 0);
		assert_int_equal(c.fd_at, offsetof(struct kfd_ioctl_smi_events_args, anon_fd));
		assert_int_equal(read(c.fd_out, &got, 1), -1);
		assert_int_equal(errno, EAGAIN);
		assert_int_equal(write(c.fd_out, &mask, sizeof(mask)), sizeof(mask));
	}
	close_client(&c);
}

static void one_process_and_one_address_space(void **state)
{
	struct client c, other;
	uint32_t kfd = kfd_open_both(&c), second, more;
	uint32_t again = kfd_open(&c);
	open_client(&other);
	uint32_t others = kfd_open(&other);
	assert_int_equal(kfd_acquire(&c, again, c.drm), 0); /* what it has already */
	assert_int_equal(drm_open(&c, 128, &second), 0);
	assert_int_equal(kfd_acquire(&c, kfd, second), -EBUSY);
	assert_int_equal(kfd_acquire(&c, kfd, 999), -EINVAL);
	assert_int_equal(kfd_acquire(&c, kfd, kfd), -EINVAL);
	assert_int_equal(kfd_acquire(&other, others, 999), -EINVAL);
	struct kfd_ioctl_acquire_vm_args wrong = {c.drm, kfd_gpu_id() + 1};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ACQUIRE_VM, &wrong), -EINVAL);
	/* one process, whichever file asks */
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	assert_int_equal(kfd_alloc(&c, kfd, 0x200000, PAGE, FLAG(GTT) | FLAG(WRITABLE), &a), 0);
	assert_int_equal(kfd_map(&c, again, a.handle), 0);
	/* another process has neither the address space nor the buffer */
	assert_int_equal(kfd_alloc(&other, others, 0x200000, PAGE, FLAG(GTT), &a), -ENODEV);
	assert_int_equal(kfd_acquire(&other, others, other.drm), 0);
	assert_int_equal(kfd_map(&other, others, BW_KFD_HANDLE(kfd_gpu_id(), 0)), -ENOMEM);
	/* The address space stays when the program closes its file. */
	assert_int_equal(close_file(&c, c.drm), 0);
	assert_int_equal(kfd_alloc(&c, kfd, 0x300000, PAGE, FLAG(VRAM), &a), 0);
	assert_int_equal(kfd_map(&c, kfd, a.handle), 0);
	assert_int_equal(close_file(&c, kfd), 0);
	assert_int_equal(kfd_unmap(&c, again, a.handle), 0);
	more = kfd_open(&c);
	assert_int_equal(kfd_free(&c, more, a.handle), 0);
	close_client(&other);
	close_client(&c);
}

/* ---- memory ---- */

static void memory_is_checked_as_in_the_kernel(void **state)
{
	/* clang-format off */
	static const struct { uint64_t size; uint32_t flags; int result; } rows[] = {
		{0, FLAG(VRAM), -EINVAL},
		{PAGE, 0, -EINVAL},                        /* from nowhere */
		{PAGE, FLAG(USERPTR), -EINVAL},            /* no address */
		{PAGE, FLAG(DOORBELL), -EINVAL}, {8192, FLAG(DOORBELL), 0},
		{8192, FLAG(MMIO_REMAP), -EINVAL}, {PAGE, FLAG(MMIO_REMAP), 0},
		{1, FLAG(VRAM), 0}, {5000, FLAG(GTT), 0}, {PAGE, FLAG(VRAM) | FLAG(PUBLIC), 0},
		{1, FLAG(GTT) | FLAG(AQL_QUEUE_MEM), -EINVAL}, /* half of it is nothing */
		{1ull << 46, FLAG(VRAM), -ENOMEM},
	};
	/* clang-format on */
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	uint32_t kfd = kfd_open_both(&c);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		int r = kfd_alloc(&c, kfd, 0x100000, rows[i].size, rows[i].flags, &a);
		if (r != rows[i].result)
			fail_msg("row %zu: %d, not %d", i, r, rows[i].result);
	}
	close_client(&c);
}

static void a_buffer_from_begin_to_end(void **state)
{
	struct client c, other;
	struct kfd_ioctl_alloc_memory_of_gpu_args a, same;
	uint32_t kfd = kfd_open_both(&c);
	open_client(&other);
	assert_int_equal(kfd_alloc(&c, kfd, 0x400000, 2 * PAGE, FLAG(VRAM) | FLAG(WRITABLE), &a),
			 0);
	assert_int_equal(a.handle >> 32, kfd_gpu_id());
	assert_int_equal((uint32_t)a.handle, 0); /* from 0 on */
	/* mapped through the render node, and only its own */
	uint32_t *p = kfd_cpu_map(&c, c.drm, a.mmap_offset, 2 * PAGE);
	int fd;
	uint64_t at;
	assert_int_equal(drm_mmap(&other, other.drm, a.mmap_offset, PAGE, &fd, &at), -EACCES);
	assert_int_equal(p[0], 0);
	assert_int_equal(kfd_unmap(&c, kfd, a.handle), -EINVAL);
	assert_int_equal(kfd_map(&c, kfd, a.handle), 0);
	assert_int_equal(kfd_map(&c, kfd, a.handle), 0); /* nothing more to do */
	assert_int_equal(kfd_free(&c, kfd, a.handle), -EBUSY);
	/* the address is taken */
	assert_int_equal(kfd_alloc(&c, kfd, 0x401000, PAGE, FLAG(GTT), &same), 0);
	assert_int_equal(kfd_map(&c, kfd, same.handle), -EINVAL);
	assert_int_equal(kfd_free(&c, kfd, same.handle), 0);
	assert_int_equal(kfd_unmap(&c, kfd, a.handle), 0);
	assert_int_equal(kfd_free(&c, kfd, a.handle), 0);
	assert_int_equal(kfd_free(&c, kfd, a.handle), -EINVAL);
	assert_int_equal(kfd_free(&c, kfd, 7), -EINVAL);
	munmap(p, 2 * PAGE);
	close_client(&other);
	close_client(&c);
}

/* The GPU writes where the program sees it: a WRITE_DATA packet of a submission in the same address
 * space. */
static void the_gpu_uses_it(void **state)
{
	enum { VA = 0x800000, IB_VA = 0x900000 };
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	uint32_t kfd = kfd_open_both(&c);
	uint64_t seq, status;
	/* twice in a row, as rings of gfx8 want it */
	assert_int_equal(kfd_alloc(&c, kfd, VA, 2 * PAGE,
				   FLAG(GTT) | FLAG(WRITABLE) | FLAG(AQL_QUEUE_MEM), &a),
			 0);
	assert_int_equal(kfd_map(&c, kfd, a.handle), 0);
	uint32_t *p = kfd_cpu_map(&c, c.drm, a.mmap_offset, PAGE);
	struct buffer ib = make_buffer(&c, PAGE, AMDGPU_GEM_DOMAIN_GTT, 0, IB_VA);
	struct bw_pm4_stream s = {0};
	const uint32_t first = 0x12345678, second = 0x9abcdef0;
	bw_pm4_put_write_mem(&s, VA + 0x10, &first, 1);
	bw_pm4_put_write_mem(&s, VA + PAGE + 0x20, &second, 1);
	memcpy(ib.cpu, s.data, s.len * sizeof(uint32_t));
	uint32_t ctx = make_ctx(&c);
	assert_int_equal(
		submit(&c, ctx, AMDGPU_HW_IP_COMPUTE, 0, IB_VA, (uint32_t)s.len, NULL, 0, &seq), 0);
	bw_pm4_stream_free(&s);
	assert_int_equal(wait_cs(&c, ctx, AMDGPU_HW_IP_COMPUTE, 0, seq, SECONDS(20), &status), 0);
	assert_int_equal(p[4], 0x12345678);
	assert_int_equal(p[8], 0x9abcdef0);
	munmap(p, PAGE);
	free_buffer(&c, &ib);
	close_client(&c);
}

static void pages_of_the_program(void **state)
{
	struct client c;
	uint32_t kfd = kfd_open_both(&c);
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x600000,
						       .size = PAGE,
						       .mmap_offset = 0x600000,
						       .gpu_id = kfd_gpu_id(),
						       .flags = FLAG(USERPTR) | FLAG(WRITABLE)};
	struct kfd_ioctl_alloc_memory_of_gpu_args without = a;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &without), -EFAULT);
	c.fd_in = memfd_create("pages", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	assert_true(c.fd_in >= 0);
	int fd = c.fd_in;
	assert_int_equal(ftruncate(fd, 0x700000), 0);
	without = a; /* it could shrink under the server's hands */
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &without), -EFAULT);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	c.fd_in = fd;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &a), 0);
	close(fd);
	assert_int_equal(kfd_map(&c, kfd, a.handle), 0);
	int mapped;
	uint64_t at;
	assert_int_equal(drm_mmap(&c, c.drm, a.mmap_offset, PAGE, &mapped, &at), -EPERM);
	close_client(&c);
}

static void pages_of_the_driver(void **state)
{
	struct client c;
	int fd;
	uint64_t at;
	struct kfd_ioctl_alloc_memory_of_gpu_args doorbells, mmio;
	uint32_t kfd = kfd_open_both(&c);
	assert_int_equal(kfd_alloc(&c, kfd, 0x100000, 8192, FLAG(DOORBELL), &doorbells), 0);
	assert_int_equal(kfd_alloc(&c, kfd, 0x200000, PAGE, FLAG(MMIO_REMAP), &mmio), 0);
	assert_true(mmio.mmap_offset == (uint64_t)kfd_gpu_id() << 46);
	/* the same doorbells through both files */
	uint64_t *p = kfd_cpu_map(&c, c.drm, doorbells.mmap_offset, 8192);
	uint64_t *q = kfd_cpu_map(&c, kfd, 3ull << 62 | (uint64_t)kfd_gpu_id() << 46, 8192);
	p[5] = 77;
	assert_int_equal(q[5], 77);
	munmap(kfd_cpu_map(&c, kfd, mmio.mmap_offset, PAGE), PAGE);
	assert_int_equal(drm_mmap(&c, kfd, mmio.mmap_offset, 8192, &fd, &at), -EINVAL);
	assert_int_equal(drm_mmap(&c, kfd, 3ull << 62, 8192, &fd, &at), -ENODEV);
	assert_int_equal(drm_mmap(&c, kfd, 1ull << 62, PAGE, &fd, &at), -ENODEV);
	assert_int_equal(drm_mmap(&c, kfd, 2ull << 62, PAGE, &fd, &at), -EINVAL); /* no events */
	munmap(p, 8192);
	munmap(q, 8192);
	close_client(&c);
}

static void memory_that_is_left(void **state)
{
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args b;
	uint32_t kfd = kfd_open_both(&c);
	struct kfd_ioctl_get_available_memory_args before = {.gpu_id = kfd_gpu_id()},
						   after = before;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before), 0);
	assert_int_equal(before.available % (2 << 20), 0);
	assert_int_equal(kfd_alloc(&c, kfd, 0, 64 << 20, FLAG(VRAM), &b), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after), 0);
	assert_int_equal(before.available - after.available, 64 << 20);
	close_client(&c);
}

/* ---- queues; tests/e2e/test_kfd.py runs kernels ---- */

/* COMPUTE_STATIC_THREAD_MGMT_SE0 to SE5 of a queue of ME 1 (gc_11_0_0_offset.h). */
static void assert_cus(struct client *c, uint32_t pipe, uint32_t queue, const uint32_t *expected)
{
	enum { SET_STATE_V2 = 0xc02c2001 };
	static const uint32_t at[] = {0x1bb6, 0x1bb7, 0x1bb9, 0x1bba, 0x1bcb, 0x1bcc};
	uint32_t file, value, bank[11] = {[0] = 1, [6] = 1, [7] = pipe, [8] = queue};
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_regs2", O_RDWR, &file), 0);
	assert_int_equal(file_ioctl(c, file, SET_STATE_V2, bank), 0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(at); i++) {
		uint64_t pos = 4ull * (bw_profile_navi31.gc.segment[0] + at[i]);
		assert_int_equal(file_read(c, file, &pos, &value, 4), 4);
		assert_int_equal(value, expected[i]);
	}
	close_file(c, file);
}

/* As kfd_chardev.c and amdgpu_amdkfd_gpuvm.c have it, between processes and with DRM files. */
static void memory_is_shared_by_dma_bufs(void **state)
{
	enum { VA = 0x600000, OTHER_VA = 0x700000 };
	struct client c, other;
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	uint32_t kfd = kfd_open_both(&c);
	open_client(&other);
	uint32_t others = kfd_open(&other);
	assert_int_equal(kfd_alloc(&c, kfd, VA, 2 * PAGE, FLAG(VRAM) | FLAG(PUBLIC), &a), 0);
	uint32_t *p = kfd_cpu_map(&c, c.drm, a.mmap_offset, 2 * PAGE);
	p[3] = 0x5eed;
	struct bw_kfd_export_dmabuf out = {.handle = a.handle + 1};
	assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_EXPORT_DMABUF, &out), -EINVAL);
	out.handle = a.handle;
	assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_EXPORT_DMABUF, &out), 0);
	assert_int_equal(c.fd_at, offsetof(struct bw_kfd_export_dmabuf, dmabuf_fd));
	int fd = dup(c.fd_out); /* the next call of this client closes it */

	/* described as it was made */
	uint8_t metadata[64] = {0};
	struct kfd_ioctl_get_dmabuf_info_args info = {.metadata_ptr = (uintptr_t)metadata,
						      .metadata_size = sizeof(metadata)};
	assert_int_equal(file_ioctl(&other, others, AMDKFD_IOC_GET_DMABUF_INFO, &info), -EBADF);
	other.fd_in = fd;
	assert_int_equal(file_ioctl(&other, others, AMDKFD_IOC_GET_DMABUF_INFO, &info), 0);
	assert_true(info.size == 2 * PAGE && info.gpu_id == kfd_gpu_id() && !info.metadata_size);
	assert_int_equal(info.flags, FLAG(VRAM));

	/* imported by a process, which needs an address space for it */
	struct kfd_ioctl_import_dmabuf_args in = {.va_addr = OTHER_VA, .gpu_id = kfd_gpu_id()};
	other.fd_in = fd;
	assert_int_equal(file_ioctl(&other, others, AMDKFD_IOC_IMPORT_DMABUF, &in), -ESRCH);
	assert_int_equal(kfd_acquire(&other, others, other.drm), 0);
	assert_int_equal(file_ioctl(&other, others, AMDKFD_IOC_IMPORT_DMABUF, &in), -EBADF);
	other.fd_in = fd;
	in.gpu_id++;
	assert_int_equal(file_ioctl(&other, others, AMDKFD_IOC_IMPORT_DMABUF, &in), -EINVAL);
	in.gpu_id--;
	other.fd_in = fd;
	assert_int_equal(file_ioctl(&other, others, AMDKFD_IOC_IMPORT_DMABUF, &in), 0);
	assert_int_equal(in.handle, BW_KFD_HANDLE(kfd_gpu_id(), 0));
	assert_int_equal(kfd_map(&other, others, in.handle), 0);

	/* and by a DRM file, which sets metadata */
	struct drm_prime_handle from = {0};
	other.fd_in = fd;
	assert_int_equal(drm_ioctl(&other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from), 0);
	struct drm_amdgpu_gem_metadata m = {.handle = from.handle,
					    .op = AMDGPU_GEM_METADATA_OP_SET_METADATA,
					    .data = {.data_size_bytes = 8, .data = {1, 2}}};
	assert_int_equal(drm_ioctl(&other, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
	info.metadata_size = 7;
	c.fd_in = fd;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info), -EINVAL);
	info.metadata_size = sizeof(metadata);
	c.fd_in = fd;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_DMABUF_INFO, &info), 0);
	assert_int_equal(info.metadata_size, 8);
	assert_memory_equal(metadata, m.data.data, 8);

	/* The memory outlives its maker, and each handle goes by itself. */
	assert_int_equal(kfd_free(&c, kfd, a.handle), 0);
	munmap(p, 2 * PAGE);
	close_client(&c);
	assert_int_equal(server_info(&other).buffers, 1);
	union drm_amdgpu_gem_mmap map = {.in = {from.handle, 0}};
	assert_int_equal(drm_ioctl(&other, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
	p = kfd_cpu_map(&other, other.drm, map.out.addr_ptr, 2 * PAGE);
	assert_int_equal(p[3], 0x5eed);
	munmap(p, 2 * PAGE);
	assert_int_equal(kfd_unmap(&other, others, in.handle), 0);
	assert_int_equal(kfd_free(&other, others, in.handle), 0);
	assert_int_equal(server_info(&other).buffers, 1);
	struct drm_gem_close gone = {.handle = from.handle};
	assert_int_equal(drm_ioctl(&other, DRM_IOCTL_GEM_CLOSE, &gone), 0);
	assert_int_equal(server_info(&other).buffers, 0);
	close(fd);
	close_client(&other);
}

static void queues_are_checked(void **state)
{
	enum { RING = 0x100000, INDICES = 0x200000, STACK_B = 0x3000 };
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args ring, indices;
	uint32_t kfd = kfd_open_both(&c);
	assert_int_equal(kfd_alloc(&c, kfd, RING, PAGE, FLAG(GTT) | FLAG(WRITABLE), &ring), 0);
	assert_int_equal(kfd_alloc(&c, kfd, INDICES, PAGE, FLAG(GTT) | FLAG(WRITABLE), &indices),
			 0);
	const struct kfd_ioctl_create_queue_args good = {
		.ring_base_address = RING,
		.write_pointer_address = INDICES + 0x38,
		.read_pointer_address = INDICES + 0x80,
		.ring_size = PAGE,
		.gpu_id = kfd_gpu_id(),
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100,
		.queue_priority = 15,
		.ctl_stack_size = STACK_B,
	};
	struct kfd_ioctl_create_queue_args a = good;
	uint32_t cmd = AMDKFD_IOC_CREATE_QUEUE;
	assert_int_equal(file_ioctl(&c, kfd, cmd, &a), -EINVAL); /* nothing is mapped */
	assert_int_equal(kfd_map(&c, kfd, ring.handle), 0);
	assert_int_equal(kfd_map(&c, kfd, indices.handle), 0);
#define REFUSED(result, field, value)                                                              \
	a = good, a.field = (value), assert_int_equal(file_ioctl(&c, kfd, cmd, &a), result)
	REFUSED(-EINVAL, queue_percentage, 101);
	REFUSED(-EINVAL, queue_priority, 16);
	REFUSED(-EINVAL, ring_size, 3000);
	REFUSED(-EINVAL, ring_size, 2 * PAGE);
	REFUSED(-EINVAL, ring_base_address, RING + 64);
	REFUSED(-EINVAL, gpu_id, 1);
	REFUSED(-EINVAL, read_pointer_address, 0x900000);
	REFUSED(-EOPNOTSUPP, queue_type, 9);
	REFUSED(-ENOMEM, queue_type, KFD_IOC_QUEUE_TYPE_SDMA_XGMI); /* no engines for that */
	/* as many as there are hardware queues besides the driver's rings */
	struct kfd_ioctl_destroy_queue_args gone = {.queue_id = 5};
	for (uint32_t i = 0; i < 28; i++) {
		a = good;
		assert_int_equal(file_ioctl(&c, kfd, cmd, &a), 0);
		assert_int_equal(a.queue_id, i);
		assert_true(a.doorbell_offset ==
			    (3ull << 62 | (uint64_t)kfd_gpu_id() << 46 | 8 * i));
	}
	REFUSED(-ENOMEM, queue_priority, 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), -EINVAL);
	a = good;
	assert_int_equal(file_ioctl(&c, kfd, cmd, &a), 0);
	assert_int_equal(a.queue_id, 5);
	/* the queue moves to another ring, pauses and goes on (packets: tests/e2e/test_kfd.py) */
	struct kfd_ioctl_update_queue_args u = {RING, 5, PAGE, 100, 3}, bad = u;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_UPDATE_QUEUE, &u), 0);
#define NOT_UPDATED(result, field, value)                                                          \
	bad = u, bad.field = (value);                                                              \
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_UPDATE_QUEUE, &bad), result)
	NOT_UPDATED(-EFAULT, queue_id, 99);
	NOT_UPDATED(-EINVAL, queue_percentage, 101);
	NOT_UPDATED(-EINVAL, queue_priority, 16);
	NOT_UPDATED(-EFAULT, ring_base_address, 3 * RING); /* not a buffer */
	NOT_UPDATED(0, ring_base_address, INDICES);
	NOT_UPDATED(-EFAULT, ring_size, 4 * PAGE);
	NOT_UPDATED(0, queue_percentage, 0);
	NOT_UPDATED(0, ring_base_address, 0); /* without a ring it does not run either */
	NOT_UPDATED(0, queue_percentage, 50);
	/* kfd_ioctl_set_cu_mask() and get_wave_state() of Linux: a queue that does not pause */
	static const uint32_t wgps[33] = {0xc000000c}, half[1] = {0x00000004};
	const struct {
		uint32_t queue, n_bits;
		const void *mask;
		int result;
	} cus[] = {{5, 0, wgps, -EINVAL},   {5, 31, wgps, -EINVAL}, {99, 32, wgps, -EFAULT},
		   {99, 32, half, -EFAULT}, {5, 32, half, -EINVAL}, {5, 32, NULL, -EFAULT},
		   {5, 1056, wgps, 0},	    {5, 32, wgps, 0}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cus); i++) {
		struct kfd_ioctl_set_cu_mask_args m = {cus[i].queue, cus[i].n_bits,
						       (uintptr_t)cus[i].mask};
		assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_SET_CU_MASK, &m), cus[i].result);
	}
	/* Bits 2 and 3: the first WGP of engine 1. 30 and 31: after the first WGPs of 6 engines,
	 * which have two arrays each, the second WGP of engine 3. */
	assert_cus(&c, 1, 2, (uint32_t[]){0, 3, 0, 0xc, 0, 0});
	struct kfd_ioctl_get_queue_wave_state_args saved = {
		.queue_id = 5, .save_area_used_size = 1, .ctl_stack_used_size = 1};
	uint32_t header[5] = {1, 1, 1, 1, 7};
	saved.ctl_stack_address = (uintptr_t)header;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &saved), -EINVAL);
	NOT_UPDATED(0, queue_percentage, 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &saved), 0);
	assert_true(!saved.save_area_used_size && !saved.ctl_stack_used_size);
	assert_memory_equal(header, ((uint32_t[]){STACK_B, 0, STACK_B, 0, 7}), sizeof(header));
	/* one that is made without a share does not run yet */
	a = good, a.queue_percentage = 0;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), 0);
	assert_int_equal(file_ioctl(&c, kfd, cmd, &a), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &saved), 0);
	NOT_UPDATED(0, queue_percentage, 100);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &saved), -EINVAL);
	NOT_UPDATED(0, queue_percentage, 0);
	saved.ctl_stack_address = 16;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &saved), -EFAULT);
	saved.queue_id = 99;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &saved), -EFAULT);
	/* the next queue there has all of them */
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), 0);
	a = good;
	assert_int_equal(file_ioctl(&c, kfd, cmd, &a), 0);
	assert_cus(&c, 1, 2, (uint32_t[]){~0u, ~0u, ~0u, ~0u, ~0u, ~0u});
	/* pqm_set_gws() of Linux: one queue of the process has all of it */
	const struct {
		uint32_t queue, n;
		int result;
	} gws[] = {{99, 1, -EINVAL}, {5, 0, -EINVAL}, {5, 1, 0},  {5, 1, -EBUSY},
		   {6, 64, -EBUSY},  {5, 0, 0},	      {6, 64, 0}, {5, 1, -EBUSY}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(gws); i++) {
		struct kfd_ioctl_alloc_queue_gws_args g = {gws[i].queue, gws[i].n, 7, 0};
		assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ALLOC_QUEUE_GWS, &g),
				 gws[i].result);
		assert_int_equal(g.first_gws, 0);
	}
	gone.queue_id = 6;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), 0);
	struct kfd_ioctl_alloc_queue_gws_args again = {.queue_id = 5, .num_gws = 1};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ALLOC_QUEUE_GWS, &again), 0);
	close_client(&c);
}

/* Two engines, each with three queues that the driver's own rings leave. */
static void sdma_queues_are_of_an_engine(void **state)
{
	enum { RING = 0x100000, INDICES = 0x200000, N_FREE = 3 };
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args ring, indices;
	uint32_t kfd = kfd_open_both(&c);
	assert_int_equal(kfd_alloc(&c, kfd, RING, PAGE, FLAG(GTT) | FLAG(WRITABLE), &ring), 0);
	assert_int_equal(kfd_alloc(&c, kfd, INDICES, PAGE, FLAG(GTT) | FLAG(WRITABLE), &indices),
			 0);
	assert_int_equal(kfd_map(&c, kfd, ring.handle), 0);
	assert_int_equal(kfd_map(&c, kfd, indices.handle), 0);
	const struct bw_kfd_create_queue good = {.args = {.ring_base_address = RING,
							  .write_pointer_address = INDICES,
							  .read_pointer_address = INDICES + 8,
							  .ring_size = PAGE,
							  .gpu_id = kfd_gpu_id(),
							  .queue_type = BW_KFD_QUEUE_SDMA_BY_ENG_ID,
							  .queue_percentage = 100},
						 .sdma_engine_id = 1};
	struct bw_kfd_create_queue a;
	for (unsigned i = 0; i < N_FREE; i++)
		a = good, assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_CREATE_QUEUE, &a), 0);
	a = good, assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_CREATE_QUEUE, &a), -ENOMEM);
	a = good, a.sdma_engine_id = 2; /* there are two */
	assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_CREATE_QUEUE, &a), -ENOMEM);
	for (unsigned i = 0; i < N_FREE; i++) {
		a = good, a.args.queue_type = KFD_IOC_QUEUE_TYPE_SDMA; /* any engine */
		assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_CREATE_QUEUE, &a), 0);
	}
	a = good, a.args.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
	assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_CREATE_QUEUE, &a), -ENOMEM);
	struct kfd_ioctl_destroy_queue_args gone = {.queue_id = 1};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), 0);
	a = good, assert_int_equal(file_ioctl(&c, kfd, BW_KFD_IOC_CREATE_QUEUE, &a), 0);
	assert_int_equal(a.args.queue_id, 1);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, version_and_apertures, numbers_that_are_no_calls,
	     monitors_are_files_that_never_wait, one_process_and_one_address_space,
	     memory_is_checked_as_in_the_kernel, a_buffer_from_begin_to_end, the_gpu_uses_it,
	     pages_of_the_program, pages_of_the_driver, memory_is_shared_by_dma_bufs,
	     queues_are_checked, sdma_queues_are_of_an_engine, memory_that_is_left);
