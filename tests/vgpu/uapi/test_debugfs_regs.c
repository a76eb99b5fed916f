/* SPDX-License-Identifier: MIT */
#include "harness.h"

#define DEBUG(name) "debug/dri/" PCI "/" name
enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, CODE = 0x10000000, DATA = 0x20000000, IB = 0x30000000 };
enum { SET_STATE = 0xc0282000, SET_STATE_V2 = 0xc02c2001, GPRWAVE_SET_STATE = 0xc0242000 };

static uint32_t gc(unsigned segment, uint32_t offset)
{
	return bw_profile_navi31.gc.segment[segment] + offset;
}

static uint32_t get(struct client *c, uint32_t file, uint32_t addr_dw)
{
	uint64_t pos = 4ull * addr_dw;
	uint32_t v;
	assert_int_equal(file_read(c, file, &pos, &v, 4), 4);
	return v;
}

static void put(struct client *c, uint32_t file, uint32_t addr_dw, uint32_t v)
{
	uint64_t pos = 4ull * addr_dw;
	assert_int_equal(file_write(c, file, &pos, &v, 4), 4);
}

static void regs2_banks_by_vmid(void **state)
{
	struct client c;
	uint32_t f, tba_lo = gc(1, 0x9e6);
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs2"), O_RDWR, &f), 0);
	uint32_t v2[11] = {[0] = 1};
	for (uint32_t vmid = 1; vmid < 8; vmid++) {
		v2[9] = vmid;
		assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
		put(&c, f, tba_lo, 0x1000 + vmid);
	}
	for (uint32_t vmid = 1; vmid < 8; vmid++) {
		v2[9] = vmid;
		assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
		assert_int_equal(get(&c, f, tba_lo), 0x1000 + vmid);
	}
	/* Defect a of 6.12: V1 keeps the VMID that was there. */
	uint32_t v1[10] = {[0] = 1, [9] = 3};
	assert_int_equal(file_ioctl(&c, f, SET_STATE, v1), 0);
	assert_int_equal(get(&c, f, tba_lo), 0x1007);
	/* Another open file has a bank of its own. */
	uint32_t g;
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs2"), O_RDWR, &g), 0);
	assert_int_equal(get(&c, g, gc(0, 0x13de)), 0x545);
	assert_int_equal(file_ioctl(&c, f, 0xc0282009, v1), -EINVAL);
	assert_int_equal(file_ioctl(&c, f, 0x2000, v1), -EINVAL);
	close_client(&c);
}

static int start_without_defects(void **state)
{
	gpu_options.no_defects = true;
	return start_gpu(state);
}

static void without_defects_v1_takes_the_vmid(void **state)
{
	struct client c;
	uint32_t f, tba_lo = gc(1, 0x9e6), v1[10] = {[0] = 1, [9] = 3};
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs2"), O_RDWR, &f), 0);
	assert_int_equal(file_ioctl(&c, f, SET_STATE, v1), 0);
	put(&c, f, tba_lo, 0x55);
	v1[9] = 4;
	assert_int_equal(file_ioctl(&c, f, SET_STATE, v1), 0);
	assert_int_equal(get(&c, f, tba_lo), 0);
	v1[9] = 3;
	assert_int_equal(file_ioctl(&c, f, SET_STATE, v1), 0);
	assert_int_equal(get(&c, f, tba_lo), 0x55);
	close_client(&c);
}

static void regs2_positions(void **state)
{
	struct client c;
	uint32_t f, v[2048];
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs2"), O_RDWR, &f), 0);
	uint64_t pos = 4ull * gc(0, 0x1678);
	assert_int_equal(file_read(&c, f, &pos, v, 8), 8);
	assert_int_equal(pos, 4ull * gc(0, 0x1678)); /* does not advance */
	assert_int_equal(v[0], 0x8000);
	pos = 0x700000000ull + 4ull * gc(0, 0x1678); /* 32 bits of it count */
	assert_int_equal(file_read(&c, f, &pos, v, 4), 4);
	assert_int_equal(v[0], 0x8000);
	pos = 2;
	assert_int_equal(file_read(&c, f, &pos, v, 4), -EINVAL);
	pos = 4;
	assert_int_equal(file_read(&c, f, &pos, v, 6), -EINVAL);
	assert_int_equal(file_read(&c, f, &pos, v, 4096), 4096);
	assert_int_equal(file_read(&c, f, &pos, v, 4100), -EINVAL);
	assert_int_equal(file_read(&c, f, &pos, v, 0), 0);
	/* Banks that do not exist */
	uint32_t v2[11] = {[1] = 1, [3] = 6};
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(file_read(&c, f, &pos, v, 4), -EINVAL);
	v2[3] = 5, v2[4] = 2;
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(file_read(&c, f, &pos, v, 4), -EINVAL);
	v2[3] = v2[4] = v2[5] = ~0u;
	v2[10] = ~0u; /* xcc_id is not looked at */
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(file_read(&c, f, &pos, v, 4), 4);
	close_client(&c);
}

