"""Contacts of random models agree with MuJoCo: pairs of geoms, their order and their parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import mujoco
import numpy as np
import pytest

import conjoint
from adopt import adopt_model, adopt_state
from collision_scenes import CONTACT_FIELDS, error
from conjoint.batch.batch import Batch, worlds_of
from conjoint.lang.errors import DivergenceWarning
from mended_oracle import mended_contacts

TOLERANCE = 1e-8
"""Tolerance, relative to one plus MuJoCo's value."""

SIZES = {"sphere": ".15", "capsule": ".1 .15", "box": ".12 .1 .14"}

GEOM = {
    "priority": ("-1", "0", "1"),
    "solmix": ("0", "1", "2.5", "1e-16"),
    "solref": (".03 .9", "-100 -5", "-3 2"),
    "solimp": (".2 .95 .01 .3 2", ".9 .9 .1 .5 1"),
    "friction": ("0 0 0", ".5 .01 .001", "1 0 .1", "1e-7 .1 .1"),
    "margin": ("0", ".05", ".2"),
    "gap": ("0", ".03", ".3"),
    "condim": ("1", "3", "4", "6"),
    "contype": ("0", "1", "3"),
}
PAIR = {
    "condim": ("1", "3", "4", "6"),
    "friction": ("1 2 .3 .4 .5", "0 0 0 0 0"),
    "solref": (".03 .9", "-100 -5"),
    "solreffriction": (".03 .9", "-100 -5", "0 0"),
    "solimp": (".8 .9 .01 .4 3",),
    "margin": ("0", ".1"),
    "gap": ("0", ".05", ".2"),
}
OVERRIDE = {
    "o_margin": ("0", ".1"),
    "o_solref": (".05 2", "-50 -3"),
    "o_friction": ("0 .1 .2 .3 .4",),
    "o_solimp": (".8 .9 .1 .2 3",),
}
FLAGS = {"override": ("enable",), "filterparent": ("disable",), "midphase": ("disable",), "refsafe": ("disable",)}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Discard MuJoCo's warnings."""
    mujoco.set_mju_user_warning(lambda text: None)
    yield
    mujoco.set_mju_user_warning(None)


def some(generator: np.random.Generator, attributes: dict[str, tuple[str, ...]], share: float = 0.5) -> str:
    """Return a random subset of the attributes with random values."""
    chosen = {name: str(generator.choice(values)) for name, values in attributes.items() if generator.random() < share}
    return " ".join(f'{name}="{value}"' for name, value in chosen.items())


def model(generator: np.random.Generator, kinds: Sequence[str] = tuple(SIZES)) -> str:
    """Return a model of four penetrating bodies above a floor, some with a child, with explicit pairs and an excluded pair."""
    names = ["floor"]

    def geom() -> str:
        kind = str(generator.choice(kinds))
        names.append(f"g{len(names)}")
        place = " ".join(map(str, generator.uniform(-0.1, 0.1, 3)))
        attributes = some(generator, GEOM)
        return f'<geom name="{names[-1]}" type="{kind}" size="{SIZES[kind]}" pos="{place}" {attributes}/>'

    bodies = []
    for b in range(4):
        place, turn = (" ".join(map(str, generator.uniform(-r, r, 3))) for r in (0.2, 90))
        inside = ("<freejoint/>" if b else "") + geom() + (geom() if generator.random() < 0.5 else "")
        if generator.random() < 0.5:
            inside += f'<body pos=".1 0 0">{generator.choice(["<joint/>", ""])}{geom()}</body>'
        bodies.append(f'<body name="b{b}" pos="{place}" euler="{turn}">{inside}</body>')
    contact = '<exclude body1="b1" body2="b2"/>' if generator.random() < 0.5 else ""
    for _ in range(int(generator.integers(0, 4))):
        first, second = generator.choice(names, 2, replace=False)
        contact += f'<pair geom1="{first}" geom2="{second}" {some(generator, PAIR)}/>'
    option = f"<option {some(generator, OVERRIDE)}><flag {some(generator, FLAGS, 0.3)}/></option>"
    floor = '<geom name="floor" type="plane" size="2 2 1" pos="0 0 -.2"/>'
    return f"<mujoco>{option}<worldbody>{floor}{''.join(bodies)}</worldbody><contact>{contact}</contact></mujoco>"


