/* SPDX-License-Identifier: MIT */
#include "regs/regs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"

static const struct bw_regs_block *block(const char *name, uint32_t version)
{
	const struct bw_regs_block *b = NULL;
	struct bw_error *err = bw_regs_find(name, version, &b);
	if (err)
		fail_msg("%s", err->message);
	return b;
}

static const struct bw_regs_block *gc11(void)
{
	return block("gc", BW_IP_VERSION(11, 0, 0));
}

static struct bw_reg reg_named(const struct bw_regs_block *b, const char *name)
{
	struct bw_reg reg = {0};
	struct bw_error *err = bw_regs_by_name(b, name, &reg);
	if (err)
		fail_msg("%s", err->message);
	return reg;
}

/* One row of known.txt. */
static void check_known(const char *line)
{
	char name[32], reg_name[96], segment[32];
	unsigned major, minor, rev, offset, hi, lo;
	int used;
	if (sscanf(line, "%31s %u.%u.%u %95s %x/%31s%n", name, &major, &minor, &rev, reg_name,
		   &offset, segment, &used) != 7)
		fail_msg("known.txt: cannot read '%s'", line);
	const struct bw_regs_block *b = block(name, BW_IP_VERSION(major, minor, rev));
	struct bw_reg reg = reg_named(b, reg_name);
	if (!strncmp(segment, "ix:", 3)) {
		assert_int_equal(reg.segment, BW_REG_INDEXED);
		assert_string_equal(reg.space, segment + 3);
	} else if (reg.segment != atoi(segment)) {
		fail_msg("%s: segment %d", line, reg.segment);
	}
	if (reg.offset_dw != offset)
		fail_msg("%s: offset %#x", line, reg.offset_dw);
	for (line += used; sscanf(line, "%95s %u:%u%n", reg_name, &hi, &lo, &used) == 3;
	     line += used) {
		struct bw_reg_field f = {0};
		struct bw_error *err = bw_reg_field_by_name(&reg, reg_name, &f);
		if (err)
			fail_msg("%s", err->message);
		if (f.hi != hi || f.lo != lo)
			fail_msg("%s.%s is %u:%u, not %u:%u", reg.name, f.name, f.hi, f.lo, hi, lo);
	}
	if (sscanf(line, "%95s", reg_name) == 1)
		fail_msg("known.txt: cannot read '%s'", line);
}

static void known_places(void **state)
{
	char path[4096], *line = NULL;
	size_t cap = 0, n = 0;
	snprintf(path, sizeof(path), "%s/tests/regs/known.txt", getenv("BREAKWATER_SOURCE"));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		if (*line == '#' || *line == '\n')
			continue;
		check_known(line);
		n++;
	}
	free(line);
	fclose(f);
	print_message("%zu known registers\n", n);
	assert_true(n > 340);
}

static void versions(void **state)
{
	static const struct {
		const char *block;
		uint32_t asked, used;
	} rows[] = {
		{"gc", BW_IP_VERSION(9, 1, 0), BW_IP_VERSION(9, 0, 0)},
		{"GC", BW_IP_VERSION(9, 4, 4), BW_IP_VERSION(9, 4, 3)},
		{"gc", BW_IP_VERSION(10, 1, 10), BW_IP_VERSION(10, 1, 0)}, /* Navi10 */
		{"gc", BW_IP_VERSION(10, 1, 4), BW_IP_VERSION(10, 1, 0)},  /* BC-250 */
		{"mmhub", BW_IP_VERSION(2, 0, 3), BW_IP_VERSION(2, 0, 0)},
		{"gc", BW_IP_VERSION(12, 1, 0), BW_IP_VERSION(12, 1, 0)},
		{"gc", BW_IP_VERSION(10, 3, 7), BW_IP_VERSION(10, 3, 0)},
		{"gc", BW_IP_VERSION(11, 0, 2), BW_IP_VERSION(11, 0, 0)},
		{"gc", BW_IP_VERSION(11, 0, 3), BW_IP_VERSION(11, 0, 3)},
		{"gc", BW_IP_VERSION(11, 0, 4), BW_IP_VERSION(11, 0, 0)},
		{"gc", BW_IP_VERSION(11, 5, 2), BW_IP_VERSION(11, 5, 0)},
		{"gc", BW_IP_VERSION(12, 0, 1), BW_IP_VERSION(12, 0, 0)},
		{"mmhub", BW_IP_VERSION(9, 4, 0), BW_IP_VERSION(1, 0, 0)},
		{"mmhub", BW_IP_VERSION(2, 1, 0), BW_IP_VERSION(2, 0, 0)},
		{"sdma1", BW_IP_VERSION(4, 1, 2), BW_IP_VERSION(4, 0, 0)},
		{"osssys", BW_IP_VERSION(6, 0, 0), BW_IP_VERSION(6, 0, 0)},
		{"hdp", BW_IP_VERSION(6, 0, 0), BW_IP_VERSION(6, 0, 0)},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(bw_regs_version(block(rows[i].block, rows[i].asked)),
				 rows[i].used);
}

static void check_refused(const char *name, uint32_t version, const char *message)
{
	const struct bw_regs_block *b = NULL;
	struct bw_error *err = bw_regs_find(name, version, &b);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_NOT_FOUND);
	assert_string_equal(err->message, message);
	assert_null(b);
	bw_error_free(err);
}

