"""Many worlds of one model: in lanes, over threads."""

from conjoint.batch.batch import Batch

__all__ = ["Batch"]
