"""What programs bring to the pipeline: callbacks, kernels of their own, replaced stages, colliders, and plugins."""
