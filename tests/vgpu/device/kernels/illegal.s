	s_nop 0
	s_code_end
	s_endpgm
