/* SPDX-License-Identifier: MIT */
#include "kmd/client_priv.h"

#include <amdgpu_drm.h>
#include <assert.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "base/sw_sync.h"
#include "base/util.h"
#include "base/vec.h"
#include "kmd/prefetch.h"
#include "kmd/named.h"
#include "wire/message.h"

/* One ioctl argument is at most 14 bits of size. The memory a server may ask for in one piece
 * leaves room for the struct in front of it. */
enum {
	IOCTL_ARG_MAX_B = 1 << 14,
	USER_MAX_B = BW_MSG_MAX_BODY_B - 4096,
	IO_MAX_B = 1 << 20,
	PREFETCH_MAX_B = 8 << 10,
	ERRNO_MAX = 4095 /* of the kernel's (include/linux/err.h) */
};

static bool user_copy(bool write, uint64_t va, void *local, size_t size_b)
{
	struct iovec l = {local, size_b}, r = {(void *)(uintptr_t)va, size_b};
	if (!size_b)
		return true;
	ssize_t n = write ? process_vm_writev(getpid(), &l, 1, &r, 1, 0)
			  : process_vm_readv(getpid(), &l, 1, &r, 1, 0);
	return n == (ssize_t)size_b;
}

/* The ioctl that a channel is busy with, and what it names; cmd 0: another request. */
struct ioctl {
	uint32_t cmd;
	const void *arg;
	struct bw_vgpu_named named;
};

/* Whether the server may access the memory that it asks for. */
static bool is_named(struct ioctl *at_hand, bool write, const struct bw_vgpu_user *user)
{
	if (!at_hand->named.is_known && at_hand->cmd)
		bw_vgpu_named_find(&at_hand->named, at_hand->cmd, at_hand->arg);
	if (bw_vgpu_named_has(&at_hand->named, write, user->va, user->size_b))
		return true;
	BW_LOG(WARN, "kmd",
	       "the virtual GPU may not %s %u bytes at %#llx: ioctl %#x does not name them",
	       write ? "write" : "read", user->size_b, (unsigned long long)user->va, at_hand->cmd);
	return false;
}

static struct bw_error *answer_user(struct bw_vgpu_channel *ch, struct ioctl *at_hand)
{
	struct bw_vgpu_user user;
	if (ch->in.body_b < sizeof(user))
		return bw_errorf(BW_E_INVALID, "short memory request from the virtual GPU");
	memcpy(&user, ch->in.body, sizeof(user));
	struct bw_vgpu_result res = {0};
	struct bw_msg_part parts[2] = {{&res, sizeof(res)}};
	size_t n_parts = 1;
	if (ch->in.type == BW_VGPU_USER_WRITE) {
		if (user.size_b != ch->in.body_b - sizeof(user))
			return bw_errorf(
				BW_E_INVALID,
				"memory request of the virtual GPU and its data differ in size");
		if (!is_named(at_hand, true, &user) ||
		    !user_copy(true, user.va, ch->in.body + sizeof(user), user.size_b))
			res.result = -EFAULT;
	} else if (user.size_b > USER_MAX_B || !is_named(at_hand, false, &user)) {
		res.result = -EFAULT;
	} else {
		if (ch->scratch_cap_b < user.size_b) {
			uint8_t *bigger = realloc(ch->scratch, user.size_b);
			if (!bigger)
				return bw_error_nomem();
			ch->scratch = bigger;
			ch->scratch_cap_b = user.size_b;
		}
		if (user_copy(false, user.va, ch->scratch, user.size_b))
			parts[n_parts++] = (struct bw_msg_part){ch->scratch, user.size_b};
		else
			res.result = -EFAULT;
	}
	return bw_msg_send(ch->sock, ch->in.type | BW_VGPU_REPLY, ch->in.seq, parts, n_parts, -1);
}

/* The result at the start of a reply: 0 or -errno, more than 0 only where the call returns a
 * count. */
static bool is_result(uint16_t type, const uint8_t *body)
{
	int32_t result;
	memcpy(&result, body, sizeof(result));
	bool counts =
		type == BW_VGPU_IOCTL || type == BW_VGPU_FILE_READ || type == BW_VGPU_FILE_WRITE;
	return result >= -ERRNO_MAX && (counts || result <= 0);
}

