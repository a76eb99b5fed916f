/* SPDX-License-Identifier: MIT */
#include "agent/vulkan/vk_bounds.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/memory/freed.h"
#include "agent/program.h"
#include "base/util.h"
#include "base/vec.h"
#include "wire/checks.h"
#include "wire/vgpu_proto.h"

enum { FREE_B = 64 << 10, KEPT_MAX = 1024, CALLERS = 3 };
static const uint64_t kept_max_b = 512ull << 20;

/* A buffer with an address. */
struct buffer {
	uint64_t handle, memory; /* memory 0: not bound */
	uint64_t va, size_b, after_b, offset;
	bool is_freed, is_aliased;
	uint64_t made[CALLERS], freed[CALLERS];
	char name[32];
};

struct memory {
	uint64_t handle, size_b;
	VkDevice device;
	struct bw_agent_file *file; /* with a reference */
	bool may_stay, is_kept;	    /* kept: the program has freed it */
	uint64_t made[CALLERS];
};

static struct {
	pthread_mutex_t lock;
	struct BW_VEC(struct buffer) buffers;
	struct BW_VEC(struct memory) memories; /* in the order of their allocation, or of the
						  * program's freeing them */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_on(void)
{
	static _Atomic int known; /* 1: no, 2: yes */
	if (!known)
		known = bw_checks_wanted() & (BW_CHECK_BOUNDS | BW_CHECK_LEAKS) ? 2 : 1;
	return known == 2;
}

static bool has_address(VkBufferUsageFlags usage)
{
	return usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
}

/* Under the lock. The last one of that handle: numbers of destroyed buffers come again. */
static struct buffer *find(uint64_t handle)
{
	for (size_t i = g.buffers.len; i > 0; i--)
		if (g.buffers.data[i - 1].handle == handle && !g.buffers.data[i - 1].is_freed)
			return &g.buffers.data[i - 1];
	return NULL;
}

static struct memory *memory_of(uint64_t handle)
{
	bw_vec_each(&g.memories, m)
		if (m->handle == handle)
			return m;
	return NULL;
}

/* What the virtual GPU is to be told when the lock is free again. */
struct said {
	struct bw_agent_file *file; /* with a reference */
	struct bw_vgpu_extent extent;
};
struct to_tell BW_VEC(struct said);

static void unlock_and_tell(struct to_tell *t)
{
	pthread_mutex_unlock(&g.lock);
	bw_vec_each(t, x) {
		bw_agent_own_ioctl(x->file, BW_VGPU_IOCTL_EXTENT, &x->extent);
		bw_agent_file_unref(x->file);
	}
	bw_vec_free(t);
}

/* Under the lock. */
static void tell(struct to_tell *t, const struct buffer *b, bool is_there)
{
	const struct memory *m = memory_of(b->memory);
	struct bw_vgpu_extent e = {.va = b->va};
	if (!m || !m->file)
		return;
	if (is_there) {
		e.size_b = b->size_b;
		e.after_b = b->after_b;
		e.is_freed = b->is_freed;
		static_assert(sizeof(e.made) == sizeof(b->made), "calls fit");
		memcpy(e.made, b->made, sizeof(e.made));
		memcpy(e.freed, b->freed, sizeof(e.freed));
		static_assert(sizeof(e.name) == sizeof(b->name), "names fit");
		memcpy(e.name, b->name, sizeof(e.name));
		bw_agent_program(e.program);
	}
	struct bw_error *err = bw_vec_push(t, ((struct said){m->file, e}));
	if (!err)
		bw_agent_file_ref(m->file);
	bw_error_free(err);
}

/* Takes away what a destroyed buffer of the memory was, or all of them (with is_all). */
static void drop(struct to_tell *t, uint64_t memory, bool is_all)
{
	for (size_t i = g.buffers.len; i > 0; i--) {
		struct buffer *b = &g.buffers.data[i - 1];
		if (b->memory != memory || !(b->is_freed || is_all))
			continue;
		if (!b->is_aliased)
			tell(t, b, false);
		bw_vec_remove(&g.buffers, i - 1);
	}
}

/* ---- buffers ---- */

void bw_vk_bounds_create(VkBuffer buffer, const VkBufferCreateInfo *info)
{
	struct buffer b = {.handle = BW_VK_HANDLE(buffer), .size_b = info->size};
	if (!is_on() || !has_address(info->usage))
		return;
	bw_freed_callers(b.made, CALLERS);
	pthread_mutex_lock(&g.lock);
	bw_error_free(bw_vec_push(&g.buffers, b));
	pthread_mutex_unlock(&g.lock);
}

void bw_vk_bounds_destroy(VkBuffer buffer)
{
	struct to_tell told = {0};
	uint64_t by[CALLERS] = {0};
	if (!is_on())
		return;
	bw_freed_callers(by, CALLERS);
	pthread_mutex_lock(&g.lock);
	struct buffer *b = find(BW_VK_HANDLE(buffer));
	if (b && b->memory && !b->is_aliased) {
		b->is_freed = true;
		memcpy(b->freed, by, sizeof(by));
		tell(&told, b, true);
	} else if (b) {
		bw_vec_remove(&g.buffers, (size_t)(b - g.buffers.data));
	}
	unlock_and_tell(&told);
}

void bw_vk_bounds_name(uint64_t buffer, const char *name)
{
	struct to_tell told = {0};
	if (!is_on() || !name)
		return;
	pthread_mutex_lock(&g.lock);
	struct buffer *b = find(buffer);
	if (b) {
		memset(b->name, 0, sizeof(b->name));
		memcpy(b->name, name, strnlen(name, sizeof(b->name) - 1));
	}
	if (b && b->memory && !b->is_aliased)
		tell(&told, b, true);
	unlock_and_tell(&told);
}

void bw_vk_bounds_need(VkBuffer buffer, VkMemoryRequirements *need)
{
	if (!is_on())
		return;
	pthread_mutex_lock(&g.lock);
	if (find(BW_VK_HANDLE(buffer)))
		need->size += FREE_B;
	pthread_mutex_unlock(&g.lock);
}

void bw_vk_bounds_need_of(const VkBufferCreateInfo *info, VkMemoryRequirements *need)
{
	if (is_on() && has_address(info->usage))
		need->size += FREE_B;
}

/* Buffers that share bytes are the program's way to use memory: nothing tells which of them an
 * address is meant for. */
static bool find_aliases(struct to_tell *t, struct buffer *b)
{
	bool any = false;
	bw_vec_each(&g.buffers, o) {
		if (o == b || o->memory != b->memory || o->is_freed ||
		    o->offset >= b->offset + b->size_b || b->offset >= o->offset + o->size_b)
			continue;
		if (!o->is_aliased)
			tell(t, o, false);
		o->is_aliased = true;
		any = true;
	}
	return any;
}

/* What is free after the buffer: not beyond the memory, nor where another buffer begins. */
static uint64_t free_after(const struct buffer *b, const struct memory *m)
{
	uint64_t end = b->offset + b->size_b;
	uint64_t free_b = end < m->size_b ? BW_MIN(m->size_b - end, (uint64_t)FREE_B) : 0;
	bw_vec_each(&g.buffers, o)
		if (o != b && o->memory == b->memory && !o->is_freed && o->offset >= end)
			free_b = BW_MIN(free_b, o->offset - end);
	return free_b;
}

static uint64_t address(const struct bw_vk_device *d, VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL,
						buffer};
	return d->GetBufferDeviceAddress ? d->GetBufferDeviceAddress(d->handle, &info) : 0;
}

