// An empty kernel, to be assembled for gfx900.
	.text
	.globl old
	.p2align 8
	.type old,@function
old:
	s_endpgm
	.size old, .-old
	.section .rodata
	.p2align 6
	.amdhsa_kernel old
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 1
	.end_amdhsa_kernel
