; Stores what s_sendmsg_rtn says of the doorbell, of the dispatch and of a context save at s[0:1].
	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
	s_sendmsg_rtn_b32 s5, sendmsg(MSG_RTN_GET_DDID)
	s_sendmsg_rtn_b32 s6, sendmsg(MSG_RTN_SAVE_WAVE)
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v0, s4
	v_mov_b32_e32 v1, s5
	v_mov_b32_e32 v2, s6
	global_store_b96 v3, v[0:2], s[0:1]
	s_endpgm
