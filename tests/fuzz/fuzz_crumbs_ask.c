/* SPDX-License-Identifier: MIT */
/* Any bytes as what happens to `exec --breadcrumbs --udp --break`: command streams come, the GPU
 * and the program write markers, datagrams arrive from anywhere. The GPU must not pass a marker
 * from the break on but by an answer with our token to the question that was asked. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "inject/crumbs.h"
#include "wire/crumbs_udp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { PID = 7, SLOTS = 4, MARKS_MAX = 8 };
#define TOKEN 0x1122334455667788ull

struct input {
	const uint8_t *at, *end;
};

static uint8_t take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* A small number mostly, sometimes a large one. */
static uint32_t take_number(struct input *in)
{
	uint8_t b = take(in);
	return b < 0xf0 ? b % 12 : b == 0xff ? UINT32_MAX : (uint32_t)b << 24;
}

struct world {
	struct bw_crumbs c;
	struct bw_crumbs_process p;
	struct bw_crumbs_area_known *a;
	uint32_t n_streams;
	int other; /* the end of the network */
};

static void new_stream(struct world *w, struct input *in)
{
	struct bw_crumbs_known *k = &w->a->known[take(in) % SLOTS];
	struct bw_crumbs_slot *s = &w->a->slots[k - w->a->known];
	uint32_t n = 1 + take(in) % MARKS_MAX;
	free(k->marks);
	free(k->dispatches);
	*k = (struct bw_crumbs_known){.info = {.stream = ++w->n_streams, .n_marks = n}};
	k->marks = calloc(n, sizeof(*k->marks));
	k->dispatches = calloc(1, sizeof(*k->dispatches));
	if (!k->marks || !k->dispatches)
		abort();
	k->info.n_dispatches = 1;
	k->dispatches[0].number = take(in) % 4;
	memset(k->dispatches[0].label, take(in), sizeof(k->dispatches[0].label) - 1);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t b = take(in);
		k->marks[i] = (struct bw_crumbs_mark){
			.dispatch = b % 8 - 2, .op = b, .is_work = b & 1, .is_bad = b & 2};
	}
	if (w->p.n_marks.len < 1000 && bw_vec_push(&w->p.n_marks, n))
		abort();
	*s = (struct bw_crumbs_slot){.state = BW_CRUMBS_RUNNING, .stream = w->n_streams};
	bw_crumbs_arm(&w->c, &w->p, k);
}

/* Whatever the GPU or the program does to the memory: all of it is theirs. */
static void write_slot(struct world *w, struct input *in)
{
	struct bw_crumbs_slot *s = &w->a->slots[take(in) % SLOTS];
	uint8_t which = take(in);
	if (which & 1)
		s->begun = take_number(in);
	if (which & 2)
		s->ended = take_number(in);
	if (which & 4)
		s->state = take_number(in);
	if (which & 8)
		s->stream = take_number(in);
	if (which & 16)
		s->culprit = take_number(in);
	if (which & 32)
		s->how = take_number(in);
}

static size_t make_datagram(struct input *in, uint8_t out[BW_CRUMB_B + 1])
{
	uint8_t how = take(in);
	if (how & 1) { /* any bytes */
		size_t n = BW_MIN((size_t)(in->end - in->at), (size_t)BW_CRUMB_B + 1);
		memcpy(out, in->at, n);
		in->at += n;
		return n;
	}
	const struct bw_crumb c = {.kind = how & 2 ? take(in) : BW_CRUMB_GO_ON,
				   .token = how & 4 ? take(in) : TOKEN,
				   .pid = how & 8 ? take_number(in) : PID,
				   .stream = take_number(in),
				   .begun = take_number(in),
				   .dispatch = -1};
	bw_crumb_encode(&c, out);
	return how & 16 ? take(in) : BW_CRUMB_B;
}

