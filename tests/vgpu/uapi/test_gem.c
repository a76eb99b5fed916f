/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int create(struct client *c, uint64_t size, uint64_t align, uint64_t domains, uint64_t flags,
		  uint32_t *out)
{
	union drm_amdgpu_gem_create a = {.in = {size, align, domains, flags}};
	int r = drm_ioctl(c, DRM_IOCTL_AMDGPU_GEM_CREATE, &a);
	*out = a.out.handle;
	return r;
}

static void create_checks_as_the_kernel(void **state)
{
	/* clang-format off */
	static const struct { uint64_t size, domains, flags; int result; } rows[] = {
		{4096, 4, 0, 0}, {1, 2, 0, 0}, {640, 6, 0x85, 0}, {4096, 1, 0, 0}, {4096, 4, 0x1082, 0},
		{0, 4, 0, -ENOSPC},
		{4096, 0x40, 0, -EINVAL},            /* DOORBELL */
		{4096, 0x80, 0, -EINVAL},            /* no such domain */
		{4096, 4, 1 << 5, -EINVAL},          /* VRAM_CONTIGUOUS is the kernel's own */
		{4096, 4, 1 << 9, -EINVAL},          /* WIPE_ON_RELEASE */
		{4096, 4, 1 << 10, -EINVAL},         /* ENCRYPTED without TMZ */
		{4096, 4, 1 << 14, -EINVAL},         /* UNCACHED: 7.1 */
		{4096, 4, 1 << 16, 0},               /* GFX12_DCC */
		{4096, 8, 1 << 6, -EINVAL},          /* GDS, always valid */
		{4096, 8 | 4, 0, -EINVAL}, {4096, 8 | 16, 0, -EINVAL},
		{1ull << 46, 4, 0, -ENOMEM}, {UINT64_MAX, 2, 0, -ENOSPC}, {UINT64_MAX - 4094, 4, 0, -ENOSPC},
		{4096, 8, 0, 0}, {1, 16, 0, 0}, {1ull << 40, 32, 0, -ENOSPC}, /* GDS, GWS, OA: in pages */
	};
	/* clang-format on */
	struct client c;
	open_client(&c);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t handle;
		int r = create(&c, rows[i].size, 0, rows[i].domains, rows[i].flags, &handle);
		if (r != rows[i].result)
			fail_msg("row %zu: %d, not %d", i, r, rows[i].result);
	}
	uint32_t handle;
	assert_int_equal(create(&c, 4096, UINT64_MAX, 4, 0, &handle),
			 0); /* 0 as 32 bits of pages */
	assert_int_equal(create(&c, 4096, 1ull << 31, 4, 0, &handle), 0);
	close_client(&c);
}

