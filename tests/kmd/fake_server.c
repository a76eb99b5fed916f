/* SPDX-License-Identifier: MIT */
#include "fake_server.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/message.h"
#include "wire/vgpu_proto.h"

#define PCI "0000:03:00.0"
#define DEVICE_DIR "sys/devices/pci0000:00/" PCI

struct conn {
	struct fake_server *s;
	int sock;
};

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "fake server: %s: %s\n", what, strerror(errno));
		abort();
	}
}

/* The tree */

static void put_file(const char *root, const char *path, const char *text)
{
	char full[512];
	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *c = full + strlen(root) + 1; *c; c++) {
		if (*c == '/') {
			*c = 0;
			mkdir(full, 0700);
			*c = '/';
		}
	}
	FILE *f = fopen(full, "w");
	must(f && fputs(text, f) >= 0 && !fclose(f), full);
}

static void put_link(const char *root, const char *path, const char *target)
{
	char full[512], parent[512];
	snprintf(parent, sizeof(parent), "%s.keep", path);
	put_file(root, parent, "");
	snprintf(full, sizeof(full), "%s/%s.keep", root, path);
	unlink(full);
	snprintf(full, sizeof(full), "%s/%s", root, path);
	must(!symlink(target, full), full);
}

static void make_tree(const char *root)
{
	put_file(root, "dev/dri/renderD128", "");
	put_file(root, "dev/dri/card0", "");
	put_file(root, DEVICE_DIR "/vendor", "0x1002\n");
	put_file(root, DEVICE_DIR "/device", "0x744c\n");
	put_file(root, DEVICE_DIR "/uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=" PCI "\n");
	put_file(root, DEVICE_DIR "/drm/card0/dev", "226:0\n");
	put_file(root, "sys/bus/pci/drivers/keep", "");
	put_link(root, DEVICE_DIR "/subsystem", "../../../bus/pci");
	put_link(root, "sys/dev/char/226:128/device", "../../../devices/pci0000:00/" PCI);
	put_link(root, "sys/dev/char/226:0/device", "../../../devices/pci0000:00/" PCI);
}

/* Requests */

static void answer(struct conn *c, const struct bw_msg *m, const void *head, size_t head_b,
		   const void *more, size_t more_b, int fd)
{
	struct bw_msg_part parts[] = {{head, head_b}, {more, more_b}};
	bw_error_free(bw_msg_send(c->sock, m->type | BW_VGPU_REPLY, m->seq, parts, 2, fd));
}

static bool user(struct conn *c, uint16_t type, uint64_t va, void *data, uint32_t size_b)
{
	struct bw_vgpu_user u = {va, size_b, 0};
	struct bw_msg_part parts[] = {{&u, sizeof(u)},
				      {data, type == BW_VGPU_USER_WRITE ? size_b : 0}};
	struct bw_msg m = BW_MSG_INIT;
	struct bw_vgpu_result res = {-EFAULT, 0};
	struct bw_error *err = bw_msg_send(c->sock, type, 7, parts, 2, -1);
	if (!err)
		err = bw_msg_recv(c->sock, 5000, &m);
	if (!err && m.type == (type | BW_VGPU_REPLY) && m.body_b >= sizeof(res)) {
		memcpy(&res, m.body, sizeof(res));
		if (type == BW_VGPU_USER_READ && !res.result && m.body_b == sizeof(res) + size_b)
			memcpy(data, m.body + sizeof(res), size_b);
		else if (type == BW_VGPU_USER_READ)
			res.result = -EFAULT;
	}
	bw_error_free(err);
	bw_msg_fini(&m);
	return !res.result;
}

/* BO_LIST: adds up the bytes of the list, by USER_READ; greedy: asks for more than is named. */
static int do_list(struct conn *c, union drm_amdgpu_bo_list *a)
{
	size_t size_b = (size_t)a->in.bo_number * a->in.bo_info_size;
	uint8_t *bytes = calloc(1, size_b + 64);
	uint64_t va = a->in.bo_info_ptr - (c->s->greedy == FAKE_READS_BEFORE ? 8 : 0);
	size_b += c->s->greedy == FAKE_READS_BEHIND ? 8 : 0;
	if (c->s->greedy == FAKE_READS_ELSEWHERE)
		va = c->s->elsewhere;
	int r = c->s->greedy == FAKE_WRITES
			? user(c, BW_VGPU_USER_WRITE, va, bytes, (uint32_t)size_b) ? 0 : -EFAULT
		: user(c, BW_VGPU_USER_READ, va, bytes, (uint32_t)size_b) ? 0
									  : -EFAULT;
	memset(a, 0, sizeof(*a));
	for (size_t i = 0; i < size_b; i++)
		a->out.list_handle += bytes[i];
	free(bytes);
	return r;
}

