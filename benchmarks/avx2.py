"""Run another benchmark without AVX-512: blocks have half as many lanes, and kernels are compiled for AVX2.

MuJoCo is unchanged, because it uses AVX at most. Compiled kernels go into a separate cache.

python -m benchmarks.avx2 batch [its options]
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from pathlib import Path

from llvmlite import binding
from llvmlite.binding.targets import FeatureMap


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    found = binding.get_host_cpu_features()
    narrow = FeatureMap({name: here and not name.startswith("avx512") for name, here in found.items()})
    binding.get_host_cpu_features = lambda: narrow
    binding.get_host_cpu_name = lambda: "x86-64-v3"
    os.environ["CONJOINT_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "conjoint-avx2")
    sys.argv = sys.argv[1:]
    runpy.run_module(f"benchmarks.{sys.argv[0]}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
