/* SPDX-License-Identifier: MIT */
/* What all clients share: none can use it up. */
#include "harness.h"

#include <sys/eventfd.h>
#include <sys/resource.h>

#include "vgpu/uapi/uapi_priv.h"

static struct rlimit before;

/* A server with few descriptors. */
static int start_small(void **state)
{
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	struct rlimit few = {400, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	int r = start_gpu(state);
	setrlimit(RLIMIT_NOFILE, &before);
	return r;
}

static int create(struct client *c)
{
	union drm_amdgpu_gem_create a = {.in = {4096, 0, AMDGPU_GEM_DOMAIN_GTT, 0}};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_GEM_CREATE, &a);
}

static unsigned create_all(struct client *c)
{
	unsigned n = 0;
	int r;
	while (!(r = create(c)))
		n++;
	assert_int_equal(r, -ENOMEM);
	return n;
}

/* Of 300: half to the first that takes all it can get, half of the rest to the next. */
static void buffers_are_left_to_others(void **state)
{
	struct client a, b, c;
	open_client(&a);
	open_client(&b);
	open_client(&c);
	assert_int_equal(create_all(&a), 150);
	assert_int_equal(create_all(&b), 75);
	assert_int_equal(create(&c), 0);
	/* What has gone is there again. */
	close_client(&a);
	assert_int_equal(create_all(&b), 75);
	close_client(&b);
	close_client(&c);
	assert_int_equal(server_info((open_client(&a), &a)).buffers, 0);
	close_client(&a);
}

static void so_are_descriptors(void **state)
{
	struct client a, b;
	open_client(&a);
	open_client(&b);
	struct drm_syncobj_create create_it = {0};
	assert_int_equal(drm_ioctl(&a, DRM_IOCTL_SYNCOBJ_CREATE, &create_it), 0);
	int fds[301], r = 0;
	unsigned n = 0;
	for (; n < 301; n++) {
		struct drm_syncobj_handle to = {.handle = create_it.handle, .fd = -1};
		r = drm_ioctl(&a, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &to);
		if (r)
			break;
		fds[n] = a.fd_out;
		a.fd_out = -1;
	}
	assert_int_equal(r, -EMFILE);
	assert_int_equal(n, 150);
	assert_int_equal(create(&a), -ENOMEM);
	assert_int_equal(create(&b), 0);
	while (n)
		close(fds[--n]);
	/* Closed ones are found now and then. */
	while (create(&a))
		usleep(10000);
	close_client(&a);
	close_client(&b);
}

static uint64_t used_b(struct client *c, const char *memory)
{
	char path[128];
	snprintf(path, sizeof(path), "sys/bus/pci/devices/" PCI "/mem_info_%s_used", memory);
	char *text = file_text(c, path);
	uint64_t n = strtoull(text, NULL, 10);
	free(text);
	return n;
}

/* Page tables are in VRAM, too. */
static unsigned whole_gib(uint64_t size_b)
{
	return (unsigned)((size_b + (1 << 29)) >> 30);
}

static int create_large(struct client *c, uint32_t domain)
{
	union drm_amdgpu_gem_create a = {.in = {1ull << 30, 0, domain, 0}};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_GEM_CREATE, &a);
}

/* Who takes all memory has VRAM first and system memory then, seven eighths of both; the next
 * program's buffers are in VRAM as if it were alone. */
static void memory_is_left_to_others(void **state)
{
	struct client a, b;
	open_client(&a);
	open_client(&b);
	uint64_t vram_b = used_b(&b, "vram"), gtt_b = used_b(&b, "gtt");
	int r;
	while (!(r = create_large(&a, AMDGPU_GEM_DOMAIN_VRAM)))
		;
	assert_int_equal(r, -ENOMEM);
	assert_int_equal(create_large(&a, AMDGPU_GEM_DOMAIN_GTT), -ENOMEM);
	/* of 24560 MiB and 64 GiB */
	assert_int_equal(whole_gib(used_b(&b, "vram") - vram_b), 20);
	assert_int_equal(whole_gib(used_b(&b, "gtt") - gtt_b), 56);
	uint64_t before_b = used_b(&b, "vram");
	assert_int_equal(create_large(&b, AMDGPU_GEM_DOMAIN_VRAM), 0);
	assert_int_equal(whole_gib(used_b(&b, "vram") - before_b), 1);
	assert_int_equal(create_large(&b, AMDGPU_GEM_DOMAIN_GTT), 0);
	/* What has gone is there again. */
	close_client(&a);
	assert_int_equal(whole_gib(used_b(&b, "vram") - vram_b), 1);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(create_large(&b, AMDGPU_GEM_DOMAIN_VRAM), 0);
	assert_int_equal(whole_gib(used_b(&b, "vram") - vram_b), 17);
	close_client(&b);
}

static uint64_t resident_b(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*u %llu", &pages), 1);
	fclose(f);
	return pages * 4096;
}

/* Page tables of a client that is gone cost nothing. */
static void memory_is_given_back(void **state)
{
	enum { TABLES = 8192, TABLE_B = 4096, TABLES_B = TABLES * TABLE_B };
	struct client c;
#ifdef __SANITIZE_THREAD__
	skip(); /* what the sanitizer notes of each page stays */
#endif
	open_client(&c);
	struct buffer b = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0x100000000);
	uint64_t before_b = resident_b();
	for (uint64_t i = 1; i <= TABLES; i++)
		assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, b.handle, 0x100000000 + (i << 21), 0,
				       4096, AMDGPU_VM_PAGE_READABLE),
				 0);
	uint64_t peak_b = resident_b();
	munmap(b.cpu, b.size_b);
	close_client(&c);
	assert_true(peak_b - before_b >= TABLES_B / 2);
	assert_true(resident_b() <= before_b + TABLES_B / 4);
}

