/* SPDX-License-Identifier: MIT */
/* The nodes of KFD in sysfs, as kfd_topology.c and kfd_crat.c of Linux 6.12 describe a machine with
 * one GPU: node 0 has the CPUs and the memory, node 1 the GPU. Programs take sizes, caches and
 * links from here (libhsakmt reads every line). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "vgpu/device/gws.h"
#include "vgpu/device/profile.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/kfd.h"

#define KFD_DIR "sys/devices/virtual/kfd/kfd"
#define NODES KFD_DIR "/topology/nodes"

enum {
	FIRST_PROCESSOR = 0x1000,      /* of a GPU, without the bit that says GPU */
	IS_GPU_PROCESSOR = 1u << 31,   /* kfd_crat.c */
	PCI_SUBSYSTEM_VENDOR = 0x1002, /* the tree's, too */
	LINK_PCIE = 2,		       /* CRAT_IOLINK_TYPE_PCIEXPRESS */
	LINK_ENABLED = 1,
	LINK_NON_COHERENT = 2,
	HEAP_SYSTEM = 0,
	HEAP_FB_PUBLIC = 1,
	CACHE_DATA = 1,
	CACHE_INSTRUCTION = 2,
	CACHE_OF_SIMDS = 8, /* HSA_CACHE_TYPE_* */
	SQC_CUS = 2,	    /* that share a cache of instructions and scalars */
	SDMA_QUEUES = 6,
	N_SDMA = 2, /* as the guest's driver has them */
	SCRATCH_SLOTS_PER_CU = 32,
};

/* crc16() of Linux: polynomial 0x8005, the lowest bit first. */
static uint16_t crc16(const uint8_t *bytes, size_t n)
{
	uint16_t crc = 0;
	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1);
	}
	return crc;
}

static void pci_numbers(const struct bw_profile *p, unsigned *domain, unsigned *bus, unsigned *slot)
{
	unsigned function = 0;
	if (sscanf(p->pci_address, "%x:%x:%x.%x", domain, bus, slot, &function) != 4)
		*domain = *bus = *slot = 0;
	*slot = *slot << 3 | function;
}

uint32_t bw_kfd_gpu_id(const struct bw_profile *p)
{
	unsigned domain, bus, devfn;
	pci_numbers(p, &domain, &bus, &devfn);
	const uint32_t one_xcc = 1 << 16;
	const uint32_t words[8] = {devfn,
				   PCI_SUBSYSTEM_VENDOR | (uint32_t)p->pci_subdevice << 16,
				   domain,
				   p->pci_device,
				   bus,
				   (uint32_t)p->vram_size_b,
				   (uint32_t)(p->vram_size_b >> 32),
				   one_xcc};
	uint32_t id = crc16((const uint8_t *)words, sizeof(words));
	return id ? id : 1;
}

struct bw_kfd_host bw_kfd_host(void)
{
	struct sysinfo info = {0};
	sysinfo(&info);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return (struct bw_kfd_host){.n_cpus = n > 0 ? (unsigned)n : 1,
				    .memory_b = (uint64_t)info.totalram * info.mem_unit};
}

/* ---- properties ---- */

/* The lines that both kinds of node have, in the order of node_show(). */
struct node {
	unsigned cpu_cores, simds, gws, mem_banks, caches, io_links, simd_id_base, max_waves,
		lds_kib, wave_size, arrays, arrays_per_engine, cus_per_array, simds_per_cu,
		scratch_slots, target, vendor, device, location, domain, render_minor, sdma_engines,
		sdma_queues, cp_queues, cwsr_b, ctl_stack_b;
};

static void put_node(struct bw_str *s, const struct node *n)
{
	const struct {
		const char *name;
		unsigned value;
	} lines[] = {
		{"cpu_cores_count", n->cpu_cores},
		{"simd_count", n->simds},
		{"mem_banks_count", n->mem_banks},
		{"caches_count", n->caches},
		{"io_links_count", n->io_links},
		{"p2p_links_count", 0},
		{"cpu_core_id_base", 0},
		{"simd_id_base", n->simd_id_base},
		{"max_waves_per_simd", n->max_waves},
		{"lds_size_in_kb", n->lds_kib},
		{"gds_size_in_kb", 0},
		{"num_gws", n->gws},
		{"wave_front_size", n->wave_size},
		{"array_count", n->arrays},
		{"simd_arrays_per_engine", n->arrays_per_engine},
		{"cu_per_simd_array", n->cus_per_array},
		{"simd_per_cu", n->simds_per_cu},
		{"max_slots_scratch_cu", n->scratch_slots},
		{"gfx_target_version", n->target},
		{"vendor_id", n->vendor},
		{"device_id", n->device},
		{"location_id", n->location},
		{"domain", n->domain},
		{"drm_render_minor", n->render_minor},
		{"hive_id", 0},
		{"num_sdma_engines", n->sdma_engines},
		{"num_sdma_xgmi_engines", 0},
		{"num_sdma_queues_per_engine", n->sdma_queues},
		{"num_cp_queues", n->cp_queues},
		{"cwsr_size", n->cwsr_b},
		{"ctl_stack_size", n->ctl_stack_b},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(lines); i++)
		bw_str_addf(s, "%s %u\n", lines[i].name, lines[i].value);
}