static void versions_unknown(void **state)
{
	check_refused("hdp", BW_IP_VERSION(8, 0, 0),
		      "no registers known for hdp 8.0.0 (known versions: 4.0.0, 4.4.2, 5.0.0, "
		      "5.2.1, 6.0.0, 7.0.0)");
	check_refused("vcn", BW_IP_VERSION(4, 0, 0),
		      "no registers known for a block 'vcn' (known blocks: gc, hdp, mmhub, osssys, "
		      "sdma, sdma0, sdma1)");
	check_refused("sdma0", BW_IP_VERSION(6, 0, 0),
		      "the registers of sdma0 6.0.0 are in the block gc, with its version");
}

static void names_as_typed(void **state)
{
	static const char *const typed[] = {"GRBM_STATUS", "grbm_status", "mmGRBM_STATUS",
					    "regGRBM_STATUS", "MMgrbm_Status"};
	struct bw_reg reg;
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		reg = reg_named(gc11(), typed[i]);
		assert_string_equal(reg.name, "GRBM_STATUS");
		assert_string_equal(reg.prefix, "reg");
	}
	assert_string_equal(reg_named(gc11(), "ixSQ_WAVE_STATUS").name, "SQ_WAVE_STATUS");
	assert_string_equal(reg_named(gc11(), "sq_wave_status").prefix, "ix");
	/* the prefix says of which kind it is */
	assert_false(bw_regs_lookup(gc11(), "mmSQ_WAVE_STATUS", &reg));
	assert_false(bw_regs_lookup(gc11(), "ixGRBM_STATUS", &reg));
	assert_false(bw_regs_lookup(gc11(), "", &reg));
	assert_false(bw_regs_lookup(gc11(), "mm", &reg));
	/* a name that begins like a prefix */
	reg = reg_named(block("mmhub", BW_IP_VERSION(3, 0, 0)), "MMMC_VM_FB_OFFSET");
	assert_string_equal(reg.name, "MMMC_VM_FB_OFFSET");
	assert_string_equal(reg_named(block("gc", BW_IP_VERSION(9, 0, 1)), "regGRBM_STATUS").prefix,
			    "mm");
}

static void names_misspelt(void **state)
{
	struct bw_reg reg;
	struct bw_error *err = bw_regs_by_name(gc11(), "mmGRBM_STATS", &reg);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_NOT_FOUND);
	assert_non_null(strstr(err->message,
			       "gc 11.0.0 has no register 'mmGRBM_STATS'; nearest: GRBM_STATUS"));
	bw_error_free(err);
	err = bw_regs_by_name(gc11(), "xyzzy_xyzzy_xyzzy", &reg);
	assert_non_null(err);
	assert_string_equal(err->message, "gc 11.0.0 has no register 'xyzzy_xyzzy_xyzzy'");
	bw_error_free(err);
}

