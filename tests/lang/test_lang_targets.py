"""Stages of the humanoid's step compile unchanged for other machines: a GPU and AArch64."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

import pytest

from conjoint import MjModel
from conjoint.device.memory import SIDE_BY_SIDE
from conjoint.lang import Kernel
from conjoint.lang.frontend.module import stage_module
from conjoint.lang.frontend.threads import NEWEST, for_nvidia, nvidia_target, thread_module
from conjoint.lang.memory.realisation import WORLD, Realisation, lanes, threads
from conjoint.lang.objects.compile_worker import object_file
from conjoint.lang.objects.shipped_objects import KINDS
from conjoint.runtime.functions import stages_of
from conjoint.schema.memory import DATA_STRUCT
from conjoint.schema.model import MODEL_ROWS
from places import ROOT

MODEL = ROOT / "models" / "humanoid.xml"
AARCH64_MACHINE = 183
"""Value of e_machine in ELF files for AArch64 (ELF for the Arm 64-bit Architecture)."""


@functools.cache
def kernels() -> list[Kernel]:
    """Return every third kernel of a step, which is enough to find instructions that a machine lacks."""
    model = MjModel.from_xml_path(str(MODEL))
    return list(dict.fromkeys(stage.kernel for stage in stages_of("mj_step", model.plans.current)))[::3]


@pytest.mark.parametrize("realisation", [WORLD, lanes("float32", 4)], ids=lambda r: r.name)
def test_stages_become_objects_for_aarch64(realisation: Realisation):
    target = KINDS["linux-aarch64"].target
    made = 0
    for kernel in kernels():
        if realisation is WORLD or not kernel.per_world:
            text, _ = stage_module(kernel.__name__, kernel, realisation, MODEL_ROWS, DATA_STRUCT)
            code = object_file(text, target)
            assert code[:4] == b"\x7fELF" and int.from_bytes(code[18:20], "little") == AARCH64_MACHINE
            made += 1
    assert made > 6


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas: NVIDIA's CUDA toolkit has it")
def test_stages_become_kernels_of_a_gpu(tmp_path: Path):
    """LLVM translates stages to PTX with one thread for each world, and NVIDIA's assembler accepts it."""
    for kernel in kernels():
        text = thread_module(kernel, threads("float32", SIDE_BY_SIDE), MODEL_ROWS, DATA_STRUCT)
        ptx = object_file(for_nvidia(text), nvidia_target(NEWEST)).decode()
        assert ".visible .entry" in ptx
        (tmp_path / "stage.ptx").write_text(ptx)
        command = [
            "ptxas",
            f"-arch=sm_{NEWEST}",
            "-O0",
            "-o",
            str(tmp_path / "stage.cubin"),
            str(tmp_path / "stage.ptx"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{kernel}: {done.stderr[:2000]}"
