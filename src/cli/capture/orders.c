/* SPDX-License-Identifier: MIT */
#include "cli/capture/orders.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "cli/capture/capture.h"
#include "cli/cli.h"
#include "cli/subcommands.h"
#include "record/orders.h"
#include "ui/out.h"

enum { ANSWER_MS = 5000, PROBE_MS = 1000 };

static const char usage[] =
	"Usage: breakwater capture --trigger N|all|off|frame [FILE] [--json]\n"
	"       breakwater capture --write [FILE] [--json]\n"
	"\n"
	"Tells a \"breakwater capture\" that runs in another terminal what to do: --trigger captures the next N\n"
	"submissions, all from now on, no more, or the next frame (from one present of the program to the next), where\n"
	"it was started with --wait-trigger; --write writes what --last keeps, and ends the capture. FILE names the\n"
	"capture by what it writes; it may be left out where only one runs.\n";

struct command {
	struct bw_capture_order order;
	const char *file; /* NULL: the only one */
	bool json, help, has_order;
};

/* A capture that runs. */
struct running {
	struct sockaddr_un addr;
	socklen_t addr_b;
	struct bw_capture_ordered who;
	bool has_answered;
};
struct runnings BW_VEC(struct running);

/* The answer of the one at `to`, which only it can give. */
static bool converse(int fd, const struct running *to, const struct bw_capture_order *order,
		     int timeout_ms, struct bw_capture_ordered *out)
{
	struct bw_orders_sender from;
	if (sendto(fd, order, sizeof(*order), MSG_NOSIGNAL, (const struct sockaddr *)&to->addr,
		   to->addr_b) < 0)
		return false;
	for (;;) {
		struct pollfd p = {fd, POLLIN, 0};
		if (poll(&p, 1, timeout_ms) <= 0)
			return false;
		if (!bw_orders_receive(fd, out, sizeof(*out), &from) ||
		    out->magic != BW_CAPTURE_ORDERS_MAGIC || from.addr_b != to->addr_b ||
		    memcmp(&from.addr, &to->addr, to->addr_b))
			continue;
		out->file[sizeof(out->file) - 1] = '\0';
		return true;
	}
}

/* The name in a line of /proc/net/unix, "@" for the zero byte; NULL: it is another one. */
static const char *name_in(char *line)
{
	static const char wanted[] = "@" BW_CAPTURE_ORDERS_NAME;
	line[strcspn(line, "\n")] = '\0';
	const char *at = strstr(line, wanted);
	return at && strspn(at + sizeof(wanted) - 1, "0123456789abcdef-") ==
				       strlen(at + sizeof(wanted) - 1)
		       ? at + 1
		       : NULL;
}