@pytest.mark.parametrize("seed", range(5))
def test_contacts_of_random_models(seed: int) -> None:
    generator = np.random.default_rng(seed)
    contacts = 0
    for _ in range(10):
        xml = model(generator)
        official_model = mujoco.MjModel.from_xml_string(xml)
        official: Any = mujoco.MjData(official_model)
        m = adopt_model(official_model)
        official.qpos[:] += 0.03 * generator.standard_normal(official_model.nq)
        mujoco.mj_forward(official_model, official)
        mended_contacts(official_model, official)
        d: Any = adopt_state(m, official_model, official)
        conjoint.mj_fwdPosition(m, d)
        assert d.ncon == official.ncon, xml
        fields = (*CONTACT_FIELDS, "efc_address")
        found = {name: error(getattr(d.contact, name), getattr(official.contact, name)) for name in fields}
        assert {name: value for name, value in found.items() if not value <= TOLERANCE} == {}, xml
        contacts += official.ncon
    assert contacts > 100


@pytest.mark.parametrize("midphase", ["enable", "disable"])
@pytest.mark.parametrize("others", [1, 0])
def test_the_mid_phase_drops_what_just_touches(others: int, midphase: str) -> None:
    """If bodies have several geoms, the mid phase omits pairs whose bounding boxes are separate only by rounding, as in MuJoCo.

    GJK alone would find a contact.
    """
    xml = f"""<mujoco><option><flag midphase="{midphase}"/></option><worldbody>
        <geom type="box" size=".21 .01 .1" pos=".7 .2 .86"/>{'<geom size=".1"/>' * others}
        <body pos=".7 .15 .9045888"><freejoint/><geom type="ellipsoid" size=".05 .04 .03"/></body>
        </worldbody></mujoco>"""
    official_model = mujoco.MjModel.from_xml_string(xml)
    official: Any = mujoco.MjData(official_model)
    mujoco.mj_forward(official_model, official)
    m = adopt_model(official_model)
    d: Any = adopt_state(m, official_model, official)
    conjoint.mj_fwdPosition(m, d)
    assert d.ncon == official.ncon == (0 if others and midphase == "enable" else 1)


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_pair_that_nothing_moves_has_no_compressed_rows(cone: str, jacobian: str) -> None:
    """An explicit pair of the world and a mocap body has dense rows of zeros, but no compressed rows."""
    xml = f"""<mujoco><option jacobian="{jacobian}" cone="{cone}"/><worldbody>
        <geom name="wall" size=".1"/><body mocap="true"><geom name="hand" size=".1" pos=".15 0 0"/></body>
        <body pos="0 0 .19"><freejoint/><geom size=".1"/></body>
        </worldbody><contact><pair geom1="wall" geom2="hand"/></contact></mujoco>"""
    official_model = mujoco.MjModel.from_xml_string(xml)
    official: Any = mujoco.MjData(official_model)
    mujoco.mj_forward(official_model, official)
    m = adopt_model(official_model)
    d: Any = adopt_state(m, official_model, official)
    conjoint.mj_forward(m, d)
    assert d.contact.exclude.tolist() == official.contact.exclude.tolist() == [3 if jacobian == "sparse" else 0, 0]
    assert d.contact.efc_address.tolist() == official.contact.efc_address.tolist()
    assert d.nefc == official.nefc


HEAP = """<mujoco><option cone="{cone}" jacobian="{jacobian}"/><worldbody><geom name="floor" type="plane" size="2 2 2"/><body pos="0 0 .05">
<freejoint/><geom name="a" size=".1"/></body><body pos="1 0 .05"><freejoint/><geom name="b" type="box" size=".1 .1 .1"/></body></worldbody>
<contact><pair geom1="floor" geom2="b"/></contact></mujoco>"""


def _changed(package: Any, dimensions: int, cone: str, jacobian: str) -> Any:
    """Return data of a heap after `mj_forward`; the contact dimensions were changed in the compiled model."""
    model = package.MjModel.from_xml_string(HEAP.format(cone=cone, jacobian=jacobian))
    model.geom_condim[:] = model.pair_dim[:] = dimensions
    data = package.MjData(model)
    data.qvel[:] = np.linspace(-0.4, 0.5, model.nv)
    package.mj_forward(model, data)
    return data


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("dimensions", "cone"), [(1, "elliptic"), (2, "pyramidal"), (5, "pyramidal"), (5, "elliptic"), (6, "elliptic")]
)
def test_contacts_of_as_many_dimensions_as_programs_say(dimensions: int, cone: str, jacobian: str) -> None:
    """Contacts of undocumented dimensions (two, five) keep their constraint rows separate."""
    ours, official = (_changed(package, dimensions, cone, jacobian) for package in (conjoint, mujoco))
    assert ours.nefc == official.nefc and ours.ncon == 5
    assert error(ours.qacc, official.qacc) < 1e-6


