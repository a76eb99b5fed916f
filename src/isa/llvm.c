/* SPDX-License-Identifier: MIT */
#include "isa/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "base/build_names.h"
#include "base/util.h"

static struct bw_llvm llvm;
static char why_not[256];

static void *find_function(void *library, const char *name)
{
	void *found = dlsym(library, name);
	if (!found && !why_not[0])
		snprintf(why_not, sizeof(why_not), "it has no %s", name);
	return found;
}

static void load(void)
{
	/* The functions that register the target: llvm-c/Target.h declares these by macros. */
	static const char *const begin[] = {
		"LLVMInitializeAMDGPUTargetInfo", "LLVMInitializeAMDGPUTarget",
		"LLVMInitializeAMDGPUTargetMC", "LLVMInitializeAMDGPUDisassembler"};

	/* Local, since a Vulkan driver in this process may bring another LLVM. */
	void *library = dlopen(BW_LLVM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(why_not, sizeof(why_not), "%s", dlerror());
		return;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(begin); i++) {
		void (*call)(void);
		*(void **)&call = find_function(library, begin[i]);
		if (call)
			call();
	}
	*(void **)&llvm.create = find_function(library, "LLVMCreateDisasmCPUFeatures");
	*(void **)&llvm.instruction = find_function(library, "LLVMDisasmInstruction");
	*(void **)&llvm.dispose = find_function(library, "LLVMDisasmDispose");
}

struct bw_error *bw_llvm_load(const struct bw_llvm **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	if (why_not[0])
		return bw_errorf(BW_E_UNSUPPORTED,
				 "instructions cannot be printed: LLVM's %s cannot be used: %s "
				 "(Debian package " BW_LLVM_PACKAGE ")",
				 BW_LLVM_LIBRARY, why_not);
	*out = &llvm;
	return NULL;
}
