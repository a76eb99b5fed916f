/* SPDX-License-Identifier: MIT */
/* The requests of a client: one function for each. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "isa/inst.h"
#include "vgpu/device/exec/core/exec.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/server_priv.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

/* ---- answering ---- */

static void reply(struct bw_conn *c, const struct bw_msg_part *parts, size_t n, int fd)
{
	struct bw_error *err =
		bw_msg_send(c->sock, c->request.type | BW_VGPU_REPLY, c->seq, parts, n, fd);
	if (err) {
		BW_LOG(INFO, "uapi", "replying: %s", err->message);
		bw_error_free(err);
		c->broken = true;
	}
}

static void reply_struct(struct bw_conn *c, const void *data, size_t size_b)
{
	reply(c, &(struct bw_msg_part){data, size_b}, 1, -1);
}

static void reply_result(struct bw_conn *c, int r)
{
	struct bw_vgpu_result result = {.result = r};
	reply_struct(c, &result, sizeof(result));
}

/* ---- files of a client ---- */

void bw_client_file_unref(struct bw_uapi *u, struct bw_client_file *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&u->lock);
	bool last = !--f->refs;
	pthread_mutex_unlock(&u->lock);
	if (!last)
		return;
	if (f->drm)
		bw_drm_file_close(f->drm);
	if (f->file)
		bw_file_close(f->file);
	free(f);
}

static struct bw_client_file *file_get(struct bw_conn *c, uint32_t id)
{
	pthread_mutex_lock(&c->u->lock);
	struct bw_client_file *f = bw_ids_get(&c->client->files, id);
	if (f)
		f->refs++;
	pthread_mutex_unlock(&c->u->lock);
	return f;
}

struct bw_drm_file *bw_conn_file(struct bw_conn *c, uint32_t number)
{
	struct bw_client_file *f = bw_ids_get(&c->client->files, number);
	return f ? f->drm : NULL;
}

struct bw_client_file *bw_conn_file_ref(struct bw_conn *c, uint32_t number)
{
	struct bw_client_file *f = bw_ids_get(&c->client->files, number);
	if (!f || !f->drm)
		return NULL;
	f->refs++;
	return f;
}

/* Takes what the file is. */
static int file_add(struct bw_conn *c, struct bw_client_file what, uint32_t *out_id)
{
	struct bw_client_file *f = calloc(1, sizeof(*f));
	int r = f ? 0 : -ENOMEM;
	if (f) {
		*f = what;
		f->refs = 1;
		pthread_mutex_lock(&c->u->lock);
		r = c->client->files.n < BW_DRM_MAX_FILES ? bw_ids_add(&c->client->files, f, out_id)
							  : -EMFILE;
		pthread_mutex_unlock(&c->u->lock);
	}
	if (r) {
		if (what.drm)
			bw_drm_file_close(what.drm);
		if (what.file)
			bw_file_close(what.file);
		free(f);
	}
	return r;
}

/* ---- requests: the body is at least as long as the row says ---- */

/* The client's pid is taken from the kernel, as its own may be that of another PID namespace. Only
 * where it has none here, the pid that it sends is shown. */
static int pid_of(const struct bw_conn *c, const struct bw_vgpu_hello *h)
{
	struct bw_peer peer = {0};
	bw_error_free(bw_peer_of(c->sock, &peer));
	return peer.pid > 0 ? peer.pid : (int)h->pid;
}

