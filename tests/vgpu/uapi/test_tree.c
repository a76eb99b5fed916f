/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <sys/stat.h>

#include "base/folder.h"
#include "base/util.h"

static char root[64];

static char *slurp(const char *path)
{
	static char text[512];
	char full[256];
	snprintf(full, sizeof(full), "%s/%s", root, path);
	FILE *f = fopen(full, "r");
	if (!f)
		fail_msg("no %s", full);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void what_loaders_look_for(void **state)
{
	char path[256], target[256];
	struct stat st;
	assert_null(bw_tree_make(&bw_profile_navi31, root));
	/* doc/hardware/mesa.md 1.1 */
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/dev/dri/%s", root, i ? "card0" : "renderD128");
		assert_int_equal(stat(path, &st), 0);
		snprintf(path, sizeof(path), "%s/sys/dev/char/226:%d/device/drm", root,
			 i ? 0 : 128);
		assert_int_equal(stat(path, &st), 0);
		assert_true(S_ISDIR(st.st_mode));
		snprintf(path, sizeof(path), "%s/sys/dev/char/226:%d/device/subsystem", root,
			 i ? 0 : 128);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		assert_true(n > 4);
		target[n] = '\0';
		assert_string_equal(target + n - 4, "/pci");
		snprintf(path, sizeof(path), "%s/sys/dev/char/226:%d/device", root, i ? 0 : 128);
		char *real = realpath(path, NULL);
		assert_non_null(real);
		assert_non_null(strstr(real, "/" PCI));
		assert_memory_equal(real, root, strlen(root)); /* inside the tree */
		free(real);
	}
	/* as kernfs_get_target_path() of Linux 6.12 writes a link to a folder above */
	static const char *const devices[] = {"sys/class/drm/card0", "sys/class/drm/renderD128",
					      "sys/class/hwmon/hwmon0"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(devices); i++) {
		snprintf(path, sizeof(path), "%s/%s/device", root, devices[i]);
		ssize_t n = readlink(path, target, sizeof(target) - 1);
		assert_true(n > 0);
		target[n] = '\0';
		assert_string_equal(target, "../../../" PCI);
		assert_int_equal(stat(path, &st), 0);
	}
	assert_non_null(
		strstr(slurp("sys/dev/char/226:128/device/uevent"), "PCI_SLOT_NAME=" PCI "\n"));
	assert_non_null(strstr(slurp("sys/dev/char/226:128/device/uevent"), "PCI_ID=1002:744C\n"));
	assert_string_equal(slurp("sys/dev/char/226:128/device/vendor"), "0x1002\n");
	assert_string_equal(slurp("sys/dev/char/226:128/device/device"), "0x744c\n");
	assert_string_equal(slurp("sys/class/drm/card0/device/subsystem_device"), "0x0e3b\n");
	assert_string_equal(slurp("sys/class/drm/renderD128/device/revision"), "0xc8\n");
	assert_string_equal(slurp("sys/class/drm/card0/dev"), "226:0\n");
	assert_string_equal(slurp("sys/bus/pci/devices/" PCI "/ip_discovery/die/0/GC/0/major"),
			    "11\n");
	assert_string_equal(slurp("sys/bus/pci/devices/" PCI "/ip_discovery/die/0/11/0/minor"),
			    "0\n");
	assert_memory_equal(slurp("sys/class/drm/card0/device/ip_discovery/die/0/GC/0/base_addr"),
			    "0x00001260\n0x0000A000\n", 22);
	assert_string_equal(
		slurp("sys/class/drm/card0/device/ip_discovery/die/0/OSSSYS/0/base_addr"),
		"0x000010A0\n0x0240A000\n");
	assert_string_equal(
		slurp("sys/class/drm/card0/device/ip_discovery/die/0/MMHUB/0/num_base_addresses"),
		"2\n");
	/* Both engines, with registers in GC's segments. */
	assert_string_equal(slurp("sys/class/drm/card0/device/ip_discovery/die/0/SDMA1/0/major"),
			    "6\n");
	assert_memory_equal(slurp("sys/class/drm/card0/device/ip_discovery/die/0/42/0/base_addr"),
			    "0x00001260\n0x0000A000\n", 22);
	/* all blocks of the discovery binary; VCN has UVD's id */
	assert_string_equal(slurp("sys/class/drm/card0/device/ip_discovery/die/0/num_ips"), "16\n");
	assert_string_equal(slurp("sys/class/drm/card0/device/ip_discovery/die/0/MP1/0/major"),
			    "13\n");
	assert_string_equal(slurp("sys/class/drm/card0/device/ip_discovery/die/0/UVD/0/hw_id"),
			    "12\n");
	/* what is answered live has a mark and a size, and no bytes of its own */
	snprintf(path, sizeof(path), "%s/sys/kernel/debug/dri/0/amdgpu_vram", root);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | S_ISVTX | S_ISGID | 0444);
	assert_int_equal(st.st_size, bw_profile_navi31.vram_size_b);
	assert_int_equal(st.st_blocks, 0);
	snprintf(path, sizeof(path), "%s/sys/class/hwmon/hwmon0/temp1_input", root);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | S_ISVTX | 0444);
	assert_int_equal(st.st_blocks, 0);
	snprintf(path, sizeof(path), "%s/sys/class/drm/card0/subsystem/card0/device/driver/" PCI,
		 root);
	assert_int_equal(stat(path, &st), 0); /* no link leads nowhere */
	assert_int_equal(stat(root, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void clients_read_it_and_cannot_leave_it(void **state)
{
	struct client c;
	uint32_t file;
	char path[200], outside[64];
	gpu_options.root = root;
	start_gpu(state);
	open_client(&c);
	assert_string_equal(c.hello.root, root);
	char *t = file_text(&c, "sys/class/drm/card0/device/ip_discovery/die/0/GC/0/major");
	assert_string_equal(t, "11\n");
	free(t);
	snprintf(outside, sizeof(outside), "/tmp/bw-test-secret-%d", getpid());
	close(open(outside, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "../../../..%s", outside);
	assert_int_equal(file_open(&c, path, O_RDONLY, &file), -ENOENT);
	assert_int_equal(file_open(&c, outside, O_RDONLY, &file), -ENOENT);
	snprintf(path, sizeof(path), "%s/link", root);
	assert_int_equal(symlink(outside, path), 0);
	assert_int_equal(file_open(&c, "link", O_RDONLY, &file),
			 -ENOENT); /* a link out of the tree ends in it */
	assert_int_equal(file_open(&c, "sys", O_RDONLY, &file), -EISDIR);
	unlink(outside);
	close_client(&c);
	stop_gpu(state);
}

static void removing_follows_no_links(void **state)
{
	char outside[64], path[200];
	struct stat st;
	snprintf(outside, sizeof(outside), "/tmp/bw-test-keep-%d", getpid());
	mkdir(outside, 0700);
	snprintf(path, sizeof(path), "%s/file", outside);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "%s/keep", root);
	assert_int_equal(symlink(outside, path), 0);
	bw_folder_remove_tree(root);
	assert_int_equal(stat(root, &st), -1);
	snprintf(path, sizeof(path), "%s/file", outside);
	assert_int_equal(stat(path, &st), 0);
	bw_folder_remove_tree(outside);
}

static int name_root(void **state)
{
	snprintf(root, sizeof(root), "/tmp/bw-test-tree-%d", getpid());
	return 0;
}

TESTS_AROUND(name_root, NULL, what_loaders_look_for, clients_read_it_and_cannot_leave_it,
	     removing_follows_no_links);
