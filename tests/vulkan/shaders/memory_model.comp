// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 4096 random 97 input
//! buffer 1 u32 4096 zeros input
//! buffer 2 u32 64 zeros
//! dispatch 64 1 1
// Groups hand results on by release and acquire at device scope: the one that draws an even ticket
// leaves its data and a flag, the one that draws the next ticket waits for the flag.
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) nonprivate buffer Mail { uint mail[]; };
layout(binding = 2) nonprivate buffer Out { uint tickets, flags[32], wrong, sums[30]; };
shared uint ticket;

void main()
{
	uint l = gl_LocalInvocationIndex;
	if (l == 0)
		ticket = atomicAdd(tickets, 1u, gl_ScopeDevice, 0, 0);
	barrier();
	uint pair = ticket / 2;
	if ((ticket & 1) == 0) {
		mail[64 * pair + l] = data[64 * pair + l] + 1;
		controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
			       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
		if (l == 0)
			atomicStore(flags[pair], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
				    gl_SemanticsRelease | gl_SemanticsMakeAvailable);
		return;
	}
#ifdef REFERENCE
	// what the mail must say, without it: lavapipe does not always hand it on in time
	uint got = data[64 * pair + (63 - l)] + 1;
#else
	// the other group is running: it has drawn its ticket
	if (l == 0)
		while (atomicLoad(flags[pair], gl_ScopeDevice, gl_StorageSemanticsBuffer,
				  gl_SemanticsAcquire | gl_SemanticsMakeVisible) == 0)
			;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
		       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
	uint got = mail[64 * pair + (63 - l)];
#endif
	if (got != data[64 * pair + (63 - l)] + 1)
		atomicAdd(wrong, 1u, gl_ScopeDevice, 0, 0);
	if (pair < 30)
		atomicAdd(sums[pair], got, gl_ScopeDevice, 0, 0);
}
