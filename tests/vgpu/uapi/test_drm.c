/* SPDX-License-Identifier: MIT */
#include "harness.h"

static void version(void **state)
{
	struct client c;
	open_client(&c);
	char name[16] = "", date[16] = "", desc[4] = "";
	struct drm_version v = {0};
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_VERSION, &v), 0);
	assert_int_equal(v.version_major, 3);
	assert_int_equal(v.version_minor, 61);
	assert_int_equal(v.name_len, 6);
	v.name = name, v.date = date, v.desc = desc;
	v.desc_len = 3; /* too short: cut, and the whole length told */
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_VERSION, &v), 0);
	assert_string_equal(name, "amdgpu");
	assert_string_equal(desc, "AMD");
	assert_int_equal(v.desc_len, 7);
	v.name = (char *)8;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_VERSION, &v), -EFAULT);
	close_client(&c);
}

static void capabilities(void **state)
{
	/* clang-format off */
	static const struct { uint64_t cap, value; int result; } rows[] = {
		{0x13, 1, 0}, {0x14, 1, 0}, {0x10, 1, 0}, {0x05, 3, 0}, {0x06, 1, 0}, {0x99, 0, -EINVAL}, {UINT64_MAX, 0, -EINVAL},
	};
	/* clang-format on */
	struct client c;
	open_client(&c);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct drm_get_cap a = {rows[i].cap, 77};
		assert_int_equal(drm_ioctl(&c, DRM_IOCTL_GET_CAP, &a), rows[i].result);
		if (!rows[i].result)
			assert_int_equal(a.value, rows[i].value);
	}
	close_client(&c);
}

static void the_core_answers_what_is_absent(void **state)
{
	struct client c;
	uint32_t card;
	uint64_t arg[32] = {0};
	open_client(&c);
	assert_int_equal(drm_open(&c, 0, &card), 0);
	assert_int_equal(drm_ioctl(&c, _IOWR('d', 0x7f, uint64_t), arg),
			 -EINVAL); /* no such driver ioctl */
	assert_int_equal(drm_ioctl(&c, _IOWR('d', 0x56, uint64_t[9]), arg),
			 -EINVAL); /* USERQ: 7.1 */
	assert_int_equal(drm_ioctl(&c, _IOWR('d', 0x03, uint64_t), arg), -EINVAL);
	assert_int_equal(drm_ioctl(&c, _IOWR('x', 0x00, uint64_t), arg), -ENOTTY);
	assert_int_equal(drm_ioctl(&c, _IO('d', 0xff), arg), -EINVAL);
	/* Rights: the render node refuses what needs a master; the card node has it. */
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_SCHED, arg), -EACCES);
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AUTH_MAGIC, arg), -EACCES);
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_MODE_GETRESOURCES, arg), -EACCES);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_AUTH_MAGIC, arg), -EINVAL);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_GETPLANERESOURCES, arg), 0);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_GETCONNECTOR, arg), -ENOENT);
	struct drm_mode_card_res res = {.count_connectors = 3, .max_width = 1};
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_MODE_GETRESOURCES, &res), 0);
	assert_true(!res.count_connectors && !res.count_crtcs && !res.max_width);
	close_client(&c);
}

static void a_version_gives_the_name(void **state)
{
	struct client c;
	uint32_t card, other;
	char unique[40] = "";
	struct drm_unique u = {sizeof(unique), unique};
	struct drm_set_version too_new = {1, 5, -1, -1}, version = {1, 4, -1, -1};
	open_client(&c);
	assert_int_equal(drm_open(&c, 0, &card), 0);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_GET_UNIQUE, &u), 0);
	assert_int_equal(u.unique_len, 0);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_SET_VERSION, &too_new), -EINVAL);
	assert_int_equal(too_new.drm_di_minor, 4);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_SET_VERSION, &version), 0);
	u.unique_len = sizeof(unique);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_GET_UNIQUE, &u), 0);
	assert_string_equal(unique, "pci:" PCI);
	/* Another file of the same master knows it, too; a new master does not. */
	assert_int_equal(drm_open(&c, 0, &other), 0);
	assert_int_equal(file_ioctl(&c, other, DRM_IOCTL_GET_UNIQUE, &u), 0);
	assert_int_equal(u.unique_len, strlen("pci:" PCI));
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_DROP_MASTER, &version), 0);
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_SET_MASTER, &version), 0);
	u.unique_len = 0;
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_GET_UNIQUE, &u), 0);
	assert_int_equal(u.unique_len, 0);
	close_client(&c);
}

