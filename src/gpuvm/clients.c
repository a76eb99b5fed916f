/* SPDX-License-Identifier: MIT */
/* The names of clients that request translations, by their numbers in the two hubs. The graphics
 * hub: gmc_v9_0.c, gfxhub_v2_0/2_1/3_0/3_0_3/11_5_0.c of Linux 6.12, gfxhub_v12_0/12_1.c of Linux
 * 7.1. The memory hub: gmc_v9_0.c, gmc_v10_0.c, mmhub_v2_0/2_3/3_0/3_0_1/3_0_2/3_3/4_1_0.c of Linux
 * 6.12, and mmhub_v3_3.c of 7.1 for what 6.12 lacks. */
#include "gpuvm/fault.h"

#include "base/ip_version.h"
#include "base/util.h"

struct client {
	uint16_t id;
	const char *read, *write; /* NULL: the kernel has no name */
};

/* clang-format off */
static const struct client mm_raven[] = {
	{0x00, "MP1", "MP1"}, {0x01, "MP0", "MP0"}, {0x02, "VCN", "VCN"}, {0x03, "VCNU", "VCNU"}, {0x04, "HDP", "HDP"}, {0x05, "DCE", "XDP"}, {0x06, NULL, "DBGU0"}, {0x07, NULL, "DCE"}, {0x08, NULL, "DCEDWB0"}, {0x09, NULL, "DCEDWB1"}, {0x0d, "UTCL2", NULL}, {0x13, "TLS", NULL}, {0x1a, "OSS", "OSS"}, {0x1b, "SDMA0", "SDMA0"},
};
static const struct client mm_renoir[] = {
	{0x00, "MP1", "MP1"}, {0x01, "MP0", "MP0"}, {0x02, "HDP", "HDP"}, {0x03, NULL, "XDP"}, {0x04, "DCEDMC", NULL}, {0x05, "DCEVGA", NULL}, {0x06, NULL, "DBGU0"}, {0x07, NULL, "DCEDMC"}, {0x08, NULL, "DCEVGA"}, {0x09, NULL, "DCEDWB"}, {0x0d, "UTCL2", NULL}, {0x13, "TLS", NULL}, {0x1a, "OSS", "OSS"}, {0x1b, "SDMA0", "SDMA0"}, {0x1c, "VCN", "VCN"}, {0x1d, "VCNU", "VCNU"}, {0x1e, "JPEG", "JPEG"},
};
static const struct client mm_vega10[] = {
	{0x00, "MP0", "MP0"}, {0x01, "UVD", "UVD"}, {0x02, "UVDU", "UVDU"}, {0x03, "HDP", "DBGU0"}, {0x04, NULL, "HDP"}, {0x05, NULL, "XDP"}, {0x0d, "UTCL2", NULL}, {0x0e, "OSS", "OSS"}, {0x0f, "SDMA1", "SDMA0"},
};
static const struct client mm_vega12[] = {
	{0x00, "MP0", "MP0"}, {0x01, "VCE0", "VCE0"}, {0x02, "VCE0U", "VCE0U"}, {0x03, "HDP", "DBGU0"}, {0x04, NULL, "HDP"}, {0x05, NULL, "XDP"}, {0x0d, "UTCL2", NULL}, {0x0e, "OSS", "OSS"}, {0x0f, "SDMA1", "SDMA0"},
};
static const struct client mm_vega20[] = {
	{0x00, "XDMA", "XDMA"}, {0x01, "DCE", "DCE"}, {0x02, "VCE0", "DCEDWB"}, {0x03, "VCE0U", "VCE0"}, {0x04, "UVD", "VCE0U"}, {0x05, "UVD1U", "UVD1"}, {0x06, NULL, "UVD1U"}, {0x07, NULL, "DBGU0"}, {0x08, NULL, "XDP"}, {0x0d, "OSS", "OSS"}, {0x0e, "HDP", "HDP"}, {0x0f, "SDMA0", "SDMA0"},
};
static const struct client mm_arcturus[] = {
	{0x00, "DBGU1", "DBGU1"}, {0x01, "XDP", "XDP"}, {0x02, "MP1", "MP1"}, {0x0e, "HDP", "HDP"}, {0xab, "JPEG", "JPEG"}, {0xac, "VCN", "VCN"}, {0xad, "VCNU", "VCNU"}, {0xcb, "JPEG1", "JPEG1"}, {0xcc, "VCN1", "VCN1"}, {0xcd, "VCN1U", "VCN1U"}, {0x100, "SDMA0", "SDMA0"}, {0x101, "SDMA1", "SDMA1"}, {0x102, "SDMA2", "SDMA2"}, {0x103, "SDMA3", "SDMA3"}, {0x104, "SDMA4", "SDMA4"}, {0x105, "SDMA5", "SDMA5"}, {0x106, "SDMA6", "SDMA6"}, {0x107, "SDMA7", "SDMA7"}, {0x180, "OSS", "OSS"},
};
static const struct client mm_aldebaran[] = {
	{0x02, "MP1", "MP1"}, {0x03, "MP0", "MP0"},
};
static const struct client mm_navi1x[] = {
	{0x03, "DCEDMC", "DCEDMC"}, {0x04, "DCEVGA", "DCEXFC"}, {0x05, "MP0", "DCEVGA"}, {0x06, "MP1", "DCEDWB"}, {0x07, NULL, "MP0"}, {0x08, NULL, "MP1"}, {0x09, NULL, "DBGU1"}, {0x0a, NULL, "DBGU0"}, {0x0b, NULL, "XDP"}, {0x0d, "VMC", NULL}, {0x0e, "HDP", "HDP"}, {0x0f, "OSS", "OSS"}, {0x10, "VCNU", "VCNU"}, {0x11, "JPEG", "JPEG"}, {0x12, "VCN", "VCN"},
};
static const struct client mm_navi21[] = {
	{0x00, NULL, "DBGU0"}, {0x01, NULL, "DBGU1"}, {0x02, NULL, "DCEDWB"}, {0x03, "DCEDMC", "DCEDMC"}, {0x04, "DCEVGA", "DCEVGA"}, {0x05, "MP0", "MP0"}, {0x06, "MP1", "MP1"}, {0x07, NULL, "XDP"}, {0x08, "VMC", NULL}, {0x09, "VCNU0", "VCNU0"}, {0x0a, "JPEG", "JPEG"}, {0x0b, NULL, "VCN0"}, {0x0c, "VCNU1", "VCNU1"}, {0x0d, "VCN1", "VCN1"}, {0x0e, "HDP", "HDP"}, {0x0f, "OSS", "OSS"},
};
static const struct client mm_navi24[] = {
	{0x00, NULL, "DBGU0"}, {0x01, NULL, "DBGU1"}, {0x02, NULL, "DCEDWB"}, {0x03, "DCEDMC", "DCEDMC"}, {0x04, "DCEVGA", "DCEVGA"}, {0x05, "MP0", "MP0"}, {0x06, "MP1", "MP1"}, {0x07, NULL, "XDP"}, {0x08, "VMC", NULL}, {0x09, "VCNU0", "VCNU0"}, {0x0b, "VCN0", "VCN0"}, {0x0e, "HDP", "HDP"}, {0x0f, "OSS", "OSS"},
};
static const struct client mm_vangogh[] = {
	{0x00, "MP0", "MP0"}, {0x01, "MP1", "MP1"}, {0x02, "DCEDMC", "DCEDMC"}, {0x03, "DCEVGA", "DCEVGA"}, {0x04, NULL, "DCEDWB"}, {0x05, NULL, "XDP"}, {0x0d, "UTCL2", NULL}, {0x1a, "OSS", "OSS"}, {0x1b, "HDP", "HDP"}, {0x1c, "VCN", "VCN"}, {0x1d, "VCNU", "VCNU"}, {0x1e, "JPEG", "JPEG"},
};
static const struct client mm_v3_0[] = {
	{0x00, "VMC", NULL}, {0x02, NULL, "DBGUNBIO"}, {0x03, NULL, "DCEDWB"}, {0x04, "DCEDMC", "DCEDMC"}, {0x05, "DCEVGA", "DCEVGA"}, {0x06, "MP0", "MP0"}, {0x07, "MP1", "MP1"}, {0x08, "MPIO", "MPIO"}, {0x0a, NULL, "DBGU0"}, {0x0b, NULL, "DBGU1"}, {0x0c, NULL, "DBGU2"}, {0x0d, NULL, "DBGU3"}, {0x0e, NULL, "XDP"}, {0x0f, NULL, "OSSSYS"}, {0x10, "HDP", "HDP"}, {0x11, "LSDMA", "LSDMA"}, {0x12, "JPEG", "JPEG"}, {0x13, "VCNU0", "VCNU0"}, {0x14, NULL, "VCN0"}, {0x15, "VSCH", "VSCH"}, {0x16, "VCNU1", "VCNU1"}, {0x17, "VCN1", "VCN1"},
};
static const struct client mm_v3_0_1[] = {
	{0x00, "VMC", NULL}, {0x01, "ISPXT", "ISPXT"}, {0x02, "ISPIXT", "ISPIXT"}, {0x03, NULL, "DCEDWB"}, {0x04, "DCEDMC", "DCEDMC"}, {0x05, "DCEVGA", "DCEVGA"}, {0x06, "MP0", "MP0"}, {0x07, "MP1", "MP1"}, {0x08, "MPM", "MPM"}, {0x0a, NULL, "ISPMWR0"}, {0x0b, NULL, "ISPMWR1"}, {0x0c, "ISPTNR", "ISPTNR"}, {0x0d, NULL, "ISPSWR"}, {0x0e, "ISPCRD0", "ISPCWR0"}, {0x0f, "ISPCRD1", "ISPCWR1"}, {0x10, "ISPCRD2", "ISPCWR2"}, {0x11, NULL, "ISPCWR3"}, {0x12, NULL, "XDP"}, {0x15, NULL, "OSSSYS"}, {0x16, "HDP", "HDP"}, {0x17, "LSDMA", "LSDMA"}, {0x18, "JPEG", "JPEG"}, {0x1b, "VSCH", "VSCH"}, {0x1c, "VCNU", "VCNU"}, {0x1d, "VCN", "VCN"},
};
static const struct client mm_v3_3[] = {
	{0x00, "VMC", NULL}, {0x01, "ISPXT", "ISPXT"}, {0x02, "ISPIXT", "ISPIXT"}, {0x03, NULL, "DCEDWB"}, {0x04, "DCEDMC", "DCEDMC"}, {0x05, NULL, "ISPCSISWR"}, {0x06, "MP0", "MP0"}, {0x07, "MP1", "MP1"}, {0x08, "MPM", "MPM"}, {0x09, "ISPPDPRD", "ISPPDPWR"}, {0x0a, "ISPCSTATRD", "ISPCSTATWR"}, {0x0b, "ISPBYRPRD", "ISPBYRPWR"}, {0x0c, "ISPRGBPRD", "ISPRGBPWR"}, {0x0d, "ISPMCFPRD", "ISPMCFPWR"}, {0x0e, "ISPMCFPRD1", "ISPMWR0"}, {0x0f, "ISPYUVPRD", "ISPYUVPWR"}, {0x10, "ISPMCSCRD", "ISPMCSCWR"}, {0x11, "ISPGDCRD", "ISPGDCWR"}, {0x12, "ISPLMERD", "ISPLMEWR"}, {0x14, NULL, "ISPMWR2"}, {0x15, NULL, "OSSSYS"}, {0x16, "ISPXT1", "ISPXT1"}, {0x17, "ISPIXT1", "ISPIXT1"}, {0x18, "HDP", "HDP"}, {0x19, "LSDMA", "LSDMA"}, {0x1a, "JPEG", "JPEG"}, {0x1b, "VPE", "VPE"}, {0x1c, "VSCH", "VSCH"}, {0x1d, "VCNU", "VCNU"}, {0x1e, "VCN", "VCN"},
};
static const struct client mm_v3_3_1[] = {
	{0x00, "VMC", NULL}, {0x03, NULL, "DCEDWB"}, {0x04, "DCEDMC", "DCEDMC"}, {0x06, "MP0", "MP0"}, {0x07, "MP1", "MP1"}, {0x08, "MPM", "MPM"}, {0x15, NULL, "OSSSYS"}, {0x18, "HDP", "HDP"}, {0x19, "LSDMA", "LSDMA"}, {0x1a, "JPEG0", "JPEG0"}, {0x1b, "VPE0", "VPE0"}, {0x1c, "VSCH", "VSCH"}, {0x1d, "VCNU0", "VCNU0"}, {0x1e, "VCN0", "VCN0"},
};
static const struct client mm_v3_4[] = {
	{0x00, "VMC", NULL}, {0x03, NULL, "DCEDWB"}, {0x04, "DCEDMC", "DCEDMC"}, {0x05, "MPXSP", "MPXSP"}, {0x06, "MPASP", "MPASAP"}, {0x07, "MP1", "MP1"}, {0x08, "MPM", "MPM"}, {0x15, NULL, "OSSSYS"}, {0x17, "HDP", "HDP"}, {0x18, "LSDMA", "LSDMA"}, {0x19, "JPEG", "JPEG"}, {0x1a, "VPE", "VPE"}, {0x1b, "VSCH", "VSCH"}, {0x1c, "VCNU", NULL}, {0x1d, NULL, "VCNWR"}, {0x1e, "VCNRD", NULL},
};
static const struct client mm_v4_1[] = {
	{0x00, "VMC", NULL}, {0x03, NULL, "DCEDWB"}, {0x04, "DCEDMC", "DCEDMC"}, {0x06, "MP0", "MP0"}, {0x07, "MP1", "MP1"}, {0x08, "MPIO", "MPIO"}, {0x0a, NULL, "DBGU0"}, {0x0b, NULL, "DBGU1"}, {0x0c, NULL, "DBGUNBIO"}, {0x0e, NULL, "XDP"}, {0x0f, NULL, "OSSSYS"}, {0x10, "LSDMA", "LSDMA"}, {0x11, "JPEG", "JPEG"}, {0x12, NULL, "VCNWR"}, {0x13, "VCNU", "VCNU"}, {0x16, "VSCH", "VSCH"}, {0x17, "HDP", "HDP"},
};
/* clang-format on */
#define V BW_IP_VERSION
#define TABLE(t) t, BW_ARRAY_SIZE(t)