static void regs_positions(void **state)
{
	struct client c;
	uint32_t f, v;
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs"), O_RDWR, &f), 0);
	uint64_t pos = 4ull * gc(0, 0x1678);
	assert_int_equal(file_read(&c, f, &pos, &v, 4), 4);
	assert_int_equal(v, 0x8000);
	assert_int_equal(pos, 4ull * gc(0, 0x1678) + 4); /* advances */
	/* SRBM: VMID 5 in 58:54; defect f: the bank is gone from the position afterwards */
	uint64_t tba = 4ull * gc(1, 0x9e6), vmid5 = 1ull << 61 | 5ull << 54;
	pos = vmid5 | tba;
	v = 0x77;
	assert_int_equal(file_write(&c, f, &pos, &v, 4), 4);
	assert_int_equal(pos, tba + 4);
	pos = vmid5 | tba;
	assert_int_equal(file_read(&c, f, &pos, &v, 4), 4);
	assert_int_equal(v, 0x77);
	pos = 1ull << 61 | 6ull << 54 | tba;
	assert_int_equal(file_read(&c, f, &pos, &v, 4), 4);
	assert_int_equal(v, 0);
	pos = 1ull << 61 | 1ull << 62 | tba;
	assert_int_equal(file_read(&c, f, &pos, &v, 4), -EINVAL);
	pos = 1ull << 62 | 6ull << 24 | tba; /* SE 6 of 6 */
	assert_int_equal(file_read(&c, f, &pos, &v, 4), -EINVAL);
	pos = 1ull << 62 | 0x3ffull << 24 | 0x3ffull << 34 | 0x3ffull << 44 | 4ull * gc(0, 0x1678);
	assert_int_equal(file_read(&c, f, &pos, &v, 4), 4);
	assert_int_equal(v, 0x8000);
	pos = 3;
	assert_int_equal(file_read(&c, f, &pos, &v, 4), -EINVAL);
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, (uint32_t[11]){0}), -ENOTTY);
	close_client(&c);
}