static void only_what_the_direction_says_is_copied(void **state)
{
	/* INFO is write-only: its argument comes back as it was, whatever the call did with it. */
	struct client c;
	uint32_t out = 0;
	open_client(&c);
	struct drm_amdgpu_info q = {.return_pointer = (uintptr_t)&out,
				    .return_size = 4,
				    .query = AMDGPU_INFO_ACCEL_WORKING},
			       kept = q;
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_AMDGPU_INFO, &q), 0);
	assert_memory_equal(&q, &kept, sizeof(q));
	assert_int_equal(out, 1);
	/* A call that says it only reads gives no input: a context of op 0. */
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	assert_int_equal(drm_ioctl(&c, _IOC(_IOC_READ, 'd', 0x42, sizeof(a)), &a), -EINVAL);
	close_client(&c);
}

static void every_file_is_a_vm_of_its_own(void **state)
{
	struct client c;
	uint32_t second;
	open_client(&c);
	make_buffer(&c, 4096, AMDGPU_GEM_DOMAIN_VRAM, 0, 0x100000);
	assert_int_equal(drm_open(&c, 128, &second), 0);
	union drm_amdgpu_gem_create create = {.in = {4096, 0, AMDGPU_GEM_DOMAIN_VRAM, 0}};
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
	assert_int_equal(create.out.handle, 1);
	struct drm_amdgpu_gem_va va = {.handle = 1,
				       .operation = AMDGPU_VA_OP_MAP,
				       .flags = AMDGPU_VM_PAGE_READABLE,
				       .va_address = 0x100000,
				       .map_size = 4096};
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
	assert_int_equal(close_file(&c, second), 0);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AMDGPU_GEM_VA, &va), -EBADF);
	assert_int_equal(server_info(&c).buffers, 1);
	close_client(&c);
}

/* drm_getclient and drm_getstats of Linux 6.12; libdrm asks the first to know whether it is
 * authenticated. */
static void what_is_left_of_old_calls(void **state)
{
	struct client c;
	uint32_t card;
	open_client(&c);
	assert_int_equal(drm_open(&c, 0, &card), 0);
	struct drm_client who = {.magic = 5, .iocs = 6};
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_GET_CLIENT, &who), 0);
	assert_int_equal(who.auth, 1); /* the first file of the card is its master */
	assert_int_equal(who.pid, getpid());
	assert_int_equal(who.uid, 65534);
	assert_true(!who.magic && !who.iocs);
	who.idx = 1;
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_GET_CLIENT, &who), -EINVAL);
	assert_int_equal(drm_ioctl(&c, DRM_IOCTL_GET_CLIENT, &who), -EACCES); /* a render node */
	struct drm_stats stats, zero = {0};
	memset(&stats, 0xaa, sizeof(stats));
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_GET_STATS, &stats), 0);
	assert_memory_equal(&stats, &zero, sizeof(zero));
	union drm_wait_vblank vblank = {0};
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_WAIT_VBLANK, &vblank), -EOPNOTSUPP);
	struct drm_lock lock = {0};
	assert_int_equal(file_ioctl(&c, card, DRM_IOCTL_FINISH, &lock), 0);
	close_client(&c);
}