void bw_vk_bounds_bind(const struct bw_vk_device *d, VkBuffer buffer, VkDeviceMemory memory,
		       VkDeviceSize offset)
{
	struct to_tell told = {0};
	if (!is_on())
		return;
	pthread_mutex_lock(&g.lock);
	drop(&told, BW_VK_HANDLE(memory), false);
	const struct memory *m = memory_of(BW_VK_HANDLE(memory));
	struct buffer *b = buffer ? find(BW_VK_HANDLE(buffer)) : NULL;
	bool is_new = m && b && !b->memory;
	unlock_and_tell(&told);
	/* without the lock, since it is the driver's */
	uint64_t va = is_new ? address(d, buffer) : 0;
	if (!va)
		return;
	pthread_mutex_lock(&g.lock);
	m = memory_of(BW_VK_HANDLE(memory));
	b = find(BW_VK_HANDLE(buffer));
	if (m && b) {
		b->va = bw_canonical(va);
		b->memory = m->handle;
		b->offset = offset;
		b->after_b = free_after(b, m);
		b->is_aliased = find_aliases(&told, b);
		if (!b->is_aliased)
			tell(&told, b, true);
	}
	unlock_and_tell(&told);
}

/* ---- memory ---- */

/* Memory that others have as well, or that is of a certain place, is freed at once. */
static bool may_stay(const VkMemoryAllocateInfo *info)
{
	for (const VkBaseInStructure *p = info->pNext; p; p = p->pNext)
		if (p->sType != VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO &&
		    p->sType != VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO)
			return false;
	return true;
}

