"""Parameters that geoms and flexes, or explicit pairs, give to their contacts.

See the Modeling chapter, "Contact parameters": priority, `solmix`, element-wise maxima, and the global override.
"""

from conjoint.lang import formula, friction, group, kernel, maximum, minimum, solref, where
from conjoint.schema.constants import mjMINMU, mjMINVAL
from conjoint.schema.enums import mjtEnableBit


@group
def Parameters(priority, solmix, condim, solref, solimp, friction, adhesion):
    """What a geom or a flex brings to a contact."""


@group
def Mixture(dim, solref, solreffriction, solimp, friction, adhesion):
    """What a contact gets of both sides."""


@kernel
def geom_parameters(m, g):
    """What geom g brings."""
    return Parameters(
        m.geom_priority[g], m.geom_solmix[g], m.geom_condim[g], m.geom_solref[g], m.geom_solimp[g], m.geom_friction[g],
        m.geom_adhesion[g],
    )  # fmt: skip


@kernel
def flex_parameters(m, f):
    """What flex f brings: it has no adhesion."""
    return Parameters(
        m.flex_priority[f], m.flex_solmix[f], m.flex_condim[f], m.flex_solref[f], m.flex_solimp[f], m.flex_friction[f],
        0.0,
    )  # fmt: skip


@kernel
def deciding(a, b):
    """The parameters that a contact is mixed from: both, or twice those of the higher priority."""
    first = a
    second = b
    if a.priority > b.priority:
        second = a
    if a.priority < b.priority:
        first = b
    return first, second


@kernel
def dim_of(m, pair, g1, g2):
    """Dimension of the contacts of two geoms; `pair` is the id of their explicit pair, or -1."""
    if pair >= 0:
        return m.pair_dim[pair]
    first, second = deciding(geom_parameters(m, g1), geom_parameters(m, g2))
    return maximum(first.condim, second.condim)


@formula("friction", "friction")
def at_least_minimum(mu):
    """Friction coefficients, none of them below mjMINMU."""
    return tuple(maximum(mjMINMU, part) for part in mu)


@kernel
def pair_mixture(m, pair):
    """What contacts of an explicit pair get."""
    mu = at_least_minimum(m.pair_friction[pair])
    return Mixture(
        m.pair_dim[pair], m.pair_solref[pair], m.pair_solreffriction[pair], m.pair_solimp[pair], mu,
        m.pair_adhesion[pair],
    )  # fmt: skip


@kernel
def weight_of(s1, s2):
    """Weight of the first of two things that touch, by their `solmix`."""
    alone = where(s1 < mjMINVAL, where(s2 < mjMINVAL, 0.5, 0.0), 1.0)
    return where((s1 < mjMINVAL) | (s2 < mjMINVAL), alone, s1 / (s1 + s2))


@kernel(exact=True)
def mixed(a, b):
    """What a contact gets of both sides: those of the higher priority, or weighted means, and the larger friction."""
    first, second = deciding(a, b)
    weight = weight_of(first.solmix, second.solmix)
    other = 1.0 - weight
    # references in the standard format mix; a direct one wins by the smaller value
    p, q = first.solref, second.solref
    direct = solref(minimum(p.timeconst, q.timeconst), minimum(p.dampratio, q.dampratio))
    reference = where((p.timeconst > 0.0) & (q.timeconst > 0.0), weight * p + other * q, direct)
    u, v = first.friction, second.friction
    slide = maximum(u.x, v.x)
    roll = maximum(u.z, v.z)
    mu = at_least_minimum(friction(slide, slide, maximum(u.y, v.y), roll, roll))
    dim = maximum(first.condim, second.condim)
    solimp = weight * first.solimp + other * second.solimp
    adhesion = where(a.priority == b.priority, a.adhesion + b.adhesion, first.adhesion)
    return Mixture(dim, reference, solref(0.0, 0.0), solimp, mu, adhesion)


@kernel
def put_mixture(m, d, i, mixture):
    """Give contact i its parameters, or those that the override flag imposes on all."""
    if m.opt.enableflags & mjtEnableBit.mjENBL_OVERRIDE:
        mu = at_least_minimum(m.opt.o_friction)
        mixture = Mixture(mixture.dim, m.opt.o_solref, m.opt.o_solref, m.opt.o_solimp, mu, mixture.adhesion)
    d.contact_dim[i] = mixture.dim
    d.contact_solref[i] = mixture.solref
    d.contact_solreffriction[i] = mixture.solreffriction
    d.contact_solimp[i] = mixture.solimp
    d.contact_friction[i] = mixture.friction
    d.contact_adhesion[i] = mixture.adhesion
