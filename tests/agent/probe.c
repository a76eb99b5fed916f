/* SPDX-License-Identifier: MIT */
/* A program with the agent in it: does what its first argument says, and ends with status 0 when
 * all of it was as a program expects it of a GPU. */
#include <amdgpu_drm.h>
#include <dirent.h>
#include <dlfcn.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM_WAIT (UINT64_MAX / 2 - 1) /* FAKE_PROGRAM_WAIT of fake_server.h */
#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "probe:%d: %s (errno %s)\n", __LINE__, #what,              \
				strerror(errno));                                                  \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

#define NODE "/dev/dri/renderD128"
#define SYS "/sys/dev/char/226:128/device"
#define PCI_DIR "/sys/devices/pci0000:00/0000:03:00.0"

static bool is_amdgpu(int fd)
{
	char name[16] = "";
	struct drm_version v = {.name = name, .name_len = sizeof(name)};
	return !ioctl(fd, DRM_IOCTL_VERSION, &v) && !strcmp(name, "amdgpu");
}

static void is_node(const struct stat *st, unsigned want)
{
	CHECK(S_ISCHR(st->st_mode) && major(st->st_rdev) == 226 && minor(st->st_rdev) == want);
}

static void paths(void)
{
	struct stat st;
	struct stat64 st64;
	struct statx stx;
	CHECK(!stat(NODE, &st));
	is_node(&st, 128);
	CHECK(!lstat("/dev/dri/card0", &st));
	is_node(&st, 0);
	CHECK(!stat64(NODE, &st64) && S_ISCHR(st64.st_mode));
	CHECK(!fstatat(AT_FDCWD, NODE, &st, 0));
	is_node(&st, 128);
	CHECK(!statx(AT_FDCWD, NODE, 0, STATX_BASIC_STATS, &stx) && S_ISCHR(stx.stx_mode) &&
	      stx.stx_rdev_minor == 128);
	CHECK(stat("/dev/dri/renderD129", &st) && errno == ENOENT);
	CHECK(open("/dev/dri/renderD129", O_RDWR) < 0 && errno == ENOENT);
	CHECK(!access(NODE, R_OK | W_OK) && !stat(SYS "/drm", &st) && S_ISDIR(st.st_mode));

	DIR *d = opendir("/dev/dri");
	unsigned seen = 0;
	CHECK(d);
	for (struct dirent *e; (e = readdir(d));)
		seen |= (unsigned)!strcmp(e->d_name, "card0") |
			(unsigned)!strcmp(e->d_name, "renderD128") << 1;
	CHECK(seen == 3);
	int fd = openat(dirfd(d), "renderD128", O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0 && is_amdgpu(fd));
	close(fd);
	closedir(d);

	char text[4096], *real = realpath(SYS, NULL);
	CHECK(real && !strcmp(real, PCI_DIR));
	free(real);
	CHECK(realpath("/dev/dri/card0", text) && !strcmp(text, "/dev/dri/card0"));
	ssize_t n = readlink(SYS "/subsystem", text, sizeof(text) - 1);
	CHECK(n > 4 && !memcmp(text + n - 4, "/pci", 4));
	FILE *f = fopen(PCI_DIR "/uevent", "r");
	CHECK(f && fgets(text, sizeof(text), f) && !strcmp(text, "DRIVER=amdgpu\n"));
	fclose(f);
	fd = open(SYS "/vendor", O_RDONLY);
	CHECK(fd >= 0 && read(fd, text, 7) == 7 && !memcmp(text, "0x1002\n", 7));
	close(fd);
	/* Everything else is as it was. */
	CHECK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode) && major(st.st_rdev) == 1);
	CHECK(!access("/proc/self/status", R_OK) && open("/sys/class/drm/nothing", O_RDONLY) < 0);
	CHECK((d = opendir("/proc/self/fd")) != NULL);
	closedir(d);
	CHECK(open("/tmp", O_RDONLY | O_DIRECTORY) >= 0 && !access("/sys/class", F_OK));
}

/* As a program linked with a glibc before 2.33 calls them; the version is that of struct stat. */
static void old_names(int fd)
{
	int (*fxstat)(int, int, struct stat *) = dlsym(RTLD_DEFAULT, "__fxstat");
	int (*xstat)(int, const char *, struct stat *) = dlsym(RTLD_DEFAULT, "__xstat");
	int (*lxstat)(int, const char *, struct stat *) = dlsym(RTLD_DEFAULT, "__lxstat");
	int (*fxstatat)(int, int, const char *, struct stat *, int) =
		dlsym(RTLD_DEFAULT, "__fxstatat");
	for (int version = 0; version < 2; version++) {
		struct stat st[4] = {0};
		CHECK(!fxstat(version, fd, &st[0]) && !xstat(version, NODE, &st[1]) &&
		      !lxstat(version, NODE, &st[2]) &&
		      !fxstatat(version, AT_FDCWD, NODE, &st[3], 0));
		for (int i = 0; i < 4; i++)
			is_node(&st[i], 128);
	}
	struct stat st;
	CHECK(fxstat(7, fd, &st) == -1 && errno == EINVAL);
	CHECK(!xstat(1, "/tmp", &st) && S_ISDIR(st.st_mode));
}

