/* SPDX-License-Identifier: MIT */
/* Connections: one thread each, one request at a time. A client is the connections of one process;
 * its files go when the last of them does, whatever it was in the middle of. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "isa/inst.h"
#include "vgpu/device/exec/core/exec.h"
#include "vgpu/uapi/strict.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

/* An open file of a client: of the DRM device or one opened by path. */
struct open_file {
	unsigned refs; /* the client's, and one for each call under way */
	struct bw_drm_file *drm;
	struct bw_file *file;
};

struct bw_client {
	unsigned n_connections;
	uint64_t token;
	int pid;
	char comm[16];
	struct bw_ids files;
	struct bw_drm_account *account;
};

struct bw_conn {
	struct bw_uapi *u;
	struct bw_client *client; /* NULL before HELLO */
	int sock;
	bool broken;
	uint32_t seq; /* of the request at hand */
	struct bw_msg request, answer;
};

/* ---- talking ---- */

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

bool bw_conn_ask(struct bw_conn *c, uint16_t type, const struct bw_msg_part *parts, size_t n_parts,
		 struct bw_msg **out_reply)
{
	if (c->broken)
		return false;
	struct bw_error *err = bw_msg_send(c->sock, type, c->seq, parts, n_parts, -1);
	if (!err)
		err = bw_msg_recv(c->sock, -1, &c->answer);
	if (!err && (c->answer.type != (type | BW_VGPU_REPLY) || c->answer.seq != c->seq))
		err = bw_errorf(BW_E_INVALID, "message %u in place of the answer to %u",
				c->answer.type, type);
	if (err) {
		BW_LOG(INFO, "uapi", "asking for user memory: %s", err->message);
		bw_error_free(err);
		c->broken = true;
		return false;
	}
	*out_reply = &c->answer;
	return true;
}

bool bw_conn_gone(struct bw_conn *c)
{
	struct pollfd p = {.fd = c->sock, .events = POLLRDHUP};
	return c->broken ||
	       (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)));
}