static int do_version(struct conn *c, struct drm_version *v)
{
	if (v->name && v->name_len >= 6 &&
	    !user(c, BW_VGPU_USER_WRITE, (uintptr_t)v->name, (char[]){"amdgpu"}, 6))
		return -EFAULT;
	v->version_major = 3;
	v->version_minor = 61;
	v->name_len = 6;
	v->date_len = v->desc_len = 0;
	return 0;
}

static int do_create(struct conn *c, union drm_amdgpu_gem_create *a)
{
	struct fake_server *s = c->s;
	uint32_t h = 1;
	pthread_mutex_lock(&s->lock);
	while (h < FAKE_BOS && s->bo_fd[h] >= 0)
		h++;
	must(h < FAKE_BOS, "buffers");
	s->bo_fd[h] = memfd_create("bo", MFD_CLOEXEC);
	s->bo_size[h] = a->in.bo_size;
	s->bo_flags[h] = a->in.domain_flags;
	must(!ftruncate(s->bo_fd[h], (off_t)((a->in.bo_size + 4095) & ~4095ull)), "memfd");
	pthread_mutex_unlock(&s->lock);
	memset(a, 0, sizeof(*a));
	a->out.handle = h;
	return 0;
}

static bool is_bo(struct fake_server *s, uint32_t h)
{
	return h && h < FAKE_BOS && s->bo_fd[h] >= 0;
}

static int do_va(struct fake_server *s, const struct drm_amdgpu_gem_va *a)
{
	pthread_mutex_lock(&s->lock);
	uint64_t limit = s->va_limit;
	pthread_mutex_unlock(&s->lock);
	if (a->operation == AMDGPU_VA_OP_MAP && limit && a->va_address >= limit &&
	    a->va_address < 1ull << 47)
		return -EINVAL;
	return a->operation == AMDGPU_VA_OP_CLEAR || is_bo(s, a->handle) ? 0 : -ENOENT;
}

static int do_info(struct conn *c, const struct drm_amdgpu_info *a)
{
	struct {
		uint64_t addr;
		uint32_t status, hub;
	} fault = {0x123456000, 0x601, 0};
	struct drm_amdgpu_info_device dev = {.virtual_address_max = 0x7ffffff00000};
	uint8_t *bytes;
	int r;
	if (a->query == FAKE_INFO_FILL) {
		bytes = malloc(a->return_size);
		memset(bytes, 0x5a, a->return_size);
		r = user(c, BW_VGPU_USER_WRITE, a->return_pointer, bytes, a->return_size) ? 0
											  : -EFAULT;
		free(bytes);
		return r;
	}
	if (a->query == AMDGPU_INFO_DEV_INFO)
		return user(c, BW_VGPU_USER_WRITE, a->return_pointer, &dev, sizeof(dev)) ? 0
											 : -EFAULT;
	if (a->query == 0x23)
		return user(c, BW_VGPU_USER_WRITE, a->return_pointer, &fault, sizeof(fault))
			       ? 0
			       : -EFAULT;
	return -EINVAL;
}

