/* SPDX-License-Identifier: MIT */
/* Breadcrumbs over UDP: the socket of `exec --udp`, and `exec --breadcrumbs-listen`, which prints
 * what it gets. Datagrams come from anybody who can reach the port; what is printed of them is text
 * alone, and an answer goes to the address that asked. */
#include "cli/crumbs_exec.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/shown.h"
#include "base/str.h"
#include "pm4/mark.h"
#include "pm4/pm4.h"
#include "wire/crumbs_udp.h"

/* "HOST:PORT", "[::1]:PORT"; without a host out_host is empty. */
static struct bw_error *split(const char *option, const char *text, bool needs_host, char host[256],
			      char port[16])
{
	const char *colon = strrchr(text, ':');
	const char *digits = colon ? colon + 1 : text;
	size_t n = colon ? (size_t)(colon - text) : 0;
	uint64_t number;
	if (!bw_parse_u64(digits, &number) || number > UINT16_MAX || strlen(digits) > 5 ||
	    n >= 256 || (needs_host && (!n || !number)))
		return bw_errorf(BW_E_INVALID, "%s wants %s, not \"%s\"", option,
				 needs_host ? "HOST:PORT" : "a port, or HOST:PORT", text);
	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	snprintf(host, 256, "%.*s", (int)n, text);
	snprintf(port, 16, "%s", digits);
	return NULL;
}

static struct bw_error *open_socket(const char *host, const char *port, bool listens, int *out)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
				       .ai_family = listens && !*host ? AF_INET : AF_UNSPEC,
				       .ai_flags = listens ? AI_PASSIVE : 0};
	struct addrinfo *list = NULL;
	int r = getaddrinfo(*host ? host : NULL, port, &hints, &list);
	if (r)
		return bw_errorf(BW_E_NOT_FOUND, "%s: %s", host, gai_strerror(r));
	int e = 0, fd = -1;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && (listens ? bind(fd, a->ai_addr, a->ai_addrlen)
					: connect(fd, a->ai_addr, a->ai_addrlen))) {
			e = errno;
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		return bw_error_errno(e, "UDP %s:%s", host, port);
	*out = fd;
	return NULL;
}

struct bw_error *bw_cli_open_crumbs_udp(const char *text, int *out)
{
	char host[256], port[16];
	BW_TRY(split("--udp", text, true, host, port));
	return open_socket(host, port, false, out);
}

/* ---- Listening ---- */

struct listener {
	int fd;
	struct bw_out *out;
	uint64_t token;
	uint32_t sequence; /* the last one of that token */
	/* who waits for Enter */
	bool has_question, is_silent;
	struct bw_crumb question;
	struct sockaddr_storage from;
	socklen_t from_b;
};

static void answer(struct listener *l, bool goes_free)
{
	uint8_t bytes[BW_CRUMB_B];
	struct bw_crumb c = l->question;
	if (!l->has_question)
		return;
	c.kind = BW_CRUMB_GO_ON;
	bw_crumb_encode(&c, bytes);
	if (sendto(l->fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&l->from, l->from_b) < 0)
		bw_out_line(l->out, "the answer cannot be sent: %s", strerror(errno));
	c.begun = UINT32_MAX;
	bw_crumb_encode(&c, bytes);
	if (goes_free)
		sendto(l->fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&l->from, l->from_b);
	l->has_question = false;
}

static const char *packet_name(const struct bw_crumb *c, char buf[16])
{
	return !c->begun		  ? "nothing yet"
	       : c->op == BW_PM4_MARK_END ? "the end of the stream"
					  : bw_pm4_name(c->op, buf);
}

