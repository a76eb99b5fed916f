/* SPDX-License-Identifier: MIT */
#include "vgpu/pci/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/eventfd.h"
#include "base/log.h"
#include "base/memfd.h"
#include "base/util.h"
#include "vgpu/pci/config_space.h"
#include "vgpu/pci/dma_map.h"

struct bw_pci {
	struct bw_profile profile; /* with the VRAM that the options ask for */
	struct bw_device_options device_options;
	struct bw_device *dev;
	int vram_fd;
	struct bw_config_space config;
	struct bw_dma_map dma;
	/* descriptors of guest memory, by range of dma: a device made anew gets them again */
	struct BW_VEC(struct memory) memory;

	pthread_mutex_t irq_lock;  /* leaf */
	int irq_fd[BW_VFU_N_IRQS]; /* -1: the client does not listen */
	struct bw_eventfd_raiser raiser;
};

struct memory {
	uint64_t address, size_b, offset_b;
	int fd;
};

/* --- the device --- */

/* MSI where the guest has enabled it, else INTx. The driver that gets it asks the device's
 * registers. */
static void interrupt(void *cookie)
{
	struct bw_pci *p = cookie;
	pthread_mutex_lock(&p->irq_lock);
	int fd = p->irq_fd[BW_VFU_MSI] >= 0 ? p->irq_fd[BW_VFU_MSI] : p->irq_fd[BW_VFU_INTX];
	int e = fd >= 0 ? bw_eventfd_raise(&p->raiser, fd) : 0;
	if (e)
		BW_LOG(WARN, "pci", "the interrupt cannot be delivered: %s", strerror(e));
	pthread_mutex_unlock(&p->irq_lock);
}

/* A device in its reset state, on the VRAM and the guest memory that there are. */
static struct bw_error *start_device(struct bw_pci *p)
{
	BW_TRY(bw_device_create(&p->profile, &p->device_options, interrupt, p, &p->dev));
	BW_TRY(bw_device_vram_attach(p->dev, 0, p->profile.vram_size_b, p->vram_fd, 0));
	bw_vec_each(&p->memory, m)
		BW_TRY(bw_device_sysmem_attach(p->dev, m->address, m->size_b, m->fd, m->offset_b));
	bw_device_put_tables(p->dev);
	return NULL;
}

static struct bw_error *make_vram(struct bw_pci *p)
{
	p->vram_fd = bw_memfd_sealed("breakwater-vram", p->profile.vram_size_b);
	if (p->vram_fd < 0)
		return bw_error_errno(errno, "making VRAM of %" PRIu64 " MiB",
				      p->profile.vram_size_b >> 20);
	return NULL;
}

struct bw_error *bw_pci_create(const struct bw_profile *profile,
			       const struct bw_pci_options *options, struct bw_pci **out)
{
	uint64_t vram_b = options->vram_size_b;
	if (vram_b < BW_PCI_VRAM_MIN_B || vram_b > BW_PCI_VRAM_MAX_B || vram_b & (vram_b - 1))
		return bw_errorf(
			BW_E_INVALID,
			"VRAM of a PCI device is a power of two from %llu to %llu MiB, not "
			"%" PRIu64,
			BW_PCI_VRAM_MIN_B >> 20, BW_PCI_VRAM_MAX_B >> 20, vram_b >> 20);
	struct bw_pci *p = calloc(1, sizeof(*p));
	if (!p)
		return bw_error_nomem();
	p->profile = *profile;
	p->profile.vram_size_b = vram_b;
	p->device_options = options->device;
	p->device_options.foreign_driver = true;
	p->vram_fd = -1;
	for (unsigned i = 0; i < BW_VFU_N_IRQS; i++)
		p->irq_fd[i] = -1;
	pthread_mutex_init(&p->irq_lock, NULL);
	bw_config_space_init(&p->config, &p->profile);
	int e = bw_eventfd_raiser_init(&p->raiser);
	struct bw_error *err =
		e ? bw_error_errno(e, "interrupts need asynchronous I/O") : make_vram(p);
	if (!err)
		err = start_device(p);
	if (err)
		bw_pci_destroy(p);
	else
		*out = p;
	return err;
}