void bw_vk_bounds_memory(const struct bw_vk_device *d, VkDeviceMemory memory,
			 const VkMemoryAllocateInfo *info, struct bw_agent_file *file)
{
	struct memory m = {.handle = BW_VK_HANDLE(memory),
			   .size_b = info->allocationSize,
			   .device = d->handle,
			   .file = file,
			   .may_stay = may_stay(info)};
	if (!is_on())
		return;
	bw_freed_callers(m.made, CALLERS);
	if (file)
		bw_agent_file_ref(file);
	pthread_mutex_lock(&g.lock);
	bw_error_free(bw_vec_push(&g.memories, m));
	pthread_mutex_unlock(&g.lock);
}

/* Forgets the i-th memory, and what was declared of it. */
static void forget(struct to_tell *t, size_t i)
{
	struct bw_agent_file *file = g.memories.data[i].file;
	drop(t, g.memories.data[i].handle, true);
	bw_vec_remove(&g.memories, i);
	if (file)
		bw_agent_file_unref(file);
}

/* The first that is kept, if more are than that, of the device (NULL: of any). 0: none. */
static uint64_t take_kept(VkDevice device, size_t max, uint64_t max_b, VkDevice *out_device)
{
	struct to_tell told = {0};
	size_t n = 0, first = SIZE_MAX;
	uint64_t size_b = 0, handle = 0;
	pthread_mutex_lock(&g.lock);
	for (size_t i = 0; i < g.memories.len; i++) {
		const struct memory *m = &g.memories.data[i];
		if (!m->is_kept || (device && m->device != device))
			continue;
		n++;
		size_b += m->size_b;
		first = BW_MIN(first, i);
	}
	if (first != SIZE_MAX && (n > max || size_b > max_b)) {
		handle = g.memories.data[first].handle;
		*out_device = g.memories.data[first].device;
		forget(&told, first);
	}
	unlock_and_tell(&told);
	return handle;
}

static void free_kept(const struct bw_vk_device *d, size_t max, uint64_t max_b)
{
	VkDevice device;
	uint64_t handle;
	while ((handle = take_kept(d->handle, max, max_b, &device)))
		d->FreeMemory(device, (VkDeviceMemory)(uintptr_t)handle, NULL);
}

void bw_vk_bounds_flush(const struct bw_vk_device *d)
{
	if (is_on())
		free_kept(d, 0, 0);
}

/* Memory that the program has not freed goes with the device. */
static void leave(struct to_tell *t, const struct memory *m)
{
	struct bw_vgpu_extent e = {.size_b = m->size_b, .is_freed = BW_VGPU_EXTENT_LEFT};
	if (m->is_kept || !m->file)
		return;
	memcpy(e.made, m->made, sizeof(e.made));
	bw_agent_program(e.program);
	struct bw_error *err = bw_vec_push(t, ((struct said){m->file, e}));
	if (!err)
		bw_agent_file_ref(m->file);
	bw_error_free(err);
}

void bw_vk_bounds_end(const struct bw_vk_device *d)
{
	struct to_tell told = {0};
	bw_vk_bounds_flush(d);
	pthread_mutex_lock(&g.lock);
	for (size_t i = g.memories.len; i > 0; i--) {
		if (g.memories.data[i - 1].device != d->handle)
			continue;
		leave(&told, &g.memories.data[i - 1]);
		forget(&told, i - 1);
	}
	unlock_and_tell(&told);
}

bool bw_vk_bounds_keep(VkDeviceMemory memory, const VkAllocationCallbacks *alloc)
{
	struct to_tell told = {0};
	uint64_t by[CALLERS] = {0};
	bool any = false;
	if (!is_on() || !memory)
		return false;
	bw_freed_callers(by, CALLERS);
	pthread_mutex_lock(&g.lock);
	struct memory *m = memory_of(BW_VK_HANDLE(memory));
	bw_vec_each(&g.buffers, b) {
		if (!m || b->memory != m->handle || b->is_aliased)
			continue;
		any = true;
		if (b->is_freed)
			continue;
		b->is_freed = true;
		memcpy(b->freed, by, sizeof(by));
		tell(&told, b, true);
	}
	bool stays = m && any && m->may_stay && !alloc;
	if (stays) { /* the last one is the one that was freed last */
		struct memory kept = *m;
		kept.is_kept = true;
		bw_vec_remove(&g.memories, (size_t)(m - g.memories.data));
		bw_error_free(bw_vec_push(&g.memories, kept));
	} else if (m) {
		forget(&told, (size_t)(m - g.memories.data));
	}
	const struct bw_vk_device *d = NULL;
	if (stays)
		d = bw_vk_device_of(g.memories.data[g.memories.len - 1].device);
	unlock_and_tell(&told);
	if (d)
		free_kept(d, KEPT_MAX, kept_max_b);
	return stays;
}
