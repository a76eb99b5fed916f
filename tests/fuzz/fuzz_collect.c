/* SPDX-License-Identifier: MIT */
/* Two hostile programs and the one that collects what they submit: each writes anything into the
 * memory that it shares with the collector (records, lengths, counters), and any messages into its
 * socket. With an odd first byte the memory alone is read, while its writer changes it between the
 * reader's calls. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memfd.h"
#include "base/util.h"
#include "record/collect.h"
#include "record/orders.h"
#include "wire/capture_area.h"
#include "wire/capture_proto.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Orders come from people, not from programs. */
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

enum { N_SOURCES = 2, STEPS_MAX = 64, WORDS_AT_B = 4096 };

struct input {
	const uint8_t *at;
	size_t left;
};

static uint32_t take(struct input *in, size_t size_b)
{
	uint32_t value = 0;
	size_b = BW_MIN(size_b, in->left);
	memcpy(&value, in->at, size_b);
	in->at += size_b;
	in->left -= size_b;
	return value;
}

/* Up to so many bytes, of which the input says how many it wants. */
static struct bw_msg_part take_part(struct input *in)
{
	size_t want_b = take(in, 2);
	struct bw_msg_part part = {in->at, BW_MIN(want_b, in->left)};
	in->at += part.size_b;
	in->left -= part.size_b;
	return part;
}

/* Bytes over the counters at the start, or where a message lies. */
static void scribble(struct input *in, struct bw_capture_area *a)
{
	static const uint32_t places[] = {0, 64, 128, WORDS_AT_B};
	uint8_t *shared = (uint8_t *)a->shared;
	uint32_t place = take(in, 1), offset_b = take(in, 2);
	struct bw_msg_part part = take_part(in);
	/* where the next one is going to be written, as well */
	uint64_t at = place & 4 ? WORDS_AT_B + a->at % BW_CAPTURE_AREA_B
				: places[place & 3] + (uint64_t)offset_b;
	size_t room_b = WORDS_AT_B + (size_t)BW_CAPTURE_AREA_B - at;
	memcpy(shared + at, part.data, BW_MIN(part.size_b, room_b));
}

static void write_step(struct input *in, struct bw_capture_area *a)
{
	uint32_t what = take(in, 1);
	if (what & 1) {
		scribble(in, a);
		return;
	}
	uint16_t type = (uint16_t)(BW_CAPTURE_HELLO + (what >> 1) % 10);
	uint64_t time_ns = take(in, 1) * 1000;
	struct bw_msg_part part = take_part(in);
	bw_capture_area_put(a, type, time_ns, &part, 1);
}

/* ---- The memory alone ---- */

static void read_area(struct input *in)
{
	struct bw_capture_area reader, writer;
	struct bw_msg m = BW_MSG_INIT;
	int fd;
	struct bw_error *err = bw_capture_area_make(&reader, &fd);
	assert(!err);
	err = bw_capture_area_map(fd, &writer);
	assert(!err);
	for (unsigned i = 0; !err && in->left && i < STEPS_MAX; i++) {
		struct bw_capture_area_entry e;
		bool has = false;
		write_step(in, &writer);
		bw_capture_area_begin(&reader);
		err = bw_capture_area_peek(&reader, &e, &has);
		if (err || !has)
			continue;
		assert(e.body_b <= BW_MSG_MAX_BODY_B);
		write_step(in, &writer); /* the entry changes behind the look at it */
		uint64_t before = reader.at;
		err = bw_capture_area_take(&reader, &e, &m);
		assert(!err && m.body_b == e.body_b && m.type == e.type);
		assert(reader.at - before >= e.body_b + sizeof(e));
		assert(reader.at <= reader.limit);
	}
	bw_error_free(err);
	bw_msg_fini(&m);
	bw_capture_area_unmap(&reader);
	bw_capture_area_unmap(&writer);
	close(fd);
}

/* ---- The collector ---- */

struct program {
	int sock;
	bool is_gone; /* the collector has closed the connection */
	struct bw_capture_area area;
};

static void tell(struct program *p, uint16_t type, const void *body, size_t size_b)
{
	const struct bw_msg_part part = {body, size_b};
	bw_error_free(bw_msg_send(p->sock, type, 0, &part, 1, -1));
}