bool bw_conn_capable(struct bw_conn *c, unsigned cap)
{
	struct bw_peer peer = {0};
	char path[64], line[256];
	unsigned long long caps = 0;
	bw_error_free(bw_peer_of(c->sock, &peer));
	if (peer.pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", peer.pid);
	FILE *status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (status)
		fclose(status);
	return caps >> cap & 1;
}

/* ---- files of a client ---- */

static void file_unref(struct bw_uapi *u, struct open_file *f)
{
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

static struct open_file *file_get(struct bw_conn *c, uint32_t id)
{
	pthread_mutex_lock(&c->u->lock);
	struct open_file *f = bw_ids_get(&c->client->files, id);
	if (f)
		f->refs++;
	pthread_mutex_unlock(&c->u->lock);
	return f;
}

struct bw_drm_file *bw_conn_file(struct bw_conn *c, uint32_t number)
{
	struct open_file *f = bw_ids_get(&c->client->files, number);
	return f ? f->drm : NULL;
}

/* Takes drm or file. */
static int file_add(struct bw_conn *c, struct bw_drm_file *drm, struct bw_file *file,
		    uint32_t *out_id)
{
	struct open_file *f = calloc(1, sizeof(*f));
	int r = f ? 0 : -ENOMEM;
	if (f) {
		*f = (struct open_file){1, drm, file};
		pthread_mutex_lock(&c->u->lock);
		r = c->client->files.n < BW_DRM_MAX_FILES ? bw_ids_add(&c->client->files, f, out_id)
							  : -EMFILE;
		pthread_mutex_unlock(&c->u->lock);
	}
	if (r) {
		if (drm)
			bw_drm_file_close(drm);
		if (file)
			bw_file_close(file);
		free(f);
	}
	return r;
}

/* ---- requests: the body is at least as long as the row says ---- */

static void tell_clients(struct bw_uapi *u)
{
	if (u->on_clients)
		u->on_clients(u->on_clients_cookie);
}

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
		tell_clients(c->u);
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
	if (!r.result)
		r.result = file_add(c, f, NULL, &r.file);
	reply_struct(c, &r, sizeof(r));
}

static void on_close(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file a;
	memcpy(&a, body, sizeof(a));
	pthread_mutex_lock(&c->u->lock);
	struct open_file *f = bw_ids_remove(&c->client->files, a.file);
	pthread_mutex_unlock(&c->u->lock);
	if (f)
		file_unref(c->u, f);
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
	struct open_file *f = file_get(c, a.file);
	int fd = -1;
	if (!f) {
		r.result = -EBADF;
	} else if (rest_b < arg_b) {
		r.result = -EFAULT;
	} else if (f->file) {
		r.result =
			f->file->ops->ioctl ? f->file->ops->ioctl(f->file, a.cmd, data) : -ENOTTY;
	} else {
		struct bw_drm_call call = {.u = c->u,
					   .conn = c,
					   .file = f->drm,
					   .fd_in = c->request.fd,
					   .fd_out = -1,
					   .ahead = data + arg_b,
					   .ahead_b = rest_b - arg_b};
		r.result = bw_drm_ioctl(&call, a.cmd, data);
		fd = call.fd_out;
		r.fd_at = fd >= 0 ? call.fd_at : 0;
	}
	if (f)
		file_unref(c->u, f);
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
	struct open_file *f = file_get(c, a.file);
	r.result = !f	    ? -EBADF
		   : f->drm ? bw_drm_mmap(f->drm, a.offset, a.size_b, &fd, &r.fd_offset)
			    : -ENODEV;
	if (f)
		file_unref(c->u, f);
	reply(c, &(struct bw_msg_part){&r, sizeof(r)}, 1, fd);
}

static void on_fdinfo(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file a;
	struct bw_vgpu_result r = {0};
	struct bw_str text = {0};
	memcpy(&a, body, sizeof(a));
	struct open_file *f = file_get(c, a.file);
	if (f && f->drm)
		bw_drm_file_fdinfo(f->drm, &text);
	else
		r.result = -EBADF;
	if (text.failed)
		r.result = -ENOMEM;
	if (f)
		file_unref(c->u, f);
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
		r.result = bw_file_open(c->u, path, a.flags, &file);
		if (!r.result)
			r.result = file_add(c, NULL, file, &r.file);
	}
	reply_struct(c, &r, sizeof(r));
}

static void on_file_read(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file_io a;
	struct bw_vgpu_file_io_reply r = {0};
	_cleanup_free_ uint8_t *data = NULL;
	memcpy(&a, body, sizeof(a));
	struct open_file *f = file_get(c, a.file);
	r.pos = a.pos;
	if (!f || !f->file) {
		r.result = f ? -EINVAL : -EBADF;
	} else {
		/* As a read may: less than was asked for, if that does not fit into one message. */
		uint32_t n = BW_MIN(a.size_b, (uint32_t)BW_MSG_MAX_BODY_B - BW_DRM_PAGE_B);
		data = malloc(BW_MAX(n, 1u));
		r.result = data ? (int32_t)f->file->ops->read(f->file, data, n, &r.pos) : -ENOMEM;
	}
	if (f)
		file_unref(c->u, f);
	struct bw_msg_part parts[] = {{&r, sizeof(r)}, {data, r.result > 0 ? (size_t)r.result : 0}};
	reply(c, parts, 2, -1);
}

static void on_file_write(struct bw_conn *c, const uint8_t *body, size_t rest_b)
{
	struct bw_vgpu_file_io a;
	struct bw_vgpu_file_io_reply r = {0};
	memcpy(&a, body, sizeof(a));
	struct open_file *f = file_get(c, a.file);
	r.pos = a.pos;
	if (!f || !f->file || !f->file->writable)
		r.result = -EBADF;
	else if (!f->file->ops->write || a.size_b != rest_b)
		r.result = -EINVAL;
	else
		r.result = (int32_t)f->file->ops->write(f->file, body + sizeof(a), rest_b, &r.pos);
	if (f)
		file_unref(c->u, f);
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
};
/* clang-format on */

