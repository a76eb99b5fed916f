/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

struct bw_uapi *gpu;
struct bw_uapi_options gpu_options;
const struct bw_profile *gpu_profile = &bw_profile_navi31;

static void must(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

int start_gpu(void **state)
{
	gpu_options.device.threads = 2;
	must(bw_uapi_create(gpu_profile, &gpu_options, &gpu));
	return 0;
}

int stop_gpu(void **state)
{
	bw_uapi_destroy(gpu);
	gpu = NULL;
	gpu_options = (struct bw_uapi_options){0};
	return 0;
}

static void *serve(void *arg)
{
	int sock = (int)(intptr_t)arg;
	bw_uapi_serve(gpu, sock);
	return NULL;
}

void connect_raw(struct client *c)
{
	int pair[2];
	*c = (struct client){.u = gpu, .fd_in = -1, .fd_out = -1};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	c->sock = pair[0];
	assert_int_equal(pthread_create(&c->thread, NULL, serve, (void *)(intptr_t)pair[1]), 0);
}

void connect_client(struct client *c, uint64_t token)
{
	struct bw_vgpu_hello h = {.version = BW_VGPU_PROTO_VERSION,
				  .pid = (uint32_t)getpid(),
				  .client = token,
				  .comm = "test"};
	struct bw_msg m = BW_MSG_INIT;
	connect_raw(c);
	request(c, BW_VGPU_HELLO, &(struct bw_msg_part){&h, sizeof(h)}, 1, -1, &m);
	assert_int_equal(m.body_b, sizeof(c->hello));
	memcpy(&c->hello, m.body, sizeof(c->hello));
	c->token = c->hello.client;
	bw_msg_fini(&m);
}

void open_client(struct client *c)
{
	connect_client(c, 0);
	assert_int_equal(c->hello.result, 0);
	assert_int_equal(drm_open(c, 128, &c->drm), 0);
}

void close_client(struct client *c)
{
	close(c->sock);
	pthread_join(c->thread, NULL);
	if (c->fd_out >= 0)
		close(c->fd_out);
	c->fd_out = -1;
}

/* The server's question about our memory, which is that of the "program". A bad address is EFAULT,
 * as process_vm_readv says of our own pid. */
static void answer(struct client *c, const struct bw_msg *ask)
{
	struct bw_vgpu_user u;
	struct bw_vgpu_result r = {0};
	assert_true(ask->body_b >= sizeof(u));
	memcpy(&u, ask->body, sizeof(u));
	uint8_t *data = malloc(u.size_b + 1u);
	struct iovec local = {data, u.size_b}, remote = {(void *)(uintptr_t)u.va, u.size_b};
	bool is_read = ask->type == BW_VGPU_USER_READ;
	if (!is_read) {
		assert_int_equal(ask->body_b, sizeof(u) + u.size_b);
		memcpy(data, ask->body + sizeof(u), u.size_b);
	}
	ssize_t n = is_read ? process_vm_readv(getpid(), &local, 1, &remote, 1, 0)
			    : process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
	if (n != (ssize_t)u.size_b)
		r.result = -EFAULT;
	struct bw_msg_part parts[] = {{&r, sizeof(r)}, {data, is_read && !r.result ? u.size_b : 0}};
	must(bw_msg_send(c->sock, ask->type | BW_VGPU_REPLY, ask->seq, parts, 2, -1));
	free(data);
}

void request(struct client *c, uint16_t type, const struct bw_msg_part *parts, size_t n, int fd,
	     struct bw_msg *out)
{
	uint32_t seq = ++c->seq;
	must(bw_msg_send(c->sock, type, seq, parts, n, fd));
	for (;;) {
		must(bw_msg_recv(c->sock, 60000, out));
		assert_int_equal(out->seq, seq);
		if (out->type == (type | BW_VGPU_REPLY))
			return;
		assert_true(out->type == BW_VGPU_USER_READ || out->type == BW_VGPU_USER_WRITE);
		answer(c, out);
	}
}

/* A request whose reply is a struct and perhaps a payload. */
static void ask(struct client *c, uint16_t type, const void *body, size_t body_b,
		const void *payload, size_t payload_b, void *reply, size_t reply_b,
		struct bw_msg *m)
{
	struct bw_msg_part parts[] = {{body, body_b}, {payload, payload_b}};
	request(c, type, parts, 2, c->fd_in, m);
	assert_true(m->body_b >= reply_b);
	memcpy(reply, m->body, reply_b);
}

int drm_open(struct client *c, uint32_t minor, uint32_t *out_file)
{
	struct bw_vgpu_drm_open o = {minor, O_RDWR};
	struct bw_vgpu_open_reply r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_DRM_OPEN, &o, sizeof(o), NULL, 0, &r, sizeof(r), &m);
	bw_msg_fini(&m);
	*out_file = r.file;
	return r.result;
}

