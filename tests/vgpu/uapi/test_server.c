/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <sys/socket.h>

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, CODE = 0x10000000, DATA = 0x20000000, IB = 0x30000000 };

static void hello_is_checked(void **state)
{
	struct client c, d;
	connect_client(&c, 0);
	assert_int_equal(c.hello.result, 0);
	assert_string_equal(c.hello.pci_address, PCI);
	assert_int_equal(c.hello.version, BW_VGPU_PROTO_VERSION);
	assert_true(c.token != 0);
	connect_client(&d, c.token ^ 1); /* a guess */
	assert_int_equal(d.hello.result, -ESRCH);
	close_client(&d);
	connect_client(&d, c.token);
	assert_int_equal(d.hello.result, 0);
	assert_int_equal(server_info(&d).clients, 1);
	close_client(&d);
	struct bw_vgpu_hello old = {.version = 99};
	struct bw_vgpu_hello_reply r;
	struct bw_msg m = BW_MSG_INIT;
	connect_raw(&d);
	request(&d, BW_VGPU_HELLO, &(struct bw_msg_part){&old, sizeof(old)}, 1, -1, &m);
	memcpy(&r, m.body, sizeof(r));
	assert_int_equal(r.result, -EPROTO);
	bw_msg_fini(&m);
	close_client(&d);
	close_client(&c);
}

static int32_t result_of(struct client *c, uint16_t type, const void *body, size_t body_b)
{
	struct bw_msg m = BW_MSG_INIT;
	int32_t r;
	request(c, type, &(struct bw_msg_part){body, body_b}, 1, -1, &m);
	assert_true(m.body_b >= sizeof(r));
	memcpy(&r, m.body, sizeof(r));
	bw_msg_fini(&m);
	return r;
}

static void requests_are_checked(void **state)
{
	struct client c;
	char zeros[256] = {0};
	connect_raw(&c);
	assert_int_equal(result_of(&c, BW_VGPU_DRM_OPEN, zeros, sizeof(struct bw_vgpu_drm_open)),
			 -EPERM); /* before HELLO */
	close_client(&c);
	open_client(&c);
	assert_int_equal(result_of(&c, 999, zeros, 8), -ENOSYS);
	assert_int_equal(result_of(&c, BW_VGPU_USER_READ, zeros, 8), -ENOSYS);
	for (uint16_t type = BW_VGPU_DRM_OPEN; type <= BW_VGPU_FILE_WRITE; type++) {
		assert_int_equal(result_of(&c, type, zeros, 0), -EINVAL);
		assert_int_equal(result_of(&c, type, zeros, 3), -EINVAL);
	}
	uint32_t file;
	assert_int_equal(drm_open(&c, 5, &file), -ENOENT);
	assert_int_equal(close_file(&c, 999), -EBADF);
	struct bw_vgpu_ioctl a = {c.drm, DRM_IOCTL_AMDGPU_CTX};
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &a, sizeof(a)),
			 -EFAULT); /* without its argument */
	a.file = 999;
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &a, sizeof(a)), -EBADF);
	uint64_t pos = 0;
	assert_int_equal(file_read(&c, c.drm, &pos, zeros, 4), -EINVAL);
	assert_int_equal(file_write(&c, c.drm, &pos, zeros, 4), -EBADF);
	close_client(&c);
}

/* User memory that comes with a call is taken for the program's; what is no whole piece, and what
 * the pieces do not have, is asked for. */
static void memory_that_comes_along(void **state)
{
	struct client c;
	open_client(&c);
	struct drm_syncobj_create create = {0};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
	struct {
		struct bw_vgpu_ioctl a;
		struct drm_syncobj_array in;
		struct bw_vgpu_user other, piece;
		uint32_t handles[2];
	} r = {{c.drm, DRM_IOCTL_SYNCOBJ_SIGNAL},
	       {.handles = 0x1000, .count_handles = 1},
	       {.va = 0x5000},
	       {.va = 0xffc, .size_b = 8},
	       {0, create.handle}};
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &r, sizeof(r)), 0);
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &r, sizeof(r) - 1), -EFAULT); /* cut short */
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &r, sizeof(r.a) + sizeof(r.in) + 20),
			 -EFAULT);
	r.in.handles = 0x1004; /* half inside */
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &r, sizeof(r)), -EFAULT);
	r.in.handles = 0x1000, r.piece.size_b = UINT32_MAX;
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &r, sizeof(r)), -EFAULT);
	r.piece.size_b = 8, r.handles[1] = 99;
	assert_int_equal(result_of(&c, BW_VGPU_IOCTL, &r, sizeof(r)), -ENOENT);
	close_client(&c);
}