static const struct {
	uint32_t gc_major, first, last; /* versions of the memory hub, both included */
	const struct client *clients;
	size_t n;
} tables[] = {
	{9, V(9, 0, 0), V(9, 0, 0), TABLE(mm_vega10)},
	{9, V(9, 3, 0), V(9, 3, 0), TABLE(mm_vega12)},
	{9, V(9, 4, 0), V(9, 4, 0), TABLE(mm_vega20)},
	{9, V(9, 4, 1), V(9, 4, 1), TABLE(mm_arcturus)},
	{9, V(9, 1, 0), V(9, 2, 0), TABLE(mm_raven)},
	{9, V(1, 5, 0), V(1, 5, 0), TABLE(mm_renoir)},
	{9, V(2, 4, 0), V(2, 4, 0), TABLE(mm_renoir)},
	{9, V(9, 4, 2), V(9, 4, 2), TABLE(mm_aldebaran)},
	{9, V(1, 8, 0), V(1, 8, 1), TABLE(mm_aldebaran)},
	{10, V(2, 0, 0), V(2, 0, 2), TABLE(mm_navi1x)},
	{10, V(2, 1, 0), V(2, 1, 1), TABLE(mm_navi21)},
	{10, V(2, 1, 2), V(2, 1, 2), TABLE(mm_navi24)},
	{10, V(2, 3, 0), V(2, 4, 1), TABLE(mm_vangogh)},
	{11, V(3, 0, 0), V(3, 0, 0), TABLE(mm_v3_0)},
	{11, V(3, 0, 2), V(3, 0, 2), TABLE(mm_v3_0)},
	{11, V(3, 0, 1), V(3, 0, 1), TABLE(mm_v3_0_1)},
	{11, V(3, 3, 0), V(3, 3, 0), TABLE(mm_v3_3)},
	{11, V(3, 3, 2), V(3, 3, 2), TABLE(mm_v3_3)},
	{11, V(3, 3, 1), V(3, 3, 1), TABLE(mm_v3_3_1)},
	{11, V(3, 4, 0), V(3, 4, 0), TABLE(mm_v3_4)},
	{12, V(4, 1, 0), V(4, 1, 0), TABLE(mm_v4_1)},
	{12, V(4, 2, 0), V(4, 2, 0), TABLE(mm_v3_0)},
};

