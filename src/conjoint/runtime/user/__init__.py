"""Extensions of the pipeline by programs: callbacks, kernels, replaced stages, colliders, and plugins."""
