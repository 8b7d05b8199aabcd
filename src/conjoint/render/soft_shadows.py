"""Soft shadows: shader code that filters shadow maps.

The width of a shadow's edge follows from the distances to the shadow caster and to the surface behind it (Fernando,
Percentage-closer soft shadows, 2005). Samples are compared with the plane of the surface, so that it does not shadow
itself.
"""

from __future__ import annotations

import numpy as np

WIDEST = 0.02
"""Largest half width of a shadow's edge, relative to the side length of a shadow map."""

NARROWEST = 1.25
"""Smallest half width of a shadow's edge, in pixels of a shadow map."""

BIAS = 6e-4
"""Depth difference below which a surface counts as lit, relative to the depth range of a shadow map."""

COS, SIN = np.cos(np.pi * (3 - np.sqrt(5.0))), np.sin(np.pi * (3 - np.sqrt(5.0)))
"""Cosine and sine of the golden angle."""

SEARCHES, SAMPLES = 16, 32
"""Numbers of shadow map samples per point: to find the shadow casters, and to filter the shadow's edge."""

FUNCTIONS = f"""
// golden angle: the samples cover a disk evenly (Vogel 1979)
const mat2 GOLDEN = mat2({COS:.7f}, {SIN:.7f}, {-SIN:.7f}, {COS:.7f});
float edge_width(float z, float blocker, vec4 lens, bool conic) {{
    float near = lens.x, far = lens.y;
    if (!conic) return lens.z * (z - blocker) * (far - near);
    float surface = near * far / (far - z * (far - near)), body = near * far / (far - blocker * (far - near));
    return lens.z * (surface - body) / (body * surface);
}}
float soft_shade(sampler2DShadow map, sampler2D depths, int k, bool conic, vec3 point) {{
    // the triangle as a plane of the map; normals of corners may be others
    vec3 n = normalize(cross(dFdx(point), dFdy(point)));
    vec4 surface = shadow_plane[k] * vec4(n, -dot(n, point));
    vec4 seen = shadow_matrix[k] * vec4(point, 1.0), lens = shadow_lens[k];
    vec3 place = seen.xyz / seen.w * 0.5 + 0.5;
    // samples beyond the rim of a map would see its rim
    bool inside = seen.w > 0.0 && place.z > 0.0 && all(equal(place.xy, clamp(place.xy, {WIDEST}, {1 - WIDEST})));
    vec2 slope = clamp(-surface.xy / (abs(surface.z) < 1e-9 ? 1e-9 : surface.z), -lens.w, lens.w);
    float texel = 1.0 / float(textureSize(depths, 0).x), z = place.z;
    z -= {BIAS} + texel * (abs(slope.x) + abs(slope.y));
    // without a graphics card loops that end at once are faster than branches
    int searches = inside ? {SEARCHES} : 0;
    float count = 0.0, total = 0.0;
    vec2 way = vec2(1.0, 0.0);
    for (int i = 0; i < searches; i++) {{
        way = GOLDEN * way;
        vec2 by = {WIDEST} * sqrt((float(i) + 0.5) / {SEARCHES}.0) * way;
        float depth = textureLod(depths, place.xy + by, 0.0).r;
        // nothing is at 1, where a map ends
        float before = depth < min(z + dot(slope, by), 0.999999) ? 1.0 : 0.0;
        count += before;
        total += before * depth;
    }}
    float width = edge_width(place.z, total / max(count, 1.0), lens, conic);
    width = clamp(width, {NARROWEST} * texel, {WIDEST});
    int samples = count > 0.0 ? {SAMPLES} : 0;
    float closed = 0.0;
    way = vec2(1.0, 0.0);
    for (int i = 0; i < samples; i++) {{
        way = GOLDEN * way;
        vec2 by = width * sqrt((float(i) + 0.5) / {SAMPLES}.0) * way;
        closed += 1.0 - textureLod(map, vec3(place.xy + by, z + dot(slope, by)), 0.0);
    }}
    return 1.0 - closed / {SAMPLES}.0;
}}
"""


def soft_shade(shadow: int, conic: bool) -> str:
    """Return shader code that computes `shade`, the fraction of a light that reaches a pixel, from its shadow map."""
    kind = "true" if conic else "false"
    return f"""
        float shade = soft_shade(shadow_map{shadow}, shadow_depths{shadow}, {shadow}, {kind}, world);"""