void bw_pci_destroy(struct bw_pci *p)
{
	if (!p)
		return;
	bw_device_destroy(p->dev);
	bw_vec_each(&p->memory, m)
		close(m->fd);
	bw_vec_free(&p->memory);
	bw_vec_free(&p->dma);
	for (unsigned i = 0; i < BW_VFU_N_IRQS; i++)
		if (p->irq_fd[i] >= 0)
			close(p->irq_fd[i]);
	bw_eventfd_raiser_fini(&p->raiser);
	if (p->vram_fd >= 0)
		close(p->vram_fd);
	pthread_mutex_destroy(&p->irq_lock);
	free(p);
}

struct bw_device *bw_pci_device(struct bw_pci *p)
{
	return p->dev;
}

static int reset(struct bw_pci *p)
{
	bw_device_destroy(p->dev);
	p->dev = NULL;
	bw_config_space_init(&p->config, &p->profile);
	_cleanup_error_ struct bw_error *err = start_device(p);
	if (!err)
		return 0;
	BW_LOG(ERROR, "pci", "the device cannot be reset: %s", err->message);
	bw_device_destroy(p->dev);
	p->dev = NULL;
	return EIO;
}

/* --- guest memory --- */

/* Memory is usable if the device can write and reach it; a ROM, a hole or an address beyond its
 * reach is not. */
static bool usable(const struct bw_pci *p, const struct bw_vfu_request *r, int fd)
{
	uint64_t space_b = p->profile.sysmem_size_b;
	return fd >= 0 && r->map.flags & BW_VFU_MAP_WRITE &&
	       !((r->map.address | r->map.size_b | r->map.offset_b) % 4096) &&
	       r->map.address < space_b && r->map.size_b <= space_b - r->map.address;
}

static int map(struct bw_pci *p, const struct bw_vfu_request *r, int fd)
{
	struct bw_dma_range range = {r->map.address, r->map.size_b, usable(p, r, fd)};
	struct memory m = {r->map.address, r->map.size_b, r->map.offset_b, fd};
	struct bw_dma_range ignored;
	int e = bw_dma_map_add(&p->dma, &range);
	if (e || !range.is_memory) {
		if (fd >= 0)
			close(fd);
		return e;
	}
	_cleanup_error_ struct bw_error *err = bw_vec_reserve(&p->memory, p->memory.len + 1);
	if (!err)
		err = bw_device_sysmem_attach(p->dev, m.address, m.size_b, fd, m.offset_b);
	if (!err) {
		p->memory.data[p->memory.len++] = m;
		return 0;
	}
	BW_LOG(ERROR, "pci", "guest memory at 0x%" PRIx64 " cannot be used: %s", m.address,
	       err->message);
	bw_dma_map_remove(&p->dma, m.address, m.size_b, &ignored);
	close(fd);
	return EINVAL;
}

static int unmap(struct bw_pci *p, const struct bw_vfu_request *r)
{
	struct bw_dma_range range;
	int e = bw_dma_map_remove(&p->dma, r->unmap.address, r->unmap.size_b, &range);
	if (e || !range.is_memory)
		return e;
	for (size_t i = 0; i < p->memory.len; i++) {
		if (p->memory.data[i].address != range.address)
			continue;
		close(p->memory.data[i].fd);
		bw_vec_remove(&p->memory, i);
		break;
	}
	/* No access may use a translation of it after the reply. */
	if (bw_device_sysmem_detach(p->dev, range.address, range.size_b))
		return 0;
	BW_LOG(ERROR, "pci", "guest memory at 0x%" PRIx64 " stays mapped", range.address);
	return 0;
}

/* --- interrupts --- */

