/* SPDX-License-Identifier: MIT */
#include "guest/kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "base/cleanup.h"

#ifdef __x86_64__
#include <linux/kvm.h>

enum {
	/* Addresses in the virtual machine's memory: page tables of one page of 2 MiB, and the
	 * code. */
	MEMORY_B = 0x8000,
	PML4 = 0x1000,
	PDPT = 0x2000,
	PD = 0x3000,
	CODE = 0x4000,
	/* A processor needs 0.1 ms for so many turns. The kvm_pvm of Linux 6.18 with a guest that
	 * does not know it: 280 ms [tried]. */
	TURNS = 100000,
	LIMIT_MS = 40,
};

/* A mapping, for a guard. */
struct map {
	void *at;
	size_t size_b;
};

static void unmap(struct map *m)
{
	if (m->at && m->at != MAP_FAILED)
		munmap(m->at, m->size_b);
}

/* Intel SDM volume 3, 4.5: entries of tables are present and writable; 0x83 is a page of 2 MiB. */
static void fill_memory(uint8_t *memory)
{
	static const struct {
		uint32_t at;
		uint64_t entry;
	} entries[] = {{PML4, PDPT | 3}, {PDPT, PD | 3}, {PD, 0x83}};
	/* dec %rcx; jnz .-3; hlt */
	static const uint8_t code[] = {0x48, 0xff, 0xc9, 0x75, 0xfb, 0xf4};
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		memcpy(memory + entries[i].at, &entries[i].entry, sizeof(entries[i].entry));
	memcpy(memory + CODE, code, sizeof(code));
}

/* 64-bit mode at privilege level 0, as a kernel has it (Intel SDM volume 3, 2.5, 3.4.5, 10.8.5). */
static bool set_registers(int cpu)
{
	const struct kvm_segment data = {
		.limit = ~0u, .selector = 16, .type = 3, .present = 1, .db = 1, .s = 1, .g = 1};
	const struct kvm_regs regs = {.rip = CODE, .rflags = 2, .rcx = TURNS};
	struct kvm_sregs s;
	if (ioctl(cpu, KVM_GET_SREGS, &s))
		return false;
	s.ds = s.es = s.fs = s.gs = s.ss = s.cs = data;
	s.cs.selector = 8;
	s.cs.type = 11;
	s.cs.db = 0;
	s.cs.l = 1;
	s.cr3 = PML4;
	s.cr4 = 1 << 5;				      /* PAE */
	s.cr0 = 1ull << 31 | 1 << 5 | 1 << 4 | 1 | 2; /* PG, NE, ET, PE, MP */
	s.efer = 1 << 10 | 1 << 8;		      /* LMA, LME */
	return !ioctl(cpu, KVM_SET_SREGS, &s) && !ioctl(cpu, KVM_SET_REGS, &regs);
}

static int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Runs the loop to its end. */
static struct bw_error *run_loop(int cpu, const struct kvm_run *run)
{
	int64_t begun_us = now_us();
	while (ioctl(cpu, KVM_RUN, 0) < 0)
		if (errno != EINTR)
			return bw_error_errno(errno, "its virtual processor does not run");
	int64_t took_us = now_us() - begun_us;
	if (run->exit_reason != KVM_EXIT_HLT)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "its virtual processor stopped in a loop of two instructions "
				 "(KVM_EXIT %u)",
				 run->exit_reason);
	if (took_us > LIMIT_MS * 1000)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "it executes a guest's instructions one by one, %lld ns each, "
				 "which is too slow to boot Linux",
				 (long long)took_us * 1000 / (2 * TURNS));
	return NULL;
}

static struct bw_error *try_machine(int kvm)
{
	_cleanup_close_ int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0)
		return bw_error_errno(errno, "it makes no virtual machine");
	_cleanup_(unmap) struct map memory = {
		mmap(NULL, MEMORY_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
		MEMORY_B};
	if (memory.at == MAP_FAILED)
		return bw_error_nomem();
	const struct kvm_userspace_memory_region region = {.memory_size = MEMORY_B,
							   .userspace_addr = (uintptr_t)memory.at};
	fill_memory(memory.at);
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		return bw_error_errno(errno, "its virtual machine gets no memory");
	_cleanup_close_ int cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	int size_b = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (cpu < 0 || size_b < (int)sizeof(struct kvm_run))
		return bw_error_errno(errno, "its virtual machine gets no processor");
	_cleanup_(unmap) struct map run = {
		mmap(NULL, (size_t)size_b, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0),
		(size_t)size_b};
	if (run.at == MAP_FAILED)
		return bw_error_errno(errno, "its virtual processor cannot be mapped");
	if (!set_registers(cpu))
		return bw_error_errno(errno, "its virtual processor takes no registers");
	return run_loop(cpu, run.at);
}

struct bw_error *bw_guest_kvm_check(const char *path)
{
	_cleanup_close_ int kvm = open(path, O_RDWR | O_CLOEXEC);
	if (kvm < 0)
		return bw_error_errno(errno, "%s cannot be opened", path);
	int version = ioctl(kvm, KVM_GET_API_VERSION, 0);
	struct bw_error *err =
		version == KVM_API_VERSION
			? try_machine(kvm)
			: bw_errorf(BW_E_UNSUPPORTED, "it does not speak KVM's interface %d",
				    KVM_API_VERSION);
	return bw_error_wrap(err, "%s exists, but cannot be used", path);
}

#else

struct bw_error *bw_guest_kvm_check(const char *path)
{
	return bw_errorf(BW_E_UNSUPPORTED,
			 "%s runs guests of this machine's kind, and the guest is x86-64", path);
}

#endif