static void descriptors(void)
{
	int fd = open(NODE, O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0 && is_amdgpu(fd) && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
	struct stat st;
	CHECK(!fstat(fd, &st));
	is_node(&st, 128);
	old_names(fd);
	char link[32], target[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	CHECK(readlink(link, target, sizeof(target)) == (ssize_t)strlen(NODE) &&
	      !memcmp(target, NODE, strlen(NODE)));
	CHECK(readlink(link, target, 4) == 4); /* cut, as the kernel cuts it */
	int copies[] = {dup(fd), fcntl(fd, F_DUPFD, 40), fcntl(fd, F_DUPFD_CLOEXEC, 50),
			dup2(fd, 60), dup3(fd, 61, O_CLOEXEC)};
	CHECK(copies[3] == 60 && copies[4] == 61);
	close(fd);
	for (unsigned i = 0; i < 5; i++)
		CHECK(copies[i] >= 0 && is_amdgpu(copies[i]));
	/* A number that is taken for something else is no GPU any more. */
	int null = open("/dev/null", O_RDWR);
	CHECK(dup2(null, 60) == 60 && !is_amdgpu(60) && errno == ENOTTY);
	struct pollfd p = {.fd = copies[0], .events = POLLIN};
	CHECK(poll(&p, 1, 0) == 0);
	close(copies[0]);
	CHECK(!is_amdgpu(copies[0]) && errno == EBADF);
	/* Programs that close all they do not know: the rest works on. */
	for (int i = 70; i < 1024; i++)
		close(i);
	CHECK(is_amdgpu(61));
	CHECK(!close_range(62, ~0u, 0) && is_amdgpu(61));
	CHECK(!close_range(55, 61, 0) && !is_amdgpu(61));
	CHECK(is_amdgpu(copies[1]) && !is_amdgpu(60));

	char text[256];
	snprintf(text, sizeof(text), "/proc/self/fdinfo/%d", copies[1]);
	FILE *f = fopen(text, "r");
	bool found = false;
	while (f && fgets(text, sizeof(text), f))
		found |= !strcmp(text, "pasid:\t32771\n");
	CHECK(found);
	fclose(f);
}

static uint32_t make_bo(int fd, uint64_t size_b, uint64_t flags)
{
	union drm_amdgpu_gem_create c = {
		.in = {.bo_size = size_b, .domains = AMDGPU_GEM_DOMAIN_GTT, .domain_flags = flags}};
	CHECK(!ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &c));
	return c.out.handle;
}

static void *map_bo(int fd, uint32_t handle, size_t size_b)
{
	union drm_amdgpu_gem_mmap m = {.in = {.handle = handle}};
	CHECK(!ioctl(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &m));
	void *p = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.out.addr_ptr);
	CHECK(p != MAP_FAILED);
	return p;
}

static void buffers(void)
{
	int fd = open(NODE, O_RDWR);
	uint32_t bo = make_bo(fd, 0x280, 0);
	char *a = map_bo(fd, bo, 0x280), *b = map_bo(fd, bo, 4096);
	strcpy(a, "shared");
	CHECK(!strcmp(b, "shared"));
	struct drm_prime_handle out = {.handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR};
	CHECK(!ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out));
	char *c = mmap(NULL, 4096, PROT_READ, MAP_SHARED, out.fd, 0);
	CHECK(c != MAP_FAILED && !strcmp(c, "shared"));
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)77 << 32) == MAP_FAILED &&
	      errno == EINVAL);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	CHECK(ioctl(fd, DRM_IOCTL_VERSION, NULL) < 0 && errno == EFAULT);
}

/* The inode of the memory behind some pages, once they are the GPU's; 0 and errno if they cannot
 * be. */