static const char *memory_client(const struct bw_gpuvm_part *part, unsigned client, bool write)
{
	/* mmhub_v3_3.c names this one before it looks into the table. */
	if (bw_ip_same_minor(part->mm, V(3, 3, 0)) && client == 0x140)
		return "UMSCH";
	for (size_t t = 0; t < BW_ARRAY_SIZE(tables); t++) {
		if (tables[t].gc_major != bw_ip_major(part->gc) || part->mm < tables[t].first ||
		    part->mm > tables[t].last)
			continue;
		for (size_t i = 0; i < tables[t].n; i++)
			if (tables[t].clients[i].id == client)
				return write ? tables[t].clients[i].write
					     : tables[t].clients[i].read;
		return NULL;
	}
	return NULL;
}

static const char *const gfx9[] = {"CB",  "DB",	 "IA",	       "WD",	     "CPF", "CPC", "CPG",
				   "RLC", "TCP", "SQC (inst)", "SQC (data)", "SQG", "PA"};
static const char *const gfx10[] = {
	"CB/DB",      "Reserved",   "GE1", "GE2",      "CPF",	"CPC",	 "CPG", "RLC",	 "TCP",
	"SQC (inst)", "SQC (data)", "SQG", "Reserved", "SDMA0", "SDMA1", "GCR", "SDMA2", "SDMA3"};
