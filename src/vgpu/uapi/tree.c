/* SPDX-License-Identifier: MIT */
/* The files that programs look for below /dev and /sys, as they look with one Navi31 in the
 * machine: libdrm and Mesa's loaders find the device by them (doc/hardware/mesa.md 1.1,
 * doc/hardware/kernel-interface.md 5.3). Links are relative, so that the tree works wherever it
 * stands. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "vgpu/uapi/uapi_priv.h"

/* Where files are being made. The first failure stops everything that follows. */
struct maker {
	const char *root;
	struct bw_error *err;
};

static bool full_path(struct maker *m, const char *path, char out[512])
{
	int n = snprintf(out, 512, "%s/%s", m->root, path);
	if (n < 512)
		return true;
	m->err = bw_errorf(BW_E_INVALID, "path %s/%s is too long", m->root, path);
	return false;
}

/* All folders on the way to `path`, which is not made itself. */
static void make_parents(struct maker *m, const char *path)
{
	char full[512];
	if (m->err || !full_path(m, path, full))
		return;
	for (char *slash = full + strlen(m->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(full, 0700) < 0 && errno != EEXIST) {
			m->err = bw_error_errno(errno, "cannot make the folder %s", full);
			return;
		}
		*slash = '/';
	}
}

BW_PRINTF(3, 4) static void file(struct maker *m, const char *path, const char *fmt, ...)
{
	char full[512], text[512];
	make_parents(m, path);
	if (m->err || !full_path(m, path, full))
		return;
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	_cleanup_close_ int fd = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		m->err = bw_error_errno(errno, "cannot write %s", full);
}

static void link_to(struct maker *m, const char *path, const char *target)
{
	char full[512];
	make_parents(m, path);
	if (m->err || !full_path(m, path, full))
		return;
	if (symlink(target, full) < 0)
		m->err = bw_error_errno(errno, "cannot make the link %s", full);
}

#define AT(...)                                                                                    \
	({                                                                                         \
		snprintf(at, sizeof(at), __VA_ARGS__);                                             \
		at;                                                                                \
	})

static void minor(struct maker *m, const char *pci_dir, const char *node, unsigned number)
{
	char at[256];
	file(m, AT("dev/dri/%s", node), "%s", "");
	file(m, AT("%s/drm/%s/dev", pci_dir, node), "226:%u\n", number);
	file(m, AT("%s/drm/%s/uevent", pci_dir, node),
	     "MAJOR=226\nMINOR=%u\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", number, node);
	link_to(m, AT("%s/drm/%s/device", pci_dir, node), "../..");
	link_to(m, AT("%s/drm/%s/subsystem", pci_dir, node), "../../../../../../class/drm");
	char target[256];
	snprintf(target, sizeof(target), "../../%s/drm/%s", pci_dir + strlen("sys/"), node);
	link_to(m, AT("sys/class/drm/%s", node), target);
	link_to(m, AT("sys/dev/char/226:%u", number), target);
}

/* One IP block of the discovery tree. Hardware ids: soc15_hw_ip.h. */
static void ip_block(struct maker *m, const char *pci_dir, const char *name, unsigned hw_id,
		     const struct bw_profile_block *b)
{
	char at[256], dir[200], id[16], bases[128] = "";
	unsigned n = BW_PROFILE_SEGMENTS;
	while (n && !b->segment[n - 1])
		n--;
	for (unsigned i = 0; i < n; i++)
		snprintf(bases + strlen(bases), sizeof(bases) - strlen(bases), "0x%08X\n",
			 b->segment[i]);
	snprintf(dir, sizeof(dir), "%s/ip_discovery/die/0/%u/0", pci_dir, hw_id);
	file(m, AT("%s/hw_id", dir), "%u\n", hw_id);
	file(m, AT("%s/num_instance", dir), "0\n");
	file(m, AT("%s/major", dir), "%u\n", bw_version_major(b->version));
	file(m, AT("%s/minor", dir), "%u\n", bw_version_minor(b->version));
	file(m, AT("%s/revision", dir), "%u\n", bw_version_revision(b->version));
	file(m, AT("%s/harvest", dir), "0x%01X\n", 0);
	file(m, AT("%s/num_base_addresses", dir), "%u\n", n);
	file(m, AT("%s/base_addr", dir), "%s", bases);
	snprintf(id, sizeof(id), "%u", hw_id);
	link_to(m, AT("%s/ip_discovery/die/0/%s", pci_dir, name), id);
}

