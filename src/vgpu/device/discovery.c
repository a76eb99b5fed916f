/* SPDX-License-Identifier: MIT */
/* Layout: discovery.h of Linux 6.12; what the driver checks of it: amdgpu_discovery.c. */
#include "vgpu/device/discovery.h"

#include <assert.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/profile.h"
#include "vgpu/device/image.h"

enum {
	BINARY_SIGNATURE = 0x28211407,
	IP_SIGNATURE = 0x53445049,	/* "IPDS" */
	GC_SIGNATURE = 0x4347,		/* "GC" */
	HARVEST_SIGNATURE = 0x56524148, /* "HARV" */
	TABLES = 0x0c, /* six descriptors of 8 bytes: IP list, GC, harvested blocks, three unused */
	TABLE_B = 8,
	IP_LIST = 0x3c,
	DIES = IP_LIST + 14, /* 16 of {id, offset}, then a padding word */
	DIE = 0x8c,
	FIRST_IP = 0x90,
	N_DIES = 16,
	GC_HEADER_B = 12,
	HARVEST_B = 8 + 32 * 4, /* signature, version, then blocks up to the first with id 0 */
};
_Static_assert(DIES + N_DIES * 4 + 2 <= DIE + 4, "the die follows the list's header");
_Static_assert(sizeof(struct bw_discovery_gc) == BW_DISCOVERY_GC_FIELDS * 4, "fields only");

/* Values that drivers accept (doc/hardware/pci.md 4.2); no part of the model depends on them. */
enum {
	PARAMETER_CACHE = 1024,
	SCRATCH_SLOTS_PER_CU = 32,
	SC_PER_SE = 2,
	PACKER_PER_SC = 1,
	GL2A = 4,
	SDP_INTERFACE = 16,
	GL1C_PER_SA = 4,
};

void bw_discovery_gc_of(const struct bw_profile *p, struct bw_discovery_gc *out)
{
	*out = (struct bw_discovery_gc){
		.num_se = p->n_se,
		.wgp0_per_sa = p->wgp_per_sa - p->wgp_per_sa / 2u,
		.wgp1_per_sa = p->wgp_per_sa / 2u,
		.rb_per_se = p->n_rb / p->n_se,
		.gl2c = p->n_tcc,
		.gprs = p->vgprs_per_simd,
		.max_gs_threads = p->max_gs_waves_per_vgt,
		.gs_table_depth = p->gs_vgt_table_depth,
		.gsprim_buff_depth = p->gs_prim_buffer_depth,
		.parameter_cache_depth = PARAMETER_CACHE,
		.double_offchip_lds = 1,
		.wave_size = p->waves.has_wave32 ? 32 : 64,
		.max_waves_per_simd = p->waves_per_simd,
		.max_scratch_slots_per_cu = SCRATCH_SLOTS_PER_CU,
		.lds_size_kib = p->lds_max_group_b >> 10,
		.sc_per_se = SC_PER_SE,
		.sa_per_se = p->sa_per_se,
		.packer_per_sc = PACKER_PER_SC,
		.gl2a = GL2A,
		.tcp_per_sa = (uint32_t)p->wgp_per_sa * p->cus_per_wgp,
		.sdp_interface = SDP_INTERFACE,
		.tcps = 1,
		.tcp_per_wgp = 2,
		.tcp_l1_kib = p->tcp_kib,
		.sqc_per_wgp = p->sqc_per_wgp,
		.l1i_kib_per_sqc = p->sqc_inst_kib,
		.l1d_kib_per_sqc = p->sqc_data_kib,
		.gl1c_per_sa = GL1C_PER_SA,
		.gl1c_kib = p->gl1_kib / GL1C_PER_SA,
		.gl2c_kib_per_gpu = p->gl2_kib,
	};
}

/* The 16-bit sum of bytes that the driver compares. */
static uint16_t sum(const uint8_t *bytes, size_t n)
{
	uint16_t s = 0;
	for (size_t i = 0; i < n; i++)
		s = (uint16_t)(s + bytes[i]);
	return s;
}

static void put_table(uint8_t *out, unsigned index, size_t at, size_t size)
{
	size_t d = TABLES + index * TABLE_B;
	bw_image_put16(out, d, (uint32_t)at);
	bw_image_put16(out, d + 2, sum(out + at, size));
	bw_image_put16(out, d + 4, (uint32_t)size);
}