/* Every register is found by its name and among those at its place, in every table. */
static void every_register(void **state)
{
	static const uint32_t bases[] = {0x1000000, 0x2000000, 0x3000000, 0x4000000,
					 0x5000000, 0x6000000, 0x7000000, 0x8000000};
	const struct bw_regs_block *b;
	size_t n_blocks = 0, n_regs = 0;
	for (; (b = bw_regs_nth(n_blocks)); n_blocks++) {
		for (size_t i = 0; i < bw_regs_count(b); i++, n_regs++) {
			struct bw_reg reg = bw_regs_get(b, i), found, first;
			char full[128];
			snprintf(full, sizeof(full), "%s%s", reg.prefix, reg.name);
			assert_true(bw_regs_lookup(b, full, &found));
			assert_int_equal(found.index, i);
			size_t n;
			uint32_t addr;
			if (reg.segment == BW_REG_INDEXED) {
				n = bw_regs_at_index(b, reg.space, reg.offset_dw, &first);
				struct bw_error *err = bw_reg_address(&reg, bases, 8, &addr);
				assert_non_null(err);
				bw_error_free(err);
			} else {
				assert_null(bw_regs_address(b, full, bases, 8, &addr));
				assert_int_equal(addr, bases[reg.segment] + reg.offset_dw);
				n = bw_regs_at_address(b, bases, 8, addr, &first);
				assert_int_equal(bw_regs_at(b, reg.segment, reg.offset_dw, &found),
						 n);
				assert_int_equal(found.index, first.index);
			}
			assert_in_range(i, first.index, first.index + n - 1);
			/* and its neighbours are elsewhere */
			if (first.index) {
				struct bw_reg before = bw_regs_get(b, first.index - 1);
				assert_true(before.segment != reg.segment ||
					    before.space != reg.space ||
					    before.offset_dw != reg.offset_dw);
			}
		}
	}
	print_message("%zu tables, %zu registers, %zu bytes\n", n_blocks, n_regs,
		      bw_regs_tables_size_b());
	assert_true(n_blocks >= 30 && n_regs > 45000);
	/* about 400 KB a GC version is what the issue allows: 7 of those */
	assert_true(bw_regs_tables_size_b() < 7 * 400 * 1024);
}

static void places_without_register(void **state)
{
	static const uint32_t bases[] = {0x1260, 0xa000};
	struct bw_reg reg;
	uint32_t addr;
	assert_int_equal(bw_regs_at(gc11(), 0, 0xffff, &reg), 0);
	assert_int_equal(bw_regs_at(gc11(), 7, 0, &reg), 0);
	assert_int_equal(bw_regs_at(gc11(), -1, 0, &reg), 0);
	assert_int_equal(bw_regs_at(gc11(), 128, 0, &reg), 0);
	assert_int_equal(bw_regs_at_index(gc11(), "nothing", 0x102, &reg), 0);
	assert_int_equal(bw_regs_at_index(gc11(), "sq", 0x7777, &reg), 0);
	assert_int_equal(bw_regs_at_address(gc11(), bases, 2, 0x10, &reg), 0);
	assert_int_equal(bw_regs_at_address(gc11(), bases, 2, UINT32_MAX, &reg), 0);
	/* GRBM_GFX_INDEX is in segment 1 */
	struct bw_error *err = bw_regs_address(gc11(), "GRBM_GFX_INDEX", bases, 1, &addr);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_INVALID);
	bw_error_free(err);
	assert_null(bw_regs_address(gc11(), "GRBM_GFX_INDEX", bases, 2, &addr));
	assert_int_equal(addr, 0xa000 + 0x2200);
	assert_int_equal(bw_regs_at_address(gc11(), bases, 2, 0x1260 + 0xda4, &reg), 1);
	assert_string_equal(reg.name, "GRBM_STATUS");
}

static void several_names_at_one_place(void **state)
{
	struct bw_reg a = reg_named(gc11(), "CP_RB_RPTR"), b = reg_named(gc11(), "CP_RB0_RPTR"),
		      first;
	assert_int_equal(a.offset_dw, b.offset_dw);
	assert_int_equal(bw_regs_at(gc11(), a.segment, a.offset_dw, &first), 2);
	assert_int_equal(a.index + b.index, 2 * first.index + 1);
}

