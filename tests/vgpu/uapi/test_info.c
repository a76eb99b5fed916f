/* SPDX-License-Identifier: MIT */
#include "harness.h"

static int query(struct client *c, uint32_t what, const uint32_t more[4], void *out,
		 uint32_t size_b)
{
	struct drm_amdgpu_info q = {
		.return_pointer = (uintptr_t)out, .return_size = size_b, .query = what};
	if (more)
		memcpy(&q.query_hw_ip, more, 16);
	return drm_ioctl(c, DRM_IOCTL_AMDGPU_INFO, &q);
}

static uint64_t at(const uint8_t *info, unsigned offset, unsigned size_b)
{
	uint64_t v = 0;
	memcpy(&v, info + offset, size_b);
	return v;
}

static void dev_info_is_a_navi31(void **state)
{
	/* Offsets: struct drm_amdgpu_info_device of Linux 6.12; values:
	 * doc/hardware/mesa.md 2.2, address space of 6.12. */
	/* clang-format off */
	static const struct { unsigned offset, size_b; uint64_t value; } rows[] = {
		{0, 4, 0x744c}, {4, 4, 0}, {8, 4, 1}, {12, 4, 0xc8}, {16, 4, 145}, {20, 4, 6}, {24, 4, 2}, {28, 4, 100000},
		{32, 8, 2371000}, {40, 8, 1249000}, {48, 4, 96}, {120, 4, 0xffffff}, {124, 4, 24}, {128, 4, 8}, {132, 4, 4}, {136, 8, 0},
		{144, 8, 0x10000}, {152, 8, 0x800000000000}, {160, 4, 4096}, {164, 4, 2097152}, {168, 4, 4096}, {176, 4, 9}, {180, 4, 384},
		{240, 4, 32}, {244, 4, 1536}, {248, 4, 8}, {252, 4, 24}, {256, 4, 32}, {260, 4, 1792}, {264, 4, 32}, {268, 4, 16},
		{336, 8, 0xffff800000000000}, {344, 8, 0xffffffffffbf0000}, {368, 8, 500000}, {376, 8, 96000}, {384, 4, 32}, {388, 4, 1},
		{392, 4, 16}, {396, 4, 32}, {400, 4, 256}, {404, 4, 6144}, {408, 8, 100663296}, {420, 4, 0},
		/* cu_bitmap: {ff,ff,ff,ff} {ff,ff,ff,ff} {ff,ff,0,0} {ff,ff,0,0} */
		{56, 4, 0xff}, {68, 4, 0xff}, {72, 4, 0xff}, {84, 4, 0xff}, {88, 4, 0xff}, {92, 4, 0xff}, {96, 4, 0}, {104, 4, 0xff},
		{108, 4, 0xff}, {112, 4, 0}, {116, 4, 0},
	};
	/* clang-format on */
	struct client c;
	uint8_t info[512];
	open_client(&c);
	memset(info, 0xee, sizeof(info));
	assert_int_equal(query(&c, AMDGPU_INFO_DEV_INFO, NULL, info, 448), 0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (at(info, rows[i].offset, rows[i].size_b) != rows[i].value)
			fail_msg("offset %u: %#llx", rows[i].offset,
				 (unsigned long long)at(info, rows[i].offset, rows[i].size_b));
	assert_int_equal(info[440], 0xee); /* 440 bytes in 6.12, and the rest is the caller's */
	memset(info, 0xee, sizeof(info));
	assert_int_equal(query(&c, AMDGPU_INFO_DEV_INFO, NULL, info, 368), 0);
	assert_int_equal(info[368], 0xee);
	close_client(&c);
}

static void hardware_blocks(void **state)
{
	struct client c;
	open_client(&c);
	for (uint32_t type = 0; type < 11; type++) {
		struct drm_amdgpu_info_hw_ip ip;
		memset(&ip, 0xee, sizeof(ip));
		int r = query(&c, AMDGPU_INFO_HW_IP_INFO, (uint32_t[4]){type}, &ip, sizeof(ip));
		assert_int_equal(r, type < 10 ? 0 : -EINVAL);
		if (r)
			continue;
		/* GFX, COMPUTE and DMA; the rest of the engines have no rings
		 * (doc/hardware/kernel-interface.md 3.1). */
		static const struct {
			uint32_t rings, major, start, size, version, count;
		} rows[3] = {{1, 11, 32, 32, 0xb0000, 1},
			     {0xf, 11, 32, 32, 0xb0000, 1},
			     {3, 6, 256, 4, 0x60000, 2}};
		bool there = type < BW_ARRAY_SIZE(rows);
		assert_int_equal(ip.available_rings, there ? rows[type].rings : 0);
		assert_int_equal(ip.hw_ip_version_major, there ? rows[type].major : 0);
		assert_int_equal(ip.ib_start_alignment, there ? rows[type].start : 0);
		assert_int_equal(ip.ib_size_alignment, there ? rows[type].size : 0);
		/* ip_discovery_version, which older headers call padding */
		uint32_t discovered;
		memcpy(&discovered,
		       (const char *)&ip + offsetof(struct drm_amdgpu_info_hw_ip, available_rings) +
			       4,
		       4);
		assert_int_equal(discovered, there ? rows[type].version : 0);
		uint32_t count;
		assert_int_equal(query(&c, AMDGPU_INFO_HW_IP_COUNT, (uint32_t[4]){type}, &count, 4),
				 there ? 0 : -EINVAL);
		if (there)
			assert_int_equal(count, rows[type].count);
	}
	struct drm_amdgpu_info_firmware fw;
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){AMDGPU_INFO_FW_GFX_ME},
			       &fw, sizeof(fw)),
			 0);
	assert_int_equal(fw.ver, 1486);
	assert_int_equal(fw.feature, 29);
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){AMDGPU_INFO_FW_GFX_MEC},
			       &fw, sizeof(fw)),
			 0);
	assert_int_equal(fw.ver, 494);
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){AMDGPU_INFO_FW_GFX_ME, 1},
			       &fw, sizeof(fw)),
			 -EINVAL);
	close_client(&c);
}