static void memory_is_shared_zeroed_and_sealed(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer b = make_buffer(&c, 10000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	assert_int_equal(b.size_b, 12288);
	for (unsigned i = 0; i < 12288; i++)
		assert_int_equal(((uint8_t *)b.cpu)[i], 0);
	/* The same pages through a second mapping. */
	union drm_amdgpu_gem_mmap map = {.in = {b.handle, 0}};
	int fd;
	uint64_t offset;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
	assert_int_equal(drm_mmap(&c, c.drm, map.out.addr_ptr, 4096, &fd, &offset), 0);
	uint32_t *again = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	*(uint32_t *)b.cpu = 0x12345678;
	assert_int_equal(*again, 0x12345678);
	assert_int_equal(ftruncate(fd, 0),
			 -1); /* a client cannot take pages away from the others */
	munmap(again, 4096);
	close(fd);
	assert_int_equal(drm_mmap(&c, c.drm, map.out.addr_ptr + 4096, 4096, &fd, &offset), -EINVAL);
	assert_int_equal(drm_mmap(&c, c.drm, map.out.addr_ptr, 16384, &fd, &offset), -EINVAL);
	assert_int_equal(drm_mmap(&c, c.drm, map.out.addr_ptr, 0, &fd, &offset), -EINVAL);
	assert_int_equal(drm_mmap(&c, c.drm, map.out.addr_ptr, UINT64_MAX, &fd, &offset), -EINVAL);
	free_buffer(&c, &b);
	close_client(&c);
}

static void mmap_needs_cpu_access(void **state)
{
	struct client c;
	uint32_t handle;
	open_client(&c);
	assert_int_equal(create(&c, 4096, 0, 4, AMDGPU_GEM_CREATE_NO_CPU_ACCESS, &handle), 0);
	union drm_amdgpu_gem_mmap map = {.in = {handle, 0}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
	map.in.handle = 999;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -ENOENT);
	close_client(&c);
}

static void another_client_sees_nothing(void **state)
{
	struct client a, b;
	open_client(&a);
	open_client(&b);
	struct buffer buf = make_buffer(&a, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	union drm_amdgpu_gem_mmap map = {.in = {buf.handle, 0}};
	int fd;
	uint64_t offset;
	assert_int_equal(drm_ioctl(&a, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
	assert_int_equal(drm_mmap(&b, b.drm, map.out.addr_ptr, 4096, &fd, &offset), -EACCES);
	union drm_amdgpu_gem_mmap other = {.in = {buf.handle, 0}};
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_AMDGPU_GEM_MMAP, &other), -ENOENT);
	/* And a file number of one client is nothing to the other. */
	uint32_t spare;
	assert_int_equal(drm_open(&a, 128, &spare), 0);
	assert_int_equal(drm_mmap(&b, spare, map.out.addr_ptr, 4096, &fd, &offset), -EBADF);
	close_client(&a);
	close_client(&b);
}

static void op_metadata_and_wait(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer b =
		make_buffer(&c, 5000, AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_EXPLICIT_SYNC, 0);
	struct drm_amdgpu_gem_create_in info;
	struct drm_amdgpu_gem_op op = {b.handle, AMDGPU_GEM_OP_GET_GEM_CREATE_INFO,
				       (uintptr_t)&info};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_OP, &op), 0);
	assert_int_equal(info.bo_size, 8192);
	assert_int_equal(info.domains, 4);
	assert_true(info.domain_flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC);
	op.value = 16; /* not our memory */
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_OP, &op), -EFAULT);
	op.op = 9;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_OP, &op), -EINVAL);
	op.handle = 77;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_OP, &op), -ENOENT);

	struct drm_amdgpu_gem_metadata m = {.handle = b.handle,
					    .op = AMDGPU_GEM_METADATA_OP_SET_METADATA,
					    .data = {1, 2, 8, {3, 4}}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
	m = (struct drm_amdgpu_gem_metadata){.handle = b.handle,
					     .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
	assert_int_equal(m.data.tiling_info, 2);
	assert_int_equal(m.data.data_size_bytes, 8);
	assert_int_equal(m.data.data[1], 4);
	/* Without data the flags stay. */
	m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
	m.data.flags = 99, m.data.tiling_info = 5, m.data.data_size_bytes = 0;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
	m.op = AMDGPU_GEM_METADATA_OP_GET_METADATA;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
	assert_int_equal(m.data.flags, 1);
	assert_int_equal(m.data.tiling_info, 5);
	assert_int_equal(m.data.data_size_bytes, 0);
	m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
	m.data.data_size_bytes = 257;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_METADATA, &m), -EINVAL);

	union drm_amdgpu_gem_wait_idle w = {.in = {b.handle, 0, 0}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &w), 0);
	assert_int_equal(w.out.status, 0);
	struct drm_amdgpu_gem_userptr up = {
		.addr = 4096, .size = 4096, .flags = AMDGPU_GEM_USERPTR_REGISTER};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), -ENODEV);
	up.addr = 1;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), -EINVAL);
	up.addr = 4096, up.flags = 0;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), -EACCES);
	close_client(&c);
}

/* Pages of a program come as a memfd that nobody can shorten; they are not mapped or shared again.
 */
