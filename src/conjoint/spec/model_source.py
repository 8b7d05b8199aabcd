"""Resolution of model names: file paths, folders, and names of robots in packages and collections."""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from conjoint.lang.errors import ConjointError, ModelError
from conjoint.lang.optional_packages import missing, need
from conjoint.spec.filename import on_disk
from conjoint.spec.packages import FILE, addressed_file, missing_reason, no_package, package_folders

SUFFIXES = (".xml", ".mjcf", ".urdf")
"""File extensions of models."""
SCENE = "scene.xml"
"""Name of the preferred file in a folder with several models."""
INSIDE = ("urdf", "mjcf", "xml", "robots", "robot", "models", "model")
"""Folders of a package that may contain its models."""
COLLECTION = "mujoco_menagerie"
"""Name of the folder with a checkout of MuJoCo Menagerie."""
_ROOT = re.compile(rb"<(mujoco|robot)[\s>/]")
HEAD = 1 << 14
"""Number of bytes at the start of a file that are searched for the root element."""
MOST_LISTED = 8
"""Maximum number of names listed in a message."""


def model_file(name: str) -> str:
    """Return the path of the model file for a name. The path of a file is returned unchanged.

    Args:
        name: a path; a folder with `scene.xml` or a single model; `package://NAME/path` or `package://NAME` of ROS;
            `robot_descriptions:NAME`; `menagerie:NAME`.

    Raises:
        ModelError: a folder contains no model or several, or the name cannot be resolved.
        MissingExtraError: the package robot_descriptions is not installed.
    """
    prefix, find = next(((prefix, find) for prefix, find in SOURCES.items() if name.startswith(prefix)), ("", None))
    if find is not None and not os.path.exists(name):
        return find(name[len(prefix) :])
    folder = on_disk(name)
    return in_folder(folder) if os.path.isdir(folder) else name


def in_folder(folder: str) -> str:
    """Return the path of the model in a folder: `scene.xml`, the only model, or the only model in a subfolder.

    The subfolders are those in `INSIDE`, such as `urdf`.

    Raises:
        ModelError: there is no model, or there are several, which the message lists.
    """
    names = model_names(folder)
    if SCENE in names:
        return os.path.join(folder, SCENE)
    inside = [] if names else [name for name in INSIDE if os.path.isdir(os.path.join(folder, name))]
    models = names or [f"{place}/{name}" for place in inside for name in model_names(os.path.join(folder, place))]
    if len(models) == 1:
        return os.path.join(folder, models[0])
    if models:
        raise ModelError(f"{folder} is a folder with {len(models)} models: name one of {listed(models)}")
    raise ModelError(f"{folder} is a folder without a model{_unusable(Path(folder))}")


def _unusable(folder: Path) -> str:
    """Return a hint about a folder without a model, to append to a message."""
    macros = sorted(path.relative_to(folder).as_posix() for path in folder.glob("**/*.xacro"))
    if macros:
        first = next((name for name in macros if name.endswith(".urdf.xacro")), macros[0])
        return f"; expand its xacro file first: xacro {folder / first} > robot.urdf"
    scenes = sorted(path.name for path in folder.iterdir() if path.is_dir() and model_names(str(path)))
    return f"; name one of its folders {listed(scenes)}" if scenes else ""