static void memory(void **state)
{
	struct client c;
	struct drm_amdgpu_memory_info m, after;
	struct drm_amdgpu_info_vram_gtt v;
	open_client(&c);
	assert_int_equal(query(&c, AMDGPU_INFO_MEMORY, NULL, &m, sizeof(m)), 0);
	assert_int_equal(m.vram.total_heap_size, 25753026560);
	assert_int_equal(m.vram.usable_heap_size, 25681096704);
	assert_int_equal(m.vram.max_allocation, 19260822528);
	assert_int_equal(m.cpu_accessible_vram.total_heap_size, 25753026560);
	assert_int_equal(m.gtt.total_heap_size, 33254252544);
	assert_int_equal(m.gtt.usable_heap_size, 33240895488);
	assert_int_equal(m.gtt.max_allocation, 24930671616);
	assert_int_equal(query(&c, AMDGPU_INFO_VRAM_GTT, NULL, &v, sizeof(v)), 0);
	assert_int_equal(v.vram_size, 25681096704);
	assert_int_equal(v.gtt_size, 33240895488);
	struct buffer b = make_buffer(&c, 1 << 20, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	assert_int_equal(query(&c, AMDGPU_INFO_MEMORY, NULL, &after, sizeof(after)), 0);
	assert_int_equal(after.vram.heap_usage, m.vram.heap_usage + (1 << 20));
	free_buffer(&c, &b);
	uint64_t usage;
	assert_int_equal(query(&c, AMDGPU_INFO_VRAM_USAGE, NULL, &usage, 8), 0);
	assert_int_equal(usage, m.vram.heap_usage);
	close_client(&c);
}

static void registers_and_the_clock(void **state)
{
	struct client c;
	uint32_t v[3] = {0};
	open_client(&c);
	assert_int_equal(
		query(&c, AMDGPU_INFO_READ_MMR_REG, (uint32_t[4]){0x263e, 1, 0xffffffff, 0}, v, 4),
		0);
	assert_int_equal(v[0], 0x545); /* GB_ADDR_CONFIG */
	/* what RADV's hang report asks for: doc/hardware/mesa.md 4 */
	static const uint32_t asked[] = {0x2002, 0x2004, 0x2005, 0x2006, 0x200e, 0x200f,
					 0x2084, 0x2085, 0x2086, 0x2087, 0x2088, 0x2089,
					 0x219c, 0x219d, 0x219e, 0x21a0, 0x1285, 0x1885};
	for (size_t i = 0; i < BW_ARRAY_SIZE(asked); i++)
		assert_int_equal(query(&c, AMDGPU_INFO_READ_MMR_REG,
				       (uint32_t[4]){asked[i], 1, 0xffffffff, 0}, v, 4),
				 0);
	assert_int_equal(
		query(&c, AMDGPU_INFO_READ_MMR_REG, (uint32_t[4]){0x263f, 1, 0xffffffff, 0}, v, 4),
		-EFAULT);
	assert_int_equal(query(&c, AMDGPU_INFO_READ_MMR_REG,
			       (uint32_t[4]){0x263e, 129, 0xffffffff, 0}, v, 4),
			 -EINVAL);
	assert_int_equal(query(&c, AMDGPU_INFO_READ_MMR_REG, (uint32_t[4]){0x263e, 1, 7, 0}, v, 4),
			 -EINVAL);
	uint64_t t1 = 0, t2 = 0;
	assert_int_equal(query(&c, AMDGPU_INFO_TIMESTAMP, NULL, &t1, 8), 0);
	usleep(20000);
	assert_int_equal(query(&c, AMDGPU_INFO_TIMESTAMP, NULL, &t2, 8), 0);
	assert_true(t2 - t1 >= 2000000 && t2 - t1 < 2000000000); /* 100 MHz */
	close_client(&c);
}

/* What programs are told and what debugfs shows are the same versions. */
static void firmware(void **state)
{
	/* clang-format off */
	static const struct { const char *name; uint32_t type; } rows[] = {
		{"ME", 4}, {"PFP", 5}, {"RLC", 7}, {"MEC", 8}, {"SMC", 0xa}, {"SDMA0", 0xb}, {"SDMA1", 0xb}, {"SOS", 0xc},
		{"ASD", 0xd}, {"MES_KIQ", 0x19}, {"MES", 0x1a}, {"IMU", 0x1b},
	};
	/* clang-format on */
	struct client c;
	struct drm_amdgpu_info_firmware fw;
	open_client(&c);
	char *text = file_text(&c, "debug/dri/" PCI "/amdgpu_firmware_info");
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		char line[64];
		unsigned feature = 0, version = 0;
		snprintf(line, sizeof(line), "\n%s feature version: ", rows[i].name);
		char *at = i ? strstr(text, line) : text; /* the first one's is the first line */
		assert_non_null(at);
		assert_int_equal(
			sscanf(strstr(at, "feature version: "), "feature version: %u", &feature),
			1);
		assert_int_equal(
			sscanf(strstr(at, "firmware version: "), "firmware version: %x", &version),
			1);
		assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){rows[i].type}, &fw,
				       sizeof(fw)),
				 0);
		assert_int_equal(fw.ver, version);
		assert_int_equal(fw.feature, feature);
		assert_true(version > 0);
	}
	free(text);
	/* No video, no such number, a third SDMA engine. */
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){AMDGPU_INFO_FW_VCN}, &fw,
			       sizeof(fw)),
			 0);
	assert_int_equal(fw.ver, 0);
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){9}, &fw, sizeof(fw)),
			 -EINVAL);
	assert_int_equal(query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){0x1d}, &fw, sizeof(fw)),
			 -EINVAL);
	assert_int_equal(
		query(&c, AMDGPU_INFO_FW_VERSION, (uint32_t[4]){0xb, 0, 2}, &fw, sizeof(fw)),
		-EINVAL);
	close_client(&c);
}