static int do_cs(struct conn *c, union drm_amdgpu_cs *a)
{
	struct fake_server *s = c->s;
	uint32_t list_n = 0, list[16] = {0};
	for (uint32_t i = 0; i < a->in.num_chunks; i++) {
		uint64_t at;
		struct drm_amdgpu_cs_chunk chunk;
		struct drm_amdgpu_bo_list_in in;
		struct drm_amdgpu_bo_list_entry e[16];
		if (!user(c, BW_VGPU_USER_READ, a->in.chunks + i * 8, &at, 8) ||
		    !user(c, BW_VGPU_USER_READ, at, &chunk, sizeof(chunk)))
			return -EFAULT;
		if (chunk.chunk_id != AMDGPU_CHUNK_ID_BO_HANDLES)
			continue;
		if (!user(c, BW_VGPU_USER_READ, chunk.chunk_data, &in, sizeof(in)) ||
		    in.bo_number > 16 ||
		    !user(c, BW_VGPU_USER_READ, in.bo_info_ptr, e, in.bo_number * sizeof(e[0])))
			return -EFAULT;
		list_n = in.bo_number;
		for (uint32_t k = 0; k < list_n; k++)
			list[k] = e[k].bo_handle;
	}
	pthread_mutex_lock(&s->lock);
	s->last_list_n = list_n;
	memcpy(s->last_list, list, sizeof(list));
	a->out.handle = ++s->submissions;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int do_wait(struct fake_server *s, union drm_amdgpu_wait_cs *a)
{
	/* A finite wait is the agent's own empty submission, or a look at a fence. */
	bool own = a->in.timeout < FAKE_PROGRAM_WAIT;
	pthread_mutex_lock(&s->lock);
	bool late = s->agent_waits_late && a->in.timeout != FAKE_PROGRAM_WAIT;
	s->waiting++;
	while (!own && (!s->signalled || (late && !s->killed)))
		pthread_cond_wait(&s->changed, &s->lock);
	s->waiting--;
	int r = own ? 0 : s->fence_result;
	pthread_mutex_unlock(&s->lock);
	memset(a, 0, sizeof(*a));
	return r;
}

static int do_prime_import(struct fake_server *s, struct drm_prime_handle *a, int fd)
{
	struct stat st, mine;
	if (fd < 0 || fstat(fd, &st))
		return -EBADF;
	for (uint32_t h = 1; h < FAKE_BOS; h++) {
		if (s->bo_fd[h] >= 0 && !fstat(s->bo_fd[h], &mine) && mine.st_ino == st.st_ino) {
			a->handle = h;
			return 0;
		}
	}
	return -EINVAL;
}

/* The pages become a buffer, and the GPU's first word stands in them. */
static int do_userptr(struct fake_server *s, struct drm_amdgpu_gem_userptr *a, int fd)
{
	if (fd < 0)
		return -ENODEV;
	a->handle = 1;
	while (a->handle < FAKE_BOS && s->bo_fd[a->handle] >= 0)
		a->handle++;
	must(a->handle < FAKE_BOS, "a free buffer");
	s->bo_fd[a->handle] = dup(fd);
	return pwrite(fd, "GPU", 3, (off_t)a->addr + 8) == 3 ? 0 : -EIO;
}

static void on_ioctl(struct conn *c, const struct bw_msg *m)
{
	struct fake_server *s = c->s;
	struct bw_vgpu_ioctl req;
	union {
		uint64_t align;
		uint8_t bytes[16384];
	} arg = {0};
	memcpy(&req, m->body, sizeof(req));
	size_t size_b = _IOC_SIZE(req.cmd);
	/* What comes behind it this server asks for instead: it may. */
	must(m->body_b - sizeof(req) >= size_b, "the struct's size");
	memcpy(arg.bytes, m->body + sizeof(req), size_b);
	void *a = arg.bytes;
	struct bw_vgpu_ioctl_reply reply = {0};
	int fd = -1;
	struct fake_file *f = req.file < FAKE_FILES ? &s->files[req.file] : NULL;
	if (!f || !f->used)
		reply.result = -EBADF;
	else if (_IOC_TYPE(req.cmd) == 0x20)
		memcpy(f->state, a, size_b < 44 ? size_b : 44);
	else
		switch (_IOC_NR(req.cmd)) {
		case 0x00:
			reply.result = do_version(c, a);
			break;
		case 0x09:
			pthread_mutex_lock(&s->lock);
			reply.result = is_bo(s, *(uint32_t *)a) ? 0 : -EINVAL;
			if (!reply.result) {
				close(s->bo_fd[*(uint32_t *)a]);
				s->bo_fd[*(uint32_t *)a] = -1;
			}
			pthread_mutex_unlock(&s->lock);
			break;
		case 0x2d:
			reply.fd_at = offsetof(struct drm_prime_handle, fd);
			reply.result = is_bo(s, *(uint32_t *)a) ? 0 : -ENOENT;
			fd = reply.result ? -1 : s->bo_fd[*(uint32_t *)a];
			break;
		case 0x2e:
			reply.result = do_prime_import(s, a, m->fd);
			break;
		case 0x40:
			reply.result = do_create(c, a);
			break;
		case 0x41:
			reply.result = is_bo(s, *(uint32_t *)a) ? 0 : -ENOENT;
			*(uint64_t *)a = (uint64_t)*(uint32_t *)a << 32;
			break;
		case 0x42:
			memset(a, 0, size_b);
			*(uint32_t *)a = 5;
			break;
		case 0x44:
			reply.result = do_cs(c, a);
			break;
		case 0x45:
			reply.result = do_info(c, a);
			break;
		case 0x51:
			reply.result = do_userptr(s, a, m->fd);
			break;
		case 0x48:
			reply.result = do_va(s, a);
			break;
		case 0x49:
			reply.result = do_wait(s, a);
			break;
		case 0x53:
			break;
		case 0x43:
			reply.result = do_list(c, a);
			break;
		default:
			reply.result = -EINVAL;
		}
	answer(c, m, &reply, sizeof(reply), arg.bytes, size_b, fd);
}

static uint32_t new_file(struct fake_server *s, const char *path, size_t len, uint32_t minor)
{
	pthread_mutex_lock(&s->lock);
	uint32_t i = 1;
	while (s->files[i].used)
		must(++i < FAKE_FILES, "files");
	s->files[i] = (struct fake_file){.used = true, .minor = minor};
	memcpy(s->files[i].path, path, len);
	s->drm_open += !len;
	pthread_mutex_unlock(&s->lock);
	return i;
}

static const struct {
	const char *path, *text;
} texts[] = {
	{"sys/class/drm/card0/device/ip_discovery/die/0/GC/0/major", "11\n"},
	{"sys/class/drm/card0/device/ip_discovery/die/0/GC/0/minor", "0\n"},
	{"sys/class/drm/card0/device/ip_discovery/die/0/GC/0/revision", "0\n"},
	{"sys/class/drm/card0/device/ip_discovery/die/0/GC/0/base_addr",
	 "0x00001260\n0x0000A000\n0x02402C00\n"},
	{"sys/class/drm/card0/device/ip_discovery/die/0/BAD/0/major", "eleven\n"},
	{"debug/dri/" PCI "/amdgpu_regs2", ""},
};

static void on_file_open(struct conn *c, const struct bw_msg *m)
{
	struct bw_vgpu_open_reply reply = {-ENOENT, 0};
	const char *path = (const char *)m->body + sizeof(struct bw_vgpu_file_open);
	size_t len = m->body_b - sizeof(struct bw_vgpu_file_open);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strlen(texts[i].path) == len && !memcmp(texts[i].path, path, len))
			reply = (struct bw_vgpu_open_reply){0, new_file(c->s, path, len, 0)};
	answer(c, m, &reply, sizeof(reply), NULL, 0, -1);
}

