#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) perprimitiveEXT in vec4 piece;
layout(location = 1) in vec2 round;
layout(location = 0) out vec4 result;
void main()
{
	result = vec4(piece.xy, round.y * 0.5 + piece.z * 0.25, float(gl_PrimitiveID % 32) / 32.0);
}
