/* SPDX-License-Identifier: MIT */
/* Programs of HIP that were compiled for another GPU. Their kernels do not run, and ROCm's runtime
 * says so only to a program that asks for errors, without the names of the GPUs. */
#include "session/programs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/program.h"
#include "sym/bundle.h"

/* With this variable the runtime loads code for the GPU that it names. */
static const char override[] = "HSA_OVERRIDE_GFX_VERSION";

struct bw_error *bw_check_gpu_code(struct bw_kmd *kmd, const char *program)
{
	struct stat st;
	struct bw_kmd_ip gc;
	char gpu[16];
	_cleanup_free_ char *path = getenv(override) ? NULL : bw_program_find(program);
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return NULL;
	_cleanup_error_ struct bw_error *unknown = bw_kmd_ip(kmd, "GC", &gc);
	if (unknown)
		return NULL;
	bw_arch_gfx_name(BW_IP_VERSION(gc.major, gc.minor, gc.revision), gpu, sizeof(gpu));
	size_t size_b = (size_t)st.st_size;
	void *data = mmap(NULL, size_b, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return NULL;
	struct bw_error *err = bw_bundle_check_program(data, size_b, path, gpu);
	munmap(data, size_b);
	return err;
}
