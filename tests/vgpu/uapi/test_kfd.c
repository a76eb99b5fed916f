/* SPDX-License-Identifier: MIT */
/* /dev/kfd. Results are those of kfd_chardev.c, kfd_events.c and amdgpu_amdkfd_gpuvm.c of Linux
 * 6.12, read; the order of a program's calls was recorded from ROCm's runtime. */
#include "harness.h"

#include <linux/kfd_ioctl.h>

#include "base/newer_kfd.h"
#include "vgpu/uapi/kfd.h"

#define FLAG(name) BW_KFD_ALLOC_##name
#define PAGE 4096ull

static uint32_t gpu_id(void)
{
	return bw_kfd_gpu_id(&bw_profile_navi31);
}

static uint32_t open_kfd(struct client *c)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_vgpu_open_reply r;
	request(c, BW_VGPU_KFD_OPEN, NULL, 0, -1, &m);
	assert_int_equal(m.body_b, sizeof(r));
	memcpy(&r, m.body, sizeof(r));
	bw_msg_fini(&m);
	assert_int_equal(r.result, 0);
	return r.file;
}

static int acquire(struct client *c, uint32_t kfd, uint32_t drm)
{
	struct kfd_ioctl_acquire_vm_args a = {drm, gpu_id()};
	return file_ioctl(c, kfd, AMDKFD_IOC_ACQUIRE_VM, &a);
}

/* A client with both files and an address space. */
static uint32_t open_both(struct client *c)
{
	open_client(c);
	uint32_t kfd = open_kfd(c);
	assert_int_equal(acquire(c, kfd, c->drm), 0);
	return kfd;
}

static int alloc(struct client *c, uint32_t kfd, uint64_t va, uint64_t size_b, uint32_t flags,
		 struct kfd_ioctl_alloc_memory_of_gpu_args *out)
{
	*out = (struct kfd_ioctl_alloc_memory_of_gpu_args){
		.va_addr = va, .size = size_b, .gpu_id = gpu_id(), .flags = flags};
	return file_ioctl(c, kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, out);
}

static int map_or_unmap(struct client *c, uint32_t kfd, uint32_t cmd, uint64_t handle)
{
	uint32_t ids[] = {gpu_id()};
	struct kfd_ioctl_map_memory_to_gpu_args a = {
		.handle = handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 1};
	int r = file_ioctl(c, kfd, cmd, &a);
	assert_int_equal(a.n_success, !r);
	return r;
}
#define map(c, kfd, handle) map_or_unmap(c, kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, handle)
#define unmap(c, kfd, handle) map_or_unmap(c, kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, handle)

static int free_memory(struct client *c, uint32_t kfd, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args a = {handle};
	return file_ioctl(c, kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &a);
}

static void *cpu_map(struct client *c, uint32_t file, uint64_t offset, uint64_t size_b)
{
	int fd;
	uint64_t at;
	assert_int_equal(drm_mmap(c, file, offset, size_b, &fd, &at), 0);
	void *p = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	assert_true(p != MAP_FAILED);
	close(fd);
	return p;
}

/* ---- the process ---- */

static void version_and_apertures(void **state)
{
	struct client c;
	open_client(&c);
	uint32_t kfd = open_kfd(&c);
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
	assert_int_equal(got[0].gpu_id, gpu_id());
	/* as recorded from Linux */
	assert_true(got[0].lds_base == 0x1000000000000 && got[0].scratch_base == 0x2000000000000);
	assert_true(got[0].gpuvm_base == 0x10000 && got[0].gpuvm_limit == 0x7fffffffffff);
	assert_int_equal(got[1].gpu_id, 0);
	a.num_of_nodes = 3;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &a), -EINVAL);
	struct kfd_ioctl_get_clock_counters_args t = {.gpu_id = gpu_id()};
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
	uint32_t kfd = open_both(&c);
	assert_int_equal(file_ioctl(&c, kfd, _IOWR('K', 0, uint64_t), arg), -ENOTTY);
	assert_int_equal(file_ioctl(&c, kfd, _IOWR('K', 0x27, uint64_t), arg), -ENOTTY);
	assert_int_equal(file_ioctl(&c, kfd, _IOWR('K', 0xff, uint64_t), arg), -ENOTTY);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_SET_XNACK_MODE, &minus_one), -EPERM);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DBG_REGISTER_DEPRECATED, arg), -EPERM);
	/* not supported */
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_SMI_EVENTS, arg), -EINVAL);
	close_client(&c);
}