static struct bw_client *client_new(struct bw_conn *c, const struct bw_vgpu_hello *h)
{
	struct bw_uapi *u = c->u;
	struct bw_client *client = calloc(1, sizeof(*client));
	if (!client)
		return NULL;
	*client = (struct bw_client){.pid = pid_of(c, h)};
	memcpy(client->comm, h->comm, sizeof(client->comm) - 1);
	for (size_t i = 0; client->comm[i]; i++) /* it goes into logs */
		if ((unsigned char)client->comm[i] < ' ' || (unsigned char)client->comm[i] > '~')
			client->comm[i] = '?';
	bw_ids_init(&client->files, 1);
	/* A secret between the process and us: it names the process on its other connections. */
	while (!client->token)
		if (getrandom(&client->token, sizeof(client->token), 0) != sizeof(client->token))
			client->token = 0;
	client->account = bw_drm_account_new();
	struct bw_error *err =
		client->account ? bw_vec_push(&u->clients, client) : bw_error_nomem();
	if (err) {
		bw_error_free(err);
		bw_drm_account_unref(client->account);
		free(client);
		return NULL;
	}
	u->clients_ever++;
	return client;
}

static int hello(struct bw_conn *c, const struct bw_vgpu_hello *h)
{
	struct bw_uapi *u = c->u;
	if (c->client)
		return -EINVAL;
	if (h->version != BW_VGPU_PROTO_VERSION)
		return -EPROTO;
	pthread_mutex_lock(&u->lock);
	if (h->client) {
		bw_vec_each(&u->clients, it)
			if ((*it)->token == h->client)
				c->client = *it;
	} else {
		c->client = client_new(c, h);
	}
	if (c->client)
		c->client->n_connections++;
	pthread_mutex_unlock(&u->lock);
	return c->client ? 0 : h->client ? -ESRCH : -ENOMEM;
}

static void on_hello(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_hello h;
	memcpy(&h, body, sizeof(h));
	struct bw_vgpu_hello_reply r = {.version = BW_VGPU_PROTO_VERSION};
	r.result = hello(c, &h);
	if (!r.result) {
		r.client = c->client->token;
		strncpy(r.pci_address, c->u->profile->pci_address, sizeof(r.pci_address) - 1);
		strncpy(r.root, c->u->options.root ? c->u->options.root : "", sizeof(r.root) - 1);
		bw_uapi_tell_clients(c->u);
	}
	reply_struct(c, &r, sizeof(r));
}

static void on_drm_open(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_drm_open o;
	struct bw_vgpu_open_reply r = {0};
	struct bw_drm_file *f;
	memcpy(&o, body, sizeof(o));
	r.result = bw_drm_file_open(c->u, o.minor, c->client->pid, c->client->comm,
				    c->client->account, &f);
	if (!r.result) {
		f->opener = bw_conn_pid(c);
		r.result = file_add(c, (struct bw_client_file){.drm = f}, &r.file);
	}
	reply_struct(c, &r, sizeof(r));
}

/* The process of KFD, made by its first open, or by a debugger before. */
static int kfd_of(struct bw_client *client, struct bw_uapi *u, struct bw_kfd **out)
{
	int r = 0;
	pthread_mutex_lock(&u->lock);
	struct bw_kfd *ahead = client->kfd ? NULL : bw_kfd_process(u, client->pid);
	if (ahead && ahead->is_ahead) {
		bw_kfd_adopt(ahead, client->comm, client->account);
		client->kfd = ahead;
	} else if (!client->kfd) {
		r = bw_kfd_create_locked(u, client->pid, client->comm, client->account,
					 &client->kfd);
	}
	*out = client->kfd;
	pthread_mutex_unlock(&u->lock);
	return r;
}

static void on_kfd_open(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_open_reply r = {0};
	struct bw_kfd *kfd;
	r.result = kfd_of(c->client, c->u, &kfd);
	if (!r.result)
		r.result = file_add(c, (struct bw_client_file){.kfd = kfd}, &r.file);
	reply_struct(c, &r, sizeof(r));
}

static void on_kfd_tree(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	reply_result(c, bw_uapi_need_kfd_tree(c->u));
}

static void on_close(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file a;
	memcpy(&a, body, sizeof(a));
	pthread_mutex_lock(&c->u->lock);
	struct bw_client_file *f = bw_ids_remove(&c->client->files, a.file);
	pthread_mutex_unlock(&c->u->lock);
	if (f)
		bw_client_file_unref(c->u, f);
	reply_result(c, f ? 0 : -EBADF);
}

