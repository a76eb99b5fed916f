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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const uint32_t code[] = {0xbf900003, 0x80048104,
				0xbfb00000}; /* s_trap 3, s_add_u32, s_endpgm */
static const struct bw_target_dispatch dispatch = {
	.code_va = FAKE_BASE, .initiator = 1u << 15, .groups = {2, 1, 1}, .group_size = {64, 1, 1}};
static struct bw_dap *server;

static void must(struct bw_error *err)
{
	if (err)
		abort();
}

static struct bw_error *host_open(void *cookie, char **argv, bool attach, struct bw_debug **out)
{
	struct bw_debug **d = cookie;
	struct bw_stop stop;
	struct fake_target *f = fake_create(NULL);
	if (*d)
		return bw_errorf(BW_E_STATE, "one session");
	must(bw_debug_create(d));
	must(bw_debug_add_raw(*d, "demo", code, sizeof(code)));
	memcpy(fake_at(f, FAKE_BASE), code, sizeof(code));
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					       .submission = 1,
					       .queue = 1,
					       .dispatches = &dispatch,
					       .n_dispatches = 1});
	for (uint32_t i = 0; i < 4; i++)
		fake_launch(f, i, FAKE_BASE, i / 2, i % 2);
	must(bw_debug_start(*d, &f->t));
	must(bw_debug_wait(*d, 1000, &stop));
	bw_dap_note_stop(server, &stop);
	*out = *d;
	return NULL;
}

static bool host_is_kernel(void *cookie, const char *path)
{
	return true;
}

static void host_close(void *cookie, bool kill)
{
}

static struct bw_error *host_execute(void *cookie, const char *line)
{
	return bw_errorf(BW_E_INVALID, "there are no commands here");
}

static struct bw_error *host_run_script(void *cookie)
{
	return NULL;
}

static struct bw_error *host_stopped(void *cookie, const struct bw_stop *stop, bool brief)
{
	bw_dap_note_stop(server, stop);
	return NULL;
}

static char **host_complete(void *cookie, const char *line, const char *word)
{
	return NULL;
}

static char *host_take_text(void *cookie)
{
	return NULL;
}

static size_t host_take_output(void *cookie, bool is_error, char *out, size_t max)
{
	return 0;
}

static void host_passing(void *cookie, uint32_t breakpoint, uint32_t wave)
{
}

static int host_exit_status(void *cookie)
{
	return 0;
}

static bool host_wants_end(void *cookie)
{
	return false;
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
	struct bw_debug *d = NULL;
	const struct bw_dap_host host = {.cookie = &d,
					 .open = host_open,
					 .run_script = host_run_script,
					 .is_kernel = host_is_kernel,
					 .close = host_close,
					 .execute = host_execute,
					 .stopped = host_stopped,
					 .complete = host_complete,
					 .take_text = host_take_text,
					 .take_output = host_take_output,
					 .passing = host_passing,
					 .exit_status = host_exit_status,
					 .wants_end = host_wants_end};
	int in = bw_memfd("messages"), out = open("/dev/null", O_WRONLY);
	if (in < 0 || out < 0)
		abort();
	if (n && bytes[0] == '{')
		add_lines(in, (const char *)bytes, n);
	else if (write(in, bytes, n) != (ssize_t)n)
		abort();
	lseek(in, 0, SEEK_SET);
	must(bw_dap_create(&host, in, out, NULL, &server));
	bw_error_free(bw_dap_serve(server));
	bw_dap_destroy(server);
	bw_debug_destroy(d);
	close(in);
	close(out);
	return 0;
}