struct request {
	uint16_t type;
	const struct bw_msg_part *parts;
	size_t n_parts;
	int fd;	      /* sent with it; -1: none */
	size_t min_b; /* a shorter reply is an error */
};

static struct bw_error *send_request(struct bw_vgpu_channel *ch, const struct request *q)
{
	uint32_t seq = ++ch->seq ? ch->seq : ++ch->seq;
	return bw_msg_send(ch->sock, q->type, seq, q->parts, q->n_parts, q->fd);
}

/* Waits for the reply with that number, answering the server's requests in between. On success it
 * is in ch->in, at least min_b long. */
static struct bw_error *await_reply(struct bw_vgpu_channel *ch, uint16_t type, uint32_t seq,
				    size_t min_b, struct ioctl *at_hand)
{
	for (;;) {
		BW_TRY(bw_msg_recv(ch->sock, -1, &ch->in));
		if (ch->in.type == BW_VGPU_USER_READ || ch->in.type == BW_VGPU_USER_WRITE)
			BW_TRY(answer_user(ch, at_hand));
		else if (ch->in.type == (type | BW_VGPU_REPLY) && ch->in.seq == seq &&
			 ch->in.body_b >= min_b && is_result(type, ch->in.body))
			return NULL;
		else
			return bw_errorf(BW_E_INVALID,
					 "unexpected message %#x of %u bytes from the virtual GPU",
					 ch->in.type, ch->in.body_b);
	}
}

/* After a failure between a request and its reply. Takes err; -errno. */
static int give_up(struct bw_vgpu_client *c, struct bw_vgpu_channel *ch, uint16_t type,
		   struct bw_error *err)
{
	BW_LOG(WARN, "kmd", "request %u: %s", type, err->message);
	bool nomem = err->code == BW_E_NOMEM, interrupted = bw_vgpu_is_interrupted(err);
	bw_error_free(err);
	bw_vgpu_discard(c, ch); /* a late answer is discarded with it */
	if (interrupted)
		return -EINTR;
	if (nomem)
		return -ENOMEM;
	bw_vgpu_mark_gone(c);
	return -ENODEV;
}

/* Sends a request and waits for its reply. On success the reply is in (*out_ch)->in, and the caller
 * releases the channel. */
static int exchange(struct bw_vgpu_client *c, const struct request *q, struct ioctl *at_hand,
		    struct bw_vgpu_channel **out_ch)
{
	struct bw_vgpu_channel *ch;
	int r = bw_vgpu_acquire(c, &ch);
	if (r)
		return r;
	struct bw_error *err = send_request(ch, q);
	if (!err)
		err = await_reply(ch, q->type, ch->seq, q->min_b, at_hand);
	if (err)
		return give_up(c, ch, q->type, err);
	*out_ch = ch;
	return 0;
}

/* The destination of a reply's fixed part. */
struct reply {
	void *to;
	size_t size_b;
};
#define REPLY(object) ((struct reply){&(object), sizeof(object)})

/* Calls with a request that gives the server no access to memory, and sends no descriptor. */
static int call(struct bw_vgpu_client *c, uint16_t type, const struct bw_msg_part *parts,
		size_t n_parts, struct reply reply, struct bw_vgpu_channel **out_ch)
{
	const struct request q = {type, parts, n_parts, -1, reply.size_b};
	int r = exchange(c, &q, &(struct ioctl){0}, out_ch);
	if (!r)
		memcpy(reply.to, (*out_ch)->in.body, reply.size_b);
	return r;
}

/* The reply is the result alone. */
static int call_result(struct bw_vgpu_client *c, uint16_t type, const struct bw_msg_part *parts,
		       size_t n_parts)
{
	struct bw_vgpu_result reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, type, parts, n_parts, REPLY(reply), &ch);
	if (r)
		return r;
	bw_vgpu_release(c, ch);
	return reply.result;
}

static int call_open(struct bw_vgpu_client *c, uint16_t type, const struct bw_msg_part *parts,
		     size_t n_parts, uint32_t *out_file)
{
	struct bw_vgpu_channel *ch;
	struct bw_vgpu_open_reply reply;
	int r = call(c, type, parts, n_parts, REPLY(reply), &ch);
	if (r)
		return r;
	bw_vgpu_release(c, ch);
	if (!reply.result)
		*out_file = reply.file;
	return reply.result;
}