static void one_process_and_one_address_space(void **state)
{
	struct client c, other;
	uint32_t kfd = open_both(&c), second, more;
	uint32_t again = open_kfd(&c);
	open_client(&other);
	uint32_t others = open_kfd(&other);
	assert_int_equal(acquire(&c, again, c.drm), 0); /* what it has already */
	assert_int_equal(drm_open(&c, 128, &second), 0);
	assert_int_equal(acquire(&c, kfd, second), -EBUSY);
	assert_int_equal(acquire(&c, kfd, 999), -EINVAL);
	assert_int_equal(acquire(&c, kfd, kfd), -EINVAL);
	assert_int_equal(acquire(&other, others, 999), -EINVAL);
	struct kfd_ioctl_acquire_vm_args wrong = {c.drm, gpu_id() + 1};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_ACQUIRE_VM, &wrong), -EINVAL);
	/* one process, whichever file asks */
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	assert_int_equal(alloc(&c, kfd, 0x200000, PAGE, FLAG(GTT) | FLAG(WRITABLE), &a), 0);
	assert_int_equal(map(&c, again, a.handle), 0);
	/* another process has neither the address space nor the buffer */
	assert_int_equal(alloc(&other, others, 0x200000, PAGE, FLAG(GTT), &a), -ENODEV);
	assert_int_equal(acquire(&other, others, other.drm), 0);
	assert_int_equal(map(&other, others, BW_KFD_HANDLE(gpu_id(), 0)), -ENOMEM);
	/* The address space stays when the program closes its file. */
	assert_int_equal(close_file(&c, c.drm), 0);
	assert_int_equal(alloc(&c, kfd, 0x300000, PAGE, FLAG(VRAM), &a), 0);
	assert_int_equal(map(&c, kfd, a.handle), 0);
	assert_int_equal(close_file(&c, kfd), 0);
	assert_int_equal(unmap(&c, again, a.handle), 0);
	more = open_kfd(&c);
	assert_int_equal(free_memory(&c, more, a.handle), 0);
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
	uint32_t kfd = open_both(&c);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		int r = alloc(&c, kfd, 0x100000, rows[i].size, rows[i].flags, &a);
		if (r != rows[i].result)
			fail_msg("row %zu: %d, not %d", i, r, rows[i].result);
	}
	close_client(&c);
}

static void a_buffer_from_begin_to_end(void **state)
{
	struct client c, other;
	struct kfd_ioctl_alloc_memory_of_gpu_args a, same;
	uint32_t kfd = open_both(&c);
	open_client(&other);
	assert_int_equal(alloc(&c, kfd, 0x400000, 2 * PAGE, FLAG(VRAM) | FLAG(WRITABLE), &a), 0);
	assert_int_equal(a.handle >> 32, gpu_id());
	assert_int_equal((uint32_t)a.handle, 0); /* from 0 on */
	/* mapped through the render node, and only its own */
	uint32_t *p = cpu_map(&c, c.drm, a.mmap_offset, 2 * PAGE);
	int fd;
	uint64_t at;
	assert_int_equal(drm_mmap(&other, other.drm, a.mmap_offset, PAGE, &fd, &at), -EACCES);
	assert_int_equal(p[0], 0);
	assert_int_equal(unmap(&c, kfd, a.handle), -EINVAL);
	assert_int_equal(map(&c, kfd, a.handle), 0);
	assert_int_equal(map(&c, kfd, a.handle), 0); /* nothing more to do */
	assert_int_equal(free_memory(&c, kfd, a.handle), -EBUSY);
	/* the address is taken */
	assert_int_equal(alloc(&c, kfd, 0x401000, PAGE, FLAG(GTT), &same), 0);
	assert_int_equal(map(&c, kfd, same.handle), -EINVAL);
	assert_int_equal(free_memory(&c, kfd, same.handle), 0);
	assert_int_equal(unmap(&c, kfd, a.handle), 0);
	assert_int_equal(free_memory(&c, kfd, a.handle), 0);
	assert_int_equal(free_memory(&c, kfd, a.handle), -EINVAL);
	assert_int_equal(free_memory(&c, kfd, 7), -EINVAL);
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
	uint32_t kfd = open_both(&c);
	uint64_t seq, status;
	/* twice in a row, as rings of gfx8 want it */
	assert_int_equal(
		alloc(&c, kfd, VA, 2 * PAGE, FLAG(GTT) | FLAG(WRITABLE) | FLAG(AQL_QUEUE_MEM), &a),
		0);
	assert_int_equal(map(&c, kfd, a.handle), 0);
	uint32_t *p = cpu_map(&c, c.drm, a.mmap_offset, PAGE);
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
	uint32_t kfd = open_both(&c);
	struct kfd_ioctl_alloc_memory_of_gpu_args a = {.va_addr = 0x600000,
						       .size = PAGE,
						       .mmap_offset = 0x600000,
						       .gpu_id = gpu_id(),
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
	assert_int_equal(map(&c, kfd, a.handle), 0);
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
	uint32_t kfd = open_both(&c);
	assert_int_equal(alloc(&c, kfd, 0x100000, 8192, FLAG(DOORBELL), &doorbells), 0);
	assert_int_equal(alloc(&c, kfd, 0x200000, PAGE, FLAG(MMIO_REMAP), &mmio), 0);
	assert_true(mmio.mmap_offset == (uint64_t)gpu_id() << 46);
	/* the same doorbells through both files */
	uint64_t *p = cpu_map(&c, c.drm, doorbells.mmap_offset, 8192);
	uint64_t *q = cpu_map(&c, kfd, 3ull << 62 | (uint64_t)gpu_id() << 46, 8192);
	p[5] = 77;
	assert_int_equal(q[5], 77);
	munmap(cpu_map(&c, kfd, mmio.mmap_offset, PAGE), PAGE);
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
	uint32_t kfd = open_both(&c);
	struct kfd_ioctl_get_available_memory_args before = {.gpu_id = gpu_id()}, after = before;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &before), 0);
	assert_int_equal(before.available % (2 << 20), 0);
	assert_int_equal(alloc(&c, kfd, 0, 64 << 20, FLAG(VRAM), &b), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_AVAILABLE_MEMORY, &after), 0);
	assert_int_equal(before.available - after.available, 64 << 20);
	close_client(&c);
}