static void handle(struct bw_conn *c)
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

/* ---- life of a connection ---- */

static void client_gone(struct bw_uapi *u, struct bw_client *client)
{
	BW_LOG(INFO, "uapi", "client %s pid %d has gone", client->comm, client->pid);
	bw_ids_each(&client->files, i)
		file_unref(u, client->files.slot[i]);
	bw_ids_fini(&client->files);
	pthread_mutex_lock(&u->lock);
	bw_drm_account_unref(client->account);
	pthread_mutex_unlock(&u->lock);
	free(client);
}

static void disconnect(struct bw_conn *c)
{
	struct bw_uapi *u = c->u;
	struct bw_client *client = c->client;
	pthread_mutex_lock(&u->lock);
	bool last = client && !--client->n_connections;
	for (size_t i = 0; last && i < u->clients.len; i++) {
		if (u->clients.data[i] == client) {
			u->clients.data[i] = u->clients.data[--u->clients.len];
			break;
		}
	}
	pthread_mutex_unlock(&u->lock);
	if (last)
		client_gone(u, client);
	/* Done while this connection still counts, as the driver may be destroyed when there is
	 * none. */
	tell_clients(u);

	pthread_mutex_lock(&u->lock);
	for (size_t i = 0; i < u->socks.len; i++) {
		if (u->socks.data[i] == c->sock) {
			u->socks.data[i] = u->socks.data[--u->socks.len];
			break;
		}
	}
	close(c->sock);
	u->n_connections--;
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
}

static void count_connection(struct bw_uapi *u)
{
	pthread_mutex_lock(&u->lock);
	u->n_connections++;
	pthread_mutex_unlock(&u->lock);
}

/* Serves a connection that is counted already. */
static void serve(struct bw_uapi *u, int sock)
{
	struct bw_conn c = {.u = u, .sock = sock, .request = BW_MSG_INIT, .answer = BW_MSG_INIT};
	fcntl(sock, F_SETFL, fcntl(sock, F_GETFL) & ~O_NONBLOCK);
	pthread_mutex_lock(&u->lock);
	struct bw_error *err = u->stopping ? bw_errorf(BW_E_GONE, "the server is stopping")
					   : bw_vec_push(&u->socks, sock);
	pthread_mutex_unlock(&u->lock);
	while (!err && !c.broken) {
		err = bw_msg_recv(sock, -1, &c.request);
		if (!err)
			handle(&c);
	}
	if (err && err->code != BW_E_GONE)
		BW_LOG(WARN, "uapi", "a connection is closed: %s", err->message);
	bw_error_free(err);
	bw_msg_fini(&c.request);
	bw_msg_fini(&c.answer);
	disconnect(&c);
}

void bw_uapi_serve(struct bw_uapi *u, int sock)
{
	count_connection(u);
	serve(u, sock);
}

struct connection {
	struct bw_uapi *u;
	int sock;
};

static void *serve_connection(void *arg)
{
	struct connection c = *(struct connection *)arg;
	free(arg);
	serve(c.u, c.sock);
	return NULL;
}

struct bw_error *bw_uapi_serve_on_thread(struct bw_uapi *u, int sock)
{
	struct connection *c = malloc(sizeof(*c));
	pthread_t thread;
	if (!c) {
		close(sock);
		return bw_error_nomem();
	}
	*c = (struct connection){u, sock};
	/* Counted before there is a thread: the driver may be destroyed before that runs. */
	count_connection(u);
	int r = pthread_create(&thread, NULL, serve_connection, c);
	if (!r) {
		pthread_detach(thread);
		return NULL;
	}
	free(c);
	close(sock);
	pthread_mutex_lock(&u->lock);
	u->n_connections--;
	pthread_mutex_unlock(&u->lock);
	return bw_error_errno(r, "no thread for a connection");
}

