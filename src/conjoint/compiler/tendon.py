"""Tendons: paths and limits (XML Reference, tendon)."""

from conjoint.compiler.draft import Draft
from conjoint.compiler.joint import check_range, limited, place_rests, split_polynomials
from conjoint.compiler.kinds import Tendon, Wrap
from conjoint.compiler.passes import declared
from conjoint.schema.enums import mjtWrap
from conjoint.schema.kinds import CYLINDER, SPHERE
from conjoint.spec import Element

JOINT, PULLEY, SITE = int(mjtWrap.mjWRAP_JOINT), int(mjtWrap.mjWRAP_PULLEY), int(mjtWrap.mjWRAP_SITE)
ROUND = {SPHERE: int(mjtWrap.mjWRAP_SPHERE), CYLINDER: int(mjtWrap.mjWRAP_CYLINDER)}
"""Path element types for the geom types around which a path can wrap."""


@declared(
    reads="geom: id; joint: id; site: id; tendon: actfrcrange armature range springlength springyield width",
    changes="draft: nplastic; tendon: actfrclimited damping limited stiffness wraps; wrap: prm type",
    writes="tendon: dampingpoly plasticadr stiffnesspoly; wrap: objid",
)
def resolve_tendons(draft: Draft) -> None:
    """Set the ids of path elements, and check the paths, limits and springs of tendons."""
    for tendon in draft.tendons:
        split_polynomials(tendon, "stiffness", "damping")
        tendon.wraps = [wrap.copy() for wrap in tendon.wraps]
        for wrap in tendon.wraps:
            _resolve(draft, wrap)
        _check_path(draft, tendon)
        tendon.limited = limited(draft, tendon, "limited", "range")
        tendon.actfrclimited = limited(draft, tendon, "actfrclimited", "actfrcrange")
        for flag, interval in (("limited", "range"), ("actfrclimited", "actfrcrange")):
            if getattr(tendon, flag):
                check_range(draft, tendon, interval)
        if tendon.actfrclimited and not tendon.actfrcrange[0] <= 0 <= tendon.actfrcrange[1]:
            draft.problems.about(tendon, "actuatorfrcrange must contain 0", "actfrcrange")
        if tendon.springlength[0] > tendon.springlength[1]:
            draft.problems.about(tendon, "the first springlength cannot be above the second", "springlength")
        if tendon.springyield < 0:
            draft.problems.about(tendon, "springyield cannot be negative", "springyield")
        if tendon.armature < 0 and tendon.wraps and tendon.wraps[0].type != JOINT:
            draft.problems.about(tendon, "the armature cannot be negative", "armature")
        if tendon.armature:
            check_heavy(draft, tendon, tendon)

    place_rests(draft, draft.tendons)


def check_heavy(draft: Draft, tendon: Tendon, owner: Element) -> None:
    """Check that a tendon with armature has only straight segments. Problems are reported for `owner`."""
    if any(wrap.type in ROUND.values() for wrap in tendon.wraps):
        draft.problems.about(owner, "a tendon with armature cannot wrap around geoms", "armature")


def _resolve(draft: Draft, wrap: Wrap) -> None:
    """Set the object id and the parameter of one path element."""
    wrap.objid = -1
    if wrap.type == PULLEY:
        if wrap.prm <= 0:
            draft.problems.about(wrap, "the divisor of a pulley must be positive", "divisor")
    elif wrap.type == JOINT:
        wrap.objid = draft.find("joint", wrap.target, wrap)
    elif wrap.type == SITE:
        wrap.objid = draft.find("site", wrap.target, wrap)
        wrap.prm = 0.0
    else:
        wrap.objid = draft.find("geom", wrap.target, wrap)
        wrap.prm = float(draft.find("site", wrap.sidesite, wrap, "sidesite")) if wrap.sidesite else -1.0
        if wrap.objid >= 0:
            kind = draft.geoms[wrap.objid].type
            if kind not in ROUND:
                draft.problems.about(wrap, f"the geom '{wrap.target}' is not a sphere or cylinder", "geom")
            wrap.type = ROUND.get(kind, wrap.type)


def _check_path(draft: Draft, tendon: Tendon) -> None:
    """Check the path of a spatial tendon: each geom must be between two sites, and pulleys must separate branches."""
    path = tendon.wraps
    if not path:
        draft.problems.about(tendon, "the path is empty: a fixed tendon needs joints, a spatial one sites")
        return
    if path[0].type == JOINT:
        return
    if len(path) < 2:
        draft.problems.about(tendon, "a spatial path needs at least two elements")
        return
    if tendon.width <= 0:
        draft.problems.about(tendon, "the width must be positive", "width")
    kinds = [PULLEY, *(wrap.type for wrap in path), PULLEY]
    for i, wrap in enumerate(path):
        before, after = kinds[i], kinds[i + 2]
        if wrap.type == PULLEY:
            if i and before == PULLEY:
                draft.problems.about(wrap, "a pulley cannot follow another")
            if i == len(path) - 1:
                draft.problems.about(wrap, "a pulley cannot be last")
        elif wrap.type == SITE:
            if before == after == PULLEY:
                draft.problems.about(wrap, "a site needs a site or geom before or after it, not only pulleys")
            if after == SITE and wrap.objid == path[i + 1].objid:
                draft.problems.about(wrap, f"the site '{wrap.target}' is repeated")
        elif before != SITE or after != SITE:
            draft.problems.about(wrap, "a geom needs a site before it and after it")