/* Registers read as their address, with the bank's VMID in the top byte; texts as they stand. */
static void on_file_read(struct conn *c, const struct bw_msg *m)
{
	struct bw_vgpu_file_io io;
	memcpy(&io, m->body, sizeof(io));
	struct fake_file *f = &c->s->files[io.file];
	struct bw_vgpu_file_io_reply reply = {0};
	if (strstr(f->path, "regs2")) {
		uint32_t value = (uint32_t)io.pos | f->state[9] << 24;
		reply.result = 4;
		answer(c, m, &reply, sizeof(reply), &value, 4, -1);
		return;
	}
	const char *text = "";
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i].path, f->path))
			text = texts[i].text;
	size_t len = strlen(text), from = io.pos < len ? io.pos : len,
	       n = len - from < io.size_b ? len - from : io.size_b;
	reply.result = (int32_t)n;
	answer(c, m, &reply, sizeof(reply), text + from, n, -1);
}

static void on_hello(struct conn *c, const struct bw_msg *m)
{
	struct fake_server *s = c->s;
	struct bw_vgpu_hello hello;
	memcpy(&hello, m->body, sizeof(hello));
	pthread_mutex_lock(&s->lock);
	s->hello_token = hello.client;
	s->hello_pid = hello.pid;
	if (!hello.client)
		s->client_token++;
	uint32_t version = s->version ? s->version : BW_VGPU_PROTO_VERSION;
	struct bw_vgpu_hello_reply reply = {.version = version,
					    .client = hello.client ? hello.client : s->client_token,
					    .pci_address = PCI};
	pthread_mutex_unlock(&s->lock);
	snprintf(reply.root, sizeof(reply.root), "%s", s->root);
	answer(c, m, &reply, sizeof(reply), NULL, 0, -1);
}

