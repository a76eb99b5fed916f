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
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/str.h"
#include "vgpu/device/vbios.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/tree_maker.h"
#include "vgpu/uapi/uapi_priv.h"

enum { SYSFS_FILE_B = 4096 };

static bool full_path(struct bw_tree_maker *m, const char *path, char out[512])
{
	int n = snprintf(out, 512, "%s/%s", m->root, path);
	if (n < 512)
		return true;
	m->err = bw_errorf(BW_E_INVALID, "path %s/%s is too long", m->root, path);
	return false;
}

/* Makes all folders on the way to `path`, but not `path`. Most paths lie beside the one before. */
static void make_parents(struct bw_tree_maker *m, const char *path)
{
	char full[512];
	if (m->err || !full_path(m, path, full))
		return;
	const size_t parent_len = (size_t)(strrchr(full, '/') - full);
	if (parent_len == m->made_len && !memcmp(full, m->made, parent_len))
		return;
	memcpy(m->made, full, parent_len);
	m->made_len = parent_len;
	for (char *slash = full + strlen(m->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(full, 0755) < 0 && errno != EEXIST) {
			m->err = bw_error_errno(errno, "cannot make the folder %s", full);
			return;
		}
		*slash = '/';
	}
}

/* A file that opens by way of the server; here it has its mode, its size and nothing in it. */
static void live_file(struct bw_tree_maker *m, const char *path, const struct bw_file_row *row,
		      uint64_t size_b)
{
	char full[512];
	make_parents(m, path);
	if (m->err || !full_path(m, path, full))
		return;
	mode_t mode = row->mode | BW_TREE_LIVE;
	if (row->ops != &bw_text_ops)
		mode |= BW_TREE_POSITIONED;
	_cleanup_close_ int fd = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size_b) < 0 || fchmod(fd, mode) < 0)
		m->err = bw_error_errno(errno, "cannot make %s", full);
}

void bw_tree_file(struct bw_tree_maker *m, const char *path, const char *fmt, ...)
{
	char full[512], text[2048];
	make_parents(m, path);
	if (m->err || !full_path(m, path, full))
		return;
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if ((size_t)n >= sizeof(text)) {
		m->err = bw_errorf(BW_E_INVALID, "the text of %s is too long", full);
		return;
	}
	_cleanup_close_ int fd = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)n) != n || fchmod(fd, 0444) < 0)
		m->err = bw_error_errno(errno, "cannot write %s", full);
}

void bw_tree_folder(struct bw_tree_maker *m, const char *path)
{
	char with_slash[512];
	snprintf(with_slash, sizeof(with_slash), "%.510s/", path);
	make_parents(m, with_slash);
}

void bw_tree_link(struct bw_tree_maker *m, const char *path, const char *target)
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

/* The link of a folder two below the PCI function's. Linux's sysfs names the function in it,
 * although "../.." would lead there too, and programs take the PCI address from the link's end. */
static void link_to_device(struct bw_tree_maker *m, const char *pci_dir, const char *folder)
{
	char at[256], target[64];
	snprintf(target, sizeof(target), "../../../%.31s", strrchr(pci_dir, '/') + 1);
	bw_tree_link(m, AT("%.240s/device", folder), target);
}

/* The file that stands for a device node that everyone may open. */
static void device_node(struct bw_tree_maker *m, const char *path)
{
	char full[512];
	bw_tree_file(m, path, "%s", "");
	if (!m->err && full_path(m, path, full) && chmod(full, 0666) < 0)
		m->err = bw_error_errno(errno, "cannot set the access rights of %s", full);
}