void bw_uapi_clients(struct bw_uapi *u, unsigned *out_now, uint64_t *out_ever)
{
	pthread_mutex_lock(&u->lock);
	*out_now = (unsigned)u->clients.len;
	*out_ever = u->clients_ever;
	pthread_mutex_unlock(&u->lock);
}

void bw_uapi_on_clients(struct bw_uapi *u, void (*fn)(void *cookie), void *cookie)
{
	u->on_clients_cookie = cookie;
	u->on_clients = fn;
}

/* ---- life of the driver ---- */

static void init_locks(struct bw_uapi *u)
{
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&u->changed, &monotonic);
	pthread_cond_init(&u->kicked, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&u->lock, NULL);
	pthread_mutex_init(&u->kick_lock, NULL);
	pthread_mutex_init(&u->log_lock, NULL);
	pthread_mutex_init(&u->grbm_lock, NULL);
}

struct bw_error *bw_uapi_create(const struct bw_profile *profile,
				const struct bw_uapi_options *options, struct bw_uapi **out)
{
	struct bw_uapi *u = calloc(1, sizeof(*u));
	if (!u)
		return bw_error_nomem();
	u->profile = profile;
	u->options = *options;
	u->boot_ns = (uint64_t)bw_now_ns();
	init_locks(u);
	bw_drm_limits_init(u);
	struct bw_error *err = bw_device_create(profile, &options->device, bw_drm_irq, u, &u->dev);
	if (!err)
		bw_strict_start(u);
	if (!err)
		err = bw_drm_gpu_init(u);
	if (!err)
		err = bw_drm_sched_start(u);
	if (err)
		bw_uapi_destroy(u);
	else
		*out = u;
	return err;
}

/* Ends the connections and waits until their threads, and the jobs of their files, are through. */
static void end_connections(struct bw_uapi *u)
{
	const int64_t patience_ns = 3000000000;
	pthread_mutex_lock(&u->lock);
	u->stopping = true;
	bw_vec_each(&u->socks, sock)
		shutdown(*sock, SHUT_RDWR);
	pthread_cond_broadcast(&u->changed);
	while (u->n_connections)
		pthread_cond_wait(&u->changed, &u->lock);
	int64_t until = bw_now_ns() + patience_ns;
	while (u->vms.len && u->worker_runs && bw_now_ns() < until) {
		struct timespec t = {(bw_now_ns() + 10000000) / 1000000000,
				     (bw_now_ns() + 10000000) % 1000000000};
		pthread_cond_timedwait(&u->changed, &u->lock, &t);
		bw_drm_kick(u);
	}
	pthread_mutex_unlock(&u->lock);
}

void bw_uapi_destroy(struct bw_uapi *u)
{
	if (!u)
		return;
	end_connections(u);
	bw_drm_sched_stop(u);
	bw_drm_sync_fds_fini(u);
	bw_drm_events_fini(u);
	if (u->dev)
		bw_device_destroy(u->dev);
	for (unsigned i = 0; i < BW_DRM_N_RINGS; i++)
		bw_pm4_stream_free(&u->rings[i].stream);
	bw_vec_free(&u->vram);
	bw_vec_free(&u->gtt);
	bw_vec_free(&u->fake);
	bw_drm_bos_fini(u);
	bw_vec_free(&u->vms);
	bw_vec_free(&u->waiting);
	bw_vec_free(&u->clients);
	bw_vec_free(&u->socks);
	bw_str_free(&u->log);
	pthread_cond_destroy(&u->changed);
	pthread_cond_destroy(&u->kicked);
	pthread_mutex_destroy(&u->lock);
	pthread_mutex_destroy(&u->kick_lock);
	pthread_mutex_destroy(&u->log_lock);
	pthread_mutex_destroy(&u->grbm_lock);
	free(u);
}
