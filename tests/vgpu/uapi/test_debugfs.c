/* SPDX-License-Identifier: MIT */
#include "harness.h"

#define DEBUG(name) "debug/dri/" PCI "/" name

static void texts(void **state)
{
	struct client c;
	open_client(&c);
	char *t = file_text(&c, DEBUG("name"));
	assert_string_equal(t, "amdgpu dev=" PCI " unique=" PCI "\n");
	free(t);
	t = file_text(&c, "debug/dri/128/name"); /* numbers are links */
	free(t);
	struct buffer b = make_buffer(&c, 8192, AMDGPU_GEM_DOMAIN_GTT, 0, 0x100000);
	t = file_text(&c, DEBUG("amdgpu_vm_info"));
	char expected[64];
	snprintf(expected, sizeof(expected), "pid:%d\tProcess:test ----------\n", getpid());
	assert_non_null(strstr(t, expected));
	assert_non_null(strstr(t, "8192 byte GTT"));
	free(t);
	t = file_text(&c, DEBUG("amdgpu_firmware_info"));
	assert_non_null(strstr(t, "MEC feature version: 29, firmware version: 0x000001ee"));
	free(t);
	t = file_text(&c, "sys/class/drm/card0/device/mem_info_gtt_used");
	assert_string_equal(t, "8192\n");
	free(t);
	t = file_text(&c, "sys/bus/pci/devices/" PCI "/mem_info_vram_total");
	assert_string_equal(t, "25753026560\n");
	free(t);
	free_buffer(&c, &b);
	uint32_t file;
	assert_int_equal(file_open(&c, DEBUG("amdgpu_mqd_sdma0"), O_RDONLY, &file),
			 -ENOENT); /* SDMA's queue has none in 6.12 either */
	assert_int_equal(file_open(&c, "debug/dri/0000:04:00.0/name", O_RDONLY, &file), -ENOENT);
	assert_int_equal(file_open(&c, "../../etc/passwd", O_RDONLY, &file), -ENOENT);
	close_client(&c);
}

static void gca_config(void **state)
{
	struct client c;
	uint32_t file, config[64];
	uint64_t pos = 0;
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_gca_config"), O_RDONLY, &file), 0);
	assert_int_equal(file_read(&c, file, &pos, config, sizeof(config)),
			 36 * 4); /* as much as there is */
	assert_int_equal(pos, 36 * 4);
	static const uint32_t expected[][2] = {
		{0, 5},	     {1, 6},	   {3, 8},	 {4, 2},      {5, 4},
		{9, 8},	     {10, 0x20},   {11, 0x100},	 {13, 0x4c0}, {15, 0xffffff},
		{22, 0x545}, {23, 24},	   {27, 145},	 {28, 1},     {29, 0x744c},
		{30, 0xc8},  {31, 0x0e3b}, {32, 0x1002}, {33, 0}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(expected); i++)
		assert_int_equal(config[expected[i][0]], expected[i][1]);
	pos = 29 * 4;
	assert_int_equal(file_read(&c, file, &pos, config, 4), 4);
	assert_int_equal(config[0], 0x744c);
	pos = 144;
	assert_int_equal(file_read(&c, file, &pos, config, 4), 0);
	pos = 2;
	assert_int_equal(file_read(&c, file, &pos, config, 4), -EINVAL);
	close_client(&c);
}

static void vram(void **state)
{
	struct client c;
	uint32_t file, v = 0;
	uint64_t pos = 0;
	const uint64_t end = bw_profile_navi31.vram_size_b;
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_vram"), O_RDWR, &file), 0);
	pos = end - 4;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), 4);
	assert_int_equal(v, 0); /* never written */
	uint32_t more[4];
	pos = end - 8;
	assert_int_equal(file_read(&c, file, &pos, more, 16), 8);
	pos = end;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -ENXIO);
	pos = UINT64_MAX - 3;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -ENXIO);
	pos = 6;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -EINVAL);
	pos = 8;
	assert_int_equal(file_read(&c, file, &pos, more, 6), -EINVAL);
	pos = 0x300000000;
	v = 0xcafe;
	assert_int_equal(file_write(&c, file, &pos, &v, 4), 4);
	assert_int_equal(pos, 0x300000004);
	pos = 0x300000000;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), 4);
	assert_int_equal(v, 0xcafe);
	uint32_t read_only;
	assert_int_equal(file_open(&c, DEBUG("amdgpu_vram"), O_RDONLY, &read_only), 0);
	assert_int_equal(file_write(&c, read_only, &pos, &v, 4), -EBADF);
	close_client(&c);
}

