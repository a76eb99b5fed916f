/* SPDX-License-Identifier: MIT */
#include "agent/shaders/shader_rules.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/log.h"

static struct {
	pthread_once_t once;
	bool is_on;
	struct bw_swap_rules rules;
} g = {.once = PTHREAD_ONCE_INIT};

static void load(void)
{
	const char *folder = bw_agent_config()->folders[BW_AGENT_SHADERS];
	if (!folder)
		return;
	_cleanup_error_ struct bw_error *err = bw_swap_rules_load(folder, &g.rules);
	if (err)
		BW_LOG(WARN, "agent", "shaders: %s", err->message);
	g.is_on = !err;
}

const struct bw_swap_rules *bw_agent_shader_rules(void)
{
	pthread_once(&g.once, load);
	return g.is_on ? &g.rules : NULL;
}

int bw_agent_shader_rule(enum bw_swap_kind kind, const struct bw_agent_object *o)
{
	const struct bw_swap_rules *r = bw_agent_shader_rules();
	const struct bw_swap_shader s = {.hash = o->hash,
					 .code_va = o->va,
					 .name = o->name,
					 .module = o->module,
					 .entry = o->entry,
					 .file = o->file};
	return r ? bw_swap_find(r, kind, &s) : -1;
}

void bw_agent_shader_append(const struct bw_swap_said *record)
{
	if (bw_agent_shader_rules())
		bw_agent_offer_append(BW_AGENT_SHADERS, BW_SWAP_SAID_FILE, record, sizeof(*record));
}

void bw_agent_shader_say(enum bw_swap_event event, int rule, const struct bw_agent_object *o,
			 const char *text)
{
	struct bw_swap_said s = {.event = event,
				 .rule = rule < 0 ? UINT32_MAX : (uint32_t)rule,
				 .hash = o->hash,
				 .code_va = o->va,
				 .pid = (uint32_t)getpid()};
	memcpy(s.name, o->name, sizeof(s.name));
	memcpy(s.module, o->module, sizeof(s.module));
	memcpy(s.entry, o->entry, sizeof(s.entry));
	memcpy(s.file, o->file, sizeof(s.file));
	snprintf(s.text, sizeof(s.text), "%s", text ? text : "");
	bw_agent_shader_append(&s);
}

bool bw_agent_shader_save(const char *name, const void *bytes, size_t size_b)
{
	char path[BW_AGENT_PATH_B], part[sizeof(path) + 32];
	if (!bw_agent_offer_path(BW_AGENT_SHADERS, name, path))
		return false;
	snprintf(part, sizeof(part), "%s.%d", path, (int)gettid());
	_cleanup_close_ int fd = REAL(open64)(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	bool ok = REAL(write)(fd, bytes, size_b) == (ssize_t)size_b && !link(part, path);
	unlink(part);
	return ok;
}
