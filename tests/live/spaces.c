/* SPDX-License-Identifier: MIT */
/* A program with several address spaces: it opens the render node N times and has a wave in each,
 * at the same addresses, on the same code; all wait for a word from the host, which is there when a
 * line has come on standard input. Then each stores numbers of its own. Bare ioctls: libdrm would
 * share one file.
 *
 *     spaces N [ROUNDS] */
#include <amdgpu_drm.h>
#include <drm.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { MAX = 8, PAGE_B = 4096, IB_DW = 32, FLAG_AT = 2048, LANES = 32 };
#define CODE_VA 0xffff800100001000ull
#define OUT_VA 0xffff800100002000ull
#define IB_VA 0x400000000ull

static const uint32_t code[] = {
	0x30000082,		/* v_lshlrev_b32 v0, 2, v0 */
	0x4a020002,		/* v_add_nc_u32 v1, s2, v0 */
	0x7e060280,		/* v_mov_b32 v3, 0 */
	0xdc526800, 0x02000003, /* loop: global_load_b32 v2, v3, s[0:1] offset:2048 glc dlc */
	0xbf8903f7,		/* s_waitcnt vmcnt(0) */
	0x7e080502,		/* v_readfirstlane_b32 s4, v2 */
	0xbf068004,		/* s_cmp_eq_u32 s4, 0 */
	0xbfa2fffa,		/* s_cbranch_scc1 loop */
	0xdc6a0000, 0x00000100, /* global_store_b32 v0, v1, s[0:1] */
	0xbfb00000,		/* s_endpgm */
};

struct space {
	int fd;
	uint32_t ctx, handles[3];
	uint32_t *out;
	uint64_t fence;
};

static void must(int r, const char *what)
{
	if (r) {
		perror(what);
		exit(1);
	}
}

static uint32_t *make(struct space *s, unsigned i, uint64_t va)
{
	union drm_amdgpu_gem_create c = {
		.in = {.bo_size = PAGE_B,
		       .alignment = PAGE_B,
		       .domains = AMDGPU_GEM_DOMAIN_GTT,
		       .domain_flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED}};
	must(ioctl(s->fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &c), "GEM_CREATE");
	s->handles[i] = c.out.handle;
	union drm_amdgpu_gem_mmap m = {.in = {.handle = c.out.handle}};
	must(ioctl(s->fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &m), "GEM_MMAP");
	struct drm_amdgpu_gem_va a = {.handle = s->handles[i],
				      .operation = AMDGPU_VA_OP_MAP,
				      .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
					       AMDGPU_VM_PAGE_EXECUTABLE,
				      .va_address = va,
				      .map_size = PAGE_B};
	must(ioctl(s->fd, DRM_IOCTL_AMDGPU_GEM_VA, &a), "GEM_VA");
	void *p = mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
		       (off_t)m.out.addr_ptr);
	must(p == MAP_FAILED, "mmap");
	return p;
}

static void open_space(struct space *s, uint32_t value)
{
	s->fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	must(s->fd < 0, "/dev/dri/renderD128");
	union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	must(ioctl(s->fd, DRM_IOCTL_AMDGPU_CTX, &ctx), "CTX");
	s->ctx = ctx.out.alloc.ctx_id;
	uint32_t *text = make(s, 0, CODE_VA), *ib = make(s, 1, IB_VA);
	s->out = make(s, 2, OUT_VA);
	for (unsigned i = 0; i < PAGE_B / 4; i++)
		text[i] = 0xbf9f0000; /* s_code_end */
	memcpy(text, code, sizeof(code));
	const uint64_t pgm = (CODE_VA & 0xffffffffffff) >> 8;
	/* clang-format off */
	const uint32_t words[] = {
		0xc0027600, 0x20c, (uint32_t)pgm, (uint32_t)(pgm >> 32), /* COMPUTE_PGM */
		/* RSRC1, RSRC2: 3 user SGPRs */
		0xc0027600, 0x212, 0x602c0000, 0x86,
		0xc0037600, 0x207, LANES, 1, 1,			      /* NUM_THREAD */
		/* USER_DATA */
		0xc0037600, 0x240, (uint32_t)OUT_VA, (uint32_t)(OUT_VA >> 32), value,
		0xc0031502, 1, 1, 1, 0xa045,			      /* DISPATCH_DIRECT, wave32 */
	};
	/* clang-format on */
	for (unsigned i = 0; i < IB_DW; i++)
		ib[i] = 0xffff1000; /* NOP */
	memcpy(ib, words, sizeof(words));
}

static void submit(struct space *s, unsigned ring)
{
	struct drm_amdgpu_bo_list_entry entries[3];
	for (unsigned i = 0; i < 3; i++)
		entries[i] = (struct drm_amdgpu_bo_list_entry){.bo_handle = s->handles[i]};
	struct drm_amdgpu_bo_list_in list = {~0u, ~0u, 3, sizeof(entries[0]), (uintptr_t)entries};
	struct drm_amdgpu_cs_chunk_ib ib = {.va_start = IB_VA,
					    .ib_bytes = IB_DW * 4,
					    .ip_type = AMDGPU_HW_IP_COMPUTE,
					    .ring = ring};
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib},
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list},
	};
	uint64_t pointers[] = {(uintptr_t)&chunks[0], (uintptr_t)&chunks[1]};
	union drm_amdgpu_cs cs = {
		.in = {.ctx_id = s->ctx, .num_chunks = 2, .chunks = (uintptr_t)pointers}};
	must(ioctl(s->fd, DRM_IOCTL_AMDGPU_CS, &cs), "CS");
	s->fence = cs.out.handle;
}

static void await(const struct space *s, unsigned ring)
{
	union drm_amdgpu_wait_cs w = {.in = {.handle = s->fence,
					     .timeout = INT64_MAX,
					     .ip_type = AMDGPU_HW_IP_COMPUTE,
					     .ring = ring,
					     .ctx_id = s->ctx}};
	must(ioctl(s->fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w), "WAIT_CS");
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 2,
		 rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	static struct space s[MAX];
	if (n < 1 || n > MAX)
		return 2;
	for (unsigned i = 0; i < n; i++)
		open_space(&s[i], 1000 * (i + 1));
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < n; i++)
			submit(&s[i], i % 4);
		printf("submitted %u\n", round);
		fflush(stdout);
		int c;
		do
			c = getchar();
		while (c != '\n' && c != EOF);
		for (unsigned i = 0; i < n; i++)
			__atomic_store_n(&s[i].out[FLAG_AT / 4], 1, __ATOMIC_SEQ_CST);
		printf("round %u:", round);
		for (unsigned i = 0; i < n; i++) {
			unsigned wrong = 0;
			await(&s[i], i % 4);
			for (unsigned k = 0; k < LANES; k++)
				wrong += s[i].out[k] != 1000 * (i + 1) + 4 * k;
			printf(" %u", s[i].out[1] + wrong);
			memset(s[i].out, 0, PAGE_B);
		}
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
