/* SPDX-License-Identifier: MIT */
#include "cli/umr/umr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/cli.h"
#include "cli/subcommands.h"
#include "gpu/gpu.h"
#include "pm4/pm4.h"

static const char usage[] =
	"Usage: breakwater umr [OPTIONS]\n"
	"\n"
	"Shows and sets what the GPU's registers and memory hold, with the arguments of the tool umr and close to its form,\n"
	"in whose place programs can call it: under \"breakwater exec\" on the virtual GPU they find it as umr.\n";

/* Its words are those of another tool, several of them with more than one value: the parser below
 * takes them in its own way. */
static const struct bw_option option_rows[] = {
	{"--by-pci, --pci", "ADDRESS",
	 "which GPU; also -i N, -g NAME@N, -g NAME=ADDRESS, -f NAME (without: "
	 "the one \"breakwater exec\" gave, or the first)",
	 BW_SHOWN},
	{"-O", "bits,many,halt_waves,skip_gprs,...",
	 "fields too; names that contain it; waves halted while looked at, or without their general registers",
	 BW_SHOWN},
	{"-b", "SE SA INSTANCE", "the bank of registers (x: all)", BW_SHOWN},
	{"-sb", "ME PIPE QUEUE [VMID]", "the bank of a queue or a VMID", BW_SHOWN},
	{0},
};
static const struct bw_option command_rows[] = {
	{"-e, -c, -vi", NULL, "GPUs; the configuration; the VBIOS", BW_SHOWN},
	{"-lb", NULL, "blocks", BW_SHOWN},
	{"-lr", "BLOCK", "registers of a block", BW_SHOWN},
	{"-r", "PATH", "a register: navi31.gfx1100.regGRBM_STATUS, *.*.regSQ_WAVE*, 0x8010 (bytes)",
	 BW_SHOWN},
	{"-w", "PATH VALUE", "writes it (hexadecimal)", BW_SHOWN},
	{"-wb", "PATH.FIELD VALUE", "writes one field of it", BW_SHOWN},
	{"-lu", "ADDRESS|BLOCK.NAME VALUE", "what a value means", BW_SHOWN},
	{"-s", "BLOCK", "all registers of a block (of gfx: with -O risky)", BW_SHOWN},
	{"-wa", "[RING]", "waves", BW_SHOWN},
	{"-ss", "SE,SA,WGP,SIMD,WAVE", "one instruction of a halted wave", BW_SHOWN},
	{"-vm", "VMID@ADDRESS PAGES",
	 "page tables (VMID 0x1NN: of the memory hub; all numbers but VMIDs hexadecimal)",
	 BW_SHOWN},
	{"-vr", "[VMID@]ADDRESS BYTES", "memory, to standard output; without VMID: VRAM", BW_SHOWN},
	{"-vw", "[VMID@]ADDRESS BYTES", "memory, from standard input", BW_SHOWN},
	{"-vww", "[VMID@]ADDRESS WORD", "one dword, hexadecimal", BW_SHOWN},
	{"-vdis", "[VMID@]ADDRESS BYTES", "code, disassembled", BW_SHOWN},
	{"-di", "[VMID@]ADDRESS BYTES [4|3|2]", "packets: PM4, SDMA, MES; of memory", BW_SHOWN},
	{"-df", "FILE [4|3|2]", "the same, of a file of words", BW_SHOWN},
	{"-R, -RS", "RING",
	 "a ring: its words; what is to be executed, as packets. RING[0:16]: these words; [.:.] from read to "
	 "write pointer, [.:16] 16 from the read pointer on, [16:.] 16 up to the write pointer",
	 BW_SHOWN},
	{"-cpc, -sdma", NULL, "queues of the command processor, of SDMA", BW_SHOWN},
	{"-p", NULL, "clocks, temperatures, power", BW_SHOWN},
	{"-t", NULL, "how busy the blocks were in 100 looks during a second; memory; what -p has",
	 BW_SHOWN},
	{"-go", "[0 | 1]",
	 "keep the graphics block on; allow it to power down; without: which it is", BW_SHOWN},
	{0},
};

const struct bw_command_line bw_line_umr = {
	.name = "breakwater umr",
	.usage = usage,
	.groups = {{"Device, and options, which hold for all commands wherever they stand:",
		    option_rows},
		   {"Commands, in the order in which they are to be done:", command_rows}},
};