static ino_t userptr(int fd, void *p, size_t size_b)
{
	struct drm_amdgpu_gem_userptr up = {.addr = (uintptr_t)p,
					    .size = size_b,
					    .flags = AMDGPU_GEM_USERPTR_ANONONLY |
						     AMDGPU_GEM_USERPTR_REGISTER};
	if (ioctl(fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &up))
		return 0;
	struct drm_prime_handle out = {.handle = up.handle, .flags = DRM_CLOEXEC | DRM_RDWR};
	CHECK(!ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out));
	char *gpu =
		mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, out.fd, (off_t)(uintptr_t)p);
	CHECK(gpu != MAP_FAILED && !memcmp(gpu, p, size_b) && !memcmp((char *)p + 8, "GPU", 3));
	gpu[100] = 'g';
	((volatile char *)p)[200] = 'p';
	CHECK(((volatile char *)p)[100] == 'g' && ((volatile char *)gpu)[200] == 'p');
	struct stat st;
	CHECK(!fstat(out.fd, &st));
	munmap(gpu, size_b);
	close(out.fd);
	return st.st_ino;
}

static void pages(void)
{
	enum { SIZE = 64 << 10 };
	int fd = open(NODE, O_RDWR);
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *p = mmap(NULL, SIZE, prot, flags, -1, 0);
	CHECK(p != MAP_FAILED);
	for (int i = 0; i < SIZE; i++)
		p[i] = (char)(i * 7);
	char *heap = aligned_alloc(4096, 8192);
	memset(heap, 5, 8192);
	ino_t first = userptr(fd, p + 4096, 8192);
	CHECK(first && p[4095] == (char)(4095 * 7) && p[4096 + 4000] == (char)(8096 * 7));
	CHECK(userptr(fd, p + 4096, 8192) == first); /* the same pages again */
	CHECK(userptr(fd, p + 8192, 4096) == first); /* one of them */
	CHECK(userptr(fd, p + 8192, 8192) == first); /* one of them, and another one */
	CHECK(p[12288 + 4000] == (char)(16288 * 7) && p[16384] == (char)(16384 * 7));
	CHECK(userptr(fd, p, 8192) == first); /* in front */
	ino_t second = userptr(fd, p + 28672, 8192);
	CHECK(second && second != first);
	/* in both, and pages between them */
	CHECK(!userptr(fd, p + 12288, 20480) && errno == ENODEV && p[20480] == (char)(20480 * 7));
	CHECK(userptr(fd, heap, 8192) && heap[0] == 5 && heap[8191] == 5);
	char *nothing = mmap(NULL, SIZE, PROT_NONE, flags, -1, 0);
	CHECK(nothing != MAP_FAILED && !munmap(nothing, SIZE));
	CHECK(!userptr(fd, nothing, 4096));
	CHECK(mmap(p, SIZE, prot, flags | MAP_FIXED, -1, 0) == p);
	ino_t next = userptr(fd, p + 4096, 8192); /* other pages in the same place */
	CHECK(next && next != first);
	free(heap);
}

static void forks(void)
{
	int fd = open(NODE, O_RDWR);
	CHECK(is_amdgpu(fd));
	pid_t pid = fork();
	if (!pid) {
		CHECK(is_amdgpu(fd));
		close(fd); /* the parent's stays open */
		_exit(0);
	}
	for (int i = 0; i < 200; i++)
		CHECK(is_amdgpu(fd));
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0 && is_amdgpu(fd));
	/* A child that only prepares exec, in its parent's memory. */
	pid = vfork();
	if (!pid) {
		close(fd);
		for (int i = 3; i < 1024; i++)
			close(i);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0 && is_amdgpu(fd));
	CHECK(!system("exit 0") && is_amdgpu(fd));
}

static void *work(void *cookie)
{
	for (int i = 0; i < 100; i++) {
		int fd = open(NODE, O_RDWR);
		uint32_t bo = make_bo(fd, 8192, 0);
		uint32_t *p = map_bo(fd, bo, 8192);
		p[0] = (uint32_t)i;
		munmap(p, 8192);
		struct drm_gem_close c = {.handle = bo};
		CHECK(!ioctl(fd, DRM_IOCTL_GEM_CLOSE, &c));
		close(fd);
	}
	return cookie;
}