def model_names(folder: str) -> list[str]:
    """Return the names of the models in a folder: files with the root `<mujoco>` or `<robot>`."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [name for name in names if name.lower().endswith(SUFFIXES) and _is_model(os.path.join(folder, name))]


def _is_model(path: str) -> bool:
    """Return True if an XML file has the root element of a model, in contrast to a file that is only included."""
    with suppress(OSError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return _ROOT.search(file.read(HEAD)) is not None
    return False


def listed(names: Iterable[str]) -> str:
    """Return the first names as text, followed by the number of remaining names."""
    names = list(names)
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more


def near(name: str, names: Iterable[str]) -> str:
    """Return a hint with the names that contain `name` or are similar to it, to append to a message."""
    from difflib import get_close_matches

    names = list(names)
    containing = [each for each in names if name.lower() in each.lower()] if name else []
    close = containing or get_close_matches(name, names, 3, 0.5)
    return f"; did you mean {listed(close)}?" if close else ""


def in_package(place: str) -> str:
    """Return the path of `NAME/path` in a ROS package, or of the model of the package `NAME`. Raises ModelError."""
    name, _, path = place.replace("\\", "/").partition("/")
    here = os.getcwd()
    address = f"package://{name}/{path}"
    if path:
        file = addressed_file(address, here)
        if file is not None:
            return file
    folder = next((os.path.join(place, path) for place in package_folders(name, here)), None)
    if folder is None:
        raise ModelError(f"{address}{no_package(name, 'the working folder')}")
    if not os.path.isdir(folder):
        raise ModelError(f"{address}: no such file{missing_reason(address, here)}")
    return in_folder(os.path.normpath(folder))


def at_file_address(place: str) -> str:
    """Return the path for a `file://` URL. For a folder, this is the path of the model in it."""
    path = addressed_file(FILE + place, "") or place
    return in_folder(path) if os.path.isdir(path) else path


def in_descriptions(name: str) -> str:
    """Return the path of a robot in the package robot_descriptions, which downloads the robot on first use.

    Args:
        name: a module of the package, such as `panda_mj_description`, or a robot, such as `panda`: its MJCF, or else
            its URDF.

    Raises:
        ModelError: there is no such robot, or it cannot be downloaded.
        MissingExtraError: the package is not installed.
    """
    package = need("robots", f"robot_descriptions:{name}")
    known = [module.name for module in iter_modules(package.__path__) if module.name.endswith("_description")]
    chosen = next((each for each in (name, f"{name}_mj_description", f"{name}_description") if each in known), None)
    if chosen is None:
        robots = {each.removesuffix("_description").removesuffix("_mj") for each in known}
        raise ModelError(f"robot_descriptions has no robot '{name}'{near(name, sorted(robots))}")
    module = _imported(chosen)
    for attribute in ("MJCF_PATH", "URDF_PATH"):
        path = getattr(module, attribute, None)
        if path is not None:
            return str(path)
    macro = getattr(module, "XACRO_PATH", None)
    hint = f": expand it first: xacro {macro} > {name}.urdf" if macro else ""
    raise ModelError(f"robot_descriptions.{chosen} has neither MJCF nor URDF{hint}")


def _imported(name: str) -> ModuleType:
    """Import a module of robot_descriptions, which downloads the robot, and return the module. Raises ModelError."""
    try:
        return import_module(f"robot_descriptions.{name}")
    except ImportError as error:
        raise missing("robots", f"robot_descriptions:{name}", error) from None
    except ConjointError:
        raise
    # the import runs Git, which raises its own errors
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(f"robot_descriptions.{name} cannot be downloaded: {reason}") from error


def in_menagerie(name: str) -> str:
    """Return the path of the model `NAME` or `NAME/file.xml` in a checkout of MuJoCo Menagerie. Raises ModelError."""
    checkout = next((str(path) for path in _checkouts() if path.is_dir()), None)
    if checkout is None:
        raise ModelError(
            f"menagerie:{name}: MuJoCo Menagerie was not found; clone "
            f"https://github.com/google-deepmind/{COLLECTION} and set MUJOCO_MENAGERIE_PATH to its folder"
        )
    path = os.path.normpath(os.path.join(checkout, name))
    if os.path.isdir(path):
        return in_folder(path)
    if not os.path.isfile(path):
        folder, word = os.path.split(name)
        folders = sorted(entry.name for entry in os.scandir(checkout) if entry.is_dir())
        names = model_names(os.path.join(checkout, folder)) if folder else folders
        raise ModelError(f"{checkout} has no '{name}'{near(word, names)}")
    return path


def _checkouts() -> Iterable[Path]:
    """Yield the folders that may contain MuJoCo Menagerie, in the order of the search."""
    given = os.environ.get("MUJOCO_MENAGERIE_PATH", "")
    yield from (Path(folder).expanduser() for folder in given.split(os.pathsep) if folder)
    yield from (folder / COLLECTION for folder in (Path.cwd(), *Path.cwd().parents))
    yield Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser() / COLLECTION
    yield Path.home() / COLLECTION


SOURCES: dict[str, Callable[[str], str]] = {
    "package://": in_package,
    "file://": at_file_address,
    "robot_descriptions:": in_descriptions,
    "menagerie:": in_menagerie,
}
"""Prefixes of names, each with the function that resolves the remainder of the name."""