/* A socket with a name of the kernel's choice, for answers. */
static struct bw_error *make_asking_socket(int *out_fd)
{
	const struct sockaddr_un none = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = -1;
	BW_TRY(bw_orders_socket(&fd));
	if (bind(fd, (const struct sockaddr *)&none, sizeof(sa_family_t)))
		return bw_error_errno(errno, "a socket for orders");
	*out_fd = bw_take_fd(fd);
	return NULL;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* All names are asked at once, and waited for together: anybody can take names, and be silent.
 * What such a one does not read counts against the socket that has asked, so one asks few. */
enum { PER_SOCKET = 64, SOCKETS_MAX = 64, ROUND = PER_SOCKET * SOCKETS_MAX };

/* The answers that have come on one socket, from those that it has asked. */
static size_t take_answers(int fd, struct running *asked, size_t n)
{
	struct bw_capture_ordered who;
	struct bw_orders_sender from;
	struct pollfd p = {fd, POLLIN, 0};
	size_t n_answers = 0;
	while (poll(&p, 1, 0) > 0) {
		if (!bw_orders_receive(fd, &who, sizeof(who), &from) ||
		    who.magic != BW_CAPTURE_ORDERS_MAGIC)
			continue;
		for (size_t i = 0; i < n; i++) {
			struct running *one = &asked[i];
			if (one->has_answered || from.addr_b != one->addr_b ||
			    memcmp(&from.addr, &one->addr, one->addr_b) != 0)
				continue;
			one->who = who;
			one->who.file[sizeof(one->who.file) - 1] = '\0';
			one->has_answered = true;
			n_answers++;
		}
	}
	return n_answers;
}

/* Asks up to ROUND names who they are. */
static struct bw_error *ask_all(struct running *all, size_t n)
{
	const struct bw_capture_order who = {.magic = BW_CAPTURE_ORDERS_MAGIC,
					     .version = BW_CAPTURE_ORDERS_VERSION,
					     .kind = BW_CAPTURE_ORDER_WHO};
	struct pollfd p[SOCKETS_MAX];
	size_t n_sockets = 0, n_asked = 0;
	struct bw_error *err = NULL;
	for (size_t i = 0; i < n && !err; i++) {
		if (i % PER_SOCKET == 0) {
			p[n_sockets] = (struct pollfd){.fd = -1, .events = POLLIN};
			err = make_asking_socket(&p[n_sockets].fd);
			n_sockets += !err;
		}
		if (!err && sendto(p[n_sockets - 1].fd, &who, sizeof(who), MSG_NOSIGNAL,
				   (const struct sockaddr *)&all[i].addr, all[i].addr_b) >= 0)
			n_asked++;
	}
	int64_t until = now_ms() + PROBE_MS, left;
	while (!err && n_asked && (left = until - now_ms()) > 0) {
		if (poll(p, n_sockets, (int)left) <= 0)
			continue;
		for (size_t s = 0; s < n_sockets; s++)
			if (p[s].revents)
				n_asked -= take_answers(
					p[s].fd, all + s * PER_SOCKET,
					BW_MIN(n - s * PER_SOCKET, (size_t)PER_SOCKET));
	}
	for (size_t s = 0; s < n_sockets; s++)
		close(p[s].fd);
	return err;
}

/* All that have such a name. */
static struct bw_error *list_names(struct runnings *out)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	_cleanup_fclose_ FILE *f = fopen("/proc/net/unix", "re");
	if (!f)
		return bw_error_errno(errno, "/proc/net/unix");
	while (getline(&line, &cap, f) > 0) {
		const char *name = name_in(line);
		struct running one = {.addr = {.sun_family = AF_UNIX}};
		size_t n = name ? strlen(name) : 0;
		if (!n || n > sizeof(one.addr.sun_path) - 1)
			continue;
		memcpy(one.addr.sun_path + 1, name, n);
		one.addr_b = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
		BW_TRY(bw_vec_push(out, one));
	}
	return NULL;
}

/* All captures of ours that answer. */
static struct bw_error *find_running(struct runnings *out)
{
	struct runnings all = {0};
	struct bw_error *err = list_names(&all);
	for (size_t i = 0; i < all.len && !err; i += ROUND)
		err = ask_all(all.data + i, BW_MIN(all.len - i, (size_t)ROUND));
	for (size_t i = 0; i < all.len && !err; i++)
		if (all.data[i].has_answered)
			err = bw_vec_push(out, all.data[i]);
	bw_vec_free(&all);
	return err;
}

static struct bw_error *choose(const struct runnings *all, const char *file,
			       const struct running **out)
{
	_cleanup_free_ char *path = file ? realpath(file, NULL) : NULL;
	const struct running *found = NULL;
	size_t n = 0;
	bw_vec_each(all, one) {
		if (file && strcmp(one->who.file, path ? path : file) != 0)
			continue;
		found = one;
		n++;
	}
	if (!n && file)
		return bw_errorf(BW_E_NOT_FOUND, "no capture that runs writes %s", file);
	if (!n)
		return bw_errorf(BW_E_NOT_FOUND,
				 "no capture runs that takes orders: start one with \"breakwater "
				 "capture --wait-trigger\" or \"--last\"");
	if (n > 1)
		return bw_errorf(BW_E_INVALID,
				 "%zu captures run, one of them for %s: name the file of the one "
				 "that is meant",
				 n, found->who.file);
	*out = found;
	return NULL;
}

static struct bw_error *take_trigger(void *command, const char *option, const char *text)
{
	struct command *c = command;
	int64_t count;
	c->order.kind = BW_CAPTURE_ORDER_NEXT;
	if (!strcmp(text, "frame"))
		c->order.kind = BW_CAPTURE_ORDER_FRAME;
	else if (!strcmp(text, "all") || !strcmp(text, "-1"))
		c->order.count = -1;
	else if (!strcmp(text, "off") || !strcmp(text, "0"))
		c->order.count = 0;
	else if (bw_parse_i64(text, &count) && count > 0)
		c->order.count = count;
	else
		return bw_errorf(BW_E_INVALID,
				 "--trigger wants a number of submissions, all, off or frame, not "
				 "\"%s\"",
				 text);
	return NULL;
}