static void pci_device(struct maker *m, const struct bw_profile *p, const char *dir)
{
	char at[256];
	file(m, AT("%s/uevent", dir),
	     "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:%04X\nPCI_SUBSYS_ID=1002:%04X\nPCI_SLOT_"
	     "NAME=%s\n"
	     "MODALIAS=pci:v00001002d%08Xsv00001002sd%08Xbc03sc00i00\n",
	     p->pci_device, p->pci_subdevice, p->pci_address, p->pci_device, p->pci_subdevice);
	file(m, AT("%s/vendor", dir), "0x1002\n");
	file(m, AT("%s/device", dir), "0x%04x\n", p->pci_device);
	file(m, AT("%s/subsystem_vendor", dir), "0x1002\n");
	file(m, AT("%s/subsystem_device", dir), "0x%04x\n", p->pci_subdevice);
	file(m, AT("%s/revision", dir), "0x%02x\n", p->pci_revision);
	file(m, AT("%s/class", dir), "0x030000\n");
	file(m, AT("%s/vbios_version", dir), "BREAKWATER-VIRTUAL\n");
	file(m, AT("%s/mem_info_vram_total", dir), "%llu\n", (unsigned long long)p->vram_size_b);
	file(m, AT("%s/mem_info_vis_vram_total", dir), "%llu\n",
	     (unsigned long long)p->vram_size_b);
	file(m, AT("%s/product_name", dir), "%s\n", p->marketing_name);
	link_to(m, AT("%s/subsystem", dir), "../../../../bus/pci");
	link_to(m, AT("%s/driver", dir), "../../../../bus/pci/drivers/amdgpu");
	file(m, AT("%s/ip_discovery/die/0/num_ips", dir), "6\n");
	ip_block(m, dir, "GC", 11, &p->gc);
	ip_block(m, dir, "MMHUB", 34, &p->mmhub);
	ip_block(m, dir, "OSSSYS", 40, &p->osssys);
	ip_block(m, dir, "SDMA0", 42, &p->sdma);
	ip_block(m, dir, "SDMA1", 43, &p->sdma);
	ip_block(m, dir, "HDP", 41, &p->hdp);
}

struct bw_error *bw_tree_make(const struct bw_profile *profile, const char *root)
{
	struct maker m = {.root = root};
	char dir[128], at[256], target[200];
	if (mkdir(root, 0700) < 0 && errno != EEXIST)
		return bw_error_errno(errno, "cannot make the folder %s", root);
	snprintf(dir, sizeof(dir), "sys/devices/pci0000:00/0000:00:01.0/%s", profile->pci_address);
	pci_device(&m, profile, dir);
	minor(&m, dir, "card0", 0);
	minor(&m, dir, "renderD128", 128);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/0000:00:01.0/%s",
		 profile->pci_address);
	link_to(&m, AT("sys/bus/pci/devices/%s", profile->pci_address), target);
	snprintf(target, sizeof(target), "../../../../devices/pci0000:00/0000:00:01.0/%s",
		 profile->pci_address);
	link_to(&m, AT("sys/bus/pci/drivers/amdgpu/%s", profile->pci_address), target);
	file(&m, "sys/module/amdgpu/parameters/lockup_timeout", "\n");
	file(&m, "sys/module/amdgpu/parameters/gpu_recovery", "-1\n");
	return m.err;
}
