/* SPDX-License-Identifier: MIT */
/* The agent inside a program (probe.c), between a stand-in for the virtual GPU and this test as the
 * debugger. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"
#include "fake_server.h"
#include "trap/trap.h"
#include "wire/agent_folders.h"
#include "wire/agent_proto.h"
#include "wire/message.h"

static struct fake_server server;

static int begin(void **state)
{
	fake_server_start(&server);
	return 0;
}

static int end(void **state)
{
	fake_server_stop(&server);
	return 0;
}

/* Not by fork: a child that allocates before exec can wait for ever for a lock of the allocator
 * that one of the server's threads had. debugger: its folder; NULL: none. */
static pid_t start(const char *what, const char *debugger, int err_fd)
{
	enum { MORE = 3 };
	char text[MORE][512];
	const char *preload = getenv("BREAKWATER_TEST_PRELOAD");
	char *argv[] = {getenv("BREAKWATER_TEST_PROBE"), (char *)what, NULL};
	size_t n = 0;
	while (environ[n])
		n++;
	char **env = calloc(n + MORE + 1, sizeof(*env));
	assert_non_null(env);
	snprintf(text[0], sizeof(text[0]), "LD_PRELOAD=%s", preload);
	snprintf(text[1], sizeof(text[1]), "BREAKWATER_VGPU=%s", server.socket);
	snprintf(text[2], sizeof(text[2]), BW_AGENT_FOLDERS_ENV "=%s", debugger ? debugger : "");
	size_t own = debugger ? MORE : MORE - 1;
	for (size_t i = 0; i < own; i++)
		env[i] = text[i]; /* before what we have of that name: the first one counts */
	memcpy(env + own, environ, n * sizeof(*env));

	pid_t pid;
	posix_spawn_file_actions_t files;
	assert_int_equal(posix_spawn_file_actions_init(&files), 0);
	if (err_fd >= 0)
		assert_int_equal(posix_spawn_file_actions_adddup2(&files, err_fd, 2), 0);
	assert_int_equal(posix_spawn(&pid, argv[0], &files, NULL, argv, env), 0);
	posix_spawn_file_actions_destroy(&files);
	free(env);
	return pid;
}

