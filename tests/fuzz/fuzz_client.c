/* SPDX-License-Identifier: MIT */
/* A hostile virtual GPU: a client makes calls, and the input is what the server answers to each.
 * Whatever it says, calls end, results stay inside what the caller gave, and no descriptor is left
 * over.
 *
 * For each message of the client the server takes: a byte that says what to send (see answer()),
 * and what that takes. */
#include <amdgpu_drm.h>
#include <assert.h>
#include <drm.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/util.h"
#include "kmd/client.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b);

enum { MAX_ANSWERS = 64, MAX_BODY_B = 2048, PATIENCE_MS = 20000 };
static char folder[] = "/tmp/fuzz-client-XXXXXX", path[64];
static int listener, memory;
static uint8_t
	*user; /* a page of the "program" that the server may ask for; nothing is behind it */

struct server {
	struct bw_cursor c;
	pthread_t thread;
	pthread_mutex_t lock; /* of the cursor: the client has several channels */
	unsigned n_answers;
};

static void stop(void)
{
	unlink(path);
	rmdir(folder);
}

static void start(void)
{
	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/gpu", folder);
	bw_error_free(bw_sock_listen(path, &listener));
	memory = memfd_create("fuzz", MFD_CLOEXEC);
	user = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (listener < 0 || memory < 0 || user == MAP_FAILED || ftruncate(memory, 4096) ||
	    mprotect(user + 4096, 4096, PROT_NONE))
		abort();
	atexit(stop);
}

/* One message to the client. False: nothing more will come. */
static bool answer(struct server *s, int sock, const struct bw_msg *m)
{
	uint8_t body[MAX_BODY_B] = {0};
	struct bw_msg_part part = {body, 0};
	uint16_t type = m->type | BW_VGPU_REPLY;
	uint32_t seq = m->seq;
	pthread_mutex_lock(&s->lock);
	bool done = !bw_cursor_left(&s->c) || ++s->n_answers > MAX_ANSWERS;
	uint8_t what = bw_cursor_u8(&s->c);
	size_t n = (size_t)bw_cursor_u8(&s->c) << (what & 0x10 ? 3 : 0);
	struct bw_vgpu_hello_reply hello = {.version = BW_VGPU_PROTO_VERSION, .client = 1};
	struct bw_vgpu_user ask = {.va = (uintptr_t)user + (uint64_t)(int64_t)(int8_t)n * 64};
	switch (what & 7) {
	case 0: /* well formed: zeros are success */
	case 1:
		if (m->type == BW_VGPU_HELLO)
			memcpy(body, &hello, part.size_b = sizeof(hello));
		else
			part.size_b = BW_MAX(n, sizeof(struct bw_vgpu_server_info));
		break;
	case 2: /* the memory of the client */
	case 3:
		type = what & 1 ? BW_VGPU_USER_READ : BW_VGPU_USER_WRITE;
		ask.size_b = bw_cursor_u8(&s->c);
		ask.size_b <<= what & 8 ? 20 : 0;
		part.size_b =
			sizeof(ask) + (type == BW_VGPU_USER_WRITE ? BW_MIN(ask.size_b, 256u) : 0);
		memcpy(body, &ask, sizeof(ask));
		break;
	case 4: /* anything */
		part.size_b = n;
		bw_cursor_copy(&s->c, body, BW_MIN(n, bw_cursor_left(&s->c)));
		break;
	case 5: /* a wrong number or type */
		seq += what >> 3 & 1;
		type = what & 0x20 ? bw_cursor_u16(&s->c) : type;
		part.size_b = n;
		break;
	case 6: /* bytes that are no message */
		part.size_b = n;
		bw_cursor_copy(&s->c, body, BW_MIN(n, bw_cursor_left(&s->c)));
		(void)!send(sock, body, part.size_b, MSG_NOSIGNAL);
		done = true;
		break;
	default:
		done = true;
	}
	pthread_mutex_unlock(&s->lock);
	if (done)
		return false;
	struct bw_error *err = bw_msg_send(sock, type, seq, &part, 1, what & 0x40 ? memory : -1);
	done = err;
	bw_error_free(err);
	return !done;
}