/* All fields of all registers: a value that is set is read back, and no other bit changes. */
static void encode_decode(void **state)
{
	const struct bw_regs_block *b;
	size_t n_fields = 0;
	for (size_t n = 0; (b = bw_regs_nth(n)); n++) {
		for (size_t i = 0; i < bw_regs_count(b); i++) {
			struct bw_reg reg = bw_regs_get(b, i);
			struct bw_reg_field_value values[64], again[64];
			const uint64_t before = 0xa5c396f00f693c5aull * (i + 1);
			assert_true(reg.n_fields <= 64);
			assert_int_equal(bw_reg_decode(&reg, before, values, 64), reg.n_fields);
			for (unsigned k = 0; k < reg.n_fields; k++, n_fields++) {
				struct bw_reg_field f = values[k].field;
				uint64_t max = bw_reg_field_max(f),
					 value = 0x123456789abcdef0ull * (k + 7) & max, word;
				assert_true(!k || f.lo > values[k - 1].field.hi);
				assert_int_equal(values[k].value, before >> f.lo & max);
				assert_null(bw_reg_encode(&reg, f.name, value, before, &word));
				bw_reg_decode(&reg, word, again, 64);
				for (unsigned m = 0; m < reg.n_fields; m++)
					assert_int_equal(again[m].value,
							 m == k ? value : values[m].value);
				assert_int_equal((word ^ before) & ~(max << f.lo), 0);
			}
		}
	}
	print_message("%zu fields\n", n_fields);
	assert_true(n_fields > 100000);
}

static void encode_refuses(void **state)
{
	struct bw_reg reg = reg_named(gc11(), "GRBM_GFX_CNTL");
	uint64_t word = 0x77;
	struct bw_error *err = bw_reg_encode(&reg, "VMID", 16, 0, &word);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_INVALID);
	assert_string_equal(err->message,
			    "0x10 does not fit into GRBM_GFX_CNTL.VMID (4 bits, at most 0xf)");
	bw_error_free(err);
	err = bw_reg_encode(&reg, "PASID", 1, 0, &word);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_NOT_FOUND);
	assert_string_equal(
		err->message,
		"GRBM_GFX_CNTL has no field 'PASID' (it has PIPEID, MEID, VMID, QUEUEID, CTXID)");
	bw_error_free(err);
	assert_int_equal(word, 0x77);
	assert_null(bw_reg_encode(&reg, "vmid", 8, 0, &word));
	assert_int_equal(word, 8 << 4);
}

static size_t count_matches(const char *pattern)
{
	struct bw_reg reg;
	size_t at = 0, n = 0;
	while (bw_regs_match_next(gc11(), pattern, &at, &reg))
		n++;
	return n;
}

static void patterns(void **state)
{
	struct bw_reg reg;
	size_t at = 0, by_hand = 0;
	for (size_t i = 0; i < bw_regs_count(gc11()); i++)
		by_hand += strstr(bw_regs_get(gc11(), i).name, "GRBM") != NULL;
	assert_int_equal(count_matches("*GRBM*"), by_hand);
	assert_true(by_hand > 20);
	assert_int_equal(count_matches("*"), bw_regs_count(gc11()));
	assert_int_equal(count_matches("mmGRBM_STATUS"), 1);
	assert_int_equal(count_matches("regGRBM_STATUS?"), count_matches("grbm_status?"));
	assert_int_equal(count_matches("TCP_WATCH?_CNTL"), 4);
	assert_int_equal(count_matches("ixSQ_WAVE_PC_*"), 2);
	assert_int_equal(count_matches("*WATCH*ADDR*H"),
			 count_matches("TCP_WATCH?_ADDR_H") + count_matches("SQ_WATCH?_ADDR_H"));
	assert_int_equal(count_matches("no_such*"), 0);
	assert_int_equal(count_matches(""), 0);
	assert_true(bw_regs_match_next(gc11(), "TCP_WATCH?_CNTL", &at, &reg));
	assert_string_equal(reg.name, "TCP_WATCH0_CNTL");
}

TESTS(known_places, versions, versions_unknown, names_as_typed, names_misspelt, every_register,
      places_without_register, several_names_at_one_place, encode_decode, encode_refuses, patterns);
