/* SPDX-License-Identifier: MIT */
#include "vgpu/device/device_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memfd.h"
#include "base/util.h"
#include "vgpu/device/discovery.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/device/vbios.h"

/* VRAM and the bus are each one reserved range of the host's address space: an access that passes
 * bounds checking can never hit anything else, whatever is attached or taken away meanwhile. */
static struct bw_error *reserve(uint64_t size_b, const char *what, uint8_t **out)
{
	void *p = mmap(NULL, size_b, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return bw_error_errno(errno, "reserving %" PRIu64 " MiB of address space for %s",
				      size_b >> 20, what);
	madvise(p, size_b, MADV_DONTDUMP);
	*out = p;
	return NULL;
}

struct bw_error *bw_memory_init(struct bw_device *dev)
{
	struct bw_memory *m = &dev->memory;
	const struct bw_profile *p = dev->profile;
	pthread_mutex_init(&m->lock, NULL);
	m->sysmem_attached = calloc(p->sysmem_size_b / BW_PAGE_B / 64 + 1, sizeof(uint64_t));
	if (!m->sysmem_attached)
		return bw_error_nomem();
	BW_TRY(reserve(p->vram_size_b, "VRAM", &m->vram));
	return reserve(p->sysmem_size_b, "system memory", &m->sysmem);
}

void bw_memory_fini(struct bw_device *dev)
{
	struct bw_memory *m = &dev->memory;
	if (m->vram)
		munmap(m->vram, dev->profile->vram_size_b);
	if (m->sysmem)
		munmap(m->sysmem, dev->profile->sysmem_size_b);
	free(m->sysmem_attached);
	pthread_mutex_destroy(&m->lock);
}

/* VRAM or system memory, as a range of this process. */
struct space {
	const char *name;
	uint8_t *host;
	uint64_t size_b;
	struct bw_check *check;
};

static struct space vram_of(struct bw_device *dev)
{
	return (struct space){"VRAM", dev->memory.vram, dev->profile->vram_size_b, dev->check};
}

static struct space sysmem_of(struct bw_device *dev)
{
	return (struct space){"system memory", dev->memory.sysmem, dev->profile->sysmem_size_b,
			      dev->check};
}

static struct bw_error *attach(struct space s, uint64_t at, uint64_t size_b, int fd,
			       uint64_t fd_offset_b)
{
	if ((at | size_b | fd_offset_b) % BW_PAGE_B || size_b == 0 || at > s.size_b ||
	    size_b > s.size_b - at)
		return bw_errorf(BW_E_INVALID,
				 "%s 0x%" PRIx64 " + 0x%" PRIx64 " cannot be attached", s.name, at,
				 size_b);
	uint64_t end;
	if (__builtin_add_overflow(fd_offset_b, size_b, &end))
		return bw_errorf(BW_E_INVALID, "memory for %s has no such place", s.name);
	BW_TRY(bw_memfd_check(fd, end, s.name));
	void *p = mmap(s.host + at, size_b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		       (off_t)fd_offset_b);
	if (p == MAP_FAILED)
		return bw_error_errno(errno, "attaching memory to %s", s.name);
	bw_writers_forget(s.check, s.host + at, size_b);
	return NULL;
}

static bool detach(struct space s, uint64_t at, uint64_t size_b)
{
	if ((at | size_b) % BW_PAGE_B || size_b == 0 || at > s.size_b || size_b > s.size_b - at)
		return true;
	/* MAP_FIXED replaces the pages in one step, so that a thread with a stale translation reads
	 * zeros and meets no hole. It fails at the process's limit of mappings or memory, and then
	 * changes nothing. */
	void *p = mmap(s.host + at, size_b, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (p == MAP_FAILED)
		return false;
	madvise(p, size_b, MADV_DONTDUMP); /* with the flags of its neighbours, so that they become
					    * one mapping */
	return true;
}

uint8_t *bw_device_vram(struct bw_device *dev)
{
	return dev->memory.vram;
}

void bw_device_put_tables(struct bw_device *dev)
{
	const struct bw_profile *p = dev->profile;
	uint8_t *vram = bw_device_vram(dev);
	struct bw_discovery_gc gc;
	bw_vbios_make(p, vram);
	bw_discovery_gc_of(p, &gc);
	bw_discovery_make(p, &gc, vram + p->vram_size_b - BW_DISCOVERY_FROM_END_B);
}

struct bw_error *bw_device_vram_attach(struct bw_device *dev, uint64_t offset_b, uint64_t size_b,
				       int fd, uint64_t fd_offset_b)
{
	return attach(vram_of(dev), offset_b, size_b, fd, fd_offset_b);
}

bool bw_device_vram_detach(struct bw_device *dev, uint64_t offset_b, uint64_t size_b)
{
	return detach(vram_of(dev), offset_b, size_b);
}

static void mark(struct bw_memory *m, uint64_t bus, uint64_t size_b, bool attached)
{
	pthread_mutex_lock(&m->lock);
	for (uint64_t page = bus / BW_PAGE_B; page < (bus + size_b) / BW_PAGE_B; page++) {
		uint64_t bit = 1ull << page % 64;
		if (attached)
			__atomic_fetch_or(&m->sysmem_attached[page / 64], bit, __ATOMIC_RELEASE);
		else
			__atomic_fetch_and(&m->sysmem_attached[page / 64], ~bit, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&m->lock);
}

struct bw_error *bw_device_sysmem_attach(struct bw_device *dev, uint64_t bus, uint64_t size_b,
					 int fd, uint64_t fd_offset_b)
{
	BW_TRY(attach(sysmem_of(dev), bus, size_b, fd, fd_offset_b));
	mark(&dev->memory, bus, size_b, true);
	return NULL;
}

bool bw_device_sysmem_detach(struct bw_device *dev, uint64_t bus, uint64_t size_b)
{
	uint64_t space_b = dev->profile->sysmem_size_b;
	if ((bus | size_b) % BW_PAGE_B || bus > space_b || size_b > space_b - bus)
		return true;
	mark(&dev->memory, bus, size_b, false);
	return detach(sysmem_of(dev), bus, size_b);
}

uint8_t *bw_device_sysmem(struct bw_device *dev, uint64_t bus, uint64_t size_b)
{
	uint64_t space_b = dev->profile->sysmem_size_b;
	if (bus > space_b || size_b > space_b - bus)
		return NULL;
	for (uint64_t page = bus / BW_PAGE_B; page * BW_PAGE_B < bus + size_b; page++) {
		uint64_t word =
			__atomic_load_n(&dev->memory.sysmem_attached[page / 64], __ATOMIC_ACQUIRE);
		if (!(word >> page % 64 & 1))
			return NULL;
	}
	return dev->memory.sysmem + bus;
}

uint8_t *bw_memory_host(struct bw_device *dev, bool system, uint64_t address, uint64_t size_b)
{
	if (system)
		return bw_device_sysmem(dev, address, size_b);
	uint64_t space_b = dev->profile->vram_size_b;
	if (address > space_b || size_b > space_b - address)
		return NULL;
	return dev->memory.vram + address;
}