int bw_vgpu_drm_open(struct bw_vgpu_client *c, unsigned minor, int flags, uint32_t *out_file)
{
	struct bw_vgpu_drm_open req = {minor, (uint32_t)flags};
	struct bw_msg_part part = {&req, sizeof(req)};
	return call_open(c, BW_VGPU_DRM_OPEN, &part, 1, out_file);
}

int bw_vgpu_kfd_open(struct bw_vgpu_client *c, uint32_t *out_file)
{
	return call_open(c, BW_VGPU_KFD_OPEN, NULL, 0, out_file);
}

int bw_vgpu_kfd_tree(struct bw_vgpu_client *c)
{
	return call_result(c, BW_VGPU_KFD_TREE, NULL, 0);
}

int bw_vgpu_file_open(struct bw_vgpu_client *c, const char *path, int flags, uint32_t *out_file)
{
	struct bw_vgpu_file_open req = {.flags = (uint32_t)flags};
	struct bw_msg_part parts[] = {{&req, sizeof(req)}, {path, strlen(path)}};
	return call_open(c, BW_VGPU_FILE_OPEN, parts, 2, out_file);
}

int bw_vgpu_close(struct bw_vgpu_client *c, uint32_t file)
{
	struct bw_vgpu_file req = {.file = file};
	struct bw_msg_part part = {&req, sizeof(req)};
	return call_result(c, BW_VGPU_CLOSE, &part, 1);
}

/* Pages of the program, where they are such that the server will want them. */
static int fd_of_pages(struct bw_vgpu_client *c, uint64_t va, uint64_t size_b)
{
	if (!c->hooks.share_pages || !size_b || (va | size_b) & 0xfff)
		return -1;
	int fd = c->hooks.share_pages(va, size_b);
	return fd < 0 ? -1 : fd;
}

static int fd_of_userptr(struct bw_vgpu_client *c, uint32_t cmd, const uint8_t *arg)
{
	struct drm_amdgpu_gem_userptr a;
	if (_IOC_SIZE(cmd) < sizeof(a))
		return -1;
	memcpy(&a, arg, sizeof(a));
	return a.flags & AMDGPU_GEM_USERPTR_REGISTER ? fd_of_pages(c, a.addr, a.size) : -1;
}

static int fd_of_kfd_memory(struct bw_vgpu_client *c, const uint8_t *arg)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	const uint32_t other = BW_KFD_ALLOC_VRAM | BW_KFD_ALLOC_GTT;
	memcpy(&a, arg, sizeof(a));
	return a.flags & BW_KFD_ALLOC_USERPTR && !(a.flags & other)
		       ? fd_of_pages(c, a.mmap_offset, a.size)
		       : -1;
}

/* Where KFD writes a byte for each event. */
static int fd_of_debugger(const uint8_t *arg)
{
	struct bw_kfd_dbg_trap a;
	memcpy(&a, arg, sizeof(a));
	return a.op == BW_KFD_DBG_ENABLE && fcntl((int)a.enable.dbg_fd, F_GETFD) >= 0
		       ? (int)a.enable.dbg_fd
		       : -1;
}

/* struct drm_syncobj_eventfd of Linux 6.6: handle, flags, 64-bit point, fd, pad */
enum { SYNCOBJ_EVENTFD_NR = 0xcf, SYNCOBJ_EVENTFD_FD_AT = 16 };

/* The file descriptor that is sent with an ioctl: for most of those that have one the one that the
 * struct names. */