static void user_pages(void **state)
{
	struct client c;
	open_client(&c);
	int fd = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(fd >= 0 && !ftruncate(fd, 0x12000));
	struct drm_amdgpu_gem_userptr up = {
		.addr = 0x10000, .size = 8192, .flags = AMDGPU_GEM_USERPTR_REGISTER};
	c.fd_in = fd;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), -EFAULT);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	up.size = 12288; /* the file ends before */
	c.fd_in = fd;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), -EFAULT);
	up.addr = UINT64_MAX - 8191;
	c.fd_in = fd;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), -EFAULT);
	up.addr = 0x10000, up.size = 8192;
	c.fd_in = fd;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), 0);
	assert_int_not_equal(up.handle, 0);
	union drm_amdgpu_gem_mmap map = {.in = {up.handle, 0}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
	struct drm_prime_handle to = {.handle = up.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_PRIME_HANDLE_TO_FD, &to), -EPERM);
	to.fd = fd;
	c.fd_in = fd;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_PRIME_FD_TO_HANDLE, &to), -EINVAL);
	struct drm_amdgpu_gem_op op = {up.handle, AMDGPU_GEM_OP_SET_PLACEMENT,
				       AMDGPU_GEM_DOMAIN_VRAM};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_OP, &op), -EPERM);
	struct drm_gem_close gone = {.handle = up.handle};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_GEM_CLOSE, &gone), 0);
	close(fd);
	close_client(&c);
}

/* A page of the program is the same one in each buffer that has it: where it lies in the program,
 * it lies in the file. */
static void pages_of_two_buffers(void **state)
{
	enum { FIRST_VA = 0x20000000, SECOND_VA = 0x30000000, IB_VA = 0x40000000 };
	struct client c;
	open_client(&c);
	int fd = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(fd >= 0 && !ftruncate(fd, 1ll << 47));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	/* pages 0x7fff0000 and 0x7fff1000; 0x7fff1000 and 0x7fff2000 */
	for (unsigned i = 0; i < 2; i++) {
		struct drm_amdgpu_gem_userptr up = {.addr = 0x7fff0000 + i * 4096,
						    .size = 8192,
						    .flags = AMDGPU_GEM_USERPTR_REGISTER};
		c.fd_in = fd;
		assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up), 0);
		assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, up.handle, i ? SECOND_VA : FIRST_VA, 0,
				       8192, AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE),
				 0);
	}
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB_VA);
	struct bw_pm4_stream p = {0};
	const uint32_t words[] = {0x11111111, 0x22222222, 0x33333333};
	bw_pm4_put_write_mem(&p, FIRST_VA, &words[0], 1);
	bw_pm4_put_write_mem(&p, FIRST_VA + 4096, &words[1], 1);
	bw_pm4_put_write_mem(&p, SECOND_VA + 4, &words[2], 1);
	assert_false(p.failed);
	memcpy(ib.cpu, p.data, p.len * 4);
	uint32_t ctx = make_ctx(&c);
	uint64_t seq, status;
	assert_int_equal(
		submit(&c, ctx, AMDGPU_HW_IP_COMPUTE, 0, IB_VA, (uint32_t)p.len, NULL, 0, &seq), 0);
	bw_pm4_stream_free(&p);
	assert_int_equal(wait_cs(&c, ctx, AMDGPU_HW_IP_COMPUTE, 0, seq, SECONDS(60), &status), 0);
	assert_int_equal(status, 0);
	uint32_t got[2];
	assert_int_equal(pread(fd, got, 4, 0x7fff0000), 4);
	assert_int_equal(got[0], words[0]);
	assert_int_equal(pread(fd, got, 8, 0x7fff1000), 8);
	assert_int_equal(got[0], words[1]);
	assert_int_equal(got[1], words[2]);
	close(fd);
	close_client(&c);
}

/* What dma-bufs and sync_files are asked, by handles. */
static void fences_of_buffers(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer buf = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	struct drm_syncobj_create make = {0};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_CREATE, &make), 0);
	struct bw_vgpu_fences a = {.bo = buf.handle, .syncobj = make.handle};
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_BO_ADD_FENCE, &a), -EINVAL); /* has none */
	/* An idle buffer's are done. */
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_BO_FENCES, &a), 0);
	struct drm_syncobj_wait wait = {.handles = (uintptr_t)&a.syncobj, .count_handles = 1};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_BO_ADD_FENCE, &a), 0);
	a.syncobj = 99;
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_BO_ADD_FENCE, &a), -ENOENT);
	a.syncobj = make.handle, a.bo = 99;
	assert_int_equal(drm_ioctl(&c, BW_VGPU_IOCTL_BO_FENCES, &a), -ENOENT);
	a.bo = buf.handle;
	assert_int_equal(drm_ioctl(&c, _IOWR(BW_VGPU_IOCTL_TYPE, 9, struct bw_vgpu_fences), &a),
			 -ENOTTY);
	uint32_t cut = 0;
	assert_int_equal(drm_ioctl(&c, _IOWR(BW_VGPU_IOCTL_TYPE, 0, uint32_t), &cut), -ENOTTY);
	free_buffer(&c, &buf);
	close_client(&c);
}

