/* SPDX-License-Identifier: MIT */
/* Two processes that write their records at the same time, each into the memory that it shares with
 * the collector, until that is full, and again: all come out, those of a process in its order.
 * Others beside them stop in the middle of a message, read no answers, or never stop sending: they
 * hold up nobody, and not the end. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../suite.h"
#include "base/memfd.h"
#include "base/util.h"
#include "capture/reader.h"
#include "record/collect.h"
#include "record/orders.h"
#include "wire/capture_area.h"
#include "wire/capture_proto.h"
#include "wire/message.h"

/* Together each writes more than the memory has room for. */
enum { N_PROCESSES = 2, N_SUBMISSIONS = 48, PAGE_B = BW_CAPTURE_PAGE_B };

/* No orders come. */
struct bw_error *bw_orders_listen(int *out_fd)
{
	*out_fd = -1;
	return NULL;
}

bool bw_orders_take(int fd, struct bw_capture_order *out, struct bw_orders_sender *out_from)
{
	return false;
}

void bw_orders_answer(int fd, const struct bw_orders_sender *to,
		      const struct bw_capture_ordered *answer)
{
}

static void must(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

/* ---- A process ---- */

static struct bw_capture_area area;
static int sock;

/* An error ends the process: the parent misses its records. */
static void need(bool ok)
{
	if (!ok)
		_exit(1);
}

static void put(uint16_t type, const void *a, size_t a_b, const void *b, size_t b_b)
{
	const struct bw_msg_part parts[] = {{a, a_b}, {b, b_b}};
	const struct bw_capture_drain drain = {.answers = 1};
	const struct bw_msg_part ask = {&drain, sizeof(drain)};
	struct bw_msg m = BW_MSG_INIT;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (bw_capture_area_put(&area, type, now_ns, parts, 2))
		return;
	need(!bw_msg_send(sock, BW_CAPTURE_DRAIN, 0, &ask, 1, -1));
	need(!bw_msg_recv(sock, -1, &m) && m.type == BW_CAPTURE_DRAINED);
	need(bw_capture_area_put(&area, type, now_ns, parts, 2));
	bw_msg_fini(&m);
}

static void submit(unsigned process, unsigned k)
{
	static uint8_t pages[BW_CAPTURE_SEND_PAGES * PAGE_B];
	struct bw_capture_submission s = {.has_maps = true};
	struct bw_capture_result result = {.has_ended = 1};
	const struct bw_capture_runs none = {0};
	struct bw_capture_bytes bytes = {0};
	memset(pages, (int)(1 + process * 100 + k), sizeof(pages));
	put(BW_CAPTURE_PAGES, pages, sizeof(pages), NULL, 0);
	s.summary.space = 1;
	s.summary.pid = process;
	s.summary.ctx_id = k;
	if (!k)
		need(!bw_vec_push(&s.buffers,
				  ((struct bw_capture_buffer){.id = 1, .size_b = PAGE_B})));
	need(!bw_vec_push(&s.maps,
			  ((struct bw_capture_map){.va = 0x1000, .size_b = PAGE_B, .buffer = 1})));
	need(!bw_capture_runs_add(&s.runs,
				  (struct bw_capture_run){.buffer = 1, .count = 1, .page = 1 + k}));
	need(!bw_capture_submission_encode(&s, &bytes));
	put(BW_CAPTURE_SUBMISSION, &s.summary, sizeof(s.summary), bytes.data, bytes.len);
	bw_vec_free(&bytes);
	need(!bw_capture_runs_encode(&none, &bytes));
	put(BW_CAPTURE_RESULT, &result, sizeof(result), bytes.data, bytes.len);
	bw_vec_free(&bytes);
	bw_capture_submission_fini(&s);
}

static void run_process(unsigned process)
{
	const struct bw_hello hello = {.version = BW_CAPTURE_VERSION, .pid = process};
	const struct bw_msg_part part = {&hello, sizeof(hello)};
	struct bw_msg m = BW_MSG_INIT;
	need(!bw_msg_send(sock, BW_CAPTURE_HELLO, 0, &part, 1, -1));
	need(!bw_msg_recv(sock, -1, &m) && m.type == BW_CAPTURE_GO && m.fd >= 0);
	need(!bw_capture_area_map(m.fd, &area));
	bw_msg_fini(&m);
	for (unsigned k = 0; k < N_SUBMISSIONS; k++)
		submit(process, k);
	_exit(0);
}

/* ---- The collector ---- */

static void check_file(int fd)
{
	struct bw_capture_reader *r;
	size_t n;
	unsigned next[N_PROCESSES] = {0};
	uint32_t space[N_PROCESSES] = {0};
	must(bw_capture_reader_of(fd, "collected.bwc", &r));
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	assert_int_equal(n, N_PROCESSES * N_SUBMISSIONS);
	for (size_t i = 0; i < n; i++) {
		struct bw_capture_submission s = {0};
		uint8_t page[PAGE_B], expected[PAGE_B];
		unsigned process = e[i].summary.pid;
		assert_true(process < N_PROCESSES);
		assert_int_equal(e[i].summary.number, i + 1);
		assert_int_equal(e[i].summary.ctx_id, next[process]);
		space[process] = next[process] ? space[process] : e[i].summary.space;
		assert_int_equal(e[i].summary.space, space[process]);
		assert_true(e[i].has_result && e[i].result.has_ended);
		must(bw_capture_reader_submission(r, &e[i], &s));
		assert_int_equal(s.runs.len, 1);
		must(bw_capture_reader_page(r, s.runs.data[0].page, page));
		memset(expected, (int)(1 + process * 100 + next[process]), sizeof(expected));
		assert_memory_equal(page, expected, PAGE_B);
		bw_capture_submission_fini(&s);
		next[process]++;
	}
	assert_int_not_equal(space[0], space[1]);
	bw_capture_reader_close(r);
}

/* ---- Processes that do what they should not ---- */

static void stop_in_the_middle(void)
{
	const struct bw_msg_header h = {BW_MSG_MAGIC, BW_CAPTURE_HELLO, 0, 0,
					sizeof(struct bw_hello)};
	need(send(sock, &h, sizeof(h), MSG_NOSIGNAL) == sizeof(h));
	need(send(sock, "part", 4, MSG_NOSIGNAL) == 4);
	for (;;)
		pause();
}

static void say_hello(void)
{
	const struct bw_hello hello = {.version = BW_CAPTURE_VERSION, .pid = 9};
	const struct bw_msg_part part = {&hello, sizeof(hello)};
	need(!bw_msg_send(sock, BW_CAPTURE_HELLO, 0, &part, 1, -1));
}

/* Until the collector has had enough of it. */
static void read_no_answers(void)
{
	const struct bw_capture_drain drain = {.answers = 1};
	const struct bw_msg_part part = {&drain, sizeof(drain)};
	struct bw_error *err = NULL;
	say_hello();
	while (!err)
		err = bw_msg_send(sock, BW_CAPTURE_DRAIN, 0, &part, 1, -1);
	need(err->code == BW_E_GONE);
	_exit(0);
}

/* Many messages a call, so that the collector never finds the socket empty. */
static void send_for_ever(void)
{
	static struct {
		struct bw_msg_header h;
		struct bw_capture_drain drain;
	} many[1000];
	for (unsigned i = 0; i < BW_ARRAY_SIZE(many); i++)
		many[i].h = (struct bw_msg_header){.magic = BW_MSG_MAGIC,
						   .type = BW_CAPTURE_DRAIN,
						   .body_b = sizeof(many[i].drain)};
	say_hello();
	while (send(sock, many, sizeof(many), MSG_NOSIGNAL) == sizeof(many))
		;
	_exit(0);
}

static void (*const strangers[])(void) = {stop_in_the_middle, send_for_ever, read_no_answers};
enum { N_STRANGERS = 3 };

/* The last one sees that its connection is closed once the processes that begin behind it, and have
 * a copy of the other end, have ended. */
static void begin_strangers(struct bw_collect *c, pid_t pid[N_STRANGERS], int end)
{
	for (unsigned i = 0; i < N_STRANGERS; i++) {
		int ends[2];
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
		sock = ends[1];
		pid[i] = fork();
		if (!pid[i]) {
			close(ends[0]);
			close(end);
			strangers[i]();
		}
		close(ends[1]);
		must(bw_collect_add(c, ends[0]));
	}
}

static void end_strangers(const pid_t pid[N_STRANGERS])
{
	for (unsigned i = 0; i < N_STRANGERS; i++) {
		int status;
		/* this one has been dropped, and ends by itself */
		if (strangers[i] != read_no_answers)
			kill(pid[i], SIGKILL);
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		if (strangers[i] == read_no_answers)
			assert_int_equal(status, 0);
	}
}

static void collect_processes(bool has_strangers)
{
	const struct bw_collect_options o = {.listening = -1,
					     .stop_fd = -1,
					     .wait_ms = 1000,
					     .has_ring = true,
					     .file = "collected.bwc"};
	const struct bw_capture_device device = {.name = "test"};
	struct bw_capture_writer *w;
	struct bw_collect *c;
	int fd = bw_memfd("collected"), ends[2], pair[N_PROCESSES][2];
	unsigned happened = 0;
	pid_t pid[N_PROCESSES], others[N_STRANGERS];
	must(bw_capture_writer_create(fd, &device, &w));
	must(bw_collect_open(w, &o, &c));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (has_strangers)
		begin_strangers(c, others, ends[1]);
	for (unsigned i = 0; i < N_PROCESSES; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair[i]), 0);
		sock = pair[i][1];
		pid[i] = fork();
		if (!pid[i]) {
			close(pair[i][0]);
			run_process(i);
		}
		close(pair[i][1]);
		must(bw_collect_add(c, pair[i][0]));
	}
	/* the pipe ends with the last process that has its other side */
	close(ends[1]);
	must(bw_collect_run(c, &(struct bw_followed){.pidfd = ends[0]}, 0, &happened));
	for (unsigned i = 0; i < N_PROCESSES; i++) {
		int status;
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	must(bw_collect_finish(c));
	if (has_strangers)
		end_strangers(others);
	assert_int_equal(bw_collect_written(c), N_PROCESSES * N_SUBMISSIONS);
	bw_collect_close(c);
	bw_capture_writer_free(w);
	close(ends[0]);
	check_file(fd);
}

static void two_processes(void **state)
{
	collect_processes(false);
}

static void two_processes_beside_strangers(void **state)
{
	collect_processes(true);
}

TESTS(two_processes, two_processes_beside_strangers);