static int fd_of_ioctl(struct bw_vgpu_client *c, uint32_t cmd, const uint8_t *arg)
{
	static const struct {
		unsigned type, nr;
		size_t at;
	} named[] = {
		{DRM_IOCTL_BASE, _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE),
		 offsetof(struct drm_prime_handle, fd)},
		{DRM_IOCTL_BASE, _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE),
		 offsetof(struct drm_syncobj_handle, fd)},
		{DRM_IOCTL_BASE, SYNCOBJ_EVENTFD_NR, SYNCOBJ_EVENTFD_FD_AT},
		{AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF),
		 offsetof(struct kfd_ioctl_import_dmabuf_args, dmabuf_fd)},
		{AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_GET_DMABUF_INFO),
		 offsetof(struct kfd_ioctl_get_dmabuf_info_args, dmabuf_fd)},
		{BW_VGPU_IOCTL_TYPE, _IOC_NR(BW_VGPU_IOCTL_SYNC_MERGE),
		 offsetof(struct bw_vgpu_sync_merge, fd)},
		{BW_VGPU_IOCTL_TYPE, _IOC_NR(BW_VGPU_IOCTL_SYNC_INFO),
		 offsetof(struct bw_vgpu_sync_info, fd)},
		{BW_VGPU_IOCTL_TYPE, _IOC_NR(BW_VGPU_IOCTL_SYNC_DEADLINE),
		 offsetof(struct bw_vgpu_sync_deadline, fd)},
		{_IOC_TYPE(BW_SW_SYNC_GET_DEADLINE), _IOC_NR(BW_SW_SYNC_GET_DEADLINE),
		 offsetof(struct bw_sw_sync_get_deadline, fence)},
	};
	if (_IOC_TYPE(cmd) == DRM_IOCTL_BASE &&
	    _IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_AMDGPU_GEM_USERPTR)
		return fd_of_userptr(c, cmd, arg);
	if (cmd == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)
		return fd_of_kfd_memory(c, arg);
	if (cmd == BW_KFD_IOC_DBG_TRAP)
		return fd_of_debugger(arg);
	for (size_t i = 0; i < BW_ARRAY_SIZE(named); i++) {
		int fd;
		if (named[i].type != _IOC_TYPE(cmd) || named[i].nr != _IOC_NR(cmd) ||
		    named[i].at + sizeof(fd) > _IOC_SIZE(cmd))
			continue;
		memcpy(&fd, arg + named[i].at, sizeof(fd));
		return fd >= 0 && fcntl(fd, F_GETFD) >= 0 ? fd : -1;
	}
	return -1;
}

static int make_ioctl(struct bw_vgpu_client *c, uint32_t file, uint32_t cmd, void *arg, bool is_own)
{
	uint8_t bytes[IOCTL_ARG_MAX_B], prefetched[PREFETCH_MAX_B];
	size_t size_b = _IOC_SIZE(cmd);
	/* Like the DRM core, copy in whenever the code has a size (drm_ioctl). */
	if (is_own)
		memcpy(bytes, arg, size_b);
	else if (!user_copy(false, (uintptr_t)arg, bytes, size_b))
		return -EFAULT;
	struct bw_vgpu_ioctl req = {file, cmd};
	struct bw_msg_part parts[] = {
		{&req, sizeof(req)},
		{bytes, size_b},
		{prefetched, (is_own ? bw_vgpu_own_prefetch : bw_vgpu_prefetch)(
				     cmd, bytes, prefetched, sizeof(prefetched))}};
	struct bw_vgpu_ioctl_reply reply;
	struct bw_vgpu_channel *ch;
	struct ioctl at_hand = {.cmd = cmd, .arg = bytes};
	const struct request q = {BW_VGPU_IOCTL, parts, 3, fd_of_ioctl(c, cmd, bytes),
				  sizeof(reply)};
	int r = exchange(c, &q, &at_hand, &ch);
	bw_vgpu_named_fini(&at_hand.named);
	if (r)
		return r;
	memcpy(&reply, ch->in.body, sizeof(reply));
	size_t back_b = BW_MIN(size_b, ch->in.body_b - sizeof(reply));
	uint8_t *back = ch->in.body + sizeof(reply);
	if (ch->in.fd >= 0 && reply.fd_at <= back_b && back_b - reply.fd_at >= sizeof(int)) {
		memcpy(back + reply.fd_at, &ch->in.fd, sizeof(int));
		ch->in.fd = -1; /* the caller's now */
	}
	if ((_IOC_DIR(cmd) & _IOC_READ) && is_own)
		memcpy(arg, back, back_b);
	else if ((_IOC_DIR(cmd) & _IOC_READ) && !user_copy(true, (uintptr_t)arg, back, back_b) &&
		 !reply.result)
		reply.result = -EFAULT;
	bw_vgpu_release(c, ch);
	return reply.result;
}

int bw_vgpu_ioctl(struct bw_vgpu_client *c, uint32_t file, uint32_t cmd, void *arg)
{
	return make_ioctl(c, file, cmd, arg, false);
}

int bw_vgpu_own_ioctl(struct bw_vgpu_client *c, uint32_t file, uint32_t cmd, void *arg)
{
	return make_ioctl(c, file, cmd, arg, true);
}