int close_file(struct client *c, uint32_t file)
{
	struct bw_vgpu_file a = {.file = file};
	struct bw_vgpu_result r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_CLOSE, &a, sizeof(a), NULL, 0, &r, sizeof(r), &m);
	bw_msg_fini(&m);
	return r.result;
}

int file_ioctl(struct client *c, uint32_t file, uint32_t cmd, void *arg)
{
	struct bw_vgpu_ioctl a = {file, cmd};
	struct bw_vgpu_ioctl_reply r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_IOCTL, &a, sizeof(a), arg, _IOC_SIZE(cmd), &r, sizeof(r), &m);
	if (m.body_b == sizeof(r) + _IOC_SIZE(cmd))
		memcpy(arg, m.body + sizeof(r), _IOC_SIZE(cmd));
	if (c->fd_out >= 0)
		close(c->fd_out);
	c->fd_out = m.fd;
	c->fd_at = r.fd_at;
	m.fd = -1;
	c->fd_in = -1;
	bw_msg_fini(&m);
	return r.result;
}

int file_open(struct client *c, const char *path, uint32_t flags, uint32_t *out_file)
{
	struct bw_vgpu_file_open a = {.flags = flags};
	struct bw_vgpu_open_reply r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_FILE_OPEN, &a, sizeof(a), path, strlen(path), &r, sizeof(r), &m);
	bw_msg_fini(&m);
	*out_file = r.file;
	return r.result;
}

int file_read(struct client *c, uint32_t file, uint64_t *pos, void *out, uint32_t size_b)
{
	struct bw_vgpu_file_io a = {file, size_b, *pos};
	struct bw_vgpu_file_io_reply r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_FILE_READ, &a, sizeof(a), NULL, 0, &r, sizeof(r), &m);
	if (r.result > 0) {
		assert_int_equal(m.body_b, sizeof(r) + (size_t)r.result);
		assert_true((uint32_t)r.result <= size_b);
		memcpy(out, m.body + sizeof(r), (size_t)r.result);
	}
	*pos = r.pos;
	bw_msg_fini(&m);
	return r.result;
}

int file_write(struct client *c, uint32_t file, uint64_t *pos, const void *data, uint32_t size_b)
{
	struct bw_vgpu_file_io a = {file, size_b, *pos};
	struct bw_vgpu_file_io_reply r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_FILE_WRITE, &a, sizeof(a), data, size_b, &r, sizeof(r), &m);
	*pos = r.pos;
	bw_msg_fini(&m);
	return r.result;
}

int drm_mmap(struct client *c, uint32_t file, uint64_t offset, uint64_t size_b, int *out_fd,
	     uint64_t *out_fd_offset)
{
	struct bw_vgpu_mmap a = {file, PROT_READ | PROT_WRITE, offset, size_b};
	struct bw_vgpu_mmap_reply r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_MMAP, &a, sizeof(a), NULL, 0, &r, sizeof(r), &m);
	*out_fd = m.fd;
	*out_fd_offset = r.fd_offset;
	m.fd = -1;
	bw_msg_fini(&m);
	return r.result;
}

struct bw_vgpu_server_info server_info(struct client *c)
{
	struct bw_vgpu_server_info r;
	struct bw_msg m = BW_MSG_INIT;
	ask(c, BW_VGPU_SERVER_INFO, NULL, 0, NULL, 0, &r, sizeof(r), &m);
	bw_msg_fini(&m);
	return r;
}

char *file_text(struct client *c, const char *path)
{
	uint32_t file;
	uint64_t pos = 0;
	char *text = calloc(1, 1 << 20);
	assert_int_equal(file_open(c, path, O_RDONLY, &file), 0);
	int n = file_read(c, file, &pos, text, (1 << 20) - 1);
	assert_true(n >= 0);
	assert_int_equal(pos, n);
	close_file(c, file);
	return text;
}

int va_op(struct client *c, uint32_t op, uint32_t handle, uint64_t va, uint64_t offset,
	  uint64_t size_b, uint32_t flags)
{
	struct drm_amdgpu_gem_va a = {.handle = handle,
				      .operation = op,
				      .flags = flags,
				      .va_address = va,
				      .offset_in_bo = offset,
				      .map_size = size_b};
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_GEM_VA, &a);
}

enum { RWX = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE };

struct buffer make_buffer(struct client *c, uint64_t size_b, uint32_t domain, uint64_t flags,
			  uint64_t va)
{
	struct buffer b = {.size_b = bw_align_up(size_b, 4096), .va = va};
	union drm_amdgpu_gem_create create = {.in = {size_b, 0, domain, flags}};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
	b.handle = create.out.handle;
	if (!(flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS)) {
		union drm_amdgpu_gem_mmap map = {.in = {b.handle, 0}};
		int fd;
		uint64_t offset;
		assert_int_equal(drm_ioctl(c, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
		assert_int_equal(drm_mmap(c, c->drm, map.out.addr_ptr, b.size_b, &fd, &offset), 0);
		b.cpu = mmap(NULL, b.size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
		assert_true(b.cpu != MAP_FAILED);
		close(fd);
	}
	if (va)
		assert_int_equal(va_op(c, AMDGPU_VA_OP_MAP, b.handle, va, 0, b.size_b, RWX), 0);
	return b;
}

void free_buffer(struct client *c, struct buffer *b)
{
	struct drm_gem_close a = {.handle = b->handle};
	if (b->cpu)
		munmap(b->cpu, b->size_b);
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_GEM_CLOSE, &a), 0);
}

uint32_t make_ctx(struct client *c)
{
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_AMDGPU_CTX, &a), 0);
	return a.out.alloc.ctx_id;
}

