"""Programs of the graphics processor: the lit scene, depth alone, the sky, numbers of objects.

Lighting is that of OpenGL without shaders (OpenGL 2.1 specification, 2.14), which the models of users were made for:
colours of lights times colours of materials, with attenuation, cones, and highlights seen from afar; computed for each
pixel.
"""

MAX_LIGHTS = 8

INSTANCE = """
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_texcoord;
layout(location = 3) in vec3 axis_x;
layout(location = 4) in vec3 axis_y;
layout(location = 5) in vec3 axis_z;
layout(location = 6) in vec3 origin;
layout(location = 7) in vec3 scale;
layout(location = 8) in vec4 color;
layout(location = 9) in vec4 material;
layout(location = 10) in vec4 texture_scale;
layout(location = 11) in vec4 number;
"""
"""A corner, and the geom that it belongs to: axes and size; emission, specular, shininess, reflectance; its number as a
colour, and 1 if lights do not matter to it, 2 if it is a plane without end."""

ENDLESS = """
// planes without end reach so far along both axes that their corners are as far as there is something to see
uniform vec3 eye;
uniform float reach;
float away() {
    vec2 off = abs(world.xy - eye.xy);
    return max(off.x, off.y);
}
"""

SCENE_VERTEX = (
    "#version 330\n"
    + INSTANCE
    + """
uniform mat4 view;
uniform mat4 projection;
out vec3 world;
out vec3 normal;
out vec2 texcoord;
out vec3 local;
flat out vec4 tint;
flat out vec4 finish;
flat out vec4 label;
flat out vec4 tiling;
void main() {
    mat3 turn = mat3(axis_x, axis_y, axis_z);
    world = origin + turn * (in_position * scale);
    normal = turn * (in_normal / max(abs(scale), vec3(1e-9)) * sign(scale));
    texcoord = in_texcoord;
    // what cube textures are wrapped around: the shape as it is, or before it was scaled
    local = texture_scale.w > 0.5 ? in_position : in_position * scale;
    tint = color; finish = material; label = number; tiling = texture_scale;
    gl_Position = projection * view * vec4(world, 1.0);
}
"""
)