/* One channel after the other: the client keeps those of earlier calls, and its liveness. */
static void *serve(void *arg)
{
	struct server *s = arg;
	int socks[8];
	size_t n = 0;
	while (n < BW_ARRAY_SIZE(socks)) {
		int sock = accept(listener, NULL, NULL);
		struct bw_msg m = BW_MSG_INIT;
		struct bw_error *err = sock < 0 ? bw_errorf(BW_E_GONE, "over") : NULL;
		bool hello = true;
		if (sock >= 0)
			socks[n++] = sock;
		while (!err) {
			err = bw_msg_recv(sock, PATIENCE_MS, &m);
			if (!err && !answer(s, sock, &m))
				err = bw_errorf(BW_E_GONE, "enough");
			/* the first one is the client's liveness: no calls come on it */
			if (!err && hello && n == 1)
				break;
			hello = false;
		}
		bool over = err && sock < 0;
		if (err && sock >= 0)
			shutdown(sock, SHUT_RDWR);
		bw_error_free(err);
		bw_msg_fini(&m);
		if (over)
			break;
	}
	while (n)
		close(socks[--n]);
	return NULL;
}

static void inside(ssize_t got, size_t most)
{
	assert(got <= (ssize_t)most);
}

static void call_all(struct bw_vgpu_client *c)
{
	uint32_t file = 0;
	uint8_t bytes[512];
	struct bw_vgpu_server_info info;
	struct bw_vgpu_fidelity_row *rows = NULL;
	union drm_amdgpu_gem_create create = {.in.bo_size = 4096};
	struct drm_prime_handle prime = {.handle = 1, .fd = -1};
	struct drm_amdgpu_info query = {.return_pointer = (uintptr_t)user, .return_size = 64};
	size_t n;
	uint64_t at;
	int fd;
	bw_vgpu_drm_open(c, 128, O_RDWR, &file);
	bw_vgpu_ioctl(c, file, DRM_IOCTL_AMDGPU_GEM_CREATE, &create);
	if (!bw_vgpu_ioctl(c, file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) && prime.fd > 2 &&
	    prime.fd != memory && prime.fd != listener && fcntl(prime.fd, F_GET_SEALS) >= 0)
		close(prime.fd);
	bw_vgpu_ioctl(c, file, DRM_IOCTL_AMDGPU_INFO, &query);
	if (!bw_vgpu_mmap(c, &(struct bw_vgpu_mmap){file, PROT_READ, 0, 4096}, &fd, &at))
		close(fd);
	inside(bw_vgpu_fdinfo(c, file, (char *)bytes, sizeof(bytes)), sizeof(bytes));
	if (!bw_vgpu_file_open(c, "debug/dri/0/amdgpu_regs2", O_RDWR, &file)) {
		inside(bw_vgpu_pread(c, file, 0, bytes, sizeof(bytes)), sizeof(bytes));
		inside(bw_vgpu_pwrite(c, file, 0, bytes, sizeof(bytes)), sizeof(bytes));
	}
	bw_vgpu_server_info(c, &info);
	if (!bw_vgpu_fidelity(c, &rows, &n)) {
		for (size_t i = 0; i < n; i++)
			assert(memchr(rows[i].name, 0, sizeof(rows[i].name)) &&
			       memchr(rows[i].why, 0, sizeof(rows[i].why)));
		free(rows);
	}
	bw_vgpu_close(c, file);
}

static int lowest_free_fd(void)
{
	int fd = dup(listener);
	close(fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_b)
{
	struct server s = {.c = bw_cursor(data, size_b), .lock = PTHREAD_MUTEX_INITIALIZER};
	struct bw_vgpu_client *c = NULL;
	if (!user)
		start();
	int before = lowest_free_fd();
	if (pthread_create(&s.thread, NULL, serve, &s))
		abort();
	struct bw_error *err = bw_vgpu_client_open(path, NULL, &c);
	if (!err)
		call_all(c);
	bw_error_free(err);
	bw_vgpu_client_close(c);
	/* The server may be waiting for one more. */
	shutdown(listener, SHUT_RDWR);
	pthread_join(s.thread, NULL);
	assert(lowest_free_fd() == before);
	close(listener);
	unlink(path);
	bw_error_free(bw_sock_listen(path, &listener));
	return 0;
}
