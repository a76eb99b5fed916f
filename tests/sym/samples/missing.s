// SPDX-License-Identifier: MIT
// Needs a symbol that nobody defines.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.data
	.globl	table
	.quad	elsewhere
