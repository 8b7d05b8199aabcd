"""Elasticity of flexes converges to the theory of beams and plates as meshes are refined; a ball rests on a cloth.

Material parameters have the same meaning as in MuJoCo, which differs from textbooks. Lame's first parameter counts twice,
and membranes have a quarter of the plane-strain stiffness that results. Shells bend like plates with the stiffness
mu t^3 / 8, if the mesh has no preferred direction.

Deflections are static and small. They solve K u = f, where K is the derivative of `qfrc_passive`; conjugate gradients
compute one product with K at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="hundreds of products of large matrices")

YOUNG = 1e6

STEP = 1e-6
"""Displacement (m) for the difference quotient of forces."""


def flexcomp(attributes: str, elasticity: str) -> conjoint.MjModel:
    """Return a model with one flex without contacts."""
    return conjoint.MjModel.from_xml_string(f"""<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody>
        <flexcomp name="f" {attributes} radius="1e-4" mass="1">
        <contact contype="0" conaffinity="0" selfcollide="none" internal="false"/>
        <elasticity young="{YOUNG}" {elasticity}/></flexcomp></worldbody></mujoco>""")


def grid(count: tuple[int, int, int], size: tuple[float, float, float], elasticity: str) -> conjoint.MjModel:
    """Return a free block or sheet with `count` vertices along each axis and its lowest corner at the origin."""
    spacing = [s / max(n - 1, 1) or 1.0 for s, n in zip(size, count, strict=True)]
    middle = [s / 2 for s in size]
    dim = 3 if count[2] > 1 else 2
    text = "{} {} {}".format
    shape = f'count="{text(*count)}" spacing="{text(*spacing)}" pos="{text(*middle)}"'
    return flexcomp(f'type="grid" dim="{dim}" {shape}', elasticity)


def passive(m: conjoint.MjModel, d: conjoint.MjData, q: np.ndarray) -> np.ndarray:
    """Return the passive forces on all dofs, which are displacements of vertices."""
    d.qpos[:] = q
    for stage in (conjoint.mj_kinematics, conjoint.mj_comPos, conjoint.mj_flex, conjoint.mj_passive):
        stage(m, d)
    return d.qfrc_passive.copy()


def deflection(m: conjoint.MjModel, free: Callable[[np.ndarray], np.ndarray], load: Callable[[np.ndarray], np.ndarray]):
    """Return rest positions and static displacements of all vertices, both (n, 3).

    From the rest positions, `free` computes a mask of the dofs that may move, and `load` the force on each dof.
    """
    d = conjoint.MjData(m)

    passive(m, d, np.zeros(m.nv))
    points = d.flexvert_xpos.copy()
    mask = free(points).ravel()

    def stiff(u: np.ndarray) -> np.ndarray:
        scale = STEP / np.abs(u).max()
        return np.where(mask, (passive(m, d, -scale * u) - passive(m, d, scale * u)) / (2 * scale), 0.0)

    # conjugate gradients
    u = np.zeros(m.nv)
    residual = np.where(mask, load(points).ravel(), 0.0)
    way, square, first = residual.copy(), residual @ residual, residual @ residual
    for _ in range(5000):
        image = stiff(way)
        alpha = square / (way @ image)
        u += alpha * way
        residual -= alpha * image
        previous, square = square, residual @ residual
        if square < 1e-8 * first:
            return points, u.reshape(-1, 3)
        way = residual + square / previous * way
    raise AssertionError("conjugate gradients did not converge")


SIDE, LENGTH = 0.25, 1.0


def beam(cells: int) -> float:
    """Return the deflection of a cantilever with `cells` cells across, relative to Timoshenko's theory."""
    m = grid((4 * cells + 1, cells + 1, cells + 1), (LENGTH, SIDE, SIDE), 'poisson="0"')

    def at_end(points: np.ndarray) -> np.ndarray:
        return points[:, 0] > LENGTH - 1e-9

    def load(points: np.ndarray) -> np.ndarray:
        edge = (points[:, 1:] < 1e-9) | (points[:, 1:] > SIDE - 1e-9)
        weight = at_end(points) * np.where(edge, 0.5, 1.0).prod(axis=1)
        return np.outer(weight / weight.sum(), [0.0, 0.0, -1.0])

    points, moved = deflection(m, lambda points: np.repeat(points[:, :1] > 1e-9, 3, axis=1), load)
    # bending and shear of a rectangular cross section
    theory = LENGTH**3 / (3 * YOUNG * SIDE**4 / 12) + LENGTH / (5 / 6 * YOUNG / 2 * SIDE**2)
    return float(-moved[at_end(points), 2].mean() / theory)


@pytest.mark.usefixtures("edition")
@pytest.mark.nightly
def test_a_cantilever_bends_as_a_beam() -> None:
    """A cantilever of linear tetrahedra is too stiff, but converges to beam theory as it is refined."""
    found = [beam(cells) for cells in (2, 4, 9)]
    assert found == sorted(found)
    assert abs(found[-1] - 1) < 0.05


