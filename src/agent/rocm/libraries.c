/* SPDX-License-Identifier: MIT */
#include "agent/rocm/libraries.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "base/str.h"

struct search {
	const char *library;
	char path[512];
};

static int find_library(struct dl_phdr_info *info, size_t size_b, void *cookie)
{
	struct search *s = cookie;
	if (!info->dlpi_name || !bw_starts_with(bw_base_name(info->dlpi_name), s->library))
		return 0;
	return snprintf(s->path, sizeof(s->path), "%s", info->dlpi_name) < (int)sizeof(s->path);
}

void *bw_rocm_real(const char *library, const char *function)
{
	struct search s = {.library = library};
	void *real = dlsym(RTLD_NEXT, function);
	if (real || !dl_iterate_phdr(find_library, &s))
		return real;
	void *handle = dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	real = dlsym(handle, function);
	dlclose(handle);
	return real;
}
