/* SPDX-License-Identifier: MIT */
/* The driver in front of another GPU: a made-up relative of Navi32, as in the device's test of the
 * same name. What the driver programs and what it tells programs follows the profile. */
#include "harness.h"

#include "base/folder.h"
#include "regs/regs.h"

enum { IB = 0x30000000, CODE = 0x10000000, DATA = 0x20000000 };

static struct bw_profile other;

static int start_other(void **state)
{
	static const struct bw_profile_firmware firmware[] = {{"ME", 3, 7}, {"SDMA", 5, 9}};
	other = bw_profile_navi31;
	other.name = "other";
	other.gfx = "gfx1101";
	other.marketing_name = "Another GPU";
	other.pci_device = 0x747e;
	other.n_se = 3;
	other.wgp_per_sa = 5;
	other.n_rb = 12;
	other.n_tcc = 16;
	other.sclk = (struct bw_profile_clock){400, 1500, 2124};
	other.vram_size_b = 2ull << 30;
	other.gl2_kib = 4096;
	other.firmware = firmware;
	other.n_firmware = BW_ARRAY_SIZE(firmware);
	other.gc = (struct bw_profile_block){BW_IP_VERSION(11, 0, 3), {0x1260, 0xa000, 0x1d000}};
	other.sdma = (struct bw_profile_block){BW_IP_VERSION(6, 0, 3), {0x1260, 0xa000, 0x1d000}};
	other.mmhub = (struct bw_profile_block){BW_IP_VERSION(3, 0, 2), {0x1c400, 0x2409000}};
	other.osssys = (struct bw_profile_block){BW_IP_VERSION(6, 1, 0), {0x600, 0x240b000}};
	gpu_profile = &other;
	return start_gpu(state);
}

static int query(struct client *c, uint32_t what, const uint32_t more[4], void *out,
		 uint32_t size_b)
{
	struct drm_amdgpu_info q = {
		.return_pointer = (uintptr_t)out, .return_size = size_b, .query = what};
	if (more)
		memcpy(&q.query_hw_ip, more, 16);
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_INFO, &q);
}

/* Page tables, rings, fences and interrupts go by registers that are not where Navi31 has them. */
static void a_kernel_runs(void **state)
{
	/* v_mov_b32 v1, 0x1234; v_lshlrev_b32 v0, 2, v0; global_store_b32 v0, v1, s[0:1];
	 * s_endpgm */
	static const uint32_t code[] = {0x7e0202ff, 0x1234,	0x30000082,
					0xdc6a0000, 0x00000100, 0xbfb00000};
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer program = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, CODE);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, DATA);
	memcpy(program.cpu, code, sizeof(code));
	struct bw_pm4_stream s = {0};
	put_kernel(&s, CODE, DATA, 1);
	assert_false(s.failed);
	memcpy(ib.cpu, s.data, s.len * 4);
	uint32_t n = (uint32_t)s.len, ctx = make_ctx(&c);
	uint64_t seq, status;
	assert_int_equal(submit(&c, ctx, AMDGPU_HW_IP_COMPUTE, 1, IB, n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, AMDGPU_HW_IP_COMPUTE, 1, seq, SECONDS(60), &status), 0);
	assert_int_equal(status, 0);
	for (unsigned i = 0; i < 33; i++)
		assert_int_equal(((uint32_t *)data.cpu)[i], i < 32 ? 0x1234 : 0);
	/* A fault of it is known by the interrupt ring and the fault registers. */
	put_kernel(&s, CODE, 0x7654321000, 1);
	memcpy(ib.cpu, s.data + n, (s.len - n) * 4);
	assert_int_equal(
		submit(&c, ctx, AMDGPU_HW_IP_COMPUTE, 1, IB, (uint32_t)s.len - n, NULL, 0, &seq),
		0);
	assert_int_equal(wait_cs(&c, ctx, AMDGPU_HW_IP_COMPUTE, 1, seq, SECONDS(60), &status),
			 -ENODATA);
	char *log = file_text(&c, "sys/kernel/breakwater_log");
	if (!strstr(log, "in page starting at address 0x0000007654321000"))
		fail_msg("%s", log);
	free(log);
	bw_pm4_stream_free(&s);
	close_client(&c);
}

static void programs_are_told(void **state)
{
	/* Offsets: struct drm_amdgpu_info_device of Linux 6.12 */
	static const struct {
		unsigned offset;
		uint32_t value;
	} rows[] = {
		{0, 0x747e}, {20, 3},	{32, 2124000}, {48, 60},      {120, 0xfff},
		{124, 12},   {248, 10}, {252, 16},     {368, 400000}, {404, 4096},
	};
	const uint32_t gfx[4] = {AMDGPU_HW_IP_GFX}, me[4] = {AMDGPU_INFO_FW_GFX_ME};
	struct client c;
	uint8_t info[448];
	struct drm_amdgpu_info_hw_ip ip = {0};
	struct drm_amdgpu_info_firmware fw = {0};
	open_client(&c);
	assert_int_equal(query(&c, AMDGPU_INFO_DEV_INFO, NULL, info, sizeof(info)), 0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t v;
		memcpy(&v, info + rows[i].offset, 4);
		if (v != rows[i].value)
			fail_msg("offset %u: %u", rows[i].offset, v);
	}
	assert_int_equal(query(&c, AMDGPU_INFO_HW_IP_INFO, gfx, &ip, sizeof(ip)), 0);
	uint32_t discovered;
	memcpy(&discovered,
	       (uint8_t *)&ip + offsetof(struct drm_amdgpu_info_hw_ip, available_rings) + 4, 4);
	assert_int_equal(discovered, 0x0b0003);
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, me, &fw, sizeof(fw)), 0);
	assert_int_equal(fw.ver, 7);
	assert_int_equal(fw.feature, 3);
	char *text = file_text(&c, "debug/dri/" PCI "/amdgpu_firmware_info");
	assert_non_null(strstr(text, "SDMA1 feature version: 5, firmware version: 0x00000009\n"));
	free(text);
	close_client(&c);
}

static void folders_are_its(void **state)
{
	char root[64], path[192], line[32] = "";
	snprintf(root, sizeof(root), "/tmp/bw-test-profile-%d", getpid());
	assert_null(bw_tree_make(&other, root));
	snprintf(path, sizeof(path),
		 "%s/sys/class/drm/card0/device/ip_discovery/die/0/OSSSYS/0/base_addr", root);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line, "0x00000600\n");
	fclose(f);
	snprintf(path, sizeof(path),
		 "%s/sys/class/drm/card0/device/ip_discovery/die/0/GC/0/revision", root);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line, "3\n");
	fclose(f);
	bw_folder_remove_tree(root);
}

TESTS_EACH(start_other, stop_gpu, a_kernel_runs, programs_are_told, folders_are_its);
