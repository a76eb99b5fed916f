/* SPDX-License-Identifier: MIT */
#include "agent/memory/freed.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

void bw_freed_note(struct bw_freed_list *l, uint64_t va, uint64_t size_b, uint64_t by)
{
	if (size_b)
		l->all[l->n++ % BW_FREED_MAX] = (struct bw_freed){va, size_b, by};
}

bool bw_freed_find(const struct bw_freed_list *l, uint64_t va, struct bw_freed *out)
{
	for (size_t i = l->n; i > 0 && l->n - i < BW_FREED_MAX; i--) {
		const struct bw_freed *f = &l->all[(i - 1) % BW_FREED_MAX];
		if (va < f->va || va - f->va >= f->size_b)
			continue;
		*out = *f;
		return true;
	}
	return false;
}

size_t bw_freed_callers(uint64_t *out, size_t max)
{
	enum { DEPTH_MAX = 64 };
	void *frames[DEPTH_MAX];
	size_t found = 0;
	int n = backtrace(frames, DEPTH_MAX);
	for (int i = 0; i < n && found < max; i++) {
		Dl_info info;
		struct link_map *map = NULL;
		/* the last byte of the call, which is in the line of the call */
		uintptr_t call = (uintptr_t)frames[i] - 1;
		/* the dynamic linker names the program itself "" */
		if (dladdr1((void *)call, &info, (void **)&map, RTLD_DL_LINKMAP) && map &&
		    !map->l_name[0])
			out[found++] = call - map->l_addr;
	}
	return found;
}

uint64_t bw_freed_by(void)
{
	uint64_t by = 0;
	bw_freed_callers(&by, 1);
	return by;
}
