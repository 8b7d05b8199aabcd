"""Shader programs: the lit scene, depth alone, the sky, and segmentation.

Lighting is that of fixed-function OpenGL (OpenGL 2.1 specification, 2.14), for which users designed their models. Light
colors are multiplied by material colors, with attenuation, cones, and highlights for a distant viewer. As in OpenGL,
lighting is computed at the vertices of meshes, height fields, flexes and skins, which may be far apart. For other
shapes, it is computed at every pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

from conjoint.render import soft_shadows
from conjoint.render.style import Shadows

MAX_LIGHTS = 8
"""Maximum number of lights, as in fixed-function OpenGL. Further lights are ignored."""

SHADOW_MAPS = 4
"""Maximum number of lights with shadows. Further lights cast none."""

IMAGE_UNIT, CUBE_UNIT, SHADOW_UNIT = 0, 1, 2
MIRROR_UNIT = SHADOW_UNIT + SHADOW_MAPS
DEPTHS_UNIT = MIRROR_UNIT + 1
"""Texture unit of the first shadow map that shaders read as depths.

Lower units are for 2D and cube textures of geoms, for shadow maps with depth comparison, and for mirror images.
"""

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
"""Vertex attributes: a vertex, and the instance to which it belongs.

`scale` is the instance's size. `material` contains emission, specular, shininess and reflectance. `number` contains the
segmentation id as a color, and 1 if lights do not affect the instance.
"""

PICTURE = """
layout(std140) uniform Picture {
    mat4 view;
    mat4 projection;
    mat4 shadow_matrix[4];
    vec4 light_pos[8];
    vec4 light_dir[8];
    vec4 light_ambient[8];
    vec4 light_diffuse[8];
    vec4 light_specular[8];
    vec4 light_attenuation[8];
    vec4 light_cone[8];
    vec4 eye;
    vec4 haze_color;
    vec4 fog_color;
    vec4 fog_range;
    vec4 clip;
    vec4 mirror_normal;
    vec4 depth_factors;
    mat4 shadow_plane[4];
    vec4 shadow_lens[4];
};
"""
"""Values that all geoms of a picture share, written by `render.picture`.

The fourth component of `eye` is the distance at which haze hides infinite planes; that of `haze_color` is the width of
the haze. `depth_factors` are the coefficients of written depths (`ReversedDepth.factors`). Soft shadows use the
matrices for planes and the values of lenses (`shadow_lens.Lens`).
"""

VERTEX_OUTPUTS = """
out vec3 world;
out vec3 normal;
out vec2 texcoord;
out vec3 local;
out vec3 across;
flat out vec4 tint;
flat out vec4 finish;
flat out vec4 label;
flat out vec4 tiling;
out float gl_ClipDistance[1];
"""

PLACE = """
    mat3 turn = mat3(axis_x, axis_y, axis_z);
    world = origin + turn * (in_position * scale);
    normal = turn * (in_normal / max(abs(scale), vec3(1e-9)) * sign(scale));
    texcoord = in_texcoord;
    // coordinates of a texture that has none in the shape
    local = (in_position + vec3(0.0, 0.0, texture_scale.w)) * texture_scale.xyz;
    tint = color; finish = material; label = number; tiling = texture_scale;
    gl_Position = projection * view * vec4(world, 1.0);
    gl_ClipDistance[0] = dot(clip.xyz, world) + clip.w;
    across = transpose(turn) * (world - eye.xyz);
"""

FRAGMENT_INPUTS = """
in vec3 world;
in vec3 normal;
in vec2 texcoord;
in vec3 local;
in vec3 across;
flat in vec4 tint;
flat in vec4 finish;
flat in vec4 label;
flat in vec4 tiling;
out vec4 pixel;
"""

NO_TEXTURE, WITH_COORDINATES, PROJECTED, WRAPPED = range(4)
"""Codes for the mapping of a texture onto a shape."""

COVERED = {
    NO_TEXTURE: "",
    WITH_COORDINATES: "pixel *= texture(image, texcoord * tiling.xy);",
    PROJECTED: "pixel *= texture(image, local.xy + vec2(0.5));",
    WRAPPED: "pixel *= texture(cube, local);",
}
"""Shader code that applies a texture to the color of a lit geom, highlights included, by texture mapping.

Texture and color are multiplied (OpenGL 2.1 specification, 3.8.13, modulate).
"""


@dataclass(frozen=True)
class Variant:
    """Properties for which a shader program is specialized, because branches take time in software rendering.

    Attributes:
        lights: for each light: whether it shines from a point, whether it has a cone, and the index of its shadow map,
            -1 for none.
        texture: mapping of the texture onto the geom.
        mirror: whether the geom shows a reflection.
        haze, fog: whether haze or fog affects the geom.
        lit: whether lights affect the geom.
        corners: whether lighting is computed at the vertices.
        shadows: style of shadow edges.
    """

    lights: tuple[tuple[bool, bool, int], ...] = ()
    texture: int = NO_TEXTURE
    mirror: bool = False
    haze: bool = False
    fog: bool = False
    lit: bool = True
    corners: bool = False
    shadows: Shadows = Shadows.HARD

    @property
    def together(self) -> list[int]:
        """Lights without shadows. As in MuJoCo, they are summed before the lights with shadows are added one by one."""
        return [k for k, one in enumerate(self.lights) if one[2] < 0]

    @property
    def alone(self) -> list[int]:
        """Lights that cast shadows."""
        return [k for k, one in enumerate(self.lights) if one[2] >= 0]

    @property
    def passed(self) -> list[str]:
        """Names of the vertex shader's output colors: one for all lights without shadows, two for each other light."""
        if not self.corners:
            return []
        return ["glow", *(f"{side}{k}" for k in self.alone for side in ("dark", "bright"))]


