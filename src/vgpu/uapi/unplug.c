/* SPDX-License-Identifier: MIT */
/* The PCI function goes and comes back: "echo 1 > remove" in its folder of sysfs, "echo 1 >
 * /sys/bus/pci/rescan" (amdgpu_pci_remove, drm_dev_unplug and pci-sysfs.c of Linux 6.12). Open
 * files stay open and answer -ENODEV; jobs end; nodes and files are gone from the tree until the
 * bus is scanned again. Unlike on Linux, mappings of buffers keep their pages. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/kfd.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

/* Parses written data like kstrtoul; out_set: it is not 0; false: it is not a number */
static bool is_number(const void *data, size_t size_b, bool *out_set)
{
	char text[24] = "";
	uint64_t value;
	if (!size_b || size_b >= sizeof(text))
		return false;
	memcpy(text, data, size_b);
	if (text[size_b - 1] == '\n')
		text[size_b - 1] = '\0';
	if (!bw_parse_u64(text, &value))
		return false;
	*out_set = value;
	return true;
}

bool bw_drm_file_gone(const struct bw_drm_file *f)
{
	return f->n_unplugged != atomic_load(&f->u->n_unplugged);
}

static void take_away(struct bw_uapi *u)
{
	bw_klog(u, "finishing device.");
	u->is_unplugged = true;
	atomic_fetch_add(&u->n_unplugged, 1);
	u->master = NULL;
	/* the worker cancels what waits and ends what runs, as of a program that has ended */
	bw_vec_each(&u->vms, vm) {
		(*vm)->dying = true;
		(*vm)->dying_since_ns = 0;
	}
	if (u->options.root)
		bw_tree_unplug(u->profile, u->options.root, u->node);
	if (u->options.root && u->has_kfd_tree)
		bw_kfd_tree_unplug(u->options.root);
}

/* Those who have looked at KFD's folders do not ask for them again. */
static struct bw_error *plug_kfd(struct bw_uapi *u, unsigned node)
{
	struct bw_tree_maker m = {.root = u->options.root};
	const struct bw_kfd_host host = bw_kfd_host();
	bw_kfd_tree_remove(u->options.root);
	bw_kfd_tree_make(&m, u->profile, &host, node);
	return m.err;
}

/* The card has the first number that nobody has open (drm_minor_alloc). */
static int bring_back(struct bw_uapi *u)
{
	unsigned node = 0;
	while (node < BW_DRM_MAX_NODES && u->n_open[node])
		node++;
	if (node == BW_DRM_MAX_NODES) {
		bw_klog(u, "probe with driver amdgpu failed with error %d", -ENOSPC);
		return -ENOSPC;
	}
	_cleanup_error_ struct bw_error *err =
		u->options.root ? bw_tree_plug(u->profile, u->options.root, node) : NULL;
	if (!err && u->options.root && u->has_kfd_tree)
		err = plug_kfd(u, node);
	if (err) {
		BW_LOG(ERROR, "uapi", "files of the GPU: %s", err->message);
		bw_tree_unplug(u->profile, u->options.root, node);
		return -EIO;
	}
	atomic_store(&u->node, node);
	u->is_unplugged = false;
	bw_klog(u, "initialized amdgpu on minor %u", node);
	return 0;
}

static int64_t write_plugged(struct bw_file *f, const void *data, size_t size_b, bool there)
{
	struct bw_uapi *u = f->u;
	bool set;
	int r = 0;
	if (!is_number(data, size_b, &set))
		return -EINVAL;
	pthread_mutex_lock(&u->lock);
	if (set && there && u->is_unplugged)
		r = bring_back(u);
	else if (set && !there && !u->is_unplugged)
		take_away(u);
	pthread_mutex_unlock(&u->lock);
	bw_drm_kick(u);
	return r ? r : (int64_t)size_b;
}

static int64_t remove_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	return write_plugged(f, data, size_b, false);
}

static int64_t rescan_write(struct bw_file *f, const void *data, size_t size_b, uint64_t *pos)
{
	return write_plugged(f, data, size_b, true);
}

const struct bw_file_ops bw_pci_remove_ops = {.write = remove_write};
const struct bw_file_ops bw_pci_rescan_ops = {.write = rescan_write};
