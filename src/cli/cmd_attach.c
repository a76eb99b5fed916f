/* SPDX-License-Identifier: MIT */
/* Programs that run already: breakwater attach PID, and the command attach. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "live/live.h"

/* ---- What makes a program ready ---- */

/* Adds a word to a list in the environment; owned. */
static char *list_setting(const char *name, const char *word)
{
	const char *old = getenv(name);
	char *out = NULL;
	if (asprintf(&out, "%s=%s%s%s", name, old ? old : "", old && *old ? ":" : "", word) < 0)
		return NULL;
	return out;
}

/* What makes the Vulkan loader use the agent as a layer, too, so that pipelines, buffers and command
 * buffers have names. A build without Vulkan's headers has no layer: then there is nothing to set. */
struct bw_error *bw_cli_vulkan_settings(char *out[3])
{
	char *agent = NULL, *manifest = NULL;
	out[0] = out[1] = out[2] = NULL;
	BW_TRY(bw_cli_part("libbreakwater-agent.so", &agent));
	*strrchr(agent, '/') = '\0';
	if (asprintf(&manifest, "%s/breakwater-layer.json", agent) < 0)
		manifest = NULL;
	if (manifest && access(manifest, R_OK) == 0) {
		out[0] = list_setting("VK_ADD_LAYER_PATH", agent);
		out[1] = list_setting("VK_INSTANCE_LAYERS", "VK_LAYER_BREAKWATER_agent");
	}
	free(agent);
	free(manifest);
	return NULL;
}

/* ---- Attaching ---- */

/* The value of NAME in the environment that the process was started with; owned, NULL for none. */
static struct bw_error *environ_of(pid_t pid, const char *name, char **out)
{
	char path[64];
	size_t cap = 0, n = strlen(name);
	_cleanup_free_ char *line = NULL;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	*out = NULL;
	if (!f)
		return errno == ENOENT ? bw_errorf(BW_E_NOT_FOUND, "There is no process %d", (int)pid)
				       : bw_error_errno(errno, "cannot look at process %d", (int)pid);
	while (getdelim(&line, &cap, '\0', f) > 0) {
		if (strncmp(line, name, n) || line[n] != '=')
			continue;
		*out = strdup(line + n + 1);
		return *out ? NULL : bw_error_nomem();
	}
	return NULL;
}

struct bw_error *bw_cli_use_gpu_of(pid_t pid, bool *out_virtual)
{
	_cleanup_free_ char *server = NULL;
	BW_TRY(environ_of(pid, "BREAKWATER_VGPU", &server));
	*out_virtual = server != NULL;
	if (server && setenv("BREAKWATER_VGPU", server, 1))
		return bw_error_nomem();
	return NULL;
}

/* Until the agent has said hello. */
static struct bw_error *await_hello(struct bw_cli *c, pid_t pid)
{
	enum { TRIES = 200, PIECE_MS = 50 };
	for (int i = 0; i < TRIES && bw_debug_program_pid(c->debug) != pid; i++) {
		struct bw_stop stop;
		BW_TRY(bw_debug_wait(c->debug, PIECE_MS, &stop));
		if (stop.kind == BW_STOP_EXITED)
			return bw_errorf(BW_E_GONE, "process %d has ended", (int)pid);
	}
	return bw_debug_program_pid(c->debug) == pid
		       ? NULL
		       : bw_errorf(BW_E_TIMEOUT, "process %d does not answer", (int)pid);
}

struct bw_error *bw_cli_attach(struct bw_cli *c, pid_t pid)
{
	struct bw_live_options options = {.kmd = c->kmd, .pid = pid, .in_fd = -1, .out_fd = -1, .err_fd = -1};
	struct bw_target *target;
	BW_TRY(bw_live_start(&options, &target));
	BW_TRY(bw_debug_start(c->debug, target));
	struct bw_error *err = await_hello(c, pid);
	if (err) {
		bw_debug_detach(c->debug);
		return err;
	}
	c->attached = true;
	c->exit_status_known = false;
	c->gpu_fault = false;
	bw_out_line(c->out, "Attached to %s (process %d). Its next submission to the GPU is the first that can be stopped.",
		    bw_debug_program_name(c->debug), (int)pid);
	bw_out_int(c->out, "pid", pid);
	bw_out_str(c->out, "program", bw_debug_program_name(c->debug));
	return NULL;
}

struct bw_error *bw_cmd_attach(struct bw_cli *c, const char *args)
{
	uint64_t pid;
	_cleanup_free_ char *server = NULL;
	if (!bw_parse_u64(args, &pid) || !pid || pid > INT_MAX)
		return bw_errorf(BW_E_INVALID, "\"attach\" takes the process number of a program started by \"breakwater exec\"");
	if (bw_debug_state(c->debug) != BW_DEBUG_NO_PROGRAM)
		return bw_errorf(BW_E_STATE, "A program is being debugged already; \"detach\" or \"kill\" it first");
	BW_TRY(environ_of((pid_t)pid, "BREAKWATER_VGPU", &server));
	const char *ours = NULL;
	for (const char *const *e = bw_kmd_program_env(c->kmd); e && *e; e++)
		if (bw_starts_with(*e, "BREAKWATER_VGPU="))
			ours = *e + strlen("BREAKWATER_VGPU=");
	if (!ours != !server || (ours && strcmp(ours, server)))
		return bw_errorf(BW_E_INVALID, "process %d uses another GPU than this session: breakwater attach %d", (int)pid,
				 (int)pid);
	return bw_cli_attach(c, (pid_t)pid);
}