static int set_irqs(struct bw_pci *p, const struct bw_vfu_request *r, const int *fds, size_t n_fds)
{
	uint32_t action = r->irqs.flags & ~7u, data = r->irqs.flags & 7;
	int fd = -1;
	if (n_fds && (action != BW_VFU_SET_TRIGGER || n_fds > 1)) {
		for (size_t i = 0; i < n_fds; i++)
			close(fds[i]);
		return EINVAL;
	}
	if (n_fds)
		fd = fds[0];
	if (r->irqs.start || r->irqs.count > 1) {
		if (fd >= 0)
			close(fd);
		return EINVAL;
	}
	/* QEMU masks in the guest's stead; a loop-back test of the client changes nothing
	 * either. */
	bool sets = action == BW_VFU_SET_TRIGGER &&
		    (data == BW_VFU_SET_EVENTFD || (data == BW_VFU_SET_NONE && !r->irqs.count));
	if (!sets)
		return 0;
	if (fd >= 0 && !bw_is_eventfd(fd)) {
		close(fd);
		return EINVAL;
	}
	pthread_mutex_lock(&p->irq_lock);
	int old = p->irq_fd[r->irqs.index];
	p->irq_fd[r->irqs.index] = fd;
	pthread_mutex_unlock(&p->irq_lock);
	if (old >= 0)
		close(old);
	return 0;
}

/* --- regions --- */

static uint64_t region_size_b(const struct bw_pci *p, uint32_t region)
{
	switch (region) {
	case BW_VFU_BAR0:
		return p->profile.vram_size_b;
	case BW_VFU_BAR2:
		return BW_PCI_DOORBELLS_B;
	case BW_VFU_BAR5:
		return BW_PCI_REGISTERS_B;
	case BW_VFU_CONFIG:
		return BW_CONFIG_SPACE_B;
	default:
		return 0;
	}
}

static int read_registers(struct bw_pci *p, uint64_t offset_b, uint8_t *data, uint32_t size_b)
{
	if (offset_b % 4 || size_b % 4)
		return EINVAL;
	for (uint32_t i = 0; i < size_b; i += 4) {
		uint32_t v = bw_device_driver_read(p->dev, (uint32_t)(offset_b + i) / 4);
		memcpy(data + i, &v, 4);
	}
	return 0;
}

static int write_registers(struct bw_pci *p, uint64_t offset_b, const uint8_t *data,
			   uint32_t size_b)
{
	if (offset_b % 4 || size_b % 4)
		return EINVAL;
	for (uint32_t i = 0; i < size_b; i += 4) {
		uint32_t v;
		memcpy(&v, data + i, 4);
		bw_device_driver_write(p->dev, (uint32_t)(offset_b + i) / 4, v);
	}
	return 0;
}

/* Eight bytes for the rings, four for the interrupt ring. */
static int write_doorbell(struct bw_pci *p, uint64_t offset_b, const uint8_t *data, uint32_t size_b)
{
	uint64_t v = 0;
	if (offset_b % 4 || (size_b != 4 && size_b != 8))
		return EINVAL;
	memcpy(&v, data, size_b);
	bw_device_doorbell(p->dev, (uint32_t)(offset_b / 4), v);
	return 0;
}

static int access_region(struct bw_pci *p, const struct bw_vfu_request *r, uint8_t *out)
{
	uint64_t offset_b = r->access.offset_b, space_b = region_size_b(p, r->access.region);
	uint32_t size_b = r->access.size_b;
	const uint8_t *in = r->access.data;
	if (offset_b > space_b || size_b > space_b - offset_b)
		return EINVAL;
	switch (r->access.region) {
	case BW_VFU_BAR0: /* a client that does not map it */
		if (in)
			memcpy(bw_device_vram(p->dev) + offset_b, in, size_b);
		else
			memcpy(out, bw_device_vram(p->dev) + offset_b, size_b);
		return 0;
	case BW_VFU_BAR2:
		if (in)
			return write_doorbell(p, offset_b, in, size_b);
		memset(out, 0, size_b); /* doorbells read as nothing */
		return 0;
	case BW_VFU_BAR5:
		return in ? write_registers(p, offset_b, in, size_b)
			  : read_registers(p, offset_b, out, size_b);
	default:
		if (in)
			bw_config_space_write(&p->config, (uint32_t)offset_b, in, size_b);
		else
			memcpy(out, p->config.bytes + offset_b, size_b);
		return 0;
	}
}

