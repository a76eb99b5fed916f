#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal_in;
layout(location = 0) out vec3 normal;
layout(location = 1) out vec4 in_light;
layout(location = 2) flat out vec3 color;
layout(push_constant) uniform Push
{
	mat4 view, light;
} push;
layout(constant_id = 0) const bool is_ground = false;
/* Boxes in a ring on a large one, which is the ground. */
void main()
{
	float turn = float(gl_InstanceIndex) * 1.05;
	vec3 size = is_ground ? vec3(6.0, 0.25, 6.0) : vec3(0.4, 0.5 + 0.2 * float(gl_InstanceIndex % 3), 0.4);
	vec3 at = is_ground ? vec3(0.0, -0.25, 0.0) : vec3(2.2 * cos(turn), size.y, 2.2 * sin(turn));
	vec4 world = vec4(position * size + at, 1.0);
	gl_Position = push.view * world;
	in_light = push.light * world;
	normal = normal_in;
	color = is_ground ? vec3(0.6, 0.7, 0.5) : vec3(0.9, 0.3 + 0.1 * float(gl_InstanceIndex), 0.2);
}
