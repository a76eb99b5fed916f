/* SPDX-License-Identifier: MIT */
/* breakwater device: what GPU there is, what is in it, and what this user may do with it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"
#include "cli/look/gpu.h"
#include "cli/subcommands.h"

static const char usage[] =
	"Usage: breakwater device [--gpu GPU] [--json]\n"
	"\n"
	"Says what GPU this is: its blocks and their versions, partitions, shaders, memory, firmware, "
	"GFXOFF, and which of its files you may open. It changes nothing.\n"
	"\"breakwater doctor\" says how to get what is missing.\n";

static const struct bw_option rows[] = {BW_LOOK_GPU, BW_LOOK_END};

const struct bw_command_line bw_line_device = {
	.name = "breakwater device",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.word = bw_look_take_word,
};

/* Tables need a name in JSON, lines of one value a key. */
static void fact(struct bw_look *l, const char *title, const char *key, const char *value)
{
	bw_out_line(l->out, "%-12s %s", title, value);
	bw_out_str(l->out, key, value);
}

/* ---- the GPU ---- */

static bool number_of(struct bw_kmd *kmd, const char *file, uint64_t *out)
{
	char text[64];
	return bw_look_line(kmd, file, text, sizeof(text)) && bw_parse_u64(text, out);
}

/* The number of its render node; 0: none is found. */
static unsigned render_node(struct bw_kmd *kmd)
{
	enum { FIRST = 128, LAST = 191 };
	for (unsigned n = FIRST; n <= LAST; n++) {
		char file[48], text[32];
		snprintf(file, sizeof(file), "sysfs:drm/renderD%u/dev", n);
		if (bw_look_line(kmd, file, text, sizeof(text)))
			return n;
	}
	return 0;
}

static void show_identity(struct bw_look *l, const struct bw_gpu *g)
{
	char name[128] = "", gfx[24];
	struct bw_str part = {0}, text = {0};
	uint64_t vendor = 0, device = 0, revision = 0, sub_vendor = 0, sub_device = 0;
	struct utsname os;
	bool is_virtual = bw_kmd_is_virtual(g->kmd);
	bw_arch_gfx_name(g->part.gc, gfx, sizeof(gfx));
	bw_look_part_name(&g->part, &part);
	if (!bw_look_line(g->kmd, "sysfs:product_name", name, sizeof(name)) || !name[0])
		snprintf(name, sizeof(name), "AMD GPU");
	bw_str_addf(&text, "%s, %s, %s%s", name, gfx, bw_str_text(&part),
		    is_virtual ? ", virtual" : "");
	bw_out_line(l->out, "%-12s %s", "GPU", bw_str_text(&text));
	bw_out_str(l->out, "name", name);
	bw_out_str(l->out, "gfx", gfx);
	bw_out_bool(l->out, "virtual", is_virtual);
	bw_str_clear(&text);

	bw_str_add(&text, bw_kmd_pci_address(g->kmd));
	bw_out_str(l->out, "pci", bw_kmd_pci_address(g->kmd));
	if (number_of(g->kmd, "sysfs:vendor", &vendor) &&
	    number_of(g->kmd, "sysfs:device", &device)) {
		bw_str_addf(&text, ", %04" PRIx64 ":%04" PRIx64, vendor, device);
		bw_out_strf(l->out, "pci_id", "%04" PRIx64 ":%04" PRIx64, vendor, device);
	}
	if (number_of(g->kmd, "sysfs:revision", &revision)) {
		bw_str_addf(&text, " revision 0x%02" PRIx64, revision);
		bw_out_hex(l->out, "revision", revision);
	}
	if (number_of(g->kmd, "sysfs:subsystem_vendor", &sub_vendor) &&
	    number_of(g->kmd, "sysfs:subsystem_device", &sub_device)) {
		bw_str_addf(&text, ", subsystem %04" PRIx64 ":%04" PRIx64, sub_vendor, sub_device);
		bw_out_strf(l->out, "subsystem", "%04" PRIx64 ":%04" PRIx64, sub_vendor,
			    sub_device);
	}
	bw_out_line(l->out, "%-12s %s", "PCI", bw_str_text(&text));
	bw_str_clear(&text);
	if (is_virtual)
		fact(l, "Driver", "driver", "breakwater-vgpu, in the place of amdgpu");
	else if (!uname(&os)) {
		bw_str_addf(&text, "amdgpu of Linux %s", os.release);
		fact(l, "Driver", "driver", bw_str_text(&text));
	}
	bw_str_free(&text);
	bw_str_free(&part);
}