static void show(struct listener *l, const struct bw_crumb *c, uint32_t n_lost)
{
	static const char *const words[] = {"", "at", "waits", "ended"};
	char buf[16];
	struct bw_str s = {0};
	const char *name = packet_name(c, buf);
	bw_str_addf(&s, "%s (process %u) submission %u IB %u: ", bw_shown(c->comm).text, c->pid,
		    c->submission, c->ib);
	if (c->kind == BW_CRUMB_ENDED)
		bw_str_addf(&s, "ended%s%s", c->result ? ": " : "",
			    c->result ? bw_error_result(c->result) : "");
	else
		bw_str_addf(&s, "%smarker %u of %u, %s, dword %u of 0x%" PRIx64 "; %u has ended",
			    c->kind == BW_CRUMB_WAITS ? "waits for Enter (c: no more stops) at "
						      : "",
			    c->begun, c->n_marks, name, c->at_dw, c->ib_va, c->ended);
	if (c->dispatch >= 0)
		bw_str_addf(&s, "; dispatch %d%s%s%s%s", c->dispatch,
			    *c->pipeline ? ", pipeline " : "", bw_shown(c->pipeline).text,
			    *c->label ? ", label " : "", bw_shown(c->label).text);
	bw_out_begin(l->out, "event", "crumb");
	if (n_lost)
		bw_out_line(l->out, "%u datagrams were lost.", n_lost);
	bw_out_line(l->out, "%s", bw_str_text(&s));
	bw_out_str(l->out, "kind", words[c->kind]);
	bw_out_str(l->out, "comm", c->comm);
	bw_out_int(l->out, "process", c->pid);
	bw_out_int(l->out, "submission", c->submission);
	bw_out_int(l->out, "ib", c->ib);
	bw_out_int(l->out, "begun", c->begun);
	bw_out_int(l->out, "ended", c->ended);
	bw_out_int(l->out, "markers", c->n_marks);
	bw_out_str(l->out, "packet", name);
	bw_out_hex(l->out, "va", c->ib_va);
	bw_out_int(l->out, "dword", c->at_dw);
	bw_out_int(l->out, "dispatch", c->dispatch);
	bw_out_str(l->out, "pipeline", c->pipeline);
	bw_out_str(l->out, "label", c->label);
	bw_out_int(l->out, "status", c->result);
	bw_out_int(l->out, "lost", n_lost);
	bw_out_end(l->out);
	bw_out_flush(l->out);
	bw_str_free(&s);
}

static void take_datagram(struct listener *l)
{
	uint8_t bytes[BW_CRUMB_B + 1];
	struct bw_crumb c;
	struct sockaddr_storage from;
	socklen_t from_b = sizeof(from);
	ssize_t n = recvfrom(l->fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &from_b);
	if (n < 0 || !bw_crumb_decode(bytes, (size_t)n, &c) || c.kind == BW_CRUMB_GO_ON)
		return; /* somebody else's */
	uint32_t n_lost = 0;
	if (c.token == l->token && c.sequence > l->sequence)
		n_lost = c.sequence - l->sequence - 1;
	bool is_again = l->has_question && c.kind == BW_CRUMB_WAITS && c.token == l->token &&
			c.stream == l->question.stream && c.begun == l->question.begun;
	l->token = c.token;
	l->sequence = c.sequence;
	if (c.kind == BW_CRUMB_WAITS) {
		l->has_question = true;
		l->question = c;
		l->from = from;
		l->from_b = from_b;
	}
	if (!is_again)
		show(l, &c, n_lost);
}

static void take_key(struct listener *l)
{
	char line[64];
	ssize_t n = read(STDIN_FILENO, line, sizeof(line));
	if (n <= 0)
		l->is_silent = true;
	else
		answer(l, line[0] == 'c');
}

static struct bw_error *say_port(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char port[16];
	if (getsockname(fd, (struct sockaddr *)&at, &n) ||
	    getnameinfo((struct sockaddr *)&at, n, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV | NI_DGRAM))
		return bw_error_errno(errno, "getsockname");
	fprintf(stderr, "breakwater: listening for breadcrumbs on UDP port %s\n", port);
	return NULL;
}

struct bw_error *bw_cli_listen_for_crumbs(const char *text, bool json)
{
	char host[256], port[16];
	struct listener l = {.fd = -1};
	_cleanup_close_ int fd = -1;
	BW_TRY(split("--breadcrumbs-listen", text, false, host, port));
	BW_TRY(open_socket(host, port, true, &fd));
	BW_TRY(say_port(fd));
	BW_TRY(bw_out_create(stdout, json, &l.out));
	l.fd = fd;
	for (;;) {
		struct pollfd p[] = {{.fd = fd, .events = POLLIN},
				     {.fd = l.is_silent ? -1 : STDIN_FILENO, .events = POLLIN}};
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[0].revents)
			take_datagram(&l);
		if (p[1].revents)
			take_key(&l);
	}
	bw_out_destroy(l.out);
	return bw_error_errno(errno, "poll");
}
