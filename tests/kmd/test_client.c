/* SPDX-License-Identifier: MIT */
#include "kmd/client.h"

#include <drm.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <amdgpu_drm.h>

#include "../suite.h"
#include "fake_server.h"

static struct fake_server server;
static struct bw_vgpu_client *client;
static unsigned told_gone;

static void on_gone(void)
{
	told_gone++;
}

static int begin(void **state)
{
	signal(SIGPIPE, SIG_DFL);
	fake_server_start(&server);
	const struct bw_vgpu_client_hooks hooks = {.gone = on_gone};
	told_gone = 0;
	return bw_vgpu_client_open(server.socket, &hooks, &client) != NULL;
}

static int end(void **state)
{
	bw_vgpu_client_close(client);
	fake_server_stop(&server);
	return 0;
}

static uint32_t drm_open(void)
{
	uint32_t file = 0;
	assert_int_equal(bw_vgpu_drm_open(client, 128, 2, &file), 0);
	return file;
}

static void hello(void **state)
{
	const struct bw_vgpu_hello_reply *h = bw_vgpu_client_hello(client);
	assert_string_equal(h->pci_address, "0000:03:00.0");
	assert_string_equal(h->root, server.root);
	assert_int_equal(server.hello_pid, getpid());
	assert_int_equal(bw_vgpu_client_server_pid(client), getpid()); /* its threads are ours */
	drm_open();
	assert_int_equal(server.hello_token,
			 h->client); /* the second channel is of the same client */
	struct bw_vgpu_server_info info;
	assert_int_equal(bw_vgpu_server_info(client, &info), 0);
	assert_int_equal(info.clients, 1);
}

static void other_versions(void **state)
{
	struct bw_vgpu_client *other = NULL;
	char text[256];
	static const struct {
		uint32_t version;
		const char *word;
	} cases[] = {{BW_VGPU_PROTO_VERSION - 1, "older"}, {BW_VGPU_PROTO_VERSION + 1, "newer"}};
	for (size_t i = 0; i < 2; i++) {
		server.version = cases[i].version;
		struct bw_error *err = bw_vgpu_client_open(server.socket, NULL, &other);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_UNSUPPORTED);
		snprintf(text, sizeof(text),
			 "cannot reach the virtual GPU: the virtual GPU at %s is %s than this "
			 "program: it speaks version %u of the protocol, not %d. Start it again, "
			 "from the same installation",
			 server.socket, cases[i].word, cases[i].version, BW_VGPU_PROTO_VERSION);
		assert_string_equal(err->message, text);
		bw_error_free(err);
	}
	server.version = 0;
}

static void ioctls(void **state)
{
	uint32_t file = drm_open();
	char name[16] = "";
	struct drm_version v = {.name = name, .name_len = sizeof(name)};
	assert_int_equal(bw_vgpu_ioctl(client, file, DRM_IOCTL_VERSION, &v), 0);
	assert_string_equal(name, "amdgpu");
	assert_int_equal(v.version_major, 3);
	assert_int_equal(
		bw_vgpu_ioctl(client, file, _IOC(_IOC_READ | _IOC_WRITE, 'd', 0x77, 8), &v),
		-EINVAL);
	assert_int_equal(bw_vgpu_ioctl(client, 60, DRM_IOCTL_VERSION, &v), -EBADF);
	assert_int_equal(bw_vgpu_ioctl(client, file, DRM_IOCTL_VERSION, (void *)8), -EFAULT);
	assert_int_equal(bw_vgpu_close(client, file), 0);
	assert_int_equal(server.drm_closed, 1);
}

static int sum_list(uint32_t file, const void *bytes, uint32_t size_b, uint32_t *out_sum)
{
	union drm_amdgpu_bo_list a = {
		.in = {.bo_number = size_b, .bo_info_size = 1, .bo_info_ptr = (uintptr_t)bytes}};
	int r = bw_vgpu_ioctl(client, file, DRM_IOCTL_AMDGPU_BO_LIST, &a);
	if (!r)
		*out_sum = a.out.list_handle;
	return r;
}