static void check_answer(const struct world *w, const uint32_t before[SLOTS], bool was_free,
			 const uint8_t *bytes, size_t n)
{
	struct bw_crumb c;
	bool is_ours =
		bw_crumb_decode(bytes, n, &c) && c.kind == BW_CRUMB_GO_ON && c.token == TOKEN;
	if (w->c.is_free != was_free && !(is_ours && c.begun == UINT32_MAX))
		abort();
	for (uint32_t i = 0; i < SLOTS; i++) {
		const struct bw_crumbs_known *k = &w->a->known[i];
		if (w->a->slots[i].allowed == before[i])
			continue;
		if (!is_ours || c.pid != PID || c.stream != k->info.stream || !k->asked ||
		    c.begun != k->asked || w->a->slots[i].allowed != k->asked)
			abort();
	}
}

static void answer(struct world *w, struct input *in, const uint32_t before[SLOTS])
{
	uint8_t bytes[BW_CRUMB_B + 1];
	size_t n = make_datagram(in, bytes);
	bool was_free = w->c.is_free;
	if (send(w->other, bytes, n, MSG_DONTWAIT) < 0)
		abort();
	bw_crumbs_take_datagram(&w->c);
	check_answer(w, before, was_free, bytes, n);
}

static void look(struct world *w, const uint32_t before[SLOTS])
{
	uint8_t bytes[BW_CRUMB_B + 1];
	struct bw_crumb c;
	bw_crumbs_look(&w->c);
	for (uint32_t i = 0; i < SLOTS; i++) {
		const struct bw_crumbs_slot *s = &w->a->slots[i];
		if (s->allowed != before[i] &&
		    (s->allowed != s->begun ||
		     (s->begun >= w->a->known[i].break_from && !w->c.is_free)))
			abort();
	}
	/* what it sends is a datagram, and no answer */
	for (ssize_t n; (n = recv(w->other, bytes, sizeof(bytes), MSG_DONTWAIT)) >= 0;)
		if (!bw_crumb_decode(bytes, (size_t)n, &c) || c.kind == BW_CRUMB_GO_ON ||
		    c.token != TOKEN)
			abort();
}

static void end_process(struct world *w)
{
	memcpy(w->a->last, w->a->slots, BW_CRUMBS_SLOTS * sizeof(*w->a->slots));
	bw_crumbs_tell_ends(&w->c, &w->p);
}

static void play(struct world *w, struct input *in)
{
	uint32_t before[SLOTS];
	while (in->at < in->end) {
		for (uint32_t i = 0; i < SLOTS; i++)
			before[i] = w->a->slots[i].allowed;
		switch (take(in) % 4) {
		case 0:
			new_stream(w, in);
			break;
		case 1:
			write_slot(w, in);
			break;
		case 2:
			answer(w, in, before);
			break;
		default:
			look(w, before);
		}
	}
	end_process(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct input in = {bytes, bytes + n};
	struct world w = {.p = {.fd = 0, .hello = {.pid = PID, .comm = "program"}}};
	struct bw_crumbs_area_known area = {0};
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		abort();
	w.other = ends[1];
	w.c = (struct bw_crumbs){.settings = {.break_at = take_number(&in),
					      .break_hits = 1 + take(&in) % 3,
					      .udp = ends[0],
					      .tty = -1},
				 .listening = -1,
				 .token = TOKEN};
	area.slots = calloc(BW_CRUMBS_SLOTS, sizeof(*area.slots));
	area.last = calloc(BW_CRUMBS_SLOTS, sizeof(*area.last));
	area.known = calloc(BW_CRUMBS_SLOTS, sizeof(*area.known));
	if (!area.slots || !area.last || !area.known || bw_vec_push(&w.p.areas, area) ||
	    bw_vec_push(&w.c.processes, &w.p))
		abort();
	w.a = &w.p.areas.data[0];
	play(&w, &in);
	for (uint32_t i = 0; i < SLOTS; i++) {
		free(area.known[i].marks);
		free(area.known[i].dispatches);
	}
	free(area.slots);
	free(area.last);
	free(area.known);
	bw_vec_free(&w.p.areas);
	bw_vec_free(&w.p.n_marks);
	bw_vec_free(&w.c.processes);
	close(ends[0]);
	close(ends[1]);
	return 0;
}
