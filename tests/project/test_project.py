"""Properties of the package as a whole, such as light imports and layering."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import conjoint
from conjoint.lang.calls.compiled import jit_enabled
from hatch_stubs import STUBS, package_stub, write_stubs
from places import ROOT, TESTS

HEAVY = ("numba", "llvmlite", "scipy", "lxml", "matplotlib", "rich", "typer", "PIL")


@pytest.mark.plain
def test_importing_conjoint_imports_nothing_heavy():
    code = "import sys, json, conjoint; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert [name for name in loaded if name.split(".")[0] in HEAVY] == []


@pytest.mark.skipif(not jit_enabled(), reason="nothing is compiled")
def test_a_step_imports_only_what_it_needs():
    """With a warm cache, a step imports only what reading XML and loading machine code need, not the compiler."""
    code = (
        "import sys, json, conjoint; m = conjoint.MjModel.from_xml_path(sys.argv[1]); "
        "conjoint.mj_step(m, conjoint.MjData(m)); print(json.dumps(sorted(sys.modules)))"
    )
    start = [sys.executable, "-c", code, str(ROOT / "models" / "humanoid.xml")]
    # the first process fills the cache
    done = [subprocess.run(start, capture_output=True, text=True, check=True) for _ in range(2)][-1]
    loaded = json.loads(done.stdout)
    assert {name.split(".")[0] for name in loaded} & set(HEAVY) == {"llvmlite", "lxml"}
    assert not set(loaded) & {"conjoint.lang.frontend", "concurrent.futures", "numpy.ma", "numpy.random"}
    assert not set(loaded) & {"importlib.metadata", "html"}
    assert [name for name in loaded if name.startswith("conjoint.compat")] == []


@pytest.mark.plain
def test_the_version_is_stated_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert conjoint.__version__ == project["version"]
    assert f"[{project['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {conjoint.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_tests_do_not_measure_time():
    """Tests wait for events (`waiting.py`) instead of measuring time, so that they pass on slow machines."""
    clock = re.compile(
        r"\b(perf_counter|monotonic|process_time|thread_time)\(|\btime\.time\(|\btimeout=\d+[,)]|getrusage\("
    )
    found = [path for path in TESTS.rglob("*.py") if clock.search(path.read_text(encoding="utf-8"))]
    # exceptions are programs that run for a given time, and programs of third parties
    beside = {"waiting.py", "derivative_corpus.py", "newer_corpus.py"}
    folders = {"fuzz", "clients"}
    assert [path for path in found if path.name not in beside and path.parent.name not in folders] == []


@pytest.mark.plain
def test_only_tests_and_benchmarks_know_the_oracle():
    importing = re.compile(r"^\s*(import|from)\s+mujoco\b", re.MULTILINE)
    assert [str(p) for p in (ROOT / "src").rglob("*.py") if importing.search(p.read_text(encoding="utf-8"))] == []


@pytest.mark.plain
def test_neither_the_package_nor_its_build_imports_tools():
    """Neither the package nor its build imports tools, although tools may import the package and `hatch_build.py`."""
    upwards = re.compile(r"^\s*(import|from)\s+(tools|tests|benchmarks|examples)\b", re.MULTILINE)
    files = [*ROOT.glob("hatch_*.py"), *(ROOT / "src").rglob("*.py")]
    assert [str(path) for path in files if upwards.search(path.read_text(encoding="utf-8"))] == []


def layers() -> list[list[str]]:
    """Return the layers that pyproject.toml declares, highest first, as lists of packages."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    lines = next(
        contract["layers"] for contract in contracts if contract["name"] == "A layer imports only layers below it"
    )
    return [line.split(" | ") for line in lines]


@pytest.mark.plain
def test_the_page_about_the_design_has_the_layers_of_the_contract():
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = page.partition("|---|---|\n")[2].partition("\n\n")[0]
    written = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()]
    assert written == [layer for layer in layers() if layer != ["__main__"]]


@pytest.mark.plain
def test_every_module_says_what_it_is_for():
    silent = [
        p for p in (ROOT / "src").rglob("*.py") if not p.read_text(encoding="utf-8").lstrip().startswith(('"""', "'''"))
    ]
    assert silent == []


@pytest.mark.plain
def test_every_model_says_what_it_is():
    for path in (ROOT / "models").glob("*.xml"):
        assert path.read_text(encoding="utf-8").startswith("<!--"), path.name


def test_the_stub_has_every_public_name() -> None:
    """The type stub declares all public names, such as `Renderer` and `install_as_mujoco`."""
    stub = ast.parse(package_stub())
    names = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    names |= {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    names |= {
        node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert set(dir(conjoint)) - names == set()
    assert {*conjoint.FAMILY, "GLContext", "install_as_mujoco", "semantics"} <= names


def test_stubs_have_every_attribute(tmp_path: Path) -> None:
    """The stubs declare every attribute, including the dynamic ones of models, data and batches."""
    assert list(write_stubs(tmp_path)) == list(STUBS)
    declared: dict[str, set[str]] = {}
    for place in STUBS:
        for node in ast.parse((tmp_path / place).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                members = (each.target if isinstance(each, ast.AnnAssign) else each for each in node.body)
                declared[node.name] = {getattr(each, "id", getattr(each, "name", "")) for each in members}
    model = conjoint.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>")
    for owner, attributes in (
        (model, "ModelAttributes"),
        (conjoint.MjData(model), "DataAttributes"),
        (model.opt, "MjOption"),
    ):
        methods = {name for name in dir(type(owner)) if callable(getattr(type(owner), name))}
        public = {name for name in dir(owner) if not name.startswith("_")}
        # type checkers find these properties in the source
        assert public - methods - declared[attributes] <= {"model", "nthread", "semantics"}
    assert {"qpos", "xpos", "sensordata"} <= declared["WorldsAttributes"]


def test_stubs_that_are_up_to_date_are_left_alone(tmp_path: Path) -> None:
    paths = write_stubs(tmp_path)
    for path in paths.values():
        os.utime(path, (0, 0))
    changed = paths["conjoint/__init__.pyi"]
    changed.write_text("", encoding="utf-8")
    write_stubs(tmp_path)
    assert changed.read_text(encoding="utf-8") == package_stub()
    assert [path for path in paths.values() if path.stat().st_mtime] == [changed]


@pytest.mark.plain
def test_only_the_public_face_names_compat():
    """Only the public API refers to `compat`, and only by name, so that it is imported lazily."""
    source = Path(conjoint.__file__).parent
    outside = [path for path in source.rglob("*.py") if path.relative_to(source).parts[0] != "compat"]
    named = [path for path in outside if re.search(r"conjoint\.compat|\"compat\.", path.read_text(encoding="utf-8"))]
    assert {str(path.relative_to(source)) for path in named} == {"__init__.py", "api/objects/struct.py"}
