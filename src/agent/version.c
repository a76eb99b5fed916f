/* SPDX-License-Identifier: MIT */
#include "agent/version.h"

#include <drm.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "agent/agent.h"
#include "base/util.h"

int bw_agent_version_ask(uint32_t file, struct bw_agent_version *out)
{
	*out = (struct bw_agent_version){0};
	struct drm_version v = {
		.name = out->name,
		.name_len = sizeof(out->name) - 1,
		.date = out->date,
		.date_len = sizeof(out->date) - 1,
		.desc = out->desc,
		.desc_len = sizeof(out->desc) - 1,
	};
	int r = bw_vgpu_ioctl(bw_agent_client(), file, DRM_IOCTL_VERSION, &v);
	out->major = v.version_major;
	out->minor = v.version_minor;
	out->patchlevel = v.version_patchlevel;
	return r;
}

/* drm_copy_field: as much of the text as there is room for, and its whole length. */
static bool copy_field(char *user, __kernel_size_t *len, const char *text)
{
	size_t n = BW_MIN(strlen(text), (size_t)*len);
	*len = strlen(text);
	return !n || !user || bw_agent_copy_out(user, text, n);
}

int bw_agent_version_answer(const struct bw_agent_version *v, void *arg)
{
	struct drm_version a;
	if (!bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return -EFAULT;
	a.version_major = v->major;
	a.version_minor = v->minor;
	a.version_patchlevel = v->patchlevel;
	bool is_copied = copy_field(a.name, &a.name_len, v->name) &&
			 copy_field(a.date, &a.date_len, v->date) &&
			 copy_field(a.desc, &a.desc_len, v->desc);
	return is_copied && bw_agent_copy_out(arg, &a, sizeof(a)) ? 0 : -EFAULT;
}