static void the_rest(void **state)
{
	/* clang-format off */
	static const struct { uint32_t what; int result; } rows[] = {
		{AMDGPU_INFO_ACCEL_WORKING, 0}, {AMDGPU_INFO_NUM_BYTES_MOVED, 0}, {AMDGPU_INFO_GTT_USAGE, 0}, {AMDGPU_INFO_GDS_CONFIG, 0},
		{AMDGPU_INFO_VIS_VRAM_USAGE, 0}, {AMDGPU_INFO_NUM_EVICTIONS, 0}, {AMDGPU_INFO_VRAM_LOST_COUNTER, 0}, {0x22, 0}, {0x23, 0},
		{AMDGPU_INFO_VIDEO_CAPS, 0}, {AMDGPU_INFO_RAS_ENABLED_FEATURES, -EINVAL}, {AMDGPU_INFO_NUM_HANDLES, -EINVAL}, {0x24, -EINVAL}, {0x7777, -EINVAL}, {0x04, -EINVAL},
	};
	/* clang-format on */
	struct client c;
	uint32_t out[64];
	open_client(&c);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (query(&c, rows[i].what, NULL, out, sizeof(out)) != rows[i].result)
			fail_msg("query %#x", rows[i].what);
	assert_int_equal(query(&c, 0x22, NULL, out, 40), 0);
	assert_int_equal(out[0], 192);
	assert_int_equal(out[1], 125);
	assert_int_equal(query(&c, AMDGPU_INFO_ACCEL_WORKING, NULL, out, 0), -EINVAL);
	assert_int_equal(query(&c, AMDGPU_INFO_ACCEL_WORKING, NULL, NULL, 4), -EINVAL);
	assert_int_equal(query(&c, AMDGPU_INFO_ACCEL_WORKING, NULL, (void *)16, 4), -EFAULT);
	close_client(&c);
}

static uint32_t sensor(struct client *c, uint32_t type)
{
	uint32_t value = 0;
	assert_int_equal(query(c, AMDGPU_INFO_SENSOR, (uint32_t[4]){type}, &value, 4), 0);
	return value;
}