def geom_vertex(variant: Variant) -> str:
    """Return the vertex shader for geoms."""
    body = [PLACE]
    if variant.passed:
        body += [START, *(light(k, *variant.lights[k][:2]) + ADD for k in variant.together)]
        body += ["glow = clamp(total, 0.0, 1.0);"]
        for k in variant.alone:
            ends = f"dark{k} = clamp(dim, 0.0, 1.0);\n        bright{k} = clamp(dim + lit, 0.0, 1.0);\n    }}"
            body.append(f"{light(k, *variant.lights[k][:2])}\n        {ends}")
    outputs = VERTEX_OUTPUTS + "".join(f"out vec3 {name};\n" for name in variant.passed)
    lines = "\n".join(body)
    return f"#version 330\n{INSTANCE}{PICTURE}{outputs}\nvoid main() {{\n{lines}\n}}\n"


WRITE_DEPTH = """
    gl_FragDepth = depth_factors.x + depth_factors.y * gl_FragCoord.w + depth_factors.z * gl_FragCoord.z;
"""
"""Shader code that writes a reversed depth if OpenGL does not; `gl_FragCoord.w` is 1 / distance."""


def geom_fragment(variant: Variant, depth_written: bool) -> str:
    """Return the fragment shader for geoms; it also writes depths if requested."""
    body = ["pixel = tint;", COVERED[variant.texture]]
    if variant.lit:
        if variant.passed:
            body = ["vec3 n = normalize(normal);\n    vec3 total = glow;"]
            body += [f"    {{\n{shade(variant, k)}\n        {MIXED.format(k=k)}\n    }}" for k in variant.alone]
        else:
            body = [START, *(light(k, *variant.lights[k][:2]) + ADD for k in variant.together)]
            body += ["total = clamp(total, 0.0, 1.0);"]
            body += [light(k, *variant.lights[k][:2]) + shade(variant, k) + ADD_SHADED for k in variant.alone]
        body += ["pixel = vec4(total, tint.a);", COVERED[variant.texture]]
        body += [MIRROR] if variant.mirror else []
        body += [HAZE] if variant.haze else []
        body += [FOG] if variant.fog else []
    body += [WRITE_DEPTH] if depth_written else []
    made = [one[2] for one in variant.lights if one[2] >= 0]
    maps = [f"uniform sampler2DShadow shadow_map{k};" for k in made]
    if variant.shadows is Shadows.SOFT and made:
        maps += [*(f"uniform sampler2D shadow_depths{k};" for k in made), soft_shadows.FUNCTIONS]
    names = "uniform sampler2D image;\nuniform samplerCube cube;\nuniform sampler2D mirror;\n" + "\n".join(maps)
    lines = "\n".join(body)
    inputs = FRAGMENT_INPUTS + "".join(f"in vec3 {name};\n" for name in variant.passed)
    return f"#version 330\n{PICTURE}{inputs}{names}\nvoid main() {{\n{lines}\n}}\n"


START = """
    vec3 n = normalize(normal);
    vec3 total = finish.x * tint.rgb;
    vec3 seen_from = normalize(eye.xyz - world);
    float gloss = max(finish.z * 128.0, 1e-3);
"""

ADD = "\n        total += dim + lit;\n    }"
MIXED = "total += mix(dark{k}, bright{k}, shade);"
ADD_SHADED = "\n        total += clamp(dim + shade * lit, 0.0, 1.0);\n    }"

MIRROR = """
    // what is reflected is added; where nothing is the picture is black
    vec4 seen = texelFetch(mirror, ivec2(gl_FragCoord.xy), 0);
    pixel.rgb += seen.rgb * step(0.9, dot(n, mirror_normal.xyz));
"""

HAZE = """
    {
        // a round funnel from where the haze begins up to the line of sight to where it hides the plane behind the sky
        float haze = haze_color.w, reach = eye.w, away = length(across.xy);
        if (away > reach) discard;
        float height = abs(across.z), begins = (1.0 - haze) * reach, part = max(haze, 1.0 - haze);
        float slope = height / max(away, 1e-9);
        float along = height - slope * begins, whole = height * (1.0 - part) + slope * (part * reach - begins);
        pixel.rgb = mix(pixel.rgb, haze_color.rgb, clamp(along / max(whole, 1e-9), 0.0, 1.0));
    }
"""

FOG = """
    float thick = (distance(eye.xyz, world) - fog_range.x) / (fog_range.y - fog_range.x);
    pixel.rgb = mix(pixel.rgb, fog_color.rgb, clamp(thick, 0.0, 1.0));
"""