static int create_syncobj(struct client *c, uint32_t *out)
{
	struct drm_syncobj_create a = {0};
	int r = drm_ioctl(c, DRM_IOCTL_SYNCOBJ_CREATE, &a);
	*out = a.handle;
	return r;
}

static int create_ctx(struct client *c)
{
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_CTX, &a);
}

/* Of the server's own objects a client has so many, however many files it opens. The log says it
 * once; others have theirs. */
static void a_client_has_so_many_objects(void **state)
{
	enum { SYNCOBJS = 500, CTXS = 300, CTXS_OF_FILE = 120 };
	assert_int_equal(gpu->max_charged[BW_DRM_SYNCOBJS], 65536);
	assert_int_equal(gpu->max_charged[BW_DRM_CTXS], 8192);
	gpu->max_charged[BW_DRM_SYNCOBJS] = SYNCOBJS;
	gpu->max_charged[BW_DRM_CTXS] = CTXS;
	struct client c, other;
	uint32_t handle, first, file;
	int r;
	open_client(&c);
	open_client(&other);
	assert_int_equal(create_syncobj(&c, &first), 0);
	for (unsigned i = 1; i < SYNCOBJS; i++)
		assert_int_equal(create_syncobj(&c, &handle), 0);
	assert_int_equal(create_syncobj(&c, &handle), -ENOMEM);
	assert_int_equal(create_syncobj(&c, &handle), -ENOMEM);
	assert_int_equal(create_syncobj(&other, &handle), 0);
	struct drm_syncobj_destroy destroy = {.handle = first};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), 0);
	assert_int_equal(create_syncobj(&c, &handle), 0);

	unsigned n = 0;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < CTXS_OF_FILE && !(r = create_ctx(&c)); k++)
			n++;
		assert_int_equal(drm_open(&c, 128, &file), 0);
		c.drm = file;
	}
	assert_int_equal(n, CTXS);
	assert_int_equal(r, -ENOMEM);
	assert_int_equal(create_ctx(&other), 0);

	char *log = file_text(&other, "sys/kernel/breakwater_log");
	char *told = strstr(log, "has 500 sync objects, and gets no more\n");
	assert_non_null(told);
	assert_null(strstr(strchr(told, '\n'), "sync objects"));
	assert_non_null(strstr(log, "has 300 contexts, and gets no more\n"));
	free(log);
	close_client(&c);
	open_client(&c);
	assert_int_equal(create_syncobj(&c, &handle), 0);
	close_client(&c);
	close_client(&other);
}

/* Mappings of all address spaces of a client together; at the limit what it has is still unmapped,
 * replaced and cleared. Their page tables count as its VRAM. */
static void a_client_has_so_many_mappings(void **state)
{
	enum { MAPPINGS = 2000, PIECES = 400, FLAGS = AMDGPU_VM_PAGE_PRT };
	assert_int_equal(gpu->max_charged[BW_DRM_MAPPINGS], 262144);
	gpu->max_charged[BW_DRM_MAPPINGS] = MAPPINGS;
	const uint64_t va = 0x100000000;
	struct client c;
	open_client(&c);
	uint64_t n = 0;
	int r;
	/* in pieces of a page each, every other one, so that one table has many */
	do
		r = va_op(&c, AMDGPU_VA_OP_MAP, 0, va + n * 8192, 0, 4096, FLAGS);
	while (!r && ++n <= MAPPINGS);
	assert_int_equal(r, -ENOMEM);
	assert_int_equal(n, MAPPINGS);
	uint32_t file;
	assert_int_equal(drm_open(&c, 128, &file), 0);
	uint32_t first = c.drm;
	c.drm = file;
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, 0, va, 0, 4096, FLAGS), -ENOMEM);
	c.drm = first;
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_REPLACE, 0, va, 0, 4096, FLAGS), 0);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_UNMAP, 0, va, 0, 4096, FLAGS), 0);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_CLEAR, 0, va, 0, PIECES * 8192, 0), 0);
	c.drm = file;
	for (uint64_t i = 0; i < PIECES; i++)
		assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, 0, va + i * 4096, 0, 4096, FLAGS), 0);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, 0, va + PIECES * 4096ull, 0, 4096, FLAGS),
			 -ENOMEM);
	close_client(&c);
}

static void a_client_has_so_many_files(void **state)
{
	enum { MAX = 1024 }; /* BW_DRM_MAX_FILES */
	struct client c, other;
	open_client(&c);
	open_client(&other);
	uint32_t file;
	for (unsigned i = 1; i < MAX; i++)
		assert_int_equal(i % 2 ? drm_open(&c, 128, &file)
				       : file_open(&c, "log", O_RDONLY, &file),
				 0);
	assert_int_equal(drm_open(&c, 128, &file), -EMFILE);
	assert_int_equal(file_open(&c, "log", O_RDONLY, &file), -EMFILE);
	assert_int_equal(drm_open(&other, 128, &file), 0);
	close_client(&c);
	close_client(&other);
}

TESTS_EACH(start_small, stop_gpu, buffers_are_left_to_others, so_are_descriptors,
	   a_client_has_so_many_files);
TESTS_EACH(start_gpu, stop_gpu, memory_is_left_to_others, memory_is_given_back,
	   a_client_has_so_many_objects, a_client_has_so_many_mappings);