/* Blocks whose registers can be read; the name that umr has for each. */
static const struct {
	const char *name, *umr;
} blocks[] = {{"gc", "gfx"}, {"mmhub", "mmhub"}, {"osssys", "osssys"}, {"hdp", "hdp"}};

static void name_asic(struct bw_umr *u)
{
	static const struct {
		uint32_t gc;
		const char *name;
	} names[] = {{BW_IP_VERSION(11, 0, 0), "navi31"},  {BW_IP_VERSION(11, 0, 2), "navi33"},
		     {BW_IP_VERSION(11, 0, 3), "navi32"},  {BW_IP_VERSION(10, 3, 0), "navi21"},
		     {BW_IP_VERSION(10, 1, 10), "navi10"}, {BW_IP_VERSION(9, 0, 1), "vega10"}};
	snprintf(u->asic, sizeof(u->asic), "%s", u->block_name[0]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (names[i].gc == u->gpu.part.gc)
			snprintf(u->asic, sizeof(u->asic), "%s", names[i].name);
}

/* Whether a selector can mean the virtual GPU that the program has: its DRM index, that of its
 * render node, or its address, without the domain, too. */
static bool means_virtual(const struct bw_umr *u, const char *selector)
{
	const char *address = bw_kmd_pci_address(u->kmd);
	size_t n = strlen(selector), n_address = strlen(address);
	uint64_t number;
	if (strchr(selector, ':'))
		return n <= n_address && !strcmp(address + n_address - n, selector);
	return !bw_parse_u64(selector, &number) || number == 0 || number == 128;
}

static struct bw_error *open_gpu(struct bw_umr *u, const char *selector)
{
	struct bw_gpu *g = &u->gpu;
	/* The address that a program has from its virtual GPU names that one. */
	bool is_program = getenv(BW_KMD_SERVER_ENV) != NULL;
	BW_TRY(bw_kmd_open(is_program ? "virtual" : selector, &g->kmd));
	u->kmd = g->kmd;
	if (is_program && selector && !means_virtual(u, selector))
		return bw_errorf(BW_E_NOT_FOUND, "there is no GPU %s: the virtual GPU is 0, at %s",
				 selector, bw_kmd_pci_address(u->kmd));
	BW_TRY(bw_gpu_part_of(u->kmd, &g->part));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(blocks); i++) {
		struct bw_gpu_block *b = &g->block[g->n_blocks];
		struct bw_error *err = bw_gpu_block_open(u->kmd, blocks[i].name, b);
		if (err && !i)
			return err;
		bw_error_free(err); /* a GPU without tables for it */
		if (err)
			continue;
		snprintf(u->block_name[g->n_blocks], sizeof(u->block_name[0]), "%s%u%u%u",
			 blocks[i].umr, b->ip.major, b->ip.minor, b->ip.revision);
		g->n_blocks++;
	}
	u->gc = g->block[0].block;
	memcpy(u->gc_bases_dw, g->block[0].ip.segment, sizeof(u->gc_bases_dw));
	u->n_gc_bases = g->block[0].ip.n_segments;
	name_asic(u);
	return NULL;
}

/* ---- options ---- */

static uint32_t bank_number(const char *text)
{
	return *text == 'x' ? ~0u : (uint32_t)strtoul(text, NULL, 0);
}

