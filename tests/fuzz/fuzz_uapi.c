/* SPDX-License-Identifier: MIT */
/* Hostile programs on the virtual GPU. The input is a list of operations: files opened and closed,
 * ioctls, buffers mapped, exported and imported, debugfs files written, clients that come and go,
 * in any order (tests/fuzz/seeds_uapi.py says how they look in bytes). It is also the memory that
 * the server asks for. Whatever comes, the server stays up and the next client is served.
 *
 * Waits without an end are ended by closing the program's connection. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/newer_kfd.h"
#include "base/sw_sync.h"
#include "base/util.h"
#include "vgpu/uapi/uapi.h"
#include "wire/draws_proto.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

enum { N_CLIENTS = 2, N_FDS = 4, MAX_OPS = 200, MAX_IO_B = 1024 };
/* Debugfs files, by the number that an operation has. Whatever is written to registers stays. */
static const char *const paths[] = {
	"debug/dri/0/amdgpu_vram",
	"debug/dri/0/amdgpu_iomem",
	"debug/dri/0/amdgpu_vm_info",
	"log",
	"debug/dri/0/amdgpu_ring_comp_1.0.0",
	"debug/dri/0/amdgpu_gca_config",
	"debug/dri/0/amdgpu_wave",
	"debug/dri/0/amdgpu_gpr",
	"debug/dri/0/amdgpu_gprwave",
	"debug/dri/0/amdgpu_gfxoff",
	"debug/dri/0/amdgpu_regs2",
	"debug/dri/0/amdgpu_regs",
	"debug/sync/sw_sync",
	"debug/sync/info",
	"debug/dri/0/breakwater_draws",
};
enum { REGS2 = 10, REGS };
/* Ioctls that are not the DRM's. */
static const uint32_t own_ioctls[] = {
	BW_VGPU_IOCTL_BO_FENCES, BW_VGPU_IOCTL_BO_ADD_FENCE,  BW_VGPU_IOCTL_SYNC_MERGE,
	BW_VGPU_IOCTL_SYNC_INFO, BW_VGPU_IOCTL_SYNC_DEADLINE, BW_SW_SYNC_CREATE_FENCE,
	BW_SW_SYNC_INC,		 BW_SW_SYNC_GET_DEADLINE,     BW_DRAWS_IOCTL_WAVE,
	BW_DRAWS_IOCTL_BREAKS,	 BW_DRAWS_IOCTL_DRAW,	      BW_DRAWS_IOCTL_PIXEL,
	BW_DRAWS_IOCTL_EVENT,	 BW_DRAWS_IOCTL_INPUTS,
};

struct client {
	int sock;
	pthread_t thread;
	bool on;
};

static struct bw_uapi *gpu;
static bool used_up; /* its registers are not as they were */

static struct input {
	const uint8_t *data;
	size_t size_b;
	struct bw_cursor c;
	struct client client[N_CLIENTS], *now;
	int fd[N_FDS];
	uint32_t seq;
	struct bw_msg m;
} in;

static void *serve(void *arg)
{
	bw_uapi_serve(gpu, (int)(intptr_t)arg);
	return NULL;
}

