"""Include, replicate, attach, flexcomp, composite and flexes compile as in MuJoCo."""

from __future__ import annotations

import struct

import mujoco
import numpy as np
import pytest

from compiled import check, differences, refused
from conjoint.compiler import compile_path, compile_string
from conjoint.lang.errors import ModelError

REPLICATED = """<worldbody><site name="out"/><body name="o"><joint name="jo"/><geom name="go" size=".1"/></body>
    <replicate count="2" sep="_"><body name="b"><freejoint name="f"/><geom name="g" size=".1"/><site name="s"/>
    <site name="s2"/><body name="b2"><geom name="g2" size=".1"/><joint name="j"/></body></body></replicate></worldbody>"""

CHILD = """<mujoco model="C"><compiler angle="radian" eulerseq="zyx" boundmass="3"/>
<default><geom rgba="1 0 0 1"/><default class="k"><geom size=".3"/></default></default>
<asset><texture name="t" builtin="flat" width="4" height="4" type="2d"/><material name="m" texture="t"/></asset>
<custom><numeric name="n" data="1"/><tuple name="tu"><element objtype="site" objname="s"/></tuple></custom>
<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<frame pos="0 0 9"><body name="b" pos="1 0 0" euler="0.1 0.2 0.3"><joint name="j" range="0 1.5"/>
<geom name="g" class="k" material="m"/><site name="s"/></body></frame>
<body name="o" euler="1 0 0"><joint name="oj"/><geom name="og" size=".1"/></body></worldbody>
<contact><exclude name="x" body1="b" body2="o"/><exclude name="xw" body1="b" body2="world"/></contact>
<tendon><fixed name="tt"><joint joint="j" coef="1"/></fixed>
<fixed name="tt2"><joint joint="j" coef="1"/><joint joint="oj" coef="2"/></fixed></tendon>
<equality><joint joint1="j" joint2="oj" name="eq"/><weld body1="b" name="eqw"/></equality>
<actuator><motor name="mj" joint="j"/><motor name="mt" tendon="tt"/><motor name="mo" joint="oj"/></actuator>
<sensor><jointpos joint="j" name="sj"/><clock name="ck"/></sensor>
<keyframe><key name="k1" qpos="0.5 0.7" ctrl="1 2 3" time="4"/></keyframe></mujoco>"""


@pytest.mark.parametrize("count", [0, 1, 9, 10, 12])
def test_replicate_moves_and_turns(count):
    check(f"""<compiler eulerseq="XYz"/><worldbody><replicate count="{count}" sep="-" offset="1 2 3" euler="10 20 30">
        <geom name="a" size=".1" pos=".5 0 0"/><body name="b"><joint axis="1 0 0"/><geom size=".1"/></body>
        </replicate></worldbody>""")


def test_replicate_inside_replicate():
    check("""<worldbody><replicate count="2" offset="0 1 0" euler="90 0 0"><replicate count="2" sep="-" offset="1 0 0"
        euler="0 90 0"><site name="Alice" size=".1"/></replicate></replicate></worldbody>
        <sensor><accelerometer name="Bob" site="Alice"/></sensor>""")


@pytest.mark.parametrize(
    "referring",
    [
        '<contact><exclude name="x" body1="b" body2="o"/><exclude body1="o" body2="world"/></contact>',
        '<contact><pair name="p" geom1="g" geom2="g2"/><pair name="q" geom1="g" geom2="go"/></contact>',
        '<tendon><spatial name="t"><site site="out"/><site site="s"/></spatial></tendon>',
        """<tendon><spatial name="t2"><site site="s2"/><site site="s"/></spatial><fixed name="fx"><joint joint="jo"
        coef="1"/></fixed></tendon><actuator><motor name="m" tendon="t2"/><motor tendon="fx"/></actuator>
        <sensor><tendonpos tendon="t2"/></sensor>""",
        '<actuator><motor site="out"/><motor name="m" site="s"/></actuator><sensor><actuatorpos actuator="m"/></sensor>',
        '<actuator><general site="s" refsite="out"/><general name="rs" site="s2" refsite="s"/></actuator>',
        '<sensor><clock/><accelerometer name="a" site="s"/><accelerometer site="out"/><user dim="1"/></sensor>',
        '<sensor><framepos objtype="site" objname="out" reftype="site" refname="s"/></sensor>',
        '<equality><joint joint1="j"/><joint joint1="jo"/><weld body1="b"/><joint joint1="j" joint2="jo"/></equality>',
    ],
)
def test_replicate_copies_what_refers_to_it(referring):
    check(REPLICATED + referring)


