; Never ends.
	s_mov_b32 s8, 0
1:	s_add_u32 s8, s8, 1
	s_branch 1b
