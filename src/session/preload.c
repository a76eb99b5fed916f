/* SPDX-License-Identifier: MIT */
/* Programs that the agent cannot be loaded into. The agent is a library that the dynamic loader
 * puts before the C library (LD_PRELOAD). Without the loader, or if it distrusts its environment,
 * there is no agent, and system calls that a program makes without libc bypass it. */
#include "session/programs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/program.h"
#include "base/util.h"
#include "session/vulkan_driver.h"

/* The reason why the loader distrusts the environment (AT_SECURE, ld.so(8)); NULL: it does not. */
static const char *privilege(int fd)
{
	struct stat st;
	if (fstat(fd, &st))
		return NULL;
	if (st.st_mode & S_ISUID && st.st_uid != getuid())
		return "setuid";
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid())
		return "setgid";
	return getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0
		       ? "given file capabilities"
		       : NULL;
}

#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

/* What the file itself forbids. */
static struct bw_error *check_file(const char *path, const struct bw_program_file *f)
{
	const char *name = bw_program_machine_name(f->machine);
	if (!f->is_elf)
		return NULL;
	if (f->machine != OWN_MACHINE && !(OWN_MACHINE == EM_X86_64 && f->machine == EM_386))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is a program for %s (ELF machine %u), so that this machine does not run it, or "
			"only in an emulator, into which the agent cannot be preloaded: build it for %s",
			path, name ? name : "another machine", f->machine,
			bw_program_machine_name(OWN_MACHINE));
	if (!f->is_64_bit)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is a 32-bit program, so that the agent, which has 64 bits, cannot be preloaded into "
			"it: build it for 64 bits",
			path);
	if (f->all_seen && !f->has_loader)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is statically linked, so that the agent cannot be preloaded into it: it does not see "
			"the virtual GPU, and cannot be debugged",
			path);
	return NULL;
}

struct bw_error *bw_check_preload(const char *program)
{
	struct bw_program_file f;
	_cleanup_free_ char *path = bw_program_find(program);
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return NULL;
	const char *given = privilege(fd);
	if (given)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is %s, so that the agent cannot be preloaded into it: it does not see the virtual "
			"GPU, and cannot be debugged",
			path, given);
	return bw_program_read(fd, &f) ? check_file(path, &f) : NULL;
}

/* A file without "#!" that is no program of the machine: execvp gives it to /bin/sh. */
static bool is_for_shell(const char *program)
{
	struct bw_program_file f;
	_cleanup_free_ char *path = bw_program_find(program);
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	return fd >= 0 && bw_program_read(fd, &f) && !f.is_elf && !f.has_interpreter_line;
}

/* A program that needs a library of windows, and no display to open them on. */
static bool lacks_display(const char *program)
{
	static const char *const libraries[] = {"libX11.so", "libxcb.so", "libwayland-client.so",
						"libSDL", "libglfw.so"};
	struct stat st;
	bool found = false;
	if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"))
		return false;
	_cleanup_free_ char *path = bw_program_find(program);
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(libraries) && !found; i++)
		found = memmem(data, (size_t)st.st_size, libraries[i], strlen(libraries[i]));
	munmap(data, (size_t)st.st_size);
	return found;
}

struct bw_error *bw_check_used(const char *program)
{
	_cleanup_free_ char *driver = NULL;
	_cleanup_error_ struct bw_error *why = bw_vulkan_driver_find("", &driver);
	return why ? bw_errorf(BW_E_NOT_FOUND, "%s has ended without using the GPU: %s", program,
			       why->message)
		   : bw_errorf(
			     BW_E_NOT_FOUND,
			     "%s has ended without using the GPU: \"breakwater exec -- vulkaninfo "
			     "--summary\" shows the GPUs that a program can choose; if another "
			     "program does its work, start that one here",
			     program);
}

struct bw_error *bw_check_seen(struct bw_kmd *kmd, uint64_t before, const char *program)
{
	if (!before || bw_kmd_n_clients_ever(kmd) != before)
		return NULL;
	if (is_for_shell(program))
		return bw_errorf(
			BW_E_NOT_FOUND,
			"%s has no #! line, so that /bin/sh has read it: begin it with one "
			"that names its interpreter",
			program);
	_cleanup_free_ char *driver = NULL;
	_cleanup_error_ struct bw_error *why = bw_vulkan_driver_find("", &driver);
	if (why)
		return bw_errorf(BW_E_NOT_FOUND, "%s has not used the GPU: %s", program,
				 why->message);
	if (lacks_display(program))
		return bw_errorf(
			BW_E_NOT_FOUND,
			"%s has a window, and neither DISPLAY nor WAYLAND_DISPLAY is set: start it "
			"with a display, as by \"xvfb-run -a breakwater ...\"",
			program);
	return bw_errorf(
		BW_E_NOT_FOUND,
		"%s failed before it, or a program that it started, opened the virtual GPU; a program that makes "
		"system calls by itself, not through the C library, does not see it and cannot be debugged",
		program);
}
