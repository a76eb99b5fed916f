/* SPDX-License-Identifier: MIT */
#include "agent/names/loaded_kernel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/names/kernel_symbol.h"
#include "agent/names/loaded_code.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/table.h"
#include "base/util.h"
#include "capture/pipeline.h"

/* Objects of names.h count from 1. */
#define CODE_NUMBER (1u << 31)

struct known {
	uint64_t kernel_object;
	bool is_found;
	struct bw_loaded_kernel kernel;
};
struct load {
	uint64_t base;
	char uri[256];
};
static struct {
	pthread_mutex_t lock;
	struct BW_TABLE(struct known) kernels;
	struct BW_VEC(struct load) loads; /* by their number; they stay when they are unloaded */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The code object that begins last in front of the address. */
static bool find_code(uint64_t va, struct bw_agent_loaded *out)
{
	struct bw_agent_codes all = {0};
	bool found = false;
	bw_loaded_code_list(&all); /* what was listed before an error is good */
	bw_vec_each(&all, c) {
		if (c->base > va || (found && c->base <= out->base))
			continue;
		*out = *c;
		found = true;
	}
	bw_vec_free(&all);
	return found;
}

/* The bytes of the code object, to be unmapped. NULL: they are not to be had. */
static void *map_code(uint64_t base, uint64_t *out_size_b)
{
	_cleanup_close_ int fd = bw_loaded_code_open(base, out_size_b);
	if (fd < 0 || !*out_size_b)
		return NULL;
	void *at = mmap(NULL, *out_size_b, PROT_READ, MAP_PRIVATE, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static uint32_t number_of(const struct bw_loaded_kernel *k)
{
	struct load new = {.base = k->base};
	memcpy(new.uri, k->uri, sizeof(new.uri));
	for (size_t i = 0; i < g.loads.len; i++)
		if (g.loads.data[i].base == new.base && !strcmp(g.loads.data[i].uri, new.uri))
			return CODE_NUMBER | (uint32_t)(i + 1);
	struct bw_error *err = bw_vec_push(&g.loads, new);
	uint32_t number = err ? 0 : CODE_NUMBER | (uint32_t)g.loads.len;
	bw_error_free(err);
	return number;
}

static bool look_up(uint64_t kernel_object, struct bw_loaded_kernel *out)
{
	struct bw_agent_loaded code;
	uint64_t size_b;
	if (!find_code(kernel_object, &code))
		return false;
	out->base = code.base;
	memcpy(out->uri, code.uri, strnlen(code.uri, sizeof(out->uri) - 1));
	void *elf = map_code(code.base, &size_b);
	bool found = elf && bw_kernel_symbol(elf, size_b, kernel_object - code.base, out->name,
					     sizeof(out->name));
	if (elf)
		munmap(elf, size_b);
	out->code = found ? number_of(out) : 0;
	return found && out->code;
}

bool bw_loaded_kernel_find(uint64_t kernel_object, struct bw_loaded_kernel *out)
{
	pthread_mutex_lock(&g.lock);
	struct known new = {.kernel_object = kernel_object};
	const struct known *k = bw_table_find(&g.kernels, kernel_object);
	if (!k) {
		new.is_found = look_up(kernel_object, &new.kernel);
		bw_error_free(bw_table_add(&g.kernels, new)); /* else it is looked up again */
		k = &new;
	}
	*out = k->kernel;
	bool found = k->is_found;
	pthread_mutex_unlock(&g.lock);
	return found;
}

bool bw_loaded_kernel_record(const struct bw_loaded_kernel *k, struct bw_capture_bytes *out)
{
	struct bw_capture_pipeline p = {.code_base = k->base};
	uint64_t size_b = 0;
	void *elf = map_code(k->base, &size_b);
	bool fits = elf && size_b <= BW_CAPTURE_CODE_MAX_B;
	if (elf && !fits)
		BW_LOG(WARN, "agent", "the code object of %s has %llu bytes, and is not captured",
		       k->name, (unsigned long long)size_b);
	memcpy(p.head.entry, k->uri, sizeof(k->uri));
	struct bw_error *err = fits ? bw_vec_reserve(&p.code, size_b) : NULL;
	if (fits && !err) {
		memcpy(p.code.data, elf, size_b);
		p.code.len = size_b;
		err = bw_capture_pipeline_encode(&p, out);
	}
	if (elf)
		munmap(elf, size_b);
	bw_capture_pipeline_fini(&p);
	bool ok = fits && !err;
	bw_error_free(err);
	return ok;
}

void bw_loaded_kernel_forget(void)
{
	pthread_mutex_lock(&g.lock);
	bw_table_free(&g.kernels);
	pthread_mutex_unlock(&g.lock);
}

void bw_loaded_kernel_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
}