static int fill(uint32_t file, void *bytes, uint32_t size_b)
{
	struct drm_amdgpu_info a = {
		.query = FAKE_INFO_FILL, .return_pointer = (uintptr_t)bytes, .return_size = size_b};
	return bw_vgpu_ioctl(client, file, DRM_IOCTL_AMDGPU_INFO, &a);
}

/* The server reads and writes this process's memory, and bad pointers are EFAULT for it. */
static void user_memory(void **state)
{
	uint32_t file = drm_open(), sum = 0;
	static uint8_t bytes[3 << 20];
	memset(bytes, 1, sizeof(bytes));
	assert_int_equal(sum_list(file, bytes, sizeof(bytes), &sum), 0);
	assert_int_equal(sum, sizeof(bytes));
	assert_int_equal(fill(file, bytes, 1000), 0);
	assert_int_equal(bytes[999], 0x5a);
	assert_int_equal(bytes[1000], 1);

	long page = sysconf(_SC_PAGESIZE);
	uint8_t *p = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + page, (size_t)page);
	assert_int_equal(sum_list(file, p + page - 8, 16, &sum), -EFAULT);
	mprotect(p, (size_t)page, PROT_READ);
	assert_int_equal(fill(file, p, 16), -EFAULT);
	munmap(p, (size_t)page);
}

/* What the ioctl does not name a server does not get, nor does it write what is named for
 * reading. */
static void other_memory(void **state)
{
	static const enum fake_greed greed[] = {FAKE_READS_BEFORE, FAKE_READS_BEHIND,
						FAKE_READS_ELSEWHERE, FAKE_WRITES};
	uint32_t file = drm_open(), sum = 0;
	uint8_t bytes[64], secret[64];
	memset(bytes, 1, sizeof(bytes));
	memset(secret, 2, sizeof(secret));
	server.elsewhere = (uintptr_t)secret;
	for (unsigned i = 0; i < 4; i++) {
		server.greedy = greed[i];
		assert_int_equal(sum_list(file, bytes + 16, 32, &sum), -EFAULT);
		for (unsigned k = 0; k < sizeof(bytes); k++)
			assert_int_equal(bytes[k], 1);
	}
	server.greedy = FAKE_HONEST;
	assert_int_equal(sum_list(file, bytes + 16, 32, &sum), 0);
	assert_int_equal(sum, 32);
}

static uint32_t make_bo(uint32_t file, uint64_t size_b)
{
	union drm_amdgpu_gem_create c = {
		.in = {.bo_size = size_b, .domains = AMDGPU_GEM_DOMAIN_GTT}};
	assert_int_equal(bw_vgpu_ioctl(client, file, DRM_IOCTL_AMDGPU_GEM_CREATE, &c), 0);
	return c.out.handle;
}

/* A result that no call has would be taken for a number of bytes, or for a descriptor. */
static void odd_results(void **state)
{
	static const int32_t odd[] = {1, INT32_MAX, -4096, INT32_MIN};
	char text[16];
	for (unsigned i = 0; i < 4; i++) {
		struct bw_vgpu_client *other;
		server.fdinfo_result = 0;
		assert_null(bw_vgpu_client_open(server.socket, NULL, &other));
		assert_int_equal(bw_vgpu_fdinfo(other, 1, text, sizeof(text)), sizeof(text));
		server.fdinfo_result = odd[i];
		assert_int_equal(bw_vgpu_fdinfo(other, 1, text, sizeof(text)), -ENODEV);
		assert_true(bw_vgpu_client_is_gone(other));
		bw_vgpu_client_close(other);
	}
}

