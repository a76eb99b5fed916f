; A shader of patches: by bit 0 of its user data it says that all levels are those of bit 1, or leaves them as memory has them.
	s_bitcmp0_b32 s8, 0
	s_cbranch_scc1 .Lend
	s_lshr_b32 m0, s8, 1
	s_sendmsg 2
.Lend:
	s_endpgm
