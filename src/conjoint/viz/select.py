"""What is under the mouse: a ray from the camera of a scene through a point of the window meets it."""

import numpy as np

from conjoint.api.arguments import OutInteger, OutVector3, checked, without_warnings
from conjoint.api.functions.ray import mj_ray, mju_rayFlex, mju_raySkin
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.scene import MjvScene
from conjoint.api.objects.visual import MjvOption
from conjoint.schema.constants import mjNGROUP
from conjoint.schema.enums_visual import mjtVisFlag
from conjoint.viz.space import eyes, mjv_cameraInModel, unit


@checked
@without_warnings
def mjv_select(
    m: MjModel, d: MjData, vopt: MjvOption, aspectratio: float, relx: float, rely: float, scn: MjvScene,
    selpnt: OutVector3, geomid: OutInteger, flexid: OutInteger, skinid: OutInteger,
) -> int:  # fmt: skip
    """The body of the first geom, flexible body or skin that is seen at a point of the window, -1 for none.

    Args:
        vopt: what is shown: other groups, and the world without `mjVIS_STATIC`, are not selected.
        aspectratio: width of the window by its height.
        relx, rely: the point, from the lower left corner (0, 0) to the upper right one (1, 1).
        scn: the scene, whose skins are up to date.
        selpnt: receives the point that is met (m), unless none is.
        geomid, flexid, skinid: receive what is met, -1 for what is not.
    """
    start, way = _ray(aspectratio, relx, rely, scn)
    found, static = np.full(1, -1, np.int32), int(vopt.flags[mjtVisFlag.mjVIS_STATIC])
    best = mj_ray(m, d, start, way, vopt.geomgroup, static, -1, found)
    geom, flex, skin = int(found[0]), -1, -1
    body = int(m.geom_bodyid[geom]) if geom >= 0 else -1
    vertex = np.zeros(1, np.int32)
    parts = [int(vopt.flags[getattr(mjtVisFlag, f"mjVIS_FLEX{part}")]) for part in ("VERT", "EDGE", "FACE", "SKIN")]
    for f in range(m.nflex):
        distance = -1.0
        if vopt.flexgroup[np.clip(m.flex_group[f], 0, mjNGROUP - 1)]:
            distance = mju_rayFlex(m, d, vopt.flex_layer, parts[0], parts[1], parts[2], parts[3], f, start, way, vertex)
        if distance >= 0.0 and (best < 0.0 or distance < best):
            best, geom, flex, body = distance, -1, f, int(m.flex_vertbodyid[m.flex_vertadr[f] + vertex[0]])
    for s in range(m.nskin if vopt.flags[mjtVisFlag.mjVIS_SKIN] else 0):
        distance = -1.0
        if vopt.skingroup[np.clip(m.skin_group[s], 0, mjNGROUP - 1)]:
            distance = _ray_skin(m, scn, s, start, way, vertex)
        if distance >= 0.0 and (best < 0.0 or distance < best):
            best, geom, flex, skin, body = distance, -1, -1, s, _nearest_bone(m, s, int(vertex[0]))
    geomid[0], flexid[0], skinid[0] = geom, flex, skin
    if body >= 0:
        selpnt[:] = start + best * way
    return body


def _ray(aspectratio: float, relx: float, rely: float, scn: MjvScene) -> tuple[np.ndarray, np.ndarray]:
    """Start and direction, of length 1, of what is seen at a point of the window."""
    head, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
    mjv_cameraInModel(head, forward, up, scn)
    right = unit(np.cross(forward, up))
    bottom, top = float(eyes(scn, "frustum_bottom")), float(eyes(scn, "frustum_top"))
    width = float(eyes(scn, "frustum_width")) or aspectratio * (top - bottom) / 2
    x = float(eyes(scn, "frustum_center")) + width * (2.0 * relx - 1.0)
    y = bottom + rely * (top - bottom)
    aside = right * x + up * y
    if scn.camera[0].orthographic:
        return head + aside, forward
    return head, unit(forward * float(eyes(scn, "frustum_near")) + aside)


def _ray_skin(m: MjModel, scn: MjvScene, s: int, start: np.ndarray, way: np.ndarray, vertex: np.ndarray) -> float:
    """Distance to skin s as it is in a scene, -1 if it is not met."""
    first, count, faces = m.skin_vertadr[s], m.skin_vertnum[s], m.skin_facenum[s]
    face = m.skin_face[m.skin_faceadr[s] : m.skin_faceadr[s] + faces].reshape(-1)
    vert = scn.skinvert[3 * first : 3 * (first + count)]
    return mju_raySkin(int(faces), int(count), face, vert, start, way, vertex)


def _nearest_bone(m: MjModel, s: int, vertex: int) -> int:
    """Body of the bone of skin s that a vertex follows most."""
    best, body = -1.0, -1
    for bone in range(m.skin_boneadr[s], m.skin_boneadr[s] + m.skin_bonenum[s]):
        span = slice(m.skin_bonevertadr[bone], m.skin_bonevertadr[bone] + m.skin_bonevertnum[bone])
        for weight in m.skin_bonevertweight[span][m.skin_bonevertid[span] == vertex]:
            if weight > best:
                best, body = float(weight), int(m.skin_bonebodyid[bone])
    return body