/* Shows the partitions of a GPU that can be divided. Other GPUs do not have the files. */
static void show_partitions(struct bw_look *l, const struct bw_gpu *g)
{
	static const struct {
		const char *title, *key, *now, *all;
	} modes[] = {{"Compute", "compute_partition", "sysfs:current_compute_partition",
		      "sysfs:available_compute_partition"},
		     {"Memory", "memory_partition", "sysfs:current_memory_partition",
		      "sysfs:available_memory_partition"}};
	unsigned n = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(modes); i++) {
		char now[64], all[256];
		if (!bw_look_line(g->kmd, modes[i].now, now, sizeof(now)))
			continue;
		bool has_all = bw_look_line(g->kmd, modes[i].all, all, sizeof(all));
		bw_out_line(l->out, "%-12s %s partition mode %s%s%s%s", n++ ? "" : "Partitions",
			    modes[i].title, now, has_all ? " (of " : "", has_all ? all : "",
			    has_all ? ")" : "");
		bw_out_str(l->out, modes[i].key, now);
	}
	if (!n)
		bw_out_line(l->out, "%-12s none: this GPU is not divided", "Partitions");
}

struct block_row {
	const char *name, *registers;
	struct bw_kmd_ip ip;
};

static void version(struct bw_table *t, const void *of)
{
	const struct bw_kmd_ip *ip = &((const struct block_row *)of)->ip;
	bw_table_text(t, "%u.%u.%u", ip->major, ip->minor, ip->revision);
}

static void segments(struct bw_table *t, const void *of)
{
	const struct bw_kmd_ip *ip = &((const struct block_row *)of)->ip;
	struct bw_str text = {0};
	json_t *list = json_array();
	for (unsigned k = 0; k < ip->n_segments; k++) {
		bw_str_addf(&text, "%s0x%x", k ? " " : "", ip->segment[k]);
		json_array_append_new(list, json_sprintf("0x%x", ip->segment[k]));
	}
	bw_table_both(t, list, "%s", bw_str_text(&text));
	bw_str_free(&text);
}

static const struct bw_fact block_rows[] = {
	{"  Block", "name", "text", BW_OF(struct block_row, name)},
	{"Version", "version", "text", BW_GET(version)},
	{"Segments", "segments", "hex[]", BW_GET(segments)},
	{"Registers", "registers", "text", BW_OF(struct block_row, registers)},
};
BW_FACTS(block_facts, "device blocks", "blocks", block_rows);

static void show_blocks(struct bw_look *l, const struct bw_gpu *g)
{
	/* hw_id_names of amdgpu_discovery.c, Linux 6.12: the blocks that debuggers ask about */
	static const char *const names[] = {
		"GC",	 "MMHUB", "OSSSYS", "HDP",   "SDMA0", "SDMA1", "SDMA2", "SDMA3",
		"ATHUB", "NBIF",  "MP0",    "MP1",   "DF",    "UMC",   "UVD",	"VCN",
		"VCN1",	 "JPEG",  "VPE",    "DMU",   "DCN",   "DCI",   "THM",	"SMUIO",
		"CLKA",	 "CLKB",  "FUSE",   "LSDMA", "PCIE",  "XGMI",  "IOHC",	"ACP"};
	struct bw_table t;
	bw_table_begin(&t, &block_facts);
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		struct block_row r = {.name = names[i]};
		_cleanup_error_ struct bw_error *none = bw_kmd_ip(g->kmd, names[i], &r.ip);
		if (none)
			continue;
		/* SDMA's are in GC's segments since gfx10, and in its table */
		struct bw_gpu_block own;
		_cleanup_error_ struct bw_error *unknown =
			bw_gpu_block_open(g->kmd, names[i], &own);
		bool in_gc = bw_starts_with(names[i], "SDMA") && bw_ip_major(g->part.gc) >= 10;
		r.registers = !unknown ? "known" : in_gc ? "known, with GC's" : "not known here";
		bw_table_row(&t, &r);
	}
	bw_out_line(l->out, "%s", "Blocks");
	bw_out_table(l->out, &t, "  (ip_discovery has none)\n");
	bw_table_fini(&t);
}

/* ---- shaders ---- */

