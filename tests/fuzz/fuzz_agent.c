/* SPDX-License-Identifier: MIT */
/* A hostile debugger: the agent itself, in a program that submits to a virtual GPU in this process,
 * gets the input as requests. It stays up, answers each request once, frees the submission that it
 * held, and takes the next debugger.
 *
 * The first byte: bit 0, the input is bytes of the socket and not requests; bit 1, no line to a
 * guard; bit 2, that line is silent and ends; bit 3, the program closes its GPU meanwhile. A
 * request is a byte for its type (index of types[], above that 2 bytes for any), one for its form,
 * and what that takes. */
#include <amdgpu_drm.h>
#include <assert.h>
#include <drm.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../vgpu/uapi/harness.h"
#include "agent/debugger/debugger_priv.h"
#include "base/cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

enum {
	BUFFER_VA = 0x200000,
	BUFFER_B = 0x4000,
	CODE_AT = 0x1000,
	PATIENCE_MS = 20000,
	MAX_REQUESTS = 24
};

static char folder[] = "/tmp/fuzz-agent-XXXXXX", gpu_path[64];
static int gpu_listener;
static sem_t submit_now, submitted;
static struct bw_agent_file *drm;
static int drm_fd = -1;
static uint32_t ctx;
static uint8_t *buffer;
static bool closes;

/* ---- The virtual GPU ---- */

static void *serve(void *arg)
{
	bw_uapi_serve(gpu, (int)(intptr_t)arg);
	return NULL;
}

static void start_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;
	int r = pthread_create(&thread, NULL, fn, arg);
	assert(!r);
	pthread_detach(thread);
}

static void *accept_clients(void *arg)
{
	for (;;) {
		int fd = accept(gpu_listener, NULL, NULL);
		if (fd >= 0)
			start_thread(serve, (void *)(intptr_t)fd);
	}
	return arg;
}

/* ---- The program ---- */

static void must(int r)
{
	if (r)
		fprintf(stderr, "the program's call: %s\n", strerror(-r));
	assert(!r);
}

static void open_gpu(void)
{
	union drm_amdgpu_gem_create create = {
		.in = {.bo_size = BUFFER_B, .alignment = 4096, .domains = AMDGPU_GEM_DOMAIN_GTT}};
	union drm_amdgpu_gem_mmap map = {0};
	union drm_amdgpu_ctx make_ctx_now = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	drm_fd = bw_agent_open_node(128, O_RDWR | O_CLOEXEC);
	assert(drm_fd >= 0);
	drm = bw_agent_file_of(drm_fd);
	must(bw_agent_program_ioctl(drm, DRM_IOCTL_AMDGPU_GEM_CREATE, &create));
	struct drm_amdgpu_gem_va va = {.handle = create.out.handle,
				       .operation = AMDGPU_VA_OP_MAP,
				       .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE |
						AMDGPU_VM_PAGE_EXECUTABLE,
				       .va_address = BUFFER_VA,
				       .map_size = BUFFER_B};
	must(bw_agent_program_ioctl(drm, DRM_IOCTL_AMDGPU_GEM_VA, &va));
	map.in.handle = create.out.handle;
	must(bw_agent_program_ioctl(drm, DRM_IOCTL_AMDGPU_GEM_MMAP, &map));
	buffer = bw_agent_mmap(drm, NULL, BUFFER_B, PROT_READ | PROT_WRITE, MAP_SHARED,
			       map.out.addr_ptr);
	assert(buffer != MAP_FAILED);
	must(bw_agent_program_ioctl(drm, DRM_IOCTL_AMDGPU_CTX, &make_ctx_now));
	ctx = make_ctx_now.out.alloc.ctx_id;
}

static void close_gpu(void)
{
	munmap(buffer, BUFFER_B);
	bw_agent_file_unref(drm);
	bw_agent_fd_forget(drm_fd);
	close(drm_fd);
}

static void submit_once(void)
{
	struct bw_pm4_stream s = {0};
	const uint32_t endpgm[2] = {0xbfb00000, 0xbf9f0000};
	put_kernel(&s, BUFFER_VA + CODE_AT, BUFFER_VA, 1);
	memcpy(buffer, s.data, s.len * 4);
	memcpy(buffer + CODE_AT, endpgm, sizeof(endpgm));
	struct drm_amdgpu_cs_chunk_ib ib = {.va_start = BUFFER_VA,
					    .ib_bytes = (uint32_t)s.len * 4,
					    .ip_type = AMDGPU_HW_IP_COMPUTE};
	struct drm_amdgpu_cs_chunk chunk = {.chunk_id = AMDGPU_CHUNK_ID_IB,
					    .length_dw = sizeof(ib) / 4,
					    .chunk_data = (uintptr_t)&ib};
	uint64_t chunks[] = {(uintptr_t)&chunk};
	union drm_amdgpu_cs cs = {
		.in = {.ctx_id = ctx, .num_chunks = 1, .chunks = (uintptr_t)chunks}};
	bw_pm4_stream_free(&s);
	/* Its result is what the debugger has made of the memory. */
	bw_agent_program_ioctl(drm, DRM_IOCTL_AMDGPU_CS, &cs);
}