int bw_vgpu_mmap(struct bw_vgpu_client *c, const struct bw_vgpu_mmap *req, int *out_fd,
		 uint64_t *out_fd_offset_b)
{
	struct bw_msg_part part = {req, sizeof(*req)};
	struct bw_vgpu_mmap_reply reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, BW_VGPU_MMAP, &part, 1, REPLY(reply), &ch);
	if (r)
		return r;
	if (!reply.result && ch->in.fd < 0)
		reply.result = -EIO;
	if (!reply.result) {
		*out_fd = bw_take_fd(ch->in.fd);
		*out_fd_offset_b = reply.fd_offset;
	}
	bw_vgpu_release(c, ch);
	return reply.result;
}

ssize_t bw_vgpu_fdinfo(struct bw_vgpu_client *c, uint32_t file, char *out, size_t size_b)
{
	struct bw_vgpu_file req = {.file = file};
	struct bw_msg_part part = {&req, sizeof(req)};
	struct bw_vgpu_result reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, BW_VGPU_FDINFO, &part, 1, REPLY(reply), &ch);
	if (r)
		return r;
	size_t n = BW_MIN(size_b, ch->in.body_b - sizeof(reply));
	if (!reply.result)
		memcpy(out, ch->in.body + sizeof(reply), n);
	bw_vgpu_release(c, ch);
	return reply.result ? reply.result : (ssize_t)n;
}

static ssize_t read_once(struct bw_vgpu_client *c, uint32_t file, uint64_t *pos, void *out,
			 size_t size_b)
{
	struct bw_vgpu_file_io req = {file, (uint32_t)size_b, *pos};
	struct bw_msg_part part = {&req, sizeof(req)};
	struct bw_vgpu_file_io_reply reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, BW_VGPU_FILE_READ, &part, 1, REPLY(reply), &ch);
	if (r)
		return r;
	if (reply.result > 0) {
		size_t n = BW_MIN(size_b, ch->in.body_b - sizeof(reply));
		reply.result = (int32_t)BW_MIN((size_t)reply.result, n);
		memcpy(out, ch->in.body + sizeof(reply), (size_t)reply.result);
	}
	bw_vgpu_release(c, ch);
	if (reply.result >= 0)
		*pos = reply.pos;
	return reply.result;
}

static ssize_t write_once(struct bw_vgpu_client *c, uint32_t file, uint64_t *pos, const void *data,
			  size_t size_b)
{
	struct bw_vgpu_file_io req = {file, (uint32_t)size_b, *pos};
	struct bw_msg_part parts[] = {{&req, sizeof(req)}, {data, size_b}};
	struct bw_vgpu_file_io_reply reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, BW_VGPU_FILE_WRITE, parts, 2, REPLY(reply), &ch);
	if (r)
		return r;
	bw_vgpu_release(c, ch);
	if (reply.result > (int64_t)size_b)
		return -EIO;
	if (reply.result >= 0)
		*pos = reply.pos;
	return reply.result;
}

ssize_t bw_vgpu_file_io(struct bw_vgpu_client *c, uint32_t file, uint64_t *pos, void *out,
			const void *in, size_t size_b)
{
	size_b = BW_MIN(size_b, (size_t)IO_MAX_B);
	return out ? read_once(c, file, pos, out, size_b) : write_once(c, file, pos, in, size_b);
}

ssize_t bw_vgpu_pread(struct bw_vgpu_client *c, uint32_t file, uint64_t pos, void *out,
		      size_t size_b)
{
	size_t done = 0;
	do {
		size_t want = BW_MIN(size_b - done, (size_t)IO_MAX_B);
		uint64_t at = pos + done;
		ssize_t n = read_once(c, file, &at, (char *)out + done, want);
		if (n < 0)
			return done ? (ssize_t)done : n;
		done += (size_t)n;
		if ((size_t)n < want)
			break;
	} while (done < size_b);
	return (ssize_t)done;
}

ssize_t bw_vgpu_pwrite(struct bw_vgpu_client *c, uint32_t file, uint64_t pos, const void *data,
		       size_t size_b)
{
	size_t done = 0;
	do {
		size_t want = BW_MIN(size_b - done, (size_t)IO_MAX_B);
		uint64_t at = pos + done;
		ssize_t n = write_once(c, file, &at, (const char *)data + done, want);
		if (n < 0)
			return done ? (ssize_t)done : n;
		done += (size_t)n;
		if ((size_t)n < want)
			break;
	} while (done < size_b);
	return (ssize_t)done;
}