/* amdgpu_gca_config, version 5 (doc/hardware/kernel-interface.md 5.1) */
enum {
	CONFIG_N_SE = 1,
	CONFIG_CU_PER_SA = 3,
	CONFIG_SA_PER_SE = 4,
	CONFIG_RB_PER_SE = 5,
	CONFIG_GB_ADDR_CONFIG = 22,
	CONFIG_FAMILY = 27,
	CONFIG_EXTERNAL_REV = 28,
	CONFIG_DW = 36
};

static void show_shaders(struct bw_look *l, const struct bw_gpu *g)
{
	uint32_t c[CONFIG_DW] = {0};
	size_t done = 0;
	struct bw_kmd_file *f;
	_cleanup_error_ struct bw_error *err =
		bw_kmd_file_open(g->kmd, "amdgpu_gca_config", false, &f);
	if (!err) {
		err = bw_kmd_file_read(f, 0, c, sizeof(c), &done);
		bw_kmd_file_close(f);
	}
	if (err || done < (CONFIG_GB_ADDR_CONFIG + 1) * 4) {
		bw_out_line(l->out, "%-12s not known: %s", "Shaders",
			    err ? err->message : "amdgpu_gca_config is too short");
		return;
	}
	const struct bw_arch *arch = bw_arch_of(g->part.gc);
	uint64_t n_sa = (uint64_t)c[CONFIG_N_SE] * c[CONFIG_SA_PER_SE],
		 n_cu = n_sa * c[CONFIG_CU_PER_SA];
	unsigned n_active = 0;
	_cleanup_error_ struct bw_error *not_told = bw_kmd_active_cus(g->kmd, &n_active);
	const char *at_most = n_active == n_cu ? "" : "at most ";
	bool has_wgps = bw_ip_major(g->part.gc) >= 10;
	struct bw_str text = {0};
	bw_str_addf(&text, "%u shader engines of %u arrays of %u ", c[CONFIG_N_SE],
		    c[CONFIG_SA_PER_SE], has_wgps ? c[CONFIG_CU_PER_SA] / 2 : c[CONFIG_CU_PER_SA]);
	if (has_wgps)
		bw_str_addf(&text, "WGPs: %s%" PRIu64 " WGPs, %" PRIu64 " CUs", at_most, n_cu / 2,
			    n_cu);
	else
		bw_str_addf(&text, "CUs: %s%" PRIu64 " CUs", at_most, n_cu);
	if (!not_told && *at_most)
		bw_str_addf(&text, ", %u CUs active", n_active);
	else if (!not_told)
		bw_str_add(&text, ", all active");
	if (arch)
		bw_str_addf(&text, "; %u SIMDs in a %s, %u waves in a SIMD", arch->simds_per_wgp,
			    arch->has_wgps ? "WGP" : "CU", arch->waves_per_simd);
	bw_out_line(l->out, "%-12s %s", "Shaders", bw_str_text(&text));
	bw_out_line(l->out, "%-12s %u render backends in an engine; GB_ADDR_CONFIG 0x%08x", "",
		    c[CONFIG_RB_PER_SE], c[CONFIG_GB_ADDR_CONFIG]);
	json_t *o = json_object();
	json_object_set_new(o, "engines", json_integer(c[CONFIG_N_SE]));
	json_object_set_new(o, "arrays_per_engine", json_integer(c[CONFIG_SA_PER_SE]));
	json_object_set_new(o, "cus_per_array", json_integer(c[CONFIG_CU_PER_SA]));
	json_object_set_new(o, "backends_per_engine", json_integer(c[CONFIG_RB_PER_SE]));
	json_object_set_new(o, "gb_addr_config", json_sprintf("0x%x", c[CONFIG_GB_ADDR_CONFIG]));
	if (!not_told)
		json_object_set_new(o, "active_cus", json_integer(n_active));
	if (arch) {
		if (arch->has_wgps)
			json_object_set_new(o, "simds_per_wgp", json_integer(arch->simds_per_wgp));
		json_object_set_new(o, "waves_per_simd", json_integer(arch->waves_per_simd));
	}
	if (done > CONFIG_EXTERNAL_REV * 4) {
		json_object_set_new(o, "family", json_integer(c[CONFIG_FAMILY]));
		json_object_set_new(o, "external_revision", json_integer(c[CONFIG_EXTERNAL_REV]));
	}
	bw_out_json(l->out, "shaders", o);
	bw_str_free(&text);
}

/* ---- memory ---- */