/* Bytes of the control stack and of all that KFD's trap handler saves (kfd_queue.c). */
static void save_sizes(const struct bw_profile *p, unsigned *ctl_stack_b, unsigned *cwsr_b)
{
	enum { HEADER_B = 40, END_B = 8, SGPRS_B = 0x4000, LDS_B = 0x10000, HWREGS_B = 0x1000 };
	const struct bw_profile_kfd *k = &p->kfd;
	unsigned cus = bw_profile_n_cus(p), waves = cus * k->waves_per_cu;
	if (k->waves_per_se)
		waves = BW_MIN(waves, (unsigned)p->n_se * k->waves_per_se);
	*ctl_stack_b = (unsigned)bw_align_up(HEADER_B + waves * k->wave_b + END_B, BW_DRM_PAGE_B);
	*cwsr_b = *ctl_stack_b + cus * (k->vgprs_b + SGPRS_B + LDS_B + HWREGS_B);
}

static uint32_t firmware(const struct bw_profile *p, const char *name)
{
	for (size_t i = 0; i < p->n_firmware; i++)
		if (!strcmp(p->firmware[i].name, name))
			return p->firmware[i].version;
	return 0;
}

/* gfx1100 is 110000, gfx942 90402: major, minor and stepping, two decimal digits each. */
static unsigned target_version(const struct bw_profile *p)
{
	unsigned digits = 0;
	sscanf(p->gfx, "gfx%u", &digits);
	return digits / 100 * 10000 + digits / 10 % 10 * 100 + digits % 10;
}

static struct node gpu_node(const struct bw_profile *p, unsigned n_caches, unsigned card)
{
	unsigned domain, bus, devfn;
	pci_numbers(p, &domain, &bus, &devfn);
	struct node n = {
		.simds = bw_profile_n_cus(p) * (p->simd_per_wgp / p->cus_per_wgp),
		.gws = BW_GWS_RESOURCES,
		.mem_banks = 1,
		.caches = n_caches,
		.io_links = 1,
		.simd_id_base = IS_GPU_PROCESSOR | FIRST_PROCESSOR,
		.max_waves = p->waves_per_simd,
		.lds_kib = p->lds_max_group_b / 1024,
		.wave_size = p->waves.has_wave32 ? 32 : 64,
		.arrays = (unsigned)p->n_se * p->sa_per_se,
		.arrays_per_engine = p->sa_per_se,
		.cus_per_array = (unsigned)p->wgp_per_sa * p->cus_per_wgp,
		.simds_per_cu = p->simd_per_wgp / p->cus_per_wgp,
		.scratch_slots = SCRATCH_SLOTS_PER_CU,
		.target = target_version(p),
		.vendor = PCI_SUBSYSTEM_VENDOR,
		.device = p->pci_device,
		.location = bus << 8 | devfn,
		.domain = domain,
		.render_minor = card + BW_TREE_RENDER,
		.sdma_engines = N_SDMA,
		.sdma_queues = SDMA_QUEUES,
		.cp_queues = p->kfd.n_queues,
	};
	save_sizes(p, &n.ctl_stack_b, &n.cwsr_b);
	return n;
}

void bw_kfd_describe(const struct bw_profile *p, struct bw_kfd_device_entry *e)
{
	const struct node n = gpu_node(p, 0, 0);
	e->location_id = n.location;
	e->vendor_id = n.vendor;
	e->device_id = n.device;
	e->revision_id = p->pci_revision;
	e->subsystem_vendor_id = PCI_SUBSYSTEM_VENDOR;
	e->subsystem_device_id = p->pci_subdevice;
	e->fw_version = firmware(p, "MEC");
	e->gfx_target_version = n.target;
	e->simd_count = n.simds;
	e->max_waves_per_simd = n.max_waves;
	e->array_count = n.arrays;
	e->simd_arrays_per_engine = n.arrays_per_engine;
	e->num_xcc = 1;
	e->capability = p->kfd.capability;
	e->debug_prop = p->kfd.debug_prop;
}

