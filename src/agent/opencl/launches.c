/* SPDX-License-Identifier: MIT */
#include "agent/opencl/launches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/memory/memory.h"
#include "agent/names/names_priv.h"
#include "base/util.h"

enum {
	KERNELS_MAX = 1 << 16,
	LAUNCHES_MAX = 4096, /* asked for and not seen yet: older ones are given up */
};

struct kernel {
	uint64_t handle;
	uint32_t object, n_args;
	struct bw_launch_arg *args; /* owned, and the values in it */
};

struct launch {
	uint64_t queue;
	uint32_t object, n_args;
	struct bw_launch_arg *args; /* owned, and the values in it */
	struct bw_launch_grid grid;
};

static struct {
	pthread_mutex_t lock;
	struct BW_VEC(struct kernel) kernels;
	struct BW_VEC(struct launch) launches; /* the oldest first */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_args(struct bw_launch_arg *args, uint32_t n)
{
	for (uint32_t i = 0; args && i < n; i++)
		free((void *)(uintptr_t)args[i].value);
	free(args);
}

/* NULL: no memory. */
static struct bw_launch_arg *copy_args(const struct bw_launch_arg *args, uint32_t n)
{
	struct bw_launch_arg *copy = calloc(BW_MAX(n, 1u), sizeof(*copy));
	for (uint32_t i = 0; copy && i < n; i++) {
		copy[i] = args[i];
		copy[i].value = NULL;
		uint8_t *value = args[i].is_known ? malloc(BW_MAX(args[i].size_b, 1u)) : NULL;
		copy[i].is_known = value != NULL;
		if (value)
			memcpy(value, args[i].value, args[i].size_b);
		copy[i].value = value;
	}
	return copy;
}

/* ---- Kernels ---- */

static struct kernel *find_kernel(uint64_t handle)
{
	bw_vec_each(&g.kernels, k)
		if (k->handle == handle)
			return k;
	return NULL;
}

/* Takes ownership of args. */
static void keep_kernel(uint64_t handle, uint32_t object, struct bw_launch_arg *args, uint32_t n)
{
	struct kernel new = {handle, object, n, args}, *old = find_kernel(handle);
	struct bw_error *err = NULL;
	if (old) {
		free_args(old->args, old->n_args);
		*old = new;
	} else if (g.kernels.len < KERNELS_MAX) {
		err = bw_vec_push(&g.kernels, new);
		old = err ? NULL : find_kernel(handle);
	}
	if (!old)
		free_args(args, n);
	bw_error_free(err); /* without memory it has no name */
}

uint32_t bw_launches_kernel(uint64_t handle, const char *name, const struct bw_launch_arg *args,
			    uint32_t n_args)
{
	uint32_t n = BW_MIN(n_args, (uint32_t)BW_LAUNCH_ARGS_MAX);
	struct bw_launch_arg *copy = copy_args(args, n);
	uint32_t object = copy ? bw_names_kernel(name) : 0;
	pthread_mutex_lock(&g.lock);
	if (copy)
		keep_kernel(handle, object, copy, n);
	pthread_mutex_unlock(&g.lock);
	return object;
}

void bw_launches_clone(uint64_t from, uint64_t to)
{
	pthread_mutex_lock(&g.lock);
	const struct kernel *k = find_kernel(from);
	struct bw_launch_arg *copy = k ? copy_args(k->args, k->n_args) : NULL;
	if (copy)
		keep_kernel(to, k->object, copy, k->n_args);
	pthread_mutex_unlock(&g.lock);
}

enum bw_launch_kind bw_launches_arg_kind(uint64_t kernel, uint32_t index)
{
	pthread_mutex_lock(&g.lock);
	const struct kernel *k = find_kernel(kernel);
	enum bw_launch_kind kind = k && index < k->n_args ? k->args[index].kind : BW_LAUNCH_OPAQUE;
	pthread_mutex_unlock(&g.lock);
	return kind;
}

void bw_launches_set(uint64_t kernel, uint32_t index, const void *value, size_t size_b)
{
	uint8_t *copy = value && size_b && size_b <= BW_LAUNCH_BLOCK_MAX_B ? malloc(size_b) : NULL;
	if (copy)
		memcpy(copy, value, size_b);
	pthread_mutex_lock(&g.lock);
	struct kernel *k = find_kernel(kernel);
	struct bw_launch_arg *a = k && index < k->n_args ? &k->args[index] : NULL;
	if (a) {
		free((void *)(uintptr_t)a->value);
		a->value = copy;
		a->is_known = copy != NULL;
		a->size_b = (uint32_t)BW_MIN(size_b, (size_t)BW_LAUNCH_BLOCK_MAX_B);
		copy = NULL;
	}
	pthread_mutex_unlock(&g.lock);
	free(copy);
}

/* ---- Launches ---- */

static void remove_launch(size_t i)
{
	free_args(g.launches.data[i].args, g.launches.data[i].n_args);
	bw_vec_remove(&g.launches, i);
}

void bw_launches_add(uint64_t queue, uint64_t kernel, const struct bw_launch_grid *grid)
{
	pthread_mutex_lock(&g.lock);
	const struct kernel *k = find_kernel(kernel);
	struct launch l = {.queue = queue, .grid = *grid};
	l.args = k ? copy_args(k->args, k->n_args) : NULL;
	if (l.args) {
		l.object = k->object;
		l.n_args = k->n_args;
		if (g.launches.len >= LAUNCHES_MAX)
			remove_launch(0);
		struct bw_error *err = bw_vec_push(&g.launches, l);
		if (err)
			free_args(l.args, l.n_args);
		bw_error_free(err);
	}
	pthread_mutex_unlock(&g.lock);
}

/* ---- Which packet is which launch ---- */

static bool same_grid(const struct bw_launch_grid *grid, const struct bw_agent_dispatch *d)
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t global = i < grid->n_dims ? grid->global[i] : 1;
		uint64_t local = i < grid->n_dims ? grid->local[i] : 1, size = d->group_size[i];
		if (!size || (local && size != local) || d->groups[i] != (global + size - 1) / size)
			return false;
	}
	return true;
}

