/* SPDX-License-Identifier: MIT */
/* A program whose submissions have pointers that lead nowhere. Prints what each call returns, 0 or
 * errno; the first and the last are good. */
#include "buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "pm4/build.h"

static int fd;
static uint32_t ctx_id;

/* What a submission consists of; good until something is changed. */
struct call {
	struct drm_amdgpu_bo_list_entry entry;
	struct drm_amdgpu_bo_list_in list;
	struct drm_amdgpu_cs_chunk_ib ib;
	struct drm_amdgpu_cs_chunk chunks[2];
	uint64_t pointers[2];
	union drm_amdgpu_cs cs;
};

static void fill(struct call *c, const struct buffer *ib, uint32_t handle, size_t size_dw)
{
	*c = (struct call){
		.entry = {.bo_handle = handle},
		.list = {.operation = ~0u,
			 .list_handle = ~0u,
			 .bo_number = 1,
			 .bo_info_size = sizeof(c->entry),
			 .bo_info_ptr = (uintptr_t)&c->entry},
		.ib = {.va_start = ib->va,
		       .ib_bytes = (uint32_t)size_dw * 4,
		       .ip_type = AMDGPU_HW_IP_COMPUTE},
		.chunks = {{AMDGPU_CHUNK_ID_IB, sizeof(c->ib) / 4, (uintptr_t)&c->ib},
			   {AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(c->list) / 4, (uintptr_t)&c->list}},
		.pointers = {(uintptr_t)&c->chunks[0], (uintptr_t)&c->chunks[1]},
		.cs = {.in = {.ctx_id = ctx_id, .num_chunks = 2, .chunks = (uintptr_t)c->pointers}},
	};
}

static void submit(const char *what, void *cs)
{
	int r = ioctl(fd, DRM_IOCTL_AMDGPU_CS, cs) ? errno : 0;
	printf("%s: %d\n", what, r);
}

int main(void)
{
	struct gpu g = open_gpu();
	struct buffer ib = make_buffer(&g, 4096, AMDGPU_GEM_DOMAIN_GTT, 0);
	struct bw_pm4_stream s = {0};
	struct call c;
	uint32_t handle = 0;
	const uint64_t nowhere = 0x1000, outside = UINT64_MAX - 7;
	fd = amdgpu_device_get_fd(g.dev);
	union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	must(ioctl(fd, DRM_IOCTL_AMDGPU_CTX, &ctx), "a context");
	ctx_id = ctx.out.alloc.ctx_id;
	map_buffer(&ib);
	bw_pm4_put_nop(&s, 8);
	memcpy(ib.cpu, s.data, s.len * 4);
	must(amdgpu_bo_export(ib.bo, amdgpu_bo_handle_type_kms, &handle), "a handle");
#define TRY(what, change)                                                                          \
	do {                                                                                       \
		fill(&c, &ib, handle, s.len);                                                      \
		change;                                                                            \
		submit(what, &c.cs);                                                               \
	} while (0)
	TRY("good", (void)0);
	submit("no argument", (void *)(uintptr_t)nowhere);
	TRY("no pointers", c.cs.in.chunks = nowhere);
	TRY("no pointers, outside", c.cs.in.chunks = outside);
	TRY("no chunk", c.pointers[1] = nowhere);
	TRY("no data", c.chunks[0].chunk_data = nowhere);
	TRY("no data, outside", c.chunks[1].chunk_data = outside);
	TRY("more data than there is", c.chunks[0].length_dw = 1u << 29);
	TRY("no buffers in the list", c.list.bo_info_ptr = nowhere);
	/* the argument can be read, but not written */
	struct call *fixed =
		mmap(NULL, sizeof(c), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(fixed == MAP_FAILED, "a page");
	fill(fixed, &ib, handle, s.len);
	must(mprotect(fixed, sizeof(*fixed), PROT_READ), "its protection");
	submit("an argument that cannot be written", &fixed->cs);
	TRY("good again", (void)0);
	munmap(fixed, sizeof(*fixed));
	bw_pm4_stream_free(&s);
	drop_buffer(&ib);
	close_gpu(&g);
	return 0;
}
