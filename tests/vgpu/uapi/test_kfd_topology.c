/* SPDX-License-Identifier: MIT */
/* The nodes of KFD in sysfs. */
#include "harness.h"

#include "vgpu/uapi/kfd.h"

/* The checksum is Linux's: the guest's driver gave 30613 to the GPU with these numbers. */
static struct bw_profile as_in_the_guest(void)
{
	static const struct bw_profile_firmware firmware[] = {{"MEC", 0, 2590}, {"SDMA", 0, 24}};
	struct bw_profile p = bw_profile_navi31;
	p.pci_address = "0000:01:00.0";
	p.vram_size_b = 1 << 30;
	p.mall_b = 0;
	p.pcie_gen = 3;
	p.pcie_lanes = 8;
	p.sclk.max_mhz = p.mclk.max_mhz = 100;
	p.firmware = firmware;
	p.n_firmware = BW_ARRAY_SIZE(firmware);
	return p;
}

static void the_gpus_number(void **state)
{
	struct bw_profile p = as_in_the_guest();
	assert_int_equal(bw_kfd_gpu_id(&p), 30613);
	assert_int_not_equal(bw_kfd_gpu_id(&bw_profile_navi31),
			     30613); /* at another place, with other memory */
}

static char topology[64];

/* The value of a property in a file of it: "" where it has none. */
static void property(const char *file, const char *name, char out[2048])
{
	char path[256], line[2048];
	size_t n = strlen(name);
	snprintf(path, sizeof(path), "%s/sys/class/kfd/kfd/topology/%s", topology, file);
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("no %s", path);
	*out = '\0';
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!*name)
			strcpy(out, line);
		else if (!strncmp(line, name, n) && line[n] == ' ')
			strcpy(out, line + n + 1);
	}
	fclose(f);
}

/* "8,8": how many of the first bits of each word of a sibling map are set. */
static void summary_of_siblings(const char *map, char out[256])
{
	unsigned bit = 0, set = 0;
	*out = '\0';
	for (; *map; map++) {
		if (*map == ',')
			continue;
		set += *map == '1';
		if (++bit % 32)
			continue;
		sprintf(out + strlen(out), "%s%u", bit > 32 ? "," : "", set);
		set = 0;
	}
}

static void compare_cache(const char *file, const char *expected)
{
	static const char *const names[] = {"processor_id_low", "level", "size", "cache_line_size",
					    "type"};
	char path[128], value[2048], all[2400] = "", siblings[256];
	snprintf(path, sizeof(path), "%.100s/properties", file);
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		property(path, names[i], value);
		sprintf(all + strlen(all), "%s ", value);
	}
	property(path, "sibling_map", value);
	summary_of_siblings(value, siblings);
	strcat(all, siblings);
	if (strcmp(all, expected))
		fail_msg("%s: %s, not %s", file, all, expected);
}

static void compare_line(const char *line)
{
	char file[64], name[64], value[64] = "", got[2048];
	/* in a guest without PCIe atomics the links have two flags more */
	const char *other = NULL;
	int n = sscanf(line, "%63s %63s %63s", file, name, value);
	bool has_names = n == 3;
	property(file, has_names ? name : "", got);
	if (!strcmp(name, "flags") && strstr(file, "io_links"))
		other = !strcmp(value, "15") ? "3" : "1";
	if (strcmp(got, has_names ? value : name) && (!other || strcmp(got, other)))
		fail_msg("%s %s is %s, not %s", file, name, got, value);
}

/* tests/vgpu/uapi/data/kfd_topology.txt is what Linux's own driver shows. */
static void nodes_as_linux_shows_them(void **state)
{
	const struct bw_kfd_host host = {.n_cpus = 2, .memory_b = 2069676032};
	struct bw_profile p = as_in_the_guest();
	char path[256], line[512];
	snprintf(topology, sizeof(topology), "/tmp/bw-test-kfd-XXXXXX");
	assert_non_null(mkdtemp(topology));
	struct bw_tree_maker m = {.root = topology};
	bw_kfd_tree_make(&m, &p, &host, 0);
	assert_null(m.err);
	snprintf(path, sizeof(path), "%s/tests/vgpu/uapi/data/kfd_topology.txt",
		 getenv("BREAKWATER_SOURCE"));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	unsigned n = 0;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		char *space = strchr(line, ' ');
		if (*line == '#' || !space)
			continue;
		n++;
		if (strncmp(line, "nodes/1/caches/", 15)) {
			compare_line(line);
		} else {
			*space = '\0';
			compare_cache(line, space + 1);
		}
	}
	fclose(f);
	assert_true(n > 300);
	bw_kfd_tree_unplug(topology);
	snprintf(path, sizeof(path), "%s/sys/class/kfd/kfd/topology/nodes/1", topology);
	assert_int_not_equal(access(path, F_OK), 0);
	bw_kfd_tree_remove(topology);
	bw_tree_take_out(topology, "sys");
	assert_int_equal(rmdir(topology), 0);
}

TESTS(the_gpus_number, nodes_as_linux_shows_them);
