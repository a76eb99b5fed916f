; A pixel shader: exports its first registers to a depth buffer and two colours.
	lds_param_load v4, attr0.x wait_vdst:15
	s_waitcnt expcnt(0)
	exp mrtz v0, v1, v2, off
	exp mrt1 v0, v1, v4, v3
	exp mrt0 v0, v1, v2, v4 done
	s_endpgm
