// Each lane loads texel (lane, row) of a 2D image that the arguments describe: 32 bits a texel, 64 texels
// wide. Wave32.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	image
	.p2align 8
	.type	image,@function
image:
	s_load_b128 s[4:7], s[0:1], null        // out, addr
	s_load_b128 s[16:19], s[0:1], 0x10      // height, row, sw_mode
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	s_lshr_b64 s[8:9], s[6:7], 8
	s_or_b32 s9, s9, 0xc1400000             // FORMAT 32_UINT, WIDTH - 1 = 63, low bits
	s_sub_u32 s2, s16, 1
	s_lshl_b32 s10, s2, 14                  // HEIGHT - 1
	s_or_b32 s10, s10, 15                   // WIDTH - 1, high bits
	s_lshl_b32 s11, s18, 20                 // SW_MODE
	s_or_b32 s11, s11, 0x90000204           // TYPE 2D, DST_SEL x 0 0 1
	s_mov_b64 s[12:13], 0
	s_mov_b64 s[14:15], 0
	v_mov_b32 v3, s17
	v_mov_b32 v2, v0
load:
	image_load v4, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v4, s[4:5]
	s_endpgm
.Lend:
	.size	image, .Lend-image

	.section .rodata
	.p2align 6
	.amdhsa_kernel image
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: image
    .symbol: image.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .type_name: 'unsigned int*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: addr, .type_name: ulong, .offset: 8, .size: 8, .value_kind: by_value}
      - {.name: height, .type_name: uint, .offset: 16, .size: 4, .value_kind: by_value}
      - {.name: row, .type_name: uint, .offset: 20, .size: 4, .value_kind: by_value}
      - {.name: sw_mode, .type_name: uint, .offset: 24, .size: 4, .value_kind: by_value}
...
	.end_amdgpu_metadata
