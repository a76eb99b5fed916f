#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec4 in_light;
layout(location = 2) flat in vec3 color;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2DShadow shadows;
void main()
{
	vec3 place = vec3(in_light.xy / in_light.w * 0.5 + 0.5, in_light.z / in_light.w);
	float lit = texture(shadows, place);
	float toward = max(dot(normalize(normal), normalize(vec3(0.5, 0.8, 0.3))), 0.0);
	result = vec4(color * (0.25 + 0.75 * lit * toward), 1.0);
}
