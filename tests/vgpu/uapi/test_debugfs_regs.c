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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(regs2_banks_by_vmid, start_gpu, stop_gpu),
		cmocka_unit_test_setup_teardown(without_defects_v1_takes_the_vmid,
						start_without_defects, stop_gpu),
		cmocka_unit_test_setup_teardown(regs2_positions, start_gpu, stop_gpu),
		cmocka_unit_test_setup_teardown(regs_positions, start_gpu, stop_gpu),
		cmocka_unit_test_setup_teardown(waves, start_gpu, stop_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