static bool begin_program(struct bw_collect *c, struct program *p)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	p->sock = pair[0];
	struct bw_error *err = bw_collect_add(c, pair[1]);
	assert(!err);
	return true;
}

/* Says hello, and takes the memory that comes with the answer. */
static void greet(struct program *p)
{
	const struct bw_hello hello = {.version = BW_CAPTURE_VERSION, .pid = 1};
	struct bw_msg m = BW_MSG_INIT;
	tell(p, BW_CAPTURE_HELLO, &hello, sizeof(hello));
	struct bw_error *err = bw_msg_recv(p->sock, -1, &m);
	assert(!err && m.type == BW_CAPTURE_GO && m.fd >= 0);
	err = bw_capture_area_map(m.fd, &p->area);
	assert(!err);
	bw_msg_fini(&m);
}

/* Has all of its records read, and waits for that: what comes then finds the collector idle. */
static void sync_with(struct program *p)
{
	const struct bw_capture_drain body = {.answers = 1};
	struct bw_msg m = BW_MSG_INIT;
	tell(p, BW_CAPTURE_DRAIN, &body, sizeof(body));
	do {
		struct bw_error *err = bw_msg_recv(p->sock, -1, &m);
		p->is_gone = err;
		bw_error_free(err);
	} while (!p->is_gone && m.type != BW_CAPTURE_DRAINED);
	bw_msg_fini(&m);
}

static void step(struct input *in, struct program *p)
{
	uint32_t what = take(in, 1);
	if (p->is_gone)
		return;
	if (what % 8 == 0) {
		sync_with(p);
	} else if (what % 8 == 1) {
		struct bw_msg_part part = take_part(in);
		tell(p, (uint16_t)(BW_CAPTURE_HELLO + (what >> 3) % 10), part.data, part.size_b);
	} else {
		write_step(in, &p->area);
	}
}

struct collector {
	struct bw_collect *c;
	int ended; /* eventfd: the programs have ended */
};

static void *run_collector(void *arg)
{
	const struct collector *r = arg;
	unsigned happened = 0;
	bw_error_free(bw_collect_run(r->c, &(struct bw_followed){.pidfd = r->ended}, 0, &happened));
	return NULL;
}

static void feed(struct input *in, struct collector *r)
{
	struct program programs[N_SOURCES] = {{.sock = -1}, {.sock = -1}};
	const uint64_t one = 1;
	pthread_t thread;
	bool begun = true;
	for (unsigned i = 0; i < N_SOURCES && begun; i++)
		begun = begin_program(r->c, &programs[i]);
	int failed = pthread_create(&thread, NULL, run_collector, r);
	assert(!failed);
	for (unsigned i = 0; i < N_SOURCES && begun; i++)
		greet(&programs[i]);
	for (unsigned i = 0; begun && in->left && i < STEPS_MAX; i++)
		step(in, &programs[take(in, 1) % N_SOURCES]);
	ssize_t n = write(r->ended, &one, sizeof(one));
	assert(n == sizeof(one));
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < N_SOURCES; i++) {
		bw_capture_area_unmap(&programs[i].area);
		close(programs[i].sock);
	}
}

static void collect(struct input *in)
{
	const struct bw_capture_device device = {.name = "fuzz"};
	const struct bw_collect_options o = {.listening = -1,
					     .stop_fd = -1,
					     .wait_ms = 1,
					     .has_ring = true,
					     .limits = {.submissions = 3, .size_b = 1 << 20},
					     .file = "fuzz.bwc"};
	struct collector r = {.ended = eventfd(0, EFD_CLOEXEC)};
	struct bw_capture_writer *w;
	int fd = bw_memfd("fuzz");
	struct bw_error *err = bw_capture_writer_create(fd, &device, &w);
	assert(!err);
	err = bw_collect_open(w, &o, &r.c);
	assert(!err);
	feed(in, &r);
	bw_error_free(bw_collect_finish(r.c));
	assert(bw_collect_written(r.c) <= o.limits.submissions);
	bw_collect_close(r.c);
	bw_capture_writer_free(w);
	close(fd);
	close(r.ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input in = {bytes, n};
	if (take(&in, 1) & 1)
		read_area(&in);
	else
		collect(&in);
	return 0;
}