/* A wave that loops, halted; where it is, as HW_ID1 says. */
static void waves(void **state)
{
	struct client c;
	open_client(&c);
	struct buffer ib = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB);
	struct buffer code = make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, CODE);
	/* s_mov_b32 s3, 0xcafe; v_mov_b32 v1, 0x1234; s_branch -1 */
	static const uint32_t program[] = {0xbe8300ff, 0xcafe, 0x7e0202ff, 0x1234, 0xbfa0ffff};
	memcpy(code.cpu, program, sizeof(program));
	struct bw_pm4_stream s = {0};
	put_kernel(&s, CODE, 0x123456789a, 1);
	memcpy(ib.cpu, s.data, s.len * 4);
	uint32_t n = (uint32_t)s.len, ctx = make_ctx(&c);
	bw_pm4_stream_free(&s);
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, IB, n, NULL, 0, NULL), 0);
	while (!server_info(&c).waves_resident)
		usleep(1000);
	usleep(20000);
	uint32_t regs, f, w, g;
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs2"), O_RDWR, &regs), 0);
	put(&c, regs, gc(0, 0x111b), 1 | 1 << 4 | 1 << 8); /* SQ_CMD SETHALT, broadcast */

	/* Every place of the GPU, as UMR scans: which has a wave? */
	assert_int_equal(file_open(&c, DEBUG("amdgpu_gprwave"), O_RDONLY, &f), 0);
	uint32_t id[9] = {0}, data[64], found = 0, state32[9];
	for (uint32_t place = 0; place < 6 * 2 * 16; place++) {
		uint32_t bank[11] = {
			[1] = 1, [3] = place / 32, [4] = place / 16 % 2, [5] = place % 16};
		assert_int_equal(file_ioctl(&c, regs, SET_STATE_V2, bank), 0);
		put(&c, regs, gc(0, 0x1118), 0x0a << 16); /* SQ_WAVE_ACTIVE */
		uint32_t active = get(&c, regs, gc(0, 0x1119));
		for (uint32_t wave = 0; wave < 16; wave++) {
			if (!(active >> wave & 1))
				continue;
			uint32_t here[9] = {0, bank[3], bank[4], bank[5], wave};
			memcpy(id, here, sizeof(id));
			found++;
		}
	}
	assert_int_equal(found, 1);
	memcpy(state32, id, sizeof(id));
	assert_int_equal(file_ioctl(&c, f, GPRWAVE_SET_STATE, state32), 0);
	/* SQ_CMD does not wait: the wave halts at its next instruction. */
	uint64_t pos;
	do {
		pos = 0;
		assert_int_equal(file_read(&c, f, &pos, data, 256), 64); /* 16 words: type 3 */
	} while (!(data[1] >> 13 & 1));
	assert_int_equal(pos, 64);
	assert_int_equal(data[0], 3);
	assert_true(data[1] >> 16 & 1);	       /* STATUS.VALID */
	assert_int_equal(data[2], CODE + 16);  /* PC: the branch */
	assert_int_equal(data[4], 0xffffffff); /* EXEC */
	uint32_t hw_id1 = id[4] | (id[3] & 3) << 8 | (id[3] >> 2) << 10 | id[2] << 16 | id[1] << 18;
	assert_int_equal(data[6] & 0x1fffffff, hw_id1);
	assert_int_equal(data[7] >> 24 & 0xf, 1); /* VMID */
	pos = 0;
	assert_int_equal(file_read(&c, f, &pos, data, 8), 8);
	pos = 64;
	assert_int_equal(file_read(&c, f, &pos, data, 8), 0);

	/* SGPRs: all from position 0 */
	id[0] = 1;
	assert_int_equal(file_ioctl(&c, f, GPRWAVE_SET_STATE, memcpy(state32, id, sizeof(id))), 0);
	uint32_t sgprs[128];
	pos = 0;
	assert_int_equal(file_read(&c, f, &pos, sgprs, 496), 496);
	assert_int_equal(sgprs[0], 0x3456789a);
	assert_int_equal(sgprs[1], 0x12);
	assert_int_equal(sgprs[3], 0xcafe);
	/* Defect b: position 4 starts at register 4, and takes the word after that. */
	pos = 4;
	assert_int_equal(file_read(&c, f, &pos, data, 12), 8);
	assert_int_equal(data[0], sgprs[5]);
	/* VGPR 1 of lane 7 */
	id[7] = 7, id[8] = 1;
	assert_int_equal(file_ioctl(&c, f, GPRWAVE_SET_STATE, memcpy(state32, id, sizeof(id))), 0);
	pos = 0;
	assert_int_equal(file_read(&c, f, &pos, data, 8), 8);
	assert_int_equal(data[0], 7);
	assert_int_equal(data[1], 0x1234);
	pos = 0;
	uint8_t large[4100];
	assert_int_equal(file_read(&c, f, &pos, large, 4100), -EINVAL);

	/* The older files say the same. */
	assert_int_equal(file_open(&c, DEBUG("amdgpu_wave"), O_RDONLY, &w), 0);
	uint64_t where = (uint64_t)id[1] << 7 | (uint64_t)id[2] << 15 | (uint64_t)id[3] << 23 |
			 (uint64_t)id[4] << 31;
	pos = where;
	assert_int_equal(file_read(&c, w, &pos, data, 64), 64);
	assert_int_equal(pos, where);
	assert_int_equal(data[2], CODE + 16);
	pos = where | 8;
	assert_int_equal(file_read(&c, w, &pos, data, 4), 4);
	assert_int_equal(data[0], CODE + 16);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_gpr"), O_RDONLY, &g), 0);
	where = (uint64_t)id[1] << 12 | (uint64_t)id[2] << 20 | (uint64_t)id[3] << 28 |
		(uint64_t)id[4] << 36;
	pos = where | 1ull << 60 | 12; /* an SGPR: the offset counts bytes here */
	assert_int_equal(file_read(&c, g, &pos, data, 4), 4);
	assert_int_equal(data[0], 0xcafe);
	pos = where | 9ull << 52 | 4; /* v1 of lane 9 */
	assert_int_equal(file_read(&c, g, &pos, data, 4), 4);
	assert_int_equal(data[0], 0x1234);
	pos = where | 9ull << 52;
	assert_int_equal(file_read(&c, g, &pos, data, 4), 4);
	assert_int_equal(data[0], 9);
	assert_int_equal(file_write(&c, g, &pos, data, 4), -EBADF);
	close_client(&c);
}