static void on_ioctl(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_ioctl a;
	struct bw_vgpu_ioctl_reply r = {0};
	memcpy(&a, body, sizeof(a));
	/* The request stays where it is: what comes during the call goes into c->answer. */
	uint8_t *data = c->request.body + sizeof(a);
	size_t arg_b = _IOC_SIZE(a.cmd);
	struct bw_client_file *f = file_get(c, a.file);
	int fd = -1;
	if (!f) {
		r.result = -EBADF;
	} else if (rest_b < arg_b) {
		r.result = -EFAULT;
	} else if (f->file) {
		struct bw_file_call call = {.cmd = a.cmd,
					    .arg = data,
					    .account = c->client->account,
					    .fd_in = c->request.fd,
					    .fd_out = -1};
		r.result = bw_file_gone(f->file) ? bw_file_gone(f->file)
			   : f->file->ops->ioctl ? f->file->ops->ioctl(f->file, &call)
						 : -ENOTTY;
		fd = call.fd_out;
		r.fd_at = fd >= 0 ? call.fd_at : 0;
	} else {
		struct bw_drm_call call = {.u = c->u,
					   .conn = c,
					   .file = f->drm,
					   .kfd = f->kfd,
					   .fd_in = c->request.fd,
					   .fd_out = -1,
					   .ahead = data + arg_b,
					   .ahead_b = rest_b - arg_b};
		r.result = f->kfd ? bw_kfd_ioctl(&call, a.cmd, data)
				  : bw_drm_ioctl(&call, a.cmd, data);
		fd = call.fd_out;
		r.fd_at = fd >= 0 ? call.fd_at : 0;
	}
	if (f)
		bw_client_file_unref(c->u, f);
	struct bw_msg_part parts[] = {{&r, sizeof(r)}, {data, BW_MIN(rest_b, arg_b)}};
	if (!c->broken)
		reply(c, parts, 2, r.result ? -1 : fd);
	if (fd >= 0)
		close(fd);
}

static void on_mmap(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_mmap a;
	struct bw_vgpu_mmap_reply r = {0};
	_cleanup_close_ int fd = -1;
	memcpy(&a, body, sizeof(a));
	struct bw_client_file *f = file_get(c, a.file);
	r.result = !f	    ? -EBADF
		   : f->drm ? bw_drm_mmap(f->drm, a.offset, a.size_b, &fd, &r.fd_offset)
		   : f->kfd ? bw_kfd_mmap(f->kfd, a.offset, a.size_b, &fd)
			    : -ENODEV;
	if (f)
		bw_client_file_unref(c->u, f);
	reply(c, &(struct bw_msg_part){&r, sizeof(r)}, 1, fd);
}

static void on_fdinfo(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file a;
	struct bw_vgpu_result r = {0};
	struct bw_str text = {0};
	memcpy(&a, body, sizeof(a));
	struct bw_client_file *f = file_get(c, a.file);
	if (f && f->drm)
		bw_drm_file_fdinfo(f->drm, &text);
	else
		r.result = -EBADF;
	if (text.failed)
		r.result = -ENOMEM;
	if (f)
		bw_client_file_unref(c->u, f);
	struct bw_msg_part parts[] = {{&r, sizeof(r)}, {bw_str_text(&text), text.len}};
	reply(c, parts, 2, -1);
	bw_str_free(&text);
}

static void on_file_open(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file_open a;
	struct bw_vgpu_open_reply r = {0};
	struct bw_file *file;
	char path[512];
	memcpy(&a, body, sizeof(a));
	if (!rest_b || rest_b >= sizeof(path) || memchr(body + sizeof(a), '\0', rest_b)) {
		r.result = rest_b >= sizeof(path) ? -ENAMETOOLONG : -EINVAL;
	} else {
		memcpy(path, body + sizeof(a), rest_b);
		path[rest_b] = '\0';
		r.result = bw_file_open(c->u, path, a.flags, c->client->comm, &file);
		if (!r.result)
			r.result = file_add(c, (struct bw_client_file){.file = file}, &r.file);
	}
	reply_struct(c, &r, sizeof(r));
}