int submit(struct client *c, uint32_t ctx, uint32_t ip, uint32_t ring, uint64_t ib_va,
	   uint32_t ib_dw, const struct chunk *more, unsigned n_more, uint64_t *out_seq)
{
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = ib_va, .ib_bytes = ib_dw * 4, .ip_type = ip, .ring = ring};
	struct drm_amdgpu_cs_chunk chunks[8] = {
		{AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib}};
	uint64_t pointers[8];
	for (unsigned i = 0; i < n_more; i++)
		chunks[1 + i] = (struct drm_amdgpu_cs_chunk){more[i].id, more[i].size_b / 4,
							     (uintptr_t)more[i].data};
	for (unsigned i = 0; i <= n_more; i++)
		pointers[i] = (uintptr_t)&chunks[i];
	union drm_amdgpu_cs cs = {
		.in = {.ctx_id = ctx, .num_chunks = 1 + n_more, .chunks = (uintptr_t)pointers}};
	int r = drm_ioctl(c, DRM_IOCTL_AMDGPU_CS, &cs);
	if (!r && out_seq)
		*out_seq = cs.out.handle;
	return r;
}

int wait_cs(struct client *c, uint32_t ctx, uint32_t ip, uint32_t ring, uint64_t seq,
	    uint64_t deadline_ns, uint64_t *out_status)
{
	union drm_amdgpu_wait_cs w = {.in = {.handle = seq,
					     .timeout = deadline_ns,
					     .ip_type = ip,
					     .ring = ring,
					     .ctx_id = ctx}};
	int r = drm_ioctl(c, DRM_IOCTL_AMDGPU_WAIT_CS, &w);
	if (!r)
		*out_status = w.out.status;
	return r;
}

int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void put_kernel(struct bw_pm4_stream *s, uint64_t code_va, uint64_t arg, uint32_t groups)
{
	/* dword addresses of COMPUTE_* : doc/hardware/dispatch.md 2.1, byte address / 4 */
	const uint32_t pgm[2] = {(uint32_t)(code_va >> 8), (uint32_t)(code_va >> 40) & 0xff};
	const uint32_t rsrc[2] = {0x602c0002, 2 << 1}; /* 24 VGPRs of wave32; two user SGPRs */
	const uint32_t threads[3] = {32, 1, 1}, user[2] = {(uint32_t)arg, (uint32_t)(arg >> 32)},
		       start[3] = {0};
	const uint32_t all = ~0u, zero = 0, dim[3] = {groups, 1, 1};
	bw_pm4_put_sh(s, 0xb830 / 4, pgm, 2);
	bw_pm4_put_sh(s, 0xb848 / 4, rsrc, 2);
	bw_pm4_put_sh(s, 0xb8a0 / 4, &zero, 1);
	bw_pm4_put_sh(s, 0xb854 / 4, &zero, 1);
	for (uint32_t reg = 0xb858; reg <= 0xb868; reg += 4)
		if (reg != 0xb860)
			bw_pm4_put_sh(s, reg / 4, &all, 1);
	for (uint32_t reg = 0xb8ac; reg <= 0xb8b8; reg += 4)
		bw_pm4_put_sh(s, reg / 4, &all, 1);
	bw_pm4_put_sh(s, 0xb810 / 4, start, 3);
	bw_pm4_put_sh(s, 0xb81c / 4, threads, 3);
	bw_pm4_put_sh(s, 0xb900 / 4, user, 2);
	bw_pm4_put_dispatch(s, dim,
			    BW_PM4_INIT_ENABLE | BW_PM4_INIT_FORCE_START_AT_000 |
				    BW_PM4_INIT_CS_W32_EN);
	bw_pm4_put_event(s, BW_PM4_EVENT_CS_PARTIAL_FLUSH, 4);
}

uint32_t read_reg(struct client *c, uint32_t addr_dw)
{
	uint32_t file, v;
	uint64_t pos = 4ull * addr_dw;
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_regs2", O_RDWR, &file), 0);
	assert_int_equal(file_read(c, file, &pos, &v, 4), 4);
	close_file(c, file);
	return v;
}

uint32_t state2(struct client *c, uint32_t ctx)
{
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ctx}};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_AMDGPU_CTX, &a), 0);
	return (uint32_t)a.out.state.flags;
}
