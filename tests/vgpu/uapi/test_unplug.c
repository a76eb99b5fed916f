/* SPDX-License-Identifier: MIT */
/* The GPU taken out of the bus and found again. What Linux answers: drm_ioctl() and drm_gem_mmap()
 * -ENODEV, kernfs -ENODEV, debugfs -EIO for what is open, -ENOENT for names. */
#include "harness.h"

#include <sys/stat.h>

#include "base/folder.h"

enum { CODE = 0x200000, DATA = 0x300000, IB = 0x40000000, COMPUTE = AMDGPU_HW_IP_COMPUTE };
#define REMOVE "sys/bus/pci/devices/" PCI "/remove"
#define RESCAN "sys/bus/pci/rescan"
static char root[64];
static const uint32_t code_loop[] = {0xbfa0ffff}; /* s_branch to itself: LLVM */

static int write_file(struct client *c, const char *path, const char *text)
{
	uint32_t file;
	uint64_t pos = 0;
	int r = file_open(c, path, O_WRONLY, &file);
	if (r)
		return r;
	r = file_write(c, file, &pos, text, (uint32_t)strlen(text));
	close_file(c, file);
	return r;
}

static bool in_tree(const char *path)
{
	char full[256];
	struct stat st;
	snprintf(full, sizeof(full), "%s/%s", root, path);
	return !lstat(full, &st);
}

static void check_names(unsigned card, bool there)
{
	static const char *const by_number[] = {"dev/dri/card%u", "sys/class/drm/card%u",
						"sys/dev/char/226:%u", "sys/kernel/debug/dri/%u"};
	static const char *const by_address[] = {"sys/bus/pci/devices/" PCI,
						 "sys/bus/pci/devices/" PCI "/vendor",
						 "sys/kernel/debug/dri/" PCI "/amdgpu_regs2"};
	char name[64];
	for (size_t i = 0; i < BW_ARRAY_SIZE(by_number); i++) {
		snprintf(name, sizeof(name), by_number[i], card);
		if (in_tree(name) != there)
			fail_msg("%s %s", name, there ? "is not there" : "is there");
	}
	snprintf(name, sizeof(name), "dev/dri/renderD%u", card + 128);
	assert_true(in_tree(name) == there);
	for (size_t i = 0; i < BW_ARRAY_SIZE(by_address); i++)
		if (in_tree(by_address[i]) != there)
			fail_msg("%s %s", by_address[i], there ? "is not there" : "is there");
	assert_true(in_tree(RESCAN));
}

static void what_is_written_is_a_number(void **state)
{
	struct client c;
	open_client(&c);
	assert_int_equal(write_file(&c, REMOVE, "yes\n"), -EINVAL);
	assert_int_equal(write_file(&c, REMOVE, "1 1\n"), -EINVAL);
	assert_int_equal(write_file(&c, REMOVE, "-1\n"), -EINVAL);
	assert_int_equal(write_file(&c, REMOVE, ""), -EINVAL);
	assert_int_equal(write_file(&c, REMOVE, "11111111111111111111111111\n"), -EINVAL);
	assert_int_equal(write_file(&c, REMOVE, "0\n"), 2);
	assert_int_equal(write_file(&c, RESCAN, "1\n"), 2); /* nothing is missing */
	check_names(0, true);
	uint32_t file;
	assert_int_equal(file_open(&c, REMOVE, O_RDONLY, &file), -EACCES);
	assert_int_equal(file_open(&c, REMOVE, O_RDWR, &file), -EACCES);
	assert_int_equal(file_open(&c, RESCAN, O_RDONLY, &file), -EACCES);
	/* a client of its own making reads what opens for writing only */
	uint8_t byte;
	uint64_t pos = 0;
	assert_int_equal(file_open(&c, RESCAN, O_WRONLY, &file), 0);
	assert_int_equal(file_read(&c, file, &pos, &byte, 1), -EBADF);
	close_client(&c);
}

