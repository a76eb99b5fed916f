/* SPDX-License-Identifier: MIT */
#include "dap/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "dap/framing.h"

enum { QUEUE_MAX = 4096 }; /* messages; the reader waits when there are more */

struct queue BW_VEC(struct bw_dap_incoming);

struct bw_dap_link {
	int in_fd, out_fd, wake[2];  /* a byte in `wake` ends the reader */
	struct bw_dap_frames frames; /* used by the reader only */
	pthread_t reader;
	bool has_reader;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct queue queue;
	bool ended;
	struct bw_error *error;
	struct bw_debug *busy; /* interrupted by some messages; NULL: none */
	int64_t busy_seq;
	bool has_interrupted;
	bool broken; /* used by the writer's thread only, as is next_seq */
	int64_t next_seq;
};

static const char *text_of(const json_t *root, const char *key)
{
	const char *text = json_string_value(json_object_get(root, key));
	return text ? text : "";
}

/* With the lock held. A request in the queue is answered as cancelled; one that is being answered
 * is interrupted. */
static bool cancel(struct bw_dap_link *l, const json_t *root)
{
	json_t *id = json_object_get(json_object_get(root, "arguments"), "requestId");
	if (!json_is_integer(id))
		return false;
	bw_vec_each(&l->queue, m) {
		json_t *seq = json_object_get(m->root, "seq");
		if (json_is_integer(seq) && json_integer_value(seq) == json_integer_value(id))
			m->is_cancelled = true;
	}
	return l->busy && l->busy_seq == json_integer_value(id);
}

/* With the lock held: whether what has come ends a step that is going on. */
static bool ends_step(struct bw_dap_link *l, const struct bw_dap_incoming *m)
{
	static const char *const words[] = {"pause", "disconnect", "terminate", "restart"};
	if (m->is_end)
		return true;
	if (strcmp(text_of(m->root, "type"), "request") != 0)
		return false;
	const char *command = text_of(m->root, "command");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(command, words[i]))
			return true;
	return !strcmp(command, "cancel") && cancel(l, m->root);
}

/* Puts a message into the queue, which owns it. False: nothing more is to be read. */
static bool put(struct bw_dap_link *l, struct bw_dap_incoming *m)
{
	pthread_mutex_lock(&l->lock);
	while (l->queue.len >= QUEUE_MAX && !l->ended)
		pthread_cond_wait(&l->changed, &l->lock);
	bool interrupts = ends_step(l, m);
	if (interrupts && l->busy) {
		l->has_interrupted = true;
		bw_debug_interrupt(l->busy);
	}
	struct bw_error *err = l->ended ? NULL : bw_vec_push(&l->queue, *m);
	if (err || l->ended)
		json_decref(m->root);
	if (err && !l->error)
		l->error = err;
	bool more = !err && !l->ended && !m->is_end;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return more;
}

/* Parses a message that is JSON but has something that we refuse. Returns as much of it as an
 * answer needs, or NULL. */