/* ---- Many small calls ---- */

static struct bw_error *send_access(struct bw_vgpu_channel *ch, uint32_t file,
				    const struct bw_vgpu_access *a)
{
	const struct bw_vgpu_ioctl ioctl = {file, a->cmd};
	const struct bw_vgpu_file_io io = {file, a->size_b, a->pos};
	const struct bw_msg_part parts[] = {a->type == BW_VGPU_IOCTL
						    ? (struct bw_msg_part){&ioctl, sizeof(ioctl)}
						    : (struct bw_msg_part){&io, sizeof(io)},
					    {a->data, a->size_b}};
	const struct request q = {a->type, parts, a->type == BW_VGPU_FILE_READ ? 1 : 2, -1, 0};
	return send_request(ch, &q);
}

/* The result of an access whose reply is in ch->in. */
static void take_access(const struct bw_vgpu_channel *ch, struct bw_vgpu_access *a)
{
	struct bw_vgpu_file_io_reply reply;
	memcpy(&a->result, ch->in.body, sizeof(a->result));
	if (a->type == BW_VGPU_FILE_READ && a->result > 0) {
		size_t n = BW_MIN((size_t)a->size_b, ch->in.body_b - sizeof(reply));
		a->result = (int32_t)BW_MIN((size_t)a->result, n);
		memcpy(a->data, ch->in.body + sizeof(reply), (size_t)a->result);
	}
}

int bw_vgpu_access_many(struct bw_vgpu_client *c, uint32_t file, struct bw_vgpu_access *list,
			size_t n)
{
	struct bw_vgpu_channel *ch;
	struct ioctl none = {0};
	assert(n <= BW_VGPU_ACCESSES_MAX);
	int r = bw_vgpu_acquire(c, &ch);
	if (r)
		return r;
	struct bw_error *err = NULL;
	const uint32_t before = ch->seq = ch->seq > UINT32_MAX - BW_VGPU_ACCESSES_MAX ? 0 : ch->seq;
	for (size_t i = 0; i < n && !err; i++)
		err = send_access(ch, file, &list[i]);
	for (size_t i = 0; i < n && !err; i++) {
		err = await_reply(ch, list[i].type, before + 1 + (uint32_t)i,
				  list[i].type == BW_VGPU_IOCTL
					  ? sizeof(struct bw_vgpu_ioctl_reply)
					  : sizeof(struct bw_vgpu_file_io_reply),
				  &none);
		if (!err)
			take_access(ch, &list[i]);
	}
	if (err)
		return give_up(c, ch, list[0].type, err);
	bw_vgpu_release(c, ch);
	return 0;
}

int bw_vgpu_server_info(struct bw_vgpu_client *c, struct bw_vgpu_server_info *out)
{
	struct bw_vgpu_server_info reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, BW_VGPU_SERVER_INFO, NULL, 0, REPLY(reply), &ch);
	if (r)
		return r;
	bw_vgpu_release(c, ch);
	if (!reply.result)
		*out = reply;
	return reply.result;
}

int bw_vgpu_fidelity(struct bw_vgpu_client *c, struct bw_vgpu_fidelity_row **out_rows,
		     size_t *out_n)
{
	struct bw_vgpu_fidelity_reply reply;
	struct bw_vgpu_channel *ch;
	int r = call(c, BW_VGPU_FIDELITY, NULL, 0, REPLY(reply), &ch);
	if (r)
		return r;
	size_t n = BW_MIN(reply.n_rows, (ch->in.body_b - sizeof(reply)) / sizeof(**out_rows));
	struct bw_vgpu_fidelity_row *rows = reply.result ? NULL : calloc(n + 1, sizeof(*rows));
	if (rows) {
		memcpy(rows, ch->in.body + sizeof(reply), n * sizeof(*rows));
		for (size_t i = 0; i < n; i++)
			rows[i].name[sizeof(rows[i].name) - 1] =
				rows[i].why[sizeof(rows[i].why) - 1] = 0;
		*out_rows = rows;
		*out_n = n;
	} else if (!reply.result) {
		reply.result = -ENOMEM;
	}
	bw_vgpu_release(c, ch);
	return reply.result;
}