static void the_master_vouches_for_a_magic_once(void **state)
{
	struct client c;
	uint32_t master, second;
	struct drm_auth a = {0}, again = {0}, none = {.magic = 77};
	open_client(&c);
	assert_int_equal(drm_open(&c, 0, &master), 0);
	assert_int_equal(drm_open(&c, 0, &second), 0);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_GET_MAGIC, &a), 0);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_GET_MAGIC, &again), 0);
	assert_true(a.magic && a.magic == again.magic);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_AUTH_MAGIC, &a), -EACCES);
	assert_int_equal(file_ioctl(&c, master, DRM_IOCTL_AUTH_MAGIC, &none), -EINVAL);
	assert_int_equal(file_ioctl(&c, master, DRM_IOCTL_AUTH_MAGIC, &a), 0);
	assert_int_equal(file_ioctl(&c, master, DRM_IOCTL_AUTH_MAGIC, &a), -EINVAL);
	struct drm_client who = {0};
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_GET_CLIENT, &who), 0);
	assert_int_equal(who.auth, 1);
	/* A magic goes with its file, and the next one to ask gets the number. */
	assert_int_equal(close_file(&c, second), 0);
	assert_int_equal(drm_open(&c, 0, &second), 0);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_GET_MAGIC, &again), 0);
	assert_int_equal(again.magic, a.magic);
	assert_int_equal(file_ioctl(&c, second, DRM_IOCTL_SET_MASTER, &a), -EBUSY);
	assert_int_equal(file_ioctl(&c, master, DRM_IOCTL_DROP_MASTER, &a), 0);
	assert_int_equal(file_ioctl(&c, master, DRM_IOCTL_AUTH_MAGIC, &again), -EACCES);
	assert_int_equal(file_ioctl(&c, master, DRM_IOCTL_SET_MASTER, &a), 0);
	close_client(&c);
}

static void a_name_lasts_as_long_as_a_handle(void **state)
{
	struct client c;
	uint32_t one, two;
	open_client(&c);
	assert_int_equal(drm_open(&c, 0, &one), 0);
	assert_int_equal(drm_open(&c, 0, &two), 0);
	union drm_amdgpu_gem_create create = {.in = {8192, 0, AMDGPU_GEM_DOMAIN_VRAM, 0}};
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
	struct drm_gem_flink name = {.handle = create.out.handle}, same = name, bad = {99, 0};
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_FLINK, &bad), -ENOENT);
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_FLINK, &name), 0);
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_FLINK, &same), 0);
	assert_true(name.name && name.name == same.name);
	struct drm_gem_open open = {.name = name.name}, second = open, none = {.name = 1234};
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_GEM_OPEN, &none), -ENOENT);
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_GEM_OPEN, &open), 0);
	assert_int_equal(open.size, 8192);
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_GEM_OPEN, &second), 0);
	assert_int_not_equal(open.handle, second.handle);
	/* A mapping lasts until the file's last handle is closed. */
	struct drm_amdgpu_gem_va va = {.handle = open.handle,
				       .operation = AMDGPU_VA_OP_MAP,
				       .flags = AMDGPU_VM_PAGE_READABLE,
				       .va_address = 0x100000,
				       .map_size = 4096};
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
	struct drm_gem_close close = {.handle = open.handle};
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_GEM_CLOSE, &close), 0);
	va.handle = second.handle;
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_AMDGPU_GEM_VA, &va), -EINVAL); /* is there */
	close.handle = create.out.handle;
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_CLOSE, &close), 0);
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_OPEN, &open), 0);
	close.handle = open.handle;
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_CLOSE, &close), 0);
	close.handle = second.handle;
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_GEM_CLOSE, &close), 0);
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_OPEN, &open), -ENOENT);
	assert_int_equal(server_info(&c).buffers, 0);
	/* What is always valid in one address space stays in it. */
	create.in.bo_size = 4096;
	create.in.alignment = 0;
	create.in.domains = AMDGPU_GEM_DOMAIN_VRAM;
	create.in.domain_flags = AMDGPU_GEM_CREATE_VM_ALWAYS_VALID;
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
	name.handle = create.out.handle;
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_FLINK, &name), 0);
	open.name = name.name;
	assert_int_equal(file_ioctl(&c, two, DRM_IOCTL_GEM_OPEN, &open), -EPERM);
	assert_int_equal(file_ioctl(&c, one, DRM_IOCTL_GEM_OPEN, &open), 0);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, version, capabilities, the_core_answers_what_is_absent,
	     a_version_gives_the_name, only_what_the_direction_says_is_copied,
	     every_file_is_a_vm_of_its_own, what_is_left_of_old_calls,
	     the_master_vouches_for_a_magic_once, a_name_lasts_as_long_as_a_handle);