/* Until the load is so, which takes as long as the windows it is measured in. */
static void wait_for_load(struct client *c, uint32_t load)
{
	for (uint64_t end = SECONDS(60); sensor(c, AMDGPU_INFO_SENSOR_GPU_LOAD) != load;) {
		assert_true((uint64_t)now_ns() < end);
		usleep(20000);
	}
}

static void set_pstate(struct client *c, uint32_t ctx, uint32_t pstate)
{
	union drm_amdgpu_ctx a = {.in = {6, pstate, ctx, 0}};
	assert_int_equal(drm_ioctl(c, DRM_IOCTL_AMDGPU_CTX, &a), 0);
}

/* The time of an engine in fdinfo; 0: it has had none. */
static unsigned long long engine_ns(struct client *c, const char *engine)
{
	struct bw_vgpu_file a = {.file = c->drm};
	struct bw_msg m = BW_MSG_INIT;
	char text[2048] = "", key[64];
	unsigned long long ns = 0;
	request(c, BW_VGPU_FDINFO, &(struct bw_msg_part){&a, sizeof(a)}, 1, -1, &m);
	assert_true(m.body_b > sizeof(struct bw_vgpu_result) && m.body_b < sizeof(text));
	memcpy(text, m.body + sizeof(struct bw_vgpu_result),
	       m.body_b - sizeof(struct bw_vgpu_result));
	bw_msg_fini(&m);
	snprintf(key, sizeof(key), "drm-engine-%s:\t", engine);
	const char *at = strstr(text, key);
	if (at)
		assert_int_equal(sscanf(at + strlen(key), "%llu ns", &ns), 1);
	return ns;
}

/* Load, clocks, temperature and power of an idle GPU and of one that is at work. */
static void sensors_follow_the_work(void **state)
{
	enum {
		SCLK = AMDGPU_INFO_SENSOR_GFX_SCLK,
		MCLK = AMDGPU_INFO_SENSOR_GFX_MCLK,
		TEMP = AMDGPU_INFO_SENSOR_GPU_TEMP,
		POWER = AMDGPU_INFO_SENSOR_GPU_AVG_POWER,
		IB = 0x30000000,
		DATA = 0x20000000
	};
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer data = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, DATA);
	struct bw_pm4_stream s = {0};
	bw_pm4_put_wait_mem(&s, DATA, 3, 1, ~0u);
	uint32_t n = (uint32_t)s.len, ctx = make_ctx(&c);
	memcpy(ib.cpu, s.data, n * 4);
	bw_pm4_stream_free(&s);

	wait_for_load(&c, 0);
	/* The least and the most that DEV_INFO says. */
	assert_int_equal(sensor(&c, SCLK), 500);
	assert_int_equal(sensor(&c, MCLK), 96);
	uint32_t idle_mc = sensor(&c, TEMP), idle_w = sensor(&c, POWER);
	uint64_t seq, status;
	assert_int_equal(submit(&c, ctx, AMDGPU_HW_IP_COMPUTE, 0, IB, n, NULL, 0, &seq), 0);
	wait_for_load(&c, 100);
	assert_int_equal(engine_ns(&c, "compute"), 0); /* counted when it has ended */
	assert_int_equal(sensor(&c, SCLK), 2371);
	assert_int_equal(sensor(&c, MCLK), 1249);
	assert_true(sensor(&c, POWER) > idle_w);
	assert_true(sensor(&c, TEMP) > idle_mc);
	*(volatile uint32_t *)data.cpu = 1;
	assert_int_equal(wait_cs(&c, ctx, AMDGPU_HW_IP_COMPUTE, 0, seq, SECONDS(20), &status), 0);
	/* At least a window of 100 ms was all its own. */
	assert_true(engine_ns(&c, "compute") >= 100000000);
	assert_int_equal(engine_ns(&c, "gfx"), 0);
	wait_for_load(&c, 0);
	assert_int_equal(sensor(&c, SCLK), 500);
	assert_int_equal(sensor(&c, POWER), idle_w);
	set_pstate(&c, ctx, 4); /* PEAK */
	assert_int_equal(sensor(&c, SCLK), sensor(&c, 0xa));
	assert_int_equal(sensor(&c, MCLK), sensor(&c, 0xb));
	set_pstate(&c, ctx, 1); /* STANDARD */
	assert_int_equal(sensor(&c, SCLK), sensor(&c, AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK));
	assert_int_equal(sensor(&c, MCLK), sensor(&c, AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK));
	uint32_t none;
	assert_int_equal(query(&c, AMDGPU_INFO_SENSOR, (uint32_t[4]){0xd}, &none, 4), -EINVAL);
	assert_int_equal(query(&c, AMDGPU_INFO_SENSOR, (uint32_t[4]){0}, &none, 4), -EINVAL);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, dev_info_is_a_navi31, hardware_blocks, memory,
	     registers_and_the_clock, firmware, the_rest, sensors_follow_the_work);
