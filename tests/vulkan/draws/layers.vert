#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color_in;
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
void main()
{
	gl_Position = position + vec4(0.15, -0.1, 0.02, 0.0) * float(gl_InstanceIndex) * position.w;
	gl_Layer = gl_InstanceIndex % 3;
	color = color_in;
	flat_color = vec4(color_in.xyz * (1.0 - 0.15 * float(gl_InstanceIndex)), color_in.w);
	place = position.xy * 0.5 + 0.5;
}