def light(k: int, point: bool, cone: bool) -> str:
    """Return shader code that computes the ambient part `dim` and the remaining part `lit` of light k.

    The code is a block without its closing brace.
    """
    lines = [f"vec3 l = -light_dir[{k}].xyz; float strength = 1.0;"]
    if point:
        lines.append(f"""
        vec3 away = light_pos[{k}].xyz - world;
        float range = length(away);
        l = away / max(range, 1e-9);
        strength /= max(dot(light_attenuation[{k}].xyz, vec3(1.0, range, range * range)), 1e-9);""")
    if cone:
        lines.append(f"""
        float along = dot(-l, light_dir[{k}].xyz);
        strength *= along < light_cone[{k}].x ? 0.0 : pow(max(along, 0.0), light_cone[{k}].y);""")
    lines.append(f"""
        float facing = max(dot(n, l), 0.0);
        float glint = facing > 0.0 ? pow(max(dot(n, normalize(l + seen_from)), 0.0), gloss) : 0.0;
        vec3 dim = strength * light_ambient[{k}].rgb * tint.rgb;
        vec3 lit = light_diffuse[{k}].rgb * tint.rgb * facing + light_specular[{k}].rgb * finish.y * glint;
        lit *= strength;""")
    return "    {\n" + "\n".join(lines)


TAPS = ((-0.7, -1.9), (1.9, -0.7), (0.7, 1.9), (-1.9, 0.7))
"""Offsets of samples in a shadow map, in pixels. Shadows with edges of constant width average these samples."""


def shade(variant: Variant, k: int) -> str:
    """Return shader code that computes `shade`, the fraction of light k that reaches a pixel, from its shadow map."""
    conic, _, shadow = variant.lights[k]
    if variant.shadows is Shadows.SOFT:
        return soft_shadows.soft_shade(shadow, conic)
    seen = f"texture(shadow_map{shadow}, place)"
    if variant.shadows is Shadows.EVEN:
        taps = [f"texture(shadow_map{shadow}, place + vec3({x}, {y}, 0.0) * texel)" for x, y in TAPS]
        seen = f"({' + '.join(taps)}) / {len(TAPS)}.0"
    return f"""
        vec4 from_light = shadow_matrix[{shadow}] * vec4(world + 0.002 * n, 1.0);
        vec3 place = from_light.xyz / from_light.w * 0.5 + 0.5;
        vec3 texel = vec3(1.0) / vec3(vec2(textureSize(shadow_map{shadow}, 0)), 1.0);
        bool outside = any(lessThan(place, vec3(0.0))) || any(greaterThan(place, vec3(1.0)));
        float shade = outside || from_light.w <= 0.0 ? 1.0 : {seen};"""


def number_fragment(depth_written: bool) -> str:
    """Return the fragment shader for segmentation; it also writes depths if requested."""
    body = "    pixel = vec4(label.rgb, 1.0);" + WRITE_DEPTH * depth_written
    return f"#version 330\n{PICTURE}{FRAGMENT_INPUTS}\nvoid main() {{\n{body}\n}}\n"


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
// the far plane, as OpenGL has it
uniform float farthest;
layout(location = 0) in vec2 in_corner;
uniform mat4 back;
out vec3 direction;
void main() {
    vec4 far = back * vec4(in_corner, farthest, 1.0);
    direction = far.xyz / far.w;
    gl_Position = vec4(in_corner, farthest, 1.0);
}
"""

SKY = """
in vec3 direction;
uniform vec3 haze_color;
uniform mat3 haze_frame;
uniform float haze_slope;
uniform float haze_width;
out vec4 pixel;
"""

CUBE_SKY = """
uniform samplerCube cube;
vec3 above() {
    // the cube's upward axis is y, that of models z
    return texture(cube, vec3(direction.x, direction.z, -direction.y)).rgb;
}
"""

OPEN_SKY = """
uniform vec3 zenith;
uniform vec3 ground;
vec3 above() {
    float height = normalize(direction).z;
    return mix(haze_color, height > 0.0 ? zenith : ground, 1.0 - exp(-4.0 * abs(height)));
}
"""

HORIZON = """
void main() {
    pixel = vec4(above(), 1.0);
    // haze lies between where it hides planes without end and the horizon
    vec3 way = direction * haze_frame;
    float slope = way.z / max(length(way.xy), 1e-9);
    if (haze_slope > 0.0 && slope < 0.0) {
        // a ring that widens by the width of the haze up to the horizon, along which the haze fades
        float low = min(-slope / haze_slope, 1.0);
        pixel.rgb = mix(pixel.rgb, haze_color, (1.0 + haze_width) * low / (1.0 + haze_width * low));
    }
"""


def sky_fragment(depth_written: bool, textured: bool) -> str:
    """Return the fragment shader for a sky (cube texture or gradient), which may write the far plane's depth."""
    body = SKY + (CUBE_SKY if textured else OPEN_SKY) + HORIZON
    return f"#version 330\n{body}{'    gl_FragDepth = 0.0;' * depth_written}\n}}\n"