static void start_loop(struct client *c, uint32_t ctx)
{
	struct buffer code = make_buffer(c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, CODE);
	struct buffer ib = make_buffer(c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	make_buffer(c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	memcpy(code.cpu, code_loop, sizeof(code_loop));
	struct bw_pm4_stream s = {0};
	put_kernel(&s, CODE, DATA, 1);
	assert_false(s.failed);
	memcpy(ib.cpu, s.data, s.len * 4);
	uint64_t seq;
	assert_int_equal(submit(c, ctx, COMPUTE, 0, IB, (uint32_t)s.len, NULL, 0, &seq), 0);
	bw_pm4_stream_free(&s);
}

static void goes_and_comes_back(void **state)
{
	struct client c, other;
	struct drm_version version = {0};
	uint32_t text, regs, card, file;
	uint64_t pos = 0;
	char byte;
	int fd;
	uint64_t fd_offset;
	open_client(&c);
	open_client(&other);
	assert_int_equal(drm_open(&c, 0, &card), 0);
	assert_int_equal(
		file_open(&c, "sys/class/drm/card0/device/mem_info_vram_used", O_RDONLY, &text), 0);
	assert_int_equal(file_open(&c, "debug/dri/0/amdgpu_regs2", O_RDWR, &regs), 0);
	struct buffer b = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	start_loop(&c, make_ctx(&c));
	while (!server_info(&c).waves_resident)
		usleep(1000);

	assert_int_equal(write_file(&c, REMOVE, "1\n"), 2);
	check_names(0, false);
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_VERSION, &version), -ENODEV);
	assert_int_equal(drm_ioctl(&other, DRM_IOCTL_VERSION, &version), -ENODEV);
	assert_int_equal(drm_mmap(&c, c.drm, 0x100000000, 4096, &fd, &fd_offset), -ENODEV);
	assert_int_equal(file_read(&c, text, &pos, &byte, 1), -ENODEV);
	assert_int_equal(file_read(&c, regs, &pos, &byte, 1), -EIO);
	assert_int_equal(file_open(&c, REMOVE, O_WRONLY, &file), -ENOENT);
	assert_int_equal(file_open(&c, "debug/dri/0/name", O_RDONLY, &file), -ENOENT);
	assert_int_equal(drm_open(&c, 128, &file), -ENODEV);
	memset(b.cpu, 1, 4096); /* a mapping stays */
	/* the loop ends without anyone who waits for it */
	int64_t end = now_ns() + 60000000000;
	while (server_info(&c).waves_resident) {
		assert_true(now_ns() < end);
		usleep(1000);
	}

	assert_int_equal(write_file(&other, RESCAN, "1"), 1);
	/* what was open belongs to the device that has gone, and has its number still */
	check_names(1, true);
	assert_false(in_tree("dev/dri/card0"));
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_VERSION, &version), -ENODEV);
	assert_int_equal(file_read(&c, text, &pos, &byte, 1), -ENODEV);
	assert_int_equal(drm_open(&c, 128, &file), -ENOENT);
	assert_int_equal(drm_open(&c, 1, &card), 0);
	struct drm_set_version v = {-1, -1, -1, -1}; /* the master's */
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_SET_VERSION, &v), 0);
	free(file_text(&c, "sys/dev/char/226:129/device/mem_info_vram_used"));
	char *log = file_text(&c, "log");
	assert_non_null(strstr(log, "finishing device."));
	free(log);
	close_client(&c);
	close_client(&other);

	struct client fresh;
	connect_client(&fresh, 0);
	assert_int_equal(write_file(&fresh, REMOVE, "1"), 1);
	assert_int_equal(write_file(&fresh, RESCAN, "1"), 1);
	check_names(0, true);
	close_client(&fresh);
	open_client(&fresh);
	start_loop(&fresh, make_ctx(&fresh));
	while (!server_info(&fresh).waves_resident)
		usleep(1000);
	close_client(&fresh);
}

static int start(void **state)
{
	strcpy(root, "/tmp/bw-unplug-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	if (bw_tree_make(&bw_profile_navi31, root))
		return -1;
	gpu_options.root = root;
	return start_gpu(state);
}

static int stop(void **state)
{
	int r = stop_gpu(state);
	gpu_options.root = NULL;
	bw_folder_remove_tree(root);
	return r;
}

TESTS_EACH(start, stop, what_is_written_is_a_number, goes_and_comes_back);