static void gpu_properties(struct bw_str *s, const struct bw_profile *p, unsigned n_caches,
			   unsigned card)
{
	const struct node n = gpu_node(p, n_caches, card);
	put_node(s, &n);
	bw_str_addf(s, "max_engine_clk_fcompute %u\nlocal_mem_size 0\nfw_version %u\n",
		    p->sclk.max_mhz, firmware(p, "MEC"));
	bw_str_addf(s, "capability %u\ndebug_prop %u\nsdma_fw_version %u\n", p->kfd.capability,
		    p->kfd.debug_prop, firmware(p, "SDMA"));
	bw_str_addf(s, "unique_id 0\nnum_xcc 1\nmax_engine_clk_ccompute 0\n");
}

static void cpu_properties(struct bw_str *s, const struct bw_kfd_host *host)
{
	const struct node n = {.cpu_cores = host->n_cpus, .mem_banks = 1, .io_links = 1};
	put_node(s, &n);
	bw_str_addf(s, "max_engine_clk_ccompute 0\n");
}

/* ---- links and memory ---- */

/* MB/s of a PCIe link (amdgpu_amdkfd_get_pcie_bandwidth_mbytes). */
static unsigned link_mbytes(unsigned gen, unsigned lanes)
{
	static const unsigned mbits[] = {0, 2500, 5000, 8000, 16000, 32000};
	return gen < BW_ARRAY_SIZE(mbits) ? lanes * mbits[gen] / 8 : 0;
}

/* Atomics of programs and waves meet in the same memory here, so both links have them. */
static void put_link(struct bw_tree_maker *m, const struct bw_profile *p, unsigned from,
		     unsigned to)
{
	char at[128];
	snprintf(at, sizeof(at), NODES "/%u/io_links/0/properties", from);
	bw_tree_file(
		m, at,
		"type %u\nversion_major 0\nversion_minor 0\nnode_from %u\nnode_to %u\nweight 20\n"
		"min_latency 0\nmax_latency 0\nmin_bandwidth %u\nmax_bandwidth %u\n"
		"recommended_transfer_size 0\nrecommended_sdma_engine_id_mask 3\nflags %u\n",
		LINK_PCIE, from, to, link_mbytes(1, 1), link_mbytes(p->pcie_gen, p->pcie_lanes),
		LINK_ENABLED | (from ? 0 : LINK_NON_COHERENT));
}

static void put_memory(struct bw_tree_maker *m, unsigned node, unsigned heap, uint64_t size_b,
		       unsigned width, unsigned mhz)
{
	char at[128];
	snprintf(at, sizeof(at), NODES "/%u/mem_banks/0/properties", node);
	bw_tree_file(m, at, "heap_type %u\nsize_in_bytes %llu\nflags 0\nwidth %u\nmem_clk_max %u\n",
		     heap, (unsigned long long)size_b, width, mhz);
}

/* ---- caches ---- */

struct cache {
	unsigned level, kib, line_b, type;
	unsigned cus; /* that share one; 0: all */
};

static void put_cache(struct bw_tree_maker *m, unsigned number, const struct cache *c,
		      unsigned first_cu, const char *siblings)
{
	char at[128];
	snprintf(at, sizeof(at), NODES "/1/caches/%u/properties", number);
	bw_tree_file(m, at,
		     "processor_id_low %u\nlevel %u\nsize %u\ncache_line_size %u\n"
		     "cache_lines_per_tag 0\nassociation 0\nlatency 0\ntype %u\nsibling_map %s\n",
		     IS_GPU_PROCESSOR | (FIRST_PROCESSOR + first_cu), c->level, c->kib, c->line_b,
		     c->type, siblings);
}

/* Words of 32 flags, each with the first `set` of them set: "1,1,0,0,...". */
static void siblings(struct bw_str *s, unsigned words, unsigned set)
{
	for (unsigned i = 0; i < words * 32; i++)
		bw_str_addf(s, "%s%u", i ? "," : "", i % 32 < set);
}

static unsigned put_caches_of_kind(struct bw_tree_maker *m, const struct bw_profile *p,
				   const struct cache *c, unsigned number)
{
	struct bw_str s = {0};
	unsigned arrays = (unsigned)p->n_se * p->sa_per_se, n = 0;
	unsigned per_array = (unsigned)p->wgp_per_sa * p->cus_per_wgp;
	siblings(&s, c->cus ? 1 : arrays, c->cus ? c->cus : per_array);
	/* that of all CUs has a word for each shader array */
	for (unsigned cu = 0; cu < (c->cus ? bw_profile_n_cus(p) : 1); cu += c->cus ? c->cus : 1)
		put_cache(m, number + n++, c, cu, bw_str_text(&s));
	if (s.failed && !m->err)
		m->err = bw_error_nomem();
	bw_str_free(&s);
	return n;
}