static void serve_one(struct conn *c, const struct bw_msg *m)
{
	struct fake_server *s = c->s;
	struct bw_vgpu_result res = {0};
	struct bw_vgpu_open_reply opened = {0};
	struct bw_vgpu_file_io_reply io = {0};
	struct bw_vgpu_server_info info = {.pid = (uint32_t)getpid(), .clients = 1};
	struct bw_vgpu_mmap_reply mapped = {0};
	struct bw_vgpu_mmap map;
	uint32_t id = 0;
	if (m->body_b >= 4)
		memcpy(&id, m->body, 4);
	switch (m->type) {
	case BW_VGPU_HELLO:
		on_hello(c, m);
		break;
	case BW_VGPU_DRM_OPEN:
		opened.file = new_file(s, "", 0, id);
		answer(c, m, &opened, sizeof(opened), NULL, 0, -1);
		break;
	case BW_VGPU_CLOSE:
		pthread_mutex_lock(&s->lock);
		s->files[id].used = false;
		s->drm_closed += !s->files[id].path[0];
		pthread_mutex_unlock(&s->lock);
		answer(c, m, &res, sizeof(res), NULL, 0, -1);
		break;
	case BW_VGPU_IOCTL:
		on_ioctl(c, m);
		break;
	case BW_VGPU_MMAP:
		memcpy(&map, m->body, sizeof(map));
		id = (uint32_t)(map.offset >> 32);
		mapped.result = is_bo(s, id) ? 0 : -EINVAL;
		answer(c, m, &mapped, sizeof(mapped), NULL, 0, mapped.result ? -1 : s->bo_fd[id]);
		break;
	case BW_VGPU_FDINFO:
		res.result = s->fdinfo_result;
		answer(c, m, &res, sizeof(res), "pos:\t0\npasid:\t32771\n", 20, -1);
		break;
	case BW_VGPU_FILE_OPEN:
		on_file_open(c, m);
		break;
	case BW_VGPU_FILE_READ:
		on_file_read(c, m);
		break;
	case BW_VGPU_FILE_WRITE:
		io.result = 4;
		answer(c, m, &io, sizeof(io), NULL, 0, -1);
		break;
	case BW_VGPU_SERVER_INFO:
		answer(c, m, &info, sizeof(info), NULL, 0, -1);
		break;
	default:
		must(false, "unknown request");
	}
}

static void *serve(void *cookie)
{
	struct conn *c = cookie;
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err;
	while (!(err = bw_msg_recv(c->sock, -1, &m)))
		serve_one(c, &m);
	bw_error_free(err);
	bw_msg_fini(&m);
	free(c);
	return NULL;
}

static void *accept_loop(void *cookie)
{
	struct fake_server *s = cookie;
	for (;;) {
		int sock = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (sock < 0)
			return NULL;
		struct conn *c = malloc(sizeof(*c));
		*c = (struct conn){s, sock};
		pthread_mutex_lock(&s->lock);
		must(s->n_socks < 128, "connections");
		pthread_create(&s->serving[s->n_socks], NULL, serve, c);
		s->socks[s->n_socks++] = sock;
		pthread_mutex_unlock(&s->lock);
	}
}

void fake_server_start(struct fake_server *s)
{
	memset(s, 0, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	for (int i = 0; i < FAKE_BOS; i++)
		s->bo_fd[i] = -1;
	snprintf(s->folder, sizeof(s->folder), "/tmp/bw-fake-XXXXXX");
	must(mkdtemp(s->folder) != NULL, "mkdtemp");
	snprintf(s->socket, sizeof(s->socket), "%s/vgpu", s->folder);
	snprintf(s->root, sizeof(s->root), "%s/root", s->folder);
	must(!mkdir(s->root, 0700), "root");
	make_tree(s->root);
	struct bw_error *err = bw_sock_listen(s->socket, &s->listen_fd);
	must(!err, "listen");
	pthread_create(&s->thread, NULL, accept_loop, s);
}

void fake_server_kill(struct fake_server *s)
{
	shutdown(s->listen_fd, SHUT_RDWR);
	pthread_mutex_lock(&s->lock);
	for (unsigned i = 0; i < s->n_socks; i++)
		shutdown(s->socks[i], SHUT_RDWR);
	s->killed = true;
	pthread_mutex_unlock(&s->lock);
	fake_server_signal(s, -ENODEV);
}

void fake_server_stop(struct fake_server *s)
{
	char command[128];
	fake_server_kill(s);
	pthread_join(s->thread, NULL);
	for (unsigned i = 0; i < s->n_socks; i++) {
		pthread_join(s->serving[i], NULL);
		close(s->socks[i]);
	}
	for (int i = 0; i < FAKE_BOS; i++)
		if (s->bo_fd[i] >= 0)
			close(s->bo_fd[i]);
	close(s->listen_fd);
	snprintf(command, sizeof(command), "rm -rf %s", s->folder);
	must(!system(command), "rm");
}

void fake_server_signal(struct fake_server *s, int result)
{
	pthread_mutex_lock(&s->lock);
	s->signalled = true;
	s->fence_result = result;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}