static void add_amount(struct bw_str *out, uint64_t size_b)
{
	if (size_b % (1 << 20) && size_b < 1ull << 30)
		bw_str_addf(out, "%" PRIu64 " KiB", size_b >> 10);
	else
		bw_str_addf(out, "%" PRIu64 " MiB", size_b >> 20);
}

static void show_memory(struct bw_look *l, const struct bw_gpu *g)
{
	static const struct {
		const char *title, *key, *total, *used;
	} kinds[] = {{"VRAM", "vram", "sysfs:mem_info_vram_total", "sysfs:mem_info_vram_used"},
		     {"CPU sees", "visible_vram", "sysfs:mem_info_vis_vram_total",
		      "sysfs:mem_info_vis_vram_used"},
		     {"GTT", "gtt", "sysfs:mem_info_gtt_total", "sysfs:mem_info_gtt_used"}};
	json_t *o = json_object();
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++) {
		uint64_t total, used;
		if (!number_of(g->kmd, kinds[i].total, &total))
			continue;
		struct bw_str text = {0};
		json_t *m = json_object();
		add_amount(&text, total);
		json_object_set_new(m, "total", json_integer((json_int_t)total));
		if (number_of(g->kmd, kinds[i].used, &used)) {
			bw_str_add(&text, ", used: ");
			add_amount(&text, used);
			json_object_set_new(m, "used", json_integer((json_int_t)used));
		}
		json_object_set_new(o, kinds[i].key, m);
		bw_out_line(l->out, "%-12s %s", kinds[i].title, bw_str_text(&text));
		bw_str_free(&text);
	}
	bw_out_json(l->out, "memory", o);
}

/* ---- firmware ---- */

struct firmware_row {
	char name[64];
	uint64_t feature, version;
};

static const struct bw_fact firmware_rows[] = {
	{"  Firmware", "name", "text", BW_OF(struct firmware_row, name)},
	{"Feature", "feature", "count", BW_OF(struct firmware_row, feature)},
	{"Version", "version", "hex", BW_OF(struct firmware_row, version), .digits = 8},
};
BW_FACTS(firmware_facts, "device firmware", "firmware", firmware_rows);

/* Lines of amdgpu_firmware_info: "MEC feature version: 29, firmware version: 0x00000029". */
static void show_firmware(struct bw_look *l, const struct bw_gpu *g)
{
	struct bw_str text = {0};
	struct bw_table t;
	char vbios[128] = "";
	_cleanup_error_ struct bw_error *err = bw_kmd_text(g->kmd, "amdgpu_firmware_info", &text);
	bw_table_begin(&t, &firmware_facts);
	for (const char *line = bw_str_text(&text); !err && *line;) {
		size_t n = strcspn(line, "\n");
		const char *mark = memmem(line, n, " feature version: ", 18),
			   *version = memmem(line, n, "firmware version: 0x", 20);
		if (mark && version) {
			struct firmware_row r = {.feature = strtoul(mark + 18, NULL, 10),
						 .version = strtoull(version + 18, NULL, 16)};
			snprintf(r.name, sizeof(r.name), "%.*s", (int)(mark - line), line);
			bw_table_row(&t, &r);
		}
		line += n + (line[n] == '\n');
	}
	if (err)
		bw_out_line(l->out, "%-12s not known: %s", "Firmware", err->message);
	else
		bw_out_line(l->out, "%s", "Firmware");
	if (bw_table_rows(&t))
		bw_out_table(l->out, &t, "");
	if (bw_look_line(g->kmd, "sysfs:vbios_version", vbios, sizeof(vbios)))
		fact(l, "VBIOS", "vbios", vbios);
	bw_table_fini(&t);
	bw_str_free(&text);
}

/* ---- access ---- */

/* Whether the driver has an SMU: without one, Linux 6.12 follows a NULL pointer where it is asked
 * for the state of GFXOFF (doc/hardware/pci.md 8), and does not make this file
 * (amdgpu_pm_sysfs_init). */
static bool manages_power(const struct bw_gpu *g)
{
	char level[64];
	return bw_look_line(g->kmd, "sysfs:power_dpm_force_performance_level", level,
			    sizeof(level));
}