static int finish(pid_t pid)
{
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void paths(void **state)
{
	assert_int_equal(finish(start("paths", NULL, -1)), 0);
}

static unsigned counted(const unsigned *what)
{
	pthread_mutex_lock(&server.lock);
	unsigned n = *what;
	pthread_mutex_unlock(&server.lock);
	return n;
}

static void descriptors(void **state)
{
	assert_int_equal(finish(start("descriptors", NULL, -1)), 0);
	assert_int_equal(counted(&server.drm_open), 1);
}

static void buffers(void **state)
{
	assert_int_equal(finish(start("buffers", NULL, -1)), 0);
}

static void pages(void **state)
{
	assert_int_equal(finish(start("pages", NULL, -1)), 0);
}

static void forks(void **state)
{
	assert_int_equal(finish(start("forks", NULL, -1)), 0);
	assert_int_equal(counted(&server.drm_closed),
			 0); /* no child closed what the parent has open */
}

static void threads(void **state)
{
	assert_int_equal(finish(start("threads", NULL, -1)), 0);
	assert_int_equal(counted(&server.drm_open), 800);
	assert_int_equal(counted(&server.drm_closed), 800);
}

static void server_dies(void **state)
{
	int err[2];
	assert_int_equal(pipe(err), 0);
	pid_t pid = start("gone", NULL, err[1]);
	close(err[1]);
	for (bool in = false; !in; usleep(1000)) {
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
		in = counted(&server.waiting);
	}
	fake_server_kill(&server);
	assert_int_equal(finish(pid), 0);
	char text[256];
	ssize_t n = read(err[0], text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = 0;
	assert_string_equal(text, "breakwater: the virtual GPU has gone away\n");
	close(err[0]);
}

/* The debugger's side */

static struct {
	char path[96];
	int listen, sock;
	int guard; /* our end of the line that the guard would have */
	uint32_t seq;
	struct bw_msg m;
	struct bw_agent_attach_reply attached;
	uint8_t *area;
} dbg;

#define CODE_VA 0xffff800100001000ull
enum { PATIENCE_MS = 30000, SLOTS = 4, AREA_B = 1 << 20, CODE_END = 0x3f9f1234 };

static void must(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void request(uint16_t type, const void *head, size_t head_b, const void *more, size_t more_b)
{
	struct bw_msg_part parts[] = {{head, head_b}, {more, more_b}};
	must(bw_msg_send(dbg.sock, type, ++dbg.seq, parts, 2, -1));
	do
		must(bw_msg_recv(dbg.sock, 10000, &dbg.m));
	while (dbg.m.seq == 0); /* events */
	assert_int_equal(dbg.m.type, type | BW_AGENT_REPLY);
	assert_int_equal(dbg.m.seq, dbg.seq);
}

static int result(void)
{
	struct bw_agent_result r;
	assert_true(dbg.m.body_b >= sizeof(r));
	memcpy(&r, dbg.m.body, sizeof(r));
	assert_int_equal(!!r.result, !!r.message[0]);
	return r.result;
}

static void await(uint16_t type, void *out, size_t size_b)
{
	must(bw_msg_recv(dbg.sock, 10000, &dbg.m));
	assert_int_equal(dbg.m.type, type);
	assert_true(dbg.m.body_b >= size_b);
	memcpy(out, dbg.m.body, size_b);
}

static int mem(uint16_t type, uint64_t va, const void *data, size_t size_b)
{
	struct bw_agent_mem q = {va, (uint32_t)size_b, 0};
	request(type, &q, sizeof(q), data, data ? size_b : 0);
	return result();
}

static uint32_t read_dw(uint64_t va)
{
	assert_int_equal(mem(BW_AGENT_MEM_READ, va, NULL, 4), 0);
	uint32_t v;
	assert_int_equal(dbg.m.body_b, sizeof(struct bw_agent_result) + 4);
	memcpy(&v, dbg.m.body + sizeof(struct bw_agent_result), 4);
	return v;
}

/* What lies in the program's buffer, patches and all: the code is the first buffer it made. */
static uint32_t raw_dw(uint64_t offset_b)
{
	uint32_t v;
	assert_int_equal(pread(server.bo_fd[1], &v, 4, (off_t)offset_b), 4);
	return v;
}

static struct bw_agent_submit begin_debugging(pid_t *out_pid)
{
	snprintf(dbg.path, sizeof(dbg.path), "%s/" BW_AGENT_SOCKET, server.folder);
	must(bw_sock_listen(dbg.path, &dbg.listen));
	*out_pid = start("submit", server.folder, -1);
	assert_int_equal(poll(&(struct pollfd){.fd = dbg.listen, .events = POLLIN}, 1, PATIENCE_MS),
			 1);
	dbg.sock = accept4(dbg.listen, NULL, NULL, SOCK_CLOEXEC);
	dbg.m = (struct bw_msg)BW_MSG_INIT;
	struct bw_agent_hello hello;
	await(BW_AGENT_EV_HELLO, &hello, sizeof(hello));
	assert_int_equal(hello.head.version, BW_AGENT_PROTO_VERSION);
	assert_int_equal(hello.head.pid, *out_pid);
	assert_string_equal(hello.head.comm, "agent_probe");
	assert_string_equal(hello.pci_address, "0000:03:00.0");
	assert_int_equal(hello.is_render_node, 1);
	int line[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line), 0);
	must(bw_msg_send(dbg.sock, BW_AGENT_GUARD, 0, NULL, 0, line[1]));
	close(line[1]);
	dbg.guard = line[0];
	struct bw_agent_submit s;
	await(BW_AGENT_EV_SUBMIT, &s, sizeof(s));
	return s;
}

static void attach(void)
{
	uint32_t handler[] = {0xbfb00000, 0xbf800000};
	struct bw_trap_control control = {
		.magic = BW_TRAP_MAGIC,
		.slots_offset_b = 0x1000,
		.n_slots = SLOTS,
		.version = BW_TRAP_VERSION,
		.enables = bw_trap_enables(bw_arch_nth(0), 0),
		.enables_hw = BW_TRAP_HW_MODE,
	};
	struct bw_agent_attach q = {.code_end = CODE_END,
				    .area_size_b = AREA_B,
				    .control_size_b = sizeof(control),
				    .handler_size_b = sizeof(handler),
				    .displaced_size_b = 4096};
	uint8_t payload[sizeof(control) + sizeof(handler)];
	memcpy(payload, &control, sizeof(control));
	memcpy(payload + sizeof(control), handler, sizeof(handler));
	request(BW_AGENT_ATTACH, &q, sizeof(q), payload, sizeof(payload));
	memcpy(&dbg.attached, dbg.m.body, sizeof(dbg.attached));
	if (dbg.attached.r.result)
		fail_msg("attach: %s", dbg.attached.r.message);
	assert_true(dbg.m.fd >= 0);
	dbg.area = mmap(NULL, AREA_B, PROT_READ | PROT_WRITE, MAP_SHARED, dbg.m.fd, 0);
	assert_true(dbg.area != MAP_FAILED);
}

static void go(uint32_t submission, int want)
{
	struct bw_agent_release q = {submission, 0};
	request(BW_AGENT_RELEASE, &q, sizeof(q), NULL, 0);
	assert_int_equal(result(), want);
}

static void end_debugging(void)
{
	if (dbg.area)
		munmap(dbg.area, AREA_B);
	dbg.area = NULL;
	bw_msg_fini(&dbg.m);
	if (dbg.sock >= 0)
		close(dbg.sock);
	close(dbg.guard);
	close(dbg.listen);
}

static void debugging(void **state)
{
	pid_t pid;
	/* the driver keeps the top: the agent must look further down */
	pthread_mutex_lock(&server.lock);
	server.va_limit = 0x7ffff0000000;
	pthread_mutex_unlock(&server.lock);
	struct bw_agent_submit s = begin_debugging(&pid);
	assert_int_equal(s.submission, 1);
	assert_int_equal(s.ip_type, AMDGPU_HW_IP_COMPUTE);
	assert_int_equal(s.ring, 1);
	assert_int_equal(s.n_dispatches, 1);
	struct bw_agent_dispatch d;
	memcpy(&d, dbg.m.body + sizeof(s), sizeof(d));
	assert_int_equal(d.code_va, CODE_VA);
	assert_int_equal(d.rsrc1, 0x602c0002);
	assert_int_equal(d.rsrc2, 0x8a);
	assert_int_equal(d.initiator, 0x2045);
	assert_int_equal(d.groups[0], 4);
	assert_int_equal(d.group_size[0], 256);
	assert_int_equal(d.user_data[3], 0x40000000);
	assert_int_equal(d.user_data[4], 0x100);
	assert_int_equal(counted(&server.submissions), 0); /* held */

	attach();
	assert_int_equal(dbg.attached.pasid, FAKE_PASID);
	assert_int_equal(dbg.attached.vmid_reserved, 1);
	assert_true(dbg.attached.area_va < server.va_limit && dbg.attached.area_va > 1ull << 46);
	assert_true(dbg.attached.handler_va < dbg.attached.area_va &&
		    dbg.attached.handler_va % 256 == 0);
	assert_int_equal(counted(&server.submissions), 1); /* the empty one, for the VMID */
	assert_int_equal(((struct bw_trap_control *)dbg.area)->magic, BW_TRAP_MAGIC);
	assert_int_equal(read_dw(dbg.attached.handler_va), 0xbfb00000);
	assert_int_equal(read_dw(dbg.attached.handler_va + 8), (uint32_t)CODE_END);
	assert_int_equal(read_dw(dbg.attached.displaced_va + 4092), (uint32_t)CODE_END);
	assert_int_equal(read_dw(dbg.attached.area_va), BW_TRAP_MAGIC);

	/* Memory, in both spellings of an address; an unmapped address is named. */
	assert_int_equal(read_dw(CODE_VA), 0x11111111);
	assert_int_equal(read_dw(CODE_VA & 0xffffffffffff), 0x11111111);
	assert_int_equal(mem(BW_AGENT_MEM_READ, CODE_VA + 4090, NULL, 16), -EFAULT);
	struct bw_agent_result r;
	memcpy(&r, dbg.m.body, sizeof(r));
	assert_int_equal(r.va, CODE_VA + 4096);

	/* A patch shows in memory but not to the debugger, and a write under it waits. */
	uint32_t trap = 0xbf90007f, three = 0x33333333;
	assert_int_equal(mem(BW_AGENT_PATCH, CODE_VA, &trap, 4), 0);
	assert_int_equal(raw_dw(0), trap);
	assert_int_equal(read_dw(CODE_VA), 0x11111111);
	assert_int_equal(mem(BW_AGENT_PATCH, CODE_VA + 4, &trap, 4), 0);
	assert_int_equal(mem(BW_AGENT_PATCH, CODE_VA + 2, &trap, 4), -EEXIST);
	assert_int_equal(mem(BW_AGENT_MEM_WRITE, CODE_VA + 4, &three, 4), 0);
	assert_int_equal(raw_dw(4), trap);
	assert_int_equal(read_dw(CODE_VA + 4), three);
	assert_int_equal(mem(BW_AGENT_UNPATCH, CODE_VA + 4, NULL, 0), 0);
	assert_int_equal(raw_dw(4), three);
	assert_int_equal(mem(BW_AGENT_UNPATCH, CODE_VA + 4, NULL, 0), -ENOENT);

	struct bw_agent_about about = {s.file, 0};
	request(BW_AGENT_MAPS, &about, sizeof(about), NULL, 0);
	size_t n = (dbg.m.body_b - sizeof(r)) / sizeof(struct bw_agent_map);
	const struct bw_agent_map *maps = (const void *)(dbg.m.body + sizeof(r));
	/* the program's two, and ours: area, handler, displaced, empty command buffer */
	assert_int_equal(n, 6);
	assert_int_equal(maps[0].va, 0x400000000);
	assert_int_equal(maps[5].va, CODE_VA);
	assert_int_equal(maps[5].bo_size_b, 4096);
	request(BW_AGENT_FAULT, &about, sizeof(about), NULL, 0);
	struct bw_agent_fault fault;
	memcpy(&fault, dbg.m.body, sizeof(fault));
	assert_int_equal(fault.addr, 0x123456000);
	assert_int_equal(fault.status, 0x601);
	request(40, NULL, 0, NULL, 0);
	assert_int_equal(result(), -EOPNOTSUPP);

	go(7, -ENOENT);
	go(1, 0);
	assert_int_equal(mem(BW_AGENT_UNPATCH, CODE_VA, NULL, 0), 0);
	fake_server_signal(&server, 0);
	struct bw_agent_done done;
	await(BW_AGENT_EV_DONE, &done, sizeof(done));
	assert_int_equal(done.submission, 1);
	assert_int_equal(done.result, 0);
	/* The area was on the submission's list. */
	assert_int_equal(server.last_list_n, 2);
	assert_int_equal(server.last_list[0], 1);
	assert_int_equal(finish(pid), 0);
	end_debugging();
}

/* The program ends as soon as its submission has, before the agent's thread is told so. */
static void ends_with_its_submission(void **state)
{
	pid_t pid;
	server.agent_waits_late = true;
	struct bw_agent_submit s = begin_debugging(&pid);
	attach();
	uint32_t three = 0x33333333;
	assert_int_equal(mem(BW_AGENT_MEM_WRITE, CODE_VA + 4, &three, 4), 0);
	go(s.submission, 0);
	fake_server_signal(&server, 0);
	struct bw_agent_done done;
	await(BW_AGENT_EV_DONE, &done, sizeof(done));
	assert_int_equal(done.submission, s.submission);
	assert_int_equal(done.result, 0);
	assert_int_equal(finish(pid), 0);
	end_debugging();
}

static struct bw_trap_slot *slot(unsigned i)
{
	return (struct bw_trap_slot *)(dbg.area + 0x1000) + i;
}

/* A wave in the handler, as far as its slot shows it. */
static void stop_wave(unsigned i, uint32_t seq)
{
	slot(i)->seq = seq;
	slot(i)->hw[BW_TRAP_HW_MODE] = 1 << 11 | 0xf0;
	__atomic_store_n(&slot(i)->state, BW_TRAP_STATE_STOPPED, __ATOMIC_RELEASE);
}

static bool resumed(unsigned i, uint32_t seq)
{
	for (int ms = 0; ms < 5000; ms++, usleep(1000))
		if (__atomic_load_n(&slot(i)->command, __ATOMIC_ACQUIRE) ==
		    (BW_TRAP_CMD_RESUME | seq << 8))
			return true;
	return false;
}

/* What happens when the debugger detaches: code is restored, waves are resumed. */
static void lose_debugger(bool detach, bool guard_lives)
{
	pid_t pid;
	struct bw_agent_submit s = begin_debugging(&pid);
	attach();
	uint32_t trap = 0xbf90007f, three = 0x33333333;
	assert_int_equal(mem(BW_AGENT_PATCH, CODE_VA, &trap, 4), 0);
	assert_int_equal(mem(BW_AGENT_MEM_WRITE, CODE_VA + 4, &three, 4), 0);
	stop_wave(1, 9);
	slot(3)->command = BW_TRAP_CMD_LDS_READ | 4 << 8; /* busy: must not be overwritten */
	stop_wave(3, 4);
	assert_int_equal(counted(&server.submissions), 1);
	if (detach) {
		struct bw_msg_part none = {NULL, 0};
		must(bw_msg_send(dbg.sock, BW_AGENT_DETACH, ++dbg.seq, &none, 0, -1));
	} else {
		close(dbg.sock);
		dbg.sock = -1;
	}
	assert_true(resumed(1, 9));
	assert_int_equal(slot(1)->hw[BW_TRAP_HW_MODE], 0xf0); /* no single step any more */
	assert_int_equal(((struct bw_trap_control *)dbg.area)->flags, BW_TRAP_F_DETACHED);
	assert_int_equal(raw_dw(0), 0x11111111);
	slot(1)->command = 0;
	__atomic_store_n(&slot(1)->state, BW_TRAP_STATE_FREE, __ATOMIC_RELEASE);
	assert_int_equal(slot(3)->command, BW_TRAP_CMD_LDS_READ | 4 << 8);
	__atomic_store_n(&slot(3)->command, 0, __ATOMIC_RELEASE); /* LDS is read */
	assert_true(resumed(3, 4));
	__atomic_store_n(&slot(3)->state, BW_TRAP_STATE_FREE, __ATOMIC_RELEASE);
	stop_wave(0, 1); /* one that was on its way into the handler */
	assert_true(resumed(0, 1));
	__atomic_store_n(&slot(0)->state, BW_TRAP_STATE_FREE, __ATOMIC_RELEASE);
	if (detach) {
		must(bw_msg_recv(dbg.sock, 10000, &dbg.m));
		assert_int_equal(dbg.m.type, BW_AGENT_DETACH | BW_AGENT_REPLY);
		assert_int_equal(result(), 0);
	}
	/* No patched code is left; waves are resumed until the registers are restored. */
	must(bw_msg_recv(dbg.guard, 10000, &dbg.m));
	assert_int_equal(dbg.m.type, BW_AGENT_LEFT);
	stop_wave(2, 6);
	assert_true(resumed(2, 6));
	if (guard_lives)
		must(bw_msg_send(dbg.guard, BW_AGENT_BACK, 0, NULL, 0, -1));
	else
		shutdown(dbg.guard, SHUT_WR);
	struct bw_error *over = bw_msg_recv(dbg.guard, 10000, &dbg.m);
	assert_true(bw_error_catch(&over, BW_E_GONE));
	fake_server_signal(&server, 0);
	assert_int_equal(finish(pid), 0); /* the held submission went through */
	assert_int_equal(counted(&server.submissions),
			 3); /* for the VMID, for the caches, and that one */
	assert_int_equal(s.submission, 1);
	end_debugging();
}

static void debugger_dies(void **state)
{
	lose_debugger(false, true);
}

static void guard_dies_too(void **state)
{
	lose_debugger(false, false);
}

static void debugger_detaches(void **state)
{
	lose_debugger(true, true);
}

static void bad_requests(void **state)
{
	pid_t pid;
	begin_debugging(&pid);
	struct bw_agent_attach q = {AREA_B, 8, 1 << 30, 0, 0};
	request(BW_AGENT_ATTACH, &q, sizeof(q), "12345678", 8);
	assert_int_equal(result(), -EINVAL);
	q = (struct bw_agent_attach){UINT64_MAX, 0, 0, 0, 0};
	request(BW_AGENT_ATTACH, &q, sizeof(q), NULL, 0);
	assert_int_equal(result(), -EINVAL);
	request(BW_AGENT_MEM_READ, "x", 1, NULL, 0);
	assert_int_equal(result(), -EINVAL);
	struct bw_agent_mem m = {CODE_VA, 0xffffffff, 0};
	request(BW_AGENT_MEM_READ, &m, sizeof(m), NULL, 0);
	assert_int_equal(result(), -E2BIG);
	request(BW_AGENT_MEM_WRITE, &m, sizeof(m), "abc", 3);
	assert_int_equal(result(), -EINVAL);
	uint8_t many[64] = {0};
	assert_int_equal(mem(BW_AGENT_PATCH, CODE_VA, many, sizeof(many)), -EINVAL);
	assert_int_equal(mem(BW_AGENT_MEM_READ, UINT64_MAX - 2, NULL, 8), -EFAULT);
	kill(pid, SIGKILL);
	finish(pid);
	end_debugging();
}

TESTS_EACH(begin, end, paths, descriptors, buffers, pages, forks, threads, server_dies, debugging,
	   ends_with_its_submission, debugger_dies, guard_dies_too, debugger_detaches,
	   bad_requests);
