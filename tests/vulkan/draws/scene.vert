#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color_in;
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec2 place;
layout(push_constant) uniform Push
{
	vec4 offset; /* of each instance after the first */
} push;
out gl_PerVertex
{
	vec4 gl_Position;
	float gl_PointSize;
	float gl_ClipDistance[1];
};
layout(constant_id = 0) const float clip = -1000.0;
void main()
{
	gl_Position = position + push.offset * float(gl_InstanceIndex) * position.w;
	gl_ClipDistance[0] = position.x - clip;
	gl_PointSize = 1.0 + 12.0 * color_in.x;
	color = color_in;
	flat_color = vec4(color_in.xyz + 0.05 * float(gl_InstanceIndex), color_in.w);
	place = position.xy * 0.5 + 0.5;
}