/* amdgpu_gfxoff_status (smu_get_gfx_off_status, Linux 6.12) */
static void show_gfxoff(struct bw_look *l, const struct bw_gpu *g)
{
	static const char *const states[] = {"powered down", "powering up", "powered up",
					     "powering down"};
	struct bw_kmd_file *f = NULL;
	uint32_t status = UINT32_MAX;
	size_t done = 0;
	struct bw_str text = {0};
	_cleanup_error_ struct bw_error *none = NULL;
	if (manages_power(g))
		none = bw_kmd_file_open(g->kmd, "amdgpu_gfxoff_status", false, &f);
	if (f) {
		none = bw_kmd_file_read(f, 0, &status, sizeof(status), &done);
		bw_kmd_file_close(f);
	}
	if (g->is_held)
		bw_str_add(&text, "held off while Breakwater looks, allowed again afterwards");
	else
		bw_str_add(&text, "cannot be held off: registers of a GPU that is idle may read as "
				  "0xffffffff");
	if (!none && status < BW_ARRAY_SIZE(states))
		bw_str_addf(&text, "; the graphics block is %s now", states[status]);
	bw_out_line(l->out, "%-12s %s", "GFXOFF", bw_str_text(&text));
	json_t *o = json_object();
	json_object_set_new(o, "can_be_held", json_boolean(g->is_held));
	if (!none && status < BW_ARRAY_SIZE(states))
		json_object_set_new(o, "block", json_string(states[status]));
	bw_out_json(l->out, "gfxoff", o);
	bw_str_free(&text);
}

struct access_row {
	const char *file, *use, *access, *reason;
	bool granted;
};

static const struct bw_fact access_rows[] = {
	{"  File", "file", "text", BW_OF(struct access_row, file)},
	{"For", "use", "text", BW_OF(struct access_row, use)},
	{"Access", NULL, "text", BW_OF(struct access_row, access)},
	{NULL, "granted", "bool", BW_OF(struct access_row, granted)},
	{NULL, "reason", "text?", BW_OF(struct access_row, reason)},
};
BW_FACTS(access_facts, "device access", "access", access_rows);

static void show_access(struct bw_look *l, const struct bw_gpu *g)
{
	static const struct {
		const char *file, *use;
		bool writes;
	} files[] = {{"amdgpu_regs2", "registers", true},
		     {"amdgpu_gprwave", "registers of waves", true},
		     {"amdgpu_gca_config", "shader layout", false},
		     {"amdgpu_vram", "VRAM, page tables", true},
		     {"amdgpu_iomem", "system memory of the GPU", true},
		     {"amdgpu_gfxoff", "GFXOFF", true},
		     {"amdgpu_firmware_info", "firmware", false}};
	struct bw_table t;
	unsigned node = render_node(g->kmd);
	bw_table_begin(&t, &access_facts);
	if (node) {
		char path[32];
		snprintf(path, sizeof(path), "/dev/dri/renderD%u", node);
		bool is_virtual = bw_kmd_is_virtual(g->kmd),
		     ok = is_virtual || !access(path, R_OK | W_OK);
		const char *why = ok ? NULL : strerror(errno);
		struct access_row r = {path, "programs",
				       is_virtual ? "for programs under \"breakwater exec\""
				       : ok	  ? "yes"
						  : why,
				       why, ok};
		bw_table_row(&t, &r);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(files); i++) {
		struct bw_kmd_file *f;
		_cleanup_error_ struct bw_error *err =
			bw_kmd_file_open(g->kmd, files[i].file, files[i].writes, &f);
		if (!err)
			bw_kmd_file_close(f);
		const char *why = err ? err->message : NULL;
		struct access_row r = {files[i].file, files[i].use, why ? why : "yes", why, !err};
		bw_table_row(&t, &r);
	}
	bw_out_line(l->out, "%s", "Access");
	bw_out_table(l->out, &t, "");
	bw_table_fini(&t);
}

static struct bw_error *run_device(struct bw_look *l)
{
	struct bw_gpu g = {0};
	if (l->n_words)
		return bw_errorf(BW_E_INVALID, "device takes no argument, but --gpu (see --help)");
	struct bw_error *err = bw_look_gpu_open(l, &g);
	if (!err) {
		bw_out_begin(l->out, "command", "device");
		show_identity(l, &g);
		show_partitions(l, &g);
		show_shaders(l, &g);
		show_memory(l, &g);
		show_gfxoff(l, &g);
		show_blocks(l, &g);
		show_firmware(l, &g);
		show_access(l, &g);
		bw_out_end(l->out);
	}
	bw_gpu_close(&g);
	return err;
}

int bw_main_device(int argc, char **argv)
{
	struct bw_look l = {0};
	return bw_look_main(&l, &bw_line_device, argc, argv, run_device);
}