/* Drivers and umr find the binary there, whoever drives the GPU. */
static void vram_ends_with_the_discovery_binary(void **state)
{
	enum { FROM_END_B = 64 << 10 }; /* DISCOVERY_TMR_OFFSET of the driver */
	struct client c;
	uint32_t file;
	uint64_t pos = bw_profile_navi31.vram_size_b - FROM_END_B;
	uint8_t in_vram[4096];
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_vram"), O_RDONLY, &file), 0);
	assert_int_equal(file_read(&c, file, &pos, in_vram, sizeof(in_vram)), sizeof(in_vram));
	assert_memory_equal(in_vram, "\x07\x14\x21\x28", 4);
	uint8_t in_file[4096];
	pos = 0;
	assert_int_equal(file_open(&c, DEBUG("amdgpu_discovery"), O_RDONLY, &file), 0);
	assert_int_equal(file_read(&c, file, &pos, in_file, sizeof(in_file)), sizeof(in_file));
	assert_memory_equal(in_vram, in_file, sizeof(in_file));
	close_client(&c);
}

static void iomem_is_for_buffers_only(void **state)
{
	struct client c;
	uint32_t file, v = 0;
	uint64_t pos = 0;
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_iomem"), O_RDWR, &file), 0);
	pos = 0x700000000;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -EPERM);
	pos = UINT64_MAX - 1;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -EPERM);
	/* Where a buffer is: its mapping's entry (test_vm_pt reads through it). The first one of an
	 * empty GPU lies at the start of what the driver hands out. */
	struct buffer b = make_buffer(&c, 8192, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	((uint8_t *)b.cpu)[4095] = 1, ((uint8_t *)b.cpu)[4096] = 2;
	pos = 0x100000 + 4095;
	assert_int_equal(file_read(&c, file, &pos, &v, 2), 2); /* across pages, at any alignment */
	assert_int_equal(v, 0x0201);
	pos = 0x100000 + 8190;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -EPERM);
	free_buffer(&c, &b);
	pos = 0x100000;
	assert_int_equal(file_read(&c, file, &pos, &v, 4), -EPERM);
	close_client(&c);
}

/* Pointers and packets of a ring, as one job leaves them. */
static void a_ring(void **state)
{
	enum { RING_DW = 16 << 10, IB = 0x30000000 };
	struct client c;
	uint32_t file, before[3], head[3], *all = malloc((3 + RING_DW) * 4);
	uint64_t pos = 0, seq, status;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct bw_pm4_stream s = {0};
	bw_pm4_put_nop(&s, 8);
	memcpy(ib.cpu, s.data, s.len * 4);
	bw_pm4_stream_free(&s);
	uint32_t ctx = make_ctx(&c);
	assert_int_equal(file_open(&c, "debug/dri/" PCI "/amdgpu_ring_gfx_0.0.0", O_RDONLY, &file),
			 0);
	assert_int_equal(file_read(&c, file, &pos, before, sizeof(before)), sizeof(before));
	assert_int_equal(submit(&c, ctx, AMDGPU_HW_IP_GFX, 0, IB, 8, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(&c, ctx, AMDGPU_HW_IP_GFX, 0, seq, SECONDS(20), &status), 0);
	/* The fence is written before the pointers are in their place. */
	for (unsigned i = 0;
	     i < 1000 && (pos = 0, file_read(&c, file, &pos, head, sizeof(head)) > 0); i++) {
		if (head[0] == head[1])
			break;
		usleep(1000);
	}
	assert_int_equal(head[0], head[1]);
	assert_int_equal(head[1], head[2]);
	assert_true(head[1] > before[1]);
	pos = 0;
	assert_int_equal(file_read(&c, file, &pos, all, (3 + RING_DW) * 4), (3 + RING_DW) * 4);
	assert_int_equal(pos, (3 + RING_DW) * 4);
	assert_int_equal(file_read(&c, file, &pos, head, 4), 0); /* its end */
	/* One INDIRECT_BUFFER packet between the pointers leads to the job's commands. */
	unsigned found = 0;
	struct bw_pm4_packet p;
	struct bw_pm4_indirect_buffer b;
	for (uint32_t at = before[1]; at < all[1] && bw_pm4_at(all + 3, RING_DW, at, &p);
	     at += p.size_dw)
		found += bw_pm4_indirect_buffer(&p, &b) && b.address == IB && b.n_dw == 8;
	assert_int_equal(found, 1);
	pos = 4;
	assert_int_equal(file_read(&c, file, &pos, head, 4), 4);
	assert_int_equal(head[0], all[1]);
	assert_int_equal(file_read(&c, file, &pos, head, 6), -EINVAL);
	uint32_t none;
	assert_int_equal(file_open(&c, "debug/dri/" PCI "/amdgpu_ring_sdma1", O_RDONLY, &none), 0);
	pos = 0;
	assert_int_equal(file_read(&c, none, &pos, head, sizeof(head)), sizeof(head));
	assert_int_equal(head[0], head[1]);
	assert_int_equal(file_open(&c, "debug/dri/" PCI "/amdgpu_ring_sdma2", O_RDONLY, &none),
			 -ENOENT);
	free(all);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, texts, gca_config, vram, vram_ends_with_the_discovery_binary,
	     a_ring, iomem_is_for_buffers_only);