static void on_file_read(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file_io a;
	struct bw_vgpu_file_io_reply r = {0};
	_cleanup_free_ uint8_t *data = NULL;
	memcpy(&a, body, sizeof(a));
	struct bw_client_file *f = file_get(c, a.file);
	r.pos = a.pos;
	if (!f || !f->file) {
		r.result = f ? -EINVAL : -EBADF;
	} else if (!f->file->ops->read) {
		r.result = -EBADF; /* it opens for writing only */
	} else if (bw_file_gone(f->file)) {
		r.result = bw_file_gone(f->file);
	} else {
		/* Like any read, this may return less than was asked for, if that does not fit into
		 * one message. */
		uint32_t n = BW_MIN(a.size_b, (uint32_t)BW_MSG_MAX_BODY_B - BW_DRM_PAGE_B);
		data = malloc(BW_MAX(n, 1u));
		r.result = data ? (int32_t)f->file->ops->read(f->file, data, n, &r.pos) : -ENOMEM;
	}
	if (f)
		bw_client_file_unref(c->u, f);
	struct bw_msg_part parts[] = {{&r, sizeof(r)}, {data, r.result > 0 ? (size_t)r.result : 0}};
	reply(c, parts, 2, -1);
}

static void on_file_write(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file_io a;
	struct bw_vgpu_file_io_reply r = {0};
	memcpy(&a, body, sizeof(a));
	struct bw_client_file *f = file_get(c, a.file);
	r.pos = a.pos;
	if (!f || !f->file || !f->file->writable)
		r.result = -EBADF;
	else if (bw_file_gone(f->file))
		r.result = bw_file_gone(f->file);
	else if (!f->file->ops->write || a.size_b != rest_b)
		r.result = -EINVAL;
	else
		r.result = (int32_t)f->file->ops->write(f->file, body + sizeof(a), rest_b, &r.pos);
	if (f)
		bw_client_file_unref(c->u, f);
	reply_struct(c, &r, sizeof(r));
}

static void on_server_info(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_uapi *u = c->u;
	struct bw_device_stats s;
	bw_device_stats(u->dev, &s);
	struct bw_vgpu_server_info r = {.pid = (uint32_t)getpid(),
					.instructions = s.instructions,
					.waves_launched = s.waves_launched,
					.waves_resident = s.waves_resident,
					.dispatches = s.dispatches};
	pthread_mutex_lock(&u->lock);
	r.buffers = u->n_bos;
	r.buffer_bytes = u->bo_bytes;
	r.clients = u->clients.len;
	r.clients_ever = u->clients_ever;
	pthread_mutex_unlock(&u->lock);
	reply_struct(c, &r, sizeof(r));
}

struct fidelity_rows BW_VEC(struct bw_vgpu_fidelity_row);

/* One worker's row into the sum of all. */
static void add_fidelity(void *cookie, const struct bw_tally_row *row)
{
	struct fidelity_rows *rows = cookie;
	struct bw_vgpu_fidelity_row r = {
		.count = row->n, .kind = (uint8_t)row->fidelity.kind, .is_second = row->is_second};
	strncpy(r.name, bw_isa_op_info(row->op)->name, sizeof(r.name) - 1);
	strncpy(r.why, row->fidelity.why ? row->fidelity.why : "", sizeof(r.why) - 1);
	bw_vec_each(rows, have) {
		if (have->kind == r.kind && have->is_second == r.is_second &&
		    !strcmp(have->name, r.name) && !strcmp(have->why, r.why)) {
			have->count += r.count;
			return;
		}
	}
	bw_error_free(bw_vec_push(rows, r));
}

