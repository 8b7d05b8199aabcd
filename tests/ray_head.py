"""Program whose Ray cluster loses its head node during steps; `batch/test_cluster.py` runs it."""

import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np

import conjoint
from conjoint.batch import Batch, cluster_tasks
from conjoint.batch.cluster import ClusterBatch

if __name__ == "__main__":
    cluster_tasks.HEAD_LOST = 2.0
    model = conjoint.MjModel.from_xml_path(sys.argv[1])
    spread, local = ClusterBatch(model, 4, checkpoint=sys.argv[2]), Batch(model, 4)
    for batch in (spread, local):
        batch.step(3)

    def end_head() -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            mine = f" {os.getpid()} " in (folder / "stat").read_text() if (folder / "stat").exists() else False
            if mine and b"gcs_server" in (folder / "cmdline").read_bytes().split(b"\0")[0]:
                os.kill(int(folder.name), signal.SIGKILL)

    threading.Timer(2.0, end_head).start()
    try:
        while True:
            # long calls wait for the head; between short calls, a thread monitors it
            if sys.argv[3] == "long":
                spread.step(50_000_000)
            spread.step()
            local.step()
    except conjoint.FatalError as error:
        print(error)
    try:
        spread.step()
    except conjoint.FatalError as error:
        print(error)
    kept = np.load(sys.argv[2])
    equal = all(np.array_equal(kept[name], array) for name, array in local.snapshot().items())
    here = all(np.array_equal(spread.snapshot()[name], array) for name, array in local.snapshot().items())
    print("same state" if equal and here else "another state")