/* ---- queues; tests/e2e/test_kfd.py runs kernels ---- */

static void queues_are_checked(void **state)
{
	enum { RING = 0x100000, INDICES = 0x200000 };
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args ring, indices;
	uint32_t kfd = open_both(&c);
	assert_int_equal(alloc(&c, kfd, RING, PAGE, FLAG(GTT) | FLAG(WRITABLE), &ring), 0);
	assert_int_equal(alloc(&c, kfd, INDICES, PAGE, FLAG(GTT) | FLAG(WRITABLE), &indices), 0);
	const struct kfd_ioctl_create_queue_args good = {
		.ring_base_address = RING,
		.write_pointer_address = INDICES + 0x38,
		.read_pointer_address = INDICES + 0x80,
		.ring_size = PAGE,
		.gpu_id = gpu_id(),
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_percentage = 100,
		.queue_priority = 15,
	};
	struct kfd_ioctl_create_queue_args a = good;
	uint32_t cmd = AMDKFD_IOC_CREATE_QUEUE;
	assert_int_equal(file_ioctl(&c, kfd, cmd, &a), -EINVAL); /* nothing is mapped */
	assert_int_equal(map(&c, kfd, ring.handle), 0);
	assert_int_equal(map(&c, kfd, indices.handle), 0);
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
		assert_true(a.doorbell_offset == (3ull << 62 | (uint64_t)gpu_id() << 46 | 8 * i));
	}
	REFUSED(-ENOMEM, queue_priority, 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_QUEUE, &gone), -EINVAL);
	a = good;
	assert_int_equal(file_ioctl(&c, kfd, cmd, &a), 0);
	assert_int_equal(a.queue_id, 5);
	/* the queue stays where it is; others do not move, and do not pause here */
	struct kfd_ioctl_update_queue_args u = {RING, 5, PAGE, 100, 3}, bad = u;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_UPDATE_QUEUE, &u), 0);
#define NOT_UPDATED(result, field, value)                                                          \
	bad = u, bad.field = (value);                                                              \
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_UPDATE_QUEUE, &bad), result)
	NOT_UPDATED(-EFAULT, queue_id, 99);
	NOT_UPDATED(-EINVAL, queue_percentage, 101);
	NOT_UPDATED(-EINVAL, queue_priority, 16);
	NOT_UPDATED(-EOPNOTSUPP, queue_percentage, 0);
	NOT_UPDATED(-EOPNOTSUPP, ring_base_address, 2 * RING);
	close_client(&c);
}