/* With m NULL it only counts. */
static unsigned put_caches(struct bw_tree_maker *m, const struct bw_profile *p)
{
	const unsigned data = CACHE_DATA | CACHE_OF_SIMDS;
	const struct cache kinds[] = {
		{1, p->tcp_kib, 128, data, 1},
		{1, p->sqc_inst_kib, 128, CACHE_INSTRUCTION | CACHE_OF_SIMDS, SQC_CUS},
		{1, p->sqc_data_kib, 64, data, SQC_CUS},
		{1, p->gl1_kib, 128, data, (unsigned)p->wgp_per_sa * p->cus_per_wgp},
		{2, p->gl2_kib, 128, data, 0},
		{3, (unsigned)(p->mall_b / 1024), 64, data, 0},
	};
	unsigned n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++)
		if (kinds[i].kib)
			n += m		    ? put_caches_of_kind(m, p, &kinds[i], n)
			     : kinds[i].cus ? bw_profile_n_cus(p) / kinds[i].cus
					    : 1;
	return n;
}

/* ---- the tree ---- */

static void put_text(struct bw_tree_maker *m, const char *path, struct bw_str *s)
{
	if (s->failed && !m->err)
		m->err = bw_error_nomem();
	bw_tree_file(m, path, "%s", bw_str_text(s));
	bw_str_free(s);
}

void bw_kfd_tree_make(struct bw_tree_maker *m, const struct bw_profile *p,
		      const struct bw_kfd_host *host, unsigned node)
{
	struct bw_str cpu = {0}, gpu = {0};
	bw_tree_file(m, KFD_DIR "/dev", "%u:0\n", BW_VGPU_KFD_MAJOR);
	bw_tree_file(m, KFD_DIR "/uevent", "MAJOR=%u\nMINOR=0\nDEVNAME=kfd\n", BW_VGPU_KFD_MAJOR);
	bw_tree_link(m, KFD_DIR "/subsystem", "../../../../class/kfd");
	bw_tree_link(m, "sys/class/kfd/kfd", "../../devices/virtual/kfd/kfd");
	bw_tree_folder(m, KFD_DIR "/proc");
	bw_tree_file(m, KFD_DIR "/topology/generation_id", "2\n");
	bw_tree_file(m, KFD_DIR "/topology/system_properties",
		     "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
	bw_tree_file(m, NODES "/0/gpu_id", "0\n");
	bw_tree_file(m, NODES "/0/name", "\n");
	cpu_properties(&cpu, host);
	put_text(m, NODES "/0/properties", &cpu);
	bw_tree_folder(m, NODES "/0/caches");
	bw_tree_folder(m, NODES "/0/p2p_links");
	put_memory(m, 0, HEAP_SYSTEM, host->memory_b, 0, 0);
	put_link(m, p, 0, 1);
	bw_tree_file(m, NODES "/1/gpu_id", "%u\n", bw_kfd_gpu_id(p));
	bw_tree_file(m, NODES "/1/name", "ip discovery\n");
	gpu_properties(&gpu, p, put_caches(NULL, p), node);
	put_text(m, NODES "/1/properties", &gpu);
	put_caches(m, p);
	bw_tree_folder(m, NODES "/1/p2p_links");
	put_memory(m, 1, HEAP_FB_PUBLIC, p->vram_size_b, p->vram_bus_bits, p->mclk.max_mhz);
	put_link(m, p, 1, 0);
}

void bw_kfd_tree_unplug(const char *root)
{
	bw_tree_take_out(root, NODES "/1");
	bw_tree_take_out(root, NODES "/0/io_links/0");
}

void bw_kfd_tree_remove(const char *root)
{
	bw_tree_take_out(root, "sys/class/kfd");
	bw_tree_take_out(root, "sys/devices/virtual/kfd");
}

int bw_uapi_need_kfd_tree(struct bw_uapi *u)
{
	struct bw_tree_maker m = {.root = u->options.root};
	const struct bw_kfd_host host = bw_kfd_host();
	pthread_mutex_lock(&u->lock);
	if (u->options.root && !u->has_kfd_tree) {
		bw_kfd_tree_make(&m, u->profile, &host, atomic_load(&u->node));
		if (u->is_unplugged)
			bw_kfd_tree_unplug(u->options.root);
		u->has_kfd_tree = !m.err;
	}
	pthread_mutex_unlock(&u->lock);
	if (!m.err)
		return 0;
	BW_LOG(ERROR, "uapi", "the folders of KFD: %s", m.err->message);
	bw_error_free(m.err);
	bw_kfd_tree_remove(u->options.root);
	return -EIO;
}
