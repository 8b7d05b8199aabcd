"""Commands `conjoint doctor` (information for problem reports) and `conjoint warmup` (compilation ahead of time)."""

import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import conjoint
from conjoint.cli.catalogue import units
from conjoint.cli.model_file import load_model
from conjoint.cli.worlds import make_worlds
from conjoint.lang import FatalError
from conjoint.lang.calls.compiled import jit_enabled
from conjoint.lang.memory.realisation import default_width
from conjoint.lang.objects.cache_keys import known_key
from conjoint.lang.objects.disk_cache import cache_folder, refusal
from conjoint.lang.objects.native import found_object
from conjoint.lang.optional_packages import EXTRAS, is_installed, packages
from conjoint.lang.system import processor_name, processors
from conjoint.render.context import make_context

QHULL = "scipy" if sys.platform == "win32" else "cmeel-qhull"
PACKAGES = ("llvmlite", "numpy", QHULL, "lxml", "Pillow", "rich", "typer")
"""Names of the required packages."""


def examine(console: Console, kernels: bool = False) -> None:
    """Print versions, processor, compiler state and cache state.

    Args:
        console: console on which to print.
        kernels: True to print the source of each kernel's machine code too.
    """
    table = Table(title="Conjoint", show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    table.add_row("conjoint", f"{conjoint.__version__} in {Path(conjoint.__file__).parent}")
    table.add_row("Python", f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}")
    table.add_row("system", platform.platform())
    table.add_section()
    for package in PACKAGES:
        table.add_row(package, version(package))
    table.add_section()
    for name, text in (*extras(), *devices()):
        table.add_row(name, text)
    table.add_section()
    for name, text in pictures():
        table.add_row(name, text)
    table.add_section()
    for name, text in machine():
        table.add_row(name, text)
    table.add_section()
    for name, text in compiler():
        table.add_row(name, text)
    origins = kernel_origins()
    for k, (origin, count) in enumerate(Counter(origins.values()).items()):
        table.add_row("" if k else "kernels", f"{count} from {origin}")
    console.print(table)
    if kernels:
        for title, origin in origins.items():
            console.print(f"{title:45s} {origin}")


def kernel_origins() -> dict[str, str]:
    """Return the source of each kernel's machine code: a cache or the compiler, by title of the compiled variant."""
    widths = {base: default_width(base) for base in ("float64", "float32")}
    keys = {unit.title: known_key(unit) for unit in units(widths)}
    return {title: "the compiler" if key is None else found_object(key)[1] for title, key in keys.items()}


def version(package: str) -> str:
    """Return the installed version of a package, or a note that it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "[yellow]not installed[/]"


def extras() -> Iterator[tuple[str, str]]:
    """Yield a table row for each extra: versions of its packages, or the command that installs it."""
    for extra in EXTRAS:
        if is_installed(extra):
            yield escape(f"[{extra}]"), ", ".join(f"{name} {version(name)}" for name in packages(extra))
        else:
            command = escape(f"pip install 'conjoint[{extra}]'")
            yield escape(f"[{extra}]"), f"[yellow]not installed[/]: {command}"


def devices() -> Iterator[tuple[str, str]]:
    """Yield a table row for each device that can step a batch; extras that are not installed are skipped."""
    # imports load drivers, which no other row needs
    if is_installed("cuda"):
        from conjoint.device.cuda import CudaDevice, device_count

        for k in range(device_count()):
            cuda = CudaDevice(k)
            yield f"cuda:{k}", f"{cuda.name}, {cuda.driver}"
        if not device_count():
            yield "cuda", "[yellow]no device[/]: the driver of the card is missing or does not work (see nvidia-smi)"
    if is_installed("opencl"):
        from conjoint.device.opencl import OpenCLDevice, devices

        for k in range(len(devices())):
            device = OpenCLDevice(k)
            yield f"opencl:{k}", f"{device.name}, {device.driver}" + ("" if device.has_float64 else ", float32 only")
        if not devices():
            yield "opencl", "[yellow]no device[/] accepts SPIR-V: pip install intel-opencl-rt, or your card's driver"


def pictures() -> Iterator[tuple[str, str]]:
    """Yield table rows for offscreen OpenGL and for the display on which windows open."""
    try:
        with make_context() as context:
            drawn = f"{context.gl.info['GL_RENDERER']}, {context.gl.info['GL_VERSION']}"
    except FatalError as error:
        drawn = f"[yellow]none[/]: {escape(str(error))}"
    yield "OpenGL", drawn
    names = [f"{name}={os.environ[name]}" for name in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(name)]
    # macOS and Windows always have exactly one desktop
    yield "display", ", ".join(names) or ("[yellow]none[/]" if sys.platform == "linux" else "the desktop")


def machine() -> Iterator[tuple[str, str]]:
    """Yield table rows for the processor."""
    yield "processor", processor_name()
    yield "cores", f"{os.cpu_count()}; this process may use {processors()}"
    yield "lanes", f"{default_width('float64')} x float64, {default_width('float32')} x float32"


def compiler() -> Iterator[tuple[str, str]]:
    """Yield table rows for the compiler and its cache."""
    yield "compiler", "on" if jit_enabled() else "[yellow]off: CONJOINT_JIT=0, kernels run as plain Python[/]"
    folder = cache_folder()
    yield "cache", str(folder)
    for what, ending in (("compiled stages", ".o"), ("meshes, images and other assets", ".asset")):
        sizes = [path.stat().st_size for path in folder.glob("*" + ending)]
        yield "", f"{len(sizes)} {what}, {sum(sizes) / 2**20:.1f} MiB"
    place = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(place, os.W_OK):
        yield "", f"[red]{place} is not writable: every program compiles again; set CONJOINT_CACHE_DIR[/]"
    elif folder.exists() and refusal(folder):
        yield "", f"[red]not used, since {refusal(folder)}: every program compiles again; set CONJOINT_CACHE_DIR[/]"


SAMPLE = """
<mujoco model="sample">
  <default>
    <joint damping="0.1" frictionloss="0.1" limited="true" range="-1 1"/>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body pos="0 0 1">
      <freejoint/>
      <geom type="capsule" size="0.1 0.2"/>
      <body pos="0 0 0.5">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom size="0.1"/>
      </body>
    </body>
    <body pos="0.15 0 1.2">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1" contype="2" conaffinity="2"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="hinge"/>
  </actuator>
</mujoco>
"""
"""Model that uses the most common kernels."""


def fill_cache(path: Path | None, console: Console) -> None:
    """Compile all kernels for a model or a sample, by stepping one world, then a batch in each precision."""
    os.environ.setdefault("CONJOINT_OPTIMIZE", "first")
    model = load_model(path) if path else conjoint.MjModel.from_xml_string(SAMPLE)
    for nworld, precision, label in (
        (1, "float64", "one world"),
        (2, "float64", "batch, float64"),
        (2, "float32", "batch, float32"),
    ):
        start = time.perf_counter()
        step_once(model, nworld, precision)
        console.print(f"{label:15s} ready after {time.perf_counter() - start:6.2f} s")


def step_once(model: Any, nworld: int, precision: str) -> None:
    """Take one step from the initial state, which compiles the kernels that the cache lacks."""
    make_worlds(model, nworld, 1, precision).step(np.zeros((nworld, model.nu)))