/* Two engines, each with three queues that the driver's own rings leave. */
static void sdma_queues_are_of_an_engine(void **state)
{
	enum { RING = 0x100000, INDICES = 0x200000, N_FREE = 3 };
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args ring, indices;
	uint32_t kfd = open_both(&c);
	assert_int_equal(alloc(&c, kfd, RING, PAGE, FLAG(GTT) | FLAG(WRITABLE), &ring), 0);
	assert_int_equal(alloc(&c, kfd, INDICES, PAGE, FLAG(GTT) | FLAG(WRITABLE), &indices), 0);
	assert_int_equal(map(&c, kfd, ring.handle), 0);
	assert_int_equal(map(&c, kfd, indices.handle), 0);
	const struct bw_kfd_create_queue good = {.args = {.ring_base_address = RING,
							  .write_pointer_address = INDICES,
							  .read_pointer_address = INDICES + 8,
							  .ring_size = PAGE,
							  .gpu_id = gpu_id(),
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

/* ---- events ---- */

static struct kfd_ioctl_create_event_args make_event(struct client *c, uint32_t kfd, uint32_t type,
						     bool auto_reset)
{
	struct kfd_ioctl_create_event_args a = {.event_type = type, .auto_reset = auto_reset};
	assert_int_equal(file_ioctl(c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), 0);
	return a;
}

static int set_event(struct client *c, uint32_t kfd, uint32_t id)
{
	struct kfd_ioctl_set_event_args a = {.event_id = id};
	return file_ioctl(c, kfd, AMDKFD_IOC_SET_EVENT, &a);
}

/* The call's own result is 0 unless said otherwise; returns KFD_IOC_WAIT_RESULT_*. */
static uint32_t wait_events(struct client *c, uint32_t kfd, struct bw_kfd_event_data *events,
			    uint32_t n, bool all, uint32_t timeout_ms, int result)
{
	struct kfd_ioctl_wait_events_args a = {(uintptr_t)events, n, all, timeout_ms, 0};
	assert_int_equal(file_ioctl(c, kfd, AMDKFD_IOC_WAIT_EVENTS, &a), result);
	return a.wait_result;
}

enum { COMPLETE = KFD_IOC_WAIT_RESULT_COMPLETE, TIMEOUT = KFD_IOC_WAIT_RESULT_TIMEOUT };

static void events_have_ids_and_slots(void **state)
{
	struct client c;
	struct kfd_ioctl_alloc_memory_of_gpu_args page, small;
	uint32_t kfd = open_both(&c);
	assert_int_equal(alloc(&c, kfd, 0x100000, PAGE, FLAG(GTT), &small), 0);
	assert_int_equal(alloc(&c, kfd, 0x200000, 0x8000, FLAG(GTT), &page), 0);
	struct kfd_ioctl_create_event_args a = {.event_page_offset = small.handle,
						.event_type = KFD_IOC_EVENT_MEMORY};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -EINVAL);
	a.event_page_offset = page.handle;
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), 0);
	assert_int_equal(a.event_id, 0x40000000);
	uint64_t *slots = cpu_map(&c, c.drm, page.mmap_offset, 0x8000);
	assert_true(slots[0] == UINT64_MAX && slots[4095] == UINT64_MAX);
	slots[1] = 5;
	a = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true);
	assert_int_equal(a.event_id, 1);
	assert_int_equal(a.event_trigger_data, 1);
	assert_int_equal(a.event_slot_index, 1);
	assert_true(a.event_page_offset == 2ull << 62);
	assert_true(slots[1] == UINT64_MAX);
	assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_HW_EXCEPTION, false).event_id,
			 0x40000001);
	/* a second page, and the end of the one that is used */
	a = (struct kfd_ioctl_create_event_args){.event_page_offset = page.handle};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -EINVAL);
	assert_int_equal(free_memory(&c, kfd, page.handle), -EPERM);
	/* all slots but 0 */
	for (unsigned i = 2; i < 4096; i++)
		assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id, i);
	a = (struct kfd_ioctl_create_event_args){.event_type = KFD_IOC_EVENT_SIGNAL};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -ENOSPC);
	struct kfd_ioctl_destroy_event_args gone = {.event_id = 100};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_EVENT, &gone), 0);
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_DESTROY_EVENT, &gone), -EINVAL);
	assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id, 100);
	munmap(slots, 0x8000);
	close_client(&c);
}

static void the_drivers_own_event_page(void **state)
{
	struct client c;
	uint32_t kfd = open_both(&c);
	for (unsigned i = 1; i < 256; i++)
		assert_int_equal(make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id, i);
	struct kfd_ioctl_create_event_args a = {.event_type = KFD_IOC_EVENT_SIGNAL};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_CREATE_EVENT, &a), -ENOSPC);
	uint64_t *slots = cpu_map(&c, kfd, 2ull << 62, PAGE);
	assert_true(slots[255] == UINT64_MAX);
	munmap(slots, PAGE);
	close_client(&c);
}