static void describe_region(struct bw_pci *p, uint32_t index, struct bw_vfu_reply *reply)
{
	uint64_t size_b = region_size_b(p, index);
	uint32_t flags = size_b ? BW_VFU_REGION_MAY_READ | BW_VFU_REGION_MAY_WRITE : 0;
	if (index == BW_VFU_BAR0)
		flags |= BW_VFU_REGION_MAY_MAP;
	bw_vfu_reply_region(reply, index, flags, size_b);
	if (index == BW_VFU_BAR0)
		reply->fd = p->vram_fd;
}

/* --- messages --- */

static int carry_out(struct bw_pci *p, const struct bw_vfu_request *r, const int *fds, size_t n_fds,
		     struct bw_vfu_reply *reply)
{
	bool wired;
	if (!p->dev && r->command != BW_VFU_RESET)
		return EIO;
	switch (r->command) {
	case BW_VFU_VERSION:
		if (r->version.major != 0)
			return ENOTSUP;
		bw_vfu_reply_version(reply);
		return 0;
	case BW_VFU_DMA_MAP:
		return map(p, r, n_fds ? fds[0] : -1);
	case BW_VFU_DMA_UNMAP:
		bw_vfu_reply_unmap(reply, r->unmap.address, r->unmap.size_b);
		return unmap(p, r);
	case BW_VFU_GET_INFO:
		bw_vfu_reply_info(reply);
		return 0;
	case BW_VFU_GET_REGION_INFO:
		describe_region(p, r->index, reply);
		return 0;
	case BW_VFU_GET_IRQ_INFO:
		wired = r->index == BW_VFU_INTX || r->index == BW_VFU_MSI;
		bw_vfu_reply_irq(reply, r->index,
				 BW_VFU_IRQ_EVENTFD |
					 (wired ? BW_VFU_IRQ_MASKABLE | BW_VFU_IRQ_AUTOMASKED : 0u),
				 wired);
		return 0;
	case BW_VFU_SET_IRQS:
		return set_irqs(p, r, fds, n_fds);
	case BW_VFU_REGION_READ:
		return access_region(p, r, bw_vfu_reply_access(reply, r));
	case BW_VFU_REGION_WRITE:
		bw_vfu_reply_access(reply, r);
		return access_region(p, r, NULL);
	case BW_VFU_RESET:
		return reset(p);
	}
	return ENOTSUP;
}

bool bw_pci_message(struct bw_pci *p, const struct bw_vfu_header *h, const uint8_t *body,
		    const int *fds, size_t n_fds, struct bw_vfu_reply *reply)
{
	struct bw_vfu_request r;
	bw_vfu_reply_begin(reply, h);
	int e = bw_vfu_parse(h, body, n_fds, &r);
	bool takes_fds =
		!e && (r.command == BW_VFU_DMA_MAP || r.command == BW_VFU_SET_IRQS) && p->dev;
	if (!e)
		e = carry_out(p, &r, fds, n_fds, reply);
	if (!takes_fds)
		for (size_t i = 0; i < n_fds; i++)
			close(fds[i]);
	if (e)
		BW_LOG(WARN, "pci", "vfio-user command %u of %u bytes is refused: %s", h->command,
		       h->size_b, strerror(e));
	bw_vfu_reply_end(reply, e);
	return !(h->flags & BW_VFU_NO_REPLY);
}
