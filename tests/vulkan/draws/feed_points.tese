#version 450
/* Places in a patch that all implementations compute exactly. */
layout(triangles, equal_spacing, cw) in;
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out vec4 at;
void main()
{
	at = vec4(gl_TessCoord, gl_PrimitiveID);
	gl_Position = gl_in[0].gl_Position + vec4(gl_TessCoord.xy, 0.0, 0.0);
}