def test_flexcomp_does_not_go_into_replicate():
    refused("""<worldbody><replicate count="2"><body name="b"><flexcomp name="f" dim="1" count="3 1 1"/></body>
        </replicate></worldbody>""")


@pytest.mark.parametrize(
    "world",
    [
        '<attach model="c" body="b" prefix="P_"/>',
        '<attach model="c" prefix="P_"/>',
        '<attach model="c" body="b" prefix=""/>',
        '<attach model="c" body="world" prefix="w"/>',
        '<attach model="c" body="b" prefix="P"/><attach model="c" body="b" prefix="Q"/>',
        '<body><geom size="1"/><frame pos="1 2 3" euler="0 0 90"><attach model="c" body="o" prefix="P"/></frame></body>',
    ],
)
@pytest.mark.parametrize("referring", ["", '<option timestep="0.1"/>'])
def test_attach(world, referring, tmp_path):
    child = (
        CHILD.replace('<tuple name="tu"><element objtype="site" objname="s"/></tuple>', "") if "o" in world else CHILD
    )
    (tmp_path / "c.xml").write_text(child)
    main = tmp_path / "main.xml"
    main.write_text(f"""<mujoco>{referring}<asset><model name="c" file="c.xml"/></asset>
        <worldbody>{world}</worldbody></mujoco>""")
    assert differences(compile_path(main), mujoco.MjModel.from_xml_path(str(main))) == {}


@pytest.mark.parametrize("world", ['<attach model="c" body="nope" prefix=""/>', '<attach model="nope" prefix=""/>'])
def test_attach_of_what_does_not_exist(world):
    assets = {"c.xml": CHILD.encode()}
    xml = f'<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody>{world}</worldbody></mujoco>'
    with pytest.raises(ModelError, match="there is no"):
        compile_string(xml, assets)