static void descriptors(void **state)
{
	uint32_t file = drm_open(), bo = make_bo(file, 4096);
	int fd = -1;
	uint64_t offset = 1;
	struct bw_vgpu_mmap map = {file, PROT_READ, (uint64_t)bo << 32, 4096};
	assert_int_equal(bw_vgpu_mmap(client, &map, &fd, &offset), 0);
	assert_int_equal(offset, 0);
	assert_int_equal(pwrite(fd, "hello", 5, 0), 5);
	map.offset = 99ull << 32;
	assert_int_equal(bw_vgpu_mmap(client, &map, &fd, &offset), -EINVAL);

	struct drm_prime_handle out = {.handle = bo};
	assert_int_equal(bw_vgpu_ioctl(client, file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out), 0);
	char text[5];
	assert_int_equal(pread(out.fd, text, 5, 0), 5);
	assert_memory_equal(text, "hello", 5);
	struct drm_prime_handle in = {.fd = out.fd};
	assert_int_equal(bw_vgpu_ioctl(client, file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), 0);
	assert_int_equal(in.handle, bo);
	close(out.fd);
	in.fd = out.fd;
	assert_int_equal(bw_vgpu_ioctl(client, file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in), -EBADF);
	close(fd);
	char info[256];
	ssize_t n = bw_vgpu_fdinfo(client, file, info, sizeof(info));
	assert_true(n > 0 && memmem(info, (size_t)n, "pasid:\t32771", 12));
}

static void *wait_in_call(void *cookie)
{
	union drm_amdgpu_wait_cs w = {.in = {.handle = 1, .timeout = INT64_MAX}};
	return (void *)(intptr_t)bw_vgpu_ioctl(client, *(uint32_t *)cookie,
					       DRM_IOCTL_AMDGPU_WAIT_CS, &w);
}

/* A thread that waits in the kernel keeps no other thread from calling it. */
static void one_waits_others_go_on(void **state)
{
	uint32_t file = drm_open();
	pthread_t t;
	pthread_create(&t, NULL, wait_in_call, &file);
	for (bool in = false; !in; usleep(1000)) {
		pthread_mutex_lock(&server.lock);
		in = server.waiting;
		pthread_mutex_unlock(&server.lock);
	}
	make_bo(file, 4096);
	fake_server_signal(&server, -ETIME);
	void *r;
	pthread_join(t, &r);
	assert_int_equal((intptr_t)r, -ETIME);
}

/* A forked child uses channels of its own; the parent's stay in use. */
static void forked_child(void **state)
{
	uint32_t file = drm_open();
	bw_vgpu_client_fork_prepare(client);
	pid_t pid = fork();
	if (!pid) {
		bw_vgpu_client_fork_child(client);
		struct drm_version v = {0};
		_exit(bw_vgpu_ioctl(client, file, DRM_IOCTL_VERSION, &v) || v.version_major != 3);
	}
	bw_vgpu_client_fork_parent(client);
	int status;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	pthread_mutex_lock(&server.lock);
	uint32_t hello_pid = server.hello_pid;
	uint64_t hello_token = server.hello_token;
	pthread_mutex_unlock(&server.lock);
	assert_int_equal(hello_pid, pid);
	assert_int_equal(hello_token, bw_vgpu_client_hello(client)->client);
	make_bo(file, 4096);
}

static void server_dies(void **state)
{
	uint32_t file = drm_open();
	pthread_t t;
	pthread_create(&t, NULL, wait_in_call, &file);
	usleep(20000);
	struct pollfd p = {.fd = bw_vgpu_client_liveness_fd(client), .events = POLLIN};
	assert_int_equal(poll(&p, 1, 0), 0);
	fake_server_kill(&server);
	void *r;
	pthread_join(t, &r);
	assert_int_equal((intptr_t)r, -ENODEV);
	assert_int_equal(poll(&p, 1, 1000), 1);
	assert_int_equal(bw_vgpu_drm_open(client, 128, 0, &file), -ENODEV);
	assert_true(bw_vgpu_client_is_gone(client));
	assert_int_equal(told_gone, 1);
}

static void nobody_there(void **state)
{
	struct bw_vgpu_client *c = NULL;
	struct bw_error *err = bw_vgpu_client_open("/tmp/no/such/socket", NULL, &c);
	assert_non_null(err);
	assert_null(c);
	assert_non_null(strstr(err->message, "cannot reach the virtual GPU"));
	assert_non_null(strstr(err->message, "no server listens on /tmp/no/such/socket"));
	assert_non_null(strstr(err->message, "\"breakwater vgpu serve\""));
	bw_error_free(err);
}

TESTS_EACH(begin, end, hello, other_versions, ioctls, user_memory, other_memory, odd_results,
	   descriptors, one_waits_others_go_on, forked_child, server_dies);
TESTS(nobody_there);