static struct bw_error *take_write(void *command, const char *option, const char *value)
{
	((struct command *)command)->order.kind = BW_CAPTURE_ORDER_WRITE;
	return NULL;
}

static struct bw_error *take_file(void *command, const char *word)
{
	struct command *c = command;
	if (c->file)
		return bw_errorf(BW_E_INVALID,
				 "\"breakwater capture --trigger\" does not take %s (see "
				 "breakwater capture --trigger --help)",
				 word);
	c->file = word;
	return NULL;
}

static const struct bw_option rows[] = {
	{"--trigger", "N|all|off|frame", "which submissions are captured", BW_CALL(take_trigger),
	 BW_HAS(struct command, has_order)},
	{"--write", NULL, "write what --last keeps", BW_CALL(take_write),
	 BW_HAS(struct command, has_order)},
	BW_ROW_JSON(struct command, json),
	BW_ROW_HELP(struct command, help),
	{0},
};

const struct bw_command_line bw_line_capture_order = {
	.name = "breakwater capture --trigger",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = take_file,
	.next = &bw_line_capture_show,
};

static struct bw_error *parse(int argc, char **argv, struct command *c)
{
	int rest;
	BW_TRY(bw_command_line_parse(&bw_line_capture_order, c, argc, argv, &rest));
	return c->help || c->has_order
		       ? NULL
		       : bw_errorf(BW_E_INVALID, "--trigger needs a number of submissions, all, "
						 "off or frame");
}

static void say(struct bw_out *out, const struct command *c, const struct bw_capture_ordered *a)
{
	bw_out_begin(out, "command", "capture trigger");
	if (c->order.kind == BW_CAPTURE_ORDER_WRITE)
		bw_out_line(out, "%s is written.", a->file);
	else if (c->order.kind == BW_CAPTURE_ORDER_FRAME)
		bw_out_line(out, "%s gets the next frame.", a->file);
	else if (c->order.count > 0)
		bw_out_line(out, "%s gets the next %lld submission%s.", a->file,
			    (long long)c->order.count, c->order.count == 1 ? "" : "s");
	else
		bw_out_line(out, "%s gets %s.", a->file,
			    c->order.count ? "all submissions from now on" : "no more submissions");
	bw_out_str(out, "file", a->file);
	bw_out_int(out, "seen", a->seen);
	bw_out_int(out, "taken", a->taken);
	bw_out_end(out);
}

static struct bw_error *give(const struct command *c)
{
	struct runnings all = {0};
	const struct running *to = NULL;
	struct bw_capture_ordered answer;
	struct bw_out *out;
	_cleanup_close_ int fd = -1;
	BW_TRY(make_asking_socket(&fd));
	struct bw_error *err = find_running(&all);
	if (!err)
		err = choose(&all, c->file, &to);
	if (!err && !converse(fd, to, &c->order, ANSWER_MS, &answer))
		err = bw_errorf(BW_E_TIMEOUT, "the capture for %s does not answer", to->who.file);
	if (!err && answer.result == -ENOTSUP)
		err = bw_errorf(
			BW_E_STATE, "the capture for %s was not started with %s", answer.file,
			c->order.kind == BW_CAPTURE_ORDER_WRITE ? "--last" : "--wait-trigger");
	else if (!err && answer.result == -ENODATA)
		err = bw_errorf(BW_E_STATE, "%s is not written: nothing was submitted yet",
				answer.file);
	else if (!err && answer.result == -EALREADY)
		err = bw_errorf(BW_E_STATE, "%s is complete already", answer.file);
	else if (!err && answer.result)
		err = bw_error_errno(-answer.result, "%s", answer.file);
	bw_vec_free(&all);
	BW_TRY(err);
	BW_TRY(bw_out_create(stdout, c->json, &out));
	say(out, c, &answer);
	bw_out_destroy(out);
	return NULL;
}

bool bw_capture_is_order(int argc, char **argv)
{
	return argc > 1 && (!strcmp(argv[1], "--write") || !strcmp(argv[1], "--trigger") ||
			    bw_starts_with(argv[1], "--trigger="));
}

int bw_main_capture_order(int argc, char **argv)
{
	struct command c = {
		.order = {.magic = BW_CAPTURE_ORDERS_MAGIC, .version = BW_CAPTURE_ORDERS_VERSION}};
	struct bw_error *err = parse(argc, argv, &c);
	if (!err && c.help) {
		bw_command_line_print_help(&bw_line_capture_order);
		return 0;
	}
	if (!err)
		err = give(&c);
	if (!err)
		return 0;
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}