/* Bytes that are no messages end that connection and nothing else. */
static void garbage_ends_only_its_connection(void **state)
{
	struct client good, bad;
	open_client(&good);
	unsigned seed = 3;
	for (unsigned i = 0; i < 50; i++) {
		uint8_t bytes[200];
		for (unsigned k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		connect_raw(&bad);
		if (i % 2) { /* a proper header, then anything */
			struct bw_msg_header h = {BW_MSG_MAGIC, (uint16_t)(i % 12), 0, 1, i * 3};
			memcpy(bytes, &h, sizeof(h));
		}
		ssize_t ignored = send(bad.sock, bytes, sizeof(bytes), MSG_NOSIGNAL);
		(void)ignored;
		close_client(&bad);
	}
	assert_int_equal(server_info(&good).clients, 1);
	close_client(&good);
}

/* Every ioctl number with random arguments: an error or success, never a crash or a hang. */
static void random_ioctls(void **state)
{
	struct client c;
	open_client(&c);
	unsigned seed = 11;
	uint64_t args[64];
	for (unsigned round = 0; round < 6; round++) {
		for (unsigned nr = 0; nr < 256; nr++) {
			for (unsigned i = 0; i < 64; i++) {
				seed = seed * 1664525 + 1013904223;
				/* small numbers, large ones, and pointers that are none */
				args[i] = seed >> 28 < 8    ? seed >> 8 & 7
					  : seed >> 28 < 12 ? UINT64_MAX >> (seed & 63)
							    : (uint64_t)seed << 20;
			}
			/* waits must not wait for ever: no INT64_MAX as a timeout in syncobj waits
			 */
			if (nr == 0xc3 || nr == 0xca || nr == 0x47 || nr == 0x49 || nr == 0x52)
				memset(args, 0, sizeof(args));
			drm_ioctl(
				&c,
				_IOC(_IOC_READ | _IOC_WRITE, 'd', nr, (seed >> 16) % sizeof(args)),
				args);
		}
	}
	uint32_t ctx = make_ctx(&c);
	assert_true(ctx > 0);
	close_client(&c);
}

static void a_client_leaves_nothing(void **state)
{
	struct client watcher, c;
	connect_client(&watcher, 0);
	struct bw_vgpu_server_info before = server_info(&watcher);
	for (unsigned round = 0; round < 10; round++) {
		open_client(&c);
		struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
		struct buffer code = make_buffer(&c, 1 << 20, AMDGPU_GEM_DOMAIN_VRAM,
						 AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, CODE);
		struct bw_pm4_stream s = {0};
		*(uint32_t *)code.cpu = 0xbfa0ffff; /* for ever */
		put_kernel(&s, CODE, DATA, 8);
		memcpy(ib.cpu, s.data, s.len * 4);
		uint32_t n = (uint32_t)s.len, ctx = make_ctx(&c);
		bw_pm4_stream_free(&s);
		/* one runs, others wait behind it */
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(submit(&c, ctx, COMPUTE, i % 4, IB, n, NULL, 0, NULL), 0);
		while (!server_info(&watcher).waves_resident)
			usleep(1000);
		munmap(ib.cpu, ib.size_b);
		munmap(code.cpu, code.size_b);
		close_client(&c); /* as if killed */
		int64_t until = now_ns() + 20000000000;
		while (now_ns() < until) {
			struct bw_vgpu_server_info now = server_info(&watcher);
			if (!now.waves_resident && now.buffers == before.buffers &&
			    now.clients == before.clients)
				break;
			usleep(2000);
		}
		struct bw_vgpu_server_info after = server_info(&watcher);
		assert_int_equal(after.waves_resident, 0);
		assert_int_equal(after.buffers, before.buffers);
		assert_int_equal(after.buffer_bytes, before.buffer_bytes);
		assert_int_equal(after.clients, before.clients);
	}
	close_client(&watcher);
}

/* The program ends inside a call: while the server asks for its memory, and while it waits. */
static void a_client_may_die_in_the_middle(void **state)
{
	struct client watcher, c;
	connect_client(&watcher, 0);
	open_client(&c);
	struct bw_vgpu_ioctl a = {c.drm, DRM_IOCTL_AMDGPU_CS};
	union drm_amdgpu_cs cs = {
		.in = {.ctx_id = make_ctx(&c), .num_chunks = 3, .chunks = 0x1000}};
	struct bw_msg_part parts[] = {{&a, sizeof(a)}, {&cs, sizeof(cs)}};
	struct bw_msg m = BW_MSG_INIT;
	assert_null(bw_msg_send(c.sock, BW_VGPU_IOCTL, 77, parts, 2, -1));
	assert_null(bw_msg_recv(c.sock, 10000, &m));
	assert_int_equal(m.type, BW_VGPU_USER_READ);
	close_client(&c); /* returns when the server's thread has ended */

	open_client(&c);
	struct drm_syncobj_create create = {0};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_SYNCOBJ_CREATE, &create), 0);
	struct drm_syncobj_wait w = {.handles = 0x1000,
				     .count_handles = 1,
				     .timeout_nsec = INT64_MAX,
				     .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT};
	a = (struct bw_vgpu_ioctl){c.drm, DRM_IOCTL_SYNCOBJ_WAIT};
	parts[1] = (struct bw_msg_part){&w, sizeof(w)};
	assert_null(bw_msg_send(c.sock, BW_VGPU_IOCTL, 78, parts, 2, -1));
	assert_null(bw_msg_recv(c.sock, 10000, &m));
	struct bw_vgpu_result ok = {0};
	struct bw_msg_part reply[] = {{&ok, sizeof(ok)}, {&create.handle, 4}};
	assert_null(bw_msg_send(c.sock, BW_VGPU_USER_READ | BW_VGPU_REPLY, m.seq, reply, 2, -1));
	usleep(20000); /* now it waits for ever */
	int64_t before = now_ns();
	close_client(&c);
	assert_true(now_ns() - before < 5000000000);

	/* An answer that is none. */
	open_client(&c);
	assert_null(bw_msg_send(
		c.sock, BW_VGPU_IOCTL, 79,
		(struct bw_msg_part[]){{&(struct bw_vgpu_ioctl){c.drm, DRM_IOCTL_AMDGPU_CS}, 8},
				       {&cs, sizeof(cs)}},
		2, -1));
	/* ctx 1 does not exist here: refused before any question */
	assert_null(bw_msg_recv(c.sock, 10000, &m));
	assert_int_equal(m.type, BW_VGPU_IOCTL | BW_VGPU_REPLY);
	make_ctx(&c);
	assert_null(bw_msg_send(
		c.sock, BW_VGPU_IOCTL, 80,
		(struct bw_msg_part[]){{&(struct bw_vgpu_ioctl){c.drm, DRM_IOCTL_AMDGPU_CS}, 8},
				       {&cs, sizeof(cs)}},
		2, -1));
	assert_null(bw_msg_recv(c.sock, 10000, &m));
	assert_null(bw_msg_send(c.sock, BW_VGPU_SERVER_INFO, 80, NULL, 0, -1));
	struct bw_error *err = bw_msg_recv(c.sock, 10000, &m);
	assert_non_null(err); /* the server has hung up */
	bw_error_free(err);
	bw_msg_fini(&m);
	close_client(&c);
	assert_int_equal(server_info(&watcher).clients, 1);
	close_client(&watcher);
}