/* The block of arguments that a user SGPR points to; the SGPR is not known. */
static bool find_block(struct bw_agent_file *f, const struct launch *l, struct bw_agent_dispatch *d,
		       uint32_t *out_at)
{
	uint8_t block[BW_LAUNCH_BLOCK_MAX_B];
	for (unsigned i = 0; i < BW_ARRAY_SIZE(d->user_data); i++) {
		uint64_t va = bw_mesa_pointer32(d->user_data[i]), end = va;
		if (!d->user_data[i] || d->user_data[i] % 4)
			continue;
		size_t n = sizeof(block);
		if (bw_memory_read(f, va, block, n, &end))
			n = end > va && end - va < n ? (size_t)(end - va) : 0;
		if (!n || !bw_launch_layout(l->args, l->n_args, block, n, out_at))
			continue;
		d->block_va = va;
		return true;
	}
	return false;
}

static void fill(const struct launch *l, const uint32_t *at, struct bw_agent_dispatch *d,
		 struct bw_names_blob *blob)
{
	struct bw_agent_arg args[BW_LAUNCH_ARGS_MAX];
	memset(args, 0, sizeof(args));
	for (uint32_t i = 0; i < l->n_args; i++) {
		args[i].kind = (uint32_t)l->args[i].kind;
		args[i].offset_b = at[i];
		args[i].size_b = l->args[i].size_b;
		memcpy(args[i].name, l->args[i].name, sizeof(args[i].name));
		memcpy(args[i].type, l->args[i].type, sizeof(args[i].type));
	}
	d->pipeline = l->object;
	d->args_at = bw_names_append(blob, args, l->n_args * sizeof(*args));
	d->n_args = d->args_at ? l->n_args : 0;
}

static void match(struct bw_agent_file *f, struct bw_agent_dispatch *d, struct bw_names_blob *blob)
{
	uint32_t at[BW_LAUNCH_ARGS_MAX];
	for (size_t i = 0; i < g.launches.len; i++) {
		const struct launch *l = &g.launches.data[i];
		if (!same_grid(&l->grid, d) || !find_block(f, l, d, at))
			continue;
		fill(l, at, d, blob);
		/* launches before it in its queue have been executed, or have failed */
		uint64_t queue = l->queue;
		for (size_t k = i + 1; k-- > 0;)
			if (g.launches.data[k].queue == queue)
				remove_launch(k);
		return;
	}
}

void bw_launches_match(struct bw_agent_file *f, struct bw_agent_dispatches *dispatches,
		       struct bw_names_blob *blob)
{
	pthread_mutex_lock(&g.lock);
	bw_vec_each(dispatches, d)
		if (!d->pipeline && g.launches.len)
			match(f, d, blob);
	pthread_mutex_unlock(&g.lock);
}

void bw_launches_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
}