static struct bw_error *set_options(struct bw_umr *u, const char *list)
{
	/* about umr's own output and ways to the registers, which are one here */
	static const char *const without_effect[] = {"quiet",
						     "verbose",
						     "no_follow_ib",
						     "follow",
						     "no_disasm",
						     "disasm_anyways",
						     "wave64",
						     "full_shader",
						     "disasm_early_term",
						     "use_color",
						     "use_colour",
						     "no_scratch",
						     "no_fold_vm_decode",
						     "empty_log",
						     "read_smc",
						     "force_asic_file",
						     "named"};
	char words[128], *save = NULL;
	snprintf(words, sizeof(words), "%s", list);
	for (char *w = strtok_r(words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		bool known = false;
		for (size_t i = 0; i < BW_ARRAY_SIZE(without_effect); i++)
			known |= !strcmp(w, without_effect[i]);
		if (!strcmp(w, "bits") || !strcmp(w, "bitsfull"))
			u->bits = true;
		else if (!strcmp(w, "many"))
			u->many = true;
		else if (!strcmp(w, "halt_waves"))
			u->halt_waves = true;
		else if (!strcmp(w, "skip_gprs"))
			u->skip_gprs = true;
		else if (!strcmp(w, "risky"))
			u->risky = true;
		else if (!strcmp(w, "use_pci") || !strcmp(w, "no_kernel"))
			return bw_errorf(BW_E_UNSUPPORTED,
					 "-O %s would bypass the kernel's driver, which nothing "
					 "here does",
					 w);
		else if (!known)
			return bw_errorf(BW_E_UNSUPPORTED, "-O has no \"%s\" here", w);
	}
	return NULL;
}

static struct bw_error *set_bank(struct bw_umr *u, char **words, int n)
{
	u->bank = (struct bw_kmd_bank){.use_grbm = true,
				       .se = bank_number(words[0]),
				       .sa = bank_number(words[1]),
				       .instance = bank_number(words[2])};
	return NULL;
}

static struct bw_error *set_sbank(struct bw_umr *u, char **words, int n)
{
	u->bank = (struct bw_kmd_bank){.use_srbm = true,
				       .me = bank_number(words[0]),
				       .pipe = bank_number(words[1]),
				       .queue = bank_number(words[2]),
				       .vmid = n > 3 ? bank_number(words[3]) : 0};
	return NULL;
}

static struct bw_error *do_options(struct bw_umr *u, char **words, int n)
{
	return set_options(u, words[0]);
}

static struct bw_error *do_waves(struct bw_umr *u, char **words, int n)
{
	return bw_umr_waves(u);
}

static struct bw_error *do_read(struct bw_umr *u, char **words, int n)
{
	return bw_umr_read(u, words[0]);
}

static struct bw_error *do_write(struct bw_umr *u, char **words, int n)
{
	return bw_umr_write(u, words[0], words[1]);
}

static struct bw_error *do_write_field(struct bw_umr *u, char **words, int n)
{
	return bw_umr_write_field(u, words[0], words[1]);
}

static struct bw_error *do_lookup(struct bw_umr *u, char **words, int n)
{
	return bw_umr_lookup(u, words[0], words[1]);
}

static struct bw_error *do_blocks(struct bw_umr *u, char **words, int n)
{
	return bw_umr_list_blocks(u);
}

static struct bw_error *do_regs(struct bw_umr *u, char **words, int n)
{
	return bw_umr_list_regs(u, words[0]);
}

static struct bw_error *do_vm(struct bw_umr *u, char **words, int n)
{
	return bw_umr_vm_decode(u, words[0], words[1]);
}

static struct bw_error *do_vm_read(struct bw_umr *u, char **words, int n)
{
	return bw_umr_vm_read(u, words[0], words[1]);
}

static struct bw_error *do_vm_write(struct bw_umr *u, char **words, int n)
{
	return bw_umr_vm_write(u, words[0], words[1]);
}

static struct bw_error *do_disasm(struct bw_umr *u, char **words, int n)
{
	return bw_umr_vm_disasm(u, words[0], words[1]);
}

static struct bw_error *do_ib(struct bw_umr *u, char **words, int n)
{
	return bw_umr_dump_ib(u, words[0], words[1], n > 2 ? words[2] : "4");
}

static struct bw_error *do_ring(struct bw_umr *u, char **words, int n)
{
	return bw_umr_ring(u, words[0], false);
}

static struct bw_error *do_ring_stream(struct bw_umr *u, char **words, int n)
{
	return bw_umr_ring(u, words[0], true);
}

static struct bw_error *do_gfxoff(struct bw_umr *u, char **words, int n)
{
	return bw_umr_gfxoff(u, n ? words[0] : NULL);
}

static struct bw_error *do_file(struct bw_umr *u, char **words, int n)
{
	return bw_umr_dump_file(u, words[0], n > 1 ? words[1] : "4");
}

static struct bw_error *do_write_word(struct bw_umr *u, char **words, int n)
{
	return bw_umr_vm_write_word(u, words[0], words[1]);
}

static struct bw_error *do_step(struct bw_umr *u, char **words, int n)
{
	return bw_umr_step(u, words[0]);
}

static struct bw_error *do_scan(struct bw_umr *u, char **words, int n)
{
	return bw_umr_scan(u, words[0]);
}

static struct bw_error *do_power(struct bw_umr *u, char **words, int n)
{
	return bw_umr_power(u);
}

static struct bw_error *do_top(struct bw_umr *u, char **words, int n)
{
	return bw_umr_top(u);
}

static struct bw_error *do_cpc(struct bw_umr *u, char **words, int n)
{
	return bw_umr_cpc(u);
}

static struct bw_error *do_sdma(struct bw_umr *u, char **words, int n)
{
	return bw_umr_sdma(u);
}

static struct bw_error *do_config(struct bw_umr *u, char **words, int n)
{
	return bw_umr_config(u);
}

static struct bw_error *do_enumerate(struct bw_umr *u, char **words, int n)
{
	printf("gpu #0 => %s (instance: 0)\n", u->asic);
	return bw_umr_config(u);
}

static struct bw_error *do_vbios(struct bw_umr *u, char **words, int n)
{
	return bw_umr_vbios(u);
}

/* Passes: the device, then options, then commands in their order. */
enum pass { DEVICE, OPTION, COMMAND };
static const struct option {
	const char *name, *longer;
	enum pass pass;
	uint8_t n_words;
	bool one_more; /* a further word may follow, which is no option */
	struct bw_error *(*fn)(struct bw_umr *u, char **words, int n);
} options[] = {
	{"--by-pci", "--pci", DEVICE, 1, false, NULL},
	{"-i", "--instance", DEVICE, 1, false, NULL},
	{"-g", "--gpu", DEVICE, 1, false, NULL},
	{"-f", "--force", DEVICE, 1, false, NULL},
	{"-O", "--option", OPTION, 1, false, do_options},
	{"-b", "--bank", OPTION, 3, false, set_bank},
	{"-sb", "--sbank", OPTION, 3, true, set_sbank},
	{"-e", "--enumerate", COMMAND, 0, false, do_enumerate},
	{"-c", "--config", COMMAND, 0, false, do_config},
	{"-vi", "--vbios-info", COMMAND, 0, false, do_vbios},
	{"-lb", "--list-blocks", COMMAND, 0, false, do_blocks},
	{"-lr", "--list-regs", COMMAND, 1, false, do_regs},
	{"-r", "--read", COMMAND, 1, false, do_read},
	{"-w", "--write", COMMAND, 2, false, do_write},
	{"-wb", "--writebit", COMMAND, 2, false, do_write_field},
	{"-lu", "--lookup", COMMAND, 2, false, do_lookup},
	{"-wa", "--waves", COMMAND, 0, true, do_waves},
	{"-vm", "--vm-decode", COMMAND, 2, false, do_vm},
	{"-vr", "--vm-read", COMMAND, 2, false, do_vm_read},
	{"-vw", "--vm-write", COMMAND, 2, false, do_vm_write},
	{"-vdis", "--vm-disasm", COMMAND, 2, false, do_disasm},
	{"-di", "--dump-ib", COMMAND, 2, true, do_ib},
	{"-R", "--ring", COMMAND, 1, false, do_ring},
	{"-RS", "--ring-stream", COMMAND, 1, false, do_ring_stream},
	{"-cpc", "--print-cpc", COMMAND, 0, false, do_cpc},
	{"-sdma", "--print-sdma", COMMAND, 0, false, do_sdma},
	{"-go", "--gfxoff", COMMAND, 0, true, do_gfxoff},
	{"-vww", "--vm-write-word", COMMAND, 2, false, do_write_word},
	{"-df", "--dump-ib-file", COMMAND, 1, true, do_file},
	{"-ss", "--singlestep", COMMAND, 1, false, do_step},
	{"-s", "--scan", COMMAND, 1, false, do_scan},
	{"-p", "--power", COMMAND, 0, false, do_power},
	{"-t", "--top", COMMAND, 0, false, do_top},
};

/* Options of umr that are not here, and why. */
static const struct {
	const char *name, *longer, *why;
} refused[] = {
	{"-dbp", "--database-path", "the registers are those that are built into this program"},
	{"-ddt", "--dump-discovery-table",
	 "the image is debugfs' amdgpu_discovery, its blocks are what -lb and sysfs' ip_discovery "
	 "show"},
	{"-cb", "--cbank", "banks of context registers are not known here"},
	{"-vmp", "--vm-partition", "GPUs with several graphics blocks are not known here"},
	{"-vgpr", "--vgpr-granularity", "it follows from the generation here"},
	{"-ls", "--logscan", "the kernel's trace of register accesses is not read here"},
	{"-prof", "--profiler", "-wa, called again and again, shows where waves are"},
	{"-hd", "--header-dump", "the command processor's buffer of headers is not decoded here"},
	{"-cs", "--clock-scan", "sysfs' pp_dpm_sclk and the like have the levels of clocks"},
	{"-cm", "--clock-manual", "clocks are set by sysfs' pp_dpm_sclk and the like"},
	{"-ch", "--clock-high", "echo high > sysfs' power_dpm_force_performance_level"},
	{"-cl", "--clock-low", "echo low > sysfs' power_dpm_force_performance_level"},
	{"-ca", "--clock-auto", "echo auto > sysfs' power_dpm_force_performance_level"},
	{"-pptr", "--ppt-read", "the power firmware's table is not decoded here"},
	{"-gm", "--gpu-metrics", "the power firmware's table is not decoded here; -p has sensors"},
	{"-tl", "--test-log", "it is for umr's own tests"},
	{"-th", "--test-harness", "it is for umr's own tests"},
	{"-rls", "--runlist", "\"breakwater queues\" has KFD's run lists"},
	{"-uq", "--user-queue",
	 "\"breakwater queues\" has user queues, and with --mqd their descriptors"},
	{"-du", "--dump-uq",
	 "\"breakwater queues\" has user queues, and with --mqd their descriptors"},
	{"--list-uq", "--print-uq",
	 "\"breakwater queues\" has user queues, and with --mqd their descriptors"},
	{"--dump-mqd", "--dump-mqd", "\"breakwater queues\" has queue descriptors"},
	{"--rumr-client", "--rumr-server", "it reads this machine's GPUs"},
	{"--server", "--gui", "it has no graphical interface"},
	{"--script", "--script", "\"breakwater device --json\" and the like are for scripts"},
};

static struct bw_error *unknown(const char *word)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(refused); i++)
		if (!strcmp(word, refused[i].name) || !strcmp(word, refused[i].longer))
			return bw_errorf(BW_E_UNSUPPORTED, "option %s is not supported here: %s",
					 word, refused[i].why);
	return bw_errorf(BW_E_UNSUPPORTED, "this umr has no option %s (see --help)", word);
}