@pytest.mark.parametrize("dimensions", [0, 7, -1])
def test_contacts_of_impossible_dimensions(dimensions: int) -> None:
    with pytest.raises(mujoco.FatalError, match="condim"):
        _changed(mujoco, dimensions, "pyramidal", "dense")
    with pytest.raises(conjoint.FatalError, match=rf"geom_condim\[0\] is {dimensions}: contacts have 1, 3, 4 or 6"):
        _changed(conjoint, dimensions, "pyramidal", "dense")


@pytest.mark.usefixtures("edition")
@pytest.mark.parametrize("limit", [-1, 5])
@pytest.mark.parametrize("seed", range(3))
def test_worlds_side_by_side_list_the_contacts_of_each(seed: int, limit: int) -> None:
    """Contacts found in lanes are listed correctly for each world, even if contact parameters differ between worlds."""
    generator = np.random.default_rng(seed)
    xml = model(generator, ("sphere", "capsule")).replace("<worldbody>", f'<size nconmax="{limit}"/><worldbody>', 1)
    m = conjoint.MjModel.from_xml_string(xml)
    own = ["geom_solref", "geom_solmix", "geom_friction", "geom_margin"] if seed else []
    batch: Any = Batch(m, 8, lanes=8, nthread=1, vary=own)
    batch.qpos += 0.1 * generator.standard_normal((8, m.nq))
    for name in own:
        values = getattr(batch, name)
        values *= generator.uniform(0.5, 1.5, values.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        batch.forward()
        space = worlds_of(batch).work.spaces[0]
        counts = []
        full = conjoint.mjtWarning.mjWARN_CONTACTFULL
        for world in range(8):
            d: Any = batch.get_data(world)
            d.warning[full].number = 0
            conjoint.mj_forward(d.model, d)
            counts.append(d.ncon)
            assert batch.ncon[world] == d.ncon
            warned = [space.data.view(f"warning.{name}")[full, world] for name in ("number", "lastinfo")]
            assert warned == [d.warning[full].number, d.warning[full].lastinfo]
            for name in CONTACT_FIELDS:
                lanes = space.arena.view(f"contact_{name}")[: d.ncon, ..., world]
                found = error(lanes.reshape(d.ncon, -1), np.reshape(getattr(d.contact, name), (d.ncon, -1)))
                assert found <= TOLERANCE, (name, xml)
    assert len(set(counts)) > 1 or limit > 0


def test_weighted_means_have_the_official_bits() -> None:
    """Contact parameters weighted by `solmix` equal MuJoCo's bit for bit, for geoms and for flexes."""
    generator = np.random.default_rng(3)
    spheres = "".join(
        f'<body pos="{0.3 * k} 0 .1"><freejoint/><geom size=".11" solmix="{generator.uniform(0.1, 9)}" solref='
        f'"{generator.uniform(0.01, 0.1)} {generator.uniform(0.5, 2)}" solimp="{generator.uniform(0.1, 0.9)} .95 '
        f'{generator.uniform(0.001, 0.1)} {generator.uniform(0.1, 0.9)} 2"/></body>'
        for k in range(24)
    )
    xml = f"""<mujoco><worldbody><geom type="plane" size="9 9 1" solmix=".7" solref=".033 .77" solimp=".3 .9 .013 .4 3"/>
      <flexcomp type="grid" count="4 4 1" spacing=".1 .1 .1" pos="0 1 .01" dim="2" radius=".02" name="cloth" mass="1">
      <contact solmix="2.3" solref=".017 1.1" solimp=".37 .93 .007 .6 2"/></flexcomp>{spheres}</worldbody></mujoco>"""
    expected, found = mujoco.MjModel.from_xml_string(xml), conjoint.MjModel.from_xml_string(xml)
    e, d = mujoco.MjData(expected), conjoint.MjData(found)
    mujoco.mj_forward(expected, e)
    conjoint.mj_forward(found, d)
    assert d.ncon == e.ncon > 30
    assert np.array_equal(d.contact.solref, e.contact.solref)
    assert np.array_equal(d.contact.solimp, e.contact.solimp)