def test_models_that_attach_each_other_are_refused(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("""<mujoco><asset><model name="a" file="a.xml"/></asset><worldbody><attach model="a" prefix="x"/>
        </worldbody></mujoco>""")
    with pytest.raises(ModelError, match="in a circle"):
        compile_path(path)


def test_include_is_relative_to_the_main_file_and_happens_once(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.xml").write_text('<x><include file="inner/b.xml"/></x>')
    (tmp_path / "inner" / "b.xml").write_text('<x><geom name="b" size=".1"/></x>')
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><worldbody><body><include file="inner/a.xml"/></body></worldbody></mujoco>')
    assert differences(compile_path(main), mujoco.MjModel.from_xml_path(str(main))) == {}
    main.write_text(main.read_text().replace("<body>", '<include file="inner/b.xml"/><body>'))
    with pytest.raises(ModelError, match="more than once"):
        compile_path(main)


def flexcomp(attributes: str, inside: str = "", parent: str = "") -> str:
    """Return the XML of a world with a flexcomp in a body named p."""
    body = f'<body name="p">{parent}<flexcomp name="f" {attributes}>{inside}</flexcomp></body>'
    return f'<asset><material name="m"/></asset><worldbody>{body}</worldbody>'


WIDE = 'spacing=".1 .2 .3" radius=".01"'


@pytest.mark.parametrize(
    "attributes",
    [
        'dim="1" count="6 1 1"', 'dim="2" count="4 3 1"', 'dim="3" count="5 4 4"', 'type="square" dim="2" count="4 3 1"',
        'type="disc" dim="2" count="4 5 1"', 'type="circle" dim="1" count="6 1 1"', 'type="box" count="3 4 5"',
        'type="cylinder" count="3 4 3"', 'type="ellipsoid" count="3 4 3"',
    ],
)  # fmt: skip
def test_shapes_of_flexcomp(attributes):
    check(flexcomp(f"{attributes} {WIDE}"))
    check(flexcomp(f'{attributes} {WIDE} rigid="true" pos="1 2 3" euler="10 20 30" material="m"'))
    check(flexcomp(f'{attributes} {WIDE} dof="radial" pos="0 0 5"', parent='<joint/><geom size=".1"/>'))


@pytest.mark.parametrize("edge", ["", '<edge equality="true" solref=".1"/>', '<edge damping="1"/>'])
@pytest.mark.parametrize("parent", ["", '<freejoint/><geom size=".1"/>', '<joint axis="0 1 0"/><geom size=".1"/>'])
def test_edges_and_pins_of_flexcomp(edge, parent):
    check(flexcomp('dim="1" count="4 1 1"', f'<pin id="0 1"/>{edge}', parent))
    check(flexcomp('dim="2" count="3 4 1"', f'<pin gridrange="0 0 0 2" grid="2 3"/><pin range="1 2"/>{edge}', parent))


@pytest.mark.parametrize("forces", ["none", "bend", "stretch", "both"])
def test_elasticity_of_shells(forces):
    elasticity = f'<elasticity young="1e3" poisson=".2" damping=".1" thickness=".01" elastic2d="{forces}"/>'
    check(flexcomp('dim="2" count="4 3 1" euler="10 20 30"', elasticity))


def test_elasticity_of_solids():
    elasticity = '<elasticity young="1e3" poisson=".2" damping=".1"/>'
    check(flexcomp('dim="3" count="3 4 3" euler="10 20 30"', elasticity))
    contact = '<contact selfcollide="none"/>'
    check(flexcomp('dim="3" count="3 4 3" dof="trilinear" mass="3"', contact + elasticity))
    check(flexcomp('dim="3" count="3 4 3" dof="trilinear" pos="1 2 3"', f'<pin id="0 3"/>{contact}{elasticity}'))


def test_flexcomp_written_directly():
    points = 'point="0 0 0 1 0 0 0 1 0 5 5 5 1 1 0" element="0 1 2 1 2 4"'
    check(flexcomp(f'type="direct" dim="2" {points} scale="2 1 1" pos="1 0 0"'))
    check(flexcomp('type="direct" dim="3" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 3 2"'))


@pytest.mark.parametrize(
    "attributes",
    [
        'spacing=".001 .1 .1" count="3 3 1"', 'dim="2"', 'count="0 1 1" dim="1"', 'dim="4" count="2 2 2"',
        'count="2 2 1" mass="0"', 'type="direct" point="0 0 0" element="0 1 2"', 'type="circle" dim="2"',
        'type="disc" dim="3"', 'type="mesh" file="missing.obj"', 'type="gmsh"',
    ],
)  # fmt: skip
def test_flexcomps_that_are_refused(attributes):
    refused(flexcomp(attributes))


@pytest.mark.parametrize("pin", ['id="9"', 'grid="9 0"', 'range="0 1 2"', 'grid="1"'])
def test_pins_that_are_refused(pin):
    refused(flexcomp('count="2 2 1"', f"<pin {pin}/>"))


TETRAHEDRA = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], [(1, 2, 3, 4), (2, 3, 4, 5)]


def gmsh(version: str, binary: bool) -> bytes:
    """Return a GMSH file of two tetrahedra, in the given version, as text or binary."""
    points, elements = TETRAHEDRA
    head = f"$MeshFormat\n{version} {int(binary)} 8\n".encode() + (struct.pack("<i", 1) + b"\n" if binary else b"")
    old = version == "2.2"
    if binary:
        tags = [struct.pack("<i" if old else "<Q", i + 1) for i in range(5)]
        rows = [struct.pack("<3d", *point) for point in points]
        nodes = b"5\n" + b"".join(t + r for t, r in zip(tags, rows, strict=True))
        cells = b"2\n" + struct.pack("<3i", 4, 2, 0)
        if not old:
            nodes = struct.pack("<4Q3iQ", 1, 5, 1, 5, 3, 1, 0, 5) + b"".join(tags + rows)
            cells = struct.pack("<4Q3iQ", 1, 2, 1, 2, 3, 1, 4, 2)
        cells += b"".join(struct.pack("<5i" if old else "<5Q", i + 1, *cell) for i, cell in enumerate(elements))
    else:
        rows = [" ".join(map(str, point)) for point in points]
        nodes = "5\n" + "\n".join(f"{i + 1} {row}" for i, row in enumerate(rows))
        cells = "2\n" + "\n".join(f"{i + 1} 4 2 0 1 {' '.join(map(str, c))}" for i, c in enumerate(elements))
        if not old:
            nodes = "1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n" + "\n".join(rows)
            cells = "1 2 1 2\n3 1 4 2\n" + "\n".join(f"{i + 1} {' '.join(map(str, c))}" for i, c in enumerate(elements))
        nodes, cells = nodes.encode(), cells.encode()
    end = b"\n" if binary else b""
    return b"".join([
        head, b"$EndMeshFormat\n$Nodes\n", nodes, b"\n$EndNodes\n$Elements\n", cells, b"\n$EndElements\n", end,
    ])  # fmt: skip


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("version", ["2.2", "4.1"])
def test_gmsh_files(version, binary):
    from conjoint.mjcf.gmsh import read_gmsh

    data = gmsh(version, binary)
    dim, points, elements = read_gmsh(data)
    assert dim == 3
    assert np.array_equal(points, TETRAHEDRA[0])
    assert np.array_equal(elements + 1, TETRAHEDRA[1])
    for end in range(0, len(data) - 40, 7):
        with pytest.raises(ValueError):
            read_gmsh(data[:end] + b"$EndNodes $EndElements")


def test_flexes_written_element_by_element():
    check("""<worldbody><body name="a" pos="1 0 0"><joint/><geom size=".1"/></body><body name="b"><geom size=".1"/></body>
        </worldbody><deformable><flex name="f" dim="1" body="a b a" element="0 1 1 2" vertex="0 0 0 1 0 0 2 3 0"><edge
        stiffness="3" damping="1"/></flex><flex dim="2" body="a" vertex="0 0 0 1 0 0 0 1 0" element="0 1 2"
        texcoord="0 0 1 1 .5 .5"/></deformable>""")


CABLE = '<geom type="{0}" size=".005 .01 .02"/>'


@pytest.mark.parametrize("geom", ["capsule", "cylinder", "box"])
@pytest.mark.parametrize(
    "attributes",
    [
        'curve="s" count="4 1 1" size="1" offset="-.3 0 .6" initial="none"',
        'curve="cos(s) sin(s) s" count="9 1 1" size=".5 .1 2" initial="free"',
        'curve="0 s 0" count="5 1 1" size="1"',
        'curve="s s 0" count="5 1 1" size="1" quat="1 1 0 0"',
        'vertex="0 0 0 1 0 0 1 1 0 1 1 1 2 3 4" initial="ball"',
    ],
)
def test_cables(attributes, geom):
    joint = '<joint kind="main" damping=".1" armature=".2"/><site size=".01"/>'
    check(f"""<worldbody><frame pos="1 2 3" euler="10 20 30"><composite prefix="C" type="cable" {attributes}>
        {CABLE.format(geom)}{joint}</composite></frame></worldbody>""")


@pytest.mark.parametrize("attributes", ['type="cable" curve="s" count="5 2 1" size="1"', 'type="grid" count="3 1 1"'])
def test_composites_that_are_refused(attributes):
    refused(f'<worldbody><composite {attributes}><geom type="capsule" size=".01"/></composite></worldbody>')


@pytest.mark.parametrize("inside", ['<geom size=".1"/>', '<replicate count="1000"><geom size=".1"/></replicate>'])
def test_replicate_of_absurd_size_is_refused(inside):
    with pytest.raises(ModelError, match="more than"):
        compile_string(f'<mujoco><worldbody><replicate count="1000000">{inside}</replicate></worldbody></mujoco>')