static json_t *parse_unfit(const char *text, size_t size_b)
{
	json_t *root = json_loadb(text, size_b, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
	json_t *seq = json_object_get(root, "seq");
	double number = json_number_value(seq);
	if (seq && number >= 0 && number <= INT32_MAX)
		json_object_set_new(root, "seq", json_integer((json_int_t)number));
	return root;
}

static struct bw_dap_incoming parse(const char *text, size_t size_b)
{
	struct bw_dap_incoming m = {0};
	json_error_t at = {0};
	m.root = json_loadb(text, size_b, 0, &at);
	if (!m.root) {
		enum json_error_code code = json_error_code(&at);
		if (code == json_error_null_character)
			snprintf(m.why, sizeof(m.why), "a text in it has a NUL character");
		else if (code == json_error_numeric_overflow)
			snprintf(m.why, sizeof(m.why), "a number in it is too large");
		else
			snprintf(m.why, sizeof(m.why), "a message is not JSON: %.120s", at.text);
		if (code == json_error_null_character || code == json_error_numeric_overflow)
			m.root = parse_unfit(text, size_b);
	}
	if (m.root && !json_is_object(m.root)) {
		json_decref(m.root);
		m.root = NULL;
		snprintf(m.why, sizeof(m.why), "a message is not a JSON object");
	}
	return m;
}

/* Puts all messages that have come completely into the queue. out_more: false if nothing more is to
 * be read. */
static struct bw_error *put_whole_messages(struct bw_dap_link *l, bool *out_more)
{
	const char *text;
	size_t size_b;
	for (*out_more = true; *out_more;) {
		BW_TRY(bw_dap_frames_take(&l->frames, &text, &size_b));
		if (!text)
			return NULL;
		struct bw_dap_incoming m = parse(text, size_b);
		*out_more = put(l, &m);
	}
	return NULL;
}

static struct bw_error *read_messages(struct bw_dap_link *l)
{
	enum { CHUNK_B = 65536 };
	bool more;
	_cleanup_free_ char *chunk = malloc(CHUNK_B);
	if (!chunk)
		return bw_error_nomem();
	BW_TRY(put_whole_messages(l, &more));
	while (more) {
		struct pollfd p[2] = {{.fd = l->in_fd, .events = POLLIN},
				      {.fd = l->wake[0], .events = POLLIN}};
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return bw_error_errno(errno, "cannot wait for the editor");
		if (p[1].revents)
			return NULL;
		if (!p[0].revents)
			continue;
		ssize_t got = read(l->in_fd, chunk, CHUNK_B);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		/* An editor that dies resets the connection. */
		if (got < 0 && errno != ECONNRESET && errno != EIO)
			return bw_error_errno(errno, "cannot read from the editor");
		if (got <= 0)
			return bw_dap_frames_is_empty(&l->frames)
				       ? NULL
				       : bw_errorf(BW_E_INVALID,
						   "the input ends in the middle of a message");
		BW_TRY(bw_dap_frames_push(&l->frames, chunk, (size_t)got));
		BW_TRY(put_whole_messages(l, &more));
	}
	return NULL;
}

static void *reader(void *cookie)
{
	struct bw_dap_link *l = cookie;
	struct bw_error *err = read_messages(l);
	pthread_mutex_lock(&l->lock);
	if (err && !l->error)
		l->error = err;
	else
		bw_error_free(err);
	pthread_mutex_unlock(&l->lock);
	struct bw_dap_incoming end = {.is_end = true};
	put(l, &end);
	return NULL;
}

struct bw_error *bw_dap_link_open(int in_fd, int out_fd, const struct bw_dap_begun *begun,
				  struct bw_dap_link **out)
{
	struct bw_dap_link *l = calloc(1, sizeof(*l));
	sigset_t all, before;
	pthread_condattr_t attr;
	if (!l)
		return bw_error_nomem();
	*l = (struct bw_dap_link){.in_fd = in_fd,
				  .out_fd = out_fd,
				  .wake = {-1, -1},
				  .next_seq = begun ? begun->n_sent + 1 : 1};
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &attr);
	pthread_condattr_destroy(&attr);
	struct bw_error *err = pipe2(l->wake, O_CLOEXEC)
				       ? bw_error_errno(errno, "cannot make a pipe")
			       : begun ? bw_dap_frames_push(&l->frames, begun->data, begun->size_b)
				       : NULL;
	if (err) {
		bw_dap_link_close(l);
		return err;
	}
	/* Signals are for the thread that uses the core, whose waits they end. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&l->reader, NULL, reader, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		bw_dap_link_close(l);
		return bw_error_errno(failed, "cannot start a thread");
	}
	l->has_reader = true;
	*out = l;
	return NULL;
}

void bw_dap_link_close(struct bw_dap_link *l)
{
	if (!l)
		return;
	if (l->has_reader) {
		pthread_mutex_lock(&l->lock);
		l->ended = true;
		pthread_cond_broadcast(&l->changed);
		pthread_mutex_unlock(&l->lock);
		while (write(l->wake[1], "", 1) < 0 && errno == EINTR)
			;
		pthread_join(l->reader, NULL);
	}
	bw_vec_each(&l->queue, m)
		json_decref(m->root);
	bw_vec_free(&l->queue);
	for (size_t i = 0; i < 2; i++)
		if (l->wake[i] >= 0)
			close(l->wake[i]);
	bw_dap_frames_fini(&l->frames);
	bw_error_free(l->error);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

bool bw_dap_link_take(struct bw_dap_link *l, int timeout_ms, struct bw_dap_incoming *out)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	long ns = until.tv_nsec + timeout_ms % 1000 * 1000000L;
	until.tv_sec += timeout_ms / 1000 + ns / 1000000000L;
	until.tv_nsec = ns % 1000000000L;
	pthread_mutex_lock(&l->lock);
	while (!l->queue.len && timeout_ms)
		if (pthread_cond_timedwait(&l->changed, &l->lock, &until))
			break;
	bool found = l->queue.len > 0;
	if (found) {
		*out = l->queue.data[0];
		if (out->is_end) /* the end stays in the queue, and is found by each later call */
			*out = (struct bw_dap_incoming){.is_end = true};
		else
			bw_vec_remove(&l->queue, 0);
		pthread_cond_broadcast(&l->changed);
	}
	pthread_mutex_unlock(&l->lock);
	return found;
}

size_t bw_dap_link_waiting(struct bw_dap_link *l)
{
	pthread_mutex_lock(&l->lock);
	size_t n = l->queue.len;
	pthread_mutex_unlock(&l->lock);
	return n;
}

struct bw_error *bw_dap_link_error(struct bw_dap_link *l)
{
	pthread_mutex_lock(&l->lock);
	struct bw_error *err = l->error;
	l->error = NULL;
	pthread_mutex_unlock(&l->lock);
	return err;
}

bool bw_dap_link_busy(struct bw_dap_link *l, struct bw_debug *d, int64_t seq)
{
	pthread_mutex_lock(&l->lock);
	bool interrupted = l->has_interrupted;
	l->busy = d;
	l->busy_seq = seq;
	l->has_interrupted = false;
	/* messages that came before the step began, and were meant to stop it */
	bw_vec_each(&l->queue, m) {
		if (d && ends_step(l, m) && !l->has_interrupted) {
			l->has_interrupted = true;
			bw_debug_interrupt(d);
		}
	}
	pthread_mutex_unlock(&l->lock);
	return interrupted;
}

static bool write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t put_b = write(fd, data, n);
		if (put_b < 0 && errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};
			poll(&p, 1, -1);
		} else if (put_b < 0 && errno != EINTR) {
			return false;
		}
		if (put_b > 0) {
			data += put_b;
			n -= (size_t)put_b;
		}
	}
	return true;
}

void bw_dap_link_send(struct bw_dap_link *l, json_t *root)
{
	struct bw_str message = {0};
	json_object_set_new(root, "seq", json_integer(l->next_seq++));
	_cleanup_free_ char *text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	if (l->broken)
		return;
	if (text)
		bw_dap_frame(&message, text, strlen(text));
	l->broken = !text || message.failed || !write_all(l->out_fd, message.data, message.len);
	bw_str_free(&message);
}

bool bw_dap_link_is_broken(const struct bw_dap_link *l)
{
	return l->broken;
}