static size_t put_ip(uint8_t *out, size_t at, const struct bw_profile *p,
		     const struct bw_profile_ip *ip)
{
	const struct bw_profile_block *b = ip->block ? bw_profile_block(p, ip->block) : NULL;
	const uint32_t *base = b ? b->segment : ip->base;
	uint32_t version = b ? b->version : ip->version;
	assert(at + 8 + ip->n_bases * 4u <= BW_DISCOVERY_MAX_B / 2);
	bw_image_put16(out, at, ip->hw_id);
	out[at + 2] = ip->instance;
	out[at + 3] = ip->n_bases;
	out[at + 4] = (uint8_t)bw_ip_major(version);
	out[at + 5] = (uint8_t)bw_ip_minor(version);
	out[at + 6] = (uint8_t)bw_ip_revision(version);
	at += 8;
	for (unsigned i = 0; i < ip->n_bases; i++, at += 4)
		bw_image_put32(out, at, base[i]);
	return at;
}

/* Version 1.2. Returns the number of fields. */
static size_t gc_fields(const struct bw_discovery_gc *gc, uint32_t out[BW_DISCOVERY_GC_FIELDS])
{
	memcpy(out, gc, sizeof(*gc));
	return BW_DISCOVERY_GC_FIELDS;
}

/* Version 2.1: gc_info_v2_1. Registers are of 64 lanes there. */
static size_t gc9_fields(const struct bw_discovery_gc *gc, uint32_t out[BW_DISCOVERY_GC_FIELDS])
{
	enum { CU_PER_SQC = 2 };
	const uint32_t fields[] = {
		gc->num_se,
		gc->wgp0_per_sa + gc->wgp1_per_sa,
		gc->sa_per_se,
		gc->rb_per_se,
		gc->gl2c,
		gc->gprs / 2,
		gc->max_gs_threads,
		gc->gs_table_depth,
		gc->gsprim_buff_depth,
		gc->parameter_cache_depth,
		gc->double_offchip_lds,
		gc->wave_size,
		gc->max_waves_per_simd,
		gc->max_scratch_slots_per_cu,
		gc->lds_size_kib,
		gc->sc_per_se,
		gc->packer_per_sc,
		gc->tcp_per_sa,
		gc->tcp_l1_kib,
		gc->sdp_interface,
		CU_PER_SQC,
		gc->l1i_kib_per_sqc,
		gc->l1d_kib_per_sqc,
		gc->gl2c_kib_per_gpu,
	};
	_Static_assert(sizeof(fields) <= BW_DISCOVERY_GC_FIELDS * sizeof(out[0]), "there is room");
	memcpy(out, fields, sizeof(fields));
	return BW_ARRAY_SIZE(fields);
}

size_t bw_discovery_make(const struct bw_profile *p, const struct bw_discovery_gc *gc,
			 uint8_t out[BW_DISCOVERY_MAX_B])
{
	memset(out, 0, BW_DISCOVERY_MAX_B);
	bw_image_put16(out, DIE, 0); /* id: equal to its index */
	bw_image_put16(out, DIE + 2, (uint32_t)p->n_ips);
	size_t end = FIRST_IP;
	for (size_t i = 0; i < p->n_ips; i++)
		end = put_ip(out, end, p, &p->ips[i]);
	bw_image_put32(out, IP_LIST, IP_SIGNATURE);
	bw_image_put16(out, IP_LIST + 4, 3); /* version */
	bw_image_put16(out, IP_LIST + 6, (uint32_t)(end - IP_LIST));
	bw_image_put16(out, IP_LIST + 12, 1); /* dies */
	bw_image_put16(out, DIES + 2, DIE);
	put_table(out, 0, IP_LIST, end - IP_LIST);

	bool is_gfx9 = bw_ip_major(p->gc.version) == 9;
	uint32_t fields[BW_DISCOVERY_GC_FIELDS];
	size_t n_fields = is_gfx9 ? gc9_fields(gc, fields) : gc_fields(gc, fields);
	size_t gc_at = end, gc_b = GC_HEADER_B + n_fields * sizeof(fields[0]);
	bw_image_put32(out, gc_at, GC_SIGNATURE);
	bw_image_put16(out, gc_at + 4, is_gfx9 ? 2 : 1); /* version 2.1 or 1.2 */
	bw_image_put16(out, gc_at + 6, is_gfx9 ? 1 : 2);
	bw_image_put32(out, gc_at + 8, (uint32_t)gc_b);
	for (unsigned i = 0; i < n_fields; i++)
		bw_image_put32(out, gc_at + GC_HEADER_B + i * 4u, fields[i]);
	put_table(out, 1, gc_at, gc_b);

	/* Nothing is harvested: an empty list, which umr wants all the same. */
	size_t harvest_at = gc_at + gc_b;
	bw_image_put32(out, harvest_at, HARVEST_SIGNATURE);
	put_table(out, 2, harvest_at, HARVEST_B);

	size_t total = harvest_at + HARVEST_B;
	bw_image_put32(out, 0, BINARY_SIGNATURE);
	bw_image_put16(out, 4, 1); /* version 1.1 */
	bw_image_put16(out, 6, 1);
	bw_image_put16(out, 10, (uint32_t)total);
	bw_image_put16(out, 8, sum(out + 10, total - 10));
	return total;
}