/* GDS, GWS and OA: a size and a handle, no memory; what is mapped there is not. */
static void on_chip_memory_is_a_name(void **state)
{
	struct client c;
	uint32_t handle;
	struct drm_amdgpu_gem_create_in info;
	open_client(&c);
	assert_int_equal(create(&c, 3, 0, AMDGPU_GEM_DOMAIN_GDS, 0, &handle), 0);
	struct drm_amdgpu_gem_op op = {handle, AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, (uintptr_t)&info};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_OP, &op), 0);
	assert_int_equal(info.bo_size, 4 * 4096);
	assert_int_equal(info.domains, AMDGPU_GEM_DOMAIN_GDS);
	union drm_amdgpu_gem_mmap map = {.in = {handle, 0}};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
	struct drm_amdgpu_gem_va va = {.handle = handle,
				       .operation = AMDGPU_VA_OP_MAP,
				       .flags = AMDGPU_VM_PAGE_READABLE,
				       .va_address = 0x10000000,
				       .map_size = 4096};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
	struct drm_gem_close gone = {.handle = handle};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_GEM_CLOSE, &gone), 0);
	assert_int_equal(server_info(&c).buffers, 0);
	close_client(&c);
}

static void prime_shares_a_buffer(void **state)
{
	struct client a, b;
	open_client(&a);
	open_client(&b);
	struct buffer buf = make_buffer(&a, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	strcpy(buf.cpu, "shared");
	struct drm_prime_handle to = {.handle = buf.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
	assert_int_equal(drm_ioctl(&a, DRM_IOCTL_PRIME_HANDLE_TO_FD, &to), 0);
	assert_true(a.fd_out >= 0);
	assert_int_equal(a.fd_at, offsetof(struct drm_prime_handle, fd));

	struct drm_prime_handle from = {.fd = a.fd_out};
	b.fd_in = a.fd_out;
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from), 0);
	uint32_t handle = from.handle;
	b.fd_in = a.fd_out; /* the same buffer has one handle */
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from), 0);
	assert_int_equal(from.handle, handle);
	union drm_amdgpu_gem_mmap map = {.in = {handle, 0}};
	int fd;
	uint64_t offset;
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
	assert_int_equal(drm_mmap(&b, b.drm, map.out.addr_ptr, 4096, &fd, &offset), 0);
	char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	assert_string_equal(p, "shared");
	/* It outlives the one that made it. */
	assert_int_equal(server_info(&b).buffers, 1);
	close_client(&a);
	assert_int_equal(server_info(&b).buffers, 1);
	assert_string_equal(p, "shared");
	munmap(p, 4096);
	close(fd);

	int pipe_fd[2];
	assert_int_equal(pipe(pipe_fd), 0);
	b.fd_in = pipe_fd[0];
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from),
			 -EINVAL); /* no buffer of ours */
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from),
			 -EBADF); /* no fd came */
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	to.handle = 99;
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_HANDLE_TO_FD, &to), -ENOENT);
	struct buffer valid =
		make_buffer(&b, 4096, AMDGPU_GEM_DOMAIN_GTT, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, 0);
	to.handle = valid.handle;
	assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_HANDLE_TO_FD, &to), -EPERM);
	close_client(&b);
}

/* Exports a new buffer, which then has no handle: the dma-buf alone keeps it. */
static int export_alone(struct client *c, const char *text)
{
	struct buffer buf = make_buffer(c, 1 << 20, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	strcpy(buf.cpu, text);
	struct drm_prime_handle to = {.handle = buf.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_PRIME_HANDLE_TO_FD, &to), 0);
	const int fd = fcntl(c->fd_out, F_DUPFD_CLOEXEC, 3); /* the next call closes c->fd_out */
	munmap(buf.cpu, 1 << 20);
	struct drm_gem_close gone = {.handle = buf.handle};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_GEM_CLOSE, &gone), 0);
	return fd;
}