static void *program(void *arg)
{
	for (;;) {
		sem_wait(&submit_now);
		submit_once();
		if (closes) {
			close_gpu();
			open_gpu();
		}
		sem_post(&submitted);
	}
	return arg;
}

static void start(void)
{
	struct bw_error *err = NULL;
	const struct bw_uapi_options options = {
		.device.threads = 1, .quiet = true, .lockup_timeout_ms = 100};
	if (!mkdtemp(folder))
		abort();
	snprintf(gpu_path, sizeof(gpu_path), "%s/gpu", folder);
	setenv(BW_VGPU_SOCKET_ENV, gpu_path, 1);
	setenv(BW_AGENT_ATTACH_ENV, "1", 1);
	err = bw_uapi_create(&bw_profile_navi31, &options, &gpu);
	if (!err)
		err = bw_sock_listen(gpu_path, &gpu_listener);
	assert(!err);
	start_thread(accept_clients, NULL);
	open_gpu();
	sem_init(&submit_now, 0, 0);
	sem_init(&submitted, 0, 0);
	start_thread(program, NULL);
}

static void stop(void)
{
	unlink(gpu_path);
	rmdir(folder);
}

/* ---- The debugger ---- */

static const uint16_t types[] = {
	BW_AGENT_ATTACH, BW_AGENT_DETACH,  BW_AGENT_RELEASE, BW_AGENT_MEM_READ, BW_AGENT_MEM_WRITE,
	BW_AGENT_PATCH,	 BW_AGENT_UNPATCH, BW_AGENT_MAPS,    BW_AGENT_FAULT,	BW_AGENT_OBJECTS,
	BW_AGENT_SHADER, BW_AGENT_CLOCK,   BW_AGENT_READY,   BW_AGENT_FILES,	BW_AGENT_GUARD};

static uint64_t area_va, handler_va; /* as the last ATTACH has answered */

static uint64_t address(struct bw_cursor *c)
{
	const uint64_t places[] = {BUFFER_VA,  BUFFER_VA + CODE_AT, BUFFER_VA + BUFFER_B,
				   area_va,    handler_va,	    0,
				   UINT64_MAX, 1ull << 47};
	return places[bw_cursor_u8(c) % BW_ARRAY_SIZE(places)] +
	       (uint64_t)(int64_t)(int8_t)bw_cursor_u8(c);
}

/* The body of a request in its own form; returns its size. */
static size_t form(uint16_t type, uint8_t how, struct bw_cursor *c, uint8_t *out, size_t out_b)
{
	struct bw_agent_mem mem = {0};
	struct bw_agent_attach attach = {0};
	bool exact = !(how & 0x80);
	size_t n = 0, more;
	switch (type) {
	case BW_AGENT_ATTACH:
		attach = (struct bw_agent_attach){
			.area_size_b = (uint64_t)bw_cursor_u8(c) << (how & 0x40 ? 40 : 12),
			.control_size_b = bw_cursor_u8(c),
			.handler_size_b = bw_cursor_u8(c),
			.displaced_size_b = (uint32_t)bw_cursor_u8(c) << (how & 0x20 ? 24 : 8),
			.file = how & 3};
		attach.area_va = how & 4 ? address(c) : 0;
		attach.handler_va = how & 8 ? address(c) : 0;
		attach.displaced_va = how & 16 ? address(c) : 0;
		memcpy(out, &attach, n = sizeof(attach));
		more = attach.control_size_b + attach.handler_size_b;
		break;
	case BW_AGENT_MEM_READ:
	case BW_AGENT_MEM_WRITE:
	case BW_AGENT_PATCH:
	case BW_AGENT_UNPATCH:
		mem = (struct bw_agent_mem){.va = address(c), .file = how & 3};
		more = bw_cursor_u8(c);
		mem.size_b = type == BW_AGENT_MEM_READ ? (uint32_t)more << (how >> 2 & 31)
						       : (uint32_t)more;
		memcpy(out, &mem, n = sizeof(mem));
		more = type == BW_AGENT_MEM_WRITE || type == BW_AGENT_PATCH ? more : 0;
		break;
	default:
		more = how & 31;
		break;
	}
	more = exact ? more : bw_cursor_u8(c);
	more = BW_MIN(more, out_b - n);
	memset(out + n, 0, more);
	bw_cursor_copy(c, out + n, BW_MIN(more, bw_cursor_left(c)));
	return n + more;
}