static void on_fidelity(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	static_assert((int)BW_VGPU_ULP1 == (int)BW_FIDELITY_ULP1 &&
			      (int)BW_VGPU_UNUSUAL == (int)BW_FIDELITY_UNUSUAL,
		      "the kinds of the protocol are the executor's");
	struct fidelity_rows rows = {0};
	struct bw_vgpu_fidelity_reply r = {.result = c->u->options.device.counts ? 0 : -ENODATA};
	if (!r.result)
		bw_device_tally(c->u->dev, add_fidelity, &rows);
	/* An opcode has few rows, and all of them fit into one message. */
	r.n_rows = (uint32_t)BW_MIN(rows.len, (BW_MSG_MAX_BODY_B - sizeof(r)) / sizeof(*rows.data));
	struct bw_msg_part parts[] = {{&r, sizeof(r)}, {rows.data, r.n_rows * sizeof(*rows.data)}};
	reply(c, parts, 2, -1);
	bw_vec_free(&rows);
}

/* clang-format off */
static const struct {
	const char *name;
	size_t struct_b;
	bool has_payload;
	void (*fn)(struct bw_conn *c, const uint8_t *body, size_t rest_b);
	} requests[] = {
	[BW_VGPU_HELLO] = {"HELLO", sizeof(struct bw_vgpu_hello), false, on_hello},
	[BW_VGPU_DRM_OPEN] = {"DRM_OPEN", sizeof(struct bw_vgpu_drm_open), false, on_drm_open},
	[BW_VGPU_CLOSE] = {"CLOSE", sizeof(struct bw_vgpu_file), false, on_close},
	[BW_VGPU_IOCTL] = {"IOCTL", sizeof(struct bw_vgpu_ioctl), true, on_ioctl},
	[BW_VGPU_MMAP] = {"MMAP", sizeof(struct bw_vgpu_mmap), false, on_mmap},
	[BW_VGPU_FDINFO] = {"FDINFO", sizeof(struct bw_vgpu_file), false, on_fdinfo},
	[BW_VGPU_FILE_OPEN] = {"FILE_OPEN", sizeof(struct bw_vgpu_file_open), true, on_file_open},
	[BW_VGPU_FILE_READ] = {"FILE_READ", sizeof(struct bw_vgpu_file_io), false, on_file_read},
	[BW_VGPU_FILE_WRITE] = {"FILE_WRITE", sizeof(struct bw_vgpu_file_io), true, on_file_write},
	[BW_VGPU_SERVER_INFO] = {"SERVER_INFO", 0, false, on_server_info},
	[BW_VGPU_FIDELITY] = {"FIDELITY", 0, false, on_fidelity},
	[BW_VGPU_KFD_OPEN] = {"KFD_OPEN", 0, false, on_kfd_open},
	[BW_VGPU_KFD_TREE] = {"KFD_TREE", 0, false, on_kfd_tree},
};
/* clang-format on */

void bw_conn_handle(struct bw_conn *c)
{
	const struct bw_msg *m = &c->request;
	c->seq = m->seq;
	if (m->type >= BW_ARRAY_SIZE(requests) || !requests[m->type].fn) {
		BW_LOG(WARN, "uapi", "request %u is unknown", m->type);
		reply_result(c, -ENOSYS);
		return;
	}
	size_t struct_b = requests[m->type].struct_b;
	if (m->body_b < struct_b || (!requests[m->type].has_payload && m->body_b != struct_b)) {
		BW_LOG(WARN, "uapi", "%s of %u bytes", requests[m->type].name, m->body_b);
		reply_result(c, -EINVAL);
		return;
	}
	if (!c->client && m->type != BW_VGPU_HELLO && m->type != BW_VGPU_SERVER_INFO) {
		reply_result(c, -EPERM);
		return;
	}
	requests[m->type].fn(c, m->body, m->body_b - struct_b);
}