/* What the "program" has at an address: the input again, from a place the address chooses. */
static bool answer(int sock, const struct bw_msg *ask)
{
	struct bw_vgpu_user u;
	struct bw_vgpu_result r = {0};
	assert(ask->body_b >= sizeof(u));
	memcpy(&u, ask->body, sizeof(u));
	assert(u.size_b <= BW_MSG_MAX_BODY_B);
	bool is_read = ask->type == BW_VGPU_USER_READ;
	uint8_t *bytes = calloc(1, u.size_b + 1u);
	size_t from = in.size_b ? (size_t)(u.va % in.size_b) : 0;
	if (is_read && in.size_b)
		memcpy(bytes, in.data + from, BW_MIN((size_t)u.size_b, in.size_b - from));
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

/* The reply in in.m. False: none within a moment, and the client goes. */
static bool request(uint16_t type, const struct bw_msg_part *parts, size_t n, int fd)
{
	int sock = in.now->sock;
	struct bw_error *err = bw_msg_send(sock, type, ++in.seq, parts, n, fd);
	while (!err) {
		err = bw_msg_recv(sock, 30, &in.m);
		if (!err && in.m.type == (type | BW_VGPU_REPLY))
			return true;
		if (!err && !answer(sock, &in.m))
			break;
	}
	bw_error_free(err);
	in.now->on = false;
	return false;
}

static bool request_one(uint16_t type, const void *body, size_t size_b)
{
	return request(type, &(struct bw_msg_part){body, size_b}, 1, -1);
}

static void arrive(struct client *c)
{
	int pair[2];
	struct bw_vgpu_hello hello = {.version = BW_VGPU_PROTO_VERSION, .pid = 1, .comm = "fuzz"};
	struct bw_vgpu_drm_open open_it = {.minor = 128};
	*c = (struct client){.sock = -1};
	in.now = c;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	if (pthread_create(&c->thread, NULL, serve, (void *)(intptr_t)pair[1])) {
		close(pair[0]);
		close(pair[1]);
		return;
	}
	c->sock = pair[0];
	c->on = true;
	if (request_one(BW_VGPU_HELLO, &hello, sizeof(hello)))
		request_one(BW_VGPU_DRM_OPEN, &open_it, sizeof(open_it));
}

static void leave(struct client *c)
{
	if (c->sock >= 0) {
		close(c->sock);
		pthread_join(c->thread, NULL);
	}
	*c = (struct client){.sock = -1};
}

/* What came with a reply, or an end of our own. */
static void keep_fd(unsigned slot, int fd)
{
	if (fd < 0)
		return;
	if (in.fd[slot % N_FDS] >= 0)
		close(in.fd[slot % N_FDS]);
	in.fd[slot % N_FDS] = fd;
}

/* ---- operations ---- */

static void op_open(void)
{
	struct bw_vgpu_drm_open o = {.minor = bw_cursor_u8(&in.c)};
	request_one(BW_VGPU_DRM_OPEN, &o, sizeof(o));
}

static void op_close(void)
{
	struct bw_vgpu_file f = {.file = bw_cursor_u8(&in.c)};
	request_one(BW_VGPU_CLOSE, &f, sizeof(f));
}

/* The rest of op_ioctl where the number is one of own_ioctls. */
static void own_ioctl(uint8_t file, uint8_t nr, size_t given_b, uint8_t fd)
{
	struct bw_vgpu_ioctl a = {.file = file, .cmd = own_ioctls[nr % BW_ARRAY_SIZE(own_ioctls)]};
	union {
		struct bw_vgpu_sync_info sync;
		struct bw_draws_wave wave;
		struct bw_draws_breaks breaks;
		struct bw_draws_draw draw;
		struct bw_draws_event event;
		struct bw_draws_inputs inputs;
	} arg = {0};
	size_t size_b = _IOC_SIZE(a.cmd);
	assert(size_b <= sizeof(arg));
	given_b = BW_MIN(given_b, bw_cursor_left(&in.c));
	bw_cursor_copy(&in.c, (uint8_t *)&arg, BW_MIN(given_b, size_b));
	struct bw_msg_part parts[] = {{&a, sizeof(a)}, {&arg, size_b}};
	if (request(BW_VGPU_IOCTL, parts, 2, fd & 0x80 ? -1 : in.fd[fd % N_FDS]))
		keep_fd(fd >> 4 & 3, in.m.fd);
	in.m.fd = -1;
}

/* File; number; size, or 0x80 for memory that comes along; descriptor, 0x80 for none, 0x40 for a
 * number in own_ioctls; argument. */
static void op_ioctl(void)
{
	uint8_t file = bw_cursor_u8(&in.c), nr = bw_cursor_u8(&in.c), n = bw_cursor_u8(&in.c);
	uint8_t fd = bw_cursor_u8(&in.c), arg[128] = {0}, ahead[64] = {0};
	bool has_ahead = n & 0x80;
	n &= 0x7f;
	if (fd & 0x40) {
		own_ioctl(file, nr, n, fd);
		return;
	}
	bw_cursor_copy(&in.c, arg, BW_MIN((size_t)n, bw_cursor_left(&in.c)));
	/* User memory that was not asked for, well formed or not. */
	size_t ahead_b = has_ahead ? BW_MIN(sizeof(ahead), bw_cursor_left(&in.c)) : 0;
	memcpy(ahead, in.c.data + in.c.pos, ahead_b);
	struct bw_vgpu_ioctl a = {.file = file, .cmd = _IOC(_IOC_READ | _IOC_WRITE, 'd', nr, n)};
	struct bw_msg_part parts[] = {{&a, sizeof(a)}, {arg, n}, {ahead, ahead_b}};
	if (request(BW_VGPU_IOCTL, parts, 3, fd & 0x80 ? -1 : in.fd[fd % N_FDS]))
		keep_fd(fd >> 4 & 3, in.m.fd);
	in.m.fd = -1;
}

/* Like op_ioctl, of /dev/kfd: number 0 opens it. Memory of the program is the input, too, and debug
 * calls are about the program itself. */
static void op_kfd(void)
{
	enum { SMI_EVENTS = 0x1f };
	uint8_t file = bw_cursor_u8(&in.c), nr = bw_cursor_u8(&in.c), n = bw_cursor_u8(&in.c);
	uint8_t fd = bw_cursor_u8(&in.c), arg[128] = {0};
	n &= 0x7f;
	if (!nr) {
		request(BW_VGPU_KFD_OPEN, NULL, 0, -1);
		return;
	}
	bw_cursor_copy(&in.c, arg, BW_MIN((size_t)n, bw_cursor_left(&in.c)));
	const uint32_t pid = (uint32_t)getpid();
	if (nr == _IOC_NR(BW_KFD_IOC_DBG_TRAP))
		memcpy(arg, &pid, sizeof(pid));
	struct bw_vgpu_ioctl a = {.file = file, .cmd = _IOC(_IOC_READ | _IOC_WRITE, 'K', nr, n)};
	struct bw_msg_part parts[] = {{&a, sizeof(a)}, {arg, n}};
	if (request(BW_VGPU_IOCTL, parts, 2, fd & 0x80 ? -1 : in.fd[fd % N_FDS])) {
		if (in.m.fd >= 0 && nr == SMI_EVENTS) /* a mask */
			(void)!send(in.m.fd, arg, sizeof(arg) - n, MSG_NOSIGNAL);
		keep_fd(fd >> 4 & 3, in.m.fd);
	}
	in.m.fd = -1;
}

/* File; page of the buffer's offset; descriptor. */
static void op_mmap(void)
{
	struct bw_vgpu_mmap a = {.file = bw_cursor_u8(&in.c), .prot = 3, .size_b = 4096};
	a.offset = (1ull << 32) + 4096ull * bw_cursor_u16(&in.c);
	uint8_t slot = bw_cursor_u8(&in.c);
	if (request_one(BW_VGPU_MMAP, &a, sizeof(a)))
		keep_fd(slot, in.m.fd);
	in.m.fd = -1;
}

static void op_path(void)
{
	unsigned which = bw_cursor_u8(&in.c) % BW_ARRAY_SIZE(paths);
	struct bw_vgpu_file_open a = {.flags = O_RDWR};
	struct bw_msg_part parts[] = {{&a, sizeof(a)}, {paths[which], strlen(paths[which])}};
	used_up |= which == REGS2 || which == REGS;
	request(BW_VGPU_FILE_OPEN, parts, 2, -1);
}

/* File; position; size; what is written. */
static void op_io(bool write)
{
	struct bw_vgpu_file_io a = {.file = bw_cursor_u8(&in.c), .pos = bw_cursor_u64(&in.c)};
	a.size_b = bw_cursor_u16(&in.c) % (MAX_IO_B + 1);
	uint8_t bytes[MAX_IO_B] = {0};
	if (write)
		bw_cursor_copy(&in.c, bytes, BW_MIN((size_t)a.size_b, bw_cursor_left(&in.c)));
	struct bw_msg_part parts[] = {{&a, sizeof(a)}, {bytes, write ? a.size_b : 0}};
	request(write ? BW_VGPU_FILE_WRITE : BW_VGPU_FILE_READ, parts, 2, -1);
}

/* Descriptor and place; size; bytes for the memory that it is. */
static void op_poke(void)
{
	uint8_t slot = bw_cursor_u8(&in.c), at = bw_cursor_u8(&in.c), n = bw_cursor_u8(&in.c),
		bytes[256] = {0};
	size_t given = BW_MIN((size_t)n, bw_cursor_left(&in.c));
	bw_cursor_copy(&in.c, bytes, given);
	if (in.fd[slot % N_FDS] >= 0 && pwrite(in.fd[slot % N_FDS], bytes, n, at * 16) < 0)
		return; /* no memory */
}

/* A descriptor of our own: an eventfd, pages, a pipe's end. */
static void op_make_fd(void)
{
	uint8_t slot = bw_cursor_u8(&in.c);
	int pair[2];
	if (slot & 0x40) {
		keep_fd(slot, eventfd(0, EFD_CLOEXEC));
	} else if (slot & 0x80) {
		int fd = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (ftruncate(fd, 0x12000) || /* up to the end of those in seeds_uapi.py */
		    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
			abort();
		keep_fd(slot, fd);
	} else if (!pipe2(pair, O_CLOEXEC)) {
		keep_fd(slot, pair[0]);
		close(pair[1]);
	}
}

static void operation(void)
{
	uint8_t op = bw_cursor_u8(&in.c);
	switch (op % 13) {
	case 0:
		op_open();
		break;
	case 1:
		op_close();
		break;
	case 2:
	case 3:
		op_ioctl();
		break;
	case 4:
		op_mmap();
		break;
	case 5:
		op_path();
		break;
	case 6:
		op_io(true);
		break;
	case 7:
		op_io(false);
		break;
	case 8:
		op_poke();
		break;
	case 9:
		op_make_fd();
		break;
	case 10: { /* switches to the other client */
		struct client *other = &in.client[in.now == &in.client[0]];
		if (other->sock < 0)
			arrive(other);
		in.now = other;
		break;
	}
	case 12:
		op_kfd();
		break;
	case 11: { /* this one goes, and a new one comes */
		leave(in.now);
		arrive(in.now);
		break;
	}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	struct bw_uapi_options options = {.device.threads = 1, .quiet = true};
	if (!gpu)
		bw_error_free(bw_uapi_create(&bw_profile_navi31, &options, &gpu));
	assert(gpu);
	in = (struct input){
		.data = data, .size_b = size_b, .c = bw_cursor(data, size_b), .m = BW_MSG_INIT};
	for (unsigned i = 0; i < N_FDS; i++)
		in.fd[i] = -1;
	for (unsigned i = 0; i < N_CLIENTS; i++)
		in.client[i].sock = -1;
	arrive(&in.client[0]);
	for (unsigned i = 0; i < MAX_OPS && in.now->on && bw_cursor_left(&in.c); i++)
		operation();
	for (unsigned i = 0; i < N_CLIENTS; i++)
		leave(&in.client[i]);
	for (unsigned i = 0; i < N_FDS; i++)
		if (in.fd[i] >= 0)
			close(in.fd[i]);
	/* The next one is served: a server that hangs is a finding of libFuzzer's -timeout. */
	unsigned now = 0;
	uint64_t ever;
	bw_uapi_clients(gpu, &now, &ever);
	assert(!now);
	if (used_up) {
		bw_uapi_destroy(gpu);
		gpu = NULL;
		used_up = false;
	}
	bw_msg_fini(&in.m);
	return 0;
}