static void *allocate(void *arg)
{
	struct client *first = arg, c;
	connect_client(&c, first->token);
	for (unsigned i = 0; i < 200; i++) {
		union drm_amdgpu_gem_create create = {.in = {4096, 0, AMDGPU_GEM_DOMAIN_VRAM, 0}};
		struct drm_gem_close destroy = {0};
		if (file_ioctl(&c, first->drm, DRM_IOCTL_AMDGPU_GEM_CREATE, &create))
			return (void *)1;
		destroy.handle = create.out.handle;
		if (file_ioctl(&c, first->drm, DRM_IOCTL_GEM_CLOSE, &destroy))
			return (void *)2;
	}
	close_client(&c);
	return NULL;
}

static void threads_of_a_program(void **state)
{
	enum { N = 8 };
	struct client first;
	open_client(&first);
	pthread_t threads[N];
	for (unsigned i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, allocate, &first);
	for (unsigned i = 0; i < N; i++) {
		void *result;
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	assert_int_equal(server_info(&first).buffers, 0);
	close_client(&first);
}

/* A client that comes as the driver is destroyed: its thread may not have run yet. */
static void a_connection_at_the_end(void **state)
{
	for (unsigned i = 0; i < 20; i++) {
		struct bw_uapi_options options = {.device.threads = 1};
		struct bw_uapi *u;
		int pair[2];
		char byte;
		assert_null(bw_uapi_create(&bw_profile_navi31, &options, &u));
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
		assert_null(bw_uapi_serve_on_thread(u, pair[1]));
		bw_uapi_destroy(u);
		assert_int_equal(recv(pair[0], &byte, 1, MSG_DONTWAIT), 0); /* closed by then */
		close(pair[0]);
	}
}

TESTS_AROUND(start_gpu, stop_gpu, hello_is_checked, requests_are_checked, memory_that_comes_along,
	     garbage_ends_only_its_connection, random_ioctls, a_client_leaves_nothing,
	     a_client_may_die_in_the_middle, threads_of_a_program, a_connection_at_the_end);
