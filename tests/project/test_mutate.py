"""Mutation-testing tool: the mutations that it generates, and the tests that it runs for a folder."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conjoint.physics.collision.finding import narrowphase_of, store_found
from conjoint.physics.collision.plane import keep_vertex, plane_mesh
from conjoint.physics.sdf.octree import octree_distance, weights_of
from tools.mutate.__main__ import chosen
from tools.mutate.mutation import MODULE, Mutation, mutations
from tools.mutate.record import add_kernels, place_of
from tools.mutate.rooms import HOST, KERNELS, files_of

HOST_CODE = '''
"""Text with 1 < 2 in it."""
LIMIT = 10.0

class Thing:
    size: int = 3

    def seen(self, values: "list[int]", first=2):
        """More text: a + b."""
        if first < 0 and not values:
            raise ValueError(f"first {first + 1} must not be {-1}")
        self.count += 1
        limited = np.clip(values, -LIMIT, LIMIT)
        return [limited[k] for k in range(first, len(values))]
'''

KERNEL = """
@kernel
def stage(m, d):
    d.x[0] = m.a[1] + 0.5 * d.x[0]

def host():
    return 1
"""


def changes(folder: Path, text: str) -> dict[str, list[Mutation]]:
    """Return all mutations of a source text, by function."""
    (folder / "room").mkdir(exist_ok=True)
    (folder / "room" / "code.py").write_text(text)
    found = mutations(folder, ("room",))["room"]
    return {place.partition(":")[2]: made for place, made in found.items()}


def test_ordinary_code_is_changed_where_it_computes(tmp_path: Path) -> None:
    found = changes(tmp_path, HOST_CODE)
    assert set(found) == {MODULE, "Thing.seen"} and not any(each.kernel for each in found["Thing.seen"])
    lines = HOST_CODE.splitlines()
    made = {(each.kind, each.applied(HOST_CODE).splitlines()[each.line - 1].strip()) for each in found["Thing.seen"]}
    assert {
        ("comparison", "if first >= 0 and not values:"),
        ("boundary", "if first <= 0 and not values:"),
        ("condition", "if first < 0 or not values:"),
        ("condition", "if not (first < 0 and not values):"),
        ("operator", "if first < 0 and values:"),
        ("statement", "pass"),
        ("clip", "limited = values"),
        ("arguments", "limited = np.clip(-LIMIT, values, LIMIT)"),
        ("index", "return [limited[k] for k in range(first, len(values) - 1)]"),
        ("constant", 'def seen(self, values: "list[int]", first=3):'),
    } <= made
    assert {each.line for each in found[MODULE]} == {
        lines.index("LIMIT = 10.0") + 1,
        lines.index("    size: int = 3") + 1,
    }
    # messages and docstrings are not mutated
    assert not any("raise" in lines[each.line - 1] or '"""' in lines[each.line - 1] for each in found["Thing.seen"])


def test_every_change_of_the_package_is_python(tmp_path: Path) -> None:
    found = changes(tmp_path, HOST_CODE) | changes(tmp_path, KERNEL)
    for each in [change for made in found.values() for change in made]:
        text = KERNEL if each.function in ("stage", "host") else HOST_CODE
        assert ast.dump(ast.parse(each.applied(text))) != ast.dump(ast.parse(text))


def test_kernels_are_changed_by_tokens(tmp_path: Path) -> None:
    found = changes(tmp_path, KERNEL)
    assert {each.kind for each in found["stage"]} == {"sign", "constant", "index"}
    assert all(each.kernel for each in found["stage"]) and not found["host"][0].kernel


def test_rooms_share_changes_evenly(tmp_path: Path) -> None:
    """Mutations are chosen evenly across folders, and a seed chooses the same ones whatever other folders are tested."""
    for room in ("a", "b", "c"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "code.py").write_text(HOST_CODE)
    found = mutations(tmp_path, ("a", "b", "c"))
    picked = chosen(found, 8, 1)
    assert [len(picked[room]) for room in "abc"] == [3, 3, 2]
    assert chosen({"a": found["a"]}, 3, 1)["a"] == picked["a"] != chosen(found, 8, 2)["a"]
    assert len(chosen({"a": found["a"]}, 10**6, 1)["a"]) == sum(map(len, found["a"].values()))


@pytest.mark.parametrize("room", [*HOST, *KERNELS])
def test_every_room_has_tests(room: str) -> None:
    tests = next(folder for folder in Path(__file__).parents if folder.name == "tests")
    assert files_of(tests, room)


def test_tests_of_a_room_are_those_in_its_folder(tmp_path: Path) -> None:
    for name in ("envs/test_task.py", "solver/test_newton.py", "physics/sensor/test_touch.py", "mjcf/test_urdf.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert files_of(tmp_path, "envs") == ["envs/test_task.py"] == files_of(tmp_path, "envs/task.py")
    # the tests of physics also cover the solver
    assert files_of(tmp_path, "solver") == ["physics/sensor/test_touch.py", "solver/test_newton.py"]


def test_a_compiled_kernel_reaches_those_that_it_takes_in_groups_and_tuples() -> None:
    places: set[str] = set()
    add_kernels(narrowphase_of(7, plane_mesh), places, set())
    assert {place_of(store_found), place_of(keep_vertex)} <= places
    assert place_of(octree_distance) not in places
    add_kernels((3, (octree_distance,)), places, set())
    assert {place_of(octree_distance), place_of(weights_of)} <= places
