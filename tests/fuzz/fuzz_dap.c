/* SPDX-License-Identifier: MIT */
/* What an editor sends, in front of stopped waves of the fake target: a first byte '{' says that
 * each line is the text of a message, which is framed here; else the bytes are the stream. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../debug/fake_target.h"
#include "base/memfd.h"
#include "dap/dap.h"
#include "debug/stop.h"
#include "session/crash_files.h"
#include "session/run_options.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const uint32_t code[] = {0xbf900003, 0x80048104,
				0xbfb00000}; /* s_trap 3, s_add_u32, s_endpgm */
static const struct bw_target_dispatch dispatch = {
	.code_va = FAKE_BASE, .initiator = 1u << 15, .groups = {2, 1, 1}, .group_size = {64, 1, 1}};
static struct bw_session session;

static void must(struct bw_error *err)
{
	if (err)
		abort();
}

/* In place of src/session's: no file is looked at, and nothing is started. */

bool bw_is_crash(const char *path)
{
	return true;
}

struct bw_error *bw_session_report(struct bw_session *s, const struct bw_run_options *o)
{
	return NULL;
}

struct bw_error *bw_session_open(struct bw_session *s, struct bw_run_options *o)
{
	struct bw_stop stop;
	struct fake_target *f = fake_create(NULL);
	must(bw_debug_add_raw(s->debug, "demo", code, sizeof(code)));
	memcpy(fake_at(f, FAKE_BASE), code, sizeof(code));
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					       .submission = 1,
					       .queue = 1,
					       .dispatches = &dispatch,
					       .n_dispatches = 1});
	for (uint32_t i = 0; i < 4; i++)
		fake_launch(f, i, FAKE_BASE, i / 2, i % 2);
	must(bw_debug_start(s->debug, &f->t));
	must(bw_debug_wait(s->debug, 1000, &stop));
	bw_session_stopped(s, &stop, false);
	return NULL;
}

static struct bw_error *execute(void *cookie, const char *lines)
{
	return bw_errorf(BW_E_INVALID, "there are no commands here");
}

static struct bw_error *run_script(void *cookie, const struct bw_run_options *o)
{
	return NULL;
}

static char **complete(void *cookie, const char *line, const char *word)
{
	return NULL;
}

static void passing(void *cookie, uint32_t breakpoint, uint32_t wave)
{
}

static void leave(void *cookie)
{
}

static void add_message(int fd, const char *text, size_t n)
{
	dprintf(fd, "Content-Length: %zu\r\n\r\n%.*s", n, (int)n, text);
}

static void add_lines(int fd, const char *text, size_t n)
{
	static const char *const first[] = {
		"{\"seq\":1,\"type\":\"request\",\"command\":\"initialize\",\"arguments\":{\"supportsInvalidatedEvent\":true,\"supportsMemoryEvent\":true}}",
		"{\"seq\":2,\"type\":\"request\",\"command\":\"launch\",\"arguments\":{\"program\":\"a.s\"}}",
		"{\"seq\":3,\"type\":\"request\",\"command\":\"configurationDone\"}"};
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		add_message(fd, first[i], strlen(first[i]));
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t line = end ? (size_t)(end - text) : n;
		if (line && !memchr(text, 0, line))
			add_message(fd, text, line);
		text += end ? line + 1 : line;
		n -= end ? line + 1 : line;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct bw_dap_console console = {NULL, execute, run_script, complete, passing, leave};
	struct bw_dap *server;
	struct bw_out *printed;
	int in = bw_memfd("messages"), out = open("/dev/null", O_WRONLY);
	if (in < 0 || out < 0)
		abort();
	if (n && bytes[0] == '{')
		add_lines(in, (const char *)bytes, n);
	else if (write(in, bytes, n) != (ssize_t)n)
		abort();
	lseek(in, 0, SEEK_SET);
	must(bw_dap_create(&server));
	must(bw_out_create(bw_dap_console_file(server), false, &printed));
	must(bw_session_init(&session, printed));
	must(bw_dap_open(server, in, out, NULL));
	bw_error_free(bw_dap_serve(server, &session, &console));
	bw_session_fini(&session);
	bw_out_destroy(printed);
	bw_dap_destroy(server);
	return 0;
}
