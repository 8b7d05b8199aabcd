"""Poses of a world, from the row of an array that has one for each world."""

from conjoint.lang import kernel, load, mat3, vec3


@kernel(per_world=True)
def take_poses(m, d, poses, at):
    """Poses of a world, from number `at` of the array on."""
    for g in range(m.ngeom):
        d.geom_xpos[g] = load(vec3, poses, at + 3 * g)
    at += 3 * m.ngeom
    for g in range(m.ngeom):
        d.geom_xmat[g] = load(mat3, poses, at + 9 * g)
    at += 9 * m.ngeom
    for i in range(m.nsite):
        d.site_xpos[i] = load(vec3, poses, at + 3 * i)
    at += 3 * m.nsite
    for i in range(m.nsite):
        d.site_xmat[i] = load(mat3, poses, at + 9 * i)
    at += 9 * m.nsite
    for c in range(m.ncam):
        d.cam_xpos[c] = load(vec3, poses, at + 3 * c)
    at += 3 * m.ncam
    for c in range(m.ncam):
        d.cam_xmat[c] = load(mat3, poses, at + 9 * c)
    at += 9 * m.ncam
    for k in range(m.nlight):
        d.light_xpos[k] = load(vec3, poses, at + 3 * k)
    at += 3 * m.nlight
    for k in range(m.nlight):
        d.light_xdir[k] = load(vec3, poses, at + 3 * k)
    at += 3 * m.nlight
    for v in range(m.nflexvert):
        d.flexvert_xpos[v] = load(vec3, poses, at + 3 * v)