SCENE_FRAGMENT = """
#version 330
#define MAX_LIGHTS 8
in vec3 world;
in vec3 normal;
in vec2 texcoord;
in vec3 local;
flat in vec4 tint;
flat in vec4 finish;
flat in vec4 label;
flat in vec4 tiling;
uniform int nlight;
uniform vec4 light_pos[MAX_LIGHTS];
uniform vec3 light_dir[MAX_LIGHTS];
uniform vec3 light_ambient[MAX_LIGHTS];
uniform vec3 light_diffuse[MAX_LIGHTS];
uniform vec3 light_specular[MAX_LIGHTS];
uniform vec3 light_attenuation[MAX_LIGHTS];
uniform vec2 light_cone[MAX_LIGHTS];
uniform int light_shadow[MAX_LIGHTS];
uniform mat4 shadow_matrix[4];
uniform sampler2DShadow shadow_map0;
uniform sampler2DShadow shadow_map1;
uniform sampler2DShadow shadow_map2;
uniform sampler2DShadow shadow_map3;
uniform vec3 towards_eye;
uniform vec3 haze_color;
uniform float haze;
uniform int texture_kind;
uniform sampler2D image;
uniform samplerCube cube;
uniform vec4 clip;
uniform vec3 fog_color;
uniform vec2 fog_range;
uniform sampler2D mirror;
uniform int mirrors;
out vec4 pixel;
ENDLESS
float lit(int map, vec3 at) {
    vec4 seen = shadow_matrix[map] * vec4(at, 1.0);
    if (seen.w <= 0.0) return 1.0;
    vec3 place = seen.xyz / seen.w * 0.5 + 0.5;
    if (any(lessThan(place, vec3(0.0))) || any(greaterThan(place, vec3(1.0)))) return 1.0;
    if (map == 0) return texture(shadow_map0, place);
    if (map == 1) return texture(shadow_map1, place);
    if (map == 2) return texture(shadow_map2, place);
    return texture(shadow_map3, place);
}

void main() {
    if (dot(clip.xyz, world) + clip.w < 0.0) discard;
    if (label.a > 1.5 && away() > reach) discard;
    vec4 base = tint;
    if (texture_kind == 1) base *= texture(image, texcoord * tiling.xy);
    if (texture_kind == 2) base *= texture(image, local.xy * tiling.xy + vec2(tiling.z));
    if (texture_kind == 3) base *= texture(cube, local);
    if (label.a == 1.0) {
        pixel = base;
        return;
    }
    vec3 n = normalize(normal);
    if (!gl_FrontFacing) n = -n;
    vec3 total = finish.x * base.rgb;
    for (int k = 0; k < nlight; k++) {
        vec3 away = light_pos[k].xyz - world;
        float distance = length(away);
        vec3 l = light_pos[k].w > 0.5 ? away / max(distance, 1e-9) : -light_dir[k];
        float strength = 1.0;
        if (light_pos[k].w > 0.5) {
            vec3 a = light_attenuation[k];
            strength /= max(a.x + a.y * distance + a.z * distance * distance, 1e-9);
            float along = dot(-l, light_dir[k]);
            if (light_cone[k].x > -1.5) {
                strength *= along < light_cone[k].x ? 0.0 : pow(max(along, 0.0), light_cone[k].y);
            }
        }
        vec3 colour = light_ambient[k] * base.rgb;
        float shade = light_shadow[k] < 0 ? 1.0 : lit(light_shadow[k], world + 0.002 * n);
        float facing = dot(n, l);
        if (facing > 0.0) {
            colour += shade * light_diffuse[k] * base.rgb * facing;
            vec3 h = normalize(l + towards_eye);
            colour += shade * light_specular[k] * finish.y * pow(max(dot(n, h), 0.0), max(finish.z * 128.0, 1e-3));
        }
        total += strength * colour;
    }
    pixel = vec4(clamp(total, 0.0, 1.0), base.a);
    if (mirrors == 1) {
        // where nothing is reflected the picture is empty
        vec4 seen = texelFetch(mirror, ivec2(gl_FragCoord.xy), 0);
        pixel.rgb = mix(pixel.rgb, seen.rgb, finish.w * step(0.5, seen.a));
    }
    if (label.a > 1.5 && haze > 0.0) {
        // a funnel from where the haze begins up to the line of sight to where the plane ends
        float height = abs(eye.z - world.z), begins = (1.0 - haze) * reach, part = max(haze, 1.0 - haze);
        float slope = height / max(away(), 1e-9);
        float along = height - slope * begins, whole = height * (1.0 - part) + slope * (part * reach - begins);
        pixel.rgb = mix(pixel.rgb, haze_color, clamp(along / max(whole, 1e-9), 0.0, 1.0));
    }
    float far = distance(eye, world);
    if (fog_range.y > fog_range.x) {
        pixel.rgb = mix(pixel.rgb, fog_color, clamp((far - fog_range.x) / (fog_range.y - fog_range.x), 0.0, 1.0));
    }
}
""".replace("ENDLESS", ENDLESS)

NUMBER_FRAGMENT = """
#version 330
flat in vec4 label;
in vec3 world;
in vec3 normal;
in vec2 texcoord;
in vec3 local;
flat in vec4 tint;
flat in vec4 finish;
flat in vec4 tiling;
out vec4 pixel;
ENDLESS
void main() {
    if (label.a > 1.5 && away() > reach) discard;
    pixel = vec4(label.rgb, 1.0);
}
""".replace("ENDLESS", ENDLESS)

DEPTH_VERTEX = (
    "#version 330\n"
    + INSTANCE
    + """
uniform mat4 light_view;
void main() {
    vec3 world = origin + mat3(axis_x, axis_y, axis_z) * (in_position * scale);
    gl_Position = light_view * vec4(world, 1.0);
}
"""
)

DEPTH_FRAGMENT = """
#version 330
void main() {}
"""

SKY_VERTEX = """
#version 330
layout(location = 0) in vec2 in_corner;
uniform mat4 back;
out vec3 direction;
void main() {
    vec4 far = back * vec4(in_corner, 1.0, 1.0);
    direction = far.xyz / far.w;
    gl_Position = vec4(in_corner, 1.0, 1.0);
}
"""

SKY_FRAGMENT = """
#version 330
in vec3 direction;
uniform samplerCube cube;
uniform vec3 haze_color;
uniform float haze_slope;
out vec4 pixel;
void main() {
    // the cube's upward axis is y, that of models z
    pixel = vec4(texture(cube, vec3(direction.x, direction.z, -direction.y)).rgb, 1.0);
    // haze lies between where planes without end are cut off and the horizon
    float slope = direction.z / max(max(abs(direction.x), abs(direction.y)), 1e-9);
    if (haze_slope > 0.0 && slope < 0.0) pixel.rgb = mix(pixel.rgb, haze_color, clamp(-slope / haze_slope, 0.0, 1.0));
}
"""
