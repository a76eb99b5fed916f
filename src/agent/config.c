/* SPDX-License-Identifier: MIT */
/* What the environment says. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "swap/rules.h"
#include "wire/agent_folders.h"
#include "wire/agent_proto.h"
#include "wire/capture_proto.h"
#include "wire/crumbs_proto.h"
#include "wire/stomp_files.h"
#include "wire/vgpu_proto.h"

/* The file by which a folder is known to have the offer. */
static const char *const files[BW_AGENT_N_OFFERS] = {
	[BW_AGENT_DEBUGGER] = BW_AGENT_SOCKET,	 [BW_AGENT_CAPTURE] = BW_CAPTURE_SOCKET,
	[BW_AGENT_CRUMBS] = BW_CRUMBS_SOCKET,	 [BW_AGENT_SHADERS] = BW_SWAP_RULES_FILE,
	[BW_AGENT_STOMP] = BW_STOMP_RANGES_FILE,
};

static struct bw_agent_config config;
static pthread_once_t config_once = PTHREAD_ONCE_INIT;

static const char *setting(const char *name)
{
	const char *v = getenv(name);
	return v && *v ? strdup(v) : NULL; /* the program may change its environment */
}

static bool is_there(const char *path)
{
	return !REAL(access)(path, F_OK);
}

static void read_config(void)
{
	const char *folders = getenv(BW_AGENT_FOLDERS_ENV);
	config.vgpu_socket = setting(BW_VGPU_SOCKET_ENV);
	const char *attach = getenv(BW_AGENT_ATTACH_ENV);
	config.attachable = attach && !strcmp(attach, "1");
	config.is_tracked = config.attachable;
	for (unsigned i = 0; i < BW_AGENT_N_OFFERS; i++) {
		config.folders[i] = bw_agent_folders_find(folders, files[i], is_there);
		config.is_tracked |= config.folders[i] != NULL;
	}
	config.is_debuggable = config.folders[BW_AGENT_DEBUGGER] || config.attachable;
}

const struct bw_agent_config *bw_agent_config(void)
{
	pthread_once(&config_once, read_config);
	return &config;
}

bool bw_agent_offer_path(enum bw_agent_offer offer, const char *name, char out[BW_AGENT_PATH_B])
{
	const char *folder = bw_agent_config()->folders[offer];
	return folder && snprintf(out, BW_AGENT_PATH_B, "%s/%s", folder,
				  name ? name : files[offer]) < BW_AGENT_PATH_B;
}

void bw_agent_offer_append(enum bw_agent_offer offer, const char *name, const void *record,
			   size_t size_b)
{
	char path[BW_AGENT_PATH_B];
	_cleanup_close_ int fd = -1;
	if (bw_agent_offer_path(offer, name, path))
		fd = REAL(open64)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || REAL(write)(fd, record, size_b) != (ssize_t)size_b)
		BW_LOG(WARN, "agent", "cannot write the file %s for the debugger", name);
}