static void threads(void)
{
	pthread_t t[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
}

/* Waits in the kernel until the GPU is gone. */
static void gone(void)
{
	int fd = open(NODE, O_RDWR);
	CHECK(is_amdgpu(fd));
	union drm_amdgpu_wait_cs w = {.in = {.handle = 1, .timeout = INT64_MAX}};
	CHECK(ioctl(fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w) < 0 && errno == ENODEV);
	CHECK(ioctl(fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w) < 0 && errno == ENODEV);
	CHECK(open(NODE, O_RDWR) < 0 && errno == ENODEV);
	/* libdrm does not look whether it has got a version. */
	char few[4] = "abc";
	struct drm_version v = {.name = few, .name_len = 2};
	CHECK(is_amdgpu(fd) && !ioctl(fd, DRM_IOCTL_VERSION, &v) && !strcmp(few, "amc"));
	CHECK(v.version_major == 3 && v.version_minor == 61 && v.name_len == 6 && !v.date_len);
	CHECK(ioctl(fd, DRM_IOCTL_VERSION, NULL) < 0 && errno == EFAULT);
	v.name = (char *)8;
	CHECK(ioctl(fd, DRM_IOCTL_VERSION, &v) < 0 && errno == EFAULT);
}

enum { IB_DW = 32 };
#define CODE_VA 0xffff800100001000ull
#define IB_VA 0x400000000ull
#define CLOSED_VA 0x500000000ull

static void map_va(int fd, uint32_t handle, uint64_t va, uint64_t size_b)
{
	struct drm_amdgpu_gem_va a = {.handle = handle,
				      .operation = AMDGPU_VA_OP_MAP,
				      .flags = 0xe,
				      .va_address = va,
				      .map_size = size_b};
	CHECK(!ioctl(fd, DRM_IOCTL_AMDGPU_GEM_VA, &a));
}

/* Its number is given to the next buffer. */
static void map_and_close(int fd)
{
	struct drm_gem_close c = {.handle = make_bo(fd, 4096, 0)};
	map_va(fd, c.handle, CLOSED_VA, 4096);
	CHECK(!ioctl(fd, DRM_IOCTL_GEM_CLOSE, &c));
}

/* Submits one dispatch, under a debugger. The words are those of doc/hardware/dispatch.md 2.1 for
 * saxpy. */
static void submit(void)
{
	int fd = open(NODE, O_RDWR);
	map_and_close(fd);
	uint32_t code = make_bo(fd, 4096, AMDGPU_GEM_CREATE_NO_CPU_ACCESS),
		 ib = make_bo(fd, 4096, 0);
	uint32_t *dw = map_bo(fd, ib, 4096), *insts = map_bo(fd, code, 4096);
	map_va(fd, code, CODE_VA, 4096);
	map_va(fd, ib, IB_VA, 4096);
	const uint64_t pgm = (CODE_VA & 0xffffffffffff) >> 8;
	const uint32_t words[IB_DW] = {
		0xc0017600, 0x20d,	(uint32_t)(pgm >> 32),
		0xc0017600, 0x20c,	(uint32_t)pgm,
		0xc0027600, 0x212,	0x602c0002,
		0x0000008a, 0xc0037600, 0x207,
		256,	    1,		1,
		0xc0027600, 0x243,	0x40000000,
		0x100,	    0xc0031502, 4,
		1,	    1,		0x2045,
		0xffff1000, 0xffff1000, 0xffff1000,
		0xffff1000, 0xffff1000, 0xffff1000,
		0xffff1000, 0xffff1000,
	};
	memcpy(dw, words, sizeof(words));
	insts[0] = 0x11111111;
	insts[1] = 0x22222222;
	struct drm_amdgpu_bo_list_entry entry = {.bo_handle = code};
	struct drm_amdgpu_bo_list_in list = {~0u, ~0u, 1, sizeof(entry), (uintptr_t)&entry};
	struct drm_amdgpu_cs_chunk_ib chunk_ib = {.va_start = IB_VA,
						  .ib_bytes = IB_DW * 4,
						  .ip_type = AMDGPU_HW_IP_COMPUTE,
						  .ring = 1};
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_IB, sizeof(chunk_ib) / 4, (uintptr_t)&chunk_ib},
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list},
	};
	uint64_t pointers[] = {(uintptr_t)&chunks[0], (uintptr_t)&chunks[1]};
	union drm_amdgpu_cs cs = {
		.in = {.ctx_id = 5, .num_chunks = 2, .chunks = (uintptr_t)pointers}};
	CHECK(!ioctl(fd, DRM_IOCTL_AMDGPU_CS, &cs) && cs.out.handle > 0);
	union drm_amdgpu_wait_cs w = {
		.in = {.handle = cs.out.handle, .timeout = PROGRAM_WAIT, .ctx_id = 5}};
	CHECK(!ioctl(fd, DRM_IOCTL_AMDGPU_WAIT_CS, &w));
	CHECK(insts[0] == 0x11111111 && insts[1] == 0x33333333);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} table[] = {
		{"paths", paths},     {"descriptors", descriptors},
		{"buffers", buffers}, {"forks", forks},
		{"threads", threads}, {"gone", gone},
		{"submit", submit},   {"pages", pages},
	};
	alarm(30); /* a probe that waits for ever must not make the test do so */
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], table[i].name)) {
			table[i].run();
			return 0;
		}
	}
	return 2;
}