/* What the driver of Linux 6.12 leaves in registers: gfx_v11_0.c, gfxhub_v3_0.c, mmhub_v3_0.c,
 * sdma_v6_0.c. */
static void state_of_the_driver(void **state)
{
	struct client c;
	uint32_t f, mqd, v2[11] = {0}, data[512];
	uint64_t pos = 0;
	const uint32_t mm = bw_profile_navi31.mmhub.segment[0];
	open_client(&c);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_regs2"), O_RDWR, &f), 0);
	for (uint32_t vmid = 0; vmid < 16; vmid++) {
		v2[0] = 1, v2[9] = vmid;
		assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
		assert_int_equal(get(&c, f, gc(1, 0x9e4)), 0xc00c); /* SH_MEM_CONFIG */
		uint32_t cntl = vmid ? 0x01fffe07 : 0x01fffe01;
		assert_int_equal(get(&c, f, gc(0, 0x1688) + vmid), cntl); /* CONTEXT*_CNTL */
		assert_int_equal(get(&c, f, mm + 0x740 + vmid), cntl);
	}
	/* The GART: 512 MiB at 0x7fff00000000, in pages. */
	assert_int_equal(get(&c, f, gc(0, 0x1713)), 0xfff00000);
	assert_int_equal(get(&c, f, gc(0, 0x1714)), 7);
	/* Bit 0: enabled, 12: the read pointer is written back, 23: privileged. */
	for (unsigned i = 0; i < 2; i++) {
		uint32_t cntl = get(&c, f, gc(0, 0x80 + i * 0x600));
		assert_int_equal(cntl & (1 | 1 << 12 | 1 << 23), 1 | 1 << 12 | 1 << 23);
		assert_int_equal(cntl >> 1 & 0x3f, 14); /* RB_SIZE: 2^14 dwords */
	}
	/* Compute pipe 2: its descriptor, and what that says of the queue. */
	memset(v2, 0, sizeof(v2));
	v2[0] = 1, v2[6] = 1, v2[7] = 2;
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(file_open(&c, DEBUG("amdgpu_mqd_comp_1.2.0"), O_RDONLY, &mqd), 0);
	assert_int_equal(file_read(&c, mqd, &pos, data, sizeof(data)), 2048);
	assert_int_equal(data[0], 0xc0310800);
	const uint32_t hqd = gc(0, 0x1fa9);
	static const uint8_t same[] = {0, 1, 2, 3, 4, 8, 9, 11, 12, 17, 21, 37, 38, 39};
	for (size_t i = 0; i < sizeof(same); i++)
		assert_int_equal(get(&c, f, hqd + same[i]), data[128 + same[i]]);
	assert_int_not_equal(data[128], 0);
	assert_int_not_equal(data[128 + 11], 0);      /* where the read pointer is reported */
	assert_int_equal(data[128 + 2], 1);	      /* active */
	assert_int_equal(data[128 + 4], 0x0be05501);  /* PERSISTENT_STATE */
	assert_int_equal(data[128 + 21], 0x00300000); /* IB_CONTROL */
	assert_int_equal(data[128 + 39] & 0x3f, 8);   /* EOP_SIZE: 2^9 dwords */
	/* The graphics queue by its other names. */
	v2[6] = 0, v2[7] = 0;
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(get(&c, f, gc(0, 0x1e80)), 1);
	assert_int_equal(get(&c, f, gc(0, 0x1e86)), get(&c, f, gc(0, 0x1fb1)));
	assert_int_equal(get(&c, f, gc(0, 0x1de0)), get(&c, f, gc(0, 0x1fb1)));
	assert_int_equal(get(&c, f, gc(0, 0x1e8f)), 0x00a00000 | 13 | 11 << 8);
	/* GRBM_GFX_INDEX is what selects the bank. */
	memset(v2, 0, sizeof(v2));
	v2[1] = 1, v2[3] = 2, v2[4] = 1, v2[5] = 0x15;
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(get(&c, f, gc(1, 0x2200)), 2 << 16 | 1 << 8 | 0x15);
	v2[3] = v2[4] = v2[5] = ~0u;
	assert_int_equal(file_ioctl(&c, f, SET_STATE_V2, v2), 0);
	assert_int_equal(get(&c, f, gc(1, 0x2200)), 0xe0000000);
	close_client(&c);
}

TESTS_EACH(start_gpu, stop_gpu, regs2_banks_by_vmid, regs2_positions, regs_positions, waves,
	   state_of_the_driver);
TESTS_EACH(start_without_defects, stop_gpu, without_defects_v1_takes_the_vmid);