static void signals_and_their_ages(void **state)
{
	struct client c;
	uint32_t kfd = open_both(&c);
	uint32_t once = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id;
	uint32_t stays = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, false).event_id;
	uint32_t memory = make_event(&c, kfd, KFD_IOC_EVENT_MEMORY, false).event_id;
	struct bw_kfd_event_data both[] = {{.event_id = once}, {.event_id = stays}};
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), TIMEOUT);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 20, 0), TIMEOUT);
	assert_int_equal(set_event(&c, kfd, once), 0);
	assert_int_equal(wait_events(&c, kfd, both, 2, true, 0, 0), TIMEOUT); /* it is used up */
	assert_int_equal(wait_events(&c, kfd, both, 1, false, 0, 0), TIMEOUT);
	assert_int_equal(set_event(&c, kfd, stays), 0);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), COMPLETE);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), COMPLETE);
	struct kfd_ioctl_reset_event_args reset = {.event_id = stays};
	assert_int_equal(file_ioctl(&c, kfd, AMDKFD_IOC_RESET_EVENT, &reset), 0);
	assert_int_equal(wait_events(&c, kfd, both, 2, false, 0, 0), TIMEOUT);
	/* ages: from 1, and one more with each signal */
	struct bw_kfd_event_data aged = {.event_id = once, .last_event_age = 1};
	assert_int_equal(wait_events(&c, kfd, &aged, 1, true, 0, 0), COMPLETE);
	assert_int_equal(aged.last_event_age, 2);
	assert_int_equal(wait_events(&c, kfd, &aged, 1, true, 0, 0), TIMEOUT);
	/* the program signals only events with a slot */
	assert_int_equal(set_event(&c, kfd, memory), -EINVAL);
	assert_int_equal(set_event(&c, kfd, 4000), -EINVAL);
	struct bw_kfd_event_data absent = {.event_id = 4000};
	assert_int_equal(wait_events(&c, kfd, &absent, 1, true, 0, -EINVAL),
			 KFD_IOC_WAIT_RESULT_FAIL);
	assert_int_equal(wait_events(&c, kfd, NULL, 0, true, 0, 0), COMPLETE);
	close_client(&c);
}

struct waiting {
	struct client c;
	uint32_t kfd;
	struct bw_kfd_event_data data;
	int result;
	uint32_t wait_result;
};

static void *wait_on_thread(void *arg)
{
	struct waiting *w = arg;
	struct kfd_ioctl_wait_events_args a = {(uintptr_t)&w->data, 1, 1, UINT32_MAX, 0};
	w->result = file_ioctl(&w->c, w->kfd, AMDKFD_IOC_WAIT_EVENTS, &a);
	w->wait_result = a.wait_result;
	return NULL;
}

/* A call that waits on another connection of the same process; act() makes it end. */
static void while_one_waits(void (*act)(struct client *c, uint32_t kfd, uint32_t id), int result,
			    uint32_t wait_result)
{
	struct client c;
	struct waiting w = {0};
	pthread_t thread;
	uint32_t kfd = open_both(&c);
	uint32_t id = make_event(&c, kfd, KFD_IOC_EVENT_SIGNAL, true).event_id;
	connect_client(&w.c, c.token);
	w.kfd = kfd;
	w.data.event_id = id;
	assert_int_equal(pthread_create(&thread, NULL, wait_on_thread, &w), 0);
	usleep(20000); /* so that it mostly waits already; the result is the same if not */
	act(&c, kfd, id);
	pthread_join(thread, NULL);
	assert_int_equal(w.result, result);
	assert_int_equal(w.wait_result, wait_result);
	close_client(&w.c);
	close_client(&c);
}

static void act_set(struct client *c, uint32_t kfd, uint32_t id)
{
	assert_int_equal(set_event(c, kfd, id), 0);
}

static void a_signal_ends_a_wait(void **state)
{
	while_one_waits(act_set, 0, COMPLETE);
}

TESTS_AROUND(start_gpu, stop_gpu, version_and_apertures, numbers_that_are_no_calls,
	     one_process_and_one_address_space, memory_is_checked_as_in_the_kernel,
	     a_buffer_from_begin_to_end, the_gpu_uses_it, pages_of_the_program, pages_of_the_driver,
	     queues_are_checked, sdma_queues_are_of_an_engine, memory_that_is_left,
	     events_have_ids_and_slots, the_drivers_own_event_page, signals_and_their_ages,
	     a_signal_ends_a_wait);