static const char *const gfx12[] = {
	"CB",	 "DB",	"GE1",	      "GE2",	    "CPF",	 "CPC",	     "CPG",
	"RLC",	 "TCP", "SQC (inst)", "SQC (data)", "SQG/PC/SC", "Reserved", "SDMA0",
	"SDMA1", "GCR", "Reserved",   "Reserved",   "WGS",	 "DSM",	     "PA"};

static const char *graphics_client(enum bw_gpuvm_gen gen, unsigned client)
{
	const char *const *names = gen == BW_GPUVM_GFX9	  ? gfx9
				   : gen < BW_GPUVM_GFX12 ? gfx10
							  : gfx12;
	size_t n = gen == BW_GPUVM_GFX9	  ? BW_ARRAY_SIZE(gfx9)
		   : gen < BW_GPUVM_GFX12 ? BW_ARRAY_SIZE(gfx10)
					  : BW_ARRAY_SIZE(gfx12);
	return client < n ? names[client] : NULL;
}

const char *bw_gpuvm_gfxhub_client(enum bw_gpuvm_gen gen, unsigned client)
{
	const char *name = graphics_client(gen, client);
	return name ? name : "unknown";
}

const char *bw_gpuvm_client(const struct bw_gpuvm_part *part, enum bw_gpuvm_hub hub,
			    unsigned client, bool write)
{
	return hub == BW_GPUVM_GC ? graphics_client(part->gen, client)
				  : memory_client(part, client, write);
}