/* False: the agent has ended the connection. */
static bool await_reply(int sock, uint16_t type, uint32_t seq)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = NULL;
	do {
		err = bw_msg_recv(sock, PATIENCE_MS, &m);
		assert(!err || err->code != BW_E_TIMEOUT);
		if (!err && m.type == (BW_AGENT_ATTACH | BW_AGENT_REPLY)) {
			struct bw_agent_attach_reply r = {0};
			assert(m.body_b >= sizeof(r.r));
			memcpy(&r, m.body, BW_MIN((size_t)m.body_b, sizeof(r)));
			area_va = r.area_va;
			handler_va = r.handler_va;
		}
	} while (!err && !m.seq);
	if (!err)
		assert(m.type == (uint16_t)(type | BW_AGENT_REPLY) && m.seq == seq);
	bool going_on = !err && type != BW_AGENT_DETACH && type != BW_AGENT_READY;
	bw_error_free(err);
	bw_msg_fini(&m);
	return going_on;
}

/* False: the agent keeps its guard's line (READY). */
static bool send_requests(int sock, struct bw_cursor *c)
{
	static uint8_t body[4096];
	for (uint32_t seq = 1; seq < MAX_REQUESTS && bw_cursor_left(c); seq++) {
		uint8_t which = bw_cursor_u8(c), how = bw_cursor_u8(c);
		uint16_t type = which < BW_ARRAY_SIZE(types) ? types[which] : bw_cursor_u16(c);
		size_t n = form(type, how, c, body, sizeof(body));
		struct bw_msg_part part = {body, n};
		/* a descriptor that was not asked for */
		struct bw_error *err =
			bw_msg_send(sock, type, seq, &part, 1, how == 0x5f ? gpu_listener : -1);
		bool gone = err;
		bw_error_free(err);
		if (gone || (type != BW_AGENT_GUARD && !await_reply(sock, type, seq)))
			return type != BW_AGENT_READY;
	}
	return true;
}

/* A guard's line: says BACK when it hears LEFT, or nothing. */
static int send_guard(int sock)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();
	bw_error_free(bw_msg_send(sock, BW_AGENT_GUARD, 0, NULL, 0, pair[1]));
	close(pair[1]);
	return pair[0];
}

static void answer_guard(int line)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = bw_msg_recv(line, PATIENCE_MS, &m);
	if (!err)
		err = bw_msg_send(line, BW_AGENT_BACK, 0, NULL, 0, -1);
	bw_error_free(err);
	bw_msg_fini(&m);
}

static bool has_ended(void)
{
	pthread_mutex_lock(&bw_dbg.lock);
	bool ended = bw_dbg.state == ENDED;
	pthread_mutex_unlock(&bw_dbg.lock);
	return ended;
}

/* The debugger's end of a new connection. The agent may not be done with the one before at once. */
static int become_debugger(void)
{
	for (unsigned i = 0; i < PATIENCE_MS; i++) {
		int pair[2];
		int32_t r = -1;
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
			abort();
		bw_agent_fd_own(pair[1], true);
		bw_debugger_take(pair[1]);
		ssize_t got = recv(pair[0], &r, sizeof(r), MSG_WAITALL);
		assert(got == sizeof(r));
		if (!r)
			return pair[0];
		assert(r == -EBUSY || r == -EALREADY || r == -ENODEV);
		close(pair[0]);
		usleep(1000);
	}
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	if (!gpu) {
		start();
		atexit(stop);
	}
	if (!size_b)
		return 0;
	uint8_t flags = data[0];
	struct bw_cursor c = bw_cursor(data + 1, size_b - 1);
	bool leaves = !(flags & 1);
	closes = flags & 8;
	int sock = become_debugger(), line = -1;
	sem_post(&submit_now);
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = NULL;
	for (m.type = 0; !err && m.type != BW_AGENT_EV_SUBMIT;) /* HELLO comes first */
		err = bw_msg_recv(sock, PATIENCE_MS, &m);
	assert(!err);
	bw_msg_fini(&m);
	if (!(flags & 2))
		line = send_guard(sock);
	if (flags & 1) {
		ssize_t sent = send(sock, data + 1, BW_MIN(size_b - 1, (size_t)4096), MSG_NOSIGNAL);
		assert(sent >= 0);
	} else {
		leaves = send_requests(sock, &c);
	}
	close(sock);
	if (line >= 0 && leaves && !(flags & 4))
		answer_guard(line);
	if (line >= 0)
		close(line);
	sem_wait(&submitted);
	for (unsigned i = 0; !has_ended(); i++) {
		assert(i < PATIENCE_MS * 10);
		usleep(100);
	}
	return 0;
}