def plate(n: int, poisson: float) -> float:
    """Return the deflection in the middle of an equilateral plate under a uniform load, relative to the theoretical deflection.

    The plate has n triangles along a side and is supported along its edges. The theoretical deflection, q h^4 / (972 D) with
    height h, does not depend on Poisson's ratio (Timoshenko & Woinowsky-Krieger, Theory of Plates and Shells, 1959, section 71).
    """
    place = {(i, j): k for k, (i, j) in enumerate((i, j) for j in range(n + 1) for i in range(n + 1 - j))}
    points = [((i + j / 2) / n, j * np.sqrt(0.75) / n, 0.0) for i, j in place]
    turned = [(place[i, j], place[i + 1, j], place[i, j + 1]) for i, j in place if i + j < n]
    turned += [(place[i + 1, j], place[i + 1, j + 1], place[i, j + 1]) for i, j in place if i + j < n - 1]
    listed = [" ".join(map(str, np.ravel(rows).tolist())) for rows in (points, turned)]
    thickness, pressure = 0.01, 1e-3
    m = flexcomp(
        f'type="direct" dim="2" point="{listed[0]}" element="{listed[1]}"',
        f'poisson="{poisson}" thickness="{thickness}" elastic2d="bend"',
    )
    inner = np.array([i > 0 and j > 0 and i + j < n for i, j in place])
    area = np.sqrt(0.75) / n**2
    down = np.array([0.0, 0.0, -pressure * area])
    _, moved = deflection(
        m, lambda points: np.outer(inner, [False, False, True]), lambda points: np.outer(np.ones(len(points)), down)
    )
    stiffness = YOUNG / (2 * (1 + poisson)) * thickness**3 / 8
    return float(-moved[:, 2].min() / (pressure * 0.75**2 / (972 * stiffness)))


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_a_plate_bends_as_in_theory(poisson: float) -> None:
    found = [abs(plate(n, poisson) - 1) for n in (6, 12, 24)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.01


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize(("dim", "poisson"), [(3, 0.0), (3, 0.3), (2, 0.0), (2, 0.3)])
def test_stretched_evenly_the_stress_is_that_of_the_material(dim: int, poisson: float) -> None:
    """Linear elements pass the patch test: the interior is free of forces, and the ends carry stress times area."""
    size, thickness, strain = (1.0, 0.5, 0.4), 0.01, 1e-6
    if dim == 3:
        m, area, share = grid((5, 4, 3), size, f'poisson="{poisson}"'), size[1] * size[2], 1.0
    else:
        m = grid((5, 4, 1), (*size[:2], 0.0), f'poisson="{poisson}" thickness="{thickness}" elastic2d="stretch"')
        area, share = size[1] * thickness, 0.25
    d = conjoint.MjData(m)
    passive(m, d, np.zeros(m.nv))
    points = d.flexvert_xpos.copy()
    force = passive(m, d, (points * [strain, 0.0, 0.0]).ravel()).reshape(-1, 3)
    # the transverse strain is zero
    mu, la = YOUNG / (2 * (1 + poisson)), YOUNG * poisson / ((1 + poisson) * (1 - 2 * poisson))
    modulus = 2 * mu + 2 * la
    expected = share * modulus * strain * area
    assert force[points[:, 0] < 1e-9, 0].sum() == pytest.approx(expected, rel=1e-5)
    inside = ((points > 1e-9) & (points < np.array(size) - 1e-9))[:, :dim].all(axis=1)
    assert inside.any()
    assert np.abs(force[inside]).max() < 1e-5 * expected


CLOTH = """<mujoco><option timestep=".002"/><worldbody>
<flexcomp name="f" type="grid" dim="2" count="9 9 1" spacing=".05 .05 .05" radius=".01" mass=".5">
<contact margin="{margin}" selfcollide="none" internal="false" solref="0.004 1"/><edge equality="true"/>
<pin gridrange="0 0 0 8"/><pin gridrange="8 0 8 8"/><pin gridrange="1 0 7 0"/><pin gridrange="1 8 7 8"/></flexcomp>
<body name="ball" pos="{x} {y} .1"><freejoint/><geom size="{radius}" mass=".1"/></body></worldbody></mujoco>"""


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("radius", [0.03, 0.05])
@pytest.mark.parametrize("speed", [1.0, 5.0])
@pytest.mark.parametrize("place", [(0.0, 0.0), (0.013, 0.021), (0.11, -0.06)])
def test_a_ball_does_not_fall_through_a_cloth(place: tuple[float, float], speed: float, radius: float) -> None:
    """A fast ball does not fall through a cloth if the margin is the distance that it moves in a step.

    The ball hits a vertex, a triangle, or a point off the middle. A smaller ball pushes vertices apart and slips between
    them, in MuJoCo as well.
    """
    x, y = place
    m = conjoint.MjModel.from_xml_string(CLOTH.format(x=x, y=y, radius=radius, margin=speed * 0.002))
    d = conjoint.MjData(m)
    d.qvel[-4] = -speed
    touched = 0
    for _ in range(500):
        conjoint.mj_step(m, d)
        touched += d.ncon > 0
    assert touched > 5
    # a ball that falls through is meters below by now
    assert d.body("ball").xpos[2] > d.flexvert_xpos[:, 2].min()