static void closed_dma_bufs_free_their_buffers(void **state)
{
	enum { MANY = 200, FEW = 40 };
	struct client c;
	open_client(&c);
	const int open_one = export_alone(&c, "open"), mapped = export_alone(&c, "mapped");
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mapped, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	close(mapped);
	for (unsigned i = 0; i < MANY; i++)
		close(export_alone(&c, "closed"));
	assert_true(server_info(&c).buffers < FEW);
	assert_string_equal(p, "mapped");
	struct drm_prime_handle from = {.fd = open_one};
	c.fd_in = open_one;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from), 0);
	union drm_amdgpu_gem_mmap map = {.in = {from.handle, 0}};
	int fd;
	uint64_t offset;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
	assert_int_equal(drm_mmap(&c, c.drm, map.out.addr_ptr, 4096, &fd, &offset), 0);
	char *q = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	assert_string_equal(q, "open");
	munmap(p, 4096);
	munmap(q, 4096);
	close(fd);
	close(open_one);
	close_client(&c);
}

/* The memory of a buffer that was never exported is no dma-buf, even for a process that has a
 * descriptor of it: a buffer of one file's VM ends with that VM. */
static void only_exported_buffers_are_imported(void **state)
{
	struct client a, b;
	open_client(&a);
	open_client(&b);
	static const uint64_t flags[] = {AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, 0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(flags); i++) {
		struct buffer buf = make_buffer(&a, 4096, AMDGPU_GEM_DOMAIN_GTT, flags[i],
						0x10000000 + i * 4096);
		union drm_amdgpu_gem_mmap map = {.in = {buf.handle, 0}};
		int fd;
		uint64_t offset;
		assert_int_equal(drm_ioctl(&a, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
		assert_int_equal(drm_mmap(&a, a.drm, map.out.addr_ptr, 4096, &fd, &offset), 0);
		struct drm_prime_handle from = {.fd = fd};
		b.fd_in = fd;
		assert_int_equal(drm_ioctl(&b, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from), -EINVAL);
		uint32_t second; /* nor into another file of the same program */
		assert_int_equal(drm_open(&a, 128, &second), 0);
		a.fd_in = fd;
		from.fd = fd;
		int r = file_ioctl(&a, second, DRM_IOCTL_PRIME_FD_TO_HANDLE, &from);
		assert_int_equal(close_file(&a, a.drm), 0);
		a.drm = second;
		/* Where it did come in, its VM is gone now. */
		union drm_amdgpu_gem_wait_idle w = {.in = {from.handle, 0, 0}};
		if (!r)
			drm_ioctl(&a, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &w);
		assert_int_equal(r, -EINVAL);
		munmap(buf.cpu, buf.size_b);
		close(fd);
	}
	close_client(&a);
	close_client(&b);
}

static uint64_t vram_used(struct client *c)
{
	char *text = file_text(c, "sys/bus/pci/devices/" PCI "/mem_info_vram_used");
	uint64_t used = strtoull(text, NULL, 10);
	free(text);
	return used;
}

/* Closes a buffer while the kernel gives the server no mappings. */
static void close_without_mappings(struct client *c, uint32_t handle)
{
	struct rlimit all, none;
	struct drm_gem_close close_it = {.handle = handle};
	assert_int_equal(getrlimit(RLIMIT_DATA, &all), 0);
	none = (struct rlimit){4096, all.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_DATA, &none), 0);
	int r = drm_ioctl(c, DRM_IOCTL_GEM_CLOSE, &close_it);
	assert_int_equal(setrlimit(RLIMIT_DATA, &all), 0);
	assert_int_equal(r, 0);
}

/* Memory that a program still has mapped, because its pages could not be taken out of VRAM, becomes
 * nobody else's: least of all a page table. */
static void what_cannot_be_taken_back_stays_unused(void **state)
{
	enum { N = 16 };
	struct client c, other;
	open_client(&c);
	open_client(&other);
	struct buffer first = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	free_buffer(&c, &first); /* what a call needs is there from now on */
	uint64_t used = vram_used(&c);
	struct buffer b[N];
	for (unsigned i = 0; i < N; i++) {
		b[i] = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
		memset(b[i].cpu, 0x5a, 4096);
	}
	for (unsigned i = 0; i < N; i++)
		close_without_mappings(&c, b[i].handle);
	/* Tables for a place each, and buffers. */
	struct buffer theirs[N];
	for (unsigned i = 0; i < N; i++)
		theirs[i] = make_buffer(&other, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, (i + 1ull) << 30);
	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < 4096; k++)
			assert_int_equal(((uint8_t *)b[i].cpu)[k], 0x5a);
	for (unsigned i = 0; i < N; i++)
		free_buffer(&other, &theirs[i]);
	close_client(&other);
	/* And it comes back when there is a way again. */
	first = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	free_buffer(&c, &first);
	assert_true(vram_used(&c) <= used);
	for (unsigned i = 0; i < N; i++)
		munmap(b[i].cpu, 4096);
	close_client(&c);
}

