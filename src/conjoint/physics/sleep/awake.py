"""Sleep states of trees and bodies, and the contiguous ranges of bodies that are awake or static ("runs").

A run consists of ranges of bodies, joints, dofs, geoms, sites and elements of M, like the work share of the
world that a thread processes. A stage skips sleeping trees by iterating over runs instead of shares.
"""

from conjoint.lang import Kernel, kernel, within
from conjoint.lang.language.world_part import Part
from conjoint.once import made_alike
from conjoint.schema.constants import FIRST_ASLEEP

AWAKE, ASLEEP, STATIC = 1, 0, -1
"""Values of mjtSleepState."""

READY = 10
"""Number of steps at rest after which a tree may fall asleep, a value of `tree_rest` (mjMINAWAKE).

For sleeping trees, `tree_rest` is larger.
"""

RUN = Part("awake_run", {
    "m.nshare": ("run_one", "number"), "m.share_body": ("run_bodies", "run_place"),
    "m.share_joint": ("run_joints", "run_place"), "m.share_dof": ("run_dofs", "run_place"),
    "m.share_geom": ("run_geoms", "run_place"), "m.share_site": ("run_sites", "run_place"),
    "m.share_M": ("run_M", "run_place"),
})  # fmt: skip
"""Part of a world in which the current range of awake elements is the only work share."""


@kernel
def sleeps(d, t):
    """Return True if tree t is asleep."""
    return d.tree_rest[t] >= FIRST_ASLEEP


@kernel
def note_states(m, d):
    """Set tree_state, body_state and nawake_tree according to tree_rest."""
    d.nawake_tree = 0
    for t in range(m.nsleep_tree):
        d.tree_state[t] = ASLEEP if sleeps(d, t) else AWAKE
        d.nawake_tree = d.nawake_tree + d.tree_state[t]
    for b in range(m.nbody):
        t = m.body_treeid[b]
        if t >= 0:
            d.body_state[b] = d.tree_state[t]
        else:
            d.body_state[b] = AWAKE if m.body_mocapid[m.body_rootid[b]] >= 0 else STATIC


@kernel
def begin_run(d, k, body, joint, dof, geom, site, element):
    """Begin range k of awake elements with the given first body, joint, dof, geom, site and element of M."""
    d.run_one[k] = 1
    d.run_place[k] = 2 * k
    d.run_bodies[k, 0] = body
    d.run_joints[k, 0] = joint
    d.run_dofs[k, 0] = dof
    d.run_geoms[k, 0] = geom
    d.run_sites[k, 0] = site
    d.run_M[k, 0] = element


@kernel
def find_runs(m, d, all):
    """Find the contiguous ranges of awake or static bodies; if `all` is set, use one range with the whole world."""
    k = 0
    begin_run(d, 0, 1, 0, 0, 0, 0, 0)
    for t in range(m.nsleep_tree):
        if d.tree_state[t] == ASLEEP and all == 0:
            d.run_bodies[k, 1] = m.sleep_bodies[t, 0]
            d.run_joints[k, 1] = m.sleep_joints[t, 0]
            d.run_dofs[k, 1] = m.sleep_dofs[t, 0]
            d.run_geoms[k, 1] = m.sleep_geoms[t, 0]
            d.run_sites[k, 1] = m.sleep_sites[t, 0]
            d.run_M[k, 1] = m.sleep_M[t, 0]
            # the first run may contain only geoms and sites of the world body
            if k == 0 or d.run_bodies[k, 0] < d.run_bodies[k, 1]:
                k += 1
            start_behind(m, d, k, t)
    end_last_run(m, d, k)
    d.nawake_run = k
    if k == 0 or d.run_bodies[k, 0] < m.nbody:
        d.nawake_run = k + 1


@kernel
def start_behind(m, d, k, t):
    """Begin range k of awake elements immediately after tree t."""
    begin_run(
        d, k, m.sleep_bodies[t, 1], m.sleep_joints[t, 1], m.sleep_dofs[t, 1], m.sleep_geoms[t, 1],
        m.sleep_sites[t, 1], m.sleep_M[t, 1],
    )  # fmt: skip


@kernel
def end_last_run(m, d, k):
    """End range k of awake elements at the last elements of the world."""
    d.run_bodies[k, 1] = m.nbody
    d.run_joints[k, 1] = m.njnt
    d.run_dofs[k, 1] = m.nv
    d.run_geoms[k, 1] = m.ngeom
    d.run_sites[k, 1] = m.nsite
    d.run_M[k, 1] = m.nC


@kernel
def contacts_begin(m, d):
    """Do nothing. After contacts have woken trees, the step resumes here and repeats collision detection."""
    return 0


@kernel
def velocities_begin(m, d):
    """Do nothing. After trees have fallen asleep, the step resumes here and repeats velocity-dependent stages."""
    return 0


@kernel
def where_awake(m, d, part):
    """Call `part`, a kernel that iterates over work shares of the world, for every range of awake elements."""
    for k in range(d.nawake_run):
        d.awake_run = k
        within(RUN, part, m, d)


@kernel
def nothing_whole(m):
    """Return False, for stages that never need to process sleeping trees."""
    return False


@kernel
def nothing_else(m, d):
    """Do nothing, for stages that need no preparation."""


@made_alike
def awake(work: Kernel, whole: Kernel = nothing_whole, first: Kernel = nothing_else) -> Kernel:
    """Return a stage that does the same as `work` but skips sleeping trees.

    Args:
        work: kernel that iterates over the work shares of the world; called for every range of awake elements.
        whole: kernel of m that returns True if the model requires the processing of sleeping trees, too.
        first: kernel that is called once before `work`.
    """

    # it changes the part of the world that a kernel works on
    @kernel(single=True)
    def stage(m, d):
        """Call `work` for every range of awake elements, or once for the whole world if `whole` requires it."""
        first(m, d)
        if whole(m):
            work(m, d)
        else:
            where_awake(m, d, work)

    stage.__name__ = f"{work.__name__}_awake"
    stage.__doc__, stage.__module__ = f"Run `{work.__name__}` for awake bodies only.", work.__module__
    return stage