static const struct option *find_option(const char *word)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(options); i++)
		if (!strcmp(word, options[i].name) || !strcmp(word, options[i].longer))
			return &options[i];
	return NULL;
}

/* NAME@INSTANCE or NAME=ADDRESS: the part that says which; other words stand as they are, and
 * names of chips say nothing. */
static const char *selector_of(const char *option, const char *value)
{
	const char *at = strpbrk(value, "@=");
	if (!strcmp(option, "-f") || !strcmp(option, "--force"))
		return NULL;
	return at ? at + 1 : value;
}

/* Does what belongs to one pass; for DEVICE it only finds the selector. */
static struct bw_error *run_pass(struct bw_umr *u, int argc, char **argv, enum pass pass,
				 const char **out_selector)
{
	for (int i = 1; i < argc;) {
		const struct option *o = find_option(argv[i]);
		if (!o)
			return unknown(argv[i]);
		int n = o->n_words, left = argc - i - 1;
		if (left < n)
			return bw_errorf(BW_E_INVALID, "option %s takes %d more word%s", argv[i], n,
					 n == 1 ? "" : "s");
		if (o->one_more && left > n && argv[i + 1 + n][0] != '-')
			n++;
		if (o->pass == pass && pass == DEVICE && selector_of(argv[i], argv[i + 1]))
			*out_selector = selector_of(argv[i], argv[i + 1]);
		else if (o->pass == pass && o->fn)
			BW_TRY(o->fn(u, argv + i + 1, n));
		i += 1 + n;
	}
	return NULL;
}

int bw_main_umr(int argc, char **argv)
{
	struct bw_umr u = {.bank = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u}};
	const char *selector = NULL;
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		bw_command_line_print_help(&bw_line_umr);
		return argc < 2 ? BW_EXIT_USAGE : 0;
	}
	struct bw_error *err = run_pass(&u, argc, argv, DEVICE, &selector);
	if (!err)
		err = run_pass(&u, argc, argv, OPTION, NULL);
	if (!err)
		err = open_gpu(&u, selector);
	if (!err)
		err = run_pass(&u, argc, argv, COMMAND, NULL);
	bw_kmd_close(u.kmd);
	if (!err)
		return 0;
	fflush(stdout);
	fprintf(stderr, "umr: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}