static void minor(struct bw_tree_maker *m, const char *pci_dir, const char *kind, unsigned number)
{
	char at[256], node[24];
	snprintf(node, sizeof(node), "%s%u", kind, number);
	device_node(m, AT("dev/dri/%s", node));
	bw_tree_file(m, AT("%s/drm/%s/dev", pci_dir, node), "226:%u\n", number);
	bw_tree_file(m, AT("%s/drm/%s/uevent", pci_dir, node),
		     "MAJOR=226\nMINOR=%u\nDEVNAME=dri/%s\nDEVTYPE=drm_minor\n", number, node);
	snprintf(at, sizeof(at), "%s/drm/%s", pci_dir, node);
	link_to_device(m, pci_dir, at);
	bw_tree_link(m, AT("%s/drm/%s/subsystem", pci_dir, node), "../../../../../../class/drm");
	char target[256];
	snprintf(target, sizeof(target), "../../%s/drm/%s", pci_dir + strlen("sys/"), node);
	bw_tree_link(m, AT("sys/class/drm/%s", node), target);
	bw_tree_link(m, AT("sys/dev/char/226:%u", number), target);
}

/* hw_id_names of amdgpu_discovery.c, where VCN has the name of UVD, whose id it took over */
static const char *ip_name(unsigned hw_id)
{
	static const struct {
		uint16_t hw_id;
		const char *name;
	} names[] = {{1, "MP1"},     {3, "THM"},    {4, "SMUIO"},  {5, "FUSE"},
		     {11, "GC"},     {12, "UVD"},   {34, "MMHUB"}, {35, "ATHUB"},
		     {40, "OSSSYS"}, {41, "HDP"},   {42, "SDMA0"}, {43, "SDMA1"},
		     {46, "DF"},     {91, "LSDMA"}, {108, "NBIF"}, {255, "MP0"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (names[i].hw_id == hw_id)
			return names[i].name;
	return NULL;
}

/* One IP block of the discovery tree. Hardware ids: soc15_hw_ip.h. */
static void ip_block(struct bw_tree_maker *m, const char *pci_dir, const struct bw_profile *p,
		     const struct bw_profile_ip *ip)
{
	char at[256], dir[200], id[16], bases[128] = "";
	const struct bw_profile_block *b = ip->block ? bw_profile_block(p, ip->block) : NULL;
	const uint32_t *base = b ? b->segment : ip->base;
	uint32_t version = b ? b->version : ip->version;
	for (unsigned i = 0; i < ip->n_bases; i++)
		snprintf(bases + strlen(bases), sizeof(bases) - strlen(bases), "0x%08X\n", base[i]);
	snprintf(dir, sizeof(dir), "%s/ip_discovery/die/0/%u/%u", pci_dir, ip->hw_id, ip->instance);
	bw_tree_file(m, AT("%s/hw_id", dir), "%u\n", ip->hw_id);
	bw_tree_file(m, AT("%s/num_instance", dir), "%u\n", ip->instance);
	bw_tree_file(m, AT("%s/major", dir), "%u\n", bw_ip_major(version));
	bw_tree_file(m, AT("%s/minor", dir), "%u\n", bw_ip_minor(version));
	bw_tree_file(m, AT("%s/revision", dir), "%u\n", bw_ip_revision(version));
	bw_tree_file(m, AT("%s/harvest", dir), "0x%01X\n", 0);
	bw_tree_file(m, AT("%s/num_base_addresses", dir), "%u\n", ip->n_bases);
	bw_tree_file(m, AT("%s/base_addr", dir), "%s", bases);
	snprintf(id, sizeof(id), "%u", ip->hw_id);
	const char *name = ip_name(ip->hw_id);
	if (name && !ip->instance)
		bw_tree_link(m, AT("%s/ip_discovery/die/0/%s", pci_dir, name), id);
}

/* The hardware monitor: what never changes in it. Bounds are those of the model (sensors.c). */
static void hwmon(struct bw_tree_maker *m, const char *pci_dir)
{
	static const char *const texts[][2] = {{"name", "amdgpu"},
					       {"temp1_label", "edge"},
					       {"temp1_crit", "100000"},
					       {"temp1_crit_hyst", "-273150"},
					       {"temp1_emergency", "105000"},
					       {"in0_label", "vddgfx"},
					       {"power1_label", "PPT"},
					       {"freq1_label", "sclk"},
					       {"freq2_label", "mclk"}};
	char at[256];
	for (size_t i = 0; i < BW_ARRAY_SIZE(texts); i++)
		bw_tree_file(m, AT("%s/" BW_TREE_HWMON "/%s", pci_dir, texts[i][0]), "%s\n",
			     texts[i][1]);
	snprintf(at, sizeof(at), "%s/" BW_TREE_HWMON, pci_dir);
	link_to_device(m, pci_dir, at);
	bw_tree_link(m, AT("%s/" BW_TREE_HWMON "/subsystem", pci_dir),
		     "../../../../../../class/hwmon");
	char target[256];
	snprintf(target, sizeof(target), "../../%s/" BW_TREE_HWMON, pci_dir + strlen("sys/"));
	bw_tree_link(m, "sys/class/hwmon/hwmon0", target);
}

static void live_files(struct bw_tree_maker *m, const struct bw_profile *p, const char *pci_dir,
		       unsigned node)
{
	char at[256];
	size_t n;
	const struct bw_file_row *rows = bw_sysfs_rows(&n);
	for (size_t i = 0; i < n; i++)
		live_file(m, AT("%s/%s", pci_dir, rows[i].name), &rows[i], SYSFS_FILE_B);
	rows = bw_debugfs_rows(&n);
	for (size_t i = 0; i < n; i++)
		live_file(m, AT("sys/kernel/debug/dri/%s/%s", p->pci_address, rows[i].name),
			  &rows[i], bw_debugfs_size(p, &rows[i]));
	bw_tree_link(m, AT("sys/kernel/debug/dri/%u", node), p->pci_address);
	bw_tree_link(m, AT("sys/kernel/debug/dri/%u", node + BW_TREE_RENDER), p->pci_address);
}

static void pci_device(struct bw_tree_maker *m, const struct bw_profile *p, const char *dir,
		       unsigned node)
{
	char at[256];
	bw_tree_file(
		m, AT("%s/uevent", dir),
		"DRIVER=amdgpu\nPCI_CLASS=%X\nPCI_ID=1002:%04X\nPCI_SUBSYS_ID=1002:%04X\nPCI_SLOT_"
		"NAME=%s\n"
		"MODALIAS=pci:v00001002d%08Xsv00001002sd%08Xbc%02Xsc%02Xi%02X\n",
		p->pci_class, p->pci_device, p->pci_subdevice, p->pci_address, p->pci_device,
		p->pci_subdevice, p->pci_class >> 16, p->pci_class >> 8 & 0xff,
		p->pci_class & 0xff);
	bw_tree_file(m, AT("%s/vendor", dir), "0x1002\n");
	bw_tree_file(m, AT("%s/device", dir), "0x%04x\n", p->pci_device);
	bw_tree_file(m, AT("%s/subsystem_vendor", dir), "0x1002\n");
	bw_tree_file(m, AT("%s/subsystem_device", dir), "0x%04x\n", p->pci_subdevice);
	bw_tree_file(m, AT("%s/revision", dir), "0x%02x\n", p->pci_revision);
	bw_tree_file(m, AT("%s/class", dir), "0x%06x\n", p->pci_class);
	bw_tree_file(m, AT("%s/vbios_version", dir), BW_VBIOS_PART_NUMBER "\n", p->name);
	bw_tree_file(m, AT("%s/product_name", dir), "%s\n", p->marketing_name);
	bw_tree_link(m, AT("%s/subsystem", dir), "../../../../bus/pci");
	bw_tree_link(m, AT("%s/driver", dir), "../../../../bus/pci/drivers/amdgpu");
	bw_tree_file(m, AT("%s/ip_discovery/die/0/num_ips", dir), "%zu\n", p->n_ips);
	for (size_t i = 0; i < p->n_ips; i++)
		ip_block(m, dir, p, &p->ips[i]);
	hwmon(m, dir);
	live_files(m, p, dir, node);
}

void bw_tree_take_out(const char *root, const char *path)
{
	struct bw_tree_maker m = {.root = root};
	char full[512];
	if (!full_path(&m, path, full))
		bw_error_free(m.err);
	else if (unlink(full) < 0 && errno == EISDIR)
		bw_folder_remove_tree(full);
}

struct bw_error *bw_tree_plug(const struct bw_profile *profile, const char *root, unsigned node)
{
	struct bw_tree_maker m = {.root = root};
	char dir[128], at[256], target[200];
	snprintf(dir, sizeof(dir), BW_TREE_PCI_ROOT "/%s", profile->pci_address);
	pci_device(&m, profile, dir, node);
	minor(&m, dir, "card", node);
	minor(&m, dir, "renderD", node + BW_TREE_RENDER);
	snprintf(target, sizeof(target), "../../../devices/pci0000:00/0000:00:01.0/%s",
		 profile->pci_address);
	bw_tree_link(&m, AT("sys/bus/pci/devices/%s", profile->pci_address), target);
	snprintf(target, sizeof(target), "../../../../devices/pci0000:00/0000:00:01.0/%s",
		 profile->pci_address);
	bw_tree_link(&m, AT("sys/bus/pci/drivers/amdgpu/%s", profile->pci_address), target);
	return m.err;
}

void bw_tree_unplug(const struct bw_profile *profile, const char *root, unsigned node)
{
	char at[256];
	const char *pci = profile->pci_address;
	unsigned render = node + BW_TREE_RENDER;
	/* links before what they lead to */
	bw_tree_take_out(root, AT("dev/dri/card%u", node));
	bw_tree_take_out(root, AT("dev/dri/renderD%u", render));
	bw_tree_take_out(root, AT("sys/dev/char/226:%u", node));
	bw_tree_take_out(root, AT("sys/dev/char/226:%u", render));
	bw_tree_take_out(root, AT("sys/class/drm/card%u", node));
	bw_tree_take_out(root, AT("sys/class/drm/renderD%u", render));
	bw_tree_take_out(root, "sys/class/hwmon/hwmon0");
	bw_tree_take_out(root, AT("sys/kernel/debug/dri/%u", node));
	bw_tree_take_out(root, AT("sys/kernel/debug/dri/%u", render));
	bw_tree_take_out(root, AT("sys/kernel/debug/dri/%s", pci));
	bw_tree_take_out(root, AT("sys/bus/pci/devices/%s", pci));
	bw_tree_take_out(root, AT("sys/bus/pci/drivers/amdgpu/%s", pci));
	bw_tree_take_out(root, AT(BW_TREE_PCI_ROOT "/%s", pci));
}

struct bw_error *bw_tree_make(const struct bw_profile *profile, const char *root)
{
	const struct bw_file_row rescan = {"rescan", 0200, &bw_pci_rescan_ops, NULL, 0};
	struct bw_tree_maker m = {.root = root};
	char at[256];
	size_t n;
	if (mkdir(root, 0700) < 0 && errno != EEXIST)
		return bw_error_errno(errno, "cannot make the folder %s", root);
	device_node(&m, "dev/kfd");
	bw_tree_file(&m, "sys/module/amdgpu/initstate", "live\n");
	bw_tree_file(&m, "sys/module/amdgpu/parameters/lockup_timeout", "\n");
	bw_tree_file(&m, "sys/module/amdgpu/parameters/gpu_recovery", "-1\n");
	live_file(&m, BW_TREE_RESCAN, &rescan, SYSFS_FILE_B);
	const struct bw_file_row *sync = bw_sync_rows(&n);
	for (size_t i = 0; i < n; i++)
		live_file(&m, AT(BW_TREE_SYNC "/%s", sync[i].name), &sync[i], 0);
	return m.err ? m.err : bw_tree_plug(profile, root, 0);
}