static void freed_memory_is_used_again(void **state)
{
	struct client c;
	open_client(&c);
	uint64_t bytes = server_info(&c).buffer_bytes;
	for (unsigned i = 0; i < 2000; i++) { /* 16 GiB and more in all: it must come back */
		struct buffer b = make_buffer(
			&c, 16 << 20, i % 2 ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT, 0,
			0x10000000);
		free_buffer(&c, &b);
	}
	assert_int_equal(server_info(&c).buffer_bytes, bytes);
	struct drm_gem_close bad = {.handle = 5};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_GEM_CLOSE, &bad), -EINVAL);
	close_client(&c);
}

/* Buffers for pictures: on the card alone, cleared, in VRAM. What Linux answers to more of them is
 * in tests/linux/calls. */
static void buffers_for_pictures(void **state)
{
	/* clang-format off */
	static const struct { uint32_t width, height, bpp; int result; uint32_t pitch; uint64_t size; } rows[] = {
		{20, 3, 8, 0, 256, 4096}, {20, 3, 16, 0, 256, 4096}, {20, 30, 24, 0, 192, 8192},
		{65, 64, 32, 0, 512, 32768}, {5, 3, 40, 0, 25, 4096},
		{0, 1, 32, -EINVAL, 0, 0}, {1, 0, 32, -EINVAL, 0, 0}, {1, 1, 0, -EINVAL, 0, 0},
		{1, 1, UINT32_MAX, -EINVAL, 0, 0}, {1 << 16, 1 << 16, 32, -EINVAL, 0, 0},
		{0xffffff01, 1, 8, -EINVAL, 0, 0},
	};
	/* clang-format on */
	struct client c;
	uint32_t card;
	open_client(&c);
	assert_int_equal(drm_open(&c, 0, &card), 0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct drm_mode_create_dumb a = {
			.width = rows[i].width, .height = rows[i].height, .bpp = rows[i].bpp};
		int r = file_ioctl(&c, card, DRM_IOCTL_MODE_CREATE_DUMB, &a);
		if (r != rows[i].result || a.pitch != rows[i].pitch || a.size != rows[i].size)
			fail_msg("row %zu: %d, %u bytes a line, %llu", i, r, a.pitch,
				 (unsigned long long)a.size);
	}
	struct drm_mode_create_dumb a = {.width = 64, .height = 64, .bpp = 32};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_MODE_CREATE_DUMB, &a), -EACCES);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_CREATE_DUMB, &a), 0);
	struct drm_mode_map_dumb map = {.handle = a.handle};
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
	int fd;
	uint64_t offset;
	assert_int_equal(drm_mmap(&c, card, map.offset, a.size, &fd, &offset), 0);
	const uint32_t *pixels = mmap(NULL, a.size, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	assert_ptr_not_equal(pixels, MAP_FAILED);
	for (size_t i = 0; i < a.size / 4; i++)
		assert_int_equal(pixels[i], 0);
	munmap((void *)pixels, a.size);
	close(fd);
	struct drm_mode_destroy_dumb destroy = {.handle = a.handle};
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), 0);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), -EINVAL);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_MAP_DUMB, &map), -ENOENT);
	assert_int_equal(close_file(&c, card), 0);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, create_checks_as_the_kernel, memory_is_shared_zeroed_and_sealed,
	     mmap_needs_cpu_access, buffers_for_pictures, another_client_sees_nothing,
	     op_metadata_and_wait, user_pages, pages_of_two_buffers, fences_of_buffers,
	     on_chip_memory_is_a_name, prime_shares_a_buffer, closed_dma_bufs_free_their_buffers,
	     only_exported_buffers_are_imported, what_cannot_be_taken_back_stays_unused,
	     freed_memory_is_used_again);
