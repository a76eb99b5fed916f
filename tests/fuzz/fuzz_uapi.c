/* SPDX-License-Identifier: MIT */
/* A hostile program on the virtual GPU: the input is a list of ioctls (number, size, flags,
 * argument bytes), and it is also the memory that the server asks for. Whatever comes, the server
 * stays up and the next client finds it as it was.
 *
 * Waits that would last for ever end because the program then goes away. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/util.h"
#include "vgpu/uapi/uapi.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

static struct bw_uapi *gpu;

static void *serve(void *arg)
{
	bw_uapi_serve(gpu, (int)(intptr_t)arg);
	return NULL;
}

/* What the "program" has at an address: the input again, from a place the address chooses. */
static bool answer(int sock, const struct bw_msg *ask, const uint8_t *data, size_t size_b)
{
	struct bw_vgpu_user u;
	struct bw_vgpu_result r = {0};
	assert(ask->body_b >= sizeof(u));
	memcpy(&u, ask->body, sizeof(u));
	assert(u.size_b <= BW_MSG_MAX_BODY_B);
	bool is_read = ask->type == BW_VGPU_USER_READ;
	uint8_t *bytes = calloc(1, u.size_b + 1u);
	size_t from = size_b ? (size_t)(u.va % size_b) : 0;
	if (is_read && size_b)
		memcpy(bytes, data + from, BW_MIN((size_t)u.size_b, size_b - from));
	if (u.va >> 56 == 0xee)
		r.result = -14;
	struct bw_msg_part parts[] = {{&r, sizeof(r)},
				      {bytes, is_read && !r.result ? u.size_b : 0}};
	struct bw_error *err = bw_msg_send(sock, ask->type | BW_VGPU_REPLY, ask->seq, parts, 2, -1);
	bool sent = !err;
	bw_error_free(err);
	free(bytes);
	return sent;
}

/* False: no reply within a moment. */
static bool request(int sock, uint16_t type, uint32_t seq, const struct bw_msg_part *parts,
		    size_t n, struct bw_msg *m, const uint8_t *data, size_t size_b)
{
	struct bw_error *err = bw_msg_send(sock, type, seq, parts, n, -1);
	while (!err) {
		err = bw_msg_recv(sock, 30, m);
		if (!err && m->type == (type | BW_VGPU_REPLY))
			return true;
		if (!err && !answer(sock, m, data, size_b))
			return false;
	}
	bw_error_free(err);
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	int pair[2];
	pthread_t thread;
	struct bw_msg m = BW_MSG_INIT;
	struct bw_uapi_options options = {.device.threads = 1, .quiet = true};
	if (!gpu)
		bw_error_free(bw_uapi_create(&bw_profile_navi31, &options, &gpu));
	assert(gpu);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 0;
	if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)pair[1])) {
		close(pair[0]);
		close(pair[1]);
		return 0;
	}
	struct bw_vgpu_hello hello = {.version = BW_VGPU_PROTO_VERSION, .pid = 1, .comm = "fuzz"};
	struct bw_vgpu_drm_open open_it = {.minor = 128};
	bool on = request(pair[0], BW_VGPU_HELLO, 1, &(struct bw_msg_part){&hello, sizeof(hello)},
			  1, &m, data, size_b) &&
		  request(pair[0], BW_VGPU_DRM_OPEN, 2,
			  &(struct bw_msg_part){&open_it, sizeof(open_it)}, 1, &m, data, size_b);
	struct bw_cursor c = bw_cursor(data, size_b);
	for (uint32_t seq = 3; on && seq < 40 && bw_cursor_left(&c) >= 2; seq++) {
		uint8_t nr = bw_cursor_u8(&c), n = bw_cursor_u8(&c);
		uint8_t arg[128] = {0}, ahead[64] = {0};
		bool has_ahead = n & 0x80;
		n &= 0x7f;
		size_t given = BW_MIN((size_t)n, bw_cursor_left(&c));
		bw_cursor_copy(&c, arg, given);
		/* User memory that nobody asked for, well formed or not. */
		size_t ahead_b = has_ahead ? BW_MIN(sizeof(ahead), bw_cursor_left(&c)) : 0;
		memcpy(ahead, c.data + c.pos, ahead_b);
		struct bw_vgpu_ioctl a = {.file = 1,
					  .cmd = _IOC(_IOC_READ | _IOC_WRITE, 'd', nr, n)};
		struct bw_msg_part parts[] = {{&a, sizeof(a)}, {arg, n}, {ahead, ahead_b}};
		on = request(pair[0], BW_VGPU_IOCTL, seq, parts, 3, &m, data, size_b);
	}
	close(pair[0]);
	pthread_join(thread, NULL);
	bw_msg_fini(&m);
	return 0;
}
